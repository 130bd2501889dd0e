//! The solid that is to be decomposed: a closed mesh in coordinates of the order of one.

use super::DecompositionError;
use super::fragment::Fragment;
use crate::distance::feature;
use crate::pose::Pose;
use crate::query;
use crate::shape::{ConvexHull, ShapeError, TriangleMesh};
use glam::{DVec3, Vec3};

/// A closed mesh, moved by a vertex of f32 and scaled by a power of two, so that nothing is lost on the way or back.
pub(super) struct Solid<'a> {
    pub(super) mesh: &'a TriangleMesh,
    middle: DVec3,
    scale: f64,
    /// Half of the longest side of the box around the mesh.
    pub(super) size: f64,
    /// No point of the mesh is farther from the origin.
    pub(super) reach: f64,
    /// How far a point may be off a plane and still be on it: a few roundings of the mesh's own coordinates.
    pub(super) tolerance: f64,
    /// Whether the triangles face inward.
    pub(super) is_inside_out: bool,
}

impl<'a> Solid<'a> {
    pub(super) fn new(mesh: &'a TriangleMesh) -> Result<Self, DecompositionError> {
        if !mesh.is_closed() {
            return Err(DecompositionError::NotClosed);
        }
        let used = || mesh.triangles().iter().flatten().map(|&corner| mesh.vertices()[corner as usize].as_dvec3());
        let least = used().fold(DVec3::INFINITY, DVec3::min);
        let greatest = used().fold(DVec3::NEG_INFINITY, DVec3::max);
        let middle = (0.5 * (least + greatest)).as_vec3().as_dvec3();
        let half = 0.5 * (greatest - least).max_element();
        if half <= 0.0 {
            return Err(DecompositionError::NoVolume);
        }
        let scale = libm::exp2(-libm::floor(libm::log2(half)));
        let largest = least.abs().max(greatest.abs()).max_element();
        let mut solid = Self {
            mesh,
            middle,
            scale,
            size: half * scale,
            reach: 2.0 * half * scale,
            tolerance: 4.0 * f64::from(f32::EPSILON) * largest * scale,
            is_inside_out: false,
        };
        let six_volumes: f64 = (0..mesh.triangles().len())
            .map(|triangle| {
                let [a, b, c] = solid.corners(triangle);
                a.dot(b.cross(c))
            })
            .sum();
        solid.is_inside_out = six_volumes < 0.0;
        Ok(solid)
    }

    /// From the coordinates of the mesh.
    pub(super) fn scaled(&self, point: Vec3) -> DVec3 {
        (point.as_dvec3() - self.middle) * self.scale
    }

    fn unscaled(&self, point: DVec3) -> DVec3 {
        point / self.scale + self.middle
    }

    /// The corners of a triangle, counter-clockwise from outside.
    pub(super) fn corners(&self, triangle: usize) -> [DVec3; 3] {
        let [a, b, c] = self.mesh.corners(triangle).map(|corner| self.scaled(corner));
        if self.is_inside_out { [a, c, b] } else { [a, b, c] }
    }

    pub(super) fn surface(&self) -> Fragment {
        let points = self.mesh.vertices().iter().map(|&vertex| self.scaled(vertex)).collect();
        let turned = |&[a, b, c]: &[u32; 3]| if self.is_inside_out { [a, c, b] } else { [a, b, c] };
        Fragment::new(points, self.mesh.triangles().iter().map(turned))
    }

    /// How far a point is from the surface.
    pub(super) fn surface_distance(&self, point: DVec3) -> f64 {
        self.nearest(point).distance(point)
    }

    /// The nearest point of the surface.
    pub(super) fn nearest(&self, point: DVec3) -> DVec3 {
        let point = self.unscaled(point);
        let (mut least, mut nearest) = (f64::INFINITY, point);
        self.mesh.tree().visit_near(point, point, f64::INFINITY, |slot| {
            let pair = feature::point_face(point, slot.wide_corners(self.mesh.vertices()));
            let distance = pair.distance();
            if distance < least {
                (least, nearest) = (distance, pair.on_b);
            }
            least
        });
        (nearest - self.middle) * self.scale
    }

    /// Whether a point is inside or on the surface.
    pub(super) fn contains(&self, point: DVec3) -> bool {
        query::mesh::contains(self.mesh, &Pose::IDENTITY, self.unscaled(point)).unwrap_or(false)
    }

    /// The hull of points, in the coordinates of the mesh.
    pub(super) fn hull(&self, points: &[DVec3]) -> Result<ConvexHull, ShapeError> {
        let points: Vec<Vec3> = points.iter().map(|&point| self.unscaled(point).as_vec3()).collect();
        ConvexHull::new(&points)
    }
}
