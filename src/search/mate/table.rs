//! What the mate search knows of positions: bounded memory, two sorts of knowledge.
//!
//! Positions are filed by board and side to move, so that all hands of the attacker stand together: what is proven
//! with some pieces in hand is proven with more, what is disproven is disproven with fewer. (The pieces of both sides
//! are a fixed set, so the defender holds what the attacker does not.)

use crate::board::Hand;

/// Larger than any proof number.
pub(super) const INFINITE: u32 = 1 << 30;

/// A length that no mate has, and no bound on length reaches.
pub(super) const ENDLESS: u16 = u16::MAX - 1;

/// Entries side by side that a board may use.
const WAYS: usize = 8;

/// An entry as it is stored: large arrays of zeros cost nothing until they are written to.
type Words = [u64; 4];

#[derive(Clone, Copy)]
struct Entry {
    board: u64,
    hand: Hand,
    /// Proof number and disproof number where nothing is settled, for whatever bound on length was last asked about.
    proof: u32,
    disproof: u32,
    /// Nodes spent on the entry, the reason to keep it; 0 is an empty entry.
    effort: u32,
    /// A mate of that many half-moves exists, or [`ENDLESS`].
    mate: u16,
    /// No mate of that many half-moves or fewer exists, plus one; 0 if nothing is known.
    safe: u16,
    /// Least number of half-moves from the root at which it was met.
    ply: u16,
}

impl Entry {
    #[inline]
    fn unpack([board, first, second, third]: Words) -> Self {
        Self {
            board,
            hand: Hand::from_bits(first as u32),
            proof: (first >> 32) as u32,
            disproof: second as u32,
            effort: (second >> 32) as u32,
            mate: third as u16,
            safe: (third >> 16) as u16,
            ply: (third >> 32) as u16,
        }
    }

    #[inline]
    fn pack(self) -> Words {
        [
            self.board,
            u64::from(self.hand.to_bits()) | u64::from(self.proof) << 32,
            u64::from(self.disproof) | u64::from(self.effort) << 32,
            u64::from(self.mate) | u64::from(self.safe) << 16 | u64::from(self.ply) << 32,
        ]
    }
}

/// What is known of a position for a mate within some length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    /// Nothing.
    New,
    /// Proof and disproof numbers, and where it was met first.
    Open { proof: u32, disproof: u32, ply: u16 },
    /// There is a mate of at most that many half-moves.
    Mate(u16),
    /// There is none of that many half-moves or fewer.
    Safe(u16),
}

/// A table of a fixed size.
pub(super) struct Table {
    entries: Vec<Words>,
    clusters: usize,
    used: usize,
}

impl Table {
    /// A table of about that many bytes; less where the memory is not there.
    pub(super) fn new(bytes: usize) -> Self {
        let mut clusters = (bytes / (WAYS * size_of::<Words>())).max(1);
        while clusters > 1 && Vec::<Words>::new().try_reserve_exact(clusters * WAYS).is_err() {
            clusters /= 2;
        }
        Self { entries: vec![[0; 4]; clusters * WAYS], clusters, used: 0 }
    }

    /// Permille in use.
    pub(super) fn fullness(&self) -> u32 {
        (self.used * 1000 / self.entries.len()) as u32
    }

    /// Index of the first entry for a board.
    #[inline]
    fn cluster(&self, board: u64) -> usize {
        ((u128::from(board) * self.clusters as u128) >> 64) as usize * WAYS
    }

    /// What is known of a position with that hand of the attacker, where a mate within `length` is asked for.
    #[inline]
    pub(super) fn probe(&self, board: u64, hand: Hand, length: u16) -> Known {
        let start = self.cluster(board);
        let mut known = Known::New;
        for words in &self.entries[start..start + WAYS] {
            if words[0] != board {
                continue;
            }
            let entry = Entry::unpack(*words);
            if entry.effort == 0 {
                continue;
            }
            if entry.mate <= length && hand.dominates(entry.hand) {
                return Known::Mate(entry.mate);
            }
            if entry.safe > length && entry.hand.dominates(hand) {
                return Known::Safe(entry.safe - 1);
            }
            if entry.hand == hand {
                known = Known::Open { proof: entry.proof, disproof: entry.disproof, ply: entry.ply };
            }
        }
        known
    }

    /// Notes what a search of `effort` nodes has found. Where there is no room, what took least effort gives way.
    pub(super) fn store(&mut self, board: u64, hand: Hand, ply: u16, effort: u32, found: Known) {
        let start = self.cluster(board);
        let cluster = &mut self.entries[start..start + WAYS];
        let mut least = (u32::MAX, 0);
        let mut place = None;
        for (index, &words) in cluster.iter().enumerate() {
            let entry = Entry::unpack(words);
            if entry.effort > 0 && entry.board == board && entry.hand == hand {
                place = Some((index, entry));
                break;
            }
            least = least.min((entry.effort, index));
        }
        let (index, mut entry) = place.unwrap_or_else(|| {
            if least.0 == 0 {
                self.used += 1;
            } else {
                // What is never asked for again gives way in the end.
                for words in cluster.iter_mut() {
                    let mut entry = Entry::unpack(*words);
                    entry.effort -= entry.effort / 8;
                    *words = entry.pack();
                }
            }
            (least.1, Entry { board, hand, proof: 1, disproof: 1, effort: 0, mate: ENDLESS, safe: 0, ply })
        });
        entry.ply = entry.ply.min(ply);
        entry.effort = entry.effort.saturating_add(effort.max(1)).min(INFINITE);
        match found {
            Known::New => {}
            Known::Open { proof, disproof, .. } => (entry.proof, entry.disproof) = (proof, disproof),
            Known::Mate(length) => {
                entry.mate = entry.mate.min(length);
                (entry.proof, entry.disproof) = (1, 1);
            }
            Known::Safe(length) => {
                entry.safe = entry.safe.max(length.saturating_add(1));
                (entry.proof, entry.disproof) = (1, 1);
            }
        }
        cluster[index] = entry.pack();
    }
}

/// Disproofs that hold only on the path on which they were found, because they rest on a repetition of a position
/// farther up. Filed by the path, so that no other path is misled; the newest takes the place of an older one.
pub(super) struct Repeats {
    entries: Vec<Repeat>,
    any: bool,
}

#[derive(Clone, Copy, Default)]
struct Repeat {
    path: u64,
    /// Ply of the uppermost position that the disproof rests on.
    ply: i16,
    /// No mate of that many half-moves or fewer exists.
    length: u16,
}

impl Repeats {
    /// Room for about that many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let length = (bytes / size_of::<Repeat>()).max(16).next_power_of_two();
        Self { entries: vec![Repeat::default(); length], any: false }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.any) {
            self.entries.fill(Repeat::default());
        }
    }

    /// Whether there is anything to find.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.any
    }

    /// The ply that a disproof within `length` rests on, and the length for which it holds.
    #[inline]
    pub(super) fn probe(&self, path: u64, length: u16) -> Option<(i16, u16)> {
        let entry = self.entries[path as usize & (self.entries.len() - 1)];
        (entry.path == path && entry.length >= length).then_some((entry.ply, entry.length))
    }

    /// Notes a disproof.
    pub(super) fn store(&mut self, path: u64, ply: i16, length: u16) {
        let slot = path as usize & (self.entries.len() - 1);
        self.entries[slot] = Repeat { path, ply, length };
        self.any = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Kind;

    fn hand(kinds: &[Kind]) -> Hand {
        let mut hand = Hand::EMPTY;
        kinds.iter().for_each(|&kind| hand.add(kind));
        hand
    }

    #[test]
    fn more_in_hand_is_better() {
        let mut table = Table::new(1 << 16);
        let (poor, middle, rich) = (hand(&[]), hand(&[Kind::Gold]), hand(&[Kind::Gold, Kind::Pawn]));
        table.store(7, middle, 3, 1, Known::Mate(5));
        assert_eq!(table.probe(7, rich, 5), Known::Mate(5));
        assert_eq!(table.probe(7, poor, 5), Known::New);
        assert_eq!(table.probe(7, middle, 3), Known::Open { proof: 1, disproof: 1, ply: 3 });
        assert_eq!(table.probe(8, rich, 5), Known::New);
        table.store(9, middle, 3, 1, Known::Safe(4));
        assert_eq!(table.probe(9, poor, 4), Known::Safe(4));
        assert_eq!(table.probe(9, rich, 4), Known::New);
        assert!(matches!(table.probe(9, middle, 6), Known::Open { .. }));
        table.store(9, middle, 3, 1, Known::Safe(ENDLESS));
        assert_eq!(table.probe(9, middle, 6), Known::Safe(ENDLESS));
    }

    #[test]
    fn memory_is_bounded_and_effort_stays() {
        let mut table = Table::new(4096);
        table.store(1 << 60, Hand::EMPTY, 0, 1_000_000, Known::Mate(3));
        for n in 0..20u64 {
            table.store((1 << 60) + n, hand(&[Kind::Pawn]), 0, 1, Known::Mate(1));
        }
        assert_eq!(table.probe(1 << 60, Hand::EMPTY, 3), Known::Mate(3));
        for n in 0..100_000u64 {
            table.store(n << 40, Hand::EMPTY, 0, 1, Known::Open { proof: 2, disproof: 3, ply: 0 });
        }
        assert!(table.fullness() <= 1000);
    }

    #[test]
    fn repeats_hold_on_their_path() {
        let mut repeats = Repeats::new(1024);
        assert!(!repeats.any());
        repeats.store(77, 2, 9);
        assert_eq!(
            (repeats.probe(77, 9), repeats.probe(77, 7), repeats.probe(77, 11)),
            (Some((2, 9)), Some((2, 9)), None)
        );
        assert_eq!(repeats.probe(78, 9), None);
        repeats.clear();
        assert_eq!(repeats.probe(77, 9), None);
    }
}
