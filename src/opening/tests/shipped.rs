//! The books that come with the program.

use std::path::{Path, PathBuf};

use crate::game::{Game, Goal, HouseRules, Position, Variant};
use crate::games::{ForGame, for_game};
use crate::opening::{BookMove, Item, Tag, summarise};
use crate::turns::play_turn;

use super::diagram;

/// Checks the book of a game.
struct Check(PathBuf, Goal);

impl ForGame for Check {
    type Output = ();

    fn run<G: Game>(self) {
        let Self(path, goal) = self;
        let name = path.display();
        let rules = HouseRules { goal, ..HouseRules::default() };
        let mut position = None;
        let mut beginning = false;
        let summary = summarise(&path, |item| match item {
            Item::Position(text, ..) => {
                let here = G::Position::from_diagram(&diagram(text), &rules).unwrap();
                beginning |= here.key() == G::Position::startpos(&rules).key();
                position = Some(here);
            }
            Item::Move(BookMove { turn, ponder, .. }) => {
                let mut after = position.clone().unwrap();
                assert!(play_turn(&mut after, turn.moves()), "{name}: {turn}");
                assert!(ponder.is_none() || play_turn(&mut after, ponder.moves()), "{name}: {turn} {ponder}");
            }
        })
        .unwrap();
        assert!(beginning, "{name}");
        assert!(summary.sorted && summary.damage.lines == 0 && summary.positions > 20, "{name}: {summary:?}");
        assert_eq!(summary.tag, Some(Tag::new(G::Position::variant(), goal)), "{name}");
    }
}

#[test]
fn every_game_has_a_sound_book() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("book");
    for variant in Variant::ALL {
        for goal in Goal::ALL {
            let name = match variant {
                Variant::Hasami => format!("hasami-{}.db", goal.name()),
                _ => format!("{variant}.db"),
            };
            for_game(variant, Check(folder.join(name), goal));
        }
    }
    let size = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().metadata().unwrap().len();
    assert!(std::fs::read_dir(folder).unwrap().map(size).all(|size| size < 100_000));
}
