//! When a body comes near another that is made of many pieces: the earliest of the pieces'.
//!
//! A stretch of time is looked at with the box around the moving body all along it, seen from the pieces: the boxes of
//! its ends, grown by how far points can stray from the chords of their paths. Only pieces in that box can be met. If
//! there are many, half the stretch is looked at first; where there are none, twice as much next. The stretches come in
//! the order of time, so the first impact that is found in one ends the search with the stretch.
//! Cost: a walk through the tree of the pieces for each stretch, and the few pairs that are left.

use super::motion::{Motion, form_reach};
use super::{LocalImpact, Status, Terms, of_forms};
use crate::bounds::Aabb;
use crate::query::QueryError;
use crate::query::cast_pieces::outline;
use crate::query::form::{Form, Pieces};
use glam::DVec3;

/// A stretch with so few pieces is not cut further.
const FEW: usize = 12;

pub(super) fn first_contact(
    a: &Pieces<'_>,
    b: &Form<'_>,
    motion: &Motion,
    terms: &Terms,
) -> Result<Option<LocalImpact>, QueryError> {
    let reach = form_reach(b, motion.b.center)?;
    let (mut time, mut length) = (terms.from, terms.until - terms.from);
    loop {
        let end = (time + length).min(terms.until);
        let Some(stretch) = Stretch::new(b, motion, reach, terms, [time, end])? else { return Ok(None) };
        if stretch.is_long && count_up_to(a, &stretch.bounds, FEW + 1)? > FEW {
            length *= 0.5;
            continue;
        }
        let mut best: Option<LocalImpact> = None;
        a.visit_near(&stretch.bounds, f64::MIN_POSITIVE, |piece, placement, limit| {
            let until = best.map_or(end, |best| best.time);
            let terms = Terms { from: time, until, ..*terms };
            if let Some(found) = of_forms(&piece, b, &motion.of_part(&placement), &terms)? {
                let found = found.placed(&placement);
                best = Some(best.map_or(found, |best| best.earlier(found)));
            }
            let is_over = best.is_some_and(|best| best.status == Status::AtStart);
            Ok::<f64, QueryError>(if is_over { 0.0 } else { limit })
        })?;
        if best.is_some() || end >= terms.until {
            return Ok(best);
        }
        (time, length) = (end, 2.0 * length);
    }
}

/// The way of a body in some of the time, seen from another.
struct Stretch {
    bounds: Aabb,
    /// Whether half of it would be much smaller.
    is_long: bool,
}

impl Stretch {
    /// None for a half-space, which has no bounds; it comes first in every pair.
    fn new(
        b: &Form<'_>,
        motion: &Motion,
        reach: f64,
        terms: &Terms,
        [from, until]: [f64; 2],
    ) -> Result<Option<Self>, QueryError> {
        let length = until - from;
        let offset = motion.greatest_offset(from, until);
        let (speed, bend) = motion.rates_of_second(reach, offset, 1.0);
        let stray = (0.125 * bend * length * length).min(0.5 * speed * length);
        let ends = (outline(b, &motion.at(from).b_in_a)?, outline(b, &motion.at(until).b_in_a)?);
        let (Some(first), Some(last)) = ends else { return Ok(None) };
        let around = |bounds: &Aabb| (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        let ((min, max), (last_min, last_max)) = (around(&first), around(&last));
        let size = (max - min).length();
        let tolerance = terms.tolerance(2.0 * size, offset, 1e-6 * size);
        let margin = DVec3::splat(stray + terms.gap + tolerance);
        let bounds = Aabb::rounded_outward(min.min(last_min) - margin, max.max(last_max) + margin);
        Ok(Some(Self { bounds, is_long: speed * length > 0.25 * (size + terms.gap) + tolerance }))
    }
}

/// How many pieces meet a box; not counted beyond `most`.
fn count_up_to(pieces: &Pieces<'_>, bounds: &Aabb, most: usize) -> Result<usize, QueryError> {
    let mut count = 0;
    pieces.visit_near(bounds, f64::MIN_POSITIVE, |_, _, limit| {
        count += 1;
        Ok::<f64, QueryError>(if count >= most { 0.0 } else { limit })
    })?;
    Ok(count)
}
