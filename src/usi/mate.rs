//! `go mate`: the search on a thread of its own, and its one answer.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::game::{Game, Position};
use crate::search::{self, MateAnswer, MateLimits, MateResult};

use super::command::Go;
use super::info::LONGEST_LINE;
use super::options::Options;
use super::output::Output;
use super::turns;

/// Long lines to mate are searched by deep recursion.
const STACK: usize = 64 << 20;

/// The limits of a `go mate`.
pub fn limits(go: &Go, received: Instant, options: &Options) -> MateLimits {
    MateLimits {
        // A little is left for the way to the client.
        time: go.movetime.map(|time| time - (time / 20).min(5)),
        nodes: go.nodes,
        bytes: options.hash << 20,
        tsume: options.tsume,
        shortest: true,
        start: received,
    }
}

/// A search for mate that runs or has run.
pub struct Solving {
    stop: Arc<AtomicBool>,
    done: Arc<AtomicBool>,
    handle: JoinHandle<()>,
}

impl Solving {
    /// Starts a search that writes its answer to `output`.
    pub fn start<G: Game>(position: G::Position, limits: MateLimits, output: &Output) -> Option<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let done = Arc::new(AtomicBool::new(false));
        let (signal, end, writer) = (stop.clone(), done.clone(), output.clone());
        let body = move || {
            let result = search::solve::<G>(&position, &limits, &signal);
            // Who has read the answer finds nothing running.
            end.store(true, Ordering::Relaxed);
            report(&position, &result, limits.start.elapsed().as_millis(), &writer);
        };
        let Ok(handle) = thread::Builder::new().name("mate".to_owned()).stack_size(STACK).spawn(body) else {
            // Without a thread there is still an answer.
            output.line("checkmate timeout");
            return None;
        };
        Some(Self { stop, done, handle })
    }

    /// Ends it as soon as can be.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it has not come to an end yet.
    pub fn is_running(&self) -> bool {
        !self.done.load(Ordering::Relaxed)
    }

    /// Waits for the answer.
    pub fn wait(self) {
        // A thread that died has said so.
        let _ = self.handle.join();
    }
}

/// Prints what there is to say of the search, and the answer.
fn report<P: Position>(root: &P, result: &MateResult, milliseconds: u128, output: &Output) {
    let MateResult { answer, nodes, hashfull } = result;
    let nps = u128::from(*nodes) * 1000 / milliseconds.max(1);
    let effort = format!("nodes {nodes} nps {nps} hashfull {hashfull} time {milliseconds}");
    let answer = match answer {
        MateAnswer::NotImplemented => "checkmate notimplemented".to_owned(),
        MateAnswer::NoMate | MateAnswer::Timeout => {
            output.line(format_args!("info {effort}"));
            let word = if *answer == MateAnswer::NoMate { "nomate" } else { "timeout" };
            format!("checkmate {word}")
        }
        MateAnswer::Mate(line) => {
            let length = line.len();
            let tokens: Vec<String> = turns::tokens(line, P::TURN, root.step()).collect();
            let mut text = format!("info depth {length} seldepth {length} score mate {length} {effort} pv");
            for token in &tokens {
                if text.len() + 1 + token.len() > LONGEST_LINE {
                    break;
                }
                // Writing to a string does not fail.
                let _ = write!(text, " {token}");
            }
            output.line(text);
            format!("checkmate {}", tokens.join(" "))
        }
    };
    output.line(answer);
}
