//! Approximate convex decomposition beside parry3d's V-HACD. The two do not promise the same: ours encloses the solid and
//! keeps to a proven distance from it, V-HACD fits hulls to voxels. So the note gives hulls and how far they reach out.

use super::{AREA, PEER};
use crate::measure::{Row, compare};
use crate::{Effort, Rows};
use carom::decomposition::{Settings, decompose};
use carom::glam::Vec3;
use carom::shape::TriangleMesh;
use parry3d::math::Vector;
use parry3d::transformation::vhacd::{VHACD, VHACDParameters};
use std::f32::consts::TAU;
use std::hint::black_box;

/// Measures the cases whose names begin with `only`. One thread, for that is what is compared.
pub fn rows(effort: Effort, only: &str) -> Rows {
    let case = "decomposition/torus5k";
    if !case.starts_with(only) {
        return Ok(Vec::new());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    pool.install(|| torus_row(effort, case)).map(|row| vec![row])
}

/// A torus of 72 × 35 quads, each two triangles.
fn torus() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    const ALONG: u32 = 72;
    const ACROSS: u32 = 35;
    let vertex = |index: u32| {
        let (u, v) = ((index / ACROSS) as f32 / ALONG as f32 * TAU, (index % ACROSS) as f32 / ACROSS as f32 * TAU);
        let ring = 1.0 + 0.4 * v.cos();
        Vec3::new(ring * u.cos(), 0.4 * v.sin(), ring * u.sin())
    };
    let triangles = (0..ALONG * ACROSS).flat_map(|index| {
        let (u, v) = (index / ACROSS, index % ACROSS);
        let at = |u: u32, v: u32| u % ALONG * ACROSS + v % ACROSS;
        let [a, b, c, d] = [at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)];
        [[a, c, b], [a, d, c]]
    });
    ((0..ALONG * ACROSS).map(vertex).collect(), triangles.collect())
}

fn torus_row(effort: Effort, case: &str) -> Result<Row, String> {
    let (vertices, triangles) = torus();
    let peer_vertices: Vec<Vector> = vertices.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
    let ours = TriangleMesh::new(vertices, triangles.clone()).map_err(|error| error.to_string())?;
    let settings = Settings::default();
    let parts = decompose(&ours, &settings).map_err(|error| error.to_string())?;
    let parameters = VHACDParameters::default();
    let peer_decompose = || {
        let found = VHACD::decompose(&parameters, black_box(&peer_vertices), &triangles, true);
        found.compute_exact_convex_hulls(&peer_vertices, &triangles)
    };
    let peer_hulls = peer_decompose();
    let run_ours = || drop(black_box(decompose(black_box(&ours), &settings)));
    let run_peer = || drop(black_box(peer_decompose()));
    let times = compare(effort, 1, run_ours, Some(run_peer));
    let note = format!(
        "{} hulls, {:?}, {:.2} s, {:.4} found, {:.4} proven; the bar is 12 hulls in 10 s; V-HACD at {} voxels: {} hulls",
        parts.hulls.len(),
        parts.outcome,
        times.ours_ns * 1e-9,
        parts.concavity(),
        parts.bound(),
        parameters.resolution,
        peer_hulls.len()
    );
    Ok(Row::new(AREA, case.to_owned(), PEER, times, note))
}
