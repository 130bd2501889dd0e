//! Questions about a world: rays, moving shapes, overlaps, nearest points and shapes.
//!
//! They are answered for where the bodies are now: before the first step, after a step, and after the user has moved
//! something. The broad phase sifts what can matter, with room for the rounding of its boxes; what is left is answered by
//! [`crate::query`], with its proven bounds. Bodies that the user has moved since the last step are not yet where the
//! broad phase has them and are asked one by one. Bodies that are disabled or were set aside are not found; sensors are, as
//! any other shape. If one shape cannot be answered for, the error that the question ends with names it, and nothing else
//! is said.

use super::{Margins, ShapeId, World};
use crate::body::ShapeRef;
use crate::bounds::Aabb;
use crate::bounds::box_sweep::BoxSweep;
use crate::broad::BoxRay;
use crate::detector::{Filter, cast_order, limit_after, swept_box};
use crate::pose::{Pose, PoseError};
use crate::query::{self, Cast, Distance, PairCache, Projection, QueryError, Ray, RayHit, Sweep};
use crate::shape::{Shape, ShapeKind};
use glam::DVec3;

/// Says which shapes a question is about: a [`Filter`], a closure, or both as a tuple.
pub trait Picks {
    /// Whether it is about this shape.
    fn picks(&self, shape: ShapeRef<'_>) -> bool;
}

impl<F: Fn(ShapeRef<'_>) -> bool> Picks for F {
    fn picks(&self, shape: ShapeRef<'_>) -> bool {
        self(shape)
    }
}

impl Picks for Filter {
    fn picks(&self, shape: ShapeRef<'_>) -> bool {
        self.meets(shape.collider.filter)
    }
}

impl<F: Fn(ShapeRef<'_>) -> bool> Picks for (Filter, F) {
    fn picks(&self, shape: ShapeRef<'_>) -> bool {
        self.0.picks(shape) && (self.1)(shape)
    }
}

/// A shape and where a ray meets it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeHit {
    /// The shape.
    pub id: ShapeId,
    /// Where the ray meets it.
    pub hit: RayHit,
}

/// A shape and how a cast against it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeCast {
    /// The shape.
    pub id: ShapeId,
    /// How the cast ends; never a [`Cast::Miss`].
    pub cast: Cast,
}

/// A shape and its point nearest to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeProjection {
    /// The shape.
    pub id: ShapeId,
    /// Its nearest point.
    pub projection: Projection,
}

/// A shape and how far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeDistance {
    /// The shape.
    pub id: ShapeId,
    /// What is between the shape that was asked about, the first, and this one.
    pub distance: Distance,
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldQueryError {
    /// The pose of the shape that was asked about.
    #[error("the pose: {error}")]
    Pose {
        /// What is wrong with it.
        error: PoseError,
    },
    /// The shape that was asked about has no box, or is too far away for one.
    #[error("the {shape} has no box there")]
    Bounds {
        /// The shape.
        shape: ShapeKind,
    },
    /// A bound is NaN or negative.
    #[error("the bound is {0}; it must be a number that is not negative")]
    Bound(f64),
    /// The question itself is not sound.
    #[error(transparent)]
    Question(QueryError),
    /// A shape could not be answered for.
    #[error("{} in slot {}: {error}", id.body, id.slot)]
    Shape {
        /// The shape.
        id: ShapeId,
        /// Why.
        error: QueryError,
    },
}

type Answer<T> = Result<T, WorldQueryError>;

impl World {
    /// The shape that a ray meets first; of several at the same distance the one with the least slot.
    ///
    /// ```
    /// use carom::detector::Filter;
    /// use carom::prelude::*;
    /// use carom::query::Ray;
    ///
    /// let mut world = World::default();
    /// let wall = world.add(Body::fixed().at([5.0, 0.0, 0.0]).shape(Shape::cuboid(0.5, 2.0, 2.0)?))?;
    /// let hit = world.ray_cast(&Ray::new([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]), &Filter::default())?;
    /// assert!(hit.is_some_and(|found| found.id.body == wall && found.hit.distance == 4.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ray_cast(&self, ray: &Ray, picks: &impl Picks) -> Answer<Option<ShapeHit>> {
        let mut best: Option<ShapeHit> = None;
        self.visit_hits(ray, picks, |found| {
            if best.is_none_or(|best| (found.hit.distance, found.id) < (best.hit.distance, best.id)) {
                best = Some(found);
            }
            best.map_or(ray.max_distance, |best| best.hit.distance)
        })?;
        Ok(best)
    }

    /// Replaces `found` by all shapes that a ray meets and where it first meets each, the nearest first.
    pub fn ray_cast_all(&self, ray: &Ray, picks: &impl Picks, found: &mut Vec<ShapeHit>) -> Answer<()> {
        found.clear();
        let outcome = self.visit_hits(ray, picks, |hit| {
            found.push(hit);
            ray.max_distance
        });
        found.sort_unstable_by(|a, b| a.hit.distance.total_cmp(&b.hit.distance).then(a.id.cmp(&b.id)));
        outcome
    }

    /// Whether a ray meets any shape: ends at the first that is found.
    pub fn ray_hits(&self, ray: &Ray, picks: &impl Picks) -> Answer<bool> {
        let (mut is_hit, mut first) = (false, None);
        self.visit_on_ray(ray, |shape| {
            if picks.picks(shape) {
                match query::ray_hits(&shape.collider.shape, &shape.collider.pose, ray) {
                    Ok(hits) => is_hit |= hits,
                    Err(error) => keep(&mut first, shape, error),
                }
            }
            if is_hit { -1.0 } else { ray.max_distance }
        })?;
        if is_hit { Ok(true) } else { end(first, false) }
    }

    /// The shape that a moving shape first comes near, and how; none if all are missed.
    ///
    /// ```
    /// use carom::detector::Filter;
    /// use carom::prelude::*;
    /// use carom::query::Sweep;
    ///
    /// let mut world = World::default();
    /// let wall = world.add(Body::fixed().at([5.0, 0.0, 0.0]).shape(Shape::cuboid(0.5, 2.0, 2.0)?))?;
    /// let ball = Shape::sphere(0.5)?;
    /// let hit = world.cast(&ball, &Pose::IDENTITY, &Sweep::by([10.0, 0.0, 0.0]), &Filter::default())?;
    /// assert!(hit.is_some_and(|hit| (hit.cast.time().unwrap() - 0.4).abs() < 1e-6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast(&self, shape: &Shape, pose: &Pose, sweep: &Sweep, picks: &impl Picks) -> Answer<Option<ShapeCast>> {
        let mut best: Option<ShapeCast> = None;
        self.visit_casts(shape, pose, sweep, picks, |found| {
            if best.is_none_or(|best| order(&found, &best).is_lt()) {
                best = Some(found);
            }
            best.and_then(|best| best.cast.time()).unwrap_or(1.0)
        })?;
        Ok(best)
    }

    /// Replaces `found` by all shapes that a moving shape comes near, the earliest first.
    pub fn cast_all(
        &self,
        shape: &Shape,
        pose: &Pose,
        sweep: &Sweep,
        picks: &impl Picks,
        found: &mut Vec<ShapeCast>,
    ) -> Answer<()> {
        found.clear();
        let outcome = self.visit_casts(shape, pose, sweep, picks, |cast| {
            found.push(cast);
            1.0
        });
        found.sort_unstable_by(order);
        outcome
    }

    /// Replaces `found` by all shapes that overlap a shape, in the order of their slots.
    pub fn overlaps_with(
        &self,
        shape: &Shape,
        pose: &Pose,
        picks: &impl Picks,
        found: &mut Vec<ShapeId>,
    ) -> Answer<()> {
        found.clear();
        let mut first = None;
        self.visit_around(&bounds_of(shape, pose)?, 0.0, |other| {
            if picks.picks(other) {
                match query::overlap(shape, pose, &other.collider.shape, &other.collider.pose) {
                    Ok(true) => found.push(id_of(other)),
                    Ok(false) => {}
                    Err(error) => keep(&mut first, other, error),
                }
            }
        });
        found.sort_unstable();
        end(first, ())
    }

    /// Replaces `found` by all shapes that are closer to a shape than `bound`, which may be infinite, the closest first.
    pub fn distances_to(
        &self,
        shape: &Shape,
        pose: &Pose,
        bound: f64,
        picks: &impl Picks,
        found: &mut Vec<ShapeDistance>,
    ) -> Answer<()> {
        found.clear();
        let bound = checked_bound(bound)?;
        let mut first = None;
        self.visit_around(&bounds_of(shape, pose)?, bound, |other| {
            if picks.picks(other) {
                let collider = other.collider;
                match query::distance_below(
                    shape,
                    pose,
                    &collider.shape,
                    &collider.pose,
                    bound,
                    &mut PairCache::default(),
                ) {
                    Ok(Some(distance)) => found.push(ShapeDistance { id: id_of(other), distance }),
                    Ok(None) => {}
                    Err(error) => keep(&mut first, other, error),
                }
            }
        });
        found.sort_unstable_by(|a, b| a.distance.value().total_cmp(&b.distance.value()).then(a.id.cmp(&b.id)));
        end(first, ())
    }

    /// The shape that is closest to a shape, if one is closer than `bound`, which may be infinite; of those that overlap it
    /// any one.
    pub fn nearest_to(
        &self,
        shape: &Shape,
        pose: &Pose,
        bound: f64,
        picks: &impl Picks,
    ) -> Answer<Option<ShapeDistance>> {
        let mut limit = checked_bound(bound)?;
        let bounds = bounds_of(shape, pose)?;
        let (center, radius) = (bounds.center().as_dvec3(), f64::from(bounds.half_extents().length()));
        let (mut best, mut first): (Option<ShapeDistance>, _) = (None, None);
        self.visit_near(center, radius, limit, |other| {
            let collider = other.collider;
            if limit < 0.0 || !picks.picks(other) {
                return limit;
            }
            match query::distance_below(shape, pose, &collider.shape, &collider.pose, limit, &mut PairCache::default())
            {
                Ok(Some(distance)) if best.is_none_or(|best| distance.value() < best.distance.value()) => {
                    best = Some(ShapeDistance { id: id_of(other), distance });
                    limit = limit_after(&distance);
                }
                Ok(_) => {}
                Err(error) => keep(&mut first, other, error),
            }
            limit
        });
        end(first, best)
    }

    /// The shape whose surface is nearest to a point, if it is not farther than `bound`, which may be infinite. Shapes that
    /// the point is inside of come before all others, the one in which it is deepest first.
    pub fn project_point(&self, point: DVec3, bound: f64, picks: &impl Picks) -> Answer<Option<ShapeProjection>> {
        if !point.is_finite() {
            return Err(WorldQueryError::Question(QueryError::Vector { what: "point", value: point }));
        }
        let mut limit = checked_bound(bound)?;
        let (mut best, mut first): (Option<ShapeProjection>, _) = (None, None);
        // Deeper is less.
        let signed = |found: &Projection| if found.is_inside { -found.distance } else { found.distance };
        self.visit_near(point, 0.0, limit, |other| {
            if !picks.picks(other) {
                return limit;
            }
            match query::project_point(&other.collider.shape, &other.collider.pose, point) {
                Ok(projection) => {
                    let key = |found: &ShapeProjection| (signed(&found.projection), found.id);
                    let found = ShapeProjection { id: id_of(other), projection };
                    if signed(&projection) <= limit && best.is_none_or(|best| key(&found) < key(&best)) {
                        best = Some(found);
                        limit = signed(&projection).max(0.0);
                    }
                }
                Err(error) => keep(&mut first, other, error),
            }
            limit
        });
        end(first, best)
    }

    /// Calls `visit` with each hit; what it returns is the greatest distance of interest from then on.
    fn visit_hits(&self, ray: &Ray, picks: &impl Picks, mut visit: impl FnMut(ShapeHit) -> f64) -> Answer<()> {
        let (mut limit, mut first) = (ray.max_distance, None);
        self.visit_on_ray(ray, |shape| {
            if picks.picks(shape) {
                match query::ray_cast(&shape.collider.shape, &shape.collider.pose, &ray.up_to(limit)) {
                    Ok(Some(hit)) => limit = visit(ShapeHit { id: id_of(shape), hit }).min(limit),
                    Ok(None) => {}
                    Err(error) => keep(&mut first, shape, error),
                }
            }
            limit
        })?;
        end(first, ())
    }

    /// Calls `visit` with each shape that is come near; what it returns is the latest time of interest from then on.
    fn visit_casts(
        &self,
        shape: &Shape,
        pose: &Pose,
        sweep: &Sweep,
        picks: &impl Picks,
        mut visit: impl FnMut(ShapeCast) -> f64,
    ) -> Answer<()> {
        sweep.checked().map_err(WorldQueryError::Question)?;
        let bounds = bounds_of(shape, pose)?;
        let moving = swept_box(&bounds, sweep);
        let (mut limit, mut first) = (1.0f64, None);
        let mut ask = |other: ShapeRef<'_>| {
            if picks.picks(other) {
                let collider = other.collider;
                match query::cast_until(shape, pose, &collider.shape, &collider.pose, sweep, limit) {
                    Ok(Cast::Miss) => {}
                    Ok(cast) => limit = visit(ShapeCast { id: id_of(other), cast }).min(limit),
                    Err(error) => keep(&mut first, other, error),
                }
            }
            limit
        };
        let limit = self.displaced_shapes().fold(1.0, |limit, other| ask(other).min(limit));
        let reach = 2.0 * (moving.max - moving.min).length();
        let stretch = (reach / sweep.motion.length().max(f64::MIN_POSITIVE)).max(1.0 / 64.0);
        self.visit_swept(&moving, stretch, limit, ask);
        end(first, ())
    }

    /// Calls `visit` with the shapes whose boxes are on a ray; what it returns is the new limit of the distance.
    fn visit_on_ray(&self, ray: &Ray, mut visit: impl FnMut(ShapeRef<'_>) -> f64) -> Answer<()> {
        query::checked_ray(ray).map_err(WorldQueryError::Question)?;
        let limit = self.displaced_shapes().fold(ray.max_distance, |limit, shape| visit(shape).min(limit));
        let origin = ray.origin.as_vec3();
        let shift = (origin.as_dvec3() - ray.origin).length();
        let speed = ray.direction.as_dvec3().length();
        let room = match self.margins(0.0) {
            Margins::Wide { .. } => f64::from(self.bodies.least_margin.unwrap_or(0.0)),
            Margins::None => 0.0,
        };
        if shift > 0.5 * room || !(1e-3..1e3).contains(&speed) {
            // In f32 the ray would pass by a box that it meets.
            let unit = ray.direction.as_dvec3() / speed.max(f64::MIN_POSITIVE);
            let unit = if unit.is_normalized() { unit } else { ray.direction.as_dvec3().normalize() };
            // Distances are computed with roundings of their own: a little farther than the limit is near enough.
            let wide = |limit: f64| if limit >= 0.0 { limit * (1.0 + 1e-12) } else { -1.0 };
            let beam = BoxSweep::new(ray.origin, ray.origin, unit);
            self.visit_swept(&beam, 8.0, wide(limit), |shape| wide(visit(shape)));
            return Ok(());
        }
        // The boxes have room for the rounding of the origin; the limit needs some, too.
        let wide = |limit: f64| {
            if limit >= 0.0 { ((limit + 2.0 * shift) / speed * (1.0 + 1e-6)) as f32 } else { -1.0 }
        };
        let mut limit = wide(limit);
        if let Some(beam) = BoxRay::new(origin, ray.direction, limit) {
            self.broad.cast_ray(&beam, &mut |slot, _| {
                if let Some(shape) = self.placed_shape(slot) {
                    limit = wide(visit(shape)).min(limit);
                }
                limit
            });
        }
        Ok(())
    }

    /// Calls `visit` with the shapes whose boxes a moving box meets up to a time; what it returns is the new limit. The way
    /// is gone in stretches, each twice as long as the one before, and a shape is asked in that in which its box is met.
    fn visit_swept(&self, moving: &BoxSweep, first: f64, mut limit: f64, mut visit: impl FnMut(ShapeRef<'_>) -> f64) {
        // Beyond this all boxes in that direction are looked at.
        const LONG: f64 = 1e4;
        let (mut from, mut to) = (0.0, first);
        while from <= limit {
            let is_last = to >= limit || to > LONG.max(64.0 * first);
            let end = if is_last { f64::INFINITY } else { to };
            let reach = |time: f64| {
                // 0 · ∞ is not meant.
                moving.motion.to_array().map(|speed| if speed == 0.0 { 0.0 } else { speed * time })
            };
            let [start, stop] = [from, if is_last { limit } else { to }].map(|time| DVec3::from_array(reach(time)));
            let room = 1e-9 * (moving.min.abs().max(moving.max.abs()) + stop.abs().min(DVec3::splat(1e39)));
            let bounds = outward(moving.min + start.min(stop) - room, moving.max + start.max(stop) + room);
            self.broad.overlapping(&bounds, &mut |slot| {
                let entry = self.broad.bounds(slot).and_then(|bounds| moving.entry(&bounds, limit));
                let is_met = entry.is_some_and(|entry| entry >= from && entry < end);
                if let Some(shape) = self.placed_shape(slot).filter(|_| is_met) {
                    limit = visit(shape).min(limit);
                }
            });
            if is_last {
                break;
            }
            (from, to) = (to, 2.0 * to);
        }
    }

    /// Calls `visit` with each shape whose box is not farther from another than `bound`.
    fn visit_around(&self, bounds: &Aabb, bound: f64, mut visit: impl FnMut(ShapeRef<'_>)) {
        self.displaced_shapes().for_each(&mut visit);
        let bounds = outward(bounds.min.as_dvec3() - bound, bounds.max.as_dvec3() + bound);
        self.broad.overlapping(&bounds, &mut |slot| self.placed_shape(slot).into_iter().for_each(&mut visit));
    }

    /// Calls `visit` with shapes, those whose boxes are nearer to a ball first, until the rest are farther from it than the
    /// limit; what `visit` returns is the new limit.
    fn visit_near(&self, center: DVec3, radius: f64, limit: f64, mut visit: impl FnMut(ShapeRef<'_>) -> f64) {
        let mut limit = self.displaced_shapes().fold(limit, |limit, shape| visit(shape).min(limit));
        let (mut found, mut done, mut count) = (Vec::new(), 0, 8);
        let most = DVec3::splat(f64::from(f32::MAX));
        let place = center.clamp(-most, most).as_vec3();
        loop {
            self.broad.nearest(place, count, &mut found);
            for neighbour in &found[done.min(found.len())..] {
                let distance = f64::from(neighbour.distance_squared).sqrt();
                let doubt = 2e-6 * (center.abs().max_element() + distance);
                if distance - radius - doubt > limit {
                    return;
                }
                if let Some(shape) = self.placed_shape(neighbour.id) {
                    limit = visit(shape).min(limit);
                }
            }
            if found.len() < count {
                return;
            }
            (done, count) = (count, 4 * count);
        }
    }

    /// Shapes that are not where the broad phase has them.
    fn displaced_shapes(&self) -> impl Iterator<Item = ShapeRef<'_>> {
        let bodies = &self.bodies;
        let displaced = bodies.displaced.iter().filter_map(|id| bodies.resolve(*id).ok());
        displaced
            .map(|dense| &bodies.natures[dense])
            .filter(|nature| !nature.is_left_out())
            .flat_map(|nature| nature.colliders.iter().filter_map(|slot| ShapeRef::new(bodies, *slot)))
    }

    /// The shape of a box, if it is where the broad phase has it.
    fn placed_shape(&self, slot: u32) -> Option<ShapeRef<'_>> {
        let shape = ShapeRef::new(&self.bodies, slot)?;
        let nature = &self.bodies.natures[shape.collider.body as usize];
        (!nature.is_left_out() && !nature.is_displaced).then_some(shape)
    }
}

fn id_of(shape: ShapeRef<'_>) -> ShapeId {
    ShapeId { slot: shape.slot, body: shape.body.id() }
}

fn order(one: &ShapeCast, other: &ShapeCast) -> std::cmp::Ordering {
    cast_order(&one.cast, &other.cast).then(one.id.cmp(&other.id))
}

fn keep(first: &mut Option<WorldQueryError>, shape: ShapeRef<'_>, error: QueryError) {
    first.get_or_insert(WorldQueryError::Shape { id: id_of(shape), error });
}

fn end<T>(first: Option<WorldQueryError>, answer: T) -> Answer<T> {
    first.map_or(Ok(answer), Err)
}

fn checked_bound(bound: f64) -> Answer<f64> {
    if bound >= 0.0 { Ok(bound) } else { Err(WorldQueryError::Bound(bound)) }
}

/// The box of a shape at a pose, if both are sound.
fn bounds_of(shape: &Shape, pose: &Pose) -> Answer<Aabb> {
    let pose = pose.checked().map_err(|error| WorldQueryError::Pose { error })?;
    let bounds = Aabb::around_shape_at(shape, &pose);
    let is_sound = bounds.min.is_finite() && bounds.max.is_finite() && bounds.min.cmple(bounds.max).all();
    if is_sound { Ok(bounds) } else { Err(WorldQueryError::Bounds { shape: shape.kind() }) }
}

/// A box of f32 around one of f64, as large as there can be at the most.
fn outward(min: DVec3, max: DVec3) -> Aabb {
    let most = DVec3::splat(f64::from(f32::MAX));
    Aabb::rounded_outward(min.clamp(-most, most), max.clamp(-most, most))
}
