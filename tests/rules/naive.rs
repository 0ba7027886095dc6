//! A second implementation of the rules of all five games, as plain as can be: an array of squares, tables of steps,
//! everything worked out anew. It shares happo's words for squares, pieces and moves and none of its workings, so
//! that both can be compared position by position.

pub mod random;

use std::fmt;

use happo::board::{ByColor, Color, Kind, Piece, Square};
use happo::diagram::Diagram;
use happo::game::{Goal, HouseRules, Reason, Variant};

/// Files and ranks a step goes, as Black sees it: forward is rank -1.
type Step = (i8, i8);

const ORTHOGONAL: [Step; 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];
const DIAGONAL: [Step; 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];
const KING: [Step; 8] = [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, -1), (-1, 1), (1, 1)];
const GOLD: [Step; 6] = [(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];
const SILVER: [Step; 5] = [(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
const KNIGHT: [Step; 2] = [(-1, -2), (1, -2)];
const EIGHT: [Step; 8] = [(-1, -2), (1, -2), (-2, -1), (2, -1), (-2, 1), (2, 1), (-1, 2), (1, 2)];
/// The promoted eight-way knight of the handicap game: a gold that leaps as well.
const GOLD_AND_EIGHT: [Step; 14] = [
    (0, -1),
    (-1, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (0, 1),
    (-1, -2),
    (1, -2),
    (-2, -1),
    (2, -1),
    (-2, 1),
    (2, 1),
    (-1, 2),
    (1, 2),
];

/// Pieces of each hand kind in a set, by kind index.
const SET: [u32; 7] = [18, 4, 4, 4, 2, 2, 4];

/// A move, or a half-move of flanking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ply {
    Walk { from: Square, to: Square, promote: bool },
    Drop { kind: Kind, to: Square },
}

impl fmt::Display for Ply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |square: Square| format!("{}{}", square.file(), (b'a' - 1 + square.rank() as u8) as char);
        match *self {
            Self::Walk { from, to, promote } => {
                write!(f, "{}{}{}", name(from), name(to), if promote { "+" } else { "" })
            }
            Self::Drop { kind, to } => write!(f, "{}*{}", kind.letter(), name(to)),
        }
    }
}

/// All that makes two positions the same.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub variant: Variant,
    pub board: [Option<Piece>; 81],
    pub hands: [[u32; 7]; 2],
    pub side: Color,
    pub step: u8,
}

impl State {
    pub fn from_diagram(variant: Variant, diagram: &Diagram) -> Self {
        let mut state = Self {
            variant,
            board: diagram.board,
            hands: diagram.hands.0,
            side: diagram.side,
            step: if variant == Variant::Flanking { diagram.step } else { 1 },
        };
        if variant == Variant::Hasami && diagram.hands_omitted {
            for color in Color::ALL {
                state.hands[color.index()][0] = 9u32.saturating_sub(state.men(color.opponent()));
            }
        }
        state
    }

    /// Whether this is a position of its game at all.
    pub fn is_valid(&self) -> bool {
        let count = |piece: Piece| self.board.iter().filter(|&&on| on == Some(piece)).count() as u32;
        let kings = Color::ALL.map(|color| count(Piece::new(color, Kind::King)));
        if self.variant == Variant::Hasami {
            let pawns_only = self.board.iter().flatten().all(|piece| piece.kind() == Kind::Pawn);
            let hands_fit = Color::ALL.iter().all(|&color| {
                let hand = self.hands[color.index()];
                hand[1..].iter().all(|&held| held == 0) && hand[0] + self.men(color.opponent()) <= 9
            });
            return pawns_only && hands_fit;
        }
        let flanking = self.variant == Variant::Flanking;
        if kings.iter().any(|&kings| kings > 1 || flanking && kings == 0) {
            return false;
        }
        let set_kept = Kind::HAND.iter().all(|&kind| {
            let on_board = self.board.iter().flatten().filter(|piece| piece.kind().unpromoted() == kind).count() as u32;
            on_board + self.hands[0][kind.index()] + self.hands[1][kind.index()] <= SET[kind.index()]
        });
        let none_dead = Square::all().all(|square| self.on(square).is_none_or(|piece| !self.is_dead(piece, square)));
        let no_nifu = Color::ALL.iter().all(|&color| (1..=9).all(|file| self.pawns_on_file(color, file) <= 1));
        set_kept && none_dead && no_nifu && !self.in_check(self.side.opponent())
    }

    pub fn on(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    fn owner(&self, square: Square) -> Option<Color> {
        self.on(square).map(Piece::color)
    }

    fn men(&self, color: Color) -> u32 {
        self.board.iter().flatten().filter(|piece| piece.color() == color).count() as u32
    }

    fn pawns_on_file(&self, color: Color, file: i8) -> usize {
        let pawn = Some(Piece::new(color, Kind::Pawn));
        (1..=9).filter(|&rank| Square::new(file, rank).and_then(|square| self.on(square)) == pawn).count()
    }

    fn king(&self, color: Color) -> Option<Square> {
        Square::all().find(|&square| self.on(square) == Some(Piece::new(color, Kind::King)))
    }

    fn has_checks(&self) -> bool {
        matches!(self.variant, Variant::Shogi | Variant::Happokei | Variant::AiHappokei)
    }

    /// The single steps and the slides of a piece, as Black sees them.
    fn gait(&self, piece: Piece) -> (&'static [Step], &'static [Step]) {
        if self.variant == Variant::Hasami {
            return (&[], &ORTHOGONAL);
        }
        let strong = self.variant == Variant::Happokei && piece.color() == Color::Black;
        match piece.kind() {
            Kind::Pawn => (&[(0, -1)], &[]),
            Kind::Lance => (&[], &[(0, -1)]),
            Kind::Knight if strong || self.variant == Variant::AiHappokei => (&EIGHT, &[]),
            Kind::Knight => (&KNIGHT, &[]),
            Kind::Silver => (&SILVER, &[]),
            Kind::Bishop => (&[], &DIAGONAL),
            Kind::Rook => (&[], &ORTHOGONAL),
            Kind::King => (&KING, &[]),
            Kind::Horse => (&ORTHOGONAL, &DIAGONAL),
            Kind::Dragon => (&DIAGONAL, &ORTHOGONAL),
            Kind::ProKnight if strong => (&GOLD_AND_EIGHT, &[]),
            Kind::Gold | Kind::ProPawn | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => (&GOLD, &[]),
        }
    }

    /// Squares the piece could go to, calling `visit` with each; those of own pieces are left out.
    fn reach(&self, from: Square, piece: Piece, mut visit: impl FnMut(Square)) {
        let (steps, slides) = self.gait(piece);
        for &step in steps {
            if let Some(to) = walk(from, step, piece.color())
                && self.owner(to) != Some(piece.color())
            {
                visit(to);
            }
        }
        for &step in slides {
            let mut at = from;
            while let Some(to) = walk(at, step, piece.color()) {
                if self.owner(to) != Some(piece.color()) {
                    visit(to);
                }
                if self.on(to).is_some() {
                    break;
                }
                at = to;
            }
        }
    }

    /// Whether the piece could never move from this square, however empty the board.
    fn is_dead(&self, piece: Piece, square: Square) -> bool {
        let (steps, slides) = self.gait(piece);
        !steps.iter().chain(slides).any(|&step| walk(square, step, piece.color()).is_some())
    }

    /// Whether the king of `color` could be taken by the next move.
    pub fn in_check(&self, color: Color) -> bool {
        if !self.has_checks() {
            return false;
        }
        let Some(king) = self.king(color) else { return false };
        let mut hit = false;
        for square in Square::all() {
            if let Some(piece) = self.on(square)
                && piece.color() != color
            {
                self.reach(square, piece, |to| hit |= to == king);
            }
        }
        hit
    }

    /// Moves by the ways of the pieces alone.
    fn pseudo(&self) -> Vec<Ply> {
        let displaces = self.has_checks();
        let mut list = Vec::with_capacity(128);
        for from in Square::all() {
            let Some(piece) = self.on(from).filter(|piece| piece.color() == self.side) else { continue };
            self.reach(from, piece, |to| {
                if self.on(to).is_some() && !displaces {
                    return;
                }
                if !self.is_dead(piece, to) {
                    list.push(Ply::Walk { from, to, promote: false });
                }
                let in_zone = |square: Square| match self.side {
                    Color::Black => square.rank() <= 3,
                    Color::White => square.rank() >= 7,
                };
                let promotes = self.variant != Variant::Hasami
                    && !piece.kind().is_promoted()
                    && !matches!(piece.kind(), Kind::King | Kind::Gold);
                if promotes && (in_zone(from) || in_zone(to)) {
                    list.push(Ply::Walk { from, to, promote: true });
                }
            });
        }
        if self.variant == Variant::Hasami {
            return list;
        }
        for kind in Kind::HAND {
            if self.hands[self.side.index()][kind.index()] == 0 {
                continue;
            }
            for to in Square::all().filter(|&to| self.on(to).is_none()) {
                let nifu = kind == Kind::Pawn && self.pawns_on_file(self.side, to.file()) > 0;
                if !nifu && !self.is_dead(Piece::new(self.side, kind), to) {
                    list.push(Ply::Drop { kind, to });
                }
            }
        }
        list
    }

    fn is_lawful(&self, ply: Ply) -> bool {
        if !self.has_checks() {
            return true;
        }
        let (next, _) = self.after(ply);
        let pawn_drop = matches!(ply, Ply::Drop { kind: Kind::Pawn, .. });
        if next.in_check(self.side) {
            return false;
        }
        let drop_mates = pawn_drop && next.in_check(next.side) && !next.can_move();
        !drop_mates
    }

    pub fn legal(&self) -> Vec<Ply> {
        let mut list = self.pseudo();
        list.retain(|&ply| self.is_lawful(ply));
        list
    }

    pub fn can_move(&self) -> bool {
        self.pseudo().into_iter().any(|ply| self.is_lawful(ply))
    }

    /// The state after a ply, and what it captured.
    pub fn after(&self, ply: Ply) -> (Self, Vec<Piece>) {
        let mut next = self.clone();
        let mut captured = Vec::new();
        match ply {
            Ply::Drop { kind, to } => {
                next.hands[self.side.index()][kind.index()] -= 1;
                next.board[to.index()] = Some(Piece::new(self.side, kind));
            }
            Ply::Walk { from, to, promote } => {
                let piece = next.board[from.index()].take().expect("a piece to move");
                let kind = if promote { piece.kind().promoted().expect("promotable") } else { piece.kind() };
                captured.extend(next.board[to.index()].replace(Piece::new(self.side, kind)));
                if !self.has_checks() {
                    for square in next.trapped_by(to) {
                        captured.extend(next.board[square.index()].take());
                    }
                }
            }
        }
        for piece in &captured {
            if piece.kind() != Kind::King {
                next.hands[self.side.index()][piece.kind().unpromoted().index()] += 1;
            }
        }
        if self.variant == Variant::Flanking && self.step == 1 {
            next.step = 2;
        } else {
            next.step = 1;
            next.side = self.side.opponent();
        }
        (next, captured)
    }

    /// Enemy pieces that the piece which has just moved to `at` traps.
    fn trapped_by(&self, at: Square) -> Vec<Square> {
        let me = self.side;
        let mut trapped = Vec::new();
        for (files, ranks) in ORTHOGONAL {
            let mut run = Vec::new();
            for distance in 1.. {
                match Square::new(at.file() + files * distance, at.rank() + ranks * distance) {
                    Some(square) if self.owner(square) == Some(me.opponent()) => run.push(square),
                    Some(square) if self.owner(square) == Some(me) => {
                        trapped.append(&mut run);
                        break;
                    }
                    _ => break,
                }
            }
        }
        for (file, rank) in [(1, 1), (1, 9), (9, 1), (9, 9)] {
            let corner = Square::new(file, rank).expect("a corner");
            let beside = [
                Square::new(file, if rank == 1 { 2 } else { 8 }).expect("beside a corner"),
                Square::new(if file == 1 { 2 } else { 8 }, rank).expect("beside a corner"),
            ];
            if self.owner(corner) == Some(me.opponent())
                && beside.contains(&at)
                && beside.iter().all(|&square| self.owner(square) == Some(me))
            {
                trapped.push(corner);
            }
        }
        trapped
    }

    /// Whether `color` has reached hasami's goal.
    pub fn has_reached(&self, goal: Goal, color: Color) -> bool {
        let mine = self.hands[color.index()][0];
        let theirs = self.hands[color.opponent().index()][0];
        match goal {
            Goal::Capture5 => mine >= 5,
            Goal::Lead3 => mine >= theirs + 3,
            Goal::CaptureAll => self.men(color.opponent()) == 0,
        }
    }

    fn goal_reached(&self, goal: Goal) -> Option<Color> {
        Color::ALL.into_iter().find(|&color| self.has_reached(goal, color))
    }
}

/// One step from a square, seen by the owner of the piece; `None` off the board.
fn walk(from: Square, (files, ranks): Step, color: Color) -> Option<Square> {
    let sign = if color == Color::Black { 1 } else { -1 };
    Square::new(from.file() + sign * files, from.rank() + sign * ranks)
}

/// A moment of a game.
#[derive(Clone, Debug)]
struct Moment {
    state: State,
    winner: Option<Color>,
    /// Whether the move that led here gave check.
    checked: bool,
}

/// A game with its whole history.
#[derive(Clone, Debug)]
pub struct NaiveGame {
    pub rules: HouseRules,
    first_number: u32,
    trail: Vec<Moment>,
}

impl NaiveGame {
    pub fn new(variant: Variant, diagram: &Diagram, rules: &HouseRules) -> Self {
        let state = State::from_diagram(variant, diagram);
        let winner = if variant == Variant::Hasami { state.goal_reached(rules.goal) } else { None };
        Self { rules: *rules, first_number: diagram.number, trail: vec![Moment { state, winner, checked: false }] }
    }

    fn now(&self) -> &Moment {
        self.trail.last().expect("never empty")
    }

    pub fn state(&self) -> &State {
        &self.now().state
    }

    pub fn winner(&self) -> Option<Color> {
        self.now().winner
    }

    /// The SFEN's move number.
    pub fn number(&self) -> u32 {
        self.first_number + self.trail.len() as u32 - 1
    }

    pub fn diagram(&self) -> Diagram {
        let State { board, hands, side, step, .. } = self.state();
        let hands_omitted = hands.iter().flatten().all(|&held| held == 0);
        let hands = ByColor(*hands);
        Diagram { board: *board, hands, hands_omitted, side: *side, number: self.number(), step: *step }
    }

    /// Legal moves; none once a capture has decided the game.
    pub fn legal(&self) -> Vec<Ply> {
        if self.winner().is_some() { Vec::new() } else { self.state().legal() }
    }

    pub fn play(&mut self, ply: Ply) {
        let mover = self.state().side;
        let (state, captured) = self.state().after(ply);
        let winner = match state.variant {
            Variant::Flanking => captured.iter().any(|piece| piece.kind() == Kind::King).then_some(mover),
            Variant::Hasami => state.goal_reached(self.rules.goal),
            _ => None,
        };
        let checked = state.in_check(mover.opponent());
        self.trail.push(Moment { state, winner, checked });
    }

    pub fn occurrences(&self) -> usize {
        self.trail.iter().filter(|moment| moment.state == *self.state()).count()
    }

    /// The winner, `None` for a draw, and the reason.
    pub fn result(&self) -> Option<(Option<Color>, Reason)> {
        if let Some(winner) = self.winner() {
            let reason = if self.state().variant == Variant::Flanking { Reason::KingFlanked } else { Reason::Goal };
            return Some((Some(winner), reason));
        }
        let side = self.state().side;
        if !self.state().can_move() {
            let reason = if self.state().in_check(side) { Reason::Checkmate } else { Reason::NoLegalMove };
            return Some((Some(side.opponent()), reason));
        }
        let same: Vec<usize> = (0..self.trail.len()).filter(|&i| self.trail[i].state == *self.state()).collect();
        if same.len() >= 4 {
            let first = same[same.len() - 4];
            let always_checked = |color: Color| {
                (first + 1..self.trail.len())
                    .filter(|&i| self.trail[i - 1].state.side == color)
                    .all(|i| self.trail[i].checked)
            };
            return Some(match (always_checked(Color::Black), always_checked(Color::White)) {
                (true, false) => (Some(Color::White), Reason::PerpetualCheck),
                (false, true) => (Some(Color::Black), Reason::PerpetualCheck),
                _ => (None, Reason::Repetition),
            });
        }
        let limit = self.rules.move_limit;
        (limit > 0 && self.number() > limit).then_some((None, Reason::MoveLimit))
    }
}
