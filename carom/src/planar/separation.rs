//! What is told of two figures, and the numbers that it is computed with: corners seen from one of them, in a unit in
//! which no square overflows or vanishes.

use super::Figure;
use glam::DVec2;

/// How much a bound may be off in [`Cores::unit`]s: some ninety roundings, where ten are done.
pub(super) const SLACK: f64 = 2e-14;

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
    /// Proven, rounding included: the distance is no less. A move by its negative along the normal frees figures that
    /// overlap.
    pub lower: f64,
    /// Proven, rounding included: the distance is no more.
    pub upper: f64,
    /// What is proven.
    pub status: Status,
}

/// What is proven of two figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Status {
    /// They have no point in common: the first is behind this line, the second before it.
    Separated(Line),
    /// They come so close that f64 cannot tell whether they touch.
    Touching,
    /// They have this point in common, to within rounding.
    Overlapping(DVec2),
    /// The search ended before its bounds met. They hold all the same.
    IterationLimit,
}

/// A line of the plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// A point of it.
    pub point: DVec2,
    /// The unit direction across it.
    pub normal: DVec2,
}

impl Line {
    /// How far a point is before the line; negative behind it.
    pub fn height(&self, point: DVec2) -> f64 {
        self.normal.dot(point - self.point)
    }
}

/// The corners of two figures seen from the first of all and divided by the unit, a power of two that is as large as the
/// largest of them: both is exact, but for a rounding where they are far from each other.
#[derive(Debug)]
pub(super) struct Cores<'a> {
    figures: [&'a Figure; 2],
    pub(super) a: Vec<DVec2>,
    pub(super) b: Vec<DVec2>,
    origin: DVec2,
    unit: f64,
}

/// What a method has found of two cores, in their unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) normal: DVec2,
    pub(super) distance: f64,
    pub(super) on_a: DVec2,
    pub(super) on_b: DVec2,
    /// Bounds but for rounding.
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// A point of both cores, if they have one.
    pub(super) common: Option<DVec2>,
    /// The bounds have met, or rounding has left nothing to gain.
    pub(super) has_ended: bool,
}

impl<'a> Cores<'a> {
    pub(super) fn of(a: &'a Figure, b: &'a Figure) -> Self {
        let origin = a.corners[0];
        let unit = unit_of(a.corners.iter().chain(&b.corners).map(|corner| *corner - origin));
        let seen = |figure: &Figure| figure.corners.iter().map(|corner| (*corner - origin) / unit).collect();
        Self { figures: [a, b], a: seen(a), b: seen(b), origin, unit }
    }

    pub(super) fn place(&self, point: DVec2) -> DVec2 {
        self.origin + self.unit * point
    }

    /// A point of the difference of the cores, or a length, as it is in the plane.
    pub(super) fn difference(&self, difference: DVec2) -> DVec2 {
        self.unit * difference
    }

    pub(super) fn length(&self, length: f64) -> f64 {
        self.unit * length
    }

    /// The answer for the grown figures. Growing takes the radii off every gap, so it never changes which direction is
    /// best.
    pub(super) fn separation(&self, found: &Found) -> Separation {
        let [a, b] = self.figures;
        let radius = a.radius + b.radius;
        let slack = self.unit * SLACK + 8.0 * f64::EPSILON * (radius + self.unit * found.distance.abs());
        let lower = self.unit * found.lower - radius - slack;
        let upper = self.unit * found.upper - radius + slack;
        let (on_a, on_b) = (self.place(found.on_a), self.place(found.on_b));
        let normal = found.normal;
        let status = if !found.has_ended {
            Status::IterationLimit
        } else if lower > 0.0
            && let Some(line) = self.line(normal)
        {
            Status::Separated(line)
        } else if upper < 0.0 {
            // Cores that are apart by less than the radii: a share of the way is in both.
            let share = if radius > 0.0 { a.radius / radius } else { 0.5 };
            Status::Overlapping(found.common.map_or(on_a.lerp(on_b, share), |common| self.place(common)))
        } else {
            Status::Touching
        };
        let distance = (self.unit * found.distance - radius).clamp(lower, upper.max(lower));
        Separation {
            normal,
            distance,
            on_a: on_a + a.radius * normal,
            on_b: on_b - b.radius * normal,
            lower,
            upper,
            status,
        }
    }

    /// The line half way between the figures across a direction, if it is between them as numbers go.
    fn line(&self, normal: DVec2) -> Option<Line> {
        let [a, b] = self.figures;
        let (high, low) = (a.farthest(normal) + a.radius * normal, b.farthest(-normal) - b.radius * normal);
        let line = Line { point: high + 0.5 * normal.dot(low - high) * normal, normal };
        let is_clear = |figure: &Figure, side: f64| {
            figure.corners.iter().all(|corner| {
                let rounding = 4.0 * f64::EPSILON * (corner.distance(line.point) + figure.radius);
                side * line.height(*corner) - figure.radius > rounding
            })
        };
        (is_clear(a, -1.0) && is_clear(b, 1.0)).then_some(line)
    }
}

/// A power of two that is as large as the largest of the coordinates, but for a factor of two; the least there is for none
/// but zeros.
pub(super) fn unit_of(points: impl Iterator<Item = DVec2>) -> f64 {
    let most = points.fold(f64::MIN_POSITIVE, |most: f64, point| most.max(point.abs().max_element()));
    libm::ldexp(1.0, libm::frexp(most).1 - 1)
}

#[cfg(test)]
mod tests {
    use super::unit_of;
    use glam::DVec2;

    #[test]
    fn units_are_powers_of_two_just_below() {
        for size in [1e-320, f64::MIN_POSITIVE, 1e-150, 0.75, 1.0, 3.0, 1e150] {
            let unit = unit_of([DVec2::new(0.0, -size)].into_iter());
            assert!(unit.to_bits().trailing_zeros() >= 52 && unit >= f64::MIN_POSITIVE);
            assert!(size / unit < 2.0 && (size / unit >= 1.0 || unit == f64::MIN_POSITIVE), "{size:e}");
        }
    }
}
