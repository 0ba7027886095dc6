//! What the tests of all games share: random numbers, positions from text, and random games that check at every move what
//! every position has to keep.

// Each test crate uses its own part of this.
#![allow(dead_code)]

use happo::board::{ByColor, Color, Kind, Move, MoveList, Piece, Square};
use happo::diagram::{Diagram, DiagramError};
use happo::game::{Evaluator, Game, HouseRules, Observer, Position, Stage};
use happo::nnue::Evaluation;

/// SplitMix64: small, and the same on every machine, so that a failure can be repeated.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Reads an SFEN, which may go without its move number and may end in `step=1` or `step=2`.
pub fn diagram(sfen: &str) -> Result<Diagram, DiagramError> {
    let mut fields: Vec<&str> = sfen.split_whitespace().collect();
    let step = fields.last().and_then(|last| last.strip_prefix("step=")).map(|step| step.parse().expect("step"));
    if step.is_some() {
        fields.pop();
    }
    let (&[board, side, hands], number) = fields.split_first_chunk().expect("three fields at least");
    let mut diagram = Diagram::parse(board, side, hands, number.first().copied())?;
    if let Some(step) = step {
        diagram.step = step;
    }
    Ok(diagram)
}

/// The position of an SFEN, or why it is none.
pub fn read<P: Position>(sfen: &str, rules: &HouseRules) -> Result<P, DiagramError> {
    P::from_diagram(&diagram(sfen)?, rules)
}

/// The position of an SFEN that is known to be right.
pub fn position<P: Position>(sfen: &str, rules: &HouseRules) -> P {
    read(sfen, rules).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}

/// The legal moves of a stage.
pub fn moves<P: Position>(position: &P, stage: Stage) -> Vec<Move> {
    let mut list = MoveList::new();
    position.generate(stage, &mut list);
    list.to_vec()
}

/// The same position with the board turned round and the sides exchanged.
pub fn turned(diagram: &Diagram) -> Diagram {
    let mut turned = diagram.clone();
    for square in Square::all() {
        turned.board[square.rotate().index()] =
            diagram.board[square.index()].map(|piece| Piece::new(!piece.color(), piece.kind()));
    }
    turned.hands = ByColor([diagram.hands[Color::White], diagram.hands[Color::Black]]);
    turned.side = !diagram.side;
    turned
}

/// Keeps its own board from what it is told.
#[derive(Clone, PartialEq, Debug)]
struct Witness {
    board: [Option<Piece>; Square::COUNT],
    hands: ByColor<[u32; 7]>,
}

impl Observer for Witness {
    fn put(&mut self, piece: Piece, square: Square) {
        assert_eq!(self.board[square.index()].replace(piece), None, "{piece} put on {square}");
    }

    fn lift(&mut self, piece: Piece, square: Square) {
        assert_eq!(self.board[square.index()].take(), Some(piece), "{piece} lifted from {square}");
    }

    fn hand(&mut self, color: Color, kind: Kind, before: u32, after: u32) {
        let held = &mut self.hands[color][kind.index()];
        assert_eq!(*held, before);
        *held = after;
    }
}

/// Everything a move may change and taking it back must restore.
fn picture<P: Position>(position: &P) -> (Diagram, u64, u32, Move, Option<Color>, u32, u8) {
    (
        position.diagram(),
        position.key(),
        position.moves_played(),
        position.last_move(),
        position.winner(),
        position.occurrences(),
        position.step(),
    )
}

/// What has to hold in every position, whatever the way to it.
fn check_position<P: Position>(position: &P) {
    assert_eq!(position.key(), position.computed_key());
    let mut all = moves(position, Stage::All);
    let tactical = moves(position, Stage::Tactical);
    let mut both = tactical.clone();
    both.extend(moves(position, Stage::Quiet));
    all.sort_unstable();
    both.sort_unstable();
    assert_eq!(all, both, "{}", position.diagram());
    both.dedup();
    assert_eq!(all, both, "{}", position.diagram());
    assert_eq!(position.count_legal(), all.len());
    assert_eq!(position.has_legal_move(), !all.is_empty());
    for &m in &all {
        assert!(position.is_legal(m), "{m} in {}", position.diagram());
        let captures = tactical.contains(&m);
        assert_eq!(position.is_capture(m), captures, "{m} in {}", position.diagram());
        assert_eq!(position.victim(m).is_some(), captures);
        assert!(position.see_ge(m, position.gain(m)) && !position.see_ge(m, position.gain(m) + 1));
    }
}

/// Compares legality with generation over every pattern of bits a move can have.
pub fn check_legality<P: Position>(position: &P) {
    let all = moves(position, Stage::All);
    for bits in 0..=u16::MAX {
        let m = Move::from_bits(bits);
        assert_eq!(position.is_legal(m), all.contains(&m), "{m} in {}", position.diagram());
    }
}

/// Compares two evaluations of one position, and that of the position turned round.
fn check_evaluation<G: Game>(position: &G::Position, eval: &mut G::Eval) {
    let score = eval.evaluate(position);
    let mut fresh = G::Eval::new(&Evaluation::default());
    fresh.reset(position);
    assert_eq!(fresh.evaluate(position), score, "{}", position.diagram());
    let other = G::Position::from_diagram(&turned(&position.diagram()), position.rules())
        .unwrap_or_else(|error| panic!("{}: {error}", position.diagram()));
    fresh.reset(&other);
    assert_eq!(fresh.evaluate(&other), score, "{}", position.diagram());
    assert!(score.abs() <= 20_000);
}

/// Plays a random game, preferring captures now and then, and checks everything on the way; returns how many moves it
/// lasted. `visit` sees each position that is not over.
pub fn random_game<G: Game>(
    start: G::Position,
    seed: u64,
    length: usize,
    mut visit: impl FnMut(&mut G::Position, &mut Random),
) -> usize {
    let mut random = Random::new(seed);
    let mut position = start;
    let mut eval = G::Eval::new(&Evaluation::default());
    eval.reset(&position);
    let first = position.diagram();
    let mut witness = Witness { board: first.board, hands: first.hands };
    let mut pictures = Vec::new();
    let mut diagrams: Vec<String> = Vec::new();
    let identity = |diagram: &Diagram| {
        let mut plain = diagram.clone();
        plain.number = 1;
        plain.to_string()
    };
    for _ in 0..length {
        diagrams.push(identity(&position.diagram()));
        let same = diagrams.iter().filter(|&other| Some(other) == diagrams.last()).count();
        assert_eq!(position.occurrences() as usize, same);
        check_position(&position);
        if position.winner().is_some() || !position.has_legal_move() {
            assert!(position.result().is_some());
            break;
        }
        check_evaluation::<G>(&position, &mut eval);
        visit(&mut position, &mut random);
        let mut choice = moves(&position, Stage::Tactical);
        if choice.is_empty() || random.below(3) == 0 {
            choice = moves(&position, Stage::All);
        }
        let m = choice[random.below(choice.len())];
        pictures.push((picture(&position), eval.evaluate(&position)));
        eval.push();
        let mut before = witness.clone();
        position.make(m, &mut witness);
        let now = position.diagram();
        assert_eq!(witness, Witness { board: now.board, hands: now.hands });
        position.unmake();
        position.make(m, &mut eval);
        // A second witness for the repeated move: being told is not allowed to depend on what went before.
        position.unmake();
        position.make(m, &mut before);
        assert_eq!(before, witness);
    }
    let played = pictures.len();
    while let Some((expected, score)) = pictures.pop() {
        position.unmake();
        eval.pop();
        assert_eq!(picture(&position), expected);
        assert_eq!(eval.evaluate(&position), score);
    }
    played
}

/// Checks that passing changes the turn and nothing else, and is taken back.
pub fn check_null<P: Position>(position: &mut P) {
    let before = picture(position);
    position.make_null();
    assert_eq!(position.key(), position.computed_key());
    assert_eq!(position.side_to_move(), !before.0.side);
    assert_eq!(position.last_move(), Move::NULL);
    assert_eq!(position.moves_played(), before.2);
    position.unmake_null();
    assert_eq!(picture(position), before);
}
