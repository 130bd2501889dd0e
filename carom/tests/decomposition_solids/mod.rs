//! Solids to decompose, and what must hold of the result, found out by brute force in f64.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use carom::decomposition::{Decomposition, Outcome, Settings};
use carom::glam::{DVec3, Vec3};
use carom::mass::MassProperties;
use carom::shape::{ConvexHull, Shape, TriangleMesh};
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::f32::consts::TAU;

/// A torus of `along` times `across` quads.
pub fn torus(along: u32, across: u32) -> TriangleMesh {
    let vertex = |index: u32| {
        let (u, v) = ((index / across) as f32 / along as f32 * TAU, (index % across) as f32 / across as f32 * TAU);
        let ring = 1.0 + 0.4 * v.cos();
        Vec3::new(ring * u.cos(), 0.4 * v.sin(), ring * u.sin())
    };
    let triangles = (0..along * across).flat_map(|index| {
        let (u, v) = (index / across, index % across);
        let at = |u: u32, v: u32| u % along * across + v % across;
        let [a, b, c, d] = [at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)];
        [[a, c, b], [a, d, c]]
    });
    TriangleMesh::new((0..along * across).map(vertex).collect(), triangles.collect()).unwrap()
}

/// The cubes of a grid of the given size that `is_filled` chooses, as one surface.
pub fn cubes(size: [i32; 3], is_filled: impl Fn(i32, i32, i32) -> bool) -> TriangleMesh {
    let mut filled = BTreeSet::new();
    for x in 0..size[0] {
        for y in 0..size[1] {
            filled.extend((0..size[2]).filter(|&z| is_filled(x, y, z)).map(|z| [x, y, z]));
        }
    }
    surface_of(&filled)
}

/// A random heap of cubes that hang together by faces; they may meet in edges and corners as well.
pub fn heap(random: &mut Rng, count: usize) -> TriangleMesh {
    let mut filled = vec![[0, 0, 0]];
    while filled.len() < count {
        let mut next = filled[random.usize(0..filled.len())];
        next[random.usize(0..3)] += if random.bool() { 1 } else { -1 };
        if !filled.contains(&next) {
            filled.push(next);
        }
    }
    surface_of(&filled.into_iter().collect())
}

fn surface_of(filled: &BTreeSet<[i32; 3]>) -> TriangleMesh {
    let mut numbers = BTreeMap::new();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for &cube in filled {
        for (axis, side) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
            let mut beyond = cube;
            beyond[axis] += 2 * side - 1;
            if filled.contains(&beyond) {
                continue;
            }
            let mut corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[u, v]| {
                let mut corner = cube;
                corner[axis] += side;
                corner[(axis + 1) % 3] += u;
                corner[(axis + 2) % 3] += v;
                *numbers.entry(corner).or_insert_with(|| {
                    vertices.push(Vec3::from_array(corner.map(|x| x as f32)));
                    vertices.len() as u32 - 1
                })
            });
            if side == 0 {
                corners.reverse();
            }
            let [a, b, c, d] = corners;
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// The mesh with each vertex changed.
pub fn moved(mesh: &TriangleMesh, change: impl Fn(Vec3) -> Vec3) -> TriangleMesh {
    let vertices = mesh.vertices().iter().map(|&vertex| change(vertex)).collect();
    TriangleMesh::new(vertices, mesh.triangles().to_vec()).unwrap()
}

/// Half the longest side of the box around a mesh.
pub fn size(mesh: &TriangleMesh) -> f64 {
    let vertices = || mesh.vertices().iter().map(|vertex| vertex.as_dvec3());
    let (min, max) = (vertices().fold(DVec3::INFINITY, DVec3::min), vertices().fold(DVec3::NEG_INFINITY, DVec3::max));
    0.5 * (max - min).max_element()
}

/// About what f32 rounds off the coordinates, for points computed in several steps.
fn rounding(mesh: &TriangleMesh) -> f64 {
    let largest = mesh.vertices().iter().fold(0.0f32, |most, vertex| most.max(vertex.abs().max_element()));
    64.0 * f64::from(f32::EPSILON) * f64::from(largest)
}

/// Whether the surface winds around a point: the sum of solid angles (van Oosterom and Strackee 1983).
pub fn is_inside(mesh: &TriangleMesh, point: DVec3) -> bool {
    let scale = 1.0 / size(mesh);
    let whole: f64 = (0..mesh.triangles().len())
        .map(|triangle| {
            let [a, b, c] = mesh.corners(triangle).map(|corner| (corner.as_dvec3() - point) * scale);
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            2.0 * a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
        })
        .sum();
    whole.abs() > std::f64::consts::TAU
}

/// How far a point is from the solid, over all triangles.
pub fn distance_to(mesh: &TriangleMesh, point: DVec3) -> f64 {
    let nearest = (0..mesh.triangles().len())
        .map(|triangle| to_triangle(mesh.corners(triangle).map(|corner| corner.as_dvec3() - point)))
        .fold(f64::INFINITY, f64::min);
    if nearest > 0.0 && is_inside(mesh, point) { 0.0 } else { nearest }
}

/// How far a triangle is from the origin: over its face if that is below or above, else over its edges.
fn to_triangle([a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a).normalize();
    let is_over = |p: DVec3, q: DVec3| (q - p).cross(-p).dot(normal) >= 0.0;
    if is_over(a, b) && is_over(b, c) && is_over(c, a) {
        return normal.dot(a).abs();
    }
    let to_edge = |p: DVec3, q: DVec3| {
        let share = (-p.dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
        p.lerp(q, share).length()
    };
    to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a))
}

/// How far a point is above the highest plane of a hull.
fn outside_of(hull: &ConvexHull, point: DVec3) -> f64 {
    let above = |face: usize| {
        let corner = |index: usize| hull.vertices()[hull.face_corners(face)[index] as usize].as_dvec3();
        let normal = hull.planes()[face].normal.as_dvec3();
        normal.dot(point - corner(0))
    };
    (0..hull.face_count()).map(above).fold(f64::NEG_INFINITY, f64::max)
}

fn shares<const N: usize>(random: &mut Rng) -> [f64; N] {
    let weights: [f64; N] = std::array::from_fn(|_| -random.f64().max(1e-300).ln());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

fn mixed<const N: usize>(random: &mut Rng, points: [DVec3; N]) -> DVec3 {
    points.iter().zip(shares::<N>(random)).map(|(&point, share)| point * share).sum()
}

/// Points of the solid, half of them on its surface, that are in no hull, beyond rounding: the farthest.
pub fn farthest_left_out(mesh: &TriangleMesh, hulls: &[ConvexHull], random: &mut Rng, count: usize) -> f64 {
    let vertices = || mesh.vertices().iter().map(|vertex| vertex.as_dvec3());
    let (min, max) = (vertices().fold(DVec3::INFINITY, DVec3::min), vertices().fold(DVec3::NEG_INFINITY, DVec3::max));
    let mut farthest = 0.0f64;
    let (mut tried, mut inside) = (0, 0);
    while tried < count {
        tried += 1;
        let point = if tried % 2 == 0 {
            let triangle = random.usize(0..mesh.triangles().len());
            mixed(random, mesh.corners(triangle).map(|corner| corner.as_dvec3()))
        } else {
            let point = min + (max - min) * DVec3::from_array(std::array::from_fn(|_| random.f64()));
            if !is_inside(mesh, point) {
                continue;
            }
            point
        };
        inside += 1;
        let out = hulls.iter().map(|hull| outside_of(hull, point)).fold(f64::INFINITY, f64::min);
        farthest = farthest.max(out - rounding(mesh));
    }
    assert!(inside >= count / 2, "{inside} of {count} points are in the solid");
    farthest
}

/// The farthest from the solid of random points of the hulls: on their faces, along their edges and inside.
pub fn farthest_reach(mesh: &TriangleMesh, hulls: &[ConvexHull], random: &mut Rng, count: usize) -> f64 {
    let mut farthest = 0.0f64;
    for case in 0..count {
        let hull = &hulls[case % hulls.len()];
        let corners = hull.face_corners(random.usize(0..hull.face_count()));
        let mut corner = || hull.vertices()[corners[random.usize(0..corners.len())] as usize].as_dvec3();
        let on_face = [corner(), corner(), corner()];
        let mut any = || hull.vertices()[random.usize(0..hull.vertices().len())].as_dvec3();
        let within = [any(), any(), any(), any()];
        let point = match case / hulls.len() % 3 {
            0 => mixed(random, on_face),
            1 => mixed(random, within),
            _ => 0.5 * (within[0] + within[1]),
        };
        farthest = farthest.max(distance_to(mesh, point));
    }
    farthest
}

/// What must hold of every decomposition: all of the solid is in the hulls, they keep to what they promise, and to the
/// budgets.
pub fn assert_sound(name: &str, mesh: &TriangleMesh, settings: &Settings, parts: &Decomposition, points: usize) {
    let mut random = Rng::with_seed(7);
    let left_out = farthest_left_out(mesh, &parts.hulls, &mut random, points);
    let reach = farthest_reach(mesh, &parts.hulls, &mut random, points) / size(mesh);
    println!(
        "{name}: {} hulls, {:?}, reach {reach:.4}, found {:.4}, bound {:.4}, left out {left_out:.1e}",
        parts.hulls.len(),
        parts.outcome,
        parts.concavity(),
        parts.bound()
    );
    assert_eq!(left_out, 0.0, "{name}: a part of the solid is in no hull");
    assert!(reach <= parts.bound() + rounding(mesh) / size(mesh), "{name}: a hull reaches {reach} out");
    assert!(parts.concavity() <= parts.bound(), "{name}: {} and {}", parts.concavity(), parts.bound());
    assert_eq!(parts.outcome == Outcome::Reached, parts.bound() <= settings.concavity, "{name}");
    assert!(!parts.hulls.is_empty() && parts.hulls.len() <= settings.max_hulls.max(1), "{name}");
    assert!(parts.hulls.iter().all(|hull| hull.vertices().len() <= settings.max_vertices), "{name}");
    let mass = |shape: &Shape| f64::from(MassProperties::of_shape(shape, 1.0).unwrap().mass);
    let hulls: f64 = parts.hulls.iter().map(|hull| mass(&Shape::from(hull.clone()))).sum();
    let solid = mass(&Shape::from(mesh.clone()));
    assert!(hulls >= solid * (1.0 - 1e-4), "{name}: the hulls weigh {hulls}, the solid {solid}");
}
