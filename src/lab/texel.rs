//! Fitting the weights of shogi's evaluation to games: logistic regression over the terms it counts.

use rayon::prelude::*;

use crate::data::{Replay, ReplayError, Stored};
use crate::game::Position;
use crate::search::MATE_BOUND;
use crate::shogi::terms::{GROUPS, TERMS, WEIGHTS};
use crate::shogi::{ShogiPosition, StandardRules, trace};

/// Weights are in such parts of a point.
const UNIT: f32 = 16.0;

/// Positions that a thread works on at a time. Sums are taken in this order, so that the result is always the same.
const BATCH: usize = 4096;

/// How the fit is made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fit {
    /// How much of the target is the result of the game; the rest is the score of the search.
    pub blend: f32,
    /// Steps.
    pub steps: u32,
    /// Largest change of a weight a step in points; falls to nothing towards the end.
    pub rate: f32,
    /// Pull back to the weights in force, as of so many positions that have the term. What a block of terms has moved
    /// in common is free of it: the worth of a kind of piece shall not hide in other terms.
    pub pull: f32,
}

/// Positions with their terms.
#[derive(Default)]
pub struct Samples {
    /// Numbers and counts of the terms, one position after another.
    terms: Vec<(u16, i16)>,
    /// Where each position's terms end.
    ends: Vec<usize>,
    /// Score of the search as Black sees it, in points.
    scores: Vec<f32>,
    /// Points of Black, from 0 to 1.
    results: Vec<f32>,
}

impl Samples {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn enter(&mut self, position: &ShogiPosition<StandardRules>, score: f32, result: f32) {
        let counts = trace(position).0;
        let terms = counts.iter().enumerate().filter(|(_, count)| **count != 0);
        self.terms.extend(terms.map(|(term, &count)| (term as u16, count as i16)));
        self.ends.push(self.terms.len());
        self.scores.push(score);
        self.results.push(result);
    }

    fn terms_of(&self, index: usize) -> &[(u16, i16)] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.terms[start..self.ends[index]]
    }

    fn evaluate(&self, index: usize, weights: &[f32]) -> f32 {
        self.terms_of(index).iter().map(|&(term, count)| weights[usize::from(term)] * f32::from(count)).sum()
    }

    fn target(&self, index: usize, blend: f32, scale: f32) -> f32 {
        blend * self.results[index] + (1.0 - blend) * sigmoid(self.scores[index] / scale)
    }

    /// Cross entropy of the results if an evaluation says what the search did.
    fn entropy_of_scores(&self, scale: f32) -> f64 {
        let all = self.scores.par_iter().zip(&self.results).with_min_len(BATCH);
        let sum: f64 = all.map(|(score, &result)| entropy(sigmoid(score / scale), result)).sum();
        sum / self.len().max(1) as f64
    }

    /// The scale, in points, at which scores foretell results best.
    pub fn scale(&self) -> f32 {
        let (mut low, mut high) = (50.0f32, 3000.0f32);
        for _ in 0..40 {
            let (first, second) = (low + (high - low) * 0.382, low + (high - low) * 0.618);
            if self.entropy_of_scores(first) < self.entropy_of_scores(second) { high = second } else { low = first }
        }
        (low + high) / 2.0
    }

    /// Mean cross entropy of the target under weights in points.
    pub fn loss(&self, weights: &[f32], blend: f32, scale: f32) -> f64 {
        let one = |index| entropy(sigmoid(self.evaluate(index, weights) / scale), self.target(index, blend, scale));
        let batch = |from: usize| (from..(from + BATCH).min(self.len())).map(one).sum::<f64>();
        let sums: Vec<f64> = starts(self.len()).into_par_iter().map(batch).collect();
        sums.iter().sum::<f64>() / self.len().max(1) as f64
    }

    /// The gradient of the summed loss.
    fn gradient(&self, weights: &[f32], blend: f32, scale: f32) -> Vec<f32> {
        let batch = |from: usize| {
            let mut gradient = vec![0.0f32; TERMS];
            for index in from..(from + BATCH).min(self.len()) {
                let wrong = sigmoid(self.evaluate(index, weights) / scale) - self.target(index, blend, scale);
                for &(term, count) in self.terms_of(index) {
                    gradient[usize::from(term)] += wrong * f32::from(count) / scale;
                }
            }
            gradient
        };
        let parts: Vec<Vec<f32>> = starts(self.len()).into_par_iter().map(batch).collect();
        let mut sum = vec![0.0f32; TERMS];
        for part in parts {
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        sum
    }
}

fn starts(len: usize) -> Vec<usize> {
    (0..len).step_by(BATCH).collect()
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

fn entropy(p: f32, target: f32) -> f64 {
    let p = f64::from(p).clamp(1e-7, 1.0 - 1e-7);
    let target = f64::from(target);
    -(target * p.ln() + (1.0 - target) * (1.0 - p).ln())
}

/// Positions to fit to, and others, of every tenth game, to judge by.
#[derive(Default)]
pub struct Corpus {
    /// To fit to.
    pub training: Samples,
    /// To judge by.
    pub held_out: Samples,
}

/// One game in so many is held out.
const HELD_OUT: u32 = 10;

impl Corpus {
    /// Takes the quiet positions of games of shogi: not in check, the move neither a capture nor a promotion, the
    /// score at most `bound` points.
    pub fn add(&mut self, stored: &Stored, bound: i32) -> Result<(), ReplayError> {
        for record in stored.games() {
            let samples = if record.number.is_multiple_of(HELD_OUT) { &mut self.held_out } else { &mut self.training };
            let mut replay = Replay::<ShogiPosition<StandardRules>>::new(&record, &stored.header.rules, false)?;
            while let Some(moment) = replay.next()? {
                let Some(score) = moment.score.map(i32::from) else { continue };
                let position = moment.position;
                if !moment.is_quiet() || score.abs() > bound.min(MATE_BOUND) {
                    continue;
                }
                let points = f32::from(moment.half_points) / 2.0;
                let (score, points) = match position.side_to_move() {
                    crate::board::Color::Black => (score as f32, points),
                    crate::board::Color::White => (-score as f32, 1.0 - points),
                };
                samples.enter(position, score, points);
            }
        }
        Ok(())
    }
}

/// The weights in force, in points.
pub fn weights_in_force() -> Vec<f32> {
    WEIGHTS.iter().map(|&weight| weight as f32 / UNIT).collect()
}

/// Weights as they are stored.
pub fn rounded(weights: &[f32]) -> Vec<i32> {
    weights.iter().map(|weight| (weight * UNIT).round() as i32).collect()
}

/// How far each weight has moved otherwise than its block; those of terms that never occur stay where they are.
fn apart(weights: &[f32], start: &[f32], met: &[bool]) -> Vec<f32> {
    let mut moved: Vec<f32> = weights.iter().zip(start).map(|(weight, start)| weight - start).collect();
    for group in GROUPS.iter().filter(|group| group.block > 1) {
        for first in (group.first..group.first + group.size).step_by(group.block) {
            let block: Vec<usize> = (first..first + group.block).filter(|&term| met[term]).collect();
            let mean = block.iter().map(|&term| moved[term]).sum::<f32>() / block.len().max(1) as f32;
            block.iter().for_each(|&term| moved[term] -= mean);
        }
    }
    moved
}

/// Fits weights, in points, by Adam; `news` is told the step and the weights after every one.
pub fn fit(samples: &Samples, fit: &Fit, scale: f32, mut news: impl FnMut(u32, &[f32])) -> Vec<f32> {
    const DECAY: (f32, f32) = (0.9, 0.999);
    let start = weights_in_force();
    let mut weights = start.clone();
    let mut met = vec![false; TERMS];
    samples.terms.iter().for_each(|&(term, _)| met[usize::from(term)] = true);
    let (mut mean, mut square) = (vec![0.0f32; TERMS], vec![0.0f32; TERMS]);
    for step in 1..=fit.steps {
        let gradient = samples.gradient(&weights, fit.blend, scale);
        let rate = fit.rate * (1.0 - (step - 1) as f32 / fit.steps as f32);
        let (unbias1, unbias2) = (1.0 - DECAY.0.powi(step as i32), 1.0 - DECAY.1.powi(step as i32));
        let moved = apart(&weights, &start, &met);
        for term in 0..TERMS {
            // The second derivative of the cross entropy of a level position is 1 / (4 scale²).
            let slope = gradient[term] + fit.pull * moved[term] / (4.0 * scale * scale);
            mean[term] = DECAY.0 * mean[term] + (1.0 - DECAY.0) * slope;
            square[term] = DECAY.1 * square[term] + (1.0 - DECAY.1) * slope * slope;
            weights[term] -= rate * (mean[term] / unbias1) / ((square[term] / unbias2).sqrt() + 1e-9);
        }
        news(step, &weights);
    }
    weights
}

/// The source file of weights.
pub fn source(weights: &[i32]) -> String {
    use std::fmt::Write;
    let mut text = String::from(
        "//! The weights of the evaluation in 16ths of a centipawn, as `happo tune eval` writes them.\n\n\
         use super::terms::TERMS;\n\n/// A weight a term.\n#[rustfmt::skip]\npub static WEIGHTS: [i32; TERMS] = [\n",
    );
    for group in GROUPS {
        let _ = writeln!(text, "    // {}: {}", group.name, group.meaning);
        for row in weights[group.first..][..group.size].chunks(group.row) {
            let row: Vec<String> = row.iter().map(|weight| format!("{weight},")).collect();
            let _ = writeln!(text, "    {}", row.join(" "));
        }
    }
    text.push_str("];\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Move, MoveList};
    use crate::game::{HouseRules, Stage};
    use crate::random::Random;

    /// Positions of random games whose results follow from other weights than those in force.
    fn samples(count: usize, weights: &[f32], scale: f32) -> Samples {
        let mut random = Random::new(11);
        let mut samples = Samples::default();
        while samples.len() < count {
            let mut position = ShogiPosition::<StandardRules>::startpos(&HouseRules::default());
            for _ in 0..120 {
                let mut list = MoveList::new();
                position.generate(Stage::All, &mut list);
                if list.is_empty() {
                    break;
                }
                let m: Move = list[random.below(list.len())];
                position.make(m, &mut ());
                samples.enter(&position, 0.0, 0.0);
                let last = samples.len() - 1;
                let value = samples.evaluate(last, weights);
                samples.scores[last] = value;
                samples.results[last] = f32::from(u8::from(random.unit() < f64::from(sigmoid(value / scale))));
            }
        }
        samples
    }

    #[test]
    fn a_fit_finds_the_weights_behind_the_results() {
        let scale = 400.0;
        let start = weights_in_force();
        let mut truth = start.clone();
        let rook = crate::shogi::terms::hand_term(crate::board::Kind::Rook, 0);
        let offence = crate::shogi::terms::OFFENCE.first;
        truth[rook] *= 0.6;
        truth[offence] *= 2.0;
        let samples = samples(20_000, &truth, scale);
        assert!((samples.scale() - scale).abs() < 40.0, "{}", samples.scale());
        let plan = Fit { blend: 0.5, steps: 150, rate: 8.0, pull: 10.0 };
        let found = fit(&samples, &plan, scale, |_, _| {});
        let distance = |weights: &[f32], term: usize| (weights[term] - truth[term]).abs();
        for term in [rook, offence] {
            assert!(distance(&found, term) < distance(&start, term) / 3.0, "{term}: {} {}", found[term], truth[term]);
        }
        assert!(samples.loss(&found, 0.5, scale) < samples.loss(&start, 0.5, scale));
    }

    #[test]
    fn the_source_is_what_is_in_force() {
        let text = source(&rounded(&weights_in_force()));
        assert_eq!(text, include_str!("../shogi/weights.rs"));
    }
}
