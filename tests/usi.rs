//! The built engine as a client meets it: through pipes.

mod pipes;

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use pipes::{AT_ONCE, Engine, PATIENCE, bests};

/// Names of all games.
const VARIANTS: [&str; 5] = ["shogi", "happokei", "aihappokei", "flanking", "hasami"];

#[test]
fn introduces_itself_and_ends() {
    let mut engine = Engine::start();
    engine.send_bytes(b"usi\r\n");
    let lines = engine.until("usiok");
    assert!(lines[0].starts_with("id name happo") && lines[1].starts_with("id author"));
    assert!(lines.iter().any(|line| line.starts_with("option name UCI_Variant type combo default shogi var ")));
    assert!(lines.contains(&"option name Clear Hash type button".to_owned()));
    engine.send_bytes(b"isready\r\nusinewgame\r\ngameover win\r\nstop\r\nquit\r\n");
    assert_eq!(engine.ends(), ["readyok"]);
}

#[test]
fn a_game_in_the_usual_order() {
    let mut engine = Engine::start();
    engine.send("usi\nsetoption name USI_Hash value 16\nsetoption name USI_Ponder value true\nisready\nusinewgame");
    engine.until("readyok");
    let mut moves = String::new();
    for _ in 0..3 {
        engine.send(&format!("position startpos moves{moves}\ngo btime 500 wtime 500 byoyomi 20"));
        let lines = engine.until("bestmove");
        let best = lines[lines.len() - 1].split(' ').nth(1).unwrap();
        assert!(lines[lines.len() - 2].contains(&format!(" pv {best}")), "{lines:#?}");
        moves = format!("{moves} {best}");
    }
    assert_eq!(engine.state()["movesPlayed"], 2);
    engine.send("gameover draw\nquit");
    assert_eq!(bests(&engine.ends()), 0);
}

#[test]
fn one_answer_however_the_search_ends() {
    let mut engine = Engine::start();
    engine.send("isready\nposition startpos");
    engine.until("readyok");
    for go in [
        "go depth 2",
        "go nodes 100",
        "go movetime 10",
        "go movetime 10 depth 3 nodes 1000 btime 100 wtime 100 byoyomi 10",
        "go btime 0 wtime 0 byoyomi 20",
        "go binc 10 winc 10",
        "go unknown depth 1 words",
    ] {
        engine.send(go);
        engine.best();
        engine.is_silent();
    }
    engine.send("go depth 1 searchmoves 1g1f");
    assert_eq!(engine.best().split(' ').nth(1), Some("1g1f"));
    engine.send("go mate 100");
    engine.until("checkmate");
    engine.is_silent();
    engine.send("go perft 3");
    assert_eq!(engine.until("Nodes searched").pop().unwrap(), "Nodes searched: 25470");
    engine.is_silent();
}

#[test]
fn infinite_and_ponder_wait() {
    let mut engine = Engine::start();
    engine.send("position startpos moves 7g7f");
    for (go, end) in [
        ("go infinite", "stop"),
        ("go infinite depth 1", "stop"),
        ("go infinite nodes 10", "stop"),
        ("go infinite movetime 10 byoyomi 10", "stop"),
        ("go ponder nodes 10", "stop"),
        ("go ponder nodes 10", "ponderhit"),
        ("go ponder depth 1 movetime 10", "ponderhit"),
        ("go ponder infinite nodes 10", "stop"),
        ("go ponder btime 100 wtime 100 byoyomi 10", "stop"),
        ("go ponder btime 100 wtime 100 byoyomi 10", "ponderhit"),
        ("go ponder", "ponderhit btime 100 wtime 100 byoyomi 10"),
        ("go infinite", "gameover lose"),
    ] {
        engine.send(go);
        engine.is_thinking();
        engine.send(end);
        let asked = Instant::now();
        let lines = engine.until("bestmove");
        assert!(asked.elapsed() < AT_ONCE, "{go}, {end}: {:?}", asked.elapsed());
        assert!(lines[lines.len() - 1].len() > "bestmove ".len());
        engine.is_silent();
    }
}

#[test]
fn pondering_without_relying_on_the_reply() {
    for variant in VARIANTS {
        let moves = if variant == "flanking" { "7g7f,2g2f 3c3d,8c8d" } else { "9g9f 9c9d" };
        let moves = if variant == "hasami" { "9i9h 9a9b" } else { moves };
        let mut engine = Engine::start();
        engine.send("setoption name Stochastic_Ponder value true");
        for end in ["ponderhit", "ponderhit btime 0 wtime 0 byoyomi 30", "stop", "gameover draw"] {
            engine.send(&format!("position startpos variant={variant} moves {moves}"));
            engine.send("go ponder btime 0 wtime 0 byoyomi 50");
            engine.is_silent();
            engine.send(end);
            assert!(engine.best().starts_with("bestmove "), "{variant}, {end}");
            engine.is_silent();
        }
        // Without a reply to take back there is nothing to guess.
        engine.send(&format!("position startpos variant={variant}\ngo ponder\nponderhit btime 0 wtime 0 byoyomi 30"));
        engine.best();
        engine.send("go ponder\nquit");
        assert_eq!(bests(&engine.ends()), 1);
    }
}

#[test]
fn a_second_go_ends_the_first() {
    let mut engine = Engine::start();
    engine.send("go infinite\ngo infinite\nstop");
    engine.best();
    engine.best();
    engine.is_silent();
}

#[test]
fn quit_and_the_end_of_input_end_the_search() {
    for go in ["go infinite", "go ponder btime 1000 wtime 1000"] {
        for quit in [true, false] {
            let mut engine = Engine::start();
            engine.send(&format!("position startpos\n{go}"));
            engine.is_thinking();
            if quit {
                engine.send("quit");
            }
            let asked = Instant::now();
            let lines = engine.ends();
            assert!(asked.elapsed() < AT_ONCE, "{go}: {:?}", asked.elapsed());
            assert_eq!(bests(&lines), 1, "{go}: {lines:#?}");
        }
    }
}

/// The best of some tries takes at most that many milliseconds: a loaded machine may delay one, hardly all of them.
fn within(milliseconds: u64, what: &str, mut attempt: impl FnMut() -> Duration) {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        best = best.min(attempt());
        if best <= Duration::from_millis(milliseconds) {
            return;
        }
    }
    panic!("{what}: {best:?}");
}

#[test]
fn every_game_is_left_at_once() {
    for variant in VARIANTS {
        for threads in [1, 2] {
            let thinking = || {
                let mut engine = Engine::start();
                engine.send(&format!(
                    "setoption name Threads value {threads}\nsetoption name USI_Variant value {variant}"
                ));
                engine.send("isready\nposition startpos\ngo infinite");
                engine.until("info depth");
                engine
            };
            let mut engine = thinking();
            within(50, &format!("isready in {variant} with {threads}"), || {
                let asked = Instant::now();
                engine.send("isready");
                engine.until("readyok");
                asked.elapsed()
            });
            within(50, &format!("stop in {variant} with {threads}"), || {
                let asked = Instant::now();
                engine.send("stop");
                engine.best();
                let taken = asked.elapsed();
                engine.send("go infinite");
                engine.until("info depth");
                taken
            });
            for end in ["quit", ""] {
                within(50, &format!("{end:?} in {variant} with {threads}"), || {
                    let mut engine = thinking();
                    let asked = Instant::now();
                    engine.send(end);
                    assert_eq!(bests(&engine.ends()), 1);
                    asked.elapsed()
                });
            }
        }
    }
}

#[test]
fn a_fixed_time_is_kept() {
    for variant in VARIANTS {
        for threads in [1, 2] {
            let mut engine = Engine::start();
            engine.send(&format!("setoption name Threads value {threads}\nsetoption name USI_Variant value {variant}"));
            engine.send("isready\nposition startpos");
            engine.until("readyok");
            within(130, &format!("movetime 100 in {variant} with {threads}"), || {
                let asked = Instant::now();
                engine.send("go movetime 100");
                engine.best();
                asked.elapsed()
            });
        }
    }
}

#[test]
fn more_threads_than_processors_keep_the_time() {
    let mut engine = Engine::start();
    engine.send("setoption name Threads value 200\nisready\ngo depth 1");
    engine.best();
    within(500, "movetime 20 with 200 threads", || {
        let asked = Instant::now();
        engine.send("go movetime 20");
        engine.best();
        asked.elapsed()
    });
}

#[test]
fn memory_that_is_not_there() {
    let mut engine = Engine::start();
    // A tebibyte; should the system grant it, nothing of it is touched.
    engine.send("setoption name USI_Hash value 1048576\nisready");
    engine.until("readyok");
    engine.send("setoption name USI_Hash value 1\ngo depth 3\nquit");
    assert_eq!(bests(&engine.ends()), 1);
}

#[test]
fn a_late_ponderhit_does_not_start_the_clock_again() {
    let mut engine = Engine::start();
    engine.send("isready\ngo movetime 300");
    let asked = Instant::now();
    while asked.elapsed() < Duration::from_millis(250) {
        engine.send("ponderhit");
        std::thread::sleep(Duration::from_millis(20));
    }
    engine.best();
    assert!(asked.elapsed() < Duration::from_millis(300) + AT_ONCE / 2, "{:?}", asked.elapsed());
}

#[test]
fn depths_beyond_all_numbers() {
    let mut engine = Engine::start();
    for depth in ["2147483648", "4294967295", "99999999999999999999"] {
        engine.send(&format!("go nodes 5000 depth {depth}"));
        let lines = engine.until("bestmove");
        assert!(lines.iter().any(|line| line.starts_with("info depth 3 ")), "{depth}: {lines:#?}");
    }
}

#[test]
fn options_set_while_thinking_take_effect_later() {
    let mut engine = Engine::start();
    engine.send("position startpos\ngo infinite");
    engine.is_thinking();
    engine.send("setoption name Threads value 2\nsetoption name USI_Hash value 2\nsetoption name Clear Hash");
    engine.is_thinking();
    engine.send("stop\nsetoption name MultiPV value 2\ngo depth 2");
    engine.best();
    let lines = engine.until("bestmove");
    assert!(lines.iter().any(|line| line.contains(" multipv 2 ")), "{lines:#?}");
}

#[test]
fn ponder_moves_are_legal() {
    let mut engine = Engine::start();
    // Mate in one by a gold in front of the king.
    engine.send("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1\ngo depth 4");
    assert_eq!(engine.best(), "bestmove G*5b");
    engine.send("position startpos moves 7g7f\ngo depth 4");
    let best = engine.best();
    if let ["bestmove", best, "ponder", ponder] = *best.split(' ').collect::<Vec<_>>() {
        engine.send(&format!("position startpos moves 7g7f {best} {ponder}"));
        assert_eq!(engine.state()["movesPlayed"], 3);
    }
}

#[test]
fn mated_roots() {
    let mut engine = Engine::start();
    engine.send("position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2\ngo btime 100 wtime 100");
    let lines = engine.until("bestmove");
    assert_eq!(lines[lines.len() - 2..], ["info depth 0 score mate -", "bestmove resign"]);
    engine.send("go infinite");
    engine.is_thinking();
    engine.send("stop");
    let lines = engine.until("bestmove");
    assert_eq!(lines[lines.len() - 2..], ["info depth 0 score mate -", "bestmove resign"]);
    assert_eq!(engine.state()["result"]["reason"], "checkmate");
}

#[test]
fn declarations() {
    let mut engine = Engine::start();
    let entered = "position sfen SGSGKGSGS/1R5B1/9/9/9/9/9/9/4k4 b RB5P 1";
    engine.send(&format!("{entered}\ngo btime 1000 wtime 1000"));
    assert_eq!(engine.best(), "bestmove win");
    engine.send("go ponder");
    engine.is_thinking();
    engine.send("ponderhit");
    assert_eq!(engine.best(), "bestmove win");
    engine.send(&format!("{entered} moves win"));
    let result = &engine.state()["result"];
    assert_eq!((&result["winner"], &result["reason"]), (&"b".into(), &"declaration".into()));
    engine.send("position startpos moves win");
    assert_eq!(engine.state()["result"]["reason"], "illegal declaration");
    engine.send("go byoyomi 10");
    assert_eq!(engine.best(), "bestmove resign");
}

#[test]
fn bad_input_is_named_and_survived() {
    let mut engine = Engine::start();
    engine.send("position startpos moves 7g7f");
    let before = engine.state();
    for (bad, part) in [
        ("position sfen garbage", "SFEN"),
        ("position", "startpos or sfen"),
        ("position startpos moves 7g7f 7g7f", "move 2"),
        ("position startpos variant=chess", "known are shogi, happokei, aihappokei, flanking, hasami"),
        ("position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b 3K 1", "hands"),
        ("setoption name USI_Variant value chess", "known are shogi"),
    ] {
        engine.send(bad);
        let line = engine.output.recv_timeout(PATIENCE).unwrap();
        assert!(line.starts_with("info string error") && line.contains(part), "{bad}: {line}");
        assert_eq!(engine.state(), before, "{bad}");
        engine.send("go btime 1000 wtime 1000");
        assert_eq!(engine.best(), "bestmove resign");
        engine.send("go infinite");
        engine.is_thinking();
        engine.send("stop");
        assert_eq!(engine.best(), "bestmove resign");
    }
    engine.send("setoption name USI_Variant value shogi\nposition startpos\ngo depth 1");
    assert_ne!(engine.best(), "bestmove resign");
    engine.send_bytes(b"\xff\xfe\x00 go\xff\r\r\n\0\n\nposition startpos\rmoves\t7g7f \r\n");
    assert_eq!(engine.state()["movesPlayed"], 1);
}

#[test]
fn long_games() {
    let mut engine = Engine::start();
    let shuffle = " 4i4h 4a4b 4h4i 4b4a".repeat(5_000);
    engine.send(&format!("position startpos moves{shuffle}"));
    let state = engine.state();
    assert_eq!((&state["movesPlayed"], &state["result"]["reason"]), (&20_000.into(), &"repetition".into()));
    engine.send("go depth 1");
    assert_ne!(engine.best(), "bestmove resign");
    engine.send(&format!("position startpos {} moves 7g7f", "x".repeat(1_000_000)));
    assert_eq!(engine.state()["movesPlayed"], 1);
}

#[test]
fn options() {
    let mut engine = Engine::start();
    for (set, asked, value) in [
        ("setoption name threads value 2", "Threads", "2"),
        ("setoption name Threads value 0", "Threads", "2"),
        ("setoption name Threads value 99999", "Threads", "2"),
        ("setoption name Hash value 32", "USI_Hash", "32"),
        ("setoption name USI_MultiPV value 3", "MultiPV", "3"),
        ("setoption name ponder value TRUE", "USI_Ponder", "true"),
        ("setoption name UCI_Variant value Ai-Happokei", "USI_Variant", "aihappokei"),
        ("setoption name USI_Variant value standard", "UCI_Variant", "shogi"),
        ("setoption name EnteringKingRule value points24", "EnteringKingRule", "Points24"),
        ("setoption name HasamiGoal value LEAD3", "HasamiGoal", "lead3"),
        ("setoption name DebugLogFile value ", "DebugLogFile", "<empty>"),
        ("setoption name Clear Hash", "Threads", "2"),
    ] {
        engine.send(&format!("{set}\ngetoption {asked}"));
        assert_eq!(engine.next(), value, "{set}");
    }
    engine.send("setoption name USI_Whatever value 1\nisready");
    assert_eq!(engine.output.recv_timeout(PATIENCE).unwrap(), "readyok");
}

#[test]
fn states_of_all_games() {
    let mut engine = Engine::start();
    for (position, fields) in [
        ("startpos", r#"{"variant":"shogi","goal":null,"turn":"b","captures":null,"result":null}"#),
        ("startpos variant=happokei", r#"{"variant":"happokei","impasse":null,"repetition":1}"#),
        ("startpos variant=aihappokei moves 7g7f", r#"{"variant":"aihappokei","turn":"w","movesPlayed":1}"#),
        ("startpos limit=1 moves 7g7f", r#"{"limit":1,"legal":[],"result":{"winner":null,"reason":"move limit"}}"#),
        ("startpos moves 7g7f resign", r#"{"legal":[],"result":{"winner":"b","reason":"resignation"}}"#),
        (
            "startpos variant=flanking moves 7g7f,8h6f 3c3d",
            r#"{"variant":"flanking","turn":"w","step":2,"movesPlayed":3,"captures":null,"impasse":null,"check":false}"#,
        ),
        ("startpos variant=flanking step=2", r#"{"turn":"b","step":2,"movesPlayed":0}"#),
        ("startpos variant=flanking moves 7g7f 2g2f 3c3d 8c8d", r#"{"turn":"b","step":1,"movesPlayed":4}"#),
        (
            "startpos variant=hasami goal=lead3 limit=200 moves 9i9e 1a1e",
            r#"{"variant":"hasami","goal":"lead3","limit":200,"turn":"b","captures":{"b":0,"w":0},"impasse":null}"#,
        ),
        (
            "sfen 9/9/9/9/9/p7P/9/PP7/9 b 8P6p variant=hasami goal=captureall",
            r#"{"goal":"captureall","captures":{"b":8,"w":6},"result":null}"#,
        ),
        (
            "sfen 9/9/9/9/9/9/Pp6P/PP7/9 b 8P5p variant=hasami goal=captureall moves 1g7g",
            r#"{"legal":[],"captures":{"b":9,"w":5},"result":{"winner":"b","reason":"goal"}}"#,
        ),
        ("startpos", r#"{"impasse":{"b":0,"w":0,"claim":null},"check":false}"#),
    ] {
        engine.send(&format!("position {position}"));
        let state = engine.state();
        let wanted: serde_json::Map<String, Value> = serde_json::from_str(fields).unwrap();
        for (name, value) in wanted {
            assert_eq!(state[&name], value, "{position}: {name}");
        }
    }
}

#[test]
fn every_game_is_played() {
    let mut engine = Engine::start();
    for (position, halves) in [
        ("startpos variant=shogi", 1),
        ("startpos variant=Happo-Kei", 1),
        ("startpos variant=ai_happokei", 1),
        ("startpos variant=flanking", 2),
        ("startpos variant=flanking step=2", 1),
        ("startpos variant=flanking moves 7g7f,2g2f 3c3d", 1),
        ("startpos variant=hasami", 1),
        ("startpos variant=hasami goal=captureall", 1),
    ] {
        engine.send(&format!("position {position}\ngo movetime 100"));
        let lines = engine.until("bestmove");
        let answer: Vec<&str> = lines[lines.len() - 1].split(' ').collect();
        assert_eq!(answer[1].split(',').count(), halves, "{position}: {answer:?}");
        assert!(lines[lines.len() - 2].contains(&format!(" pv {}", answer[1])), "{lines:#?}");
        let played = engine.state()["movesPlayed"].as_u64().unwrap();
        let sep = if position.contains("moves") { "" } else { " moves" };
        engine.send(&format!("position {position}{sep} {}", answer[1]));
        assert_eq!(engine.state()["movesPlayed"].as_u64(), Some(played + halves as u64), "{position}: {answer:?}");
        if let ["bestmove", best, "ponder", ponder] = *answer {
            engine.send(&format!("position {position}{sep} {best} {ponder}\ngo ponder"));
            engine.is_thinking();
            engine.send("stop");
            assert_eq!(
                engine.best().split(' ').nth(1).unwrap().split(',').count(),
                position.matches("flanking").count() + 1
            );
        }
    }
}

#[test]
fn a_king_that_is_flanked_ends_the_game() {
    let mut engine = Engine::start();
    let won = "position sfen 3Pk3P/9/9/9/9/9/9/9/4K4 b - 1 variant=flanking moves 1a4a";
    engine.send("position sfen 3+Pk3+R/9/9/9/9/9/9/9/4K4 b - 1 variant=flanking\ngo depth 2");
    assert_eq!(engine.best(), "bestmove 1a4a");
    engine.send(&won.replace("3Pk3P", "3+Pk3+R"));
    let state = engine.state();
    assert_eq!(state["result"], serde_json::json!({"winner": "b", "reason": "king flanked"}));
    engine.send("go btime 1000 wtime 1000");
    assert_eq!(engine.best(), "bestmove resign");
}

/// The command with these arguments: exit code, standard output, standard error.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_happo")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn perft_on_the_command_line() {
    let (code, out, _) = run(&["perft", "3", "--threads", "2"]);
    assert_eq!(code, 0);
    assert_eq!(out.lines().next(), Some("Nodes searched: 25470"));
    let (_, out, _) = run(&["perft", "2", "--divide", "--position", "startpos moves 7g7f", "--variant", "Shogi"]);
    assert!(out.starts_with("1a1b: ") && out.contains("\nNodes searched: "), "{out}");
    for wrong in [
        &["perft"][..],
        &["perft", "65"],
        &["perft", "2", "--variant", "chess"],
        &["perft", "2", "--position", "startpos moves 1a1a"],
        &["perft", "2", "--threads", "0"],
        &["bench", "0"],
        &["frobnicate"],
    ] {
        let (code, out, errors) = run(wrong);
        assert_eq!((code, out.as_str()), (2, ""), "{wrong:?}");
        assert!(errors.contains("error"), "{wrong:?}: {errors}");
    }
}

#[test]
fn go_mate() {
    let mut engine = Engine::start();
    for (position, answer) in [
        ("sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1", "checkmate G*5b"),
        ("sfen 4k4/9/9/9/9/9/9/9/9 b G 1", "checkmate nomate"),
        // Futile interpositions, first counted, then not.
        ("sfen 8k/6Spp/9/9/9/9/9/9/R8 b g 1", "checkmate 9i9a G*2a 3b2a+"),
        ("sfen 3+Pk3+R/9/9/9/9/9/9/9/4K4 b - 1 variant=flanking", "checkmate 1a4a"),
        ("startpos variant=flanking", "checkmate timeout"),
        ("startpos variant=hasami", "checkmate notimplemented"),
        ("startpos variant=happokei", "checkmate nomate"),
        // Mated already, and no position at all.
        ("sfen 4k4/4G4/4P4/9/9/9/9/9/9 w - 1", "checkmate nomate"),
        ("sfen 4k4/9 b - 1", "checkmate nomate"),
        ("startpos", "checkmate nomate"),
    ] {
        engine.send(&format!("position {position}\ngo mate 500"));
        let lines = engine.until("checkmate");
        assert_eq!(lines[lines.len() - 1], answer, "{position}");
        if answer.contains('*') {
            let line = &lines[lines.len() - 2];
            let moves = answer.trim_start_matches("checkmate ");
            let length = moves.split(' ').count();
            assert!(line.contains(&format!(" score mate {length} nodes ")) && line.ends_with(&format!(" pv {moves}")));
        }
        engine.is_silent();
    }
    engine.send("setoption name TsumeMode value true\nposition sfen 8k/6Spp/9/9/9/9/9/9/R8 b g 1\ngo mate");
    assert_eq!(engine.until("checkmate").pop().unwrap().split(' ').count(), 2);
}

#[test]
fn go_mate_ends_when_it_must() {
    let mut engine = Engine::start();
    // Two bishops, two rooks, and everything that can be put between.
    engine.send("position sfen 4k4/9/9/9/9/9/9/9/4K4 b 2R2B4g4s4n4l18p 1");
    for (go, end) in [
        ("go mate", "stop"),
        ("go mate infinite", "gameover lose"),
        ("go mate infinite", "usinewgame"),
        ("go mate 100", ""),
        ("go mate nodes 500", ""),
    ] {
        engine.send(go);
        if !end.is_empty() {
            engine.is_thinking();
            engine.send(end);
        }
        assert_eq!(engine.until("checkmate").pop().unwrap(), "checkmate timeout", "{go}");
        engine.is_silent();
        engine.send("position sfen 4k4/9/9/9/9/9/9/9/4K4 b 2R2B4g4s4n4l18p 1");
    }
    engine.send("go mate infinite\ngo depth 1");
    assert_eq!(engine.until("checkmate").pop().unwrap(), "checkmate timeout");
    engine.best();
    engine.send("go mate infinite\nquit");
    assert_eq!(engine.until("checkmate").pop().unwrap(), "checkmate timeout");
}
