//! What stands about the own king: pieces by their place as seen from it, wherever it is.
//!
//! An attack looks the same in every corner of the board; inputs of pieces on squares alone would have to learn it for
//! each of them. The other king is the other side's business.

use crate::board::{Color, Kind, Piece, Square};

use super::feature::{NO_INPUT, View};

/// Places about a king: two steps in every direction.
pub const NEAR: usize = 24;
/// Inputs of a side: 24 places, 28 pieces.
pub const NEAR_INPUTS: usize = NEAR * OWNED;
/// Pieces of both owners.
const OWNED: usize = 2 * Kind::COUNT;

/// Stands for no place in [`PLACES`].
const FAR: u8 = NEAR as u8;

/// The place of a square about another one, file by file; [`FAR`] if it is none.
static PLACES: [[u8; Square::COUNT]; Square::COUNT] = {
    let mut table = [[FAR; Square::COUNT]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let center = Square::from_index(index);
        let mut step = 0;
        while step <= NEAR {
            let (files, ranks) = (step as i8 / 5 - 2, step as i8 % 5 - 2);
            if let Some(square) = Square::new(center.file() + files, center.rank() + ranks)
                && step != NEAR / 2
            {
                table[index][square.index()] = if step < NEAR / 2 { step } else { step - 1 } as u8;
            }
            step += 1;
        }
        index += 1;
    }
    table
};

/// Input by [`View::side`], place and piece: `(place * 2 + owner) * 14 + kind`, the place being the one that the side sees
/// and owner 0 the side itself. The king is not about itself.
static INPUTS: [[[u16; Piece::COUNT]; NEAR]; 4] = {
    let mut table = [[[NO_INPUT; Piece::COUNT]; NEAR]; 4];
    let mut side = 0;
    while side < 4 {
        let view = View::of_side(side);
        let mut entry = 0;
        while entry < NEAR_INPUTS {
            let kind = entry % Kind::COUNT;
            let player = entry / Kind::COUNT % 2;
            let place = entry / OWNED;
            let owner = (player != view.color.index()) as usize;
            if kind != Kind::King.index() || owner != 0 {
                // Half a turn reverses the order of the places, mirroring that of the files.
                let turned = if view.color.index() == 0 { place } else { NEAR - 1 - place };
                let seen = if view.mirrored { mirrored(turned) } else { turned };
                let input = (seen * 2 + owner) * Kind::COUNT + kind;
                table[side][place][Piece::new(Color::ALL[player], Kind::from_index(kind)).index()] = input as u16;
            }
            entry += 1;
        }
        side += 1;
    }
    table
};

/// The place in the mirror.
const fn mirrored(place: usize) -> usize {
    let step = if place < NEAR / 2 { place } else { place + 1 };
    let step = (4 - step / 5) * 5 + step % 5;
    if step > NEAR / 2 { step - 1 } else { step }
}

/// The input of a piece about a king, from 0; `None` if it is too far away.
#[inline]
pub fn near(view: View, king: Square, piece: Piece, square: Square) -> Option<usize> {
    let place = PLACES[king.index()][square.index()];
    let input = INPUTS[view.side()].get(usize::from(place))?[piece.index()];
    (input != NO_INPUT).then_some(usize::from(input))
}

/// For a factoriser: what the inputs of a piece about the king have in common, whatever the place.
pub const fn common(input: usize) -> usize {
    input % OWNED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_turned_and_mirrored_as_squares_are() {
        let mut places = 0;
        for (king, square) in Square::all().flat_map(|king| Square::all().map(move |square| (king, square))) {
            let place = |king: Square, square: Square| PLACES[king.index()][square.index()];
            let found = place(king, square);
            assert_eq!(found != FAR, (1..=2).contains(&king.distance(square)));
            if found != FAR {
                places += 1;
                assert_eq!(usize::from(place(king.rotate(), square.rotate())), NEAR - 1 - usize::from(found));
                assert_eq!(usize::from(place(king.mirror(), square.mirror())), mirrored(found.into()));
            }
        }
        assert_eq!(places, 39 * 39 - 81);
    }

    #[test]
    fn inputs_are_distinct() {
        for table in &INPUTS {
            let mut all: Vec<u16> = table.as_flattened().iter().copied().filter(|&input| input != NO_INPUT).collect();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!((all.len(), count), (NEAR_INPUTS - NEAR, NEAR_INPUTS - NEAR));
            assert!(all.iter().all(|&input| usize::from(input) < NEAR_INPUTS));
        }
    }
}
