//! The search: one for all games, compiled once a game.

mod engine;
mod limits;

pub use engine::Engine;
pub use limits::{Bound, Clocks, Info, Limits, MATE, MATE_BOUND, MAX_PLY, Outcome, SearchOptions};

/// Margins and reductions of a game.
#[derive(Clone, Copy, Debug)]
pub struct Params {}

impl Params {
    /// The shogi family.
    pub const SHOGI: Self = Self {};
}
