//! Capture by trapping (flanking shogi and hasami).
//!
//! A piece that arrives on a square captures, in each of the four directions along ranks and files, an unbroken run
//! of enemies that another piece of its side closes at the far end. The edge closes nothing; instead an enemy in a
//! corner is captured by the piece that completes the pair on the two squares beside it.

use super::{Bitboard, Direction, Square, attacks};

/// The up to four squares beside each square.
static NEIGHBOURS: [Bitboard; Square::COUNT] = {
    let mut table = [Bitboard::EMPTY; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Bitboard::of(Square::from_index(index)).bits();
        let mut direction = 0;
        let mut set = 0;
        while direction < 4 {
            set |= Bitboard::from_bits(square).shift(Direction::ORTHOGONAL[direction]).bits();
            direction += 1;
        }
        table[index] = Bitboard::from_bits(set);
        index += 1;
    }
    table
};

/// The squares that share a side with `square`.
#[inline]
pub fn neighbours(square: Square) -> Bitboard {
    NEIGHBOURS[square.index()]
}

/// The first square in a direction that is not in `run`, `None` where the run reaches the edge (or the square stands
/// on it).
#[inline]
pub fn run_end(from: Square, direction: Direction, run: Bitboard) -> Option<Square> {
    let rest = attacks::ray(direction, from) - run;
    match direction {
        Direction::Down | Direction::Left | Direction::UpLeft | Direction::DownLeft => rest.first(),
        Direction::Up | Direction::Right | Direction::UpRight | Direction::DownRight => rest.last(),
    }
}

/// What a piece that has just moved to `to` captures. `mine` has it on `to` and no longer on its source.
#[inline]
pub fn captures(to: Square, mine: Bitboard, theirs: Bitboard) -> Bitboard {
    let beside = neighbours(to) & theirs;
    if beside.is_empty() { Bitboard::EMPTY } else { captures_beside(to, beside, mine, theirs) }
}

/// [`captures`] where enemies stand beside `to`.
fn captures_beside(to: Square, beside: Bitboard, mine: Bitboard, theirs: Bitboard) -> Bitboard {
    let mut taken = Bitboard::EMPTY;
    for direction in Direction::ORTHOGONAL {
        let ray = attacks::ray(direction, to);
        if beside.intersects(ray)
            && let Some(end) = run_end(to, direction, theirs)
            && mine.contains(end)
        {
            taken |= ray & attacks::ray(direction.opposite(), end);
        }
    }
    if let Some(corner) = (beside & Bitboard::CORNERS).first()
        && neighbours(corner).is_subset(mine)
    {
        taken = taken.with(corner);
    }
    taken
}

/// The empty squares at the far end of a run of `theirs` that `mine` closes already.
///
/// A piece never reaches such a square from the closing one: both are on one rank or file with enemies between. So a
/// move of any piece of the two games to one of these squares captures, whatever its source.
#[inline]
pub fn closing_lines(mine: Bitboard, theirs: Bitboard) -> Bitboard {
    let empty = !(mine | theirs);
    let mut ends = Bitboard::EMPTY;
    let mut up = mine.shift(Direction::Up) & theirs;
    let mut down = mine.shift(Direction::Down) & theirs;
    let mut left = mine.shift(Direction::Left) & theirs;
    let mut right = mine.shift(Direction::Right) & theirs;
    // Runs are short: stepping through all of them together beats a parallel prefix of fixed length.
    while (up | down | left | right).any() {
        up = up.shift(Direction::Up);
        down = down.shift(Direction::Down);
        left = left.shift(Direction::Left);
        right = right.shift(Direction::Right);
        ends |= up | down | left | right;
        up &= theirs;
        down &= theirs;
        left &= theirs;
        right &= theirs;
    }
    ends & empty
}

/// The empty squares beside a corner that holds one of `theirs`, the other square beside it being one of `mine`.
///
/// Here a diagonal step may come from the very square that has to stay, so a capture is certain only for other
/// sources.
#[inline]
pub fn closing_corners(mine: Bitboard, theirs: Bitboard) -> Bitboard {
    let mut squares = Bitboard::EMPTY;
    for corner in theirs & Bitboard::CORNERS {
        let pair = neighbours(corner);
        if pair.intersects(mine) {
            squares |= pair - mine - theirs;
        }
    }
    squares
}

/// The empty squares where a newly arriving piece of `mine` would capture. Exact for a piece from elsewhere; see
/// [`closing_corners`] for the one exception.
#[inline]
pub fn closing_squares(mine: Bitboard, theirs: Bitboard) -> Bitboard {
    closing_lines(mine, theirs) | closing_corners(mine, theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Captures by walking square by square.
    fn walked(to: Square, mine: Bitboard, theirs: Bitboard) -> Bitboard {
        let mut taken = Bitboard::EMPTY;
        for direction in Direction::ORTHOGONAL {
            let (file, rank) = direction.delta();
            let mut at = to;
            let mut run = Bitboard::EMPTY;
            while let Some(next) = Square::new(at.file() + file, at.rank() + rank) {
                if mine.contains(next) {
                    taken |= run;
                }
                if !theirs.contains(next) {
                    break;
                }
                run = run.with(next);
                at = next;
            }
        }
        for corner in Bitboard::CORNERS & theirs {
            let pair = neighbours(corner);
            if pair.contains(to) && pair.is_subset(mine) {
                taken = taken.with(corner);
            }
        }
        taken
    }

    #[test]
    fn captures_and_closing_squares_equal_walks_on_random_boards() {
        let mut seed = 7u128;
        let mut next = || {
            seed = seed.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(0x1234_5678_9abc_def1);
            seed >> 30
        };
        for round in 0..3000 {
            let mut mine = Bitboard::from_bits(next());
            let mut theirs = Bitboard::from_bits(next());
            for _ in 0..round % 3 {
                mine &= Bitboard::from_bits(next());
            }
            for _ in 0..round / 3 % 3 {
                theirs &= Bitboard::from_bits(next());
            }
            theirs = theirs - mine;
            let mut closing = Bitboard::EMPTY;
            for to in !theirs {
                let taken = captures(to, mine.with(to), theirs);
                assert_eq!(taken, walked(to, mine.with(to), theirs), "{to} of\n{mine:?}\n{theirs:?}");
                if taken.any() && !mine.contains(to) {
                    closing = closing.with(to);
                }
            }
            assert_eq!(closing_squares(mine, theirs), closing);
        }
    }

    #[test]
    fn every_square_knows_its_neighbours() {
        for square in Square::all() {
            for other in Square::all() {
                let near = square.file().abs_diff(other.file()) + square.rank().abs_diff(other.rank()) == 1;
                assert_eq!(neighbours(square).contains(other), near);
            }
        }
    }
}
