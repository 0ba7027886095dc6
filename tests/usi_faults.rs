//! Faults that other engines were shipped with, as far as no other test would find them; `tests/clients/README.md` has
//! the whole list.

mod pipes;

use std::time::{Duration, Instant};

use pipes::{AT_ONCE, Engine};

/// The best of some tries: a loaded machine may delay one, hardly all of them.
fn fastest(mut attempt: impl FnMut() -> Duration) -> Duration {
    (0..5).map(|_| attempt()).min().unwrap()
}

/// The score in centipawns told last before the answer, and the move answered.
fn judged(engine: &mut Engine, position: &str, go: &str) -> (i32, String) {
    engine.send(&format!("position {position}\n{go}"));
    let lines = engine.until("bestmove");
    let after = |line: &str, word: &str| line.split(' ').skip_while(|&w| w != word).nth(1).map(str::to_owned);
    let score = after(&lines[lines.len() - 2], "cp").and_then(|score| score.parse().ok());
    (score.unwrap_or_else(|| panic!("{lines:#?}")), after(&lines[lines.len() - 1], "bestmove").unwrap())
}

/// Clients give up on an engine that reads its files or fills its table before it says who it is.
#[test]
fn nothing_is_loaded_before_the_introduction() {
    let taken = fastest(|| {
        let started = Instant::now();
        let mut engine = Engine::start();
        engine.send("usi");
        engine.until("usiok");
        started.elapsed()
    });
    assert!(taken < AT_ONCE, "{taken:?}");
}

#[test]
fn the_table_is_as_large_as_was_asked_for() {
    let size = |mib: u32, field: &str| {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name USI_Hash value {mib}\nisready\ngo nodes 200000"));
        engine.best();
        let status = std::fs::read_to_string(format!("/proc/{}/status", engine.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with(field))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    // Told by Linux only.
    let (Some(small), Some(large)) = (size(1, "VmData:"), size(17, "VmData:")) else { return };
    assert!((15 << 10..18 << 10).contains(&(large - small)), "{small} KiB with 1 MiB, {large} KiB with 17 MiB");
    let touched = size(1, "RssAnon:").unwrap();
    assert!(touched < 12 << 10, "{touched} KiB in use with a table of 1 MiB");
}

/// Two-piece handicap, the king of the side that gave it has entered.
#[test]
fn handicap_games_know_declarations() {
    let mut engine = Engine::start();
    for (rule, position, declared) in [
        ("CSARule27H", "4K4/9/9/9/9/9/9/l7l/+p+p+p+pk+p+p+p+p w RB4G4S4N2L3P7p 2", true),
        ("CSARule27H", "4K4/9/9/9/9/9/9/l7l/+p+p+p+pk+p+p+p+p w RB4G4S4N2L4P6p 2", false),
        ("CSARule27", "4K4/9/9/9/9/9/9/l7l/+p+p+p+pk+p+p+p+p w RB4G4S4N2L3P7p 2", false),
        ("CSARule24H", "4K4/9/9/9/9/9/9/l7l/+p+p+p+pk+p+p+p+p w RB4G4N2L3P4s7p 2", true),
    ] {
        engine.send(&format!("setoption name EnteringKingRule value {rule}\nposition sfen {position}\ngo nodes 2000"));
        let best = engine.best();
        assert_eq!(best == "bestmove win", declared, "{rule}, {position}: {best}");
    }
}

/// The moves of a `position` are the history of the game: what was on the board before counts.
#[test]
fn repetitions_are_seen() {
    let mut engine = Engine::start();
    let start = "sfen 4k4/9/9/9/9/9/9/9/R3K4 w - 1";
    let round = " 5a4a 9i8i 4a5a 8i9i";
    let (third, _) = round.rsplit_once(' ').unwrap();
    let game = format!("{start} moves{}{third}", round.repeat(2));
    let (score, _) = judged(&mut engine, &game, "go depth 4 searchmoves 8i9i");
    assert!(score.abs() < 50, "the fourth time is worth {score}");
    let (score, best) = judged(&mut engine, &game, "go depth 6");
    assert!(score > 150 && best != "8i9i", "{best} is worth {score}");
    let (score, _) = judged(&mut engine, &format!("{start} moves{third}"), "go depth 4 searchmoves 8i9i");
    assert!(score > 150, "the second time is worth {score}");
}

#[test]
fn whole_seconds_are_none_of_a_blitz_clock() {
    let mut engine = Engine::start();
    engine.send("setoption name RoundUpToFullSecond value true\nisready");
    for (go, most) in [("btime 0 wtime 0 byoyomi 300", 300), ("btime 700 wtime 700", 700), ("btime 90 wtime 90", 90)] {
        let taken = fastest(|| {
            let asked = Instant::now();
            engine.send(&format!("go {go}"));
            engine.best();
            asked.elapsed()
        });
        assert!(taken < Duration::from_millis(most), "{taken:?} for {go}");
    }
}

#[test]
fn forced_replies_are_reported() {
    let mut engine = Engine::start();
    for (variant, position, only) in [
        ("shogi", "sfen 4k4/9/9/9/9/9/9/1r7/K8 b -", "9i8h"),
        ("happokei", "sfen 4k4/9/9/9/9/9/9/1r7/K8 b -", "9i8h"),
        ("hasami goal=captureall", "sfen 9/9/9/9/9/9/9/p8/P1p6 b -", "9i8i"),
    ] {
        for go in ["go btime 600000 wtime 600000", "go movetime 50", "go nodes 1", "go infinite"] {
            engine.send(&format!("position {position} variant={variant}\n{go}"));
            if go == "go infinite" {
                engine.is_thinking();
                engine.send("stop");
            }
            let lines = engine.until("bestmove");
            assert!(lines.last().unwrap().starts_with(&format!("bestmove {only}")), "{variant}, {go}: {lines:#?}");
            // After `is_thinking` the line may have been read already.
            if let Some(before) = lines.iter().rev().nth(1) {
                let all = ["score", "nodes", "time", &format!("pv {only}")]
                    .iter()
                    .all(|&word| before.contains(&format!(" {word} ")) || before.ends_with(&format!(" {word}")));
                assert!(all, "{variant}, {go}: {before}");
            }
        }
    }
}

#[test]
fn names_of_options_as_clients_spell_them() {
    let mut engine = Engine::start();
    for (names, values) in [
        (&["USI_Variant", "UCI_Variant"][..], &["hasami", "flanking"][..]),
        (&["USI_MultiPV", "MultiPV"], &["3", "2"]),
        (&["USI_Hash", "Hash"], &["8", "4"]),
        (&["USI_Ponder", "Ponder"], &["true", "0"]),
        (&["Skill Level", "Skill_Level", "SkillLevel", "skill level"], &["-20", "-9", "20", "3"]),
        (&["USI_AnalyseMode", "UCI_AnalyseMode"], &["true", "false"]),
    ] {
        for (name, value) in names.iter().zip(values) {
            let told = if *value == "0" { "false" } else { value };
            for asked in names {
                engine.send(&format!("setoption name {name} value {value}\ngetoption {asked}"));
                assert_eq!(engine.next(), told, "{name}, {asked}");
            }
        }
    }
    // Names of other engines, sent to all of them: an error is told, and that is all.
    engine.send("setoption name EvalDir value eval\nsetoption name BookFile value no_book\nisready\ngo nodes 10");
    engine.until("readyok");
    engine.best();
}
