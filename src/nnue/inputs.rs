//! The inputs of our own networks, game by game.
//!
//! A side's inputs are numbered as it sees the board: its own pieces move up, White's board is turned by half a turn.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::board::{Color, Kind, Piece, Square};
use crate::flanking::{Flanking, FlankingPosition};
use crate::game::{Game, Goal, Position, Variant};
use crate::hasami::{Hasami, HasamiPosition, MEN};
use crate::shogi::{Family, Rules, ShogiPosition};

use super::feature::{
    Extras, Feature, FeatureSet, Filler, HAND_PLACES, InputTable, NO_INPUT, View, first_hand_place, hand_features,
    hand_place, piece_features,
};
use super::near::{self, NEAR, NEAR_INPUTS};
use super::network::Scorer;
use super::shared::SharedNetwork;

/// The sets of inputs, by their number in files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputSet {
    /// [`ShogiInputs`] of games in which a kind moves alike for both sides.
    Shogi,
    /// [`ShogiInputs`] of happokei.
    Happokei,
    /// [`FlankingInputs`].
    Flanking,
    /// [`HasamiInputs`].
    Hasami,
}

impl InputSet {
    /// The number in files.
    pub const fn code(self) -> u8 {
        match self {
            Self::Shogi => 4,
            Self::Happokei => 6,
            Self::Hasami => 7,
            Self::Flanking => 8,
        }
    }

    /// How many of its inputs files with that number have, which come first; `None` if that is another set.
    pub fn inputs_of(self, code: u8) -> Option<usize> {
        match (self, code) {
            // The first networks had no inputs for what is near the king.
            (Self::Shogi, 1) => Some(SHOGI_NEAR),
            _ => (code == self.code()).then(|| self.inputs()),
        }
    }

    /// The set that a game uses.
    pub const fn of(variant: Variant) -> Self {
        match variant {
            Variant::Shogi | Variant::AiHappokei => Self::Shogi,
            Variant::Happokei => Self::Happokei,
            Variant::Flanking => Self::Flanking,
            Variant::Hasami => Self::Hasami,
        }
    }

    /// Inputs of one side.
    pub const fn inputs(self) -> usize {
        match self {
            Self::Shogi => SHOGI_INPUTS,
            Self::Happokei => HAPPOKEI_INPUTS,
            Self::Flanking => FLANKING_INPUTS,
            Self::Hasami => HASAMI_INPUTS,
        }
    }

    /// Output buckets; a network may also have but one.
    pub const fn buckets(self) -> usize {
        match self {
            Self::Shogi | Self::Happokei | Self::Flanking => 8,
            Self::Hasami => 4,
        }
    }

    /// For a factoriser, the factor of each input, counted from 0: a piece shares it with the same piece on all other
    /// squares, a place in a hand with the other places of its kind.
    pub fn factors(self) -> Vec<u16> {
        /// Numbers the factors by what inputs have in common.
        fn number(common: impl Iterator<Item = (usize, usize)>) -> Vec<u16> {
            let mut known = Vec::new();
            let numbered = common.map(|key| {
                let found = known.iter().position(|&other| other == key);
                found.unwrap_or_else(|| {
                    known.push(key);
                    known.len() - 1
                }) as u16
            });
            numbered.collect()
        }
        match self {
            Self::Shogi | Self::Happokei | Self::Flanking => number((0..self.inputs()).map(|input| match input {
                ..SHOGI_BOARD => (0, input / Square::COUNT),
                SHOGI_BOARD..SHOGI_NEAR => {
                    let place = (input - SHOGI_BOARD) % HAND_PLACES;
                    let owner = (input - SHOGI_BOARD) / HAND_PLACES;
                    let first = (0..=place).rev().find(|&first| first_hand_place(first)).unwrap_or(0);
                    (1 + owner, first)
                }
                SHOGI_NEAR..SHOGI_INPUTS => (3, near::common(input - SHOGI_NEAR)),
                _ if self == Self::Flanking => match input {
                    FLANKING_THREATS..FLANKING_ROOM => (4, (input - FLANKING_THREATS) / Square::COUNT),
                    FLANKING_ROOM..FLANKING_KING => (5, (input - FLANKING_ROOM) / FLANKING_ROOMS),
                    _ => (6, input),
                },
                STRONG_BOARD..STRONG_HAND => (5, (input - STRONG_BOARD) / Square::COUNT),
                STRONG_HAND..STRONG_NEAR => (6, (input - STRONG_HAND) / STRONG_HELD),
                _ => (7, (input - STRONG_NEAR) % (2 * STRONG_MEN)),
            })),
            Self::Hasami => number((0..self.inputs()).map(|input| match input {
                ..HASAMI_BOARD => (0, input / Square::COUNT),
                HASAMI_GOAL..HASAMI_OWN => (1, input),
                HASAMI_OWN..HASAMI_THREATS => (2, (input - HASAMI_OWN) / HASAMI_TO_GO),
                HASAMI_THREATS..HASAMI_ROOM => (3, (input - HASAMI_THREATS) / Square::COUNT),
                _ => (4, (input - HASAMI_ROOM) / HASAMI_ROOMS),
            })),
        }
    }

    /// The input in a set of another game that says most nearly the same; `None` if networks of that game make no
    /// beginning here.
    pub fn origin(self, other: Self, input: usize) -> Option<usize> {
        match (self, other) {
            _ if self == other => Some(input),
            (Self::Happokei, Self::Shogi) => Some(plain_input(input)),
            _ => None,
        }
    }

    /// Symmetries that the inputs themselves do not make use of: for each the input that takes the place of another.
    /// The first one changes nothing. In hasami, where men have no forward direction, files and ranks may be mirrored;
    /// elsewhere mirroring the files is part of the inputs.
    pub fn symmetries(self) -> Vec<Vec<u16>> {
        let inputs = 0..self.inputs() as u16;
        let board = |input: u16, first: usize, mirror: fn(Square) -> Square| {
            let (plane, square) =
                ((usize::from(input) - first) / Square::COUNT, (usize::from(input) - first) % Square::COUNT);
            (first + plane * Square::COUNT + mirror(Square::from_index(square)).index()) as u16
        };
        match self {
            Self::Shogi | Self::Happokei | Self::Flanking => vec![inputs.collect()],
            Self::Hasami => {
                let mirrors: [fn(Square) -> Square; 4] =
                    [|square| square, Square::mirror, |square| square.mirror().rotate(), Square::rotate];
                let of = |mirror| {
                    let map = |input| match usize::from(input) {
                        ..HASAMI_BOARD => board(input, 0, mirror),
                        HASAMI_THREATS..HASAMI_ROOM => board(input, HASAMI_THREATS, mirror),
                        _ => input,
                    };
                    inputs.clone().map(map).collect()
                };
                mirrors.into_iter().map(of).collect()
            }
        }
    }
}

/// What our own networks see of the positions of a game.
///
/// A network has one layer of accumulators, which each side fills from its own inputs, and one output for the
/// accumulators of the side to move followed by those of the other one; the bucket chooses its weights.
pub trait Inputs: FeatureSet {
    /// The number of the set.
    const SET: InputSet;
    /// Inputs of one side.
    const COUNT: usize = Self::SET.inputs();
    /// Output buckets.
    const BUCKETS: usize = Self::SET.buckets();
    /// Most inputs that are on at once for one side.
    const ACTIVE: usize;

    /// The output bucket of a position.
    fn bucket(position: &Self::Position) -> usize;

    /// How a network in the format that shogi engines share scores these positions, if it knows them.
    fn shared(_: &Arc<SharedNetwork>) -> Option<Box<dyn Scorer<Self::Position>>> {
        None
    }

    /// Calls `visit` with every input that is on for a side, each once, in no certain order.
    fn for_each(position: &Self::Position, color: Color, mut visit: impl FnMut(usize)) {
        let views = Color::ALL.map(|color| Self::view(position, color));
        let view = views[color.index()];
        Self::features(position, |feature| Self::inputs(view, feature, &mut visit));
        let extras = Self::extras(position, views)[color.index()];
        extras.places().iter().filter(|&&input| input != NO_INPUT).for_each(|&input| visit(usize::from(input)));
    }
}

/// A game that networks can be made for.
pub trait NetGame: Game {
    /// What they see.
    type Inputs: Inputs<Position = Self::Position>;
}

impl<R: Rules> NetGame for Family<R> {
    type Inputs = ShogiInputs<R>;
}

impl NetGame for Flanking {
    type Inputs = FlankingInputs;
}

impl NetGame for Hasami {
    type Inputs = HasamiInputs;
}

/// Inputs of the board in the shogi family: 14 kinds of two owners on 81 squares.
const SHOGI_BOARD: usize = 2 * Kind::COUNT * Square::COUNT;
const SHOGI_NEAR: usize = SHOGI_BOARD + 2 * HAND_PLACES;
const SHOGI_INPUTS: usize = SHOGI_NEAR + NEAR_INPUTS;

/// Piece on square: `(owner * 14 + kind) * 81 + square`, the owner being 0 for the side itself. Hands after them: `2268 +
/// owner * 38 + place`. What stands about the king is numbered by [`near`].
static SHOGI_TABLE: InputTable = shogi_table(false);
/// The same with the stronger side's men apart.
static HAPPOKEI_TABLE: InputTable = shogi_table(true);

const fn shogi_table(strong: bool) -> InputTable {
    let mut table = [[NO_INPUT; Feature::COUNT]; 4];
    let mut side = 0;
    while side < 4 {
        let view = View::of_side(side);
        let mut player = 0;
        while player < 2 {
            let owner = (player != view.color.index()) as usize;
            let color = Color::ALL[player];
            let mut kind = 0;
            while kind < Kind::COUNT {
                let piece = Piece::new(color, Kind::from_index(kind));
                let mut plane = (owner * Kind::COUNT + kind) * Square::COUNT;
                if strong && let Some(man) = strong_man(piece) {
                    plane = STRONG_BOARD + (owner * STRONG_MEN + man) * Square::COUNT;
                }
                let mut square = 0;
                while square < Square::COUNT {
                    let place = Square::from_index(square);
                    table[side][Feature::piece(piece, place).index()] = (plane + view.square(place).index()) as u16;
                    square += 1;
                }
                kind += 1;
            }
            let mut kind = 0;
            while kind < Kind::HAND.len() {
                let held = Kind::HAND[kind];
                let mut nth = 0;
                while nth < 18 {
                    let mut input = SHOGI_BOARD + owner * HAND_PLACES + hand_place(held, nth);
                    if strong && held.index() == Kind::Knight.index() && player == STRONGER.index() {
                        input = STRONG_HAND + owner * STRONG_HELD + hand_place(held, nth) - hand_place(held, 0);
                    }
                    table[side][Feature::held(color, held, nth).index()] = input as u16;
                    nth += 1;
                }
                kind += 1;
            }
            player += 1;
        }
        side += 1;
    }
    table
}

/// Happokei: the side whose knights leap eight ways.
const STRONGER: Color = Color::Black;
/// Its men that have inputs of their own there: knights, and the king, which tells the sides apart.
const STRONG_MEN: usize = 3;
/// Knights in a hand.
const STRONG_HELD: usize = 4;
const STRONG_BOARD: usize = SHOGI_INPUTS;
const STRONG_HAND: usize = STRONG_BOARD + 2 * STRONG_MEN * Square::COUNT;
const STRONG_NEAR: usize = STRONG_HAND + 2 * STRONG_HELD;
const HAPPOKEI_INPUTS: usize = STRONG_NEAR + NEAR * 2 * STRONG_MEN;

/// The number of a man of the stronger side.
#[inline]
const fn strong_man(piece: Piece) -> Option<usize> {
    if piece.color().index() != STRONGER.index() {
        return None;
    }
    match piece.kind() {
        Kind::Knight => Some(0),
        Kind::ProKnight => Some(1),
        Kind::King => Some(2),
        _ => None,
    }
}

/// The kinds of those men.
const STRONG_KINDS: [Kind; STRONG_MEN] = [Kind::Knight, Kind::ProKnight, Kind::King];

/// The input in shogi of the same piece, whoever has it.
fn plain_input(input: usize) -> usize {
    let kind = |man: usize| STRONG_KINDS[man % STRONG_MEN].index();
    match input {
        ..STRONG_BOARD => input,
        STRONG_BOARD..STRONG_HAND => {
            let (plane, square) = ((input - STRONG_BOARD) / Square::COUNT, (input - STRONG_BOARD) % Square::COUNT);
            (plane / STRONG_MEN * Kind::COUNT + kind(plane)) * Square::COUNT + square
        }
        STRONG_HAND..STRONG_NEAR => {
            let (owner, nth) = ((input - STRONG_HAND) / STRONG_HELD, (input - STRONG_HAND) % STRONG_HELD);
            SHOGI_BOARD + owner * HAND_PLACES + hand_place(Kind::Knight, nth as u32)
        }
        _ => {
            let man = input - STRONG_NEAR;
            SHOGI_NEAR + man / STRONG_MEN * Kind::COUNT + kind(man)
        }
    }
}

/// Files are exchanged for a side whose king stands on its files 6 to 9: a position and its mirror image are the same.
#[inline]
fn king_view(color: Color, king: Option<Square>) -> View {
    let mirrored = match king {
        Some(king) => {
            let file = king.file();
            match color {
                Color::Black => file > 5,
                Color::White => file < 5,
            }
        }
        None => false,
    };
    View { color, mirrored, group: king.map_or(NO_KING, |king| king.index() as u8) }
}

/// The group of a side without a king.
const NO_KING: u8 = Square::COUNT as u8;
/// Groups by the square of the king. All have the same inputs, but what is near the king differs.
const KING_GROUPS: usize = Square::COUNT + 1;

/// The input of a piece near the king.
#[inline]
fn near_input(view: View, feature: Feature) -> Option<usize> {
    let (piece, square) = feature.on_board().filter(|_| view.group != NO_KING)?;
    Some(SHOGI_NEAR + near::near(view, Square::from_index(view.group.into()), piece, square)?)
}

/// The same where the men of the stronger side are told apart.
#[inline]
fn strong_near_input(view: View, feature: Feature) -> Option<usize> {
    let input = near_input(view, feature)?;
    Some(match feature.on_board().and_then(|(piece, _)| strong_man(piece)) {
        Some(man) => STRONG_NEAR + (input - SHOGI_NEAR) / Kind::COUNT * STRONG_MEN + man,
        None => input,
    })
}

/// The games of the shogi family: 3016 inputs a side, in happokei 3654.
///
/// Piece on square, `(owner * 14 + kind) * 81 + square`, owner 0 being the side itself; filled places of the hands, `2268 +
/// owner * 38 + place`; pieces within two steps of the own king, `2344 + (place * 2 + owner) * 14 + kind`,
/// places counted file by file as the side sees them. Files are exchanged for a side whose king stands on
/// its files 6 to 9. Eight buckets by the pieces in both hands.
///
/// In happokei the knights, promoted knights and king of Black (0, 1, 2) have inputs of their own instead, whoever looks:
/// on the board `3016 + (owner * 3 + man) * 81 + square`, in hand `3502 + owner * 4 + place`, near the king
/// `3510 + (place * 2 + owner) * 3 + man`.
#[derive(Clone, Copy)]
pub struct ShogiInputs<R>(PhantomData<R>);

impl<R: Rules> ShogiInputs<R> {
    /// Whether the men of the stronger side are told apart.
    const STRONG: bool = matches!(R::VARIANT, Variant::Happokei);
}

/// Bucket by pieces in both hands.
const SHOGI_BUCKETS: [u8; 41] = [
    0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7,
];

impl<R: Rules> FeatureSet for ShogiInputs<R> {
    type Position = ShogiPosition<R>;
    const TABLE: &'static InputTable = if Self::STRONG { &HAPPOKEI_TABLE } else { &SHOGI_TABLE };
    const STRIDE: usize = 0;
    const GROUPS: usize = KING_GROUPS;
    const SECONDS: bool = true;
    type Extras = [u16; 0];

    #[inline]
    fn view(position: &Self::Position, color: Color) -> View {
        king_view(color, position.king(color))
    }

    fn features(position: &Self::Position, mut visit: impl FnMut(Feature)) {
        piece_features(position, position.occupied(), &mut visit);
        hand_features(position, visit);
    }

    #[inline]
    fn second(view: View, feature: Feature) -> Option<usize> {
        if Self::STRONG { strong_near_input(view, feature) } else { near_input(view, feature) }
    }
}

impl<R: Rules> Inputs for ShogiInputs<R> {
    const SET: InputSet = InputSet::of(R::VARIANT);
    const ACTIVE: usize = 40 + NEAR;

    #[inline]
    fn bucket(position: &Self::Position) -> usize {
        let held = position.hand(Color::Black).total() + position.hand(Color::White).total();
        usize::from(SHOGI_BUCKETS[(held as usize).min(SHOGI_BUCKETS.len() - 1)])
    }

    fn shared(network: &Arc<SharedNetwork>) -> Option<Box<dyn Scorer<Self::Position>>> {
        (R::VARIANT == Variant::Shogi).then(|| network.scorer())
    }
}

/// Flanking: 3375 inputs a side, those of the shogi family and one that is on for both sides at the second half-move of a
/// turn, 3016.
///
/// Threats of one half-move, `3017 + plane * 81 + square`: the own pieces that the enemy could capture and the enemy's that
/// the side could, up to twelve each, then the squares where a piece of the side, and one of the enemy, would capture if any
/// could get there, up to eight each. The moves on the board that the side would have, `3341 + moves / 8` up to 3352, and
/// those of the enemy from 3353. How many half-moves the side needs to capture the king, from 3365, and the enemy, from 3370.
///
/// Eight buckets: twice the class by pieces in both hands, and one more at the second half-move.
#[derive(Clone, Copy)]
pub struct FlankingInputs;

/// The input of the second half-move.
const SECOND_HALF: usize = SHOGI_INPUTS;
/// Planes of squares: the own pieces that the enemy could capture with one half-move, the enemy's, and where each side only lacks
/// a piece that gets there.
const FLANKING_THREATS: usize = SECOND_HALF + 1;
const FLANKING_PLANES: usize = 4;
/// Most squares of the first two and of the last two that are told.
const FLANKING_CAPTURABLE: usize = 12;
const FLANKING_ANCHORED: usize = 8;
/// The own moves and the enemy's, in classes of so many.
const FLANKING_ROOM: usize = FLANKING_THREATS + FLANKING_PLANES * Square::COUNT;
const FLANKING_ROOMS: usize = 12;
const FLANKING_MOVES: usize = 8;
/// The half-moves that each side needs to capture the king.
const FLANKING_KING: usize = FLANKING_ROOM + 2 * FLANKING_ROOMS;
const FLANKING_KINGS: usize = 5;
const FLANKING_INPUTS: usize = FLANKING_KING + 2 * FLANKING_KINGS;
/// Places of the inputs that depend on more than single pieces.
const FLANKING_EXTRAS: usize = 1 + 2 * FLANKING_CAPTURABLE + 2 * FLANKING_ANCHORED + 4;
/// Least pieces in both hands of each class but the first.
const FLANKING_CLASSES: [u32; 3] = [2, 6, 12];

impl FeatureSet for FlankingInputs {
    type Position = FlankingPosition;
    const TABLE: &'static InputTable = &SHOGI_TABLE;
    const STRIDE: usize = 0;
    const GROUPS: usize = KING_GROUPS;
    const SECONDS: bool = true;
    type Extras = [u16; FLANKING_EXTRAS];

    #[inline]
    fn view(position: &Self::Position, color: Color) -> View {
        king_view(color, position.king(color))
    }

    fn features(position: &Self::Position, mut visit: impl FnMut(Feature)) {
        piece_features(position, position.occupied(), &mut visit);
        hand_features(position, visit);
    }

    #[inline]
    fn second(view: View, feature: Feature) -> Option<usize> {
        near_input(view, feature)
    }

    fn extras(position: &Self::Position, views: [View; 2]) -> [Self::Extras; 2] {
        let threats = Color::ALL.map(|color| position.threats(color));
        views.map(|view| {
            let mut extras = Self::Extras::EMPTY;
            let mut filler = Filler::new(&mut extras);
            let (ours, theirs) = (threats[view.color.index()], threats[(!view.color).index()]);
            filler.fill(1, (position.step() == 2).then_some(SECOND_HALF));
            let planes = [
                (FLANKING_CAPTURABLE, theirs.capturable),
                (FLANKING_CAPTURABLE, ours.capturable),
                (FLANKING_ANCHORED, ours.anchored),
                (FLANKING_ANCHORED, theirs.anchored),
            ];
            for (plane, (places, squares)) in planes.into_iter().enumerate() {
                let first = FLANKING_THREATS + plane * Square::COUNT;
                filler.squares(places, first, squares, view);
            }
            for (owner, threats) in [ours, theirs].iter().enumerate() {
                let room = (threats.moves as usize / FLANKING_MOVES).min(FLANKING_ROOMS - 1);
                filler.fill(1, [FLANKING_ROOM + owner * FLANKING_ROOMS + room]);
                filler.fill(1, [FLANKING_KING + owner * FLANKING_KINGS + threats.king as usize]);
            }
            extras
        })
    }
}

impl Inputs for FlankingInputs {
    const SET: InputSet = InputSet::Flanking;
    const ACTIVE: usize = 40 + NEAR + FLANKING_EXTRAS;

    #[inline]
    fn bucket(position: &Self::Position) -> usize {
        let held = position.hand(Color::Black).total() + position.hand(Color::White).total();
        let class = FLANKING_CLASSES.iter().filter(|&&least| held >= least).count();
        2 * class + usize::from(position.step() == 2)
    }
}

/// Inputs of hasami's board: men of two owners on 81 squares.
const HASAMI_BOARD: usize = 2 * Square::COUNT;
/// Men that are still to be captured, told up to this many.
const HASAMI_TO_GO: usize = 9;
/// Where the goal begins, and the men still to be captured by the side itself and by the other one.
const HASAMI_GOAL: usize = HASAMI_BOARD;
const HASAMI_OWN: usize = HASAMI_GOAL + Goal::ALL.len();
const HASAMI_ENEMY: usize = HASAMI_OWN + HASAMI_TO_GO;
/// Planes of squares after them: the own men in danger, the enemy's, and where each side only lacks a man that gets there.
const HASAMI_THREATS: usize = HASAMI_ENEMY + HASAMI_TO_GO;
const HASAMI_PLANES: usize = 4;
/// Most squares of the last two that are told.
const HASAMI_ANCHORED: usize = 8;
/// The own moves and the enemy's, in classes of so many.
const HASAMI_ROOM: usize = HASAMI_THREATS + HASAMI_PLANES * Square::COUNT;
const HASAMI_ROOMS: usize = 12;
const HASAMI_MOVES: usize = 6;
const HASAMI_INPUTS: usize = HASAMI_ROOM + 2 * HASAMI_ROOMS;
/// Places of the inputs that depend on more than single men.
const HASAMI_EXTRAS: usize = 1 + 2 * HASAMI_TO_GO + 2 * MEN as usize + 2 * HASAMI_ANCHORED + 2;

static HASAMI_TABLE: InputTable = {
    let mut table = [[NO_INPUT; Feature::COUNT]; 4];
    let mut side = 0;
    while side < 4 {
        let view = View::of_side(side);
        let mut player = 0;
        while player < 2 {
            let owner = (player != view.color.index()) as usize;
            let man = Piece::new(Color::ALL[player], Kind::Pawn);
            let mut square = 0;
            while square < Square::COUNT {
                let place = Square::from_index(square);
                let input = owner * Square::COUNT + view.square(place).index();
                table[side][Feature::piece(man, place).index()] = input as u16;
                square += 1;
            }
            player += 1;
        }
        side += 1;
    }
    table
};

/// Hasami: 531 inputs a side, the same network for every goal.
///
/// Man on square, `owner * 81 + square`; the goal, one of `162..165`; the men the side itself still has to capture, one
/// input for each up to nine from 165, and those the enemy still has to, from 174. Threats, `183 + plane * 81 + square`: the
/// own men that the enemy could capture with one move, the enemy's that the side could, then the squares where a man of
/// the side, and one of the enemy, would capture if any could get there, up to eight each. The moves the side
/// would have, `507 + moves / 6` up to 518, and those of the enemy from 519. Four buckets by the captures made.
#[derive(Clone, Copy)]
pub struct HasamiInputs;

impl FeatureSet for HasamiInputs {
    type Position = HasamiPosition;
    const TABLE: &'static InputTable = &HASAMI_TABLE;
    const STRIDE: usize = HASAMI_INPUTS;
    const GROUPS: usize = 1;
    type Extras = [u16; HASAMI_EXTRAS];

    #[inline]
    fn view(_: &Self::Position, color: Color) -> View {
        View { color, mirrored: false, group: 0 }
    }

    fn features(position: &Self::Position, mut visit: impl FnMut(Feature)) {
        for color in Color::ALL {
            let man = Piece::new(color, Kind::Pawn);
            position.men(color).into_iter().for_each(|square| visit(Feature::piece(man, square)));
        }
    }

    fn extras(position: &Self::Position, views: [View; 2]) -> [Self::Extras; 2] {
        let threats = Color::ALL.map(|color| position.threats(color));
        views.map(|view| {
            let (us, them) = (view.color, !view.color);
            let (ours, theirs) = (threats[us.index()], threats[them.index()]);
            let mut extras = Self::Extras::EMPTY;
            let mut filler = Filler::new(&mut extras);
            filler.fill(1, [HASAMI_GOAL + position.rules().goal as usize]);
            for (first, side) in [(HASAMI_OWN, us), (HASAMI_ENEMY, them)] {
                filler.fill(HASAMI_TO_GO, (first..).take(position.men_to_goal(side) as usize));
            }
            let planes = [
                (MEN as usize, theirs.capturable),
                (MEN as usize, ours.capturable),
                (HASAMI_ANCHORED, ours.anchored),
                (HASAMI_ANCHORED, theirs.anchored),
            ];
            for (plane, (places, squares)) in planes.into_iter().enumerate() {
                let first = HASAMI_THREATS + plane * Square::COUNT;
                filler.squares(places, first, squares, view);
            }
            for (owner, threats) in [ours, theirs].iter().enumerate() {
                let room = (threats.moves as usize / HASAMI_MOVES).min(HASAMI_ROOMS - 1);
                filler.fill(1, [HASAMI_ROOM + owner * HASAMI_ROOMS + room]);
            }
            extras
        })
    }
}

impl Inputs for HasamiInputs {
    const SET: InputSet = InputSet::Hasami;
    const ACTIVE: usize = 2 * MEN as usize + HASAMI_EXTRAS;

    #[inline]
    fn bucket(position: &Self::Position) -> usize {
        let made = position.captures(Color::Black) + position.captures(Color::White);
        (made as usize / 2).min(Self::BUCKETS - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Move, MoveList};
    use crate::game::{HouseRules, Stage};
    use crate::games::{ForGame, for_game};
    use crate::random::Random;

    fn inputs<G: NetGame>(position: &G::Position, color: Color) -> Vec<usize> {
        let mut list = Vec::new();
        G::Inputs::for_each(position, color, |input| list.push(input));
        list.sort_unstable();
        list
    }

    fn walk<G: NetGame>(rules: &HouseRules, plies: usize, mut visit: impl FnMut(&G::Position)) {
        let mut random = Random::new(7);
        let mut position = G::Position::startpos(rules);
        for _ in 0..plies {
            let mut list = MoveList::new();
            position.generate(Stage::All, &mut list);
            if list.is_empty() || position.winner().is_some() {
                position = G::Position::startpos(rules);
                continue;
            }
            let m: Move = list[random.below(list.len())];
            position.make(m, &mut ());
            visit(&position);
        }
    }

    #[test]
    fn inputs_are_distinct_and_in_range() {
        struct Check(HouseRules);
        impl ForGame for Check {
            type Output = ();
            fn run<G: NetGame>(self) {
                let mut buckets = vec![0; G::Inputs::BUCKETS];
                walk::<G>(&self.0, 2000, |position| {
                    buckets[G::Inputs::bucket(position)] += 1;
                    for color in Color::ALL {
                        let list = inputs::<G>(position, color);
                        assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "{list:?}");
                        assert!(list.last().is_none_or(|&last| last < G::Inputs::COUNT), "{list:?}");
                        assert!(list.len() <= G::Inputs::ACTIVE);
                    }
                });
                assert!(buckets.iter().filter(|&&count| count > 0).count() > 2, "{buckets:?}");
            }
        }
        for variant in Variant::ALL {
            for goal in Goal::ALL {
                for_game(variant, Check(HouseRules { goal, ..HouseRules::default() }));
            }
        }
    }

    #[test]
    fn factors_and_symmetries_fit_the_inputs() {
        let shogi = 28 + 14 + 28;
        for (set, count) in [
            (InputSet::Shogi, shogi),
            (InputSet::Happokei, shogi + 6 + 2 + 6),
            (InputSet::Flanking, shogi + 1 + 4 + 2 + 10),
            (InputSet::Hasami, 2 + 3 + 2 + 4 + 2),
        ] {
            let factors = set.factors();
            assert_eq!(factors.len(), set.inputs());
            let mut seen = factors.clone();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen, (0..count).collect::<Vec<u16>>(), "{set:?}");
            for (number, symmetry) in set.symmetries().iter().enumerate() {
                // Each is its own inverse and keeps the factors.
                for (input, &image) in symmetry.iter().enumerate() {
                    assert_eq!(usize::from(symmetry[usize::from(image)]), input, "{set:?} {number}");
                    assert_eq!(factors[usize::from(image)], factors[input], "{set:?} {number}");
                }
                assert_eq!(number == 0, symmetry.is_sorted());
            }
        }
        // Two pawns in one hand share a factor; so do not a pawn and a lance, nor the pawns of both hands.
        let factors = InputSet::Shogi.factors();
        assert_eq!(factors[SHOGI_BOARD], factors[SHOGI_BOARD + 17]);
        assert_ne!(factors[SHOGI_BOARD], factors[SHOGI_BOARD + 18]);
        assert_ne!(factors[SHOGI_BOARD], factors[SHOGI_BOARD + HAND_PLACES]);
    }

    #[test]
    fn happokei_begins_with_what_shogi_has_learnt() {
        use crate::shogi::{Happokei, Shogi};
        let (mut compared, mut own) = (0, 0);
        let rules = HouseRules::default();
        walk::<Shogi>(&rules, 2000, |shogi| {
            // With knights that leap eight ways, some of them are no positions.
            let Ok(happokei) = <Happokei as Game>::Position::from_diagram(&shogi.diagram(), &rules) else { return };
            for color in Color::ALL {
                let list = inputs::<Happokei>(&happokei, color);
                let origin = |&input: &usize| InputSet::Happokei.origin(InputSet::Shogi, input).unwrap();
                let mut origins: Vec<usize> = list.iter().map(origin).collect();
                origins.sort_unstable();
                assert_eq!(origins, inputs::<Shogi>(shogi, color));
                own += list.iter().filter(|&&input| input >= SHOGI_INPUTS).count();
                compared += 1;
            }
        });
        assert!(compared > 3000 && own > 2 * compared, "{compared} {own}");
        assert_eq!(InputSet::Flanking.origin(InputSet::Shogi, 0), None);
    }

    #[test]
    fn the_start_looks_the_same_from_both_sides() {
        struct Check;
        impl ForGame for Check {
            type Output = ();
            fn run<G: NetGame>(self) {
                let position = G::Position::startpos(&HouseRules::default());
                let [black, white] = Color::ALL.map(|color| inputs::<G>(&position, color));
                assert_eq!(black == white, G::Position::variant() != Variant::Happokei);
            }
        }
        for variant in Variant::ALL {
            for_game(variant, Check);
        }
    }

    #[test]
    fn inputs_of_a_position_as_documented() {
        use crate::diagram::Diagram;
        use crate::shogi::Shogi;
        let diagram = Diagram::parse("4k4/9/9/9/9/9/9/9/8K", "b", "2Pg", None).unwrap();
        let position = <Shogi as Game>::Position::from_diagram(&diagram, &HouseRules::default()).unwrap();
        let king = Kind::King.index();
        // Black's king on 1i, White's on 5a; two pawns and, for White, a gold in hand.
        assert_eq!(
            inputs::<Shogi>(&position, Color::Black),
            [king * 81 + 8, (14 + king) * 81 + 36, 2268, 2269, 2268 + 38 + 30]
        );
        // White sees its own king on 5i and the other one on 9a.
        assert_eq!(
            inputs::<Shogi>(&position, Color::White),
            [king * 81 + 44, (14 + king) * 81 + 72, 2268 + 30, 2268 + 38, 2268 + 39]
        );
    }
}
