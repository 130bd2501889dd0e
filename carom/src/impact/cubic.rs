//! The cubic of the lecture: not conservative.

use super::{ImpactError, Kind};
use glam::DVec3;

/// When the four points are first in a plane and the features meet there, by plain arithmetic: **not conservative**.
pub fn first_root(kind: Kind, start: &[DVec3; 4], end: &[DVec3; 4]) -> Result<Option<f64>, ImpactError> {
    super::checked(start, end)?;
    // Vertex-face: the face's edges and the vertex from a corner. Edge-edge: the edges, and what is between them.
    let [w, x, y, z] = *start;
    let [w1, x1, y1, z1] = *end;
    let (a, b, c, a1, b1, c1) = match kind {
        Kind::VertexFace => (y - x, z - x, w - x, y1 - x1, z1 - x1, w1 - x1),
        Kind::EdgeEdge => (x - w, z - y, y - w, x1 - w1, z1 - y1, y1 - w1),
    };
    let (va, vb, vc) = (a1 - a, b1 - b, c1 - c);
    let (n0, n1, n2) = (a.cross(b), a.cross(vb) + va.cross(b), va.cross(vb));
    let coefficients = [n0.dot(c), n1.dot(c) + n0.dot(vc), n2.dot(c) + n1.dot(vc), n2.dot(vc)];
    let meets = |time: f64| {
        let (a, b, c) = (a + va * time, b + vb * time, c + vc * time);
        let normal = a.cross(b);
        let square = normal.length_squared();
        let s = c.cross(b).dot(normal);
        let t = a.cross(c).dot(normal);
        match kind {
            Kind::VertexFace => s >= 0.0 && t >= 0.0 && s + t <= square,
            Kind::EdgeEdge => s >= 0.0 && s <= square && -t >= 0.0 && -t <= square,
        }
    };
    let [d, c1, b2, a3] = coefficients;
    let value = |time: f64| ((a3 * time + b2) * time + c1) * time + d;
    let slope = |time: f64| (3.0 * a3 * time + 2.0 * b2) * time + c1;
    // Between the extrema, the cubic is monotone.
    let mut ends = [0.0, 1.0, 1.0, 1.0];
    let discriminant = b2 * b2 - 3.0 * a3 * c1;
    if discriminant > 0.0 {
        let r = -(b2 + discriminant.sqrt().copysign(b2));
        let (first, second) = (r / (3.0 * a3), c1 / r);
        let (first, second) = (first.min(second), first.max(second));
        let mut count = 1;
        for extremum in [first, second] {
            if extremum > 0.0 && extremum < 1.0 {
                ends[count] = extremum;
                count += 1;
            }
        }
    }
    for side in ends.windows(2) {
        let (mut low, mut high) = (side[0], side[1]);
        let (at_low, at_high) = (value(low), value(high));
        if low >= high || (at_low > 0.0) == (at_high > 0.0) && at_low != 0.0 && at_high != 0.0 {
            continue;
        }
        let rises = at_high > at_low;
        let mut time = low + (high - low) * (at_low / (at_low - at_high)).clamp(0.0, 1.0);
        for _ in 0..60 {
            let here = value(time);
            if (here > 0.0) == rises {
                high = time
            } else {
                low = time
            }
            let newton = time - here / slope(time);
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - time).abs() <= 1e-12 {
                time = next;
                break;
            }
            time = next;
        }
        if meets(time) {
            return Ok(Some(time));
        }
    }
    Ok(None)
}
