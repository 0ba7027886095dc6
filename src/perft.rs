//! Counting the leaves of the move tree, to test move generators and to measure them.
//!
//! Repetition, move limits and claims do not count; a decided position has no children.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::board::{Move, MoveList};
use crate::game::{Position, Stage};

/// Deepest count; beyond it no count would ever end.
pub const MAX_DEPTH: u32 = 64;

/// From this many half-moves up a subtree is large enough to look at the flag that ends the count.
const WATCHED: u32 = 3;

/// Leaves `depth` half-moves (at most [`MAX_DEPTH`] of them) below the position.
pub fn perft<P: Position>(position: &mut P, depth: u32) -> u64 {
    count(position, depth.min(MAX_DEPTH), &AtomicBool::new(false))
}

fn count<P: Position>(position: &mut P, depth: u32, stop: &AtomicBool) -> u64 {
    match depth {
        0 => return 1,
        1 => return position.count_legal() as u64,
        WATCHED.. if stop.load(Ordering::Relaxed) => return 0,
        _ => {}
    }
    let mut leaves = 0;
    // Borrowed: a list moved into an iterator is copied whole.
    let moves = legal(position);
    for &m in &moves {
        position.make(m, &mut ());
        leaves += count(position, depth - 1, stop);
        position.unmake();
    }
    leaves
}

fn legal<P: Position>(position: &P) -> MoveList {
    let mut list = MoveList::new();
    position.generate(Stage::All, &mut list);
    list
}

/// A subtree to be counted: the place of its first move in the list of legal ones, and its second move.
struct Job {
    root: usize,
    reply: Move,
}

/// Leaves below each legal move, in the order of their text, counted on that many threads. `None` if `stop` was set
/// before the end.
pub fn divide<P: Position>(position: &P, depth: u32, threads: usize, stop: &AtomicBool) -> Option<Vec<(Move, u64)>> {
    let depth = depth.min(MAX_DEPTH);
    let mut moves: Vec<Move> = if depth == 0 { Vec::new() } else { legal(position).into_iter().collect() };
    moves.sort_by_cached_key(Move::to_string);
    let pool = (threads > 1 && depth > 2).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok());
    let leaves: Vec<u64> = match pool.flatten() {
        None => moves.iter().map(|&m| count_after(position, &[m], depth, stop)).collect(),
        Some(pool) => {
            // Root moves alone are too few and too uneven to keep all threads busy to the end.
            let jobs: Vec<Job> = (0..).zip(&moves).flat_map(|(root, &m)| replies(position, root, m)).collect();
            let counts: Vec<(usize, u64)> = pool.install(|| {
                let count = |job: &Job| (job.root, count_after(position, &[moves[job.root], job.reply], depth, stop));
                jobs.par_iter().with_max_len(1).map(count).collect()
            });
            counts.into_iter().fold(vec![0; moves.len()], |mut sums, (root, leaves)| {
                sums[root] += leaves;
                sums
            })
        }
    };
    (!stop.load(Ordering::Relaxed)).then(|| moves.into_iter().zip(leaves).collect())
}

/// Leaves in all of a [`divide`] to that depth; at depth 0 the position is its own only leaf.
pub fn total(depth: u32, division: &[(Move, u64)]) -> u64 {
    if depth == 0 { 1 } else { division.iter().map(|&(_, leaves)| leaves).sum() }
}

fn replies<P: Position>(position: &P, root: usize, m: Move) -> Vec<Job> {
    let mut position = position.clone();
    position.make(m, &mut ());
    legal(&position).into_iter().map(|reply| Job { root, reply }).collect()
}

fn count_after<P: Position>(position: &P, line: &[Move], depth: u32, stop: &AtomicBool) -> u64 {
    let mut position = position.clone();
    for &m in line {
        position.make(m, &mut ());
    }
    count(&mut position, depth - line.len() as u32, stop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flanking::Flanking;
    use crate::game::{Game, HouseRules};
    use crate::shogi::Shogi;

    fn start<G: Game>() -> G::Position {
        G::Position::startpos(&HouseRules::default())
    }

    #[test]
    fn threads_do_not_change_the_counts() {
        let position = start::<Shogi>();
        let go = AtomicBool::new(false);
        let one = divide(&position, 3, 1, &go).unwrap();
        assert_eq!(one.iter().map(|&(_, leaves)| leaves).sum::<u64>(), 25470);
        assert_eq!(divide(&position, 3, 3, &go).unwrap(), one);
        let position = start::<Flanking>();
        assert_eq!(divide(&position, 3, 2, &go), divide(&position, 3, 1, &go));
    }

    #[test]
    fn the_shallowest_counts() {
        let mut position = start::<Shogi>();
        assert_eq!(perft(&mut position, 0), 1);
        assert_eq!(perft(&mut position, 1), 30);
        assert_eq!(divide(&position, 0, 2, &AtomicBool::new(false)), Some(Vec::new()));
    }

    #[test]
    fn a_stopped_count_says_nothing() {
        assert_eq!(divide(&start::<Shogi>(), 5, 2, &AtomicBool::new(true)), None);
    }
}
