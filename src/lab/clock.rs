//! How long an engine may think, and its clock during a game.

use std::fmt::Write;
use std::time::Duration;

use crate::board::{ByColor, Color};

/// What limits the thought of an engine; what is `None` or zero does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Control {
    /// Nodes a turn.
    pub nodes: Option<u64>,
    /// Depth in half-moves.
    pub depth: Option<u32>,
    /// Milliseconds a turn.
    pub movetime: Option<u64>,
    /// Milliseconds for the game.
    pub time: u64,
    /// Milliseconds added for each turn.
    pub increment: u64,
    /// Milliseconds for each turn once the time for the game is used up.
    pub byoyomi: u64,
}

impl Control {
    /// Whether there is a limit at all.
    pub fn limits(&self) -> bool {
        self.nodes.is_some() || self.depth.is_some() || self.movetime.is_some() || self.has_clock()
    }

    /// Whether a clock runs from turn to turn.
    pub fn has_clock(&self) -> bool {
        self.time > 0 || self.increment > 0 || self.byoyomi > 0
    }
}

/// A side's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    control: Control,
    left: Duration,
}

impl Clock {
    /// A clock at the start of a game.
    pub fn new(control: Control) -> Self {
        Self { control, left: Duration::from_millis(control.time) }
    }

    /// Time for the turn that begins; `None` if it is not limited. The increment of a turn is there from its start.
    pub fn allowed(&self) -> Option<Duration> {
        let clock = self.control.has_clock().then(|| {
            self.left + Duration::from_millis(self.control.increment) + Duration::from_millis(self.control.byoyomi)
        });
        let fixed = self.control.movetime.map(Duration::from_millis);
        clock.into_iter().chain(fixed).min()
    }

    /// A turn took that long.
    pub fn spend(&mut self, spent: Duration) {
        self.left = (self.left + Duration::from_millis(self.control.increment)).saturating_sub(spent);
    }

    fn milliseconds(&self) -> u128 {
        self.left.as_millis()
    }
}

/// The `go` command for the side to move.
pub fn go(clocks: &ByColor<Clock>, side: Color) -> String {
    let control = &clocks[side].control;
    let mut text = "go".to_owned();
    // Writing to a string does not fail.
    if control.has_clock() {
        let left = |color: Color| {
            let clock = if clocks[color].control.has_clock() { &clocks[color] } else { &clocks[side] };
            clock.milliseconds()
        };
        let _ = write!(text, " btime {} wtime {}", left(Color::Black), left(Color::White));
        if control.increment > 0 {
            let increment = |color: Color| clocks[color].control.increment;
            let _ = write!(text, " binc {} winc {}", increment(Color::Black), increment(Color::White));
        }
        if control.byoyomi > 0 || control.increment == 0 {
            let _ = write!(text, " byoyomi {}", control.byoyomi);
        }
    }
    if let Some(movetime) = control.movetime {
        let _ = write!(text, " movetime {movetime}");
    }
    if let Some(depth) = control.depth {
        let _ = write!(text, " depth {depth}");
    }
    if let Some(nodes) = control.nodes {
        let _ = write!(text, " nodes {nodes}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(control: Control) -> ByColor<Clock> {
        ByColor([Clock::new(control); 2])
    }

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn byoyomi_begins_when_the_time_is_used_up() {
        let mut clocks = both(Control { time: 1000, byoyomi: 200, ..Control::default() });
        assert_eq!(go(&clocks, Color::Black), "go btime 1000 wtime 1000 byoyomi 200");
        assert_eq!(clocks[Color::Black].allowed(), Some(ms(1200)));
        clocks[Color::Black].spend(ms(700));
        assert_eq!(go(&clocks, Color::White), "go btime 300 wtime 1000 byoyomi 200");
        clocks[Color::Black].spend(ms(450));
        assert_eq!(clocks[Color::Black].allowed(), Some(ms(200)));
    }

    #[test]
    fn increments_are_there_from_the_start_of_a_turn_and_add_up() {
        let mut clock = Clock::new(Control { time: 100, increment: 50, ..Control::default() });
        assert_eq!(clock.allowed(), Some(ms(150)));
        clock.spend(ms(20));
        assert_eq!(clock.allowed(), Some(ms(180)));
        clock.spend(ms(180));
        assert_eq!(clock.allowed(), Some(ms(50)));
    }

    #[test]
    fn limits_without_a_clock() {
        let control = Control { nodes: Some(300), depth: Some(5), ..Control::default() };
        assert_eq!(go(&both(control), Color::White), "go depth 5 nodes 300");
        assert_eq!(both(control)[Color::Black].allowed(), None);
        let control = Control { movetime: Some(10), ..Control::default() };
        assert_eq!(go(&both(control), Color::White), "go movetime 10");
        assert_eq!(both(control)[Color::Black].allowed(), Some(ms(10)));
        assert!(!Control::default().limits());
    }

    #[test]
    fn each_side_by_its_own_limits() {
        let timed = Clock::new(Control { time: 500, increment: 10, ..Control::default() });
        let counted = Clock::new(Control { nodes: Some(7), ..Control::default() });
        let clocks = ByColor([timed, counted]);
        assert_eq!(go(&clocks, Color::Black), "go btime 500 wtime 500 binc 10 winc 0");
        assert_eq!(go(&clocks, Color::White), "go nodes 7");
    }
}
