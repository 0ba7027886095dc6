//! What `position` says, and the game it describes.

use thiserror::Error;

use crate::board::{Move, MoveList};
use crate::diagram::{Diagram, DiagramError, clip};
use crate::game::{Claim, GameResult, Goal, HouseRules, Position, Reason, Stage, UnknownVariant, Variant};

use super::turns::Turn;

/// Why a position is refused; names what is wrong, for people.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PositionError {
    /// Neither `startpos` nor `sfen`.
    #[error("position needs startpos or sfen")]
    Start,
    /// An SFEN that is none, or not of this game.
    #[error(transparent)]
    Diagram(#[from] DiagramError),
    /// `variant=` with a name that is no game.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// A key that no game has.
    #[error("unknown key {0}= in position; known are variant, goal, limit, step")]
    Key(String),
    /// A key that this game does not have.
    #[error("{1} has no key {0}=")]
    KeyElsewhere(&'static str, Variant),
    /// A value that the key does not take.
    #[error("unknown value {1:?} for {0}=")]
    Value(&'static str, String),
    /// A move that cannot be played.
    #[error("move {number}, {token:?}, {why}")]
    Move {
        /// Its place in the list, from 1.
        number: usize,
        /// The token.
        token: String,
        /// What is wrong with it.
        why: &'static str,
    },
}

/// A `position` command that can be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PositionSpec {
    /// The diagram, `None` for the start position.
    pub diagram: Option<Diagram>,
    /// The game, where it is said.
    pub variant: Option<Variant>,
    /// Hasami's goal, where it is said.
    pub goal: Option<Goal>,
    /// The move limit, where it is said; 0 for none.
    pub limit: Option<u32>,
    /// The half of a flanking turn that is to be played, where it is said.
    pub step: Option<u8>,
    /// The tokens after `moves`.
    pub moves: Vec<String>,
}

impl PositionSpec {
    /// Reads what follows the word `position`.
    pub fn parse(text: &str) -> Result<Self, PositionError> {
        let mut tokens = text.split_whitespace();
        let head: Vec<&str> = tokens.by_ref().take_while(|&token| token != "moves").collect();
        let mut spec = Self { moves: tokens.map(str::to_owned).collect(), ..Self::default() };
        let rest = match *head.as_slice() {
            ["startpos", ref rest @ ..] => rest,
            ["sfen", board, side, hands, ref rest @ ..] => {
                // The move number may be left out, so that a key follows the hands at once.
                let (number, rest) = match *rest {
                    [number, ref rest @ ..] if !number.contains('=') => (Some(number), rest),
                    _ => (None, rest),
                };
                spec.diagram = Some(Diagram::parse(board, side, hands, number)?);
                rest
            }
            ["sfen", ..] => return Err(DiagramError::Incomplete.into()),
            _ => return Err(PositionError::Start),
        };
        // As everywhere in the protocol, a token that means nothing is skipped; a key promises a meaning.
        for (key, value) in rest.iter().filter_map(|token| token.split_once('=')) {
            spec.set(key, value)?;
        }
        Ok(spec)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), PositionError> {
        let bad = |key| PositionError::Value(key, clip(value));
        match key {
            "variant" => self.variant = Some(value.parse()?),
            "goal" => self.goal = Some(Goal::from_name(value).ok_or(bad("goal"))?),
            "limit" => self.limit = Some(value.parse().map_err(|_| bad("limit"))?),
            "step" => match value {
                "1" => self.step = Some(1),
                "2" => self.step = Some(2),
                _ => return Err(bad("step")),
            },
            _ => return Err(PositionError::Key(clip(key))),
        }
        Ok(())
    }
}

/// A game that has come to a position: by moves, and perhaps by an act of a player that ended it.
#[derive(Clone)]
pub struct Table<P> {
    /// The position after all moves.
    pub position: P,
    /// How a closing `win` or `resign` ended it.
    declared: Option<GameResult>,
}

impl<P: Position> Default for Table<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Position> Table<P> {
    /// The start of a game by the usual rules.
    pub fn new() -> Self {
        Self { position: P::startpos(&HouseRules::default()), declared: None }
    }

    /// Plays what a `position` command says; `rules` hold where it says nothing.
    pub fn set_up(spec: &PositionSpec, rules: &HouseRules) -> Result<Self, PositionError> {
        let variant = P::variant();
        let elsewhere = |key| Err(PositionError::KeyElsewhere(key, variant));
        if spec.goal.is_some() && variant != Variant::Hasami {
            return elsewhere("goal");
        }
        if spec.step.is_some() && P::TURN == 1 {
            return elsewhere("step");
        }
        let rules = HouseRules {
            goal: spec.goal.unwrap_or(rules.goal),
            move_limit: spec.limit.unwrap_or(rules.move_limit),
            ..*rules
        };
        let position = match (&spec.diagram, spec.step) {
            (None, None | Some(1)) => P::startpos(&rules),
            (diagram, step) => {
                let mut diagram = diagram.clone().unwrap_or_else(|| P::startpos(&rules).diagram());
                diagram.step = step.unwrap_or(1);
                P::from_diagram(&diagram, &rules)?
            }
        };
        let mut table = Self { position, declared: None };
        for (token, number) in spec.moves.iter().zip(1..) {
            table.play(token).map_err(|why| PositionError::Move { number, token: clip(token), why })?;
        }
        Ok(table)
    }

    fn play(&mut self, token: &str) -> Result<(), &'static str> {
        if self.declared.is_some() {
            return Err("comes after the end of the game");
        }
        match token {
            "win" => self.declared = Some(self.judge_claim()),
            "resign" => {
                let winner = Some(!self.position.side_to_move());
                self.declared = Some(GameResult { winner, reason: Reason::Resignation });
            }
            _ => {
                let turn = Turn::parse(token, P::TURN).ok_or("is not a move")?;
                if turn.second.is_some() && self.position.step() == 2 {
                    return Err("is a whole turn where only the second half is to be played");
                }
                for m in turn.moves() {
                    self.play_move(m)?;
                }
            }
        }
        Ok(())
    }

    /// Clients play on after repetition and move limits, so only a game that has no legal move left is over here.
    fn play_move(&mut self, m: Move) -> Result<(), &'static str> {
        if self.position.is_legal(m) {
            self.position.make(m, &mut ());
            Ok(())
        } else if self.position.has_legal_move() {
            Err("is illegal")
        } else {
            Err("comes after the end of the game")
        }
    }

    /// What becomes of a declaration or claim by the side to move.
    pub fn judge_claim(&self) -> GameResult {
        let side = self.position.side_to_move();
        match self.claim() {
            Some(Claim::Win) => GameResult { winner: Some(side), reason: Reason::Declaration },
            Some(Claim::Draw) => GameResult { winner: None, reason: Reason::Declaration },
            None => GameResult { winner: Some(!side), reason: Reason::IllegalDeclaration },
        }
    }

    /// What the side to move may claim.
    pub fn claim(&self) -> Option<Claim> {
        self.position.impasse().and_then(|impasse| impasse.claim)
    }

    /// How the game has ended. What the rules say comes before what the players do after it.
    pub fn result(&self) -> Option<GameResult> {
        self.position.result().or(self.declared)
    }

    /// Whether there is nothing left to play: decided on the board or by a player. Draws by repetition or move limit
    /// are the arbiter's affair; who asks for a move then gets one.
    pub fn over(&self) -> Option<GameResult> {
        self.result().filter(|result| {
            self.declared.is_some()
                || !matches!(result.reason, Reason::Repetition | Reason::PerpetualCheck | Reason::MoveLimit)
        })
    }

    /// The legal moves (half-moves in flanking) as text, in order; none once the game has a result.
    pub fn legal(&self) -> Vec<String> {
        let mut list = MoveList::new();
        if self.result().is_none() {
            self.position.generate(Stage::All, &mut list);
        }
        let mut legal: Vec<String> = list.iter().map(Move::to_string).collect();
        legal.sort_unstable();
        legal
    }
}
