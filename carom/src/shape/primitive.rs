//! The shapes that a few numbers describe. Each stands at the origin of its own frame; a pose puts it elsewhere.

use super::error::{degeneracy, finite, finite_vertices, positive};
use super::{ShapeError, ShapeKind};
use glam::Vec3;

/// A single point at the origin.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point;

/// The points between two different end points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    a: Vec3,
    b: Vec3,
}

/// The points of a triangle with three corners that are not on one line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle {
    corners: [Vec3; 3],
}

/// A ball around the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    radius: f32,
}

/// A box around the origin, its edges along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cuboid {
    half_extents: Vec3,
}

/// A cylinder around the y axis, its middle at the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinder {
    half_height: f32,
    radius: f32,
}

/// A cone around the y axis: apex at `+half_height`, base disc at `-half_height`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    half_height: f32,
    radius: f32,
}

/// An ellipsoid around the origin, its axes along the coordinate axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ellipsoid {
    radii: Vec3,
}

/// Everything below a plane through the origin: the points whose product with the normal is not positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    normal: Vec3,
}

impl Segment {
    /// A segment between two different points.
    pub fn new(a: impl Into<Vec3>, b: impl Into<Vec3>) -> Result<Self, ShapeError> {
        Self::core_of(ShapeKind::Segment, a.into(), b.into())
    }

    /// The segment that is a segment's or a capsule's core; errors name that shape.
    pub(super) fn core_of(shape: ShapeKind, a: Vec3, b: Vec3) -> Result<Self, ShapeError> {
        finite_vertices(shape, &[a, b])?;
        if a == b {
            return Err(ShapeError::NotPositive { shape, what: "length", value: 0.0 });
        }
        finite(shape, "length", a.as_dvec3().distance(b.as_dvec3()) as f32)?;
        Ok(Self { a, b })
    }

    /// The first end point.
    pub fn a(&self) -> Vec3 {
        self.a
    }

    /// The second end point.
    pub fn b(&self) -> Vec3 {
        self.b
    }

    /// From the first end point to the second.
    pub fn direction(&self) -> Vec3 {
        self.b - self.a
    }
}

impl Triangle {
    /// A triangle of three corners that are not on one line.
    pub fn new(a: impl Into<Vec3>, b: impl Into<Vec3>, c: impl Into<Vec3>) -> Result<Self, ShapeError> {
        let corners = [a.into(), b.into(), c.into()];
        finite_vertices(ShapeKind::Triangle, &corners)?;
        match degeneracy(corners) {
            Some(reason) => Err(ShapeError::DegenerateTriangle { shape: ShapeKind::Triangle, triangle: 0, reason }),
            None => Ok(Self { corners }),
        }
    }

    /// The corners, in the order given.
    pub fn corners(&self) -> [Vec3; 3] {
        self.corners
    }

    /// The unit normal that sees the corners run counter-clockwise.
    pub fn normal(&self) -> Vec3 {
        let [a, b, c] = self.corners.map(|corner| corner.as_dvec3());
        (b - a).cross(c - a).normalize_or_zero().as_vec3()
    }
}

impl Sphere {
    /// A ball of the given radius.
    pub fn new(radius: f32) -> Result<Self, ShapeError> {
        Ok(Self { radius: positive(ShapeKind::Sphere, "radius", radius)? })
    }

    /// The radius.
    pub fn radius(&self) -> f32 {
        self.radius
    }
}

impl Cuboid {
    /// A box from half of its extent along each axis.
    pub fn new(half_extents: impl Into<Vec3>) -> Result<Self, ShapeError> {
        let half_extents = half_extents.into();
        positive(ShapeKind::Cuboid, "half extent along x", half_extents.x)?;
        positive(ShapeKind::Cuboid, "half extent along y", half_extents.y)?;
        positive(ShapeKind::Cuboid, "half extent along z", half_extents.z)?;
        Ok(Self { half_extents })
    }

    /// Half of the extent along each axis.
    pub fn half_extents(&self) -> Vec3 {
        self.half_extents
    }

    /// The eight corners; bit 0, 1, 2 of the index say whether x, y, z is positive.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|corner| {
            let sign = |axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
            self.half_extents * Vec3::new(sign(0), sign(1), sign(2))
        })
    }
}

impl Cylinder {
    /// A cylinder from half of its height along y and its radius.
    pub fn new(half_height: f32, radius: f32) -> Result<Self, ShapeError> {
        Ok(Self {
            half_height: positive(ShapeKind::Cylinder, "half height", half_height)?,
            radius: positive(ShapeKind::Cylinder, "radius", radius)?,
        })
    }

    /// Half of the height along y.
    pub fn half_height(&self) -> f32 {
        self.half_height
    }

    /// The radius.
    pub fn radius(&self) -> f32 {
        self.radius
    }
}

impl Cone {
    /// A cone from half of its height along y and the radius of its base.
    pub fn new(half_height: f32, radius: f32) -> Result<Self, ShapeError> {
        Ok(Self {
            half_height: positive(ShapeKind::Cone, "half height", half_height)?,
            radius: positive(ShapeKind::Cone, "radius", radius)?,
        })
    }

    /// Half of the height along y.
    pub fn half_height(&self) -> f32 {
        self.half_height
    }

    /// The radius of the base.
    pub fn radius(&self) -> f32 {
        self.radius
    }
}

impl Ellipsoid {
    /// An ellipsoid from its radius along each axis.
    pub fn new(radii: impl Into<Vec3>) -> Result<Self, ShapeError> {
        let radii = radii.into();
        positive(ShapeKind::Ellipsoid, "radius along x", radii.x)?;
        positive(ShapeKind::Ellipsoid, "radius along y", radii.y)?;
        positive(ShapeKind::Ellipsoid, "radius along z", radii.z)?;
        Ok(Self { radii })
    }

    /// The radius along each axis.
    pub fn radii(&self) -> Vec3 {
        self.radii
    }
}

impl HalfSpace {
    /// The half-space under a plane with this outward normal, of any length but zero.
    pub fn new(normal: impl Into<Vec3>) -> Result<Self, ShapeError> {
        let normal = normal.into();
        finite(ShapeKind::HalfSpace, "normal along x", normal.x)?;
        finite(ShapeKind::HalfSpace, "normal along y", normal.y)?;
        finite(ShapeKind::HalfSpace, "normal along z", normal.z)?;
        // Of unit length but for rounding, it stays as it is: normalizing again could change its last bit, and a
        // half-space would not read back from a file as it was written.
        if (normal.length_squared() - 1.0).abs() <= 4.0 * f32::EPSILON {
            return Ok(Self { normal });
        }
        let unit = normal.as_dvec3().normalize_or_zero().as_vec3();
        if unit == Vec3::ZERO {
            return Err(ShapeError::ZeroDirection { shape: ShapeKind::HalfSpace, what: "normal" });
        }
        Ok(Self { normal: unit })
    }

    /// The unit normal, pointing out of the solid side.
    pub fn normal(&self) -> Vec3 {
        self.normal
    }
}
