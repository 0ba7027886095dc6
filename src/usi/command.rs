//! Reading what the client says.
//!
//! Any white space separates, tokens without meaning are skipped, and nothing a client may send is an error here
//! except a position that cannot be read.

use crate::board::Color;
use crate::diagram::clip;
use crate::search::{Clocks, Limits};

use super::position::{PositionError, PositionSpec};

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// `usi`
    Usi,
    /// `isready`
    IsReady,
    /// `usinewgame`, `ucinewgame`
    NewGame,
    /// `setoption name N [value V]`
    SetOption {
        /// The name, its words joined by single spaces.
        name: String,
        /// The value as it was sent.
        value: Option<String>,
    },
    /// `getoption [N]`
    GetOption(String),
    /// `position …`
    Position(Result<PositionSpec, PositionError>),
    /// `go …`
    Go(Go),
    /// `stop`, `gameover …`
    Stop,
    /// `ponderhit …`
    PonderHit(Option<Clocks>),
    /// `quit`
    Quit,
    /// `d`
    Display,
    /// `state`
    State,
    /// `eval`
    Eval,
    /// `moves`
    Moves,
    /// `help`
    Help,
    /// Nothing but white space.
    Empty,
    /// None of these; holds the first word.
    Unknown(String),
}

/// What `go` asks for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Go {
    /// The clocks, if there are any.
    pub clocks: Option<Clocks>,
    /// Milliseconds to take.
    pub movetime: Option<u64>,
    /// Depth in half-moves.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Until `stop`.
    pub infinite: bool,
    /// Until `stop` or `ponderhit`.
    pub ponder: bool,
    /// A mate is asked for, not a move.
    pub mate: bool,
    /// Leaves of the move tree to that depth are to be counted.
    pub perft: Option<u32>,
    /// Turns to choose from.
    pub search_moves: Vec<String>,
}

/// Every word that may follow `go`: what `searchmoves` lists ends at one of these.
const GO_WORDS: [&str; 15] = [
    "btime",
    "wtime",
    "byoyomi",
    "binc",
    "winc",
    "rtime",
    "movetime",
    "depth",
    "nodes",
    "infinite",
    "ponder",
    "mate",
    "searchmoves",
    "perft",
    "movestogo",
];

impl Go {
    /// Reads what follows `go`.
    pub fn parse(tokens: &[&str]) -> Self {
        let mut go = Self::default();
        let mut clocks = Clocks::default();
        let mut timed = false;
        let mut rest = tokens;
        while let [word, tail @ ..] = rest {
            rest = tail;
            let number = rest.first().and_then(|token| number(token));
            if number.is_some() && GO_WORDS.contains(word) && !matches!(*word, "infinite" | "ponder" | "searchmoves") {
                rest = rest.get(1..).unwrap_or_default();
            }
            match (*word, number) {
                ("btime", Some(n)) => clocks.time[Color::Black] = Some(n),
                ("wtime", Some(n)) => clocks.time[Color::White] = Some(n),
                ("binc", Some(n)) => clocks.increment[Color::Black] = n,
                ("winc", Some(n)) => clocks.increment[Color::White] = n,
                ("byoyomi", Some(n)) => clocks.byoyomi = n,
                ("movetime" | "rtime", Some(n)) => go.movetime = Some(n.min(go.movetime.unwrap_or(n))),
                ("depth", Some(n)) => go.depth = Some(small(n).max(1)),
                ("nodes", Some(n)) => go.nodes = Some(n.max(1)),
                ("perft", n) => go.perft = Some(n.map_or(1, small)),
                ("mate", n) => {
                    go.mate = true;
                    go.movetime = n.or(go.movetime);
                }
                ("infinite", _) => go.infinite = true,
                ("ponder", _) => go.ponder = true,
                ("searchmoves", _) => {
                    let count = rest.iter().take_while(|token| !GO_WORDS.contains(token)).count();
                    let (moves, tail) = rest.split_at_checked(count).unwrap_or((rest, &[]));
                    go.search_moves.extend(moves.iter().map(|&token| token.to_owned()));
                    rest = tail;
                }
                _ => {}
            }
            timed |= number.is_some() && matches!(*word, "btime" | "wtime" | "binc" | "winc" | "byoyomi");
        }
        if timed {
            // Byoyomi or an increment without a main time: that time is used up.
            for color in Color::ALL {
                if clocks.byoyomi > 0 || clocks.increment[color] > 0 {
                    clocks.time[color].get_or_insert(0);
                }
            }
            go.clocks = Some(clocks);
        }
        go
    }

    /// Whether the answer must wait for `stop` or `ponderhit`.
    pub fn waits(&self) -> bool {
        self.infinite || self.ponder
    }

    /// The limits of the search, without the moves to choose from.
    pub fn limits(&self) -> Limits {
        Limits {
            clocks: self.clocks,
            movetime: self.movetime,
            depth: self.depth,
            nodes: self.nodes,
            infinite: self.infinite,
            ponder: self.ponder,
            ..Limits::default()
        }
    }
}

/// Milliseconds are added and multiplied by percentages later on: this leaves room, and is forever all the same.
const LARGEST: u64 = 1 << 50;

/// A whole number of any size: beyond the largest is the largest, below zero (a clock that was overrun) is zero.
fn number(token: &str) -> Option<u64> {
    let (negative, digits) = match token.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, token.strip_prefix('+').unwrap_or(token)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(if negative { 0 } else { digits.parse().unwrap_or(u64::MAX).min(LARGEST) })
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The first token and what follows the one white-space character behind it.
fn split_token(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (token, rest) = text.split_at_checked(end)?;
    let mut rest = rest.chars();
    rest.next();
    (!token.is_empty()).then_some((token, rest.as_str()))
}

impl Command {
    /// Reads a line.
    pub fn parse(line: &str) -> Self {
        // Some shells on Windows begin a pipe with a byte order mark.
        let line = line.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
        let Some((first, rest)) = split_token(line) else { return Self::Empty };
        let arguments = || rest.split_whitespace().collect::<Vec<_>>();
        match first {
            "d" => Self::Display,
            "state" => Self::State,
            "eval" => Self::Eval,
            "moves" => Self::Moves,
            "help" => Self::Help,
            "getoption" => match arguments().as_slice() {
                ["name", name @ ..] | name => Self::GetOption(name.join(" ")),
            },
            _ => Self::from_client(first, rest)
                .or_else(|| {
                    // The protocol has words before the command skipped.
                    let mut rest = rest;
                    loop {
                        let (word, tail) = split_token(rest)?;
                        if let Some(command) = Self::from_client(word, tail) {
                            return Some(command);
                        }
                        rest = tail;
                    }
                })
                .unwrap_or_else(|| Self::Unknown(clip(first))),
        }
    }

    /// The commands of the protocol proper.
    fn from_client(word: &str, rest: &str) -> Option<Self> {
        let arguments = || rest.split_whitespace().collect::<Vec<_>>();
        Some(match word {
            "usi" => Self::Usi,
            "isready" => Self::IsReady,
            "usinewgame" | "ucinewgame" => Self::NewGame,
            "setoption" => Self::set_option(rest),
            "position" => Self::Position(PositionSpec::parse(rest)),
            "go" => Self::Go(Go::parse(&arguments())),
            "stop" | "gameover" => Self::Stop,
            "ponderhit" => Self::PonderHit(Go::parse(&arguments()).clocks),
            "quit" => Self::Quit,
            _ => return None,
        })
    }

    /// Names are words, values are whatever follows.
    fn set_option(text: &str) -> Self {
        let mut name: Vec<&str> = Vec::new();
        let mut value = None;
        let mut rest = text;
        while let Some((token, tail)) = split_token(rest) {
            match token {
                "name" if name.is_empty() => {}
                "value" => {
                    value = Some(tail.to_owned());
                    break;
                }
                word => name.push(word),
            }
            rest = tail;
        }
        Self::SetOption { name: name.join(" "), value }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::board::ByColor;

    use super::*;

    fn clocks(black: u64, white: u64, byoyomi: u64) -> Clocks {
        Clocks { time: ByColor([Some(black), Some(white)]), byoyomi, ..Clocks::default() }
    }

    fn go(text: &str) -> Go {
        match Command::parse(text) {
            Command::Go(go) => go,
            other => panic!("{other:?}"),
        }
    }

    fn option(text: &str) -> (String, Option<String>) {
        match Command::parse(text) {
            Command::SetOption { name, value } => (name, value),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn white_space_of_any_kind() {
        assert_eq!(Command::parse("\t usi \r"), Command::Usi);
        assert_eq!(Command::parse(" \r"), Command::Empty);
        assert_eq!(Command::parse("\u{feff}isready\r\n"), Command::IsReady);
        assert_eq!(go("go\tdepth\u{b}3\r").depth, Some(3));
    }

    #[test]
    fn unknown_words_are_skipped() {
        assert_eq!(Command::parse("joho isready"), Command::IsReady);
        assert_eq!(Command::parse("joho d"), Command::Unknown("joho".into()));
        assert_eq!(Command::parse("gameover win"), Command::Stop);
        assert_eq!(go("go foo depth 3 bar nodes 7 baz").nodes, Some(7));
    }

    #[test]
    fn limits_in_any_mix() {
        let all = go("go nodes 500 movetime 1000 depth 4 btime 60000 wtime 50000 byoyomi 1000");
        assert_eq!((all.nodes, all.movetime, all.depth), (Some(500), Some(1000), Some(4)));
        assert_eq!(all.clocks, Some(clocks(60000, 50000, 1000)));
        assert!(!all.waits());
        let fischer = go("go btime 1 wtime 2 binc 3 winc 4").clocks.unwrap();
        assert_eq!(fischer.increment, ByColor([3, 4]));
        assert_eq!(go("go byoyomi 500").clocks, Some(clocks(0, 0, 500)));
        assert_eq!(go("go btime -20 wtime 99999999999999999999999").clocks.unwrap().time.0[0], Some(0));
        assert_eq!(go("go binc 99999999999999999999999").clocks.unwrap().increment.0[0], LARGEST);
        assert_eq!(go("go").clocks, None);
        assert!(go("go ponder").waits() && go("go infinite").waits());
        assert_eq!(go("go depth infinite").depth, None);
        assert!(go("go depth infinite").infinite);
        assert_eq!(go("go depth 0 nodes 0").limits().depth, Some(1));
        let ponder = go("go ponder searchmoves 7g7f 2g2f btime 5 wtime 6");
        assert_eq!(ponder.search_moves, ["7g7f", "2g2f"]);
        assert!(ponder.ponder && ponder.clocks.is_some());
    }

    #[test]
    fn mate_and_perft() {
        assert!(go("go mate").mate);
        assert_eq!(go("go mate 5000").movetime, Some(5000));
        assert!(go("go mate infinite").infinite);
        assert_eq!(go("go mate nodes 100").nodes, Some(100));
        assert_eq!(go("go perft 5").perft, Some(5));
        assert_eq!(go("go perft").perft, Some(1));
    }

    #[test]
    fn ponderhit_may_bring_clocks() {
        assert_eq!(Command::parse("ponderhit"), Command::PonderHit(None));
        assert_eq!(Command::parse("ponderhit btime 5 wtime 6 byoyomi 7"), Command::PonderHit(Some(clocks(5, 6, 7))));
    }

    #[test]
    fn option_values_are_verbatim() {
        assert_eq!(option("setoption name Clear Hash"), ("Clear Hash".into(), None));
        assert_eq!(
            option("setoption name DebugLogFile value /tmp/\u{68cb}  log \r"),
            ("DebugLogFile".into(), Some("/tmp/\u{68cb}  log ".into()))
        );
        assert_eq!(option("setoption name X value "), ("X".into(), Some(String::new())));
        assert_eq!(option("setoption name X value"), ("X".into(), Some(String::new())));
        assert_eq!(option("setoption  name  Skill   Level\tvalue 3").0, "Skill Level");
        assert_eq!(option("setoption"), (String::new(), None));
    }

    #[test]
    fn the_name_of_an_asked_option() {
        assert_eq!(Command::parse("getoption Clear  Hash"), Command::GetOption("Clear Hash".into()));
        assert_eq!(Command::parse("getoption name Threads"), Command::GetOption("Threads".into()));
        assert_eq!(Command::parse("getoption"), Command::GetOption(String::new()));
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            Command::parse(&String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn any_words_can_be_read(words in proptest::collection::vec(
            prop_oneof![
                Just("position"), Just("sfen"), Just("startpos"), Just("moves"), Just("go"), Just("mate"),
                Just("perft"), Just("searchmoves"), Just("infinite"), Just("-1"), Just("setoption"), Just("name"),
                Just("value"), Just("7g7f"), Just("7g7f,"), Just("="), Just("limit="), Just("step=3"),
                Just("\u{68cb}"), Just("18446744073709551616"), Just("9/9/9/9/9/9/9/9/9"), Just("b"), Just("99999P"),
            ], 0..12)) {
            Command::parse(&words.join(" "));
        }
    }
}
