//! Where the games begin: positions that nobody has thought about, but that are still open.

use std::collections::HashMap;

use crate::data::Ply;
use crate::diagram::Diagram;
use crate::game::{Game, HouseRules, Position, Variant};
use crate::random::Random;
use crate::search::{Engine, Limits, SearchOptions};

use super::super::openings::random_turn;
use super::super::thought::think;

/// Boards of the handicaps that are usual in shogi, given by White, who moves first.
const HANDICAPS: [&str; 12] = [
    "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
    "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
    "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
    "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
    "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
    "1nsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
    "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
    "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
    "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
    "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
];
/// One game of shogi in so many is a handicap game.
const HANDICAP_SHARE: usize = 10;

/// Nodes that judge a position, and those of a move of the opening that is chosen among the better ones; fewer where the
/// moves of the game have few, lest openings cost more than games.
pub(super) const fn nodes(soft_nodes: u32) -> (u64, u64) {
    let soft = soft_nodes as u64;
    (if soft < 500 { 4 * soft } else { 2000 }, if soft < 400 { soft + soft / 2 } else { 600 })
}

/// How much worse than the best a move of the opening may be that is chosen among the better ones.
const NOISE: i32 = 80;
/// Points that an opening may give away, compared with where it began.
const BOUND: i32 = 500;
/// Openings to look at before the best of them is taken as it is.
const ATTEMPTS: usize = 40;

/// The beginning of a game.
pub(super) struct Opening<P> {
    /// The start position as records have it.
    pub start: String,
    /// The moves made.
    pub plies: Vec<Ply>,
    /// The position after them.
    pub position: P,
    /// What Black was ahead at the start, in points.
    pub base: i32,
}

/// Makes openings.
pub(super) struct Maker<G: Game> {
    rules: HouseRules,
    scout: Scout,
    /// What Black is ahead in start positions.
    bases: HashMap<String, i32>,
    marker: std::marker::PhantomData<G>,
}

impl<G: Game> Maker<G> {
    /// A maker for games under these rules, whose moves have so many nodes.
    pub fn new(rules: HouseRules, soft_nodes: u32, options: SearchOptions) -> Self {
        let (judging, choosing) = nodes(soft_nodes);
        let scout = Scout { judging, choosing, options };
        Self { rules, scout, bases: HashMap::new(), marker: std::marker::PhantomData }
    }

    /// An opening; the engine forgets what it knew.
    pub fn make(&mut self, engine: &mut Engine<G>, random: &mut Random) -> Opening<G::Position> {
        let (start, first) = self.start(random);
        let base = match self.bases.get(&start) {
            Some(&base) => base,
            None => *self.bases.entry(start.clone()).or_insert(self.scout.judge(engine, &first)),
        };
        let mut best: Option<(i32, Opening<G::Position>)> = None;
        for _ in 0..ATTEMPTS {
            let Some((plies, position)) = self.scout.walk(engine, &first, random) else { continue };
            let given = (self.scout.judge(engine, &position) - base).abs();
            if best.as_ref().is_none_or(|(least, _)| given < *least) {
                best = Some((given, Opening { start: start.clone(), plies, position, base }));
            }
            if given <= BOUND {
                break;
            }
        }
        match best {
            Some((_, opening)) => opening,
            None => Opening { start, plies: Vec::new(), position: first, base },
        }
    }

    fn start(&self, random: &mut Random) -> (String, G::Position) {
        let handicap = G::Position::variant() == Variant::Shogi && random.below(HANDICAP_SHARE) == 0;
        if handicap
            && let Ok(diagram) = Diagram::parse(HANDICAPS[random.below(HANDICAPS.len())], "w", "-", None)
            && let Ok(position) = G::Position::from_diagram(&diagram, &self.rules)
        {
            return (diagram.to_string(), position);
        }
        (String::new(), G::Position::startpos(&self.rules))
    }
}

/// Looks at positions on the way to an opening.
struct Scout {
    judging: u64,
    choosing: u64,
    options: SearchOptions,
}

impl Scout {
    /// Half of the openings are random turns only; the others a few, then turns from among the better ones. In flanking
    /// two half-moves go astray with every turn, so that fewer of them do.
    fn walk<G: Game>(
        &self,
        engine: &mut Engine<G>,
        first: &G::Position,
        random: &mut Random,
    ) -> Option<(Vec<Ply>, G::Position)> {
        let turn = usize::from(G::Position::TURN);
        let mut position = first.clone();
        let mut plies = Vec::new();
        let (astray, noisy) =
            if random.below(2) == 0 { (7 + random.below(2), 0) } else { (2 + random.below(3), 4 + random.below(5)) };
        for _ in 0..astray.div_ceil(turn) {
            plies.extend(random_turn(&mut position, random)?);
        }
        for _ in 0..noisy / turn {
            let limits = Limits { nodes: Some(self.choosing), ..Limits::default() };
            let options = SearchOptions { variety: NOISE, seed: random.bits(), ..self.options.clone() };
            engine.clear();
            let outcome = think(engine, &position, limits, &options);
            for m in outcome.best {
                position.make(m, &mut ());
                plies.push(m);
            }
            if position.result().is_some() {
                return None;
            }
        }
        Some((plies.into_iter().map(|m| Ply { m, score: None }).collect(), position))
    }

    /// What Black is ahead, free of what was searched before.
    fn judge<G: Game>(&self, engine: &mut Engine<G>, position: &G::Position) -> i32 {
        engine.clear();
        let limits = Limits { nodes: Some(self.judging), ..Limits::default() };
        let score = think(engine, position, limits, &self.options).score;
        if position.side_to_move() == crate::board::Color::Black { score } else { -score }
    }
}
