//! Casts with shapes of many pieces: the earliest impact of any piece.
//!
//! The box of what moves is swept along the way; pieces whose boxes it meets are asked in the order in which it meets
//! them, mostly, until it meets the next later than the best impact so far, or pieces do not reach to where the moving
//! shape has come along the normal of that impact. Meshes have a tree for it; a height field is
//! followed strip by strip along the axis on which more cells are crossed, as in `height_field.rs`; the parts of a
//! compound are gone through. Of two shapes of many pieces, each piece of the one that comes up is cast on its own.

use super::QueryError;
use super::cast::{Approach, LocalImpact, Terms, of_forms, tolerance};
use super::form::{Form, Pieces};
use crate::bounds::Aabb;
use crate::bounds::box_sweep::BoxSweep;
use crate::distance::convex::{Convex, Core, SupportFault};
use crate::distance::placement::Placement;
use crate::distance::separation;
use crate::mesh_tree::SweptLimit;
use crate::shape::HeightField;
use glam::{DVec3, Vec3};

pub(super) fn cast(
    a: &Pieces<'_>,
    b: &Form<'_>,
    approach: &Approach,
    terms: &Terms,
) -> Result<Option<LocalImpact>, QueryError> {
    let mut best = Best { b, approach, terms, found: None, cut: None, fault: None };
    let Some(bounds) = outline(b, &approach.b_in_a)? else {
        // A half-space meets everything.
        for index in 0..a.count() {
            let (form, placement) = a.piece(index);
            best.offer(&form, &placement);
        }
        return best.end();
    };
    let size = (bounds.max.as_dvec3() - bounds.min.as_dvec3()).length();
    let margin = terms.within + tolerance(size, approach, terms.within);
    let sweep = BoxSweep::of_box(&bounds, margin, approach.velocity);
    match a {
        Pieces::Mesh(mesh) => {
            mesh.tree().visit_swept(&sweep, SweptLimit::until(terms.limit), |slot| {
                best.offer_triangle(slot.corners(mesh.vertices()));
                best.swept_limit()
            });
        }
        Pieces::HeightField(field) => over_field(field, &sweep, terms.limit, |corners| best.offer_triangle(corners)),
        Pieces::Compound(compound) => {
            for part in compound.parts() {
                let (form, placement) = (Form::of(&part.shape), Placement::of_part(&part.pose));
                let meets = match outline(&form, &placement)? {
                    Some(bounds) => sweep.entry(&bounds, best.limit()).is_some(),
                    None => true,
                };
                if meets {
                    best.offer(&form, &placement);
                }
            }
        }
    }
    best.end()
}

/// The earliest impact so far.
struct Best<'p> {
    b: &'p Form<'p>,
    approach: &'p Approach,
    terms: &'p Terms,
    found: Option<LocalImpact>,
    /// A direction and how far along it a piece must reach to be met before the best impact so far: to where the moving
    /// shape, which comes down along it, has come by then.
    cut: Option<(DVec3, f64)>,
    fault: Option<QueryError>,
}

impl Best<'_> {
    /// The latest time that is still of interest.
    fn limit(&self) -> f64 {
        match (&self.fault, &self.found) {
            // Nothing comes so early.
            (Some(_), _) => -1.0,
            (None, Some(found)) => found.time,
            (None, None) => self.terms.limit,
        }
    }

    fn swept_limit(&self) -> SweptLimit {
        let (along, level) = self.cut.unwrap_or((DVec3::ZERO, f64::NEG_INFINITY));
        SweptLimit { time: self.limit(), along, level }
    }

    fn offer_triangle(&mut self, corners: [Vec3; 3]) -> f64 {
        let corners = corners.map(|corner| corner.as_dvec3());
        let is_below = |(along, level): (DVec3, f64)| corners.iter().all(|corner| along.dot(*corner) < level);
        let terms = Terms { limit: self.limit(), ..*self.terms };
        if terms.limit >= 0.0 && !self.cut.is_some_and(is_below) {
            let piece = Form::Convex(Convex { core: Core::Triangle(corners), radius: 0.0 });
            match of_forms(&piece, self.b, self.approach, &terms) {
                Ok(Some(found)) => self.take(found),
                Ok(None) => {}
                Err(error) => self.fault = Some(error),
            }
        }
        self.limit()
    }

    /// Casts against a piece; returns the new limit.
    fn offer(&mut self, piece: &Form<'_>, placement: &Placement) -> f64 {
        let terms = Terms { limit: self.limit(), ..*self.terms };
        if terms.limit >= 0.0 {
            match of_forms(piece, self.b, &self.approach.seen_from(placement), &terms) {
                Ok(Some(found)) => self.take(found.placed(placement)),
                Ok(None) => {}
                Err(error) => self.fault = Some(error),
            }
        }
        self.limit()
    }

    fn take(&mut self, found: LocalImpact) {
        let is_before =
            |best: LocalImpact| found.time < best.time || found.time == best.time && found.distance < best.distance;
        if self.found.is_none_or(is_before) {
            self.found = Some(found);
            self.cut = self.cut_at(&found);
        }
    }

    /// Until the impact, the moving shape stays above where it is then along the normal, if it comes down along it.
    fn cut_at(&self, found: &LocalImpact) -> Option<(DVec3, f64)> {
        let Form::Convex(b) = self.b else { return None };
        if found.time == 0.0 || found.normal.dot(self.approach.velocity) >= 0.0 {
            return None;
        }
        let place = self.approach.at(found.time);
        let lowest = separation::placed_support(b, &place, -found.normal).ok()?;
        let reach = b.core.reach().ok()?;
        let room = tolerance(reach + b.radius, self.approach, self.terms.within) + 2.0 * b.core.support_error(reach);
        Some((found.normal, found.normal.dot(lowest) - b.radius - self.terms.within - room))
    }

    fn end(self) -> Result<Option<LocalImpact>, QueryError> {
        self.fault.map_or(Ok(self.found), Err)
    }
}

/// A box around a form at a placement; none around a half-space. Meshes and fields have one that is turned along.
pub(crate) fn outline(form: &Form<'_>, placement: &Placement) -> Result<Option<Aabb>, SupportFault> {
    let turned = |bounds: Aabb| {
        let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        let (center, half) = (placement.point_to_outer(0.5 * (min + max)), 0.5 * (max - min));
        let axes = placement.rotation;
        let half = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
        let room = 1e-14 * (center.abs() + half);
        Aabb::rounded_outward(center - half - room, center + half + room)
    };
    match form {
        Form::Convex(_) | Form::HalfSpace(_) | Form::Pieces(Pieces::Compound(_)) => form.bounds(placement),
        Form::Pieces(Pieces::Mesh(mesh)) => Ok(Some(turned(mesh.tree().bounds()))),
        Form::Pieces(Pieces::HeightField(field)) => Ok(Some(turned(field.bounds()))),
    }
}

/// Calls `visit` with the triangles of a height field that a moving box may meet, strip by strip on its way. What it
/// returns is the new limit of the time.
fn over_field(field: &HeightField, sweep: &BoxSweep, mut limit: f64, mut visit: impl FnMut([Vec3; 3]) -> f64) {
    let end = sweep.motion * limit;
    let flat = |vector: DVec3| [vector.x, vector.z];
    let (min, max, motion) = (flat(sweep.min), flat(sweep.max), flat(sweep.motion));
    let crossed = |axis: usize| (flat(end)[axis] / f64::from(field.spacing()[axis])).abs();
    let major = usize::from(crossed(1) > crossed(0));
    let minor = 1 - major;
    let least = min[major] + flat(end)[major].min(0.0);
    let greatest = max[major] + flat(end)[major].max(0.0);
    let strips = field.cells_between(major, least, greatest);
    let (spacing, half) = (f64::from(field.spacing()[major]), 0.5 * field.cells_along(major) as f64);
    let (_, doubt) = field.cell_coordinate(major, greatest.abs().max(least.abs()));
    for step in 0..strips.len() {
        let strip = if motion[major] < 0.0 { strips.end - 1 - step } else { strips.start + step };
        let side = |index: f64| (index - half) * spacing;
        let (low, high) = (side(strip as f64 - doubt), side(strip as f64 + 1.0 + doubt));
        // When the box is over the strip; all the time if it does not move along this axis.
        let (one, other) = ((low - max[major]) / motion[major], (high - min[major]) / motion[major]);
        let (enter, leave) = if motion[major] == 0.0 { (0.0, limit) } else { (one.min(other), one.max(other)) };
        let (enter, leave) = (enter.max(0.0) * (1.0 - 1e-12), (leave * (1.0 + 1e-12)).min(limit));
        if enter > limit {
            break;
        }
        if enter > leave {
            continue;
        }
        let reach = |min: f64, max: f64, motion: f64| {
            (min + (enter * motion).min(leave * motion), max + (enter * motion).max(leave * motion))
        };
        let (from, to) = reach(min[minor], max[minor], motion[minor]);
        let (bottom, top) = reach(sweep.min.y, sweep.max.y, sweep.motion.y);
        for cell in field.cells_between(minor, from, to) {
            let (column, row) = if major == 0 { (strip, cell) } else { (cell, strip) };
            let (cell_low, cell_high) = field.cell_heights(column, row);
            if f64::from(cell_low) > top || f64::from(cell_high) < bottom {
                continue;
            }
            for triangle in field.cell_triangles(column, row) {
                limit = visit(field.corners(triangle as usize)).min(limit);
            }
        }
    }
}
