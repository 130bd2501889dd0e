//! Questions to the tree: boxes, rays, nearest.

use super::super::block::{BoxBlock, LANES};
use super::super::rebuilt::sort_neighbours;
use super::super::{BoxRay, Neighbour, distance_squared};
use super::DynamicTree;
use super::nodes::{SHIFT, STACK};
use super::slots::Slots;
use crate::bounds::{Aabb, BoundingVolume};
use fearless_simd::{Simd, dispatch};
use glam::Vec3;
use std::collections::BinaryHeap;

impl DynamicTree {
    pub(super) fn visit_overlapping(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        dispatch!(self.level, simd => visit_slots(simd, &self.nodes.levels, bounds, |slot| {
            if self.slots.bounds(slot).overlaps(bounds) {
                visit(self.slots.id(slot));
            }
        }));
    }

    /// Nearer children first, so that a limit drawn in by `visit` spares the farther ones.
    pub(super) fn visit_ray(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32, f32) -> f32) {
        dispatch!(self.level, simd => visit_ray(simd, &self.nodes.levels, &self.slots, ray, visit));
    }

    /// Best first: the nearest node or box is taken from a heap until `count` boxes have come out.
    pub(super) fn find_nearest(&self, point: Vec3, count: usize, found: &mut Vec<Neighbour>) {
        found.clear();
        let levels = &self.nodes.levels;
        let Some(top) = levels.len().checked_sub(1) else { return };
        if count == 0 || !point.is_finite() {
            return;
        }
        // The farthest of the best so far; a heap of at most `count`.
        let mut best: BinaryHeap<Candidate> = BinaryHeap::with_capacity(count + 1);
        let mut stack = vec![(0.0f32, top, 0usize)];
        let mut children = Vec::with_capacity(LANES);
        while let Some((distance, level, node)) = stack.pop() {
            let limit = limit_of(&best, count);
            if distance > limit {
                continue;
            }
            let block = &levels[level][node];
            if level > 0 {
                children.clear();
                for lane in 0..LANES {
                    let bounds = block.get(lane);
                    let distance = distance_squared(&bounds, point);
                    if bounds.min.x <= bounds.max.x && distance <= limit {
                        children.push((distance, level - 1, (node << SHIFT) + lane));
                    }
                }
                children.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.2.cmp(&a.2)));
                stack.extend_from_slice(&children);
                continue;
            }
            let slots = node << SHIFT..((node << SHIFT) + LANES).min(self.slots.len());
            for slot in slots.map(|slot| slot as u32).filter(|&slot| self.slots.has_box(slot)) {
                let distance = distance_squared(&self.slots.bounds(slot), point);
                let candidate = Candidate { distance, id: self.slots.id(slot) };
                if best.len() < count {
                    best.push(candidate);
                } else if best.peek().is_some_and(|farthest| candidate < *farthest) {
                    best.pop();
                    best.push(candidate);
                }
            }
        }
        found.extend(best.iter().map(|best| Neighbour { id: best.id, distance_squared: best.distance }));
        sort_neighbours(found);
    }
}

fn limit_of(best: &BinaryHeap<Candidate>, count: usize) -> f32 {
    match best.peek() {
        Some(farthest) if best.len() == count => farthest.distance,
        Some(_) | None => f32::INFINITY,
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate {
    distance: f32,
    id: u32,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.distance.total_cmp(&other.distance).then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// See [`DynamicTree::visit_ray`].
#[inline(always)]
fn visit_ray<S: Simd>(
    simd: S,
    levels: &[Vec<BoxBlock>],
    slots: &Slots,
    ray: &BoxRay,
    visit: &mut dyn FnMut(u32, f32) -> f32,
) {
    let Some(top) = levels.len().checked_sub(1) else { return };
    let mut limit = ray.limit();
    let mut stack = [(0.0f32, 0u32, 0u32); STACK];
    stack[0] = (0.0, top as u32, 0);
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let (entry, level, node) = stack[depth];
        if entry > limit {
            continue;
        }
        let (mut hits, entries) = levels[level as usize][node as usize].ray_entries(simd, ray, limit);
        if level == 0 {
            while hits != 0 {
                let slot = (node << SHIFT) + hits.trailing_zeros();
                hits &= hits - 1;
                if let Some(entry) = ray.entry(&slots.bounds(slot), limit) {
                    limit = limit.min(visit(slots.id(slot), entry));
                }
            }
            continue;
        }
        // Sorted into the stack from the farthest to the nearest, which is taken next.
        let first = depth;
        while hits != 0 {
            let lane = hits.trailing_zeros();
            hits &= hits - 1;
            let child = (entries[lane as usize % LANES], level - 1, (node << SHIFT) + lane);
            let mut place = depth;
            while place > first && stack[place - 1].0 < child.0 {
                stack[place] = stack[place - 1];
                place -= 1;
            }
            stack[place] = child;
            depth += 1;
        }
    }
}

/// Calls `visit` with each slot whose enlarged box overlaps `bounds`; returns how many blocks were looked at.
#[inline(always)]
pub(super) fn visit_slots<S: Simd>(
    simd: S,
    levels: &[Vec<BoxBlock>],
    bounds: &Aabb,
    mut visit: impl FnMut(u32),
) -> u64 {
    let Some(top) = levels.len().checked_sub(1) else { return 0 };
    let mut looked = 0;
    let mut stack = [(0u32, 0u32); STACK];
    stack[0] = (top as u32, 0);
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let (level, node) = stack[depth];
        let mut hits = levels[level as usize][node as usize].overlaps(simd, bounds);
        looked += 1;
        while hits != 0 {
            let child = (node << SHIFT) + hits.trailing_zeros();
            hits &= hits - 1;
            if level == 0 {
                visit(child);
            } else if let Some(place) = stack.get_mut(depth) {
                *place = (level - 1, child);
                depth += 1;
            }
        }
    }
    looked
}
