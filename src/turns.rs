//! Turns as text: one move, or in flanking two half-moves joined by a comma.

use crate::board::Move;
use crate::game::Position;

/// What a token names: a move, or both halves of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The move, or the first half.
    pub first: Move,
    /// The second half, where the token has one.
    pub second: Option<Move>,
}

impl Turn {
    /// Reads a token; only games of two half-moves a turn know pairs. Says nothing of legality.
    pub fn parse(token: &str, halves: u8) -> Option<Self> {
        match token.split_once(',') {
            None => Some(Self { first: Move::from_usi(token)?, second: None }),
            Some((first, second)) if halves == 2 => {
                Some(Self { first: Move::from_usi(first)?, second: Some(Move::from_usi(second)?) })
            }
            Some(_) => None,
        }
    }

    /// Its half-moves in order.
    pub fn moves(self) -> impl Iterator<Item = Move> {
        std::iter::once(self.first).chain(self.second)
    }
}

/// A line of half-moves as tokens, beginning with the given half of a turn. The last may be half a turn.
pub fn tokens(moves: &[Move], halves: u8, step: u8) -> impl Iterator<Item = String> {
    let lead = usize::from(halves).saturating_sub(usize::from(step) - 1).clamp(1, moves.len().max(1));
    let (first, rest) = moves.split_at_checked(lead).unwrap_or((moves, &[]));
    std::iter::once(first).chain(rest.chunks(usize::from(halves))).filter(|turn| !turn.is_empty()).map(token)
}

/// One turn as a token.
pub fn token(turn: &[Move]) -> String {
    let halves: Vec<String> = turn.iter().map(Move::to_string).collect();
    halves.join(",")
}

/// Plays the half-moves if they are one whole turn, all legal; a first half that ends the game is one. Otherwise
/// leaves the position as it was.
pub fn play_turn<P: Position>(position: &mut P, turn: &[Move]) -> bool {
    let side = position.side_to_move();
    let mut played = 0;
    let whole = !turn.is_empty()
        && turn.iter().all(|&m| {
            let open = (played == 0 || position.step() == 2) && position.is_legal(m);
            if open {
                position.make(m, &mut ());
                played += 1;
            }
            open
        })
        && (P::TURN == 1 || position.step() == 1 && position.side_to_move() != side || !position.has_legal_move());
    if !whole {
        (0..played).for_each(|_| position.unmake());
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<Move> {
        text.split_whitespace().map(|token| Move::from_usi(token).unwrap()).collect()
    }

    fn grouped(text: &str, halves: u8, step: u8) -> String {
        tokens(&line(text), halves, step).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_are_grouped_from_the_half_to_be_played() {
        assert_eq!(grouped("7g7f 3c3d 2g2f", 1, 1), "7g7f 3c3d 2g2f");
        assert_eq!(grouped("7g7f 2g2f 3c3d", 2, 1), "7g7f,2g2f 3c3d");
        assert_eq!(grouped("7g7f 2g2f 3c3d", 2, 2), "7g7f 2g2f,3c3d");
        assert_eq!(grouped("7g7f", 2, 1), "7g7f");
        assert_eq!(grouped("", 2, 1), "");
        assert_eq!(grouped("", 1, 1), "");
    }

    #[test]
    fn pairs_belong_to_games_of_two_halves() {
        assert_eq!(Turn::parse("7g7f,8h2b+", 2).unwrap().moves().count(), 2);
        assert_eq!(Turn::parse("7g7f", 2).unwrap().moves().count(), 1);
        for (token, halves) in [("7g7f,8h2b", 1), ("7g7f,", 2), (",7g7f", 2), ("7g7f,8h2b,1a1b", 2), ("win", 2)] {
            assert_eq!(Turn::parse(token, halves), None, "{token}");
        }
    }
}
