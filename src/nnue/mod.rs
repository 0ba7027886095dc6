//! Networks: what they see of a position, how they are stored, and how they score it.

pub mod feature;
pub mod file;
pub mod inputs;

pub use feature::{Feature, FeatureSet, View};
pub use file::{FileError, Header, Parameters};
pub use inputs::{FlankingInputs, HasamiInputs, InputSet, Inputs, NetGame, ShogiInputs};
