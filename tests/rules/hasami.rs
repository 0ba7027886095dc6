//! The rules of hasami.

use happo::board::{Color, Move};
use happo::diagram::DiagramError;
use happo::game::{GameResult, Goal, HouseRules, Position, Reason, Repetition, Stage};
use happo::hasami::{Hasami, HasamiPosition};
use happo::perft::perft;

use crate::common::{check_legality, check_null, moves, position, random_game, read};
use crate::support::{goal, play};

fn at(sfen: &str) -> HasamiPosition {
    position(sfen, &HouseRules::default())
}

fn board_after(sfen: &str, line: &str) -> String {
    let mut position = at(sfen);
    play(&mut position, line);
    position.diagram().to_string()
}

#[test]
fn perft_from_the_start() {
    let mut start = HasamiPosition::startpos(&HouseRules::default());
    assert_eq!(start.diagram().to_string(), "ppppppppp/9/9/9/9/9/9/9/PPPPPPPPP b - 1");
    for (depth, nodes) in [(1, 63), (2, 3717), (3, 254_219), (4, 16_599_273)] {
        assert_eq!(perft(&mut start, depth), nodes);
    }
}

#[test]
fn captures() {
    // A run, two directions at once, a gap, the edge, moving between, a corner.
    for (before, line, after) in [
        ("9/9/9/2Pppp3/9/9/9/6P2/9 b P", "3h3d", "9/9/9/2P3P2/9/9/9/9/9 w 4P"),
        ("6P2/6p2/6p2/2Pppp3/9/9/9/6P2/9 b -", "3h3d", ""),
        ("6P2/6p2/6p2/2Pppp3/9/9/9/6P2/9 b p", "3h3d", "6P2/9/9/2P3P2/9/9/9/9/9 w 5Pp"),
        ("9/9/9/2Pp1p3/9/9/9/6P2/9 b P", "3h3d", "9/9/9/2Pp1pP2/9/9/9/9/9 w P"),
        ("9/9/9/ppp6/9/9/9/3P5/9 b P", "6h6d", "9/9/9/pppP5/9/9/9/9/9 w P"),
        ("9/9/9/3p1p3/9/9/9/4P4/9 b P", "5h5d", "9/9/9/3pPp3/9/9/9/9/9 w P"),
        ("p8/P8/9/9/9/9/9/1P7/9 b P", "8h8a", "1P7/P8/9/9/9/9/9/9/9 w 2P"),
        // Leaving a pair about a corner captures nothing, nor does a move elsewhere.
        ("pP7/P8/9/9/9/9/9/8P/9 b P", "1h1g", "pP7/P8/9/9/9/9/8P/9/9 w P"),
    ] {
        if after.is_empty() {
            // Decided before the move: five are missing.
            assert!(!at(&format!("{before} 1")).is_legal(Move::from_usi(line).unwrap()));
        } else {
            assert_eq!(board_after(&format!("{before} 1"), line), format!("{after} 2"));
        }
    }
}

#[test]
fn goals() {
    let win = |winner| Some(GameResult { winner: Some(winner), reason: Reason::Goal });
    let board = "9/9/9/2Pppp3/9/9/9/6P2/9 b";
    for (target, hands, wins) in [
        (Goal::Capture5, "P", false),
        (Goal::Capture5, "2P", true),
        (Goal::Capture5, "2P4p", true),
        (Goal::Lead3, "3P3p", true),
        (Goal::Lead3, "3P4p", false),
        (Goal::CaptureAll, "P", true),
    ] {
        let mut position: HasamiPosition = position(&format!("{board} {hands} 9"), &goal(target));
        let m = Move::from_usi("3h3d").unwrap();
        assert_eq!(position.quick_win(), wins.then_some((m, 1)), "{target:?} {hands}");
        assert_eq!(position.gain(m) > 1000, wins);
        play(&mut position, "3h3d");
        assert_eq!(position.winner(), wins.then_some(Color::Black), "{target:?} {hands}");
        if wins {
            assert_eq!(position.result(), win(Color::Black));
            assert_eq!((position.count_legal(), moves(&position, Stage::All).len()), (0, 0));
        }
        position.unmake();
        assert_eq!(position.winner(), None);
    }
    // A diagram may be decided already, for either side.
    assert_eq!(at("9/9/9/2Pppp3/9/9/9/6P2/9 b - 9").result(), win(Color::White));
    assert_eq!(at("9/9/9/2Pppp3/9/9/9/6P2/9 b 5Pp 9").result(), win(Color::Black));
    assert_eq!(at("9/9/9/2Pppp3/9/9/9/6P2/9 w 5Pp 9").result(), win(Color::Black));
}

#[test]
fn other_ends() {
    let mut position: HasamiPosition =
        position("ppppppppp/9/9/9/9/9/9/9/PPPPPPPPP b - 1", &HouseRules { move_limit: 13, ..HouseRules::default() });
    for round in 1..=3 {
        assert_eq!(position.occurrences(), round);
        assert_eq!(position.result(), None);
        play(&mut position, "9i9h 9a9b 9h9i 9b9a");
    }
    assert_eq!(position.result(), Some(GameResult { winner: None, reason: Reason::Repetition }));
    assert_eq!(position.repetition(0), Some(Repetition::Draw));
    play(&mut position, "5i5e");
    assert_eq!(position.result(), Some(GameResult { winner: None, reason: Reason::MoveLimit }));

    let shut = at("p8/9/9/9/9/9/9/7p1/6pPP b 3P4p 40");
    assert_eq!(shut.result(), None);
    let shut = at("p8/9/9/9/9/9/9/7pp/6pPp b 3P4p 40");
    assert_eq!(shut.result(), Some(GameResult { winner: Some(Color::White), reason: Reason::NoLegalMove }));
    // A decided board counts before having no move.
    let empty: HasamiPosition = crate::common::position("9/9/9/9/9/9/9/9/8P w 9P8p 40", &goal(Goal::CaptureAll));
    assert_eq!(empty.result(), Some(GameResult { winner: Some(Color::Black), reason: Reason::Goal }));
}

#[test]
fn captures_in_the_hand_field() {
    let omitted = at("pppp5/9/9/9/9/9/9/9/PPPPPPP2 b - 1");
    assert_eq!(omitted.diagram().to_string(), "pppp5/9/9/9/9/9/9/9/PPPPPPP2 b 5P2p 1");
    let given = at("pppp5/9/9/9/9/9/9/9/PPPPPPP2 w 3P 7");
    assert_eq!(given.diagram().to_string(), "pppp5/9/9/9/9/9/9/9/PPPPPPP2 w 3P 7");
    assert_eq!(given.result(), None);

    let refused = |sfen: &str| read::<HasamiPosition>(sfen, &HouseRules::default()).err();
    assert!(matches!(
        refused("ppppppppp/p8/9/9/9/9/9/9/PPPPPPPPP b - 1"),
        Some(DiagramError::TooMany { kind: 'p', found: 10, limit: 9 })
    ));
    assert!(matches!(refused("ppppppppp/9/9/9/9/9/9/9/PPPPPPPPK b - 1"), Some(DiagramError::NotHasami(_))));
    assert!(matches!(refused("ppppppppp/9/9/9/9/9/9/9/PPPPPPPP+P b - 1"), Some(DiagramError::NotHasami(_))));
    assert!(matches!(refused("pppp5/9/9/9/9/9/9/9/PPPPPPPPP b R 1"), Some(DiagramError::NotHasami(_))));
    assert!(matches!(refused("pppp5/9/9/9/9/9/9/9/PPPPPPPPP b 6P 1"), Some(DiagramError::Captures("Black", 6, 4))));
    assert!(matches!(refused("ppppppppp/9/9/9/9/9/9/9/PPPPPPPPP b - 1 step=2"), Some(DiagramError::Step(2))));
}

#[test]
fn random_games_keep_what_every_position_keeps() {
    for seed in 0..60 {
        let rules = goal(Goal::ALL[seed as usize % 3]);
        random_game::<Hasami>(HasamiPosition::startpos(&rules), seed, 200, |position, random| {
            let wins = moves(position, Stage::All).into_iter().find(|&m| {
                position.make(m, &mut ());
                let won = position.winner().is_some();
                position.unmake();
                won
            });
            match position.quick_win() {
                None => assert_eq!(wins, None, "{}", position.diagram()),
                Some((m, length)) => {
                    assert_eq!(length, 1);
                    assert!(wins.is_some() && position.is_legal(m));
                    position.make(m, &mut ());
                    assert!(position.winner().is_some());
                    position.unmake();
                }
            }
            check_null(position);
            if random.below(40) == 0 {
                check_legality(position);
            }
        });
    }
}
