//! One game between two engines, judged.

use std::fmt;
use std::time::Duration;

use crate::board::{ByColor, Color};
use crate::game::{GameResult, Reason};

use super::clock::{self, Clock, Control};
use super::engine::{Answer, Engine, Fault};
use super::referee::Board;

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// By the rules, or by an act of a player.
    Rules(Reason),
    /// The turn took too long.
    Time,
    /// That move cannot be played.
    IllegalMove(String),
    /// The engine fell out.
    Fault(Fault),
    /// Both engines agree that it is decided, or that nothing happens any more.
    Adjudication,
}

impl Ending {
    /// The name of its kind.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Rules(reason) => reason.name(),
            Self::Time => "time",
            Self::IllegalMove(_) => "illegal move",
            Self::Fault(Fault::Died) => "died",
            Self::Fault(Fault::Silent) => "no answer",
            Self::Fault(Fault::Flood) => "flood",
            Self::Fault(Fault::Unasked) => "unasked answer",
            Self::Adjudication => "adjudication",
        }
    }

    /// Whether an engine did what no engine may do.
    pub const fn is_failure(&self) -> bool {
        matches!(
            self,
            Self::Time
                | Self::IllegalMove(_)
                | Self::Fault(_)
                | Self::Rules(Reason::IllegalDeclaration | Reason::PerpetualCheck)
        )
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IllegalMove(token) => write!(f, "illegal move {token:?}"),
            _ => f.write_str(self.name()),
        }
    }
}

/// When the scores that the engines tell end a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Adjudication {
    /// A game is won once both engines see a lead of that many centipawns for [`Self::PATIENCE`] turns; 0 for never.
    pub resign_score: u32,
    /// From that turn on a game is drawn once both see less than [`Self::draw_score`]; 0 for never.
    pub draw_after: u32,
    /// The lead that does not count as one.
    pub draw_score: u32,
}

impl Adjudication {
    /// Consecutive turns, of both sides together, for which the scores have to say the same.
    pub const PATIENCE: u32 = 8;
}

/// What an engine's moves have cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Answers.
    pub moves: u64,
    /// Microseconds for all of them.
    pub time: u64,
    /// Sum of the depths reached.
    pub depth: u64,
    /// Nodes.
    pub nodes: u64,
}

impl Cost {
    fn enter(&mut self, answer: &Answer) {
        self.moves += 1;
        self.time += answer.time.as_micros() as u64;
        self.depth += u64::from(answer.thought.depth);
        self.nodes += answer.thought.nodes;
    }

    /// Adds the costs of another game.
    pub fn add(&mut self, other: &Self) {
        self.moves += other.moves;
        self.time += other.time;
        self.depth += other.depth;
        self.nodes += other.nodes;
    }
}

/// What a game was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// All turns after the opening; the last may be `win` or `resign`.
    pub moves: Vec<String>,
    /// The winner, `None` for a draw.
    pub winner: Option<Color>,
    /// Why.
    pub ending: Ending,
    /// What each side has spent.
    pub costs: ByColor<Cost>,
}

/// The terms of all games of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// By how much a turn may take too long.
    pub margin: Duration,
    /// Longest wait for a turn whose time is not limited.
    pub patience: Duration,
    /// Ends by the scores.
    pub adjudication: Adjudication,
}

/// How long the scores have said the same.
#[derive(Default)]
struct Opinions {
    turn: u32,
    /// Turns for which that side has been thought to win.
    decided: Option<(Color, u32)>,
    level: u32,
}

impl Opinions {
    /// Enters what the side that has moved says; tells the winner (or a draw) once all have agreed for long enough.
    fn enter(&mut self, side: Color, score: Option<i32>, terms: &Adjudication) -> Option<Option<Color>> {
        self.turn += 1;
        let Some(score) = score else {
            self.decided = None;
            self.level = 0;
            return None;
        };
        let size = score.unsigned_abs();
        if terms.resign_score > 0 && size >= terms.resign_score {
            let winner = if score > 0 { side } else { !side };
            let before = self.decided.filter(|&(other, _)| other == winner).map_or(0, |(_, turns)| turns);
            self.decided = Some((winner, before + 1));
            if before + 1 >= Adjudication::PATIENCE {
                return Some(Some(winner));
            }
        } else {
            self.decided = None;
        }
        self.level = if size <= terms.draw_score { self.level + 1 } else { 0 };
        (terms.draw_after > 0 && self.turn >= terms.draw_after && self.level >= Adjudication::PATIENCE).then_some(None)
    }
}

/// Plays a game from a position, given as it follows the word `position` and already on the board. Both engines must
/// be ready for a new game.
pub fn play(
    board: &mut dyn Board,
    position: &str,
    mut engines: ByColor<&mut Engine<'_>>,
    controls: &ByColor<Control>,
    terms: &Terms,
) -> Played {
    let mut text = position.to_owned();
    if !text.split_whitespace().any(|token| token == "moves") {
        text.push_str(" moves");
    }
    let mut clocks = ByColor(controls.0.map(Clock::new));
    let mut opinions = Opinions::default();
    let mut moves = Vec::new();
    let mut costs: ByColor<Cost> = ByColor::default();
    let (winner, ending) = loop {
        if let Some(GameResult { winner, reason }) = board.result() {
            break (winner, Ending::Rules(reason));
        }
        let side = board.side();
        let allowed = clocks[side].allowed();
        let wait = allowed.map_or(terms.patience, |allowed| allowed + terms.margin);
        // Some engines do not like an empty list.
        let question = text.strip_suffix(" moves").unwrap_or(&text);
        let answer = match engines[side].ask(question, &clock::go(&clocks, side), wait) {
            Ok(answer) => answer,
            Err(fault) => break (Some(!side), Ending::Fault(fault)),
        };
        costs[side].enter(&answer);
        if answer.time > wait {
            break (Some(!side), Ending::Time);
        }
        clocks[side].spend(answer.time);
        match answer.token.as_str() {
            "resign" => {
                moves.push(answer.token);
                break (Some(!side), Ending::Rules(Reason::Resignation));
            }
            "win" => {
                moves.push(answer.token);
                let GameResult { winner, reason } = board.judge_claim();
                break (winner, Ending::Rules(reason));
            }
            token if board.play(token) => {
                text.push(' ');
                text.push_str(token);
                moves.push(answer.token);
            }
            _ => break (Some(!side), Ending::IllegalMove(answer.token)),
        }
        let agreed = opinions.enter(side, answer.thought.score, &terms.adjudication);
        if let Some(winner) = agreed.filter(|_| board.result().is_none()) {
            break (winner, Ending::Adjudication);
        }
    };
    Played { moves, winner, ending, costs }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: Adjudication = Adjudication { resign_score: 1000, draw_after: 20, draw_score: 10 };

    /// Enters scores of both sides in turn and says after how many of them the game ends, and how.
    fn end(scores: impl IntoIterator<Item = i32>) -> Option<(usize, Option<Color>)> {
        let mut opinions = Opinions::default();
        let sides = Color::ALL.into_iter().cycle();
        let mut all = scores.into_iter().zip(sides).zip(1..);
        all.find_map(|((score, side), turn)| Some((turn, opinions.enter(side, Some(score), &TERMS)?)))
    }

    #[test]
    fn a_game_is_decided_when_both_say_so() {
        assert_eq!(end([1000, -1000].repeat(4)), Some((8, Some(Color::Black))));
        assert_eq!(end([-31000, 2000].repeat(9)), Some((8, Some(Color::White))));
        assert_eq!(end([1000, -999].repeat(40)), None);
        assert_eq!(end([1000, 1000].repeat(40)), None);
    }

    #[test]
    fn a_game_is_level_only_after_a_while() {
        assert_eq!(end([0, 10].repeat(20)), Some((20, None)));
        assert_eq!(end([0, 11].repeat(20)), None);
    }
}
