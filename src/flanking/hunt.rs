//! King captures within one turn.
//!
//! A king falls when the run of its side's pieces that it stands in, along a rank or file, has an enemy piece at one
//! end (the anchor) and another one arrives at the other end (the landing square); in a corner the two squares beside
//! it play these parts. One half-move does it where anchor and landing square are ready and something reaches the
//! latter. With two, the first half-move can prepare only in a few ways, each of which fixes nearly all of it:
//!
//! - one end closed, the other empty: bring a piece within reach of the landing square, by a move, by a drop, or by
//!   clearing the line of a slider (moving out of it or capturing what blocks it);
//! - both ends empty: move or drop a piece to one of them;
//! - both ends closed: leave one of them, to be taken again;
//! - cut the run: capture, across it, one of its pieces on the far side of the king, whose square is the landing square;
//! - about a corner, step from one square beside it to the other.
//!
//! Nothing else changes a run, its ends, or what reaches them. So the search is exact; what it proposes is tried out
//! where captures might spoil it.

use arrayvec::ArrayVec;

use crate::board::{Bitboard, Color, Direction, Kind, Move, Square, attacks, custodial};
use crate::game::Position;

use super::FlankingPosition;
use super::position::dead_squares;

/// Squares within two steps: what a piece that steps can reach with two moves.
static NEAR: [Bitboard; Square::COUNT] = {
    let mut table = [Bitboard::EMPTY; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let mut other = 0;
        while other < Square::COUNT {
            if Square::from_index(index).distance(Square::from_index(other)) <= 2 {
                table[index] = table[index].with(Square::from_index(other));
            }
            other += 1;
        }
        index += 1;
    }
    table
};

/// Two squares that capture the king when both are held and one has just been reached.
type Pair = (Square, Square);

/// The two directions of the line across a direction.
const fn across(direction: Direction) -> (Direction, Direction) {
    match direction {
        Direction::Up | Direction::Down => (Direction::Left, Direction::Right),
        _ => (Direction::Up, Direction::Down),
    }
}

impl FlankingPosition {
    /// The pairs that capture a king which stands on `king` among `run`, the pieces of its side. The squares are empty
    /// or held by the other side.
    #[inline]
    pub(super) fn king_pairs(king: Square, run: Bitboard) -> ArrayVec<Pair, 2> {
        let mut pairs = ArrayVec::new();
        if Bitboard::CORNERS.contains(king) {
            let beside = custodial::neighbours(king);
            if !beside.intersects(run)
                && let (Some(a), Some(b)) = (beside.first(), beside.last())
            {
                pairs.push((a, b));
            }
            return pairs;
        }
        for (there, back) in [(Direction::Up, Direction::Down), (Direction::Left, Direction::Right)] {
            if let Some(a) = custodial::run_end(king, there, run)
                && let Some(b) = custodial::run_end(king, back, run)
            {
                pairs.push((a, b));
            }
        }
        pairs
    }

    /// A move on the board that is legal as far as promotion goes: forced where it has to be, else left out.
    #[inline]
    fn plain_move(&self, from: Square, to: Square) -> Move {
        if dead_squares(self.turn(), self.kind_on(from)).contains(to) {
            Move::promotion(from, to)
        } else {
            Move::new(from, to)
        }
    }

    /// A king captured by this half-move or, at the start of a turn, by the next one of the turn.
    pub(super) fn hunt(&mut self) -> Option<(Move, u32)> {
        let us = self.turn();
        let king = self.king(!us)?;
        let pairs = Self::king_pairs(king, self.of(!us));
        if let Some(m) = self.strike(&pairs) {
            return Some((m, 1));
        }
        if self.step() == 2 {
            return None;
        }
        let m = pairs
            .into_iter()
            .find_map(|(a, b)| {
                let mine = self.of(us);
                match (mine.contains(a), mine.contains(b)) {
                    (true, true) => self.leave(a).or_else(|| self.leave(b)),
                    (true, false) => self.approach(a, b),
                    (false, true) => self.approach(b, a),
                    (false, false) => self.occupy_either(a, b),
                }
            })
            .or_else(|| self.cut(king))?;
        Some((m, 2))
    }

    /// The half-move that captures the king now.
    #[inline]
    fn strike(&self, pairs: &[Pair]) -> Option<Move> {
        let us = self.turn();
        let occupied = self.occupied();
        for &(a, b) in pairs {
            for (anchor, landing) in [(a, b), (b, a)] {
                if self.of(us).contains(anchor) && !occupied.contains(landing) {
                    let movers = self.movers_to(landing, us, occupied).without(anchor);
                    if let Some(from) = movers.first() {
                        return Some(self.plain_move(from, landing));
                    }
                }
            }
        }
        None
    }

    /// Whether a first half-move is followed by one that captures the king.
    fn prepares(&mut self, m: Move) -> bool {
        debug_assert!(self.is_legal(m), "{m} in {}", self.diagram());
        self.make(m, &mut ());
        let strikes = self
            .king(!self.turn())
            .is_some_and(|king| self.strike(&Self::king_pairs(king, self.of(!self.turn()))).is_some());
        self.unmake();
        strikes
    }

    /// The first of a piece's moves to some squares that prepares the capture by another piece.
    fn prepare_to(&mut self, from: Square, targets: Bitboard) -> Option<Move> {
        targets.into_iter().find_map(|to| {
            let m = self.plain_move(from, to);
            self.prepares(m).then_some(m)
        })
    }

    /// The same, where the piece itself may be the one that captures and may need its promotion for that.
    fn prepare_either(&mut self, from: Square, to: Square) -> Option<Move> {
        let plain = self.plain_move(from, to);
        if self.prepares(plain) {
            return Some(plain);
        }
        let promotion = Move::promotion(from, to);
        (self.is_legal(promotion) && self.prepares(promotion)).then_some(promotion)
    }

    /// Both ends closed: the piece on one of them leaves it, so that it can be reached again.
    fn leave(&mut self, from: Square) -> Option<Move> {
        let targets = self.targets(from, self.kind_on(from));
        targets.into_iter().find_map(|to| self.prepare_either(from, to))
    }

    /// Both ends empty: a piece goes to one of them, so that another one can reach the other.
    fn occupy_either(&mut self, a: Square, b: Square) -> Option<Move> {
        let us = self.turn();
        let occupied = self.occupied();
        let (to_a, to_b) = (self.movers_to(a, us, occupied), self.movers_to(b, us, occupied));
        if (to_a | to_b).is_empty() {
            return None;
        }
        self.occupy(a, to_a, b, to_b).or_else(|| self.occupy(b, to_b, a, to_a))
    }

    /// A piece goes to `anchor`, so that another one can reach `landing`, given what can go there now.
    fn occupy(&mut self, anchor: Square, holders: Bitboard, landing: Square, strikers: Bitboard) -> Option<Move> {
        if strikers.any()
            && let Some(kind) = self.droppable(anchor)
        {
            // About a corner or along a line, the anchor stands in no striker's way.
            return Some(Move::drop(kind, anchor));
        }
        for from in holders {
            // Without another striker one has to appear where the move opens a line.
            if (strikers.without(from).any() || self.opens_line(from, anchor, landing))
                && let m = self.plain_move(from, anchor)
                && self.prepares(m)
            {
                return Some(m);
            }
        }
        None
    }

    /// A kind in hand that may be dropped on an empty square.
    fn droppable(&self, square: Square) -> Option<Kind> {
        let hand = self.hand(self.turn());
        if hand.is_empty() {
            return None;
        }
        Kind::HAND.into_iter().rev().find(|&kind| hand.has(kind) && self.drops(kind).contains(square))
    }

    /// Whether a move may open a line to `landing`: a necessary condition.
    fn opens_line(&self, from: Square, to: Square, landing: Square) -> bool {
        attacks::line(landing, from).any() || self.taken_by(Move::new(from, to)).any()
    }

    /// One end closed: something comes within reach of the other.
    fn approach(&mut self, anchor: Square, landing: Square) -> Option<Move> {
        self.drop_near(landing)
            .or_else(|| self.walk_near(anchor, landing))
            .or_else(|| self.clear_line(anchor, landing))
            .or_else(|| self.step_over(anchor, landing))
    }

    /// A drop from where the piece can go on to `landing`.
    fn drop_near(&self, landing: Square) -> Option<Move> {
        let us = self.turn();
        let hand = self.hand(us);
        if hand.is_empty() {
            return None;
        }
        let occupied = self.occupied();
        Kind::HAND.into_iter().rev().filter(|&kind| hand.has(kind)).find_map(|kind| {
            let squares = attacks::piece(!us, kind, landing, occupied) & self.drops(kind);
            squares.first().map(|to| Move::drop(kind, to))
        })
    }

    /// A move from whose target the same piece can go on to `landing`.
    fn walk_near(&mut self, anchor: Square, landing: Square) -> Option<Move> {
        let us = self.turn();
        let far = self.kind(Kind::Rook)
            | self.kind(Kind::Dragon)
            | self.kind(Kind::Bishop)
            | self.kind(Kind::Horse)
            | self.kind(Kind::Lance)
            | self.kind(Kind::Knight);
        let walkers = self.of(us) & (far | NEAR[landing.index()]);
        for from in walkers.without(anchor) {
            let kind = self.kind_on(from);
            let targets = self.targets(from, kind);
            if targets.is_empty() {
                continue;
            }
            let occupied = self.occupied().without(from);
            let plain = targets & attacks::piece(!us, kind, landing, occupied);
            for to in plain {
                let m = Move::new(from, to);
                if self.prepares(m) {
                    return Some(m);
                }
            }
            if let Some(promoted) = kind.promoted() {
                let zone = Bitboard::zone(us);
                let promoting = if zone.contains(from) { targets } else { targets & zone };
                for to in promoting & attacks::piece(!us, promoted, landing, occupied) {
                    let m = Move::promotion(from, to);
                    if self.prepares(m) {
                        return Some(m);
                    }
                }
            }
        }
        None
    }

    /// A move that clears the way of a slider to `landing`, by leaving it, by capturing what stands in it, or both.
    fn clear_line(&mut self, anchor: Square, landing: Square) -> Option<Move> {
        let us = self.turn();
        let (mine, theirs) = (self.of(us), self.of(!us));
        let none = Bitboard::EMPTY;
        let straight = self.kind(Kind::Rook) | self.kind(Kind::Dragon);
        let diagonal = self.kind(Kind::Bishop) | self.kind(Kind::Horse);
        let mut sliders = none;
        if (straight & mine).any() {
            sliders |= attacks::rook(landing, none) & straight;
        }
        if (diagonal & mine).any() {
            sliders |= attacks::bishop(landing, none) & diagonal;
        }
        sliders |= attacks::lance(!us, landing, none) & self.kind(Kind::Lance);
        for slider in (sliders & mine).without(anchor) {
            let way = attacks::between(slider, landing);
            let own = way & mine;
            let foes = way & theirs;
            if own.several() || own.contains(anchor) || foes.intersects(self.kind(Kind::King)) {
                continue;
            }
            let found = match (own.first(), foes.first()) {
                (Some(blocker), None) => {
                    let targets = self.targets(blocker, self.kind_on(blocker)) - way;
                    self.prepare_to(blocker, targets)
                }
                (_, Some(foe)) => self.capture_of(foe, if own.any() { own } else { mine }),
                // Nothing in the way: then it could have struck at once.
                (None, None) => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// About a corner: the anchor itself goes to the other square, and something else to where it came from.
    fn step_over(&mut self, anchor: Square, landing: Square) -> Option<Move> {
        if !self.targets(anchor, self.kind_on(anchor)).contains(landing) {
            return None;
        }
        let m = self.plain_move(anchor, landing);
        self.prepares(m).then_some(m)
    }

    /// A move of one of `movers` that captures the piece on `square` and prepares the capture of the king. Corners
    /// need no thought: they block no slider, and a run that reaches one ends at the edge there.
    fn capture_of(&mut self, square: Square, movers: Bitboard) -> Option<Move> {
        let us = self.turn();
        let (mine, theirs) = (self.of(us), self.of(!us));
        let mut pairs: ArrayVec<Pair, 2> = ArrayVec::new();
        for (there, back) in [(Direction::Up, Direction::Down), (Direction::Left, Direction::Right)] {
            if let Some(a) = custodial::run_end(square, there, theirs)
                && let Some(b) = custodial::run_end(square, back, theirs)
            {
                pairs.push((a, b));
            }
        }
        for (a, b) in pairs {
            let (anchor, landing) = match (mine.contains(a), mine.contains(b)) {
                (true, false) => (a, b),
                (false, true) => (b, a),
                _ => continue,
            };
            let arrivals = self.movers_to(landing, us, self.occupied()) & movers;
            for from in arrivals.without(anchor) {
                let found = self.prepare_either(from, landing);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// The run closed on one side of the king is cut on the other, across its line.
    fn cut(&mut self, king: Square) -> Option<Move> {
        let us = self.turn();
        let (mine, theirs) = (self.of(us), self.of(!us));
        for direction in Direction::ORTHOGONAL {
            let back = direction.opposite();
            let behind = attacks::ray(back, king);
            if !behind.intersects(custodial::neighbours(king) & theirs) {
                continue;
            }
            let Some(anchor) = custodial::run_end(king, direction, theirs).filter(|&end| mine.contains(end)) else {
                continue;
            };
            let run = match custodial::run_end(king, back, theirs) {
                Some(end) => attacks::between(king, end),
                None => behind,
            };
            let (left, right) = across(direction);
            for square in run {
                if let Some(a) = custodial::run_end(square, left, theirs)
                    && let Some(b) = custodial::run_end(square, right, theirs)
                    && mine.contains(a) != mine.contains(b)
                    && let Some(m) = self.capture_of(square, mine.without(anchor))
                {
                    return Some(m);
                }
            }
        }
        None
    }

    /// How many half-moves `color` needs at least to capture the enemy king, roughly; 4 stands for out of sight.
    pub(super) fn king_distance(&self, color: Color, reach: Bitboard) -> u32 {
        let Some(king) = self.king(!color) else { return 1 };
        let mine = self.of(color);
        let drops = !self.hand(color).is_empty();
        let mut least = 4;
        for (a, b) in Self::king_pairs(king, self.of(!color)) {
            let missing = |square: Square| match (mine.contains(square), reach.contains(square)) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            let distance = match (missing(a), missing(b)) {
                // Both held: one has to leave and to return.
                (0, 0) => 2,
                // A drop holds one end at once.
                (x, y) if drops && x > 0 && y > 0 => x.min(y) + 1,
                (x, y) => x + y,
            };
            least = least.min(distance);
        }
        least
    }
}
