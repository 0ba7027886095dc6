//! Corrections of the static evaluation: by how much searches have found it wrong in positions that share something.

use crate::board::Color;

use super::Params;
use super::history::{Context, KIND_TO, NO_CONTEXT};

/// Bound of every value.
const LIMIT: i32 = 1024;

/// Slots of a table and side; a power of two.
const SLOTS: usize = 16384;

/// Slots of the table of moves: few enough to stay in the cache.
const MOVES: usize = 1 << MOVES_BITS;
const MOVES_BITS: u32 = 16;

/// What positions may share: see [`Position::structure`](crate::game::Position::structure).
pub const TABLES: usize = 4;

/// All corrections of a thread.
pub struct Corrections {
    /// `[side to move][what is shared][its hash]`
    shared: Box<[i16]>,
    /// `[hash of the last two moves]`
    moves: Box<[i16]>,
}

/// Where the corrections of a position lie.
#[derive(Clone, Copy)]
pub struct Slots {
    shared: [usize; TABLES],
    moves: Option<usize>,
}

impl Corrections {
    /// None learnt yet.
    pub fn new() -> Self {
        Self { shared: vec![0; 2 * TABLES * SLOTS].into_boxed_slice(), moves: vec![0; MOVES].into_boxed_slice() }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.shared.fill(0);
        self.moves.fill(0);
    }

    /// Whether nothing is known.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.shared.iter().chain(&self.moves).all(|&value| value == 0)
    }

    /// The slots of a position: its side to move, what it shares, and the moves that led to it, newest first.
    #[inline]
    pub fn slots(side: Color, structure: &[u64; TABLES], last: Context, before: Context) -> Slots {
        let mut shared = [0; TABLES];
        for (table, (slot, key)) in shared.iter_mut().zip(structure).enumerate() {
            *slot = (side.index() * TABLES + table) * SLOTS + (key >> 48) as usize % SLOTS;
        }
        let known = last != NO_CONTEXT && before != NO_CONTEXT;
        let pair = before as u32 * KIND_TO as u32 + last as u32 % KIND_TO as u32;
        let moves = known.then_some((pair.wrapping_mul(0x9e37_79b1) >> (32 - MOVES_BITS)) as usize);
        Slots { shared, moves }
    }

    /// What to add to the evaluation, in points.
    #[inline]
    pub fn get(&self, slots: &Slots, params: &Params) -> i32 {
        let value = |index: usize| i32::from(self.shared[slots.shared[index]]);
        let moves = slots.moves.map_or(0, |index| i32::from(self.moves[index]));
        (value(0) * params.correct_pawns
            + (value(1) + value(2)) * params.correct_castles
            + value(3) * params.correct_hands
            + moves * params.correct_moves)
            / 1024
    }

    /// A search to `depth` has found the evaluation, as it was corrected, wrong by `error` points.
    #[inline]
    pub fn learn(&mut self, slots: &Slots, error: i32, depth: i32) {
        let bonus = (error * depth / 8).clamp(-LIMIT / 4, LIMIT / 4);
        let move_towards = |value: &mut i16| {
            let old = i32::from(*value);
            *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
        };
        slots.shared.iter().for_each(|&index| move_towards(&mut self.shared[index]));
        if let Some(index) = slots.moves {
            move_towards(&mut self.moves[index]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_learnt_where_they_were_made() {
        let mut corrections = Corrections::new();
        let params = Params { correct_pawns: 100, correct_moves: 50, ..Params::SHOGI };
        let here = Corrections::slots(Color::Black, &[1 << 50, 2 << 50, 3 << 50, 4 << 50], 1000, 2000);
        let elsewhere = Corrections::slots(Color::White, &[1 << 50, 2 << 50, 3 << 50, 4 << 50], 1001, 2000);
        for _ in 0..1000 {
            corrections.learn(&here, 100, 8);
        }
        assert!(corrections.get(&here, &params) > 100);
        assert_eq!(corrections.get(&elsewhere, &params), 0);
        for _ in 0..1000 {
            corrections.learn(&here, -1000, 8);
        }
        assert!(corrections.get(&here, &params) < -100);
    }
}
