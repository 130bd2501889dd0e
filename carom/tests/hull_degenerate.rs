//! Points that have no hull, almost none, or one that is hard to compute.

mod polytope;
mod random;

use carom::shape::{ConvexHull, FlatExtent, ShapeError};
use fastrand::Rng;
use glam::Vec3;
use polytope::{check, cube_corner, in_ball, on_sphere, same_polytope};
use proptest::prelude::*;
use random::{between, rotation};

fn flat(points: &[Vec3]) -> FlatExtent {
    match ConvexHull::new(points) {
        Err(ShapeError::FlatHull { extent, count }) => {
            assert_eq!(count, points.len());
            extent
        }
        other => panic!("expected a flat hull, not {other:?}"),
    }
}

#[test]
fn too_few_points_are_refused() {
    for count in 0..4 {
        let points: Vec<Vec3> = (0..count).map(cube_corner).collect();
        assert_eq!(ConvexHull::new(&points), Err(ShapeError::TooFewPoints { count }));
        assert_eq!(ConvexHull::with_budget(&points, 10), Err(ShapeError::TooFewPoints { count }));
    }
    let cube: Vec<Vec3> = (0..8).map(cube_corner).collect();
    for budget in 0..4 {
        assert_eq!(ConvexHull::with_budget(&cube, budget), Err(ShapeError::BudgetTooSmall { budget }));
    }
}

#[test]
fn points_that_are_not_finite_are_refused_by_number() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for vertex in [0, 5, 7] {
            let mut points: Vec<Vec3> = (0..8).map(cube_corner).collect();
            points[vertex].y = bad;
            match ConvexHull::new(&points) {
                Err(ShapeError::VertexNotFinite { vertex: found, .. }) => assert_eq!(found, vertex),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn points_on_a_point_a_line_or_a_plane_have_no_hull() {
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let scale = 10f32.powi(rng.i32(-30..=30));
        let turn = rotation(&mut rng);
        let centre = in_ball(&mut rng) * scale * [0.0, 1.0, 30.0][rng.usize(..3)];
        for count in [4, 5, 20, 3000] {
            assert_eq!(flat(&vec![centre; count]), FlatExtent::Point);
            let direction = on_sphere(&mut rng) * scale;
            let line: Vec<Vec3> = (0..count).map(|_| centre + direction * between(&mut rng, -1.0, 1.0)).collect();
            assert!([FlatExtent::Line, FlatExtent::Point].contains(&flat(&line)), "seed {seed}");
            let plane: Vec<Vec3> = (0..count)
                .map(|_| {
                    centre + turn * Vec3::new(between(&mut rng, -1.0, 1.0), 0.0, between(&mut rng, -1.0, 1.0)) * scale
                })
                .collect();
            assert!(flat(&plane) != FlatExtent::Point, "seed {seed}");
            let level: Vec<Vec3> = plane.iter().map(|&point| Vec3::new(point.x, centre.y, point.z)).collect();
            assert!(flat(&level) != FlatExtent::Point, "seed {seed}");
        }
    }
    let axis: Vec<Vec3> = (0..10).map(|i| Vec3::new(i as f32, 0.0, 0.0)).collect();
    assert_eq!(flat(&axis), FlatExtent::Line);
    let square: Vec<Vec3> = (0..9).map(|i| Vec3::new((i % 3) as f32, 2.0, (i / 3) as f32)).collect();
    assert_eq!(flat(&square), FlatExtent::Plane);
}

#[test]
fn boxes_of_any_size_thinness_and_place_have_eight_corners() {
    for seed in 0..2000 {
        let mut rng = Rng::with_seed(seed);
        let scale = 10f32.powi(rng.i32(-30..=30));
        // A thin side keeps its accuracy as long as it lies along an axis.
        let size = Vec3::new(1.0, 10f32.powi(rng.i32(-6..=0)), 10f32.powi(rng.i32(-6..=0))) * scale;
        let mut points: Vec<Vec3> = (0..8).map(|corner| cube_corner(corner) * size).collect();
        for _ in 0..30 {
            let (a, b) = (points[rng.usize(..8)], points[rng.usize(..8)]);
            points.push(0.5 * a + 0.5 * b);
        }
        points.extend_from_within(..);
        rng.shuffle(&mut points);
        let hull = ConvexHull::new(&points).expect("a box");
        assert_eq!((hull.vertices().len(), hull.face_count()), (8, 6), "seed {seed}, {size}");
        check(&points, &hull, &format!("seed {seed}, {size}"));
    }
}

#[test]
fn a_thin_slab_that_lies_across_the_axes_keeps_its_two_sides() {
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let turn = rotation(&mut rng);
        let points: Vec<Vec3> = (0..8).map(|corner| turn * (cube_corner(corner) * Vec3::new(1.0, 1e-5, 1.0))).collect();
        let hull = ConvexHull::new(&points).expect("a slab");
        assert_eq!(hull.vertices().len(), 8, "seed {seed}");
        check(&points, &hull, &format!("seed {seed}"));
    }
}

#[test]
fn a_speck_beside_a_boulder_is_part_of_the_hull_or_within_rounding_of_it() {
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let speck = on_sphere(&mut rng) * 10f32.powi(rng.i32(-3..=4));
        let size = 10f32.powi(rng.i32(-8..=-3));
        let mut points: Vec<Vec3> = (0..50).map(|_| in_ball(&mut rng)).collect();
        points.extend((0..50).map(|_| speck + in_ball(&mut rng) * size));
        let hull = ConvexHull::new(&points).expect("a volume");
        check(&points, &hull, &format!("seed {seed}"));
    }
}

#[test]
fn shallow_domes_at_the_limit_of_accuracy_are_closed_and_quick() {
    for (seed, height) in [1e-3f32, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 1e-8].into_iter().enumerate() {
        let mut rng = Rng::with_seed(seed as u64);
        for count in [100, 3000] {
            let mut points: Vec<Vec3> = (0..count)
                .map(|_| {
                    let point = in_ball(&mut rng);
                    Vec3::new(point.x, height * (1.0 - point.x * point.x - point.z * point.z), point.z)
                })
                .collect();
            points.push(Vec3::NEG_Y);
            let hull = ConvexHull::new(&points).expect("a dome");
            check(&points, &hull, &format!("height {height}, {count} points"));
            let again = ConvexHull::new(hull.vertices()).expect("a dome");
            assert!(same_polytope(&hull, &again), "height {height}, {count} points");
        }
    }
}

#[test]
fn large_clouds_of_coplanar_collinear_and_cospherical_points_are_quick() {
    let mut rng = Rng::with_seed(1);
    let side = 60;
    let grid: Vec<Vec3> = (0..side * side * side)
        .map(|i| Vec3::new((i % side) as f32, (i / side % side) as f32, (i / side / side) as f32))
        .collect();
    let hull = ConvexHull::new(&grid).expect("a grid");
    assert_eq!((hull.vertices().len(), hull.edges().len(), hull.face_count()), (8, 12, 6));
    // A sheared grid: exactly coplanar on planes across all axes.
    let sheared: Vec<Vec3> = grid.iter().map(|p| Vec3::new(p.x + p.y, p.y + 2.0 * p.z, p.z - 3.0 * p.x)).collect();
    let hull = ConvexHull::new(&sheared).expect("a sheared grid");
    assert_eq!((hull.vertices().len(), hull.edges().len(), hull.face_count()), (8, 12, 6));
    let turn = rotation(&mut rng);
    let turned: Vec<Vec3> = grid.iter().map(|&point| turn * point).collect();
    let hull = ConvexHull::new(&turned).expect("a turned grid");
    assert_eq!((hull.vertices().len(), hull.edges().len(), hull.face_count()), (8, 12, 6));
    let frame: Vec<Vec3> = (0..100_000)
        .map(|_| {
            let mut point = cube_corner(rng.usize(..8));
            point[rng.usize(..3)] = between(&mut rng, -1.0, 1.0);
            point
        })
        .collect();
    let hull = ConvexHull::new(&frame).expect("the edges of a cube");
    check(&frame, &hull, "the edges of a cube");
    assert!(hull.face_count() >= 6 && hull.vertices().len() <= 24);
}

#[test]
fn a_million_points_in_a_ball() {
    let mut rng = Rng::with_seed(3);
    let points: Vec<Vec3> = (0..1_000_000).map(|_| in_ball(&mut rng)).collect();
    let hull = ConvexHull::new(&points).expect("a ball");
    assert!(hull.vertices().iter().all(|vertex| vertex.length() > 0.99));
    check(hull.vertices(), &hull, "a million points");
    let planes = hull.planes().iter().step_by(50);
    let height = |plane: &carom::shape::hull::FacePlane, point: &Vec3| plane.normal.dot(*point) - plane.offset;
    assert!(planes.into_iter().all(|plane| points.iter().all(|point| height(plane, point) < 2e-6)));
}

/// Any f32 there is, with a liking for few, extreme and equal values.
fn any_coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        3 => prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1.0 + f32::EPSILON]),
        1 => prop::sample::select(vec![f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-45, -1e-45, 1e-20, 1e20]),
        2 => -1.0f32..1.0,
        1 => any::<f32>().prop_filter("finite", |x| x.is_finite()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_finite_points_have_a_sound_hull_or_a_named_fault(
        points in prop::collection::vec(prop::array::uniform3(any_coordinate()), 0..40)
    ) {
        let points: Vec<Vec3> = points.into_iter().map(Vec3::from_array).collect();
        match ConvexHull::new(&points) {
            Ok(hull) => {
                check(&points, &hull, "any points");
                let again = ConvexHull::new(hull.vertices()).expect("the vertices of a hull have a hull");
                prop_assert!(same_polytope(&hull, &again));
                prop_assert!(ConvexHull::with_budget(&points, 6).is_ok_and(|(hull, _)| hull.vertices().len() <= 6));
            }
            Err(ShapeError::TooFewPoints { .. } | ShapeError::FlatHull { .. } | ShapeError::NotFinite { .. }) => {}
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}
