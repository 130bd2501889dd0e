//! When a point and a segment of the plane first touch whose ends move linearly (T2).
//!
//! With c the vertex and d the other end seen from one end of the edge, the three are on a line where c ∧ d, a
//! quadratic of time, is zero. Its smallest root in the step at which the vertex is between the ends is the answer. If
//! it is zero all the time, all is on one line: the vertex is between the ends where c · (c - d), a quadratic as well,
//! is not positive. Roots come from the formula without cancellation; a discriminant that rounding makes negative
//! counts as a double root, so that grazing is found. Contact is judged to 1e-12 of the size. Cost: a square root and
//! two divisions.
//! Source: Marschner, CS5643 lecture 8 (2023); Press et al., Numerical Recipes (2007), 5.6.

use super::{PlanarError, finite};
use glam::DVec2;

/// How near is contact, relative to the size.
const CONTACT: f64 = 1e-12;

/// When the vertex first touches the edge, as a share of the step, to rounding; none if it does not. The points are the
/// vertex, then the ends of the edge.
///
/// ```
/// use carom::glam::DVec2;
/// use carom::planar::vertex_edge;
///
/// let edge = [DVec2::new(-1.0, 0.0), DVec2::new(1.0, 0.0)];
/// let above = |height: f64| [DVec2::new(0.5, height), edge[0], edge[1]];
/// assert_eq!(vertex_edge(&above(1.0), &above(-3.0))?, Some(0.25));
/// assert_eq!(vertex_edge(&above(1.0), &above(0.5))?, None);
/// # Ok::<(), carom::planar::PlanarError>(())
/// ```
pub fn vertex_edge(start: &[DVec2; 3], end: &[DVec2; 3]) -> Result<Option<f64>, PlanarError> {
    let points = [start[0], start[1], start[2], end[0], end[1], end[2]];
    finite(&points)?;
    // In a unit in which no product overflows.
    let most = points.iter().fold(0.0, |most: f64, point| most.max(point.abs().max_element()));
    let exponent = libm::frexp(most).1;
    let scaled = |point: DVec2| DVec2::new(libm::ldexp(point.x, -exponent), libm::ldexp(point.y, -exponent));
    let seen = |[x, y, z]: &[DVec2; 3]| [scaled(*x) - scaled(*y), scaled(*z) - scaled(*y)];
    Ok(Passing { start: seen(start), end: seen(end) }.first_contact())
}

/// The vertex and the far end of the edge, seen from its near end.
struct Passing {
    start: [DVec2; 2],
    end: [DVec2; 2],
}

impl Passing {
    fn first_contact(&self) -> Option<f64> {
        let ([c, d], [e, f]) = (self.start, self.end);
        let (moved_c, moved_d) = (e - c, f - d);
        let size = [c, d, e, f].iter().fold(0.0, |size: f64, vector| size.max(vector.length()));
        let slack = CONTACT * size;
        if self.distance(0.0) <= slack {
            return Some(0.0);
        }
        let area = [c.perp_dot(d), c.perp_dot(moved_d) + moved_c.perp_dot(d), moved_c.perp_dot(moved_d)];
        let is_line = area.iter().all(|coefficient| coefficient.abs() <= 1e-15 * size * size);
        let times = if is_line {
            // Between the ends, where its products with both are opposite.
            let (g, moved_g) = (c - d, moved_c - moved_d);
            roots([c.dot(g), c.dot(moved_g) + moved_c.dot(g), moved_c.dot(moved_g)])
        } else {
            roots(area)
        };
        times.into_iter().flatten().find(|&time| (0.0..=1.0).contains(&time) && self.distance(time) <= slack)
    }

    /// Of the vertex from the edge.
    fn distance(&self, time: f64) -> f64 {
        let [vertex, far] = [0, 1].map(|i| self.start[i].lerp(self.end[i], time));
        let length_squared = far.length_squared();
        let share = if length_squared > 0.0 { (vertex.dot(far) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
        vertex.distance(share * far)
    }
}

/// The real roots of a quadratic, constant first, the smaller one first; those a hair outside the step are put into it.
fn roots([c, b, a]: [f64; 3]) -> [Option<f64>; 2] {
    const HAIR: f64 = 1e-12;
    let discriminant = b * b - 4.0 * a * c;
    let rounding = 1e-14 * (b * b + (4.0 * a * c).abs());
    if discriminant < -rounding {
        return [None; 2];
    }
    let root = -0.5 * (b + discriminant.max(0.0).sqrt().copysign(b));
    // Of a line, the first is infinite; of a constant, both are not numbers.
    let (first, second) = (root / a, c / root);
    let into_step = |time: f64| {
        let is_hair_outside = (-HAIR..=1.0 + HAIR).contains(&time);
        is_hair_outside.then(|| time.clamp(0.0, 1.0))
    };
    let [first, second] = [first, second].map(into_step);
    match (first, second) {
        (Some(x), Some(y)) => [Some(x.min(y)), Some(x.max(y))],
        (one, other) => [one.or(other), None],
    }
}
