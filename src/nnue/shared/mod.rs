//! Networks in the format that shogi engines share (`nn.bin`): HalfKP, HalfKP_vm and K-P with three layers behind them, and
//! SFNN with its nine stacks of layers.
//!
//! | bytes | what |
//! |---|---|
//! | u32 | version, `0x7AF32F16` |
//! | u32 | hash of the whole; engines only warn when it is unusual, so it says nothing here |
//! | u32, text | length of the architecture string, and the string |
//! | u32 | hash of the transformer |
//! | i16 × width | its biases |
//! | i16 × inputs × width | its weights |
//! | u32 | hash of the layers |
//! | each layer, first to last | i32 × outputs biases, i8 × outputs × inputs (filled up to 32) weights |
//!
//! In SFNN biases and weights of the transformer are each a block of `COMPRESSED_LEB128`, a u32 length and as many bytes
//! of signed LEB128, to be doubled; the layers come nine times, each time with their hash.

mod inputs;
mod layers;
mod scorer;

use std::sync::Arc;

use thiserror::Error;

use crate::shogi::{Rules, ShogiPosition};

use super::accumulator::Transformer;
use super::file::{FileError, Reader};
use super::kernels::{Block, Kernel};
use super::network::Scorer;

use inputs::{HalfKa, HalfKp, HalfKpMirrored, KingPiece, Numbering, SharedInputs};
use layers::{Layers, Stack};
use scorer::SharedScorer;

/// The version all these files bear.
pub const VERSION: u32 = 0x7AF3_2F16;

/// Why a file is no such network.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SharedError {
    /// It ends too early, is too long, or a part is not as it should be.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another format, or no network.
    #[error("version {0:08X} is not known")]
    Version(u32),
    /// The architecture string names no features that are known.
    #[error("unknown architecture {0:?}")]
    Architecture(String),
    /// Its sizes are none that can be computed with.
    #[error("cannot compute with a width of {width} and layers of {hidden:?}")]
    Sizes {
        /// Accumulators of a side.
        width: usize,
        /// Outputs of the hidden layers.
        hidden: Vec<usize>,
    },
    /// Compressed numbers that are none.
    #[error("damaged compressed numbers")]
    Compressed,
}

/// The inputs of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Features {
    HalfKp,
    HalfKpMirrored,
    KingPiece,
    HalfKa,
}

impl Features {
    const ALL: [Self; 4] = [Self::HalfKp, Self::HalfKpMirrored, Self::KingPiece, Self::HalfKa];

    const fn inputs(self) -> usize {
        match self {
            Self::HalfKp => HalfKp::INPUTS,
            Self::HalfKpMirrored => HalfKpMirrored::INPUTS,
            Self::KingPiece => KingPiece::INPUTS,
            Self::HalfKa => HalfKa::INPUTS,
        }
    }
}

/// What the architecture string says.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Shape {
    features: Features,
    width: usize,
    /// Outputs of the hidden layers.
    hidden: [usize; 2],
}

/// Outputs of SFNN's hidden layers; the first one has one more that goes straight to the output.
const SFNN_HIDDEN: [usize; 2] = [16, 32];
/// Stacks of layers in SFNN.
const SFNN_STACKS: usize = 9;
/// Beyond these nothing is accepted.
const MAX_WIDTH: usize = 8192;
const MAX_HIDDEN: usize = 256;

impl Shape {
    /// Reads `Features=…[inputs->widthx2],Network=AffineTransform[1<-32](…` and the like.
    fn parse(architecture: &str) -> Result<Self, SharedError> {
        let unknown = || SharedError::Architecture(crate::diagram::clip(architecture));
        let (before, after) = architecture.split_once("->").ok_or_else(unknown)?;
        let inputs: usize = last_number(before).ok_or_else(unknown)?;
        let width = first_number(after).ok_or_else(unknown)?;
        let features = Features::ALL.into_iter().find(|features| features.inputs() == inputs).ok_or_else(unknown)?;
        let hidden = if features == Features::HalfKa {
            if !architecture.contains("SFNN") {
                return Err(unknown());
            }
            SFNN_HIDDEN
        } else {
            // The layers are named from the last to the first: 1<-h2, h2<-h1, h1<-2*width.
            let layers: Vec<(usize, usize)> = architecture
                .split("AffineTransform")
                .skip(1)
                .filter_map(|text| {
                    let (outputs, inputs) = text.split_once("<-")?;
                    Some((last_number(outputs)?, first_number(inputs)?))
                })
                .collect();
            match layers[..] {
                [(1, h2), (h2_too, h1), (h1_too, in_both)] if h2 == h2_too && h1 == h1_too && in_both == 2 * width => {
                    [h1, h2]
                }
                _ => return Err(unknown()),
            }
        };
        let shape = Self { features, width, hidden };
        let step = if features == Features::HalfKa { 64 } else { 32 };
        let fits = width > 0
            && width <= MAX_WIDTH
            && width.is_multiple_of(step)
            && hidden.iter().all(|outputs| (1..=MAX_HIDDEN).contains(outputs));
        if fits { Ok(shape) } else { Err(SharedError::Sizes { width, hidden: hidden.to_vec() }) }
    }
}

fn first_number(text: &str) -> Option<usize> {
    text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn last_number(text: &str) -> Option<usize> {
    text.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Such a network, ready for use and shared by all threads.
pub struct SharedNetwork {
    shape: Shape,
    transformer: Transformer,
    layers: Layers,
    /// What its outputs are divided by.
    scale: i32,
    kernel: &'static Kernel,
}

impl std::fmt::Debug for SharedNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} / {}", self.shape, self.scale)
    }
}

impl SharedNetwork {
    /// Reads a whole file. Outputs are divided by `scale` to get centipawns (`FV_SCALE`).
    pub fn from_bytes(bytes: &[u8], scale: i32) -> Result<Self, SharedError> {
        Self::with_kernel(bytes, scale, Kernel::chosen())
    }

    /// The same with a certain kernel.
    pub fn with_kernel(bytes: &[u8], scale: i32, kernel: &'static Kernel) -> Result<Self, SharedError> {
        let mut reader = Reader(bytes);
        let version = reader.u32()?;
        if version != VERSION {
            return Err(SharedError::Version(version));
        }
        reader.u32()?;
        let length = reader.u32()? as usize;
        let architecture = String::from_utf8_lossy(reader.take(length)?);
        let shape = Shape::parse(&architecture)?;
        let width = shape.width;
        reader.u32()?;
        let (transformer, layers) = if shape.features == Features::HalfKa {
            let transformer = Transformer {
                bias: compressed(&mut reader, width)?,
                weights: compressed(&mut reader, shape.features.inputs() * width)?,
            };
            let stack = |_| Stack::read(&mut reader, [width, 2 * (SFNN_HIDDEN[0] - 1)], shape.hidden);
            (transformer, Layers::Stacks((0..SFNN_STACKS).map(stack).collect::<Result<_, _>>()?))
        } else {
            let transformer = Transformer {
                bias: plain(&mut reader, width)?,
                weights: plain(&mut reader, shape.features.inputs() * width)?,
            };
            (transformer, Layers::One(Stack::read(&mut reader, [2 * width, shape.hidden[0]], shape.hidden)?))
        };
        if !reader.0.is_empty() {
            return Err(FileError::TooLong(reader.0.len()).into());
        }
        Ok(Self { shape, transformer, layers, scale: scale.max(1), kernel })
    }

    /// What it is, for people.
    pub fn describe(&self) -> String {
        let features = match self.shape.features {
            Features::HalfKp => "halfkp",
            Features::HalfKpMirrored => "halfkp_vm",
            Features::KingPiece => "k-p",
            Features::HalfKa => "sfnn halfka_hm2",
        };
        let [first, second] = self.shape.hidden;
        format!("{features} {}x2-{first}-{second}", self.shape.width)
    }

    /// A scorer of positions.
    pub fn scorer<R: Rules>(self: &Arc<Self>) -> Box<dyn Scorer<ShogiPosition<R>>> {
        let network = Arc::clone(self);
        match self.shape.features {
            Features::HalfKp => Box::new(SharedScorer::<SharedInputs<R, HalfKp>, R>::new(network)),
            Features::HalfKpMirrored => Box::new(SharedScorer::<SharedInputs<R, HalfKpMirrored>, R>::new(network)),
            Features::KingPiece => Box::new(SharedScorer::<SharedInputs<R, KingPiece>, R>::new(network)),
            Features::HalfKa => Box::new(SharedScorer::<SharedInputs<R, HalfKa>, R>::new(network)),
        }
    }
}

/// Numbers of 16 bits, a multiple of 32 of them.
fn plain(reader: &mut Reader, count: usize) -> Result<Vec<Block>, SharedError> {
    let bytes = reader.take(count.checked_mul(2).ok_or(FileError::Truncated)?)?;
    let block = |chunk: &[u8]| {
        let pairs = chunk.as_chunks::<2>().0;
        Block(std::array::from_fn(|i| pairs.get(i).map_or(0, |&pair| i16::from_le_bytes(pair))))
    };
    Ok(bytes.chunks(2 * Block::SIZE).map(block).collect())
}

/// The same in SFNN's compression, doubled.
fn compressed(reader: &mut Reader, count: usize) -> Result<Vec<Block>, SharedError> {
    const MAGIC: &[u8] = b"COMPRESSED_LEB128";
    if reader.take(MAGIC.len())? != MAGIC {
        return Err(SharedError::Compressed);
    }
    let length = reader.u32()? as usize;
    let mut bytes = reader.take(length)?;
    // Each number takes at least a byte: nothing is allocated for what cannot be there.
    if count > bytes.len() {
        return Err(SharedError::Compressed);
    }
    let mut blocks = vec![Block::ZERO; count.div_ceil(Block::SIZE)];
    for place in blocks.iter_mut().flat_map(|block| &mut block.0).take(count) {
        let number = leb128(&mut bytes).and_then(|number| number.checked_mul(2)).ok_or(SharedError::Compressed)?;
        *place = i16::try_from(number).map_err(|_| SharedError::Compressed)?;
    }
    if bytes.is_empty() { Ok(blocks) } else { Err(SharedError::Compressed) }
}

/// A signed LEB128 number of at most 32 bits.
fn leb128(bytes: &mut &[u8]) -> Option<i32> {
    let mut number = 0i64;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= i64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            let sign = if byte & 0x40 == 0 { 0 } else { -1i64 << (shift + 7) };
            return i32::try_from(number | sign).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures() {
        let classic = |features: &str, inputs: usize, width: usize, h1: usize, h2: usize, kind: &str| {
            format!(
                "Features={features}[{inputs}->{width}x2],Network=AffineTransform[1<-{h2}](ClippedReLU[{h2}](\
                 AffineTransform[{h2}<-{h1}](ClippedReLU[{h1}]({kind}[{h1}<-{}](InputSlice[{}(0:{})])))))",
                2 * width,
                2 * width,
                2 * width
            )
        };
        let text = classic("HalfKP(Friend)", 125_388, 1024, 8, 64, "AffineTransformSparseInput");
        let shape = Shape { features: Features::HalfKp, width: 1024, hidden: [8, 64] };
        assert_eq!(Shape::parse(&text), Ok(shape));
        let text = classic("K+P", 1710, 256, 32, 32, "AffineTransform");
        assert_eq!(Shape::parse(&text).map(|shape| shape.features), Ok(Features::KingPiece));
        let text = classic("HalfKP_vm(Friend)", 69_660, 256, 32, 32, "AffineTransform");
        assert_eq!(Shape::parse(&text).map(|shape| shape.features), Ok(Features::HalfKpMirrored));
        let text =
            "ModelType=SFNNWithoutPsqt;Features=HalfKA_hm2(Friend)[73305->1536x2],Network=SFNN-1536{LayerStack=9}";
        let shape = Shape { features: Features::HalfKa, width: 1536, hidden: [16, 32] };
        assert_eq!(Shape::parse(text), Ok(shape));
        for wrong in [
            String::new(),
            "->".to_owned(),
            "Features=HalfKP(Friend)[125388->256x2]".to_owned(),
            classic("HalfKPE9", 1_128_492, 256, 32, 32, "AffineTransform"),
            "Features=HalfKP(Friend)[99999999999999999999999->256x2]".to_owned(),
        ] {
            assert!(matches!(Shape::parse(&wrong), Err(SharedError::Architecture(_))), "{wrong}");
        }
        let text = classic("K+P", 1710, 200, 32, 32, "AffineTransform");
        assert!(matches!(Shape::parse(&text), Err(SharedError::Sizes { width: 200, .. })));
    }

    #[test]
    fn compressed_numbers() {
        let mut bytes: &[u8] = &[0x02, 0x7e, 0xff, 0x00, 0x80, 0x7f, 0x80, 0x80];
        assert_eq!([(); 4].map(|()| leb128(&mut bytes)), [Some(2), Some(-2), Some(127), Some(-128)]);
        assert_eq!(leb128(&mut bytes), None);
    }
}
