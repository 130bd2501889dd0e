//! What can be wrong with mass properties, each case naming the part that is.

use crate::shape::ShapeKind;
use glam::{Mat3, Vec3};

/// Why mass properties could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MassError {
    /// A density or a mass is not a finite number above zero.
    #[error("the {what} is {value}; it must be finite and greater than zero")]
    NotPositive {
        /// The quantity.
        what: &'static str,
        /// Its value.
        value: f32,
    },
    /// The shape encloses no volume, or an infinite one, so a density gives it no mass.
    #[error("a {shape} without a finite volume of its own has no mass")]
    NoVolume {
        /// The shape.
        shape: ShapeKind,
    },
    /// A mesh's surface does not separate an inside from an outside.
    #[error("mesh: the edge from vertex {a} to vertex {b} {fault}, so the mesh encloses no volume",
        a = .vertices[0], b = .vertices[1])]
    NotClosed {
        /// The ends of the first faulty edge, the lesser index first.
        vertices: [u32; 2],
        /// What is wrong with it.
        fault: EdgeFault,
    },
    /// A mesh's triangles see their corners run counter-clockwise from inside.
    #[error("mesh: it is inside out (its volume is {volume}); reverse the corners of every triangle")]
    InsideOut {
        /// The signed volume, below zero.
        volume: f64,
    },
    /// A user-defined support map gave a point that is NaN or infinite.
    #[error("custom: the support along {direction} is {value}, not a finite point")]
    SupportNotFinite {
        /// The direction asked for.
        direction: Vec3,
        /// What was answered.
        value: Vec3,
    },
    /// The result is beyond the greatest f32, or so near zero that f32 loses digits.
    #[error("the {what} is {value}, which does not fit 32-bit floating point")]
    OutOfRange {
        /// The quantity.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// Nothing has no centre of mass.
    #[error("no parts to combine")]
    NoParts,
    /// A part of a compound, or of what was to be combined, is at fault.
    #[error("part {part}: {error}")]
    Part {
        /// Which part, counted from 0.
        part: usize,
        /// What is wrong with it.
        error: Box<MassError>,
    },
    /// The centre of mass is not a finite point.
    #[error("the centre of mass {0} is not finite")]
    Center(Vec3),
    /// The inertia cannot be that of a body.
    #[error("the inertia {inertia} {fault}")]
    Inertia {
        /// The matrix.
        inertia: Mat3,
        /// What is wrong with it.
        fault: InertiaFault,
    },
}

/// Why an edge of a mesh does not close the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeFault {
    /// It belongs to one triangle only.
    Boundary,
    /// It belongs to two triangles that run along it in the same direction, so one of them is flipped.
    Inconsistent,
    /// It belongs to more than two triangles, and not as many of them run along it one way as the other.
    Branching {
        /// How many triangles meet there.
        triangles: usize,
    },
}

impl std::fmt::Display for EdgeFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Boundary => f.write_str("belongs to one triangle only"),
            Self::Inconsistent => f.write_str("is run through in the same direction by both of its triangles"),
            Self::Branching { triangles } => write!(f, "belongs to {triangles} triangles"),
        }
    }
}

/// Why a matrix is not the inertia of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InertiaFault {
    /// An element is NaN or infinite.
    NotFinite,
    /// It differs from its transpose.
    NotSymmetric,
    /// A principal moment is not above zero.
    NotPositive,
    /// One principal moment is greater than the sum of the other two, which no distribution of mass has.
    TriangleInequality,
}

impl std::fmt::Display for InertiaFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotFinite => "is not finite",
            Self::NotSymmetric => "is not symmetric",
            Self::NotPositive => "has a principal moment that is not above zero",
            Self::TriangleInequality => "has a principal moment greater than the sum of the other two",
        })
    }
}
