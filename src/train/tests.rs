//! Whole runs on made-up games, and what can be checked without games.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::batch::{Batch, Blend, Recipe};
use super::checkpoint::{self, CheckpointError};
use super::export::{self, Difference, ExportError};
use super::kernels;
use super::model::{Decay, Model, Shape};
use super::report::Row;
use super::run::{Audience, End, News, Run, TrainError};
use super::samples::{Outcome, Sample, Samples};
use super::settings::{Settings, SettingsError};
use super::source::{Part, Source, SourceError, fit_scale, inputs};
use crate::board::{Color, MoveList};
use crate::data::{Ending, GameFile, GameRecord, Header, Ply};
use crate::game::{Evaluator, Game, HouseRules, Position, Stage, Variant};
use crate::games::{ForGame, for_game};
use crate::hasami::Hasami;
use crate::nnue::{self, InputSet, Inputs, NetGame};
use crate::random::Random;

/// A folder that is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("happo-train-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn settings(variant: Variant) -> Settings {
    Settings {
        variant,
        width: 32,
        buckets: InputSet::of(variant).buckets(),
        factoriser: true,
        epochs: 3,
        batch: 1000,
        rate: 3e-3,
        final_rate: 1e-5,
        warmup: 5,
        decay: 0.01,
        blend: [0.1, 0.3],
        lambda: 0.0,
        scale: None,
        seed: 9,
        held_out: 0.1,
        max_score: 3000,
        quiet: true,
        memory: 100,
    }
}

/// Random games; the scores tell who is ahead in captures or material.
fn write_games(path: &Path, variant: Variant, games: u32, seed: u64) {
    struct Games<'a>(&'a Path, u32, u64);
    impl ForGame for Games<'_> {
        type Output = ();
        fn run<G: NetGame>(self) {
            let Self(path, games, seed) = self;
            let rules = HouseRules::default();
            let header = Header {
                variant: G::Position::variant(),
                rules,
                soft_nodes: 1,
                hard_nodes: 1,
                program: 0,
                network: 0,
                version: "test".to_owned(),
            };
            let (mut file, _) = GameFile::open(path, &header).unwrap().unwrap();
            for number in 0..games {
                let mut random = Random::new(seed << 32 | u64::from(number));
                let mut position = G::Position::startpos(&rules);
                let mut plies = Vec::new();
                while plies.len() < 80 && position.result().is_none() {
                    let mut moves = MoveList::new();
                    position.generate(Stage::All, &mut moves);
                    let m = moves[random.below(moves.len())];
                    let score = (plies.len() >= 8).then(|| ahead(&position) as i16);
                    plies.push(Ply { m, score });
                    position.make(m, &mut ());
                }
                let lead = ahead(&position) * if position.side_to_move() == Color::Black { 1 } else { -1 };
                let winner = match lead {
                    ..-50 => Some(Color::White),
                    51.. => Some(Color::Black),
                    _ => None,
                };
                let (start, ending) = (String::new(), Ending::Adjudicated);
                file.add(&GameRecord { seed, number, start, plies, winner, ending, played_out: false }).unwrap();
            }
        }
    }
    for_game(variant, Games(path, games, seed));
}

/// Pieces of the side to move, on the board and in hand, less those of the enemy, times a hundred.
fn ahead<P: Position>(position: &P) -> i32 {
    let side = position.side_to_move();
    let count = |color: Color| {
        let board = crate::board::Square::all()
            .filter(|&square| position.piece_on(square).is_some_and(|piece| piece.color() == color));
        let hand: u32 = crate::board::Kind::HAND.into_iter().map(|kind| position.hand_count(color, kind)).sum();
        board.count() as i32 + hand as i32
    };
    100 * (count(side) - count(!side))
}

/// Stops after some steps; keeps the rows.
struct Watch {
    steps: u64,
    rows: Vec<Row>,
}

impl Watch {
    fn to_the_end() -> Self {
        Self { steps: u64::MAX, rows: Vec::new() }
    }
}

impl Audience for Watch {
    fn step(&mut self, news: News) -> bool {
        assert!((0.0..=1.0).contains(&news.done) && news.positions > 0 && news.loss.is_finite());
        self.steps -= 1;
        self.steps > 0
    }

    fn epoch(&mut self, row: &Row) {
        self.rows.push(*row);
    }
}

fn begin(settings: &Settings, data: &Path, out: &Path, threads: usize) -> Run {
    Run::new(settings.clone(), vec![data.to_owned()], None, out, threads).unwrap()
}

fn finish(run: &mut Run) -> (Vec<u8>, Difference) {
    match run.train(&mut Watch::to_the_end()).unwrap() {
        End::Done { net, difference } => (fs::read(net).unwrap(), difference),
        End::Stopped => panic!("nobody stopped it"),
    }
}

#[test]
fn a_run_learns_and_its_net_is_read_back() {
    for variant in [Variant::Hasami, Variant::Flanking, Variant::AiHappokei] {
        let folder = Folder::new(&format!("run-{variant}"));
        write_games(&folder.0.join("a.games"), variant, 150, 1);
        let settings = Settings { epochs: 12, batch: 500, scale: Some(100), ..settings(variant) };
        let out = folder.0.join("out");
        // Random games are decided by little: a scale of that size spreads the scores as those of real games are.
        let mut run = Run::new(settings, vec![folder.0.clone()], None, &out, 1).unwrap();
        let held_out = run.held_out();
        assert!(held_out > 50);
        let mut watch = Watch::to_the_end();
        let End::Done { net, difference } = run.train(&mut watch).unwrap() else { panic!("nobody stopped it") };
        let losses: Vec<f64> = watch.rows.iter().map(|row| row.held_out.unwrap().score).collect();
        // Of so few games only the rough worth of things can be learnt.
        assert!(losses[11] < 0.5 * losses[0], "{variant}: {losses:?}");
        let net = nnue::Parameters::from_bytes(&fs::read(net).unwrap()).unwrap();
        assert_eq!((net.header.variant, net.header.width), (variant, 32));
        for_game(variant, Scores(&net));
        assert_eq!(difference.positions, held_out);
        assert!(difference.is_small(), "{variant}: {difference:?}");
        let record: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(out.join("record.json")).unwrap()).unwrap();
        assert_eq!(record["data"][0]["games"], 150);
        assert_eq!(record["settings"]["variant"], variant.name());
        assert_eq!(record["held_out"], held_out);
        let table = fs::read_to_string(out.join("loss.csv")).unwrap();
        assert_eq!(table.lines().count(), 13);
        let columns = table.lines().map(|line| line.split(',').count());
        assert!(columns.clone().all(|count| count == 10), "{:?}", columns.collect::<Vec<_>>());
        assert!(fs::read_to_string(out.join("loss.svg")).unwrap().ends_with("</svg>\n"));
    }
}

/// Compares the engine's score of random positions with what was measured when the net was written.
struct Scores<'a>(&'a nnue::Parameters);

impl ForGame for Scores<'_> {
    type Output = ();

    fn run<G: NetGame>(self) {
        let network = Arc::new(nnue::Network::new(self.0));
        let mut eval = G::Eval::new(&nnue::Evaluation::Network(network));
        let mut random = Random::new(40);
        let mut position = G::Position::startpos(&HouseRules::default());
        let (mut own, mut enemy) = (Vec::new(), Vec::new());
        for _ in 0..60 {
            let mut moves = MoveList::new();
            position.generate(Stage::All, &mut moves);
            if position.result().is_some() {
                break;
            }
            position.make(moves[random.below(moves.len())], &mut ());
            eval.reset(&position);
            inputs::<G>(&position, position.side_to_move(), &mut own);
            inputs::<G>(&position, !position.side_to_move(), &mut enemy);
            let bucket = G::Inputs::bucket(&position) as u8;
            let sample = Sample { own: &own, enemy: &enemy, bucket, score: 0, outcome: Outcome::Draw };
            assert_eq!(eval.evaluate(&position), export::value(self.0, &sample), "{}", position.diagram());
        }
    }
}

#[test]
fn threads_and_interruptions_change_nothing() {
    let folder = Folder::new("same");
    write_games(&folder.0.join("a.games"), Variant::Hasami, 120, 2);
    // So little memory that there are several parts.
    let settings = Settings { memory: 1, width: 96, ..settings(Variant::Hasami) };
    let settings = Settings { batch: 300, ..settings };
    let mut run = begin(&settings, &folder.0, &folder.0.join("one"), 1);
    assert!(run.parts() > 1, "{}", run.parts());
    let (one, _) = finish(&mut run);
    let (three, _) = finish(&mut begin(&settings, &folder.0, &folder.0.join("three"), 3));
    assert!(one == three, "three threads make another net than one");

    let out = folder.0.join("stopped");
    let mut run = begin(&settings, &folder.0, &out, 1);
    for steps in [1, 13, 9, 2] {
        let end = run.train(&mut Watch { steps, rows: Vec::new() }).unwrap();
        assert!(matches!(end, End::Stopped), "after {steps} steps");
        run = Run::resume(&out, 2).unwrap();
    }
    let (resumed, _) = finish(&mut run);
    assert!(one == resumed, "interruptions make another net");
    let tables = ["one", "stopped"].map(|name| fs::read_to_string(folder.0.join(name).join("loss.csv")).unwrap());
    let [one, stopped] =
        tables.each_ref().map(|table| table.lines().map(|line| line.rsplit_once(',').unwrap().0).collect::<Vec<_>>());
    assert_eq!(one, stopped);

    let other = Settings { seed: 10, ..settings };
    let (other, _) = finish(&mut begin(&other, &folder.0, &folder.0.join("other"), 1));
    assert!(resumed != other, "the seed makes no difference");
}

#[test]
fn damaged_checkpoints_and_other_games_are_refused() {
    let folder = Folder::new("damage");
    write_games(&folder.0.join("a.games"), Variant::Hasami, 30, 3);
    let out = folder.0.join("out");
    let settings = settings(Variant::Hasami);
    let mut run = begin(&settings, &folder.0, &out, 1);
    run.train(&mut Watch { steps: 2, rows: Vec::new() }).unwrap();
    let path = out.join("checkpoint");
    let whole = fs::read(&path).unwrap();
    let mut random = Random::new(4);
    for _ in 0..50 {
        let mut bytes = whole.clone();
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
        fs::write(&path, &bytes).unwrap();
        assert!(checkpoint::load(&path).is_err(), "byte {at}");
        fs::write(&path, &whole[..random.below(whole.len())]).unwrap();
        assert!(checkpoint::load(&path).is_err());
    }
    fs::write(&path, b"something else altogether").unwrap();
    assert!(matches!(checkpoint::load(&path), Err(CheckpointError::Magic(_))));
    fs::write(&path, &whole).unwrap();
    assert!(Run::resume(&out, 1).is_ok());
    let again = Run::new(settings.clone(), vec![folder.0.clone()], None, &out, 1);
    assert!(matches!(again, Err(TrainError::Taken(_))));
    write_games(&folder.0.join("b.games"), Variant::Hasami, 1, 4);
    assert!(matches!(Run::resume(&out, 1), Err(TrainError::OtherGames)));
    let other = Settings { variant: Variant::Shogi, buckets: 8, ..settings };
    let wrong = Run::new(other, vec![folder.0.clone()], None, &folder.0.join("x"), 1);
    assert!(matches!(wrong, Err(TrainError::Source(SourceError::Variant(..)))));
    assert!(matches!(Source::open(&[], &self::settings(Variant::Hasami)), Err(SourceError::NoFiles)));
}

#[test]
fn a_net_goes_on_from_another_one() {
    let folder = Folder::new("start");
    write_games(&folder.0.join("a.games"), Variant::Hasami, 60, 5);
    let settings = Settings { epochs: 8, ..settings(Variant::Hasami) };
    let mut first = begin(&settings, &folder.0, &folder.0.join("first"), 1);
    finish(&mut first);
    let net = folder.0.join("first/net.happonet");
    let gentle = Settings { epochs: 1, rate: 1e-6, final_rate: 0.0, ..settings.clone() };
    let start =
        |settings: Settings, out: &str| Run::new(settings, vec![folder.0.clone()], Some(&net), &folder.0.join(out), 1);
    let mut second = start(gentle, "second").unwrap();
    assert_eq!(second.state().scale, first.state().scale);
    finish(&mut second);
    let [first, second] = [first, second].map(|run| run.state().curve.last().unwrap().held_out.unwrap().blend);
    assert!((first - second).abs() < 0.01 * first, "{first} {second}");
    let wider = start(Settings { width: 64, ..settings }, "third");
    assert!(matches!(wider, Err(TrainError::Export(ExportError::Shape { .. }))));
}

#[test]
fn positions_worth_learning_from() {
    let folder = Folder::new("filter");
    let path = folder.0.join("a.games");
    write_games(&path, Variant::Shogi, 40, 6);
    let settings = Settings { max_score: 300, ..settings(Variant::Shogi) };
    let source = Source::open(std::slice::from_ref(&path), &settings).unwrap();
    let learnt = source.load(Part::Training(0)).unwrap();
    let held_out = source.load(Part::HeldOut).unwrap();

    // The same from the rules themselves, without regard to order.
    let mut expected = Vec::new();
    let stored = crate::data::Stored::read(&path).unwrap();
    for record in stored.games() {
        let mut position = <crate::shogi::Shogi as Game>::Position::startpos(&stored.header.rules);
        for ply in &record.plies {
            let taken = position.piece_on(ply.m.to()).is_some();
            let useful = ply.score.is_some_and(|score| score.abs() <= 300);
            if useful && !taken && !ply.m.is_promotion() && !position.in_check() {
                let half_points = record.winner.map_or(1, |winner| 2 * u8::from(winner == position.side_to_move()));
                expected.push((ply.score.unwrap(), half_points));
            }
            position.make(ply.m, &mut ());
        }
    }
    let mut found: Vec<(i16, u8)> =
        learnt.iter().chain(held_out.iter()).map(|s| (s.score, (2.0 * s.outcome.share()) as u8)).collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    assert!(!held_out.is_empty() && held_out.len() * 3 < learnt.len());
    // All pieces, and once more those near the king.
    let sides = learnt.iter().flat_map(|sample| [sample.own.len(), sample.enemy.len()]);
    assert!(sides.into_iter().all(|active| (40..=64).contains(&active)));

    // More games move none from one side to the other.
    write_games(&folder.0.join("b.games"), Variant::Shogi, 10, 7);
    let both = Source::open(std::slice::from_ref(&folder.0), &settings).unwrap();
    let scores = |samples: &Samples| samples.iter().map(|sample| sample.score).collect::<Vec<_>>();
    assert!(scores(&both.load(Part::HeldOut).unwrap()).starts_with(&scores(&held_out)));
}

#[test]
fn later_scores_count_for_earlier_positions() {
    let folder = Folder::new("lambda");
    let path = folder.0.join("a.games");
    write_games(&path, Variant::Flanking, 20, 6);
    let lambda = 0.6;
    let scale = 700;
    let settings = Settings { lambda, scale: Some(scale), held_out: 0.0, quiet: false, ..settings(Variant::Flanking) };
    let found = Source::open(std::slice::from_ref(&path), &settings).unwrap().load(Part::Training(0)).unwrap();

    let stored = crate::data::Stored::read(&path).unwrap();
    let mut expected = Vec::new();
    for record in stored.games() {
        let mut position = <crate::flanking::Flanking as Game>::Position::startpos(&stored.header.rules);
        let mut shares = Vec::new();
        for ply in &record.plies {
            if let Some(score) = ply.score {
                let share = 1.0 / (1.0 + (-f64::from(score) / f64::from(scale)).exp());
                let black = position.side_to_move() == Color::Black;
                let useful = score.abs() <= settings.max_score && !position.in_check();
                shares.push((black, if black { share } else { 1.0 - share }, useful));
            }
            position.make(ply.m, &mut ());
        }
        for (index, &(black, _, useful)) in shares.iter().enumerate() {
            let later = &shares[index..];
            let (last, before) = later.split_last().unwrap();
            let weights = (0..).map(|n| lambda.powi(n));
            let sum: f64 =
                before.iter().zip(weights).map(|(&(_, share, _), weight)| (1.0 - lambda) * weight * share).sum();
            let mean = sum + lambda.powi(before.len() as i32) * last.1;
            let score = f64::from(scale) * (mean / (1.0 - mean)).ln();
            if useful {
                expected.push(if black { score } else { -score });
            }
        }
    }
    assert_eq!(found.len(), expected.len());
    for (sample, expected) in found.iter().zip(expected) {
        assert!((f64::from(sample.score) - expected).abs() <= 0.51, "{} {expected}", sample.score);
    }
}

/// Samples of hasami's inputs whose score depends on them: `weights` of those that are active for the side to move,
/// less those of the enemy.
fn made_up(count: usize, seed: u64, weights: &[f64]) -> Samples {
    let mut random = Random::new(seed);
    let mut samples = Samples::new();
    for _ in 0..count {
        let mut pick = || {
            let mut list: Vec<u16> = (0..12).map(|_| random.below(weights.len()) as u16).collect();
            list.sort_unstable();
            list.dedup();
            list
        };
        let (own, enemy) = (pick(), pick());
        let worth = |list: &[u16]| list.iter().map(|&input| weights[usize::from(input)]).sum::<f64>();
        let score = worth(&own) - worth(&enemy);
        let outcome = [Outcome::Loss, Outcome::Draw, Outcome::Win][random.below(3)];
        let bucket = random.below(4) as u8;
        assert!(samples.push(Sample { own: &own, enemy: &enemy, bucket, score: score as i16, outcome }));
    }
    samples
}

fn recipe(inputs: usize) -> Recipe<'static> {
    Recipe { inputs, blend: Blend { result: 0.0, scale: 400.0 }, symmetries: &[], seed: 0 }
}

#[test]
fn learns_what_inputs_are_worth() {
    let mut random = Random::new(11);
    let weights: Vec<f64> = (0..531).map(|_| 150.0 * random.normal()).collect();
    let (samples, unseen) = (made_up(20_000, 12, &weights), made_up(2000, 13, &weights));
    let shape = Shape { inputs: 531, width: 32, buckets: 4, factor_of: None };
    let mut model = Model::random(shape, samples.active(), &mut Random::new(14));
    let mut batch = Batch::default();
    for step in 0..400u32 {
        let picked: Vec<u32> = (0..1000).map(|index| (step * 1000 + index) % 20_000).collect();
        batch.fill(&samples, &picked, &recipe(531));
        model.learn(&batch, 5e-3 * (1.0 - step as f32 / 400.0), Decay { weight: 0.0 });
    }
    let (mut loss, mut nothing) = (0.0, 0.0);
    let all: Vec<u32> = (0..2000).collect();
    model.for_each_output(&unseen, &all, &recipe(531), |_, output, target| {
        loss += f64::from(super::batch::sigmoid(output) - target).powi(2);
        nothing += f64::from(0.5 - target).powi(2);
    });
    assert!(loss < 0.05 * nothing, "{loss} of {nothing}");
}

#[test]
fn kernels_with_and_without_avx2_agree() {
    let weights: Vec<f64> = (0..531).map(|input| f64::from(input % 17) * 25.0).collect();
    let samples = made_up(3000, 30, &weights);
    let shape = Shape { inputs: 531, width: 64, buckets: 4, factor_of: Some(InputSet::Hasami.factors().into()) };
    let train = || {
        let mut model = Model::random(shape.clone(), samples.active(), &mut Random::new(31));
        let mut batch = Batch::default();
        batch.fill(&samples, &(0..3000).collect::<Vec<_>>(), &recipe(531));
        (0..5).for_each(|_| _ = model.learn(&batch, 1e-2, Decay { weight: 0.01 }));
        model
    };
    let quick = train();
    // Other tests that run meanwhile may do without AVX2 as well.
    kernels::PORTABLE.store(true, Ordering::Relaxed);
    let portable = train();
    kernels::PORTABLE.store(false, Ordering::Relaxed);
    assert!(quick.groups().eq(portable.groups()));
}

#[test]
fn rounded_nets_say_nearly_the_same() {
    let weights: Vec<f64> = (0..531).map(|input| f64::from(input % 30) * 20.0).collect();
    let samples = made_up(2000, 15, &weights);
    let shape = Shape { inputs: 531, width: 64, buckets: 4, factor_of: Some(InputSet::Hasami.factors().into()) };
    let mut model = Model::random(shape.clone(), samples.active(), &mut Random::new(16));
    let header = nnue::Header { variant: Variant::Hasami, width: 64, buckets: 4, scale: 600, note: String::new() };
    let mut batch = Batch::default();
    batch.fill(&samples, &(0..2000).collect::<Vec<_>>(), &recipe(531));
    (0..30).for_each(|_| _ = model.learn(&batch, 5e-3, Decay { weight: 0.01 }));
    let mut net = export::quantise(&model.parameters(), header).unwrap();
    let plain = Difference::measure(&mut model, &net, &samples, &recipe(531));
    export::refine(&mut net, &mut model, &samples, &recipe(531));
    let difference = Difference::measure(&mut model, &net, &samples, &recipe(531));
    assert!(difference.range > 1500.0 && difference.is_small(), "{difference:?}");
    assert!(difference.mean < plain.mean, "{difference:?} {plain:?}");

    // There and back again, nothing more is lost.
    let back = export::dequantise(&net, &shape, net.header.scale).unwrap();
    assert_eq!(export::quantise(&back, net.header.clone()).unwrap(), net);
    // On another scale the outputs are others and the scores the same.
    let wide = export::dequantise(&net, &shape, 2 * net.header.scale).unwrap();
    let halved = |list: &[f32], whole: &[f32]| list.iter().zip(whole).all(|(half, whole)| 2.0 * half == *whole);
    assert!(halved(&wide.output, &back.output) && halved(&wide.output_bias, &back.output_bias));
    assert_eq!((wide.weights, wide.bias), (back.weights, back.bias));
    // A net of other numbers is seen to differ.
    let mut wrong = net;
    wrong.output_weights.iter_mut().for_each(|weight| *weight = -*weight);
    let difference = Difference::measure(&mut model, &wrong, &samples, &recipe(531));
    assert!(!difference.is_small(), "{difference:?}");
}

#[test]
fn symmetries_reach_positions_of_the_same_worth() {
    // Mirrored by every symmetry, the inputs are those of the mirrored board.
    let rules = HouseRules::default();
    let mut random = Random::new(17);
    let mut position = <Hasami as Game>::Position::startpos(&rules);
    for _ in 0..30 {
        let mut moves = MoveList::new();
        position.generate(Stage::All, &mut moves);
        position.make(moves[random.below(moves.len())], &mut ());
        if position.result().is_some() {
            break;
        }
        let diagram = position.diagram().to_string();
        let (board, rest) = diagram.split_once(' ').unwrap();
        let upside_down = board.split('/').rev().collect::<Vec<_>>().join("/");
        let tokens: Vec<&str> = rest.split_whitespace().collect();
        let parsed =
            crate::diagram::Diagram::parse(&upside_down, tokens[0], tokens[1], tokens.get(2).copied()).unwrap();
        let mirrored = <Hasami as Game>::Position::from_diagram(&parsed, &rules).unwrap();
        let inputs = |position: &<Hasami as Game>::Position, map: &[u16]| {
            let mut list = Vec::new();
            <Hasami as NetGame>::Inputs::for_each(position, Color::Black, |input| list.push(map[input]));
            list.sort_unstable();
            list
        };
        let symmetries = InputSet::Hasami.symmetries();
        assert_eq!(inputs(&position, &symmetries[2]), inputs(&mirrored, &symmetries[0]), "{diagram}");
    }
}

#[test]
fn the_scale_of_the_scores_is_found() {
    for scale in [300.0, 900.0] {
        let mut random = Random::new(18);
        let mut samples = Samples::new();
        for _ in 0..40_000 {
            let score = 700.0 * random.normal();
            let wins = random.unit() < 1.0 / (1.0 + (-score / scale).exp());
            let outcome = if wins { Outcome::Win } else { Outcome::Loss };
            samples.push(Sample { own: &[], enemy: &[], bucket: 0, score: score as i16, outcome });
        }
        let found = f64::from(fit_scale(&samples).unwrap());
        assert!((found / scale - 1.0).abs() < 0.05, "{found} for {scale}");
    }
    assert_eq!(fit_scale(&Samples::new()), None);
}

#[test]
fn rates_and_targets_over_a_run() {
    let settings = Settings { rate: 1e-3, final_rate: 1e-5, warmup: 10, ..settings(Variant::Shogi) };
    assert!((settings.rate(0, 0.0) - 1e-4).abs() < 1e-9);
    assert!((settings.rate(10, 0.0) - 1e-3).abs() < 1e-9);
    assert!((settings.rate(99, 0.5) - 5.05e-4).abs() < 1e-8);
    assert!((settings.rate(99, 1.0) - 1e-5).abs() < 1e-9);
    let sample = Sample { own: &[], enemy: &[], bucket: 0, score: 600, outcome: Outcome::Loss };
    let e = std::f32::consts::E;
    let target = settings.blend(0.5, 600).target(&sample);
    assert!((target - 0.8 * e / (1.0 + e)).abs() < 1e-6, "{target}");
}

#[test]
fn senseless_settings_are_refused() {
    let good = settings(Variant::Shogi);
    good.check().unwrap();
    assert_eq!(Settings { width: 48, ..good.clone() }.check(), Err(SettingsError::Width(48)));
    let wrong = Settings { buckets: 5, ..good.clone() }.check();
    assert_eq!(wrong, Err(SettingsError::Buckets(5, Variant::Shogi, 8)));
    for wrong in [
        Settings { epochs: 0, ..good.clone() },
        Settings { batch: 0, ..good.clone() },
        Settings { rate: f64::NAN, ..good.clone() },
        Settings { final_rate: 1.0, ..good.clone() },
        Settings { blend: [0.0, 1.5], ..good.clone() },
        Settings { lambda: 1.0, ..good.clone() },
        Settings { held_out: 1.0, ..good.clone() },
        Settings { max_score: -1, ..good.clone() },
        Settings { memory: 0, ..good },
    ] {
        assert!(matches!(wrong.check(), Err(SettingsError::Range(..))), "{wrong:?}");
    }
}

/// The loss of a net in f64, straight from its definition.
fn loss(parameters: &[Vec<f64>; 4], width: usize, samples: &Samples, recipe: &Recipe) -> f64 {
    let [weights, bias, output, output_bias] = parameters;
    let mut sum = 0.0;
    for sample in samples.iter() {
        let bucket = usize::from(sample.bucket);
        let mut out = output_bias[bucket];
        for (side, features) in [sample.own, sample.enemy].into_iter().enumerate() {
            for column in 0..width {
                let x = bias[column]
                    + features.iter().map(|&feature| weights[usize::from(feature) * width + column]).sum::<f64>();
                out += x.clamp(0.0, 1.0).powi(2) * output[(bucket * 2 + side) * width + column];
            }
        }
        sum += (1.0 / (1.0 + (-out).exp()) - f64::from(recipe.blend.target(&sample))).powi(2);
    }
    sum / samples.len() as f64
}

#[test]
fn gradients_agree_with_finite_differences() {
    let weights: Vec<f64> = (0..10).map(|input| f64::from(input) * 30.0 - 100.0).collect();
    let samples = made_up(60, 20, &weights);
    let shape = Shape { inputs: 10, width: 64, buckets: 4, factor_of: None };
    let model = Model::random(shape, 8.0, &mut Random::new(21));
    let recipe = Recipe { blend: Blend { result: 0.3, scale: 200.0 }, ..recipe(10) };
    let mut batch = Batch::default();
    batch.fill(&samples, &(0..60).collect::<Vec<_>>(), &recipe);
    let mut learnt = model.clone();
    let before = learnt.learn(&batch, 1.0, Decay { weight: 0.0 });
    let widen = |list: &[f32]| list.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
    let start = model.parameters();
    let parts = [widen(&start.weights), widen(&start.bias), widen(&start.output), widen(&start.output_bias)];
    assert!((before - loss(&parts, 64, &samples, &recipe)).abs() < 1e-6);

    // After the first step the running mean of the gradient is a tenth of the gradient. It is read off the groups,
    // which hold the columns tile by tile.
    let scale = f64::from(1.0 - kernels::BETA1);
    let means: Vec<Vec<f64>> = learnt.groups().map(|group| widen(&group.mean)).collect();
    let mut random = Random::new(22);
    for (part, rows) in [(0, 10), (1, 1), (2, 8), (3, 0)] {
        for _ in 0..40 {
            let (index, gradient) = if rows == 0 {
                let bucket = random.below(4);
                (bucket, means[6][bucket] / scale)
            } else {
                let (row, column) = (random.below(rows), random.below(64));
                (row * 64 + column, means[column / 32 * 3 + part][row * 32 + column % 32] / scale)
            };
            let step = 1e-4;
            let at = |x: f64| {
                let mut moved = parts.clone();
                moved[part][index] += x;
                loss(&moved, 64, &samples, &recipe)
            };
            let expected = (at(step) - at(-step)) / (2.0 * step);
            let bound = 1e-5 + 2e-3 * expected.abs();
            assert!((gradient - expected).abs() < bound, "part {part}, {index}: {gradient} {expected}");
        }
    }
}
