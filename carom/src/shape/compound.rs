//! Several shapes held rigidly together.

use super::{Shape, ShapeError, ShapeKind};
use crate::pose::LocalPose;

/// One part of a compound: a shape and its pose in the compound's frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Where the part is.
    pub pose: LocalPose,
    /// What it is.
    pub shape: Shape,
}

/// A list of parts. Compounds inside compounds are taken apart on construction, so every part is a shape of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Compound {
    parts: Vec<Part>,
}

impl Compound {
    /// A compound of at least one part. A half-space cannot be part of one.
    ///
    /// ```
    /// use carom::prelude::*;
    /// use carom::shape::{Compound, Part};
    ///
    /// let rod = Part { pose: LocalPose::IDENTITY, shape: Shape::capsule(1.0, 0.1)? };
    /// let head = Part { pose: LocalPose::at([0.0, 1.0, 0.0]), shape: Shape::cuboid(0.5, 0.25, 0.25)? };
    /// let hammer = Compound::new(vec![rod, head])?;
    /// assert_eq!(hammer.parts().len(), 2);
    /// # Ok::<(), ShapeError>(())
    /// ```
    pub fn new(parts: Vec<Part>) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::Empty { shape: ShapeKind::Compound, what: "parts" });
        }
        let mut flat = Vec::with_capacity(parts.len());
        for (child, Part { pose, shape }) in parts.into_iter().enumerate() {
            let pose = checked(child, pose)?;
            match shape {
                Shape::HalfSpace(_) => return Err(ShapeError::ChildKind { child, shape: ShapeKind::HalfSpace }),
                Shape::Compound(inner) => {
                    for part in &inner.parts {
                        // Both poses are sound, but far enough together their composition may not be.
                        let pose = checked(child, pose.compose(&part.pose))?;
                        flat.push(Part { pose, shape: part.shape.clone() });
                    }
                }
                shape => flat.push(Part { pose, shape }),
            }
        }
        Ok(Self { parts: flat })
    }

    /// The parts, none of them a compound.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
}

/// A rotation of unit length but for rounding stays as it is: normalizing it again could change its last bit, and a
/// compound would not read back from a file as it was written.
fn checked(child: usize, pose: LocalPose) -> Result<LocalPose, ShapeError> {
    let sound = pose.checked().map_err(|error| ShapeError::ChildPose { child, error })?;
    let is_unit = (pose.rotation.length_squared() - 1.0).abs() <= 4.0 * f32::EPSILON;
    Ok(if is_unit { pose } else { sound })
}
