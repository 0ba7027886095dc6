//! The arithmetic that takes the time, over columns of a [`Tile`](super::tile::Tile).
//!
//! Every kernel is written once, as loops over arrays of `T` floats that compile to whole vectors, and compiled twice:
//! for the processors the program is built for, and for AVX2, taken where the processor has it. No multiplication is
//! fused with an addition, so both give the same bits.

use super::batch::Block;

/// Tests may have the kernels without AVX2.
#[cfg(test)]
pub static PORTABLE: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

#[cfg(target_arch = "x86_64")]
#[inline]
fn avx2_wanted() -> bool {
    #[cfg(test)]
    if PORTABLE.load(std::sync::atomic::Ordering::Relaxed) {
        return false;
    }
    is_x86_feature_detected!("avx2")
}

/// Defines a function that runs as AVX2 code where it can.
macro_rules! kernel {
    ($(#[$meta:meta])* fn $name:ident[$($n:ident)?]($($arg:ident: $type:ty),* $(,)?) $body:block) => {
        $(#[$meta])*
        pub fn $name$(<const $n: usize>)?($($arg: $type),*) {
            #[inline(always)]
            fn portable$(<const $n: usize>)?($($arg: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2$(<const $n: usize>)?($($arg: $type),*) {
                    portable$(::<$n>)?($($arg),*)
                }
                if avx2_wanted() {
                    // SAFETY: the processor has what the function needs.
                    return unsafe { avx2$(::<$n>)?($($arg),*) };
                }
            }
            portable$(::<$n>)?($($arg),*)
        }
    };
}

/// The `T` floats of a row.
#[inline(always)]
fn row<const T: usize>(matrix: &[f32], row: usize) -> &[f32; T] {
    matrix[row * T..].first_chunk().expect("a whole row")
}

/// The same, to be written.
#[inline(always)]
fn row_mut<const T: usize>(matrix: &mut [f32], row: usize) -> &mut [f32; T] {
    matrix[row * T..].first_chunk_mut().expect("a whole row")
}

/// Cuts to 0..1. Written so that it is two instructions.
#[inline(always)]
fn clip(x: f32) -> f32 {
    let x = if x > 0.0 { x } else { 0.0 };
    if x < 1.0 { x } else { 1.0 }
}

/// Cuts to ± `limit`.
#[inline(always)]
fn cut(x: f32, limit: f32) -> f32 {
    let x = if x < limit { x } else { limit };
    if x > -limit { x } else { -limit }
}

kernel! {
    /// Accumulators of both sides of each sample (`2 * len` rows), and what these columns add to its output.
    fn forward[T](
        block: &Block,
        weights: &[f32],
        bias: &[f32],
        output: &[f32],
        accumulators: &mut [f32],
        sums: &mut [f32],
    ) {
        for (sample, sum) in sums.iter_mut().enumerate() {
            let mut lanes = [0.0; T];
            for side in 0..2 {
                let mut x = *row::<T>(bias, 0);
                for &feature in block.features(sample, side) {
                    let weight = row::<T>(weights, usize::from(feature));
                    for i in 0..T {
                        x[i] += weight[i];
                    }
                }
                let weight = row::<T>(output, block.bucket(sample) * 2 + side);
                for i in 0..T {
                    let a = clip(x[i]);
                    lanes[i] += a * a * weight[i];
                }
                *row_mut(accumulators, sample * 2 + side) = x;
            }
            let mut eight = [0.0; 8];
            for chunk in lanes.chunks_exact(8) {
                for (total, lane) in eight.iter_mut().zip(chunk) {
                    *total += lane;
                }
            }
            *sum = eight.iter().sum();
        }
    }
}

kernel! {
    /// From the slope of the loss by each output: the gradients of output weights and biases, and in place of each
    /// accumulator its own gradient.
    fn backward[T](
        block: &Block,
        slopes: &[f32],
        output: &[f32],
        accumulators: &mut [f32],
        output_gradient: &mut [f32],
        bias_gradient: &mut [f32],
    ) {
        let mut bias = *row::<T>(bias_gradient, 0);
        for (sample, &slope) in slopes.iter().enumerate() {
            for side in 0..2 {
                let index = block.bucket(sample) * 2 + side;
                let weight = row::<T>(output, index);
                let gradient = row_mut::<T>(output_gradient, index);
                let x = row_mut::<T>(accumulators, sample * 2 + side);
                for i in 0..T {
                    let a = clip(x[i]);
                    gradient[i] += a * a * slope;
                    // Clipped values pass nothing on, whichever way they would have to go.
                    let open = if x[i] < 1.0 { a } else { 0.0 };
                    x[i] = 2.0 * open * weight[i] * slope;
                    bias[i] += x[i];
                }
            }
        }
        *row_mut(bias_gradient, 0) = bias;
    }
}

kernel! {
    /// Adds up the accumulators' gradients in the row of each active feature. The block lists the accumulators by
    /// feature, so that a row is read and written once a block.
    fn scatter[T](block: &Block, accumulators: &[f32], gradient: &mut [f32]) {
        for (feature, users) in block.by_feature() {
            let sum = row_mut::<T>(gradient, feature);
            let mut x = *sum;
            for &user in users {
                let part = row::<T>(accumulators, usize::from(user));
                for i in 0..T {
                    x[i] += part[i];
                }
            }
            *sum = x;
        }
    }
}

/// What one step of AdamW needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Learning rate.
    pub rate: f32,
    /// Weight decay a step, already times the rate.
    pub decay: f32,
    /// What every gradient is multiplied with: one by the number of samples it was summed over.
    pub scale: f32,
    /// `1 / (1 - beta1^n)` and `1 / (1 - beta2^n)` at step `n`.
    pub correction: [f32; 2],
    /// Parameters stay within ± this.
    pub limit: f32,
}

/// Decay of the mean gradient.
pub const BETA1: f32 = 0.9;
/// Decay of the mean square of the gradient.
pub const BETA2: f32 = 0.999;

kernel! {
    /// One step of AdamW; the gradient is zero afterwards.
    fn adamw[](step: Step, value: &mut [f32], mean: &mut [f32], square: &mut [f32], gradient: &mut [f32]) {
        let rest = value.iter_mut().zip(mean).zip(square).zip(gradient);
        for (((value, mean), square), gradient) in rest {
            let g = *gradient * step.scale;
            *gradient = 0.0;
            *mean = BETA1 * *mean + (1.0 - BETA1) * g;
            *square = BETA2 * *square + (1.0 - BETA2) * g * g;
            let slope = *mean * step.correction[0] / ((*square * step.correction[1]).sqrt() + 1e-8);
            let next = *value - step.decay * *value - step.rate * slope;
            *value = cut(next, step.limit);
        }
    }
}

kernel! {
    /// Adds the factor's row to each row that belongs to it, and keeps the sum within ± `limit`.
    fn merge[T](factor_of: &[u16], own: &[f32], factors: &[f32], limit: f32, merged: &mut [f32]) {
        for (feature, &factor) in factor_of.iter().enumerate() {
            let (own, factor) = (row::<T>(own, feature), row::<T>(factors, usize::from(factor)));
            let merged = row_mut::<T>(merged, feature);
            for i in 0..T {
                merged[i] = cut(own[i] + factor[i], limit);
            }
        }
    }
}

kernel! {
    /// The gradient of each factor: the sum over the rows that belong to it.
    fn gather[T](factor_of: &[u16], own: &[f32], factors: &mut [f32]) {
        for (feature, &factor) in factor_of.iter().enumerate() {
            let own = row::<T>(own, feature);
            let factor = row_mut::<T>(factors, usize::from(factor));
            for i in 0..T {
                factor[i] += own[i];
            }
        }
    }
}
