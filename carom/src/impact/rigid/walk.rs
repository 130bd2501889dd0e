//! How long a gap stays open that is known only where it is asked.
//!
//! A gap along a direction is the least, over the points of the bodies, of functions of time whose second derivative is
//! at most `bend`. Each of them is above its chord between two times by no less than −bend·(t − t₀)(t₁ − t)/2, and the
//! least of chords is above the chord of the least; so between two times at which the gap is known it is at least the
//! chord less that parabola. Where the two meet zero the gap is proven open until then, with one question, and the
//! parabola vanishes with the square of the step. The gap also never closes faster than `rate`.
//! Source: the chord bound is that of the error of linear interpolation; separating axes that are followed by root
//! finding are in Catto, Continuous Collision (GDC 2013), there without a bound between the samples.

/// A gap, less what is aimed at, from a time on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    pub(super) time: f64,
    /// Above zero.
    pub(super) value: f64,
    /// Its derivative: a guess that decides where the next question is.
    pub(super) slope: f64,
    /// It closes by so much in a unit of time at the most.
    pub(super) rate: f64,
    /// How fast its derivative changes, at the most.
    pub(super) bend: f64,
}

/// What a gap is asked through. Not a closure: those are compiled without the level's instructions.
pub(super) trait Question {
    /// Why there is no answer.
    type Fault;

    /// The gap at a time, less what is aimed at.
    fn ask(&mut self, time: f64) -> Result<f64, Self::Fault>;
}

/// So many questions are asked of one gap.
const QUESTIONS: usize = 4;

/// The gap is worth following while this much of it is left: then a better direction is worth more.
const WORTH: f64 = 0.3;

impl Gap {
    /// Until when the gap is proven to be open; infinity if it is until `until`.
    #[inline(always)]
    pub(super) fn open_until<Q: Question>(&self, until: f64, question: &mut Q) -> Result<f64, Q::Fault> {
        let Self { mut time, mut value, mut slope, rate, bend } = *self;
        for _ in 0..QUESTIONS {
            let room = until - time;
            if rate * room <= value {
                return Ok(f64::INFINITY);
            }
            let sure = value / rate;
            let straight = if slope < 0.0 { value / -slope } else { f64::INFINITY };
            let curved = (8.0 * value / bend).sqrt();
            // A quotient 0/0 is no number, and min and max take the other.
            let step = room.min(straight).min(curved).max(sure);
            let at_end = question.ask(time + step)?;
            let share = self.open_share(value, at_end, step);
            if share < 1.0 {
                return Ok(time + (share * step).max(sure));
            }
            if step >= room {
                return Ok(f64::INFINITY);
            }
            (slope, time) = ((at_end - value) / step, time + step);
            if at_end < WORTH * self.value {
                break;
            }
            value = at_end;
        }
        Ok(time)
    }

    /// For which share of a step the chord less the parabola stays above zero; 1 for all of it.
    #[inline(always)]
    fn open_share(&self, start: f64, end: f64, step: f64) -> f64 {
        let parabola = 0.5 * self.bend * step * step;
        let fall = parabola + start - end;
        let discriminant = fall * fall - 4.0 * parabola * start;
        if discriminant < 0.0 || fall <= 0.0 {
            return 1.0;
        }
        (2.0 * start / (fall + discriminant.sqrt())).min(1.0)
    }
}
