//! What the options say about books.

use crate::board::ByColor;

/// The options of books, by the names and meanings that users know from YaneuraOu.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// `USI_OwnBook`: use a book at all.
    pub own_book: bool,
    /// `NarrowBook`: leave out moves that make up less than a tenth of a position's count.
    pub narrow: bool,
    /// `BookMoves`: use the book up to this move number.
    pub moves: u32,
    /// `BookIgnoreRate`: how often, of a hundred times, to think nevertheless.
    pub ignore_rate: u32,
    /// `BookFile`: `no_book`, `auto` for the game's own one, or a file in `dir`.
    pub file: String,
    /// `BookDir`: where books are.
    pub dir: String,
    /// `BookEvalDiff`: how much worse than the best a move may be, in centipawns.
    pub eval_diff: i32,
    /// `BookEvalBlackLimit`, `BookEvalWhiteLimit`: the least value of a move for each side.
    pub eval_limit: ByColor<i32>,
    /// `BookDepthLimit`: the least depth of a move, 0 for any.
    pub depth_limit: u32,
    /// `BookOnTheFly`: leave the file on disk.
    pub on_the_fly: bool,
    /// `ConsiderBookMoveCount`: choose moves as often as they were played.
    pub consider_count: bool,
    /// `BookPvMoves`: length of the lines shown, in turns.
    pub pv_moves: u32,
    /// `IgnoreBookPly`: a position is the same at whatever move number.
    pub ignore_ply: bool,
    /// `FlippedBook`: look positions up with the sides exchanged too.
    pub flipped: bool,
}

impl Default for Settings {
    /// Where these differ from YaneuraOu's, it is so that a user who sets nothing gets a book that is of use: one
    /// reached by transposition or with the sides exchanged, and made by searches of whatever depth. The limits of
    /// value are made for shogi, in which nobody starts with an advantage; in the other games they would keep one
    /// side from its book.
    fn default() -> Self {
        Self {
            own_book: true,
            narrow: false,
            moves: 16,
            ignore_rate: 0,
            file: "auto".to_owned(),
            dir: "book".to_owned(),
            eval_diff: 30,
            eval_limit: ByColor([-99_999; 2]),
            depth_limit: 0,
            on_the_fly: false,
            consider_count: false,
            pv_moves: 8,
            ignore_ply: true,
            flipped: true,
        }
    }
}
