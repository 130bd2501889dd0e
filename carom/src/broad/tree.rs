//! B11: a tree that follows moving boxes, the default.
//!
//! Slots in Hilbert order, eight to a block, eight blocks to a block above: the layout is implicit, there are no
//! pointers. A slot holds the proxy's box and, in the leaf block, an enlarged one. A box that stays inside its enlarged
//! box changes nothing in the tree. `near` is the set of all pairs of slots whose enlarged boxes overlap, each with a
//! bit that says whether the boxes themselves do. A refresh goes through `near` and compares the boxes of what has
//! moved; only slots that left their enlarged boxes ask the tree for their new neighbours. When more than a quarter
//! did, the tree is sorted anew and joined with itself. Sorting alone happens when boxes have wandered so far from
//! their order that queries cost 1.3 times what they did after the last sort.
//! Cost: a few ns a box and pair when still, 50 to 80 ns a box for a build with all pairs.
//! Sources: Kopta et al. 2012, doi 10.1145/2159616.2159649, for refitting with a measure of decay; the enlarged boxes
//! are as in Bullet's and Box2D's trees, with a margin by speed instead of a constant.

mod build;
mod follow;
mod join;
mod nodes;
mod query;

use super::block::NOTHING;
use super::events::Events;
use super::proxies::checked;
use super::{BoxRay, BroadPhase, BroadPhaseError, Changes, Cost, Drawn, MAX_PROXIES, Neighbour, Pair, Proxies};
use crate::bounds::Aabb;
use fearless_simd::Level;
use glam::Vec3;
use nodes::Nodes;

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
    near: Vec<NearPair>,
    /// Slots that left their enlarged boxes, came or went since the last refresh.
    left: Vec<u32>,
    /// Slots of removed proxies, free from the next refresh on.
    free: Vec<u32>,
    count: usize,
    /// Whether anything has changed since the last refresh.
    is_current: bool,
    /// How many slots were filled out of order since the last sort.
    unsorted: usize,
    /// Node visits a query, just after the last sort and lately.
    decay: follow::Decay,
    pairs: Vec<Pair>,
    pairs_are_current: bool,
    events: Events,
    /// Changes were asked for, so events are kept; before, all pairs count as begun.
    is_looked_at: bool,
    parted: follow::Parted,
    scratch: join::JoinScratch,
    order: build::Order,
    tests: u64,
}

/// What is known of each slot besides its enlarged box.
#[derive(Debug, Clone, Default)]
struct Slots {
    /// The boxes as given; [`NOTHING`] in a free slot.
    bounds: Vec<Aabb>,
    ids: Vec<u32>,
    flags: Vec<u8>,
}

/// The box has changed since the last refresh.
const MOVED: u8 = 1;
/// The enlarged box has changed since the last refresh.
const LEFT: u8 = 2;
/// The proxy was removed since the last refresh.
const REMOVED: u8 = 4;

/// Two slots whose enlarged boxes overlap. The second one's upper bit says whether the boxes themselves do.
#[derive(Debug, Clone, Copy, PartialEq)]
struct NearPair {
    a: u32,
    b_and_state: u32,
}

impl NearPair {
    const TOUCHING: u32 = 1 << 31;

    #[inline(always)]
    fn new(a: u32, b: u32, is_touching: bool) -> Self {
        Self { a, b_and_state: b | if is_touching { Self::TOUCHING } else { 0 } }
    }

    #[inline(always)]
    fn b(self) -> u32 {
        self.b_and_state & !Self::TOUCHING
    }

    #[inline(always)]
    fn is_touching(self) -> bool {
        self.b_and_state & Self::TOUCHING != 0
    }
}

impl Default for DynamicTree {
    fn default() -> Self {
        Self {
            level: Level::new(),
            slot_of: Vec::new(),
            slots: Slots::default(),
            nodes: Nodes::default(),
            near: Vec::new(),
            left: Vec::new(),
            free: Vec::new(),
            count: 0,
            is_current: true,
            unsorted: 0,
            decay: follow::Decay::default(),
            pairs: Vec::new(),
            pairs_are_current: true,
            events: Events::default(),
            is_looked_at: false,
            parted: follow::Parted::default(),
            scratch: join::JoinScratch::default(),
            order: build::Order::default(),
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
        for (id, bounds) in (0u32..).zip(boxes) {
            checked(id, *bounds)?;
        }
        if boxes.len() > MAX_PROXIES as usize {
            return Err(BroadPhaseError::IdTooGreat { id: MAX_PROXIES });
        }
        self.events = Events::default();
        self.is_looked_at = false;
        self.build_from(boxes);
        Ok(())
    }

    /// A tree over boxes that were checked before.
    pub(super) fn over(boxes: &Proxies) -> Self {
        let mut tree = Self::default();
        tree.build_from(boxes.raw());
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
        self.slots.bounds.push(NOTHING);
        self.slots.ids.push(NONE);
        self.slots.flags.push(0);
        self.nodes.push_slot();
        self.slots.ids.len() as u32 - 1
    }

    fn mark_left(&mut self, slot: u32, flags: u8) {
        let flag = &mut self.slots.flags[slot as usize];
        if *flag & LEFT == 0 {
            self.left.push(slot);
        }
        *flag |= LEFT | MOVED | flags;
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
        self.slots.ids[slot as usize] = id;
        self.slots.bounds[slot as usize] = bounds;
        self.nodes.enlarge(slot, &bounds);
        self.mark_left(slot, 0);
        self.count += 1;
        Ok(())
    }

    fn update(&mut self, id: u32, bounds: Aabb, displacement: Vec3) -> Result<(), BroadPhaseError> {
        let bounds = checked(id, bounds)?;
        let slot = self.slot(id).ok_or(BroadPhaseError::Unknown { id })?;
        let own = &mut self.slots.bounds[slot as usize];
        if *own == bounds {
            return Ok(());
        }
        *own = bounds;
        self.slots.flags[slot as usize] |= MOVED;
        self.is_current = false;
        if let Some(enlarged) = follow::enlarged_if_needed(&self.nodes.get(slot), &bounds, displacement) {
            self.nodes.enlarge(slot, &enlarged);
            self.mark_left(slot, 0);
        }
        Ok(())
    }

    fn remove(&mut self, id: u32) -> Result<(), BroadPhaseError> {
        let slot = self.slot(id).ok_or(BroadPhaseError::Unknown { id })?;
        self.slot_of[id as usize] = NONE;
        self.slots.bounds[slot as usize] = NOTHING;
        self.nodes.enlarge(slot, &NOTHING);
        self.mark_left(slot, REMOVED);
        self.count -= 1;
        Ok(())
    }

    fn bounds(&self, id: u32) -> Option<Aabb> {
        self.slot(id).map(|slot| self.slots.bounds[slot as usize])
    }

    fn len(&self) -> usize {
        self.count
    }

    fn pairs(&mut self) -> &[Pair] {
        self.refresh();
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
        let per_slot = size_of::<Aabb>() + size_of::<u32>() + size_of::<u8>();
        let lists = self.slot_of.capacity() + self.left.capacity() + self.free.capacity();
        let pairs = (self.pairs.capacity() + self.near.capacity()) * size_of::<Pair>() + self.events.memory();
        let memory = self.slots.bounds.capacity() * per_slot + lists * size_of::<u32>() + pairs;
        let memory = memory + self.nodes.memory() + self.parted.memory() + self.order.memory() + self.scratch.memory();
        Cost { tests: self.tests, memory }
    }
}
