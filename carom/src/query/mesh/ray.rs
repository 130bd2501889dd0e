//! Rays and meshes: the tree is walked along the ray, and triangles are met in f64.
//!
//! Seen along the ray each edge of a triangle has it on one side. Where rounding leaves no doubt which, that is all there
//! is to know; where it does, the exact test decides, so that no ray slips through between two triangles.

use crate::mesh_tree::{RayVisitor, Slot};
use crate::query::ray::{LocalHit, LocalRay};
use crate::query::ray_convex::through_triangle;
use crate::shape::TriangleMesh;
use fearless_simd::{Simd, dispatch};
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
    let mut visitor = Any(Nearest::new(mesh, ray));
    mesh.tree().visit_ray(ray.origin, ray.direction, ray.max_distance, &mut visitor);
    visitor.0.met.is_some()
}

#[inline(always)]
fn nearest<S: Simd>(simd: S, mesh: &TriangleMesh, ray: &LocalRay) -> Option<Met> {
    let mut visitor = Nearest::new(mesh, ray);
    mesh.tree().visit_ray_wide(simd, ray.origin, ray.direction, ray.max_distance, &mut visitor);
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
struct Nearest<'a> {
    vertices: &'a [Vec3],
    ray: LocalRay,
    right: DVec3,
    up: DVec3,
    met: Option<Met>,
}

impl<'a> Nearest<'a> {
    #[inline(always)]
    fn new(mesh: &'a TriangleMesh, ray: &LocalRay) -> Self {
        let (right, up) = ray.direction.any_orthonormal_pair();
        Self { vertices: mesh.vertices(), ray: *ray, right, up, met: None }
    }

    /// Asks the exact test about a triangle whose edge the ray passes so near that rounding decides.
    #[cold]
    fn ask(&mut self, slot: Slot) {
        if let Some(hit) = through_triangle(&self.ray, slot.wide_corners(self.vertices)) {
            self.offer(Met { slot, distance: hit.distance, exact: Some(hit) });
        }
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

impl RayVisitor for Nearest<'_> {
    #[inline(always)]
    fn visit(&mut self, slot: Slot) -> f64 {
        let [a, b, c] = slot.wide_corners(self.vertices);
        let (a, b, c) = (a - self.ray.origin, b - self.ray.origin, c - self.ray.origin);
        let (ax, ay) = (self.right.dot(a), self.up.dot(a));
        let (bx, by) = (self.right.dot(b), self.up.dot(b));
        let (cx, cy) = (self.right.dot(c), self.up.dot(c));
        let sides = [side([bx, by], [cx, cy]), side([cx, cy], [ax, ay]), side([ax, ay], [bx, by])];
        let is_left = sides[0] > 0.0 || sides[1] > 0.0 || sides[2] > 0.0;
        let is_right = sides[0] < 0.0 || sides[1] < 0.0 || sides[2] < 0.0;
        if is_left && is_right {
            return self.ray.max_distance;
        }
        if sides[0] == 0.0 || sides[1] == 0.0 || sides[2] == 0.0 {
            self.ask(slot);
            return self.ray.max_distance;
        }
        let along = [a, b, c].map(|corner| self.ray.direction.dot(corner));
        let area = sides[0] + sides[1] + sides[2];
        let distance = (sides[0] * along[0] + sides[1] * along[1] + sides[2] * along[2]) / area;
        self.offer(Met { slot, distance, exact: None });
        self.ray.max_distance
    }
}

/// Twice the area of the triangle from the ray to two points, as seen along it; zero if rounding leaves its sign in doubt.
#[inline(always)]
fn side(from: [f64; 2], to: [f64; 2]) -> f64 {
    let (one, other) = (from[0] * to[1], from[1] * to[0]);
    let area = one - other;
    if area.abs() > 1e-15 * (one.abs() + other.abs()) { area } else { 0.0 }
}

/// Ends at the first triangle that is met.
struct Any<'a>(Nearest<'a>);

impl RayVisitor for Any<'_> {
    #[inline(always)]
    fn visit(&mut self, slot: Slot) -> f64 {
        let limit = self.0.visit(slot);
        // Nothing is nearer than that.
        if self.0.met.is_some() { f64::NEG_INFINITY } else { limit }
    }
}
