//! What a tracer is told of clipping, against the definition: what is left lies in the plane of the incident patch and
//! between the sides of the reference, every corner of either that does is there, and the contact's points are among the
//! candidates.

mod contact_shapes;
mod random;

use carom::glam::{DVec2, DVec3};
use carom::narrow::{Feature, FeatureKind, LocalContact, contact_traced};
use carom::prelude::*;
use carom::trace::{ClipStep, Trace};
use contact_shapes::{collide, deepest, size};
use fastrand::Rng;
use random::{direction, rotation_often_aligned, vector};

const MARGIN: f32 = 0.02;

fn shape(random: &mut Rng, kind: u32) -> Shape {
    let half = vector(random, 1.0).abs() + 0.1;
    match kind {
        0 => Shape::cuboid(half.x, half.y, half.z),
        1 => Shape::cylinder(half.y, half.x),
        2 => Shape::hull(&(0..12).map(|_| direction(random).as_vec3()).collect::<Vec<_>>()),
        _ => Shape::half_space(direction(random).as_vec3()),
    }
    .expect("sound sizes")
}

/// The points seen along a direction.
fn flat(points: &[DVec3], along: DVec3) -> Vec<DVec2> {
    let (u, v) = along.any_orthonormal_pair();
    points.iter().map(|point| DVec2::new(point.dot(u), point.dot(v))).collect()
}

/// How far a point is outside of a convex polygon that is gone round either way; negative inside.
fn outside(polygon: &[DVec2], point: DVec2) -> f64 {
    let sides = || polygon.iter().zip(polygon.iter().cycle().skip(1));
    let area: f64 = sides().map(|(from, to)| from.perp_dot(*to)).sum();
    let beyond =
        |(from, to): (&DVec2, &DVec2)| -area.signum() * (*to - *from).normalize_or_zero().perp_dot(point - *from);
    sides().map(beyond).fold(f64::NEG_INFINITY, f64::max)
}

fn check(step: &ClipStep, normal: DVec3, size: f64, name: &str) {
    let tolerance = 1e-6 * size;
    let [reference, incident, clipped] =
        [&step.reference, &step.incident, &step.clipped].map(|points| flat(points, normal));
    for point in &clipped {
        assert!(reference.len() < 3 || outside(&reference, *point) < tolerance, "{name}: {step:?}");
        assert!(incident.len() < 3 || outside(&incident, *point) < tolerance, "{name}: {step:?}");
    }
    for corner in incident.iter().filter(|corner| reference.len() > 2 && outside(&reference, **corner) < -tolerance) {
        assert!(clipped.iter().any(|point| point.distance(*corner) < tolerance), "{name}: {corner} of {step:?}");
    }
    for corner in reference.iter().filter(|corner| incident.len() > 2 && outside(&incident, **corner) < -tolerance) {
        assert!(clipped.iter().any(|point| point.distance(*corner) < tolerance), "{name}: {corner} of {step:?}");
    }
    for candidate in &step.candidates {
        assert!(candidate.depth >= -f64::from(MARGIN), "{name}: {candidate:?}");
        let corner = flat(&[candidate.point], normal)[0];
        assert!(clipped.iter().any(|point| point.distance(corner) < tolerance), "{name}: {candidate:?} of {step:?}");
    }
}

#[test]
fn clipping_is_told_as_it_is_defined_and_changes_nothing() {
    let mut random = Rng::with_seed(91);
    let (mut polygons, mut reduced, mut on_half_spaces) = (0, 0, 0);
    for case in 0..4_000 {
        let kinds = [random.u32(0..4), random.u32(0..4)];
        if kinds == [3, 3] {
            continue;
        }
        let [a, b] = kinds.map(|kind| shape(&mut random, kind));
        let reach = if kinds.contains(&3) { 1.0 } else { size(&a) + size(&b) };
        let b_in_a = LocalPose::new(vector(&mut random, 0.5 * reach), rotation_often_aligned(&mut random));
        let mut trace = Trace::default();
        let traced = contact_traced(&a, &b, &b_in_a, MARGIN, &mut trace).expect("sound input");
        assert_eq!(traced, collide(&a, &b, &b_in_a, MARGIN), "case {case}");
        let (Some(manifold), Some(step)) = (traced, trace.clips.last()) else { continue };
        let name = format!("case {case}, {} and {}", a.kind(), b.kind());
        if kinds.contains(&3) {
            assert_eq!(step.is_reference_of_b, kinds[1] == 3, "{name}");
            on_half_spaces += 1;
        } else {
            check(step, manifold.normal.as_dvec3().normalize(), f64::from(reach), &name);
        }
        // The closest points are no corners of what is left, nor is where two edges cross between the faces beside them.
        let is_closest = |contact: &LocalContact| {
            let is_crossing = contact.features.iter().all(|feature| feature.kind() == FeatureKind::Edge);
            contact.features == [Feature::SURFACE; 2] || is_crossing && *contact == deepest(&manifold)
        };
        for contact in manifold.contacts().iter().filter(|contact| !is_closest(contact)) {
            // Corners of half-spaces' patches may be the lowest point, which has no name of its own.
            let is_there = step.candidates.iter().any(|candidate| {
                candidate.point.distance(contact.point.as_dvec3()) < 1e-5 * f64::from(reach.max(1.0))
                    && (candidate.depth - f64::from(contact.depth)).abs() < 1e-5 * f64::from(reach.max(1.0))
            });
            assert!(is_there, "{name}: {contact:?} of {step:?}");
        }
        polygons += usize::from(step.clipped.len() > 2);
        reduced += usize::from(step.candidates.len() > manifold.contacts().len());
    }
    assert!(polygons > 300 && reduced > 100 && on_half_spaces > 300, "{polygons} {reduced} {on_half_spaces}");
}
