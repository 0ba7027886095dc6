//! A move as books store it.

use std::fmt;

use crate::board::{Kind, Move};
use crate::turns::{self, Turn};

/// A turn in four bytes: one move, two half-moves, or nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct BookTurn([Move; 2]);

impl BookTurn {
    /// No turn.
    pub const NONE: Self = Self([Move::NONE; 2]);

    /// The first one or two of some half-moves.
    pub fn new(moves: &[Move]) -> Self {
        let nth = |n: usize| moves.get(n).copied().unwrap_or(Move::NONE);
        Self([nth(0), nth(1)])
    }

    /// Reads a token. Whether the game knows turns of two half-moves shows when it is played.
    pub fn parse(token: &str) -> Option<Self> {
        let turn = Turn::parse(token, 2)?;
        Some(Self([turn.first, turn.second.unwrap_or(Move::NONE)]))
    }

    /// Its half-moves in order.
    pub fn moves(&self) -> &[Move] {
        match &self.0 {
            [first, ..] if first.is_none() => &[],
            [first, second] if second.is_none() => std::slice::from_ref(first),
            both => both,
        }
    }

    /// Whether there is nothing to play.
    pub fn is_none(&self) -> bool {
        self.moves().is_empty()
    }

    /// The turn as the other side of the board sees it.
    pub fn rotated(self) -> Self {
        Self(self.0.map(rotated))
    }
}

fn rotated(m: Move) -> Move {
    if m.is_none() {
        return m;
    }
    let to = m.to().rotate();
    match m.from() {
        Some(from) if m.is_promotion() => Move::promotion(from.rotate(), to),
        Some(from) => Move::new(from.rotate(), to),
        None => Move::drop(m.dropped().unwrap_or(Kind::Pawn), to),
    }
}

impl fmt::Display for BookTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() { f.write_str("none") } else { f.write_str(&turns::token(self.moves())) }
    }
}

/// A move of a position in a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// What to play.
    pub turn: BookTurn,
    /// The reply expected, if the book says so.
    pub ponder: BookTurn,
    /// Centipawns for the side to move.
    pub value: i32,
    /// How often it was played.
    pub count: u32,
    /// Depth of the search that valued it, 0 if there was none.
    pub depth: u16,
}

/// A number that may be larger than what it is kept in.
fn number(token: Option<&&str>, default: i64) -> Option<i64> {
    match token {
        None => Some(default),
        Some(token) => token.parse().ok(),
    }
}

impl BookMove {
    /// A move of which nothing is known.
    pub const fn new(turn: BookTurn) -> Self {
        Self { turn, ponder: BookTurn::NONE, value: 0, count: 1, depth: 0 }
    }

    /// Reads `<move> [<ponder> [<value> [<depth> [<count>]]]]`. The turn is none where the book says that there is no
    /// move to play.
    pub fn parse(line: &str) -> Result<Self, &'static str> {
        let tokens: Vec<&str> = line.split_whitespace().collect();
        let turn = |token: Option<&&str>| match token {
            None => Some(BookTurn::NONE),
            Some(token) if ["none", "resign", "win"].iter().any(|word| token.eq_ignore_ascii_case(word)) => {
                Some(BookTurn::NONE)
            }
            Some(token) => BookTurn::parse(token),
        };
        let bad = "has a bad number";
        Ok(Self {
            turn: turn(tokens.first()).ok_or("has a bad move")?,
            ponder: turn(tokens.get(1)).ok_or("has a bad reply")?,
            value: number(tokens.get(2), 0).ok_or(bad)?.clamp(i32::MIN.into(), i32::MAX.into()) as i32,
            depth: number(tokens.get(3), 0).ok_or(bad)?.clamp(0, u16::MAX.into()) as u16,
            count: number(tokens.get(4), 1).ok_or(bad)?.clamp(0, u32::MAX.into()) as u32,
        })
    }

    /// The move as the other side of the board sees it; its value stays, being the mover's.
    pub fn rotated(self) -> Self {
        Self { turn: self.turn.rotated(), ponder: self.ponder.rotated(), ..self }
    }
}

impl fmt::Display for BookMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {} {}", self.turn, self.ponder, self.value, self.depth, self.count)
    }
}

/// One entry a turn: a later one takes the place of an earlier, with the counts of both.
pub(super) fn united(moves: impl IntoIterator<Item = BookMove>) -> Vec<BookMove> {
    let mut list: Vec<BookMove> = Vec::new();
    for m in moves {
        match list.iter_mut().find(|known| known.turn == m.turn) {
            Some(known) => *known = BookMove { count: known.count.saturating_add(m.count), ..m },
            None => list.push(m),
        }
    }
    list
}

/// Best first: by value, then by count, as a book without values lists its most played move first.
pub(super) fn sort(moves: &mut [BookMove]) {
    moves.sort_by_key(|m| std::cmp::Reverse((m.value, m.count, m.depth)));
}
