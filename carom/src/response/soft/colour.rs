//! Which patches are solved side by side: a colouring of the graph whose nodes are bodies and whose edges are patches.
//!
//! Patches of one colour have no movable body in common, so each sees the bodies as the others do not change them, and
//! the order among them means nothing. First fit: a patch takes the first colour that neither of its bodies has; the
//! colours of a body are the bits of a word. Patches against what does not move have colours of their own and come last,
//! so that nothing sinks into the ground. What finds no colour is done one by one, between the two.
//! Cost: a few ns a patch, anew in every step; the result depends on the order of the patches only.

use super::pack::WIDTH;
use crate::response::Origin;
use std::ops::Range;

/// As many colours as a word has bits, for patches of two movable bodies and again for those against the ground.
const COLOURS: usize = 64;

/// An edge of the graph: where it comes from, which means nothing here, and the rows of its bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) origin: Origin,
    pub(super) rows: [u32; 2],
}

/// No patch in this lane.
pub(super) const NO_PATCH: Patch = Patch { origin: Origin::Contact { meeting: u32::MAX, manifold: 0 }, rows: [0; 2] };

/// Patches sorted into packs; kept to spare allocations.
#[derive(Debug, Default)]
pub(super) struct Colouring {
    /// Of each row the colours that are taken: by patches with movable bodies, and with the ground.
    taken: Vec<[u64; 2]>,
    /// Each patch with its group, and after sorting with its lane.
    list: Vec<(Patch, u32)>,
    counts: Vec<Places>,
    /// Eight a pack.
    lanes: Vec<Patch>,
    /// The packs of each colour, and whether they must be done one by one.
    groups: Vec<(Range<u32>, bool)>,
}

/// Where the next patches of a colour go: those of single points and the others.
#[derive(Debug, Clone, Copy, Default)]
struct Places {
    /// Before it is known where: how many there are.
    next: [u32; 2],
    /// The lane where the single points go on behind the others, and how many lanes these have.
    points_end: u32,
    others: u32,
}

const OVERFLOW: usize = COLOURS;
const GROUPS: usize = 2 * COLOURS + 1;

impl Colouring {
    pub(super) fn clear(&mut self) {
        self.taken.clear();
        self.list.clear();
    }

    /// Takes in a patch between two rows; rows below `first_movable` do not move. Patches of a single point share packs,
    /// which need less of all that follows.
    pub(super) fn add(&mut self, patch: Patch, first_movable: u32, is_point: bool) {
        let [a, b] = patch.rows;
        let most = a.max(b) as usize;
        if self.taken.len() <= most {
            self.taken.resize(most + 1, [0; 2]);
        }
        let group = if a.min(b) < first_movable {
            let free = !self.taken[most][1];
            let colour = free.trailing_zeros() as usize;
            self.taken[most][1] |= free & free.wrapping_neg();
            if colour < COLOURS { COLOURS + 1 + colour } else { OVERFLOW }
        } else {
            let free = !(self.taken[a as usize][0] | self.taken[b as usize][0]);
            let bit = free & free.wrapping_neg();
            self.taken[a as usize][0] |= bit;
            self.taken[b as usize][0] |= bit;
            // No bit is free: 64 zeros.
            free.trailing_zeros() as usize
        };
        self.list.push((patch, 2 * group as u32 + u32::from(!is_point)));
    }

    /// Sorts the patches into packs. In a colour those of single points are before and after the others, half of them each:
    /// workers who take a part of it have about as much to do.
    pub(super) fn finish(&mut self) {
        let Self { list, counts, lanes, groups, .. } = self;
        counts.clear();
        counts.resize(GROUPS, Places::default());
        for (_, half) in &*list {
            counts[*half as usize / 2].next[*half as usize % 2] += 1;
        }
        groups.clear();
        let mut packs = 0;
        for (group, places) in counts.iter_mut().enumerate() {
            let is_serial = group == OVERFLOW;
            // One by one means one in each pack.
            let width = if is_serial { 1 } else { WIDTH as u32 };
            let [points, others] = places.next.map(|count| count.div_ceil(width));
            let first = points.div_ceil(2);
            *places = Places {
                next: [packs, packs + first].map(|pack| pack * WIDTH as u32),
                points_end: (packs + first) * WIDTH as u32,
                others: others * WIDTH as u32,
            };
            if points + others > 0 {
                groups.push((packs..packs + points + others, is_serial));
            }
            packs += points + others;
        }
        lanes.clear();
        lanes.resize(packs as usize * WIDTH, NO_PATCH);
        for (patch, half) in list {
            let (group, is_other) = (*half as usize / 2, *half % 2 == 1);
            let places = &mut counts[group];
            let next = &mut places.next[usize::from(is_other)];
            if !is_other && *next == places.points_end {
                // Over the others; from there on it never comes here again.
                *next += places.others;
                places.points_end = u32::MAX;
            }
            lanes[*next as usize] = *patch;
            *half = *next;
            *next += if group == OVERFLOW { WIDTH as u32 } else { 1 };
        }
    }

    /// The patches, eight a pack.
    pub(super) fn lanes(&self) -> &[Patch] {
        &self.lanes
    }

    /// The patches in the order in which they came, with their lanes.
    pub(super) fn placed(&self) -> &[(Patch, u32)] {
        &self.list
    }

    /// The packs of each colour in the order in which they are solved, and whether one by one.
    pub(super) fn groups(&self) -> &[(Range<u32>, bool)] {
        &self.groups
    }
}

#[cfg(test)]
mod tests {
    use super::{Colouring, NO_PATCH, Origin, Patch, WIDTH};
    use std::collections::HashSet;

    #[test]
    fn no_movable_row_is_twice_in_a_colour_and_no_patch_is_lost() {
        let mut rng = fastrand::Rng::with_seed(5);
        for case in 0..200 {
            let first_movable = rng.u32(1..4);
            let rows = first_movable + rng.u32(1..60);
            // A hub that touches everything overflows the colours.
            let hub = (case % 3 == 0).then(|| rng.u32(first_movable..rows));
            let mut colouring = Colouring::default();
            colouring.clear();
            let count = rng.u32(0..600);
            let mut added = HashSet::new();
            for meeting in 0..count {
                let a = hub.filter(|_| rng.bool()).unwrap_or_else(|| rng.u32(0..rows));
                let b = rng.u32(0..rows);
                if a != b && a.max(b) >= first_movable {
                    let origin = Origin::Contact { meeting, manifold: 0 };
                    colouring.add(Patch { origin, rows: [a, b] }, first_movable, rng.bool());
                    added.insert(meeting);
                }
            }
            colouring.finish();
            let mut seen = HashSet::new();
            for (packs, is_serial) in colouring.groups() {
                let lanes = &colouring.lanes()[packs.start as usize * WIDTH..packs.end as usize * WIDTH];
                let mut touched = HashSet::new();
                for patch in lanes.iter().filter(|patch| **patch != NO_PATCH) {
                    let Origin::Contact { meeting, .. } = patch.origin;
                    assert!(seen.insert(meeting));
                    for row in patch.rows.into_iter().filter(|row| *row >= first_movable) {
                        assert!(*is_serial || touched.insert(row), "case {case}");
                    }
                }
                if *is_serial {
                    assert!(lanes.chunks(WIDTH).all(|pack| pack[1..].iter().all(|patch| *patch == NO_PATCH)));
                }
            }
            assert_eq!(seen, added);
        }
    }
}
