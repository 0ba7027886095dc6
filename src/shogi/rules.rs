//! What distinguishes shogi, happokei and aihappokei: whose knights leap eight ways.

use crate::board::Color;
use crate::game::Variant;

/// The parameters of a game of the shogi family, fixed at compile time.
pub trait Rules: Clone + Copy + Send + Sync + 'static {
    /// The game.
    const VARIANT: Variant;
    /// Start position: board field of the SFEN. Black moves first with empty hands.
    const START: &'static str;
    /// Whether the knights of Black and White leap to all eight squares; such a knight is never dead.
    const EIGHT_WAY: [bool; 2];
    /// Whether their promoted knights leap besides moving as a gold.
    const PROMOTED_EIGHT_WAY: [bool; 2];
    /// Whether there is an impasse rule.
    const IMPASSE: bool;

    /// Whether `color`'s knights leap eight ways.
    #[inline]
    fn leaps(color: Color) -> bool {
        Self::EIGHT_WAY[color.index()]
    }

    /// Whether `color`'s promoted knights leap eight ways.
    #[inline]
    fn promoted_leaps(color: Color) -> bool {
        Self::PROMOTED_EIGHT_WAY[color.index()]
    }
}

const EVEN_START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";

/// Ordinary shogi.
#[derive(Clone, Copy)]
pub struct StandardRules;

impl Rules for StandardRules {
    const VARIANT: Variant = Variant::Shogi;
    const START: &'static str = EVEN_START;
    const EIGHT_WAY: [bool; 2] = [false; 2];
    const PROMOTED_EIGHT_WAY: [bool; 2] = [false; 2];
    const IMPASSE: bool = true;
}

/// Black gives rook, bishop and lances and has eight-way knights, promoted ones included.
#[derive(Clone, Copy)]
pub struct HappokeiRules;

impl Rules for HappokeiRules {
    const VARIANT: Variant = Variant::Happokei;
    const START: &'static str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/1NSGKGSN1";
    const EIGHT_WAY: [bool; 2] = [true, false];
    const PROMOTED_EIGHT_WAY: [bool; 2] = [true, false];
    const IMPASSE: bool = false;
}

/// Both sides have eight-way knights, which promote to golds.
#[derive(Clone, Copy)]
pub struct AiHappokeiRules;

impl Rules for AiHappokeiRules {
    const VARIANT: Variant = Variant::AiHappokei;
    const START: &'static str = EVEN_START;
    const EIGHT_WAY: [bool; 2] = [true; 2];
    const PROMOTED_EIGHT_WAY: [bool; 2] = [false; 2];
    const IMPASSE: bool = false;
}
