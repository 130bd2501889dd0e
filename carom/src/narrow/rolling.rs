//! On which radius two parts roll on each other: the lever of the resistance to rolling.

use super::stage::reach;
use crate::body::Bodies;
use crate::mid::{ConvexPair, ConvexPart, part_of};
use crate::shape::Shape;

/// The radius of the part that rolls, the smaller if both are round. Where neither is, what has corners tips, and that is
/// resisted by the size of the smaller.
pub(crate) fn rolling_radius(pair: &ConvexPair, bodies: &Bodies) -> f32 {
    let parts = [&pair.a, &pair.b];
    let round = parts.into_iter().filter_map(|part| radius(part_of(bodies, part)?.0)).reduce(f32::min);
    round.unwrap_or_else(|| parts.into_iter().filter_map(|part| size(part, bodies)).fold(f32::MAX, f32::min))
}

/// Of what is round: how far its surface is from the axis around which it rolls best.
fn radius(shape: &Shape) -> Option<f32> {
    match shape {
        Shape::Sphere(sphere) => Some(sphere.radius()),
        Shape::Capsule(capsule) => Some(capsule.radius()),
        Shape::Cylinder(cylinder) => Some(cylinder.radius()),
        Shape::Cone(cone) => Some(cone.radius()),
        // It rolls around its longest axis, on the mean of the others.
        Shape::Ellipsoid(ellipsoid) => Some(0.5 * (ellipsoid.radii().element_sum() - ellipsoid.radii().max_element())),
        Shape::Point(_)
        | Shape::Segment(_)
        | Shape::Triangle(_)
        | Shape::Cuboid(_)
        | Shape::Hull(_)
        | Shape::HalfSpace(_)
        | Shape::Mesh(_)
        | Shape::HeightField(_)
        | Shape::Compound(_)
        | Shape::Custom(_) => None,
    }
}

/// About how far a part reaches from its origin; none if that has no end.
fn size(part: &ConvexPart, bodies: &Bodies) -> Option<f32> {
    let (shape, _) = part_of(bodies, part)?;
    match shape {
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::Custom(_) => Some(bodies.collider(part.collider)?.turning),
        Shape::Point(_) => Some(0.0),
        Shape::HalfSpace(_) => None,
        shape => Some(reach(shape)),
    }
}
