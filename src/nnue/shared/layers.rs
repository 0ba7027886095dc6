//! The layers behind the accumulators.

use crate::nnue::file::Reader;
use crate::nnue::kernels::{Bytes, Kernel};

use super::SharedError;

/// Sums with weights.
pub(super) struct Layer {
    bias: Vec<i32>,
    /// `[outputs][inputs]`, the inputs filled up to whole blocks.
    weights: Vec<Bytes>,
}

impl Layer {
    fn read(reader: &mut Reader, inputs: usize, outputs: usize) -> Result<Self, SharedError> {
        let bias = reader.i32s(outputs)?;
        let blocks = inputs.div_ceil(Bytes::SIZE);
        let mut weights = vec![Bytes::ZERO; outputs * blocks];
        for row in weights.chunks_mut(blocks) {
            let bytes = reader.take(inputs.next_multiple_of(32))?;
            for (block, bytes) in row.iter_mut().zip(bytes[..inputs].chunks(Bytes::SIZE)) {
                block.0[..bytes.len()].copy_from_slice(bytes);
            }
        }
        Ok(Self { bias, weights })
    }

    fn outputs(&self) -> usize {
        self.bias.len()
    }

    fn apply(&self, kernel: &Kernel, input: &[Bytes], out: &mut [i32]) {
        out.copy_from_slice(&self.bias);
        kernel.affine(input, &self.weights, out);
    }
}

/// The three layers of a network.
pub(super) struct Stack {
    first: Layer,
    second: Layer,
    last: Layer,
}

impl Stack {
    /// Reads their hash and them: what goes into the first and the second one, and what comes out.
    pub(super) fn read(reader: &mut Reader, inputs: [usize; 2], outputs: [usize; 2]) -> Result<Self, SharedError> {
        reader.u32()?;
        Ok(Self {
            first: Layer::read(reader, inputs[0], outputs[0])?,
            second: Layer::read(reader, inputs[1], outputs[1])?,
            last: Layer::read(reader, outputs[1], 1)?,
        })
    }
}

/// The layers of a network.
pub(super) enum Layers {
    /// Used for every position.
    One(Stack),
    /// One is chosen by where the kings stand.
    Stacks(Vec<Stack>),
}

/// Memory to compute in.
pub(super) struct Scratch {
    /// What the accumulators have become.
    pub(super) input: Vec<Bytes>,
    sums: Vec<i32>,
    hidden: Vec<Bytes>,
}

impl Scratch {
    /// For so many bytes of input and at most so many outputs of a layer.
    pub(super) fn new(input: usize, outputs: usize) -> Self {
        Self {
            input: vec![Bytes::ZERO; input.div_ceil(Bytes::SIZE)],
            sums: vec![0; outputs],
            hidden: vec![Bytes::ZERO; (2 * outputs).div_ceil(Bytes::SIZE)],
        }
    }
}

/// What stands for 1 in a layer's input, and the bits of a weight below 1.
const ONE: i32 = 127;
const WEIGHT_BITS: u32 = 6;
/// Bits that the square of a sum loses.
const SQUARE_BITS: u32 = 19;

/// A sum as the input of the next layer.
const fn clipped(sum: i32) -> u8 {
    let value = sum >> WEIGHT_BITS;
    (if value < 0 {
        0
    } else if value > ONE {
        ONE
    } else {
        value
    }) as u8
}

/// The square of a sum as the input of the next layer.
fn squared(sum: i32) -> u8 {
    ((i64::from(sum) * i64::from(sum)) >> SQUARE_BITS).min(i64::from(ONE)) as u8
}

/// Fills the input of a layer; what is left of its last block is zero.
fn fill(blocks: &mut [Bytes], values: impl Iterator<Item = u8>) -> &[Bytes] {
    let mut used = 0;
    for (i, value) in values.enumerate() {
        if i % Bytes::SIZE == 0 {
            blocks[i / Bytes::SIZE] = Bytes::ZERO;
        }
        blocks[i / Bytes::SIZE].0[i % Bytes::SIZE] = value;
        used = i / Bytes::SIZE + 1;
    }
    &blocks[..used]
}

impl Stack {
    /// Output of the layers one after the other.
    pub(super) fn plain(&self, kernel: &Kernel, scratch: &mut Scratch) -> i32 {
        let Scratch { input, sums, hidden } = scratch;
        let first = &mut sums[..self.first.outputs()];
        self.first.apply(kernel, input, first);
        let hidden_input = fill(hidden, first.iter().copied().map(clipped));
        let second = &mut sums[..self.second.outputs()];
        self.second.apply(kernel, hidden_input, second);
        self.last_of(kernel, scratch)
    }

    /// SFNN's output: the second layer takes the sums of the first and their squares, the last of which goes straight to
    /// the output.
    pub(super) fn sfnn(&self, kernel: &Kernel, scratch: &mut Scratch) -> i32 {
        let Scratch { input, sums, hidden } = scratch;
        let first = &mut sums[..self.first.outputs()];
        self.first.apply(kernel, input, first);
        let (&mut straight, first) = match first.split_last_mut() {
            Some(split) => split,
            None => return 0,
        };
        let values = first.iter().copied().map(squared).chain(first.iter().copied().map(clipped));
        let hidden_input = fill(hidden, values);
        let second = &mut sums[..self.second.outputs()];
        self.second.apply(kernel, hidden_input, second);
        self.last_of(kernel, scratch).wrapping_add(straight)
    }

    fn last_of(&self, kernel: &Kernel, scratch: &mut Scratch) -> i32 {
        let Scratch { sums, hidden, .. } = scratch;
        let second = &sums[..self.second.outputs()];
        let input = fill(hidden, second.iter().copied().map(clipped));
        let mut output = [0];
        self.last.apply(kernel, input, &mut output);
        output[0]
    }
}
