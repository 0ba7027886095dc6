//! SFEN: a diagram as text, read and written the same way for all games.
//!
//! [`Diagram`] holds what the text says and nothing more; each game judges whether the diagram is one of its own.

use std::fmt;

use thiserror::Error;

use crate::board::{ByColor, Color, Kind, Piece, Square};

/// Why a diagram is refused. The message names what is wrong, for people.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DiagramError {
    /// Fewer than board, side and hands.
    #[error("SFEN needs board, side to move and hands")]
    Incomplete,
    /// Not nine ranks.
    #[error("SFEN board has {0} ranks, not 9")]
    RankCount(usize),
    /// A rank that is not nine squares wide.
    #[error("SFEN rank {0} is {1} squares wide, not 9")]
    RankWidth(char, usize),
    /// A character that means nothing on the board.
    #[error("SFEN board has an unknown character {0:?}")]
    BoardCharacter(char),
    /// `+` before a king, a gold or nothing.
    #[error("SFEN board promotes {0:?}, which cannot be promoted")]
    Promotion(char),
    /// Side to move neither b nor w.
    #[error("SFEN side to move is {0:?}, not b or w")]
    Side(String),
    /// A hand field that cannot be read.
    #[error("SFEN hands {0:?} cannot be read")]
    Hands(String),
    /// A move number that is none.
    #[error("SFEN move number {0:?} is not a number from 1 to 1000000")]
    MoveNumber(String),
    /// More pieces of a kind than a set has.
    #[error("{found} pieces of kind {kind} where a set has {limit}")]
    TooMany {
        /// Letter of the kind.
        kind: char,
        /// Number on the board and in the hands.
        found: u32,
        /// Number in a set.
        limit: u32,
    },
    /// Two kings of one side.
    #[error("{0} has {1} kings")]
    Kings(&'static str, u32),
    /// Flanking: a side without a king.
    #[error("{0} has no king")]
    NoKing(&'static str),
    /// A pawn, lance or knight that could never move.
    #[error("the {piece} on {square} could never move")]
    DeadPiece {
        /// The piece as SFEN writes it.
        piece: Piece,
        /// Where it stands.
        square: Square,
    },
    /// Two unpromoted pawns of a side on a file.
    #[error("nifu: {0} has two pawns on file {1}")]
    Nifu(&'static str, i8),
    /// The side that has just moved stands in check.
    #[error("{0} is in check but it is not its turn")]
    CheckedOutOfTurn(&'static str),
    /// Hasami knows pawns only.
    #[error("hasami has no piece {0}")]
    NotHasami(Piece),
    /// Hasami captures that do not go with the board.
    #[error("hasami: {0} cannot have captured {1} with {2} enemy pieces on the board")]
    Captures(&'static str, u32, u32),
    /// `step=` in a game of one move a turn, or a value other than 1 and 2.
    #[error("step={0} is not a half of a turn here")]
    Step(u8),
}

/// `Black` or `White`, for messages.
pub(crate) const fn side_name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

/// Largest move number accepted.
const MAX_NUMBER: u32 = 1_000_000;

/// What an SFEN says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// The piece on each square, by square number.
    pub board: [Option<Piece>; Square::COUNT],
    /// Pieces in hand by kind index; in hasami the pawns are the captures made.
    pub hands: ByColor<[u32; 7]>,
    /// Whether the hand field was `-`.
    pub hands_omitted: bool,
    /// Side to move.
    pub side: Color,
    /// Move number, 1 for the first move.
    pub number: u32,
    /// Which half of a flanking turn is to be played, 1 or 2; 1 in the other games.
    pub step: u8,
}

impl Diagram {
    /// Pieces of a shogi set by kind index, kings left out.
    pub const SET: [u32; 7] = [18, 4, 4, 4, 2, 2, 4];

    /// Reads the fields of an SFEN: board, side, hands and, if given, the move number.
    pub fn parse(board: &str, side: &str, hands: &str, number: Option<&str>) -> Result<Self, DiagramError> {
        let side = match side {
            "b" => Color::Black,
            "w" => Color::White,
            other => return Err(DiagramError::Side(clip(other))),
        };
        let number = match number {
            None => 1,
            Some(text) => text
                .parse()
                .ok()
                .filter(|&number: &u32| number <= MAX_NUMBER)
                .ok_or_else(|| DiagramError::MoveNumber(clip(text)))?
                .max(1),
        };
        Ok(Self {
            board: parse_board(board)?,
            hands: parse_hands(hands)?,
            hands_omitted: hands == "-",
            side,
            number,
            step: 1,
        })
    }

    /// Number of pieces of an unpromoted kind, promoted ones included, on the board and in both hands.
    pub fn total(&self, kind: Kind) -> u32 {
        let on_board = self.board.iter().flatten().filter(|piece| piece.kind().unpromoted() == kind).count() as u32;
        let held = if kind == Kind::King { 0 } else { self.hands.0.iter().map(|hand| hand[kind.index()]).sum() };
        on_board + held
    }

    /// Refuses more pieces than a shogi set has, or two kings of a side.
    pub fn check_set(&self) -> Result<(), DiagramError> {
        for color in Color::ALL {
            let king = Piece::new(color, Kind::King);
            let kings = self.board.iter().filter(|&&piece| piece == Some(king)).count() as u32;
            if kings > 1 {
                return Err(DiagramError::Kings(side_name(color), kings));
            }
        }
        for (kind, limit) in Kind::HAND.into_iter().zip(Self::SET) {
            let found = self.total(kind);
            if found > limit {
                return Err(DiagramError::TooMany { kind: kind.letter(), found, limit });
            }
        }
        Ok(())
    }

    /// Refuses two unpromoted pawns of a side on a file.
    pub fn check_nifu(&self) -> Result<(), DiagramError> {
        for color in Color::ALL {
            let pawn = Some(Piece::new(color, Kind::Pawn));
            for (file, column) in self.board.chunks(9).enumerate() {
                if column.iter().filter(|&&piece| piece == pawn).count() > 1 {
                    return Err(DiagramError::Nifu(side_name(color), file as i8 + 1));
                }
            }
        }
        Ok(())
    }
}

/// The first characters of a bad token: messages stay short whatever was sent.
pub(crate) fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}

fn parse_board(text: &str) -> Result<[Option<Piece>; Square::COUNT], DiagramError> {
    let rows = text.split('/').count();
    if rows != 9 {
        return Err(DiagramError::RankCount(rows));
    }
    let mut board = [None; Square::COUNT];
    for (row, rank) in text.split('/').zip(1..) {
        let letter = (b'a' + rank as u8 - 1) as char;
        let mut width = 0;
        let mut promoted = false;
        for c in row.chars() {
            if promoted && !c.is_ascii_alphabetic() {
                return Err(DiagramError::Promotion(c));
            }
            if let Some(gap) = c.to_digit(10) {
                if gap == 0 {
                    return Err(DiagramError::BoardCharacter(c));
                }
                width += gap as usize;
            } else if c == '+' {
                promoted = true;
            } else {
                let kind = u8::try_from(c)
                    .ok()
                    .and_then(|byte| Kind::from_letter(byte.to_ascii_uppercase()))
                    .ok_or(DiagramError::BoardCharacter(c))?;
                let kind = if promoted { kind.promoted().ok_or(DiagramError::Promotion(c))? } else { kind };
                promoted = false;
                let color = if c.is_ascii_uppercase() { Color::Black } else { Color::White };
                if let Some(square) = Square::new(9 - width.min(9) as i8, rank) {
                    board[square.index()] = Some(Piece::new(color, kind));
                }
                width += 1;
            }
        }
        if promoted {
            return Err(DiagramError::Promotion('/'));
        }
        if width != 9 {
            return Err(DiagramError::RankWidth(letter, width));
        }
    }
    Ok(board)
}

fn parse_hands(text: &str) -> Result<ByColor<[u32; 7]>, DiagramError> {
    let mut hands = ByColor([[0; 7]; 2]);
    if text == "-" {
        return Ok(hands);
    }
    let bad = || DiagramError::Hands(clip(text));
    let mut count: Option<u32> = None;
    for c in text.chars() {
        if let Some(digit) = c.to_digit(10) {
            // Three digits are beyond any set: refuse before they can overflow.
            let value = count.unwrap_or(0) * 10 + digit;
            if value == 0 || value > 999 {
                return Err(bad());
            }
            count = Some(value);
            continue;
        }
        let byte = u8::try_from(c).map_err(|_| bad())?;
        let kind = Kind::from_letter(byte.to_ascii_uppercase()).filter(|&kind| kind != Kind::King).ok_or_else(bad)?;
        let color = if byte.is_ascii_uppercase() { Color::Black } else { Color::White };
        let held = &mut hands[color][kind.index()];
        *held = (*held + count.take().unwrap_or(1)).min(9999);
    }
    if count.is_some() || text.is_empty() {
        return Err(bad());
    }
    Ok(hands)
}

impl fmt::Display for Diagram {
    /// The plain four fields, hands in the usual order R B G S N L P, and ` step=2` where it holds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in 1..=9 {
            if rank > 1 {
                f.write_str("/")?;
            }
            let mut gap = 0;
            for file in (1..=9).rev() {
                match Square::new(file, rank).and_then(|square| self.board[square.index()]) {
                    None => gap += 1,
                    Some(piece) => {
                        if gap > 0 {
                            write!(f, "{gap}")?;
                            gap = 0;
                        }
                        write!(f, "{piece}")?;
                    }
                }
            }
            if gap > 0 {
                write!(f, "{gap}")?;
            }
        }
        write!(f, " {} ", self.side.letter())?;
        let mut any = false;
        for color in Color::ALL {
            for kind in Kind::HAND_SFEN {
                let count = self.hands[color][kind.index()];
                if count > 0 {
                    any = true;
                    if count > 1 {
                        write!(f, "{count}")?;
                    }
                    write!(f, "{}", Piece::new(color, kind))?;
                }
            }
        }
        if !any {
            f.write_str("-")?;
        }
        write!(f, " {}", self.number)?;
        if self.step == 2 {
            f.write_str(" step=2")?;
        }
        Ok(())
    }
}
