//! The arithmetic of networks for the processor at hand, chosen once. All kernels give the same results.

mod portable;
mod vector;

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::fmt;
use std::sync::OnceLock;

use thiserror::Error;

/// 32 numbers of 16 bits: the unit in which accumulators and their weights are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Block(pub [i16; Block::SIZE]);

impl Block {
    /// Numbers of a block.
    pub const SIZE: usize = 32;
    /// All zero.
    pub const ZERO: Self = Self([0; Self::SIZE]);

    /// Numbers as blocks, the last one filled up with zeros.
    pub fn pack(numbers: &[i16]) -> Vec<Self> {
        let pack = |chunk: &[i16]| {
            let mut block = Self::ZERO;
            block.0[..chunk.len()].copy_from_slice(chunk);
            block
        };
        numbers.chunks(Self::SIZE).map(pack).collect()
    }
}

/// 64 bytes: the unit in which the inputs of layers (0..=127) and their weights (signed) are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Bytes(pub [u8; Bytes::SIZE]);

impl Bytes {
    /// Bytes of a block.
    pub const SIZE: usize = 64;
    /// All zero.
    pub const ZERO: Self = Self([0; Self::SIZE]);

    /// The bytes of blocks in a row.
    pub fn flatten(blocks: &mut [Self]) -> &mut [u8] {
        let length = blocks.len() * Self::SIZE;
        // SAFETY: a block is nothing but its bytes (`repr(C)`, the size a multiple of the alignment).
        unsafe { std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), length) }
    }
}

const _: () = assert!(size_of::<Bytes>() == Bytes::SIZE && size_of::<Block>() == 2 * Block::SIZE);

/// Rows to add to accumulators and rows to take away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rows<'a> {
    /// Added.
    pub add: &'a [u32],
    /// Taken away.
    pub sub: &'a [u32],
}

type UpdateFn = unsafe fn(out: *mut i16, base: *const i16, width: usize, weights: *const i16, rows: Rows);
type ScreluFn = unsafe fn(values: *const i16, weights: *const i16, width: usize) -> i64;
type ClipFn = unsafe fn(values: *const i16, out: *mut u8, width: usize);
type PairFn = unsafe fn(first: *const i16, second: *const i16, out: *mut u8, width: usize);
type AffineFn = unsafe fn(input: *const u8, length: usize, weights: *const i8, out: *mut i32, outputs: usize);

/// The arithmetic for one kind of processor.
pub struct Kernel {
    name: &'static str,
    /// Whether this processor can run it.
    available: fn() -> bool,
    update: UpdateFn,
    screlu: ScreluFn,
    clip: ClipFn,
    pair: PairFn,
    affine: AffineFn,
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// All that are compiled, the best first.
#[cfg(target_arch = "x86_64")]
static KERNELS: &[&Kernel] = &[&x86::AVX512, &x86::AVX2, &x86::SSE41, &portable::PORTABLE];
#[cfg(target_arch = "aarch64")]
static KERNELS: &[&Kernel] = &[&neon::NEON, &portable::PORTABLE];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
static KERNELS: &[&Kernel] = &[&portable::PORTABLE];

static CHOSEN: OnceLock<&Kernel> = OnceLock::new();

/// Why a kernel cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KernelError {
    /// There is none of that name here.
    #[error("no kernel {0:?} for this processor; there are {1}")]
    Unavailable(String, String),
    /// Another one is in use.
    #[error("the kernel {0} is in use already")]
    InUse(&'static str),
}

impl Kernel {
    /// Those that this processor can run, the best first.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        KERNELS.iter().copied().filter(|kernel| (kernel.available)())
    }

    /// The one in use: the best, unless another was asked for before the first use.
    pub fn chosen() -> &'static Self {
        CHOSEN.get_or_init(|| Self::all().next().unwrap_or(&portable::PORTABLE))
    }

    /// Uses the kernel of that name from now on.
    pub fn choose(name: &str) -> Result<(), KernelError> {
        let found = Self::all().find(|kernel| kernel.name == name).ok_or_else(|| {
            let names: Vec<_> = Self::all().map(|kernel| kernel.name).collect();
            KernelError::Unavailable(name.to_owned(), names.join(", "))
        })?;
        let chosen = CHOSEN.get_or_init(|| found);
        if chosen.name == found.name { Ok(()) } else { Err(KernelError::InUse(chosen.name)) }
    }

    /// What it is called.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// `out = base + rows added - rows taken away`, wrapping; without a base `out` itself is the base. Rows are counted in
    /// units of `out.len()` blocks of `weights`.
    #[inline]
    pub fn update(&self, out: &mut [Block], base: Option<&[Block]>, weights: &[Block], rows: Rows) {
        let blocks = out.len();
        let last = rows.add.iter().chain(rows.sub).max();
        assert!(last.is_none_or(|&last| (last as usize + 1) * blocks <= weights.len()));
        let target = out.as_mut_ptr().cast::<i16>();
        let base = match base {
            Some(base) => {
                assert!(base.len() == blocks);
                base.as_ptr().cast()
            }
            None => target.cast_const(),
        };
        // SAFETY: kernels are only handed out where the processor has what they need; `out` and `base` have `blocks`
        // blocks, and so has every row, as asserted.
        unsafe { (self.update)(target, base, blocks * Block::SIZE, weights.as_ptr().cast(), rows) }
    }

    /// The sum of `min(max(value, 0), 255)² * weight`. Weights are within ±127, there are at most 1024.
    #[inline]
    pub fn screlu(&self, values: &[Block], weights: &[Block]) -> i64 {
        assert!(values.len() == weights.len());
        let width = values.len() * Block::SIZE;
        // SAFETY: kernels are only handed out where the processor has what they need; both slices have `width` numbers.
        unsafe { (self.screlu)(values.as_ptr().cast(), weights.as_ptr().cast(), width) }
    }

    /// Values clamped to 0..=127, as bytes.
    #[inline]
    pub fn clip(&self, values: &[Block], out: &mut [u8]) {
        let width = values.len() * Block::SIZE;
        assert!(out.len() == width);
        // SAFETY: kernels are only handed out where the processor has what they need; both slices have `width` numbers.
        unsafe { (self.clip)(values.as_ptr().cast(), out.as_mut_ptr(), width) }
    }

    /// The products of the values of the first half with those of the second, both clamped to 0..=254, in 512ths.
    #[inline]
    pub fn pair(&self, values: &[Block], out: &mut [u8]) {
        let (first, second) = values.split_at(values.len() / 2);
        let width = first.len() * Block::SIZE;
        assert!(out.len() == width && second.len() == first.len());
        // SAFETY: kernels are only handed out where the processor has what they need; all slices have `width` numbers.
        unsafe { (self.pair)(first.as_ptr().cast(), second.as_ptr().cast(), out.as_mut_ptr(), width) }
    }

    /// Adds the products of `input` (0..=127) with the rows of `weights` (signed, each as long as `input`) to `out`.
    #[inline]
    pub fn affine(&self, input: &[Bytes], weights: &[Bytes], out: &mut [i32]) {
        assert!(weights.len() == input.len() * out.len());
        let length = input.len() * Bytes::SIZE;
        // SAFETY: kernels are only handed out where the processor has what they need; `weights` has a row of `length` bytes
        // for every output.
        unsafe {
            (self.affine)(input.as_ptr().cast(), length, weights.as_ptr().cast(), out.as_mut_ptr(), out.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn blocks(random: &mut Random, count: usize, limit: usize) -> Vec<Block> {
        let mut number = || (random.below(2 * limit + 1) as i64 - limit as i64) as i16;
        (0..count).map(|_| Block(std::array::from_fn(|_| number()))).collect()
    }

    #[test]
    fn kernels_agree() {
        let mut random = Random::new(3);
        for width in 1..=32 {
            let weights = blocks(&mut random, 10 * width, 32_767);
            let base = blocks(&mut random, width, 32_767);
            let small = blocks(&mut random, width, 300);
            let output = blocks(&mut random, width, 127);
            let input: Vec<Bytes> =
                (0..width).map(|_| Bytes(std::array::from_fn(|_| random.below(128) as u8))).collect();
            let layer: Vec<Bytes> =
                (0..7 * width).map(|_| Bytes(std::array::from_fn(|_| random.below(256) as u8))).collect();
            let rows = Rows { add: &[9, 2, 2], sub: &[0, 5, 1, 7] };
            let results: Vec<_> = Kernel::all()
                .map(|kernel| {
                    let mut fresh = vec![Block::ZERO; width];
                    kernel.update(&mut fresh, Some(&base), &weights, rows);
                    let mut placed = base.clone();
                    kernel.update(&mut placed, None, &weights, rows);
                    assert_eq!(fresh, placed, "{kernel:?}");
                    let mut clipped = vec![0; width * Block::SIZE];
                    kernel.clip(&small, &mut clipped);
                    let mut paired = vec![0; width / 2 * Block::SIZE];
                    kernel.pair(&small[..width / 2 * 2], &mut paired);
                    let mut sums = [1, -2, 3, -4, 5, -6, 7];
                    kernel.affine(&input, &layer, &mut sums);
                    (fresh, kernel.screlu(&small, &output), clipped, paired, sums)
                })
                .collect();
            assert!(results.iter().all(|result| result == &results[0]), "width {width}");
        }
    }

    #[test]
    fn extremes_do_not_overflow() {
        let values = [Block([i16::MAX; Block::SIZE]); 32];
        for weight in [127, -127] {
            let weights = [Block([weight; Block::SIZE]); 32];
            let input = [Bytes([127; Bytes::SIZE]); 32];
            let layer = [Bytes([if weight > 0 { 127 } else { 128 }; Bytes::SIZE]); 32];
            for kernel in Kernel::all() {
                assert_eq!(kernel.screlu(&values, &weights), 1024 * 255 * 255 * i64::from(weight), "{kernel:?}");
                let mut sum = [0];
                kernel.affine(&input, &layer, &mut sum);
                let expected = 2048 * 127 * if weight > 0 { 127 } else { -128 };
                assert_eq!(sum, [expected], "{kernel:?}");
            }
        }
    }

    #[test]
    fn values_are_as_documented() {
        let mut values = [Block::ZERO; 2];
        values[0].0[..4].copy_from_slice(&[-5, 100, 300, 254]);
        values[1].0[..4].copy_from_slice(&[200, 200, 255, 254]);
        for kernel in Kernel::all() {
            let mut out = [9; 64];
            kernel.clip(&values, &mut out);
            assert_eq!(out[..4], [0, 100, 127, 127]);
            assert_eq!(out[32..37], [127, 127, 127, 127, 0]);
            let mut out = [9; 32];
            kernel.pair(&values, &mut out);
            assert_eq!(out[..5], [0, 39, 126, 126, 0]);
        }
    }

    #[test]
    fn unknown_kernels_are_named() {
        let error = Kernel::choose("abacus").unwrap_err().to_string();
        assert!(error.contains("abacus") && error.contains("portable"), "{error}");
    }
}
