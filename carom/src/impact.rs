//! Time of impact: when moving things first touch, with a guarantee (T1 to T5).
//!
//! [`vertex_face`] and [`edge_edge`] are the tests of meshes whose vertices move linearly from where they are at the
//! start of a step to where they are at its end (T3). They are conservative: no contact is missed, and the time that is
//! returned is never after the first one. With no separation asked for they are exact as well: what comes close but
//! does not touch is [`Outcome::Free`]. [`cubic`] is the textbook's equation for the same, fast, short, and neither.
//! Time is a share of the step, from 0 to 1.

mod bisection;
mod closest;
pub mod cubic;
mod exact;
mod meshes;
mod moving_tree;
mod pack;
mod relative;
pub mod rigid;
mod rounded;
mod sphere;
mod volume;
mod walk;
mod wide;

pub use bisection::{BisectionError, Bracket, bisect};
pub use meshes::{MeshTouch, MovingMesh, MovingMeshError, Place, meshes};
pub use pack::Query;
pub use sphere::{MovingSphere, spheres};

use exact::Verdict;
use fearless_simd::{Simd, dispatch};
use glam::DVec3;
use relative::Relative;
use std::ops::Range;
use walk::Walked;

/// Which features move: what the four points of a query are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A vertex, then the corners of a triangle.
    VertexFace,
    /// The ends of an edge, then those of the other.
    EdgeEdge,
}

/// What is asked of a conservative test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// How far apart the features may still be at the time that is returned, if they touch later. Less than 1e-9 of
    /// their size is not always reached.
    pub tolerance: f64,
    /// How near counts as contact. Unless it is 0, all that come as near as this and the tolerance are hits.
    pub separation: f64,
    /// Hits at or after this time are of no interest: the best so far, if the first of many is looked for. What a query
    /// returns does not depend on it otherwise; in particular, a pair that is within the tolerance before it and
    /// touches after it is a hit.
    pub until: f64,
    /// How many directions are tried at most. A search that ends for it returns an earlier time, never a later one.
    pub budget: u32,
}

impl Default for Terms {
    fn default() -> Self {
        Self { tolerance: 1e-6, separation: 0.0, until: 1.0, budget: 64 }
    }
}

/// How a query ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// Proven: they do not touch, or come as near as asked, before the end of interest, or at all if that is 1.
    Free,
    /// They do, or may.
    Hit {
        /// Proven: before this time they do not.
        time: f64,
        /// What is known of it.
        status: Status,
    },
}

/// What is known of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// They are within the tolerance at the time, and proven to touch then or later in the step.
    Touches,
    /// They are within the tolerance, and so near to contact then or later that exact arithmetic does not tell.
    Unresolved,
    /// They are within the separation and the tolerance.
    Near,
    /// The budget ended before they were within the tolerance: the time is early.
    Early,
}

impl Outcome {
    /// The time of a hit.
    pub fn time(&self) -> Option<f64> {
        match self {
            Self::Free => None,
            Self::Hit { time, .. } => Some(*time),
        }
    }

    /// Whether it is a hit.
    pub fn is_hit(&self) -> bool {
        self.time().is_some()
    }
}

/// Why a query was refused.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImpactError {
    /// A point is NaN or infinite.
    #[error("point {index} is {value}, which is not finite")]
    NotFinite {
        /// Which point: those of the start come first.
        index: usize,
        /// Its coordinates.
        value: DVec3,
    },
    /// A tolerance, separation, length or radius is negative, NaN or infinite.
    #[error("the {what} is {value}; it must be finite and not negative")]
    Size {
        /// Which.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// The latest time of interest is not a time of the step.
    #[error("the latest time is {0}; it must be from 0 to 1")]
    Until(f64),
    /// A time is NaN or infinite.
    #[error("the time {0} is not finite")]
    Time(f64),
}

/// When a vertex and a triangle first touch whose corners move linearly. The points are the vertex, then the corners.
///
/// ```
/// use carom::glam::DVec3;
/// use carom::impact::{Outcome, Status, Terms, vertex_face};
///
/// let face = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(2.0, -1.0, 0.0), DVec3::new(-1.0, 2.0, 0.0)];
/// let above = |height: f64| [DVec3::new(0.1, 0.2, height), face[0], face[1], face[2]];
/// let Outcome::Hit { time, status } = vertex_face(&above(1.0), &above(-3.0), &Terms::default())? else { panic!() };
/// assert!(time <= 0.25 && time > 0.2499 && status == Status::Touches);
/// // It stops a hair above: proven free.
/// assert_eq!(vertex_face(&above(1.0), &above(1e-300), &Terms::default())?, Outcome::Free);
/// # Ok::<(), carom::impact::ImpactError>(())
/// ```
pub fn vertex_face(start: &[DVec3; 4], end: &[DVec3; 4], terms: &Terms) -> Result<Outcome, ImpactError> {
    features(Kind::VertexFace, start, end, terms)
}

/// When two edges first touch whose ends move linearly. The points are the ends of one, then of the other.
///
/// ```
/// use carom::glam::DVec3;
/// use carom::impact::{Terms, edge_edge};
///
/// let other = [DVec3::NEG_Y, DVec3::Y];
/// let across = |height: f64| [DVec3::new(-1.0, 0.0, height), DVec3::new(1.0, 0.0, height), other[0], other[1]];
/// let time = edge_edge(&across(1.0), &across(-1.0), &Terms::default())?.time();
/// assert!(time.is_some_and(|time| time <= 0.5 && time > 0.499));
/// # Ok::<(), carom::impact::ImpactError>(())
/// ```
pub fn edge_edge(start: &[DVec3; 4], end: &[DVec3; 4], terms: &Terms) -> Result<Outcome, ImpactError> {
    features(Kind::EdgeEdge, start, end, terms)
}

/// [`vertex_face`] or [`edge_edge`].
#[inline]
pub fn features(kind: Kind, start: &[DVec3; 4], end: &[DVec3; 4], terms: &Terms) -> Result<Outcome, ImpactError> {
    terms.checked()?;
    if !SCALES.contains(&(size(start) + size(end))) {
        return out_of_scale(kind, start, end, terms);
    }
    if terms.separation == 0.0 && relative::on_one_side(kind, start, end) {
        return Ok(Outcome::Free);
    }
    Ok(walked(kind, start, end, terms))
}

/// [`features`] for many queries of one kind: the same answers, four at a time as far as most queries go. Calls `visit`
/// with the index of each query, in order, and what was found.
///
/// ```
/// use carom::glam::DVec3;
/// use carom::impact::{Kind, Outcome, Terms, features_each};
///
/// let face = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(2.0, -1.0, 0.0), DVec3::new(-1.0, 2.0, 0.0)];
/// let above = |height: f64| [DVec3::new(0.1, 0.2, height), face[0], face[1], face[2]];
/// let falls: Vec<_> = (0..100).map(|depth| [above(1.0), above(0.5 - f64::from(depth))]).collect();
/// let mut hits = 0;
/// features_each(Kind::VertexFace, &falls, &Terms::default(), |_, found| {
///     hits += usize::from(found.is_ok_and(|outcome| outcome.is_hit()));
/// })?;
/// assert_eq!(hits, 99);
/// # Ok::<(), carom::impact::ImpactError>(())
/// ```
pub fn features_each(
    kind: Kind,
    queries: &[Query],
    terms: &Terms,
    mut visit: impl FnMut(usize, Result<Outcome, ImpactError>),
) -> Result<(), ImpactError> {
    terms.checked()?;
    dispatch!(crate::simd::level(), simd => each(simd, kind, queries, terms, &mut visit));
    Ok(())
}

#[inline(always)]
fn each<S: Simd>(
    simd: S,
    kind: Kind,
    queries: &[Query],
    terms: &Terms,
    visit: &mut impl FnMut(usize, Result<Outcome, ImpactError>),
) {
    for (number, some) in queries.chunks(pack::LANES).enumerate() {
        // The last ones are looked at again in lanes that are left over.
        let last = some.len() - 1;
        let four = [&some[0], &some[last.min(1)], &some[last.min(2)], &some[last]];
        let free = if terms.separation == 0.0 { pack::are_free_by(simd, kind, &four) } else { 0 };
        for (lane, [start, end]) in some.iter().enumerate() {
            let outcome = if free >> lane & 1 == 1 {
                Ok(Outcome::Free)
            } else if SCALES.contains(&(size(start) + size(end))) {
                Ok(walked(kind, start, end, terms))
            } else {
                out_of_scale(kind, start, end, terms)
            };
            visit(number * pack::LANES + lane, outcome);
        }
    }
}

/// Within these bounds of all coordinates' sum no power of a size that is computed overflows, or underflows to where it
/// matters.
const SCALES: Range<f64> = 1e-40..1e40;

#[inline(always)]
fn walked(kind: Kind, start: &[DVec3; 4], end: &[DVec3; 4], terms: &Terms) -> Outcome {
    let pair = Relative::new(kind, start, end);
    match walk::walk(&pair, terms) {
        Walked::Free => Outcome::Free,
        Walked::Hit { time, status } => Outcome::Hit { time, status },
        Walked::Close(close) => close.decided(exact::decide(kind, start, end, close.axis), &pair, terms),
    }
}

/// Refuses points that are not finite.
fn checked(start: &[DVec3; 4], end: &[DVec3; 4]) -> Result<(), ImpactError> {
    // A sum is finite only if all its parts are; that of huge ones may not be.
    if (size(start) + size(end)).is_finite() {
        return Ok(());
    }
    match start.iter().chain(end).enumerate().find(|(_, point)| !point.is_finite()) {
        Some((index, &value)) => Err(ImpactError::NotFinite { index, value }),
        None => Ok(()),
    }
}

fn size(points: &[DVec3; 4]) -> f64 {
    let [a, b, c, d] = points;
    (a.abs() + b.abs() + (c.abs() + d.abs())).element_sum()
}

/// The same in another unit. Exact decisions need none.
#[cold]
fn out_of_scale(kind: Kind, start: &[DVec3; 4], end: &[DVec3; 4], terms: &Terms) -> Result<Outcome, ImpactError> {
    checked(start, end)?;
    let most = start.iter().chain(end).fold(0.0, |most: f64, point| most.max(point.abs().max_element()));
    // A power of two: what becomes too small for a normal number is off by less than 1e-320 of the new unit.
    let exponent = libm::frexp(most).1;
    let scaled = |value: f64| libm::ldexp(value, -exponent);
    let points = |points: &[DVec3; 4]| points.map(|point| DVec3::from_array(point.to_array().map(scaled)));
    let least = f64::from(f32::MIN_POSITIVE);
    let separation = if terms.separation > 0.0 { scaled(terms.separation).max(least) } else { 0.0 };
    let scaled_terms = Terms { tolerance: scaled(terms.tolerance).min(1e3), separation: separation.min(1e3), ..*terms };
    let pair = Relative::new(kind, &points(start), &points(end));
    Ok(match walk::walk(&pair, &scaled_terms) {
        Walked::Free => Outcome::Free,
        Walked::Hit { time, status } => Outcome::Hit { time, status },
        Walked::Close(close) => close.decided(exact::decide(kind, start, end, close.axis), &pair, &scaled_terms),
    })
}

impl Terms {
    #[inline(always)]
    fn checked(&self) -> Result<(), ImpactError> {
        for (what, value) in [("tolerance", self.tolerance), ("separation", self.separation)] {
            if !(0.0..f64::INFINITY).contains(&value) {
                return Err(ImpactError::Size { what, value });
            }
        }
        if !(0.0..=1.0).contains(&self.until) {
            return Err(ImpactError::Until(self.until));
        }
        Ok(())
    }
}

impl walk::Close {
    /// What exact arithmetic makes of a close encounter.
    fn decided(&self, verdict: Verdict, pair: &Relative, terms: &Terms) -> Outcome {
        if verdict == Verdict::Free {
            return Outcome::Free;
        }
        let (time, status) = match self.near(pair, terms) {
            Some(near) => (near, Status::Touches),
            None => (self.time, Status::Early),
        };
        match verdict {
            Verdict::Free => Outcome::Free,
            Verdict::Touches => Outcome::Hit { time, status },
            Verdict::Unresolved if status == Status::Touches => Outcome::Hit { time, status: Status::Unresolved },
            Verdict::Unresolved => Outcome::Hit { time, status },
        }
    }
}
