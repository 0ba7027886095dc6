//! Flanking's hand-crafted evaluation.

use crate::board::{Bitboard, Color, Kind, Piece, Square};
use crate::game::{Evaluator, Observer, Position};
use crate::nnue::Evaluation;
use crate::tally::Tally;

use super::{FlankingPosition, VALUE};

/// A piece in hand is worth this many percent of one on the board: it arrives anywhere, but only closes.
const HAND_PERCENT: i32 = 108;
/// Percent of the pieces one half-move from capture, for the side to move at the first and second half of its turn.
/// Little: quiescence plays these captures out.
const OUR_THREATS: [i32; 2] = [6, 3];
/// Percent of those the enemy can capture when its turn comes; more where only one half-move is left to parry.
const THEIR_THREATS: [i32; 2] = [4, 8];
/// The enemy king by the half-moves still needed, for the side to move with two and with one of them to come. The
/// search has found what wins within the turn, so that a low count is only nearly true.
const OUR_HUNT: [[i32; 5]; 2] = [[80, 80, 70, 35, 0], [80, 80, 50, 25, 0]];
/// The own king by the half-moves the enemy needs on its turn of two.
const THEIR_HUNT: [[i32; 5]; 2] = [[130, 70, 50, 20, 0], [400, 160, 110, 35, 0]];
/// A run closed at one end whose other end cannot be reached yet.
const ANCHORED: i32 = 6;
/// Each possible move.
const MOBILITY: i32 = 2;
/// The first and the second half-move to come.
const TEMPO: [i32; 2] = [35, -5];
/// A rank forwards, by kind: near the enemy there is more to close, and promotion ahead.
const ADVANCE: [i32; Kind::COUNT] = [4, 1, 5, 7, 2, 2, 5, -22, 3, 3, 3, 3, 2, 2];
/// A file nearer to the centre, by kind: near the edge a piece closes fewer runs.
const CENTER: [i32; Kind::COUNT] = [1, 0, 3, 4, 2, 1, 4, -6, 4, 4, 4, 4, 3, 2];

/// Worth of each piece on each square, Black's point of view.
static SQUARES: [[i32; Square::COUNT]; Piece::COUNT] = {
    let mut table = [[0; Square::COUNT]; Piece::COUNT];
    let mut kind = 0;
    while kind < Kind::COUNT {
        let mut index = 0;
        while index < Square::COUNT {
            let square = Square::from_index(index);
            // Ranks 1 to 4 are far enough: nothing is gained by going deeper into the enemy's camp.
            let rank = square.relative_rank(Color::Black);
            let advance = if rank < 4 { 5 } else { 9 - rank } as i32;
            let center = 4 - square.file().abs_diff(5) as i32;
            // Kings have no price, only squares.
            let material = if kind == Kind::King as usize { 0 } else { VALUE[kind] };
            let worth = material + ADVANCE[kind] * advance + CENTER[kind] * center;
            table[Piece::new(Color::Black, Kind::from_index(kind)).index()][index] = worth;
            table[Piece::new(Color::White, Kind::from_index(kind)).index()][square.rotate().index()] = -worth;
            index += 1;
        }
        kind += 1;
    }
    table
};

/// Hand-crafted evaluation: material and squares, kept incrementally; runs about to be closed, kings first of all.
#[derive(Clone)]
pub struct FlankingEval {
    material: Tally,
}

impl Observer for FlankingEval {
    #[inline]
    fn put(&mut self, piece: Piece, square: Square) {
        self.material.add(SQUARES[piece.index()][square.index()]);
    }

    #[inline]
    fn lift(&mut self, piece: Piece, square: Square) {
        self.material.add(-SQUARES[piece.index()][square.index()]);
    }

    #[inline]
    fn hand(&mut self, color: Color, kind: Kind, before: u32, after: u32) {
        let worth = VALUE[kind.index()] * HAND_PERCENT / 100 * (after as i32 - before as i32);
        self.material.add(if color == Color::Black { worth } else { -worth });
    }
}

impl Evaluator<FlankingPosition> for FlankingEval {
    fn new(_: &Evaluation) -> Self {
        Self { material: Tally::new() }
    }

    fn reset(&mut self, position: &FlankingPosition) {
        self.material.clear();
        for square in Square::all() {
            if let Some(piece) = position.piece_on(square) {
                self.put(piece, square);
            }
        }
        for color in Color::ALL {
            for kind in Kind::HAND {
                self.hand(color, kind, 0, position.hand_count(color, kind));
            }
        }
    }

    #[inline]
    fn push(&mut self) {
        self.material.push();
    }

    #[inline]
    fn pop(&mut self) {
        self.material.pop();
    }

    fn evaluate(&mut self, position: &FlankingPosition) -> i32 {
        let us = position.side_to_move();
        let half = position.step() as usize - 1;
        let material = if us == Color::Black { self.material.sum() } else { -self.material.sum() };
        let (ours, theirs) = (position.threats(us), position.threats(!us));
        let worth = |squares: Bitboard| -> i32 {
            let pieces = squares - position.kind(Kind::King);
            pieces.into_iter().map(|square| VALUE[position.kind_on(square).index()]).sum()
        };
        let score = material
            + (worth(ours.capturable) * OUR_THREATS[half] - worth(theirs.capturable) * THEIR_THREATS[half]) / 100
            + OUR_HUNT[half][ours.king as usize]
            - THEIR_HUNT[half][theirs.king as usize]
            + ANCHORED * (ours.anchored.count() as i32 - theirs.anchored.count() as i32)
            + MOBILITY * (ours.moves as i32 - theirs.moves as i32)
            + TEMPO[half];
        score.clamp(-20_000, 20_000)
    }
}
