//! HuffmanCodedPosAndEval: the records that Apery and the engines descended from it learn from.
//!
//! | bytes | what |
//! |---|---|
//! | 0..32 | the position, [HuffmanCodedPos](super::code) |
//! | 32..34 | score in points for the side to move (i16) |
//! | 34..36 | the best move (u16), the bits of a [`Move`] |
//! | 36 | result: 0 drawn, 1 won by Black, 2 won by White |
//! | 37 | 0 |
//!
//! The number of the move is not told; who reads a position gets 1.

use crate::board::{Color, Move};

use super::code::{self, HCP};
use super::{Entry, PackedError};

/// Bytes of a record.
pub const SIZE: usize = 38;

/// The record.
pub fn to_bytes(entry: &Entry) -> Result<[u8; SIZE], PackedError> {
    let mut bytes = [0; SIZE];
    bytes[..code::SIZE].copy_from_slice(&HCP.pack(&entry.diagram)?);
    bytes[32..34].copy_from_slice(&entry.score.to_le_bytes());
    bytes[34..36].copy_from_slice(&entry.m.to_bits().to_le_bytes());
    bytes[36] = match entry.winner {
        None => 0,
        Some(Color::Black) => 1,
        Some(Color::White) => 2,
    };
    Ok(bytes)
}

/// Reads a record. Says nothing of what the rules say, see [`Entry::position`].
pub fn from_bytes(bytes: &[u8; SIZE]) -> Result<Entry, PackedError> {
    let [.., s0, s1, m0, m1, result, _] = *bytes;
    let diagram = HCP.unpack(code::first(bytes))?;
    let winner = match i8::from_le_bytes([result]) {
        0 => None,
        1 => Some(Color::Black),
        2 => Some(Color::White),
        other => return Err(PackedError::Result(other)),
    };
    let bits = u16::from_le_bytes([m0, m1]);
    let m = Move::from_bits(bits);
    if m.is_none() {
        return Err(PackedError::Move(bits));
    }
    Ok(Entry { diagram, m, score: i16::from_le_bytes([s0, s1]), winner })
}
