//! Two moving features seen from one point of theirs, and the certificate that all soundness rests on.
//!
//! Vertex-face and edge-edge are one problem: of the differences D_i of the points of one feature and those of the
//! other, which move linearly as well, does the convex hull ever hold the origin? It does not while a fixed direction d
//! has d · D_i > 0 for all of them; each of these is linear in time, so where it is positive is known from both ends of
//! the step. [`Relative::free_while`] computes that with all roundings against us; it, [`on_one_side`] and the sign of
//! the volume (`volume.rs`) are the only places where anything is called free without exact arithmetic.
//!
//! Errors. Let u = 2⁻⁵³. A difference of coordinates is off by a factor of 1 ± u (subtraction never underflows); the
//! product with d adds u and its two sums 2u, so a computed d · D is off by at most 4u·Σ|d_k||D_k| to first order. Of
//! two edges D_i = a_i - w with both products off by as much, and u more for the subtraction: 9u·Σ|d_k|M_k if M_k is
//! the largest |D_k| of all. We take 16u·Σ|d_k|M_k, which covers the second order, the roundings of the bound itself,
//! and, with 10⁻³⁰⁰ more, products that underflow, as sizes are kept from 10⁻⁴⁰ to 10⁴⁰ (see `impact.rs`).

use super::Kind;
use glam::DVec3;

const UNIT: f64 = f64::EPSILON / 2.0;
/// Far more than all the products in one sum can lose by underflow.
const UNDERFLOW: f64 = 1e-300;

/// The points of two features relative to one of them, at the start and at the end.
///
/// Vertex-face: the corners of the face seen from the vertex. Edge-edge: both ends of the first edge and the second end
/// of the second, seen from the first end of the second.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relative {
    pub(super) kind: Kind,
    pub(super) start: [DVec3; 3],
    pub(super) end: [DVec3; 3],
    /// The largest size of each coordinate.
    pub(super) most: DVec3,
}

/// While this lasts, the features are apart: from before `from` to after `to`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) from: f64,
    pub(super) to: f64,
}

/// Whether a plane across an axis of coordinates is between the features all the time.
///
/// Comparisons are exact: if both ends of the step are on one side, so is all between them.
#[inline(always)]
pub(super) fn on_one_side(kind: Kind, start: &[DVec3; 4], end: &[DVec3; 4]) -> bool {
    let (above, below) = match kind {
        Kind::VertexFace => {
            let least = |[_, a, b, c]: &[DVec3; 4]| a.min(*b).min(*c);
            let greatest = |[_, a, b, c]: &[DVec3; 4]| a.max(*b).max(*c);
            (
                least(start).cmpgt(start[0]) & least(end).cmpgt(end[0]),
                greatest(start).cmplt(start[0]) & greatest(end).cmplt(end[0]),
            )
        }
        Kind::EdgeEdge => {
            let above = |[a, b, c, d]: &[DVec3; 4]| a.min(*b).cmpgt(c.max(*d));
            let below = |[a, b, c, d]: &[DVec3; 4]| a.max(*b).cmplt(c.min(*d));
            (above(start) & above(end), below(start) & below(end))
        }
    };
    (above | below).any()
}

impl Relative {
    #[inline(always)]
    pub(super) fn new(kind: Kind, start: &[DVec3; 4], end: &[DVec3; 4]) -> Self {
        let seen = |[p, q, r, s]: &[DVec3; 4]| match kind {
            Kind::VertexFace => [*q - *p, *r - *p, *s - *p],
            Kind::EdgeEdge => [*p - *r, *q - *r, *s - *r],
        };
        let (start, end) = (seen(start), seen(end));
        let most = |[a, b, c]: &[DVec3; 3]| a.abs().max(b.abs()).max(c.abs());
        Self { kind, start, end, most: most(&start).max(most(&end)) }
    }

    /// Where the points are at a time; rounded, so nothing is proven with it.
    #[inline(always)]
    pub(super) fn at(&self, time: f64) -> [DVec3; 3] {
        let rest = 1.0 - time;
        let [a, b, c] = self.start;
        let [d, e, f] = self.end;
        [a * rest + d * time, b * rest + e * time, c * rest + f * time]
    }

    /// While when the direction separates the features by more than `separation`; never, if the span is empty.
    ///
    /// The least values of a line at both ends are computed as shown above. Its root is then a quotient of positive
    /// numbers, off by a factor of 1 ± 4u at most: it is moved by 8u against us.
    #[inline(always)]
    pub(super) fn free_while(&self, direction: DVec3, separation: f64) -> Span {
        let mut error = 16.0 * UNIT * direction.abs().dot(self.most) + UNDERFLOW;
        if separation > 0.0 {
            error += separation * direction.length() * (1.0 + 8.0 * UNIT);
        }
        let along = |[a, b, c]: &[DVec3; 3]| [direction.dot(*a), direction.dot(*b), direction.dot(*c)];
        let ([a, b, c], [d, e, f]) = (along(&self.start), along(&self.end));
        let mut span = Span { from: 0.0, to: f64::INFINITY };
        match self.kind {
            Kind::VertexFace => {
                for (start, end) in [(a, d), (b, e), (c, f)] {
                    span.cut(start - error, end - error);
                }
            }
            Kind::EdgeEdge => {
                for (start, end) in [(a, d), (b, e), (a - c, d - f), (b - c, e - f)] {
                    span.cut(start - error, end - error);
                }
            }
        }
        span
    }
}

impl Span {
    /// Leaves what is above the line with these values at 0 and 1.
    #[inline(always)]
    fn cut(&mut self, start: f64, end: f64) {
        if start > 0.0 && end > 0.0 {
            return;
        }
        if start > 0.0 {
            self.to = self.to.min(start / (start - end) * (1.0 - 8.0 * UNIT) - UNDERFLOW);
        } else if end > 0.0 {
            self.from = self.from.max(start / (start - end) * (1.0 + 8.0 * UNIT) + UNDERFLOW);
        } else {
            self.to = f64::NEG_INFINITY;
        }
    }
}
