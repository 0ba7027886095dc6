//! The tree and the searches that make it grow.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ahash::{AHashMap, AHashSet};

use crate::board::Move;
use crate::diagram::Diagram;
use crate::game::{Game, Position};
use crate::search::{Bound, Engine, Info, Outcome, SearchOptions};
use crate::turns::play_turn;

use super::super::key::key;
use super::super::pages::{Pages, save};
use super::super::record::{BookMove, BookTurn, sort, united};
use super::super::text::{Item, Tag, summarise};
use super::{BuildError, Plan, Progress};

/// How long an interrupted build may have worked for nothing.
const SAVE_INTERVAL: Duration = Duration::from_secs(5);

/// A position to be searched. The least loss comes first, then the shortest line, then what was found first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Task {
    loss: i32,
    turns: u32,
    number: u64,
    line: Vec<Move>,
}

/// What the searching threads share.
struct State {
    pages: Pages,
    /// The text of each position in `pages`.
    index: AHashMap<u64, String>,
    /// Positions of this tree that are done or being searched.
    taken: AHashSet<u64>,
    queue: BinaryHeap<Reverse<Task>>,
    numbered: u64,
    searching: usize,
    saved: Instant,
    failed: Option<std::io::Error>,
}

/// A book in the making.
pub struct Tree<'a, G: Game> {
    root: &'a G::Position,
    plan: &'a Plan,
    path: &'a Path,
    tag: Tag,
    state: Mutex<State>,
    changed: Condvar,
}

impl<'a, G: Game> Tree<'a, G> {
    /// A tree that begins with what is already in the file; also the number of positions found and what is wrong
    /// with them.
    pub fn open(
        root: &'a G::Position,
        plan: &'a Plan,
        path: &'a Path,
        tag: Tag,
    ) -> Result<(Self, usize, Vec<String>), BuildError> {
        let mut pages = Pages::new();
        let mut index = AHashMap::new();
        let mut notes = Vec::new();
        if path.exists() {
            let mut place = String::new();
            let summary = summarise(path, |item| match item {
                Item::Position(_, diagram, _) => {
                    place = diagram.to_string();
                    index.insert(key(&diagram, tag.variant), place.clone());
                }
                Item::Move(m) => pages.entry(place.clone()).or_default().push(m),
            })
            .map_err(|error| BuildError::File(path.to_owned(), error))?;
            if let Some(other) = summary.tag.filter(|&other| other != tag) {
                return Err(BuildError::OtherGame(path.to_owned(), other));
            }
            index.retain(|_, place| pages.contains_key(place));
            pages.values_mut().for_each(|moves| *moves = united(std::mem::take(moves)));
            notes = summary.damage.messages();
        }
        let found = pages.len();
        let mut state = State {
            pages,
            index,
            taken: AHashSet::new(),
            queue: BinaryHeap::new(),
            numbered: 0,
            searching: 0,
            saved: Instant::now(),
            failed: None,
        };
        state.push(0, 0, Vec::new());
        let tree = Self { root, plan, path, tag, state: Mutex::new(state), changed: Condvar::new() };
        Ok((tree, found, notes))
    }

    /// A poisoned lock only means that a search died; what it had not yet written down is missing and nothing else.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Searches until nothing is left to do or the book is full.
    pub fn grow(&mut self, progress: &(dyn Fn(Progress) + Sync)) -> Result<(), BuildError> {
        let tree = &*self;
        thread::scope(|scope| {
            for _ in 0..tree.plan.threads.max(1) {
                scope.spawn(|| tree.work(progress));
            }
        });
        let failed = self.lock().failed.take();
        failed.map_or(Ok(()), |error| Err(BuildError::File(self.path.to_owned(), error)))
    }

    /// The pages, as they are.
    pub fn into_pages(self) -> Pages {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).pages
    }

    fn work(&self, progress: &(dyn Fn(Progress) + Sync)) {
        let mut engine = Engine::<G>::new(self.plan.hash, 1);
        while let Some((task, position, known)) = self.next() {
            let place = position.diagram();
            let moves = known.unwrap_or_else(|| self.search(&mut engine, &position));
            let mut state = self.lock();
            state.searching -= 1;
            state.add(&place, self.tag, moves.clone());
            self.branch(&mut state, &task, &position, moves);
            let done = Progress { done: state.taken.len() - state.searching, open: state.queue.len() };
            if state.saved.elapsed() > SAVE_INTERVAL {
                state.saved = Instant::now();
                if let Err(error) = save(self.path, &state.pages, Some(self.tag)) {
                    state.failed = Some(error);
                }
            }
            drop(state);
            self.changed.notify_all();
            progress(done);
        }
        self.changed.notify_all();
    }

    /// The next position, with its moves if they are in the book already. Waits while there may be one to come.
    fn next(&self) -> Option<(Task, G::Position, Option<Vec<BookMove>>)> {
        let mut state = self.lock();
        loop {
            if state.failed.is_some() || state.taken.len() >= self.plan.positions {
                return None;
            }
            let Some(Reverse(task)) = state.queue.pop() else {
                if state.searching == 0 {
                    return None;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let mut position = self.root.clone();
            task.line.iter().for_each(|&m| position.make(m, &mut ()));
            let key = key(&position.diagram(), self.tag.variant);
            if state.taken.insert(key) {
                state.searching += 1;
                let known = state.index.get(&key).and_then(|place| state.pages.get(place)).cloned();
                return Some((task, position, known));
            }
        }
    }

    /// The best moves of a position.
    fn search(&self, engine: &mut Engine<G>, position: &G::Position) -> Vec<BookMove> {
        let options = SearchOptions { multi_pv: self.plan.width.max(1), ..SearchOptions::default() };
        let lines: Arc<Mutex<Vec<Info>>> = Arc::default();
        let result: Arc<Mutex<Outcome>> = Arc::default();
        let (heard, end) = (Arc::clone(&lines), Arc::clone(&result));
        engine.clear();
        engine.go(
            position.clone(),
            self.plan.limits.clone(),
            &options,
            Box::new(move |info| {
                let mut lines = heard.lock().unwrap_or_else(PoisonError::into_inner);
                lines.retain(|line| line.multipv != info.multipv);
                lines.push(info.in_centipawns::<G>());
            }),
            Box::new(move |outcome| *end.lock().unwrap_or_else(PoisonError::into_inner) = outcome.in_centipawns::<G>()),
        );
        engine.wait();
        let outcome = std::mem::take(&mut *result.lock().unwrap_or_else(PoisonError::into_inner));
        let mut lines = std::mem::take(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner));
        lines.retain(|line| matches!(line.bound, Bound::Exact | Bound::None));
        lines.sort_by_key(|line| line.multipv);
        let best = BookMove {
            ponder: BookTurn::new(&outcome.ponder),
            value: outcome.score,
            depth: outcome.depth.min(u16::MAX.into()) as u16,
            ..BookMove::new(BookTurn::new(&outcome.best))
        };
        let others = lines.iter().filter_map(|line| entry(position, line)).filter(|m| m.turn != best.turn);
        let mut moves: Vec<BookMove> = Vec::new();
        for m in std::iter::once(best).chain(others).filter(|m| !m.turn.is_none()) {
            // A line that lagged behind may begin with a move that has gone to another place.
            if moves.iter().all(|known| known.turn != m.turn) {
                moves.push(m);
            }
        }
        sort(&mut moves);
        self.choose(&mut moves);
        moves
    }

    /// Leaves the moves that the plan allows.
    fn choose(&self, moves: &mut Vec<BookMove>) {
        if let Some(best) = moves.first().map(|m| m.value) {
            moves.retain(|m| m.value >= best.saturating_sub(self.plan.eval_diff));
        }
        moves.truncate(self.plan.width.max(1));
    }

    /// Puts what follows from a position into the queue.
    fn branch(&self, state: &mut State, task: &Task, position: &G::Position, mut moves: Vec<BookMove>) {
        if task.turns + 1 >= self.plan.plies {
            return;
        }
        sort(&mut moves);
        self.choose(&mut moves);
        let best = moves.first().map_or(0, |m| m.value);
        for m in moves {
            let mut after = position.clone();
            if play_turn(&mut after, m.turn.moves()) && after.result().is_none() {
                let line = [task.line.as_slice(), m.turn.moves()].concat();
                state.push(task.loss.saturating_add(best - m.value), task.turns + 1, line);
            }
        }
    }
}

impl State {
    fn push(&mut self, loss: i32, turns: u32, line: Vec<Move>) {
        self.numbered += 1;
        self.queue.push(Reverse(Task { loss, turns, number: self.numbered, line }));
    }

    fn add(&mut self, diagram: &Diagram, tag: Tag, moves: Vec<BookMove>) {
        let key = key(diagram, tag.variant);
        if !self.index.contains_key(&key) && !moves.is_empty() {
            let place = diagram.to_string();
            self.index.insert(key, place.clone());
            self.pages.insert(place, moves);
        }
    }
}

/// A line of the search as a move of the book, if it shows a whole turn.
fn entry<P: Position>(position: &P, line: &Info) -> Option<BookMove> {
    let mut after = position.clone();
    let halves = |count: usize| line.pv.get(..count);
    let turn = halves(1).filter(|turn| play_turn(&mut after, turn));
    let turn = turn.or_else(|| halves(2).filter(|turn| play_turn(&mut after, turn)))?;
    let rest = line.pv.get(turn.len()..)?;
    let reply = rest.get(..usize::from(P::TURN).min(rest.len()))?;
    let ponder = if play_turn(&mut after, reply) { BookTurn::new(reply) } else { BookTurn::NONE };
    Some(BookMove {
        ponder,
        value: line.score,
        depth: line.depth.min(u16::MAX.into()) as u16,
        ..BookMove::new(BookTurn::new(turn))
    })
}
