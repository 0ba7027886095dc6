//! Single positions of shogi in the formats that trainers of other engines read: [`psv`] and [`hcpe`].
//!
//! Both tell a position, the best move in it, a score and how the game ended. [`export`] makes such files of games,
//! [`import`] makes games of such files: a record becomes a game of one move, which begins at its position.
//!
//! What the formats leave open, and what is done here:
//!
//! - Scores are taken over as they are, for the side to move. Ours beyond 31000 are mates, in plies from 32000. Programs
//!   that write another number for a mate write a large one, too, and the trainer leaves out both.
//! - Handicaps: the pieces missing from the set are written as [`code`] says. A position without one of the kings is
//!   left out and counted.
//! - The formats know shogi only. The eight-way knights of happokei and aihappokei would be read as ordinary ones, so
//!   that these games are refused.
//!
//! `tests/clients/packed.py` compares both formats byte by byte with what cshogi reads and writes.

pub mod code;
mod export;
pub mod hcpe;
mod import;
pub mod psv;
#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use clap::ValueEnum;
use thiserror::Error;

use crate::board::{Color, Move};
use crate::data::file::DataError;
use crate::diagram::{Diagram, DiagramError};
use crate::game::{HouseRules, Position};
use crate::shogi::{ShogiPosition, StandardRules};

pub use export::{Exported, export};
pub use import::{Imported, import};

/// Why something is no record, or why there is none of it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PackedError {
    /// Not a position of shogi, or one without a king.
    #[error(transparent)]
    Diagram(#[from] DiagramError),
    /// The file ends within the record.
    #[error("the file ends {0} bytes into the record")]
    Cut(usize),
    /// A king beside the board.
    #[error("{0}'s king stands on square {1} of 81")]
    KingSquare(&'static str, usize),
    /// Both kings on one square.
    #[error("both kings stand on the same square")]
    KingsMeet,
    /// Bits that begin no word.
    #[error("bit {0} begins nothing that has a meaning")]
    Word(usize),
    /// Too many bits.
    #[error("the pieces take more than 256 bits")]
    Overrun,
    /// Not a whole set.
    #[error("{found} pieces of kind {kind} in play and out of it, where a set has {set}")]
    Set {
        /// Letter of the kind.
        kind: char,
        /// Number in the record.
        found: u32,
        /// Number in a set.
        set: u32,
    },
    /// Bits that are no move.
    #[error("{0:#06x} is no move")]
    Move(u16),
    /// A move that the rules do not allow.
    #[error("{0} is illegal")]
    Illegal(Move),
    /// A number that is no result.
    #[error("{0} is no result")]
    Result(i8),
}

/// One of the formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// PackedSfenValue, 40 bytes a position
    Psv,
    /// HuffmanCodedPosAndEval, 38 bytes a position
    Hcpe,
}

impl Format {
    /// The name used in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Psv => "psv",
            Self::Hcpe => "hcpe",
        }
    }

    /// Bytes of a record.
    pub const fn size(self) -> usize {
        match self {
            Self::Psv => psv::SIZE,
            Self::Hcpe => hcpe::SIZE,
        }
    }

    /// The record of a position.
    pub fn to_bytes(self, entry: &Entry) -> Result<Vec<u8>, PackedError> {
        Ok(match self {
            Self::Psv => psv::to_bytes(entry)?.to_vec(),
            Self::Hcpe => hcpe::to_bytes(entry)?.to_vec(),
        })
    }

    /// Reads the record that the bytes begin with. Says nothing of what the rules say, see [`Entry::position`].
    pub fn from_bytes(self, bytes: &[u8]) -> Result<Entry, PackedError> {
        let cut = PackedError::Cut(bytes.len());
        match self {
            Self::Psv => psv::from_bytes(bytes.first_chunk().ok_or(cut)?),
            Self::Hcpe => hcpe::from_bytes(bytes.first_chunk().ok_or(cut)?),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a record says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The position.
    pub diagram: Diagram,
    /// The best move.
    pub m: Move,
    /// Score for the side to move, in points.
    pub score: i16,
    /// Who won the game, `None` for a draw.
    pub winner: Option<Color>,
}

impl Entry {
    /// The position, if shogi has it and allows the move in it.
    pub fn position(&self) -> Result<ShogiPosition<StandardRules>, PackedError> {
        let position = ShogiPosition::from_diagram(&self.diagram, &HouseRules::default())?;
        if position.is_legal(self.m) { Ok(position) } else { Err(PackedError::Illegal(self.m)) }
    }
}

/// Makes a new file; it goes again if that fails or, as `write` says, there is nothing in it.
fn create(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<bool, DataError>) -> Result<(), DataError> {
    let failed = |error| DataError::Io(path.to_owned(), error);
    let mut file = BufWriter::new(File::create_new(path).map_err(failed)?);
    let done = write(&mut file).and_then(|any| file.flush().map(|()| any).map_err(failed));
    drop(file);
    // Half a file would be taken for a whole one.
    if !matches!(done, Ok(true)) {
        fs::remove_file(path).map_err(failed)?;
    }
    done.map(|_| ())
}
