//! `happo data`: files of games counted, joined, and exchanged with other programs.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::data::packed::{Exported, Format, Imported, export, import};
use crate::data::{Stats, expand, merge};

use super::screen::Screen;

/// Count and join files of games that `happo selfplay` has written; exchange positions with other trainers
#[derive(Args)]
pub struct Data {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Stats(Count),
    Merge(Merge),
    Export(Export),
    Import(Import),
}

impl Data {
    /// Does it.
    pub fn run(self) -> Result<(), String> {
        match self.command {
            Command::Stats(count) => count.run(),
            Command::Merge(merge) => merge.run(),
            Command::Export(export) => export.run(),
            Command::Import(import) => import.run(),
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

/// Write the positions of games of shogi in a format that other trainers read
///
/// Every position that was searched is written, with the move played, its score for the side to move and the result.
/// The pieces that a handicap takes away are written as not in play. The last line on standard output is a summary as
/// JSON.
#[derive(Args)]
struct Export {
    /// Files, or folders with files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The format
    #[arg(long)]
    format: Format,
    /// Leave out positions in check and those whose move captures or promotes
    #[arg(long)]
    quiet_only: bool,
    /// The new file
    #[arg(long)]
    out: PathBuf,
    /// Say nothing before the end
    #[arg(long)]
    quiet: bool,
}

impl Export {
    fn run(self) -> Result<(), String> {
        let files = files(&self.files)?;
        let screen = Screen::new(self.quiet, Some(size(&files)), "bytes");
        let mut progress = |bytes: u64, exported: &Exported| {
            screen.show(bytes, || format!("{} positions", exported.positions));
        };
        let exported = export(&files, self.format, self.quiet_only, &self.out, &mut progress);
        screen.close();
        let exported = exported.map_err(|error| error.to_string())?;
        let Exported { games, positions, loud, kingless, illegal, damaged, .. } = exported;
        println!("{}: {positions} positions of {games} games", self.out.display());
        println!(
            "left out: {loud} positions that are not quiet, {kingless} without both kings, \
             {illegal} games that break the rules, {damaged} damaged"
        );
        if let Some(complaint) = &exported.complaint {
            println!("  {complaint}");
        }
        println!("{}", exported.json());
        if positions > 0 { Ok(()) } else { Err("there are no positions to write".to_owned()) }
    }
}

/// Write positions in a format of other trainers as games of one move, for `happo train` and `happo tune eval`
///
/// Records that are no position of shogi, or whose move is illegal, are left out and counted; the first ones are named,
/// counted from 0. The last line on standard output is a summary as JSON.
#[derive(Args)]
struct Import {
    /// Files of positions
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Their format
    #[arg(long)]
    format: Format,
    /// The new file
    #[arg(long)]
    out: PathBuf,
    /// Say nothing before the end
    #[arg(long)]
    quiet: bool,
}

impl Import {
    fn run(self) -> Result<(), String> {
        let screen = Screen::new(self.quiet, Some(size(&self.files)), "bytes");
        let mut progress = |bytes: u64, imported: &Imported| {
            screen.show(bytes, || format!("{} positions, {} refused", imported.positions, imported.refused));
        };
        let imported = import(&self.files, self.format, &self.out, &mut progress);
        screen.close();
        let imported = imported.map_err(|error| error.to_string())?;
        let Imported { records, positions, refused, .. } = imported;
        println!("{}: {positions} positions of {records} records", self.out.display());
        println!("refused: {refused}");
        for complaint in &imported.complaints {
            println!("  {complaint}");
        }
        println!("{}", imported.json());
        if positions > 0 { Ok(()) } else { Err("there are no positions to write".to_owned()) }
    }
}

/// Bytes of files, as far as can be known.
fn size(files: &[PathBuf]) -> u64 {
    files.iter().filter_map(|path| std::fs::metadata(path).ok()).map(|metadata| metadata.len()).sum()
}

fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let files = expand(paths).map_err(|error| error.to_string())?;
    if files.is_empty() { Err("there are no files of games".to_owned()) } else { Ok(files) }
}
