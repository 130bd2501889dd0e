//! A surface of triangles, as a convex shape beside it sees it: the triangles that it may touch, in its own frame.

use super::cull::{Batch, LANES, Near};
use crate::bounds::Aabb;
use crate::distance::feature::point_face;
use crate::distance::placement::Placement;
use crate::mesh_tree::Slot;
use crate::narrow::Feature;
use crate::query::mesh::{contains_point, nearest_triangle};
use crate::shape::{HeightField, TriangleMesh};
use glam::DVec3;

/// A triangle mesh or a height field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Surface<'a> {
    Mesh(&'a TriangleMesh),
    HeightField(&'a HeightField),
}

/// From which side the triangles of a surface push.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sides {
    /// Each pushes to the side on which the other's middle is: an open mesh.
    Both,
    /// The front; what has its middle behind is pushed by others, or is wholly inside: a closed mesh.
    Front,
    /// The front, however deep: a height field, which is solid below.
    Above,
}

/// A triangle in the frame of the shape beside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    pub(super) corners: [DVec3; 3],
    /// Of the front; of unit length.
    pub(super) normal: DVec3,
    /// Of the plane, along the normal.
    pub(super) offset: f64,
    pub(super) triangle: u32,
    pub(super) vertices: [u32; 3],
    /// See [`TriangleMesh::ridges`].
    pub(super) ridges: u8,
}

impl Face {
    /// How high a point is above the plane.
    pub(super) fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    pub(super) fn is_ridge(&self, edge: usize, is_front: bool) -> bool {
        self.ridges >> (edge + if is_front { 0 } else { 3 }) & 1 == 1
    }

    /// Whether this triangle is the other one at an edge of `face`, with its front on the same side.
    pub(super) fn is_beyond(&self, face: &Self, edge: usize) -> bool {
        let (from, to) = (face.vertices[edge], face.vertices[(edge + 1) % 3]);
        (0..3).any(|own| self.vertices[own] == to && self.vertices[(own + 1) % 3] == from)
    }

    /// The name of an edge, as this triangle gives it.
    pub(super) fn edge_feature(&self, edge: usize) -> Feature {
        Feature::edge(self.triangle.wrapping_mul(3).wrapping_add(edge as u32))
    }

    /// Whether a point is straight above or below the triangle.
    pub(super) fn is_below(&self, point: DVec3) -> bool {
        let [a, b, c] = self.corners;
        [(a, b), (b, c), (c, a)].iter().all(|&(from, to)| self.normal.cross(to - from).dot(point - from) >= 0.0)
    }

    /// Whether a point is on the triangle, within a tolerance.
    pub(super) fn has(&self, point: DVec3, tolerance: f64) -> bool {
        if self.height(point).abs() > tolerance {
            return false;
        }
        let [a, b, c] = self.corners;
        [(a, b), (b, c), (c, a)].iter().all(|&(from, to)| {
            let along = to - from;
            let inside = self.normal.dot(along.cross(point - from));
            inside >= 0.0 || inside * inside <= tolerance * tolerance * along.length_squared()
        })
    }
}

impl Surface<'_> {
    pub(super) fn sides(&self) -> Sides {
        match self {
            Self::Mesh(mesh) => {
                if mesh.is_solid() {
                    Sides::Front
                } else {
                    Sides::Both
                }
            }
            Self::HeightField(_) => Sides::Above,
        }
    }

    /// Whether something may be inside of it.
    pub(super) fn has_inner_side(&self) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_closed(),
            Self::HeightField(_) => true,
        }
    }

    /// Whether it encloses a solid, but its triangles do not tell on which side that is.
    pub(super) fn may_look_inward(&self) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_closed() && !mesh.is_solid(),
            Self::HeightField(_) => false,
        }
    }

    /// Whether its triangles do not tell what is inside: they may look inward, or be pieces inside each other.
    pub(super) fn is_ambiguous(&self) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_closed() && (!mesh.is_solid() || mesh.pieces().len() > 1),
            Self::HeightField(_) => false,
        }
    }

    /// Replaces `faces` by the triangles that come into `bounds`, a box in the surface's frame, and about into a ball in
    /// the frame in which the surface stands at `placement`, as seen from there. Returns how far the others in the box are
    /// from the middle of the ball at the least.
    pub(super) fn gather(
        &self,
        bounds: &Aabb,
        placement: &Placement,
        (center, reach): (DVec3, f64),
        slots: &mut Vec<Slot>,
        faces: &mut Vec<Face>,
    ) -> f64 {
        faces.clear();
        let near = Near::new(placement.point_to_inner(center), reach);
        let mut batch = Batch::EMPTY;
        let mut least = f32::INFINITY;
        match self {
            Self::Mesh(mesh) => {
                let (vertices, triangles, ridges) = (mesh.vertices(), mesh.triangles(), mesh.ridges());
                let level = mesh.tree().level();
                mesh.tree().collect_slots(bounds, slots);
                for slots in slots.chunks(LANES) {
                    slots.iter().for_each(|slot| batch.push(slot.triangle, slot.corners(vertices)));
                    let square = batch.sift(level, &near, placement, |triangle, lane| {
                        let index = triangle as usize;
                        faces.extend(lane.face(triangle, triangles[index], ridges[index]));
                    });
                    least = least.min(square);
                }
            }
            Self::HeightField(field) => {
                let level = crate::simd::level();
                let mut sift = |batch: &mut Batch| {
                    let square = batch.sift(level, &near, placement, |triangle, lane| {
                        let samples = field.samples(triangle as usize).map(|sample| sample as u32);
                        faces.extend(lane.face(triangle, samples, field.ridges(triangle as usize)));
                    });
                    least = least.min(square);
                };
                field.visit_overlapping(bounds, |triangle, corners| {
                    batch.push(triangle, corners);
                    if batch.is_full() {
                        sift(&mut batch);
                    }
                });
                sift(&mut batch);
            }
        }
        near.distance(least)
    }

    /// Calls `visit` with the triangles that come into a box in the surface's frame.
    pub(super) fn visit(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        match self {
            Self::Mesh(mesh) => mesh.tree().visit_overlapping(bounds, visit),
            Self::HeightField(field) => field.visit_overlapping(bounds, |triangle, _| visit(triangle)),
        }
    }

    /// The box around all of it, in its own frame.
    pub(super) fn bounds(&self) -> Aabb {
        match self {
            Self::Mesh(mesh) => mesh.tree().bounds(),
            Self::HeightField(field) => field.bounds(),
        }
    }

    /// Whether a point in its frame is inside the solid, if it is one; a height field is solid down to its lowest place.
    pub(super) fn has_inside(&self, point: DVec3) -> bool {
        let bounds = self.bounds();
        if !(point.cmpge(bounds.min.as_dvec3()).all() && point.cmple(bounds.max.as_dvec3()).all()) {
            return false;
        }
        match self {
            Self::Mesh(mesh) => contains_point(mesh, point),
            Self::HeightField(field) => field.triangle_under(point.x, point.z).is_some_and(|triangle| {
                let [a, b, c] = self.corners(triangle);
                (b - a).cross(c - a).dot(point - a) < 0.0
            }),
        }
    }

    /// The nearest place of the surface and the direction to it, in its own frame, for a point that is inside the solid;
    /// none for any other.
    pub(super) fn way_out(&self, point: DVec3) -> Option<WayOut> {
        if !self.has_inside(point) {
            return None;
        }
        let (triangle, place) = match self {
            Self::Mesh(mesh) => nearest_triangle(mesh, point)?,
            Self::HeightField(field) => nearest_cell(field, point)?,
        };
        let [a, b, c] = self.corners(triangle);
        let normal = (place - point).try_normalize().unwrap_or((b - a).cross(c - a).normalize_or(DVec3::Y));
        Some(WayOut { place, normal, triangle })
    }

    /// How many triangles there are.
    pub(super) fn count(&self) -> u32 {
        match self {
            Self::Mesh(mesh) => mesh.triangles().len() as u32,
            Self::HeightField(field) => field.triangle_count() as u32,
        }
    }

    /// The vertices or samples at the corners of a triangle.
    pub(super) fn vertices(&self, triangle: u32) -> [u32; 3] {
        match self {
            Self::Mesh(mesh) => mesh.triangles()[triangle as usize],
            Self::HeightField(field) => field.samples(triangle as usize).map(|sample| sample as u32),
        }
    }

    pub(super) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        match self {
            Self::Mesh(mesh) => mesh.corners(triangle as usize),
            Self::HeightField(field) => field.corners(triangle as usize),
        }
        .map(|corner| corner.as_dvec3())
    }
}

/// A box around a box that stands at a placement, farther out by `margin` and its own rounding.
pub(super) fn moved_bounds(bounds: &Aabb, placement: &Placement, margin: f64) -> Aabb {
    let center = placement.point_to_outer(bounds.center().as_dvec3());
    let half = bounds.half_extents().as_dvec3();
    let turn = placement.rotation;
    let half = turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z;
    let half = half + margin + 1e-6 * (bounds.min.abs().max(bounds.max.abs()).max_element() as f64);
    Aabb::rounded_outward(center - half, center + half)
}

/// The triangle of a height field that is nearest to a point, and where.
fn nearest_cell(field: &HeightField, point: DVec3) -> Option<(u32, DVec3)> {
    let (mut least, mut best) = (f64::INFINITY, None);
    field.visit_near(point, point, f64::INFINITY, |triangle| {
        let pair = point_face(point, field.corners(triangle as usize).map(|corner| corner.as_dvec3()));
        if pair.distance() < least {
            (least, best) = (pair.distance(), Some((triangle, pair.on_b)));
        }
        least
    });
    best
}

/// Where the surface is nearest to a point inside.
#[derive(Debug, Clone, Copy)]
pub(super) struct WayOut {
    pub(super) place: DVec3,
    pub(super) normal: DVec3,
    pub(super) triangle: u32,
}
