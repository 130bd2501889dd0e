//! Capsules and segments against boxes and triangles, which have closed forms, against the same solids as hulls, which are
//! searched, and against a search along the axis that knows neither.

mod random;

use carom::narrow::contact;
use carom::prelude::*;
use fastrand::Rng;
use random::{between, direction, rotation_often_aligned, vector};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const CASES: usize = 20_000;

/// The distance of a segment from a box around the origin by trisection: it is convex along the segment.
fn trisected([from, to]: [DVec3; 2], half: DVec3) -> f64 {
    let at = |share: f64| {
        let point = from.lerp(to, share);
        point.distance(point.clamp(-half, half))
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(left) <= at(right) { high = right } else { low = left }
    }
    at(0.5 * (low + high))
}

/// A half-length of the axis, a radius, half extents, and the capsule's pose in the frame of the box.
fn case(random: &mut Rng) -> (f32, f32, Vec3, Pose) {
    let size = |random: &mut Rng| 10f32.powf(between(random, -1.5, 0.5));
    let half = Vec3::new(size(random), size(random), size(random));
    let (half_length, radius) = (size(random), 0.3 * size(random));
    let mut place = vector(random, 1.3) * (half + half_length);
    // Often in the middle of an axis, or of all.
    for axis in 0..3 {
        if random.u32(0..8) == 0 {
            place[axis] = 0.0;
        }
    }
    (half_length, radius, half, Pose::new(place.as_dvec3(), rotation_often_aligned(random)))
}

fn corners(half: Vec3) -> Vec<Vec3> {
    let sign = |bit: i32| if bit == 0 { -1.0 } else { 1.0 };
    (0..8).map(|bits| half * Vec3::new(sign(bits & 1), sign(bits & 2), sign(bits & 4))).collect()
}

#[test]
fn capsules_and_boxes_agree_with_trisection_and_with_hulls() -> Outcome {
    let mut random = Rng::with_seed(1);
    let (mut deep, mut worst_gap, mut worst_depth) = (0, 0.0f64, 0.0f64);
    for index in 0..CASES {
        let (half_length, radius, half, pose) = case(&mut random);
        let (capsule, cuboid) = (Shape::capsule(half_length, radius)?, Shape::cuboid(half.x, half.y, half.z)?);
        let size = f64::from(half_length + radius + half.length());
        let found = query::penetration(&cuboid, &Pose::IDENTITY, &capsule, &pose)?;
        let mirrored = query::penetration(&capsule, &pose, &cuboid, &Pose::IDENTITY)?;
        let what = format!("case {index}: {half}, {half_length}, {radius}, {pose:?}: {found:?}");
        assert!((found.depth - mirrored.depth).abs() < 1e-9 * size, "{what}: {mirrored:?}");
        let axis = pose.rotation.as_dquat().normalize() * DVec3::Y * f64::from(half_length);
        let ends = [pose.position - axis, pose.position + axis];
        let apart = trisected(ends, half.as_dvec3());
        if apart > 1e-5 * size {
            worst_gap = worst_gap.max((found.depth - (f64::from(radius) - apart)).abs() / size);
        } else {
            deep += 1;
            let hull = Shape::hull(&corners(half))?;
            let expected = query::penetration(&hull, &Pose::IDENTITY, &capsule, &pose)?;
            worst_depth = worst_depth.max((found.depth - expected.depth).abs() / size);
        }
        // The normal says as much, and the points are on the surfaces, opposite each other.
        let across = found.on_a - found.on_b;
        assert!((across - found.depth * found.normal.as_dvec3()).length() < 1e-5 * size, "{what}");
        let on_axis = found.on_b + f64::from(radius) * found.normal.as_dvec3();
        let along = (ends[1] - ends[0]).normalize();
        let height = along.dot(on_axis - pose.position).clamp(-f64::from(half_length), f64::from(half_length));
        assert!(on_axis.distance(pose.position + along * height) < 1e-5 * size, "{what}");
        let beyond = (found.on_a.abs() - half.as_dvec3()).max_element();
        assert!(beyond < 1e-5 * size, "{what}: {beyond} outside");
    }
    println!("{CASES} cases, {deep} with the axis inside: worst {worst_gap:e} apart, {worst_depth:e} deep");
    assert!(deep > CASES / 10, "{deep}");
    assert!(worst_gap < 1e-7 && worst_depth < 1e-6, "{worst_gap:e} apart, {worst_depth:e} deep");
    Ok(())
}

#[test]
fn contacts_of_capsules_are_those_with_the_hull_of_the_same_corners() -> Outcome {
    let mut random = Rng::with_seed(2);
    let mut touching = 0;
    for index in 0..CASES {
        let (half_length, radius, half, pose) = case(&mut random);
        let capsule = Shape::capsule(half_length, radius)?;
        let is_box = random.bool();
        let triangle =
            [vector(&mut random, 1.0) * half, vector(&mut random, 1.0) * half, vector(&mut random, 1.0) * half];
        let solid = if is_box {
            Shape::cuboid(half.x, half.y, half.z)?
        } else {
            match Shape::triangle(triangle[0], triangle[1], triangle[2]) {
                Ok(shape) => shape,
                Err(_) => continue,
            }
        };
        let pose = LocalPose::new(pose.position.as_vec3(), pose.rotation);
        let margin = 0.02 * radius;
        let found = contact(&solid, &capsule, &pose, margin)?;
        let size = half_length + radius + half.length();
        let deepest = |manifold: &carom::narrow::LocalManifold| {
            manifold.contacts().iter().map(|contact| contact.depth).fold(f32::MIN, f32::max)
        };
        let world = Pose::new(pose.position.as_dvec3(), pose.rotation);
        let expected = query::penetration(&solid, &Pose::IDENTITY, &capsule, &world)?.depth as f32;
        match &found {
            Some(manifold) => {
                touching += 1;
                assert!(
                    (deepest(manifold) - expected).abs() < 2e-5 * size,
                    "case {index}: {manifold:?} for {expected}"
                );
                assert!((manifold.normal.length() - 1.0).abs() < 1e-5, "case {index}: {manifold:?}");
                if is_box {
                    let hull = Shape::hull(&corners(half))?;
                    let other = contact(&hull, &capsule, &pose, margin)?;
                    let other = other.as_ref().map_or(-margin, deepest);
                    assert!((deepest(manifold) - other).abs() < 1e-4 * size, "case {index}: {manifold:?} for {other}");
                }
            }
            None => assert!(expected < -margin + 1e-5 * size, "case {index}: missed {expected}"),
        }
        let mirror = contact(&capsule, &solid, &pose.inverse(), margin)?;
        let (depth, mirrored) = (found.as_ref().map_or(-margin, deepest), mirror.as_ref().map_or(-margin, deepest));
        assert!((depth - mirrored).abs() < 1e-4 * size, "case {index}: {depth} and {mirrored}");
    }
    assert!(touching > CASES / 5, "{touching}");
    Ok(())
}

#[test]
fn a_segment_through_a_triangle_is_freed_by_the_least_move() -> Outcome {
    let mut random = Rng::with_seed(3);
    let mut deep = 0;
    for index in 0..CASES / 4 {
        let corners = [0; 3].map(|_| vector(&mut random, 1.0));
        let Ok(triangle) = Shape::triangle(corners[0], corners[1], corners[2]) else { continue };
        let weights = [0; 3].map(|_| random.f32());
        let inside = (corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2])
            / (weights[0] + weights[1] + weights[2]);
        let along = direction(&mut random).as_vec3();
        let ends = [inside - along * random.f32(), inside + along * random.f32()];
        let Ok(segment) = Shape::segment(ends[0], ends[1]) else { continue };
        let found = query::penetration(&triangle, &Pose::IDENTITY, &segment, &Pose::IDENTITY)?;
        deep += usize::from(found.depth > 1e-3);
        // Freed by it, and by no move in any direction that is shorter.
        let normal = found.normal.as_dvec3();
        let reach = |way: DVec3| {
            let triangle = corners.map(|corner| corner.as_dvec3().dot(way)).into_iter().fold(f64::MIN, f64::max);
            let segment = ends.map(|end| end.as_dvec3().dot(way)).into_iter().fold(f64::MAX, f64::min);
            triangle - segment
        };
        assert!((reach(normal) - found.depth).abs() < 1e-6, "case {index}: {} for {found:?}", reach(normal));
        for _ in 0..40 {
            let way = direction(&mut random);
            assert!(reach(way) > found.depth - 1e-6, "case {index}: {} along {way} for {found:?}", reach(way));
            let near = (normal + 0.02 * way).normalize();
            assert!(reach(near) > found.depth - 1e-6, "case {index}: {} along {near} for {found:?}", reach(near));
        }
    }
    assert!(deep > CASES / 10, "{deep}");
    Ok(())
}
