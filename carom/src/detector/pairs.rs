//! Questions about pairs of objects.
//!
//! A bound on the distance enlarges the boxes, so nothing nearer is missed. The closest pair is found by branch and
//! bound: the pair that was closest the last time gives the first bound, objects are gone through, and of each the tree
//! gives the others in the order of the distance of their boxes until these are no nearer than the best pair so far.
//! Meshes have a hull around them, whose distance is a lower bound that is cheap to find from where it was last.

use super::contact::{self, WorldManifold};
use super::memory::Memory;
use super::set::{Outline, Set};
use super::{Detector, DetectorError, FirstError, Member, ObjectDistance, ObjectId, checked_bound};
use crate::broad::Pair;
use crate::pose::Pose;
use crate::query::{self, Distance, QueryError};
use crate::shape::Shape;

/// Two objects and what is between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairDistance {
    /// The first object.
    pub a: ObjectId,
    /// The second object.
    pub b: ObjectId,
    /// What is between them.
    pub distance: Distance,
}

impl Detector {
    /// Calls `visit` with each pair of objects that overlap, of those that the filter admits.
    pub fn overlaps(
        &mut self,
        filter: impl Fn(Member<'_>, Member<'_>) -> bool,
        mut visit: impl FnMut(ObjectId, ObjectId),
    ) -> Result<(), DetectorError> {
        self.visit_touching_boxes(filter, |set, a, b| {
            match overlap(set, a, b) {
                Ok(true) => visit(a.id, b.id),
                Ok(false) => {}
                Err(error) => return Err(DetectorError::Pair { a: a.id, b: b.id, error }),
            }
            Ok(true)
        })
    }

    /// The first pair of objects that overlap, none if all are apart: the fastest way to ask whether any do.
    pub fn first_overlap(
        &mut self,
        filter: impl Fn(Member<'_>, Member<'_>) -> bool,
    ) -> Result<Option<(ObjectId, ObjectId)>, DetectorError> {
        let mut first = None;
        let searched = self.visit_touching_boxes(filter, |set, a, b| {
            match overlap(set, a, b) {
                Ok(true) => first = Some((a.id, b.id)),
                Ok(false) => {}
                Err(error) => return Err(DetectorError::Pair { a: a.id, b: b.id, error }),
            }
            Ok(first.is_none())
        });
        // An overlap that was found is one, whatever could not be answered before.
        if first.is_some() { Ok(first) } else { searched.map(|()| None) }
    }

    /// Calls `visit` with each pair of objects that touch or are at most `margin` apart, once for each pair of their
    /// parts that do.
    pub fn contacts(
        &mut self,
        margin: f32,
        filter: impl Fn(Member<'_>, Member<'_>) -> bool,
        mut visit: impl FnMut(ObjectId, ObjectId, &WorldManifold),
    ) -> Result<(), DetectorError> {
        let bound = checked_bound(f64::from(margin))
            .and_then(|bound| if bound.is_finite() { Ok(bound) } else { Err(DetectorError::Bound(bound)) })?;
        let mut first = FirstError::default();
        let mut buffer = std::mem::take(&mut self.contact_buffer);
        self.visit_near_boxes(bound, filter, |a, b, _| {
            let visit = |manifold: &WorldManifold| visit(a.id, b.id, manifold);
            if let Err(error) = contact::between(a.object, b.object, margin, &mut buffer, visit) {
                first.keep(|| DetectorError::PairContacts { a: a.id, b: b.id, error });
            }
        });
        self.contact_buffer = buffer;
        first.end(())
    }

    /// Calls `visit` with each pair of objects that are closer to each other than `bound`, which may be infinite.
    /// Proven: no pair is left out that is closer.
    pub fn closer_than(
        &mut self,
        bound: f64,
        filter: impl Fn(Member<'_>, Member<'_>) -> bool,
        mut visit: impl FnMut(PairDistance),
    ) -> Result<(), DetectorError> {
        let bound = checked_bound(bound)?;
        let mut first = FirstError::default();
        self.visit_near_boxes(bound, filter, |a, b, memory| match memory.measure(a, b, bound) {
            Ok(Some(distance)) => visit(PairDistance { a: a.id, b: b.id, distance }),
            Ok(None) => {}
            Err(error) => first.keep(|| DetectorError::Pair { a: a.id, b: b.id, error }),
        });
        first.end(())
    }

    /// The two objects that are closest to each other of those that the filter admits; none if it admits none. Of
    /// objects that overlap it is any one pair.
    pub fn closest_pair(
        &mut self,
        filter: impl Fn(Member<'_>, Member<'_>) -> bool,
    ) -> Result<Option<PairDistance>, DetectorError> {
        self.set.prepare();
        let Self { set, memory, closest, .. } = self;
        let mut search = Search::new(set, memory);
        let is_admitted = |a: Member<'_>, b: Member<'_>| set.meet(a, b) && filter(a, b);
        if let Some(last) = *closest
            && let (Some(a), Some(b)) = (set.member(last.a), set.member(last.b))
            && is_admitted(a, b)
        {
            search.measure(a, b);
        }
        let last = *closest;
        for slot in 0..set.slot_count() {
            let Some(a) = set.member(slot) else { continue };
            set.visit_near(slot, slot + 1, search.limit(), |other| {
                if last != Some(Pair { a: slot, b: other })
                    && let Some(b) = set.member(other)
                    && is_admitted(a, b)
                {
                    search.measure(a, b);
                }
                search.limit()
            });
        }
        let (best, first) = (search.best, search.first);
        *closest = best.map(|best| Pair::new(best.a.slot, best.b.slot));
        first.end(best)
    }

    /// Calls `visit` with each other object that is closer to this one than `bound`, which may be infinite. Proven: none
    /// is left out that is closer. The filter is asked with this object first.
    pub fn distances_of(
        &mut self,
        id: ObjectId,
        bound: f64,
        filter: impl Fn(Member<'_>, Member<'_>) -> bool,
        mut visit: impl FnMut(ObjectDistance),
    ) -> Result<(), DetectorError> {
        let bound = checked_bound(bound)?;
        let Self { set, memory, partners, .. } = self;
        let one = Member { id, object: set.get(id)? };
        partners.clear();
        set.visit_near(id.slot, 0, bound, |other| {
            partners.push(other);
            bound
        });
        partners.sort_unstable();
        let mut first = FirstError::default();
        let mut memory = Measured { set, memory };
        for other in partners.iter().filter_map(|&slot| set.member(slot)) {
            if !set.meet(one, other) || !filter(one, other) {
                continue;
            }
            match memory.measure(one, other, bound) {
                Ok(Some(distance)) => visit(ObjectDistance { id: other.id, distance }),
                Ok(None) => {}
                Err(error) => first.keep(|| DetectorError::Pair { a: id, b: other.id, error }),
            }
        }
        first.end(())
    }

    /// The other object that is closest to this one; none if the filter admits none. The filter is asked with this
    /// object first.
    pub fn closest_to(
        &mut self,
        id: ObjectId,
        filter: impl Fn(Member<'_>, Member<'_>) -> bool,
    ) -> Result<Option<ObjectDistance>, DetectorError> {
        let Self { set, memory, .. } = self;
        let one = Member { id, object: set.get(id)? };
        let mut search = Search::new(set, memory);
        set.visit_near(id.slot, 0, f64::INFINITY, |other| {
            if let Some(other) = set.member(other)
                && set.meet(one, other)
                && filter(one, other)
            {
                search.measure(one, other);
            }
            search.limit()
        });
        let best = search.best.map(|best| ObjectDistance { id: best.b, distance: best.distance });
        search.first.end(best)
    }

    /// Calls `visit` with each admitted pair whose boxes overlap, in the order of their slots, until it says false; goes
    /// on after an error, and ends with the first.
    fn visit_touching_boxes(
        &mut self,
        filter: impl Fn(Member<'_>, Member<'_>) -> bool,
        mut visit: impl FnMut(&Set, Member<'_>, Member<'_>) -> Result<bool, DetectorError>,
    ) -> Result<(), DetectorError> {
        self.set.list_touching(&mut self.candidates);
        let set = &self.set;
        let mut first = FirstError::default();
        for pair in &self.candidates {
            let (Some(a), Some(b)) = (set.member(pair.a), set.member(pair.b)) else { continue };
            if !set.meet(a, b) || !filter(a, b) {
                continue;
            }
            match visit(set, a, b) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => first.keep(|| error),
            }
        }
        first.end(())
    }

    /// Calls `visit` with each admitted pair whose boxes are not farther apart than `bound`, in the order of their slots.
    fn visit_near_boxes(
        &mut self,
        bound: f64,
        filter: impl Fn(Member<'_>, Member<'_>) -> bool,
        mut visit: impl FnMut(Member<'_>, Member<'_>, &mut Measured<'_>),
    ) {
        self.set.prepare();
        let Self { set, memory, partners, .. } = self;
        let mut memory = Measured { set, memory };
        for slot in 0..set.slot_count() {
            let Some(a) = set.member(slot) else { continue };
            partners.clear();
            set.visit_near(slot, slot + 1, bound, |other| {
                partners.push(other);
                bound
            });
            partners.sort_unstable();
            for b in partners.iter().filter_map(|&slot| set.member(slot)) {
                if set.meet(a, b) && filter(a, b) {
                    visit(a, b, &mut memory);
                }
            }
        }
    }
}

/// Whether two objects overlap: first by the hulls around them, where there are any.
fn overlap(set: &Set, a: Member<'_>, b: Member<'_>) -> Result<bool, QueryError> {
    let (rough_a, rough_b) = (set.outline(a.id.slot), set.outline(b.id.slot));
    if rough_a.is_some() || rough_b.is_some() {
        let ((shape_a, pose_a), (shape_b, pose_b)) = (rough(a, rough_a), rough(b, rough_b));
        if !query::overlap(shape_a, pose_a, shape_b, pose_b)? {
            return Ok(false);
        }
    }
    query::overlap(a.object.shape(), a.object.pose(), b.object.shape(), b.object.pose())
}

/// The hull around an object, or the object itself.
fn rough<'a>(member: Member<'a>, outline: Option<&'a Outline>) -> (&'a Shape, &'a Pose) {
    match outline {
        Some(outline) => (&outline.shape, &outline.pose),
        None => (member.object.shape(), member.object.pose()),
    }
}

/// Distances with what is remembered of pairs.
struct Measured<'a> {
    set: &'a Set,
    memory: &'a mut Memory,
}

impl Measured<'_> {
    /// The distance of two objects, none if it is proven to be `limit` or more.
    fn measure(&mut self, a: Member<'_>, b: Member<'_>, limit: f64) -> Result<Option<Distance>, QueryError> {
        // One memory for both orders, which are seldom mixed: a cache that does not fit is not wrong.
        let versions = [a.id.slot, b.id.slot].map(|slot| self.set.version(slot));
        let remembered = self.memory.of(Pair { a: a.id.slot, b: b.id.slot }, versions);
        let (rough_a, rough_b) = (self.set.outline(a.id.slot), self.set.outline(b.id.slot));
        if rough_a.is_some() || rough_b.is_some() {
            let ((shape_a, pose_a), (shape_b, pose_b)) = (rough(a, rough_a), rough(b, rough_b));
            let outlines = &mut remembered.outlines;
            if query::distance_below(shape_a, pose_a, shape_b, pose_b, limit, outlines)?.is_none() {
                return Ok(None);
            }
        }
        let known = remembered.upper(a, b);
        let (one, other) = (a.object, b.object);
        let mut below = |limit: f64| {
            query::distance_below(one.shape(), one.pose(), other.shape(), other.pose(), limit, &mut remembered.cache)
        };
        let found = match below(limit.min(known))? {
            // Nearer than these points they must be, but for rounding.
            None if known < limit => below(limit)?,
            found => found,
        };
        if let Some(found) = &found {
            remembered.keep(a, b, found);
        }
        Ok(found)
    }
}

/// The closest pair so far.
struct Search<'a> {
    measured: Measured<'a>,
    best: Option<PairDistance>,
    first: FirstError,
}

impl<'a> Search<'a> {
    fn new(set: &'a Set, memory: &'a mut Memory) -> Self {
        Self { measured: Measured { set, memory }, best: None, first: FirstError::default() }
    }

    /// What is no nearer than this is of no interest; negative once two overlap.
    fn limit(&self) -> f64 {
        match &self.best {
            None => f64::INFINITY,
            Some(PairDistance { distance: Distance::Overlapping { .. }, .. }) => -1.0,
            Some(best) => best.distance.value(),
        }
    }

    fn measure(&mut self, a: Member<'_>, b: Member<'_>) {
        let limit = self.limit();
        if limit < 0.0 {
            return;
        }
        match self.measured.measure(a, b, limit) {
            Ok(Some(distance)) => {
                let overlaps = matches!(distance, Distance::Overlapping { .. });
                if overlaps || self.best.is_none() || distance.value() < limit {
                    self.best = Some(PairDistance { a: a.id, b: b.id, distance });
                }
            }
            Ok(None) => {}
            Err(error) => self.first.keep(|| DetectorError::Pair { a: a.id, b: b.id, error }),
        }
    }
}
