//! Close pairs against brute force: the same pairs, in the documented order, on any number of threads.

mod particles_sets;

use carom::broad::Pair;
use carom::particles::{ClosePairs, PointsError};
use carom::prelude::*;
use particles_sets::{KINDS, points};

/// What the search promises to be within the radius: by f32, or by f64 where f32 squares overflow or vanish.
fn is_close(a: Vec3, b: Vec3, radius: f32) -> bool {
    if (1e-18..1e18).contains(&radius) {
        let d = a - b;
        d.x * d.x + d.y * d.y + d.z * d.z <= radius * radius
    } else {
        a.as_dvec3().distance_squared(b.as_dvec3()) <= f64::from(radius) * f64::from(radius)
    }
}

fn brute_force(points: &[Vec3], radius: f32) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (b, there) in points.iter().enumerate() {
        for (a, here) in points[..b].iter().enumerate() {
            if is_close(*here, *there, radius) {
                pairs.push(Pair::new(a as u32, b as u32));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The place of each point when sorted by cell: layer, row, column, index.
fn ranks(points: &[Vec3], radius: f32) -> Vec<usize> {
    let width = f64::from(radius) * (1.0 + 1.0 / f64::from(1 << 20));
    let least = points.iter().fold(Vec3::INFINITY, |least, point| least.min(*point)).as_dvec3();
    let cell = |index: usize| ((points[index].as_dvec3() - least) / width).floor().to_array().map(|c| c as i64);
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&index| {
        let [x, y, z] = cell(index);
        (z, y, x, index)
    });
    let mut ranks = vec![0; points.len()];
    order.iter().enumerate().for_each(|(rank, &index)| ranks[index] = rank);
    ranks
}

#[test]
fn pairs_are_those_of_brute_force() {
    let mut random = fastrand::Rng::with_seed(14);
    let mut close = ClosePairs::default();
    let mut found = 0;
    for case in 0..6000 {
        let count = if case % 10 == 0 { random.usize(..200) } else { random.usize(..60) };
        let set = points(&mut random, case % KINDS, count);
        let radius = match random.u8(..8) {
            0 => 0.0,
            1 => f32::MAX,
            2 => 10.0_f32.powi(random.i32(-44..38)),
            3 => [1.0, 0.5, 0.25][random.usize(..3)],
            _ => random.f32() * [0.1, 1.0, 3.0][random.usize(..3)],
        };
        let mut pairs = close.find(&set, radius).expect("finite").to_vec();
        assert_eq!(pairs, close.pairs());
        pairs.sort_unstable();
        let expected = brute_force(&set, radius);
        assert_eq!(pairs, expected, "case {case}: {count} points within {radius}");
        found += pairs.len();
    }
    assert!(found > 100_000, "only {found} pairs");
}

#[test]
fn pairs_come_row_by_row() {
    let mut random = fastrand::Rng::with_seed(15);
    let mut close = ClosePairs::default();
    for case in 0..2000 {
        let count = if case % 50 == 0 { 1500 } else { random.usize(..80) };
        let set = points(&mut random, [0, 1, 3, 4, 6, 9][case % 6], count);
        let radius = if count > 100 { 0.1 } else { 0.05 + random.f32() };
        let ranks = ranks(&set, radius);
        let by_rank = |pair: &Pair| {
            let (a, b) = (ranks[pair.a as usize], ranks[pair.b as usize]);
            (a.min(b), a.max(b))
        };
        let mut expected = brute_force(&set, radius);
        expected.sort_by_key(by_rank);
        assert_eq!(close.find(&set, radius).expect("finite"), expected, "case {case}: {count} points within {radius}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_order() {
    let mut random = fastrand::Rng::with_seed(16);
    for kind in 0..KINDS {
        let count = if kind == 2 { 1500 } else { 6000 };
        let set = points(&mut random, kind, count);
        let mut first: Option<Vec<Pair>> = None;
        for threads in [1, 2, 3, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let pairs = pool.install(|| ClosePairs::default().find(&set, 0.15).expect("finite").to_vec());
            let expected = first.get_or_insert_with(|| pairs.clone());
            assert!(pairs == *expected, "kind {kind} on {threads} threads");
        }
        if kind < 2 {
            let mut pairs = first.unwrap_or_default();
            pairs.sort_unstable();
            assert_eq!(pairs, brute_force(&set, 0.15));
        }
    }
}

/// A wrong choice of cells makes this quadratic: 300,000 points in a cluster, and one far away.
#[test]
fn a_point_far_away_costs_nothing() {
    let mut random = fastrand::Rng::with_seed(17);
    let mut set: Vec<Vec3> = (0..300_000).map(|_| Vec3::from([(); 3].map(|()| random.f32()))).collect();
    set.push(Vec3::new(1e30, -1e30, 1e-30));
    let mut close = ClosePairs::default();
    let with = close.find(&set, 0.01).expect("finite").len();
    set.pop();
    assert_eq!(close.find(&set, 0.01).expect("finite").len(), with);
    // A ball of the radius around each of so many points holds this many others.
    let expected = 300_000.0 * 299_999.0 / 2.0 * 4.18879 * 1e-6 * 0.98;
    assert!((with as f64 / expected - 1.0).abs() < 0.03, "{with} pairs, {expected} expected");
}

#[test]
fn buffers_are_kept() {
    let mut random = fastrand::Rng::with_seed(18);
    let set = points(&mut random, 0, 5000);
    let mut close = ClosePairs::default();
    let first = close.find(&set, 0.1).expect("finite").as_ptr();
    for _ in 0..5 {
        assert_eq!(close.find(&set, 0.1).expect("finite").as_ptr(), first);
    }
}

#[test]
fn bad_input_is_named() {
    let mut close = ClosePairs::default();
    let bad = [Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0)];
    assert!(matches!(close.find(&bad, 1.0), Err(PointsError::PointNotFinite { index: 1, .. })));
    let bad = [Vec3::new(f32::INFINITY, 0.0, 0.0)];
    assert!(matches!(close.find(&bad, 1.0), Err(PointsError::PointNotFinite { index: 0, .. })));
    for radius in [f32::NAN, f32::INFINITY, -1.0] {
        assert!(matches!(close.find(&[], radius), Err(PointsError::BadRadius { .. })), "{radius}");
    }
    assert_eq!(close.find(&[], 1.0), Ok(&[][..]));
    assert_eq!(close.find(&[Vec3::ONE], 1.0), Ok(&[][..]));
    assert_eq!(close.find(&[Vec3::ZERO, -Vec3::ZERO], 0.0).map(<[Pair]>::len), Ok(1));
}
