//! Games on disk: what self-play writes and what trainers and tuners read.
//!
//! A file is a [`Header`] and then one [`GameRecord`] after another; each record stands for itself. All numbers are
//! little-endian.
//!
//! The header, 64 bytes, says under which settings all games of the file were played:
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | `happogam` |
//! | 8..10 | version of the format, 1 |
//! | 10..12 | size of the header, 64 |
//! | 12 | game: 0 shogi, 1 happokei, 2 aihappokei, 3 flanking, 4 hasami |
//! | 13 | goal of hasami: 0 capture5, 1 lead3, 2 captureall; 0 elsewhere |
//! | 14 | entering king rule, in the order of [`EnteringKingRule::ALL`](crate::game::EnteringKingRule::ALL) |
//! | 15 | 0 |
//! | 16..20 | moves (half-moves in flanking) after which a game is drawn, 0 for never |
//! | 20..24 | nodes after which a search begins no new iteration |
//! | 24..28 | nodes after which a search ends |
//! | 28..32 | CRC-32 of the executable that played |
//! | 32..40 | number that tells the network, 0 for the hand-crafted evaluation |
//! | 40..60 | version of the program, ASCII, filled up with zeros |
//! | 60..64 | CRC-32 of bytes 0..60 |
//!
//! A record:
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | `C5`, then `GAM` in ASCII |
//! | 4..8 | CRC-32 of all bytes of the record from 8 on |
//! | 8..16 | seed of the run |
//! | 16..20 | number of the game within the run: seed and number decide the game |
//! | 20..22 | plies N (half-moves in flanking), openings included |
//! | 22 | winner: 0 none, 1 Black, 2 White |
//! | 23 | how it ended: 0 adjudicated by the scores, 1 checkmate, 2 no legal move, 3 king flanked, 4 goal, 5 repetition, 6 perpetual check, 7 move limit, 8 declaration |
//! | 24 | bit 0: it was to be played to its end, whatever the scores |
//! | 25 | length L of the start position's text |
//! | 26..26+L | the start position: an SFEN, with `step=2` after it where it holds; empty for the usual one |
//! | then 4 a ply | the move (u16, see [`Move`](crate::board::Move)) and its score (i16) |
//!
//! The score is what the search said, in points for the side that makes the move; beyond 31000 it is a mate, in
//! plies from 32000. The second half-move of a turn in flanking has the score of the first, of which it is a part.
//! -32768 stands for no score: moves of the opening that were not searched for their worth.
//!
//! A reader that finds damage looks for the next record that is whole, so one bad byte costs one game. What is left
//! of a record at the end of a file was cut off while it was written; whoever goes on with the file removes it.
//!
//! [`packed`] has the formats of other trainers. Positions imported from them are games of one move, adjudicated to the
//! result that came with the position. Their headers have 0 for nodes, executable and network, which are not known, and
//! `imported` and the format for the version. The seed is the size of the file they came from times 2^32 plus its
//! CRC-32, and the number that of the record.

mod file;
mod header;
pub mod packed;
mod record;
mod replay;
mod stats;
#[cfg(test)]
mod tests;

pub use file::{DataError, EXTENSION, GameFile, Games, Merged, Stored, expand, merge};
pub use header::{Header, HeaderError};
pub use record::{Ending, GameRecord, Ply};
pub use replay::{Moment, Replay, ReplayError};
pub use stats::Stats;
