//! The search: one for all games, compiled once a game.
//!
//! [`Engine`] runs it on persistent threads that share a transposition table (lazy SMP). `worker` deepens
//! iteratively, `node` searches a node by principal variation search, `quiescence` ends its lines; `picker` orders
//! moves with the help of `history`; `clock` says when it is time.

mod clock;
mod engine;
mod history;
mod limits;
mod mate;
mod node;
mod params;
mod picker;
mod quiescence;
mod skill;
mod table;
mod worker;

pub use clock::Budget;
pub use engine::{Engine, OnDone, OnInfo};
pub use limits::{Bound, Clocks, Info, Limits, MATE, MATE_BOUND, MAX_PLY, Outcome, SearchOptions};
pub use mate::{MateAnswer, MateLimits, MateResult, MateSearch, solve};
pub use params::Params;
pub use skill::{RATINGS, Skill};
pub use table::{Entry, NO_EVAL, Table};
