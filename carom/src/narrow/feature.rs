//! Names for the corners, edges and faces of a shape, so that a contact is known again in the next frame (N5).

/// A corner, edge or face of a shape, or its curved surface; packed into 32 bits.
///
/// Boxes number their corners as [`crate::shape::Cuboid::corners`] does, hulls as their own lists do. A name does not
/// depend on which of two shapes was clipped to the other.
///
/// ```
/// use carom::narrow::{Feature, FeatureKind};
///
/// let edge = Feature::edge(7);
/// assert_eq!((edge.kind(), edge.index()), (FeatureKind::Edge, 7));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Feature(u32);

/// What a [`Feature`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeatureKind {
    /// A point of a curved surface.
    Surface,
    /// A corner.
    Vertex,
    /// An edge, or a straight line on a curved side.
    Edge,
    /// A flat face.
    Face,
}

const KIND_SHIFT: u32 = 30;
const INDEX_MASK: u32 = (1 << KIND_SHIFT) - 1;

impl Feature {
    /// The curved surface of a shape.
    pub const SURFACE: Self = Self(0);

    /// Corner `index`.
    pub const fn vertex(index: u32) -> Self {
        Self(1 << KIND_SHIFT | index & INDEX_MASK)
    }

    /// Edge `index`.
    pub const fn edge(index: u32) -> Self {
        Self(2 << KIND_SHIFT | index & INDEX_MASK)
    }

    /// Face `index`.
    pub const fn face(index: u32) -> Self {
        Self(3 << KIND_SHIFT | index & INDEX_MASK)
    }

    /// What it is.
    pub const fn kind(self) -> FeatureKind {
        match self.0 >> KIND_SHIFT {
            0 => FeatureKind::Surface,
            1 => FeatureKind::Vertex,
            2 => FeatureKind::Edge,
            _ => FeatureKind::Face,
        }
    }

    /// Which of its kind.
    pub const fn index(self) -> u32 {
        self.0 & INDEX_MASK
    }
}
