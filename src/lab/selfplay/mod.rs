//! Games of the engine against itself, for networks and tuners to learn from.
//!
//! Every game follows from the seed of the run and its own number, whatever thread plays it. Numbers are given out in
//! blocks, each with a file of its own in the folder of the run: a block is locked by the process that works on it,
//! so that several may share a folder, and a run that was interrupted goes on with the numbers that are missing.

mod blocks;
mod opening;
mod play;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::data::{DataError, Header};
use crate::game::Game;
use crate::games::{ForGame, for_game};
use crate::nnue::Evaluation;

use blocks::{Blocks, Job};
pub use play::Player;

/// Everything about a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The game, the rules and the limits of the searches, as the files tell them.
    pub header: Header,
    /// What both sides evaluate with; the header has its number.
    pub evaluation: Evaluation,
    /// All games follow from it and their numbers.
    pub seed: u64,
    /// Where the files go.
    pub folder: PathBuf,
    /// Numbers of games below this one only.
    pub games: u32,
    /// No game is begun any more once the run has that many positions.
    pub positions: u64,
    /// Games that are played at once.
    pub threads: usize,
}

/// What a run has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Games that were there at the start.
    pub found: u64,
    /// Positions with a score in them.
    pub found_positions: u64,
    /// Games played since.
    pub games: u64,
    /// Positions with a score in them.
    pub positions: u64,
    /// Games played since that were drawn, won by Black and won by White.
    pub results: [u64; 3],
}

impl Totals {
    /// Positions of the run, the ones that were there included.
    pub const fn all_positions(&self) -> u64 {
        self.found_positions + self.positions
    }
}

struct Shared {
    blocks: Blocks,
    totals: Totals,
    error: Option<DataError>,
}

/// Plays until the plan is fulfilled or `stop` is set; games that are not finished by then are dropped. `news` is told
/// after every game, on whatever thread.
pub fn run(plan: &Plan, stop: &AtomicBool, news: &(dyn Fn(&Totals) + Sync)) -> Result<Totals, DataError> {
    let (blocks, found) = Blocks::survey(plan)?;
    let totals = Totals { found: found.games, found_positions: found.positions, ..Totals::default() };
    news(&totals);
    let run = Run { plan, stop, news, shared: Mutex::new(Shared { blocks, totals, error: None }) };
    for_game(plan.header.variant, &run);
    let shared = run.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    match shared.error {
        Some(error) => Err(error),
        None => Ok(shared.totals),
    }
}

struct Run<'a> {
    plan: &'a Plan,
    stop: &'a AtomicBool,
    news: &'a (dyn Fn(&Totals) + Sync),
    shared: Mutex<Shared>,
}

impl ForGame for &Run<'_> {
    type Output = ();

    fn run<G: Game>(self) {
        std::thread::scope(|scope| {
            for _ in 0..self.plan.threads.max(1) {
                scope.spawn(|| self.work::<G>());
            }
        });
    }
}

impl Run<'_> {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work<G: Game>(&self) {
        let mut player = Player::<G>::new(self.plan);
        while let Some(job) = self.next() {
            let Some(record) = player.play(job.number, self.stop) else { return };
            let mut shared = self.lock();
            if let Err(error) = shared.blocks.finish(&job, &record) {
                shared.error.get_or_insert(error);
                return;
            }
            let totals = &mut shared.totals;
            totals.games += 1;
            totals.positions += record.positions() as u64;
            totals.results[record.winner.map_or(0, |winner| winner.index() + 1)] += 1;
            (self.news)(totals);
        }
    }

    /// The next game to play.
    fn next(&self) -> Option<Job> {
        let mut shared = self.lock();
        let full = shared.totals.all_positions() >= self.plan.positions;
        if full || shared.error.is_some() || self.stop.load(Ordering::Relaxed) {
            return None;
        }
        match shared.blocks.next() {
            Ok(job) => job,
            Err(error) => {
                shared.error = Some(error);
                None
            }
        }
    }
}
