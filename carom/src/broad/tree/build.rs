//! Sorting the slots along the Hilbert curve.

use super::super::block::{BoxBlock, LANES, NOTHING};
use super::super::{hilbert, radix};
use super::{DynamicTree, NONE, NearPair, Slots, follow};
use crate::bounds::Aabb;
use glam::Vec3;
use rayon::prelude::*;

impl DynamicTree {
    /// Fills the tree with these boxes by id, whatever it held before; inside-out boxes are none.
    pub(super) fn build_from(&mut self, boxes: &[Aabb]) {
        self.order.fill(boxes, |bounds| bounds.min.x <= bounds.max.x);
        let count = self.order.keys.len();
        self.slots.ids.resize(count, NONE);
        self.slots.bounds.resize(count, NOTHING);
        self.slots.flags.clear();
        self.slots.flags.resize(count, 0);
        self.slot_of.clear();
        self.slot_of.resize(boxes.len(), NONE);
        self.nodes.reset(count);
        if let Some(leaves) = self.nodes.levels.first_mut() {
            let fill = |(((keys, block), ids), bounds): Filled<'_>| {
                for (lane, ((key, id), own)) in keys.iter().zip(ids).zip(bounds).enumerate() {
                    *id = *key as u32;
                    *own = boxes[*id as usize];
                    block.set(lane, own);
                }
            };
            let Slots { ids, bounds, .. } = &mut self.slots;
            if is_parallel(count) {
                let keys = self.order.keys.par_chunks(LANES).with_min_len(PORTION);
                keys.zip(leaves).zip(ids.par_chunks_mut(LANES)).zip(bounds.par_chunks_mut(LANES)).for_each(fill);
            } else {
                let keys = self.order.keys.chunks(LANES);
                keys.zip(leaves).zip(ids.chunks_mut(LANES)).zip(bounds.chunks_mut(LANES)).for_each(fill);
            }
        }
        for (slot, &id) in (0u32..).zip(&self.slots.ids) {
            self.slot_of[id as usize] = slot;
        }
        self.nodes.fill_upper();
        self.join_all();
        self.near.iter_mut().for_each(|pair| pair.b_and_state |= NearPair::TOUCHING);
        self.count = count;
        self.left.clear();
        self.free.clear();
        self.unsorted = 0;
        self.is_current = true;
        self.pairs_are_current = false;
        self.decay = follow::Decay::default();
        self.order.trim();
    }

    /// Sorts the slots anew and drops the free ones. Slots change their numbers: `near` is renumbered or, if the
    /// caller joins afterwards, left behind.
    pub(super) fn sort(&mut self, keep_near: bool) {
        let enlarged: Vec<Aabb> = (0..self.slots.ids.len() as u32).map(|slot| self.nodes.get(slot)).collect();
        self.order.fill(&enlarged, |bounds| bounds.min.x <= bounds.max.x);
        let order = &self.order.keys;
        let old = std::mem::take(&mut self.slots);
        let gather = |key: &u64| *key as u32 as usize;
        self.slots = Slots {
            bounds: order.iter().map(|key| old.bounds[gather(key)]).collect(),
            ids: order.iter().map(|key| old.ids[gather(key)]).collect(),
            flags: order.iter().map(|key| old.flags[gather(key)]).collect(),
        };
        let mut new_slot = vec![NONE; old.ids.len()];
        for (slot, (key, &id)) in (0u32..).zip(order.iter().zip(&self.slots.ids)) {
            new_slot[gather(key)] = slot;
            self.slot_of[id as usize] = slot;
        }
        self.nodes.reset(order.len());
        if let Some(leaves) = self.nodes.levels.first_mut() {
            for (block, keys) in leaves.iter_mut().zip(order.chunks(LANES)) {
                for (lane, key) in keys.iter().enumerate() {
                    block.set(lane, &enlarged[gather(key)]);
                }
            }
        }
        self.nodes.fill_upper();
        if keep_near {
            for pair in &mut self.near {
                let (a, b) = (new_slot[pair.a as usize], new_slot[pair.b() as usize]);
                *pair = NearPair::new(a.min(b), a.max(b), pair.is_touching());
            }
            self.left.iter_mut().for_each(|slot| *slot = new_slot[*slot as usize]);
        }
        self.free.clear();
        self.unsorted = 0;
        self.decay = follow::Decay::default();
        self.order.trim();
    }
}

/// Keys of eight boxes, and where the boxes go.
type Filled<'a> = (((&'a [u64], &'a mut BoxBlock), &'a mut [u32]), &'a mut [Aabb]);

/// How many blocks or boxes a worker takes at the least.
const PORTION: usize = 1024;

/// Whether so many boxes are worth waking workers for.
fn is_parallel(count: usize) -> bool {
    count >= 16 * PORTION && rayon::current_num_threads() > 1
}

/// Boxes in the order of the Hilbert curve through their middles.
#[derive(Debug, Clone, Default)]
pub(super) struct Order {
    /// The rank, and the payload in the lower half.
    keys: Vec<u64>,
    spare: Vec<u64>,
}

/// Scratch of more entries than this is given back after use: 16 bytes a box would be a quarter more than the tree.
const KEPT: usize = 1 << 15;

impl Order {
    /// Sorts the boxes that `is_taken`; payloads are their indices.
    fn fill(&mut self, boxes: &[Aabb], is_taken: impl Fn(&Aabb) -> bool + Sync) {
        let (mut least, mut greatest) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for bounds in boxes.iter().filter(|bounds| is_taken(bounds)) {
            least = least.min(middle(bounds));
            greatest = greatest.max(middle(bounds));
        }
        // Four cells or more to a box, so that few share one; each bit more costs in the sort.
        let bits = match boxes.len() {
            0..16_000 => 6,
            16_000..4_000_000 => 8,
            _ => 10,
        };
        let (least, extent) = self.without_strays(boxes, &is_taken, least, greatest);
        let scale = ((1u32 << bits) as f32 - 0.5) / extent;
        let scale = if scale.is_finite() { scale } else { 0.0 };
        let last = Vec3::splat(((1u32 << bits) - 1) as f32);
        let key = |(bounds, payload): (&Aabb, u32)| {
            // Strays are held to the outermost cells; NaN becomes cell 0.
            let cell = ((middle(bounds) - least) * scale).min(last).to_array().map(|cell| cell as u32);
            u64::from(hilbert::rank(cell, bits)) << 32 | u64::from(payload)
        };
        self.keys.clear();
        if is_parallel(boxes.len()) {
            let numbered = boxes.par_iter().with_min_len(PORTION).zip(0..boxes.len() as u32);
            self.keys.par_extend(numbered.filter(|(bounds, _)| is_taken(bounds)).map(key));
        } else {
            self.keys.extend(boxes.iter().zip(0u32..).filter(|(bounds, _)| is_taken(bounds)).map(key));
        }
        radix::sort_by_key(&mut self.keys, &mut self.spare, 3 * bits);
    }

    /// The least corner and the side of a cube for the curve: around everything, unless a few boxes lie so far off that
    /// the others would share a few cells. The middle four fifths of a sample tell.
    fn without_strays(
        &mut self,
        boxes: &[Aabb],
        is_taken: &impl Fn(&Aabb) -> bool,
        least: Vec3,
        greatest: Vec3,
    ) -> (Vec3, f32) {
        const SAMPLE: usize = 64;
        let mut sample = [Vec3::ZERO; SAMPLE];
        let taken = boxes.iter().step_by((boxes.len() / SAMPLE).max(1)).filter(|bounds| is_taken(bounds));
        let count = sample.iter_mut().zip(taken).map(|(place, bounds)| *place = middle(bounds)).count();
        let whole = (greatest * 0.5 - least * 0.5).max_element() * 2.0;
        if count < SAMPLE / 2 {
            return (least, whole);
        }
        let (mut low, mut high) = (Vec3::ZERO, Vec3::ZERO);
        for axis in 0..3 {
            let mut along = sample.map(|middle| middle[axis]);
            along[..count].sort_unstable_by(f32::total_cmp);
            (low[axis], high[axis]) = (along[count / 10], along[count - 1 - count / 10]);
        }
        let inner = (high - low).max_element();
        if whole <= 6.0 * inner || inner <= 0.0 {
            return (least, whole);
        }
        ((low - 2.0 * inner).max(least), 5.0 * inner)
    }

    fn trim(&mut self) {
        if self.keys.len() > KEPT {
            *self = Self::default();
        }
    }

    pub(super) fn memory(&self) -> usize {
        (self.keys.capacity() + self.spare.capacity()) * size_of::<u64>()
    }
}

/// The middle of a box; halves first, so that the sum cannot overflow.
#[inline(always)]
fn middle(bounds: &Aabb) -> Vec3 {
    bounds.min * 0.5 + bounds.max * 0.5
}
