//! One game as bytes.

use crate::board::{Color, Move};
use crate::game::Reason;

/// A move of a game and what the search thought of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move (half-move in flanking).
    pub m: Move,
    /// Score in points for the side that makes it; `None` for a move of the opening.
    pub score: Option<i16>,
}

impl Ply {
    /// A move with the score of a search; larger ones than can be stored are cut down.
    pub fn new(m: Move, score: i32) -> Self {
        Self { m, score: Some(score.clamp(-i32::from(i16::MAX), i16::MAX.into()) as i16) }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The scores of both sides agreed for long enough.
    Adjudicated,
    /// By the rules.
    Rules(Reason),
}

/// What the numbers of endings mean, from 1 on.
const REASONS: [Reason; 8] = [
    Reason::Checkmate,
    Reason::NoLegalMove,
    Reason::KingFlanked,
    Reason::Goal,
    Reason::Repetition,
    Reason::PerpetualCheck,
    Reason::MoveLimit,
    Reason::Declaration,
];

impl Ending {
    /// A word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Adjudicated => "adjudication",
            Self::Rules(reason) => reason.name(),
        }
    }

    fn code(self) -> u8 {
        match self {
            Self::Adjudicated => 0,
            Self::Rules(reason) => REASONS.iter().position(|&known| known == reason).map_or(u8::MAX, |at| at as u8 + 1),
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Adjudicated),
            _ => Some(Self::Rules(*REASONS.get(usize::from(code) - 1)?)),
        }
    }
}

/// A game that was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Seed of the run.
    pub seed: u64,
    /// Number of the game within the run.
    pub number: u32,
    /// The start position as SFEN, empty for the usual one; at most 255 bytes.
    pub start: String,
    /// All moves.
    pub plies: Vec<Ply>,
    /// The winner, `None` for a draw.
    pub winner: Option<Color>,
    /// How it ended.
    pub ending: Ending,
    /// Whether it was to be played to its end, whatever the scores.
    pub played_out: bool,
}

/// Begins every record, so that the next one can be found behind damage.
pub(super) const MARKER: [u8; 4] = [0xc5, b'G', b'A', b'M'];

/// Stands for no score.
const NO_SCORE: i16 = i16::MIN;

/// Bytes of a record before the start position.
const FIXED: usize = 26;

impl GameRecord {
    /// Number of plies with a score.
    pub fn positions(&self) -> usize {
        self.plies.iter().filter(|ply| ply.score.is_some()).count()
    }

    /// The record; `None` if the game is too long or started too wordily for the format.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let plies = u16::try_from(self.plies.len()).ok()?;
        let start = u8::try_from(self.start.len()).ok()?;
        let mut bytes = Vec::with_capacity(FIXED + self.start.len() + 4 * self.plies.len());
        bytes.extend(MARKER);
        bytes.extend([0; 4]);
        bytes.extend(self.seed.to_le_bytes());
        bytes.extend(self.number.to_le_bytes());
        bytes.extend(plies.to_le_bytes());
        bytes.push(match self.winner {
            None => 0,
            Some(Color::Black) => 1,
            Some(Color::White) => 2,
        });
        bytes.extend([self.ending.code(), u8::from(self.played_out), start]);
        bytes.extend(self.start.bytes());
        for ply in &self.plies {
            bytes.extend(ply.m.to_bits().to_le_bytes());
            bytes.extend(ply.score.unwrap_or(NO_SCORE).to_le_bytes());
        }
        let sum = crc32fast::hash(&bytes[8..]);
        bytes[4..8].copy_from_slice(&sum.to_le_bytes());
        Some(bytes)
    }

    /// Reads the record that the bytes begin with, and its length.
    pub fn from_bytes(bytes: &[u8]) -> Option<(Self, usize)> {
        let fixed = bytes.first_chunk::<FIXED>()?;
        if !fixed.starts_with(&MARKER) {
            return None;
        }
        let u16_at = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
        let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
        let start = FIXED + usize::from(fixed[25]);
        let size = start + 4 * usize::from(u16_at(20));
        let body = bytes.get(8..size)?;
        if crc32fast::hash(body) != u32_at(4) {
            return None;
        }
        let read = |ply: &[u8]| {
            let m = Move::from_bits(u16::from_le_bytes([ply[0], ply[1]]));
            let score = i16::from_le_bytes([ply[2], ply[3]]);
            m.is_some().then_some(Ply { m, score: (score != NO_SCORE).then_some(score) })
        };
        let record = Self {
            seed: u64::from(u32_at(8)) | u64::from(u32_at(12)) << 32,
            number: u32_at(16),
            start: std::str::from_utf8(&bytes[FIXED..start]).ok()?.to_owned(),
            plies: bytes[start..size].chunks_exact(4).map(read).collect::<Option<_>>()?,
            winner: match fixed[22] {
                0 => None,
                1 => Some(Color::Black),
                2 => Some(Color::White),
                _ => return None,
            },
            ending: Ending::from_code(fixed[23])?,
            played_out: fixed[24] & 1 != 0,
        };
        Some((record, size))
    }
}
