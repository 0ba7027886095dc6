//! From files of games to files of positions.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::data::file::{DataError, Stored};
use crate::data::record::GameRecord;
use crate::data::replay::{Replay, ReplayError};
use crate::game::{Position, Variant};
use crate::shogi::{ShogiPosition, StandardRules};

use super::{Entry, Format, create};

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exported {
    /// Games of which positions were looked at.
    pub games: u64,
    /// Positions written.
    pub positions: u64,
    /// Positions left out because they were not quiet.
    pub loud: u64,
    /// Positions left out because a king was missing.
    pub kingless: u64,
    /// Games left out because they break the rules.
    pub illegal: u64,
    /// The first of these, as a message.
    pub complaint: Option<String>,
    /// Stretches of damage left out.
    pub damaged: u64,
}

impl Exported {
    /// The same as one line of JSON.
    pub fn json(&self) -> String {
        format!(
            "{{\"games\":{},\"positions\":{},\"loud\":{},\"kingless\":{},\"illegal\":{},\"damaged\":{}}}",
            self.games, self.positions, self.loud, self.kingless, self.illegal, self.damaged
        )
    }
}

/// Writes the positions with a score of files of games to a new file, in the order of the games; with `quiet` only those
/// not in check whose move neither captures nor promotes. Where there are none no file is left. `progress` is told the
/// bytes read.
pub fn export(
    paths: &[PathBuf],
    format: Format,
    quiet: bool,
    out: &Path,
    progress: &mut dyn FnMut(u64, &Exported),
) -> Result<Exported, DataError> {
    let failed = |error| DataError::Io(out.to_owned(), error);
    let mut exported = Exported::default();
    create(out, |file| {
        let mut before = 0;
        for path in paths {
            let stored = Stored::read(path)?;
            if stored.header.variant != Variant::Shogi {
                return Err(DataError::Variant(path.clone(), stored.header.variant));
            }
            let mut games = stored.games();
            while let Some(record) = games.next() {
                match positions(&record, &stored, format, quiet, &mut exported) {
                    Ok(bytes) => file.write_all(&bytes).map_err(failed)?,
                    Err(error) => {
                        exported.illegal += 1;
                        let place = format!("{}: game {} of seed {}", path.display(), record.number, record.seed);
                        exported.complaint.get_or_insert_with(|| format!("{place}: {error}"));
                    }
                }
                progress(before + games.end() as u64, &exported);
            }
            exported.damaged += games.damaged();
            before += stored.size();
        }
        Ok(exported.positions > 0)
    })?;
    Ok(exported)
}

/// The records of a game; it is counted if it is one by the rules.
fn positions(
    record: &GameRecord,
    stored: &Stored,
    format: Format,
    quiet: bool,
    exported: &mut Exported,
) -> Result<Vec<u8>, ReplayError> {
    let mut bytes = Vec::with_capacity(record.plies.len() * format.size());
    let (mut loud, mut kingless) = (0, 0);
    let mut replay = Replay::<ShogiPosition<StandardRules>>::new(record, &stored.header.rules, true)?;
    while let Some(moment) = replay.next()? {
        let Some(score) = moment.score else { continue };
        if quiet && !moment.is_quiet() {
            loud += 1;
            continue;
        }
        let entry = Entry { diagram: moment.position.diagram(), m: moment.m, score, winner: record.winner };
        match format.to_bytes(&entry) {
            Ok(packed) => bytes.extend(packed),
            // Positions of games have no other fault.
            Err(_) => kingless += 1,
        }
    }
    exported.games += 1;
    exported.positions += (bytes.len() / format.size()) as u64;
    exported.loud += loud;
    exported.kingless += kingless;
    Ok(bytes)
}
