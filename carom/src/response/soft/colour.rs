//! Which patches are solved side by side: a colouring of the graph whose nodes are bodies and whose edges are patches.
//!
//! Patches of one colour have no movable body in common, so each sees the bodies as the others do not change them, and
//! the order among them means nothing. First fit: a patch takes the first colour that neither of its bodies has; the
//! colours of a body are the bits of a word. Patches against what does not move have colours of their own and come last,
//! so that nothing sinks into the ground. What finds no colour is done one by one, between the two. Within a colour patches
//! are sorted by slabs of space: see [`super::share`].
//! Of many patches, those within a region of neighbouring slabs are coloured by whoever has it, a few regions at a time; then
//! those across borders, one after the other, as all are if they are few. So the result depends on the order and the slabs of the
//! patches, and not on who took part.
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
/// Stands for a region where patches are across borders.
const ACROSS: usize = REGIONS;

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
    /// Of each block how many there may be in it.
    fn blocks(&self) -> impl Iterator<Item = u32>;

    /// Visits each patch of a block that has a movable row, and says whether it is a single point.
    fn for_each(&self, block: u32, visit: impl FnMut(Patch, bool));
}

/// Where rows are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space<'a> {
    /// Of each row its slab. Those of movable rows are in order, so the rows of a region are side by side.
    pub(super) slabs: &'a [u8],
    pub(super) first_movable: u32,
    /// Whether there are regions, or all is taken to be across borders.
    pub(super) is_divided: bool,
}

impl Space<'_> {
    /// The first slab that a patch is in, and its region.
    #[inline]
    fn of(&self, patch: &Patch) -> (usize, usize) {
        let [a, b] = patch.rows.map(|row| usize::from(self.slabs[row as usize]));
        let (slab, last) = match patch.rows.map(|row| row < self.first_movable) {
            [true, _] => (b, b),
            [_, true] => (a, a),
            [false, false] => (a.min(b), a.max(b)),
        };
        let is_across = !self.is_divided || slab / SLABS_EACH != last / SLABS_EACH;
        (slab, if is_across { ACROSS } else { slab / SLABS_EACH })
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

/// Patches sorted into packs; kept to spare allocations.
#[derive(Debug, Default)]
pub(super) struct Colouring {
    /// Of each row the colours that are taken: by patches with movable bodies, and with the ground.
    taken: Vec<[u64; 2]>,
    /// The patches in the order in which they come, each block with room for as many as there may be.
    list: Vec<Listed>,
    /// Of each of them its region.
    region_of: Vec<u8>,
    blocks: Vec<Block>,
    regions: Vec<Region>,
    across: Vec<Coloured>,
    /// Eight a pack, and lanes of packs that stay empty.
    lanes: Vec<Patch>,
    gaps: Vec<Range<u32>>,
    groups: Vec<Group>,
    counters: Counters,
}

/// A patch, and its lane once it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) patch: Patch,
    pub(super) lane: u32,
    slab: u8,
    is_point: bool,
}

/// A block of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    start: u32,
    count: u32,
    /// The regions that its patches are in, a bit each.
    regions: u32,
}

impl Block {
    fn range(&self) -> Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }
}

/// A patch with a colour: its place in the list, and to which of the counts of its slab's region it belongs.
#[derive(Debug, Clone, Copy)]
struct Coloured {
    place: u32,
    half: u32,
    slab: u8,
    patch: Patch,
}

/// What is counted in a region.
#[derive(Debug)]
struct Region {
    /// Of each half of a group and each slab how many patches belong there, and after that the lane of the next.
    counts: Box<[[u32; SLABS_EACH]; 2 * GROUPS]>,
    /// Of each group whether anything belongs there.
    is_used: [bool; GROUPS],
    /// The patches within it.
    own: Vec<Coloured>,
}

impl Default for Region {
    fn default() -> Self {
        Self { counts: Box::new([[0; SLABS_EACH]; 2 * GROUPS]), is_used: [false; GROUPS], own: Vec::new() }
    }
}

impl Region {
    /// Forgets all patches; makes room for so many.
    fn clear(&mut self, room: usize) {
        self.own.clear();
        self.own.reserve(room);
        for (counts, is_used) in self.counts.chunks_mut(2).zip(&mut self.is_used) {
            if std::mem::take(is_used) {
                counts.fill([0; SLABS_EACH]);
            }
        }
    }

    /// Counts a patch; tells to which of the counts it belongs.
    #[inline]
    fn count(&mut self, group: usize, is_point: bool, slab: usize) -> u32 {
        let half = 2 * group + usize::from(!is_point);
        self.counts[half][slab % SLABS_EACH] += 1;
        self.is_used[group] = true;
        half as u32
    }
}

/// The lane of a patch, which is the next of those that belong to one of its region's counts.
#[inline]
fn next(counts: &mut [[u32; SLABS_EACH]; 2 * GROUPS], &Coloured { half, slab, .. }: &Coloured) -> u32 {
    let next = &mut counts[half as usize][usize::from(slab) % SLABS_EACH];
    let pitch = if half as usize / 2 == OVERFLOW { WIDTH as u32 } else { 1 };
    std::mem::replace(next, *next + pitch)
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
    /// Gives a colour to each patch, and tells where the packs of each colour are. Several workers are of use if space is
    /// divided.
    pub(super) fn sort(&mut self, space: Space<'_>, patches: &impl Patches, workers: usize) {
        self.list_all(space, patches, workers);
        self.colour_across(space);
        self.make_groups();
    }

    /// Lists all patches, and gives colours to those within regions.
    fn list_all(&mut self, space: Space<'_>, patches: &impl Patches, workers: usize) {
        let Self { taken, list, region_of, blocks, regions, counters, .. } = self;
        taken.resize(space.slabs.len(), [0; 2]);
        taken[..space.first_movable as usize].fill([0; 2]);
        regions.resize_with(REGIONS, Region::default);
        let mut room = 0;
        blocks.clear();
        blocks.extend(patches.blocks().map(|most| {
            let start = room;
            room += most;
            Block { start, count: 0, regions: 0 }
        }));
        list.resize(room as usize, Listed { patch: NO_PATCH, lane: 0, slab: 0, is_point: false });
        region_of.resize(room as usize, 0);
        let listing =
            Listing { blocks: Shared::new(blocks), list: Shared::new(list), region_of: Shared::new(region_of) };
        let (taken, regions) = (Shared::new(taken), Shared::new(regions));
        let stages = [listing.blocks.len() as u32, REGIONS as u32];
        threads::run(workers, &stages, counters, |Task { stage, block: index, .. }| {
            if stage == 0 {
                // SAFETY: each block is one worker's, with its room in the list.
                #[allow(unsafe_code)]
                let block = unsafe { listing.blocks.get_mut(index as usize) };
                return patches.for_each(index, |patch, is_point| {
                    let (slab, region) = space.of(&patch);
                    let place = (block.start + block.count) as usize;
                    // SAFETY: as above.
                    #[allow(unsafe_code)]
                    unsafe {
                        *listing.list.get_mut(place) = Listed { patch, lane: 0, slab: slab as u8, is_point };
                        *listing.region_of.get_mut(place) = region as u8;
                    }
                    block.count += 1;
                    block.regions |= 1 << region;
                });
            }
            let own = index as usize;
            // SAFETY: each region is one worker's, with its rows; all patches were listed in the stage before.
            #[allow(unsafe_code)]
            unsafe {
                let region = regions.get_mut(own);
                region.clear(room as usize);
                space.rows_of(own).for_each(|row| *taken.get_mut(row) = [0; 2]);
                listing.for_each_of(own, |place, &Listed { patch, slab, is_point, .. }| {
                    let group = take_colour(patch.rows, space.first_movable, taken);
                    let half = region.count(group, is_point, usize::from(slab));
                    region.own.push(Coloured { place, half, slab, patch });
                });
            }
        });
    }

    /// Gives colours to the patches across borders.
    fn colour_across(&mut self, space: Space<'_>) {
        let Self { taken, list, region_of, blocks, regions, across, .. } = self;
        across.clear();
        let taken = Shared::new(taken);
        let listing =
            Listing { blocks: Shared::new(blocks), list: Shared::new(list), region_of: Shared::new(region_of) };
        // SAFETY: this worker is alone.
        #[allow(unsafe_code)]
        unsafe {
            listing.for_each_of(ACROSS, |place, &Listed { patch, slab, is_point, .. }| {
                let group = take_colour(patch.rows, space.first_movable, taken);
                let half = regions[usize::from(slab) / SLABS_EACH].count(group, is_point, usize::from(slab));
                across.push(Coloured { place, half, slab, patch });
            });
        }
    }

    /// Puts all patches into their lanes, those across borders behind the others. Of each pack it is given where it is kept.
    pub(super) fn place(&mut self, kept_at: &[u32], workers: usize) {
        let Self { list, regions, across, lanes, gaps, counters, .. } = self;
        lanes.resize(kept_at.len() * WIDTH, NO_PATCH);
        // What no patch comes to.
        gaps.drain(..).flatten().for_each(|lane| lanes[kept(lane, kept_at) as usize] = NO_PATCH);
        let (shared_list, shared_lanes, shared_regions) = (Shared::new(list), Shared::new(lanes), Shared::new(regions));
        threads::run(workers, &[REGIONS as u32], counters, |Task { block, .. }| {
            // SAFETY: each region is one worker's, with its patches, and each patch has a lane of its own.
            #[allow(unsafe_code)]
            let Region { own, counts, .. } = unsafe { shared_regions.get_mut(block as usize) };
            for coloured in &*own {
                let lane = kept(next(counts, coloured), kept_at);
                // SAFETY: as above.
                #[allow(unsafe_code)]
                unsafe {
                    shared_list.get_mut(coloured.place as usize).lane = lane;
                    *shared_lanes.get_mut(lane as usize) = coloured.patch;
                }
            }
        });
        for coloured in &*across {
            let lane = kept(next(&mut regions[usize::from(coloured.slab) / SLABS_EACH].counts, coloured), kept_at);
            list[coloured.place as usize].lane = lane;
            lanes[lane as usize] = coloured.patch;
        }
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

    /// Into how many blocks the patches are divided.
    pub(super) fn block_count(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// The patches of a block in the order in which they came, with their lanes where packs are kept.
    pub(super) fn placed_in(&self, block: u32) -> &[Listed] {
        &self.list[self.blocks[block as usize].range()]
    }

    /// All patches.
    pub(super) fn placed(&self) -> impl Iterator<Item = &Listed> {
        self.blocks.iter().flat_map(|block| &self.list[block.range()])
    }

    /// The packs of each colour in the order in which they are solved.
    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }
}

/// The list while several workers go through it.
#[derive(Clone, Copy)]
struct Listing<'a> {
    blocks: Shared<'a, Block>,
    list: Shared<'a, Listed>,
    region_of: Shared<'a, u8>,
}

impl Listing<'_> {
    /// Calls `work` with each patch of a region, or those across borders, in their order.
    ///
    /// # Safety
    ///
    /// All are listed, and nobody writes the list.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn for_each_of(self, region: usize, mut work: impl FnMut(u32, &Listed)) {
        for index in 0..self.blocks.len() {
            // SAFETY: the caller's.
            let block = unsafe { self.blocks.get(index) };
            if block.regions & 1 << region == 0 {
                continue;
            }
            for place in block.range() {
                // SAFETY: the caller's.
                unsafe {
                    if usize::from(*self.region_of.get(place)) == region {
                        work(place as u32, self.list.get(place));
                    }
                }
            }
        }
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
    fn blocks(&self) -> impl Iterator<Item = u32> {
        self.chunks(16).map(|block| block.len() as u32)
    }

    fn for_each(&self, block: u32, mut visit: impl FnMut(Patch, bool)) {
        self.iter().skip(16 * block as usize).take(16).for_each(|(patch, is_point)| visit(*patch, *is_point));
    }
}

#[cfg(test)]
mod tests {
    use super::{Colouring, NO_PATCH, Origin, Patch, Space, WIDTH};
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
            let space = Space { slabs: &slabs, first_movable, is_divided: rng.bool() };
            colouring.sort(space, &patches, 1);
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
            // Several workers come to the same, also where patches of an earlier step are in the way.
            let mut other = Colouring::default();
            other.sort(space, &patches.iter().rev().copied().collect::<Vec<_>>(), 1);
            other.sort(space, &patches, 3);
            other.place(&kept_at, 3);
            assert_eq!(other.lanes(), colouring.lanes());
            assert!(other.placed().eq(colouring.placed()));
            assert_eq!(other.groups(), colouring.groups());
        }
    }
}
