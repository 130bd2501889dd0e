//! Principal moments and axes: the eigenvalues and eigenvectors of a symmetric 3×3 matrix by Jacobi's rotations.
//!
//! Each rotation zeroes one off-diagonal element and lessens the sum of their squares, so the matrix goes to diagonal
//! form; the product of the rotations is orthogonal whatever the eigenvalues are, equal ones included. An element
//! counts as zero when it is below rounding relative to its own two diagonal elements, not to the greatest of all,
//! which keeps the digits of moments of very different size. Converges quadratically: five or so sweeps of three
//! rotations; a limit of 32 sweeps ends matrices that are not those of a body. Bounding volumes take their frames from
//! here too.
//! Source: C. G. J. Jacobi 1846, doi:10.1515/crll.1846.30.51; the relative criterion is of J. Demmel and K. Veselić,
//! 1992, doi:10.1137/0613074.

use glam::{DMat3, DVec3};

/// How many sweeps are made at most.
const SWEEPS: usize = 32;

/// The eigenvalues of a symmetric matrix and, as columns in the same order, its eigenvectors: a right-handed frame.
/// A diagonal matrix is returned as it is, with the identity.
pub(crate) fn axes(symmetric: DMat3) -> (DVec3, DMat3) {
    if !symmetric.is_finite() {
        return (DVec3::from_array([0, 1, 2].map(|axis| symmetric.col(axis)[axis])), DMat3::IDENTITY);
    }
    let mut matrix = symmetric.to_cols_array_2d();
    let mut frame = DVec3::AXES;
    for _ in 0..SWEEPS {
        let turned = [(0, 1), (0, 2), (1, 2)].map(|(p, q)| rotate(&mut matrix, &mut frame, p, q));
        if turned == [false; 3] {
            break;
        }
    }
    (DVec3::new(matrix[0][0], matrix[1][1], matrix[2][2]), DMat3::from_cols(frame[0], frame[1], frame[2]))
}

/// Zeroes element (p, q) by a turn in the plane of axes p and q; false if it is zero already.
fn rotate(matrix: &mut [[f64; 3]; 3], frame: &mut [DVec3; 3], p: usize, q: usize) -> bool {
    let off = matrix[p][q];
    if off.abs() <= 0.5 * f64::EPSILON * (matrix[p][p] * matrix[q][q]).abs().sqrt() {
        (matrix[p][q], matrix[q][p]) = (0.0, 0.0);
        return false;
    }
    // The lesser of the two angles, at most 45°, so that the frame stays near where it was.
    let cotangent_of_double = (matrix[q][q] - matrix[p][p]) / (2.0 * off);
    let tangent = cotangent_of_double.signum() / (cotangent_of_double.abs() + libm::hypot(cotangent_of_double, 1.0));
    let cosine = 1.0 / libm::hypot(tangent, 1.0);
    let sine = tangent * cosine;
    let r = 3 - p - q;
    let (along_p, along_q) = (matrix[p][r], matrix[q][r]);
    matrix[p][p] -= tangent * off;
    matrix[q][q] += tangent * off;
    (matrix[p][q], matrix[q][p]) = (0.0, 0.0);
    matrix[p][r] = cosine * along_p - sine * along_q;
    matrix[q][r] = sine * along_p + cosine * along_q;
    (matrix[r][p], matrix[r][q]) = (matrix[p][r], matrix[q][r]);
    (frame[p], frame[q]) = (cosine * frame[p] - sine * frame[q], sine * frame[p] + cosine * frame[q]);
    true
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
            let (values, vectors) = axes(matrix);
            let rebuilt = vectors * DMat3::from_diagonal(values) * vectors.transpose();
            let size = matrix.to_cols_array().iter().fold(0.0_f64, |size, entry| size.max(entry.abs()));
            assert!(rebuilt.abs_diff_eq(matrix, 1e-14 * size), "{matrix} {rebuilt}");
            assert!((vectors.transpose() * vectors).abs_diff_eq(DMat3::IDENTITY, 1e-14));
            assert!((vectors.determinant() - 1.0).abs() < 1e-14);
        }
    }
}
