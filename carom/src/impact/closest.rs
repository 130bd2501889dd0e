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
        return Closest::point(*a + d1 / (d1 - d3) * ab);
    }
    let (d5, d6) = (-ab.dot(*c), -ac.dot(*c));
    if d6 >= 0.0 && d5 <= d6 {
        return Closest::point(*c);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6 {
        return Closest::point(*a + d2 / (d2 - d6) * ac);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 && d4 - d3 + (d5 - d6) > 0.0 {
        let (along, back) = (d4 - d3, d5 - d6);
        return Closest::point(*b + along / (along + back) * (*c - *b));
    }
    Closest::plane(ab.cross(ac), *a)
}

/// The edges from `a` to `b` and from the origin to `c`.
#[inline(always)]
fn of_edges([a, b, c]: &[DVec3; 3]) -> Closest {
    let along = *b - *a;
    let (first, second, product) = (along.dot(along), c.dot(*c), along.dot(*c));
    let (offset, other) = (along.dot(*a), c.dot(*a));
    let normal_squared = first * second - product * product;
    let clamp = |share: f64| if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    let free = (product * other - offset * second) / normal_squared;
    let mut share = clamp(free);
    let on_second = (product * share + other) / second;
    let clamped = clamp(on_second);
    if free > 0.0 && free < 1.0 && on_second > 0.0 && on_second < 1.0 {
        return Closest::plane(along.cross(*c), *a);
    }
    if clamped != on_second {
        share = clamp((product * clamped - offset) / first);
    }
    Closest::point(*a + share * along - clamped * *c)
}

impl Closest {
    #[inline(always)]
    fn point(direction: DVec3) -> Self {
        Self { direction, distance_squared: direction.length_squared() }
    }

    #[inline(always)]
    fn plane(normal: DVec3, point: DVec3) -> Self {
        let height = normal.dot(point);
        let direction = if height < 0.0 { -normal } else { normal };
        Self { direction, distance_squared: height * height / normal.length_squared() }
    }
}
