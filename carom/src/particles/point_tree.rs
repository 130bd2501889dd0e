//! A k-d tree over points, eight children to a node, eight points to a leaf.
//!
//! Ranges of points are halved at the median of their longest side until eight remain; three halvings make one node.
//! The left half is always a power of two leaves, so every leaf but the last is full and the tree needs no pointers:
//! the children of node i of a level are 8i … 8i+7 of the level below. Each child has its tight box and the smallest
//! index inside, which decides between subtrees at equal distance; medians order equal coordinates by index, so that
//! even coincident points part into ranges of indices.
//!
//! Coordinates are scaled by a power of two, which is exact, so that the greatest is near 2³⁴: then squares of
//! distances lose no bits unless they are 2⁹⁷ times smaller than the set, nor overflow unless the query is 2²⁵ times
//! farther away than any point, where f32 cannot tell the points apart. Cost of building: n log n, in parallel.
//! Source: Bentley 1975, doi 10.1145/361002.361007; boxes, width and layout are our own.

use super::{LANES, PointsError, check_points};
use fearless_simd::{Level, Simd, SimdBase, f32x8};
use glam::Vec3;

/// log2 of the children of a node.
pub(super) const SHIFT: u32 = 3;

/// Below this many points a thread goes on alone.
const SEQUENTIAL: usize = 4096;

/// Finds the nearest of a set of points. Built anew for every set; keeps its buffers.
///
/// ```
/// use carom::particles::{Neighbours, PointTree};
/// use carom::prelude::*;
///
/// let points = [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 3.0, 0.0)];
/// let mut tree = PointTree::default();
/// let mut near = Neighbours::default();
/// tree.rebuild(&points)?;
/// tree.nearest_of_each(1, &mut near)?;
/// assert_eq!(near.of(2).next().map(|neighbour| (neighbour.index, neighbour.distance)), Some((0, 3.0)));
/// tree.nearest_to(&[Vec3::splat(0.9)], 2, &mut near)?;
/// assert_eq!(near.of(0).map(|neighbour| neighbour.index).collect::<Vec<_>>(), [1, 0]);
/// # Ok::<(), carom::particles::PointsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct PointTree {
    pub(super) level: Level,
    pub(super) count: usize,
    /// What coordinates are multiplied by, a power of two.
    pub(super) scale: f64,
    pub(super) leaves: Vec<Leaf>,
    /// From the parents of leaves up to the root.
    pub(super) levels: Vec<Vec<Node>>,
    /// Where each point is: eight times its leaf, and its lane.
    pub(super) slot_of: Vec<u32>,
    items: Vec<Item>,
}

/// Eight points. Lanes without one are NaN.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Leaf {
    pub(super) coordinates: [[f32; LANES]; 3],
    pub(super) ids: [u32; LANES],
}

/// The boxes of eight children. Those behind the last child are not read.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Node {
    min: [[f32; LANES]; 3],
    max: [[f32; LANES]; 3],
    /// The smallest index in each child.
    pub(super) smallest: [u32; LANES],
}

#[derive(Debug, Clone, Copy, Default)]
struct Item {
    /// An array, since a vector's coordinate by a variable axis is a branch.
    point: [f32; 3],
    id: u32,
}

impl Default for PointTree {
    fn default() -> Self {
        Self {
            level: crate::simd::level(),
            count: 0,
            scale: 1.0,
            leaves: Vec::new(),
            levels: Vec::new(),
            slot_of: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl PointTree {
    /// Takes in a set of points in place of the last. After an error the last set is still there.
    pub fn rebuild(&mut self, points: &[Vec3]) -> Result<(), PointsError> {
        check_points(points)?;
        let reach = points.iter().fold(Vec3::ZERO, |reach, point| reach.max(point.abs())).max_element();
        self.scale = scale_for(reach);
        self.count = points.len();
        self.items.clear();
        self.items.extend(
            points.iter().zip(0..).map(|(&point, id)| Item { point: scaled(point, self.scale).to_array(), id }),
        );
        arrange(&mut self.items);
        self.leaves.clear();
        self.leaves.extend(self.items.chunks(LANES).map(Leaf::of));
        self.slot_of.resize(points.len(), 0);
        for (item, slot) in self.items.iter().zip(0..) {
            self.slot_of[item.id as usize] = slot;
        }
        self.raise_levels();
        Ok(())
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Nodes over the leaves, level by level, until one node is left.
    fn raise_levels(&mut self) {
        let mut levels = std::mem::take(&mut self.levels);
        let mut height = 0;
        loop {
            if levels.len() == height {
                levels.push(Vec::new());
            }
            let (below, rest) = levels.split_at_mut(height);
            let Some(level) = rest.first_mut() else { break };
            level.clear();
            match below.last() {
                None => {
                    level.extend(self.leaves.chunks(LANES).map(|leaves| Node::over(leaves.iter().map(Leaf::bounds))));
                }
                Some(children) => {
                    level.extend(children.chunks(LANES).enumerate().map(|(index, nodes)| {
                        let grandchildren = if height == 1 { self.leaves.len() } else { below[height - 2].len() };
                        let first = index * LANES;
                        Node::over(
                            nodes.iter().zip(first..).map(|(node, place)| node.bounds(grandchildren - place * LANES)),
                        )
                    }));
                }
            }
            height += 1;
            if level.len() <= 1 {
                break;
            }
        }
        levels.truncate(height);
        self.levels = levels;
    }
}

/// A power of two that brings `reach` near 2³⁴.
fn scale_for(reach: f32) -> f64 {
    if reach == 0.0 { 1.0 } else { libm::exp2(34.0 - libm::floor(libm::log2(f64::from(reach)))) }
}

/// The point in the tree's unit; −0 becomes 0.
pub(super) fn scaled(point: Vec3, scale: f64) -> Vec3 {
    (point.as_dvec3() * scale).as_vec3() + Vec3::ZERO
}

/// Orders the items so that each eight make a leaf, and each power of two of leaves a subtree.
fn arrange(items: &mut [Item]) {
    let leaves = items.len().div_ceil(LANES);
    if leaves <= 1 {
        return;
    }
    let left = leaves.next_power_of_two() / 2 * LANES;
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for item in items.iter() {
        let point = Vec3::from_array(item.point);
        (min, max) = (min.min(point), max.max(point));
    }
    let axis = (max - min).max_position() % 3;
    items.select_nth_unstable_by(left, |a, b| a.point[axis].total_cmp(&b.point[axis]).then(a.id.cmp(&b.id)));
    let sequential = items.len() <= SEQUENTIAL;
    let (below, above) = items.split_at_mut(left);
    if sequential {
        arrange(below);
        arrange(above);
    } else {
        rayon::join(|| arrange(below), || arrange(above));
    }
}

impl Leaf {
    fn of(items: &[Item]) -> Self {
        let mut leaf = Self { coordinates: [[f32::NAN; LANES]; 3], ids: [u32::MAX; LANES] };
        for (lane, item) in items.iter().enumerate() {
            for axis in 0..3 {
                leaf.coordinates[axis][lane] = item.point[axis];
            }
            leaf.ids[lane] = item.id;
        }
        leaf
    }

    /// The box of the points, and their smallest index. The minimum of NaN and a number is the number.
    fn bounds(&self) -> (Vec3, Vec3, u32) {
        let least = |axis: usize| self.coordinates[axis].iter().copied().fold(f32::INFINITY, f32::min);
        let greatest = |axis: usize| self.coordinates[axis].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let smallest = self.ids.iter().copied().fold(u32::MAX, u32::min);
        (Vec3::new(least(0), least(1), least(2)), Vec3::new(greatest(0), greatest(1), greatest(2)), smallest)
    }

    /// The point in a lane.
    pub(super) fn point(&self, lane: usize) -> Vec3 {
        Vec3::new(self.coordinates[0][lane], self.coordinates[1][lane], self.coordinates[2][lane])
    }

    /// The squared distances of the points from `query`.
    #[inline(always)]
    pub(super) fn distances_squared<S: Simd>(&self, simd: S, query: Vec3) -> f32x8<S> {
        let offset =
            |axis: usize| f32x8::load_array_ref(simd, &self.coordinates[axis]) - f32x8::splat(simd, query[axis]);
        let (x, y, z) = (offset(0), offset(1), offset(2));
        x * x + y * y + z * z
    }
}

impl Node {
    fn over(children: impl Iterator<Item = (Vec3, Vec3, u32)>) -> Self {
        let mut node = Self { min: [[0.0; LANES]; 3], max: [[0.0; LANES]; 3], smallest: [u32::MAX; LANES] };
        for (lane, (min, max, smallest)) in children.enumerate() {
            for axis in 0..3 {
                node.min[axis][lane] = min[axis];
                node.max[axis][lane] = max[axis];
            }
            node.smallest[lane] = smallest;
        }
        node
    }

    /// The box around the first `children`, at most eight, and their smallest index.
    fn bounds(&self, children: usize) -> (Vec3, Vec3, u32) {
        let lanes = children.min(LANES);
        let least = |axis: usize| self.min[axis][..lanes].iter().copied().fold(f32::INFINITY, f32::min);
        let greatest = |axis: usize| self.max[axis][..lanes].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let smallest = self.smallest.iter().copied().fold(u32::MAX, u32::min);
        (Vec3::new(least(0), least(1), least(2)), Vec3::new(greatest(0), greatest(1), greatest(2)), smallest)
    }

    /// The squared distances of the boxes from `query`. Rounding is monotonic and the operations are those of
    /// [`Leaf::distances_squared`], so no point inside comes out nearer than its box.
    #[inline(always)]
    pub(super) fn distances_squared<S: Simd>(&self, simd: S, query: Vec3) -> f32x8<S> {
        let gap = |axis: usize| {
            let own = f32x8::splat(simd, query[axis]);
            let below = f32x8::load_array_ref(simd, &self.min[axis]) - own;
            let above = own - f32x8::load_array_ref(simd, &self.max[axis]);
            below.max(above).max(f32x8::splat(simd, 0.0))
        };
        let (x, y, z) = (gap(0), gap(1), gap(2));
        x * x + y * y + z * z
    }
}
