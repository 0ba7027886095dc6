//! The search of a node: principal variation search with what prunes, reduces and extends it.

use arrayvec::ArrayVec;
use once_cell::sync::Lazy;

use crate::board::Move;
use crate::game::{Evaluator, Game, Position, Repetition};

use super::history::{NO_CONTEXT, context};
use super::picker::{Orders, Picker, Scope};
use super::table::{Entry, NO_EVAL, score_from_table, score_to_table};
use super::worker::Worker;
use super::{Bound, MATE, MATE_BOUND, MAX_PLY};

/// What kind of node is searched.
pub(super) trait Node {
    /// Whether its window may be open.
    const PV: bool;
    /// Whether it is the root.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// On the principal variation.
pub(super) struct Pv;
/// Searched with an empty window.
pub(super) struct NonPv;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl Node for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// Where each move of the root is scored, those that are this many centipawns behind the best get no exact score.
const OPEN_WINDOW: i32 = 1200;

/// ln(n) in 1024ths.
static LOG: Lazy<[i32; 256]> = Lazy::new(|| {
    let mut table = [0; 256];
    for (n, value) in table.iter_mut().enumerate().skip(1) {
        *value = ((n as f64).ln() * 1024.0) as i32;
    }
    table
});

impl<G: Game> Worker<G> {
    /// Score of a draw for the side to move.
    #[inline]
    pub(super) fn draw_score(&self) -> i32 {
        self.draw[self.position.side_to_move()]
    }

    /// What ends the line here: a win by capture, a repetition, the move limit or a declaration.
    #[inline]
    pub(super) fn terminal(&self) -> Option<i32> {
        let ply = self.ply as i32;
        if let Some(winner) = self.position.winner() {
            return Some(if winner == self.position.side_to_move() { MATE - ply } else { ply - MATE });
        }
        if let Some(repetition) = self.position.repetition(self.ply) {
            return Some(match repetition {
                Repetition::Draw => self.draw_score(),
                Repetition::Win => MATE_BOUND - 1 - ply,
                Repetition::Loss => ply + 1 - MATE_BOUND,
            });
        }
        if self.position.limit_reached() {
            return Some(if self.position.has_legal_move() { self.draw_score() } else { ply - MATE });
        }
        let declared = self.position.impasse_winner()?;
        Some(if declared == self.position.side_to_move() { MATE - ply } else { ply - MATE })
    }

    /// Searches the child after a move of `us`. The sign is turned here and nowhere else: in flanking the side to
    /// move stays after the first half of a turn. `cut` is whether a child of the other side is expected to fail high.
    #[inline]
    fn child<N: Node>(&mut self, switched: bool, alpha: i32, beta: i32, depth: i32, cut: bool) -> i32 {
        if G::Position::TURN == 1 || switched {
            -self.search::<N>(-beta, -alpha, depth, cut)
        } else {
            self.search::<N>(alpha, beta, depth, !cut)
        }
    }

    /// Plays a move on position, evaluation and frames.
    #[inline]
    pub(super) fn enter(&mut self, m: Move) {
        self.shared.table.prefetch(self.position.key_after(m));
        self.frames[self.ply].context = context(self.position.mover(m), m.to());
        self.eval.push();
        self.position.make(m, &mut self.eval);
        self.ply += 1;
    }

    /// Takes it back.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.ply -= 1;
        self.position.unmake();
        self.eval.pop();
    }

    /// The contexts of the moves before the present node: one, two and four half-moves ago.
    #[inline]
    pub(super) fn contexts(&self) -> [u16; 3] {
        let at = |back: usize| if self.ply >= back { self.frames[self.ply - back].context } else { NO_CONTEXT };
        [at(1), at(2), at(4)]
    }

    /// Searches the position to `depth` and returns its score for the side to move, fail-soft.
    pub(super) fn search<N: Node>(&mut self, mut alpha: i32, mut beta: i32, mut depth: i32, cut_node: bool) -> i32 {
        let ply = self.ply;
        let us = self.position.side_to_move();
        let params = &G::PARAMS;
        if N::PV {
            self.frames[ply].pv.clear();
        }

        if !N::ROOT {
            if let Some(score) = self.terminal() {
                return score;
            }
            if depth <= 0 {
                if self.plain || self.blind {
                    return self.eval.evaluate(&self.position);
                }
                if self.position.step() == 1 {
                    return self.quiesce::<N>(alpha, beta, 0);
                }
                // The horizon lies between turns: a half-played one is finished.
                depth = 1;
            }
            if self.aborted() {
                return 0;
            }
            if ply >= MAX_PLY - 2 {
                return self.eval.evaluate(&self.position);
            }
            // Mate distance pruning
            alpha = alpha.max(ply as i32 - MATE);
            beta = beta.min(MATE - ply as i32 - 1);
            if alpha >= beta {
                return alpha;
            }
        }
        self.seldepth = self.seldepth.max(ply + 1);
        let in_check = self.position.in_check();

        // Transposition table
        let key = self.position.key();
        let entry = if self.plain { None } else { self.shared.table.probe(key) };
        let mut table_move = entry.map_or(Move::NONE, |entry| entry.best);
        if N::ROOT {
            if self.root_moves[self.pv_index].score > -MATE || self.root_depth > 1 {
                table_move = self.root_moves[self.pv_index].m;
            }
        } else if table_move.is_some() && !self.position.is_legal(table_move) {
            table_move = Move::NONE;
        }
        let table_pv = N::PV || entry.is_some_and(|entry| entry.pv);
        if let Some(entry) = entry
            && !N::PV
            && entry.depth >= depth
        {
            let score = score_from_table(entry.score, ply);
            let cuts = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
                Bound::None => false,
            };
            // Near the move limit a score from farther away says nothing.
            if cuts && !self.near_limit(depth) {
                if score >= beta && table_move.is_some() && !self.position.is_capture(table_move) {
                    let contexts = self.contexts();
                    let mover = self.position.mover(table_move);
                    self.histories.update_quiet(mover, table_move, &contexts, bonus(depth));
                }
                return score;
            }
        }

        // A win that needs no search
        if !N::ROOT
            && !in_check
            && !self.plain
            && entry.is_none()
            && let Some((m, length)) = self.win_at_once()
        {
            let score = MATE - (ply as i32 + length as i32);
            self.store(key, m, score, NO_EVAL, depth, Bound::Exact, table_pv);
            if N::PV {
                self.frames[ply].pv.push(m);
            }
            return score;
        }

        // Static evaluation
        let mut eval = NO_EVAL;
        if !in_check && !self.plain {
            let known = entry.map_or(NO_EVAL, |entry| entry.eval);
            eval = if known != NO_EVAL { known } else { self.eval.evaluate(&self.position) };
        }
        self.frames[ply].eval = eval;
        // Compared with the same point of the last own turn.
        let back = 2 * G::Position::TURN as usize;
        let improving = eval != NO_EVAL
            && (ply < back || self.frames[ply - back].eval == NO_EVAL || eval > self.frames[ply - back].eval);
        // The table's score says more than the evaluation where it bounds the right way.
        let mut estimate = eval;
        if let Some(entry) = entry
            && eval != NO_EVAL
        {
            let score = score_from_table(entry.score, ply);
            let better = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score > eval,
                Bound::Upper => score < eval,
                Bound::None => false,
            };
            if better && score.abs() < MATE_BOUND {
                estimate = score;
            }
        }

        if !N::PV && !in_check && !self.plain {
            // Razoring
            if depth <= 3 && self.position.step() == 1 && estimate + params.razor * depth < alpha {
                let score = self.quiesce::<NonPv>(alpha, alpha + 1, 0);
                if score <= alpha {
                    return score;
                }
            }

            // Reverse futility pruning
            if depth <= params.reverse_futility_depth
                && beta.abs() < MATE_BOUND
                && estimate < MATE_BOUND
                && estimate - params.reverse_futility * (depth - i32::from(improving)) >= beta
            {
                return (estimate + beta) / 2;
            }

            // Null move: if even passing the turn fails high, a move will
            if depth >= params.null_depth
                && self.position.step() == 1
                && estimate >= beta
                && eval >= beta
                && ply >= self.null_min_ply
                && beta.abs() < MATE_BOUND
                && self.position.last_move() != Move::NULL
                && self.position.null_move_allowed()
            {
                let (base, divisor) = params.null_reduction;
                let reduction = base + depth / divisor + ((estimate - beta) / params.null_margin).min(3);
                self.frames[ply].context = NO_CONTEXT;
                self.eval.push();
                self.position.make_null();
                self.ply += 1;
                let mut score = -self.search::<NonPv>(-beta, -beta + 1, depth - reduction, !cut_node);
                self.ply -= 1;
                self.position.unmake_null();
                self.eval.pop();
                if score >= beta && !self.aborted() {
                    score = score.min(MATE_BOUND - 1);
                    if depth < 12 || self.null_min_ply > 0 {
                        return score;
                    }
                    // Verification at high depths, without null moves above
                    self.null_min_ply = ply + 3 * (depth - reduction).max(1) as usize / 4;
                    let verified = self.search::<NonPv>(beta - 1, beta, depth - reduction, false);
                    self.null_min_ply = 0;
                    if verified >= beta {
                        return score;
                    }
                }
            }
        }

        // Internal iterative reduction
        if !self.plain && !N::ROOT && depth >= 4 && table_move.is_none() && (N::PV || cut_node) {
            depth -= 1;
        }

        // Moves
        let contexts = self.contexts();
        let killers = self.frames[ply].killers;
        let counter = if contexts[0] == NO_CONTEXT { Move::NONE } else { self.histories.counter(contexts[0]) };
        if ply + 1 < MAX_PLY {
            self.frames[ply + 1].killers = [Move::NONE; 2];
        }
        let check_info = self.position.check_info();
        let base = self.moves.len();
        let mut picker =
            Picker::new(Scope::Full, in_check, table_move, [killers[0], killers[1], counter], self.all_moves, base);
        let mut best_score = -MATE;
        let mut best_move = Move::NONE;
        let mut bound = Bound::Upper;
        let mut count = 0;
        let mut quiets: ArrayVec<Move, 64> = ArrayVec::new();
        let mut captures: ArrayVec<Move, 32> = ArrayVec::new();
        // Each move of a root that scores all is searched as if it were the first.
        let open = N::ROOT && self.score_all;
        let switches = G::Position::TURN == 1 || self.position.step() == 2;
        loop {
            let m = {
                let orders = Orders { histories: &self.histories, contexts };
                picker.next(&self.position, &orders, &mut self.moves)
            };
            if m.is_none() {
                break;
            }
            if !self.permitted(m) {
                continue;
            }
            count += 1;
            if open {
                // What is far behind will not be chosen: how far is not worth the time.
                alpha = alpha.max(best_score - OPEN_WINDOW);
            }
            let capture = self.position.is_capture(m);
            let check = self.position.gives_check(m, &check_info);
            let quiet = !capture && !m.is_promotion();
            let mover = self.position.mover(m);
            let mut reduction = (params.reduction.0
                + (i64::from(params.reduction.1) * i64::from(LOG[(depth as usize).min(255)]) / 1024
                    * i64::from(LOG[count.min(255)])
                    / 1024) as i32)
                / 1024;
            let history = if quiet {
                self.histories.butterfly(us, m)
                    + self.histories.continuation(contexts[0], mover, m)
                    + self.histories.continuation(contexts[1], mover, m)
            } else {
                0
            };

            // Pruning of single moves, once something better than a loss is in hand
            if !N::ROOT && !self.plain && best_score > -MATE_BOUND {
                let late_depth = (depth - reduction).max(0);
                if quiet {
                    // Late move pruning
                    let limit = (params.late_moves + depth * depth) / if improving { 1 } else { 2 };
                    if count as i32 > limit && !in_check {
                        picker.skip_quiets();
                    }
                    // History pruning
                    if late_depth <= 5 && history < -params.history_pruning * depth {
                        continue;
                    }
                    // Futility pruning
                    if !in_check
                        && !check
                        && late_depth <= 7
                        && eval + params.futility.0 + params.futility.1 * late_depth <= alpha
                    {
                        picker.skip_quiets();
                        continue;
                    }
                    if !self.position.see_ge(m, -params.see_quiet * late_depth * late_depth) {
                        continue;
                    }
                } else if depth <= 8 && !self.position.see_ge(m, -params.see_capture * depth) {
                    continue;
                }
            }

            // Check extension, where the check is not given away
            let extension =
                i32::from(!self.plain && check && ply < 2 * self.root_depth as usize && self.position.see_ge(m, 0));

            let nodes_before = self.nodes;
            self.count_node();
            self.enter(m);
            let new_depth = depth - 1 + extension;
            let mut score = -MATE;

            // Late move reductions
            let mut full = !N::PV || count > 1 && !open;
            if depth >= 2 && count > 1 + usize::from(N::ROOT) && !self.plain && !open && (quiet || cut_node) {
                if !table_pv {
                    reduction += 1;
                }
                if cut_node {
                    reduction += 1;
                }
                if !improving {
                    reduction += 1;
                }
                if check || in_check {
                    reduction -= 1;
                }
                if !quiet {
                    reduction -= 1;
                }
                if m == killers[0] || m == killers[1] || m == counter {
                    reduction -= 1;
                }
                reduction -= (history / params.reduction_history).clamp(-2, 2);
                let reduced = (new_depth - reduction).clamp(1, new_depth.max(1));
                if reduced < new_depth {
                    score = self.child::<NonPv>(switches, alpha, alpha + 1, reduced, true);
                    full = score > alpha;
                }
            }
            // Everything but the first move of a principal variation has to beat it in an empty window
            if full {
                score = self.child::<NonPv>(switches, alpha, alpha + 1, new_depth, !cut_node);
            }
            if N::PV && (count == 1 || open || score > alpha && (N::ROOT || score < beta)) {
                score = self.child::<Pv>(switches, alpha, beta, new_depth, false);
            }
            self.leave();
            if self.aborted() {
                return 0;
            }

            if N::ROOT {
                self.note_root_move(m, score, count == 1 || open, alpha, beta, nodes_before);
            }
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = m;
                    bound = Bound::Exact;
                    if N::PV && !N::ROOT {
                        self.extend_pv(m);
                    }
                    if score >= beta {
                        bound = Bound::Lower;
                        break;
                    }
                    if !open {
                        alpha = score;
                    }
                }
            }
            if m != best_move {
                if capture {
                    let _ = captures.try_push(m);
                } else {
                    let _ = quiets.try_push(m);
                }
            }
        }

        self.moves.truncate(base);
        if count == 0 {
            // No legal move loses in every game; a root restricted to some moves never comes here.
            return ply as i32 - MATE;
        }
        if bound == Bound::Lower {
            self.reward(best_move, &quiets, &captures, contexts, depth);
        }
        if !(N::ROOT && (self.pv_index > 0 || !self.task.search_moves.is_empty()))
            && !self.plain
            && self.ply_unrestricted()
        {
            self.store(key, best_move, best_score, eval, depth, bound, table_pv);
        }
        best_score
    }

    /// Whether a move may be searched at this node: multi-PV and `searchmoves` leave some out.
    #[inline]
    fn permitted(&self, m: Move) -> bool {
        if self.ply == 0 {
            return self.root_moves[self.pv_index..].iter().any(|root_move| root_move.m == m);
        }
        self.ply_unrestricted() || {
            let first = self.position.last_move();
            self.task.search_moves.iter().any(|turn| turn[0] == first && (turn.len() < 2 || turn[1] == m))
        }
    }

    /// Whether `searchmoves` has no say at this node: it names whole turns, so in flanking it does on two plies.
    #[inline]
    fn ply_unrestricted(&self) -> bool {
        self.task.search_moves.is_empty()
            || self.ply >= usize::from(G::Position::TURN)
            || self.ply == 1 && self.position.step() == 1
    }

    /// Whether the move limit lies within the depth searched.
    #[inline]
    fn near_limit(&self, depth: i32) -> bool {
        let limit = self.position.rules().move_limit;
        limit > 0 && self.position.moves_played() + depth.max(0) as u32 + 8 >= limit
    }

    /// [`Position::quick_win`], unless the move limit comes before the win.
    #[inline]
    pub(super) fn win_at_once(&mut self) -> Option<(Move, u32)> {
        let limit = self.position.rules().move_limit;
        let (m, length) = self.position.quick_win()?;
        (limit == 0 || self.position.moves_played() + length <= limit).then_some((m, length))
    }

    pub(super) fn extend_pv(&mut self, m: Move) {
        let ply = self.ply;
        let (head, tail) = self.frames.split_at_mut(ply + 1);
        let pv = &mut head[ply].pv;
        pv.clear();
        pv.push(m);
        for &next in tail[0].pv.iter().take(MAX_PLY - 1) {
            pv.push(next);
        }
    }

    fn note_root_move(&mut self, m: Move, score: i32, first: bool, alpha: i32, beta: i32, nodes_before: u64) {
        let spent = self.nodes - nodes_before;
        let seldepth = self.seldepth;
        let tail = self.frames[1].pv.clone();
        let Some(root_move) = self.root_moves.iter_mut().find(|root_move| root_move.m == m) else { return };
        root_move.nodes += spent;
        if first || score > alpha {
            root_move.score = score;
            root_move.seldepth = seldepth;
            root_move.bound = if score <= alpha {
                Bound::Upper
            } else if score >= beta {
                Bound::Lower
            } else {
                Bound::Exact
            };
            root_move.pv.clear();
            root_move.pv.push(m);
            for &next in tail.iter().take(MAX_PLY - 1) {
                root_move.pv.push(next);
            }
        } else {
            root_move.score = -MATE;
        }
    }

    /// Stores a node.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub(super) fn store(&self, key: u64, best: Move, score: i32, eval: i32, depth: i32, bound: Bound, pv: bool) {
        let score = score_to_table(score, self.ply);
        self.shared.table.store(key, Entry { best, score, eval, depth, bound, pv });
    }

    /// Rewards the move that failed high and punishes those tried before it.
    fn reward(&mut self, best: Move, quiets: &[Move], captures: &[Move], contexts: [u16; 3], depth: i32) {
        let bonus = bonus(depth);
        let mover = self.position.mover(best);
        if self.position.is_capture(best) {
            if let Some(victim) = self.position.victim(best) {
                self.histories.update_capture(mover, best, victim, bonus);
            }
        } else {
            let killers = &mut self.frames[self.ply].killers;
            if killers[0] != best {
                *killers = [best, killers[0]];
            }
            if contexts[0] != NO_CONTEXT {
                self.histories.set_counter(contexts[0], best);
            }
            self.histories.update_quiet(mover, best, &contexts, bonus);
            for &m in quiets {
                let mover = self.position.mover(m);
                self.histories.update_quiet(mover, m, &contexts, -bonus);
            }
        }
        for &m in captures {
            let mover = self.position.mover(m);
            if let Some(victim) = self.position.victim(m) {
                self.histories.update_capture(mover, m, victim, -bonus);
            }
        }
    }
}

/// History bonus of a cutoff at a depth.
#[inline]
fn bonus(depth: i32) -> i32 {
    (160 * depth - 80).clamp(0, 1700)
}
