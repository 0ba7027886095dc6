//! `happo`: a USI engine for shogi, happokei, aihappokei, flanking shogi and hasami shogi.
//!
//! The rules of each game stand behind [`game::Position`]; one search, [`search`], plays them all and is compiled
//! once a game; [`usi`] speaks the protocol, [`lab`] measures strength and [`cli`] offers the tools.

pub mod board;
pub mod cli;
pub mod diagram;
pub mod flanking;
pub mod game;
pub mod games;
pub mod hasami;
pub mod history;
pub mod lab;
pub mod perft;
pub mod random;
pub mod search;
pub mod shogi;
pub mod tally;
pub mod usi;
