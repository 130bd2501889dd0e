//! Separating axes in the plane: the direction that leaves the widest gap between two convex figures.
//!
//! For polygons that overlap the best direction is a normal of a side, because the border of their difference has no
//! other; for those apart it can also be the line between two corners or a corner and a side. Rounding a figure takes
//! its radius off every gap, so it never changes which direction is best.
//! Stops: no iteration. Cost: (n + m)² for n and m corners; two boxes have 4 axes as long as they overlap.
//! Source: Gottschalk, Lin, Manocha (1996), doi:10.1145/237170.237244, in the plane.

use super::Figure;
use glam::DVec2;

/// How two figures stand to each other along the best direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// The unit direction from the first figure to the second: where it is, or must move to get free.
    pub normal: DVec2,
    /// The distance, or the depth as a negative number.
    pub distance: f64,
    /// The point of the first figure that is closest to the second, or deepest in it.
    pub on_a: DVec2,
    /// The point of the second figure that is closest to the first, or deepest in it.
    pub on_b: DVec2,
}

/// The signed distance of two figures by all axes.
///
/// ```
/// use carom::glam::DVec2;
/// use carom::planar::{Figure, separating_axes};
///
/// let square = Figure::rectangle(DVec2::ZERO, DVec2::ONE, 0.0)?;
/// let circle = Figure::circle(DVec2::new(1.25, 0.0), 0.5)?;
/// let found = separating_axes(&square, &circle);
/// assert!((found.distance + 0.25).abs() < 1e-12 && found.normal == DVec2::X);
/// # Ok::<(), carom::planar::PlanarError>(())
/// ```
pub fn separating_axes(a: &Figure, b: &Figure) -> Separation {
    let normals = a.sides().chain(b.sides()).flat_map(|side| [side.perp(), -side.perp()]);
    let best = widest(a, b, normals);
    match best {
        Some(best) if best.1 <= 0.0 => deepest(a, b, best),
        // Apart, or points: a line between two corners may do better.
        _ => {
            let lines = a.corners.iter().flat_map(|p| b.corners.iter().map(move |q| *q - *p));
            match widest(a, b, lines).into_iter().chain(best).max_by(|p, q| p.1.total_cmp(&q.1)) {
                Some(best) => closest(a, b, best),
                // Two equal points have no direction.
                None => deepest(a, b, (DVec2::Y, 0.0)),
            }
        }
    }
}

/// The direction that leaves the widest gap between the cores, and the gap.
fn widest(a: &Figure, b: &Figure, directions: impl Iterator<Item = DVec2>) -> Option<(DVec2, f64)> {
    let gaps = directions.filter_map(|direction| {
        let normal = direction.try_normalize()?;
        Some((normal, normal.dot(b.farthest(-normal) - a.farthest(normal))))
    });
    gaps.max_by(|p, q| p.1.total_cmp(&q.1))
}

/// Overlapping along a normal: the middle of what the outermost corners or sides of both have in common across it.
fn deepest(a: &Figure, b: &Figure, (normal, gap): (DVec2, f64)) -> Separation {
    let (on_a, on_b) = (a.farthest(normal), b.farthest(-normal));
    let across = normal.perp();
    let span = |figure: &Figure, outward: DVec2, outermost: DVec2| {
        let is_outermost = |corner: &&DVec2| {
            let out = outermost - **corner;
            outward.dot(out) <= 1e-12 * out.length()
        };
        let places = figure.corners.iter().filter(is_outermost).map(|corner| across.dot(*corner));
        places.fold((f64::INFINITY, f64::NEG_INFINITY), |span, place| (span.0.min(place), span.1.max(place)))
    };
    let (span_a, span_b) = (span(a, normal, on_a), span(b, -normal, on_b));
    let middle = 0.5 * (span_a.0.max(span_b.0) + span_a.1.min(span_b.1));
    let moved = |point: DVec2| point + (middle - across.dot(point)) * across;
    grown(a, b, normal, gap, moved(on_a), moved(on_b))
}

/// The closest points of figures whose cores are apart: on their borders.
fn closest(a: &Figure, b: &Figure, (normal, gap): (DVec2, f64)) -> Separation {
    if gap <= 0.0 {
        return deepest(a, b, (normal, gap));
    }
    let mut best = (f64::INFINITY, DVec2::ZERO, DVec2::ZERO);
    for (one, other, is_swapped) in [(a, b, false), (b, a, true)] {
        for &corner in &one.corners {
            for (start, side) in other.corners.iter().zip(other.sides()) {
                let length_squared = side.length_squared();
                let along = if length_squared > 0.0 { (corner - *start).dot(side) / length_squared } else { 0.0 };
                let near = *start + along.clamp(0.0, 1.0) * side;
                let distance = corner.distance(near);
                if distance < best.0 {
                    best = if is_swapped { (distance, near, corner) } else { (distance, corner, near) };
                }
            }
        }
    }
    grown(a, b, normal, best.0, best.1, best.2)
}

/// The answer for grown figures from that for their cores.
pub(super) fn grown(a: &Figure, b: &Figure, normal: DVec2, gap: f64, on_a: DVec2, on_b: DVec2) -> Separation {
    Separation {
        normal,
        distance: gap - a.radius - b.radius,
        on_a: on_a + a.radius * normal,
        on_b: on_b - b.radius * normal,
    }
}
