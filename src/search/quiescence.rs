//! Quiescence: captures until the position is quiet, all evasions in check, and checks at the first ply.

use crate::board::Move;
use crate::game::{Evaluator, Game, Position};

use super::node::Node;
use super::picker::{Picker, Scope};
use super::table::{NO_EVAL, score_from_table};
use super::worker::Worker;
use super::{Bound, MATE, MATE_BOUND, MAX_PLY};

impl<G: Game> Worker<G> {
    /// Score of the position for the side to move once captures are played out; `depth` is 0 at the horizon and
    /// falls. It begins at the start of a turn; a second half-move is searched like a first one, the side being free
    /// to stand on what it has.
    pub(super) fn quiesce<N: Node>(&mut self, mut alpha: i32, beta: i32, depth: i32) -> i32 {
        let ply = self.ply;
        if N::PV {
            self.frames[ply].pv.clear();
        }
        if depth < 0
            && let Some(score) = self.terminal()
        {
            return score;
        }
        if self.aborted() {
            return 0;
        }
        self.seldepth = self.seldepth.max(ply + 1);
        let in_check = self.position.in_check();
        // Iteration one goes on after a stop, but not into exchanges.
        if ply >= MAX_PLY - 2 || self.task.clock.stopped() {
            return self.eval.evaluate(&self.position);
        }

        // Transposition table
        let key = self.position.key();
        let entry = self.shared.table.probe(key);
        if let Some(entry) = entry
            && !N::PV
        {
            let score = score_from_table(entry.score, ply);
            // Near the move limit a score from farther away says nothing.
            if entry.bound.decides(score, alpha, beta) && !self.near_limit(0) {
                return score;
            }
        }
        let mut table_move = entry.map_or(Move::NONE, |entry| entry.best);

        // Standing pat
        let mut best_score = -MATE;
        let mut eval = NO_EVAL;
        let mut best_eval = NO_EVAL;
        if !in_check {
            let slots = self.correction_slots();
            (eval, best_eval) = self.evaluate(entry.map_or(NO_EVAL, |entry| entry.eval), &slots);
            best_score = best_eval;
            if let Some(entry) = entry {
                let score = score_from_table(entry.score, ply);
                if entry.bound.decides(score, best_eval, best_eval) && score.abs() < MATE_BOUND {
                    best_score = score;
                }
            }
            if best_score >= beta {
                if self.params.quiet_soften != 0 && best_score < MATE_BOUND {
                    best_score = (best_score + beta) / 2;
                }
                if entry.is_none() {
                    self.store(key, Move::NONE, best_score, eval, -1, Bound::Lower, false);
                }
                return best_score;
            }
            if entry.is_none_or(|entry| entry.may_win_at_once())
                && let Some((m, length)) = self.win_at_once()
            {
                let score = MATE - (ply as i32 + length as i32);
                self.store(key, m, score, NO_EVAL, 0, Bound::Exact, N::PV);
                return score;
            }
            alpha = alpha.max(best_score);
        }
        let futility = best_eval + self.params.delta;

        // Only what belongs here is taken from the table.
        if table_move.is_some()
            && (!self.position.is_legal(table_move) || !in_check && !self.position.is_capture(table_move))
        {
            table_move = Move::NONE;
        }
        let scope = if depth == 0 { Scope::CapturesAndChecks } else { Scope::Captures };
        let contexts = self.contexts(ply);
        let base = self.moves.len();
        let mut picker = Picker::new(scope, in_check, table_move, [Move::NONE; 3], self.all_moves, base);
        let check_info = self.position.check_info();
        let us = self.position.side_to_move();
        let mut best_move = Move::NONE;
        let mut bound = Bound::Upper;
        let mut count = 0;
        loop {
            let m = self.pick(&mut picker, &contexts, &check_info);
            if m.is_none() {
                break;
            }
            count += 1;
            if in_check {
                if best_score > -MATE_BOUND {
                    // One quiet way out that holds is enough.
                    picker.skip_quiets();
                }
            } else if self.position.is_capture(m) {
                if best_score > -MATE_BOUND && !self.position.gives_check(m, &check_info) {
                    // Delta pruning
                    let promise = futility + self.position.gain(m);
                    if promise <= alpha {
                        best_score = best_score.max(promise);
                        continue;
                    }
                }
                if !self.position.see_ge(m, 0) {
                    continue;
                }
            } else if !self.position.see_ge(m, -self.params.see_check) {
                continue;
            }
            self.count_node();
            self.enter(m);
            let score = if G::Position::TURN == 1 || self.position.side_to_move() != us {
                -self.quiesce::<N>(-beta, -alpha, depth - 1)
            } else {
                self.quiesce::<N>(alpha, beta, depth - 1)
            };
            self.leave();
            if self.aborted() {
                return 0;
            }
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = m;
                    bound = Bound::Exact;
                    if N::PV {
                        self.extend_pv(m);
                    }
                    if score >= beta {
                        bound = Bound::Lower;
                        break;
                    }
                    alpha = score;
                }
            }
        }
        self.moves.truncate(base);
        if in_check && count == 0 {
            return ply as i32 - MATE;
        }
        if self.params.quiet_soften != 0 && best_score > beta && best_score < MATE_BOUND && beta > -MATE_BOUND {
            best_score = (best_score + beta) / 2;
        }
        self.store(key, best_move, best_score, eval, if depth == 0 { 0 } else { -1 }, bound, N::PV);
        best_score
    }
}
