//! R9: how bodies move between contacts.
//!
//! Velocities take forces first and move the bodies afterwards (semi-implicit Euler), so a body at rest under its
//! contacts does not creep. Rotation is the implicit midpoint rule in the body's frame: with momentum M = I·ω and its
//! mean over the step M̄, it solves M̄ = M₀ + h·M̄×(I⁻¹·M̄) and turns the body by the unit quaternion along (1, h·ω̄).
//! That is the Cayley transform, under which |M|, the energy and the momentum in the world all stay, for any h: the
//! gyroscopic term neither speeds a spinning body up nor slows it down. h = tan(|ω|·dt/2)/|ω| makes the angle exact
//! for a constant axis. Newton's method, at most four rounds, none when the axis is constant. Beyond 2.4 rad a step the
//! axis is held. Source: Simo, Wong 1991, Unconditionally stable algorithms for rigid body dynamics,
//! doi 10.1002/nme.1620310103; the tangent in h is ours.

use super::{FaultCause, FaultStage, Setting};
use crate::body::{Bodies, BodyKind, Motion, Nature};
use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

/// Gravity, the user's forces and damping change the velocities.
pub(super) fn apply_forces(bodies: &mut Bodies, setting: &Setting) {
    let dt = setting.dt;
    let Bodies { natures, motions, rests, .. } = bodies;
    for ((nature, motion), rest) in natures.iter().zip(motions).zip(rests) {
        if motion.is_movable() && !nature.is_left_out() && !rest.is_asleep() {
            let [push, spin] = acceleration(nature, motion, setting);
            motion.velocity += push * dt;
            motion.angular_velocity += spin * dt;
            // The implicit form of dv/dt = -c·v: stable for any rate.
            motion.velocity *= nature.free_axes() / (1.0 + dt * nature.linear_damping);
            motion.angular_velocity /= 1.0 + dt * nature.angular_damping;
        }
        motion.force = Vec3::ZERO;
        motion.torque = Vec3::ZERO;
    }
}

/// What gravity and the user's forces add to a body's velocities in a second.
pub(super) fn acceleration(nature: &Nature, motion: &Motion, setting: &Setting) -> [Vec3; 2] {
    let push = setting.gravity * nature.gravity_scale + motion.force * motion.inverse_mass;
    [push, motion.inverse_inertia * motion.torque]
}

/// Velocities move the bodies.
pub(super) fn advance(bodies: &mut Bodies, dt: f32) {
    let Bodies { natures, motions, rests, .. } = bodies;
    for ((nature, motion), rest) in natures.iter().zip(motions).zip(rests) {
        if nature.kind == BodyKind::Fixed || nature.is_left_out() || rest.is_asleep() {
            continue;
        }
        nature.limit(motion);
        motion.center += motion.velocity.as_dvec3() * f64::from(dt);
        turn(nature, motion, dt);
    }
}

/// Turns a body by a rotation vector.
pub(super) fn rotate(nature: &Nature, motion: &mut Motion, turn: Vec3) {
    let half_angle = 0.5 * turn.length();
    if half_angle > 0.0 {
        let axis = turn * (0.5 * libm::sinf(half_angle) / half_angle);
        let turn = Quat::from_xyzw(axis.x, axis.y, axis.z, libm::cosf(half_angle));
        motion.rotation = (turn * motion.rotation).normalize();
        nature.turn_inertia(motion);
    }
}

/// Moves a body that nothing touches by a whole step: exactly, as far as forces are constant. Says what went wrong.
pub(super) fn move_freely(nature: &Nature, motion: &mut Motion, setting: &Setting) -> Option<(FaultStage, FaultCause)> {
    let dt = setting.dt;
    if !motion.is_movable() {
        motion.center += motion.velocity.as_dvec3() * f64::from(dt);
        turn(nature, motion, dt);
        return None;
    }
    let before = motion.velocity;
    let [push, spin] = acceleration(nature, motion, setting);
    // The implicit form of dv/dt = -c·v: stable for any rate.
    motion.velocity = (before + push * dt) / (1.0 + dt * nature.linear_damping) * nature.free_axes();
    motion.angular_velocity = (motion.angular_velocity + spin * dt) / (1.0 + dt * nature.angular_damping);
    if let Some(cause) = FaultCause::of_velocities(motion.velocity, motion.angular_velocity) {
        return Some((FaultStage::Forces, cause));
    }
    // The mean of both velocities: under a constant force the way is a parabola, whatever the step.
    motion.center += (0.5 * (before + motion.velocity)).as_dvec3() * f64::from(dt);
    turn(nature, motion, dt);
    None
}

/// What the gyroscopic term adds to the angular velocity in a step.
pub(super) fn gyration(nature: &Nature, motion: &Motion, dt: f32) -> Vec3 {
    if nature.is_round || motion.angular_velocity == Vec3::ZERO {
        return Vec3::ZERO;
    }
    let mut turned = *motion;
    turn(nature, &mut turned, dt);
    turned.angular_velocity - motion.angular_velocity
}

/// Turns a body by its angular velocity for `dt`; the momentum of what nothing holds stays in the world.
fn turn(nature: &Nature, motion: &mut Motion, dt: f32) {
    if motion.angular_velocity == Vec3::ZERO {
        return;
    }
    if !motion.is_movable() || nature.is_turn_locked() {
        let turn = turn_by(motion.angular_velocity.as_dvec3(), f64::from(dt));
        motion.rotation = (turn * motion.rotation.as_dquat()).normalize().as_quat();
        nature.turn_inertia(motion);
        return;
    }
    // In f64: rounding errors of f32 add up while the body turns evenly, to 1e-3 of the spin in 10,000 steps.
    let rotation = motion.rotation.as_dquat().normalize();
    let inverse_inertia = nature.inverse_inertia.as_dmat3();
    let spin = rotation.conjugate() * motion.angular_velocity.as_dvec3();
    let momentum = nature.inertia.as_dmat3() * spin;
    let turn = free_turn(momentum, spin, &inverse_inertia, f64::from(dt));
    let rotation = (rotation * turn).normalize();
    // The momentum stays in the world, so in the body it turns back. Only its change goes through the inverse
    // inertia, which is not quite the inverse of the inertia once both are rounded.
    let change = turn.conjugate() * momentum - momentum;
    motion.angular_velocity = (rotation * (spin + inverse_inertia * change)).as_vec3();
    motion.rotation = rotation.as_quat();
    nature.turn_inertia(motion);
}

/// Half of the largest angle per step, in radians, up to which the gyroscopic term is solved for.
const LARGEST_HALF_ANGLE: f64 = 1.2;

/// How a body free of torque turns in `dt`, in its own frame.
fn free_turn(momentum: DVec3, spin: DVec3, inverse_inertia: &DMat3, dt: f64) -> DQuat {
    let speed = spin.length();
    let half_angle = 0.5 * dt * speed;
    if half_angle > LARGEST_HALF_ANGLE {
        return turn_by(spin, dt);
    }
    // tan(x)/x is 1 to the last digit where the quotient would lose digits.
    let half_step = if half_angle < 1e-4 { 0.5 * dt } else { libm::tan(half_angle) / speed };
    let mut mean = momentum;
    let mut mean_spin = spin;
    for _ in 0..4 {
        let residual = mean - momentum - half_step * mean.cross(mean_spin);
        if residual.length_squared() <= 1e-24 * momentum.length_squared() {
            break;
        }
        let slope = DMat3::IDENTITY - (cross_matrix(mean) * *inverse_inertia - cross_matrix(mean_spin)) * half_step;
        let better = mean - slope.inverse() * residual;
        // The momentum keeps its length, so its mean cannot be longer: anything else is Newton gone astray.
        let sound = better.length_squared() <= 1.01 * momentum.length_squared();
        if !sound {
            break;
        }
        mean = better;
        mean_spin = *inverse_inertia * mean;
    }
    let axis = mean_spin * half_step;
    DQuat::from_xyzw(axis.x, axis.y, axis.z, 1.0).normalize()
}

/// The matrix whose product with `b` is `a × b`.
fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

/// The turn at a constant angular velocity for `dt`.
fn turn_by(spin: DVec3, dt: f64) -> DQuat {
    let speed = spin.length();
    let half_angle = 0.5 * dt * speed;
    let axis = if speed > 0.0 { spin * (libm::sin(half_angle) / speed) } else { DVec3::ZERO };
    DQuat::from_xyzw(axis.x, axis.y, axis.z, libm::cos(half_angle))
}
