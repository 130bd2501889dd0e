//! Any convex shape against a triangle, by the general search for their signed distance: one point where an edge or a
//! corner of the triangle is touched, and the shape's patch clipped to the triangle where its face is.

use super::Touches;
use super::inner_edge::is_inner;
use super::polytope::over_triangle;
use super::surface::{Face, Sides};
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::feature::nearest_on_face;
use crate::distance::placement::Placement;
use crate::distance::signed::{Cache, signed};
use crate::narrow::Feature;
use crate::narrow::patch::{self, Patch};
use glam::DVec3;

/// Cosine of the angle up to which a normal is the triangle's.
const ACROSS: f64 = 0.99995;

/// The contact of a convex shape and a triangle in its frame; `center` is a point inside.
pub(super) fn touch(
    solid: &Convex<'_>,
    center: DVec3,
    face: &Face,
    faces: &[Face],
    touches: &mut Touches<'_>,
) -> Result<(), SupportFault> {
    // Nothing is made of how far it is apart.
    touches.note_gap(0.0);
    let Some(out) = touches.outward(face, center, faces) else { return Ok(()) };
    let triangle = Convex { core: Core::Triangle(face.corners), radius: 0.0 };
    // What is exactly the margin apart still counts.
    let limit = touches.margin + f64::MIN_POSITIVE.max(1e-12 * touches.margin);
    let found = signed(solid, &triangle, &Placement::IDENTITY, limit, &mut Cache::default())?;
    let Some(found) = found.filter(|found| found.distance <= touches.margin) else { return Ok(()) };
    let normal = -found.normal;
    let is_behind = touches.sides != Sides::Both && normal.dot(out) < -1e-3;
    let add_nearest = |touches: &mut Touches<'_>| {
        // The depth search tells the place less well than the direction.
        let tolerance = touches.tolerance.max(1e-3 * (-found.distance).max(0.0));
        let is_felt = touches.feels_inner_edges || !is_inner(faces, found.on_b, normal, tolerance);
        if is_felt {
            let features = [border(face, found.on_b), Feature::SURFACE];
            touches.add(face, normal, found.on_b, -found.distance, features);
        }
        is_felt
    };
    let is_across = normal.dot(out) >= ACROSS;
    if !is_across && !is_behind && add_nearest(touches) {
        return Ok(());
    }
    let before = touches.count();
    let patch = patch::along(solid, -out)?;
    let is_slanted = solid.radius > 0.0 && patch.corners().len() > 2 && -patch.normal.dot(out) < ACROSS;
    if is_slanted {
        // Below a slanted face the rounded surface is farther off than its radius: the face itself is moved out.
        over_triangle(&patch, (solid.radius * patch.normal, 0.0), face, out, touches);
        let lowest = Patch::point(solid.core.support(-out)?, Feature::SURFACE);
        over_triangle(&lowest, (DVec3::ZERO, solid.radius), face, out, touches);
    } else {
        over_triangle(&patch, (DVec3::ZERO, solid.radius), face, out, touches);
    }
    // What is nearly straight above a ridge that is nearly flat is above none of its triangles.
    if is_across && touches.count() == before {
        add_nearest(touches);
    }
    Ok(())
}

/// The name of the corner, edge or face of a triangle at a point on it.
fn border(face: &Face, point: DVec3) -> Feature {
    let weights = nearest_on_face(face.corners.map(|corner| corner - point));
    let zeros = weights.map(|weight| weight <= 1e-6);
    match zeros {
        [false, true, true] => Feature::vertex(face.vertices[0]),
        [true, false, true] => Feature::vertex(face.vertices[1]),
        [true, true, false] => Feature::vertex(face.vertices[2]),
        [true, false, false] => face.edge_feature(1),
        [false, true, false] => face.edge_feature(2),
        [false, false, true] => face.edge_feature(0),
        [false, false, false] | [true, true, true] => Feature::face(face.triangle),
    }
}
