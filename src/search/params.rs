//! The numbers of the search, a set a game. Scores in centipawns, depths in half-moves.

/// Margins and reductions.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Half-width of the first aspiration window.
    pub aspiration: i32,
    /// Razoring: a node this much a depth below alpha goes to quiescence.
    pub razor: i32,
    /// Reverse futility: a node this much a depth above beta is cut.
    pub reverse_futility: i32,
    /// Deepest node that reverse futility may cut.
    pub reverse_futility_depth: i32,
    /// Futility of quiet moves: constant and per reduced depth.
    pub futility: (i32, i32),
    /// Null move: reduction, and the depths that add one more.
    pub null_reduction: (i32, i32),
    /// Null move: centipawns above beta that add one more, three at most.
    pub null_margin: i32,
    /// Late move pruning: quiet moves always tried.
    pub late_moves: i32,
    /// Exchanges of captures pruned below this many centipawns a depth.
    pub see_capture: i32,
    /// Exchanges of quiet moves pruned below this many centipawns a squared depth.
    pub see_quiet: i32,
    /// Late move reductions: constant and factor of ln(depth) * ln(number), in 1024ths.
    pub reduction: (i32, i32),
    /// History that takes one depth off a reduction.
    pub reduction_history: i32,
    /// Quiet moves with history below this a depth are pruned.
    pub history_pruning: i32,
    /// Quiescence: what a capture must promise beyond its gain to be tried.
    pub delta: i32,
    /// Quiescence: half-moves of captures after which only the best are followed.
    pub null_depth: i32,
}

impl Params {
    /// The shogi family.
    pub const SHOGI: Self = Self {
        aspiration: 24,
        razor: 280,
        reverse_futility: 110,
        reverse_futility_depth: 8,
        futility: (90, 110),
        null_reduction: (3, 4),
        null_margin: 200,
        late_moves: 5,
        see_capture: 120,
        see_quiet: 22,
        reduction: (300, 560),
        reduction_history: 8000,
        history_pruning: 3500,
        delta: 160,
        null_depth: 3,
    };

    /// Flanking shogi: a turn is two half-moves, so all is doubled in depth.
    pub const FLANKING: Self = Self {
        aspiration: 40,
        razor: 400,
        reverse_futility: 140,
        reverse_futility_depth: 6,
        futility: (150, 120),
        null_reduction: (4, 4),
        null_margin: 250,
        late_moves: 8,
        see_capture: 200,
        see_quiet: 40,
        reduction: (400, 600),
        reduction_history: 8000,
        history_pruning: 4000,
        delta: 300,
        null_depth: 5,
    };

    /// Hasami shogi: quiet, many moves, few captures.
    pub const HASAMI: Self = Self {
        aspiration: 20,
        razor: 150,
        reverse_futility: 60,
        reverse_futility_depth: 7,
        futility: (50, 50),
        null_reduction: (3, 4),
        null_margin: 120,
        late_moves: 6,
        see_capture: 100,
        see_quiet: 25,
        reduction: (350, 600),
        reduction_history: 8000,
        history_pruning: 3500,
        delta: 100,
        null_depth: 3,
    };
}
