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

impl Hand {
    /// Nothing in hand.
    pub const EMPTY: Self = Self(0);

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

    /// Number of pieces held.
    pub fn total(self) -> u32 {
        Kind::HAND.iter().map(|&kind| self.count(kind)).sum()
    }
}
