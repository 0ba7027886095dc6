//! Depth-first proof-number search.
//!
//! A node has a proof number (how many leaves must at least be proven for its proof) and a disproof number. From the
//! view of the side to move one of them is to be brought to zero (`phi`), the other one kept from it (`delta`); the
//! search descends where `phi` is least, and comes back when a threshold says that another branch is now better.
//!
//! - Positions are reached in many ways, and a sum over children counts the same leaves again and again. Over checks it
//!   is therefore replaced by the largest number plus the number of the others (weak proof numbers); over evasions it
//!   stays, except that of several drops on one square only the first open one counts: they mostly fall together.
//! - A check that leaves many evasions is harder to prove: their number is its first proof number.
//! - A repetition on the path is no mate. What is disproven only because of one holds on that path alone: it carries the
//!   ply of the uppermost position that it rests on, and becomes a fact when that position itself is disproven. Mates
//!   need no such care: the shortest mate from a position never comes back to it.
//! - Where checks can go round for ever there are far too many paths to be told apart. So the search at first trusts
//!   such disproofs on every path. Positions that are safe as long as each other are safe are safe indeed, if the
//!   circle is closed; whether it is, is checked at the end (`closed`), and if not the search goes on without trust.
//! - A position on the path with the same board and no fewer pieces in the attacker's hand counts as a repetition,
//!   too: a mate from here would be one from there.
//! - All bounds hold for mates within a number of half-moves, so that a shorter mate can be looked for with what is
//!   known from the longer one.

use crate::board::{Color, Hand, Kind, Move, MoveList, Piece, Square, zobrist};
use crate::game::{Position, Stage};
use crate::trail::OCCURRENCES;

use super::Control;
use super::survey::Survey;
use super::table::{ENDLESS, INFINITE, Known, Repeats, Table};

/// Longest mate looked for; the recursion is as deep.
pub(super) const LONGEST: u16 = 2047;

/// The floor of what rests on no repetition.
const FREE: i16 = i16::MAX;

/// A position as the search files it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Board and side to move.
    pub(super) board: u64,
    /// The attacker's hand; the defender holds the rest.
    pub(super) hand: Hand,
    /// The moves that led to it.
    path: u64,
}

/// What a search or the table says of a node, from the view of the side to move there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) phi: u32,
    pub(super) delta: u32,
    /// Of a mate, its length; of a safe position, the bound for which it is safe.
    length: u16,
    /// Ply of the uppermost position that a disproof rests on.
    floor: i16,
    /// A disproof that rests on what was trusted.
    trusting: bool,
}

impl Value {
    /// There is a mate.
    fn mate(attacking: bool, length: u16) -> Self {
        Self::settled(attacking, length, FREE)
    }

    /// There is no mate of that length or less.
    fn safe(attacking: bool, length: u16, floor: i16) -> Self {
        Self::settled(!attacking, length, floor)
    }

    fn settled(won: bool, length: u16, floor: i16) -> Self {
        let (phi, delta) = if won { (0, INFINITE) } else { (INFINITE, 0) };
        Self { phi, delta, length, floor, trusting: false }
    }

    fn open(phi: u32, delta: u32) -> Self {
        Self { phi, delta, length: 0, floor: FREE, trusting: false }
    }

    fn is_settled(self) -> bool {
        self.phi == 0 || self.delta == 0
    }

    /// Of a mate, its length; of a safe position, the bound for which it is safe.
    pub(super) fn length(self) -> u16 {
        self.length
    }

    /// Whether it is a disproof that rests on what was trusted.
    pub(super) fn is_trusting(self) -> bool {
        self.trusting
    }

    /// The length of the mate, if it is one.
    pub(super) fn mates(self, attacking: bool) -> Option<u16> {
        (if attacking { self.phi == 0 } else { self.delta == 0 }).then_some(self.length)
    }
}

/// A move of an open node.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) m: Move,
    pub(super) place: Place,
    pub(super) value: Value,
    /// An interposition that may be futile; looked at when nothing else is left.
    pub(super) held: bool,
    /// Nothing is known of it.
    new: bool,
    /// It was met nearer to the root before: a cycle or a detour may be about to keep the numbers down for ever.
    old: bool,
}

/// A search for mate by checks.
pub(super) struct Solver<'a, P> {
    pub(super) position: P,
    pub(super) control: Control<'a>,
    pub(super) attacker: Color,
    pub(super) children: Vec<Child>,
    table: Table,
    repeats: Repeats,
    /// Positions from the root to the node before the present one.
    path: Vec<(u64, Hand)>,
    /// Mates of that many half-moves from the root are looked for.
    limit: u16,
    /// Marks the boards of positions that lack pieces of the root's set.
    pub(super) salt: u64,
    /// Futile interpositions do not count.
    pub(super) tsume: bool,
    /// Whether disproofs on one path are trusted on all.
    pub(super) trust: bool,
    /// Thresholds give way until a new position is met.
    pushing: bool,
    /// Anything was disproven by a repetition farther up the path.
    repetitions: bool,
    /// With which move the side to move at the root succeeds.
    best: Move,
}

impl<'a, P: Position> Solver<'a, P> {
    pub(super) fn new(position: P, control: Control<'a>) -> Self {
        let bytes = control.limits.bytes;
        Self {
            attacker: position.side_to_move(),
            position,
            table: Table::new(bytes),
            repeats: Repeats::new((bytes / 64).min(1 << 22)),
            control,
            children: Vec::with_capacity(4096),
            path: Vec::with_capacity(256),
            limit: 0,
            salt: 0,
            tsume: false,
            trust: false,
            pushing: false,
            repetitions: false,
            best: Move::NONE,
        }
    }

    /// Forgets all positions.
    pub(super) fn forget(&mut self) {
        // The old table goes first: two at once might not fit.
        self.table = Table::new(0);
        self.table = Table::new(self.control.limits.bytes);
        self.repeats = Repeats::new(self.repeats.bytes());
    }

    /// Nodes searched.
    pub(super) fn nodes(&self) -> u64 {
        self.control.nodes
    }

    /// Permille of the table in use.
    pub(super) fn fullness(&self) -> u32 {
        self.table.fullness()
    }

    /// Whether anything was disproven by a repetition farther up the path.
    #[cfg(test)]
    pub(super) fn has_met_repetitions(&self) -> bool {
        self.repetitions
    }

    /// Whether the side to move is the one that is to mate.
    pub(super) fn attacking(&self) -> bool {
        self.position.side_to_move() == self.attacker
    }

    /// Files the present position as the root of a search.
    pub(super) fn place(&self) -> Place {
        let mut board = self.salt;
        if self.position.side_to_move() == Color::White {
            board ^= zobrist::white_to_move();
        }
        for square in Square::all() {
            if let Some(piece) = self.position.piece_on(square) {
                board ^= zobrist::piece(piece, square);
            }
        }
        let mut hand = Hand::EMPTY;
        for kind in Kind::HAND {
            (0..self.position.hand_count(self.attacker, kind)).for_each(|_| hand.add(kind));
        }
        let path = Kind::HAND.iter().fold(board, |path, &kind| mix(path, u64::from(hand.count(kind))));
        Place { board, hand, path }
    }

    /// The place after a move from the present position.
    #[inline]
    pub(super) fn after(&self, place: Place, attacking: bool, m: Move) -> Place {
        let Place { mut board, mut hand, path } = place;
        let before = self.position.mover(m);
        let to = m.to();
        board ^= zobrist::white_to_move();
        let mut piece = before;
        if let Some(from) = m.from() {
            board ^= zobrist::piece(before, from);
            if m.is_promotion() {
                piece = Piece::new(before.color(), Kind::from_index(before.kind().index() + 8));
            }
            if let Some(victim) = self.position.piece_on(to) {
                board ^= zobrist::piece(victim, to);
                if attacking {
                    hand.add(victim.kind().unpromoted());
                }
            }
        } else if attacking {
            hand.remove(before.kind());
        }
        board ^= zobrist::piece(piece, to);
        Place { board, hand, path: mix(path, u64::from(m.to_bits())) }
    }

    /// Proves or disproves a mate within `limit` half-moves from the present position; `None` if a limit of the search
    /// was reached before.
    pub(super) fn prove(&mut self, limit: u16) -> Option<Value> {
        let place = self.place();
        let attacking = self.attacking();
        let known = self.look(place, attacking, 0, limit).0;
        if known.is_settled() { Some(known) } else { self.search(place, attacking, limit) }
    }

    /// The move that mates within `limit` half-moves, where there is known to be one, and the length of the mate.
    pub(super) fn find(&mut self, limit: u16) -> Option<(Move, u16)> {
        let place = self.place();
        let length = self.search(place, true, limit)?.mates(true)?;
        Some((self.best, length))
    }

    /// Searches the present position as a root until it is settled.
    fn search(&mut self, place: Place, attacking: bool, limit: u16) -> Option<Value> {
        let outer = (std::mem::take(&mut self.path), self.limit, self.pushing);
        (self.limit, self.pushing) = (limit, false);
        let mut value = Value::open(1, 1);
        while !value.is_settled() && !self.control.stopped {
            value = self.visit(place, attacking, INFINITE, INFINITE, true);
        }
        (self.path, self.limit, self.pushing) = outer;
        value.is_settled().then_some(value)
    }

    /// What the table says of a place.
    pub(super) fn known(&self, place: Place, left: u16) -> Known {
        self.table.probe(place.board, place.hand, left, self.trust)
    }

    /// What is known of a place at some ply, from the view of its side to move: its value, whether it is new, and
    /// whether it was met nearer to the root.
    fn look(&self, place: Place, attacking: bool, ply: usize, left: u16) -> (Value, bool, bool) {
        let known = self.known(place, left);
        match known {
            Known::Mate(length) => return (Value::mate(attacking, length), false, false),
            Known::Safe(length) => return (Value::safe(attacking, length, FREE), false, false),
            Known::Trusted(length) => {
                return (Value { trusting: true, ..Value::safe(attacking, length, FREE) }, false, false);
            }
            Known::New | Known::Open { .. } => {}
        }
        let mut at = ply;
        while at >= 4 {
            at -= 2;
            let (board, hand) = self.path[at - 2];
            if board == place.board && hand.dominates(place.hand) {
                return (Value::safe(attacking, ENDLESS, at as i16 - 2), false, false);
            }
        }
        if self.repeats.any()
            && let Some((floor, length)) = self.repeats.probe(place.path, left)
        {
            return (Value::safe(attacking, length, floor), false, false);
        }
        match known {
            Known::Open { proof, disproof, ply: seen } => {
                let (phi, delta) = if attacking { (proof, disproof) } else { (disproof, proof) };
                (Value::open(phi, delta), false, usize::from(seen) < ply)
            }
            _ => (Value::open(1, 1), true, false),
        }
    }

    /// Searches the node until its numbers reach a threshold or it is settled.
    fn visit(&mut self, place: Place, attacking: bool, phi: u32, delta: u32, new: bool) -> Value {
        let ply = self.path.len();
        let left = self.limit.saturating_sub(ply as u16);
        if self.control.count() {
            return Value::open(1, 1);
        }
        if new {
            self.pushing = false;
        }
        let base = self.children.len();
        let begun = self.control.nodes;
        let value = match self.expand(place, attacking, left, new) {
            Some(value) => value,
            None => {
                self.path.push((place.board, place.hand));
                let value = self.develop(base, attacking, phi, delta);
                self.path.pop();
                self.children.truncate(base);
                value
            }
        };
        if self.control.stopped && !value.is_settled() {
            return value;
        }
        self.note(place, attacking, ply, left, (self.control.nodes - begun) as u32, value)
    }

    /// Stores what was found.
    fn note(&mut self, place: Place, attacking: bool, ply: usize, left: u16, effort: u32, value: Value) -> Value {
        let mut value = value;
        let found = match value {
            Value { phi: 0, length, .. } if attacking => Known::Mate(length),
            Value { delta: 0, length, .. } if !attacking => Known::Mate(length),
            Value { phi, delta, length, floor, trusting } if phi == 0 || delta == 0 => {
                debug_assert!(length >= left);
                let repeats = usize::try_from(floor).is_ok_and(|floor| floor < ply);
                self.repetitions |= repeats;
                // What rests on this very position, or on one below, rests on no repetition farther up.
                if !repeats {
                    value.floor = FREE;
                }
                match (repeats, trusting) {
                    (false, false) => Known::Safe(length),
                    (true, _) if !self.trust => {
                        self.repeats.store(place.path, floor, length);
                        return value;
                    }
                    _ => Known::Trusted(length),
                }
            }
            Value { phi, delta, .. } => {
                let (proof, disproof) = if attacking { (phi, delta) } else { (delta, phi) };
                Known::Open { proof, disproof, ply: ply as u16 }
            }
        };
        self.table.store(place.board, place.hand, ply as u16, effort, found);
        value
    }

    /// Lists the moves of the present position with what is known of them, or settles it at once.
    #[inline(never)]
    fn expand(&mut self, place: Place, attacking: bool, left: u16, new: bool) -> Option<Value> {
        if attacking && left == 0 {
            return Some(Value::safe(true, 0, FREE));
        }
        if self.position.occurrences() as usize >= OCCURRENCES {
            return Some(Value::safe(attacking, ENDLESS, FREE));
        }
        let mut list = MoveList::new();
        if attacking {
            if new && let Some((m, _)) = self.position.quick_win() {
                self.best = m;
                return Some(Value::mate(true, 1));
            }
            self.list_checks(&mut list);
            if list.is_empty() {
                return Some(Value::safe(true, ENDLESS, FREE));
            }
        } else {
            self.position.generate(Stage::All, &mut list);
            if list.is_empty() {
                return Some(Value::mate(false, 0));
            }
            if left < 2 && !self.tsume {
                return Some(Value::safe(false, 1, FREE));
            }
        }
        // The path does not hold the present position yet.
        self.path.push((place.board, place.hand));
        let ply = self.path.len();
        let base = self.children.len();
        for &m in &list {
            let after = self.after(place, attacking, m);
            let (mut value, new, old) = self.look(after, !attacking, ply, left.saturating_sub(1));
            if new && attacking {
                self.position.make(m, &mut ());
                let evasions = self.position.count_legal() as u32;
                self.position.unmake();
                if evasions == 0 {
                    self.path.pop();
                    self.children.truncate(base);
                    self.best = m;
                    return Some(Value::mate(true, 1));
                }
                value = Value::open(1, evasions);
            }
            let held = !attacking && self.tsume && self.interposes(m);
            self.children.push(Child { m, place: after, value, held, new, old });
        }
        self.path.pop();
        None
    }

    /// Appends the moves that give check.
    pub(super) fn list_checks(&self, list: &mut MoveList) {
        let info = self.position.check_info();
        self.position.generate(Stage::Tactical, list);
        list.retain(|m| self.position.gives_check(*m, &info));
        self.position.generate(Stage::QuietChecks, list);
    }

    /// Searches the listed children, from `base` on, until a threshold is reached.
    fn develop(&mut self, base: usize, attacking: bool, mut max_phi: u32, mut max_delta: u32) -> Value {
        if self.children[base..].iter().any(|child| child.old && !child.value.is_settled()) {
            self.pushing = true;
        }
        loop {
            let survey = Survey::of(&self.children[base..], attacking);
            if survey.delta == 0 && survey.held {
                self.release(base);
                continue;
            }
            let Survey { phi, delta, next, second, open, .. } = survey;
            if phi == 0 || delta == 0 {
                return self.settle(base, attacking, phi == 0);
            }
            if self.pushing {
                (max_phi, max_delta) = (max_phi.max(phi + 1), max_delta.max(delta + 1));
            }
            if phi >= max_phi || delta >= max_delta || self.control.stopped {
                return Value::open(phi, delta);
            }
            let index = base + next;
            let Child { m, place, new, value, .. } = self.children[index];
            let ply = self.path.len();
            let (known, ..) = self.look(place, !attacking, ply, self.limit.saturating_sub(ply as u16));
            if known.is_settled() {
                self.children[index].value = known;
                continue;
            }
            // What the others add to the node's number is taken off the threshold; a little more than the second best
            // is granted, so that the search does not jump to and fro.
            let others = if attacking { open - 1 } else { delta - value.phi };
            let child_phi = max_delta.saturating_sub(others).min(INFINITE);
            let child_delta = max_phi.min(second.saturating_add(second / 8 + 1));
            self.position.make(m, &mut ());
            let value = self.visit(place, !attacking, child_phi, child_delta, new);
            self.position.unmake();
            if self.control.stopped && !value.is_settled() {
                return Value::open(phi, delta);
            }
            let child = &mut self.children[index];
            (child.value, child.new) = (value, false);
        }
    }

    /// The value of a node whose side to move succeeds or fails.
    fn settle(&mut self, base: usize, attacking: bool, success: bool) -> Value {
        let children = &self.children[base..];
        let longer = |length: u16| if length >= ENDLESS { ENDLESS } else { length + 1 };
        if success {
            let good = children.iter().filter(|child| child.value.delta == 0 && !child.held);
            let best = if attacking {
                good.min_by_key(|child| child.value.length)
            } else {
                // What rests on no repetition holds everywhere.
                good.max_by_key(|child| (!child.value.trusting, child.value.floor, child.value.length))
            };
            let Some(&Child { m, value, .. }) = best else { unreachable!("a child succeeds") };
            self.best = m;
            return Value { phi: 0, delta: INFINITE, length: longer(value.length), ..value };
        }
        let (mut least, mut most, mut floor, mut trusting) = (ENDLESS, 0, FREE, false);
        for Child { value, .. } in children {
            trusting |= value.trusting;
            least = least.min(value.length);
            most = most.max(longer(value.length));
            floor = floor.min(value.floor);
        }
        if attacking { Value { trusting, ..Value::safe(true, longer(least), floor) } } else { Value::mate(false, most) }
    }
}

/// Adds a move to the key of a path; the order matters.
fn mix(path: u64, m: u64) -> u64 {
    let mixed = (path.rotate_left(23) ^ m).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}
