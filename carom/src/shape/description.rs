//! How a shape is written in a file: what its constructor takes, under its name. Reading goes through the
//! constructors, so a file cannot bring in what code cannot.

use super::{ConvexHull, HeightField, Part, Rounded, Shape, ShapeError, ShapeKind, TriangleMesh};
use crate::pose::LocalPose;
use glam::{Quat, Vec3};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The written form of a [`Shape`], for example `{"cuboid": {"half_extents": [1, 1, 1]}}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum ShapeDescription {
    /// A point at the origin.
    Point {},
    /// From `a` to `b`.
    Segment { a: Vec3, b: Vec3 },
    /// Three corners, rounded by `radius`.
    Triangle {
        a: Vec3,
        b: Vec3,
        c: Vec3,
        #[serde(default, skip_serializing_if = "is_zero")]
        radius: f32,
    },
    /// A ball.
    Sphere { radius: f32 },
    /// A box, rounded by `radius`.
    Cuboid {
        half_extents: Vec3,
        #[serde(default, skip_serializing_if = "is_zero")]
        radius: f32,
    },
    /// A capsule from `a` to `b`.
    Capsule { a: Vec3, b: Vec3, radius: f32 },
    /// A cylinder along y.
    Cylinder { half_height: f32, radius: f32 },
    /// A cone along y.
    Cone { half_height: f32, radius: f32 },
    /// An ellipsoid.
    Ellipsoid { radii: Vec3 },
    /// The convex hull of points, rounded by `radius`.
    Hull {
        points: Vec<Vec3>,
        #[serde(default, skip_serializing_if = "is_zero")]
        radius: f32,
    },
    /// Everything below a plane through the origin.
    HalfSpace { normal: Vec3 },
    /// Triangles over vertices.
    Mesh { vertices: Vec<Vec3>, triangles: Vec<[u32; 3]> },
    /// Heights over a grid.
    HeightField { columns: usize, rows: usize, heights: Vec<f32>, spacing: [f32; 2] },
    /// Shapes held together.
    Compound { parts: Vec<PartDescription> },
    /// A user-defined shape, which cannot be read back.
    #[serde(skip_deserializing, serialize_with = "refuse_custom")]
    Custom {},
}

/// The written form of a [`Part`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartDescription {
    #[serde(default)]
    position: Vec3,
    #[serde(default)]
    rotation: Quat,
    shape: Shape,
}

fn refuse_custom<S: Serializer>(_: S) -> Result<S::Ok, S::Error> {
    Err(serde::ser::Error::custom(ShapeError::NotSerializable { shape: ShapeKind::Custom }))
}

fn is_zero(radius: &f32) -> bool {
    *radius == 0.0
}

fn rounded_by(shape: Shape, radius: f32) -> Result<Shape, ShapeError> {
    if radius == 0.0 { Ok(shape) } else { shape.rounded(radius) }
}

/// Reads the description and makes the shape while the reader is still inside it, so that a constructor's error is
/// reported at the line of the shape and not where the reader has got to by then.
impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_map(ShapeVisitor)
        } else {
            Self::try_from(ShapeDescription::deserialize(deserializer)?).map_err(D::Error::custom)
        }
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(r#"a shape, for example {"sphere": {"radius": 1}}"#)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        let description = ShapeDescription::deserialize(MapAccessDeserializer::new(&mut map))?;
        match map.next_key::<String>()? {
            None => Shape::try_from(description).map_err(A::Error::custom),
            Some(second) => Err(A::Error::custom(format_args!("a shape is of one kind; `{second}` is a second one"))),
        }
    }
}

impl TryFrom<ShapeDescription> for Shape {
    type Error = ShapeError;

    fn try_from(description: ShapeDescription) -> Result<Self, ShapeError> {
        match description {
            ShapeDescription::Point {} => Ok(Self::point()),
            ShapeDescription::Segment { a, b } => Self::segment(a, b),
            ShapeDescription::Triangle { a, b, c, radius } => rounded_by(Self::triangle(a, b, c)?, radius),
            ShapeDescription::Sphere { radius } => Self::sphere(radius),
            ShapeDescription::Cuboid { half_extents: half, radius } => {
                rounded_by(Self::cuboid(half.x, half.y, half.z)?, radius)
            }
            ShapeDescription::Capsule { a, b, radius } => Self::capsule_between(a, b, radius),
            ShapeDescription::Cylinder { half_height, radius } => Self::cylinder(half_height, radius),
            ShapeDescription::Cone { half_height, radius } => Self::cone(half_height, radius),
            ShapeDescription::Ellipsoid { radii } => Self::ellipsoid(radii.x, radii.y, radii.z),
            ShapeDescription::Hull { points, radius } => rounded_by(ConvexHull::new(&points)?.into(), radius),
            ShapeDescription::HalfSpace { normal } => Self::half_space(normal),
            ShapeDescription::Mesh { vertices, triangles } => TriangleMesh::new(vertices, triangles).map(Self::from),
            ShapeDescription::HeightField { columns, rows, heights, spacing } => {
                HeightField::new(columns, rows, heights, spacing).map(Self::from)
            }
            ShapeDescription::Compound { parts } => Self::compound(parts.into_iter().map(Part::from).collect()),
            ShapeDescription::Custom {} => Err(ShapeError::NotSerializable { shape: ShapeKind::Custom }),
        }
    }
}

impl From<PartDescription> for Part {
    fn from(PartDescription { position, rotation, shape }: PartDescription) -> Self {
        Self { pose: LocalPose::new(position, rotation), shape }
    }
}

impl From<&Part> for PartDescription {
    fn from(Part { pose, shape }: &Part) -> Self {
        Self { position: pose.position, rotation: pose.rotation, shape: shape.clone() }
    }
}

impl From<Shape> for ShapeDescription {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Point(_) => Self::Point {},
            Shape::Segment(segment) => Self::Segment { a: segment.a(), b: segment.b() },
            Shape::Triangle(triangle) => {
                let [a, b, c] = triangle.core().corners();
                Self::Triangle { a, b, c, radius: triangle.radius() }
            }
            Shape::Sphere(sphere) => Self::Sphere { radius: sphere.radius() },
            Shape::Cuboid(cuboid) => {
                Self::Cuboid { half_extents: cuboid.core().half_extents(), radius: cuboid.radius() }
            }
            Shape::Capsule(capsule) => {
                Self::Capsule { a: capsule.core().a(), b: capsule.core().b(), radius: capsule.radius() }
            }
            Shape::Cylinder(cylinder) => {
                Self::Cylinder { half_height: cylinder.half_height(), radius: cylinder.radius() }
            }
            Shape::Cone(cone) => Self::Cone { half_height: cone.half_height(), radius: cone.radius() },
            Shape::Ellipsoid(ellipsoid) => Self::Ellipsoid { radii: ellipsoid.radii() },
            Shape::Hull(hull) => Self::from_hull(&hull),
            Shape::HalfSpace(half_space) => Self::HalfSpace { normal: half_space.normal() },
            Shape::Mesh(mesh) => {
                Self::Mesh { vertices: mesh.vertices().to_vec(), triangles: mesh.triangles().to_vec() }
            }
            Shape::HeightField(field) => Self::HeightField {
                columns: field.columns(),
                rows: field.rows(),
                heights: field.heights().to_vec(),
                spacing: field.spacing(),
            },
            Shape::Compound(compound) => {
                Self::Compound { parts: compound.parts().iter().map(PartDescription::from).collect() }
            }
            Shape::Custom(_) => Self::Custom {},
        }
    }
}

impl ShapeDescription {
    fn from_hull(hull: &Rounded<std::sync::Arc<ConvexHull>>) -> Self {
        Self::Hull { points: hull.core().vertices().to_vec(), radius: hull.radius() }
    }
}
