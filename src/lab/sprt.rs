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
