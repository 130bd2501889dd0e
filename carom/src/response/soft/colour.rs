//! Which patches are solved side by side: a colouring of the graph whose nodes are bodies and whose edges are patches.
//!
//! Patches of one colour have no movable body in common, so each sees the bodies as the others do not change them, and
//! the order among them means nothing. First fit: a patch takes the first colour that neither of its bodies has; the
//! colours of a body are the bits of a word. Patches against what does not move have colours of their own and come last,
//! so that nothing sinks into the ground. What finds no colour is done one by one, between the two. Within a colour patches
//! are sorted by slabs of space: see [`super::share`].
//! If there are many, space is divided into a few regions of neighbouring slabs. Patches within a region are coloured by whoever has it, all
//! regions at a time; then those across borders, one after the other. So the result depends on the order and the slabs of
//! the patches, and not on who took part.
//! Cost: some ns a patch, anew in every step, most of it by all workers.

use super::pack::WIDTH;
use crate::response::Origin;
use crate::slabs::SLABS;
use crate::threads::{self, Counters, Shared, Task};
use std::ops::Range;

/// As many colours as a word has bits, for patches of two movable bodies and again for those against the ground.
const COLOURS: usize = 64;
/// Among the colours of patches against the ground: a patch of the row has found none. So these are one fewer.
const UNCOLOURED: u64 = 1 << (COLOURS - 1);
/// How many regions there are, and how many slabs each has. With more of them more patches are across borders.
const REGIONS: usize = 4;
const SLABS_EACH: usize = SLABS / REGIONS;
/// Where a patch belongs that is across borders, until it has a colour.
const ACROSS: u32 = u32::MAX;
/// With fewer blocks of patches space is not divided, and one worker does it all.
const FEW_BLOCKS: u32 = 8;

/// An edge of the graph: where it comes from, which means nothing here, and the rows of its bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) origin: Origin,
    pub(super) rows: [u32; 2],
}

/// No patch in this lane.
pub(super) const NO_PATCH: Patch = Patch { origin: Origin::Contact { meeting: u32::MAX, manifold: 0 }, rows: [0; 2] };

/// Where patches come from, block by block.
pub(super) trait Patches: Sync {
    fn blocks(&self) -> u32;

    /// Visits each patch of a block that has a movable row, and says whether it is a single point.
    fn for_each(&self, block: u32, visit: impl FnMut(Patch, bool));
}

/// Where rows are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space<'a> {
    /// Of each row its slab. Those of movable rows are in order, so the rows of a region are side by side.
    pub(super) slabs: &'a [u8],
    pub(super) first_movable: u32,
}

impl Space<'_> {
    /// The first slab that a patch is in, and the region, or one more than there are if it is in several.
    #[inline]
    fn of(&self, patch: &Patch) -> (usize, usize) {
        let [a, b] = patch.rows.map(|row| usize::from(self.slabs[row as usize]));
        let slab = match patch.rows.map(|row| row < self.first_movable) {
            [true, _] => return (b, b / SLABS_EACH),
            [_, true] => return (a, a / SLABS_EACH),
            [false, false] => a.min(b),
        };
        (slab, if a / SLABS_EACH == b / SLABS_EACH { slab / SLABS_EACH } else { REGIONS })
    }

    fn rows_of(&self, region: usize) -> Range<usize> {
        let movable = &self.slabs[self.first_movable as usize..];
        let first = |region: usize| movable.partition_point(|slab| usize::from(*slab) < region * SLABS_EACH);
        self.first_movable as usize + first(region)..self.first_movable as usize + first(region + 1)
    }
}

/// Where a lane is if its pack is kept elsewhere.
#[inline]
fn kept(lane: u32, kept_at: &[u32]) -> u32 {
    kept_at[lane as usize / WIDTH] * WIDTH as u32 + lane % WIDTH as u32
}

/// The region of what belongs somewhere.
fn region_of_place(place: u32) -> usize {
    place as usize % SLABS / SLABS_EACH
}

/// Patches sorted into packs; kept to spare allocations.
#[derive(Debug, Default)]
pub(super) struct Colouring {
    /// Of each row the colours that are taken: by patches with movable bodies, and with the ground.
    taken: Vec<[u64; 2]>,
    /// Each patch in the order in which they come, with where it belongs, and after sorting with its lane.
    list: Vec<(Patch, u32)>,
    /// Patches region by region, then those across borders; and where those of each begin.
    order: Vec<Listed>,
    firsts: [u32; REGIONS + 1],
    /// Of each block where its patches of each region and those across borders go in the order, and all of them in the list.
    starts: Vec<[u32; REGIONS + 2]>,
    regions: Vec<Region>,
    is_alone: bool,
    /// Eight a pack, and lanes of packs that stay empty.
    lanes: Vec<Patch>,
    gaps: Vec<Range<u32>>,
    groups: Vec<Group>,
    counters: Counters,
}

/// A patch on its way to its lane.
#[derive(Debug, Clone, Copy)]
struct Listed {
    patch: Patch,
    is_point: bool,
    /// Where it belongs.
    place: u32,
    /// Which of all patches it is.
    index: u32,
}

/// What is counted in a region.
#[derive(Debug)]
struct Region {
    /// Of each half of a group and each slab how many patches belong there, and after that the lane of the next.
    counts: Box<[[u32; SLABS_EACH]; 2 * GROUPS]>,
    /// Of each group whether anything belongs there.
    is_used: [bool; GROUPS],
}

impl Default for Region {
    fn default() -> Self {
        Self { counts: Box::new([[0; SLABS_EACH]; 2 * GROUPS]), is_used: [false; GROUPS] }
    }
}

impl Region {
    fn clear(&mut self) {
        for (counts, is_used) in self.counts.chunks_mut(2).zip(&mut self.is_used) {
            if std::mem::take(is_used) {
                counts.fill([0; SLABS_EACH]);
            }
        }
    }

    /// Counts a patch; tells where it belongs.
    fn count(&mut self, group: usize, is_point: bool, slab: usize) -> u32 {
        let half = 2 * group + usize::from(!is_point);
        self.counts[half][slab % SLABS_EACH] += 1;
        self.is_used[group] = true;
        (half * SLABS + slab) as u32
    }

    /// The lane of the next patch that belongs there.
    fn next(&mut self, place: u32) -> u32 {
        let (half, slab) = (place as usize / SLABS, place as usize % SLABS);
        let next = &mut self.counts[half][slab % SLABS_EACH];
        let pitch = if half / 2 == OVERFLOW { WIDTH as u32 } else { 1 };
        std::mem::replace(next, *next + pitch)
    }
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
    /// Gives a colour to each patch, and tells where the packs of each colour are.
    pub(super) fn sort(&mut self, space: Space<'_>, patches: &impl Patches, workers: usize) {
        self.taken.resize(space.slabs.len(), [0; 2]);
        self.regions.resize_with(REGIONS, Region::default);
        let is_divided = patches.blocks() >= FEW_BLOCKS;
        self.is_alone = workers == 1 || !is_divided;
        if self.is_alone {
            self.colour_alone(space, patches, is_divided);
        } else {
            self.colour_together(space, patches, workers);
        }
        self.make_groups();
    }

    /// Puts all patches into their lanes, those across borders behind the others. Of each pack it is given where it is kept.
    pub(super) fn place(&mut self, kept_at: &[u32], workers: usize) {
        let Self { lanes, gaps, .. } = self;
        lanes.resize(kept_at.len() * WIDTH, NO_PATCH);
        // What no patch comes to.
        gaps.drain(..).flatten().for_each(|lane| lanes[kept(lane, kept_at) as usize] = NO_PATCH);
        if self.is_alone {
            let Self { list, regions, .. } = self;
            for (patch, lane) in list.iter_mut().filter(|(_, place)| *place != ACROSS) {
                *lane = kept(regions[region_of_place(*lane)].next(*lane), kept_at);
                lanes[*lane as usize] = *patch;
            }
        } else {
            self.place_together(kept_at, workers);
        }
        let Self { list, order, firsts, regions, lanes, .. } = self;
        for Listed { patch, place, index, .. } in &order[firsts[REGIONS] as usize..] {
            let lane = kept(regions[region_of_place(*place)].next(*place), kept_at);
            list[*index as usize] = (*patch, lane);
            lanes[lane as usize] = *patch;
        }
    }

    /// Gives colours to all patches, those across borders last if space is divided.
    fn colour_alone(&mut self, space: Space<'_>, patches: &impl Patches, is_divided: bool) {
        let Self { taken, list, order, firsts, regions, .. } = self;
        taken.fill([0; 2]);
        regions.iter_mut().for_each(Region::clear);
        list.clear();
        order.clear();
        firsts.fill(0);
        let taken = Shared::new(taken);
        for block in 0..patches.blocks() {
            patches.for_each(block, |patch, is_point| {
                let (slab, region) = space.of(&patch);
                if is_divided && region == REGIONS {
                    order.push(Listed { patch, is_point, place: 0, index: list.len() as u32 });
                    list.push((patch, ACROSS));
                } else {
                    // SAFETY: this worker is alone.
                    #[allow(unsafe_code)]
                    let group = unsafe { take_colour(patch.rows, space.first_movable, taken) };
                    list.push((patch, regions[slab / SLABS_EACH].count(group, is_point, slab)));
                }
            });
        }
        self.colour_across(space);
    }

    /// Gives colours to the patches across borders.
    fn colour_across(&mut self, space: Space<'_>) {
        let Self { taken, order, firsts, regions, .. } = self;
        let taken = Shared::new(taken);
        for Listed { patch, is_point, place, .. } in &mut order[firsts[REGIONS] as usize..] {
            // SAFETY: this worker is alone.
            #[allow(unsafe_code)]
            let group = unsafe { take_colour(patch.rows, space.first_movable, taken) };
            let (slab, _) = space.of(patch);
            *place = regions[slab / SLABS_EACH].count(group, *is_point, slab);
        }
    }

    /// The same by several workers.
    fn colour_together(&mut self, space: Space<'_>, patches: &impl Patches, workers: usize) {
        let Self { taken, list, order, starts, firsts, regions, counters, .. } = self;
        let blocks = patches.blocks();
        starts.clear();
        starts.resize(blocks as usize, [0; REGIONS + 2]);
        let shared_starts = Shared::new(starts);
        threads::run(workers, &[blocks], counters, |Task { block, .. }| {
            // SAFETY: each block is one worker's.
            #[allow(unsafe_code)]
            let counts = unsafe { shared_starts.get_mut(block as usize) };
            patches.for_each(block, |patch, _| {
                counts[space.of(&patch).1] += 1;
                counts[REGIONS + 1] += 1;
            });
        });
        let mut all = 0;
        for region in 0..=REGIONS {
            firsts[region] = all;
            starts.iter_mut().for_each(|counts| all += std::mem::replace(&mut counts[region], all));
        }
        let mut in_list = 0;
        starts.iter_mut().for_each(|counts| in_list += std::mem::replace(&mut counts[REGIONS + 1], in_list));
        list.resize(all as usize, (NO_PATCH, 0));
        order.resize(all as usize, Listed { patch: NO_PATCH, is_point: false, place: 0, index: 0 });
        taken[..space.first_movable as usize].fill([0; 2]);
        let firsts = *firsts;
        let (shared_order, shared_starts) = (Shared::new(order), Shared::new(starts));
        let (shared_taken, shared_regions) = (Shared::new(taken), Shared::new(regions));
        threads::run(workers, &[blocks, REGIONS as u32], counters, |Task { stage, block, .. }| {
            if stage == 0 {
                // SAFETY: each block is one worker's.
                #[allow(unsafe_code)]
                let starts = unsafe { shared_starts.get_mut(block as usize) };
                return patches.for_each(block, |patch, is_point| {
                    let (_, region) = space.of(&patch);
                    let [place, index] = [starts[region], starts[REGIONS + 1]];
                    // SAFETY: each patch of each block has a place of its own.
                    #[allow(unsafe_code)]
                    let listed = unsafe { shared_order.get_mut(place as usize) };
                    *listed = Listed { patch, is_point, place: 0, index };
                    starts[region] += 1;
                    starts[REGIONS + 1] += 1;
                });
            }
            // SAFETY: each region is one worker's, with its rows and its patches, which were listed in the stage before.
            #[allow(unsafe_code)]
            unsafe {
                let region = shared_regions.get_mut(block as usize);
                region.clear();
                space.rows_of(block as usize).for_each(|row| *shared_taken.get_mut(row) = [0; 2]);
                for place in firsts[block as usize]..firsts[block as usize + 1] {
                    let Listed { patch, is_point, place, .. } = shared_order.get_mut(place as usize);
                    let group = take_colour(patch.rows, space.first_movable, shared_taken);
                    *place = region.count(group, *is_point, space.of(patch).0);
                }
            }
        });
        self.colour_across(space);
    }

    /// Puts the patches within regions into their lanes, by several workers.
    fn place_together(&mut self, kept_at: &[u32], workers: usize) {
        let Self { list, order, firsts, regions, lanes, counters, .. } = self;
        let (list, regions, lanes) = (Shared::new(list), Shared::new(regions), Shared::new(lanes));
        threads::run(workers, &[REGIONS as u32], counters, |Task { block, .. }| {
            for place in firsts[block as usize]..firsts[block as usize + 1] {
                let Listed { patch, place, index, .. } = order[place as usize];
                // SAFETY: each region is one worker's, with its patches, and each patch has places of its own.
                #[allow(unsafe_code)]
                unsafe {
                    let lane = kept(regions.get_mut(block as usize).next(place), kept_at);
                    *list.get_mut(index as usize) = (patch, lane);
                    *lanes.get_mut(lane as usize) = patch;
                }
            }
        });
    }

    /// Tells where the packs of each colour are, and from where on the lanes of each slab are filled.
    fn make_groups(&mut self) {
        let Self { regions, groups, gaps, .. } = self;
        groups.clear();
        gaps.clear();
        let mut packs = 0;
        for group in 0..GROUPS {
            if !regions.iter().any(|region| region.is_used[group]) {
                continue;
            }
            let is_serial = group == OVERFLOW;
            // One by one means one in each pack.
            let pitch = if is_serial { WIDTH as u32 } else { 1 };
            let mut starts = [[0; SLABS + 1]; 2];
            for (half, starts) in starts.iter_mut().enumerate() {
                let mut lane = packs * WIDTH as u32;
                let first = lane;
                for (slab, start) in starts[..SLABS].iter_mut().enumerate() {
                    let region = &mut regions[slab / SLABS_EACH];
                    *start = lane.div_ceil(WIDTH as u32);
                    // A group that only other regions use was not cleared here: it is all zeros.
                    region.is_used[group] = true;
                    lane += std::mem::replace(&mut region.counts[2 * group + half][slab % SLABS_EACH], lane) * pitch;
                }
                packs = lane.div_ceil(WIDTH as u32);
                starts[SLABS] = packs;
                gaps.push(if is_serial { first } else { lane }..packs * WIDTH as u32);
            }
            groups.push(Group { halves: starts, is_serial });
        }
    }

    /// How many packs there are.
    pub(super) fn pack_count(&self) -> usize {
        self.groups.last().map_or(0, |group| group.packs().end as usize)
    }

    /// Whether a patch has a movable row.
    #[inline]
    pub(super) fn is_touched(&self, row: u32) -> bool {
        self.taken[row as usize] != [0; 2]
    }

    /// The patches, eight a pack, where packs are kept.
    pub(super) fn lanes(&self) -> &[Patch] {
        &self.lanes
    }

    /// The patches in the order in which they came, with their lanes where packs are kept.
    pub(super) fn placed(&self) -> &[(Patch, u32)] {
        &self.list
    }

    /// The packs of each colour in the order in which they are solved.
    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }
}

/// Takes the first colour that is free for a patch; tells its group.
///
/// # Safety
///
/// Nobody else has one of its movable rows.
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn take_colour([a, b]: [u32; 2], first_movable: u32, taken: Shared<'_, [u64; 2]>) -> usize {
    // SAFETY: the caller's; one ends before the other begins.
    let of_row = |row: u32| unsafe { taken.get_mut(row as usize) };
    let is_grounded = a.min(b) < first_movable;
    let side = usize::from(is_grounded);
    let movable = || [a, b].into_iter().filter(|row| *row >= first_movable);
    // All ones, and so no colour, if none is free.
    let taken = if is_grounded { of_row(a.max(b))[1] | UNCOLOURED } else { of_row(a)[0] | of_row(b)[0] };
    let colour = taken.trailing_ones() as usize;
    if colour == COLOURS {
        movable().for_each(|row| of_row(row)[1] |= UNCOLOURED);
        return OVERFLOW;
    }
    movable().for_each(|row| of_row(row)[side] |= 1 << colour);
    if is_grounded { COLOURS + 1 + colour } else { colour }
}

/// Blocks of 16.
#[cfg(test)]
impl Patches for Vec<(Patch, bool)> {
    fn blocks(&self) -> u32 {
        self.len().div_ceil(16) as u32
    }

    fn for_each(&self, block: u32, mut visit: impl FnMut(Patch, bool)) {
        self.iter().skip(16 * block as usize).take(16).for_each(|(patch, is_point)| visit(*patch, *is_point));
    }
}

#[cfg(test)]
mod tests {
    use super::{Colouring, NO_PATCH, Origin, Patch, REGIONS, Space, WIDTH};
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
            let mut slabs: Vec<u8> = (0..rows).map(|_| rng.u8(0..32)).collect();
            slabs.sort_unstable();
            slabs[..first_movable as usize].fill(0);
            let count = rng.u32(0..600);
            let (mut added, mut patches) = (HashSet::new(), Vec::new());
            for meeting in 0..count {
                let a = hub.filter(|_| rng.bool()).unwrap_or_else(|| rng.u32(0..rows));
                let b = rng.u32(0..rows);
                if a != b && a.max(b) >= first_movable {
                    let origin = Origin::Contact { meeting, manifold: 0 };
                    patches.push((Patch { origin, rows: [a, b] }, rng.bool()));
                    added.insert(meeting);
                }
            }
            let space = Space { slabs: &slabs, first_movable };
            let is_divided = rng.bool();
            colouring.taken.resize(rows as usize, [0; 2]);
            colouring.regions.resize_with(REGIONS, Default::default);
            colouring.is_alone = true;
            colouring.colour_alone(space, &patches, is_divided);
            colouring.make_groups();
            let kept_at: Vec<u32> = (0..colouring.pack_count() as u32).collect();
            colouring.place(&kept_at, 1);
            let mut seen = HashSet::new();
            for group in colouring.groups() {
                let (packs, is_serial) = (group.packs(), group.is_serial);
                let lanes = &colouring.lanes()[packs.start as usize * WIDTH..packs.end as usize * WIDTH];
                let mut touched = HashSet::new();
                for patch in lanes.iter().filter(|patch| **patch != NO_PATCH) {
                    let Origin::Contact { meeting, .. } = patch.origin;
                    assert!(seen.insert(meeting));
                    for row in patch.rows.into_iter().filter(|row| *row >= first_movable) {
                        assert!(colouring.is_touched(row), "case {case}");
                        assert!(is_serial || touched.insert(row), "case {case}");
                    }
                }
                if is_serial {
                    assert!(lanes.chunks(WIDTH).all(|pack| pack[1..].iter().all(|patch| *patch == NO_PATCH)));
                }
            }
            assert_eq!(seen, added);
            if !is_divided {
                continue;
            }
            // Several workers come to the same, also where patches of an earlier step are in the way.
            let mut other = Colouring::default();
            other.sort(space, &patches.iter().rev().copied().collect::<Vec<_>>(), 1);
            other.colour_together(space, &patches, 3);
            other.make_groups();
            other.is_alone = false;
            other.place(&kept_at, 3);
            assert_eq!((other.lanes(), other.placed()), (colouring.lanes(), colouring.placed()));
            assert_eq!(other.groups(), colouring.groups());
        }
    }
}
