//! The conversation: what each command does.

use std::collections::VecDeque;
use std::io::BufRead;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

use crate::game::{UnknownVariant, Variant};
use crate::nnue::Library;
use crate::opening::Shelf;
use crate::perft;

use super::command::{Command, Go};
use super::options::{Declaration, Options};
use super::output::{Output, Written};
use super::player::{Division, Player, Verdict};
use super::position::{PositionError, PositionSpec};

/// What the loop waits for.
pub enum Event {
    /// A line of the client, and when it came.
    Line(String, Instant),
    /// A count has ended.
    Counted(u32, Division),
    /// The client is gone.
    End,
}

/// Reads lines on a thread of its own, so that nothing the engine does keeps `stop` waiting.
fn read(mut input: impl BufRead, events: &Sender<Event>) {
    let mut bytes = Vec::new();
    while input.read_until(b'\n', &mut bytes).is_ok_and(|length| length > 0) {
        let line = String::from_utf8_lossy(&bytes).into_owned();
        bytes.clear();
        if events.send(Event::Line(line, Instant::now())).is_err() {
            return;
        }
    }
    // Fails only when the session has ended by itself.
    let _ = events.send(Event::End);
}

/// Talks with a client until it says `quit` or hangs up.
pub fn converse(input: impl BufRead + Send + 'static, output: Output, player: fn(Variant) -> Box<dyn Player>) {
    let (sender, receiver) = mpsc::channel();
    let mut session = Session::new(output, player, sender.clone());
    thread::spawn(move || read(input, &sender));
    session.run(&receiver);
}

/// An answer that has to wait for `stop` or `ponderhit`.
struct Held {
    last: Option<Written>,
    closing: String,
    infinite: bool,
}

/// Why `go` is answered by giving up: anything else could mean to play another game than the client does.
#[derive(Debug)]
enum Refused {
    Position(PositionError),
    Variant(UnknownVariant),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Position(error) => error.fmt(f),
            Self::Variant(error) => error.fmt(f),
        }
    }
}

/// One client's session.
pub struct Session {
    output: Output,
    options: Options,
    new_player: fn(Variant) -> Box<dyn Player>,
    player: Option<Box<dyn Player>>,
    shelf: Shelf,
    library: Library,
    /// The last good position.
    spec: PositionSpec,
    /// Options have changed under it.
    stale: bool,
    /// The last one was bad.
    refused: Option<Refused>,
    held: Option<Held>,
    /// The enemy's turn is being searched in silence (`Stochastic_Ponder`) for this `go ponder`.
    guessing: Option<Go>,
    /// A count is running; set to end it.
    counting: Option<Arc<AtomicBool>>,
    /// Lines that came during the count.
    backlog: VecDeque<(String, Instant)>,
    events: Sender<Event>,
}

impl Session {
    /// A session that makes its players with `player` and hears of its own counts through `events`.
    pub fn new(output: Output, player: fn(Variant) -> Box<dyn Player>, events: Sender<Event>) -> Self {
        Self {
            output,
            options: Options::default(),
            new_player: player,
            player: None,
            shelf: Shelf::default(),
            library: Library::default(),
            spec: PositionSpec::default(),
            stale: false,
            refused: None,
            held: None,
            guessing: None,
            counting: None,
            backlog: VecDeque::new(),
            events,
        }
    }

    /// Handles events to the end.
    pub fn run(&mut self, events: &Receiver<Event>) {
        while let Ok(event) = events.recv() {
            if self.event(event).is_break() {
                break;
            }
        }
        self.halt();
    }

    fn event(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::Line(line, received) => self.line(&line, received),
            Event::Counted(depth, division) => {
                self.counting = None;
                self.print_count(depth, division);
                while self.counting.is_none()
                    && let Some((line, received)) = self.backlog.pop_front()
                {
                    self.line(&line, received)?;
                }
                ControlFlow::Continue(())
            }
            Event::End if self.counting.is_some() => {
                self.backlog.push_back(("quit".to_owned(), Instant::now()));
                ControlFlow::Continue(())
            }
            Event::End => ControlFlow::Break(()),
        }
    }

    /// Handles a line; breaks at `quit`.
    pub fn line(&mut self, line: &str, received: Instant) -> ControlFlow<()> {
        self.output.log_input(line.trim_end());
        let command = Command::parse(line);
        if let Some(stop) = &self.counting {
            match command {
                Command::IsReady => {
                    self.output.line("readyok");
                }
                Command::Stop => {
                    stop.store(true, Ordering::Relaxed);
                    // Also for the searches that wait for their turn.
                    self.backlog.push_back((line.to_owned(), received));
                }
                // Scripts send the next command, `quit` too, without waiting for the count.
                _ => self.backlog.push_back((line.to_owned(), received)),
            }
            return ControlFlow::Continue(());
        }
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady => self.ready(),
            Command::NewGame => self.new_game(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::GetOption(name) => self.get_option(&name),
            Command::Position(spec) => self.position(spec),
            Command::Go(go) => self.go(&go, received),
            Command::Stop => self.stop(),
            Command::PonderHit(clocks) => {
                if let Some(go) = self.end_guessing() {
                    let clocks = clocks.or(go.clocks);
                    self.search(&Go { clocks, ..go }, received);
                } else if self.held.as_ref().is_some_and(|held| !held.infinite) {
                    self.release();
                } else if let Some(player) = &self.player {
                    player.ponderhit(clocks);
                }
            }
            Command::Quit => return ControlFlow::Break(()),
            Command::Display => self.show(|player| player.display()),
            Command::State => self.show(|player| player.state()),
            Command::Moves => self.show(|player| player.moves()),
            Command::Eval => self.evaluate(),
            Command::Help => {
                self.output.line(HELP);
            }
            Command::Empty => {}
            Command::Unknown(word) => self.output.error(format_args!("unknown command {word:?}")),
        }
        ControlFlow::Continue(())
    }

    fn introduce(&self) {
        let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        self.output.line(format_args!("id name {name} {version}\nid author the {name} authors\n{Declaration}usiok"));
    }

    /// Answers at once during a search; what the options ask for is then done before the next one.
    fn ready(&mut self) {
        self.refresh();
        self.prepare();
        if !self.busy() && self.options.wants_book() {
            self.open_book();
        }
        self.output.line("readyok");
    }

    fn new_game(&mut self) {
        self.halt();
        self.options.clear_hash = true;
        if self.player.is_some() {
            self.prepare();
        }
    }

    /// Loads the network of the game, unless that is done.
    fn load_network(&mut self) {
        if self.busy() {
            return;
        }
        let variant = self.player().variant();
        let notes = self.library.open(&self.options.nets, variant);
        notes.iter().for_each(|note| self.output.info(note));
        let evaluation = self.library.evaluation();
        if !evaluation.is(&self.options.search.evaluation) {
            self.options.search.evaluation = evaluation;
            // The table is full of the other one's scores.
            self.options.clear_hash = true;
        }
    }

    fn prepare(&mut self) {
        self.load_network();
        let wanted = self.options.hash;
        self.player();
        if let Some(player) = &mut self.player
            && !player.is_searching()
        {
            player.prepare(&mut self.options);
        }
        if self.options.hash < wanted {
            self.output.error(format_args!("no memory for USI_Hash {wanted}, using {}", self.options.hash));
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let before = self.options.clone();
        if let Err(error) = self.options.set(name, value) {
            self.output.error(error);
        }
        if self.options.log_file != before.log_file
            && let Err(error) = self.output.set_log(&self.options.log_file)
        {
            self.output.error(format_args!("DebugLogFile: {error}"));
        }
        self.stale |= self.options.rules != before.rules;
        if self.options.variant == before.variant {
            return;
        }
        match &self.options.variant {
            // A bad position is not mended by the name of a game, a bad name is.
            Err(_) if matches!(self.refused, Some(Refused::Position(_))) => {}
            Err(unknown) => self.refused = Some(Refused::Variant(unknown.clone())),
            Ok(_) => {
                // Another game: the old position means nothing in it.
                self.spec = PositionSpec::default();
                self.stale = true;
            }
        }
    }

    fn get_option(&self, name: &str) {
        if name.is_empty() {
            for (name, value) in self.options.all() {
                self.output.line(format_args!("{name} = {value}"));
            }
            return;
        }
        match self.options.get(name) {
            Some(value) => {
                self.output.line(value);
            }
            None => self.output.error(format_args!("no value for option {name:?}")),
        }
    }

    fn position(&mut self, spec: Result<PositionSpec, PositionError>) {
        match spec.map_err(Refused::Position).and_then(|spec| self.set_up(spec)) {
            Ok(()) => self.refused = None,
            Err(refused) => {
                self.output.error(&refused);
                self.refused = Some(refused);
            }
        }
    }

    /// Sets up a position by the options as they are now.
    fn set_up(&mut self, spec: PositionSpec) -> Result<(), Refused> {
        let variant = match spec.variant {
            Some(variant) => variant,
            None => self.options.variant.clone().map_err(Refused::Variant)?,
        };
        let rules = self.options.rules;
        match &mut self.player {
            Some(player) if player.variant() == variant => {
                player.set_position(&spec, &rules).map_err(Refused::Position)?;
            }
            _ => {
                let mut player = (self.new_player)(variant);
                player.set_position(&spec, &rules).map_err(Refused::Position)?;
                self.halt();
                self.player = Some(player);
            }
        }
        self.spec = spec;
        self.stale = false;
        Ok(())
    }

    /// Brings the position in line with options that were set after it.
    ///
    /// Not while there is an answer to be given: another game would have to end the search that is to give it.
    fn refresh(&mut self) {
        if !self.stale || self.busy() {
            return;
        }
        self.stale = false;
        match self.set_up(self.spec.clone()) {
            // A game that was unknown is known now; a bad position stays one.
            Ok(()) => {
                self.refused.take_if(|refused| self.options.variant.is_ok() && matches!(refused, Refused::Variant(_)));
            }
            Err(refused) => self.refused = Some(refused),
        }
    }

    /// Whether a `go` has not been answered yet.
    fn busy(&self) -> bool {
        self.held.is_some() || self.player.as_ref().is_some_and(|player| player.is_searching())
    }

    /// The player, at the last good position.
    fn player(&mut self) -> &mut dyn Player {
        self.refresh();
        self.player.get_or_insert_with(|| (self.new_player)(Variant::default())).as_mut()
    }

    fn go(&mut self, go: &Go, received: Instant) {
        self.halt();
        self.refresh();
        if let Some(depth) = go.perft {
            return self.count(depth);
        }
        if go.mate {
            return self.mate(go, received);
        }
        if let Some(refused) = &self.refused {
            self.output.error(format_args!("no position to play from: {refused}"));
            return self.answer(go, None, "bestmove resign".to_owned());
        }
        match self.player().verdict() {
            Verdict::Over(result, won) => {
                self.output.info(format_args!("the game is over: {}", result.reason.name()));
                let score = match won {
                    Some(true) => "mate +",
                    Some(false) => "mate -",
                    None => "cp 0",
                };
                let last = self.output.line(format_args!("info depth 0 score {score}"));
                self.answer(go, Some(last), "bestmove resign".to_owned());
            }
            Verdict::Declare => {
                let last = self.output.line("info depth 0 score mate +");
                self.answer(go, Some(last), "bestmove win".to_owned());
            }
            Verdict::Open => {
                if let Some((last, closing)) = self.consult_book(go) {
                    return self.answer(go, last, closing);
                }
                self.prepare();
                let options = self.options.clone();
                if go.ponder && options.stochastic_ponder && self.player().ponder_before(&options) {
                    self.guessing = Some(go.clone());
                } else {
                    self.search(go, received);
                }
            }
        }
    }

    fn search(&mut self, go: &Go, received: Instant) {
        let (options, output) = (self.options.clone(), self.output.clone());
        self.player().go(go, received, &options, &output);
    }

    /// Ends a ponder search that did not rely on the enemy's reply; what was asked for then begins.
    fn end_guessing(&mut self) -> Option<Go> {
        let go = self.guessing.take()?;
        if let Some(player) = &mut self.player {
            player.stop();
            player.wait();
        }
        Some(Go { ponder: false, ..go })
    }

    fn mate(&mut self, go: &Go, received: Instant) {
        if let Some(refused) = &self.refused {
            self.output.error(format_args!("no position to look for a mate in: {refused}"));
            self.output.line("checkmate nomate");
            return;
        }
        if let Verdict::Over(result, _) = self.player().verdict() {
            self.output.info(format_args!("the game is over: {}", result.reason.name()));
            self.output.line("checkmate nomate");
            return;
        }
        let (options, output) = (self.options.clone(), self.output.clone());
        self.player().mate(go, received, &options, &output);
    }

    /// Opens the book of the game, unless it is open.
    fn open_book(&mut self) {
        let player = self.player();
        let (variant, goal) = (player.variant(), player.rules().goal);
        let notes = self.shelf.open(&self.options.book, variant, goal);
        notes.iter().for_each(|note| self.output.info(note));
    }

    /// What the book answers. It is not asked where the client wants thoughts, or one of its own choice of moves.
    fn consult_book(&mut self, go: &Go) -> Option<(Option<Written>, String)> {
        if !self.options.wants_book() || go.infinite || !go.search_moves.is_empty() {
            return None;
        }
        self.open_book();
        self.player.as_ref()?.consult(&mut self.shelf, &self.options, &self.output)
    }

    /// Answers without a search, but not before the client wants it.
    fn answer(&mut self, go: &Go, last: Option<Written>, closing: String) {
        self.held = Some(Held { last, closing, infinite: go.infinite });
        if !go.waits() {
            self.release();
        }
    }

    fn release(&mut self) {
        if let Some(held) = self.held.take() {
            self.output.finish(held.last.as_ref(), &held.closing);
        }
    }

    fn stop(&mut self) {
        self.release();
        if let Some(go) = self.end_guessing() {
            // The answer is thrown away by the client, but it must come.
            self.search(&Go { depth: Some(1), infinite: false, ..go }, Instant::now());
        }
        if let Some(player) = &self.player {
            player.stop();
        }
    }

    /// Stops, and waits until the answer is out.
    fn halt(&mut self) {
        self.stop();
        if let Some(player) = &mut self.player {
            player.wait();
        }
    }

    fn show(&mut self, text: impl FnOnce(&mut dyn Player) -> String) {
        let text = text(self.player());
        self.output.line(text);
    }

    fn evaluate(&mut self) {
        self.load_network();
        let options = self.options.clone();
        let score = self.player().evaluate(&options);
        self.output.line(format_args!("Evaluation: {score}"));
    }

    fn count(&mut self, depth: u32) {
        if let Some(refused) = &self.refused {
            return self.output.error(format_args!("no position to count from: {refused}"));
        }
        if depth > perft::MAX_DEPTH {
            return self.output.error(format_args!("perft goes to depth {}", perft::MAX_DEPTH));
        }
        let threads = self.options.threads;
        let job = self.player().perft(depth, threads);
        let stop = Arc::new(AtomicBool::new(false));
        self.counting = Some(stop.clone());
        let events = self.events.clone();
        thread::spawn(move || {
            // Fails only when the session is gone.
            let _ = events.send(Event::Counted(depth, job(&stop)));
        });
    }

    fn print_count(&self, depth: u32, division: Division) {
        let Some(division) = division else { return self.output.info("perft stopped") };
        for (m, leaves) in &division {
            self.output.line(format_args!("{m}: {leaves}"));
        }
        self.output.line(format_args!("Nodes searched: {}", perft::total(depth, &division)));
    }
}

/// What `help` prints.
const HELP: &str = "\
USI: usi isready usinewgame setoption position go stop ponderhit gameover quit
position startpos|sfen S [variant=V] [goal=G] [limit=N] [step=1|2] [moves M...]
go [btime N wtime N byoyomi N binc N winc N] [movetime N] [depth N] [nodes N] [infinite] [ponder] [searchmoves M...]
go mate [N|infinite] [nodes N]: a mate by checks (flanking: a king captured by force)
go perft N: leaves below each move
d: the position; state: the same as JSON; moves: legal moves; eval: static evaluation as Black sees it
getoption [NAME]: value of an option";
