//! B8: a k-d tree, built anew over the boxes.
//!
//! A plane across the axis along which the middles are spread widest, at their median, divides the boxes in three:
//! those wholly below, those wholly above and those that the plane cuts. The cut ones make a third subtree and are
//! divided along the other axes, so each box lies in one leaf and each pair is found once. The median comes from 15 to
//! 63 boxes, and from all of them where that fails.
//! Stops at sixteen boxes, or where the median planes of all three axes leave more than 7/8 in one part: then at least
//! 5/8 of the boxes hold the point where the three planes meet, all overlap each other, and no tree would spare the
//! tests. The depth is at most log(n) / log(8/7). Cost: O(n log n) to build; the join is that of `box_tree`.
//! Source: Bentley 1975, doi 10.1145/361002.361007, for points; the third subtree is for boxes.
//! Made for flat, long and unevenly spread boxes, as on maps: fewer tests there than the octree, but 3.6 times the
//! dynamic tree's time for a build with all pairs. Loses wherever boxes move little, since it is built anew.

use super::box_tree::{BoxTree, Item, divide, gather};
use super::{BoxRay, Drawn, Index, Pair, Proxies};
use crate::bounds::Aabb;
use glam::Vec3;
use std::cmp::Ordering;

/// Boxes up to this many make a leaf.
const LEAF: usize = 16;
/// The least and the most boxes that a median is taken from; between them a quarter of all.
const SAMPLE: [usize; 2] = [15, 63];

/// A k-d tree; [`Rebuilt<KdTree>`](super::Rebuilt) is the broad phase on it.
#[derive(Debug, Clone, Default)]
pub struct KdTree {
    tree: BoxTree,
    items: Vec<Item>,
    tasks: Vec<(usize, usize, u32)>,
    medians: Vec<f32>,
    planes: Vec<AxisPlane>,
}

#[derive(Debug, Clone, Copy)]
struct AxisPlane {
    node: usize,
    axis: usize,
    offset: f32,
}

/// The middles of some items, and the axes in the order of their spread.
pub(super) struct Sample {
    centers: [Vec3; SAMPLE[1]],
    count: usize,
    pub(super) axes: [usize; 3],
}

impl Sample {
    pub(super) fn of(items: &[Item]) -> Self {
        let count = (items.len() / 4).clamp(SAMPLE[0], SAMPLE[1]).min(items.len());
        let mut centers = [Vec3::ZERO; SAMPLE[1]];
        let (mut least, mut greatest) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for (index, center) in centers[..count].iter_mut().enumerate() {
            *center = items[index * items.len() / count].center();
            least = least.min(*center);
            greatest = greatest.max(*center);
        }
        let spread = greatest * 0.5 - least * 0.5;
        let mut axes = [0, 1, 2];
        axes.sort_by(|&a, &b| spread[b].total_cmp(&spread[a]));
        Self { centers, count, axes }
    }

    /// The median of the sample along an axis.
    pub(super) fn median(&self, axis: usize) -> f32 {
        let mut values = [0.0; SAMPLE[1]];
        for (value, center) in values.iter_mut().zip(&self.centers[..self.count]) {
            *value = center[axis];
        }
        median(&mut values[..self.count])
    }
}

pub(super) fn median(values: &mut [f32]) -> f32 {
    let middle = values.len() / 2;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f32::total_cmp).1 }
}

/// Whether none of the three parts is too large for the division to be worth it.
pub(super) fn is_even((equal, greater): (usize, usize), count: usize) -> bool {
    equal.max(greater - equal).max(count - greater) * 8 <= count * 7
}

/// Below, cut by or above a plane across an axis.
#[inline(always)]
pub(super) fn side_of(item: &Item, axis: usize, offset: f32) -> Ordering {
    if item.bounds.max[axis] < offset {
        Ordering::Less
    } else if item.bounds.min[axis] > offset {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

/// Divides items by the first median plane that does it evenly; says which, and where the parts begin.
pub(super) fn divide_at_median(
    items: &mut [Item],
    sample: &Sample,
    medians: &mut Vec<f32>,
) -> Option<(usize, f32, (usize, usize))> {
    let exact = items.len() == sample.count;
    for attempt in 0..if exact { 3 } else { 6 } {
        let axis = sample.axes[attempt % 3];
        let offset = if attempt < 3 {
            sample.median(axis)
        } else {
            medians.clear();
            medians.extend(items.iter().map(|item| item.center()[axis]));
            median(medians)
        };
        let parts = divide(items, |item| side_of(item, axis, offset));
        if is_even(parts, items.len()) {
            return Some((axis, offset, parts));
        }
    }
    None
}

impl KdTree {
    fn grow(&mut self, (start, end, depth): (usize, usize, u32)) {
        let items = &mut self.items[start..end];
        let divided =
            if items.len() > LEAF { divide_at_median(items, &Sample::of(items), &mut self.medians) } else { None };
        let Some((axis, offset, (cut, above))) = divided else {
            self.tree.push_leaf(items, depth);
            return;
        };
        let node = self.tree.push_inner(depth);
        self.planes.push(AxisPlane { node, axis, offset });
        for (from, to) in [(above, end - start), (cut, above), (0, cut)] {
            if from < to {
                self.tasks.push((start + from, start + to, depth + 1));
            }
        }
    }
}

impl Index for KdTree {
    fn rebuild(&mut self, proxies: &Proxies) {
        gather(proxies, &mut self.items);
        self.tree.clear();
        self.planes.clear();
        self.tasks.clear();
        self.tasks.push((0, self.items.len(), 0));
        while let Some(task) = self.tasks.pop() {
            self.grow(task);
        }
        self.tree.close();
    }

    fn find_pairs(&mut self, _proxies: &Proxies, pairs: &mut Vec<Pair>) -> u64 {
        self.tree.find_pairs(|_, _| true, pairs)
    }

    fn candidates(&self, bounds: &Aabb, visit: &mut dyn FnMut(u32)) {
        self.tree.candidates(bounds, |_, _| true, visit);
    }

    fn ray_candidates(&self, ray: &BoxRay, visit: &mut dyn FnMut(u32) -> f32) {
        self.tree.ray_candidates(ray, visit);
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn FnMut(Drawn)) {
        self.tree.draw(sink);
        let mut planes = self.planes.iter().peekable();
        super::preorder::with_depths(&self.tree.nodes, |node, index, depth| {
            if let Some(plane) = planes.next_if(|plane| plane.node == index) {
                sink(Drawn::Plane { normal: Vec3::AXES[plane.axis], offset: plane.offset, region: node.volume, depth });
            }
        });
    }

    fn memory(&self) -> usize {
        self.tree.memory()
            + self.items.capacity() * size_of::<Item>()
            + self.tasks.capacity() * size_of::<(usize, usize, u32)>()
            + self.medians.capacity() * size_of::<f32>()
            + self.planes.capacity() * size_of::<AxisPlane>()
    }
}
