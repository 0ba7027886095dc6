//! Finding and loading the network that the options ask for.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use thiserror::Error;

use crate::game::Variant;

use super::eval::Evaluation;
use super::file::{self, FileError, MAGIC, Parameters};
use super::nets;
use super::network::Network;
use super::shared::{SharedError, SharedNetwork};

/// What the options say about networks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// `EvalDir`: where networks are.
    pub dir: String,
    /// `EvalFile`: a network file of either format; empty for `nn.bin` in the folder if there is one, [`Settings::NONE`] for
    /// no network.
    pub file: String,
    /// `FV_SCALE`: what the outputs of an `nn.bin` are divided by.
    pub fv_scale: i32,
}

impl Settings {
    /// The `EvalFile` that asks for the hand-crafted evaluation.
    pub const NONE: &str = "none";
    /// The file looked for in the folder.
    const DEFAULT_FILE: &str = "nn.bin";
}

impl Default for Settings {
    fn default() -> Self {
        Self { dir: "eval".to_owned(), file: String::new(), fv_scale: 16 }
    }
}

/// Why a network is not used.
#[derive(Debug, Error)]
pub enum NetError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is too large to be one.
    #[error("{0} bytes are too many for a network")]
    TooLarge(u64),
    /// It is no network of ours, though it says so.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is no network in the shared format.
    #[error(transparent)]
    Shared(#[from] SharedError),
    /// It is for another game.
    #[error("a network for {made_for} does not know {variant}")]
    Game {
        /// Whose it is.
        made_for: Variant,
        /// The game played.
        variant: Variant,
    },
}

/// More than the largest networks in use.
const MAX_FILE: u64 = 1 << 30;

/// The evaluation that a command was told: a file, [`Settings::NONE`], or nothing for what the binary has. Also the
/// number that tells the network ([`file::number`]), 0 for none.
pub fn choose(net: Option<&str>, variant: Variant) -> Result<(Evaluation, u32), NetError> {
    match net {
        None => Ok((Evaluation::Embedded, nets::number(variant))),
        Some(file) if file == Settings::NONE => Ok((Evaluation::HandCrafted, 0)),
        Some(file) => {
            let bytes = bytes(Path::new(file))?;
            let (evaluation, _) = read(&bytes, variant, Settings::default().fv_scale)?;
            Ok((evaluation, file::number(&bytes)))
        }
    }
}

/// Loads a network of either format for a game; also what it is, for people.
pub fn load(path: &Path, variant: Variant, fv_scale: i32) -> Result<(Evaluation, String), NetError> {
    read(&bytes(path)?, variant, fv_scale)
}

/// A file that is not too large to be a network.
fn bytes(path: &Path) -> Result<Vec<u8>, NetError> {
    let length = fs::metadata(path)?.len();
    if length > MAX_FILE {
        return Err(NetError::TooLarge(length));
    }
    Ok(fs::read(path)?)
}

/// The same from the bytes of a file.
pub fn read(bytes: &[u8], variant: Variant, fv_scale: i32) -> Result<(Evaluation, String), NetError> {
    if bytes.starts_with(MAGIC) {
        let parameters = Parameters::from_bytes(bytes)?;
        let header = &parameters.header;
        let made_for = header.variant;
        let about = format!("{made_for} {}x2, {} buckets", header.width, header.buckets);
        let parameters = parameters.adapt(variant).ok_or(NetError::Game { made_for, variant })?;
        return Ok((Evaluation::Network(Arc::new(Network::new(&parameters))), about));
    }
    // What it is comes before whether it fits: rubbish is no network for any game.
    let network = SharedNetwork::from_bytes(bytes, fv_scale)?;
    if variant != Variant::Shogi {
        return Err(NetError::Game { made_for: Variant::Shogi, variant });
    }
    let about = network.describe();
    Ok((Evaluation::Shared(Arc::new(network)), about))
}

/// What was asked for; while it stays the same, so does the answer.
#[derive(Clone, PartialEq, Eq)]
struct Request {
    path: PathBuf,
    fv_scale: i32,
    variant: Variant,
    /// Length and age of the file, `None` if there is none.
    stamp: Option<(u64, Option<SystemTime>)>,
}

/// The network in use, loaded when it is first needed.
#[derive(Default)]
pub struct Library {
    request: Option<Request>,
    evaluation: Evaluation,
}

impl Library {
    /// Loads the network that the settings ask for, unless that is already done. Returns what there is to tell people;
    /// nothing is told where nothing was done.
    pub fn open(&mut self, settings: &Settings, variant: Variant) -> Vec<String> {
        let file = settings.file.trim();
        if file.eq_ignore_ascii_case(Settings::NONE) {
            (self.request, self.evaluation) = (None, Evaluation::HandCrafted);
            return Vec::new();
        }
        let named = !file.is_empty();
        if !named && variant != Variant::Shogi {
            (self.request, self.evaluation) = (None, Evaluation::Embedded);
            return Vec::new();
        }
        let path = find(&settings.dir, if named { file } else { Settings::DEFAULT_FILE }, named);
        let stamp = fs::metadata(&path).ok().map(|data| (data.len(), data.modified().ok()));
        let request = Request { path, fv_scale: settings.fv_scale, variant, stamp };
        if self.request.as_ref() == Some(&request) {
            return Vec::new();
        }
        let path = &request.path;
        let mut note = None;
        if request.stamp.is_none() {
            if named {
                note = Some("not found".to_owned());
            } else {
                self.evaluation = Evaluation::Embedded;
            }
        } else {
            match load(path, variant, settings.fv_scale) {
                Ok((evaluation, about)) => {
                    self.evaluation = evaluation;
                    note = Some(about);
                }
                Err(error) => note = Some(format!("not used: {error}")),
            }
        }
        let notes = note.map(|note| format!("network {}: {note}", path.display())).into_iter().collect();
        self.request = Some(request);
        notes
    }

    /// What to evaluate with.
    pub fn evaluation(&self) -> Evaluation {
        self.evaluation.clone()
    }
}

/// The first of the places where the file may be that is there: itself if it was named, in the folder, and the same beside
/// the executable, as GUIs do not agree on where they start an engine.
fn find(dir: &str, file: &str, named: bool) -> PathBuf {
    let inside = Path::new(dir).join(file);
    let mut places = if named { vec![PathBuf::from(file), inside] } else { vec![inside] };
    if let Some(home) = std::env::current_exe().ok().as_deref().and_then(Path::parent) {
        let beside: Vec<_> = places.iter().map(|place| home.join(place)).collect();
        places.extend(beside);
    }
    let found = places.iter().position(|place| place.is_file()).unwrap_or(0);
    places.swap_remove(found)
}
