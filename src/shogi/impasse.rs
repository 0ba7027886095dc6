//! Impasse (jishogi, nyugyoku): points and claims under every rule. Shogi only.

use crate::board::{Bitboard, ByColor, Color, Kind, Square};
use crate::game::{Claim, EnteringKingRule, Impasse, Position};

use super::position::ShogiPosition;
use super::rules::Rules;

/// Points of a full set: 4 big pieces at 5, 34 others at 1.
const ALL_POINTS: u32 = 54;

impl<R: Rules> ShogiPosition<R> {
    /// Points of the pieces of a side on some squares and in its hand: rook and bishop kinds 5, others 1, king 0.
    fn points(&self, color: Color, squares: Bitboard) -> u32 {
        let pieces = self.color(color) & (squares - self.kind(Kind::King));
        let big = pieces
            & (self.kind(Kind::Rook) | self.kind(Kind::Dragon) | self.kind(Kind::Bishop) | self.kind(Kind::Horse));
        let hand = self.hand(color);
        let held_big = hand.count(Kind::Rook) + hand.count(Kind::Bishop);
        pieces.count() + 4 * big.count() + hand.total() + 4 * held_big
    }

    fn entered(&self, color: Color) -> bool {
        self.king(color).is_some_and(|king| Bitboard::zone(color).contains(king))
    }

    /// The impasse by the rule in force, `None` where it counts no points.
    pub(super) fn judge_impasse(&self) -> Option<Impasse> {
        use EnteringKingRule::*;
        if !R::IMPASSE {
            return None;
        }
        let rule = self.rules().entering_king;
        match rule {
            NoEnteringKing | TryRule => None,
            Points24 => {
                let points = ByColor(Color::ALL.map(|color| self.points(color, Bitboard::FULL)));
                let us = self.side_to_move();
                let entered = Color::ALL.into_iter().all(|color| self.entered(color));
                let claim = (entered && !self.in_check() && points[us] >= 24).then_some(if points[!us] >= 24 {
                    Claim::Draw
                } else {
                    Claim::Win
                });
                Some(Impasse { points, claim })
            }
            CsaRule24 | CsaRule24H | CsaRule27 | CsaRule27H => {
                let points = ByColor(Color::ALL.map(|color| self.points(color, Bitboard::zone(color))));
                let claim = self.may_declare(rule, points).then_some(Claim::Win);
                Some(Impasse { points, claim })
            }
        }
    }

    fn may_declare(&self, rule: EnteringKingRule, points: ByColor<u32>) -> bool {
        use EnteringKingRule::*;
        let us = self.side_to_move();
        let camp = self.color(us) & (Bitboard::zone(us) - self.kind(Kind::King));
        if !self.entered(us) || self.in_check() || camp.count() < 10 {
            return false;
        }
        let full = match (rule, us) {
            (CsaRule24 | CsaRule24H, _) => 31,
            (_, Color::Black) => 28,
            (_, Color::White) => 27,
        };
        // The giver of a handicap is White; the pieces missing from the full set are counted to it.
        let missing = if matches!(rule, CsaRule24H | CsaRule27H) && us == Color::White {
            let there: u32 = Color::ALL.into_iter().map(|color| self.points(color, Bitboard::FULL)).sum();
            ALL_POINTS.saturating_sub(there)
        } else {
            0
        };
        points[us] + missing >= full
    }

    /// See [`Position::impasse_winner`].
    #[inline]
    pub(super) fn judge_winner(&self) -> Option<Color> {
        if !R::IMPASSE {
            return None;
        }
        let us = self.side_to_move();
        match self.rules().entering_king {
            EnteringKingRule::NoEnteringKing => None,
            EnteringKingRule::TryRule => (self.king(!us)? == try_square(!us)).then_some(!us),
            // The points are counted only where the king has entered: nearly never.
            _ if !self.entered(us) => None,
            _ => (self.judge_impasse()?.claim == Some(Claim::Win)).then_some(us),
        }
    }
}

/// The square that wins for a king of that side under the try rule.
const fn try_square(color: Color) -> Square {
    match color {
        Color::Black => Square::from_index(4 * 9),
        Color::White => Square::from_index(4 * 9 + 8),
    }
}
