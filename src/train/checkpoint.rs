//! Training runs on disk, to be gone on with.
//!
//! `HAPPOTRN`, a u16 version, the length of a JSON text as u32, the text ([`State`]), the net's parameters with their
//! moments as f32 in the order of [`Model::groups`], and a CRC-32 of everything before. Little-endian.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::model::Model;
use super::report::Row;
use super::settings::Settings;
use super::source::DataFile;

const MAGIC: &[u8; 8] = b"HAPPOTRN";
const VERSION: u16 = 1;

/// How far a run has come.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Epochs done.
    pub epoch: u32,
    /// Parts of the next epoch done.
    pub part: usize,
    /// Batches of the next part done.
    pub batch: usize,
    /// Steps of the optimiser.
    pub steps: u64,
    /// Positions gone through in this epoch.
    pub positions: u64,
    /// Sum of their losses.
    pub loss: f64,
    /// Seconds spent.
    pub seconds: f64,
}

/// A run but for the net's numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    /// Its settings.
    pub settings: Settings,
    /// Where the games are.
    pub data: Vec<PathBuf>,
    /// The files that were found there.
    pub files: Vec<DataFile>,
    /// The net it started from, if any.
    pub start: Option<String>,
    /// Centipawns worth a factor of e in the odds.
    pub scale: u16,
    /// How far it has come.
    pub progress: Progress,
    /// An entry an epoch.
    pub curve: Vec<Row>,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum CheckpointError {
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    #[error("{0} is no checkpoint")]
    Magic(PathBuf),
    #[error("{0} is of version {1}, which is not known")]
    Version(PathBuf, u16),
    #[error("{0} is damaged")]
    Damaged(PathBuf),
    #[error("{0}: {1}")]
    State(PathBuf, String),
}

/// Writes a file whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    fs::write(&new, bytes)?;
    fs::rename(&new, path)
}

/// Writes a checkpoint.
pub fn save(path: &Path, state: &State, model: &Model) -> Result<(), CheckpointError> {
    let text = serde_json::to_string(state).map_err(|error| CheckpointError::State(path.into(), error.to_string()))?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    for group in model.groups() {
        for list in [&group.value, &group.mean, &group.square] {
            bytes.extend(list.iter().flat_map(|x| x.to_le_bytes()));
        }
    }
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    write_whole(path, &bytes).map_err(|error| CheckpointError::Io(path.into(), error))
}

/// Reads a checkpoint.
pub fn load(path: &Path) -> Result<(State, Model), CheckpointError> {
    let damaged = || CheckpointError::Damaged(path.into());
    let bytes = fs::read(path).map_err(|error| CheckpointError::Io(path.into(), error))?;
    let (body, sum) = bytes.split_last_chunk().ok_or_else(damaged)?;
    let rest = body.strip_prefix(MAGIC).ok_or_else(|| CheckpointError::Magic(path.into()))?;
    let (version, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let version = u16::from_le_bytes(*version);
    if version != VERSION {
        return Err(CheckpointError::Version(path.into(), version));
    }
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err(damaged());
    }
    let (length, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(damaged)?;
    let wrong = |error: String| CheckpointError::State(path.into(), error);
    let state: State = serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
    state.settings.check().map_err(|error| wrong(error.to_string()))?;
    let mut model = Model::zero(state.settings.shape());
    let (numbers, odd) = rest.as_chunks();
    let mut numbers = numbers.iter().map(|&four| f32::from_le_bytes(four));
    model.restore(state.progress.steps, |group| {
        for list in [&mut group.value, &mut group.mean, &mut group.square] {
            for x in list {
                *x = numbers.next().ok_or_else(damaged)?;
            }
        }
        Ok(())
    })?;
    if numbers.next().is_some() || !odd.is_empty() { Err(damaged()) } else { Ok((state, model)) }
}
