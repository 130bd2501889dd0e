//! Closed forms for the shapes that a few numbers describe, at density 1.

use super::wide::Wide;
use crate::shape::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Rounded, Sphere};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

pub(super) fn sphere(sphere: &Sphere) -> Wide {
    let radius = f64::from(sphere.radius());
    let mass = ball(radius);
    centered(mass, DVec3::splat(0.4 * mass * radius * radius))
}

pub(super) fn ellipsoid(ellipsoid: &Ellipsoid) -> Wide {
    let radii = ellipsoid.radii().as_dvec3();
    let mass = 4.0 / 3.0 * PI * radii.element_product();
    centered(mass, moments_from_squares(0.2 * mass * radii * radii))
}

pub(super) fn cylinder(cylinder: &Cylinder) -> Wide {
    let (half, radius) = (f64::from(cylinder.half_height()), f64::from(cylinder.radius()));
    let mass = 2.0 * PI * radius * radius * half;
    let across = mass * (radius * radius / 4.0 + half * half / 3.0);
    centered(mass, DVec3::new(across, 0.5 * mass * radius * radius, across))
}

/// The centre of mass is a quarter of the height above the base.
pub(super) fn cone(cone: &Cone) -> Wide {
    let (half, radius) = (f64::from(cone.half_height()), f64::from(cone.radius()));
    let mass = 2.0 / 3.0 * PI * radius * radius * half;
    let across = mass * 0.15 * (radius * radius + half * half);
    let moments = DVec3::new(across, 0.3 * mass * radius * radius, across);
    Wide { center: DVec3::Y * (-0.5 * half), ..centered(mass, moments) }
}

/// A cylinder with half a ball on each end.
pub(super) fn capsule(capsule: &Capsule) -> Wide {
    let (a, b) = (capsule.core().a().as_dvec3(), capsule.core().b().as_dvec3());
    let radius = f64::from(capsule.radius());
    let length = (b - a).length();
    let axis = (b - a) / length;
    let (barrel, caps) = (PI * radius * radius * length, ball(radius));
    let squared = radius * radius;
    let along = (0.5 * barrel + 0.4 * caps) * squared;
    let across = barrel * (squared / 4.0 + length * length / 12.0)
        + caps * (0.4 * squared + length * length / 4.0 + 0.375 * length * radius);
    let outer = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
    // `along` times the projection onto the axis plus `across` times the one off it, without cancelling for an axis
    // that is a coordinate axis.
    let off_axis = super::wide::of_point_mass(1.0, axis);
    Wide { mass: barrel + caps, center: 0.5 * (a + b), inertia: along * outer + across * off_axis }
}

/// The core, a slab on each face, a quarter cylinder on each edge and an eighth of a ball on each corner.
pub(super) fn cuboid(cuboid: &Rounded<Cuboid>) -> Wide {
    let half = cuboid.core().half_extents().as_dvec3();
    let radius = f64::from(cuboid.radius());
    let disc = PI * radius * radius;
    let slabs = 8.0 * radius * (half.x * half.y + half.y * half.z + half.z * half.x);
    let mass = 8.0 * half.element_product() + slabs + 2.0 * disc * half.element_sum() + ball(radius);
    // The integral of x² over the solid, of half extent `a` along x and `b`, `c` along the others. Pieces that lie
    // within |x| ≤ a have the mean a²/3; the others are pieces of a slab, disc or ball pulled apart by 2a, and the
    // integral of (a + |x|)² = a² + 2a|x| + x² is a sum of moments of the slab, disc or ball.
    let square_along = |a: f64, b: f64, c: f64| {
        let within = (8.0 * b * c + 8.0 * radius * (b + c) + 2.0 * disc) * a * a * a / 3.0;
        let slabs = 8.0 * b * c * radius * (a * a + a * radius + radius * radius / 3.0);
        let edges = 2.0 * (b + c) * disc * (a * a + 8.0 / (3.0 * PI) * a * radius + 0.25 * radius * radius);
        let corners = ball(radius) * (a * a + 0.75 * a * radius + 0.2 * radius * radius);
        within + slabs + edges + corners
    };
    let squares = DVec3::new(
        square_along(half.x, half.y, half.z),
        square_along(half.y, half.z, half.x),
        square_along(half.z, half.x, half.y),
    );
    centered(mass, moments_from_squares(squares))
}

/// The volume of a ball.
fn ball(radius: f64) -> f64 {
    4.0 / 3.0 * PI * radius * radius * radius
}

/// The moments of a body from its integrals of x², y² and z².
fn moments_from_squares(squares: DVec3) -> DVec3 {
    DVec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y)
}

/// A body around the origin, the coordinate axes its principal axes.
fn centered(mass: f64, moments: DVec3) -> Wide {
    Wide { mass, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
}
