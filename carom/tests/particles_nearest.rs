//! Nearest neighbours against brute force: the same neighbours in the same order, on any number of threads.

mod particles_sets;

use carom::particles::{Neighbours, PointTree, PointsError};
use carom::prelude::*;
use particles_sets::{KINDS, points};

/// The nearest to `query` by f32 distance, then by index. Coordinates are scaled so that no square overflows; what
/// vanishes is below 1e-19 of the largest coordinate.
fn brute_force(points: &[Vec3], query: Vec3, own: Option<usize>, count: usize) -> Vec<u32> {
    let reach = points.iter().fold(Vec3::ZERO, |reach, point| reach.max(point.abs())).max_element();
    let scale = if reach > 0.0 { 2.0_f64.powf(34.0 - f64::from(reach).log2().floor()) } else { 1.0 };
    let scaled = |point: Vec3| (point.as_dvec3() * scale).as_vec3();
    let mut all: Vec<(f32, u32)> = (0..points.len())
        .filter(|&index| Some(index) != own)
        .map(|index| {
            let d = scaled(points[index]) - scaled(query);
            (d.x * d.x + d.y * d.y + d.z * d.z, index as u32)
        })
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all.iter().take(count).map(|(_, index)| *index).collect()
}

fn check_row(near: &Neighbours, row: usize, set: &[Vec3], query: Vec3, expected: &[u32], case: usize) {
    let found: Vec<u32> = near.of(row).map(|neighbour| neighbour.index).collect();
    assert_eq!(found, expected, "case {case}: {query} among {} points", set.len());
    let mut last = 0.0;
    for neighbour in near.of(row) {
        let exact = set[neighbour.index as usize].as_dvec3().distance(query.as_dvec3()).min(f64::from(f32::MAX));
        let distance = f64::from(neighbour.distance);
        let reach = f64::from(set.iter().fold(0.0_f32, |reach, point| reach.max(point.abs().max_element())));
        let tolerance = 1e-6 * exact + 1e-25 * reach + 1e-44;
        assert!((distance - exact).abs() <= tolerance, "case {case}: {distance} {exact}");
        assert!(distance >= last);
        last = distance;
    }
}

#[test]
fn neighbours_of_each_point_are_those_of_brute_force() {
    let mut random = fastrand::Rng::with_seed(24);
    let (mut tree, mut near) = (PointTree::default(), Neighbours::default());
    for case in 0..4000 {
        let size = match case % 20 {
            0 => random.usize(..600),
            1 => random.usize(..3),
            _ => random.usize(..90),
        };
        let set = points(&mut random, case % KINDS, size);
        let count = [0, 1, 8, random.usize(..40), size, 1000][random.usize(..6)];
        tree.rebuild(&set).expect("finite");
        assert_eq!(tree.len(), size);
        tree.nearest_of_each(count, &mut near).expect("fits");
        assert_eq!((near.len(), near.count()), (size, count.min(size.saturating_sub(1))));
        for own in 0..size {
            if size < 50 || own % 13 == 0 {
                let expected = brute_force(&set, set[own], Some(own), count);
                check_row(&near, own, &set, set[own], &expected, case);
            }
        }
        assert_eq!(near.of(size).len(), 0);
    }
}

#[test]
fn neighbours_of_queries_are_those_of_brute_force() {
    let mut random = fastrand::Rng::with_seed(25);
    let (mut tree, mut near) = (PointTree::default(), Neighbours::default());
    for case in 0..3000 {
        let size = if case % 20 == 0 { random.usize(..1500) } else { random.usize(..70) };
        let set = points(&mut random, case % KINDS, size);
        let mut queries = points(&mut random, (case / KINDS) % KINDS, 10);
        queries.extend(set.iter().take(3));
        queries.push(Vec3::ZERO);
        let count = [1, 8, 33, size][random.usize(..4)];
        tree.rebuild(&set).expect("finite");
        tree.nearest_to(&queries, count, &mut near).expect("fits");
        assert_eq!((near.len(), near.count()), (queries.len(), count.min(size)));
        for (row, &query) in queries.iter().enumerate() {
            check_row(&near, row, &set, query, &brute_force(&set, query, None, count), case);
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_neighbours() {
    let mut random = fastrand::Rng::with_seed(26);
    for kind in 0..KINDS {
        let set = points(&mut random, kind, 9000);
        let mut first = None;
        for threads in [1, 2, 3, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let found = pool.install(|| {
                let (mut tree, mut near) = (PointTree::default(), Neighbours::default());
                tree.rebuild(&set).expect("finite");
                tree.nearest_of_each(8, &mut near).expect("fits");
                let rows = |near: &Neighbours| {
                    (0..near.len()).flat_map(|row| near.of(row)).map(|n| (n.index, n.distance)).collect::<Vec<_>>()
                };
                let of_each = rows(&near);
                tree.nearest_to(&set, 40, &mut near).expect("fits");
                (of_each, rows(&near))
            });
            let expected = first.get_or_insert_with(|| found.clone());
            assert!(found == *expected, "kind {kind} on {threads} threads");
        }
    }
}

/// Without a rule for equal distances this is quadratic: minutes, not milliseconds.
#[test]
fn coincident_points_cost_no_more_than_others() {
    let (mut tree, mut near) = (PointTree::default(), Neighbours::default());
    tree.rebuild(&vec![Vec3::ONE; 200_000]).expect("finite");
    tree.nearest_of_each(8, &mut near).expect("fits");
    assert!(near.of(100).map(|neighbour| neighbour.index).eq(0..8));
    assert!(near.of(3).map(|neighbour| neighbour.index).eq([0, 1, 2, 4, 5, 6, 7, 8]));
}

#[test]
fn bad_input_is_named_and_changes_nothing() {
    let (mut tree, mut near) = (PointTree::default(), Neighbours::default());
    tree.nearest_of_each(3, &mut near).expect("an empty tree answers");
    assert!(near.is_empty() && tree.is_empty());
    tree.nearest_to(&[Vec3::ONE], 3, &mut near).expect("an empty tree answers");
    assert_eq!((near.len(), near.of(0).len()), (1, 0));
    tree.rebuild(&[Vec3::ZERO, Vec3::X]).expect("finite");
    let bad = [Vec3::ZERO, Vec3::Y, Vec3::new(0.0, 0.0, f32::NEG_INFINITY)];
    assert!(matches!(tree.rebuild(&bad), Err(PointsError::PointNotFinite { index: 2, .. })));
    assert_eq!(tree.len(), 2);
    assert!(matches!(tree.nearest_to(&bad, 1, &mut near), Err(PointsError::QueryNotFinite { index: 2, .. })));
}
