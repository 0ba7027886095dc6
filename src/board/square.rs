//! Squares of the 9x9 board.

use std::fmt;

use super::Color;

/// A square, numbered file by file: `(file - 1) * 9 + (rank - 1)`, so 1a is 0, 1i is 8 and 9i is 80.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

impl Square {
    /// Number of squares.
    pub const COUNT: usize = 81;

    /// The square with this number.
    ///
    /// # Panics
    /// If `index` is 81 or more.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        assert!(index < Self::COUNT);
        Self(index as u8)
    }

    /// The square with this number, which the caller knows to be below 81.
    #[inline]
    pub(crate) const fn from_raw(index: u8) -> Self {
        debug_assert!((index as usize) < Self::COUNT);
        Self(index)
    }

    /// The square on `file` 1..=9 and `rank` 1..=9 (rank a is 1), or `None` off the board.
    #[inline]
    pub const fn new(file: i8, rank: i8) -> Option<Self> {
        if file >= 1 && file <= 9 && rank >= 1 && rank <= 9 {
            Some(Self(((file - 1) * 9 + rank - 1) as u8))
        } else {
            None
        }
    }

    /// 0..81, see the type.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// File 1..=9, counted from the right as in shogi.
    #[inline]
    pub const fn file(self) -> i8 {
        (self.0 / 9) as i8 + 1
    }

    /// Rank 1..=9, a to i.
    #[inline]
    pub const fn rank(self) -> i8 {
        (self.0 % 9) as i8 + 1
    }

    /// Rank as `color` sees it: 1 is the far edge, 9 the own one.
    #[inline]
    pub const fn relative_rank(self, color: Color) -> i8 {
        match color {
            Color::Black => self.rank(),
            Color::White => 10 - self.rank(),
        }
    }

    /// The square seen from the other side of the board.
    #[inline]
    pub const fn rotate(self) -> Self {
        Self(80 - self.0)
    }

    /// The square with files 1 and 9, 2 and 8 … exchanged.
    #[inline]
    pub const fn mirror(self) -> Self {
        Self((8 - self.0 / 9) * 9 + self.0 % 9)
    }

    /// Steps a king needs from here to `other`.
    #[inline]
    pub const fn distance(self, other: Self) -> u8 {
        let files = self.file().abs_diff(other.file());
        let ranks = self.rank().abs_diff(other.rank());
        if files > ranks { files } else { ranks }
    }

    /// Every square, in number order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// Reads the two bytes of a USI square such as `7g`.
    pub const fn from_usi(file: u8, rank: u8) -> Option<Self> {
        if file >= b'1' && file <= b'9' && rank >= b'a' && rank <= b'i' {
            Self::new((file - b'0') as i8, (rank - b'a') as i8 + 1)
        } else {
            None
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file(), (b'a' + self.rank() as u8 - 1) as char)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
