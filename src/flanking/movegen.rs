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

    /// Calls `visit` with every piece of a side but its pawns, its kind (gold for all that move as golds) and the empty
    /// squares it can go to. Kind by kind: the kind is then known where `visit` is compiled in, and no jump depends on
    /// what stands where.
    #[inline(always)]
    fn each_piece(&self, color: Color, mut visit: impl FnMut(Square, Kind, Bitboard)) {
        let own = self.of(color);
        let occupied = self.occupied();
        let of_kind = |kind: Kind| self.kind(kind) & own;
        for from in of_kind(Kind::Lance) {
            visit(from, Kind::Lance, attacks::lance(color, from, occupied) - occupied);
        }
        for from in of_kind(Kind::Knight) {
            visit(from, Kind::Knight, attacks::knight(color, from) - occupied);
        }
        for from in of_kind(Kind::Silver) {
            visit(from, Kind::Silver, attacks::silver(color, from) - occupied);
        }
        for from in self.golds() & own {
            visit(from, Kind::Gold, attacks::gold(color, from) - occupied);
        }
        for from in of_kind(Kind::Bishop) {
            visit(from, Kind::Bishop, attacks::bishop(from, occupied) - occupied);
        }
        for from in of_kind(Kind::Rook) {
            visit(from, Kind::Rook, attacks::rook(from, occupied) - occupied);
        }
        for from in of_kind(Kind::King) {
            visit(from, Kind::King, attacks::king(from) - occupied);
        }
        for from in of_kind(Kind::Horse) {
            visit(from, Kind::Horse, (attacks::bishop(from, occupied) | attacks::king(from)) - occupied);
        }
        for from in of_kind(Kind::Dragon) {
            visit(from, Kind::Dragon, (attacks::rook(from, occupied) | attacks::king(from)) - occupied);
        }
    }

    /// The empty squares before a side's pawns.
    #[inline]
    fn pawn_targets(&self, color: Color) -> Bitboard {
        (self.kind(Kind::Pawn) & self.of(color)).forward(color) - self.occupied()
    }

    /// All pieces that move as golds.
    #[inline]
    fn golds(&self) -> Bitboard {
        self.kind(Kind::Gold)
            | self.kind(Kind::ProPawn)
            | self.kind(Kind::ProLance)
            | self.kind(Kind::ProKnight)
            | self.kind(Kind::ProSilver)
    }

    /// The squares where a move captures: at the end of a run whatever the source, beside a corner from anywhere but
    /// the other side of it.
    #[inline]
    fn closing(&self) -> (Bitboard, Bitboard) {
        let (mine, theirs) = (self.of(self.turn()), self.of(!self.turn()));
        let lines = custodial::closing_lines(mine, theirs);
        (lines, custodial::closing_corners(mine, theirs) - lines)
    }

    /// The square on the other side of the corner beside `square`.
    fn across_corner(square: Square) -> Bitboard {
        let corner = custodial::neighbours(square) & Bitboard::CORNERS;
        corner.first().map_or(Bitboard::EMPTY, |corner| custodial::neighbours(corner).without(square))
    }

    #[inline]
    fn push<const PRUNED: bool>(&self, from: Square, to: Square, list: &mut MoveList) {
        let us = self.turn();
        let kind = self.kind_on(from);
        let zone = Bitboard::zone(us);
        let promotes = kind.promoted().is_some() && (zone.contains(from) || zone.contains(to));
        if promotes {
            list.push(Move::promotion(from, to));
        }
        // A pawn that promotes can do all that the pawn could; other kinds lose moves by it.
        let useless = PRUNED && promotes && kind == Kind::Pawn;
        if !useless && !dead_squares(us, kind).contains(to) {
            list.push(Move::new(from, to));
        }
    }

    pub(super) fn generate_stage<const PRUNED: bool>(&self, stage: Stage, list: &mut MoveList) {
        match stage {
            Stage::Tactical => self.generate_captures::<PRUNED>(list),
            Stage::Quiet => {
                let (lines, corners) = self.closing();
                self.generate_moves::<PRUNED>(!(lines | corners), list);
                for to in corners {
                    for from in self.movers_to(to, self.turn(), self.occupied()) & Self::across_corner(to) {
                        self.push::<PRUNED>(from, to, list);
                    }
                }
                self.generate_drops(list);
            }
            Stage::QuietChecks => {}
            Stage::All => {
                self.generate_moves::<PRUNED>(Bitboard::FULL, list);
                self.generate_drops(list);
            }
        }
    }

    /// From the few squares where anything is captured back to what can go there.
    fn generate_captures<const PRUNED: bool>(&self, list: &mut MoveList) {
        let us = self.turn();
        let occupied = self.occupied();
        let (lines, corners) = self.closing();
        for to in lines {
            for from in self.movers_to(to, us, occupied) {
                self.push::<PRUNED>(from, to, list);
            }
        }
        for to in corners {
            for from in self.movers_to(to, us, occupied) - Self::across_corner(to) {
                self.push::<PRUNED>(from, to, list);
            }
        }
    }

    /// Moves on the board to some of the empty squares.
    fn generate_moves<const PRUNED: bool>(&self, squares: Bitboard, list: &mut MoveList) {
        let us = self.turn();
        for to in self.pawn_targets(us) & squares {
            let back = Bitboard::of(to).forward(!us);
            if let Some(from) = back.first() {
                self.push::<PRUNED>(from, to, list);
            }
        }
        self.each_piece(us, |from, kind, targets| {
            let Targets { plain, promoting } = Targets::of(us, kind, from, targets & squares);
            for to in promoting {
                list.push(Move::promotion(from, to));
            }
            for to in plain {
                list.push(Move::new(from, to));
            }
        });
    }

    fn generate_drops(&self, list: &mut MoveList) {
        let hand = self.hand(self.turn());
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
        let pawns = self.pawn_targets(us);
        let mut count = (pawns - dead_squares(us, Kind::Pawn)).count() + (pawns & Bitboard::zone(us)).count();
        self.each_piece(us, |from, kind, targets| {
            let Targets { plain, promoting } = Targets::of(us, kind, from, targets);
            count += plain.count() + promoting.count();
        });
        let hand = self.hand(us);
        if !hand.is_empty() {
            for kind in Kind::HAND {
                if hand.has(kind) {
                    count += self.drops(kind).count();
                }
            }
        }
        count as usize
    }

    /// Whether any half-move is legal. Every target is: where a piece may not stay as it is, it may promote.
    pub(super) fn can_move(&self) -> bool {
        let us = self.turn();
        let hand = self.hand(us);
        self.pawn_targets(us).any()
            || self.of(us).into_iter().any(|from| self.targets(from, self.kind_on(from)).any())
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
        let (horses, dragons) = (self.kind(Kind::Horse), self.kind(Kind::Dragon));
        let mut movers = attacks::pawn(!color, to) & self.kind(Kind::Pawn)
            | attacks::knight(!color, to) & self.kind(Kind::Knight)
            | attacks::silver(!color, to) & self.kind(Kind::Silver)
            | attacks::gold(!color, to) & self.golds()
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
        let mut reach = self.pawn_targets(color);
        let mut count = reach.count();
        self.each_piece(color, |_, _, targets| {
            reach |= targets;
            count += targets.count();
        });
        (reach, count)
    }
}
