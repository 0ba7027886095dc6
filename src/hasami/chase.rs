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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::Diagram;
    use crate::game::HouseRules;

    fn worth(board: &str, side: &str, goal: Goal) -> i32 {
        let diagram = Diagram::parse(board, side, "-", None).unwrap();
        chase(&HasamiPosition::from_diagram(&diagram, &HouseRules { goal, ..HouseRules::default() }).unwrap())
    }

    #[test]
    fn a_man_with_less_room_is_nearer_to_its_end() {
        let open = worth("pp7/pp7/9/9/9/4P4/9/9/9", "b", Goal::CaptureAll);
        let cornered = worth("9/9/9/9/9/9/7p1/6p1p/7pP", "b", Goal::CaptureAll);
        assert!(open > 50 && (0..open / 4).contains(&cornered), "{open} {cornered}");
    }

    #[test]
    fn both_sides_see_the_same() {
        let board = "pp7/pp7/9/9/9/4P4/9/9/9";
        let turned = "9/9/9/4p4/9/9/9/7PP/7PP";
        let worth = |board, side| worth(board, side, Goal::CaptureAll);
        assert_eq!(worth(board, "b"), -worth(board, "w"));
        assert_eq!(worth(board, "b"), worth(turned, "w"));
    }

    #[test]
    fn only_a_few_men_are_chased_and_only_where_all_count() {
        assert_eq!(worth("pp7/pp7/9/9/9/4P4/9/9/9", "b", Goal::Capture5), 0);
        assert_eq!(worth("pp7/pp7/9/9/9/4P4/9/4PPP2/9", "b", Goal::CaptureAll), 0);
        assert_eq!(worth("pp7/p8/9/9/9/4P4/9/4P4/9", "b", Goal::CaptureAll), 0);
    }
}
