//! Hash keys, made at compile time from a fixed seed: equal in every build and on every machine.

use super::{Color, Kind, Piece, Square};

/// Counts a hand may hold, 0..=18.
const COUNTS: usize = 19;

struct Keys {
    board: [[u64; Square::COUNT]; Piece::COUNT],
    hand: [[[u64; COUNTS]; 7]; 2],
    white: u64,
    second_step: u64,
}

/// One step of SplitMix64: the next state and its output.
const fn split_mix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ z >> 31)
}

static KEYS: Keys = {
    let mut keys =
        Keys { board: [[0; Square::COUNT]; Piece::COUNT], hand: [[[0; COUNTS]; 7]; 2], white: 0, second_step: 0 };
    let mut state = 0x0081_0005_6861_7070;
    let mut piece = 0;
    while piece < Piece::COUNT {
        let mut square = 0;
        while square < Square::COUNT {
            (state, keys.board[piece][square]) = split_mix(state);
            square += 1;
        }
        piece += 1;
    }
    let mut color = 0;
    while color < 2 {
        let mut kind = 0;
        while kind < 7 {
            // An empty hand has key 0, so that a bare board needs no hand terms.
            let mut count = 1;
            while count < COUNTS {
                (state, keys.hand[color][kind][count]) = split_mix(state);
                count += 1;
            }
            kind += 1;
        }
        color += 1;
    }
    (state, keys.white) = split_mix(state);
    (_, keys.second_step) = split_mix(state);
    keys
};

/// Key of a piece on a square.
#[inline]
pub fn piece(piece: Piece, square: Square) -> u64 {
    KEYS.board[piece.index()][square.index()]
}

/// Key of holding `count` pieces of a hand kind; 0 for none. In hasami the pawns are the captures made.
#[inline]
pub fn hand(color: Color, kind: Kind, count: u32) -> u64 {
    KEYS.hand[color.index()][kind.index()][count as usize]
}

/// Key of White being the side to move; Black's is 0.
#[inline]
pub fn white_to_move() -> u64 {
    KEYS.white
}

/// Key of the second half of a flanking turn being to move; the first one's is 0.
#[inline]
pub fn second_step() -> u64 {
    KEYS.second_step
}
