//! Joining hulls again, where the hull of two is still within the threshold.
//!
//! Cuts go all the way through a piece, so they often separate what could stay together. The pair whose joint hull adds
//! the least volume is joined first. When there are more hulls than allowed, pairs go on being joined beyond the
//! threshold, those first whose hull reaches least deep into a pocket.
//! Cost: a hull for each pair of neighbours, and for each pair with a new one.

use super::Settings;
use super::measure::{Question, measure};
use super::pockets::{Pocket, deepest, held};
use super::reduce::{Reduced, volume};
use super::solid::Solid;
use crate::shape::ConvexHull;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Hulls that are being joined; those that have become part of another are gone.
pub(super) struct Merge<'a> {
    pub(super) solid: &'a Solid<'a>,
    pub(super) pockets: &'a [Pocket],
    pub(super) threshold: f64,
    pub(super) settings: &'a Settings,
    pub(super) hulls: Vec<Option<Reduced>>,
}

/// Two hulls that could be one.
struct Joint {
    pair: [usize; 2],
    hull: Reduced,
    /// The depth of the deepest pocket beyond the threshold that it holds, or zero.
    depth: f64,
    /// What it adds to the volume of the two.
    added: f64,
}

/// Which pairs may be joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    WithinThreshold,
    Any,
}

impl Merge<'_> {
    /// Joins hulls until no two can be joined within the threshold and there are no more than allowed. Stops early, with
    /// the hulls as they are, if `go_on` says so.
    pub(super) fn run(mut self, mut go_on: impl FnMut(usize) -> bool) -> Vec<Reduced> {
        let mut left = self.hulls.len();
        let mut reach = Reach::WithinThreshold;
        let mut joints = self.all_joints(reach);
        while left > 1 && go_on(left) {
            let best = (0..joints.len()).min_by(|&a, &b| {
                let (a, b) = (&joints[a], &joints[b]);
                a.depth.total_cmp(&b.depth).then(a.added.total_cmp(&b.added))
            });
            let Some(best) = best else {
                if left <= self.settings.max_hulls || reach == Reach::Any {
                    break;
                }
                reach = Reach::Any;
                joints = self.all_joints(reach);
                continue;
            };
            let joint = joints.swap_remove(best);
            if reach == Reach::Any && left <= self.settings.max_hulls {
                break;
            }
            if reach == Reach::WithinThreshold && self.exceeds(&joint) {
                continue;
            }
            for part in joint.pair {
                self.hulls[part] = None;
            }
            joints.retain(|other| !other.pair.iter().any(|part| joint.pair.contains(part)));
            self.hulls.push(Some(joint.hull));
            left -= 1;
            joints.extend(self.joints(self.hulls.len() - 1, reach));
        }
        self.hulls.into_iter().flatten().collect()
    }

    fn exceeds(&self, joint: &Joint) -> bool {
        measure(self.solid, joint.hull.outer(), self.threshold, Question::Exceeds).witness.is_some()
    }

    fn all_joints(&self, reach: Reach) -> Vec<Joint> {
        (1..self.hulls.len()).flat_map(|last| self.joints(last, reach)).collect()
    }

    /// The joints of a hull with those before it.
    fn joints(&self, last: usize, reach: Reach) -> Vec<Joint> {
        (0..last).into_par_iter().filter_map(|other| self.joint([other, last], reach)).collect()
    }

    fn joint(&self, pair: [usize; 2], reach: Reach) -> Option<Joint> {
        let a = &self.hulls[pair[0]].as_ref()?.full;
        let b = &self.hulls[pair[1]].as_ref()?.full;
        // Between two hulls that are farther apart than twice the threshold there is a point beyond it, unless a third
        // fills the gap.
        if reach == Reach::WithinThreshold && gap(self.bounds(a), self.bounds(b)) > 2.0 * self.threshold {
            return None;
        }
        let points: Vec<Vec3> = a.vertices().iter().chain(b.vertices()).copied().collect();
        let hull = Reduced::new(ConvexHull::new(&points).ok()?, self.settings.max_vertices).ok()?;
        let depth = deepest(self.pockets, &held(self.solid, self.pockets, hull.outer()), self.threshold);
        if depth > 0.0 && reach == Reach::WithinThreshold {
            return None;
        }
        let added = volume(&hull.full) - volume(a) - volume(b);
        Some(Joint { pair, hull, depth, added })
    }

    fn bounds(&self, hull: &ConvexHull) -> [DVec3; 2] {
        let vertices = || hull.vertices().iter().map(|&vertex| self.solid.scaled(vertex));
        [vertices().fold(DVec3::INFINITY, DVec3::min), vertices().fold(DVec3::NEG_INFINITY, DVec3::max)]
    }
}

/// How far two boxes are apart.
fn gap([min_a, max_a]: [DVec3; 2], [min_b, max_b]: [DVec3; 2]) -> f64 {
    (min_a - max_b).max(min_b - max_a).max(DVec3::ZERO).length()
}
