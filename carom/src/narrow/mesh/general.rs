//! Any convex shape against a triangle, by the general search; and a shape that is wholly inside a solid.

use super::Touches;
use super::inner_edge::is_inner;
use super::polytope::over_triangle;
use super::surface::{Face, Sides};
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::placement::Placement;
use crate::distance::signed::Cache;
use crate::narrow::convex::{self, Answer};
use crate::narrow::{Feature, FeatureKind, patch};
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
    let Some(out) = touches.outward(face, center) else { return Ok(()) };
    let triangle = Convex { core: Core::Triangle(face.corners), radius: 0.0 };
    let answer = convex::answer(solid, &triangle, &Placement::IDENTITY, touches.margin, &mut Cache::default())?;
    let Answer::Touching(clipped) = answer else { return Ok(()) };
    let normal = -clipped.manifold.normal.as_dvec3();
    let is_behind = touches.sides != Sides::Both && normal.dot(out) < -1e-3;
    let mut is_own = !is_behind;
    if normal.dot(out) < ACROSS && is_own && !touches.feels_inner_edges {
        let mut deepest: Option<(f32, DVec3)> = None;
        for contact in clipped.manifold.contacts() {
            let place = contact.point.as_dvec3() + normal * (0.5 * f64::from(contact.depth));
            if deepest.is_none_or(|(most, _)| contact.depth > most) {
                deepest = Some((contact.depth, place));
            }
        }
        is_own = deepest.is_some_and(|(_, place)| {
            // The points of the general search lie on the surfaces to about a thousandth of the size.
            !is_inner(faces, place, normal, 1e-3 * touches.size)
        });
    }
    if is_own {
        for contact in clipped.manifold.contacts() {
            let depth = f64::from(contact.depth);
            let place = contact.point.as_dvec3() + normal * (0.5 * depth);
            touches.add(face, normal, place, depth, [named(face, contact.features[1]), contact.features[0]]);
        }
        return Ok(());
    }
    over_triangle(&patch::along(solid, -out)?, solid.radius, face, out, touches);
    Ok(())
}

/// A feature of a triangle alone, as the surface names it.
fn named(face: &Face, feature: Feature) -> Feature {
    let index = feature.index() as usize % 3;
    match feature.kind() {
        FeatureKind::Surface | FeatureKind::Face => Feature::face(face.triangle),
        FeatureKind::Vertex => Feature::vertex(face.vertices[index]),
        FeatureKind::Edge => face.edge_feature(index),
    }
}
