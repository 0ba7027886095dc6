//! Mates made by hand, and the search compared with trying everything.

use std::collections::HashMap;

use super::*;
use crate::board::{Color, Kind, MoveList, Piece, Square};
use crate::diagram::Diagram;
use crate::flanking::{Flanking, FlankingPosition};
use crate::game::{HouseRules, Position, Stage};
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
        let Some(place) = file.checked_sub(3).and_then(|file| Square::new(file as i8, king.rank() + rank as i8 - 3))
        else {
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
        let result = solve_until::<G>(&position, &limits(100_000), &|| false);
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
    compare::<Shogi>(1, 100);
    compare::<Happokei>(2, 40);
    compare::<AiHappokei>(3, 40);
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
                lengths_after
                    .collect::<Option<Vec<u16>>>()
                    .and_then(|all| all.into_iter().max())
                    .map(|length| length + 1)
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

/// Mostly no mate, though there is no end of checks.
fn compare_with_graph<G: Game>(seed: u64, tries: usize) {
    let mut random = Random(seed);
    let (mut agreed, mut cyclic) = (0, 0);
    for _ in 0..tries {
        let Some(mut position) = endgame::<G>(&mut random, 3, 0) else { continue };
        // Without the shortest lines, which are looked at elsewhere.
        if checks(&position).is_empty() || self::mates(&mut position, 1) {
            continue;
        }
        let Ok(shortest) = by_whole_graph(&position, 6000) else { continue };
        let sfen = position.diagram().to_string();
        let stop = || false;
        let mut solver = Solver::new(position, Control::new(&limits(2_000_000), &stop));
        match (shortest, solver.solve()) {
            (Some(length), MateAnswer::Mate(line)) => assert_eq!(line.len(), usize::from(length), "{sfen}: {line:?}"),
            (None, MateAnswer::NoMate) => cyclic += usize::from(solver.has_met_repetitions()),
            (shortest, answer) => panic!("{sfen}: {shortest:?}, {answer:?}"),
        }
        agreed += 1;
    }
    println!("{agreed} graphs, {cyclic} with repetitions");
    assert!(cyclic > 0);
}

#[test]
fn agrees_with_whole_graphs() {
    compare_with_graph::<Shogi>(4, 2000);
    compare_with_graph::<AiHappokei>(5, 500);
}

#[test]
fn keys_without_promotion() {
    // Promoted, the piece would watch a square too many, and the pawn dropped later would mate.
    for (sfen, key, length) in [
        ("1+B2k4/1P7/2R6/4+N4/9/9/9/6K2/9 b P", "7c5c", 17),
        ("6k2/9/9/g8/1p7/9/K8/2+p6/b+n7 w p", "9i8h", 7),
        ("9/9/9/9/9/1krsB4/9/9/1K1+s5 w p", "7f7i", 5),
    ] {
        let root = position::<Shogi>(sfen);
        let line = answer(sfen, &limits(500_000));
        assert!(line.starts_with(key) && line.split(' ').count() == length, "{sfen}: {line}");
        let promotion = Move::from_usi(&format!("{key}+")).unwrap();
        assert!(root.is_legal(promotion));
        let mut promoted = root.clone();
        promoted.make(promotion, &mut ());
        let stop = || false;
        let mut solver = Solver::new(promoted, Control::new(&limits(500_000), &stop));
        solver.attacker = root.side_to_move();
        assert!(solver.prove(99).is_some_and(|value| value.mates(false).is_none()), "{sfen}");
    }
}

#[test]
fn mates_and_none() {
    for (sfen, line) in [
        ("4k4/9/4P4/9/9/9/9/9/9 b G", "G*5b"),
        ("4k4/9/9/9/9/9/9/9/9 b G", "NoMate"),
        // Mate by a dropped pawn is none, by a lance it is one.
        ("7lk/9/7G1/9/9/9/9/9/9 b P", "NoMate"),
        ("7lk/9/7G1/9/9/9/9/9/9 b L", "L*1b"),
        // Nobody to mate.
        ("9/9/4P4/9/9/9/9/9/4K4 b G", "NoMate"),
        // A lone rook gives check for ever.
        ("9/9/9/k8/9/9/6r2/9/8K w -", "NoMate"),
        // In check: the check has to be met by the mating move.
        ("3rk4/9/4P4/9/9/9/9/9/3K5 b G", "NoMate"),
    ] {
        assert_eq!(answer(sfen, &limits(100_000)), line, "{sfen}");
    }
}

#[test]
fn limits_end_the_search() {
    let sfen = "l2+P5/2k4+L1/2n1p2B1/p1pp1spN1/4Ps3/PlPP2P2/1P1Sb4/1KG2+p3/LN7 w R2GPrgsn4p";
    assert_eq!(answer(sfen, &limits(100)), "Timeout");
    let stopped = solve_until::<Shogi>(&position::<Shogi>(sfen), &limits(u64::MAX), &|| true);
    assert_eq!((stopped.answer, stopped.nodes <= LOOK), (MateAnswer::Timeout, true));
    let late = MateLimits { time: Some(0), ..MateLimits::default() };
    assert_eq!(answer(sfen, &late), "Timeout");
}

#[test]
fn futile_interpositions() {
    let books = MateLimits { tsume: true, ..limits(200_000) };
    for (sfen, ordinary, counted) in [
        // The king cannot move, and whatever is put between is taken.
        ("8k/6Spp/9/9/9/9/9/9/R8 b -", 1, 1),
        ("8k/6Spp/9/9/9/9/9/9/R8 b g", 3, 1),
        ("8k/6Spp/9/9/9/9/9/9/R8 b 2gn", 7, 1),
        ("8k/6Spp/4r4/9/9/9/9/9/R8 b -", 3, 1),
        // Next to the king nothing supports the rook: what is put there holds.
        ("8k/7pp/9/9/9/9/9/9/R8 b g", 0, 0),
    ] {
        let length = |limits| answer(sfen, limits).split(' ').filter(|token| Move::from_usi(token).is_some()).count();
        assert_eq!((length(&limits(200_000)), length(&books)), (ordinary, counted), "{sfen}");
    }
}

#[test]
fn futile_interpositions_change_lengths_only() {
    let mut random = Random(21);
    let (mut mates, mut shorter) = (0, 0);
    while mates < 40 {
        let Some(position) = endgame::<Shogi>(&mut random, 9, 4) else { continue };
        let ordinary = solve_until::<Shogi>(&position, &limits(10_000), &|| false).answer;
        let books = MateLimits { tsume: true, ..limits(20_000) };
        let counted = solve_until::<Shogi>(&position, &books, &|| false).answer;
        match (&ordinary, &counted) {
            (MateAnswer::Mate(line), MateAnswer::Mate(counted_line)) => {
                // Longer ones may not be the shortest there are.
                if line.len() <= 7 {
                    assert!(counted_line.len() <= line.len(), "{}: {line:?} {counted_line:?}", position.diagram());
                }
                mates += usize::from(line.len() > 1);
                shorter += usize::from(counted_line.len() < line.len());
            }
            (MateAnswer::Timeout, _) | (_, MateAnswer::Timeout) => {}
            _ => assert_eq!(ordinary, counted, "{}", position.diagram()),
        }
    }
    println!("{shorter} of {mates} mates are shorter in the books");
    assert!(shorter > 0);
}

/// Whether the side to move captures the king within so many turns, by trying everything.
fn flanks(position: &mut FlankingPosition, turns: u32) -> bool {
    if position.quick_win().is_some() {
        return true;
    }
    let each = |position: &mut FlankingPosition, visit: &mut dyn FnMut(&mut FlankingPosition) -> bool| {
        let mut firsts = MoveList::new();
        position.generate(Stage::All, &mut firsts);
        firsts.into_iter().any(|first| {
            position.make(first, &mut ());
            let mut seconds = MoveList::new();
            position.generate(Stage::All, &mut seconds);
            let found = seconds.into_iter().any(|second| {
                position.make(second, &mut ());
                let found = visit(position);
                position.unmake();
                found
            });
            position.unmake();
            found
        })
    };
    turns > 1
        && each(position, &mut |position| {
            position.quick_win().is_none() && !each(position, &mut |position| !flanks(position, turns - 1))
        })
}

#[test]
fn kings_flanked_by_force() {
    let mut random = Random(11);
    let mut found = [0; 3];
    for _ in 0..300 {
        let mut diagram = Diagram::parse("9/9/9/9/9/9/9/9/9", "b", "-", None).unwrap();
        for (color, kind) in [
            (Color::Black, Kind::King),
            (Color::White, Kind::King),
            (Color::Black, Kind::Gold),
            (Color::Black, Kind::Silver),
            (Color::Black, Kind::Lance),
            (Color::White, Kind::Pawn),
        ] {
            let square = Square::from_index(random.below(18));
            if diagram.board[square.index()].is_none() {
                diagram.board[square.index()] = Some(Piece::new(color, kind));
            }
        }
        let Ok(mut position) = FlankingPosition::from_diagram(&diagram, &HouseRules::default()) else { continue };
        let result = solve_until::<Flanking>(&position, &limits(100_000), &|| false);
        // That there is nothing takes longest to find out.
        if result.answer == MateAnswer::Timeout && found[0] == 5 || found[1] >= 20 && found[2] >= 3 {
            continue;
        }
        let turns = (1..=2).find(|&turns| flanks(&mut position, turns));
        match (turns, &result.answer) {
            (Some(turns), MateAnswer::Mate(line)) => {
                // Shorter by a turn where the defender is left without a move.
                assert!(line.len().div_ceil(4) <= turns as usize, "{diagram}: {line:?}");
                found[turns as usize] += 1;
            }
            (None, MateAnswer::Mate(line)) => assert!(line.len() > 6, "{diagram}: {line:?}"),
            (None, MateAnswer::Timeout) => found[0] += 1,
            (turns, answer) => panic!("{diagram}: {turns:?}, {answer:?}"),
        }
    }
    println!("{found:?}");
    assert!(found.iter().all(|&count| count > 0), "{found:?}");
}
