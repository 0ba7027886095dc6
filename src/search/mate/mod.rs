//! The search for mate: `go mate`, and the look for a mate that the main search begins with.
//!
//! In the shogi family the attacker gives check with every move, and `dfpn` proves or disproves the mate by
//! proof-number search, its knowledge kept in `table`; `line` then reads the line to mate out of the proof, and `tsume`
//! leaves out of account what the books of mating problems leave out. Flanking has no check: `turns` looks for kings
//! captured by force, turn by turn.

mod dfpn;
mod line;
mod table;
#[cfg(test)]
mod tests;
mod tsume;
mod turns;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use crate::board::Move;
use crate::game::Game;

use dfpn::Solver;

/// What a forced win looks like in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MateSearch {
    /// Nothing to look for but what the main search sees.
    None,
    /// A mate by checks without a pause.
    Checks,
    /// A king captured whatever the other side does, threatened turn by turn.
    Turns,
}

/// The limits of a search for mate; the first one reached ends it.
#[derive(Clone, Copy, Debug)]
pub struct MateLimits {
    /// Milliseconds.
    pub time: Option<u64>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Size of its table in bytes.
    pub bytes: usize,
    /// Count as the books of mating problems do: futile interpositions are left out of line and length.
    pub tsume: bool,
    /// Look for the shortest mate, as far as it does not take much longer than to find one at all.
    pub shortest: bool,
    /// When the command arrived: the clock runs from there.
    pub start: Instant,
}

impl Default for MateLimits {
    fn default() -> Self {
        Self { time: None, nodes: None, bytes: 64 << 20, tsume: false, shortest: true, start: Instant::now() }
    }
}

/// What a search for mate has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateAnswer {
    /// A mate by force: the line with the longest resistance known, in half-moves.
    Mate(Vec<Move>),
    /// There is proven to be none.
    NoMate,
    /// Not known.
    Timeout,
    /// This game has no such search.
    NotImplemented,
}

/// The end of a search for mate.
#[derive(Clone, Debug)]
pub struct MateResult {
    /// What was found.
    pub answer: MateAnswer,
    /// Nodes searched.
    pub nodes: u64,
    /// Permille of the table in use.
    pub hashfull: u32,
}

/// What ends a search for mate before its time.
pub(super) struct Control<'a> {
    stop: &'a dyn Fn() -> bool,
    limits: MateLimits,
    /// Nodes searched so far.
    nodes: u64,
    /// Nodes at which it ends.
    end: u64,
    /// Nodes at which clock and stop are looked at next.
    next_look: u64,
    stopped: bool,
    /// Only the nodes count.
    insisting: bool,
}

/// Nodes between two looks at clock and stop.
const LOOK: u64 = 256;

impl<'a> Control<'a> {
    fn new(limits: &MateLimits, stop: &'a dyn Fn() -> bool) -> Self {
        let end = limits.nodes.unwrap_or(u64::MAX);
        Self { stop, limits: *limits, nodes: 0, end, next_look: 0, stopped: false, insisting: false }
    }

    /// Counts a node; whether the search has to end.
    #[inline]
    fn count(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.next_look {
            self.look();
        }
        self.stopped
    }

    #[cold]
    fn look(&mut self) {
        self.next_look = (self.nodes + LOOK).min(self.end);
        let late = || self.limits.time.is_some_and(|time| self.limits.start.elapsed().as_millis() as u64 >= time);
        self.stopped |= self.nodes >= self.end || !self.insisting && (late() || (self.stop)());
    }

    /// Whether the search has to end at so many nodes at the latest and that is now; else it goes on up to there.
    fn is_over(&mut self, end: u64) -> bool {
        self.insisting = false;
        self.resume(end);
        self.look();
        self.stopped
    }

    /// Goes on whatever the limits say, for so many more nodes: what is to be found is known to be there.
    fn insist(&mut self, nodes: u64) {
        self.insisting = true;
        self.resume(self.nodes.saturating_add(nodes));
    }

    fn resume(&mut self, end: u64) {
        self.end = end;
        self.next_look = self.nodes;
        self.stopped = false;
    }
}

/// Looks for a win by force of the side to move, until it is found, disproven, or a limit is reached or `stop` set.
pub fn solve<G: Game>(position: &G::Position, limits: &MateLimits, stop: &AtomicBool) -> MateResult {
    solve_until::<G>(position, limits, &|| stop.load(Relaxed))
}

/// The same with any condition to stop on.
pub(super) fn solve_until<G: Game>(position: &G::Position, limits: &MateLimits, stop: &dyn Fn() -> bool) -> MateResult {
    let mut control = Control::new(limits, stop);
    match G::MATE {
        MateSearch::None => MateResult { answer: MateAnswer::NotImplemented, nodes: 0, hashfull: 0 },
        MateSearch::Checks => {
            let mut solver = Solver::new(position.clone(), control);
            let answer = solver.solve();
            MateResult { answer, nodes: solver.nodes(), hashfull: solver.fullness() }
        }
        MateSearch::Turns => {
            let answer = turns::solve(&mut position.clone(), &mut control);
            MateResult { answer, nodes: control.nodes, hashfull: 0 }
        }
    }
}
