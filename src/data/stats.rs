//! What files of games hold, counted.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use ahash::AHashSet;

use crate::board::Color;
use crate::game::{Game, Variant};
use crate::games::{ForGame, for_game};
use crate::search::MATE_BOUND;

use super::file::{DataError, Stored};
use super::record::GameRecord;
use super::replay::{Replay, ReplayError};

/// Upper ends of the classes of scores in points; mates come after the last.
const CLASSES: [i32; 9] = [25, 50, 100, 200, 400, 800, 1600, 3200, MATE_BOUND];

/// Games counted.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// The game of the first file.
    pub variant: Variant,
    /// Files read.
    pub files: u64,
    /// Games.
    pub games: u64,
    /// Games drawn, won by Black and won by White.
    pub results: [u64; 3],
    /// Games by the way they ended.
    pub endings: BTreeMap<&'static str, u64>,
    /// Games that were to be played to their end.
    pub played_out: u64,
    /// Games from other start positions than the usual one.
    pub other_starts: u64,
    /// Plies, openings included.
    pub plies: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Of them, those that had been met before.
    pub duplicates: u64,
    /// Positions by the size of the score, and the half points that the side ahead got from them.
    pub classes: [(u64, u64); CLASSES.len() + 1],
    /// Stretches of damage.
    pub damaged: u64,
    /// Games that break the rules.
    pub illegal: u64,
    /// The first of these, as a message.
    pub complaint: Option<String>,
    seen: AHashSet<u64>,
}

impl Stats {
    /// Counts the games of a file.
    pub fn read(&mut self, path: &PathBuf) -> Result<(), DataError> {
        struct Count<'a>(&'a mut Stats, &'a Stored, &'a PathBuf);
        impl ForGame for Count<'_> {
            type Output = ();
            fn run<G: Game>(self) {
                let Self(stats, stored, path) = self;
                let mut games = stored.games();
                for record in games.by_ref() {
                    if let Err(error) = stats.enter::<G>(&record, stored) {
                        stats.illegal += 1;
                        let place = format!("{}: game {} of seed {}", path.display(), record.number, record.seed);
                        stats.complaint.get_or_insert_with(|| format!("{place}: {error}"));
                    }
                }
                stats.damaged += games.damaged();
            }
        }
        let stored = Stored::read(path)?;
        if self.files == 0 {
            self.variant = stored.header.variant;
        }
        self.files += 1;
        for_game(stored.header.variant, Count(self, &stored, path));
        Ok(())
    }

    fn enter<G: Game>(&mut self, record: &GameRecord, stored: &Stored) -> Result<(), ReplayError> {
        use crate::game::Position;
        self.games += 1;
        self.results[match record.winner {
            None => 0,
            Some(Color::Black) => 1,
            Some(Color::White) => 2,
        }] += 1;
        *self.endings.entry(record.ending.name()).or_default() += 1;
        self.played_out += u64::from(record.played_out);
        self.other_starts += u64::from(!record.start.is_empty());
        self.plies += record.plies.len() as u64;
        let mut replay = Replay::<G::Position>::new(record, &stored.header.rules, true)?;
        while let Some(moment) = replay.next()? {
            let Some(score) = moment.score else { continue };
            self.positions += 1;
            self.duplicates += u64::from(!self.seen.insert(moment.position.key()));
            let size = i32::from(score).abs();
            let class = CLASSES.iter().position(|&end| size < end).unwrap_or(CLASSES.len());
            let points = if score >= 0 { moment.half_points } else { 2 - moment.half_points };
            self.classes[class].0 += 1;
            self.classes[class].1 += u64::from(points);
        }
        Ok(())
    }

    /// The same as one line of JSON.
    pub fn json(&self) -> String {
        let [drawn, black, white] = self.results;
        format!(
            "{{\"variant\":\"{}\",\"files\":{},\"games\":{},\"positions\":{},\"black\":{black},\"drawn\":{drawn},\
             \"white\":{white},\"plies\":{},\"duplicates\":{},\"damaged\":{},\"illegal\":{}}}",
            self.variant,
            self.files,
            self.games,
            self.positions,
            self.plies,
            self.duplicates,
            self.damaged,
            self.illegal
        )
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let [drawn, black, white] = self.results;
        writeln!(f, "Files: {}", self.files)?;
        writeln!(f, "Games: {}", self.games)?;
        writeln!(
            f,
            "  won by Black {:.1}%, drawn {:.1}%, won by White {:.1}%",
            percent(black, self.games),
            percent(drawn, self.games),
            percent(white, self.games)
        )?;
        writeln!(f, "  {:.1} plies each", self.plies as f64 / self.games.max(1) as f64)?;
        writeln!(f, "  {:.1}% from other starts", percent(self.other_starts, self.games))?;
        writeln!(f, "  {:.1}% to be played out", percent(self.played_out, self.games))?;
        for (name, games) in &self.endings {
            writeln!(f, "  {name}: {:.1}%", percent(*games, self.games))?;
        }
        writeln!(f, "Positions: {}", self.positions)?;
        writeln!(f, "  {:.2}% met before", percent(self.duplicates, self.positions))?;
        writeln!(f, "  size of the score, share of positions, points of the side ahead")?;
        let mut from = 0;
        for (class, (count, halves)) in self.classes.iter().enumerate() {
            let name = match CLASSES.get(class) {
                Some(&MATE_BOUND) => format!("{from}.."),
                Some(end) => format!("{from}..{end}"),
                None => "mate".to_owned(),
            };
            let points = 50.0 * *halves as f64 / (*count).max(1) as f64;
            writeln!(f, "  {name:>11} {:>6.2}% {points:>6.1}%", percent(*count, self.positions))?;
            from = CLASSES.get(class).copied().unwrap_or(from);
        }
        writeln!(f, "Damaged: {}", self.damaged)?;
        writeln!(f, "Illegal: {}", self.illegal)?;
        if let Some(complaint) = &self.complaint {
            writeln!(f, "  {complaint}")?;
        }
        Ok(())
    }
}
