//! Hasami's position: two sets of men, the captures made and the history.

use crate::board::{Bitboard, ByColor, Color, Kind, Move, MoveList, Piece, Square, custodial, zobrist};
use crate::diagram::{Diagram, DiagramError, side_name};
use crate::game::{GameResult, Goal, HouseRules, Observer, Position, Reason, Repetition, Stage, Variant};
use crate::trail::{OCCURRENCES, Trail};

use super::MEN;

/// Value of a man in points, for move ordering and pruning.
const MAN: i32 = 100;
/// What [`Position::gain`] adds for reaching the goal.
const GOAL_GAIN: i32 = 10_000;

/// What a move changed beyond what it says itself.
#[derive(Clone, Copy)]
struct State {
    m: Move,
    taken: Bitboard,
}

/// What a side could do if it were to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threats {
    /// The enemy's men that it can capture with one move, each of them with some move.
    pub capturable: Bitboard,
    /// Empty squares where a man would capture, but which none can reach.
    pub anchored: Bitboard,
    /// Its moves.
    pub moves: u32,
}

/// A position of hasami with its history. Two sets of squares say all about a board of equal men.
#[derive(Clone)]
pub struct HasamiPosition {
    men: ByColor<Bitboard>,
    captures: ByColor<u32>,
    side: Color,
    winner: Option<Color>,
    rules: HouseRules,
    played: u32,
    states: Vec<State>,
    trail: Trail<2>,
}

impl HasamiPosition {
    fn set_up(men: ByColor<Bitboard>, captures: ByColor<u32>, side: Color, number: u32, rules: &HouseRules) -> Self {
        let mut position = Self {
            men,
            captures,
            side,
            winner: None,
            rules: *rules,
            played: number - 1,
            states: Vec::with_capacity(512),
            trail: Trail::new(0),
        };
        position.trail = Trail::new(position.computed_key());
        position.winner = Color::ALL.into_iter().rfind(|&color| position.reached(color));
        position
    }

    /// The men of a side.
    #[inline]
    pub fn men(&self, color: Color) -> Bitboard {
        self.men[color]
    }

    /// What a side could do if it were to move.
    pub fn threats(&self, color: Color) -> Threats {
        let (mine, theirs) = (self.men[color], self.men[!color]);
        let (reach, moves) = self.reach(color);
        let closing = custodial::closing_squares(mine, theirs);
        let capturable = (closing & reach)
            .into_iter()
            .fold(Bitboard::EMPTY, |set, to| set | custodial::captures(to, mine.with(to), theirs));
        Threats { capturable, anchored: closing - reach, moves }
    }

    /// The captures a side has made.
    #[inline]
    pub fn captures(&self, color: Color) -> u32 {
        self.captures[color]
    }

    /// The side to move; same as [`Position::side_to_move`] without the trait.
    #[inline]
    pub(super) fn turn(&self) -> Color {
        self.side
    }

    #[inline]
    pub(super) fn occupied(&self) -> Bitboard {
        self.men[Color::Black] | self.men[Color::White]
    }

    /// How many men a side still has to capture if the enemy captures none; 0 or less: it has reached the goal.
    #[inline]
    fn distance_to_goal(&self, color: Color) -> i32 {
        let (mine, theirs) = (self.captures[color] as i32, self.captures[!color] as i32);
        match self.rules.goal {
            Goal::Capture5 => 5 - mine,
            Goal::Lead3 => 3 + theirs - mine,
            Goal::CaptureAll => self.men[!color].count() as i32,
        }
    }

    /// How many men a side still has to capture to reach the goal, at least 1, if the enemy captures none.
    #[inline]
    pub fn men_to_goal(&self, color: Color) -> u32 {
        self.distance_to_goal(color).max(1) as u32
    }

    #[inline]
    fn reached(&self, color: Color) -> bool {
        self.distance_to_goal(color) <= 0
    }

    /// Key of the captures made.
    #[inline]
    fn captures_key(color: Color, count: u32) -> u64 {
        zobrist::hand(color, Kind::Pawn, count)
    }
}

impl Position for HasamiPosition {
    const TURN: u8 = 1;

    type CheckInfo = ();

    fn variant() -> Variant {
        Variant::Hasami
    }

    fn startpos(rules: &HouseRules) -> Self {
        let men = ByColor([Bitboard::rank(9), Bitboard::rank(1)]);
        Self::set_up(men, ByColor([0, 0]), Color::Black, 1, rules)
    }

    fn from_diagram(diagram: &Diagram, rules: &HouseRules) -> Result<Self, DiagramError> {
        if diagram.step != 1 {
            return Err(DiagramError::Step(diagram.step));
        }
        let mut men = ByColor([Bitboard::EMPTY; 2]);
        for square in Square::all() {
            let Some(piece) = diagram.board[square.index()] else { continue };
            if piece.kind() != Kind::Pawn {
                return Err(DiagramError::NotHasami(piece));
            }
            men[piece.color()] = men[piece.color()].with(square);
        }
        let mut captures = ByColor([0, 0]);
        for color in Color::ALL {
            let found = men[color].count();
            if found > MEN {
                let kind = if color == Color::Black { 'P' } else { 'p' };
                return Err(DiagramError::TooMany { kind, found, limit: MEN });
            }
            let held = &diagram.hands[color];
            if let Some(kind) = Kind::HAND.into_iter().find(|&kind| kind != Kind::Pawn && held[kind.index()] > 0) {
                return Err(DiagramError::NotHasami(Piece::new(color, kind)));
            }
            captures[color] = held[Kind::Pawn.index()];
        }
        for color in Color::ALL {
            let left = men[!color].count();
            if diagram.hands_omitted {
                captures[color] = MEN - left;
            } else if captures[color] + left > MEN {
                return Err(DiagramError::Captures(side_name(color), captures[color], left));
            }
        }
        Ok(Self::set_up(men, captures, diagram.side, diagram.number, rules))
    }

    fn diagram(&self) -> Diagram {
        let mut board = [None; Square::COUNT];
        for square in Square::all() {
            board[square.index()] = self.piece_on(square);
        }
        let mut hands = ByColor([[0; 7]; 2]);
        for color in Color::ALL {
            hands[color][Kind::Pawn.index()] = self.captures[color];
        }
        let hands_omitted = self.captures == ByColor([0, 0]);
        Diagram { board, hands, hands_omitted, side: self.side, number: self.played + 1, step: 1 }
    }

    fn rules(&self) -> &HouseRules {
        &self.rules
    }

    #[inline]
    fn side_to_move(&self) -> Color {
        self.side
    }

    #[inline]
    fn piece_on(&self, square: Square) -> Option<Piece> {
        Color::ALL
            .into_iter()
            .find(|&color| self.men[color].contains(square))
            .map(|color| Piece::new(color, Kind::Pawn))
    }

    #[inline]
    fn hand_count(&self, color: Color, kind: Kind) -> u32 {
        if kind == Kind::Pawn { self.captures[color] } else { 0 }
    }

    #[inline]
    fn moves_played(&self) -> u32 {
        self.played
    }

    #[inline]
    fn key(&self) -> u64 {
        self.trail.key()
    }

    fn computed_key(&self) -> u64 {
        let mut key = if self.side == Color::White { zobrist::white_to_move() } else { 0 };
        for color in Color::ALL {
            key ^= Self::captures_key(color, self.captures[color]);
            for square in self.men[color] {
                key ^= zobrist::piece(Piece::new(color, Kind::Pawn), square);
            }
        }
        key
    }

    fn generate(&self, stage: Stage, list: &mut MoveList) {
        if self.winner.is_none() {
            self.generate_stage(stage, list);
        }
    }

    fn count_legal(&self) -> usize {
        if self.winner.is_some() { 0 } else { self.count_moves() }
    }

    fn has_legal_move(&self) -> bool {
        self.winner.is_none() && self.can_move()
    }

    fn is_legal(&self, m: Move) -> bool {
        self.winner.is_none() && self.is_move(m)
    }

    fn make<O: Observer>(&mut self, m: Move, observer: &mut O) {
        let from = m.from().expect("nothing is dropped in hasami");
        let to = m.to();
        let (us, them) = (self.side, !self.side);
        let (man, enemy) = (Piece::new(us, Kind::Pawn), Piece::new(them, Kind::Pawn));
        let taken = self.taken_by(m);

        self.men[us] = self.men[us].without(from).with(to);
        observer.lift(man, from);
        observer.put(man, to);
        let mut key = self.trail.key() ^ zobrist::white_to_move() ^ zobrist::piece(man, from) ^ zobrist::piece(man, to);
        if taken.any() {
            self.men[them] = self.men[them] - taken;
            for square in taken {
                observer.lift(enemy, square);
                key ^= zobrist::piece(enemy, square);
            }
            let before = self.captures[us];
            let after = before + taken.count();
            self.captures[us] = after;
            observer.hand(us, Kind::Pawn, before, after);
            key ^= Self::captures_key(us, before) ^ Self::captures_key(us, after);
            if self.reached(us) {
                self.winner = Some(us);
            }
        }
        self.side = them;
        self.played += 1;
        self.states.push(State { m, taken });
        self.trail.push(key);
    }

    fn unmake(&mut self) {
        let State { m, taken } = self.states.pop().expect("a move was made");
        let from = m.from().expect("nothing is dropped in hasami");
        self.trail.pop();
        self.played -= 1;
        self.side = !self.side;
        let us = self.side;
        self.men[us] = self.men[us].without(m.to()).with(from);
        self.men[!us] |= taken;
        self.captures[us] -= taken.count();
        // Nothing is played in a decided position.
        self.winner = None;
    }

    fn make_null(&mut self) {
        self.side = !self.side;
        self.states.push(State { m: Move::NULL, taken: Bitboard::EMPTY });
        self.trail.push_null(self.trail.key() ^ zobrist::white_to_move());
    }

    fn unmake_null(&mut self) {
        self.states.pop();
        self.trail.pop_null();
        self.side = !self.side;
    }

    #[inline]
    fn last_move(&self) -> Move {
        self.states.last().map_or(Move::NONE, |state| state.m)
    }

    #[inline]
    fn check_info(&self) {}

    #[inline]
    fn gives_check(&self, _: Move, (): &()) -> bool {
        false
    }

    #[inline]
    fn is_capture(&self, m: Move) -> bool {
        self.taken_by(m).any()
    }

    #[inline]
    fn gain(&self, m: Move) -> i32 {
        let taken = self.taken_by(m).count();
        let goal = if taken >= self.men_to_goal(self.side) { GOAL_GAIN } else { 0 };
        taken as i32 * MAN + goal
    }

    #[inline]
    fn victim(&self, m: Move) -> Option<Kind> {
        self.is_capture(m).then_some(Kind::Pawn)
    }

    #[inline]
    fn mover(&self, _: Move) -> Piece {
        Piece::new(self.side, Kind::Pawn)
    }

    /// A man that captures is not recaptured where it stands: what it wins is its gain.
    #[inline]
    fn see_ge(&self, m: Move, threshold: i32) -> bool {
        self.gain(m) >= threshold
    }

    #[inline]
    fn winner(&self) -> Option<Color> {
        self.winner
    }

    /// Exact: a move that reaches the goal.
    fn quick_win(&mut self) -> Option<(Move, u32)> {
        if self.winner.is_some() {
            return None;
        }
        self.goal_move().map(|m| (m, 1))
    }

    #[inline]
    fn repetition(&self, ply: usize) -> Option<Repetition> {
        self.trail.recurs(ply).then_some(Repetition::Draw)
    }

    fn occurrences(&self) -> u32 {
        self.trail.occurrences()
    }

    /// Few men run into zugzwang: everything they hold is lost by moving.
    fn null_move_allowed(&self) -> bool {
        self.men[self.side].count() > 2
    }

    fn result(&self) -> Option<GameResult> {
        if let Some(winner) = self.winner {
            return Some(GameResult { winner: Some(winner), reason: Reason::Goal });
        }
        if !self.can_move() {
            return Some(GameResult { winner: Some(!self.side), reason: Reason::NoLegalMove });
        }
        if self.occurrences() as usize >= OCCURRENCES {
            return Some(GameResult { winner: None, reason: Reason::Repetition });
        }
        self.limit_reached().then_some(GameResult { winner: None, reason: Reason::MoveLimit })
    }
}
