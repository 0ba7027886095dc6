//! Finding and opening the book that the options ask for.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ahash::{AHashSet, RandomState};

use crate::game::{Goal, Variant};
use crate::random::Random;

use super::apery::AperyBook;
use super::disk::DiskBook;
use super::key::Query;
use super::memory::MemoryBook;
use super::record::BookMove;
use super::settings::Settings;
use super::text::Tag;

enum Book {
    Memory(MemoryBook),
    Disk(DiskBook),
    Apery(AperyBook),
}

/// What was asked for; while it stays the same, so does the answer.
#[derive(Clone, PartialEq, Eq)]
struct Request {
    path: PathBuf,
    on_the_fly: bool,
    tag: Tag,
    /// Length and age of the file, `None` if there is none.
    stamp: Option<(u64, Option<SystemTime>)>,
}

/// The book in use, opened when it is first needed.
pub struct Shelf {
    request: Option<Request>,
    book: Option<Book>,
    /// Illegal moves that were told already, by position and token.
    told: AHashSet<(u64, String)>,
    dice: Random,
}

impl Default for Shelf {
    fn default() -> Self {
        Self::seeded(RandomState::new().hash_one(SystemTime::now()))
    }
}

impl Shelf {
    /// A shelf whose choices follow from `seed`.
    pub fn seeded(seed: u64) -> Self {
        Self { request: None, book: None, told: AHashSet::new(), dice: Random::new(seed) }
    }

    pub(super) fn dice(&mut self) -> &mut Random {
        &mut self.dice
    }

    /// Whether this is the first time that an illegal move is met.
    pub(super) fn is_news(&mut self, key: u64, token: String) -> bool {
        self.told.insert((key, token))
    }

    /// Opens the book that the settings ask for, unless that is already done. Returns what there is to tell people.
    pub fn open(&mut self, settings: &Settings, variant: Variant, goal: Goal) -> Vec<String> {
        let tag = Tag::new(variant, goal);
        let Some((name, named)) = file_name(settings, tag) else {
            (self.request, self.book) = (None, None);
            return Vec::new();
        };
        let path = find(Path::new(&settings.dir).join(name));
        let stamp = fs::metadata(&path).ok().map(|data| (data.len(), data.modified().ok()));
        let request = Request { path, on_the_fly: settings.on_the_fly, tag, stamp };
        if self.request.as_ref() == Some(&request) {
            return Vec::new();
        }
        // The old one goes first: two large books might not fit.
        (self.request, self.book) = (None, None);
        self.told.clear();
        let path = &request.path;
        let mut notes = Vec::new();
        if request.stamp.is_some() {
            match open(&request, &mut notes) {
                Ok(book) => self.book = book,
                Err(error) => notes.push(format!("cannot be read: {error}")),
            }
        } else if named {
            notes.push("not found; thinking without a book".to_owned());
        }
        let notes = notes.iter().map(|note| format!("book {}: {note}", path.display())).collect();
        self.request = Some(request);
        notes
    }

    /// The moves of a position, none without a book.
    pub(super) fn lookup(&self, query: &Query, ignore_ply: bool) -> io::Result<Vec<BookMove>> {
        match &self.book {
            None => Ok(Vec::new()),
            Some(Book::Memory(book)) => Ok(book.lookup(query, ignore_ply)),
            Some(Book::Disk(book)) => book.lookup(query, ignore_ply),
            Some(Book::Apery(book)) => book.lookup(&query.diagram),
        }
    }

    /// Puts a book away that has turned out to be unreadable.
    pub(super) fn discard(&mut self) {
        self.book = None;
    }

    /// Whether a book is open.
    pub fn is_open(&self) -> bool {
        self.book.is_some()
    }
}

/// Name of the book, and whether the user has named it: then its absence is worth a word.
fn file_name(settings: &Settings, tag: Tag) -> Option<(String, bool)> {
    let file = settings.file.trim();
    if file.is_empty() || file.eq_ignore_ascii_case("no_book") {
        return None;
    }
    if !file.eq_ignore_ascii_case("auto") {
        return Some((file.to_owned(), true));
    }
    let goal = tag.goal.map_or(String::new(), |goal| format!("-{}", goal.name()));
    Some((format!("{}{goal}.db", tag.variant), false))
}

/// A relative path is looked up beside the working directory and then beside the executable: GUIs do not agree on
/// where they start an engine.
fn find(path: PathBuf) -> PathBuf {
    if path.is_absolute() || path.exists() {
        return path;
    }
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(&path)));
    beside.filter(|beside| beside.exists()).unwrap_or(path)
}

fn open(request: &Request, notes: &mut Vec<String>) -> io::Result<Option<Book>> {
    let (path, variant) = (&request.path, request.tag.variant);
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bin")) {
        if variant != Variant::Shogi {
            notes.push(format!("this format is for shogi, not {variant}"));
            return Ok(None);
        }
        let (book, remarks) = AperyBook::open(path, request.on_the_fly)?;
        notes.extend(remarks);
        notes.push(format!("{} moves", book.len()));
        return Ok(Some(Book::Apery(book)));
    }
    if request.on_the_fly {
        let book = DiskBook::open(path, variant)?;
        if book.is_sorted()? {
            let made_for = book.tag()?;
            return Ok(is_for(made_for, request.tag, notes).then_some(Book::Disk(book)));
        }
        notes.push("not sorted, so it is loaded".to_owned());
    }
    let (book, summary) = MemoryBook::read(BufReader::with_capacity(1 << 16, File::open(path)?), variant)?;
    notes.extend(summary.damage.messages());
    notes.push(format!("{} positions, {} moves", summary.positions, summary.moves));
    Ok(is_for(summary.tag, request.tag, notes).then_some(Book::Memory(book)))
}

/// Whether a book is for the game, as far as it says.
fn is_for(made_for: Option<Tag>, tag: Tag, notes: &mut Vec<String>) -> bool {
    let other = made_for.filter(|&made_for| made_for != tag);
    if let Some(other) = other {
        notes.push(format!("made for {other}, not used"));
    }
    other.is_none()
}
