//! Sorting the slots along the Hilbert curve.

use super::super::block::LANES;
use super::super::{hilbert, radix};
use super::{DynamicTree, NONE, Slots, follow};
use crate::bounds::Aabb;
use glam::Vec3;

impl DynamicTree {
    /// Fills an empty tree.
    pub(super) fn build_from(&mut self, boxes: &[Aabb]) {
        let order = hilbert_order(boxes.iter().zip(0u32..));
        self.slots.ids.extend(order.iter().map(|&key| key as u32));
        self.slots.bounds.extend(order.iter().map(|&key| boxes[key as u32 as usize]));
        self.slots.flags.resize(boxes.len(), 0);
        self.slot_of.resize(boxes.len(), NONE);
        for (slot, &id) in (0u32..).zip(&self.slots.ids) {
            self.slot_of[id as usize] = slot;
        }
        self.count = boxes.len();
        self.nodes.reset(boxes.len());
        if let Some(leaves) = self.nodes.levels.first_mut() {
            for (block, boxes) in leaves.iter_mut().zip(self.slots.bounds.chunks(LANES)) {
                boxes.iter().enumerate().for_each(|(lane, bounds)| block.set(lane, bounds));
            }
        }
        self.nodes.fill_upper();
        self.join_all();
        self.near.iter_mut().for_each(|pair| pair.b_and_state |= super::NearPair::TOUCHING);
        self.pairs_are_current = false;
        self.decay = follow::Decay::default();
    }

    /// Sorts the slots anew and drops the free ones. Slots change their numbers: `near` is renumbered or, if the
    /// caller joins afterwards, left behind.
    pub(super) fn sort(&mut self, keep_near: bool) {
        let enlarged: Vec<Aabb> = (0..self.slots.ids.len() as u32).map(|slot| self.nodes.get(slot)).collect();
        let taken = enlarged.iter().zip(0u32..).filter(|(bounds, _)| bounds.min.x <= bounds.max.x);
        let order = hilbert_order(taken);
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
                *pair = super::NearPair::new(a.min(b), a.max(b), pair.is_touching());
            }
            self.left.iter_mut().for_each(|slot| *slot = new_slot[*slot as usize]);
        }
        self.free.clear();
        self.unsorted = 0;
        self.decay = follow::Decay::default();
    }
}

/// Keys with the payload below, in the order of the Hilbert curve through the boxes' middles.
fn hilbert_order<'a>(boxes: impl Iterator<Item = (&'a Aabb, u32)> + Clone) -> Vec<u64> {
    let (mut least, mut greatest) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for (bounds, _) in boxes.clone() {
        // Half of the sum could be rounded; halves of f32 numbers are exact, and their sum cannot overflow.
        let middle = bounds.min * 0.5 + bounds.max * 0.5;
        least = least.min(middle);
        greatest = greatest.max(middle);
    }
    let extent = (greatest * 0.5 - least * 0.5).max_element() * 2.0;
    let scale = if extent > 0.0 { (hilbert::CELLS as f32 - 0.5) / extent } else { 0.0 };
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let mut keys: Vec<u64> = boxes
        .map(|(bounds, payload)| {
            // A product that overflows or is NaN saturates in the conversion.
            let cell = (bounds.min * 0.5 + bounds.max * 0.5 - least) * scale;
            u64::from(hilbert::rank(cell.x as u32, cell.y as u32, cell.z as u32)) << 32 | u64::from(payload)
        })
        .collect();
    // Cells per box: from 8 up, so that few boxes share one.
    let bits = match keys.len() {
        0..30_000 => 20,
        30_000..300_000 => 22,
        _ => 30,
    };
    radix::sort_by_key(&mut keys, &mut Vec::new(), bits);
    keys
}
