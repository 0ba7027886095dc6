//! A position of shogi in 256 bits: PackedSfen and HuffmanCodedPos.
//!
//! Both write the same things in the same order. Bits fill the bytes from the lowest one up, and so numbers are written
//! with their lowest bit first:
//!
//! | bits | what |
//! |---|---|
//! | 1 | side to move: 0 Black, 1 White |
//! | 7, 7 | squares of Black's and of White's king, numbered as [`Square`] numbers them |
//! | 1 to 8 each | the other 79 squares in that order, those of the kings left out: a word of the table below |
//! | 3 to 7 each | the pieces in Black's hand, then in White's, by kind: P L N S G B R |
//! | 3 to 7 each | the pieces of a set that are not in play, as in handicaps ("piece box"), by kind likewise |
//!
//! The words, first bit first. `+` stands for the bit of promotion and `c` for that of the owner (1 for White):
//!
//! | | on the board | in hand | not in play |
//! |---|---|---|---|
//! | empty square | `0` | | |
//! | pawn | `10+c` | `00c` | `010` |
//! | lance | `1100+c` | `1000c` | `10010` |
//! | knight | `1101+c`, HCP `1110c+` | `1010c`, HCP `1100c` | `10110`, HCP `11010` |
//! | silver | `1110+c`, HCP `1101c+` | `1100c`, HCP `1010c` | `11010`, HCP `10110` |
//! | gold | `11110c` | `1110c` | `11011`, HCP `10111` |
//! | bishop | `111110+c` | `111100c`, HCP `111110c` | `1111010`, HCP `1111000` |
//! | rook | `111111+c` | `111110c`, HCP `111111c` | `1111110`, HCP `1111010` |
//!
//! In HuffmanCodedPos the owner's bit comes before that of promotion with all kinds.
//!
//! A piece takes as many bits in hand or out of play as it adds on the board to the one of an empty square. So a set with
//! both kings always takes exactly 256 bits, and a position without one of the kings does not fit.

use crate::board::{ByColor, Color, Kind, Piece, Square};
use crate::diagram::{Diagram, DiagramError, side_name};

use super::PackedError;

/// Bytes of a position.
pub const SIZE: usize = 32;

/// The same in bits.
const BITS: usize = 8 * SIZE;

/// Kinds in the order in which pieces off the board are written.
const ORDER: [Kind; 7] = [Kind::Pawn, Kind::Lance, Kind::Knight, Kind::Silver, Kind::Gold, Kind::Bishop, Kind::Rook];

/// Most bits of a word of the board, flags left out, and of one of the hands.
const LOOK: [u32; 2] = [6, 7];

/// The position that a longer record begins with.
pub(super) fn first<const N: usize>(record: &[u8; N]) -> &[u8; SIZE] {
    const { assert!(N >= SIZE) };
    record.first_chunk().unwrap_or(&[0; SIZE])
}

/// A word of a code.
#[derive(Clone, Copy)]
struct Word {
    /// Its bits, the first one lowest.
    bits: u8,
    length: u8,
}

impl Word {
    const EMPTY: Self = Self { bits: 0, length: 1 };

    const fn new(text: &str) -> Self {
        let text = text.as_bytes();
        let mut bits = 0;
        let mut at = 0;
        while at < text.len() {
            bits |= (text[at] - b'0') << at;
            at += 1;
        }
        Self { bits, length: text.len() as u8 }
    }

    /// The word with one more bit.
    const fn with(self, bit: bool) -> Self {
        Self { bits: self.bits | (bit as u8) << self.length, length: self.length + 1 }
    }

    /// Puts what the word means wherever a look at the next bits finds the word.
    const fn enter<T: Copy, const N: usize>(self, table: &mut [Option<(T, u8)>; N], meaning: T) {
        let mut at = self.bits as usize;
        while at < N {
            table[at] = Some((meaning, self.length));
            at += 1 << self.length;
        }
    }
}

/// A piece off the board: its kind and, if it is in a hand, whose.
type Held = (Kind, Option<Color>);

/// One of the two codes.
pub struct Code {
    /// By kind index, as are the others; without flags.
    board: [Word; 7],
    /// Without the owner.
    hand: [Word; 7],
    spare: [Word; 7],
    /// Whether the owner is told before promotion.
    owner_first: bool,
    /// What the next bits mean on the board (`None` inside: an empty square), and the length of the word.
    board_words: [Option<(Option<Kind>, u8)>; 1 << LOOK[0]],
    /// The same behind the board.
    held_words: [Option<(Held, u8)>; 1 << LOOK[1]],
}

/// The code of PackedSfen.
pub static PACKED_SFEN: Code = Code::new(
    ["10", "1100", "1101", "1110", "111110", "111111", "11110"],
    ["00", "1000", "1010", "1100", "111100", "111110", "1110"],
    ["010", "10010", "10110", "11010", "1111010", "1111110", "11011"],
    false,
);

/// The code of HuffmanCodedPos.
pub static HCP: Code = Code::new(
    ["10", "1100", "1110", "1101", "111110", "111111", "11110"],
    ["00", "1000", "1100", "1010", "111110", "111111", "1110"],
    ["010", "10010", "11010", "10110", "1111000", "1111010", "10111"],
    true,
);

impl Code {
    const fn new(board: [&str; 7], hand: [&str; 7], spare: [&str; 7], owner_first: bool) -> Self {
        let mut code = Self {
            board: [Word::EMPTY; 7],
            hand: [Word::EMPTY; 7],
            spare: [Word::EMPTY; 7],
            owner_first,
            board_words: [None; 1 << LOOK[0]],
            held_words: [None; 1 << LOOK[1]],
        };
        Word::EMPTY.enter(&mut code.board_words, None);
        let mut index = 0;
        while index < 7 {
            let kind = Kind::HAND[index];
            let [on_board, held, off] = [Word::new(board[index]), Word::new(hand[index]), Word::new(spare[index])];
            let flags = if matches!(kind, Kind::Gold) { 1 } else { 2 };
            assert!(on_board.length + flags - Word::EMPTY.length == off.length && held.length + 1 == off.length);
            on_board.enter(&mut code.board_words, Some(kind));
            held.with(false).enter(&mut code.held_words, (kind, Some(Color::Black)));
            held.with(true).enter(&mut code.held_words, (kind, Some(Color::White)));
            off.enter(&mut code.held_words, (kind, None));
            code.board[index] = on_board;
            code.hand[index] = held;
            code.spare[index] = off;
            index += 1;
        }
        code
    }

    /// The bits of a position; its number of moves is not among them.
    pub fn pack(&self, diagram: &Diagram) -> Result<[u8; SIZE], PackedError> {
        diagram.check_set()?;
        let mut bits = Writer::default();
        bits.write(Word { bits: u8::from(diagram.side == Color::White), length: 1 });
        for color in Color::ALL {
            let king = Some(Piece::new(color, Kind::King));
            let square = diagram.board.iter().position(|&piece| piece == king);
            let square = square.ok_or(DiagramError::NoKing(side_name(color)))?;
            bits.write(Word { bits: square as u8, length: 7 });
        }
        for piece in diagram.board {
            match piece {
                None => bits.write(Word::EMPTY),
                Some(piece) if piece.kind() == Kind::King => {}
                Some(piece) => bits.write(self.word(piece)),
            }
        }
        for color in Color::ALL {
            for kind in ORDER {
                let word = self.hand[kind.index()].with(color == Color::White);
                (0..diagram.hands[color][kind.index()]).for_each(|_| bits.write(word));
            }
        }
        for kind in ORDER {
            let missing = Diagram::SET[kind.index()] - diagram.total(kind);
            (0..missing).for_each(|_| bits.write(self.spare[kind.index()]));
        }
        debug_assert_eq!(bits.at, BITS);
        Ok(bits.bytes)
    }

    fn word(&self, piece: Piece) -> Word {
        let (kind, white) = (piece.kind(), piece.color() == Color::White);
        let word = self.board[kind.unpromoted().index()];
        match kind {
            Kind::Gold => word.with(white),
            _ if self.owner_first => word.with(white).with(kind.is_promoted()),
            _ => word.with(kind.is_promoted()).with(white),
        }
    }

    /// The position of such bits: a whole set, both kings on squares. Whether shogi has the position is not looked at.
    pub fn unpack(&self, bytes: &[u8; SIZE]) -> Result<Diagram, PackedError> {
        let mut bits = Reader { bytes, at: 0 };
        let side = if bits.flag() { Color::White } else { Color::Black };
        let mut board = [None; Square::COUNT];
        for color in Color::ALL {
            let square = bits.take(7);
            let place = board.get_mut(square).ok_or(PackedError::KingSquare(side_name(color), square))?;
            if place.replace(Piece::new(color, Kind::King)).is_some() {
                return Err(PackedError::KingsMeet);
            }
        }
        for place in board.iter_mut().filter(|place| place.is_none()) {
            *place = self.read_piece(&mut bits)?;
        }
        let hands = ByColor([[0; 7]; 2]);
        let mut diagram = Diagram { board, hands, hands_omitted: false, side, number: 1, step: 1 };
        let mut spare = [0; 7];
        while bits.at < BITS {
            let start = bits.at;
            let ((kind, owner), length) = self.held_words[bits.peek(LOOK[1])].ok_or(PackedError::Word(start))?;
            bits.at += usize::from(length);
            match owner {
                Some(color) => diagram.hands[color][kind.index()] += 1,
                None => spare[kind.index()] += 1,
            }
        }
        if bits.at > BITS {
            return Err(PackedError::Overrun);
        }
        diagram.hands_omitted = diagram.hands.0 == [[0; 7]; 2];
        for kind in ORDER {
            let (found, set) = (diagram.total(kind) + spare[kind.index()], Diagram::SET[kind.index()]);
            if found != set {
                return Err(PackedError::Set { kind: kind.letter(), found, set });
            }
        }
        Ok(diagram)
    }

    fn read_piece(&self, bits: &mut Reader) -> Result<Option<Piece>, PackedError> {
        let (kind, length) = self.board_words[bits.peek(LOOK[0])].ok_or(PackedError::Word(bits.at))?;
        bits.at += usize::from(length);
        let Some(kind) = kind else { return Ok(None) };
        let (white, promoted) = match kind {
            Kind::Gold => (bits.flag(), false),
            _ if self.owner_first => (bits.flag(), bits.flag()),
            _ => {
                let promoted = bits.flag();
                (bits.flag(), promoted)
            }
        };
        let kind = if promoted { kind.promoted().unwrap_or(kind) } else { kind };
        Ok(Some(Piece::new(if white { Color::White } else { Color::Black }, kind)))
    }
}

#[derive(Default)]
struct Writer {
    bytes: [u8; SIZE],
    at: usize,
}

impl Writer {
    fn write(&mut self, word: Word) {
        for shift in 0..word.length {
            self.bytes[self.at / 8] |= (word.bits >> shift & 1) << (self.at % 8);
            self.at += 1;
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8; SIZE],
    at: usize,
}

impl Reader<'_> {
    /// The next bits, at most nine; behind the last one come zeros.
    fn peek(&self, count: u32) -> usize {
        let byte = |index: usize| u32::from(self.bytes.get(index).copied().unwrap_or(0));
        let first = self.at / 8;
        ((byte(first) | byte(first + 1) << 8) >> (self.at % 8) & ((1 << count) - 1)) as usize
    }

    fn take(&mut self, count: u32) -> usize {
        let bits = self.peek(count);
        self.at += count as usize;
        bits
    }

    fn flag(&mut self) -> bool {
        self.take(1) == 1
    }
}
