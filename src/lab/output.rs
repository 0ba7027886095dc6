//! Listening to an engine: a thread that reads until the engine is gone and tells only what matters.

use std::io::{BufRead, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::Instant;

/// Bytes between two questions after which an engine is taken to be out of its mind: far more than any analysis.
const FLOOD: u64 = 16 << 20;

/// What the engine last said of its thinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Thought {
    /// Depth reached.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Score in centipawns for the engine's side, if it told one; mates lie beyond 31000.
    pub score: Option<i32>,
}

/// What an engine said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// `option name N …`: the name.
    Declared(String),
    /// `usiok`
    UsiOk,
    /// `readyok`
    ReadyOk,
    /// `bestmove M`, what was thought before it, and when it came.
    Best(String, Thought, Instant),
    /// `info string error …`
    Complaint(String),
    /// Too much to be listened to any longer.
    Flood,
    /// Its output has ended.
    End,
}

/// Listens until the end. `heard` counts the bytes since the last question and is reset by whoever asks.
pub fn listen(output: impl Read, heard: &AtomicU64, events: &Sender<Event>) {
    let mut input = BufReader::with_capacity(1 << 14, output);
    let mut line = Vec::new();
    let mut thought = Vec::new();
    loop {
        let (length, complete) = match input.fill_buf() {
            Ok([]) | Err(_) => break,
            Ok(chunk) => {
                let end = chunk.iter().position(|&byte| byte == b'\n');
                let length = end.map_or(chunk.len(), |end| end + 1);
                line.extend_from_slice(&chunk[..length]);
                (length, end.is_some())
            }
        };
        input.consume(length);
        if heard.fetch_add(length as u64, Ordering::Relaxed) + length as u64 > FLOOD {
            // Nobody listens any more: the engine blocks until it is killed.
            let _ = events.send(Event::Flood);
            return;
        }
        if !complete {
            continue;
        }
        if line.starts_with(b"info ") && !complains(&line) {
            // Only the last one counts, and only when the answer comes: this is all that most lines cost.
            if tells_of_best_line(&line) {
                std::mem::swap(&mut thought, &mut line);
            }
        } else if let Some(event) = event(&line, &thought)
            && events.send(event).is_err()
        {
            return;
        }
        line.clear();
    }
    // Fails only if nobody is interested any more.
    let _ = events.send(Event::End);
}

fn contains(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|window| window == word)
}

fn tells_of_best_line(line: &[u8]) -> bool {
    contains(line, b" score ")
        && !line.starts_with(b"info string")
        && (!contains(line, b" multipv ") || contains(line, b" multipv 1 "))
}

/// Whether the engine tells of something that it does not do.
fn complains(line: &[u8]) -> bool {
    let text = line.strip_prefix(b"info string ");
    text.and_then(|text| text.get(..5)).is_some_and(|word| word.eq_ignore_ascii_case(b"error"))
}

fn event(line: &[u8], thought: &[u8]) -> Option<Event> {
    let line = String::from_utf8_lossy(line);
    let mut tokens = line.split_whitespace();
    Some(match tokens.next()? {
        "usiok" => Event::UsiOk,
        "readyok" => Event::ReadyOk,
        "bestmove" => {
            let at = Instant::now();
            Event::Best(tokens.next().unwrap_or_default().to_owned(), read_thought(thought), at)
        }
        "info" => Event::Complaint(line.trim().strip_prefix("info string ")?.chars().take(200).collect()),
        "option" => {
            let name = line.trim().strip_prefix("option name ")?;
            Event::Declared(name.split(" type ").next()?.trim().to_owned())
        }
        _ => return None,
    })
}

fn read_thought(line: &[u8]) -> Thought {
    let line = String::from_utf8_lossy(line);
    let mut tokens = line.split_whitespace();
    let mut thought = Thought::default();
    while let Some(token) = tokens.next() {
        match token {
            "depth" => thought.depth = tokens.next().and_then(|n| n.parse().ok()).unwrap_or(0),
            "nodes" => thought.nodes = tokens.next().and_then(|n| n.parse().ok()).unwrap_or(0),
            "score" => thought.score = read_score(tokens.next(), tokens.next()),
            "pv" | "string" => break,
            _ => {}
        }
    }
    thought
}

/// Score of a mate that is there.
const MATE: i32 = 32000;

fn read_score(kind: Option<&str>, value: Option<&str>) -> Option<i32> {
    match (kind?, value?) {
        ("cp", value) => value.parse::<i32>().ok().map(|score| score.clamp(-30000, 30000)),
        ("mate", "+") => Some(MATE),
        ("mate", "-") => Some(-MATE),
        ("mate", value) => {
            let distance: i32 = value.parse().ok()?;
            let size = MATE - distance.saturating_abs().min(999);
            Some(if value.starts_with('-') { -size } else { size })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn heard(text: &[u8]) -> Vec<Event> {
        let (sender, receiver) = mpsc::channel();
        listen(text, &AtomicU64::new(0), &sender);
        drop(sender);
        receiver.iter().collect()
    }

    #[test]
    fn what_matters_is_told_and_nothing_else() {
        let events = heard(
            b"Engine 1.0\r\nid name Some Engine\nid author A\n\noption name Skill Level type spin default 1\n\
              usiok\nreadyok\ninfo string score\ninfo string Error: none\nnonsense\nid",
        );
        let expected = [
            Event::Declared("Skill Level".to_owned()),
            Event::UsiOk,
            Event::ReadyOk,
            Event::Complaint("Error: none".to_owned()),
            Event::End,
        ];
        assert_eq!(events, expected);
    }

    #[test]
    fn the_last_thought_about_the_best_line_counts() {
        let events = heard(
            b"info depth 3 score cp 11 nodes 5 pv 7g7f\ninfo depth 7 seldepth 9 multipv 1 score cp -35 nodes 1200 pv a\n\
              info depth 7 multipv 2 score cp -99 nodes 1300\ninfo string score depth 99\nbestmove 7g7f ponder 3c3d\r\n",
        );
        let Event::Best(best, thought, _) = &events[0] else { panic!("{events:?}") };
        assert_eq!((best.as_str(), *thought), ("7g7f", Thought { depth: 7, nodes: 1200, score: Some(-35) }));
    }

    #[test]
    fn scores_of_all_kinds() {
        for (kind, value, score) in [
            ("cp", "12", Some(12)),
            ("cp", "-99999", Some(-30000)),
            ("mate", "3", Some(31997)),
            ("mate", "-4", Some(-31996)),
            ("mate", "-", Some(-32000)),
            ("mate", "+", Some(32000)),
            ("mate", "x", None),
            ("wdl", "1", None),
        ] {
            assert_eq!(read_score(Some(kind), Some(value)), score, "{kind} {value}");
        }
    }

    #[test]
    fn an_endless_line_is_a_flood() {
        assert_eq!(heard(&vec![b'x'; FLOOD as usize + 1]), [Event::Flood]);
    }
}
