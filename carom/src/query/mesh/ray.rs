//! Rays and meshes: the tree is walked along the ray, and triangles are met in f64.
//!
//! Seen along the ray each edge of a triangle has it on one side. Where rounding leaves no doubt which, that is all there
//! is to know; where it does, the exact test decides, so that no ray slips through between two triangles.

use crate::mesh_tree::{RayVisitor, Slot};
use crate::query::ray::{LocalHit, LocalRay};
use crate::query::ray_convex::through_triangle;
use crate::shape::TriangleMesh;
use fearless_simd::{Simd, SimdBase, SimdMask, dispatch, f32x8, f64x4};
use glam::{DVec3, Vec3};

/// Where a ray first meets the surface, in the mesh's frame.
pub(in crate::query) fn cast(mesh: &TriangleMesh, ray: &LocalRay) -> Option<LocalHit> {
    dispatch!(mesh.tree().level(), simd => cast_wide(simd, mesh, ray))
}

/// The same where the level is known already.
#[inline(always)]
pub(in crate::query) fn cast_wide<S: Simd>(simd: S, mesh: &TriangleMesh, ray: &LocalRay) -> Option<LocalHit> {
    let met = nearest(simd, mesh, ray)?;
    if let Some(exact) = met.exact {
        return Some(exact);
    }
    let [a, b, c] = met.slot.wide_corners(mesh.vertices());
    let normal = (b - a).cross(c - a).normalize_or(-ray.direction);
    let normal = if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
    Some(LocalHit { distance: met.distance, normal, starts_inside: false })
}

/// The triangle that a ray in the mesh's frame meets first, at a distance up to `limit`, and that distance.
pub(crate) fn first_triangle(mesh: &TriangleMesh, origin: DVec3, direction: DVec3, limit: f64) -> Option<(u32, f64)> {
    let ray = LocalRay { origin, direction, max_distance: limit };
    let met = dispatch!(mesh.tree().level(), simd => nearest(simd, mesh, &ray));
    met.map(|met| (met.slot.triangle, met.distance))
}

/// Whether a ray meets the surface at all.
pub(in crate::query) fn is_hit(mesh: &TriangleMesh, ray: &LocalRay) -> bool {
    dispatch!(mesh.tree().level(), simd => {
        let mut visitor = Any(Nearest::new(simd, mesh, ray));
        mesh.tree().visit_ray(simd, ray.origin, ray.direction, ray.max_distance, &mut visitor);
        visitor.0.met.is_some()
    })
}

#[inline(always)]
fn nearest<S: Simd>(simd: S, mesh: &TriangleMesh, ray: &LocalRay) -> Option<Met> {
    let mut visitor = Nearest::new(simd, mesh, ray);
    mesh.tree().visit_ray(simd, ray.origin, ray.direction, ray.max_distance, &mut visitor);
    visitor.met
}

/// The triangle that was met.
#[derive(Debug, Clone, Copy)]
struct Met {
    slot: Slot,
    distance: f64,
    /// What the exact test said, if it was asked.
    exact: Option<LocalHit>,
}

/// Keeps the nearest triangle.
struct Nearest<'a, S: Simd> {
    simd: S,
    vertices: &'a [Vec3],
    ray: LocalRay,
    right: DVec3,
    up: DVec3,
    met: Option<Met>,
}

impl<'a, S: Simd> Nearest<'a, S> {
    #[inline(always)]
    fn new(simd: S, mesh: &'a TriangleMesh, ray: &LocalRay) -> Self {
        let (right, up) = ray.direction.any_orthonormal_pair();
        Self { simd, vertices: mesh.vertices(), ray: *ray, right, up, met: None }
    }

    /// Asks the exact test about a triangle whose edge the ray passes so near that rounding decides.
    #[cold]
    fn ask(&mut self, slot: Slot) {
        if let Some(hit) = through_triangle(&self.ray, slot.wide_corners(self.vertices)) {
            self.offer(Met { slot, distance: hit.distance, exact: Some(hit) });
        }
    }

    /// The corners of a triangle side by side, the first one again after the last, as seen from the ray's origin.
    #[inline(always)]
    fn seen_from_origin(&self, [a, b, c]: [Vec3; 3]) -> [f64x4<S>; 3] {
        let (simd, origin) = (self.simd, self.ray.origin);
        let (x, y) = simd.widen_f32x8(f32x8::load_array(simd, [a.x, b.x, c.x, a.x, a.y, b.y, c.y, a.y]));
        let (z, _) = simd.widen_f32x8(f32x8::load_array(simd, [a.z, b.z, c.z, a.z, a.z, b.z, c.z, a.z]));
        [x - f64x4::splat(simd, origin.x), y - f64x4::splat(simd, origin.y), z - f64x4::splat(simd, origin.z)]
    }

    /// How far corners are along a direction.
    #[inline(always)]
    fn along(&self, direction: DVec3, [x, y, z]: [f64x4<S>; 3]) -> f64x4<S> {
        let simd = self.simd;
        let [u, v, w] = direction.to_array();
        x * f64x4::splat(simd, u) + y * f64x4::splat(simd, v) + z * f64x4::splat(simd, w)
    }

    #[inline(always)]
    fn offer(&mut self, met: Met) {
        let is_first = self.met.is_none() && met.distance <= self.ray.max_distance;
        if met.distance >= 0.0 && (is_first || met.distance < self.ray.max_distance) {
            self.ray.max_distance = met.distance;
            self.met = Some(met);
        }
    }
}

impl<S: Simd> RayVisitor for Nearest<'_, S> {
    #[inline(always)]
    fn visit(&mut self, slot: Slot) -> f64 {
        let corners = self.seen_from_origin(slot.corners(self.vertices));
        let (x, y) = (self.along(self.right, corners), self.along(self.up, corners));
        // Twice the areas of the triangles from the ray to both ends of each edge, as seen along it: opposite to the third
        // corner, to the first, to the second.
        let (one, other) = (x * next(y), next(x) * y);
        let sides = one - other;
        let doubt = (one.abs() + other.abs()) * f64x4::splat(self.simd, 1e-15);
        let left = sides.simd_gt(doubt).to_bitmask() & EDGES;
        let right = (-sides).simd_gt(doubt).to_bitmask() & EDGES;
        if left != 0 && right != 0 {
            return self.ray.max_distance;
        }
        if (left | right) != EDGES {
            self.ask(slot);
            return self.ray.max_distance;
        }
        let heights = self.along(self.ray.direction, corners);
        let (sides, heights) = (sides.as_slice(), heights.as_slice());
        let area = sides[0] + sides[1] + sides[2];
        let distance = (sides[1] * heights[0] + sides[2] * heights[1] + sides[0] * heights[2]) / area;
        self.offer(Met { slot, distance, exact: None });
        self.ray.max_distance
    }
}

/// Bits of the lanes that hold the edges of a triangle.
const EDGES: u64 = 0b111;

/// Each corner's value moved to the one before it.
#[inline(always)]
fn next<S: Simd>(values: f64x4<S>) -> f64x4<S> {
    values.slide::<1>(values)
}

/// Ends at the first triangle that is met.
struct Any<'a, S: Simd>(Nearest<'a, S>);

impl<S: Simd> RayVisitor for Any<'_, S> {
    #[inline(always)]
    fn visit(&mut self, slot: Slot) -> f64 {
        let limit = self.0.visit(slot);
        // Nothing is nearer than that.
        if self.0.met.is_some() { f64::NEG_INFINITY } else { limit }
    }
}
