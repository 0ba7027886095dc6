//! The rules of a game whose name is only known at run time, as the arbiter of a match needs them.

use crate::board::{Color, Move};
use crate::game::{Game, GameResult, HouseRules, Position, Reason, Variant};
use crate::games::{ForGame, for_game};
use crate::turns::{Turn, play_turn};
use crate::usi::{PositionError, PositionSpec, Table};

/// A game in progress.
pub trait Board: Send {
    /// Whose turn it is.
    fn side(&self) -> Color;

    /// Plays a whole turn, if the token is a legal one; otherwise changes nothing.
    fn play(&mut self, token: &str) -> bool;

    /// How the game has ended on the board.
    fn result(&self) -> Option<GameResult>;

    /// How it ends if the side to move declares a win.
    fn judge_claim(&self) -> GameResult;
}

impl<P: Position> Board for Table<P> {
    fn side(&self) -> Color {
        self.position.side_to_move()
    }

    fn play(&mut self, token: &str) -> bool {
        Turn::parse(token, P::TURN).is_some_and(|turn| {
            let moves: Vec<Move> = turn.moves().collect();
            play_turn(&mut self.position, &moves)
        })
    }

    fn result(&self) -> Option<GameResult> {
        let mover = !self.position.side_to_move();
        // Under the try rule the king's arrival is the declaration.
        if self.position.impasse_winner() == Some(mover) {
            return Some(GameResult { winner: Some(mover), reason: Reason::Declaration });
        }
        Table::result(self)
    }

    fn judge_claim(&self) -> GameResult {
        Table::judge_claim(self)
    }
}

/// The board at a position, given as after the word `position`.
pub fn board(variant: Variant, rules: &HouseRules, position: &str) -> Result<Box<dyn Board>, PositionError> {
    struct SetUp<'a>(PositionSpec, &'a HouseRules);
    impl ForGame for SetUp<'_> {
        type Output = Result<Box<dyn Board>, PositionError>;
        fn run<G: Game>(self) -> Self::Output {
            Ok(Box::new(Table::<G::Position>::set_up(&self.0, self.1)?))
        }
    }
    for_game(variant, SetUp(PositionSpec::parse(position)?, rules))
}
