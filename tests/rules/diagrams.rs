//! What is refused as a diagram, and why.

use happo::board::{Color, Kind, Piece, Square};
use happo::diagram::{Diagram, DiagramError};
use happo::flanking::Flanking;
use happo::game::{Game, HouseRules, Position};
use happo::hasami::Hasami;
use happo::shogi::{AiHappokei, Happokei, Shogi};

use crate::support::*;

fn refusal<G: Game>(sfen: &str) -> Option<DiagramError> {
    read::<G::Position>(sfen, &HouseRules::default()).err()
}

fn square(text: &str) -> Square {
    let bytes = text.as_bytes();
    Square::from_usi(bytes[0], bytes[1]).expect("a square")
}

const EMPTY: &str = "9/9/9/9/9/9/9/9/9";

#[test]
fn text_that_is_no_board() {
    use DiagramError::*;
    for (board, error) in [
        ("", RankCount(1)),
        ("9/9/9/9/9/9/9/9", RankCount(8)),
        ("9/9/9/9/9/9/9/9/9/9", RankCount(10)),
        ("8/9/9/9/9/9/9/9/9", RankWidth('a', 8)),
        ("9/9/9/9/9/9/9/9/", RankWidth('i', 0)),
        ("9/PPPPPPPPPP/9/9/9/9/9/9/9", RankWidth('b', 10)),
        ("9/9/91/9/9/9/9/9/9", RankWidth('c', 10)),
        ("9/9/9/4P5/9/9/9/9/9", RankWidth('d', 10)),
        ("9/9/9/9/999/9/9/9/9", RankWidth('e', 27)),
        ("9/9/9/9/9/4x4/9/9/9", BoardCharacter('x')),
        ("9/9/9/9/9/4 4/9/9/9", BoardCharacter(' ')),
        ("9/9/9/9/9/40P4/9/9/9", BoardCharacter('0')),
        ("9/9/9/9/9/4歩4/9/9/9", BoardCharacter('歩')),
        ("9/9/9/9/9/4+K4/9/9/9", Promotion('K')),
        ("9/9/9/9/9/4+g4/9/9/9", Promotion('g')),
        ("9/9/9/9/9/4++P4/9/9/9", Promotion('+')),
        ("9/9/9/9/9/4+5/9/9/9", Promotion('5')),
    ] {
        assert_eq!(Diagram::parse(board, "b", "-", None), Err(error), "{board}");
    }
    assert!(matches!(Diagram::parse("9/9/9/9/9/9/9/9/8+", "b", "-", None), Err(Promotion(_))));
}

#[test]
fn text_that_is_no_side_hand_or_number() {
    for side in ["", "B", "W", "black", "bw", "x"] {
        assert_eq!(Diagram::parse(EMPTY, side, "-", None), Err(DiagramError::Side(side.into())));
    }
    for hands in ["", "K", "k", "x", "2", "P2", "0P", "-P", "P-", "+P", "1000P", "99999999999999999999P", "歩"] {
        assert_eq!(Diagram::parse(EMPTY, "b", hands, None), Err(DiagramError::Hands(hands.into())), "{hands}");
    }
    for number in ["x", "", "-1", "1.5", "1000001", "99999999999999999999", "1x"] {
        assert_eq!(Diagram::parse(EMPTY, "b", "-", Some(number)), Err(DiagramError::MoveNumber(number.into())));
    }
    // Messages stay short whatever was sent.
    let long = "x".repeat(10_000);
    for error in [Diagram::parse(EMPTY, &long, "-", None), Diagram::parse(EMPTY, "b", &long, None)] {
        assert!(error.expect_err("nonsense").to_string().len() < 200);
    }
}

#[test]
fn text_that_is_read() {
    let mixed = Diagram::parse(EMPTY, "w", "p2bR10P3p", Some("7")).expect("hands in any order");
    assert_eq!(mixed.to_string(), "9/9/9/9/9/9/9/9/9 w R10P2b4p 7");
    assert_eq!(Diagram::parse(EMPTY, "b", "-", None).expect("a number is optional").number, 1);
    assert_eq!(Diagram::parse(EMPTY, "b", "-", Some("1000000")).expect("the largest number").number, 1_000_000);
    assert_eq!(Diagram::parse(EMPTY, "b", "-", Some("0")).expect("some programs count from 0").number, 1);
    // Gaps may be written in parts.
    let parts = Diagram::parse("333/45/1P7/111111111/9/9/9/9/9", "b", "-", None).expect("gaps");
    assert_eq!(parts.to_string(), "9/9/1P7/9/9/9/9/9/9 b - 1");
}

#[test]
fn impossible_positions_of_the_shogi_family() {
    use DiagramError::*;
    let black = |kind| Piece::new(Color::Black, kind);
    let white = |kind| Piece::new(Color::White, kind);
    let dead = |piece, at| DeadPiece { piece, square: square(at) };
    let many = |kind, found, limit| TooMany { kind, found, limit };
    let rows = [
        ("4k4/9/9/9/9/9/9/9/9 b 19P 1", many('P', 19, 18)),
        ("ppppppppp/PPPPPPPPP/9/9/4+P4/9/9/9/9 b - 1", many('P', 19, 18)),
        ("9/9/9/9/4+P4/9/9/9/9 b 9P9p 1", many('P', 19, 18)),
        ("9/9/9/9/4L4/9/9/9/9 b 2L2l 1", many('L', 5, 4)),
        ("9/9/9/9/4+n4/9/9/9/9 b 4N 1", many('N', 5, 4)),
        ("9/9/9/9/SSSSS4/9/9/9/9 b - 1", many('S', 5, 4)),
        ("9/9/9/9/9/9/9/9/9 b G4g 1", many('G', 5, 4)),
        ("9/9/9/9/4+B4/9/9/9/9 b Bb 1", many('B', 3, 2)),
        ("9/9/9/9/4r4/9/9/9/4R4 b R 1", many('R', 3, 2)),
        ("4k4/9/9/9/9/9/9/9/4K3K b - 1", Kings("Black", 2)),
        ("k3k3k/9/9/9/9/9/9/9/4K4 b - 1", Kings("White", 3)),
        ("4P4/9/9/9/9/9/9/9/9 b - 1", dead(black(Kind::Pawn), "5a")),
        ("3L5/9/9/9/9/9/9/9/9 w - 1", dead(black(Kind::Lance), "6a")),
        ("9/9/9/9/9/9/9/9/8p w - 1", dead(white(Kind::Pawn), "1i")),
        ("9/9/9/9/9/9/9/9/l8 b - 1", dead(white(Kind::Lance), "9i")),
        ("9/9/9/9/4P4/4P4/9/9/9 b - 1", Nifu("Black", 5)),
        ("p8/9/9/9/9/9/9/p8/9 b - 1", Nifu("White", 9)),
        ("4k4/9/9/9/9/9/9/9/4R4 b - 1", CheckedOutOfTurn("White")),
        ("9/9/9/9/4p4/4K4/9/9/9 w - 1", CheckedOutOfTurn("Black")),
        ("9/9/9/9/4k4/4K4/9/9/9 w - 1", CheckedOutOfTurn("Black")),
        ("9/9/9/9/4K4/9/9/9/9 b - 1 step=2", Step(2)),
    ];
    for (sfen, error) in &rows {
        assert_eq!(refusal::<Shogi>(sfen).as_ref(), Some(error), "{sfen}");
        assert_eq!(refusal::<Happokei>(sfen).as_ref(), Some(error), "{sfen}");
        assert_eq!(refusal::<AiHappokei>(sfen).as_ref(), Some(error), "{sfen}");
        assert!(!error.to_string().is_empty());
    }
    // Ordinary knights may be dead, eight-way ones never are.
    for (sfen, at) in [("8N/9/9/9/9/9/9/9/9 b - 1", "1a"), ("9/N8/9/9/9/9/9/9/9 b - 1", "9b")] {
        assert_eq!(refusal::<Shogi>(sfen), Some(dead(black(Kind::Knight), at)));
        assert_eq!(refusal::<Happokei>(sfen), None);
        assert_eq!(refusal::<AiHappokei>(sfen), None);
    }
    for (sfen, at) in [("9/9/9/9/9/9/9/9/8n b - 1", "1i"), ("9/9/9/9/9/9/9/n8/9 b - 1", "9h")] {
        assert_eq!(refusal::<Shogi>(sfen), Some(dead(white(Kind::Knight), at)));
        assert_eq!(refusal::<Happokei>(sfen), Some(dead(white(Kind::Knight), at)));
        assert_eq!(refusal::<AiHappokei>(sfen), None);
    }
    // Check out of turn depends on how knights leap.
    let behind = "9/9/9/9/4k4/9/3N5/9/9 b - 1";
    let beside = "9/9/9/9/4k4/2N6/9/9/9 b - 1";
    assert_eq!(refusal::<Shogi>(behind), Some(CheckedOutOfTurn("White")));
    assert_eq!(refusal::<Shogi>(beside), None);
    assert_eq!(refusal::<Happokei>(beside), Some(CheckedOutOfTurn("White")));
    assert_eq!(refusal::<AiHappokei>(beside), Some(CheckedOutOfTurn("White")));
}

#[test]
fn unusual_positions_that_are_none_of_those() {
    for sfen in [
        "9/9/9/9/9/9/9/9/9 b - 1",
        "4k4/9/9/9/9/9/9/9/9 w 2R2B4G4S4N4L18P 1",
        "9/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 500",
        "9/9/4P4/4+P4/4p4/4+p4/9/9/9 b - 1",
        "4k4/9/9/9/4r4/9/9/9/4K4 b - 1",
    ] {
        let diagrams = [
            position::<<Shogi as Game>::Position>(sfen).diagram().to_string(),
            position::<<Happokei as Game>::Position>(sfen).diagram().to_string(),
            position::<<AiHappokei as Game>::Position>(sfen).diagram().to_string(),
        ];
        assert_eq!(diagrams, [sfen; 3]);
    }
}

#[test]
fn impossible_positions_of_flanking() {
    use DiagramError::*;
    for (sfen, error) in [
        ("4k4/9/9/9/9/9/9/9/9 b - 1", NoKing("Black")),
        ("9/9/9/9/9/9/9/9/4K4 b - 1", NoKing("White")),
        ("4k4/9/9/9/9/9/9/9/4K3K b - 1", Kings("Black", 2)),
        ("4k4/9/9/9/9/9/9/9/4K4 b 3r 1", TooMany { kind: 'R', found: 3, limit: 2 }),
        ("4k4/9/9/9/4P4/4P4/9/9/4K4 b - 1", Nifu("Black", 5)),
        (
            "N3k4/9/9/9/9/9/9/9/4K4 b - 1",
            DeadPiece { piece: Piece::new(Color::Black, Kind::Knight), square: square("9a") },
        ),
        (
            "4k4/9/9/9/9/9/9/9/4K3p b - 1",
            DeadPiece { piece: Piece::new(Color::White, Kind::Pawn), square: square("1i") },
        ),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1 step=0", Step(0)),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1 step=3", Step(3)),
    ] {
        assert_eq!(refusal::<Flanking>(sfen), Some(error), "{sfen}");
    }
    // There is no check: kings may stand where they could be taken in shogi.
    for sfen in [
        "4k4/4K4/9/9/9/9/9/9/9 b - 1",
        "4k4/9/9/9/9/9/9/9/4K3R b - 1",
        "4k4/9/9/9/9/9/9/9/4K3R b - 1 step=2",
        "4k4/9/4R4/9/9/9/9/9/4K4 b - 1",
    ] {
        assert_eq!(position::<<Flanking as Game>::Position>(sfen).diagram().to_string(), sfen);
    }
}

#[test]
fn impossible_positions_of_hasami() {
    use DiagramError::*;
    let white = |kind| Piece::new(Color::White, kind);
    let black = |kind| Piece::new(Color::Black, kind);
    for (sfen, error) in [
        ("4r4/9/9/9/9/9/9/9/PPPPPPPPP b - 1", NotHasami(white(Kind::Rook))),
        ("4p4/9/9/9/9/9/9/9/4K4 b - 1", NotHasami(black(Kind::King))),
        ("4+p4/9/9/9/9/9/9/9/4P4 b - 1", NotHasami(white(Kind::ProPawn))),
        ("4p4/9/9/9/9/9/9/9/PPPPPPPPP b G 1", NotHasami(black(Kind::Gold))),
        ("4p4/9/9/9/9/9/9/P8/PPPPPPPPP b - 1", TooMany { kind: 'P', found: 10, limit: 9 }),
        ("ppppppppp/9/9/9/9/9/9/9/PPPPPPPPP b P 1", Captures("Black", 1, 9)),
        ("ppppppppp/9/9/9/9/9/9/9/PPPPPPPP1 b 2p 1", Captures("White", 2, 8)),
        ("4p4/9/9/9/9/9/9/9/PPPPPPPPP b 99P 1", Captures("Black", 99, 1)),
        ("ppppppppp/9/9/9/9/9/9/9/PPPPPPPPP b - 1 step=2", Step(2)),
    ] {
        assert_eq!(refusal::<Hasami>(sfen), Some(error), "{sfen}");
    }
    // What is pawn trouble in shogi is an ordinary board here.
    let sfen = "PPPPPPPPP/9/9/9/9/9/9/9/ppppppppp w - 3";
    assert_eq!(position::<<Hasami as Game>::Position>(sfen).diagram().to_string(), sfen);
}
