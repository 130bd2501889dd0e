//! Walks in the order of a measure, in f64: boxes near a box, and boxes on the way of one that moves.
//!
//! The nearest child is taken first, so that a limit drawn in by what is found spares the others. The measures are
//! computed in f64 from boxes that were rounded outward, and widened by their own rounding: nothing is left out, however
//! far from the origin.

use super::super::block::LANES;
use super::DynamicTree;
use super::nodes::{SHIFT, STACK};
use crate::bounds::Aabb;
use crate::bounds::box_sweep::BoxSweep;
use glam::DVec3;

/// What a walk is ordered by: for each of eight boxes, infinity for one that is of no interest.
trait Measure {
    fn of(&self, min: &[[f64; LANES]; 3], max: &[[f64; LANES]; 3], limit: f64) -> [f64; LANES];
}

impl Measure for BoxSweep {
    #[inline(always)]
    fn of(&self, min: &[[f64; LANES]; 3], max: &[[f64; LANES]; 3], limit: f64) -> [f64; LANES] {
        self.entries(min, max, limit)
    }
}

/// The squared distance from a box.
struct Nearness {
    min: DVec3,
    max: DVec3,
}

impl Measure for Nearness {
    #[inline(always)]
    fn of(&self, min: &[[f64; LANES]; 3], max: &[[f64; LANES]; 3], _: f64) -> [f64; LANES] {
        let mut squares = [0.0; LANES];
        for axis in 0..3 {
            for lane in 0..LANES {
                let (below, above) = (self.min[axis] - max[axis][lane], min[axis][lane] - self.max[axis]);
                let gap = if above > below { above } else { below };
                let gap = if gap > 0.0 { gap } else { 0.0 };
                squares[lane] += gap * gap;
            }
        }
        squares
    }
}

impl DynamicTree {
    /// Calls `visit` with each box whose distance from that between two corners, which may be a point, is not above
    /// `limit`, and that distance; the nearer ones mostly first. What `visit` returns is the new limit, if it is less; a
    /// negative one ends the walk.
    pub(crate) fn visit_near(&self, min: DVec3, max: DVec3, limit: f64, visit: &mut impl FnMut(u32, f64) -> f64) {
        let squared = |limit: f64| if limit >= 0.0 { limit * limit * (1.0 + 1e-14) } else { -1.0 };
        let rooted = |id: u32, square: f64| squared(visit(id, square.sqrt() * (1.0 - 1e-14)));
        self.walk(&Nearness { min, max }, squared(limit), rooted);
    }

    /// Calls `visit` with each box that a moving box meets at a time up to `limit`, and that time; the earlier ones
    /// mostly first. What `visit` returns is the new limit, if it is less; a negative one ends the walk.
    pub(crate) fn visit_swept(&self, sweep: &BoxSweep, limit: f64, visit: &mut impl FnMut(u32, f64) -> f64) {
        self.walk(sweep, limit, visit);
    }

    /// Brings the tree up to date and into order, which changes no answer.
    pub(crate) fn settle(&mut self) {
        self.refresh();
    }

    fn walk(&self, measure: &impl Measure, mut limit: f64, mut visit: impl FnMut(u32, f64) -> f64) {
        let levels = &self.nodes.levels;
        let Some(top) = levels.len().checked_sub(1) else { return };
        let mut stack = [(0.0f64, 0u32, 0u32); STACK];
        stack[0] = (0.0, top as u32, 0);
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (value, level, node) = stack[depth];
            if value > limit {
                continue;
            }
            let (min, max) = levels[level as usize][node as usize].wide_sides();
            let values = measure.of(&min, &max, limit);
            let first = depth;
            for (lane, &value) in values.iter().enumerate() {
                let child = (node << SHIFT) + lane as u32;
                if value > limit || value == f64::INFINITY {
                    continue;
                }
                if level > 0 {
                    let mut place = depth;
                    while place > first && stack[place - 1].0 < value {
                        stack[place] = stack[place - 1];
                        place -= 1;
                    }
                    stack[place] = (value, level - 1, child);
                    depth += 1;
                } else if let Some(own) = single(measure, &self.slots.bounds(child), limit) {
                    limit = visit(self.slots.id(child), own).min(limit);
                }
            }
        }
    }
}

/// The measure of one box, if it is of interest.
#[inline(always)]
fn single(measure: &impl Measure, bounds: &Aabb, limit: f64) -> Option<f64> {
    let lanes = |corner: glam::Vec3| corner.to_array().map(|coordinate| [f64::from(coordinate); LANES]);
    let [value, ..] = measure.of(&lanes(bounds.min), &lanes(bounds.max), limit);
    (value <= limit && value < f64::INFINITY).then_some(value)
}
