//! Hand-written evaluation: material, piece-square tables followed move by move, and attacks weighted by their
//! distance to both kings, counted on all squares at once by bit-sliced adders.

use std::marker::PhantomData;

use crate::board::{Bitboard, ByColor, Color, Direction, Kind, Piece, Square, attacks};
use crate::game::{Evaluator, Observer, Position};
use crate::nnue::Evaluation;
use crate::tally::Tally;

use super::VALUE;
use super::position::ShogiPosition;
use super::rules::Rules;

/// A piece on the board is worth this many 1024ths less than in the material table: one in hand goes anywhere.
const BOARD_DISCOUNT: i32 = 80;
/// What a first, second … piece of a kind in hand is worth, in 1024ths of its value.
const HAND_SCALE: i32 = 1064;
/// The gain of an eight-way knight over an ordinary one.
const LEAPER_BONUS: i32 = 130;
/// Worth of one attack at king distance 1 (and 0), 2, 3, 4 and beyond, in 16ths of a centipawn: on the enemy king.
const OFFENCE: [i32; 5] = [720, 470, 350, 270, 170];
/// The same around the own king.
const DEFENCE: [i32; 5] = [650, 420, 310, 230, 150];
/// Squares beside a king that the enemy attacks and nothing but the king defends: worth of 0, 1, 2 … of them.
const BREACH: [i32; 9] = [0, 25, 65, 115, 175, 240, 300, 350, 400];
/// An undefended piece under attack, in 16ths of its value.
const HANGING: i32 = 1;
/// The right to move.
const TEMPO: i32 = 25;

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

/// Where a king likes to be by file distance from the middle (0..=4) and own rank (9 is home): castles pay, the
/// middle of the board does not, the enemy camp does again.
const fn king_square(square: Square) -> i32 {
    const BY_RANK: [i32; 9] = [60, 30, -10, -110, -140, -120, -80, -20, 0];
    const BY_FILE: [i32; 5] = [-30, -12, 10, 25, 12];
    let rank = square.rank() as usize - 1;
    let file = square.file().abs_diff(5) as usize;
    BY_RANK[rank] + if rank >= 7 { BY_FILE[file] } else { BY_FILE[file] / 2 }
}

/// Position bonus of a piece of Black in centipawns.
const fn square_bonus(kind: Kind, square: Square) -> i32 {
    // Ranks 1..=9 as Black sees them.
    const PAWN: [i32; 9] = [0, 0, 0, 18, 14, 6, 0, 0, 0];
    const LANCE: [i32; 9] = [0, -20, -20, -20, -15, -10, -5, 0, 5];
    const KNIGHT: [i32; 9] = [0, 0, 0, 10, 20, -5, 8, 0, 0];
    const SILVER: [i32; 9] = [0, 15, 20, 25, 25, 20, 8, 0, -12];
    const GOLD: [i32; 9] = [-10, 10, 15, 10, 5, 2, 4, 6, -4];
    const PROMOTED: [i32; 9] = [-20, 10, 20, 10, 0, -20, -40, -60, -80];
    const BISHOP: [i32; 9] = [0, 5, 10, 15, 20, 15, 5, 0, -5];
    const ROOK: [i32; 9] = [25, 30, 25, 15, -10, -10, -10, 5, 0];
    const CENTER: [i32; 9] = [-8, -4, 0, 3, 4, 3, 0, -4, -8];
    let rank = square.rank() as usize - 1;
    let center = CENTER[square.file() as usize - 1];
    match kind {
        Kind::Pawn => PAWN[rank],
        Kind::Lance => LANCE[rank],
        Kind::Knight => KNIGHT[rank] + center,
        Kind::Silver => SILVER[rank] + center,
        Kind::Gold => GOLD[rank] + center,
        Kind::ProPawn | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => PROMOTED[rank] + 2 * center,
        Kind::Bishop => BISHOP[rank] + center,
        Kind::Rook => ROOK[rank],
        Kind::Horse => center + if rank >= 5 { 25 } else { 0 },
        Kind::Dragon => {
            if rank <= 3 {
                15
            } else {
                0
            }
        }
        Kind::King => king_square(square),
    }
}

/// Material and square value of every piece on every square, from Black's side.
static PIECE_SQUARE: [[i32; Square::COUNT]; Piece::COUNT] = {
    let mut table = [[0; Square::COUNT]; Piece::COUNT];
    let mut kind = 0;
    while kind < Kind::COUNT {
        let mut index = 0;
        while index < Square::COUNT {
            let square = Square::from_index(index);
            let material =
                if kind == Kind::King.index() { 0 } else { VALUE[kind] - VALUE[kind] * BOARD_DISCOUNT / 1024 };
            let value = material + square_bonus(Kind::from_index(kind), square);
            table[kind][index] = value;
            table[kind + 16][square.rotate().index()] = -value;
            index += 1;
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

    /// Attacks in rings around a square, each with its weight; the last weight goes to all squares beyond.
    #[inline(always)]
    fn weigh(&self, center: Square, weights: &[i32; 5]) -> i32 {
        let rings = &RINGS[center.index()];
        let mut total = self.sum(Bitboard::FULL) * weights[4];
        for (ring, pair) in rings.iter().zip(weights.windows(2)) {
            total += self.sum(*ring) * (pair[0] - pair[1]);
        }
        total
    }
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
    fn hand_value(color: Color, kind: Kind) -> i32 {
        let leaps = kind == Kind::Knight && R::leaps(color);
        signed(color, VALUE[kind.index()] * HAND_SCALE / 1024 + if leaps { LEAPER_BONUS } else { 0 })
    }

    /// Attack counts of a side: all, and without its king's own.
    #[inline(always)]
    fn attack_planes(position: &ShogiPosition<R>, us: Color) -> (Planes, Bitboard) {
        use Direction::*;
        let (up, down) = if us == Color::Black { (Up, Down) } else { (Down, Up) };
        let (up_left, up_right) = if us == Color::Black { (UpLeft, UpRight) } else { (DownLeft, DownRight) };
        let (down_left, down_right) = if us == Color::Black { (DownLeft, DownRight) } else { (UpLeft, UpRight) };
        let side = position.color(us);
        let occupied = position.occupied();
        let golds = side & position.golds();
        let silvers = side & position.kind(Kind::Silver);
        let forward = golds | silvers;
        let mut planes = Planes::of([
            // A pawn and a gold or silver behind the same square are never both there.
            (forward | side & position.kind(Kind::Pawn)).shift(up),
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
        (planes, covered)
    }

    /// Everything that is not kept up to date, from Black's side.
    fn dynamic(position: &ShogiPosition<R>) -> i32 {
        let (black, black_covered) = Self::attack_planes(position, Color::Black);
        let (white, white_covered) = Self::attack_planes(position, Color::White);
        let mut heat = 0;
        let mut score = 0;
        if let Some(king) = position.king(Color::Black) {
            heat += black.weigh(king, &DEFENCE) - white.weigh(king, &OFFENCE);
            let breach = attacks::king(king) & (white_covered - black_covered);
            score -= BREACH[breach.count() as usize];
        }
        if let Some(king) = position.king(Color::White) {
            heat += black.weigh(king, &OFFENCE) - white.weigh(king, &DEFENCE);
            let breach = attacks::king(king) & (black_covered - white_covered);
            score += BREACH[breach.count() as usize];
        }
        let black_hanging = position.color(Color::Black) & (white.any() - black.any());
        let white_hanging = position.color(Color::White) & (black.any() - white.any());
        let mut hanging = 0;
        for square in black_hanging {
            hanging -= position.piece_on(square).map_or(0, |piece| VALUE[piece.kind().index()].min(1400));
        }
        for square in white_hanging {
            hanging += position.piece_on(square).map_or(0, |piece| VALUE[piece.kind().index()].min(1400));
        }
        score + heat / 16 + hanging * HANGING / 16
    }
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
        self.tally.add((after as i32 - before as i32) * Self::hand_value(color, kind));
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
            Kind::HAND
                .iter()
                .map(|&kind| position.hand(color).count(kind) as i32 * Self::hand_value(color, kind))
                .sum::<i32>()
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
        let score = self.tally.sum() + Self::dynamic(position);
        (signed(position.side_to_move(), score) + TEMPO).clamp(-20000, 20000)
    }
}
