//! The proof and disproof number of a node from those of its children.

use super::dfpn::Child;
use super::table::INFINITE;

/// The numbers of a node by its children.
pub(super) struct Survey {
    pub(super) phi: u32,
    pub(super) delta: u32,
    /// Which child to search next.
    pub(super) next: usize,
    pub(super) second: u32,
    /// Children that are not settled.
    pub(super) open: u32,
    /// Whether some are held back.
    pub(super) held: bool,
}

impl Survey {
    pub(super) fn of(children: &[Child], attacking: bool) -> Self {
        let mut survey = Self { phi: INFINITE, delta: 0, next: 0, second: INFINITE, open: 0, held: false };
        // Squares with an open drop of the defender.
        let mut dropped = 0u128;
        for (index, child) in children.iter().enumerate() {
            if child.held {
                survey.held = true;
                continue;
            }
            // The child's side to move is the other one.
            let (goal, bar) = (child.value.delta, child.value.phi);
            if bar == 0 {
                continue;
            }
            if goal == 0 {
                return Self { phi: 0, delta: INFINITE, ..survey };
            }
            if !attacking && child.m.is_drop() {
                let square = 1 << child.m.to().index();
                if dropped & square != 0 {
                    continue;
                }
                dropped |= square;
            }
            survey.open += 1;
            survey.delta = if attacking { survey.delta.max(bar) } else { survey.delta.saturating_add(bar) };
            if goal < survey.phi {
                survey.second = survey.phi;
                (survey.phi, survey.next) = (goal, index);
            } else {
                survey.second = survey.second.min(goal);
            }
        }
        if survey.open > 0 {
            if attacking {
                survey.delta = survey.delta.saturating_add(survey.open - 1);
            }
            survey.delta = survey.delta.min(INFINITE - 1);
            survey.phi = survey.phi.min(INFINITE - 1);
        }
        survey
    }
}
