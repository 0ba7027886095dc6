//! Apery's binary books: records of a position's key and a move, shogi only.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use once_cell::sync::Lazy;

use crate::board::{Color, Kind, Move, Piece, Square};
use crate::diagram::Diagram;

use super::record::{BookMove, BookTurn, united};

/// Bytes of a record: key, move, count, score.
const RECORD: usize = 16;

/// The depth that other programs take these moves to be searched to: the format has none.
const DEPTH: u16 = 256;

/// Records looked at to see whether a file that stays on disk is sorted.
const SAMPLES: u64 = 512;

/// Kinds in the order in which hands enter into the key.
const HANDS: [Kind; 7] = [Kind::Pawn, Kind::Lance, Kind::Knight, Kind::Silver, Kind::Gold, Kind::Bishop, Kind::Rook];

struct Keys {
    /// By the piece's code: ours plus one.
    board: [[u64; Square::COUNT]; 31],
    hand: [[u64; 19]; 7],
    white: u64,
}

static KEYS: Lazy<Box<Keys>> = Lazy::new(|| {
    let mut random = Mersenne::new();
    let mut keys = Box::new(Keys { board: [[0; Square::COUNT]; 31], hand: [[0; 19]; 7], white: 0 });
    for key in keys.board.iter_mut().flatten().chain(keys.hand.iter_mut().flatten()) {
        *key = random.next();
    }
    keys.white = random.next();
    // The numbers of the empty square are drawn, but count nothing.
    keys.board[0] = [0; Square::COUNT];
    keys
});

/// The 64-bit Mersenne Twister with its usual seed.
struct Mersenne {
    state: [u64; Self::SIZE],
    next: usize,
}

impl Mersenne {
    const SIZE: usize = 312;
    const MIDDLE: usize = 156;

    fn new() -> Self {
        let mut state = [5489; Self::SIZE];
        for i in 1..Self::SIZE {
            let before = state[i - 1];
            state[i] = 6_364_136_223_846_793_005_u64.wrapping_mul(before ^ before >> 62).wrapping_add(i as u64);
        }
        Self { state, next: Self::SIZE }
    }

    fn next(&mut self) -> u64 {
        if self.next == Self::SIZE {
            self.twist();
        }
        let mut x = self.state[self.next];
        self.next += 1;
        x ^= x >> 29 & 0x5555_5555_5555_5555;
        x ^= x << 17 & 0x71d6_7fff_eda6_0000;
        x ^= x << 37 & 0xfff7_eee0_0000_0000;
        x ^ x >> 43
    }

    fn twist(&mut self) {
        const UPPER: u64 = !0 << 31;
        for i in 0..Self::SIZE {
            let x = self.state[i] & UPPER | self.state[(i + 1) % Self::SIZE] & !UPPER;
            let odd = if x & 1 == 1 { 0xb502_6f5a_a966_19e9 } else { 0 };
            self.state[i] = self.state[(i + Self::MIDDLE) % Self::SIZE] ^ x >> 1 ^ odd;
        }
        self.next = 0;
    }
}

fn piece_key(piece: Piece, square: Square) -> u64 {
    KEYS.board[piece.index() + 1][square.index()]
}

/// The key of a position: only the hand of the side to move enters into it, as the other one follows from the rest.
pub fn key(diagram: &Diagram) -> u64 {
    let board = Square::all().zip(diagram.board).filter_map(|(square, piece)| Some(piece_key(piece?, square)));
    let hand = diagram.hands[diagram.side];
    let hand = HANDS.iter().zip(&KEYS.hand).map(|(kind, keys)| keys[hand[kind.index()].min(18) as usize]);
    let white = if diagram.side == Color::White { KEYS.white } else { 0 };
    board.chain(hand).fold(white, |key, part| key ^ part)
}

/// A record's key and, if it is one, its move. Squares and kinds are numbered as ours are.
fn decode(record: &[u8; RECORD]) -> (u64, Option<BookMove>) {
    let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, c0, c1, s0, s1, s2, s3] = *record;
    let m = Move::from_bits(u16::from_le_bytes([m0, m1]));
    let m = m.is_some().then(|| BookMove {
        count: u16::from_le_bytes([c0, c1]).into(),
        value: i32::from_le_bytes([s0, s1, s2, s3]),
        depth: DEPTH,
        ..BookMove::new(BookTurn::new(&[m]))
    });
    (u64::from_le_bytes([k0, k1, k2, k3, k4, k5, k6, k7]), m)
}

/// A record, as other programs write it; for tests.
#[cfg(test)]
pub fn encode(key: u64, m: Move, count: u16, score: i32) -> Vec<u8> {
    let parts: [&[u8]; 4] =
        [&key.to_le_bytes(), &m.to_bits().to_le_bytes(), &count.to_le_bytes(), &score.to_le_bytes()];
    parts.concat()
}

enum Records {
    Loaded(Vec<[u8; RECORD]>),
    OnDisk(File),
}

/// A book.
pub struct AperyBook {
    records: Records,
    count: u64,
}

impl AperyBook {
    /// Opens a book; also tells what is wrong with it. A book that is not sorted cannot stay on disk.
    pub fn open(path: &Path, on_the_fly: bool) -> io::Result<(Self, Vec<String>)> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        let count = size / RECORD as u64;
        let mut notes = Vec::new();
        if size % RECORD as u64 != 0 {
            notes.push(format!("the last {} bytes are not a whole record", size % RECORD as u64));
        }
        if on_the_fly {
            let book = Self { records: Records::OnDisk(file.try_clone()?), count };
            if book.is_sorted()? {
                return Ok((book, notes));
            }
            notes.push("not sorted, so it is loaded".to_owned());
        }
        let mut bytes = Vec::new();
        // Its clone has moved on.
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        let (chunks, _) = bytes.as_chunks::<RECORD>();
        let mut records = chunks.to_vec();
        // Stable: the moves of a position stay in their order.
        records.sort_by_key(|record| decode(record).0);
        let broken = records.iter().filter(|record| decode(record).1.is_none()).count();
        if broken > 0 {
            notes.push(format!("{broken} records without a move"));
        }
        let count = records.len() as u64;
        Ok((Self { records: Records::Loaded(records), count }, notes))
    }

    /// How many records there are.
    pub fn len(&self) -> u64 {
        self.count
    }

    fn record(&self, index: u64) -> io::Result<(u64, Option<BookMove>)> {
        let end = || io::Error::from(io::ErrorKind::UnexpectedEof);
        match &self.records {
            Records::Loaded(records) => records.get(index as usize).map(decode).ok_or_else(end),
            Records::OnDisk(file) => {
                let mut file = file;
                let mut record = [0; RECORD];
                file.seek(SeekFrom::Start(index * RECORD as u64))?;
                file.read_exact(&mut record)?;
                Ok(decode(&record))
            }
        }
    }

    fn is_sorted(&self) -> io::Result<bool> {
        let step = (self.count / SAMPLES).max(1);
        let mut last = 0;
        for index in (0..self.count).step_by(step as usize) {
            let (key, _) = self.record(index)?;
            if key < last {
                return Ok(false);
            }
            last = key;
        }
        Ok(true)
    }

    /// The moves of a position.
    pub fn lookup(&self, diagram: &Diagram) -> io::Result<Vec<BookMove>> {
        let wanted = key(diagram);
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.record(middle)?.0 < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let mut moves = Vec::new();
        for index in low..self.count {
            let (key, m) = self.record(index)?;
            if key != wanted {
                break;
            }
            moves.extend(m);
        }
        Ok(united(moves))
    }
}
