//! Convex shapes of every kind, and what can be measured of a pair from outside, in f64, by support maps alone.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use crate::random::{between, direction, vector};
use carom::narrow::{LocalContact, LocalManifold, contact};
use carom::prelude::*;
use carom::shape::SupportMap;
use fastrand::Rng;

/// Every kind of bounded convex shape, sharp and rounded.
pub const KINDS: usize = 14;

/// A disc without thickness, across the y axis.
#[derive(Debug)]
struct Coin(f32);

impl SupportMap for Coin {
    fn support(&self, direction: Vec3) -> Vec3 {
        Vec3::new(direction.x, 0.0, direction.z).normalize_or_zero() * self.0
    }
}

pub fn hull(random: &mut Rng, count: usize, size: f32) -> Shape {
    let points: Vec<Vec3> = (0..count).map(|_| direction(random).as_vec3() * size).collect();
    Shape::hull(&points).expect("points on a sphere")
}

/// A shape of the given kind, about `size` in all directions but those that are drawn thin.
pub fn shape(random: &mut Rng, kind: usize, size: f32) -> Shape {
    let mut side = |least: f32| size * between(random, least, 1.0);
    let (x, y, z) = (side(0.1), side(0.1), side(0.1));
    let corners = [(); 3].map(|()| vector(random, size));
    match kind {
        0 => Ok(Shape::point()),
        1 => Shape::segment(corners[0], corners[1]),
        2 => Shape::triangle(corners[0], corners[1], corners[2]),
        3 => Shape::sphere(x),
        4 => Shape::cuboid(x, y, z),
        5 => Shape::cuboid(x, y, z).and_then(|cuboid| cuboid.rounded(0.2 * size)),
        6 => Shape::capsule(x, y),
        7 => Shape::cylinder(x, y),
        8 => Shape::cone(x, y),
        9 => Shape::ellipsoid(x, y, z),
        10 => Ok(hull(random, 24, size)),
        11 => hull(random, 8, size).rounded(0.1 * size),
        12 => Shape::triangle(corners[0], corners[1], corners[2]).and_then(|triangle| triangle.rounded(0.2 * size)),
        13 => Ok(Shape::custom(Coin(x))),
        _ => unreachable!("there are {KINDS} kinds"),
    }
    .expect("sound sizes")
}

/// How far the two reach into each other along a unit direction from `a` to `b`.
pub fn overlap_along(a: &Shape, b: &Shape, b_in_a: &LocalPose, direction: DVec3) -> f64 {
    let reach = |shape: &Shape, along: DVec3| {
        // The supports themselves are f32; what they are measured along is not.
        along.dot(shape.support(along.as_vec3()).expect("a convex shape").as_dvec3())
    };
    let turn = b_in_a.rotation.as_dquat().normalize();
    reach(a, direction) + reach(b, turn.conjugate() * -direction) - direction.dot(b_in_a.position.as_dvec3())
}

/// How far the shape reaches from the origin along the axes, at the most.
pub fn size(shape: &Shape) -> f32 {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    let reach = |axis: Vec3| shape.support(axis).map_or(1.0, |point| point.dot(axis).abs());
    axes.into_iter().flat_map(|axis| [reach(axis), reach(-axis)]).fold(0.0, f32::max)
}

pub fn collide(a: &Shape, b: &Shape, b_in_a: &LocalPose, margin: f32) -> Option<LocalManifold> {
    contact(a, b, b_in_a, margin).expect("every convex pair is answered")
}

pub fn deepest(manifold: &LocalManifold) -> LocalContact {
    *manifold.contacts().iter().max_by(|a, b| a.depth.total_cmp(&b.depth)).expect("a manifold has points")
}

pub fn moved(pose: &LocalPose, by: DVec3) -> LocalPose {
    LocalPose::new((pose.position.as_dvec3() + by).as_vec3(), pose.rotation)
}

/// The direction from `start` in which the overlap is least, by steps that are halved when they do not help.
pub fn refined(a: &Shape, b: &Shape, b_in_a: &LocalPose, start: DVec3, random: &mut Rng) -> (DVec3, f64) {
    let (mut best, mut least, mut step) = (start, overlap_along(a, b, b_in_a, start), 0.2);
    for _ in 0..60 {
        let other = (best + step * direction(random)).normalize();
        let overlap = overlap_along(a, b, b_in_a, other);
        if overlap < least {
            (best, least) = (other, overlap);
        } else {
            step *= 0.88;
        }
    }
    (best, least)
}
