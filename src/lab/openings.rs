//! Random openings that leave both sides about equal chances.

use crate::board::{Move, MoveList};
use crate::game::{Game, HouseRules, Position, Stage, Variant};
use crate::games::{ForGame, for_game};
use crate::random::Random;
use crate::search::{Engine, Limits, SearchOptions, to_centipawns};
use crate::turns;

use super::thought::think;

/// What openings are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpeningSpec {
    /// All openings follow from it.
    pub seed: u64,
    /// Fewest turns.
    pub shortest: u32,
    /// Most turns.
    pub longest: u32,
    /// Largest lead in centipawns of either side.
    pub bound: u32,
}

/// Nodes that judge an opening.
const NODES: u64 = 2000;

/// Openings to look at before the best of them is taken as it is: some start positions are not balanced themselves.
const ATTEMPTS: usize = 40;

/// Makes openings of one game.
pub trait Openings: Send {
    /// The opening of that number, as it follows the word `position`. The same on every machine.
    fn opening(&mut self, number: u64) -> String;
}

/// A maker of openings.
pub fn openings(variant: Variant, rules: &HouseRules, spec: OpeningSpec) -> Box<dyn Openings> {
    struct New(HouseRules, OpeningSpec);
    impl ForGame for New {
        type Output = Box<dyn Openings>;
        fn run<G: Game>(self) -> Self::Output {
            Box::new(Maker::<G> { rules: self.0, spec: self.1, engine: Engine::new(1, 1) })
        }
    }
    for_game(variant, New(*rules, spec))
}

struct Maker<G: Game> {
    rules: HouseRules,
    spec: OpeningSpec,
    engine: Engine<G>,
}

impl<G: Game> Openings for Maker<G> {
    fn opening(&mut self, number: u64) -> String {
        let mut random = Random::new(Random::new(self.spec.seed).bits() ^ number);
        let mut best: Option<(u32, String)> = None;
        for _ in 0..ATTEMPTS {
            let Some((position, tokens)) = self.walk(&mut random) else { continue };
            let lead = self.judge(&position).unsigned_abs();
            if best.as_ref().is_none_or(|(least, _)| lead < *least) {
                best = Some((lead, tokens.join(" ")));
            }
            if lead <= self.spec.bound {
                break;
            }
        }
        match best {
            Some((_, moves)) if !moves.is_empty() => format!("startpos moves {moves}"),
            _ => "startpos".to_owned(),
        }
    }
}

impl<G: Game> Maker<G> {
    /// Random turns from the start position, if the game is still open after them.
    fn walk(&self, random: &mut Random) -> Option<(G::Position, Vec<String>)> {
        let span = self.spec.longest.saturating_sub(self.spec.shortest) as usize + 1;
        let length = self.spec.shortest as usize + random.below(span);
        let mut position = G::Position::startpos(&self.rules);
        let mut tokens = Vec::with_capacity(length);
        for _ in 0..length {
            tokens.push(turns::token(&random_turn(&mut position, random)?));
        }
        Some((position, tokens))
    }

    /// The score in centipawns for the side to move, free of what was searched before.
    fn judge(&mut self, position: &G::Position) -> i32 {
        self.engine.clear();
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        to_centipawns::<G>(think(&mut self.engine, position, limits, &SearchOptions::default()).score)
    }
}

/// Plays a random turn and tells it; `None` if the game is over before or after it.
pub(super) fn random_turn<P: Position>(position: &mut P, random: &mut Random) -> Option<Vec<Move>> {
    let side = position.side_to_move();
    let mut turn: Vec<Move> = Vec::new();
    while position.side_to_move() == side {
        let mut list = MoveList::new();
        position.generate(Stage::All, &mut list);
        if list.is_empty() {
            return None;
        }
        let m = list[random.below(list.len())];
        position.make(m, &mut ());
        turn.push(m);
        if position.result().is_some() {
            return None;
        }
    }
    Some(turn)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::lab::referee::board;

    const SPEC: OpeningSpec = OpeningSpec { seed: 5, shortest: 6, longest: 10, bound: 150 };

    fn some(variant: Variant, spec: OpeningSpec, numbers: impl IntoIterator<Item = u64>) -> Vec<String> {
        let mut maker = openings(variant, &HouseRules::default(), spec);
        numbers.into_iter().map(|number| maker.opening(number)).collect()
    }

    #[test]
    fn openings_follow_from_seed_and_number_alone() {
        for variant in Variant::ALL {
            let forth = some(variant, SPEC, 0..4);
            let mut back = some(variant, SPEC, (0..4).rev());
            back.reverse();
            assert_eq!(forth, back, "{variant}");
            let others = some(variant, OpeningSpec { seed: 6, ..SPEC }, 0..4);
            assert_eq!(forth.iter().chain(&others).collect::<HashSet<_>>().len(), 8, "{variant}");
        }
    }

    #[test]
    fn openings_can_be_played_and_are_open() {
        for variant in Variant::ALL {
            for opening in some(variant, SPEC, 10..16) {
                let board = board(variant, &HouseRules::default(), &opening).unwrap();
                assert_eq!(board.result(), None);
                let turns = opening.split_whitespace().skip(2).count();
                assert!((6..=10).contains(&turns), "{opening}");
                let pairs = opening.matches(',').count();
                assert_eq!(pairs, if variant == Variant::Flanking { turns } else { 0 }, "{opening}");
            }
        }
    }

    #[test]
    fn no_turns_are_the_start_position() {
        let spec = OpeningSpec { shortest: 0, longest: 0, ..SPEC };
        assert_eq!(some(Variant::Hasami, spec, [0]), ["startpos"]);
    }
}
