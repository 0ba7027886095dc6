//! Training steps on made-up positions of shogi's shape: 3016 inputs, 52 of them active a side.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use happo::random::Random;
use happo::train::batch::{Batch, Blend, Recipe};
use happo::train::model::{Decay, Model, Shape};
use happo::train::samples::{Outcome, Sample, Samples};

const INPUTS: usize = 3016;
const ACTIVE: usize = 52;
const BATCH: usize = 16_384;

/// Pieces leave their first squares as a game goes on, so some inputs are active far more often than others.
fn made_up(count: usize) -> Samples {
    let mut random = Random::new(1);
    let mut samples = Samples::new();
    for _ in 0..count {
        let moved = random.below(ACTIVE + 1);
        let own: [u16; ACTIVE] = std::array::from_fn(|piece| {
            let at_home = (piece * 53) % INPUTS;
            if piece < moved { (random.unit().powi(2) * INPUTS as f64) as u16 } else { at_home as u16 }
        });
        let enemy = own.map(|feature| (feature + INPUTS as u16 / 2) % INPUTS as u16);
        let bucket = (moved / 6).min(7) as u8;
        let score = (random.normal() * 500.0) as i16;
        samples.push(Sample { own: &own, enemy: &enemy, bucket, score, outcome: Outcome::Draw });
    }
    samples
}

fn steps(c: &mut Criterion) {
    let samples = made_up(10 * BATCH);
    let recipe = Recipe { inputs: INPUTS, blend: Blend { result: 0.2, scale: 600.0 }, symmetries: &[], seed: 0 };
    let mut group = c.benchmark_group("train");
    group.throughput(Throughput::Elements(BATCH as u64)).sample_size(10);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for width in [64, 128, 256] {
            let shape = Shape { inputs: INPUTS, width, buckets: 8, factor_of: None };
            let mut model = Model::random(shape, ACTIVE as f64, &mut Random::new(2));
            let mut batch = Batch::default();
            let mut random = Random::new(3);
            group.bench_function(BenchmarkId::new(format!("width {width}"), format!("{threads} threads")), |b| {
                b.iter(|| {
                    pool.install(|| {
                        let picked: Vec<u32> = (0..BATCH).map(|_| random.below(samples.len()) as u32).collect();
                        batch.fill(&samples, &picked, &recipe);
                        black_box(model.learn(&batch, 1e-3, Decay { weight: 0.01 }))
                    })
                });
            });
        }
    }
}

criterion_group!(benches, steps);
criterion_main!(benches);
