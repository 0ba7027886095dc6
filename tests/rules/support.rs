//! What the tests of the rules share: start positions, rules, and moves as text.

use happo::board::Move;
use happo::game::{Goal, HouseRules, Position, Stage};

pub use crate::common::{Random, diagram, moves, position as position_with, read};

/// The ordinary start position, also that of aihappokei and flanking.
pub const SHOGI_START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
/// Happokei's start position.
pub const HAPPOKEI_START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/1NSGKGSN1 b - 1";
/// Hasami's start position.
pub const HASAMI_START: &str = "ppppppppp/9/9/9/9/9/9/9/PPPPPPPPP b - 1";

/// The position of an SFEN under the default rules.
pub fn position<P: Position>(sfen: &str) -> P {
    position_with(sfen, &HouseRules::default())
}

/// Hasami's rules with a goal.
pub fn goal(goal: Goal) -> HouseRules {
    HouseRules { goal, ..HouseRules::default() }
}

/// Rules with a move limit.
pub fn limit(move_limit: u32) -> HouseRules {
    HouseRules { move_limit, ..HouseRules::default() }
}

/// The move a USI string says.
pub fn usi(text: &str) -> Move {
    Move::from_usi(text).unwrap_or_else(|| panic!("{text} is not a move"))
}

/// Plays moves, each of which has to be legal; a comma may join two of them.
pub fn play<P: Position>(position: &mut P, moves: &str) {
    for text in moves.split([' ', ',']).filter(|text| !text.is_empty()) {
        let m = usi(text);
        assert!(position.is_legal(m), "{text} is not legal in {}", position.diagram());
        position.make(m, &mut ());
    }
}

/// The legal moves as sorted USI strings.
pub fn legal<P: Position>(position: &P) -> Vec<String> {
    let mut list: Vec<String> = moves(position, Stage::All).iter().map(Move::to_string).collect();
    list.sort();
    list
}
