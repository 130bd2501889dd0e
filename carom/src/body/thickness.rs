//! How thick and how large shapes are: what decides whether a motion can carry one through another within a step (T6).

use crate::bounds::Aabb;
use crate::pose::{LocalPose, Pose};
use crate::shape::{ConvexHull, Shape};
use glam::Vec3;

/// So many faces of a hull tell how thick it is.
const FACES: usize = 64;

/// Half of about the least width of a shape; 0 for surfaces.
pub(super) fn half_thickness(shape: &Shape) -> f32 {
    match shape {
        Shape::Sphere(sphere) => sphere.radius(),
        Shape::Cuboid(cuboid) => cuboid.core().half_extents().min_element() + cuboid.radius(),
        Shape::Capsule(capsule) => capsule.radius(),
        Shape::Cylinder(cylinder) => cylinder.radius().min(cylinder.half_height()),
        // Half of the ball inside is at least this.
        Shape::Cone(cone) => 0.5 * cone.radius().min(cone.half_height()),
        Shape::Ellipsoid(ellipsoid) => ellipsoid.radii().min_element(),
        Shape::Hull(hull) => 0.5 * least_width(hull.core()) + hull.radius(),
        Shape::Triangle(triangle) => triangle.radius(),
        Shape::Compound(compound) => {
            let parts = compound.parts().iter().map(|part| half_thickness(&part.shape));
            parts.fold(f32::INFINITY, f32::min)
        }
        Shape::HalfSpace(_) => f32::INFINITY,
        Shape::Custom(_) => Aabb::around_shape_at(shape, &Pose::IDENTITY).half_extents().min_element(),
        Shape::Point(_) | Shape::Segment(_) | Shape::Mesh(_) | Shape::HeightField(_) => 0.0,
    }
}

fn least_width(hull: &ConvexHull) -> f32 {
    let normals = hull.planes().iter().take(FACES).map(|plane| plane.normal);
    let width = |normal: Vec3| {
        let along = hull.vertices().iter().map(|vertex| vertex.dot(normal));
        let (least, most) =
            along.fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), at| (least.min(at), most.max(at)));
        most - least
    };
    normals.map(width).fold(f32::INFINITY, f32::min)
}

/// How far a shape reaches from the origin of its body at the most.
pub(super) fn extent(shape: &Shape, pose: &LocalPose) -> f32 {
    let bounds = Aabb::around_shape_at(shape, &Pose::IDENTITY.compose(pose));
    bounds.min.abs().max(bounds.max.abs()).length()
}

/// How far the points of a shape that a turn moves are from its origin at the most.
pub(super) fn turning(shape: &Shape) -> f32 {
    match shape {
        Shape::Sphere(_) => 0.0,
        shape => extent(shape, &LocalPose::IDENTITY),
    }
}
