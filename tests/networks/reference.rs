//! Networks of the formats that engines share, slow and plain: made of random numbers, written as a file, and evaluated
//! from nothing but a diagram.

use happo::board::{ByColor, Color, Kind, Square};
use happo::diagram::Diagram;

use crate::common::Random;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    HalfKp,
    HalfKpMirrored,
    KingPiece,
    Sfnn,
}

/// A network with its numbers as the file has them.
pub struct Net {
    pub family: Family,
    pub width: usize,
    hidden: [usize; 2],
    bias: Vec<i16>,
    weights: Vec<i16>,
    stacks: Vec<[Layer; 3]>,
}

struct Layer {
    inputs: usize,
    bias: Vec<i32>,
    /// `[outputs][inputs filled up to 32]`
    weights: Vec<i8>,
}

fn number(random: &mut Random, limit: i64) -> i64 {
    (random.next() % (2 * limit as u64 + 1)) as i64 - limit
}

impl Layer {
    fn random(random: &mut Random, inputs: usize, outputs: usize, limit: i64) -> Self {
        let padded = inputs.div_ceil(32) * 32;
        Self {
            inputs,
            bias: (0..outputs).map(|_| number(random, 2000) as i32).collect(),
            // What is written where there are no inputs is of no account.
            weights: (0..outputs * padded).map(|_| number(random, limit) as i8).collect(),
        }
    }

    fn write(&self, file: &mut Vec<u8>) {
        self.bias.iter().for_each(|bias| file.extend(bias.to_le_bytes()));
        file.extend(self.weights.iter().map(|&weight| weight as u8));
    }

    fn apply(&self, input: &[i32]) -> Vec<i32> {
        assert_eq!(input.len(), self.inputs);
        let rows = self.weights.chunks(self.weights.len() / self.bias.len());
        let sum = |row: &[i8]| input.iter().zip(row).map(|(value, weight)| value * i32::from(*weight)).sum::<i32>();
        rows.zip(&self.bias).map(|(row, bias)| bias + sum(row)).collect()
    }
}

impl Family {
    pub fn inputs(self) -> usize {
        match self {
            Self::HalfKp => 81 * 1548,
            Self::HalfKpMirrored => 45 * 1548,
            Self::KingPiece => 1548 + 162,
            Self::Sfnn => 45 * 1629,
        }
    }
}

impl Net {
    pub fn random(family: Family, width: usize, hidden: [usize; 2], seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut bits = Random::new(seed ^ 0xabcd);
        let stack = |random: &mut Random| {
            if family == Family::Sfnn {
                [
                    Layer::random(random, width, 16, 60),
                    Layer::random(random, 30, 32, 60),
                    Layer::random(random, 32, 1, 100),
                ]
            } else {
                [
                    Layer::random(random, 2 * width, hidden[0], 40),
                    Layer::random(random, hidden[0], hidden[1], 60),
                    Layer::random(random, hidden[1], 1, 100),
                ]
            }
        };
        // Eight small numbers from each random one: there may be a hundred million.
        let mut weights = vec![0; family.inputs() * width];
        for chunk in weights.chunks_mut(8) {
            let bytes = bits.next().to_le_bytes();
            chunk.iter_mut().zip(bytes).for_each(|(weight, byte)| *weight = i16::from(byte as i8) / 4);
        }
        Self {
            family,
            width,
            hidden,
            bias: (0..width).map(|_| number(&mut random, 60) as i16 + 30).collect(),
            weights,
            stacks: (0..if family == Family::Sfnn { 9 } else { 1 }).map(|_| stack(&mut random)).collect(),
        }
    }

    pub fn architecture(&self) -> String {
        let (inputs, width, [h1, h2]) = (self.family.inputs(), self.width, self.hidden);
        let features = match self.family {
            Family::HalfKp => "HalfKP(Friend)",
            Family::HalfKpMirrored => "HalfKP_vm(Friend)",
            Family::KingPiece => "K+P",
            Family::Sfnn => {
                return format!(
                    "ModelType=SFNNWithoutPsqt;Features=HalfKA_hm2(Friend)[{inputs}->{width}x2],\
                     Network=SFNN-{width}{{LayerStack=9}}"
                );
            }
        };
        format!(
            "Features={features}[{inputs}->{width}x2],Network=AffineTransform[1<-{h2}](ClippedReLU[{h2}](\
             AffineTransform[{h2}<-{h1}](ClippedReLU[{h1}](AffineTransform[{h1}<-{both}](\
             InputSlice[{both}(0:{both})])))))",
            both = 2 * width
        )
    }

    /// The file. Its hashes are not those that engines expect, which must not matter.
    pub fn file(&self) -> Vec<u8> {
        let mut file = Vec::with_capacity(2 * self.weights.len() + 100_000);
        let architecture = self.architecture();
        for number in [0x7AF3_2F16, 0x0BAD_CAFE, architecture.len() as u32] {
            file.extend(number.to_le_bytes());
        }
        file.extend(architecture.as_bytes());
        file.extend(1u32.to_le_bytes());
        for numbers in [&self.bias, &self.weights] {
            if self.family == Family::Sfnn {
                compress(numbers, &mut file);
            } else {
                numbers.iter().for_each(|number| file.extend(number.to_le_bytes()));
            }
        }
        for stack in &self.stacks {
            file.extend(2u32.to_le_bytes());
            stack.iter().for_each(|layer| layer.write(&mut file));
        }
        file
    }

    /// Output of the network for a position, not divided by anything.
    pub fn output(&self, diagram: &Diagram) -> i32 {
        let us = diagram.side;
        let factor = if self.family == Family::Sfnn { 2 } else { 1 };
        let sides = [us, !us].map(|color| {
            let mut sums: Vec<i32> = self.bias.iter().map(|&bias| factor * i32::from(bias)).collect();
            for input in self.active(diagram, color) {
                let row = &self.weights[input * self.width..(input + 1) * self.width];
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += factor * i32::from(*weight));
            }
            sums
        });
        if self.family == Family::Sfnn {
            let input: Vec<i32> = sides
                .iter()
                .flat_map(|side| {
                    let (first, second) = side.split_at(self.width / 2);
                    first.iter().zip(second).map(|(a, b)| (*a.clamp(&0, &254) * b.clamp(&0, &254)) >> 9)
                })
                .collect();
            let kings = ByColor(Color::ALL.map(|color| king(diagram, color)));
            let third = |color: Color| seen(kings[color], color) % 9 / 3;
            let stack = &self.stacks[3 * third(us) + third(!us)];
            let first = stack[0].apply(&input);
            let squares = first[..15].iter().map(|&x| ((i64::from(x) * i64::from(x)) >> 19).min(127) as i32);
            let second: Vec<i32> = squares.chain(first[..15].iter().map(|&x| clipped(x))).collect();
            let third: Vec<i32> = stack[1].apply(&second).into_iter().map(clipped).collect();
            stack[2].apply(&third)[0] + first[15]
        } else {
            let mut values: Vec<i32> = sides.concat().into_iter().map(|sum| sum.clamp(0, 127)).collect();
            let [first, second, last] = &self.stacks[0];
            values = first.apply(&values).into_iter().map(clipped).collect();
            values = second.apply(&values).into_iter().map(clipped).collect();
            last.apply(&values)[0]
        }
    }

    /// The inputs that are on for a side.
    fn active(&self, diagram: &Diagram, color: Color) -> Vec<usize> {
        let own = seen(king(diagram, color), color);
        let enemy = seen(king(diagram, !color), color);
        let mirrors = matches!(self.family, Family::HalfKpMirrored | Family::Sfnn) && own >= 45;
        let flip = |square: usize| if mirrors { (8 - square / 9) * 9 + square % 9 } else { square };
        let mut pieces = Vec::new();
        for (square, piece) in diagram.board.iter().enumerate() {
            let Some(piece) = piece.filter(|piece| piece.kind() != Kind::King) else { continue };
            let base = board_base(piece.kind()) + if piece.color() == color { 0 } else { 81 };
            pieces.push(base + flip(seen(square, color)));
        }
        for owner in Color::ALL {
            for kind in Kind::HAND {
                let (friend, foe) = hand_base(kind);
                let base = if owner == color { friend } else { foe };
                pieces.extend((0..diagram.hands[owner][kind.index()] as usize).map(|n| base + n));
            }
        }
        pieces.resize(38, 0);
        match self.family {
            Family::HalfKp | Family::HalfKpMirrored => pieces.iter().map(|piece| flip(own) * 1548 + piece).collect(),
            Family::KingPiece => {
                pieces.extend([1548 + own, 1548 + 81 + enemy]);
                pieces
            }
            Family::Sfnn => {
                pieces.extend([1548 + flip(own), 1629 + flip(enemy)]);
                let shared = |piece: usize| if piece >= 1629 { piece - 81 } else { piece };
                pieces.iter().map(|&piece| flip(own) * 1629 + shared(piece)).collect()
            }
        }
    }
}

fn clipped(sum: i32) -> i32 {
    (sum >> 6).clamp(0, 127)
}

fn king(diagram: &Diagram, color: Color) -> usize {
    let is_king = |square: &Square| {
        diagram.board[square.index()].is_some_and(|piece| piece.kind() == Kind::King && piece.color() == color)
    };
    Square::all().find(is_king).unwrap().index()
}

/// A square as a side sees it.
fn seen(square: usize, color: Color) -> usize {
    if color == Color::Black { square } else { 80 - square }
}

/// First number of the side's own pieces of a kind on the board.
fn board_base(kind: Kind) -> usize {
    match kind {
        Kind::Pawn => 90,
        Kind::Lance => 252,
        Kind::Knight => 414,
        Kind::Silver => 576,
        Kind::Gold | Kind::ProPawn | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => 738,
        Kind::Bishop => 900,
        Kind::Horse => 1062,
        Kind::Rook => 1224,
        Kind::Dragon => 1386,
        Kind::King => unreachable!(),
    }
}

/// Numbers of the first piece in the side's own and the other hand.
fn hand_base(kind: Kind) -> (usize, usize) {
    match kind {
        Kind::Pawn => (1, 20),
        Kind::Lance => (39, 44),
        Kind::Knight => (49, 54),
        Kind::Silver => (59, 64),
        Kind::Gold => (69, 74),
        Kind::Bishop => (79, 82),
        Kind::Rook => (85, 88),
        _ => unreachable!(),
    }
}

/// Signed LEB128 behind its heading.
fn compress(numbers: &[i16], file: &mut Vec<u8>) {
    let mut bytes = Vec::with_capacity(numbers.len());
    for &number in numbers {
        let mut number = number;
        loop {
            let low = (number & 0x7f) as u8;
            number >>= 7;
            let done = number == 0 && low & 0x40 == 0 || number == -1 && low & 0x40 != 0;
            bytes.push(if done { low } else { low | 0x80 });
            if done {
                break;
            }
        }
    }
    file.extend(b"COMPRESSED_LEB128");
    file.extend((bytes.len() as u32).to_le_bytes());
    file.extend(bytes);
}
