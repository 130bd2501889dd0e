//! One shape of a body to be, with options of its own.

use super::Material;
use crate::detector::Filter;
use crate::pose::LocalPose;
use crate::shape::Shape;

/// A shape of a body, as it is given to [`Body::part`](super::Body::part).
///
/// ```
/// use carom::body::BodyShape;
/// use carom::prelude::*;
///
/// let mut world = World::default();
/// let eye = BodyShape::new(Shape::sphere(5.0)?).at(LocalPose::at([0.0, 1.0, 0.0])).sensor();
/// let guard = world.add(Body::dynamic().shape(Shape::capsule(0.5, 0.3)?).part(eye))?;
/// assert_eq!(world.body(guard)?.shapes().filter(|shape| shape.is_sensor).count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a shape takes part only once its body is added to a world"]
pub struct BodyShape {
    pub(super) shape: Shape,
    pub(super) pose: LocalPose,
    pub(super) material: Option<Material>,
    pub(super) is_sensor: bool,
    pub(super) filter: Filter,
    pub(super) user_data: u64,
}

impl BodyShape {
    /// A shape at the origin of its body's frame, with the body's material, in all groups.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            pose: LocalPose::IDENTITY,
            material: None,
            is_sensor: false,
            filter: Filter::default(),
            user_data: 0,
        }
    }

    /// It is here in its body's frame.
    pub fn at(self, pose: LocalPose) -> Self {
        Self { pose, ..self }
    }

    /// Its surface behaves so, whatever the rest of the body's does.
    pub fn material(self, material: Material) -> Self {
        Self { material: Some(material), ..self }
    }

    /// It is only told of what touches it: it pushes nothing, nothing pushes it, and it weighs nothing. Sensors do not
    /// see each other.
    pub fn sensor(self) -> Self {
        Self { is_sensor: true, ..self }
    }

    /// It is in these groups and meets those.
    pub fn filter(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// It carries this number, for the caller.
    pub fn user_data(self, user_data: u64) -> Self {
        Self { user_data, ..self }
    }
}
