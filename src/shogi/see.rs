//! Static exchange evaluation.

use crate::board::{Bitboard, Kind, Move, attacks};
use crate::game::Position;

use super::VALUE;
use super::position::ShogiPosition;
use super::rules::Rules;

/// Who takes first: cheapest by value.
const ORDER: [Kind; 14] = [
    Kind::Pawn,
    Kind::Lance,
    Kind::Knight,
    Kind::Silver,
    Kind::ProPawn,
    Kind::ProLance,
    Kind::ProKnight,
    Kind::ProSilver,
    Kind::Gold,
    Kind::Bishop,
    Kind::Horse,
    Kind::Rook,
    Kind::Dragon,
    Kind::King,
];

impl<R: Rules> ShogiPosition<R> {
    /// Whether the exchanges on the target of a legal move win at least `threshold` centipawns for its side, each
    /// side taking with its cheapest piece and stopping when it pays. Promotions other than the move's own, and pins,
    /// are left out of account.
    pub(super) fn exchange_ge(&self, m: Move, threshold: i32) -> bool {
        let to = m.to();
        let mut balance = self.gain(m) - threshold;
        if balance < 0 {
            return false;
        }
        balance -= VALUE[self.arrival(m).kind().index()];
        if balance >= 0 {
            return true;
        }
        let mut occupied = self.occupied().with(to);
        if let Some(from) = m.from() {
            occupied = occupied.without(from);
        }
        let mut attackers = self.all_attackers(to, occupied) & occupied;
        let us = self.side_to_move();
        let mut side = us;
        loop {
            side = !side;
            let own = attackers & self.color(side);
            if own.is_empty() {
                break;
            }
            let Some((kind, piece)) = ORDER.into_iter().find_map(|kind| {
                let square = (own & self.kind(kind)).first()?;
                Some((kind, square))
            }) else {
                break;
            };
            if kind == Kind::King && (attackers & self.color(!side)).any() {
                // The king cannot take what is defended.
                break;
            }
            balance = -balance - 1 - VALUE[kind.index()];
            if balance >= 0 {
                side = !side;
                break;
            }
            occupied = occupied.without(piece);
            // What stood behind the taker joins in.
            if attacks::line(to, piece).any() {
                attackers |= self.slide_attackers(to, occupied);
            }
            attackers &= occupied & !Bitboard::of(to);
        }
        // The side that could not or would not go on has lost the exchange.
        side != us
    }
}
