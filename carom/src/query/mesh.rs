//! Questions about triangle meshes, answered through their trees ([`crate::mesh_tree`]): where two surfaces cross, how
//! far apart they are, whether one is inside the other and how deep.
//!
//! [`distance`] and [`crossings`] take meshes as the surfaces that they are. [`overlap`], [`contains`] and
//! [`penetration`] take a closed mesh as a solid. Corners of the second mesh are brought into the frame of the first
//! in f64, each vertex once rounded alike in all its triangles, and from there on crossings are decided exactly.

mod inside;
mod penetration;
mod ray;
mod solid_convex;

pub use penetration::{Penetration, penetration};

pub(crate) use penetration::way_out;
pub(crate) use ray::first_triangle;
pub(super) use ray::{cast, cast_wide, is_hit};
pub(super) use solid_convex::{Skin, middle, signed_convex};

use super::{Distance, QueryError, between, checked, near_enough};
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::feature::{self, Pair};
use crate::distance::placement::Placement;
use crate::distance::separation::{self, Separation, Stop};
use crate::distance::signed::Signed;
use crate::mesh_tree::{Reach, Slot, visit_pairs};
use crate::narrow::triangle_triangle;
use crate::pose::Pose;
use crate::shape::TriangleMesh;
use glam::DVec3;
use std::ops::ControlFlow;

/// Where a triangle of one mesh meets one of another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshCrossing {
    /// The triangle of the first mesh.
    pub triangle_a: u32,
    /// The triangle of the second mesh.
    pub triangle_b: u32,
    /// The ends of the segment that they share, in the world.
    pub segment: [DVec3; 2],
    /// Whether they lie in one plane; the segment is then the longest within the area that they share.
    pub is_coplanar: bool,
}

/// In what way two meshes overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MeshOverlap {
    /// The surfaces cross; this is one place.
    Crossing(MeshCrossing),
    /// The surfaces do not cross, and at least a connected piece of the first mesh is inside the second, which is
    /// closed.
    AInsideB,
    /// The surfaces do not cross, and at least a connected piece of the second mesh is inside the first, which is
    /// closed.
    BInsideA,
}

/// Whether two meshes overlap, and how; none if they are apart. Touching counts. A closed mesh is a solid: what is
/// wholly inside it overlaps it.
///
/// ```
/// use carom::prelude::*;
/// use carom::query::mesh::{self, MeshOverlap};
/// use carom::shape::TriangleMesh;
///
/// let corners = |size: f32| [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| corner * size).to_vec();
/// let outside = vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]];
/// let (small, large) = (TriangleMesh::new(corners(0.1), outside.clone())?, TriangleMesh::new(corners(9.0), outside)?);
/// let within = Pose::at([1.0, 1.0, 1.0]);
/// assert_eq!(mesh::overlap(&small, &within, &large, &Pose::IDENTITY)?, Some(MeshOverlap::AInsideB));
/// assert_eq!(mesh::overlap(&small, &Pose::at([9.0, 9.0, 9.0]), &large, &Pose::IDENTITY)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlap(
    a: &TriangleMesh,
    pose_a: &Pose,
    b: &TriangleMesh,
    pose_b: &Pose,
) -> Result<Option<MeshOverlap>, QueryError> {
    let b_in_a = placed(pose_a, pose_b)?;
    let mut first = None;
    visit_crossings(a, b, &b_in_a, |crossing| {
        first = Some(crossing.in_world(pose_a));
        ControlFlow::Break(())
    });
    Ok(match first {
        Some(crossing) => Some(MeshOverlap::Crossing(crossing)),
        None => inside::nested(a, b, &b_in_a).map(|(how, _)| how),
    })
}

/// Calls `visit` with each pair of triangles that have a point in common, until it breaks off. A pair comes once; the
/// order depends on the meshes and poses alone.
///
/// ```
/// use carom::prelude::*;
/// use carom::query::mesh;
/// use carom::shape::TriangleMesh;
/// use std::ops::ControlFlow;
///
/// let sheet = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?;
/// let upright = Pose::new(DVec3::new(0.25, 0.25, -0.5), Quat::from_rotation_y(-1.5707964));
/// let mut lengths = Vec::new();
/// mesh::crossings(&sheet, &Pose::IDENTITY, &sheet, &upright, |crossing| {
///     lengths.push(crossing.segment[0].distance(crossing.segment[1]));
///     ControlFlow::Continue(())
/// })?;
/// assert!(lengths.len() == 1 && (lengths[0] - 0.5).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn crossings(
    a: &TriangleMesh,
    pose_a: &Pose,
    b: &TriangleMesh,
    pose_b: &Pose,
    mut visit: impl FnMut(MeshCrossing) -> ControlFlow<()>,
) -> Result<(), QueryError> {
    let b_in_a = placed(pose_a, pose_b)?;
    visit_crossings(a, b, &b_in_a, |crossing| visit(crossing.in_world(pose_a)));
    Ok(())
}

/// How far the surfaces of two meshes are apart, with closest points. Zero only where triangles meet: use [`overlap`]
/// to find a mesh inside another, or [`super::distance`](fn@super::distance), to which closed meshes are solids.
pub fn distance(a: &TriangleMesh, pose_a: &Pose, b: &TriangleMesh, pose_b: &Pose) -> Result<Distance, QueryError> {
    let (offset, turned) = between(pose_a, pose_b)?;
    let b_in_a = Placement::seen_from(&turned, offset, pose_b.rotation);
    let found = surface_separation(a, b, &b_in_a, f64::INFINITY)?;
    Distance::in_world(found, &turned, pose_a.position)
}

/// Whether a point is inside a closed mesh or on its surface; never for a mesh that is not closed. Inside is where the
/// surface winds around the point, whichever way its triangles face.
///
/// ```
/// use carom::prelude::*;
/// use carom::query::mesh;
/// use carom::shape::TriangleMesh;
///
/// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let mesh = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])?;
/// assert!(mesh::contains(&mesh, &Pose::IDENTITY, DVec3::splat(0.2))?);
/// assert!(!mesh::contains(&mesh, &Pose::IDENTITY, DVec3::splat(0.4))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn contains(mesh: &TriangleMesh, pose: &Pose, point: DVec3) -> Result<bool, QueryError> {
    let pose = checked("the mesh", pose)?;
    if !point.is_finite() {
        return Err(QueryError::Vector { what: "point", value: point });
    }
    near_enough(point - pose.position)?;
    Ok(inside::contains(mesh, Placement::turned(&pose).point_to_inner(point - pose.position)))
}

/// A point of two meshes whose surfaces do not cross, in the frame of the first: one of them is inside the other.
pub(super) fn nested_point(a: &TriangleMesh, b: &TriangleMesh, b_in_a: &Placement) -> Option<DVec3> {
    inside::nested(a, b, b_in_a).map(|(_, point)| point)
}

/// Whether a point in the mesh's frame is inside it or on it; never if the mesh is not closed.
pub(crate) fn contains_point(mesh: &TriangleMesh, point: DVec3) -> bool {
    inside::contains(mesh, point)
}

/// The triangle of a mesh that is nearest to a point in its frame, and where it is nearest.
pub(crate) fn nearest_triangle(mesh: &TriangleMesh, point: DVec3) -> Option<(u32, DVec3)> {
    let (mut least, mut best) = (f64::INFINITY, None);
    mesh.tree().visit_near(point, point, f64::INFINITY, |slot| {
        let pair = feature::point_face(point, slot.wide_corners(mesh.vertices()));
        if pair.distance() < least {
            (least, best) = (pair.distance(), Some((slot.triangle, pair.on_b)));
        }
        least
    });
    best
}

/// The placement of the second mesh in the frame of the first, if both poses are sound.
fn placed(pose_a: &Pose, pose_b: &Pose) -> Result<Placement, QueryError> {
    let (offset, turned) = between(pose_a, pose_b)?;
    Ok(Placement::seen_from(&turned, offset, pose_b.rotation))
}

impl MeshCrossing {
    /// From the frame of the first mesh.
    fn in_world(self, pose_a: &Pose) -> Self {
        let frame = Placement::turned(pose_a);
        Self { segment: self.segment.map(|end| pose_a.position + frame.point_to_outer(end)), ..self }
    }
}

fn corners(mesh: &TriangleMesh, triangle: u32) -> [DVec3; 3] {
    mesh.corners(triangle as usize).map(|corner| corner.as_dvec3())
}

/// The crossings in the frame of the first mesh.
pub(crate) fn visit_crossings(
    a: &TriangleMesh,
    b: &TriangleMesh,
    b_in_a: &Placement,
    mut visit: impl FnMut(MeshCrossing) -> ControlFlow<()>,
) {
    let corners_of_b = |slot: Slot| slot.wide_corners(b.vertices()).map(|corner| b_in_a.point_to_outer(corner));
    let touching = Reach { limit: 0.0, axis: DVec3::ZERO };
    visit_pairs(a.tree(), b.tree(), b_in_a, &corners_of_b, touching.limit, |candidate| {
        let corners_a = candidate.a.wide_corners(a.vertices());
        let Some(found) = triangle_triangle::of_wide(corners_a, candidate.corners_b) else { return touching };
        let crossing = MeshCrossing {
            triangle_a: candidate.a.triangle,
            triangle_b: candidate.b.triangle,
            segment: found.segment,
            is_coplanar: found.is_coplanar,
        };
        match visit(crossing) {
            ControlFlow::Continue(()) => touching,
            ControlFlow::Break(()) => Reach { limit: -1.0, ..touching },
        }
    });
}

/// The separation of the surfaces in the frame of the first; none if it is proven to be `limit` or more.
pub(crate) fn surface_separation(
    a: &TriangleMesh,
    b: &TriangleMesh,
    b_in_a: &Placement,
    limit: f64,
) -> Result<Option<Separation>, SupportFault> {
    let corners_of_b = |slot: Slot| slot.wide_corners(b.vertices()).map(|corner| b_in_a.point_to_outer(corner));
    let extent = |mesh: &TriangleMesh| {
        let bounds = mesh.tree().bounds();
        bounds.min.abs().max(bounds.max.abs()).as_dvec3().length()
    };
    let scale = extent(a) + extent(b) + b_in_a.position.length();
    // What is so near to the limit is decided with the pair's own rounding.
    let mut reach = Reach { limit: limit + 4e-12 * scale, axis: DVec3::ZERO };
    let mut best = None;
    visit_pairs(a.tree(), b.tree(), b_in_a, &corners_of_b, reach.limit, |candidate| {
        let (corners_a, corners_b) = (candidate.a.wide_corners(a.vertices()), candidate.corners_b);
        let high = corners_a.map(|corner| reach.axis.dot(corner)).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let low = corners_b.map(|corner| reach.axis.dot(corner)).into_iter().fold(f64::INFINITY, f64::min);
        if low - high >= reach.limit {
            return reach;
        }
        let Pair { on_a, on_b } = feature::face_face(corners_a, corners_b);
        let distance = on_a.distance(on_b);
        if distance < reach.limit {
            best = Some((candidate.a, candidate.b));
            // Once they meet nothing is nearer.
            let limit = if distance <= feature::ROUNDING * scale { -1.0 } else { distance };
            reach = Reach { limit, axis: (on_b - on_a).normalize_or_zero() };
        }
        reach
    });
    let Some((slot_a, slot_b)) = best else { return Ok(None) };
    let face = |corners| Convex { core: Core::Triangle(corners), radius: 0.0 };
    let (face_a, face_b) = (face(slot_a.wide_corners(a.vertices())), face(slot_b.wide_corners(b.vertices())));
    separation::of_convex(&face_a, &face_b, b_in_a, limit)
}

/// The signed distance of two meshes in the frame of the first, those that are closed as solids; none if it is proven to be `limit` or more.
pub(super) fn signed_solids(
    a: &TriangleMesh,
    b: &TriangleMesh,
    b_in_a: &Placement,
    limit: f64,
) -> Result<Option<Signed>, SupportFault> {
    let Some(found) = penetration::local(a, b, b_in_a) else {
        let apart = surface_separation(a, b, b_in_a, limit)?;
        return Ok(apart.map(|found| {
            let Separation { on_a, on_b, normal, distance, lower, upper, stop, .. } = found;
            Signed { normal, distance, on_a, on_b, lower, upper, stop }
        }));
    };
    let depth = found.way_out.length();
    let signed = Signed {
        normal: found.way_out / depth,
        distance: -depth,
        on_a: found.on_a,
        on_b: found.on_b,
        lower: -depth,
        upper: -found.lower,
        stop: Stop::of_bounds(found.lower, depth),
    };
    Ok(Some(signed).filter(|found| found.lower < limit))
}
