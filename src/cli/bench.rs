//! `happo bench`: a fixed amount of search, to measure speed and to tell whether the search has changed.

use std::time::{Duration, Instant};

use clap::Args;

use crate::game::{HouseRules, Variant};
use crate::nnue::{self, Evaluation, Kernel, NetError};
use crate::search::{Limits, MAX_PLY};
use crate::usi::{Options, PositionSpec, player};

/// Search fixed positions of all games to a fixed depth
#[derive(Args)]
pub struct Bench {
    /// Depth in half-moves
    #[arg(default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64))]
    depth: u32,
    /// Threads to search on; only one gives the same numbers every time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Table size in MiB
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: u32,
    /// Network for the games it knows, the others being played without; `none` for no network
    #[arg(long, value_name = "FILE")]
    net: Option<String>,
    /// Arithmetic of networks to use in place of the best one
    #[arg(long, hide = true)]
    kernel: Option<String>,
    /// Search this game alone
    #[arg(long)]
    variant: Option<Variant>,
}

/// Positions of a game, as `position` takes them.
const POSITIONS: [(Variant, &[&str]); 5] = [
    (
        Variant::Shogi,
        &[
            "startpos",
            "sfen ln1rk1gn1/2s1g1sb1/ppppp2pl/5pp2/8p/1P3P1P1/PGPPP1P1P/LB1SR4/1N2KGSNL b - 25",
            "sfen 1nkg1gs2/1s2Lnr2/l1ppp1+Bpn/1p3pp1p/p1P6/1P2BPPP1/P2PP1G1P/2K4RL/L2SG1SN1 w - 46",
            "sfen +Bns3s2/4kgr1l/Lp3p2n/2p1p4/PP3gpp1/p1P1P2PG/N+b1P1PP1L/L1R1K1G2/2S3SN1 b 3P 71",
            "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            "sfen +N+N7/4r3l/+P1p3gpp/1p1pp1k2/2P2sp1S/1S1PP2PP/LP5K1/3G5/rN3+l1NS w L2b2g4p 134",
        ],
    ),
    (
        Variant::Happokei,
        &[
            "startpos",
            "sfen lnsgk1snl/3r2gb1/ppppppp2/7pp/P8/1P2P2PP/2PP1PP2/3G1K3/1NS2GSN1 w - 16",
            "sfen ln1s1gs2/3g1krbl/1ppp1p1p1/4p1p1p/p3Pn3/1PP3P2/P1GPSK1PP/5S3/1N1G3N1 b p 33",
            "sfen l4k1nl/s1grg2bg/npp2ppsp/pS1Np4/1PP4pP/P2p1PNP1/K3P1P2/9/4+pGS2 w - 62",
            "sfen l1k4n1/1g3g3/nP2r4/P1pn+S1s2/5pp1l/2Pp1P1p1/S+p+bPPKP1p/2G3G1N/7S1 b P3p 91",
            "sfen 9/4pn3/7+NK/p+N1p2s2/1G2P3P/P2P5/1+b2G4/k2l3P1/9 w RS4P2g2snl6p 218",
        ],
    ),
    (
        Variant::AiHappokei,
        &[
            "startpos",
            "sfen l1sk1gs1l/r2ng2b1/pp2ppnpp/2pp2p2/9/2P4P1/PPBPPPP1P/6GR1/LNSGK1SNL b - 19",
            "sfen 1ng1k1s1l/lr1sg4/ppp1pp1pp/3Pn4/1P2b4/2P2Pp1P/P1N1PK1P1/L2S2G2/4G1SNL w RBPp 42",
            "sfen ln4bnl/k1g1g4/ps1ppsp2/1Gr2p2p/2pP1P2P/1P2P2P1/P2K2P2/LB5RL/1N1S1GSN1 b 3P 67",
            "sfen 1n2s3s/lr2g4/pB1k2p1l/P1p1gpPp1/1NnpPP2p/L1P3G2/1P1PSS1PP/3+bR1K1L/7N1 w 2Pg 100",
            "sfen ln6l/3kgsg2/p3p2pp/1p5n1/9/2P1P1+n2/PP1G1PKPP/1R6R/1N2G1SSL b L4P2bs2p 73",
        ],
    ),
    (
        Variant::Flanking,
        &[
            "startpos",
            "sfen lng1kgsnl/1sr4b1/ppppppppp/9/9/5P3/PPPPP1PPP/1BG2GS1R/LNSK3NL w - 11",
            "sfen ln2kgsn1/r2sg2bl/pppp1p1pp/4p1p2/9/1P2PP3/P1PP1GPPP/1B1G2SR1/LNS1K2NL b - 22 step=2",
            "sfen ln1gg2n1/1srk1s1bl/3p1p1pp/ppp1p1p2/4P4/P2P1P3/BPPR1GPPP/L1G2K2L/1NS3SN1 w - 36 step=2",
            "sfen lng1g2nl/rs4kb1/ppp2s2p/1P1p1pp2/K6p1/3Pp1P2/PGP1PP1PP/1B1G2R1L/LNS3SN1 b - 49",
            "startpos moves 7g7f,2g2f 3c3d,8c8d 2f2e,6i7h 4a3b,8d8e",
        ],
    ),
    (
        Variant::Hasami,
        &[
            "startpos",
            "sfen 1ppppp2p/pp7/9/6p2/9/6P2/6P2/9/PPPPP2PP w - 10",
            "sfen p1p1pppp1/9/Pp7/8p/9/1P7/3p5/6P2/3PPPPPP b - 17 goal=lead3",
            "sfen pp1pp2pp/9/1P3pp2/2p5P/3PP4/9/9/2P6/P3P1PP1 w - 24",
            "sfen 1p2pp1pp/9/2p6/p8/P2p2P1P/2PPP4/1p2P4/9/4P1P2 b - 31 goal=captureall",
            "sfen 1p7/p2p5/2p6/9/p2p5/1P1pp2P1/1P3P3/P1P5P/1Pp6 b p 51 goal=captureall",
        ],
    ),
];

/// What the searches of some positions took and found.
#[derive(Default)]
struct Sum {
    nodes: u64,
    time: Duration,
}

impl Sum {
    fn speed(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

impl Bench {
    /// What a game is evaluated with.
    fn evaluation(&self, variant: Variant) -> Result<Evaluation, String> {
        match nnue::library::choose(self.net.as_deref(), variant) {
            Ok((evaluation, _)) => Ok(evaluation),
            Err(NetError::Game { .. }) => Ok(Evaluation::HandCrafted),
            Err(error) => Err(format!("{}: {error}", self.net.as_deref().unwrap_or_default())),
        }
    }

    /// Searches and prints.
    pub fn run(self) -> Result<(), String> {
        if let Some(kernel) = &self.kernel {
            Kernel::choose(kernel).map_err(|error| error.to_string())?;
        }
        let mut options =
            Options { threads: usize::from(self.threads), hash: self.hash as usize, ..Options::default() };
        let mut total = Sum::default();
        for (variant, positions) in POSITIONS {
            if self.variant.is_some_and(|only| only != variant) {
                continue;
            }
            options.search.evaluation = self.evaluation(variant)?;
            let mut game = Sum::default();
            let mut player = player(variant);
            for text in positions {
                let wrong = |error| format!("bench position {text:?}: {error}");
                let spec = PositionSpec::parse(text).map_err(wrong)?;
                player.set_position(&spec, &HouseRules::default()).map_err(wrong)?;
                // No position may help another.
                options.clear_hash = true;
                player.prepare(&mut options);
                let start = Instant::now();
                let limits = Limits { depth: Some(self.depth), start: Some(start), ..Limits::default() };
                let (outcome, _) = player.search(limits, &options);
                game.time += start.elapsed();
                game.nodes += outcome.nodes;
            }
            println!(
                "{:<10} {:>12} nodes {:>8.3} s {:>10.0} nodes/s",
                variant.name(),
                game.nodes,
                game.time.as_secs_f64(),
                game.speed()
            );
            total.nodes += game.nodes;
            total.time += game.time;
        }
        println!("Time: {:.3} s", total.time.as_secs_f64());
        println!("Nodes/second: {:.0}", total.speed());
        println!("Bench: {}", total.nodes);
        Ok(())
    }
}
