//! Flanking is thought of in turns: what wins or loses within one turn is never missed, and wins by force in two turns are
//! found, as trying everything finds them.

mod common;

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use common::{Random, moves, position};
use happo::board::Move;
use happo::flanking::{Flanking, FlankingPosition};
use happo::game::{HouseRules, Position, Stage};
use happo::search::{Engine, Limits, MATE, MATE_BOUND, MateAnswer, MateLimits, Outcome, SearchOptions, solve};

type Board = FlankingPosition;

/// Plays every turn of the side to move, or what is left of it, until the visitor is content. A first half after which
/// nothing can be played loses, and is no turn.
fn any_turn(board: &mut Board, visit: &mut impl FnMut(&mut Board, &[Move]) -> bool) -> bool {
    let us = board.side_to_move();
    for first in moves(board, Stage::All) {
        board.make(first, &mut ());
        let found = if board.side_to_move() != us || board.winner().is_some() {
            visit(board, &[first])
        } else {
            moves(board, Stage::All).into_iter().any(|second| {
                board.make(second, &mut ());
                let found = visit(board, &[first, second]);
                board.unmake();
                found
            })
        };
        board.unmake();
        if found {
            return true;
        }
    }
    false
}

/// Whether the side to move can capture the king within the turn, by trying everything.
fn strikes(board: &mut Board) -> bool {
    let us = board.side_to_move();
    any_turn(board, &mut |board, _| board.winner() == Some(us))
}

/// Random games from the start, cut off anywhere; some at the second half of a turn. To 1000 of them come 500 in which a
/// king can be captured, which in the others is rare.
fn random_positions(seed: u64) -> Vec<Board> {
    let mut random = Random::new(seed);
    let mut boards = Vec::new();
    while boards.len() < 1500 {
        let mut board = Board::startpos(&HouseRules::default());
        for _ in 0..random.below(160) {
            let list = moves(&board, Stage::All);
            let tactical = moves(&board, Stage::Tactical);
            if list.is_empty() || board.winner().is_some() {
                break;
            }
            let list = if !tactical.is_empty() && random.chance(40) { tactical } else { list };
            board.make(*random.pick(&list), &mut ());
        }
        if board.result().is_none() && (boards.len() < 1000 || board.quick_win().is_some()) {
            boards.push(board);
        }
    }
    boards
}

fn search(engine: &mut Engine<Flanking>, board: &Board, limits: Limits) -> Outcome {
    let (sender, receiver) = mpsc::channel();
    let done = Box::new(move |outcome: &Outcome| sender.send(outcome.clone()).unwrap());
    engine.clear();
    engine.go(board.clone(), limits, &SearchOptions::default(), Box::new(|_| {}), done);
    engine.wait();
    receiver.recv().unwrap()
}

fn play(board: &mut Board, turn: &[Move]) {
    for &m in turn {
        assert!(board.is_legal(m), "{m} in {}", board.diagram());
        board.make(m, &mut ());
    }
}

#[test]
fn every_king_that_falls_within_the_turn_is_captured() {
    let mut engine = Engine::<Flanking>::new(1, 1);
    let (mut struck, mut halves) = (0, 0);
    for mut board in random_positions(31) {
        let us = board.side_to_move();
        let expected = strikes(&mut board);
        struck += usize::from(expected);
        halves += usize::from(board.step() == 2);
        // One turn deep, or what is left of it.
        let depth = u32::from(3 - board.step());
        let outcome = search(&mut engine, &board, Limits { depth: Some(depth), ..Limits::default() });
        let mut after = board.clone();
        play(&mut after, &outcome.best);
        assert_eq!(after.winner() == Some(us), expected, "{}", board.diagram());
        assert_eq!(expected, outcome.score > MATE - 10, "{}", board.diagram());
    }
    println!("{struck} kings in 1500 positions, {halves} of them at the second half of a turn");
    assert!(struck > 500 && struck < 700 && halves > 300);
}

#[test]
fn no_king_is_left_to_be_captured_where_it_can_be_saved() {
    let mut engine = Engine::<Flanking>::new(1, 1);
    let (mut in_danger, mut lost) = (0, 0);
    for mut board in random_positions(32) {
        let us = board.side_to_move();
        if strikes(&mut board) {
            continue;
        }
        let depth = u32::from(3 - board.step());
        let outcome = search(&mut engine, &board, Limits { depth: Some(depth), ..Limits::default() });
        let mut after = board.clone();
        play(&mut after, &outcome.best);
        let falls = after.winner() != Some(us) && strikes(&mut after);
        if falls {
            // Then no other turn would have saved it. What falls is asked of the rules' own answer, proven above.
            let saved = any_turn(&mut board, &mut |board, _| board.has_legal_move() && board.quick_win().is_none());
            assert!(!saved, "{}: {:?}", board.diagram(), outcome.best);
            lost += 1;
        } else if any_turn(&mut board, &mut |board, _| board.quick_win().is_some()) {
            in_danger += 1;
        }
    }
    println!("{in_danger} kings could be lost and were not, {lost} were lost already");
    assert!(in_danger > 100);
}

/// Whether the side to move wins by force with its turn after this one, whatever the other side does: by trying everything,
/// what has refuted other turns first.
fn wins_in_two(board: &mut Board, refutations: &mut Vec<Vec<Move>>, end: Instant) -> bool {
    if board.quick_win().is_some() {
        return false;
    }
    any_turn(board, &mut |board, _| {
        if Instant::now() > end || board.quick_win().is_some() || !board.has_legal_move() {
            return false;
        }
        let answered = |board: &mut Board, turn: &[Move]| {
            let mut made = 0;
            for &m in turn {
                if !board.is_legal(m) {
                    break;
                }
                board.make(m, &mut ());
                made += 1;
            }
            let answers = made == turn.len() && board.has_legal_move() && board.quick_win().is_none();
            (0..made).for_each(|_| board.unmake());
            answers
        };
        if refutations.iter().any(|turn| answered(board, turn)) {
            return false;
        }
        let mut refutation = None;
        any_turn(board, &mut |board, turn| {
            let answers = Instant::now() > end || board.has_legal_move() && board.quick_win().is_none();
            if answers {
                refutation = Some(turn.to_vec());
            }
            answers
        });
        match refutation {
            Some(turn) => {
                refutations.insert(0, turn);
                refutations.truncate(20);
                false
            }
            None => true,
        }
    }) && Instant::now() <= end
}

/// Each forced win in two turns is found by the search for one and by the main search, within a second where the machine is not
/// slowed by checks.
#[test]
fn wins_in_two_turns_are_found() {
    let sfens: Vec<&str> =
        include_str!("data/flanking_wins.txt").lines().filter(|line| !line.starts_with('#')).collect();
    let mut engine = Engine::<Flanking>::new(16, 1);
    let (mut slowest, mut seen) = (Duration::ZERO, 0);
    for &sfen in &sfens {
        let board: Board = position(sfen, &HouseRules::default());
        let begun = Instant::now();
        let limits = MateLimits { time: Some(10_000), ..MateLimits::default() };
        let answer = solve::<Flanking>(&board, &limits, &AtomicBool::new(false)).answer;
        slowest = slowest.max(begun.elapsed());
        let MateAnswer::Mate(line) = answer else { panic!("{sfen}: {answer:?}") };
        let mut after = board.clone();
        play(&mut after, &line);
        // Either the king has fallen, or no turn can be played any more.
        let stuck = !any_turn(&mut after, &mut |_, _| true);
        assert!(after.winner().map_or(stuck, |winner| winner == board.side_to_move()), "{sfen}");
        assert!(line.len() <= 6, "{sfen}: {line:?}");
        let outcome = search(&mut engine, &board, Limits { nodes: Some(300_000), ..Limits::default() });
        seen += usize::from(outcome.score >= MATE_BOUND);
    }
    println!("{} wins, the slowest in {slowest:?}; {seen} by the main search in 300,000 nodes", sfens.len());
    assert!(sfens.len() >= 300 && seen * 10 >= sfens.len() * 6);
    if !cfg!(debug_assertions) {
        assert!(slowest < Duration::from_secs(1), "{slowest:?}");
    }
}

/// Makes `tests/data/flanking_wins.txt` anew, from the endings of quick games.
#[test]
#[ignore = "writes a file"]
fn find_wins() {
    let mut random = Random::new(1);
    let mut engine = Engine::<Flanking>::new(8, 1);
    let mut text = String::from("# Flanking: forced wins in two turns, none in one, found by trying everything.\n");
    let mut found = 0;
    while found < 300 {
        let mut board = Board::startpos(&HouseRules::default());
        let nodes = 100 + random.below(400) as u64;
        let mut starts = Vec::new();
        while board.result().is_none() && board.moves_played() < 300 {
            starts.push(board.clone());
            let list = moves(&board, Stage::All);
            if board.moves_played() < 8 || random.chance(15) {
                board.make(*random.pick(&list), &mut ());
                if board.step() == 2 && board.winner().is_none() {
                    let list = moves(&board, Stage::All);
                    if list.is_empty() {
                        break;
                    }
                    board.make(*random.pick(&list), &mut ());
                }
            } else {
                let best = search(&mut engine, &board, Limits { nodes: Some(nodes), ..Limits::default() }).best;
                play(&mut board, &best);
            }
        }
        let Some(winner) = board.winner() else { continue };
        let last = starts.iter_mut().rev().filter(|board| board.side_to_move() == winner && board.step() == 1).nth(1);
        let Some(board) = last else { continue };
        if wins_in_two(board, &mut Vec::new(), Instant::now() + Duration::from_secs(3)) {
            writeln!(text, "{}", board.diagram()).unwrap();
            found += 1;
        }
    }
    std::fs::write("tests/data/flanking_wins.txt", text).unwrap();
}
