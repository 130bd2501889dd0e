//! A half-space against any convex part: what of the part's lowest patch lies below the plane.

use super::manifold::{Candidate, reduced};
use super::patch::{self, MOST_CORNERS};
use super::{Feature, LocalContact, LocalManifold, clip};
use crate::distance::convex::{Convex, SupportFault};
use crate::distance::placement::Placement;
use crate::pose::LocalPose;
use crate::shape::HalfSpace;
use crate::trace::{ClipStep, Tracer};
use glam::DVec3;

/// Depth that the corners of a patch may lack, as a share of its size, before the lowest point itself is added.
const LOST: f64 = 1e-5;

/// The contact of a half-space and a ball.
pub(super) fn with_ball(a: &HalfSpace, radius: f32, b_in_a: &LocalPose, margin: f32) -> Option<LocalManifold> {
    let normal = a.normal();
    let depth = radius - normal.dot(b_in_a.position);
    if depth < -margin {
        return None;
    }
    let point = b_in_a.position - normal * (radius - 0.5 * depth);
    let features = [Feature::face(0), Feature::SURFACE];
    Some(LocalManifold::of_one(normal, LocalContact { point, depth, features }))
}

/// The contact of a half-space and a convex part.
pub(super) fn with_convex(
    a: &HalfSpace,
    b: &Convex<'_>,
    b_in_a: &Placement,
    margin: f64,
    tracer: &mut impl Tracer,
) -> Result<Option<LocalManifold>, SupportFault> {
    let normal = a.normal().as_dvec3().normalize_or(DVec3::Y);
    let down_in_b = b_in_a.direction_to_inner(-normal);
    let lowest = b_in_a.point_to_outer(b.core.support(down_in_b)?);
    let greatest = b.radius - normal.dot(lowest);
    if greatest < -margin {
        return Ok(None);
    }
    let candidate = |place: DVec3, feature: Feature| {
        let depth = b.radius - normal.dot(place);
        let place = place - normal * (b.radius - 0.5 * depth);
        Candidate { place, depth, features: [Feature::face(0), feature] }
    };
    let mut patch = patch::along(b, down_in_b)?;
    patch.place(b_in_a);
    let mut candidates = [Candidate::default(); MOST_CORNERS + 1];
    let mut count = 0;
    let (mut found, mut size) = (f64::NEG_INFINITY, 0.0f64);
    for corner in patch.corners() {
        let corner = candidate(corner.place, corner.vertex);
        size = size.max(corner.place.distance(lowest));
        if corner.depth >= -margin {
            found = found.max(corner.depth);
            candidates[count] = corner;
            count += 1;
        }
    }
    if found < greatest - LOST * size {
        candidates[count] = candidate(lowest, Feature::SURFACE);
        count += 1;
    }
    tracer.clip(|| ClipStep {
        is_reference_of_b: false,
        reference: Vec::new(),
        incident: clip::places(&patch),
        clipped: clip::places(&patch),
        candidates: candidates[..count].iter().map(clip::point_of).collect(),
    });
    Ok(Some(reduced(&mut candidates[..count], normal)))
}

/// Tells what happens in the frame of the half-space in that of the part, which counts as the first.
pub(super) struct Mirrored<'a, T> {
    pub(super) tracer: &'a mut T,
    pub(super) a_in_b: &'a Placement,
}

impl<T: Tracer> Tracer for Mirrored<'_, T> {
    const LISTENS: bool = T::LISTENS;

    fn clip(&mut self, record: impl FnOnce() -> ClipStep) {
        self.tracer.clip(|| {
            let mut step = record();
            step.is_reference_of_b = !step.is_reference_of_b;
            for place in step.incident.iter_mut().chain(&mut step.clipped) {
                *place = self.a_in_b.point_to_inner(*place);
            }
            for candidate in &mut step.candidates {
                candidate.point = self.a_in_b.point_to_inner(candidate.point);
            }
            step
        });
    }
}
