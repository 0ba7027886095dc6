//! One game.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::board::Color;
use crate::data::{Ending, GameRecord, Ply};
use crate::game::{Game, GameResult, Position, Reason, Variant};
use crate::random::Random;
use crate::search::{Engine, Limits, SearchOptions};

use super::super::thought::think;
use super::Plan;
use super::opening::Maker;

/// MiB of the table: so few nodes fill no more, and less of it is forgotten by the processor's cache.
const HASH: usize = 1;

/// Nodes of the search for a mate before every move. With few nodes a naked king would seem safe, as nobody sees how to
/// mate it; whoever learns from such games thinks so too.
const MATE_NODES: u64 = 300;

/// One game in so many is played to its end.
const PLAYED_OUT: usize = 10;

/// When the scores decide a game.
#[derive(Clone, Copy, Debug)]
struct Terms {
    /// Points ahead of what the start position gave that win.
    win: i32,
    /// Turns in succession, of both sides together, that must say so.
    win_turns: u32,
    /// Points within which nobody is ahead.
    level: i32,
    /// Turns in succession that must say so.
    level_turns: u32,
    /// Turns before which nothing is level.
    earliest: u32,
}

impl Terms {
    const fn of(variant: Variant) -> Self {
        // In shogi, with few nodes a move, only 63 of 100 games are won by who is 1000 ahead, and nine in ten at 3000.
        let usual = Self { win: 3000, win_turns: 6, level: 5, level_turns: 10, earliest: 40 };
        match variant {
            Variant::Shogi | Variant::Happokei | Variant::AiHappokei => usual,
            // Turns are few and kings fall suddenly.
            Variant::Flanking => Self { win: 1500, ..usual },
            // Fortresses last, and so do the plans to break them.
            Variant::Hasami => Self { win: 1000, level_turns: 20, earliest: 80, ..usual },
        }
    }
}

/// For how long the scores have said the same.
#[derive(Default)]
struct Opinions {
    turns: u32,
    ahead: Option<(Color, u32)>,
    level: u32,
}

impl Opinions {
    /// Enters what Black is ahead after a turn; the winner, or `None` inside for a draw, once it is decided.
    fn enter(&mut self, score: i32, base: i32, terms: &Terms) -> Option<Option<Color>> {
        self.turns += 1;
        // Who was far ahead from the start has to win the game all the same.
        let ahead = if score >= terms.win + base.max(0) {
            Some(Color::Black)
        } else if score <= -terms.win + base.min(0) {
            Some(Color::White)
        } else {
            None
        };
        let before = self.ahead.filter(|&(color, _)| ahead == Some(color)).map_or(0, |(_, turns)| turns);
        self.ahead = ahead.map(|color| (color, before + 1));
        if let Some((color, turns)) = self.ahead
            && turns >= terms.win_turns
        {
            return Some(Some(color));
        }
        self.level = if score.abs() <= terms.level { self.level + 1 } else { 0 };
        (self.turns >= terms.earliest && self.level >= terms.level_turns).then_some(None)
    }
}

/// Plays games of one kind.
pub struct Player<G: Game> {
    limits: Limits,
    options: SearchOptions,
    seed: u64,
    engine: Engine<G>,
    openings: Maker<G>,
    terms: Terms,
}

impl<G: Game> Player<G> {
    /// A player of the games of a run.
    pub fn new(plan: &Plan) -> Self {
        let options = SearchOptions { evaluation: plan.evaluation.clone(), ..SearchOptions::default() };
        Self {
            limits: Limits {
                soft_nodes: Some(plan.header.soft_nodes.into()),
                nodes: Some(plan.header.hard_nodes.into()),
                mate_nodes: Some(MATE_NODES),
                ..Limits::default()
            },
            openings: Maker::new(plan.header.rules, plan.header.soft_nodes, options.clone()),
            options,
            seed: plan.seed,
            engine: Engine::new(HASH, 1),
            terms: Terms::of(plan.header.variant),
        }
    }

    /// Plays the game of that number; `None` if `stop` was set before its end.
    pub fn play(&mut self, number: u32, stop: &AtomicBool) -> Option<GameRecord> {
        let mut random = Random::new(Random::new(self.seed).bits() ^ u64::from(number));
        let played_out = random.below(PLAYED_OUT) == 0;
        let opening = self.openings.make(&mut self.engine, &mut random);
        self.engine.clear();
        let (mut plies, mut position) = (opening.plies, opening.position);
        let mut opinions = Opinions::default();
        let (winner, ending) = loop {
            if let Some(GameResult { winner, reason }) = over(&position) {
                break (winner, Ending::Rules(reason));
            }
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let side = position.side_to_move();
            let outcome = think(&mut self.engine, &position, self.limits.clone(), &self.options);
            // Only an engine without a thread has nothing to say in an open game.
            outcome.best.first()?;
            for m in outcome.best {
                plies.push(Ply::new(m, outcome.score));
                position.make(m, &mut ());
                if position.result().is_some() {
                    break;
                }
            }
            let score = if side == Color::Black { outcome.score } else { -outcome.score };
            let agreed = opinions.enter(score, opening.base, &self.terms);
            if let Some(winner) = agreed.filter(|_| !played_out && over(&position).is_none()) {
                break (winner, Ending::Adjudicated);
            }
        };
        Some(GameRecord { seed: self.seed, number, start: opening.start, plies, winner, ending, played_out })
    }
}

/// How the game has ended; who may declare does so.
fn over<P: Position>(position: &P) -> Option<GameResult> {
    let declared = || Some(GameResult { winner: Some(position.impasse_winner()?), reason: Reason::Declaration });
    position.result().or_else(declared)
}
