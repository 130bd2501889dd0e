//! Where a ray first meets a shape.

use super::form::{Form, Pieces};
use super::{FARTHEST, QueryError, checked, is_unit, near_enough};
use super::{height_field, mesh, ray_convex};
use crate::distance::placement::Placement;
use crate::pose::Pose;
use crate::shape::Shape;
use fearless_simd::dispatch;
use glam::{DVec3, Vec3};

/// A half-line, or part of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: DVec3,
    /// Where it goes; of any length but zero, distances are measured in units of length and not of this.
    pub direction: Vec3,
    /// Where it ends; infinity is welcome.
    pub max_distance: f64,
}

/// Where a ray meets a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// How far it is from the ray's origin; 0 if it starts inside.
    pub distance: f64,
    /// The point, in the world.
    pub point: DVec3,
    /// The unit normal of the surface there, in the world, on the side that the ray comes from. Against the ray if it
    /// starts inside.
    pub normal: Vec3,
    /// Whether the ray starts inside the solid.
    pub starts_inside: bool,
}

impl Ray {
    /// A ray without end.
    pub fn new(origin: impl Into<DVec3>, direction: impl Into<Vec3>) -> Self {
        Self { origin: origin.into(), direction: direction.into(), max_distance: f64::INFINITY }
    }

    /// This ray up to a distance.
    pub fn up_to(self, max_distance: f64) -> Self {
        Self { max_distance, ..self }
    }
}

/// A hit in the frame of the shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalHit {
    pub(super) distance: f64,
    pub(super) normal: DVec3,
    pub(super) starts_inside: bool,
}

/// A ray in the frame of the shape; the direction is of unit length.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalRay {
    pub(super) origin: DVec3,
    pub(super) direction: DVec3,
    pub(super) max_distance: f64,
}

impl LocalRay {
    pub(super) fn at(&self, distance: f64) -> DVec3 {
        self.origin + distance * self.direction
    }

    /// In the frame of a part.
    fn seen_from(&self, part: &Placement) -> Self {
        Self { origin: part.point_to_inner(self.origin), direction: part.direction_to_inner(self.direction), ..*self }
    }
}

/// Where a ray first meets a shape, or none if it does not. Solids are met at once by a ray that starts inside.
///
/// ```
/// use carom::prelude::*;
/// use carom::query::Ray;
///
/// let ball = Shape::sphere(1.0)?;
/// let hit = query::ray_cast(&ball, &Pose::at([10.0, 0.0, 0.0]), &Ray::new([0.0, 0.0, 0.0], [2.0, 0.0, 0.0]))?;
/// let hit = hit.ok_or("the ray goes through the middle")?;
/// assert_eq!((hit.distance, hit.normal), (9.0, -Vec3::X));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ray_cast(shape: &Shape, pose: &Pose, ray: &Ray) -> Result<Option<RayHit>, QueryError> {
    check(pose, ray)?;
    if let Shape::Mesh(mesh) = shape {
        return Ok(dispatch!(mesh.tree().level(), simd => {
            let (local, frame) = placed(pose, ray);
            mesh::cast_wide(simd, mesh, &local).map(|hit| in_world(&hit, ray, &frame))
        }));
    }
    let (local, frame) = placed(pose, ray);
    Ok(cast(&Form::of(shape), &local)?.map(|hit| in_world(&hit, ray, &frame)))
}

#[inline(always)]
fn in_world(hit: &LocalHit, ray: &Ray, frame: &Placement) -> RayHit {
    RayHit {
        distance: hit.distance,
        point: ray.origin + hit.distance * ray.direction.as_dvec3().normalize(),
        normal: frame.direction_to_outer(hit.normal).as_vec3(),
        starts_inside: hit.starts_inside,
    }
}

/// Whether a ray meets a shape at all: ends at the first triangle or part that is found, near or far.
///
/// ```
/// use carom::prelude::*;
/// use carom::query::Ray;
///
/// let ball = Shape::sphere(1.0)?;
/// let ray = Ray::new([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
/// assert!(query::ray_hits(&ball, &Pose::at([5.0, 0.5, 0.0]), &ray)?);
/// assert!(!query::ray_hits(&ball, &Pose::at([5.0, 0.5, 0.0]), &ray.up_to(3.0))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ray_hits(shape: &Shape, pose: &Pose, ray: &Ray) -> Result<bool, QueryError> {
    check(pose, ray)?;
    hits(&Form::of(shape), &placed(pose, ray).0)
}

/// What is wrong with a ray.
pub(crate) fn checked_ray(ray: &Ray) -> Result<(), QueryError> {
    let direction = ray.direction.as_dvec3();
    if !ray.origin.is_finite() {
        return Err(QueryError::Vector { what: "origin of the ray", value: ray.origin });
    }
    if !direction.is_finite() || direction == DVec3::ZERO {
        return Err(QueryError::Vector { what: "direction of the ray", value: direction });
    }
    if ray.max_distance.is_nan() || ray.max_distance < 0.0 {
        return Err(QueryError::MaxDistance(ray.max_distance));
    }
    Ok(())
}

/// Whether a shape and a ray are sound.
#[inline(always)]
fn check(pose: &Pose, ray: &Ray) -> Result<(), QueryError> {
    // All at once, for what is common; what is not sound, or not quite of unit length, is looked at one by one.
    let coordinates = pose.position.abs().element_sum() + ray.origin.abs().element_sum();
    let square = ray.direction.length_squared();
    let is_common = coordinates <= FARTHEST && square > 1e-30 && square < f32::INFINITY && ray.max_distance >= 0.0;
    if !(is_common && is_unit(pose.rotation)) {
        checked("the shape", pose)?;
        checked_ray(ray)?;
        near_enough(ray.origin - pose.position)?;
    }
    Ok(())
}

/// A sound ray in the frame of a sound shape, and that frame in the axes of the world.
#[inline(always)]
fn placed(pose: &Pose, ray: &Ray) -> (LocalRay, Placement) {
    let frame = Placement::turned(pose);
    let local = LocalRay {
        origin: frame.direction_to_inner(ray.origin - pose.position),
        direction: frame.direction_to_inner(ray.direction.as_dvec3().normalize()),
        max_distance: ray.max_distance,
    };
    (local, frame)
}

fn hits(form: &Form<'_>, ray: &LocalRay) -> Result<bool, QueryError> {
    match form {
        Form::Pieces(Pieces::Mesh(mesh)) => Ok(mesh::is_hit(mesh, ray)),
        Form::Pieces(pieces @ Pieces::Compound(_)) => {
            for index in 0..pieces.count() {
                let (form, placement) = pieces.piece(index);
                if hits(&form, &ray.seen_from(&placement))? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Form::Convex(_) | Form::HalfSpace(_) | Form::Pieces(Pieces::HeightField(_)) => Ok(cast(form, ray)?.is_some()),
    }
}

fn cast(form: &Form<'_>, ray: &LocalRay) -> Result<Option<LocalHit>, QueryError> {
    match form {
        Form::Convex(convex) => ray_convex::cast(convex, ray),
        Form::HalfSpace(normal) => Ok(onto_half_space(*normal, ray)),
        Form::Pieces(Pieces::Mesh(mesh)) => Ok(mesh::cast(mesh, ray)),
        Form::Pieces(Pieces::HeightField(field)) => Ok(height_field::cast(field, ray)),
        Form::Pieces(pieces @ Pieces::Compound(_)) => {
            let mut best: Option<LocalHit> = None;
            for index in 0..pieces.count() {
                let (form, placement) = pieces.piece(index);
                let max_distance = best.map_or(ray.max_distance, |best| best.distance);
                let local = LocalRay { max_distance, ..ray.seen_from(&placement) };
                if let Some(hit) = cast(&form, &local)?
                    && best.is_none_or(|best| hit.distance < best.distance)
                {
                    best = Some(LocalHit { normal: placement.direction_to_outer(hit.normal), ..hit });
                }
            }
            Ok(best)
        }
    }
}

fn onto_half_space(normal: DVec3, ray: &LocalRay) -> Option<LocalHit> {
    let height = normal.dot(ray.origin);
    if height <= 0.0 {
        return Some(LocalHit { distance: 0.0, normal: -ray.direction, starts_inside: true });
    }
    let descent = -normal.dot(ray.direction);
    let distance = height / descent;
    (descent > 0.0 && distance <= ray.max_distance).then_some(LocalHit { distance, normal, starts_inside: false })
}
