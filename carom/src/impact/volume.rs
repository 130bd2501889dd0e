//! The volume between two features as a cubic of time: a certificate of its own, and one of contact.
//!
//! Features touch only when their four points are in a plane, where V(t) = det(D_0, D_1, D_2) is zero. In Bernstein's
//! basis a polynomial lies in the convex hull of its coefficients, so V is not zero before that hull meets zero; going
//! there again and again (Bézier clipping) converges to a simple root from the left, twice the digits each time, which
//! directions alone do not where a face turns. And where V changes its sign between two times while the origin, seen
//! along one direction n, stays inside the outline, there is a contact between them: at the root all D_i are in a
//! plane, and n · (D_i × D_j) tell on which side of each of its sides the origin is.
//!
//! Errors, with u = 2⁻⁵³ and M as in `relative.rs`: three differences add 3u, a cross product and a sum of two 3u, the
//! product 3u, sum and third 3u, relative to 6·M_x·M_y·M_z: 72u·M_x·M_y·M_z. We take 128u, and 64u more for each
//! restriction to a part of the step, which has 6u for a mean of means.
//! Source: Sederberg, Nishita, Curve intersection using Bézier clipping (1990), doi:10.1016/0010-4485(90)90039-F.

use super::Kind;
use super::relative::Relative;
use glam::DVec3;

const UNIT: f64 = f64::EPSILON / 2.0;

/// How much coefficients may be off, relative to M_x·M_y·M_z, and what underflow adds.
pub(super) const ERROR: f64 = 192.0 * UNIT;
pub(super) const UNDERFLOW: f64 = 1e-300;

/// The coefficients of the volume, and how much they may be off.
#[derive(Debug, Clone, Copy)]
pub(super) struct Volume {
    coefficients: [f64; 4],
    error: f64,
}

impl Volume {
    #[inline(always)]
    pub(super) fn new(pair: &Relative) -> Self {
        let ([a, b, c], [d, e, f]) = (pair.start, pair.end);
        let (first, second, mixed) = (b.cross(c), e.cross(f), b.cross(f) + e.cross(c));
        let coefficients = [
            a.dot(first),
            (d.dot(first) + a.dot(mixed)) * (1.0 / 3.0),
            (a.dot(second) + d.dot(mixed)) * (1.0 / 3.0),
            d.dot(second),
        ];
        let most = pair.most;
        Self { coefficients, error: ERROR * (most.x * most.y * most.z) + UNDERFLOW }
    }

    /// From coefficients that were exact and are rounded.
    pub(super) fn rounded(coefficients: [f64; 4]) -> Self {
        let most = coefficients.iter().fold(0.0, |most: f64, coefficient| most.max(coefficient.abs()));
        Self { coefficients, error: 64.0 * UNIT * most }
    }

    /// The coefficients from a time to the end of the step.
    #[inline(always)]
    fn from(&self, time: f64) -> [f64; 4] {
        let [a, b, c, d] = self.coefficients;
        let rest = 1.0 - time;
        let mix = |p: f64, q: f64| p * rest + q * time;
        let (ab, bc, cd) = (mix(a, b), mix(b, c), mix(c, d));
        let (abc, bcd) = (mix(ab, bc), mix(bc, cd));
        [mix(abc, bcd), bcd, cd, d]
    }

    /// Whether it is proven to be zero at no time of the step.
    #[inline(always)]
    pub(super) fn keeps_sign(&self) -> bool {
        let [a, b, c, d] = self.coefficients;
        let error = self.error;
        a.min(b).min(c.min(d)) > error || a.max(b).max(c.max(d)) < -error
    }

    /// Whether nothing can be told from it.
    #[inline(always)]
    pub(super) fn is_noise(&self) -> bool {
        self.coefficients.iter().all(|coefficient| coefficient.abs() <= self.error)
    }

    /// To when the volume is proven to keep its sign from `time` on, infinity if to the end.
    #[inline(always)]
    pub(super) fn free_until(&self, time: f64, clips: usize) -> f64 {
        /// A step that is shorter is worth no further clip.
        const LEAST: f64 = 1e-10;
        let mut time = time;
        for _ in 0..clips {
            let coefficients = self.from(time);
            let sign = if coefficients[0] < 0.0 { -1.0 } else { 1.0 };
            let heights = coefficients.map(|coefficient| coefficient * sign - self.error);
            let is_apart = heights[0] > 0.0;
            if !is_apart {
                return time;
            }
            let share = first_crossing(&heights);
            if share >= 1.0 {
                return f64::INFINITY;
            }
            let step = (1.0 - time) * share;
            // Rounded down: all factors are positive, each off by a few u.
            time += step * (1.0 - 16.0 * UNIT);
            time -= 4.0 * UNIT * time;
            if step < LEAST {
                return time;
            }
        }
        time
    }

    /// A time after `time` from which on the volume has, for a while, the other sign: where the root is simple and
    /// near.
    #[inline(always)]
    pub(super) fn beyond(&self, time: f64) -> Option<f64> {
        let here = self.from(time);
        let slope = 3.0 * (here[1] - here[0]) / (1.0 - time);
        let share = (2.0 * here[0].abs() + 8.0 * self.error) / slope.abs();
        let after = time + share;
        let is_in_step = after < 1.0;
        if !is_in_step {
            // The end may be what is wanted.
            return self.is_opposite(here[0], here[3]).then_some(1.0);
        }
        let there = self.from(after);
        self.is_opposite(here[0], there[0]).then_some(after)
    }

    fn is_opposite(&self, before: f64, after: f64) -> bool {
        before > self.error && after < -self.error || before < -self.error && after > self.error
    }
}

/// Where the convex hull of four heights above 0, 1/3, 2/3 and 1, of which the first is positive, first meets zero; 1
/// or more if it does not.
#[inline(always)]
fn first_crossing(heights: &[f64; 4]) -> f64 {
    let mut first = 1.0;
    for last in 1..4 {
        if heights[last] > 0.0 {
            continue;
        }
        for before in 0..last {
            if heights[before] > 0.0 {
                let part = heights[before] / (heights[before] - heights[last]);
                first = f64::min(first, (before as f64 + part * (last - before) as f64) * (1.0 / 3.0));
            }
        }
    }
    if heights[3] > 0.0 && first == 1.0 { 2.0 } else { first }
}

/// Whether the features certainly touch soon after `time`.
#[inline(always)]
pub(super) fn touches_after(pair: &Relative, volume: &Volume, time: f64) -> bool {
    let Some(after) = volume.beyond(time) else { return false };
    let (from, to) = (pair.at(time), pair.at(after));
    is_inside_between(pair, &from, &to, normal(pair.kind, &from))
}

/// Whether the features certainly touch in the step, seen along their normal at `points`.
#[inline(always)]
pub(super) fn touches_in_step(pair: &Relative, volume: &Volume, points: &[DVec3; 3]) -> bool {
    let [before, .., after] = volume.coefficients;
    volume.is_opposite(before, after) && is_inside_between(pair, &pair.start, &pair.end, normal(pair.kind, points))
}

/// Whether the origin, seen along `normal`, is certainly inside the outline all the way between two places of the
/// points.
#[inline(always)]
fn is_inside_between(pair: &Relative, from: &[DVec3; 3], to: &[DVec3; 3], normal: DVec3) -> bool {
    // Points are off by 3u of M, products of two and the sums by 8u in all: 64u of the largest is far more.
    let most = pair.most;
    let areas = DVec3::new(most.y * most.z, most.z * most.x, most.x * most.y);
    let error = 64.0 * UNIT * normal.abs().dot(areas) + 1e-300;
    let sides = |p: &[DVec3; 3], q: &[DVec3; 3]| {
        let [a, b, c] = [(0, 1), (1, 2), (0, 2)].map(|(i, j)| normal.dot(p[i].cross(q[j]) + q[i].cross(p[j])));
        match pair.kind {
            Kind::VertexFace => [a, b, -c, a],
            Kind::EdgeEdge => [a, -b, c - a - b, c],
        }
    };
    // Each side is a quadratic of time: above its least Bernstein coefficient.
    let all = [sides(from, from), sides(from, to), sides(to, to)];
    let least = all.iter().flatten().fold(f64::INFINITY, |least, side| least.min(*side));
    let greatest = all.iter().flatten().fold(f64::NEG_INFINITY, |greatest, side| greatest.max(*side));
    least > 4.0 * error || greatest < -4.0 * error
}

/// Of the face, or of both edges.
#[inline(always)]
pub(super) fn normal(kind: Kind, points: &[DVec3; 3]) -> DVec3 {
    match kind {
        Kind::VertexFace => (points[1] - points[0]).cross(points[2] - points[0]),
        Kind::EdgeEdge => (points[1] - points[0]).cross(points[2]),
    }
}
