//! With pruning, reductions, extensions, quiescence and table switched off, the search returns minimax values: the
//! frame of principal variation search and its signs are right, also where the side to move does not alternate.

mod common;

use std::sync::mpsc;

use common::Random;
use happo::board::{ByColor, MoveList};
use happo::flanking::Flanking;
use happo::game::{Evaluator, Game, Goal, HouseRules, Position, Repetition, Stage};
use happo::hasami::Hasami;
use happo::nnue::Evaluation;
use happo::search::{Engine, Limits, MATE, MATE_BOUND, SearchOptions};
use happo::shogi::{AiHappokei, Happokei, Shogi};

const POSITIONS: usize = 200;
const MOST_MOVES: usize = 50;
const DRAW: i32 = 7;

/// A textbook alpha-beta with the full window at the root: its value there is the minimax value.
struct Reference<G: Game> {
    position: G::Position,
    eval: G::Eval,
    draw: ByColor<i32>,
    /// Cuts are taken only if asked for: without, this is plain minimax.
    cut: bool,
}

impl<G: Game> Reference<G> {
    fn value(&mut self, mut alpha: i32, beta: i32, depth: u32, ply: usize) -> i32 {
        let us = self.position.side_to_move();
        let distance = ply as i32;
        if ply > 0 {
            if let Some(winner) = self.position.winner() {
                return if winner == us { MATE - distance } else { distance - MATE };
            }
            match self.position.repetition(ply) {
                Some(Repetition::Draw) => return self.draw[us],
                Some(Repetition::Win) => return MATE_BOUND - 1 - distance,
                Some(Repetition::Loss) => return distance + 1 - MATE_BOUND,
                None => {}
            }
            if self.position.limit_reached() {
                return if self.position.has_legal_move() { self.draw[us] } else { distance - MATE };
            }
            if depth == 0 {
                self.eval.reset(&self.position);
                return self.eval.evaluate(&self.position);
            }
        }
        let mut list = MoveList::new();
        self.position.generate(Stage::All, &mut list);
        // The order does not change the value, only how soon cuts come.
        list.sort_by_key(|&m| -self.position.gain(m));
        let mut best = distance - MATE;
        for &m in &list {
            self.position.make(m, &mut ());
            let value = if self.position.side_to_move() == us {
                self.value(alpha, beta, depth - 1, ply + 1)
            } else {
                -self.value(-beta, -alpha, depth - 1, ply + 1)
            };
            self.position.unmake();
            best = best.max(value);
            alpha = alpha.max(value);
            if self.cut && alpha >= beta {
                break;
            }
        }
        best
    }
}

/// The engine's value of a position at a depth.
fn searched<G: Game>(engine: &mut Engine<G>, position: &G::Position, depth: u32) -> i32 {
    let options =
        SearchOptions { plain: true, all_moves: true, draw_value: ByColor([DRAW, -DRAW]), ..SearchOptions::default() };
    let (sender, receiver) = mpsc::channel();
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let done = move |outcome: &happo::search::Outcome| sender.send((outcome.score, outcome.depth)).unwrap();
    engine.go(position.clone(), limits, &options, Box::new(|_| {}), Box::new(done));
    let (score, reached) = receiver.recv().unwrap();
    assert_eq!(reached, depth);
    score
}

/// Compares on positions of random games, until some of the values have been wins or losses. The games are of up to
/// `longest` moves; positions with many moves are left out for speed.
fn agree<G: Game>(seed: u64, rules: &HouseRules, positions: usize, longest: usize) {
    let mut random = Random::new(seed);
    let mut engine = Engine::<G>::new(1, 1);
    let (mut tested, mut second_halves, mut brinks, mut decided) = (0, 0, 0, 0);
    while tested < positions || decided == 0 {
        let mut position = G::Position::startpos(rules);
        for _ in 0..random.below(longest) {
            let mut list = MoveList::new();
            position.generate(Stage::All, &mut list);
            if position.result().is_some() {
                break;
            }
            position.make(list[random.below(list.len())], &mut ());
        }
        if position.result().is_some() {
            continue;
        }
        // Positions on the brink are rare in random games and wanted here.
        let brink = position.quick_win().is_some() && brinks < positions / 10;
        if (position.count_legal() > MOST_MOVES || tested >= positions) && !brink {
            continue;
        }
        brinks += usize::from(brink);
        second_halves += usize::from(position.step() == 2);
        let us = position.side_to_move();
        let mut draw = ByColor([0; 2]);
        draw[us] = if us == happo::board::Color::Black { DRAW } else { -DRAW };
        draw[!us] = -draw[us];
        for depth in 1..=4 {
            // Plain minimax as long as the tree is small; then cuts, which do not change the value.
            let cut = (position.count_legal() as u64).pow(depth) > 20_000;
            let mut reference =
                Reference::<G> { position: position.clone(), eval: G::Eval::new(&Evaluation::default()), draw, cut };
            let expected = reference.value(-MATE, MATE, depth, 0);
            let found = searched(&mut engine, &position, depth);
            assert_eq!(found, expected, "depth {depth}, {}", position.diagram());
            decided += usize::from(expected.abs() > MATE_BOUND);
        }
        tested += 1;
    }
    assert!(second_halves > 0 || G::Position::TURN == 1, "no half-played turn was seen");
}

#[test]
fn shogi() {
    agree::<Shogi>(1, &HouseRules::default(), POSITIONS, 120);
}

#[test]
fn happokei() {
    agree::<Happokei>(2, &HouseRules::default(), POSITIONS, 120);
}

#[test]
fn aihappokei() {
    agree::<AiHappokei>(3, &HouseRules::default(), POSITIONS, 120);
}

#[test]
fn flanking() {
    agree::<Flanking>(4, &HouseRules { move_limit: 60, ..HouseRules::default() }, POSITIONS, 60);
}

#[test]
fn hasami() {
    for (goal, seed) in Goal::ALL.into_iter().zip(5..) {
        let rules = HouseRules { goal, move_limit: 700, ..HouseRules::default() };
        agree::<Hasami>(seed, &rules, POSITIONS / 3 + 1, 700);
    }
}
