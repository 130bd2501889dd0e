//! Point clouds of many kinds, and what must hold for the hull of any cloud.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use crate::random::{direction, rotation, vector};
use carom::shape::ConvexHull;
use fastrand::Rng;
use glam::{DVec3, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// No input point, and no vertex, is above a face by more than this many f32 epsilon times `Σ |nᵢ|·max |xᵢ|`.
pub const TOLERANCE: f64 = 32.0;

pub fn in_ball(rng: &mut Rng) -> Vec3 {
    loop {
        let point = vector(rng, 1.0);
        if point.length_squared() <= 1.0 {
            return point;
        }
    }
}

pub fn on_sphere(rng: &mut Rng) -> Vec3 {
    direction(rng).as_vec3()
}

pub fn cube_corner(corner: usize) -> Vec3 {
    let sign = |bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
    Vec3::new(sign(0), sign(1), sign(2))
}

pub fn on_cube(rng: &mut Rng) -> Vec3 {
    let mut point = vector(rng, 1.0);
    point[rng.usize(..3)] = if rng.bool() { 1.0 } else { -1.0 };
    point
}

/// Clouds of about `count` points each, all with a volume.
pub fn clouds(rng: &mut Rng, count: usize) -> Vec<(&'static str, Vec<Vec3>)> {
    let turn = rotation(rng);
    let side = (count as f32).cbrt().ceil().max(2.0) as usize;
    let grid: Vec<Vec3> = (0..side * side * side)
        .map(|i| Vec3::new((i % side) as f32, (i / side % side) as f32, (i / side / side) as f32))
        .collect();
    let ball: Vec<Vec3> = (0..count).map(|_| in_ball(rng)).collect();
    let sphere: Vec<Vec3> = (0..count).map(|_| on_sphere(rng)).collect();
    let cube: Vec<Vec3> = (0..count.max(30)).map(|_| on_cube(rng)).collect();
    let prism: Vec<Vec3> = (0..count)
        .map(|i| {
            let angle = (i / 2) as f32 / (count / 2) as f32 * std::f32::consts::TAU;
            Vec3::new(angle.cos(), if i % 2 == 0 { -1.0 } else { 1.0 }, angle.sin())
        })
        .collect();
    // All integer points with the same distance from the origin: 9² + 2·… gives many on each of many planes.
    let cospherical: Vec<Vec3> = (-21i32..=21)
        .flat_map(|x| (-21i32..=21).flat_map(move |y| (-21i32..=21).map(move |z| [x, y, z])))
        .filter(|[x, y, z]| x * x + y * y + z * z == 441)
        .map(|point| Vec3::from_array(point.map(|x| x as f32)))
        .collect();
    let duplicates: Vec<Vec3> = (0..count).map(|i| ball[i % (count / 3 + 4).min(count)]).collect();
    let small_integers: Vec<Vec3> = (0..count.max(30))
        .map(|_| Vec3::new(rng.i32(-3..=3) as f32, rng.i32(-3..=3) as f32, rng.i32(-3..=3) as f32))
        .collect();
    let slab: Vec<Vec3> = cube.iter().map(|&point| point * Vec3::new(1.0, 1e-6, 1.0)).collect();
    let rod: Vec<Vec3> = cube.iter().map(|&point| point * Vec3::new(1e-6, 1.0, 1e-6)).collect();
    let turned = |points: &[Vec3], by: Vec3| points.iter().map(|&point| turn * (point * by)).collect::<Vec<_>>();
    let scaled = |points: &[Vec3], by: f32| points.iter().map(|&point| point * by).collect::<Vec<_>>();
    vec![
        ("turned grid", turned(&grid, Vec3::ONE)),
        ("turned cube", turned(&cube, Vec3::ONE)),
        ("turned prism", turned(&prism, Vec3::ONE)),
        ("turned integers on a sphere", turned(&cospherical, Vec3::ONE)),
        ("turned slab", turned(&cube, Vec3::new(1.0, 2e-5, 1.0))),
        ("tiny ball", scaled(&ball, 1e-20)),
        ("huge cube", scaled(&turned(&cube, Vec3::ONE), 1e20)),
        ("subnormal ball", scaled(&ball, 1e-39)),
        ("almost infinite ball", scaled(&ball, 3e38)),
        ("ball far away", ball.iter().map(|&point| point + Vec3::new(1e4, -3e3, 2e3)).collect()),
        ("ball", ball),
        ("sphere", sphere),
        ("cube", cube),
        ("grid", grid),
        ("prism", prism),
        ("integers on a sphere", cospherical),
        ("duplicates", duplicates),
        ("small integers", small_integers),
        ("slab", slab),
        ("rod", rod),
    ]
}

/// What a plane with this normal is uncertain by: f32 epsilon times `Σ |nᵢ|·max |xᵢ|`. Components of normals end at the
/// least f32.
fn uncertainty(largest: DVec3, normal: DVec3) -> f64 {
    f64::from(f32::EPSILON) * (normal.abs() + f64::from(f32::MIN_POSITIVE)).dot(largest)
}

/// The greatest height of a point above a face, in multiples of [`uncertainty`].
pub fn greatest_height(points: &[Vec3], hull: &ConvexHull) -> f64 {
    let largest = points.iter().fold(Vec3::ZERO, |largest, point| largest.max(point.abs())).as_dvec3();
    let mut greatest = f64::NEG_INFINITY;
    for plane in hull.planes() {
        let normal = plane.normal.as_dvec3();
        let farthest = points.iter().map(|point| normal.dot(point.as_dvec3())).fold(f64::NEG_INFINITY, f64::max);
        greatest = greatest.max((farthest - f64::from(plane.offset)) / uncertainty(largest, normal));
    }
    greatest
}

/// Everything that must hold for `hull` as the hull of `points`.
pub fn check(points: &[Vec3], hull: &ConvexHull, what: &str) {
    let inputs: BTreeSet<[u32; 3]> = points.iter().map(|point| point.to_array().map(f32::to_bits)).collect();
    assert!(
        hull.vertices().iter().all(|vertex| inputs.contains(&vertex.to_array().map(f32::to_bits))),
        "{what}: a vertex is not a point of the input"
    );
    let (vertices, edges, faces) = (hull.vertices().len(), hull.edges().len(), hull.face_count());
    assert_eq!(vertices + faces, edges + 2, "{what}: Euler's formula");
    check_connections(hull, what);
    check_faces(points, hull, what);
    let height = greatest_height(points, hull);
    assert!(height <= TOLERANCE, "{what}: a point is {height} rounding units above a face");
}

fn check_connections(hull: &ConvexHull, what: &str) {
    let mut face_of_half_edge = BTreeMap::new();
    let mut faces_at_vertex = vec![0; hull.vertices().len()];
    for face in 0..hull.face_count() {
        let corners = hull.face_corners(face);
        assert!(corners.len() >= 3, "{what}: face {face} has {} corners", corners.len());
        for (i, &corner) in corners.iter().enumerate() {
            faces_at_vertex[corner as usize] += 1;
            let half_edge = [corner, corners[(i + 1) % corners.len()]];
            assert_eq!(face_of_half_edge.insert(half_edge, face as u32), None, "{what}: {half_edge:?} is used twice");
        }
    }
    assert!(faces_at_vertex.iter().all(|&faces| faces >= 3), "{what}: a vertex with fewer than three faces");
    assert_eq!(face_of_half_edge.len(), 2 * hull.edges().len(), "{what}");
    let mut neighbours = vec![BTreeSet::new(); hull.vertices().len()];
    for edge in hull.edges() {
        let [a, b] = edge.vertices;
        assert_eq!(face_of_half_edge.remove(&[a, b]), Some(edge.faces[0]), "{what}: {edge:?}");
        assert_eq!(face_of_half_edge.remove(&[b, a]), Some(edge.faces[1]), "{what}: {edge:?}");
        neighbours[a as usize].insert(b);
        neighbours[b as usize].insert(a);
    }
    for (vertex, expected) in neighbours.iter().enumerate() {
        let found = hull.neighbours(vertex);
        assert_eq!(found.len(), expected.len(), "{what}: neighbours of {vertex}");
        assert_eq!(&found.iter().copied().collect::<BTreeSet<_>>(), expected, "{what}: neighbours of {vertex}");
    }
}

/// Faces are flat, counter-clockwise and convex, up to rounding. Convexity is looked at with each axis scaled to one: a
/// normal in f32 does not tell the inside of a polygon that is 1e30 times as long as it is wide.
fn check_faces(points: &[Vec3], hull: &ConvexHull, what: &str) {
    let largest = points.iter().fold(Vec3::ZERO, |largest, point| largest.max(point.abs())).as_dvec3();
    let rounding = TOLERANCE * f64::from(f32::EPSILON);
    for (face, plane) in hull.planes().iter().enumerate() {
        let normal = plane.normal.as_dvec3();
        assert!((normal.length() - 1.0).abs() < 1e-6, "{what}: the normal of face {face} is {}", plane.normal);
        let corners: Vec<DVec3> =
            hull.face_corners(face).iter().map(|&corner| hull.vertices()[corner as usize].as_dvec3()).collect();
        for (i, &corner) in corners.iter().enumerate() {
            let height = normal.dot(corner) - f64::from(plane.offset);
            let slack = TOLERANCE * uncertainty(largest, normal);
            assert!(height.abs() <= slack, "{what}: corner {i} of face {face} is off its plane by {height}");
        }
        let scaled: Vec<DVec3> = corners.iter().map(|&corner| corner / largest).collect();
        let fan = scaled[1..].windows(2).map(|pair| (pair[0] - scaled[0]).cross(pair[1] - scaled[0]));
        let scaled_normal = fan.sum::<DVec3>().normalize();
        // Scaling by S takes a normal n to n / S: it must be the given one.
        let back = scaled_normal / largest;
        let given = normal / back.abs().max_element().recip();
        assert!(back.dot(given) > 0.0, "{what}: face {face} has its normal inward, or its corners are clockwise");
        for (i, &b) in scaled.iter().enumerate() {
            let (a, c) = (scaled[(i + scaled.len() - 1) % scaled.len()], scaled[(i + 1) % scaled.len()]);
            let outward = (c - a).cross(scaled_normal).normalize_or_zero();
            let reflex = -outward.dot(b - a);
            assert!(
                reflex <= rounding,
                "{what}: face {face} of {} corners is not convex at {i}: {reflex}",
                scaled.len()
            );
        }
    }
}

/// Whether two hulls have the same vertices and faces, whatever their order.
pub fn same_polytope(a: &ConvexHull, b: &ConvexHull) -> bool {
    canonical(a) == canonical(b)
}

/// The faces of a hull, each as the set of its corners' positions.
fn canonical(hull: &ConvexHull) -> BTreeSet<BTreeSet<[u32; 3]>> {
    (0..hull.face_count())
        .map(|face| {
            let corners = hull.face_corners(face).iter().map(|&corner| hull.vertices()[corner as usize]);
            // Adding zero turns -0 into +0.
            corners.map(|corner| (corner + Vec3::ZERO).to_array().map(f32::to_bits)).collect()
        })
        .collect()
}
