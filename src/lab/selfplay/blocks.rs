//! Who plays which game, and the files the games go to.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use crate::data::{DataError, EXTENSION, GameFile, GameRecord, Header, Stored};
use crate::game::Variant;

use super::Plan;

/// Games of a block.
pub(super) const BLOCK: u32 = 1000;

/// A game to play.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    /// Its number.
    pub number: u32,
}

/// A file in work.
struct Block {
    /// Its number.
    index: u32,
    file: GameFile,
    /// Numbers of games still to be given out, the next one last.
    open: Vec<u32>,
    /// Games given out and not yet finished.
    running: u32,
}

/// What a folder holds of a run.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    /// Games.
    pub games: u64,
    /// Positions with a score.
    pub positions: u64,
}

/// The blocks of a run.
pub(super) struct Blocks {
    folder: PathBuf,
    header: Header,
    seed: u64,
    /// Numbers of games below this one only.
    games: u32,
    /// The block to look at next.
    next: u32,
    blocks: Vec<Block>,
}

impl Blocks {
    /// The blocks of a run, and what is there of them.
    pub fn survey(plan: &Plan) -> Result<(Self, Found), DataError> {
        fs::create_dir_all(&plan.folder).map_err(|error| DataError::Io(plan.folder.clone(), error))?;
        let blocks = Self {
            folder: plan.folder.clone(),
            header: plan.header.clone(),
            seed: plan.seed,
            games: plan.games,
            next: 0,
            blocks: Vec::new(),
        };
        let mut found = Found::default();
        for index in 0..plan.games.div_ceil(BLOCK) {
            let path = blocks.path(index);
            // A file of another process may be new and still empty.
            if !path.exists() {
                break;
            }
            let Ok(stored) = Stored::read(&path) else { continue };
            for record in stored.games() {
                found.games += 1;
                found.positions += record.positions() as u64;
            }
        }
        Ok((blocks, found))
    }

    fn path(&self, index: u32) -> PathBuf {
        let Header { variant, rules, .. } = &self.header;
        let goal = if *variant == Variant::Hasami { format!("-{}", rules.goal.name()) } else { String::new() };
        self.folder.join(format!("{variant}{goal}-{}-{:07}.{EXTENSION}", self.seed, index * BLOCK))
    }

    /// The next game to play; `None` if there is none left that no other process works on.
    pub fn next(&mut self) -> Result<Option<Job>, DataError> {
        loop {
            if let Some(block) = self.blocks.iter_mut().find(|block| !block.open.is_empty()) {
                block.running += 1;
                return Ok(block.open.pop().map(|number| Job { number }));
            }
            let first = self.next.saturating_mul(BLOCK);
            if first >= self.games {
                return Ok(None);
            }
            let index = self.next;
            self.next += 1;
            let Some((file, records)) = GameFile::open(&self.path(index), &self.header)? else { continue };
            let there: HashSet<u32> = records.iter().map(|record| record.number).collect();
            let numbers = first..self.games.min(first.saturating_add(BLOCK));
            let open: Vec<u32> = numbers.rev().filter(|number| !there.contains(number)).collect();
            if !open.is_empty() {
                self.blocks.push(Block { index, file, open, running: 0 });
            }
        }
    }

    /// Writes a game; the file is closed after the last one of its block.
    pub fn finish(&mut self, job: &Job, record: &GameRecord) -> Result<(), DataError> {
        let index = job.number / BLOCK;
        for block in self.blocks.iter_mut().filter(|block| block.index == index) {
            block.file.add(record)?;
            block.running -= 1;
        }
        self.blocks.retain(|block| block.running > 0 || !block.open.is_empty());
        Ok(())
    }
}
