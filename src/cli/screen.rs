//! How long work is shown: as a bar on a terminal, as a line now and then elsewhere.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Time between two lines where there is no terminal to draw a bar on.
const NEWS: Duration = Duration::from_secs(30);

/// Shows how far something has come. What is shown goes to standard error.
pub struct Screen {
    bar: ProgressBar,
    quiet: bool,
    drawn: bool,
    unit: &'static str,
    told: Mutex<Instant>,
}

impl Screen {
    /// A bar to `length`, counted in `unit`.
    pub fn new(quiet: bool, length: Option<u64>, unit: &'static str) -> Self {
        let drawn = !quiet && std::io::stderr().is_terminal();
        let target = if drawn { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(length, target);
        let template = if length.is_some() {
            "{wide_bar} {pos}/{len} {msg} {elapsed}<{eta}"
        } else {
            "{spinner} {pos} {msg} {elapsed}"
        };
        // A template that is wrong only costs its looks.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, quiet, drawn, unit, told: Mutex::new(Instant::now()) }
    }

    /// Work has come to that point; `message` says more, and is asked only if it is shown.
    pub fn show(&self, position: u64, message: impl FnOnce() -> String) {
        if self.quiet {
            return;
        }
        if self.drawn {
            self.bar.set_position(position);
            self.bar.set_message(message());
            return;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() >= NEWS {
            *told = Instant::now();
            eprintln!("{position} {}: {}", self.unit, message());
        }
    }

    /// Tells something at once.
    pub fn note(&self, text: &str) {
        self.bar.suspend(|| eprintln!("{text}"));
    }

    /// The work is done: the bar goes.
    pub fn close(&self) {
        self.bar.finish_and_clear();
    }
}
