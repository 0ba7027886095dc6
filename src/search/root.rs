//! The root's part of the search of a node, lines, and the table.

use crate::board::Move;
use crate::game::{Game, Position};

use super::table::{Entry, score_to_table};
use super::worker::Worker;
use super::{Bound, MATE, MAX_PLY};

impl<G: Game> Worker<G> {
    /// Whether a move may be searched at this node: multi-PV and `searchmoves` leave some out.
    #[inline]
    pub(super) fn permitted(&self, m: Move) -> bool {
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
    pub(super) fn ply_unrestricted(&self) -> bool {
        self.task.search_moves.is_empty()
            || self.ply >= usize::from(G::Position::TURN)
            || self.ply == 1 && self.position.step() == 1
    }

    /// Whether the move limit lies within the depth searched.
    #[inline]
    pub(super) fn near_limit(&self, depth: i32) -> bool {
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

    pub(super) fn note_root_move(
        &mut self,
        m: Move,
        score: i32,
        first: bool,
        alpha: i32,
        beta: i32,
        nodes_before: u64,
    ) {
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
}
