//! Flanking's position: board, hands, half of the turn and the history.

use crate::board::{Bitboard, ByColor, Color, Hand, Kind, Move, MoveList, Piece, Square, attacks, custodial, zobrist};
use crate::diagram::{Diagram, DiagramError, side_name};
use crate::game::{GameResult, HouseRules, Observer, Position, Reason, Repetition, Stage, Variant};
use crate::trail::{OCCURRENCES, Trail};

use super::VALUE;

/// What a half-move changed beyond what it says itself.
#[derive(Clone, Copy)]
struct State {
    m: Move,
    taken: Bitboard,
}

/// What a side could do with one half-move if it were to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threats {
    /// The enemy's pieces that it can capture, each of them with some move.
    pub capturable: Bitboard,
    /// Empty squares where a piece would capture, but which none can reach.
    pub anchored: Bitboard,
    /// Its moves on the board, promotions not told apart.
    pub moves: u32,
    /// How many half-moves it needs at least to capture the king, roughly; 4 stands for out of sight.
    pub king: u32,
}

/// A position of flanking shogi with its history. A move is a half-move.
#[derive(Clone)]
pub struct FlankingPosition {
    board: [Option<Piece>; Square::COUNT],
    by_color: ByColor<Bitboard>,
    by_kind: [Bitboard; Kind::COUNT],
    hands: ByColor<Hand>,
    side: Color,
    step: u8,
    winner: Option<Color>,
    rules: HouseRules,
    played: u32,
    states: Vec<State>,
    /// The pieces captured by all moves made, those of one move in the order of their squares.
    taken: Vec<Piece>,
    trail: Trail<4>,
}

/// Squares from which an unpromoted piece could never move again.
#[inline]
pub(super) const fn dead_squares(color: Color, kind: Kind) -> Bitboard {
    match kind {
        Kind::Pawn | Kind::Lance => Bitboard::far_ranks(color, 1),
        Kind::Knight => Bitboard::far_ranks(color, 2),
        _ => Bitboard::EMPTY,
    }
}

impl FlankingPosition {
    /// What a side could do with one half-move if it were to move.
    pub fn threats(&self, color: Color) -> Threats {
        let (mine, theirs) = (self.of(color), self.of(!color));
        let (reach, moves) = self.reach(color);
        let closing = custodial::closing_squares(mine, theirs);
        let capturable = (closing & reach)
            .into_iter()
            .fold(Bitboard::EMPTY, |set, to| set | custodial::captures(to, mine.with(to), theirs));
        Threats { capturable, anchored: closing - reach, moves, king: self.king_distance(color, reach) }
    }

    fn empty(rules: &HouseRules) -> Self {
        Self {
            board: [None; Square::COUNT],
            by_color: ByColor([Bitboard::EMPTY; 2]),
            by_kind: [Bitboard::EMPTY; Kind::COUNT],
            hands: ByColor([Hand::EMPTY; 2]),
            side: Color::Black,
            step: 1,
            winner: None,
            rules: *rules,
            played: 0,
            states: Vec::with_capacity(512),
            taken: Vec::with_capacity(128),
            trail: Trail::new(0),
        }
    }

    /// The pieces of a side.
    #[inline]
    pub fn of(&self, color: Color) -> Bitboard {
        self.by_color[color]
    }

    /// The pieces of a kind, both sides'.
    #[inline]
    pub fn kind(&self, kind: Kind) -> Bitboard {
        self.by_kind[kind.index()]
    }

    /// All pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[Color::Black] | self.by_color[Color::White]
    }

    /// What a side holds.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand {
        self.hands[color]
    }

    /// The king of a side; `None` once it has been captured.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        (self.kind(Kind::King) & self.of(color)).first()
    }

    /// The side to move; same as [`Position::side_to_move`] without the trait.
    #[inline]
    pub(super) fn turn(&self) -> Color {
        self.side
    }

    /// The kind on an occupied square.
    #[inline]
    pub(super) fn kind_on(&self, square: Square) -> Kind {
        match self.board[square.index()] {
            Some(piece) => piece.kind(),
            None => unreachable!("{square} is empty"),
        }
    }

    /// What a move of the side to move captures; a drop never does.
    #[inline]
    pub(super) fn taken_by(&self, m: Move) -> Bitboard {
        match m.from() {
            Some(from) => {
                custodial::captures(m.to(), self.of(self.side).without(from).with(m.to()), self.of(!self.side))
            }
            None => Bitboard::EMPTY,
        }
    }

    #[inline]
    fn put(&mut self, piece: Piece, square: Square) {
        self.board[square.index()] = Some(piece);
        let one = Bitboard::of(square);
        self.by_color[piece.color()] |= one;
        self.by_kind[piece.kind().index()] |= one;
    }

    #[inline]
    fn lift(&mut self, piece: Piece, square: Square) {
        self.board[square.index()] = None;
        let one = Bitboard::of(square);
        self.by_color[piece.color()] ^= one;
        self.by_kind[piece.kind().index()] ^= one;
    }

    /// Moves a hand from one count to the next and returns the change of the key.
    #[inline]
    fn change_hand<O: Observer>(&mut self, color: Color, kind: Kind, adding: bool, observer: &mut O) -> u64 {
        let before = self.hands[color].count(kind);
        let after = if adding {
            self.hands[color].add(kind);
            before + 1
        } else {
            self.hands[color].remove(kind);
            before - 1
        };
        observer.hand(color, kind, before, after);
        zobrist::hand(color, kind, before) ^ zobrist::hand(color, kind, after)
    }

    /// Passes on to the next half-move, or back; returns the change of the key.
    #[inline]
    fn next_step(&mut self) -> u64 {
        if self.step == 1 {
            self.step = 2;
            zobrist::second_step()
        } else {
            self.step = 1;
            self.side = !self.side;
            zobrist::second_step() ^ zobrist::white_to_move()
        }
    }

    #[inline]
    fn previous_step(&mut self) {
        if self.step == 2 {
            self.step = 1;
        } else {
            self.step = 2;
            self.side = !self.side;
        }
    }
}

impl Position for FlankingPosition {
    const TURN: u8 = 2;

    type CheckInfo = ();

    fn variant() -> Variant {
        Variant::Flanking
    }

    fn startpos(rules: &HouseRules) -> Self {
        let mut position = Self::empty(rules);
        let mut place = |file: i8, rank: i8, kind| {
            if let Some(square) = Square::new(file, rank) {
                position.put(Piece::new(Color::Black, kind), square);
                position.put(Piece::new(Color::White, kind), square.rotate());
            }
        };
        use Kind::{Bishop, Gold, King, Knight, Lance, Pawn, Rook, Silver};
        for (file, kind) in (1..).zip([Lance, Knight, Silver, Gold, King, Gold, Silver, Knight, Lance]) {
            place(file, 9, kind);
            place(file, 7, Pawn);
        }
        place(8, 8, Bishop);
        place(2, 8, Rook);
        position.trail = Trail::new(position.computed_key());
        position
    }

    fn from_diagram(diagram: &Diagram, rules: &HouseRules) -> Result<Self, DiagramError> {
        if !matches!(diagram.step, 1 | 2) {
            return Err(DiagramError::Step(diagram.step));
        }
        diagram.check_set()?;
        let mut position = Self::empty(rules);
        for square in Square::all() {
            let Some(piece) = diagram.board[square.index()] else { continue };
            if dead_squares(piece.color(), piece.kind()).contains(square) {
                return Err(DiagramError::DeadPiece { piece, square });
            }
            position.put(piece, square);
        }
        for color in Color::ALL {
            if position.king(color).is_none() {
                return Err(DiagramError::NoKing(side_name(color)));
            }
            for kind in Kind::HAND {
                for _ in 0..diagram.hands[color][kind.index()] {
                    position.hands[color].add(kind);
                }
            }
        }
        diagram.check_nifu()?;
        position.side = diagram.side;
        position.step = diagram.step;
        position.played = diagram.number - 1;
        position.trail = Trail::new(position.computed_key());
        Ok(position)
    }

    fn diagram(&self) -> Diagram {
        let hands = ByColor(Color::ALL.map(|color| {
            let mut counts = [0; 7];
            for kind in Kind::HAND {
                counts[kind.index()] = self.hands[color].count(kind);
            }
            counts
        }));
        Diagram {
            board: self.board,
            hands,
            hands_omitted: self.hands == ByColor([Hand::EMPTY; 2]),
            side: self.side,
            number: self.played + 1,
            step: self.step,
        }
    }

    fn rules(&self) -> &HouseRules {
        &self.rules
    }

    #[inline]
    fn side_to_move(&self) -> Color {
        self.side
    }

    #[inline]
    fn step(&self) -> u8 {
        self.step
    }

    #[inline]
    fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    #[inline]
    fn hand_count(&self, color: Color, kind: Kind) -> u32 {
        if kind.index() < Kind::HAND.len() { self.hands[color].count(kind) } else { 0 }
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
        if self.step == 2 {
            key ^= zobrist::second_step();
        }
        for square in Square::all() {
            if let Some(piece) = self.board[square.index()] {
                key ^= zobrist::piece(piece, square);
            }
        }
        for color in Color::ALL {
            for kind in Kind::HAND {
                key ^= zobrist::hand(color, kind, self.hands[color].count(kind));
            }
        }
        key
    }

    fn generate(&self, stage: Stage, list: &mut MoveList) {
        if self.winner.is_none() {
            self.generate_stage::<false>(stage, list);
        }
    }

    /// Leaves out the pawn that could promote and does not.
    fn generate_pruned(&self, stage: Stage, list: &mut MoveList) {
        if self.winner.is_none() {
            self.generate_stage::<true>(stage, list);
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
        let us = self.side;
        let to = m.to();
        let taken = self.taken_by(m);
        let mut key = self.trail.key();
        let piece = self.arrival(m);
        if let Some(from) = m.from() {
            let before = Piece::new(us, self.kind_on(from));
            self.lift(before, from);
            observer.lift(before, from);
            key ^= zobrist::piece(before, from);
        } else {
            key ^= self.change_hand(us, piece.kind(), false, observer);
        }
        self.put(piece, to);
        observer.put(piece, to);
        key ^= zobrist::piece(piece, to);
        for square in taken {
            let kind = self.kind_on(square);
            let victim = Piece::new(!us, kind);
            self.lift(victim, square);
            observer.lift(victim, square);
            self.taken.push(victim);
            key ^= zobrist::piece(victim, square);
            if kind == Kind::King {
                self.winner = Some(us);
            } else {
                key ^= self.change_hand(us, kind.unpromoted(), true, observer);
            }
        }
        key ^= self.next_step();
        self.played += 1;
        self.states.push(State { m, taken });
        self.trail.push(key);
    }

    fn unmake(&mut self) {
        let State { m, taken } = self.states.pop().expect("a move was made");
        self.trail.pop();
        self.played -= 1;
        self.previous_step();
        let us = self.side;
        if taken.any() {
            let first = self.taken.len() - taken.count() as usize;
            for (offset, square) in taken.into_iter().enumerate() {
                let victim = self.taken[first + offset];
                self.put(victim, square);
                if victim.kind() != Kind::King {
                    self.hands[us].remove(victim.kind().unpromoted());
                }
            }
            self.taken.truncate(first);
        }
        let kind = self.kind_on(m.to());
        self.lift(Piece::new(us, kind), m.to());
        match m.from() {
            Some(from) => {
                let kind = if m.is_promotion() { kind.unpromoted() } else { kind };
                self.put(Piece::new(us, kind), from);
            }
            None => self.hands[us].add(kind),
        }
        // Nothing is played in a decided position.
        self.winner = None;
    }

    /// Passes both half-moves.
    fn make_null(&mut self) {
        debug_assert!(self.step == 1, "half a turn cannot be passed");
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

    fn gain(&self, m: Move) -> i32 {
        let captured: i32 = self.taken_by(m).into_iter().map(|square| VALUE[self.kind_on(square).index()]).sum();
        match m.from() {
            Some(from) if m.is_promotion() => {
                let kind = self.kind_on(from).index();
                captured + VALUE[kind + 8] - VALUE[kind]
            }
            _ => captured,
        }
    }

    fn victim(&self, m: Move) -> Option<Kind> {
        self.taken_by(m).into_iter().map(|square| self.kind_on(square)).max_by_key(|kind| VALUE[kind.index()])
    }

    #[inline]
    fn mover(&self, m: Move) -> Piece {
        let kind = match (m.from(), m.dropped()) {
            (_, Some(kind)) => kind,
            (Some(from), None) => self.kind_on(from),
            (None, None) => unreachable!("a move without a source drops"),
        };
        Piece::new(self.side, kind)
    }

    /// A piece that captures is not recaptured where it stands: what it wins is its gain.
    #[inline]
    fn see_ge(&self, m: Move, threshold: i32) -> bool {
        self.gain(m) >= threshold
    }

    fn transposes(&self, m: Move) -> bool {
        let Some(State { m: first, taken }) = self.states.last() else { return false };
        if self.step == 1 || *first == Move::NULL || taken.any() || m.from() == Some(first.to()) {
            return false;
        }
        let blocked = first.from().is_some_and(|from| attacks::between(from, first.to()).contains(m.to()));
        if blocked {
            return false;
        }
        // Played last, the first half must not capture with the help of the other one.
        let mine = m.from().map_or(self.of(self.side), |from| self.of(self.side).without(from)).with(m.to());
        first.from().is_none() || custodial::captures(first.to(), mine, self.of(!self.side)).is_empty()
    }

    #[inline]
    fn winner(&self) -> Option<Color> {
        self.winner
    }

    /// Exact: a king captured within the turn.
    fn quick_win(&mut self) -> Option<(Move, u32)> {
        if self.winner.is_some() {
            return None;
        }
        self.hunt()
    }

    #[inline]
    fn repetition(&self, ply: usize) -> Option<Repetition> {
        self.trail.recurs(ply).then_some(Repetition::Draw)
    }

    fn occurrences(&self) -> u32 {
        self.trail.occurrences()
    }

    fn null_move_allowed(&self) -> bool {
        self.step == 1
    }

    fn result(&self) -> Option<GameResult> {
        if let Some(winner) = self.winner {
            return Some(GameResult { winner: Some(winner), reason: Reason::KingFlanked });
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
