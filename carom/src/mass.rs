//! How heavy a shape is and how it resists turning: mass, centre of mass and inertia of every solid shape (S6).
//!
//! Everything is computed in f64, about a point inside the shape, and narrowed at the end; what does not fit f32 is an
//! error. The inverse inertia of a body is [`MassProperties::inverse_inertia`], computed once in the body's frame.

mod error;
mod mesh;
mod moments;
mod polytope;
mod primitive;
pub(crate) mod principal;
mod support_surface;
mod wide;

pub use error::{EdgeFault, InertiaFault, MassError};

use crate::pose::LocalPose;
use crate::shape::Shape;
use glam::{DMat3, DQuat, DVec3, Mat3, Quat, Vec3};
use wide::Wide;

/// How far an inertia given by the user may be from symmetric and from the triangle inequality, relative to its
/// greatest element, before a door refuses it.
const INERTIA_TOLERANCE: f64 = 1e-4;

/// Mass, centre of mass and inertia about it, in the shape's frame.
///
/// The fields are open; every door that takes mass properties checks them with [`MassProperties::checked`].
///
/// ```
/// use carom::prelude::*;
///
/// let plank = MassProperties::of_shape(&Shape::cuboid(2.0, 0.05, 0.1)?, 600.0)?;
/// assert_eq!(plank.mass, 48.0);
/// assert_eq!(plank.center_of_mass, Vec3::ZERO);
/// // About its end it is four times as hard to swing as about its middle, nearly.
/// let swing = plank.about(Vec3::X * 2.0).z_axis.z / plank.inertia.z_axis.z;
/// assert!((swing - 4.0).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct MassProperties {
    /// The mass.
    pub mass: f32,
    /// The centre of mass, in the shape's frame.
    pub center_of_mass: Vec3,
    /// The inertia about the centre of mass, along the axes of the shape's frame: symmetric, positive definite.
    pub inertia: Mat3,
}

impl MassProperties {
    /// Of a solid of uniform density.
    ///
    /// A point, a segment, a sharp triangle, a height field and a half-space have no volume of their own. A mesh must be
    /// closed and have its triangles counter-clockwise from outside: the error names an edge where it is not, and a
    /// mesh that is inside out is an error too, for its surface says that the solid is everything else. Where parts of
    /// a compound overlap, the overlap counts twice. A user-defined shape is measured through its support map to about
    /// 1e-4; where that is not enough, state its mass properties directly. All else is exact up to rounding.
    pub fn of_shape(shape: &Shape, density: f32) -> Result<Self, MassError> {
        let density = positive("density", density)?;
        of_unit_density(shape)?.scaled(density).narrowed()
    }

    /// Of parts held rigidly together, all given in the same frame.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let ball = MassProperties::of_shape(&Shape::sphere(0.1)?, 1000.0)?;
    /// let left = ball.moved(&LocalPose::at([-1.0, 0.0, 0.0]));
    /// let right = ball.with_mass(3.0 * ball.mass)?.moved(&LocalPose::at([1.0, 0.0, 0.0]));
    /// let dumbbell = MassProperties::combined([left, right])?;
    /// assert_eq!(dumbbell.center_of_mass, Vec3::new(0.5, 0.0, 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn combined(parts: impl IntoIterator<Item = Self>) -> Result<Self, MassError> {
        let wide = parts.into_iter().enumerate().map(|(part, properties)| match properties.checked() {
            Ok(sound) => Ok(Wide::from(&sound)),
            Err(error) => Err(MassError::Part { part, error: Box::new(error) }),
        });
        Wide::combined(&wide.collect::<Result<Vec<_>, _>>()?).ok_or(MassError::NoParts)?.narrowed()
    }

    /// Of the same body seen from the frame in which its own is at `pose`, a pose that [`LocalPose::checked`] accepts.
    pub fn moved(&self, pose: &LocalPose) -> Self {
        let moved = Wide::from(self).moved(pose.rotation.as_dquat().normalize(), pose.position.as_dvec3());
        Self { mass: self.mass, center_of_mass: moved.center.as_vec3(), inertia: moved.inertia.as_mat3() }
    }

    /// The inertia about another point than the centre of mass, along the same axes.
    pub fn about(&self, point: Vec3) -> Mat3 {
        Wide::from(self).about(point.as_dvec3()).as_mat3()
    }

    /// The principal moments, and the rotation from the principal frame to the shape's frame: along the axes of the
    /// principal frame the inertia is diagonal.
    ///
    /// The moments stand in the order of the frame's axes, not sorted: an inertia that is diagonal already gives its
    /// diagonal and the identity. They are positive and none is greater than the sum of the other two; a moment that
    /// is lost in the f32 rounding of the off-diagonal elements (a needle, 3000 times as long as thick, askew in its
    /// frame) is raised to that rounding.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let brick = MassProperties::of_shape(&Shape::cuboid(1.0, 0.5, 0.25)?, 1.0)?;
    /// let turned = brick.moved(&LocalPose::new(Vec3::ZERO, Quat::from_rotation_z(0.5)));
    /// let (moments, frame) = turned.principal();
    /// assert!((moments - brick.principal().0).length() < 1e-6);
    /// assert!(frame.angle_between(Quat::from_rotation_z(0.5)) < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn principal(&self) -> (Vec3, Quat) {
        let (moments, frame) = self.principal_axes();
        let mut moments = moments.as_vec3();
        // Again after narrowing, so that it holds in f32 arithmetic too.
        let greatest = moments.max_position();
        moments[greatest] = moments[greatest].min(moments[(greatest + 1) % 3] + moments[(greatest + 2) % 3]);
        (moments, DQuat::from_mat3(&frame).normalize().as_quat())
    }

    /// The inverse of the inertia, from the principal moments of [`MassProperties::principal`], so that it is positive
    /// definite for the thinnest of bodies. In the world it is `R · inverse · Rᵀ` for the body's rotation `R`.
    pub fn inverse_inertia(&self) -> Mat3 {
        let (moments, frame) = self.principal_axes();
        // What cannot be turned has moment 0 only if the fields were filled in by hand and never checked.
        let inverse = moments.map(|moment| if moment > 0.0 { 1.0 / moment } else { 0.0 });
        wide::symmetric(frame * DMat3::from_diagonal(inverse) * frame.transpose()).as_mat3()
    }

    /// The same body with another mass: the density changes, the shape does not.
    pub fn with_mass(&self, mass: f32) -> Result<Self, MassError> {
        let factor = positive("mass", mass)? / positive("mass", self.mass)?;
        Ok(Self { mass, ..Wide::from(self).scaled(factor).narrowed()? })
    }

    /// These mass properties, or what is wrong with them; the inertia is made exactly symmetric.
    pub fn checked(self) -> Result<Self, MassError> {
        positive("mass", self.mass)?;
        if !self.center_of_mass.is_finite() {
            return Err(MassError::Center(self.center_of_mass));
        }
        let fault = |fault| Err(MassError::Inertia { inertia: self.inertia, fault });
        if !self.inertia.is_finite() {
            return fault(InertiaFault::NotFinite);
        }
        let inertia = self.inertia.as_dmat3();
        let skew = (inertia - inertia.transpose()).to_cols_array().into_iter().fold(0.0, f64::max);
        let (moments, _) = principal::axes(wide::symmetric(inertia));
        let greatest = moments.max_element();
        if skew > INERTIA_TOLERANCE * greatest.abs() {
            return fault(InertiaFault::NotSymmetric);
        }
        if moments.min_element() <= -f64::from(f32::EPSILON) * greatest || greatest <= 0.0 {
            return fault(InertiaFault::NotPositive);
        }
        if greatest * (1.0 - INERTIA_TOLERANCE) > moments.element_sum() - greatest {
            return fault(InertiaFault::TriangleInequality);
        }
        Ok(Self { inertia: wide::symmetric(inertia).as_mat3(), ..self })
    }

    /// The principal moments, sound as [`MassProperties::principal`] says, and their axes as columns, in f64.
    fn principal_axes(&self) -> (DVec3, DMat3) {
        let inertia = wide::symmetric(self.inertia.as_dmat3());
        let (mut moments, frame) = principal::axes(inertia);
        // Turning by a small angle t makes off-diagonal elements of t times the moments, whose rounding changes the
        // least moment by t² times the rounding: never more than the rounding of the off-diagonal elements.
        let off_diagonal = DVec3::new(inertia.x_axis.y, inertia.x_axis.z, inertia.y_axis.z).abs().max_element();
        moments = moments.max(DVec3::splat(2.0 * f64::from(f32::EPSILON) * off_diagonal));
        let greatest = moments.max_position();
        moments[greatest] = moments[greatest].min(moments[(greatest + 1) % 3] + moments[(greatest + 2) % 3]);
        (moments, frame)
    }
}

/// `value` in f64, or the error that says it is not a finite number above zero.
pub(crate) fn positive(what: &'static str, value: f32) -> Result<f64, MassError> {
    if value.is_finite() && value > 0.0 { Ok(value.into()) } else { Err(MassError::NotPositive { what, value }) }
}

fn of_unit_density(shape: &Shape) -> Result<Wide, MassError> {
    let no_volume = MassError::NoVolume { shape: shape.kind() };
    match shape {
        Shape::Sphere(sphere) => Ok(primitive::sphere(sphere)),
        Shape::Cuboid(cuboid) => Ok(primitive::cuboid(cuboid)),
        Shape::Capsule(capsule) => Ok(primitive::capsule(capsule)),
        Shape::Cylinder(cylinder) => Ok(primitive::cylinder(cylinder)),
        Shape::Cone(cone) => Ok(primitive::cone(cone)),
        Shape::Ellipsoid(ellipsoid) => Ok(primitive::ellipsoid(ellipsoid)),
        Shape::Triangle(triangle) => polytope::triangle(triangle).ok_or(no_volume),
        Shape::Hull(hull) => polytope::hull(hull).ok_or(no_volume),
        Shape::Mesh(mesh) => mesh::mesh(mesh),
        Shape::Compound(compound) => {
            let parts = compound.parts().iter().enumerate().map(|(part, at)| match of_unit_density(&at.shape) {
                Ok(wide) => Ok(wide.moved(at.pose.rotation.as_dquat().normalize(), at.pose.position.as_dvec3())),
                Err(error) => Err(MassError::Part { part, error: Box::new(error) }),
            });
            Wide::combined(&parts.collect::<Result<Vec<_>, _>>()?).ok_or(MassError::NoParts)
        }
        Shape::Custom(map) => support_surface::custom(map.as_ref()),
        Shape::Point(_) | Shape::Segment(_) | Shape::HalfSpace(_) | Shape::HeightField(_) => Err(no_volume),
    }
}
