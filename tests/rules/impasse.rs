//! The impasse of shogi under each of the rules a table may choose.

use happo::board::Color;
use happo::game::{Claim, EnteringKingRule, Game, HouseRules, Impasse, Position};
use happo::shogi::{AiHappokei, Happokei, Shogi};

use crate::support::*;

use EnteringKingRule::*;

fn impasse<G: Game>(sfen: &str, entering_king: EnteringKingRule) -> Option<Impasse> {
    position_with::<G::Position>(sfen, &HouseRules { entering_king, ..HouseRules::default() }).impasse()
}

/// Ten pieces in the camp with 18 points, the hands to be filled in.
const BLACK_CAMP: &str = "+P+P+P+PK+P+P+P+P/R7B/9/9/9/9/9/9/4k4 b";
const WHITE_CAMP: &str = "4K4/9/9/9/9/9/9/b7r/+p+p+p+pk+p+p+p+p w";

/// Board and side, hands, the rule, points of Black and White, and the claim.
type Row = (&'static str, &'static str, EnteringKingRule, [u32; 2], Option<Claim>);

fn judge(rows: &[Row]) {
    for &(board, hands, rule, points, claim) in rows {
        let sfen = format!("{board} {hands} 1");
        let found = impasse::<Shogi>(&sfen, rule).unwrap_or_else(|| panic!("{rule:?} counts points"));
        let told = [found.points[Color::Black], found.points[Color::White]];
        assert_eq!((told, found.claim), (points, claim), "{sfen} by {rule:?}");
    }
}

const WIN: Option<Claim> = Some(Claim::Win);
const DRAW: Option<Claim> = Some(Claim::Draw);

#[test]
fn thresholds_of_a_declaration() {
    judge(&[
        (BLACK_CAMP, "RB", CsaRule27, [28, 0], WIN),
        (BLACK_CAMP, "R4P", CsaRule27, [27, 0], None),
        (BLACK_CAMP, "R4PG", CsaRule27, [28, 0], WIN),
        (WHITE_CAMP, "r4p", CsaRule27, [0, 27], WIN),
        (WHITE_CAMP, "r3p", CsaRule27, [0, 26], None),
        (BLACK_CAMP, "RB3P", CsaRule24, [31, 0], WIN),
        (BLACK_CAMP, "RB2P", CsaRule24, [30, 0], None),
        (WHITE_CAMP, "rb3p", CsaRule24, [0, 31], WIN),
        (WHITE_CAMP, "rb2p", CsaRule24, [0, 30], None),
    ]);
}

#[test]
fn conditions_of_a_declaration() {
    judge(&[
        // Nine pieces in the camp are too few, whatever the points.
        ("+P+P+P1K+P+P+P+P/R7B/9/9/9/9/9/9/4k4 b", "RB6P", CsaRule27, [33, 0], None),
        // The tenth counts on any rank of the camp, but not outside of it.
        ("+P+P+P1K+P+P+P+P/R7B/4P4/9/9/9/9/9/4k4 b", "RB", CsaRule27, [28, 0], WIN),
        ("+P+P+P1K+P+P+P+P/R7B/9/4P4/9/9/9/9/4k4 b", "RB", CsaRule27, [27, 0], None),
        // Nor do points outside of the camp count.
        ("+P+P+P+PK+P+P+P+P/R7B/9/9/9/R8/9/9/3k5 b", "B", CsaRule27, [23, 0], None),
        // The king on the fourth rank has not entered, on the third it has.
        ("+P+P+P+P1+P+P+P+P/R7B/9/4K4/9/9/9/9/4k4 b", "RB", CsaRule27, [28, 0], None),
        ("+P+P+P+P1+P+P+P+P/R7B/4K4/9/9/9/9/9/4k4 b", "RB", CsaRule27, [28, 0], WIN),
        // In check there is no declaring.
        ("+P+P+P+PK+P+P+P+P/R7B/9/9/4r4/9/9/9/4k4 b", "B5P", CsaRule27, [28, 0], None),
        ("+P+P+P+PK+P+P+P+P/R7B/9/9/3r5/9/9/9/4k4 b", "B5P", CsaRule27, [28, 0], WIN),
        // It takes the own turn, and the other side's king may be anywhere.
        ("+P+P+P+PK+P+P+P+P/R7B/9/9/9/9/9/9/4k4 w", "RB", CsaRule27, [28, 0], None),
        ("+P+P+P+PK+P+P+P+P/R7B/9/9/9/9/9/9/9 b", "RB", CsaRule27, [28, 0], WIN),
        // Promoted big pieces are big.
        ("+P+P+P+PK+P+P+P+P/+R7+B/9/9/9/9/9/9/3k5 b", "RB", CsaRule27, [28, 0], WIN),
    ]);
}

/// Two-piece handicap: White gave rook and bishop, so ten of the 54 points are missing.
#[test]
fn handicaps() {
    const WHITE: &str = "4K4/9/9/9/9/9/9/l7l/+p+p+p+pk+p+p+p+p w";
    judge(&[
        (WHITE, "RB4G4S4N2L3P7p", CsaRule27H, [27, 17], WIN),
        (WHITE, "RB4G4S4N2L4P6p", CsaRule27H, [28, 16], None),
        (WHITE, "RB4G4S4N2L3P7p", CsaRule27, [27, 17], None),
        (WHITE, "RB4G4N2L3P4s7p", CsaRule24H, [23, 21], WIN),
        (WHITE, "RB4GS4N2L3P3s7p", CsaRule24H, [24, 20], None),
        (WHITE, "RB4G4N2L3P4s7p", CsaRule24, [23, 21], None),
        // The side that received the handicap keeps its threshold.
        (BLACK_CAMP, "4G4S2N2n4l10p", CsaRule27H, [28, 16], WIN),
        (BLACK_CAMP, "4G4SN3n4l10p", CsaRule27H, [27, 17], None),
        (BLACK_CAMP, "4G4S4NP4l9p", CsaRule24H, [31, 13], WIN),
        (BLACK_CAMP, "4G4S4N4l10p", CsaRule24H, [30, 14], None),
        // Without a handicap nothing is missing.
        (WHITE_CAMP, "RB4G4S4N4L6P4p", CsaRule27H, [32, 22], None),
    ]);
}

/// The rule of the shogi page: points of board and hand, with both kings entered.
#[test]
fn claims_with_both_kings_entered() {
    const BLACK: &str = "4K4/9/9/9/9/9/9/9/4k4 b";
    const WHITE: &str = "4K4/9/9/9/9/9/9/9/4k4 w";
    judge(&[
        (BLACK, "2R2B4G4s", Points24, [24, 4], WIN),
        (BLACK, "2RB9Pb3g4s4n4l", Points24, [24, 20], WIN),
        (BLACK, "2RB9Pb4g4s4n4l2p", Points24, [24, 23], WIN),
        (BLACK, "2RB9Pb4g4s4n4l3p", Points24, [24, 24], DRAW),
        (WHITE, "2RB9Pb4g4s4n4l3p", Points24, [24, 24], DRAW),
        (BLACK, "2RB8Pb4g4s4n4l3p", Points24, [23, 24], None),
        (WHITE, "2RB8Pb4g4s4n4l3p", Points24, [23, 24], WIN),
        (WHITE, "2R2B4G4s", Points24, [24, 4], None),
    ]);
    judge(&[
        // Kings on the edge of the camps have entered, a rank further back they have not.
        ("9/9/4K4/9/9/9/4k4/9/9 b", "2R2B4G", Points24, [24, 0], WIN),
        ("9/9/9/4K4/9/9/4k4/9/9 b", "2R2B4G", Points24, [24, 0], None),
        ("9/9/4K4/9/9/4k4/9/9/9 b", "2R2B4G", Points24, [24, 0], None),
        ("9/9/4K4/9/9/9/9/9/9 b", "2R2B4G", Points24, [24, 0], None),
        // Pieces anywhere on the board count, promoted as unpromoted.
        ("4K4/9/9/9/+R3+B3+R/+P+L+N+S5/9/9/4k4 b", "B", Points24, [24, 0], WIN),
        // No claim in check.
        ("4K4/9/4r4/9/9/9/9/9/4k4 b", "R2B9P", Points24, [24, 5], None),
    ]);
}

#[test]
fn rules_without_points_grant_nothing() {
    for rule in [NoEnteringKing, TryRule] {
        for sfen in [format!("{BLACK_CAMP} RB3P 1"), format!("{WHITE_CAMP} rb3p 1")] {
            assert_eq!(impasse::<Shogi>(&sfen, rule).and_then(|impasse| impasse.claim), None, "{sfen} by {rule:?}");
        }
    }
}

#[test]
fn the_default_is_the_27_point_declaration() {
    assert_eq!(HouseRules::default().entering_king, CsaRule27);
}

#[test]
fn happokei_and_aihappokei_know_no_impasse() {
    for rule in EnteringKingRule::ALL {
        let sfen = format!("{BLACK_CAMP} RB3P 1");
        assert_eq!(impasse::<Happokei>(&sfen, rule), None);
        assert_eq!(impasse::<AiHappokei>(&sfen, rule), None);
    }
}

/// A declaration is an act of a player: it ends no game by itself.
#[test]
fn a_position_to_declare_in_goes_on() {
    let game: <Shogi as Game>::Position = position(&format!("{BLACK_CAMP} RB3P 1"));
    assert_eq!(game.impasse().and_then(|impasse| impasse.claim), WIN);
    assert_eq!(game.result(), None);
    assert!(game.has_legal_move());
}
