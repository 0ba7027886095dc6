//! A training run from the first step to the exported net.

use std::path::{Path, PathBuf};
use std::time::Instant;

use thiserror::Error;

use super::batch::{Batch, Recipe, sigmoid};
use super::checkpoint::{self, CheckpointError, Progress, State};
use super::export::{self, Difference, ExportError};
use super::model::{Decay, Model};
use super::report::{HeldOut, NetFile, Record, Row, csv, svg};
use super::samples::Samples;
use super::settings::{Settings, SettingsError};
use super::source::{Part, Source, SourceError, fit_scale};
use crate::game::Variant;
use crate::nnue::InputSet;
use crate::nnue::file::{self, FileError, Header};
use crate::random::Random;

/// Names of the files of a run.
const CHECKPOINT: &str = "checkpoint";
const NET: &str = "net.happonet";
const CURVE: &str = "loss.csv";
const PICTURE: &str = "loss.svg";
const RECORD: &str = "record.json";

/// Most positions that floats and rounded numbers are compared on.
const COMPARED: usize = 50_000;

/// Part of a run after which the output weights are rounded and stay as they are.
const FROZEN: f64 = 0.7;

/// Why a run cannot go on.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum TrainError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error("{0}: {1}")]
    Start(PathBuf, FileError),
    #[error("{path}: a network for {made_for} is no beginning for {variant}")]
    Game { path: PathBuf, made_for: Variant, variant: Variant },
    #[error("{0}: {1}")]
    Io(PathBuf, std::io::Error),
    #[error("{0} already holds a run: go on with it by --resume, or choose another folder")]
    Taken(PathBuf),
    #[error("the games are no longer the ones that the run began with")]
    OtherGames,
    #[error("the loss is no longer a number: the learning rate is too high")]
    Diverged,
    #[error("threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("the picture of the loss: {0}")]
    Picture(String),
}

/// What is told while training goes on.
#[derive(Clone, Copy, Debug)]
pub struct News {
    /// Part of the run that is done, 0..1.
    pub done: f64,
    /// Positions gone through since this process began.
    pub positions: u64,
    /// Seconds since then, without loading.
    pub seconds: f64,
    /// Mean loss of this epoch so far.
    pub loss: f64,
}

/// How a run is watched and stopped.
pub trait Audience {
    /// Called after every step. Training stops, with a checkpoint, once it says `false`.
    fn step(&mut self, news: News) -> bool;
    /// An epoch is over.
    fn epoch(&mut self, row: &Row);
}

/// What came of a run.
#[derive(Clone, Debug)]
pub enum End {
    /// It was stopped; the checkpoint is there.
    Stopped,
    /// The net is there.
    Done {
        /// Where.
        net: PathBuf,
        /// What rounding its weights changed.
        difference: Difference,
    },
}

/// A run.
#[derive(Debug)]
pub struct Run {
    state: State,
    model: Model,
    source: Source,
    folder: PathBuf,
    pool: rayon::ThreadPool,
    held_out: Samples,
    /// The part in memory and which it is.
    loaded: Option<(usize, Samples)>,
    positions: u64,
    seconds: f64,
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, TrainError> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?)
}

impl Run {
    /// Begins one: reads the games in `data` and starts from a net or from chance. The scale is fitted unless it is given or
    /// there is a net that has one.
    pub fn new(
        mut settings: Settings,
        data: Vec<PathBuf>,
        start: Option<&Path>,
        folder: &Path,
        threads: usize,
    ) -> Result<Self, TrainError> {
        settings.check()?;
        let pool = pool(threads)?;
        std::fs::create_dir_all(folder).map_err(|error| TrainError::Io(folder.into(), error))?;
        if folder.join(CHECKPOINT).exists() {
            return Err(TrainError::Taken(folder.into()));
        }
        let parameters = start.map(|path| read_net(path, settings.variant)).transpose()?;
        settings.scale = settings.scale.or(parameters.as_ref().map(|net| net.header.scale));
        let source = Source::open(&data, &settings)?;
        let (first, held_out) = pool.install(|| -> Result<_, SourceError> {
            Ok((source.load(Part::Training(0))?, source.load(Part::HeldOut)?))
        })?;
        let scale = match settings.scale {
            Some(scale) => scale,
            None => fit_scale(&first).ok_or(SourceError::Nothing)?,
        };
        let shape = settings.shape();
        let model = match &parameters {
            Some(net) => Model::from_parameters(shape.clone(), &export::dequantise(net, &shape, scale)?),
            None => Model::random(shape, first.active(), &mut Random::new(settings.seed)),
        };
        let state = State {
            files: source.files().cloned().collect(),
            data,
            start: start.and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned()),
            scale,
            progress: Progress::default(),
            curve: Vec::new(),
            settings,
        };
        let folder = folder.to_owned();
        Ok(Self { state, model, source, folder, pool, held_out, loaded: Some((0, first)), positions: 0, seconds: 0.0 })
    }

    /// Goes on with the one in a folder.
    pub fn resume(folder: &Path, threads: usize) -> Result<Self, TrainError> {
        let pool = pool(threads)?;
        let (state, model) = checkpoint::load(&folder.join(CHECKPOINT))?;
        let source = Source::open(&state.data, &state.settings)?;
        if !source.files().eq(&state.files) {
            return Err(TrainError::OtherGames);
        }
        let held_out = pool.install(|| source.load(Part::HeldOut))?;
        let folder = folder.to_owned();
        Ok(Self { state, model, source, folder, pool, held_out, loaded: None, positions: 0, seconds: 0.0 })
    }

    /// Its state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// In how many parts each epoch loads the games.
    pub fn parts(&self) -> usize {
        self.source.parts()
    }

    /// Positions held out.
    pub fn held_out(&self) -> usize {
        self.held_out.len()
    }

    /// Trains to the end, unless it is stopped, and exports the net. Saves itself after every epoch.
    pub fn train(&mut self, audience: &mut dyn Audience) -> Result<End, TrainError> {
        while self.state.progress.epoch < self.state.settings.epochs {
            if !self.epoch(audience)? {
                self.save()?;
                return Ok(End::Stopped);
            }
            self.end_epoch(audience)?;
        }
        self.export()
    }

    /// The order in which an epoch goes through the parts.
    fn order(&self) -> Vec<usize> {
        let mut parts: Vec<usize> = (0..self.source.parts()).collect();
        self.chance(usize::MAX).shuffle(&mut parts);
        parts
    }

    /// Random numbers of this epoch, for a part.
    fn chance(&self, part: usize) -> Random {
        let epoch = Random::new(self.state.settings.seed ^ u64::from(self.state.progress.epoch) << 32).bits();
        Random::new(epoch ^ part as u64)
    }

    fn recipe<'a>(&self, symmetries: &'a [Vec<u16>], done: f64) -> Recipe<'a> {
        let settings = &self.state.settings;
        Recipe {
            inputs: self.model.shape().inputs,
            blend: settings.blend(done, self.state.scale),
            symmetries,
            seed: self.chance(0).bits(),
        }
    }

    /// Goes through what is left of an epoch; `false` if stopped.
    fn epoch(&mut self, audience: &mut dyn Audience) -> Result<bool, TrainError> {
        let symmetries = InputSet::of(self.state.settings.variant).symmetries();
        let parts = self.order();
        while self.state.progress.part < parts.len() {
            let part = parts[self.state.progress.part];
            let samples = match self.loaded.take() {
                Some((loaded, samples)) if loaded == part => samples,
                _ => self.pool.install(|| self.source.load(Part::Training(part)))?,
            };
            let going_on = self.part(part, &samples, &symmetries, audience);
            self.loaded = Some((part, samples));
            if !going_on? {
                return Ok(false);
            }
            self.state.progress.part += 1;
            self.state.progress.batch = 0;
        }
        if self.state.progress.positions == 0 { Err(SourceError::Nothing.into()) } else { Ok(true) }
    }

    /// Goes through what is left of a part; `false` if stopped.
    fn part(
        &mut self,
        part: usize,
        samples: &Samples,
        symmetries: &[Vec<u16>],
        audience: &mut dyn Audience,
    ) -> Result<bool, TrainError> {
        let settings = self.state.settings.clone();
        let decay = Decay { weight: settings.decay as f32 };
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        self.chance(part).shuffle(&mut order);
        // Batches of nearly the same size, so that none is a small and noisy one.
        let batches = samples.len().div_ceil(settings.batch);
        let mut batch = Batch::default();
        while self.state.progress.batch < batches {
            let start = Instant::now();
            let index = self.state.progress.batch;
            let done = self.done(batches);
            let from = samples.len() * index / batches;
            let picked = &order[from..samples.len() * (index + 1) / batches];
            let recipe = self.recipe(symmetries, done);
            let rate = settings.rate(self.state.progress.steps, done);
            let model = &mut self.model;
            if done >= FROZEN {
                model.freeze_output();
            }
            let loss = self.pool.install(|| {
                batch.fill(samples, picked, &recipe);
                model.learn(&batch, rate, decay)
            });
            if !loss.is_finite() {
                return Err(TrainError::Diverged);
            }
            let seconds = start.elapsed().as_secs_f64();
            let progress = &mut self.state.progress;
            progress.batch += 1;
            progress.steps += 1;
            progress.positions += picked.len() as u64;
            progress.loss += loss * picked.len() as f64;
            progress.seconds += seconds;
            self.positions += picked.len() as u64;
            self.seconds += seconds;
            let loss = progress.loss / progress.positions as f64;
            let news = News { done: self.done(batches), positions: self.positions, seconds: self.seconds, loss };
            if !audience.step(news) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The part of the run that is done, given the number of batches in the part at hand.
    fn done(&self, batches: usize) -> f64 {
        let Progress { epoch, part, batch, .. } = self.state.progress;
        let part = part as f64 + batch as f64 / batches.max(1) as f64;
        (f64::from(epoch) + part / self.source.parts() as f64) / f64::from(self.state.settings.epochs)
    }

    fn end_epoch(&mut self, audience: &mut dyn Audience) -> Result<(), TrainError> {
        let progress = &mut self.state.progress;
        let (epoch, positions) = (progress.epoch + 1, progress.positions);
        let training = progress.loss / positions.max(1) as f64;
        let (steps, seconds) = (progress.steps, progress.seconds);
        *progress = Progress { epoch, steps, seconds, ..Progress::default() };
        let done = f64::from(epoch) / f64::from(self.state.settings.epochs);
        let row = Row {
            epoch,
            steps,
            positions,
            rate: self.state.settings.rate(steps, done),
            result: self.recipe(&[], done).blend.result,
            training,
            held_out: self.held_out_loss(),
            seconds,
        };
        self.state.curve.push(row);
        audience.epoch(&row);
        self.write(CURVE, csv(&self.state.curve).as_bytes())?;
        self.write(PICTURE, svg(&self.state.curve).map_err(TrainError::Picture)?.as_bytes())?;
        self.save()
    }

    /// Mean squared errors over the games held out.
    fn held_out_loss(&mut self) -> Option<HeldOut> {
        let recipe = self.recipe(&[], 1.0);
        let only = |result: f32| super::batch::Blend { result, ..recipe.blend };
        let (model, samples) = (&mut self.model, &self.held_out);
        let picked: Vec<u32> = (0..samples.len() as u32).collect();
        let mut sums = [0.0; 3];
        self.pool.install(|| {
            model.for_each_output(samples, &picked, &recipe, |index, output, target| {
                let sample = samples.get(index as usize);
                let share = sigmoid(output);
                let targets = [target, only(1.0).target(&sample), only(0.0).target(&sample)];
                for (sum, target) in sums.iter_mut().zip(targets) {
                    *sum += f64::from(share - target).powi(2);
                }
            });
        });
        let [blend, result, score] = sums.map(|sum| sum / samples.len().max(1) as f64);
        (!samples.is_empty()).then_some(HeldOut { blend, result, score })
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, TrainError> {
        let path = self.folder.join(name);
        checkpoint::write_whole(&path, bytes).map_err(|error| TrainError::Io(path.clone(), error))?;
        Ok(path)
    }

    fn save(&self) -> Result<(), TrainError> {
        Ok(checkpoint::save(&self.folder.join(CHECKPOINT), &self.state, &self.model)?)
    }

    /// Writes the net and its record.
    fn export(&mut self) -> Result<End, TrainError> {
        let settings = &self.state.settings;
        let games: u64 = self.state.files.iter().map(|file| file.games).sum();
        let header = Header {
            variant: settings.variant,
            width: settings.width,
            buckets: settings.buckets,
            scale: self.state.scale,
            note: format!("happo {}, {games} games, seed {}", env!("CARGO_PKG_VERSION"), settings.seed),
        };
        let mut net = export::quantise(&self.model.parameters(), header)?;
        let learnt = match self.loaded.take() {
            Some((_, samples)) => samples,
            None => self.pool.install(|| self.source.load(Part::Training(0)))?,
        };
        let recipe = self.recipe(&[], 1.0);
        let learnt = learnt.thinned(COMPARED);
        // Unseen positions where there are any.
        let unseen = self.held_out.thinned(COMPARED);
        let compared = if unseen.is_empty() { &learnt } else { &unseen };
        let model = &mut self.model;
        let difference = self.pool.install(|| {
            export::refine(&mut net, model, &learnt, &recipe);
            Difference::measure(model, &net, compared, &recipe)
        });
        let bytes = net.to_bytes().map_err(ExportError::File)?;
        let net = NetFile { name: NET.into(), bytes: bytes.len(), crc32: format!("{:08x}", file::number(&bytes)) };
        let record = Record::new(&self.state, net, self.held_out.len(), difference);
        let mut text = serde_json::to_string_pretty(&record)
            .map_err(|error| TrainError::Io(self.folder.join(RECORD), error.into()))?;
        text.push('\n');
        self.write(RECORD, text.as_bytes())?;
        Ok(End::Done { net: self.write(NET, &bytes)?, difference })
    }
}

/// A network to start from, made for the game or for one that it can begin with.
fn read_net(path: &Path, variant: Variant) -> Result<file::Parameters, TrainError> {
    let bytes = std::fs::read(path).map_err(|error| TrainError::Io(path.into(), error))?;
    let net = file::Parameters::from_bytes(&bytes).map_err(|error| TrainError::Start(path.into(), error))?;
    let made_for = net.header.variant;
    net.adapt(variant).ok_or_else(|| TrainError::Game { path: path.into(), made_for, variant })
}
