//! A plain sparring partner that speaks USI: alpha-beta by iterative deepening over material and mobility, captures
//! first, no quiescence, no table. It shares the rules with the engine and nothing else.
//!
//! `cargo build --release --example plain`, then `happo match --engine2 target/release/examples/plain …`. It plays every
//! game of the engine and keeps to `go movetime`, `byoyomi` and `depth`.

use std::io::BufRead;
use std::time::{Duration, Instant};

use happo::board::{Color, Kind, Move, MoveList, Square};
use happo::game::{Goal, HouseRules, Position, Stage, Variant};
use happo::games::{ForGame, for_game};
use happo::nnue::NetGame;
use happo::usi::{PositionSpec, Table};

const WIN: i32 = 1_000_000;
/// Worth of a kind, by its index.
const WORTH: [i32; Kind::COUNT] = [100, 300, 350, 500, 800, 1000, 550, 0, 600, 550, 550, 550, 1100, 1300];
/// Worth of a possible move.
const MOBILITY: i32 = 2;
const TIME: Duration = Duration::from_millis(100);

struct Thinker<P> {
    position: P,
    end: Instant,
    nodes: u64,
    late: bool,
}

impl<P: Position> Thinker<P> {
    /// Material and mobility for the side to move.
    fn evaluate(&mut self) -> i32 {
        let us = self.position.side_to_move();
        let mut score = 0;
        for square in Square::all() {
            if let Some(piece) = self.position.piece_on(square) {
                let worth = WORTH[piece.kind().index()];
                score += if piece.color() == us { worth } else { -worth };
            }
        }
        // What hasami holds is gone from the board, not in play.
        if P::variant() != Variant::Hasami {
            for kind in Kind::HAND {
                let held = |color: Color| self.position.hand_count(color, kind) as i32;
                score += WORTH[kind.index()] * (held(us) - held(!us));
            }
        }
        let ours = self.position.count_legal() as i32;
        let theirs = if self.position.in_check() || self.position.step() == 2 {
            ours
        } else {
            self.position.make_null();
            let count = self.position.count_legal() as i32;
            self.position.unmake_null();
            count
        };
        score + MOBILITY * (ours - theirs)
    }

    fn moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.position.generate(Stage::All, &mut list);
        list
    }

    fn search(&mut self, depth: u32, ply: i32, mut alpha: i32, beta: i32) -> i32 {
        let us = self.position.side_to_move();
        if let Some(winner) = self.position.winner() {
            return if winner == us { WIN - ply } else { ply - WIN };
        }
        if self.position.repetition(ply as usize).is_some() || self.position.limit_reached() {
            return 0;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(64) {
            self.late |= Instant::now() >= self.end;
        }
        if self.late {
            return 0;
        }
        if depth == 0 {
            return self.evaluate();
        }
        let list = self.moves();
        if list.is_empty() {
            return ply - WIN;
        }
        let mut best = -WIN;
        for m in ordered(&self.position, &list) {
            self.position.make(m, &mut ());
            // In flanking the side to move stays for the second half of its turn.
            let score = if self.position.side_to_move() == us {
                self.search(depth - 1, ply + 1, alpha, beta)
            } else {
                -self.search(depth - 1, ply + 1, -beta, -alpha)
            };
            self.position.unmake();
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// The best move, `None` if there is none.
    fn choose(&mut self, deepest: u32) -> Option<Move> {
        let us = self.position.side_to_move();
        let mut moves = ordered(&self.position, &self.moves());
        let mut best = *moves.first()?;
        for depth in 1..=deepest {
            let (mut alpha, mut leader) = (-WIN, best);
            for &m in &moves {
                self.position.make(m, &mut ());
                let score = if self.position.side_to_move() == us {
                    self.search(depth - 1, 1, alpha, WIN)
                } else {
                    -self.search(depth - 1, 1, -WIN, -alpha)
                };
                self.position.unmake();
                if self.late {
                    break;
                }
                if score > alpha {
                    (alpha, leader) = (score, m);
                }
            }
            if self.late {
                break;
            }
            best = leader;
            moves.retain(|&m| m != best);
            moves.insert(0, best);
            if alpha.abs() > WIN - 1000 {
                break;
            }
        }
        Some(best)
    }
}

/// Captures and promotions by what they gain, then the others.
fn ordered<P: Position>(position: &P, list: &MoveList) -> Vec<Move> {
    let mut moves: Vec<Move> = list.iter().copied().collect();
    moves.sort_by_key(|&m| -position.gain(m));
    moves
}

/// What the client has asked for.
struct Question<'a> {
    position: &'a str,
    rules: HouseRules,
    time: Duration,
    depth: u32,
}

impl ForGame for Question<'_> {
    type Output = String;

    fn run<G: NetGame>(self) -> String {
        let resignation = "bestmove resign".to_owned();
        let Ok(spec) = PositionSpec::parse(self.position) else { return resignation };
        let Ok(table) = Table::<G::Position>::set_up(&spec, &self.rules) else { return resignation };
        let end = Instant::now() + self.time;
        let mut thinker = Thinker { position: table.position, end, nodes: 0, late: false };
        let us = thinker.position.side_to_move();
        let mut turn = Vec::new();
        // Each half of a turn gets its share of the time.
        let halves = G::Position::TURN - thinker.position.step() + 1;
        for half in 0..halves {
            thinker.end = end - self.time * u32::from(halves - 1 - half) / u32::from(halves);
            thinker.late = false;
            let Some(m) = thinker.choose(self.depth) else { break };
            turn.push(m.to_string());
            thinker.position.make(m, &mut ());
            if thinker.position.winner().is_some() || thinker.position.side_to_move() != us {
                break;
            }
        }
        if turn.is_empty() { resignation } else { format!("bestmove {}", turn.join(",")) }
    }
}

fn main() {
    let mut variant = Variant::Shogi;
    let mut rules = HouseRules::default();
    let mut position = "startpos".to_owned();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |name: &str| words.iter().skip_while(|&&word| word != name).nth(1).copied();
        match words.first().copied() {
            Some("usi") => {
                println!("id name plain\nid author the authors of happo");
                println!(
                    "option name USI_Variant type combo default shogi var shogi var happokei var aihappokei var flanking var hasami"
                );
                println!("option name HasamiGoal type combo default capture5 var capture5 var lead3 var captureall");
                println!("option name MaxMovesToDraw type spin default 0 min 0 max 100000\nusiok");
            }
            Some("isready") => println!("readyok"),
            Some("setoption") => match (after("name"), after("value")) {
                (Some("USI_Variant"), Some(value)) => variant = value.parse().unwrap_or(variant),
                (Some("HasamiGoal"), Some(value)) => {
                    rules.goal = Goal::from_name(value).unwrap_or(rules.goal);
                }
                (Some("MaxMovesToDraw"), Some(value)) => rules.move_limit = value.parse().unwrap_or(0),
                _ => {}
            },
            Some("position") => position = line.trim_start().trim_start_matches("position").trim().to_owned(),
            Some("go") => {
                let number = |name| after(name).and_then(|value| value.parse::<u64>().ok());
                let depth = number("depth").map(|depth| depth as u32);
                let time = number("movetime").or(number("byoyomi")).filter(|&time| time > 0);
                let time = time.map(|time| Duration::from_millis(time - (time / 20).min(10)));
                let usual = if depth.is_some() { Duration::from_secs(86_400) } else { TIME };
                let told = PositionSpec::parse(&position).ok().and_then(|spec| spec.variant);
                let question =
                    Question { position: &position, rules, time: time.unwrap_or(usual), depth: depth.unwrap_or(64) };
                println!("{}", for_game(told.unwrap_or(variant), question));
            }
            Some("quit") => break,
            _ => {}
        }
    }
}
