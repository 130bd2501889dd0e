//! The first box that a ray meets.

use super::{AREA, parry, scenes};
use crate::measure::{Row, compare};
use crate::{Effort, Rows};
use carom::bounds::Aabb;
use carom::broad::{BoxRay, BroadPhase as _, DynamicTree};
use carom::glam::Vec3;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::Ray;
use std::hint::black_box;

const COUNT: usize = 10_000;

pub fn rows(effort: Effort, only: &str) -> Rows {
    let mut rows = Vec::new();
    for (case, count) in [("ray/u100k", 100_000), ("ray/u1M", 1_000_000)] {
        if case.starts_with(only) && (effort == Effort::Full || count < 1_000_000) {
            compare_all(effort, case, count, &mut rows)?;
        }
    }
    Ok(rows)
}

/// Casts a ray: where it enters the first box, or infinity.
type Cast<'a> = Box<dyn Fn(Vec3, Vec3) -> f32 + 'a>;

fn compare_all(effort: Effort, case: &str, count: usize, rows: &mut Vec<Row>) -> Result<(), String> {
    let boxes = scenes::uniform(count);
    let side = scenes::uniform_side(count);
    let rays = scenes::rays(COUNT, side);
    let limit = 2.0 * side;
    let tree = DynamicTree::from_boxes(&boxes).map_err(|error| format!("{case}: {error}"))?;
    let ours = |origin, direction| {
        let mut first = f32::INFINITY;
        if let Some(ray) = BoxRay::new(origin, direction, limit) {
            tree.cast_ray(&ray, &mut |_, entry| {
                first = entry;
                entry
            });
        }
        first
    };
    let peers: Vec<(&'static str, Cast)> = vec![
        (parry::PARRY, with_parry(&boxes, limit)),
        #[cfg(feature = "box3d")]
        (super::box3d::BOX3D, with_box3d(&boxes, limit)),
    ];
    let expected: Vec<f32> = rays.iter().map(|&(origin, direction)| ours(origin, direction)).collect();
    let hits = expected.iter().filter(|entry| entry.is_finite()).count();
    for (peer, cast) in peers {
        for (&(origin, direction), &entry) in rays.iter().zip(&expected) {
            let found = cast(origin, direction);
            if found != entry && (found - entry).abs() > 1e-5 * limit {
                return Err(format!("{case}: from {origin} along {direction} {entry}, {found} of {peer}"));
            }
        }
        let sum = |cast: &dyn Fn(Vec3, Vec3) -> f32| rays.iter().map(|&(origin, way)| cast(origin, way)).sum::<f32>();
        let run_ours = || _ = black_box(sum(&ours));
        let run_peer = || _ = black_box(sum(&cast));
        let times = compare(effort, rays.len(), run_ours, Some(run_peer));
        let note = format!("a ray; {hits} of {COUNT} hit");
        rows.push(Row::new(AREA, case.to_owned(), peer, times, note));
    }
    Ok(())
}

/// Its best tree for queries, and for the boxes the quicker one of its own test and ours, which is ours.
fn with_parry(boxes: &[Aabb], limit: f32) -> Cast<'_> {
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &parry::peer_boxes(boxes));
    Box::new(move |origin, direction| {
        let vector = |vector: Vec3| Vector::new(vector.x, vector.y, vector.z);
        let ray = Ray::new(vector(origin), vector(direction));
        let Some(box_ray) = BoxRay::new(origin, direction, limit) else { return f32::INFINITY };
        let hit = tree.cast_ray(&ray, limit, |id, best| box_ray.entry(&boxes[id as usize], best));
        hit.map_or(f32::INFINITY, |(_, entry)| entry)
    })
}

#[cfg(feature = "box3d")]
fn with_box3d(boxes: &[Aabb], limit: f32) -> Cast<'_> {
    let tree = super::box3d::Tree::new(boxes);
    Box::new(move |origin, direction| {
        let mut first = f32::INFINITY;
        if let Some(ray) = BoxRay::new(origin, direction, limit) {
            tree.cast_ray(origin, limit * direction, |id, share| {
                let entry = ray.entry(&boxes[id as usize], first.min(limit));
                entry.map_or(share, |entry| {
                    first = entry;
                    entry / limit
                })
            });
        }
        first
    })
}
