//! The quick part of the distance search: GJK as in `minimum_norm.rs`, with nothing done twice to save digits.
//!
//! Directions are the nearest points themselves, so no step takes a square root; the nearest face of a simplex is found
//! by the signs of products (Ericson 2005, ch. 5.1) with one division; vertices of hulls are found in f32. What this
//! cannot finish - cores that nearly touch, flat simplices, a nearest point that rounding keeps from moving - it leaves
//! to the careful search, which starts anew. What it does finish carries the same proof: the bounds that the last support
//! gives, and that one is asked with all digits.
//! Cost: two supports and about 40 ns a step. No closures in the inner steps: they would be called, not inlined.

use super::convex::SupportFault;
use super::feature::Pair;
use super::minimum_norm::{Goal, RELATIVE_GAP};
use super::simplex::{Difference, Vertex};
use crate::trace::{GjkStep, StopReason, Tracer};
use fearless_simd::Simd;
use glam::DVec3;

/// More steps than the corners of boxes and hulls need, almost always.
const STEP_LIMIT: usize = 64;

/// Below this many tolerances (1e-6 of the size of the pair) the nearest point has too few digits for a direction.
pub(super) const CAREFUL: f64 = 5e8;

/// Up to four vertices of A - B with weights of sum one: the point of their hull that is nearest to the origin.
#[derive(Debug)]
pub(crate) struct Face {
    pub(super) vertices: [Vertex; 4],
    /// Which of the vertices are in use; the first `count` of these.
    pub(super) places: [usize; 4],
    pub(super) count: usize,
    pub(super) weights: [f64; 4],
    pub(super) nearest: DVec3,
}

/// The support that was asked last: A - B has no point with a product with `direction` below `along`, if the search has
/// ended for a reason.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    pub(super) direction: DVec3,
    pub(super) along: f64,
}

/// A vertex by where it is and where more of it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    pub(super) at: DVec3,
    pub(super) place: usize,
}

/// One to three corners with the nearest point of their hull. Corners beyond `count` mean nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reduced {
    pub(super) corners: [Corner; 3],
    pub(super) count: usize,
    pub(super) weights: [f64; 3],
    pub(super) nearest: DVec3,
}

pub(super) enum Grown {
    Outside(Reduced),
    /// Four corners are around the origin, with these weights.
    Around([f64; 4]),
}

impl Face {
    /// Nothing yet.
    pub(super) const NONE: Self =
        Self { vertices: [Vertex::NONE; 4], places: [0, 1, 2, 3], count: 0, weights: [0.0; 4], nearest: DVec3::ZERO };

    pub(super) fn vertices(&self) -> impl ExactSizeIterator<Item = &Vertex> {
        self.places[..self.count.min(4)].iter().map(|place| &self.vertices[place & 3])
    }

    /// The nearest point, as a point of each core.
    #[inline(always)]
    pub(super) fn pair(&self) -> Pair {
        let mut on_a = DVec3::ZERO;
        for (vertex, weight) in self.vertices().zip(self.weights) {
            on_a += weight * vertex.on_a;
        }
        Pair { on_a, on_b: on_a - self.nearest }
    }

    /// Makes the first vertex the nearest.
    #[inline(always)]
    pub(super) fn stay_at_first(&mut self) {
        self.keep(&Reduced::corner(Corner { at: self.vertices[0].difference, place: 0 }));
    }

    /// Goes down from the first `count` vertices to the goal, or as far as it can: then there is no reason to stop.
    #[inline(always)]
    pub(super) fn descend<S: Simd>(
        &mut self,
        simd: S,
        count: usize,
        difference: &mut Difference<'_>,
        goal: Goal,
        tracer: &mut impl Tracer,
    ) -> Result<(Option<StopReason>, Bound), SupportFault> {
        let mut bound = Bound { direction: DVec3::ZERO, along: f64::NEG_INFINITY };
        (self.places, self.count) = ([0, 1, 2, 3], count);
        let corner = |place: usize| Corner { at: self.vertices[place].difference, place };
        let (a, b, c) = (corner(0), corner(1), corner(2));
        let mut reduced = match count {
            1 => Reduced::corner(a),
            2 => Reduced::edge(a, b),
            3 => Reduced::triangle(a, b, c),
            _ => match Reduced::grown([a, b, c], corner(3)) {
                Grown::Around(weights) => {
                    (self.weights, self.nearest) = (weights, DVec3::ZERO);
                    return Ok((Some(StopReason::Enclosed), bound));
                }
                // The fourth side may be the nearest.
                Grown::Outside(_) => return Ok((None, bound)),
            },
        };
        let careful = CAREFUL * goal.tolerance;
        let doubt = difference.doubt();
        let mut squared = reduced.nearest.length_squared();
        if squared.is_nan() || !difference.is_precise() {
            return Ok((None, bound));
        }
        let mut reason = None;
        for _ in 0..STEP_LIMIT {
            if squared <= goal.near * goal.near {
                reason = Some(StopReason::Near).filter(|_| goal.near > careful);
                break;
            }
            if squared <= careful * careful {
                break;
            }
            let (mut farthest, mut along) = difference.quick_support(simd, -reduced.nearest)?;
            // What ends the search must be proven, and a quick support proves nothing that its doubt is larger than.
            let mut reach = along;
            if doubt > 0.0 && squared + along <= RELATIVE_GAP * squared {
                reach = difference.along(simd, -reduced.nearest, &farthest);
                if squared + reach > RELATIVE_GAP * squared {
                    (farthest, along) = difference.support(-reduced.nearest)?;
                    reach = along;
                }
            } else if along < 0.0 && goal.far < f64::INFINITY {
                let length = squared.sqrt();
                reach += doubt * length;
                if -reach >= goal.far * length {
                    reason = Some(StopReason::BeyondLimit);
                }
            }
            bound = Bound { direction: reduced.nearest, along: -reach };
            tracer.gjk(|| {
                self.keep(&reduced);
                self.record(&farthest, &bound, doubt)
            });
            if squared + reach <= RELATIVE_GAP * squared {
                reason = Some(StopReason::BoundsMet);
            }
            if reason.is_some() {
                break;
            }
            let place = reduced.free_place();
            let newest = Corner { at: farthest.difference, place };
            self.vertices[place & 3] = farthest;
            let next = match reduced.count {
                1 => Reduced::edge(reduced.corners[0], newest),
                2 => Reduced::triangle(reduced.corners[0], reduced.corners[1], newest),
                _ => match Reduced::grown(reduced.corners, newest) {
                    Grown::Outside(next) => next,
                    Grown::Around(weights) => {
                        let [a, b, c] = &reduced.corners;
                        (self.places, self.count) = ([a.place, b.place, c.place, place], 4);
                        (self.weights, self.nearest) = (weights, DVec3::ZERO);
                        return Ok((Some(StopReason::Enclosed), bound));
                    }
                },
            };
            let shorter = next.nearest.length_squared();
            // Not if rounding keeps it from moving, or has made it NaN.
            if !matches!(shorter.partial_cmp(&squared), Some(std::cmp::Ordering::Less)) {
                break;
            }
            (reduced, squared) = (next, shorter);
        }
        self.keep(&reduced);
        Ok((reason, bound))
    }

    #[inline(always)]
    fn keep(&mut self, reduced: &Reduced) {
        let [a, b, c] = &reduced.corners;
        let [p, q, r] = reduced.weights;
        (self.places, self.count) = ([a.place, b.place, c.place, 0], reduced.count);
        (self.weights, self.nearest) = ([p, q, r, 0.0], reduced.nearest);
    }

    fn record(&self, support: &Vertex, bound: &Bound, doubt: f64) -> GjkStep {
        let length = self.nearest.length();
        GjkStep {
            simplex: self.vertices().map(Vertex::record).collect(),
            nearest: self.nearest,
            direction: -self.nearest / length,
            support: support.difference,
            lower: bound.along / length - doubt,
            upper: length,
        }
    }
}

impl Reduced {
    #[inline(always)]
    pub(super) fn corner(a: Corner) -> Self {
        Self { corners: [a; 3], count: 1, weights: [1.0, 0.0, 0.0], nearest: a.at }
    }

    #[inline(always)]
    fn between(a: Corner, b: Corner, weight: f64) -> Self {
        let weights = [1.0 - weight, weight, 0.0];
        Self { corners: [a, b, b], count: 2, weights, nearest: weights[0] * a.at + weights[1] * b.at }
    }

    /// The nearest point of an edge; not a number if it has no length.
    #[inline(always)]
    pub(super) fn edge(a: Corner, b: Corner) -> Self {
        let along = a.at - b.at;
        let from_b = -b.at.dot(along);
        if from_b <= 0.0 {
            return Self::corner(b);
        }
        let squared = along.length_squared();
        if from_b >= squared { Self::corner(a) } else { Self::between(b, a, from_b / squared) }
    }

    /// The nearest point of a triangle; not a number if it has no area. The newest corner comes last.
    #[inline(always)]
    pub(super) fn triangle(a: Corner, b: Corner, c: Corner) -> Self {
        let (u, v) = (a.at - c.at, b.at - c.at);
        let (c_u, c_v) = (-u.dot(c.at), -v.dot(c.at));
        if c_u <= 0.0 && c_v <= 0.0 {
            return Self::corner(c);
        }
        let (a_u, a_v) = (-u.dot(a.at), -v.dot(a.at));
        let (b_u, b_v) = (-u.dot(b.at), -v.dot(b.at));
        // The areas that the origin, in the plane, makes with the sides, times that of the whole.
        let beyond_b = c_u * a_v - a_u * c_v;
        if beyond_b <= 0.0 && c_u >= 0.0 && a_u <= 0.0 {
            return Self::between(c, a, c_u / (c_u - a_u));
        }
        let beyond_a = b_u * c_v - c_u * b_v;
        if beyond_a <= 0.0 && c_v >= 0.0 && b_v <= 0.0 {
            return Self::between(c, b, c_v / (c_v - b_v));
        }
        let beyond_c = a_u * b_v - b_u * a_v;
        let (from_a, from_b) = (a_v - a_u, b_u - b_v);
        if a_u >= 0.0 && from_a <= 0.0 {
            return Self::corner(a);
        }
        if b_v >= 0.0 && from_b <= 0.0 {
            return Self::corner(b);
        }
        if beyond_c <= 0.0 && from_a >= 0.0 && from_b >= 0.0 {
            return Self::between(a, b, from_a / (from_a + from_b));
        }
        let part = 1.0 / (beyond_a + beyond_b + beyond_c);
        let weights = [beyond_a * part, beyond_b * part, beyond_c * part];
        let nearest = weights[0] * a.at + weights[1] * b.at + weights[2] * c.at;
        Self { corners: [a, b, c], count: 3, weights, nearest }
    }

    /// The nearest of the three sides at the newest corner of a tetrahedron, unless it is around the origin. Not a number
    /// if it is too flat to tell.
    #[inline(always)]
    pub(super) fn grown(corners: [Corner; 3], newest: Corner) -> Grown {
        let [a, b, c] = corners;
        let d = newest.at;
        let (u, v, w) = (a.at - d, b.at - d, c.at - d);
        let (beyond_c, beyond_a, beyond_b) = (u.cross(v), v.cross(w), w.cross(u));
        let volume = beyond_c.dot(w);
        // The weights, times the volume.
        let inward = -volume.signum();
        let (on_a, on_b, on_c) = (d.dot(beyond_a) * inward, d.dot(beyond_b) * inward, d.dot(beyond_c) * inward);
        let mut best = Self { nearest: DVec3::NAN, ..Self::corner(newest) };
        if on_a >= 0.0 && on_b >= 0.0 && on_c >= 0.0 {
            let size = volume.abs();
            let rest = size - on_a - on_b - on_c;
            // In a flat tetrahedron the weights have few digits.
            let most_squared = u.length_squared() * v.length_squared() * w.length_squared();
            if rest >= 0.0 && volume * volume > 1e-12 * most_squared {
                return Grown::Around([on_a / size, on_b / size, on_c / size, rest / size]);
            }
            return Grown::Outside(best);
        }
        let mut least = f64::INFINITY;
        for (on_corner, p, q) in [(on_a, b, c), (on_b, c, a), (on_c, a, b)] {
            if on_corner < 0.0 {
                let side = Self::triangle(p, q, newest);
                let squared = side.nearest.length_squared();
                if squared < least {
                    (best, least) = (side, squared);
                }
            }
        }
        Grown::Outside(best)
    }

    /// A place of four that none of these corners has.
    #[inline(always)]
    pub(super) fn free_place(&self) -> usize {
        let [a, b, c] = &self.corners;
        let (a, b, c) = (a.place, b.place, c.place);
        // Corners beyond the count repeat one that is in use, or free a place less: three at the most are taken.
        (!(1usize << a | 1 << b | 1 << c)).trailing_zeros() as usize & 3
    }
}
