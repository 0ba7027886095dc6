//! The two players.

use std::ops::{Index, IndexMut, Not};

/// A player: Black (sente) moves first and towards rank a.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Color {
    /// Sente, below on diagrams, written in capitals.
    Black,
    /// Gote, above on diagrams, written in small letters.
    White,
}

impl Color {
    /// Both players, Black first.
    pub const ALL: [Self; 2] = [Self::Black, Self::White];

    /// 0 for Black, 1 for White.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The opponent; `!color` for `const` contexts.
    #[inline]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// The SFEN letter, `b` or `w`.
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'b',
            Self::White => 'w',
        }
    }
}

impl Not for Color {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        self.opponent()
    }
}

/// Two values, one a player.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ByColor<T>(pub [T; 2]);

impl<T> Index<Color> for ByColor<T> {
    type Output = T;
    #[inline]
    fn index(&self, color: Color) -> &T {
        &self.0[color.index()]
    }
}

impl<T> IndexMut<Color> for ByColor<T> {
    #[inline]
    fn index_mut(&mut self, color: Color) -> &mut T {
        &mut self.0[color.index()]
    }
}
