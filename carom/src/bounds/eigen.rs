//! Eigenvalues and eigenvectors of symmetric 3×3 matrices by Jacobi rotations.
//!
//! Each rotation zeroes one entry off the diagonal and keeps the matrix symmetric; the sum of their squares falls with
//! every sweep, quadratically near the end, so five or six sweeps reach f64 precision. Stops when that sum is below
//! rounding, or after 16 sweeps. Source: C. G. J. Jacobi, 1846; the stable choice of the angle after Rutishauser, 1966.

use glam::{DMat3, DVec3};

/// The eigenvalues, and a rotation whose columns are the eigenvectors in the same order.
pub(super) fn symmetric_eigen(matrix: DMat3) -> (DVec3, DMat3) {
    let mut matrix = matrix;
    let mut vectors = DMat3::IDENTITY;
    for _sweep in 0..16 {
        let off = matrix.y_axis.x.abs() + matrix.z_axis.x.abs() + matrix.z_axis.y.abs();
        if off <= 1e-18 * matrix.diagonal().abs().element_sum() {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let turn = turn_to_zero(&matrix, p, q);
            matrix = turn.transpose() * matrix * turn;
            vectors *= turn;
        }
    }
    if vectors.determinant() < 0.0 {
        vectors.z_axis = -vectors.z_axis;
    }
    (matrix.diagonal(), vectors)
}

/// The rotation in the plane of the axes `p` and `q` that zeroes their common entry.
fn turn_to_zero(matrix: &DMat3, p: usize, q: usize) -> DMat3 {
    let ratio = (matrix.col(q)[q] - matrix.col(p)[p]) / (2.0 * matrix.col(q)[p]);
    let tangent = ratio.signum() / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
    // Without a common entry the ratio is infinite or not a number, and there is nothing to turn.
    let tangent = if tangent.is_finite() { tangent } else { 0.0 };
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let mut turn = DMat3::IDENTITY;
    (turn.col_mut(p)[p], turn.col_mut(q)[q]) = (cosine, cosine);
    turn.col_mut(q)[p] = tangent * cosine;
    turn.col_mut(p)[q] = -tangent * cosine;
    turn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_and_values_rebuild_the_matrix() {
        let mut random = fastrand::Rng::with_seed(7);
        for case in 0..10_000 {
            let mut entry = || (random.f64() - 0.5) * 10f64.powi(random.i32(-12..3));
            let (a, b, c) = (entry(), entry(), entry());
            let (d, e, f) = (entry(), entry(), entry());
            let matrix = match case % 3 {
                0 => DMat3::from_cols_array(&[a, d, e, d, b, f, e, f, c]),
                1 => DMat3::from_diagonal(DVec3::new(a, b, 0.0)),
                _ => DMat3::from_cols(a * DVec3::new(a, b, c), b * DVec3::new(a, b, c), c * DVec3::new(a, b, c)),
            };
            let (values, vectors) = symmetric_eigen(matrix);
            let rebuilt = vectors * DMat3::from_diagonal(values) * vectors.transpose();
            let size = matrix.to_cols_array().iter().fold(0.0_f64, |size, entry| size.max(entry.abs()));
            assert!(rebuilt.abs_diff_eq(matrix, 1e-14 * size), "{matrix} {rebuilt}");
            assert!((vectors.transpose() * vectors).abs_diff_eq(DMat3::IDENTITY, 1e-14));
            assert!((vectors.determinant() - 1.0).abs() < 1e-14);
        }
    }
}
