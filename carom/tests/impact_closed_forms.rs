//! Closed forms (T1, T2) and bisection (T4) against independent answers.

use carom::impact::{Bracket, ImpactError, MovingSphere, Terms, bisect, edge_edge, spheres};
use carom::planar::vertex_edge;
use fastrand::Rng;
use glam::{DVec2, DVec3};

fn vector(rng: &mut Rng, reach: f64) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| (rng.f64() * 2.0 - 1.0) * reach))
}

/// The least gap of two spheres in a span of time: their distance is convex, so thirds close in on it.
fn least_gap(a: &MovingSphere, b: &MovingSphere, mut low: f64, mut high: f64) -> (f64, f64) {
    let gap = |time: f64| a.start.lerp(a.end, time).distance(b.start.lerp(b.end, time)) - a.radius - b.radius;
    for _ in 0..200 {
        let (first, second) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if gap(first) <= gap(second) { high = second } else { low = first }
    }
    (0.5 * (low + high), gap(0.5 * (low + high)))
}

#[test]
fn spheres_touch_when_their_gap_closes() {
    let mut rng = Rng::with_seed(1);
    let (mut hits, mut misses) = (0, 0);
    for case in 0..200_000 {
        let scale = 10f64.powi(rng.i32(-6..7));
        let far = if rng.bool() { 0.0 } else { 100.0 * scale };
        let offset = vector(&mut rng, far);
        let mut ball = |reach: f64| MovingSphere {
            start: offset + vector(&mut rng, reach),
            end: offset + vector(&mut rng, reach),
            radius: rng.f64() * scale * [0.0, 1e-3, 1.0][rng.usize(0..3)],
        };
        let (a, b) = (ball(scale), ball(3.0 * scale));
        let size = 300.0 * scale;
        let (closest, gap) = least_gap(&a, &b, 0.0, 1.0);
        let distance = |time: f64| a.start.lerp(a.end, time).distance(b.start.lerp(b.end, time)) - a.radius - b.radius;
        match spheres(&a, &b).unwrap() {
            Some(time) => {
                hits += 1;
                let apart = distance(time);
                assert!((0.0..=1.0).contains(&time), "case {case}: {time}");
                assert!(time == 0.0 && apart <= 1e-13 * size || apart.abs() <= 1e-13 * size, "case {case}: {apart}");
                assert!(time <= closest + 1e-6, "case {case}: the first of two");
            }
            None => {
                misses += 1;
                assert!(gap > -1e-13 * size, "case {case}: missed, {gap} at {closest}");
            }
        }
    }
    assert!(hits > 10_000 && misses > 10_000, "{hits} {misses}");
}

#[test]
fn degenerate_spheres() {
    let at = |x: f64, to: f64, y: f64, radius: f64| MovingSphere {
        start: DVec3::new(x, y, 0.0),
        end: DVec3::new(to, y, 0.0),
        radius,
    };
    let still = at(0.0, 0.0, 0.0, 1.0);
    // No relative motion, apart and touching.
    assert_eq!(spheres(&still, &at(3.0, 3.0, 0.0, 1.0)).unwrap(), None);
    assert_eq!(spheres(&still, &at(2.0, 2.0, 0.0, 1.0)).unwrap(), Some(0.0));
    assert_eq!(spheres(&at(5.0, 9.0, 0.0, 1.0), &at(2.0, 6.0, 0.0, 1.0)).unwrap(), None);
    // Grazing, and just not.
    let grazing = spheres(&still, &at(-4.0, 4.0, 2.0, 1.0)).unwrap();
    assert!(grazing.is_some_and(|time| (time - 0.5).abs() < 1e-15), "{grazing:?}");
    assert_eq!(spheres(&still, &at(-4.0, 4.0, 2.000_000_1, 1.0)).unwrap(), None);
    // In contact and parting; inside one another; in one place.
    assert_eq!(spheres(&still, &at(2.0, 9.0, 0.0, 1.0)).unwrap(), Some(0.0));
    assert_eq!(spheres(&still, &at(0.1, 9.0, 0.0, 0.5)).unwrap(), Some(0.0));
    assert_eq!(spheres(&still, &still).unwrap(), Some(0.0));
    // Points, contact at the very end, and one that turns back before.
    assert_eq!(spheres(&at(0.0, 0.0, 0.0, 0.0), &at(4.0, 0.0, 0.0, 0.0)).unwrap(), Some(1.0));
    assert_eq!(spheres(&still, &at(6.0, 2.0, 0.0, 1.0)).unwrap(), Some(1.0));
    assert_eq!(spheres(&still, &at(6.0, 2.1, 0.0, 1.0)).unwrap(), None);
    // A pea from a billion metres keeps its digits, where b² - ac has none.
    let pea = at(1e9, -1e9, 0.0, 1e-3);
    let time = spheres(&at(0.0, 0.0, 0.0, 0.0), &pea).unwrap().unwrap();
    assert!((time - (1e9 - 1e-3) / 2e9).abs() < 1e-16);
    for unit in [1e-300, 1e300] {
        let found = spheres(&at(0.0, 0.0, 0.0, unit), &at(-4.0 * unit, 4.0 * unit, 0.0, unit)).unwrap();
        assert_eq!(found, Some(0.25), "{unit:e}");
    }
    assert!(matches!(spheres(&still, &at(f64::NAN, 0.0, 0.0, 1.0)), Err(ImpactError::NotFinite { index: 1, .. })));
    assert!(matches!(spheres(&still, &at(0.0, 0.0, 0.0, -1.0)), Err(ImpactError::Size { .. })));
}

/// A vertex and an edge of the plane touch when a line through the vertex across the plane touches the edge.
#[test]
fn vertices_meet_edges_when_upright_edges_do() {
    let mut rng = Rng::with_seed(2);
    let mut hits = 0;
    for case in 0..200_000 {
        let is_whole = case % 2 == 0;
        let reach = rng.i32(1..6);
        let mut point = || {
            let mut number = || if is_whole { f64::from(rng.i32(-reach..=reach)) } else { rng.f64() * 2.0 - 1.0 };
            DVec2::new(number(), number())
        };
        let start: [DVec2; 3] = std::array::from_fn(|_| point());
        let mut end: [DVec2; 3] = std::array::from_fn(|_| point());
        if case % 10 == 0 {
            end = start;
        } else if case % 10 == 2 {
            end = start.map(|point| DVec2::new(point.x + 1.0, point.y));
        }
        let upright = |[x, y, z]: &[DVec2; 3]| [x.extend(-1.0), x.extend(1.0), y.extend(0.0), z.extend(0.0)];
        let terms = Terms { tolerance: 0.0, ..Terms::default() };
        let expected = edge_edge(&upright(&start), &upright(&end), &terms).unwrap();
        let found = vertex_edge(&start, &end).unwrap();
        let tell = || format!("case {case}: {start:?} to {end:?}: {found:?}, conservative {expected:?}");
        hits += usize::from(found.is_some());
        match (found, expected.time()) {
            (None, None) => {}
            // The conservative time is early; between it and the answer they are as good as in contact.
            (Some(time), Some(before)) => assert!(time >= before - 1e-9 && time <= 1.0, "{}", tell()),
            (None, Some(_)) | (Some(_), None) => assert!(!is_whole, "{}", tell()),
        }
        if let Some(time) = found {
            let [x, y, z]: [DVec2; 3] = std::array::from_fn(|i| start[i].lerp(end[i], time));
            let share = ((x - y).dot(z - y) / (z - y).length_squared()).clamp(0.0, 1.0);
            let share = if share.is_nan() { 0.0 } else { share };
            assert!(x.distance(y.lerp(z, share)) <= 1e-11, "{}", tell());
        }
    }
    assert!(hits > 20_000, "{hits}");
}

#[test]
fn bisection_brackets_the_first_hit() {
    for (first, length) in [(0.3, 1e-3), (1e-9, 1e-12), (0.999_999, 0.0), (0.5, 0.4)] {
        let mut asked = 0;
        let found = bisect([0.0, 1.0], length, |time| {
            asked += 1;
            Ok::<bool, ()>(time >= first)
        });
        let Ok(Bracket::Between { free, hit }) = found else { panic!("{found:?}") };
        assert!(free < first && first <= hit && asked < 1100, "{free} {hit} {asked}");
        assert!(hit - free <= length || free.next_up() == hit, "{free} {hit}");
    }
    assert_eq!(bisect([0.0, 1.0], 0.1, |_| Ok::<bool, ()>(true)), Ok(Bracket::AtStart));
    assert_eq!(bisect([0.0, 1.0], 0.1, |_| Ok::<bool, ()>(false)), Ok(Bracket::FreeAtEnd));
    assert!(bisect([0.0, f64::NAN], 0.1, |_| Ok::<bool, ()>(false)).is_err());
    assert!(bisect([0.0, 1.0], -1.0, |_| Ok::<bool, ()>(false)).is_err());
    assert!(bisect([-f64::MAX, f64::MAX], 1.0, |time| Ok::<bool, ()>(time > 5.0)).is_ok());
    assert!(bisect([0.0, 1.0], 0.1, |_| Err::<bool, &str>("no")).is_err());
}
