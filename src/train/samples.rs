//! Positions in memory, as the trainer wants them: what is active in the net, what the search said, how it ended.

/// How a game ended for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Lost.
    Loss,
    /// Drawn.
    Draw,
    /// Won.
    Win,
}

impl Outcome {
    /// As a share of the point.
    pub const fn share(self) -> f32 {
        match self {
            Self::Loss => 0.0,
            Self::Draw => 0.5,
            Self::Win => 1.0,
        }
    }
}

/// A position of a set.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// Active inputs as the side to move sees the position.
    pub own: &'a [u16],
    /// Active inputs as the enemy sees it.
    pub enemy: &'a [u16],
    /// The output that answers for it.
    pub bucket: u8,
    /// What the search said, in points for the side to move.
    pub score: i16,
    /// How the game ended.
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Where its features begin.
    start: u32,
    own: u8,
    enemy: u8,
    bucket: u8,
    outcome: Outcome,
    score: i16,
}

/// Many positions, close together: about 170 bytes each in shogi.
#[derive(Clone, Default, Debug)]
pub struct Samples {
    entries: Vec<Entry>,
    features: Vec<u16>,
}

impl Samples {
    /// Bytes of a sample without its inputs.
    pub const FIXED: usize = size_of::<Entry>();

    /// None yet.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), features: Vec::new() }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Makes room for more.
    pub fn reserve(&mut self, positions: usize, features: usize) {
        self.entries.reserve(positions);
        self.features.reserve(features);
    }

    /// Adds a position; `false` if it does not fit: more than 255 active inputs a side, or 2^32 in all.
    pub fn push(&mut self, sample: Sample) -> bool {
        let (Ok(start), Ok(own), Ok(enemy)) =
            (u32::try_from(self.features.len()), u8::try_from(sample.own.len()), u8::try_from(sample.enemy.len()))
        else {
            return false;
        };
        self.features.extend_from_slice(sample.own);
        self.features.extend_from_slice(sample.enemy);
        let Sample { bucket, outcome, score, .. } = sample;
        self.entries.push(Entry { start, own, enemy, bucket, outcome, score });
        true
    }

    /// Puts another score in the place of a position's.
    pub fn set_score(&mut self, index: usize, score: i16) {
        self.entries[index].score = score;
    }

    /// Adds another set's positions; `false` if they do not fit.
    pub fn append(&mut self, other: &Self) -> bool {
        let shift = self.features.len();
        if u32::try_from(shift + other.features.len()).is_err() {
            return false;
        }
        self.features.extend_from_slice(&other.features);
        // The sum was seen to fit.
        self.entries.extend(other.entries.iter().map(|entry| Entry { start: entry.start + shift as u32, ..*entry }));
        true
    }

    /// The position of that number.
    pub fn get(&self, index: usize) -> Sample<'_> {
        let Entry { start, own, enemy, bucket, outcome, score } = self.entries[index];
        let (own, enemy) = (usize::from(own), usize::from(enemy));
        let features = &self.features[start as usize..][..own + enemy];
        Sample { own: &features[..own], enemy: &features[own..], bucket, score, outcome }
    }

    /// About that many of them, evenly spread; all if there are no more.
    pub fn thinned(&self, count: usize) -> Self {
        let mut thin = Self::new();
        for index in (0..self.len()).step_by(self.len().div_ceil(count.max(1)).max(1)) {
            thin.push(self.get(index));
        }
        thin
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Sample<'_>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Mean number of active inputs a side.
    pub fn active(&self) -> f64 {
        self.features.len() as f64 / (2 * self.len().max(1)) as f64
    }
}
