//! How far a shape reaches from a point or from an axis, rounding radii left out: a ball around a point of the core
//! looks the same however it is turned.

use crate::bounds::extent::extent_along;
use crate::shape::Shape;
use glam::{DMat3, DVec3, Vec3};

/// The greatest length of `map · (p − center)` over the points p of the shape's core, or a bound above it for round
/// shapes. The map stretches nothing: a rotation, or a projection after it. Zero for half-spaces: one that has the same
/// box at the start and at the end of a turn has turned about its normal.
pub(super) fn core_reach(shape: &Shape, center: DVec3, map: DMat3) -> f64 {
    let of = |point: DVec3| (map * (point - center)).length();
    let over = |points: &mut dyn Iterator<Item = Vec3>| {
        points.map(|point| (map * (point.as_dvec3() - center)).length_squared()).fold(0.0, f64::max).sqrt()
    };
    match shape {
        Shape::Point(_) | Shape::Sphere(_) => of(DVec3::ZERO),
        Shape::Segment(segment) => over(&mut [segment.a(), segment.b()].into_iter()),
        Shape::Capsule(capsule) => over(&mut [capsule.core().a(), capsule.core().b()].into_iter()),
        Shape::Triangle(triangle) => over(&mut triangle.core().corners().into_iter()),
        Shape::Cuboid(cuboid) => over(&mut cuboid_corners(cuboid.core().half_extents()).into_iter()),
        Shape::Hull(hull) => over(&mut hull.core().vertices().iter().copied()),
        Shape::Mesh(mesh) => over(&mut mesh.vertices().iter().copied()),
        Shape::HeightField(field) => over(&mut (0..field.heights().len()).map(|sample| field.vertex(sample))),
        Shape::Cylinder(cylinder) => {
            let top = DVec3::Y * f64::from(cylinder.half_height());
            let radius = f64::from(cylinder.radius());
            disc_reach(top - center, radius, map).max(disc_reach(-top - center, radius, map))
        }
        Shape::Cone(cone) => {
            let apex = DVec3::Y * f64::from(cone.half_height());
            disc_reach(-apex - center, f64::from(cone.radius()), map).max(of(apex))
        }
        Shape::Ellipsoid(ellipsoid) => {
            let from_ball = of(DVec3::ZERO) + f64::from(ellipsoid.radii().max_element());
            from_ball.min(reach_of_box(shape, center, map))
        }
        Shape::Custom(_) => reach_of_box(shape, center, map),
        Shape::Compound(compound) => compound.parts().iter().fold(0.0, |reach, part| {
            let rotation = part.pose.rotation.as_dquat().normalize();
            let center = rotation.conjugate() * (center - part.pose.position.as_dvec3());
            core_reach(&part.shape, center, map * DMat3::from_quat(rotation)).max(reach)
        }),
        Shape::HalfSpace(_) => 0.0,
    }
}

/// The radius that [`core_reach`] leaves out.
pub(super) fn rounding_radius(shape: &Shape) -> f64 {
    f64::from(match shape {
        Shape::Sphere(sphere) => sphere.radius(),
        Shape::Capsule(capsule) => capsule.radius(),
        Shape::Triangle(triangle) => triangle.radius(),
        Shape::Cuboid(cuboid) => cuboid.radius(),
        Shape::Hull(hull) => hull.radius(),
        Shape::Compound(compound) => {
            return compound.parts().iter().map(|part| rounding_radius(&part.shape)).fold(0.0, f64::max);
        }
        Shape::Point(_)
        | Shape::Segment(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::HalfSpace(_)
        | Shape::Mesh(_)
        | Shape::HeightField(_)
        | Shape::Custom(_) => 0.0,
    })
}

pub(super) fn cuboid_corners(half: Vec3) -> [Vec3; 8] {
    std::array::from_fn(|corner| {
        let sign = |axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
        half * Vec3::new(sign(0), sign(1), sign(2))
    })
}

/// A bound of |M(c + ru)| over the unit vectors u across the y axis: its square is |Mc|² + 2r MᵀMc·u + r²|Mu|², the
/// product at most the length of MᵀMc across the axis, and |Mu| at most 1.
fn disc_reach(center: DVec3, radius: f64, map: DMat3) -> f64 {
    let mapped = map * center;
    let across = (map.transpose() * mapped).with_y(0.0).length();
    (mapped.length_squared() + 2.0 * radius * across + radius * radius).sqrt()
}

/// How far the corners of the box along the rows of the map are: each row is a coordinate of the mapped shape.
fn reach_of_box(shape: &Shape, center: DVec3, map: DMat3) -> f64 {
    let rows = map.transpose();
    let reaches = [rows.x_axis, rows.y_axis, rows.z_axis].map(|row| {
        let (least, greatest) = extent_along(shape, row);
        let offset = row.dot(center);
        (offset - least).max(greatest - offset)
    });
    DVec3::from_array(reaches).length()
}
