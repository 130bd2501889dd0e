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
//! Workers list the patches block by block, those of each block sorted by region. Neighbours in memory are mostly neighbours in
//! space, so that few of them have to be moved for it.
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
/// So many patches are in a line of memory.
const LINE: usize = 64 / size_of::<Placed>();
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

    /// A block has no more patches than this: so much room is made for them, and others have what is behind it.
    fn most(&self, block: u32) -> u32;

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
    blocks: Vec<Block>,
    /// The patches within regions and those across borders, each block with room for all of its own in both.
    within: Vec<Placed>,
    across: Vec<Placed>,
    regions: Vec<Region>,
    is_divided: bool,
    /// Eight a pack, and lanes of packs that stay empty.
    lanes: Vec<Patch>,
    gaps: Vec<Range<u32>>,
    groups: Vec<Group>,
    counters: Counters,
}

/// A patch and its lane, where packs are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) patch: Patch,
    /// On the way there: its slab and, in the lowest bit, whether it is a point; and with its colour, where it belongs.
    pub(super) lane: u32,
}

impl Placed {
    /// Its slab, before it has a colour.
    fn slab(&self) -> usize {
        self.lane as usize >> 1
    }
}

const NOT_PLACED: Placed = Placed { patch: NO_PATCH, lane: 0 };

/// Where the patches of a block are in its room: those of its region, which is mostly that of all, then region by region the others;
/// and those across borders, in as much room among their like.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    room: Range<u32>,
    /// That of the first patch that has one.
    region: Option<usize>,
    own_end: u32,
    /// Of each other region where its patches end.
    ends: [u32; REGIONS],
    across_end: u32,
    /// Until they are sorted, those of other regions are at the end of the room of those across borders.
    others_start: u32,
}

impl Block {
    fn new(room: Range<u32>) -> Self {
        let Range { start, end } = room;
        Self { room, region: None, own_end: start, ends: [start; REGIONS], across_end: start, others_start: end }
    }

    /// How many patches have come, before they are sorted.
    fn taken(&self) -> u32 {
        let Range { start, end } = self.room;
        (self.own_end - start) + (self.across_end - start) + (end - self.others_start)
    }

    /// All patches within regions.
    fn within(&self) -> Range<usize> {
        self.room.start as usize..self.ends[REGIONS - 1] as usize
    }

    fn across(&self) -> Range<usize> {
        self.room.start as usize..self.across_end as usize
    }

    fn of_region(&self, region: usize) -> Range<usize> {
        if self.region == Some(region) {
            return self.room.start as usize..self.own_end as usize;
        }
        let start = region.checked_sub(1).map_or(self.own_end, |before| self.ends[before]);
        start as usize..self.ends[region] as usize
    }
}

/// The next of some places, of which so many are taken.
fn take(next: &mut u32, count: u32) -> u32 {
    let first = *next;
    *next += count;
    first
}

/// The patches of all blocks, in which each block has its room.
#[derive(Debug, Clone, Copy)]
struct Rooms<'a> {
    within: Shared<'a, Placed>,
    across: Shared<'a, Placed>,
}

impl Rooms<'_> {
    /// Takes the next patch of a block, which is in a region or across borders.
    ///
    /// # Safety
    ///
    /// Nobody else has the block, which has no more patches than its room.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn put(self, block: &mut Block, region: Option<usize>, placed: Placed) {
        debug_assert!(block.taken() < block.room.len() as u32, "it has more patches than it said");
        let (room, place) = match region {
            None => (self.across, take(&mut block.across_end, 1)),
            Some(region) if *block.region.get_or_insert(region) == region => (self.within, take(&mut block.own_end, 1)),
            Some(_) => {
                block.others_start -= 1;
                (self.across, block.others_start)
            }
        };
        // SAFETY: the caller's.
        *unsafe { room.get_mut(place as usize) } = placed;
    }

    /// Sorts the patches of other regions, once all of a block have come.
    ///
    /// # Safety
    ///
    /// Nobody else has the block.
    #[allow(unsafe_code)]
    unsafe fn sort_others(self, block: &mut Block, region_of: impl Fn(&Placed) -> usize) {
        // SAFETY: the caller's. The last that came is the first.
        let others =
            || (block.others_start..block.room.end).rev().map(|place| unsafe { self.across.get(place as usize) });
        let mut counts = [0; REGIONS];
        others().for_each(|placed| counts[region_of(placed)] += 1);
        let mut end = block.own_end;
        let mut next = counts.map(|count| take(&mut end, count));
        for placed in others() {
            let place = take(&mut next[region_of(placed)], 1);
            // SAFETY: the caller's, and there is room for all.
            *unsafe { self.within.get_mut(place as usize) } = *placed;
        }
        block.ends = next;
    }
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
        take(&mut self.counts[half][slab % SLABS_EACH], if half / 2 == OVERFLOW { WIDTH as u32 } else { 1 })
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
    /// Gives a colour to each patch, as far as workers can do it side by side; [`Colouring::finish`] does the rest.
    pub(super) fn begin(&mut self, space: Space<'_>, patches: &impl Patches, workers: usize) {
        let is_divided = patches.blocks() >= FEW_BLOCKS || threads::is_few_ordered();
        self.colour(space, patches, is_divided, workers);
    }

    /// Gives a colour to each patch across borders, and tells where the packs of each colour are.
    pub(super) fn finish(&mut self, space: Space<'_>) {
        self.colour_across(space);
        self.make_groups();
    }

    /// Gives a colour to each patch within a region, in their order.
    fn colour(&mut self, space: Space<'_>, patches: &impl Patches, is_divided: bool, workers: usize) {
        let Self { taken, blocks, within, across, regions, counters, .. } = self;
        self.is_divided = is_divided;
        taken.resize(space.slabs.len(), [0; 2]);
        regions.resize_with(REGIONS, Region::default);
        let mut room = 0;
        blocks.clear();
        blocks.extend((0..patches.blocks()).map(|block| {
            let first = take(&mut room, patches.most(block));
            Block::new(first..room)
        }));
        within.resize(room as usize, NOT_PLACED);
        across.resize(room as usize, NOT_PLACED);
        let is_alone = workers == 1 || !is_divided;
        if is_alone {
            taken.fill([0; 2]);
            regions.iter_mut().for_each(Region::clear);
        } else {
            taken[..space.first_movable as usize].fill([0; 2]);
        }
        let (blocks, regions, taken) = (Shared::new(blocks), Shared::new(regions), Shared::new(taken));
        let rooms = Rooms { within: Shared::new(within), across: Shared::new(across) };
        let list = |number: u32| {
            // SAFETY: each block is one worker's.
            #[allow(unsafe_code)]
            let block = unsafe { blocks.get_mut(number as usize) };
            // Who had them last may be another.
            block.room.clone().step_by(LINE).for_each(|place| rooms.within.fetch_all_to_write(place as usize));
            patches.for_each(number, |patch, is_point| {
                let (slab, region) = space.of(&patch);
                let mut placed = Placed { patch, lane: (slab << 1 | usize::from(is_point)) as u32 };
                let region = if is_divided { (region < REGIONS).then_some(region) } else { Some(0) };
                // SAFETY: the block is this worker's, with room for as many as it has; and who is alone has all rows and regions.
                #[allow(unsafe_code)]
                unsafe {
                    if is_alone && region.is_some() {
                        take_colour(&mut placed, space.first_movable, taken, regions);
                    }
                    rooms.put(block, region, placed);
                }
            });
            let region_of = |placed: &Placed| {
                if is_alone { region_of_place(placed.lane) } else { placed.slab() / SLABS_EACH }
            };
            // SAFETY: as above.
            #[allow(unsafe_code)]
            unsafe {
                rooms.sort_others(block, region_of);
            }
        };
        if is_alone {
            return (0..blocks.len() as u32).for_each(list);
        }
        threads::run(workers, &[blocks.len() as u32, REGIONS as u32], counters, |Task { stage, block, .. }| {
            if stage == 0 {
                return list(block);
            }
            let region = block as usize;
            // SAFETY: each region is one worker's, with its rows and its patches, which were listed in the stage before.
            #[allow(unsafe_code)]
            unsafe {
                regions.get_mut(region).clear();
                space.rows_of(region).for_each(|row| *taken.get_mut(row) = [0; 2]);
                for place in (0..blocks.len()).flat_map(|block| blocks.get(block).of_region(region)) {
                    take_colour(rooms.within.get_mut(place), space.first_movable, taken, regions);
                }
            }
        });
    }

    /// Gives colours to the patches across borders.
    fn colour_across(&mut self, space: Space<'_>) {
        let Self { taken, blocks, across, regions, .. } = self;
        let (regions, taken) = (Shared::new(regions), Shared::new(taken));
        for block in blocks.iter() {
            for placed in &mut across[block.across()] {
                // SAFETY: this worker is alone.
                #[allow(unsafe_code)]
                unsafe {
                    take_colour(placed, space.first_movable, taken, regions);
                }
            }
        }
    }

    /// Puts all patches into their lanes, those across borders behind the others. Of each pack it is given where it is kept.
    pub(super) fn place(&mut self, kept_at: &[u32], workers: usize) {
        let Self { blocks, within, across, regions, lanes, gaps, counters, .. } = self;
        lanes.resize(kept_at.len() * WIDTH, NO_PATCH);
        // What no patch comes to.
        gaps.drain(..).flatten().for_each(|lane| lanes[kept(lane, kept_at) as usize] = NO_PATCH);
        let (within, regions, lanes) = (Shared::new(within), Shared::new(regions), Shared::new(lanes));
        let workers = if self.is_divided { workers } else { 1 };
        threads::run(workers, &[REGIONS as u32], counters, |Task { block: region, .. }| {
            for place in blocks.iter().flat_map(|block| block.of_region(region as usize)) {
                // SAFETY: each region is one worker's, with its patches, and each patch has places of its own. If there are no
                // regions one worker has all.
                #[allow(unsafe_code)]
                unsafe {
                    put_in_lane(within.get_mut(place), regions, lanes, kept_at);
                }
            }
        });
        for block in blocks.iter() {
            for placed in &mut across[block.across()] {
                // SAFETY: this worker is alone.
                #[allow(unsafe_code)]
                unsafe {
                    put_in_lane(placed, regions, lanes, kept_at);
                }
            }
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

    /// How many blocks there are.
    pub(super) fn block_count(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// The patches of a block, those of one pair side by side.
    pub(super) fn placed_in(&self, block: u32) -> [&[Placed]; 2] {
        let block = &self.blocks[block as usize];
        [&self.within[block.within()], &self.across[block.across()]]
    }

    /// All patches, block by block.
    pub(super) fn placed(&self) -> impl Iterator<Item = &Placed> {
        (0..self.block_count()).flat_map(|block| self.placed_in(block)).flatten()
    }

    /// The packs of each colour in the order in which they are solved.
    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }
}

/// Takes the first colour that is free for a patch, which is told then where it belongs.
///
/// # Safety
///
/// Nobody else has one of its movable rows, nor its region.
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn take_colour(
    placed: &mut Placed,
    first_movable: u32,
    taken: Shared<'_, [u64; 2]>,
    regions: Shared<'_, Region>,
) {
    let [a, b] = placed.patch.rows;
    // SAFETY: the caller's; one ends before the other begins.
    let of_row = |row: u32| unsafe { taken.get_mut(row as usize) };
    let is_grounded = a.min(b) < first_movable;
    let side = usize::from(is_grounded);
    let movable = || [a, b].into_iter().filter(|row| *row >= first_movable);
    // All ones, and so no colour, if none is free.
    let taken = if is_grounded { of_row(a.max(b))[1] | UNCOLOURED } else { of_row(a)[0] | of_row(b)[0] };
    let colour = taken.trailing_ones() as usize;
    let group = if colour == COLOURS {
        movable().for_each(|row| of_row(row)[1] |= UNCOLOURED);
        OVERFLOW
    } else {
        movable().for_each(|row| of_row(row)[side] |= 1 << colour);
        if is_grounded { COLOURS + 1 + colour } else { colour }
    };
    let (slab, is_point) = (placed.slab(), placed.lane & 1 != 0);
    // SAFETY: the caller's.
    placed.lane = unsafe { regions.get_mut(slab / SLABS_EACH) }.count(group, is_point, slab);
}

/// Puts a patch into the next lane where it belongs.
///
/// # Safety
///
/// Nobody else has its region.
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn put_in_lane(placed: &mut Placed, regions: Shared<'_, Region>, lanes: Shared<'_, Patch>, kept_at: &[u32]) {
    // SAFETY: the caller's; and each patch has a lane of its own.
    unsafe {
        placed.lane = kept(regions.get_mut(region_of_place(placed.lane)).next(placed.lane), kept_at);
        *lanes.get_mut(placed.lane as usize) = placed.patch;
    }
}

/// Blocks of 16.
#[cfg(test)]
impl Patches for Vec<(Patch, bool)> {
    fn blocks(&self) -> u32 {
        self.len().div_ceil(16) as u32
    }

    fn most(&self, block: u32) -> u32 {
        self.len().saturating_sub(16 * block as usize).min(16) as u32
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
            let space = Space { slabs: &slabs, first_movable };
            let is_divided = rng.bool();
            colouring.colour(space, &patches, is_divided, 1);
            colouring.finish(space);
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
            other.begin(space, &patches.iter().rev().copied().collect::<Vec<_>>(), 1);
            other.finish(space);
            other.colour(space, &patches, true, 3);
            other.finish(space);
            other.place(&kept_at, 3);
            assert_eq!(other.lanes(), colouring.lanes());
            assert!(other.placed().eq(colouring.placed()), "case {case}");
            assert_eq!(other.groups(), colouring.groups());
        }
    }
}
