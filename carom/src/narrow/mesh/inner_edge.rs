//! N6: which normals a surface of triangles can have at a point, so that nothing catches on its inner edges.
//!
//! A convex shape that touches a union of convex pieces at w, pushed along n, leaves all of them: n must be in the normal
//! cone at w of every piece that has w, that is, no point of such a piece may be farther along n than w. On a flat or
//! hollow edge only the normals of the triangles are left, on a ridge what lies between them, and on the border of an
//! open surface all that leads away from it. A direction that fails is an artefact of taking the triangle for a body of
//! its own: the neighbour that it leads into is touched as well, and says the right normal.
//! Neighbours are found by place among the triangles that were gathered around the shape, which hold every one that has
//! w; so corners need not be shared by index, nor edges be whole (T-junctions).
//! Cost: triangles gathered, for each normal that is not a triangle's own. Source: the cones are those of nonsmooth
//! analysis (proximal normals); engines apply rules of thumb to marked edges instead.

use super::surface::Face;
use glam::DVec3;

/// How far a neighbour may reach along the normal, as the sine of an angle: a little more than half a degree.
pub(super) const RISE: f64 = 0.01;

/// Whether the normal at a point of the surface leads into a triangle that has the point, too.
pub(super) fn is_inner(faces: &[Face], point: DVec3, normal: DVec3, tolerance: f64) -> bool {
    faces.iter().any(|face| {
        rises(&face.corners, point, normal, tolerance) && face.has(point, tolerance)
    })
}

/// Whether one of some places is farther along the normal than a point.
pub(super) fn rises(places: &[DVec3], point: DVec3, normal: DVec3, tolerance: f64) -> bool {
    places.iter().any(|place| {
        let away = *place - point;
        let along = normal.dot(away);
        along > tolerance && along * along > RISE * RISE * away.length_squared()
    })
}
