//! The ellipsoid of least volume around points, to 10⁻³ of its axes.
//!
//! Weights on the points are moved towards the point farthest out in the ellipsoid's own measure, or away from the
//! innermost that carries weight, by the step that is best along that line; the determinant of the weighted second
//! moments grows to its greatest, whose inverse is the ellipsoid. Points are taken in as they are found outside, so
//! that the weights stay few. Stops when outermost and innermost agree to 10⁻³, or after 300 steps and 30 intakes; a
//! caller scales by what is still outside. The points are first scaled to extents of 1 in their principal frame;
//! along an axis with next to no extent two artificial points keep the moments regular.
//! Source: Khachiyan, 1996, doi:10.1287/moor.21.2.307; steps away after Todd and Yıldırım, 2007,
//! doi:10.1016/j.dam.2007.02.013; taking points in after Sun and Freund, 2004, doi:10.1287/opre.1040.0115.

use super::frame::principal_frame;
use crate::mass::principal;
use glam::{DMat3, DMat4, DVec3};

const TOLERANCE: f64 = 1e-3;

/// Centre, axes (the columns of a rotation) and radii.
pub(super) struct EllipsoidGuess {
    pub(super) center: DVec3,
    pub(super) axes: DMat3,
    pub(super) radii: DVec3,
}

/// The least ellipsoid around `points`, up to the tolerance.
pub(super) fn smallest_ellipsoid(points: &[DVec3]) -> EllipsoidGuess {
    let frame = principal_frame(points);
    let local = || points.iter().map(|point| frame.transpose() * *point);
    let least = local().reduce(DVec3::min).unwrap_or_default();
    let greatest = local().reduce(DVec3::max).unwrap_or_default();
    let (middle, half) = (0.5 * (least + greatest), 0.5 * (greatest - least));
    // What is flat in f32 has extents of its rounding. Sixteen of them as the radius cost the others 1/512.
    let is_flat = half.cmple(DVec3::splat(1e-6 * half.max_element()));
    let half = DVec3::select(is_flat, 16.0 * half, half);
    let inverse = DVec3::select(is_flat, DVec3::ZERO, half.recip());
    let scaled: Vec<DVec3> = local().map(|point| (point - middle) * inverse).collect();

    let mut active: Vec<DVec3> = extreme_points(&scaled);
    for axis in (0..3).filter(|&axis| is_flat.test(axis)) {
        active.extend([DVec3::AXES[axis], -DVec3::AXES[axis]]);
    }
    let mut center = DVec3::ZERO;
    let mut moments = DMat3::IDENTITY;
    for _intake in 0..30 {
        (center, moments) = weighted_moments(&active);
        let inverse = moments.inverse();
        let outside = |point: &DVec3| (*point - center).dot(inverse * (*point - center));
        let farthest = scaled.iter().copied().reduce(|a, b| if outside(&b) > outside(&a) { b } else { a });
        match farthest {
            Some(point) if outside(&point) > 1.0 + 3.0 * TOLERANCE && !active.contains(&point) => active.push(point),
            _ => break,
        }
    }
    let stretch = frame * DMat3::from_diagonal(half);
    let (squares, axes) = principal::axes(stretch * moments * stretch.transpose());
    let radii = squares.max(DVec3::ZERO).map(f64::sqrt);
    EllipsoidGuess { center: frame * (middle + center * half), axes, radii }
}

/// All points if they are few, else the extreme ones along 26 directions.
fn extreme_points(points: &[DVec3]) -> Vec<DVec3> {
    if points.len() <= 64 {
        return points.to_vec();
    }
    let mut extreme: Vec<DVec3> = Vec::with_capacity(64);
    for axis in super::kdop::AXES {
        for direction in [axis, -axis] {
            let farther = |a: DVec3, b: DVec3| if direction.dot(b) > direction.dot(a) { b } else { a };
            if let Some(point) = points.iter().copied().reduce(farther)
                && !extreme.contains(&point)
            {
                extreme.push(point);
            }
        }
    }
    extreme
}

/// The centre of the least ellipsoid around a few points, and the matrix `Q` of `(x − c)ᵀ Q⁻¹ (x − c) ≤ 1`.
fn weighted_moments(points: &[DVec3]) -> (DVec3, DMat3) {
    let mut weights = vec![1.0 / points.len() as f64; points.len()];
    for _step in 0..300 {
        let lifted = points.iter().zip(&weights).fold(DMat4::ZERO, |sum, (point, weight)| {
            let row = point.extend(1.0) * *weight;
            sum + DMat4::from_cols(row * point.x, row * point.y, row * point.z, row)
        });
        let inverse = lifted.inverse();
        if !inverse.is_finite() {
            break;
        }
        let measure = |point: &DVec3| point.extend(1.0).dot(inverse * point.extend(1.0));
        let (mut outermost, mut innermost) = ((0, f64::NEG_INFINITY), (0, f64::INFINITY));
        for (index, point) in points.iter().enumerate() {
            let at = measure(point);
            if at > outermost.1 {
                outermost = (index, at);
            }
            if weights[index] > 0.0 && at < innermost.1 {
                innermost = (index, at);
            }
        }
        let (excess, lack) = (0.25 * outermost.1 - 1.0, 1.0 - 0.25 * innermost.1);
        if excess.max(lack) <= TOLERANCE {
            break;
        }
        if excess >= lack {
            let step = (outermost.1 - 4.0) / (4.0 * (outermost.1 - 1.0));
            weights.iter_mut().for_each(|weight| *weight *= 1.0 - step);
            weights[outermost.0] += step;
        } else {
            let weight = weights[innermost.0];
            let all = weight / (1.0 - weight);
            let step = if innermost.1 > 1.0 { (4.0 - innermost.1) / (4.0 * (innermost.1 - 1.0)) } else { all };
            weights.iter_mut().for_each(|weight| *weight *= 1.0 + step.min(all));
            weights[innermost.0] = if step < all { weights[innermost.0] - step } else { 0.0 };
        }
    }
    let center: DVec3 = points.iter().zip(&weights).map(|(point, weight)| *point * *weight).sum();
    let moments = points.iter().zip(&weights).fold(DMat3::ZERO, |sum, (point, weight)| {
        let offset = *point - center;
        sum + DMat3::from_cols(offset * offset.x, offset * offset.y, offset * offset.z) * (3.0 * weight)
    });
    (center, moments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_give_its_half_length() {
        let mut random = fastrand::Rng::with_seed(8);
        for case in 0..2_000 {
            let along = DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5).normalize();
            let count = random.usize(2..20);
            let points: Vec<DVec3> = (0..count).map(|_| (along * (random.f64() - 0.5)).as_vec3().as_dvec3()).collect();
            let guess = smallest_ellipsoid(&points);
            let length = points.iter().map(|point| along.dot(*point)).fold(f64::MIN, f64::max)
                - points.iter().map(|point| along.dot(*point)).fold(f64::MAX, f64::min);
            let radius = guess.radii.max_element();
            assert!((radius - 0.5 * length).abs() < 0.01 * length, "case {case}: {radius} {length} {points:?}");
        }
    }
}
