//! The games of a match on disk: a line a game that any USI engine reads up to the `#`, and from which an interrupted
//! match goes on.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::board::Color;

use super::arbiter::Cost;

/// A game that was played. The engines of a match are 0 and 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// What follows the word `position`, all moves included.
    pub position: String,
    /// The pair it belongs to.
    pub pair: u64,
    /// The engine that played Black.
    pub black: usize,
    /// The winner, `None` for a draw.
    pub winner: Option<Color>,
    /// Why it ended, and details of that.
    pub ending: String,
    /// What each engine has spent.
    pub costs: [Cost; 2],
}

/// The two games from one opening; engine 0 plays Black in the first.
pub type Pair = [Record; 2];

impl Record {
    /// The half points of an engine.
    pub fn half_points(&self, engine: usize) -> usize {
        match self.winner {
            None => 1,
            Some(Color::Black) => 2 * usize::from(self.black == engine),
            Some(Color::White) => 2 * usize::from(self.black != engine),
        }
    }

    /// Turns played, the opening included.
    pub fn turns(&self) -> u64 {
        let list = self.position.split_whitespace().skip_while(|&token| token != "moves").skip(1);
        list.filter(|token| !matches!(*token, "win" | "resign")).count() as u64
    }

    fn read(line: &str) -> Option<Self> {
        let (position, comment) = line.strip_prefix("position ")?.split_once(" # ")?;
        let (fields, ending) = comment.split_once(" ending=")?;
        let fields: BTreeMap<&str, &str> =
            fields.split_whitespace().filter_map(|field| field.split_once('=')).collect();
        let cost = |name| {
            let numbers: Option<Vec<u64>> = fields.get(name)?.split('/').map(|number| number.parse().ok()).collect();
            let [moves, time, depth, nodes] = *numbers?.as_slice() else { return None };
            Some(Cost { moves, time, depth, nodes })
        };
        Some(Self {
            position: position.to_owned(),
            pair: fields.get("pair")?.parse().ok()?,
            black: match *fields.get("black")? {
                "1" => 0,
                "2" => 1,
                _ => return None,
            },
            winner: match *fields.get("winner")? {
                "b" => Some(Color::Black),
                "w" => Some(Color::White),
                "-" => None,
                _ => return None,
            },
            ending: ending.to_owned(),
            costs: [cost("cost1")?, cost("cost2")?],
        })
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let winner = self.winner.map_or('-', Color::letter);
        write!(f, "position {} # pair={} black={} winner={winner}", self.position, self.pair, self.black + 1)?;
        for (Cost { moves, time, depth, nodes }, number) in self.costs.iter().zip(1..) {
            write!(f, " cost{number}={moves}/{time}/{depth}/{nodes}")?;
        }
        write!(f, " ending={}", self.ending)
    }
}

/// Why games cannot be written or read back.
#[derive(Debug, Error)]
pub enum LogError {
    /// The file system.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// The file is of other engines or terms.
    #[error("{0} holds another match; it began as\n{1}\nand this one would as\n{2}")]
    Other(PathBuf, String, String),
}

/// A file of games.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Opens or makes a file for the match that `header`, one line, describes; with the pairs it already holds.
    pub fn open(path: &Path, header: &str) -> Result<(Self, Vec<Pair>), LogError> {
        let failed = |error| LogError::Io(path.to_owned(), error);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        // A line that was cut off by the end of the last run goes.
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        file.set_len(text.len() as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut log = Self { path: path.to_owned(), file };
        let mut lines = text.lines();
        match lines.next().map(|line| line.trim_start_matches("# ")) {
            None => log.write(&format!("# {header}\n"))?,
            Some(old) if old == header => {}
            Some(old) => return Err(LogError::Other(path.to_owned(), old.to_owned(), header.to_owned())),
        }
        let mut games: BTreeMap<u64, [Option<Record>; 2]> = BTreeMap::new();
        for record in lines.filter_map(Record::read) {
            let (pair, black) = (record.pair, record.black);
            games.entry(pair).or_default()[black] = Some(record);
        }
        let complete = |[first, second]: [Option<Record>; 2]| Some([first?, second?]);
        Ok((log, games.into_values().filter_map(complete).collect()))
    }

    /// Opens or makes a file of any text, to add to it.
    pub fn append(path: &Path) -> Result<Self, LogError> {
        let failed = |error| LogError::Io(path.to_owned(), error);
        let file = OpenOptions::new().append(true).create(true).open(path).map_err(failed)?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Adds text at once, so that other readers and the next run see all of it or nothing.
    pub fn write(&mut self, text: &str) -> Result<(), LogError> {
        self.file.write_all(text.as_bytes()).map_err(|error| LogError::Io(self.path.clone(), error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(pair: u64, black: usize) -> Record {
        Record {
            position: "startpos variant=hasami limit=320 moves 9i9e 1a1e resign".to_owned(),
            pair,
            black,
            winner: Some(Color::Black),
            ending: "illegal move \"1a1a ending=#\"".to_owned(),
            costs: [Cost { moves: 1, time: 2, depth: 3, nodes: 4 }, Cost::default()],
        }
    }

    #[test]
    fn a_line_says_everything() {
        for black in [0, 1] {
            let record = record(7, black);
            assert_eq!(Record::read(&record.to_string()), Some(record.clone()));
            assert_eq!(record.turns(), 2);
            assert_eq!([record.half_points(black), record.half_points(1 - black)], [2, 0]);
        }
        assert_eq!(Record::read("position startpos # pair=1"), None);
    }

    #[test]
    fn a_match_goes_on_where_it_stopped() {
        let path = std::env::temp_dir().join(format!("happo-log-{}.usi", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let (mut log, pairs) = Log::open(&path, "one").unwrap();
        assert_eq!(pairs, [] as [Pair; 0]);
        let (first, second) = (record(3, 0), record(3, 1));
        log.write(&format!("{first}\n{second}\n{}\nposition startpos # pa", record(4, 0))).unwrap();
        drop(log);
        assert!(matches!(Log::open(&path, "two"), Err(LogError::Other(..))));
        let (mut log, pairs) = Log::open(&path, "one").unwrap();
        assert_eq!(pairs, [[first, second]]);
        log.write(&format!("{}\n", record(4, 1))).unwrap();
        assert_eq!(Log::open(&path, "one").unwrap().1.len(), 2);
        std::fs::remove_file(&path).unwrap();
    }
}
