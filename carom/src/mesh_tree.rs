//! M5: a compact tree of boxes over the triangles of a mesh, so that only those that can matter are looked at.
//!
//! Every node holds up to eight boxes as bytes in its own frame (`node`), 80 bytes in all and about 30 a triangle with
//! its corners, and tests them in one go. At the bottom the boxes are those of single triangles, so one test sifts
//! eight of them. Boxes are rounded outward when they are made; what a walk computes in f32 is widened by its own
//! rounding, so no triangle is ever left out, whatever the coordinates. Walks use a stack of fixed size and allocate
//! nothing.
//! Cost: a build O(n log n) (`build`); a box, ray or nearest-point walk about 8 nodes for each level; two trees in
//! tandem (`tandem`) one node test for eight pairs.
//! Source: the compressed wide node is that of Ylitie, Karras, Laine 2017, doi 10.1145/3105762.3105773; the frame
//! here is scaled to the box and not to a power of two, and a node's children are all nodes or all triangles.

mod build;
mod node;
mod swept;
mod tandem;

pub(crate) use swept::SweptLimit;
pub(crate) use tandem::{Reach, visit_pairs};

use crate::bounds::Aabb;
use build::{Built, MAX_DEPTH, Span};
use fearless_simd::{Level, Simd, dispatch};
use glam::{DVec3, Vec3};
use node::{LANES, Node, WalkRay};
use rayon::prelude::*;

/// So many triangles are worth waking workers for.
pub(crate) const PARALLEL: usize = 16_384;

/// A walk leaves at most seven nodes of each level for later.
const STACK: usize = MAX_DEPTH * (LANES - 1) + 2;
/// Trees of a million triangles have about as many levels. Clearing the longer stack would be a part of a short walk.
const SHALLOW: u32 = 9;
const SHORT_STACK: usize = SHALLOW as usize * (LANES - 1) + 2;

/// Boxes over the triangles of a mesh; see [`crate::shape::TriangleMesh::tree`].
///
/// ```
/// use carom::bounds::Aabb;
/// use carom::prelude::*;
/// use carom::shape::TriangleMesh;
///
/// // A strip of triangles along x.
/// let vertices = (0..40).map(|i| Vec3::new((i / 2) as f32, 0.0, (i % 2) as f32)).collect();
/// let strip = TriangleMesh::new(vertices, (0..38).map(|i| [i, i + 1, i + 2]).collect())?;
/// let mut found = Vec::new();
/// strip.tree().visit_overlapping(&Aabb::new(Vec3::new(4.4, -1.0, 0.0), Vec3::new(4.6, 1.0, 1.0)), |triangle| {
///     found.push(triangle)
/// });
/// found.sort();
/// assert_eq!(found, [8, 9]);
/// # Ok::<(), ShapeError>(())
/// ```
#[derive(Debug, Clone)]
pub struct MeshTree {
    nodes: Vec<Node>,
    /// The triangles in the order of the bottom nodes.
    slots: Vec<Slot>,
    /// Whether a walk can do with the short stack.
    is_shallow: bool,
    /// A power of two that brings the greatest coordinate to the order of one.
    unit: f32,
    /// The middle and the diagonal of the box around all of it.
    middle: DVec3,
    size: f64,
    level: Level,
}

/// A triangle with its corners, which are kept here as well: those of a bottom node lie side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Slot {
    pub(crate) triangle: u32,
    corners: [u32; 3],
}

/// What looks at the triangles on the way of a ray. Not a closure: those are compiled without the level's instructions.
pub(crate) trait RayVisitor {
    /// Returns how far the ray need be followed from now on.
    fn visit(&mut self, slot: Slot) -> f64;
}

impl Slot {
    #[inline(always)]
    pub(crate) fn corners(&self, vertices: &[Vec3]) -> [Vec3; 3] {
        self.corners.map(|corner| vertices[corner as usize])
    }

    /// The corners in f64.
    #[inline(always)]
    pub(crate) fn wide_corners(&self, vertices: &[Vec3]) -> [DVec3; 3] {
        self.corners(vertices).map(|corner| corner.as_dvec3())
    }
}

impl MeshTree {
    /// A tree over triangles whose indices exist and whose vertices are finite.
    pub(crate) fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let around = |corners: &[u32; 3]| Span::around(corners.map(|corner| vertices[corner as usize]));
        let boxes: Vec<Span> = if triangles.len() >= PARALLEL {
            triangles.par_iter().with_min_len(PARALLEL / 4).map(around).collect()
        } else {
            triangles.iter().map(around).collect()
        };
        let reach = vertices.iter().fold(0.0f32, |reach, vertex| reach.max(vertex.abs().max_element()));
        let unit = power_of_two_below(f64::from(reach)).recip() as f32;
        let level = crate::simd::level();
        let Built { nodes, order, levels } = build::build(level, &boxes, unit);
        let slot = |triangle: u32| Slot { triangle, corners: triangles[triangle as usize] };
        let slots = order.into_iter().map(slot).collect();
        let bounds = nodes[0].bounds();
        let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        let (middle, size) = (0.5 * (min + max), (max - min).length());
        Self { nodes, slots, is_shallow: levels <= SHALLOW, unit, middle, size, level }
    }

    /// A box around all triangles, at most a 255th too large.
    pub fn bounds(&self) -> Aabb {
        self.nodes[0].bounds()
    }

    /// How many bytes it holds.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.slots.capacity() * size_of::<Slot>()
    }

    /// Calls `visit` with each triangle whose box, rounded outward, overlaps `bounds`.
    pub fn visit_overlapping(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        self.visit_slots(bounds, |slot| visit(slot.triangle));
    }

    /// As [`MeshTree::visit_overlapping`], with the corners.
    pub(crate) fn visit_slots(&self, bounds: &Aabb, mut visit: impl FnMut(Slot)) {
        dispatch!(self.level, simd => if self.is_shallow {
            visit_overlapping::<_, SHORT_STACK>(simd, self, bounds, &mut visit);
        } else {
            visit_overlapping::<_, STACK>(simd, self, bounds, &mut visit);
        });
    }

    /// Replaces `slots` by those of [`MeshTree::visit_slots`].
    pub(crate) fn collect_slots(&self, bounds: &Aabb, slots: &mut Vec<Slot>) {
        slots.clear();
        dispatch!(self.level, simd => if self.is_shallow {
            collect::<_, SHORT_STACK>(simd, self, bounds, slots);
        } else {
            collect::<_, STACK>(simd, self, bounds, slots);
        });
    }

    /// The instructions that walks are compiled for.
    pub(crate) fn level(&self) -> Level {
        self.level
    }

    /// Hands over each triangle whose box the ray meets at a distance up to `limit`, the nearer ones mostly first; the
    /// direction is of unit length.
    #[inline(always)]
    pub(crate) fn visit_ray<S: Simd>(
        &self,
        simd: S,
        origin: DVec3,
        direction: DVec3,
        limit: f64,
        visitor: &mut impl RayVisitor,
    ) {
        let (middle, size) = (self.middle, self.size);
        // Where the ray comes near the box, coordinates are of the box's order, and f32 is enough to walk with.
        let start = ((middle - origin).dot(direction) - size).max(0.0);
        let near = origin + start * direction;
        let doubt = 1e-15 * (origin.abs().max_element() + middle.abs().max_element());
        // A ray that meets the box passes its middle within half of its size, and this is a size before that.
        let farthest = 2.0 * size + doubt;
        if near.distance_squared(middle) > farthest * farthest || start > limit {
            return;
        }
        let pad = 16.0 * f64::from(f32::EPSILON) * (middle.abs().max_element() + size) + doubt;
        let ray = WalkRay::new((near, direction), pad, self.unit, start - doubt);
        if self.is_shallow {
            visit_ray::<_, SHORT_STACK>(simd, self, &ray, limit, visitor);
        } else {
            visit_ray::<_, STACK>(simd, self, &ray, limit, visitor);
        }
    }

    /// Calls `visit` with each triangle whose box may be nearer than `limit` to the box from `min` to `max`, which can
    /// be a point; the nearer ones mostly first. What `visit` returns is the new limit, if it is less.
    pub(crate) fn visit_near(&self, min: DVec3, max: DVec3, limit: f64, mut visit: impl FnMut(Slot) -> f64) {
        dispatch!(self.level, simd => if self.is_shallow {
            visit_near::<_, SHORT_STACK>(simd, self, min, max, limit, &mut visit);
        } else {
            visit_near::<_, STACK>(simd, self, min, max, limit, &mut visit);
        });
    }
}

/// The greatest power of two that is not above `value`, within what f32 holds with its inverse; 1 for zero.
fn power_of_two_below(value: f64) -> f64 {
    if value > 0.0 { libm::exp2(libm::floor(libm::log2(value)).clamp(-126.0, 126.0)) } else { 1.0 }
}

#[inline(always)]
fn visit_overlapping<S: Simd, const N: usize>(simd: S, tree: &MeshTree, bounds: &Aabb, visit: &mut impl FnMut(Slot)) {
    let mut stack = [0u32; N];
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let node = &tree.nodes[stack[depth] as usize];
        let mut hits = node.overlaps(simd, bounds);
        while hits != 0 {
            let child = node.first + hits.trailing_zeros();
            hits &= hits - 1;
            if node.is_bottom {
                visit(tree.slots[child as usize]);
            } else if let Some(place) = stack.get_mut(depth) {
                *place = child;
                depth += 1;
            }
        }
    }
}

/// A walk whose `visit` is compiled for the level.
#[inline(always)]
fn collect<S: Simd, const N: usize>(simd: S, tree: &MeshTree, bounds: &Aabb, slots: &mut Vec<Slot>) {
    visit_overlapping::<_, N>(simd, tree, bounds, &mut |slot| slots.push(slot));
}

#[inline(always)]
fn visit_ray<S: Simd, const N: usize>(
    simd: S,
    tree: &MeshTree,
    ray: &WalkRay,
    limit: f64,
    visitor: &mut impl RayVisitor,
) {
    let mut limit = ray.walked(limit);
    let mut stack = [(0.0f32, 0u32); N];
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let (entry, index) = stack[depth];
        if entry > limit {
            continue;
        }
        let node = &tree.nodes[index as usize];
        let (mut hits, entries) = node.ray_entries(simd, ray, limit);
        if node.is_bottom {
            while hits != 0 {
                let lane = hits.trailing_zeros();
                hits &= hits - 1;
                if entries[lane as usize % LANES] <= limit {
                    let shorter = ray.walked(visitor.visit(tree.slots[(node.first + lane) as usize]));
                    limit = if shorter < limit { shorter } else { limit };
                }
            }
            continue;
        }
        push_sorted(&mut stack, &mut depth, hits, |lane| (entries[lane], node.first + lane as u32));
    }
}

#[inline(always)]
fn visit_near<S: Simd, const N: usize>(
    _: S,
    tree: &MeshTree,
    min: DVec3,
    max: DVec3,
    limit: f64,
    visit: &mut impl FnMut(Slot) -> f64,
) {
    // The least limit above zero, as every one, still has what is at no distance; its square would not.
    let squared = |limit: f64| if limit > 0.0 { (limit * limit).max(f64::MIN_POSITIVE) } else { 0.0 };
    let mut least = squared(limit);
    let mut stack = [(0.0f64, 0u32); N];
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let (square, index) = stack[depth];
        if square >= least {
            continue;
        }
        let node = &tree.nodes[index as usize];
        let squares = node.distances_squared(min, max);
        let mut hits = 0;
        for (lane, square) in squares.iter().enumerate() {
            hits |= u32::from(*square < least) << lane;
        }
        hits &= node.filled();
        if node.is_bottom {
            while hits != 0 {
                let nearest = lowest(hits, &squares);
                hits &= !(1 << nearest);
                if squares[nearest] < least {
                    let limit = visit(tree.slots[node.first as usize + nearest]);
                    least = squared(limit).min(least);
                }
            }
            continue;
        }
        push_sorted(&mut stack, &mut depth, hits, |lane| (squares[lane], node.first + lane as u32));
    }
}

/// The lane of least value among those of the bits.
#[inline(always)]
fn lowest(mut bits: u32, values: &[f64; LANES]) -> usize {
    let mut best = bits.trailing_zeros() as usize % LANES;
    while bits != 0 {
        let lane = bits.trailing_zeros() as usize % LANES;
        bits &= bits - 1;
        if values[lane] < values[best] {
            best = lane;
        }
    }
    best
}

/// Puts the lanes of the bits on the stack from the farthest to the nearest, which is taken next.
#[inline(always)]
fn push_sorted<T: Copy + PartialOrd, const N: usize>(
    stack: &mut [(T, u32); N],
    depth: &mut usize,
    mut bits: u32,
    entry: impl Fn(usize) -> (T, u32),
) {
    let first = *depth;
    while bits != 0 {
        let child = entry(bits.trailing_zeros() as usize % LANES);
        bits &= bits - 1;
        let mut place = *depth;
        if place >= N {
            debug_assert!(false, "deeper than any build");
            return;
        }
        while place > first && stack[place - 1].0 < child.0 {
            stack[place] = stack[place - 1];
            place -= 1;
        }
        stack[place] = child;
        *depth += 1;
    }
}
