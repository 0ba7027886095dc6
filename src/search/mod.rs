//! The search: one for all games, compiled once a game.
//!
//! [`Engine`] runs it on persistent threads that share a transposition table (lazy SMP). `worker` deepens
//! iteratively; `node` searches a node by principal variation search, `prune` ends it before its moves are looked at,
//! `quiescence` ends its lines, `root` has what only the root needs; `picker` orders moves with the help of `history`,
//! which `learn` teaches; `correction` learns where the evaluation errs; `clock` says when it is time. All numbers are
//! in [`Params`], a set a game.
//!
#![doc = include_str!("gains.md")]

mod clock;
mod correction;
mod engine;
mod history;
mod learn;
mod limits;
mod mate;
mod node;
mod params;
mod picker;
mod prune;
mod quiescence;
mod root;
mod skill;
mod table;
mod units;
mod worker;

pub use clock::Budget;
pub use engine::{Engine, OnDone, OnInfo};
pub use limits::{Bound, Clocks, Info, Limits, MATE, MATE_BOUND, MAX_PLY, Outcome, SearchOptions};
pub use mate::{MateAnswer, MateLimits, MateResult, MateSearch, solve};
pub use params::{Change, PARAMETERS, ParamError, Parameter, Params};
pub use skill::{RATINGS, Skill};
pub use table::{Entry, NO_EVAL, Table};
pub use units::{from_centipawns, to_centipawns};
