//! The net in floats, and how it learns.

use std::sync::Arc;

use rayon::prelude::*;

use super::batch::{BLOCK, Batch, Block, Recipe, sigmoid};
use super::kernels::{BETA1, BETA2, Step};
use super::samples::Samples;
use super::tile::{COLUMNS, Group, Tile};
use crate::nnue::file::QB;
use crate::random::Random;

/// Weights and biases stay within ± this: what the quantised net can hold in its output layer, and so that no sum of
/// a hundred inputs overflows its accumulators.
pub const LIMIT: f32 = 127.0 / 64.0;

/// Sizes of a net `(inputs -> width)x2 -> buckets`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Inputs a side.
    pub inputs: usize,
    /// Accumulators a side, a multiple of [`COLUMNS`].
    pub width: usize,
    /// Outputs, of which one answers for a position.
    pub buckets: usize,
    /// The factor that each input belongs to, if the set has a factoriser.
    pub factor_of: Option<Arc<[u16]>>,
}

/// All parameters of a net in floats, a row an input.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameters {
    /// `inputs` rows of `width`.
    pub weights: Vec<f32>,
    /// One for each accumulator.
    pub bias: Vec<f32>,
    /// For each bucket `width` for the own side, then `width` for the enemy.
    pub output: Vec<f32>,
    /// One a bucket.
    pub output_bias: Vec<f32>,
}

/// Settings of the optimiser that stay the same.
#[derive(Clone, Copy, Debug)]
pub struct Decay {
    /// Weight decay of AdamW: each step takes this times the learning rate off every weight.
    pub weight: f32,
}

/// A net that is being trained.
#[derive(Clone, Debug)]
pub struct Model {
    shape: Shape,
    tiles: Vec<Tile>,
    output_bias: Group,
    steps: u64,
    outputs: Vec<f32>,
    slopes: Vec<f32>,
}

/// Columns `from..from + COLUMNS` of rows of `width`.
fn columns(rows: &[f32], width: usize, from: usize) -> Vec<f32> {
    rows.chunks_exact(width).flat_map(|row| &row[from..from + COLUMNS]).copied().collect()
}

impl Model {
    /// A net that has learnt nothing: small random weights. `active` is the mean number of active inputs a side.
    pub fn random(shape: Shape, active: f64, random: &mut Random) -> Self {
        let mut uniform = |count: usize, bound: f64| -> Vec<f32> {
            (0..count).map(|_| ((2.0 * random.unit() - 1.0) * bound) as f32).collect()
        };
        // Accumulators begin with a deviation of about 0.3 around 0.2: some closed, none saturated.
        let bound = (0.27 / active.max(1.0)).sqrt();
        let (inputs, width) = (shape.inputs, shape.width);
        let factors = shape.factor_of.as_ref().map(|of| {
            let count = of.iter().max().map_or(0, |&last| usize::from(last) + 1);
            uniform(count * width, bound)
        });
        let parameters = Parameters {
            // An input that never occurs should say nothing but what its factor says.
            weights: if factors.is_some() { vec![0.0; inputs * width] } else { uniform(inputs * width, bound) },
            bias: vec![0.2; width],
            output: uniform(shape.buckets * 2 * width, (1.0 / width as f64).sqrt()),
            output_bias: vec![0.0; shape.buckets],
        };
        let mut model = Self::new(shape, &parameters);
        if let (Some(factors), Some(of)) = (factors, model.shape.factor_of.clone()) {
            let tiles = std::mem::take(&mut model.tiles).into_iter().enumerate();
            model.tiles = tiles
                .map(|(index, tile)| tile.with_factors(of.clone(), columns(&factors, width, index * COLUMNS)))
                .collect();
        }
        model
    }

    /// A net that starts at those parameters, without a factoriser.
    fn new(shape: Shape, parameters: &Parameters) -> Self {
        let width = shape.width;
        debug_assert!(width.is_multiple_of(COLUMNS) && parameters.weights.len() == shape.inputs * width);
        let tiles = (0..width).step_by(COLUMNS).map(|from| {
            Tile::new(
                columns(&parameters.weights, width, from),
                parameters.bias[from..from + COLUMNS].to_vec(),
                columns(&parameters.output, width, from),
            )
        });
        Self {
            tiles: tiles.collect(),
            output_bias: Group::new(parameters.output_bias.clone()),
            steps: 0,
            outputs: Vec::new(),
            slopes: Vec::new(),
            shape,
        }
    }

    /// Goes on from a trained net: its weights become the inputs' own, the factors start at nothing.
    pub fn from_parameters(shape: Shape, parameters: &Parameters) -> Self {
        let mut model = Self::new(shape, parameters);
        if let Some(of) = model.shape.factor_of.clone() {
            let count = of.iter().max().map_or(0, |&last| usize::from(last) + 1);
            let tiles = std::mem::take(&mut model.tiles).into_iter();
            model.tiles = tiles.map(|tile| tile.with_factors(of.clone(), vec![0.0; count * COLUMNS])).collect();
        }
        model
    }

    /// A net of zeros.
    pub fn zero(shape: Shape) -> Self {
        let Shape { inputs, width, buckets, .. } = shape;
        let parameters = Parameters {
            weights: vec![0.0; inputs * width],
            bias: vec![0.0; width],
            output: vec![0.0; buckets * 2 * width],
            output_bias: vec![0.0; buckets],
        };
        Self::from_parameters(shape, &parameters)
    }

    /// Its sizes.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The parameters as they act.
    pub fn parameters(&self) -> Parameters {
        let Shape { inputs, width, buckets, .. } = self.shape;
        let join = |rows: usize, part: fn(&Tile) -> &[f32]| -> Vec<f32> {
            let mut joined = Vec::with_capacity(rows * width);
            for row in 0..rows {
                for tile in &self.tiles {
                    joined.extend_from_slice(&part(tile)[row * COLUMNS..][..COLUMNS]);
                }
            }
            joined
        };
        Parameters {
            weights: join(inputs, Tile::weights),
            bias: join(1, Tile::bias),
            output: join(2 * buckets, Tile::output),
            output_bias: self.output_bias.value.clone(),
        }
    }

    /// Everything that training changes, always in the same order.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.tiles.iter().flat_map(Tile::groups).chain([&self.output_bias])
    }

    /// Puts all of it back: the number of steps taken, and a closure that fills one group after another in the order
    /// of [`Model::groups`].
    pub fn restore<E>(&mut self, steps: u64, mut fill: impl FnMut(&mut Group) -> Result<(), E>) -> Result<(), E> {
        self.steps = steps;
        for tile in &mut self.tiles {
            tile.groups_mut().try_for_each(&mut fill)?;
            tile.merge(LIMIT);
        }
        fill(&mut self.output_bias)
    }

    /// From now on the output weights are rounded to what the engine calculates with, and the other weights learn to make
    /// up for it: rounding them in the end would do more harm than rounding all the others.
    pub fn freeze_output(&mut self) {
        self.tiles.iter_mut().for_each(|tile| tile.freeze_output(1.0 / QB as f32));
    }

    /// The outputs of a block, before the sigmoid. Runs on the threads of the rayon pool it is called in.
    pub fn forward(&mut self, block: &Block) -> &[f32] {
        self.tiles.par_iter_mut().for_each(|tile| tile.forward(block));
        self.outputs.clear();
        for sample in 0..block.len() {
            let bias = self.output_bias.value[block.bucket(sample)];
            // Always the same order, whatever the threads did.
            self.outputs.push(self.tiles.iter().fold(bias, |sum, tile| sum + tile.sums()[sample]));
        }
        &self.outputs
    }

    /// Calls `visit` with number, output and target of some samples. Runs on the threads of the rayon pool it is called
    /// in.
    pub fn for_each_output(
        &mut self,
        samples: &Samples,
        picked: &[u32],
        recipe: &Recipe,
        mut visit: impl FnMut(u32, f32, f32),
    ) {
        let mut batch = Batch::default();
        for picked in picked.chunks(64 * BLOCK) {
            batch.fill(samples, picked, recipe);
            for (block, picked) in batch.blocks().iter().zip(picked.chunks(BLOCK)) {
                let outputs = self.forward(block);
                for ((&index, &output), &target) in picked.iter().zip(outputs).zip(&block.targets) {
                    visit(index, output, target);
                }
            }
        }
    }

    /// Adds a block's gradients; the sum of its squared errors.
    fn learn_block(&mut self, block: &Block) -> f64 {
        self.forward(block);
        self.slopes.clear();
        let mut loss = 0.0;
        for (sample, (&output, &target)) in self.outputs.iter().zip(&block.targets).enumerate() {
            let share = sigmoid(output);
            let error = share - target;
            loss += f64::from(error * error);
            let slope = 2.0 * error * share * (1.0 - share);
            self.slopes.push(slope);
            self.output_bias.gradient[block.bucket(sample)] += slope;
        }
        let slopes = &self.slopes;
        self.tiles.par_iter_mut().for_each(|tile| tile.backward(block, slopes));
        loss
    }

    /// Takes one step on a batch; the mean squared error before it. Runs on the threads of the rayon pool it is
    /// called in.
    pub fn learn(&mut self, batch: &Batch, rate: f32, decay: Decay) -> f64 {
        let loss: f64 = batch.blocks().iter().map(|block| self.learn_block(block)).sum();
        let count = batch.blocks().iter().map(Block::len).sum::<usize>().max(1);
        self.steps += 1;
        let age = self.steps.min(1 << 20) as i32;
        let step = Step {
            rate,
            decay: rate * decay.weight,
            scale: 1.0 / count as f32,
            correction: [BETA1, BETA2].map(|beta| (1.0 / (1.0 - f64::from(beta).powi(age))) as f32),
            limit: LIMIT,
        };
        self.tiles.par_iter_mut().for_each(|tile| tile.update(step));
        self.output_bias.update(step);
        loss / count as f64
    }
}
