//! Games of turns: a king captured whatever the other side does.
//!
//! Within one turn the game itself answers exactly ([`Position::quick_win`]). With more, every turn of the attacker
//! has to threaten: were the defender to pass, the next turn would win. (A defender with hardly a move may be harmed by
//! having to move; then no threat is asked for.) All turns are tried against all replies, deeper by a turn each time. A
//! defender nearly always has a piece to move to and fro, so that with two turns hardly anything is missed; but "nearly"
//! is no proof, and that there is no win is never claimed.

use ahash::AHashSet;

use crate::board::{Move, MoveList};
use crate::game::{Position, Stage};
use crate::trail::OCCURRENCES;

use super::{Control, MateAnswer};

/// Replies that have refuted something lately, tried first.
const KILLERS: usize = 8;

/// A defender with no more half-moves than this may run out of harmless ones.
const FEW_MOVES: usize = 10;

/// Most turns of the attacker looked at; far more than can be searched.
const MOST_TURNS: u32 = 16;

struct Hunter<'c, 'a> {
    control: &'c mut Control<'a>,
    killers: Vec<[Move; 2]>,
    /// Positions, the attacker to move, without a win in so many turns.
    barren: AHashSet<(u64, u32)>,
    /// Whether any turn threatened anything at the present depth.
    forcing: bool,
}

/// Looks for a win of the side to move.
pub(super) fn solve<P: Position>(position: &mut P, control: &mut Control) -> MateAnswer {
    if position.winner().is_some() || !position.has_legal_move() {
        return MateAnswer::NoMate;
    }
    let mut hunter = Hunter { control, killers: Vec::new(), barren: AHashSet::new(), forcing: true };
    for turns in 1..=MOST_TURNS {
        hunter.forcing = false;
        if let Some(line) = hunter.attack(position, turns) {
            return MateAnswer::Mate(line);
        }
        if hunter.control.stopped || turns > 1 && !hunter.forcing {
            break;
        }
    }
    MateAnswer::Timeout
}

impl Hunter<'_, '_> {
    /// The line by which the side to move wins within so many turns.
    fn attack<P: Position>(&mut self, position: &mut P, turns: u32) -> Option<Vec<Move>> {
        if self.control.count() {
            return None;
        }
        if let Some(line) = strike(position) {
            return Some(line);
        }
        if turns == 1 || self.barren.contains(&(position.key(), turns)) {
            return None;
        }
        let mut seen = AHashSet::new();
        let won = for_each_turn(position, &mut |position, turn| {
            if self.control.count() {
                return Some(None);
            }
            if !seen.insert(position.key()) || !self.threatens(position) {
                return None;
            }
            self.forcing = true;
            let rest = self.defend(position, turns - 1)?;
            Some(Some([turn, rest.as_slice()].concat()))
        });
        if won.is_none() {
            self.barren.insert((position.key(), turns));
        }
        won.flatten()
    }

    /// Whether the turn just made threatens to win with the next one, and is not answered at once.
    fn threatens<P: Position>(&self, position: &mut P) -> bool {
        if position.occurrences() as usize >= OCCURRENCES || position.limit_reached() || !position.null_move_allowed() {
            return false;
        }
        position.make_null();
        let threat = position.quick_win().is_some();
        position.unmake_null();
        (threat || position.count_legal() <= FEW_MOVES) && position.quick_win().is_none()
    }

    /// The line of longest resistance if the side to move loses within so many turns of the other one whatever it
    /// does; `None` if it has an answer.
    fn defend<P: Position>(&mut self, position: &mut P, turns: u32) -> Option<Vec<Move>> {
        for index in 0..self.killers.len() {
            let killer = self.killers[index];
            if self.refutes(position, killer, turns) {
                self.killers[..=index].rotate_right(1);
                return None;
            }
        }
        let mut longest = Vec::new();
        let refuted = for_each_turn(position, &mut |position, turn| {
            let drawn = position.occurrences() as usize >= OCCURRENCES || position.limit_reached();
            let Some(rest) = (if drawn { None } else { self.attack(position, turns) }) else {
                if let &[first, second] = turn {
                    self.killers.insert(0, [first, second]);
                    self.killers.truncate(KILLERS);
                }
                return Some(());
            };
            if turn.len() + rest.len() > longest.len() {
                longest = [turn, rest.as_slice()].concat();
            }
            None
        });
        (refuted.is_none() && !self.control.stopped).then_some(longest)
    }

    /// Whether a turn can be played and is an answer.
    fn refutes<P: Position>(&mut self, position: &mut P, turn: [Move; 2], turns: u32) -> bool {
        let mut made = 0;
        for m in turn {
            if !position.is_legal(m) {
                break;
            }
            position.make(m, &mut ());
            made += 1;
        }
        let answers = made == turn.len() && position.has_legal_move() && self.attack(position, turns).is_none();
        (0..made).for_each(|_| position.unmake());
        answers
    }
}

/// The king captured within this turn.
fn strike<P: Position>(position: &mut P) -> Option<Vec<Move>> {
    let (first, length) = position.quick_win()?;
    let mut line = vec![first];
    if length > 1 {
        position.make(first, &mut ());
        let second = position.quick_win();
        position.unmake();
        line.push(second?.0);
    }
    Some(line)
}

/// Plays every turn of the side to move, or what is left of it, until the visitor returns something. Turns that cannot
/// be completed lose and are left out.
fn for_each_turn<P: Position, T>(position: &mut P, visit: &mut impl FnMut(&mut P, &[Move]) -> Option<T>) -> Option<T> {
    let side = position.side_to_move();
    let mut firsts = MoveList::new();
    position.generate(Stage::All, &mut firsts);
    for first in firsts {
        position.make(first, &mut ());
        let mut found = None;
        if position.side_to_move() != side {
            found = visit(position, &[first]);
        } else {
            let mut seconds = MoveList::new();
            position.generate(Stage::All, &mut seconds);
            for second in seconds {
                position.make(second, &mut ());
                found = visit(position, &[first, second]);
                position.unmake();
                if found.is_some() {
                    break;
                }
            }
        }
        position.unmake();
        if found.is_some() {
            return found;
        }
    }
    None
}
