//! A sorted text book that stays on disk.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use crate::game::Variant;

use super::key::{Query, choose_ply, key};
use super::lines::Lines;
use super::record::{BookMove, united};
use super::text::{Tag, is_comment, parse_position, position_text};

/// Up to this size all of a file is looked at to see whether it is sorted.
const SMALL: u64 = 1 << 20;

/// How many places of a larger file are looked at.
const SAMPLES: u64 = 256;

/// A text book, its positions in the order of their text.
pub struct DiskBook {
    file: File,
    size: u64,
    variant: Variant,
}

/// A position's line.
struct Entry {
    offset: u64,
    text: String,
}

impl DiskBook {
    /// Opens a book of a game.
    pub fn open(path: &Path, variant: Variant) -> io::Result<Self> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        Ok(Self { file, size, variant })
    }

    /// The game the book says that it is for, in the comments before its first position.
    pub fn tag(&self) -> io::Result<Option<Tag>> {
        let mut lines = self.lines(0)?;
        while let Some(line) = lines.next()? {
            let text = line.text.as_ref();
            if !is_comment(text) {
                break;
            }
            if let Some(tag) = Tag::parse(text) {
                return Ok(Some(tag));
            }
        }
        Ok(None)
    }

    fn lines(&self, offset: u64) -> io::Result<Lines<BufReader<impl Read>>> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset))?;
        Ok(Lines::new(BufReader::with_capacity(4096, file), offset))
    }

    /// The first position's line that begins at `from` or later.
    fn entry(&self, from: u64) -> io::Result<Option<Entry>> {
        // One byte earlier: then what is skipped is the rest of the line before, even where a line begins at `from`.
        let mut lines = self.lines(from.saturating_sub(1))?;
        if from > 0 {
            lines.next()?;
        }
        while let Some(line) = lines.next()? {
            if let Some(text) = position_text(&line.text) {
                return Ok(Some(Entry { offset: line.offset, text: text.to_owned() }));
            }
        }
        Ok(None)
    }

    /// Whether the positions are in order: of a small file all, of a large one some from everywhere, and the last ones,
    /// where positions are that were appended.
    pub fn is_sorted(&self) -> io::Result<bool> {
        if self.size <= SMALL {
            return self.in_order(0, 1);
        }
        Ok(self.in_order(0, self.size / SAMPLES)? && self.in_order(self.size - SMALL / 4, 1)?)
    }

    /// Whether positions at least that many bytes apart are in order.
    fn in_order(&self, mut from: u64, step: u64) -> io::Result<bool> {
        let mut last = String::new();
        while from < self.size {
            let Some(entry) = self.entry(from)? else { break };
            if entry.text < last {
                return Ok(false);
            }
            last = entry.text;
            from = (from + step).max(entry.offset + 1);
        }
        Ok(true)
    }

    /// Where the first position begins whose text is not less than `text`.
    fn lower_bound(&self, text: &str) -> io::Result<u64> {
        let (mut low, mut high) = (0, self.size);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.entry(middle)? {
                Some(entry) if entry.offset < high && entry.text.as_str() < text => low = entry.offset + 1,
                _ => high = middle,
            }
        }
        Ok(low)
    }

    /// The moves of a position.
    pub fn lookup(&self, query: &Query, ignore_ply: bool) -> io::Result<Vec<BookMove>> {
        let sfen = query.diagram.to_string();
        let text = fields(&sfen);
        let mut found = self.pages(text, query.key)?;
        if found.is_empty() && query.variant == Variant::Hasami {
            // Captures may be left out.
            let bare = text.rsplit_once(' ').map_or(text, |(rest, _)| rest);
            found = self.pages(&format!("{bare} -"), query.key)?;
        }
        let ply = choose_ply(found.iter().map(|(ply, _)| *ply), query.diagram.number, ignore_ply);
        Ok(united(found.into_iter().filter(|(listed, _)| Some(*listed) == ply).flat_map(|(_, moves)| moves)))
    }

    /// The pages of a position, each with its move number. They follow each other, as all that follows the text is a
    /// space and the number.
    fn pages(&self, text: &str, wanted: u64) -> io::Result<Vec<(u32, Vec<BookMove>)>> {
        let mut pages: Vec<(u32, Vec<BookMove>)> = Vec::new();
        let start = self.lower_bound(text)?;
        let Some(first) = self.entry(start)? else { return Ok(pages) };
        let mut lines = self.lines(first.offset)?;
        let mut open = false;
        while let Some(line) = lines.next()? {
            let line = line.text.as_ref();
            if let Some(position) = position_text(line) {
                if fields(position) != text {
                    break;
                }
                open = false;
                if let Ok((diagram, ply)) = parse_position(position)
                    && key(&diagram, self.variant) == wanted
                {
                    open = true;
                    pages.push((ply, Vec::new()));
                }
            } else if open
                && !is_comment(line)
                && let Ok(m) = BookMove::parse(line)
                && !m.turn.is_none()
                && let Some((_, moves)) = pages.last_mut()
            {
                moves.push(m);
            }
        }
        pages.retain(|(_, moves)| !moves.is_empty());
        Ok(pages)
    }
}

/// Board, side and hands of an SFEN.
fn fields(sfen: &str) -> &str {
    sfen.match_indices(' ').nth(2).and_then(|(end, _)| sfen.get(..end)).unwrap_or(sfen)
}
