//! The shape of a hierarchy: which items each node holds. Boxes around the items decide it, whatever volumes the nodes
//! get, so no build merges volumes that are dear to merge.

use super::bottom_up::Forest;
use super::{BvhBuild, top_down};
use crate::bounds::Aabb;
use crate::broad::box_tree::Item;
use glam::Vec3;

/// The nodes in preorder, and the items in the order of the leaves. Keeps its memory from build to build.
#[derive(Debug, Clone, Default)]
pub(super) struct Topology {
    pub(super) order: Vec<u32>,
    pub(super) nodes: Vec<Span>,
    pub(super) depths: Vec<u32>,
    items: Vec<Item>,
    tasks: Vec<(usize, usize, u32)>,
    forest: Forest,
}

/// A leaf's items, or a count of 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Topology {
    /// Builds it with leaves of up to `leaf` items.
    pub(super) fn build(&mut self, boxes: &[Aabb], build: BvhBuild<'_>, leaf: usize) {
        self.order.clear();
        self.nodes.clear();
        self.depths.clear();
        match build {
            BvhBuild::Median => self.grow_down(boxes, leaf, top_down::split_at_median),
            BvhBuild::SurfaceArea => self.grow_down(boxes, leaf, top_down::split_by_surface),
            BvhBuild::BottomUp => self.grow_up(boxes, leaf, &[]),
            BvhBuild::ByAdjacency(edges) => self.grow_up(boxes, leaf, edges),
        }
    }

    pub(super) fn memory(&self) -> usize {
        (self.order.capacity() + self.depths.capacity()) * size_of::<u32>()
            + self.nodes.capacity() * size_of::<Span>()
            + self.items.capacity() * size_of::<Item>()
            + self.tasks.capacity() * size_of::<(usize, usize, u32)>()
            + self.forest.memory()
    }

    /// Divides by `split`, which sorts the items and says how many go left.
    fn grow_down(&mut self, boxes: &[Aabb], leaf: usize, split: fn(&mut [Item]) -> usize) {
        let Self { order, nodes, depths, items, tasks, .. } = self;
        items.clear();
        items.extend(boxes.iter().zip(0u32..).map(|(&bounds, id)| Item { bounds, id }));
        tasks.clear();
        if !items.is_empty() {
            tasks.push((0, items.len(), 0));
        }
        while let Some((start, end, depth)) = tasks.pop() {
            depths.push(depth);
            if end - start <= leaf {
                nodes.push(Span { first: start as u32, count: (end - start) as u32 });
                continue;
            }
            nodes.push(Span { first: start as u32, count: 0 });
            let range = &mut items[start..end];
            let left = if depth < top_down::MAX_UNBALANCED { split(range) } else { top_down::split_at_median(range) };
            tasks.push((start + left, end, depth + 1));
            tasks.push((start, start + left, depth + 1));
        }
        order.extend(items.iter().map(|item| item.id));
    }

    fn grow_up(&mut self, boxes: &[Aabb], leaf: usize, edges: &[[u32; 2]]) {
        let Self { order, nodes, depths, forest, .. } = self;
        forest.plant(boxes);
        forest.merge_along(edges);
        forest.merge_nearest();
        forest.flatten(leaf, nodes, order, depths);
    }
}

/// Half of a box's surface, fit for comparisons: what overflowed or is NaN counts as infinite.
#[inline(always)]
pub(super) fn surface(bounds: &Aabb) -> f32 {
    let size: Vec3 = bounds.max - bounds.min;
    let half = size.x * size.y + size.y * size.z + size.z * size.x;
    if half.is_nan() { f32::INFINITY } else { half }
}
