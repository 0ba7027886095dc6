//! The state of the game for a referee, as one line of JSON.

use crate::board::{Color, Kind};
use crate::game::{Claim, GameResult, Impasse, Position, Variant};

use super::position::Table;

/// A JSON string. Nothing here needs more than quotes and backslashes escaped.
fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn or_null(value: Option<String>) -> String {
    value.unwrap_or_else(|| "null".to_owned())
}

fn side(color: Color) -> String {
    string(&color.letter().to_string())
}

fn result(result: GameResult) -> String {
    let winner = or_null(result.winner.map(side));
    format!("{{\"winner\":{winner},\"reason\":{}}}", string(result.reason.name()))
}

fn impasse(impasse: Impasse) -> String {
    let claim = or_null(impasse.claim.map(|claim| {
        string(match claim {
            Claim::Win => "win",
            Claim::Draw => "draw",
        })
    }));
    let points = impasse.points;
    format!("{{\"b\":{},\"w\":{},\"claim\":{claim}}}", points[Color::Black], points[Color::White])
}

/// The line.
pub fn line<P: Position>(table: &Table<P>) -> String {
    let position = &table.position;
    let rules = position.rules();
    let hasami = P::variant() == Variant::Hasami;
    let legal: Vec<String> = table.legal().iter().map(|token| string(token)).collect();
    let captures = |color| position.hand_count(color, Kind::Pawn);
    let fields = [
        ("variant", string(P::variant().name())),
        ("goal", or_null(hasami.then(|| string(rules.goal.name())))),
        ("limit", or_null((rules.move_limit > 0).then(|| rules.move_limit.to_string()))),
        ("sfen", string(&position.diagram().to_string())),
        ("turn", side(position.side_to_move())),
        ("step", position.step().to_string()),
        ("movesPlayed", position.moves_played().to_string()),
        ("legal", format!("[{}]", legal.join(","))),
        ("check", position.in_check().to_string()),
        (
            "captures",
            or_null(hasami.then(|| format!("{{\"b\":{},\"w\":{}}}", captures(Color::Black), captures(Color::White)))),
        ),
        ("repetition", position.occurrences().to_string()),
        ("impasse", or_null(position.impasse().map(impasse))),
        ("result", or_null(table.result().map(result))),
    ];
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{}:{value}", string(name))).collect();
    format!("{{{}}}", fields.join(","))
}
