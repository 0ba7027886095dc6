//! The numbers of the search, a set a game, each in one place. Scores in points, depths in half-moves.

use thiserror::Error;

/// A number of the search as tools see it.
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Least sensible value.
    pub low: i32,
    /// Largest sensible value.
    pub high: i32,
    place: fn(&mut Params) -> &mut i32,
}

/// Why a change of parameters cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParamError {
    /// No such parameter.
    #[error("the search has no parameter {0:?}")]
    Unknown(String),
    /// Not a number in range.
    #[error("parameter {name} takes a number from {low} to {high}, not {value:?}")]
    Range {
        /// The parameter.
        name: &'static str,
        /// Least value.
        low: i32,
        /// Largest value.
        high: i32,
        /// What was given.
        value: String,
    },
}

/// A change of some parameters, read from `name=value name=value`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change([Option<i32>; PARAMETERS.len()]);

impl Default for Change {
    fn default() -> Self {
        Self([None; PARAMETERS.len()])
    }
}

impl Change {
    /// Adds what a text says.
    pub fn read(mut self, text: &str) -> Result<Self, ParamError> {
        for item in text.split_whitespace() {
            let (name, value) = item.split_once('=').unwrap_or((item, ""));
            let index = PARAMETERS
                .iter()
                .position(|parameter| parameter.name == name)
                .ok_or_else(|| ParamError::Unknown(crate::diagram::clip(name)))?;
            let Parameter { name, low, high, .. } = PARAMETERS[index];
            let number = value.parse().ok().filter(|number| (low..=high).contains(number));
            let range = || ParamError::Range { name, low, high, value: crate::diagram::clip(value) };
            self.0[index] = Some(number.ok_or_else(range)?);
        }
        Ok(self)
    }

    /// Sets one parameter by its place in [`PARAMETERS`], within its range.
    pub fn set(&mut self, index: usize, value: i32) {
        self.0[index] = Some(value.clamp(PARAMETERS[index].low, PARAMETERS[index].high));
    }

    /// A set of parameters with the change made.
    pub fn apply(&self, mut params: Params) -> Params {
        for (parameter, value) in PARAMETERS.iter().zip(self.0) {
            if let Some(value) = value {
                *(parameter.place)(&mut params) = value;
            }
        }
        params
    }
}

impl Params {
    /// The value of a parameter by its place in [`PARAMETERS`].
    pub fn get(mut self, index: usize) -> i32 {
        *(PARAMETERS[index].place)(&mut self)
    }
}

/// The table of the parameters: name, range, and the value in shogi, flanking and hasami.
macro_rules! params {
    ($($(#[doc = $doc:literal])+ $name:ident: $low:literal..=$high:literal, $shogi:literal, $flanking:literal, $hasami:literal;)+) => {
        /// Margins, reductions, depths. Where something does harm in a game, its depth is out of reach.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Params {
            $($(#[doc = $doc])+ pub $name: i32,)+
        }

        impl Params {
            /// The shogi family.
            pub const SHOGI: Self = Self { $($name: $shogi,)+ };
            /// Flanking shogi, whose turns are two half-moves.
            pub const FLANKING: Self = Self { $($name: $flanking,)+ };
            /// Hasami shogi: quiet, many moves, few captures.
            pub const HASAMI: Self = Self { $($name: $hasami,)+ };
        }

        /// All parameters.
        pub const PARAMETERS: &[Parameter] = &[
            $(Parameter { name: stringify!($name), low: $low, high: $high, place: |params| &mut params.$name },)+
        ];
    };
}

params! {
    /// Half-width of the first aspiration window.
    aspiration: 4..=100, 43, 40, 20;
    /// One more for every so much of the squared score: large scores are less certain.
    aspiration_square: 1000..=1000000, 1000000, 1000000, 1000000;

    /// Corrections of the static evaluation, in 1024ths of what was learnt of: pawns.
    correct_pawns: 0..=300, 52, 0, 0;
    /// Of each side's pieces around its king.
    correct_castles: 0..=300, 34, 0, 0;
    /// Of hands and kings.
    correct_hands: 0..=300, 87, 0, 0;
    /// Of the last moves.
    correct_moves: 0..=300, 30, 0, 0;

    /// Score of the same board with a better hand, 0 for none.
    dominance: 0..=30000, 0, 0, 0;

    /// Razoring: a node this much a depth below alpha goes to quiescence.
    razor: 50..=1000, 357, 400, 150;
    /// Deepest node that is razored.
    razor_depth: 0..=10, 3, 3, 3;
    /// Reverse futility: a node this much a depth above beta is cut.
    reverse_futility: 20..=300, 217, 140, 60;
    /// Deepest node that reverse futility may cut.
    reverse_futility_depth: 0..=20, 8, 6, 7;
    /// Reverse futility: percent of the step that improving takes off.
    reverse_improving: 0..=300, 100, 100, 100;
    /// Reverse futility: percent of the step that the enemy's worsening takes off.
    reverse_worsening: 0..=200, 30, 0, 0;
    /// Reverse futility at nodes of earlier principal variations: 1 if it is allowed.
    reverse_pv: 0..=1, 0, 1, 1;
    /// Null move: least depth.
    null_depth: 1..=20, 3, 5, 3;
    /// Null move: reduction.
    null_reduction: 1..=10, 3, 4, 3;
    /// Null move: depths that add one more.
    null_divisor: 1..=20, 4, 4, 4;
    /// Null move: points above beta that add one more.
    null_margin: 50..=1000, 212, 250, 120;
    /// Null move: at most so many of them.
    null_most: 0..=10, 3, 3, 3;
    /// Null move: points a depth by which the static evaluation may be below beta, `null_base` taken off.
    null_slope: 0..=60, 21, 0, 0;
    /// Null move: see `null_slope`.
    null_base: -500..=800, 120, 0, 0;
    /// ProbCut: least depth.
    probcut_depth: 2..=128, 5, 128, 128;
    /// ProbCut: points above beta.
    probcut: 50..=600, 242, 200, 100;
    /// ProbCut: taken off where things improve.
    probcut_improving: 0..=200, 50, 50, 30;
    /// A bound in the table this much above beta cuts, if it is not much shallower.
    probcut_table: 100..=10000, 445, 10000, 10000;
    /// Internal iterative reduction: least depth.
    internal_depth: 2..=128, 4, 4, 4;

    /// Late move pruning: quiet moves always tried.
    late_moves: 1..=20, 5, 8, 6;
    /// Futility of quiet moves: constant.
    futility: 0..=400, 70, 150, 50;
    /// Futility of quiet moves: per reduced depth.
    futility_step: 20..=300, 68, 120, 50;
    /// Deepest reduced depth for it.
    futility_depth: 0..=20, 7, 7, 7;
    /// Futility of captures: constant.
    capture_futility: 50..=2000, 2000, 2000, 2000;
    /// Futility of captures: per reduced depth.
    capture_futility_step: 50..=600, 220, 220, 150;
    /// Exchanges of captures pruned below this many points a depth.
    see_capture: 10..=400, 122, 200, 100;
    /// Exchanges of quiet moves pruned below this many points a squared depth.
    see_quiet: 2..=100, 31, 40, 25;
    /// Quiet moves with history below this a depth are pruned.
    history_pruning: 500..=20000, 3420, 4000, 3500;
    /// History that adds a depth to what the pruning of quiet moves looks at.
    late_history: 2000..=1000000, 8000, 1000000, 1000000;

    /// Singular extensions: least depth.
    singular_depth: 4..=128, 6, 128, 128;
    /// Singular extensions: margin a depth, in 64ths of a point.
    singular: 10..=300, 22, 64, 64;
    /// The same, more of it at nodes of earlier principal variations.
    singular_pv: 0..=300, 80, 80, 80;
    /// Margin of a double extension.
    singular_double: 0..=100, 12, 12, 12;
    /// More of it on principal variations.
    singular_double_pv: 0..=600, 200, 200, 200;
    /// Margin of a triple extension.
    singular_triple: 20..=600, 100, 100, 100;
    /// Depths taken off a move that is not singular and whose score in the table is above beta.
    singular_negative: 0..=4, 3, 3, 3;
    /// The same at nodes expected to fail high, its score being below beta.
    singular_cut: 0..=4, 2, 2, 2;
    /// Checks that lose nothing are extended up to this ply, in percent of the depth of the iteration.
    check_extension: 0..=200, 127, 200, 200;

    /// Late move reductions: constant in 1024ths.
    reduction: -1000..=3000, 322, 400, 350;
    /// Late move reductions: factor of ln(depth) * ln(number) in 1024ths.
    reduction_factor: 100..=1500, 718, 600, 600;
    /// Reduction in 1024ths off the principal variation.
    reduction_not_pv: -1000..=4000, 1024, 1024, 1024;
    /// Reduction in 1024ths at nodes expected to fail high.
    reduction_cut: -1000..=6000, 1632, 1024, 1024;
    /// More of it if there is no table move.
    reduction_cut_blind: 0..=3000, 1024, 0, 0;
    /// Reduction in 1024ths where things do not improve.
    reduction_worse: -1000..=4000, 1419, 1024, 1024;
    /// Reduction in 1024ths after a table move that captures.
    reduction_table_capture: 0..=3000, 1024, 0, 0;
    /// Reduction in 1024ths where the children fail high again and again.
    reduction_cutoffs: 0..=3000, 1024, 0, 0;
    /// Reduction in 1024ths taken off for checks and in check.
    reduction_check: -1000..=4000, 1024, 1024, 1024;
    /// Reduction in 1024ths taken off for captures and promotions.
    reduction_capture: -1000..=4000, 1024, 1024, 1024;
    /// Captures and promotions are reduced at all nodes (1) or only at those expected to fail high (0).
    reduce_captures: 0..=1, 1, 0, 0;
    /// Reduction in 1024ths taken off for killers and countermoves.
    reduction_killer: -1000..=4000, 1024, 1024, 1024;
    /// Reduction in 1024ths taken off on the principal variation.
    reduction_pv: 0..=3000, 0, 0, 0;
    /// History that takes one depth off a reduction.
    reduction_history: 1000..=40000, 7926, 8000, 8000;
    /// Most 1024ths that history adds or takes off.
    reduction_history_most: 1024..=8192, 2048, 2048, 2048;
    /// A reduced search that beats the best score by this much, and 2 a depth, is repeated deeper.
    deeper: 10..=1000, 45, 1000, 1000;
    /// One that beats it by less is repeated shallower.
    shallower: -1000..=50, 9, -1000, -1000;
    /// A reduction of the last move by so much is taken back where the enemy's evaluation rose after all.
    hindsight_extend: 2..=20, 3, 20, 20;
    /// A node whose evaluation fell by less than this after a reduced move is searched less deep.
    hindsight_reduce: 50..=10000, 180, 10000, 10000;
    /// Depths taken off for the moves that follow one that raised alpha.
    raised: 0..=3, 1, 0, 0;
    /// Percent of the way from a fail high's score to beta that is gone at depth 1.
    soften: 0..=100, 50, 0, 0;

    /// History bonus a depth.
    bonus: 20..=400, 160, 160, 160;
    /// History bonus: taken off.
    bonus_base: -200..=400, 80, 80, 80;
    /// Largest history bonus.
    bonus_most: 500..=4000, 1700, 1700, 1700;
    /// Added to it for the table's move.
    bonus_table: 0..=1000, 0, 0, 0;
    /// History malus a depth.
    malus: 20..=800, 160, 160, 160;
    /// History malus: taken off.
    malus_base: -200..=600, 80, 80, 80;
    /// Largest history malus.
    malus_most: 500..=4000, 1700, 1700, 1700;
    /// Bonus, in percent of the usual one, for a quiet move that all answers fail low against.
    bonus_prior: 0..=300, 60, 0, 0;
    /// Malus, in percent, for a quiet move that is refuted by the table at once.
    malus_prior: 0..=300, 60, 0, 0;
    /// Merit in move ordering of quiet checks that lose nothing.
    order_check: 0..=40000, 8481, 0, 0;
    /// Weight of low-ply history in the order, in 8ths.
    order_low_ply: 0..=32, 16, 0, 0;

    /// Quiescence: what a capture must promise beyond its gain to be tried.
    delta: 20..=800, 464, 300, 100;
    /// Quiescence: exchanges of checks pruned below this many points.
    see_check: 0..=20000, 75, 20000, 20000;
    /// Quiescence: 1 if standing pat and failing high are taken half way to beta.
    quiet_soften: 0..=1, 1, 0, 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_within_their_ranges() {
        for params in [Params::SHOGI, Params::FLANKING, Params::HASAMI] {
            for (index, parameter) in PARAMETERS.iter().enumerate() {
                let value = params.get(index);
                assert!((parameter.low..=parameter.high).contains(&value), "{} = {value}", parameter.name);
            }
        }
    }

    #[test]
    fn changes_are_read() {
        let change = Change::default().read("razor=300  null_depth=4").unwrap();
        let params = change.apply(Params::SHOGI);
        assert_eq!((params.razor, params.null_depth), (300, 4));
        let Params { razor, null_depth, .. } = Params::SHOGI;
        assert_eq!(Params { razor, null_depth, ..params }, Params::SHOGI);
        for wrong in ["razor", "razor=", "razor=x", "razor=-5", "blazor=3", "="] {
            assert!(Change::default().read(wrong).is_err(), "{wrong}");
        }
    }
}
