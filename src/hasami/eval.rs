//! Hasami's hand-crafted evaluation.

use crate::board::{Bitboard, ByColor, Color, Direction, Kind, Piece, Square};
use crate::game::{Evaluator, Goal, Observer, Position};
use crate::nnue::Evaluation;
use crate::tally::Tally;

use super::chase::chase;
use super::{HasamiPosition, MEN};

/// Worth of the captures made where five win.
const CAPTURES: [i32; 5] = [0, 110, 240, 400, 600];
/// Worth of a lead in captures where three win.
const LEAD: [i32; 3] = [0, 170, 420];
/// Worth of a man more where all have to be captured, and what each man gone from the board adds to it.
const MAN: (i32, i32) = (90, 12);
/// What a man that the side to move can capture is worth to it.
const CAPTURABLE: i32 = 25;
/// What the first man in danger costs the side that is to move and can save it, and what each further one costs.
const THREATENED: (i32, i32) = (12, 50);
/// A run closed at one end whose other end cannot be reached yet.
const ANCHORED: i32 = 7;
/// Each possible move.
const MOBILITY: i32 = 1;
/// Two men side by side: a wall the enemy cannot slide through.
const BESIDE: i32 = 3;
/// Two men diagonally side by side: neither can be closed in from there.
const DIAGONAL: i32 = 6;
/// The side to move.
const TEMPO: i32 = 8;
/// Ranks from a man's own edge: men that stay at home never break a fortress.
const RANK: [i32; 9] = [0, 5, 9, 13, 15, 13, 8, 3, 0];
/// Distance of a man's file from the nearest edge.
const FILE: [i32; 5] = [0, 2, 3, 4, 5];

/// Worth of a man's square, the same for both sides seen from their own edge.
static SQUARE: ByColor<[i32; Square::COUNT]> = {
    let mut table = [[0; Square::COUNT]; 2];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::from_index(index);
        let file = if square.file() > 5 { 9 - square.file() } else { square.file() - 1 } as usize;
        table[0][index] = RANK[9 - square.relative_rank(Color::Black) as usize] + FILE[file];
        table[1][index] = RANK[9 - square.relative_rank(Color::White) as usize] + FILE[file];
        index += 1;
    }
    ByColor(table)
};

/// Hand-crafted evaluation: progress to the goal, threats, room and shape. The squares are kept incrementally.
#[derive(Clone)]
pub struct HasamiEval {
    squares: Tally,
}

const fn sign(color: Color) -> i32 {
    match color {
        Color::Black => 1,
        Color::White => -1,
    }
}

/// Neighbouring pairs of men.
fn shape(men: Bitboard) -> i32 {
    let pairs = |direction| (men & men.shift(direction)).count() as i32;
    BESIDE * (pairs(Direction::Down) + pairs(Direction::Left))
        + DIAGONAL * (pairs(Direction::DownLeft) + pairs(Direction::UpLeft))
}

/// Progress of the game, Black's point of view.
fn progress(position: &HasamiPosition) -> i32 {
    let captures = ByColor([position.captures(Color::Black), position.captures(Color::White)]);
    match position.rules().goal {
        Goal::Capture5 => {
            let worth = |count: u32| CAPTURES[(count as usize).min(CAPTURES.len() - 1)];
            worth(captures[Color::Black]) - worth(captures[Color::White])
        }
        Goal::Lead3 => {
            let lead = captures[Color::Black] as i32 - captures[Color::White] as i32;
            lead.signum() * LEAD[(lead.unsigned_abs() as usize).min(LEAD.len() - 1)]
        }
        Goal::CaptureAll => {
            let (black, white) = (position.men(Color::Black).count(), position.men(Color::White).count());
            let gone = (2 * MEN - black - white) as i32;
            (black as i32 - white as i32) * (MAN.0 + MAN.1 * gone)
        }
    }
}

impl Observer for HasamiEval {
    #[inline]
    fn put(&mut self, piece: Piece, square: Square) {
        let color = piece.color();
        self.squares.add(sign(color) * SQUARE[color][square.index()]);
    }

    #[inline]
    fn lift(&mut self, piece: Piece, square: Square) {
        let color = piece.color();
        self.squares.add(-sign(color) * SQUARE[color][square.index()]);
    }

    #[inline]
    fn hand(&mut self, _: Color, _: Kind, _: u32, _: u32) {}
}

impl Evaluator<HasamiPosition> for HasamiEval {
    fn new(_: &Evaluation) -> Self {
        Self { squares: Tally::new() }
    }

    fn reset(&mut self, position: &HasamiPosition) {
        self.squares.clear();
        for color in Color::ALL {
            for square in position.men(color) {
                self.put(Piece::new(color, Kind::Pawn), square);
            }
        }
    }

    #[inline]
    fn push(&mut self) {
        self.squares.push();
    }

    #[inline]
    fn pop(&mut self) {
        self.squares.pop();
    }

    fn supplement(position: &HasamiPosition) -> i32 {
        chase(position)
    }

    fn evaluate(&mut self, position: &HasamiPosition) -> i32 {
        let us = position.side_to_move();
        let them = !us;
        let (ours, theirs) = (position.threats(us), position.threats(them));
        let count = |squares: Bitboard| squares.count() as i32;
        let endangered = count(theirs.capturable);
        let endangered = if endangered > 0 { THREATENED.0 + THREATENED.1 * (endangered - 1) } else { 0 };
        sign(us) * (self.squares.sum() + progress(position)) + CAPTURABLE * count(ours.capturable) - endangered
            + ANCHORED * (count(ours.anchored) - count(theirs.anchored))
            + MOBILITY * (ours.moves as i32 - theirs.moves as i32)
            + shape(position.men(us))
            - shape(position.men(them))
            + TEMPO
            + chase(position)
    }
}
