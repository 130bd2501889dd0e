//! Which patches are solved side by side: a colouring of the graph whose nodes are bodies and whose edges are patches.
//!
//! Patches of one colour have no movable body in common, so each sees the bodies as the others do not change them, and
//! the order among them means nothing. First fit: a patch takes the first colour that neither of its bodies has; the
//! colours of a body are the bits of a word. Patches against what does not move have colours of their own and come last,
//! so that nothing sinks into the ground. What finds no colour is done one by one, between the two. Within a colour patches
//! are sorted by slabs of space: see [`super::share`].
//! Cost: a few ns a patch, anew in every step; the result depends on the order and the slabs of the patches only.

use super::pack::WIDTH;
use super::slabs::SLABS;
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
    first_movable: u32,
    /// Of each row the colours that are taken: by patches with movable bodies, and with the ground.
    taken: Vec<[u64; 2]>,
    /// Each patch with where it belongs, and after sorting with its lane.
    list: Vec<(Patch, u32)>,
    /// How many patches belong there, and after that the lane of the next.
    counts: Vec<u32>,
    /// Of each group whether anything belongs there.
    is_used: Vec<bool>,
    /// Eight a pack.
    lanes: Vec<Patch>,
    groups: Vec<Group>,
}

/// The packs of a colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// Those of single points, and behind them the others: where the packs of each slab begin, and where all end. A pack
    /// with patches of several slabs counts to the first.
    halves: [[u32; SLABS + 1]; 2],
    /// They must be done one by one.
    pub(super) is_serial: bool,
}

impl Group {
    pub(super) fn packs(&self) -> Range<u32> {
        self.halves[0][0]..self.halves[1][SLABS]
    }

    /// The packs of some slabs, of either half.
    pub(super) fn packs_of(&self, slabs: &Range<usize>) -> [Range<u32>; 2] {
        self.halves.map(|starts| starts[slabs.start]..starts[slabs.end])
    }
}

const OVERFLOW: usize = COLOURS;
const GROUPS: usize = 2 * COLOURS + 1;

impl Colouring {
    /// Forgets all patches; there will be so many rows, and those below `first_movable` do not move.
    pub(super) fn begin(&mut self, first_movable: u32, rows: usize) {
        self.first_movable = first_movable;
        self.taken.clear();
        self.taken.resize(rows, [0; 2]);
        self.list.clear();
        self.counts.resize(2 * GROUPS * SLABS, 0);
        self.is_used.resize(GROUPS, false);
        for (counts, is_used) in self.counts.chunks_mut(2 * SLABS).zip(&mut self.is_used) {
            if std::mem::take(is_used) {
                counts.fill(0);
            }
        }
    }

    /// Takes in a patch between two rows, in a slab. Patches of a single point share packs, which need less of all that follows.
    pub(super) fn add(&mut self, patch: Patch, slab: u8, is_point: bool) {
        let [a, b] = patch.rows;
        let group = if a.min(b) < self.first_movable {
            let taken = &mut self.taken[a.max(b) as usize][1];
            let free = !*taken;
            let colour = free.trailing_zeros() as usize;
            *taken |= free & free.wrapping_neg();
            if colour < COLOURS { COLOURS + 1 + colour } else { OVERFLOW }
        } else {
            let free = !(self.taken[a as usize][0] | self.taken[b as usize][0]);
            let bit = free & free.wrapping_neg();
            self.taken[a as usize][0] |= bit;
            self.taken[b as usize][0] |= bit;
            // No bit is free: 64 zeros.
            free.trailing_zeros() as usize
        };
        let place = (2 * group + usize::from(!is_point)) * SLABS + usize::from(slab);
        self.counts[place] += 1;
        self.is_used[group] = true;
        self.list.push((patch, place as u32));
    }

    /// Sorts the patches into packs.
    pub(super) fn finish(&mut self) {
        let Self { list, counts, is_used, lanes, groups, .. } = self;
        groups.clear();
        let mut packs = 0;
        let used = counts.chunks_mut(2 * SLABS).zip(is_used).enumerate().filter(|(_, (_, is_used))| **is_used);
        for (group, (halves, _)) in used {
            let is_serial = group == OVERFLOW;
            // One by one means one in each pack.
            let pitch = if is_serial { WIDTH as u32 } else { 1 };
            let mut starts = [[0; SLABS + 1]; 2];
            for (half, starts) in halves.chunks_mut(SLABS).zip(&mut starts) {
                let mut lane = packs * WIDTH as u32;
                for (count, start) in half.iter_mut().zip(&mut *starts) {
                    *start = lane.div_ceil(WIDTH as u32);
                    lane += std::mem::replace(count, lane) * pitch;
                }
                packs = lane.div_ceil(WIDTH as u32);
                starts[SLABS] = packs;
            }
            groups.push(Group { halves: starts, is_serial });
        }
        lanes.clear();
        lanes.resize(packs as usize * WIDTH, NO_PATCH);
        for (patch, place) in list {
            let next = &mut counts[*place as usize];
            lanes[*next as usize] = *patch;
            let is_serial = *place as usize / (2 * SLABS) == OVERFLOW;
            *place = *next;
            *next += if is_serial { WIDTH as u32 } else { 1 };
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

    /// The packs of each colour in the order in which they are solved.
    pub(super) fn groups(&self) -> &[Group] {
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
            colouring.begin(first_movable, rows as usize);
            let count = rng.u32(0..600);
            let mut added = HashSet::new();
            for meeting in 0..count {
                let a = hub.filter(|_| rng.bool()).unwrap_or_else(|| rng.u32(0..rows));
                let b = rng.u32(0..rows);
                if a != b && a.max(b) >= first_movable {
                    let origin = Origin::Contact { meeting, manifold: 0 };
                    colouring.add(Patch { origin, rows: [a, b] }, rng.u8(0..32), rng.bool());
                    added.insert(meeting);
                }
            }
            colouring.finish();
            let mut seen = HashSet::new();
            for group in colouring.groups() {
                let (packs, is_serial) = (group.packs(), group.is_serial);
                let lanes = &colouring.lanes()[packs.start as usize * WIDTH..packs.end as usize * WIDTH];
                let mut touched = HashSet::new();
                for patch in lanes.iter().filter(|patch| **patch != NO_PATCH) {
                    let Origin::Contact { meeting, .. } = patch.origin;
                    assert!(seen.insert(meeting));
                    for row in patch.rows.into_iter().filter(|row| *row >= first_movable) {
                        assert!(is_serial || touched.insert(row), "case {case}");
                    }
                }
                if is_serial {
                    assert!(lanes.chunks(WIDTH).all(|pack| pack[1..].iter().all(|patch| *patch == NO_PATCH)));
                }
            }
            assert_eq!(seen, added);
        }
    }
}
