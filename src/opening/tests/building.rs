use std::path::Path;

use crate::flanking::Flanking;
use crate::game::{Game, Goal, HouseRules, Position};
use crate::hasami::Hasami;
use crate::opening::build::{BuildError, Built, Plan, build};
use crate::opening::{BookMove, Item, Pages, Settings, Shelf, Tag, probe, save, summarise};
use crate::search::Limits;
use crate::shogi::{Happokei, Shogi};
use crate::turns::play_turn;

use super::{AFTER_76, Folder, START, diagram};

fn plan() -> Plan {
    Plan {
        plies: 3,
        width: 2,
        eval_diff: 300,
        positions: 1000,
        limits: Limits { nodes: Some(200), ..Limits::default() },
        threads: 1,
        hash: 1,
        rules: HouseRules::default(),
    }
}

fn start<G: Game>() -> G::Position {
    G::Position::startpos(&HouseRules::default())
}

fn made<G: Game>(path: &Path, plan: &Plan) -> Built {
    build::<G>(&start::<G>(), plan, path, &|_| {}).unwrap()
}

fn pages(path: &Path) -> Pages {
    let mut pages = Pages::new();
    let mut place = String::new();
    summarise(path, |item| match item {
        Item::Position(text, ..) => text.clone_into(&mut place),
        Item::Move(m) => pages.entry(place.clone()).or_default().push(m),
    })
    .unwrap();
    pages
}

fn tiny<G: Game>() {
    let folder = Folder::new();
    let path = folder.path().join("tiny.db");
    let built = made::<G>(&path, &plan());
    let summary = summarise(&path, |_| {}).unwrap();
    assert!(summary.sorted && summary.damage.lines == 0);
    assert_eq!((summary.positions as usize, summary.moves as usize), (built.positions, built.moves));
    assert!((4..=7).contains(&built.positions), "{built:?}");
    assert_eq!(summary.tag, Some(Tag::new(G::Position::variant(), Goal::Capture5)));
    for (sfen, moves) in pages(&path) {
        let position = G::Position::from_diagram(&diagram(&sfen), &HouseRules::default()).unwrap();
        assert!((1..=2).contains(&moves.len()));
        for m in moves {
            let mut after = position.clone();
            assert!(play_turn(&mut after, m.turn.moves()), "{m} in {sfen}");
            assert!(m.ponder.is_none() || play_turn(&mut after, m.ponder.moves()), "{m} in {sfen}");
            assert!(m.depth > 0 && m.count == 1);
        }
    }
    // It is of use.
    let settings = Settings { file: path.to_str().unwrap().to_owned(), ..Settings::default() };
    let mut shelf = Shelf::seeded(1);
    shelf.open(&settings, G::Position::variant(), Goal::Capture5);
    assert!(probe(&mut shelf, &start::<G>(), &settings, 1).answer.is_some());
}

#[test]
fn books_of_every_kind_of_game() {
    tiny::<Shogi>();
    tiny::<Happokei>();
    tiny::<Flanking>();
    tiny::<Hasami>();
}

#[test]
fn a_build_that_was_interrupted_goes_on() {
    let folder = Folder::new();
    let (whole, parts) = (folder.path().join("whole.db"), folder.path().join("parts.db"));
    let plan = plan();
    made::<Shogi>(&whole, &plan);
    // What an interrupted build leaves: positions with the values of their own searches.
    let half = Plan { positions: 3, plies: 2, ..plan.clone() };
    made::<Shogi>(&parts, &half);
    let root = pages(&parts).remove(START).unwrap();
    let fresh = folder.path().join("fresh.db");
    made::<Shogi>(&fresh, &Plan { positions: 1, ..plan.clone() });
    let raw = pages(&fresh).remove(START).unwrap();
    assert_eq!(root.len(), raw.len());
    let mut draft = pages(&parts);
    draft.insert(START.to_owned(), raw);
    save(&parts, &draft, None).unwrap();
    let built = made::<Shogi>(&parts, &plan);
    assert!(built.found == draft.len() && built.found < built.positions);
    assert_eq!(pages(&parts), pages(&whole));
    // Nothing is left to do.
    let again = made::<Shogi>(&parts, &plan);
    assert_eq!(again.found, again.positions);
    assert_eq!(std::fs::read(&parts).unwrap(), std::fs::read(&whole).unwrap());
    assert!(!folder.path().join("parts.db.part").exists());
}

#[test]
fn several_threads_make_the_same_tree() {
    let folder = Folder::new();
    let (one, three) = (folder.path().join("one.db"), folder.path().join("three.db"));
    made::<Hasami>(&one, &plan());
    made::<Hasami>(&three, &Plan { threads: 3, ..plan() });
    assert_eq!(std::fs::read(one).unwrap(), std::fs::read(three).unwrap());
}

#[test]
fn sizes_are_kept() {
    let folder = Folder::new();
    let path = folder.path().join("small.db");
    assert_eq!(made::<Shogi>(&path, &Plan { positions: 2, ..plan() }).positions, 2);
    let narrow = folder.path().join("narrow.db");
    let built = made::<Shogi>(&narrow, &Plan { width: 1, plies: 4, ..plan() });
    assert_eq!((built.positions, built.moves), (4, 4));
}

#[test]
fn values_go_back_to_the_beginning() {
    let folder = Folder::new();
    let path = folder.path().join("values.db");
    let m = |text: &str| BookMove::parse(text).unwrap();
    let mut book = Pages::new();
    book.insert(START.to_owned(), vec![m("7g7f none 50 5"), m("2g2f none 40 5")]);
    book.insert(AFTER_76.to_owned(), vec![m("3c3d none 10 5"), m("8c8d none 31996 9")]);
    save(&path, &book, None).unwrap();
    made::<Shogi>(&path, &Plan { plies: 1, positions: 1, ..plan() });
    let root: Vec<String> = pages(&path)[START].iter().map(BookMove::to_string).collect();
    // A mate in four plies there is one in five here.
    assert_eq!(root, ["2g2f none 40 5 1", "7g7f 8c8d -31995 10 1"]);
}

#[test]
fn what_cannot_be_built() {
    let folder = Folder::new();
    let attempt = |contents: &str, plan: &Plan| {
        let path = folder.write("x.db", contents);
        build::<Hasami>(&start::<Hasami>(), plan, &path, &|_| {})
    };
    let other = attempt("# variant=hasami goal=lead3\n", &plan());
    assert!(matches!(&other, Err(error @ BuildError::OtherGame(..)) if error.to_string().contains("goal=lead3")));
    let damaged = attempt("9i9e\n", &Plan { positions: 1, ..plan() }).unwrap();
    assert!(damaged.notes[0].contains("line 1"));
    let nowhere = folder.path().join("nowhere").join("x.db");
    let error = build::<Hasami>(&start::<Hasami>(), &Plan { positions: 1, ..plan() }, &nowhere, &|_| {});
    assert!(matches!(error, Err(BuildError::File(..))));
    let mut half = start::<Flanking>();
    half.make(crate::board::Move::from_usi("7g7f").unwrap(), &mut ());
    assert!(matches!(build::<Flanking>(&half, &plan(), &nowhere, &|_| {}), Err(BuildError::Half)));
}
