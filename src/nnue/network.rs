//! Our own networks in memory, and how they score a position.

use std::fmt;
use std::sync::Arc;

use super::accumulator::{Accumulators, Log, Transformer};
use super::feature::FeatureSet;
use super::file::{Header, Parameters, QA, QB};
use super::inputs::Inputs;
use super::kernels::{Block, Kernel};

/// Scores stay within this.
pub(super) const MAX_SCORE: i32 = 20_000;

/// A network of ours, ready for use and shared by all threads.
pub struct Network {
    header: Header,
    transformer: Transformer,
    /// `[buckets][2][blocks]`
    output: Vec<Block>,
    output_bias: Vec<i32>,
    kernel: &'static Kernel,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.header.fmt(f)
    }
}

impl Network {
    /// The network of checked parameters.
    pub fn new(parameters: &Parameters) -> Self {
        Self::with_kernel(parameters, Kernel::chosen())
    }

    /// The same with a certain kernel.
    pub fn with_kernel(parameters: &Parameters, kernel: &'static Kernel) -> Self {
        Self {
            header: parameters.header.clone(),
            transformer: Transformer {
                bias: Block::pack(&parameters.feature_bias),
                weights: Block::pack(&parameters.feature_weights),
            },
            output: Block::pack(&parameters.output_weights),
            output_bias: parameters.output_bias.clone(),
            kernel,
        }
    }

    /// What it is.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The value of accumulators, the side to move first, for the side to move.
    #[inline]
    fn value(&self, [ours, theirs]: [&[Block]; 2], bucket: usize) -> i32 {
        let bucket = if self.header.buckets == 1 { 0 } else { bucket };
        let blocks = self.transformer.blocks();
        let weights = &self.output[2 * bucket * blocks..2 * (bucket + 1) * blocks];
        let (first, second) = weights.split_at(blocks);
        let sum = self.kernel.screlu(ours, first) + self.kernel.screlu(theirs, second);
        let output = sum / i64::from(QA) + i64::from(self.output_bias[bucket]);
        let value = output * i64::from(self.header.scale) / i64::from(QA * QB);
        value.clamp(i64::from(-MAX_SCORE), i64::from(MAX_SCORE)) as i32
    }
}

/// Whatever scores positions by what a [`Log`] says of their history.
pub trait Scorer<P>: Send {
    /// The score of the position, the last one of the log, in points for the side to move.
    fn score(&mut self, log: &Log, position: &P) -> i32;
}

/// Scores with a network of ours.
pub struct NetworkScorer<I: FeatureSet> {
    network: Arc<Network>,
    accumulators: Accumulators<I>,
}

impl<I: Inputs> NetworkScorer<I> {
    /// A scorer, if the network has these inputs.
    pub fn new(network: Arc<Network>) -> Option<Self> {
        let accumulators = Accumulators::new(&network.transformer);
        (network.header.set() == I::SET).then_some(Self { network, accumulators })
    }
}

impl<I: Inputs> Scorer<I::Position> for NetworkScorer<I> {
    fn score(&mut self, log: &Log, position: &I::Position) -> i32 {
        let network = &*self.network;
        let values = self.accumulators.update(network.kernel, &network.transformer, log, position);
        network.value(values, I::bucket(position))
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::random_parameters;
    use super::*;
    use crate::board::{Color, Move, MoveList, Piece, Square};
    use crate::game::{Evaluator, Game, Goal, HouseRules, Position, Stage, Variant};
    use crate::games::{ForGame, for_game};
    use crate::nnue::{Evaluation, FeatureSet, InputSet, NetGame};
    use crate::random::Random;

    /// The value as the file's documentation has it, from the list of inputs.
    fn plain_value<I: Inputs>(parameters: &Parameters, position: &I::Position) -> i32 {
        let width = parameters.header.width;
        let bucket = if parameters.header.buckets == 1 { 0 } else { I::bucket(position) };
        let us = position.side_to_move();
        let mut sum = 0i64;
        for (side, color) in [us, !us].into_iter().enumerate() {
            let mut values = parameters.feature_bias.clone();
            I::for_each(position, color, |input| {
                let row = &parameters.feature_weights[input * width..(input + 1) * width];
                values.iter_mut().zip(row).for_each(|(value, weight)| *value = value.wrapping_add(*weight));
            });
            let weights = &parameters.output_weights[(2 * bucket + side) * width..][..width];
            for (value, weight) in values.iter().zip(weights) {
                let value = i64::from(*value).clamp(0, 255);
                sum += value * value * i64::from(*weight);
            }
        }
        let output = sum / 255 + i64::from(parameters.output_bias[bucket]);
        (output * i64::from(parameters.header.scale) / (255 * 64)).clamp(-20_000, 20_000) as i32
    }

    /// Walks at random as a search does: to and fro, with null moves, evaluating only now and then.
    struct Walk {
        rules: HouseRules,
        moves: u32,
        buckets: usize,
    }

    impl ForGame for Walk {
        type Output = ();

        fn run<G: NetGame>(self) {
            let variant = G::Position::variant();
            let parameters = random_parameters(variant, 64, self.buckets, 11);
            let mut kernels = Vec::new();
            for kernel in Kernel::all() {
                let network = Arc::new(Network::with_kernel(&parameters, kernel));
                kernels.push((kernel, <G as Game>::Eval::new(&Evaluation::Network(network))));
            }
            let mut random = Random::new(9);
            let mut position = G::Position::startpos(&self.rules);
            kernels.iter_mut().for_each(|(_, eval)| eval.reset(&position));
            let (mut depth, mut done) = (0, 0);
            let mut nulls: Vec<bool> = Vec::new();
            while done < self.moves {
                let mut list = MoveList::new();
                position.generate(Stage::All, &mut list);
                let over = list.is_empty() || position.winner().is_some();
                // Lines of up to 60 plies; the root moves on now and then.
                let back = over || depth > 60 || random.below(100) < 45;
                if back && depth > 0 {
                    if nulls.pop() == Some(true) {
                        position.unmake_null()
                    } else {
                        position.unmake()
                    }
                    kernels.iter_mut().for_each(|(_, eval)| eval.pop());
                    depth -= 1;
                } else if over || position.moves_played() > 300 {
                    position = G::Position::startpos(&self.rules);
                    kernels.iter_mut().for_each(|(_, eval)| eval.reset(&position));
                    depth = 0;
                    nulls.clear();
                } else {
                    let null = random.below(20) == 0 && position.step() == 1 && !position.in_check();
                    let m: Move = list[random.below(list.len())];
                    // Each evaluation is told of the move on a position of its own.
                    for (_, eval) in &mut kernels {
                        eval.push();
                        if !null {
                            let mut twin = position.clone();
                            twin.make(m, eval);
                        }
                    }
                    if null {
                        position.make_null()
                    } else {
                        position.make(m, &mut ())
                    }
                    nulls.push(null);
                    depth += 1;
                    done += 1;
                    if random.below(500) == 0 {
                        kernels.iter_mut().for_each(|(_, eval)| eval.reset(&position));
                        depth = 0;
                        nulls.clear();
                    }
                }
                if position.winner().is_none() && random.below(3) > 0 {
                    let value = plain_value::<G::Inputs>(&parameters, &position) + G::Eval::supplement(&position);
                    for (kernel, eval) in &mut kernels {
                        assert_eq!(
                            eval.evaluate(&position),
                            value.clamp(-20_000, 20_000),
                            "{kernel:?} {}",
                            position.diagram()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn following_moves_equals_computing_anew_with_every_kernel() {
        for variant in Variant::ALL {
            for goal in if variant == Variant::Hasami { &Goal::ALL[..] } else { &Goal::ALL[..1] } {
                let rules = HouseRules { goal: *goal, ..HouseRules::default() };
                let moves = if variant == Variant::Shogi { 70_000 } else { 15_000 };
                for_game(variant, Walk { rules, moves, buckets: 1 });
                let buckets = InputSet::of(variant).buckets();
                for_game(variant, Walk { rules, moves: moves / 2, buckets });
            }
        }
    }

    #[test]
    fn the_mirror_image_scores_the_same() {
        use crate::diagram::Diagram;
        use crate::nnue::ShogiInputs;
        use crate::shogi::{Shogi, StandardRules};
        let parameters = random_parameters(Variant::Shogi, 32, 8, 12);
        let network = Arc::new(Network::new(&parameters));
        let mut eval = <Shogi as Game>::Eval::new(&Evaluation::Network(network));
        let mut score = |diagram: &Diagram| {
            let position = <Shogi as Game>::Position::from_diagram(diagram, &HouseRules::default()).unwrap();
            eval.reset(&position);
            (eval.evaluate(&position), position)
        };
        let mut random = Random::new(4);
        let mut position = <Shogi as Game>::Position::startpos(&HouseRules::default());
        let mut checked = 0;
        for _ in 0..3000 {
            let mut list = MoveList::new();
            position.generate(Stage::All, &mut list);
            if list.is_empty() {
                position = <Shogi as Game>::Position::startpos(&HouseRules::default());
                continue;
            }
            position.make(list[random.below(list.len())], &mut ());
            let diagram = position.diagram();
            let mut image = diagram.clone();
            let mut turned = diagram.clone();
            for square in Square::all() {
                let piece = diagram.board[square.index()];
                image.board[square.mirror().index()] = piece;
                turned.board[square.rotate().index()] = piece.map(|piece| Piece::new(!piece.color(), piece.kind()));
            }
            turned.hands.0.swap(0, 1);
            turned.side = !turned.side;
            let (value, position) = score(&diagram);
            assert_eq!(score(&turned).0, value);
            // A king on the middle file keeps its place and is not mirrored.
            let middle = |color| {
                let king = position.king(color);
                king.is_none_or(|king| king.file() == 5)
            };
            if !Color::ALL.into_iter().any(middle) {
                let view = ShogiInputs::<StandardRules>::view(&position, Color::Black);
                assert_eq!(view.mirrored, position.king(Color::Black).unwrap().file() > 5);
                assert_eq!(score(&image).0, value);
                checked += 1;
            }
        }
        assert!(checked > 500, "{checked}");
    }
}
