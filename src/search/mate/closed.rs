//! Whether what was trusted in a disproof may be trusted.

use ahash::AHashSet;

use crate::board::{Hand, MoveList};
use crate::diagram::Diagram;
use crate::game::{Position, Stage};

use super::dfpn::{LONGEST, Place, Solver};
use super::table::{ENDLESS, Known};

/// What is said of a position.
enum Claim {
    /// Safe for certain.
    Safe,
    /// Safe if others are.
    Trusted,
    /// Neither.
    Nothing,
}

impl<P: Position> Solver<'_, P> {
    /// Whether the positions that the disproof of the present one rests on make a closed circle: from each one with the
    /// attacker to move every check leads to one of them, and from each one with the defender to move some evasion does.
    /// Then the defender can stay among them for ever.
    pub(super) fn closed(&mut self) -> bool {
        let root = self.position.clone();
        let closed = self.is_closed();
        self.position = root;
        closed
    }

    fn is_closed(&mut self) -> bool {
        // Diagrams: the search may have gone thousands of moves deep, which are too many to make in turn.
        let mut open = vec![self.position.diagram()];
        let mut seen = AHashSet::new();
        while let Some(diagram) = open.pop() {
            if self.control.count() {
                return false;
            }
            let Ok(position) = P::from_diagram(&diagram, self.position.rules()) else { return false };
            self.position = position;
            let place = self.place();
            if !seen.insert((place.board, place.hand)) {
                continue;
            }
            let attacking = self.attacking();
            let mut list = MoveList::new();
            if attacking {
                self.list_checks(&mut list);
            } else {
                self.position.generate(Stage::All, &mut list);
            }
            if attacking {
                for m in list {
                    let after = self.after(place, true, m);
                    self.position.make(m, &mut ());
                    let claim = self.claim(after, true);
                    if let Claim::Trusted = claim {
                        open.push(self.position.diagram());
                    }
                    self.position.unmake();
                    if let Claim::Nothing = claim {
                        return false;
                    }
                }
            } else if let Some(way_out) = self.way_out(place, &list, &seen) {
                open.extend(way_out);
            } else {
                return false;
            }
        }
        true
    }

    /// The evasion to stay within the circle with: none where one is safe for certain, else where it leads. The outer
    /// `None` if there is no such evasion.
    fn way_out(&mut self, place: Place, list: &MoveList, seen: &AHashSet<(u64, Hand)>) -> Option<Option<Diagram>> {
        for search in [false, true] {
            let mut trusted = None;
            for &m in list {
                let after = self.after(place, false, m);
                self.position.make(m, &mut ());
                let claim = self.claim(after, search);
                // A position that has been looked at costs nothing more.
                if let Claim::Trusted = claim
                    && (trusted.is_none() || seen.contains(&(after.board, after.hand)))
                {
                    trusted = Some(self.position.diagram());
                }
                self.position.unmake();
                match claim {
                    Claim::Safe => return Some(None),
                    Claim::Trusted if search => return Some(trusted),
                    _ => {}
                }
            }
            if trusted.is_some() {
                return Some(trusted);
            }
        }
        None
    }

    /// What is said of the present position, if need be by a search: the table may have lost it, or it was on the path
    /// whenever it was looked at.
    fn claim(&mut self, place: Place, search: bool) -> Claim {
        match self.known(place, ENDLESS - 1) {
            Known::Safe(_) => Claim::Safe,
            Known::Trusted(_) => Claim::Trusted,
            Known::Mate(_) => Claim::Nothing,
            Known::New | Known::Open { .. } if !search => Claim::Nothing,
            Known::New | Known::Open { .. } => match self.prove(LONGEST) {
                Some(value) if value.mates(self.attacking()).is_none() && value.length() >= ENDLESS => {
                    if value.is_trusting() { Claim::Trusted } else { Claim::Safe }
                }
                _ => Claim::Nothing,
            },
        }
    }
}
