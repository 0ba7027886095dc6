//! `happo selfplay`: games of the engine against itself.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;

use crate::data::Header;
use crate::game::{Goal, HouseRules, Variant};
use crate::lab::selfplay::{Plan, Totals, run};
use crate::nnue;

use super::screen::Screen;

/// Let the engine play itself and write the games down, for networks and tuners to learn from
///
/// Every game follows from the seed and its number. A run that was interrupted goes on where it stopped; several
/// processes may work on the same run. Without --games and --positions it ends at Ctrl-C. The last line on standard
/// output is a summary as JSON.
#[derive(Args)]
pub struct Selfplay {
    /// The game
    #[arg(long, default_value_t)]
    variant: Variant,
    /// What wins in hasami: capture5, lead3 or captureall
    #[arg(long, value_parser = super::goal)]
    goal: Option<Goal>,
    /// Draw after that many moves (half-moves in flanking), 0 for never [default: 320, flanking 640]
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    limit: Option<u32>,
    /// Nodes a turn after which no new iteration begins
    #[arg(long, value_name = "N", default_value_t = 1500, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    nodes: u32,
    /// Nodes that end a turn [default: four times --nodes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    hard_nodes: Option<u32>,
    /// All games follow from this number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games of the run
    #[arg(long, value_name = "N")]
    games: Option<u32>,
    /// No game is begun any more once the run has so many positions
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Games at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Network to play with in place of the one in the program; `none` for no network
    #[arg(long, value_name = "FILE")]
    net: Option<String>,
    /// Folder for the games
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Say nothing before the end
    #[arg(long)]
    quiet: bool,
}

impl Selfplay {
    /// Plays and prints.
    pub fn run(self) -> Result<(), String> {
        let plan = self.plan()?;
        let stop = Arc::new(AtomicBool::new(false));
        let on_signal = {
            let stop = Arc::clone(&stop);
            move || stop.store(true, Ordering::SeqCst)
        };
        ctrlc::set_handler(on_signal).map_err(|error| format!("signals: {error}"))?;
        let begun = Instant::now();
        let seconds = || begun.elapsed().as_secs_f64().max(1e-3);
        let (length, unit) = match (self.positions, self.games) {
            (Some(positions), _) => (Some(positions), "positions"),
            (None, Some(games)) => (Some(games.into()), "games"),
            (None, None) => (None, "positions"),
        };
        let screen = Screen::new(self.quiet, length, unit);
        let news = |totals: &Totals| {
            let games = totals.found + totals.games;
            let position = if unit == "games" { games } else { totals.all_positions() };
            screen.show(position, || {
                let rate = totals.positions as f64 / seconds();
                format!("{games} games, {} positions, {rate:.0} positions/s", totals.all_positions())
            });
        };
        let totals = run(&plan, &stop, &news).map_err(|error| error.to_string())?;
        screen.close();
        let Totals { found, games, positions, results: [drawn, black, white], .. } = totals;
        let (seconds, all) = (seconds(), totals.all_positions());
        let rate = positions as f64 / seconds;
        println!("{games} games and {positions} positions in {seconds:.1} s, {:.0} positions an hour", rate * 3600.0);
        println!(
            "{{\"variant\":\"{}\",\"seed\":{},\"nodes\":{},\"games\":{games},\"positions\":{positions},\
             \"black\":{black},\"drawn\":{drawn},\"white\":{white},\"seconds\":{seconds:.3},\
             \"positions_per_second\":{rate:.1},\"all_games\":{},\"all_positions\":{all}}}",
            self.variant,
            self.seed,
            self.nodes,
            found + games,
        );
        if stop.load(Ordering::SeqCst) { Err("interrupted".to_owned()) } else { Ok(()) }
    }

    fn plan(&self) -> Result<Plan, String> {
        let variant = self.variant;
        if self.goal.is_some() && variant != Variant::Hasami {
            return Err(format!("{variant} has no goals to choose from"));
        }
        let hard_nodes = self.hard_nodes.unwrap_or(self.nodes.saturating_mul(4));
        if hard_nodes < self.nodes {
            return Err(format!("--hard-nodes {hard_nodes} is less than --nodes {}", self.nodes));
        }
        let (evaluation, network) = nnue::library::choose(self.net.as_deref(), variant)
            .map_err(|error| format!("{}: {error}", self.net.as_deref().unwrap_or_default()))?;
        let usual = if variant == Variant::Flanking { 640 } else { 320 };
        let rules = HouseRules {
            goal: self.goal.unwrap_or_default(),
            move_limit: self.limit.unwrap_or(usual),
            ..HouseRules::default()
        };
        let program = std::env::current_exe()
            .and_then(std::fs::read)
            .map_err(|error| format!("this program cannot be read: {error}"))?;
        Ok(Plan {
            header: Header {
                variant,
                rules,
                soft_nodes: self.nodes,
                hard_nodes,
                program: crc32fast::hash(&program),
                network: network.into(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            evaluation,
            seed: self.seed,
            folder: self.out.clone(),
            games: self.games.unwrap_or(u32::MAX),
            positions: self.positions.unwrap_or(u64::MAX),
            threads: usize::from(self.threads),
        })
    }
}
