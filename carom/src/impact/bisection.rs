//! Bisection: between which two times something first happens, for any question with an answer yes or no (T4).
//!
//! An interval from a time that is free to one that is hit is halved, and the half with such ends kept, until it is as
//! short as asked. What is true of the result needs nothing of the question: it was answered no at one end and yes at
//! the other. If it stays yes once it is, what is found is the first time; if not, one of the changes: whoever must
//! not miss a short contact uses the conservative tests.
//! Stops: at the wanted length, or when no number is left between the ends. Cost: log₂(1 / length) questions.

use super::ImpactError;

/// How a bisection ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bracket {
    /// A hit already at the first time.
    AtStart,
    /// Free at the last time.
    FreeAtEnd,
    /// Free at one time and hit at the other.
    Between {
        /// Asked, and free.
        free: f64,
        /// Asked, and hit: later than `free` by the wanted length at most.
        hit: f64,
    },
}

/// Why a bisection was refused or given up.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum BisectionError<E> {
    /// The range or length makes no sense.
    #[error(transparent)]
    Impact(ImpactError),
    /// The question was answered with an error.
    #[error("at a time of the bisection: {0}")]
    Question(E),
}

/// Halves the time from `range[0]` to `range[1]` until it is known to `length` when a hit begins.
///
/// ```
/// use carom::impact::{Bracket, bisect};
/// use carom::prelude::*;
///
/// let ball = Shape::sphere(1.0)?;
/// let overlaps = |time: f64| query::overlap(&ball, &Pose::IDENTITY, &ball, &Pose::at([6.0 - 8.0 * time, 0.0, 0.0]));
/// let found = bisect([0.0, 1.0], 1e-9, overlaps)?;
/// let Bracket::Between { free, hit } = found else { panic!() };
/// assert!(free <= 0.5 && 0.5 <= hit + 1e-9 && hit - free <= 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn bisect<E>(
    range: [f64; 2],
    length: f64,
    mut is_hit: impl FnMut(f64) -> Result<bool, E>,
) -> Result<Bracket, BisectionError<E>> {
    let [mut free, mut hit] = range;
    for time in [free, hit] {
        if !time.is_finite() {
            return Err(BisectionError::Impact(ImpactError::Time(time)));
        }
    }
    if !(0.0..f64::INFINITY).contains(&length) {
        return Err(BisectionError::Impact(ImpactError::Size { what: "length", value: length }));
    }
    let mut ask = |time: f64| is_hit(time).map_err(BisectionError::Question);
    if ask(free)? {
        return Ok(Bracket::AtStart);
    }
    if !ask(hit)? {
        return Ok(Bracket::FreeAtEnd);
    }
    // Halves, as the whole length may overflow.
    while (0.5 * hit - 0.5 * free).abs() > 0.5 * length {
        let middle = 0.5 * free + 0.5 * hit;
        if middle == free || middle == hit {
            break;
        }
        if ask(middle)? { hit = middle } else { free = middle }
    }
    Ok(Bracket::Between { free, hit })
}
