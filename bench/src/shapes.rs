//! Convex hulls of point clouds and support points of polytopes, against parry3d.

mod support;

use crate::clouds;
use crate::measure::{Row, compare};
use crate::{Effort, Rows};
use carom::glam::{DVec3, Vec3};
use carom::shape::ConvexHull;
use parry3d::math::Vector;
use parry3d::shape::ConvexPolyhedron;
use parry3d::transformation::try_convex_hull;
use std::collections::BTreeSet;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};

const AREA: &str = "shapes";
const PEER: &str = "parry3d 0.31";

/// The cases whose names begin with `only`.
pub fn rows(effort: Effort, only: &str) -> Rows {
    let mut cases = vec![
        ("hull/ball-100", clouds::ball(100)),
        ("hull/ball-1k", clouds::ball(1_000)),
        ("hull/ball-10k", clouds::ball(10_000)),
        ("hull/ball-100k", clouds::ball(100_000)),
        ("hull/cube-100k", clouds::cube(100_000)),
        ("hull/beam-100k", clouds::beam(100_000)),
        ("hull/sphere-1k", clouds::sphere(1_000)),
        ("hull/sphere-10k", clouds::sphere(10_000)),
        ("hull/cube-faces-10k", clouds::cube_faces(10_000)),
        ("hull/turned-cube-faces-10k", clouds::turned(clouds::cube_faces(10_000))),
        ("hull/turned-grid-20³", clouds::turned(clouds::grid(20))),
        ("hull/grid-20³", clouds::grid(20)),
        ("hull/prism-64", clouds::prism(64)),
        ("hull/turned-prism-1k", clouds::turned(clouds::prism(1_000))),
    ];
    if effort == Effort::Full {
        cases.push(("hull/ball-1M", clouds::ball(1_000_000)));
        cases.push(("hull/sphere-100k", clouds::sphere(100_000)));
    }
    let is_wanted = |(case, _): &(&str, Vec<Vec3>)| case.starts_with(only);
    let hulls = cases.into_iter().filter(is_wanted).map(|(case, points)| hull_row(effort, case, &points));
    // The hull as a shape: polygonal faces, edges and neighbours on both sides. Results are compared above.
    let shapes = [
        ("shape/ball-100", clouds::ball(100)),
        ("shape/ball-10k", clouds::ball(10_000)),
        ("shape/cube-faces-10k", clouds::cube_faces(10_000)),
        ("shape/prism-64", clouds::prism(64)),
    ];
    let shapes = shapes.into_iter().filter(is_wanted).map(|(case, points)| shape_row(effort, case, &points));
    let mut rows: Vec<Row> = hulls.chain(shapes).collect::<Result<_, _>>()?;
    rows.extend(support::rows(effort, only)?);
    Ok(rows)
}

fn to_peer(points: &[Vec3]) -> Vec<Vector> {
    points.iter().map(|point| Vector::new(point.x, point.y, point.z)).collect()
}

fn shape_row(effort: Effort, case: &str, points: &[Vec3]) -> Result<Row, String> {
    let peer_points = to_peer(points);
    let ours = ConvexHull::new(points).map_err(|error| format!("{case}: {error}"))?;
    let mut note = format!("{} vertices, {} faces", ours.vertices().len(), ours.face_count());
    let peer = quietly(|| ConvexPolyhedron::from_convex_hull(&peer_points));
    match &peer {
        Ok(Some(peer)) => note += &format!("; the peer {}, {}", peer.points().len(), peer.faces().len()),
        Ok(None) => note += "; the peer finds no hull",
        Err(message) => note += &format!("; the peer panics: {message}"),
    }
    let run_peer = || drop(black_box(ConvexPolyhedron::from_convex_hull(black_box(&peer_points))));
    let run_ours = || drop(black_box(ConvexHull::new(black_box(points))));
    let times = compare(effort, 1, run_ours, matches!(peer, Ok(Some(_))).then_some(run_peer));
    Ok(Row::new(AREA, case.to_owned(), PEER, times, note))
}

fn hull_row(effort: Effort, case: &str, points: &[Vec3]) -> Result<Row, String> {
    let peer_points = to_peer(points);
    let ours = ConvexHull::new(points).map_err(|error| format!("{case}: {error}"))?;
    let ours_out = greatest_height(points, &ours);
    if ours_out > 2e-6 {
        return Err(format!("{case}: a point is {ours_out:e} outside our hull"));
    }
    let mut note = format!("{} vertices, {} faces", ours.vertices().len(), ours.face_count());
    let peer_works = match quietly(|| try_convex_hull(&peer_points)) {
        Ok(Ok((vertices, triangles))) => {
            note += &format!("; the peer {}, {}", vertices.len(), triangles.len());
            let (our_volume, peer_volume) = (volume(&ours), triangles_volume(&vertices, &triangles));
            if (our_volume - peer_volume).abs() > 1e-4 * our_volume {
                note += &format!(", its volume {peer_volume:.6} for {our_volume:.6}");
                // Ours holds all points. If theirs does as well, both cannot be right.
                match fault(&peer_points, &vertices, &triangles) {
                    Some(fault) => note += &format!(": WRONG, {fault}"),
                    None => return Err(format!("{case}: {note}")),
                }
            }
            true
        }
        Ok(Err(error)) => {
            note += &format!("; the peer says: {error}");
            false
        }
        Err(message) => {
            note += &format!("; the peer panics: {message}");
            false
        }
    };
    let run_peer = || drop(black_box(try_convex_hull(black_box(&peer_points))));
    let run_ours = || drop(black_box(ConvexHull::new(black_box(points))));
    let times = compare(effort, 1, run_ours, peer_works.then_some(run_peer));
    Ok(Row::new(AREA, case.to_owned(), PEER, times, note))
}

/// The result of `run`, or what it panicked with, without a message on the screen.
fn quietly<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let result = catch_unwind(AssertUnwindSafe(run));
    std::panic::set_hook(hook);
    result.map_err(|payload| match payload.downcast_ref::<String>() {
        Some(message) => message.clone(),
        None => payload.downcast_ref::<&str>().unwrap_or(&"").to_string(),
    })
}

/// The greatest height of a point above a plane of the hull.
fn greatest_height(points: &[Vec3], hull: &ConvexHull) -> f64 {
    // Only the extreme points along each normal matter, and for large hulls a sample of the planes will do.
    let step = (hull.face_count() * points.len() / 100_000_000).max(1);
    let planes = hull.planes().iter().step_by(step);
    let height = |plane: &carom::shape::hull::FacePlane| {
        let farthest = points.iter().map(|point| point.dot(plane.normal)).fold(f32::MIN, f32::max);
        f64::from(farthest - plane.offset)
    };
    planes.map(height).fold(f64::MIN, f64::max)
}

/// What shows that triangles are not the convex hull of `points`, if anything does.
fn fault(points: &[Vector], vertices: &[Vector], triangles: &[[u32; 3]]) -> Option<&'static str> {
    let half_edges: BTreeSet<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    if half_edges.len() != 3 * triangles.len() || half_edges.iter().any(|&[a, b]| !half_edges.contains(&[b, a])) {
        return Some("not closed");
    }
    let is_outside = |&[a, b, c]: &[u32; 3]| {
        let [a, b, c] = [a, b, c].map(|corner| vertices[corner as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        points.iter().any(|&point| normal.dot(point - a) > 1e-4)
    };
    triangles.iter().any(is_outside).then_some("not convex")
}

fn volume(hull: &ConvexHull) -> f64 {
    let at = |corner: u32| hull.vertices()[corner as usize].as_dvec3();
    let face_volume = |face: usize| {
        let corners = hull.face_corners(face);
        corners[1..].windows(2).map(|pair| at(corners[0]).dot(at(pair[0]).cross(at(pair[1])))).sum::<f64>() / 6.0
    };
    (0..hull.face_count()).map(face_volume).sum()
}

fn triangles_volume(vertices: &[Vector], triangles: &[[u32; 3]]) -> f64 {
    let at = |corner: u32| {
        let vertex = vertices[corner as usize];
        DVec3::new(vertex.x.into(), vertex.y.into(), vertex.z.into())
    };
    triangles.iter().map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0).sum()
}
