//! Flanking's half-moves: pieces move as in shogi, but only to empty squares.

use crate::board::{Bitboard, Color, Kind, Move, MoveList, Square, attacks, custodial};
use crate::game::Stage;

use super::FlankingPosition;
use super::position::dead_squares;

/// The targets of one piece, by what may happen to it there.
struct Targets {
    plain: Bitboard,
    promoting: Bitboard,
}

impl Targets {
    #[inline]
    fn of(color: Color, kind: Kind, from: Square, targets: Bitboard) -> Self {
        if kind.promoted().is_none() {
            return Self { plain: targets, promoting: Bitboard::EMPTY };
        }
        let zone = Bitboard::zone(color);
        let promoting = if zone.contains(from) { targets } else { targets & zone };
        Self { plain: targets - dead_squares(color, kind), promoting }
    }
}

impl FlankingPosition {
    /// The empty squares a piece of the side to move can go to.
    #[inline]
    pub(super) fn targets(&self, from: Square, kind: Kind) -> Bitboard {
        let occupied = self.occupied();
        attacks::piece(self.turn(), kind, from, occupied) - occupied
    }

    /// The empty squares where a kind may be dropped.
    #[inline]
    pub(super) fn drops(&self, kind: Kind) -> Bitboard {
        let us = self.turn();
        let squares = !self.occupied() - dead_squares(us, kind);
        if kind == Kind::Pawn { squares - (self.kind(Kind::Pawn) & self.of(us)).fill_files() } else { squares }
    }

    #[inline]
    fn push_targets<const PRUNED: bool>(&self, from: Square, kind: Kind, targets: Bitboard, list: &mut MoveList) {
        let Targets { mut plain, promoting } = Targets::of(self.turn(), kind, from, targets);
        // A pawn that promotes can do all that the pawn could; other kinds lose moves by it.
        if PRUNED && kind == Kind::Pawn {
            plain = plain - promoting;
        }
        for to in promoting {
            list.push(Move::promotion(from, to));
        }
        for to in plain {
            list.push(Move::new(from, to));
        }
    }

    /// The part of a piece's targets where it captures. Squares at the end of a run are safe to take as given; those
    /// beside a corner are not if the piece comes from the other side of it.
    #[inline]
    fn capturing(&self, from: Square, targets: Bitboard, lines: Bitboard, corners: Bitboard) -> Bitboard {
        let mut capturing = targets & lines;
        for to in (targets & corners) - lines {
            if self.taken_by(Move::new(from, to)).any() {
                capturing = capturing.with(to);
            }
        }
        capturing
    }

    pub(super) fn generate_stage<const PRUNED: bool>(&self, stage: Stage, list: &mut MoveList) {
        let us = self.turn();
        let (mine, theirs) = (self.of(us), self.of(!us));
        if stage == Stage::QuietChecks {
            return;
        }
        let (lines, corners) = match stage {
            Stage::All => (Bitboard::EMPTY, Bitboard::EMPTY),
            _ => (custodial::closing_lines(mine, theirs), custodial::closing_corners(mine, theirs)),
        };
        if stage == Stage::Tactical {
            let closing = lines | corners;
            if closing.is_empty() {
                return;
            }
            for from in mine {
                let kind = self.kind_on(from);
                let targets = self.targets(from, kind);
                if targets.intersects(closing) {
                    let capturing = self.capturing(from, targets, lines, corners);
                    self.push_targets::<PRUNED>(from, kind, capturing, list);
                }
            }
            return;
        }
        for from in mine {
            let kind = self.kind_on(from);
            let mut targets = self.targets(from, kind);
            if stage == Stage::Quiet {
                targets = targets - self.capturing(from, targets, lines, corners);
            }
            self.push_targets::<PRUNED>(from, kind, targets, list);
        }
        let hand = self.hand(us);
        if hand.is_empty() {
            return;
        }
        for kind in Kind::HAND {
            if hand.has(kind) {
                for to in self.drops(kind) {
                    list.push(Move::drop(kind, to));
                }
            }
        }
    }

    pub(super) fn count_moves(&self) -> usize {
        let us = self.turn();
        let mut count = 0;
        for from in self.of(us) {
            let kind = self.kind_on(from);
            let Targets { plain, promoting } = Targets::of(us, kind, from, self.targets(from, kind));
            count += plain.count() + promoting.count();
        }
        let hand = self.hand(us);
        for kind in Kind::HAND {
            if hand.has(kind) {
                count += self.drops(kind).count();
            }
        }
        count as usize
    }

    /// Whether any half-move is legal. Every target is: where a piece may not stay as it is, it may promote.
    pub(super) fn can_move(&self) -> bool {
        let us = self.turn();
        let hand = self.hand(us);
        self.of(us).into_iter().any(|from| self.targets(from, self.kind_on(from)).any())
            || Kind::HAND.into_iter().any(|kind| hand.has(kind) && self.drops(kind).any())
    }

    pub(super) fn is_move(&self, m: Move) -> bool {
        let us = self.turn();
        if m.is_none() {
            return false;
        }
        if let Some(kind) = m.dropped() {
            return !m.is_promotion() && self.hand(us).has(kind) && self.drops(kind).contains(m.to());
        }
        let Some(from) = m.from().filter(|&from| self.of(us).contains(from)) else { return false };
        let kind = self.kind_on(from);
        let Targets { plain, promoting } = Targets::of(us, kind, from, self.targets(from, kind));
        if m.is_promotion() { promoting.contains(m.to()) } else { plain.contains(m.to()) }
    }

    /// The pieces of a side that could go to an empty square, given what is occupied.
    #[inline]
    pub(super) fn movers_to(&self, to: Square, color: Color, occupied: Bitboard) -> Bitboard {
        let golds = self.kind(Kind::Gold)
            | self.kind(Kind::ProPawn)
            | self.kind(Kind::ProLance)
            | self.kind(Kind::ProKnight)
            | self.kind(Kind::ProSilver);
        let (horses, dragons) = (self.kind(Kind::Horse), self.kind(Kind::Dragon));
        let mut movers = attacks::pawn(!color, to) & self.kind(Kind::Pawn)
            | attacks::knight(!color, to) & self.kind(Kind::Knight)
            | attacks::silver(!color, to) & self.kind(Kind::Silver)
            | attacks::gold(!color, to) & golds
            | attacks::king(to) & (self.kind(Kind::King) | horses | dragons);
        let own = self.of(color);
        let diagonal = (self.kind(Kind::Bishop) | horses) & own;
        if diagonal.any() {
            movers |= attacks::bishop(to, occupied) & diagonal;
        }
        let straight = (self.kind(Kind::Rook) | dragons) & own;
        if straight.any() {
            movers |= attacks::rook(to, occupied) & straight;
        }
        let lances = self.kind(Kind::Lance) & own;
        if lances.any() {
            movers |= attacks::lance(!color, to, occupied) & lances;
        }
        movers & own
    }
    /// Every square that some piece of a side could go to, and the number of such moves, promotions not told apart.
    #[inline]
    pub(super) fn reach(&self, color: Color) -> (Bitboard, u32) {
        let occupied = self.occupied();
        let pawns = self.kind(Kind::Pawn) & self.of(color);
        let steps = pawns.forward(color) - occupied;
        (self.of(color) - pawns).into_iter().fold((steps, steps.count()), |(reach, count), from| {
            let targets = attacks::piece(color, self.kind_on(from), from, occupied) - occupied;
            (reach | targets, count + targets.count())
        })
    }
}
