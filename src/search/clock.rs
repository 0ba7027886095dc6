//! Time: how long to think, and whether it is over.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use crate::board::Color;

use super::{Clocks, Limits, SearchOptions};

/// The time for one move, in milliseconds since the clock began to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// No new iteration begins after this much, more or less by how sure the best move is.
    pub soft: u64,
    /// The search is stopped here.
    pub hard: u64,
    /// Unused time is lost (pure byoyomi, fixed time): think on until `hard`.
    pub use_all: bool,
}

/// A larger reserve than this many milliseconds is for a network; up to it, at most two fifths of the time are kept.
const LOCAL_DELAY: u64 = 100;

impl Budget {
    /// No limit of time.
    pub const ENDLESS: Self = Self { soft: u64::MAX, hard: u64::MAX, use_all: true };

    /// The budget for the next move of `us`, `played` half-moves into the game, of `turn` half-moves a turn.
    pub fn new(limits: &Limits, options: &SearchOptions, us: Color, played: u32, turn: u8) -> Self {
        let mut budget =
            limits.clocks.map_or(Self::ENDLESS, |clocks| Self::from_clocks(&clocks, options, us, played, turn));
        if let Some(movetime) = limits.movetime {
            // A fixed time is kept to as exactly as can be; only a little is left for the way to the client.
            let time = movetime.saturating_sub((movetime / 20).min(5)).max(1);
            if time <= budget.hard {
                budget = Self { soft: time, hard: time, use_all: true };
            }
        }
        budget
    }

    fn from_clocks(clocks: &Clocks, options: &SearchOptions, us: Color, played: u32, turn: u8) -> Self {
        let increment = clocks.increment[us];
        // A client that tells only one clock means it for both.
        let left = clocks.time[us].or(clocks.time[!us]).unwrap_or(0);
        // Whether the increment is in the clock already differs between clients: count on it only if nothing else
        // is there.
        let there = if left + clocks.byoyomi > 0 { left + clocks.byoyomi } else { increment };
        // Nothing is left to play with if the reserve eats up a short time; who asks for a large one means it, though.
        let most = if options.network_delay2 <= LOCAL_DELAY { there * 2 / 5 } else { there * 9 / 10 };
        let reserve = options.network_delay2.min(most);
        let hard_limit = (there - reserve).max(1);
        // The time of one move when the rest of the game gets the same.
        let turns_played = u64::from(played / (2 * u32::from(turn)));
        let turns_left = 45u64.saturating_sub(turns_played / 3).max(18);
        let spendable = left.saturating_sub(reserve);
        let share = spendable / turns_left + increment * 3 / 4;
        let share = share * options.slow_mover / 100;
        let share = if options.ponder { share + share / 4 } else { share };
        if clocks.byoyomi > 0 && share <= clocks.byoyomi {
            // The main time is nearly gone: byoyomi is lost if it is not used.
            let part = (clocks.byoyomi + spendable / 5).min(hard_limit);
            let soft = if spendable <= clocks.byoyomi / 4 { hard_limit } else { part };
            return Self { soft: soft.min(hard_limit), hard: hard_limit.min(part.max(clocks.byoyomi)), use_all: true }
                .at_least(options, hard_limit)
                .rounded(options, hard_limit);
        }
        let soft = (share + clocks.byoyomi).clamp(1, hard_limit);
        let hard = (soft * 5).min(spendable / 4 + clocks.byoyomi + increment).clamp(soft, hard_limit);
        Self { soft, hard, use_all: false }.at_least(options, hard_limit).rounded(options, hard_limit)
    }

    /// `MinimumThinkingTime`, as far as the time is there.
    fn at_least(mut self, options: &SearchOptions, limit: u64) -> Self {
        let least = options.minimum_thinking_time.saturating_sub(options.network_delay).min(limit);
        self.soft = self.soft.max(least);
        self.hard = self.hard.max(self.soft).min(limit);
        self
    }

    /// `RoundUpToFullSecond`: a clock that counts begun seconds gives the rest of the second away.
    fn rounded(mut self, options: &SearchOptions, limit: u64) -> Self {
        if options.round_up {
            let round = |time: u64| {
                (time.saturating_add(options.network_delay)).div_ceil(1000) * 1000 - options.network_delay.min(999)
            };
            self.soft = round(self.soft).min(limit);
            self.hard = round(self.hard).min(limit);
        }
        self
    }
}

/// The running clock of one search, shared by its threads and the protocol.
pub struct Clock {
    /// Set when the search must end.
    stop: AtomicBool,
    /// Set when the client wants the answer whatever it was that it asked for.
    released: AtomicBool,
    /// Whether time does not count yet.
    pondering: AtomicBool,
    /// When the command came.
    begun: Instant,
    /// When our time began to run: at the command, or at `ponderhit`.
    running_since: Mutex<Instant>,
    soft: AtomicU64,
    hard: AtomicU64,
    use_all: AtomicBool,
}

impl Clock {
    /// A clock that begins to run now, or at `ponderhit`.
    pub fn new(begun: Instant, budget: Budget, pondering: bool) -> Self {
        Self {
            stop: AtomicBool::new(false),
            released: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            begun,
            running_since: Mutex::new(begun),
            soft: AtomicU64::new(budget.soft),
            hard: AtomicU64::new(budget.hard),
            use_all: AtomicBool::new(budget.use_all),
        }
    }

    /// The ponder move was played: from now on our time runs.
    pub fn ponderhit(&self, budget: Budget) {
        if let Ok(mut since) = self.running_since.lock() {
            *since = Instant::now();
        }
        self.soft.store(budget.soft, Relaxed);
        self.hard.store(budget.hard, Relaxed);
        self.use_all.store(budget.use_all, Relaxed);
        self.pondering.store(false, Relaxed);
    }

    /// Ends the search, and the wait for the answer with it.
    pub fn stop(&self) {
        self.released.store(true, Relaxed);
        self.pondering.store(false, Relaxed);
        self.stop.store(true, Relaxed);
    }

    /// Ends the search because a limit is reached. The answer may still have to wait for `stop` or `ponderhit`.
    pub fn exhaust(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Whether the client wants the answer whatever it was that it asked for.
    pub fn released(&self) -> bool {
        self.released.load(Relaxed)
    }

    /// Whether the search must end.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether `ponderhit` is still to come.
    #[inline]
    pub fn pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// Milliseconds since the command came.
    pub fn elapsed(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }

    /// Milliseconds of our time used.
    fn running(&self) -> u64 {
        self.running_since.lock().map_or_else(|_| self.elapsed(), |since| since.elapsed().as_millis() as u64)
    }

    /// Stops the search if its time is up.
    pub fn check(&self) {
        if !self.pondering() && self.running() >= self.hard.load(Relaxed) {
            self.exhaust();
        }
    }

    /// Whether another iteration should not begin, the usual time being scaled by `percent`.
    pub fn enough(&self, percent: u64) -> bool {
        if self.pondering() {
            return false;
        }
        let soft = self.soft.load(Relaxed);
        if self.use_all.load(Relaxed) {
            return self.running() >= self.hard.load(Relaxed);
        }
        // What was thought during the enemy's turn counts: the depth is there.
        self.elapsed() >= soft.saturating_mul(percent) / 100
    }

    /// Whether so many percent of the usual time have passed.
    pub fn spent(&self, percent: u64) -> bool {
        let soft = self.soft.load(Relaxed);
        soft != u64::MAX && !self.pondering() && self.running() >= soft.saturating_mul(percent) / 100
    }

    /// Whether there is a limit of time at all.
    pub fn limited(&self) -> bool {
        self.hard.load(Relaxed) != u64::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::ByColor;

    fn budget(left: u64, increment: u64, byoyomi: u64, options: &SearchOptions) -> Budget {
        let clocks = Clocks { time: ByColor([Some(left); 2]), increment: ByColor([increment; 2]), byoyomi };
        let limits = Limits { clocks: Some(clocks), ..Limits::default() };
        Budget::new(&limits, options, Color::Black, 30, 1)
    }

    #[test]
    fn byoyomi_is_used_up() {
        let b = budget(0, 0, 1000, &SearchOptions::default());
        assert!(b.use_all && b.hard >= 900 && b.hard < 1000, "{b:?}");
        let b = budget(0, 0, 100, &SearchOptions::default());
        assert!(b.hard >= 50 && b.hard <= 90, "{b:?}");
    }

    #[test]
    fn nothing_passes_the_time_that_is_there() {
        let greedy = SearchOptions {
            minimum_thinking_time: 20_000,
            round_up: true,
            slow_mover: 1000,
            ponder: true,
            ..SearchOptions::default()
        };
        for options in [SearchOptions::default(), greedy] {
            for left in [0, 1, 50, 300, 2000, 60_000, 3_600_000] {
                for increment in [0, 100, 5000] {
                    for byoyomi in [0, 100, 1000, 30_000] {
                        let b = budget(left, increment, byoyomi, &options);
                        let there = if left + byoyomi > 0 { left + byoyomi } else { increment };
                        if there > 1 {
                            assert!(b.hard < there && b.soft <= b.hard, "{left} {increment} {byoyomi} {b:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn sudden_death_lasts_the_game() {
        let (mut left, mut moves) = (60_000u64, 0);
        while moves < 150 {
            let b = budget(left, 0, 0, &SearchOptions::default());
            left = left.saturating_sub(b.soft + 5);
            moves += 1;
            assert!(left > 0);
        }
    }

    #[test]
    fn delays_and_rounding() {
        let options = SearchOptions { network_delay2: 1120, ..SearchOptions::default() };
        assert_eq!(budget(0, 0, 1000, &options).hard, 100);
        let options =
            SearchOptions { round_up: true, network_delay: 120, network_delay2: 300, ..SearchOptions::default() };
        let b = budget(600_000, 0, 0, &options);
        assert_eq!(b.soft % 1000, 880, "{b:?}");
    }

    #[test]
    fn fixed_time_and_none() {
        let limits = Limits { movetime: Some(100), ..Limits::default() };
        let b = Budget::new(&limits, &SearchOptions::default(), Color::White, 0, 1);
        assert!(b.use_all && b.hard >= 95 && b.hard <= 100);
        let b = Budget::new(&Limits::default(), &SearchOptions::default(), Color::White, 0, 1);
        assert_eq!(b, Budget::ENDLESS);
        // Clocks that say nothing of us leave no time, they are not none.
        let limits = Limits { clocks: Some(Clocks::default()), ..Limits::default() };
        let b = Budget::new(&limits, &SearchOptions::default(), Color::White, 0, 1);
        assert_eq!((b.soft, b.hard), (1, 1));
        let clocks = Clocks { time: ByColor([Some(60_000), None]), ..Clocks::default() };
        let limits = Limits { clocks: Some(clocks), ..Limits::default() };
        let b = Budget::new(&limits, &SearchOptions::default(), Color::White, 0, 1);
        assert!(b.hard > 1000 && b.hard < 60_000);
    }
}
