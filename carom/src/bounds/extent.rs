//! How far a shape reaches along a direction: the one piece that boxes, k-DOPs and oriented boxes are fitted with.

use super::BoundsError;
use crate::shape::Shape;
use glam::{DVec3, Vec3};

/// The least and greatest product of `direction` with the points of `shape`, in f64. A half-space has infinite ends.
pub(crate) fn extent_along(shape: &Shape, direction: DVec3) -> (f64, f64) {
    let length = direction.length();
    let both_ways = |reach: f64| (-reach, reach);
    match shape {
        Shape::Point(_) => (0.0, 0.0),
        Shape::Segment(segment) => of_points([segment.a(), segment.b()], direction),
        Shape::Triangle(triangle) => {
            grown(of_points(triangle.core().corners(), direction), length * f64::from(triangle.radius()))
        }
        Shape::Sphere(sphere) => both_ways(length * f64::from(sphere.radius())),
        Shape::Cuboid(cuboid) => {
            let reach = direction.abs().dot(cuboid.core().half_extents().as_dvec3());
            both_ways(reach + length * f64::from(cuboid.radius()))
        }
        Shape::Capsule(capsule) => {
            let ends = [capsule.core().a(), capsule.core().b()];
            grown(of_points(ends, direction), length * f64::from(capsule.radius()))
        }
        Shape::Cylinder(cylinder) => {
            let disc = f64::from(cylinder.radius()) * direction.with_y(0.0).length();
            both_ways(direction.y.abs() * f64::from(cylinder.half_height()) + disc)
        }
        Shape::Cone(cone) => {
            let disc = f64::from(cone.radius()) * direction.with_y(0.0).length();
            let apex = direction.y * f64::from(cone.half_height());
            (apex.min(-apex - disc), apex.max(-apex + disc))
        }
        Shape::Ellipsoid(ellipsoid) => both_ways((direction * ellipsoid.radii().as_dvec3()).length()),
        Shape::Hull(hull) => {
            grown(of_points(hull.core().vertices().iter().copied(), direction), length * f64::from(hull.radius()))
        }
        Shape::HalfSpace(half_space) => {
            let normal = half_space.normal().as_dvec3();
            let along = direction.dot(normal);
            // Bounded above only along the normal itself; f32 normals of an axis are exact.
            if direction.cross(normal) != DVec3::ZERO {
                (f64::NEG_INFINITY, f64::INFINITY)
            } else if along > 0.0 {
                (f64::NEG_INFINITY, 0.0)
            } else {
                (0.0, f64::INFINITY)
            }
        }
        Shape::Mesh(mesh) => {
            of_points(mesh.triangles().iter().flatten().map(|&corner| mesh.vertices()[corner as usize]), direction)
        }
        Shape::HeightField(field) => {
            of_points((0..field.heights().len()).map(|sample| field.vertex(sample)), direction)
        }
        Shape::Compound(compound) => compound.parts().iter().fold(EMPTY, |whole, part| {
            let turned = part.pose.rotation.as_dquat().normalize().conjugate() * direction;
            let (least, greatest) = extent_along(&part.shape, turned);
            let offset = direction.dot(part.pose.position.as_dvec3());
            (whole.0.min(least + offset), whole.1.max(greatest + offset))
        }),
        Shape::Custom(custom) => {
            let along = direction.normalize_or_zero().as_vec3();
            let (least, greatest) = (custom.support(-along), custom.support(along));
            // A user's support map answers in f32 for a direction in f32: leave room for both roundings.
            let slack = 1e-6 * length * f64::from(least.length().max(greatest.length()));
            grown((direction.dot(least.as_dvec3()), direction.dot(greatest.as_dvec3())), slack)
        }
    }
}

/// The same of a shape that must have an end; an error if it has none, or if its support map answers with what is not a
/// number.
pub(super) fn bounded_extent_along(shape: &Shape, direction: DVec3) -> Result<(f64, f64), BoundsError> {
    if matches!(shape, Shape::HalfSpace(_)) {
        return Err(BoundsError::Unbounded);
    }
    let (least, greatest) = extent_along(shape, direction);
    if least.is_finite() && greatest.is_finite() {
        Ok((least, greatest))
    } else {
        Err(BoundsError::ExtentNotFinite { direction: direction.as_vec3(), least, greatest })
    }
}

const EMPTY: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

fn of_points(points: impl IntoIterator<Item = Vec3>, direction: DVec3) -> (f64, f64) {
    points.into_iter().fold(EMPTY, |(least, greatest), point| {
        let along = direction.dot(point.as_dvec3());
        (least.min(along), greatest.max(along))
    })
}

fn grown((least, greatest): (f64, f64), by: f64) -> (f64, f64) {
    (least - by, greatest + by)
}
