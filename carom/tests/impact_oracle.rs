//! Random and adversarial queries against exact algebra: no miss, no false alarm, no late time (T3).
//!
//! Coordinates are small whole numbers, so that grazing, parallel, flat and coincident features, still ones, and
//! contacts at the very start and end of the step all come up by themselves; they are then moved far off and made tiny
//! or huge, without rounding. `CAROM_CASES` multiplies the number of cases, `CAROM_SEED` makes them others.

mod impact_exact;
mod impact_queries;

use carom::impact::{ImpactError, Kind, Outcome, Status, Terms, features, features_each};
use fastrand::Rng;
use glam::DVec3;
use impact_exact::Point;
use impact_queries::Query;

const CASES: usize = 200_000;

fn cases() -> usize {
    CASES * std::env::var("CAROM_CASES").map_or(1, |factor| factor.parse().unwrap())
}

/// Four points at the start and at the end, of one of several kinds.
fn whole(rng: &mut Rng) -> ([Point; 4], [Point; 4]) {
    let reach = [1, 2, 3, 8][rng.usize(0..4)];
    let point = |rng: &mut Rng| -> Point { std::array::from_fn(|_| rng.i128(-reach..=reach)) };
    let mut start: [Point; 4] = std::array::from_fn(|_| point(rng));
    let mut end: [Point; 4] = std::array::from_fn(|_| point(rng));
    match rng.u32(0..24) {
        // Still, and rigid.
        0 => end = start,
        1 | 12 => {
            let way = point(rng);
            for i in 0..4 {
                let moves = i != 0;
                end[i] = std::array::from_fn(|k| (start[i][k] + if moves { way[k] } else { 0 }).clamp(-8, 8));
            }
        }
        // Flat all the time, in a plane across an axis or a slanted one.
        2 => {
            let axis = rng.usize(0..3);
            for point in start.iter_mut().chain(&mut end) {
                point[axis] = 1;
            }
        }
        3 => {
            for point in start.iter_mut().chain(&mut end) {
                point[0] = (point[1] + point[2]).clamp(-8, 8);
            }
        }
        // Parallel at the start.
        4 | 9 => start[3] = std::array::from_fn(|k| (start[2][k] + start[1][k] - start[0][k]).clamp(-8, 8)),
        // Coincident points.
        5 | 10 => start[rng.usize(0..4)] = start[rng.usize(0..4)],
        6 | 11 => end[rng.usize(0..4)] = end[rng.usize(0..4)],
        7 => (start[1], end[1]) = (start[2], end[2]),
        _ => {}
    }
    (start, end)
}

/// As floating-point numbers, somewhere and in some unit; nothing is rounded.
fn placed(rng: &mut Rng, kind: Kind, start: &[Point; 4], end: &[Point; 4], first: Option<[f64; 2]>) -> (Query, f64) {
    let exponent = [0, 0, -20, 16, -300, 300, -1060, 1000][rng.usize(0..8)];
    // Halves, as a power that is too small is taken for zero.
    let unit = 2.0f64.powi(exponent / 2) * 2.0f64.powi(exponent / 2);
    let far = if rng.bool() { 0 } else { rng.i64(0..1 << 20) };
    let mut points = |points: &[Point; 4]| {
        let offset: [i64; 3] = std::array::from_fn(|_| if far == 0 { 0 } else { rng.i64(-far..=far) });
        points.map(|point| DVec3::from_array(std::array::from_fn(|k| (point[k] as f64 + offset[k] as f64) * unit)))
    };
    (Query { kind, start: points(start), end: points(end), first }, unit)
}

#[test]
fn random_queries_agree_with_exact_algebra() {
    let seed = std::env::var("CAROM_SEED").map_or(0, |seed| seed.parse().unwrap());
    let mut rng = Rng::with_seed(seed);
    let (mut contacts, mut unresolved, mut early, mut alarms, mut edges) = (0, 0, 0, 0, [0, 0]);
    for case in 0..cases() {
        let kind = if rng.bool() { Kind::VertexFace } else { Kind::EdgeEdge };
        let (start, end) = whole(&mut rng);
        let first = impact_exact::first_contact(kind, &start, &end);
        let (query, unit) = placed(&mut rng, kind, &start, &end, first);
        let tolerance = [1e-6, 1e-3, 0.0][rng.usize(0..3)] * unit;
        let terms = Terms { tolerance, ..Terms::default() };
        let found = features(kind, &query.start, &query.end, &terms).unwrap();
        let tell =
            || format!("case {case}, {kind:?}: {start:?} to {end:?} in units of {unit:e}: {found:?}, exact {first:?}");
        contacts += usize::from(first.is_some());
        match (found, first) {
            (Outcome::Free, None) => {}
            (Outcome::Free, Some(_)) => panic!("missed: {}", tell()),
            (Outcome::Hit { status: Status::Unresolved | Status::Early, .. }, None) => alarms += 1,
            (Outcome::Hit { .. }, None) => panic!("false alarm: {}", tell()),
            (Outcome::Hit { time, status }, Some([low, high])) => {
                unresolved += usize::from(status == Status::Unresolved);
                edges[0] += usize::from(high == 0.0);
                edges[1] += usize::from(low == 1.0);
                assert!(time >= 0.0 && time <= high, "late: {}", tell());
                if status == Status::Early {
                    early += 1;
                    continue;
                }
                let plain = Query { kind, first, start: as_vectors(&start), end: as_vectors(&end) };
                let distance = impact_queries::distance_at(&plain, time);
                // A face that collapses at the contact leaves few digits for either distance.
                assert!(distance <= 4.0 * tolerance / unit + 1e-5, "{distance} apart: {}", tell());
            }
        }
    }
    println!(
        "{} cases, {contacts} contacts, {unresolved} unresolved, {early} early, {edges:?} at the start \
         and at the end; {alarms} false alarms",
        cases()
    );
    // Left where a face that is flat all the time collapses to a line with the vertex, but elsewhere.
    assert!(alarms <= 1 + cases() / 100_000, "{alarms} false alarms");
    // The budget ends early where flat features collapse at their contact.
    assert!(contacts > cases() / 10 && edges[0] > 100 && edges[1] > 100 && early < contacts / 200);
}

fn as_vectors(points: &[Point; 4]) -> [DVec3; 4] {
    points.map(|point| DVec3::from_array(point.map(|coordinate| coordinate as f64)))
}

#[test]
fn packs_answer_as_single_queries_do() {
    let mut rng = Rng::with_seed(41);
    for round in 0..4000 {
        let kind = if rng.bool() { Kind::VertexFace } else { Kind::EdgeEdge };
        let separation = if rng.u32(0..8) == 0 { 0.01 } else { 0.0 };
        let terms = Terms { separation, ..Terms::default() };
        let queries: Vec<[[DVec3; 4]; 2]> = (0..rng.usize(0..10))
            .map(|_| {
                let (start, end) = whole(&mut rng);
                let query = placed(&mut rng, kind, &start, &end, None).0;
                let mut points = [query.start, query.end];
                match rng.u32(0..32) {
                    0 => points[rng.usize(0..2)][rng.usize(0..4)].y = f64::NAN,
                    1 => points[rng.usize(0..2)][rng.usize(0..4)].x = f64::NEG_INFINITY,
                    2 => points = points.map(|points| points.map(|point| point * 1e300)),
                    3 => points = points.map(|points| points.map(|point| point * 1e-300)),
                    _ => {}
                }
                points
            })
            .collect();
        carom::limit_width(carom::Width::ALL[round % 4]);
        let mut next = 0;
        features_each(kind, &queries, &terms, |index, found| {
            assert_eq!(index, next);
            next += 1;
            let alone = features(kind, &queries[index][0], &queries[index][1], &terms);
            assert_eq!(format!("{found:?}"), format!("{alone:?}"), "round {round}, {kind:?} {:?}", queries[index]);
        })
        .unwrap();
        assert_eq!(next, queries.len());
    }
    let refused = features_each(Kind::EdgeEdge, &[], &Terms { until: 2.0, ..Terms::default() }, |_, _| {});
    assert_eq!(refused, Err(ImpactError::Until(2.0)));
}
