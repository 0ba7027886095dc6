//! Shogi games in the CSA format, one after the other in a file.

use std::fmt::Write;

use crate::board::{Color, Kind, Move};
use crate::game::{Game, HouseRules, Position};
use crate::shogi::Shogi;
use crate::usi::{PositionSpec, Table};

use super::record::Record;

/// CSA's names of the kinds, by index.
const NAMES: [&str; Kind::COUNT] = ["FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"];

/// A game between two engines, with the line that separates it from the next; nothing if it is no game of shogi from
/// the start position.
pub fn text(game: &Record, names: [&str; 2]) -> String {
    written(game, names).unwrap_or_default()
}

fn written(game: &Record, names: [&str; 2]) -> Option<String> {
    let mut spec = PositionSpec::parse(&game.position).ok().filter(|spec| spec.diagram.is_none())?;
    let moves = std::mem::take(&mut spec.moves);
    let mut position = Table::<<Shogi as Game>::Position>::set_up(&spec, &HouseRules::default()).ok()?.position;
    let mut text = format!(
        "V2.2\nN+{}\nN-{}\n$EVENT:pair {} game {}\nPI\n+\n",
        names[game.black],
        names[1 - game.black],
        game.pair + 1,
        game.black + 1
    );
    for token in moves.iter().filter(|token| !matches!(token.as_str(), "win" | "resign")) {
        let m = Move::from_usi(token).filter(|&m| position.is_legal(m))?;
        let sign = if position.side_to_move() == Color::Black { '+' } else { '-' };
        let from = m.from().map_or("00".to_owned(), |from| format!("{}{}", from.file(), from.rank()));
        position.make(m, &mut ());
        let kind = position.piece_on(m.to())?.kind();
        let _ = writeln!(text, "{sign}{from}{}{}{}", m.to().file(), m.to().rank(), NAMES[kind.index()]);
    }
    let _ = writeln!(text, "{}\n'{}\n/", closing(game), game.ending);
    Some(text)
}

/// The special move that ends the game.
fn closing(game: &Record) -> &'static str {
    let kind = game.ending.split(" \"").next().unwrap_or_default();
    match (kind, game.winner) {
        ("resignation", _) => "%TORYO",
        ("checkmate" | "no legal move", _) => "%TSUMI",
        ("repetition", _) => "%SENNICHITE",
        ("perpetual check" | "illegal declaration", Some(Color::White)) => "%+ILLEGAL_ACTION",
        ("perpetual check" | "illegal declaration", _) => "%-ILLEGAL_ACTION",
        ("declaration", Some(_)) => "%KACHI",
        ("declaration" | "adjudication", None) => "%HIKIWAKE",
        ("move limit", _) => "%MAX_MOVES",
        ("time", _) => "%TIME_UP",
        ("illegal move", _) => "%ILLEGAL_MOVE",
        ("adjudication", Some(_)) => "%CHUDAN",
        _ => "%ERROR",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_name_the_piece_as_it_stands_after_them() {
        let game = Record {
            position: "startpos limit=320 moves 7g7f 3c3d 8h2b+ 3a2b B*5e resign".to_owned(),
            pair: 0,
            black: 1,
            winner: Some(Color::Black),
            ending: "resignation".to_owned(),
            costs: Default::default(),
        };
        assert_eq!(
            text(&game, ["one", "two"]),
            "V2.2\nN+two\nN-one\n$EVENT:pair 1 game 2\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n-3122GI\n+0055KA\n%TORYO\n\
             'resignation\n/\n"
        );
        let other = Record { position: "sfen 9/9/9/9/9/9/9/9/9 b - 1 moves".to_owned(), ..game };
        assert_eq!(text(&other, ["one", "two"]), "");
    }
}
