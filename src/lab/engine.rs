//! A USI engine at the other end of two pipes.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::game::{HouseRules, Variant};

use super::output::{Event, listen};
use super::process::{Process, Registry};

pub use super::output::Thought;

/// Time to start and to get ready: some load gigabytes first.
const STARTING: Duration = Duration::from_secs(60);

/// Remarks that are kept.
const MOST_REMARKS: usize = 5;

/// Time that `stop` gets to work, and `quit`.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How to start an engine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EngineSpec {
    /// The name in reports.
    pub name: String,
    /// The executable.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Options in the order in which they are set; buttons have no value.
    pub options: Vec<(String, Option<String>)>,
}

/// What every engine of a match is told, where it has an option for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The game.
    pub variant: Variant,
    /// Its rules.
    pub rules: HouseRules,
    /// MiB of the transposition table.
    pub hash: u32,
    /// Threads of the search.
    pub threads: u16,
}

/// Why an engine does not play at all.
#[derive(Debug, Error)]
pub enum StartError {
    /// The executable does not run.
    #[error("{0} cannot be started: {1}")]
    Spawn(String, io::Error),
    /// It does not speak USI, or not in time.
    #[error("{0} does not answer {1:?}: it {2}")]
    Answer(String, &'static str, Fault),
    /// It has no option to choose the game with.
    #[error("{0} knows only shogi: it declares neither USI_Variant nor UCI_Variant")]
    Variant(String),
}

/// Why an engine loses at once. The text follows its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// It ended, or closed its output.
    #[error("died")]
    Died,
    /// No answer, not even to `stop`.
    #[error("did not answer")]
    Silent,
    /// Endless output.
    #[error("flooded its output")]
    Flood,
    /// A move nobody asked for.
    #[error("answered unasked")]
    Unasked,
}

/// A move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The move, or `resign` or `win`.
    pub token: String,
    /// What the engine said of it.
    pub thought: Thought,
    /// Time from the question to the answer.
    pub time: Duration,
}

/// A running engine. It is killed, its children too, when dropped.
pub struct Engine<'a> {
    process: Process<'a>,
    /// Taken away to hang up.
    input: Option<ChildStdin>,
    events: Receiver<Event>,
    heard: Arc<AtomicU64>,
    declared: Vec<String>,
    name: String,
    /// What people should know of it, until somebody asks.
    remarks: Vec<String>,
}

impl<'a> Engine<'a> {
    /// Starts an engine and sets its options.
    pub fn start(spec: &EngineSpec, setting: &Setting, registry: &'a Registry) -> Result<Self, StartError> {
        let mut command = Command::new(&spec.path);
        command.args(&spec.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let failed = |error| StartError::Spawn(spec.name.clone(), error);
        let mut process = registry.spawn(command).map_err(failed)?;
        let (sender, events) = mpsc::channel();
        let heard = Arc::new(AtomicU64::new(0));
        if let Some(output) = process.child.stdout.take() {
            let heard = Arc::clone(&heard);
            thread::Builder::new()
                .name(format!("listen to {}", spec.name))
                .spawn(move || listen(output, &heard, &sender))
                .map_err(failed)?;
        }
        let input = process.child.stdin.take();
        let name = spec.name.clone();
        let mut engine = Self { process, input, events, heard, declared: Vec::new(), name, remarks: Vec::new() };
        engine.handshake("usi", &Event::UsiOk)?;
        engine.set_options(spec, setting)?;
        engine.handshake("isready", &Event::ReadyOk)?;
        Ok(engine)
    }

    /// What has come up that people should know: complaints of the engine, options that it does not declare.
    pub fn remarks(&mut self) -> Vec<String> {
        std::mem::take(&mut self.remarks)
    }

    fn remark(&mut self, text: String) {
        if self.remarks.len() < MOST_REMARKS {
            self.remarks.push(text);
        }
    }

    /// Prepares for a game. What takes its time is done before the clock runs.
    pub fn new_game(&mut self) -> Result<(), StartError> {
        self.handshake("usinewgame\nisready", &Event::ReadyOk)
    }

    /// Asks for a move. `allowed` is the time in which an answer is wanted; afterwards the engine is told to stop, and
    /// shortly after that given up.
    pub fn ask(&mut self, position: &str, go: &str, allowed: Duration) -> Result<Answer, Fault> {
        loop {
            match self.events.try_recv() {
                Ok(Event::Best(..)) => return Err(Fault::Unasked),
                Ok(Event::Flood) => return Err(Fault::Flood),
                Ok(Event::End) => return Err(Fault::Died),
                Ok(Event::Complaint(text)) => self.remark(text),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        self.heard.store(0, Ordering::Relaxed);
        let asked = Instant::now();
        self.send(&format!("position {position}\n{go}"))?;
        let mut stopped = false;
        let mut wait = allowed;
        loop {
            match self.events.recv_timeout(wait.saturating_sub(asked.elapsed())) {
                Ok(Event::Best(token, thought, at)) => {
                    return Ok(Answer { token, thought, time: at.saturating_duration_since(asked) });
                }
                Ok(Event::Flood) => return Err(Fault::Flood),
                Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => return Err(Fault::Died),
                Ok(Event::Complaint(text)) => self.remark(text),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if stopped => return Err(Fault::Silent),
                Err(RecvTimeoutError::Timeout) => {
                    self.send("stop")?;
                    stopped = true;
                    wait += LAST_WORDS;
                }
            }
        }
    }

    /// Tells how the game ended, where `end` is `win`, `lose` or `draw`.
    pub fn game_over(&mut self, end: &str) {
        // An engine that is gone is found out when it is needed.
        let _ = self.send(&format!("gameover {end}"));
    }

    /// Says goodbye and waits a moment, so that the engine can put its things in order.
    pub fn quit(mut self) {
        if self.send("quit").is_ok() {
            self.input = None;
            let deadline = Instant::now() + LAST_WORDS;
            while let Ok(event) = self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                if matches!(event, Event::End | Event::Flood) {
                    break;
                }
            }
        }
    }

    fn send(&mut self, text: &str) -> Result<(), Fault> {
        let Some(input) = &mut self.input else { return Err(Fault::Died) };
        // One write, so that the engine wakes up once.
        input.write_all(format!("{text}\n").as_bytes()).map_err(|_| Fault::Died)
    }

    fn handshake(&mut self, question: &'static str, answer: &Event) -> Result<(), StartError> {
        self.heard.store(0, Ordering::Relaxed);
        let deadline = Instant::now() + STARTING;
        let done = self.send(question).and_then(|()| self.await_event(answer, deadline));
        done.map_err(|fault| StartError::Answer(self.name.clone(), question, fault))
    }

    fn await_event(&mut self, wanted: &Event, deadline: Instant) -> Result<(), Fault> {
        loop {
            match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(event) if event == *wanted => return Ok(()),
                Ok(Event::Declared(name)) => self.declared.push(name),
                Ok(Event::Flood) => return Err(Fault::Flood),
                Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => return Err(Fault::Died),
                Ok(Event::Complaint(text)) => self.remark(text),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return Err(Fault::Silent),
            }
        }
    }

    fn declares(&self, name: &str) -> bool {
        self.declared.iter().any(|declared| declared.eq_ignore_ascii_case(name))
    }

    /// What the match asks for, then what the user asks for in that order, and the game last: an engine may have to
    /// be told first where it is described.
    fn set_options(&mut self, spec: &EngineSpec, setting: &Setting) -> Result<(), StartError> {
        let asked = |name: &str| spec.options.iter().any(|(option, _)| option.eq_ignore_ascii_case(name));
        let rules = &setting.rules;
        let mut lines: Vec<String> = Vec::new();
        for (names, value) in [
            (["USI_Hash", "Hash"].as_slice(), setting.hash.to_string()),
            (&["Threads"], setting.threads.to_string()),
            (&["MaxMovesToDraw"], rules.move_limit.to_string()),
            (&["EnteringKingRule"], rules.entering_king.name().to_owned()),
            (&["HasamiGoal"], rules.goal.name().to_owned()),
        ] {
            let declared = names.iter().find(|name| self.declares(name));
            if let Some(name) = declared.filter(|_| !names.iter().any(|name| asked(name))) {
                lines.push(format!("setoption name {name} value {value}"));
            }
        }
        lines.extend(spec.options.iter().map(|(name, value)| match value {
            Some(value) => format!("setoption name {name} value {value}"),
            None => format!("setoption name {name}"),
        }));
        let names = ["USI_Variant", "UCI_Variant"];
        let chosen = names.into_iter().any(asked);
        if !chosen {
            let declared = names.into_iter().filter(|name| self.declares(name));
            let choices: Vec<String> =
                declared.map(|name| format!("setoption name {name} value {}", setting.variant)).collect();
            if choices.is_empty() && setting.variant != Variant::Shogi {
                return Err(StartError::Variant(self.name.clone()));
            }
            lines.extend(choices);
        }
        for (name, _) in &spec.options {
            if !self.declares(name) {
                self.remark(format!("option {name} is not declared"));
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.send(&lines.join("\n")).map_err(|fault| StartError::Answer(self.name.clone(), "setoption", fault))
    }

    /// Number of the process, for tests.
    pub fn id(&self) -> u32 {
        self.process.child.id()
    }
}
