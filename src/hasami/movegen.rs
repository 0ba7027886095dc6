//! Hasami's moves, and the move that wins at once.

use crate::board::{Bitboard, Color, Direction, Move, MoveList, Square, attacks, custodial};
use crate::game::Stage;

use super::HasamiPosition;

impl HasamiPosition {
    /// The squares a man slides to.
    #[inline]
    fn slides(&self, from: Square) -> Bitboard {
        let occupied = self.occupied();
        attacks::rook(from, occupied) - occupied
    }

    /// Moves to the given empty squares.
    #[inline]
    fn moves_to(&self, targets: Bitboard, list: &mut MoveList) {
        for from in self.men(self.turn()) {
            for to in self.slides(from) & targets {
                list.push(Move::new(from, to));
            }
        }
    }

    /// The squares where any move captures: with men that only slide, arriving at a closing square always does,
    /// since a man on the closing side of a run cannot get round it, nor from one side of a corner to the other.
    #[inline]
    fn capturing_squares(&self) -> Bitboard {
        custodial::closing_squares(self.men(self.turn()), self.men(!self.turn()))
    }

    pub(super) fn generate_stage(&self, stage: Stage, list: &mut MoveList) {
        let empty = !self.occupied();
        match stage {
            Stage::Tactical => {
                let occupied = self.occupied();
                for to in self.capturing_squares() {
                    for from in attacks::rook(to, occupied) & self.men(self.turn()) {
                        list.push(Move::new(from, to));
                    }
                }
            }
            Stage::Quiet => self.moves_to(empty - self.capturing_squares(), list),
            Stage::QuietChecks => {}
            Stage::All => self.moves_to(empty, list),
        }
    }

    pub(super) fn count_moves(&self) -> usize {
        self.men(self.turn()).into_iter().map(|from| self.slides(from).count() as usize).sum()
    }

    /// Whether a man has an empty square beside it.
    pub(super) fn can_move(&self) -> bool {
        let men = self.men(self.turn());
        let empty = !self.occupied();
        Direction::ORTHOGONAL.into_iter().any(|direction| men.shift(direction).intersects(empty))
    }

    pub(super) fn is_move(&self, m: Move) -> bool {
        let Some(from) = m.from() else { return false };
        m.is_some() && !m.is_promotion() && self.men(self.turn()).contains(from) && self.slides(from).contains(m.to())
    }

    /// What a legal move captures.
    #[inline]
    pub(super) fn taken_by(&self, m: Move) -> Bitboard {
        let mut mine = self.men(self.turn()).with(m.to());
        if let Some(from) = m.from() {
            mine = mine.without(from);
        }
        custodial::captures(m.to(), mine, self.men(!self.turn()))
    }

    /// A move that reaches the goal.
    pub(super) fn goal_move(&self) -> Option<Move> {
        let (mine, theirs) = (self.men(self.turn()), self.men(!self.turn()));
        let needed = self.men_to_goal(self.turn());
        for to in self.capturing_squares() {
            if custodial::captures(to, mine.with(to), theirs).count() >= needed
                && let Some(from) = (attacks::rook(to, self.occupied()) & mine).first()
            {
                return Some(Move::new(from, to));
            }
        }
        None
    }

    /// Every square that some man of a side could slide to, and the number of such moves.
    #[inline]
    pub(super) fn reach(&self, color: Color) -> (Bitboard, u32) {
        self.men(color).into_iter().fold((Bitboard::EMPTY, 0), |(reach, count), from| {
            let slides = self.slides(from);
            (reach | slides, count + slides.count())
        })
    }
}
