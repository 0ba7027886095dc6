//! From floats to the numbers the engine calculates with, and back.

use serde::Serialize;
use thiserror::Error;

use super::batch::Recipe;
use super::model::{LIMIT, Model, Parameters, Shape};
use super::samples::{Sample, Samples};
use crate::nnue::file::{self, FileError, Header, QA, QB};

/// Largest difference that rounding should make, as a share of the range of the scores.
pub const TOLERANCE: f64 = 0.01;

/// Why a net cannot be exported or started from.
#[derive(Clone, PartialEq, Debug, Error)]
#[allow(missing_docs)]
pub enum ExportError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the net has {found} and the run wants {wanted}")]
    Shape { found: String, wanted: String },
}

fn round(x: f32, unit: i32) -> i32 {
    (x * unit as f32).round() as i32
}

/// Rounds a net to what the engine calculates with.
pub fn quantise(parameters: &Parameters, header: Header) -> Result<file::Parameters, ExportError> {
    let narrow = |unit: i32| {
        let limit = (LIMIT * unit as f32) as i32;
        move |&x: &f32| round(x, unit).clamp(-limit, limit) as i16
    };
    let quantised = file::Parameters {
        header,
        feature_weights: parameters.weights.iter().map(narrow(QA)).collect(),
        feature_bias: parameters.bias.iter().map(narrow(QA)).collect(),
        output_weights: parameters.output.iter().map(narrow(QB)).collect(),
        output_bias: parameters.output_bias.iter().map(|&x| round(x, QA * QB)).collect(),
    };
    quantised.check()?;
    Ok(quantised)
}

/// The floats of a rounded net, to go on training from. Where the run has another scale, in points, the outputs change so
/// that the scores stay what they were.
pub fn dequantise(net: &file::Parameters, shape: &Shape, scale: u16) -> Result<Parameters, ExportError> {
    let describe =
        |inputs: usize, width: usize, buckets: usize| format!("{inputs} inputs, width {width} and {buckets} buckets");
    let found = describe(net.header.inputs(), net.header.width, net.header.buckets);
    let wanted = describe(shape.inputs, shape.width, shape.buckets);
    if found != wanted {
        return Err(ExportError::Shape { found, wanted });
    }
    let ratio = f32::from(net.header.scale) / f32::from(scale.max(1));
    let widen = |list: &[i16], unit: i32| list.iter().map(|&x| f32::from(x) / unit as f32).collect();
    let mut output: Vec<f32> = widen(&net.output_weights, QB);
    output.iter_mut().for_each(|x| *x = (*x * ratio).clamp(-LIMIT, LIMIT));
    Ok(Parameters {
        weights: widen(&net.feature_weights, QA),
        bias: widen(&net.feature_bias, QA),
        output,
        output_bias: net.output_bias.iter().map(|&x| x as f32 / (QA * QB) as f32 * ratio).collect(),
    })
}

/// The accumulators of a side.
fn accumulate(net: &file::Parameters, features: &[u16]) -> Vec<i16> {
    let width = net.header.width;
    let mut accumulators = net.feature_bias.clone();
    for &feature in features {
        let row = &net.feature_weights[usize::from(feature) * width..][..width];
        for (accumulator, &weight) in accumulators.iter_mut().zip(row) {
            *accumulator = accumulator.wrapping_add(weight);
        }
    }
    accumulators
}

/// The value of a position in points for the side to move, calculated as the file format says.
pub fn value(net: &file::Parameters, sample: &Sample) -> i32 {
    let width = net.header.width;
    let output = &net.output_weights[usize::from(sample.bucket) * 2 * width..][..2 * width];
    let mut sum = 0i64;
    for (features, weights) in [sample.own, sample.enemy].into_iter().zip(output.chunks_exact(width)) {
        for (accumulator, &weight) in accumulate(net, features).into_iter().zip(weights) {
            let clamped = i64::from(accumulator).clamp(0, i64::from(QA));
            sum += clamped * clamped * i64::from(weight);
        }
    }
    let (qa, qb) = (i64::from(QA), i64::from(QB));
    let bias = i64::from(net.output_bias[usize::from(sample.bucket)]);
    ((sum / qa + bias) * i64::from(net.header.scale) / (qa * qb)).clamp(-20_000, 20_000) as i32
}

/// What rounding the weights changed, in points.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Difference {
    /// Positions compared.
    pub positions: usize,
    /// Between the lowest and the highest score in floats, but at least from minus to plus the scale: a net that says
    /// nearly the same of everything has no range of its own.
    pub range: f64,
    /// Mean size of the difference.
    pub mean: f64,
    /// Its largest size.
    pub largest: f64,
}

impl Difference {
    /// Compares the scores of some positions in floats and rounded.
    pub fn measure(model: &mut Model, net: &file::Parameters, samples: &Samples, recipe: &Recipe) -> Self {
        let scale = f64::from(net.header.scale);
        let (mut low, mut high, mut sum, mut largest) = (-scale, scale, 0.0, 0.0f64);
        let picked: Vec<u32> = (0..samples.len() as u32).collect();
        model.for_each_output(samples, &picked, recipe, |index, output, _| {
            let float = f64::from(output) * scale;
            let difference = (float - f64::from(value(net, &samples.get(index as usize)))).abs();
            (low, high) = (low.min(float), high.max(float));
            sum += difference;
            largest = largest.max(difference);
        });
        let count = samples.len();
        Self { positions: count, range: high - low, mean: sum / count.max(1) as f64, largest }
    }

    /// Whether it is within [`TOLERANCE`] everywhere. Beyond, a net has learnt too little for its scores to spread, or
    /// from too few positions of some bucket.
    pub fn is_small(&self) -> bool {
        self.largest <= self.range * TOLERANCE
    }
}

/// Positions of a bucket that its output weights are refined on.
const REFINED: usize = 4096;
/// How often each of them is looked at.
const SWEEPS: usize = 4;

/// Makes good for what rounding did: moves each output weight by whole units to where the squared difference from the
/// scores in floats is least on some positions, one after another, and then the bias. Where a bucket has too few positions
/// to tell the weights apart, the bias alone.
pub fn refine(net: &mut file::Parameters, model: &mut Model, samples: &Samples, recipe: &Recipe) {
    let mut of_bucket = vec![Vec::new(); net.header.buckets];
    let picked: Vec<u32> = (0..samples.len() as u32).collect();
    model.for_each_output(samples, &picked, recipe, |index, output, _| {
        let list: &mut Vec<(u32, f32)> = &mut of_bucket[usize::from(samples.get(index as usize).bucket)];
        if list.len() < REFINED {
            list.push((index, output));
        }
    });
    for (bucket, list) in of_bucket.iter().enumerate() {
        refine_bucket(net, bucket, list, samples);
    }
}

fn refine_bucket(net: &mut file::Parameters, bucket: usize, list: &[(u32, f32)], samples: &Samples) {
    let columns = 2 * net.header.width;
    if list.is_empty() {
        return;
    }
    let unit = 1.0 / QB as f32;
    let bias_unit = unit / QA as f32;
    let weights = bucket * columns..(bucket + 1) * columns;
    // A row for each column of the net: what it holds in each position.
    let mut activations = vec![0.0; columns * list.len()];
    let mut rest = Vec::with_capacity(list.len());
    for (position, &(index, output)) in list.iter().enumerate() {
        let mut sum = net.output_bias[bucket] as f32 * bias_unit;
        let sample = samples.get(index as usize);
        let both = [sample.own, sample.enemy].map(|features| accumulate(net, features)).concat();
        for (column, (accumulator, &weight)) in both.into_iter().zip(&net.output_weights[weights.clone()]).enumerate() {
            let activation = (f32::from(accumulator).clamp(0.0, QA as f32) / QA as f32).powi(2);
            activations[column * list.len() + position] = activation;
            sum += activation * f32::from(weight) * unit;
        }
        rest.push(output - sum);
    }
    let sweeps = if list.len() < 4 * columns { 0 } else { SWEEPS };
    for _ in 0..sweeps {
        for (weight, column) in net.output_weights[weights.clone()].iter_mut().zip(activations.chunks_exact(list.len()))
        {
            let dot: f32 = column.iter().zip(&rest).map(|(a, r)| a * r).sum();
            let square: f32 = column.iter().map(|a| a * a).sum();
            let limit = i32::from(file::MAX_OUTPUT_WEIGHT);
            let moved = i32::from(*weight) + (dot / square.max(f32::MIN_POSITIVE) / unit).round() as i32;
            let moved = moved.clamp(-limit, limit) as i16;
            let change = f32::from(moved - *weight) * unit;
            if change != 0.0 {
                *weight = moved;
                rest.iter_mut().zip(column).for_each(|(r, a)| *r -= a * change);
            }
        }
    }
    let mean = rest.iter().sum::<f32>() / list.len() as f32;
    net.output_bias[bucket] += (mean / bias_unit).round() as i32;
}
