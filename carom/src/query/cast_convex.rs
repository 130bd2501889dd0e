//! When one convex shape, moving along a line, comes near another.
//!
//! The distance along the way is a convex function of time, and the plane that separates the shapes best is its tangent:
//! at no time are the shapes nearer than along that plane's normal. So the time at which that bound comes down to what
//! is asked is never after the first contact; stepping there again and again is Newton's method from the left, which
//! converges quadratically to a hit, by half a step at a grazing one, and proves a miss once the planes part.
//! Stops: where the proven upper bound of the distance is what is asked and the tolerance, on a miss, or after 200 steps.
//! Sharp shapes stop at 5e-6 of their size, nearer than which a distance has too few digits for a direction, and go on by
//! one step more, along the last plane, to 1e-9: safe by that plane, and nearly always as near.
//! The first step is to where balls around the two meet, the next to where the distance search on the way ends
//! (`distance/moving.rs`). A ball against a ball or a capsule is a quadratic equation.
//! Cost: that search and 1 or 2 distances, each from where the last ended. Source: conservative advancement as in van den Bergen, Ray
//! Casting against General Convex Objects with Application to Continuous Collision Detection (2004), here with the best
//! plane at each step instead of the last simplex's, and with proven bounds.

use super::QueryError;
use super::cast::{Approach, LocalImpact, Parting, Status, Terms, tolerance};
use super::ray::LocalRay;
use super::ray_convex;
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::feature;
use crate::distance::moving::{self, Advance, Near};
use crate::distance::placement::Placement;
use crate::distance::separation::{self, Relation, Separation, Stop};
use crate::distance::signed::{self, Cache};
use crate::distance::simplex::Difference;
use fearless_simd::dispatch;
use glam::DVec3;

const STEP_LIMIT: usize = 200;

pub(super) fn cast(
    a: &Convex<'_>,
    b: &Convex<'_>,
    approach: &Approach,
    terms: &Terms,
) -> Result<Option<LocalImpact>, QueryError> {
    let (reach_a, reach_b) = (a.core.reach()?, b.core.reach()?);
    let reach = reach_a + reach_b + a.radius + b.radius;
    let support_error = a.core.support_error(reach_a) + b.core.support_error(reach_b);
    let fine = tolerance(reach, approach, terms.within) + 8.0 * support_error;
    let has_closed_form = a.core.corners().is_some() && b.core.corners().is_some();
    let is_sharp = a.radius + b.radius + terms.within < 1e-5 * reach && !has_closed_form;
    let tolerance = if is_sharp { fine + 5e-6 * reach } else { fine };
    let aim = terms.within + 0.5 * fine;
    let Some(Entry { time, outlook }) = ball_entry(a, b, approach, aim, terms.limit)? else { return Ok(None) };
    let pair = Moving { a, b, approach, terms, tolerance, fine, entry: time, outlook, reach };
    if matches!(b.core, Core::Point) {
        return pair.ball_onto_first();
    }
    if matches!(a.core, Core::Point) {
        let mirrored = approach.mirrored();
        let outlook = approach.b_in_a.direction_to_inner(-outlook);
        let found = Moving { a: b, b: a, approach: &mirrored, outlook, ..pair }.ball_onto_first()?;
        return Ok(found.map(|found| found.mirrored(&mirrored)));
    }
    pair.march_by_search()
}

/// When balls around two shapes meet.
struct Entry {
    time: f64,
    /// From the middle of the first to that of the second about where they themselves meet, or pass.
    outlook: DVec3,
}

/// When balls around the two come as near as `aim`: never after the shapes do. None if they do not until `limit`.
fn ball_entry(
    a: &Convex<'_>,
    b: &Convex<'_>,
    approach: &Approach,
    aim: f64,
    limit: f64,
) -> Result<Option<Entry>, SupportFault> {
    let ((center_a, radius_a), (center_b, radius_b)) = (ball_around(a)?, ball_around(b)?);
    let start = if center_b == DVec3::ZERO {
        approach.b_in_a.position - center_a
    } else {
        approach.b_in_a.point_to_outer(center_b) - center_a
    };
    let (way, reach) = (approach.velocity, radius_a + radius_b + aim);
    let excess = start.length_squared() - reach * reach;
    if excess <= 0.0 {
        return Ok(Some(Entry { time: 0.0, outlook: start }));
    }
    let (speed_squared, closing) = (way.length_squared(), -start.dot(way));
    if closing <= 0.0 {
        return Ok(None);
    }
    // The line passes the middle by |start × way| / |way|, so nothing cancels that the squares of the lengths would.
    let reach_squared = reach * reach * speed_squared;
    let chord = reach_squared - start.cross(way).length_squared();
    // Grazing counts, rounding included; NaN, from a line that hardly moves, is decided by the other tests.
    if chord < -1e-12 * reach_squared {
        return Ok(None);
    }
    let entry = excess / (closing + chord.max(0.0).sqrt()) * (1.0 - 1e-14);
    let time = if entry.is_nan() { 0.0 } else { entry };
    // Shapes meet between where balls around them do and where balls inside of them do.
    let inside = a.core.inner_ball().map_or(0.0, |(_, radius)| radius)
        + a.radius
        + b.core.inner_ball().map_or(0.0, |(_, radius)| radius)
        + b.radius;
    let middle = 0.5 * (reach + inside);
    let deeper = (chord - (reach * reach - middle * middle) * speed_squared).max(0.0);
    let outlook = start + ((closing - deeper.sqrt()) / speed_squared) * way;
    Ok(Some(Entry { time, outlook }).filter(|entry| entry.time <= limit))
}

/// A ball around a shape: around its own middle where that is not the origin.
fn ball_around(convex: &Convex<'_>) -> Result<(DVec3, f64), SupportFault> {
    let (center, reach) = match convex.core {
        Core::Segment([a, b]) => (0.5 * (a + b), 0.5 * a.distance(b)),
        Core::Triangle(corners) => {
            let [a, b, c] = corners;
            let center = (a + b + c) / 3.0;
            let reach = center.distance_squared(a).max(center.distance_squared(b)).max(center.distance_squared(c));
            (center, reach.sqrt())
        }
        Core::Point
        | Core::Cuboid(_)
        | Core::Cylinder { .. }
        | Core::Cone { .. }
        | Core::Ellipsoid(_)
        | Core::Hull(_)
        | Core::Custom(_) => (DVec3::ZERO, convex.core.reach()?),
    };
    Ok((center, reach * (1.0 + 1e-14) + convex.radius))
}

/// Two convex shapes of which the second moves.
#[derive(Clone, Copy)]
struct Moving<'p> {
    a: &'p Convex<'p>,
    b: &'p Convex<'p>,
    approach: &'p Approach,
    terms: &'p Terms,
    /// How much farther than asked they may be when the steps end.
    tolerance: f64,
    /// And when the impact is found.
    fine: f64,
    /// Proven: before this time they are not as near as is aimed at.
    entry: f64,
    /// From the middle of the first to that of the second about where they meet, or pass.
    outlook: DVec3,
    /// The size of the two together.
    reach: f64,
}

impl Moving<'_> {
    /// How near the lower bound is to come in the end.
    fn aim(&self) -> f64 {
        self.terms.within + 0.5 * self.fine
    }

    /// The second shape is a ball.
    fn ball_onto_first(&self) -> Result<Option<LocalImpact>, QueryError> {
        match self.a.core {
            Core::Point => self.ball_onto_ball(),
            Core::Segment(ends) => self.ball_onto_segment(ends),
            Core::Cuboid(half) => self.march(|b_in_a| Ok(Some(self.cuboid_to_ball(half, b_in_a.position)))),
            Core::Triangle(_)
            | Core::Cylinder { .. }
            | Core::Cone { .. }
            | Core::Ellipsoid(_)
            | Core::Hull(_)
            | Core::Custom(_) => self.march_by_search(),
        }
    }

    /// The balls around them are the two themselves.
    fn ball_onto_ball(&self) -> Result<Option<LocalImpact>, QueryError> {
        if self.entry == 0.0 {
            return self.at_start();
        }
        let center = self.approach.b_in_a.position + self.entry * self.approach.velocity;
        let length = center.length();
        let normal = center / length;
        Ok(Some(LocalImpact {
            status: Status::Hit,
            time: self.entry,
            distance: length - self.a.radius - self.b.radius,
            on_a: self.a.radius * normal,
            on_b: center - self.b.radius * normal,
            normal,
        }))
    }

    /// Where a ray meets a capsule around the segment.
    fn ball_onto_segment(&self, ends: [DVec3; 2]) -> Result<Option<LocalImpact>, QueryError> {
        let (start, speed) = (self.approach.b_in_a.position, self.approach.velocity.length());
        let radius = self.a.radius + self.b.radius + self.aim();
        if feature::point_edge(start, ends).distance() <= radius {
            return self.at_start();
        }
        if speed == 0.0 {
            return Ok(None);
        }
        let direction = self.approach.velocity / speed;
        let ray = LocalRay { origin: start, direction, max_distance: self.terms.limit * speed };
        let hit = ray_convex::cast(&Convex { core: Core::Segment(ends), radius }, &ray)?;
        Ok(hit.map(|hit| {
            let center = ray.at(hit.distance);
            let pair = feature::point_edge(center, ends);
            let normal = (center - pair.on_b).normalize_or(hit.normal);
            LocalImpact {
                status: Status::Hit,
                time: (hit.distance / speed).min(self.terms.limit),
                distance: pair.distance() - self.a.radius - self.b.radius,
                on_a: pair.on_b + self.a.radius * normal,
                on_b: center - self.b.radius * normal,
                normal,
            }
        }))
    }

    /// The separation of a ball from a box.
    fn cuboid_to_ball(&self, half: DVec3, center: DVec3) -> Separation {
        let on_core = center.clamp(-half, half);
        let length = on_core.distance(center);
        let distance = length - self.a.radius - self.b.radius;
        let slack = feature::ROUNDING * (half.length() + center.length());
        if distance <= slack {
            return Separation::overlapping(center, (distance + slack).max(0.0));
        }
        let normal = (center - on_core) / length;
        Separation {
            on_a: on_core + self.a.radius * normal,
            on_b: center - self.b.radius * normal,
            normal,
            distance,
            lower: distance - slack,
            upper: distance + slack,
            relation: Relation::Apart,
            stop: Stop::Converged,
        }
    }

    fn march_by_search(&self) -> Result<Option<LocalImpact>, QueryError> {
        let mut cache = Cache::default();
        let Some(Advance { time, found }) = self.search_on_the_way(&mut cache)? else { return Ok(None) };
        if let Some(near) = found
            && time > 0.0
            && let Some(found) = self.settled(&near, time)
        {
            return Ok(self.end(&found, time, true, found.normal));
        }
        let later = Moving { entry: time, ..*self };
        later.march(|b_in_a| separation::of_convex_traced(self.a, self.b, b_in_a, f64::INFINITY, &mut cache, &mut ()))
    }

    /// What the search on the way has found, if its bounds have met and are near.
    fn settled(&self, near: &Near, time: f64) -> Option<Separation> {
        let radius = self.a.radius + self.b.radius;
        let place = self.approach.b_in_a.position.abs() + time * self.approach.velocity.abs();
        let slack = feature::ROUNDING * (self.reach + place.element_sum());
        let (lower, upper) = (near.lower - radius - slack, near.upper - radius + slack);
        let is_settled = lower > 0.0 && upper - lower <= self.fine && upper <= self.terms.within + self.tolerance;
        is_settled.then(|| Separation {
            on_a: near.pair.on_a - self.a.radius * near.normal,
            on_b: near.pair.on_b + self.b.radius * near.normal,
            normal: -near.normal,
            distance: (near.upper - radius).max(lower),
            lower: lower.min(upper),
            upper,
            relation: Relation::Apart,
            stop: Stop::Converged,
        })
    }

    /// Until when they are proven to be farther apart, so near to the impact that little is left to do; none if there is
    /// no impact.
    fn search_on_the_way(&self, cache: &mut Cache) -> Result<Option<Advance>, SupportFault> {
        let is_quick = |core: &Core<'_>| match core {
            Core::Cuboid(_) | Core::Hull(_) | Core::Cylinder { .. } | Core::Cone { .. } | Core::Ellipsoid(_) => true,
            // Closed forms are as quick, and users' maps have too few digits.
            Core::Point | Core::Segment(_) | Core::Triangle(_) | Core::Custom(_) => false,
        };
        let is_any = is_quick(&self.a.core) || is_quick(&self.b.core);
        let is_custom = |core: &Core<'_>| matches!(core, Core::Custom(_));
        if !is_any || is_custom(&self.a.core) || is_custom(&self.b.core) || self.has_exact_distance() {
            return Ok(Some(Advance { time: self.entry, found: None }));
        }
        let radius = self.a.radius + self.b.radius;
        let approach = moving::Approach {
            velocity: self.approach.velocity,
            limit: self.terms.limit - self.entry,
            aim: radius + self.terms.within + 0.5 * self.tolerance,
            near: radius + self.terms.within + self.tolerance,
            outlook: self.outlook,
        };
        let b_in_a = self.approach.at(self.entry);
        let mut difference = Difference::new(self.a, self.b, &b_in_a);
        let level = crate::simd::level();
        let advance = dispatch!(level, simd => moving::free_until(simd, &mut difference, &approach, cache))?;
        let advance = advance.map(|advance| Advance { time: self.entry + advance.time, ..advance });
        Ok(advance.filter(|advance| advance.time <= self.terms.limit))
    }

    /// A segment and a box, which need no search.
    fn has_exact_distance(&self) -> bool {
        matches!(
            (&self.a.core, &self.b.core),
            (Core::Cuboid(_), Core::Segment(_)) | (Core::Segment(_), Core::Cuboid(_))
        )
    }

    /// Newton's steps with the separation at each time.
    fn march(
        &self,
        mut separation: impl FnMut(&Placement) -> Result<Option<Separation>, SupportFault>,
    ) -> Result<Option<LocalImpact>, QueryError> {
        let (aim, near) = (self.terms.within + 0.5 * self.tolerance, self.terms.within + self.tolerance);
        let mut time = self.entry;
        let mut last: Option<(Separation, f64)> = None;
        for _ in 0..STEP_LIMIT {
            // Nothing is farther than infinity.
            let Some(found) = separation(&self.approach.at(time))? else { return Ok(None) };
            if found.relation == Relation::Overlapping || found.lower <= aim {
                if time == 0.0 {
                    return self.at_start();
                }
                let along = last.map_or(found.normal, |(last, _)| last.normal);
                let normal = if found.normal == DVec3::ZERO { along } else { found.normal };
                return Ok(self.end(&found, time, found.upper <= near, normal));
            }
            if found.upper <= near && time > 0.0 {
                return Ok(self.end(&found, time, true, found.normal));
            }
            let closing = -self.approach.velocity.dot(found.normal);
            let next = time + (found.lower - aim) / closing;
            // The planes part, or come near too late.
            if closing <= 0.0 || next > self.terms.limit {
                return Ok(None);
            }
            last = Some((found, time));
            if next <= time {
                // The step is below the resolution of time.
                return Ok(self.end(&found, time, true, found.normal));
            }
            time = next;
        }
        Ok(last.and_then(|(found, time)| self.end(&found, time, false, found.normal)))
    }

    /// The impact, after one step more along the plane with this normal if that is of use.
    fn end(&self, found: &Separation, time: f64, is_hit: bool, normal: DVec3) -> Option<LocalImpact> {
        let closing = -self.approach.velocity.dot(normal);
        let step = (found.lower - self.aim()) / closing;
        let is_further = is_hit && found.relation == Relation::Apart && closing > 0.0 && step > 0.0;
        if is_further && time + step > self.terms.limit {
            // Until the limit they are proven to be farther apart.
            return None;
        }
        let moved = found.on_b + step * self.approach.velocity;
        let gap = moved.distance(found.on_a);
        let is_nearer = is_further && gap <= self.terms.within + 2.0 * self.tolerance;
        let (time, on_b) = if is_nearer { (time + step, moved) } else { (time, found.on_b) };
        Some(LocalImpact {
            status: if is_hit { Status::Hit } else { Status::Undecided },
            time,
            distance: if is_nearer { gap } else { found.on_a.distance(on_b) },
            on_a: found.on_a,
            on_b,
            normal,
        })
    }

    /// As near as asked already, or so near that one step along the plane tells: the depth tells where.
    fn at_start(&self) -> Result<Option<LocalImpact>, QueryError> {
        let found = signed::signed(self.a, self.b, &self.approach.b_in_a, f64::INFINITY, &mut Cache::default())?;
        let Some(found) = found else { return Ok(None) };
        let velocity = self.approach.velocity;
        let closing = -velocity.dot(found.normal);
        let step = (found.lower - self.aim()) / closing;
        let is_apart = found.lower > self.aim() && found.distance > self.terms.within + self.fine;
        let is_parting = closing <= 1e-9 * velocity.length() && self.terms.parting == Parting::IsIgnored;
        if is_parting || is_apart && (closing <= 0.0 || step > self.terms.limit) {
            return Ok(None);
        }
        let time = if is_apart { step } else { 0.0 };
        let on_b = found.on_b + time * velocity;
        Ok(Some(LocalImpact {
            status: if is_apart { Status::Hit } else { Status::AtStart },
            time,
            distance: if is_apart { found.on_a.distance(on_b) } else { found.distance },
            on_a: found.on_a,
            on_b,
            normal: found.normal,
        }))
    }
}
