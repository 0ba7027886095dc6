//! What a search is asked for and what it answers.

use std::time::Instant;

use crate::board::{ByColor, Move};
use crate::nnue::Evaluation;

use super::{Change, Skill};

/// Largest depth in half-moves, and the size of every stack of the search.
pub const MAX_PLY: usize = 128;

/// Score of mating now; a mate `n` half-moves away is `MATE - n`.
pub const MATE: i32 = 32000;

/// Scores beyond this are mates.
pub const MATE_BOUND: i32 = MATE - 1000;

/// Clocks, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clocks {
    /// Time left, `None` where the side has no clock.
    pub time: ByColor<Option<u64>>,
    /// Increment a turn.
    pub increment: ByColor<u64>,
    /// Byoyomi a turn, after the time is used up.
    pub byoyomi: u64,
}

/// The limits of one `go`; the first one reached ends the search.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The clocks, if any were given.
    pub clocks: Option<Clocks>,
    /// Fixed time in milliseconds.
    pub movetime: Option<u64>,
    /// Depth in half-moves.
    pub depth: Option<u32>,
    /// Nodes of all threads together.
    pub nodes: Option<u64>,
    /// Nodes after which no new iteration begins.
    pub soft_nodes: Option<u64>,
    /// Nodes of the search for a mate that comes first, on top of all others; if not set it gets a share of theirs.
    pub mate_nodes: Option<u64>,
    /// Search until stopped.
    pub infinite: bool,
    /// Search until `ponderhit` or `stop`.
    pub ponder: bool,
    /// If not empty, the only turns considered, each as its half-moves (one of them outside flanking; in flanking
    /// one half-move alone allows every second one).
    pub search_moves: Vec<Vec<Move>>,
    /// When the command arrived: the clock runs from there.
    pub start: Option<Instant>,
}

/// Everything about a search that options set.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Number of lines to report.
    pub multi_pv: usize,
    /// Value of a draw in centipawns for each side when it is the one that is to move at the root.
    pub draw_value: ByColor<i32>,
    /// Largest depth, 0 for none.
    pub depth_limit: u32,
    /// Most nodes, 0 for none.
    pub nodes_limit: u64,
    /// Consider non-promotions that are never better.
    pub all_moves: bool,
    /// Milliseconds that pass between a client's clock and ours on every move.
    pub network_delay: u64,
    /// The same where a loss on time threatens.
    pub network_delay2: u64,
    /// Least time to use for a move where the clock allows it.
    pub minimum_thinking_time: u64,
    /// Percentage of the usual time to use.
    pub slow_mover: u64,
    /// Think in whole seconds, for clocks that round up.
    pub round_up: bool,
    /// Least milliseconds between two reports, 0 for none.
    pub pv_interval: u64,
    /// Report fail highs and fail lows.
    pub report_bounds: bool,
    /// Pondering is on: more time may be used because the enemy's turns give some back.
    pub ponder: bool,
    /// Play below full strength.
    pub skill: Option<Skill>,
    /// In the opening, choose among the moves at most this many centipawns worse than the best.
    pub variety: i32,
    /// Where the random choices of `variety` come from.
    pub seed: u64,
    /// No pruning, reduction, extension, quiescence or table: minimax values of the static evaluation, for tests.
    pub plain: bool,
    /// What to evaluate with.
    pub evaluation: Evaluation,
    /// Parameters other than the game's own.
    pub change: Change,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            multi_pv: 1,
            draw_value: ByColor([-2, -2]),
            depth_limit: 0,
            nodes_limit: 0,
            all_moves: false,
            network_delay: 20,
            network_delay2: 80,
            minimum_thinking_time: 0,
            slow_mover: 100,
            round_up: false,
            pv_interval: 0,
            report_bounds: true,
            ponder: false,
            skill: None,
            variety: 0,
            seed: 0,
            plain: false,
            evaluation: Evaluation::default(),
            change: Change::default(),
        }
    }
}

/// Whether a score is exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bound {
    /// Nothing known.
    #[default]
    None,
    /// At most the score.
    Upper,
    /// At least the score.
    Lower,
    /// The score.
    Exact,
}

impl Bound {
    /// Whether the true score is at least a score with this bound.
    #[inline]
    pub(super) fn is_lower(self) -> bool {
        matches!(self, Self::Lower | Self::Exact)
    }

    /// Whether a score with this bound is enough to know on which side of a window the true one lies, or all of it.
    #[inline]
    pub(super) fn decides(self, score: i32, alpha: i32, beta: i32) -> bool {
        match self {
            Self::Exact => true,
            Self::Lower => score >= beta,
            Self::Upper => score <= alpha,
            Self::None => false,
        }
    }
}

/// One line of thought, to be reported.
#[derive(Clone, Debug)]
pub struct Info {
    /// Depth finished, in half-moves.
    pub depth: u32,
    /// Deepest line looked at, in half-moves.
    pub seldepth: u32,
    /// Number of the line, from 1.
    pub multipv: usize,
    /// Score for the side to move at the root: points, or a mate.
    pub score: i32,
    /// Whether it is exact.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Milliseconds since the search began.
    pub time: u64,
    /// Permille of the transposition table in use.
    pub hashfull: u32,
    /// The line, in half-moves.
    pub pv: Vec<Move>,
}

/// The end of a search.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The moves to play: one turn (two half-moves in flanking unless the first wins or the turn was half played).
    /// Empty when there is no legal move.
    pub best: Vec<Move>,
    /// The reply expected, a whole turn; empty if none is known.
    pub ponder: Vec<Move>,
    /// Score of the best line for the side to move, likewise.
    pub score: i32,
    /// Depth finished.
    pub depth: u32,
    /// Nodes of all threads.
    pub nodes: u64,
}
