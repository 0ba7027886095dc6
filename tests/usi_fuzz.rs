//! What clients must never send, and in any order: the built engine survives it and keeps its promises.

mod common;
mod pipes;

use serde_json::Value;

use common::Random;
use pipes::Engine;

/// Lines fed by both tests of random input together.
const LINES: usize = 100_000;
const LINES_A_SESSION: usize = 1000;

/// One of the words, at random.
fn pick<'a>(random: &mut Random, words: &[&'a str]) -> &'a str {
    words[random.below(words.len())]
}

/// What a line means to the count of answers, worked out apart from the engine's own reading of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    /// An answer is due, at once or after a thought.
    Go,
    /// An answer is due, but not before another line releases it.
    WaitingGo {
        infinite: bool,
    },
    /// The answer that is due may come.
    Release,
    /// The same, if the search ponders.
    PonderHit,
    Ready,
    Quit,
    /// Anything else.
    None,
}

fn meaning(line: &[u8]) -> Meaning {
    let text = String::from_utf8_lossy(line);
    let mut tokens = text.trim_start_matches('\u{feff}').split_whitespace();
    let Some(first) = tokens.next() else { return Meaning::None };
    if matches!(first, "d" | "state" | "eval" | "moves" | "help" | "getoption") {
        return Meaning::None;
    }
    let mut word = Some(first);
    while let Some(token) = word {
        match token {
            "quit" => return Meaning::Quit,
            "isready" => return Meaning::Ready,
            // A position or a new game may be of another kind, whose engine takes over.
            "stop" | "gameover" | "usinewgame" | "ucinewgame" | "position" => return Meaning::Release,
            "ponderhit" => return Meaning::PonderHit,
            "usi" | "setoption" => return Meaning::None,
            "go" => {
                let rest: Vec<&str> = tokens.collect();
                return if rest.contains(&"perft") {
                    // Begins after whatever went on is ended.
                    Meaning::Release
                } else if rest.contains(&"mate") || !rest.iter().any(|&word| word == "infinite" || word == "ponder") {
                    Meaning::Go
                } else {
                    Meaning::WaitingGo { infinite: rest.contains(&"infinite") }
                };
            }
            _ => word = tokens.next(),
        }
    }
    Meaning::None
}

/// Feeds the lines to an engine of its own, ends it, and checks what it said.
fn session(lines: &[Vec<u8>], end: &[u8]) -> Vec<String> {
    let mut engine = Engine::start();
    let mut input = lines.join(&b'\n');
    input.push(b'\n');
    input.extend_from_slice(end);
    engine.send_bytes(&input);
    let said = engine.ends();

    // How many answers have to come, and how many may have come at each `isready`, whose own answers mark the places.
    let mut due = 0;
    let mut waiting = None;
    let mut most = Vec::new();
    for line in lines.iter().map(Vec::as_slice).chain(std::iter::once(end)) {
        match meaning(line) {
            Meaning::Go => (due, waiting) = (due + 1, None),
            Meaning::WaitingGo { infinite } => (due, waiting) = (due + 1, Some(infinite)),
            Meaning::Release => waiting = None,
            Meaning::PonderHit if waiting == Some(false) => waiting = None,
            Meaning::Ready => most.push(due - usize::from(waiting.is_some())),
            Meaning::Quit => break,
            Meaning::PonderHit | Meaning::None => {}
        }
    }
    let mut answers = 0;
    let mut ready = 0;
    let mut state: Option<Value> = None;
    let mut refused = false;
    for line in &said {
        assert!(line.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()), "{line:?}");
        assert!(!line.starts_with("error") && (!line.starts_with("info") || line.len() < 2048), "{line}");
        match line.split(' ').next() {
            Some("bestmove" | "checkmate") => answers += 1,
            Some("readyok") => {
                assert!(answers <= most[ready], "an answer before its time");
                ready += 1;
            }
            Some(word) if word.starts_with('{') => {
                let now: Value = serde_json::from_str(line).unwrap();
                if std::mem::take(&mut refused) && state.is_some() {
                    // Between two looks at it there was a position that was told to be bad.
                    assert_eq!(state.as_ref(), Some(&now));
                }
                state = Some(now);
            }
            _ if line == POSITION_REFUSED => refused = true,
            _ => {}
        }
    }
    assert_eq!((answers, ready), (due, most.len()), "{}", String::from_utf8_lossy(&input));
    said
}

/// Printed by the sequence `state`, bad position, `getoption`, `state` of [`command`].
const POSITION_REFUSED: &str = "info string error: no value for option \"bad position\"";

const LAST_GOOD: &str = "position startpos variant=hasami goal=lead3 limit=77 moves 9i9e 1a1e";

#[test]
fn random_bytes_change_nothing() {
    let mut random = Random::new(1);
    for round in 0..LINES / 2 / LINES_A_SESSION {
        let kept = ["Threads", "MultiPV", "USI_Hash", "HasamiGoal", "MaxMovesToDraw", "USI_Variant", "ResignValue"];
        let look = kept.map(|name| format!("getoption {name}").into_bytes());
        let set =
            ["setoption name Threads value 2", "setoption name USI_Hash value 1", "setoption name MultiPV value 3"];
        let mut lines: Vec<Vec<u8>> = set.iter().map(|line| line.as_bytes().to_vec()).collect();
        lines.extend([LAST_GOOD, "go nodes 50", "state"].map(|line| line.as_bytes().to_vec()));
        lines.extend(look.clone());
        lines.push(b"help".to_vec());
        for _ in 0..LINES_A_SESSION {
            let longest = if random.below(20) == 0 { 2000 } else { 60 };
            let length = random.below(longest);
            // All bytes, printable ones, or what positions are made of.
            let kind = random.below(3);
            let line: Vec<u8> = (0..length)
                .map(|_| match kind {
                    0 => random.below(256) as u8,
                    1 => b' ' + random.below(95) as u8,
                    _ => b"+*/-123456789abcdefghiPLNSGBRKplnsgbrk ="[random.below(40)],
                })
                .map(|byte| if byte == b'\n' { b'\r' } else { byte })
                .collect();
            let first = String::from_utf8_lossy(&line).split_whitespace().next().map(str::to_owned);
            // A lone letter would be a command.
            if meaning(&line) == Meaning::None && first.as_deref() != Some("d") {
                lines.push(line);
            }
        }
        lines.push(b"help".to_vec());
        lines.extend(look);
        lines.push(b"state".to_vec());
        lines.push(b"go nodes 50".to_vec());
        let said = session(&lines, [&b"quit\n"[..], b"quit", b""][round % 3]);
        let plain: Vec<&String> = said.iter().filter(|line| !line.starts_with("info")).collect();
        let states: Vec<&&String> = plain.iter().filter(|line| line.starts_with('{')).collect();
        assert!(states.len() == 2 && states[0] == states[1] && states[0].contains("\"limit\":77"), "{states:?}");
        let values = ["2", "3", "1", "capture5", "0", "shogi", "99999"];
        for (at, value) in values.iter().enumerate() {
            let found = plain.iter().filter(|line| line.as_str() == *value).count();
            assert!(found >= 2, "{} is not {value} any more: {plain:?}", kept[at]);
        }
        assert_eq!(plain.iter().filter(|line| line.starts_with("bestmove ")).count(), 2);
        assert!(!plain.contains(&&"bestmove resign".to_owned()));
    }
}

const SFENS: [&str; 12] = [
    "startpos",
    "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1",
    "sfen 4k4/9/9/9/9/9/9/9/9 w 2R2B 3",
    "sfen 9/9/9/9/9/9/9/9/9 b - 1",
    "sfen 3+Pk3+R/9/9/9/9/9/9/9/4K4 b - 1 variant=flanking",
    "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/1NSGKGSN1 b - 1 variant=happokei",
    "sfen 9/9/9/9/9/9/Pp6P/PP7/9 b 8P5p variant=hasami goal=captureall",
    "sfen 9/9/9/9/9/9/9/p8/P8 b 8P8p 999999 variant=hasami goal=lead3",
    "sfen SGSGKGSGS/1R5B1/9/9/9/9/9/9/4k4 b RB5P 1",
    "sfen garbage",
];

const WORDS: [&str; 56] = [
    "go",
    "stop",
    "ponderhit",
    "usi",
    "isready",
    "usinewgame",
    "position",
    "startpos",
    "sfen",
    "moves",
    "setoption",
    "name",
    "value",
    "getoption",
    "gameover",
    "infinite",
    "ponder",
    "mate",
    "searchmoves",
    "nodes",
    "depth",
    "byoyomi",
    "btime",
    "wtime",
    "binc",
    "movetime",
    "d",
    "state",
    "moves",
    "eval",
    "help",
    "0",
    "1",
    "-1",
    "3",
    "b",
    "w",
    "-",
    "99999999999999999999999",
    "7g7f",
    "7g7f,8h2b",
    "P*5e",
    "8h2b+",
    "resign",
    "win",
    "9i9e",
    "1a1a",
    "variant=flanking",
    "variant=",
    "goal=lead3",
    "limit=1",
    "step=2",
    "=",
    "4k4/9/9/9/9/9/9/9/4K4",
    "18P",
    "\u{68cb}",
];

/// A command that could be a client's, some of them nonsense already.
fn command(random: &mut Random) -> String {
    let variants = ["shogi", "happokei", "aihappokei", "flanking", "hasami", "nosuch", ""];
    let names = ["Threads", "USI_Hash", "MultiPV", "USI_Variant", "HasamiGoal", "MaxMovesToDraw", "DrawValueBlack"];
    match random.below(24) {
        0..4 => {
            let mut text = "go".to_owned();
            for _ in 0..random.below(4) {
                let limits = [
                    "nodes 1",
                    "nodes 200",
                    "depth 1",
                    "depth 2",
                    "movetime 0",
                    "movetime 1",
                    "btime 1 wtime 1",
                    "byoyomi 1",
                    "byoyomi 0",
                    "binc 1 winc 1",
                    "infinite",
                    "ponder",
                    "mate",
                    "mate infinite",
                    "mate 1",
                    "depth 0",
                    "rtime 1",
                    "searchmoves 7g7f 2g2f",
                    "searchmoves 7g7f,2g2f 7g7f",
                    "searchmoves 1a1a",
                    "searchmoves",
                    "perft 1",
                    "nodes 99999999999999999999",
                    "depth 4294967295",
                    "btime -5 wtime",
                    "ponder infinite",
                    "perft",
                ];
                text = format!("{text} {}", pick(random, &limits));
            }
            text
        }
        4..8 => {
            let start = pick(random, &SFENS);
            let key = ["", "", "", " variant=flanking", " variant=hasami", " variant=shogi", " limit=3", " step=2"];
            let mut text = format!("position {start}{}", pick(random, &key));
            if random.below(2) == 0 {
                text.push_str(" moves");
                for _ in 0..random.below(4) {
                    let moves =
                        ["7g7f", "3c3d", "8h2b+", "7g7f,2g2f", "3c3d,8c8d", "9i9e", "1a1e", "5a4b", "resign", "win"];
                    text = format!("{text} {}", pick(random, &moves));
                }
            }
            text
        }
        8..11 => {
            let value =
                ["1", "2", "8", "0", "-1", "16", "true", "", "shogi", "lead3", "flanking", "HASAMI", "nosuch", "500"];
            let (name, value) = (pick(random, &names), pick(random, &value));
            format!("setoption name {name} value {value}")
        }
        11 => format!("setoption name USI_Variant value {}", pick(random, &variants)),
        12 => "stop".to_owned(),
        13 => pick(random, &["ponderhit", "ponderhit btime 1 wtime 1", "ponderhit byoyomi 1"]).to_owned(),
        14 | 15 => "isready".to_owned(),
        16 => pick(random, &["usinewgame", "ucinewgame", "gameover win", "gameover"]).to_owned(),
        17 => pick(random, &["d", "moves", "eval"]).to_owned(),
        18 => "state".to_owned(),
        19 => pick(random, &["usi", "help", "getoption", "getoption Threads"]).to_owned(),
        20 => "setoption name Clear Hash".to_owned(),
        // A bad position between two looks at the good one. A new game begins by the options as they are.
        21 => format!(
            "usinewgame\nstate\nposition {}\ngetoption bad position\nstate",
            pick(
                random,
                &[
                    "sfen garbage",
                    "startpos moves 7g7e",
                    "",
                    "startpos variant=nosuch",
                    "startpos moves 7g7f resign 3c3d"
                ]
            )
        ),
        // A long thought during which much is asked and nothing may end it.
        22 => {
            let variant = pick(random, &variants[..5]);
            let go =
                pick(random, &["infinite", "ponder", "ponder btime 1 wtime 1", "infinite depth 1", "ponder nodes 1"]);
            let mut text = format!("setoption name USI_Variant value {variant}\nposition startpos\ngo {go}");
            for _ in 0..2 + random.below(8) {
                let value = pick(random, &["1", "2", "3", "lead3", "flanking", "hasami", "shogi"]);
                let set = format!("setoption name {} value {value}", pick(random, &names));
                let asked = [&set, &set, "isready", "d", "state", "moves", "eval", "getoption", "usi", "nonsense"];
                text = format!("{text}\n{}", pick(random, &asked));
            }
            format!("{text}\nisready\nstop")
        }
        _ => pick(random, &WORDS).to_owned(),
    }
}

/// The line with something wrong with it.
fn mutated(random: &mut Random, line: String) -> Vec<u8> {
    let mut tokens: Vec<String> = line.split(' ').map(str::to_owned).collect();
    for _ in 0..1 + random.below(3) {
        let (at, other) = (random.below(tokens.len()), random.below(tokens.len()));
        match random.below(6) {
            0 => tokens.swap(at, other),
            1 if tokens.len() > 1 => drop(tokens.remove(at)),
            2 => tokens.insert(at, pick(random, &WORDS).to_owned()),
            3 => tokens[at] = pick(random, &WORDS).to_owned(),
            4 => tokens.insert(at, tokens[other].clone()),
            _ => {
                let mut bytes = tokens[at].clone().into_bytes();
                if !bytes.is_empty() {
                    let place = random.below(bytes.len());
                    bytes[place] = b' ' + random.below(95) as u8;
                }
                tokens[at] = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
    }
    let mut bytes = tokens.join(pick(random, &[" ", " ", "\t", "  "])).into_bytes();
    if random.below(4) == 0 {
        bytes.push(b'\r');
    }
    bytes
}

/// Whether the machine rather than the engine would be tested: much memory, many threads, files, long counts.
fn too_dear(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_ascii_lowercase();
    let large = |most: usize| {
        text.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.parse().is_ok_and(|n: usize| n > most))
    };
    let option = text.contains("setoption");
    option && (text.contains("hash") || text.contains("thread")) && large(8)
        || option && text.contains("log")
        || text.contains("perft") && large(2)
}

#[test]
fn real_commands_in_any_order_and_shape() {
    let mut random = Random::new(2);
    for round in 0..LINES / 2 / LINES_A_SESSION {
        let mut lines: Vec<Vec<u8>> = vec![b"setoption name USI_Hash value 1".to_vec()];
        while lines.len() < LINES_A_SESSION {
            let line = command(&mut random);
            let whole = line.contains('\n') || random.below(2) == 0;
            let line = if whole { line.into_bytes() } else { mutated(&mut random, line) };
            if !too_dear(&line) && meaning(&line) != Meaning::Quit {
                lines.extend(line.split(|&byte| byte == b'\n').map(<[u8]>::to_vec));
            }
        }
        // The engine is as good as new.
        for line in ["stop", "setoption name USI_Variant value shogi", "setoption name MultiPV value 1"] {
            lines.push(line.as_bytes().to_vec());
        }
        lines.push(b"setoption name MaxMovesToDraw value 0".to_vec());
        lines.push(b"position startpos moves 7g7f".to_vec());
        lines.push(b"state".to_vec());
        lines.push(b"go nodes 50 searchmoves 3c3d".to_vec());
        let said = session(&lines, [&b"quit\r\n"[..], b"quit", b""][round % 3]);
        let state: Value = serde_json::from_str(said.iter().rfind(|line| line.starts_with('{')).unwrap()).unwrap();
        assert_eq!((&state["variant"], &state["movesPlayed"]), (&"shogi".into(), &1.into()));
        assert!(said.last().unwrap().starts_with("bestmove 3c3d"), "{:?}", said.last());
    }
}

#[test]
fn nothing_good_is_left_and_nothing_is_lost() {
    let mut engine = Engine::start();
    engine.send_bytes(
        b"position sfen garbage\nposition startpos moves 7g7e\nsetoption name USI_Variant value nosuch\ngo depth 3\nfoo\n\n\
          quit\n",
    );
    let said = engine.ends();
    assert_eq!(said.iter().filter(|line| line.starts_with("bestmove")).collect::<Vec<_>>(), ["bestmove resign"]);
    for part in
        ["SFEN", "\"7g7e\"", "unknown variant \"nosuch\"", "no position to play from", "unknown command \"foo\""]
    {
        let told = |line: &String| line.starts_with("info string ") && line.contains(part);
        assert!(said.iter().any(told), "{part}: {said:#?}");
    }

    let mut engine = Engine::start();
    engine.send_bytes(
        b"position startpos moves 7g7f\nposition sfen garbage\nposition startpos moves 7g7e\n\
          setoption name USI_Variant value nosuch\ngo depth 3\nfoo\n\nd\nquit\n",
    );
    let said = engine.ends();
    assert_eq!(said.iter().filter(|line| line.starts_with("bestmove")).collect::<Vec<_>>(), ["bestmove resign"]);
    let sfen = "Sfen: lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    assert!(said.contains(&sfen.to_owned()), "{said:#?}");
}
