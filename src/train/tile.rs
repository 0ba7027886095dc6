//! Some columns of the net, with all that is needed to train them.
//!
//! The accumulators are cut into tiles of [`COLUMNS`] columns. A tile owns its part of every weight, gradient and
//! moment, so threads that work on different tiles share nothing but the samples and the outputs: no locks, and the
//! result does not depend on how many threads there are. A tile of the 3016 shogi inputs is 750 KiB and stays in the
//! second-level cache.

use std::sync::Arc;

use super::batch::{BLOCK, Block};
use super::kernels::{self, Step};

/// Columns of a tile.
pub const COLUMNS: usize = 32;

/// Parameters that are trained.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    /// What they are.
    pub value: Vec<f32>,
    /// Running mean of the gradient.
    pub mean: Vec<f32>,
    /// Running mean of its square.
    pub square: Vec<f32>,
    /// Sum of the gradients since the last step.
    pub gradient: Vec<f32>,
    /// Whether they stay as they are.
    frozen: bool,
}

impl Group {
    /// Parameters at rest.
    pub fn new(value: Vec<f32>) -> Self {
        let zero = vec![0.0; value.len()];
        Self { value, mean: zero.clone(), square: zero.clone(), gradient: zero, frozen: false }
    }

    /// Takes a step against the gradient, of which nothing is left.
    pub fn update(&mut self, step: Step) {
        if self.frozen {
            self.gradient.fill(0.0);
        } else {
            kernels::adamw(step, &mut self.value, &mut self.mean, &mut self.square, &mut self.gradient);
        }
    }

    /// From now on the parameters are whole multiples of `unit` and stay what they are.
    pub fn freeze(&mut self, unit: f32) {
        if !self.frozen {
            self.frozen = true;
            self.value.iter_mut().for_each(|value| *value = (*value / unit).round() * unit);
        }
    }
}

/// Parameters of a factoriser: one row for many features, added to each of theirs.
#[derive(Clone, Debug)]
struct Factors {
    /// The row of each feature.
    of: Arc<[u16]>,
    rows: Group,
    /// Each feature's own row with its factor's.
    merged: Vec<f32>,
}

/// [`COLUMNS`] columns.
#[derive(Clone, Debug)]
pub struct Tile {
    /// A row a feature.
    weights: Group,
    factors: Option<Factors>,
    /// One row.
    bias: Group,
    /// Two rows a bucket: own side, enemy.
    output: Group,
    accumulators: Vec<f32>,
    sums: Vec<f32>,
}

impl Tile {
    /// Columns of the net that start at these parameters: a row a feature, one row, two rows a bucket.
    pub fn new(weights: Vec<f32>, bias: Vec<f32>, output: Vec<f32>) -> Self {
        Self {
            weights: Group::new(weights),
            factors: None,
            bias: Group::new(bias),
            output: Group::new(output),
            accumulators: vec![0.0; BLOCK * 2 * COLUMNS],
            sums: vec![0.0; BLOCK],
        }
    }

    /// With a factoriser: the factor of each feature, and a row a factor to start at.
    pub fn with_factors(mut self, of: Arc<[u16]>, rows: Vec<f32>) -> Self {
        let merged = vec![0.0; self.weights.value.len()];
        self.factors = Some(Factors { of, rows: Group::new(rows), merged });
        self.merge(f32::INFINITY);
        self
    }

    /// Brings the weights that act up to date with those that are trained, within ± `limit`.
    pub fn merge(&mut self, limit: f32) {
        if let Some(Factors { of, rows, merged }) = &mut self.factors {
            kernels::merge::<COLUMNS>(of, &self.weights.value, &rows.value, limit, merged);
        }
    }

    /// All that is trained, always in the same order.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        let factors = self.factors.as_ref().map(|factors| &factors.rows);
        [&self.weights, &self.bias, &self.output].into_iter().chain(factors)
    }

    /// Puts other parameters and moments in the place of all groups, in the order of [`Tile::groups`].
    pub fn groups_mut(&mut self) -> impl Iterator<Item = &mut Group> {
        let factors = self.factors.as_mut().map(|factors| &mut factors.rows);
        [&mut self.weights, &mut self.bias, &mut self.output].into_iter().chain(factors)
    }

    /// Weights as they act: a row a feature.
    pub fn weights(&self) -> &[f32] {
        self.factors.as_ref().map_or(&self.weights.value, |factors| &factors.merged)
    }

    /// Biases of the columns.
    pub fn bias(&self) -> &[f32] {
        &self.bias.value
    }

    /// Output weights, two rows a bucket.
    pub fn output(&self) -> &[f32] {
        &self.output.value
    }

    /// Computes the accumulators of a block, and what they add to each output ([`Tile::sums`]).
    pub fn forward(&mut self, block: &Block) {
        let weights = self.factors.as_ref().map_or(&self.weights.value, |factors| &factors.merged);
        kernels::forward::<COLUMNS>(
            block,
            weights,
            &self.bias.value,
            &self.output.value,
            &mut self.accumulators,
            &mut self.sums[..block.len()],
        );
    }

    /// What these columns add to the output of each sample of the last block.
    pub fn sums(&self) -> &[f32] {
        &self.sums
    }

    /// Adds to the gradients, after [`Tile::forward`] of the same block, given the slope of the loss by each output.
    pub fn backward(&mut self, block: &Block, slopes: &[f32]) {
        kernels::backward::<COLUMNS>(
            block,
            slopes,
            &self.output.value,
            &mut self.accumulators,
            &mut self.output.gradient,
            &mut self.bias.gradient,
        );
        kernels::scatter::<COLUMNS>(block, &self.accumulators, &mut self.weights.gradient);
    }

    /// Takes a step with the gradients gathered.
    pub fn update(&mut self, step: Step) {
        if let Some(Factors { of, rows, .. }) = &mut self.factors {
            kernels::gather::<COLUMNS>(of, &self.weights.gradient, &mut rows.gradient);
        }
        for group in self.groups_mut() {
            group.update(step);
        }
        self.merge(step.limit);
    }

    /// From now on the output weights are whole multiples of `unit` and stay what they are.
    pub fn freeze_output(&mut self, unit: f32) {
        self.output.freeze(unit);
    }
}
