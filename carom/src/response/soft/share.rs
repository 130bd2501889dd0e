//! Who does what in the passes, so that workers seldom meet.
//!
//! Worker number p of n has the p-th n-th of all slabs of space: the rows there, and the packs of each colour that begin
//! there. A row that packs of several parts touch, or packs of another part than its own, is on a border, and so is a pack
//! with such a row; all else is inside, and nobody else's. In a stage what is on the border is done first: others wait for
//! that only, see [`crate::threads::run_parts`]. So each row is touched by its packs in the order of the colours, however
//! many parts there are, and results are the same.
//! Cost: some ns a pack, by all workers; a list of all packs for one.

use super::colour::Group;
use super::pack::Pack;
use crate::slabs::SLABS;
use crate::threads::Board;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// The parts; kept to spare allocations.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    parts: Vec<Part>,
    /// How many of them there are in this step.
    count: usize,
    /// Where packs are kept: those of a part side by side, so that the same worker has the same memory in every step. Of
    /// each pack its place, and of each place its pack.
    kept_at: Vec<u32>,
    pack_at: Vec<u32>,
    /// Of each row whether another part than its own touches it; none between the steps.
    touched: Vec<AtomicBool>,
    board: Board,
}

/// What one worker does, unless another helps.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Its rows.
    rows: Range<u32>,
    /// Its rows on a border, and runs of those inside.
    pub(super) border_rows: Vec<u32>,
    pub(super) inside_rows: Vec<Range<u32>>,
    /// Where its packs are kept, colour by colour: those on a border first.
    packs: Vec<u32>,
    /// Of each colour where its packs in the list begin, and those of them that are inside.
    starts: Vec<[u32; 2]>,
}

impl Part {
    /// All its packs.
    pub(super) fn all_packs(&self) -> &[u32] {
        &self.packs
    }

    /// Its packs of a colour on a border, and those inside.
    #[inline]
    pub(super) fn packs(&self, group: usize) -> [&[u32]; 2] {
        let [start, inside] = self.starts[group].map(|place| place as usize);
        [&self.packs[start..inside], &self.packs[inside..self.end_of(group)]]
    }

    /// Where its packs of a colour end in the list.
    fn end_of(&self, group: usize) -> usize {
        self.starts.get(group + 1).map_or(self.packs.len(), |next| next[0] as usize)
    }
}

/// The slabs of a part.
fn slabs_of(part: usize, count: usize) -> Range<usize> {
    SLABS * part / count..SLABS * (part + 1) / count
}

impl Sharing {
    /// Makes so many parts of these colours and rows, of which the slabs are given, in order; row 0 is nobody's.
    pub(super) fn begin(&mut self, count: usize, groups: &[Group], slabs: &[u8]) {
        debug_assert!((1..=SLABS).contains(&count), "each part has a slab");
        self.count = count;
        self.pack_at.clear();
        self.kept_at.clear();
        self.kept_at.resize(groups.last().map_or(0, |group| group.packs().end as usize), 0);
        if self.parts.len() < count {
            self.parts.resize_with(count, Part::default);
        }
        for (index, part) in self.parts[..count].iter_mut().enumerate() {
            let own = slabs_of(index, count);
            let first_row = |slab: usize| slabs.partition_point(|of_row| usize::from(*of_row) < slab) as u32;
            part.rows = first_row(own.start).max(1)..first_row(own.end);
            part.packs.clear();
            part.starts.clear();
            for group in groups {
                let start = part.packs.len() as u32;
                part.starts.push([start; 2]);
                let all = [group.packs(), 0..0];
                let packs = match (group.is_serial, index) {
                    (false, _) => group.packs_of(&own),
                    (true, 0) => all,
                    (true, _) => continue,
                };
                for pack in packs.into_iter().flatten() {
                    let place = self.pack_at.len() as u32;
                    self.pack_at.push(pack);
                    self.kept_at[pack as usize] = place;
                    part.packs.push(place);
                }
            }
        }
        self.touched.resize_with(slabs.len(), AtomicBool::default);
    }

    /// Of each pack where it is kept.
    pub(super) fn kept_at(&self) -> &[u32] {
        &self.kept_at
    }

    /// Which pack is kept at a place.
    pub(super) fn pack_at(&self, place: u32) -> u32 {
        self.pack_at[place as usize]
    }

    /// Whether something holds for a pack of a colour, which is given where it is kept.
    pub(super) fn any_of(&self, group: usize, holds: impl Fn(u32) -> bool) -> bool {
        let packs = self.parts[..self.count].iter().flat_map(|part| part.packs(group)).flatten();
        packs.copied().any(holds)
    }

    /// The parts, and the board on which they tell how far they are.
    pub(super) fn parts(&mut self) -> (&[Part], &mut Board) {
        (&self.parts[..self.count], &mut self.board)
    }

    /// The parts, to be settled.
    pub(super) fn split(&mut self) -> (&mut [Part], Marks<'_>) {
        (&mut self.parts[..self.count], Marks { touched: &self.touched, count: self.count })
    }
}

/// Who touches which rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks<'a> {
    touched: &'a [AtomicBool],
    count: usize,
}

impl Marks<'_> {
    /// Takes note that a pack of a part is there.
    #[inline]
    pub(super) fn note(self, part: &Part, pack: &Pack) {
        if self.count == 1 || are_among(&pack.bodies, &part.rows) {
            return;
        }
        for row in pack.bodies.as_flattened().iter().filter(|row| **row > 0 && !part.rows.contains(row)) {
            // Asked first: who only reads does not take the line from others.
            if !self.is_touched(*row) {
                self.touched[*row as usize].store(true, Ordering::Relaxed);
            }
        }
    }

    /// Tells what of a part is on a border, once all packs are noted; of the rows in use only. What was noted of its rows is
    /// forgotten.
    pub(super) fn settle(
        self,
        part: &mut Part,
        groups: &[Group],
        (is_used, bodies_of): (impl Fn(u32) -> bool, impl Fn(u32) -> [[u32; 8]; 2]),
    ) {
        let rows = part.rows.clone();
        let Part { border_rows, inside_rows, .. } = part;
        // As much as there may ever be: where slabs lie may change much from step to step.
        border_rows.clear();
        border_rows.reserve(self.touched.len());
        inside_rows.clear();
        inside_rows.reserve(self.touched.len());
        for row in rows.clone().filter(|row| is_used(*row)) {
            if self.is_touched(row) {
                border_rows.push(row);
            } else if let Some(last) = inside_rows.last_mut().filter(|last| last.end == row) {
                last.end += 1;
            } else {
                inside_rows.push(row..row + 1);
            }
        }
        if self.count == 1 {
            return;
        }
        // Borders are at the ends of a part: most packs have no row that is not between the two.
        let (below, above) =
            border_rows.split_at(border_rows.partition_point(|row| *row < rows.start.midpoint(rows.end)));
        let quiet = below.last().map_or(rows.start, |row| row + 1)..above.first().copied().unwrap_or(rows.end);
        let is_on_border = |row: u32| row > 0 && (!rows.contains(&row) || self.is_touched(row));
        for (group, colour) in groups.iter().enumerate() {
            let end = part.end_of(group);
            let [start, inside] = &mut part.starts[group];
            // One by one means in their order.
            if colour.is_serial {
                *inside = end as u32;
                continue;
            }
            *inside = *start;
            for place in *start as usize..end {
                let bodies = bodies_of(part.packs[place]);
                if !are_among(&bodies, &quiet) && bodies.as_flattened().iter().any(|row| is_on_border(*row)) {
                    part.packs.swap(place, *inside as usize);
                    *inside += 1;
                }
            }
        }
        for row in &part.border_rows {
            self.touched[*row as usize].store(false, Ordering::Relaxed);
        }
    }

    fn is_touched(self, row: u32) -> bool {
        self.touched[row as usize].load(Ordering::Relaxed)
    }
}

/// Whether all rows of a pack are among these, but for row 0.
#[inline]
fn are_among(bodies: &[[u32; 8]; 2], rows: &Range<u32>) -> bool {
    let is_among = |row: u32| row == 0 || row.wrapping_sub(rows.start) < rows.end - rows.start;
    // All are asked, side by side.
    bodies.as_flattened().iter().fold(true, |all, row| all & is_among(*row))
}

#[cfg(test)]
mod tests {
    use super::super::colour::{Colouring, Patch, Placed, Space};
    use super::super::pack::{Pack, WIDTH};
    use super::{Ordering, SLABS, Sharing};
    use crate::response::Origin;
    use std::collections::HashMap;

    /// Bodies in a row that touch their neighbours, some of them one far away, a kinematic one and the ground.
    fn patches(rng: &mut fastrand::Rng, first_movable: u32, rows: u32) -> Vec<[u32; 2]> {
        let near = (first_movable..rows - 1).map(|row| [row, row + 1]);
        let grounded = (first_movable..rows).filter(|row| row % 3 == 0).map(|row| [row % first_movable, row]);
        let mut all: Vec<[u32; 2]> = near.chain(grounded).collect();
        all.extend((0..rng.u32(0..9)).map(|_| [rng.u32(first_movable..rows), first_movable]).filter(|[a, b]| a != b));
        // A hub overflows the colours.
        if rng.bool() {
            all.extend((first_movable + 1..rows).map(|row| [first_movable, row]));
        }
        rng.shuffle(&mut all);
        all
    }

    #[test]
    fn every_pack_and_row_is_one_parts_and_what_is_inside_no_others() {
        let mut rng = fastrand::Rng::with_seed(11);
        for case in 0..200 {
            let first_movable = rng.u32(1..4);
            let rows = first_movable + rng.u32(2..400);
            let movable = (rows - first_movable) as usize;
            let slab = |row: u32| row.checked_sub(first_movable).map_or(0, |row| row as usize * SLABS / movable) as u8;
            let slabs: Vec<u8> = (0..rows).map(slab).collect();
            let mut colouring = Colouring::default();
            let patches = (0..).zip(patches(&mut rng, first_movable, rows)).map(|(meeting, rows)| {
                let origin = Origin::Contact { meeting, manifold: 0 };
                (Patch { origin, rows }, meeting % 3 > 0)
            });
            let space = Space { slabs: &slabs, first_movable };
            colouring.begin(space, &patches.collect::<Vec<_>>(), 1);
            colouring.finish(space);
            let count = rng.usize(1..=SLABS);
            let mut sharing = Sharing::default();
            sharing.begin(count, colouring.groups(), &slabs);
            colouring.place(sharing.kept_at(), 1);
            let mut packs = vec![Pack::EMPTY; colouring.lanes().len() / WIDTH];
            for Placed { patch, lane } in colouring.placed() {
                let (pack, lane) = (&mut packs[*lane as usize / WIDTH], *lane as usize % WIDTH);
                (pack.bodies[0][lane], pack.bodies[1][lane]) = (patch.rows[0], patch.rows[1]);
            }
            let pack_at: Vec<u32> = (0..packs.len() as u32).map(|place| sharing.pack_at(place)).collect();
            let (parts, marks) = sharing.split();
            for part in &*parts {
                part.all_packs().iter().for_each(|pack| marks.note(part, &packs[*pack as usize]));
            }
            for part in &mut *parts {
                marks.settle(part, colouring.groups(), (|_| true, |pack: u32| packs[pack as usize].bodies));
            }
            assert!(marks.touched.iter().all(|touched| !touched.load(Ordering::Relaxed)), "case {case}");
            // Of each row who goes over it, and whose packs touch it.
            let (mut owners, mut touching) = (HashMap::new(), vec![Vec::new(); rows as usize]);
            let mut solvers = HashMap::new();
            for (index, part) in parts.iter().enumerate() {
                let own = part.border_rows.iter().copied().chain(part.inside_rows.iter().cloned().flatten());
                for row in own {
                    assert_eq!(owners.insert(row, index), None, "case {case}");
                    touching[row as usize].push(index);
                }
                for (group, colour) in colouring.groups().iter().enumerate() {
                    let own = part.packs(group);
                    for pack in own.into_iter().flatten() {
                        assert!(colour.packs().contains(&pack_at[*pack as usize]));
                        assert_eq!(solvers.insert(*pack, index), None, "case {case}");
                        let rows = packs[*pack as usize].bodies.as_flattened();
                        rows.iter().for_each(|row| touching[*row as usize].push(index));
                    }
                    assert!(!colour.is_serial || own[0].is_sorted() && own[1].is_empty() || count == 1);
                }
            }
            assert_eq!((owners.len(), solvers.len()), (rows as usize - 1, packs.len()), "case {case}");
            let is_alone =
                |row: u32, index: usize| row == 0 || touching[row as usize].iter().all(|other| *other == index);
            for (index, part) in parts.iter().enumerate() {
                assert!(part.inside_rows.iter().cloned().flatten().all(|row| is_alone(row, index)), "case {case}");
                for group in 0..colouring.groups().len() {
                    for pack in part.packs(group)[1] {
                        let rows = packs[*pack as usize].bodies.as_flattened();
                        assert!(rows.iter().all(|row| is_alone(*row, index)), "case {case}");
                    }
                }
            }
        }
    }
}
