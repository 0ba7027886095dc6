use std::rc::Rc;

use crate::board::Move;
use crate::diagram::Diagram;
use crate::flanking::FlankingPosition;
use crate::game::{Goal, HouseRules, Position, Variant};
use crate::opening::{Probe, Settings, Shelf, probe};
use crate::shogi::{HappokeiRules, ShogiPosition, StandardRules};
use crate::turns::{Turn, token, tokens};

use super::{AFTER_76, Folder, START, diagram};

type Shogi = ShogiPosition<StandardRules>;

fn at<P: Position>(diagram: &Diagram) -> P {
    P::from_diagram(diagram, &HouseRules::default()).unwrap()
}

fn played<P: Position>(moves: &str) -> P {
    let mut position = P::startpos(&HouseRules::default());
    for text in moves.split_whitespace() {
        Turn::parse(text, P::TURN).unwrap().moves().for_each(|m| position.make(m, &mut ()));
    }
    position
}

/// A book of one game in a folder of its own.
struct Case {
    folder: Rc<Folder>,
    settings: Settings,
}

impl Case {
    fn new(variant: Variant, text: &str) -> Self {
        let folder = Rc::new(Folder::new());
        folder.write(&format!("{variant}.db"), text);
        let settings = Settings { dir: folder.path().to_str().unwrap().to_owned(), ..Settings::default() };
        Self { folder, settings }
    }

    fn with(&self, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = self.settings.clone();
        change(&mut settings);
        Self { folder: Rc::clone(&self.folder), settings }
    }

    fn probe<P: Position>(&self, position: &P, seed: u64, shown: usize) -> Probe {
        let mut shelf = Shelf::seeded(seed);
        shelf.open(&self.settings, P::variant(), Goal::Capture5);
        probe(&mut shelf, position, &self.settings, shown)
    }

    /// How often, of 400 times, each move is chosen; most often first.
    fn choices<P: Position>(&self, position: &P) -> Vec<(String, u32)> {
        let mut shelf = Shelf::seeded(7);
        shelf.open(&self.settings, P::variant(), Goal::Capture5);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..400 {
            let best = probe(&mut shelf, position, &self.settings, 1).answer.map_or(Vec::new(), |answer| answer.best);
            *counts.entry(token(&best)).or_insert(0) += 1;
        }
        let mut counts: Vec<(String, u32)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }

    /// The moves that are chosen at all, in the order of their text; none is an empty string.
    fn set<P: Position>(&self, position: &P) -> String {
        let mut set: Vec<String> = self.choices(position).into_iter().map(|(turn, _)| turn).collect();
        set.sort_unstable();
        set.join(" ")
    }
}

fn usual() -> Case {
    let text = format!(
        "sfen {START}\n7g7f 3c3d 50 20 90\n2g2f none 40 18 9\n5g5f none 25 3 1\n1g1f none -200 20 0\n\
         sfen {AFTER_76}\n3c3d 2g2f -20 20 1\n8c8d none -160 20 1\n"
    );
    Case::new(Variant::Shogi, &text)
}

#[test]
fn the_window_of_values() {
    let start: Shogi = played("");
    let case = usual();
    assert_eq!(case.set(&start), "2g2f 5g5f 7g7f");
    assert_eq!(case.with(|s| s.eval_diff = 10).set(&start), "2g2f 7g7f");
    assert_eq!(case.with(|s| s.eval_diff = 0).set(&start), "7g7f");
    assert_eq!(case.with(|s| s.eval_diff = 9999).set(&start), "1g1f 2g2f 5g5f 7g7f");
    assert_eq!(case.with(|s| s.eval_limit.0 = [30, 999]).set(&start), "2g2f 7g7f");
    assert_eq!(case.with(|s| s.eval_limit.0 = [51, -999]).set(&start), "");
    let white: Shogi = played("7g7f");
    let wide = case.with(|s| s.eval_diff = 9999);
    assert_eq!(wide.set(&white), "3c3d 8c8d");
    assert_eq!(wide.with(|s| s.eval_limit.0 = [999, -140]).set(&white), "3c3d");
    assert_eq!(wide.with(|s| s.eval_limit.0 = [-999, 0]).set(&white), "");
    let none = case.with(|s| s.eval_limit.0 = [51, 0]).probe(&start, 1, 1);
    assert!(none.answer.is_none() && none.notes[0].contains("4 book moves, none"), "{:?}", none.notes);
}

#[test]
fn depth_count_and_chance() {
    let start: Shogi = played("");
    let case = usual();
    assert_eq!(case.with(|s| s.depth_limit = 18).set(&start), "2g2f 7g7f");
    assert_eq!(case.with(|s| s.depth_limit = 21).set(&start), "");
    assert_eq!(case.with(|s| s.narrow = true).set(&start), "7g7f");
    let even = case.choices(&start);
    assert!(even.iter().all(|&(_, count)| (90..180).contains(&count)), "{even:?}");
    let counted = case.with(|s| s.consider_count = true).choices(&start);
    assert_eq!(counted[0].0, "7g7f");
    assert!((330..390).contains(&counted[0].1) && counted[1].1 > 15, "{counted:?}");
    // Nothing was ever played: all the same.
    let unplayed = Case::new(Variant::Shogi, &format!("sfen {START}\n7g7f none 0 0 0\n2g2f none 0 0 0\n"));
    assert_eq!(unplayed.with(|s| s.consider_count = true).set(&start), "2g2f 7g7f");
    let half = case.with(|s| (s.ignore_rate, s.eval_diff) = (50, 0)).choices(&start);
    assert!(half.iter().all(|&(_, count)| (150..250).contains(&count)), "{half:?}");
    assert_eq!(case.with(|s| s.ignore_rate = 100).set(&start), "");
    assert_eq!(case.with(|s| s.own_book = false).set(&start), "");
    // The same seed, the same choice.
    let first = |seed| case.probe(&start, seed, 1).answer.unwrap().best;
    assert!((0..20).all(|seed| first(seed) == first(seed)));
}

#[test]
fn move_numbers() {
    let case = usual();
    let white: Shogi = played("7g7f");
    assert_eq!(case.with(|s| s.moves = 1).set(&white), "");
    assert_eq!(case.with(|s| s.moves = 2).set(&white), "3c3d");
    assert_eq!(case.with(|s| s.moves = 0).set(&played::<Shogi>("")), "");
    let mut later = diagram(AFTER_76);
    later.number = 12;
    let later: Shogi = at(&later);
    assert_eq!(case.set(&later), "3c3d");
    assert_eq!(case.with(|s| s.ignore_ply = false).set(&later), "");
    assert_eq!(case.with(|s| s.ignore_ply = false).set(&white), "3c3d");
    // The second time around, the book has nothing to say.
    let again: Shogi = played("4i4h 4a4b 4h4i 4b4a");
    assert_eq!(case.set(&again), "");
}

#[test]
fn sides_exchanged() {
    // White has pushed its pawn on the right edge as it sees it, and Black is to move.
    let book = "sfen lnsgkgsnl/1r5b1/1pppppppp/p8/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f 3c3d 12 5 1\n";
    let case = Case::new(Variant::Shogi, book);
    let white: Shogi = played("1g1f");
    let answer = case.probe(&white, 1, 1).answer.unwrap();
    assert_eq!((token(&answer.best), token(&answer.ponder)), ("3c3d".to_owned(), "7g7f".to_owned()));
    assert_eq!(answer.lines[0].score, 12);
    assert_eq!(case.set(&played::<Shogi>("9g9f")), "");
    assert_eq!(case.with(|s| s.flipped = false).set(&white), "");
    assert_eq!(case.with(|s| s.ignore_ply = false).set(&white), "");
}

#[test]
fn sides_that_play_by_different_rules_are_not_exchanged() {
    let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    let text = format!("sfen {sfen} b - 1\n7g7f\n");
    let white = diagram(&format!("{sfen} w - 1"));
    let case = Case::new(Variant::Happokei, &text);
    assert_eq!(case.set(&at::<ShogiPosition<HappokeiRules>>(&diagram(&format!("{sfen} b - 1")))), "7g7f");
    assert_eq!(case.set(&at::<ShogiPosition<HappokeiRules>>(&white)), "");
    assert_eq!(Case::new(Variant::Shogi, &text).set(&at::<Shogi>(&white)), "3c3d");
}

#[test]
fn illegal_moves_are_told_once() {
    let text = format!("sfen {START}\n7g7e\n5g5f none -5\nP*5e\n7g7f,2g2f\n");
    let case = Case::new(Variant::Shogi, &text);
    let start: Shogi = played("");
    let mut shelf = Shelf::seeded(1);
    shelf.open(&case.settings, Variant::Shogi, Goal::Capture5);
    let first = probe(&mut shelf, &start, &case.settings, 1);
    assert_eq!(token(&first.answer.unwrap().best), "5g5f");
    assert_eq!(first.notes.len(), 3);
    assert!(first.notes[0].starts_with("book move 7g7e is illegal in lnsg"), "{:?}", first.notes);
    assert!(probe(&mut shelf, &start, &case.settings, 1).notes.is_empty());
    assert_eq!(start.moves_played(), 0);
}

#[test]
fn lines_go_on_through_the_book() {
    let text = format!(
        "sfen {START}\n7g7f 3c3d 50 20 1\n2g2f none 40 18 1\n\
         sfen {AFTER_76}\n8c8d none -20 20 1\n\
         sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3\n8h2b+ 3a2b 0 9 1\n"
    );
    let case = Case::new(Variant::Shogi, &text);
    let start: Shogi = played("");
    let lines = |case: &Case, shown| {
        let answer = case.with(|s| s.eval_diff = 0).probe(&start, 1, shown).answer.unwrap();
        let text = |moves: &[Move]| tokens(moves, 1, 1).collect::<Vec<_>>().join(" ");
        (answer.lines.iter().map(|line| text(&line.pv)).collect::<Vec<_>>(), text(&answer.ponder), answer.chosen)
    };
    // The reply that goes with a move comes before the best one of the next position.
    let (shown, ponder, chosen) = lines(&case, 5);
    assert_eq!((shown[0].as_str(), ponder.as_str(), chosen), ("7g7f 3c3d 8h2b+ 3a2b", "3c3d", 0));
    assert_eq!(shown[1], "2g2f");
    assert_eq!(lines(&case, 1).0.len(), 1);
    assert_eq!(lines(&case.with(|s| s.pv_moves = 1), 1), (vec!["7g7f".into()], "3c3d".into(), 0));
    assert_eq!(lines(&case.with(|s| s.pv_moves = 3), 1).0, ["7g7f 3c3d 8h2b+"]);
    // A reply that cannot be played is not said.
    let wrong = Case::new(Variant::Shogi, &format!("sfen {START}\n7g7f 7g7f 50 20 1\nsfen {AFTER_76}\n8c8d\n"));
    assert_eq!(lines(&wrong, 1), (vec!["7g7f 8c8d".into()], "8c8d".into(), 0));
    // The move that is played is among those shown.
    let second = (0..50).find_map(|seed| {
        let answer = case.probe(&start, seed, 1).answer.unwrap();
        (token(&answer.best) == "2g2f").then_some(answer)
    });
    assert_eq!(second.unwrap().lines[0].pv, [Move::from_usi("2g2f").unwrap()]);
}

#[test]
fn whole_turns() {
    let text = format!("sfen {START}\n7g7f,2g2f 3c3d,8c8d 5 4 1\n7g7f none 9\n");
    let case = Case::new(Variant::Flanking, &text);
    let answer = case.probe(&played::<FlankingPosition>(""), 1, 3).answer.unwrap();
    assert_eq!(token(&answer.best), "7g7f,2g2f");
    assert_eq!(token(&answer.ponder), "3c3d,8c8d");
    assert_eq!(answer.lines.len(), 1);
    assert_eq!(answer.lines[0].pv.len(), 4);
    let half: FlankingPosition = at(&diagram(&format!("{START} step=2")));
    assert!(case.probe(&half, 1, 1).answer.is_none());
    // Seen from the other side.
    let white: FlankingPosition = at(&diagram(&START.replace(" b ", " w ")));
    assert_eq!(token(&case.probe(&white, 1, 1).answer.unwrap().best), "3c3d,8c8d");
}
