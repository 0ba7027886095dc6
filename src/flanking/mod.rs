//! Flanking shogi: two half-moves a turn, capture by trapping, the king included.

mod eval;
mod hunt;
mod movegen;
mod position;

pub use eval::FlankingEval;
pub use position::{FlankingPosition, Threats};

use crate::board::Kind;
use crate::game::Game;
use crate::nnue::{FlankingInputs, GameEval};
use crate::search::{MateSearch, Params};

/// Flanking shogi as the search sees it.
pub struct Flanking;

impl Game for Flanking {
    type Position = FlankingPosition;
    type Eval = GameEval<FlankingEval, FlankingInputs>;
    const PARAMS: Params = Params::FLANKING;
    const MATE: MateSearch = MateSearch::Turns;
}

/// Worth of each kind on the board in points. Moving near and far counts for more than in shogi, striking power
/// for nothing: no piece is ever taken by displacement.
const VALUE: [i32; Kind::COUNT] = [100, 200, 220, 380, 560, 620, 400, 15_000, 330, 340, 340, 390, 700, 760];
