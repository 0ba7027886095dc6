//! Sets of squares.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub};

use super::{Color, Square};

/// A set of squares: bit n is the square with number n.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(transparent)]
pub struct Bitboard(u128);

/// The eight neighbours, as steps on the board seen by Black.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Direction {
    /// Towards rank a.
    Up,
    /// Towards rank i.
    Down,
    /// Towards file 9.
    Left,
    /// Towards file 1.
    Right,
    /// Towards 9a.
    UpLeft,
    /// Towards 1a.
    UpRight,
    /// Towards 9i.
    DownLeft,
    /// Towards 1i.
    DownRight,
}

impl Direction {
    /// All eight, orthogonal ones first.
    pub const ALL: [Self; 8] =
        [Self::Up, Self::Down, Self::Left, Self::Right, Self::UpLeft, Self::UpRight, Self::DownLeft, Self::DownRight];
    /// The four along ranks and files.
    pub const ORTHOGONAL: [Self; 4] = [Self::Up, Self::Down, Self::Left, Self::Right];

    /// Change of file and rank.
    #[inline]
    pub const fn delta(self) -> (i8, i8) {
        match self {
            Self::Up => (0, -1),
            Self::Down => (0, 1),
            Self::Left => (1, 0),
            Self::Right => (-1, 0),
            Self::UpLeft => (1, -1),
            Self::UpRight => (-1, -1),
            Self::DownLeft => (1, 1),
            Self::DownRight => (-1, 1),
        }
    }

    /// The opposite direction.
    #[inline]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
            Self::UpLeft => Self::DownRight,
            Self::UpRight => Self::DownLeft,
            Self::DownLeft => Self::UpRight,
            Self::DownRight => Self::UpLeft,
        }
    }
}

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// All 81 squares.
    pub const FULL: Self = Self((1 << 81) - 1);
    /// 1a, 1i, 9a and 9i.
    pub const CORNERS: Self = Self(1 | 1 << 8 | 1 << 72 | 1 << 80);

    /// The set with these bits; bits above 80 are dropped.
    #[inline]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits & Self::FULL.0)
    }

    /// The set with these bits, which the caller knows to be on the board.
    #[inline]
    pub(crate) const fn from_raw(bits: u128) -> Self {
        debug_assert!(bits >> 81 == 0);
        Self(bits)
    }

    /// Bit n is the square with number n.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The one square.
    #[inline]
    pub const fn of(square: Square) -> Self {
        Self(1 << square.index())
    }

    /// A file, 1..=9.
    #[inline]
    pub const fn file(file: i8) -> Self {
        Self(0x1ff << ((file - 1) * 9))
    }

    /// A rank, 1..=9.
    #[inline]
    pub const fn rank(rank: i8) -> Self {
        const FIRST: u128 = 1 | 1 << 9 | 1 << 18 | 1 << 27 | 1 << 36 | 1 << 45 | 1 << 54 | 1 << 63 | 1 << 72;
        Self(FIRST << (rank - 1))
    }

    /// The `count` ranks farthest from `color`'s own edge.
    pub const fn far_ranks(color: Color, count: i8) -> Self {
        let mut set = 0;
        let mut rank = 1;
        while rank <= count {
            set |= match color {
                Color::Black => Self::rank(rank).0,
                Color::White => Self::rank(10 - rank).0,
            };
            rank += 1;
        }
        Self(set)
    }

    /// The promotion zone, and the enemy camp of the entering king rules.
    #[inline]
    pub const fn zone(color: Color) -> Self {
        const ZONE: [Bitboard; 2] = [Bitboard::far_ranks(Color::Black, 3), Bitboard::far_ranks(Color::White, 3)];
        ZONE[color.index()]
    }

    /// Whether no square is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether any square is in the set.
    #[inline]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether two or more squares are in the set.
    #[inline]
    pub const fn several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Number of squares in the set.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether `square` is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Whether the two sets share a square.
    #[inline]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The set with `square` in it.
    #[inline]
    #[must_use]
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | 1 << square.index())
    }

    /// The set without `square`.
    #[inline]
    #[must_use]
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !(1 << square.index()))
    }

    /// The square with the lowest number.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_raw(self.0.trailing_zeros() as u8)) }
    }

    /// The square with the highest number.
    #[inline]
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_raw(127 - self.0.leading_zeros() as u8)) }
    }

    /// The whole set moved one square; what leaves the board is gone.
    #[inline]
    #[must_use]
    pub const fn shift(self, direction: Direction) -> Self {
        const NOT_TOP: u128 = Bitboard::FULL.0 & !Bitboard::rank(1).0;
        const NOT_BOTTOM: u128 = Bitboard::FULL.0 & !Bitboard::rank(9).0;
        let up = self.0 & NOT_TOP;
        let down = self.0 & NOT_BOTTOM;
        Self(match direction {
            Direction::Up => up >> 1,
            Direction::Down => down << 1,
            Direction::Left => self.0 << 9 & Self::FULL.0,
            Direction::Right => self.0 >> 9,
            Direction::UpLeft => up << 8 & Self::FULL.0,
            Direction::UpRight => up >> 10,
            Direction::DownLeft => down << 10 & Self::FULL.0,
            Direction::DownRight => down >> 8,
        })
    }

    /// The whole set moved one square forwards for `color`.
    #[inline]
    #[must_use]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::Black => self.shift(Direction::Up),
            Color::White => self.shift(Direction::Down),
        }
    }

    /// Where the whole set slides to over `free` squares in one of the four orthogonal directions, the set itself left
    /// out. The slides of two pieces that stand on occupied squares never overlap.
    #[inline]
    #[must_use]
    pub const fn slide(self, direction: Direction, free: Self) -> Self {
        // Kogge-Stone fill, doubling its steps. The first square beyond an edge is never free.
        macro_rules! fill {
            ($shift:tt, $step:expr, $free:expr) => {{
                let mut open = $free;
                let mut set = self.0;
                set |= open & (set $shift $step);
                open &= open $shift $step;
                set |= open & (set $shift (2 * $step));
                open &= open $shift (2 * $step);
                set |= open & (set $shift (4 * $step));
                open &= open $shift (4 * $step);
                set |= open & (set $shift (8 * $step));
                set
            }};
        }
        let set = match direction {
            Direction::Up => fill!(>>, 1, free.0 & !Self::rank(9).0),
            Direction::Down => fill!(<<, 1, free.0 & !Self::rank(1).0),
            Direction::Left => fill!(<<, 9, free.0),
            Direction::Right => fill!(>>, 9, free.0),
            _ => panic!("slides are orthogonal"),
        };
        Self(set & !self.0)
    }

    /// Every square of the files that have a square in the set.
    #[inline]
    #[must_use]
    pub const fn fill_files(self) -> Self {
        // Adding 0xff to a file carries into its ninth bit if anything below it is set; that bit spread back
        // over the file gives the full column.
        const TOP: u128 = Bitboard::rank(9).0;
        const REST: u128 = Bitboard::FULL.0 & !TOP;
        let carry = (((self.0 & REST) + REST) | self.0) & TOP;
        Self((carry << 1).wrapping_sub(carry >> 8))
    }

    /// Whether all of the set is in `other`.
    #[inline]
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

impl BitAnd for Bitboard {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline]
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl Sub for Bitboard {
    type Output = Self;
    /// The squares of the first set that are not in the second.
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Not for Bitboard {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0 & Self::FULL.0)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;
    #[inline]
    fn into_iter(self) -> Squares {
        Squares { low: self.0 as u64, high: (self.0 >> 64) as u64 }
    }
}

/// The squares of a [`Bitboard`], lowest number first.
pub struct Squares {
    low: u64,
    high: u64,
}

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.low != 0 {
            let square = Square::from_raw(self.low.trailing_zeros() as u8);
            self.low &= self.low - 1;
            Some(square)
        } else if self.high != 0 {
            let square = Square::from_raw(self.high.trailing_zeros() as u8 + 64);
            self.high &= self.high - 1;
            Some(square)
        } else {
            None
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = (self.low.count_ones() + self.high.count_ones()) as usize;
        (count, Some(count))
    }

    #[inline]
    fn fold<B, F: FnMut(B, Square) -> B>(self, init: B, mut f: F) -> B {
        // Two plain loops: `for_each` over a set costs no test for the other half per square.
        let (mut low, mut high, mut value) = (self.low, self.high, init);
        while low != 0 {
            value = f(value, Square::from_raw(low.trailing_zeros() as u8));
            low &= low - 1;
        }
        while high != 0 {
            value = f(value, Square::from_raw(high.trailing_zeros() as u8 + 64));
            high &= high - 1;
        }
        value
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in 1..=9 {
            for file in (1..=9).rev() {
                let set = Square::new(file, rank).is_some_and(|square| self.contains(square));
                f.write_str(if set { "X" } else { "." })?;
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}
