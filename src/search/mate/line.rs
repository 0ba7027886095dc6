//! From the proof to the answer: the length of the mate, and the line to it.

use crate::board::{Kind, Move, MoveList, Piece, Square};
use crate::game::{Position, Stage};

use super::MateAnswer;
use super::dfpn::{LONGEST, Solver};
use super::table::ENDLESS;

/// Nodes beyond those of the proof that are always granted for shortening it.
const GRACE: u64 = 20_000;

/// What searches on the way from the proof to the line may take.
#[derive(Clone, Copy)]
struct Allowance {
    /// Nodes at which shorter mates and longer evasions are no longer looked for.
    end: u64,
    /// Nodes for finding again a part of the proof that the table has lost.
    repair: u64,
}

impl<P: Position> Solver<'_, P> {
    /// Looks for a mate.
    pub(super) fn solve(&mut self) -> MateAnswer {
        if self.target().is_none() {
            return MateAnswer::NoMate;
        }
        let rule = self.position.rules().move_limit;
        let left = if rule == 0 { u32::MAX } else { rule.saturating_sub(self.position.moves_played()) };
        let limit = left.min(u32::from(LONGEST)) as u16;
        let Some(value) = self.prove(limit) else { return MateAnswer::Timeout };
        let Some(length) = value.mates(true) else {
            // Safe up to the longest mate that could be found is no proof, except where the game ends there.
            let proven = value.length() >= ENDLESS || left <= u32::from(LONGEST);
            return if proven { MateAnswer::NoMate } else { MateAnswer::Timeout };
        };
        let spent = self.control.nodes;
        let end = spent.saturating_mul(2).saturating_add(GRACE).min(self.control.end);
        let allowance = Allowance { end, repair: spent.saturating_mul(4).saturating_add(1000) };
        let length = self.shorten(length, end);
        let line = self.line(length, allowance);
        debug_assert!(line.is_some() || self.control.limits.tsume, "{}", self.position.diagram());
        line.map_or(MateAnswer::Timeout, MateAnswer::Mate)
    }

    /// The length of the shortest mate from here, one of `length` being known, as far as the nodes up to `end` tell.
    fn shorten(&mut self, mut length: u16, end: u64) -> u16 {
        if !self.control.limits.shortest || self.control.is_over(end) {
            return length;
        }
        while length > 2 {
            match self.prove(length - 2).and_then(|value| value.mates(self.attacking())) {
                Some(shorter) => length = shorter,
                None => break,
            }
        }
        length
    }

    /// The line from here to mate, given that there is one of `length` half-moves: the attacker as quick, the defender
    /// as stubborn as known. Leaves the position as it is; `None` if the proof could not be found again.
    fn line(&mut self, mut length: u16, allowance: Allowance) -> Option<Vec<Move>> {
        let mut line = Vec::new();
        let found = loop {
            if self.attacking() {
                self.control.insist(allowance.repair);
                let Some((m, found)) = self.find(length) else { break false };
                length = found - 1;
                self.position.make(m, &mut ());
                line.push(m);
            } else {
                match self.longest_evasion(length, allowance) {
                    Some(Some((m, left))) => {
                        length = left;
                        self.position.make(m, &mut ());
                        line.push(m);
                    }
                    Some(None) => break true,
                    None => break false,
                }
            }
        };
        line.iter().for_each(|_| self.position.unmake());
        (found && self.holds(&line)).then_some(line)
    }

    /// The evasion after which mate is farthest, and how far; `Some(None)` if the position is mate.
    fn longest_evasion(&mut self, length: u16, allowance: Allowance) -> Option<Option<(Move, u16)>> {
        let mut list = MoveList::new();
        self.position.generate(Stage::All, &mut list);
        let mut longest = None;
        let mut held = Vec::new();
        for m in list {
            if self.control.limits.tsume && self.interposes(m) {
                held.push(m);
            } else if self.try_evasion(m, length, allowance, &mut longest)? {
                return Some(longest);
            }
        }
        let without = longest.map_or(0, |(_, left)| left + 1);
        for m in held {
            self.control.insist(allowance.repair);
            if !self.is_futile(m, without) && self.try_evasion(m, length, allowance, &mut longest)? {
                break;
            }
        }
        Some(longest)
    }

    /// Measures the mate after an evasion; whether it is as far as it can be. `None` if it is not found again.
    fn try_evasion(
        &mut self,
        m: Move,
        length: u16,
        allowance: Allowance,
        longest: &mut Option<(Move, u16)>,
    ) -> Option<bool> {
        let most = length.checked_sub(1)?;
        self.position.make(m, &mut ());
        self.control.insist(allowance.repair);
        let found =
            self.prove(most).and_then(|value| value.mates(true)).map(|found| self.shorten(found, allowance.end));
        self.position.unmake();
        let found = found?;
        if longest.is_none_or(|(_, left)| found > left) {
            *longest = Some((m, found));
        }
        Some(found == most)
    }

    /// Whether the line is a mate by checks as far as one line can tell.
    fn holds(&self, line: &[Move]) -> bool {
        let mut position = self.position.clone();
        let mut side = self.attacker;
        for &m in line {
            if position.side_to_move() != side || !position.is_legal(m) {
                return false;
            }
            position.make(m, &mut ());
            side = !side;
            if side != self.attacker && !position.in_check() {
                return false;
            }
        }
        side != self.attacker && self.is_over(&position)
    }

    /// Whether nothing is left to the defender, or nothing that counts.
    fn is_over(&self, position: &P) -> bool {
        let mut list = MoveList::new();
        position.generate(Stage::All, &mut list);
        let counts =
            |m: &Move| !self.control.limits.tsume || position.is_capture(*m) || position.mover(*m).kind() == Kind::King;
        !list.iter().any(counts)
    }

    /// Where the king to be mated stands.
    pub(super) fn target(&self) -> Option<Square> {
        let king = Piece::new(!self.attacker, Kind::King);
        Square::all().find(|&square| self.position.piece_on(square) == Some(king))
    }
}
