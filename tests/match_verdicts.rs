//! Matches as a user plays them: with engines that behave, and with engines that do not.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use happo::game::HouseRules;
use happo::lab::referee::board;
use serde_json::{Value, json};

/// An engine that plays by asking the real one and fails at the N-th question, as its first argument says.
const SCRIPT: &str = r#"
import os, subprocess, sys, time
how, when, pids, real = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
child = subprocess.Popen([real], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
with open(pids, "a") as file:
    file.write(f"{os.getpid()} {child.pid}\n")
def say(text):
    print(text, flush=True)
def fail():
    if how == "die":
        os._exit(1)
    if how == "hang":
        while True:
            time.sleep(1000)
    if how == "flood":
        while True:
            say("info string " + 100 * "all work and no play ")
    if how == "endless":
        while True:
            sys.stdout.write(1000 * "x")
    if how == "late":
        time.sleep(0.5)
        return None
    if how == "twice":
        return None
    return how
asked = 0
for line in sys.stdin:
    word = line.split()[0]
    if word == "usi":
        say("id name script\nusiok")
    elif word == "quit":
        break
    else:
        print(line.strip(), file=child.stdin, flush=True)
        if word == "isready":
            while child.stdout.readline().strip() != "readyok":
                pass
            say("readyok")
        elif word == "go":
            asked += 1
            answer = child.stdout.readline()
            while not answer.startswith("bestmove"):
                answer = child.stdout.readline()
            failure = fail() if asked == when else None
            say(f"bestmove {failure}" if failure else answer.strip())
            if asked == when and how == "twice":
                say(answer.strip())
"#;

/// Longer than anything takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A folder of its own for a test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("happo-match-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Arguments that make a script engine 1.
    fn script(&self, how: &str, when: u32) -> [String; 4] {
        let script = self.path("engine.py");
        fs::write(&script, SCRIPT).unwrap();
        let (script, pids) = (script.display(), self.path("pids"));
        let args = format!("{script} {how} {when} {} {}", pids.display(), env!("CARGO_BIN_EXE_happo"));
        ["--engine1".to_owned(), "python3".to_owned(), "--args1".to_owned(), args]
    }

    /// The processes of all script engines, with their children.
    fn pids(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("pids")).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// All processes of script engines have ended, or do so very soon.
    fn nobody_is_left(&self) {
        let start = Instant::now();
        for pid in self.pids() {
            while is_running(&pid) {
                assert!(start.elapsed() < Duration::from_secs(5), "process {pid} is left");
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whether a process runs. One that has ended and only waits for its new parent to notice does not.
fn is_running(pid: &str) -> bool {
    let output = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
    let state = String::from_utf8(output.stdout).unwrap();
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

fn happo_match() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_happo"));
    command.args(["match", "--hash", "1", "--quiet", "--patience", "20000"]);
    command
}

/// The last line of a match that has gone well.
fn result(output: Output) -> Value {
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}{errors}");
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

fn play(args: &[&str]) -> Value {
    result(happo_match().args(args).output().unwrap())
}

/// What becomes of two games against an engine that fails in that way at that question.
fn against(how: &str, when: u32, args: &[&str]) -> (Value, usize) {
    let folder = Folder::new();
    let mut command = happo_match();
    command.args(["--games", "2", "--nodes2", "20"]).args(folder.script(how, when)).args(args);
    let result = result(command.output().unwrap());
    folder.nobody_is_left();
    // A line an engine, two numbers a line.
    (result["endings"].clone(), folder.pids().len() / 2)
}

#[test]
fn an_engine_that_dies_loses_and_is_started_again() {
    assert_eq!(against("die", 3, &["--nodes1", "20"]), (json!({"died": [2, 0, 0]}), 2));
}

#[test]
fn an_engine_that_hangs_loses_and_is_killed() {
    let args = ["--nodes1", "20", "--patience", "1500"];
    assert_eq!(against("hang", 2, &args), (json!({"no answer": [2, 0, 0]}), 2));
}

#[test]
fn an_engine_that_hangs_on_the_clock_is_not_waited_for() {
    let start = Instant::now();
    assert_eq!(against("hang", 1, &["--byoyomi1", "300"]), (json!({"no answer": [2, 0, 0]}), 2));
    assert!(start.elapsed() < PATIENCE);
}

#[test]
fn an_engine_that_plays_illegally_loses() {
    for token in ["1a9i", "5e5d", "P*5e", "(none)", "7g7f,7f7e", "banana"] {
        let (endings, engines) = against(token, 2, &["--nodes1", "20"]);
        assert_eq!((endings, engines), (json!({"illegal move": [2, 0, 0]}), 2), "{token}");
    }
}

#[test]
fn an_engine_that_floods_loses() {
    assert_eq!(against("flood", 2, &["--nodes1", "20"]), (json!({"flood": [2, 0, 0]}), 2));
    assert_eq!(against("endless", 1, &["--nodes1", "20"]), (json!({"flood": [2, 0, 0]}), 2));
}

#[test]
fn an_engine_that_answers_twice_loses() {
    // The other engine thinks for longer than the second answer takes on a loaded machine.
    assert_eq!(against("twice", 1, &["--nodes1", "20", "--nodes2", "100000"]).0, json!({"unasked answer": [2, 0, 0]}));
}

#[test]
fn an_engine_that_is_late_loses_but_may_go_on() {
    let (endings, engines) = against("late", 1, &["--movetime1", "200"]);
    // The same process plays the second game, and is not late any more.
    assert_eq!((&endings["time"], engines), (&json!([1, 0, 0]), 1));
    assert_eq!(against("late", 1, &["--movetime1", "200", "--margin", "5000"]).0["time"], Value::Null);
}

#[test]
fn acts_of_players_are_judged() {
    let acts = |how| against(how, 3, &["--nodes1", "20"]).0;
    let declared = acts("win");
    assert_eq!(declared["illegal declaration"][0], json!(1), "{declared}");
    let resigned = acts("resign");
    assert!(resigned["resignation"][0].as_u64().unwrap() >= 1, "{resigned}");
}

#[test]
fn an_engine_that_does_not_start_ends_the_match() {
    for (args, says) in [
        (["--engine1", "/nonexistent/engine"].as_slice(), "cannot be started"),
        (&["--engine1", "true"], "it died"),
        (&["--engine1", "python3", "--args1", "-c print('usiok',flush=True);input()", "--variant", "hasami"], "shogi"),
    ] {
        let output = happo_match().args(["--nodes", "10"]).args(args).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(says), "{errors}");
    }
}

#[test]
fn complaints_are_passed_on() {
    let options = "Threads:0,Foo:1,Skill Level:3";
    let args = ["--variant", "hasami", "--nodes", "10", "--games", "2", "--name1", "one", "--options1", options];
    let output = happo_match().args(args).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(lines[..2], ["one: option Foo is not declared", "one: option Skill Level is not declared"]);
    assert!(lines[2].starts_with("one: error: option Threads") && lines.len() == 4, "{errors}");
}

#[test]
fn arguments_that_make_no_match() {
    for args in [
        ["--games", "2"].as_slice(),
        &["--nodes", "10", "--sprt", "5,0"],
        &["--nodes", "10", "--sprt", "5"],
        &["--nodes", "10", "--plies", "8,6"],
        &["--nodes", "10", "--goal", "score"],
        &["--nodes", "10", "--variant", "chess"],
        &["--nodes", "10", "--variant", "hasami", "--csa", "games.csa"],
        &["--nodes", "10", "--options1", ":5"],
    ] {
        assert_eq!(happo_match().args(args).output().unwrap().status.code(), Some(2), "{args:?}");
    }
}

/// Starts a match against an engine that hangs, and waits until it does.
fn hanging(folder: &Folder) -> Child {
    let mut command = happo_match();
    command.args(["--nodes", "20", "--patience", "1000000"]).args(folder.script("hang", 1));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while folder.pids().len() < 2 {
        assert!(start.elapsed() < PATIENCE, "no engine is started");
        thread::sleep(Duration::from_millis(5));
    }
    child
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn an_interrupted_match_ends_its_engines_and_tells_its_result() {
    for name in ["-INT", "-TERM"] {
        let folder = Folder::new();
        let child = hanging(&folder);
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stdout).unwrap();
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(last["games"], json!(0));
        folder.nobody_is_left();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_match_leaves_no_engine_behind() {
    let folder = Folder::new();
    let mut child = hanging(&folder);
    signal(&child, "-KILL");
    child.wait().unwrap();
    folder.nobody_is_left();
}

/// The games in a file, without what differs from run to run: times, and the order in which pairs end.
fn games(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let mut games: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with("position "))
        .map(|line| line.split(" cost1=").next().unwrap().to_owned())
        .collect();
    games.sort();
    games
}

#[test]
fn short_matches_of_all_games() {
    for variant in ["shogi", "happokei", "aihappokei", "flanking", "hasami"] {
        let folder = Folder::new();
        let out = folder.path("games.usi");
        let result = play(&[
            "--variant",
            variant,
            "--nodes",
            "100",
            "--games",
            "4",
            "--limit",
            "200",
            "--concurrency",
            "2",
            "--out",
            out.to_str().unwrap(),
        ]);
        assert_eq!((&result["games"], &result["variant"]), (&json!(4), &json!(variant)));
        // Equal engines, and nothing is left to chance: what one wins as Black, the other wins as Black too.
        assert_eq!((&result["score"], &result["pairs"]), (&json!(0.5), &json!([0, 0, 2, 0, 0])));
        let endings = result["endings"].as_object().unwrap();
        let usual =
            ["checkmate", "king flanked", "goal", "no legal move", "repetition", "move limit", "perpetual check"];
        assert!(endings.keys().all(|ending| usual.contains(&ending.as_str())), "{result}");
        for line in fs::read_to_string(&out).unwrap().lines().skip(1) {
            let (position, comment) = line.strip_prefix("position ").unwrap().split_once(" # ").unwrap();
            let board = board(variant.parse().unwrap(), &HouseRules::default(), position).unwrap();
            let result = board.result().unwrap_or_else(|| panic!("{line}"));
            assert!(comment.ends_with(&format!("ending={}", result.reason.name())), "{line}");
        }
    }
}

#[test]
fn a_match_goes_on_where_it_was_interrupted() {
    let (one, other) = (Folder::new(), Folder::new());
    let args = |games, folder: &Folder| {
        let mut args = vec!["--variant", "hasami", "--nodes", "50", "--limit", "80"].into_iter().map(str::to_owned);
        let mut args: Vec<String> = args.by_ref().collect();
        args.extend(["--games".to_owned(), games, "--out".to_owned()]);
        args.push(folder.path("games.usi").to_str().unwrap().to_owned());
        args
    };
    let run =
        |games: &str, folder: &Folder| result(happo_match().args(args(games.to_owned(), folder)).output().unwrap());
    let whole = run("8", &one);
    assert_eq!(run("4", &other)["games"], json!(4));
    // The last line is cut off: its pair is played again.
    let path = other.path("games.usi");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() - 10]).unwrap();
    let resumed = run("8", &other);
    for key in ["games", "won", "drawn", "lost", "pairs", "endings", "depth1", "nodes2"] {
        assert_eq!(whole[key], resumed[key], "{key}");
    }
    let mut found = games(&path);
    found.dedup();
    assert_eq!(found, games(&one.path("games.usi")));
    // Other terms are another match.
    let output = happo_match().args(args("8".to_owned(), &other)).args(["--seed", "9"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_test_ends_when_it_is_decided() {
    let args = ["--nodes", "100", "--variant", "hasami", "--sprt", "0,100", "--options2", "Skill Level:-20"];
    let result = play(&args);
    assert_eq!(result["verdict"], json!("accepted"), "{result}");
    assert!(result["games"].as_u64().unwrap() < 400 && result["llr"].as_f64().unwrap() > 2.94, "{result}");
}

#[test]
fn every_way_to_limit_thought() {
    for args in [
        ["--movetime", "10"].as_slice(),
        &["--byoyomi", "20"],
        &["--time", "400", "--inc", "5"],
        &["--depth1", "2", "--nodes2", "200"],
        &["--time", "300", "--byoyomi", "10", "--movetime2", "5"],
    ] {
        let mut command = happo_match();
        command.args(["--games", "2", "--variant", "aihappokei", "--limit", "60", "--margin", "5000"]).args(args);
        let result = result(command.output().unwrap());
        assert_eq!(result["games"], json!(2));
        assert_eq!(result["endings"]["time"], Value::Null, "{args:?} {result}");
    }
}

#[test]
fn shogi_games_are_also_written_as_csa() {
    let folder = Folder::new();
    let csa = folder.path("games.csa");
    play(&["--nodes", "50", "--games", "2", "--limit", "40", "--csa", csa.to_str().unwrap()]);
    let text = fs::read_to_string(&csa).unwrap();
    assert_eq!(text.matches("V2.2\n").count(), 2);
    assert_eq!(text.matches("\n%").count(), 2, "{text}");
}

#[test]
fn scores_may_end_games() {
    let result = play(&["--nodes", "300", "--games", "4", "--resign-score", "800", "--draw-after", "60"]);
    assert!(result["endings"]["adjudication"].is_array(), "{result}");
}
