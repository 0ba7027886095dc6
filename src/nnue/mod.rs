//! Networks: what they see of a position, how they are stored, and how they score it.

pub mod accumulator;
pub mod eval;
pub mod feature;
pub mod file;
pub mod inputs;
pub mod kernels;
pub mod library;
mod near;
pub mod nets;
pub mod network;
pub mod shared;

pub use eval::{Evaluation, GameEval};
pub use feature::{Feature, FeatureSet, View};
pub use file::{FileError, Header, Parameters};
pub use inputs::{FlankingInputs, HasamiInputs, InputSet, Inputs, NetGame, ShogiInputs};
pub use kernels::Kernel;
pub use library::{Library, NetError, Settings};
pub use network::Network;
pub use shared::SharedNetwork;
