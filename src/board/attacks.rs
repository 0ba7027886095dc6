//! Attacks of every kind of piece, from tables of a few kilobytes made at compile time.
//!
//! A slide towards higher square numbers ends at the lowest occupied square of its ray: subtracting 1 from the
//! occupied part flips exactly the bits up to there. Rays of stride 8, 9 and 10 have at most one bit in a byte, so
//! the same works downwards after swapping the bytes; a file is nine bits in a row and has a table instead.

use super::{Bitboard, Color, Direction, Kind, Square};

const KING_STEPS: [(i8, i8); 8] = [(0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1)];
const GOLD_STEPS: [(i8, i8); 6] = [(0, -1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1)];
const SILVER_STEPS: [(i8, i8); 5] = [(0, -1), (1, -1), (-1, -1), (1, 1), (-1, 1)];
const KNIGHT_STEPS: [(i8, i8); 2] = [(1, -2), (-1, -2)];
const LEAPER_STEPS: [(i8, i8); 8] = [(1, -2), (-1, -2), (1, 2), (-1, 2), (2, -1), (-2, -1), (2, 1), (-2, 1)];
const PAWN_STEPS: [(i8, i8); 1] = [(0, -1)];

/// `[color][square]`: where a piece steps to.
pub(crate) type StepTable = [[Bitboard; Square::COUNT]; 2];

const fn step_table(steps: &[(i8, i8)]) -> StepTable {
    let mut table = [[Bitboard::EMPTY; Square::COUNT]; 2];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::from_index(index);
        let mut step = 0;
        while step < steps.len() {
            let (file, rank) = steps[step];
            if let Some(to) = Square::new(square.file() + file, square.rank() + rank) {
                table[0][index] = table[0][index].with(to);
            }
            if let Some(to) = Square::new(square.file() - file, square.rank() - rank) {
                table[1][index] = table[1][index].with(to);
            }
            step += 1;
        }
        index += 1;
    }
    table
}

static KING: StepTable = step_table(&KING_STEPS);
/// For tables made of it at compile time.
pub(crate) const GOLD_TABLE: StepTable = step_table(&GOLD_STEPS);
static GOLD: StepTable = GOLD_TABLE;
/// For tables made of it at compile time.
pub(crate) const SILVER_TABLE: StepTable = step_table(&SILVER_STEPS);
static SILVER: StepTable = SILVER_TABLE;
/// For tables made of it at compile time.
pub(crate) const KNIGHT_TABLE: StepTable = step_table(&KNIGHT_STEPS);
static KNIGHT: StepTable = KNIGHT_TABLE;
/// For tables made of it at compile time.
pub(crate) const LEAPER_TABLE: StepTable = step_table(&LEAPER_STEPS);
static LEAPER: StepTable = LEAPER_TABLE;
/// For tables made of it at compile time.
pub(crate) const PAWN_TABLE: StepTable = step_table(&PAWN_STEPS);
static PAWN: StepTable = PAWN_TABLE;

/// `RAYS[direction][square]`; the ninth row is empty, for squares that share no line.
static RAYS: [[Bitboard; Square::COUNT]; 9] = {
    let mut rays = [[Bitboard::EMPTY; Square::COUNT]; 9];
    let mut direction = 0;
    while direction < 8 {
        let (file, rank) = Direction::ALL[direction].delta();
        let mut index = 0;
        while index < Square::COUNT {
            let mut at = Square::from_index(index);
            while let Some(next) = Square::new(at.file() + file, at.rank() + rank) {
                rays[direction][index] = rays[direction][index].with(next);
                at = next;
            }
            index += 1;
        }
        direction += 1;
    }
    rays
};

/// `DIRECTION[from][to]`: index of the direction that leads there, 8 for none.
static DIRECTION: [[u8; Square::COUNT]; Square::COUNT] = {
    let mut table = [[8; Square::COUNT]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let mut direction = 0;
        while direction < 8 {
            let (file, rank) = Direction::ALL[direction].delta();
            let mut at = Square::from_index(index);
            while let Some(next) = Square::new(at.file() + file, at.rank() + rank) {
                table[index][next.index()] = direction as u8;
                at = next;
            }
            direction += 1;
        }
        index += 1;
    }
    table
};

/// `[first direction]`: the rays of a square in a direction and the three after it.
const fn four_rays(first: usize) -> [Bitboard; Square::COUNT] {
    let mut table = [Bitboard::EMPTY; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let rays = [RAYS[first][index], RAYS[first + 1][index], RAYS[first + 2][index], RAYS[first + 3][index]];
        let bits = rays[0].bits() | rays[1].bits() | rays[2].bits() | rays[3].bits();
        table[index] = Bitboard::from_bits(bits);
        index += 1;
    }
    table
}

static STRAIGHTS: [Bitboard; Square::COUNT] = four_rays(Direction::Up as usize);
static DIAGONALS: [Bitboard; Square::COUNT] = four_rays(Direction::UpLeft as usize);

/// Index of the opposite direction in [`Direction::ALL`]; none stays none.
const OPPOSITE: [usize; 9] = [1, 0, 3, 2, 7, 6, 5, 4, 8];

/// The rays of a square ready for the subtraction: downward ones with their bytes swapped.
#[derive(Clone, Copy)]
struct Slides {
    left: u128,
    right_swapped: u128,
    up_left: u128,
    down_left: u128,
    up_right_swapped: u128,
    down_right_swapped: u128,
}

static SLIDES: [Slides; Square::COUNT] = {
    let empty =
        Slides { left: 0, right_swapped: 0, up_left: 0, down_left: 0, up_right_swapped: 0, down_right_swapped: 0 };
    let mut table = [empty; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        table[index] = Slides {
            left: RAYS[Direction::Left as usize][index].bits(),
            right_swapped: RAYS[Direction::Right as usize][index].bits().swap_bytes(),
            up_left: RAYS[Direction::UpLeft as usize][index].bits(),
            down_left: RAYS[Direction::DownLeft as usize][index].bits(),
            up_right_swapped: RAYS[Direction::UpRight as usize][index].bits().swap_bytes(),
            down_right_swapped: RAYS[Direction::DownRight as usize][index].bits().swap_bytes(),
        };
        index += 1;
    }
    table
};

/// `FILE[rank][middle seven bits of the file]`: where a rook on that rank of a file reaches along it.
static FILE: [[u16; 128]; 9] = {
    let mut table = [[0; 128]; 9];
    let mut rank = 0;
    while rank < 9 {
        let mut occupied = 0;
        while occupied < 128 {
            let blockers = (occupied as u16) << 1;
            let mut reach = 0u16;
            let mut at = rank;
            while at > 0 {
                at -= 1;
                reach |= 1 << at;
                if blockers >> at & 1 != 0 {
                    break;
                }
            }
            at = rank;
            while at < 8 {
                at += 1;
                reach |= 1 << at;
                if blockers >> at & 1 != 0 {
                    break;
                }
            }
            table[rank][occupied] = reach;
            occupied += 1;
        }
        rank += 1;
    }
    table
};

/// The part of `ray` up to and including its lowest occupied square.
#[inline]
const fn reach(ray: u128, occupied: u128) -> u128 {
    let blockers = ray & occupied;
    ray & (blockers ^ blockers.wrapping_sub(1))
}

/// Everything in a direction up to the edge.
#[inline]
pub fn ray(direction: Direction, from: Square) -> Bitboard {
    RAYS[direction as usize][from.index()]
}

/// The file and the rank of a square, which is left out itself.
#[inline]
pub fn straights(square: Square) -> Bitboard {
    STRAIGHTS[square.index()]
}

/// Both diagonals of a square, which is left out itself.
#[inline]
pub fn diagonals(square: Square) -> Bitboard {
    DIAGONALS[square.index()]
}

/// The squares strictly between two squares of a line; empty if they share none.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    let direction = DIRECTION[a.index()][b.index()] as usize;
    RAYS[direction][a.index()] & RAYS[OPPOSITE[direction]][b.index()]
}

/// The whole line through two squares, `from` itself left out; empty if they share none.
#[inline]
pub fn line(from: Square, through: Square) -> Bitboard {
    let direction = DIRECTION[from.index()][through.index()] as usize;
    RAYS[direction][from.index()] | RAYS[OPPOSITE[direction]][from.index()]
}

/// The eight squares around.
#[inline]
pub fn king(square: Square) -> Bitboard {
    KING[0][square.index()]
}

/// One step as a gold.
#[inline]
pub fn gold(color: Color, square: Square) -> Bitboard {
    GOLD[color.index()][square.index()]
}

/// One step as a silver.
#[inline]
pub fn silver(color: Color, square: Square) -> Bitboard {
    SILVER[color.index()][square.index()]
}

/// The two forward leaps of an ordinary knight.
#[inline]
pub fn knight(color: Color, square: Square) -> Bitboard {
    KNIGHT[color.index()][square.index()]
}

/// The eight leaps of an eight-way knight.
#[inline]
pub fn leaper(square: Square) -> Bitboard {
    LEAPER[0][square.index()]
}

/// One step forwards.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// Forwards up to and including the first occupied square.
#[inline]
pub fn lance(color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match color {
        Color::Black => file(square, occupied) & ray(Direction::Up, square),
        Color::White => {
            Bitboard::from_raw(reach(RAYS[Direction::Down as usize][square.index()].bits(), occupied.bits()))
        }
    }
}

/// Up and down the file.
#[inline]
pub fn file(square: Square, occupied: Bitboard) -> Bitboard {
    let start = square.index() / 9 * 9;
    let column = (occupied.bits() >> (start + 1)) as usize & 0x7f;
    Bitboard::from_raw((FILE[square.index() - start][column] as u128) << start)
}

/// Left and right along the rank.
#[inline]
pub fn rank(square: Square, occupied: Bitboard) -> Bitboard {
    let slides = &SLIDES[square.index()];
    let left = reach(slides.left, occupied.bits());
    let right = reach(slides.right_swapped, occupied.bits().swap_bytes()).swap_bytes();
    Bitboard::from_raw(left | right)
}

/// A rook's slides, up to and including the first occupied square each way.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    file(square, occupied) | rank(square, occupied)
}

/// A bishop's slides, up to and including the first occupied square each way.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let slides = &SLIDES[square.index()];
    let swapped = occupied.bits().swap_bytes();
    let left = reach(slides.up_left, occupied.bits()) | reach(slides.down_left, occupied.bits());
    let right = reach(slides.up_right_swapped, swapped) | reach(slides.down_right_swapped, swapped);
    Bitboard::from_raw(left | right.swap_bytes())
}

/// Attacks of a kind by the rules of ordinary shogi; occupied squares end slides and are attacked themselves.
#[inline]
pub fn piece(color: Color, kind: Kind, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        Kind::Pawn => pawn(color, square),
        Kind::Lance => lance(color, square, occupied),
        Kind::Knight => knight(color, square),
        Kind::Silver => silver(color, square),
        Kind::Bishop => bishop(square, occupied),
        Kind::Rook => rook(square, occupied),
        Kind::King => king(square),
        Kind::Horse => bishop(square, occupied) | king(square),
        Kind::Dragon => rook(square, occupied) | king(square),
        Kind::Gold | Kind::ProPawn | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => gold(color, square),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks from `square` until something is hit.
    fn walk(square: Square, directions: &[Direction], occupied: Bitboard) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for direction in directions {
            let (file, rank) = direction.delta();
            let mut at = square;
            while let Some(next) = Square::new(at.file() + file, at.rank() + rank) {
                set = set.with(next);
                if occupied.contains(next) {
                    break;
                }
                at = next;
            }
        }
        set
    }

    #[test]
    fn slides_equal_walks_on_random_boards() {
        use Direction::*;
        let mut seed = 1u128;
        for round in 0..2000 {
            let mut bits = u128::MAX;
            for _ in 0..=round % 4 {
                seed = seed.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(0x1234_5678_9abc_def1);
                bits &= seed.rotate_right(40);
            }
            let occupied = Bitboard::from_bits(bits);
            for square in Square::all() {
                assert_eq!(rook(square, occupied), walk(square, &[Up, Down, Left, Right], occupied));
                assert_eq!(bishop(square, occupied), walk(square, &[UpLeft, UpRight, DownLeft, DownRight], occupied));
                assert_eq!(lance(Color::Black, square, occupied), walk(square, &[Up], occupied));
                assert_eq!(lance(Color::White, square, occupied), walk(square, &[Down], occupied));
                for direction in Direction::ORTHOGONAL {
                    let slide = Bitboard::of(square).slide(direction, !occupied);
                    assert_eq!(slide, walk(square, &[direction], occupied) - occupied);
                }
            }
        }
    }

    #[test]
    fn between_and_line() {
        for a in Square::all() {
            for b in Square::all() {
                let mut between_walk = Bitboard::EMPTY;
                let mut line_walk = Bitboard::EMPTY;
                for direction in Direction::ALL {
                    let there = walk(a, &[direction], Bitboard::EMPTY);
                    if there.contains(b) {
                        between_walk = walk(a, &[direction], Bitboard::of(b)).without(b);
                        line_walk = there | walk(a, &[direction.opposite()], Bitboard::EMPTY);
                    }
                }
                assert_eq!(between(a, b), between_walk);
                assert_eq!(line(a, b), line_walk);
            }
        }
    }

    #[test]
    fn shifts_and_file_fills() {
        for square in Square::all() {
            let one = Bitboard::of(square);
            for direction in Direction::ALL {
                let (file, rank) = direction.delta();
                let expected = Square::new(square.file() + file, square.rank() + rank);
                assert_eq!(one.shift(direction).first(), expected);
                assert_eq!(one.shift(direction).count(), expected.is_some() as u32);
            }
            assert_eq!(one.fill_files(), Bitboard::file(square.file()));
        }
        assert_eq!(Bitboard::FULL.fill_files(), Bitboard::FULL);
        assert_eq!(Bitboard::rank(5).fill_files(), Bitboard::FULL);
        assert_eq!(Bitboard::EMPTY.fill_files(), Bitboard::EMPTY);
    }
}
