//! A match: pairs of games on several threads until enough is known.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use crate::board::{ByColor, Color};
use crate::game::{Reason, Variant};
use crate::usi::PositionError;

use super::arbiter::{self, Cost, Ending, Played, Terms};
use super::clock::Control;
use super::csa;
use super::engine::{Engine, EngineSpec, Setting, StartError};
use super::openings::{OpeningSpec, Openings, openings};
use super::process::Registry;
use super::record::{Log, LogError, Pair, Record};
use super::referee::board;
use super::sprt::{Sprt, Verdict};
use super::tally::Tally;

/// Everything about a match.
#[derive(Clone, Debug)]
pub struct Match {
    /// The game and what else every engine is told.
    pub setting: Setting,
    /// The engines.
    pub engines: [EngineSpec; 2],
    /// How long each may think.
    pub controls: [Control; 2],
    /// The terms.
    pub terms: Terms,
    /// The openings.
    pub openings: OpeningSpec,
    /// Pairs to play at most.
    pub pairs: u64,
    /// A test that may end it earlier.
    pub sprt: Option<Sprt>,
    /// Games that are played at once.
    pub concurrency: usize,
}

/// Why a match cannot be played.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Games cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// An opening that is none.
    #[error("opening: {0}")]
    Opening(#[from] PositionError),
}

/// Told of what happens, on whatever thread.
pub trait Audience: Sync {
    /// A pair has ended; what is counted so far.
    fn pair(&self, tally: &Tally);

    /// Something to be told to people at once.
    fn note(&self, text: &str);
}

/// Where the games go.
#[derive(Debug, Default)]
pub struct Logs {
    /// A line a game.
    pub usi: Option<Log>,
    /// Shogi games as CSA writes them.
    pub csa: Option<Log>,
    /// Pairs that were played before.
    pub played: Vec<Pair>,
}

/// What the threads share.
struct Shared {
    next: u64,
    done: HashSet<u64>,
    tally: Tally,
    logs: Logs,
    noted: HashSet<String>,
    /// Nothing is to be begun or counted any more.
    over: bool,
    error: Option<MatchError>,
}

impl Match {
    /// One line that says on what the outcome of every game depends.
    pub fn header(&self) -> String {
        let Self { setting, engines, controls, terms, openings, .. } = self;
        // Numbers of games and threads may change when a match goes on.
        format!("happo match {setting:?} {engines:?} {controls:?} {terms:?} {openings:?}").replace('\n', " ")
    }

    /// Plays. Ends early if the registry is closed; what is finished then counts.
    pub fn run(&self, registry: &Registry, mut logs: Logs, audience: &dyn Audience) -> Result<Tally, MatchError> {
        let played = std::mem::take(&mut logs.played);
        let mut tally = Tally::default();
        let wanted: Vec<&Pair> = played.iter().filter(|[game, _]| game.pair < self.pairs).collect();
        wanted.iter().for_each(|pair| tally.enter(pair));
        if !wanted.is_empty() {
            audience.pair(&tally);
        }
        let done: HashSet<u64> = wanted.iter().map(|[game, _]| game.pair).collect();
        let over = self.decided(&tally);
        let shared = Mutex::new(Shared { next: 0, done, tally, logs, noted: HashSet::new(), over, error: None });
        let workers = (self.concurrency as u64).clamp(1, self.pairs.max(1));
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    let mut worker = Worker {
                        terms: self,
                        registry,
                        shared: &shared,
                        audience,
                        openings: openings(self.setting.variant, &self.setting.rules, self.openings),
                        engines: [None, None],
                    };
                    worker.run();
                    worker.engines.into_iter().flatten().for_each(Engine::quit);
                });
            }
        });
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        match shared.error {
            Some(error) => Err(error),
            None => Ok(shared.tally),
        }
    }

    fn decided(&self, tally: &Tally) -> bool {
        self.sprt.is_some_and(|sprt| sprt.verdict(&tally.pairs) != Verdict::Open)
    }

    /// The tokens that tell a position's game, where it is not the usual one.
    fn keys(&self) -> String {
        let Setting { variant, rules, .. } = &self.setting;
        let mut keys = String::new();
        if *variant != Variant::Shogi {
            keys.push_str(&format!(" variant={variant}"));
        }
        if *variant == Variant::Hasami {
            keys.push_str(&format!(" goal={}", rules.goal.name()));
        }
        if rules.move_limit > 0 {
            keys.push_str(&format!(" limit={}", rules.move_limit));
        }
        keys
    }

    fn record(&self, pair: u64, black: usize, opening: &str, played: Played) -> Record {
        let Played { moves, winner, ending, costs } = played;
        let (start, list) = opening.split_once(" moves").unwrap_or((opening, ""));
        let mut position = format!("{start}{} moves{list}", self.keys());
        for token in &moves {
            position.push(' ');
            position.push_str(token);
        }
        let costs: [Cost; 2] = if black == 0 { costs.0 } else { [costs[Color::White], costs[Color::Black]] };
        let mut ending = ending.to_string();
        ending.retain(|c| !c.is_control());
        Record { position, pair, black, winner, ending, costs }
    }
}

/// Passes on what is to be known of an engine, each thing once.
fn note(shared: &Mutex<Shared>, audience: &dyn Audience, name: &str, remarks: Vec<String>) {
    if remarks.is_empty() {
        return;
    }
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    for text in remarks.into_iter().map(|remark| format!("{name}: {remark}")) {
        if shared.noted.len() < MOST_NOTES && shared.noted.insert(text.clone()) {
            audience.note(&text);
        }
    }
}

/// Things to be said of engines in a match: complaints that differ every time would have no end.
const MOST_NOTES: usize = 50;

/// One thread: it has its own engines and plays one game at a time.
struct Worker<'a> {
    terms: &'a Match,
    registry: &'a Registry,
    shared: &'a Mutex<Shared>,
    audience: &'a dyn Audience,
    openings: Box<dyn Openings>,
    engines: [Option<Engine<'a>>; 2],
}

impl<'a> Worker<'a> {
    fn lock(&self) -> MutexGuard<'a, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&mut self) {
        while let Some(number) = self.next() {
            let result = self.pair(number).and_then(|pair| pair.map_or(Ok(()), |pair| self.finish(pair)));
            if let Err(error) = result {
                let mut shared = self.lock();
                if !shared.over && !self.registry.is_closed() {
                    shared.over = true;
                    shared.error = Some(error);
                    self.registry.close();
                }
            }
        }
    }

    /// The next pair to be played.
    fn next(&self) -> Option<u64> {
        let mut shared = self.lock();
        while shared.done.contains(&shared.next) {
            shared.next += 1;
        }
        let number = shared.next;
        if shared.over || number >= self.terms.pairs || self.registry.is_closed() {
            return None;
        }
        shared.next += 1;
        Some(number)
    }

    /// Plays a pair; `None` if the match has ended meanwhile.
    fn pair(&mut self, number: u64) -> Result<Option<Pair>, MatchError> {
        let opening = self.openings.opening(number);
        let first = self.game(number, 0, &opening)?;
        if self.registry.is_closed() {
            return Ok(None);
        }
        let second = self.game(number, 1, &opening)?;
        Ok((!self.registry.is_closed()).then_some([first, second]))
    }

    fn game(&mut self, pair: u64, black: usize, opening: &str) -> Result<Record, MatchError> {
        let setting = &self.terms.setting;
        let mut board = board(setting.variant, &setting.rules, opening)?;
        for index in 0..2 {
            self.make_ready(index)?;
        }
        let [Some(first), Some(second)] = &mut self.engines else {
            unreachable!("both engines have been made ready");
        };
        let [control1, control2] = self.terms.controls;
        let (engines, controls) = if black == 0 {
            (ByColor([first, second]), ByColor([control1, control2]))
        } else {
            (ByColor([second, first]), ByColor([control2, control1]))
        };
        let played = arbiter::play(board.as_mut(), opening, engines, &controls, &self.terms.terms);
        self.see_off(pair, black, &played);
        Ok(self.terms.record(pair, black, opening, played))
    }

    /// Starts an engine, or restarts one that does not get ready.
    fn make_ready(&mut self, index: usize) -> Result<(), MatchError> {
        if let Some(engine) = &mut self.engines[index] {
            if engine.new_game().is_ok() {
                return Ok(());
            }
            self.engines[index] = None;
        }
        let spec = &self.terms.engines[index];
        let mut engine = Engine::start(spec, &self.terms.setting, self.registry)?;
        engine.new_game()?;
        note(self.shared, self.audience, &spec.name, engine.remarks());
        self.engines[index] = Some(engine);
        Ok(())
    }

    /// Tells the engines how the game ended. One that failed is not trusted any further: it is ended, and started
    /// anew for the next game.
    fn see_off(&mut self, pair: u64, black: usize, played: &Played) {
        for (index, slot) in self.engines.iter_mut().enumerate() {
            let color = if index == black { Color::Black } else { Color::White };
            let remarks = slot.as_mut().map_or_else(Vec::new, Engine::remarks);
            note(self.shared, self.audience, &self.terms.engines[index].name, remarks);
            let lost = played.winner == Some(!color);
            if lost && matches!(played.ending, Ending::Fault(_) | Ending::IllegalMove(_)) {
                *slot = None;
            } else if let Some(engine) = slot {
                engine.game_over(match played.winner {
                    None => "draw",
                    Some(winner) if winner == color => "win",
                    Some(_) => "lose",
                });
            }
        }
        let failed = played.ending.is_failure() && !matches!(played.ending, Ending::Rules(Reason::PerpetualCheck));
        if let Some(winner) = played.winner.filter(|_| failed && !self.registry.is_closed()) {
            let loser = if winner == Color::Black { 1 - black } else { black };
            let name = &self.terms.engines[loser].name;
            let game = 2 * pair + black as u64 + 1;
            self.audience.note(&format!("game {game}, turn {}: {name}: {}", played.moves.len() + 1, played.ending));
        }
    }

    /// Writes and counts a pair.
    fn finish(&mut self, pair: Pair) -> Result<(), MatchError> {
        let mut shared = self.lock();
        if shared.over {
            return Ok(());
        }
        if let Some(log) = &mut shared.logs.usi {
            log.write(&format!("{}\n{}\n", pair[0], pair[1]))?;
        }
        if let Some(log) = &mut shared.logs.csa {
            let names = [0, 1].map(|index| self.terms.engines[index].name.as_str());
            log.write(&pair.iter().map(|game| csa::text(game, names)).collect::<String>())?;
        }
        shared.tally.enter(&pair);
        self.audience.pair(&shared.tally);
        if self.terms.decided(&shared.tally) {
            shared.over = true;
            // What the other threads have begun is of no use any more.
            self.registry.close();
        }
        Ok(())
    }
}
