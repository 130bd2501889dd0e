//! GJK in the plane: the point of least norm of the difference A - B of two convex polygons.
//!
//! A segment of A - B holds the nearest point v so far; the support w along -v either is no nearer, which proves that v
//! is the nearest of all, or replaces an end. Once a triangle holds the origin the polygons overlap, and its nearest
//! side is pushed out (EPA) until it lies on the border, whose nearest point is the depth.
//! Stops: when the support gains no more than rounding; each step adds a corner of A - B, of which there are at most
//! n · m, and the limit is the sum of that and a few. Cost: n + m a step.
//! Source: Gilbert, Johnson, Keerthi (1988), doi:10.1109/56.2083; van den Bergen (2001) for the depth.

use super::Figure;
use super::sat::{Separation, grown};
use glam::DVec2;

/// A point of A - B and where it comes from.
#[derive(Debug, Clone, Copy)]
struct Vertex {
    difference: DVec2,
    on_a: DVec2,
    on_b: DVec2,
}

/// The signed distance of two figures, with the closest or deepest points.
///
/// ```
/// use carom::glam::DVec2;
/// use carom::planar::{Figure, distance};
///
/// let triangle = Figure::polygon(&[DVec2::ZERO, DVec2::X, DVec2::Y])?;
/// let capsule = Figure::polygon(&[DVec2::new(2.0, 2.0), DVec2::new(3.0, 2.0)])?.rounded(0.5)?;
/// let apart = distance(&triangle, &capsule);
/// assert!((apart.distance - (DVec2::new(2.0, 2.0).distance(DVec2::splat(0.5)) - 0.5)).abs() < 1e-12);
/// # Ok::<(), carom::planar::PlanarError>(())
/// ```
pub fn distance(a: &Figure, b: &Figure) -> Separation {
    let support = |direction: DVec2| {
        let (on_a, on_b) = (a.farthest(direction), b.farthest(-direction));
        Vertex { difference: on_a - on_b, on_a, on_b }
    };
    let scale =
        a.corners.iter().chain(&b.corners).fold(0.0, |most: f64, corner| most.max(corner.distance(a.corners[0])));
    let slack = 1e-14 * scale;
    let limit = a.corners.len() * b.corners.len() + 16;
    let start = support(DVec2::X);
    let mut edge = [start, start];
    for _ in 0..limit {
        let (nearest, share) = nearest_on(edge);
        let length = nearest.length();
        if length <= slack {
            break;
        }
        let normal = nearest / length;
        let found = support(-normal);
        if normal.dot(found.difference) >= length - slack {
            let at = |part: fn(&Vertex) -> DVec2| part(&edge[0]).lerp(part(&edge[1]), share);
            return grown(a, b, -normal, length, at(|vertex| vertex.on_a), at(|vertex| vertex.on_b));
        }
        let [p, q] = edge;
        if let Some(triangle) = around_origin([p, q, found]) {
            return pushed_out(a, b, triangle.to_vec(), support, slack, limit);
        }
        let squared = |edge: [Vertex; 2]| nearest_on(edge).0.length_squared();
        edge = if squared([p, found]) <= squared([q, found]) { [p, found] } else { [q, found] };
    }
    pushed_out(a, b, edge.to_vec(), support, slack, limit)
}

/// The point of a segment that is nearest to the origin, and its share of the way.
fn nearest_on([p, q]: [Vertex; 2]) -> (DVec2, f64) {
    let along = q.difference - p.difference;
    let length_squared = along.length_squared();
    let share = if length_squared > 0.0 { (-p.difference.dot(along) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
    (p.difference + share * along, share)
}

/// The triangle counter-clockwise, if it holds the origin and has an area.
fn around_origin([p, q, r]: [Vertex; 3]) -> Option<[Vertex; 3]> {
    let area = (q.difference - p.difference).perp_dot(r.difference - p.difference);
    let triangle = if area > 0.0 { [p, q, r] } else { [p, r, q] };
    let is_left = |index: usize| {
        let (from, to) = (triangle[index].difference, triangle[(index + 1) % 3].difference);
        from.perp_dot(to) >= 0.0
    };
    (area != 0.0 && (0..3).all(is_left)).then_some(triangle)
}

/// Grows a polygon of points of A - B, counter-clockwise around the origin or through it, until its nearest side is on
/// the border. A point or segment grows too: both sides of a segment count.
fn pushed_out(
    a: &Figure,
    b: &Figure,
    mut polygon: Vec<Vertex>,
    support: impl Fn(DVec2) -> Vertex,
    slack: f64,
    limit: usize,
) -> Separation {
    polygon.dedup_by(|p, q| p.difference.distance(q.difference) <= slack);
    if polygon.len() == 1 {
        // The origin is a corner, so far: look for any other point to make a segment of.
        let here = polygon[0].difference;
        let others = [DVec2::X, DVec2::Y, -DVec2::X, -DVec2::Y].map(&support);
        let far = others.into_iter().max_by(|p, q| p.difference.distance(here).total_cmp(&q.difference.distance(here)));
        match far.filter(|far| far.difference.distance(here) > slack) {
            Some(far) => polygon.push(far),
            // Two points in one place: any direction is as good.
            None => return grown(a, b, DVec2::Y, 0.0, polygon[0].on_a, polygon[0].on_b),
        }
    }
    let mut best = Separation { normal: DVec2::Y, distance: f64::NEG_INFINITY, on_a: DVec2::ZERO, on_b: DVec2::ZERO };
    for _ in 0..limit {
        let count = polygon.len();
        let side = |index: usize| [polygon[index], polygon[(index + 1) % count]];
        let outward = |[p, q]: [Vertex; 2]| -(q.difference - p.difference).perp().normalize_or_zero();
        let offset = |index: usize| outward(side(index)).dot(polygon[index].difference);
        let Some(index) = (0..count).min_by(|p, q| offset(*p).total_cmp(&offset(*q))) else { break };
        let (normal, depth) = (outward(side(index)), offset(index));
        let found = support(normal);
        let most = normal.dot(found.difference);
        let is_border = most - depth <= slack.max(4.0 * f64::EPSILON * most.abs());
        // On the border, the points of this side are as deep as the direction says.
        if is_border || -most > best.distance {
            let [p, q] = side(index);
            let share = nearest_on([p, q]).1;
            let (on_a, on_b) = (p.on_a.lerp(q.on_a, share), p.on_b.lerp(q.on_b, share));
            best = Separation { normal, distance: -most, on_a, on_b };
        }
        if is_border {
            break;
        }
        polygon.insert(index + 1, found);
    }
    grown(a, b, best.normal, best.distance, best.on_a, best.on_b)
}
