//! `happo`: a USI engine for shogi, happokei, aihappokei, flanking shogi and hasami shogi.
//!
//! The rules of each game stand behind [`game::Position`]; one search, [`search`], plays them all and is compiled
//! once a game; [`usi`] speaks the protocol, [`lab`] measures strength and [`cli`] offers the tools.
//!
//! # Examples
//!
//! The rules of one game, its type known at compile time:
//!
//! ```
//! use happo::board::{Move, MoveList};
//! use happo::game::{Game, HouseRules, Position, Stage};
//! use happo::shogi::Shogi;
//!
//! let mut position = <Shogi as Game>::Position::startpos(&HouseRules::default());
//! let mut legal = MoveList::new();
//! position.generate(Stage::All, &mut legal);
//! assert_eq!(legal.len(), 30);
//!
//! let opening = Move::from_usi("7g7f").expect("a move as USI writes it");
//! assert!(position.is_legal(opening));
//! position.make(opening, &mut ());
//! assert_eq!(
//!     position.diagram().to_string(),
//!     "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"
//! );
//! position.unmake();
//! assert_eq!(happo::perft::perft(&mut position, 3), 25_470);
//! ```
//!
//! Any game by its name, set up from what USI's `position` takes, and searched:
//!
//! ```
//! use happo::game::HouseRules;
//! use happo::search::Limits;
//! use happo::usi::{Options, PositionSpec, player};
//!
//! let spec = PositionSpec::parse("startpos variant=flanking moves 7g7f,2g2f")?;
//! let mut player = player(spec.variant.unwrap_or_default());
//! player.set_position(&spec, &HouseRules::default())?;
//! let limits = Limits { depth: Some(2), ..Limits::default() };
//! let (outcome, best) = player.search(limits, &Options::default());
//! assert_eq!(outcome.best.len(), 2);
//! assert_eq!(best, format!("{},{}", outcome.best[0], outcome.best[1]));
//! # Ok::<(), happo::usi::PositionError>(())
//! ```

pub mod board;
pub mod cli;
pub mod data;
pub mod diagram;
pub mod flanking;
pub mod game;
pub mod games;
pub mod hasami;
pub mod lab;
pub mod nnue;
pub mod opening;
pub mod perft;
pub mod random;
pub mod search;
pub mod shogi;
pub mod tally;
pub mod trail;
pub mod train;
pub mod turns;
pub mod usi;
