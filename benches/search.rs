//! The search: nodes a second in each game, one thread, from the start position.

use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use happo::game::{HouseRules, Variant};
use happo::search::Limits;
use happo::usi::{Options, Player, PositionSpec, player};

const NODES: u64 = 100_000;

/// A player of a game at its start position.
fn start(variant: Variant) -> Box<dyn Player> {
    let mut player = player(variant);
    let spec = PositionSpec::parse("startpos").expect("a position");
    player.set_position(&spec, &HouseRules::default()).expect("a position of every game");
    player
}

/// Searches from nothing learnt and tells the nodes, and the time without what it took to forget.
fn search(player: &mut dyn Player, options: &mut Options) -> (u64, Duration) {
    options.clear_hash = true;
    player.prepare(options);
    let start = Instant::now();
    let (outcome, _) = player.search(Limits { nodes: Some(NODES), ..Limits::default() }, options);
    (outcome.nodes, start.elapsed())
}

fn games(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for variant in Variant::ALL {
        let mut player = start(variant);
        let mut options = Options { hash: 16, ..Options::default() };
        // The limit may be passed by a few nodes, by the same number every time.
        let (nodes, _) = search(player.as_mut(), &mut options);
        group.throughput(Throughput::Elements(nodes));
        group.bench_function(variant.name(), |bencher| {
            bencher.iter_custom(|rounds| (0..rounds).map(|_| search(player.as_mut(), &mut options).1).sum());
        });
    }
    group.finish();
}

criterion_group!(benches, games);
criterion_main!(benches);
