//! Values carried back from the ends of the lines to their beginning.

use ahash::AHashMap;

use crate::diagram::Diagram;
use crate::game::{HouseRules, Position};
use crate::search::MATE_BOUND;
use crate::turns::play_turn;

use super::super::key::key;
use super::super::pages::Pages;
use super::super::record::{BookMove, BookTurn, sort};
use super::super::text::parse_position;

/// More rounds change nothing in a tree; where lines run in circles they would never end.
const MOST_ROUNDS: u32 = 256;

/// Gives every move that leads to a position of the book the value of the best move there, as the mover sees it, and
/// that move as the reply. Each round carries values one turn back, so lines that run in circles do no harm.
pub fn back_up<P: Position>(pages: &mut Pages, rules: &HouseRules, turns: u32) {
    let read = |sfen: &str| -> Option<(Diagram, P)> {
        let (diagram, _) = parse_position(sfen).ok()?;
        let position = P::from_diagram(&diagram, rules).ok()?;
        Some((diagram, position))
    };
    let mut places: AHashMap<u64, usize> = AHashMap::new();
    let mut positions = Vec::new();
    for (sfen, place) in pages.keys().zip(0..) {
        let known = read(sfen);
        if let Some((diagram, _)) = &known {
            places.insert(key(diagram, P::variant()), place);
        }
        positions.push(known.map(|(_, position)| position));
    }
    let mut lists: Vec<&mut Vec<BookMove>> = pages.values_mut().collect();
    // Where each move leads to.
    let targets: Vec<Vec<Option<usize>>> = lists
        .iter()
        .zip(&positions)
        .map(|(moves, position)| {
            let target = |m: &BookMove| {
                let mut after = position.clone()?;
                let played = play_turn(&mut after, m.turn.moves());
                if played { places.get(&key(&after.diagram(), P::variant())).copied() } else { None }
            };
            moves.iter().map(target).collect()
        })
        .collect();
    for _ in 0..turns.min(MOST_ROUNDS) {
        let best: Vec<Option<BookMove>> =
            lists.iter().map(|moves| moves.iter().copied().max_by_key(|m| (m.value, m.depth))).collect();
        let mut changed = false;
        for (moves, targets) in lists.iter_mut().zip(&targets) {
            for (m, target) in moves.iter_mut().zip(targets) {
                let Some(reply) = target.and_then(|place| best.get(place).copied().flatten()) else { continue };
                let carried = BookMove { value: carried(reply.value, P::TURN), ponder: reply.turn, ..*m };
                changed |= (carried.value, carried.ponder) != (m.value, m.ponder);
                *m = BookMove {
                    depth: reply.depth.saturating_add(P::TURN.into()).min(MOST_DEPTH).max(m.depth),
                    ..carried
                };
            }
        }
        if !changed {
            break;
        }
    }
    for moves in lists {
        sort(moves);
        debug_assert!(moves.iter().all(|m| m.turn != BookTurn::NONE));
    }
}

/// Depth is a length in half-moves; circles must not make it grow for ever.
const MOST_DEPTH: u16 = 999;

/// A value one turn earlier, for the other side; mates are that much further away.
fn carried(value: i32, halves: u8) -> i32 {
    let far = i32::from(halves);
    match value {
        MATE_BOUND.. => far - value,
        _ if value <= -MATE_BOUND => -value - far,
        _ => -value,
    }
}
