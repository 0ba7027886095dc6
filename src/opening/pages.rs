//! Books as they are written: sorted text, put in place whole.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ahash::AHashMap;
use clap::ValueEnum;

use super::record::{BookMove, sort};
use super::text::{HEADER, Item, Summary, Tag, summarise};

/// The moves of each position, by its SFEN: the order in which a book is written.
pub type Pages = BTreeMap<String, Vec<BookMove>>;

/// Writes a book beside its place and then puts it there, so that there is never half a book. Positions without moves
/// are left out.
pub fn save(path: &Path, pages: &Pages, tag: Option<Tag>) -> io::Result<()> {
    let mut text = format!("{HEADER}\n");
    // Writing to a string does not fail.
    if let Some(tag) = tag {
        let _ = writeln!(text, "# {tag}");
    }
    for (sfen, moves) in pages.iter().filter(|(_, moves)| !moves.is_empty()) {
        let _ = writeln!(text, "sfen {sfen}");
        let mut moves = moves.clone();
        sort(&mut moves);
        for m in moves {
            let _ = writeln!(text, "{m}");
        }
    }
    let draft = draft(path);
    let mut file = File::create(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    drop(file);
    fs::rename(draft, path)
}

fn draft(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

/// Which of two entries of a move stays when books are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Prefer {
    /// The deeper one; the one of the later file where they are equal.
    #[default]
    Deeper,
    /// The one of the later file.
    Later,
}

/// Books made one: pages, what they say to be for, and what was found in each file.
pub struct Merged {
    /// All positions; one that is listed under several move numbers stays under the least.
    pub pages: Pages,
    /// The game of the first file that names one.
    pub tag: Option<Tag>,
    /// What each file held.
    pub summaries: Vec<Summary>,
}

/// Makes one book of several. Fails on a file that cannot be read or is for another game than the rest.
pub fn merge(paths: &[PathBuf], prefer: Prefer) -> Result<Merged, String> {
    let mut all: AHashMap<String, (u32, Vec<BookMove>)> = AHashMap::new();
    let mut tag = None;
    let mut summaries = Vec::new();
    for path in paths {
        let mut place = String::new();
        let summary = summarise(path, |item| match item {
            Item::Position(_, diagram, ply) => {
                place = bare(&diagram);
                let (least, _) = all.entry(place.clone()).or_insert((ply, Vec::new()));
                *least = ply.min(*least);
            }
            Item::Move(m) => {
                if let Some((_, moves)) = all.get_mut(&place) {
                    match moves.iter_mut().find(|known| known.turn == m.turn) {
                        Some(known) if prefer == Prefer::Later || m.depth >= known.depth => *known = m,
                        Some(_) => {}
                        None => moves.push(m),
                    }
                }
            }
        })
        .map_err(|error| format!("{}: {error}", path.display()))?;
        if let (Some(a), Some(b)) = (tag, summary.tag)
            && a != b
        {
            return Err(format!("{} is for {b}, the others for {a}", path.display()));
        }
        tag = tag.or(summary.tag);
        summaries.push(summary);
    }
    let numbered = |(place, (ply, moves)): (String, (u32, Vec<BookMove>))| {
        let (fields, step) = match place.strip_suffix(" step=2") {
            Some(fields) => (fields, " step=2"),
            None => (place.as_str(), ""),
        };
        (format!("{fields} {}{step}", ply.max(1)), moves)
    };
    Ok(Merged { pages: all.into_iter().map(numbered).collect(), tag, summaries })
}

/// A position without its move number.
fn bare(diagram: &crate::diagram::Diagram) -> String {
    let text = diagram.to_string();
    let mut fields: Vec<&str> = text.split(' ').collect();
    fields.remove(3);
    fields.join(" ")
}
