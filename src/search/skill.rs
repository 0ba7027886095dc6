//! Strength below the full one: what a weak player does not see, and what it plays instead.
//!
//! A weak player looks at every move but not far, and is unsure what a position is worth: the scores of its
//! candidates are blurred before it chooses, and some moves do not come to its mind. At the bottom it does not look
//! at replies at all, so it overlooks threats and exchanges, yet a move that looks silly on the board still looks silly to it.

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
        // From next to nothing at -20 to some hundred thousand at 19, a fifth more a level.
        let growth = 1.2f64.powi(self.level - Self::LOWEST);
        (300.0 * growth) as u64
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

    /// The chance that a candidate comes to the player's mind at all.
    fn attention(self) -> f64 {
        // A tenth at -20, three quarters at -10, all from 0 up.
        let below = f64::from((-self.level).max(0)) / 20.0;
        1.0 - 0.9 * below * below
    }

    /// The index of the candidate that the player takes for the best. `key` is of the position, so that the choice
    /// differs from move to move.
    pub(super) fn choose(self, scores: &[i32], key: u64) -> usize {
        let mut random = Random::new(self.seed ^ key);
        let (blur, attention) = (self.blur(), self.attention());
        // Where nothing comes to mind, any move is played.
        let any = random.below(scores.len().max(1));
        let mut best = (any, f64::NEG_INFINITY);
        for (index, &score) in scores.iter().enumerate() {
            if random.unit() >= attention {
                continue;
            }
            // All that is lost looks alike, but what wins is told from what only stands well, and a mate that is seen
            // from both.
            let seen = f64::from(score.clamp(-3000, 9000)) + blur * random.normal();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_get_stronger_in_every_respect() {
        let skills: Vec<Skill> = (Skill::LOWEST..Skill::HIGHEST).filter_map(|level| Skill::new(level, 1)).collect();
        assert_eq!(skills.len(), 40);
        for pair in skills.windows(2) {
            let [weak, strong] = pair else { unreachable!() };
            assert!(weak.nodes() < strong.nodes() && weak.depth() <= strong.depth());
            assert!(weak.blur() > strong.blur() && weak.attention() <= strong.attention());
            assert!(weak.width() >= strong.width() && weak.is_blind() >= strong.is_blind());
        }
        assert_eq!(Skill::new(Skill::HIGHEST, 1), None);
    }

    #[test]
    fn better_levels_choose_better_moves() {
        let scores: Vec<i32> = (0..60).map(|n| 200 - 15 * n).collect();
        let mean = |level| {
            let chosen = |seed| Skill::new(level, seed).map_or(0, |skill| skill.choose(&scores, 99));
            (0..2000).map(|seed| f64::from(scores[chosen(seed)])).sum::<f64>() / 2000.0
        };
        let means: Vec<f64> = [-20, -10, 0, 10, 19].map(mean).to_vec();
        assert!(means.windows(2).all(|pair| pair[0] + 10.0 < pair[1]), "{means:?}");
    }

    #[test]
    fn ratings_span_the_levels() {
        assert_eq!(Skill::level_of_rating(RATINGS.0), Skill::LOWEST);
        assert_eq!(Skill::level_of_rating(RATINGS.1), Skill::HIGHEST);
        assert_eq!(Skill::level_of_rating(1500), 0);
    }

    #[test]
    fn variety_stays_within_its_margin() {
        let scores = [50, 45, 41, 39, -100];
        let chosen: Vec<usize> = (0..200).map(|seed| vary(&scores, 10, seed, 5)).collect();
        assert!(chosen.iter().all(|&index| index < 3));
        assert!((0..3).all(|index| chosen.contains(&index)));
        assert_eq!(vary(&[], 10, 1, 1), 0);
    }
}
