//! Blocks of samples, laid out for the kernels.

use rayon::prelude::*;

use super::samples::{Sample, Samples};
use crate::random::Random;

/// Samples a block: its accumulators stay in the second-level cache.
pub const BLOCK: usize = 512;

/// How a target is made of search score and result.
#[derive(Clone, Copy, Debug)]
pub struct Blend {
    /// Weight of the result, 0..1; the score has the rest.
    pub result: f32,
    /// Points that are worth a factor of e in the odds.
    pub scale: f32,
}

/// The logistic function.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Blend {
    /// The expected share of the point.
    pub fn target(&self, sample: &Sample) -> f32 {
        let score = sigmoid(f32::from(sample.score) / self.scale);
        self.result * sample.outcome.share() + (1.0 - self.result) * score
    }
}

/// What samples are made into.
#[derive(Clone, Copy, Debug)]
pub struct Recipe<'a> {
    /// One more than the highest input.
    pub inputs: usize,
    /// The targets.
    pub blend: Blend,
    /// Maps of inputs that leave the value as it is, of which each sample gets one by chance; none at all leaves the
    /// inputs alone.
    pub symmetries: &'a [Vec<u16>],
    /// Decides what chance chooses.
    pub seed: u64,
}

impl Recipe<'_> {
    /// The map that a sample gets.
    fn symmetry(&self, sample: u32) -> Option<&[u16]> {
        let choice = Random::new(self.seed ^ u64::from(sample)).below(self.symmetries.len().max(1));
        // Where the only map changes nothing, the work is spared.
        if self.symmetries.len() > 1 { Some(&self.symmetries[choice]) } else { None }
    }
}

/// Up to [`BLOCK`] samples.
#[derive(Clone, Default, Debug)]
pub struct Block {
    features: Vec<u16>,
    /// Where the features of each side of each sample end.
    ends: Vec<u32>,
    buckets: Vec<u8>,
    /// What each output should be, after the sigmoid.
    pub targets: Vec<f32>,
    /// Each feature that occurs, and where its users end.
    rows: Vec<(u16, u32)>,
    /// Accumulators (sample * 2 + side), sorted by feature.
    users: Vec<u16>,
    counts: Vec<u32>,
}

impl Block {
    /// Fills it with some samples of a set.
    pub fn fill(&mut self, samples: &Samples, picked: &[u32], recipe: &Recipe) {
        debug_assert!(picked.len() <= BLOCK);
        self.features.clear();
        self.ends.clear();
        self.buckets.clear();
        self.targets.clear();
        for &index in picked {
            let sample = samples.get(index as usize);
            let symmetry = recipe.symmetry(index);
            for side in [sample.own, sample.enemy] {
                match symmetry {
                    None => self.features.extend_from_slice(side),
                    Some(map) => self.features.extend(side.iter().map(|&feature| map[usize::from(feature)])),
                }
                self.ends.push(self.features.len() as u32);
            }
            self.buckets.push(sample.bucket);
            self.targets.push(recipe.blend.target(&sample));
        }
        self.sort(recipe.inputs);
    }

    /// Counting sort of the accumulators by feature.
    fn sort(&mut self, inputs: usize) {
        self.counts.clear();
        self.counts.resize(inputs, 0);
        for &feature in &self.features {
            self.counts[usize::from(feature)] += 1;
        }
        self.rows.clear();
        let mut end = 0;
        for (feature, count) in self.counts.iter_mut().enumerate() {
            if *count > 0 {
                let start = end;
                end += *count;
                self.rows.push((feature as u16, end));
                *count = start;
            }
        }
        self.users.clear();
        self.users.resize(self.features.len(), 0);
        let mut start = 0;
        for (user, &end) in self.ends.iter().enumerate() {
            for &feature in &self.features[start..end as usize] {
                let next = &mut self.counts[usize::from(feature)];
                self.users[*next as usize] = user as u16;
                *next += 1;
            }
            start = end as usize;
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.buckets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// Active inputs of one side (0 own, 1 enemy) of a sample.
    #[inline]
    pub fn features(&self, sample: usize, side: usize) -> &[u16] {
        let index = sample * 2 + side;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.features[start..self.ends[index] as usize]
    }

    /// Which output a sample wants.
    #[inline]
    pub fn bucket(&self, sample: usize) -> usize {
        self.buckets[sample].into()
    }

    /// Features in order, each with the accumulators that use it.
    #[inline]
    pub fn by_feature(&self) -> impl Iterator<Item = (usize, &[u16])> {
        let mut start = 0;
        self.rows.iter().map(move |&(feature, end)| {
            let users = &self.users[start..end as usize];
            start = end as usize;
            (usize::from(feature), users)
        })
    }
}

/// Blocks that are filled again and again.
#[derive(Clone, Default, Debug)]
pub struct Batch {
    blocks: Vec<Block>,
    used: usize,
}

impl Batch {
    /// Takes those samples in.
    pub fn fill(&mut self, samples: &Samples, picked: &[u32], recipe: &Recipe) {
        self.used = picked.len().div_ceil(BLOCK);
        if self.blocks.len() < self.used {
            self.blocks.resize_with(self.used, Block::default);
        }
        self.blocks
            .par_iter_mut()
            .zip(picked.par_chunks(BLOCK))
            .for_each(|(block, picked)| block.fill(samples, picked, recipe));
    }

    /// The blocks in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks[..self.used]
    }
}
