//! Strength below the full one: what a weak player does not see, and what it plays instead.
//!
//! A weak player looks at every move but not far, and is unsure what a position is worth: the scores of its
//! candidates are blurred before it chooses. At the bottom it does not look at replies at all, so it overlooks
//! threats and exchanges, yet a move that looks silly on the board still looks silly to it.

use crate::random::Random;

/// How much weaker than full strength the search plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Skill {
    level: i32,
    seed: u64,
}

impl Skill {
    /// Weakest level.
    pub const LOWEST: i32 = -20;
    /// Full strength.
    pub const HIGHEST: i32 = 20;

    /// The skill of a level from -20 to 20, `None` at full strength. Choices follow from `seed`.
    pub fn new(level: i32, seed: u64) -> Option<Self> {
        let level = level.clamp(Self::LOWEST, Self::HIGHEST);
        (level < Self::HIGHEST).then_some(Self { level, seed })
    }

    /// The level for a rating as `UCI_Elo` gives it.
    pub fn level_of_rating(rating: i32) -> i32 {
        let span = Self::HIGHEST - Self::LOWEST;
        Self::LOWEST + (rating - RATINGS.0) * span / (RATINGS.1 - RATINGS.0)
    }

    /// Most nodes that are searched.
    pub(super) fn nodes(self) -> u64 {
        // From nothing at -20 to some hundred thousand at 19, a quarter more a level.
        let growth = 1.25f64.powi(self.level - Self::LOWEST);
        (60.0 * growth) as u64
    }

    /// Greatest depth, in turns.
    pub(super) fn depth(self) -> u32 {
        match self.level {
            ..-12 => 1,
            -12..-6 => 2,
            level => 3 + (level + 6) as u32 / 2,
        }
    }

    /// Whether replies are not even looked at.
    pub(super) fn is_blind(self) -> bool {
        self.level < -12
    }

    /// How many of the best moves are candidates.
    pub(super) fn width(self) -> usize {
        match self.level {
            ..-6 => 1000,
            -6..4 => 12,
            4..12 => 6,
            _ => 4,
        }
    }

    /// Centipawns by which scores are blurred, as a standard deviation.
    pub(super) fn blur(self) -> f64 {
        let below = f64::from(Self::HIGHEST - self.level);
        0.22 * below * below + 1.5 * below
    }

    /// The index of the candidate that the player takes for the best. `key` is of the position, so that the choice
    /// differs from move to move.
    pub(super) fn choose(self, scores: &[i32], key: u64) -> usize {
        let mut random = Random::new(self.seed ^ key);
        let blur = self.blur();
        let mut best = (0, f64::NEG_INFINITY);
        for (index, &score) in scores.iter().enumerate() {
            // A mate that is seen is not blurred away entirely, but all that is lost looks alike.
            let seen = f64::from(score.clamp(-3000, 3000)) + blur * random.normal();
            if seen > best.1 {
                best = (index, seen);
            }
        }
        best.0
    }
}

/// The ratings that `UCI_Elo` takes, for the lowest and the highest level.
pub const RATINGS: (i32, i32) = (500, 2500);

/// Any of the candidates that are at most `margin` centipawns worse than the first, best, one.
pub(super) fn vary(scores: &[i32], margin: i32, seed: u64, key: u64) -> usize {
    let Some(&best) = scores.first() else { return 0 };
    let near = scores.iter().take_while(|&&score| score >= best - margin).count().max(1);
    Random::new(seed ^ key).below(near)
}
