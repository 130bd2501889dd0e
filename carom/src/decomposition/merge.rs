//! Joining hulls again, where the hull of two is still within the threshold.
//!
//! Cuts go all the way through a piece, so they often separate what could stay together. The pair whose joint hull adds
//! the least volume is joined first. When there are more hulls than allowed, pairs go on being joined beyond the
//! threshold, those first whose hull reaches least deep into a pocket.
//! Cost: a hull for each pair of neighbours, and for each pair with a new one.

use super::measure::{Question, measure};
use super::pockets::Pocket;
use super::reduce::volume;
use super::solid::Solid;
use crate::shape::ConvexHull;
use glam::DVec3;
use rayon::prelude::*;

/// Two hulls that could be one.
struct Joint {
    pair: [u32; 2],
    hull: ConvexHull,
    /// The depth of the deepest pocket that it holds.
    depth: f64,
    /// What it adds to the volume of the two.
    added: f64,
}

/// Joins hulls until no two can be joined within the threshold and there are at most `max_hulls`. Stops early, with the
/// hulls as they are, if `go_on` says so.
pub(super) fn join(
    solid: &Solid<'_>,
    pockets: &[Pocket],
    threshold: f64,
    max_hulls: usize,
    hulls: Vec<ConvexHull>,
    mut go_on: impl FnMut(usize) -> bool,
) -> Vec<ConvexHull> {
    let mut hulls: Vec<Option<ConvexHull>> = hulls.into_iter().map(Some).collect();
    let mut left = hulls.len();
    let reach = |is_forced: bool| if is_forced { f64::INFINITY } else { threshold };
    let joints_of = |hulls: &[Option<ConvexHull>], one: usize, others: std::ops::Range<usize>, is_forced: bool| {
        others
            .into_par_iter()
            .filter_map(|other| joint(solid, pockets, hulls, [other, one], reach(is_forced)))
            .collect::<Vec<Joint>>()
    };
    let mut is_forced = false;
    let mut joints: Vec<Joint> = (1..hulls.len()).flat_map(|one| joints_of(&hulls, one, 0..one, false)).collect();
    while left > 1 && go_on(left) {
        let cost = |joint: &Joint| (joint.depth, joint.added);
        let best = joints.iter().enumerate().min_by(|(_, a), (_, b)| {
            let ((depth_a, added_a), (depth_b, added_b)) = (cost(a), cost(b));
            depth_a.total_cmp(&depth_b).then(added_a.total_cmp(&added_b))
        });
        let best = best.map(|(index, joint)| (index, joint.depth));
        match best {
            Some((index, 0.0)) => {
                let joint = joints.swap_remove(index);
                if is_forced || measure(solid, &joint.hull, threshold, Question::Exceeds).witness.is_none() {
                    take(&mut hulls, &mut joints, joint);
                } else {
                    continue;
                }
            }
            _ if left <= max_hulls => break,
            Some((index, _)) if is_forced => {
                let joint = joints.swap_remove(index);
                take(&mut hulls, &mut joints, joint);
            }
            _ if is_forced => break,
            _ => {
                is_forced = true;
                joints = (1..hulls.len()).flat_map(|one| joints_of(&hulls, one, 0..one, true)).collect();
                continue;
            }
        }
        left -= 1;
        let last = hulls.len() - 1;
        joints.extend(joints_of(&hulls, last, 0..last, is_forced));
    }
    hulls.into_iter().flatten().collect()
}

/// Puts the joint hull at the end in place of the two.
fn take(hulls: &mut Vec<Option<ConvexHull>>, joints: &mut Vec<Joint>, joint: Joint) {
    for part in joint.pair {
        hulls[part as usize] = None;
    }
    joints.retain(|other| !other.pair.iter().any(|part| joint.pair.contains(part)));
    hulls.push(Some(joint.hull));
}

fn joint(
    solid: &Solid<'_>,
    pockets: &[Pocket],
    hulls: &[Option<ConvexHull>],
    pair: [usize; 2],
    reach: f64,
) -> Option<Joint> {
    let [a, b] = [hulls[pair[0]].as_ref()?, hulls[pair[1]].as_ref()?];
    let apart = gap(bounds(solid, a), bounds(solid, b));
    // Between two hulls farther apart than twice the threshold there is a point beyond it.
    if apart > 2.0 * reach {
        return None;
    }
    let points: Vec<glam::Vec3> = a.vertices().iter().chain(b.vertices()).copied().collect();
    let hull = ConvexHull::new(&points).ok()?;
    let depth = deepest(solid, pockets, &hull);
    if depth > 0.0 && reach.is_finite() {
        return None;
    }
    let added = volume(&hull) - volume(a) - volume(b);
    Some(Joint { pair: pair.map(|part| part as u32), hull, depth, added })
}

/// The depth of the deepest pocket that a hull holds; zero if there is none.
pub(super) fn deepest(solid: &Solid<'_>, pockets: &[Pocket], hull: &ConvexHull) -> f64 {
    held(solid, pockets, hull).iter().map(|&pocket| pockets[pocket as usize].depth).fold(0.0, f64::max)
}

/// The pockets that a hull holds.
pub(super) fn held(solid: &Solid<'_>, pockets: &[Pocket], hull: &ConvexHull) -> Vec<u32> {
    let planes: Vec<(DVec3, f64)> = hull
        .planes()
        .iter()
        .enumerate()
        .map(|(face, plane)| {
            let corner = hull.vertices()[hull.face_corners(face)[0] as usize];
            let normal = plane.normal.as_dvec3();
            (normal, normal.dot(solid.scaled(corner)) - 1e-5)
        })
        .collect();
    let is_held = |pocket: &Pocket| planes.iter().all(|(normal, offset)| normal.dot(pocket.point) < *offset);
    pockets.iter().zip(0..).filter(|(pocket, _)| is_held(pocket)).map(|(_, index)| index).collect()
}

fn bounds(solid: &Solid<'_>, hull: &ConvexHull) -> [DVec3; 2] {
    let vertices = || hull.vertices().iter().map(|&vertex| solid.scaled(vertex));
    [vertices().fold(DVec3::INFINITY, DVec3::min), vertices().fold(DVec3::NEG_INFINITY, DVec3::max)]
}

/// How far two boxes are apart.
fn gap([min_a, max_a]: [DVec3; 2], [min_b, max_b]: [DVec3; 2]) -> f64 {
    (min_a - max_b).max(min_b - max_a).max(DVec3::ZERO).length()
}
