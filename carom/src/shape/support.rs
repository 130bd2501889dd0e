//! Support maps: the point of a convex shape that lies farthest along a direction.
//!
//! The support of `R·A + x` along `d` is `R·support_A(Rᵀd) + x` ([`in_pose`]), so each shape answers in its own frame.
//! The support of a Minkowski sum is the sum of the supports, which is how rounded shapes are answered.

use super::{Cone, Cuboid, Cylinder, Ellipsoid, Point, Rounded, Segment, Sphere, Triangle};
use crate::pose::LocalPose;
use glam::Vec3;

/// A convex shape, known by its farthest point along each direction. Implement it for a shape of your own.
///
/// ```
/// use carom::prelude::*;
/// use carom::shape::SupportMap;
///
/// /// A disc without thickness, across the y axis.
/// #[derive(Debug)]
/// struct Coin {
///     radius: f32,
/// }
///
/// impl SupportMap for Coin {
///     fn support(&self, direction: Vec3) -> Vec3 {
///         Vec3::new(direction.x, 0.0, direction.z).normalize_or_zero() * self.radius
///     }
/// }
///
/// let coin = Shape::custom(Coin { radius: 2.0 });
/// assert_eq!(coin.support(Vec3::new(3.0, 1.0, 0.0)), Some(Vec3::new(2.0, 0.0, 0.0)));
/// ```
pub trait SupportMap: std::fmt::Debug + Send + Sync {
    /// A point of the shape whose product with `direction` is greatest. The direction may have any length; for the
    /// zero direction any point of the shape will do, but it must be finite.
    fn support(&self, direction: Vec3) -> Vec3;
}

/// The support along `direction` of a shape placed at `pose`, all in the outer frame.
///
/// ```
/// use carom::prelude::*;
/// use carom::shape::{Sphere, support};
///
/// let pose = LocalPose::at([10.0, 0.0, 0.0]);
/// assert_eq!(support::in_pose(&Sphere::new(1.0)?, &pose, Vec3::Y), Vec3::new(10.0, 1.0, 0.0));
/// # Ok::<(), ShapeError>(())
/// ```
pub fn in_pose(shape: &(impl SupportMap + ?Sized), pose: &LocalPose, direction: Vec3) -> Vec3 {
    pose.point_to_outer(shape.support(pose.direction_to_inner(direction)))
}

/// `direction` at unit length without overflow or underflow on the way; the zero vector stays zero.
fn unit(direction: Vec3) -> Vec3 {
    let largest = direction.abs().max_element();
    if largest > 0.0 { (direction / largest).normalize() } else { Vec3::ZERO }
}

/// How far a point lies along a direction. In f64, where the product of two f32 neither overflows nor vanishes nor
/// loses a digit: the difference of two infinities would pick any vertex.
fn along(direction: Vec3, point: Vec3) -> f64 {
    direction.as_dvec3().dot(point.as_dvec3())
}

/// `size` with the sign of `along`; zero counts as positive so that every direction has a corner.
fn with_sign(size: f32, along: f32) -> f32 {
    if along < 0.0 { -size } else { size }
}

/// The rim point of a disc of the given radius around the y axis, in direction (x, z); its centre if there is none.
fn rim(radius: f32, direction: Vec3) -> Vec3 {
    unit(Vec3::new(direction.x, 0.0, direction.z)) * radius
}

impl SupportMap for Point {
    fn support(&self, _direction: Vec3) -> Vec3 {
        Vec3::ZERO
    }
}

impl SupportMap for Segment {
    fn support(&self, direction: Vec3) -> Vec3 {
        if along(direction, self.b()) > along(direction, self.a()) { self.b() } else { self.a() }
    }
}

impl SupportMap for Triangle {
    fn support(&self, direction: Vec3) -> Vec3 {
        let [a, b, c] = self.corners();
        let (along_a, along_b, along_c) = (along(direction, a), along(direction, b), along(direction, c));
        if along_a >= along_b && along_a >= along_c {
            a
        } else if along_b >= along_c {
            b
        } else {
            c
        }
    }
}

impl SupportMap for Sphere {
    fn support(&self, direction: Vec3) -> Vec3 {
        unit(direction) * self.radius()
    }
}

impl SupportMap for Cuboid {
    fn support(&self, direction: Vec3) -> Vec3 {
        let half = self.half_extents();
        Vec3::new(with_sign(half.x, direction.x), with_sign(half.y, direction.y), with_sign(half.z, direction.z))
    }
}

impl SupportMap for Cylinder {
    fn support(&self, direction: Vec3) -> Vec3 {
        rim(self.radius(), direction) + Vec3::Y * with_sign(self.half_height(), direction.y)
    }
}

impl SupportMap for Cone {
    fn support(&self, direction: Vec3) -> Vec3 {
        let apex = Vec3::Y * self.half_height();
        let base = rim(self.radius(), direction) - apex;
        if along(direction, apex) >= along(direction, base) { apex } else { base }
    }
}

impl SupportMap for Ellipsoid {
    /// The unit ball stretched by the radii `E`: support `E·(E·d)/|E·d|`.
    fn support(&self, direction: Vec3) -> Vec3 {
        let radii = self.radii();
        let largest = radii.max_element();
        radii * unit(unit(direction) * (radii / largest))
    }
}

impl<T: SupportMap> SupportMap for Rounded<T> {
    fn support(&self, direction: Vec3) -> Vec3 {
        let core = self.core().support(direction);
        if self.radius() == 0.0 { core } else { core + unit(direction) * self.radius() }
    }
}
