//! Networks that began as another one, stored as what has changed since: the packer and the engine both need it.

use std::ops::Range;

/// The networks that began as another one, by their names.
pub const BEGINNINGS: [(&str, &str); 2] = [("happokei", "shogi"), ("aihappokei", "shogi")];

/// Where the weights of the inputs begin in a network file.
fn weights(file: &[u8]) -> usize {
    let number = |at: usize| usize::from(u16::from_le_bytes([file[at], file[at + 1]]));
    let (width, note) = (number(14), number(24));
    30 + note + 2 * width
}

/// The bytes of both files that hold the same weights. Of sets of inputs that share a beginning that is exact, and of others
/// still a pairing of bytes.
fn common(file: &[u8], base: &[u8]) -> (Range<usize>, usize) {
    let (start, other) = (weights(file), weights(base));
    let length = (file.len() - start).min(base.len() - other);
    (start..start + length, other)
}

/// Replaces every weight byte by what `change` makes of it and of the one in `base`.
pub fn apply(file: &mut [u8], base: &[u8], change: fn(u8, u8) -> u8) {
    let (range, other) = common(file, base);
    file[range].iter_mut().zip(&base[other..]).for_each(|(byte, &base)| *byte = change(*byte, base));
}
