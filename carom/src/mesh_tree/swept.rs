//! A moving box through the tree of a mesh.

use super::node::LANES;
use super::{MeshTree, SHORT_STACK, STACK, Slot, push_sorted};
use crate::bounds::box_sweep::BoxSweep;
use glam::DVec3;

/// What is still of interest to a walk: what is met until a time, and reaches up to a level along a direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SweptLimit {
    pub(crate) time: f64,
    pub(crate) along: DVec3,
    pub(crate) level: f64,
}

impl SweptLimit {
    /// All that is met until a time.
    pub(crate) fn until(time: f64) -> Self {
        Self { time, along: DVec3::ZERO, level: f64::NEG_INFINITY }
    }

    /// How far boxes reach along the direction.
    #[inline(always)]
    fn heights(&self, min: &[[f64; LANES]; 3], max: &[[f64; LANES]; 3]) -> [f64; LANES] {
        let mut heights = [0.0; LANES];
        for axis in 0..3 {
            let along = self.along[axis];
            let farther = if along < 0.0 { &min[axis] } else { &max[axis] };
            for lane in 0..LANES {
                heights[lane] += along * farther[lane];
            }
        }
        heights
    }
}

impl MeshTree {
    /// Calls `visit` with each triangle whose box the moving box meets at a time up to `limit`, the earlier ones mostly
    /// first. What `visit` returns is the new limit.
    pub(crate) fn visit_swept(&self, sweep: &BoxSweep, limit: SweptLimit, mut visit: impl FnMut(Slot) -> SweptLimit) {
        if self.is_shallow {
            visit_swept::<SHORT_STACK>(self, sweep, limit, &mut visit);
        } else {
            visit_swept::<STACK>(self, sweep, limit, &mut visit);
        }
    }
}

fn visit_swept<const N: usize>(
    tree: &MeshTree,
    sweep: &BoxSweep,
    mut limit: SweptLimit,
    visit: &mut impl FnMut(Slot) -> SweptLimit,
) {
    let mut stack = [(0.0f64, 0u32); N];
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let (entry, index) = stack[depth];
        if entry > limit.time {
            continue;
        }
        let node = &tree.nodes[index as usize];
        let (min, max) = node.wide_sides();
        let entries = sweep.entries(&min, &max, limit.time);
        let heights = limit.heights(&min, &max);
        let mut hits = 0;
        for lane in 0..LANES {
            hits |= u32::from(entries[lane] < f64::INFINITY && heights[lane] >= limit.level) << lane;
        }
        hits &= node.filled();
        if node.is_bottom {
            while hits != 0 {
                let first = super::lowest(hits, &entries) % LANES;
                hits &= !(1 << first);
                if entries[first] <= limit.time {
                    limit = visit(tree.slots[node.first as usize + first]);
                }
            }
            continue;
        }
        push_sorted(&mut stack, &mut depth, hits, |lane| (entries[lane], node.first + lane as u32));
    }
}
