//! Hulls of every make against the signed distance in f64 with its proven bounds, which shares no code with how their
//! contacts are found; turned in their own frames; as boxes against boxes; degenerate ones; and what a tracer is told.

mod contact_shapes;
mod random;

use carom::narrow::{LocalManifold, contact, contact_traced};
use carom::prelude::*;
use carom::query::penetration;
use carom::trace::{StopReason, Trace};
use contact_shapes::{collide, deepest, overlap_along, size};
use fastrand::Rng;
use random::{between, direction, rotation, rotation_often_aligned, vector};
use std::f32::consts::TAU;

/// The points of a hull: round ones of few and of many corners, boxes, prisms, tetrahedra, discs and needles.
fn points(random: &mut Rng) -> Vec<Vec3> {
    let round =
        |random: &mut Rng, count: usize| -> Vec<Vec3> { (0..count).map(|_| direction(random).as_vec3()).collect() };
    match random.u32(0..8) {
        0 => round(random, 4),
        1 => round(random, 12),
        2 => round(random, 40),
        3 => round(random, 300),
        4 => (0..8).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) - 0.5).collect(),
        5 => {
            // A prism whose caps have more corners than a patch.
            let sides = random.u32(3..40);
            let rim = |i: u32| (TAU * (i / 2) as f32 / sides as f32).sin_cos();
            (0..2 * sides).map(|i| Vec3::new(rim(i).0, if i % 2 == 0 { -0.7 } else { 0.7 }, rim(i).1)).collect()
        }
        6 => round(random, 30).into_iter().map(|point| point * Vec3::new(1.0, 0.03, 1.0)).collect(),
        _ => round(random, 30).into_iter().map(|point| point * Vec3::new(0.05, 1.0, 0.05)).collect(),
    }
}

fn hull(random: &mut Rng) -> Shape {
    let scale = 10f32.powf(between(random, -0.5, 0.5));
    let points: Vec<Vec3> = points(random).into_iter().map(|point| point * scale).collect();
    Shape::hull(&points).expect("points that span a volume")
}

fn placed(b_in_a: &LocalPose) -> Pose {
    Pose::new(b_in_a.position.as_dvec3(), b_in_a.rotation)
}

fn assert_sound(manifold: &LocalManifold, margin: f32, name: &str) {
    assert!((manifold.normal.length() - 1.0).abs() < 1e-5, "{name}: {manifold:?}");
    assert!((1..=4).contains(&manifold.contacts().len()), "{name}: {manifold:?}");
    for contact in manifold.contacts() {
        let is_sound = contact.point.is_finite() && contact.depth.is_finite() && contact.depth >= -margin;
        assert!(is_sound, "{name}: {contact:?}");
    }
}

/// Deep, shallow, touching to the last digit, and apart by less than the margin: poses are made by solving once and
/// sliding along the normal.
#[test]
fn hulls_at_every_depth_are_as_deep_as_the_f64_search_proves() {
    let mut random = Rng::with_seed(71);
    let (mut checked, mut apart, mut worst) = (0, 0, 0.0f64);
    for case in 0..6_000 {
        let (a, b) = (hull(&mut random), hull(&mut random));
        let (small, both) = (f64::from(size(&a).min(size(&b))), f64::from(size(&a) + size(&b)));
        let start = LocalPose::new(vector(&mut random, 0.7 * both as f32), rotation_often_aligned(&mut random));
        let first = penetration(&a, &Pose::IDENTITY, &b, &placed(&start)).expect("sound input");
        // The wanted depth as a share of the smaller.
        let wanted = match case % 6 {
            0 => first.depth / small,
            1 => 0.0,
            2 => 1e-5,
            3 => -1e-4,
            4 => -0.01 * random.f64(),
            _ => 0.05 * random.f64(),
        };
        let shift = first.normal.as_dvec3() * (first.depth - wanted * small);
        let b_in_a = LocalPose::new((start.position.as_dvec3() + shift).as_vec3(), start.rotation);
        let truth = penetration(&a, &Pose::IDENTITY, &b, &placed(&b_in_a)).expect("sound input");
        let margin = (0.02 * small) as f32;
        let tolerance = 2e-6 * small + 2e-6 * both;
        let name = format!("case {case}, {} and {} corners", corners(&a), corners(&b));
        let Some(manifold) = collide(&a, &b, &b_in_a, margin) else {
            assert!(-truth.upper >= f64::from(margin) - tolerance, "{name}: nothing within {margin}, {truth:?}");
            apart += 1;
            continue;
        };
        assert_sound(&manifold, margin, &name);
        let depth = f64::from(deepest(&manifold).depth);
        let error = (depth - truth.depth).abs();
        worst = worst.max(error / (small + both));
        // Where two ways out are nearly as short, a face is preferred to an edge.
        let preferred = 2e-5 * small + 2e-4 * truth.depth.max(0.0);
        assert!(error <= tolerance + preferred, "{name}: {depth} for {}; {b_in_a:?}", truth.depth);
        let along = overlap_along(&a, &b, &b_in_a, manifold.normal.as_dvec3().normalize());
        if truth.depth > 0.0 {
            assert!((along - depth).abs() <= 1e-5 * small + tolerance, "{name}: {depth}, along the normal {along}");
        }
        checked += 1;
    }
    println!("{checked} manifolds, {apart} pairs beyond the margin; worst error {worst:.1e} of the size");
    assert!(checked > 4_000 && apart > 50, "{checked} {apart}");
}

fn corners(shape: &Shape) -> usize {
    if let Shape::Hull(hull) = shape { hull.core().vertices().len() } else { 0 }
}

/// A hull that is turned in its own frame and turned back by its pose is the same hull.
#[test]
fn turning_hulls_in_their_own_frames_changes_nothing() {
    let mut random = Rng::with_seed(72);
    let mut compared = 0;
    for case in 0..2_000 {
        let (points_a, points_b) = (points(&mut random), points(&mut random));
        let (Ok(a), Ok(b)) = (Shape::hull(&points_a), Shape::hull(&points_b)) else { continue };
        let b_in_a = LocalPose::new(vector(&mut random, 1.0), rotation(&mut random));
        let [frame_a, frame_b] = [(); 2].map(|()| LocalPose::new(vector(&mut random, 1.0), rotation(&mut random)));
        let moved = |points: &[Vec3], frame: &LocalPose| {
            let points: Vec<Vec3> = points.iter().map(|&point| frame.point_to_outer(point)).collect();
            Shape::hull(&points)
        };
        let (Ok(moved_a), Ok(moved_b)) = (moved(&points_a, &frame_a), moved(&points_b, &frame_b)) else { continue };
        let moved_pose = frame_a.compose(&b_in_a).compose(&frame_b.inverse());
        let margin = 0.05;
        match (collide(&a, &b, &b_in_a, margin), collide(&moved_a, &moved_b, &moved_pose, margin)) {
            (Some(here), Some(there)) => {
                let (depth, moved_depth) = (deepest(&here).depth, deepest(&there).depth);
                assert!((depth - moved_depth).abs() < 5e-5, "case {case}: {depth} and {moved_depth}");
                compared += 1;
            }
            (None, None) => {}
            (here, there) => {
                let depth = here.or(there).map_or(0.0, |manifold| deepest(&manifold).depth);
                assert!(depth + margin < 5e-5, "case {case}: {here:?} {there:?}");
            }
        }
    }
    assert!(compared > 800, "{compared}");
}

/// Boxes have their own search; as hulls of eight corners they must be as deep.
#[test]
fn boxes_and_hulls_of_their_corners_agree() -> Result<(), ShapeError> {
    let mut random = Rng::with_seed(73);
    let mut compared = 0;
    for case in 0..4_000 {
        let [half_a, half_b] = [(); 2].map(|()| vector(&mut random, 1.0).abs() + 0.05);
        let corners = |half: Vec3| {
            (0..8).map(move |i| half * (Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 2.0 - 1.0))
        };
        let boxes = [Shape::cuboid(half_a.x, half_a.y, half_a.z)?, Shape::cuboid(half_b.x, half_b.y, half_b.z)?];
        let hulls =
            [Shape::hull(&corners(half_a).collect::<Vec<_>>())?, Shape::hull(&corners(half_b).collect::<Vec<_>>())?];
        let b_in_a = LocalPose::new(vector(&mut random, 1.2), rotation_often_aligned(&mut random));
        let margin = 0.04;
        let [of_boxes, of_hulls] = [&boxes, &hulls].map(|pair| collide(&pair[0], &pair[1], &b_in_a, margin));
        match (of_boxes, of_hulls) {
            (Some(of_boxes), Some(of_hulls)) => {
                let (depth, hull_depth) = (deepest(&of_boxes).depth, deepest(&of_hulls).depth);
                let tolerance = 3e-5 + 2e-4 * depth.abs();
                assert!((depth - hull_depth).abs() < tolerance, "case {case}: {depth} and {hull_depth}; {b_in_a:?}");
                compared += 1;
            }
            (None, None) => {}
            (here, there) => {
                let depth = here.or(there).map_or(0.0, |manifold| deepest(&manifold).depth);
                assert!(depth + margin < 1e-5, "case {case}: {here:?} {there:?}");
            }
        }
    }
    assert!(compared > 1_500, "{compared}");
    Ok(())
}

/// Coincident, nested, flat as paper, thin as hair, far from their own origins, huge beside tiny: sound answers, and where
/// f64 proves a depth, that one.
#[test]
fn degenerate_hulls_have_sound_contacts() -> Result<(), Box<dyn std::error::Error>> {
    let mut random = Rng::with_seed(74);
    let scaled = |points: &[Vec3], by: Vec3, to: Vec3| -> Result<Shape, ShapeError> {
        Shape::hull(&points.iter().map(|&point| point * by + to).collect::<Vec<_>>())
    };
    let round: Vec<Vec3> = (0..60).map(|_| direction(&mut random).as_vec3()).collect();
    let cube: Vec<Vec3> =
        (0..8).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) - 0.5).collect();
    let mut shapes = Vec::new();
    for points in [&round, &cube] {
        for by in [1.0, 1e-3, 1e3, 1e-7, 1e7] {
            shapes.push(scaled(points, Vec3::splat(by), Vec3::ZERO)?);
        }
        shapes.push(scaled(points, Vec3::new(1.0, 1e-5, 1.0), Vec3::ZERO)?);
        shapes.push(scaled(points, Vec3::new(1e-4, 1.0, 1e-4), Vec3::ZERO)?);
        shapes.push(scaled(points, Vec3::ONE, Vec3::new(300.0, -200.0, 100.0))?);
        shapes.push(scaled(points, Vec3::ONE, Vec3::ZERO)?.rounded(0.1)?);
    }
    let mut places = vec![
        LocalPose::IDENTITY,
        LocalPose::at([0.0, 1e-30, 0.0]),
        LocalPose::at([0.0, 1e-7, 0.0]),
        LocalPose::at([0.0, 1.0, 0.0]),
        LocalPose::new(Vec3::ZERO, Quat::from_rotation_x(1e-5)),
        LocalPose::at([-300.0, 200.0, -100.0]),
        LocalPose::at([1e20, 0.0, 0.0]),
    ];
    places.extend((0..6).map(|_| LocalPose::new(vector(&mut random, 0.5), rotation(&mut random))));
    let (mut touching, mut proven) = (0, 0);
    for a in &shapes {
        for b in &shapes {
            for b_in_a in &places {
                for margin in [0.0, 0.05] {
                    let Some(manifold) = contact(a, b, b_in_a, margin)? else { continue };
                    let name = format!("{} and {} across at {b_in_a:?}", size(a), size(b));
                    assert_sound(&manifold, margin, &name);
                    touching += 1;
                    let truth = penetration(a, &Pose::IDENTITY, b, &placed(b_in_a))?;
                    let both = f64::from(size(a) + size(b) + b_in_a.position.length());
                    if truth.upper - truth.lower > 1e-6 * both {
                        continue;
                    }
                    let depth = f64::from(deepest(&manifold).depth);
                    let small = f64::from(size(a).min(size(b)));
                    let tolerance = 2e-5 * small + 4e-6 * both + 2e-4 * truth.depth.abs();
                    assert!((depth - truth.depth).abs() <= tolerance, "{name}: {depth} for {truth:?}");
                    proven += 1;
                }
            }
        }
    }
    println!("{touching} contacts, {proven} against a proven depth");
    assert!(proven > 1_000, "{touching} {proven}");
    Ok(())
}

#[test]
fn a_tracer_is_told_every_axis_and_changes_nothing() {
    let mut random = Rng::with_seed(75);
    let (mut by_axes, mut by_steps) = (0, 0);
    for case in 0..1_500 {
        let cuboid = |random: &mut Rng| {
            let half = vector(random, 1.0).abs() + 0.1;
            Shape::cuboid(half.x, half.y, half.z).expect("positive")
        };
        let (a, b) = if case % 3 == 0 {
            (cuboid(&mut random), cuboid(&mut random))
        } else {
            (hull(&mut random), hull(&mut random))
        };
        let reach = size(&a) + size(&b);
        let b_in_a = LocalPose::new(vector(&mut random, 0.6 * reach), rotation(&mut random));
        let mut trace = Trace::default();
        let traced = contact_traced(&a, &b, &b_in_a, 0.0, &mut trace).expect("sound input");
        assert_eq!(traced, collide(&a, &b, &b_in_a, 0.0), "case {case}");
        let widest = trace.axes.iter().map(|step| step.gap).fold(f64::NEG_INFINITY, f64::max);
        for step in &trace.axes {
            // The gap that is told is the gap there is, by supports.
            let overlap = overlap_along(&a, &b, &b_in_a, step.axis.normalize());
            assert!((overlap + step.gap).abs() < 1e-4 * f64::from(reach), "case {case}: {step:?}, {overlap}");
        }
        let Some(manifold) = traced else {
            by_steps += usize::from(!trace.gjk.is_empty());
            continue;
        };
        if trace.epa.is_empty() && trace.reasons.last() == Some(&StopReason::BoundsMet) && !trace.axes.is_empty() {
            let depth = f64::from(deepest(&manifold).depth);
            // The axis that is taken may be worse than the best by as much as a face is preferred.
            let preferred = 1e-4 * f64::from(reach) + 2e-4 * depth;
            assert!((widest + depth).abs() <= preferred, "case {case}: {widest} {depth} {trace:?}");
            by_axes += 1;
        }
    }
    assert!(by_axes > 300 && by_steps > 20, "{by_axes} {by_steps}");
}
