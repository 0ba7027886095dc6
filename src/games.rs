//! Which type plays which game: the one place that knows.

use crate::flanking::Flanking;
use crate::game::{Game, Variant};
use crate::hasami::Hasami;
use crate::shogi::{AiHappokei, Happokei, Shogi};

/// Something to be done for a game that is known by its name only.
pub trait Task {
    /// What comes of it.
    type Output;
    /// Does it.
    fn run<G: Game>(self) -> Self::Output;
}

/// Does something with the type that plays a game.
pub fn with<T: Task>(variant: Variant, task: T) -> T::Output {
    match variant {
        Variant::Shogi => task.run::<Shogi>(),
        Variant::Happokei => task.run::<Happokei>(),
        Variant::AiHappokei => task.run::<AiHappokei>(),
        Variant::Flanking => task.run::<Flanking>(),
        Variant::Hasami => task.run::<Hasami>(),
    }
}
