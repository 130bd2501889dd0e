//! The support vertex of a polytope against the scan of all vertices in exact integer arithmetic.

mod polytope;
mod random;

use carom::shape::hull::SupportMethod;
use carom::shape::{ConvexHull, SupportMap};
use fastrand::Rng;
use glam::Vec3;
use polytope::{cube_corner, in_ball, on_sphere};
use random::rotation;

/// Coordinates in the tests are multiples of 1 / UNIT, so that products and their sums are exact in i64.
const UNIT: f32 = 1_048_576.0;

fn to_units(point: Vec3) -> [i64; 3] {
    (point * UNIT).to_array().map(|coordinate| {
        assert_eq!(coordinate.fract(), 0.0, "{coordinate} is not a whole number of units");
        coordinate as i64
    })
}

fn rounded_to_units(point: Vec3) -> Vec3 {
    (point * UNIT).round() / UNIT
}

/// The vertex with the greatest product, and among equals with the greatest x, then y, then z.
fn scan(vertices: &[[i64; 3]], direction: [i64; 3]) -> u32 {
    let along = |v: &[i64; 3]| v[0] * direction[0] + v[1] * direction[1] + v[2] * direction[2];
    (0..vertices.len()).max_by_key(|&i| (along(&vertices[i]), vertices[i])).expect("a hull has vertices") as u32
}

fn prism(sides: usize, radius: f32, half_height: f32) -> Vec<Vec3> {
    (0..2 * sides)
        .map(|i| {
            let angle = (i / 2) as f32 / sides as f32 * std::f32::consts::TAU;
            Vec3::new(angle.cos() * radius, if i % 2 == 0 { -half_height } else { half_height }, angle.sin() * radius)
        })
        .collect()
}

/// Hulls with 4 to more than 1000 vertices, with triangles, polygons of many corners, plateaus, clusters and needles.
fn hulls() -> Vec<(String, ConvexHull)> {
    let mut rng = Rng::with_seed(7);
    let turn = rotation(&mut rng);
    let mut clouds: Vec<(String, Vec<Vec3>)> = Vec::new();
    for count in [4, 5, 8, 20, 32, 64, 80, 128, 159, 160, 161, 162, 300, 1024, 2000] {
        clouds.push((format!("sphere of {count}"), (0..count).map(|_| on_sphere(&mut rng)).collect()));
    }
    clouds.push(("ball".into(), (0..20_000).map(|_| in_ball(&mut rng)).collect()));
    clouds.push(("cube".into(), (0..8).map(cube_corner).collect()));
    clouds.push(("turned cube".into(), (0..8).map(|corner| turn * cube_corner(corner) * 0.5).collect()));
    for sides in [3, 16, 100, 500] {
        clouds.push((format!("prism of {sides}"), prism(sides, 1.0, 0.5)));
        clouds.push((format!("turned prism of {sides}"), prism(sides, 1.0, 0.5).iter().map(|&p| turn * p).collect()));
        clouds.push((format!("needle of {sides}"), prism(sides, 0.01, 1.0)));
    }
    // Most vertices in one corner of the sphere: the start table is of no use there.
    let cluster = |rng: &mut Rng| (Vec3::X + in_ball(rng) * 0.05).normalize();
    clouds.push((
        "cluster".into(),
        (0..1000).map(|i| if i < 10 { on_sphere(&mut rng) } else { cluster(&mut rng) }).collect(),
    ));
    // Flat caps with many coplanar corners, on both sides of a lens.
    clouds
        .push(("stack".into(), (1..=8).flat_map(|level| prism(40, 1.0 / level as f32, level as f32 / 8.0)).collect()));
    clouds
        .into_iter()
        .map(|(name, points)| {
            let points: Vec<Vec3> = points.into_iter().map(rounded_to_units).collect();
            let hull = ConvexHull::new(&points).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, hull)
        })
        .collect()
}

/// Directions of all kinds: random, across an axis or two, along vertices and face normals, and the zero direction.
fn direction(rng: &mut Rng, hull: &ConvexHull) -> Vec3 {
    let random = on_sphere(rng);
    let direction = match rng.u32(..10) {
        0 => Vec3::new(random.x, 0.0, random.z),
        1 => [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z, Vec3::ZERO][rng.usize(..7)],
        2 => hull.vertices()[rng.usize(..hull.vertices().len())],
        3 => hull.planes()[rng.usize(..hull.face_count())].normal,
        4 => random * 0.001,
        _ => random,
    };
    rounded_to_units(direction)
}

#[test]
fn climbing_and_scanning_give_the_farthest_vertex_exactly() {
    for (name, hull) in hulls() {
        let vertices: Vec<[i64; 3]> = hull.vertices().iter().map(|&vertex| to_units(vertex)).collect();
        let mut rng = Rng::with_seed(vertices.len() as u64);
        let mut last = 0;
        for _ in 0..100_000 {
            let direction = direction(&mut rng, &hull);
            let expected = scan(&vertices, to_units(direction));
            for start in [u32::MAX, last, rng.u32(..vertices.len() as u32)] {
                let found = hull.support_vertex(direction, start);
                assert_eq!(found, expected, "{name}, {} vertices, {direction} from {start}", vertices.len());
            }
            assert_eq!(hull.support(direction), hull.vertices()[expected as usize]);
            last = expected;
        }
    }
}

#[test]
fn either_method_is_right_for_any_number_of_vertices() {
    for (name, hull) in hulls() {
        let vertices: Vec<[i64; 3]> = hull.vertices().iter().map(|&vertex| to_units(vertex)).collect();
        let mut rng = Rng::with_seed(3);
        let methods = [SupportMethod::Scan, SupportMethod::Climb];
        let hulls = methods.map(|method| hull.clone().searched_by(method));
        assert_ne!(hulls[0], hulls[1], "{name}: both the same way");
        assert!(hulls.contains(&hull), "{name}");
        for _ in 0..3_000 {
            let direction = direction(&mut rng, &hull);
            let expected = scan(&vertices, to_units(direction));
            for start in [u32::MAX, rng.u32(..vertices.len() as u32)] {
                for (method, hull) in methods.iter().zip(&hulls) {
                    assert_eq!(hull.support_vertex(direction, start), expected, "{name}, {method:?}, {direction}");
                }
            }
        }
    }
}

/// 100,000 directions on a hull of any coordinates: the product is the greatest in f64, up to the rounding of f64.
#[test]
fn no_vertex_is_farther_along_any_direction() {
    let mut rng = Rng::with_seed(11);
    for (scale, count) in [(1.0, 100), (1e-20, 1200), (1e20, 1200), (1e-38, 60), (1e38, 60), (1.0, 1200)] {
        let points: Vec<Vec3> = (0..count).map(|_| on_sphere(&mut rng) * scale).collect();
        let hull = ConvexHull::new(&points).expect("a sphere");
        for i in 0..100_000 / 6 {
            let direction = on_sphere(&mut rng) * [1.0, 1e-30, 1e30][i % 3];
            let along = |vertex: Vec3| direction.as_dvec3().dot(vertex.as_dvec3());
            let greatest = hull.vertices().iter().map(|&vertex| along(vertex)).fold(f64::NEG_INFINITY, f64::max);
            let found = along(hull.support(direction));
            assert!(
                found >= greatest - 1e-15 * greatest.abs(),
                "{found} for {greatest} along {direction}, scale {scale}"
            );
            assert_eq!(hull.support_vertex(direction, 17), hull.support_vertex(direction, u32::MAX));
        }
    }
}

#[test]
fn directions_that_are_no_directions_give_a_vertex() {
    for (_, hull) in hulls() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE, 1e-45, 0.0] {
            for direction in [Vec3::new(bad, 0.0, 1.0), Vec3::splat(bad), Vec3::new(0.0, bad, -bad)] {
                for start in [0, 3, u32::MAX] {
                    assert!((hull.support_vertex(direction, start) as usize) < hull.vertices().len());
                }
                assert!(hull.support(direction).is_finite());
            }
        }
    }
}
