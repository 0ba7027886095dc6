//! The rules of flanking shogi.

use happo::board::{ByColor, Color, Kind, Move, Piece, Square};
use happo::diagram::{Diagram, DiagramError};
use happo::flanking::{Flanking, FlankingPosition};
use happo::game::{GameResult, HouseRules, Position, Reason, Repetition, Stage};
use happo::perft::perft;

use crate::common::{Random, check_legality, check_null, moves, position, random_game, read};
use crate::support::play;

fn at(sfen: &str) -> FlankingPosition {
    position(sfen, &HouseRules::default())
}

/// A king capture within the turn, by trying everything: the number of half-moves it takes.
fn hunt_by_force(position: &mut FlankingPosition) -> Option<u32> {
    let us = position.side_to_move();
    let mut least = None;
    for m in moves(position, Stage::All) {
        position.make(m, &mut ());
        let length = if position.winner().is_some() {
            Some(1)
        } else if position.side_to_move() == us {
            moves(position, Stage::Tactical).into_iter().find_map(|m| {
                position.make(m, &mut ());
                let won = position.winner().is_some();
                position.unmake();
                won.then_some(2)
            })
        } else {
            None
        };
        position.unmake();
        if length == Some(1) {
            return length;
        }
        least = least.or(length);
    }
    least
}

fn check_hunt(position: &mut FlankingPosition) -> Option<u32> {
    let expected = hunt_by_force(position);
    let found = position.quick_win();
    assert_eq!(found.map(|(_, length)| length), expected, "{}", position.diagram());
    if let Some((m, length)) = found {
        assert!(position.is_legal(m), "{m} in {}", position.diagram());
        position.make(m, &mut ());
        if length == 1 {
            assert!(position.winner().is_some(), "{m}");
        } else {
            assert_eq!(hunt_by_force(position), Some(1), "{m}");
        }
        position.unmake();
    }
    expected
}

#[test]
fn perft_from_the_start() {
    let mut start = FlankingPosition::startpos(&HouseRules::default());
    let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    assert_eq!(start.diagram().to_string(), sfen);
    assert_eq!(start.key(), at(sfen).key());
    for (depth, nodes) in [(1, 30), (2, 847), (3, 25_409), (4, 717_388)] {
        assert_eq!(perft(&mut start, depth), nodes);
    }
}

#[test]
fn random_games_keep_what_every_position_keeps() {
    for seed in 0..60 {
        let start = FlankingPosition::startpos(&HouseRules::default());
        random_game::<Flanking>(start, seed, 400, |position, random| {
            if position.step() == 1 {
                check_null(position);
            }
            let pruned = {
                let mut list = happo::board::MoveList::new();
                position.generate_pruned(Stage::All, &mut list);
                list
            };
            for m in moves(position, Stage::All) {
                let useless = position.mover(m).kind() == Kind::Pawn
                    && !m.is_drop()
                    && !m.is_promotion()
                    && position.is_legal(Move::promotion(m.from().unwrap(), m.to()));
                assert_eq!(pruned.contains(&m), !useless, "{m}");
            }
            check_hunt(position);
            if random.below(100) == 0 {
                check_legality(position);
            }
        });
    }
}

#[test]
fn captures() {
    for (before, line, after) in [
        // A run and two directions at once; the promoted piece goes to the hand unpromoted.
        ("4k4/9/9/1Gsp5/9/9/9/4R4/4K4 b - 1", "5h5d", "4k4/9/9/1G2R4/9/9/9/9/4K4 b SP 2 step=2"),
        ("4k4/9/4G4/4+s4/1G1r5/9/9/4R4/4K4 b - 1", "5h5e", "4k4/9/4G4/9/1G1rR4/9/9/9/4K4 b S 2 step=2"),
        ("4k4/9/4G4/4+s4/1Gbr5/9/9/4R4/4K4 b - 1", "5h5e", "4k4/9/4G4/9/1G2R4/9/9/9/4K4 b RBS 2 step=2"),
        // The king closes runs too, by moving or by standing.
        ("4k4/9/9/9/9/9/9/8K/5Rgg1 b - 1", "1h1i", "4k4/9/9/9/9/9/9/9/5R2K b 2G 2 step=2"),
        ("4k4/9/9/9/9/9/5R3/9/6ggK b - 1", "4g4i", "4k4/9/9/9/9/9/9/9/5R2K b 2G 2 step=2"),
        // A gap, the edge, and going between two enemies.
        ("4k4/9/9/1Gs1p4/9/9/9/5R3/4K4 b - 1", "4h4d", "4k4/9/9/1Gs1pR3/9/9/9/9/4K4 b - 2 step=2"),
        ("4k4/9/9/sss6/9/9/9/3R5/4K4 b - 1", "6h6d", "4k4/9/9/sssR5/9/9/9/9/4K4 b - 2 step=2"),
        ("4k4/9/9/3s1s3/9/9/9/4R4/4K4 b - 1", "5h5d", "4k4/9/9/3sRs3/9/9/9/9/4K4 b - 2 step=2"),
        // A corner, by the piece that completes the pair only.
        ("l3k4/G8/9/9/9/9/9/1R7/4K4 b - 1", "8h8a", "1R2k4/G8/9/9/9/9/9/9/4K4 b L 2 step=2"),
        ("lR2k4/G8/9/9/9/9/9/9/4K4 b - 1", "5i5h", "lR2k4/G8/9/9/9/9/9/4K4/9 b - 2 step=2"),
        ("lR2k4/G8/9/9/9/9/9/9/4K4 b - 1", "8a8b 8b8a", "1R2k4/G8/9/9/9/9/9/9/4K4 w L 3"),
        // From one side of the corner to the other nothing is trapped.
        ("1k7/9/9/9/9/9/9/9/gS2K4 b - 1", "8i9h", "1k7/9/9/9/9/9/9/S8/g3K4 b - 2 step=2"),
        // A drop captures nothing but closes runs for the second half-move, which may be its own.
        ("4k4/9/9/3Gp4/9/9/9/4R4/4K4 b G 1", "G*4d", "4k4/9/9/3GpG3/9/9/9/4R4/4K4 b - 2 step=2"),
        ("4k4/9/9/3Gp4/9/9/9/4R4/4K4 b G 1", "G*4e,4e4d", "4k4/9/9/3G1G3/9/9/9/4R4/4K4 w P 3"),
        // What the first half-move captured the second may drop; a piece may go back where it came from.
        ("4k4/9/9/3Gp1R2/9/9/9/9/4K4 b - 1", "3d4d,P*5b", "4k4/4P4/9/3G1R3/9/9/9/9/4K4 w - 3"),
        ("4k4/9/9/9/9/9/9/4R4/4K4 b - 1", "5h6h,6h5h", "4k4/9/9/9/9/9/9/4R4/4K4 w - 3"),
    ] {
        let mut position = at(before);
        play(&mut position, line);
        assert_eq!(position.diagram().to_string(), after, "{line} in {before}");
    }
}

#[test]
fn a_trapped_king_ends_the_game_at_once() {
    let won = |winner| Some(GameResult { winner: Some(winner), reason: Reason::KingFlanked });
    let mut position = at("9/9/9/3Gks3/9/9/9/3R5/4K4 b - 1");
    let gold = Move::from_usi("6h4h").unwrap();
    assert_eq!(position.quick_win().map(|(_, length)| length), Some(2));
    position.make(gold, &mut ());
    assert_eq!(position.quick_win(), None);
    play(&mut position, "4h3h");
    position.unmake();
    play(&mut position, "4h4e");
    assert_eq!((position.side_to_move(), position.step(), position.result()), (Color::White, 1, None));
    // The whole run falls with its king, on the first half-move; the king goes to no hand.
    let mut position = at("9/9/9/3Gks3/9/9/9/6R2/4K4 b - 7");
    let m = Move::from_usi("3h3d").unwrap();
    assert_eq!(position.quick_win(), Some((m, 1)));
    assert!(position.gain(m) > 10_000);
    assert_eq!(position.victim(m), Some(Kind::King));
    play(&mut position, "3h3d");
    assert_eq!(position.result(), won(Color::Black));
    assert_eq!(position.diagram().to_string(), "9/9/9/3G2R2/9/9/9/9/4K4 b S 8 step=2");
    assert_eq!((position.count_legal(), moves(&position, Stage::All).len()), (0, 0));
    assert_eq!(position.quick_win(), None);
    position.unmake();
    assert_eq!(position.result(), None);
    // In a corner.
    let mut position = at("k8/1G7/P8/9/9/9/9/9/4K4 b - 1 step=2");
    assert_eq!(position.quick_win(), None);
    let mut position = at("k8/P8/1G7/9/9/9/9/9/4K4 b - 1");
    assert_eq!(position.quick_win().map(|(_, length)| length), Some(2));
    play(&mut position, "8c8b 8b8a");
    assert_eq!(position.result(), won(Color::Black));
    // A capture on the way to one end opens the line to the other.
    let mut position = at("9/9/9/9/4k4/3l5/2Np5/2BP5/8K b - 1");
    assert_eq!(position.quick_win(), Move::from_usi("7g6e").map(|m| (m, 2)));
    check_hunt(&mut position);
}

#[test]
fn other_ends() {
    let rules = HouseRules { move_limit: 26, ..HouseRules::default() };
    let mut position = FlankingPosition::startpos(&rules);
    for round in 1..=3 {
        assert_eq!((position.occurrences(), position.result()), (round, None));
        play(&mut position, "5i5h 5h5i");
        assert_eq!(position.side_to_move(), Color::White);
        assert_eq!((position.occurrences(), position.result()), (round, None));
        play(&mut position, "5a5b 5b5a");
    }
    assert_eq!(position.result(), Some(GameResult { winner: None, reason: Reason::Repetition }));
    assert_eq!(position.repetition(0), Some(Repetition::Draw));
    position.unmake();
    assert_eq!(position.repetition(2), None);
    assert_eq!(position.repetition(4), Some(Repetition::Draw));
    play(&mut position, "5b6b");
    play(&mut position, "9g9f,8g8f 9c9d,8c8d 7g7f,6g6f 7c7d,6c6d 5g5f,4g4f 5c5d,4c4d 3g3f");
    assert_eq!(position.result(), None);
    play(&mut position, "2g2f");
    assert_eq!(position.result(), Some(GameResult { winner: None, reason: Reason::MoveLimit }));
}

#[test]
fn a_side_that_cannot_complete_its_turn_loses() {
    let lost = Some(GameResult { winner: Some(Color::White), reason: Reason::NoLegalMove });
    let free = at("4k4/9/9/9/9/9/9/6s1s/6gKg b - 1 step=2");
    assert_eq!(free.result(), None);
    let shut = at("4k4/9/9/9/9/9/9/6sss/6gKg b - 1 step=2");
    assert_eq!(shut.result(), lost);
    assert!(!shut.has_legal_move());
    assert_eq!(shut.count_legal(), 0);
}

#[test]
fn bans_of_shogi_hold() {
    let position = at("4k4/2P6/9/N8/1L7/9/1P7/9/4K4 b PLN 1");
    let legal = |text| position.is_legal(Move::from_usi(text).unwrap());
    // Nifu and pieces without a further move.
    assert!(!legal("P*7e") && !legal("P*8c") && legal("P*6b") && !legal("P*6a"));
    assert!(!legal("L*6a") && legal("L*6b") && !legal("N*6b") && legal("N*6c"));
    // Promotion is forced only where the piece could never move again.
    assert!(legal("7b7a+") && !legal("7b7a"));
    assert!(legal("9d8b+") && !legal("9d8b"));
    assert!(legal("8e8b") && legal("8e8b+") && legal("8e8a+") && !legal("8e8a") && !legal("8e8d+"));
    assert!(!legal("5i5h+") && !legal("G*5e"));
}

#[test]
fn diagrams() {
    let sfen = "4k4/9/9/3G1G3/9/9/9/4R4/4K4 w 2P3sl 9 step=2";
    assert_eq!(at(sfen).diagram().to_string(), "4k4/9/9/3G1G3/9/9/9/4R4/4K4 w 2P3sl 9 step=2");
    assert_eq!((at(sfen).step(), at(sfen).moves_played()), (2, 8));
    assert_ne!(at(sfen).key(), at("4k4/9/9/3G1G3/9/9/9/4R4/4K4 w 2P3sl 9").key());
    let refused = |sfen: &str| read::<FlankingPosition>(sfen, &HouseRules::default()).err();
    assert_eq!(refused("9/9/9/9/9/9/9/9/4K4 b - 1"), Some(DiagramError::NoKing("White")));
    assert_eq!(refused("4k4/9/9/9/9/9/9/9/3KK4 b - 1"), Some(DiagramError::Kings("Black", 2)));
    assert!(matches!(refused("P3k4/9/9/9/9/9/9/9/4K4 b - 1"), Some(DiagramError::DeadPiece { .. })));
    assert!(matches!(refused("4k4/9/9/9/9/9/9/n8/4K4 b - 1"), Some(DiagramError::DeadPiece { .. })));
    assert_eq!(refused("4k4/P8/P8/9/9/9/9/9/4K4 b - 1"), Some(DiagramError::Nifu("Black", 9)));
    assert!(matches!(refused("4k4/9/9/9/9/9/9/9/4K4 b 3R 1"), Some(DiagramError::TooMany { kind: 'R', .. })));
}

/// A board of few pieces, many of them about a king that likes edges and corners.
fn random_diagram(random: &mut Random) -> Diagram {
    let mut board = [None; Square::COUNT];
    let side = Color::ALL[random.below(2)];
    let edges = [1, 1, 1, 9, 9, 2, 8, 3, 5, 6];
    let king = Square::new(edges[random.below(10)], edges[random.below(10)]).unwrap();
    board[king.index()] = Some(Piece::new(!side, Kind::King));
    for place in 0..3 + random.below(24) {
        let square = Square::from_index(random.below(81));
        if board[square.index()].is_some() || random.below(3) > 0 && square.distance(king) > 2 {
            continue;
        }
        let kind = if place == 0 { Kind::King } else { Kind::from_index(random.below(14)) };
        let color = if place == 0 || random.below(2) == 0 { side } else { !side };
        if place == 0 || kind != Kind::King {
            board[square.index()] = Some(Piece::new(color, kind));
        }
    }
    let mut hands = ByColor([[0; 7]; 2]);
    if random.below(3) == 0 {
        hands[side][random.below(7)] = 1;
    }
    Diagram { board, hands, hands_omitted: false, side, number: 1, step: 1 + random.below(5) as u8 / 4 }
}

#[test]
fn king_captures_are_found_exactly_on_random_boards() {
    let boards = 40_000;
    let mut random = Random::new(0);
    let mut lengths = [0; 3];
    for _ in 0..boards {
        if let Ok(mut position) = FlankingPosition::from_diagram(&random_diagram(&mut random), &HouseRules::default()) {
            lengths[check_hunt(&mut position).unwrap_or(0) as usize] += 1;
        }
    }
    assert!(lengths.into_iter().all(|count| count > boards / 100), "{lengths:?}");
}
