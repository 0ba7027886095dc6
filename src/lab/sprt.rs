//! What the results of pairs of games say about strength.
//!
//! Two games from one opening with colours exchanged are one observation: what the opening gives to one side falls
//! out, and five outcomes (a pentanomial) describe it better than five hundred won and lost games alone.

use std::fmt;

/// Counts of pairs by the points the first engine made in both games: 0, ½, 1, 1½, 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pentanomial(pub [u32; 5]);

/// An Elo difference with its 95% interval. Infinite where one side has won everything.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The best guess.
    pub elo: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Standard deviations on either side that hold 95% of a normal distribution.
const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// The share of points that an Elo difference leads to.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference that leads to a share of points; infinite at 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    // At the ends the quotient is 0 or infinite, which is what is meant.
    // Adding zero turns a negative zero into a plain one.
    -400.0 * (1.0 / score - 1.0).log10() + 0.0
}

impl Pentanomial {
    /// Enters a pair in which the first engine made that many half points of four.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// The share of points made; a half where nothing was played.
    pub fn score(&self) -> f64 {
        if self.pairs() == 0 { 0.5 } else { self.moments().0 }
    }

    /// Mean and variance of a pair's share of points.
    fn moments(&self) -> (f64, f64) {
        let total = f64::from(self.pairs()).max(1.0);
        let shares = || self.0.iter().zip(0..).map(|(&count, index)| (f64::from(count), f64::from(index) / 4.0));
        let mean = shares().map(|(count, share)| count * share).sum::<f64>() / total;
        let variance = shares().map(|(count, share)| count * (share - mean).powi(2)).sum::<f64>() / total;
        (mean, variance)
    }

    /// The Elo difference.
    pub fn estimate(&self) -> Estimate {
        if self.pairs() == 0 {
            return Estimate { elo: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let (mean, variance) = self.moments();
        let reach = TWO_SIDED_95 * (variance / f64::from(self.pairs())).sqrt();
        Estimate { elo: elo_of_score(mean), low: elo_of_score(mean - reach), high: elo_of_score(mean + reach) }
    }

    /// Likelihood of superiority: how probable it is that the first engine is the stronger one.
    pub fn superiority(&self) -> f64 {
        let (mean, variance) = self.moments();
        let lead = self.score() - 0.5;
        if lead == 0.0 {
            return 0.5;
        }
        if variance == 0.0 {
            return if mean > 0.5 { 1.0 } else { 0.0 };
        }
        normal_cdf(lead / (variance / f64::from(self.pairs())).sqrt())
    }

    /// Logarithm of how much more likely the pairs are if the difference is `elo1` than if it is `elo0`.
    ///
    /// Generalised: each hypothesis names only the mean, and is given the most likely distribution with that mean.
    pub fn llr(&self, elo0: f64, elo1: f64) -> f64 {
        if self.pairs() == 0 {
            return 0.0;
        }
        // An outcome never seen is still possible; without this a hypothesis could become impossible.
        let counts = self.0.map(|count| f64::from(count).max(1e-3));
        let total: f64 = counts.iter().sum();
        let (s0, s1) = (score_of_elo(elo0), score_of_elo(elo1));
        let (t0, t1) = (multiplier(&counts, s0), multiplier(&counts, s1));
        debug_assert!(total > 0.0);
        counts
            .iter()
            .zip(0..)
            .map(|(count, index)| {
                let share = f64::from(index) / 4.0;
                count * ((1.0 + t0 * (share - s0)) / (1.0 + t1 * (share - s1))).ln()
            })
            .sum()
    }
}

/// The Lagrange multiplier of the most likely distribution with mean `score`: its probabilities are the frequencies
/// divided by `1 + multiplier * (share - score)`.
fn multiplier(counts: &[f64; 5], score: f64) -> f64 {
    let slope = |t: f64| -> f64 {
        counts
            .iter()
            .zip(0..)
            .map(|(count, index)| {
                let off = f64::from(index) / 4.0 - score;
                count * off / (1.0 + t * off)
            })
            .sum()
    };
    // Falls from plus to minus infinity between the two ends.
    let (mut low, mut high) = (-1.0 / (1.0 - score), 1.0 / score);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The standard normal distribution, to seven digits.
fn normal_cdf(x: f64) -> f64 {
    // Abramowitz and Stegun 7.1.26, for the error function at x/√2.
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let series = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let tail = series.iter().fold(0.0, |sum, factor| (sum + factor) * t) * (-z * z).exp() / 2.0;
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// A sequential test of "stronger by `elo1`" against "stronger by `elo0`".
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The difference of the hypothesis that is to be refuted.
    pub elo0: f64,
    /// The difference of the hypothesis that is to be shown.
    pub elo1: f64,
    /// Probability of accepting `elo1` although `elo0` is true.
    pub alpha: f64,
    /// Probability of accepting `elo0` although `elo1` is true.
    pub beta: f64,
}

/// What a sequential test has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// More games are needed.
    Open,
    /// `elo1` holds.
    Accepted,
    /// `elo0` holds.
    Rejected,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
        })
    }
}

impl Sprt {
    /// The values of the log-likelihood ratio at which the test ends.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of some pairs.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        pairs.llr(self.elo0, self.elo1)
    }

    /// What the pairs decide.
    pub fn verdict(&self, pairs: &Pentanomial) -> Verdict {
        let (lower, upper) = self.bounds();
        match self.llr(pairs) {
            llr if llr >= upper => Verdict::Accepted,
            llr if llr <= lower => Verdict::Rejected,
            _ => Verdict::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
    }

    #[test]
    fn elo_and_score_belong_together() {
        close(score_of_elo(0.0), 0.5, 1e-12);
        close(score_of_elo(400.0), 10.0 / 11.0, 1e-12);
        close(elo_of_score(0.75), 190.848_5, 1e-4);
        for elo in [-300.0, -5.0, 0.0, 1.0, 77.0] {
            close(elo_of_score(score_of_elo(elo)), elo, 1e-9);
            close(elo_of_score(1.0 - score_of_elo(elo)), -elo, 1e-9);
        }
        assert_eq!((elo_of_score(0.0), elo_of_score(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert!(elo_of_score(0.5).is_sign_positive());
    }

    /// Values worked out apart from this code.
    #[test]
    fn known_values() {
        for (counts, narrow, low, wide, [elo, from, to, superiority]) in [
            ([10, 40, 100, 60, 20], 1.103_915, 0.987_743, 2.124_657, [30.2883, 8.6063, 52.2084, 0.996_932]),
            ([23, 189, 485, 241, 31], 2.332_914, 2.528_098, -29.520_596, [12.1957, 3.2932, 21.1143, 0.996_377]),
            ([0, 0, 10, 5, 2], 0.242_823, 0.196_234, 2.269_732, [94.2114, 34.6067, 159.8415, 0.999_144]),
        ] {
            let pairs = Pentanomial(counts);
            close(pairs.llr(0.0, 5.0), narrow, 1e-5);
            close(pairs.llr(-3.0, 1.0), low, 1e-5);
            close(pairs.llr(0.0, 50.0), wide, 1e-5);
            let estimate = pairs.estimate();
            close(estimate.elo, elo, 1e-3);
            close(estimate.low, from, 1e-3);
            close(estimate.high, to, 1e-3);
            close(pairs.superiority(), superiority, 1e-6);
        }
        let (lower, upper) = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05 }.bounds();
        close(upper, 2.944_439, 1e-6);
        close(lower, -2.944_439, 1e-6);
    }

    #[test]
    fn exchanged_engines_exchange_everything() {
        let (one, other) = (Pentanomial([3, 10, 40, 22, 9]), Pentanomial([9, 22, 40, 10, 3]));
        close(one.llr(0.0, 8.0), -other.llr(-8.0, 0.0), 1e-9);
        close(one.estimate().low, -other.estimate().high, 1e-9);
        close(one.superiority(), 1.0 - other.superiority(), 1e-9);
        let even = Pentanomial([7, 20, 50, 20, 7]);
        close(even.llr(-5.0, 5.0), 0.0, 1e-9);
        close(even.estimate().elo, 0.0, 1e-9);
        assert_eq!(even.superiority(), 0.5);
    }

    #[test]
    fn little_or_lopsided_evidence() {
        let nothing = Pentanomial::default();
        assert_eq!((nothing.llr(0.0, 5.0), nothing.score(), nothing.superiority()), (0.0, 0.5, 0.5));
        assert_eq!(nothing.estimate().high, f64::INFINITY);
        let draws = Pentanomial([0, 0, 30, 0, 0]);
        assert!(draws.llr(0.0, 5.0) < 0.0 && draws.estimate().elo == 0.0);
        let sweep = Pentanomial([0, 0, 0, 0, 30]);
        assert!(sweep.llr(0.0, 50.0) > 0.0 && sweep.estimate().elo == f64::INFINITY && sweep.superiority() == 1.0);
        assert!(Pentanomial([30, 0, 0, 0, 0]).llr(0.0, 50.0) < 0.0);
    }

    /// How often the test accepts where the difference is `elo`, and how long it takes.
    fn accepted(elo: f64, sprt: &Sprt, seed: u64) -> (f64, f64) {
        let mut random = Random::new(seed);
        let runs = 300;
        let (mut accepted, mut length) = (0, 0);
        for _ in 0..runs {
            let mut pairs = Pentanomial::default();
            while sprt.verdict(&pairs) == Verdict::Open {
                // Three games of ten are drawn.
                let mut game = || match random.unit() - (score_of_elo(elo) - 0.15) {
                    ..0.0 => 2,
                    0.0..0.3 => 1,
                    _ => 0,
                };
                pairs.add(game() + game());
            }
            accepted += u32::from(sprt.verdict(&pairs) == Verdict::Accepted);
            length += pairs.pairs();
        }
        (f64::from(accepted) / f64::from(runs), f64::from(length) / f64::from(runs))
    }

    #[test]
    fn the_test_errs_as_rarely_as_it_promises() {
        let sprt = Sprt { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05 };
        let (wrong, _) = accepted(0.0, &sprt, 1);
        let (right, length) = accepted(50.0, &sprt, 2);
        assert!(wrong < 0.09 && right > 0.91, "{wrong} {right}");
        assert!((60.0..200.0).contains(&length), "{length}");
    }
}
