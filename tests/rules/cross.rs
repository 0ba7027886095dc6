//! Legal moves of shogi compared with those of another published move generator, `haitaka`.

use haitaka::Board;
use happo::board::{Color, Move};
use happo::game::{Game, HouseRules, Position, Stage, Variant};
use happo::shogi::Shogi;

use crate::naive::random;
use crate::support::*;

type Shogis = <Shogi as Game>::Position;

/// Positions compared.
const POSITIONS: usize = 100_000;

/// Its legal moves, sorted. They are counted one by one: the length it tells is that of the targets. It lets some
/// pawn drops pass that mate (in version 0.3.2), so those are played out: a pawn drop in check without a reply goes.
fn theirs(board: &Board) -> Vec<Move> {
    let mut list = Vec::new();
    board.generate_moves(|moves| {
        for m in moves {
            let pawn_drop = m.is_drop() && m.piece() == Some(haitaka::Piece::Pawn);
            if !pawn_drop || !mates(board, m) {
                list.push(usi(&m.to_string()));
            }
        }
        false
    });
    list.sort();
    list
}

fn mates(board: &Board, m: haitaka::Move) -> bool {
    let mut next = board.clone();
    next.play_unchecked(m);
    !next.checkers().is_empty() && !next.generate_moves(|moves| moves.into_iter().next().is_some())
}

fn ours(position: &Shogis) -> Vec<Move> {
    let mut list = moves(position, Stage::All).to_vec();
    list.sort();
    list
}

/// Plays at random from a position, comparing at every move, and says how many positions that made.
fn compare_game(position: &mut Shogis, most: usize, rng: &mut Random) -> usize {
    let sfen = position.diagram().to_string();
    // It refuses triple checks, which play cannot bring about.
    let Ok(mut board) = Board::from_sfen(&sfen) else { return 0 };
    for played in 1..=most {
        let list = ours(position);
        let sfen = position.diagram().to_string();
        assert_eq!(list, theirs(&board), "{sfen}");
        assert_eq!(position.in_check(), !board.checkers().is_empty(), "{sfen}");
        let Some(&m) = (!list.is_empty()).then(|| rng.pick(&list)) else {
            return played;
        };
        position.make(m, &mut ());
        board.play_unchecked(m.to_string().parse().expect("a move"));
        assert_eq!(board.to_string(), position.diagram().to_string(), "after {m} in {sfen}");
    }
    most
}

#[test]
fn games_from_the_start() {
    let mut rng = Random::new(11);
    let mut compared = 0;
    while compared < POSITIONS / 2 {
        compared += compare_game(&mut Shogis::startpos(&HouseRules::default()), 300, &mut rng);
    }
}

#[test]
fn random_diagrams() {
    let mut rng = Random::new(12);
    let mut compared = 0;
    let mut refused = 0;
    while compared < POSITIONS / 2 {
        let sparse = rng.chance(20);
        let diagram = random::diagram(Variant::Shogi, &mut rng, sparse);
        let Ok(mut position) = Shogis::from_diagram(&diagram, &HouseRules::default()) else { continue };
        let kings = Color::ALL.iter().filter(|&&color| position.king(color).is_some()).count();
        if kings == 2 {
            let added = compare_game(&mut position, 6, &mut rng);
            refused += usize::from(added == 0);
            compared += added;
        }
    }
    assert!(refused < POSITIONS / 200, "{refused} diagrams refused");
}
