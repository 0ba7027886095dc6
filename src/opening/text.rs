//! The text of a `.db` book, item by item.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::diagram::Diagram;
use crate::game::{Goal, Variant};

use super::lines::Lines;
use super::record::BookMove;

/// The first line of a book.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// What a line says.
pub enum Item<'a> {
    /// A position: its text without the word `sfen`, what it shows, its move number (0 if it has none).
    Position(&'a str, Diagram, u32),
    /// A move of the last position.
    Move(BookMove),
}

/// The game a book says that it is for, in a comment that other programs skip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tag {
    /// The game.
    pub variant: Variant,
    /// Hasami's goal.
    pub goal: Option<Goal>,
}

impl Tag {
    /// The tag of a game; the goal counts in hasami only.
    pub fn new(variant: Variant, goal: Goal) -> Self {
        Self { variant, goal: (variant == Variant::Hasami).then_some(goal) }
    }

    pub(super) fn parse(comment: &str) -> Option<Self> {
        let value = |key: &str| comment.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
        Some(Self { variant: value("variant")?.parse().ok()?, goal: value("goal").and_then(Goal::from_name) })
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "variant={}", self.variant)?;
        self.goal.map_or(Ok(()), |goal| write!(f, " goal={}", goal.name()))
    }
}

/// Lines that could not be used.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Damage {
    /// How many there are.
    pub lines: u64,
    /// The first ones: line number and what is wrong.
    pub first: Vec<(u64, String)>,
}

/// How many damaged lines are named one by one.
const NAMED: usize = 3;

impl Damage {
    fn note(&mut self, number: u64, why: impl fmt::Display) {
        self.lines += 1;
        if self.first.len() < NAMED {
            self.first.push((number, why.to_string()));
        }
    }

    /// What to tell people, a line each.
    pub fn messages(&self) -> Vec<String> {
        let mut messages: Vec<String> =
            self.first.iter().map(|(number, why)| format!("line {number} skipped: {why}")).collect();
        let more = self.lines - self.first.len() as u64;
        if more > 0 {
            messages.push(format!("{more} more damaged lines skipped"));
        }
        messages
    }
}

/// What a book holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Positions, each as often as it is listed.
    pub positions: u64,
    /// Moves.
    pub moves: u64,
    /// Lines that could not be used.
    pub damage: Damage,
    /// The game it is for, if it says so.
    pub tag: Option<Tag>,
    /// Whether the positions are in the order of their text.
    pub sorted: bool,
}

/// Reads what follows `sfen `.
pub(super) fn parse_position(text: &str) -> Result<(Diagram, u32), String> {
    let mut fields: Vec<&str> = text.split_whitespace().collect();
    let step = fields.pop_if(|field| *field == "step=2").map_or(1, |_| 2);
    let [board, side, hands, ref rest @ ..] = *fields.as_slice() else {
        return Err("a position needs board, side to move and hands".to_owned());
    };
    let number = rest.first().copied();
    let read = || {
        let diagram = Diagram::parse(board, side, hands, number)?;
        diagram.check_set()?;
        Ok(diagram)
    };
    let mut diagram = read().map_err(|error: crate::diagram::DiagramError| error.to_string())?;
    diagram.step = step;
    let ply = number.map_or(0, |_| diagram.number);
    Ok((diagram, ply))
}

/// Whether a line is neither position nor move.
pub(super) fn is_comment(line: &str) -> bool {
    line.is_empty() || line.starts_with('#') || line.starts_with("//")
}

/// The text of a position's line.
pub(super) fn position_text(line: &str) -> Option<&str> {
    line.strip_prefix("sfen").filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)).map(str::trim)
}

/// Reads a whole book. Damaged lines are skipped, with the moves of a damaged position.
pub fn read(reader: impl BufRead, mut take: impl FnMut(Item<'_>)) -> io::Result<Summary> {
    let mut summary = Summary { sorted: true, ..Summary::default() };
    let mut lines = Lines::new(reader, 0);
    let mut last = String::new();
    // Before the first position, below a good one, below a damaged one.
    let mut state = None;
    while let Some(line) = lines.next()? {
        let text = line.text.as_ref();
        if is_comment(text) {
            if summary.tag.is_none() {
                summary.tag = Tag::parse(text);
            }
        } else if let Some(position) = position_text(text) {
            summary.sorted &= last.as_str() <= position;
            last.clear();
            last.push_str(position);
            match parse_position(position) {
                Ok((diagram, ply)) => {
                    summary.positions += 1;
                    state = Some(true);
                    take(Item::Position(position, diagram, ply));
                }
                Err(why) => {
                    summary.damage.note(line.number, why);
                    state = Some(false);
                }
            }
        } else {
            match (state, BookMove::parse(text)) {
                (Some(false), _) => {}
                (None, _) => summary.damage.note(line.number, "neither comment nor position"),
                (Some(true), Err(why)) => {
                    summary.damage.note(line.number, format_args!("{:?} {why}", crate::diagram::clip(text)));
                }
                // The book says that there is nothing to play.
                (Some(true), Ok(m)) if m.turn.is_none() => {}
                (Some(true), Ok(m)) => {
                    summary.moves += 1;
                    take(Item::Move(m));
                }
            }
        }
    }
    Ok(summary)
}

/// Reads a book file for what it holds.
pub fn summarise(path: &Path, take: impl FnMut(Item<'_>)) -> io::Result<Summary> {
    read(BufReader::with_capacity(1 << 16, File::open(path)?), take)
}
