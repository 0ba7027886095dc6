//! The position: board, hands, keys, checks and pins, making and taking back moves.

use std::marker::PhantomData;

use crate::board::{Bitboard, ByColor, Color, Direction, Hand, Kind, Move, MoveList, Piece, Square, attacks, zobrist};
use crate::diagram::{Diagram, DiagramError, side_name};
use crate::game::{Dominance, GameResult, HouseRules, Impasse, Observer, Position, Reason, Repetition, Stage, Variant};

use crate::trail::{OCCURRENCES, Trail};

use super::VALUE;
use super::rules::Rules;

/// What changes with every move and is copied rather than undone.
#[derive(Clone, Copy)]
struct State {
    key: u64,
    /// The part of the key that is of the hands.
    held: u64,
    /// Enemy pieces that give check to the side to move.
    checkers: Bitboard,
    /// Pieces of the side to move that shield its king.
    pinned: Bitboard,
    /// The move that led here.
    last: Move,
    captured: Option<Piece>,
    /// How many moves in a row each side has given check with, up to here.
    check_run: [u16; 2],
}

/// What answers [`Position::gives_check`] for all moves of a node.
pub struct CheckInfo {
    king: Option<Square>,
    /// Where a piece of each kind would give check.
    pub(super) squares: [Bitboard; Kind::COUNT],
    /// Pieces of the side to move that give check by stepping aside.
    pub(super) discoverers: Bitboard,
}

/// A position of the shogi family.
#[derive(Clone)]
pub struct ShogiPosition<R> {
    board: [Option<Piece>; Square::COUNT],
    colors: ByColor<Bitboard>,
    kinds: [Bitboard; Kind::COUNT],
    /// Everything that steps as a gold: golds and promoted minor pieces.
    golds: Bitboard,
    hands: ByColor<Hand>,
    kings: ByColor<Option<Square>>,
    side: Color,
    played: u32,
    rules: HouseRules,
    state: State,
    states: Vec<State>,
    /// The boards so far, whatever the hands were.
    trail: Trail<2>,
    /// Black's hand on each of them; White's follows from it.
    hands_before: Vec<Hand>,
    marker: PhantomData<R>,
}

/// A hash whose upper bits depend on every bit of the words.
#[inline]
fn hash<const N: usize>(words: [u64; N]) -> u64 {
    words
        .into_iter()
        .fold(0, |hash: u64, word| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl<R: Rules> ShogiPosition<R> {
    /// All pieces of a side.
    #[inline]
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color]
    }

    /// All pieces of a kind, of both sides.
    #[inline]
    pub fn kind(&self, kind: Kind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// The pieces of a kind and side.
    #[inline]
    pub fn pieces(&self, color: Color, kind: Kind) -> Bitboard {
        self.colors[color] & self.kinds[kind.index()]
    }

    /// Everything of both sides that steps as a gold.
    #[inline]
    pub fn golds(&self) -> Bitboard {
        self.golds
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[Color::Black] | self.colors[Color::White]
    }

    /// The hand of a side.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand {
        self.hands[color]
    }

    /// Where the king of a side stands, if there is one.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.kings[color]
    }

    /// The pieces giving check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.state.checkers
    }

    /// The pieces of the side to move that shield its king.
    #[inline]
    pub(super) fn pinned(&self) -> Bitboard {
        self.state.pinned
    }

    /// Attacks of a piece under this game's rules.
    #[inline]
    pub fn attacks_of(color: Color, kind: Kind, square: Square, occupied: Bitboard) -> Bitboard {
        match kind {
            Kind::Knight if R::leaps(color) => attacks::leaper(square),
            Kind::ProKnight if R::promoted_leaps(color) => attacks::gold(color, square) | attacks::leaper(square),
            _ => attacks::piece(color, kind, square, occupied),
        }
    }

    /// The pieces of `by` that attack a square, given the occupied squares.
    #[inline]
    pub fn attackers(&self, by: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let steppers = self.step_attackers(by, square) | attacks::king(square) & self.kind(Kind::King);
        (steppers | self.slide_attackers(square, occupied)) & self.colors[by]
    }

    /// The pieces of both sides that attack a square, given the occupied squares.
    #[inline]
    pub(super) fn all_attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let (black, white) = (self.colors[Color::Black], self.colors[Color::White]);
        let steppers = self.step_attackers(Color::Black, square) & black
            | self.step_attackers(Color::White, square) & white
            | attacks::king(square) & self.kind(Kind::King);
        steppers | self.slide_attackers(square, occupied)
    }

    /// The sliders of both sides that attack a square along a line.
    #[inline]
    pub(super) fn slide_attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let lances = self.kind(Kind::Lance)
            & (self.colors[Color::Black] & attacks::ray(Direction::Down, square)
                | self.colors[Color::White] & attacks::ray(Direction::Up, square));
        let straight = attacks::straights(square) & (self.kind(Kind::Rook) | self.kind(Kind::Dragon)) | lances;
        let diagonal = attacks::diagonals(square) & (self.kind(Kind::Bishop) | self.kind(Kind::Horse));
        // Most squares have few sliders on their lines: what is in the way is looked at where there are any.
        let mut set = Bitboard::EMPTY;
        if straight.any() {
            set |= attacks::rook(square, occupied) & straight;
        }
        if diagonal.any() {
            set |= attacks::bishop(square, occupied) & diagonal;
        }
        set
    }

    /// Pieces that attack a square by a step or leap, kings left out; of both sides, to be cut down by the caller.
    #[inline]
    fn step_attackers(&self, by: Color, square: Square) -> Bitboard {
        let from = !by;
        let knights = if R::leaps(by) { attacks::leaper(square) } else { attacks::knight(from, square) };
        let mut set = attacks::pawn(from, square) & self.kind(Kind::Pawn)
            | knights & self.kind(Kind::Knight)
            | attacks::silver(from, square) & self.kind(Kind::Silver)
            | attacks::gold(from, square) & self.golds
            | attacks::king(square) & (self.kind(Kind::Horse) | self.kind(Kind::Dragon));
        if R::promoted_leaps(by) {
            set |= attacks::leaper(square) & self.kind(Kind::ProKnight);
        }
        set
    }

    /// Pieces of `by` on a free line with a square, whatever stands between.
    #[inline]
    fn snipers(&self, by: Color, square: Square) -> Bitboard {
        let forward = if by == Color::Black { Direction::Down } else { Direction::Up };
        (attacks::ray(forward, square) & self.kind(Kind::Lance)
            | attacks::diagonals(square) & (self.kind(Kind::Bishop) | self.kind(Kind::Horse))
            | attacks::straights(square) & (self.kind(Kind::Rook) | self.kind(Kind::Dragon)))
            & self.colors[by]
    }

    /// Pieces of either side that alone stand between a square and a sniper of `by`.
    #[inline]
    pub(super) fn shields(&self, by: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let mut shields = Bitboard::EMPTY;
        for sniper in self.snipers(by, square) {
            let between = attacks::between(square, sniper) & occupied;
            if !between.several() {
                shields |= between;
            }
        }
        shields
    }

    /// Checkers and pinned pieces of the side to move.
    #[inline]
    fn dangers(&self) -> (Bitboard, Bitboard) {
        let Some(king) = self.kings[self.side] else {
            return (Bitboard::EMPTY, Bitboard::EMPTY);
        };
        let enemy = !self.side;
        let occupied = self.occupied();
        let mut checkers = self.step_attackers(enemy, king) & self.colors[enemy];
        let mut pinned = Bitboard::EMPTY;
        for sniper in self.snipers(enemy, king) {
            let between = attacks::between(king, sniper) & occupied;
            if between.is_empty() {
                checkers = checkers.with(sniper);
            } else if !between.several() {
                pinned |= between;
            }
        }
        (checkers, pinned & self.colors[self.side])
    }

    #[inline]
    fn put(&mut self, piece: Piece, square: Square) {
        let (color, kind) = (piece.color(), piece.kind());
        self.board[square.index()] = Some(piece);
        self.toggle(color, kind, square);
        if kind == Kind::King {
            self.kings[color] = Some(square);
        }
    }

    #[inline]
    fn toggle(&mut self, color: Color, kind: Kind, square: Square) {
        const GOLDS: u32 = 1 << Kind::Gold as u32
            | 1 << Kind::ProPawn as u32
            | 1 << Kind::ProLance as u32
            | 1 << Kind::ProKnight as u32
            | 1 << Kind::ProSilver as u32;
        let one = Bitboard::of(square);
        self.colors[color] ^= one;
        self.kinds[kind.index()] ^= one;
        if GOLDS >> kind.index() & 1 != 0 {
            self.golds ^= one;
        }
    }

    fn full_key(&self) -> u64 {
        let mut key = if self.side == Color::White { zobrist::white_to_move() } else { 0 };
        for square in Square::all() {
            if let Some(piece) = self.board[square.index()] {
                key ^= zobrist::piece(piece, square);
            }
        }
        key ^ self.hands_key()
    }

    fn hands_key(&self) -> u64 {
        let mut key = 0;
        for color in Color::ALL {
            for kind in Kind::HAND {
                key ^= zobrist::hand(color, kind, self.hands[color].count(kind));
            }
        }
        key
    }

    /// Distances back to earlier occurrences of the present position, nearest first.
    #[inline]
    fn recurrences(&self) -> impl Iterator<Item = usize> + '_ {
        let hand = self.hands[Color::Black];
        self.trail.earlier().filter(move |&at| self.hands_before[at] == hand).map(|at| self.trail.index() - at)
    }

    /// The game begins with the present position.
    fn begin_trail(&mut self) {
        self.trail = Trail::new(self.state.key ^ self.state.held);
        self.hands_before.clear();
        self.hands_before.push(self.hands[Color::Black]);
    }

    /// What a recurrence `back` moves ago means for the side to move, given the checks since.
    fn verdict(&self, back: usize) -> Repetition {
        let moves = (back / 2) as u16;
        let own = self.state.check_run[self.side.index()] >= moves;
        let enemy = self.state.check_run[(!self.side).index()] >= moves;
        match (own, enemy) {
            (true, false) => Repetition::Loss,
            (false, true) => Repetition::Win,
            _ => Repetition::Draw,
        }
    }

    /// Whether a piece of this kind on this square could never move again.
    #[inline]
    pub(super) fn dead_ranks(color: Color, kind: Kind) -> Bitboard {
        const LAST: [Bitboard; 2] = [Bitboard::far_ranks(Color::Black, 1), Bitboard::far_ranks(Color::White, 1)];
        const LAST_TWO: [Bitboard; 2] = [Bitboard::far_ranks(Color::Black, 2), Bitboard::far_ranks(Color::White, 2)];
        match kind {
            Kind::Pawn | Kind::Lance => LAST[color.index()],
            Kind::Knight if !R::leaps(color) => LAST_TWO[color.index()],
            _ => Bitboard::EMPTY,
        }
    }

    /// The same position with the enemy to move and no history, or `None` if that is impossible (check).
    #[cfg(test)]
    pub(super) fn board(&self) -> &[Option<Piece>; Square::COUNT] {
        &self.board
    }
}

impl<R: Rules> Position for ShogiPosition<R> {
    const TURN: u8 = 1;
    type CheckInfo = CheckInfo;

    fn variant() -> Variant {
        R::VARIANT
    }

    fn startpos(rules: &HouseRules) -> Self {
        let diagram = Diagram::parse(R::START, "b", "-", None).unwrap_or_else(|error| unreachable!("{error}"));
        Self::from_diagram(&diagram, rules).unwrap_or_else(|error| unreachable!("{error}"))
    }

    fn from_diagram(diagram: &Diagram, rules: &HouseRules) -> Result<Self, DiagramError> {
        diagram.check_set()?;
        diagram.check_nifu()?;
        if diagram.step != 1 {
            return Err(DiagramError::Step(diagram.step));
        }
        let mut position = Self {
            board: [None; Square::COUNT],
            colors: ByColor::default(),
            kinds: [Bitboard::EMPTY; Kind::COUNT],
            golds: Bitboard::EMPTY,
            hands: ByColor::default(),
            kings: ByColor::default(),
            side: diagram.side,
            played: diagram.number - 1,
            rules: *rules,
            state: State {
                key: 0,
                held: 0,
                checkers: Bitboard::EMPTY,
                pinned: Bitboard::EMPTY,
                last: Move::NONE,
                captured: None,
                check_run: [0; 2],
            },
            states: Vec::with_capacity(512),
            trail: Trail::new(0),
            hands_before: Vec::with_capacity(512),
            marker: PhantomData,
        };
        for square in Square::all() {
            if let Some(piece) = diagram.board[square.index()] {
                if Self::dead_ranks(piece.color(), piece.kind()).contains(square) {
                    return Err(DiagramError::DeadPiece { piece, square });
                }
                position.put(piece, square);
            }
        }
        for color in Color::ALL {
            for kind in Kind::HAND {
                for _ in 0..diagram.hands[color][kind.index()] {
                    position.hands[color].add(kind);
                }
            }
        }
        let waiting = !position.side;
        if let Some(king) = position.kings[waiting]
            && position.attackers(position.side, king, position.occupied()).any()
        {
            return Err(DiagramError::CheckedOutOfTurn(side_name(waiting)));
        }
        position.state.key = position.full_key();
        (position.state.checkers, position.state.pinned) = position.dangers();
        position.state.held = position.hands_key();
        position.begin_trail();
        Ok(position)
    }

    fn diagram(&self) -> Diagram {
        let mut hands = ByColor([[0; 7]; 2]);
        for color in Color::ALL {
            for kind in Kind::HAND {
                hands[color][kind.index()] = self.hands[color].count(kind);
            }
        }
        Diagram {
            board: self.board,
            hands,
            hands_omitted: self.hands.0.iter().all(|hand| hand.is_empty()),
            side: self.side,
            number: self.played + 1,
            step: 1,
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
    fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    fn hand_count(&self, color: Color, kind: Kind) -> u32 {
        self.hands[color].count(kind)
    }

    #[inline]
    fn moves_played(&self) -> u32 {
        self.played
    }

    #[inline]
    fn key(&self) -> u64 {
        self.state.key
    }

    #[inline]
    fn key_after(&self, m: Move) -> u64 {
        let us = self.side;
        let to = m.to();
        let mut key = self.state.key ^ zobrist::white_to_move();
        let mover = self.mover(m);
        let Some(from) = m.from() else {
            let held = self.hands[us].count(mover.kind());
            key ^= zobrist::hand(us, mover.kind(), held) ^ zobrist::hand(us, mover.kind(), held - 1);
            return key ^ zobrist::piece(mover, to);
        };
        key ^= zobrist::piece(mover, from);
        if let Some(victim) = self.board[to.index()] {
            let kind = victim.kind().unpromoted();
            let held = self.hands[us].count(kind);
            key ^= zobrist::hand(us, kind, held) ^ zobrist::hand(us, kind, held + 1) ^ zobrist::piece(victim, to);
        }
        key ^ zobrist::piece(self.arrival(m), to)
    }

    fn computed_key(&self) -> u64 {
        self.full_key()
    }

    fn generate(&self, stage: Stage, list: &mut MoveList) {
        self.generate_stage::<false>(stage, list);
    }

    fn generate_pruned(&self, stage: Stage, list: &mut MoveList) {
        self.generate_stage::<true>(stage, list);
    }

    fn count_legal(&self) -> usize {
        self.count_moves()
    }

    fn has_legal_move(&self) -> bool {
        self.any_move()
    }

    fn is_legal(&self, m: Move) -> bool {
        self.check_legal(m)
    }

    fn make<O: Observer>(&mut self, m: Move, observer: &mut O) {
        let us = self.side;
        let to = m.to();
        let mut key = self.state.key ^ zobrist::white_to_move();
        let mut held_change = 0;
        let after = self.arrival(m);
        self.states.push(self.state);
        self.state.captured = None;
        match m.from() {
            None => {
                let kind = after.kind();
                let held = self.hands[us].count(kind);
                self.hands[us].remove(kind);
                held_change = zobrist::hand(us, kind, held) ^ zobrist::hand(us, kind, held - 1);
                key ^= zobrist::piece(after, to);
                self.board[to.index()] = Some(after);
                self.toggle(us, kind, to);
                observer.hand(us, kind, held, held - 1);
                observer.put(after, to);
            }
            Some(from) => {
                let Some(before) = self.board[from.index()] else { unreachable!("legal moves start on a piece") };
                self.board[from.index()] = None;
                self.toggle(us, before.kind(), from);
                observer.lift(before, from);
                if let Some(victim) = self.board[to.index()] {
                    self.toggle(!us, victim.kind(), to);
                    let kind = victim.kind().unpromoted();
                    let held = self.hands[us].count(kind);
                    self.hands[us].add(kind);
                    held_change = zobrist::hand(us, kind, held) ^ zobrist::hand(us, kind, held + 1);
                    key ^= zobrist::piece(victim, to);
                    self.state.captured = Some(victim);
                    observer.lift(victim, to);
                    observer.hand(us, kind, held, held + 1);
                }
                key ^= zobrist::piece(before, from) ^ zobrist::piece(after, to);
                self.put(after, to);
                observer.put(after, to);
            }
        }
        self.side = !us;
        self.played += 1;
        (self.state.checkers, self.state.pinned) = self.dangers();
        self.state.key = key ^ held_change;
        self.state.held ^= held_change;
        self.state.last = m;
        let run = &mut self.state.check_run[us.index()];
        *run = if self.state.checkers.any() { run.saturating_add(1) } else { 0 };
        self.trail.push(self.state.key ^ self.state.held);
        self.hands_before.push(self.hands[Color::Black]);
    }

    fn unmake(&mut self) {
        let m = self.state.last;
        self.trail.pop();
        self.hands_before.pop();
        let captured = self.state.captured;
        let Some(previous) = self.states.pop() else { unreachable!("unmake follows make") };
        self.state = previous;
        self.side = !self.side;
        self.played -= 1;
        let us = self.side;
        let to = m.to();
        let Some(after) = self.board[to.index()] else { unreachable!("the moved piece is on its target") };
        self.toggle(us, after.kind(), to);
        match m.from() {
            None => {
                self.board[to.index()] = None;
                self.hands[us].add(after.kind());
            }
            Some(from) => {
                let before = if m.is_promotion() { Piece::new(us, after.kind().unpromoted()) } else { after };
                self.board[to.index()] = captured;
                if let Some(victim) = captured {
                    self.toggle(!us, victim.kind(), to);
                    self.hands[us].remove(victim.kind().unpromoted());
                }
                self.put(before, from);
            }
        }
    }

    fn make_null(&mut self) {
        debug_assert!(self.state.checkers.is_empty());
        self.states.push(self.state);
        self.side = !self.side;
        self.state.key ^= zobrist::white_to_move();
        self.state.last = Move::NULL;
        self.state.captured = None;
        (self.state.checkers, self.state.pinned) = self.dangers();
        self.trail.push_null(self.state.key ^ self.state.held);
        self.hands_before.push(self.hands[Color::Black]);
    }

    fn unmake_null(&mut self) {
        self.trail.pop_null();
        self.hands_before.pop();
        let Some(previous) = self.states.pop() else { unreachable!("unmake_null follows make_null") };
        self.state = previous;
        self.side = !self.side;
    }

    #[inline]
    fn last_move(&self) -> Move {
        self.state.last
    }

    #[inline]
    fn in_check(&self) -> bool {
        self.state.checkers.any()
    }

    fn check_info(&self) -> CheckInfo {
        let (us, enemy) = (self.side, !self.side);
        let mut info = CheckInfo {
            king: self.kings[enemy],
            squares: [Bitboard::EMPTY; Kind::COUNT],
            discoverers: Bitboard::EMPTY,
        };
        let Some(king) = info.king else { return info };
        let occupied = self.occupied();
        let squares = &mut info.squares;
        let (diagonal, straight) = (attacks::bishop(king, occupied), attacks::rook(king, occupied));
        let (gold, around) = (attacks::gold(enemy, king), attacks::king(king));
        squares[Kind::Pawn.index()] = attacks::pawn(enemy, king);
        squares[Kind::Lance.index()] = attacks::lance(enemy, king, occupied);
        squares[Kind::Knight.index()] = if R::leaps(us) { attacks::leaper(king) } else { attacks::knight(enemy, king) };
        squares[Kind::Silver.index()] = attacks::silver(enemy, king);
        squares[Kind::Bishop.index()] = diagonal;
        squares[Kind::Rook.index()] = straight;
        for kind in [Kind::Gold, Kind::ProPawn, Kind::ProLance, Kind::ProKnight, Kind::ProSilver] {
            squares[kind.index()] = gold;
        }
        if R::promoted_leaps(us) {
            squares[Kind::ProKnight.index()] |= attacks::leaper(king);
        }
        squares[Kind::Horse.index()] = diagonal | around;
        squares[Kind::Dragon.index()] = straight | around;
        info.discoverers = self.shields(us, king, occupied) & self.colors[us];
        info
    }

    #[inline]
    fn gives_check(&self, m: Move, info: &CheckInfo) -> bool {
        let Some(king) = info.king else { return false };
        let to = m.to();
        match m.from() {
            None => info.squares[m.from_index() - 81].contains(to),
            Some(from) => {
                let Some(piece) = self.board[from.index()] else { return false };
                let kind = piece.kind().index() + if m.is_promotion() { 8 } else { 0 };
                info.squares[kind].contains(to)
                    || info.discoverers.contains(from) && !attacks::line(king, from).contains(to)
            }
        }
    }

    #[inline]
    fn is_capture(&self, m: Move) -> bool {
        self.board[m.to().index()].is_some()
    }

    #[inline]
    fn gain(&self, m: Move) -> i32 {
        let captured = self.board[m.to().index()].map_or(0, |victim| VALUE[victim.kind().index()]);
        captured + if m.is_promotion() { self.promotion_gain(m) } else { 0 }
    }

    #[inline]
    fn victim(&self, m: Move) -> Option<Kind> {
        self.board[m.to().index()].map(Piece::kind)
    }

    #[inline]
    fn mover(&self, m: Move) -> Piece {
        match m.from() {
            Some(from) => self.board[from.index()].unwrap_or(Piece::new(self.side, Kind::Pawn)),
            None => Piece::new(self.side, Kind::from_index(m.from_index() - 81)),
        }
    }

    fn see_ge(&self, m: Move, threshold: i32) -> bool {
        self.exchange_ge(m, threshold)
    }

    fn quick_win(&mut self) -> Option<(Move, u32)> {
        self.mate_in_one().map(|m| (m, 1))
    }

    fn repetition(&self, ply: usize) -> Option<Repetition> {
        let mut recurrences = self.recurrences();
        let back = recurrences.next()?;
        if back <= ply {
            return Some(self.verdict(back));
        }
        recurrences.nth(OCCURRENCES - 3).map(|back| self.verdict(back))
    }

    fn dominance(&self, ply: usize) -> Option<Dominance> {
        let at = self.trail.earlier().next().filter(|&at| self.trail.index() - at <= ply)?;
        // What Black has more of White has less of: the boards are the same.
        let (now, before) = (self.hands[Color::Black], self.hands_before[at]);
        let black = self.side == Color::Black;
        match (now.dominates(before), before.dominates(now)) {
            (true, false) => Some(if black { Dominance::Better } else { Dominance::Worse }),
            (false, true) => Some(if black { Dominance::Worse } else { Dominance::Better }),
            _ => None,
        }
    }

    fn occurrences(&self) -> u32 {
        1 + self.recurrences().count() as u32
    }

    fn structure(&self) -> [u64; 4] {
        let castle = |color: Color| {
            let own = self.colors[color];
            let king = self.kings[color].map_or(0, |king| king.index() as u64);
            let minor = own & (self.kind(Kind::Silver) | self.kind(Kind::Lance) | self.kind(Kind::Knight));
            let [golds, minor] = [own & self.golds, minor].map(Bitboard::bits);
            hash([golds as u64, (golds >> 64) as u64, minor as u64, (minor >> 64) as u64, king])
        };
        let pawns = Color::ALL.map(|color| self.pieces(color, Kind::Pawn).bits());
        let kings = Color::ALL.map(|color| self.kings[color].map_or(81, |king| king.index() as u64));
        let hands = Color::ALL.map(|color| u64::from(self.hands[color].to_bits()));
        [
            hash([pawns[0] as u64, (pawns[0] >> 64) as u64, pawns[1] as u64, (pawns[1] >> 64) as u64]),
            castle(Color::Black),
            castle(Color::White),
            hash([hands[0] | hands[1] << 32, kings[0] << 8 | kings[1]]),
        ]
    }

    fn impasse(&self) -> Option<Impasse> {
        self.judge_impasse()
    }

    #[inline]
    fn impasse_winner(&self) -> Option<Color> {
        self.judge_winner()
    }

    fn result(&self) -> Option<GameResult> {
        if !self.has_legal_move() {
            let reason = if self.in_check() { Reason::Checkmate } else { Reason::NoLegalMove };
            return Some(GameResult { winner: Some(!self.side), reason });
        }
        if let Some(back) = self.recurrences().nth(OCCURRENCES - 2) {
            let (winner, reason) = match self.verdict(back) {
                Repetition::Draw => (None, Reason::Repetition),
                Repetition::Win => (Some(self.side), Reason::PerpetualCheck),
                Repetition::Loss => (Some(!self.side), Reason::PerpetualCheck),
            };
            return Some(GameResult { winner, reason });
        }
        self.limit_reached().then_some(GameResult { winner: None, reason: Reason::MoveLimit })
    }
}
