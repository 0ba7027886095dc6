//! A search whose end is waited for.

use std::sync::mpsc;

use crate::game::Game;
use crate::search::{Engine, Limits, Outcome, SearchOptions};

/// Searches a position in silence.
pub fn think<G: Game>(
    engine: &mut Engine<G>,
    position: &G::Position,
    limits: Limits,
    options: &SearchOptions,
) -> Outcome {
    let (sender, receiver) = mpsc::channel();
    let done = Box::new(move |outcome: &Outcome| {
        // Fails only if nobody waits any more.
        let _ = sender.send(outcome.clone());
    });
    engine.go(position.clone(), limits, options, Box::new(|_| {}), done);
    receiver.recv().unwrap_or_default()
}
