//! R9: how bodies move between contacts.
//!
//! Velocities take forces first and move the bodies afterwards (semi-implicit Euler), so a body at rest under its
//! contacts does not creep. Rotation is the implicit midpoint rule in the body's frame: with momentum M = I·ω and its
//! mean over the step M̄, it solves M̄ = M₀ + h·M̄×(I⁻¹·M̄) and turns the body by the unit quaternion along (1, h·ω̄).
//! That is the Cayley transform, under which |M|, the energy and the momentum in the world all stay, for any h: the
//! gyroscopic term neither speeds a spinning body up nor slows it down. h = tan(|ω|·dt/2)/|ω| makes the angle exact
//! for a constant axis. Newton's method, at most four rounds, none when the axis is constant. Beyond 2.4 rad a step the
//! axis is held. Of bodies that are touched and turn slowly the gyroscopic term is not solved for: its midpoint is off by the
//! fourth power of the angle, and what rubs or rests does not keep its energy anyway. Source: Simo, Wong 1991, Unconditionally stable algorithms for rigid body dynamics,
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
    let square = 0.25 * turn.length_squared();
    if square > 0.0 {
        // sin(x)/x and cos(x) of half the angle. Most turns are so small that a few terms give all digits.
        let (sine_share, cosine) = if square < SMALL_HALF_ANGLE * SMALL_HALF_ANGLE {
            (1.0 - square * (1.0 / 6.0 - square / 120.0), 1.0 - square * (0.5 - square / 24.0))
        } else {
            let half_angle = square.sqrt();
            (libm::sinf(half_angle) / half_angle, libm::cosf(half_angle))
        };
        let axis = turn * (0.5 * sine_share);
        motion.rotation = (Quat::from_xyzw(axis.x, axis.y, axis.z, cosine) * motion.rotation).normalize();
        nature.turn_inertia(motion);
    }
}

/// Up to this half of an angle, in radians, the first terms of sine and cosine have all digits of f32.
const SMALL_HALF_ANGLE: f32 = 0.1;

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
    nature.limit(motion);
    // The mean of both velocities: under a constant force the way is a parabola, whatever the step.
    motion.center += (0.5 * (before + motion.velocity)).as_dvec3() * f64::from(dt);
    turn(nature, motion, dt);
    None
}

/// What the gyroscopic term adds to the angular velocity of what is touched in a step. If it turns by a small angle, by the
/// midpoint of the change and of the turn; of what spins fast as if nothing held it, which is stable.
pub(super) fn gyration(nature: &Nature, motion: &Motion, dt: f32) -> Vec3 {
    let angular_velocity = motion.angular_velocity;
    if nature.is_round || angular_velocity == Vec3::ZERO {
        return Vec3::ZERO;
    }
    if angular_velocity.length_squared() * dt * dt < SMALL_ANGLE * SMALL_ANGLE {
        let spin = motion.rotation.conjugate() * angular_velocity;
        let change_at = |spin: Vec3| nature.inverse_inertia * (nature.inertia * spin).cross(spin) * dt;
        let change = change_at(spin + 0.5 * change_at(spin));
        return motion.rotation * (change + (0.5 * dt) * spin.cross(change));
    }
    let mut turned = *motion;
    turn(nature, &mut turned, dt);
    turned.angular_velocity - motion.angular_velocity
}

/// Whether a body turns so fast that what is as at the start of a step, its inertia above all, is not as at its end.
pub(super) fn spins_fast(nature: &Nature, motion: &Motion, dt: f32) -> bool {
    motion.angular_velocity.length_squared() * dt * dt >= SMALL_ANGLE * SMALL_ANGLE && !nature.is_round
}

/// Turns a body that spins fast and was pushed at: as if nothing touched it, and then on by the turn that contacts have added.
/// Its momentum is what it was and what they have given to it, which its spin follows; but where it is turned by then that must not
/// be more energy than there was as they gave it.
pub(super) fn turn_pushed(nature: &Nature, motion: &mut Motion, setting: &Setting, turn_added: Vec3, spins: [Vec3; 2]) {
    let twice_energy = |spin: Vec3| spin.dot(nature.angular_momentum(motion.rotation, spin));
    let [free, pushed] = spins;
    let given = nature.angular_momentum(motion.rotation, pushed - free);
    let energy = (twice_energy(motion.angular_velocity) + twice_energy(pushed) - twice_energy(free)).max(0.0);
    let [_, spin] = acceleration(nature, motion, setting);
    motion.angular_velocity =
        (motion.angular_velocity + spin * setting.dt) / (1.0 + setting.dt * nature.angular_damping);
    turn(nature, motion, setting.dt);
    let momentum = nature.angular_momentum(motion.rotation, motion.angular_velocity) + given;
    rotate(nature, motion, turn_added);
    let spin = motion.inverse_inertia * momentum;
    let energy_now = spin.dot(momentum);
    let share = if energy_now > energy { (energy / energy_now).sqrt() } else { 1.0 };
    motion.angular_velocity = share * spin;
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

/// Up to this angle per step, in radians, the gyroscopic term of what is touched is not solved for.
const SMALL_ANGLE: f32 = 0.15;

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

#[cfg(test)]
mod tests {
    use super::{SMALL_ANGLE, SMALL_HALF_ANGLE, gyration, rotate, turn, turn_by};
    use crate::body::{Bodies, Body};
    use crate::shape::Shape;
    use glam::{Quat, Vec3};

    /// A box of random sides that is turned at random and spins by up to an angle in a step of 1 s.
    fn spinning_box(random: &mut fastrand::Rng, angle: f32) -> Result<Bodies, Box<dyn std::error::Error>> {
        let mut vector = |size: f32| Vec3::from_array([(); 3].map(|()| size * (2.0 * random.f32() - 1.0)));
        let half = vector(1.0).abs() + Vec3::splat(0.01);
        let spin = vector(1.0).normalize_or(Vec3::X) * angle;
        let rotation = Quat::from_scaled_axis(vector(3.0));
        let mut bodies = Bodies::default();
        bodies.add(
            Body::dynamic().rotated(rotation).angular_velocity(spin).shape(Shape::cuboid(half.x, half.y, half.z)?),
        )?;
        Ok(bodies)
    }

    #[test]
    fn the_midpoint_of_the_gyroscopic_change_is_near_the_solved_one() -> Result<(), Box<dyn std::error::Error>> {
        let mut random = fastrand::Rng::with_seed(3);
        let mut largest = 0.0f32;
        for _ in 0..3000 {
            let angle = SMALL_ANGLE * 0.999 * random.f32();
            let bodies = spinning_box(&mut random, angle)?;
            let (nature, motion) = (&bodies.natures[0], bodies.motions()[0]);
            let mut solved = motion;
            turn(nature, &mut solved, 1.0);
            let expected = solved.angular_velocity - motion.angular_velocity;
            let found = gyration(nature, &motion, 1.0);
            largest = largest.max(expected.length() / angle.max(1e-6));
            // The change is up to the square of the angle; this is of the fourth order, and rounding.
            let error = (found - expected).length();
            assert!(error <= angle.powi(4) + 1e-6 * angle, "{angle}: {found} for {expected}");
        }
        assert!(largest > 0.05, "nothing is gyrating: {largest}");
        Ok(())
    }

    #[test]
    fn small_and_large_turns_are_those_of_sine_and_cosine() -> Result<(), Box<dyn std::error::Error>> {
        let mut random = fastrand::Rng::with_seed(4);
        for _ in 0..3000 {
            let angle = 4.0 * SMALL_HALF_ANGLE * random.f32();
            let bodies = spinning_box(&mut random, angle)?;
            let (nature, mut motion) = (&bodies.natures[0], bodies.motions()[0]);
            let way = motion.angular_velocity;
            let expected = (turn_by(way.as_dvec3(), 1.0) * motion.rotation.as_dquat()).normalize();
            rotate(nature, &mut motion, way);
            let off = motion.rotation.as_dquat() * expected.conjugate();
            assert!(off.xyz().length() < 3e-7, "{way}: off by {off}");
        }
        Ok(())
    }
}
