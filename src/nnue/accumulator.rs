//! Accumulators that follow a position: computed where an evaluation is asked for, and then from the nearest earlier
//! position where they were.

use std::marker::PhantomData;

use arrayvec::ArrayVec;

use crate::board::{ByColor, Color, Kind, Piece, Square};
use crate::game::Observer;

use super::feature::{Extras, Feature, FeatureSet, MAX_EXTRAS, NO_INPUT, View};
use super::kernels::{Block, Kernel, Rows};

/// A feature that appears or vanishes.
#[derive(Clone, Copy)]
struct Change(u16);

impl Change {
    const VANISHES: u16 = 1 << 15;

    const fn appears(feature: Feature) -> Self {
        Self(feature.index() as u16)
    }

    const fn vanishes(feature: Feature) -> Self {
        Self(feature.index() as u16 | Self::VANISHES)
    }

    #[inline]
    const fn feature(self) -> Feature {
        Feature::from_index(self.0 & !Self::VANISHES)
    }

    #[inline]
    const fn is_vanishing(self) -> bool {
        self.0 & Self::VANISHES != 0
    }
}

/// A position on the present line.
#[derive(Clone, Copy)]
struct Ply {
    /// Never the same for two positions.
    id: u64,
    /// Where its changes begin.
    start: usize,
}

/// What has changed move by move since the root.
#[derive(Clone)]
pub struct Log {
    changes: Vec<Change>,
    plies: Vec<Ply>,
    next_id: u64,
}

impl Log {
    /// A log at its root.
    pub fn new() -> Self {
        let mut log = Self { changes: Vec::with_capacity(1024), plies: Vec::with_capacity(256), next_id: 0 };
        log.push();
        log
    }

    /// Starts anew from another root.
    pub fn clear(&mut self) {
        self.changes.clear();
        self.plies.clear();
        self.push();
    }

    /// A move is about to be made.
    #[inline]
    pub fn push(&mut self) {
        self.plies.push(Ply { id: self.next_id, start: self.changes.len() });
        self.next_id += 1;
    }

    /// The last move has been taken back.
    #[inline]
    pub fn pop(&mut self) {
        if let Some(ply) = self.plies.pop() {
            self.changes.truncate(ply.start);
        }
    }

    /// The changes made by the move that led to a ply.
    fn changes_of(&self, ply: usize) -> &[Change] {
        let end = self.plies.get(ply + 1).map_or(self.changes.len(), |next| next.start);
        &self.changes[self.plies[ply].start..end]
    }
}

impl Default for Log {
    fn default() -> Self {
        Self::new()
    }
}

impl Observer for Log {
    #[inline]
    fn put(&mut self, piece: Piece, square: Square) {
        self.changes.push(Change::appears(Feature::piece(piece, square)));
    }

    #[inline]
    fn lift(&mut self, piece: Piece, square: Square) {
        self.changes.push(Change::vanishes(Feature::piece(piece, square)));
    }

    #[inline]
    fn hand(&mut self, color: Color, kind: Kind, before: u32, after: u32) {
        for nth in before..after {
            self.changes.push(Change::appears(Feature::held(color, kind, nth)));
        }
        for nth in after..before {
            self.changes.push(Change::vanishes(Feature::held(color, kind, nth)));
        }
    }
}

/// The first layer of a network: what its accumulators start from and what each input adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transformer {
    /// `[blocks]`
    pub bias: Vec<Block>,
    /// `[inputs][blocks]`
    pub weights: Vec<Block>,
}

impl Transformer {
    /// Blocks of the accumulators of a side.
    #[inline]
    pub fn blocks(&self) -> usize {
        self.bias.len()
    }
}

/// What the accumulators of a side hold at a ply.
#[derive(Clone, Copy)]
struct State<E> {
    /// Of the position.
    id: u64,
    view: View,
    extras: E,
}

const WORDS: usize = Feature::COUNT.div_ceil(64);

/// A set of features.
type FeatureBits = [u64; WORDS];

/// Accumulators of a view that were computed once, for positions that are looked at in the same way later.
#[derive(Clone)]
struct Refresh {
    features: FeatureBits,
    values: Vec<Block>,
}

/// Rows that are added or taken away together.
const BATCH: usize = 32;

/// Rows collected for a kernel.
#[derive(Default)]
struct Batch {
    add: ArrayVec<u32, BATCH>,
    sub: ArrayVec<u32, BATCH>,
}

impl Batch {
    /// Takes the inputs of a feature in. It must have had room.
    #[inline]
    fn push<F: FeatureSet>(&mut self, view: View, feature: Feature, vanishes: bool) {
        let rows = if vanishes { &mut self.sub } else { &mut self.add };
        F::inputs(view, feature, |input| rows.push(input as u32));
    }

    /// Whether there is no room for another feature.
    fn is_full(&self) -> bool {
        self.add.len().max(self.sub.len()) > BATCH - 2
    }
}

/// Accumulators are refreshed rather than followed over more changes than this.
const MOST_CHANGES: usize = 48;

/// The accumulators of both sides along a line.
#[derive(Clone)]
pub struct Accumulators<F: FeatureSet> {
    blocks: usize,
    /// `[ply][color][blocks]`
    values: Vec<Block>,
    states: Vec<ByColor<Option<State<F::Extras>>>>,
    /// By side of the view and group, made when needed.
    refreshes: Vec<Option<Refresh>>,
    marker: PhantomData<F>,
}

impl<F: FeatureSet> Accumulators<F> {
    /// None computed yet.
    pub fn new(transformer: &Transformer) -> Self {
        Self {
            blocks: transformer.blocks(),
            values: Vec::new(),
            states: Vec::new(),
            refreshes: vec![None; 4 * F::GROUPS],
            marker: PhantomData,
        }
    }

    fn range(&self, ply: usize, color: Color) -> std::ops::Range<usize> {
        let start = (2 * ply + color.index()) * self.blocks;
        start..start + self.blocks
    }

    /// The accumulators of the side to move and of the other one, up to date with the position, the last one of the log.
    pub fn update(
        &mut self,
        kernel: &Kernel,
        transformer: &Transformer,
        log: &Log,
        position: &F::Position,
    ) -> [&[Block]; 2] {
        use crate::game::Position;
        let ply = log.plies.len() - 1;
        if self.states.len() <= ply {
            self.states.resize(ply + 1, ByColor([None, None]));
            self.values.resize((ply + 1) * 2 * self.blocks, Block::ZERO);
        }
        let views = Color::ALL.map(|color| F::view(position, color));
        let extras = F::extras(position, views);
        for (view, extras) in views.into_iter().zip(extras) {
            self.update_side(kernel, transformer, log, position, view);
            if F::Extras::COUNT > 0 {
                self.exchange_extras(kernel, transformer, extras, view, ply);
            }
        }
        let us = position.side_to_move();
        [us, !us].map(|color| &self.values[self.range(ply, color)])
    }

    fn update_side(
        &mut self,
        kernel: &Kernel,
        transformer: &Transformer,
        log: &Log,
        position: &F::Position,
        view: View,
    ) {
        let color = view.color;
        let last = log.plies.len() - 1;
        let known = |ply: usize| {
            let state = self.states[ply][color].as_ref();
            state.is_some_and(|state| state.id == log.plies[ply].id && state.view == view)
        };
        // The nearest earlier position with the same view, if following the changes since is less work than a refresh.
        let mut ply = last;
        let found = loop {
            if known(ply) {
                break true;
            }
            if ply == 0 || log.changes.len() - log.plies[ply].start > MOST_CHANGES {
                break false;
            }
            ply -= 1;
        };
        if found {
            while ply < last {
                self.step(kernel, transformer, log, view, ply);
                ply += 1;
            }
        } else {
            self.refresh(kernel, transformer, position, view, last);
            self.states[last][color] = Some(State { id: log.plies[last].id, view, extras: F::Extras::EMPTY });
        }
    }

    /// From the accumulators of a ply to those of the next one.
    fn step(&mut self, kernel: &Kernel, transformer: &Transformer, log: &Log, view: View, ply: usize) {
        let (from, to) = (self.range(ply, view.color), self.range(ply + 1, view.color));
        let (before, after) = self.values.split_at_mut(to.start);
        let out = &mut after[..self.blocks];
        let mut base = Some(&before[from]);
        let mut batch = Batch::default();
        for &change in log.changes_of(ply + 1) {
            batch.push::<F>(view, change.feature(), change.is_vanishing());
            if batch.is_full() {
                kernel.update(out, base.take(), &transformer.weights, Rows { add: &batch.add, sub: &batch.sub });
                batch = Batch::default();
            }
        }
        kernel.update(out, base, &transformer.weights, Rows { add: &batch.add, sub: &batch.sub });
        let extras = self.states[ply][view.color].map_or(F::Extras::EMPTY, |state| state.extras);
        self.states[ply + 1][view.color] = Some(State { id: log.plies[ply + 1].id, view, extras });
    }

    /// Computes accumulators, extras left out, from those that the view had when this was done last.
    fn refresh(&mut self, kernel: &Kernel, transformer: &Transformer, position: &F::Position, view: View, ply: usize) {
        let range = self.range(ply, view.color);
        let slot = &mut self.refreshes[view.side() + 4 * usize::from(view.group)];
        let slot = slot.get_or_insert_with(|| Refresh { features: [0; WORDS], values: transformer.bias.clone() });
        let mut features = [0; WORDS];
        F::features(position, |feature| features[feature.index() / 64] |= 1 << (feature.index() % 64));
        let mut batch = Batch::default();
        for (word, (&new, &old)) in features.iter().zip(&slot.features).enumerate() {
            let mut changed = new ^ old;
            while changed != 0 {
                let bit = changed.trailing_zeros() as usize;
                changed &= changed - 1;
                batch.push::<F>(view, Feature::from_index((64 * word + bit) as u16), new >> bit & 1 == 0);
                if batch.is_full() {
                    let rows = Rows { add: &batch.add, sub: &batch.sub };
                    kernel.update(&mut slot.values, None, &transformer.weights, rows);
                    batch = Batch::default();
                }
            }
        }
        kernel.update(&mut slot.values, None, &transformer.weights, Rows { add: &batch.add, sub: &batch.sub });
        slot.features = features;
        self.values[range].copy_from_slice(&slot.values);
    }

    /// Brings the extras in line with the position.
    fn exchange_extras(
        &mut self,
        kernel: &Kernel,
        transformer: &Transformer,
        extras: F::Extras,
        view: View,
        ply: usize,
    ) {
        let range = self.range(ply, view.color);
        let Some(state) = &mut self.states[ply][view.color] else { return };
        if state.extras == extras {
            return;
        }
        let (mut add, mut sub) = (ArrayVec::<u32, MAX_EXTRAS>::new(), ArrayVec::<u32, MAX_EXTRAS>::new());
        for (&new, &old) in extras.places().iter().zip(state.extras.places()) {
            if new != old {
                if new != NO_INPUT {
                    add.push(u32::from(new));
                }
                if old != NO_INPUT {
                    sub.push(u32::from(old));
                }
            }
        }
        kernel.update(&mut self.values[range], None, &transformer.weights, Rows { add: &add, sub: &sub });
        state.extras = extras;
    }
}
