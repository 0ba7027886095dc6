//! Setting up positions: what a client sends before every `go`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use happo::board::{Move, MoveList};
use happo::flanking::Flanking;
use happo::game::{Game, HouseRules, Position, Stage, Variant};
use happo::hasami::Hasami;
use happo::shogi::Shogi;
use happo::usi::{PositionSpec, player};

/// Moves (half-moves in flanking) of a long game.
const LENGTH: usize = 512;

/// A crowded board and full hands.
const SFEN: &str = "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";

/// A `position` command of a long game, the moves being chosen by a rule that wanders through the lists of legal ones
/// and passes those over that would end the game.
fn long_game<G: Game>() -> String {
    let mut position = G::Position::startpos(&HouseRules::default());
    let mut game: Vec<Move> = Vec::with_capacity(LENGTH);
    for ply in 0..LENGTH {
        let mut list = MoveList::new();
        position.generate(Stage::All, &mut list);
        let next = (0..list.len()).map(|n| list[(ply * 37 + 11 + n) % list.len()]).find(|&m| {
            position.make(m, &mut ());
            let open = position.has_legal_move();
            if !open {
                position.unmake();
            }
            open
        });
        game.push(next.expect("a move that does not end the game"));
    }
    let turns = game.chunks(usize::from(G::Position::TURN));
    let tokens: Vec<String> =
        turns.map(|turn| turn.iter().map(Move::to_string).collect::<Vec<_>>().join(",")).collect();
    format!("startpos moves {}", tokens.join(" "))
}

fn positions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("position");
    let mut set_up = |name: &str, variant: Variant, text: &str, elements: usize| {
        let mut player = player(variant);
        group.throughput(Throughput::Elements(elements as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let spec = PositionSpec::parse(black_box(text)).expect("it can be read");
                player.set_position(&spec, &HouseRules::default()).expect("it can be played");
            });
        });
    };
    set_up("sfen", Variant::Shogi, SFEN, 1);
    set_up("moves/shogi", Variant::Shogi, &long_game::<Shogi>(), LENGTH);
    set_up("moves/flanking", Variant::Flanking, &long_game::<Flanking>(), LENGTH);
    set_up("moves/hasami", Variant::Hasami, &long_game::<Hasami>(), LENGTH);
    group.finish();
}

criterion_group!(benches, positions);
criterion_main!(benches);
