//! Pieces: a kind and an owner.

use std::fmt;
use std::num::NonZeroU8;

use super::Color;

/// What a piece is, promoted kinds included. Hasami's men are [`Kind::Pawn`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Kind {
    Pawn,
    Lance,
    Knight,
    Silver,
    Bishop,
    Rook,
    Gold,
    King,
    ProPawn,
    ProLance,
    ProKnight,
    ProSilver,
    Horse,
    Dragon,
}

impl Kind {
    /// Number of kinds.
    pub const COUNT: usize = 14;
    /// All kinds, in index order.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Pawn,
        Self::Lance,
        Self::Knight,
        Self::Silver,
        Self::Bishop,
        Self::Rook,
        Self::Gold,
        Self::King,
        Self::ProPawn,
        Self::ProLance,
        Self::ProKnight,
        Self::ProSilver,
        Self::Horse,
        Self::Dragon,
    ];
    /// The kinds that can be in hand, in index order.
    pub const HAND: [Self; 7] =
        [Self::Pawn, Self::Lance, Self::Knight, Self::Silver, Self::Bishop, Self::Rook, Self::Gold];
    /// The kinds that can be in hand, as SFEN orders them.
    pub const HAND_SFEN: [Self; 7] =
        [Self::Rook, Self::Bishop, Self::Gold, Self::Silver, Self::Knight, Self::Lance, Self::Pawn];

    /// 0..14; the hand kinds are 0..7, a promoted kind is its raw kind plus 8.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind with this index.
    ///
    /// # Panics
    /// If `index` is 14 or more.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self::ALL[index]
    }

    /// What it turns into by promotion, if it can.
    #[inline]
    pub const fn promoted(self) -> Option<Self> {
        if (self as usize) < 6 { Some(Self::ALL[self as usize + 8]) } else { None }
    }

    /// The kind without its promotion.
    #[inline]
    pub const fn unpromoted(self) -> Self {
        Self::ALL[self as usize & 7]
    }

    /// Whether it is a promoted kind.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self as u8 >= 8
    }

    /// The capital letter of the unpromoted kind, as USI and SFEN write it.
    pub const fn letter(self) -> char {
        match self.unpromoted() {
            Self::Lance => 'L',
            Self::Knight => 'N',
            Self::Silver => 'S',
            Self::Bishop => 'B',
            Self::Rook => 'R',
            Self::Gold => 'G',
            Self::King => 'K',
            _ => 'P',
        }
    }

    /// The unpromoted kind with this capital letter.
    pub const fn from_letter(letter: u8) -> Option<Self> {
        Some(match letter {
            b'P' => Self::Pawn,
            b'L' => Self::Lance,
            b'N' => Self::Knight,
            b'S' => Self::Silver,
            b'B' => Self::Bishop,
            b'R' => Self::Rook,
            b'G' => Self::Gold,
            b'K' => Self::King,
            _ => return None,
        })
    }
}

/// A piece on the board: a kind and its owner. `Option<Piece>` takes one byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Piece(NonZeroU8);

const _: () = assert!(size_of::<Option<Piece>>() == 1);

impl Piece {
    /// Size of a table indexed by [`Piece::index`].
    pub const COUNT: usize = 32;

    /// The piece of that kind and owner.
    #[inline]
    pub const fn new(color: Color, kind: Kind) -> Self {
        let code = (color as u8) << 4 | kind as u8;
        match NonZeroU8::new(code + 1) {
            Some(code) => Self(code),
            None => unreachable!(),
        }
    }

    /// 0..32: the kind's index, plus 16 for White.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0.get() as usize - 1) & 31
    }

    /// The piece of that index.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self::new(if index < 16 { Color::Black } else { Color::White }, Kind::from_index(index % 16))
    }

    /// The owner.
    #[inline]
    pub const fn color(self) -> Color {
        if self.index() < 16 { Color::Black } else { Color::White }
    }

    /// The kind.
    #[inline]
    pub const fn kind(self) -> Kind {
        Kind::ALL[self.index() & 15]
    }
}

impl fmt::Display for Piece {
    /// As SFEN writes it: `P`, `p`, `+R` …
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind();
        if kind.is_promoted() {
            f.write_str("+")?;
        }
        let letter = kind.letter();
        match self.color() {
            Color::Black => write!(f, "{letter}"),
            Color::White => write!(f, "{}", letter.to_ascii_lowercase()),
        }
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
