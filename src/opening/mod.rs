//! Opening books: their formats, the choice of a move, and making them.
//!
//! `record` is a move as books store it, `text` reads the lines of a `.db` file, which `memory` holds and `disk`
//! leaves where it is; `apery` is the other format. A [`Shelf`] finds and opens the book that the [`Settings`] ask
//! for, and [`probe`] chooses a move from it. `pages` writes books, [`build`] makes them by searching.

#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::panic, clippy::unwrap_used, clippy::expect_used))]

mod apery;
pub mod build;
mod disk;
mod key;
mod lines;
mod memory;
mod pages;
mod probe;
mod record;
mod settings;
mod shelf;
#[cfg(test)]
mod tests;
mod text;

pub use pages::{Pages, Prefer, merge, save};
pub use probe::{Answer, Probe, probe};
pub use record::{BookMove, BookTurn};
pub use settings::Settings;
pub use shelf::Shelf;
pub use text::{Damage, Item, Summary, Tag, read, summarise};
