//! The protocol: USI as clients really speak it.

#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

#[cfg(test)]
mod book_tests;
mod command;
mod display;
mod info;
mod mate;
mod options;
mod output;
mod player;
mod position;
mod session;
mod state;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod toy;

use crate::turns;

pub use options::Options;
pub use player::{Count, Division, Player, Verdict, player};
pub use position::{PositionError, PositionSpec, Table};

/// Speaks USI on standard input and output until `quit` or the end of the input.
pub fn run() {
    session::converse(std::io::BufReader::new(std::io::stdin()), output::Output::new(std::io::stdout()), player);
}
