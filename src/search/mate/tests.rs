//! Mates made by hand, and the search compared with trying everything.

use super::*;
use crate::board::{Color, Kind, MoveList, Piece, Square};
use crate::diagram::Diagram;
use crate::game::Position;
use crate::game::{HouseRules, Stage};
use crate::shogi::{AiHappokei, Happokei, Shogi};

fn position<G: Game>(sfen: &str) -> G::Position {
    let fields: Vec<&str> = sfen.split(' ').collect();
    let diagram = Diagram::parse(fields[0], fields[1], fields[2], fields.get(3).copied()).unwrap();
    G::Position::from_diagram(&diagram, &HouseRules::default()).unwrap()
}

fn limits(nodes: u64) -> MateLimits {
    MateLimits { nodes: Some(nodes), bytes: 4 << 20, ..MateLimits::default() }
}

fn answer(sfen: &str, limits: &MateLimits) -> String {
    match solve_until::<Shogi>(&position::<Shogi>(sfen), limits, &|| false).answer {
        MateAnswer::Mate(line) => line.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        other => format!("{other:?}"),
    }
}

/// The moves that give check.
fn checks<P: Position>(position: &P) -> Vec<Move> {
    let info = position.check_info();
    let mut list = MoveList::new();
    position.generate(Stage::All, &mut list);
    list.into_iter().filter(|&m| position.gives_check(m, &info)).collect()
}

/// Whether there is a mate within so many half-moves, by trying everything.
fn mates<P: Position>(position: &mut P, length: usize) -> bool {
    checks(position).into_iter().any(|m| {
        position.make(m, &mut ());
        let mut list = MoveList::new();
        position.generate(Stage::All, &mut list);
        let mate = list.is_empty()
            || length > 2
                && list.into_iter().all(|m| {
                    position.make(m, &mut ());
                    let mate = mates(position, length - 2);
                    position.unmake();
                    mate
                });
        position.unmake();
        mate
    })
}

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) as usize) % bound
    }
}

/// An endgame with the king to be mated near its edge, some pieces about it, and full hands or empty ones.
fn endgame<G: Game>(random: &mut Random) -> Option<G::Position> {
    const KINDS: [Kind; 13] = [
        Kind::Pawn,
        Kind::Pawn,
        Kind::Lance,
        Kind::Knight,
        Kind::Silver,
        Kind::Gold,
        Kind::Bishop,
        Kind::Rook,
        Kind::ProPawn,
        Kind::ProKnight,
        Kind::ProSilver,
        Kind::Horse,
        Kind::Dragon,
    ];
    let side = if random.below(2) == 0 { "b" } else { "w" };
    let mut diagram = Diagram::parse("9/9/9/9/9/9/9/9/9", side, "-", None).ok()?;
    let attacker = diagram.side;
    let square = |file: usize, rank: usize| {
        let square = Square::new(file as i8, rank as i8)?;
        Some(if attacker == Color::Black { square } else { square.rotate() })
    };
    let king = square(1 + random.below(9), 1 + random.below(3))?;
    diagram.board[king.index()] = Some(Piece::new(!attacker, Kind::King));
    if random.below(3) > 0 {
        let own = square(1 + random.below(9), 4 + random.below(6))?;
        diagram.board[own.index()] = Some(Piece::new(attacker, Kind::King));
    }
    for _ in 0..2 + random.below(9) {
        let place = square(1 + random.below(9), 1 + random.below(5))?;
        let color = if random.below(3) > 0 { attacker } else { !attacker };
        if place.distance(king) <= 3 && diagram.board[place.index()].is_none() {
            diagram.board[place.index()] = Some(Piece::new(color, KINDS[random.below(KINDS.len())]));
        }
    }
    for color in Color::ALL {
        for _ in 0..random.below(4) {
            let kind = Kind::HAND[random.below(7)];
            diagram.hands[color][kind.index()] += 1;
        }
    }
    G::Position::from_diagram(&diagram, &HouseRules::default()).ok()
}

/// Proof-number search against trying everything, up to five half-moves.
fn compare<G: Game>(seed: u64, wanted: usize) {
    let mut random = Random(seed);
    let mut found = [0; 4];
    let mut agreed = 0;
    while agreed < wanted {
        let Some(mut position) = endgame::<G>(&mut random) else { continue };
        if checks(&position).is_empty() && random.below(20) > 0 {
            continue;
        }
        let shortest = [1, 3, 5].into_iter().find(|&length| mates(&mut position, length));
        let result = solve_until::<G>(&position, &limits(300_000), &|| false);
        let sfen = position.diagram().to_string();
        match (shortest, &result.answer) {
            (Some(length), MateAnswer::Mate(line)) => {
                assert_eq!(line.len(), length, "{sfen}: {line:?}");
                found[length / 2] += 1;
            }
            (None, MateAnswer::Mate(line)) => {
                assert!(line.len() > 5, "{sfen}: {line:?}");
                found[3] += 1;
            }
            (None, MateAnswer::NoMate | MateAnswer::Timeout) => {}
            _ => panic!("{sfen}: {shortest:?}, {:?}", result.answer),
        }
        agreed += 1;
    }
    println!("{}: of {wanted}, mates in 1, 3, 5, more: {found:?}", G::Position::variant());
    assert!(found.iter().all(|&count| count > 0), "{found:?}");
}

#[test]
fn agrees_with_trying_everything() {
    compare::<Shogi>(1, 400);
    compare::<Happokei>(2, 200);
    compare::<AiHappokei>(3, 200);
}
