//! Seeded random numbers, vectors, directions and rotations.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use fastrand::Rng;
use glam::{DVec3, Quat, Vec3};
use std::f32::consts::{FRAC_PI_2, TAU};

pub fn between(random: &mut Rng, least: f32, greatest: f32) -> f32 {
    least + random.f32() * (greatest - least)
}

/// A vector whose components are at most `reach`.
pub fn vector(random: &mut Rng, reach: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| between(random, -reach, reach)))
}

/// A vector whose components are at most 1, with all digits of f64.
pub fn cube(random: &mut Rng) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| random.f64() * 2.0 - 1.0))
}

/// A unit vector, all directions alike.
pub fn direction(random: &mut Rng) -> DVec3 {
    loop {
        let inside = cube(random);
        if (0.01..1.0).contains(&inside.length_squared()) {
            return inside.normalize();
        }
    }
}

pub fn rotation(random: &mut Rng) -> Quat {
    let [x, y, z, w] = std::array::from_fn(|_| between(random, -1.0, 1.0));
    Quat::from_xyzw(x, y, z, w + 1e-3).normalize()
}

/// A rotation that leaves faces and edges parallel, or next to parallel, in half of the cases.
pub fn rotation_often_aligned(random: &mut Rng) -> Quat {
    match random.u32(0..8) {
        0 | 1 => Quat::IDENTITY,
        2 => Quat::from_rotation_y(FRAC_PI_2 * random.u32(0..4) as f32),
        3 => Quat::from_axis_angle(direction(random).as_vec3().normalize(), 1e-7),
        _ => Quat::from_axis_angle(direction(random).as_vec3().normalize(), random.f32() * TAU),
    }
}
