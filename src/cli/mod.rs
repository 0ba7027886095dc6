//! The command line: without a subcommand the engine speaks USI.

mod bench;
mod book;
mod data;
mod perft;
mod play_match;
mod screen;
mod selfplay;
mod train;
mod tune;
mod tune_eval;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::game::Goal;
use crate::usi;

/// A USI engine for shogi, happokei, aihappokei, flanking shogi and hasami shogi. Without a subcommand it speaks USI.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Bench(bench::Bench),
    Book(book::Book),
    Data(data::Data),
    Perft(perft::Perft),
    Match(Box<play_match::PlayMatch>),
    Selfplay(selfplay::Selfplay),
    Train(Box<train::Train>),
    Tune(tune::Tune),
}

/// Exit code of wrong arguments, the same as clap's.
const USAGE: u8 = 2;

/// A goal of hasami by its name.
fn goal(text: &str) -> Result<Goal, String> {
    Goal::from_name(text).ok_or_else(|| format!("{text:?} is not one of {}", Goal::ALL.map(Goal::name).join(", ")))
}

/// Runs the program.
pub fn run() -> ExitCode {
    let done = match Cli::parse().command {
        None => {
            usi::run();
            Ok(())
        }
        Some(Command::Bench(bench)) => bench.run(),
        Some(Command::Book(book)) => book.run(),
        Some(Command::Data(data)) => data.run(),
        Some(Command::Perft(perft)) => perft.run(),
        Some(Command::Match(play_match)) => play_match.run(),
        Some(Command::Selfplay(selfplay)) => selfplay.run(),
        Some(Command::Train(train)) => train.run(),
        Some(Command::Tune(tune)) => tune.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(USAGE)
        }
    }
}
