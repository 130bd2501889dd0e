//! A lower bound of the depth of any pair: a proof that no direction frees it with less.
//!
//! The depth is the least h(d) of all unit d, where h is the reach of A - B. The sphere of directions is cut into
//! triangles. Any point x of A - B has h(d) >= x · d, and a product that is positive at the three corners of a triangle
//! is nowhere within it less than at the least of them. So one x with x · d >= target at all three corners does away
//! with the triangle; the best x is a mixture of the supports at its corners and of those that were best for the
//! triangle that it was cut from. What is left is cut in two. Near the least h the bound is off by the square of the
//! triangle's size.

use super::pair::Pair;
use carom::glam::{DMat3, DVec3};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// No direction frees the pair with less than the target.
    Proven,
    /// This direction does, with so much.
    Refuted(DVec3, f64),
    /// Too many triangles.
    Unknown,
}

struct Part {
    directions: [DVec3; 3],
    supports: [DVec3; 3],
    inherited: [DVec3; 3],
}

/// Whether every direction needs at least `target`, which must be positive.
pub fn prove_depth(pair: &Pair<'_>, target: f64, budget: usize) -> Outcome {
    assert!(target > 0.0);
    // The frame is turned at random once, so that corners do not fall on the axes of the solids.
    let frame = DMat3::from_cols(DVec3::new(0.36, 0.48, -0.8), DVec3::new(-0.8, 0.6, 0.0), DVec3::new(0.48, 0.64, 0.6));
    let corner = |axis: usize, sign: f64| frame * (DVec3::AXES[axis] * sign);
    let mut waiting: Vec<Part> = Vec::new();
    for index in 0..8 {
        let sign = |bit: usize| if index >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let directions = [0, 1, 2].map(|axis| corner(axis, sign(axis)));
        let supports = directions.map(|direction| pair.support(direction));
        waiting.push(Part { directions, supports, inherited: supports });
    }
    for part in &waiting {
        for (direction, support) in part.directions.iter().zip(&part.supports) {
            if direction.dot(*support) < target {
                return Outcome::Refuted(*direction, direction.dot(*support));
            }
        }
    }
    for _ in 0..budget {
        let Some(part) = waiting.pop() else { return Outcome::Proven };
        let (bound, best) = part.bound(target);
        if bound >= target {
            continue;
        }
        let [p, q, r] = part.directions;
        let sides = [p.distance_squared(q), q.distance_squared(r), r.distance_squared(p)];
        let longest = (0..3).max_by(|&one, &other| sides[one].total_cmp(&sides[other])).unwrap_or(0);
        let (from, to) = (longest, (longest + 1) % 3);
        let middle = (part.directions[from] + part.directions[to]).normalize();
        let support = pair.support(middle);
        if middle.dot(support) < target {
            return Outcome::Refuted(middle, middle.dot(support));
        }
        for replaced in [from, to] {
            let (mut directions, mut supports) = (part.directions, part.supports);
            (directions[replaced], supports[replaced]) = (middle, support);
            waiting.push(Part { directions, supports, inherited: best });
        }
    }
    Outcome::Unknown
}

/// The least that frees the pair of the directions near one, by steps in the tangent plane that shrink; it ends early
/// with `enough`.
pub fn least_near(pair: &Pair<'_>, along: DVec3, enough: f64) -> f64 {
    let mut best = (-pair.gap(along), along);
    let mut random = fastrand::Rng::with_seed(7);
    for start in [1e-6, 1e-4, 1e-2] {
        let mut step = start;
        while step > 1e-13 && best.0 > enough {
            let mut is_better = false;
            for _ in 0..12 {
                let other = (best.1 + crate::random::cube(&mut random) * step).normalize();
                let freed = -pair.gap(other);
                if freed < best.0 {
                    (best, is_better) = ((freed, other), true);
                }
            }
            step *= if is_better { 1.2 } else { 0.5 };
        }
    }
    best.0
}

impl Part {
    /// The best bound of all mixtures of up to three of the points, and the three.
    fn bound(&self, enough: f64) -> (f64, [DVec3; 3]) {
        let pool = [self.supports, self.inherited].concat();
        let reaches = [0, 1, 2, 3, 4, 5].map(|index: usize| self.reaches(pool[index]));
        let mut best = (f64::NEG_INFINITY, self.supports);
        for first in 0..6 {
            for second in first + 1..6 {
                for third in second + 1..6 {
                    let value = game([reaches[first], reaches[second], reaches[third]]);
                    if value > best.0 {
                        best = (value, [pool[first], pool[second], pool[third]]);
                        if value >= enough {
                            return best;
                        }
                    }
                }
            }
        }
        best
    }

    /// How far a point reaches along the three directions.
    fn reaches(&self, point: DVec3) -> DVec3 {
        DVec3::from_array(self.directions.map(|direction| direction.dot(point)))
    }
}

/// The greatest least component of a mixture of three vectors, or something below it.
fn game(rows: [DVec3; 3]) -> f64 {
    let all = DMat3::from_cols(rows[0], rows[1], rows[2]);
    let weights = all.inverse() * DVec3::ONE;
    if weights.is_finite() && weights.min_element() >= 0.0 && weights.element_sum() > 0.0 {
        let weights = weights / weights.element_sum();
        return (all * weights).min_element();
    }
    let mut best = rows[0].min_element().max(rows[1].min_element()).max(rows[2].min_element());
    for [p, q] in [[rows[0], rows[1]], [rows[1], rows[2]], [rows[2], rows[0]]] {
        // Where two components of the mixture p + share (q - p) are equal.
        for (one, other) in [(0, 1), (1, 2), (2, 0)] {
            let share = (p[one] - p[other]) / (p[one] - p[other] - q[one] + q[other]);
            if (0.0..1.0).contains(&share) {
                best = best.max((p + (q - p) * share).min_element());
            }
        }
    }
    best
}
