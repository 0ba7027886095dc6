//! `happo book`: making, merging and counting opening books.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::game::{Game, Goal, HouseRules, Variant};
use crate::games::{ForGame, for_game};
use crate::opening::build::{BuildError, Built, Plan, build};
use crate::opening::{Item, Prefer, merge, save, summarise};
use crate::search::{Limits, MAX_PLY};
use crate::usi::{PositionError, PositionSpec, Table};

/// Make, merge and count opening books
#[derive(Args)]
pub struct Book {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Build(Build),
    Merge(Merge),
    Stats(Stats),
}

impl Book {
    /// Does it.
    pub fn run(self) -> Result<(), String> {
        match self.command {
            Command::Build(build) => build.run(),
            Command::Merge(merge) => merge.run(),
            Command::Stats(stats) => stats.run(),
        }
    }
}

/// Make a book by searching, or go on with one that is there
#[derive(Args)]
#[command(group(ArgGroup::new("limit").args(["depth", "nodes"])))]
struct Build {
    /// The game
    #[arg(long, default_value_t)]
    variant: Variant,
    /// Goal in hasami: capture5, lead3 or captureall
    #[arg(long, value_parser = super::goal)]
    goal: Option<Goal>,
    /// Where the book begins: what follows the word `position` in USI
    #[arg(long, default_value = "startpos")]
    position: String,
    /// Depth of each search in half-moves
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64))]
    depth: Option<u32>,
    /// Nodes of each search, 5000 if neither is given
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Length of the lines in turns
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=200))]
    plies: u32,
    /// Most moves a position
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    width: u16,
    /// How much worse than the best a move may be, in centipawns
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(i32).range(0..))]
    eval_diff: i32,
    /// Most positions of the book
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// The book
    #[arg(long)]
    out: PathBuf,
    /// Searches at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Table size of each search in MiB
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: u32,
}

/// [`build`] for the game that was named.
struct Work<'a> {
    spec: &'a PositionSpec,
    plan: Plan,
    path: &'a Path,
    bar: &'a ProgressBar,
}

/// What can go wrong in it.
#[derive(Debug, thiserror::Error)]
enum WorkError {
    #[error(transparent)]
    Position(#[from] PositionError),
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl ForGame for Work<'_> {
    type Output = Result<Built, WorkError>;

    fn run<G: Game>(mut self) -> Self::Output {
        let table = Table::<G::Position>::set_up(self.spec, &self.plan.rules)?;
        self.plan.rules = *crate::game::Position::rules(&table.position);
        Ok(build::<G>(&table.position, &self.plan, self.path, &|progress| {
            let total = (progress.done + progress.open).min(self.plan.positions);
            self.bar.set_length(total as u64);
            self.bar.set_position(progress.done as u64);
        })?)
    }
}

impl Build {
    fn run(self) -> Result<(), String> {
        let spec = PositionSpec::parse(&self.position).map_err(|error| error.to_string())?;
        let variant = spec.variant.unwrap_or(self.variant);
        if self.goal.is_some() && variant != Variant::Hasami {
            return Err(format!("{variant} has no goals to choose from"));
        }
        let nodes = self.nodes.or_else(|| self.depth.is_none().then_some(5000));
        let plan = Plan {
            plies: self.plies,
            width: self.width.into(),
            eval_diff: self.eval_diff,
            positions: self.positions as usize,
            limits: Limits { depth: self.depth, nodes, ..Limits::default() },
            threads: self.threads.into(),
            hash: self.hash as usize,
            rules: HouseRules { goal: self.goal.unwrap_or_default(), ..HouseRules::default() },
        };
        let bar = ProgressBar::new(1);
        // A template that is wrong only costs its looks.
        if let Ok(style) = ProgressStyle::with_template("{elapsed_precise} [{wide_bar}] {pos}/{len} positions, {eta}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(500));
        let work = Work { spec: &spec, plan, path: &self.out, bar: &bar };
        let built = for_game(variant, work).map_err(|error| error.to_string());
        bar.finish_and_clear();
        let built = built?;
        for note in &built.notes {
            eprintln!("{}: {note}", self.out.display());
        }
        println!("Positions: {} ({} were there)", built.positions, built.found);
        println!("Moves: {}", built.moves);
        Ok(())
    }
}

/// Make one book of several
#[derive(Args)]
struct Merge {
    /// The books
    #[arg(required = true)]
    books: Vec<PathBuf>,
    /// Which entry of a move stays where several books have it
    #[arg(long, value_enum, default_value_t)]
    prefer: Prefer,
    /// The book made of them
    #[arg(long)]
    out: PathBuf,
}

impl Merge {
    fn run(self) -> Result<(), String> {
        let merged = merge(&self.books, self.prefer)?;
        for (path, summary) in self.books.iter().zip(&merged.summaries) {
            println!("{}: {} positions, {} moves", path.display(), summary.positions, summary.moves);
            for message in summary.damage.messages() {
                eprintln!("{}: {message}", path.display());
            }
        }
        save(&self.out, &merged.pages, merged.tag).map_err(|error| format!("{}: {error}", self.out.display()))?;
        println!("{}: {} positions", self.out.display(), merged.pages.len());
        Ok(())
    }
}

/// Count what a book holds
#[derive(Args)]
struct Stats {
    /// The book
    book: PathBuf,
}

/// Width of the classes of the depth histogram.
const CLASS: u16 = 4;

impl Stats {
    fn run(self) -> Result<(), String> {
        let mut depths = std::collections::BTreeMap::<u16, u64>::new();
        let mut plies = std::collections::BTreeMap::<u32, u64>::new();
        let summary = summarise(&self.book, |item| match item {
            Item::Position(_, _, ply) => *plies.entry(ply).or_default() += 1,
            Item::Move(m) => *depths.entry(m.depth / CLASS * CLASS).or_default() += 1,
        })
        .map_err(|error| format!("{}: {error}", self.book.display()))?;
        if let Some(tag) = summary.tag {
            println!("Made for: {tag}");
        }
        println!("Positions: {}", summary.positions);
        println!("Moves: {}", summary.moves);
        println!("Sorted: {}", if summary.sorted { "yes" } else { "no" });
        for (ply, positions) in plies {
            println!("  move {ply:>3}: {positions:>8} positions");
        }
        for (depth, moves) in depths {
            println!("  depth {depth:>3}-{:<3}: {moves:>8} moves", depth + (CLASS - 1));
        }
        println!("Damaged lines: {}", summary.damage.lines);
        for message in summary.damage.messages() {
            println!("  {message}");
        }
        Ok(())
    }
}
