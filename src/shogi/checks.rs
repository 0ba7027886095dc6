//! Checks: generating those that capture nothing, and mate in one.

use crate::board::{Bitboard, Color, Kind, Move, MoveList, Piece, Square, attacks};
use crate::game::Position;

use super::movegen::{Lister, Sink};
use super::position::{CheckInfo, ShogiPosition};
use super::rules::Rules;

/// `[color][king square]`: where a stepping piece of that side must stand to be able to step into a check.
type Sources = [[Bitboard; Square::COUNT]; 2];

/// The squares from which `steps` lead to a square from which `checks` lead to the king; `promoting` asks for a move
/// that starts or ends in the zone.
const fn sources(steps: &attacks::StepTable, checks: &attacks::StepTable, promoting: bool) -> Sources {
    let mut table = [[Bitboard::EMPTY; Square::COUNT]; 2];
    let mut color = 0;
    while color < 2 {
        let zone = Bitboard::zone(if color == 0 { Color::Black } else { Color::White });
        let mut king = 0;
        while king < Square::COUNT {
            let mut set = 0;
            // An enemy piece's steps from a square are the steps of an own one to it.
            let mut targets = checks[1 - color][king].bits();
            while targets != 0 {
                let target = targets.trailing_zeros() as usize;
                targets &= targets - 1;
                let from = steps[1 - color][target].bits();
                let inside = zone.bits() >> target & 1 != 0;
                set |= if promoting && !inside { from & zone.bits() } else { from };
            }
            table[color][king] = Bitboard::from_bits(set);
            king += 1;
        }
        color += 1;
    }
    table
}

/// Sources of checks with and without promotion, taken together.
const fn either(a: Sources, b: Sources) -> Sources {
    let mut table = a;
    let mut color = 0;
    while color < 2 {
        let mut king = 0;
        while king < Square::COUNT {
            table[color][king] = Bitboard::from_bits(a[color][king].bits() | b[color][king].bits());
            king += 1;
        }
        color += 1;
    }
    table
}

use attacks::{GOLD_TABLE, KNIGHT_TABLE, LEAPER_TABLE, PAWN_TABLE, SILVER_TABLE};

static PAWNS: Sources = sources(&PAWN_TABLE, &PAWN_TABLE, false);
static SILVERS: Sources =
    either(sources(&SILVER_TABLE, &SILVER_TABLE, false), sources(&SILVER_TABLE, &GOLD_TABLE, true));
static GOLDS: Sources = GOLD_SOURCES;
const GOLD_SOURCES: Sources = sources(&GOLD_TABLE, &GOLD_TABLE, false);
static KNIGHTS: Sources =
    either(sources(&KNIGHT_TABLE, &KNIGHT_TABLE, false), sources(&KNIGHT_TABLE, &GOLD_TABLE, true));
/// Eight-way knights, whatever they promote to: gold's checks and leaps.
static LEAPERS: Sources =
    either(sources(&LEAPER_TABLE, &LEAPER_TABLE, false), sources(&LEAPER_TABLE, &GOLD_TABLE, true));
/// Promoted knights that leap: any step into any check.
static LEAPING_GOLDS: Sources = either(
    either(GOLD_SOURCES, sources(&GOLD_TABLE, &LEAPER_TABLE, false)),
    either(sources(&LEAPER_TABLE, &GOLD_TABLE, false), sources(&LEAPER_TABLE, &LEAPER_TABLE, false)),
);

impl<R: Rules> ShogiPosition<R> {
    /// The pieces that may be able to give check by moving: all sliders, and what stands a step from a check.
    fn check_sources(&self, us: Color, king: Square) -> Bitboard {
        let (color, king) = (us.index(), king.index());
        let knights = if R::leaps(us) { &LEAPERS } else { &KNIGHTS };
        let mut set = self.kind(Kind::Pawn) & PAWNS[color][king]
            | self.kind(Kind::Silver) & SILVERS[color][king]
            | self.golds() & GOLDS[color][king]
            | self.kind(Kind::Knight) & knights[color][king]
            | self.kind(Kind::Lance)
            | self.kind(Kind::Bishop)
            | self.kind(Kind::Rook)
            | self.kind(Kind::Horse)
            | self.kind(Kind::Dragon);
        if R::promoted_leaps(us) {
            set |= self.kind(Kind::ProKnight) & LEAPING_GOLDS[color][king];
        }
        set & self.color(us)
    }

    /// Quiet moves that give check, out of check: drops and direct checks by target, then discovered ones.
    pub(super) fn generate_checks<const PRUNED: bool>(&self, list: &mut MoveList) {
        let us = self.side_to_move();
        let Some(king) = self.king(!us) else { return };
        let info = self.check_info();
        let empty = !self.occupied();
        self.list_checking_drops(us, &info, empty, list);
        self.list_checking_moves::<PRUNED>(us, king, &info, empty, false, list);
        if let Some(own) = self.king(us)
            && info.discoverers.contains(own)
        {
            let to = attacks::king(own) & !(self.occupied() | attacks::line(king, own));
            Lister(list).moves(own, to - self.covered(!us, self.occupied().without(own), to));
        }
    }

    /// Checks by drops on `targets`, which are empty.
    fn list_checking_drops(&self, us: Color, info: &CheckInfo, targets: Bitboard, list: &mut MoveList) {
        let hand = self.hand(us);
        if hand.is_empty() {
            return;
        }
        for kind in Kind::HAND {
            if !hand.has(kind) {
                continue;
            }
            let to = info.squares[kind.index()] & targets;
            let to = if kind == Kind::Pawn { self.pawn_drops(us, to) } else { to - Self::dead_ranks(us, kind) };
            Lister(list).drops(kind, to);
        }
    }

    /// Checks by pieces other than the king that move to `targets`; `pawns` asks for promotions of pawns too.
    fn list_checking_moves<const PRUNED: bool>(
        &self,
        us: Color,
        king: Square,
        info: &CheckInfo,
        targets: Bitboard,
        pawns: bool,
        list: &mut MoveList,
    ) {
        let zone = Bitboard::zone(us);
        let occupied = self.occupied();
        let pinned = self.pinned();
        let movers = self.check_sources(us, king) | (info.discoverers - self.kind(Kind::King));
        for from in movers {
            let Some(kind) = self.piece_on(from).map(Piece::kind) else { continue };
            let mut to = Self::attacks_of(us, kind, from, occupied) & targets;
            if pinned.contains(from) {
                to &= self.pin_line(us, from);
            }
            let aside = if info.discoverers.contains(from) { !attacks::line(king, from) } else { Bitboard::EMPTY };
            let (promoting, promoted) = match kind.promoted() {
                None => (Bitboard::EMPTY, Bitboard::EMPTY),
                Some(promoted) => {
                    let promoting = if zone.contains(from) { to } else { to & zone };
                    (promoting, info.squares[promoted.index()])
                }
            };
            let plain = match kind {
                Kind::Bishop | Kind::Rook | Kind::Pawn if PRUNED => to - promoting,
                Kind::Lance if PRUNED => to - Bitboard::far_ranks(us, 2),
                _ => to - Self::dead_ranks(us, kind),
            };
            let mut lister = Lister(list);
            lister.moves(from, plain & (info.squares[kind.index()] | aside));
            // A pawn's promotion is a tactical move.
            if pawns || kind != Kind::Pawn {
                lister.promotions(from, promoting & (promoted | aside));
            }
        }
    }

    /// A checking move after which the enemy has no reply; may miss one that mates by opening a line.
    pub(super) fn mate_in_one(&mut self) -> Option<Move> {
        let us = self.side_to_move();
        let king = self.king(!us)?;
        if self.in_check() {
            return None;
        }
        let occupied = self.occupied();
        let around = attacks::king(king);
        let watched = self.covered(us, occupied.without(king), around);
        let flight = around - self.color(!us) - watched;
        // From afar a check takes at most the two squares of its line from the king; next to it the piece must be
        // supported.
        let contact = watched - self.color(us);
        let near_only = flight.count() > 2;
        if near_only && contact.is_empty() {
            return None;
        }
        let info = self.check_info();
        let targets = if near_only { contact } else { Bitboard::FULL };
        let mut list = MoveList::new();
        self.list_checking_drops(us, &info, targets - occupied, &mut list);
        self.list_checking_moves::<true>(us, king, &info, targets - self.color(us), true, &mut list);
        if list.is_empty() {
            return None;
        }
        let pinned = self.shields(us, king, occupied);
        let blocks = self.hand(!us);
        let blocks = [Kind::Gold, Kind::Silver, Kind::Bishop, Kind::Rook].into_iter().any(|kind| blocks.has(kind));
        list.iter().copied().find(|&m| {
            let to = m.to();
            let kind = self.arrival(m).kind();
            let left = m.from().map_or(occupied, |from| occupied.without(from));
            // The king gets away to a square that neither the others nor the checking piece watch.
            if (flight - Self::attacks_of(us, kind, to, left.without(king))).without(to).any() {
                return false;
            }
            // Most checks are met by taking the piece or by a drop in between; what is left is played to be sure.
            let after = left.with(to);
            if around.contains(to) {
                let supported =
                    if m.is_drop() { watched.contains(to) } else { (self.attackers(us, to, after) & left).any() };
                if !supported {
                    return false;
                }
            }
            let alone = m.from().is_none_or(|from| !info.discoverers.contains(from));
            if alone
                && (blocks && attacks::between(king, to).any()
                    || (self.attackers(!us, to, after).without(king) - pinned).any())
            {
                return false;
            }
            self.make(m, &mut ());
            let mate = !self.any_move();
            self.unmake();
            mate
        })
    }
}
