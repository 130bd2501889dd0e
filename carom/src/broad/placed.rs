//! The box of a collider in the world, for every step: in f32, with room for its rounding.
//!
//! What shapes of bodies mostly are is turned by a matrix of f32; the rest is left to [`Aabb::around_shape_at`], which is
//! exact. Why it encloses: entries of the matrix are off by a few ε, so a turned point by less than 16 ε of its distance
//! from the origin, and the place and the sums by an ε of their size.
//! Cost: some 30 operations for balls, cuboids and capsules, 10 for each vertex of a hull.

use crate::bounds::Aabb;
use crate::pose::Pose;
use crate::shape::Shape;
use glam::{Mat3A, Vec3A};

/// The box around a shape at a pose; at most some ε larger than the exact one.
// Where it is inlined what surrounds it is slower by more than a call.
#[inline(never)]
pub(super) fn bounds_at(shape: &Shape, pose: &Pose) -> Aabb {
    match turned_extents(shape, pose) {
        Some([least, greatest]) => {
            let place = pose.position.as_vec3a();
            let reach = least.abs().max(greatest.abs()).max_element();
            let room = (place.abs() + Vec3A::splat(8.0 * reach)) * (2.0 * f32::EPSILON);
            let (min, max) = (place + least - room, place + greatest + room);
            if min.is_finite() && max.is_finite() {
                return Aabb::new(min.into(), max.into());
            }
            Aabb::around_shape_at(shape, pose)
        }
        None => Aabb::around_shape_at(shape, pose),
    }
}

/// The least and greatest coordinates of a turned shape, if it is one of the usual.
#[inline]
fn turned_extents(shape: &Shape, pose: &Pose) -> Option<[Vec3A; 2]> {
    let turn = || Mat3A::from_quat(pose.rotation);
    let around = |[least, greatest]: [Vec3A; 2], radius: f32| [least - radius, greatest + radius];
    Some(match shape {
        Shape::Sphere(sphere) => around([Vec3A::ZERO; 2], sphere.radius()),
        Shape::Cuboid(cuboid) => {
            let turn = turn();
            let half = Vec3A::from(cuboid.core().half_extents());
            let reach = turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z;
            around([-reach, reach], cuboid.radius())
        }
        Shape::Capsule(capsule) => {
            let turn = turn();
            let [a, b] = [turn * Vec3A::from(capsule.core().a()), turn * Vec3A::from(capsule.core().b())];
            around([a.min(b), a.max(b)], capsule.radius())
        }
        Shape::Hull(hull) => {
            let turn = turn();
            let endless = Vec3A::splat(f32::INFINITY);
            let [least, greatest] =
                hull.core().vertices().iter().fold([endless, -endless], |[least, greatest], vertex| {
                    let vertex = turn * Vec3A::from(*vertex);
                    [least.min(vertex), greatest.max(vertex)]
                });
            around([least, greatest], hull.radius())
        }
        Shape::Point(_)
        | Shape::Segment(_)
        | Shape::Triangle(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::Ellipsoid(_)
        | Shape::HalfSpace(_)
        | Shape::Mesh(_)
        | Shape::HeightField(_)
        | Shape::Compound(_)
        | Shape::Custom(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::bounds_at;
    use crate::bounds::Aabb;
    use crate::pose::Pose;
    use crate::shape::Shape;
    use glam::{DVec3, Quat, Vec3};

    /// It encloses the exact box, and is hardly larger, near the origin and far from it, tiny and huge.
    #[test]
    fn it_holds_the_exact_box_and_little_more() {
        let mut rng = fastrand::Rng::with_seed(15);
        for _ in 0..20_000 {
            let size = 10f32.powf(rng.f32() * 10.0 - 5.0);
            let mut number = || rng.f32() * 2.0 - 1.0;
            let points: Vec<Vec3> = (0..12).map(|_| Vec3::new(number(), number(), number()) * size).collect();
            let rotation = Quat::from_xyzw(number(), number(), number(), number()).normalize();
            let place = DVec3::new(number().into(), number().into(), number().into());
            let position = place * 10f64.powf(f64::from(number()) * 8.0);
            let half = points[0].abs() + 0.1 * size;
            let shapes = [
                Shape::sphere(half.x),
                Shape::cuboid(half.x, half.y, half.z),
                Shape::capsule(half.x, half.y),
                Shape::hull(&points),
            ];
            let pose = Pose { position, rotation };
            for shape in shapes.into_iter().flatten() {
                let (exact, found) = (Aabb::around_shape_at(&shape, &pose), bounds_at(&shape, &pose));
                let reach = (exact.max - exact.min).max_element() + position.abs().max_element() as f32;
                let room = Vec3::splat(64.0 * f32::EPSILON * reach);
                // The exact one has room of its own for rounding: four ε of the shape's reach.
                let own = Vec3::splat(8.0 * f32::EPSILON * size);
                assert!((exact.min + own).cmpge(found.min).all() && (exact.max - own).cmple(found.max).all());
                assert!((exact.min - room).cmple(found.min).all() && (exact.max + room).cmpge(found.max).all());
            }
        }
    }
}
