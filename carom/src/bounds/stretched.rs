//! A ball stretched by a matrix: ellipsoids, and the discs of cylinders and cones.
//!
//! The farthest point of an ellipsoid from a point `q` is a trust-region problem: maximise `|x − q|²` subject to
//! `Σ xᵢ²/sᵢ ≤ 1`, `sᵢ` the squared radii. By weak duality `λ + Σ qᵢ²·λ/(λ − sᵢ)` is an upper bound for every
//! `λ ≥ max sᵢ`, and the least such bound is the maximum itself (the S-lemma: there is no duality gap). So the search
//! for `λ`, a bisection on a monotone derivative, is conservative wherever it stops.
//! Source: Moré and Sorensen, 1983, doi:10.1137/0904038, for the stationary points and the hard case.

use crate::mass::principal;
use glam::{DMat3, DVec3};

/// The points `center + axes·u` of all `u` in the unit ball.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretched {
    pub(super) center: DVec3,
    /// The half axes are the columns where they are orthogonal; any matrix will do, singular ones too.
    pub(super) axes: DMat3,
}

/// The point of a set farthest from another point, and an upper bound of that distance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Farthest {
    pub(super) point: DVec3,
    pub(super) distance: f64,
}

impl Stretched {
    /// A disc around `center`, perpendicular to the unit vector `normal`.
    pub(super) fn disc(center: DVec3, normal: DVec3, radius: f64) -> Self {
        let (u, v) = normal.any_orthonormal_pair();
        Self { center, axes: DMat3::from_cols(radius * u, radius * v, DVec3::ZERO) }
    }

    /// The least and greatest product with `direction`.
    pub(super) fn extent_along(&self, direction: DVec3) -> (f64, f64) {
        let (middle, reach) = (direction.dot(self.center), (self.axes.transpose() * direction).length());
        (middle - reach, middle + reach)
    }

    /// The point whose product with `direction` is greatest.
    pub(super) fn support(&self, direction: DVec3) -> DVec3 {
        self.center + self.axes * (self.axes.transpose() * direction).normalize_or_zero()
    }

    /// The image under the linear `map` of the difference to `origin`.
    pub(super) fn mapped(&self, map: DMat3, origin: DVec3) -> Self {
        Self { center: map * (self.center - origin), axes: map * self.axes }
    }

    /// The farthest point from `point`.
    pub(super) fn farthest_from(&self, point: DVec3) -> Farthest {
        let (squares, frame) = principal::axes(self.axes * self.axes.transpose());
        let squares = squares.max(DVec3::ZERO);
        let from = frame.transpose() * (point - self.center);
        let greatest = squares.max_element();
        let least_excess = least_excess(squares, from);
        let mut bound = greatest + least_excess;
        let mut local = DVec3::ZERO;
        for axis in 0..3 {
            let (square, along) = (squares[axis], from[axis]);
            bound += along * along;
            if square > 0.0 && along != 0.0 {
                // `λ/(λ − s)` is `1 + s/(λ − s)`, which keeps its precision when `λ` is close to `s`.
                let excess = (least_excess + (greatest - square)).max(f64::MIN_POSITIVE);
                bound += along * along * (square / excess);
                local[axis] = -along * (square / excess);
            }
        }
        // What the other axes leave belongs to the longest: the point is then on the surface in every case, also in the
        // hard one, where nothing pulls along the longest axis and either end of it is farthest.
        if let Some(axis) = (0..3).find(|&axis| squares[axis] == greatest) {
            let others = (0..3).filter(|&other| other != axis && squares[other] > 0.0);
            let used: f64 = others.map(|other| local[other] * (local[other] / squares[other])).sum();
            let left = (greatest * (1.0 - used).max(0.0)).sqrt();
            local[axis] = if from[axis] < 0.0 { left } else { -left };
        }
        Farthest { point: self.center + frame * local, distance: bound.sqrt() }
    }
}

/// How far the multiplier of the least upper bound is above the greatest square, approached from above.
fn least_excess(squares: DVec3, from: DVec3) -> f64 {
    let greatest = squares.max_element();
    let (mut low, mut high) = (0.0, (from * from).dot(squares).sqrt());
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        // Near its least the bound is flat: an error of 10⁻¹² here is one of 10⁻²⁴ there.
        if middle <= low || middle >= high || high - low <= 1e-12 * high {
            break;
        }
        let pull: f64 = (0..3)
            .map(|axis| {
                let excess = middle + (greatest - squares[axis]);
                from[axis] * from[axis] * squares[axis] / (excess * excess)
            })
            .sum();
        if pull > 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn farthest_point_matches_a_dense_sampling() {
        let mut random = fastrand::Rng::with_seed(11);
        for case in 0..300 {
            let mut draw = || 4.0 * random.f64() - 2.0;
            let mut columns = [DVec3::ZERO; 4].map(|_| DVec3::new(draw(), draw(), draw()));
            match case % 5 {
                0 => columns[2] = DVec3::ZERO,
                1 => columns[0] = columns[1],
                2 => columns[3] = DVec3::ZERO,
                3 => columns = [DVec3::X, DVec3::Y, DVec3::Z, columns[3]],
                _ => {}
            }
            let body = Stretched {
                center: DVec3::new(1.0, 2.0, 3.0),
                axes: DMat3::from_cols(columns[0], columns[1], columns[2]),
            };
            let from = body.center + columns[3];
            let found = body.farthest_from(from);
            let mut sampled = 0.0_f64;
            for step in 0..20_000 {
                let z = -1.0 + (step as f64 + 0.5) / 10_000.0;
                let (sine, cosine) = (2.399_963_229_728_653 * step as f64).sin_cos();
                let around = (1.0 - z * z).sqrt();
                let point = body.center + body.axes * DVec3::new(around * cosine, around * sine, z);
                sampled = sampled.max(point.distance(from));
            }
            assert!(found.distance >= sampled * (1.0 - 1e-12), "{found:?} < {sampled}");
            assert!(found.distance <= sampled * 1.002, "{found:?} > {sampled}");
            assert!((found.point.distance(from) - found.distance).abs() < 1e-9 * found.distance, "{found:?}");
        }
    }
}
