//! What all five games share: the 9x9 board, its pieces, attacks and hash keys.

pub mod attacks;
mod bitboard;
mod color;
pub mod custodial;
mod hand;
mod moves;
mod piece;
mod square;
pub mod zobrist;

pub use bitboard::{Bitboard, Direction};
pub use color::{ByColor, Color};
pub use hand::Hand;
pub use moves::{MAX_MOVES, Move, MoveList};
pub use piece::{Kind, Piece};
pub use square::Square;
