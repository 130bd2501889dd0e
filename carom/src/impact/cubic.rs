//! The plain cubic of the textbooks: short, fast, and **not conservative**.
//!
//! Two features touch only when their four points are in a plane: a root of a cubic of time. The first root at which
//! the vertex is in the triangle, or the edges cross, is the answer. Between its extrema the cubic is monotone, so a
//! change of sign encloses one root, which Newton's method finds, halving where it would leave the interval. Nothing
//! here minds rounding: a contact at a corner, in a plane for the whole step, or at the end of the step may be missed,
//! and the time may be late. [`features`](super::features) is for all that must not be.
//! Cost: 60 ns. Source: Provot, Collision and self-collision handling in cloth model dedicated to design garments
//! (1997); Marschner, CS5643 lecture 8 (2023).

use super::{ImpactError, Kind};
use glam::DVec3;

/// When the features first meet, by plain arithmetic: **not conservative**, it may miss contacts and be late.
///
/// ```
/// use carom::glam::DVec3;
/// use carom::impact::{Kind, cubic};
///
/// let across = |height: f64| [DVec3::new(-1.0, 0.0, height), DVec3::new(1.0, 0.0, height), DVec3::NEG_Y, DVec3::Y];
/// let time = cubic::first_root(Kind::EdgeEdge, &across(1.0), &across(-1.0))?;
/// assert!(time.is_some_and(|time| (time - 0.5).abs() < 1e-12));
/// # Ok::<(), carom::impact::ImpactError>(())
/// ```
pub fn first_root(kind: Kind, start: &[DVec3; 4], end: &[DVec3; 4]) -> Result<Option<f64>, ImpactError> {
    super::checked(start, end)?;
    // Vertex-face: two sides and the vertex from one corner. Edge-edge: both edges, and the way from one to the other.
    let seen = |[w, x, y, z]: &[DVec3; 4]| match kind {
        Kind::VertexFace => [*y - *x, *z - *x, *w - *x],
        Kind::EdgeEdge => [*x - *w, *z - *y, *y - *w],
    };
    let (from, to) = (seen(start), seen(end));
    let [a, b, c] = from;
    let [along_a, along_b, along_c] = [to[0] - a, to[1] - b, to[2] - c];
    let normal = [a.cross(b), a.cross(along_b) + along_a.cross(b), along_a.cross(along_b)];
    let cubic = Cubic {
        coefficients: [
            normal[0].dot(c),
            normal[1].dot(c) + normal[0].dot(along_c),
            normal[2].dot(c) + normal[1].dot(along_c),
            normal[2].dot(along_c),
        ],
    };
    let meet = |time: f64| {
        let [a, b, c] = [a + along_a * time, b + along_b * time, c + along_c * time];
        let normal = a.cross(b);
        let square = normal.length_squared();
        let (first, second) = (c.cross(b).dot(normal), a.cross(c).dot(normal));
        match kind {
            Kind::VertexFace => first >= 0.0 && second >= 0.0 && first + second <= square,
            Kind::EdgeEdge => first >= 0.0 && first <= square && -second >= 0.0 && -second <= square,
        }
    };
    let ends = cubic.monotone_ends();
    let roots = ends.windows(2).filter_map(|ends| cubic.root_between(ends[0], ends[1]));
    Ok(roots.into_iter().find(|&time| meet(time)))
}

struct Cubic {
    /// Constant first.
    coefficients: [f64; 4],
}

impl Cubic {
    fn value(&self, time: f64) -> f64 {
        let [d, c, b, a] = self.coefficients;
        ((a * time + b) * time + c) * time + d
    }

    fn slope(&self, time: f64) -> f64 {
        let [_, c, b, a] = self.coefficients;
        (3.0 * a * time + 2.0 * b) * time + c
    }

    /// Times between which it is monotone; the last ones are the same if there are fewer.
    fn monotone_ends(&self) -> [f64; 4] {
        let [_, c, b, a] = self.coefficients;
        let mut ends = [0.0, 1.0, 1.0, 1.0];
        let discriminant = b * b - 3.0 * a * c;
        if discriminant > 0.0 {
            // The formula without cancellation.
            let sum = -(b + discriminant.sqrt().copysign(b));
            let (one, other) = (sum / (3.0 * a), c / sum);
            let mut count = 1;
            for extremum in [one.min(other), one.max(other)] {
                if extremum > 0.0 && extremum < 1.0 {
                    ends[count] = extremum;
                    count += 1;
                }
            }
        }
        ends
    }

    fn root_between(&self, mut low: f64, mut high: f64) -> Option<f64> {
        let (at_low, at_high) = (self.value(low), self.value(high));
        if low >= high || at_low * at_high > 0.0 {
            return None;
        }
        let rises = at_high > at_low;
        let mut time = low + (high - low) * (at_low / (at_low - at_high)).clamp(0.0, 1.0);
        for _ in 0..60 {
            let here = self.value(time);
            if (here > 0.0) == rises {
                high = time;
            } else {
                low = time;
            }
            let newton = time - here / self.slope(time);
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            let step = (next - time).abs();
            time = next;
            if step <= 1e-12 {
                break;
            }
        }
        Some(time)
    }
}
