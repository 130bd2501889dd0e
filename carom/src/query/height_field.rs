//! A ray over a height field: along the cells below it, without any tree.
//!
//! The ray is cut to the box around the field and followed strip by strip along the axis on which it crosses more
//! cells; in each strip it is over one or two cells. A cell's triangles are tested if the ray comes between its least
//! and greatest height there. Cells are taken a little wider than they are, so rounding leaves none out.
//! Stops: at the end of the field, or when the nearest hit so far comes before the next strip.
//! Cost: the number of cells crossed. Source: Amanatides, Woo 1987 for walking cells; strips instead of single steps.

use super::ray::{LocalHit, LocalRay};
use super::ray_convex::through_triangle;
use crate::shape::HeightField;
use glam::DVec3;

/// Where a ray first meets the field.
pub(super) fn cast(field: &HeightField, ray: &LocalRay) -> Option<LocalHit> {
    let (start, end) = inside_box(field, ray)?;
    let along = |axis: usize, distance: f64| {
        let point = ray.at(distance);
        field.cell_coordinate(axis, [point.x, point.z][axis])
    };
    let crossed = |axis: usize| (along(axis, end).0 - along(axis, start).0).abs();
    let major = usize::from(crossed(1) > crossed(0));
    let spacing = f64::from(field.spacing()[major]);
    let speed = [ray.direction.x, ray.direction.z][major] / spacing;
    let (first, doubt) = along(major, start);
    let (last, other_doubt) = along(major, end);
    let doubt = 2.0 * doubt.max(other_doubt) + 1e-12 * ray.origin.length() / spacing;
    let strip_of = |coordinate: f64| coordinate.clamp(0.0, field.cells_along(major) as f64 - 1.0) as usize;
    let (lowest, highest) = (strip_of(first.min(last) - doubt), strip_of(first.max(last) + doubt));
    let mut best: Option<LocalHit> = None;
    for step in 0..=highest - lowest {
        let strip = if speed >= 0.0 { lowest + step } else { highest - step };
        let time = |side: f64| if speed == 0.0 { start } else { start + (side - first) / speed };
        let (low, high) = (time(strip as f64 - doubt), time(strip as f64 + 1.0 + doubt));
        let enter = low.min(high).max(start);
        let leave = if speed == 0.0 { end } else { low.max(high).min(end) };
        if best.is_some_and(|best| best.distance < enter) {
            break;
        }
        if enter <= leave {
            over_strip(field, ray, major, strip, [enter, leave], &mut best);
        }
    }
    best
}

/// The cells of one strip that the ray is over between two distances.
fn over_strip(
    field: &HeightField,
    ray: &LocalRay,
    major: usize,
    strip: usize,
    [enter, leave]: [f64; 2],
    best: &mut Option<LocalHit>,
) {
    let (from, to) = (ray.at(enter), ray.at(leave));
    let minor = 1 - major;
    let across = |point: DVec3| [point.x, point.z][minor];
    let margin = 1e-9 * f64::from(field.spacing()[minor]) + 1e-12 * ray.origin.length();
    let least = across(from).min(across(to)) - margin;
    let greatest = across(from).max(across(to)) + margin;
    let room = 1e-12 * (ray.origin.length() + leave);
    let (low, high) = (from.y.min(to.y) - room, from.y.max(to.y) + room);
    for cell in field.cells_between(minor, least, greatest) {
        let (column, row) = if major == 0 { (strip, cell) } else { (cell, strip) };
        let (cell_low, cell_high) = field.cell_heights(column, row);
        if f64::from(cell_low) > high || f64::from(cell_high) < low {
            continue;
        }
        for triangle in field.cell_triangles(column, row) {
            let corners = field.corners(triangle as usize).map(|corner| corner.as_dvec3());
            let limit = best.map_or(ray.max_distance, |best| best.distance);
            if let Some(hit) = through_triangle(&LocalRay { max_distance: limit, ..*ray }, corners)
                && best.is_none_or(|best| hit.distance < best.distance)
            {
                *best = Some(hit);
            }
        }
    }
}

/// The distances at which the ray is within the box around the field, a little more for rounding.
fn inside_box(field: &HeightField, ray: &LocalRay) -> Option<(f64, f64)> {
    let bounds = field.bounds();
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let margin = 1e-9 * (min.abs().max(max.abs()).max_element()) + 1e-12 * ray.origin.length();
    let (mut start, mut end) = (0.0f64, ray.max_distance);
    for axis in 0..3 {
        let (low, high) = (min[axis] - margin - ray.origin[axis], max[axis] + margin - ray.origin[axis]);
        if ray.direction[axis] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        let (one, other) = (low / ray.direction[axis], high / ray.direction[axis]);
        start = start.max(one.min(other));
        end = end.min(one.max(other));
    }
    (start <= end).then_some((start, end))
}
