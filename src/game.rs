//! What a game is: the one place that lists the five, and the traits that search, protocol and tools are written
//! against.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::{ByColor, Color, Kind, Move, MoveList, Piece, Square, zobrist};
use crate::diagram::{Diagram, DiagramError, clip};
use crate::nnue::Evaluation;
use crate::search::{MateSearch, Params};

/// The five games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Variant {
    /// Ordinary shogi.
    #[default]
    Shogi,
    /// Eight-way knight, four-piece handicap: Black's knights leap eight ways.
    Happokei,
    /// Even game in which both sides' knights leap eight ways.
    AiHappokei,
    /// Two moves a turn, capture by trapping.
    Flanking,
    /// Nine men a side that slide, capture by trapping.
    Hasami,
}

/// A name that is none of the games.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown variant {0:?}; known are shogi, happokei, aihappokei, flanking, hasami")]
pub struct UnknownVariant(String);

impl Variant {
    /// All five.
    pub const ALL: [Self; 5] = [Self::Shogi, Self::Happokei, Self::AiHappokei, Self::Flanking, Self::Hasami];

    /// The name used in options and `variant=` tokens.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shogi => "shogi",
            Self::Happokei => "happokei",
            Self::AiHappokei => "aihappokei",
            Self::Flanking => "flanking",
            Self::Hasami => "hasami",
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Variant {
    type Err = UnknownVariant;

    /// Case, `-` and `_` do not matter; `standard` is shogi.
    fn from_str(text: &str) -> Result<Self, UnknownVariant> {
        let plain: String = text.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect();
        if plain == "standard" {
            return Ok(Self::Shogi);
        }
        Self::ALL.into_iter().find(|variant| variant.name() == plain).ok_or_else(|| UnknownVariant(clip(text)))
    }
}

/// What wins a game of hasami.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Goal {
    /// Five captures.
    #[default]
    Capture5,
    /// Three captures more than the enemy.
    Lead3,
    /// Every enemy piece.
    CaptureAll,
}

impl Goal {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Capture5, Self::Lead3, Self::CaptureAll];

    /// The name used in options and `goal=` tokens.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Capture5 => "capture5",
            Self::Lead3 => "lead3",
            Self::CaptureAll => "captureall",
        }
    }

    /// The goal of that name, without regard to case.
    pub fn from_name(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|goal| goal.name().eq_ignore_ascii_case(text))
    }
}

/// How a king that has entered the enemy camp may win; shogi only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EnteringKingRule {
    /// No such rule.
    NoEnteringKing,
    /// Declaration with 31 points.
    CsaRule24,
    /// The same, less what a handicap giver (White) misses.
    CsaRule24H,
    /// Declaration with 28 points for Black, 27 for White.
    #[default]
    CsaRule27,
    /// The same, less what a handicap giver (White) misses.
    CsaRule27H,
    /// The king on the enemy king's home square wins.
    TryRule,
    /// Claim with both kings entered: 24 points win, or draw if the enemy has them too.
    Points24,
}

impl EnteringKingRule {
    /// All seven.
    pub const ALL: [Self; 7] = [
        Self::NoEnteringKing,
        Self::CsaRule24,
        Self::CsaRule24H,
        Self::CsaRule27,
        Self::CsaRule27H,
        Self::TryRule,
        Self::Points24,
    ];

    /// The name used in the option.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoEnteringKing => "NoEnteringKing",
            Self::CsaRule24 => "CSARule24",
            Self::CsaRule24H => "CSARule24H",
            Self::CsaRule27 => "CSARule27",
            Self::CsaRule27H => "CSARule27H",
            Self::TryRule => "TryRule",
            Self::Points24 => "Points24",
        }
    }

    /// The rule of that name, without regard to case.
    pub fn from_name(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name().eq_ignore_ascii_case(text))
    }
}

/// Rules a table may choose. Games ignore those they do not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HouseRules {
    /// Hasami's goal.
    pub goal: Goal,
    /// The game is drawn once this many moves (half-moves in flanking) have been played; 0 for never.
    pub move_limit: u32,
    /// Shogi's impasse rule.
    pub entering_king: EnteringKingRule,
}

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// In check without a legal move.
    Checkmate,
    /// Without a legal move.
    NoLegalMove,
    /// Flanking: the king was trapped.
    KingFlanked,
    /// Hasami: the goal was reached.
    Goal,
    /// Fourth occurrence.
    Repetition,
    /// Fourth occurrence, one side having given check all the time.
    PerpetualCheck,
    /// The house rule.
    MoveLimit,
    /// A rightful declaration or claim.
    Declaration,
    /// Resignation.
    Resignation,
    /// A declaration or claim that the rule in force does not grant.
    IllegalDeclaration,
}

impl Reason {
    /// The words `state` prints.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::NoLegalMove => "no legal move",
            Self::KingFlanked => "king flanked",
            Self::Goal => "goal",
            Self::Repetition => "repetition",
            Self::PerpetualCheck => "perpetual check",
            Self::MoveLimit => "move limit",
            Self::Declaration => "declaration",
            Self::Resignation => "resignation",
            Self::IllegalDeclaration => "illegal declaration",
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameResult {
    /// The winner, `None` for a draw.
    pub winner: Option<Color>,
    /// Why.
    pub reason: Reason,
}

/// What the side to move may claim under the impasse rule in force.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// It has won.
    Win,
    /// It may have the game drawn.
    Draw,
}

/// The state of an impasse (jishogi) by the rule in force.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Impasse {
    /// Points of each side.
    pub points: ByColor<u32>,
    /// What the side to move may claim now.
    pub claim: Option<Claim>,
}

/// What a repetition inside the search is worth, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repetition {
    /// Drawn.
    Draw,
    /// Won: the enemy has given check all the time.
    Win,
    /// Lost: the side to move has given check all the time.
    Loss,
}

/// What the side to move has made of its hand since the board was the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dominance {
    /// It holds all that it held, and more.
    Better,
    /// It holds less.
    Worse,
}

/// Which moves to generate. Every move generated is legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Captures and, in the shogi family, pawn promotions.
    Tactical,
    /// All that [`Stage::Tactical`] leaves.
    Quiet,
    /// The quiet moves that give check; none where the game has no check.
    QuietChecks,
    /// Both of the first two; also the way out of check.
    All,
}

/// Told by a position what changes on the board, so that an evaluation can follow without the board knowing it.
pub trait Observer {
    /// A piece appears on a square.
    fn put(&mut self, piece: Piece, square: Square);
    /// A piece leaves a square.
    fn lift(&mut self, piece: Piece, square: Square);
    /// The number of pieces of a kind in a hand (captures made, in hasami) goes from `before` to `after`.
    fn hand(&mut self, color: Color, kind: Kind, before: u32, after: u32);
}

/// Watches nothing.
impl Observer for () {
    #[inline]
    fn put(&mut self, _: Piece, _: Square) {}
    #[inline]
    fn lift(&mut self, _: Piece, _: Square) {}
    #[inline]
    fn hand(&mut self, _: Color, _: Kind, _: u32, _: u32) {}
}

/// A position of a game, with the history that repetition needs.
///
/// `make` and `unmake` are strictly nested. In flanking a move is a half-move, and the side to move changes only
/// after the second one of a turn.
pub trait Position: Clone + Send + Sync + 'static {
    /// Half-moves a turn.
    const TURN: u8;

    /// What is worked out once a node to answer [`Position::gives_check`] for many moves.
    type CheckInfo;

    /// The game.
    fn variant() -> Variant;

    /// The start position.
    fn startpos(rules: &HouseRules) -> Self;

    /// The position of a diagram, if it is one of this game.
    fn from_diagram(diagram: &Diagram, rules: &HouseRules) -> Result<Self, DiagramError>;

    /// The diagram of this position; its `Display` is the SFEN.
    fn diagram(&self) -> Diagram;

    /// The house rules in force.
    fn rules(&self) -> &HouseRules;

    /// Whose turn it is.
    fn side_to_move(&self) -> Color;

    /// Which half of a turn is to be played, 1 or 2; 1 in games of one move a turn.
    fn step(&self) -> u8 {
        1
    }

    /// The piece on a square.
    fn piece_on(&self, square: Square) -> Option<Piece>;

    /// The pieces of a kind in a hand; in hasami the captures made, as pawns.
    fn hand_count(&self, color: Color, kind: Kind) -> u32;

    /// Moves (half-moves in flanking) played since the start of the game: the SFEN's move number less one, and
    /// what was made since. Null moves do not count.
    fn moves_played(&self) -> u32;

    /// Key of board, hands, side to move and half of the turn, kept up to date by `make`.
    fn key(&self) -> u64;

    /// The key after a legal move, or nearly: only good to fetch memory ahead. Exact for moves that capture nothing.
    #[inline]
    fn key_after(&self, m: Move) -> u64 {
        let before = self.mover(m);
        let mut key = self.key();
        if Self::TURN == 1 || self.step() == 2 {
            key ^= zobrist::white_to_move();
        }
        if Self::TURN == 2 {
            key ^= zobrist::second_step();
        }
        match m.from() {
            Some(from) => key ^= zobrist::piece(before, from),
            None => {
                let (color, kind) = (before.color(), before.kind());
                let held = self.hand_count(color, kind);
                key ^= zobrist::hand(color, kind, held) ^ zobrist::hand(color, kind, held - 1);
            }
        }
        key ^ zobrist::piece(self.arrival(m), m.to())
    }

    /// The same key worked out anew, for tests.
    fn computed_key(&self) -> u64;

    /// Appends the legal moves of a stage. Nothing is generated once the game is decided ([`Position::winner`]).
    fn generate(&self, stage: Stage, list: &mut MoveList);

    /// Appends every legal move that the search considers for a stage: as [`Position::generate`], less moves that
    /// are never better than another (a pawn, bishop or rook not promoting where it could).
    fn generate_pruned(&self, stage: Stage, list: &mut MoveList) {
        self.generate(stage, list);
    }

    /// The number of legal moves.
    fn count_legal(&self) -> usize {
        let mut list = MoveList::new();
        self.generate(Stage::All, &mut list);
        list.len()
    }

    /// Whether there is a legal move.
    fn has_legal_move(&self) -> bool {
        self.count_legal() > 0
    }

    /// Whether a move of whatever origin is legal here.
    fn is_legal(&self, m: Move) -> bool;

    /// Plays a legal move.
    fn make<O: Observer>(&mut self, m: Move, observer: &mut O);

    /// Takes the last move back.
    fn unmake(&mut self);

    /// Passes the whole turn; only at its start, never in check. Does not enter into repetition.
    fn make_null(&mut self);

    /// Takes a null move back.
    fn unmake_null(&mut self);

    /// The last move made, [`Move::NONE`] at the start.
    fn last_move(&self) -> Move;

    /// Whether the side to move is in check; never where the game has no check.
    fn in_check(&self) -> bool {
        false
    }

    /// See [`Position::CheckInfo`].
    fn check_info(&self) -> Self::CheckInfo;

    /// Whether a legal move gives check.
    fn gives_check(&self, m: Move, info: &Self::CheckInfo) -> bool;

    /// Whether the move captures.
    fn is_capture(&self, m: Move) -> bool;

    /// Material the move wins at once in points: what it captures (twice where captured pieces go to hand and
    /// are gone from the enemy is the evaluation's business, not this one's) and what promotion adds.
    fn gain(&self, m: Move) -> i32;

    /// The most valuable kind the move captures, for history tables.
    fn victim(&self, m: Move) -> Option<Kind>;

    /// The piece that moves or is dropped, as it was before.
    fn mover(&self, m: Move) -> Piece;

    /// The piece that a move puts on its target: promoted, if it promotes.
    #[inline]
    fn arrival(&self, m: Move) -> Piece {
        let piece = self.mover(m);
        let kind = piece.kind();
        if m.is_promotion() { Piece::new(piece.color(), kind.promoted().unwrap_or(kind)) } else { piece }
    }

    /// Whether the exchanges a move starts on its target win at least `threshold` points.
    fn see_ge(&self, m: Move, threshold: i32) -> bool;

    /// At the second half of a turn, whether this quiet move, playable before the first half, would have led to the same
    /// position had it been played first.
    #[inline]
    fn transposes(&self, _: Move) -> bool {
        false
    }

    /// Who has won by the last move's capture, whatever else the position says.
    fn winner(&self) -> Option<Color> {
        None
    }

    /// A move that starts a win which needs no reply of the enemy, and its length in half-moves: mate in one, the
    /// goal, a king captured within the turn. Exact where the game says so, never wrong.
    fn quick_win(&mut self) -> Option<(Move, u32)> {
        None
    }

    /// What a recurrence of the position means to the search `ply` half-moves below its root: an earlier occurrence
    /// since the root, or three before it.
    fn repetition(&self, ply: usize) -> Option<Repetition>;

    /// Whether the board has been the same, at most `ply` moves ago, with hands that one side has bettered since:
    /// whoever let that happen has gone in a circle and paid for it.
    #[inline]
    fn dominance(&self, _ply: usize) -> Option<Dominance> {
        None
    }

    /// How often the position has occurred, itself included.
    fn occurrences(&self) -> u32;

    /// Whether the move limit is reached.
    fn limit_reached(&self) -> bool {
        let limit = self.rules().move_limit;
        limit > 0 && self.moves_played() >= limit
    }

    /// The impasse, where the game has one.
    fn impasse(&self) -> Option<Impasse> {
        None
    }

    /// Who has won by the impasse rule in force: the side to move if it may declare, the other one if its king has
    /// reached the square of the try rule.
    fn impasse_winner(&self) -> Option<Color> {
        None
    }

    /// Hashes, good in their upper bits, of what positions with similar errors of evaluation may share: pawns, Black's
    /// castle, White's castle, hands and kings, or what stands for them in the game.
    fn structure(&self) -> [u64; 4] {
        [0; 4]
    }

    /// Whether there are pieces with which passing could not be better than moving (a condition of the null move).
    fn null_move_allowed(&self) -> bool {
        true
    }

    /// The result, if the game is over: win by capture or mate, no legal move, repetition, move limit, in that order.
    fn result(&self) -> Option<GameResult>;
}

/// An evaluation that follows a position: it is pushed before a move is made, told the changes as [`Observer`], and
/// popped after the move is taken back.
pub trait Evaluator<P: Position>: Observer + Send + 'static {
    /// One that still has to be [`Evaluator::reset`]. Those that know only one way to evaluate take no notice of what is
    /// asked for.
    fn new(evaluation: &Evaluation) -> Self;

    /// Starts anew from a position.
    fn reset(&mut self, position: &P);

    /// A move is about to be made.
    fn push(&mut self);

    /// The last move has been taken back.
    fn pop(&mut self);

    /// Score in points for the side to move, within ±20000.
    fn evaluate(&mut self, position: &P) -> i32;

    /// What it knows of a position that no network does, in points for the side to move; added to a network's score.
    fn supplement(_: &P) -> i32 {
        0
    }
}

/// A game as the search sees it.
pub trait Game: Sized + Send + Sync + 'static {
    /// Its rules.
    type Position: Position;
    /// Its evaluation.
    type Eval: Evaluator<Self::Position>;
    /// Its margins and reductions.
    const PARAMS: Params;
    /// Points that the evaluation gives for a pawn in hand, or for a man: a hundred centipawns.
    const PAWN: i32 = 100;
    /// What a win by force looks like.
    const MATE: MateSearch = MateSearch::None;
}
