//! How bodies move within a step, and which of them are fast.

use super::Sweeps;
use crate::body::{Bodies, BodyKind, Collider, Motion};
use crate::bounds::{Aabb, BoundingVolume};
use crate::broad::BroadPhase;
use crate::impact::rigid::{Impact, Sweep};
use crate::pose::Pose;
use crate::shape::Shape;
use glam::{DQuat, DVec3, Quat, Vec3};

/// A way of more than this share of half the thickness is fast.
pub(super) const FAST: f32 = 0.9;
/// A body that turns by more than this in a step is taken to turn as its angular velocity says, not by the shorter way.
const LONG_TURN: f32 = 2.0;
/// Up to this angle the points of a body go about as far as their velocity at the start says.
const SHORT_TURN: f32 = 0.5;
/// A body that is not fast.
pub(super) const NOT_FAST: u32 = u32::MAX;

/// Where a body was when the step began.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Start {
    pub(super) center: DVec3,
    pub(super) rotation: Quat,
}

impl Start {
    pub(super) fn of(motion: &Motion) -> Self {
        Self { center: motion.center, rotation: motion.rotation }
    }
}

/// A body that is looked after along its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fast {
    pub(super) dense: u32,
    /// Half the least width of its shapes.
    pub(super) half_thickness: f32,
    /// How its centre moves.
    pub(super) shift: Vec3,
    /// How long its way is at the most, turning included, and how much of it is by turning.
    pub(super) way: f32,
    pub(super) turning: f32,
    /// Around its whole way.
    pub(super) bounds: Aabb,
    /// The share of the step after which it stands.
    pub(super) until: f64,
    /// Which collider of it by which of another.
    pub(super) stopped_by: Option<([u32; 2], Impact)>,
}

impl Fast {
    /// Whether it may come to the other side of something slower within the step, or deep inside if that is thicker. What
    /// cannot be moved stops it in any case.
    pub(super) fn can_pass(&self, other: &Collider, ways: &Ways<'_>) -> bool {
        let dense = other.body as usize;
        if ways.bodies.natures[dense].kind != BodyKind::Dynamic {
            return true;
        }
        (self.shift - ways.shift(dense)).length() + self.turning
            > FAST * (self.half_thickness + self.half_thickness.min(other.half_thickness))
    }
}

/// How all bodies move in the step, whose length is 1: evenly between the poses before and after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ways<'a> {
    pub(super) bodies: &'a Bodies,
    pub(super) starts: &'a [Start],
    pub(super) dt: f32,
}

impl Ways<'_> {
    /// Whether a body takes part and may move.
    pub(super) fn moves(&self, dense: usize) -> bool {
        moves(self.bodies, dense)
    }

    /// Where a body was when the step began; what nothing moves is there still.
    pub(super) fn start(&self, dense: usize) -> Start {
        let is_followed = self.bodies.activity(dense as u32).is_followed();
        if is_followed { self.starts[dense] } else { Start::of(&self.bodies.motions()[dense]) }
    }

    /// How a body's centre moves.
    pub(super) fn shift(&self, dense: usize) -> Vec3 {
        (self.bodies.motions()[dense].center - self.start(dense).center).as_vec3()
    }

    /// How far the points of a body go at the most by turning.
    fn turning(&self, dense: usize) -> f32 {
        let nature = &self.bodies.natures[dense];
        // What turns about its middle and is round stays where it is.
        if let [slot] = nature.colliders[..]
            && self.bodies.collider(slot).is_some_and(|collider| is_centered_ball(collider, self.bodies))
        {
            return 0.0;
        }
        (self.bodies.motions()[dense].angular_velocity.length() * self.dt).min(LONG_TURN) * extent(self.bodies, dense)
    }

    /// A box around all that a body reaches on its way.
    fn bounds_of_body(&self, dense: usize) -> Aabb {
        let (from, to) = (self.start(dense).center, self.bodies.motions()[dense].center);
        let extent = DVec3::splat(f64::from(extent(self.bodies, dense)));
        Aabb::rounded_outward(from.min(to) - extent, from.max(to) + extent)
    }

    /// A box around a collider's way: around both ends, and what turning adds between them.
    pub(super) fn bounds_of(&self, collider: &Collider) -> Aabb {
        let dense = collider.body as usize;
        if is_centered_ball(collider, self.bodies) {
            let (from, to) = (self.start(dense).center, self.bodies.motions()[dense].center);
            let radius = DVec3::splat(1.000001 * f64::from(collider.half_thickness));
            return Aabb::rounded_outward(from.min(to) - radius, from.max(to) + radius);
        }
        let cosine = self.start(dense).rotation.dot(self.bodies.motions()[dense].rotation).abs();
        if cosine < 0.9 {
            return self.bounds_of_body(dense);
        }
        let end = self.bodies.pose(collider.body).compose(&collider.pose_in_body);
        let [first, last] = [collider.pose, end].map(|pose| Aabb::around_shape_at(&collider.shape, &pose));
        // An arc of angle a rises above its chord by r (1 - cos a/2), and `cosine` is that of a/2.
        let extent = extent(self.bodies, dense);
        first.merged(&last).enlarged(extent * (1.0 - cosine) * 1.01 + 1e-6 * extent)
    }

    /// How a collider moves.
    pub(super) fn of(&self, collider: &Collider) -> Sweep {
        let dense = collider.body as usize;
        if !self.moves(dense) {
            return Sweep::at(collider.pose);
        }
        if is_centered_ball(collider, self.bodies) {
            return Sweep::of(collider.pose, self.bodies.motions()[dense].center - self.start(dense).center);
        }
        let sweep = self.of_body(dense);
        let center = self.start(dense).center - collider.pose.position;
        Sweep { start: collider.pose, center: rotation_of(collider.pose.rotation).conjugate() * center, ..sweep }
    }

    /// How a body moves.
    pub(super) fn of_body(&self, dense: usize) -> Sweep {
        let (start, motion) = (self.start(dense), self.bodies.motions()[dense]);
        let center = self.bodies.natures[dense].center_of_mass.as_dvec3();
        let position = start.center - rotation_of(start.rotation) * center;
        let from = Pose { position, rotation: start.rotation };
        let turn = motion.angular_velocity * self.dt;
        if turn.length_squared() > LONG_TURN * LONG_TURN {
            Sweep::of(from, motion.center - start.center).turning(turn.as_dvec3()).about(center)
        } else {
            Sweep::between(from, self.bodies.pose(dense as u32), center)
        }
    }

    /// How far a kinematic body and another go towards or past each other at the most, where the other is.
    fn way_past(&self, kinematic: usize, other: usize) -> f32 {
        let turn = self.bodies.motions()[kinematic].angular_velocity * self.dt;
        let arm = (self.start(other).center - self.start(kinematic).center).as_vec3();
        let shift = self.shift(kinematic) - self.shift(other);
        let of_middle = if turn.length() < SHORT_TURN {
            (shift + turn.cross(arm)).length() + turn.length_squared() * arm.length()
        } else {
            shift.length() + turn.length().min(LONG_TURN) * arm.length()
        };
        of_middle + turn.length().min(LONG_TURN) * extent(self.bodies, other) + self.turning(other)
    }
}

impl Sweeps {
    /// Lists the fast bodies; returns the longest way of any other. With a share of 0 all that move are fast.
    pub(super) fn find_fast(&mut self, bodies: &Bodies, broad: &dyn BroadPhase, dt: f32, share: f32) -> f32 {
        let Self { starts, fast, place_of, movers, found, .. } = self;
        let ways = Ways { bodies, starts, dt };
        fast.clear();
        movers.clear();
        place_of.clear();
        place_of.resize(bodies.len(), NOT_FAST);
        let mut farthest_slow: f32 = 0.0;
        for dense in bodies.awake().iter().map(|dense| *dense as usize) {
            if !ways.moves(dense) {
                continue;
            }
            let (shift, turning) = (ways.shift(dense), ways.turning(dense));
            let way = shift.length() + turning;
            if !way.is_finite() {
                continue;
            }
            let is_dynamic = bodies.natures[dense].kind == BodyKind::Dynamic;
            let half_thickness = if is_dynamic { half_thickness(bodies, dense) } else { f32::INFINITY };
            if way > share * half_thickness && half_thickness.is_finite() {
                place_of[dense] = fast.len() as u32;
                fast.push(Fast::new(dense, half_thickness, way, &ways));
            } else {
                farthest_slow = farthest_slow.max(way);
                if !is_dynamic && way > 0.0 {
                    movers.push((dense as u32, way));
                }
            }
        }
        // Nothing stops a kinematic body: what it would pass through is looked after instead, at rest or asleep as it be.
        for &(kinematic, longest) in movers.iter() {
            found.clear();
            let bounds = ways.bounds_of_body(kinematic as usize).enlarged(farthest_slow);
            broad.overlapping(&bounds, &mut |slot| found.push(slot));
            found.sort_unstable();
            for collider in found.iter().filter_map(|slot| bodies.collider(*slot)) {
                let dense = collider.body as usize;
                let nature = &bodies.natures[dense];
                let is_free = nature.kind == BodyKind::Dynamic && !nature.is_left_out() && !collider.is_sensor;
                if !is_free || longest + farthest_slow <= FAST * collider.half_thickness {
                    continue;
                }
                let way = ways.way_past(kinematic as usize, dense);
                if !(way > FAST * collider.half_thickness && way.is_finite()) {
                    continue;
                }
                let place = place_of[dense];
                if place == NOT_FAST {
                    let half_thickness = half_thickness(bodies, dense);
                    if half_thickness.is_finite() {
                        place_of[dense] = fast.len() as u32;
                        fast.push(Fast::new(dense, half_thickness, way, &ways));
                    }
                } else {
                    let known = &mut fast[place as usize];
                    known.way = known.way.max(way);
                }
            }
        }
        farthest_slow
    }
}

impl Fast {
    fn new(dense: usize, half_thickness: f32, way: f32, ways: &Ways<'_>) -> Self {
        let (shift, turning, bounds) = (ways.shift(dense), ways.turning(dense), ways.bounds_of_body(dense));
        Self { dense: dense as u32, half_thickness, shift, way, turning, bounds, until: 1.0, stopped_by: None }
    }
}

/// Whether a body takes part and may move.
pub(super) fn moves(bodies: &Bodies, dense: usize) -> bool {
    let nature = &bodies.natures[dense];
    nature.kind != BodyKind::Fixed && !nature.is_left_out() && !bodies.rests[dense].is_asleep()
}

/// A rotation turned on by an angle around an axis of the world.
pub(super) fn turned(rotation: Quat, turn: Vec3) -> Quat {
    let sweep = Sweep::at(Pose { position: DVec3::ZERO, rotation }).turning(turn.as_dvec3());
    sweep.pose_at(1.0).rotation
}

/// How far a body reaches from its centre of mass at the most.
pub(super) fn extent(bodies: &Bodies, dense: usize) -> f32 {
    let nature = &bodies.natures[dense];
    nature.extent + nature.center_of_mass.length()
}

/// Half the least width of a body's solid shapes; infinite if it has none.
fn half_thickness(bodies: &Bodies, dense: usize) -> f32 {
    let colliders = bodies.natures[dense].colliders.iter().filter_map(|slot| bodies.collider(*slot));
    let solid = colliders.filter(|collider| !collider.is_sensor);
    solid.map(|collider| collider.half_thickness).fold(f32::INFINITY, f32::min)
}

/// Whether it looks the same however its body turns.
fn is_centered_ball(collider: &Collider, bodies: &Bodies) -> bool {
    matches!(collider.shape, Shape::Sphere(_))
        && collider.pose_in_body.position == bodies.natures[collider.body as usize].center_of_mass
}

fn rotation_of(rotation: Quat) -> DQuat {
    rotation.as_dquat().normalize()
}
