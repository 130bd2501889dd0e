//! Whether two colliders that were apart can have come together since they were last asked.
//!
//! Seen from the frame of one of them, no point of the other has moved farther than its origin, and its reach times the
//! chord of its turn. While that leaves more than the margin of what was between the two, they do not touch. Poses are
//! compared with those of then, and nothing is added up from step to step: who moved the two, and how often, means nothing,
//! and two that move together have not moved. The one that a turn moves less is seen from the other; balls are moved by none.
//! Cost: two roots. Neither the shapes nor what the pair keeps is looked at.

use crate::body::Collider;
use glam::{Quat, Vec3};

/// What rounding may hide, as a share of the numbers that it happens to.
const DOUBT: f32 = 2e-6;

/// Where two colliders were as they were apart, and by how much.
#[derive(Debug, Clone, Copy, PartialEq)]
// In this order: the position is read four numbers at a time, see `LocalPose`.
#[repr(C)]
pub(crate) struct Clearance {
    position: Vec3,
    /// They were not nearer than this; negative if that is not known.
    gap: f32,
    rotation: Quat,
}

impl Clearance {
    pub(crate) const UNKNOWN: Self = Self { position: Vec3::ZERO, gap: -1.0, rotation: Quat::IDENTITY };

    /// Of two that are not nearer than this where they are now.
    pub(crate) fn new(a: &Collider, b: &Collider, gap: f32) -> Self {
        let (position, rotation, _) = seen(a, b);
        Self { position, gap, rotation }
    }

    #[inline]
    pub(crate) fn is_known(&self) -> bool {
        self.gap > 0.0
    }

    /// The two are not nearer than this now; NaN, or what is not positive, if that is not known.
    #[inline]
    pub(crate) fn left(&self, a: &Collider, b: &Collider) -> f32 {
        let (position, rotation, turning) = seen(a, b);
        let shift = (position - self.position).length();
        // The vector part of a turn is the sine of half its angle, and twice that the chord.
        let chord = 2.0 * (self.rotation.conjugate() * rotation).xyz().length();
        let sizes = position.abs().element_sum() + self.position.abs().element_sum() + turning + self.gap;
        self.gap - shift - turning * chord - DOUBT * sizes
    }
}

/// Where the one that a turn moves less is, seen from the other, and how far its points are from its origin.
#[inline]
fn seen(a: &Collider, b: &Collider) -> (Vec3, Quat, f32) {
    let (small, large) = if a.turning > b.turning { (b, a) } else { (a, b) };
    // Two balls: neither has a frame that matters.
    let to_large = if large.turning > 0.0 { large.pose.rotation.conjugate() } else { Quat::IDENTITY };
    let offset = (small.pose.position - large.pose.position).as_vec3();
    (to_large * offset, to_large * small.pose.rotation, small.turning)
}

#[cfg(test)]
mod tests {
    use super::Clearance;
    use crate::body::{Bodies, Body};
    use crate::pose::Pose;
    use crate::shape::{Shape, ShapeError};
    use glam::{DVec3, Quat, Vec3};

    /// Two bodies, of which the second is moved; what is left of their gap is never more than their distance.
    fn check(shapes: &[Shape; 2], seed: u64) -> Result<(), Box<dyn std::error::Error>> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut vector = |size: f32| Vec3::from_array([(); 3].map(|()| size * (2.0 * random.f32() - 1.0)));
        let mut told = 0;
        for _ in 0..2000 {
            let mut bodies = Bodies::default();
            for shape in shapes {
                bodies.add(Body::fixed().at(vector(3.0).as_dvec3()).shape(shape.clone()))?;
            }
            let distance = |bodies: &Bodies| -> Result<f32, Box<dyn std::error::Error>> {
                let [Some(a), Some(b)] = [bodies.collider(0), bodies.collider(1)] else { return Ok(0.0) };
                Ok(crate::query::distance(&a.shape, &a.pose, &b.shape, &b.pose)?.lower() as f32)
            };
            let gap = distance(&bodies)?;
            let [Some(a), Some(b)] = [bodies.collider(0), bodies.collider(1)] else { continue };
            let clearance = Clearance::new(a, b, gap);
            // Both go round together, and each a little by itself.
            let (turn, shift) = (Quat::from_scaled_axis(vector(2.0)), vector(10.0).as_dvec3());
            for dense in 0..2 {
                let pose = bodies.pose(dense);
                let (own_turn, own_shift) = (Quat::from_scaled_axis(vector(0.3)), vector(0.3).as_dvec3());
                let position = turn.as_dquat() * (pose.position + own_shift) + shift;
                let rotation = (turn * own_turn * pose.rotation).normalize();
                bodies.set_pose(dense as usize, Pose { position, rotation });
            }
            let [Some(a), Some(b)] = [bodies.collider(0), bodies.collider(1)] else { continue };
            let left = clearance.left(a, b);
            if gap > 0.0 && left > 0.0 {
                told += 1;
                assert!(left <= distance(&bodies)? + 1e-5, "{left} of {gap} left");
            }
        }
        assert!(told > 200, "{told}");
        Ok(())
    }

    #[test]
    fn what_is_left_of_a_gap_is_there() -> Result<(), Box<dyn std::error::Error>> {
        let shapes: [fn() -> Result<Shape, ShapeError>; 4] = [
            || Shape::sphere(0.4),
            || Shape::cuboid(1.5, 0.1, 0.1),
            || Shape::capsule(0.7, 0.2),
            || Shape::hull(&[[3.0, 0.0, 0.0], [3.5, 0.2, 0.0], [3.2, 0.6, 0.1], [3.1, 0.1, 0.8]].map(Vec3::from_array)),
        ];
        for (seed, (one, other)) in
            (0..).zip(shapes.iter().flat_map(|one| shapes.iter().map(move |other| (one, other))))
        {
            check(&[one()?, other()?], seed)?;
        }
        Ok(())
    }

    #[test]
    fn a_long_box_that_turns_on_the_spot_has_moved() -> Result<(), Box<dyn std::error::Error>> {
        let mut bodies = Bodies::default();
        bodies.add(Body::fixed().shape(Shape::cuboid(2.0, 0.1, 0.1)?))?;
        bodies.add(Body::fixed().at([0.0, 1.0, 0.0]).shape(Shape::cuboid(2.0, 0.1, 0.1)?))?;
        let [Some(a), Some(b)] = [bodies.collider(0), bodies.collider(1)] else { return Err("no colliders".into()) };
        let clearance = Clearance::new(a, b, 0.8);
        assert!((clearance.left(a, b) - 0.8).abs() < 1e-4);
        // Its end goes down by 0.8 m and more.
        bodies.set_pose(1, Pose { position: DVec3::Y, rotation: Quat::from_rotation_z(0.5) });
        let [Some(a), Some(b)] = [bodies.collider(0), bodies.collider(1)] else { return Err("no colliders".into()) };
        assert!(clearance.left(a, b) < 0.0);
        Ok(())
    }
}
