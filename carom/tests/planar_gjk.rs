//! GJK in the plane against brute force: the hull of all differences of corners, and how far the origin is from its sides.
//! Bounds must hold the truth, the status must follow from it, and a warm start must change nothing but the work.

use carom::glam::DVec2;
use carom::planar::{
    Bezier, Figure, PairCache, PlanarError, Separation, Status, distance, distance_cached, distance_traced,
    separating_axes, separating_axes_traced,
};
use carom::trace::{StopReason, Trace};
use fastrand::Rng;
use robust::{Coord, orient2d};
use std::f64::consts::TAU;

fn side_of(from: DVec2, to: DVec2, point: DVec2) -> f64 {
    let [from, to, point] = [from, to, point].map(|point| Coord { x: point.x, y: point.y });
    orient2d(from, to, point)
}

/// Counter-clockwise, by Andrew's monotone chain with exact signs; a segment has its two ends, a point one.
fn hull(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut whole: Vec<DVec2> = Vec::new();
    for _ in 0..2 {
        let start = whole.len();
        for &point in &points {
            while whole.len() >= start + 2 && side_of(whole[whole.len() - 2], whole[whole.len() - 1], point) <= 0.0 {
                whole.pop();
            }
            whole.push(point);
        }
        whole.pop();
        points.reverse();
    }
    whole
}

fn from_segment(p: DVec2, q: DVec2) -> f64 {
    let along = q - p;
    let share = if along == DVec2::ZERO { 0.0 } else { (-p.dot(along) / along.length_squared()).clamp(0.0, 1.0) };
    (p + share * along).length()
}

/// The signed distance, and the size of the pair. Sizes are brought near one first, which is exact.
fn truth(a: &Figure, b: &Figure) -> (f64, f64) {
    let differences: Vec<DVec2> = a.corners().iter().flat_map(|p| b.corners().iter().map(move |q| *p - *q)).collect();
    let own = |figure: &Figure| {
        let corners = figure.corners();
        corners.iter().flat_map(|p| corners.iter().map(move |q| (*p - *q).abs().max_element())).fold(0.0, f64::max)
    };
    let most = differences.iter().fold(own(a).max(own(b)), |most: f64, point| most.max(point.abs().max_element()));
    let unit = if most > 0.0 { 2.0_f64.powi(most.log2().floor() as i32) } else { 1.0 };
    let hull = hull(differences.iter().map(|point| *point / unit).collect());
    let side = |index: usize| (hull[index], hull[(index + 1) % hull.len()]);
    let nearest = (0..hull.len()).map(|i| from_segment(side(i).0, side(i).1)).fold(f64::INFINITY, f64::min);
    let is_inside = hull.len() > 2 && (0..hull.len()).all(|i| side_of(side(i).0, side(i).1, DVec2::ZERO) >= 0.0);
    let core = unit * if is_inside { -nearest } else { nearest };
    (core - a.radius() - b.radius(), most + a.radius() + b.radius())
}

fn point(random: &mut Rng) -> DVec2 {
    DVec2::new(random.f64() * 2.0 - 1.0, random.f64() * 2.0 - 1.0)
}

/// Points, segments, boxes, polygons; needles, near-equal corners, coordinates on a grid; sharp or grown.
fn figure(random: &mut Rng, size: f64, middle: DVec2) -> Figure {
    let own = size * [1.0, 1.0, 0.01, 1e-6][random.usize(0..4)];
    let centre = if random.bool() { point(random) } else { (point(random) * 2.0).round() * 0.5 };
    let thin = [1.0, 0.3, 1e-9][random.usize(0..3)];
    let mut corners = match random.usize(0..6) {
        0 => vec![DVec2::ZERO],
        1 => vec![DVec2::ZERO, point(random)],
        2 => vec![DVec2::new(-1.0, -thin), DVec2::new(1.0, -thin), DVec2::new(1.0, thin), DVec2::new(-1.0, thin)],
        kind => {
            let mut angles: Vec<f64> = (0..random.usize(3..9)).map(|_| random.f64() * TAU).collect();
            if kind == 5 {
                angles.push((angles[0] + 1e-9).min(TAU));
            }
            angles.sort_by(f64::total_cmp);
            angles.iter().map(|angle| DVec2::new(1.0, thin) * DVec2::from_angle(*angle)).collect()
        }
    };
    let turn = if random.bool() { DVec2::from_angle(random.f64() * TAU) } else { DVec2::X };
    corners.iter_mut().for_each(|corner| *corner = middle + size * centre + own * turn.rotate(*corner));
    // Rounding of a far place can turn a needle inside out; its hull is then as good a figure.
    let sharp = Figure::polygon(&corners).unwrap_or_else(|_| Figure::polygon(&hull(corners)).unwrap());
    if random.bool() { sharp.rounded(random.f64() * 0.3 * size).unwrap() } else { sharp }
}

fn pair(random: &mut Rng) -> (Figure, Figure) {
    let size = [1.0, 1.0, 1e-155, 1e-40, 1e40, 1e147][random.usize(0..6)];
    let middle = if random.usize(0..4) == 0 { point(random) * size * 1e2 } else { DVec2::ZERO };
    let a = figure(random, size, middle);
    let b = if random.usize(0..16) == 0 { a.clone() } else { figure(random, size, middle) };
    (a, b)
}

/// How far a point is out of a figure, by brute force.
fn outside(figure: &Figure, point: DVec2) -> f64 {
    truth(figure, &Figure::polygon(&[point]).unwrap()).0
}

fn judge(a: &Figure, b: &Figure, found: &Separation, counts: &mut [usize; 4]) {
    let (truth, scale) = truth(a, b);
    let context = || format!("{a:?}\n{b:?}\n{found:?}\ntruth {truth:e} of {scale:e}");
    assert!(found.lower <= truth && truth <= found.upper, "{}", context());
    assert!(found.lower <= found.distance && found.distance <= found.upper, "{}", context());
    let is_undecided = matches!(found.status, Status::IterationLimit);
    assert!(is_undecided || found.upper - found.lower <= 2e-12 * scale + f64::MIN_POSITIVE, "{}", context());
    assert!((found.normal.length() - 1.0).abs() < 1e-12, "{}", context());
    // A thousandth of an ulp of the figures' place is no fault of the search.
    let far = [a, b].iter().flat_map(|f| f.corners()).fold(scale, |far, corner| far.max(corner.abs().max_element()));
    for (figure, on) in [(a, found.on_a), (b, found.on_b)] {
        assert!(outside(figure, on) <= 1e-12 * far, "{}", context());
    }
    match found.status {
        Status::Separated(line) => {
            counts[0] += 1;
            assert!(found.lower > 0.0, "{}", context());
            assert!(a.corners().iter().all(|corner| line.height(*corner) + a.radius() < 0.0), "{}", context());
            assert!(b.corners().iter().all(|corner| line.height(*corner) - b.radius() > 0.0), "{}", context());
        }
        Status::Touching => {
            counts[1] += 1;
            assert!(truth.abs() <= 1e-12 * far, "{}", context());
        }
        Status::Overlapping(common) => {
            counts[2] += 1;
            assert!(found.upper < 0.0, "{}", context());
            // Of needles the point is known to fewer digits.
            assert!(outside(a, common) <= 1e-9 * far && outside(b, common) <= 1e-9 * far, "{}", context());
        }
        Status::IterationLimit => counts[3] += 1,
    }
}

#[test]
fn bounds_hold_the_truth_and_the_status_follows() {
    let mut random = Rng::with_seed(11);
    let mut counts = [0; 4];
    for _ in 0..60_000 {
        let (a, b) = pair(&mut random);
        judge(&a, &b, &distance(&a, &b), &mut counts);
        judge(&a, &b, &separating_axes(&a, &b), &mut counts);
    }
    println!("separated, touching, overlapping, not decided: {counts:?}");
    // Needles of 1e-9 of their length, at the edge of what numbers can tell, may stay undecided, and say so.
    assert!(counts[..3].iter().all(|count| *count > 1_000) && counts[3] < 60, "{counts:?}");
}

/// The figure turned around the origin and moved.
fn moved(figure: &Figure, angle: f64, by: DVec2) -> Figure {
    let corners: Vec<DVec2> =
        figure.corners().iter().map(|corner| by + DVec2::from_angle(angle).rotate(*corner)).collect();
    Figure::polygon(&corners).unwrap().rounded(figure.radius()).unwrap()
}

fn round(corners: usize) -> Figure {
    let angle = |index: usize| TAU * (index as f64 + 0.3) / corners as f64;
    let corners: Vec<DVec2> =
        (0..corners).map(|index| DVec2::new(1.0, 0.6) * DVec2::from_angle(angle(index))).collect();
    Figure::polygon(&corners).unwrap()
}

#[test]
fn a_warm_start_changes_nothing_but_the_work() {
    let mut random = Rng::with_seed(12);
    let mut all = [0; 2];
    // Apart, grazing and deep: on circles of these radii around the first, a degree and a hundredth of the size a frame.
    for away in [4.0, 1.7, 0.6] {
        let mut steps = [0; 2];
        for corners in [4, 16, 64] {
            let (a, b) = (round(corners), round(corners + 1).rounded(0.1 * random.f64()).unwrap());
            let mut cache = PairCache::default();
            for frame in 0..360 {
                let angle = f64::from(frame).to_radians();
                let b = moved(&b, angle, away * DVec2::from_angle(angle));
                let (mut cold, mut warm) = (Trace::default(), Trace::default());
                let from_cold = distance_traced(&a, &b, &mut PairCache::default(), &mut cold);
                let from_warm = distance_traced(&a, &b, &mut cache, &mut warm);
                assert!((from_cold.distance - from_warm.distance).abs() < 1e-12, "{from_cold:?} {from_warm:?}");
                assert!(from_cold.lower <= from_warm.upper && from_warm.lower <= from_cold.upper);
                let kind = std::mem::discriminant(&from_cold.status);
                assert_eq!(kind, std::mem::discriminant(&from_warm.status), "{from_cold:?} {from_warm:?}");
                for (count, trace) in steps.iter_mut().zip([cold, warm]) {
                    *count += trace.gjk.len() + trace.epa.len();
                }
            }
        }
        println!("{away} apart: {} steps cold, {} warm", steps[0], steps[1]);
        assert!(2 * steps[1] < steps[0], "{away}: {steps:?}");
        all = [all[0] + steps[0], all[1] + steps[1]];
    }
    // A cache of quite another pair does no harm either.
    let mut cache = PairCache::default();
    let mut counts = [0; 4];
    for _ in 0..20_000 {
        let (a, b) = pair(&mut random);
        judge(&a, &b, &distance_cached(&a, &b, &mut cache), &mut counts);
    }
    assert!(counts[3] < 20, "{counts:?}");
    assert!(all[1] > 0);
}

#[test]
fn the_trace_tells_what_is_answered() {
    let mut random = Rng::with_seed(13);
    for _ in 0..5_000 {
        let (a, b) = pair(&mut random);
        let mut trace = Trace::default();
        let found = distance_traced(&a, &b, &mut PairCache::default(), &mut trace);
        assert_eq!(found, distance(&a, &b));
        let (radius, scale) = (a.radius() + b.radius(), truth(&a, &b).1);
        let context = || format!("{a:?}\n{b:?}\n{found:?}\n{trace:?}");
        assert!(trace.gjk.windows(2).all(|steps| steps[0].lower <= steps[1].lower && steps[0].upper >= steps[1].upper));
        let last = *trace.reasons.last().unwrap();
        assert!(last != StopReason::IterationLimit, "{}", context());
        let told = match (trace.epa.last(), trace.gjk.last()) {
            (Some(step), _) => Some((-step.upper, -step.lower)),
            (None, Some(step)) => Some((step.lower, step.upper)),
            (None, None) => None,
        };
        match told {
            Some((lower, upper)) => {
                assert!((lower - radius - found.lower).abs() <= 1e-12 * scale, "{}", context());
                assert!((upper - radius - found.upper).abs() <= 1e-12 * scale, "{}", context());
            }
            None => assert_eq!(last, StopReason::Flat, "{}", context()),
        }
        // Every point that is told is the difference of two corners.
        for told in trace.gjk.iter().flat_map(|step| &step.simplex) {
            assert!((told.on_a - told.on_b - told.difference).length() <= 1e-13 * (scale + told.on_a.length()));
        }
        let mut axes = Trace::default();
        let by_axes = separating_axes_traced(&a, &b, &mut axes);
        let widest = axes.axes.iter().map(|step| step.gap).fold(f64::NEG_INFINITY, f64::max);
        assert!(axes.axes.is_empty() || (widest - radius - by_axes.distance).abs() <= 1e-12 * scale, "{by_axes:?}");
    }
}

#[test]
fn what_cannot_be_computed_with_is_refused() {
    assert!(matches!(Figure::polygon(&[DVec2::new(2e150, 0.0)]), Err(PlanarError::TooFar { value }) if value == 2e150));
    assert!(matches!(Figure::circle(DVec2::ZERO, 1e151), Err(PlanarError::TooFar { .. })));
    assert!(matches!(Bezier::quadratic([DVec2::ZERO, DVec2::MAX, DVec2::X]), Err(PlanarError::TooFar { .. })));
    // Clockwise, however small.
    let small = [DVec2::ZERO, DVec2::Y * 1e-200, DVec2::X * 1e-200];
    assert!(matches!(Figure::polygon(&small), Err(PlanarError::NotConvex { .. })));
}
