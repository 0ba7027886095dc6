//! What a position consists of, one feature a piece, and how each side sees it.

use crate::board::{Bitboard, Color, Kind, Piece, Square};
use crate::game::Position;

/// A piece on a square, or a place in a hand that is filled: the n-th place is filled by the n-th piece of its kind and
/// stays so while there are at least n. The same whoever looks at it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Feature(u16);

/// Where the places of each hand kind begin among the places of a hand, by kind index.
const HAND_BASE: [u16; 7] = [0, 18, 22, 26, 34, 36, 30];
/// How many pieces of each kind a set has, by kind index.
pub(super) const SET: [u16; 7] = [18, 4, 4, 4, 2, 2, 4];
/// Places of one hand.
pub const HAND_PLACES: usize = 38;
/// Features that are pieces on the board.
const BOARD: usize = Piece::COUNT * Square::COUNT;
/// Those, and the places of both hands.
const PRESENT: usize = BOARD + 2 * HAND_PLACES;
/// Pieces of a set, kings left out.
pub(super) const PIECES: usize = HAND_PLACES;

impl Feature {
    /// Size of a table indexed by [`Feature::index`].
    pub const COUNT: usize = PRESENT + PIECES;

    /// A piece on a square.
    #[inline]
    pub const fn piece(piece: Piece, square: Square) -> Self {
        Self((piece.index() * Square::COUNT + square.index()) as u16)
    }

    /// The place of a hand that the `nth` piece of a kind fills, counted from 0. Places beyond the size of a set, which
    /// no game reaches, count as the last one.
    #[inline]
    pub const fn held(color: Color, kind: Kind, nth: u32) -> Self {
        Self((BOARD + color.index() * HAND_PLACES) as u16 + hand_place(kind, nth) as u16)
    }

    /// One of the pieces of a set that a game is played without, from 0; of interest to networks that count them.
    #[inline]
    pub(super) const fn absent(nth: usize) -> Self {
        debug_assert!(nth < PIECES);
        Self((PRESENT + nth) as u16)
    }

    /// The feature with this index.
    #[inline]
    pub(super) const fn from_index(index: u16) -> Self {
        debug_assert!((index as usize) < Self::COUNT);
        Self(index)
    }

    /// 0..[`Feature::COUNT`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The piece and its square, if it is on the board.
    #[inline]
    pub(super) fn on_board(self) -> Option<(Piece, Square)> {
        let (piece, square) = (self.index() / Square::COUNT, self.index() % Square::COUNT);
        (self.index() < BOARD).then(|| (Piece::from_index(piece), Square::from_index(square)))
    }
}

/// 0..38: the place of the `nth` piece of a kind (from 0) within its hand.
pub(super) const fn hand_place(kind: Kind, nth: u32) -> usize {
    let set = SET[kind.index()];
    let nth = if nth < set as u32 { nth as u16 } else { set - 1 };
    (HAND_BASE[kind.index()] + nth) as usize
}

/// Whether a place of a hand is the first one of its kind.
pub(super) fn first_hand_place(place: usize) -> bool {
    HAND_BASE.iter().any(|&base| usize::from(base) == place)
}

/// How a side sees the board. As long as it stays the same, its inputs change only where pieces do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    /// The side that looks.
    pub color: Color,
    /// Whether files 1 and 9, 2 and 8 … are exchanged.
    pub mirrored: bool,
    /// Which of several groups of inputs is in use, by where the own king stands; 0 if that does not matter.
    pub group: u8,
}

impl View {
    /// The square as it is seen.
    #[inline]
    pub const fn square(self, square: Square) -> Square {
        let square = match self.color {
            Color::Black => square,
            Color::White => square.rotate(),
        };
        if self.mirrored { square.mirror() } else { square }
    }

    /// 0..4, by side and mirroring.
    #[inline]
    pub const fn side(self) -> usize {
        self.color.index() * 2 + self.mirrored as usize
    }

    /// The view with this [`View::side`] and group 0.
    pub(super) const fn of_side(side: usize) -> Self {
        let color = if side < 2 { Color::Black } else { Color::White };
        Self { color, mirrored: side % 2 == 1, group: 0 }
    }
}

/// The input of each feature in each [`View::side`], [`NO_INPUT`] where a feature is none.
pub type InputTable = [[u16; Feature::COUNT]; 4];

/// In an [`InputTable`]: the feature is not an input.
pub const NO_INPUT: u16 = u16::MAX;

/// Inputs that depend on more than single pieces: an array of places that each hold one, or [`NO_INPUT`]. Those of two
/// places are never the same.
pub trait Extras: Copy + PartialEq + Send + Sync + 'static {
    /// With nothing in any place.
    const EMPTY: Self;
    /// Places.
    const COUNT: usize;

    /// The places.
    fn places(&self) -> &[u16];

    /// The places to be filled.
    fn places_mut(&mut self) -> &mut [u16];
}

impl<const N: usize> Extras for [u16; N] {
    const EMPTY: Self = [NO_INPUT; N];
    const COUNT: usize = N;

    #[inline]
    fn places(&self) -> &[u16] {
        self
    }

    #[inline]
    fn places_mut(&mut self) -> &mut [u16] {
        self
    }
}

/// Fills the places of extras from the first one on.
pub(super) struct Filler<'a>(&'a mut [u16]);

impl<'a> Filler<'a> {
    pub(super) fn new(extras: &'a mut impl Extras) -> Self {
        Self(extras.places_mut())
    }

    /// Takes `places` of them for as many inputs at most.
    #[inline]
    pub(super) fn fill(&mut self, places: usize, inputs: impl IntoIterator<Item = usize>) {
        let (head, tail) = std::mem::take(&mut self.0).split_at_mut(places);
        head.iter_mut().zip(inputs).for_each(|(place, input)| *place = input as u16);
        self.0 = tail;
    }

    /// The same for squares, whose inputs are numbered as a side sees them. If there are too many, the first ones that it
    /// sees count, so that both sides see the same of a board turned round.
    #[inline]
    pub(super) fn squares(&mut self, places: usize, first: usize, squares: Bitboard, view: View) {
        let mut seen = squares;
        let mut map: fn(View, Square) -> Square = View::square;
        if squares.count() as usize > places {
            seen = squares.into_iter().fold(Bitboard::EMPTY, |set, square| set.with(view.square(square)));
            map = |_, square| square;
        }
        self.fill(places, seen.into_iter().map(|square| first + map(view, square).index()));
    }
}

/// Most extras of a side.
pub const MAX_EXTRAS: usize = 55;

/// What a kind of network sees of the positions of a game: whatever is needed to follow a position move by move.
pub trait FeatureSet: Copy + Send + Sync + 'static {
    /// The positions.
    type Position: Position;
    /// The inputs within a group of inputs, and how many there are.
    const TABLE: &'static InputTable;
    /// Inputs of a group; 0 if all groups have the same ones.
    const STRIDE: usize;
    /// Groups of inputs.
    const GROUPS: usize;
    /// Whether features may turn on a second input.
    const SECONDS: bool = false;
    /// Inputs that depend on more than single pieces; at most [`MAX_EXTRAS`].
    type Extras: Extras;

    /// How a side sees the position.
    fn view(position: &Self::Position, color: Color) -> View;

    /// Calls `visit` with every feature of the position.
    fn features(position: &Self::Position, visit: impl FnMut(Feature));

    /// The input that a feature turns on.
    #[inline]
    fn input(view: View, feature: Feature) -> Option<usize> {
        let input = Self::TABLE[view.side()][feature.index()];
        (input != NO_INPUT).then(|| view.group as usize * Self::STRIDE + input as usize)
    }

    /// Another input that it turns on.
    #[inline]
    fn second(_: View, _: Feature) -> Option<usize> {
        None
    }

    /// Calls `visit` with all inputs that a feature turns on.
    #[inline]
    fn inputs(view: View, feature: Feature, mut visit: impl FnMut(usize)) {
        if let Some(input) = Self::input(view, feature) {
            visit(input);
        }
        if Self::SECONDS
            && let Some(input) = Self::second(view, feature)
        {
            visit(input);
        }
    }

    /// Inputs that depend on more than single pieces, if there are any, in the views of Black and White.
    fn extras(_: &Self::Position, _: [View; 2]) -> [Self::Extras; 2] {
        [Self::Extras::EMPTY; 2]
    }
}

/// Visits the pieces on the board.
pub(super) fn piece_features<P: Position>(position: &P, occupied: Bitboard, mut visit: impl FnMut(Feature)) {
    for square in occupied {
        if let Some(piece) = position.piece_on(square) {
            visit(Feature::piece(piece, square));
        }
    }
}

/// Calls `visit` with the features of the hands of a position.
pub(super) fn hand_features<P: Position>(position: &P, mut visit: impl FnMut(Feature)) {
    for color in Color::ALL {
        for kind in Kind::HAND {
            for nth in 0..position.hand_count(color, kind) {
                visit(Feature::held(color, kind, nth));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_distinct() {
        let mut seen = [false; Feature::COUNT];
        let mut note = |feature: Feature| assert!(!std::mem::replace(&mut seen[feature.index()], true), "{feature:?}");
        for color in Color::ALL {
            for kind in Kind::ALL {
                Square::all().for_each(|square| note(Feature::piece(Piece::new(color, kind), square)));
            }
            for kind in Kind::HAND {
                (0..u32::from(SET[kind.index()])).for_each(|nth| note(Feature::held(color, kind, nth)));
            }
        }
        assert_eq!(SET.iter().sum::<u16>() as usize, HAND_PLACES);
    }
}
