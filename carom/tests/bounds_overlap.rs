//! Overlap tests against points that are in both volumes and against planes that keep them apart.
//!
//! Of each kind of volume there are 100,000 random pairs with a point in common, by construction and confirmed by the
//! oracle (for hulls a mixture of the vertices of each): none may be missed, whichever of the two is asked. Of each kind
//! whose test is exact, 25,000 pairs are built around a gap and 25,000 are judged by a search for a separating plane:
//! no gap wider than rounding may be missed, and no overlap.

mod bounds_oracle;
mod random;

use bounds_oracle::{CLOUD_KINDS, Oracle, cloud};
use carom::bounds::{BoundingCapsule, BoundingHull, BoundingVolume, Kdop, OrientedBox};
use carom::pose::LocalPose;
use fastrand::Rng;
use glam::{DVec3, Vec3};
use random::{direction, rotation_often_aligned};

const PAIRS: usize = 100_000;

/// Volumes around clouds of every kind, each with a point inside.
fn pool<V: Oracle>(random: &mut Rng) -> Vec<(V, Vec3)> {
    let mut pool = Vec::new();
    for case in 0..220 {
        let count = random.usize(1..12);
        let scale = [1.0, 1.0, 0.01, 30.0][case % 4];
        let points: Vec<Vec3> =
            cloud(random, case as u32 % CLOUD_KINDS, count).iter().map(|point| *point * scale).collect();
        pool.push((V::around_points(&points).unwrap(), points[0]));
    }
    pool
}

/// How far the volume reaches from a point inside along a direction.
fn surface_distance<V: Oracle>(volume: &V, inside: DVec3, along: DVec3) -> f64 {
    let (mut low, mut high) = (0.0, 400.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if volume.outside(inside + along * middle) <= 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// A point of the volume: often on its surface.
fn point_of<V: Oracle>(volume: &V, inside: DVec3, random: &mut Rng) -> DVec3 {
    let along = direction(random);
    let part = if random.bool() { 1.0 } else { random.f64() };
    inside + along * (part * surface_distance(volume, inside, along))
}

fn inner_point(inside: Vec3, pose: &LocalPose) -> DVec3 {
    pose.rotation.as_dquat().normalize() * inside.as_dvec3() + pose.position.as_dvec3()
}

/// Pairs moved so that a point of one is at a point of the other; those for which rounding has not undone that.
fn finds_every_common_point<V: Oracle>(far: f32, pairs: usize) {
    let mut random = Rng::with_seed(301);
    let pool = pool::<V>(&mut random);
    let (mut found, mut tried) = (0, 0);
    while found < pairs {
        let (a, a_inside) = &pool[random.usize(0..pool.len())];
        let a_pose = LocalPose::new(direction(&mut random).as_vec3() * far, rotation_often_aligned(&mut random));
        let a = a.moved(&a_pose);
        for _ in 0..8 {
            tried += 1;
            let common = point_of(&a, inner_point(*a_inside, &a_pose), &mut random);
            let (b, b_inside) = &pool[random.usize(0..pool.len())];
            let turned = LocalPose::new(Vec3::ZERO, rotation_often_aligned(&mut random));
            let b = b.moved(&turned);
            let in_b = point_of(&b, inner_point(*b_inside, &turned), &mut random);
            let b = b.moved(&LocalPose::at((common - in_b).as_vec3()));
            if a.outside(common) <= 0.0 && b.outside(common) <= 0.0 {
                found += 1;
                assert!(a.overlaps(&b) && b.overlaps(&a), "{}: {common} is in {a:?} and in {b:?}", V::NAME);
            }
        }
        assert!(tried < 4 * pairs, "{}: only {found} of {tried} have a common point", V::NAME);
    }
}

/// What the oracle knows of a pair.
enum Verdict {
    /// A plane has this gap.
    Apart(f64),
    /// Points of the two are this close, and no plane was found.
    Within(f64),
}

/// Moves weight between points of the difference of the two sets, from the one farthest along the way to the origin's
/// far side to the one nearest, until a plane separates or time is up (Mitchell, Demyanov and Malozemov, 1974).
fn judged<V: Oracle>(a: &V, b: &V, steps: u32) -> Verdict {
    let difference = |along: DVec3| b.farthest(-along).unwrap() - a.farthest(along).unwrap();
    let first = difference(b.center().as_dvec3() - a.center().as_dvec3());
    let mut mixture = vec![(first, 1.0)];
    let mut point = first;
    for step in 0..steps {
        let nearest = difference(point);
        let height = point.dot(nearest);
        if height > 0.0 {
            return Verdict::Apart(height / point.length());
        }
        let (index, _) =
            mixture.iter().enumerate().max_by(|a, b| a.1.0.dot(point).total_cmp(&b.1.0.dot(point))).unwrap();
        let (worst, weight) = mixture[index];
        let shift = nearest - worst;
        let part = (-point.dot(shift) / shift.length_squared()).clamp(0.0, weight);
        if shift == DVec3::ZERO || part == 0.0 {
            break;
        }
        mixture[index].1 -= part;
        mixture.retain(|(_, weight)| *weight > 0.0);
        mixture.push((nearest, part));
        // Summed anew now and then, so that rounding does not add up.
        point =
            if step % 16 == 0 { mixture.iter().map(|(p, weight)| *p * *weight).sum() } else { point + shift * part };
    }
    Verdict::Within(point.length())
}

/// Pairs with a gap by construction, and pairs at random judged by the oracle.
fn says_apart_where_a_plane_proves_it<V: Oracle>() {
    let mut random = Rng::with_seed(302);
    let pool = pool::<V>(&mut random);
    let (mut built, mut missed_gaps, mut apart, mut unproven) = (0, 0, 0, 0);
    for _ in 0..PAIRS / 4 {
        let pick = |random: &mut Rng| {
            let (volume, _) = &pool[random.usize(0..pool.len())];
            volume.moved(&LocalPose::new(Vec3::ZERO, rotation_often_aligned(random)))
        };
        let (a, b) = (pick(&mut random), pick(&mut random));
        let along = direction(&mut random);
        let reach = |volume: &V, along: DVec3| volume.farthest(along).unwrap().dot(along);
        let size = reach(&a, along) + reach(&a, -along) + reach(&b, along) + reach(&b, -along) + 1e-3;
        let gap = size * 10f64.powi(-random.i32(1..6));
        let shift = along * (reach(&a, along) + reach(&b, -along) + gap);
        let placed = b.moved(&LocalPose::at(shift.as_vec3()));
        // What is left of the gap after the rounding of the motion.
        let gap = -reach(&placed, -along) - reach(&a, along);
        if gap > 1e-7 * size {
            built += 1;
            missed_gaps += usize::from(a.overlaps(&placed));
        }
        let shift = direction(&mut random) * (size * random.f64());
        let placed = b.moved(&LocalPose::at(shift.as_vec3()));
        let overlaps = a.overlaps(&placed);
        assert_eq!(overlaps, placed.overlaps(&a), "{}: {a:?} {placed:?}", V::NAME);
        match judged(&a, &placed, if overlaps { 60 } else { 3_000 }) {
            Verdict::Apart(gap) => missed_gaps += usize::from(overlaps && gap > 1e-9 * size),
            Verdict::Within(distance) if !overlaps => {
                unproven += 1;
                assert!(distance > 1e-7 * size, "{}: said to be apart: {a:?} {placed:?}", V::NAME);
            }
            Verdict::Within(_) => {}
        }
        apart += usize::from(!overlaps);
    }
    println!("{}: {built} gaps built, {missed_gaps} missed; {apart} apart, {unproven} not judged", V::NAME);
    assert_eq!(missed_gaps, 0, "{}: says overlap across a gap", V::NAME);
    assert!(unproven <= apart / 200, "{}: {unproven} of {apart}", V::NAME);
}

/// A module of two tests for each kind of volume: common points, and gaps.
macro_rules! exact_kinds {
    ($($name:ident: $volume:ty),*) => {$(
        mod $name {
            #[test]
            fn common_points() {
                super::finds_every_common_point::<$volume>(1.0, super::PAIRS);
            }

            #[test]
            fn gaps() {
                super::says_apart_where_a_plane_proves_it::<$volume>();
            }

            #[test]
            fn common_points_far_from_the_origin() {
                super::finds_every_common_point::<$volume>(1e6, super::PAIRS / 10);
            }
        }
    )*};
}

exact_kinds! {
    boxes: carom::bounds::Aabb,
    spheres: carom::bounds::BoundingSphere,
    capsules: carom::bounds::BoundingCapsule,
    oriented_boxes: carom::bounds::OrientedBox,
    cylinders: carom::bounds::BoundingCylinder,
    ellipsoids: carom::bounds::BoundingEllipsoid
}

/// Intervals are conservative by nature: only what they must not miss is tested.
fn k_dops_find_every_common_point<const K: usize>()
where
    Kdop<K>: Oracle,
{
    finds_every_common_point::<Kdop<K>>(1.0, PAIRS);
    finds_every_common_point::<Kdop<K>>(1e6, PAIRS / 10);
}

#[test]
fn six_dops() {
    k_dops_find_every_common_point::<6>();
}

#[test]
fn fourteen_dops() {
    k_dops_find_every_common_point::<14>();
}

#[test]
fn eighteen_dops() {
    k_dops_find_every_common_point::<18>();
}

#[test]
fn twenty_six_dops() {
    k_dops_find_every_common_point::<26>();
}

#[test]
fn hulls_with_gaps() {
    says_apart_where_a_plane_proves_it::<BoundingHull>();
}

/// A hull's common points are mixtures of its vertices, since heights over faces do not bound the distance at corners.
#[test]
fn hulls_with_common_points() {
    let mut random = Rng::with_seed(303);
    let pool = pool::<BoundingHull>(&mut random);
    let mixture = |volume: &BoundingHull, random: &mut Rng| {
        let vertices = volume.hull().vertices();
        let corners = random.usize(1..4);
        let (mut point, mut weights) = (DVec3::ZERO, 0.0);
        for _ in 0..corners {
            let weight = random.f64();
            point += vertices[random.usize(0..vertices.len())].as_dvec3() * weight;
            weights += weight;
        }
        volume.pose().rotation.as_dquat().normalize() * (point / weights) + volume.pose().position.as_dvec3()
    };
    for case in 0..PAIRS {
        let far = if case % 2 == 0 { 1.0 } else { 1e6 };
        let (a, _) = &pool[random.usize(0..pool.len())];
        let a = a.moved(&LocalPose::new(direction(&mut random).as_vec3() * far, rotation_often_aligned(&mut random)));
        let common = mixture(&a, &mut random);
        let (b, _) = &pool[random.usize(0..pool.len())];
        let turned = LocalPose::new(Vec3::ZERO, rotation_often_aligned(&mut random));
        let in_b = mixture(&b.moved(&turned), &mut random);
        // The margin makes up for the rounding of the shift, and must.
        let b = b.moved(&LocalPose::new((common - in_b).as_vec3(), turned.rotation));
        assert!(a.overlaps(&b) && b.overlaps(&a), "{common} is in {a:?} and in {b:?}");
    }
}

/// Edges that are parallel, equal or almost so, where cross products vanish or are rounding.
#[test]
fn oriented_boxes_with_parallel_edges() {
    let mut random = Rng::with_seed(304);
    let corners = [Vec3::new(-1.0, -2.0, -0.5), Vec3::new(1.0, 2.0, 0.5)];
    let unit = OrientedBox::around_points(&[
        corners[0],
        corners[1],
        Vec3::new(1.0, -2.0, 0.5),
        Vec3::new(-1.0, 2.0, -0.5),
        Vec3::new(1.0, 2.0, -0.5),
        Vec3::new(-1.0, -2.0, 0.5),
        Vec3::new(1.0, -2.0, -0.5),
        Vec3::new(-1.0, 2.0, 0.5),
    ])
    .unwrap();
    for _ in 0..20_000 {
        let base = rotation_often_aligned(&mut random);
        let tilt = glam::Quat::from_axis_angle(
            direction(&mut random).as_vec3().normalize(),
            10f32.powi(-random.i32(3..9)) * random.f32(),
        );
        let a = unit.moved(&LocalPose::new(Vec3::ZERO, base));
        // Pushed apart along one of its own axes by almost, exactly or just above the sum of the half extents.
        let axis = random.usize(0..3);
        let sum = 2.0 * [1.0, 2.0, 0.5][axis];
        let tilt_reach = 3.0 * f64::from(tilt.xyz().length()) * 2.0;
        for (shift, expected) in [(sum * 0.999 - tilt_reach, true), (sum * 1.001 + tilt_reach, false)] {
            let away = base * (Vec3::AXES[axis] * shift as f32);
            let b = unit.moved(&LocalPose::new(away, (base * tilt).normalize()));
            assert_eq!(a.overlaps(&b), expected, "{a:?} {b:?}");
        }
    }
}

#[test]
fn capsules_whose_segments_are_almost_parallel() {
    let mut random = Rng::with_seed(305);
    for _ in 0..50_000 {
        let angle = 10f64.powi(-random.i32(2..12));
        let (half, crossing) = (1.0 + random.f64(), random.f64() - 0.5);
        let along = DVec3::new(1.0, angle, 0.0);
        let a = BoundingCapsule::around_points(&[Vec3::X * -2.0, Vec3::X * 2.0]).unwrap();
        let ends = [along * -half, along * half].map(|end| (end + DVec3::X * crossing).as_vec3());
        let b = BoundingCapsule::around_points(&ends).unwrap();
        // The two segments cross in one plane.
        assert!(a.overlaps(&b) && b.overlaps(&a), "{a:?} {b:?}");
        let lifted = b.moved(&LocalPose::at([0.0, 0.0, 1e-3]));
        assert!(!a.overlaps(&lifted) && !lifted.overlaps(&a), "{a:?} {lifted:?}");
    }
}
