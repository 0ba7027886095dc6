//! The one place that knows which type plays which game.

use crate::flanking::Flanking;
use crate::game::Variant;
use crate::hasami::Hasami;
use crate::nnue::NetGame;
use crate::shogi::{AiHappokei, Happokei, Shogi};

/// Something to be done for a game that is only known at run time.
pub trait ForGame {
    /// What comes of it.
    type Output;

    /// Does it for a game.
    fn run<G: NetGame>(self) -> Self::Output;
}

/// Does something for the game of that name: here, once, a name turns into a type.
pub fn for_game<F: ForGame>(variant: Variant, action: F) -> F::Output {
    match variant {
        Variant::Shogi => action.run::<Shogi>(),
        Variant::Happokei => action.run::<Happokei>(),
        Variant::AiHappokei => action.run::<AiHappokei>(),
        Variant::Flanking => action.run::<Flanking>(),
        Variant::Hasami => action.run::<Hasami>(),
    }
}
