//! Questions to the tree: boxes, rays, nearest.

use super::super::block::{BoxBlock, LANES};
use super::super::rebuilt::sort_neighbours;
use super::super::{BoxRay, Neighbour, distance_squared};
use super::DynamicTree;
use super::nodes::{SHIFT, STACK};
use crate::bounds::{Aabb, BoundingVolume};
use fearless_simd::{Simd, dispatch};
use glam::Vec3;
use std::collections::BinaryHeap;

impl DynamicTree {
    pub(super) fn visit_overlapping(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        dispatch!(self.level, simd => visit_slots(simd, &self.nodes.levels, bounds, |slot| {
            if self.slots.bounds[slot as usize].overlaps(bounds) {
                visit(self.slots.ids[slot as usize]);
            }
        }));
    }

    /// Nearer children first, so that a limit drawn in by `visit` spares the farther ones.
    pub(super) fn visit_ray(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32, f32) -> f32) {
        let levels = &self.nodes.levels;
        let Some(top) = levels.len().checked_sub(1) else { return };
        let mut limit = ray.limit();
        let mut stack = vec![(0.0f32, top, 0usize)];
        let mut met = Vec::with_capacity(LANES);
        while let Some((entry, level, node)) = stack.pop() {
            if entry > limit {
                continue;
            }
            let block = &levels[level][node];
            met.clear();
            for lane in 0..LANES {
                if let Some(entry) = ray.entry(&block.get(lane), limit) {
                    met.push((entry, lane));
                }
            }
            met.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
            if level > 0 {
                stack.extend(met.iter().map(|&(entry, lane)| (entry, level - 1, (node << SHIFT) + lane)));
                continue;
            }
            for &(_, lane) in met.iter().rev() {
                let slot = (node << SHIFT) + lane;
                if let Some(entry) = self.slots.bounds.get(slot).and_then(|bounds| ray.entry(bounds, limit)) {
                    limit = limit.min(visit(self.slots.ids[slot], entry));
                }
            }
        }
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
            for slot in node << SHIFT..(node << SHIFT) + LANES {
                let Some(bounds) = self.slots.bounds.get(slot).filter(|bounds| bounds.min.x <= bounds.max.x) else {
                    continue;
                };
                let candidate = Candidate { distance: distance_squared(bounds, point), id: self.slots.ids[slot] };
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
