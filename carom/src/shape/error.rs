//! What can be wrong with a shape, each case naming the part that is.

use super::ShapeKind;
use crate::pose::PoseError;
use glam::Vec3;

/// Why a shape could not be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A number is NaN or infinite.
    #[error("{shape}: the {what} is {value}, not a finite number")]
    NotFinite {
        /// The shape that was to be made.
        shape: ShapeKind,
        /// The quantity.
        what: &'static str,
        /// Its value.
        value: f32,
    },
    /// A size is zero or negative.
    #[error("{shape}: the {what} is {value}; it must be greater than zero")]
    NotPositive {
        /// The shape that was to be made.
        shape: ShapeKind,
        /// The quantity.
        what: &'static str,
        /// Its value.
        value: f32,
    },
    /// A direction has no length, so it points nowhere.
    #[error("{shape}: the {what} is zero and points nowhere")]
    ZeroDirection {
        /// The shape that was to be made.
        shape: ShapeKind,
        /// The direction.
        what: &'static str,
    },
    /// A vertex has a coordinate that is NaN or infinite.
    #[error("{shape}: vertex {vertex} is {value}, not a finite point")]
    VertexNotFinite {
        /// The shape that was to be made.
        shape: ShapeKind,
        /// Which vertex, counted from 0.
        vertex: usize,
        /// Its coordinates.
        value: Vec3,
    },
    /// Nothing was given to make the shape of.
    #[error("{shape}: no {what} given")]
    Empty {
        /// The shape that was to be made.
        shape: ShapeKind,
        /// What is missing.
        what: &'static str,
    },
    /// More was given than 32-bit indices can name.
    #[error("{shape}: {count} {what} are more than {limit}")]
    TooMany {
        /// The shape that was to be made.
        shape: ShapeKind,
        /// What there is too much of.
        what: &'static str,
        /// How many were given.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A hull needs at least four points.
    #[error("convex hull: {count} points given, at least 4 are needed")]
    TooFewPoints {
        /// How many were given.
        count: usize,
    },
    /// A hull's points span no volume.
    #[error("convex hull: the {count} points {extent}, so they enclose no volume")]
    FlatHull {
        /// How many points were given.
        count: usize,
        /// What they span instead.
        extent: FlatExtent,
    },
    /// A hull cannot be reduced to so few vertices.
    #[error("convex hull: a budget of {budget} vertices is less than the 4 of a tetrahedron")]
    BudgetTooSmall {
        /// The wanted number of vertices.
        budget: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("{shape}: corner {corner} of triangle {triangle} is vertex {index}, but there are {vertices} vertices")]
    IndexOutOfRange {
        /// The shape that was to be made.
        shape: ShapeKind,
        /// Which triangle, counted from 0.
        triangle: usize,
        /// Which of its corners, 0 to 2.
        corner: usize,
        /// The index found there.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A triangle has no area.
    #[error("{shape}: triangle {triangle} is degenerate: {reason}")]
    DegenerateTriangle {
        /// The shape that was to be made.
        shape: ShapeKind,
        /// Which triangle, counted from 0.
        triangle: usize,
        /// What is wrong with it.
        reason: Degeneracy,
    },
    /// A height field needs two columns and two rows to have a cell.
    #[error("height field: {columns} columns by {rows} rows; at least 2 by 2 are needed")]
    TooFewSamples {
        /// How many columns, along x.
        columns: usize,
        /// How many rows, along z.
        rows: usize,
    },
    /// The number of heights is not columns × rows.
    #[error("height field: {found} heights given for {columns} columns by {rows} rows")]
    WrongSampleCount {
        /// How many heights were given.
        found: usize,
        /// How many columns, along x.
        columns: usize,
        /// How many rows, along z.
        rows: usize,
    },
    /// A compound's child is placed wrongly.
    #[error("compound: child {child}: {error}")]
    ChildPose {
        /// Which child, counted from 0.
        child: usize,
        /// What is wrong with its pose.
        error: PoseError,
    },
    /// A compound cannot hold this shape.
    #[error("compound: child {child} is a {shape}, which cannot be part of a compound")]
    ChildKind {
        /// Which child, counted from 0.
        child: usize,
        /// What it is.
        shape: ShapeKind,
    },
    /// Only points, segments, triangles, cuboids and hulls, and their rounded forms, can be rounded.
    #[error("a {shape} is not a polytope and has no rounded form")]
    CannotRound {
        /// The shape that was to be rounded.
        shape: ShapeKind,
    },
    /// A user-defined support map has no place in a file.
    #[error("a {shape} shape cannot be written to or read from a file")]
    NotSerializable {
        /// The shape that was to be written.
        shape: ShapeKind,
    },
}

/// What the points of a hull span when they span no volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlatExtent {
    /// All points are the same.
    Point,
    /// All points lie on one line.
    Line,
    /// All points lie in one plane.
    Plane,
}

impl std::fmt::Display for FlatExtent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Point => "all coincide",
            Self::Line => "lie on one line",
            Self::Plane => "lie in one plane",
        })
    }
}

/// Why a triangle has no area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Degeneracy {
    /// Two of its corners are the same vertex, or two vertices at the same place.
    RepeatedCorner,
    /// Its three corners lie on one line.
    Collinear,
}

impl std::fmt::Display for Degeneracy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::RepeatedCorner => "two of its corners coincide",
            Self::Collinear => "its corners lie on one line",
        })
    }
}

/// `value`, or the error that says which quantity of which shape is not finite.
pub(super) fn finite(shape: ShapeKind, what: &'static str, value: f32) -> Result<f32, ShapeError> {
    if value.is_finite() { Ok(value) } else { Err(ShapeError::NotFinite { shape, what, value }) }
}

/// `value`, or the error that says which quantity of which shape is not finite or not above zero.
pub(super) fn positive(shape: ShapeKind, what: &'static str, value: f32) -> Result<f32, ShapeError> {
    let value = finite(shape, what, value)?;
    if value > 0.0 { Ok(value) } else { Err(ShapeError::NotPositive { shape, what, value }) }
}

/// The first vertex that is not finite, as an error.
pub(super) fn finite_vertices(shape: ShapeKind, vertices: &[Vec3]) -> Result<(), ShapeError> {
    match vertices.iter().position(|vertex| !vertex.is_finite()) {
        None => Ok(()),
        Some(vertex) => Err(ShapeError::VertexNotFinite { shape, vertex, value: vertices[vertex] }),
    }
}

/// Whether the triangle `corners` has an area that f64 can tell from zero, and if not, why.
pub(super) fn degeneracy(corners: [Vec3; 3]) -> Option<Degeneracy> {
    let [a, b, c] = corners.map(|corner| corner.as_dvec3());
    if a == b || b == c || c == a {
        return Some(Degeneracy::RepeatedCorner);
    }
    // Relative to the longest edge, so that it does not matter which corner comes first. Collinear corners cancel to
    // within f64 rounding; a real triangle as thin as this is of no use to f32.
    let (u, v) = (b - a, c - a);
    let longest_squared = u.length_squared().max(v.length_squared()).max(b.distance_squared(c));
    // Of f32 corners, the fourth power of a length is well within f64.
    (u.cross(v).length_squared() <= 1e-24 * (longest_squared * longest_squared)).then_some(Degeneracy::Collinear)
}
