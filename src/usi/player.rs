//! A game behind an object, chosen once a command.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::board::{Color, Move};
use crate::game::{Claim, Game, GameResult, HouseRules, Position, Variant};
use crate::games::{ForGame, for_game};
use crate::opening::{self, Shelf};
use crate::perft;
use crate::search::{Clocks, Engine, Limits, Outcome, to_centipawns};

use super::command::Go;
use super::info::{self, Reporter};
use super::mate::{self, Solving};
use super::options::Options;
use super::output::{Output, Written};
use super::position::{PositionError, PositionSpec, Table};
use super::turns::{self, Turn};
use super::{display, state};

/// Leaves below each move; `None` if the count was stopped.
pub type Division = Option<Vec<(Move, u64)>>;

/// A count that is ready to be made, on whatever thread.
pub type Count = Box<dyn FnOnce(&AtomicBool) -> Division + Send>;

/// What there is to say to `go` without a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// A search is needed.
    Open,
    /// The side to move may declare a win.
    Declare,
    /// The game is over; whether the side to move has won, `None` for a draw.
    Over(GameResult, Option<bool>),
}

/// A game being played: its position and its engine.
pub trait Player: Send {
    /// Which game.
    fn variant(&self) -> Variant;
    /// The rules of the table.
    fn rules(&self) -> HouseRules;
    /// Sets up a position. A bad one changes nothing.
    fn set_position(&mut self, spec: &PositionSpec, rules: &HouseRules) -> Result<(), PositionError>;
    /// Brings threads and table in line with the options; only while no search runs.
    fn prepare(&mut self, options: &mut Options);
    /// What can be said without a search.
    fn verdict(&self) -> Verdict;
    /// What the book has to say: prints its lines and returns the one of the move, and the answer.
    fn consult(&self, shelf: &mut Shelf, options: &Options, output: &Output) -> Option<(Option<Written>, String)>;
    /// Starts a search whose lines and answer go to `output`.
    fn go(&mut self, go: &Go, received: Instant, options: &Options, output: &Output);
    /// Searches the position before the last turn in silence until it is stopped: whatever the enemy plays, the table
    /// then knows something of it. False if there is no turn to take back.
    fn ponder_before(&mut self, options: &Options) -> bool;
    /// Starts a search for mate whose answer goes to `output`.
    fn mate(&mut self, go: &Go, received: Instant, options: &Options, output: &Output);
    /// Searches in silence and waits for the end.
    fn search(&mut self, limits: Limits, options: &Options) -> (Outcome, String);
    /// Ends a search.
    fn stop(&self);
    /// The ponder move was played.
    fn ponderhit(&self, clocks: Option<Clocks>);
    /// Whether a search runs.
    fn is_searching(&self) -> bool;
    /// Waits for the end of a search.
    fn wait(&mut self);
    /// The position for people.
    fn display(&self) -> String;
    /// The position for a referee.
    fn state(&self) -> String;
    /// The legal moves.
    fn moves(&self) -> String;
    /// The static evaluation in centipawns as Black sees it.
    fn evaluate(&self, options: &Options) -> i32;
    /// Prepares to count leaves.
    fn perft(&self, depth: u32, threads: usize) -> Count;
}

/// The player of a game.
pub fn player(variant: Variant) -> Box<dyn Player> {
    struct New;
    impl ForGame for New {
        type Output = Box<dyn Player>;
        fn run<G: Game>(self) -> Self::Output {
            Box::new(GamePlayer::<G>::new())
        }
    }
    for_game(variant, New)
}

/// [`Player`] for any [`Game`].
pub struct GamePlayer<G: Game> {
    table: Table<G::Position>,
    /// Made when it is needed: a game that is only looked at costs no threads and no table.
    engine: Option<Engine<G>>,
    /// The last search for mate, if it has not been waited for.
    solving: Option<Solving>,
    threads: usize,
    hash: usize,
}

impl<G: Game> GamePlayer<G> {
    /// A player at the start position.
    pub fn new() -> Self {
        Self { table: Table::new(), engine: None, solving: None, threads: 0, hash: 0 }
    }

    /// The engine, by the options as they are if there is none yet.
    fn engine(&mut self, options: &Options) -> &mut Engine<G> {
        self.engine.get_or_insert_with(|| {
            (self.threads, self.hash) = (options.threads, options.hash);
            Engine::new(options.hash, options.threads)
        })
    }

    /// The turns of a `searchmoves` that can be played here.
    fn search_moves(&self, tokens: &[String]) -> Vec<Vec<Move>> {
        let playable = |token: &String| {
            let turn: Vec<Move> = Turn::parse(token, G::Position::TURN)?.moves().collect();
            let half = matches!(*turn.as_slice(), [m] if self.table.position.is_legal(m));
            (half || turns::play_turn(&mut self.table.position.clone(), &turn)).then_some(turn)
        };
        tokens.iter().filter_map(playable).collect()
    }
}

impl<G: Game> Default for GamePlayer<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> Player for GamePlayer<G> {
    fn variant(&self) -> Variant {
        G::Position::variant()
    }

    fn rules(&self) -> HouseRules {
        *self.table.position.rules()
    }

    fn set_position(&mut self, spec: &PositionSpec, rules: &HouseRules) -> Result<(), PositionError> {
        self.table = Table::set_up(spec, rules)?;
        Ok(())
    }

    fn prepare(&mut self, options: &mut Options) {
        let (threads, hash) = (self.threads, self.hash);
        let engine = self.engine(options);
        if threads != 0 && threads != options.threads {
            engine.set_threads(options.threads);
        }
        if hash != 0 && hash != options.hash {
            engine.set_hash(options.hash);
        }
        if std::mem::take(&mut options.clear_hash) && hash != 0 {
            engine.clear();
        }
        // There may be less memory than was asked for.
        options.hash = self.engine(options).hash().min(options.hash);
        (self.threads, self.hash) = (options.threads, options.hash);
    }

    fn verdict(&self) -> Verdict {
        let side = self.table.position.side_to_move();
        if let Some(result) = self.table.over() {
            return Verdict::Over(result, result.winner.map(|winner| winner == side));
        }
        match self.table.claim() {
            Some(Claim::Win) => Verdict::Declare,
            // A draw is claimed by who has no more to hope for, not always.
            Some(Claim::Draw) | None => Verdict::Open,
        }
    }

    fn consult(&self, shelf: &mut Shelf, options: &Options, output: &Output) -> Option<(Option<Written>, String)> {
        let position = &self.table.position;
        let lines = options.search.multi_pv;
        let probe = opening::probe(shelf, position, &options.book, lines);
        probe.notes.iter().for_each(|note| output.info(note));
        let answer = probe.answer?;
        let print = |line| output.line(info::line(line, G::Position::TURN, position.step(), lines > 1));
        let written: Vec<Written> = answer.lines.iter().map(print).collect();
        let mut closing = format!("bestmove {}", turns::token(&answer.best));
        if !answer.ponder.is_empty() {
            closing = format!("{closing} ponder {}", turns::token(&answer.ponder));
        }
        Some((written.into_iter().nth(answer.chosen), closing))
    }

    fn go(&mut self, go: &Go, received: Instant, options: &Options, output: &Output) {
        let search_moves = self.search_moves(&go.search_moves);
        if search_moves.len() < go.search_moves.len() {
            output.info("searchmoves that cannot be played are left out");
        }
        let limits = Limits { search_moves, start: Some(received), ..go.limits() };
        let root = self.table.position.clone();
        let reporter = Arc::new(Mutex::new(Reporter::new(output.clone(), root.clone(), options.clone())));
        let report = move |act: &mut dyn FnMut(&mut Reporter<G::Position>)| {
            act(&mut reporter.lock().unwrap_or_else(PoisonError::into_inner));
        };
        let report_info = report.clone();
        self.engine(options).go(
            root,
            limits,
            &options.search(),
            Box::new(move |info| report_info(&mut |reporter| reporter.info(&info.in_centipawns::<G>()))),
            Box::new(move |outcome| {
                let milliseconds = received.elapsed().as_millis() as u64;
                report(&mut |reporter| reporter.done(&outcome.in_centipawns::<G>(), milliseconds));
            }),
        );
    }

    fn ponder_before(&mut self, options: &Options) -> bool {
        let mut root = self.table.position.clone();
        let us = root.side_to_move();
        while root.last_move().is_some() {
            root.unmake();
            if root.side_to_move() != us && root.step() == 1 {
                let limits = Limits { infinite: true, ..Limits::default() };
                self.engine(options).go(root, limits, &options.search(), Box::new(|_| {}), Box::new(|_| {}));
                return true;
            }
        }
        false
    }

    fn mate(&mut self, go: &Go, received: Instant, options: &Options, output: &Output) {
        self.wait();
        let limits = mate::limits(go, received, options);
        self.solving = Solving::start::<G>(self.table.position.clone(), limits, output);
    }

    fn search(&mut self, limits: Limits, options: &Options) -> (Outcome, String) {
        let (sender, receiver) = std::sync::mpsc::channel();
        let root = self.table.position.clone();
        let done = Box::new(move |outcome: &Outcome| {
            // The receiver waits below; there is nobody else to tell.
            let _ = sender.send(outcome.clone());
        });
        let engine = self.engine(options);
        engine.go(root, limits, &options.search(), Box::new(|_| {}), done);
        engine.wait();
        let outcome = receiver.recv().unwrap_or_default();
        let best = turns::token(&outcome.best);
        (outcome, best)
    }

    fn stop(&self) {
        if let Some(engine) = &self.engine {
            engine.stop();
        }
        if let Some(solving) = &self.solving {
            solving.stop();
        }
    }

    fn ponderhit(&self, clocks: Option<Clocks>) {
        if let Some(engine) = &self.engine {
            engine.ponderhit(clocks);
        }
    }

    fn is_searching(&self) -> bool {
        self.engine.as_ref().is_some_and(Engine::is_searching) || self.solving.as_ref().is_some_and(Solving::is_running)
    }

    fn wait(&mut self) {
        if let Some(engine) = &mut self.engine {
            engine.wait();
        }
        if let Some(solving) = self.solving.take() {
            solving.wait();
        }
    }

    fn display(&self) -> String {
        display::text(&self.table)
    }

    fn state(&self) -> String {
        state::line(&self.table)
    }

    fn moves(&self) -> String {
        self.table.legal().join(" ")
    }

    fn evaluate(&self, options: &Options) -> i32 {
        to_centipawns::<G>(Engine::<G>::evaluate(&self.table.position, &options.search.evaluation)[Color::Black])
    }

    fn perft(&self, depth: u32, threads: usize) -> Count {
        let position = self.table.position.clone();
        Box::new(move |stop| perft::divide(&position, depth, threads, stop))
    }
}
