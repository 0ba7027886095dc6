//! `happo train`: networks from games.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;

use super::screen::Screen;
use crate::game::Variant;
use crate::nnue::InputSet;
use crate::train::report::Row;
use crate::train::run::{Audience, End, News, Run};
use crate::train::settings::Settings;

/// Train a network on games of self-play, or go on with a run that was interrupted
///
/// Leaves in the folder of the run: `net.happonet`, the network; `record.json`, how it came about; `loss.csv` and
/// `loss.svg`, how well it learnt; `checkpoint`, to go on from.
#[derive(Args)]
pub struct Train {
    #[command(flatten)]
    new: New,
    /// Folder of the run
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Go on with the run in the folder; it knows its games and settings
    #[arg(long, conflicts_with = "New")]
    resume: bool,
    /// Threads; the network does not depend on their number
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

/// What a new run needs to know.
#[derive(Args)]
struct New {
    /// Files of games, or folders of them
    #[arg(long, value_name = "PATH", num_args = 1.., required_unless_present = "resume")]
    data: Vec<PathBuf>,
    /// The game
    #[arg(long, default_value_t)]
    variant: Variant,
    /// Accumulators a side, a multiple of 32
    #[arg(long, default_value_t = 128)]
    width: usize,
    /// Output buckets: 1 or as many as the game has [default: as many]
    #[arg(long)]
    buckets: Option<usize>,
    /// Network of the same shape to start from
    #[arg(long, value_name = "NET")]
    start: Option<PathBuf>,
    /// How often all positions are gone through
    #[arg(long, default_value_t = 20)]
    epochs: u32,
    /// Positions a step
    #[arg(long, default_value_t = 16_384)]
    batch: usize,
    /// Highest learning rate
    #[arg(long, default_value_t = 1e-3)]
    lr: f64,
    /// Learning rate at the end
    #[arg(long, default_value_t = 1e-5)]
    final_lr: f64,
    /// Steps on which the learning rate rises from nothing
    #[arg(long, default_value_t = 100, value_name = "STEPS")]
    warmup: u64,
    /// Weight decay of AdamW
    #[arg(long, default_value_t = 0.01)]
    decay: f64,
    /// Weight of the result of the game in the target at first; with fewer than some hundred thousand games a network
    /// learns results by heart, and is stronger without them
    #[arg(long, default_value_t = 0.0, value_name = "W")]
    result: f64,
    /// Weight of the result in the end
    #[arg(long, default_value_t = 0.0, value_name = "W")]
    final_result: f64,
    /// Let the score of a position be the mean of its own and the following ones of its game, each with this times the
    /// weight of the one before: 0 for its own alone, below 1
    #[arg(long, default_value_t = 0.0, value_name = "W")]
    lambda: f64,
    /// Points worth a factor of e in the odds [default: that of the network to start from, or fitted to the games]
    #[arg(long, value_name = "POINTS", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    scale: Option<u16>,
    /// Train without a factoriser, in which all squares of a piece share a part of their weights
    #[arg(long)]
    no_factoriser: bool,
    /// Decides the first weights and the order of the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Share of the games held out to measure the loss on
    #[arg(long, default_value_t = 0.03, value_name = "SHARE")]
    held_out: f64,
    /// Leave out positions with larger scores, in points: what evaluation and search count in
    #[arg(long, default_value_t = 5000, value_name = "POINTS")]
    max_score: i16,
    /// Keep positions in which the move played captures or promotes
    #[arg(long)]
    loud: bool,
    /// Memory for positions in MiB; if there are more, each epoch loads them in parts
    #[arg(long, default_value_t = 3072, value_name = "MIB")]
    memory: usize,
}

impl New {
    fn settings(&self) -> Settings {
        Settings {
            variant: self.variant,
            width: self.width,
            buckets: self.buckets.unwrap_or_else(|| InputSet::of(self.variant).buckets()),
            factoriser: !self.no_factoriser,
            epochs: self.epochs,
            batch: self.batch,
            rate: self.lr,
            final_rate: self.final_lr,
            warmup: self.warmup,
            decay: self.decay,
            blend: [self.result, self.final_result],
            lambda: self.lambda,
            scale: self.scale,
            seed: self.seed,
            held_out: self.held_out,
            max_score: self.max_score,
            quiet: !self.loud,
            memory: self.memory,
        }
    }
}

/// Parts of the progress bar.
const PARTS: f64 = 1000.0;

struct Watcher {
    screen: Screen,
    quiet: bool,
    interrupted: Arc<AtomicBool>,
}

impl Audience for Watcher {
    fn step(&mut self, news: News) -> bool {
        self.screen.show((news.done * PARTS) as u64, || {
            format!("loss {:.5}, {:.0} positions/s", news.loss, news.positions as f64 / news.seconds.max(1e-9))
        });
        !self.interrupted.load(Ordering::Relaxed)
    }

    fn epoch(&mut self, row: &Row) {
        if self.quiet {
            return;
        }
        let held_out = row.held_out.map_or(String::new(), |loss| {
            format!(", held out {:.5} (result {:.5}, score {:.5})", loss.blend, loss.result, loss.score)
        });
        self.screen.note(&format!("Epoch {}: loss {:.5}{held_out}", row.epoch, row.training));
    }
}

impl Train {
    /// Trains.
    pub fn run(self) -> Result<(), String> {
        let threads = self.threads.into();
        let run = if self.resume {
            Run::resume(&self.out, threads)
        } else {
            let New { data, start, .. } = &self.new;
            Run::new(self.new.settings(), data.clone(), start.as_deref(), &self.out, threads)
        };
        let mut run = run.map_err(|error| error.to_string())?;
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).map_err(|error| format!("signals: {error}"))?;
        let mut watcher = Watcher {
            screen: Screen::new(self.quiet, Some(PARTS as u64), "thousandths"),
            quiet: self.quiet,
            interrupted,
        };
        if !self.quiet {
            let state = run.state();
            watcher.screen.note(&format!(
                "{} games in {} part(s), {} positions held out, {} points worth a factor of e in the odds",
                state.files.iter().map(|file| file.games).sum::<u64>(),
                run.parts(),
                run.held_out(),
                state.scale
            ));
        }
        let end = run.train(&mut watcher);
        watcher.screen.close();
        match end.map_err(|error| error.to_string())? {
            End::Stopped => Err("interrupted; --resume goes on".to_owned()),
            End::Done { net, difference } => {
                println!("Network: {}", net.display());
                println!(
                    "Rounding: {:.1} points on average, at most {:.1} in a range of {:.0}, over {} positions",
                    difference.mean, difference.largest, difference.range, difference.positions
                );
                if !difference.is_small() {
                    eprintln!("warning: rounding changes some scores by more than 1 % of their range");
                }
                Ok(())
            }
        }
    }
}
