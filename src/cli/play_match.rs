//! `happo match`: two engines play each other until it is known which one is stronger.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;

use crate::game::{EnteringKingRule, Goal, HouseRules, Variant};
use crate::lab::arbiter::{Adjudication, Terms};
use crate::lab::clock::Control;
use crate::lab::engine::{EngineSpec, Setting};
use crate::lab::openings::OpeningSpec;
use crate::lab::process::Registry;
use crate::lab::record::Log;
use crate::lab::sprt::Sprt;
use crate::lab::tally::Tally;
use crate::lab::tournament::{Audience, Logs, Match};

use super::screen::Screen;

/// Options of the limits of thought, for both engines (`""`) or one of them (`"1"`, `"2"`).
macro_rules! limits {
    ($name:ident, $suffix:literal, $of:literal) => {
        #[derive(Args)]
        struct $name {
            #[arg(id = concat!("nodes", $suffix), long = concat!("nodes", $suffix), value_name = "N")]
            #[arg(help = concat!("Nodes a turn", $of))]
            nodes: Option<u64>,
            #[arg(id = concat!("depth", $suffix), long = concat!("depth", $suffix), value_name = "D")]
            #[arg(help = concat!("Depth in half-moves", $of))]
            depth: Option<u32>,
            #[arg(id = concat!("movetime", $suffix), long = concat!("movetime", $suffix), value_name = "MS")]
            #[arg(help = concat!("Milliseconds a turn", $of))]
            movetime: Option<u64>,
            #[arg(id = concat!("time", $suffix), long = concat!("time", $suffix), value_name = "MS")]
            #[arg(help = concat!("Milliseconds for a game", $of))]
            time: Option<u64>,
            #[arg(id = concat!("inc", $suffix), long = concat!("inc", $suffix), value_name = "MS")]
            #[arg(help = concat!("Milliseconds added for each turn", $of))]
            inc: Option<u64>,
            #[arg(id = concat!("byoyomi", $suffix), long = concat!("byoyomi", $suffix), value_name = "MS")]
            #[arg(help = concat!("Milliseconds for each turn after the time for the game", $of))]
            byoyomi: Option<u64>,
        }

        impl $name {
            fn control(&self) -> Control {
                Control {
                    nodes: self.nodes,
                    depth: self.depth,
                    movetime: self.movetime,
                    time: self.time.unwrap_or(0),
                    increment: self.inc.unwrap_or(0),
                    byoyomi: self.byoyomi.unwrap_or(0),
                }
            }
        }
    };
}

limits!(Limits, "", "");
limits!(Limits1, "1", ", engine 1 alone");
limits!(Limits2, "2", ", engine 2 alone");

/// `Name:Value,Name:Value`
#[derive(Clone, Default)]
struct OptionList(Vec<(String, Option<String>)>);

impl FromStr for OptionList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = |item: &str| {
            let (name, value) = match item.split_once(':') {
                Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
                None => (item.trim(), None),
            };
            if name.is_empty() { Err(format!("{item:?} names no option")) } else { Ok((name.to_owned(), value)) }
        };
        text.split(',').filter(|item| !item.trim().is_empty()).map(read).collect::<Result<_, _>>().map(Self)
    }
}

/// `A,B`
#[derive(Clone, Copy)]
struct Two<T>(T, T);

impl<T: FromStr> FromStr for Two<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, second) = text.split_once(',').ok_or("two numbers with a comma are wanted")?;
        let read = |part: &str| part.trim().parse().map_err(|_| format!("{part:?} is not a number"));
        Ok(Self(read(first)?, read(second)?))
    }
}

/// Let two USI engines play a match in pairs of games from random balanced openings, colours exchanged
///
/// Each engine is this program itself if no other is named. The result of every pair counts as one observation. The
/// last line on standard output is the result as JSON. Of an argument that is given twice the last counts.
#[derive(Args)]
#[command(args_override_self = true)]
pub struct PlayMatch {
    /// Executable of engine 1; this program if left out
    #[arg(long, value_name = "PATH")]
    engine1: Option<PathBuf>,
    /// Executable of engine 2; this program if left out
    #[arg(long, value_name = "PATH")]
    engine2: Option<PathBuf>,
    /// Arguments of engine 1, separated by spaces
    #[arg(long, value_name = "ARGS", default_value = "", allow_hyphen_values = true)]
    args1: String,
    /// Arguments of engine 2, separated by spaces
    #[arg(long, value_name = "ARGS", default_value = "", allow_hyphen_values = true)]
    args2: String,
    /// Options of engine 1, as Name:Value,Name:Value, set in that order
    #[arg(long, value_name = "LIST", default_value = "")]
    options1: OptionList,
    /// Options of engine 2
    #[arg(long, value_name = "LIST", default_value = "")]
    options2: OptionList,
    /// Name of engine 1 in reports
    #[arg(long, value_name = "NAME")]
    name1: Option<String>,
    /// Name of engine 2 in reports
    #[arg(long, value_name = "NAME")]
    name2: Option<String>,
    /// The game
    #[arg(long, default_value_t)]
    variant: Variant,
    /// What wins in hasami: capture5, lead3 or captureall
    #[arg(long, default_value = "capture5", value_parser = super::goal)]
    goal: Goal,
    /// The impasse rule of shogi, as the option EnteringKingRule names it
    #[arg(long, value_name = "RULE", default_value = "CSARule27", value_parser = entering_king)]
    entering_king: EnteringKingRule,
    /// Draw after that many moves (half-moves in flanking), 0 for never [default: 320, flanking 640]
    #[arg(long, value_name = "MOVES")]
    limit: Option<u32>,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    limits1: Limits1,
    #[command(flatten)]
    limits2: Limits2,
    /// Milliseconds by which a turn may take too long without a loss on time
    #[arg(long, value_name = "MS", default_value_t = 100)]
    margin: u64,
    /// Milliseconds after which an engine whose time is not limited is taken to hang
    #[arg(long, value_name = "MS", default_value_t = 60_000)]
    patience: u64,
    /// Games to play, an even number [default: 100; with --sprt 40000]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Play until it is decided which Elo difference is likelier, as LOW,HIGH
    #[arg(long, value_name = "ELO,ELO", allow_hyphen_values = true)]
    sprt: Option<Two<f64>>,
    /// Probability that the test finds a gain where there is none
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    alpha: f64,
    /// Probability that the test overlooks a gain
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    beta: f64,
    /// Games at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// All openings follow from this number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Fewest and most random turns of an opening
    #[arg(long, value_name = "MIN,MAX", default_value = "6,10")]
    plies: Two<u32>,
    /// Largest lead in centipawns after an opening
    #[arg(long, value_name = "CP", default_value_t = 80)]
    bound: u32,
    /// Table size in MiB, where an engine declares the option
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    hash: u32,
    /// Threads of each engine, where it declares the option
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: u16,
    /// A game is won once both engines see that lead in centipawns for eight turns in succession; 0 for never
    #[arg(long, value_name = "CP", default_value_t = 0)]
    resign_score: u32,
    /// From that turn on a game is drawn once both engines see no lead for eight turns in succession; 0 for never
    #[arg(long, value_name = "TURNS", default_value_t = 0)]
    draw_after: u32,
    /// The lead in centipawns that --draw-after takes for none
    #[arg(long, value_name = "CP", default_value_t = 10)]
    draw_score: u32,
    /// File for the games, a USI line each; a match that was interrupted goes on where its file ends
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// File to which games of shogi are added in CSA format
    #[arg(long, value_name = "FILE")]
    csa: Option<PathBuf>,
    /// Say nothing before the end
    #[arg(long)]
    quiet: bool,
}

fn entering_king(text: &str) -> Result<EnteringKingRule, String> {
    let names = EnteringKingRule::ALL.map(EnteringKingRule::name).join(", ");
    EnteringKingRule::from_name(text).ok_or_else(|| format!("{text:?} is not one of {names}"))
}

impl PlayMatch {
    /// Plays and prints.
    pub fn run(self) -> Result<(), String> {
        let plan = self.plan()?;
        let mut logs = Logs::default();
        if let Some(path) = &self.out {
            let (log, played) = Log::open(path, &plan.header()).map_err(|error| error.to_string())?;
            (logs.usi, logs.played) = (Some(log), played);
        }
        if let Some(path) = &self.csa {
            logs.csa = Some(Log::append(path).map_err(|error| error.to_string())?);
        }
        let registry = Arc::new(Registry::default());
        let interrupted = Arc::new(AtomicBool::new(false));
        let on_signal = {
            let (registry, interrupted) = (Arc::clone(&registry), Arc::clone(&interrupted));
            move || {
                interrupted.store(true, Ordering::SeqCst);
                registry.close();
            }
        };
        ctrlc::set_handler(on_signal).map_err(|error| format!("signals: {error}"))?;
        let screen = Screen::new(self.quiet, Some(2 * plan.pairs), "games");
        let audience = Spectator { screen, sprt: plan.sprt };
        let tally = plan.run(&registry, logs, &audience).map_err(|error| error.to_string())?;
        audience.screen.close();
        let names = [0, 1].map(|index| plan.engines[index].name.as_str());
        print!("{}", tally.text(names, plan.sprt.as_ref()));
        println!("{}", tally.json(names, plan.setting.variant.name(), plan.sprt.as_ref()));
        if interrupted.load(Ordering::SeqCst) { Err("interrupted".to_owned()) } else { Ok(()) }
    }

    fn plan(&self) -> Result<Match, String> {
        let variant = self.variant;
        if self.csa.is_some() && variant != Variant::Shogi {
            return Err("CSA files hold shogi only".to_owned());
        }
        let controls = self.controls();
        if !controls.iter().all(Control::limits) {
            return Err("say how long the engines may think: --nodes, --depth, --movetime, --byoyomi or --time".into());
        }
        if self.plies.0 > self.plies.1 {
            return Err(format!("--plies {},{} is no range", self.plies.0, self.plies.1));
        }
        let sprt = match self.sprt {
            None => None,
            Some(Two(elo0, elo1)) => {
                let probable = |p: f64| p > 0.0 && p < 0.5;
                if !(elo0 < elo1 && elo0.abs() < 2000.0 && elo1.abs() < 2000.0) {
                    return Err(format!("--sprt {elo0},{elo1}: the first must be less than the second"));
                }
                if !probable(self.alpha) || !probable(self.beta) {
                    return Err("--alpha and --beta lie between 0 and 0.5".to_owned());
                }
                Some(Sprt { elo0, elo1, alpha: self.alpha, beta: self.beta })
            }
        };
        let games = self.games.unwrap_or(if sprt.is_some() { 40_000 } else { 100 });
        let limit = self.limit.unwrap_or(if variant == Variant::Flanking { 640 } else { 320 });
        let rules = HouseRules { goal: self.goal, move_limit: limit, entering_king: self.entering_king };
        Ok(Match {
            setting: Setting { variant, rules, hash: self.hash, threads: self.threads },
            engines: self.engines()?,
            controls,
            terms: Terms {
                margin: Duration::from_millis(self.margin),
                patience: Duration::from_millis(self.patience),
                adjudication: Adjudication {
                    resign_score: self.resign_score,
                    draw_after: self.draw_after,
                    draw_score: self.draw_score,
                },
            },
            openings: OpeningSpec { seed: self.seed, shortest: self.plies.0, longest: self.plies.1, bound: self.bound },
            pairs: games.div_ceil(2),
            sprt,
            concurrency: usize::from(self.concurrency),
        })
    }

    /// What is said for one engine goes before what is said for both: all of it, as limits work together.
    fn controls(&self) -> [Control; 2] {
        let both = self.limits.control();
        [self.limits1.control(), self.limits2.control()].map(|own| if own.limits() { own } else { both })
    }

    fn engines(&self) -> Result<[EngineSpec; 2], String> {
        let ours = std::env::current_exe().map_err(|error| format!("this program cannot be found: {error}"))?;
        let sides = [
            (&self.engine1, &self.args1, &self.options1, &self.name1),
            (&self.engine2, &self.args2, &self.options2, &self.name2),
        ];
        let mut engines = sides.map(|(path, args, options, name)| {
            let path = path.clone().unwrap_or_else(|| ours.clone());
            let stem = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            EngineSpec {
                name: name.clone().unwrap_or_else(stem),
                args: args.split_whitespace().map(str::to_owned).collect(),
                options: options.0.clone(),
                path,
            }
        });
        if engines[0].name == engines[1].name {
            for (engine, number) in engines.iter_mut().zip(1..) {
                engine.name = format!("{}-{number}", engine.name);
            }
        }
        Ok(engines)
    }
}

/// Shows how the match goes.
struct Spectator {
    screen: Screen,
    sprt: Option<Sprt>,
}

impl Audience for Spectator {
    fn pair(&self, tally: &Tally) {
        self.screen.show(u64::from(tally.total()), || tally.brief(self.sprt.as_ref()));
    }

    fn note(&self, text: &str) {
        self.screen.note(text);
    }
}
