//! Legal moves. One visitor hands out sets of targets; sinks list them, count them or stop at the first.

use crate::board::{Bitboard, Color, Direction, Kind, Move, MoveList, Square, attacks};
use crate::game::{Position, Stage};

use super::VALUE;
use super::position::ShogiPosition;
use super::rules::Rules;

/// Receives legal moves as sets of targets. Every method returns whether to stop.
pub(super) trait Sink {
    /// Moves of one piece without promotion.
    fn moves(&mut self, from: Square, to: Bitboard) -> bool;
    /// Moves of one piece with promotion.
    fn promotions(&mut self, from: Square, to: Bitboard) -> bool;
    /// Pawn moves one step forwards, by target.
    fn pawns(&mut self, us: Color, to: Bitboard) -> bool;
    /// The same with promotion.
    fn pawn_promotions(&mut self, us: Color, to: Bitboard) -> bool;
    /// Drops of one kind.
    fn drops(&mut self, kind: Kind, to: Bitboard) -> bool;
}

pub(super) struct Lister<'a>(pub(super) &'a mut MoveList);

/// The square a pawn came from.
#[inline]
fn behind(us: Color, to: Square) -> Square {
    let index = to.index() as u8;
    Square::from_raw(if us == Color::Black { index + 1 } else { index - 1 })
}

impl Lister<'_> {
    #[inline]
    fn push(&mut self, m: Move) {
        self.0.push(m);
    }
}

impl Sink for Lister<'_> {
    #[inline]
    fn moves(&mut self, from: Square, to: Bitboard) -> bool {
        to.into_iter().for_each(|to| self.push(Move::new(from, to)));
        false
    }

    #[inline]
    fn promotions(&mut self, from: Square, to: Bitboard) -> bool {
        to.into_iter().for_each(|to| self.push(Move::promotion(from, to)));
        false
    }

    #[inline]
    fn pawns(&mut self, us: Color, to: Bitboard) -> bool {
        to.into_iter().for_each(|to| self.push(Move::new(behind(us, to), to)));
        false
    }

    #[inline]
    fn pawn_promotions(&mut self, us: Color, to: Bitboard) -> bool {
        to.into_iter().for_each(|to| self.push(Move::promotion(behind(us, to), to)));
        false
    }

    #[inline]
    fn drops(&mut self, kind: Kind, to: Bitboard) -> bool {
        to.into_iter().for_each(|to| self.push(Move::drop(kind, to)));
        false
    }
}

struct Counter(usize);

impl Sink for Counter {
    #[inline]
    fn moves(&mut self, _: Square, to: Bitboard) -> bool {
        self.0 += to.count() as usize;
        false
    }

    #[inline]
    fn promotions(&mut self, _: Square, to: Bitboard) -> bool {
        self.0 += to.count() as usize;
        false
    }

    #[inline]
    fn pawns(&mut self, _: Color, to: Bitboard) -> bool {
        self.0 += to.count() as usize;
        false
    }

    #[inline]
    fn pawn_promotions(&mut self, _: Color, to: Bitboard) -> bool {
        self.0 += to.count() as usize;
        false
    }

    #[inline]
    fn drops(&mut self, _: Kind, to: Bitboard) -> bool {
        self.0 += to.count() as usize;
        false
    }
}

/// Stops at the first legal move.
struct Finder;

impl Sink for Finder {
    #[inline]
    fn moves(&mut self, _: Square, to: Bitboard) -> bool {
        to.any()
    }

    #[inline]
    fn promotions(&mut self, _: Square, to: Bitboard) -> bool {
        to.any()
    }

    #[inline]
    fn pawns(&mut self, _: Color, to: Bitboard) -> bool {
        to.any()
    }

    #[inline]
    fn pawn_promotions(&mut self, _: Color, to: Bitboard) -> bool {
        to.any()
    }

    #[inline]
    fn drops(&mut self, _: Kind, to: Bitboard) -> bool {
        to.any()
    }
}

/// Targets wanted of each sort of move.
struct Want {
    /// Of pieces other than pawns.
    pieces: Bitboard,
    /// Of pawns that do not promote.
    pawns: Bitboard,
    /// Of pawns that promote.
    pawn_promotions: Bitboard,
    /// Of drops.
    drops: Bitboard,
}

impl<R: Rules> ShogiPosition<R> {
    #[inline]
    fn want(&self, stage: Stage) -> Want {
        let own = self.color(self.side_to_move());
        let enemy = self.color(!self.side_to_move());
        let empty = !(own | enemy);
        match stage {
            Stage::All => Want { pieces: !own, pawns: !own, pawn_promotions: !own, drops: empty },
            Stage::Tactical => Want { pieces: enemy, pawns: enemy, pawn_promotions: !own, drops: Bitboard::EMPTY },
            Stage::Quiet | Stage::QuietChecks => {
                Want { pieces: empty, pawns: empty, pawn_promotions: Bitboard::EMPTY, drops: empty }
            }
        }
    }

    pub(super) fn generate_stage<const PRUNED: bool>(&self, stage: Stage, list: &mut MoveList) {
        if stage == Stage::QuietChecks && self.checkers().is_empty() {
            self.generate_checks::<PRUNED>(list);
            return;
        }
        let start = list.len();
        self.visit::<_, PRUNED>(&mut Lister(list), &self.want(stage));
        if stage == Stage::QuietChecks {
            let info = self.check_info();
            let mut kept = start;
            for index in start..list.len() {
                if self.gives_check(list[index], &info) {
                    list[kept] = list[index];
                    kept += 1;
                }
            }
            list.truncate(kept);
        }
    }

    pub(super) fn count_moves(&self) -> usize {
        let mut counter = Counter(0);
        self.visit::<_, false>(&mut counter, &self.want(Stage::All));
        counter.0
    }

    pub(super) fn any_move(&self) -> bool {
        self.visit::<_, false>(&mut Finder, &self.want(Stage::All))
    }

    #[inline]
    fn visit<S: Sink, const PRUNED: bool>(&self, sink: &mut S, want: &Want) -> bool {
        match self.side_to_move() {
            Color::Black => self.visit_for::<S, PRUNED>(Color::Black, sink, want),
            Color::White => self.visit_for::<S, PRUNED>(Color::White, sink, want),
        }
    }

    /// The visitor proper; inlined with a constant colour.
    #[inline(always)]
    fn visit_for<S: Sink, const PRUNED: bool>(&self, us: Color, sink: &mut S, want: &Want) -> bool {
        let enemy = !us;
        let checkers = self.checkers();
        let mut block = Bitboard::FULL;
        if let Some(king) = self.king(us) {
            let mut to = attacks::king(king) & want.pieces;
            if to.any() {
                to = to - self.covered(enemy, self.occupied().without(king), to);
                if sink.moves(king, to) {
                    return true;
                }
            }
            if let Some(checker) = checkers.first() {
                if checkers.several() {
                    return false;
                }
                block = attacks::between(king, checker).with(checker);
            }
        }
        self.visit_pieces::<S, PRUNED>(us, sink, want, block) || self.visit_drops(us, sink, want.drops & block)
    }

    #[inline(always)]
    fn visit_pieces<S: Sink, const PRUNED: bool>(&self, us: Color, sink: &mut S, want: &Want, block: Bitboard) -> bool {
        let own = self.color(us);
        let zone = Bitboard::zone(us);
        let occupied = self.occupied();
        let pinned = self.pinned();
        let pieces = want.pieces & block;

        let pawns = own & self.kind(Kind::Pawn);
        let mut to = (pawns - pinned).forward(us);
        for pawn in pawns & pinned {
            to |= attacks::pawn(us, pawn) & self.pin_line(us, pawn);
        }
        to &= block;
        let plain =
            if PRUNED { to & (want.pawns - zone) } else { to & (want.pawns - Self::dead_ranks(us, Kind::Pawn)) };
        if sink.pawn_promotions(us, to & want.pawn_promotions & zone) || sink.pawns(us, plain) {
            return true;
        }

        // For each kind: where it must promote, and where only the promotion is worth searching.
        macro_rules! visit {
            ($set:expr, $kind:expr, |$from:ident| $attacks:expr) => {
                for $from in $set {
                    let mut to = $attacks & pieces;
                    if pinned.contains($from) {
                        to &= self.pin_line(us, $from);
                    }
                    if to.is_empty() {
                        continue;
                    }
                    let promoting = if zone.contains($from) { to } else { to & zone };
                    let plain = match $kind {
                        Kind::Bishop | Kind::Rook if PRUNED => to - promoting,
                        Kind::Lance if PRUNED => {
                            to - const { [Bitboard::far_ranks(Color::Black, 2), Bitboard::far_ranks(Color::White, 2)] }
                                [us.index()]
                        }
                        _ => to - Self::dead_ranks(us, $kind),
                    };
                    if sink.promotions($from, promoting) || sink.moves($from, plain) {
                        return true;
                    }
                }
            };
        }
        visit!(own & self.kind(Kind::Lance), Kind::Lance, |from| attacks::lance(us, from, occupied));
        visit!(own & self.kind(Kind::Knight), Kind::Knight, |from| if R::leaps(us) {
            attacks::leaper(from)
        } else {
            attacks::knight(us, from)
        });
        visit!(own & self.kind(Kind::Silver), Kind::Silver, |from| attacks::silver(us, from));
        visit!(own & self.kind(Kind::Bishop), Kind::Bishop, |from| attacks::bishop(from, occupied));
        visit!(own & self.kind(Kind::Rook), Kind::Rook, |from| attacks::rook(from, occupied));

        macro_rules! visit_plain {
            ($set:expr, |$from:ident| $attacks:expr) => {
                for $from in $set {
                    let mut to = $attacks & pieces;
                    if pinned.contains($from) {
                        to &= self.pin_line(us, $from);
                    }
                    if sink.moves($from, to) {
                        return true;
                    }
                }
            };
        }
        visit_plain!(own & self.golds(), |from| attacks::gold(us, from));
        if R::promoted_leaps(us) {
            visit_plain!(own & self.kind(Kind::ProKnight), |from| attacks::leaper(from));
        }
        visit_plain!(own & self.kind(Kind::Horse), |from| attacks::bishop(from, occupied) | attacks::king(from));
        visit_plain!(own & self.kind(Kind::Dragon), |from| attacks::rook(from, occupied) | attacks::king(from));
        false
    }

    #[inline(always)]
    fn visit_drops<S: Sink>(&self, us: Color, sink: &mut S, to: Bitboard) -> bool {
        let hand = self.hand(us);
        if hand.is_empty() || to.is_empty() {
            return false;
        }
        if hand.has(Kind::Pawn) && sink.drops(Kind::Pawn, self.pawn_drops(us, to)) {
            return true;
        }
        const OTHERS: [Kind; 6] = [Kind::Lance, Kind::Knight, Kind::Silver, Kind::Gold, Kind::Bishop, Kind::Rook];
        for kind in OTHERS {
            if hand.has(kind) && sink.drops(kind, to - Self::dead_ranks(us, kind)) {
                return true;
            }
        }
        false
    }

    /// Where a pawn may be dropped: no nifu, no dead piece, no mate.
    #[inline]
    pub(super) fn pawn_drops(&self, us: Color, to: Bitboard) -> Bitboard {
        let pawns = self.pieces(us, Kind::Pawn);
        let mut to = to - pawns.fill_files() - Self::dead_ranks(us, Kind::Pawn);
        if let Some(king) = self.king(!us) {
            let head = attacks::pawn(!us, king) & to;
            if let Some(square) = head.first()
                && self.is_drop_mate(us, square, king)
            {
                to = to - head;
            }
        }
        to
    }

    /// The line on which a pinned piece may move.
    #[inline]
    pub(super) fn pin_line(&self, us: Color, from: Square) -> Bitboard {
        match self.king(us) {
            Some(king) => attacks::line(king, from),
            None => Bitboard::FULL,
        }
    }

    /// Whether a pawn of `us` dropped on `to`, right before the enemy king, mates (uchifuzume).
    fn is_drop_mate(&self, us: Color, to: Square, king: Square) -> bool {
        let enemy = !us;
        let occupied = self.occupied().with(to);
        // Taken by a piece that is free to do so? The king is left to the next step.
        let takers = self.attackers(enemy, to, occupied).without(king);
        if takers.any() {
            let pinned = self.shields(us, king, occupied);
            if (takers - pinned).any() || takers.into_iter().any(|taker| attacks::line(king, taker).contains(to)) {
                return false;
            }
        }
        let flight = attacks::king(king) - self.color(enemy);
        (flight - self.covered(us, occupied.without(king), flight)).is_empty()
    }

    /// The squares of `area`, all within a king's step of each other's centre, that `by` attacks, given the occupied
    /// squares. Sliders that cannot reach the area at all are not worked out.
    #[inline(always)]
    pub(super) fn covered(&self, by: Color, occupied: Bitboard, area: Bitboard) -> Bitboard {
        use Direction::*;
        let (up, down) = if by == Color::Black { (Up, Down) } else { (Down, Up) };
        let (up_left, up_right) = if by == Color::Black { (UpLeft, UpRight) } else { (DownLeft, DownRight) };
        let (down_left, down_right) = if by == Color::Black { (DownLeft, DownRight) } else { (UpLeft, UpRight) };
        let side = self.color(by);
        let golds = side & self.golds();
        let silvers = side & self.kind(Kind::Silver);
        let kings = side & self.kind(Kind::King);
        let (horses, dragons) = (side & self.kind(Kind::Horse), side & self.kind(Kind::Dragon));
        let (lances, bishops, rooks) =
            (side & self.kind(Kind::Lance), side & self.kind(Kind::Bishop), side & self.kind(Kind::Rook));
        let forward = golds | silvers | kings;
        // Horses and dragons step where they do not slide.
        let straight = golds | kings | horses;
        let diagonal = silvers | kings | dragons;
        let mut set = (side & self.kind(Kind::Pawn) | forward | horses).shift(up)
            | (forward | dragons).shift(up_left)
            | (forward | dragons).shift(up_right)
            | straight.shift(Left)
            | straight.shift(Right)
            | straight.shift(down)
            | diagonal.shift(down_left)
            | diagonal.shift(down_right);
        let knights = side & self.kind(Kind::Knight);
        if R::leaps(by) {
            for knight in knights {
                set |= attacks::leaper(knight);
            }
        } else {
            let ahead = knights.shift(up);
            set |= ahead.shift(up_left) | ahead.shift(up_right);
        }
        if R::promoted_leaps(by) {
            for knight in side & self.kind(Kind::ProKnight) {
                set |= attacks::leaper(knight);
            }
        }
        for lance in lances {
            if attacks::ray(up, lance).intersects(area) {
                set |= attacks::lance(by, lance, occupied);
            }
        }
        for bishop in bishops | horses {
            set |= attacks::bishop(bishop, occupied);
        }
        for rook in rooks | dragons {
            set |= attacks::rook(rook, occupied);
        }
        set & area
    }

    /// Whether any bits at all are a legal move.
    pub(super) fn check_legal(&self, m: Move) -> bool {
        if m.is_none() {
            return false;
        }
        let us = self.side_to_move();
        let to = m.to();
        let checkers = self.checkers();
        // Where a piece other than the king must go when in check.
        let block = || match (self.king(us), checkers.first()) {
            (Some(king), Some(checker)) if checkers.several() => {
                debug_assert!(king != checker);
                Bitboard::EMPTY
            }
            (Some(king), Some(checker)) => attacks::between(king, checker).with(checker),
            _ => Bitboard::FULL,
        };
        if let Some(kind) = m.dropped() {
            let square = Bitboard::of(to) & (block() - self.occupied());
            if square.is_empty() || !self.hand(us).has(kind) {
                return false;
            }
            return if kind == Kind::Pawn {
                self.pawn_drops(us, square).any()
            } else {
                !Self::dead_ranks(us, kind).contains(to)
            };
        }
        let Some(from) = m.from() else { return false };
        let Some(piece) = self.piece_on(from).filter(|piece| piece.color() == us) else { return false };
        let kind = piece.kind();
        let occupied = self.occupied();
        if self.color(us).contains(to) || !Self::attacks_of(us, kind, from, occupied).contains(to) {
            return false;
        }
        if m.is_promotion() {
            let zone = Bitboard::zone(us);
            if kind.promoted().is_none() || !zone.contains(from) && !zone.contains(to) {
                return false;
            }
        } else if Self::dead_ranks(us, kind).contains(to) {
            return false;
        }
        if kind == Kind::King {
            return self.attackers(!us, to, occupied.without(from)).is_empty();
        }
        block().contains(to) && (!self.pinned().contains(from) || self.pin_line(us, from).contains(to))
    }

    /// What promotion adds to the moving piece.
    #[inline]
    pub(super) fn promotion_gain(&self, m: Move) -> i32 {
        let kind = self.mover(m).kind();
        kind.promoted().map_or(0, |promoted| VALUE[promoted.index()] - VALUE[kind.index()])
    }
}
