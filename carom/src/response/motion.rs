//! R9: how bodies move between contacts.
//!
//! Velocities take forces first and move the bodies afterwards (semi-implicit Euler), so a body at rest under its
//! contacts does not creep. Rotation keeps the angular momentum `L = I·ω` and moves by the angular velocity of the
//! half-turned body (explicit midpoint): `ω = R·I⁻¹·Rᵀ·L`. The gyroscopic term is thus exact in the momentum and of
//! second order in the energy; a freely spinning body neither speeds up nor slows down.
//! Source: Buss 2000, Accurate and efficient simulation of rigid-body rotations, doi 10.1006/jcph.2000.6602, of which
//! this is the second-order augmented-free form.

use super::Setting;
use crate::body::{Bodies, BodyKind};
use glam::{Quat, Vec3};

/// Gravity, the user's forces and damping change the velocities.
pub(super) fn apply_forces(bodies: &mut Bodies, setting: &Setting) {
    let dt = setting.dt;
    for (nature, motion) in bodies.natures.iter().zip(&mut bodies.motions) {
        if motion.is_movable() && !nature.set_aside {
            let acceleration = setting.gravity * nature.gravity_scale + motion.force * motion.inverse_mass;
            motion.velocity += acceleration * dt;
            motion.angular_velocity += motion.inverse_inertia * motion.torque * dt;
            // The implicit form of dv/dt = -c·v: stable for any rate.
            motion.velocity /= 1.0 + dt * nature.linear_damping;
            motion.angular_velocity /= 1.0 + dt * nature.angular_damping;
        }
        motion.force = Vec3::ZERO;
        motion.torque = Vec3::ZERO;
    }
}

/// Velocities move the bodies.
pub(super) fn advance(bodies: &mut Bodies, dt: f32) {
    for dense in 0..bodies.len() {
        let nature = &bodies.natures[dense];
        if nature.kind == BodyKind::Fixed || nature.set_aside {
            continue;
        }
        let motion = &mut bodies.motions[dense];
        motion.center += motion.velocity.as_dvec3() * f64::from(dt);
        let spin = motion.angular_velocity;
        if spin == Vec3::ZERO {
            continue;
        }
        if nature.kind == BodyKind::Kinematic {
            motion.rotation = turned_by(motion.rotation, spin * dt);
            continue;
        }
        // In the body's frame a product with R·I·Rᵀ is cheap: turn the vector in, scale, turn it out.
        let momentum = motion.rotation * (nature.inertia * (motion.rotation.conjugate() * spin));
        let spin_of = |rotation: Quat| rotation * (nature.inverse_inertia * (rotation.conjugate() * momentum));
        let half_way = turned_by(motion.rotation, spin * (0.5 * dt));
        motion.rotation = turned_by(motion.rotation, spin_of(half_way) * dt);
        motion.angular_velocity = spin_of(motion.rotation);
        bodies.turn_inertia(dense);
    }
}

/// `rotation` turned further by a rotation vector (axis times angle, in the world).
fn turned_by(rotation: Quat, turn: Vec3) -> Quat {
    let angle = turn.length();
    // sin(x/2)/x, by its series where the quotient would lose digits.
    let (sine_share, cosine) = if angle < 1e-3 {
        (0.5 - angle * angle / 48.0, 1.0 - angle * angle / 8.0)
    } else {
        (libm::sinf(0.5 * angle) / angle, libm::cosf(0.5 * angle))
    };
    let axis = turn * sine_share;
    (Quat::from_xyzw(axis.x, axis.y, axis.z, cosine) * rotation).normalize()
}
