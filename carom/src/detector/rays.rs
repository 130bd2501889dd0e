//! Questions about rays and points.

use super::{Admits, Detector, DetectorError, FirstError, ObjectId, checked_bound};
use crate::bounds::box_sweep::BoxSweep;
use crate::query::{self, Projection, QueryError, Ray, RayHit};
use glam::DVec3;

/// An object and where a ray meets it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObjectHit {
    /// The object.
    pub id: ObjectId,
    /// Where the ray meets it.
    pub hit: RayHit,
}

/// An object and its point nearest to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObjectProjection {
    /// The object.
    pub id: ObjectId,
    /// Its nearest point.
    pub projection: Projection,
}

impl Detector {
    /// The object that a ray meets first.
    ///
    /// ```
    /// use carom::detector::{Detector, Filter, Object};
    /// use carom::prelude::*;
    /// use carom::query::Ray;
    ///
    /// let mut scene = Detector::default();
    /// let ball = Shape::sphere(1.0)?;
    /// let near = scene.insert(Object::new(ball.clone(), Pose::at([5.0, 0.0, 0.0])))?;
    /// scene.insert(Object::new(ball, Pose::at([9.0, 0.0, 0.0])))?;
    /// let ray = Ray::new([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    /// let first = scene.ray_cast(&ray, &Filter::default())?.ok_or("the ray goes through both")?;
    /// assert_eq!((first.id, first.hit.distance), (near, 4.0));
    /// let behind = scene.ray_cast(&ray, &|member: carom::detector::Member| member.id != near)?;
    /// assert_eq!(behind.ok_or("the other is left")?.hit.distance, 8.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ray_cast(&self, ray: &Ray, filter: &impl Admits) -> Result<Option<ObjectHit>, DetectorError> {
        let mut best: Option<ObjectHit> = None;
        self.visit_ray(ray, filter, |found| {
            let is_before = |best: ObjectHit| (found.hit.distance, found.id) < (best.hit.distance, best.id);
            if best.is_none_or(is_before) {
                best = Some(found);
            }
            best.map_or(ray.max_distance, |best| best.hit.distance)
        })?;
        Ok(best)
    }

    /// Replaces `found` by all objects that a ray meets and where it first meets each, the nearest first.
    pub fn ray_cast_all(
        &self,
        ray: &Ray,
        filter: &impl Admits,
        found: &mut Vec<ObjectHit>,
    ) -> Result<(), DetectorError> {
        found.clear();
        let outcome = self.visit_ray(ray, filter, |hit| {
            found.push(hit);
            ray.max_distance
        });
        found.sort_unstable_by(|a, b| a.hit.distance.total_cmp(&b.hit.distance).then(a.id.cmp(&b.id)));
        outcome
    }

    /// Whether a ray meets any object: ends at the first that is found.
    pub fn ray_hits(&self, ray: &Ray, filter: &impl Admits) -> Result<bool, DetectorError> {
        query::checked_ray(ray).map_err(DetectorError::Question)?;
        let mut is_hit = false;
        let mut first = FirstError::default();
        self.visit_on_ray(ray, &mut |slot| {
            let Some(member) = self.set.member(slot).filter(|member| filter.admits(*member)) else {
                return ray.max_distance;
            };
            match query::ray_hits(member.object.shape(), member.object.pose(), ray) {
                Ok(hits) => is_hit |= hits,
                Err(error) => first.keep(|| DetectorError::Object { id: member.id, error }),
            }
            if is_hit { -1.0 } else { ray.max_distance }
        });
        if is_hit { Ok(true) } else { first.end(false) }
    }

    /// The object whose surface is nearest to a point, if it is not farther than `bound`, which may be infinite. Objects
    /// that the point is inside of come before all others, the one in which it is deepest first.
    pub fn project_point(
        &self,
        point: DVec3,
        bound: f64,
        filter: &impl Admits,
    ) -> Result<Option<ObjectProjection>, DetectorError> {
        if !point.is_finite() {
            return Err(DetectorError::Question(QueryError::Vector { what: "point", value: point }));
        }
        let mut limit = checked_bound(bound)?;
        let mut best: Option<ObjectProjection> = None;
        let mut first = FirstError::default();
        // Deeper is less.
        let signed = |found: &Projection| if found.is_inside { -found.distance } else { found.distance };
        self.set.tree().visit_near(point, point, limit, &mut |slot, _| {
            let Some(member) = self.set.member(slot).filter(|member| filter.admits(*member)) else { return limit };
            match query::project_point(member.object.shape(), member.object.pose(), point) {
                Ok(projection) => {
                    let key = |found: &ObjectProjection| (signed(&found.projection), found.id);
                    let found = ObjectProjection { id: member.id, projection };
                    if signed(&projection) <= limit && best.is_none_or(|best| key(&found) < key(&best)) {
                        best = Some(found);
                        limit = signed(&projection).max(0.0);
                    }
                }
                Err(error) => first.keep(|| DetectorError::Object { id: member.id, error }),
            }
            limit
        });
        first.end(best)
    }

    /// Calls `visit` with each hit; what it returns is the greatest distance of interest from then on.
    fn visit_ray(
        &self,
        ray: &Ray,
        filter: &impl Admits,
        mut visit: impl FnMut(ObjectHit) -> f64,
    ) -> Result<(), DetectorError> {
        query::checked_ray(ray).map_err(DetectorError::Question)?;
        let mut limit = ray.max_distance;
        let mut first = FirstError::default();
        self.visit_on_ray(ray, &mut |slot| {
            let Some(member) = self.set.member(slot).filter(|member| filter.admits(*member)) else { return limit };
            match query::ray_cast(member.object.shape(), member.object.pose(), &ray.up_to(limit)) {
                Ok(Some(hit)) => limit = visit(ObjectHit { id: member.id, hit }).min(limit),
                Ok(None) => {}
                Err(error) => first.keep(|| DetectorError::Object { id: member.id, error }),
            }
            limit
        });
        first.end(())
    }

    /// Calls `visit` with the slots of the boxes on a sound ray; what it returns is the new limit of the distance.
    fn visit_on_ray(&self, ray: &Ray, visit: &mut impl FnMut(u32) -> f64) {
        let direction = ray.direction.as_dvec3().normalize();
        // Distances are computed with roundings of their own: a little farther than the limit is near enough.
        let wide = |limit: f64| if limit >= 0.0 { limit * (1.0 + 1e-12) } else { -1.0 };
        let beam = BoxSweep::new(ray.origin, ray.origin, direction);
        self.set.tree().visit_swept(&beam, wide(ray.max_distance), &mut |slot, _| wide(visit(slot)));
    }
}
