//! Separating axes in the plane: the direction that leaves the widest gap between two convex figures.
//!
//! For polygons that overlap the best direction is a normal of a side, because the border of their difference has no
//! other; for those apart it can also be the line between two corners or a corner and a side. Rounding a figure takes
//! its radius off every gap, so it never changes which direction is best.
//! Stops: no iteration, so the bounds are the distance itself but for rounding. Cost: (n + m)² for n and m corners; two
//! boxes have 4 axes as long as they overlap. Axes tell no common point: [`super::distance`] is asked for one.
//! Source: Gottschalk, Lin, Manocha (1996), doi:10.1145/237170.237244, in the plane.

use super::gjk::{self, PairCache};
use super::separation::{Cores, Found, SLACK, Separation};
use super::{Figure, farthest, sides};
use crate::trace::{AxisKind, AxisStep, StopReason, Tracer};
use glam::DVec2;

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
    separating_axes_traced(a, b, &mut ())
}

/// [`separating_axes`], which tells a tracer each axis, in the plane z = 0. The line between two corners counts as
/// [`AxisKind::Edges`] of the two.
pub fn separating_axes_traced(a: &Figure, b: &Figure, tracer: &mut impl Tracer) -> Separation {
    let cores = Cores::of(a, b);
    let of_sides = |corners: &'_ [DVec2], kind: fn(u32) -> AxisKind| {
        let normals = sides(corners).enumerate().flat_map(|(index, side)| {
            let kind = kind(index as u32);
            [(side.perp(), kind), (-side.perp(), kind)]
        });
        normals.collect::<Vec<_>>()
    };
    let axes = [of_sides(&cores.a, AxisKind::FaceOfA), of_sides(&cores.b, AxisKind::FaceOfB)].concat();
    let best = widest(&cores, axes.into_iter(), tracer);
    let found = match best {
        Some(best) if best.1 < -SLACK => deepest(&cores, best),
        // Apart, or points, or all on one line: a line between two corners may do better.
        _ => {
            let lines = cores.a.iter().enumerate().flat_map(|(i, p)| {
                let to = move |(j, q): (usize, &DVec2)| (*q - *p, AxisKind::Edges([i as u32, j as u32]));
                cores.b.iter().enumerate().map(to)
            });
            match widest(&cores, lines, tracer).into_iter().chain(best).max_by(|p, q| p.1.total_cmp(&q.1)) {
                Some(best) => closest(&cores, best),
                // Two equal points have no direction.
                None => deepest(&cores, (DVec2::Y, 0.0)),
            }
        }
    };
    tracer.stop(StopReason::BoundsMet);
    let common = if found.upper < 0.0 { gjk::common_point(&cores, &mut PairCache::default()) } else { None };
    cores.separation(&Found { common, ..found })
}

/// The direction that leaves the widest gap between the cores, and the gap.
fn widest(
    cores: &Cores<'_>,
    directions: impl Iterator<Item = (DVec2, AxisKind)>,
    tracer: &mut impl Tracer,
) -> Option<(DVec2, f64)> {
    let gaps = directions.filter_map(|(direction, kind)| {
        let normal = direction.try_normalize()?;
        let gap = normal.dot(cores.b[farthest(&cores.b, -normal)] - cores.a[farthest(&cores.a, normal)]);
        tracer.axis(|| AxisStep { axis: normal.extend(0.0), gap: cores.length(gap), kind });
        Some((normal, gap))
    });
    gaps.max_by(|p, q| p.1.total_cmp(&q.1))
}

fn ended(normal: DVec2, distance: f64, on_a: DVec2, on_b: DVec2) -> Found {
    Found { normal, distance, on_a, on_b, lower: distance, upper: distance, common: None, has_ended: true }
}

/// Overlapping along a normal: the middle of what the outermost corners or sides of both have in common across it.
fn deepest(cores: &Cores<'_>, (normal, gap): (DVec2, f64)) -> Found {
    let (on_a, on_b) = (cores.a[farthest(&cores.a, normal)], cores.b[farthest(&cores.b, -normal)]);
    let across = normal.perp();
    let span = |corners: &[DVec2], outward: DVec2, outermost: DVec2| {
        let is_outermost = |corner: &&DVec2| {
            let out = outermost - **corner;
            outward.dot(out) <= 1e-12 * out.length()
        };
        let places = corners.iter().filter(is_outermost).map(|corner| across.dot(*corner));
        places.fold((f64::INFINITY, f64::NEG_INFINITY), |span, place| (span.0.min(place), span.1.max(place)))
    };
    let (span_a, span_b) = (span(&cores.a, normal, on_a), span(&cores.b, -normal, on_b));
    let middle = 0.5 * (span_a.0.max(span_b.0) + span_a.1.min(span_b.1));
    let moved = |point: DVec2| point + (middle - across.dot(point)) * across;
    ended(normal, gap, moved(on_a), moved(on_b))
}

/// The closest points of figures whose cores are apart: on their borders.
fn closest(cores: &Cores<'_>, (normal, gap): (DVec2, f64)) -> Found {
    if gap <= 0.0 {
        return deepest(cores, (normal, gap));
    }
    let mut best = (f64::INFINITY, DVec2::ZERO, DVec2::ZERO);
    for (one, other, is_swapped) in [(&cores.a, &cores.b, false), (&cores.b, &cores.a, true)] {
        for &corner in one {
            for (start, side) in other.iter().zip(sides(other)) {
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
    Found { lower: gap, ..ended(normal, best.0, best.1, best.2) }
}
