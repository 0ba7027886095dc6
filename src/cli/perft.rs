//! `happo perft`: leaves of the move tree.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clap::Args;

use crate::game::{HouseRules, Variant};
use crate::perft::{self, MAX_DEPTH};
use crate::usi::{PositionSpec, player};

/// Count the leaves of the move tree below a position
#[derive(Args)]
pub struct Perft {
    /// Depth in moves (half-moves in flanking)
    #[arg(value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_DEPTH)))]
    depth: u32,
    /// The game
    #[arg(long, default_value_t)]
    variant: Variant,
    /// What follows the word `position` in USI
    #[arg(long, default_value = "startpos")]
    position: String,
    /// Threads to count on
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Print the count below each move
    #[arg(long)]
    divide: bool,
}

impl Perft {
    /// Counts and prints.
    pub fn run(self) -> Result<(), String> {
        let spec = PositionSpec::parse(&self.position).map_err(|error| error.to_string())?;
        let mut player = player(spec.variant.unwrap_or(self.variant));
        player.set_position(&spec, &HouseRules::default()).map_err(|error| error.to_string())?;
        let start = Instant::now();
        let division = player.perft(self.depth, usize::from(self.threads))(&AtomicBool::new(false)).unwrap_or_default();
        let seconds = start.elapsed().as_secs_f64();
        if self.divide {
            for (m, leaves) in &division {
                println!("{m}: {leaves}");
            }
        }
        let total = perft::total(self.depth, &division);
        println!("Nodes searched: {total}");
        println!("Time: {seconds:.3} s, {:.0} leaves/s", total as f64 / seconds.max(1e-9));
        Ok(())
    }
}
