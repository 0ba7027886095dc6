//! Unit tests of the shogi family; the larger ones are under `tests/`.

use super::*;
use crate::board::{Color, Move, MoveList, Square};
use crate::diagram::Diagram;
use crate::game::{Dominance, Evaluator, HouseRules, Position, Stage};
use crate::nnue::Evaluation;
use crate::perft::perft;

fn parse<R: Rules>(sfen: &str) -> ShogiPosition<R> {
    let fields: Vec<&str> = sfen.split(' ').collect();
    let diagram = Diagram::parse(fields[0], fields[1], fields[2], fields.get(3).copied()).unwrap();
    ShogiPosition::from_diagram(&diagram, &HouseRules::default()).unwrap()
}

#[test]
fn perft_of_start_positions() {
    let rules = HouseRules::default();
    assert_eq!(perft(&mut ShogiPosition::<StandardRules>::startpos(&rules), 4), 719_731);
    assert_eq!(perft(&mut ShogiPosition::<HappokeiRules>::startpos(&rules), 4), 553_637);
    assert_eq!(perft(&mut ShogiPosition::<AiHappokeiRules>::startpos(&rules), 4), 916_602);
}

#[test]
fn perft_of_dense_positions() {
    let mut most = parse::<StandardRules>("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1");
    assert_eq!(perft(&mut most, 1), 593);
    assert_eq!(perft(&mut most, 2), 105_677);
    let mut matsuri = parse::<StandardRules>("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1");
    assert_eq!(perft(&mut matsuri, 3), 4_809_015);
}

/// Walks at random and hands every position to `visit`.
fn walk<R: Rules>(seed: u64, plies: usize, mut visit: impl FnMut(&mut ShogiPosition<R>)) {
    let mut state = seed;
    let mut position = ShogiPosition::<R>::startpos(&HouseRules::default());
    for _ in 0..plies {
        visit(&mut position);
        let mut list = MoveList::new();
        position.generate(Stage::All, &mut list);
        if list.is_empty() {
            position = ShogiPosition::startpos(&HouseRules::default());
            continue;
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let m = list[(state >> 33) as usize % list.len()];
        position.make(m, &mut ());
    }
}

fn check_sets<R: Rules>() {
    walk::<R>(7, 3000, |position| {
        let stage = |stage| {
            let mut list = MoveList::new();
            position.generate(stage, &mut list);
            list
        };
        let (all, tactical, quiet) = (stage(Stage::All), stage(Stage::Tactical), stage(Stage::Quiet));
        let mut parts: Vec<_> = tactical.iter().chain(&quiet).copied().collect();
        let mut whole = all.to_vec();
        parts.sort_unstable();
        whole.sort_unstable();
        assert_eq!(parts, whole);
        assert_eq!(position.count_legal(), whole.len());
        let info = position.check_info();
        let mut checks: Vec<_> = quiet.iter().copied().filter(|&m| position.gives_check(m, &info)).collect();
        let mut generated = stage(Stage::QuietChecks).to_vec();
        checks.sort_unstable();
        generated.sort_unstable();
        assert_eq!(checks, generated, "{}", position.diagram());
        for &m in &all {
            assert!(position.is_legal(m));
            let check = position.gives_check(m, &info);
            let key = position.key_after(m);
            position.make(m, &mut ());
            assert_eq!(position.in_check(), check);
            assert_eq!(position.key(), key);
            assert_eq!(position.key(), position.computed_key());
            position.unmake();
        }
        assert_eq!(position.key(), position.computed_key());
        if let Some((m, 1)) = position.quick_win() {
            position.make(m, &mut ());
            assert!(position.in_check() && !position.has_legal_move());
            position.unmake();
        }
    });
}

#[test]
fn stages_checks_and_keys_agree() {
    check_sets::<StandardRules>();
    check_sets::<HappokeiRules>();
    check_sets::<AiHappokeiRules>();
}

#[test]
fn evaluation_is_incremental_and_symmetric() {
    let mut eval = ShogiEval::<StandardRules>::new(&Evaluation::HandCrafted);
    walk::<StandardRules>(3, 2000, |position| {
        eval.reset(position);
        let value = eval.evaluate(position);
        let mut list = MoveList::new();
        position.generate(Stage::All, &mut list);
        for &m in list.iter().take(20) {
            eval.push();
            position.make(m, &mut eval);
            let followed = eval.evaluate(position);
            let mut fresh = ShogiEval::<StandardRules>::new(&Evaluation::HandCrafted);
            fresh.reset(position);
            assert_eq!(followed, fresh.evaluate(position));
            position.unmake();
            eval.pop();
        }
        let mut turned = position.diagram();
        let board = *position.board();
        for square in Square::all() {
            turned.board[square.rotate().index()] =
                board[square.index()].map(|piece| crate::board::Piece::new(!piece.color(), piece.kind()));
        }
        turned.hands.0.swap(0, 1);
        turned.side = !turned.side;
        let turned = ShogiPosition::<StandardRules>::from_diagram(&turned, &HouseRules::default()).unwrap();
        let mut fresh = ShogiEval::<StandardRules>::new(&Evaluation::HandCrafted);
        fresh.reset(&turned);
        assert_eq!(fresh.evaluate(&turned), value);
    });
}

#[test]
fn circles_that_cost_a_piece_are_seen() {
    let mut position = parse::<StandardRules>("4k4/9/9/9/9/9/9/9/4K4 b P 1");
    for text in ["P*5b", "5a5b", "5i4h", "5b4b", "4h4i", "4b4a", "4i5i", "4a5a"] {
        let m = Move::from_usi(text).unwrap();
        assert!(position.is_legal(m), "{text}");
        assert_eq!(position.dominance(100), None, "before {text}");
        position.make(m, &mut ());
    }
    // The board is that of the start, and Black's pawn is White's.
    assert_eq!(position.repetition(100), None);
    assert_eq!(position.dominance(8), Some(Dominance::Worse));
    assert_eq!(position.dominance(7), None);
    position.unmake();
    assert_eq!(position.dominance(100), None);
    let mut mirrored = parse::<StandardRules>("4k4/9/9/9/9/9/9/9/4K4 w p 1");
    for text in ["P*5h", "5i5h", "5a4b", "5h4h", "4b4a", "4h4i", "4a5a", "4i5i"] {
        mirrored.make(Move::from_usi(text).unwrap(), &mut ());
    }
    assert_eq!(mirrored.dominance(8), Some(Dominance::Worse));
}

#[test]
fn the_evaluation_is_the_sum_of_its_terms() {
    let mut eval = ShogiEval::<StandardRules>::new(&Evaluation::HandCrafted);
    walk::<StandardRules>(5, 2000, |position| {
        eval.reset(position);
        let counts = trace(position).0;
        let black: i32 = counts.iter().zip(&terms::WEIGHTS).map(|(count, weight)| count * weight).sum();
        let ours = if position.side_to_move() == Color::Black { black } else { -black };
        assert_eq!(eval.evaluate(position), (ours / 16).clamp(-20000, 20000));
    });
}
