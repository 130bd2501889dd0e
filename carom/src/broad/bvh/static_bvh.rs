//! The hierarchy of boxes as a broad phase.
//!
//! As long as the same proxies are there, the tree is refitted; it is built anew when the last join took more tests by
//! [`REBUILD_PAYS`](super::REBUILD_PAYS) than the first one after the last build. The tests themselves are counted, not
//! estimated by surfaces, which one box around everything would outweigh. Leaves hold up to eight boxes, which are
//! compared at once; the join is that of `box_tree`. Cost: a build by surface takes O(n log n), a refit O(n).
//! Made for boxes that all move a little each frame: on a par with the dynamic tree to twice its time, and the fewest
//! tests of the trees built here. Loses where few move, which the dynamic tree does not even look at, and where
//! everything leaps: a build takes six times as long.

use super::{Bvh, BvhBuild, REBUILD_PAYS};
use crate::bounds::Aabb;
use crate::broad::block::LANES;
use crate::broad::box_tree::{BoxTree, Item};
use crate::broad::{BoxRay, Drawn, Index, Pair, Proxies};

/// A hierarchy of boxes; [`Rebuilt<StaticBvh>`](crate::broad::Rebuilt) is the broad phase on it.
#[derive(Debug, Clone, Default)]
pub struct StaticBvh {
    build: BvhBuild<'static>,
    bvh: Bvh<Aabb>,
    tree: BoxTree,
    ids: Vec<u32>,
    boxes: Vec<Aabb>,
    leaf: Vec<Item>,
    /// Tests of the last join, and of the first since the last build.
    tests: u64,
    tests_when_built: Option<u64>,
}

impl StaticBvh {
    /// An empty hierarchy that will be built in this way.
    pub fn new(build: BvhBuild<'static>) -> Self {
        Self { build, ..Self::default() }
    }

    /// The hierarchy; its items are the boxes in the order of their ids.
    pub fn bvh(&self) -> &Bvh<Aabb> {
        &self.bvh
    }

    /// Takes the boxes; says whether the ids are those of last time.
    fn gather(&mut self, proxies: &Proxies) -> bool {
        self.boxes.clear();
        self.boxes.extend(proxies.iter().map(|(_, bounds)| *bounds));
        let is_same = self.ids.iter().copied().eq(proxies.iter().map(|(id, _)| id));
        if !is_same {
            self.ids.clear();
            self.ids.extend(proxies.iter().map(|(id, _)| id));
        }
        is_same
    }

    fn fit(&mut self, proxies: &Proxies) {
        let is_same = self.gather(proxies);
        let is_good = self.tests_when_built.is_some_and(|then| self.tests as f32 <= REBUILD_PAYS * then as f32);
        if is_same && is_good && self.bvh.refit(&self.boxes).is_ok() {
            return;
        }
        self.tests_when_built = None;
        let built = self.bvh.rebuild_with_leaves(&self.boxes, &self.boxes, self.build, LANES);
        // Proxies are checked at the door; only edges of an adjacency can be out of range, and then there are none.
        if built.is_err() {
            let _ = self.bvh.rebuild_with_leaves(&self.boxes, &self.boxes, BvhBuild::SurfaceArea, LANES);
        }
    }
}

impl Index for StaticBvh {
    fn rebuild(&mut self, proxies: &Proxies) {
        self.fit(proxies);
        self.tree.clear();
        let Self { bvh, tree, ids, leaf, .. } = self;
        for (node, &depth) in bvh.nodes.iter().zip(&bvh.topology.depths) {
            if node.is_leaf() {
                leaf.clear();
                leaf.extend(
                    node.items()
                        .map(|place| Item { bounds: bvh.volumes[place], id: ids[bvh.topology.order[place] as usize] }),
                );
                tree.push_leaf(leaf, depth);
            } else {
                tree.push_inner(depth);
            }
        }
        tree.close();
    }

    fn find_pairs(&mut self, _proxies: &Proxies, pairs: &mut Vec<Pair>) -> u64 {
        self.tests = self.tree.find_pairs(|_, _| true, pairs);
        self.tests_when_built.get_or_insert(self.tests);
        self.tests
    }

    fn candidates(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        self.tree.candidates(bounds, |_, _| true, visit);
    }

    fn ray_candidates(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32) -> f32) {
        self.tree.ray_candidates(ray, visit);
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn FnMut(Drawn)) {
        self.tree.draw(sink);
    }

    fn memory(&self) -> usize {
        self.bvh.memory()
            + self.tree.memory()
            + self.ids.capacity() * size_of::<u32>()
            + self.boxes.capacity() * size_of::<Aabb>()
            + self.leaf.capacity() * size_of::<Item>()
    }
}
