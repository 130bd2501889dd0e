//! Approximate convex decomposition beside parry3d's V-HACD. The two do not promise the same: ours encloses the solid and
//! keeps to a proven distance from it, V-HACD fits hulls to voxels. So the note gives hulls and how far they reach out.

use super::mesh::both;
use super::{AREA, PEER};
use crate::measure::{Row, compare};
use crate::{Effort, Rows};
use carom::decomposition::{Settings, decompose};
use parry3d::transformation::vhacd::{VHACD, VHACDParameters};
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

fn torus_row(effort: Effort, case: &str) -> Result<Row, String> {
    let (ours, peer) = both(72, 35, 0.0)?;
    let settings = Settings::default();
    let parts = decompose(&ours, &settings).map_err(|error| error.to_string())?;
    let parameters = VHACDParameters::default();
    let peer_hulls = VHACD::decompose(&parameters, peer.vertices(), peer.indices(), true).compute_exact_convex_hulls(
        peer.vertices(),
        peer.indices(),
    );
    let run_ours = || drop(black_box(decompose(black_box(&ours), &settings)));
    let run_peer = || {
        let found = VHACD::decompose(&parameters, black_box(peer.vertices()), peer.indices(), true);
        black_box(found.compute_exact_convex_hulls(peer.vertices(), peer.indices()));
    };
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
