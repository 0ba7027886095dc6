//! What the tests of the rules share: positions from text, moves as text, and small deterministic random numbers.

use happo::board::{Move, MoveList};
use happo::diagram::{Diagram, DiagramError};
use happo::game::{Goal, HouseRules, Position, Stage};

/// The ordinary start position, also that of aihappokei and flanking.
pub const SHOGI_START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
/// Happokei's start position.
pub const HAPPOKEI_START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/1NSGKGSN1 b - 1";
/// Hasami's start position.
pub const HASAMI_START: &str = "ppppppppp/9/9/9/9/9/9/9/PPPPPPPPP b - 1";

/// SplitMix64: small, and the same on every machine, so that a failure can be repeated.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Reads an SFEN, which may go without its move number and may end in `step=1` or `step=2`.
pub fn diagram(sfen: &str) -> Result<Diagram, DiagramError> {
    let mut fields: Vec<&str> = sfen.split_whitespace().collect();
    let step = fields.last().and_then(|last| last.strip_prefix("step=")).map(|step| step.parse().expect("step"));
    if step.is_some() {
        fields.pop();
    }
    let (&[board, side, hands], number) = fields.split_first_chunk().expect("three fields at least");
    let mut diagram = Diagram::parse(board, side, hands, number.first().copied())?;
    if let Some(step) = step {
        diagram.step = step;
    }
    Ok(diagram)
}

/// The position of an SFEN, or why it is none.
pub fn try_position<P: Position>(sfen: &str, rules: &HouseRules) -> Result<P, DiagramError> {
    P::from_diagram(&diagram(sfen)?, rules)
}

/// The position of an SFEN under the default rules.
pub fn position<P: Position>(sfen: &str) -> P {
    position_with(sfen, &HouseRules::default())
}

/// The position of an SFEN.
pub fn position_with<P: Position>(sfen: &str, rules: &HouseRules) -> P {
    match try_position(sfen, rules) {
        Ok(position) => position,
        Err(error) => panic!("{sfen}: {error}"),
    }
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

/// Plays moves, each of which has to be legal.
pub fn play<P: Position>(position: &mut P, moves: &str) {
    for text in moves.split_whitespace() {
        let m = usi(text);
        assert!(position.is_legal(m), "{text} is not legal in {}", position.diagram());
        position.make(m, &mut ());
    }
}

/// The moves of a stage.
pub fn moves<P: Position>(position: &P, stage: Stage) -> MoveList {
    let mut list = MoveList::new();
    position.generate(stage, &mut list);
    list
}

/// The legal moves as sorted USI strings.
pub fn legal<P: Position>(position: &P) -> Vec<String> {
    let mut list: Vec<String> = moves(position, Stage::All).iter().map(Move::to_string).collect();
    list.sort();
    list
}

/// Number of leaves of the tree of legal moves; repetition and move limit play no part in it.
pub fn perft<P: Position>(position: &mut P, depth: usize) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal() as u64,
        _ => moves(position, Stage::All)
            .into_iter()
            .map(|m| {
                position.make(m, &mut ());
                let leaves = perft(position, depth - 1);
                position.unmake();
                leaves
            })
            .sum(),
    }
}
