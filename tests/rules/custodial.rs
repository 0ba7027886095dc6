//! Hand-made positions of flanking and hasami: each tells one rule.

use happo::board::Color;
use happo::flanking::Flanking;
use happo::game::{Game, GameResult, Goal, HouseRules, Position, Reason};
use happo::hasami::Hasami;

use crate::support::*;

type Flankings = <Flanking as Game>::Position;
type Hasamis = <Hasami as Game>::Position;

const BLACK: Option<Color> = Some(Color::Black);
const WHITE: Option<Color> = Some(Color::White);

fn result<P: Position>(position: &P) -> Option<(Option<Color>, Reason)> {
    position.result().map(|GameResult { winner, reason }| (winner, reason))
}

/// A position, moves, the diagram they lead to and the result there.
type Story = (&'static str, &'static str, &'static str, Option<(Option<Color>, Reason)>);

fn tell<P: Position>(rules: &HouseRules, stories: &[Story]) {
    for &(sfen, moves, expected, end) in stories {
        let mut game: P = position_with(sfen, rules);
        let start = game.diagram().to_string();
        play(&mut game, moves);
        assert_eq!((game.diagram().to_string().as_str(), result(&game)), (expected, end), "{moves} in {sfen}");
        assert_eq!(game.key(), game.computed_key(), "{expected}");
        if end.is_some_and(|(winner, _)| winner.is_some()) {
            assert_eq!(legal(&game), [""; 0], "{expected}");
        }
        moves.split_whitespace().for_each(|_| game.unmake());
        assert_eq!(game.diagram().to_string(), start);
    }
}

#[test]
fn flanking_captures() {
    tell::<Flankings>(
        &HouseRules::default(),
        &[
            // One piece between two, along a rank, from either side.
            ("8k/9/9/9/4pG3/9/9/9/3R4K b - 1", "6i6e", "8k/9/9/9/3R1G3/9/9/9/8K b P 2 step=2", None),
            ("8k/9/9/9/3Gp4/9/9/9/5R2K b - 1", "4i4e", "8k/9/9/9/3G1R3/9/9/9/8K b P 2 step=2", None),
            // Along a file, and by the second half-move.
            ("8k/9/4G4/4s4/R8/9/9/9/8K b - 2 step=2", "9e5e", "8k/9/4G4/9/4R4/9/9/9/8K w S 3", None),
            ("8k/9/R8/4s4/4G4/9/9/9/8K b - 1", "9c5c", "8k/9/4R4/9/4G4/9/9/9/8K b S 2 step=2", None),
            // White alike.
            ("8k/9/9/9/4Pg3/9/9/9/3r4K w - 1", "6i6e", "8k/9/9/9/3r1g3/9/9/9/8K w p 2 step=2", None),
            // A whole run at once, which goes to hand unpromoted; no run is closed across a gap.
            ("8k/9/9/9/4+pb+rG1/9/9/9/3R4K b - 1", "6i6e", "8k/9/9/9/3R3G1/9/9/9/8K b RBP 2 step=2", None),
            ("8k/9/9/9/4+p1+rG1/9/9/9/3R4K b - 1", "6i6e", "8k/9/9/9/3R+p1+rG1/9/9/9/8K b - 2 step=2", None),
            // Three directions at once.
            ("8k/9/3G5/3p5/1Gs1nG3/3R5/9/9/8K b - 1", "6f6e", "8k/9/3G5/9/1G1R1G3/9/9/9/8K b SNP 2 step=2", None),
            // Moving away captures nothing.
            ("8k/9/3G5/3p5/1GsRnG3/9/9/9/8K b - 1", "6e6f", "8k/9/3G5/3p5/1Gs1nG3/3R5/9/9/8K b - 2 step=2", None),
            // The edge closes no run.
            ("8k/9/9/9/6ppp/9/9/9/5R2K b - 1", "4i4e", "8k/9/9/9/5Rppp/9/9/9/8K b - 2 step=2", None),
            // The king closes runs, standing or moving.
            ("8k/9/9/9/1R1pK4/9/9/9/9 b - 1", "8e7e", "8k/9/9/9/2R1K4/9/9/9/9 b P 2 step=2", None),
            ("8k/9/9/3G5/3p5/4K4/9/9/9 b - 1", "5f6f", "8k/9/9/3G5/9/3K5/9/9/9 b P 2 step=2", None),
            // Diagonals do not count.
            ("8k/9/3G5/4p4/9/4R4/9/9/8K b - 1", "5f5e", "8k/9/3G5/4p4/4R4/9/9/9/8K b - 2 step=2", None),
            // Moving in between two enemies is safe, and a trap that is ripe waits for one of its members to move.
            ("8k/9/9/9/3p1p3/4G4/9/9/8K b - 1", "5f5e", "8k/9/9/9/3pGp3/9/9/9/8K b - 2 step=2", None),
            ("8k/9/9/9/3GpR3/9/9/9/8K b - 1", "1i1h", "8k/9/9/9/3GpR3/9/9/8K/9 b - 2 step=2", None),
            ("8k/9/9/9/3GpR3/9/9/9/8K b - 1", "4e4f 4f4e", "8k/9/9/9/3G1R3/9/9/9/8K w P 3", None),
            // A promotion captures as any move.
            ("8k/9/5pG2/4S4/9/9/9/9/8K b - 1", "5d5c+", "8k/9/4+S1G2/9/9/9/9/9/8K b P 2 step=2", None),
        ],
    );
}

#[test]
fn flanking_corners() {
    tell::<Flankings>(
        &HouseRules::default(),
        &[
            // Each corner, closed on either side.
            ("pG2k4/9/1R7/9/9/9/9/9/4K4 b - 1", "8c9c 9c9b", "1G2k4/R8/9/9/9/9/9/9/4K4 w P 3", None),
            ("p3k4/RG7/9/9/9/9/9/9/4K4 b - 1", "8b8a", "1G2k4/R8/9/9/9/9/9/9/4K4 b P 2 step=2", None),
            ("4k2Gp/7R1/9/9/9/9/9/9/4K4 b - 1", "2b1b", "4k2G1/8R/9/9/9/9/9/9/4K4 b P 2 step=2", None),
            ("4k4/9/9/9/9/9/9/7R1/4K2Gg b - 1", "2h1h", "4k4/9/9/9/9/9/9/8R/4K2G1 b G 2 step=2", None),
            ("4k4/9/9/9/9/9/9/1r7/Pg2K4 w - 1", "8h9h", "4k4/9/9/9/9/9/9/r8/1g2K4 w p 2 step=2", None),
            // The moved piece has to be one of the two.
            ("pG2k4/R8/9/9/9/9/9/9/4K4 b - 1", "5i5h", "pG2k4/R8/9/9/9/9/9/4K4/9 b - 2 step=2", None),
            // A step from one square beside the corner to the other leaves the first.
            ("pS2k4/9/9/9/9/9/9/9/4K4 b - 1", "8a9b", "p3k4/S8/9/9/9/9/9/9/4K4 b - 2 step=2", None),
            // Moving into a corner is safe.
            ("1G2k4/R8/1b7/9/9/9/9/9/4K4 b - 1 step=2", "5i5h", "1G2k4/R8/1b7/9/9/9/9/4K4/9 w - 2", None),
        ],
    );
}

#[test]
fn flanking_drops() {
    tell::<Flankings>(
        &HouseRules::default(),
        &[
            // A drop captures nothing, neither on a line nor about a corner,
            ("8k/9/9/9/4pG3/9/9/9/8K b R 1", "R*6e", "8k/9/9/9/3RpG3/9/9/9/8K b - 2 step=2", None),
            ("p3k4/R8/9/9/9/9/9/9/4K4 b G 1", "G*8a", "pG2k4/R8/9/9/9/9/9/9/4K4 b - 2 step=2", None),
            // but closes a run for the second half-move,
            ("8k/9/9/9/4p4/5G3/9/9/8K b R 1", "R*6e 4f4e", "8k/9/9/9/3R1G3/9/9/9/8K w P 3", None),
            // which may be its own.
            ("8k/9/9/9/4pG3/9/9/9/8K b R 1", "R*6d 6d6e", "8k/9/9/9/3R1G3/9/9/9/8K w P 3", None),
            // What the first half-move captures the second may drop, and both may be drops.
            ("8k/9/9/9/4pG3/9/9/9/3R4K b - 1", "6i6e P*5e", "8k/9/9/9/3RPG3/9/9/9/8K w - 3", None),
            ("8k/9/9/9/9/9/9/9/8K b PS 1", "P*5e S*5d", "8k/9/9/4S4/4P4/9/9/9/8K w - 3", None),
        ],
    );
}

#[test]
fn flanking_kings() {
    let (black, white) = (Some((BLACK, Reason::KingFlanked)), Some((WHITE, Reason::KingFlanked)));
    tell::<Flankings>(
        &HouseRules::default(),
        &[
            // Alone, by either half-move; the second is not played after the first has won.
            ("9/9/9/9/4kG3/9/9/9/3R4K b - 1", "6i6e", "9/9/9/9/3R1G3/9/9/9/8K b - 2 step=2", black),
            ("9/9/9/9/4kG3/9/9/9/3R4K b - 2 step=2", "6i6e", "9/9/9/9/3R1G3/9/9/9/8K w - 3", black),
            ("8k/9/9/9/4Kg3/9/9/9/3r5 w - 1", "6i6e", "8k/9/9/9/3r1g3/9/9/9/9 w - 2 step=2", white),
            // Within a run: the others go to hand.
            ("9/9/9/9/3pkrG2/9/9/9/2R5K b - 1", "7i7e", "9/9/9/9/2R3G2/9/9/9/8K b RP 2 step=2", black),
            // In a corner.
            ("kG7/9/1R7/9/9/9/9/9/8K b - 1", "8c9c 9c9b", "1G7/R8/9/9/9/9/9/9/8K w - 3", black),
            // A king that moves in between is safe until the trap is made anew.
            ("9/9/9/3G1G3/4k4/9/9/9/8K w - 2", "5e5d 5d5e", "9/9/9/3G1G3/4k4/9/9/9/8K b - 4", None),
            ("9/9/9/3G1G3/4k4/9/9/9/8K w - 2 step=2", "5e5d", "9/9/9/3GkG3/9/9/9/9/8K b - 3", None),
            ("9/9/9/3GkG3/9/9/9/9/8K b - 3", "4d4c 4c4d", "9/9/9/3G1G3/9/9/9/9/8K w - 5", black),
        ],
    );
}

#[test]
fn flanking_moves() {
    for (sfen, lawful, unlawful) in [
        // Nothing lands on an enemy, nor jumps but a knight.
        ("8k/9/9/9/4p4/9/9/9/4R3K b - 1", "5i5f", "5i5e 5i5d"),
        ("8k/9/3p5/9/4N4/9/9/9/8K b - 1", "5e4c 5e4c+", "5e6c 5e6c+ 5e3d 5e4g"),
        // There is no check and no pin, and no mate by a pawn drop.
        ("8k/9/9/9/9/9/9/4r4/4K4 b P 1", "5i4i 5i4h 5i6h P*1b P*9g", "5i5h"),
        ("8k/9/4r4/9/4G4/9/9/9/4K4 b - 1", "5e4e 5e6d", ""),
        ("7nk/9/8G/9/9/9/9/9/4K4 b P 1", "P*1b", "P*1a"),
        // Nifu, dead pieces and forced promotion as in shogi.
        ("8k/9/9/4+P4/5P3/9/9/9/8K b PLN 1", "P*5c P*3b L*3b N*3c", "P*4c P*3a L*3a N*3b N*3a"),
        ("8k/9/9/9/9/9/9/9/8K w pln 1", "P*3h L*3h N*3g", "P*3i L*3i N*3h"),
        ("8k/4P4/9/9/9/9/9/9/8K b - 1", "5b5a+", "5b5a"),
        ("8k/9/4N4/9/9/9/9/9/8K b - 1", "5c4a+ 5c6a+", "5c4a 5c6a"),
        ("8k/9/4S4/9/9/9/9/9/8K b - 1", "5c4d 5c4d+ 5c5b+", "5c5d"),
    ] {
        let game: Flankings = position(sfen);
        let list = legal(&game);
        for (moves, expected) in [(lawful, true), (unlawful, false)] {
            for text in moves.split_whitespace() {
                let told = (list.iter().any(|m| m == text), game.is_legal(usi(text)));
                assert_eq!(told, (expected, expected), "{text} in {sfen}");
            }
        }
    }
    // The same piece may go back again.
    let mut game: Flankings = position(SHOGI_START);
    play(&mut game, "2h3h 3h2h");
    assert_eq!(game.diagram().to_string(), SHOGI_START.replace("b - 1", "w - 3"));
}

#[test]
fn flanking_without_a_move() {
    // Only a pawn can move: with one step left the second half-move fails, with two it is the next turn that does.
    let mut game: Flankings = position("8k/9/4p4/9/4P4/9/9/ps7/Ks7 b - 1");
    assert_eq!((legal(&game), result(&game)), (vec!["5e5d".to_string()], None));
    play(&mut game, "5e5d");
    assert_eq!((game.side_to_move(), game.step()), (Color::Black, 2));
    assert_eq!(result(&game), Some((WHITE, Reason::NoLegalMove)));

    let mut game: Flankings = position("8k/9/4p4/9/9/4P4/9/ps7/Ks7 b - 1");
    play(&mut game, "5f5e 5e5d");
    assert_eq!(result(&game), None);
    play(&mut game, "1a1b 1b1a");
    assert_eq!(result(&game), Some((WHITE, Reason::NoLegalMove)));

    // White alike; anything in hand helps.
    let game: Flankings = position("7Sk/7SP/9/9/4p4/4P4/9/9/K8 w - 8");
    assert_eq!(result(&game), Some((BLACK, Reason::NoLegalMove)));
    let game: Flankings = position("7Sk/7SP/9/9/4p4/4P4/9/9/K8 w r 8");
    assert_eq!((result(&game), game.count_legal()), (None, 74));
}

#[test]
fn flanking_repetition_and_move_limit() {
    // Every half-move position counts, so the fourth one may come in the middle of a turn.
    let round = "2h3h 3h2h 8b7b 7b8b";
    let mut game: Flankings = position(SHOGI_START);
    play(&mut game, &[round; 2].join(" "));
    assert_eq!((game.occurrences(), result(&game)), (3, None));
    play(&mut game, "2h3h 3h2h 8b7b");
    assert_eq!((game.occurrences(), result(&game)), (3, None));
    play(&mut game, "7b8b");
    assert_eq!((game.occurrences(), result(&game)), (4, Some((None, Reason::Repetition))));

    let round = "9i9h 1a1b 1b1a 9h9i";
    let mut game: Flankings = position("8k/9/9/9/9/9/9/9/R7K b - 2 step=2");
    play(&mut game, &[round; 2].join(" "));
    play(&mut game, "9i9h 1a1b 1b1a");
    assert_eq!(result(&game), None);
    play(&mut game, "9h9i");
    assert_eq!((game.step(), game.occurrences()), (2, 4));
    assert_eq!(result(&game), Some((None, Reason::Repetition)));

    // Half-moves count, and a king flanked by the last of them is flanked.
    let mut game: Flankings = position_with(SHOGI_START, &limit(3));
    play(&mut game, "7g7f 7f7e");
    assert_eq!(result(&game), None);
    play(&mut game, "3c3d");
    assert_eq!((game.step(), result(&game)), (2, Some((None, Reason::MoveLimit))));
    let mut game: Flankings = position_with("9/9/9/9/4kG3/9/9/9/3R4K b - 9", &limit(9));
    assert_eq!(result(&game), None);
    play(&mut game, "6i6e");
    assert_eq!(result(&game), Some((BLACK, Reason::KingFlanked)));
    let mut game: Flankings = position_with("8k/9/4p4/9/4P4/9/9/ps7/Ks7 b - 9", &limit(9));
    play(&mut game, "5e5d");
    assert_eq!(result(&game), Some((WHITE, Reason::NoLegalMove)));
}

#[test]
fn hasami_captures() {
    tell::<Hasamis>(
        &goal(Goal::CaptureAll),
        &[
            // One, a run, no run across a gap, two directions.
            ("9/9/9/9/4pP3/9/9/9/3P4p b - 1", "6i6e", "9/9/9/9/3P1P3/9/9/9/8p w 8P7p 2", None),
            ("9/9/9/9/4pppP1/9/9/9/3P4p b - 1", "6i6e", "9/9/9/9/3P3P1/9/9/9/8p w 8P7p 2", None),
            ("9/9/9/9/4p1pP1/9/9/9/3P4p b - 1", "6i6e", "9/9/9/9/3Pp1pP1/9/9/9/8p w 6P7p 2", None),
            ("9/9/3P5/3p5/4pP3/9/9/9/3P4p b - 1", "6i6e", "9/9/3P5/9/3P1P3/9/9/9/8p w 8P6p 2", None),
            // The edge closes nothing.
            ("9/9/9/9/7pp/9/9/9/6P1p b - 1", "3i3e", "9/9/9/9/6Ppp/9/9/9/8p w 6P8p 2", None),
            ("4p4/9/4P4/9/9/9/9/9/8p b - 1", "5c5b", "4p4/4P4/9/9/9/9/9/9/8p w 7P8p 2", None),
            // Corners, from either side.
            ("pP7/9/9/9/P8/9/9/9/8p b - 1", "9e9b", "1P7/P8/9/9/9/9/9/9/8p w 8P7p 2", None),
            ("p8/P8/1P7/9/9/9/9/9/8p b - 1", "8c8a", "1P7/P8/9/9/9/9/9/9/8p w 8P7p 2", None),
            ("8P/7p1/8p/9/9/9/9/9/9 w - 1", "2b2a", "7pP/9/8p/9/9/9/9/9/9 b 7P8p 2", None),
            ("8P/7p1/8p/9/9/9/8P/9/9 w - 1", "1c1b", "8P/7pp/9/9/9/9/8P/9/9 b 7P7p 2", None),
            ("7pP/9/8p/9/9/9/8P/9/9 w - 1", "1c1b", "7p1/8p/9/9/9/9/8P/9/9 b 7P8p 2", None),
            // Moving in between two enemies is safe.
            ("9/9/9/9/3p1p3/4P4/9/9/9 b - 1", "5f5e", "9/9/9/9/3pPp3/9/9/9/9 w 7P8p 2", None),
        ],
    );
    // Men slide as far as the next piece, whoever's it is.
    let game: Hasamis = position_with("9/9/4p4/9/4P1P2/9/9/9/9 b - 1", &goal(Goal::CaptureAll));
    let from_5e: Vec<String> = legal(&game).into_iter().filter(|m| m.starts_with("5e")).collect();
    assert_eq!(from_5e, ["5e4e", "5e5d", "5e5f", "5e5g", "5e5h", "5e5i", "5e6e", "5e7e", "5e8e", "5e9e"]);
    // Captures are never dropped, and nothing promotes.
    for text in ["P*1a", "5e5d+", "5e3e", "5e5c", "5e6d"] {
        assert!(!game.is_legal(usi(text)), "{text}");
    }
}

#[test]
fn hasami_goals() {
    let (black, white) = (Some((BLACK, Reason::Goal)), Some((WHITE, Reason::Goal)));
    tell::<Hasamis>(
        &goal(Goal::Capture5),
        &[
            ("pppp5/9/9/9/4pP3/9/9/9/3Pp1PPP b 3P4p 1", "6i6e", "pppp5/9/9/9/3P1P3/9/9/9/4p1PPP w 4P4p 2", None),
            ("pppp5/9/9/9/4pP3/9/9/9/3P2PPP b 4P4p 1", "6i6e", "pppp5/9/9/9/3P1P3/9/9/9/6PPP w 5P4p 2", black),
            // One move may pass the goal.
            ("ppp6/9/9/9/4ppP2/9/9/9/3P2PPP b 4P4p 1", "6i6e", "ppp6/9/9/9/3P2P2/9/9/9/6PPP w 6P4p 2", black),
            ("3p2ppp/9/9/9/4Pp3/9/9/9/PPPP5 w 4P4p 1", "6a6e", "6ppp/9/9/9/3p1p3/9/9/9/PPPP5 b 4P5p 2", white),
        ],
    );
    tell::<Hasamis>(
        &goal(Goal::Lead3),
        &[
            ("ppppp4/9/9/9/4pP3/9/9/9/1PPPPPP2 b 3P2p 1", "6i6e", "ppppp4/9/9/9/3P1P3/9/9/9/1PP1PPP2 w 4P2p 2", None),
            ("ppppp4/9/9/9/4pP3/9/9/9/1PPPPPPP1 b 3Pp 1", "6i6e", "ppppp4/9/9/9/3P1P3/9/9/9/1PP1PPPP1 w 4Pp 2", black),
            ("pppp5/9/9/9/4ppP2/9/9/9/1PPPPPPP1 b 3Pp 1", "6i6e", "pppp5/9/9/9/3P2P2/9/9/9/1PP1PPPP1 w 5Pp 2", black),
            // Five captures are no goal here.
            ("pp7/9/9/9/4pP3/9/9/9/3PP4 b 6P6p 1", "6i6e", "pp7/9/9/9/3P1P3/9/9/9/4P4 w 7P6p 2", None),
        ],
    );
    tell::<Hasamis>(
        &goal(Goal::CaptureAll),
        &[
            ("9/9/9/9/4pP3/9/9/9/3P5 b - 1", "6i6e", "9/9/9/9/3P1P3/9/9/9/9 w 9P7p 2", black),
            ("9/9/9/9/4ppP2/9/9/9/3P5 b - 1", "6i6e", "9/9/9/9/3P2P2/9/9/9/9 w 9P7p 2", black),
            ("9/9/9/9/4Pp3/9/9/9/3p5 w - 1", "6i6e", "9/9/9/9/3p1p3/9/9/9/9 b 7P9p 2", white),
        ],
    );
}

#[test]
fn hasami_other_ends() {
    let no_move = Some((BLACK, Reason::NoLegalMove));
    tell::<Hasamis>(
        &goal(Goal::CaptureAll),
        &[("3PpP3/9/4P4/9/9/9/9/9/9 b - 1", "5c5b", "3PpP3/4P4/9/9/9/9/9/9/9 w 8P6p 2", no_move)],
    );
    tell::<Hasamis>(
        &HouseRules { move_limit: 1, ..goal(Goal::Capture5) },
        &[
            ("PpppppP2/1PP1PP3/3P5/9/9/9/9/9/9 b - 1", "6c6b", "PpppppP2/1PPPPP3/9/9/9/9/9/9/9 w 4P2p 2", no_move),
            (
                "pppp5/9/9/9/4pP3/9/9/9/3P2PPP b 4P4p 1",
                "6i6e",
                "pppp5/9/9/9/3P1P3/9/9/9/6PPP w 5P4p 2",
                Some((BLACK, Reason::Goal)),
            ),
            (HASAMI_START, "9i9h", "ppppppppp/9/9/9/9/9/9/P8/1PPPPPPPP w - 2", Some((None, Reason::MoveLimit))),
        ],
    );
    let round = "9i9h 1a1b 9h9i 1b1a";
    for goal_now in Goal::ALL {
        let mut game: Hasamis = position_with(HASAMI_START, &HouseRules { move_limit: 12, ..goal(goal_now) });
        play(&mut game, &[round; 2].join(" "));
        assert_eq!((game.occurrences(), result(&game)), (3, None));
        play(&mut game, round);
        assert_eq!((game.occurrences(), result(&game)), (4, Some((None, Reason::Repetition))));
    }
    // Captures tell positions apart: the same men with other captures are another position.
    let men = "4p4/9/9/9/9/9/9/9/4P4";
    let keys = ["8P8p", "7P8p", "8P7p"]
        .map(|hands| position_with::<Hasamis>(&format!("{men} b {hands} 1"), &goal(Goal::CaptureAll)).key());
    assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2]);
}
