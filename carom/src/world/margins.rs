//! How far from each other shapes are when their contacts are looked for.

use crate::body::{Bodies, Collider, MARGIN_SHARE};

/// What moves by more than this share of half its thickness in a step, or turns by more than this, may be stopped on its
/// way: less than `continuous::ways` takes for fast.
const FAST: f32 = 0.4;
const FAST_TURN: f32 = 0.05;
/// What is stopped has this share of its margin left, or less: a little more than `continuous::touch` says.
const STOPPED: f32 = 0.07;

/// Whether points of contact are found before shapes touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Margins {
    /// When they touch, but for what is so fast that it is stopped on its way with a gap left: that gap.
    None {
        /// In seconds.
        dt: f32,
    },
    /// When they are as close as their margins, or as what they move in a step of this length.
    Wide {
        /// In seconds.
        dt: f32,
    },
}

impl Margins {
    /// That of one collider, in the broad phase.
    pub(crate) fn of(self, collider: &Collider) -> f32 {
        match self {
            Self::None { .. } => 0.0,
            Self::Wide { .. } => collider.margin,
        }
    }

    /// That of two in the narrow phase. It grows in powers of two with what they move against each other in a step, so
    /// that impacts are seen before they happen, up to the size of the smaller; small changes of speed do not change it.
    pub(crate) fn of_pair(self, a: &Collider, b: &Collider, bodies: &Bodies) -> f32 {
        let least = a.margin.min(b.margin);
        let [motion_a, motion_b] = [a, b].map(|collider| &bodies.motions()[collider.body as usize]);
        let closing = (motion_a.velocity - motion_b.velocity).length();
        let dt = match self {
            Self::Wide { dt } => dt,
            Self::None { dt } => {
                let turning = motion_a.angular_velocity.length() + motion_b.angular_velocity.length();
                let is_fast = closing * dt > FAST * a.half_thickness.min(b.half_thickness) || turning * dt > FAST_TURN;
                return if is_fast { STOPPED * least } else { 0.0 };
            }
        };
        let travel = closing * dt;
        let most = (1.0 / MARGIN_SHARE) * least;
        let mut margin = least;
        while margin < travel && margin < most {
            margin *= 2.0;
        }
        margin
    }
}
