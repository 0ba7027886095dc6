//! The engine of one game: its threads and its table.

use crate::board::{ByColor, MoveList};
use crate::game::{Game, Position, Stage};

use super::{Clocks, Info, Limits, Outcome, SearchOptions};

/// Told of every line worth reporting.
pub type OnInfo = Box<dyn FnMut(&Info) + Send>;
/// Told of the end of the search, exactly once.
pub type OnDone = Box<dyn FnOnce(&Outcome) + Send>;

/// Searches positions of one game on persistent threads.
pub struct Engine<G: Game> {
    marker: std::marker::PhantomData<G>,
}

impl<G: Game> Engine<G> {
    /// An engine with a table of `hash_mib` MiB and that many threads. The table is not touched before a search.
    pub fn new(_hash_mib: usize, _threads: usize) -> Self {
        Self { marker: std::marker::PhantomData }
    }

    /// Sets the table's size; its contents are lost. Waits for a running search.
    pub fn set_hash(&mut self, _hash_mib: usize) {}

    /// Sets the number of threads. Waits for a running search.
    pub fn set_threads(&mut self, _threads: usize) {}

    /// Forgets everything learnt: table and histories. Waits for a running search.
    pub fn clear(&mut self) {}

    /// Starts a search and returns at once; waits for a running one first. `on_done` is called exactly once, with
    /// `infinite` and `ponder` not before [`Engine::stop`] or [`Engine::ponderhit`].
    pub fn go(
        &mut self,
        position: G::Position,
        _limits: Limits,
        _options: &SearchOptions,
        mut _on_info: OnInfo,
        on_done: OnDone,
    ) {
        let mut list = MoveList::new();
        position.generate(Stage::All, &mut list);
        on_done(&Outcome { best: list.first().into_iter().copied().collect(), ..Outcome::default() });
    }

    /// Ends a running search as soon as can be; nothing happens if there is none.
    pub fn stop(&self) {}

    /// The ponder move was played: the search goes on by the clock, which may be a new one.
    pub fn ponderhit(&self, _clocks: Option<Clocks>) {}

    /// Whether a search is running.
    pub fn is_searching(&self) -> bool {
        false
    }

    /// Waits until a running search has called its `on_done`.
    pub fn wait(&mut self) {}

    /// Static evaluation of a position in centipawns for each side.
    pub fn evaluate(&self, _position: &G::Position) -> ByColor<i32> {
        ByColor([0, 0])
    }
}
