//! A running sum that follows the moves of a search: what hand-crafted evaluations keep of material and squares.

/// A sum in points, Black's point of view, and its values before the moves made.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    sum: i32,
    before: Vec<i32>,
}

impl Tally {
    /// Nothing counted yet.
    pub fn new() -> Self {
        Self { sum: 0, before: Vec::with_capacity(256) }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.sum = 0;
        self.before.clear();
    }

    /// The sum.
    #[inline]
    pub fn sum(&self) -> i32 {
        self.sum
    }

    /// Adds to the sum.
    #[inline]
    pub fn add(&mut self, value: i32) {
        self.sum += value;
    }

    /// A move is about to be made.
    #[inline]
    pub fn push(&mut self) {
        self.before.push(self.sum);
    }

    /// The last move has been taken back.
    #[inline]
    pub fn pop(&mut self) {
        if let Some(sum) = self.before.pop() {
            self.sum = sum;
        }
    }
}
