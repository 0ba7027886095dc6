//! `happo tune`: numbers found by play.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::game::{Game, HouseRules, Variant};
use crate::games::{ForGame, for_game};
use crate::lab::openings::{OpeningSpec, openings};
use crate::lab::spsa::{Knob, Schedule, Tuner};
use crate::search::PARAMETERS;

use super::tune_eval::TuneEval;

/// Find better numbers by play
#[derive(Args)]
pub struct Tune {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Eval(TuneEval),
    Search(Box<TuneSearch>),
}

impl Tune {
    /// Tunes.
    pub fn run(self) -> Result<(), String> {
        match self.what {
            What::Eval(eval) => eval.run(),
            What::Search(search) => search.run(),
        }
    }
}

/// Tune parameters of the search by SPSA in games of the engine against itself
///
/// Every pair of games is a row of the log: its number, its result from -2 to 2, and the values after it. A run that
/// was interrupted goes on where its log ends. The values found are printed as the option SearchTuning takes them, to
/// be tested in a match.
#[derive(Args)]
pub struct TuneSearch {
    /// Parameters as NAME or NAME:STEP, the step being how far a value is moved to be compared; all are listed with
    /// --list
    knobs: Vec<String>,
    /// List the parameters, their ranges and values
    #[arg(long)]
    list: bool,
    /// The game
    #[arg(long, default_value = "shogi")]
    variant: Variant,
    /// Nodes a turn
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Pairs of games
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: u64,
    /// How far a won pair moves a value at the end, in steps
    #[arg(long, default_value_t = 0.02)]
    rate: f64,
    /// Openings and choices follow from this number
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw after that many moves
    #[arg(long, default_value_t = 320)]
    limit: u32,
    /// File for the values
    #[arg(long, default_value = "tune.csv")]
    log: PathBuf,
}

impl TuneSearch {
    fn run(self) -> Result<(), String> {
        let variant = self.variant;
        for_game(variant, self)
    }

    /// Takes the values of an earlier run's last whole row; the number of pairs it had played.
    fn resume(&self, knobs: &mut [Knob]) -> Result<u64, String> {
        let Ok(file) = File::open(&self.log) else { return Ok(0) };
        let wrong = |what: &str| format!("{}: {what}; name another file with --log", self.log.display());
        let mut lines = BufReader::new(file).lines();
        let header = lines.next().transpose().map_err(|error| wrong(&error.to_string()))?;
        let Some(header) = header else { return Ok(0) };
        if header != heading(knobs) {
            return Err(wrong("the log of a run with other parameters"));
        }
        let mut played = 0;
        for line in lines {
            let line = line.map_err(|error| wrong(&error.to_string()))?;
            let numbers: Option<Vec<f64>> = line.split(',').map(|field| field.parse().ok()).collect();
            // The last row may have been cut off.
            let Some(numbers) = numbers.filter(|numbers| numbers.len() == knobs.len() + 2) else { break };
            played = numbers[0] as u64 + 1;
            for (knob, value) in knobs.iter_mut().zip(&numbers[2..]) {
                knob.value = *value;
            }
        }
        Ok(played)
    }
}

fn heading(knobs: &[Knob]) -> String {
    let names: Vec<&str> = knobs.iter().map(|knob| PARAMETERS[knob.index].name).collect();
    format!("pair,result,{}", names.join(","))
}

impl ForGame for TuneSearch {
    type Output = Result<(), String>;

    fn run<G: Game>(self) -> Self::Output {
        if self.list {
            for (index, parameter) in PARAMETERS.iter().enumerate() {
                println!("{} {} ({}..={})", parameter.name, G::PARAMS.get(index), parameter.low, parameter.high);
            }
            return Ok(());
        }
        if self.knobs.is_empty() {
            return Err("no parameter to tune is named".to_owned());
        }
        let read = |text: &String| Knob::parse(text, G::PARAMS).map_err(|error| error.to_string());
        let mut knobs: Vec<Knob> = self.knobs.iter().map(read).collect::<Result<_, _>>()?;
        let begin = self.resume(&mut knobs)?;
        let cannot = |error: std::io::Error| format!("{}: {error}", self.log.display());
        let mut log = OpenOptions::new().create(true).append(true).open(&self.log).map_err(cannot)?;
        if begin == 0 {
            log.set_len(0).and_then(|()| writeln!(log, "{}", heading(&knobs))).map_err(cannot)?;
        }
        let rules = HouseRules { move_limit: self.limit, ..HouseRules::default() };
        let spec = OpeningSpec { seed: self.seed, shortest: 6, longest: 10, bound: 200 };
        let mut openings = openings(self.variant, &rules, spec);
        let schedule = Schedule { pairs: self.pairs, rate: self.rate };
        let mut tuner = Tuner::<G>::new(knobs, schedule, self.seed, rules, self.nodes);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} pairs, {eta} left");
        let bar = ProgressBar::new(self.pairs).with_style(style.map_err(|error| error.to_string())?);
        bar.set_position(begin);
        for number in begin..self.pairs {
            let result = tuner.pair(number, &mut *openings);
            let values: Vec<String> = tuner.knobs.iter().map(|knob| format!("{:.3}", knob.value)).collect();
            writeln!(log, "{number},{result},{}", values.join(",")).map_err(cannot)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        let found: Vec<String> = tuner
            .knobs
            .iter()
            .map(|knob| format!("{}={}", PARAMETERS[knob.index].name, knob.value.round() as i32))
            .collect();
        println!("{}", found.join(" "));
        Ok(())
    }
}
