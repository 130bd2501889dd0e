//! Along which direction two features are farthest apart at one time.
//!
//! The direction from the origin to the nearest point of the differences' hull: of a triangle (vertex-face) or a
//! parallelogram (edge-edge). Inside, it is the normal, which keeps its digits when the distance loses them. Nothing is
//! proven here: a direction is only tried.
//! Source: the regions of Ericson, Real-Time Collision Detection (2005), 5.1.5 and 5.1.9.

use super::Kind;
use glam::DVec3;

/// A direction to try, and the square of the distance along it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closest {
    pub(super) direction: DVec3,
    pub(super) distance_squared: f64,
}

#[inline(always)]
pub(super) fn direction(kind: Kind, points: &[DVec3; 3]) -> Closest {
    match kind {
        Kind::VertexFace => of_triangle(points),
        Kind::EdgeEdge => of_edges(points),
    }
}

#[inline(always)]
fn of_triangle([a, b, c]: &[DVec3; 3]) -> Closest {
    let (ab, ac) = (*b - *a, *c - *a);
    let (d1, d2) = (-ab.dot(*a), -ac.dot(*a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return Closest::point(*a);
    }
    let (d3, d4) = (-ab.dot(*b), -ac.dot(*b));
    if d3 >= 0.0 && d4 <= d3 {
        return Closest::point(*b);
    }
    let vc = d1 * d4 - d3 * d2;
    // A side of no length is left to the others.
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        return Closest::edge(*a + d1 / (d1 - d3) * ab, ab);
    }
    let (d5, d6) = (-ab.dot(*c), -ac.dot(*c));
    if d6 >= 0.0 && d5 <= d6 {
        return Closest::point(*c);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6 {
        return Closest::edge(*a + d2 / (d2 - d6) * ac, ac);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 && d4 - d3 + (d5 - d6) > 0.0 {
        let (forth, back, bc) = (d4 - d3, d5 - d6, *c - *b);
        return Closest::edge(*b + forth / (forth + back) * bc, bc);
    }
    Closest::plane(ab.cross(ac), *a)
}

/// The edges from `a` to `b` and from the origin to `c`.
#[inline(always)]
fn of_edges([a, b, c]: &[DVec3; 3]) -> Closest {
    let along = *b - *a;
    let normal = along.cross(*c);
    let normal_squared = normal.length_squared();
    // Shares of the edges, times the square.
    let (on_first, on_second) = (c.cross(*a).dot(normal), along.cross(*a).dot(normal));
    let is_inside = |share: f64| share > 0.0 && share < normal_squared;
    if is_inside(on_first) && is_inside(on_second) {
        return Closest::plane(normal, *a);
    }
    let clamp = |share: f64| if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    let product = along.dot(*c);
    let (first, second) = (along.length_squared(), c.length_squared());
    let mut share = clamp(on_first / normal_squared);
    let other = clamp((product * share + c.dot(*a)) / second);
    share = clamp((product * other - along.dot(*a)) / first);
    let point = *a + share * along - other * *c;
    if other > 0.0 && other < 1.0 {
        Closest::edge(point, *c)
    } else if share > 0.0 && share < 1.0 {
        Closest::edge(point, along)
    } else {
        Closest::point(point)
    }
}

impl Closest {
    #[inline(always)]
    fn point(direction: DVec3) -> Self {
        Self { direction, distance_squared: direction.length_squared() }
    }

    /// What is left of a short distance after cancellation is not quite across the edge, and the edge is long: made
    /// so once more, it is.
    #[inline(always)]
    fn edge(point: DVec3, along: DVec3) -> Self {
        Self::point(point - along * (point.dot(along) / along.length_squared()))
    }

    #[inline(always)]
    fn plane(normal: DVec3, point: DVec3) -> Self {
        let height = normal.dot(point);
        let direction = if height < 0.0 { -normal } else { normal };
        Self { direction, distance_squared: height * height / normal.length_squared() }
    }
}
