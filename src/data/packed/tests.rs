//! Packed positions: what comes back, bytes as other programs write them, and what is refused.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;

use super::code::{HCP, PACKED_SFEN};
use super::*;
use crate::board::{Kind, MoveList};
use crate::data::tests::Folder;
use crate::data::{Ending, GameRecord, Header, Ply, Stats, Stored};
use crate::game::{Stage, Variant};
use crate::random::Random;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const TEN_PIECES: &str = "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";

/// Positions with what cshogi 1.1.0 makes of them: HuffmanCodedPos, PackedSfen.
const KNOWN: [(&str, &str, &str); 6] = [
    (
        START,
        "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c",
        "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c",
    ),
    (
        TEN_PIECES,
        "59240a61a0103f0785b050088f42a0101e0a61a1101f078530a4b4566bbd3f5e",
        "5924126120113f0b897090088f4420111e12e120111f0b8930a4d4da5a7bbf7e",
    ),
    (
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        "2381490986eb1565014b3cbee40200a0c417b84a0004c744113fc3f9912467bd",
        "2381510a86f515e900473c3ed5010020c52758530004cb48123fc3f99024ebbc",
    ),
    (
        "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
        "8dcb49110c14e11f3c201e808f12342578f8b5896561529738a823180ac979bf",
        "8dcb51120c24e11f3c201e808f14342978f8738ae36094ab58c8251806c97a9f",
    ),
    (
        "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLPrbgsnlp 1",
        "582400000000000000000000c228e7f3639cf57eff92244992244929add55aef",
        "5824000000000000000000004219e7f161acf33ebf92244992244929b5b6d6de",
    ),
    (
        "4k4/9/2+P+L+N+S+B+R1/9/9/9/2+p+l+n+s+b+r1/9/4K4 w 2G2g 7",
        "592400fce21f3ef10d2b769cb8316286440300c039f74a9224499224a5b4566b",
        "592400fce11fbef00d176e6cd8316186420300c039f74a9224499224a5d4da5a",
    ),
];

fn diagram(sfen: &str) -> Diagram {
    let fields: Vec<&str> = sfen.split(' ').collect();
    Diagram::parse(fields[0], fields[1], fields[2], Some(fields[3])).unwrap()
}

fn bytes<const N: usize>(hex: &str) -> [u8; N] {
    std::array::from_fn(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
}

fn entry(sfen: &str, m: &str, score: i16, winner: Option<Color>) -> Entry {
    Entry { diagram: diagram(sfen), m: Move::from_usi(m).unwrap(), score, winner }
}

/// A game of random moves, captures as often as not, so that hands fill.
fn game(number: u32) -> GameRecord {
    let mut random = Random::new(u64::from(number));
    let start = if number % 4 == 3 { TEN_PIECES } else { START };
    let rules = HouseRules::default();
    let mut position = ShogiPosition::<StandardRules>::from_diagram(&diagram(start), &rules).unwrap();
    let mut plies = Vec::new();
    while plies.len() < 300 && position.result().is_none() {
        let stage = if random.below(2) == 0 { Stage::Tactical } else { Stage::All };
        let mut list = MoveList::new();
        position.generate(stage, &mut list);
        if list.is_empty() {
            continue;
        }
        let m = list[random.below(list.len())];
        plies.push(if plies.len() < 4 {
            Ply { m, score: None }
        } else {
            Ply::new(m, random.below(65_535) as i32 - 32_767)
        });
        position.make(m, &mut ());
    }
    GameRecord {
        seed: 7,
        number,
        start: if start == START { String::new() } else { start.to_owned() },
        plies,
        winner: [None, Some(Color::Black), Some(Color::White)][number as usize % 3],
        ending: Ending::Adjudicated,
        played_out: false,
    }
}

fn entries(games: &[GameRecord]) -> Vec<Entry> {
    let mut all = Vec::new();
    for record in games {
        let rules = HouseRules::default();
        let start = if record.start.is_empty() { START } else { &record.start };
        let mut position = ShogiPosition::<StandardRules>::from_diagram(&diagram(start), &rules).unwrap();
        for &Ply { m, score } in &record.plies {
            if let Some(score) = score {
                all.push(Entry { diagram: position.diagram(), m, score, winner: record.winner });
            }
            position.make(m, &mut ());
        }
    }
    all
}

fn header(variant: Variant) -> Header {
    Header {
        variant,
        rules: HouseRules::default(),
        soft_nodes: 1,
        hard_nodes: 1,
        program: 1,
        network: 1,
        version: String::new(),
    }
}

fn file_of(games: &[GameRecord]) -> Vec<u8> {
    let mut bytes = header(Variant::Shogi).to_bytes().to_vec();
    bytes.extend(games.iter().flat_map(|record| record.to_bytes().unwrap()));
    bytes
}

/// What a position is but for its number, which one of the formats does not tell.
fn known(format: Format, entry: &Entry) -> Entry {
    let mut entry = entry.clone();
    if format == Format::Hcpe {
        entry.diagram.number = 1;
    }
    entry
}

const FORMATS: [Format; 2] = [Format::Psv, Format::Hcpe];

#[test]
fn bits_are_those_of_other_programs() {
    for (sfen, hcp, packed) in KNOWN {
        let mut diagram = diagram(sfen);
        assert_eq!(HCP.pack(&diagram).unwrap(), bytes(hcp), "{sfen}");
        assert_eq!(PACKED_SFEN.pack(&diagram).unwrap(), bytes(packed), "{sfen}");
        diagram.number = 1;
        assert_eq!(HCP.unpack(&bytes(hcp)).unwrap(), diagram);
        assert_eq!(PACKED_SFEN.unpack(&bytes(packed)).unwrap(), diagram);
    }
}

#[test]
fn records_are_as_documented() {
    let first = entry(START, "7g7f", -300, Some(Color::White));
    let record = psv::to_bytes(&first).unwrap();
    assert_eq!(record[32..], [0xd4, 0xfe, 0x3b, 0x1e, 1, 0, 0xff, 0]);
    assert_eq!(psv::from_bytes(&record).unwrap(), first);
    let record = hcpe::to_bytes(&first).unwrap();
    assert_eq!(record[32..], [0xd4, 0xfe, 0x3b, 0x1e, 2, 0]);
    assert_eq!(hcpe::from_bytes(&record).unwrap(), first);
    let hands = "4k4/2P6/9/9/9/9/9/9/4K4 b RBGSNLP 70000";
    // As cshogi has them.
    for (m, in_psv, in_hcpe) in [
        ("P*5e", 0b0100_0000_1010_1000_u16, 0b0010_1000_1010_1000_u16),
        ("L*5e", 0b0100_0001_0010_1000, 0b0010_1001_0010_1000),
        ("N*5e", 0b0100_0001_1010_1000, 0b0010_1001_1010_1000),
        ("S*5e", 0b0100_0010_0010_1000, 0b0010_1010_0010_1000),
        ("B*5e", 0b0100_0010_1010_1000, 0b0010_1010_1010_1000),
        ("R*5e", 0b0100_0011_0010_1000, 0b0010_1011_0010_1000),
        ("G*5e", 0b0100_0011_1010_1000, 0b0010_1011_1010_1000),
        ("7b7a+", 0b1001_1011_1011_0110, 0b0101_1011_1011_0110),
    ] {
        let entry = entry(hands, m, 31_999, Some(Color::Black));
        let record = psv::to_bytes(&entry).unwrap();
        assert_eq!(record[34..36], in_psv.to_le_bytes(), "{m}");
        assert_eq!(record[36..], [255, 255, 1, 0], "a number that is too large is cut down");
        assert_eq!(psv::from_bytes(&record).unwrap().m, entry.m);
        let record = hcpe::to_bytes(&entry).unwrap();
        assert_eq!(record[34..36], in_hcpe.to_le_bytes(), "{m}");
        assert_eq!(hcpe::from_bytes(&record).unwrap().m, entry.m);
    }
    for format in FORMATS {
        let drawn = entry(TEN_PIECES, "5a5b", i16::MIN, None);
        let record = format.to_bytes(&drawn).unwrap();
        assert_eq!(record.len(), format.size());
        assert_eq!(format.from_bytes(&record).unwrap(), drawn);
    }
}

#[test]
fn random_games_come_back() {
    let all = entries(&(0..60).map(game).collect::<Vec<_>>());
    let held = |entry: &Entry, kind: Kind| Color::ALL.map(|color| entry.diagram.hands[color][kind.index()]);
    for kind in Kind::HAND {
        let most = all.iter().flat_map(|entry| held(entry, kind)).max();
        assert!(most >= Some(Diagram::SET[kind.index()] / 2), "{kind:?}: {most:?}");
    }
    for (format, entry) in FORMATS.iter().flat_map(|&format| all.iter().map(move |entry| (format, entry))) {
        let back = format.from_bytes(&format.to_bytes(entry).unwrap()).unwrap();
        assert_eq!(back, known(format, entry));
        back.position().unwrap();
    }
}

#[test]
fn faults_are_named() {
    let start = psv::to_bytes(&entry(START, "7g7f", 0, None)).unwrap();
    let read = |change: &dyn Fn(&mut [u8; psv::SIZE])| {
        let mut bytes = start;
        change(&mut bytes);
        psv::from_bytes(&bytes)
    };
    // Black's king is told by bits 1..8, White's by 8..15.
    assert_eq!(read(&|bytes| bytes[0] = 81 << 1), Err(PackedError::KingSquare("Black", 81)));
    assert_eq!(read(&|bytes| bytes[1] |= 0x7f), Err(PackedError::KingSquare("White", 127)));
    assert_eq!(read(&|bytes| bytes[..2].copy_from_slice(&[8 << 1, 8])), Err(PackedError::KingsMeet));
    assert_eq!(read(&|bytes| bytes[2..32].fill(0xff)), Err(PackedError::Overrun));
    // A pawn of three bits after another, up to the end.
    let pawns = PackedError::Set { kind: 'P', found: 54, set: 18 };
    assert_eq!(read(&|bytes| bytes[2..32].fill(0)), Err(pawns));
    assert_eq!(read(&|bytes| bytes[38] = 2), Err(PackedError::Result(2)));
    assert_eq!(read(&|bytes| bytes[38] = 0x80), Err(PackedError::Result(-128)));
    for bits in [0, 40 << 7 | 40, 81, 81 << 7, 1 << 14, 8 << 7 | 1 << 14, 1 << 7 | 3 << 14, 0x4e7f_u16] {
        let change = |bytes: &mut [u8; psv::SIZE]| bytes[34..36].copy_from_slice(&bits.to_le_bytes());
        assert_eq!(read(&change), Err(PackedError::Move(bits)), "{bits:#x}");
    }
    // Three bits that are neither a pawn in a hand nor one out of play.
    let hands = psv::to_bytes(&entry("4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1", "P*5e", 0, None)).unwrap();
    let mut word = hands;
    word[11] |= 0x80;
    word[12] |= 1;
    assert_eq!(psv::from_bytes(&word), Err(PackedError::Word(94)));
    assert_eq!(Format::Hcpe.from_bytes(&start[..37]), Err(PackedError::Cut(37)));
    for kingless in ["9/9/9/9/9/9/9/9/4K4 b - 1", "4k4/9/9/9/9/9/9/9/9 b - 1"] {
        let kingless = Entry { diagram: diagram(kingless), ..entry(START, "7g7f", 0, None) };
        for format in FORMATS {
            assert!(matches!(format.to_bytes(&kingless), Err(PackedError::Diagram(DiagramError::NoKing(_)))));
        }
    }
    let nifu = entry("4k4/9/9/9/4P4/9/4P4/9/4K4 b - 1", "5i5h", 0, None);
    for format in FORMATS {
        let back = format.from_bytes(&format.to_bytes(&nifu).unwrap()).unwrap();
        assert!(matches!(back.position().err(), Some(PackedError::Diagram(DiagramError::Nifu("Black", 5)))));
    }
    let illegal = entry(START, "7g7e", 0, None);
    assert_eq!(illegal.position().err(), Some(PackedError::Illegal(illegal.m)));
}

#[test]
fn files_go_out_and_come_in() {
    let folder = Folder::new("packed");
    let games: Vec<_> = (0..8).map(game).collect();
    let mut illegal = game(8);
    illegal.plies[5] = illegal.plies[3];
    let mut bytes = file_of(&[&games[..], &[illegal]].concat());
    bytes.extend(b"rubbish");
    let source = folder.path("a.games");
    fs::write(&source, bytes).unwrap();
    let all = entries(&games);
    let nothing = &mut |_: u64, _: &Exported| {};
    for format in FORMATS {
        let (out, back, again) = (folder.path(format.name()), folder.path("back"), folder.path("again"));
        let exported = export(std::slice::from_ref(&source), format, false, &out, nothing).unwrap();
        let Exported { complaint, .. } = &exported;
        assert!(complaint.as_ref().unwrap().contains("game 8 of seed 7: ply 5: "), "{complaint:?}");
        let expected =
            Exported { games: 8, positions: all.len() as u64, illegal: 1, damaged: 1, ..Exported::default() };
        assert_eq!(Exported { complaint: None, ..exported }, expected);
        let records: Vec<u8> = all.iter().flat_map(|entry| format.to_bytes(entry).unwrap()).collect();
        assert!(fs::read(&out).unwrap() == records);
        assert!(export(std::slice::from_ref(&source), format, false, &out, nothing).is_err(), "there already");
        assert!(fs::read(&out).unwrap() == records);

        let mut told = 0;
        let imported = import(std::slice::from_ref(&out), format, &back, &mut |_, _| told += 1).unwrap();
        let count = all.len() as u64;
        assert_eq!(imported, Imported { records: count, positions: count, ..Imported::default() });
        assert!(told > 0);
        let stored = Stored::read(&back).unwrap();
        assert_eq!((stored.header.soft_nodes, &*stored.header.version), (0, &*format!("imported {format}")));
        let seed = (records.len() as u64) << 32 | u64::from(crc32fast::hash(&records));
        for ((record, entry), number) in stored.games().zip(&all).zip(0..) {
            let Entry { diagram, m, score, winner } = known(format, entry);
            let ply = Ply::new(m, score.into());
            let start = if diagram.to_string() == START { String::new() } else { diagram.to_string() };
            let ending = Ending::Adjudicated;
            let game = GameRecord { seed, number, start, plies: vec![ply], winner, ending, played_out: false };
            assert_eq!(record, game);
        }
        let mut stats = Stats::default();
        stats.read(&back).unwrap();
        assert_eq!((stats.games, stats.positions, stats.illegal, stats.damaged), (count, count, 0, 0));
        export(std::slice::from_ref(&back), format, false, &again, nothing).unwrap();
        assert!(fs::read(&again).unwrap() == records);
        for path in [&back, &again] {
            fs::remove_file(path).unwrap();
        }

        let quiet = all.iter().filter(|entry| {
            let position = entry.position().unwrap();
            !position.in_check() && !position.is_capture(entry.m) && !entry.m.is_promotion()
        });
        let quiet: Vec<u8> = quiet.flat_map(|entry| format.to_bytes(entry).unwrap()).collect();
        let exported = export(std::slice::from_ref(&source), format, true, &again, nothing).unwrap();
        assert_eq!(exported.positions + exported.loud, count);
        assert!(!quiet.is_empty() && fs::read(&again).unwrap() == quiet);
        fs::remove_file(&again).unwrap();
    }
}

#[test]
fn bad_files_are_survived() {
    let folder = Folder::new("packed-bad");
    let out = folder.path("out");
    let nothing = &mut |_: u64, _: &Imported| {};
    let good = entry(START, "7g7f", 5, None);
    for format in FORMATS {
        let record = |entry: &Entry| format.to_bytes(entry).unwrap();
        let illegal = record(&entry(START, "7g7e", 5, None));
        let source = folder.path("positions");
        let whole = [record(&good), vec![0xff; format.size()], illegal.clone(), record(&good)].concat();
        fs::write(&source, [&whole[..], &whole[..20]].concat()).unwrap();
        let imported = import(std::slice::from_ref(&source), format, &out, nothing).unwrap();
        assert_eq!((imported.records, imported.positions, imported.refused), (5, 2, 3));
        let place = source.display();
        assert_eq!(
            imported.complaints,
            [
                format!("{place}: record 1: Black's king stands on square 127 of 81"),
                format!("{place}: record 2: 7g7e is illegal"),
                format!("{place}: record 4: the file ends 20 bytes into the record"),
            ]
        );
        assert_eq!(Stored::read(&out).unwrap().games().map(|game| game.number).collect::<Vec<_>>(), [0, 3]);
        fs::remove_file(&out).unwrap();
        for rubbish in [Vec::new(), illegal.repeat(100)] {
            fs::write(&source, rubbish).unwrap();
            let imported = import(std::slice::from_ref(&source), format, &out, nothing).unwrap();
            assert_eq!((imported.positions, imported.records), (0, imported.refused));
            assert!(imported.complaints.len() <= 10 && !out.exists(), "no file without a position");
        }
        let missing = [source, folder.path("missing")];
        assert!(matches!(import(&missing, format, &out, nothing), Err(DataError::Io(..))));
        assert!(!out.exists());
    }
    let other: PathBuf = folder.path("other.games");
    fs::write(&other, header(Variant::AiHappokei).to_bytes()).unwrap();
    let error = export(&[other], Format::Psv, false, &out, &mut |_, _| {}).unwrap_err();
    assert!(matches!(error, DataError::Variant(_, Variant::AiHappokei)), "{error}");
    assert!(!out.exists());
}

/// Whatever can be read can be written, and is then read as the same.
fn survive(format: Format, bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(entry) = format.from_bytes(bytes) {
        let back = format.from_bytes(&format.to_bytes(&entry).unwrap());
        prop_assert_eq!(back.as_ref(), Ok(&entry));
        // Says what it says, but does not panic.
        let _ = entry.position();
    }
    Ok(())
}

proptest! {
    #[test]
    fn random_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..50)) {
        FORMATS.into_iter().try_for_each(|format| survive(format, &bytes))?;
    }

    #[test]
    fn changed_bits_are_survived(
        known in 0..KNOWN.len(),
        bits in prop::collection::vec(0..8 * psv::SIZE, 1..6),
        moved in any::<u16>(),
    ) {
        for format in FORMATS {
            let mut record = format.to_bytes(&entry(KNOWN[known].0, "7g7f", 0, None)).unwrap();
            record[34..36].copy_from_slice(&moved.to_le_bytes());
            for bit in bits.iter().filter(|&&bit| bit < 8 * format.size()) {
                record[bit / 8] ^= 1 << (bit % 8);
            }
            survive(format, &record)?;
        }
    }
}
