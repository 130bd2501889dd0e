//! B11: a tree that follows moving boxes, the default.
//!
//! Slots in Hilbert order, eight to a block, eight blocks to a block above: the layout is implicit, there are no
//! pointers. A slot holds the proxy's box and, in the leaf block, an enlarged one. A box that stays inside its enlarged
//! box changes nothing in the tree. `near` is the set of all pairs of slots whose enlarged boxes overlap, each with a
//! bit that says whether the boxes themselves do. A refresh goes through `near` and compares the boxes of what has
//! moved; only slots that left their enlarged boxes ask the tree for their new neighbours. When more than a quarter
//! did, the tree is sorted anew and joined with itself. Sorting alone happens when boxes have wandered so far from
//! their order that queries cost 1.3 times what they did after the last sort.
//! Where little moves, and in a tree that no cache holds, what moves is sorted apart from what does not, and pairs of the
//! latter are left alone.
//! Cost: a few ns a box and pair when still, 25 to 40 ns a box for a build with all pairs, 55 to 60 with a million.
//! Sources: Kopta et al. 2012, doi 10.1145/2159616.2159649, for refitting with a measure of decay; the enlarged boxes
//! are as in Bullet's and Box2D's trees, with a margin by speed instead of a constant.

mod batch;
mod build;
mod follow;
mod join;
mod moves;
mod nodes;
mod order;
mod ordered;
mod query;
mod rejoin;
mod scatter;
mod slots;

use super::block::NOTHING;
use super::events::Events;
use super::proxies::checked;
use super::{BoxRay, BroadPhase, BroadPhaseError, Changes, Cost, Drawn, MAX_PROXIES, Moved, Neighbour, Pair, Proxies};
use crate::bounds::Aabb;
use fearless_simd::Level;
use glam::Vec3;
use nodes::Nodes;
use slots::Slots;
use std::ops::Range;

/// No slot, or no id.
const NONE: u32 = u32::MAX;

/// A tree that follows moving boxes.
#[derive(Debug, Clone)]
pub struct DynamicTree {
    level: Level,
    /// By id.
    slot_of: Vec<u32>,
    slots: Slots,
    nodes: Nodes,
    near: Vec<Pair>,
    /// Slots that left their enlarged boxes, came or went since the last refresh.
    left: Vec<u32>,
    /// Slots of removed proxies, free from the next refresh on.
    free: Vec<u32>,
    count: usize,
    /// Whether anything has changed since the last refresh.
    is_current: bool,
    refreshes: u32,
    /// Updates until the next refresh ask whether enlarged boxes have become too large.
    judges_room: bool,
    /// How many slots were filled out of order since the last sort.
    unsorted: usize,
    /// Node visits a query, just after the last sort and lately.
    decay: follow::Decay,
    pairs: Vec<Pair>,
    pairs_are_current: bool,
    /// Pairs were asked for since the last refresh, and will be again.
    pairs_are_wanted: bool,
    events: Events,
    /// Changes were asked for, so events are kept; before, all pairs count as begun.
    is_looked_at: bool,
    parted: follow::Parted,
    before: rejoin::Before,
    /// The refresh from which on what moves may be told apart from what does not.
    parts_from: u32,
    /// How many refreshes of a smaller tree had to look through all pairs since what moves was told apart.
    surprised: u32,
    /// Places in `near` of pairs of slots that are no movers.
    quiet: Range<usize>,
    /// Places in `near` that are to be filled.
    gaps: Vec<u32>,
    batch: batch::Batch,
    scratch: join::JoinScratch,
    carried: Vec<build::Carried>,
    /// Room for sorting all that is near along with the slots.
    own_keys: Vec<Pair>,
    new_slot: Vec<u32>,
    places: moves::Places,
    tests: u64,
}

/// How many blocks of boxes a worker takes at the least.
const PORTION: usize = 256;
/// From so many boxes on they are shared out.
pub(super) const MANY: usize = 1 << 14;

/// Whether so many boxes are worth waking workers for.
fn is_parallel(count: usize) -> bool {
    count >= MANY && rayon::current_num_threads() > 1
}

/// Two slots whose enlarged boxes overlap, the smaller first; the upper bit of the second says whether the boxes
/// themselves do. A [`Pair`] like those of ids, so that the lists of both can lend their memory to the sort.
trait NearPair: Copy {
    fn near(a: u32, b: u32, is_touching: bool) -> Self;
    fn second(self) -> u32;
    fn is_touching(self) -> bool;
    fn ids(self, slots: &Slots) -> Self;
}

/// See [`NearPair`].
const TOUCHING: u32 = 1 << 31;

impl NearPair for Pair {
    #[inline(always)]
    fn near(a: u32, b: u32, is_touching: bool) -> Self {
        Self { a, b: b | if is_touching { TOUCHING } else { 0 } }
    }

    #[inline(always)]
    fn second(self) -> u32 {
        self.b & !TOUCHING
    }

    #[inline(always)]
    fn is_touching(self) -> bool {
        self.b & TOUCHING != 0
    }

    /// The proxies in the two slots.
    #[inline(always)]
    fn ids(self, slots: &Slots) -> Self {
        Self::new(slots.id(self.a), slots.id(self.second()))
    }
}

impl Default for DynamicTree {
    fn default() -> Self {
        Self {
            level: crate::simd::level(),
            slot_of: Vec::new(),
            slots: Slots::default(),
            nodes: Nodes::default(),
            near: Vec::new(),
            left: Vec::new(),
            free: Vec::new(),
            count: 0,
            is_current: true,
            refreshes: 0,
            judges_room: false,
            unsorted: 0,
            decay: follow::Decay::default(),
            pairs: Vec::new(),
            pairs_are_current: true,
            pairs_are_wanted: false,
            events: Events::default(),
            is_looked_at: false,
            parted: follow::Parted::default(),
            before: rejoin::Before::default(),
            parts_from: follow::PARTS_AFTER,
            surprised: 0,
            quiet: 0..0,
            gaps: Vec::new(),
            batch: batch::Batch::default(),
            scratch: join::JoinScratch::default(),
            carried: Vec::new(),
            own_keys: Vec::new(),
            new_slot: Vec::new(),
            places: moves::Places::default(),
            tests: 0,
        }
    }
}

impl DynamicTree {
    /// A tree over these boxes, ids counting from 0: faster than inserting them one by one.
    pub fn from_boxes(boxes: &[Aabb]) -> Result<Self, BroadPhaseError> {
        let mut tree = Self::default();
        tree.rebuild_from(boxes)?;
        Ok(tree)
    }

    /// Forgets everything but its memory and takes in these boxes, ids counting from 0. The next look at changes will
    /// tell of all pairs as begun.
    pub fn rebuild_from(&mut self, boxes: &[Aabb]) -> Result<(), BroadPhaseError> {
        if boxes.len() > MAX_PROXIES as usize {
            return Err(BroadPhaseError::IdTooGreat { id: MAX_PROXIES });
        }
        // The sort borrows the lists of pairs, and must be able to give them back.
        self.refresh();
        let order = self.order(boxes);
        if !order.is_whole {
            self.find_near_again();
            for (id, bounds) in (0u32..).zip(boxes) {
                checked(id, *bounds)?;
            }
        }
        self.events = Events::default();
        self.is_looked_at = false;
        self.fill(boxes, order);
        Ok(())
    }

    /// A tree over boxes that were checked before.
    pub(super) fn over(boxes: &Proxies) -> Self {
        let mut tree = Self::default();
        // Ids without a box are left out.
        let order = tree.order(boxes.raw());
        tree.fill(boxes.raw(), order);
        tree
    }

    fn slot(&self, id: u32) -> Option<u32> {
        self.slot_of.get(id as usize).copied().filter(|&slot| slot != NONE)
    }

    /// A slot for a new box: a free one, or one more.
    fn new_slot(&mut self) -> u32 {
        self.unsorted += 1;
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        self.slots.push();
        self.nodes.push_slot();
        self.slots.len() as u32 - 1
    }

    fn mark_left(&mut self, slot: u32) {
        if self.slots.mark_left(slot) {
            self.left.push(slot);
        }
        self.is_current = false;
    }
}

impl BroadPhase for DynamicTree {
    fn insert(&mut self, id: u32, bounds: Aabb) -> Result<(), BroadPhaseError> {
        let bounds = checked(id, bounds)?;
        if id >= MAX_PROXIES {
            return Err(BroadPhaseError::IdTooGreat { id });
        }
        if self.slot(id).is_some() {
            return Err(BroadPhaseError::Taken { id });
        }
        if id as usize >= self.slot_of.len() {
            self.slot_of.resize(id as usize + 1, NONE);
        }
        let slot = self.new_slot();
        self.slot_of[id as usize] = slot;
        self.slots.set_id(slot, id);
        self.slots.set_bounds(slot, &bounds);
        self.nodes.enlarge(slot, &bounds);
        self.mark_left(slot);
        self.count += 1;
        Ok(())
    }

    // Inlined, so that the box is read where the caller has it: from a copy just made the processor could not read it in
    // other portions than it was written in without waiting for it.
    #[inline]
    fn update(&mut self, id: u32, bounds: Aabb, displacement: Vec3) -> Result<(), BroadPhaseError> {
        self.move_box(id, &bounds, &displacement)
    }

    fn update_many(&mut self, moves: &[Moved]) -> Result<(), BroadPhaseError> {
        self.move_many(moves)
    }

    fn remove(&mut self, id: u32) -> Result<(), BroadPhaseError> {
        let slot = self.slot(id).ok_or(BroadPhaseError::Unknown { id })?;
        self.slot_of[id as usize] = NONE;
        self.slots.set_bounds(slot, &NOTHING);
        self.nodes.enlarge(slot, &NOTHING);
        self.mark_left(slot);
        self.count -= 1;
        Ok(())
    }

    fn bounds(&self, id: u32) -> Option<Aabb> {
        self.slot(id).map(|slot| self.slots.bounds(slot))
    }

    fn len(&self) -> usize {
        self.count
    }

    fn pairs(&mut self) -> &[Pair] {
        self.refresh();
        self.pairs_are_wanted = true;
        self.list_pairs();
        &self.pairs
    }

    fn changes(&mut self) -> Changes<'_> {
        self.refresh();
        if !std::mem::replace(&mut self.is_looked_at, true) {
            self.list_pairs();
            return Changes { began: &self.pairs, ended: &[] };
        }
        self.events.look()
    }

    fn look_ahead(&mut self) {
        self.refresh();
    }

    fn overlapping(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        self.visit_overlapping(bounds, visit);
    }

    fn cast_ray(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32, f32) -> f32) {
        self.visit_ray(ray, visit);
    }

    fn nearest(&self, point: Vec3, count: usize, found: &mut Vec<Neighbour>) {
        self.find_nearest(point, count, found);
    }

    fn draw(&self, sink: &mut dyn FnMut(Drawn)) {
        self.nodes.draw(sink);
    }

    fn cost(&self) -> Cost {
        let lists = (self.slot_of.capacity() + self.left.capacity() + self.free.capacity() + self.gaps.capacity())
            * size_of::<u32>();
        let pairs = self.pairs.capacity() + self.near.capacity() + self.own_keys.capacity();
        let pairs = pairs * size_of::<Pair>() + self.events.memory();
        let carried =
            self.carried.capacity() * size_of::<build::Carried>() + self.new_slot.capacity() * size_of::<u32>();
        let scratch =
            self.parted.memory() + self.before.memory() + carried + self.scratch.memory() + self.places.memory();
        let memory = self.batch.memory() + self.slots.memory() + self.nodes.memory() + lists + pairs + scratch;
        Cost { tests: self.tests, memory }
    }
}
