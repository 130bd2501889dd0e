//! A moving box through the tree of a mesh.

use super::node::LANES;
use super::{MeshTree, SHORT_STACK, STACK, Slot, push_sorted};
use crate::bounds::box_sweep::BoxSweep;

impl MeshTree {
    /// Calls `visit` with each triangle whose box the moving box meets at a time up to `limit`, the earlier ones mostly
    /// first. What `visit` returns is the new limit, if it is less.
    pub(crate) fn visit_swept(&self, sweep: &BoxSweep, limit: f64, mut visit: impl FnMut(Slot) -> f64) {
        if self.is_shallow {
            visit_swept::<SHORT_STACK>(self, sweep, limit, &mut visit);
        } else {
            visit_swept::<STACK>(self, sweep, limit, &mut visit);
        }
    }
}

fn visit_swept<const N: usize>(tree: &MeshTree, sweep: &BoxSweep, mut limit: f64, visit: &mut impl FnMut(Slot) -> f64) {
    let mut stack = [(0.0f64, 0u32); N];
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let (entry, index) = stack[depth];
        if entry > limit {
            continue;
        }
        let node = &tree.nodes[index as usize];
        let (min, max) = node.wide_sides();
        let entries = sweep.entries(&min, &max, limit);
        let mut hits = 0;
        for (lane, entry) in entries.iter().enumerate() {
            hits |= u32::from(*entry < f64::INFINITY) << lane;
        }
        hits &= node.filled();
        if node.is_bottom {
            while hits != 0 {
                let first = super::lowest(hits, &entries) % LANES;
                hits &= !(1 << first);
                if entries[first] <= limit {
                    limit = visit(tree.slots[node.first as usize + first]).min(limit);
                }
            }
            continue;
        }
        push_sorted(&mut stack, &mut depth, hits, |lane| (entries[lane], node.first + lane as u32));
    }
}
