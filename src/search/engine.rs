//! The engine of one game: its threads and its table.

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::board::{ByColor, Move, MoveList};
use crate::game::{Evaluator, Game, Position, Stage};
use crate::nnue::Evaluation;

use super::clock::{Budget, Clock};
use super::history::Histories;
use super::worker::{NodeCounter, Task, Verdict, Worker};
use super::{Bound, Clocks, Info, Limits, MATE, MATE_BOUND, Outcome, SearchOptions, Skill, Table};

/// Told of every line worth reporting.
pub type OnInfo = Box<dyn FnMut(&Info) + Send>;
/// Told of the end of the search, exactly once.
pub type OnDone = Box<dyn FnOnce(&Outcome) + Send>;

/// The recursion is at most [`super::MAX_PLY`] deep, with a move list a ply.
const STACK: usize = 16 << 20;

/// What the threads of a search share.
pub(super) struct Shared {
    pub(super) table: Arc<Table>,
    counters: Vec<NodeCounter>,
}

impl Shared {
    /// Makes a thread's node count known to the others.
    pub(super) fn publish(&self, index: usize, nodes: u64) {
        self.counters[index].set(nodes);
    }

    /// Nodes of all threads.
    pub(super) fn nodes(&self) -> u64 {
        self.counters.iter().map(NodeCounter::get).sum()
    }
}

/// Where helpers leave their results for the first thread.
#[derive(Default)]
struct Results {
    verdicts: Mutex<Vec<Verdict>>,
    arrived: Condvar,
}

/// The first thread's part of a search.
struct Lead {
    on_info: OnInfo,
    on_done: OnDone,
    infinite: bool,
    busy: Arc<Busy>,
}

struct Job<G: Game> {
    shared: Arc<Shared>,
    task: Arc<Task<G>>,
    results: Arc<Results>,
    lead: Option<Lead>,
}

enum Order<G: Game> {
    Search(Job<G>),
    Clear,
}

struct Thread<G: Game> {
    orders: Sender<Order<G>>,
    handle: JoinHandle<()>,
}

/// Whether a search is running, to be waited for.
#[derive(Default)]
struct Busy {
    searching: Mutex<bool>,
    idle: Condvar,
}

/// A poisoned lock only means that a thread died: the data is a flag or a list and still good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `ponderhit` needs to know of the running search.
struct Running<G: Game> {
    task: Arc<Task<G>>,
    limits: Limits,
}

/// Searches positions of one game on persistent threads.
pub struct Engine<G: Game> {
    table: Arc<Table>,
    thread_count: usize,
    threads: Vec<Thread<G>>,
    busy: Arc<Busy>,
    running: Option<Running<G>>,
}

impl<G: Game> Engine<G> {
    /// An engine with a table of `hash_mib` MiB and that many threads. Threads start with the first search, and the
    /// table's memory is not touched before.
    pub fn new(hash_mib: usize, threads: usize) -> Self {
        Self {
            table: Arc::new(Table::new(hash_mib)),
            thread_count: threads.max(1),
            threads: Vec::new(),
            busy: Arc::default(),
            running: None,
        }
    }

    /// Sets the table's size; its contents are lost. Waits for a running search.
    pub fn set_hash(&mut self, hash_mib: usize) {
        self.wait();
        // The old one goes first: two tables at once might not fit.
        self.running = None;
        self.table = Arc::new(Table::new(1));
        self.table = Arc::new(Table::new(hash_mib));
    }

    /// MiB of the table: what was asked for, or less where the system has not got it.
    pub fn hash(&self) -> usize {
        self.table.bytes() >> 20
    }

    /// Sets the number of threads. Waits for a running search.
    pub fn set_threads(&mut self, threads: usize) {
        self.wait();
        self.thread_count = threads.max(1);
        self.join_threads(self.thread_count);
    }

    /// Forgets everything learnt: table and histories. Waits for a running search.
    pub fn clear(&mut self) {
        self.wait();
        self.table.clear();
        for thread in &self.threads {
            // Orders are carried out in turn, so the next search finds it done.
            let _ = thread.orders.send(Order::Clear);
        }
    }

    /// Starts a search and returns at once; waits for a running one first. `on_done` is called exactly once, with
    /// `infinite` and `ponder` not before [`Engine::stop`] or [`Engine::ponderhit`].
    pub fn go(
        &mut self,
        position: G::Position,
        limits: Limits,
        options: &SearchOptions,
        on_info: OnInfo,
        on_done: OnDone,
    ) {
        self.wait();
        self.table.new_search();
        let begun = limits.start.unwrap_or_else(Instant::now);
        let budget = Self::budget(&limits, options, &position);
        let smallest = |a: u64, b: u64| {
            if a == 0 {
                b
            } else if b == 0 {
                a
            } else {
                a.min(b)
            }
        };
        let task: Arc<Task<G>> = Arc::new(Task {
            clock: Clock::new(begun, budget, limits.ponder),
            depth: smallest(u64::from(limits.depth.unwrap_or(0)), u64::from(options.depth_limit)) as u32,
            nodes: smallest(
                smallest(limits.nodes.unwrap_or(0), options.nodes_limit),
                options.skill.map_or(0, Skill::nodes),
            ),
            soft_nodes: limits.soft_nodes.unwrap_or(0),
            mate_nodes: limits.mate_nodes,
            search_moves: limits.search_moves.iter().filter(|turn| !turn.is_empty()).cloned().collect(),
            options: options.clone(),
            position,
        });
        let started = self.start_threads();
        let shared = Arc::new(Shared {
            table: Arc::clone(&self.table),
            counters: (0..self.threads.len().max(1)).map(|_| NodeCounter::default()).collect(),
        });
        let results = Arc::new(Results::default());
        if !started {
            // Without a thread there is still an answer.
            let mut position = task.position.clone();
            let pv = greedy::<G>(&mut position, &task.options.evaluation).into_iter().collect();
            on_done(&conclude(&shared, &task, Verdict { pv, ..Verdict::default() }));
            return;
        }
        *lock(&self.busy.searching) = true;
        let mut lead = Some(Lead { on_info, on_done, infinite: limits.infinite, busy: Arc::clone(&self.busy) });
        for thread in &self.threads {
            let _ = thread.orders.send(Order::Search(Job {
                shared: Arc::clone(&shared),
                task: Arc::clone(&task),
                results: Arc::clone(&results),
                lead: lead.take(),
            }));
        }
        self.running = Some(Running { task, limits });
    }

    fn budget(limits: &Limits, options: &SearchOptions, position: &G::Position) -> Budget {
        if limits.infinite {
            return Budget::ENDLESS;
        }
        Budget::new(limits, options, position.side_to_move(), position.moves_played(), G::Position::TURN)
    }

    /// Starts the threads that are missing; false if there is none at all.
    fn start_threads(&mut self) -> bool {
        while self.threads.len() < self.thread_count {
            let index = self.threads.len();
            let (orders, inbox) = mpsc::channel();
            let body = move || {
                let mut histories = Histories::new();
                for order in inbox {
                    match order {
                        Order::Search(job) => histories = work(index, histories, job),
                        Order::Clear => histories.clear(),
                    }
                }
            };
            match thread::Builder::new().name(format!("search {index}")).stack_size(STACK).spawn(body) {
                Ok(handle) => self.threads.push(Thread { orders, handle }),
                // The system has no more threads to give: search with those there are.
                Err(_) => break,
            }
        }
        !self.threads.is_empty()
    }

    /// Ends a running search as soon as can be; nothing happens if there is none.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.task.clock.stop();
            self.wake();
        }
    }

    /// The ponder move was played: the search goes on by the clock, which may be a new one. A search that does not
    /// ponder keeps the clock it has.
    pub fn ponderhit(&self, clocks: Option<Clocks>) {
        if let Some(running) = &self.running
            && running.task.clock.pondering()
        {
            let mut limits = running.limits.clone();
            limits.clocks = clocks.or(limits.clocks);
            let budget = Self::budget(&limits, &running.task.options, &running.task.position);
            running.task.clock.ponderhit(budget);
            self.wake();
        }
    }

    fn wake(&self) {
        if let Some(lead) = self.threads.first() {
            lead.handle.thread().unpark();
        }
    }

    /// Whether a search is running.
    pub fn is_searching(&self) -> bool {
        *lock(&self.busy.searching)
    }

    /// Waits until a running search has called its `on_done`.
    pub fn wait(&mut self) {
        let mut searching = lock(&self.busy.searching);
        while *searching {
            searching = self.busy.idle.wait(searching).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the threads from `keep` on.
    fn join_threads(&mut self, keep: usize) {
        while self.threads.len() > keep {
            if let Some(thread) = self.threads.pop() {
                drop(thread.orders);
                let _ = thread.handle.join();
            }
        }
    }

    /// Static evaluation of a position for each side, in points.
    pub fn evaluate(position: &G::Position, evaluation: &Evaluation) -> ByColor<i32> {
        let mut eval = G::Eval::new(evaluation);
        eval.reset(position);
        let score = eval.evaluate(position);
        let mut both = ByColor([score; 2]);
        both[!position.side_to_move()] = -score;
        both
    }
}

impl<G: Game> Drop for Engine<G> {
    fn drop(&mut self) {
        self.stop();
        self.wait();
        self.join_threads(0);
    }
}

/// One thread's part of a search; hands back what it has learnt.
fn work<G: Game>(index: usize, histories: Histories, job: Job<G>) -> Histories {
    let Job { shared, task, results, lead } = job;
    let mut worker = Worker::new(index, Arc::clone(&shared), Arc::clone(&task), histories);
    let Some(mut lead) = lead else {
        let verdict = worker.run(&mut |_| {});
        lock(&results.verdicts).push(verdict);
        results.arrived.notify_one();
        return worker.histories;
    };
    let mut verdict = worker.run(&mut lead.on_info);
    while lead.infinite && !task.clock.released() || task.clock.pondering() {
        thread::park_timeout(Duration::from_millis(20));
    }
    task.clock.exhaust();
    let helpers = shared.counters.len() - 1;
    let mut verdicts = lock(&results.verdicts);
    while verdicts.len() < helpers {
        verdicts = results.arrived.wait(verdicts).unwrap_or_else(PoisonError::into_inner);
    }
    if task.options.multi_pv <= 1
        && let Some(better) = elect(&verdict, &verdicts)
    {
        verdict = better.clone();
        (lead.on_info)(&Info {
            depth: verdict.depth,
            seldepth: verdict.depth,
            multipv: 1,
            score: verdict.score,
            bound: Bound::Exact,
            nodes: shared.nodes(),
            time: task.clock.elapsed(),
            hashfull: shared.table.hashfull(),
            pv: verdict.pv.clone(),
        });
    }
    drop(verdicts);
    let outcome = conclude(&shared, &task, verdict);
    (lead.on_done)(&outcome);
    *lock(&lead.busy.searching) = false;
    lead.busy.idle.notify_all();
    worker.histories
}

/// The result of another thread that is to be preferred to the first thread's. The threads vote for their moves, the
/// more decisively the deeper they got and the better they think of them; a mate outdoes all votes.
fn elect<'a>(first: &Verdict, others: &'a [Verdict]) -> Option<&'a Verdict> {
    let all = || std::iter::once(first).chain(others).filter(|verdict| !verdict.pv.is_empty());
    let worst = all().map(|verdict| verdict.score).min()?;
    let weight = |verdict: &Verdict| {
        let votes = |other: &Verdict| i64::from(other.score - worst + VOTE) * i64::from(other.depth);
        let same = |other: &&Verdict| other.pv.first() == verdict.pv.first();
        let mate = if verdict.score.abs() >= MATE_BOUND { verdict.score } else { 0 };
        (mate, all().filter(same).map(votes).sum::<i64>())
    };
    let best = others.iter().filter(|verdict| !verdict.pv.is_empty()).max_by_key(|verdict| weight(verdict))?;
    (first.pv.is_empty() || weight(best) > weight(first) && best.pv.first() != first.pv.first()).then_some(best)
}

/// Points that a thread's vote is worth whatever it thinks of its move.
const VOTE: i32 = 15;

/// The turn to play and the reply expected, from the best line.
fn conclude<G: Game>(shared: &Shared, task: &Task<G>, verdict: Verdict) -> Outcome {
    let mut position = task.position.clone();
    let mut line = verdict.pv.into_iter();
    let best = take_turn::<G>(&mut position, &mut line, true, shared, &task.options.evaluation);
    // Nothing to expect where the game is over.
    let over = best.is_empty() || position.winner().is_some() || !position.has_legal_move();
    let ponder = if over {
        Vec::new()
    } else {
        take_turn::<G>(&mut position, &mut line, false, shared, &task.options.evaluation)
    };
    Outcome { best, ponder, score: verdict.score, depth: verdict.depth, nodes: shared.nodes() }
}

/// Plays one turn along a line. Where the line ends too early the table goes on; a turn that must be complete gets the
/// move that looks best otherwise, the other kind is given up.
fn take_turn<G: Game>(
    position: &mut G::Position,
    line: &mut impl Iterator<Item = Move>,
    must: bool,
    shared: &Shared,
    evaluation: &Evaluation,
) -> Vec<Move> {
    let side = position.side_to_move();
    let mut turn = Vec::new();
    loop {
        let next = line.next().filter(|&m| position.is_legal(m)).or_else(|| {
            let entry = shared.table.probe(position.key())?;
            Some(entry.best).filter(|&m| position.is_legal(m))
        });
        let next = next.or_else(|| if must && !turn.is_empty() { greedy::<G>(position, evaluation) } else { None });
        let Some(m) = next else {
            return if must { turn } else { Vec::new() };
        };
        position.make(m, &mut ());
        turn.push(m);
        if position.side_to_move() != side || position.winner().is_some() {
            return turn;
        }
    }
}

/// The move that looks best at once.
fn greedy<G: Game>(position: &mut G::Position, evaluation: &Evaluation) -> Option<Move> {
    let side = position.side_to_move();
    let mut eval = G::Eval::new(evaluation);
    let mut list = MoveList::new();
    position.generate(Stage::All, &mut list);
    list.into_iter().max_by_key(|&m| {
        position.make(m, &mut ());
        let score = if position.winner() == Some(side) {
            MATE
        } else {
            eval.reset(position);
            let score = eval.evaluate(position);
            if position.side_to_move() == side { score } else { -score }
        };
        position.unmake();
        score
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(first: u16, score: i32, depth: u32) -> Verdict {
        Verdict { pv: vec![Move::from_bits(first << 7 | 80)], score, depth }
    }

    #[test]
    fn threads_vote() {
        let lone = verdict(1, 40, 10);
        assert_eq!(elect(&lone, &[]).map(|verdict| verdict.score), None);
        // Two that agree outdo one, deeper and better ones shallow ones.
        let others = [verdict(2, 35, 10), verdict(2, 30, 10)];
        assert_eq!(elect(&lone, &others).map(|verdict| verdict.pv[0]), Some(others[0].pv[0]));
        assert_eq!(elect(&verdict(1, 40, 12), &[verdict(2, 40, 10)]).map(|verdict| verdict.depth), None);
        assert_eq!(elect(&verdict(1, 40, 10), &[verdict(2, 90, 10)]).map(|verdict| verdict.score), Some(90));
        // A mate is played, and one against us put off.
        let others = [verdict(2, 500, 20), verdict(2, 500, 20)];
        assert_eq!(elect(&verdict(1, MATE - 9, 8), &others).map(|verdict| verdict.score), None);
        assert_eq!(elect(&verdict(1, 9 - MATE, 8), &others[..1]).map(|verdict| verdict.score), Some(500));
        assert!(elect(&Verdict::default(), &others).is_some());
    }
}
