//! What the evaluation counts: every term has a number, its weight stands at that place in [`WEIGHTS`].
//!
//! The evaluation tells a [`Sink`] how often each term occurs, for Black as a plus, for White as a minus. One sink sums
//! the weights up, the other one notes the counts, from which the weights are tuned.

use crate::board::{Kind, Square};

pub use super::weights::WEIGHTS;

/// Terms that stand one after another.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// What it is called.
    pub name: &'static str,
    /// What its terms are.
    pub meaning: &'static str,
    /// Number of the first term.
    pub first: usize,
    /// Number of terms.
    pub size: usize,
    /// Terms that belong closer together.
    pub row: usize,
    /// Terms that have a worth in common, such as that of a kind of piece.
    pub block: usize,
}

impl Group {
    const fn after(before: &Self, name: &'static str, meaning: &'static str, size: usize, row: usize) -> Self {
        Self { name, meaning, first: before.first + before.size, size, row, block: 1 }
    }

    /// Number of a term of the group.
    #[inline(always)]
    pub const fn at(&self, index: usize) -> usize {
        debug_assert!(index < self.size);
        self.first + index
    }
}

/// Files differ only in their distance from the middle one.
const HALF_BOARD: usize = 45;

/// A piece of a kind on a square, its worth included.
pub const SQUARE: Group = Group {
    name: "SQUARE",
    meaning: "a kind on a square: five files from the middle outwards, ranks from the far one",
    first: 0,
    size: Kind::COUNT * HALF_BOARD,
    row: 9,
    block: HALF_BOARD,
};
/// The first, second … piece of a kind in hand.
pub const HAND: Group =
    Group { block: 18, ..Group::after(&SQUARE, "HAND", "the first, second … piece of a kind in hand", 7 * 18, 18) };
/// Attacks near the enemy king.
pub const OFFENCE: Group = Group::after(
    &HAND,
    "OFFENCE",
    "an attack on a square at distance 1 (and 0), 2, 3, 4, more of the enemy king",
    5,
    5,
);
/// Attacks near the own king.
pub const DEFENCE: Group = Group::after(&OFFENCE, "DEFENCE", "the same of the own king", 5, 5);
/// Holes beside a king.
pub const BREACH: Group = Group::after(
    &DEFENCE,
    "BREACH",
    "0 to 8 squares beside the enemy king that we attack and only the king defends; 0, 1, 2, more pieces in hand",
    4 * 9,
    9,
);
/// Squares to flee to.
pub const ESCAPE: Group = Group::after(&BREACH, "ESCAPE", "0 to 8 squares to which the king can go", 9, 9);
/// Pieces attacked and not defended.
pub const HANGING: Group = Group::after(
    &ESCAPE,
    "HANGING",
    "a piece of a kind attacked and not defended: of the side to move, of the other",
    2 * Kind::COUNT,
    Kind::COUNT,
);
/// Pieces attacked by a pawn.
pub const CHASED: Group = Group::after(
    &HANGING,
    "CHASED",
    "a defended piece of a kind attacked by a pawn: of the side to move, of the other",
    2 * Kind::COUNT,
    Kind::COUNT,
);
/// The right to move.
pub const TEMPO: Group = Group::after(&CHASED, "TEMPO", "the right to move", 1, 1);

/// All groups.
pub const GROUPS: [&Group; 9] = [&SQUARE, &HAND, &OFFENCE, &DEFENCE, &BREACH, &ESCAPE, &HANGING, &CHASED, &TEMPO];

/// Number of terms.
pub const TERMS: usize = TEMPO.first + TEMPO.size;

/// The term of a Black piece on a square.
pub const fn square_term(kind: Kind, square: Square) -> usize {
    let file = square.file().abs_diff(5) as usize;
    SQUARE.at(kind.index() * HALF_BOARD + file * 9 + square.rank() as usize - 1)
}

/// The term of the piece of a kind in hand that is the `number`th, from 0.
#[inline]
pub const fn hand_term(kind: Kind, number: usize) -> usize {
    HAND.at(kind.index() * 18 + number)
}

/// Told what an evaluation counts.
pub trait Sink {
    /// A term occurs `count` times; negative for White.
    fn add(&mut self, term: usize, count: i32);
}

/// Sums the weights.
#[derive(Clone, Copy, Default, Debug)]
pub struct Sum(pub i32);

impl Sink for Sum {
    #[inline(always)]
    fn add(&mut self, term: usize, count: i32) {
        self.0 += WEIGHTS[term] * count;
    }
}

/// Notes the counts.
#[derive(Clone, Debug)]
pub struct Trace(pub [i32; TERMS]);

impl Sink for Trace {
    fn add(&mut self, term: usize, count: i32) {
        self.0[term] += count;
    }
}
