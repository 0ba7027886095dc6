//! The keys of the positions of a game, for repetition.

/// Counters of the filter; a power of two.
const SLOTS: usize = 4096;

/// Least distance, in moves or half-moves, of two equal positions: each side has to leave and to come back.
const SHORTEST: usize = 4;

/// How often a position has to occur for the game to end.
pub const OCCURRENCES: usize = 4;

/// The keys of all positions from the start of the game on, the present one last.
///
/// Equal positions are a multiple of `PERIOD` moves apart: 2 where sides alternate, 4 with two half-moves a turn. A
/// filter of small counters answers for nearly every position that it is new, without a look at the keys.
#[derive(Clone)]
pub struct Trail<const PERIOD: usize> {
    keys: Vec<u64>,
    /// Where the search for equal positions ends: the index after each null move, at the bottom 0.
    floors: Vec<usize>,
    /// Positions by the low bits of their keys. A full counter stays full, which costs time but no truth.
    filter: Box<[u8; SLOTS]>,
}

impl<const PERIOD: usize> Trail<PERIOD> {
    /// The trail of a game that starts with this position.
    pub fn new(key: u64) -> Self {
        const { assert!(SHORTEST.is_multiple_of(PERIOD)) };
        let mut trail = Self { keys: Vec::with_capacity(512), floors: vec![0], filter: Box::new([0; SLOTS]) };
        trail.push(key);
        trail
    }

    const fn slot(key: u64) -> usize {
        key as usize & (SLOTS - 1)
    }

    /// Key of the present position.
    #[inline]
    pub fn key(&self) -> u64 {
        self.keys[self.keys.len() - 1]
    }

    /// Index of the present position; the first one has 0.
    #[inline]
    pub fn index(&self) -> usize {
        self.keys.len() - 1
    }

    /// A move has led to a new position.
    #[inline]
    pub fn push(&mut self, key: u64) {
        self.keys.push(key);
        let counter = &mut self.filter[Self::slot(key)];
        *counter = counter.saturating_add(1);
    }

    /// The last move is taken back.
    #[inline]
    pub fn pop(&mut self) {
        if let Some(key) = self.keys.pop() {
            let counter = &mut self.filter[Self::slot(key)];
            if *counter < u8::MAX {
                *counter -= 1;
            }
        }
    }

    /// A null move has led to a position that no earlier one is compared with.
    pub fn push_null(&mut self, key: u64) {
        self.floors.push(self.keys.len());
        self.push(key);
    }

    /// The last move, a null move, is taken back.
    pub fn pop_null(&mut self) {
        self.floors.pop();
        self.pop();
    }

    /// Indices of the earlier occurrences of the present position, latest first.
    #[inline]
    pub fn earlier(&self) -> impl Iterator<Item = usize> + '_ {
        let last = self.index();
        let key = self.keys[last];
        let floor = self.floors.last().copied().unwrap_or(0);
        let reach = if self.filter[Self::slot(key)] > 1 { last - floor } else { 0 };
        (SHORTEST..=reach).step_by(PERIOD).map(move |distance| last - distance).filter(move |&at| self.keys[at] == key)
    }

    /// How often the present position has occurred, itself included.
    pub fn occurrences(&self) -> u32 {
        1 + self.earlier().count() as u32
    }

    /// Whether a search `ply` moves below its root takes the present position for a repetition: it has occurred
    /// since the root, the root included, or this is the occurrence that ends the game.
    #[inline]
    pub fn recurs(&self, ply: usize) -> bool {
        let root = self.index().saturating_sub(ply);
        self.earlier().enumerate().any(|(count, at)| at >= root || count + 2 == OCCURRENCES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_forgets() {
        let mut trail = Trail::<2>::new(10);
        for _ in 0..3 {
            for key in [11, 12, 13, 10] {
                trail.push(key);
            }
        }
        assert_eq!(trail.earlier().collect::<Vec<_>>(), [8, 4, 0]);
        assert_eq!(trail.occurrences(), 4);
        assert!(trail.recurs(0));
        trail.pop();
        assert_eq!((trail.key(), trail.index(), trail.occurrences()), (13, 11, 3));
        assert!(!trail.recurs(3));
        assert!(trail.recurs(4));
    }

    #[test]
    fn equal_slots_are_not_equal_positions() {
        let mut trail = Trail::<4>::new(5);
        for key in 1..4 {
            trail.push(key);
        }
        trail.push(5 + SLOTS as u64);
        assert_eq!(trail.occurrences(), 1);
    }

    #[test]
    fn null_moves_are_walls() {
        let mut trail = Trail::<2>::new(1);
        for key in [2, 3] {
            trail.push(key);
        }
        trail.push_null(4);
        trail.push(1);
        assert_eq!(trail.occurrences(), 1);
        trail.pop();
        trail.pop_null();
        trail.push(4);
        trail.push(1);
        assert_eq!(trail.occurrences(), 2);
    }

    #[test]
    fn full_counters_stay_right() {
        let mut trail = Trail::<2>::new(0);
        for _ in 0..1000 {
            trail.push(0);
        }
        for _ in 0..1000 {
            trail.pop();
        }
        assert_eq!(trail.occurrences(), 1);
        for key in [1, 2, 3, 0] {
            trail.push(key);
        }
        assert_eq!(trail.occurrences(), 2);
    }
}
