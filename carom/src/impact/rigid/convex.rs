//! When two convex bodies that move and turn first come near each other.
//!
//! The distance search finds the direction that separates the two best, and by how much. Along that direction, held
//! still in the world, the gap is followed until it is nearly closed or the time is over (`walk.rs`): proven, so no
//! contact is passed over. Then the distance is asked again, from where the last search ended. Along the best direction
//! the gap and its derivative are those of the distance, so the steps converge quadratically to a contact that is not
//! grazing, as Newton's do. The first step is to where balls around the centres meet, and after they part nothing does.
//! Stops: where the distance is what is asked and the tolerance, at the end of the time, or after the given steps, with a
//! time up to which all is proven.
//! Cost: 3 to 6 distances and as many pairs of supports. Source: conservative advancement as in Mirtich, Impulse-based
//! Dynamic Simulation (1996), with the step of the proven root in place of the one by the greatest speed.

use super::angle::sine_cosine;
use super::motion::{Course, Moment, Motion, core_reach, support_error};
use super::walk::{Gap, Question};
use super::{LocalImpact, Status, Terms};
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::feature::ROUNDING;
use crate::distance::minimum_norm::Cache;
use crate::distance::separation::{self, Relation, Separation};
use fearless_simd::{Simd, dispatch};
use glam::DVec3;

/// The first time at which the two are as near as asked; none if there is none.
pub(super) fn first_contact(
    a: &Convex<'_>,
    b: &Convex<'_>,
    motion: &Motion,
    terms: &Terms,
    cache: &mut Cache,
) -> Result<Option<LocalImpact>, SupportFault> {
    let reach = [core_reach(&a.core, motion.a.center)?, core_reach(&b.core, motion.b.center)?];
    let error =
        support_error(a, reach[0] + motion.a.center.length()) + support_error(b, reach[1] + motion.b.center.length());
    let size = reach[0] + reach[1] + a.radius + b.radius;
    let offset = motion.greatest_offset(terms.from, terms.until);
    let tolerance = terms.tolerance(size, offset, error);
    let aim = terms.gap + 0.5 * tolerance;
    let Some((from, until)) = near_times(motion, size + error + aim, terms) else { return Ok(None) };
    let slack = ROUNDING * (size + offset) + error;
    let pair = Pair { a, b, motion, reach, aim, near: terms.gap + tolerance, slack };
    dispatch!(crate::simd::level(), simd => pair.march(simd, from, until, terms.iterations, cache))
}

/// From when until when the centres are no farther apart than `reach`.
fn near_times(motion: &Motion, reach: f64, terms: &Terms) -> Option<(f64, f64)> {
    let Terms { from, until, .. } = *terms;
    let (start, way) = (motion.offset_at(from), motion.velocity);
    let excess = start.length_squared() - reach * reach;
    let closing = -start.dot(way);
    if excess > 0.0 && closing <= 0.0 {
        return None;
    }
    let speed_squared = way.length_squared();
    if speed_squared == 0.0 {
        return if excess > 0.0 { None } else { Some((from, until)) };
    }
    // The discriminant from the nearest point of the line, so that nothing cancels.
    let nearest = start + closing / speed_squared * way;
    let room = reach * reach - nearest.length_squared();
    if room < -1e-12 * reach * reach {
        return None;
    }
    let chord = (room.max(0.0) * speed_squared).sqrt();
    let doubt = 1e-12 * (closing.abs() + chord);
    let first = if excess > 0.0 { from + (excess / (closing + chord)) * (1.0 - 1e-12) } else { from };
    let last = until.min(from + (closing + chord + doubt) / speed_squared);
    // Not a number where the line hardly moves: then nothing is left out.
    let (first, last) = (if first.is_nan() { from } else { first }, if last.is_nan() { until } else { last });
    (first <= last).then_some((first, last))
}

struct Pair<'p> {
    a: &'p Convex<'p>,
    b: &'p Convex<'p>,
    motion: &'p Motion,
    /// How far the cores reach from the centres.
    reach: [f64; 2],
    /// What gaps are to come down to, and what is near enough.
    aim: f64,
    near: f64,
    /// How wrong a gap may be.
    slack: f64,
}

impl Pair<'_> {
    #[inline(always)]
    fn march<S: Simd>(
        &self,
        simd: S,
        from: f64,
        until: f64,
        iterations: u32,
        cache: &mut Cache,
    ) -> Result<Option<LocalImpact>, SupportFault> {
        let mut time = from;
        let mut normal = DVec3::ZERO;
        for step in 0..=iterations {
            let moment = self.motion.at(time);
            let found =
                separation::of_convex_wide(simd, self.a, self.b, &moment.b_in_a, f64::INFINITY, cache, &mut ())?;
            // Nothing is farther than infinity.
            let Some(found) = found else { return Ok(None) };
            let is_near = found.upper <= self.near;
            let is_stuck = found.relation == Relation::Overlapping || found.lower <= self.aim;
            if is_near || is_stuck || step == iterations {
                let status = match () {
                    () if time == 0.0 && (is_near || found.relation == Relation::Overlapping) => Status::AtStart,
                    () if is_near => Status::Hit,
                    () => Status::Early,
                };
                let along =
                    if found.normal == DVec3::ZERO { moment.turned_a.transpose() * normal } else { found.normal };
                return Ok(Some(impact(&found, time, status, along)));
            }
            normal = moment.turned_a * found.normal;
            let axis = Axis::new(self, normal);
            let gap = Gap {
                time,
                value: found.lower - self.aim,
                slope: self.slope(&moment, &found, normal),
                rate: axis.rate(self),
                bend: axis.bend(self),
            };
            let next = gap.open_until(until, &mut Along { simd, pair: self, axis: &axis })?;
            if next >= until {
                return Ok(None);
            }
            if next <= time {
                // Below the resolution of time.
                return Ok(Some(impact(&found, time, Status::Early, found.normal)));
            }
            time = next;
        }
        Ok(None)
    }

    /// How fast the closest points part.
    #[inline(always)]
    fn slope(&self, moment: &Moment, found: &Separation, normal: DVec3) -> f64 {
        let Motion { a, b, velocity, .. } = self.motion;
        let arm_a = moment.turned_a * (found.on_a - a.center);
        let arm_b = moment.turned_a * (found.on_b - a.center) - moment.offset;
        normal.dot(*velocity + b.spin().cross(arm_b) - a.spin().cross(arm_a))
    }
}

fn impact(found: &Separation, time: f64, status: Status, normal: DVec3) -> LocalImpact {
    let distance = found.distance;
    LocalImpact { status, time, distance, on_a: found.on_a, on_b: found.on_b, normal }
}

/// A direction of the world, held still while the bodies move.
struct Axis {
    normal: DVec3,
    a: Turned,
    b: Turned,
}

/// A direction of the world in the frame of a body that turns.
struct Turned {
    /// Along the body's axis, across it, and across both: turned by an angle it is `steady + cos · across - sin · beside`.
    steady: DVec3,
    across: DVec3,
    beside: DVec3,
    /// How much of the direction is across the axis.
    share: f64,
    speed: f64,
}

impl Turned {
    #[inline(always)]
    fn new(course: &Course, direction: DVec3) -> Self {
        let inward = course.start.transpose();
        if course.speed == 0.0 {
            let steady = inward * direction;
            return Self { steady, across: DVec3::ZERO, beside: DVec3::ZERO, share: 0.0, speed: 0.0 };
        }
        let steady = course.axis.dot(direction) * course.axis;
        let (across, beside) = (direction - steady, course.axis.cross(direction));
        Self {
            steady: inward * steady,
            across: inward * across,
            beside: inward * beside,
            share: beside.length(),
            speed: course.speed,
        }
    }

    #[inline(always)]
    fn at(&self, time: f64) -> DVec3 {
        if self.speed == 0.0 {
            return self.steady;
        }
        let (sine, cosine) = sine_cosine(self.speed * time);
        self.steady + cosine * self.across - sine * self.beside
    }

    /// How far a shape reaches along it from the centre at a time.
    #[inline(always)]
    fn reach<S: Simd>(&self, simd: S, convex: &Convex<'_>, center: DVec3, time: f64) -> Result<f64, SupportFault> {
        let direction = self.at(time);
        // A hull tells how far it reaches without telling where.
        let is_hull = matches!(convex.core, Core::Hull(_));
        let point = if is_hull { DVec3::ZERO } else { convex.core.support_from(direction, u32::MAX).0 };
        let along = convex.core.along(simd, direction, u32::MAX, point) - direction.dot(center) + convex.radius;
        if along.is_finite() { Ok(along) } else { Err(SupportFault { direction, value: point }) }
    }
}

impl Axis {
    #[inline(always)]
    fn new(pair: &Pair<'_>, normal: DVec3) -> Self {
        Self { normal, a: Turned::new(&pair.motion.a, normal), b: Turned::new(&pair.motion.b, -normal) }
    }

    /// A point at a distance r from its centre has the velocity w×r beside that of the centre: along the normal at most
    /// |w × normal| · r.
    #[inline(always)]
    fn rate(&self, pair: &Pair<'_>) -> f64 {
        let turning = self.a.speed * self.a.share * pair.reach[0] + self.b.speed * self.b.share * pair.reach[1];
        turning - self.normal.dot(pair.motion.velocity)
    }

    /// And the acceleration w×(w×r).
    #[inline(always)]
    fn bend(&self, pair: &Pair<'_>) -> f64 {
        let of = |turned: &Turned, reach: f64| turned.speed * turned.speed * turned.share * reach;
        of(&self.a, pair.reach[0]) + of(&self.b, pair.reach[1])
    }
}

/// The gap along an axis, less what is aimed at, to be asked at times.
struct Along<'p, S> {
    simd: S,
    pair: &'p Pair<'p>,
    axis: &'p Axis,
}

impl<S: Simd> Question for Along<'_, S> {
    type Fault = SupportFault;

    #[inline(always)]
    fn ask(&mut self, time: f64) -> Result<f64, SupportFault> {
        let Self { simd, pair, axis } = *self;
        let of_a = axis.a.reach(simd, pair.a, pair.motion.a.center, time)?;
        let of_b = axis.b.reach(simd, pair.b, pair.motion.b.center, time)?;
        Ok(axis.normal.dot(pair.motion.offset_at(time)) - of_a - of_b - pair.slack - pair.aim)
    }
}
