//! Conversations in which a book has the answer.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::output::Output;
use super::output::tests::Buffer;
use super::player;
use super::session;

/// Input that comes line by line, as a client sends it.
struct Lines(Receiver<String>, Vec<u8>);

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty()
            && let Ok(line) = self.0.recv()
        {
            self.1 = format!("{line}\n").into_bytes();
        }
        let count = self.1.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

/// A session with a book of its own.
struct Client {
    send: Option<Sender<String>>,
    buffer: Buffer,
    heard: String,
    session: Option<thread::JoinHandle<()>>,
    folder: PathBuf,
}

impl Client {
    fn new(name: &str, book: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("happo-session-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("shogi.db"), book).unwrap();
        let (send, lines) = mpsc::channel();
        let buffer = Buffer::default();
        let output = Output::new(buffer.clone());
        let session = thread::spawn(move || {
            session::converse(io::BufReader::new(Lines(lines, Vec::new())), output, player);
        });
        let client = Self { send: Some(send), buffer, heard: String::new(), session: Some(session), folder };
        client.say(&format!("setoption name BookDir value {}", client.folder.display()));
        client
    }

    fn say(&self, line: &str) {
        self.send.as_ref().unwrap().send(line.to_owned()).unwrap();
    }

    /// All lines up to one that begins so.
    fn until(&mut self, start: &str) -> Vec<String> {
        let begun = Instant::now();
        loop {
            self.heard.push_str(&self.buffer.take());
            let lines: Vec<String> = self.heard.lines().map(str::to_owned).collect();
            if let Some(end) = lines.iter().position(|line| line.starts_with(start)) {
                self.heard = lines[end + 1..].iter().map(|line| format!("{line}\n")).collect();
                return lines[..=end].to_vec();
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "no {start} in {lines:#?}");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// What is said to some lines, up to the answer to `isready`.
    fn hear(&mut self, lines: &str) -> Vec<String> {
        self.say(lines);
        self.say("isready");
        self.until("readyok")
    }

    /// The lines of one `go`.
    fn go(&mut self, lines: &str) -> Vec<String> {
        self.say(lines);
        self.until("bestmove")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.send = None;
        if let Some(session) = self.session.take() {
            let _ = session.join();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

const BOOK: &str = "#YANEURAOU-DB2016 1.00\n\
    sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
    7g7f 3c3d 50 20 9\n2g2f 8c8d 10 18 1\n";

fn bests(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove")).count()
}

const LINE: &str = "info depth 20 seldepth 20 score cp 50 nodes 0 nps 0 hashfull 0 time 0 pv 7g7f 3c3d";

#[test]
fn the_book_answers_at_once() {
    let mut client = Client::new("answers", BOOK);
    client.say("usi");
    let introduction = client.until("usiok");
    assert!(introduction.contains(&"option name BookFile type filename default auto".to_owned()));
    assert!(introduction.contains(&"option name BookDir type string default book".to_owned()));
    assert!(introduction.iter().all(|line| !line.contains("shogi.db")), "{introduction:#?}");
    let ready = client.hear("");
    assert!(ready[0].contains("shogi.db: 1 positions, 2 moves"), "{ready:#?}");
    for go in ["go btime 1000 wtime 1000", "go depth 3 nodes 100 movetime 10", "go"] {
        assert_eq!(client.go(go), [LINE, "bestmove 7g7f ponder 3c3d"], "{go}");
    }
    client.say("setoption name MultiPV value 4");
    let lines = client.go("go byoyomi 100");
    assert_eq!(
        lines,
        [
            LINE.replace(" score", " multipv 1 score"),
            "info depth 18 seldepth 18 multipv 2 score cp 10 nodes 0 nps 0 hashfull 0 time 0 pv 2g2f 8c8d".to_owned(),
            // Clients read the score from the line before the answer.
            LINE.replace(" score", " multipv 1 score"),
            "bestmove 7g7f ponder 3c3d".to_owned()
        ]
    );
    // Out of the book.
    let lines = client.go("position startpos moves 1g1f 9c9d\ngo depth 2");
    assert!(lines.iter().any(|line| line.starts_with("info depth 2 ")), "{lines:#?}");
}

#[test]
fn the_answer_is_held_back() {
    let mut client = Client::new("held", BOOK);
    for (go, end) in [
        ("go ponder", "stop"),
        ("go ponder", "ponderhit"),
        ("go ponder btime 1 wtime 1", "ponderhit btime 1 wtime 1 byoyomi 1"),
        ("go ponder depth 1", "gameover lose"),
        ("go ponder", "usinewgame"),
    ] {
        let before = client.hear(go);
        assert_eq!(bests(&before), 0, "{go}");
        assert!(before.contains(&LINE.to_owned()), "{before:#?}");
        client.say(end);
        assert_eq!(client.until("bestmove").pop().unwrap(), "bestmove 7g7f ponder 3c3d");
        assert_eq!(bests(&client.hear("stop\nponderhit")), 0, "{go}, {end}");
    }
    client.hear("go ponder");
    client.say("quit");
    client.until("bestmove");
}

#[test]
fn who_asks_without_end_wants_thoughts() {
    let mut client = Client::new("endless", BOOK);
    for (go, end) in [("go infinite", "stop"), ("go infinite depth 1", "gameover lose"), ("go ponder infinite", "stop")]
    {
        let before = client.hear(go);
        assert!(bests(&before) == 0 && !before.contains(&LINE.to_owned()), "{go}: {before:#?}");
        client.say(end);
        client.until("bestmove");
        assert_eq!(bests(&client.hear("stop\nponderhit")), 0, "{go}, {end}");
    }
}

#[test]
fn where_the_book_is_not_asked() {
    let mut client = Client::new("unasked", BOOK);
    for set in [
        "USI_OwnBook value false",
        "OwnBook value false",
        "ConsiderationMode value true",
        "USI_AnalyseMode value true",
        "UCI_AnalyseMode value true",
        "BookFile value no_book",
        "BookFile value ",
        "BookMoves value 0",
        "BookIgnoreRate value 100",
        "BookEvalBlackLimit value 51",
        "BookDepthLimit value 21",
        "BookFile value missing.db",
    ] {
        let lines = client.go(&format!("setoption name {set}\ngo depth 1"));
        assert!(lines.iter().any(|line| line.starts_with("info depth 1 ")), "{set}: {lines:#?}");
        client.say("setoption name OwnBook value true\nsetoption name BookFile value auto");
        client.say("setoption name ConsiderationMode value false\nsetoption name USI_AnalyseMode value false");
        client.say("setoption name BookMoves value 16\nsetoption name BookIgnoreRate value 0");
        client.say("setoption name BookDepthLimit value 0\nsetoption name BookEvalBlackLimit value -99999");
        assert_eq!(client.go("go").pop().unwrap(), "bestmove 7g7f ponder 3c3d", "{set}");
    }
    assert_eq!(client.go("go depth 1 searchmoves 1g1f").pop().unwrap().split(' ').nth(1), Some("1g1f"));
    client.say("go mate 100");
    client.until("checkmate");
}

#[test]
fn a_named_book_that_is_missing_is_told_once() {
    let mut client = Client::new("missing", BOOK);
    let lines = client.hear("setoption name BookFile value gone.db");
    assert!(lines[0].starts_with("info string book ") && lines[0].contains("gone.db: not found"), "{lines:#?}");
    assert_eq!(client.hear(""), ["readyok"]);
    // The game's own book may be missing.
    assert_eq!(client.hear("setoption name BookFile value auto\nsetoption name USI_Variant value hasami"), ["readyok"]);
    let lines = client.hear("setoption name BookFile value shogi.db\nsetoption name USI_Variant value shogi");
    assert!(lines[0].contains("1 positions"), "{lines:#?}");
}

#[test]
fn rubbish_is_told_and_survived() {
    let mut client = Client::new("rubbish", "\u{0}\u{1}\u{2}\nsfen x y z\n7g7f\n\n7g7f");
    let lines = client.hear("");
    assert!(lines[0].contains("line 1 skipped") && lines[1].contains("line 2 skipped"), "{lines:#?}");
    assert!(lines.iter().all(|line| line.is_ascii()));
    assert_eq!(bests(&client.go("go depth 1")), 1);
}
