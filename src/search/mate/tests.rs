//! Mates made by hand, and the search compared with trying everything.

use std::collections::HashMap;

use super::*;
use crate::board::{Color, Kind, MoveList, Piece, Square};
use crate::diagram::Diagram;
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

/// An endgame with the king to be mated near its edge, three pieces about it and up to so many more, and up to
/// `held` pieces in each hand.
fn endgame<G: Game>(random: &mut Random, pieces: usize, held: usize) -> Option<G::Position> {
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
    for _ in 0..3 + random.below(pieces) {
        let (file, rank) = (king.file() as usize + random.below(7), random.below(7));
        let Some(place) = file.checked_sub(3).and_then(|file| Square::new(file as i8, king.rank() + rank as i8 - 3)) else {
            continue;
        };
        let color = if random.below(4) > 0 { attacker } else { !attacker };
        if diagram.board[place.index()].is_none() {
            diagram.board[place.index()] = Some(Piece::new(color, KINDS[random.below(KINDS.len())]));
        }
    }
    for color in Color::ALL {
        for _ in 0..random.below(held + 1) {
            let kind = Kind::HAND[random.below(7)];
            diagram.hands[color][kind.index()] += 1;
        }
    }
    G::Position::from_diagram(&diagram, &HouseRules::default()).ok()
}

/// Proof-number search against trying everything, up to five half-moves.
fn compare<G: Game>(seed: u64, wanted: usize) {
    let mut random = Random(seed);
    let mut found = [0; 3];
    let mut agreed = 0;
    while agreed < wanted {
        let Some(mut position) = endgame::<G>(&mut random, 9, 3) else { continue };
        if checks(&position).is_empty() && random.below(20) > 0 {
            continue;
        }
        let shortest = [1, 3, 5].into_iter().find(|&length| mates(&mut position, length));
        let result = solve_until::<G>(&position, &limits(300_000), &|| false);
        let sfen = position.diagram().to_string();
        match (shortest, &result.answer) {
            (Some(length), MateAnswer::Mate(line)) => {
                assert_eq!(line.len(), length, "{sfen}: {line:?}");
                found[usize::from(length > 1)] += 1;
            }
            (None, MateAnswer::Mate(line)) => {
                assert!(line.len() > 5, "{sfen}: {line:?}");
                found[2] += 1;
            }
            (None, MateAnswer::NoMate | MateAnswer::Timeout) => {}
            _ => panic!("{sfen}: {shortest:?}, {:?}", result.answer),
        }
        agreed += 1;
    }
    println!("{}: of {wanted}, mates in 1, in 3 and more, in 7 and more: {found:?}", G::Position::variant());
    assert!(found.iter().all(|&count| count > 0), "{found:?}");
}

#[test]
fn agrees_with_trying_everything() {
    compare::<Shogi>(1, 150);
    compare::<Happokei>(2, 60);
    compare::<AiHappokei>(3, 60);
}

/// The length of the shortest mate by working backwards from all mates of the whole graph of checks and evasions, with
/// all its cycles; `Err` if the graph is too large.
fn by_whole_graph<P: Position>(root: &P, most: usize) -> Result<Option<u16>, ()> {
    let attacker = root.side_to_move();
    let mut index = HashMap::from([(root.key(), 0)]);
    let mut positions = vec![root.clone()];
    let mut graph: Vec<Vec<usize>> = Vec::new();
    while let Some(position) = positions.get(graph.len()) {
        let mut position = position.clone();
        let mut list = MoveList::new();
        if position.side_to_move() == attacker {
            list.extend(checks(&position));
        } else {
            position.generate(Stage::All, &mut list);
        }
        let mut next = Vec::new();
        for m in list {
            position.make(m, &mut ());
            let number = *index.entry(position.key()).or_insert(positions.len());
            if number == positions.len() {
                positions.push(position.clone());
            }
            position.unmake();
            next.push(number);
        }
        graph.push(next);
        if positions.len() > most {
            return Err(());
        }
    }
    let mut lengths = vec![None; graph.len()];
    loop {
        let mut changed = false;
        for (number, next) in graph.iter().enumerate() {
            let lengths_after = next.iter().map(|&after| lengths[after]);
            let length: Option<u16> = if positions[number].side_to_move() == attacker {
                lengths_after.flatten().min().map(|length: u16| length + 1)
            } else if next.is_empty() {
                Some(0)
            } else {
                lengths_after.collect::<Option<Vec<u16>>>().and_then(|all| all.into_iter().max()).map(|length| length + 1)
            };
            if length != lengths[number] {
                (lengths[number], changed) = (length, true);
            }
        }
        if !changed {
            return Ok(lengths[0]);
        }
    }
}

/// Cycles, long mates, and no mate where every line goes on for ever.
fn compare_with_graph<G: Game>(seed: u64, tries: usize) {
    let mut random = Random(seed);
    let (mut agreed, mut mates, mut longest, mut cyclic) = (0, 0, 0, 0);
    for _ in 0..tries {
        let Some(mut position) = endgame::<G>(&mut random, 4, 0) else { continue };
        // Without the shortest lines, which are looked at elsewhere.
        if checks(&position).is_empty() || self::mates(&mut position, 1) {
            continue;
        }
        // Graphs with a mate are larger, for the king has been driven about.
        let most = if self::mates(&mut position, 3) { 30_000 } else { 4000 };
        let Ok(shortest) = by_whole_graph(&position, most) else { continue };
        let sfen = position.diagram().to_string();
        let stop = || false;
        let mut solver = Solver::new(position, Control::new(&limits(2_000_000), &stop));
        match (shortest, solver.solve()) {
            (Some(length), MateAnswer::Mate(line)) => {
                assert_eq!(line.len(), usize::from(length), "{sfen}: {line:?}");
                mates += 1;
                longest = longest.max(length);
            }
            (None, MateAnswer::NoMate) => cyclic += usize::from(solver.has_met_repetitions()),
            (shortest, answer) => panic!("{sfen}: {shortest:?}, {answer:?}"),
        }
        agreed += 1;
    }
    println!("{agreed} graphs, {mates} mates, longest {longest}, {cyclic} with repetitions");
    assert!(mates > 0 && cyclic > 0 && longest >= 3);
}

#[test]
fn agrees_with_whole_graphs() {
    compare_with_graph::<Shogi>(4, 4000);
    compare_with_graph::<AiHappokei>(5, 1000);
}

/// Prints problems whose key is not to promote.
#[test]
#[ignore = "prints problems"]
fn find_keys_without_promotion() {
    let mut random = Random(99);
    let mut found = 0;
    while found < 12 {
        let Some(position) = endgame::<Shogi>(&mut random, 9, 0) else { continue };
        let mut diagram = position.diagram();
        diagram.hands[diagram.side][Kind::Pawn.index()] = 1;
        diagram.hands[diagram.side][random.below(7)] += random.below(2) as u32;
        let Ok(position) = <Shogi as Game>::Position::from_diagram(&diagram, &HouseRules::default()) else { continue };
        let matters = |m: &Move| {
            let kind = position.mover(*m).kind();
            matches!(kind, Kind::Pawn | Kind::Bishop | Kind::Rook | Kind::Lance)
                && !m.is_promotion()
                && m.from().is_some_and(|from| position.is_legal(Move::promotion(from, m.to())))
        };
        if !checks(&position).iter().any(matters) {
            continue;
        }
        let result = solve_until::<Shogi>(&position, &limits(2000), &|| false);
        let MateAnswer::Mate(line) = result.answer else { continue };
        let m = line[0];
        if line.len() < 3 || !matters(&m) {
            continue;
        }
        let mut other = position.clone();
        let keys = checks(&position).into_iter().filter(|&key| {
            other.make(key, &mut ());
            let stop = || false;
            let mut solver = Solver::new(other.clone(), Control::new(&limits(20_000), &stop));
            solver.attacker = position.side_to_move();
            let mates = solver.prove(99).is_some_and(|value| value.mates(false).is_some());
            other.unmake();
            mates
        });
        let keys: Vec<Move> = keys.collect();
        if keys == [m] {
            println!("{} {} {line:?}", line.len(), position.diagram());
            found += 1;
        }
    }
}
