//! From files of positions to a file of games.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use crate::data::file::DataError;
use crate::data::header::Header;
use crate::data::record::{Ending, GameRecord, Ply};
use crate::game::{Game, HouseRules, Position, Variant};
use crate::shogi::Shogi;

use super::{Entry, Format, PackedError, create};

/// How many records that were refused are named.
const NAMED: usize = 10;

/// Records between two reports of progress.
const STRIDE: u64 = 1024;

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Imported {
    /// Records looked at.
    pub records: u64,
    /// Positions written, each as a game.
    pub positions: u64,
    /// Records left out because something is wrong with them.
    pub refused: u64,
    /// What is wrong with the first of these. Records are counted from 0, file by file.
    pub complaints: Vec<String>,
}

impl Imported {
    /// The same as one line of JSON.
    pub fn json(&self) -> String {
        format!("{{\"records\":{},\"positions\":{},\"refused\":{}}}", self.records, self.positions, self.refused)
    }
}

/// The head of a file of imported positions: nothing is known of who searched them.
fn header(format: Format) -> Header {
    Header {
        variant: Variant::Shogi,
        rules: HouseRules::default(),
        soft_nodes: 0,
        hard_nodes: 0,
        program: 0,
        network: 0,
        version: format!("imported {format}"),
    }
}

/// Writes files of positions as a new file of games, every record as a game of one move that is adjudicated to the
/// record's result. The number of such a game is that of the record, and the seed follows from the bytes of the file.
/// Where there is no position no file is left. `progress` is told the bytes read.
pub fn import(
    paths: &[PathBuf],
    format: Format,
    out: &Path,
    progress: &mut dyn FnMut(u64, &Imported),
) -> Result<Imported, DataError> {
    let failed = |error| DataError::Io(out.to_owned(), error);
    let mut imported = Imported::default();
    create(out, |file| {
        file.write_all(&header(format).to_bytes()).map_err(failed)?;
        let mut before = 0;
        for path in paths {
            let unread = |error| DataError::Io(path.clone(), error);
            let (size, seed) = seed(path).map_err(unread)?;
            let mut source = BufReader::new(File::open(path).map_err(unread)?);
            let mut bytes = Vec::with_capacity(format.size());
            for number in 0.. {
                bytes.clear();
                source.by_ref().take(format.size() as u64).read_to_end(&mut bytes).map_err(unread)?;
                if bytes.is_empty() {
                    break;
                }
                imported.records += 1;
                match read(format, &bytes, seed, number) {
                    Ok(game) => {
                        let game = game.to_bytes().ok_or_else(|| DataError::TooLong(out.to_owned()))?;
                        file.write_all(&game).map_err(failed)?;
                        imported.positions += 1;
                    }
                    Err(error) => {
                        imported.refused += 1;
                        if imported.complaints.len() < NAMED {
                            imported.complaints.push(format!("{}: record {number}: {error}", path.display()));
                        }
                    }
                }
                if number % STRIDE == 0 {
                    progress(before + number * format.size() as u64, &imported);
                }
            }
            before += size;
        }
        Ok(imported.positions > 0)
    })?;
    Ok(imported)
}

/// A record as a game.
fn read(format: Format, bytes: &[u8], seed: u64, number: u64) -> Result<GameRecord, PackedError> {
    let entry = format.from_bytes(bytes)?;
    let position = entry.position()?;
    let Entry { m, score, winner, .. } = entry;
    let usual = <Shogi as Game>::Position::startpos(position.rules()).diagram();
    Ok(GameRecord {
        seed: seed.wrapping_add(number >> 32),
        number: number as u32,
        start: if entry.diagram == usual { String::new() } else { entry.diagram.to_string() },
        plies: vec![Ply::new(m, score.into())],
        winner,
        ending: Ending::Adjudicated,
        played_out: false,
    })
}

/// The size of a file, and a number that tells it from others and from the seeds that people choose.
fn seed(path: &Path) -> io::Result<(u64, u64)> {
    let mut file = File::open(path)?;
    let mut sum = crc32fast::Hasher::new();
    let mut bytes = vec![0; 1 << 16];
    let mut size = 0;
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok((size, size << 32 | u64::from(sum.finalize()))),
            count => {
                sum.update(&bytes[..count]);
                size += count as u64;
            }
        }
    }
}
