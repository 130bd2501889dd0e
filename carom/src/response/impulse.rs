//! R1, R2, R3: the impulse of one contact, with restitution, friction and resistance to rolling.
//!
//! At a contact with normal n the separating speed is s = (v_b + ω_b × r_b − v_a − ω_a × r_a)·n. An impulse j along n
//! on b and −j on a changes it by j·k, k = 1/m_a + 1/m_b + (r_a × n)ᵀ I_a⁻¹ (r_a × n) + (the same for b). Wanted is
//! e times the closing speed, whence j = (1 + e)·(−s)/k. Contacts that close no faster than some times what this step's
//! forces add, or than the world's threshold, are at rest and get e = 0: in steps, a ball of restitution e never hops
//! lower than a speed of 1/(1 − e) times that.
//! Friction: the impulse across n that stops the sliding if it is within μ·j, else one of μ·j against the sliding, which
//! leaves no direction better off; μ is the static coefficient where nothing slid as the step began. Rolling is resisted the same way by a turn.
//! What several contacts do together is up to those who ask them, each holding its totals; equal and opposite impulses
//! keep the momentum whatever they ask. Sources: Newton's law of impact; Coulomb's of friction; lecture 004.

use super::Setting;
use crate::body::{Bodies, Motion};
use crate::narrow::{Manifold, rolling_radius};
use glam::Vec3;

/// What a contact passed from its first body to its second in a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct ContactImpulse {
    /// Along the manifold's normal; not negative.
    pub(super) normal: f32,
    /// By friction, across the normal, in the axes of the world.
    pub(super) friction: Vec3,
    /// By resistance to rolling, a turn across the normal.
    pub(super) rolling: Vec3,
    /// Whether it has given speed back.
    pub(super) has_rebounded: bool,
}

/// From which speed a contact rebounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rebound {
    /// From that at which it closed at the start, whatever its neighbours do to it.
    FromStart,
    /// From that at which it closes whenever it is asked: impacts pass through a row of bodies.
    EachTime,
}

/// What of a contact does not change while it is solved.
#[derive(Debug, Clone)]
pub(super) struct Constraint {
    pub(super) bodies: [usize; 2],
    pub(super) arms: [Vec3; 2],
    pub(super) normal: Vec3,
    /// Two directions across the normal.
    tangents: [Vec3; 2],
    /// k; 0 of contacts that do nothing.
    response: f32,
    /// What friction along the first tangent and along the second does to the sliding along them, and along the other.
    sliding_response: [f32; 3],
    /// The same for turns around the tangents.
    rolling_response: [f32; 3],
    restitution: f32,
    friction: f32,
    /// How the surface of the second body moves against that of the first, across the normal.
    surface_velocity: Vec3,
    /// The share of the load that resists rolling, times the radius; and the radius.
    rolling_friction: f32,
    rolling_radius: f32,
    /// The closing speed at the start, and up to which one the contact is at rest.
    pub(super) closing: f32,
    resting_speed: f32,
    is_parting: bool,
}

/// The contacts of a manifold, once forces have changed the velocities, which were those in `before`.
pub(super) fn prepare<'a>(
    manifold: &'a Manifold,
    bodies: &'a Bodies,
    before: &'a [Motion],
    setting: &Setting,
) -> impl Iterator<Item = Constraint> + 'a {
    let indices = [manifold.pair.a.body, manifold.pair.b.body];
    let material = &manifold.material;
    let motions = indices.map(|index| &bodies.motions()[index as usize]);
    let motions_before = indices.map(|index| &before[index as usize]);
    // What gravity adds to a speed in this step.
    let scale = indices.map(|index| bodies.gravity_scale(index).abs());
    let fall = setting.gravity.length() * setting.dt * scale[0].max(scale[1]);
    let least_bounce = setting.bounce_threshold;
    let left_out = indices.iter().any(|&index| bodies.is_set_aside(index));
    let normal = manifold.normal;
    let tangents = <[Vec3; 2]>::from(normal.any_orthonormal_pair());
    let inertia = motions[0].inverse_inertia + motions[1].inverse_inertia;
    let rolling_response = both_ways(tangents, |turn| inertia * turn);
    let rolling_radius = if material.rolling_friction > 0.0 { rolling_radius(&manifold.pair, bodies) } else { 0.0 };
    manifold.contacts().iter().map(move |contact| {
        let arms = [contact.arm_a, contact.arm_b];
        let yields = |push: Vec3| yields_to(motions[0], arms[0], push) + yields_to(motions[1], arms[1], push);
        let closing_of = |[a, b]: [&Motion; 2]| (a.velocity_at(arms[0]) - b.velocity_at(arms[1])).dot(normal);
        let closing = closing_of(motions);
        let gain = (closing - closing_of(motions_before)).abs().max(fall);
        Constraint {
            bodies: indices.map(|index| index as usize),
            arms,
            normal,
            tangents,
            response: if left_out { 0.0 } else { yields(normal).dot(normal).max(0.0) },
            sliding_response: both_ways(tangents, yields),
            rolling_response,
            restitution: material.restitution,
            friction: material.friction_when(|| {
                let [a, b] = motions_before;
                let velocity = b.velocity_at(arms[1]) - a.velocity_at(arms[0]) + material.surface_velocity;
                velocity.reject_from_normalized(normal).length()
            }),
            surface_velocity: material.surface_velocity.reject_from_normalized(normal),
            rolling_friction: material.rolling_friction * rolling_radius,
            rolling_radius,
            closing,
            resting_speed: least_bounce.max(gain * (1.2 / (1.0 - material.restitution)).clamp(2.0, 10.0)),
            is_parting: closing < -2.0 * gain,
        }
    })
}

impl Constraint {
    /// Whether it can do anything at all, and is asked to.
    pub(super) fn acts(&self, rebound: Rebound) -> bool {
        // Bodies that part are not in contact: to stop them at 0, should another contact push them together in this
        // step, would do work on them. If they may rebound then, nothing is stopped at 0.
        self.response > 0.0 && !(self.is_parting && rebound == Rebound::FromStart)
    }

    /// Brings the contact to the velocity that is wanted; returns the largest change of relative velocity.
    pub(super) fn resolve(&self, motions: &mut [Motion], impulse: &mut ContactImpulse, rebound: Rebound) -> f32 {
        if !self.acts(rebound) {
            return 0.0;
        }
        let Ok([a, b]) = motions.get_disjoint_mut(self.bodies) else { return 0.0 };
        let Some((total, rebounds)) = self.normal_after(self.velocity(a, b), impulse, rebound) else {
            // Numbers have overflowed. The two bodies are at fault, unless one of them is known to be: those that
            // touch it are not.
            if a.is_finite() && b.is_finite() {
                [a, b].into_iter().filter(|body| body.is_movable()).for_each(|body| body.velocity = Vec3::NAN);
            }
            return 0.0;
        };
        let change = total - impulse.normal;
        impulse.normal = total;
        impulse.has_rebounded |= rebounds;
        self.push(a, b, self.normal * change);
        let normal_change = change.abs() * self.response;

        let friction = self.friction_after(self.velocity(a, b), impulse);
        let change = friction - impulse.friction;
        if !change.is_finite() {
            return normal_change;
        }
        impulse.friction = friction;
        self.push(a, b, change);
        let sliding_change = change.length() * greatest(self.sliding_response);

        let rolling = self.rolling_after(b.angular_velocity - a.angular_velocity, impulse);
        let change = rolling - impulse.rolling;
        if change == Vec3::ZERO || !change.is_finite() {
            return normal_change.max(sliding_change);
        }
        impulse.rolling = rolling;
        self.turn(a, b, change);
        let rolling_change = change.length() * greatest(self.rolling_response) * self.rolling_radius;
        normal_change.max(sliding_change).max(rolling_change)
    }

    /// How far from what is wanted the contact is: its closing speed, or what else would be changed if that is more.
    pub(super) fn violation(&self, motions: &[Motion], impulse: &ContactImpulse, rebound: Rebound) -> f32 {
        let [a, b] = self.bodies.map(|index| &motions[index]);
        let velocity = self.velocity(a, b);
        let Some((total, _)) = self.normal_after(velocity, impulse, rebound) else {
            // Beyond numbers, and first of all, until the fault has been found in one of the two.
            return if a.is_finite() && b.is_finite() { f32::INFINITY } else { 0.0 };
        };
        // A rebound changes more than what closes; the faster impact goes first, whatever its restitution.
        let closing = -velocity.dot(self.normal);
        let normal = if total > impulse.normal { closing } else { (impulse.normal - total) * self.response };
        let friction = self.friction_after(velocity, impulse) - impulse.friction;
        let rolling = self.rolling_after(b.angular_velocity - a.angular_velocity, impulse) - impulse.rolling;
        normal
            .max(friction.length() * greatest(self.sliding_response))
            .max(rolling.length() * greatest(self.rolling_response) * self.rolling_radius)
    }

    /// Lets impulses act that are known from before.
    pub(super) fn warm_start(&self, motions: &mut [Motion], impulse: &ContactImpulse) {
        if let Ok([a, b]) = motions.get_disjoint_mut(self.bodies) {
            self.push(a, b, self.normal * impulse.normal + impulse.friction);
            self.turn(a, b, impulse.rolling);
        }
    }

    /// Of the second body against the first.
    fn velocity(&self, a: &Motion, b: &Motion) -> Vec3 {
        b.velocity_at(self.arms[1]) - a.velocity_at(self.arms[0])
    }

    /// The impulse along the normal in all, and whether by a rebound; none if it is no number.
    fn normal_after(&self, velocity: Vec3, impulse: &ContactImpulse, rebound: Rebound) -> Option<(f32, bool)> {
        let separating = velocity.dot(self.normal);
        let closing = match rebound {
            Rebound::FromStart => self.closing,
            Rebound::EachTime => -separating,
        };
        let rebounds = closing > self.resting_speed && self.restitution > 0.0;
        let target = if rebounds { self.restitution * closing } else { 0.0 };
        // A contact at rest takes back what it pushed too much; a rebound is not taken back.
        let least = if impulse.has_rebounded && rebound == Rebound::EachTime { impulse.normal } else { 0.0 };
        let wanted = (target - separating) / self.response;
        wanted.is_finite().then(|| ((impulse.normal + wanted).max(least), rebounds))
    }

    fn friction_after(&self, velocity: Vec3, impulse: &ContactImpulse) -> Vec3 {
        let sliding = velocity + self.surface_velocity;
        let along = self.tangents.map(|tangent| sliding.dot(tangent));
        self.resisted(along, impulse.friction, self.sliding_response, self.friction * impulse.normal)
    }

    fn rolling_after(&self, spin: Vec3, impulse: &ContactImpulse) -> Vec3 {
        if self.rolling_friction == 0.0 {
            return Vec3::ZERO;
        }
        let around = self.tangents.map(|tangent| spin.dot(tangent));
        self.resisted(around, impulse.rolling, self.rolling_response, self.rolling_friction * impulse.normal)
    }

    /// What stops a speed along the tangents if it is within the limit; else as much as the limit allows, against it.
    fn resisted(&self, speed: [f32; 2], known: Vec3, response: [f32; 3], limit: f32) -> Vec3 {
        let [u, v] = self.tangents;
        let [uu, vv, uv] = response;
        let determinant = uu * vv - uv * uv;
        // No limit at all, as of a product that overflowed, is one as well.
        let is_within = |total: Vec3| total.length_squared() <= limit * limit;
        if determinant > 0.0 {
            let [x, y] = speed.map(|speed| speed / determinant);
            let stopped = known - u * (vv * x - uv * y) - v * (uu * y - uv * x);
            if is_within(stopped) {
                return stopped;
            }
        }
        let most = greatest(response);
        let yields = most > 0.0;
        if yields { (known - (u * speed[0] + v * speed[1]) / most).clamp_length_max(limit) } else { known }
    }

    fn push(&self, a: &mut Motion, b: &mut Motion, impulse: Vec3) {
        strike(a, -impulse, self.arms[0]);
        strike(b, impulse, self.arms[1]);
    }

    fn turn(&self, a: &mut Motion, b: &mut Motion, impulse: Vec3) {
        if a.is_movable() {
            a.angular_velocity -= a.inverse_inertia * impulse;
        }
        if b.is_movable() {
            b.angular_velocity += b.inverse_inertia * impulse;
        }
    }
}

/// The velocity that a push at an arm gives to the point there.
pub(super) fn yields_to(motion: &Motion, arm: Vec3, push: Vec3) -> Vec3 {
    motion.inverse_mass_along * push + (motion.inverse_inertia * arm.cross(push)).cross(arm)
}

fn strike(motion: &mut Motion, impulse: Vec3, arm: Vec3) {
    // Not only for speed: an impulse that overflows, times zero, is NaN.
    if motion.is_movable() {
        motion.velocity += impulse * motion.inverse_mass_along;
        motion.angular_velocity += motion.inverse_inertia * arm.cross(impulse);
    }
}

/// A symmetric map seen along two directions: of the first on itself, of the second, of each on the other.
fn both_ways([u, v]: [Vec3; 2], map: impl Fn(Vec3) -> Vec3) -> [f32; 3] {
    let (of_u, of_v) = (map(u), map(v));
    [u.dot(of_u), v.dot(of_v), v.dot(of_u)]
}

/// The greatest eigenvalue.
fn greatest([uu, vv, uv]: [f32; 3]) -> f32 {
    let half = 0.5 * (uu - vv);
    0.5 * (uu + vv) + (half * half + uv * uv).sqrt()
}
