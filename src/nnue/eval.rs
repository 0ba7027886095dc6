//! The evaluation of a game: hand-crafted or by a network, decided once.

use std::sync::Arc;

use crate::board::{Color, Kind, Piece, Square};
use crate::game::{Evaluator, Observer};

use super::accumulator::Log;
use super::inputs::Inputs;
use super::nets;
use super::network::{Network, NetworkScorer, Scorer};
use super::shared::SharedNetwork;

/// What to evaluate with.
#[derive(Clone, Debug, Default)]
pub enum Evaluation {
    /// The network in the binary.
    #[default]
    Embedded,
    /// The hand-crafted evaluation.
    HandCrafted,
    /// A network of ours. Games that it does not fit do as with [`Evaluation::Embedded`].
    Network(Arc<Network>),
    /// A network in the format that shogi engines share; the same holds for other games.
    Shared(Arc<SharedNetwork>),
}

impl Evaluation {
    /// Whether it is the same as another one.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Embedded, Self::Embedded) | (Self::HandCrafted, Self::HandCrafted) => true,
            (Self::Network(a), Self::Network(b)) => Arc::ptr_eq(a, b),
            (Self::Shared(a), Self::Shared(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The scorer for a game's inputs; `None` means the hand-crafted evaluation.
    fn scorer<I: Inputs>(&self) -> Option<Box<dyn Scorer<I::Position>>> {
        let ours = |network: Arc<Network>| -> Option<Box<dyn Scorer<I::Position>>> {
            Some(Box::new(NetworkScorer::<I>::new(network)?))
        };
        let chosen = match self {
            Self::HandCrafted => return None,
            Self::Embedded => None,
            Self::Network(network) => ours(Arc::clone(network)),
            Self::Shared(network) => I::shared(network),
        };
        chosen.or_else(|| ours(nets::embedded(<I::Position as crate::game::Position>::variant())))
    }
}

/// An evaluation that follows a search.
pub enum GameEval<H, I: Inputs> {
    /// Hand-crafted.
    HandCrafted(H),
    /// By a network.
    Network(Log, Box<dyn Scorer<I::Position>>),
}

impl<H: Observer, I: Inputs> Observer for GameEval<H, I> {
    #[inline]
    fn put(&mut self, piece: Piece, square: Square) {
        match self {
            Self::HandCrafted(eval) => eval.put(piece, square),
            Self::Network(log, _) => log.put(piece, square),
        }
    }

    #[inline]
    fn lift(&mut self, piece: Piece, square: Square) {
        match self {
            Self::HandCrafted(eval) => eval.lift(piece, square),
            Self::Network(log, _) => log.lift(piece, square),
        }
    }

    #[inline]
    fn hand(&mut self, color: Color, kind: Kind, before: u32, after: u32) {
        match self {
            Self::HandCrafted(eval) => eval.hand(color, kind, before, after),
            Self::Network(log, _) => log.hand(color, kind, before, after),
        }
    }
}

impl<H: Evaluator<I::Position>, I: Inputs> Evaluator<I::Position> for GameEval<H, I> {
    fn new(evaluation: &Evaluation) -> Self {
        match evaluation.scorer::<I>() {
            Some(scorer) => Self::Network(Log::new(), scorer),
            None => Self::HandCrafted(H::new(evaluation)),
        }
    }

    fn reset(&mut self, position: &I::Position) {
        match self {
            Self::HandCrafted(eval) => eval.reset(position),
            Self::Network(log, _) => log.clear(),
        }
    }

    #[inline]
    fn push(&mut self) {
        match self {
            Self::HandCrafted(eval) => eval.push(),
            Self::Network(log, _) => log.push(),
        }
    }

    #[inline]
    fn pop(&mut self) {
        match self {
            Self::HandCrafted(eval) => eval.pop(),
            Self::Network(log, _) => log.pop(),
        }
    }

    #[inline]
    fn evaluate(&mut self, position: &I::Position) -> i32 {
        match self {
            Self::HandCrafted(eval) => eval.evaluate(position),
            Self::Network(log, scorer) => {
                (scorer.score(log, position) + H::supplement(position)).clamp(-20_000, 20_000)
            }
        }
    }

    fn supplement(position: &I::Position) -> i32 {
        H::supplement(position)
    }
}
