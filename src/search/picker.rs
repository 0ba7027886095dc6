//! Staged move ordering: table move, winning captures, killers, quiet moves, losing captures.

use std::cmp::Reverse;

use arrayvec::ArrayVec;

use crate::board::{Kind, Move, MoveList};
use crate::game::{Position, Stage};

use super::Params;
use super::history::{Contexts, Histories, LOW_PLIES, context};

/// How many quiet moves are picked one by one before the rest is sorted.
const LOOKED_FOR: usize = 10;

/// A move with its rank in the order.
#[derive(Clone, Copy)]
pub struct Scored {
    score: i32,
    m: Move,
}

/// The moves of all nodes of the present line, each picker's after its parent's: nothing is copied or allocated.
pub type MoveStack = Vec<Scored>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Table,
    GenerateTactical,
    GoodTactical,
    Refutation(usize),
    GenerateQuiet,
    Quiet,
    BadTactical,
    GenerateEvasions,
    Evasions,
    GenerateChecks,
    Checks,
    Done,
}

/// How far the moves go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Every move.
    Full,
    /// Captures, whatever the exchange.
    Captures,
    /// The same, then quiet checks.
    CapturesAndChecks,
}

/// Hands out the moves of a node, best first, each once.
pub struct Picker {
    /// Where this picker's moves begin on the stack.
    base: usize,
    /// The next of them.
    next: usize,
    bad: ArrayVec<Move, 64>,
    next_bad: usize,
    step: Step,
    scope: Scope,
    table: Move,
    refutations: [Move; 3],
    all_moves: bool,
    skip_quiets: bool,
}

/// What the picker orders moves by.
pub struct Orders<'a, I> {
    /// The histories of this thread.
    pub histories: &'a Histories,
    /// The moves before this node, newest first.
    pub contexts: &'a Contexts,
    /// Where checks come from.
    pub info: &'a I,
    /// The node's distance from the root.
    pub ply: usize,
    /// The weights.
    pub params: &'a Params,
}

impl Picker {
    /// A picker for a node. `table` must be legal or [`Move::NONE`]; refutations may be anything.
    pub fn new(
        scope: Scope,
        in_check: bool,
        table: Move,
        refutations: [Move; 3],
        all_moves: bool,
        base: usize,
    ) -> Self {
        let first = if in_check { Step::GenerateEvasions } else { Step::GenerateTactical };
        Self {
            base,
            next: base,
            bad: ArrayVec::new(),
            next_bad: 0,
            step: if table.is_some() { Step::Table } else { first },
            scope,
            table,
            refutations,
            all_moves,
            skip_quiets: false,
        }
    }

    /// Leaves out the quiet moves that are still to come.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move, [`Move::NONE`] at the end.
    pub fn next<P: Position>(&mut self, position: &P, orders: &Orders<P::CheckInfo>, stack: &mut MoveStack) -> Move {
        loop {
            match self.step {
                Step::Table => {
                    self.step = if position.in_check() { Step::GenerateEvasions } else { Step::GenerateTactical };
                    return self.table;
                }
                Step::GenerateTactical => {
                    self.generate(position, Stage::Tactical, stack, |m| {
                        let mover = position.mover(m);
                        let history = position.victim(m).map_or(0, |kind| orders.histories.capture(mover, m, kind));
                        // The most valuable victim first; history decides between similar ones.
                        16 * position.gain(m) + history / 8
                    });
                    self.step = Step::GoodTactical;
                }
                Step::GoodTactical => {
                    while let Some(m) = self.best(stack) {
                        // More losing captures than the list takes are too many to matter: they come at once.
                        if self.scope != Scope::Full || position.see_ge(m, 0) || self.bad.try_push(m).is_err() {
                            return m;
                        }
                    }
                    self.step = match self.scope {
                        Scope::Full => Step::Refutation(0),
                        Scope::Captures => Step::Done,
                        Scope::CapturesAndChecks => Step::GenerateChecks,
                    };
                }
                Step::Refutation(index) => {
                    self.step = if index + 1 < self.refutations.len() {
                        Step::Refutation(index + 1)
                    } else {
                        Step::GenerateQuiet
                    };
                    let m = self.refutations[index];
                    if m.is_some()
                        && !self.skip_quiets
                        && m != self.table
                        && !self.refutations[..index].contains(&m)
                        && position.is_legal(m)
                        && !Self::is_tactical(position, m)
                    {
                        return m;
                    }
                    // One that cannot be played here must not hide a quiet move that equals it later.
                    self.refutations[index] = Move::NONE;
                }
                Step::GenerateQuiet => {
                    if !self.skip_quiets {
                        self.generate(position, Stage::Quiet, stack, |m| Self::quiet_score(position, orders, m));
                    }
                    self.step = Step::Quiet;
                }
                Step::Quiet => {
                    while !self.skip_quiets && self.next < stack.len() {
                        // Most nodes want only a few quiet moves: those are looked for, the others sorted.
                        let found = self.next - self.base;
                        if found < LOOKED_FOR {
                            if let Some(left) = stack.get_mut(self.next..) {
                                bring_best(left);
                            }
                        } else if found == LOOKED_FOR {
                            stack[self.next..].sort_unstable_by_key(|scored| (Reverse(scored.score), scored.m));
                        }
                        let m = stack[self.next].m;
                        self.next += 1;
                        if m != self.table && !self.refutations.contains(&m) {
                            return m;
                        }
                    }
                    self.step = Step::BadTactical;
                }
                Step::BadTactical => {
                    if self.next_bad < self.bad.len() {
                        self.next_bad += 1;
                        return self.bad[self.next_bad - 1];
                    }
                    self.step = Step::Done;
                }
                Step::GenerateEvasions => {
                    self.generate(position, Stage::All, stack, |m| {
                        if position.is_capture(m) {
                            (1 << 20) + position.gain(m)
                        } else {
                            Self::quiet_score(position, orders, m)
                        }
                    });
                    self.step = Step::Evasions;
                }
                Step::Evasions => match self.best(stack) {
                    Some(m) if self.skip_quiets && !position.is_capture(m) => {}
                    Some(m) => return m,
                    None => self.step = Step::Done,
                },
                Step::GenerateChecks => {
                    self.generate(position, Stage::QuietChecks, stack, |m| Self::quiet_score(position, orders, m));
                    self.step = Step::Checks;
                }
                Step::Checks => match self.best(stack) {
                    Some(m) => return m,
                    None => self.step = Step::Done,
                },
                Step::Done => return Move::NONE,
            }
        }
    }

    /// Whether a legal move belongs to [`Stage::Tactical`].
    #[inline]
    fn is_tactical<P: Position>(position: &P, m: Move) -> bool {
        position.is_capture(m) || m.is_promotion() && position.mover(m).kind() == Kind::Pawn
    }

    #[inline]
    fn quiet_score<P: Position>(position: &P, orders: &Orders<P::CheckInfo>, m: Move) -> i32 {
        let mover = position.mover(m);
        let histories = orders.histories;
        let later = context(mover, m.to());
        let [one, two, three, four, six] = orders.contexts.map(|earlier| histories.continuation(earlier, later));
        let mut score = 2 * histories.butterfly(mover.color(), m) + 2 * one + two + three / 2 + four + six / 2;
        if m.is_promotion() {
            score += 4000;
        }
        if orders.params.order_check > 0 && position.gives_check(m, orders.info) && position.see_ge(m, -75) {
            score += orders.params.order_check;
        }
        if orders.ply < LOW_PLIES && orders.params.order_low_ply > 0 {
            score += orders.params.order_low_ply * histories.low_ply(orders.ply, m) / (8 * (1 + orders.ply as i32));
        }
        score
    }

    #[inline]
    fn generate<P: Position>(
        &mut self,
        position: &P,
        stage: Stage,
        stack: &mut MoveStack,
        mut score: impl FnMut(Move) -> i32,
    ) {
        let mut list = MoveList::new();
        if self.all_moves {
            position.generate(stage, &mut list);
        } else {
            position.generate_pruned(stage, &mut list);
        }
        stack.truncate(self.base);
        self.next = self.base;
        stack.extend(list.iter().map(|&m| Scored { score: score(m), m }));
    }

    /// Takes the best of the moves left; the table move has been played.
    #[inline]
    fn best(&mut self, stack: &mut MoveStack) -> Option<Move> {
        loop {
            let left = stack.get_mut(self.next..)?;
            bring_best(left);
            let m = left.first()?.m;
            self.next += 1;
            if m != self.table {
                return Some(m);
            }
        }
    }
}

/// Swaps the move that ranks first to the front.
#[inline]
fn bring_best(moves: &mut [Scored]) {
    let Some(first) = moves.first() else { return };
    let (mut best, mut score) = (0, first.score);
    for (index, scored) in moves.iter().enumerate().skip(1) {
        if scored.score > score {
            (best, score) = (index, scored.score);
        }
    }
    moves.swap(0, best);
}
