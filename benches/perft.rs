//! Move generation: leaves below the start position of shogi on one thread, next to two other crates in the same run,
//! so that the ratios hold on whatever machine and under whatever load.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use happo::game::{Game, HouseRules, Position};
use happo::shogi::Shogi;

const DEPTH: u32 = 5;
const LEAVES: u64 = 19_861_490;

/// haitaka's own perft, with its moves counted where they are generated: no board is copied for a leaf. The length
/// its sets of moves tell leaves promotions out, so they are iterated.
fn haitaka(board: &haitaka::Board, depth: u32) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            leaves += moves.into_iter().count() as u64;
        } else {
            for m in moves {
                let mut board = board.clone();
                board.play_unchecked(m);
                leaves += haitaka(&board, depth - 1);
            }
        }
        false
    });
    leaves
}

fn perft(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    // A count takes long enough to be a sample of its own.
    group.sampling_mode(SamplingMode::Flat).sample_size(10).measurement_time(Duration::from_secs(5));
    group.throughput(Throughput::Elements(LEAVES));

    let mut position = <Shogi as Game>::Position::startpos(&HouseRules::default());
    group.bench_function("happo", |bencher| {
        bencher.iter(|| assert_eq!(happo::perft::perft(black_box(&mut position), DEPTH), LEAVES));
    });

    let board = haitaka::Board::startpos();
    group.bench_function("haitaka", |bencher| {
        bencher.iter(|| assert_eq!(haitaka(black_box(&board), DEPTH), LEAVES));
    });

    // Counts the last ply in bulk by itself.
    let start = rsshogi::board::hirate_position();
    group.bench_function("rsshogi", |bencher| {
        bencher.iter(|| {
            let count = rsshogi::board::perft::perft(black_box(&start), DEPTH as u8);
            assert_eq!(count.ok().map(|count| count.nodes), Some(LEAVES));
        });
    });
    group.finish();
}

criterion_group!(benches, perft);
criterion_main!(benches);
