//! Conversations about the toy game, which stands for every other.

use std::io::Cursor;

use serde_json::Value;

use crate::board::Color;
use crate::game::{GameResult, HouseRules, Position, Reason, Variant};

use super::output::Output;
use super::output::tests::Buffer;
use super::player::{GamePlayer, Player};
use super::position::{PositionError, PositionSpec, Table};
use super::session;
use super::toy::{Toy, ToyPosition};
use super::turns::play_turn;

type One = Table<ToyPosition<1>>;
type Two = Table<ToyPosition<2>>;

fn toy(variant: Variant) -> Box<dyn Player> {
    match variant {
        Variant::Flanking => Box::new(GamePlayer::<Toy<2>>::new()),
        _ => Box::new(GamePlayer::<Toy<1>>::new()),
    }
}

/// What the engine says to some lines.
fn talk(lines: &str) -> Vec<String> {
    let buffer = Buffer::default();
    session::converse(Cursor::new(lines.to_owned()), Output::new(buffer.clone()), toy);
    buffer.take().lines().map(str::to_owned).collect()
}

/// Without what only people read.
fn answers(lines: &str) -> Vec<String> {
    let mut lines = talk(lines);
    lines.retain(|line| !line.starts_with("info string"));
    lines
}

fn set_up<P: Position>(text: &str) -> Result<Table<P>, PositionError> {
    Table::set_up(&PositionSpec::parse(text)?, &HouseRules::default())
}

fn message<P: Position>(text: &str) -> String {
    set_up::<P>(text).err().unwrap().to_string()
}

/// The kings stand face to face; whoever is to move takes.
const FACING: &str = "sfen 9/9/9/9/4k4/4K4/9/9/9 b -";

#[test]
fn positions_and_their_errors() {
    let table: One = set_up("startpos moves 5i5h 5a5b").unwrap();
    assert_eq!(table.position.diagram().to_string(), "9/4k4/9/9/9/9/9/4K4/9 b - 3");
    let table: One = set_up("sfen 9/9/9/9/9/9/9/9/k7K b - 7 limit=9 variant=Shogi").unwrap();
    assert_eq!((table.position.moves_played(), table.position.rules().move_limit), (6, 9));
    let table: One = set_up("sfen 9/9/9/9/9/9/9/9/k7K w - limit=0 foo moves 9i8i").unwrap();
    assert_eq!(table.position.moves_played(), 1);

    for (text, part) in [
        ("", "startpos or sfen"),
        ("foo", "startpos or sfen"),
        ("sfen 9/9 b", "board, side"),
        ("sfen 9/9 b -", "2 ranks"),
        ("sfen 9/9/9/9/9/9/9/9/k7K b - x", "move number"),
        ("startpos variant=chess", "shogi, happokei, aihappokei, flanking, hasami"),
        ("startpos colour=red", "unknown key colour="),
        ("startpos limit=-1", "\"-1\" for limit="),
        ("startpos step=3", "\"3\" for step="),
        ("startpos goal=lead3", "shogi has no key goal="),
        ("startpos step=1", "shogi has no key step="),
        ("startpos goal=lead4", "\"lead4\" for goal="),
        ("startpos moves 5i5h 5i5h", "move 2, \"5i5h\", is illegal"),
        ("startpos moves 5i5h,5h5g", "move 1, \"5i5h,5h5g\", is not a move"),
        ("startpos moves \u{68cb}", "is not a move"),
    ] {
        assert!(message::<ToyPosition<1>>(text).contains(part), "{text}: {}", message::<ToyPosition<1>>(text));
    }
    let after = message::<ToyPosition<1>>(&format!("{FACING} moves 5f5e 5e5f"));
    assert!(after.contains("move 2") && after.contains("after the end"), "{after}");
}

#[test]
fn turns_of_two_halves() {
    let board = |text| set_up::<ToyPosition<2>>(text).unwrap().position.diagram().to_string();
    let whole = "9/4k4/9/9/9/9/4K4/9/9 w - 4";
    assert_eq!(board("startpos moves 5i5h,5h5g 5a5b"), format!("{whole} step=2"));
    assert_eq!(board("startpos moves 5i5h 5h5g 5a5b"), format!("{whole} step=2"));
    assert_eq!(board("startpos step=2 moves 5i5h 5a5b,5b5c"), "9/9/4k4/9/9/9/9/4K4/9 b - 4");
    let half = message::<ToyPosition<2>>("startpos moves 5i5h 5h5g,5g5f");
    assert!(half.contains("move 2") && half.contains("second half"), "{half}");

    let won: Two = set_up(&format!("{FACING} moves 5f5e")).unwrap();
    assert_eq!(won.over().unwrap().winner, Some(Color::Black));
    assert!(message::<ToyPosition<2>>(&format!("{FACING} moves 5f5e,5e5f")).contains("after the end"));
}

#[test]
fn acts_of_players_end_the_game() {
    let end = |text: &str| set_up::<ToyPosition<1>>(text).unwrap().result().unwrap();
    let result = |winner, reason| GameResult { winner, reason };
    assert_eq!(end("startpos moves 5i5h resign"), result(Some(Color::Black), Reason::Resignation));
    assert_eq!(end("startpos moves win"), result(Some(Color::White), Reason::IllegalDeclaration));
    let entered = "sfen 4K4/9/9/9/9/9/9/9/k8 b -";
    assert_eq!(end(&format!("{entered} moves win")), result(Some(Color::Black), Reason::Declaration));
    assert!(message::<ToyPosition<1>>("startpos moves resign 5i5h").contains("after the end"));
    let mated = end(&format!("{FACING} moves 5f5e resign"));
    assert_eq!(mated.reason, Reason::KingFlanked);
}

#[test]
fn only_whole_legal_turns_are_played() {
    let turn = |text: &str| text.split(' ').filter_map(crate::board::Move::from_usi).collect::<Vec<_>>();
    let Two { mut position, .. } = Table::new();
    for bad in ["", "5i5h", "5i5h 5i5h", "5i5h 5h5g 5g5f", "5a5b 5b5c"] {
        assert!(!play_turn(&mut position, &turn(bad)), "{bad}");
        assert_eq!(position.moves_played(), 0);
    }
    assert!(play_turn(&mut position, &turn("5i5h 5h5g")));
    let mut won = set_up::<ToyPosition<2>>(FACING).unwrap().position;
    assert!(play_turn(&mut won, &turn("5f5e")));
}

#[test]
fn games_that_are_over_or_cannot_be_played() {
    let over = format!("position {FACING} moves 5f5e\n");
    assert_eq!(answers(&format!("{over}go byoyomi 10")), ["info depth 0 score mate -", "bestmove resign"]);
    assert_eq!(
        answers(&format!("{over}go infinite\nisready\nponderhit\nd\nstop\nstop"))
            .iter()
            .filter(|line| line.starts_with("readyok") || line.starts_with("bestmove"))
            .collect::<Vec<_>>(),
        ["readyok", "bestmove resign"]
    );
    for end in ["ponderhit", "stop", "gameover", "quit", "", "go depth 1\ngo ponder"] {
        let lines = answers(&format!("{over}go ponder\nisready\n{end}\n"));
        let bests = lines.iter().filter(|line| line.starts_with("bestmove")).count();
        assert_eq!(bests, if end.starts_with("go") { 3 } else { 1 }, "{end}: {lines:?}");
        let first = lines.iter().position(|line| line.starts_with("bestmove")).unwrap();
        assert!(first > lines.iter().position(|line| line == "readyok").unwrap());
        // Read by clients as the score of the move.
        assert_eq!(lines[first - 1], "info depth 0 score mate -");
    }
    assert_eq!(answers("position startpos moves resign\ngo\n").last().unwrap(), "bestmove resign");
    let entered = "position sfen 4K4/9/9/9/9/9/9/9/k8 b -\n";
    assert_eq!(answers(&format!("{entered}go\n")), ["info depth 0 score mate +", "bestmove win"]);
    let off = "setoption name EnteringKingRule value NoEnteringKing\n";
    assert_ne!(answers(&format!("{entered}{off}go depth 1\n")).last().unwrap(), "bestmove win");
}

#[test]
fn a_bad_position_is_not_played() {
    let lines = talk("position startpos moves 5i5h\nposition startpos moves 5i5a\ngo\nstate\n");
    assert!(lines[0].starts_with("info string error: move 1, \"5i5a\""));
    assert!(lines[1].starts_with("info string error:"));
    assert_eq!(lines[2], "bestmove resign");
    assert!(lines[3].contains("\"movesPlayed\":1"));
    let lines = answers("position foo\nposition startpos\ngo depth 1\n");
    assert!(!lines.contains(&"bestmove resign".to_owned()), "{lines:?}");
}

#[test]
fn an_unknown_game_is_not_played() {
    let chess = "position startpos moves 5i5h\nsetoption name USI_Variant value chess\n";
    for rest in ["go\n", "position startpos\ngo\n", "setoption name MaxMovesToDraw value 5\ngo\n"] {
        assert_eq!(answers(&format!("{chess}{rest}")), ["bestmove resign"], "{rest}");
    }
    assert!(answers(&format!("{chess}state\n"))[0].contains("\"movesPlayed\":1"));
    for known in ["setoption name UCI_Variant value shogi\n", "position startpos variant=shogi\n"] {
        let last = answers(&format!("{chess}{known}go depth 1\n")).pop().unwrap();
        assert!(last.starts_with("bestmove 5i"), "{last}");
    }
    // The position of one game is none of another.
    let lines = answers(&format!("{chess}setoption name USI_Variant value flanking\nstate\n"));
    assert!(lines[0].contains("\"variant\":\"flanking\"") && lines[0].contains("\"movesPlayed\":0"));
}

#[test]
fn a_new_game_is_one_by_the_options() {
    let lines = answers("isready\nsetoption name USI_Variant value flanking\nusinewgame\nstate\n");
    assert!(lines[1].contains("\"variant\":\"flanking\""), "{lines:?}");
    let lines = answers("isready\nsetoption name MaxMovesToDraw value 9\nusinewgame\nstate\n");
    assert!(lines[1].contains("\"limit\":9"), "{lines:?}");
}

#[test]
fn a_bad_position_is_not_mended_by_options() {
    for names in [&["chess", "shogi"][..], &["flanking"], &["flanking", "shogi"]] {
        let set: String = names.iter().map(|name| format!("setoption name USI_Variant value {name}\n")).collect();
        assert_eq!(answers(&format!("position sfen foo\n{set}go depth 1\n")), ["bestmove resign"], "{names:?}");
    }
}

#[test]
fn another_game_waits_for_the_answer() {
    for go in ["go infinite", "go ponder"] {
        for look in ["isready", "state", "d", "moves", "eval"] {
            let lines = answers(&format!(
                "position startpos moves 5i5h\n{go}\nsetoption name USI_Variant value flanking\n{look}\n\
                 isready\nstop\n"
            ));
            let place = |start: &str| lines.iter().rposition(|line| line.starts_with(start)).unwrap();
            assert!(place("readyok") < place("bestmove 5a"), "{go}, {look}: {lines:?}");
        }
    }
}

#[test]
fn rules_set_later_hold_unless_the_position_says_otherwise() {
    let limit = |lines: &str| -> Value { serde_json::from_str::<Value>(&answers(lines)[0]).unwrap()["limit"].clone() };
    let option = "setoption name MaxMovesToDraw value 5\n";
    assert_eq!(limit(&format!("{option}position startpos\nstate\n")), 5);
    assert_eq!(limit(&format!("position startpos\n{option}state\n")), 5);
    assert_eq!(limit(&format!("{option}position startpos limit=0\nstate\n")), Value::Null);
    assert_eq!(limit(&format!("{option}position startpos limit=7\nstate\n")), 7);
}

#[test]
fn state_is_json() {
    let line = &answers("position startpos variant=flanking limit=30 moves 5i5h,5h5g 5a5b\nstate\n")[0];
    assert_eq!(
        line,
        "{\"variant\":\"flanking\",\"goal\":null,\"limit\":30,\"sfen\":\"9/4k4/9/9/9/9/4K4/9/9 w - 4 step=2\",\
         \"turn\":\"w\",\"step\":2,\"movesPlayed\":3,\"legal\":[\"5b4b\",\"5b5a\",\"5b5c\",\"5b6b\"],\
         \"check\":false,\"captures\":null,\"repetition\":1,\"impasse\":null,\"result\":null}"
    );
    let state: Value = serde_json::from_str(&answers("position startpos moves resign\nstate\n")[0]).unwrap();
    assert_eq!(state["result"], serde_json::json!({"winner": "w", "reason": "resignation"}));
    assert_eq!(state["legal"], serde_json::json!([]));
    assert_eq!(state["impasse"], serde_json::json!({"b": 1, "w": 1, "claim": null}));
    let drawn = "position startpos moves 5i5h 5a5b 5h5i 5b5a 5i5h 5a5b 5h5i 5b5a 5i5h 5a5b 5h5i 5b5a";
    let state: Value = serde_json::from_str(&answers(&format!("{drawn}\nstate\n"))[0]).unwrap();
    assert_eq!((&state["repetition"], &state["result"]["reason"]), (&4.into(), &"repetition".into()));
    // The arbiter may see it otherwise: who asks for a move gets one.
    assert!(answers(&format!("{drawn}\ngo depth 1\n")).pop().unwrap().starts_with("bestmove 5i"));
    assert!(answers(&format!("{drawn} 5i5h\nstate\n"))[0].contains("\"movesPlayed\":13"));
}

#[test]
fn counts() {
    assert_eq!(
        answers("position startpos\ngo perft 2\nquit\n"),
        ["5i4i: 3", "5i5h: 3", "5i6i: 3", "Nodes searched: 9"]
    );
    assert_eq!(answers("go perft 0\n"), ["Nodes searched: 1"]);
    assert_eq!(answers("go perft 1\nisready\ngo perft 0\nstate").len(), 4 + 1 + 1 + 1);
    assert!(talk("go perft 60\nstop\n").contains(&"info string perft stopped".to_owned()));
    let lines = answers("go perft 60\ngo infinite\nstop\n");
    assert!(lines.last().is_some_and(|line| line.starts_with("bestmove 5i")), "{lines:?}");
    let over = format!("position {FACING} moves 5f5e\ngo perft 3\n");
    assert_eq!(answers(&over), ["Nodes searched: 0"]);
}

#[test]
fn one_answer_a_go() {
    assert_eq!(answers("go mate 1000\n"), ["checkmate notimplemented"]);
    for go in ["go depth 1", "go movetime 1", "go btime 0 wtime 0 byoyomi 1", "go nodes 1", "go ponder\nponderhit"] {
        let lines = answers(&format!("position startpos moves 5i5h\n{go}\nstop\nisready\n"));
        assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove 5a")).count(), 1, "{go}: {lines:?}");
        let best = lines.iter().position(|line| line.starts_with("bestmove")).unwrap();
        assert!(lines[best - 1].contains(" pv 5a"), "{lines:?}");
    }
}

#[test]
fn answers_are_whole_turns() {
    // A ponder move, always a whole turn, may follow.
    let best = |position: &str| {
        let line = answers(&format!("position {position}\ngo depth 2\n")).pop().unwrap();
        line.strip_prefix("bestmove ").unwrap().split(' ').next().unwrap().to_owned()
    };
    assert!(best("startpos variant=flanking").starts_with("5i"));
    assert!(best("startpos variant=flanking").contains(','));
    assert!(!best("startpos variant=flanking step=2").contains(','));
}

#[test]
fn introductions() {
    let lines = talk("usi\r\nisready\r\nusinewgame\r\nquit\r\n");
    assert!(lines[0].starts_with("id name happo"));
    assert!(lines[1].starts_with("id author "));
    assert!(lines[2].starts_with("option name "));
    assert!(lines.contains(&"usiok".to_owned()));
    assert_eq!(lines.last().unwrap(), "readyok");
    assert_eq!(talk("getoption Threads\n"), ["1"]);
    assert_eq!(talk("setoption name Threads value 2\ngetoption threads\n"), ["2"]);
    assert!(talk("setoption name Threads value 0\n")[0].starts_with("info string error: option Threads"));
    assert!(talk("setoption name Foo value 0\n")[0].starts_with("info string error: no option"));
    assert!(talk("setoption name USI_AnalyseMode value true\n\n \r\nstop\nponderhit\ngameover lose\n").is_empty());
    assert_eq!(talk("frobnicate\n"), ["info string error: unknown command \"frobnicate\""]);
}
