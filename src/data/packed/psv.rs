//! PackedSfenValue: the records that the trainers around YaneuraOu read.
//!
//! | bytes | what |
//! |---|---|
//! | 0..32 | the position, [PackedSfen](super::code) |
//! | 32..34 | score in points for the side to move (i16) |
//! | 34..36 | the best move (u16), see below |
//! | 36..38 | number of the move (u16), 1 for the first one of a game, as in SFEN |
//! | 38 | result for the side to move: 1 won, 0 drawn, -1 lost |
//! | 39 | 0 |
//!
//! A move has its target in bits 0..7. Bits 7..14 are the source or, where bit 14 is set, the kind dropped: 1 to 7 for
//! P L N S B R G. Bit 15 promotes.

use crate::board::{Kind, Move, Square};

use super::code::{self, PACKED_SFEN};
use super::{Entry, PackedError};

/// Bytes of a record.
pub const SIZE: usize = 40;

const DROP: u16 = 1 << 14;
const PROMOTION: u16 = 1 << 15;

/// The record. A number of the move that is too large for it becomes the largest one.
pub fn to_bytes(entry: &Entry) -> Result<[u8; SIZE], PackedError> {
    let side = entry.diagram.side;
    let result = entry.winner.map_or(0, |winner| if winner == side { 1i8 } else { -1 });
    let number = u16::try_from(entry.diagram.number).unwrap_or(u16::MAX);
    let mut bytes = [0; SIZE];
    bytes[..code::SIZE].copy_from_slice(&PACKED_SFEN.pack(&entry.diagram)?);
    bytes[32..34].copy_from_slice(&entry.score.to_le_bytes());
    bytes[34..36].copy_from_slice(&move_bits(entry.m).to_le_bytes());
    bytes[36..38].copy_from_slice(&number.to_le_bytes());
    bytes[38] = result.to_le_bytes()[0];
    Ok(bytes)
}

/// Reads a record. Says nothing of what the rules say, see [`Entry::position`].
pub fn from_bytes(bytes: &[u8; SIZE]) -> Result<Entry, PackedError> {
    let [.., s0, s1, m0, m1, n0, n1, result, _] = *bytes;
    let mut diagram = PACKED_SFEN.unpack(code::first(bytes))?;
    diagram.number = u32::from(u16::from_le_bytes([n0, n1])).max(1);
    let winner = match i8::from_le_bytes([result]) {
        0 => None,
        1 => Some(diagram.side),
        -1 => Some(!diagram.side),
        other => return Err(PackedError::Result(other)),
    };
    let bits = u16::from_le_bytes([m0, m1]);
    let m = move_of(bits).ok_or(PackedError::Move(bits))?;
    Ok(Entry { diagram, m, score: i16::from_le_bytes([s0, s1]), winner })
}

fn move_bits(m: Move) -> u16 {
    let to = m.to().index() as u16;
    match (m.from(), m.dropped()) {
        (Some(from), _) => to | (from.index() as u16) << 7 | if m.is_promotion() { PROMOTION } else { 0 },
        (None, kind) => to | (kind.map_or(0, Kind::index) as u16 + 1) << 7 | DROP,
    }
}

fn move_of(bits: u16) -> Option<Move> {
    let square = |number: u16| Square::all().nth(usize::from(number & 0x7f));
    let to = square(bits)?;
    if bits & DROP != 0 {
        let kind = usize::from(bits >> 7 & 0x7f).checked_sub(1).and_then(|index| Kind::HAND.get(index))?;
        return (bits & PROMOTION == 0).then(|| Move::drop(*kind, to));
    }
    let from = square(bits >> 7).filter(|&from| from != to)?;
    Some(if bits & PROMOTION == 0 { Move::new(from, to) } else { Move::promotion(from, to) })
}
