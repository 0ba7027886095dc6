//! Files of games: reading, going on with them, and joining them.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::game::Variant;

use super::header::{Header, HeaderError};
use super::record::{GameRecord, MARKER};

/// The extension of files of games.
pub const EXTENSION: &str = "games";

/// Why games cannot be written or read back.
#[derive(Debug, Error)]
pub enum DataError {
    /// The file system.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// The file does not begin as it should.
    #[error("{0}: {1}")]
    Header(PathBuf, HeaderError),
    /// The file's games were played under other settings.
    #[error("{0} holds games of other settings: it says {1:?}, wanted is {2:?}")]
    Settings(PathBuf, Box<Header>, Box<Header>),
    /// Games that other programs have no format for.
    #[error("{0} holds games of {1}, and only those of shogi can be packed")]
    Variant(PathBuf, Variant),
    /// A game that the format has no room for.
    #[error("{0}: a game is too long to be written")]
    TooLong(PathBuf),
}

/// The games in the bytes of a file, one after another.
#[derive(Clone, Debug)]
pub struct Games<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    damaged: u64,
}

impl<'a> Games<'a> {
    /// The games behind the header.
    pub fn new(bytes: &'a [u8]) -> Self {
        let at = Header::SIZE.min(bytes.len());
        Self { bytes, at, end: at, damaged: 0 }
    }

    /// Stretches of damage met so far.
    pub const fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Where the last game that was read ends.
    pub const fn end(&self) -> usize {
        self.end
    }
}

impl Iterator for Games<'_> {
    type Item = GameRecord;

    fn next(&mut self) -> Option<GameRecord> {
        let mut skipped = false;
        while let Some(rest) = self.bytes.get(self.at..).filter(|rest| !rest.is_empty()) {
            if let Some((record, size)) = GameRecord::from_bytes(rest) {
                self.damaged += u64::from(skipped);
                self.at += size;
                self.end = self.at;
                return Some(record);
            }
            skipped = true;
            let next = rest.windows(MARKER.len()).skip(1).position(|window| window == MARKER);
            self.at = next.map_or(self.bytes.len(), |distance| self.at + 1 + distance);
        }
        self.damaged += u64::from(skipped);
        None
    }
}

/// A whole file in memory.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its settings.
    pub header: Header,
    bytes: Vec<u8>,
}

impl Stored {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, DataError> {
        let bytes = fs::read(path).map_err(|error| DataError::Io(path.to_owned(), error))?;
        let header = Header::from_bytes(&bytes).map_err(|error| DataError::Header(path.to_owned(), error))?;
        Ok(Self { header, bytes })
    }

    /// Bytes of the whole file.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// CRC-32 of the whole file.
    pub fn crc32(&self) -> u32 {
        crc32fast::hash(&self.bytes)
    }

    /// Its games.
    pub fn games(&self) -> Games<'_> {
        Games::new(&self.bytes)
    }
}

/// A file to which games are added. Nobody else writes to it meanwhile.
#[derive(Debug)]
pub struct GameFile {
    path: PathBuf,
    file: File,
}

impl GameFile {
    /// Makes a file or opens the one that is there, with the games it already holds; a game that was cut off goes.
    /// `None` if another process writes to it.
    pub fn open(path: &Path, header: &Header) -> Result<Option<(Self, Vec<GameRecord>)>, DataError> {
        let failed = |error| DataError::Io(path.to_owned(), error);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let head = header.to_bytes();
        if head.starts_with(&bytes) {
            // New, or given up before its header was complete.
            file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&head)).map_err(failed)?;
            return Ok(Some((Self { path: path.to_owned(), file }, Vec::new())));
        }
        let found = Header::from_bytes(&bytes).map_err(|error| DataError::Header(path.to_owned(), error))?;
        if found != *header {
            return Err(DataError::Settings(path.to_owned(), found.into(), header.clone().into()));
        }
        let mut games = Games::new(&bytes);
        let records = games.by_ref().collect();
        file.set_len(games.end() as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Some((Self { path: path.to_owned(), file }, records)))
    }

    /// Adds a game, all at once.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), DataError> {
        let bytes = record.to_bytes().ok_or_else(|| DataError::TooLong(self.path.clone()))?;
        self.file.write_all(&bytes).map_err(|error| DataError::Io(self.path.clone(), error))
    }
}

/// Files as they are, and instead of folders the files of games in them, by name.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, DataError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let failed = |error| DataError::Io(path.clone(), error);
        let mut inside = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?.path();
            if entry.extension().is_some_and(|extension| extension == EXTENSION) {
                inside.push(entry);
            }
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// What came of a merger.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Merged {
    /// Games written.
    pub games: u64,
    /// Games left out because they were there already.
    pub duplicates: u64,
    /// Stretches of damage left out.
    pub damaged: u64,
}

/// Writes the games of several files of the same settings to a new one, each game once.
pub fn merge(paths: &[PathBuf], out: &Path) -> Result<Merged, DataError> {
    let failed = |error| DataError::Io(out.to_owned(), error);
    let mut merged = Merged::default();
    let mut seen = HashSet::new();
    let mut target: Option<(Header, io::BufWriter<File>)> = None;
    for path in paths {
        let stored = Stored::read(path)?;
        if target.is_none() {
            let mut file = io::BufWriter::new(File::create_new(out).map_err(failed)?);
            file.write_all(&stored.header.to_bytes()).map_err(failed)?;
            target = Some((stored.header.clone(), file));
        }
        let Some((header, file)) = &mut target else { continue };
        if stored.header != *header {
            return Err(DataError::Settings(path.clone(), stored.header.into(), header.clone().into()));
        }
        let mut games = stored.games();
        for record in games.by_ref() {
            if !seen.insert((record.seed, record.number)) {
                merged.duplicates += 1;
                continue;
            }
            let bytes = record.to_bytes().ok_or_else(|| DataError::TooLong(path.clone()))?;
            file.write_all(&bytes).map_err(failed)?;
            merged.games += 1;
        }
        merged.damaged += games.damaged();
    }
    if let Some((_, mut file)) = target {
        file.flush().map_err(failed)?;
    }
    Ok(merged)
}
