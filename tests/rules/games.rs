//! Random games of all five games, in which every position is compared with the naive rules.

use std::collections::{BTreeMap, HashMap};

use happo::board::{Color, Kind, Move, Piece, Square};
use happo::diagram::Diagram;
use happo::flanking::Flanking;
use happo::game::{Game, Goal, HouseRules, Observer, Position, Reason, Repetition, Stage, Variant};
use happo::hasami::Hasami;
use happo::shogi::{AiHappokei, Happokei, Shogi};

use crate::naive::{NaiveGame, Ply, State, random};
use crate::support::*;

/// Different positions to be compared, of each game.
const POSITIONS: usize = 20_000;

/// Follows what a position tells its observer. Counts may pass through other values within a move: only what a
/// whole move has changed must fit.
#[derive(PartialEq, Debug)]
struct Shadow {
    board: Vec<[i8; Square::COUNT]>,
    hands: [[u32; 7]; 2],
}

impl Shadow {
    fn of<P: Position>(position: &P) -> Self {
        let mut shadow = Self { board: vec![[0; Square::COUNT]; Piece::COUNT], hands: [[0; 7]; 2] };
        for square in Square::all() {
            if let Some(piece) = position.piece_on(square) {
                shadow.put(piece, square);
            }
        }
        for color in Color::ALL {
            for kind in Kind::HAND {
                shadow.hands[color.index()][kind.index()] = position.hand_count(color, kind);
            }
        }
        shadow
    }
}

impl Observer for Shadow {
    fn put(&mut self, piece: Piece, square: Square) {
        self.board[piece.index()][square.index()] += 1;
    }

    fn lift(&mut self, piece: Piece, square: Square) {
        self.board[piece.index()][square.index()] -= 1;
    }

    fn hand(&mut self, color: Color, kind: Kind, before: u32, after: u32) {
        let held = &mut self.hands[color.index()][kind.index()];
        assert_eq!(*held, before, "hand of {color:?}");
        *held = after;
    }
}

/// How moves are chosen.
enum Style {
    /// All alike.
    Any,
    /// Pieces go to and fro: the same move whenever a position recurs, so that games run into repetition; the side
    /// given, if any, gives check whenever it can.
    Shuffle { memory: HashMap<State, Ply>, checker: Option<Color> },
}

/// Plays and compares games of one game, and counts what it has seen.
struct Referee<G: Game> {
    rng: Random,
    rules: HouseRules,
    /// Start diagrams of rare endings.
    seeds: &'static [&'static str],
    keys: HashMap<State, u64>,
    states: HashMap<u64, State>,
    seen: BTreeMap<&'static str, usize>,
    marker: std::marker::PhantomData<G>,
}

impl<G: Game> Referee<G> {
    fn variant() -> Variant {
        G::Position::variant()
    }

    fn has_checks() -> bool {
        !matches!(Self::variant(), Variant::Flanking | Variant::Hasami)
    }

    fn run(&mut self) {
        while self.keys.len() < POSITIONS {
            let start = self.start();
            let rules = HouseRules {
                move_limit: if self.rng.chance(20) { start.0.number + self.rng.below(60) as u32 } else { 0 },
                ..self.rules
            };
            self.game(&start.0, &rules, start.1, start.2);
        }
    }

    /// A diagram, how to go on, and for how many moves at most.
    fn start(&mut self) -> (Diagram, Style, usize) {
        let variant = Self::variant();
        let startpos = G::Position::startpos(&self.rules).diagram();
        let rng = &mut self.rng;
        let checker = rng.chance(90).then(|| *rng.pick(&Color::ALL));
        let shuffle = Style::Shuffle { memory: HashMap::new(), checker };
        match rng.below(10) {
            0 => (startpos, Style::Any, 150),
            1 => (startpos, shuffle, 60),
            2 | 3 => {
                let mut game = NaiveGame::new(variant, &startpos, &self.rules);
                for _ in 0..rng.below(160) {
                    let legal = game.legal();
                    if legal.is_empty() {
                        break;
                    }
                    game.play(*rng.pick(&legal));
                }
                // A game that a capture has decided cannot be told from its diagram.
                let diagram = if game.winner().is_none() { game.diagram() } else { startpos };
                (diagram, Style::Any, 60)
            }
            4 if !self.seeds.is_empty() => {
                let seed = *rng.pick(self.seeds);
                (diagram(seed).expect("a seed"), if rng.chance(50) { shuffle } else { Style::Any }, 80)
            }
            5 | 6 => (random::diagram(variant, rng, true), shuffle, 120),
            7 => (random::diagram(variant, rng, true), Style::Any, 40),
            _ => (random::diagram(variant, rng, false), Style::Any, 25),
        }
    }

    fn note(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }

    fn game(&mut self, start: &Diagram, rules: &HouseRules, mut style: Style, most: usize) {
        let mut naive = NaiveGame::new(Self::variant(), start, rules);
        if Self::variant() == Variant::Hasami
            && Color::ALL.iter().all(|&color| naive.state().has_reached(rules.goal, color))
        {
            // Cannot come about in play, and who has won is anybody's guess.
            return;
        }
        let position = G::Position::from_diagram(start, rules);
        assert_eq!(position.is_ok(), naive.state().is_valid(), "{start}: {:?}", position.err());
        let Ok(mut position) = position else {
            return self.note("refused diagram");
        };
        let mut past = Vec::new();
        let mut plies: Vec<Ply> = Vec::new();
        loop {
            let legal = naive.legal();
            self.compare(&mut position, &naive, &legal);
            if let Some((_, reason)) = naive.result() {
                self.note(reason.name());
                break;
            }
            if plies.len() >= most {
                break;
            }
            let ply = self.choose(&naive, &legal, &plies, &mut style);
            past.push((position.key(), position.diagram().to_string(), position.last_move(), position.occurrences()));
            let m = usi(&ply.to_string());
            let mut shadow = Shadow::of(&position);
            position.make(m, &mut shadow);
            naive.play(ply);
            plies.push(ply);
            assert_eq!(position.last_move(), m);
            assert!(shadow == Shadow::of(&position), "observer after {m} to {}", position.diagram());
        }
        while let Some(before) = past.pop() {
            position.unmake();
            let now = (position.key(), position.diagram().to_string(), position.last_move(), position.occurrences());
            assert_eq!(now, before);
            assert_eq!(position.computed_key(), before.0, "{}", before.1);
        }
    }

    fn choose(&mut self, naive: &NaiveGame, legal: &[Ply], plies: &[Ply], style: &mut Style) -> Ply {
        let state = naive.state();
        let Style::Shuffle { memory, checker } = style else {
            // Random moves seldom check, capture or end a game: choose among those that do now and then.
            let (sharp, last) = (self.rng.chance(30), self.rng.chance(10));
            let is_striking = |ply: &Ply| {
                let (next, captured) = state.after(*ply);
                last && !next.can_move() || sharp && (next.in_check(next.side) || !captured.is_empty())
            };
            let striking: Vec<Ply> = legal.iter().filter(|ply| (last || sharp) && is_striking(ply)).copied().collect();
            return *self.rng.pick(if striking.is_empty() { legal } else { &striking });
        };
        if let Some(&ply) = memory.get(state) {
            return ply;
        }
        // The last move of the same side: two plies back, or one within a turn.
        let back = if state.step == 2 || Self::variant() != Variant::Flanking && plies.len() < 2 { 1 } else { 2 };
        let own = if Self::variant() == Variant::Flanking && state.step == 1 { 3 } else { back };
        let last = plies.len().checked_sub(own).map(|i| plies[i]);
        let score = |&ply: &Ply| {
            let Ply::Walk { from, to, promote } = ply else { return 0 };
            let (next, captured) = state.after(ply);
            let kind = state.on(from).expect("a piece").kind();
            let returns = last == Some(Ply::Walk { from: to, to: from, promote: false });
            let quiet = !promote && captured.is_empty();
            let both_ways =
                !matches!(kind, Kind::Pawn | Kind::Lance | Kind::Knight) || Self::variant() == Variant::Hasami;
            let checks = *checker == Some(state.side) && next.in_check(next.side);
            8 * u32::from(checks && quiet) + 4 * u32::from(quiet && both_ways) + 2 * u32::from(returns)
        };
        let scores: Vec<u32> = legal.iter().map(score).collect();
        let best = *scores.iter().max().expect("a legal move");
        let mut good: Vec<Ply> = legal.iter().zip(scores).filter(|&(_, s)| s == best).map(|(&ply, _)| ply).collect();
        if self.rng.chance(8) {
            good = legal.to_vec();
        }
        let ply = *self.rng.pick(&good);
        memory.insert(state.clone(), ply);
        ply
    }

    fn compare(&mut self, position: &mut G::Position, naive: &NaiveGame, plies: &[Ply]) {
        let state = naive.state();
        let sfen = position.diagram().to_string();
        self.compare_state(position, naive, &sfen);

        let mut expected: Vec<String> = plies.iter().map(Ply::to_string).collect();
        expected.sort();
        assert_eq!(legal(position), expected, "{sfen}");
        assert_eq!(position.count_legal(), expected.len(), "{sfen}");
        assert_eq!(position.has_legal_move(), !expected.is_empty(), "{sfen}");
        self.compare_stages(position, &sfen);
        self.compare_moves(position, state, plies, &sfen);
        self.compare_legality(position, &sfen);
        self.compare_result(position, naive, &sfen);
        self.try_quick_win(position, naive, plies, &sfen);
        if naive.result().is_none() && state.step == 1 && !position.in_check() && self.rng.chance(20) {
            self.try_null(position, state, &sfen);
        }
        if self.rng.chance(20) && naive.winner().is_none() {
            let again: G::Position = position_with(&sfen, position.rules());
            assert_eq!(again.diagram().to_string(), sfen);
            assert_eq!(again.key(), position.key(), "{sfen}");
            assert_eq!(legal(&again), expected, "{sfen}");
        }
    }

    fn compare_state(&mut self, position: &G::Position, naive: &NaiveGame, sfen: &str) {
        let state = naive.state();
        for square in Square::all() {
            assert_eq!(position.piece_on(square), state.on(square), "{square} of {sfen}");
        }
        let diagram = position.diagram();
        assert_eq!(diagram.board, state.board, "{sfen}");
        assert_eq!(diagram.hands.0, state.hands, "{sfen}");
        assert_eq!((diagram.side, diagram.step, diagram.number), (state.side, state.step, naive.number()), "{sfen}");
        for color in Color::ALL {
            for kind in Kind::HAND {
                let held = state.hands[color.index()][kind.index()];
                assert_eq!(position.hand_count(color, kind), held, "{kind:?} of {color:?} in {sfen}");
            }
        }
        assert_eq!((position.side_to_move(), position.step()), (state.side, state.step), "{sfen}");
        assert_eq!(position.moves_played() + 1, naive.number(), "{sfen}");
        assert_eq!(position.key(), position.computed_key(), "{sfen}");
        let key = *self.keys.entry(state.clone()).or_insert(position.key());
        assert_eq!(position.key(), key, "the key of {sfen} has changed");
        let known = self.states.entry(key).or_insert_with(|| state.clone());
        assert!(known == state, "{sfen} shares its key with another position");
    }

    fn compare_stages(&mut self, position: &G::Position, sfen: &str) {
        let all = moves(position, Stage::All);
        let tactical = moves(position, Stage::Tactical);
        let quiet = moves(position, Stage::Quiet);
        let sorted = |mut list: Vec<Move>| {
            list.sort();
            list
        };
        let both = tactical.iter().chain(&quiet).copied().collect();
        assert_eq!(sorted(both), sorted(all.to_vec()), "tactical and quiet of {sfen}");
        let info = position.check_info();
        for (list, wanted) in [(&tactical, true), (&quiet, false)] {
            for &m in list {
                let capture = position.is_capture(m);
                let pawn = m.is_promotion() && position.mover(m).kind() == Kind::Pawn;
                match Self::variant() {
                    // Whether a pawn's promotion is tactical is left to flanking.
                    Variant::Flanking if pawn => {}
                    _ => assert_eq!(capture || pawn, wanted, "{m} in {sfen}"),
                }
            }
        }
        let checks: Vec<Move> = quiet.iter().copied().filter(|&m| position.gives_check(m, &info)).collect();
        let generated = moves(position, Stage::QuietChecks);
        assert_eq!(sorted(generated.to_vec()), sorted(checks), "quiet checks of {sfen}");

        for (stage, full) in [(Stage::All, &all), (Stage::Tactical, &tactical), (Stage::Quiet, &quiet)] {
            let mut pruned = happo::board::MoveList::new();
            position.generate_pruned(stage, &mut pruned);
            assert!(pruned.iter().all(|m| full.contains(m)), "pruned {stage:?} of {sfen}");
            for &m in full.iter().filter(|m| !pruned.contains(m)) {
                self.note("pruned move");
                let promoting = m.from().map(|from| Move::promotion(from, m.to()));
                let better = !m.is_promotion() && promoting.is_some_and(|promoting| all.contains(&promoting));
                assert!(better, "{m} is pruned in {sfen} without a promotion");
            }
        }
        let mut pruned = happo::board::MoveList::new();
        position.generate_pruned(Stage::All, &mut pruned);
        assert_eq!(pruned.is_empty(), all.is_empty(), "pruned moves of {sfen}");
    }

    fn compare_moves(&mut self, position: &G::Position, state: &State, plies: &[Ply], sfen: &str) {
        assert_eq!(position.in_check(), state.in_check(state.side), "{sfen}");
        if position.in_check() {
            self.note("check");
        }
        let info = position.check_info();
        for &ply in plies {
            let m = usi(&ply.to_string());
            let (next, captured) = state.after(ply);
            assert_eq!(position.gives_check(m, &info), next.in_check(next.side), "check by {ply} in {sfen}");
            assert_eq!(position.is_capture(m), !captured.is_empty(), "capture by {ply} in {sfen}");
            assert_eq!(position.victim(m).is_some(), !captured.is_empty(), "victim of {ply} in {sfen}");
            let mover = match ply {
                Ply::Walk { from, .. } => state.on(from).expect("a piece"),
                Ply::Drop { kind, .. } => Piece::new(state.side, kind),
            };
            assert_eq!(position.mover(m), mover, "{ply} in {sfen}");
            match captured.len() {
                0 => {}
                1 => self.note("capture of one"),
                _ => self.note("capture of several"),
            }
        }
    }

    /// Moves of whatever origin: some bit patterns everywhere, all of them now and then.
    fn compare_legality(&mut self, position: &G::Position, sfen: &str) {
        let list = moves(position, Stage::All);
        let mut legal = vec![false; 1 << 16];
        for m in &list {
            legal[usize::from(m.to_bits())] = true;
        }
        let test = |bits: u16| {
            let m = Move::from_bits(bits);
            if m.is_some() {
                assert_eq!(position.is_legal(m), legal[usize::from(bits)], "legality of {m} in {sfen}");
            }
        };
        if self.rng.chance(1) {
            self.note("every bit pattern");
            (0..=u16::MAX).for_each(test);
        } else {
            (0..40).map(|_| self.rng.next() as u16).for_each(test);
            list.iter().map(|m| m.to_bits()).for_each(test);
            // What is nearly legal: the same piece or drop to a square nearby, the same move promoting or not.
            list.iter().flat_map(|m| [m.to_bits() ^ 1 << 14, m.to_bits() ^ 1, m.to_bits() ^ 2]).for_each(test);
        }
        assert!(!position.is_legal(Move::NONE) && !position.is_legal(Move::NULL), "{sfen}");
    }

    fn compare_result(&mut self, position: &G::Position, naive: &NaiveGame, sfen: &str) {
        let result = position.result().map(|result| (result.winner, result.reason));
        assert_eq!(result, naive.result(), "{sfen}");
        assert_eq!(position.winner(), naive.winner(), "{sfen}");
        let occurrences = naive.occurrences();
        assert_eq!(position.occurrences() as usize, occurrences, "{sfen}");
        if naive.winner().is_some() {
            return;
        }
        // At the root of a search only a fourth occurrence counts, deep below it any.
        assert_eq!(position.repetition(0).is_some(), occurrences >= 4, "{sfen}");
        assert_eq!(position.repetition(1000).is_some(), occurrences >= 2, "{sfen}");
        let side = naive.state().side;
        let expected = match result {
            Some((None, Reason::Repetition)) => Repetition::Draw,
            Some((winner, Reason::PerpetualCheck)) if winner == Some(side) => Repetition::Win,
            Some((_, Reason::PerpetualCheck)) => Repetition::Loss,
            _ => return,
        };
        assert_eq!(position.repetition(0), Some(expected), "{sfen}");
    }

    fn try_quick_win(&mut self, position: &mut G::Position, naive: &NaiveGame, plies: &[Ply], sfen: &str) {
        if naive.result().is_some() {
            return;
        }
        let key = position.key();
        let found = position.quick_win();
        assert_eq!(position.key(), key, "{sfen}");
        let side = naive.state().side;
        let after = |game: &NaiveGame, ply: Ply| {
            let mut next = game.clone();
            next.play(ply);
            next
        };
        let wins = |game: &NaiveGame| game.result().is_some_and(|(winner, _)| winner == Some(side));
        if let Some((m, length)) = found {
            self.note("quick win");
            let ply = plies.iter().copied().find(|ply| ply.to_string() == m.to_string());
            let next = after(naive, ply.unwrap_or_else(|| panic!("{m} is no legal win in {sfen}")));
            let won = match length {
                1 => wins(&next),
                2 if next.state().side == side => next.legal().into_iter().any(|ply| wins(&after(&next, ply))),
                _ => false,
            };
            assert!(won, "{m} does not win in {length} in {sfen}");
            return;
        }
        // Where it is exact, captures by one move, or by two of a turn, are not overlooked.
        let state = naive.state();
        let decides = |(next, captured): &(State, Vec<Piece>)| match Self::variant() {
            Variant::Hasami => next.has_reached(naive.rules.goal, side),
            Variant::Flanking => captured.iter().any(|piece| piece.kind() == Kind::King),
            _ => false,
        };
        let overlooked = |ply: &Ply| decides(&state.after(*ply));
        assert!(!plies.iter().any(overlooked), "a win is overlooked in {sfen}");
        if Self::variant() == Variant::Flanking && state.step == 1 && self.rng.chance(3) {
            self.note("turn without a win");
            for ply in plies {
                let (next, _) = state.after(*ply);
                let overlooked = next.legal().into_iter().any(|second| decides(&next.after(second)));
                assert!(!overlooked, "a win by {ply} is overlooked in {sfen}");
            }
        }
    }

    fn try_null(&mut self, position: &mut G::Position, state: &State, sfen: &str) {
        self.note("null move");
        let key = position.key();
        let played = position.moves_played();
        position.make_null();
        let passed = State { side: state.side.opponent(), ..state.clone() };
        let mut expected: Vec<String> = passed.legal().iter().map(Ply::to_string).collect();
        expected.sort();
        assert_eq!(legal(position), expected, "null move in {sfen}");
        assert_eq!(position.side_to_move(), passed.side, "{sfen}");
        assert_eq!(position.moves_played(), played, "{sfen}");
        assert_eq!(position.key(), position.computed_key(), "null move in {sfen}");
        position.unmake_null();
        assert_eq!((position.key(), position.diagram().to_string().as_str()), (key, sfen));
    }
}

/// Compares a game until enough has been seen, and asserts that all of `wanted` was among it.
fn compare<G: Game>(seed: u64, goal: Goal, seeds: &'static [&'static str], wanted: &[&str]) {
    let mut referee = Referee::<G> {
        rng: Random::new(seed),
        rules: HouseRules { goal, ..HouseRules::default() },
        seeds,
        keys: HashMap::new(),
        states: HashMap::new(),
        seen: BTreeMap::new(),
        marker: std::marker::PhantomData,
    };
    referee.run();
    println!("{}: {:?}", Referee::<G>::variant(), referee.seen);
    for what in ["refused diagram", "null move", "every bit pattern", "repetition", "move limit"].iter().chain(wanted) {
        assert!(referee.seen.contains_key(what), "{}: never seen: {what}", Referee::<G>::variant());
    }
    assert_eq!(Referee::<G>::has_checks(), referee.seen.contains_key("check"));
}

/// What games of the shogi family have to show.
const SHOGI_FAMILY: &[&str] = &["checkmate", "no legal move", "perpetual check", "capture of one", "pruned move"];

/// Kings chased to and fro, and kings nearly without a move.
const SHOGI_SEEDS: &[&str] = &[
    "7rk/9/9/9/9/9/9/9/K8 w - 1",
    "k8/9/9/9/9/4R4/9/9/8K b - 1",
    "4k4/9/9/9/9/9/9/R8/4K4 b - 1",
    "k8/2G6/9/9/9/9/9/9/8K b - 1",
    "8k/9/6K1+R/9/9/9/9/9/9 b - 1",
    "k8/9/1S7/1K7/9/9/9/9/9 b P 1",
];

#[test]
fn shogi() {
    compare::<Shogi>(1, Goal::default(), SHOGI_SEEDS, SHOGI_FAMILY);
}

#[test]
fn happokei() {
    compare::<Happokei>(2, Goal::default(), SHOGI_SEEDS, SHOGI_FAMILY);
}

#[test]
fn aihappokei() {
    compare::<AiHappokei>(3, Goal::default(), SHOGI_SEEDS, SHOGI_FAMILY);
}

/// Sides that are walled in, but for a pawn that still has a step or two.
const FLANKING_SEEDS: &[&str] = &[
    "8k/9/4p4/9/4P4/9/9/ps7/Ks7 b - 1",
    "8k/9/4p4/9/9/4P4/9/ps7/Ks7 b - 1",
    "8k/9/4p4/9/9/9/4P4/ps7/Ks7 b - 1 step=2",
    "7Sk/7SP/9/9/4p4/9/4P4/9/K8 w - 8",
    "8k/9/4p4/9/9/9/4P4/ps7/Ks7 b r 1 step=2",
];

#[test]
fn flanking() {
    let wanted = ["king flanked", "turn without a win", "no legal move", "capture of one", "capture of several"];
    compare::<Flanking>(4, Goal::default(), FLANKING_SEEDS, &wanted);
}

/// Men at the edge with one way out, which the enemy may close.
const HASAMI_SEEDS: &[&str] = &[
    "3PpP3/9/4P4/9/9/9/9/9/9 b 8P6p 1",
    "PpppppP2/1PP1PP3/3P5/9/9/9/9/9/9 b 4P2p 1",
    "9/9/9/9/9/9/4p4/2pp1pp2/2pPPPp2 w 4P6p 1",
];

/// What games of hasami have to show.
const HASAMI_WANTED: &[&str] = &["goal", "no legal move", "capture of one", "capture of several"];

#[test]
fn hasami_capture_five() {
    compare::<Hasami>(5, Goal::Capture5, HASAMI_SEEDS, HASAMI_WANTED);
}

#[test]
fn hasami_lead_three() {
    compare::<Hasami>(6, Goal::Lead3, HASAMI_SEEDS, HASAMI_WANTED);
}

#[test]
fn hasami_capture_all() {
    compare::<Hasami>(7, Goal::CaptureAll, HASAMI_SEEDS, HASAMI_WANTED);
}
