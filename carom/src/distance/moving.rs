//! The distance search on the way: how long two cores stay apart of which one moves along a line.
//!
//! The points of A - B move by one and the same vector, so a simplex of them is one at any time. Every support that the
//! search asks for gives a plane with all of A - B beyond it; the time until that plane comes as near as is aimed at is
//! free, whatever the simplex is like, and the search goes on from there with its simplex moved along. So it comes nearer
//! in time and in space at once, with one pair of supports a step, and needs no distance on the way.
//! Stops: near the aim, where the planes part (a miss), or where it is stuck; what it has proven by then holds. Near the
//! aim, one support with all digits tells how far the cores are apart there, nearly always to the last digit.
//! Cost: 4 to 8 steps of 40 ns. Source: van den Bergen, Ray Casting against General Convex Objects (2004); here with the
//! supports in f32 whose doubt is taken off the steps, and the end left to the distance search with all digits.

use super::convex::SupportFault;
use super::descent::{Corner, Grown, Reduced};
use super::feature::Pair;
use super::minimum_norm::Cache;
use super::simplex::{Difference, Vertex};
use fearless_simd::Simd;
use glam::DVec3;

/// More steps than almost any pair needs.
const STEP_LIMIT: usize = 32;

/// What is asked of cores of which the second moves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Approach {
    /// How the second moves in a unit of time.
    pub(crate) velocity: DVec3,
    /// How long it may.
    pub(crate) limit: f64,
    /// What planes are to come down to.
    pub(crate) aim: f64,
    /// How near ends the search.
    pub(crate) near: f64,
    /// From the first to the second, roughly, when they meet; of any length.
    pub(crate) outlook: DVec3,
}

/// How far a search on the way came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Advance {
    /// Before this they are proven to be farther apart than is aimed at.
    pub(crate) time: f64,
    /// How far they are apart then, if they are near.
    pub(crate) found: Option<Near>,
}

/// Cores near each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Near {
    pub(crate) pair: Pair,
    /// The unit normal from the second to the first, along the pair.
    pub(crate) normal: DVec3,
    /// By how much it separates them.
    pub(crate) lower: f64,
    /// How far the pair is apart.
    pub(crate) upper: f64,
}

/// How far the two come; none if they are proven to be farther apart than is aimed at for all the time. The difference is
/// that at time 0. The cache is filled with where the search has ended.
#[inline(always)]
pub(crate) fn free_until<S: Simd>(
    simd: S,
    difference: &mut Difference<'_>,
    approach: &Approach,
    cache: &mut Cache,
) -> Result<Option<Advance>, SupportFault> {
    let Approach { velocity, limit, aim, near, outlook } = *approach;
    let doubt = difference.doubt();
    let near = near.max(aim + 2.0 * doubt);
    let mut time = 0.0;
    let mut shift = DVec3::ZERO;
    let mut vertices = [Vertex::NONE; 4];
    // Of any length.
    let is_sound = outlook.is_finite() && outlook != DVec3::ZERO;
    let mut direction = if is_sound { -outlook } else { -difference.away() };
    let mut reduced: Option<Reduced> = None;
    for _ in 0..STEP_LIMIT {
        let squared = direction.length_squared();
        if reduced.is_some() && squared <= near * near || squared == 0.0 || squared.is_nan() {
            break;
        }
        let (farthest, _) = difference.quick_support(simd, -direction)?;
        let length = squared.sqrt();
        let room = direction.dot(farthest.difference - shift) - (aim + doubt) * length;
        let mut step = DVec3::ZERO;
        if room > 0.0 {
            let closing = direction.dot(velocity);
            let duration = room / closing;
            // The planes part, or come near too late.
            if closing <= 0.0 || time + duration > limit {
                return Ok(None);
            }
            time += duration;
            step = duration * velocity;
            shift += step;
        }
        let Some(last) = &mut reduced else {
            vertices[0] = farthest;
            let first = Reduced::corner(Corner { at: farthest.difference - shift, place: 0 });
            direction = first.nearest;
            reduced = Some(first);
            continue;
        };
        let used = last.count.min(3);
        let is_known = last.corners[..used].iter().any(|corner| vertices[corner.place & 3].corners == farthest.corners);
        // The same corner again: only the way is left to go, if there is one.
        let is_known = is_known && farthest.corners[0] != u32::MAX;
        if is_known && room <= 0.0 {
            break;
        }
        for corner in &mut last.corners {
            corner.at -= step;
        }
        let [a, b, c] = last.corners;
        let next = if is_known {
            match last.count {
                1 => Reduced::corner(a),
                2 => Reduced::edge(a, b),
                _ => Reduced::triangle(a, b, c),
            }
        } else {
            let place = last.free_place();
            vertices[place & 3] = farthest;
            let newest = Corner { at: farthest.difference - shift, place };
            match last.count {
                1 => Reduced::edge(a, newest),
                2 => Reduced::triangle(a, b, newest),
                _ => match Reduced::grown(last.corners, newest) {
                    Grown::Outside(next) => next,
                    Grown::Around(_) => break,
                },
            }
        };
        if !next.nearest.is_finite() {
            break;
        }
        direction = next.nearest;
        reduced = Some(next);
    }
    let mut found = None;
    if let Some(reduced) = &reduced {
        let length = direction.length();
        if length > 0.0 && length <= near {
            let normal = direction / length;
            let lower = -difference.reach_along(simd, -normal) - normal.dot(shift);
            let mut on_a = DVec3::ZERO;
            for (corner, weight) in reduced.corners[..reduced.count.min(3)].iter().zip(reduced.weights) {
                on_a += weight * vertices[corner.place & 3].on_a;
            }
            let pair = Pair { on_a, on_b: on_a - direction };
            found = Some(Near { pair, normal, lower, upper: length });
        }
        for corner in &reduced.corners[..reduced.count.min(3)] {
            cache.guess(vertices[corner.place & 3].corners);
        }
    }
    Ok(Some(Advance { time, found }))
}
