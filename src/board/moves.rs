//! Moves, the same 16 bits in all games.

use std::fmt;

use arrayvec::ArrayVec;

use super::{Kind, Square};

/// More than any position of any of the games has (593 in shogi, some more with eight-way knights).
pub const MAX_MOVES: usize = 768;

/// A list of moves without allocation.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// A move or, in flanking shogi, a half-move: target in bits 0..7, source square (or 81 plus the kind dropped) in
/// bits 7..14, promotion in bit 14.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Move(u16);

impl Move {
    /// No move; equals nothing that can be played.
    pub const NONE: Self = Self(0);
    /// The null move of the search; never played in a game.
    pub const NULL: Self = Self(1 | 1 << 7);
    const PROMOTION: u16 = 1 << 14;

    /// A move on the board.
    #[inline]
    pub const fn new(from: Square, to: Square) -> Self {
        Self((from.index() as u16) << 7 | to.index() as u16)
    }

    /// A move on the board with promotion.
    #[inline]
    pub const fn promotion(from: Square, to: Square) -> Self {
        Self(Self::new(from, to).0 | Self::PROMOTION)
    }

    /// A drop of a hand kind.
    #[inline]
    pub const fn drop(kind: Kind, to: Square) -> Self {
        debug_assert!(kind.index() < 7);
        Self(((81 + kind.index()) as u16) << 7 | to.index() as u16)
    }

    /// The bits, to be stored.
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The move with these bits if they are of a move's form, else [`Move::NONE`]. Says nothing of legality.
    #[inline]
    pub const fn from_bits(bits: u16) -> Self {
        let (from, to) = (bits >> 7 & 0x7f, bits & 0x7f);
        let drop = from >= 81;
        if bits >> 15 != 0 || to >= 81 || from >= 88 || from == to || drop && bits & Self::PROMOTION != 0 {
            return Self::NONE;
        }
        Self(bits)
    }

    /// Whether this is a move that could be played: neither [`Move::NONE`] nor [`Move::NULL`].
    #[inline]
    pub const fn is_some(self) -> bool {
        self.0 >> 7 & 0x7f != self.0 & 0x7f
    }

    /// Whether this is [`Move::NONE`] or [`Move::NULL`].
    #[inline]
    pub const fn is_none(self) -> bool {
        !self.is_some()
    }

    /// The target.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_raw((self.0 & 0x7f) as u8)
    }

    /// The source, `None` for a drop.
    #[inline]
    pub const fn from(self) -> Option<Square> {
        let from = (self.0 >> 7 & 0x7f) as u8;
        if from < 81 { Some(Square::from_raw(from)) } else { None }
    }

    /// Source square number, or 81 plus the dropped kind: 0..88, for tables by source and target.
    #[inline]
    pub const fn from_index(self) -> usize {
        (self.0 >> 7 & 0x7f) as usize
    }

    /// Whether a piece from the hand is dropped.
    #[inline]
    pub const fn is_drop(self) -> bool {
        self.0 >> 7 & 0x7f >= 81
    }

    /// The kind dropped, `None` for a move on the board.
    #[inline]
    pub const fn dropped(self) -> Option<Kind> {
        if self.is_drop() { Some(Kind::ALL[self.from_index() - 81]) } else { None }
    }

    /// Whether the piece promotes.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0 & Self::PROMOTION != 0
    }

    /// Reads `7g7f`, `8h2b+` or `P*5e`; says nothing of legality.
    pub fn from_usi(text: &str) -> Option<Self> {
        match *text.as_bytes() {
            [kind, b'*', file, rank] => {
                let kind = Kind::from_letter(kind).filter(|&kind| kind != Kind::King)?;
                Some(Self::drop(kind, Square::from_usi(file, rank)?))
            }
            [f0, r0, f1, r1, ref plus @ ..] => {
                let (from, to) = (Square::from_usi(f0, r0)?, Square::from_usi(f1, r1)?);
                match plus {
                    _ if from == to => None,
                    [] => Some(Self::new(from, to)),
                    [b'+'] => Some(Self::promotion(from, to)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str(if *self == Self::NULL { "null" } else { "none" });
        }
        match (self.from(), self.dropped()) {
            (Some(from), _) => write!(f, "{from}{}{}", self.to(), if self.is_promotion() { "+" } else { "" }),
            (None, Some(kind)) => write!(f, "{}*{}", kind.letter(), self.to()),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
