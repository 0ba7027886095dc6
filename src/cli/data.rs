//! `happo data`: files of games counted and joined.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::data::{Stats, expand, merge};

/// Count and join files of games that `happo selfplay` has written
#[derive(Args)]
pub struct Data {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Stats(Count),
    Merge(Merge),
}

impl Data {
    /// Does it.
    pub fn run(self) -> Result<(), String> {
        match self.command {
            Command::Stats(count) => count.run(),
            Command::Merge(merge) => merge.run(),
        }
    }
}

/// Count games, positions, results, scores and damage; every move is checked
///
/// The last line on standard output is the same as JSON.
#[derive(Args)]
struct Count {
    /// Files, or folders with files
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Count {
    fn run(self) -> Result<(), String> {
        let mut stats = Stats::default();
        for path in files(&self.files)? {
            stats.read(&path).map_err(|error| error.to_string())?;
        }
        print!("{stats}");
        println!("{}", stats.json());
        Ok(())
    }
}

/// Join files of the same settings to one, each game once
#[derive(Args)]
struct Merge {
    /// Files, or folders with files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The new file
    #[arg(long)]
    out: PathBuf,
}

impl Merge {
    fn run(self) -> Result<(), String> {
        let merged = merge(&files(&self.files)?, &self.out).map_err(|error| error.to_string())?;
        println!("{}: {} games", self.out.display(), merged.games);
        println!("left out: {} met before, {} damaged", merged.duplicates, merged.damaged);
        Ok(())
    }
}

fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let files = expand(paths).map_err(|error| error.to_string())?;
    if files.is_empty() { Err("there are no files of games".to_owned()) } else { Ok(files) }
}
