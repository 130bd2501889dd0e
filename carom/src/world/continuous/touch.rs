//! When two colliders that move first come near each other, as far as the contacts do not see to it.

use super::ways::{Ways, extent};
use crate::body::Collider;
use crate::impact::rigid::{Impact, Options, Outcome, Sweep, time_of_impact};
use crate::pose::Pose;
use crate::shape::Shape;
use glam::DVec3;
use std::ops::Range;

/// Bodies are stopped with a gap of this share of their margin.
const GAP: f32 = 0.05;
/// The balls inside of a body that touches already, as shares of half its thickness.
const INNER: [f32; 5] = [0.5, 0.12, 0.03, 0.007, 0.0];

/// What touches already and goes far goes on by this share of half its thickness, unless a ball inside of it would pass.
const PROGRESS: f32 = 0.5;

/// What is stopped before this share of its way is stopped where it is.
const AT_ONCE: f64 = 1e-3;

/// A collider on its way.
pub(super) struct Mover<'a> {
    collider: &'a Collider,
    sweep: Sweep,
    /// Half the thickness of its body if that is fast.
    half_thickness: Option<f32>,
}

impl<'a> Mover<'a> {
    pub(super) fn new(collider: &'a Collider, half_thickness: Option<f32>, ways: &Ways<'_>) -> Self {
        Self { collider, sweep: ways.of(collider), half_thickness }
    }
}

/// When the two first come near each other, before a time; none if not, or if the contacts see to it. What touches at the
/// start is left to them, unless a ball inside of a fast body would pass. So is what is as near as it was stopped in the step
/// before: to be stopped there at once, in every step, two that spin past each other would hang in the air for ever, and gather speed.
pub(super) fn first_touch(a: &Mover<'_>, b: &Mover<'_>, ways: &Ways<'_>, most_time: f64) -> Option<Impact> {
    let options = options(a.collider, b.collider, most_time);
    match time_of_impact(&a.collider.shape, &a.sweep, &b.collider.shape, &b.sweep, &options).ok()? {
        Outcome::Free => None,
        Outcome::Hit(impact) | Outcome::Early(impact) if impact.time > AT_ONCE => Some(impact),
        Outcome::Hit(_) | Outcome::Early(_) | Outcome::AtStart(_) => {
            let first = first_touch_inside(a, b, ways, most_time);
            let second = first_touch_inside(b, a, ways, most_time).map(flipped);
            match (first, second) {
                (Some(first), Some(second)) => Some(if second.time < first.time { second } else { first }),
                (first, second) => first.or(second),
            }
        }
    }
}

/// When the first, if it is fast, has to stop lest a ball around its centre comes to the other. If that is there already a
/// smaller one is taken, and in the end the centre alone: as long as that is on its own side, it stays there. No distance is
/// told: they are within the gap.
fn first_touch_inside(mover: &Mover<'_>, other: &Mover<'_>, ways: &Ways<'_>, most_time: f64) -> Option<Impact> {
    let half_thickness = mover.half_thickness?;
    let dense = mover.collider.body as usize;
    let start = ways.start(dense).center;
    let way = ways.bodies.motions()[dense].center - start;
    let options = Options { gap: 0.0, ..options(mover.collider, other.collider, most_time) };
    for share in INNER {
        let radius = share * half_thickness;
        let ball = if radius > 0.0 { Shape::sphere(radius).ok()? } else { Shape::point() };
        let options = Options { tolerance: options.tolerance.min(0.1 * f64::from(radius)), ..options };
        let sweep = Sweep::of(Pose::at(start), way);
        match time_of_impact(&ball, &sweep, &other.collider.shape, &other.sweep, &options).ok()? {
            Outcome::Hit(impact) | Outcome::Early(impact) => {
                // Not only the centre is to stay on its side: what is long must not be run through.
                // As the other sees it: who of the two moves means nothing.
                let length = (way - other.sweep.velocity).length();
                let before = impact.time - f64::from(extent(ways.bodies, dense)) / length;
                // But what goes far goes on by a little: if it tumbles over one end it comes down on the other, which contacts
                // see to then. Not if it is in deep, so that its middle does not get there.
                let progress = f64::from(PROGRESS * half_thickness);
                let goes_on = share == INNER[0] && length > progress;
                let least = if goes_on { (progress / length).min(impact.time) } else { 0.0 };
                let time = before.max(least).max(0.0);
                return Some(Impact { time, distance: 0.0, ..impact });
            }
            Outcome::Free => return None,
            Outcome::AtStart(_) => {}
        }
    }
    None
}

/// When one that goes on comes to one that has stopped, within the time in which it does.
pub(super) fn first_touch_standing(moving: &Mover<'_>, standing: &Mover<'_>, when: Range<f64>) -> Option<Impact> {
    let since = when.start;
    let (a, b) = (moving.collider, standing.collider);
    let (sweep_a, sweep_b) = (moving.sweep.after(since), Sweep::at(standing.sweep.pose_at(since)));
    let options = options(a, b, when.end - since);
    match time_of_impact(&a.shape, &sweep_a, &b.shape, &sweep_b, &options).ok()? {
        Outcome::Hit(impact) | Outcome::Early(impact) => Some(Impact { time: since + impact.time, ..impact }),
        Outcome::Free | Outcome::AtStart(_) => None,
    }
}

/// How far the first goes on from where it stops, so that the two touch: by what is between them and a gap. Not at all if
/// they were within the gap before, nor if the search for the time ended early, while they were farther apart.
pub(super) fn press(impact: &Impact, a: &Collider, b: &Collider) -> DVec3 {
    let gap = gap(a, b);
    let is_stopped_short = impact.distance > 0.0 && impact.distance < 2.0 * gap;
    if is_stopped_short { (impact.distance + gap) * impact.normal.as_dvec3() } else { DVec3::ZERO }
}

/// Seen from the other of the two.
pub(super) fn flipped(impact: Impact) -> Impact {
    Impact { on_a: impact.on_b, on_b: impact.on_a, normal: -impact.normal, ..impact }
}

fn options(a: &Collider, b: &Collider, most_time: f64) -> Options {
    let gap = gap(a, b);
    Options { most_time, gap, tolerance: 0.25 * gap, iterations: 48 }
}

/// That with which two are stopped.
fn gap(a: &Collider, b: &Collider) -> f64 {
    f64::from(GAP * a.margin.min(b.margin))
}
