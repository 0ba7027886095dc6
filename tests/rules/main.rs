//! The rules of the five games, against other implementations of them and by hand.
//!
//! One binary for all of it: each one is linked and optimised as a whole, which takes longer than its tests.

#[path = "../common/mod.rs"]
mod common;
mod cross;
mod custodial;
mod diagrams;
mod flanking;
mod games;
mod handmade;
mod hasami;
mod impasse;
mod naive;
mod oracle;
mod support;
