//! Triangle meshes against parry3d: building, rays, boxes, contacts of convex shapes, overlap and distance of two.

use super::{AREA, PEER};
use crate::measure::{Row, compare};
use crate::{Effort, Rows, clouds};
use carom::bounds::Aabb;
use carom::glam::{DVec3, Quat, Vec3};
use carom::narrow::{ContactBuffer, contacts};
use carom::pose::{LocalPose, Pose};
use carom::query::{self, Ray, mesh};
use carom::shape::{Shape, TriangleMesh};
use parry3d::bounding_volume::Aabb as PeerAabb;
use parry3d::math::{Pose as PeerPose, Rotation as PeerRotation, Vector};
use parry3d::query::{
    ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, Ray as PeerRay, RayCast as _,
};
use parry3d::shape::{Ball, ConvexPolyhedron, Cuboid, Shape as PeerShape, TriMesh};
use std::hint::black_box;

/// Measures the cases whose names begin with `only`.
pub fn rows(effort: Effort, only: &str) -> Rows {
    type Case = fn(Effort, &str) -> Result<Row, String>;
    let cases: [(&str, Case); 9] = [
        ("mesh/build-20k", |effort, case| build_row(effort, case, 142, 71)),
        ("mesh/build-100k", |effort, case| build_row(effort, case, 316, 158)),
        ("mesh/ray-20k", ray_row),
        ("mesh/box-candidates", box_row),
        ("mesh/manifold-sphere", |effort, case| manifold_row(effort, case, &convex_shapes()?[0])),
        ("mesh/manifold-box", |effort, case| manifold_row(effort, case, &convex_shapes()?[1])),
        ("mesh/manifold-hull32", |effort, case| manifold_row(effort, case, &convex_shapes()?[2])),
        ("mesh/overlap-5k-5k", overlap_row),
        ("mesh/distance-5k-5k", distance_row),
    ];
    let wanted = cases.into_iter().filter(|(case, _)| case.starts_with(only));
    // One thread, for the peer has no more: ours builds trees with all there are.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    pool.install(|| wanted.map(|(case, row)| row(effort, case)).collect())
}

/// A torus with bumps: around `along` rings of `across` quads, two triangles each.
fn torus(along: u32, across: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let vertex = |index: u32| {
        let (u, v) = (index / across, index % across);
        let (u, v) = (u as f32 / along as f32, v as f32 / across as f32);
        let (u, v) = (u * std::f32::consts::TAU, v * std::f32::consts::TAU);
        let tube = 0.4 + 0.05 * (5.0 * u).sin() * (3.0 * v).cos();
        let ring = 1.0 + tube * v.cos();
        Vec3::new(ring * u.cos(), tube * v.sin(), ring * u.sin())
    };
    let triangles = (0..along * across).flat_map(|index| {
        let (u, v) = (index / across, index % across);
        let at = |u: u32, v: u32| u % along * across + v % across;
        let [a, b, c, d] = [at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)];
        [[a, c, b], [a, d, c]]
    });
    ((0..along * across).map(vertex).collect(), triangles.collect())
}

fn peer_vector(vector: Vec3) -> Vector {
    Vector::new(vector.x, vector.y, vector.z)
}

/// The same mesh for both.
pub(super) fn both(along: u32, across: u32) -> Result<(TriangleMesh, TriMesh), String> {
    let (vertices, triangles) = torus(along, across);
    let peer_vertices = vertices.iter().copied().map(peer_vector).collect();
    let peer = TriMesh::new(peer_vertices, triangles.clone()).map_err(|error| error.to_string())?;
    let ours = TriangleMesh::new(vertices, triangles).map_err(|error| error.to_string())?;
    Ok((ours, peer))
}

fn build_row(effort: Effort, case: &str, along: u32, across: u32) -> Result<Row, String> {
    let (vertices, triangles) = torus(along, across);
    let peer_vertices: Vec<Vector> = vertices.iter().copied().map(peer_vector).collect();
    let (ours, peer) = both(along, across)?;
    let (found, _) = candidates(case, &ours, &peer, &boxes())?;
    let run_ours = || {
        let mesh = TriangleMesh::new(black_box(&vertices).clone(), triangles.clone());
        black_box(mesh.as_ref().map(TriangleMesh::tree).is_ok());
    };
    let run_peer = || drop(black_box(TriMesh::new(black_box(&peer_vertices).clone(), triangles.clone())));
    let times = compare(effort, 1, run_ours, Some(run_peer));
    let note = format!(
        "{} triangles; the peer's {found} candidates of 512 boxes are found; tree {} kB, the peer's {} kB; one thread",
        triangles.len(),
        ours.tree().memory() / 1000,
        peer.bvh().heap_memory_size() / 1000
    );
    Ok(Row::new(AREA, case.to_owned(), PEER, times, note))
}

fn random_vector(random: &mut fastrand::Rng, reach: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (random.f32() * 2.0 - 1.0) * reach))
}

fn ray_row(effort: Effort, case: &str) -> Result<Row, String> {
    let (ours, peer) = both(142, 71)?;
    let shape = Shape::from(ours);
    let mut random = fastrand::Rng::with_seed(1);
    let rays: Vec<(Ray, PeerRay)> = (0..512)
        .map(|_| {
            let origin = random_vector(&mut random, 1.0).normalize_or(Vec3::X) * 3.0;
            let direction = (random_vector(&mut random, 1.2) - origin).normalize();
            let ray = Ray::new(origin.as_dvec3(), direction);
            (ray, PeerRay::new(peer_vector(origin), peer_vector(direction)))
        })
        .collect();
    let mut hits = 0;
    let mut differing = 0;
    for (ray, peer_ray) in &rays {
        let found = query::ray_cast(&shape, &Pose::IDENTITY, ray).map_err(|error| error.to_string())?;
        let expected = peer.cast_ray_and_get_normal(&PeerPose::IDENTITY, peer_ray, f32::MAX, false);
        hits += usize::from(found.is_some());
        let is_equal = match (&found, &expected) {
            (Some(found), Some(expected)) => (found.distance as f32 - expected.time_of_impact).abs() < 1e-4,
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        differing += usize::from(!is_equal);
    }
    // A ray that grazes an edge can be told either way in f32.
    if differing > 2 {
        return Err(format!("{case}: {differing} rays differ"));
    }
    let run_ours = || {
        for (ray, _) in &rays {
            let _ = black_box(query::ray_cast(&shape, &Pose::IDENTITY, black_box(ray)));
        }
    };
    let run_peer = || {
        for (_, ray) in &rays {
            black_box(peer.cast_ray_and_get_normal(&PeerPose::IDENTITY, black_box(ray), f32::MAX, false));
        }
    };
    let times = compare(effort, rays.len(), run_ours, Some(run_peer));
    Ok(Row::new(AREA, case.to_owned(), PEER, times, format!("{hits} of {} hit, {differing} differ", rays.len())))
}

fn boxes() -> Vec<(Aabb, PeerAabb)> {
    let mut random = fastrand::Rng::with_seed(2);
    let mut bounds = || {
        let center = random_vector(&mut random, 1.4) * Vec3::new(1.0, 0.3, 1.0);
        let half = Vec3::splat(0.02 + 0.1 * random.f32());
        let bounds = Aabb::new(center - half, center + half);
        (bounds, PeerAabb::new(peer_vector(bounds.min), peer_vector(bounds.max)))
    };
    (0..512).map(|_| bounds()).collect()
}

/// How many triangles the peer and we find in boxes. Ours are rounded outward by a 255th of a node, so they may be more; one
/// of the peer's that is missing is an error.
fn candidates(
    case: &str,
    ours: &TriangleMesh,
    peer: &TriMesh,
    boxes: &[(Aabb, PeerAabb)],
) -> Result<(usize, usize), String> {
    let (mut peers, mut found_by_us) = (0, 0);
    for (bounds, peer_bounds) in boxes {
        let mut found = Vec::new();
        ours.visit_overlapping(bounds, |triangle, _| found.push(triangle));
        let expected: Vec<u32> = peer.bvh().intersect_aabb(peer_bounds).collect();
        found.sort_unstable();
        if expected.iter().any(|triangle| found.binary_search(triangle).is_err()) {
            return Err(format!("{case}: {} triangles for {}", found.len(), expected.len()));
        }
        peers += expected.len();
        found_by_us += found.len();
    }
    Ok((peers, found_by_us))
}

fn box_row(effort: Effort, case: &str) -> Result<Row, String> {
    let (ours, peer) = both(142, 71)?;
    let boxes = boxes();
    let (peer_candidates, candidates) = candidates(case, &ours, &peer, &boxes)?;
    // Both hand over the corners, which is what a narrow phase needs; by reference, for a copy right after they are put
    // together would wait for them longer than the walk takes.
    let run_ours = || {
        for (bounds, _) in &boxes {
            ours.visit_overlapping(black_box(bounds), |triangle, corners| {
                black_box(triangle);
                black_box(&corners);
            });
        }
    };
    let run_peer = || {
        for (_, bounds) in &boxes {
            for triangle in peer.bvh().intersect_aabb(black_box(bounds)) {
                black_box(triangle);
                black_box(&peer.triangle(triangle));
            }
        }
    };
    let times = compare(effort, boxes.len(), run_ours, Some(run_peer));
    let each = |count: usize| count as f64 / boxes.len() as f64;
    let note = format!("{:.2} triangles a box, the peer {:.2}", each(candidates), each(peer_candidates));
    Ok(Row::new(AREA, case.to_owned(), PEER, times, note))
}

/// The same convex shape for both.
struct Convex {
    ours: Shape,
    peer: Box<dyn PeerShape>,
}

/// A ball, a box and a hull of 32 vertices, each about a cell of the terrain in size.
fn convex_shapes() -> Result<[Convex; 3], String> {
    let text = |error: carom::shape::ShapeError| error.to_string();
    let points = clouds::sphere(32);
    let peer_points: Vec<Vector> = points.iter().copied().map(peer_vector).collect();
    let peer_hull = ConvexPolyhedron::from_convex_hull(&peer_points).ok_or("the peer has no hull")?;
    Ok([
        Convex { ours: Shape::sphere(1.0).map_err(text)?, peer: Box::new(Ball::new(1.0)) },
        Convex {
            ours: Shape::cuboid(1.0, 0.8, 0.6).map_err(text)?,
            peer: Box::new(Cuboid::new(Vector::new(1.0, 0.8, 0.6))),
        },
        Convex { ours: Shape::hull(&points).map_err(text)?, peer: Box::new(peer_hull) },
    ])
}

/// Hills of 100 × 100 unit cells.
fn hill(x: f32, z: f32) -> f32 {
    1.5 * (0.3 * x).sin() * (0.25 * z).cos()
}

/// By how much depths on a mesh may be off; the bodies reach about 1.
const DEPTH_AGREEMENT: f64 = 1e-3;

/// Between what a body's depth in the terrain is, which triangles tell that are asked one by one: no less than the shortest
/// way out of the one that it is deepest in, and no more than along the normal of one that it meets.
fn proven_depths(terrain: &Shape, body: &Shape, pose: &LocalPose) -> Result<[f64; 2], String> {
    let Shape::Mesh(mesh) = terrain else { return Err("a mesh".to_owned()) };
    let around = Aabb::new(pose.position - 1.5, pose.position + 1.5);
    let mut near = Vec::new();
    mesh.visit_overlapping(&around, |_, corners| near.push(corners));
    let placed = Pose::new(pose.position.as_dvec3(), pose.rotation);
    let mut depths = [f64::NEG_INFINITY; 2];
    for [a, b, c] in near {
        let triangle = Shape::triangle(a, b, c).map_err(|error| error.to_string())?;
        let found = query::penetration(&triangle, &Pose::IDENTITY, body, &placed);
        let least = found.map_err(|error| error.to_string())?.depth;
        let up = (b - a).cross(c - a).normalize();
        let lowest = body.support(pose.direction_to_inner(-up)).ok_or("a convex body")?;
        let along = f64::from(up.dot(a - pose.point_to_outer(lowest)));
        depths = [depths[0].max(least), depths[1].max(if least > 0.0 { along } else { least })];
    }
    Ok(depths)
}

/// The manifolds of a shape that lies on hills of 20,000 triangles, a little sunk in. Both keep their memory between
/// calls; the poses are other ones each time, as for a body that moves.
fn manifold_row(effort: Effort, case: &str, convex: &Convex) -> Result<Row, String> {
    let side = 101;
    let vertices: Vec<Vec3> = (0..side * side)
        .map(|index| {
            let (x, z) = ((index % side) as f32 - 50.0, (index / side) as f32 - 50.0);
            Vec3::new(x, hill(x, z), z)
        })
        .collect();
    let cells = (0..(side - 1) * (side - 1)).map(|cell| cell / (side - 1) * side + cell % (side - 1));
    let triangles: Vec<[u32; 3]> =
        cells.flat_map(|a| [[a, a + side, a + side + 1], [a, a + side + 1, a + 1]]).collect();
    let peer_vertices = vertices.iter().copied().map(peer_vector).collect();
    let peer_terrain = TriMesh::new(peer_vertices, triangles.clone()).map_err(|error| error.to_string())?;
    let terrain = Shape::mesh(vertices, triangles).map_err(|error| error.to_string())?;

    let mut random = fastrand::Rng::with_seed(4);
    let mut poses = Vec::new();
    while poses.len() < 256 {
        let [x, y, z, w] = std::array::from_fn(|_| random.f32() * 2.0 - 1.0);
        let rotation = Quat::from_xyzw(x, y, z, w).normalize();
        let (x, z) = (random.f32() * 90.0 - 45.0, random.f32() * 90.0 - 45.0);
        // Down until it touches, and a little farther.
        let mut high = hill(x, z) + 3.0;
        let mut low = hill(x, z);
        let mut buffer = ContactBuffer::new();
        for _ in 0..20 {
            let middle = 0.5 * (low + high);
            let pose = LocalPose::new(Vec3::new(x, middle, z), rotation);
            contacts(&terrain, &convex.ours, &pose, 0.0, &mut buffer).map_err(|error| error.to_string())?;
            if buffer.manifolds().is_empty() { high = middle } else { low = middle }
        }
        let position = Vec3::new(x, low - 0.002 - 0.02 * random.f32(), z);
        let peer_rotation = PeerRotation::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w);
        poses.push((LocalPose::new(position, rotation), PeerPose::from_parts(peer_vector(position), peer_rotation)));
    }

    let mut buffer = ContactBuffer::new();
    let mut workspace = None;
    let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
    let margin = 0.01;
    let (mut points, mut worst, mut off) = ([0; 2], [0.0f64; 2], [0; 2]);
    for (pose, peer_pose) in &poses {
        contacts(&terrain, &convex.ours, pose, margin, &mut buffer).map_err(|error| error.to_string())?;
        let done = DefaultQueryDispatcher.contact_manifolds(
            peer_pose,
            &peer_terrain,
            convex.peer.as_ref(),
            margin,
            &mut manifolds,
            &mut workspace,
        );
        done.map_err(|error| error.to_string())?;
        let [least, most] = proven_depths(&terrain, &convex.ours, pose)?;
        let ours = buffer.manifolds().iter().flat_map(|patch| patch.manifold.contacts()).map(|contact| contact.depth);
        let theirs = manifolds.iter().flat_map(|manifold| &manifold.points).map(|contact| -contact.dist);
        for (side, depths) in [ours.collect::<Vec<f32>>(), theirs.collect()].into_iter().enumerate() {
            let depth = f64::from(depths.iter().copied().fold(-margin, f32::max));
            let error = (least - depth).max(depth - most).max(0.0);
            points[side] += depths.len();
            worst[side] = worst[side].max(error);
            off[side] += usize::from(error > DEPTH_AGREEMENT);
        }
    }
    if off[0] > 0 || off[1] * 4 > poses.len() {
        return Err(format!("{case}: {off:?} of {} depths are off, by up to {worst:?}", poses.len()));
    }
    let run_ours = || {
        for (pose, _) in &poses {
            let _ = black_box(contacts(&terrain, &convex.ours, black_box(pose), margin, &mut buffer));
        }
    };
    let run_peer = || {
        for (_, pose) in &poses {
            let _ = black_box(DefaultQueryDispatcher.contact_manifolds(
                black_box(pose),
                &peer_terrain,
                convex.peer.as_ref(),
                margin,
                &mut manifolds,
                &mut workspace,
            ));
        }
    };
    let times = compare(effort, poses.len(), run_ours, Some(run_peer));
    let each = |count: usize| count as f64 / poses.len() as f64;
    let note = format!(
        "{:.1} points, the peer {:.1}; depths off by {:.0e} at most, the peer's by {:.0e}, in {} of {} by more than {}",
        each(points[0]),
        each(points[1]),
        worst[0],
        worst[1],
        off[1],
        poses.len(),
        DEPTH_AGREEMENT
    );
    Ok(Row::new(AREA, case.to_owned(), PEER, times, note))
}

/// Poses of one mesh around another, their middles `least` to `greatest` apart.
fn poses(count: usize, least: f32, greatest: f32) -> Vec<(Pose, PeerPose)> {
    let mut random = fastrand::Rng::with_seed(3);
    (0..count)
        .map(|_| {
            let away = least + random.f32() * (greatest - least);
            let position = random_vector(&mut random, 1.0).normalize_or(Vec3::X) * away;
            let [x, y, z, w] = std::array::from_fn(|_| random.f32() * 2.0 - 1.0);
            let rotation = Quat::from_xyzw(x, y, z, w).normalize();
            let peer_rotation = PeerRotation::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w);
            let pose = Pose { position: DVec3::from(position), rotation };
            (pose, PeerPose::from_parts(peer_vector(position), peer_rotation))
        })
        .collect()
}

fn overlap_row(effort: Effort, case: &str) -> Result<Row, String> {
    let (ours, peer) = both(72, 35)?;
    let poses = poses(if effort == Effort::Quick { 100 } else { 400 }, 0.5, 3.0);
    let ask = |pose: &Pose| mesh::overlap(&ours, &Pose::IDENTITY, &ours, pose);
    let peer_asks = |pose: &PeerPose| parry3d::query::intersection_test(&PeerPose::IDENTITY, &peer, pose, &peer);
    let (mut overlapping, mut differing) = (0, 0);
    for (pose, peer_pose) in &poses {
        let found = ask(pose).map_err(|error| error.to_string())?.is_some();
        let expected = peer_asks(peer_pose).map_err(|error| error.to_string())?.intersecting;
        overlapping += usize::from(found);
        differing += usize::from(found != expected);
    }
    if differing > 1 {
        return Err(format!("{case}: {differing} of {} poses differ", poses.len()));
    }
    let run_ours = || {
        for (pose, _) in &poses {
            let _ = black_box(ask(black_box(pose)));
        }
    };
    let run_peer = || {
        for (_, pose) in &poses {
            let _ = black_box(peer_asks(black_box(pose)));
        }
    };
    let times = compare(effort, poses.len(), run_ours, Some(run_peer));
    let note = format!("{overlapping} of {} overlap, {differing} differ", poses.len());
    Ok(Row::new(AREA, case.to_owned(), PEER, times, note))
}

fn distance_row(effort: Effort, case: &str) -> Result<Row, String> {
    let (ours, peer) = both(72, 35)?;
    let poses = poses(if effort == Effort::Quick { 10 } else { 100 }, 2.9, 5.0);
    let ask = |pose: &Pose| mesh::distance(&ours, &Pose::IDENTITY, &ours, pose);
    let peer_asks = |pose: &PeerPose| parry3d::query::distance(&PeerPose::IDENTITY, &peer, pose, &peer);
    // Whoever finds the shorter way is right. Parry's distances are f32 and come out long by a few ten-thousandths.
    let (mut ours_longer, mut peer_longer) = (0.0f64, 0.0f64);
    for (pose, peer_pose) in &poses {
        let found = ask(pose).map_err(|error| error.to_string())?.value();
        let expected = f64::from(peer_asks(peer_pose).map_err(|error| error.to_string())?.distance);
        ours_longer = ours_longer.max(found - expected);
        peer_longer = peer_longer.max(expected - found);
    }
    if ours_longer > 1e-5 || peer_longer > 1e-2 {
        return Err(format!("{case}: ours are longer by up to {ours_longer}, the peer's by {peer_longer}"));
    }
    let run_ours = || {
        for (pose, _) in &poses {
            let _ = black_box(ask(black_box(pose)));
        }
    };
    let run_peer = || {
        for (_, pose) in &poses {
            let _ = black_box(peer_asks(black_box(pose)));
        }
    };
    let times = compare(effort, poses.len(), run_ours, Some(run_peer));
    Ok(Row::new(AREA, case.to_owned(), PEER, times, format!("the peer's are longer by up to {peer_longer:.0e}")))
}
