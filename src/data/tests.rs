//! Files of games: what comes back, and what damage does to them.

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::board::{Color, Move};
use crate::game::{EnteringKingRule, Goal, HouseRules, Position, Reason, Variant};
use crate::hasami::HasamiPosition;

fn header() -> Header {
    Header {
        variant: Variant::Hasami,
        rules: HouseRules { goal: Goal::Lead3, move_limit: 320, entering_king: EnteringKingRule::TryRule },
        soft_nodes: 1500,
        hard_nodes: 70_000,
        program: 0xdead_beef,
        network: 0x0123_4567_89ab_cdef,
        version: "12.34.56-development".to_owned(),
    }
}

fn record(number: u32) -> GameRecord {
    let moves = ["9i9e", "1a1e", "9e8e"].map(|text| Move::from_usi(text).unwrap());
    let scores = [None, Some(-7), Some(i16::MAX)];
    GameRecord {
        seed: u64::MAX - 3,
        number,
        start: if number.is_multiple_of(2) {
            String::new()
        } else {
            "ppppppppp/9/9/9/9/9/9/9/PPPPPPPPP b - 1".to_owned()
        },
        plies: moves.into_iter().zip(scores).map(|(m, score)| Ply { m, score }).collect(),
        winner: [None, Some(Color::Black), Some(Color::White)][number as usize % 3],
        ending: if number == 0 { Ending::Adjudicated } else { Ending::Rules(Reason::Goal) },
        played_out: number == 2,
    }
}

fn file(records: &[GameRecord]) -> Vec<u8> {
    let mut bytes = header().to_bytes().to_vec();
    bytes.extend(records.iter().flat_map(|record| record.to_bytes().unwrap()));
    bytes
}

fn read(bytes: &[u8]) -> (Vec<GameRecord>, u64) {
    let mut games = Games::new(bytes);
    let records = games.by_ref().collect();
    (records, games.damaged())
}

/// A folder that is gone afterwards.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("happo-data-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn headers_and_records_come_back() {
    assert_eq!(Header::from_bytes(&header().to_bytes()), Ok(header()));
    let records: Vec<_> = (0..6).map(record).collect();
    assert_eq!(read(&file(&records)), (records, 0));
    for reason in [Reason::Checkmate, Reason::Declaration, Reason::MoveLimit] {
        let game = GameRecord { ending: Ending::Rules(reason), ..record(1) };
        assert_eq!(GameRecord::from_bytes(&game.to_bytes().unwrap()).unwrap().0, game);
    }
    assert_eq!(Ply::new(Move::NONE, -40_000).score, Some(-i16::MAX));
    let long = GameRecord { plies: vec![record(0).plies[0]; 65_536], ..record(0) };
    assert_eq!(long.to_bytes(), None);
}

#[test]
fn bytes_are_as_documented() {
    let bytes = file(&[record(1)]);
    assert_eq!(bytes[..16], *b"happogam\x01\0\x40\0\x04\x01\x05\0");
    assert_eq!(bytes[16..28], [64, 1, 0, 0, 0xdc, 5, 0, 0, 0x70, 0x11, 1, 0]);
    assert_eq!(bytes[28..40], [0xef, 0xbe, 0xad, 0xde, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 1]);
    assert_eq!(bytes[40..60], *b"12.34.56-development");
    let game = &bytes[64..];
    assert_eq!(game[..4], *b"\xc5GAM");
    assert_eq!(game[8..26], [0xfc, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0, 3, 0, 1, 4, 0, 39]);
    assert_eq!(game[26..65], *record(1).start.as_bytes());
    assert_eq!(game[67..69], [0, 0x80], "the opening has no score");
    assert_eq!(game[71..73], (-7i16).to_le_bytes());
    assert_eq!(game.len(), 26 + 39 + 3 * 4);
}

#[test]
fn a_file_may_end_at_any_byte() {
    let records: Vec<_> = (0..3).map(record).collect();
    let bytes = file(&records);
    let folder = Folder::new("cut");
    let ends: Vec<usize> = (0..=3).map(|count| file(&records[..count]).len()).collect();
    for length in 0..=bytes.len() {
        let whole = ends.iter().filter(|&&end| end <= length).count().saturating_sub(1);
        let cut = length >= Header::SIZE && !ends.contains(&length);
        if length >= Header::SIZE {
            assert_eq!(read(&bytes[..length]), (records[..whole].to_vec(), u64::from(cut)), "{length}");
        } else {
            assert!(Header::from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        // Who goes on with it finds the whole games and adds others behind them.
        let path = folder.path(&length.to_string());
        fs::write(&path, &bytes[..length]).unwrap();
        let (mut file, found) = GameFile::open(&path, &header()).unwrap().unwrap();
        assert_eq!(found, records[..whole], "{length}");
        file.add(&record(9)).unwrap();
        drop(file);
        let expected = [&records[..whole], &[record(9)]].concat();
        assert_eq!(read(&fs::read(&path).unwrap()), (expected, 0), "{length}");
    }
}

#[test]
fn a_changed_bit_costs_one_game() {
    let records: Vec<_> = (0..4).map(record).collect();
    let bytes = file(&records);
    let mut ends = (0..=4).map(|count| file(&records[..count]).len());
    let mut game = 0;
    let mut end = ends.by_ref().nth(1).unwrap();
    for at in Header::SIZE..bytes.len() {
        if at == end {
            game += 1;
            end = ends.next().unwrap();
        }
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            let mut left = records.clone();
            left.remove(game);
            assert_eq!(read(&damaged), (left, 1), "byte {at}, bit {bit}");
        }
    }
    for at in 0..Header::SIZE {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(Header::from_bytes(&damaged).is_err(), "byte {at}");
    }
}

#[test]
fn one_process_writes_and_settings_stay() {
    let folder = Folder::new("lock");
    let path = folder.path("x.games");
    let (first, _) = GameFile::open(&path, &header()).unwrap().unwrap();
    assert!(GameFile::open(&path, &header()).unwrap().is_none());
    drop(first);
    assert!(GameFile::open(&path, &header()).unwrap().is_some());
    let other = Header { soft_nodes: 1501, ..header() };
    assert!(matches!(GameFile::open(&path, &other), Err(DataError::Settings(..))));
    for text in ["happogam with another end", "something else entirely"] {
        fs::write(&path, text).unwrap();
        assert!(matches!(GameFile::open(&path, &header()), Err(DataError::Header(..))));
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "a file that is not understood stays as it is");
    }
}

#[test]
fn merging_leaves_each_game_once() {
    let folder = Folder::new("merge");
    fs::write(folder.path("b.games"), file(&[record(2), record(1)])).unwrap();
    let mut damaged = file(&[record(1), record(3), record(4)]);
    let at = file(&[record(1)]).len() + 10;
    damaged[at] ^= 1;
    fs::write(folder.path("a.games"), damaged).unwrap();
    fs::write(folder.path("notes.txt"), "").unwrap();
    let files = expand(std::slice::from_ref(&folder.0)).unwrap();
    assert_eq!(files, [folder.path("a.games"), folder.path("b.games")]);
    let out = folder.path("all");
    assert_eq!(merge(&files, &out).unwrap(), Merged { games: 3, duplicates: 1, damaged: 1 });
    let stored = Stored::read(&out).unwrap();
    assert_eq!(stored.header, header());
    assert_eq!(stored.games().collect::<Vec<_>>(), [record(1), record(4), record(2)]);
    assert!(matches!(merge(&files, &out), Err(DataError::Io(..))), "what is there is not overwritten");
}

fn outcome(record: &GameRecord) -> Result<Vec<(Option<i16>, u8, usize)>, ReplayError> {
    let mut replay = Replay::<HasamiPosition>::new(record, &header().rules, true)?;
    let mut all = Vec::new();
    while let Some(moment) = replay.next()? {
        assert!(moment.position.is_legal(moment.m));
        all.push((moment.score, moment.half_points, moment.ply));
    }
    assert!(replay.next()?.is_none());
    Ok(all)
}

#[test]
fn games_are_played_through() {
    let adjudicated = GameRecord { ending: Ending::Adjudicated, winner: Some(Color::White), ..record(1) };
    assert_eq!(outcome(&adjudicated).unwrap(), [(None, 0, 0), (Some(-7), 2, 1), (Some(i16::MAX), 0, 2)]);
    let drawn = GameRecord { winner: None, ..adjudicated.clone() };
    assert!(outcome(&drawn).unwrap().iter().all(|&(_, half_points, _)| half_points == 1));
    // Three sliding moves reach no goal.
    assert_eq!(outcome(&record(1)), Err(ReplayError::Ending("goal")));
    let mut illegal = adjudicated.clone();
    illegal.plies[2] = illegal.plies[0];
    assert_eq!(outcome(&illegal), Err(ReplayError::Illegal(2, illegal.plies[0].m)));
    for start in ["nonsense", "ppppppppp/9/9/9/9/9/9/9/PPPPPPPPP b - 1 step=2", "ppppppppp/9/9/9 b - 1"] {
        let wrong = GameRecord { start: start.to_owned(), ..adjudicated.clone() };
        assert!(matches!(outcome(&wrong), Err(ReplayError::Start(_))), "{start}");
    }
}
