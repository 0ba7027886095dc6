//! Counts, legal moves and whole games that another implementation of the rules has worked out.

use happo::flanking::Flanking;
use happo::game::{Game, Goal, HouseRules, Position};
use happo::hasami::Hasami;
use happo::perft::perft;
use happo::shogi::{AiHappokei, Happokei, Shogi};
use serde_json::Value;

use crate::support::*;

/// The record of a game's name in the data.
fn record(name: &str) -> Value {
    let data: Value = serde_json::from_str(include_str!("../data/perft.json")).expect("JSON");
    data["variants"][name].clone()
}

fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}"))
}

/// Compares everything the data say of a game.
fn check<G: Game>(name: &str, rules: &HouseRules) {
    let record = record(name);
    let start = &record["start"];
    assert_eq!(G::Position::startpos(rules).diagram().to_string(), text(start, "sfen"));
    check_counts::<G>(start, rules);

    let positions = items(&record, "positions");
    assert!(positions.len() >= 4, "{name}: positions");
    for entry in positions {
        check_position::<G>(entry, rules);
        check_counts::<G>(entry, rules);
    }

    let games = items(&record, "games");
    assert!(games.len() >= 6, "{name}: games");
    for game in games {
        check_game::<G>(game, rules);
    }
}

fn check_counts<G: Game>(entry: &Value, rules: &HouseRules) {
    let sfen = text(entry, "sfen");
    let mut position: G::Position = position_with(sfen, rules);
    let counts = items(entry, "perft");
    assert!(!counts.is_empty());
    for (depth, count) in (1..).zip(counts) {
        assert_eq!(Some(perft(&mut position, depth)), count.as_u64(), "{sfen} depth {depth}");
    }
    assert_eq!(position.diagram().to_string(), sfen);
}

fn check_position<G: Game>(entry: &Value, rules: &HouseRules) {
    let sfen = text(entry, "sfen");
    let position: G::Position = position_with(sfen, rules);
    let expected: Vec<&str> = items(entry, "legal").iter().filter_map(Value::as_str).collect();
    assert_eq!(legal(&position), expected, "{sfen}");
    if let Some(in_check) = entry["in_check"].as_bool() {
        assert_eq!(position.in_check(), in_check, "{sfen}");
    }

    let mut played = G::Position::startpos(rules);
    play(&mut played, text(entry, "moves_from_start"));
    assert_eq!(played.diagram().to_string(), sfen);
    assert_eq!(played.key(), position.key(), "{sfen}");
    assert_eq!(legal(&played), expected, "{sfen}");
}

fn check_game<G: Game>(game: &Value, rules: &HouseRules) {
    let mut position = G::Position::startpos(rules);
    for text in text(game, "moves").split_whitespace() {
        assert_eq!(position.result(), None, "{} before {text}", position.diagram());
        play(&mut position, text);
    }
    assert_eq!(position.diagram().to_string(), text(game, "final"));
    let result = position.result();
    let told = result.map(|result| {
        let winner = result.winner.map(|color| color.letter().to_string());
        serde_json::json!([winner, result.reason.name()])
    });
    assert_eq!(told.unwrap_or(Value::Null), game["result"], "{}", position.diagram());
    if result.is_some_and(|result| result.winner.is_some()) {
        assert_eq!(legal(&position), [""; 0], "{}", position.diagram());
    }
}

#[test]
fn shogi() {
    check::<Shogi>("shogi", &HouseRules::default());
}

#[test]
fn happokei() {
    check::<Happokei>("happokei", &HouseRules::default());
}

#[test]
fn aihappokei() {
    check::<AiHappokei>("aihappokei", &HouseRules::default());
}

#[test]
fn flanking() {
    check::<Flanking>("flanking", &HouseRules::default());
}

#[test]
fn hasami_capture_five() {
    check::<Hasami>("hasami5", &goal(Goal::Capture5));
}

#[test]
fn hasami_lead_three() {
    check::<Hasami>("hasami3", &goal(Goal::Lead3));
}

#[test]
fn hasami_capture_all() {
    check::<Hasami>("hasamiall", &goal(Goal::CaptureAll));
}

/// Compares the counts of all depths of a position, the first depth first.
fn count<G: Game>(sfen: &str, expected: &[u64]) {
    let mut position: G::Position = position(sfen);
    for (depth, &leaves) in (1..).zip(expected) {
        assert_eq!(perft(&mut position, depth), leaves, "{sfen} depth {depth}");
    }
    assert_eq!(position.diagram().to_string(), sfen);
}

/// The counts of Fairy-Stockfish, which are also in the data.
fn fairy(name: &str) -> Vec<u64> {
    let record = record(name);
    items(&record["start"], "fairy_stockfish_perft").iter().filter_map(Value::as_u64).collect()
}

#[test]
fn deep_shogi() {
    let expected = [30, 900, 25470, 719_731, 19_861_490];
    assert_eq!(fairy("shogi"), expected);
    count::<Shogi>(SHOGI_START, &expected);
}

#[test]
fn deep_happokei() {
    let expected = [26, 780, 19560, 553_637, 13_621_112];
    assert_eq!(fairy("happokei"), expected);
    count::<Happokei>(HAPPOKEI_START, &expected);
}

#[test]
fn deep_aihappokei() {
    let expected = [32, 1024, 30656, 916_602, 26_620_610];
    assert_eq!(fairy("aihappokei"), expected);
    count::<AiHappokei>(SHOGI_START, &expected);
}

#[test]
fn deep_flanking() {
    count::<Flanking>(SHOGI_START, &[30, 847, 25409, 717_388]);
}

#[test]
fn deep_hasami() {
    count::<Hasami>(HASAMI_START, &[63, 3717, 254_219, 16_599_273]);
}

/// No position of shogi has more legal moves.
#[test]
fn most_moves() {
    count::<Shogi>("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", &[593, 105_677, 53_393_368]);
}

/// A middle game with many drops, well known among shogi programmers.
#[test]
fn many_drops() {
    let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
    let mut position = position::<<Shogi as Game>::Position>(sfen);
    assert_eq!(perft(&mut position, 3), 4_809_015);
}
