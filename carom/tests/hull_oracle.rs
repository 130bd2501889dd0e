//! Hulls against brute force in exact arithmetic, and against the known numbers of known polytopes.

mod polytope;
mod random;

use carom::shape::ConvexHull;
use fastrand::Rng;
use glam::{Quat, Vec3};
use polytope::{check, greatest_height, in_ball, on_sphere, same_polytope};
use random::rotation;
use std::collections::{BTreeMap, BTreeSet};

/// The faces of the hull of integer points: for each plane through three of them that has none above, the corners of the
/// polygon of those on it. By brute force over all triples, in i64.
fn brute_force(points: &[[i64; 3]]) -> BTreeSet<BTreeSet<[i64; 3]>> {
    let sub = |a: [i64; 3], b: [i64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let cross =
        |a: [i64; 3], b: [i64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let dot = |a: [i64; 3], b: [i64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let mut planes: BTreeMap<BTreeSet<[i64; 3]>, [i64; 3]> = BTreeMap::new();
    for &a in points {
        for &b in points {
            for &c in points {
                let normal = cross(sub(b, a), sub(c, a));
                if normal != [0; 3] && points.iter().all(|&p| dot(normal, sub(p, a)) <= 0) {
                    let on_plane = points.iter().copied().filter(|&p| dot(normal, sub(p, a)) == 0).collect();
                    planes.insert(on_plane, normal);
                }
            }
        }
    }
    // A point on the plane is a corner unless it is between two others or inside of three: that is, unless it is on no
    // edge line, or on one with points on both sides of it.
    let corners = |on_plane: &BTreeSet<[i64; 3]>, normal: [i64; 3]| {
        let is_corner = |&p: &[i64; 3]| {
            on_plane.iter().any(|&q| {
                // All others lie to the left of p → q, and those on the line are on the side of q.
                q != p
                    && on_plane.iter().all(|&r| {
                        let side = dot(normal, cross(sub(q, p), sub(r, p)));
                        side > 0 || (side == 0 && dot(sub(q, p), sub(r, p)) >= 0)
                    })
            })
        };
        on_plane.iter().copied().filter(is_corner).collect()
    };
    planes.iter().map(|(on_plane, &normal)| corners(on_plane, normal)).collect()
}

fn faces_of(hull: &ConvexHull) -> BTreeSet<BTreeSet<[i64; 3]>> {
    let at = |corner: &u32| hull.vertices()[*corner as usize].to_array().map(|coordinate| coordinate as i64);
    (0..hull.face_count()).map(|face| hull.face_corners(face).iter().map(at).collect()).collect()
}

#[test]
fn hulls_of_integer_points_have_the_faces_that_brute_force_finds() {
    let mut compared = 0;
    for seed in 0..3000 {
        let mut rng = Rng::with_seed(seed);
        // From a few places, where most points are duplicate, collinear or coplanar, to general position.
        let range = [1, 2, 3, 5, 10, 100, 10_000][rng.usize(..7)];
        let count = rng.usize(4..=if range < 5 { 24 } else { 14 });
        let points: Vec<[i64; 3]> = (0..count).map(|_| std::array::from_fn(|_| rng.i64(-range..=range))).collect();
        let given: Vec<Vec3> = points.iter().map(|point| Vec3::from_array(point.map(|x| x as f32))).collect();
        match ConvexHull::new(&given) {
            Ok(hull) => {
                assert_eq!(faces_of(&hull), brute_force(&points), "seed {seed}: {points:?}");
                check(&given, &hull, &format!("seed {seed}"));
                compared += 1;
            }
            Err(error) => assert!(is_flat(&points), "seed {seed}: {error} for {points:?}"),
        }
    }
    assert!(compared > 2000, "only {compared} had a volume");
}

fn is_flat(points: &[[i64; 3]]) -> bool {
    let d = |i: usize| [0, 1, 2].map(|axis| points[i][axis] - points[0][axis]);
    let determinant = |a: [i64; 3], b: [i64; 3], c: [i64; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let all = 1..points.len();
    all.clone().all(|i| all.clone().all(|j| all.clone().all(|k| determinant(d(i), d(j), d(k)) == 0)))
}

/// Floats in general position: every face of brute force is a triangle of the hull.
#[test]
fn hulls_of_random_floats_have_the_faces_that_exact_predicates_find() {
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let scale = 10f32.powi(rng.i32(-20..=20));
        let count = rng.usize(4..20);
        let points: Vec<Vec3> = (0..count).map(|_| in_ball(&mut rng) * scale).collect();
        let coordinates = |p: Vec3| robust::Coord3D { x: p.x, y: p.y, z: p.z };
        // Scaled near to one, by a power of two, because the predicate has f64's range.
        let unit = 2f32.powi(-(scale.log2() as i32));
        let below = |i: usize, j: usize, k: usize, l: usize| {
            let [a, b, c, d] = [i, j, k, l].map(|index| coordinates(points[index] * unit));
            robust::orient3d(a, b, c, d) > 0.0
        };
        let mut expected = BTreeSet::new();
        for i in 0..count {
            for j in (0..count).filter(|&j| j != i) {
                for k in (0..count).filter(|&k| k != i && k != j) {
                    if (0..count).filter(|l| ![i, j, k].contains(l)).all(|l| below(i, j, k, l)) {
                        expected.insert(BTreeSet::from([i, j, k]));
                    }
                }
            }
        }
        let hull = ConvexHull::new(&points).expect("random points");
        let index = |corner: &u32| {
            let vertex = hull.vertices()[*corner as usize];
            points.iter().position(|&point| point == vertex).expect("a point of the input")
        };
        let found: BTreeSet<BTreeSet<usize>> =
            (0..hull.face_count()).map(|face| hull.face_corners(face).iter().map(index).collect()).collect();
        assert_eq!(found, expected, "seed {seed}");
    }
}

/// The corners of a polytope and how many vertices, edges and faces it has.
type Known = (&'static str, Vec<Vec3>, [usize; 3]);

fn known_polytopes() -> Vec<Known> {
    let golden = (1.0 + 5f32.sqrt()) / 2.0;
    let signs = || (0..8).map(polytope::cube_corner);
    let cyclic = |p: Vec3| [p, Vec3::new(p.z, p.x, p.y), Vec3::new(p.y, p.z, p.x)];
    let pairs =
        |a: f32, b: f32| signs().flat_map(move |sign| cyclic(Vec3::new(0.0, a, b) * sign)).collect::<Vec<Vec3>>();
    let mut dodecahedron = pairs(1.0 / golden, golden);
    dodecahedron.extend(signs());
    let truncated: Vec<Vec3> = signs()
        .flat_map(|sign| {
            let p = Vec3::new(0.0, 1.0, 2.0);
            let q = Vec3::new(0.0, 2.0, 1.0);
            cyclic(p * sign).into_iter().chain(cyclic(q * sign)).collect::<Vec<_>>()
        })
        .collect();
    vec![
        (
            "tetrahedron",
            vec![Vec3::ONE, Vec3::new(1.0, -1.0, -1.0), Vec3::new(-1.0, 1.0, -1.0), Vec3::new(-1.0, -1.0, 1.0)],
            [4, 6, 4],
        ),
        ("octahedron", vec![Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z], [6, 12, 8]),
        ("cube", signs().collect(), [8, 12, 6]),
        ("icosahedron", pairs(1.0, golden), [12, 30, 20]),
        ("dodecahedron", dodecahedron, [20, 30, 12]),
        ("cuboctahedron", pairs(1.0, 1.0), [12, 24, 14]),
        ("truncated octahedron", truncated, [24, 36, 14]),
    ]
}

#[test]
fn known_polytopes_have_their_faces_however_they_are_turned_scaled_and_filled() {
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        for (name, corners, counts) in known_polytopes() {
            let turn = if seed == 0 { Quat::IDENTITY } else { rotation(&mut rng) };
            let scale = 10f32.powi(rng.i32(-20..=20));
            let mut points = corners.clone();
            // Points inside, on faces and on edges, as means of corners.
            for _ in 0..200 {
                let [a, b] = [0; 2].map(|_| corners[rng.usize(..corners.len())]);
                points.push(a + (b - a) * rng.f32());
            }
            rng.shuffle(&mut points);
            let points: Vec<Vec3> = points.into_iter().map(|point| turn * point * scale).collect();
            let hull = ConvexHull::new(&points).expect(name);
            let found = [hull.vertices().len(), hull.edges().len(), hull.face_count()];
            assert_eq!(found, counts, "{name}, seed {seed}");
            check(&points, &hull, &format!("{name}, seed {seed}"));
        }
    }
}

#[test]
fn the_order_of_the_points_does_not_matter() {
    for seed in 0..100 {
        let mut rng = Rng::with_seed(seed);
        for make in [in_ball as fn(&mut Rng) -> Vec3, on_sphere] {
            let mut points: Vec<Vec3> = (0..400).map(|_| make(&mut rng)).collect();
            let hull = ConvexHull::new(&points).expect("a volume");
            rng.shuffle(&mut points);
            let shuffled = ConvexHull::new(&points).expect("a volume");
            assert!(same_polytope(&hull, &shuffled), "seed {seed}");
        }
    }
}

#[test]
fn large_clouds_have_the_hull_of_their_outer_points() {
    let mut rng = Rng::with_seed(5);
    let turn = rotation(&mut rng);
    for (what, stretch, centre) in [
        ("ball", Vec3::ONE, Vec3::ZERO),
        ("beam", Vec3::new(1.0, 0.03, 0.01), Vec3::ZERO),
        ("disc far away", Vec3::new(1.0, 0.02, 1.0), Vec3::new(30.0, -20.0, 10.0)),
    ] {
        let solid: Vec<Vec3> = (0..60_000).map(|_| turn * (in_ball(&mut rng) * stretch) + centre).collect();
        let hull = ConvexHull::new(&solid).expect(what);
        check(&solid, &hull, what);
        // In pieces so small that none is culled: the hull of their hulls' vertices is the hull of all.
        let pieces = solid.chunks(500).map(|piece| ConvexHull::new(piece).expect(what));
        let outer: Vec<Vec3> = pieces.flat_map(|piece| piece.vertices().to_vec()).collect();
        let expected = ConvexHull::new(&outer).expect(what);
        let farthest = greatest_height(expected.vertices(), &hull).max(greatest_height(hull.vertices(), &expected));
        assert!(farthest < 16.0, "{what}: {farthest}");
    }
}

#[test]
fn a_budget_is_kept_and_says_how_far_points_stick_out() {
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let scale = 10f32.powi(rng.i32(-15..=15));
        let stretch = Vec3::new(1.0, 0.5, rng.f32() + 0.01) * scale;
        let points: Vec<Vec3> = (0..500).map(|_| on_sphere(&mut rng) * stretch).collect();
        let mut reported = Vec::new();
        for budget in [4, 8, 16, 64, 256, 10_000] {
            let (hull, sticking_out) = ConvexHull::with_budget(&points, budget).expect("a sphere");
            assert!(hull.vertices().len() <= budget, "seed {seed}: {} of {budget}", hull.vertices().len());
            check(hull.vertices(), &hull, &format!("seed {seed}, budget {budget}"));
            let heights = hull.planes().iter().map(|plane| {
                let along = points.iter().map(|point| plane.normal.as_dvec3().dot(point.as_dvec3()));
                along.fold(f64::NEG_INFINITY, f64::max) - f64::from(plane.offset)
            });
            let most = heights.fold(0.0, f64::max);
            let slack = 16.0 * f64::from(f32::EPSILON * scale);
            assert!(
                (most - f64::from(sticking_out)).abs() <= slack,
                "seed {seed}, budget {budget}: {most}, {sticking_out}"
            );
            reported.push(sticking_out);
        }
        assert!(reported[3] < 0.5 * reported[0] && reported[5] == 0.0, "seed {seed}: {reported:?}");
    }
}
