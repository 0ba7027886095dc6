//! What ends a node before its moves are searched, and what a move is worth beyond them.

use crate::board::Move;
use crate::game::{Evaluator, Game, Position};

use super::history::NO_CONTEXT;
use super::node::{Node, NonPv};
use super::picker::{Picker, Scope};
use super::table::Entry;
use super::worker::Worker;
use super::{Bound, MATE_BOUND};

/// A node out of check before its moves are looked at.
pub(super) struct View {
    pub(super) depth: i32,
    /// The static evaluation as corrected.
    pub(super) eval: i32,
    /// The same, or the table's score where that says more.
    pub(super) estimate: i32,
    /// The side to move is better off than at its last turn.
    pub(super) improving: bool,
    /// The other side is worse off than it thought after its last turn.
    pub(super) worsening: bool,
    pub(super) cut_node: bool,
    pub(super) table_pv: bool,
    pub(super) table_move: Move,
    pub(super) table_capture: bool,
}

/// What the search of a node without its best move says.
pub(super) enum Singular {
    /// Search the move so much deeper, or less deep.
    Extend(i32),
    /// Other moves fail high as well.
    Cut(i32),
}

impl<G: Game> Worker<G> {
    /// Reverse futility pruning, outside principal variations: the evaluation is so far above beta that a shallow search
    /// will not bring it down.
    #[inline]
    pub(super) fn reverse_futility(&self, beta: i32, view: &View) -> Option<i32> {
        let View { depth, estimate, .. } = *view;
        let params = &self.params;
        let gain =
            i32::from(view.improving) * params.reverse_improving + i32::from(view.worsening) * params.reverse_worsening;
        let margin = params.reverse_futility * depth - params.reverse_futility * gain / 100;
        let cut = depth <= params.reverse_futility_depth
            && (params.reverse_pv != 0 || !view.table_pv)
            && (view.table_move.is_none() || view.table_capture || params.reverse_pv != 0)
            && beta.abs() < MATE_BOUND
            && estimate < MATE_BOUND
            && estimate - margin >= beta;
        cut.then_some((estimate + beta) / 2)
    }

    /// Razoring and the null move, outside principal variations.
    pub(super) fn cut_before_moves(&mut self, alpha: i32, beta: i32, view: &View) -> Option<i32> {
        let params = &self.params;
        let View { depth, eval, estimate, .. } = *view;
        let ply = self.ply;
        let whole = self.position.step() == 1;

        // Razoring
        if depth <= params.razor_depth && whole && estimate + params.razor * depth < alpha {
            let score = self.quiesce::<NonPv>(alpha, alpha + 1, 0);
            if score <= alpha {
                return Some(score);
            }
        }

        let params = &self.params;
        // Null move: if even passing the turn fails high, a move will
        if depth >= params.null_depth
            && whole
            && estimate >= beta
            && eval >= beta - params.null_slope * depth + params.null_base
            && ply >= self.null_min_ply
            && beta.abs() < MATE_BOUND
            && self.position.last_move() != Move::NULL
            && self.position.null_move_allowed()
        {
            let reduction = params.null_reduction
                + depth / params.null_divisor
                + ((estimate - beta) / params.null_margin).min(params.null_most);
            self.frames[ply].context = NO_CONTEXT;
            self.frames[ply].m = Move::NULL;
            self.frames[ply].capture = false;
            self.eval.push();
            self.position.make_null();
            self.ply += 1;
            let mut score = -self.search::<NonPv>(-beta, -beta + 1, depth - reduction, false);
            self.ply -= 1;
            self.position.unmake_null();
            self.eval.pop();
            if score >= beta && !self.aborted() {
                score = score.min(MATE_BOUND - 1);
                if depth < 12 || self.null_min_ply > 0 {
                    return Some(score);
                }
                // Verification at high depths, without null moves above
                self.null_min_ply = ply + 3 * (depth - reduction).max(1) as usize / 4;
                let verified = self.search::<NonPv>(beta - 1, beta, depth - reduction, false);
                self.null_min_ply = 0;
                if verified >= beta {
                    return Some(score);
                }
            }
        }
        None
    }

    /// ProbCut: a capture that beats beta by far in a shallow search would do so in a deep one. What the table says
    /// of the node may be enough.
    pub(super) fn cut_by_probe<N: Node>(
        &mut self,
        beta: i32,
        view: &View,
        entry: Option<&Entry>,
        plain_eval: i32,
    ) -> Option<i32> {
        if N::ROOT || beta.abs() >= MATE_BOUND {
            return None;
        }
        let depth = view.depth;
        let table_score = entry.map(|entry| super::table::score_from_table(entry.score, self.ply));
        let far = beta + self.params.probcut_table;
        if let (Some(entry), Some(score)) = (entry, table_score)
            && !N::PV
            && entry.bound.is_lower()
            && entry.depth >= depth - 4
            && score >= far
            && score < MATE_BOUND
        {
            return Some(far);
        }
        let goal = beta + self.params.probcut - if view.improving { self.params.probcut_improving } else { 0 };
        if N::PV
            || depth < self.params.probcut_depth
            || self.position.step() != 1
            || G::Position::TURN != 1
            || table_score.is_some_and(|score| score < goal)
        {
            return None;
        }
        let ply = self.ply;
        let base = self.moves.len();
        let contexts = self.contexts(ply);
        let info = self.position.check_info();
        let table_move = if view.table_capture { view.table_move } else { Move::NONE };
        let mut picker = Picker::new(Scope::Captures, false, table_move, [Move::NONE; 3], self.all_moves, base);
        let excluded = self.frames[ply].excluded;
        let key = self.position.key();
        let mut found = None;
        loop {
            let m = self.pick(&mut picker, &contexts, &info);
            if m.is_none() {
                break;
            }
            if m == excluded || !self.position.see_ge(m, goal - view.eval) {
                continue;
            }
            self.count_node();
            self.enter(m);
            self.frames[ply].count = 1;
            let reduced = depth - 4;
            let mut score =
                if let Some(score) = self.terminal() { -score } else { -self.quiesce::<NonPv>(-goal, -goal + 1, 0) };
            if score >= goal && reduced > 0 {
                score = -self.search::<NonPv>(-goal, -goal + 1, reduced, !view.cut_node);
            }
            self.leave();
            if self.aborted() {
                break;
            }
            if score >= goal {
                self.store(key, m, score, plain_eval, depth - 3, Bound::Lower, view.table_pv);
                found = Some(if score < MATE_BOUND { score - (goal - beta) } else { score });
                break;
            }
        }
        self.moves.truncate(base);
        found
    }

    /// Whether the table's move is much better than all others: they are searched, less deep, with a window below its
    /// score.
    pub(super) fn singular<N: Node>(
        &mut self,
        m: Move,
        table_score: i32,
        beta: i32,
        depth: i32,
        cut_node: bool,
        table_capture: bool,
    ) -> Singular {
        let ply = self.ply;
        let params = self.params;
        let earlier_pv = self.frames[ply].table_pv && !N::PV;
        let margin = params.singular + if earlier_pv { params.singular_pv } else { 0 };
        let bar = table_score - margin * depth / 64;
        self.frames[ply].excluded = m;
        let score = self.search::<NonPv>(bar - 1, bar, (depth - 1) / 2, cut_node);
        self.frames[ply].excluded = Move::NONE;
        if score < bar {
            let double = params.singular_double + if N::PV { params.singular_double_pv } else { 0 };
            let triple = double + params.singular_triple;
            let by = 1 + i32::from(score < bar - double) + i32::from(!table_capture && !N::PV && score < bar - triple);
            return Singular::Extend(by);
        }
        if score >= beta && score.abs() < MATE_BOUND && !N::PV {
            return Singular::Cut(score);
        }
        if table_score >= beta {
            return Singular::Extend(-params.singular_negative);
        }
        if cut_node {
            return Singular::Extend(-params.singular_cut);
        }
        Singular::Extend(0)
    }
}
