//! What is printed while and after the search thinks.

use std::fmt::Write;

use crate::board::Move;
use crate::game::Position;
use crate::search::{Bound, Info, MATE, MATE_BOUND, Outcome};

use super::options::Options;
use super::output::{Output, Written};
use super::turns;

/// Some clients read lines into 2048 bytes.
pub const LONGEST_LINE: usize = 1900;

/// A score as the protocol writes it, from the view of the side to move.
pub fn score(value: i32) -> String {
    let (size, sign) = (value.saturating_abs(), if value < 0 { "-" } else { "" });
    match size {
        // A mate that is already there has no distance a client could show.
        MATE.. => format!("mate {}", if value < 0 { '-' } else { '+' }),
        MATE_BOUND.. => format!("mate {sign}{}", MATE - size),
        _ => format!("cp {value}"),
    }
}

/// The line for an [`Info`], its moves grouped to turns from the given half on.
pub fn line(info: &Info, halves: u8, step: u8, numbered: bool) -> String {
    let mut text = format!("info depth {} seldepth {}", info.depth, info.seldepth.max(info.depth));
    // Writing to a string does not fail.
    if numbered {
        let _ = write!(text, " multipv {}", info.multipv);
    }
    let bound = match info.bound {
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
        Bound::Exact | Bound::None => "",
    };
    let nps = u128::from(info.nodes) * 1000 / u128::from(info.time.max(1));
    let _ = write!(
        text,
        " score {}{bound} nodes {} nps {nps} hashfull {} time {}",
        score(info.score),
        info.nodes,
        info.hashfull,
        info.time
    );
    if !info.pv.is_empty() {
        text.push_str(" pv");
    }
    for token in turns::tokens(&info.pv, halves, step) {
        if text.len() + 1 + token.len() > LONGEST_LINE {
            break;
        }
        text.push(' ');
        text.push_str(&token);
    }
    text
}

/// Reports one search: its lines, and the one answer at its end.
pub struct Reporter<P> {
    output: Output,
    root: P,
    options: Options,
    /// The last line that was printed.
    last: Option<Written>,
    /// How the best line printed last begins.
    shown: Vec<Move>,
}

impl<P: Position> Reporter<P> {
    /// A reporter of a search from that position.
    pub fn new(output: Output, root: P, options: Options) -> Self {
        Self { output, root, options, last: None, shown: Vec::new() }
    }

    /// Prints a line.
    pub fn info(&mut self, info: &Info) {
        let numbered = self.options.search.multi_pv > 1;
        if info.multipv <= 1 && !info.pv.is_empty() {
            self.shown.clone_from(&info.pv);
        }
        self.last = Some(self.output.line(line(info, P::TURN, self.root.step(), numbered)));
    }

    /// Prints the answer.
    pub fn done(&mut self, outcome: &Outcome, milliseconds: u64) {
        if outcome.best.is_empty() {
            return self.output.finish(self.last.as_ref(), "bestmove resign");
        }
        if !self.shown.starts_with(&outcome.best) {
            // A forced reply, or a change of mind that was too late for a report.
            self.info(&Info {
                depth: outcome.depth,
                seldepth: outcome.depth,
                multipv: 1,
                score: outcome.score,
                bound: Bound::Exact,
                nodes: outcome.nodes,
                time: milliseconds,
                hashfull: 0,
                pv: [outcome.best.as_slice(), &outcome.ponder].concat(),
            });
        }
        if self.options.resigns(outcome.score) {
            return self.output.finish(self.last.as_ref(), "bestmove resign");
        }
        let mut answer = format!("bestmove {}", turns::token(&outcome.best));
        let mut position = self.root.clone();
        let legal = turns::play_turn(&mut position, &outcome.best);
        debug_assert!(legal, "{answer}");
        if legal && turns::play_turn(&mut position, &outcome.ponder) {
            let _ = write!(answer, " ponder {}", turns::token(&outcome.ponder));
        }
        self.output.finish(self.last.as_ref(), &answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(score: i32, pv: Vec<Move>) -> Info {
        Info { depth: 3, seldepth: 5, multipv: 2, score, bound: Bound::Lower, nodes: 1200, time: 400, hashfull: 7, pv }
    }

    #[test]
    fn scores() {
        assert_eq!(score(-35), "cp -35");
        assert_eq!(score(MATE - 3), "mate 3");
        assert_eq!(score(4 - MATE), "mate -4");
        assert_eq!(score(MATE), "mate +");
        assert_eq!(score(-MATE), "mate -");
        assert_eq!(score(MATE_BOUND), "mate 1000");
        assert_eq!(score(1 - MATE_BOUND), format!("cp {}", 1 - MATE_BOUND));
    }

    #[test]
    fn the_order_of_fields() {
        let pv: Vec<Move> = ["7g7f", "2g2f", "3c3d"].iter().filter_map(|text| Move::from_usi(text)).collect();
        assert_eq!(
            line(&sample(12, pv.clone()), 2, 1, true),
            "info depth 3 seldepth 5 multipv 2 score cp 12 lowerbound nodes 1200 nps 3000 hashfull 7 time 400 \
             pv 7g7f,2g2f 3c3d"
        );
        assert!(line(&sample(12, pv), 1, 1, false).ends_with(" time 400 pv 7g7f 2g2f 3c3d"));
        assert!(line(&sample(12, Vec::new()), 1, 1, false).ends_with(" time 400"));
    }

    #[test]
    fn long_lines_are_cut_between_moves() {
        let pv = vec![Move::from_usi("2b8h+").unwrap(); 4000];
        let text = line(&sample(0, pv), 2, 2, true);
        assert!(text.len() <= LONGEST_LINE && text.len() > LONGEST_LINE - 20);
        assert!(text.ends_with(" 2b8h+,2b8h+"));
    }
}
