//! Triangle against triangle (N3): the yes or no against exact integers, the segment against the triangles.
//!
//! The oracle knows nothing of edges and sides: two triangles meet if the origin is among the differences of their
//! points, which is so if it lies in a simplex of at most four of the nine differences of corners (Carathéodory).
//! All coordinates are whole numbers, so every determinant is exact in i128.

mod random;

use carom::glam::{DVec3, Vec3};
use carom::narrow::triangle_triangle::crossing;
use fastrand::Rng;

type Point = [i128; 3];

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Point, b: Point) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

const ZERO: Point = [0; 3];

fn in_segment(a: Point, b: Point) -> bool {
    cross(a, b) == ZERO && dot(a, b) <= 0
}

fn in_triangle(a: Point, b: Point, c: Point) -> bool {
    let normal = cross(minus(b, a), minus(c, a));
    if normal == ZERO || dot(normal, a) != 0 {
        return false;
    }
    let turns = [dot(cross(a, b), normal), dot(cross(b, c), normal), dot(cross(c, a), normal)];
    turns.iter().all(|turn| *turn >= 0) || turns.iter().all(|turn| *turn <= 0)
}

fn in_tetrahedron(corners: [Point; 4]) -> bool {
    let volume = |[a, b, c, d]: [Point; 4]| dot(cross(minus(b, a), minus(c, a)), minus(d, a));
    let whole = volume(corners).signum();
    whole != 0
        && (0..4).all(|index| {
            let mut part = corners;
            part[index] = ZERO;
            volume(part).signum() * whole >= 0
        })
}

fn meet(a: [Point; 3], b: [Point; 3]) -> bool {
    let points: Vec<Point> = a.iter().flat_map(|&p| b.iter().map(move |&q| minus(p, q))).collect();
    let count = points.len();
    (0..count).any(|i| {
        points[i] == ZERO
            || (i + 1..count).any(|j| {
                in_segment(points[i], points[j])
                    || (j + 1..count).any(|k| {
                        in_triangle(points[i], points[j], points[k])
                            || (k + 1..count).any(|l| in_tetrahedron([points[i], points[j], points[k], points[l]]))
                    })
            })
    })
}

fn as_vectors(corners: [Point; 3]) -> [Vec3; 3] {
    corners.map(|corner| Vec3::from(corner.map(|coordinate| coordinate as f32)))
}

fn distance_to(point: DVec3, face: [Vec3; 3]) -> f64 {
    // By weights and edges in f64; not the library's.
    let [a, b, c] = face.map(|corner| corner.as_dvec3());
    let on_edge = |p: DVec3, q: DVec3| {
        let along = q - p;
        let weight = ((point - p).dot(along) / along.length_squared().max(1e-300)).clamp(0.0, 1.0);
        point.distance(p + weight * along)
    };
    let mut least = on_edge(a, b).min(on_edge(b, c)).min(on_edge(c, a));
    let normal = (b - a).cross(c - a);
    let is_over = [(a, b), (b, c), (c, a)].iter().all(|&(p, q)| normal.dot((q - p).cross(point - p)) >= 0.0);
    if normal != DVec3::ZERO && is_over {
        least = least.min((point - a).dot(normal.normalize()).abs());
    }
    least
}

fn check(a: [Point; 3], b: [Point; 3]) -> bool {
    let (wide_a, wide_b) = (as_vectors(a), as_vectors(b));
    let expected = meet(a, b);
    let found = crossing(wide_a, wide_b);
    assert_eq!(found.is_some(), expected, "{a:?} {b:?}");
    assert_eq!(crossing(wide_b, wide_a).is_some(), expected, "mirrored {a:?} {b:?}");
    let turned = [wide_a[2], wide_a[0], wide_a[1]];
    assert_eq!(crossing(turned, [wide_b[1], wide_b[0], wide_b[2]]).is_some(), expected, "renumbered {a:?} {b:?}");
    if let Some(found) = found {
        let size = wide_a.iter().chain(&wide_b).map(|corner| corner.abs().max_element()).fold(1.0, f32::max);
        let middle = 0.5 * (found.segment[0] + found.segment[1]);
        for point in found.segment.into_iter().chain([middle]) {
            let off = distance_to(point, wide_a).max(distance_to(point, wide_b));
            assert!(off <= 1e-12 * f64::from(size), "{off:e} off {a:?} {b:?}");
        }
    }
    expected
}

/// A small grid: corners on edges, edges on edges, shared planes and triangles without area abound.
#[test]
fn on_a_small_grid_all_is_exact() {
    let mut random = Rng::with_seed(1);
    let mut meeting = 0;
    for _ in 0..150_000 {
        let reach = random.i32(1..4);
        let mut point = || std::array::from_fn(|_| i128::from(random.i32(-reach..=reach)));
        let (a, b) = ([point(), point(), point()], [point(), point(), point()]);
        meeting += usize::from(check(a, b));
    }
    println!("{meeting} of 150000 meet");
    assert!((40_000..140_000).contains(&meeting), "{meeting} of 150000 are no mixture");
}

/// All in one plane that is not that of two axes.
#[test]
fn in_one_plane_all_is_exact() {
    let mut random = Rng::with_seed(2);
    let mut meeting = 0;
    for _ in 0..50_000 {
        let mut point = || {
            let (u, v) = (i128::from(random.i32(-4..=4)), i128::from(random.i32(-4..=4)));
            [u + v, u - v, 2 * v - 3 * u]
        };
        let (a, b) = ([point(), point(), point()], [point(), point(), point()]);
        meeting += usize::from(check(a, b));
    }
    assert!((5_000..45_000).contains(&meeting), "{meeting} of 50000 are no mixture");
}

/// Large whole numbers: determinants of 67 bits, far beyond what f64 decides without exact arithmetic. Corners are put
/// on, or one step off, lines and planes of the other triangle.
#[test]
fn next_to_touching_all_is_exact() {
    let mut random = Rng::with_seed(3);
    let mut meeting = 0;
    for _ in 0..50_000 {
        let mut point = || std::array::from_fn(|_| i128::from(random.i32(-(1 << 19)..1 << 19)));
        let b: [Point; 3] = [point(), point(), point()];
        // Even multiples keep the middle of an edge, and of that middle and the third corner, whole.
        let b = b.map(|corner| corner.map(|coordinate| coordinate & !3));
        let mut a: [Point; 3] = [point(), point(), point()];
        let middle = |p: Point, q: Point| std::array::from_fn(|axis| (p[axis] + q[axis]) / 2);
        a[0] = match random.u32(0..4) {
            0 => b[0],
            1 => middle(b[0], b[1]),
            _ => middle(middle(b[0], b[1]), b[2]),
        };
        if random.bool() {
            a[0][random.usize(0..3)] += random.i32(-1..=1) as i128;
        }
        meeting += usize::from(check(a, b));
    }
    println!("{meeting} of 50000 meet");
    assert!((20_000..49_000).contains(&meeting), "{meeting} of 50000 are no mixture");
}

#[test]
fn what_is_not_finite_meets_nothing() {
    let face = [Vec3::ZERO, Vec3::X, Vec3::Y];
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(crossing(face, [Vec3::ZERO, Vec3::splat(bad), Vec3::Y]), None);
    }
    // Huge and tiny coordinates are as good as any.
    for scale in [1e-30, 1e30] {
        let upright = [Vec3::new(0.2, 0.2, -1.0), Vec3::new(0.2, 0.2, 1.0), Vec3::new(0.3, 0.9, 0.0)];
        let found = crossing(face.map(|corner| corner * scale), upright.map(|corner| corner * scale)).unwrap();
        assert!(found.segment[0].is_finite() && found.segment[0].distance(found.segment[1]) > 0.0);
    }
}
