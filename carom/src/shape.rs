//! What bodies are made of: one [`Shape`] for all of them, whose constructors let nothing unsound in.
//!
//! A shape stands in a frame of its own and is cheap to clone: what needs much memory is shared. Polytopes carry a
//! rounding radius ([`Rounded`]), so a capsule is a rounded segment and a rounded box is a cuboid with a radius.

mod compound;
#[cfg(feature = "serde")]
mod description;
mod error;
mod height_field;
pub mod hull;
mod mesh;
mod primitive;
mod rounded;
pub mod support;

pub use compound::{Compound, Part};
pub use error::{Degeneracy, FlatExtent, ShapeError};
pub use height_field::HeightField;
pub use hull::ConvexHull;
pub use mesh::{MeshRepair, TriangleMesh};
pub use primitive::{Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Point, Segment, Sphere, Triangle};
pub use rounded::{Capsule, Rounded};
pub use support::SupportMap;

use glam::Vec3;
use std::sync::Arc;

/// A shape in its own frame.
///
/// ```
/// use carom::prelude::*;
///
/// let ball = Shape::sphere(0.5)?;
/// assert_eq!(ball.support([0.0, 2.0, 0.0].into()), Some([0.0, 0.5, 0.0].into()));
///
/// let error = Shape::cuboid(1.0, -1.0, 1.0).unwrap_err();
/// assert_eq!(error.to_string(), "cuboid: the half extent along y is -1; it must be greater than zero");
/// # Ok::<(), ShapeError>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(into = "description::ShapeDescription"))]
pub enum Shape {
    /// A point at the origin.
    Point(Point),
    /// The points between two end points.
    Segment(Segment),
    /// A triangle, sharp or rounded.
    Triangle(Rounded<Triangle>),
    /// A ball: the rounded point.
    Sphere(Sphere),
    /// A box, sharp or rounded.
    Cuboid(Rounded<Cuboid>),
    /// A capsule: the rounded segment.
    Capsule(Capsule),
    /// A cylinder around the y axis.
    Cylinder(Cylinder),
    /// A cone around the y axis.
    Cone(Cone),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// A convex polytope, sharp or rounded.
    Hull(Rounded<Arc<ConvexHull>>),
    /// Everything below a plane.
    HalfSpace(HalfSpace),
    /// A surface of triangles.
    Mesh(Arc<TriangleMesh>),
    /// A terrain of heights over a grid.
    HeightField(Arc<HeightField>),
    /// Several shapes held rigidly together.
    Compound(Arc<Compound>),
    /// A convex shape of the user's own, known by its support map.
    Custom(Arc<dyn SupportMap>),
}

/// Which shape it is, without its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the variant of Shape with the same name")]
pub enum ShapeKind {
    Point,
    Segment,
    Triangle,
    Sphere,
    Cuboid,
    Capsule,
    Cylinder,
    Cone,
    Ellipsoid,
    Hull,
    HalfSpace,
    Mesh,
    HeightField,
    Compound,
    Custom,
}

impl std::fmt::Display for ShapeKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Point => "point",
            Self::Segment => "segment",
            Self::Triangle => "triangle",
            Self::Sphere => "sphere",
            Self::Cuboid => "cuboid",
            Self::Capsule => "capsule",
            Self::Cylinder => "cylinder",
            Self::Cone => "cone",
            Self::Ellipsoid => "ellipsoid",
            Self::Hull => "convex hull",
            Self::HalfSpace => "half-space",
            Self::Mesh => "mesh",
            Self::HeightField => "height field",
            Self::Compound => "compound",
            Self::Custom => "custom",
        })
    }
}

impl Shape {
    /// A point at the origin.
    pub fn point() -> Self {
        Self::Point(Point)
    }

    /// A segment between two different points.
    pub fn segment(a: impl Into<Vec3>, b: impl Into<Vec3>) -> Result<Self, ShapeError> {
        Segment::new(a, b).map(Self::Segment)
    }

    /// A triangle of three corners that are not on one line.
    pub fn triangle(a: impl Into<Vec3>, b: impl Into<Vec3>, c: impl Into<Vec3>) -> Result<Self, ShapeError> {
        Triangle::new(a, b, c).map(|core| Self::Triangle(Rounded::sharp(core)))
    }

    /// A ball of the given radius.
    pub fn sphere(radius: f32) -> Result<Self, ShapeError> {
        Sphere::new(radius).map(Self::Sphere)
    }

    /// A box from half of its extent along each axis.
    pub fn cuboid(half_x: f32, half_y: f32, half_z: f32) -> Result<Self, ShapeError> {
        Cuboid::new([half_x, half_y, half_z]).map(|core| Self::Cuboid(Rounded::sharp(core)))
    }

    /// A capsule along the y axis; its segment reaches `half_height` up and down, its caps `radius` beyond.
    pub fn capsule(half_height: f32, radius: f32) -> Result<Self, ShapeError> {
        let kind = ShapeKind::Capsule;
        let half_height = error::positive(kind, "half height", half_height)?;
        Self::capsule_between([0.0, -half_height, 0.0], [0.0, half_height, 0.0], radius)
    }

    /// A capsule around the segment between two different points.
    pub fn capsule_between(a: impl Into<Vec3>, b: impl Into<Vec3>, radius: f32) -> Result<Self, ShapeError> {
        let radius = error::positive(ShapeKind::Capsule, "radius", radius)?;
        let core = Segment::core_of(ShapeKind::Capsule, a.into(), b.into())?;
        Rounded::new(core, radius, ShapeKind::Capsule).map(Self::Capsule)
    }

    /// A cylinder along the y axis.
    pub fn cylinder(half_height: f32, radius: f32) -> Result<Self, ShapeError> {
        Cylinder::new(half_height, radius).map(Self::Cylinder)
    }

    /// A cone along the y axis: apex at `+half_height`, base at `-half_height`.
    pub fn cone(half_height: f32, radius: f32) -> Result<Self, ShapeError> {
        Cone::new(half_height, radius).map(Self::Cone)
    }

    /// An ellipsoid from its radius along each axis.
    pub fn ellipsoid(radius_x: f32, radius_y: f32, radius_z: f32) -> Result<Self, ShapeError> {
        Ellipsoid::new([radius_x, radius_y, radius_z]).map(Self::Ellipsoid)
    }

    /// The convex hull of a point cloud.
    pub fn hull(points: &[Vec3]) -> Result<Self, ShapeError> {
        ConvexHull::new(points).map(Self::from)
    }

    /// Everything below the plane through the origin with this outward normal.
    pub fn half_space(normal: impl Into<Vec3>) -> Result<Self, ShapeError> {
        HalfSpace::new(normal).map(Self::HalfSpace)
    }

    /// A surface of triangles; see [`TriangleMesh::new`] and, for files that are not quite sound,
    /// [`TriangleMesh::repaired`].
    pub fn mesh(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        TriangleMesh::new(vertices, triangles).map(Self::from)
    }

    /// A terrain; see [`HeightField::new`].
    pub fn height_field(columns: usize, rows: usize, heights: Vec<f32>, spacing: [f32; 2]) -> Result<Self, ShapeError> {
        HeightField::new(columns, rows, heights, spacing).map(Self::from)
    }

    /// Several shapes held rigidly together; see [`Compound::new`].
    pub fn compound(parts: Vec<Part>) -> Result<Self, ShapeError> {
        Compound::new(parts).map(Self::from)
    }

    /// A convex shape of the user's own.
    pub fn custom(support_map: impl SupportMap + 'static) -> Self {
        Self::Custom(Arc::new(support_map))
    }

    /// This polytope rounded by `radius` more: a point becomes a sphere, a segment a capsule, and triangles, cuboids
    /// and hulls grow by the radius with round corners and edges. Other shapes have no rounded form.
    pub fn rounded(&self, radius: f32) -> Result<Self, ShapeError> {
        match self {
            Self::Point(_) => Self::sphere(radius),
            Self::Sphere(sphere) => Self::sphere(sphere.radius() + error::positive(self.kind(), "radius", radius)?),
            Self::Segment(segment) => Self::capsule_between(segment.a(), segment.b(), radius),
            Self::Capsule(capsule) => capsule.grown(radius, self.kind()).map(Self::Capsule),
            Self::Triangle(triangle) => triangle.grown(radius, self.kind()).map(Self::Triangle),
            Self::Cuboid(cuboid) => cuboid.grown(radius, self.kind()).map(Self::Cuboid),
            Self::Hull(hull) => hull.grown(radius, self.kind()).map(Self::Hull),
            Self::Cylinder(_)
            | Self::Cone(_)
            | Self::Ellipsoid(_)
            | Self::HalfSpace(_)
            | Self::Mesh(_)
            | Self::HeightField(_)
            | Self::Compound(_)
            | Self::Custom(_) => Err(ShapeError::CannotRound { shape: self.kind() }),
        }
    }

    /// Which shape it is.
    pub fn kind(&self) -> ShapeKind {
        match self {
            Self::Point(_) => ShapeKind::Point,
            Self::Segment(_) => ShapeKind::Segment,
            Self::Triangle(_) => ShapeKind::Triangle,
            Self::Sphere(_) => ShapeKind::Sphere,
            Self::Cuboid(_) => ShapeKind::Cuboid,
            Self::Capsule(_) => ShapeKind::Capsule,
            Self::Cylinder(_) => ShapeKind::Cylinder,
            Self::Cone(_) => ShapeKind::Cone,
            Self::Ellipsoid(_) => ShapeKind::Ellipsoid,
            Self::Hull(_) => ShapeKind::Hull,
            Self::HalfSpace(_) => ShapeKind::HalfSpace,
            Self::Mesh(_) => ShapeKind::Mesh,
            Self::HeightField(_) => ShapeKind::HeightField,
            Self::Compound(_) => ShapeKind::Compound,
            Self::Custom(_) => ShapeKind::Custom,
        }
    }

    /// The support map of a bounded convex shape; none for half-spaces, meshes, height fields and compounds.
    pub fn as_support_map(&self) -> Option<&dyn SupportMap> {
        match self {
            Self::Point(point) => Some(point),
            Self::Segment(segment) => Some(segment),
            Self::Triangle(triangle) => Some(triangle),
            Self::Sphere(sphere) => Some(sphere),
            Self::Cuboid(cuboid) => Some(cuboid),
            Self::Capsule(capsule) => Some(capsule),
            Self::Cylinder(cylinder) => Some(cylinder),
            Self::Cone(cone) => Some(cone),
            Self::Ellipsoid(ellipsoid) => Some(ellipsoid),
            Self::Hull(hull) => Some(hull),
            Self::Custom(custom) => Some(custom.as_ref()),
            Self::HalfSpace(_) | Self::Mesh(_) | Self::HeightField(_) | Self::Compound(_) => None,
        }
    }

    /// The farthest point along `direction`; none where [`Shape::as_support_map`] is none.
    pub fn support(&self, direction: Vec3) -> Option<Vec3> {
        self.as_support_map().map(|map| map.support(direction))
    }
}

/// Equal by value; user-defined shapes are equal when they are the same object.
impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        match self {
            Self::Point(a) => matches!(other, Self::Point(b) if a == b),
            Self::Segment(a) => matches!(other, Self::Segment(b) if a == b),
            Self::Triangle(a) => matches!(other, Self::Triangle(b) if a == b),
            Self::Sphere(a) => matches!(other, Self::Sphere(b) if a == b),
            Self::Cuboid(a) => matches!(other, Self::Cuboid(b) if a == b),
            Self::Capsule(a) => matches!(other, Self::Capsule(b) if a == b),
            Self::Cylinder(a) => matches!(other, Self::Cylinder(b) if a == b),
            Self::Cone(a) => matches!(other, Self::Cone(b) if a == b),
            Self::Ellipsoid(a) => matches!(other, Self::Ellipsoid(b) if a == b),
            Self::Hull(a) => matches!(other, Self::Hull(b) if a == b),
            Self::HalfSpace(a) => matches!(other, Self::HalfSpace(b) if a == b),
            Self::Mesh(a) => matches!(other, Self::Mesh(b) if a == b),
            Self::HeightField(a) => matches!(other, Self::HeightField(b) if a == b),
            Self::Compound(a) => matches!(other, Self::Compound(b) if a == b),
            Self::Custom(a) => matches!(other, Self::Custom(b) if Arc::ptr_eq(a, b)),
        }
    }
}

impl From<ConvexHull> for Shape {
    fn from(hull: ConvexHull) -> Self {
        Self::Hull(Rounded::sharp(Arc::new(hull)))
    }
}

impl From<TriangleMesh> for Shape {
    fn from(mesh: TriangleMesh) -> Self {
        Self::Mesh(Arc::new(mesh))
    }
}

impl From<HeightField> for Shape {
    fn from(field: HeightField) -> Self {
        Self::HeightField(Arc::new(field))
    }
}

impl From<Compound> for Shape {
    fn from(compound: Compound) -> Self {
        Self::Compound(Arc::new(compound))
    }
}
