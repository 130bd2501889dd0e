//! Questions about one shape that is not in the set, at rest or moving.

use super::contact::{self, WorldManifold};
use super::{Admits, Detector, DetectorError, FirstError, Member, Object, ObjectId, checked_bound, set};
use crate::bounds::Aabb;
use crate::bounds::box_sweep::BoxSweep;
use crate::narrow::ContactBuffer;
use crate::pose::Pose;
use crate::query::{self, Cast, Distance, PairCache, Sweep};
use crate::shape::Shape;
use std::cmp::Ordering;

/// An object and how far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObjectDistance {
    /// The object.
    pub id: ObjectId,
    /// What is between the shape that was asked about, the first, and the object.
    pub distance: Distance,
}

/// An object and how a cast against it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObjectCast {
    /// The object.
    pub id: ObjectId,
    /// How the cast ends; never a [`Cast::Miss`].
    pub cast: Cast,
}

impl Detector {
    /// Calls `visit` with each object that overlaps a shape.
    ///
    /// ```
    /// use carom::detector::{Detector, Filter, Object};
    /// use carom::prelude::*;
    ///
    /// let mut shelf = Detector::default();
    /// for x in 0..5 {
    ///     shelf.insert(Object::new(Shape::sphere(0.4)?, Pose::at([f64::from(x), 0.0, 0.0])).with_user_data(x as u64))?;
    /// }
    /// let mut found = Vec::new();
    /// let hand = Shape::cuboid(0.7, 0.1, 0.1)?;
    /// shelf.overlaps_with(&hand, &Pose::at([2.5, 0.0, 0.0]), &Filter::default(), |object| found.push(object))?;
    /// assert_eq!(found.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlaps_with(
        &self,
        shape: &Shape,
        pose: &Pose,
        filter: &impl Admits,
        mut visit: impl FnMut(ObjectId),
    ) -> Result<(), DetectorError> {
        let mut first = FirstError::default();
        self.visit_near_shape(shape, pose, 0.0, filter, |member| {
            match query::overlap(shape, pose, member.object.shape(), member.object.pose()) {
                Ok(true) => visit(member.id),
                Ok(false) => {}
                Err(error) => first.keep(|| DetectorError::Object { id: member.id, error }),
            }
        })?;
        first.end(())
    }

    /// Calls `visit` with each object that is closer to a shape than `bound`, which may be infinite. Proven: none is
    /// left out that is closer.
    pub fn distances_to(
        &self,
        shape: &Shape,
        pose: &Pose,
        bound: f64,
        filter: &impl Admits,
        mut visit: impl FnMut(ObjectDistance),
    ) -> Result<(), DetectorError> {
        let bound = checked_bound(bound)?;
        let mut first = FirstError::default();
        self.visit_near_shape(shape, pose, bound, filter, |member| {
            let (other, other_pose) = (member.object.shape(), member.object.pose());
            match query::distance_below(shape, pose, other, other_pose, bound, &mut PairCache::default()) {
                Ok(Some(distance)) => visit(ObjectDistance { id: member.id, distance }),
                Ok(None) => {}
                Err(error) => first.keep(|| DetectorError::Object { id: member.id, error }),
            }
        })?;
        first.end(())
    }

    /// The object that is closest to a shape, if one is closer than `bound`, which may be infinite.
    pub fn nearest_to(
        &self,
        shape: &Shape,
        pose: &Pose,
        bound: f64,
        filter: &impl Admits,
    ) -> Result<Option<ObjectDistance>, DetectorError> {
        let mut limit = checked_bound(bound)?;
        let bounds = bounds_of(shape, pose)?;
        let mut best: Option<ObjectDistance> = None;
        let mut first = FirstError::default();
        self.set.tree().visit_near(bounds.min.as_dvec3(), bounds.max.as_dvec3(), limit, &mut |slot, _| {
            let Some(member) = self.set.member(slot).filter(|member| filter.admits(*member)) else { return limit };
            let (other, other_pose) = (member.object.shape(), member.object.pose());
            match query::distance_below(shape, pose, other, other_pose, limit, &mut PairCache::default()) {
                Ok(Some(distance)) if best.is_none_or(|best| distance.value() < best.distance.value()) => {
                    best = Some(ObjectDistance { id: member.id, distance });
                    limit = limit_after(&distance);
                }
                Ok(_) => {}
                Err(error) => first.keep(|| DetectorError::Object { id: member.id, error }),
            }
            limit
        });
        first.end(best)
    }

    /// Calls `visit` with each contact of a shape, the first of the two, with objects that are at most `margin` from it.
    pub fn contacts_with(
        &self,
        shape: &Shape,
        pose: &Pose,
        margin: f32,
        filter: &impl Admits,
        mut visit: impl FnMut(ObjectId, &WorldManifold),
    ) -> Result<(), DetectorError> {
        let bound = checked_bound(f64::from(margin))?;
        let asked = Object::new(shape.clone(), set::checked(*pose)?);
        let mut buffer = ContactBuffer::new();
        let mut first = FirstError::default();
        self.visit_near_shape(shape, pose, bound, filter, |member| {
            let visit = |manifold: &WorldManifold| visit(member.id, manifold);
            if let Err(error) = contact::between(&asked, member.object, margin, &mut buffer, visit) {
                first.keep(|| DetectorError::ObjectContacts { id: member.id, error });
            }
        })?;
        first.end(())
    }

    /// The object that a moving shape first comes near, and how; none if all are missed.
    ///
    /// ```
    /// use carom::detector::{Detector, Filter, Object};
    /// use carom::prelude::*;
    /// use carom::query::Sweep;
    ///
    /// let mut scene = Detector::default();
    /// for x in [4.0, 8.0] {
    ///     scene.insert(Object::new(Shape::cuboid(0.5, 2.0, 2.0)?, Pose::at([x, 0.0, 0.0])))?;
    /// }
    /// let ball = Shape::sphere(0.5)?;
    /// let hit = scene.cast(&ball, &Pose::IDENTITY, &Sweep::by([10.0, 0.0, 0.0]), &Filter::default())?;
    /// assert!(hit.is_some_and(|hit| (hit.cast.time().unwrap() - 0.3).abs() < 1e-6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast(
        &self,
        shape: &Shape,
        pose: &Pose,
        sweep: &Sweep,
        filter: &impl Admits,
    ) -> Result<Option<ObjectCast>, DetectorError> {
        let mut best: Option<ObjectCast> = None;
        self.visit_cast(shape, pose, sweep, filter, |found| {
            if best.is_none_or(|best| order(&found, &best).is_lt()) {
                best = Some(found);
            }
            best.and_then(|best| best.cast.time()).unwrap_or(1.0)
        })?;
        Ok(best)
    }

    /// Replaces `found` by all objects that a moving shape comes near, the earliest first.
    pub fn cast_all(
        &self,
        shape: &Shape,
        pose: &Pose,
        sweep: &Sweep,
        filter: &impl Admits,
        found: &mut Vec<ObjectCast>,
    ) -> Result<(), DetectorError> {
        found.clear();
        let outcome = self.visit_cast(shape, pose, sweep, filter, |cast| {
            found.push(cast);
            1.0
        });
        found.sort_unstable_by(order);
        outcome
    }

    /// Calls `visit` with each object that is come near; what it returns is the latest time of interest from then on.
    fn visit_cast(
        &self,
        shape: &Shape,
        pose: &Pose,
        sweep: &Sweep,
        filter: &impl Admits,
        mut visit: impl FnMut(ObjectCast) -> f64,
    ) -> Result<(), DetectorError> {
        sweep.checked().map_err(DetectorError::Question)?;
        let bounds = bounds_of(shape, pose)?;
        let moving = swept_box(&bounds, sweep);
        let mut limit = 1.0f64;
        let mut first = FirstError::default();
        self.set.tree().visit_swept(&moving, limit, &mut |slot, _| {
            let Some(member) = self.set.member(slot).filter(|member| filter.admits(*member)) else { return limit };
            match query::cast_until(shape, pose, member.object.shape(), member.object.pose(), sweep, limit) {
                Ok(Cast::Miss) => {}
                Ok(cast) => limit = visit(ObjectCast { id: member.id, cast }).min(limit),
                Err(error) => first.keep(|| DetectorError::Object { id: member.id, error }),
            }
            limit
        });
        first.end(())
    }

    /// Calls `visit` with each admitted object whose box is not farther from that of a shape than `bound`, the
    /// nearer ones mostly first.
    fn visit_near_shape(
        &self,
        shape: &Shape,
        pose: &Pose,
        bound: f64,
        filter: &impl Admits,
        mut visit: impl FnMut(Member<'_>),
    ) -> Result<(), DetectorError> {
        let bounds = bounds_of(shape, pose)?;
        self.set.tree().visit_near(bounds.min.as_dvec3(), bounds.max.as_dvec3(), bound, &mut |slot, _| {
            if let Some(member) = self.set.member(slot).filter(|member| filter.admits(*member)) {
                visit(member);
            }
            bound
        });
        Ok(())
    }
}

fn order(one: &ObjectCast, other: &ObjectCast) -> Ordering {
    cast_order(&one.cast, &other.cast).then(one.id.cmp(&other.id))
}

/// Earlier casts first, deeper ones first at the start.
pub(crate) fn cast_order(one: &Cast, other: &Cast) -> Ordering {
    let key = |cast: &Cast| cast.impact().map_or((0.0, 0.0), |impact| (impact.time, impact.distance));
    let ((time, distance), (other_time, other_distance)) = (key(one), key(other));
    time.total_cmp(&other_time).then(distance.total_cmp(&other_distance))
}

/// The box of a shape that is swept, with room for what a cast may report beyond what was asked: its tolerance.
pub(crate) fn swept_box(bounds: &Aabb, sweep: &Sweep) -> BoxSweep {
    let size = f64::from(bounds.half_extents().length());
    let margin = sweep.within + 1e-8 * (size + sweep.motion.length() + sweep.within);
    BoxSweep::of_box(bounds, margin, sweep.motion)
}

/// How near another must be to be nearer than this; nothing is nearer than what overlaps.
pub(crate) fn limit_after(distance: &Distance) -> f64 {
    if matches!(distance, Distance::Overlapping { .. }) { -1.0 } else { distance.value() }
}

/// The box of a shape at a pose, if both are sound.
fn bounds_of(shape: &Shape, pose: &Pose) -> Result<Aabb, DetectorError> {
    let pose = set::checked(*pose)?;
    Ok(set::bounds(shape, set::own_box(shape)?.as_ref(), &pose))
}
