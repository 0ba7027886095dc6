//! A text book held in memory.

use std::io::{self, BufRead};

use crate::game::Variant;

use super::key::{Query, choose_ply, key};
use super::record::{BookMove, united};
use super::text::{Item, Summary, read};

/// A position: where its moves are in the one list of all moves.
struct Entry {
    key: u64,
    ply: u32,
    length: u32,
    start: usize,
}

/// All positions, by key. Two sorted arrays take less room than a map of lists.
pub struct MemoryBook {
    entries: Vec<Entry>,
    moves: Vec<BookMove>,
}

impl MemoryBook {
    /// Reads a book of a game.
    pub fn read(reader: impl BufRead, variant: Variant) -> io::Result<(Self, Summary)> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut moves = Vec::new();
        let summary = read(reader, |item| match item {
            Item::Position(_, diagram, ply) => {
                entries.push(Entry { key: key(&diagram, variant), ply, length: 0, start: moves.len() });
            }
            Item::Move(m) => {
                if let Some(entry) = entries.last_mut() {
                    entry.length += 1;
                    moves.push(m);
                }
            }
        })?;
        entries.retain(|entry| entry.length > 0);
        // Stable: of positions that are listed twice, the later one has the last word.
        entries.sort_by_key(|entry| (entry.key, entry.ply));
        entries.shrink_to_fit();
        moves.shrink_to_fit();
        Ok((Self { entries, moves }, summary))
    }

    /// The moves of a position.
    pub fn lookup(&self, query: &Query, ignore_ply: bool) -> Vec<BookMove> {
        let start = self.entries.partition_point(|entry| entry.key < query.key);
        let listed = self.entries.iter().skip(start).take_while(|entry| entry.key == query.key);
        let Some(ply) = choose_ply(listed.clone().map(|entry| entry.ply), query.diagram.number, ignore_ply) else {
            return Vec::new();
        };
        let page = |entry: &Entry| self.moves.get(entry.start..entry.start + entry.length as usize);
        united(listed.filter(|entry| entry.ply == ply).filter_map(page).flatten().copied())
    }
}
