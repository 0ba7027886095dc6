//! The inputs of networks that engines share, numbered by BonaPiece: first the hands (each piece held has a number of its
//! own), then the pieces on the board, the side's own and the enemy's by turns.

use std::marker::PhantomData;

use crate::board::{Color, Kind, Piece, Square};
use crate::game::Position;
use crate::nnue::feature::{Feature, FeatureSet, InputTable, NO_INPUT, PIECES, SET, View, hand_features};
use crate::shogi::{Rules, ShogiPosition};

/// BonaPieces of pieces other than kings; 0 stands for the pieces that a handicap leaves out.
const PIECE_END: usize = 1548;

/// First BonaPiece of each kind in the side's own and the enemy's hand, by kind index.
const HAND: [[u16; 2]; 7] = [[1, 20], [39, 44], [49, 54], [59, 64], [79, 82], [85, 88], [69, 74]];
/// First BonaPiece on the board.
const BOARD: usize = 90;

/// Place of each kind among the blocks of the board, two blocks a place.
const fn board_place(kind: Kind) -> usize {
    match kind {
        Kind::Pawn => 0,
        Kind::Lance => 1,
        Kind::Knight => 2,
        Kind::Silver => 3,
        Kind::Gold | Kind::ProPawn | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => 4,
        Kind::Bishop => 5,
        Kind::Horse => 6,
        Kind::Rook => 7,
        Kind::Dragon => 8,
        Kind::King => 9,
    }
}

/// The kings of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kings {
    /// Are no inputs.
    None,
    /// Come after the pieces, the side's own one first.
    Two,
    /// Share the numbers after the pieces.
    Shared,
}

const fn table(kings: Kings) -> InputTable {
    let mut table = [[NO_INPUT; Feature::COUNT]; 4];
    let mut side = 0;
    while side < 4 {
        let view = View::of_side(side);
        let mut player = 0;
        while player < 2 {
            let color = Color::ALL[player];
            let enemy = (player != view.color.index()) as usize;
            let mut kind = 0;
            while kind < Kind::COUNT {
                let kind_there = Kind::from_index(kind);
                let base = match (kind_there, kings) {
                    (Kind::King, Kings::None) => None,
                    (Kind::King, Kings::Two) => Some(PIECE_END + enemy * Square::COUNT),
                    (Kind::King, Kings::Shared) => Some(PIECE_END),
                    _ => Some(BOARD + (2 * board_place(kind_there) + enemy) * Square::COUNT),
                };
                let mut square = 0;
                while square < Square::COUNT {
                    let place = Square::from_index(square);
                    let feature = Feature::piece(Piece::new(color, kind_there), place);
                    if let Some(base) = base {
                        table[side][feature.index()] = (base + view.square(place).index()) as u16;
                    }
                    square += 1;
                }
                kind += 1;
            }
            let mut kind = 0;
            while kind < Kind::HAND.len() {
                let mut nth = 0;
                while nth < SET[kind] as u32 {
                    let feature = Feature::held(color, Kind::HAND[kind], nth);
                    table[side][feature.index()] = HAND[kind][enemy] + nth as u16;
                    nth += 1;
                }
                kind += 1;
            }
            player += 1;
        }
        let mut nth = 0;
        while nth < PIECES {
            table[side][Feature::absent(nth).index()] = 0;
            nth += 1;
        }
        side += 1;
    }
    table
}

/// How a set of inputs is made up.
pub(super) trait Numbering: Copy + Send + Sync + 'static {
    /// The inputs of a group.
    const TABLE: &'static InputTable;
    /// Inputs of a group.
    const STRIDE: usize;
    /// Groups: by the square of the own king, or one.
    const GROUPS: usize;
    /// Whether the board is mirrored when the own king stands on files 6 to 9.
    const MIRRORS: bool;
    /// All inputs.
    const INPUTS: usize = Self::STRIDE * Self::GROUPS;
}

static WITHOUT_KINGS: InputTable = table(Kings::None);
static WITH_KINGS: InputTable = table(Kings::Two);
static WITH_SHARED_KINGS: InputTable = table(Kings::Shared);

/// Pieces by the square of the own king.
#[derive(Clone, Copy)]
pub(super) struct HalfKp;

impl Numbering for HalfKp {
    const TABLE: &'static InputTable = &WITHOUT_KINGS;
    const STRIDE: usize = PIECE_END;
    const GROUPS: usize = 81;
    const MIRRORS: bool = false;
}

/// The same, mirrored: 45 squares of the king.
#[derive(Clone, Copy)]
pub(super) struct HalfKpMirrored;

impl Numbering for HalfKpMirrored {
    const TABLE: &'static InputTable = &WITHOUT_KINGS;
    const STRIDE: usize = PIECE_END;
    const GROUPS: usize = 45;
    const MIRRORS: bool = true;
}

/// Pieces and kings, each by itself.
#[derive(Clone, Copy)]
pub(super) struct KingPiece;

impl Numbering for KingPiece {
    const TABLE: &'static InputTable = &WITH_KINGS;
    const STRIDE: usize = PIECE_END + 2 * Square::COUNT;
    const GROUPS: usize = 1;
    const MIRRORS: bool = false;
}

/// Pieces and both kings by the square of the own king, mirrored.
#[derive(Clone, Copy)]
pub(super) struct HalfKa;

impl Numbering for HalfKa {
    const TABLE: &'static InputTable = &WITH_SHARED_KINGS;
    const STRIDE: usize = PIECE_END + Square::COUNT;
    const GROUPS: usize = 45;
    const MIRRORS: bool = true;
}

/// A set of inputs in a game of the shogi family.
#[derive(Clone, Copy)]
pub(super) struct SharedInputs<R, N>(PhantomData<(R, N)>);

impl<R: Rules, N: Numbering> FeatureSet for SharedInputs<R, N> {
    type Position = ShogiPosition<R>;
    const TABLE: &'static InputTable = N::TABLE;
    const STRIDE: usize = N::STRIDE;
    const GROUPS: usize = N::GROUPS;
    type Extras = [u16; 0];

    fn view(position: &Self::Position, color: Color) -> View {
        // These networks know no position without a king (a mating problem's): it is thought of as at home.
        let home = Square::from_index(44);
        let seen = |king: Square| if color == Color::Black { king } else { king.rotate() };
        let king = position.king(color).map_or(home, seen);
        let mirrored = N::MIRRORS && king.file() > 5;
        let king = if mirrored { king.mirror() } else { king };
        View { color, mirrored, group: if N::GROUPS > 1 { king.index() as u8 } else { 0 } }
    }

    fn features(position: &Self::Position, mut visit: impl FnMut(Feature)) {
        let mut pieces = 0;
        for square in position.occupied() {
            if let Some(piece) = position.piece_on(square) {
                pieces += usize::from(piece.kind() != Kind::King);
                visit(Feature::piece(piece, square));
            }
        }
        hand_features(position, |feature| {
            pieces += 1;
            visit(feature);
        });
        (0..PIECES.saturating_sub(pieces)).for_each(|nth| visit(Feature::absent(nth)));
    }
}
