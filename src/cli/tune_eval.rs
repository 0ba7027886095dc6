//! `happo tune eval`: weights of the evaluation found from games.

use std::path::PathBuf;

use clap::Args;

use crate::data::{Stored, expand};
use crate::game::Variant;
use crate::lab::texel::{Corpus, Fit, fit, rounded, source, weights_in_force};

use super::screen::Screen;

/// Fit the weights of shogi's evaluation to the results and scores of games
///
/// Takes quiet positions only. The scale between scores and results is fitted to the games first; every tenth game is
/// held out, and the loss on these is told before and after.
#[derive(Args)]
pub struct TuneEval {
    /// Files of games, or folders with files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// How much of the target is the result of the game, the rest being the score of the search; 0 to 1
    #[arg(long, value_name = "PART", default_value_t = 0.8)]
    blend: f32,
    /// Steps
    #[arg(long, value_name = "N", default_value_t = 300)]
    steps: u32,
    /// Change of a weight a step in points, at most and at first
    #[arg(long, value_name = "POINTS", default_value_t = 2.0)]
    rate: f32,
    /// Pull of every weight back to what it is now, as of so many positions
    #[arg(long, value_name = "N", default_value_t = 10_000.0)]
    pull: f32,
    /// Largest score of positions taken, in points
    #[arg(long, value_name = "POINTS", default_value_t = 2000, value_parser = clap::value_parser!(i32).range(1..))]
    bound: i32,
    /// Source file for the weights
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl TuneEval {
    /// Fits and writes.
    pub fn run(self) -> Result<(), String> {
        if !(0.0..=1.0).contains(&self.blend) {
            return Err(format!("--blend {} does not lie between 0 and 1", self.blend));
        }
        let mut corpus = Corpus::default();
        for path in expand(&self.files).map_err(|error| error.to_string())? {
            let stored = Stored::read(&path).map_err(|error| error.to_string())?;
            if stored.header.variant != Variant::Shogi {
                return Err(format!("{} holds games of {}", path.display(), stored.header.variant));
            }
            corpus.add(&stored, self.bound).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let (training, held_out) = (&corpus.training, &corpus.held_out);
        println!("Positions: {} to fit to, {} held out", training.len(), held_out.len());
        if training.is_empty() || held_out.is_empty() {
            return Err("there are too few games".to_owned());
        }
        let scale = training.scale();
        println!("Scale: {scale:.0} points");
        let plan = Fit { blend: self.blend, steps: self.steps, rate: self.rate, pull: self.pull };
        let losses = |weights: &[f32]| {
            [(training, "training"), (held_out, "held out")].map(|(samples, name)| {
                let [mixed, result] = [self.blend, 1.0].map(|blend| samples.loss(weights, blend, scale));
                format!("{name} {mixed:.5}, result alone {result:.5}")
            })
        };
        println!("Loss before: {}", losses(&weights_in_force()).join("; "));
        let screen = Screen::new(false, Some(self.steps.into()), "steps");
        let weights = fit(training, &plan, scale, |step, weights| {
            screen.show(step.into(), || losses(weights).join("; "));
        });
        screen.close();
        println!("Loss after:  {}", losses(&weights).join("; "));
        std::fs::write(&self.out, source(&rounded(&weights)))
            .map_err(|error| format!("{}: {error}", self.out.display()))
    }
}
