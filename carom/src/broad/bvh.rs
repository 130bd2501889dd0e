//! B10: a hierarchy of bounding volumes over a fixed list of items, of any kind of volume.
//!
//! Every node's volume encloses its children's, so what misses a node misses all below it. Nodes lie in one array,
//! parents first (`preorder`): against one obstacle the walk needs no stack, and a refit is one pass from the back.
//! Two trees are walked in tandem, descending the one of greater surface, so that both volumes shrink alike.
//! A refit keeps the tree and fits its volumes to items that have moved; they grow to overlap each other, and
//! [`Bvh::decay`] tells how much dearer an average question has become than after the last build.
//! Cost: a refit merges n volumes; builds are in `top_down`, `bottom_up` and `adjacency`.
//! Sources: Gottschalk, Lin, Manocha 1996, doi 10.1145/237170.237244, for the tandem; van den Bergen 1997,
//! doi 10.1080/10867651.1997.10487480, for refitting; Goldsmith, Salmon 1987, doi 10.1109/MCG.1987.276983, for the
//! measure by surface areas.

mod adjacency;
mod bottom_up;
mod static_bvh;
mod top_down;
mod topology;

pub use adjacency::adjacent_triangles;
pub use static_bvh::StaticBvh;

use super::preorder::{self, Node};
use crate::bounds::{Aabb, BoundingVolume, BoundsError};
use crate::shape::TriangleMesh;
use glam::Vec3;
use topology::{Span, Topology};

/// How a hierarchy is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum BvhBuild<'a> {
    /// Top down: at the median of the middles along their longest axis. The fastest to build, always balanced.
    Median,
    /// Top down: between 16 bins where surface times number is least. The fewest tests where items differ in size.
    #[default]
    SurfaceArea,
    /// Bottom up: neighbours along a space-filling curve merge with the nearest of them, in rounds.
    BottomUp,
    /// Bottom up along edges between items, the least surface first: nodes hold connected pieces, which stay compact
    /// when the items deform. Pieces without an edge between them are merged as by `BottomUp`.
    ByAdjacency(&'a [[u32; 2]]),
}

/// Why there is no hierarchy; the one before, if any, stays.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BvhError {
    /// Two lists must have one entry for each item.
    #[error("{given} {what} for {items} items")]
    CountMismatch {
        /// What was given.
        what: &'static str,
        /// How many were given.
        given: usize,
        /// How many items there are.
        items: usize,
    },
    /// A box is NaN, infinite or turned inside out.
    #[error("the box of item {item} from {min} to {max} is not sound")]
    BadBox {
        /// The item.
        item: usize,
        /// The box's least corner.
        min: Vec3,
        /// Its greatest corner.
        max: Vec3,
    },
    /// An item has no volume of this kind around it.
    #[error("item {item}: {reason}")]
    NoVolume {
        /// The item.
        item: usize,
        /// Why.
        reason: BoundsError,
    },
    /// An edge joins an item that does not exist.
    #[error("edge {edge} joins item {item}, of {items}")]
    EdgeOutOfRange {
        /// The edge.
        edge: usize,
        /// The item.
        item: u32,
        /// How many items there are.
        items: usize,
    },
    /// More items than indices.
    #[error("{items} items are more than 2^31")]
    TooMany {
        /// How many items there are.
        items: usize,
    },
}

/// When [`Bvh::decay`] exceeds this, a rebuild is repaid by about seven joins of the tree with itself: a build by
/// surface costs a little more than twice as much as the join that follows it.
pub const REBUILD_PAYS: f32 = 1.35;

/// Items in a leaf, unless said otherwise.
const LEAF: usize = 4;

/// A hierarchy of volumes over items, which are numbered from 0.
///
/// ```
/// use carom::bounds::Aabb;
/// use carom::broad::{Bvh, BvhBuild};
/// use carom::glam::Vec3;
///
/// let boxes: Vec<Aabb> = (0..100).map(|i| Aabb::new(Vec3::X * i as f32, Vec3::X * i as f32 + 0.8)).collect();
/// let bvh = Bvh::new(&boxes, &boxes, BvhBuild::SurfaceArea)?;
/// let mut found = Vec::new();
/// bvh.visit_overlapping(&Aabb::new(Vec3::splat(-1.0), Vec3::ONE), |item| found.push(item));
/// found.sort();
/// assert_eq!(found, [0, 1]);
/// # Ok::<(), carom::broad::BvhError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bvh<V> {
    nodes: Vec<Node<V>>,
    /// The surface of each node, 0 or more, infinite if it is not known.
    sizes: Vec<f32>,
    /// The items' volumes in the order of the leaves.
    volumes: Vec<V>,
    cost_when_built: f64,
    topology: Topology,
}

impl<V> Default for Bvh<V> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            sizes: Vec::new(),
            volumes: Vec::new(),
            cost_when_built: 1.0,
            topology: Topology::default(),
        }
    }
}

/// The surface, fit for comparisons: what overflowed or is NaN counts as infinite.
#[inline(always)]
fn size<V: BoundingVolume>(volume: &V) -> f32 {
    let area = volume.surface_area();
    if area.is_nan() { f32::INFINITY } else { area.max(0.0) }
}

impl<V: BoundingVolume> Bvh<V> {
    /// A hierarchy over items, given their volumes and axis-aligned boxes around them. The boxes decide the shape of
    /// the tree, the volumes every answer; where the volumes are boxes, give them twice.
    pub fn new(volumes: &[V], boxes: &[Aabb], build: BvhBuild<'_>) -> Result<Self, BvhError> {
        let mut bvh = Self::default();
        bvh.rebuild(volumes, boxes, build)?;
        Ok(bvh)
    }

    /// A hierarchy over the triangles of a mesh.
    pub fn around_triangles(mesh: &TriangleMesh, build: BvhBuild<'_>) -> Result<Self, BvhError> {
        let corners = (0..mesh.triangles().len()).map(|triangle| mesh.corners(triangle));
        let (mut volumes, mut boxes) = (Vec::new(), Vec::new());
        for (item, corners) in corners.enumerate() {
            let because = |reason| BvhError::NoVolume { item, reason };
            volumes.push(V::around_points(&corners).map_err(because)?);
            boxes.push(Aabb::around_points(&corners).map_err(because)?);
        }
        Self::new(&volumes, &boxes, build)
    }

    /// Builds it anew, in the memory that it has.
    pub fn rebuild(&mut self, volumes: &[V], boxes: &[Aabb], build: BvhBuild<'_>) -> Result<(), BvhError> {
        self.rebuild_with_leaves(volumes, boxes, build, LEAF)
    }

    fn rebuild_with_leaves(
        &mut self,
        volumes: &[V],
        boxes: &[Aabb],
        build: BvhBuild<'_>,
        leaf: usize,
    ) -> Result<(), BvhError> {
        check(volumes.len(), boxes, build)?;
        self.topology.build(boxes, build, leaf);
        let order = &self.topology.order;
        self.volumes.clear();
        self.volumes.extend(order.iter().map(|&item| volumes[item as usize].clone()));
        self.nodes.clear();
        self.nodes.extend(self.topology.nodes.iter().map(|&Span { first, count }| {
            // An inner node's volume is found when its children have theirs.
            Node { volume: self.volumes[first as usize].clone(), end: 0, first, count }
        }));
        self.fit_leaves();
        preorder::close(&mut self.nodes, &self.topology.depths);
        self.measure();
        self.cost_when_built = self.cost();
        Ok(())
    }

    /// Fits the volumes to items that have moved or deformed; the tree stays as it is.
    pub fn refit(&mut self, volumes: &[V]) -> Result<(), BvhError> {
        if volumes.len() != self.len() {
            let (given, items) = (volumes.len(), self.len());
            return Err(BvhError::CountMismatch { what: "volumes", given, items });
        }
        for (place, &item) in self.volumes.iter_mut().zip(&self.topology.order) {
            *place = volumes[item as usize].clone();
        }
        self.fit_leaves();
        for index in (0..self.nodes.len()).rev() {
            preorder::refit_inner(&mut self.nodes, index);
        }
        self.measure();
        Ok(())
    }

    /// How much dearer an average question is than after the last build: 1 then, more as the tree decays; compare with
    /// [`REBUILD_PAYS`]. An item far larger than all others outweighs what happens among those.
    pub fn decay(&self) -> f32 {
        (self.cost() / self.cost_when_built) as f32
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.volumes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.volumes.is_empty()
    }

    /// The volume around everything.
    pub fn root(&self) -> Option<&V> {
        self.nodes.first().map(|root| &root.volume)
    }

    /// Calls `visit` with each item whose volume overlaps the obstacle's.
    pub fn visit_overlapping(&self, obstacle: &V, visit: impl FnMut(u32)) {
        self.visit_where(|volume| volume.overlaps(obstacle), visit);
    }

    /// Calls `visit` with each item whose volume `reaches` accepts. It must accept every volume that encloses one that
    /// it accepts.
    pub fn visit_where(&self, mut reaches: impl FnMut(&V) -> bool, mut visit: impl FnMut(u32)) {
        let mut index = 0;
        while let Some(node) = self.nodes.get(index) {
            if !reaches(&node.volume) {
                index = node.end as usize;
                continue;
            }
            for place in node.items() {
                if node.count == 1 || reaches(&self.volumes[place]) {
                    visit(self.topology.order[place]);
                }
            }
            index += 1;
        }
    }

    /// Calls `visit` with each item of this tree and item of the other whose volumes overlap.
    pub fn visit_pairs_with(&self, other: &Self, visit: impl FnMut(u32, u32)) {
        self.visit_pairs_where(other, V::overlaps, visit);
    }

    /// As [`Bvh::visit_pairs_with`], with a test of the caller's, such as one that moves the other tree's volumes:
    /// `|a, b| a.overlaps(&b.moved(&b_in_a))`. The other tree may be of other volumes.
    pub fn visit_pairs_where<W: BoundingVolume>(
        &self,
        other: &Bvh<W>,
        mut overlap: impl FnMut(&V, &W) -> bool,
        mut visit: impl FnMut(u32, u32),
    ) {
        if self.is_empty() || other.is_empty() {
            return;
        }
        let mut stack = vec![(0usize, 0usize)];
        while let Some((a, b)) = stack.pop() {
            let (own, theirs) = (&self.nodes[a], &other.nodes[b]);
            if !overlap(&own.volume, &theirs.volume) {
                continue;
            }
            if own.is_leaf() && theirs.is_leaf() {
                for first in own.items() {
                    for second in theirs.items() {
                        if overlap(&self.volumes[first], &other.volumes[second]) {
                            visit(self.topology.order[first], other.topology.order[second]);
                        }
                    }
                }
            } else if theirs.is_leaf() || !own.is_leaf() && self.sizes[a] >= other.sizes[b] {
                stack.extend(preorder::children(&self.nodes, a).map(|child| (child, b)));
            } else {
                stack.extend(preorder::children(&other.nodes, b).map(|child| (a, child)));
            }
        }
    }

    /// How many bytes it holds, those behind volumes of variable size left out.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<V>>()
            + self.sizes.capacity() * size_of::<f32>()
            + self.volumes.capacity() * size_of::<V>()
            + self.topology.memory()
    }

    fn fit_leaves(&mut self) {
        for node in self.nodes.iter_mut().filter(|node| node.is_leaf()) {
            if let Some((head, rest)) = self.volumes[node.items()].split_first() {
                node.volume = match rest.split_first() {
                    None => head.clone(),
                    Some((next, rest)) => rest.iter().fold(head.merged(next), |whole, volume| whole.merged(volume)),
                };
            }
        }
    }

    fn measure(&mut self) {
        self.sizes.clear();
        self.sizes.extend(self.nodes.iter().map(|node| size(&node.volume)));
    }

    /// Expected tests of a question that meets the root: nodes and items weighted by surface. Where the surface of
    /// the root is zero or infinite it says nothing.
    fn cost(&self) -> f64 {
        let Some(&root) = self.sizes.first() else { return 1.0 };
        let weighted = self.nodes.iter().zip(&self.sizes).map(|(node, &size)| {
            let tests = if node.is_leaf() { node.count } else { 2 };
            f64::from(size) * f64::from(tests)
        });
        let cost = weighted.sum::<f64>() / f64::from(root);
        if cost.is_finite() && cost > 0.0 { cost } else { 1.0 }
    }
}

fn check(items: usize, boxes: &[Aabb], build: BvhBuild<'_>) -> Result<(), BvhError> {
    if items > 1 << 31 {
        return Err(BvhError::TooMany { items });
    }
    if boxes.len() != items {
        return Err(BvhError::CountMismatch { what: "boxes", given: boxes.len(), items });
    }
    // NaN fails the comparison.
    let is_sound =
        |bounds: &Aabb| bounds.min.cmple(bounds.max).all() && bounds.min.is_finite() && bounds.max.is_finite();
    if let Some(item) = boxes.iter().position(|bounds| !is_sound(bounds)) {
        return Err(BvhError::BadBox { item, min: boxes[item].min, max: boxes[item].max });
    }
    if let BvhBuild::ByAdjacency(edges) = build {
        for (edge, ends) in edges.iter().enumerate() {
            if let Some(&item) = ends.iter().find(|&&end| end as usize >= items) {
                return Err(BvhError::EdgeOutOfRange { edge, item, items });
            }
        }
    }
    Ok(())
}
