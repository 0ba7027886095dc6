//! Our own network files.
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `HAPPONET` |
//! | u16 | version of the format, 1 |
//! | u8 | game: 0 shogi, 1 happokei, 2 aihappokei, 3 flanking, 4 hasami |
//! | u8 | set of inputs: 4 shogi and aihappokei, 6 happokei, 7 hasami, 8 flanking; see [`super::inputs`]; 1 is 4 without what is near the king |
//! | u16 | inputs of one side |
//! | u16 | width: accumulators of one side, a multiple of 32, at most 1024 |
//! | u8 | output buckets: 1, or as many as the set of inputs has |
//! | u8 | activation: 1, the square of the accumulator clamped to 0..=255 |
//! | u16 | QA, 255: what stands for 1 in an accumulator |
//! | u16 | QB, 64: what stands for 1 in an output weight |
//! | u16 | scale: points that an output of 1 stands for, 1 to 10000 |
//! | u16 | length of the note, at most 4096 |
//! | u32 | number of escapes |
//! | note | UTF-8 text for people: where the network comes from |
//! | i16 × width | biases of the accumulators |
//! | i8 × inputs × width | their weights, the accumulators of an input side by side; -128 stands for the next escape |
//! | i16 × escapes | weights outside -127..=127, in order |
//! | i16 × buckets × 2 width | output weights, -127..=127: for the side to move, then for the other one |
//! | i32 × buckets | output biases, in units of 1 / (QA × QB) |
//! | u32 | CRC-32 (the one of zip and PNG) of everything before |
//!
//! # Value
//!
//! With the accumulators `a` of the side to move and `b` of the other one, each the sum of the bias and the weights of
//! the inputs that are on (16 bits, wrapping), and `s(x) = min(max(x, 0), 255)²`, the value in points for the side to
//! move is
//!
//! `((Σ s(a[i]) × w[i] + Σ s(b[i]) × w[width + i]) / QA + bias) × scale / (QA × QB)`,
//!
//! in integers, both divisions rounding towards zero, at last clamped to ±20000.

use thiserror::Error;

use crate::game::Variant;

use super::inputs::InputSet;

/// First bytes of a file.
pub const MAGIC: &[u8; 8] = b"HAPPONET";
/// What stands for 1 in an accumulator.
pub const QA: i32 = 255;
/// What stands for 1 in an output weight.
pub const QB: i32 = 64;
/// Largest absolute output weight: its product with an accumulator still fits into 16 bits.
pub const MAX_OUTPUT_WEIGHT: i16 = 127;
/// Widths are multiples of it.
pub const WIDTH_STEP: usize = 32;
/// Most accumulators of a side.
pub const MAX_WIDTH: usize = 1024;

const VERSION: u16 = 1;
const SCRELU: u8 = 1;
const MAX_SCALE: u16 = 10_000;
const MAX_NOTE: usize = 4096;
/// In the place of a weight: see the list of escapes.
const ESCAPE: i8 = i8::MIN;

/// Why a file or a set of parameters is no network.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum FileError {
    #[error("not a network of ours")]
    Magic,
    #[error("the file ends too early")]
    Truncated,
    #[error("{0} bytes too many")]
    TooLong(usize),
    #[error("version {0} of the format is not known")]
    Version(u16),
    #[error("game number {0} is not known")]
    Game(u8),
    #[error("input set {found} does not belong to {variant}")]
    Set { variant: Variant, found: u8 },
    #[error("{found} inputs where {variant} has {expected}")]
    Inputs { variant: Variant, found: usize, expected: usize },
    #[error("width {0} is no multiple of 32 up to 1024")]
    Width(usize),
    #[error("{found} output buckets where {variant} has {expected}")]
    Buckets { variant: Variant, found: usize, expected: usize },
    #[error("activation {0} is not known")]
    Activation(u8),
    #[error("quantised by {0} and {1}, not 255 and 64")]
    Quantisation(u16, u16),
    #[error("scale {0} is not within 1 to 10000")]
    Scale(u16),
    #[error("the note is no text of at most 4096 bytes")]
    Note,
    #[error("{listed} escapes are listed and {used} used")]
    Escapes { listed: usize, used: usize },
    #[error("output weight {0} is beyond 127")]
    OutputWeight(i16),
    #[error("{0} numbers where the shape asks for {1}")]
    Shape(usize, usize),
    #[error("the checksum is wrong")]
    Checksum,
}

/// What a network is, apart from its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The game it was made for; this decides the inputs.
    pub variant: Variant,
    /// Accumulators of one side.
    pub width: usize,
    /// Output buckets.
    pub buckets: usize,
    /// Points that an output of 1 stands for.
    pub scale: u16,
    /// Where it comes from, for people.
    pub note: String,
}

impl Header {
    /// The set of inputs.
    pub const fn set(&self) -> InputSet {
        InputSet::of(self.variant)
    }

    /// Inputs of one side.
    pub const fn inputs(&self) -> usize {
        self.set().inputs()
    }

    fn check(&self) -> Result<(), FileError> {
        if self.width == 0 || self.width > MAX_WIDTH || !self.width.is_multiple_of(WIDTH_STEP) {
            return Err(FileError::Width(self.width));
        }
        let expected = self.set().buckets();
        if self.buckets != 1 && self.buckets != expected {
            return Err(FileError::Buckets { variant: self.variant, found: self.buckets, expected });
        }
        if !(1..=MAX_SCALE).contains(&self.scale) {
            return Err(FileError::Scale(self.scale));
        }
        if self.note.len() > MAX_NOTE { Err(FileError::Note) } else { Ok(()) }
    }
}

/// A quantised network of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// What it is.
    pub header: Header,
    /// `[inputs][width]`, in units of 1 / QA.
    pub feature_weights: Vec<i16>,
    /// `[width]`, in units of 1 / QA.
    pub feature_bias: Vec<i16>,
    /// `[buckets][2 * width]`, in units of 1 / QB, within ±127; the side to move first.
    pub output_weights: Vec<i16>,
    /// `[buckets]`, in units of 1 / (QA * QB).
    pub output_bias: Vec<i32>,
}

/// The number that tells a network's file: the CRC-32 of all but its last four bytes. Our own files end in that very number;
/// over the whole of them it would be the same for all.
pub fn number(file: &[u8]) -> u32 {
    crc32fast::hash(&file[..file.len().saturating_sub(size_of::<u32>())])
}

impl Parameters {
    /// Checks that all belongs together.
    pub fn check(&self) -> Result<(), FileError> {
        let header = &self.header;
        header.check()?;
        let shape = |found: usize, expected: usize| {
            if found == expected { Ok(()) } else { Err(FileError::Shape(found, expected)) }
        };
        shape(self.feature_weights.len(), header.inputs() * header.width)?;
        shape(self.feature_bias.len(), header.width)?;
        shape(self.output_weights.len(), header.buckets * 2 * header.width)?;
        shape(self.output_bias.len(), header.buckets)?;
        let beyond = self.output_weights.iter().find(|weight| weight.unsigned_abs() > MAX_OUTPUT_WEIGHT as u16);
        beyond.map_or(Ok(()), |&weight| Err(FileError::OutputWeight(weight)))
    }

    /// The same network for another game, if it can say something about that: the games of the shogi family begin with
    /// what shogi has learnt.
    pub fn adapt(mut self, variant: Variant) -> Option<Self> {
        let (own, set, width) = (self.header.set(), InputSet::of(variant), self.header.width);
        if own != set {
            let rows: Option<Vec<&[i16]>> = (0..set.inputs())
                .map(|input| Some(&self.feature_weights[set.origin(own, input)? * width..][..width]))
                .collect();
            self.feature_weights = rows?.concat();
        }
        self.header.variant = variant;
        Some(self)
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        self.check()?;
        let header = &self.header;
        let small = |weight: i16| i8::try_from(weight).ok().filter(|&small| small != ESCAPE);
        let escapes: Vec<i16> =
            self.feature_weights.iter().copied().filter(|&weight| small(weight).is_none()).collect();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.push(game_code(header.variant));
        bytes.push(header.set().code());
        bytes.extend((header.inputs() as u16).to_le_bytes());
        bytes.extend((header.width as u16).to_le_bytes());
        bytes.extend([header.buckets as u8, SCRELU]);
        bytes.extend((QA as u16).to_le_bytes());
        bytes.extend((QB as u16).to_le_bytes());
        bytes.extend(header.scale.to_le_bytes());
        bytes.extend((header.note.len() as u16).to_le_bytes());
        bytes.extend((escapes.len() as u32).to_le_bytes());
        bytes.extend(header.note.as_bytes());
        bytes.extend(self.feature_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        bytes.extend(self.feature_weights.iter().map(|&weight| small(weight).unwrap_or(ESCAPE) as u8));
        bytes.extend(escapes.iter().flat_map(|weight| weight.to_le_bytes()));
        bytes.extend(self.output_weights.iter().flat_map(|weight| weight.to_le_bytes()));
        bytes.extend(self.output_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// Reads a whole file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let mut reader = Reader(bytes);
        if reader.take(MAGIC.len()).ok() != Some(MAGIC) {
            return Err(FileError::Magic);
        }
        let version = reader.u16()?;
        if version != VERSION {
            return Err(FileError::Version(version));
        }
        let code = reader.u8()?;
        let variant = Variant::ALL.into_iter().find(|&variant| game_code(variant) == code);
        let variant = variant.ok_or(FileError::Game(code))?;
        let set = InputSet::of(variant);
        let found = reader.u8()?;
        let expected = set.inputs_of(found).ok_or(FileError::Set { variant, found })?;
        let found = usize::from(reader.u16()?);
        if found != expected {
            return Err(FileError::Inputs { variant, found, expected });
        }
        let width = usize::from(reader.u16()?);
        let buckets = usize::from(reader.u8()?);
        let activation = reader.u8()?;
        if activation != SCRELU {
            return Err(FileError::Activation(activation));
        }
        let (qa, qb) = (reader.u16()?, reader.u16()?);
        if (i32::from(qa), i32::from(qb)) != (QA, QB) {
            return Err(FileError::Quantisation(qa, qb));
        }
        let scale = reader.u16()?;
        let note_length = usize::from(reader.u16()?);
        let listed = reader.u32()? as usize;
        let note = String::from_utf8(reader.take(note_length)?.to_vec()).map_err(|_| FileError::Note)?;
        let header = Header { variant, width, buckets, scale, note };
        header.check()?;
        let feature_bias = reader.i16s(width)?;
        let packed = reader.take(expected * width)?;
        let escapes = reader.i16s(listed)?;
        let output_weights = reader.i16s(buckets * 2 * width)?;
        let output_bias = reader.i32s(buckets)?;
        let checked = bytes.len() - reader.0.len();
        let checksum = reader.u32()?;
        if !reader.0.is_empty() {
            return Err(FileError::TooLong(reader.0.len()));
        }
        if crc32fast::hash(&bytes[..checked]) != checksum {
            return Err(FileError::Checksum);
        }
        let used = packed.iter().filter(|&&byte| byte as i8 == ESCAPE).count();
        if used != listed {
            return Err(FileError::Escapes { listed, used });
        }
        let mut escapes = escapes.into_iter();
        let unpack = |&byte: &u8| match byte as i8 {
            ESCAPE => escapes.next().unwrap_or_default(),
            weight => i16::from(weight),
        };
        let mut feature_weights: Vec<i16> = packed.iter().map(unpack).collect();
        // Inputs that the file does not know yet have no weight.
        feature_weights.resize(set.inputs() * width, 0);
        let parameters = Self { header, feature_weights, feature_bias, output_weights, output_bias };
        parameters.check()?;
        Ok(parameters)
    }
}

const fn game_code(variant: Variant) -> u8 {
    match variant {
        Variant::Shogi => 0,
        Variant::Happokei => 1,
        Variant::AiHappokei => 2,
        Variant::Flanking => 3,
        Variant::Hasami => 4,
    }
}

/// What is still to be read. Every network file is read through it.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    /// The next bytes.
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], FileError> {
        let (head, tail) = self.0.split_at_checked(length).ok_or(FileError::Truncated)?;
        self.0 = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], FileError> {
        let (head, tail) = self.0.split_first_chunk().ok_or(FileError::Truncated)?;
        self.0 = tail;
        Ok(*head)
    }

    pub(super) fn u8(&mut self) -> Result<u8, FileError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(super) fn u16(&mut self) -> Result<u16, FileError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, FileError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn i16s(&mut self, count: usize) -> Result<Vec<i16>, FileError> {
        let bytes = self.take(count.checked_mul(2).ok_or(FileError::Truncated)?)?;
        Ok(bytes.as_chunks().0.iter().map(|&pair| i16::from_le_bytes(pair)).collect())
    }

    pub(super) fn i32s(&mut self, count: usize) -> Result<Vec<i32>, FileError> {
        let bytes = self.take(count.checked_mul(4).ok_or(FileError::Truncated)?)?;
        Ok(bytes.as_chunks().0.iter().map(|&four| i32::from_le_bytes(four)).collect())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::random::Random;

    /// A network of random numbers, a few of them large.
    pub(in crate::nnue) fn random_parameters(variant: Variant, width: usize, buckets: usize, seed: u64) -> Parameters {
        let mut random = Random::new(seed);
        let mut number = |limit: i32| (random.below(2 * limit as usize + 1) as i32 - limit) as i16;
        let header = Header { variant, width, buckets, scale: 600, note: format!("random, seed {seed}") };
        let mut feature_weights: Vec<i16> = (0..header.inputs() * width).map(|_| number(60)).collect();
        feature_weights.iter_mut().step_by(97).for_each(|weight| *weight *= 3);
        Parameters {
            feature_weights,
            feature_bias: (0..width).map(|_| number(200)).collect(),
            output_weights: (0..buckets * 2 * width).map(|_| number(127)).collect(),
            output_bias: (0..buckets).map(|_| i32::from(number(10_000))).collect(),
            header,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for variant in Variant::ALL {
            for buckets in [1, InputSet::of(variant).buckets()] {
                let mut parameters = random_parameters(variant, 32, buckets, 5);
                parameters.feature_weights[3] = i16::MIN;
                parameters.feature_weights[4] = -128;
                parameters.feature_weights[5] = i16::MAX;
                let bytes = parameters.to_bytes().unwrap();
                assert_eq!(Parameters::from_bytes(&bytes).unwrap(), parameters);
            }
        }
    }

    #[test]
    fn earlier_files_lack_inputs() {
        let mut parameters = random_parameters(Variant::Shogi, 32, 1, 7);
        let (width, inputs) = (parameters.header.width, InputSet::Shogi.inputs_of(1).unwrap());
        parameters.feature_weights[inputs * width..].fill(0);
        let mut bytes = parameters.to_bytes().unwrap();
        let weights = 30 + parameters.header.note.len() + 2 * width;
        bytes.drain(weights + inputs * width..weights + InputSet::Shogi.inputs() * width);
        bytes[11] = 1;
        bytes[12..14].copy_from_slice(&(inputs as u16).to_le_bytes());
        let end = bytes.len() - 4;
        let checksum = crc32fast::hash(&bytes[..end]);
        bytes[end..].copy_from_slice(&checksum.to_le_bytes());
        assert_eq!(Parameters::from_bytes(&bytes), Ok(parameters));
    }

    #[test]
    fn wrong_files_are_refused() {
        let parameters = random_parameters(Variant::Hasami, 32, 4, 6);
        let bytes = parameters.to_bytes().unwrap();
        let mut random = Random::new(8);
        for _ in 0..300 {
            let mut wrong = bytes.clone();
            let place = random.below(wrong.len());
            wrong[place] ^= 1 << random.below(8);
            assert!(Parameters::from_bytes(&wrong).is_err(), "byte {place}");
            let short = random.below(bytes.len());
            assert!(Parameters::from_bytes(&bytes[..short]).is_err(), "{short} bytes");
        }
        let mut long = bytes.clone();
        long.push(0);
        assert_eq!(Parameters::from_bytes(&long), Err(FileError::TooLong(1)));
        let mut wrong = bytes.clone();
        wrong[8] = 2;
        assert_eq!(Parameters::from_bytes(&wrong), Err(FileError::Version(2)));
        let mut wrong = bytes.clone();
        wrong[14] = 33;
        assert_eq!(Parameters::from_bytes(&wrong), Err(FileError::Width(33)));
        let mut wrong = bytes;
        wrong[100] ^= 1;
        assert_eq!(Parameters::from_bytes(&wrong), Err(FileError::Checksum));
        assert_eq!(Parameters::from_bytes(b"nonsense"), Err(FileError::Magic));
    }

    #[test]
    fn wrong_parameters_are_not_written() {
        let good = random_parameters(Variant::Hasami, 32, 4, 6);
        let mut wrong = good.clone();
        wrong.output_weights[9] = -128;
        assert_eq!(wrong.to_bytes(), Err(FileError::OutputWeight(-128)));
        let mut wrong = good.clone();
        wrong.output_bias.pop();
        assert_eq!(wrong.to_bytes(), Err(FileError::Shape(3, 4)));
        let mut wrong = good;
        wrong.header.buckets = 8;
        assert!(matches!(wrong.to_bytes(), Err(FileError::Buckets { found: 8, expected: 4, .. })));
    }

    #[test]
    fn numbers_tell_files_apart() {
        let files = [1, 2].map(|seed| random_parameters(Variant::Shogi, 32, 1, seed).to_bytes().unwrap());
        assert_ne!(number(&files[0]), number(&files[1]));
        assert!(files.iter().all(|file| file.ends_with(&number(file).to_le_bytes())));
        assert_eq!(number(&[]), 0);
    }
}
