//! The plane: GJK and separating axes, which share no formula, against each other and against sampled directions;
//! curves against thousands of their points.

use carom::glam::DVec2;
use carom::planar::{Bezier, Figure, PlanarError, Separation, curve_overlaps, distance, separating_axes};
use fastrand::Rng;
use std::f64::consts::TAU;

fn point(random: &mut Rng, reach: f64) -> DVec2 {
    DVec2::new(random.f64() * 2.0 - 1.0, random.f64() * 2.0 - 1.0) * reach
}

/// A polygon with corners on an ellipse, a box, a segment, a point; sharp or rounded; coordinates often on a grid.
fn figure(random: &mut Rng) -> Figure {
    let size = [1.0, 1.0, 0.01][random.usize(0..3)];
    let centre = if random.bool() { point(random, 1.0) } else { (point(random, 1.0) * 2.0).round() * 0.5 };
    let sharp = match random.usize(0..5) {
        0 => Figure::polygon(&[centre]),
        1 => Figure::polygon(&[centre, centre + point(random, size)]),
        2 => Figure::rectangle(centre, point(random, size).abs(), [0.0, random.f64() * TAU][random.usize(0..2)]),
        _ => {
            let mut angles: Vec<f64> = (0..random.usize(3..9)).map(|_| random.f64() * TAU).collect();
            angles.sort_by(f64::total_cmp);
            let stretch = DVec2::new(1.0, 0.1 + random.f64());
            let corners: Vec<DVec2> =
                angles.iter().map(|&angle| centre + size * stretch * DVec2::from_angle(angle)).collect();
            Figure::polygon(&corners)
        }
    }
    .unwrap();
    if random.bool() { sharp.rounded(random.f64() * 0.3).unwrap() } else { sharp }
}

fn gap(a: &Figure, b: &Figure, along: DVec2) -> f64 {
    let most = |figure: &Figure, along: DVec2| {
        figure.corners().iter().map(|corner| corner.dot(along)).fold(f64::NEG_INFINITY, f64::max) + figure.radius()
    };
    -most(b, -along) - most(a, along)
}

/// How far a point is out of a figure, at least: zero for points inside.
fn outside(figure: &Figure, point: DVec2) -> f64 {
    let probe = Figure::polygon(&[point]).unwrap();
    (0..360).map(|degree| gap(figure, &probe, DVec2::from_angle(f64::from(degree).to_radians()))).fold(0.0, f64::max)
}

#[test]
fn two_methods_agree_and_no_direction_does_better() {
    let mut random = Rng::with_seed(1);
    let (mut deep, mut worst) = (0, 0.0_f64);
    for case in 0..60_000 {
        let (a, b) = (figure(&mut random), figure(&mut random));
        let (by_gjk, by_axes) = (distance(&a, &b), separating_axes(&a, &b));
        let context = || format!("{a:?} {b:?}\n{by_gjk:?}\n{by_axes:?}");
        worst = worst.max((by_gjk.distance - by_axes.distance).abs());
        assert!((by_gjk.distance - by_axes.distance).abs() < 1e-11, "{}", context());
        deep += usize::from(by_gjk.distance < 0.0);
        for found in [by_gjk, by_axes] {
            let Separation { normal, distance, on_a, on_b, .. } = found;
            assert!((normal.length() - 1.0).abs() < 1e-12, "{}", context());
            assert!((gap(&a, &b, normal) - distance).abs() < 1e-7, "{} {}", gap(&a, &b, normal), context());
            assert!((normal.dot(on_b - on_a) - distance).abs() < 1e-9, "{}", context());
            if case % 10 == 0 {
                assert!(outside(&a, on_a) < 1e-9 && outside(&b, on_b) < 1e-9, "{}", context());
            }
        }
        if case % 10 == 0 {
            for degree in 0..360 {
                let along = DVec2::from_angle(f64::from(degree).to_radians());
                assert!(gap(&a, &b, along) <= by_gjk.distance + 1e-12, "{degree}° {}", context());
            }
        }
    }
    println!("{deep} of 60000 deep; the methods differ by {worst:.1e} at most");
    assert!(deep > 5_000);
}

#[test]
fn curves_meet_what_their_points_meet() {
    let mut random = Rng::with_seed(2);
    let mut met = [0; 2];
    for _ in 0..3_000 {
        let figure = figure(&mut random);
        let curve = if random.bool() {
            Bezier::cubic(std::array::from_fn(|_| point(&mut random, 2.0)))
        } else {
            Bezier::quadratic(std::array::from_fn(|_| point(&mut random, 2.0)))
        }
        .unwrap();
        let nearest = (0..=2_000)
            .map(|step| distance(&figure, &Figure::polygon(&[curve.at(f64::from(step) / 2000.0)]).unwrap()).distance)
            .fold(f64::INFINITY, f64::min);
        let found = curve_overlaps(&curve, &figure, 1e-9).unwrap();
        met[usize::from(found)] += 1;
        // Between two of the points the curve may come nearer by their spacing.
        assert!(!found || nearest < 0.02, "{nearest} {figure:?} {curve:?}");
        assert!(found || nearest > 0.0, "{nearest} {figure:?} {curve:?}");
    }
    assert!(met[0] > 300 && met[1] > 300, "{met:?}");
}

#[test]
fn degenerate_figures_are_answered_or_refused() {
    let dot = Figure::polygon(&[DVec2::ONE]).unwrap();
    for found in [distance(&dot, &dot), separating_axes(&dot, &dot)] {
        assert!(found.distance == 0.0 && found.normal.length() == 1.0);
    }
    let line = Figure::polygon(&[DVec2::ZERO, DVec2::X]).unwrap();
    for other in [&line, &Figure::polygon(&[DVec2::new(0.5, -1.0), DVec2::new(0.5, 1.0)]).unwrap()] {
        for found in [distance(&line, other), separating_axes(&line, other)] {
            assert!(found.distance.abs() < 1e-14 || found.distance == -0.5, "{found:?}");
        }
    }
    let flat = Figure::rectangle(DVec2::ZERO, DVec2::new(1.0, 0.0), 0.3).unwrap();
    assert!((distance(&flat, &flat).distance).abs() < 1e-14);
    assert!(matches!(Figure::polygon(&[]), Err(PlanarError::Empty)));
    assert!(matches!(Figure::circle(DVec2::NAN, 1.0), Err(PlanarError::NotFinite { .. })));
    assert!(matches!(Figure::circle(DVec2::ZERO, -1.0), Err(PlanarError::Size(_))));
    let star: Vec<DVec2> = (0..5).map(|i| DVec2::from_angle(f64::from(i) * 0.4 * TAU)).collect();
    assert!(matches!(Figure::polygon(&star), Err(PlanarError::NotConvex { .. })));
}
