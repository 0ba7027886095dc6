//! The sum of a match, and how it is told.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::board::Color;

use super::arbiter::Cost;
use super::record::Pair;
use super::sprt::{Pentanomial, Sprt};

/// Everything counted so far. Wins and losses are those of the first engine.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Pairs by their points.
    pub pairs: Pentanomial,
    /// Games lost, drawn and won.
    pub games: [u32; 3],
    /// Games won by Black, and by White.
    pub colors: [u32; 2],
    /// Reasons of endings, each with games lost, drawn and won.
    pub endings: BTreeMap<String, [u32; 3]>,
    /// What each engine has spent.
    pub costs: [Cost; 2],
    /// Turns of all games.
    pub turns: u64,
}

impl Tally {
    /// Enters a pair.
    pub fn enter(&mut self, pair: &Pair) {
        self.pairs.add(pair.iter().map(|game| game.half_points(0)).sum());
        for game in pair {
            let outcome = game.half_points(0);
            self.games[outcome] += 1;
            if let Some(winner) = game.winner {
                self.colors[winner.index()] += 1;
            }
            // Details in quotes would tear apart what is alike.
            let kind = game.ending.split(" \"").next().unwrap_or_default();
            self.endings.entry(kind.to_owned()).or_default()[outcome] += 1;
            for (sum, cost) in self.costs.iter_mut().zip(&game.costs) {
                sum.add(cost);
            }
            self.turns += game.turns();
        }
    }

    /// Number of games.
    pub fn total(&self) -> u32 {
        self.games.iter().sum()
    }

    /// A few words for a progress bar.
    pub fn brief(&self, sprt: Option<&Sprt>) -> String {
        let [lost, drawn, won] = self.games;
        let estimate = self.pairs.estimate();
        let mut text = format!(
            "+{won} ={drawn} -{lost}  Elo {:+.1} ({:+.1} to {:+.1})",
            estimate.elo, estimate.low, estimate.high
        );
        if let Some(sprt) = sprt {
            let (lower, upper) = sprt.bounds();
            let _ = write!(text, "  LLR {:.2} ({lower:.2}, {upper:.2})", sprt.llr(&self.pairs));
        }
        text
    }

    /// The whole result for people.
    pub fn text(&self, names: [&str; 2], sprt: Option<&Sprt>) -> String {
        let [lost, drawn, won] = self.games;
        let total = self.total();
        let percent = |part: f64| 100.0 * part / f64::from(total.max(1));
        let estimate = self.pairs.estimate();
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{} against {}: {total} games, won {won}, drawn {drawn}, lost {lost}: {:.1}%",
            names[0],
            names[1],
            100.0 * self.pairs.score()
        );
        let _ = writeln!(
            text,
            "Elo {:+.1}, 95% from {:+.1} to {:+.1}; LOS {:.1}%; pairs from 0 to 2 points: {:?}",
            estimate.elo,
            estimate.low,
            estimate.high,
            100.0 * self.pairs.superiority(),
            self.pairs.0
        );
        if let Some(sprt) = sprt {
            let (lower, upper) = sprt.bounds();
            let _ = writeln!(
                text,
                "SPRT {:+} against {:+} Elo: LLR {:.3}, bounds {lower:.3} and {upper:.3}: {}",
                sprt.elo1,
                sprt.elo0,
                sprt.llr(&self.pairs),
                sprt.verdict(&self.pairs)
            );
        }
        let _ = writeln!(
            text,
            "Black won {:.1}%, White {:.1}%, draws {:.1}%; {:.1} turns a game",
            percent(f64::from(self.colors[Color::Black.index()])),
            percent(f64::from(self.colors[Color::White.index()])),
            percent(f64::from(drawn)),
            self.turns as f64 / f64::from(total.max(1))
        );
        for (kind, [lost, drawn, won]) in &self.endings {
            let _ = writeln!(text, "  {kind}: {} (won {won}, drawn {drawn}, lost {lost})", lost + drawn + won);
        }
        for (name, cost) in names.iter().zip(&self.costs) {
            let moves = cost.moves.max(1) as f64;
            let _ = writeln!(
                text,
                "{name}: {:.2} ms, depth {:.1}, {:.0} nodes a turn",
                cost.time as f64 / 1000.0 / moves,
                cost.depth as f64 / moves,
                cost.nodes as f64 / moves
            );
        }
        text
    }

    /// The result as one line of JSON for programs.
    pub fn json(&self, names: [&str; 2], variant: &str, sprt: Option<&Sprt>) -> String {
        let [lost, drawn, won] = self.games;
        let estimate = self.pairs.estimate();
        let mut text = format!(
            "{{\"variant\":{},\"engine1\":{},\"engine2\":{},\"games\":{},\"won\":{won},\"drawn\":{drawn},\
             \"lost\":{lost},\"pairs\":{:?},\"score\":{:.5},\"elo\":{},\"low\":{},\"high\":{},\"los\":{:.5}",
            quoted(variant),
            quoted(names[0]),
            quoted(names[1]),
            self.total(),
            self.pairs.0,
            self.pairs.score(),
            number(estimate.elo),
            number(estimate.low),
            number(estimate.high),
            self.pairs.superiority()
        );
        if let Some(sprt) = sprt {
            let (llr, verdict) = (sprt.llr(&self.pairs), sprt.verdict(&self.pairs));
            let _ = write!(
                text,
                ",\"elo0\":{},\"elo1\":{},\"llr\":{llr:.5},\"verdict\":\"{verdict}\"",
                sprt.elo0, sprt.elo1
            );
        }
        text.push_str(",\"endings\":{");
        for (index, (kind, outcomes)) in self.endings.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let _ = write!(text, "{comma}{}:{outcomes:?}", quoted(kind));
        }
        text.push('}');
        for (cost, engine) in self.costs.iter().zip(1..) {
            let moves = cost.moves.max(1) as f64;
            let _ = write!(
                text,
                ",\"ms{engine}\":{:.3},\"depth{engine}\":{:.3},\"nodes{engine}\":{:.1}",
                cost.time as f64 / 1000.0 / moves,
                cost.depth as f64 / moves,
                cost.nodes as f64 / moves
            );
        }
        text.push('}');
        text
    }
}

/// JSON knows no infinity.
fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:.2}") } else { "null".to_owned() }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
