//! Two solids at poses, known by their difference A - B around the place of the first.

use super::solids::Solid;
use carom::glam::{DMat3, DVec3};
use carom::pose::Pose;

pub struct Pair<'a> {
    pub a: &'a Solid,
    pub b: &'a Solid,
    pub pose_a: Pose,
    pub pose_b: Pose,
    turn_a: DMat3,
    turn_b: DMat3,
    /// From the place of the first to that of the second.
    pub offset: DVec3,
}

impl<'a> Pair<'a> {
    pub fn new(a: &'a Solid, pose_a: Pose, b: &'a Solid, pose_b: Pose) -> Self {
        let turn = |pose: &Pose| DMat3::from_quat(pose.rotation.as_dquat().normalize());
        let offset = pose_b.position - pose_a.position;
        Self { a, b, pose_a, pose_b, turn_a: turn(&pose_a), turn_b: turn(&pose_b), offset }
    }

    /// The same pair with the first solid at the origin: equal to the bit, since the offset is.
    pub fn at_origin(&self) -> Self {
        let (pose_a, pose_b) =
            (Pose::new(DVec3::ZERO, self.pose_a.rotation), Pose::new(self.offset, self.pose_b.rotation));
        Self::new(self.a, pose_a, self.b, pose_b)
    }

    /// The size of the smaller solid, of which all errors are a share.
    pub fn size(&self) -> f64 {
        self.a.size.min(self.b.size)
    }

    /// What the numbers of the computation are as large as.
    pub fn scale(&self) -> f64 {
        self.a.size + self.b.size + self.offset.length()
    }

    /// What rounding the places of points in the world does to them.
    pub fn world_rounding(&self) -> f64 {
        4.0 * f64::EPSILON * (self.pose_a.position.length() + self.pose_b.position.length())
    }

    /// The points of A and of B, seen from the place of A, that are farthest into each other along a direction.
    pub fn supports(&self, along: DVec3) -> [DVec3; 2] {
        let on_a = self.turn_a * self.a.support(self.turn_a.transpose() * along);
        let on_b = self.turn_b * self.b.support(self.turn_b.transpose() * -along);
        [on_a, on_b + self.offset]
    }

    /// The farthest point of A - B along a direction.
    pub fn support(&self, along: DVec3) -> DVec3 {
        let [on_a, on_b] = self.supports(along);
        on_a - on_b
    }

    /// How far the solids are apart along a unit direction from the first to the second; negative if they overlap.
    pub fn gap(&self, along: DVec3) -> f64 {
        -along.dot(self.support(along))
    }

    /// How far a point, seen from the place of A, is outside of A and of B.
    pub fn outside(&self, point: DVec3) -> [f64; 2] {
        let in_a = self.turn_a.transpose() * point;
        let in_b = self.turn_b.transpose() * (point - self.offset);
        [self.a.outside(in_a), self.b.outside(in_b)]
    }

    pub fn turned_a(&self) -> DMat3 {
        self.turn_a
    }

    pub fn turned_b(&self) -> DMat3 {
        self.turn_b
    }

    /// What makes the case again.
    pub fn recipe(&self) -> String {
        let pose = |pose: &Pose| {
            let place = pose.position.to_array().map(|value| format!("{value:e}")).join(", ");
            let turn = pose.rotation.to_array().map(|value| format!("{value:e}")).join(", ");
            format!("Pose::new(DVec3::new({place}), Quat::from_xyzw({turn}))")
        };
        format!("{}, {}, {}, {}", self.a.recipe, pose(&self.pose_a), self.b.recipe, pose(&self.pose_b))
    }
}
