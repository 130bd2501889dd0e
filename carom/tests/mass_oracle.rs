//! Mass properties of every solid shape against counting random points that are inside.
//!
//! Each shape is told by a membership test of its own, in f64, that shares nothing with the library. A million points
//! of its box give the integrals of 1, x and xxᵀ with a standard error that the samples tell themselves; every one
//! must be within five of them (a sound value is outside once in 1.7 million).

mod meshes;

use carom::glam::DVec3;
use carom::mass::MassProperties;
use carom::prelude::*;
use carom::shape::{Part, SupportMap};
use meshes::box_mesh;

const SAMPLES: usize = 1_000_000;
const DENSITY: f32 = 2.5;

/// The integrals of 1, x, y, z, xx, yy, zz, xy, yz, zx.
fn integrals(point: DVec3) -> [f64; 10] {
    let [x, y, z] = point.to_array();
    [1.0, x, y, z, x * x, y * y, z * z, x * y, y * z, z * x]
}

/// The same integrals as the mass properties have them.
fn integrals_of(properties: &MassProperties) -> [f64; 10] {
    let mass = f64::from(properties.mass);
    let [x, y, z] = properties.center_of_mass.as_dvec3().to_array();
    let about_origin = properties.about(Vec3::ZERO).as_dmat3();
    let half_trace = 0.5 * (about_origin.x_axis.x + about_origin.y_axis.y + about_origin.z_axis.z);
    [
        mass,
        mass * x,
        mass * y,
        mass * z,
        half_trace - about_origin.x_axis.x,
        half_trace - about_origin.y_axis.y,
        half_trace - about_origin.z_axis.z,
        -about_origin.x_axis.y,
        -about_origin.y_axis.z,
        -about_origin.z_axis.x,
    ]
}

/// Compares with counting: `times_inside` says how often a point counts, 0 outside.
fn check(name: &str, shape: &Shape, least: DVec3, greatest: DVec3, times_inside: impl Fn(DVec3) -> f64) {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut sum, mut squares) = ([0.0; 10], [0.0; 10]);
    for _ in 0..SAMPLES {
        let at = DVec3::new(random.f64(), random.f64(), random.f64());
        let point = least + (greatest - least) * at;
        let times = times_inside(point);
        if times > 0.0 {
            for (index, value) in integrals(point).into_iter().enumerate() {
                sum[index] += times * value;
                squares[index] += times * value * times * value;
            }
        }
    }
    let properties = MassProperties::of_shape(shape, DENSITY).unwrap();
    let box_mass = f64::from(DENSITY) * (greatest - least).element_product();
    let samples = SAMPLES as f64;
    for (index, found) in integrals_of(&properties).into_iter().enumerate() {
        let mean = sum[index] / samples;
        let error = (squares[index] / samples - mean * mean).sqrt() / samples.sqrt();
        let (expected, bound) = (box_mass * mean, 5.0 * box_mass * error);
        assert!(error > 0.0, "{name}: no sample is inside");
        assert!((found - expected).abs() <= bound, "{name}, integral {index}: {found}, sampled {expected} ± {bound}");
    }
}

fn distance_to_segment(point: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    point.distance(a + along * (b - a))
}

fn distance_to_triangle(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a).normalize();
    let above = |p: DVec3, q: DVec3| (q - p).cross(point - p).dot(normal) >= 0.0;
    if above(a, b) && above(b, c) && above(c, a) {
        return (point - a).dot(normal).abs();
    }
    distance_to_segment(point, a, b).min(distance_to_segment(point, b, c)).min(distance_to_segment(point, c, a))
}

fn inside_box(point: DVec3, half: DVec3) -> bool {
    point.abs().cmple(half).all()
}

fn count(inside: bool) -> f64 {
    f64::from(u8::from(inside))
}

#[test]
fn round_primitives() {
    let all = |half: DVec3| (-half, half);
    let (least, greatest) = all(DVec3::splat(1.25));
    check("sphere", &Shape::sphere(1.25).unwrap(), least, greatest, |p| count(p.length() <= 1.25));

    let radii = DVec3::new(0.5, 2.0, 1.0);
    let ellipsoid = Shape::ellipsoid(0.5, 2.0, 1.0).unwrap();
    check("ellipsoid", &ellipsoid, -radii, radii, |p| count((p / radii).length() <= 1.0));

    let (least, greatest) = all(DVec3::new(0.75, 1.5, 0.75));
    let around = |p: DVec3| p.x.hypot(p.z);
    check("cylinder", &Shape::cylinder(1.5, 0.75).unwrap(), least, greatest, |p| count(around(p) <= 0.75));
    check("cone", &Shape::cone(1.5, 0.75).unwrap(), least, greatest, |p| count(around(p) <= 0.25 * (1.5 - p.y)));
}

#[test]
fn capsules_along_any_axis() {
    for (name, a, b) in [
        ("capsule along y", [0.0, -1.0, 0.0], [0.0, 1.0, 0.0]),
        ("capsule along x, off centre", [0.5, 2.0, 0.0], [3.0, 2.0, 0.0]),
        ("capsule askew", [1.0, -0.5, 0.25], [-0.5, 1.5, 2.0]),
    ] {
        let shape = Shape::capsule_between(a, b, 0.5).unwrap();
        let (a, b) = (Vec3::from(a).as_dvec3(), Vec3::from(b).as_dvec3());
        check(name, &shape, a.min(b) - 0.5, a.max(b) + 0.5, |p| count(distance_to_segment(p, a, b) <= 0.5));
    }
}

#[test]
fn cuboids_sharp_and_rounded() {
    let half = DVec3::new(0.5, 1.0, 2.0);
    let sharp = Shape::cuboid(0.5, 1.0, 2.0).unwrap();
    check("cuboid", &sharp, -1.1 * half, 1.1 * half, |p| count(inside_box(p, half)));
    let reach = half + 0.75;
    let beyond = |p: DVec3| (p.abs() - half).max(DVec3::ZERO).length();
    check("rounded cuboid", &sharp.rounded(0.75).unwrap(), -reach, reach, |p| count(beyond(p) <= 0.75));
}

#[test]
fn rounded_triangles() {
    for (name, corners, radius) in [
        ("acute", [[0.0, 0.0, 0.0], [2.0, 0.5, 0.0], [0.5, 1.0, 1.5]], 0.5),
        ("obtuse and thin", [[3.0, 0.0, 0.0], [0.0, 0.125, 0.0], [-3.0, 0.0, 0.25]], 0.25),
        ("small under its rounding", [[0.0, 0.0, 0.0], [0.25, 0.0, 0.0], [0.0, 0.0, 0.5]], 1.0),
    ] {
        let [a, b, c] = corners;
        let shape = Shape::triangle(a, b, c).unwrap().rounded(radius).unwrap();
        let radius = f64::from(radius);
        let corners = corners.map(|corner| Vec3::from(corner).as_dvec3());
        let (least, greatest) =
            (corners[0].min(corners[1]).min(corners[2]), corners[0].max(corners[1]).max(corners[2]));
        check(name, &shape, least - radius, greatest + radius, |p| count(distance_to_triangle(p, corners) <= radius));
    }
}

/// The triangles on the hull of a few points in general position: three points with all others on one side.
fn facets(points: &[DVec3]) -> Vec<[DVec3; 3]> {
    let mut found = Vec::new();
    let n = points.len();
    for (i, j, k) in (0..n).flat_map(|i| (i + 1..n).flat_map(move |j| (j + 1..n).map(move |k| (i, j, k)))) {
        let [a, b, c] = [points[i], points[j], points[k]];
        let normal = (b - a).cross(c - a);
        let sides = || (0..n).filter(|m| ![i, j, k].contains(m)).map(|m| normal.dot(points[m] - a));
        if sides().all(|side| side < 0.0) {
            found.push([a, b, c]);
        } else if sides().all(|side| side > 0.0) {
            found.push([a, c, b]);
        }
    }
    found
}

#[test]
fn hulls_sharp_and_rounded() {
    let mut random = fastrand::Rng::with_seed(11);
    let points: Vec<Vec3> = (0..12).map(|_| Vec3::from([0.0; 3].map(|_: f32| random.f32() * 3.0 + 1.0))).collect();
    let exact: Vec<DVec3> = points.iter().map(|point| point.as_dvec3()).collect();
    let facets = facets(&exact);
    let least = exact.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let greatest = exact.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let inside = |p: DVec3| facets.iter().all(|[a, b, c]| (*b - *a).cross(*c - *a).dot(p - *a) <= 0.0);
    let sharp = Shape::hull(&points).unwrap();
    check("hull", &sharp, least, greatest, |p| count(inside(p)));
    for radius in [0.125, 1.5] {
        let near = |p: DVec3| facets.iter().any(|facet| distance_to_triangle(p, *facet) <= radius);
        let rounded = sharp.rounded(radius as f32).unwrap();
        let name = format!("hull rounded by {radius}");
        check(&name, &rounded, least - radius, greatest + radius, |p| count(inside(p) || near(p)));
    }
}

#[test]
fn a_mesh_with_a_cavity() {
    let (mut vertices, mut triangles) = box_mesh(Vec3::new(1.5, 1.0, 1.0), Vec3::new(1.5, 1.0, 1.0));
    let (inner, cavity) = box_mesh(Vec3::new(0.625, 0.5, 0.625), Vec3::new(2.125, 1.0, 0.875));
    vertices.extend(inner);
    triangles.extend(cavity.iter().map(|&[a, b, c]| [a + 8, c + 8, b + 8]));
    let mesh = Shape::mesh(vertices, triangles).unwrap();
    let in_cavity = |p: DVec3| p.cmpgt(DVec3::new(1.5, 0.5, 0.25)).all() && p.cmplt(DVec3::new(2.75, 1.5, 1.5)).all();
    let greatest = DVec3::new(3.0, 2.0, 2.0);
    check("mesh with a cavity", &mesh, DVec3::ZERO, greatest, |p| count(!in_cavity(p)));
}

#[test]
fn a_concave_mesh() {
    // A tent with a notch: the prism under a W, its outline counter-clockwise seen from +z.
    let outline = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [3.0, 0.5], [2.0, 1.5], [1.0, 0.25], [0.0, 2.5]];
    let count_of = outline.len() as u32;
    let layer = |z: f32| outline.map(|[x, y]| Vec3::new(x, y, z));
    let vertices: Vec<Vec3> = layer(0.0).into_iter().chain(layer(1.5)).collect();
    // The bottom edge sees all of the roof from (2, 0): fans there, split at the middle of no edge, stay inside.
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let cap = [[0, 1, 5], [0, 5, 6], [5, 1, 4], [4, 1, 3], [3, 1, 2]];
    for [a, b, c] in cap {
        triangles.push([a + count_of, b + count_of, c + count_of]);
        triangles.push([a, c, b]);
    }
    for i in 0..count_of {
        let j = (i + 1) % count_of;
        triangles.extend([[i, j, j + count_of], [i, j + count_of, i + count_of]]);
    }
    let mesh = Shape::mesh(vertices, triangles).unwrap();
    let inside = |p: DVec3| {
        let crossings = (0..outline.len()).filter(|&i| {
            let [[ax, ay], [bx, by]] =
                [outline[i], outline[(i + 1) % outline.len()]].map(|corner| corner.map(f64::from));
            (ay > p.y) != (by > p.y) && p.x < ax + (p.y - ay) / (by - ay) * (bx - ax)
        });
        crossings.count() % 2 == 1
    };
    check("notched prism", &mesh, DVec3::ZERO, DVec3::new(4.0, 2.5, 1.5), |p| count(inside(p)));
}

#[test]
fn a_compound_counts_overlap_twice() {
    let turned = Quat::from_axis_angle(Vec3::new(1.0, 2.0, -1.0).normalize(), 0.7);
    let parts = vec![
        Part {
            pose: LocalPose::new(Vec3::new(0.5, 0.0, -0.25), turned),
            shape: Shape::cuboid(1.0, 0.5, 0.25).unwrap(),
        },
        Part { pose: LocalPose::at([0.0, 0.5, 0.0]), shape: Shape::sphere(0.75).unwrap() },
        Part {
            pose: LocalPose::new(Vec3::new(-1.0, 0.0, 0.0), turned.inverse()),
            shape: Shape::cone(0.5, 0.5).unwrap(),
        },
    ];
    let to_inner = |index: usize, p: DVec3| {
        let pose: &LocalPose = &parts[index].pose;
        pose.rotation.as_dquat().normalize().conjugate() * (p - pose.position.as_dvec3())
    };
    let times = |p: DVec3| {
        let (in_box, in_ball, in_cone) = (to_inner(0, p), to_inner(1, p), to_inner(2, p));
        let cone = in_cone.y.abs() <= 0.5 && in_cone.x.hypot(in_cone.z) <= 0.5 * (0.5 - in_cone.y);
        count(inside_box(in_box, DVec3::new(1.0, 0.5, 0.25))) + count(in_ball.length() <= 0.75) + count(cone)
    };
    let shape = Shape::compound(parts.clone()).unwrap();
    check("compound", &shape, DVec3::splat(-2.0), DVec3::splat(2.0), times);
}

/// A shape of the user's own: the sum of an ellipsoid and a box, off the origin.
#[derive(Debug)]
struct Pillow;

impl SupportMap for Pillow {
    fn support(&self, direction: Vec3) -> Vec3 {
        let radii = Vec3::new(0.5, 0.25, 0.75);
        let ball = radii * (radii * direction).normalize_or_zero();
        let half = Vec3::new(1.0, 0.125, 0.5);
        Vec3::new(3.0, 0.0, -1.0) + ball + Vec3::from([0, 1, 2].map(|axis| half[axis].copysign(direction[axis])))
    }
}

#[test]
fn a_custom_shape() {
    let (half, radii) = (DVec3::new(1.0, 0.125, 0.5), DVec3::new(0.5, 0.25, 0.75));
    let middle = DVec3::new(3.0, 0.0, -1.0);
    // A point is inside when the ellipsoid around it reaches the box: the nearest point along each axis alone is the
    // nearest of all, because both are mirror-symmetric along the axes.
    let inside = |p: DVec3| (((p - middle).abs() - half).max(DVec3::ZERO) / radii).length() <= 1.0;
    let reach = half + radii;
    check("pillow", &Shape::custom(Pillow), middle - reach, middle + reach, |p| count(inside(p)));
}

#[test]
#[should_panic(expected = "cone, integral 2")]
fn the_oracle_tells_a_cone_that_is_a_little_too_high() {
    let part = Part { pose: LocalPose::at([0.0, 0.01, 0.0]), shape: Shape::cone(1.5, 0.75).unwrap() };
    let reach = DVec3::new(0.75, 1.5, 0.75);
    let shape = Shape::compound(vec![part]).unwrap();
    check("cone", &shape, -reach, reach, |p| count(p.x.hypot(p.z) <= 0.25 * (1.5 - p.y)));
}
