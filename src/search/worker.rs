//! One thread of a search: what it owns, and iterative deepening.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use arrayvec::ArrayVec;

use crate::board::{ByColor, Move, MoveList};
use crate::game::{Evaluator, Game, Position, Stage};

use super::clock::Clock;
use super::engine::Shared;
use super::history::{Context, Histories, NO_CONTEXT};
use super::node::Root;
use super::picker::MoveStack;
use super::{
    Bound, Info, MATE, MATE_BOUND, MAX_PLY, MateAnswer, MateLimits, MateSearch, Params, SearchOptions, Skill,
    from_centipawns, mate, skill, to_centipawns,
};

/// A line of moves from a node.
pub(super) type Line = ArrayVec<Move, MAX_PLY>;

/// What each ply of the present line remembers.
#[derive(Clone)]
pub(super) struct Frame {
    /// Static evaluation as corrected, [`NO_EVAL`](super::NO_EVAL) in check.
    pub(super) eval: i32,
    /// The move that is being searched, with the context it makes and its number.
    pub(super) m: Move,
    pub(super) context: Context,
    pub(super) count: usize,
    /// Whether it captures.
    pub(super) capture: bool,
    /// By how much it is reduced at the moment.
    pub(super) reduction: i32,
    /// Left out, to see how good the others are.
    pub(super) excluded: Move,
    /// Whether the node is or was on a principal variation.
    pub(super) table_pv: bool,
    /// How many children of the parent have failed high.
    pub(super) cutoffs: u32,
    pub(super) killers: [Move; 2],
    /// In games of several half-moves a turn, the quiet moves of a first half that have been searched.
    pub(super) tried: ArrayVec<Move, 64>,
    pub(super) pv: Line,
}

impl Frame {
    fn new() -> Self {
        Self {
            eval: super::NO_EVAL,
            m: Move::NONE,
            context: NO_CONTEXT,
            count: 0,
            capture: false,
            reduction: 0,
            excluded: Move::NONE,
            table_pv: false,
            cutoffs: 0,
            killers: [Move::NONE; 2],
            tried: ArrayVec::new(),
            pv: Line::new(),
        }
    }
}

/// A move of the root with what is known of it.
#[derive(Clone)]
pub(super) struct RootMove {
    pub(super) m: Move,
    pub(super) score: i32,
    pub(super) previous: i32,
    pub(super) bound: Bound,
    pub(super) seldepth: usize,
    pub(super) nodes: u64,
    pub(super) pv: Line,
}

impl RootMove {
    fn new(m: Move) -> Self {
        Self { m, score: -MATE, previous: -MATE, bound: Bound::None, seldepth: 0, nodes: 0, pv: Line::new() }
    }
}

/// One search, as all its threads see it.
pub(super) struct Task<G: Game> {
    pub(super) position: G::Position,
    pub(super) options: SearchOptions,
    pub(super) clock: Clock,
    pub(super) depth: u32,
    pub(super) nodes: u64,
    /// Nodes of the first thread after which it begins no new iteration, 0 for none.
    pub(super) soft_nodes: u64,
    /// Nodes of the search for a mate, where they are on top of the others.
    pub(super) mate_nodes: Option<u64>,
    /// Allowed turns; all if empty.
    pub(super) search_moves: Vec<Vec<Move>>,
}

/// Result of one thread.
#[derive(Clone, Default)]
pub(super) struct Verdict {
    pub(super) pv: Vec<Move>,
    pub(super) score: i32,
    pub(super) depth: u32,
}

/// One thread's state during a search.
pub(super) struct Worker<G: Game> {
    pub(super) index: usize,
    pub(super) params: Params,
    pub(super) shared: Arc<Shared>,
    pub(super) task: Arc<Task<G>>,
    pub(super) position: G::Position,
    pub(super) eval: G::Eval,
    pub(super) histories: Histories,
    pub(super) frames: Vec<Frame>,
    pub(super) moves: MoveStack,
    pub(super) root_moves: Vec<RootMove>,
    pub(super) pv_index: usize,
    pub(super) ply: usize,
    pub(super) seldepth: usize,
    pub(super) root_depth: i32,
    /// Score of a draw for each side to move.
    pub(super) draw: ByColor<i32>,
    pub(super) nodes: u64,
    /// Nodes at which clock and node limit are looked at next.
    pub(super) next_check: u64,
    check_interval: u64,
    last_check: Instant,
    pub(super) plain: bool,
    pub(super) all_moves: bool,
    /// Every move of the root gets its exact score.
    pub(super) score_all: bool,
    /// The horizon is where it is: no quiescence.
    pub(super) blind: bool,
    /// Null move is off above this ply (verification).
    pub(super) null_min_ply: usize,
}

/// How the move to play is taken from the candidates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// The best one.
    Best,
    /// Any that is at most so much worse.
    Near(i32),
    /// As a weaker player would.
    Weak(Skill),
}

/// How many candidates `Variety` chooses among, and for how many turns of the game.
const VARIETY_LINES: usize = 8;
const VARIETY_TURNS: u32 = 24;

impl Choice {
    fn new(options: &SearchOptions, turns_played: u32) -> Self {
        match options.skill {
            Some(skill) => Self::Weak(skill),
            None if options.variety > 0 && turns_played < VARIETY_TURNS => Self::Near(options.variety),
            None => Self::Best,
        }
    }
}

/// Least and most nodes that go by between looks at the clock, by how long they take: the first ones of a large table
/// wait for its memory.
const CHECK_INTERVAL: (u64, u64) = (8, 512);
/// How long that should be.
const CHECK_TIME: Duration = Duration::from_millis(1);
/// Nodes and memory of the search for a mate that comes first.
const MATE_NODES: u64 = 1000;
const MATE_BYTES: usize = 1 << 20;
/// The same where a win by turns is looked for, at most, in nodes that cost a tenth of what others do; where there is a
/// limit of time, so much of it at most.
const TURNS_NODES: u64 = 200_000;
const TURNS_PERCENT: u64 = 6;

impl<G: Game> Worker<G> {
    /// A worker for one search, with what its thread has learnt before.
    pub(super) fn new(index: usize, shared: Arc<Shared>, task: Arc<Task<G>>, mut histories: Histories) -> Self {
        histories.new_search();
        let position = task.position.clone();
        let mut eval = G::Eval::new(&task.options.evaluation);
        eval.reset(&position);
        let root_side = position.side_to_move();
        let value = from_centipawns::<G>(task.options.draw_value[root_side]);
        let mut draw = ByColor([-value; 2]);
        draw[root_side] = value;
        let mut list = MoveList::new();
        position.generate(Stage::All, &mut list);
        let allowed =
            |m: &Move| task.search_moves.is_empty() || task.search_moves.iter().any(|turn| turn.first() == Some(m));
        let root_moves = list.into_iter().filter(allowed).map(RootMove::new).collect();
        Self {
            index,
            // A move asked for is searched even if it is never better than another.
            all_moves: task.options.all_moves || !task.search_moves.is_empty(),
            plain: task.options.plain,
            params: task.options.change.apply(G::PARAMS),
            shared,
            task,
            position,
            eval,
            histories,
            frames: vec![Frame::new(); MAX_PLY + 2],
            moves: MoveStack::with_capacity(4096),
            root_moves,
            pv_index: 0,
            ply: 0,
            seldepth: 0,
            root_depth: 0,
            draw,
            nodes: 0,
            next_check: 0,
            check_interval: CHECK_INTERVAL.0,
            last_check: Instant::now(),
            score_all: false,
            blind: false,
            null_min_ply: 0,
        }
    }

    /// Searches until a limit or a stop. The first thread reports its lines and watches the limits.
    pub(super) fn run(&mut self, on_info: &mut dyn FnMut(&Info)) -> Verdict {
        if self.root_moves.is_empty() {
            return Verdict::default();
        }
        let choice = Choice::new(&self.task.options, self.position.moves_played() / u32::from(G::Position::TURN));
        if self.index > 0 && choice != Choice::Best {
            // Helpers have no part in a choice.
            return Verdict::default();
        }
        let asked = self.task.options.multi_pv.clamp(1, self.root_moves.len());
        if self.index == 0
            && asked == 1
            && choice == Choice::Best
            && let Some(verdict) = self.mate_at_root(on_info)
        {
            return verdict;
        }
        let (mut lines, mut deepest) = (asked, self.task.depth);
        if deepest == 0 {
            deepest = MAX_PLY as u32;
        }
        match choice {
            Choice::Best => {}
            Choice::Near(_) => lines = lines.max(VARIETY_LINES).min(self.root_moves.len()),
            Choice::Weak(skill) => {
                deepest = deepest.min(skill.depth() * u32::from(G::Position::TURN));
                self.blind = skill.is_blind();
                self.score_all = skill.width() >= self.root_moves.len();
                lines = if self.score_all { 1 } else { lines.max(skill.width()) };
            }
        }
        let turn = i32::from(G::Position::TURN);
        // Iteration one must see a whole turn, or what is left of it.
        let first_depth = if self.task.options.plain { 1 } else { turn + 1 - i32::from(self.position.step()) };
        let mut best = Verdict::default();
        let mut stability = 0;
        let mut last_report = 0;
        let mut reported = false;
        for depth in first_depth..=MAX_PLY as i32 - 8 {
            if depth > first_depth && depth as u32 > deepest {
                break;
            }
            // Helpers skip some depths, so that threads do not all do the same.
            if self.index > 0 && depth > first_depth && (depth as usize + self.index) % 4 == 3 {
                continue;
            }
            self.root_depth = depth;
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.score;
            }
            for line in 0..lines {
                self.pv_index = line;
                self.seldepth = 0;
                self.aspirate(depth, on_info);
                self.root_moves[line..].sort_by_key(|root_move| Reverse(root_move.score));
                self.root_moves[..=line].sort_by_key(|root_move| Reverse(root_move.score));
                if self.task.clock.stopped() {
                    break;
                }
            }
            let stopped = self.task.clock.stopped();
            let head = &self.root_moves[0];
            // A line cut short by the stop counts only if its first move was fully searched.
            if (!stopped || head.bound == Bound::Exact) && head.score > -MATE && !head.pv.is_empty() {
                stability = if best.pv.first() == head.pv.first() { stability + 1 } else { 0 };
                let drop = best.score - head.score;
                best = Verdict { pv: head.pv.to_vec(), score: head.score, depth: depth as u32 };
                if self.index == 0 {
                    reported = false;
                    let now = self.task.clock.elapsed();
                    if stopped
                        || self.task.options.pv_interval == 0
                        || now >= last_report + self.task.options.pv_interval
                    {
                        self.report(depth, asked.min(lines), on_info);
                        last_report = now;
                        reported = true;
                    }
                    if !stopped && self.enough(stability, drop) {
                        break;
                    }
                }
            }
            if stopped || self.task.soft_nodes > 0 && self.nodes >= self.task.soft_nodes {
                break;
            }
        }
        if self.index == 0 && !reported && !best.pv.is_empty() {
            self.report(best.depth as i32, asked.min(lines), on_info);
        }
        self.shared.publish(self.index, self.nodes);
        self.choose(choice, lines, best)
    }

    /// A mate by checks, which proof-number search finds at depths that are out of reach otherwise, or a win by turns that
    /// all threaten. A bounded number of nodes, so that a search by depth or nodes stays the same every time.
    fn mate_at_root(&mut self, on_info: &mut dyn FnMut(&Info)) -> Option<Verdict> {
        let task = Arc::clone(&self.task);
        if G::MATE == MateSearch::None || self.plain || !task.search_moves.is_empty() {
            return None;
        }
        let turns = G::MATE == MateSearch::Turns;
        let usual = match (turns, task.depth) {
            (false, _) => MATE_NODES,
            (true, 0) => TURNS_NODES,
            (true, depth) => TURNS_NODES.min(u64::from(depth) * MATE_NODES),
        };
        let share = |nodes| if nodes > 0 { nodes / 4 } else { usual };
        let most = task.mate_nodes.unwrap_or_else(|| share(task.nodes).min(share(task.soft_nodes)).min(usual));
        // A table for few nodes is small, as it has to be wiped.
        let bytes = MATE_BYTES * most as usize / MATE_NODES as usize;
        let limits = MateLimits { nodes: Some(most), bytes, ..MateLimits::default() };
        let stop = || {
            task.clock.check();
            task.clock.stopped() || turns && task.clock.spent(TURNS_PERCENT)
        };
        let result = mate::solve_until::<G>(&self.position, &limits, &stop);
        if task.mate_nodes.is_none() {
            self.nodes += if turns { result.nodes / 10 } else { result.nodes };
        }
        self.shared.publish(self.index, self.nodes);
        let MateAnswer::Mate(pv) = result.answer else { return None };
        let limit = self.position.rules().move_limit;
        let too_late = limit > 0 && self.position.moves_played() + pv.len() as u32 > limit;
        if pv.len() >= MAX_PLY || too_late {
            return None;
        }
        let (score, depth) = (MATE - pv.len() as i32, pv.len() as u32);
        on_info(&Info {
            depth,
            seldepth: depth,
            multipv: 1,
            score,
            bound: Bound::Exact,
            nodes: self.shared.nodes(),
            time: task.clock.elapsed(),
            hashfull: self.shared.table.hashfull(),
            pv: pv.clone(),
        });
        Some(Verdict { pv, score, depth })
    }

    /// The line to play: the best one, or what a choice makes of the candidates.
    fn choose(&self, choice: Choice, lines: usize, best: Verdict) -> Verdict {
        let candidates = if self.score_all { &self.root_moves[..] } else { &self.root_moves[..lines] };
        let candidates: Vec<_> = candidates.iter().filter(|candidate| !candidate.pv.is_empty()).collect();
        let scores: Vec<i32> = candidates
            .iter()
            .map(|candidate| if candidate.score > -MATE { candidate.score } else { candidate.previous })
            .collect();
        let centipawns: Vec<i32> = scores.iter().map(|&score| to_centipawns::<G>(score)).collect();
        let key = self.position.key();
        let chosen = match choice {
            Choice::Best => return best,
            Choice::Near(margin) => skill::vary(&centipawns, margin, self.task.options.seed, key),
            Choice::Weak(skill) => skill.choose(&centipawns, key),
        };
        match candidates.get(chosen) {
            Some(candidate) => Verdict { pv: candidate.pv.to_vec(), score: scores[chosen], depth: best.depth },
            None => best,
        }
    }

    /// Searches the root in a window around the last score, wider after every failure.
    fn aspirate(&mut self, depth: i32, on_info: &mut dyn FnMut(&Info)) {
        let previous = self.root_moves[self.pv_index].previous;
        let mut delta = self.params.aspiration + previous.clamp(-5000, 5000).pow(2) / self.params.aspiration_square;
        let (mut alpha, mut beta) = (-MATE, MATE);
        if depth >= 5 && !self.plain && !self.score_all && previous.abs() < MATE_BOUND {
            (alpha, beta) = ((previous - delta).max(-MATE), (previous + delta).min(MATE));
        }
        let mut reduction = 0;
        loop {
            let score = self.search::<Root>(alpha, beta, (depth - reduction).max(1), false);
            let index = self.pv_index;
            self.root_moves[index..].sort_by_key(|root_move| Reverse(root_move.score));
            if self.task.clock.stopped() {
                return;
            }
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-MATE);
                reduction = 0;
            } else if score >= beta {
                beta = (score + delta).min(MATE);
                reduction = (reduction + 1).min(2);
            } else {
                return;
            }
            if self.index == 0 && self.task.options.report_bounds && self.task.clock.elapsed() > 3000 {
                self.report_line(depth, index, on_info);
            }
            delta += delta / 2;
            if delta > 1000 {
                (alpha, beta) = (-MATE, MATE);
            }
        }
    }

    /// Whether to be content with the iteration just finished.
    fn enough(&self, stability: u32, drop: i32) -> bool {
        let head = &self.root_moves[0];
        if self.task.clock.pondering() || !self.task.clock.limited() {
            return false;
        }
        // A mate that is found does not get shorter by much, and a single move is played anyway. Some depth is
        // still reached, so that a line and a reply can be told.
        let mate = MATE - head.score.abs();
        if self.task.options.multi_pv <= 1
            && (mate <= self.root_depth || self.root_moves.len() == 1 && self.root_depth >= 6)
        {
            return true;
        }
        // Longer when the best move changes, when the score falls, and when other moves take much of the effort.
        let steady = match stability {
            0 => 150,
            1 => 120,
            2 => 95,
            3..6 => 80,
            _ => 65,
        };
        let worse = drop.clamp(-20, 60);
        let share = (head.nodes * 100 / self.nodes.max(1)).min(100);
        let percent = (steady + worse).max(20) as u64 * (160 - share) / 100;
        self.task.clock.enough(percent)
    }

    fn report(&self, depth: i32, lines: usize, on_info: &mut dyn FnMut(&Info)) {
        // The best line comes last: clients take score and line from the last one before the move.
        for line in (0..lines).rev() {
            self.report_line(depth, line, on_info);
        }
    }

    fn report_line(&self, depth: i32, line: usize, on_info: &mut dyn FnMut(&Info)) {
        let root_move = &self.root_moves[line];
        let known = root_move.score > -MATE;
        if root_move.pv.is_empty() {
            return;
        }
        self.shared.publish(self.index, self.nodes);
        on_info(&Info {
            depth: depth as u32,
            seldepth: root_move.seldepth.max(1) as u32,
            multipv: line + 1,
            score: if known { root_move.score } else { root_move.previous },
            bound: if known { root_move.bound } else { Bound::Exact },
            nodes: self.shared.nodes(),
            time: self.task.clock.elapsed(),
            hashfull: self.shared.table.hashfull(),
            pv: root_move.pv.to_vec(),
        });
    }

    /// Counts a node and, now and then, looks whether it was the last.
    #[inline]
    pub(super) fn count_node(&mut self) {
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.check_limits();
        }
    }

    #[cold]
    fn check_limits(&mut self) {
        self.shared.publish(self.index, self.nodes);
        let now = Instant::now();
        let took = now - self.last_check;
        self.last_check = now;
        if took > CHECK_TIME {
            self.check_interval = (self.check_interval / 2).max(CHECK_INTERVAL.0);
        } else if took < CHECK_TIME / 2 {
            self.check_interval = (self.check_interval * 2).min(CHECK_INTERVAL.1);
        }
        self.next_check = self.nodes + self.check_interval;
        // Whoever runs looks at the clock: with more threads than processors the first may have to wait for long.
        self.task.clock.check();
        if self.index > 0 {
            return;
        }
        if self.task.nodes > 0 {
            let total = self.shared.nodes();
            // Iteration one is finished whatever the limit: an answer needs it.
            if total >= self.task.nodes {
                self.task.clock.exhaust();
            } else {
                self.next_check = self.nodes + (self.task.nodes - total).min(self.check_interval);
            }
        }
    }

    /// Whether to give up; the first thread never does before iteration one is through, as somebody has to have an
    /// answer.
    #[inline]
    pub(super) fn aborted(&self) -> bool {
        let first = i32::from(G::Position::TURN);
        self.task.clock.stopped() && (self.index > 0 || self.root_depth > first)
    }
}

/// A counter on a cache line of its own.
#[repr(align(64))]
#[derive(Default)]
pub(super) struct NodeCounter(pub(super) AtomicU64);

impl NodeCounter {
    pub(super) fn set(&self, nodes: u64) {
        self.0.store(nodes, Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}
