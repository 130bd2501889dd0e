//! When two spheres first touch whose centres move linearly (T1).
//!
//! Relative to one another the centres move along a line, and the time is the smaller root of a t² + 2 b t + c with
//! a = v·v, b = d·v and c = d·d - R². Of the two textbook formulas the one is taken that adds numbers of one sign:
//! c / (-b + √D). The discriminant is a times R² less the square of the line's distance from the origin, which is
//! computed from the point of the line that is nearest: b² - a c would cancel where a small ball comes from afar.
//! And c = (|d| - R)(|d| + R) loses no digits at a contact. Cost: two square roots and two divisions.
//! Source: Press et al., Numerical Recipes (2007), 5.6.

use super::ImpactError;
use glam::DVec3;

/// A sphere whose centre moves from where it is at the start of the step to where it is at the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingSphere {
    /// The centre at the start.
    pub start: DVec3,
    /// The centre at the end.
    pub end: DVec3,
    /// The radius; 0 for a point.
    pub radius: f64,
}

/// When two spheres first touch, as a share of the step, to rounding; none if they do not.
///
/// Spheres that touch or overlap at the start have time 0, whether they part or not. A sphere that just grazes the
/// other touches it.
///
/// ```
/// use carom::glam::DVec3;
/// use carom::impact::{MovingSphere, spheres};
///
/// let still = MovingSphere { start: DVec3::ZERO, end: DVec3::ZERO, radius: 1.0 };
/// let thrown = MovingSphere { start: DVec3::new(-4.0, 0.0, 0.0), end: DVec3::new(4.0, 0.0, 0.0), radius: 1.0 };
/// assert_eq!(spheres(&still, &thrown)?, Some(0.25));
/// # Ok::<(), carom::impact::ImpactError>(())
/// ```
pub fn spheres(a: &MovingSphere, b: &MovingSphere) -> Result<Option<f64>, ImpactError> {
    let points = [a.start, b.start, a.end, b.end];
    if let Some((index, &value)) = points.iter().enumerate().find(|(_, point)| !point.is_finite()) {
        return Err(ImpactError::NotFinite { index, value });
    }
    for value in [a.radius, b.radius] {
        if !(0.0..f64::INFINITY).contains(&value) {
            return Err(ImpactError::Size { what: "radius", value });
        }
    }
    // In a unit in which nothing overflows, and squares of what matters do not underflow.
    let most = points.iter().fold(a.radius.max(b.radius), |most, point| most.max(point.abs().max_element()));
    let exponent = libm::frexp(most).1;
    let scaled = |point: DVec3| DVec3::from_array(point.to_array().map(|value| libm::ldexp(value, -exponent)));
    let [start_a, start_b, end_a, end_b] = points.map(scaled);
    let reach = libm::ldexp(a.radius, -exponent) + libm::ldexp(b.radius, -exponent);
    Ok(first_time(start_b - start_a, (end_b - end_a) - (start_b - start_a), reach))
}

/// When a point that starts at `start` and moves by `way` is first within `reach` of the origin.
fn first_time(start: DVec3, way: DVec3, reach: f64) -> Option<f64> {
    // Lengths by scaling again: a short way must not vanish when it is squared.
    let distance = length(start);
    if distance <= reach {
        return Some(0.0);
    }
    let speed = length(way);
    if speed == 0.0 {
        return None;
    }
    let direction = way / speed;
    let closing = -start.dot(direction);
    if closing <= 0.0 {
        return None;
    }
    let miss = length(start + closing * direction);
    if miss > reach {
        return None;
    }
    let half_chord = ((reach - miss) * (reach + miss)).sqrt();
    let time = (distance - reach) * (distance + reach) / (closing + half_chord) / speed;
    (time <= 1.0).then_some(time)
}

fn length(vector: DVec3) -> f64 {
    let most = vector.abs().max_element();
    if most > 1e-100 || most == 0.0 { vector.length() } else { (vector / most).length() * most }
}
