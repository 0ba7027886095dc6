//! Random diagrams: crowded and sparse, with and without kings, hands full and empty, much of it near the promotion
//! zones. A few are no positions of their game, on purpose.

use happo::board::{ByColor, Color, Kind, Piece, Square};
use happo::diagram::Diagram;
use happo::game::Variant;

use super::{SET, State};
use crate::support::Random;

/// A random diagram of a game. With `sparse` there are few pieces and mostly empty hands, so that positions recur.
pub fn diagram(variant: Variant, rng: &mut Random, sparse: bool) -> Diagram {
    if variant == Variant::Hasami { men(rng, sparse) } else { pieces(variant, rng, sparse) }
}

fn bare(variant: Variant, rng: &mut Random) -> Diagram {
    let step = if variant == Variant::Flanking { 1 + rng.below(2) as u8 } else { 1 };
    Diagram {
        board: [None; 81],
        hands: ByColor([[0; 7]; 2]),
        hands_omitted: false,
        side: *rng.pick(&Color::ALL),
        number: 1 + rng.below(200) as u32,
        step,
    }
}

fn free_square(board: &[Option<Piece>; 81], rng: &mut Random, ranks: &[i8]) -> Square {
    loop {
        let square = Square::new(1 + rng.below(9) as i8, *rng.pick(ranks)).expect("on the board");
        if board[square.index()].is_none() {
            return square;
        }
    }
}

fn pieces(variant: Variant, rng: &mut Random, sparse: bool) -> Diagram {
    const ALL_RANKS: [i8; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    let mut diagram = bare(variant, rng);
    let ranks: &[i8] = match rng.below(4) {
        0 => &[1, 2, 3, 4, 5],
        1 => &[1, 2, 3, 7, 8, 9],
        _ => &ALL_RANKS,
    };
    let kings: &[Color] = match rng.below(10) {
        _ if variant == Variant::Flanking => &Color::ALL,
        0 => &[],
        1 => &[Color::Black],
        2 => &[Color::White],
        _ => &Color::ALL,
    };
    for &color in kings {
        let square = free_square(&diagram.board, rng, &ALL_RANKS);
        diagram.board[square.index()] = Some(Piece::new(color, Kind::King));
    }
    let mut pool: Vec<Kind> = Vec::new();
    for (kind, count) in Kind::HAND.into_iter().zip(SET) {
        pool.extend((0..count).map(|_| kind));
    }
    for last in (1..pool.len()).rev() {
        pool.swap(last, rng.below(last + 1));
    }
    let most = match rng.below(2) {
        _ if sparse => 5,
        0 => 12,
        _ => 28,
    };
    let on_board = rng.below(most + 1);
    for kind in pool.drain(..on_board) {
        let color = *rng.pick(&Color::ALL);
        let kind = kind.promoted().filter(|_| rng.chance(35)).unwrap_or(kind);
        let square = free_square(&diagram.board, rng, ranks);
        let piece = Piece::new(color, kind);
        let state = State::from_diagram(variant, &diagram);
        let nifu = kind == Kind::Pawn && state.pawns_on_file(color, square.file()) > 0;
        if rng.chance(2) || !nifu && !state.is_dead(piece, square) {
            diagram.board[square.index()] = Some(piece);
        }
    }
    let held = match rng.below(5) {
        _ if sparse => usize::from(rng.chance(30)),
        0 | 1 => 0,
        2 => pool.len(),
        _ => rng.below(pool.len().min(12)),
    };
    for kind in pool.drain(..held) {
        diagram.hands[*rng.pick(&Color::ALL)][kind.index()] += 1;
    }
    if rng.chance(1) {
        diagram.hands[Color::Black][rng.below(7)] += 5;
    }
    if State::from_diagram(variant, &diagram).in_check(diagram.side.opponent()) && rng.chance(90) {
        diagram.side = diagram.side.opponent();
    }
    diagram
}

fn men(rng: &mut Random, sparse: bool) -> Diagram {
    let mut diagram = bare(Variant::Hasami, rng);
    let ranks: &[i8] = if rng.chance(30) { &[1, 2, 8, 9] } else { &[1, 2, 3, 4, 5, 6, 7, 8, 9] };
    let most = if sparse { 3 } else { 9 };
    for color in Color::ALL {
        let count = 1 + rng.below(most);
        for _ in 0..count {
            let square = free_square(&diagram.board, rng, ranks);
            diagram.board[square.index()] = Some(Piece::new(color, Kind::Pawn));
        }
        diagram.hands[color.opponent()][0] = 9 - count as u32;
    }
    if rng.chance(20) {
        diagram.hands = ByColor([[0; 7]; 2]);
        diagram.hands_omitted = true;
    } else if rng.chance(5) {
        diagram.hands[Color::White][0] += 1;
    }
    diagram
}
