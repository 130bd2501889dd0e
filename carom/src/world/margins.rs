//! How far from each other shapes are when their contacts are looked for.

use crate::body::{Bodies, Collider, MARGIN_SHARE};
use crate::shape::Shape;

/// Whether points of contact are found before shapes touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Margins {
    /// When they touch.
    None,
    /// When they are as close as their margins, or as what they move in a step of this length.
    Wide {
        /// In seconds.
        dt: f32,
    },
}

impl Margins {
    /// That of one collider, in the broad phase.
    #[inline]
    pub(crate) fn of(self, collider: &Collider) -> f32 {
        match self {
            Self::None => 0.0,
            Self::Wide { .. } => collider.margin,
        }
    }

    /// That of two in the narrow phase. It grows in powers of two with what they move against each other in a step, so
    /// that impacts are seen before they happen, up to the size of the smaller; small changes of speed do not change it.
    /// Of two movable boxes it grows to the double only. From afar they are nearest at corners that they will not meet with,
    /// and what meets in the last substep is pushed in one pass: a heap that falls together would be thrown about.
    #[inline]
    pub(crate) fn of_pair(self, a: &Collider, b: &Collider, bodies: &Bodies) -> f32 {
        let Self::Wide { dt } = self else { return 0.0 };
        let least = a.margin.min(b.margin);
        let velocity = |collider: &Collider| bodies.motions()[collider.body as usize].velocity;
        let (velocity_a, velocity_b) = (velocity(a), velocity(b));
        let travel = (velocity_a - velocity_b).length() * dt;
        if travel <= least {
            return least;
        }
        let is_free_box = |collider: &Collider| {
            matches!(collider.shape, Shape::Cuboid(_)) && bodies.motions()[collider.body as usize].is_movable()
        };
        let most = if is_free_box(a) && is_free_box(b) { 2.0 } else { 1.0 / MARGIN_SHARE } * least;
        let mut margin = least;
        while margin < travel && margin < most {
            margin *= 2.0;
        }
        margin
    }

    /// The greatest that two may have, however fast they are.
    #[inline]
    pub(crate) fn greatest_of_pair(self, a: &Collider, b: &Collider) -> f32 {
        match self {
            Self::None => 0.0,
            // The last doubling may go beyond the size.
            Self::Wide { .. } => (2.0 / MARGIN_SHARE) * a.margin.min(b.margin),
        }
    }
}
