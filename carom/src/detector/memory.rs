//! What is remembered of pairs from question to question, so that objects that have moved little are answered fast.
//!
//! Nothing here decides an answer. The last simplex is where the next search starts; the closest points of the last
//! answer, carried along with the two objects, are an upper bound of the distance, which spares a mesh most of its tree.

use super::Member;
use crate::broad::{Pair, PairHash};
use crate::query::{Distance, PairCache};
use crate::shape::Shape;
use glam::DVec3;
use std::collections::HashMap;

/// So many pairs are remembered at the most; then all are forgotten.
const MOST: usize = 1 << 20;

/// What is remembered of one pair.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Remembered {
    /// Which shapes of their slots the two were.
    versions: [u32; 2],
    pub(super) cache: PairCache,
    /// Of the hulls around the two.
    pub(super) outlines: PairCache,
    /// The closest points in the frames of the two objects.
    points: Option<[DVec3; 2]>,
}

/// All of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    pairs: HashMap<Pair, Remembered, PairHash>,
}

impl Memory {
    /// What is known of a pair; nothing if one of the shapes is another than then.
    pub(super) fn of(&mut self, pair: Pair, versions: [u32; 2]) -> &mut Remembered {
        if self.pairs.len() >= MOST && !self.pairs.contains_key(&pair) {
            self.pairs.clear();
        }
        let remembered = self.pairs.entry(pair).or_default();
        if remembered.versions != versions {
            *remembered = Remembered { versions, ..Remembered::default() };
        }
        remembered
    }

    pub(super) fn forget(&mut self) {
        self.pairs.clear();
    }
}

impl Remembered {
    /// How far the closest points of the last time are apart now, with room for rounding; infinite if none are known.
    pub(super) fn upper(&self, a: Member<'_>, b: Member<'_>) -> f64 {
        let Some([on_a, on_b]) = self.points else { return f64::INFINITY };
        let (pose_a, pose_b) = (a.object.pose(), b.object.pose());
        let turned = |rotation: glam::Quat, point: DVec3| rotation.as_dquat().normalize() * point;
        let (arm_a, arm_b) = (turned(pose_a.rotation, on_a), turned(pose_b.rotation, on_b));
        let offset = pose_b.position - pose_a.position;
        let room = 1e-12 * (arm_a.length() + arm_b.length() + offset.length());
        (offset + arm_b - arm_a).length() * (1.0 + 1e-9) + room
    }

    /// Keeps the closest points, if they will be of use.
    pub(super) fn keep(&mut self, a: Member<'_>, b: Member<'_>, distance: &Distance) {
        let has_many_pieces =
            |shape: &Shape| matches!(shape, Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_));
        if !has_many_pieces(a.object.shape()) && !has_many_pieces(b.object.shape()) {
            return;
        }
        self.points = distance.gap().map(|gap| {
            let local = |member: Member<'_>, point: DVec3| {
                let pose = member.object.pose();
                pose.rotation.as_dquat().normalize().conjugate() * (point - pose.position)
            };
            [local(a, gap.on_a), local(b, gap.on_b)]
        });
    }
}
