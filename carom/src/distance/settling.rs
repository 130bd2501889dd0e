//! What the depth search leaves to be done: the normal of a depth that it could not finish, and deepest points that are
//! opposite each other.
//!
//! Cores that were moved apart by s along n, and are d apart along m then, reach s n·m - d into each other along m; and d
//! is at least s less what they reach along n. So m frees with no more than n, and with less unless it is n. Next to the
//! axis of a round core such turns are tiny, so each begins beyond the last by twice of what that has turned; and there
//! may be many ways out that are nearly as short, all around: these are tried one by one.
//! Stops when a turn gains nothing, or after so many. Cost: a distance search a turn; around an axis some hundred supports.
//! Only depths whose bounds have not met come here: of a solid at the axis of one that is ten thousand times as large.

use super::convex::{Convex, Core, SupportFault};
use super::expanding_polytope::Depth;
use super::feature::Pair;
use super::minimum_norm::{self, Cache, Found, Goal};
use super::placement::Placement;
use super::separation::Rounding;
use super::simplex::Difference;
use glam::DVec3;
use std::f64::consts::TAU;

/// How often a normal is turned at the most.
const TURNS: usize = 80;
/// What a turn must gain to be worth another, relative to how near the bounds should come.
const SETTLED: f64 = 1e-4;
/// Directions around an axis that are tried.
const AROUND: usize = 128;
/// How often the stretch around the best of them is made smaller, to 0.62 of it.
const NARROWED: usize = 24;

/// Turns the normal of a depth whose bounds should have come as near as `gap` to where it frees with less.
pub(super) fn settle(
    (a, b, b_in_a): (&Convex<'_>, &Convex<'_>, &Placement),
    difference: &mut Difference<'_>,
    gap: f64,
    depth: &mut Depth,
) -> Result<(), SupportFault> {
    turn((a, b, b_in_a), difference, gap, depth)?;
    for (core, axis) in [(&a.core, DVec3::Y), (&b.core, b_in_a.rotation.y_axis)] {
        let is_round = matches!(core, Core::Cone { .. } | Core::Cylinder { .. });
        if is_round && go_around(axis, difference, gap, depth)? {
            let parted = Parted::along(a, b, b_in_a, depth.normal, -depth.most)?;
            depth.pair = parted.pair_in_place();
            turn((a, b, b_in_a), difference, gap, depth)?;
        }
    }
    Ok(())
}

fn turn(
    (a, b, b_in_a): (&Convex<'_>, &Convex<'_>, &Placement),
    difference: &mut Difference<'_>,
    gap: f64,
    depth: &mut Depth,
) -> Result<(), SupportFault> {
    let mut turn = DVec3::ZERO;
    let mut failures = 0;
    for _ in 0..TURNS {
        let start = (depth.normal + 2.0 * turn).normalize_or(depth.normal);
        let (_, most_at_start) = difference.support(start)?;
        let parted = Parted::along(a, b, b_in_a, start, -most_at_start)?;
        let (_, most) = difference.support(parted.normal)?;
        let gain = depth.most - most;
        if parted.lower > 0.0 && gain > 0.0 {
            let is_last = turn == DVec3::ZERO && gain <= SETTLED * gap;
            (turn, failures) = (parted.normal - depth.normal, 0);
            (depth.normal, depth.most, depth.pair) = (parted.normal, most, parted.pair_in_place());
            if is_last {
                break;
            }
        } else if turn == DVec3::ZERO {
            break;
        } else {
            failures += 1;
            turn = if failures < 4 { 0.25 * turn } else { DVec3::ZERO };
        }
    }
    Ok(())
}

/// Looks all around an axis for a normal that frees with less, by more than `gap`; says whether there is one.
fn go_around(axis: DVec3, difference: &mut Difference<'_>, gap: f64, depth: &mut Depth) -> Result<bool, SupportFault> {
    let along = axis * axis.dot(depth.normal);
    let across = depth.normal - along;
    let beside = axis.cross(across);
    let normal = |angle: f64| {
        let (sine, cosine) = libm::sincos(angle);
        (along + cosine * across + sine * beside).normalize_or(depth.normal)
    };
    let step = TAU / AROUND as f64;
    let mut reaches = [0.0; AROUND];
    for (index, reach) in reaches.iter_mut().enumerate() {
        (_, *reach) = difference.support(normal(step * index as f64))?;
    }
    let mut best = (depth.most, 0.0);
    for index in 0..AROUND {
        let (last, next) = (reaches[(index + AROUND - 1) % AROUND], reaches[(index + 1) % AROUND]);
        if reaches[index] > last || reaches[index] > next {
            continue;
        }
        // The golden section of the stretch between its neighbours.
        const SHARE: f64 = 0.618_033_988_749_895;
        let (mut from, mut to) = (step * (index as f64 - 1.0), step * (index as f64 + 1.0));
        for _ in 0..NARROWED {
            let (left, right) = (to - SHARE * (to - from), from + SHARE * (to - from));
            let ((_, at_left), (_, at_right)) = (difference.support(normal(left))?, difference.support(normal(right))?);
            let (angle, reach) = if at_left < at_right { (left, at_left) } else { (right, at_right) };
            if at_left < at_right {
                to = right;
            } else {
                from = left;
            }
            if reach < best.0 {
                best = (reach, angle);
            }
        }
    }
    if best.0 >= depth.most - gap {
        return Ok(false);
    }
    (depth.normal, depth.most) = (normal(best.1), best.0);
    Ok(true)
}

/// Points of two cores that are opposite each other along a normal, from `a` to `b`, by which the cores are `distance`
/// apart, or deep if it is negative; none if there are no such near enough.
///
/// The supports along the normal need not be: of a face and a corner, the support of the face may be any of its points.
/// Moved apart along the normal by a little, the closest points are.
pub(crate) fn opposite_points(
    a: &Convex<'_>,
    b: &Convex<'_>,
    b_in_a: &Placement,
    normal: DVec3,
    distance: f64,
) -> Result<Option<Pair>, SupportFault> {
    let parted = Parted::along(a, b, b_in_a, normal, distance)?;
    let smaller = a.core.reach()?.min(b.core.reach()?);
    let aside = (parted.pair.on_b - parted.pair.on_a).reject_from_normalized(normal).length();
    let is_opposite = parted.lower > 0.0 && aside <= 1e-3 * smaller;
    Ok(is_opposite.then_some(parted.pair_in_place()))
}

/// Two cores moved apart along a normal by a little more than they are deep.
struct Parted {
    /// The closest points.
    pair: Pair,
    /// The unit normal from `a` to `b` that separates them best, and by how much.
    normal: DVec3,
    lower: f64,
    /// How far `b` was moved.
    way: DVec3,
}

impl Parted {
    fn along(
        a: &Convex<'_>,
        b: &Convex<'_>,
        b_in_a: &Placement,
        normal: DVec3,
        distance: f64,
    ) -> Result<Self, SupportFault> {
        let rounding = Rounding::of(a, b, b_in_a)?;
        let smaller = a.core.reach()?.min(b.core.reach()?);
        let gap = (1e-2 * smaller).max(1e-6 * rounding.scale);
        let way = (gap - distance) * normal;
        let apart = Placement { position: b_in_a.position + way, ..*b_in_a };
        let goal = Goal { near: rounding.slack, far: f64::INFINITY, tolerance: rounding.tolerance };
        let mut found = Found::NONE;
        let mut difference = Difference::new(a, b, &apart);
        minimum_norm::search(&mut found, &mut difference, goal, &mut Cache::default(), &mut ())?;
        Ok(Self { pair: found.pair(), normal: -found.normal, lower: found.lower, way })
    }

    /// The closest points where they are on the cores.
    fn pair_in_place(&self) -> Pair {
        Pair { on_a: self.pair.on_a, on_b: self.pair.on_b - self.way }
    }
}
