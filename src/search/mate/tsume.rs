//! Futile interpositions (muda-ai), which the books of mating problems do not count.
//!
//! The definition used: the defender, checked by a slider from a distance, puts a piece in between, by a drop or a
//! move. That is futile if the slider takes it with check and mates, without use of the piece it has taken, in no more
//! half-moves than it takes where the defender does not interpose. Further interpositions against the slider on its new
//! square are judged in the same way. A mate "where the defender does not interpose" is the longest one known after
//! any other evasion; where there is no other evasion the position counts as mate.

use crate::board::{Color, Kind, Move, Square, attacks, zobrist};
use crate::game::Position;

use super::dfpn::Solver;

impl<P: Position> Solver<'_, P> {
    /// Whether an evasion interposes: what neither moves the king nor takes the checking piece must do so.
    #[inline]
    pub(super) fn interposes(&self, m: Move) -> bool {
        !self.position.is_capture(m) && self.position.mover(m).kind() != Kind::King
    }

    /// All evasions but the interpositions held back lead to mate: drops the futile ones and lets the others count.
    pub(super) fn release(&mut self, base: usize) {
        let others = self.children[base..].iter().filter(|child| !child.held);
        let without = others.map(|child| child.value.length() + 1).max().unwrap_or(0);
        let held: Vec<Move> = self.children[base..].iter().filter(|child| child.held).map(|child| child.m).collect();
        for m in held {
            let futile = self.is_futile(m, without);
            let Some(index) = (base..self.children.len()).find(|&index| self.children[index].m == m) else { continue };
            if futile && !self.control.stopped {
                self.children.remove(index);
            } else {
                self.children[index].held = false;
            }
        }
    }

    /// Whether an interposition is futile, where the mate takes `without` half-moves if the defender does not interpose.
    pub(super) fn is_futile(&mut self, m: Move, without: u16) -> bool {
        let Some(king) = self.target() else { return false };
        let to = m.to();
        let Some(slider) = self.slider_behind(king, to) else { return false };
        self.position.make(m, &mut ());
        let taken = self.position.piece_on(to).map(|piece| piece.kind().unpromoted());
        let info = self.position.check_info();
        let mut results = Vec::new();
        for capture in [Move::promotion(slider, to), Move::new(slider, to)] {
            if let Some(kind) = taken
                && self.position.is_legal(capture)
                && self.position.gives_check(capture, &info)
            {
                self.position.make(capture, &mut ());
                let mut diagram = self.position.diagram();
                self.position.unmake();
                let count = &mut diagram.hands[self.attacker][kind.index()];
                *count = count.saturating_sub(1);
                results.extend(P::from_diagram(&diagram, self.position.rules()).map(|stripped| (stripped, kind)));
            }
        }
        self.position.unmake();
        results.into_iter().any(|(stripped, kind)| self.mates_without(stripped, kind, without))
    }

    /// Whether the defender, to move in a position that lacks a piece of the set, is mated within a length.
    fn mates_without(&mut self, stripped: P, kind: Kind, length: u16) -> bool {
        let position = std::mem::replace(&mut self.position, stripped);
        let salt = self.salt;
        // A sum: the same set of missing pieces, whatever the order, has the same mark.
        self.salt = salt.wrapping_add(zobrist::hand(Color::Black, kind, 1));
        let mates = self.prove(length).is_some_and(|value| value.mates(false).is_some());
        (self.position, self.salt) = (position, salt);
        mates
    }

    /// The piece that gives check to the king through a square, from behind it.
    fn slider_behind(&self, king: Square, through: Square) -> Option<Square> {
        let beyond = |square: &Square| attacks::between(king, *square).contains(through);
        let nearest = Square::all()
            .filter(|square| beyond(square) && self.position.piece_on(*square).is_some())
            .min_by_key(|square| square.distance(king))?;
        self.position.piece_on(nearest).is_some_and(|piece| piece.color() == self.attacker).then_some(nearest)
    }
}
