//! What a finished node teaches about moves.

use crate::board::Move;
use crate::game::{Game, Position};

use super::Params;
use super::history::{Contexts, NO_CONTEXT};
use super::worker::Worker;

impl<G: Game> Worker<G> {
    /// Rewards the move that failed high and punishes those tried before it.
    pub(super) fn reward(
        &mut self,
        best: Move,
        quiets: &[Move],
        captures: &[Move],
        contexts: &Contexts,
        depth: i32,
        expected: bool,
    ) {
        let ply = self.ply;
        let bonus = bonus(&self.params, depth) + if expected { self.params.bonus_table } else { 0 };
        let malus = malus(&self.params, depth);
        let mover = self.position.mover(best);
        if self.position.is_capture(best) {
            if let Some(victim) = self.position.victim(best) {
                self.histories.update_capture(mover, best, victim, bonus);
            }
        } else {
            let killers = &mut self.frames[ply].killers;
            if killers[0] != best {
                *killers = [best, killers[0]];
            }
            if contexts[0] != NO_CONTEXT {
                self.histories.set_counter(contexts[0], best);
            }
            self.histories.update_quiet(mover, best, ply, contexts, bonus);
            for &m in quiets {
                let mover = self.position.mover(m);
                self.histories.update_quiet(mover, m, ply, contexts, -malus);
            }
        }
        for &m in captures {
            let mover = self.position.mover(m);
            if let Some(victim) = self.position.victim(m) {
                self.histories.update_capture(mover, m, victim, -malus);
            }
        }
    }

    /// Rewards the enemy's last move, quiet, against which nothing was found.
    pub(super) fn reward_last(&mut self, depth: i32) {
        let last = &self.frames[self.ply - 1];
        if self.params.bonus_prior > 0 && !last.capture {
            let (m, made) = (last.m, last.context);
            let bonus = bonus(&self.params, depth) * self.params.bonus_prior / 100;
            let contexts = self.contexts(self.ply - 1);
            self.histories.update_continuation(made, &contexts, bonus);
            self.histories.update_butterfly(!self.position.side_to_move(), m, bonus / 2);
        }
    }

    /// The table's move refutes the enemy's last one, `answering` if that was a move: both are to be remembered.
    pub(super) fn note_table_cut(&mut self, m: Move, capture: bool, depth: i32, answering: bool) {
        if !capture {
            let contexts = self.contexts(self.ply);
            let mover = self.position.mover(m);
            self.histories.update_quiet(mover, m, self.ply, &contexts, bonus(&self.params, depth));
        }
        if answering && self.params.malus_prior > 0 {
            let last = &self.frames[self.ply - 1];
            if !last.capture && last.count <= 3 {
                let made = last.context;
                let malus = malus(&self.params, depth + 1) * self.params.malus_prior / 100;
                let contexts = self.contexts(self.ply - 1);
                self.histories.update_continuation(made, &contexts, -malus);
            }
        }
    }
}

/// History bonus of a cutoff at a depth.
#[inline]
fn bonus(params: &Params, depth: i32) -> i32 {
    (params.bonus * depth - params.bonus_base).clamp(0, params.bonus_most)
}

/// What the moves that did not cut are punished by.
#[inline]
fn malus(params: &Params, depth: i32) -> i32 {
    (params.malus * depth - params.malus_base).clamp(0, params.malus_most)
}
