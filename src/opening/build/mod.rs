//! Making a book by searching a tree from a position.
//!
//! The tree grows best first: what is searched next is the position that the two sides come to by giving away least,
//! so that a small book holds what is likely to be played. Every position is searched by itself, with nothing left
//! from the one before: a build that is interrupted goes on as if it had not been.

mod backup;
mod grow;

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::game::{Game, HouseRules, Position};
use crate::search::Limits;

use super::pages::save;
use super::text::Tag;

use grow::Tree;

/// How a book is to be made.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Length of the lines in turns.
    pub plies: u32,
    /// Most moves a position.
    pub width: usize,
    /// How much worse than the best a move may be, in centipawns.
    pub eval_diff: i32,
    /// Most positions of the book.
    pub positions: usize,
    /// Depth or nodes of each search.
    pub limits: Limits,
    /// Searches at a time. With several, which positions a book of limited size holds is left to chance.
    pub threads: usize,
    /// MiB of each search's table.
    pub hash: usize,
    /// The rules of the table.
    pub rules: HouseRules,
}

/// How far it has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Positions in the book.
    pub done: usize,
    /// Positions known to be still to do; more may follow from them.
    pub open: usize,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// Positions of the book.
    pub positions: usize,
    /// Moves of the book.
    pub moves: usize,
    /// Positions that were in the file before.
    pub found: usize,
    /// What was wrong with that file.
    pub notes: Vec<String>,
}

/// Why there is no book.
#[derive(Debug, Error)]
pub enum BuildError {
    /// Nothing to search.
    #[error("the game is over in the start position")]
    Over,
    /// A turn that is half played.
    #[error("a book begins with a whole turn")]
    Half,
    /// The file is there, for another game.
    #[error("{0} is a book for {1}")]
    OtherGame(PathBuf, Tag),
    /// Reading or writing.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
}

/// Makes a book, or goes on with the one in `path`. `progress` is told now and then.
pub fn build<G: Game>(
    root: &G::Position,
    plan: &Plan,
    path: &Path,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Built, BuildError> {
    if root.result().is_some() {
        return Err(BuildError::Over);
    }
    if root.step() != 1 {
        return Err(BuildError::Half);
    }
    let tag = Tag::new(G::Position::variant(), plan.rules.goal);
    let (mut tree, found, notes) = Tree::<G>::open(root, plan, path, tag)?;
    tree.grow(progress)?;
    let mut pages = tree.into_pages();
    backup::back_up::<G::Position>(&mut pages, &plan.rules, plan.plies);
    save(path, &pages, Some(tag)).map_err(|error| BuildError::File(path.to_owned(), error))?;
    Ok(Built { positions: pages.len(), moves: pages.values().map(Vec::len).sum(), found, notes })
}
