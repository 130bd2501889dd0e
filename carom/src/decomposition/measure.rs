//! How far the points of a hull are from the solid, with a proven bound.
//!
//! Branch and bound over boxes that cover the hull: the distance to the solid changes no faster than the point moves, so
//! within a box of half diagonal r it is at most that of the middle plus r, and less by the depth of the middle if
//! that is inside. Boxes that cannot reach the limit are dropped, the most promising is halved next. Middles within the
//! hull give the lower bound. A box as small as a hundredth of the threshold is not halved any more.
//! Stops: when no box can exceed the limit; at the first point found beyond it, if that is all that is asked; or after
//! a number of boxes, with the bound as it stands.
//! Cost: O(area / threshold²) nearest-point queries, most of them near the surface.

use super::solid::Solid;
use crate::shape::ConvexHull;
use glam::DVec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Boxes are halved until they are this small against the threshold.
const FINEST: f64 = 0.01;
/// What is nearer than this share of the threshold passes: boxes as small as the finest may still be off by their size.
pub(super) const LIMIT: f64 = 1.0 - 2.0 * FINEST;
const MAX_BOXES: usize = 400_000;

/// What is known of the farthest point of a hull.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    /// A point of the hull is as far from the solid as this.
    pub(super) found: f64,
    /// No point of the hull is farther from the solid than this.
    pub(super) bound: f64,
    /// A point that is farther than the threshold or too near to it to be told; none if `bound` is within it.
    pub(super) witness: Option<DVec3>,
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// Whether any point is beyond the threshold.
    Exceeds,
    /// How far the farthest point is.
    Farthest,
}

struct Block {
    /// No point of the block is farther from the solid.
    bound: f64,
    middle: DVec3,
    half: DVec3,
    /// Whether all of it is outside the solid, or inside; none if the surface passes through.
    is_outside: Option<bool>,
    order: u32,
}

impl PartialEq for Block {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Block {}

impl PartialOrd for Block {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Block {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.order.cmp(&self.order))
    }
}

/// The planes and the box of a hull in the coordinates of the solid.
struct Region {
    planes: Vec<(DVec3, f64)>,
    min: DVec3,
    max: DVec3,
}

impl Region {
    fn new(solid: &Solid<'_>, hull: &ConvexHull) -> Self {
        let vertices = || hull.vertices().iter().map(|&vertex| solid.scaled(vertex));
        let planes = hull.planes().iter().enumerate().map(|(face, plane)| {
            let normal = plane.normal.as_dvec3();
            let corners = hull.face_corners(face).iter();
            let height = |&corner: &u32| normal.dot(solid.scaled(hull.vertices()[corner as usize]));
            (normal, corners.map(height).fold(f64::NEG_INFINITY, f64::max))
        });
        Self {
            planes: planes.collect(),
            min: vertices().fold(DVec3::INFINITY, DVec3::min),
            max: vertices().fold(DVec3::NEG_INFINITY, DVec3::max),
        }
    }

    /// Whether a box may share a point with the hull, and whether its middle is in it.
    fn meets(&self, middle: DVec3, half: DVec3) -> (bool, bool) {
        let mut holds_middle = true;
        for (normal, offset) in &self.planes {
            let height = normal.dot(middle) - offset;
            if height > 0.0 {
                if height > normal.abs().dot(half) {
                    return (false, false);
                }
                holds_middle = false;
            }
        }
        (true, holds_middle)
    }
}

/// How far points of the hull are from the solid at most, beyond what is within the threshold.
pub(super) fn measure(solid: &Solid<'_>, hull: &ConvexHull, threshold: f64, question: Question) -> Measured {
    let region = Region::new(solid, hull);
    let mut measured = Measured { found: 0.0, bound: 0.0, witness: None };
    let limit = LIMIT * threshold;
    let mut heap = BinaryHeap::new();
    let mut made = 0;
    let mut visit = |heap: &mut BinaryHeap<Block>, measured: &mut Measured, mut block: Block| {
        let (is_met, holds_middle) = region.meets(block.middle, block.half);
        if !is_met {
            return;
        }
        let radius = block.half.length();
        let off_surface = solid.surface_distance(block.middle);
        let is_outside = block.is_outside.unwrap_or_else(|| !solid.contains(block.middle));
        if off_surface > radius {
            block.is_outside = Some(is_outside);
        }
        let distance = if is_outside { off_surface } else { 0.0 };
        block.bound = if is_outside { distance + radius } else { radius - off_surface };
        if holds_middle && distance > measured.found {
            measured.found = distance;
            if distance > limit {
                measured.witness = Some(block.middle);
            }
        }
        let enough = match question {
            Question::Exceeds => limit,
            Question::Farthest => limit.max(measured.found * (1.0 + 2.0 * FINEST)),
        };
        if block.bound <= enough || radius <= FINEST * threshold {
            if block.bound > threshold && measured.witness.is_none() {
                measured.witness = Some(block.middle);
            }
            measured.bound = measured.bound.max(block.bound);
            return;
        }
        made += 1;
        block.order = made;
        heap.push(block);
    };
    let (middle, half) = (0.5 * (region.min + region.max), 0.5 * (region.max - region.min));
    visit(&mut heap, &mut measured, Block { bound: 0.0, middle, half, is_outside: None, order: 0 });
    for _ in 0..MAX_BOXES {
        let Some(block) = heap.pop() else { break };
        let is_decided = match question {
            Question::Exceeds => measured.found > limit,
            Question::Farthest => block.bound <= measured.found * (1.0 + 2.0 * FINEST),
        };
        if is_decided {
            measured.bound = measured.bound.max(block.bound);
            return measured;
        }
        let axis = block.half.max_position();
        let mut half = block.half;
        half[axis] *= 0.5;
        for sign in [-1.0, 1.0] {
            let mut middle = block.middle;
            middle[axis] += sign * half[axis];
            let part = Block { bound: 0.0, middle, half, is_outside: block.is_outside, order: 0 };
            visit(&mut heap, &mut measured, part);
        }
    }
    if let Some(block) = heap.peek() {
        measured.bound = measured.bound.max(block.bound);
    }
    measured
}
