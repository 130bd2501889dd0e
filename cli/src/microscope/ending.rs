//! The state in which the search for the distance ends.
//!
//! The trace tells what is known each time a support is asked for. A search whose bounds met has asked in vain: it ends
//! with the simplex that it asked from. Any other has taken the last support in: the simplex that it ends with is that
//! face of the old one and the support which comes nearest to the origin, or all of them if they hold it; unless rounding
//! kept it from coming nearer than before.

use carom::glam::{DMat3, DVec3};
use carom::trace::{DifferencePoint, GjkStep, StopReason};

/// A simplex, its point nearest to the origin, and what is proven of the distance of the cores.
#[derive(Debug)]
pub(super) struct Ending {
    pub(super) simplex: Vec<DifferencePoint>,
    pub(super) nearest: DVec3,
    pub(super) lower: f64,
    pub(super) upper: f64,
}

/// What the last search ended with; none if no step of it was told. `witness` finds the points of a last step's support.
pub(super) fn of(
    steps: &[GjkStep],
    reason: StopReason,
    witness: impl Fn(&GjkStep) -> Option<DifferencePoint>,
) -> Option<Ending> {
    let last = steps.last()?;
    // A search that is begun again begins with one point.
    let start = steps.iter().rposition(|step| step.simplex.len() == 1).unwrap_or(0);
    let length = |step: &&GjkStep| step.nearest.length();
    let best = steps[start..].iter().min_by(|one, other| length(one).total_cmp(&length(other)))?;
    let taken_in = match reason {
        StopReason::BoundsMet | StopReason::BeyondLimit => None,
        StopReason::Enclosed
        | StopReason::Near
        | StopReason::Flat
        | StopReason::Rounding
        | StopReason::IterationLimit => {
            let corners: Vec<DifferencePoint> = last.simplex.iter().copied().chain(witness(last)).collect();
            let is_enclosed = reason == StopReason::Enclosed && corners.len() == 4;
            let taken_in = if is_enclosed { (corners, DVec3::ZERO) } else { nearest_face(&corners) };
            Some(taken_in).filter(|(_, nearest)| nearest.length() < length(&best))
        }
    };
    let (simplex, nearest) = taken_in.unwrap_or_else(|| (best.simplex.clone(), best.nearest));
    Some(Ending { upper: nearest.length(), lower: last.lower, simplex, nearest })
}

/// The face of a simplex that holds the point of it nearest to the origin, and that point. Of every face the point of its
/// plane nearest to the origin counts if it is in the face: the nearest of these is the answer.
fn nearest_face(corners: &[DifferencePoint]) -> (Vec<DifferencePoint>, DVec3) {
    let mut best = (Vec::new(), DVec3::INFINITY);
    for chosen in 1_u32..1 << corners.len() {
        let face: Vec<DifferencePoint> =
            (0..).zip(corners).filter(|(place, _)| chosen >> place & 1 == 1).map(|(_, corner)| *corner).collect();
        let points: Vec<DVec3> = face.iter().map(|corner| corner.difference).collect();
        let Some(nearest) = nearest_inside(&points) else { continue };
        if nearest.length_squared() < best.1.length_squared() {
            best = (face, nearest);
        }
    }
    best
}

/// The point nearest to the origin of the plane through one to four points, if it is between them.
fn nearest_inside(points: &[DVec3]) -> Option<DVec3> {
    let (first, others) = points.split_first()?;
    let edges: Vec<DVec3> = others.iter().map(|point| *point - *first).collect();
    // Unused rows are those of the identity, and their weights nothing.
    let entry = |row: usize, column: usize| match (edges.get(row), edges.get(column)) {
        (Some(one), Some(other)) => one.dot(*other),
        _ => f64::from(row == column),
    };
    let column = |index: usize| DVec3::new(entry(0, index), entry(1, index), entry(2, index));
    let matrix = DMat3::from_cols(column(0), column(1), column(2));
    let along = |row: usize| edges.get(row).map_or(0.0, |edge| -edge.dot(*first));
    let weights = matrix.inverse() * DVec3::new(along(0), along(1), along(2));
    let is_between = weights.is_finite() && weights.min_element() >= 0.0 && weights.element_sum() <= 1.0;
    // Four points that are around the origin reach it, whatever the last digits say.
    let point = edges.iter().zip(weights.to_array()).fold(*first, |sum, (edge, weight)| sum + *edge * weight);
    is_between.then_some(if edges.len() == 3 { DVec3::ZERO } else { point })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(difference: DVec3) -> DifferencePoint {
        DifferencePoint { on_a: difference, on_b: DVec3::ZERO, difference }
    }

    #[test]
    fn no_point_of_the_simplex_is_nearer() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut place = || DVec3::from_array([0; 3].map(|_| 3.0 * random.f64() - 1.2));
        let (mut enclosed, mut faces) = (0, [0; 5]);
        for case in 0..2_000 {
            let corners: Vec<DifferencePoint> = (0..1 + case % 4).map(|_| corner(place())).collect();
            let (face, nearest) = nearest_face(&corners);
            faces[face.len()] += 1;
            enclosed += usize::from(nearest == DVec3::ZERO);
            // The plane through the nearest point leaves all corners beyond it: that is what makes it the nearest.
            let least = corners.iter().map(|corner| corner.difference.dot(nearest)).fold(f64::INFINITY, f64::min);
            assert!(least >= nearest.length_squared() - 1e-9, "{corners:?} {nearest}");
            assert!(face.iter().all(|corner| (corner.difference - nearest).dot(nearest).abs() < 1e-9));
        }
        assert!(enclosed > 10 && faces[1..].iter().all(|count| *count > 10), "{enclosed} {faces:?}");
    }
}
