//! The transposition table, shared by all threads.

use std::alloc::{Layout, alloc_zeroed};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::board::Move;

use super::{Bound, MATE_BOUND};

/// Words of a cluster: six entries and two words of key parts, three each. One cache line.
const WORDS: usize = 8;
const ENTRIES: usize = 6;
const KEY_BITS: u32 = 21;
const KEY_MASK: u64 = (1 << KEY_BITS) - 1;

/// Ages run modulo 32.
const AGES: u32 = 32;

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Best move or [`Move::NONE`]; to be checked for legality, keys may collide.
    pub best: Move,
    /// Score seen from the node (mate distances counted from there).
    pub score: i32,
    /// Static evaluation, [`NO_EVAL`] if in check.
    pub eval: i32,
    /// Depth searched.
    pub depth: i32,
    /// What the score means.
    pub bound: Bound,
    /// Whether the node was on a principal variation.
    pub pv: bool,
}

/// Stands for "no static evaluation".
pub const NO_EVAL: i32 = i16::MIN as i32;

/// Depths are stored with this added, so that quiescence fits into a byte.
const DEPTH_OFFSET: i32 = 8;

impl Entry {
    /// Whether there may be a win at once: one was found, or the node may have been left before it was looked for, as
    /// one that stood pat was.
    #[inline]
    pub fn may_win_at_once(&self) -> bool {
        self.score >= MATE_BOUND || self.depth < 0 && self.best.is_none()
    }

    /// move 0..16, score 16..32, evaluation 32..48, depth 48..56, bound 56..58, pv 58, age 59..64.
    fn pack(&self, age: u32) -> u64 {
        u64::from(self.best.to_bits())
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(self.eval as i16 as u16) << 32
            | ((self.depth + DEPTH_OFFSET).clamp(0, 255) as u64) << 48
            | (self.bound as u64) << 56
            | u64::from(self.pv) << 58
            | u64::from(age) << 59
    }

    fn unpack(data: u64) -> Self {
        Self {
            best: Move::from_bits(data as u16),
            score: i32::from((data >> 16) as i16),
            eval: i32::from((data >> 32) as i16),
            depth: (data >> 48 & 0xff) as i32 - DEPTH_OFFSET,
            bound: match data >> 56 & 3 {
                1 => Bound::Upper,
                2 => Bound::Lower,
                3 => Bound::Exact,
                _ => Bound::None,
            },
            pv: data >> 58 & 1 != 0,
        }
    }
}

/// Mixes an entry into its key part: an entry and a key of two different writes do not fit together.
const fn fold(data: u64) -> u64 {
    (data ^ data >> KEY_BITS ^ data >> (2 * KEY_BITS)) & KEY_MASK
}

/// Score to be stored: mate distances from the node instead of from the root.
pub fn score_to_table(score: i32, ply: usize) -> i32 {
    if score >= MATE_BOUND {
        score + ply as i32
    } else if score <= -MATE_BOUND {
        score - ply as i32
    } else {
        score
    }
}

/// The reverse of [`score_to_table`].
pub fn score_from_table(score: i32, ply: usize) -> i32 {
    if score >= MATE_BOUND {
        score - ply as i32
    } else if score <= -MATE_BOUND {
        score + ply as i32
    } else {
        score
    }
}

/// The table: clusters of six entries a cache line. All accesses are relaxed atomics, so races are harmless.
pub struct Table {
    words: Box<[AtomicU64]>,
    /// First word that begins a cache line.
    first: usize,
    clusters: usize,
    age: AtomicU64,
}

impl Table {
    /// A table of exactly that many MiB, or of the largest half, quarter … that the system has memory for; it hands
    /// out the pages when they are first written.
    pub fn new(mib: usize) -> Self {
        let mut clusters = (mib.max(1) << 20) / (WORDS * 8);
        let words = loop {
            // Room to start on a cache line.
            match zeroed(clusters * WORDS + WORDS - 1) {
                Some(words) => break words,
                None => clusters = (clusters / 2).max(1),
            }
        };
        let first = words.as_ptr().align_offset(WORDS * 8).min(WORDS - 1);
        advise_large_pages(&words);
        Self { words, first, clusters, age: AtomicU64::new(0) }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for word in &self.words {
            // Reading first keeps pages that were never written unmapped.
            if word.load(Relaxed) != 0 {
                word.store(0, Relaxed);
            }
        }
        self.age.store(0, Relaxed);
    }

    /// A new search begins: what is older becomes first to be replaced.
    pub fn new_search(&self) {
        self.age.store((self.age() as u64 + 1) % u64::from(AGES), Relaxed);
    }

    fn age(&self) -> u32 {
        self.age.load(Relaxed) as u32
    }

    #[inline]
    fn cluster(&self, key: u64) -> &[AtomicU64; WORDS] {
        let index = ((u128::from(key) * self.clusters as u128) >> 64) as usize;
        let start = self.first + index * WORDS;
        match self.words[start..start + WORDS].try_into() {
            Ok(words) => words,
            Err(_) => unreachable!("a cluster has eight words"),
        }
    }

    /// Fetches the cluster of a key into the cache.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: prefetching has no effect on memory, and the address is inside the table.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.cluster(key).as_ptr().cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known of a key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let cluster = self.cluster(key);
        let keys = [cluster[6].load(Relaxed), cluster[7].load(Relaxed)];
        for index in 0..ENTRIES {
            let data = cluster[index].load(Relaxed);
            let part = keys[index / 3] >> (index % 3 * KEY_BITS as usize) & KEY_MASK;
            if part ^ fold(data) == key & KEY_MASK && data >> 56 & 3 != 0 {
                return Some(Entry::unpack(data));
            }
        }
        None
    }

    /// Stores what a search has found; keeps deeper entries of the same search and a known best move.
    pub fn store(&self, key: u64, mut entry: Entry) {
        let cluster = self.cluster(key);
        let age = self.age();
        let keys = [cluster[6].load(Relaxed), cluster[7].load(Relaxed)];
        let mut slot = 0;
        let mut worst = i32::MAX;
        for index in 0..ENTRIES {
            let data = cluster[index].load(Relaxed);
            let part = keys[index / 3] >> (index % 3 * KEY_BITS as usize) & KEY_MASK;
            let old = Entry::unpack(data);
            if part ^ fold(data) == key & KEY_MASK && old.bound != Bound::None {
                if entry.best.is_none() {
                    entry.best = old.best;
                }
                let current = (data >> 59) as u32 == age;
                let pv = if entry.pv { 2 } else { 0 };
                if entry.bound != Bound::Exact && current && entry.depth + 4 + pv <= old.depth {
                    return;
                }
                slot = index;
                break;
            }
            let worth = if old.bound == Bound::None {
                i32::MIN
            } else {
                old.depth - 4 * ((age + AGES - (data >> 59) as u32) % AGES) as i32
            };
            if worth < worst {
                worst = worth;
                slot = index;
            }
        }
        let data = entry.pack(age);
        let shift = slot % 3 * KEY_BITS as usize;
        let word = &cluster[6 + slot / 3];
        cluster[slot].store(data, Relaxed);
        let part = (key & KEY_MASK ^ fold(data)) << shift;
        word.store(word.load(Relaxed) & !(KEY_MASK << shift) | part, Relaxed);
    }

    /// Permille of a sample of entries written in this search.
    pub fn hashfull(&self) -> u32 {
        let age = self.age();
        let sample = self.clusters.min(500);
        let mut used = 0;
        for cluster in self.words[self.first..self.first + sample * WORDS].chunks(WORDS) {
            for word in &cluster[..ENTRIES] {
                let data = word.load(Relaxed);
                used += u32::from(data >> 56 & 3 != 0 && (data >> 59) as u32 == age);
            }
        }
        used * 1000 / (sample * ENTRIES) as u32
    }

    /// Bytes of the clusters.
    pub fn bytes(&self) -> usize {
        self.clusters * WORDS * 8
    }
}

/// Zeros, untouched so far; `None` if there is no memory for them.
fn zeroed(count: usize) -> Option<Box<[AtomicU64]>> {
    let layout = Layout::array::<AtomicU64>(count).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout is not of size zero.
    let start = unsafe { alloc_zeroed(layout) }.cast::<AtomicU64>();
    if start.is_null() {
        return None;
    }
    // SAFETY: the allocation is of this slice's layout, all of it is zero, which is a valid AtomicU64, and the box
    // becomes its only owner.
    Some(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, count)) })
}

/// Large tables are read all over: with large pages a read does not miss the page table's cache as well.
fn advise_large_pages(words: &[AtomicU64]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 2 << 20;
        let start = words.as_ptr() as usize;
        let (first, last) = (start.next_multiple_of(PAGE), (start + size_of_val(words)) / PAGE * PAGE);
        if last >= first + 4 * PAGE {
            // SAFETY: the range lies within the allocation, and the advice does not change what is read there.
            unsafe { libc::madvise(first as *mut libc::c_void, last - first, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = words;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: i32) -> Entry {
        Entry { best: Move::from_bits(5 << 7 | 6), score: -1234, eval: 77, depth, bound: Bound::Lower, pv: true }
    }

    #[test]
    fn entries_come_back() {
        let table = Table::new(1);
        assert_eq!(table.bytes(), 1 << 20);
        let mut state = 1u64;
        let mut found = 0;
        for n in 0..10_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
            let key = state ^ state >> 29;
            table.store(key, entry(n % 60));
            assert_eq!(table.probe(key), Some(entry(n % 60)));
            found += u32::from(table.probe(key.rotate_left(32)).is_some());
        }
        assert!(found < 5, "{found} false hits");
        assert!(table.hashfull() > 0);
        table.clear();
        assert_eq!(table.hashfull(), 0);
    }

    #[test]
    fn a_move_survives_a_store_without_one() {
        let table = Table::new(1);
        table.store(42, entry(3));
        table.store(42, Entry { best: Move::NONE, ..entry(9) });
        assert_eq!(table.probe(42), Some(entry(9)));
    }

    #[test]
    fn old_entries_give_way_first() {
        let table = Table::new(1);
        for n in 0..6u64 {
            table.store(n << 8, entry(20));
        }
        for _ in 0..10 {
            table.new_search();
        }
        table.store(99 << 8, entry(1));
        assert!(table.probe(99 << 8).is_some());
        let left = (0..6u64).filter(|n| table.probe(n << 8).is_some()).count();
        assert_eq!(left, 5);
    }

    #[test]
    fn mates_are_stored_from_the_node() {
        for score in [31_990, -31_990, 100, 0, -300] {
            assert_eq!(score_from_table(score_to_table(score, 7), 7), score);
        }
        assert_eq!(score_to_table(31_990, 7), 31_997);
    }
}
