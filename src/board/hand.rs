//! Pieces in hand.

use super::Kind;

/// How many pieces of each kind a player holds, packed into 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
#[repr(transparent)]
pub struct Hand(u32);

/// Lowest bit of each kind's count, by kind index.
const SHIFT: [u32; 7] = [0, 6, 10, 14, 22, 25, 18];
/// Mask of each kind's count, by kind index.
const MASK: [u32; 7] = [0x1f, 7 << 6, 7 << 10, 7 << 14, 3 << 22, 3 << 25, 7 << 18];

/// The spare bits, which borrow when a count is too small.
const BORROW: u32 = 1 << 5 | 1 << 9 | 1 << 13 | 1 << 17 | 1 << 21 | 1 << 24 | 1 << 27;

impl Hand {
    /// Nothing in hand.
    pub const EMPTY: Self = Self(0);

    /// The counts packed into 32 bits, to be stored.
    #[inline]
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The hand of such bits.
    #[inline]
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// How many of `kind` are held.
    ///
    /// # Panics
    /// If `kind` is a king or promoted.
    #[inline]
    pub const fn count(self, kind: Kind) -> u32 {
        (self.0 & MASK[kind.index()]) >> SHIFT[kind.index()]
    }

    /// Whether any of `kind` is held.
    #[inline]
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & MASK[kind.index()] != 0
    }

    /// One more of `kind`. The caller keeps to the size of a set (18 pawns, 4 lances … 2 rooks).
    #[inline]
    pub const fn add(&mut self, kind: Kind) {
        self.0 += 1 << SHIFT[kind.index()];
    }

    /// One less of `kind`; there must be one.
    #[inline]
    pub const fn remove(&mut self, kind: Kind) {
        debug_assert!(self.has(kind));
        self.0 -= 1 << SHIFT[kind.index()];
    }

    /// Whether nothing is held.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there are at least as many of every kind as in `other`.
    #[inline]
    pub const fn dominates(self, other: Self) -> bool {
        (self.0 | BORROW).wrapping_sub(other.0) & BORROW == BORROW
    }

    /// Number of pieces held.
    pub fn total(self) -> u32 {
        Kind::HAND.iter().map(|&kind| self.count(kind)).sum()
    }
}
