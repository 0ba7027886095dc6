//! A game for tests: every piece steps one square up, down or sideways, onto enemies too; taking the king wins.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::board::{Color, Kind, Move, MoveList, Piece, Square};
use crate::diagram::{Diagram, DiagramError};
use crate::game::{
    Claim, EnteringKingRule, Evaluator, Game, GameResult, HouseRules, Impasse, Observer, Position, Reason, Repetition,
    Stage, Variant,
};
use crate::nnue::Evaluation;
use crate::search::Params;

/// Passes for shogi with one half-move a turn, for flanking with two.
pub struct Toy<const HALVES: u8>;

/// The diagrams from the start to now, with the moves that led to them.
#[derive(Clone)]
pub struct ToyPosition<const HALVES: u8> {
    rules: HouseRules,
    past: Vec<(Diagram, Move)>,
    now: Diagram,
    last: Move,
}

#[derive(Clone)]
pub struct ToyEval;

impl<const HALVES: u8> Game for Toy<HALVES> {
    type Position = ToyPosition<HALVES>;
    type Eval = ToyEval;
    const PARAMS: Params = Params::SHOGI;
}

impl Observer for ToyEval {
    fn put(&mut self, _: Piece, _: Square) {}
    fn lift(&mut self, _: Piece, _: Square) {}
    fn hand(&mut self, _: Color, _: Kind, _: u32, _: u32) {}
}

impl<P: Position> Evaluator<P> for ToyEval {
    fn new(_: &Evaluation) -> Self {
        Self
    }
    fn reset(&mut self, _: &P) {}
    fn push(&mut self) {}
    fn pop(&mut self) {}
    fn evaluate(&mut self, _: &P) -> i32 {
        0
    }
}

impl<const HALVES: u8> ToyPosition<HALVES> {
    fn same(a: &Diagram, b: &Diagram) -> bool {
        (&a.board, a.side, a.step) == (&b.board, b.side, b.step)
    }
}

impl<const HALVES: u8> Position for ToyPosition<HALVES> {
    const TURN: u8 = HALVES;
    type CheckInfo = ();

    fn variant() -> Variant {
        if HALVES == 2 { Variant::Flanking } else { Variant::Shogi }
    }

    fn startpos(rules: &HouseRules) -> Self {
        let board = "4k4/9/9/9/9/9/9/9/4K4";
        let now = Diagram::parse(board, "b", "-", None).unwrap_or_else(|_| unreachable!());
        Self { rules: *rules, past: Vec::new(), now, last: Move::NONE }
    }

    fn from_diagram(diagram: &Diagram, rules: &HouseRules) -> Result<Self, DiagramError> {
        diagram.check_set()?;
        Ok(Self { rules: *rules, past: Vec::new(), now: diagram.clone(), last: Move::NONE })
    }

    fn diagram(&self) -> Diagram {
        self.now.clone()
    }

    fn rules(&self) -> &HouseRules {
        &self.rules
    }

    fn side_to_move(&self) -> Color {
        self.now.side
    }

    fn step(&self) -> u8 {
        self.now.step
    }

    fn piece_on(&self, square: Square) -> Option<Piece> {
        self.now.board.get(square.index()).copied().flatten()
    }

    fn hand_count(&self, _: Color, _: Kind) -> u32 {
        0
    }

    fn moves_played(&self) -> u32 {
        self.now.number - 1
    }

    fn key(&self) -> u64 {
        self.computed_key()
    }

    fn computed_key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.now.board, self.now.side, self.now.step).hash(&mut hasher);
        hasher.finish()
    }

    fn generate(&self, stage: Stage, list: &mut MoveList) {
        if self.winner().is_some() {
            return;
        }
        let wanted = |capture| match stage {
            Stage::All => true,
            Stage::Tactical => capture,
            Stage::Quiet => !capture,
            Stage::QuietChecks => false,
        };
        for from in Square::all().filter(|&from| self.piece_on(from).is_some_and(|p| p.color() == self.now.side)) {
            for (df, dr) in [(0, -1), (0, 1), (1, 0), (-1, 0)] {
                let Some(to) = Square::new(from.file() + df, from.rank() + dr) else { continue };
                let victim = self.piece_on(to);
                if victim.is_none_or(|piece| piece.color() != self.now.side) && wanted(victim.is_some()) {
                    list.push(Move::new(from, to));
                }
            }
        }
    }

    fn is_legal(&self, m: Move) -> bool {
        let mut list = MoveList::new();
        self.generate(Stage::All, &mut list);
        list.contains(&m)
    }

    fn make<O: Observer>(&mut self, m: Move, _: &mut O) {
        self.past.push((self.now.clone(), self.last));
        if let Some(from) = m.from() {
            self.now.board.swap(from.index(), m.to().index());
            let _ = self.now.board.get_mut(from.index()).map(|place| *place = None);
        }
        self.last = m;
        self.now.number += 1;
        if self.winner().is_none() && self.now.step < HALVES {
            self.now.step += 1;
        } else {
            self.now.step = 1;
            self.now.side = !self.now.side;
        }
    }

    fn unmake(&mut self) {
        if let Some((now, last)) = self.past.pop() {
            (self.now, self.last) = (now, last);
        }
    }

    fn make_null(&mut self) {}

    fn unmake_null(&mut self) {}

    fn last_move(&self) -> Move {
        self.last
    }

    fn check_info(&self) {}

    fn gives_check(&self, _: Move, (): &()) -> bool {
        false
    }

    fn is_capture(&self, m: Move) -> bool {
        self.piece_on(m.to()).is_some()
    }

    fn gain(&self, _: Move) -> i32 {
        0
    }

    fn victim(&self, m: Move) -> Option<Kind> {
        self.piece_on(m.to()).map(Piece::kind)
    }

    fn mover(&self, m: Move) -> Piece {
        m.from().and_then(|from| self.piece_on(from)).unwrap_or(Piece::new(Color::Black, Kind::Pawn))
    }

    fn see_ge(&self, _: Move, _: i32) -> bool {
        true
    }

    fn winner(&self) -> Option<Color> {
        let has_king = |color| self.now.board.contains(&Some(Piece::new(color, Kind::King)));
        match (has_king(Color::Black), has_king(Color::White)) {
            (true, false) => Some(Color::Black),
            (false, true) => Some(Color::White),
            _ => None,
        }
    }

    fn repetition(&self, _: usize) -> Option<Repetition> {
        (self.occurrences() > 1).then_some(Repetition::Draw)
    }

    fn occurrences(&self) -> u32 {
        1 + self.past.iter().filter(|(diagram, _)| Self::same(diagram, &self.now)).count() as u32
    }

    /// Each rank the king has moved up is a point; nine of them are a claim.
    fn impasse(&self) -> Option<Impasse> {
        if HALVES == 2 || self.rules.entering_king == EnteringKingRule::NoEnteringKing {
            return None;
        }
        let mut points = crate::board::ByColor([0, 0]);
        for (square, piece) in Square::all().zip(self.now.board) {
            if let Some(piece) = piece.filter(|piece| piece.kind() == Kind::King) {
                points[piece.color()] = 10 - square.relative_rank(piece.color()) as u32;
            }
        }
        Some(Impasse { points, claim: (points[self.now.side] >= 9).then_some(Claim::Win) })
    }

    fn result(&self) -> Option<GameResult> {
        let over = |winner, reason| Some(GameResult { winner, reason });
        if self.winner().is_some() {
            over(self.winner(), Reason::KingFlanked)
        } else if !self.has_legal_move() {
            over(Some(!self.now.side), Reason::NoLegalMove)
        } else if self.occurrences() >= 4 {
            over(None, Reason::Repetition)
        } else if self.limit_reached() {
            over(None, Reason::MoveLimit)
        } else {
            None
        }
    }
}
