//! Scores of positions by shared networks.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::board::Color;
use crate::game::Position;
use crate::nnue::accumulator::{Accumulators, Log};
use crate::nnue::feature::FeatureSet;
use crate::nnue::kernels::Bytes;
use crate::nnue::network::{MAX_SCORE, Scorer};
use crate::search::from_centipawns;
use crate::shogi::{Family, Rules, ShogiPosition};

use super::SharedNetwork;
use super::layers::{Layers, Scratch};

pub(super) struct SharedScorer<F: FeatureSet, R> {
    network: Arc<SharedNetwork>,
    accumulators: Accumulators<F>,
    scratch: Scratch,
    marker: PhantomData<R>,
}

impl<F: FeatureSet, R> SharedScorer<F, R> {
    pub(super) fn new(network: Arc<SharedNetwork>) -> Self {
        let shape = &network.shape;
        let input = match network.layers {
            Layers::One(_) => 2 * shape.width,
            Layers::Stacks(_) => shape.width,
        };
        let scratch = Scratch::new(input, shape.hidden.into_iter().max().unwrap_or_default());
        Self { accumulators: Accumulators::new(&network.transformer), scratch, network, marker: PhantomData }
    }
}

/// Which of SFNN's stacks a position takes: by the third of the board each king is in, the side to move first, each as its
/// owner sees it.
fn stack<R: Rules>(position: &ShogiPosition<R>) -> usize {
    let third = |color: Color| {
        // As for the inputs, a king that is not there is thought of as at home.
        position.king(color).map_or(2, |king| (king.relative_rank(color) as usize - 1) / 3)
    };
    let us = position.side_to_move();
    3 * third(us) + third(!us)
}

impl<R: Rules, F: FeatureSet<Position = ShogiPosition<R>>> Scorer<ShogiPosition<R>> for SharedScorer<F, R> {
    fn score(&mut self, log: &Log, position: &ShogiPosition<R>) -> i32 {
        let network = &*self.network;
        let kernel = network.kernel;
        let sides = self.accumulators.update(kernel, &network.transformer, log, position);
        let input = Bytes::flatten(&mut self.scratch.input);
        let half = input.len() / 2;
        for (values, out) in sides.into_iter().zip(input.chunks_mut(half)) {
            match network.layers {
                Layers::One(_) => kernel.clip(values, out),
                Layers::Stacks(_) => kernel.pair(values, out),
            }
        }
        let output = match &network.layers {
            Layers::One(stack) => stack.plain(kernel, &mut self.scratch),
            Layers::Stacks(stacks) => stacks[stack(position)].sfnn(kernel, &mut self.scratch),
        };
        from_centipawns::<Family<R>>(output / network.scale).clamp(-MAX_SCORE, MAX_SCORE)
    }
}
