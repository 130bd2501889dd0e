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

/// Sine of the angle up to which a normal is a triangle's own: a little more than half a degree.
const OWN: f64 = 0.01;
/// Sine of the angle by which a triangle must rise along the normal to count.
const RISE: f64 = 1e-4;

/// Whether the normal at a point of the surface leads into a triangle that has the point, too.
pub(super) fn is_inner(faces: &[Face], point: DVec3, normal: DVec3, tolerance: f64) -> bool {
    faces.iter().any(|face| {
        let along = face.normal.dot(normal);
        if along * along >= 1.0 - OWN * OWN {
            return false;
        }
        let rises = face.corners.iter().any(|corner| {
            let away = *corner - point;
            let along = normal.dot(away);
            along > tolerance && along * along > RISE * RISE * away.length_squared()
        });
        rises && face.has(point, tolerance)
    })
}
