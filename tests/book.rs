//! `happo book` as it is called, and the engine with a book it has made.

mod pipes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pipes::Engine;

fn book(folder: &Path, arguments: &str) -> Output {
    let arguments = std::iter::once("book").chain(arguments.split(' '));
    Command::new(env!("CARGO_BIN_EXE_happo")).args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a call prints that must succeed.
fn done(folder: &Path, arguments: &str) -> String {
    let output = book(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// What a call complains of that must fail as wrong arguments do.
fn refused(folder: &Path, arguments: &str) -> String {
    let output = book(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    text(&output.stderr)
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn build_merge_and_stats() {
    let folder = folder("books");
    let build = "build --variant hasami --goal lead3 --nodes 100 --plies 2 --width 2";
    assert!(done(&folder, &format!("{build} --out a.db")).contains("(0 were there)"));
    let first = fs::read_to_string(folder.join("a.db")).unwrap();
    assert!(first.starts_with("#YANEURAOU-DB2016 1.00\n# variant=hasami goal=lead3\nsfen "), "{first}");
    let again = done(&folder, &format!("{build} --out a.db"));
    assert!(!again.contains("(0 were there)"), "{again}");
    assert_eq!(fs::read_to_string(folder.join("a.db")).unwrap(), first);
    done(&folder, &format!("{build} --out b.db --position startpos"));
    done(&folder, "merge a.db b.db --out c.db");
    assert_eq!(fs::read_to_string(folder.join("c.db")).unwrap(), first);
    let stats = done(&folder, "stats c.db");
    for part in ["Made for: variant=hasami goal=lead3\n", "Positions: ", "Moves: ", "Sorted: yes", "Damaged lines: 0"] {
        assert!(stats.contains(part), "{stats}");
    }
    fs::write(folder.join("damaged.db"), "7g7f\n").unwrap();
    assert!(done(&folder, "stats damaged.db").contains("Damaged lines: 1\n  line 1 skipped"));
}

#[test]
fn wrong_calls() {
    let folder = folder("wrong");
    fs::write(folder.join("shogi.db"), "# variant=shogi\n").unwrap();
    for (arguments, part) in [
        ("stats none.db", "none.db"),
        ("merge none.db --out x.db", "none.db"),
        ("build --variant chess --out x.db", "shogi, happokei"),
        ("build --goal lead3 --out x.db", "no goals"),
        ("build --variant hasami --goal lead4 --out x.db", "capture5, lead3, captureall"),
        ("build --depth 2 --nodes 2 --out x.db", "--depth"),
        ("build --nodes 0 --out x.db", "--nodes"),
        ("build --variant hasami --nodes 10 --plies 1 --out shogi.db", "variant=shogi"),
        ("build --nodes 10 --plies 1 --out none/x.db", "none/x.db"),
        ("build --position foo --out x.db", "startpos or sfen"),
    ] {
        let error = refused(&folder, arguments);
        assert!(error.contains(part), "{arguments}: {error}");
    }
}

#[test]
fn the_engine_plays_from_the_book_beside_it() {
    let folder = folder("played");
    let dir = folder.join("book");
    fs::create_dir_all(&dir).unwrap();
    done(&dir, "build --variant flanking --depth 2 --plies 1 --width 1 --out flanking.db");
    for on_the_fly in [false, true] {
        let mut engine = Engine::start_in(&folder);
        engine.send(&format!("setoption name BookOnTheFly value {on_the_fly}"));
        engine.send("setoption name USI_Variant value flanking\nisready\nposition startpos\ngo ponder");
        engine.is_thinking();
        engine.send("ponderhit");
        let lines = engine.until("bestmove");
        let best = lines[lines.len() - 1].split(' ').nth(1).unwrap();
        assert!(best.contains(',') && fs::read_to_string(dir.join("flanking.db")).unwrap().contains(best));
        assert!(lines[lines.len() - 2].contains(&format!(" nodes 0 nps 0 hashfull 0 time 0 pv {best}")), "{lines:#?}");
        engine.send("quit");
        assert!(engine.ends().is_empty());
    }
}
