//! The position for people.

use std::fmt::Write;

use crate::board::{Color, Kind, Piece, Square};
use crate::game::Position;

use super::position::Table;

fn hand<P: Position>(position: &P, color: Color) -> String {
    let held: Vec<String> = Kind::HAND_SFEN
        .into_iter()
        .filter_map(|kind| {
            let count = position.hand_count(color, kind);
            (count > 0).then(|| format!("{}x{count}", Piece::new(color, kind)))
        })
        .collect();
    if held.is_empty() { "-".to_owned() } else { held.join(" ") }
}

/// Board, hands and what can be said of them.
pub fn text<P: Position>(table: &Table<P>) -> String {
    const RULE: &str = "+----+----+----+----+----+----+----+----+----+\n";
    let position = &table.position;
    let mut text = format!("White's hand: {}\n", hand(position, Color::White));
    text.push_str("  9    8    7    6    5    4    3    2    1\n");
    text.push_str(RULE);
    for rank in 1..=9 {
        for file in (1..=9).rev() {
            let piece = Square::new(file, rank).and_then(|square| position.piece_on(square));
            let _ =
                write!(text, "| {:2} ", piece.map_or_else(String::new, |piece| format!("{:>2}", piece.to_string())));
        }
        let _ = writeln!(text, "| {}", char::from(b'a' + rank as u8 - 1));
        text.push_str(RULE);
    }
    let legal = table.legal();
    let _ = writeln!(text, "Black's hand: {}", hand(position, Color::Black));
    let _ = writeln!(text, "Variant: {}", P::variant());
    let _ = writeln!(text, "Sfen: {}", position.diagram());
    let _ = writeln!(text, "Key: {:016X}", position.key());
    let _ = writeln!(text, "Check: {}", if position.in_check() { "yes" } else { "no" });
    let _ = writeln!(text, "Occurrences: {}", position.occurrences());
    if let Some(result) = table.result() {
        let winner = result.winner.map_or("nobody", crate::diagram::side_name);
        let _ = writeln!(text, "Result: {} ({winner} wins)", result.reason.name());
    }
    let _ = writeln!(text, "Legal moves, {}: {}", legal.len(), legal.join(" "));
    text
}
