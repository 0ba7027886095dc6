//! The arithmetic in plain Rust, for every processor.

use super::{Kernel, Rows};

pub(super) static PORTABLE: Kernel =
    Kernel { name: "portable", available: || true, update, screlu, clip, pair, affine };

/// Accumulators worked on at once.
const TILE: usize = 32;

/// # Safety
/// As the caller in [`Kernel::update`] promises: `width` numbers at `out` and `base`, and at every row.
unsafe fn update(out: *mut i16, base: *const i16, width: usize, weights: *const i16, rows: Rows) {
    for column in (0..width).step_by(TILE) {
        // SAFETY: `width` is a multiple of the tile, so whole tiles lie within what the caller promises.
        let tile = |row: u32| unsafe { &*weights.add(row as usize * width + column).cast::<[i16; TILE]>() };
        // SAFETY: the same.
        let mut sums = unsafe { *base.add(column).cast::<[i16; TILE]>() };
        for &row in rows.add {
            sums.iter_mut().zip(tile(row)).for_each(|(sum, weight)| *sum = sum.wrapping_add(*weight));
        }
        for &row in rows.sub {
            sums.iter_mut().zip(tile(row)).for_each(|(sum, weight)| *sum = sum.wrapping_sub(*weight));
        }
        // SAFETY: the same.
        unsafe { *out.add(column).cast() = sums };
    }
}

/// # Safety
/// `width` numbers at both places.
unsafe fn screlu(values: *const i16, weights: *const i16, width: usize) -> i64 {
    // SAFETY: promised by the caller.
    let (values, weights) =
        unsafe { (std::slice::from_raw_parts(values, width), std::slice::from_raw_parts(weights, width)) };
    let chunks = values.chunks(TILE).zip(weights.chunks(TILE));
    let product = |(value, weight): (&i16, &i16)| {
        let value = i32::from((*value).clamp(0, 255));
        value * value * i32::from(*weight)
    };
    chunks.map(|(values, weights)| i64::from(values.iter().zip(weights).map(product).sum::<i32>())).sum()
}

/// # Safety
/// `width` numbers at both places.
unsafe fn clip(values: *const i16, out: *mut u8, width: usize) {
    // SAFETY: promised by the caller.
    let (values, out) =
        unsafe { (std::slice::from_raw_parts(values, width), std::slice::from_raw_parts_mut(out, width)) };
    out.iter_mut().zip(values).for_each(|(out, value)| *out = (*value).clamp(0, 127) as u8);
}

/// # Safety
/// `width` numbers at all three places.
unsafe fn pair(first: *const i16, second: *const i16, out: *mut u8, width: usize) {
    // SAFETY: promised by the caller.
    let (first, second, out) = unsafe {
        (
            std::slice::from_raw_parts(first, width),
            std::slice::from_raw_parts(second, width),
            std::slice::from_raw_parts_mut(out, width),
        )
    };
    for ((out, first), second) in out.iter_mut().zip(first).zip(second) {
        let product = i32::from((*first).clamp(0, 254)) * i32::from((*second).clamp(0, 254));
        *out = (product >> 9) as u8;
    }
}

/// # Safety
/// `length` bytes at `input`, `length * outputs` at `weights`, `outputs` numbers at `out`.
unsafe fn affine(input: *const u8, length: usize, weights: *const i8, out: *mut i32, outputs: usize) {
    // SAFETY: promised by the caller.
    let (input, weights, out) = unsafe {
        (
            std::slice::from_raw_parts(input, length),
            std::slice::from_raw_parts(weights, length * outputs),
            std::slice::from_raw_parts_mut(out, outputs),
        )
    };
    for (out, row) in out.iter_mut().zip(weights.chunks_exact(length)) {
        let product = |(input, weight): (&u8, &i8)| i32::from(*input) * i32::from(*weight);
        *out = out.wrapping_add(input.iter().zip(row).map(product).sum());
    }
}
