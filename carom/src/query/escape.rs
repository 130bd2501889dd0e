//! How a shape gets out of a compound: a move that frees it from all parts at once.
//!
//! The two parts that are deepest in each other bound the depth from below: they must part, whatever the others do. Their
//! own way out need not be one, since it may lead into the next part: a ball between two walls. So moves are tried, and a
//! move counts only if all parts are found apart after it. Directions: those in which the parts that overlap would leave
//! each other, deepest first, their sum, from middle to middle, and the axes. Along each the shape goes out until it is
//! free, then back as far as its distance allows until it touches; the normal there is the next direction.
//! Stops: 24 directions, 24 trials outward and 64 steps back for each. The way that is found is mostly the shortest; where
//! it is not, the lower bound says so. Cost: a distance of the two for each trial and step.

use super::QueryError;
use super::form::Form;
use super::pairs;
use crate::distance::placement::Placement;
use crate::distance::separation::{Relation, Separation, Stop};
use crate::distance::signed::{Cache, Signed};
use glam::DVec3;

const MOST_DIRECTIONS: usize = 24;
/// Cosine of the angle within which directions are one.
const ALIKE: f64 = 0.9999;

/// The way of `b` out of `a`, in the frame of `a`, from what was found of its parts and the deepest of them. Neither is a
/// half-space.
pub(super) fn from_parts(
    a: &Form<'_>,
    b: &Form<'_>,
    b_in_a: &Placement,
    deepest: &Signed,
    mut parts: Vec<Signed>,
) -> Result<Signed, QueryError> {
    let lower = -deepest.upper;
    let pair = Pair { a, b, b_in_a };
    // Mostly one way leads out of all, and a little farther all are found apart.
    let enough = -deepest.lower * (1.0 + 1e-9) + pair.rounding()?;
    if pair.apart(deepest.normal, enough)?.is_some() {
        return Ok(Signed { lower: -enough, stop: Stop::of_bounds(lower, enough), ..*deepest });
    }
    parts.retain(|part| part.distance < 0.0);
    parts.sort_by(|one, other| one.distance.total_cmp(&other.distance));
    let sum: DVec3 = parts.iter().map(|part| -part.distance * part.normal).sum();
    let [middle_a, middle_b] = pair.middles()?;
    let axes = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
    let offered = [sum, middle_b - middle_a].into_iter().chain(axes);
    let mut directions: Vec<DVec3> = Vec::new();
    for direction in parts.iter().map(|part| part.normal).take(MOST_DIRECTIONS - 8).chain(offered) {
        if let Some(unit) = direction.try_normalize()
            && directions.iter().all(|known| known.dot(unit) < ALIKE)
        {
            directions.push(unit);
        }
    }
    let mut best: Option<(f64, DVec3, Separation)> = None;
    for start in directions {
        let mut direction = start;
        for _ in 0..6 {
            let most = best.as_ref().map_or(f64::INFINITY, |best| best.0);
            let Some((length, touching)) = pair.way_along(direction, lower.max(0.0), most)? else { break };
            best = Some((length, direction, touching));
            let Some(normal) = touching.normal.try_normalize() else { break };
            if normal.dot(direction) > 1.0 - 1e-12 {
                break;
            }
            direction = normal;
        }
    }
    // Beyond the boxes of both every direction leads out, so there is a best.
    let Some((length, normal, touching)) = best else { return Err(QueryError::Undecided { upper: 0.0 }) };
    Ok(Signed {
        normal,
        distance: -length,
        on_a: touching.on_a,
        on_b: touching.on_b - length * normal,
        lower: -length,
        upper: -lower.min(length),
        stop: Stop::of_bounds(lower, length),
    })
}

struct Pair<'p> {
    a: &'p Form<'p>,
    b: &'p Form<'p>,
    b_in_a: &'p Placement,
}

impl Pair<'_> {
    /// What is between them after a move, if they are proven to be apart then.
    fn apart(&self, direction: DVec3, length: f64) -> Result<Option<Separation>, QueryError> {
        let moved = Placement { position: self.b_in_a.position + length * direction, ..*self.b_in_a };
        let found = pairs::separation(self.a, self.b, &moved, f64::INFINITY, &mut Cache::default(), &mut ())?;
        Ok(found.filter(|found| found.relation == Relation::Apart))
    }

    /// The boxes around both, as middles and halves.
    fn boxes(&self) -> Result<[(DVec3, DVec3); 2], QueryError> {
        let around = |form: &Form<'_>, placement: &Placement| -> Result<(DVec3, DVec3), QueryError> {
            let bounds = form.bounds(placement)?;
            let ends =
                bounds.map_or((DVec3::ZERO, DVec3::ZERO), |bounds| (bounds.min.as_dvec3(), bounds.max.as_dvec3()));
            Ok((0.5 * (ends.0 + ends.1), 0.5 * (ends.1 - ends.0)))
        };
        Ok([around(self.a, &Placement::IDENTITY)?, around(self.b, self.b_in_a)?])
    }

    fn middles(&self) -> Result<[DVec3; 2], QueryError> {
        Ok(self.boxes()?.map(|(middle, _)| middle))
    }

    /// What distances of the two may be off by, and contact is told from.
    fn rounding(&self) -> Result<f64, QueryError> {
        let reach: f64 = self.boxes()?.iter().map(|(middle, half)| middle.length() + half.length()).sum();
        Ok(4e-12 * reach)
    }

    /// The way out along a direction and what is between the two at its end, if it is shorter than `most`.
    fn way_along(&self, direction: DVec3, lower: f64, most: f64) -> Result<Option<(f64, Separation)>, QueryError> {
        let [(middle_a, half_a), (middle_b, half_b)] = self.boxes()?;
        let reach = direction.dot(middle_a - middle_b) + direction.abs().dot(half_a + half_b);
        let rounding = self.rounding()?;
        // So far their boxes are apart.
        let whole = reach.max(0.0) * (1.0 + 1e-6) + rounding;
        let mut length = (lower * (1.0 + 1e-9) + rounding).max(1e-3 * whole).min(whole);
        let mut found = None;
        for _ in 0..MOST_DIRECTIONS {
            // What is as long as the best way is of no use.
            length = length.min(most * (1.0 - 1e-9));
            found = self.apart(direction, length)?;
            if found.is_some() || length >= whole || length >= most * (1.0 - 1e-8) {
                break;
            }
            length = (1.5 * length).min(whole);
        }
        let Some(mut touching) = found else { return Ok(None) };
        for _ in 0..64 {
            // No place on the way back is nearer to anything than by this; a little before it they are still apart.
            if touching.lower <= rounding {
                break;
            }
            let next = (length - 0.999 * touching.lower).max(0.0);
            let Some(nearer) = self.apart(direction, next)? else { break };
            (length, touching) = (next, nearer);
        }
        Ok((length < most).then_some((length, touching)))
    }
}
