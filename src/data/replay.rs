//! Playing a stored game through, position by position.

use thiserror::Error;

use crate::board::{Color, Move};
use crate::diagram::{Diagram, DiagramError};
use crate::game::{HouseRules, Position};

use super::record::{Ending, GameRecord, Ply};

/// Why a stored game cannot be played through.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReplayError {
    /// The start position is none.
    #[error("start position: {0}")]
    Start(#[from] DiagramError),
    /// A move that the rules do not allow.
    #[error("ply {0}: {1} is illegal")]
    Illegal(usize, Move),
    /// The game did not end as it says.
    #[error("the game did not end by {0}")]
    Ending(&'static str),
}

/// A position of a game, the move that was played in it, and what is known of both.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a, P> {
    /// The position, its history included.
    pub position: &'a P,
    /// The move that was played.
    pub m: Move,
    /// Score of the search for the side to move, `None` in the opening.
    pub score: Option<i16>,
    /// Points that the side to move got in the end, in halves: 0, 1 or 2.
    pub half_points: u8,
    /// Plies played before.
    pub ply: usize,
}

impl<P: Position> Moment<'_, P> {
    /// Whether a static value has something to say here: not in check, and the move neither captures nor promotes.
    pub fn is_quiet(&self) -> bool {
        !self.position.in_check() && !self.position.is_capture(self.m) && !self.m.is_promotion()
    }
}

/// A stored game on its way from the first position to the last.
#[derive(Clone, Debug)]
pub struct Replay<'a, P> {
    record: &'a GameRecord,
    position: P,
    ply: usize,
    checked: bool,
}

impl<'a, P: Position> Replay<'a, P> {
    /// Sets the start position up. With `checked` every move must be legal and the end must be what it says;
    /// otherwise the checksum is trusted, which is faster.
    pub fn new(record: &'a GameRecord, rules: &HouseRules, checked: bool) -> Result<Self, ReplayError> {
        Ok(Self { position: start(&record.start, rules)?, record, ply: 0, checked })
    }

    /// The next position, `None` after the last move: the last position has no move and no score.
    #[expect(clippy::should_implement_trait, reason = "what it lends lives in the replay, which no iterator allows")]
    pub fn next(&mut self) -> Result<Option<Moment<'_, P>>, ReplayError> {
        let plies = &self.record.plies;
        if let Some(last) = self.ply.checked_sub(1).and_then(|last| plies.get(last)) {
            self.position.make(last.m, &mut ());
        }
        let Some(&Ply { m, score }) = plies.get(self.ply) else {
            // Asked once more, the last move must not be played again.
            let ended = self.ply > plies.len();
            self.ply = plies.len() + 1;
            return if self.checked && !ended { self.check_end().map(|()| None) } else { Ok(None) };
        };
        if self.checked && (self.position.result().is_some() || !self.position.is_legal(m)) {
            return Err(ReplayError::Illegal(self.ply, m));
        }
        self.ply += 1;
        let side = self.position.side_to_move();
        let half_points = match self.record.winner {
            None => 1,
            Some(winner) => 2 * u8::from(winner == side),
        };
        Ok(Some(Moment { position: &self.position, m, score, half_points, ply: self.ply - 1 }))
    }

    fn check_end(&self) -> Result<(), ReplayError> {
        let Ending::Rules(reason) = self.record.ending else { return Ok(()) };
        let declared: Option<Color> = self.position.impasse_winner();
        let fits = match self.position.result() {
            Some(result) if result.reason == reason => result.winner == self.record.winner,
            _ => reason == crate::game::Reason::Declaration && declared.is_some() && declared == self.record.winner,
        };
        if fits { Ok(()) } else { Err(ReplayError::Ending(reason.name())) }
    }
}

/// The position of a start as records have it.
fn start<P: Position>(text: &str, rules: &HouseRules) -> Result<P, DiagramError> {
    if text.is_empty() {
        return Ok(P::startpos(rules));
    }
    let mut tokens: Vec<&str> = text.split_whitespace().collect();
    let second = tokens.pop_if(|token| *token == "step=2").is_some();
    let [board, side, hands, number] = *tokens.as_slice() else { return Err(DiagramError::Incomplete) };
    let mut diagram = Diagram::parse(board, side, hands, Some(number))?;
    diagram.step = if second { 2 } else { 1 };
    P::from_diagram(&diagram, rules)
}
