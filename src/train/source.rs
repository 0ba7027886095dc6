//! From files of games to samples.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::samples::{Outcome, Sample, Samples};
use super::settings::Settings;
use crate::board::Color;
use crate::data::{self, DataError, GameRecord, Moment, Replay, Stored};
use crate::game::{HouseRules, Position, Variant};
use crate::games::{ForGame, for_game};
use crate::nnue::{Inputs, NetGame};
use crate::random::Random;
use crate::search::MATE_BOUND;

/// Why there are no samples.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum SourceError {
    #[error(transparent)]
    Data(#[from] DataError),
    #[error("{0} holds games of {1}, not of {2}")]
    Variant(PathBuf, Variant, Variant),
    #[error("there are no files of games")]
    NoFiles,
    #[error("no position is left to learn from")]
    Nothing,
    #[error("the positions do not fit into memory: give --memory a smaller number")]
    TooMany,
}

/// A file of games, for the record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DataFile {
    /// Its name, without folders.
    pub name: String,
    /// CRC-32 of all of it.
    pub crc32: u32,
    /// Games that could be read.
    pub games: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Soft limit of nodes under which the games were played.
    pub nodes: u32,
    /// The network that played, 0 for the hand-crafted evaluation.
    pub network: u64,
}

/// Which games a set of samples is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Those held out.
    HeldOut,
    /// One of the parts of those that are learnt from.
    Training(usize),
}

/// Files of games, in memory as they are.
#[derive(Debug)]
pub struct Source {
    files: Vec<(DataFile, Stored)>,
    settings: Settings,
    parts: usize,
    /// Most inputs of both sides at once.
    active: usize,
}

/// Scale for averages of scores where that of the run still has to be fitted to them.
const USUAL_SCALE: f64 = 1000.0;

/// Games that a thread plays through at a time.
const GAMES: usize = 64;

impl Source {
    /// Reads files, and folders of them.
    pub fn open(paths: &[PathBuf], settings: &Settings) -> Result<Self, SourceError> {
        let variant = settings.variant;
        let mut files = Vec::new();
        for path in data::expand(paths)? {
            let stored = Stored::read(&path)?;
            if stored.header.variant != variant {
                return Err(SourceError::Variant(path, stored.header.variant, variant));
            }
            files.push((describe(&path, &stored), stored));
        }
        if files.is_empty() {
            return Err(SourceError::NoFiles);
        }
        let positions: u64 = files.iter().map(|(file, _)| file.positions).sum();
        let active = 2 * for_game(variant, MostActive);
        let bytes = positions * (Samples::FIXED + active * size_of::<u16>()) as u64;
        let parts = bytes.div_ceil((settings.memory as u64) << 20).max(1) as usize;
        Ok(Self { files, settings: settings.clone(), parts, active })
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = &DataFile> {
        self.files.iter().map(|(file, _)| file)
    }

    /// In how many parts the games are loaded.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// The samples of a part. Always the same ones in the same order.
    pub fn load(&self, part: Part) -> Result<Samples, SourceError> {
        let mut all = Samples::new();
        for (_, stored) in &self.files {
            let records: Vec<GameRecord> = stored.games().filter(|record| self.part_of(record) == part).collect();
            // Room that stays unused costs nothing; growing step by step would need twice the memory for a moment.
            let positions: usize = records.iter().map(GameRecord::positions).sum();
            all.reserve(positions, positions * self.active);
            // Not all at once, for they are there twice until they are joined.
            for records in records.chunks(64 * GAMES) {
                let chunks = records.par_chunks(GAMES).map(|records| {
                    let rules = stored.header.rules;
                    for_game(self.settings.variant, Play { records, rules, settings: &self.settings })
                });
                for samples in chunks.collect::<Vec<_>>() {
                    if !all.append(&samples) {
                        return Err(SourceError::TooMany);
                    }
                }
            }
        }
        Ok(all)
    }

    /// Where a game belongs. Depends on nothing but the game and the settings, so that the same games are held out
    /// however many others there are.
    fn part_of(&self, record: &GameRecord) -> Part {
        let mut chance = Random::new(record.seed.rotate_left(32) ^ u64::from(record.number));
        if chance.unit() < self.settings.held_out { Part::HeldOut } else { Part::Training(chance.below(self.parts)) }
    }
}

fn describe(path: &Path, stored: &Stored) -> DataFile {
    let (games, positions) =
        stored.games().fold((0, 0), |(games, positions), record| (games + 1, positions + record.positions() as u64));
    DataFile {
        name: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        crc32: stored.crc32(),
        games,
        positions,
        nodes: stored.header.soft_nodes,
        network: stored.header.network,
    }
}

/// Most inputs of a side at once.
struct MostActive;

impl ForGame for MostActive {
    type Output = usize;
    fn run<G: NetGame>(self) -> usize {
        G::Inputs::ACTIVE
    }
}

/// Plays games through and keeps the positions worth learning from.
struct Play<'a> {
    records: &'a [GameRecord],
    rules: HouseRules,
    settings: &'a Settings,
}

impl ForGame for Play<'_> {
    type Output = Samples;

    fn run<G: NetGame>(self) -> Samples {
        let mut samples = Samples::new();
        let (mut own, mut enemy) = (Vec::new(), Vec::new());
        for record in self.records {
            let Ok(mut replay) = Replay::<G::Position>::new(record, &self.rules, false) else { continue };
            let mut course = Course::default();
            while let Ok(Some(moment)) = replay.next() {
                let side = moment.position.side_to_move();
                let worth = worth::<G::Position>(&moment, self.settings);
                if let Some(score) = moment.score {
                    course.0.push(Opinion { side, score, sample: worth.map(|_| samples.len()) });
                }
                let Some(score) = worth else { continue };
                for (list, color) in [(&mut own, side), (&mut enemy, !side)] {
                    inputs::<G>(moment.position, color, list);
                }
                let sample = Sample {
                    own: &own,
                    enemy: &enemy,
                    bucket: if self.settings.buckets == 1 { 0 } else { G::Inputs::bucket(moment.position) as u8 },
                    score,
                    outcome: match moment.half_points {
                        0 => Outcome::Loss,
                        1 => Outcome::Draw,
                        _ => Outcome::Win,
                    },
                };
                // A few games never fill it.
                samples.push(sample);
            }
            if self.settings.lambda > 0.0 {
                let scale = self.settings.scale.map_or(USUAL_SCALE, f64::from);
                course.look_ahead(self.settings.lambda, scale, &mut samples);
            }
        }
        samples
    }
}

/// A score in the course of a game.
struct Opinion {
    /// Who it is for.
    side: Color,
    score: i16,
    /// The sample that was made of the position.
    sample: Option<usize>,
}

/// The scores of a game in order.
#[derive(Default)]
struct Course(Vec<Opinion>);

impl Course {
    /// Makes every sample's score a mean of its own and the following ones, each with `lambda` times the weight of the one
    /// before, the last with the weight of all after it. What comes of a position in the game says as much about it as a
    /// deeper search would, and a mean is less a matter of chance than one search. Scores are averaged as shares of the
    /// point, so that a won game is not worth ever more.
    fn look_ahead(&self, lambda: f64, scale: f64, samples: &mut Samples) {
        let mut later = None;
        for opinion in self.0.iter().rev() {
            let sign = if opinion.side == Color::Black { 1.0 } else { -1.0 };
            let share = 1.0 / (1.0 + (-sign * f64::from(opinion.score) / scale).exp());
            let mean = later.map_or(share, |later| (1.0 - lambda) * share + lambda * later);
            later = Some(mean);
            if let Some(sample) = opinion.sample {
                let score = sign * scale * (mean / (1.0 - mean)).ln();
                samples.set_score(sample, score.round().clamp(f64::from(-i16::MAX), f64::from(i16::MAX)) as i16);
            }
        }
    }
}

/// The inputs of a side, in ascending order.
pub(super) fn inputs<G: NetGame>(position: &G::Position, color: Color, list: &mut Vec<u16>) {
    list.clear();
    G::Inputs::for_each(position, color, |input| list.push(input as u16));
    list.sort_unstable();
}

/// The score of a position that can be learnt from. A static value has nothing to say where the fight goes on: in
/// check, or if the best move captures or promotes. Mates are the search's business.
fn worth<P: Position>(moment: &Moment<P>, settings: &Settings) -> Option<i16> {
    let score = moment.score?;
    let size = i32::from(score).abs();
    if size >= MATE_BOUND || size > i32::from(settings.max_score) || moment.position.in_check() {
        return None;
    }
    (!settings.quiet || moment.is_quiet()).then_some(score)
}

/// Points worth a factor of e in the odds: what best tells the results from the scores. `None` without samples.
///
/// Minimises the mean cross-entropy by golden section over the logarithm.
pub fn fit_scale(samples: &Samples) -> Option<u16> {
    // More would not change it by a hundredth.
    let stride = (samples.len() / 500_000).max(1);
    let pairs: Vec<(f64, f64)> = (0..samples.len())
        .step_by(stride)
        .map(|index| samples.get(index))
        .map(|sample| (f64::from(sample.score), f64::from(sample.outcome.share())))
        .collect();
    if pairs.is_empty() {
        return None;
    }
    let entropy = |log: f64| -> f64 {
        let scale = log.exp();
        pairs.iter().map(|&(score, share)| (1.0 + (-score / scale).exp()).ln() + (1.0 - share) * score / scale).sum()
    };
    let (mut low, mut high) = (50.0f64.ln(), 5000.0f64.ln());
    let golden = (5.0f64.sqrt() - 1.0) / 2.0;
    while high - low > 1e-3 {
        let span = golden * (high - low);
        if entropy(high - span) < entropy(low + span) { high = low + span } else { low = high - span }
    }
    Some((0.5 * (low + high)).exp().round() as u16)
}
