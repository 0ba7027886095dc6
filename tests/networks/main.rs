//! Networks from disk: scores equal to a plain implementation, and files that are none.

#[path = "../common/mod.rs"]
mod common;
#[path = "../pipes/mod.rs"]
mod pipes;
mod reference;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::Random;
use happo::board::MoveList;
use happo::diagram::Diagram;
use happo::game::{Evaluator, Game, HouseRules, Position, Stage, Variant};
use happo::nnue::{Evaluation, Header, Kernel, Parameters, SharedNetwork};
use happo::search::from_centipawns;
use happo::shogi::Shogi;
use pipes::Engine;
use reference::{Family, Net};

const SCALE: i32 = 3;

fn set_up(sfen: &str) -> <Shogi as Game>::Position {
    let fields: Vec<&str> = sfen.split(' ').collect();
    let diagram = Diagram::parse(fields[0], fields[1], fields[2], fields.get(3).copied()).unwrap();
    <Shogi as Game>::Position::from_diagram(&diagram, &HouseRules::default()).unwrap()
}

/// The even start, handicaps of one to ten pieces, and some positions with entered kings and full hands.
const STARTS: [&str; 8] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "+N+N7/4r3l/+P1p3gpp/1p1pp1k2/2P2sp1S/1S1PP2PP/LP5K1/3G5/rN3+l1NS w L2b2g4p 134",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "K8/1+R7/9/9/9/9/9/8k/9 b R2B4G4S4N4L18P 1",
];

/// Scores along random games with every kernel, followed and computed anew.
fn compare(net: &Net, games: u64, plies: usize) {
    let file = net.file();
    let mut evals: Vec<(&Kernel, <Shogi as Game>::Eval)> = Kernel::all()
        .map(|kernel| {
            let network = SharedNetwork::with_kernel(&file, SCALE, kernel).unwrap();
            (kernel, <Shogi as Game>::Eval::new(&Evaluation::Shared(Arc::new(network))))
        })
        .collect();
    drop(file);
    let mut spread = (i32::MAX, i32::MIN);
    for game in 0..games {
        let mut random = Random::new(game);
        let mut position = set_up(STARTS[game as usize % STARTS.len()]);
        evals.iter_mut().for_each(|(_, eval)| eval.reset(&position));
        for ply in 0..plies {
            let expected = net.output(&position.diagram());
            let score = from_centipawns::<Shogi>(expected / SCALE).clamp(-20_000, 20_000);
            spread = (spread.0.min(score), spread.1.max(score));
            // Not at every ply, so that some have to be caught up with.
            if ply % 3 != 1 {
                for (kernel, eval) in &mut evals {
                    assert_eq!(eval.evaluate(&position), score, "{:?} {kernel:?} {}", net.family, position.diagram());
                }
            }
            let mut list = MoveList::new();
            position.generate(Stage::All, &mut list);
            if list.is_empty() {
                break;
            }
            let m = list[random.next() as usize % list.len()];
            for (_, eval) in &mut evals {
                eval.push();
                position.clone().make(m, eval);
            }
            position.make(m, &mut ());
            if ply % 17 == 0 {
                evals.iter_mut().for_each(|(_, eval)| eval.reset(&position));
            }
        }
    }
    assert!(spread.1 - spread.0 > 100, "{:?}: all scores are within {spread:?}", net.family);
}

#[test]
fn kp_256x2_32_32() {
    let net = Net::random(Family::KingPiece, 256, [32, 32], 1);
    assert_eq!(net.file().len() - 12 - net.architecture().len(), 893_740);
    compare(&net, 16, 120);
}

#[test]
fn narrow_halfkp() {
    compare(&Net::random(Family::HalfKp, 32, [16, 32], 2), 16, 120);
    compare(&Net::random(Family::HalfKp, 96, [8, 64], 3), 8, 60);
}

#[test]
fn narrow_halfkp_vm() {
    compare(&Net::random(Family::HalfKpMirrored, 64, [32, 32], 4), 16, 120);
}

#[test]
fn narrow_sfnn() {
    compare(&Net::random(Family::Sfnn, 64, [16, 32], 5), 16, 120);
    compare(&Net::random(Family::Sfnn, 192, [16, 32], 6), 8, 60);
}

#[test]
#[ignore = "several hundred MB"]
fn full_size_families() {
    for (family, width, hidden, size) in [
        (Family::HalfKp, 256, [32, 32], 64_216_876),
        (Family::HalfKp, 512, [16, 32], 128_415_980),
        (Family::HalfKp, 1024, [8, 32], 256_814_284),
        (Family::HalfKp, 1024, [8, 64], 256_815_468),
        (Family::HalfKpMirrored, 256, [32, 32], 35_684_140),
    ] {
        let net = Net::random(family, width, hidden, 7);
        assert_eq!(net.file().len() - 12 - net.architecture().len(), size, "{family:?} {width}");
        compare(&net, 8, 60);
    }
    compare(&Net::random(Family::Sfnn, 1536, [16, 32], 8), 8, 60);
}

#[test]
fn damaged_files_are_refused_or_loaded() {
    for family in [Family::KingPiece, Family::Sfnn] {
        let net = Net::random(family, 64, [32, 32], 9);
        let file = net.file();
        let header = 12 + net.architecture().len();
        let mut random = Random::new(10);
        let position = set_up(STARTS[0]);
        let mut loaded = 0;
        for turn in 0..100 {
            let mut damaged = file.clone();
            // Half of the time in the header, where it hurts.
            let range = if turn % 2 == 0 { header } else { damaged.len() };
            for _ in 0..1 + random.next() % 4 {
                damaged[random.next() as usize % range] = random.next() as u8;
            }
            if let Ok(network) = SharedNetwork::from_bytes(&damaged, 16) {
                let mut eval = <Shogi as Game>::Eval::new(&Evaluation::Shared(Arc::new(network)));
                eval.reset(&position);
                assert!(eval.evaluate(&position).abs() <= 20_000);
                loaded += 1;
            }
            let short = random.next() as usize % file.len();
            assert!(SharedNetwork::from_bytes(&file[..short], 16).is_err(), "{short} bytes");
        }
        assert!(SharedNetwork::from_bytes(&[&file[..], &[0]].concat(), 16).is_err());
        assert!((1..100).contains(&loaded), "{loaded}");
    }
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// What `eval` says, and the remarks about networks that came before.
fn evaluation(engine: &mut Engine, commands: &[&str]) -> (i32, Vec<String>) {
    commands.iter().for_each(|command| engine.send(command));
    engine.send("isready");
    engine.send("eval");
    let lines = engine.until("Evaluation: ");
    let value = lines.last().unwrap().strip_prefix("Evaluation: ").unwrap().parse().unwrap();
    let remarks = lines.into_iter().filter(|line| line.starts_with("info string network")).collect();
    (value, remarks)
}

#[test]
fn networks_are_found_used_and_refused() {
    let folder = folder("networks");
    let mut engine = Engine::start_in(&folder);
    let sfen = "position sfen +N+N7/4r3l/+P1p3gpp/1p1pp1k2/2P2sp1S/1S1PP2PP/LP5K1/3G5/rN3+l1NS w L2b2g4p 134";
    let diagram = set_up(STARTS[5]).diagram();
    // No folder, no word.
    let (ours, remarks) = evaluation(&mut engine, &["usi", "setoption name EvalDir value eval", sfen]);
    assert!(remarks.is_empty(), "{remarks:?}");
    let (plain, remarks) = evaluation(&mut engine, &["setoption name EvalFile value none"]);
    assert!(remarks.is_empty() && plain != ours, "{remarks:?}, {plain}, {ours}");
    engine.send("setoption name EvalFile value");

    let net = Net::random(Family::KingPiece, 64, [32, 32], 11);
    fs::create_dir(folder.join("eval")).unwrap();
    fs::write(folder.join("eval/nn.bin"), net.file()).unwrap();
    let (value, remarks) = evaluation(&mut engine, &[]);
    // Black's point of view; White is to move.
    assert_eq!(value, -net.output(&diagram) / 16);
    assert!(remarks.len() == 1 && remarks[0].contains("k-p 64x2-32-32"), "{remarks:?}");
    let (value, _) = evaluation(&mut engine, &["setoption name FV_SCALE value 24"]);
    assert_eq!(value, -net.output(&diagram) / 24);

    // What is wrong is said, and what was there stays.
    let path = folder.join("wrong \u{68cb}.bin");
    for (content, complaint) in [
        (&b"rubbish that is no network"[..], "is not known"),
        (&net.file()[..5000], "too early"),
        (&[][..], "too early"),
    ] {
        fs::write(&path, content).unwrap();
        let option = format!("setoption name EvalFile value {}", path.display());
        let (value, remarks) = evaluation(&mut engine, &[&option]);
        assert_eq!(value, -net.output(&diagram) / 24);
        assert!(remarks.len() == 1 && remarks[0].contains(complaint), "{remarks:?}");
    }
    let (value, remarks) = evaluation(&mut engine, &["setoption name EvalFile value nowhere.bin"]);
    assert_eq!(value, -net.output(&diagram) / 24);
    assert!(remarks.len() == 1 && remarks[0].ends_with("not found"), "{remarks:?}");

    // Searching with it.
    engine.send("go nodes 500");
    assert!(!engine.until("bestmove").last().unwrap().contains("resign"));

    // Other games know nothing of these files, and say so if one was named.
    let (_, remarks) = evaluation(
        &mut engine,
        &["setoption name USI_Variant value hasami", "setoption name EvalFile value eval/nn.bin", "position startpos"],
    );
    assert!(remarks.len() == 1 && remarks[0].contains("does not know hasami"), "{remarks:?}");
    let (value, remarks) = evaluation(
        &mut engine,
        &["setoption name USI_Variant value shogi", "setoption name EvalFile value none", sfen],
    );
    assert_eq!((value, remarks.len()), (plain, 0));
    engine.ends();
}

#[test]
fn our_own_files_are_for_every_game() {
    let folder = folder("own_networks");
    let mut engine = Engine::start_in(&folder);
    for variant in Variant::ALL {
        let header = Header { variant, width: 32, buckets: 1, scale: 600, note: "all alike".to_owned() };
        let parameters = Parameters {
            feature_weights: vec![0; header.inputs() * 32],
            feature_bias: vec![100; 32],
            output_weights: vec![0; 64],
            // An eighth of what stands for 1.
            output_bias: vec![255 * 64 / 8],
            header,
        };
        let pawn = if matches!(variant, Variant::Flanking | Variant::Hasami) { 100 } else { Shogi::PAWN };
        let name = format!("{variant}.net");
        fs::write(folder.join(&name), parameters.to_bytes().unwrap()).unwrap();
        let variant = format!("setoption name USI_Variant value {variant}");
        let file = format!("setoption name EvalFile value {name}");
        let (value, remarks) = evaluation(&mut engine, &[&variant, &file, "position startpos"]);
        assert_eq!((value, remarks.len()), ((75 * 100 + pawn / 2) / pawn, 1), "{remarks:?}");
        engine.send("go depth 3");
        engine.until("bestmove");
    }
    engine.ends();
}
