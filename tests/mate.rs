//! Mating problems: all that are kept are solved, and new ones are found.

mod common;

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use common::{Random, moves, position};
use happo::board::Move;
use happo::game::{HouseRules, Position, Stage};
use happo::search::{Engine, Limits, MateAnswer, MateLimits, SearchOptions, solve};
use happo::shogi::{Shogi, ShogiPosition, StandardRules};

type Board = ShogiPosition<StandardRules>;

/// Nodes within which every problem has to be solved; much less than a second in an optimised build.
const NODES: u64 = 300_000;

/// A position and the length of its mate, `=` before it if there is no shorter one.
struct Problem {
    sfen: String,
    length: usize,
    exact: bool,
}

fn problems() -> Vec<Problem> {
    let text = include_str!("data/tsume.txt");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (length, sfen) = line.split_once(' ').unwrap();
            let exact = length.starts_with('=');
            Problem { sfen: sfen.to_owned(), length: length.trim_start_matches('=').parse().unwrap(), exact }
        })
        .collect()
}

fn mate(position: &Board, nodes: u64) -> (MateAnswer, u64) {
    let limits = MateLimits { nodes: Some(nodes), bytes: 16 << 20, ..MateLimits::default() };
    let result = solve::<Shogi>(position, &limits, &AtomicBool::new(false));
    (result.answer, result.nodes)
}

/// Plays the line: every move legal, every one of the attacker a check, mate at its end.
fn is_mate(position: &Board, line: &[Move]) -> bool {
    let mut position = position.clone();
    let attacker = position.side_to_move();
    line.iter().all(|&m| {
        let legal = position.is_legal(m);
        if legal {
            position.make(m, &mut ());
        }
        legal && (position.side_to_move() == attacker || position.in_check())
    }) && position.in_check()
        && position.side_to_move() != attacker
        && !position.has_legal_move()
}

/// Whether there is a mate within so many half-moves, by trying everything.
fn brute(position: &mut Board, length: usize) -> bool {
    let info = position.check_info();
    let checks: Vec<Move> =
        moves(position, Stage::All).into_iter().filter(|&m| position.gives_check(m, &info)).collect();
    checks.into_iter().any(|m| {
        position.make(m, &mut ());
        let replies = moves(position, Stage::All);
        let mated = replies.is_empty()
            || length > 2
                && replies.into_iter().all(|m| {
                    position.make(m, &mut ());
                    let mated = brute(position, length - 2);
                    position.unmake();
                    mated
                });
        position.unmake();
        mated
    })
}

#[test]
fn all_problems_are_solved() {
    let problems = problems();
    assert!(problems.len() >= 200, "{}", problems.len());
    let (mut slowest, mut total, mut most) = (Duration::ZERO, Duration::ZERO, 0);
    for Problem { sfen, length, exact } in &problems {
        let mut board: Board = position(sfen, &HouseRules::default());
        let begun = Instant::now();
        let (answer, nodes) = mate(&board, NODES);
        let time = begun.elapsed();
        (slowest, total, most) = (slowest.max(time), total + time, most.max(nodes));
        let MateAnswer::Mate(line) = answer else { panic!("{sfen}: {answer:?}") };
        assert!(is_mate(&board, &line), "{sfen}: {line:?}");
        if *exact && *length <= 5 {
            assert_eq!(line.len(), *length, "{sfen}: {line:?}");
            assert!(brute(&mut board, *length) && (*length == 1 || !brute(&mut board, length - 2)), "{sfen}");
        }
    }
    println!("{} problems, {total:?}, slowest {slowest:?}, most nodes {most}", problems.len());
}

/// Makes `tests/data/tsume.txt` anew, from the endings of quick games.
#[test]
#[ignore = "writes a file"]
fn find_problems() {
    let mut random = Random::new(1);
    let mut engine = Engine::<Shogi>::new(8, 1);
    let mut kept: Vec<Vec<String>> = vec![Vec::new(); 200];
    let begun = Instant::now();
    let minutes: u64 = std::env::var("MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    while begun.elapsed() < Duration::from_secs(60 * minutes) {
        engine.clear();
        let mut board = Board::startpos(&HouseRules::default());
        let nodes = 100 + random.below(400) as u64;
        let mut found = Vec::new();
        while board.result().is_none() && board.moves_played() < 250 {
            let list = moves(&board, Stage::All);
            let m = if board.moves_played() < 12 || random.below(12) == 0 {
                list[random.below(list.len())]
            } else {
                let (sender, receiver) = mpsc::channel();
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                let done = Box::new(move |outcome: &happo::search::Outcome| sender.send(outcome.best[0]).unwrap());
                engine.go(board.clone(), limits, &SearchOptions::default(), Box::new(|_| {}), done);
                receiver.recv().unwrap()
            };
            if board.moves_played() > 30
                && let (MateAnswer::Mate(line), nodes) = mate(&board, 20_000 + 180_000 * (random.below(4) / 3) as u64)
                && line.len() > 1
            {
                assert!(is_mate(&board, &line));
                found.push((line.len(), nodes, board.diagram().to_string()));
            }
            board.make(m, &mut ());
        }
        // One of each length, so that a game does not fill the file with its own end.
        found.sort();
        found.dedup_by_key(|problem| problem.0);
        for (length, _, sfen) in found {
            let place = &mut kept[length];
            if place.len() < if length < 9 { 30 } else { 40 } {
                place.push(sfen);
            }
        }
    }
    let mut text = String::from("# Mating problems from the endings of quick games: length in half-moves, SFEN.\n");
    text.push_str("# Lengths with an equals sign are proven to be the shortest by trying everything.\n");
    for (length, sfens) in kept.iter().enumerate() {
        for sfen in sfens {
            let mark = if length <= 5 { "=" } else { "" };
            writeln!(text, "{mark}{length} {sfen}").unwrap();
        }
        if !sfens.is_empty() {
            println!("{length}: {}", sfens.len());
        }
    }
    std::fs::write("tests/data/tsume.txt", text).unwrap();
}
