//! The search of a node: principal variation search with what prunes, reduces and extends it.

use arrayvec::ArrayVec;
use once_cell::sync::Lazy;

use crate::board::Move;
use crate::game::{Dominance, Evaluator, Game, Position, Repetition};

use super::correction::{Corrections, Slots};
use super::history::{Contexts, DISTANCES, NO_CONTEXT, context};
use super::picker::{Orders, Picker, Scope};
use super::prune::{Singular, View};
use super::table::{NO_EVAL, score_from_table};
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

/// Where each move of the root is scored, those that are this many points behind the best get no exact score.
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
        if self.params.dominance > 0
            && !self.plain
            && let Some(dominance) = self.position.dominance(self.ply)
        {
            let value = self.params.dominance;
            return Some(if dominance == Dominance::Better { value - ply } else { ply - value });
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
        let frame = &mut self.frames[self.ply];
        frame.context = context(self.position.mover(m), m.to());
        frame.m = m;
        frame.capture = self.position.is_capture(m);
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

    /// The contexts of the moves before the node `ply` half-moves below the root, on the present line.
    #[inline]
    pub(super) fn contexts(&self, ply: usize) -> Contexts {
        DISTANCES.map(|back| if ply >= back { self.frames[ply - back].context } else { NO_CONTEXT })
    }

    /// The next move that a picker has for the present node.
    #[inline]
    pub(super) fn pick(
        &mut self,
        picker: &mut Picker,
        contexts: &Contexts,
        info: &<G::Position as Position>::CheckInfo,
    ) -> Move {
        let orders = Orders { histories: &self.histories, contexts, info, ply: self.ply, params: &self.params };
        picker.next(&self.position, &orders, &mut self.moves)
    }

    /// Where the corrections of the present position's evaluation lie.
    #[inline]
    pub(super) fn correction_slots(&self) -> Slots {
        let at = |back: usize| if self.ply >= back { self.frames[self.ply - back].context } else { NO_CONTEXT };
        Corrections::slots(self.position.side_to_move(), &self.position.structure(), at(1), at(2))
    }

    /// The static evaluation and the same as corrected; `known` is the former if the table had it.
    #[inline]
    pub(super) fn evaluate(&mut self, known: i32, slots: &Slots) -> (i32, i32) {
        let plain = if known != NO_EVAL { known } else { self.eval.evaluate(&self.position) };
        let corrected = plain + self.histories.corrections.get(slots, &self.params);
        (plain, corrected.clamp(1 - MATE_BOUND, MATE_BOUND - 1))
    }

    /// Searches the position to `depth` and returns its score for the side to move, fail-soft. `cut_node` says that
    /// it is expected to fail high.
    pub(super) fn search<N: Node>(&mut self, mut alpha: i32, mut beta: i32, mut depth: i32, cut_node: bool) -> i32 {
        let ply = self.ply;
        let us = self.position.side_to_move();
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
        // The search for a singular move leaves it out.
        let excluded = self.frames[ply].excluded;
        let alone = excluded.is_some();
        // Whether the last move was the enemy's and is known.
        let answering = ply > 0 && self.frames[ply - 1].m.is_some() && self.position.step() == 1;
        let last_reduction = if answering { std::mem::take(&mut self.frames[ply - 1].reduction) } else { 0 };

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
        let table_pv = if alone { self.frames[ply].table_pv } else { N::PV || entry.is_some_and(|entry| entry.pv) };
        self.frames[ply].table_pv = table_pv;
        let table_capture = table_move.is_some() && self.position.is_capture(table_move);
        let table_score = entry.map_or(0, |entry| score_from_table(entry.score, ply));
        if let Some(entry) = entry
            && !N::PV
            && !alone
            && entry.depth >= depth
        {
            // Near the move limit a score from farther away says nothing.
            if entry.bound.decides(table_score, alpha, beta) && !self.near_limit(depth) {
                if table_score >= beta && table_move.is_some() {
                    self.note_table_cut(table_move, table_capture, depth, answering);
                }
                return table_score;
            }
        }

        // Static evaluation
        let (mut plain_eval, mut eval) = (NO_EVAL, NO_EVAL);
        let slots = (!in_check && !self.plain).then(|| self.correction_slots());
        if let Some(slots) = &slots {
            (plain_eval, eval) = self.evaluate(entry.map_or(NO_EVAL, |entry| entry.eval), slots);
        }
        self.frames[ply].eval = eval;
        // Compared with the same point of the last own turn, and the enemy's.
        let turn = usize::from(G::Position::TURN);
        let before = |back: usize| if ply >= back { self.frames[ply - back].eval } else { NO_EVAL };
        let (own, enemy) = (before(2 * turn), before(turn));
        let mut improving = eval != NO_EVAL && (own == NO_EVAL || eval > own);
        let worsening = eval != NO_EVAL && enemy != NO_EVAL && eval > -enemy;
        // The table's score says more than the evaluation where it bounds the right way.
        let mut estimate = eval;
        if let Some(entry) = entry
            && eval != NO_EVAL
            && table_score.abs() < MATE_BOUND
            && entry.bound.decides(table_score, eval, eval)
        {
            estimate = table_score;
        }

        // Hindsight: the evaluation says what the last reduction should have been.
        if eval != NO_EVAL && enemy != NO_EVAL && !alone {
            if last_reduction >= self.params.hindsight_extend && !worsening {
                depth += 1;
            }
            if last_reduction >= 2 && depth >= 2 && eval + enemy > self.params.hindsight_reduce {
                depth -= 1;
            }
        }

        if !in_check && !self.plain && !alone {
            let view =
                View { depth, eval, estimate, improving, worsening, cut_node, table_pv, table_move, table_capture };
            if !N::PV
                && let Some(score) = self.reverse_futility(beta, &view)
            {
                return score;
            }
            // A win that needs no search
            if !N::ROOT
                && entry.is_none_or(|entry| entry.may_win_at_once())
                && let Some((m, length)) = self.win_at_once()
            {
                let score = MATE - (ply as i32 + length as i32);
                self.store(key, m, score, plain_eval, depth, Bound::Exact, table_pv);
                if N::PV {
                    self.frames[ply].pv.push(m);
                }
                return score;
            }
            if !N::PV
                && let Some(score) = self.cut_before_moves(alpha, beta, &view)
            {
                return score;
            }
            improving |= eval >= beta;
            if let Some(score) = self.cut_by_probe::<N>(beta, &view, entry.as_ref(), plain_eval) {
                return score;
            }
        }
        if self.aborted() {
            return 0;
        }

        // Internal iterative reduction
        if !self.plain
            && !N::ROOT
            && depth >= self.params.internal_depth
            && table_move.is_none()
            && (N::PV || cut_node)
            && !alone
        {
            depth -= 1;
        }

        // Moves
        let contexts = self.contexts(ply);
        let killers = self.frames[ply].killers;
        let counter = if contexts[0] == NO_CONTEXT { Move::NONE } else { self.histories.counter(contexts[0]) };
        if ply + 1 < MAX_PLY {
            self.frames[ply + 1].killers = [Move::NONE; 2];
            self.frames[ply + 2].cutoffs = 0;
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
        let second_half = self.position.step() == 2 && ply > 0 && !self.plain && !self.all_moves;
        let mut transposed = false;
        if G::Position::TURN == 2 {
            self.frames[ply].tried.clear();
        }
        loop {
            let m = self.pick(&mut picker, &contexts, &check_info);
            if m.is_none() {
                break;
            }
            if m == excluded || !self.permitted(m) {
                continue;
            }
            // What has been searched the other way round is not searched again.
            if second_half
                && self.frames[ply - 1].tried.contains(&m)
                && !self.position.is_capture(m)
                && self.position.transposes(m)
            {
                transposed = true;
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
            let made = context(mover, m.to());
            // In 1024ths of a depth
            let mut reduction = self.params.reduction
                + (i64::from(self.params.reduction_factor) * i64::from(LOG[(depth as usize).min(255)]) / 1024
                    * i64::from(LOG[count.min(255)])
                    / 1024) as i32;
            let history = if quiet {
                self.histories.butterfly(us, m)
                    + self.histories.continuation(contexts[0], made)
                    + self.histories.continuation(contexts[1], made)
            } else if let Some(victim) = self.position.victim(m) {
                self.histories.capture(mover, m, victim)
            } else {
                0
            };

            // Pruning of single moves, once something better than a loss is in hand
            if !N::ROOT && !self.plain && best_score > -MATE_BOUND {
                let late_depth = (depth - reduction / 1024).max(0);
                if quiet {
                    // Late move pruning
                    let limit = (self.params.late_moves + depth * depth) / if improving { 1 } else { 2 };
                    if count as i32 > limit && !in_check {
                        picker.skip_quiets();
                    }
                    // History pruning
                    if late_depth <= 5 && history < -self.params.history_pruning * depth {
                        continue;
                    }
                    let late_depth = (late_depth + history / self.params.late_history).max(0);
                    // Futility pruning
                    let promise = eval + self.params.futility + self.params.futility_step * late_depth;
                    if !in_check && !check && late_depth <= self.params.futility_depth && promise <= alpha {
                        picker.skip_quiets();
                        continue;
                    }
                    if !self.position.see_ge(m, -self.params.see_quiet * late_depth * late_depth) {
                        continue;
                    }
                } else {
                    let promise = eval
                        + self.params.capture_futility
                        + self.params.capture_futility_step * late_depth
                        + self.position.gain(m)
                        + history / 64;
                    if !in_check && !check && late_depth <= 7 && promise <= alpha {
                        continue;
                    }
                    if depth <= 8 && !self.position.see_ge(m, -self.params.see_capture * depth) {
                        continue;
                    }
                }
            }

            let mut extension = 0;
            if !N::ROOT
                && m == table_move
                && !alone
                && depth >= self.params.singular_depth + i32::from(table_pv)
                && ply < 2 * self.root_depth as usize
                && let Some(entry) = entry
                && entry.bound.is_lower()
                && entry.depth >= depth - 3
                && table_score.abs() < MATE_BOUND - MAX_PLY as i32
            {
                match self.singular::<N>(m, table_score, beta, depth, cut_node, table_capture) {
                    Singular::Extend(by) => extension = by,
                    Singular::Cut(score) => return score,
                }
                if self.aborted() {
                    return 0;
                }
                self.frames[ply].tried.clear();
            }
            // Check extension, where the check is not given away
            if extension == 0
                && check
                && !self.plain
                && ply * 100 < (self.params.check_extension * self.root_depth) as usize
                && self.position.see_ge(m, 0)
            {
                extension = 1;
            }

            let nodes_before = self.nodes;
            self.count_node();
            self.enter(m);
            self.frames[ply].count = count;
            let mut new_depth = depth - 1 + extension;
            let mut score = -MATE;

            // Late move reductions
            let mut full = !N::PV || count > 1 && !open;
            let reducible = quiet || cut_node || self.params.reduce_captures != 0;
            if depth >= 2 && count > 1 + usize::from(N::ROOT) && !self.plain && !open && reducible {
                let params = &self.params;
                if !table_pv {
                    reduction += params.reduction_not_pv;
                }
                if N::PV {
                    reduction -= params.reduction_pv;
                }
                if cut_node {
                    reduction += params.reduction_cut;
                    if table_move.is_none() {
                        reduction += params.reduction_cut_blind;
                    }
                }
                if !improving {
                    reduction += params.reduction_worse;
                }
                if table_capture {
                    reduction += params.reduction_table_capture;
                }
                if self.frames[ply + 1].cutoffs > 3 {
                    reduction += params.reduction_cutoffs;
                }
                if check || in_check {
                    reduction -= params.reduction_check;
                }
                if !quiet {
                    reduction -= params.reduction_capture;
                }
                if m == killers[0] || m == killers[1] || m == counter {
                    reduction -= params.reduction_killer;
                }
                let most = params.reduction_history_most;
                reduction -= (history * 1024 / params.reduction_history).clamp(-most, most);
                let reduced = (new_depth - (reduction / 1024).max(0)).clamp(1, new_depth.max(1));
                if reduced < new_depth {
                    self.frames[ply].reduction = new_depth - reduced;
                    score = self.child::<NonPv>(switches, alpha, alpha + 1, reduced, true);
                    self.frames[ply].reduction = 0;
                    full = score > alpha;
                    if full {
                        // How much it is better by says how much deeper a second look is worth.
                        let deeper = score > best_score + self.params.deeper + 2 * new_depth;
                        let shallower = score < best_score + self.params.shallower;
                        new_depth += i32::from(deeper) - i32::from(shallower);
                        full = new_depth > reduced;
                    }
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
                        self.frames[ply].cutoffs += u32::from(extension < 2 || N::PV);
                        break;
                    }
                    if !open {
                        alpha = score;
                        if !self.plain && depth > 2 && depth < 14 && score.abs() < MATE_BOUND {
                            depth = (depth - self.params.raised).max(1);
                        }
                    }
                }
            }
            if G::Position::TURN == 2 && !switches && !capture {
                let _ = self.frames[ply].tried.try_push(m);
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
            return if alone || transposed { alpha } else { ply as i32 - MATE };
        }
        if self.plain {
            return best_score;
        }
        if bound == Bound::Lower {
            self.reward(best_move, &quiets, &captures, &contexts, depth, best_move == table_move);
            // A fail high is a bound, the less to be trusted the less deep.
            if best_score.abs() < MATE_BOUND && beta.abs() < MATE_BOUND {
                let weight = self.params.soften;
                best_score -= (best_score - beta) * weight / (100 * depth.max(1));
            }
        } else if bound == Bound::Upper && answering {
            self.reward_last(depth);
        }
        // All moves failing low, the node may matter to a principal variation.
        let table_pv = table_pv || bound == Bound::Upper && ply > 0 && self.frames[ply - 1].table_pv && depth > 3;
        let restricted = N::ROOT && (self.pv_index > 0 || !self.task.search_moves.is_empty());
        if !restricted && !alone && self.ply_unrestricted() {
            self.store(key, best_move, best_score, plain_eval, depth, bound, table_pv);
        }
        // What the search has found that the evaluation did not know
        if let Some(slots) = &slots
            && !alone
            && !(best_move.is_some() && self.position.is_capture(best_move))
            && best_score.abs() < MATE_BOUND - MAX_PLY as i32
            && match bound {
                Bound::Lower => best_score > eval,
                Bound::Upper => best_score < eval,
                _ => true,
            }
        {
            self.histories.corrections.learn(slots, best_score - eval, depth);
        }
        best_score
    }
}
