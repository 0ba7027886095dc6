//! The end of a game in which every man has to be captured: the last ones are to be driven into a corner.
//!
//! A man on an open board slides away for ever, and no capture is in sight of any search. What tells progress is how
//! far it can still get: to how many squares in one, two and three moves without standing where it could be
//! captured.

use crate::board::{Bitboard, Color, Direction};
use crate::game::{Goal, Position};

use super::HasamiPosition;

/// Men of the weaker side at most, and what the other one has more at least.
const FEW: u32 = 3;
const AHEAD: u32 = 2;
/// What each square costs that a chased man can get to in so many moves.
const SQUARE: [i32; 3] = [2, 3, 4];

/// Where a man of `color` would stand to be captured, the enemy being to move.
fn danger(position: &HasamiPosition, color: Color) -> Bitboard {
    let hunters = position.men(!color);
    let (reach, _) = position.reach(!color);
    let mut danger = Bitboard::EMPTY;
    for direction in Direction::ORTHOGONAL {
        danger |= hunters.shift(direction) & reach.shift(direction.opposite());
    }
    danger
}

/// What the chase is worth to the side to move.
pub(super) fn chase(position: &HasamiPosition) -> i32 {
    if position.rules().goal != Goal::CaptureAll {
        return 0;
    }
    let men = Color::ALL.map(|color| position.men(color).count());
    let chased = if men[0] < men[1] { Color::Black } else { Color::White };
    let (few, many) = (men[0].min(men[1]), men[0].max(men[1]));
    if few > FEW || many < few + AHEAD {
        return 0;
    }
    let danger = danger(position, chased);
    let free = !position.occupied();
    let mut room = 0;
    for man in position.men(chased) {
        let (mut edge, mut seen) = (Bitboard::of(man), Bitboard::EMPTY);
        for worth in SQUARE {
            let reached = Direction::ORTHOGONAL.into_iter().fold(Bitboard::EMPTY, |set, d| set | edge.slide(d, free));
            edge = reached - danger - seen;
            seen |= edge;
            room += worth * edge.count() as i32;
        }
    }
    if position.side_to_move() == chased { room } else { -room }
}
