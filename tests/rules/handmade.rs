//! Hand-made positions of shogi, happokei and aihappokei: each tells one rule.

use happo::board::{Color, Kind};
use happo::game::{Game, GameResult, Position, Reason};
use happo::shogi::{AiHappokei, Happokei, Shogi};

use crate::support::*;

/// A position by its SFEN, with moves that must be legal in it and moves that must not.
struct Case {
    sfen: &'static str,
    legal: &'static str,
    illegal: &'static str,
}

fn judge<G: Game>(cases: &[Case]) {
    for case in cases {
        let position: G::Position = position(case.sfen);
        let list = legal(&position);
        for (moves, expected) in [(case.legal, true), (case.illegal, false)] {
            for text in moves.split_whitespace() {
                let told = (list.iter().any(|m| m == text), position.is_legal(usi(text)));
                assert_eq!(told, (expected, expected), "{text} in {}", case.sfen);
            }
        }
    }
}

fn judge_family(cases: &[Case]) {
    judge::<Shogi>(cases);
    judge::<Happokei>(cases);
    judge::<AiHappokei>(cases);
}

/// The legal moves that start with `prefix`, less the prefix.
fn targets<G: Game>(sfen: &str, prefix: &str) -> String {
    let list = legal(&position::<G::Position>(sfen));
    list.iter().filter_map(|m| m.strip_prefix(prefix)).collect::<Vec<_>>().join(" ")
}

fn result_after<P: Position>(position: &mut P, moves: &str) -> Option<(Option<Color>, Reason)> {
    play(position, moves);
    position.result().map(|GameResult { winner, reason }| (winner, reason))
}

const BLACK: Option<Color> = Some(Color::Black);
const WHITE: Option<Color> = Some(Color::White);

#[test]
fn mate_by_pawn_drop() {
    judge_family(&[
        // The gold guards pawn and 2b, the knight stands in the way: mate.
        Case { sfen: "7nk/9/8G/9/9/9/9/9/4K4 b P 1", legal: "P*2b P*5b", illegal: "P*1b P*1c" },
        // The same with White to drop on Black.
        Case { sfen: "4k4/9/9/9/9/9/g8/9/KN7 w p 1", legal: "P*8g", illegal: "P*9h" },
        // Nothing in White's hand helps against a pawn that touches the king.
        Case { sfen: "7nk/9/8G/9/9/9/9/9/4K4 b Prbgsnl5p 1", legal: "", illegal: "P*1b" },
        // The king takes an unguarded pawn.
        Case { sfen: "7nk/9/9/9/9/9/9/9/4K4 b P 1", legal: "P*1b", illegal: "" },
        // The king steps aside.
        Case { sfen: "8k/9/8G/9/9/9/9/9/4K4 b P 1", legal: "P*1b", illegal: "" },
        // A gold takes the pawn,
        Case { sfen: "7nk/7g1/8G/9/9/9/9/9/4K4 b P 1", legal: "P*1b", illegal: "" },
        // but not if it is pinned,
        Case { sfen: "7nk/7g1/6B1G/9/9/9/9/9/4K4 b P 1", legal: "", illegal: "P*1b" },
        // nor along the rank.
        Case { sfen: "7gk/9/8G/9/9/9/9/9/4K4 b P 1", legal: "P*1b", illegal: "" },
        Case { sfen: "R6gk/9/8G/9/9/9/9/9/4K4 b P 1", legal: "", illegal: "P*1b" },
        // A guard that is itself pinned still guards.
        Case { sfen: "7rk/9/7G1/9/9/9/9/9/7K1 b P 1", legal: "", illegal: "P*1b" },
        // A rook far away takes the pawn.
        Case { sfen: "7nk/r8/8G/9/9/9/9/9/4K4 b P 1", legal: "P*1b", illegal: "" },
        // Other pieces may mate by a drop.
        Case { sfen: "7nk/9/8G/9/9/9/9/9/4K4 b GSLP 1", legal: "G*1b S*1b L*1b", illegal: "P*1b" },
        // Without a king of one's own the ban holds; without an enemy king there is nobody to mate.
        Case { sfen: "7nk/9/8G/9/9/9/9/9/9 b P 1", legal: "", illegal: "P*1b" },
        Case { sfen: "7n1/9/8G/9/9/9/9/9/4K4 b P 1", legal: "P*1b", illegal: "" },
        // The drop would mate but leaves one's own king in check: illegal for another reason.
        Case { sfen: "7nk/9/8G/9/9/9/9/4r4/4K4 b P 1", legal: "5i5h 5i4i", illegal: "P*1b" },
    ]);
}

#[test]
fn mate_by_pawn_move() {
    let mut game = position::<<Shogi as Game>::Position>("7nk/9/7GP/9/9/9/9/9/4K4 b - 1");
    assert_eq!(result_after(&mut game, "1c1b"), Some((BLACK, Reason::Checkmate)));
}

#[test]
fn eight_way_knights_against_pawn_drops() {
    // From 7g only an eight-way knight reaches 9h.
    let knight = [Case { sfen: "4k4/9/9/9/9/9/g1N6/9/KL7 w p 1", legal: "P*9h", illegal: "" }];
    let no_knight = [Case { sfen: "4k4/9/9/9/9/9/g1N6/9/KL7 w p 1", legal: "", illegal: "P*9h" }];
    judge::<Happokei>(&knight);
    judge::<AiHappokei>(&knight);
    judge::<Shogi>(&no_knight);
    // Promoted, it leaps on in happokei alone.
    let promoted = [Case { sfen: "4k4/9/9/9/9/9/g1+N6/9/KL7 w p 1", legal: "P*9h", illegal: "" }];
    let gold = [Case { sfen: "4k4/9/9/9/9/9/g1+N6/9/KL7 w p 1", legal: "", illegal: "P*9h" }];
    judge::<Happokei>(&promoted);
    judge::<AiHappokei>(&gold);
    judge::<Shogi>(&gold);
    // A pinned knight takes nothing.
    let pinned = [Case { sfen: "4k3b/9/9/9/9/9/g1N6/9/KL7 w p 1", legal: "", illegal: "P*9h" }];
    judge::<Happokei>(&pinned);
    judge::<AiHappokei>(&pinned);
    // White's knight is a plain one in happokei: 3c does not reach 1b.
    let white = "7lk/9/6n1G/9/9/9/9/9/4K4 b P 1";
    judge::<Happokei>(&[Case { sfen: white, legal: "", illegal: "P*1b" }]);
    judge::<AiHappokei>(&[Case { sfen: white, legal: "P*1b", illegal: "" }]);
    // Black's knight guards the pawn from the far rank.
    let guard = [Case { sfen: "6Nlk/7p1/9/9/9/9/9/9/4K4 b P 1", legal: "", illegal: "P*1b" }];
    judge::<Happokei>(&guard);
    judge::<AiHappokei>(&guard);
}

#[test]
fn steps_of_knights() {
    const BLACK_N: &str = "9/9/9/9/4N4/9/9/9/9 b - 1";
    const BLACK_PRO_N: &str = "9/9/9/9/4+N4/9/9/9/9 b - 1";
    const WHITE_N: &str = "9/9/9/9/4n4/9/9/9/9 w - 1";
    const WHITE_PRO_N: &str = "9/9/9/9/4+n4/9/9/9/9 w - 1";
    let eight_up = "3d 3f 4c 4c+ 4g 6c 6c+ 6g 7d 7f";
    let gold_up = "4d 4e 5d 5f 6d 6e";
    let gold_down = "4e 4f 5d 5f 6e 6f";
    assert_eq!(targets::<Shogi>(BLACK_N, "5e"), "4c 4c+ 6c 6c+");
    assert_eq!(targets::<Happokei>(BLACK_N, "5e"), eight_up);
    assert_eq!(targets::<AiHappokei>(BLACK_N, "5e"), eight_up);
    assert_eq!(targets::<Shogi>(WHITE_N, "5e"), "4g 4g+ 6g 6g+");
    assert_eq!(targets::<Happokei>(WHITE_N, "5e"), "4g 4g+ 6g 6g+");
    assert_eq!(targets::<AiHappokei>(WHITE_N, "5e"), "3d 3f 4c 4g 4g+ 6c 6g 6g+ 7d 7f");
    assert_eq!(targets::<Shogi>(BLACK_PRO_N, "5e"), gold_up);
    assert_eq!(targets::<Happokei>(BLACK_PRO_N, "5e"), "3d 3f 4c 4d 4e 4g 5d 5f 6c 6d 6e 6g 7d 7f");
    assert_eq!(targets::<AiHappokei>(BLACK_PRO_N, "5e"), gold_up);
    assert_eq!(targets::<Shogi>(WHITE_PRO_N, "5e"), gold_down);
    assert_eq!(targets::<Happokei>(WHITE_PRO_N, "5e"), gold_down);
    assert_eq!(targets::<AiHappokei>(WHITE_PRO_N, "5e"), gold_down);
}

#[test]
fn captured_knights_take_their_captors_kind() {
    // Black takes an ordinary knight and drops it as an eight-way one on the far rank.
    let mut game = position::<<Happokei as Game>::Position>("4k4/9/9/4n4/4P4/9/9/9/4K4 b - 1");
    play(&mut game, "5e5d 5a6a N*1a 6a5a");
    assert_eq!(game.diagram().to_string(), "4k3N/9/9/4P4/9/9/9/9/4K4 b - 5");
    assert_eq!(targets::<Happokei>(&game.diagram().to_string(), "1a"), "2c 2c+ 3b 3b+");
    // White takes an eight-way knight and has to keep to the bans.
    let mut game = position::<<Happokei as Game>::Position>("4k4/9/9/9/4p4/4N4/9/9/4K4 w - 1");
    play(&mut game, "5e5f 5i4i");
    assert_eq!(targets::<Happokei>(&game.diagram().to_string(), "N*").split(' ').count(), 63 - 2);
}

#[test]
fn pins() {
    judge_family(&[
        // On the file a promoted knight moves as a gold along the line; its leaps all leave it.
        Case {
            sfen: "4k4/4r4/9/9/9/4+N4/9/9/4K4 b - 1",
            legal: "5f5e 5f5g",
            illegal: "5f4e 5f6e 5f4f 5f6f 5f4d 5f6d 5f3e 5f7e 5f3g 5f7g 5f4h 5f6h",
        },
        // On a diagonal a gold's step forward is left.
        Case { sfen: "k8/9/9/9/8b/9/9/5+N3/4K4 b - 1", legal: "4h3g", illegal: "4h5g 4h4g 4h3h 4h2g 4h3f 4h5f 4h4i" },
        Case { sfen: "4k4/4l4/9/9/9/4N4/9/9/4K4 b - 1", legal: "5i4i", illegal: "5f4d 5f6d 5f3e 5f4h" },
        // A pinned rook slides up to its pinner and takes it.
        Case { sfen: "4k4/9/4r4/9/9/4R4/9/9/4K4 b - 1", legal: "5f5e 5f5c 5f5c+ 5f5h", illegal: "5f4f 5f5b 5f5i" },
        // Two pieces on the line are not pinned.
        Case { sfen: "4k4/9/4r4/9/4N4/4S4/9/9/4K4 b - 1", legal: "5e4c 5f4g", illegal: "" },
        // A king may not step back along the line of a check.
        Case { sfen: "4k4/9/4r4/9/9/9/9/4K4/9 b - 1", legal: "5h4h 5h6i", illegal: "5h5i 5h5g" },
    ]);
}

#[test]
fn checks() {
    judge_family(&[
        // Double check: the king has to move, whatever there is in hand.
        Case {
            sfen: "9/9/9/9/4r3b/9/9/8L/4K4 b GRS 1",
            legal: "5i4i 5i6h 5i6i",
            illegal: "G*5h S*4h R*5f 1h1e 5i5h 5i4h",
        },
        // A check from afar is blocked, by a move or by a drop.
        Case { sfen: "4k4/9/9/r8/9/9/4L4/4K4/9 w gp 1", legal: "9d5d G*5b P*5c 5a4a 5a6b", illegal: "9d9c G*1a 5a5b" },
        // A knight's check cannot be blocked.
        Case { sfen: "k8/9/9/9/9/9/5n3/9/4K4 b GR 1", legal: "5i5h 5i4i 5i4h", illegal: "R*5h G*4h" },
    ]);
    let game = position::<<Shogi as Game>::Position>("9/9/9/9/4r3b/9/9/8L/4K4 b GRS 1");
    assert_eq!(legal(&game), ["5i4i", "5i6h", "5i6i"]);
    assert!(game.in_check());
}

#[test]
fn diagrams_without_a_king() {
    type Shogis = <Shogi as Game>::Position;
    // An attacker without a king is never in check and may open any line.
    let game: Shogis = position("4k4/9/9/4r4/4S4/9/9/9/9 b - 1");
    assert!(!game.in_check());
    assert_eq!(targets::<Shogi>("4k4/9/9/4r4/4S4/9/9/9/9 b - 1", "5e"), "4d 4f 5d 6d 6f");
    // It mates as any.
    let mut game: Shogis = position("4k4/9/4P4/9/9/9/9/9/9 b G 1");
    assert_eq!(result_after(&mut game, "G*5b"), Some((BLACK, Reason::Checkmate)));
    // The defender to move, its enemy having no king: out of check as ever.
    let game: Shogis = position("4k4/4G4/4P4/9/9/9/9/9/9 w r 1");
    assert_eq!(game.result().map(|result| result.reason), Some(Reason::Checkmate));
    let game: Shogis = position("4k4/4G4/9/9/9/9/9/9/9 w r 1");
    assert_eq!(legal(&game), ["5a5b"]);
    // No king at all, and a side that has nothing to move.
    let game: Shogis = position("9/9/9/9/4p4/9/9/9/9 b - 1");
    assert_eq!(game.result(), Some(GameResult { winner: WHITE, reason: Reason::NoLegalMove }));
    let game: Shogis = position("9/9/9/9/4p4/9/9/9/9 w - 1");
    assert_eq!(legal(&game), ["5e5f"]);
    // A side with a king only, walled in but not in check: no draw.
    let game: Shogis = position("k8/9/1G7/9/9/9/9/9/8K w - 1");
    assert_eq!(legal(&game), ["9a8a"]);
    let game: Shogis = position("k8/2S6/1G7/9/9/9/9/9/8K w - 1");
    assert_eq!(game.result(), Some(GameResult { winner: BLACK, reason: Reason::NoLegalMove }));
}

/// A board with one piece, the square of the piece, and where it goes.
type Edge = (&'static str, &'static str, &'static str);

fn judge_edges<G: Game>(edges: &[Edge]) {
    for &(board, from, expected) in edges {
        assert_eq!(targets::<G>(&format!("{board} - 1"), from), expected, "{board} in {}", G::Position::variant());
    }
}

#[test]
fn promotion() {
    let all: &[Edge] = &[
        ("9/9/9/9/4P4/9/9/9/9 b", "5e", "5d"),
        ("9/9/9/4P4/9/9/9/9/9 b", "5d", "5c 5c+"),
        ("9/9/4P4/9/9/9/9/9/9 b", "5c", "5b 5b+"),
        ("9/4P4/9/9/9/9/9/9/9 b", "5b", "5a+"),
        ("9/9/9/9/4p4/9/9/9/9 w", "5e", "5f"),
        ("9/9/9/9/9/4p4/9/9/9 w", "5f", "5g 5g+"),
        ("9/9/9/9/9/9/4p4/9/9 w", "5g", "5h 5h+"),
        ("9/9/9/9/9/9/9/4p4/9 w", "5h", "5i+"),
        ("9/9/9/4L4/9/9/9/9/9 b", "5d", "5a+ 5b 5b+ 5c 5c+"),
        ("9/4L4/9/9/9/9/9/9/9 b", "5b", "5a+"),
        ("9/9/9/9/9/4l4/9/9/9 w", "5f", "5g 5g+ 5h 5h+ 5i+"),
        ("9/9/9/4S4/9/9/9/9/9 b", "5d", "4c 4c+ 4e 5c 5c+ 6c 6c+ 6e"),
        ("9/9/4S4/9/9/9/9/9/9 b", "5c", "4b 4b+ 4d 4d+ 5b 5b+ 6b 6b+ 6d 6d+"),
        ("4S4/9/9/9/9/9/9/9/9 b", "5a", "4b 4b+ 6b 6b+"),
        ("9/9/9/9/9/9/4s4/9/9 w", "5g", "4f 4f+ 4h 4h+ 5h 5h+ 6f 6f+ 6h 6h+"),
        ("9/9/4G4/9/9/9/9/9/9 b", "5c", "4b 4c 5b 5d 6b 6c"),
        ("9/9/4K4/9/9/9/9/9/9 b", "5c", "4b 4c 4d 5b 5d 6b 6c 6d"),
        ("9/9/4+P4/9/9/9/9/9/9 b", "5c", "4b 4c 5b 5d 6b 6c"),
        ("8B/9/9/9/9/9/9/9/9 b", "1a", "2b 2b+ 3c 3c+ 4d 4d+ 5e 5e+ 6f 6f+ 7g 7g+ 8h 8h+ 9i 9i+"),
        ("9/9/9/8B/9/9/9/9/9 b", "1d", "2c 2c+ 2e 3b 3b+ 3f 4a 4a+ 4g 5h 6i"),
        ("9/9/9/9/9/9/9/9/4R4 b", "5i", "1i 2i 3i 4i 5a 5a+ 5b 5b+ 5c 5c+ 5d 5e 5f 5g 5h 6i 7i 8i 9i"),
        ("+R8/9/9/9/9/9/9/8P/9 w", "1h", ""),
    ];
    judge_edges::<Shogi>(all);
    judge_edges::<Happokei>(all);
    judge_edges::<AiHappokei>(all);

    let plain: &[Edge] = &[
        ("9/9/9/9/4N4/9/9/9/9 b", "5e", "4c 4c+ 6c 6c+"),
        ("9/9/9/4N4/9/9/9/9/9 b", "5d", "4b+ 6b+"),
        ("9/9/4N4/9/9/9/9/9/9 b", "5c", "4a+ 6a+"),
    ];
    judge_edges::<Shogi>(plain);
    let plain_white: &[Edge] =
        &[("9/9/9/9/4n4/9/9/9/9 w", "5e", "4g 4g+ 6g 6g+"), ("9/9/9/9/9/4n4/9/9/9 w", "5f", "4h+ 6h+")];
    judge_edges::<Shogi>(plain_white);
    judge_edges::<Happokei>(plain_white);

    // Eight-way knights never have to promote; leaps back out of the zone, within and into it may.
    let leaping: &[Edge] = &[
        ("9/9/9/4N4/9/9/9/9/9 b", "5d", "3c 3c+ 3e 4b 4b+ 4f 6b 6b+ 6f 7c 7c+ 7e"),
        ("9/9/4N4/9/9/9/9/9/9 b", "5c", "3b 3b+ 3d 3d+ 4a 4a+ 4e 4e+ 6a 6a+ 6e 6e+ 7b 7b+ 7d 7d+"),
        ("4N4/9/9/9/9/9/9/9/9 b", "5a", "3b 3b+ 4c 4c+ 6c 6c+ 7b 7b+"),
        ("9/9/9/9/9/4N4/9/9/9 b", "5f", "3e 3g 4d 4h 6d 6h 7e 7g"),
        ("9/4N4/9/9/9/9/9/9/9 b", "5b", "3a 3a+ 3c 3c+ 4d 4d+ 6d 6d+ 7a 7a+ 7c 7c+"),
    ];
    judge_edges::<Happokei>(leaping);
    judge_edges::<AiHappokei>(leaping);
    judge_edges::<AiHappokei>(&[
        ("9/9/9/9/9/9/9/9/4n4 w", "5i", "3h 3h+ 4g 4g+ 6g 6g+ 7h 7h+"),
        ("9/9/9/9/9/4n4/9/9/9 w", "5f", "3e 3g 3g+ 4d 4h 4h+ 6d 6h 6h+ 7e 7g 7g+"),
    ]);
}

#[test]
fn where_pieces_may_be_dropped() {
    /// Squares for a piece on an empty board without kings, in shogi, happokei and aihappokei.
    const COUNTS: [(&str, [usize; 3]); 14] = [
        ("b P", [72; 3]),
        ("b L", [72; 3]),
        ("b N", [63, 81, 81]),
        ("b S", [81; 3]),
        ("b G", [81; 3]),
        ("b B", [81; 3]),
        ("b R", [81; 3]),
        ("w p", [72; 3]),
        ("w l", [72; 3]),
        ("w n", [63, 63, 81]),
        ("w s", [81; 3]),
        ("w g", [81; 3]),
        ("w b", [81; 3]),
        ("w r", [81; 3]),
    ];
    for (hand, counts) in COUNTS {
        let sfen = format!("9/9/9/9/9/9/9/9/9 {hand} 1");
        let found = [
            position::<<Shogi as Game>::Position>(&sfen).count_legal(),
            position::<<Happokei as Game>::Position>(&sfen).count_legal(),
            position::<<AiHappokei as Game>::Position>(&sfen).count_legal(),
        ];
        assert_eq!(found, counts, "{hand}");
    }
    judge_family(&[
        Case { sfen: "9/9/9/9/9/9/9/9/9 b PLN 1", legal: "P*5b L*5b N*5c", illegal: "P*5a L*5a" },
        Case { sfen: "9/9/9/9/9/9/9/9/9 w pln 1", legal: "P*5h L*5h N*5g", illegal: "P*5i L*5i" },
        // Nifu: only own pawns count, and only unpromoted ones.
        Case {
            sfen: "9/9/2p6/9/4+P4/5P3/9/9/9 b P 1",
            legal: "P*5d P*5f P*7e P*7h P*1b",
            illegal: "P*4b P*4e P*4g P*4i P*5e P*7c",
        },
        Case { sfen: "9/9/2p6/9/4+p4/5P3/9/9/9 w p 1", legal: "P*5d P*4b P*4h", illegal: "P*7b P*7d P*7h P*4f" },
        // Nothing is dropped that is not in the own hand.
        Case { sfen: "9/9/9/9/4P4/9/9/9/9 b Sr 1", legal: "S*1a", illegal: "R*1a P*1b G*1a" },
    ]);
}

/// Black checks to and fro; the king steps to and fro. Four moves lead back to the start.
const CHASE: &str = "5i4i 4a5a 4i5i 5a4a";
const CHASED: &str = "5k3/9/9/9/9/9/9/9/K3R4 b - 1";

#[test]
fn perpetual_check() {
    type Shogis = <Shogi as Game>::Position;
    let mut game: Shogis = position(CHASED);
    for round in 2..=3 {
        assert_eq!(result_after(&mut game, CHASE), None);
        assert_eq!(game.occurrences(), round);
    }
    assert_eq!(result_after(&mut game, CHASE), Some((WHITE, Reason::PerpetualCheck)));
    assert_eq!(game.occurrences(), 4);

    // The fourth occurrence may be of a position in check.
    let mut game: Shogis = position("5k3/9/9/9/9/9/9/9/K4R3 w - 1");
    let chase = "4a5a 4i5i 5a4a 5i4i";
    assert_eq!(result_after(&mut game, &format!("{chase} {chase}")), None);
    assert_eq!(result_after(&mut game, chase), Some((WHITE, Reason::PerpetualCheck)));

    // White as the checking side, in each of the games.
    fn by_white<G: Game>() {
        let mut game: G::Position = position("k3r4/9/9/9/9/9/9/9/5K3 w - 1");
        let chase = "5a4a 4i5i 4a5a 5i4i";
        assert_eq!(result_after(&mut game, &format!("{chase} {chase}")), None);
        assert_eq!(result_after(&mut game, chase), Some((BLACK, Reason::PerpetualCheck)));
    }
    by_white::<Shogi>();
    by_white::<Happokei>();
    by_white::<AiHappokei>();

    // What came before the first occurrence does not matter.
    let mut game: Shogis = position(CHASED);
    play(&mut game, "9i9h 4a3a 5i5h 3a4a 5h5i 4a3a 9h9g 3a4a");
    assert_eq!(result_after(&mut game, &format!("{CHASE} {CHASE}")), None);
    assert_eq!(result_after(&mut game, CHASE), Some((WHITE, Reason::PerpetualCheck)));
}

#[test]
fn checks_once_interrupted_are_a_plain_repetition() {
    let quiet = "9i9h 4a3a 9h9i 3a4a";
    for rounds in [[quiet, CHASE, CHASE], [CHASE, quiet, CHASE], [CHASE, CHASE, quiet], [quiet; 3]] {
        let mut game = position::<<Shogi as Game>::Position>(CHASED);
        assert_eq!(result_after(&mut game, &rounds[..2].join(" ")), None);
        assert_eq!(result_after(&mut game, rounds[2]), Some((None, Reason::Repetition)), "{rounds:?}");
    }
    // Checks from before the first occurrence do not make up for it.
    let mut game: <Shogi as Game>::Position = position("5k3/9/9/9/9/9/9/K8/4R4 b - 1");
    play(&mut game, CHASE);
    play(&mut game, "9h8i 4a3a 8i9i 3a4a");
    assert_eq!(game.occurrences(), 1);
    assert_eq!(result_after(&mut game, &[quiet, CHASE, CHASE].join(" ")), Some((None, Reason::Repetition)));
}

#[test]
fn hands_tell_positions_apart() {
    // The board recurs, but Black has a pawn more each time.
    let mut game = position::<<Shogi as Game>::Position>("4k4/9/9/9/9/9/9/9/4K4 w 8p 1");
    for pawns in 1..=5 {
        assert_eq!(result_after(&mut game, "P*5h 5i5h 5a5b 5h4i 5b5a 4i5i"), None);
        assert_eq!((game.occurrences(), game.hand_count(Color::Black, Kind::Pawn)), (1, pawns));
    }
}

#[test]
fn order_of_adjudication() {
    type Shogis = <Shogi as Game>::Position;
    let limited = |sfen, moves: &str, move_limit| {
        let mut game: Shogis = position_with(sfen, &limit(move_limit));
        result_after(&mut game, moves)
    };
    // Mate on the last move allowed is mate.
    assert_eq!(limited("4k4/9/4P4/9/9/9/9/9/4K4 b G 10", "G*5b", 10), Some((BLACK, Reason::Checkmate)));
    assert_eq!(limited("4k4/9/4P4/9/9/9/9/9/4K4 b G 10", "G*5h", 10), Some((None, Reason::MoveLimit)));
    assert_eq!(limited("4k4/9/4P4/9/9/9/9/9/4K4 b G 10", "G*5h", 11), None);
    // Repetition before the limit.
    let rounds = [CHASE; 3].join(" ");
    assert_eq!(limited(CHASED, &rounds, 12), Some((WHITE, Reason::PerpetualCheck)));
    assert_eq!(limited(CHASED, &rounds[..rounds.len() - 5], 11), Some((None, Reason::MoveLimit)));
    let quiet = ["9i9h 4a3a 9h9i 3a4a"; 3].join(" ");
    assert_eq!(limited(CHASED, &quiet, 12), Some((None, Reason::Repetition)));
    // A side without a move loses even where the limit is reached.
    assert_eq!(limited("k8/9/1GS6/9/9/9/9/9/8K b - 40", "7c7b", 40), Some((BLACK, Reason::NoLegalMove)));
}

#[test]
fn move_limit() {
    fn limited<G: Game>(moves: [&str; 3]) {
        let mut game = G::Position::startpos(&limit(3));
        for text in moves {
            assert_eq!(game.result(), None);
            assert!(!game.limit_reached());
            play(&mut game, text);
        }
        assert!(game.limit_reached());
        assert_eq!(game.result(), Some(GameResult { winner: None, reason: Reason::MoveLimit }));
        game.unmake();
        assert_eq!(game.result(), None);
        // The number of the diagram counts, and no limit is 0.
        let sfen = game.diagram().to_string().replace("b - 3", "b - 301");
        let late: G::Position = position_with(&sfen, &limit(300));
        assert_eq!(late.moves_played(), 300);
        assert_eq!(late.result().map(|result| result.reason), Some(Reason::MoveLimit));
        assert_eq!(position_with::<G::Position>(&sfen, &limit(301)).result(), None);
        assert_eq!(position_with::<G::Position>(&sfen, &limit(0)).result(), None);
    }
    let moves = ["7g7f", "3c3d", "2g2f"];
    limited::<Shogi>(moves);
    limited::<Happokei>(moves);
    limited::<AiHappokei>(moves);
}
