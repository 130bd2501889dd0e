//! The distance of two solids as the norm of the nearest point of A - B to the origin.
//!
//! Wolfe's algorithm (1976, 10.1007/BF01580381) with the support as its oracle: a corral of affinely independent points
//! whose nearest point is within it; the farthest point beyond it comes in, points that lose their weight go out. What
//! counts is the bracket: the norm of a point of A - B from above, a gap along a direction from below. It ends when
//! they meet or when rounding gains nothing more, and costs a few to a hundred supports.

use super::pair::Pair;
use carom::glam::DVec3;

/// Between what the distance is. `lower` is negative, and `upper` next to zero, if no gap was found.
#[derive(Debug, Clone, Copy)]
pub struct Bracket {
    pub lower: f64,
    pub upper: f64,
}

const MOST_STEPS: usize = 400;

/// The distance of two solids.
pub fn distance(pair: &Pair<'_>, tolerance: f64) -> Bracket {
    nearest(|along| pair.support(along), pair.offset, tolerance)
}

/// The distance of the origin from what a support map describes. The search starts along `start`.
pub fn nearest(support: impl Fn(DVec3) -> DVec3, start: DVec3, tolerance: f64) -> Bracket {
    let start = if start == DVec3::ZERO { DVec3::X } else { start };
    let mut corral = vec![(support(start), 1.0)];
    let mut found = Bracket { lower: f64::NEG_INFINITY, upper: f64::INFINITY };
    let mut idle = 0;
    for _ in 0..MOST_STEPS {
        let point: DVec3 = corral.iter().map(|(corner, weight)| *corner * *weight).sum();
        let norm = point.length();
        idle = if norm < found.upper { 0 } else { idle + 1 };
        found.upper = found.upper.min(norm);
        if norm == 0.0 || corral.len() == 4 {
            found.upper = found.upper.min(tolerance);
            return found;
        }
        let towards = -point / norm;
        let beyond = support(towards);
        let gap = -towards.dot(beyond);
        if gap > found.lower {
            (found.lower, idle) = (gap, 0);
        }
        if found.upper - found.lower <= tolerance || idle > 8 || corral.iter().any(|(corner, _)| *corner == beyond) {
            return found;
        }
        corral.push((beyond, 0.0));
        settle(&mut corral);
    }
    found
}

/// Moves to the nearest point of the corral's affine hull and drops what it leaves, until that point is within.
fn settle(corral: &mut Vec<(DVec3, f64)>) {
    loop {
        let points: Vec<DVec3> = corral.iter().map(|(corner, _)| *corner).collect();
        let Some(weights) = affine_nearest(&points) else {
            // Points that are not independent to within rounding: the lightest of the old ones goes.
            let lightest = (0..corral.len() - 1).min_by(|&p, &q| corral[p].1.total_cmp(&corral[q].1)).unwrap_or(0);
            corral.remove(lightest);
            continue;
        };
        if weights.iter().all(|weight| *weight > 0.0) {
            corral.iter_mut().zip(weights).for_each(|(entry, weight)| entry.1 = weight);
            break;
        }
        let steps = corral.iter().zip(&weights).filter(|(_, weight)| **weight <= 0.0);
        let share = steps.map(|((_, old), new)| old / (old - new)).fold(1.0, f64::min);
        let share = if share.is_finite() { share } else { 0.0 };
        corral.iter_mut().zip(weights).for_each(|(entry, weight)| entry.1 += share * (weight - entry.1));
        let least = corral.iter().map(|(_, weight)| *weight).fold(f64::INFINITY, f64::min);
        corral.retain(|(_, weight)| *weight > least.max(0.0));
        if corral.len() == 1 {
            corral[0].1 = 1.0;
            break;
        }
    }
    let sum: f64 = corral.iter().map(|(_, weight)| *weight).sum();
    corral.iter_mut().for_each(|(_, weight)| *weight /= sum);
}

/// The weights of the nearest point to the origin of the affine hull of one to four points.
fn affine_nearest(points: &[DVec3]) -> Option<Vec<f64>> {
    let origin = *points.last()?;
    let edges: Vec<DVec3> = points[..points.len() - 1].iter().map(|point| *point - origin).collect();
    let longest = edges.iter().map(|edge| edge.length()).fold(0.0, f64::max);
    // Gram and Schmidt, twice over for the digits.
    let mut base: Vec<DVec3> = Vec::new();
    for edge in &edges {
        let mut rest = *edge;
        for _ in 0..2 {
            for unit in &base {
                rest -= *unit * unit.dot(rest);
            }
        }
        if rest.length() <= 1e-15 * longest {
            return None;
        }
        base.push(rest.normalize());
    }
    // Back substitution: edges · weights = -origin in the base.
    let mut weights = vec![0.0; edges.len()];
    for row in (0..edges.len()).rev() {
        let known: f64 = (row + 1..edges.len()).map(|column| base[row].dot(edges[column]) * weights[column]).sum();
        weights[row] = (-base[row].dot(origin) - known) / base[row].dot(edges[row]);
    }
    weights.push(1.0 - weights.iter().sum::<f64>());
    weights.iter().all(|weight| weight.is_finite()).then_some(weights)
}
