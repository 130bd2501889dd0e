//! T6: nothing passes through anything. The stage after the response: what has moved farther in the step than it is
//! thick is looked after along its way, and stopped where it would first touch.
//!
//! Between the pose before the step and that after it a body is taken to move and turn evenly. Fast bodies are those whose
//! way is longer than nine tenths of half their least width: slower ones cannot come to lie with their middle on the
//! other side. What a fast body may meet comes from the broad phase, whose boxes are still those of the step's start, with
//! a query box that is larger by the longest way of anything slow; fast bodies are swept against each other. Each pair is
//! asked for its time of impact (`impact::rigid`), which is never late. A body whose way is cut short keeps its velocity:
//! the next step finds the contact with a gap left, and stops or reflects it. When a fast body has been stopped, others
//! that would have met it later are asked again. A pair that touches at the start is left to the contacts, unless a
//! ball inside of the body would pass: so a body in a corner is not lost, nor does sliding on a floor count as impact.
//! Cost: a few ns a body, and some µs for each fast body and what it may meet; no allocation once warm.
//! Source: after Box2D's and Box3D's continuous stage (Catto), with both bodies moving and no difference of bullets.

use super::PairFilter;
use crate::body::{Bodies, BodyId, BodyKind, Collider};
use crate::bounds::{Aabb, BoundingVolume};
use crate::broad::{BroadPhase, Pair};
use crate::impact::rigid::{Impact, Options, Outcome, Sweep, time_of_impact};
use crate::narrow::may_meet;
use crate::pose::Pose;
use crate::shape::Shape;
use glam::{DQuat, DVec3, Quat, Vec3};

/// How a world keeps bodies from passing through each other within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Continuous {
    /// Not at all: bodies are looked at where steps end.
    Off,
    /// Each step is taken as this many equal ones; 0 counts as 1.
    Substeps(u32),
    /// Each step is cut where two bodies first meet, up to 64 times: for few bodies whose impacts matter.
    Adaptive,
    /// Bodies that move farther in a step than they are thick are stopped where they would first touch.
    #[default]
    Default,
}

/// A body that was stopped on its way, by [`Continuous::Default`] or at the end of the pieces of [`Continuous::Adaptive`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Stop {
    /// The body.
    pub body: BodyId,
    /// What it would have passed through, or into.
    pub other: BodyId,
    /// When, as a share of the step.
    pub time: f32,
    /// Where they come near each other.
    pub point: DVec3,
    /// From the body to the other.
    pub normal: Vec3,
}

/// A way of more than this share of half the thickness is fast.
const FAST: f32 = 0.9;
/// What is left of a way is not cut off if it is shorter than this share of half the thickness.
const REST: f32 = 0.25;
/// Bodies are stopped with a gap of this share of their margin.
const GAP: f32 = 0.05;
/// A body that turns by more than this in a step is taken to turn as its angular velocity says, not by the shorter way.
const LONG_TURN: f32 = 2.0;
/// The balls inside of a body that touches already, as shares of half its thickness.
const INNER: [f32; 5] = [0.5, 0.12, 0.03, 0.007, 0.0];
/// How often fast bodies that were stopped are asked for again.
const ROUNDS: usize = 8;
/// A body that is not fast.
const NOT_FAST: u32 = u32::MAX;
/// In a step cut at impacts no piece is shorter than this share.
pub(super) const LEAST_PIECE: f32 = 1.0 / 64.0;

/// Where a body was when the step began.
#[derive(Debug, Clone, Copy)]
struct Start {
    center: DVec3,
    rotation: Quat,
}

/// A fast body.
#[derive(Debug, Clone, Copy)]
struct Fast {
    dense: u32,
    /// Half the least width of its shapes.
    half_thickness: f32,
    /// How its centre moves.
    shift: Vec3,
    /// How long its way is at the most, turning included, and how much of it is by turning.
    way: f32,
    turning: f32,
    /// Around its whole way.
    bounds: Aabb,
    /// The share of the step after which it stands.
    until: f64,
    stopped_by: Option<(u32, Impact)>,
}

impl Fast {
    /// Whether it may come to the other side of something slower within the step, or deep inside if that is thicker. What
    /// cannot be moved stops it in any case.
    fn can_pass(&self, other: &Collider, bodies: &Bodies, starts: &[Start]) -> bool {
        let dense = other.body as usize;
        if bodies.natures[dense].kind != BodyKind::Dynamic {
            return true;
        }
        let shift = (bodies.motions()[dense].center - starts[dense].center).as_vec3();
        (self.shift - shift).length() + self.turning
            > FAST * (self.half_thickness + self.half_thickness.min(other.half_thickness))
    }
}

/// Two colliders of which the first belongs to a fast body.
#[derive(Debug, Clone, Copy)]
struct Meet {
    slots: [u32; 2],
    fast: u32,
    /// If the second belongs to a fast body, too.
    other_fast: Option<u32>,
}

/// The stage's buffers; kept to spare allocations.
#[derive(Debug, Default)]
pub(super) struct Sweeps {
    starts: Vec<Start>,
    fast: Vec<Fast>,
    /// Of each body its place among the fast ones, or none.
    place_of: Vec<u32>,
    meets: Vec<Meet>,
    found: Vec<u32>,
    by_side: Vec<u32>,
    stopped: Vec<(u32, Pose)>,
    /// What the user's forces and torques are in a step of several pieces.
    forces: Vec<[Vec3; 2]>,
}

impl Sweeps {
    /// Remembers where all bodies are before the response moves them.
    pub(super) fn note_starts(&mut self, bodies: &Bodies) {
        self.starts.clear();
        let starts = bodies.motions().iter().map(|motion| Start { center: motion.center, rotation: motion.rotation });
        self.starts.extend(starts);
    }

    /// Remembers the user's forces of a step, which the first of its pieces uses up.
    pub(super) fn note_forces(&mut self, bodies: &Bodies) {
        self.forces.clear();
        self.forces.extend(bodies.motions().iter().map(|motion| [motion.force, motion.torque]));
    }

    /// Lets them act on the next piece.
    pub(super) fn apply_forces(&self, bodies: &mut Bodies) {
        for (motion, [force, torque]) in bodies.motions.iter_mut().zip(&self.forces) {
            (motion.force, motion.torque) = (*force, *torque);
        }
    }

    /// Stops what would pass through something. The colliders are still where the step began.
    pub(super) fn catch(
        &mut self,
        bodies: &mut Bodies,
        broad: &dyn BroadPhase,
        filter: &PairFilter,
        dt: f32,
        stops: &mut Vec<Stop>,
    ) {
        let farthest_slow = self.find_fast(bodies, dt, FAST);
        if self.fast.is_empty() {
            return;
        }
        self.find_meets(bodies, broad, filter, (FAST, farthest_slow));
        self.find_stops(bodies, dt);
        self.stop(bodies, dt, stops);
    }

    /// The share of the coming step after which two bodies first meet, if all fly freely; 1 if none do.
    pub(super) fn first_impact(
        &mut self,
        bodies: &mut Bodies,
        broad: &dyn BroadPhase,
        filter: &PairFilter,
        gravity: Vec3,
        dt: f32,
    ) -> f32 {
        self.note_starts(bodies);
        // For the question only: where they would be.
        for dense in 0..bodies.len() {
            if moves(bodies, dense) {
                let fall = gravity * bodies.gravity_scale(dense as u32) * dt;
                let motion = &mut bodies.motions[dense];
                motion.center += ((motion.velocity + fall) * dt).as_dvec3();
                motion.rotation = turned(motion.rotation, motion.angular_velocity * dt);
            }
        }
        let farthest_slow = self.find_fast(bodies, dt, 0.0);
        self.find_meets(bodies, broad, filter, (0.0, farthest_slow));
        let mut first: f64 = 1.0;
        for meet in &self.meets {
            let found = self.time_of(meet, bodies, dt, first);
            first = found.map_or(first, |impact| impact.time.min(first));
        }
        for (motion, start) in bodies.motions.iter_mut().zip(&self.starts) {
            (motion.center, motion.rotation) = (start.center, start.rotation);
        }
        first as f32
    }

    /// Lists the fast bodies; returns the longest way of any other. With a share of 0 all that move are fast.
    fn find_fast(&mut self, bodies: &Bodies, dt: f32, share: f32) -> f32 {
        let Self { fast, place_of, .. } = self;
        fast.clear();
        place_of.clear();
        place_of.resize(bodies.len(), NOT_FAST);
        let mut farthest_slow: f32 = 0.0;
        for (dense, start) in self.starts.iter().enumerate() {
            if !moves(bodies, dense) {
                continue;
            }
            let (nature, motion) = (&bodies.natures[dense], &bodies.motions[dense]);
            let extent = nature.extent + nature.center_of_mass.length();
            let shift = (motion.center - start.center).as_vec3();
            let turning = (motion.angular_velocity.length() * dt).min(LONG_TURN) * extent;
            let way = shift.length() + turning;
            if !way.is_finite() {
                continue;
            }
            let colliders = || nature.colliders.iter().filter_map(|slot| bodies.collider(*slot));
            let solid = colliders().filter(|collider| !collider.is_sensor);
            let half_thickness = solid.map(|collider| collider.half_thickness).fold(f32::INFINITY, f32::min);
            if way > share * half_thickness && nature.kind == BodyKind::Dynamic && half_thickness.is_finite() {
                let bounds = bounds_of_way(start.center, motion.center, extent);
                place_of[dense] = fast.len() as u32;
                let dense = dense as u32;
                fast.push(Fast { dense, half_thickness, shift, way, turning, bounds, until: 1.0, stopped_by: None });
            } else {
                farthest_slow = farthest_slow.max(way);
            }
        }
        farthest_slow
    }

    /// Lists whom the fast bodies may meet on their way.
    fn find_meets(
        &mut self,
        bodies: &Bodies,
        broad: &dyn BroadPhase,
        filter: &PairFilter,
        (share, farthest_slow): (f32, f32),
    ) {
        let Self { starts, fast, place_of, meets, found, by_side, .. } = self;
        meets.clear();
        let solid = |slot: u32| bodies.collider(slot).is_some_and(|collider| !collider.is_sensor);
        let is_allowed = |a: u32, b: u32| {
            let pair = Pair::new(a, b);
            solid(a) && solid(b) && may_meet(pair, bodies) && filter.allows(pair, bodies)
        };
        for (index, body) in (0u32..).zip(fast.iter()) {
            found.clear();
            broad.overlapping(&body.bounds.enlarged(farthest_slow), &mut |slot| {
                let other = bodies.collider(slot);
                if other.is_some_and(|other| {
                    place_of[other.body as usize] == NOT_FAST && body.can_pass(other, bodies, starts)
                }) {
                    found.push(slot);
                }
            });
            found.sort_unstable();
            for &slot in &bodies.natures[body.dense as usize].colliders {
                let Some(collider) = bodies.collider(slot) else { continue };
                let bounds = way_of(collider, bodies, &starts[body.dense as usize]).enlarged(farthest_slow);
                for &other in found.iter() {
                    let is_near = broad.bounds(other).is_some_and(|other| other.overlaps(&bounds));
                    if is_near && is_allowed(slot, other) {
                        meets.push(Meet { slots: [slot, other], fast: index, other_fast: None });
                    }
                }
            }
        }
        // Fast ones among themselves, by where their ways begin along x. Two that move about as all do cannot pass.
        by_side.clear();
        by_side.extend(0..fast.len() as u32);
        by_side.sort_unstable_by(|&a, &b| {
            let [a, b] = [a, b].map(|index| fast[index as usize].bounds.min.x);
            a.total_cmp(&b)
        });
        let common = fast.iter().map(|body| body.shift).sum::<Vec3>() / fast.len().max(1) as f32;
        let is_odd = |body: &Fast| (body.shift - common).length() + body.turning > share * body.half_thickness;
        for (place, &one) in by_side.iter().enumerate() {
            let body = &fast[one as usize];
            let body_is_odd = is_odd(body);
            for &another in &by_side[place + 1..] {
                let other = &fast[another as usize];
                if other.bounds.min.x > body.bounds.max.x {
                    break;
                }
                if !body.bounds.overlaps(&other.bounds) || !(body_is_odd || is_odd(other)) {
                    continue;
                }
                let way = (body.shift - other.shift).length() + body.turning + other.turning;
                if way <= share * (body.half_thickness + other.half_thickness) {
                    continue;
                }
                // The order of bodies, not of places.
                let (one, another) = (one.min(another), one.max(another));
                let [slots, others] =
                    [one, another].map(|index| &bodies.natures[fast[index as usize].dense as usize].colliders);
                for &slot in slots {
                    for other in others.iter().copied().filter(|other| is_allowed(slot, *other)) {
                        meets.push(Meet { slots: [slot, other], fast: one, other_fast: Some(another) });
                    }
                }
            }
        }
    }

    /// When each fast body has to stop.
    fn find_stops(&mut self, bodies: &Bodies, dt: f32) {
        for index in 0..self.meets.len() {
            let meet = self.meets[index];
            let (one, other) = (meet.fast as usize, meet.other_fast.map(|other| other as usize));
            // Of two fast ones each stops at this time or before.
            let latest = other.map_or(0.0, |other| self.fast[other].until).max(self.fast[one].until);
            let Some(impact) = self.time_of(&meet, bodies, dt, latest) else { continue };
            self.note_stop(one, meet.slots[1], impact);
            if let Some(other) = other {
                let impact = Impact { on_a: impact.on_b, on_b: impact.on_a, normal: -impact.normal, ..impact };
                self.note_stop(other, meet.slots[0], impact);
            }
        }
        // Where one fast body has stopped early, another may come later.
        for _ in 0..ROUNDS {
            let mut is_settled = true;
            for index in 0..self.meets.len() {
                let meet = self.meets[index];
                let Some(other) = meet.other_fast else { continue };
                let (one, other) = (meet.fast as usize, other as usize);
                let [until_one, until_other] = [one, other].map(|index| self.fast[index].until);
                if until_one == until_other {
                    continue;
                }
                let (moving, standing) = if until_one > until_other { (one, other) } else { (other, one) };
                let slots = if moving == one { meet.slots } else { [meet.slots[1], meet.slots[0]] };
                if let Some(impact) = self.time_of_standing(slots, (moving, standing), bodies, dt) {
                    self.note_stop(moving, slots[1], impact);
                    is_settled = false;
                }
            }
            if is_settled {
                break;
            }
        }
    }

    /// A body stops, unless it has before or has come almost as far as it would.
    fn note_stop(&mut self, fast: usize, other: u32, impact: Impact) {
        let fast = &mut self.fast[fast];
        let rest = (1.0 - impact.time as f32) * fast.way;
        if impact.time < fast.until && rest > REST * fast.half_thickness {
            fast.until = impact.time;
            fast.stopped_by = Some((other, impact));
        }
    }

    /// When the two of a pair first come near each other, before a time; none if not, or if the contacts see to it.
    fn time_of(&self, meet: &Meet, bodies: &Bodies, dt: f32, most_time: f64) -> Option<Impact> {
        let [a, b] = meet.slots.map(|slot| bodies.collider(slot));
        let (a, b) = (a?, b?);
        let [sweep_a, sweep_b] = [a, b].map(|collider| self.sweep_of(collider, bodies, dt));
        let options = options(a, b, most_time);
        match time_of_impact(&a.shape, &sweep_a, &b.shape, &sweep_b, &options).ok()? {
            Outcome::Free => None,
            Outcome::Hit(impact) | Outcome::Early(impact) => Some(impact),
            Outcome::AtStart(_) => {
                let inner = self.fast[meet.fast as usize].half_thickness;
                let first = self.time_of_inner(a, inner, (b, &sweep_b), bodies, most_time);
                let second = meet.other_fast.and_then(|other| {
                    let inner = self.fast[other as usize].half_thickness;
                    let impact = self.time_of_inner(b, inner, (a, &sweep_a), bodies, most_time)?;
                    Some(Impact { on_a: impact.on_b, on_b: impact.on_a, normal: -impact.normal, ..impact })
                });
                match (first, second) {
                    (Some(first), Some(second)) => Some(if second.time < first.time { second } else { first }),
                    (first, second) => first.or(second),
                }
            }
        }
    }

    /// When the body has to stop lest a ball around its centre comes to another collider. If that is there already a smaller one is taken, and in
    /// the end the centre alone: as long as that is on its own side, it stays there.
    fn time_of_inner(
        &self,
        collider: &Collider,
        half_thickness: f32,
        (other, sweep): (&Collider, &Sweep),
        bodies: &Bodies,
        most_time: f64,
    ) -> Option<Impact> {
        let start = self.starts[collider.body as usize].center;
        let way = bodies.motions()[collider.body as usize].center - start;
        let options = Options { gap: 0.0, ..options(collider, other, most_time) };
        for share in INNER {
            let radius = share * half_thickness;
            let ball = if radius > 0.0 { Shape::sphere(radius).ok()? } else { Shape::point() };
            let options = Options { tolerance: options.tolerance.min(0.1 * f64::from(radius)), ..options };
            match time_of_impact(&ball, &Sweep::of(Pose::at(start), way), &other.shape, sweep, &options).ok()? {
                Outcome::Hit(impact) | Outcome::Early(impact) => {
                    // Not only the centre is to stay on its side: what is long must not be run through.
                    let nature = &bodies.natures[collider.body as usize];
                    let extent = f64::from(nature.extent + nature.center_of_mass.length());
                    let time = (impact.time - extent / way.length()).max(0.0);
                    return Some(Impact { time, ..impact });
                }
                Outcome::Free => return None,
                Outcome::AtStart(_) => {}
            }
        }
        None
    }

    /// When a fast body that goes on comes to one that has stopped.
    fn time_of_standing(
        &self,
        slots: [u32; 2],
        (moving, standing): (usize, usize),
        bodies: &Bodies,
        dt: f32,
    ) -> Option<Impact> {
        let [a, b] = slots.map(|slot| bodies.collider(slot));
        let (a, b) = (a?, b?);
        let since = self.fast[standing].until;
        let sweep_a = self.sweep_of(a, bodies, dt).after(since);
        let sweep_b = Sweep::at(self.sweep_of(b, bodies, dt).pose_at(since));
        let options = options(a, b, self.fast[moving].until - since);
        match time_of_impact(&a.shape, &sweep_a, &b.shape, &sweep_b, &options).ok()? {
            Outcome::Hit(impact) | Outcome::Early(impact) => Some(Impact { time: since + impact.time, ..impact }),
            Outcome::Free | Outcome::AtStart(_) => None,
        }
    }

    /// How a collider moves in the step, whose length is 1.
    fn sweep_of(&self, collider: &Collider, bodies: &Bodies, dt: f32) -> Sweep {
        let dense = collider.body as usize;
        if !moves(bodies, dense) {
            return Sweep::at(collider.pose);
        }
        let sweep = self.sweep_of_body(dense, bodies, dt);
        let center = self.starts[dense].center - collider.pose.position;
        Sweep { start: collider.pose, center: rotation_of(collider.pose.rotation).conjugate() * center, ..sweep }
    }

    /// How a body moves in the step, whose length is 1.
    fn sweep_of_body(&self, dense: usize, bodies: &Bodies, dt: f32) -> Sweep {
        let (start, motion) = (&self.starts[dense], bodies.motions()[dense]);
        let center = bodies.natures[dense].center_of_mass.as_dvec3();
        let position = start.center - rotation_of(start.rotation) * center;
        let from = Pose { position, rotation: start.rotation };
        let turn = motion.angular_velocity * dt;
        if turn.length_squared() > LONG_TURN * LONG_TURN {
            Sweep::of(from, motion.center - start.center).turning(turn.as_dvec3()).about(center)
        } else {
            Sweep::between(from, bodies.pose(dense as u32), center)
        }
    }

    /// Puts the bodies where they stop. What stopped them, if it goes on, takes them along.
    fn stop(&mut self, bodies: &mut Bodies, dt: f32, stops: &mut Vec<Stop>) {
        self.stopped.clear();
        for fast in &self.fast {
            let Some((other, impact)) = fast.stopped_by else { continue };
            let Some(other) = bodies.collider(other).map(|collider| collider.body) else { continue };
            let time = fast.until;
            let mut pose = self.sweep_of_body(fast.dense as usize, bodies, dt).pose_at(time);
            if moves(bodies, other as usize) && self.place_of[other as usize] == NOT_FAST {
                let sweep = self.sweep_of_body(other as usize, bodies, dt);
                let carried = Pose::b_in_a(&sweep.pose_at(time), &pose);
                pose = bodies.pose(other).compose(&carried);
            }
            self.stopped.push((fast.dense, pose));
            let [body, other] = [fast.dense, other].map(|dense| bodies.natures[dense as usize].id);
            stops.push(Stop { body, other, time: time as f32, point: impact.on_b, normal: impact.normal });
        }
        // When all are known: a way depends on where the colliders were.
        for &(dense, pose) in &self.stopped {
            bodies.set_pose(dense as usize, pose);
        }
    }
}

fn options(a: &Collider, b: &Collider, most_time: f64) -> Options {
    let gap = f64::from(GAP * a.margin.min(b.margin));
    Options { most_time, gap, tolerance: 0.25 * gap, iterations: 48 }
}

/// Whether a body takes part and may move.
fn moves(bodies: &Bodies, dense: usize) -> bool {
    let nature = &bodies.natures[dense];
    nature.kind != BodyKind::Fixed && !nature.is_left_out() && !bodies.rests[dense].is_asleep()
}

/// A box around all that a body reaches on its way.
fn bounds_of_way(from: DVec3, to: DVec3, extent: f32) -> Aabb {
    let extent = DVec3::splat(f64::from(extent));
    Aabb::rounded_outward(from.min(to) - extent, from.max(to) + extent)
}

/// A box around a collider's way: around both ends, and what turning adds between them.
fn way_of(collider: &Collider, bodies: &Bodies, start: &Start) -> Aabb {
    let motion = &bodies.motions()[collider.body as usize];
    let nature = &bodies.natures[collider.body as usize];
    let extent = nature.extent + nature.center_of_mass.length();
    let around = bounds_of_way(start.center, motion.center, extent);
    let cosine = start.rotation.dot(motion.rotation).abs();
    if cosine < 0.9 {
        return around;
    }
    let end = bodies.pose(collider.body).compose(&collider.pose_in_body);
    let [first, last] = [collider.pose, end].map(|pose| Aabb::around_shape_at(&collider.shape, &pose));
    // An arc of angle a rises above its chord by r (1 - cos a/2), and `cosine` is that of a/2.
    first.merged(&last).enlarged(extent * (1.0 - cosine) * 1.01 + 1e-6 * extent)
}

fn rotation_of(rotation: Quat) -> DQuat {
    rotation.as_dquat().normalize()
}

/// A rotation turned on by an angle around an axis of the world.
fn turned(rotation: Quat, turn: Vec3) -> Quat {
    let sweep = Sweep::at(Pose { position: DVec3::ZERO, rotation }).turning(turn.as_dvec3());
    sweep.pose_at(1.0).rotation
}
