//! Distances of segments, triangles, boxes and hulls, sharp and rounded, against the least distance of all pairs of
//! their corners, edges and triangles in f64. What overlaps is proven twice: by a corner inside or an edge through a
//! triangle, and by the common point, which must be no farther from either core than its rounding.

mod exhaustive;
mod random;

use carom::glam::{DVec3, Vec3};
use carom::pose::Pose;
use carom::query::{self, Distance, Stop};
use carom::shape::Shape;
use exhaustive::{Part, Polytope, least_distance};
use fastrand::Rng;
use random::{between, cube, rotation, rotation_often_aligned, vector};

/// How cases are placed.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// Any sizes, places and rotations.
    Random,
    /// Sizes and places on a coarse grid, faces and edges often parallel: many touch, and many have no single answer.
    Aligned,
}

#[derive(Debug)]
struct Body {
    shape: Shape,
    pose: Pose,
    radius: f64,
    /// The core, in the world.
    core: Polytope,
}

impl Body {
    fn random(random: &mut Rng, manner: Manner, is_rounded: bool) -> Self {
        let coordinates = |random: &mut Rng| match manner {
            Manner::Random => vector(random, 1.0),
            Manner::Aligned => Vec3::from_array(std::array::from_fn(|_| random.i32(-2..=2) as f32 * 0.5)),
        };
        // A coarse grid gives flat hulls and triangles as well: those are refused, and another is taken.
        let sharp = loop {
            let made = match random.u32(0..8) {
                0 => Shape::segment(coordinates(random), coordinates(random)),
                1 => Shape::triangle(coordinates(random), coordinates(random), coordinates(random)),
                2..4 => {
                    let half = coordinates(random).abs().max(Vec3::splat(0.05));
                    Shape::cuboid(half.x, half.y, half.z)
                }
                _ => {
                    let cloud: Vec<Vec3> = (0..random.usize(4..=12)).map(|_| coordinates(random)).collect();
                    Shape::hull(&cloud)
                }
            };
            if let Ok(shape) = made {
                break shape;
            }
        };
        let points = match &sharp {
            Shape::Segment(segment) => vec![segment.a(), segment.b()],
            Shape::Triangle(triangle) => triangle.core().corners().to_vec(),
            Shape::Cuboid(cuboid) => {
                let half = cuboid.core().half_extents();
                let sign = |corner: usize, axis: usize| (corner >> axis & 1) as f32 * 2.0 - 1.0;
                (0..8).map(|corner| half * Vec3::from_array([0, 1, 2].map(|axis| sign(corner, axis)))).collect()
            }
            Shape::Hull(hull) => hull.core().vertices().to_vec(),
            other => panic!("a {} is not made here", other.kind()),
        };
        let radius = if is_rounded { between(random, 0.01, 0.5) } else { 0.0 };
        let shape = match &sharp {
            Shape::Segment(segment) if is_rounded => Shape::capsule_between(segment.a(), segment.b(), radius),
            _ if is_rounded => sharp.rounded(radius),
            _ => Ok(sharp),
        };
        let pose = match manner {
            Manner::Random => Pose::new(cube(random), rotation(random)),
            Manner::Aligned => Pose::new(coordinates(random).as_dvec3(), rotation_often_aligned(random)),
        };
        let turn = pose.rotation.as_dquat().normalize();
        let local = Polytope::new(points.iter().map(|point| point.as_dvec3()).collect());
        let core = local.moved(|point| turn * point + pose.position);
        Self { shape: shape.unwrap(), pose, radius: f64::from(radius), core }
    }

    /// How far a point is outside; negative only within the rounding.
    fn outside(&self, point: DVec3) -> f64 {
        let is_inside = self.core.holds(point);
        let core = if is_inside { 0.0 } else { least_distance(&[Part::new([point])], &self.core.parts) };
        core - self.radius
    }
}

/// Sizes and places are about 1, so that tolerances are absolute.
const TOLERANCE: f64 = 1e-12;

/// Runs the cases; enough of them must be apart, and enough overlap. Every second partner of a rounded body is sharp.
fn run(seed: u64, cases: usize, manner: Manner, is_rounded: bool) {
    let mut random = Rng::with_seed(seed);
    let mut worst = 0.0_f64;
    let mut apart = 0;
    for case in 0..cases {
        let (a, b) = (
            Body::random(&mut random, manner, is_rounded),
            Body::random(&mut random, manner, is_rounded && case % 2 == 0),
        );
        let expected = a.core.distance(&b.core) - a.radius - b.radius;
        let found = query::distance(&a.shape, &a.pose, &b.shape, &b.pose).unwrap();
        let context = || {
            format!(
                "case {case}, expected {expected}: {found:?}\n{:?} {:?}\n{:?} {:?}",
                a.shape, a.pose, b.shape, b.pose
            )
        };
        let error = (found.value() - expected.max(0.0)).abs();
        assert!(error <= TOLERANCE, "off by {error}: {}", context());
        worst = worst.max(error);
        assert!(found.lower() <= expected.max(0.0) + 1e-14 && expected <= found.upper() + 1e-14, "{}", context());
        match &found {
            Distance::Apart(gap) => {
                assert!(expected > -TOLERANCE && gap.lower > 0.0 && gap.stop != Stop::IterationLimit, "{}", context());
                assert!((gap.on_a.distance(gap.on_b) - gap.distance).abs() <= TOLERANCE, "{}", context());
                let outside = a.outside(gap.on_a).max(b.outside(gap.on_b));
                assert!(outside <= TOLERANCE, "a closest point is {outside} outside: {}", context());
            }
            Distance::Overlapping { common, upper } => {
                assert!(expected <= TOLERANCE && *upper <= TOLERANCE, "{}", context());
                let outside = a.outside(*common).max(b.outside(*common));
                assert!(outside <= TOLERANCE, "the common point is {outside} outside: {}", context());
            }
            Distance::Undecided(_) => panic!("undecided: {}", context()),
        }
        // A hair's breadth may go either way.
        if expected == 0.0 || expected.abs() > TOLERANCE {
            let overlap = query::overlap(&a.shape, &a.pose, &b.shape, &b.pose);
            assert_eq!(overlap, Ok(expected <= 0.0), "{}", context());
        }
        apart += usize::from(expected > TOLERANCE);
    }
    let overlapping = cases - apart;
    println!("worst error {worst:.1e} in {cases} cases, {apart} apart and {overlapping} overlapping or touching");
    assert!(apart > cases / 5 && overlapping > cases / 5, "{apart} {overlapping}");
}

#[test]
fn sharp_bodies_at_random() {
    run(1, 100_000, Manner::Random, false);
}

#[test]
fn sharp_bodies_on_a_grid() {
    run(2, 30_000, Manner::Aligned, false);
}

#[test]
fn rounded_bodies_at_random() {
    run(3, 50_000, Manner::Random, true);
}

#[test]
fn rounded_bodies_on_a_grid() {
    run(4, 20_000, Manner::Aligned, true);
}
