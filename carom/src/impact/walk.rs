//! Directional advancement: when two features that move linearly first come as near as a tolerance.
//!
//! Most pairs are apart because the volume between them (see `volume.rs`) keeps its sign. For the others, at each time
//! the direction of the shortest distance is tried; while it separates the features, time goes on. From the second step
//! on the volume moves it on as well, and may show that they touch. All that moves time is proven, so that it never
//! comes past the first contact.
//! Stops: at the end of the step, free; at a proven contact; with a separation, once they are near; where nothing moves
//! time any more, which is closer than 1e-14 of the size and left to exact arithmetic; or after a budget of steps.
//! Cost: one or two directions for most pairs, 20 ns each.
//! Source: conservative advancement, Mirtich (1996) and Zhang, Lee, Kim (2006), doi:10.1145/1179352.1141983, but along
//! fixed directions instead of by bounds of speeds, so that common and sliding motion cost nothing.

use super::Kind;
use super::closest;
use super::relative::Relative;
use super::volume::{self, Volume};
use super::{Status, Terms};
use crate::distance::feature;
use glam::DVec3;

/// Where the walk may end in place of a smaller tolerance, relative to the size.
const LEAST: f64 = 1e-9;

/// A walk of features that are near goes on while it comes this far; exact arithmetic is faster than shorter steps.
const LEAST_STEP: f64 = 1e-12;

/// How far the walk came.
#[derive(Debug, Clone, Copy)]
pub(super) enum Walked {
    /// To the end.
    Free,
    Hit {
        time: f64,
        status: Status,
    },
    Close(Close),
}

/// Too close to tell with rounded numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Close {
    /// When they first seemed to be within the tolerance.
    near: Option<f64>,
    /// Before this they are apart.
    pub(super) time: f64,
    /// The square of the distance at the last direction that was tried.
    last: f64,
    /// The axis along which they are seen best.
    pub(super) axis: usize,
}

#[inline(always)]
pub(super) fn walk(pair: &Relative, terms: &Terms) -> Walked {
    let reach = terms.separation + terms.tolerance;
    let mut time = 0.0;
    let mut near = None;
    let mut until = terms.until;
    let mut touches = false;
    let mut last = f64::INFINITY;
    let volume = (terms.separation == 0.0).then(|| Volume::new(pair));
    if volume.is_some_and(|volume| volume.keeps_sign()) {
        return Walked::Free;
    }
    for steps in 0..terms.budget {
        let points = pair.at(time);
        let found = closest::direction(pair.kind, &points);
        let is_near = found.distance_squared <= reach * reach;
        if is_near && terms.separation > 0.0 {
            return Walked::Hit { time, status: Status::Near };
        }
        if is_near && touches {
            return Walked::Hit { time, status: Status::Touches };
        }
        if is_near && near.is_none() {
            near = Some(time);
            // From now on it is asked whether they touch at all.
            until = 1.0;
        }
        let before = time;
        let span = pair.free_while(found.direction, terms.separation);
        if span.from <= time && span.to > time {
            if span.to >= until {
                return Walked::Free;
            }
            time = span.to;
        }
        if let Some(volume) = &volume
            && (steps > 0 || time == before)
            && !volume.is_noise()
        {
            time = volume.free_until(time, 3).max(time);
            if time >= until {
                return Walked::Free;
            }
            touches = touches
                || steps <= 1 && volume::touches_in_step(pair, volume, &points)
                || volume::touches_after(pair, volume, time);
            if let (true, Some(time)) = (touches, near) {
                return Walked::Hit { time, status: Status::Touches };
            }
        }
        last = found.distance_squared;
        let is_worth_it = if near.is_some() { time > before + LEAST_STEP } else { time > before };
        if !is_worth_it {
            break;
        }
    }
    if terms.separation > 0.0 {
        return Walked::Hit { time, status: Status::Early };
    }
    let normal = volume::normal(pair.kind, &pair.at(time)).abs();
    let axis = if normal.x >= normal.y && normal.x >= normal.z {
        0
    } else if normal.y >= normal.z {
        1
    } else {
        2
    };
    Walked::Close(Close { near, time, last, axis })
}

impl Close {
    /// When the features were within the tolerance, if they were. Those that collapse have a direction, but not always
    /// the distance that was taken for theirs.
    #[cold]
    pub(super) fn near(&self, pair: &Relative, terms: &Terms) -> Option<f64> {
        let least = LEAST * pair.most.max_element();
        let is_within = |time: &f64| distance(pair, *time) <= terms.separation + terms.tolerance + least;
        self.near.filter(is_within).or((self.last <= least * least).then_some(self.time).filter(is_within))
    }
}

/// How far the features are apart at a time, whatever they have become by then.
fn distance(pair: &Relative, time: f64) -> f64 {
    let [a, b, c] = pair.at(time);
    match pair.kind {
        Kind::VertexFace => feature::point_face(DVec3::ZERO, [a, b, c]).distance(),
        Kind::EdgeEdge => feature::edge_edge([a, b], [DVec3::ZERO, c]).distance(),
    }
}
