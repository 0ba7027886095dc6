//! The options, as one table: everything the protocol does with an option follows from its entry.

use std::fmt;

use ahash::RandomState;
use thiserror::Error;

use crate::board::Color;
use crate::diagram::clip;
use crate::game::{EnteringKingRule, Goal, HouseRules, UnknownVariant, Variant};
use crate::nnue;
use crate::opening::Settings;
use crate::search::{Change, ParamError, RATINGS, SearchOptions, Skill};

/// What the options say.
#[derive(Debug, Clone)]
pub struct Options {
    /// The game; an unknown name stays, because no other game may be played in its place.
    pub variant: Result<Variant, UnknownVariant>,
    /// Rules where `position` does not say otherwise.
    pub rules: HouseRules,
    /// Threads of the search.
    pub threads: usize,
    /// MiB of the transposition table.
    pub hash: usize,
    /// `Clear Hash` was pressed and is still to be done.
    pub clear_hash: bool,
    /// What the search is told.
    pub search: SearchOptions,
    /// Resign at this many centipawns below zero.
    pub resign_value: i32,
    /// Ponder on the position before the reply expected, not after it.
    pub stochastic_ponder: bool,
    /// Strength from -20 to 20, the full one.
    pub skill_level: i32,
    /// `rating` rules and the level is ignored.
    pub limit_strength: bool,
    /// Strength as a rating.
    pub rating: i32,
    /// The client analyses, it does not play: no resigning, no weakness, no variety, no book.
    pub analyse: bool,
    /// `go mate` counts as the books of mating problems do.
    pub tsume: bool,
    /// For analysis: every line, but no bounds.
    pub consideration: bool,
    /// Opening books.
    pub book: Settings,
    /// Networks.
    pub nets: nnue::Settings,
    /// Copy of the conversation, empty for none.
    pub log_file: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            variant: Ok(Variant::default()),
            rules: HouseRules::default(),
            threads: 1,
            hash: 64,
            clear_hash: false,
            search: SearchOptions::default(),
            resign_value: NEVER_RESIGN,
            stochastic_ponder: false,
            skill_level: Skill::HIGHEST,
            limit_strength: false,
            rating: RATINGS.1,
            analyse: false,
            tsume: false,
            consideration: false,
            book: Settings::default(),
            nets: nnue::Settings::default(),
            log_file: String::new(),
        }
    }
}

/// The `ResignValue` that no score falls below.
const NEVER_RESIGN: i32 = 99999;

impl Options {
    /// What the search is told, options that stand for several others included.
    pub fn search(&self) -> SearchOptions {
        let mut search = self.search.clone();
        let level = if self.limit_strength { Skill::level_of_rating(self.rating) } else { self.skill_level };
        search.seed = RandomState::new().hash_one(level);
        search.skill = Skill::new(level, search.seed);
        if self.analyse {
            search.skill = None;
            search.variety = 0;
        }
        if self.consideration {
            search.report_bounds = false;
            search.pv_interval = 0;
        }
        search
    }

    /// Whether moves may come from a book.
    pub fn wants_book(&self) -> bool {
        self.book.own_book && !self.consideration && !self.analyse
    }

    /// Whether a score means giving up.
    pub fn resigns(&self, score: i32) -> bool {
        !self.analyse && self.resign_value < NEVER_RESIGN && score <= -self.resign_value
    }
}

/// Why an option is not set; names what is wrong, for people.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OptionError {
    /// No such option.
    #[error("no option {0:?}")]
    Unknown(String),
    /// A number that is none or out of range.
    #[error("option {name} takes a number from {min} to {max}, not {value:?}")]
    Range {
        /// The option.
        name: &'static str,
        /// Least value.
        min: i64,
        /// Largest value.
        max: i64,
        /// What was sent.
        value: String,
    },
    /// Neither true nor false.
    #[error("option {0} takes true or false, not {1:?}")]
    Check(&'static str, String),
    /// None of the names.
    #[error("option {0} does not know {1:?}")]
    Choice(&'static str, String),
    /// The game, which is then unknown.
    #[error(transparent)]
    Variant(UnknownVariant),
    /// A parameter of the search.
    #[error(transparent)]
    Tuning(#[from] ParamError),
}

/// What kind of option it is, and where its value lives.
enum Type {
    Check(fn(&mut Options) -> &mut bool),
    Spin {
        min: i64,
        max: i64,
        get: fn(&Options) -> i64,
        set: fn(&mut Options, i64),
    },
    /// The setter is given the place of the chosen name.
    Combo {
        names: fn() -> Vec<&'static str>,
        get: fn(&Options) -> &'static str,
        set: fn(&mut Options, usize),
    },
    /// As a combo, except that an unknown name counts.
    Variant,
    Button(fn(&mut Options)),
    Filename(fn(&mut Options) -> &mut String),
    Text(fn(&mut Options) -> &mut String),
}

/// An option: its name as it is declared, other names it is known by, and the rest.
struct Entry {
    name: &'static str,
    aliases: &'static [&'static str],
    kind: Type,
}

const fn entry(name: &'static str, kind: Type) -> Entry {
    Entry { name, aliases: &[], kind }
}

const fn alias(name: &'static str, aliases: &'static [&'static str], kind: Type) -> Entry {
    Entry { name, aliases, kind }
}

/// A spin option over any integer place in [`Options`].
macro_rules! spin {
    ($min:literal ..= $max:expr, $($place:tt)+) => {
        Type::Spin {
            min: $min,
            max: $max,
            get: |options| options.$($place)+ as i64,
            set: |options, value| options.$($place)+ = value as _,
        }
    };
}

/// All of them, in the order in which they are declared.
const TABLE: &[Entry] = &[
    entry("USI_Variant", Type::Variant),
    // Two clients look for a line of exactly this name.
    entry("UCI_Variant", Type::Variant),
    entry("Threads", spin!(1..=512, threads)),
    alias("USI_Hash", &["Hash"], spin!(1..=1_048_576, hash)),
    entry("Clear Hash", Type::Button(|options| options.clear_hash = true)),
    alias("USI_Ponder", &["Ponder"], Type::Check(|options| &mut options.search.ponder)),
    entry("Stochastic_Ponder", Type::Check(|options| &mut options.stochastic_ponder)),
    alias("MultiPV", &["USI_MultiPV"], spin!(1..=800, search.multi_pv)),
    entry("NetworkDelay", spin!(0..=10_000, search.network_delay)),
    entry("NetworkDelay2", spin!(0..=10_000, search.network_delay2)),
    entry("MinimumThinkingTime", spin!(0..=100_000, search.minimum_thinking_time)),
    entry("SlowMover", spin!(1..=1000, search.slow_mover)),
    entry("RoundUpToFullSecond", Type::Check(|options| &mut options.search.round_up)),
    entry("DepthLimit", spin!(0..=i32::MAX as i64, search.depth_limit)),
    entry("NodesLimit", spin!(0..=i64::MAX, search.nodes_limit)),
    entry("MaxMovesToDraw", spin!(0..=100_000, rules.move_limit)),
    entry("DrawValueBlack", spin!(-30_000..=30_000, search.draw_value[Color::Black])),
    entry("DrawValueWhite", spin!(-30_000..=30_000, search.draw_value[Color::White])),
    entry("ResignValue", spin!(0..=99_999, resign_value)),
    entry(
        "EnteringKingRule",
        Type::Combo {
            names: || EnteringKingRule::ALL.map(EnteringKingRule::name).to_vec(),
            get: |options| options.rules.entering_king.name(),
            set: |options, choice| {
                options.rules.entering_king = EnteringKingRule::ALL.get(choice).copied().unwrap_or_default();
            },
        },
    ),
    entry(
        "HasamiGoal",
        Type::Combo {
            names: || Goal::ALL.map(Goal::name).to_vec(),
            get: |options| options.rules.goal.name(),
            set: |options, choice| options.rules.goal = Goal::ALL.get(choice).copied().unwrap_or_default(),
        },
    ),
    // ShogiHome leaves out options whose names have spaces.
    entry("Skill_Level", spin!(-20..=20, skill_level)),
    entry("UCI_LimitStrength", Type::Check(|options| &mut options.limit_strength)),
    entry("UCI_Elo", spin!(500..=2500, rating)),
    entry("Variety", spin!(0..=1000, search.variety)),
    entry("GenerateAllLegalMoves", Type::Check(|options| &mut options.search.all_moves)),
    alias("USI_AnalyseMode", &["UCI_AnalyseMode"], Type::Check(|options| &mut options.analyse)),
    entry("TsumeMode", Type::Check(|options| &mut options.tsume)),
    entry("PvInterval", spin!(0..=100_000, search.pv_interval)),
    entry("ConsiderationMode", Type::Check(|options| &mut options.consideration)),
    entry("OutputFailLHPV", Type::Check(|options| &mut options.search.report_bounds)),
    alias("USI_OwnBook", &["OwnBook"], Type::Check(|options| &mut options.book.own_book)),
    entry("NarrowBook", Type::Check(|options| &mut options.book.narrow)),
    entry("BookMoves", spin!(0..=10_000, book.moves)),
    entry("BookIgnoreRate", spin!(0..=100, book.ignore_rate)),
    entry("BookFile", Type::Filename(|options| &mut options.book.file)),
    entry("BookDir", Type::Text(|options| &mut options.book.dir)),
    entry("BookEvalDiff", spin!(0..=99_999, book.eval_diff)),
    entry("BookEvalBlackLimit", spin!(-99_999..=99_999, book.eval_limit[Color::Black])),
    entry("BookEvalWhiteLimit", spin!(-99_999..=99_999, book.eval_limit[Color::White])),
    entry("BookDepthLimit", spin!(0..=99_999, book.depth_limit)),
    entry("BookOnTheFly", Type::Check(|options| &mut options.book.on_the_fly)),
    entry("ConsiderBookMoveCount", Type::Check(|options| &mut options.book.consider_count)),
    entry("BookPvMoves", spin!(1..=128, book.pv_moves)),
    entry("IgnoreBookPly", Type::Check(|options| &mut options.book.ignore_ply)),
    entry("FlippedBook", Type::Check(|options| &mut options.book.flipped)),
    entry("EvalDir", Type::Text(|options| &mut options.nets.dir)),
    entry("EvalFile", Type::Filename(|options| &mut options.nets.file)),
    entry("FV_SCALE", spin!(1..=128, nets.fv_scale)),
    entry("DebugLogFile", Type::Filename(|options| &mut options.log_file)),
];

/// Clients differ in case and in how they join the words of a name.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

/// An option for experiments that is not declared: parameters of the search as `name=value name=value`.
const TUNING: &str = "searchtuning";

fn find(name: &str) -> Option<&'static Entry> {
    let wanted = plain(name);
    let names = |entry: &'static Entry| std::iter::once(entry.name).chain(entry.aliases.iter().copied());
    TABLE.iter().find(|entry| names(entry).any(|name| plain(name) == wanted))
}

/// Whether clients send an option of that name without being asked for it.
fn is_protocol_name(name: &str) -> bool {
    let name = plain(name);
    name.starts_with("usi") || name.starts_with("uci")
}

impl Options {
    /// Sets an option. Refused values leave it as it was.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        if plain(name) == TUNING {
            self.search.change = Change::default().read(value.unwrap_or_default())?;
            return Ok(());
        }
        let Some(entry) = find(name) else {
            return if is_protocol_name(name) { Ok(()) } else { Err(OptionError::Unknown(clip(name))) };
        };
        let verbatim = value.unwrap_or_default();
        let value = verbatim.trim();
        match &entry.kind {
            Type::Check(place) => {
                *place(self) = match value.to_ascii_lowercase().as_str() {
                    // UCI2WB says `USI_Ponder value 1`.
                    "true" | "1" => true,
                    "false" | "0" => false,
                    _ => return Err(OptionError::Check(entry.name, clip(value))),
                };
            }
            Type::Spin { min, max, set, .. } => {
                let number = value.parse().ok().filter(|number| (min..=max).contains(&number));
                let range = || OptionError::Range { name: entry.name, min: *min, max: *max, value: clip(value) };
                set(self, number.ok_or_else(range)?);
            }
            Type::Combo { names, set, .. } => {
                let choice = names().iter().position(|name| name.eq_ignore_ascii_case(value));
                set(self, choice.ok_or_else(|| OptionError::Choice(entry.name, clip(value)))?);
            }
            Type::Variant => {
                self.variant = value.parse();
                self.variant.clone().map_err(OptionError::Variant)?;
            }
            Type::Button(press) => press(self),
            Type::Filename(place) | Type::Text(place) => {
                *place(self) = if verbatim == EMPTY { String::new() } else { verbatim.to_owned() };
            }
        }
        Ok(())
    }

    /// The value of an option as `setoption` would take it; `None` if there is no such option or it has no value.
    pub fn get(&self, name: &str) -> Option<String> {
        self.value(find(name)?)
    }

    fn value(&self, entry: &Entry) -> Option<String> {
        // The places are reached through `&mut`, one accessor a field being less to get wrong than two.
        let mut copy = self.clone();
        Some(match &entry.kind {
            Type::Check(place) => place(&mut copy).to_string(),
            Type::Spin { get, .. } => get(self).to_string(),
            Type::Combo { get, .. } => get(self).to_owned(),
            Type::Variant => self.variant.as_ref().map_or("unknown", |variant| variant.name()).to_owned(),
            Type::Button(_) => return None,
            Type::Filename(place) | Type::Text(place) => match place(&mut copy).as_str() {
                "" => EMPTY.to_owned(),
                path => path.to_owned(),
            },
        })
    }

    /// Every option that has a value, with it.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        TABLE.iter().filter_map(|entry| Some((entry.name, self.value(entry)?)))
    }
}

/// How the protocol writes an empty string.
const EMPTY: &str = "<empty>";

/// The lines that declare the options, with the values of a new [`Options`] as defaults.
pub struct Declaration;

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let defaults = Options::default();
        for entry in TABLE {
            let kind = match entry.kind {
                Type::Check(_) => "check",
                Type::Spin { .. } => "spin",
                Type::Combo { .. } | Type::Variant => "combo",
                Type::Button(_) => "button",
                Type::Filename(_) => "filename",
                Type::Text(_) => "string",
            };
            write!(f, "option name {} type {kind}", entry.name)?;
            if let Some(value) = defaults.value(entry) {
                write!(f, " default {value}")?;
            }
            let mut names = match &entry.kind {
                Type::Spin { min, max, .. } => {
                    write!(f, " min {min} max {max}")?;
                    Vec::new()
                }
                Type::Combo { names, .. } => names(),
                Type::Variant => Variant::ALL.map(Variant::name).to_vec(),
                _ => Vec::new(),
            };
            // UCI2WB does not tell XBoard the default, and XBoard then sends the first name.
            names.sort_by_key(|&name| defaults.value(entry).as_deref() != Some(name));
            for name in names {
                write!(f, " var {name}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_that_can_be_set() {
        let defaults = Options::default();
        let mut options = Options::default();
        for (name, value) in defaults.all() {
            options.set(name, Some(&value)).unwrap();
            assert_eq!(options.get(name), Some(value), "{name}");
        }
    }

    #[test]
    fn declarations_are_split_on_single_spaces() {
        let text = Declaration.to_string();
        for line in text.lines() {
            assert!(line.is_ascii() && !line.contains("  ") && line.trim() == line, "{line:?}");
            let (_, after) = line.split_once(" type ").unwrap();
            let tokens: Vec<&str> = after.split(' ').collect();
            match tokens.as_slice() {
                ["check", "default", "true" | "false"] | ["button"] | ["filename" | "string", "default", _] => {}
                ["spin", "default", value, "min", min, "max", max] => {
                    let [value, min, max] = [value, min, max].map(|text| text.parse::<i64>().unwrap());
                    assert!((min..=max).contains(&value), "{line}");
                }
                ["combo", "default", value, "var", first, names @ ..] => {
                    assert_eq!(value, first, "{line}");
                    assert!(names.chunks(2).all(|pair| pair[0] == "var" && pair[1] != *value), "{line}");
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(text.contains("option name UCI_Variant type combo default shogi var shogi var happokei"));
        assert!(text.contains("option name DebugLogFile type filename default <empty>\n"));
    }

    #[test]
    fn names_have_many_spellings() {
        let mut options = Options::default();
        for (name, value) in
            [("usi_multipv", "3"), ("HASH", "16"), ("ponder", " TRUE "), ("uci_variant", "Ai-Happo_Kei")]
        {
            options.set(name, Some(value)).unwrap();
        }
        assert_eq!((options.search.multi_pv, options.hash, options.search.ponder), (3, 16, true));
        assert_eq!(options.variant, Ok(Variant::AiHappokei));
        options.set("clear_hash", None).unwrap();
        assert!(options.clear_hash);
        assert_eq!(options.set("USI_Whatever", Some("true")), Ok(()));
        assert_eq!(options.set("Foo", Some("1")), Err(OptionError::Unknown("Foo".into())));
    }

    #[test]
    fn truth_in_words_and_figures() {
        let mut options = Options::default();
        for (value, meaning) in [("1", true), ("0", false), ("True", true), ("FALSE", false)] {
            options.set("USI_Ponder", Some(value)).unwrap();
            assert_eq!(options.search.ponder, meaning, "{value}");
        }
    }

    #[test]
    fn bad_values_change_nothing() {
        let mut options = Options::default();
        for (name, value) in [
            ("Threads", "0"),
            ("Threads", "100000"),
            ("Threads", "99999999999999999999"),
            ("Threads", "two"),
            ("USI_Hash", ""),
            ("USI_Ponder", "yes"),
            ("EnteringKingRule", "CSARule25"),
            ("HasamiGoal", "capture6"),
        ] {
            let before = options.get(name);
            assert!(options.set(name, Some(value)).is_err(), "{name} {value}");
            assert_eq!(options.get(name), before);
        }
        assert!(options.set("MultiPV", None).is_err());
    }

    #[test]
    fn an_unknown_game_stays_unknown() {
        let mut options = Options::default();
        let error = options.set("USI_Variant", Some("chess")).unwrap_err().to_string();
        for variant in Variant::ALL {
            assert!(error.contains(variant.name()), "{error}");
        }
        assert!(options.variant.is_err());
    }

    #[test]
    fn strings_are_verbatim() {
        let mut options = Options::default();
        options.set("DebugLogFile", Some("a  \u{68cb}.log ")).unwrap();
        assert_eq!(options.log_file, "a  \u{68cb}.log ");
        for empty in ["", EMPTY] {
            options.set("DebugLogFile", Some(empty)).unwrap();
            assert_eq!(options.log_file, "");
        }
    }

    #[test]
    fn resigning() {
        let mut options = Options::default();
        assert!(!options.resigns(-32000));
        options.set("ResignValue", Some("1500")).unwrap();
        assert!(options.resigns(-1500) && !options.resigns(-1499));
    }

    #[test]
    fn analysis_reports_no_bounds() {
        let mut options = Options::default();
        options.set("PvInterval", Some("300")).unwrap();
        options.set("ConsiderationMode", Some("true")).unwrap();
        let search = options.search();
        assert_eq!((search.report_bounds, search.pv_interval), (false, 0));
    }
}
