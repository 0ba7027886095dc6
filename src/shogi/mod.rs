//! Shogi, happokei and aihappokei: one implementation, the knights being a parameter.

mod checks;
mod eval;
mod impasse;
mod movegen;
mod position;
mod rules;
mod see;
pub mod terms;
#[cfg(test)]
mod tests;
mod weights;

use std::marker::PhantomData;

use crate::game::Game;
use crate::nnue::{GameEval, ShogiInputs};
use crate::search::{MateSearch, Params};

pub use eval::{ShogiEval, trace};
pub use position::{CheckInfo, ShogiPosition};
pub use rules::{AiHappokeiRules, HappokeiRules, Rules, StandardRules};

/// A game of the shogi family.
pub struct Family<R>(PhantomData<R>);

/// Ordinary shogi.
pub type Shogi = Family<StandardRules>;
/// Eight-way knight, four-piece handicap.
pub type Happokei = Family<HappokeiRules>;
/// Even game with eight-way knights.
pub type AiHappokei = Family<AiHappokeiRules>;

impl<R: Rules> Game for Family<R> {
    type Position = ShogiPosition<R>;
    type Eval = GameEval<ShogiEval<R>, ShogiInputs<R>>;
    const PARAMS: Params = Params::SHOGI;
    const PAWN: i32 = 160;
    const MATE: MateSearch = MateSearch::Checks;
}

/// Material values in points by kind index: what evaluation, exchanges and ordering start from.
pub const VALUE: [i32; 14] = [90, 315, 405, 495, 855, 990, 540, 15000, 540, 540, 540, 540, 945, 1395];
