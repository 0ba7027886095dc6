//! Mates made by hand, and the search compared with trying everything.

use super::*;
use crate::board::{Color, MoveList};
use crate::diagram::Diagram;
use crate::game::{HouseRules, Stage};
use crate::shogi::Shogi;

fn position<G: Game>(sfen: &str) -> G::Position {
    let fields: Vec<&str> = sfen.split(' ').collect();
    let diagram = Diagram::parse(fields[0], fields[1], fields[2], fields.get(3).copied()).unwrap();
    G::Position::from_diagram(&diagram, &HouseRules::default()).unwrap()
}

fn limits(nodes: u64) -> MateLimits {
    MateLimits { nodes: Some(nodes), bytes: 16 << 20, ..MateLimits::default() }
}

fn answer(sfen: &str, nodes: u64) -> MateAnswer {
    solve_until::<Shogi>(&position::<Shogi>(sfen), &limits(nodes), &|| false).answer
}

fn text(answer: &MateAnswer) -> String {
    match answer {
        MateAnswer::Mate(line) => line.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        other => format!("{other:?}"),
    }
}

#[test]
fn short_mates() {
    for (sfen, line) in [
        ("4k4/9/4P4/9/9/9/9/9/9 b G", "G*5b"),
        ("4k4/9/9/9/9/9/9/9/9 b G", "NoMate"),
    ] {
        assert_eq!(text(&answer(sfen, 100_000)), line, "{sfen}");
    }
}
