//! Two bodies in motion: where one is seen from the other, and how fast that changes.

use super::DMat3;
use super::angle::sine_cosine;
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::placement::Placement;
use crate::query::form::{Form, Pieces};
use glam::{DQuat, DVec3};

/// How one body turns about its centre.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Course {
    /// The body's frame at time 0, in the axes of the world.
    pub(super) start: DMat3,
    /// The centre in the body's frame.
    pub(super) center: DVec3,
    /// The unit axis in the world; zero without a turn.
    pub(super) axis: DVec3,
    /// The angle in a unit of time.
    pub(super) speed: f64,
}

/// Two bodies and what is between their centres, in the axes of the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motion {
    pub(super) a: Course,
    pub(super) b: Course,
    /// From the centre of the first to that of the second at time 0.
    pub(super) offset: DVec3,
    /// How it changes in a unit of time.
    pub(super) velocity: DVec3,
}

/// Two bodies at one time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) b_in_a: Placement,
    /// The frame of the first in the axes of the world.
    pub(super) turned_a: DMat3,
    /// From the centre of the first to that of the second, in the axes of the world.
    pub(super) offset: DVec3,
}

impl Course {
    pub(super) fn new(start: DQuat, center: DVec3, angular_velocity: DVec3) -> Self {
        let speed = angular_velocity.length();
        let axis = if speed > 0.0 { angular_velocity / speed } else { DVec3::ZERO };
        // A length that underflows turns nothing.
        let axis = if axis.is_finite() { axis } else { DVec3::ZERO };
        Self { start: DMat3::from_quat(start), center, axis, speed }
    }

    /// The body's frame at a time.
    #[inline(always)]
    pub(super) fn turned_at(&self, time: f64) -> DMat3 {
        if self.speed == 0.0 {
            return self.start;
        }
        let (sine, cosine) = sine_cosine(self.speed * time);
        let turn = |v: DVec3| cosine * v + sine * self.axis.cross(v) + (1.0 - cosine) * self.axis.dot(v) * self.axis;
        DMat3::from_cols(turn(self.start.x_axis), turn(self.start.y_axis), turn(self.start.z_axis))
    }

    /// That of a part of the body.
    fn of_part(&self, part: &Placement) -> Self {
        Self { start: self.start * part.rotation, center: part.point_to_inner(self.center), ..*self }
    }

    /// The angular velocity.
    pub(super) fn spin(&self) -> DVec3 {
        self.speed * self.axis
    }
}

impl Motion {
    #[inline(always)]
    pub(super) fn at(&self, time: f64) -> Moment {
        let (turned_a, turned_b) = (self.a.turned_at(time), self.b.turned_at(time));
        let offset = self.offset_at(time);
        let inward = turned_a.transpose();
        let position = inward * (offset - turned_b * self.b.center) + self.a.center;
        Moment { b_in_a: Placement { rotation: inward * turned_b, position }, turned_a, offset }
    }

    #[inline(always)]
    pub(super) fn offset_at(&self, time: f64) -> DVec3 {
        self.offset + time * self.velocity
    }

    /// How far apart the centres are at the most.
    pub(super) fn greatest_offset(&self, from: f64, until: f64) -> f64 {
        self.offset_at(from).length().max(self.offset_at(until).length())
    }

    /// The first body seen from the second.
    pub(super) fn mirrored(&self) -> Self {
        Self { a: self.b, b: self.a, offset: -self.offset, velocity: -self.velocity }
    }

    /// Of a part of the first body.
    pub(super) fn of_part(&self, part: &Placement) -> Self {
        Self { a: self.a.of_part(part), ..*self }
    }

    /// How fast points of the second body move, seen from the first, at the most, and how fast that changes. The second
    /// body reaches so far from its centre, which is so far from that of the first. Along a single direction of the first
    /// body, only the share of it that is across the axis turns; it is 1 for all directions.
    ///
    /// A point r from the centre is at Aᵀ(d + r) in the frame A of the first, where A turns by w, r by u and d moves by v:
    /// its velocity is Aᵀ(v + u×r − w×(d + r)), and that changes by Aᵀ(w×(w×(d + r)) − 2w×(v + u×r) + u×(u×r)).
    pub(super) fn rates_of_second(&self, reach: f64, offset: f64, share: f64) -> (f64, f64) {
        let (w, u, v) = (self.a.speed, self.b.speed, self.velocity.length());
        let speed = v + u * reach + share * w * (offset + reach);
        let bend = share * w * (w * (offset + reach) + 2.0 * (v + u * reach)) + u * u * reach;
        (speed, bend)
    }
}

/// How far a core reaches from a point of its frame, at the most.
pub(super) fn core_reach(core: &Core<'_>, center: DVec3) -> Result<f64, SupportFault> {
    Ok(match *core {
        Core::Point => center.length(),
        Core::Segment([a, b]) => a.distance(center).max(b.distance(center)),
        Core::Triangle([a, b, c]) => a.distance(center).max(b.distance(center)).max(c.distance(center)),
        Core::Cuboid(half) => (half + center.abs()).length(),
        Core::Cylinder { half_height, radius } | Core::Cone { half_height, radius } => {
            let across = radius + center.with_y(0.0).length();
            across.hypot(half_height + center.y.abs())
        }
        Core::Ellipsoid(_) | Core::Custom(_) => core.reach()? + center.length(),
        Core::Hull(hull) if center == DVec3::ZERO => hull.reach(),
        Core::Hull(hull) => {
            let squared = |vertex: &glam::Vec3| vertex.as_dvec3().distance_squared(center);
            hull.vertices().iter().map(squared).fold(0.0, f64::max).sqrt()
        }
    })
}

/// How far a form reaches from a point of its frame, what rounds it left out.
pub(super) fn form_reach(form: &Form<'_>, center: DVec3) -> Result<f64, SupportFault> {
    let box_reach = |bounds: crate::bounds::Aabb| {
        let (min, max) = (bounds.min.as_dvec3() - center, bounds.max.as_dvec3() - center);
        min.abs().max(max.abs()).length()
    };
    Ok(match form {
        Form::Convex(convex) => core_reach(&convex.core, center)?,
        Form::HalfSpace(_) => f64::INFINITY,
        Form::Pieces(Pieces::Mesh(mesh)) => box_reach(mesh.tree().bounds()),
        Form::Pieces(Pieces::HeightField(field)) => box_reach(field.bounds()),
        Form::Pieces(pieces @ Pieces::Compound(_)) => {
            let mut reach = 0.0f64;
            for index in 0..pieces.count() {
                let (part, placement) = pieces.piece(index);
                reach = reach.max(form_reach(&part, placement.point_to_inner(center))?);
            }
            reach
        }
    })
}

/// How far off the supports of a convex shape may be.
pub(super) fn support_error(convex: &Convex<'_>, reach: f64) -> f64 {
    convex.core.support_error(reach)
}
