//! Conservative advancement: when two bodies that go on as they move now will touch.
//!
//! At each time the distance of the two is measured. No point of a body moves towards the other faster than its speed
//! along the normal plus its turning times how far it reaches, so for as long as the distance lasts at that rate they
//! cannot touch, and time goes on by so much. It ends when they are as near as asked, or never will be in the time given.
//! Source: Mirtich, Canny 1995, doi 10.1145/199404.199436; the bound here is the plain one by reach.

use super::pieces::Piece;
use carom::bounds::Aabb;
use carom::glam::{DVec3, Quat, Vec3};
use carom::pose::Pose;
use carom::query::{self, Distance};
use carom::world::World;
use serde::Serialize;

/// Where the two are at a time, in the frame of the first piece at that time.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Advance {
    pub(super) time: f64,
    pub(super) distance: f64,
    point_a: Vec3,
    point_b: Vec3,
    b: RelativePose,
}

#[derive(Debug, Clone, Serialize)]
struct RelativePose {
    position: [f32; 3],
    rotation: [f32; 4],
}

/// It looks this far ahead, in s.
const HORIZON: f64 = 2.0;
const MOST_STEPS: usize = 100;
/// They touch when they are nearer than this, in m.
const NEAR: f64 = 1e-5;

/// How a body moves from now on.
struct Course {
    center: DVec3,
    rotation: Quat,
    velocity: DVec3,
    spin: Vec3,
    /// From the centre of mass to the piece's frame, in the body's axes, and how that is turned there.
    offset: Vec3,
    turned: Quat,
    /// How far the piece reaches from the centre of mass.
    reach: f64,
}

impl Course {
    fn of(world: &World, piece: &Piece) -> Option<Self> {
        let body = world.bodies().nth(piece.body as usize)?;
        let motion = body.motion();
        let offset = motion.rotation.inverse() * (piece.pose.position - motion.center).as_vec3();
        let bounds = Aabb::around_shape_at(&piece.shape, &Pose::IDENTITY);
        let corner = bounds.min.abs().max(bounds.max.abs());
        Some(Self {
            center: motion.center,
            rotation: motion.rotation,
            velocity: motion.velocity.as_dvec3(),
            spin: motion.angular_velocity,
            offset,
            turned: piece.in_body.rotation,
            reach: f64::from(offset.length() + corner.length()),
        })
    }

    fn pose(&self, time: f64) -> Pose {
        let rotation = Quat::from_scaled_axis(self.spin * time as f32) * self.rotation;
        let position = self.center + self.velocity * time + (rotation * self.offset).as_dvec3();
        Pose::new(position, (rotation * self.turned).normalize())
    }

    /// How fast any of its points moves along a direction, at the most.
    fn fastest_along(&self, direction: DVec3) -> f64 {
        let turning = f64::from(self.spin.length());
        // What has no end and turns has no bound; it is left out below.
        self.velocity.dot(direction) + if turning > 0.0 { turning * self.reach } else { 0.0 }
    }
}

/// The steps to the contact; none if the two are in contact now, or do not move against each other.
pub(super) fn advance(world: &World, a: &Piece, b: &Piece) -> Option<Vec<Advance>> {
    let (course_a, course_b) = (Course::of(world, a)?, Course::of(world, b)?);
    if course_a.velocity == course_b.velocity && course_a.spin == Vec3::ZERO && course_b.spin == Vec3::ZERO {
        return None;
    }
    let mut steps = Vec::new();
    let mut time = 0.0;
    for _ in 0..MOST_STEPS {
        let (pose_a, pose_b) = (course_a.pose(time), course_b.pose(time));
        let gap = match query::distance(&a.shape, &pose_a, &b.shape, &pose_b).ok()? {
            Distance::Apart(gap) | Distance::Undecided(gap) => gap,
            Distance::Overlapping { .. } => break,
        };
        let relative = Pose::b_in_a(&pose_a, &pose_b);
        steps.push(Advance {
            time,
            distance: gap.distance,
            point_a: pose_a.point_to_local(gap.on_a),
            point_b: pose_a.point_to_local(gap.on_b),
            b: RelativePose { position: relative.position.to_array(), rotation: relative.rotation.to_array() },
        });
        let normal = gap.normal.as_dvec3();
        let closing = course_a.fastest_along(normal) + course_b.fastest_along(-normal);
        // Not closing, for ever if neither turns; NaN for what turns and has no end.
        if gap.lower <= NEAR || closing.is_nan() || closing <= 0.0 {
            break;
        }
        time += gap.lower / closing;
        if time > HORIZON {
            break;
        }
    }
    (!steps.is_empty()).then_some(steps)
}
