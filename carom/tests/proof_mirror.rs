//! What must not matter does not: which shape comes first, and any motion of both together, for distance, depth and
//! contact of every pair of convex shapes, among them points, segments, triangles, balls and rounded ones.
//!
//! `CAROM_CASES=n` runs n times as many cases.

mod proof_support;
mod random;

use carom::glam::{DVec3, Quat, Vec3};
use carom::narrow::{LocalManifold, contact};
use carom::pose::{LocalPose, Pose};
use carom::query::{self, Distance, Penetration};
use carom::shape::Shape;
use fastrand::Rng;
use proof_support::solids::{KINDS, Solid};
use proof_support::tally::Tally;
use proof_support::{cases, is_wanted};
use random::{cube, rotation, rotation_often_aligned};

/// A shape, and the radius of the ball around its origin.
struct Sized {
    name: &'static str,
    shape: Shape,
    size: f64,
}

/// One shape of each kind.
fn shapes(random: &mut Rng, scale: f32) -> Vec<Sized> {
    let mut found = Vec::new();
    for kind in KINDS {
        let solid = Solid::random(kind, random.u64(0..1_000), scale);
        found.push(Sized { name: kind.name(), shape: solid.shape, size: solid.size });
    }
    let corner = |random: &mut Rng| cube(random).as_vec3() * scale;
    let corners = [corner(random), corner(random), corner(random)];
    let size = f64::from(scale) * 3.0_f64.sqrt();
    let sharp = [
        ("point", Shape::point()),
        ("segment", Shape::segment(corners[0], corners[1]).unwrap()),
        ("triangle", Shape::triangle(corners[0], corners[1], corners[2]).unwrap()),
    ];
    found.extend(sharp.map(|(name, shape)| Sized { name, shape, size }));
    let radius = 0.3 * scale;
    let grown = |name: &'static str, from: usize, found: &[Sized]| {
        let shape = found[from].shape.rounded(radius).unwrap();
        Sized { name, shape, size: found[from].size + f64::from(radius) }
    };
    let rounded =
        [grown("rounded box", 0, &found), grown("rounded hull", 1, &found), grown("rounded triangle", 9, &found)];
    found.extend(rounded);
    found.push(Sized { name: "ball", shape: Shape::sphere(radius).unwrap(), size: f64::from(radius) });
    found
}

/// A place of the second shape in which the two overlap, touch or are apart, each often.
fn offset(random: &mut Rng, reach: f64) -> DVec3 {
    let place = cube(random) * reach * [0.3, 0.8, 1.5][random.usize(0..3)];
    // Now and then in line with an axis of the first.
    if random.u8(0..4) == 0 { DVec3::Y * place.y } else { place }
}

fn each_pair(seed: u64, usual: usize, mut check: impl FnMut(&str, &Sized, &Pose, &Sized, &Pose, &mut Rng)) {
    let mut random = Rng::with_seed(seed);
    for _ in 0..cases(usual) {
        let large = shapes(&mut random, 1.0);
        let scale = [1.0, 0.3, 1e-2][random.usize(0..3)];
        let other = shapes(&mut random, scale);
        for a in &large {
            for b in &other {
                let name = format!("{}/{}", a.name, b.name);
                if is_wanted(&name) {
                    let pose_a = Pose::new(DVec3::ZERO, rotation_often_aligned(&mut random));
                    let pose_b = Pose::new(offset(&mut random, a.size + b.size), rotation_often_aligned(&mut random));
                    check(&name, a, &pose_a, b, &pose_b, &mut random);
                }
            }
        }
    }
}

fn answers(a: &Sized, pose_a: &Pose, b: &Sized, pose_b: &Pose) -> (Distance, Penetration) {
    let distance = query::distance(&a.shape, pose_a, &b.shape, pose_b).unwrap();
    (distance, query::penetration(&a.shape, pose_a, &b.shape, pose_b).unwrap())
}

/// By how much two answers contradict each other, beyond what their bounds leave open, and whether normals do.
fn contradiction(one: &(Distance, Penetration), other: &(Distance, Penetration), normal: Vec3) -> (f64, f64) {
    let open =
        |answer: &(Distance, Penetration)| (answer.0.upper() - answer.0.lower()).max(answer.1.upper - answer.1.lower);
    let distance = (one.0.value() - other.0.value()).abs();
    let depth = (one.1.depth - other.1.depth).abs();
    let off = (distance.max(depth) - open(one) - open(other)).max(0.0);
    // The line between shapes that are well apart is the only one; deep ones may have several ways out.
    let is_unique = one.0.value() > 0.0;
    (off, if is_unique { f64::from((other.1.normal - normal).length()) } else { 0.0 })
}

fn recipe(a: &Sized, pose_a: &Pose, b: &Sized, pose_b: &Pose) -> String {
    let bits = |pose: &Pose| {
        format!("{:x?} {:x?}", pose.position.to_array().map(f64::to_bits), pose.rotation.to_array().map(f32::to_bits))
    };
    let shape =
        |sized: &Sized| if sized.name.contains("hull") { sized.name.into() } else { format!("{:?}", sized.shape) };
    format!("{} at {}\n      {} at {}", shape(a), bits(pose_a), shape(b), bits(pose_b))
}

#[test]
fn the_order_of_the_shapes_does_not_matter() {
    let mut tally = Tally::default();
    each_pair(71, 250, |name, a, pose_a, b, pose_b, _| {
        let (one, other) = (answers(a, pose_a, b, pose_b), answers(b, pose_b, a, pose_a));
        let scale = a.size + b.size + pose_b.position.length();
        let size = a.size.min(b.size);
        let (off, turned) = contradiction(&one, &other, -one.1.normal);
        let context = || format!("{one:?}\n      {other:?}\n      {}", recipe(a, pose_a, b, pose_b));
        tally.error(name, "values", off / scale, context);
        if off > 1e-12 * scale {
            tally.fail(&format!("{name} values"), context);
        }
        if one.0.value() > 1e-3 * size && turned > 1e-3 {
            tally.fail(&format!("{name} normals"), context);
        }
        if matches!(one.0, Distance::Apart(_)) != matches!(other.0, Distance::Apart(_)) {
            let gap = one.0.upper().max(other.0.upper());
            tally.error(name, "one yes, one no", gap / size, context);
            if gap > 1e-5 * size {
                tally.fail(&format!("{name} yes and no"), context);
            }
        }
    });
    tally.conclude("mirrored pairs");
}

#[test]
fn motions_of_both_do_not_matter() {
    let mut tally = Tally::default();
    each_pair(72, 150, |name, a, pose_a, b, pose_b, random| {
        let one = answers(a, pose_a, b, pose_b);
        let scale = a.size + b.size + pose_b.position.length();
        let size = a.size.min(b.size);
        // Half turns permute the numbers of a quaternion, so this motion is exact but for the last bit of the shift.
        let half_turn = [Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), Quat::from_xyzw(0.0, 1.0, 0.0, 0.0)][random.usize(0..2)];
        let any_turn = rotation(random);
        let shift = cube(random) * [0.0, 1.0, 1e6][random.usize(0..3)];
        for (turn, exact) in [(half_turn, true), (any_turn, false)] {
            let by = turn.as_dquat().normalize();
            let moved = [pose_a, pose_b].map(|pose| {
                let turned = turn * pose.rotation;
                Pose::new(by * pose.position + shift, if exact { turned } else { turned.normalize() })
            });
            let other = answers(a, &moved[0], b, &moved[1]);
            let (off, turned) = contradiction(&one, &other, (by * one.1.normal.as_dvec3()).as_vec3());
            let rounding = 4.0 * f64::EPSILON * shift.length();
            // A rotation that is rounded to f32 turns the shapes by about 1e-7.
            let allowed = if exact { 1e-12 * scale + rounding } else { 1e-6 * scale + rounding };
            let context = || {
                let moved = recipe(a, &moved[0], b, &moved[1]);
                format!("{one:?}\n      {other:?}\n      {}\n      {moved}", recipe(a, pose_a, b, pose_b))
            };
            tally.error(name, if exact { "exact motion" } else { "any motion" }, off / scale, context);
            if off > allowed {
                tally.fail(&format!("{name} values"), context);
            }
            if one.0.value() > 1e-2 * size && turned > 1e-3 + 2e-6 * scale / one.0.value() {
                tally.fail(&format!("{name} normals"), context);
            }
        }
    });
    tally.conclude("moved pairs");
}

fn deepest(manifold: &LocalManifold) -> f32 {
    manifold.contacts().iter().map(|contact| contact.depth).fold(f32::NEG_INFINITY, f32::max)
}

#[test]
fn contacts_mirrored_or_moved_are_the_same() {
    let mut tally = Tally::default();
    each_pair(73, 250, |name, a, pose_a, b, pose_b, random| {
        let b_in_a = Pose::b_in_a(pose_a, pose_b);
        let size = a.size.min(b.size) as f32;
        let margin = [0.0, 0.1][random.usize(0..2)] * size;
        let asked = |a: &Shape, b: &Shape, pose: &LocalPose| contact(a, b, pose, margin).unwrap();
        let one = asked(&a.shape, &b.shape, &b_in_a);
        let mirrored = asked(&b.shape, &a.shape, &b_in_a.inverse());
        // The inverse of a pose is rounded to f32.
        let deep = one.as_ref().map_or(0.0, |found| deepest(found).max(0.0));
        let allowed = 1e-4 * (size + deep) + 4e-7 * (a.size + b.size) as f32 + 2e-7 * b_in_a.position.length();
        let context =
            || format!("margin {margin:e}: {one:?}\n      {mirrored:?}\n      {}", recipe(a, pose_a, b, pose_b));
        let depth = |found: &Option<LocalManifold>| found.as_ref().map_or(-margin, deepest);
        let off = (depth(&one) - depth(&mirrored)).abs();
        tally.error(name, "depths", f64::from(off / size), context);
        if off > allowed || off.is_nan() {
            tally.fail(&format!("{name} depths"), context);
        }
        for manifold in one.iter().chain(&mirrored) {
            let is_sound = manifold.normal.is_finite()
                && (manifold.normal.length() - 1.0).abs() < 1e-5
                && (1..=4).contains(&manifold.contacts().len())
                && manifold.contacts().iter().all(|contact| contact.point.is_finite() && contact.depth.is_finite());
            if !is_sound {
                tally.fail(&format!("{name} manifold"), context);
            }
        }
    });
    tally.conclude("contacts");
}
