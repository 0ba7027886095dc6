//! Hasami shogi: nine men a side that slide like rooks and capture by trapping.

mod chase;
mod eval;
mod movegen;
mod position;

pub use eval::HasamiEval;
pub use position::{HasamiPosition, Threats};

use crate::game::Game;
use crate::nnue::{GameEval, HasamiInputs};
use crate::search::Params;

/// Men a side at the start.
pub const MEN: u32 = 9;

/// Hasami as the search sees it.
pub struct Hasami;

impl Game for Hasami {
    type Position = HasamiPosition;
    type Eval = GameEval<HasamiEval, HasamiInputs>;
    const PARAMS: Params = Params::HASAMI;
}
