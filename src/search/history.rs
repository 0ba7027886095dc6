//! What the search learns about moves: histories, killers and countermoves. One set a thread.

use crate::board::{Color, Kind, Move, Piece, Square};

use super::correction::Corrections;

/// Bound of every history value.
pub const LIMIT: i32 = 16384;

/// A history value that moves towards a bonus and never leaves ±[`LIMIT`].
#[inline]
fn gravity(value: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// Sources of a move: squares and hand kinds.
const FROM: usize = 88;
/// A piece on its target.
pub const PIECE_TO: usize = Piece::COUNT * Square::COUNT;
/// A kind on its target.
pub const KIND_TO: usize = 16 * Square::COUNT;
/// Plies with a history of their own.
pub const LOW_PLIES: usize = 5;

/// Index of a piece arriving on a square, below [`PIECE_TO`]; the context of a continuation history.
pub type Context = u16;

/// How many half-moves ago the moves of [`Contexts`] were made.
pub const DISTANCES: [usize; 5] = [1, 2, 3, 4, 6];

/// The moves before a node, as [`DISTANCES`] says.
pub type Contexts = [Context; DISTANCES.len()];

/// How much of a bonus goes to each of them, in 1024ths.
const SHARES: [i32; DISTANCES.len()] = [1024, 700, 350, 550, 450];

/// The context of a null move, or of none: a slot that no move has (no kind has index 15).
pub const NO_CONTEXT: Context = (15 * Square::COUNT) as Context;

/// The context a move makes.
#[inline]
pub fn context(piece: Piece, to: Square) -> Context {
    (piece.index() * Square::COUNT + to.index()) as Context
}

/// All histories of a thread.
pub struct Histories {
    /// `[color][from][to]`
    butterfly: Box<[i16]>,
    /// `[ply][from][to]`
    low_ply: Box<[i16]>,
    /// `[piece][to][victim]`
    capture: Box<[i16]>,
    /// `[earlier piece][earlier to][kind][to]`; the later piece's owner follows from the earlier one's.
    continuation: Box<[i16]>,
    /// `[earlier piece][earlier to]`: whether anything has been learnt after it.
    touched: Box<[bool]>,
    /// `[piece][to]`: the quiet answer that last refuted it.
    counter: Box<[Move]>,
    /// Corrections of the evaluation.
    pub corrections: Corrections,
}

impl Histories {
    /// Empty ones. Their pages are not touched before they are used.
    pub fn new() -> Self {
        Self {
            butterfly: vec![0; 2 * FROM * Square::COUNT].into_boxed_slice(),
            low_ply: vec![0; LOW_PLIES * FROM * Square::COUNT].into_boxed_slice(),
            capture: vec![0; PIECE_TO * 16].into_boxed_slice(),
            continuation: vec![0; PIECE_TO * KIND_TO].into_boxed_slice(),
            touched: vec![false; PIECE_TO].into_boxed_slice(),
            counter: vec![Move::NONE; PIECE_TO].into_boxed_slice(),
            corrections: Corrections::new(),
        }
    }

    /// Forgets everything. Short searches leave most of the continuation history as it was: only what they have touched is
    /// wiped.
    pub fn clear(&mut self) {
        self.butterfly.fill(0);
        self.low_ply.fill(0);
        self.capture.fill(0);
        for (row, touched) in self.continuation.chunks_exact_mut(KIND_TO).zip(&mut self.touched) {
            if std::mem::take(touched) {
                row.fill(0);
            }
        }
        self.counter.fill(Move::NONE);
        self.corrections.clear();
    }

    /// A new search begins, at another root.
    pub fn new_search(&mut self) {
        self.low_ply.fill(0);
    }

    #[inline]
    fn butterfly_index(color: Color, m: Move) -> usize {
        (color.index() * FROM + m.from_index()) * Square::COUNT + m.to().index()
    }

    #[inline]
    fn low_ply_index(ply: usize, m: Move) -> usize {
        (ply * FROM + m.from_index()) * Square::COUNT + m.to().index()
    }

    #[inline]
    fn capture_index(mover: Piece, m: Move, victim: Kind) -> usize {
        context(mover, m.to()) as usize * 16 + victim.index()
    }

    #[inline]
    fn continuation_index(context: Context, later: Context) -> usize {
        context as usize * KIND_TO + later as usize % KIND_TO
    }

    /// Merit of a quiet move by its source and target alone.
    #[inline]
    pub fn butterfly(&self, color: Color, m: Move) -> i32 {
        i32::from(self.butterfly[Self::butterfly_index(color, m)])
    }

    /// Merit of a quiet move that near the root.
    #[inline]
    pub fn low_ply(&self, ply: usize, m: Move) -> i32 {
        i32::from(self.low_ply[Self::low_ply_index(ply, m)])
    }

    /// Merit of a quiet move, by the context it makes, after an earlier move.
    #[inline]
    pub fn continuation(&self, context: Context, later: Context) -> i32 {
        i32::from(self.continuation[Self::continuation_index(context, later)])
    }

    /// Merit of a capture.
    #[inline]
    pub fn capture(&self, mover: Piece, m: Move, victim: Kind) -> i32 {
        i32::from(self.capture[Self::capture_index(mover, m, victim)])
    }

    /// Rewards or punishes a quiet move, alone, near the root, and after each of the earlier moves.
    #[inline]
    pub fn update_quiet(&mut self, mover: Piece, m: Move, ply: usize, contexts: &Contexts, bonus: i32) {
        self.update_butterfly(mover.color(), m, bonus);
        if ply < LOW_PLIES {
            gravity(&mut self.low_ply[Self::low_ply_index(ply, m)], bonus);
        }
        self.update_continuation(context(mover, m.to()), contexts, bonus);
    }

    /// Rewards or punishes a quiet move alone.
    #[inline]
    pub fn update_butterfly(&mut self, color: Color, m: Move, bonus: i32) {
        gravity(&mut self.butterfly[Self::butterfly_index(color, m)], bonus);
    }

    /// Rewards or punishes a quiet move, by the context it makes, after each of the earlier moves.
    #[inline]
    pub fn update_continuation(&mut self, later: Context, contexts: &Contexts, bonus: i32) {
        for (&context, share) in contexts.iter().zip(SHARES) {
            if context != NO_CONTEXT {
                self.touched[context as usize] = true;
                gravity(&mut self.continuation[Self::continuation_index(context, later)], bonus * share / 1024);
            }
        }
    }

    /// Rewards or punishes a capture.
    #[inline]
    pub fn update_capture(&mut self, mover: Piece, m: Move, victim: Kind, bonus: i32) {
        gravity(&mut self.capture[Self::capture_index(mover, m, victim)], bonus);
    }

    /// The quiet answer that last refuted a move.
    #[inline]
    pub fn counter(&self, context: Context) -> Move {
        self.counter[context as usize]
    }

    /// Remembers a refutation.
    #[inline]
    pub fn set_counter(&mut self, context: Context, m: Move) {
        self.counter[context as usize] = m;
    }
}

impl Default for Histories {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_what_is_forgotten() {
        let mut histories = Histories::new();
        let pawn = Piece::new(Color::Black, Kind::Pawn);
        let from = Square::from_index(30);
        for index in 0..29 {
            let to = Square::from_index(index);
            let m = Move::new(from, to);
            let contexts = [0, 100, 1000, 2000, (PIECE_TO - 1 - index) as Context];
            histories.update_quiet(pawn, m, index % 8, &contexts, 500);
            histories.update_capture(pawn, m, Kind::Gold, 500);
            histories.set_counter(index as Context, m);
            let slots = Corrections::slots(Color::White, &[index as u64; 4].map(|key| key << 50), 7, 8);
            histories.corrections.learn(&slots, 100, 5);
        }
        let learnt = |histories: &Histories| {
            let Histories { butterfly, low_ply, capture, continuation, touched: _, counter, corrections } = histories;
            let values =
                [butterfly, low_ply, capture, continuation].map(|values| values.iter().any(|&value| value != 0));
            let values = [values.into_iter().all(|any| any), values.into_iter().any(|any| any)];
            let others = [counter.iter().any(|m| m.is_some()), !corrections.is_empty()];
            (values[0] && others[0] && others[1], values[1] || others[0] || others[1])
        };
        assert_eq!(learnt(&histories), (true, true));
        histories.clear();
        assert_eq!(learnt(&histories), (false, false));
    }

    #[test]
    fn values_stay_within_their_limit() {
        let mut value = 0;
        for _ in 0..1000 {
            gravity(&mut value, 30_000);
        }
        assert_eq!(i32::from(value), LIMIT);
        for _ in 0..1000 {
            gravity(&mut value, -1500);
        }
        assert!(i32::from(value) >= -LIMIT && value < 0);
    }
}
