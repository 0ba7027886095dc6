//! The arithmetic written once over whatever vectors a processor has.
//!
//! Everything here is inlined into functions that are compiled for the processor in question.

// Unused where there is no vector kernel.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code, unused_macros))]

use super::Rows;

/// A processor's vectors. A vector holds numbers of 16 bits, or of 32 or 8 where it is said.
///
/// # Safety
/// All functions need a processor that has these vectors; loads and stores need a vector's worth of valid memory, of
/// whatever alignment.
pub(super) trait Simd {
    /// A vector.
    type V: Copy;
    /// Numbers of 16 bits in it; divides 32.
    const LANES: usize;

    unsafe fn load(from: *const i16) -> Self::V;
    unsafe fn store(to: *mut i16, v: Self::V);
    unsafe fn zero() -> Self::V;
    /// Wrapping.
    unsafe fn add(a: Self::V, b: Self::V) -> Self::V;
    /// Wrapping.
    unsafe fn sub(a: Self::V, b: Self::V) -> Self::V;
    /// Clamped to 0..=255.
    unsafe fn clamp_255(v: Self::V) -> Self::V;
    /// Clamped to 0..=254.
    unsafe fn clamp_254(v: Self::V) -> Self::V;
    /// The lower 16 bits of the products, logically shifted right by 9.
    unsafe fn product_shifted(a: Self::V, b: Self::V) -> Self::V;
    /// Adds `value * value * weight` to sums of 32 bits, one for two neighbours, given that `value * weight` fits.
    unsafe fn add_squares(sums: Self::V, values: Self::V, weights: Self::V) -> Self::V;
    /// Adds the products of unsigned bytes up to 127 with signed ones to sums of 32 bits.
    unsafe fn add_products(sums: Self::V, unsigned: *const u8, signed: *const i8) -> Self::V;
    /// The sum of numbers of 32 bits.
    unsafe fn total(sums: Self::V) -> i64;
    /// Stores the numbers of two vectors as bytes, in order, clamped to 0..=127.
    unsafe fn store_bytes(to: *mut u8, low: Self::V, high: Self::V);
}

/// Adds and takes away rows on `N` vectors from `column` on, kept in registers all the while.
///
/// # Safety
/// As [`super::Kernel::update`] has it, for the columns in question.
#[inline(always)]
unsafe fn tile<S: Simd, const N: usize>(
    out: *mut i16,
    base: *const i16,
    width: usize,
    weights: *const i16,
    rows: Rows,
    column: usize,
) {
    // SAFETY: promised by the caller.
    unsafe {
        let mut sums = [S::zero(); N];
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = S::load(base.add(column + i * S::LANES));
        }
        for &row in rows.add {
            let row = weights.add(row as usize * width + column);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = S::add(*sum, S::load(row.add(i * S::LANES)));
            }
        }
        for &row in rows.sub {
            let row = weights.add(row as usize * width + column);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = S::sub(*sum, S::load(row.add(i * S::LANES)));
            }
        }
        for (i, sum) in sums.iter().enumerate() {
            S::store(out.add(column + i * S::LANES), *sum);
        }
    }
}

/// # Safety
/// The processor has the vectors; `width` numbers, a multiple of 32, at `out` and `base` and at every row.
#[inline(always)]
pub(super) unsafe fn update<S: Simd>(out: *mut i16, base: *const i16, width: usize, weights: *const i16, rows: Rows) {
    let mut column = 0;
    // SAFETY: tiles stay below `width`.
    unsafe {
        while column + 8 * S::LANES <= width {
            tile::<S, 8>(out, base, width, weights, rows, column);
            column += 8 * S::LANES;
        }
        while column + 2 * S::LANES <= width {
            tile::<S, 2>(out, base, width, weights, rows, column);
            column += 2 * S::LANES;
        }
        if column < width {
            tile::<S, 1>(out, base, width, weights, rows, column);
        }
    }
}

/// # Safety
/// The processor has the vectors; `width` numbers, a multiple of 32 and at most 1024, at both places, the weights within
/// ±127.
#[inline(always)]
pub(super) unsafe fn screlu<S: Simd>(values: *const i16, weights: *const i16, width: usize) -> i64 {
    // SAFETY: promised by the caller. A sum of 32 bits has at most 1024 / 4 products, each at most 255² * 127.
    unsafe {
        let mut sums = S::zero();
        for column in (0..width).step_by(S::LANES) {
            let value = S::clamp_255(S::load(values.add(column)));
            sums = S::add_squares(sums, value, S::load(weights.add(column)));
        }
        S::total(sums)
    }
}

/// # Safety
/// The processor has the vectors; `width` numbers, a multiple of 32, at both places.
#[inline(always)]
pub(super) unsafe fn clip<S: Simd>(values: *const i16, out: *mut u8, width: usize) {
    let mut column = 0;
    // SAFETY: promised by the caller; where a vector holds 32 numbers, the last block is done by half.
    unsafe {
        while column + 2 * S::LANES <= width {
            S::store_bytes(out.add(column), S::load(values.add(column)), S::load(values.add(column + S::LANES)));
            column += 2 * S::LANES;
        }
        if column < width {
            let mut bytes = [0u8; 64];
            S::store_bytes(bytes.as_mut_ptr(), S::load(values.add(column)), S::zero());
            out.add(column).copy_from_nonoverlapping(bytes.as_ptr(), S::LANES);
        }
    }
}

/// # Safety
/// The processor has the vectors; `width` numbers, a multiple of 32, at all three places.
#[inline(always)]
pub(super) unsafe fn pair<S: Simd>(first: *const i16, second: *const i16, out: *mut u8, width: usize) {
    let mut column = 0;
    // SAFETY: promised by the caller; where a vector holds 32 numbers, the last block is done by half.
    unsafe {
        let product = |column| {
            let (a, b) = (S::load(first.add(column)), S::load(second.add(column)));
            S::product_shifted(S::clamp_254(a), S::clamp_254(b))
        };
        while column + 2 * S::LANES <= width {
            S::store_bytes(out.add(column), product(column), product(column + S::LANES));
            column += 2 * S::LANES;
        }
        if column < width {
            let mut bytes = [0u8; 64];
            S::store_bytes(bytes.as_mut_ptr(), product(column), S::zero());
            out.add(column).copy_from_nonoverlapping(bytes.as_ptr(), S::LANES);
        }
    }
}

/// `N` outputs from `first` on, which share the loads of the input.
///
/// # Safety
/// As [`affine`], for the outputs in question.
#[inline(always)]
unsafe fn outputs_from<S: Simd, const N: usize>(
    input: *const u8,
    length: usize,
    weights: *const i8,
    out: *mut i32,
    first: usize,
) {
    // SAFETY: promised by the caller.
    unsafe {
        let mut sums = [S::zero(); N];
        for at in (0..length).step_by(2 * S::LANES) {
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = S::add_products(*sum, input.add(at), weights.add((first + i) * length + at));
            }
        }
        for (i, sum) in sums.iter().enumerate() {
            let out = &mut *out.add(first + i);
            *out = out.wrapping_add(S::total(*sum) as i32);
        }
    }
}

/// # Safety
/// The processor has the vectors; `length` bytes, a multiple of 64, at `input`, `length * outputs` at `weights`, `outputs`
/// numbers at `out`.
#[inline(always)]
pub(super) unsafe fn affine<S: Simd>(
    input: *const u8,
    length: usize,
    weights: *const i8,
    out: *mut i32,
    outputs: usize,
) {
    let mut first = 0;
    // SAFETY: promised by the caller.
    unsafe {
        while first + 4 <= outputs {
            outputs_from::<S, 4>(input, length, weights, out, first);
            first += 4;
        }
        while first < outputs {
            outputs_from::<S, 1>(input, length, weights, out, first);
            first += 1;
        }
    }
}

/// A kernel of all that, compiled for the features of a processor.
macro_rules! kernel {
    ($(#[$doc:meta])* $constant:ident, $module:ident, $name:literal, $simd:ty, $features:literal, $available:expr) => {
        $(#[$doc])*
        pub(super) static $constant: Kernel = Kernel {
            name: $name,
            available: $available,
            update: $module::update,
            screlu: $module::screlu,
            clip: $module::clip,
            pair: $module::pair,
            affine: $module::affine,
        };

        /// The functions, which need what [`Kernel`]'s callers promise.
        #[allow(clippy::missing_safety_doc)]
        mod $module {
            use super::super::{Rows, vector};
            use super::*;

            #[target_feature(enable = $features)]
            pub(super) unsafe fn update(
                out: *mut i16,
                base: *const i16,
                width: usize,
                weights: *const i16,
                rows: Rows,
            ) {
                // SAFETY: the features are enabled; the rest is promised by the caller.
                unsafe { vector::update::<$simd>(out, base, width, weights, rows) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn screlu(values: *const i16, weights: *const i16, width: usize) -> i64 {
                // SAFETY: the features are enabled; the rest is promised by the caller.
                unsafe { vector::screlu::<$simd>(values, weights, width) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn clip(values: *const i16, out: *mut u8, width: usize) {
                // SAFETY: the features are enabled; the rest is promised by the caller.
                unsafe { vector::clip::<$simd>(values, out, width) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn pair(first: *const i16, second: *const i16, out: *mut u8, width: usize) {
                // SAFETY: the features are enabled; the rest is promised by the caller.
                unsafe { vector::pair::<$simd>(first, second, out, width) }
            }

            #[target_feature(enable = $features)]
            pub(super) unsafe fn affine(
                input: *const u8,
                length: usize,
                weights: *const i8,
                out: *mut i32,
                outputs: usize,
            ) {
                // SAFETY: the features are enabled; the rest is promised by the caller.
                unsafe { vector::affine::<$simd>(input, length, weights, out, outputs) }
            }
        }
    };
}

pub(super) use kernel;
