//! Boxes around cores against their corners in f64: never smaller, and hardly larger.

use super::{Convex, Core};
use crate::distance::placement::Placement;
use crate::shape::ConvexHull;
use fastrand::Rng;
use glam::{DVec3, Quat, Vec3};

fn vector(random: &mut Rng) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| random.f32() * 2.0 - 1.0))
}

fn rotation(random: &mut Rng) -> Quat {
    match random.u32(0..6) {
        0 => Quat::IDENTITY,
        1 => Quat::from_rotation_y(std::f32::consts::FRAC_PI_2 * random.u32(1..4) as f32),
        2 => Quat::from_scaled_axis(vector(random) * 1e-6),
        _ => Quat::from_scaled_axis(vector(random) * 3.0),
    }
}

/// Where a shape stands: at the origin, beside it, or far away.
fn position(random: &mut Rng, size: f64) -> DVec3 {
    let away = [0.0, 1.0, 1e3, 1e6, 1e10][random.usize(0..5)];
    vector(random).as_dvec3() * away * size
}

#[derive(Debug, Default)]
struct Worst {
    /// By how much a box is too small, and too large, as shares of the shape's size.
    small: f64,
    large: f64,
    boxes: u32,
}

/// Compares the box of a core that is the hull of its corners.
fn compare(convex: &Convex<'_>, corners: &[DVec3], placement: &Placement, worst: &mut Worst) {
    let bounds = convex.bounds(placement).expect("no user's map");
    let size = corners.iter().map(|corner| corner.length()).fold(convex.radius, f64::max);
    for axis in 0..3 {
        let along = corners.iter().map(|corner| placement.point_to_outer(*corner)[axis]);
        let least = along.clone().fold(f64::INFINITY, f64::min) - convex.radius;
        let greatest = along.fold(f64::NEG_INFINITY, f64::max) + convex.radius;
        // What f64 itself is unsure of.
        let doubt = 1e-15 * (size + placement.position.length());
        for beyond in [least - f64::from(bounds.min[axis]), f64::from(bounds.max[axis]) - greatest] {
            worst.small = worst.small.max((-beyond - doubt) / size);
            // Ends are f32: rounded outward they are off by up to one of its steps, where they are.
            let step = f64::from(f32::EPSILON) * least.abs().max(greatest.abs()) + f64::from(f32::from_bits(1));
            worst.large = worst.large.max((beyond - step - doubt) / size);
        }
    }
    worst.boxes += 1;
}

/// Hulls of any number of vertices, round, flat, long or far from their own origin.
fn hull(random: &mut Rng, size: f32) -> Option<ConvexHull> {
    let count = random.usize(4..80);
    let stretch = [Vec3::ONE, Vec3::new(1.0, 0.05, 1.0), Vec3::new(0.03, 1.0, 0.02)][random.usize(0..3)];
    let aside = vector(random) * [0.0, 1.0, 20.0][random.usize(0..3)];
    let points: Vec<Vec3> = (0..count).map(|_| (vector(random) * stretch + aside) * size).collect();
    ConvexHull::new(&points).ok()
}

#[test]
fn the_box_of_a_hull_holds_it_and_is_hardly_larger() {
    let mut random = Rng::with_seed(31);
    for size in [1.0f32, 1e-3, 1e3, 1e-12, 1e12, 1e-30, 1e-37, 1e30, 1e36] {
        let mut worst = Worst::default();
        for _ in 0..1500 {
            let Some(hull) = hull(&mut random, size) else { continue };
            let corners: Vec<DVec3> = hull.vertices().iter().map(|vertex| vertex.as_dvec3()).collect();
            let radius = f64::from(size) * [0.0, 0.1][random.usize(0..2)];
            let convex = Convex { core: Core::Hull(&hull), radius };
            let placement = Placement::new(position(&mut random, f64::from(size)), rotation(&mut random));
            if placement.position.abs().max_element() < 1e37 {
                compare(&convex, &corners, &placement, &mut worst);
            }
        }
        println!("{size:e}: {worst:?}");
        assert!(worst.boxes > 500, "{size}: {worst:?}");
        assert!(worst.small <= 0.0, "{size}: a box is too small: {worst:?}");
        // Room for eight roundings, and as much for what is rounded itself.
        assert!(worst.large < 16.0 * f64::from(f32::EPSILON), "{size}: a box is too large: {worst:?}");
    }
}

/// Beyond the range of f32 products overflow, and all of it is measured anew in f64.
#[test]
fn the_box_of_a_hull_at_the_end_of_f32_holds_it() {
    let mut random = Rng::with_seed(32);
    let mut worst = Worst::default();
    let mut overflows = 0;
    for _ in 0..2000 {
        let Some(hull) = hull(&mut random, 1.5e37) else { continue };
        let corners: Vec<DVec3> = hull.vertices().iter().map(|vertex| vertex.as_dvec3()).collect();
        let placement = Placement::new(DVec3::ZERO, rotation(&mut random));
        let greatest = corners.iter().map(|corner| placement.point_to_outer(*corner).abs().max_element());
        // A box cannot end beyond the greatest f32.
        if greatest.clone().fold(0.0, f64::max) < f64::from(f32::MAX) {
            compare(&Convex { core: Core::Hull(&hull), radius: 0.0 }, &corners, &placement, &mut worst);
            let sums = corners.iter().map(|corner| corner.abs().element_sum());
            overflows += u32::from(sums.fold(0.0, f64::max) > f64::from(f32::MAX));
        }
    }
    println!("{overflows} of {worst:?}");
    assert!(overflows > 100 && worst.small <= 0.0, "{overflows} of {worst:?}");
    assert!(worst.large < 16.0 * f64::from(f32::EPSILON), "{worst:?}");
}

#[test]
fn the_boxes_of_other_cores_hold_them_and_are_hardly_larger() {
    let mut random = Rng::with_seed(33);
    for size in [1.0f32, 1e-3, 1e3, 1e-12, 1e12, 1e-30, 1e30] {
        let mut worst = Worst::default();
        for round in 0..2000 {
            let [a, b, c] = std::array::from_fn(|_| (vector(&mut random) * size).as_dvec3());
            let half = a.abs();
            let (core, corners) = match round % 4 {
                0 => (Core::Point, vec![DVec3::ZERO]),
                1 => (Core::Segment([a, b]), vec![a, b]),
                2 => (Core::Triangle([a, b, c]), vec![a, b, c]),
                _ => {
                    let sign = |index: u32, axis: u32| if index >> axis & 1 == 1 { -1.0 } else { 1.0 };
                    let corner = |index| half * DVec3::new(sign(index, 0), sign(index, 1), sign(index, 2));
                    (Core::Cuboid(half), (0..8).map(corner).collect())
                }
            };
            let radius = f64::from(size) * random.f64();
            let placement = Placement::new(position(&mut random, f64::from(size)), rotation(&mut random));
            if placement.position.abs().max_element() < 1e37 {
                compare(&Convex { core, radius }, &corners, &placement, &mut worst);
            }
        }
        println!("{size:e}: {worst:?}");
        assert!(worst.boxes > 1000 && worst.small <= 0.0, "{size}: {worst:?}");
        assert!(worst.large < 1e-13, "{size}: a box is too large: {worst:?}");
    }
}
