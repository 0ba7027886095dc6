//! Centipawns.
//!
//! Evaluation and search count in points, whose worth is what training and the tuning of margins made of it. People,
//! clients, options and books count in centipawns: a hundred of them are a pawn ([`Game::PAWN`]). Mates are the same in
//! both.

use crate::game::Game;

use super::{Info, MATE_BOUND, Outcome};

/// `value * numerator / denominator` to the nearest; mates stay what they are, and nothing else becomes one.
fn convert(value: i32, numerator: i32, denominator: i32) -> i32 {
    if value.abs() >= MATE_BOUND {
        return value;
    }
    let doubled = 2 * i64::from(value) * i64::from(numerator);
    let rounded = (doubled + doubled.signum() * i64::from(denominator)) / (2 * i64::from(denominator));
    let most = i64::from(MATE_BOUND - 1);
    rounded.clamp(-most, most) as i32
}

/// A score of the search in centipawns.
pub fn to_centipawns<G: Game>(score: i32) -> i32 {
    convert(score, 100, G::PAWN)
}

/// Centipawns in points.
pub fn from_centipawns<G: Game>(value: i32) -> i32 {
    convert(value, G::PAWN, 100)
}

impl Info {
    /// The same with its score in centipawns.
    pub fn in_centipawns<G: Game>(&self) -> Self {
        Self { score: to_centipawns::<G>(self.score), ..self.clone() }
    }
}

impl Outcome {
    /// The same with its score in centipawns.
    pub fn in_centipawns<G: Game>(&self) -> Self {
        Self { score: to_centipawns::<G>(self.score), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::MATE;
    use crate::shogi::Shogi;

    #[test]
    fn a_pawn_is_a_hundred() {
        assert_eq!(to_centipawns::<Shogi>(Shogi::PAWN), 100);
        assert_eq!(to_centipawns::<Shogi>(-3 * Shogi::PAWN), -300);
        assert_eq!(from_centipawns::<Shogi>(-100), -Shogi::PAWN);
        assert_eq!((to_centipawns::<Shogi>(0), from_centipawns::<Shogi>(0)), (0, 0));
    }

    #[test]
    fn centipawns_survive_the_way_there_and_back() {
        let scale = i64::from(Shogi::PAWN);
        for value in (-10_000..=10_000).filter(|&value| i64::from(value) * scale / 100 < i64::from(MATE_BOUND)) {
            assert_eq!(to_centipawns::<Shogi>(from_centipawns::<Shogi>(value)), value);
        }
    }

    #[test]
    fn mates_are_mates_and_nothing_else_is() {
        for score in [MATE, MATE - 7, MATE_BOUND] {
            assert_eq!((to_centipawns::<Shogi>(score), to_centipawns::<Shogi>(-score)), (score, -score));
        }
        for value in [MATE_BOUND - 1, 20_000] {
            assert!(from_centipawns::<Shogi>(value) < MATE_BOUND && from_centipawns::<Shogi>(-value) > -MATE_BOUND);
        }
    }
}
