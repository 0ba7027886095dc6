//! Experiments: matches between engines, and what their results prove.
//!
//! [`tournament`] plays pairs of games from balanced [`openings`] on several threads, each with its own two engine
//! processes ([`engine`], [`process`]); [`arbiter`] plays one game by the rules of [`referee`] and the [`clock`];
//! [`sprt`] says what the results mean, [`record`] and [`csa`] write the games down.
//!
//! [`selfplay`] makes the engine play itself, for games to learn from; [`texel`] fits the evaluation of shogi to them.

pub mod arbiter;
pub mod clock;
pub mod csa;
pub mod engine;
pub mod openings;
mod output;
pub mod process;
pub mod record;
pub mod referee;
pub mod selfplay;
pub mod sprt;
pub mod spsa;
pub mod tally;
pub mod texel;
mod thought;
pub mod tournament;
