use proptest::prelude::*;

use crate::board::Move;
use crate::game::{Goal, HouseRules, Position, Variant};
use crate::opening::apery::{AperyBook, encode, key as apery_key};
use crate::opening::disk::DiskBook;
use crate::opening::key::{Query, key};
use crate::opening::memory::MemoryBook;
use crate::opening::record::{BookMove, BookTurn};
use crate::opening::text::{Summary, Tag, read};
use crate::opening::{Item, Pages, Prefer, Settings, Shelf, merge, save, summarise};

use super::{AFTER_76, Folder, START, diagram};

fn memory(text: &str, variant: Variant) -> (MemoryBook, Summary) {
    MemoryBook::read(text.as_bytes(), variant).unwrap()
}

fn found(book: &MemoryBook, sfen: &str, variant: Variant) -> Vec<String> {
    let moves = book.lookup(&Query::new(diagram(sfen), variant), true);
    moves.iter().map(BookMove::to_string).collect()
}

#[test]
fn lines_of_every_kind() {
    let text = format!(
        "#YANEURAOU-DB2016 1.00\r\n# made by hand\r\n// as was this\r\n\r\nsfen {START}\r\n7g7f 3c3d 35 20 7\r\n\
         2g2f none\r\n2g2f\r\n5g5f 8c8d -3\r\nresign none 0\r\nNone none 0 0 1\r\nsfen {AFTER_76}\r\n3c3d 2g2f 1 2 3 4 5\r\n"
    );
    for text in [text.clone(), text.replace('\r', ""), format!("\u{feff}{text}"), text.replace(' ', " \t")] {
        let (book, summary) = memory(&text, Variant::Shogi);
        assert_eq!((summary.positions, summary.moves, summary.damage.lines), (2, 5, 0), "{:?}", summary.damage);
        // The move that is listed twice stays once, with both counts.
        assert_eq!(found(&book, START, Variant::Shogi), ["7g7f 3c3d 35 20 7", "2g2f none 0 0 2", "5g5f 8c8d -3 0 1"]);
        assert_eq!(found(&book, AFTER_76, Variant::Shogi), ["3c3d 2g2f 1 2 3"]);
    }
}

#[test]
fn damaged_lines_are_named_and_skipped() {
    let text = format!(
        "7g7f none\nsfen {START}\n7g7 none\n7g7f none x\n7g7f 3c3\n2g2f none 5\nsfen 9/9 b - 1\n7g7f none\nsfen\n\
         sfen {} b 19P 1\nsfen {AFTER_76}\n3c3d none 1 2 -9\n\u{1}\u{2}\n7g7",
        "9/9/9/9/9/9/9/9/9"
    );
    let (book, summary) = memory(&text, Variant::Shogi);
    assert_eq!(summary.damage.lines, 9, "{:?}", summary.damage);
    let messages = summary.damage.messages();
    assert!(messages[0].starts_with("line 1 skipped: neither"), "{messages:?}");
    assert!(messages[1].starts_with("line 3 skipped: \"7g7 none\" has a bad move"), "{messages:?}");
    assert!(messages[2].starts_with("line 4 skipped: "), "{messages:?}");
    assert_eq!(messages[3], "6 more damaged lines skipped");
    assert_eq!(found(&book, START, Variant::Shogi), ["2g2f none 5 0 1"]);
    assert_eq!(found(&book, AFTER_76, Variant::Shogi), ["3c3d none 1 2 0"]);
    let (_, summary) = memory("sfen 9/9/9/9/9/9/9/9/9 b P1P1 1\n", Variant::Shogi);
    assert_eq!(summary.damage.lines, 1);
}

proptest! {
    #[test]
    fn rubbish_is_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let (book, _) = MemoryBook::read(bytes.as_slice(), Variant::Shogi).unwrap();
        prop_assert!(book.lookup(&Query::new(diagram(START), Variant::Shogi), true).is_empty());
    }

    #[test]
    fn half_a_book_is_survived(end in 0..400_usize) {
        let text = format!("# x\nsfen {START}\n7g7f 3c3d 1 2 3\nsfen {AFTER_76}\n3c3d none 4 5 6\n");
        let bytes = &text.as_bytes()[..end.min(text.len())];
        MemoryBook::read(bytes, Variant::Shogi).unwrap();
        let folder = Folder::new();
        let disk = DiskBook::open(&folder.write("half.db", bytes), Variant::Shogi).unwrap();
        disk.is_sorted().unwrap();
        disk.lookup(&Query::new(diagram(START), Variant::Shogi), true).unwrap();
    }
}

#[test]
fn long_lines_are_not_kept() {
    let text = format!("{}\nsfen {START}\n7g7f{}\n", "x".repeat(3 << 20), " ".repeat(100_000));
    let (book, summary) = memory(&text, Variant::Shogi);
    assert_eq!(summary.damage.lines, 1);
    assert_eq!(found(&book, START, Variant::Shogi).len(), 1);
}

#[test]
fn numbers_of_any_size() {
    let m = BookMove::parse("7g7f none 99999999999 70000 99999999999").unwrap();
    assert_eq!((m.value, m.depth, m.count), (i32::MAX, u16::MAX, u32::MAX));
    let m = BookMove::parse("7g7f,8h2b+ 3c3d,4c4d -99999999999 -1 -1").unwrap();
    assert_eq!((m.value, m.depth, m.count), (i32::MIN, 0, 0));
    assert_eq!((m.turn.moves().len(), m.ponder.moves().len()), (2, 2));
    assert!(BookMove::parse("7g7f,").is_err() && BookMove::parse("7g7f none 99999999999999999999").is_err());
}

/// Positions of random games, each with two of its moves.
fn random_pages<P: Position>(games: u64) -> Pages {
    let mut pages = Pages::new();
    let mut random = 1_u64;
    for _ in 0..games {
        let mut position = P::startpos(&HouseRules::default());
        for _ in 0..30 {
            let mut list = crate::board::MoveList::new();
            position.generate(crate::game::Stage::All, &mut list);
            if position.result().is_some() {
                break;
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let m = list[(random >> 33) as usize % list.len()];
            let moves =
                [m, list[0]].map(|m| BookMove { value: (random >> 60) as i32, ..BookMove::new(BookTurn::new(&[m])) });
            pages.insert(position.diagram().to_string(), moves.to_vec());
            position.make(m, &mut ());
        }
    }
    pages
}

/// Every position of `pages`, and the same at another move number.
fn queries(pages: &Pages, variant: Variant) -> Vec<Query> {
    let query = |sfen: &String| {
        let here = diagram(sfen);
        let mut later = here.clone();
        later.number += 2;
        [Query::new(here, variant), Query::new(later, variant)]
    };
    pages.keys().flat_map(query).collect()
}

fn disk_equals_memory<P: Position>() {
    let folder = Folder::new();
    let variant = P::variant();
    let pages = random_pages::<P>(40);
    let path = folder.path().join("random.db");
    save(&path, &pages, Some(Tag::new(variant, Goal::Capture5))).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let crlf = folder.write("crlf.db", text.replace('\n', "\r\n"));
    for path in [path, crlf] {
        let (memory, summary) = MemoryBook::read(std::fs::read(&path).unwrap().as_slice(), variant).unwrap();
        assert_eq!((summary.positions as usize, summary.damage.lines, summary.sorted), (pages.len(), 0, true));
        let disk = DiskBook::open(&path, variant).unwrap();
        assert!(disk.is_sorted().unwrap());
        assert_eq!(disk.tag().unwrap(), summary.tag);
        for (query, place) in queries(&pages, variant).iter().zip(0..) {
            for ignore in [false, true] {
                let moves = memory.lookup(query, ignore);
                assert_eq!(disk.lookup(query, ignore).unwrap(), moves, "{}", query.diagram);
                assert!(!moves.is_empty() || place % 2 == 1 && !ignore);
            }
        }
    }
}

#[test]
fn on_the_fly_equals_loaded() {
    disk_equals_memory::<crate::shogi::ShogiPosition<crate::shogi::StandardRules>>();
    disk_equals_memory::<crate::flanking::FlankingPosition>();
    disk_equals_memory::<crate::hasami::HasamiPosition>();
}

#[test]
fn captures_that_are_left_out() {
    let (full, bare) = ("p3ppppp/9/9/9/9/9/9/9/PPPPPPPP1 b 3Pp 9", "p3ppppp/9/9/9/9/9/9/9/PPPPPPPP1 b - 9");
    assert_eq!(key(&diagram(full), Variant::Hasami), key(&diagram(bare), Variant::Hasami));
    let folder = Folder::new();
    let text = format!("sfen {bare}\n9i9b\n");
    let (book, _) = memory(&text, Variant::Hasami);
    assert_eq!(found(&book, full, Variant::Hasami).len(), 1);
    let disk = DiskBook::open(&folder.write("h.db", text), Variant::Hasami).unwrap();
    assert_eq!(disk.lookup(&Query::new(diagram(full), Variant::Hasami), true).unwrap().len(), 1);
}

#[test]
fn move_numbers_count_or_not() {
    let text = format!(
        "sfen {START}\n7g7f\nsfen {}\n2g2f\nsfen {}\n5g5f\n",
        START.replace("- 1", "- 5"),
        AFTER_76.replace(" 2", "")
    );
    let (book, _) = memory(&text, Variant::Shogi);
    let at = |sfen: &str, ply: u32, ignore| {
        let mut diagram = diagram(sfen);
        diagram.number = ply;
        let moves = book.lookup(&Query::new(diagram, Variant::Shogi), ignore);
        moves.iter().map(|m| m.turn.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!((at(START, 5, false), at(START, 5, true)), ("2g2f".into(), "2g2f".into()));
    assert_eq!((at(START, 3, false), at(START, 3, true)), (String::new(), "7g7f".into()));
    assert_eq!((at(AFTER_76, 8, false), at(AFTER_76, 8, true)), ("5g5f".into(), "5g5f".into()));
}

#[test]
fn keys_of_aperys_books() {
    // Read off another program.
    for (sfen, key) in [
        (START, 0xeebe_8ee7_e1ad_7e15),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/P8/1PPPPPPPP/1B5R1/LNSGKGSNL w - 2", 0xcb7f_92e6_6e8a_d1da),
        ("lng1kg1n1/6sbl/+Psp3p2/1p1pp3p/3P1p1p1/1PP1P3P/5PPP1/1B2RGRS1/LNSGK2NL w P 42", 0x38e8_0506_176a_62c0),
        ("1ng1g3b/1P2kb3/L1p3n1l/1p1Pp1s1p/P1P6/1s2PpppP/5PPPL/pS1GR1RS1/1N3GKN1 b LP 79", 0x39c8_a299_1c98_6635),
        ("sng1bg2b/LP1p5/2p+P1k1pl/1pP1p3p/3L1sPP1/1n2PG2P/Pl2rP+p1n/pS+s3R2/4G1KN1 w p 120", 0x7194_6696_9350_29fe),
        ("3s2s2/lr2k2bl/nppP2ng1/p2gg2p1/4p1P1p/P3Sp1P1/LPP2PG1P/5KR2/BN1+n2S1L b 3p 79", 0xb63e_ee26_408a_7600),
        ("3spk3/lr5b1/1p1Ps1n1l/P1pg5/1n2SGgpp/L2g1P1PP/1PP1P4/3S3R1/1N+n1K3L w 3Pb2p 120", 0xbcb7_5cbf_1364_397b),
        ("s1bg3n1/2+Ng2gPl/lp2psp1p/k4r2P/1Npp3s1/pP1P2P1L/2P1RPN2/L1KSP2p1/B3G4 w 2p 120", 0xa27e_e013_c31e_4dd8),
    ] {
        assert_eq!(apery_key(&diagram(sfen)), key, "{sfen}");
    }
}

#[test]
fn aperys_books() {
    let folder = Folder::new();
    let usi = |text: &str| Move::from_usi(text).unwrap();
    let dropped = "4k4/9/9/9/9/9/9/9/4K4 w RBgsnlp 1";
    let mut records = [
        encode(apery_key(&diagram(START)), usi("7g7f"), 9, 40),
        encode(apery_key(&diagram(START)), usi("2g2f"), 5, 30),
        encode(apery_key(&diagram(AFTER_76)), usi("3c3d"), 65535, -7),
        encode(apery_key(&diagram(dropped)), usi("G*5b"), 1, 0),
    ];
    let unsorted = records.concat();
    records.sort_by_key(|record| u64::from_le_bytes(record[..8].try_into().unwrap()));
    let sorted = records.concat();
    let truncated = [sorted.as_slice(), &[1, 2, 3]].concat();
    for (bytes, on_the_fly, remarks) in
        [(&sorted, false, 0), (&sorted, true, 0), (&unsorted, false, 0), (&unsorted, true, 1), (&truncated, false, 1)]
    {
        let (book, notes) = AperyBook::open(&folder.write("book.bin", bytes), on_the_fly).unwrap();
        assert_eq!((book.len(), notes.len()), (4, remarks), "{notes:?}");
        let moves = |sfen: &str| {
            let moves = book.lookup(&diagram(sfen)).unwrap();
            moves.iter().map(BookMove::to_string).collect::<Vec<_>>()
        };
        assert_eq!(moves(START), ["7g7f none 40 256 9", "2g2f none 30 256 5"]);
        assert_eq!(moves(AFTER_76), ["3c3d none -7 256 65535"]);
        assert_eq!(moves(dropped), ["G*5b none 0 256 1"]);
        assert!(moves("4k4/9/9/9/9/9/9/9/4K4 b - 1").is_empty());
    }
    let (book, notes) = AperyBook::open(&folder.write("rubbish.bin", [0xff; 160]), false).unwrap();
    assert_eq!((book.len(), notes), (10, vec!["10 records without a move".to_owned()]));
    assert!(book.lookup(&diagram(START)).unwrap().is_empty());
}

fn opened(folder: &Folder, variant: Variant, change: impl FnOnce(&mut Settings)) -> (bool, Vec<String>) {
    let mut settings = Settings { dir: folder.path().to_str().unwrap().to_owned(), ..Settings::default() };
    change(&mut settings);
    let mut shelf = Shelf::seeded(1);
    let notes = shelf.open(&settings, variant, Goal::Lead3);
    assert!(shelf.open(&settings, variant, Goal::Lead3).is_empty(), "told twice");
    (shelf.is_open(), notes)
}

#[test]
fn which_book_is_opened() {
    let folder = Folder::new();
    let text = format!("sfen {START}\n7g7f\n");
    folder.write("shogi.db", &text);
    folder
        .write("hasami-lead3.db", "# variant=hasami goal=lead3\nsfen ppppppppp/9/9/9/9/9/9/9/PPPPPPPPP b - 1\n9i9e\n");
    folder.write("unsorted.db", format!("sfen {AFTER_76}\n3c3d\nsfen {START}\n7g7f\nsfen {AFTER_76}\n8c8d\n"));
    folder.write("book.bin", [0; 16]);
    let open = |variant, file: &str, on_the_fly| {
        opened(&folder, variant, |settings| {
            file.clone_into(&mut settings.file);
            settings.on_the_fly = on_the_fly;
        })
    };
    for on_the_fly in [false, true] {
        assert!(open(Variant::Shogi, "auto", on_the_fly).0 && open(Variant::Hasami, "AUTO", on_the_fly).0);
        // Nobody has asked for one.
        assert_eq!(open(Variant::Happokei, "auto", on_the_fly), (false, Vec::new()));
        assert_eq!(open(Variant::Shogi, "no_book", on_the_fly), (false, Vec::new()));
        assert_eq!(open(Variant::Shogi, "", on_the_fly), (false, Vec::new()));
        let (is_open, notes) = open(Variant::Shogi, "missing.db", on_the_fly);
        assert!(!is_open && notes.len() == 1 && notes[0].contains("missing.db: not found"), "{notes:?}");
        let (is_open, notes) = open(Variant::Shogi, "hasami-lead3.db", on_the_fly);
        assert!(!is_open && notes.iter().any(|note| note.contains("made for variant=hasami goal=lead3")), "{notes:?}");
        let (is_open, notes) = open(Variant::Hasami, "book.bin", on_the_fly);
        assert!(!is_open && notes[0].contains("for shogi"), "{notes:?}");
        assert!(open(Variant::Shogi, "book.bin", on_the_fly).0);
        let path = folder.path().join("shogi.db").to_str().unwrap().to_owned();
        assert!(open(Variant::AiHappokei, &path, on_the_fly).0);
    }
    let (is_open, notes) = open(Variant::Shogi, "unsorted.db", true);
    assert!(is_open && notes[0].contains("not sorted"), "{notes:?}");
    // A folder is none.
    let (is_open, notes) = open(Variant::Shogi, ".", false);
    assert!(!is_open && notes[0].contains("cannot be read"), "{notes:?}");
}

#[test]
fn a_book_that_has_changed_is_opened_again() {
    let folder = Folder::new();
    let settings = Settings { dir: folder.path().to_str().unwrap().to_owned(), ..Settings::default() };
    let mut shelf = Shelf::seeded(1);
    assert!(shelf.open(&settings, Variant::Shogi, Goal::Lead3).is_empty() && !shelf.is_open());
    folder.write("shogi.db", format!("sfen {START}\n7g7f\n"));
    assert_eq!(shelf.open(&settings, Variant::Shogi, Goal::Lead3).len(), 1);
    folder.write("shogi.db", format!("sfen {START}\n7g7f\n2g2f\n"));
    assert!(shelf.open(&settings, Variant::Shogi, Goal::Lead3)[0].contains("2 moves"));
}

#[test]
fn merging() {
    let folder = Folder::new();
    let first = folder.write("a.db", format!("sfen {START}\n7g7f none 10 9 1\n2g2f none 5 5 1\n"));
    let second = folder.write(
        "b.db",
        format!("sfen {AFTER_76}\n3c3d\nsfen {}\n7g7f 3c3d 20 8 1\n2g2f none 6 5 1\n", START.replace("- 1", "- 3")),
    );
    let lines = |prefer, tag| {
        let merged = merge(&[first.clone(), second.clone()], prefer).unwrap();
        let path = folder.path().join("merged.db");
        save(&path, &merged.pages, tag).unwrap();
        assert!(summarise(&path, |_| {}).unwrap().sorted);
        std::fs::read_to_string(path).unwrap()
    };
    let rest = format!("sfen {AFTER_76}\n3c3d none 0 0 1\n");
    assert_eq!(
        lines(Prefer::Deeper, None),
        format!("#YANEURAOU-DB2016 1.00\n{rest}sfen {START}\n7g7f none 10 9 1\n2g2f none 6 5 1\n")
    );
    assert_eq!(
        lines(Prefer::Later, Some(Tag::new(Variant::Shogi, Goal::Lead3))),
        format!("#YANEURAOU-DB2016 1.00\n# variant=shogi\n{rest}sfen {START}\n7g7f 3c3d 20 8 1\n2g2f none 6 5 1\n")
    );
    let other = folder.write("c.db", "# variant=hasami goal=lead3\n");
    let tagged = folder.write("d.db", "# variant=shogi\n");
    assert!(merge(&[tagged, other], Prefer::Deeper).err().unwrap().contains("c.db is for variant=hasami"));
    assert!(merge(&[folder.path().join("none.db")], Prefer::Deeper).err().unwrap().contains("none.db"));
}

#[test]
fn halves_of_turns_are_positions_too() {
    let text = format!("sfen {} step=2\n2g2f\nsfen {START}\n7g7f,2g2f\n", START.replace(" w", " b"));
    let mut steps = Vec::new();
    read(text.as_bytes(), |item| {
        if let Item::Position(_, diagram, ply) = item {
            steps.push((diagram.step, ply));
        }
    })
    .unwrap();
    assert_eq!(steps, [(2, 1), (1, 1)]);
    let folder = Folder::new();
    let merged = merge(&[folder.write("f.db", &text)], Prefer::Deeper).unwrap();
    assert_eq!(merged.pages.keys().collect::<Vec<_>>(), [START, &format!("{START} step=2")]);
}
