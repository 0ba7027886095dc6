//! The built engine as a client meets it: a process at the other end of two pipes.

// Each test crate uses its own part of this.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longer than anything takes on a loaded machine; only a failing test waits for it.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// An engine must answer within 50 ms; a loaded machine gets some more.
pub const AT_ONCE: Duration = Duration::from_millis(400);

/// Long enough for an engine to say what it must not say.
pub const A_WHILE: Duration = Duration::from_millis(150);

/// A running engine.
pub struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    pub output: Receiver<String>,
}

impl Engine {
    /// Starts it away from the books of this directory: most tests are of the search.
    pub fn start() -> Self {
        Self::start_in(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    /// Starts it in a folder.
    pub fn start_in(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_happo"))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, output) = mpsc::channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { input: child.stdin.take(), child, output }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// The next line that is not for people only.
    pub fn next(&self) -> String {
        loop {
            let line = self.output.recv_timeout(PATIENCE).expect("the engine is silent");
            if !line.starts_with("info string") {
                return line;
            }
        }
    }

    /// All lines up to the one that begins so, that one last.
    pub fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.output.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no {start} after {lines:#?}")));
            if lines.last().is_some_and(|line| line.starts_with(start)) {
                return lines;
            }
        }
    }

    pub fn best(&self) -> String {
        self.until("bestmove").pop().unwrap()
    }

    /// The engine is alive and has not answered anything meanwhile.
    pub fn is_thinking(&mut self) {
        thread::sleep(A_WHILE);
        self.send("isready");
        let asked = Instant::now();
        let lines = self.until("readyok");
        assert!(asked.elapsed() < AT_ONCE, "readyok took {:?}", asked.elapsed());
        assert!(!lines.iter().any(|line| line.starts_with("bestmove") || line.starts_with("checkmate")), "{lines:#?}");
    }

    /// Nothing but thoughts comes any more.
    pub fn is_silent(&mut self) {
        self.is_thinking();
    }

    pub fn state(&mut self) -> Value {
        self.send("state");
        serde_json::from_str(&self.next()).unwrap()
    }

    /// Waits for the end of the process; nothing may be left on its standard error.
    pub fn ends(mut self) -> Vec<String> {
        drop(self.input.take());
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < PATIENCE, "the engine does not end");
            thread::sleep(Duration::from_millis(2));
        }
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!(errors, "");
        assert!(self.child.wait().unwrap().success());
        self.output.iter().collect()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Already gone, unless the test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How many answers there are among the lines.
pub fn bests(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove")).count()
}
