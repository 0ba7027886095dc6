//! Tuning by simultaneous perturbation (SPSA): all numbers are moved at once, half of them up and half down, the two
//! sets play a pair of games, and every number goes a little towards the better of its two values.

use std::sync::mpsc;

use thiserror::Error;

use crate::game::{Game, HouseRules, Position};
use crate::random::Random;
use crate::search::{Change, Engine, Limits, Outcome, PARAMETERS, Params, SearchOptions};
use crate::usi::{PositionSpec, Table};

use super::openings::Openings;

/// A number that is tuned.
#[derive(Clone, Debug)]
pub struct Knob {
    /// Its place in [`PARAMETERS`].
    pub index: usize,
    /// How far it is moved up and down at the end of the run.
    pub step: f64,
    /// Its present value.
    pub value: f64,
}

/// What cannot be tuned.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum KnobError {
    /// No such parameter.
    #[error("the search has no parameter {0:?}")]
    Unknown(String),
    /// The step is no positive number.
    #[error("{0:?} is not a step")]
    Step(String),
}

impl Knob {
    /// A knob at a game's own value, from `name` or `name:step`; the step is an eighth of the value otherwise.
    pub fn parse(text: &str, params: Params) -> Result<Self, KnobError> {
        let (name, step) = text.split_once(':').unwrap_or((text, ""));
        let index = PARAMETERS
            .iter()
            .position(|parameter| parameter.name == name)
            .ok_or_else(|| KnobError::Unknown(name.to_owned()))?;
        let value = f64::from(params.get(index));
        let step = match step {
            "" => (value.abs() / 8.0).max(1.0),
            text => text
                .parse()
                .ok()
                .filter(|&step: &f64| step > 0.0 && step.is_finite())
                .ok_or_else(|| KnobError::Step(text.to_owned()))?,
        };
        Ok(Self { index, step, value })
    }

    /// The value within the parameter's range.
    fn clamped(&self, value: f64) -> f64 {
        let parameter = &PARAMETERS[self.index];
        value.clamp(f64::from(parameter.low), f64::from(parameter.high))
    }
}

/// The course of a run, as Spall recommends it for noisy measurements.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Pairs of games in all.
    pub pairs: u64,
    /// How far a won pair moves a number at the end, in steps.
    pub rate: f64,
}

/// Decay of the gain.
const ALPHA: f64 = 0.602;
/// Decay of the steps.
const GAMMA: f64 = 0.101;

impl Schedule {
    /// The step and what a won game moves, in terms of a knob's own step, at the pair of that number from 0.
    fn at(&self, pair: u64) -> (f64, f64) {
        let (k, n) = ((pair + 1) as f64, self.pairs.max(1) as f64);
        // The first tenth goes slowly.
        let start = n / 10.0;
        let step = (n / k).powf(GAMMA);
        let gain = self.rate * ((start + n) / (start + k)).powf(ALPHA) / step;
        (step, gain)
    }
}

/// Tunes knobs by games of one variant.
pub struct Tuner<G: Game> {
    /// What is tuned, at its present values.
    pub knobs: Vec<Knob>,
    schedule: Schedule,
    seed: u64,
    rules: HouseRules,
    nodes: u64,
    engines: [Engine<G>; 2],
}

/// A game is given up when both sides see a lead of so many points …
const DECIDED: i32 = 1500;
/// … for so many turns in succession.
const TURNS: u32 = 6;

impl<G: Game> Tuner<G> {
    /// A tuner whose players search that many nodes a turn.
    pub fn new(knobs: Vec<Knob>, schedule: Schedule, seed: u64, rules: HouseRules, nodes: u64) -> Self {
        Self { knobs, schedule, seed, rules, nodes, engines: [(); 2].map(|()| Engine::new(8, 1)) }
    }

    /// Plays the pair of that number and moves the knobs; the points of the upper set less those of the lower one,
    /// from -2 to 2.
    pub fn pair(&mut self, number: u64, openings: &mut dyn Openings) -> f64 {
        let (scale, gain) = self.schedule.at(number);
        let mut random = Random::new(Random::new(self.seed ^ 0x7a17).bits() ^ number);
        let signs: Vec<f64> = self.knobs.iter().map(|_| if random.bits() >> 63 == 0 { 1.0 } else { -1.0 }).collect();
        let options = [1.0, -1.0].map(|side| {
            let mut change = Change::default();
            for (knob, sign) in self.knobs.iter().zip(&signs) {
                // Values are whole numbers: a fraction decides by chance, so that it is not lost.
                let value = knob.clamped(knob.value + side * sign * scale * knob.step);
                let value = value.floor() + f64::from(u8::from(random.unit() < value - value.floor()));
                change.set(knob.index, value as i32);
            }
            SearchOptions { change, ..SearchOptions::default() }
        });
        let opening = openings.opening(number);
        let result = self.game(&opening, [&options[0], &options[1]]) - self.game(&opening, [&options[1], &options[0]]);
        for (knob, sign) in self.knobs.iter_mut().zip(&signs) {
            knob.value = knob.clamped(knob.value + gain * knob.step * sign * result);
        }
        result
    }

    /// Plays a game; 1 if who moves first wins, -1 if it loses.
    fn game(&mut self, opening: &str, options: [&SearchOptions; 2]) -> f64 {
        let table = PositionSpec::parse(opening).and_then(|spec| Table::<G::Position>::set_up(&spec, &self.rules));
        let Ok(table) = table else { return 0.0 };
        let mut position = table.position;
        self.engines.iter_mut().for_each(Engine::clear);
        let first = position.side_to_move();
        let value = |winner| if winner == first { 1.0 } else { -1.0 };
        let mut decided = 0i32;
        loop {
            if let Some(result) = position.result() {
                return result.winner.map_or(0.0, value);
            }
            if let Some(winner) = position.impasse_winner() {
                return value(winner);
            }
            let side = position.side_to_move();
            let player = usize::from(side != first);
            let outcome = self.think(player, &position, options[player]);
            if outcome.best.is_empty() {
                return value(!side);
            }
            // Turns in a row in which the mover was sure, counted with the sign of the first side.
            let score = if side == first { outcome.score } else { -outcome.score };
            decided = match score {
                DECIDED.. => decided.max(0) + 1,
                _ if score <= -DECIDED => decided.min(0) - 1,
                _ => 0,
            };
            if decided.unsigned_abs() >= TURNS {
                return f64::from(decided.signum());
            }
            for m in outcome.best {
                position.make(m, &mut ());
            }
        }
    }

    fn think(&mut self, player: usize, position: &G::Position, options: &SearchOptions) -> Outcome {
        let (sender, receiver) = mpsc::channel();
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let done = Box::new(move |outcome: &Outcome| {
            // Fails only if nobody waits any more.
            let _ = sender.send(outcome.clone());
        });
        self.engines[player].go(position.clone(), limits, options, Box::new(|_| {}), done);
        receiver.recv().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Variant;
    use crate::lab::openings::{OpeningSpec, openings};
    use crate::shogi::Shogi;

    #[test]
    fn knobs_are_read() {
        let knob = Knob::parse("razor:25", Params::SHOGI).unwrap();
        assert_eq!(
            (PARAMETERS[knob.index].name, knob.step, knob.value),
            ("razor", 25.0, f64::from(Params::SHOGI.razor))
        );
        assert!(Knob::parse("delta", Params::SHOGI).unwrap().step >= 1.0);
        for wrong in ["blazor", "razor:x", "razor:-1", "razor:inf"] {
            assert!(Knob::parse(wrong, Params::SHOGI).is_err(), "{wrong}");
        }
    }

    #[test]
    fn gains_fall_to_the_rate() {
        let schedule = Schedule { pairs: 1000, rate: 0.02 };
        let (first, last) = (schedule.at(0), schedule.at(999));
        assert!(first.0 > last.0 && first.1 > last.1);
        assert!((last.0 - 1.0).abs() < 1e-9 && (last.1 - 0.02).abs() < 1e-9);
    }

    #[test]
    fn a_pair_moves_every_knob_or_none() {
        let knobs = ["razor:30", "delta:20"].map(|text| Knob::parse(text, Params::SHOGI).unwrap()).to_vec();
        let before: Vec<f64> = knobs.iter().map(|knob| knob.value).collect();
        let rules = HouseRules { move_limit: 60, ..HouseRules::default() };
        let spec = OpeningSpec { seed: 3, shortest: 4, longest: 6, bound: 300 };
        let mut openings = openings(Variant::Shogi, &rules, spec);
        let mut tuner = Tuner::<Shogi>::new(knobs, Schedule { pairs: 10, rate: 0.1 }, 1, rules, 100);
        for number in 0..4 {
            let values: Vec<f64> = tuner.knobs.iter().map(|knob| knob.value).collect();
            let result = tuner.pair(number, &mut *openings);
            for (knob, before) in tuner.knobs.iter().zip(values) {
                assert_eq!(knob.value != before, result != 0.0);
            }
        }
        assert_eq!(tuner.knobs.len(), before.len());
    }
}
