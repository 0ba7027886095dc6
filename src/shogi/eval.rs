//! Hand-written evaluation: material, piece-square tables followed move by move, and attacks weighted by their
//! distance to both kings, counted on all squares at once by bit-sliced adders. Its terms and weights stand in
//! `terms` and `weights`.

use std::marker::PhantomData;

use crate::board::{Bitboard, ByColor, Color, Direction, Kind, Piece, Square, attacks};
use crate::game::{Evaluator, Observer, Position};
use crate::nnue::Evaluation;
use crate::tally::Tally;

use super::position::ShogiPosition;
use super::rules::Rules;
use super::terms::{
    BREACH, CHASED, DEFENCE, ESCAPE, Group, HANGING, OFFENCE, Sink, Sum, TEMPO, TERMS, Trace, WEIGHTS, hand_term,
    square_term,
};

/// Weights are in such parts of a centipawn.
const UNIT: i32 = 16;
/// The gain of an eight-way knight over an ordinary one.
const LEAPER_BONUS: i32 = 130 * UNIT;

/// `RINGS[square][n]`: the squares within distance n + 1.
static RINGS: [[Bitboard; 4]; Square::COUNT] = {
    let mut rings = [[Bitboard::EMPTY; 4]; Square::COUNT];
    let mut center = 0;
    while center < Square::COUNT {
        let mut square = 0;
        while square < Square::COUNT {
            let mut ring = Square::from_index(center).distance(Square::from_index(square)) as usize;
            ring = if ring == 0 { 0 } else { ring - 1 };
            while ring < 4 {
                rings[center][ring] = rings[center][ring].with(Square::from_index(square));
                ring += 1;
            }
            square += 1;
        }
        center += 1;
    }
    rings
};

/// Worth of every piece on every square, from Black's side.
static PIECE_SQUARE: [[i32; Square::COUNT]; Piece::COUNT] = {
    let mut table = [[0; Square::COUNT]; Piece::COUNT];
    let mut kind = 0;
    while kind < Kind::COUNT {
        let mut index = 0;
        while index < Square::COUNT {
            let square = Square::from_index(index);
            let value = WEIGHTS[square_term(Kind::from_index(kind), square)];
            table[kind][index] = value;
            table[kind + 16][square.rotate().index()] = -value;
            index += 1;
        }
        kind += 1;
    }
    table
};

/// Worth of so many pieces of a kind in hand.
static IN_HAND: [[i32; 19]; 7] = {
    let mut table = [[0; 19]; 7];
    let mut kind = 0;
    while kind < 7 {
        let mut count = 0;
        while count < 18 {
            table[kind][count + 1] = table[kind][count] + WEIGHTS[hand_term(Kind::from_index(kind), count)];
            count += 1;
        }
        kind += 1;
    }
    table
};

/// Sums of the sets added so far on every square, three bits deep; sticks at seven.
#[derive(Clone, Copy, Default)]
struct Planes([Bitboard; 3]);

/// Sum and carry of three bits on every square.
#[inline(always)]
fn full_add(a: Bitboard, b: Bitboard, c: Bitboard) -> (Bitboard, Bitboard) {
    let either = a ^ b;
    (either ^ c, (a & b) | (either & c))
}

impl Planes {
    /// The sums of eight sets that are not all eight on one square.
    #[inline(always)]
    fn of([a, b, c, d, e, f, g, h]: [Bitboard; 8]) -> Self {
        let (sum0, carry0) = full_add(a, b, c);
        let (sum1, carry1) = full_add(d, e, f);
        let (sum2, carry2) = full_add(sum0, sum1, g);
        let (ones, carry3) = (sum2 ^ h, sum2 & h);
        let (sum3, four0) = full_add(carry0, carry1, carry2);
        let (twos, four1) = (sum3 ^ carry3, sum3 & carry3);
        Self([ones, twos, four0 | four1])
    }

    #[inline(always)]
    fn add(&mut self, set: Bitboard) {
        let [ones, twos, fours] = &mut self.0;
        let carry = *ones & set;
        *ones ^= set;
        let carry2 = *twos & carry;
        *twos ^= carry;
        let overflow = *fours & carry2;
        *fours ^= carry2;
        *ones |= overflow;
        *twos |= overflow;
        *fours |= overflow;
    }

    #[inline(always)]
    fn sum(&self, squares: Bitboard) -> i32 {
        let [ones, twos, fours] = self.0;
        ((ones & squares).count() + 2 * (twos & squares).count() + 4 * (fours & squares).count()) as i32
    }

    #[inline(always)]
    fn any(&self) -> Bitboard {
        self.0[0] | self.0[1] | self.0[2]
    }

    /// Counts attacks in rings around a square, the last of which is all beyond.
    #[inline(always)]
    fn weigh(&self, center: Square, group: &Group, sign: i32, sink: &mut impl Sink) {
        let mut within = 0;
        for (index, ring) in RINGS[center.index()].iter().enumerate() {
            let sum = self.sum(*ring);
            sink.add(group.at(index), sign * (sum - within));
            within = sum;
        }
        sink.add(group.at(4), sign * (self.sum(Bitboard::FULL) - within));
    }
}

/// What a side attacks.
struct Attacks {
    /// How often, each square.
    planes: Planes,
    /// Squares attacked by other pieces than the king.
    covered: Bitboard,
    /// Squares attacked by pawns.
    pawns: Bitboard,
}

/// The evaluation of the shogi family.
#[derive(Clone)]
pub struct ShogiEval<R> {
    /// Material and squares from Black's side.
    tally: Tally,
    marker: PhantomData<R>,
}

impl<R: Rules> ShogiEval<R> {
    #[inline]
    fn piece_value(piece: Piece, square: Square) -> i32 {
        let value = PIECE_SQUARE[piece.index()][square.index()];
        let leaps = match piece.kind() {
            Kind::Knight => R::leaps(piece.color()),
            Kind::ProKnight => R::promoted_leaps(piece.color()),
            _ => false,
        };
        value + if leaps { signed(piece.color(), LEAPER_BONUS) } else { 0 }
    }

    #[inline]
    fn hand_value(color: Color, kind: Kind, count: u32) -> i32 {
        let leaps = kind == Kind::Knight && R::leaps(color);
        let bonus = if leaps { LEAPER_BONUS * count as i32 } else { 0 };
        signed(color, IN_HAND[kind.index()][(count as usize).min(18)] + bonus)
    }

    /// The attacks of a side.
    #[inline(always)]
    fn attacks(position: &ShogiPosition<R>, us: Color) -> Attacks {
        use Direction::*;
        let (up, down) = if us == Color::Black { (Up, Down) } else { (Down, Up) };
        let (up_left, up_right) = if us == Color::Black { (UpLeft, UpRight) } else { (DownLeft, DownRight) };
        let (down_left, down_right) = if us == Color::Black { (DownLeft, DownRight) } else { (UpLeft, UpRight) };
        let side = position.color(us);
        let occupied = position.occupied();
        let golds = side & position.golds();
        let silvers = side & position.kind(Kind::Silver);
        let forward = golds | silvers;
        let pawns = (side & position.kind(Kind::Pawn)).shift(up);
        let mut planes = Planes::of([
            // A pawn and a gold or silver behind the same square are never both there.
            forward.shift(up) | pawns,
            forward.shift(up_left),
            forward.shift(up_right),
            golds.shift(Left),
            golds.shift(Right),
            golds.shift(down),
            silvers.shift(down_left),
            silvers.shift(down_right),
        ]);
        let knights = side & position.kind(Kind::Knight);
        if R::leaps(us) {
            for knight in knights {
                planes.add(attacks::leaper(knight));
            }
        } else if knights.any() {
            planes.add(knights.shift(up).shift(up_left));
            planes.add(knights.shift(up).shift(up_right));
        }
        if R::promoted_leaps(us) {
            for knight in side & position.kind(Kind::ProKnight) {
                planes.add(attacks::leaper(knight));
            }
        }
        for lance in side & position.kind(Kind::Lance) {
            planes.add(attacks::lance(us, lance, occupied));
        }
        for bishop in side & position.kind(Kind::Bishop) {
            planes.add(attacks::bishop(bishop, occupied));
        }
        for rook in side & position.kind(Kind::Rook) {
            planes.add(attacks::rook(rook, occupied));
        }
        for horse in side & position.kind(Kind::Horse) {
            planes.add(attacks::bishop(horse, occupied) | attacks::king(horse));
        }
        for dragon in side & position.kind(Kind::Dragon) {
            planes.add(attacks::rook(dragon, occupied) | attacks::king(dragon));
        }
        let covered = planes.any();
        if let Some(king) = position.king(us) {
            planes.add(attacks::king(king));
        }
        Attacks { planes, covered, pawns }
    }

    /// Tells everything that is not kept up to date.
    #[inline(always)]
    fn dynamic(position: &ShogiPosition<R>, sink: &mut impl Sink) {
        let both = ByColor([Self::attacks(position, Color::Black), Self::attacks(position, Color::White)]);
        for us in Color::ALL {
            let (ours, theirs, sign) = (&both[us], &both[!us], signed(us, 1));
            let (attacked, defended) = (theirs.planes.any(), ours.planes.any());
            let side = position.color(us);
            if let Some(king) = position.king(us) {
                ours.planes.weigh(king, &DEFENCE, sign, sink);
                theirs.planes.weigh(king, &OFFENCE, -sign, sink);
                let beside = attacks::king(king);
                let breach = (beside & (theirs.covered - ours.covered)).count() as usize;
                let hand = position.hand(!us);
                let droppers = (hand.total() - hand.count(Kind::Pawn)).min(3) as usize;
                sink.add(BREACH.at(droppers * 9 + breach), -sign);
                sink.add(ESCAPE.at((beside - side - attacked).count() as usize), sign);
            }
            let row = if us == position.side_to_move() { 0 } else { Kind::COUNT };
            for square in side & (attacked - defended) {
                if let Some(piece) = position.piece_on(square) {
                    sink.add(HANGING.at(row + piece.kind().index()), sign);
                }
            }
            for square in (side & theirs.pawns & defended) - position.kind(Kind::Pawn) {
                if let Some(piece) = position.piece_on(square) {
                    sink.add(CHASED.at(row + piece.kind().index()), sign);
                }
            }
        }
        sink.add(TEMPO.at(0), signed(position.side_to_move(), 1));
    }
}

/// How often each term occurs in a position, more for Black than for White. The evaluation is the sum of the weights,
/// so often taken; the leaps of eight-way knights come on top of it.
pub fn trace<R: Rules>(position: &ShogiPosition<R>) -> Trace {
    let mut trace = Trace([0; TERMS]);
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            let seen = if piece.color() == Color::Black { square } else { square.rotate() };
            trace.add(square_term(piece.kind(), seen), signed(piece.color(), 1));
        }
    }
    for color in Color::ALL {
        for kind in Kind::HAND {
            for number in 0..position.hand(color).count(kind) {
                trace.add(hand_term(kind, number as usize), signed(color, 1));
            }
        }
    }
    ShogiEval::dynamic(position, &mut trace);
    trace
}

#[inline]
const fn signed(color: Color, value: i32) -> i32 {
    match color {
        Color::Black => value,
        Color::White => -value,
    }
}

impl<R: Rules> Observer for ShogiEval<R> {
    #[inline]
    fn put(&mut self, piece: Piece, square: Square) {
        self.tally.add(Self::piece_value(piece, square));
    }

    #[inline]
    fn lift(&mut self, piece: Piece, square: Square) {
        self.tally.add(-Self::piece_value(piece, square));
    }

    #[inline]
    fn hand(&mut self, color: Color, kind: Kind, before: u32, after: u32) {
        self.tally.add(Self::hand_value(color, kind, after) - Self::hand_value(color, kind, before));
    }
}

impl<R: Rules> Evaluator<ShogiPosition<R>> for ShogiEval<R> {
    fn new(_: &Evaluation) -> Self {
        Self { tally: Tally::new(), marker: PhantomData }
    }

    fn reset(&mut self, position: &ShogiPosition<R>) {
        self.tally.clear();
        let board: i32 = position
            .occupied()
            .into_iter()
            .map(|sq| position.piece_on(sq).map_or(0, |p| Self::piece_value(p, sq)))
            .sum();
        let hands = ByColor(Color::ALL.map(|color| {
            Kind::HAND.iter().map(|&kind| Self::hand_value(color, kind, position.hand(color).count(kind))).sum::<i32>()
        }));
        self.tally.add(board + hands[Color::Black] + hands[Color::White]);
    }

    #[inline]
    fn push(&mut self) {
        self.tally.push();
    }

    #[inline]
    fn pop(&mut self) {
        self.tally.pop();
    }

    fn evaluate(&mut self, position: &ShogiPosition<R>) -> i32 {
        let mut sum = Sum(self.tally.sum());
        Self::dynamic(position, &mut sum);
        (signed(position.side_to_move(), sum.0) / UNIT).clamp(-20000, 20000)
    }
}
