//! What a training run is told, and what follows from it for each step.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::batch::Blend;
use super::model::Shape;
use crate::game::Variant;
use crate::nnue::InputSet;
use crate::nnue::file::{MAX_WIDTH, WIDTH_STEP};

/// Everything that decides what a net becomes, apart from the games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// The game.
    #[serde(with = "variant_name")]
    pub variant: Variant,
    /// Accumulators a side.
    pub width: usize,
    /// Output buckets.
    pub buckets: usize,
    /// Whether a factoriser helps the inputs that are seldom active.
    pub factoriser: bool,
    /// How often all positions are gone through.
    pub epochs: u32,
    /// Positions a step.
    pub batch: usize,
    /// Learning rate at the top.
    pub rate: f64,
    /// Learning rate at the end.
    pub final_rate: f64,
    /// Steps on which the learning rate rises from nothing.
    pub warmup: u64,
    /// Weight decay.
    pub decay: f64,
    /// Weight of the game's result in the target, at the start and at the end; the search's score has the rest.
    pub blend: [f64; 2],
    /// How much the score of a position is the scores of the following ones of its game: each counts this times as much as
    /// the one before. From 0, its own score alone, to below 1.
    #[serde(default)]
    pub lambda: f64,
    /// Centipawns worth a factor of e in the odds; fitted to the games if not given.
    #[serde(default)]
    pub scale: Option<u16>,
    /// Decides the first weights and the order of the positions.
    pub seed: u64,
    /// Share of the games that is held out.
    pub held_out: f64,
    /// Positions with larger scores are left out, in points.
    pub max_score: i16,
    /// Positions in which the move played captures or promotes are left out.
    pub quiet: bool,
    /// Memory for positions, in MiB; if there are more, they are loaded in parts.
    pub memory: usize,
}

/// Settings that make no sense.
#[derive(Clone, PartialEq, Debug, Error)]
#[allow(missing_docs)]
pub enum SettingsError {
    #[error("width {0} is not a multiple of {WIDTH_STEP} from {WIDTH_STEP} to {MAX_WIDTH}")]
    Width(usize),
    #[error("{0} buckets; {1} has 1 or {2}")]
    Buckets(usize, Variant, usize),
    #[error("the {0} must be {1}")]
    Range(&'static str, &'static str),
}

impl Settings {
    /// Looks at all of them.
    pub fn check(&self) -> Result<(), SettingsError> {
        if self.width == 0 || self.width > MAX_WIDTH || !self.width.is_multiple_of(WIDTH_STEP) {
            return Err(SettingsError::Width(self.width));
        }
        let buckets = InputSet::of(self.variant).buckets();
        if self.buckets != 1 && self.buckets != buckets {
            return Err(SettingsError::Buckets(self.buckets, self.variant, buckets));
        }
        let share = |x: f64| (0.0..=1.0).contains(&x);
        let checks = [
            (self.epochs > 0, "number of epochs", "at least 1"),
            (self.batch > 0, "batch", "at least 1"),
            (self.rate > 0.0 && self.rate <= 1.0, "learning rate", "above 0 and at most 1"),
            (self.final_rate >= 0.0 && self.final_rate <= self.rate, "final learning rate", "at most the first one"),
            (share(self.decay), "weight decay", "from 0 to 1"),
            (self.blend.into_iter().all(share), "weight of the result", "from 0 to 1"),
            (self.lambda >= 0.0 && self.lambda < 1.0, "weight of later scores", "from 0 to below 1"),
            (self.held_out >= 0.0 && self.held_out < 1.0, "share held out", "from 0 to below 1"),
            (self.max_score > 0, "bound of the scores", "above 0"),
            (self.memory > 0, "memory", "at least 1 MiB"),
        ];
        match checks.into_iter().find(|&(good, ..)| !good) {
            Some((_, what, wanted)) => Err(SettingsError::Range(what, wanted)),
            None => Ok(()),
        }
    }

    /// The sizes of the net.
    pub fn shape(&self) -> Shape {
        let set = InputSet::of(self.variant);
        Shape {
            inputs: set.inputs(),
            width: self.width,
            buckets: self.buckets,
            factor_of: self.factoriser.then(|| set.factors().into()),
        }
    }

    /// Learning rate: a rise on the first steps, half a cosine down over the whole run. `done` is the part of the run
    /// that is done, 0..1.
    pub fn rate(&self, steps: u64, done: f64) -> f32 {
        let fall = 0.5 * (1.0 + (std::f64::consts::PI * done).cos());
        let rise = ((steps + 1) as f64 / self.warmup.max(1) as f64).min(1.0);
        ((self.final_rate + (self.rate - self.final_rate) * fall) * rise) as f32
    }

    /// The target: the weight of the result moves evenly from its first to its last value.
    pub fn blend(&self, done: f64, scale: u16) -> Blend {
        let [first, last] = self.blend;
        Blend { result: (first + (last - first) * done) as f32, scale: scale.into() }
    }
}

mod variant_name {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::game::Variant;

    pub fn serialize<S: Serializer>(variant: &Variant, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(variant.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Variant, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
