//! Runs of self-play: the same games whoever plays them, and all of them by the rules.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::AtomicU64;

use super::super::thought::think;
use super::*;
use crate::board::Color;
use crate::data::{EXTENSION, GameFile, GameRecord, Ply, Stats, Stored, expand};
use crate::diagram::Diagram;
use crate::game::{Game, Goal, HouseRules, Position, Variant};
use crate::nnue::Evaluation;
use crate::search::{Engine, Limits, SearchOptions};
use crate::shogi::Shogi;

fn plan(variant: Variant, name: &str) -> Plan {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("happo-selfplay-{}-{number}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    Plan {
        header: Header {
            variant,
            rules: HouseRules { move_limit: 80, goal: Goal::Lead3, ..HouseRules::default() },
            soft_nodes: 60,
            hard_nodes: 200,
            program: 1,
            network: 0,
            version: "1".to_owned(),
        },
        evaluation: Evaluation::HandCrafted,
        seed: 7,
        folder,
        games: 6,
        positions: u64::MAX,
        threads: 1,
    }
}

fn go(plan: &Plan) -> Totals {
    run(plan, &AtomicBool::new(false), &|_| {}).unwrap()
}

fn games(plan: &Plan) -> BTreeMap<u32, GameRecord> {
    let files = expand(std::slice::from_ref(&plan.folder)).unwrap();
    let all: Vec<GameRecord> =
        files.iter().flat_map(|path| Stored::read(path).unwrap().games().collect::<Vec<_>>()).collect();
    let by_number: BTreeMap<u32, GameRecord> = all.iter().map(|record| (record.number, record.clone())).collect();
    assert_eq!(by_number.len(), all.len(), "no game twice");
    by_number
}

fn finish(plan: &Plan) {
    fs::remove_dir_all(&plan.folder).unwrap();
}

#[test]
fn every_game_is_played_by_the_rules() {
    for variant in Variant::ALL {
        let plan = plan(variant, "rules");
        let totals = go(&plan);
        let mut stats = Stats::default();
        for path in expand(std::slice::from_ref(&plan.folder)).unwrap() {
            assert_eq!(path.extension().unwrap(), EXTENSION);
            stats.read(&path).unwrap();
        }
        assert_eq!((stats.games, stats.illegal, stats.damaged), (6, 0, 0), "{variant}: {:?}", stats.complaint);
        assert_eq!((totals.games, totals.positions), (6, stats.positions));
        assert!(stats.positions > 60 && stats.plies > stats.positions, "{variant}");
        finish(&plan);
    }
}

#[test]
fn threads_and_interruptions_change_no_game() {
    let one = plan(Variant::Flanking, "one");
    go(&one);
    let wanted = games(&one);
    assert_eq!(wanted.len(), 6);
    let three = Plan { threads: 3, ..plan(Variant::Flanking, "three") };
    go(&three);
    assert_eq!(games(&three), wanted);
    // Stopped after two games, with a third cut off.
    let stopped = plan(Variant::Flanking, "stopped");
    let stop = AtomicBool::new(false);
    let totals = run(&stopped, &stop, &|totals| stop.store(totals.games >= 2, Ordering::Relaxed)).unwrap();
    assert_eq!(totals.games, 2);
    let path = &expand(std::slice::from_ref(&stopped.folder)).unwrap()[0];
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() - 5]).unwrap();
    let totals = go(&stopped);
    assert_eq!((totals.found, totals.games), (1, 5));
    assert_eq!(games(&stopped), wanted);
    let totals = go(&stopped);
    assert_eq!((totals.found, totals.games), (6, 0));
    // Another seed, other games.
    let other = Plan { seed: 8, games: 1, ..plan(Variant::Flanking, "other") };
    go(&other);
    assert_ne!(games(&other)[&0].plies, wanted[&0].plies);
    [one, three, stopped, other].iter().for_each(finish);
}

#[test]
fn two_writers_share_a_folder() {
    // A game without a move is enough to fill blocks.
    let plan = Plan { games: 2 * blocks::BLOCK + 3, ..plan(Variant::Hasami, "two") };
    let (mut first, _) = Blocks::survey(&plan).unwrap();
    let (mut second, _) = Blocks::survey(&plan).unwrap();
    let game = |number: u32| GameRecord {
        seed: plan.seed,
        number,
        start: String::new(),
        plies: Vec::<Ply>::new(),
        winner: None,
        ending: crate::data::Ending::Adjudicated,
        played_out: false,
    };
    let mut played = 0;
    loop {
        let jobs = [first.next().unwrap(), second.next().unwrap()];
        for (blocks, job) in [&mut first, &mut second].into_iter().zip(jobs) {
            if let Some(job) = job {
                blocks.finish(&job, &game(job.number)).unwrap();
                played += 1;
            }
        }
        if jobs.iter().all(Option::is_none) {
            break;
        }
    }
    assert_eq!(played, plan.games);
    assert_eq!(games(&plan).len(), plan.games as usize);
    finish(&plan);
}

#[test]
fn other_settings_need_another_place() {
    let plan = plan(Variant::Hasami, "settings");
    fs::create_dir_all(&plan.folder).unwrap();
    let path = plan.folder.join("hasami-lead3-7-0000000.games");
    let other = Header { soft_nodes: 61, ..plan.header.clone() };
    drop(GameFile::open(&path, &other).unwrap());
    assert!(matches!(run(&plan, &AtomicBool::new(false), &|_| {}), Err(DataError::Settings(..))));
    finish(&plan);
}

#[test]
fn openings_are_level_and_handicaps_are_among_them() {
    let plan = plan(Variant::Shogi, "openings");
    let mut player = Player::<Shogi>::new(&Plan { seed: 3, ..plan.clone() });
    let stop = AtomicBool::new(false);
    let records: Vec<GameRecord> = (0..40).map(|number| player.play(number, &stop).unwrap()).collect();
    let handicaps = records.iter().filter(|record| !record.start.is_empty()).count();
    assert!((1..12).contains(&handicaps), "{handicaps}");
    let rules = plan.header.rules;
    let mut engine = Engine::<Shogi>::new(1, 1);
    // What Black is ahead, by as many nodes as the maker of openings judges by.
    let (nodes, _) = opening::nodes(plan.header.soft_nodes);
    let options = SearchOptions { evaluation: plan.evaluation.clone(), ..SearchOptions::default() };
    let mut judge = |position: &<Shogi as Game>::Position| {
        engine.clear();
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let score = think(&mut engine, position, limits, &options).score;
        if position.side_to_move() == Color::Black { score } else { -score }
    };
    for record in &records {
        let opening = record.plies.iter().take_while(|ply| ply.score.is_none()).count();
        assert!((6..=12).contains(&opening), "{opening}");
        assert!(record.plies[opening..].iter().all(|ply| ply.score.is_some()));
        let mut position = if record.start.is_empty() {
            <Shogi as Game>::Position::startpos(&rules)
        } else {
            assert!(record.start.contains(" w - 1"), "{}", record.start);
            let diagram: Vec<&str> = record.start.split(' ').collect();
            let diagram = Diagram::parse(diagram[0], diagram[1], diagram[2], None).unwrap();
            <Shogi as Game>::Position::from_diagram(&diagram, &rules).unwrap()
        };
        let base = judge(&position);
        for ply in &record.plies[..opening] {
            position.make(ply.m, &mut ());
        }
        let given = (judge(&position) - base).abs();
        assert!(given <= 500, "{given} in {}", position.diagram());
    }
    assert!(records.iter().any(|record| record.played_out));
    stop.store(true, Ordering::Relaxed);
    assert_eq!(player.play(0, &stop), None);
}
