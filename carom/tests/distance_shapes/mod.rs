//! Random shapes and poses, and their supports from first principles, for the tests of distances and queries.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use crate::random::cube;
use carom::glam::{DQuat, DVec3, Quat, Vec3};
use carom::shape::{Shape, SupportMap};
use fastrand::Rng;

/// A size, all orders of magnitude alike.
fn size_between(random: &mut Rng, low: f32, high: f32) -> f32 {
    (low.ln() + random.f32() * (high.ln() - low.ln())).exp()
}

/// A convex shape of one of all kinds, its sizes within a ratio.
pub fn convex(random: &mut Rng, ratio: f32) -> Shape {
    let low = 1.0 / ratio;
    let size = |random: &mut Rng| size_between(random, low, 1.0);
    let vector = |random: &mut Rng| cube(random).as_vec3();
    let shape = match random.usize(0..14) {
        0 => Ok(Shape::point()),
        1 => Shape::segment(vector(random), vector(random)),
        2 => Shape::triangle(vector(random), vector(random), vector(random)),
        3 => Shape::triangle(vector(random), vector(random), vector(random)).and_then(|it| it.rounded(0.1)),
        4 => Shape::sphere(size(random)),
        5 => Shape::cuboid(size(random), size(random), size(random)),
        6 => Shape::cuboid(size(random), size(random), size(random)).and_then(|it| it.rounded(size(random))),
        7 => Shape::capsule(size(random), size(random)),
        8 => Shape::cylinder(size(random), size(random)),
        9 => Shape::cone(size(random), size(random)),
        10 | 11 => Shape::ellipsoid(size(random), size(random), size(random)),
        12 => Shape::hull(&cloud(random)),
        _ => Shape::hull(&cloud(random)).and_then(|it| it.rounded(size(random))),
    };
    // A random triangle is never flat, but a cloud may be refused.
    shape.unwrap_or_else(|_| Shape::point())
}

pub fn cloud(random: &mut Rng) -> Vec<Vec3> {
    let count = random.usize(4..30);
    (0..count).map(|_| cube(random).as_vec3()).collect()
}

/// The farthest point of a shape along a unit direction, in f64 and from the definition of each shape.
pub fn support(shape: &Shape, along: DVec3) -> DVec3 {
    let most = |points: Vec<Vec3>| {
        points.into_iter().map(|point| point.as_dvec3()).max_by(|p, q| p.dot(along).total_cmp(&q.dot(along))).unwrap()
    };
    let disc = |radius: f32| {
        let flat = DVec3::new(along.x, 0.0, along.z);
        if flat.length() > 0.0 { flat / flat.length() * f64::from(radius) } else { DVec3::ZERO }
    };
    match shape {
        Shape::Point(_) => DVec3::ZERO,
        Shape::Segment(segment) => most(vec![segment.a(), segment.b()]),
        Shape::Triangle(triangle) => most(triangle.core().corners().to_vec()) + along * f64::from(triangle.radius()),
        Shape::Sphere(sphere) => along * f64::from(sphere.radius()),
        Shape::Cuboid(cuboid) => most(cuboid.core().corners().to_vec()) + along * f64::from(cuboid.radius()),
        Shape::Capsule(capsule) => {
            most(vec![capsule.core().a(), capsule.core().b()]) + along * f64::from(capsule.radius())
        }
        Shape::Cylinder(cylinder) => {
            disc(cylinder.radius()) + DVec3::Y * f64::from(cylinder.half_height()) * along.y.signum()
        }
        Shape::Cone(cone) => {
            let apex = DVec3::Y * f64::from(cone.half_height());
            let base = disc(cone.radius()) - apex;
            if apex.dot(along) > base.dot(along) { apex } else { base }
        }
        Shape::Ellipsoid(ellipsoid) => {
            let radii = ellipsoid.radii().as_dvec3();
            radii * radii * along / (radii * along).length()
        }
        Shape::Hull(hull) => most(hull.core().vertices().to_vec()) + along * f64::from(hull.radius()),
        Shape::Custom(custom) => custom.support(along.as_vec3()).as_dvec3(),
        Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => unreachable!(),
    }
}

pub fn turn(rotation: Quat) -> DQuat {
    rotation.as_dquat().normalize()
}

/// How far a shape reaches along a unit direction of the world, from its own place.
pub fn reach(shape: &Shape, rotation: Quat, along: DVec3) -> f64 {
    let local = turn(rotation).conjugate() * along;
    local.dot(support(shape, local))
}

/// The widest gap between parallel planes that have the convex hulls of two point sets on their outer sides: their
/// distance, if it is positive. Every direction gives a lower bound, and the best one is among the normals of all
/// pairs of corners, edges and faces; edges between any two points of a set do no harm.
pub fn separated(a: &[DVec3], b: &[DVec3]) -> f64 {
    let mut best = f64::NEG_INFINITY;
    let mut attempt = |direction: DVec3| {
        let direction = direction.normalize_or_zero();
        if direction == DVec3::ZERO {
            return;
        }
        let span = |points: &[DVec3]| {
            // From a point nearby, so that a place far from the origin costs no digits.
            let along = points.iter().map(|point| direction.dot(*point - a[0]));
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |span, along| (span.0.min(along), span.1.max(along)))
        };
        let (span_a, span_b) = (span(a), span(b));
        best = best.max(span_b.0 - span_a.1).max(span_a.0 - span_b.1);
    };
    let edges = |points: &[DVec3]| -> Vec<[DVec3; 2]> {
        let pairs = (0..points.len()).flat_map(|first| (0..first).map(move |second| [first, second]));
        pairs.map(|pair| pair.map(|index| points[index])).collect()
    };
    let (edges_a, edges_b) = (edges(a), edges(b));
    for (points, others) in [(a, &edges_b), (b, &edges_a)] {
        for point in points {
            for [start, end] in others {
                let (along, offset) = (*end - *start, *point - *start);
                attempt(offset - along * (offset.dot(along) / along.length_squared()));
            }
        }
    }
    for point in a {
        b.iter().for_each(|other| attempt(*other - *point));
    }
    for (edges_one, edges_other) in [(&edges_a, &edges_b), (&edges_a, &edges_a), (&edges_b, &edges_b)] {
        for [start, end] in edges_one {
            edges_other.iter().for_each(|[other_start, other_end]| {
                attempt((*end - *start).cross(*other_end - *other_start));
            });
        }
    }
    best
}

/// Where a function that falls and then rises is least in an interval, and that value.
pub fn golden(function: impl Fn(f64) -> f64, mut low: f64, mut high: f64, steps: usize) -> (f64, f64) {
    let ratio = 0.618_033_988_749_895;
    let valued = |place: f64| (place, function(place));
    let lesser = |a: (f64, f64), b: (f64, f64)| if b.1 < a.1 { b } else { a };
    let mut least = lesser(valued(low), valued(high));
    let (mut left, mut right) = (valued(high - ratio * (high - low)), valued(low + ratio * (high - low)));
    for _ in 0..steps {
        least = lesser(least, lesser(left, right));
        if left.1 < right.1 {
            (high, right) = (right.0, left);
            left = valued(high - ratio * (high - low));
        } else {
            (low, left) = (left.0, right);
            right = valued(low + ratio * (high - low));
        }
    }
    lesser(least, lesser(left, right))
}

/// A shape that only tells its supports in f32.
#[derive(Debug)]
pub struct Told(pub Shape);

impl SupportMap for Told {
    fn support(&self, direction: Vec3) -> Vec3 {
        self.0.support(direction).unwrap()
    }
}
