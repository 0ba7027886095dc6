//! What a position is looked up by.

use crate::board::{ByColor, Color, Kind, Piece, Square, zobrist};
use crate::diagram::Diagram;
use crate::game::Variant;

/// A position to be looked up.
pub struct Query {
    /// The position.
    pub diagram: Diagram,
    /// Its key.
    pub key: u64,
    /// The game.
    pub variant: Variant,
}

impl Query {
    /// A query for a position of a game.
    pub fn new(mut diagram: Diagram, variant: Variant) -> Self {
        // The hands of a position that is played are what they are, even if there is nothing in them.
        diagram.hands_omitted = false;
        Self { key: key(&diagram, variant), diagram, variant }
    }

    /// The position as the other side of the board sees it.
    pub fn rotated(&self) -> Self {
        Self::new(rotated(&self.diagram), self.variant)
    }
}

/// Key of board, hands, side to move and half of the turn; whatever the move number and the order of the hands.
pub fn key(diagram: &Diagram, variant: Variant) -> u64 {
    let mut key = if diagram.side == Color::White { zobrist::white_to_move() } else { 0 };
    if diagram.step == 2 {
        key ^= zobrist::second_step();
    }
    for (square, piece) in Square::all().zip(diagram.board) {
        if let Some(piece) = piece {
            key ^= zobrist::piece(piece, square);
        }
    }
    let hands = if variant == Variant::Hasami && diagram.hands_omitted { captures(diagram) } else { diagram.hands };
    for color in Color::ALL {
        for (kind, count) in Kind::HAND.into_iter().zip(hands[color]) {
            // No set has more; diagrams that say so are refused elsewhere.
            key ^= zobrist::hand(color, kind, count.min(18));
        }
    }
    key
}

/// What hasami's sides have captured where the diagram does not say it.
fn captures(diagram: &Diagram) -> ByColor<[u32; 7]> {
    let mut hands = ByColor([[0; 7]; 2]);
    for color in Color::ALL {
        let enemies = diagram.board.iter().flatten().filter(|piece| piece.color() != color).count() as u32;
        if let Some(pawns) = hands[color].first_mut() {
            *pawns = 9_u32.saturating_sub(enemies);
        }
    }
    hands
}

/// Board turned round, colours swapped.
fn rotated(diagram: &Diagram) -> Diagram {
    let mut turned = diagram.clone();
    for (to, from) in turned.board.iter_mut().zip(diagram.board.iter().rev()) {
        *to = from.map(|piece| Piece::new(!piece.color(), piece.kind()));
    }
    turned.hands = ByColor([diagram.hands[Color::White], diagram.hands[Color::Black]]);
    turned.side = !diagram.side;
    turned
}

/// Whether both sides play by the same rules, so that a rotated position is the same with colours swapped.
pub const fn is_symmetric(variant: Variant) -> bool {
    !matches!(variant, Variant::Happokei)
}

/// Which of the move numbers that a position is listed under is meant; 0 stands for a number that is not given.
pub fn choose_ply(listed: impl Iterator<Item = u32> + Clone, wanted: u32, ignore: bool) -> Option<u32> {
    listed
        .clone()
        .find(|&ply| ply == wanted)
        .or_else(|| listed.clone().find(|&ply| ply == 0))
        .or_else(|| if ignore { listed.min() } else { None })
}
