//! Whether two features that move linearly touch at all, decided exactly.
//!
//! Coordinates are whole numbers on a common grid, so the volume (see `volume.rs`) is a cubic with whole coefficients.
//! At a root of it the origin is in the hull of the D_i if and only if it is so in their shadow along an axis that the
//! plane does not hold: if the areas of the triangles that it makes with the sides, quadratics of time, are not of
//! opposite signs. Three ways, each if the one before does not tell: the signs of the coefficients; the coefficients
//! rounded, of which each keeps all its digits, and again between two times around a root (`rounded.rs`, which knows points
//! in a plane all the time by the roots of the sides); and, where a root is double, halving the step.
//! Stops: at a resolution of 2⁻⁹⁰ of the step, or 64 halvings. What is left touches in truth for no time at all, on a
//! side or grazing, at a time that is no binary fraction: it is called unresolved, as are coordinates that spread over
//! more than 350 binary digits.
//! Cost: 0.2 µs for short coordinates, 0.7 µs for long ones, 1 µs more for each root that is looked at closely; up to
//! 40 µs with 64 halvings.

use super::Kind;
use super::rounded;
use super::wide::Wide;
use glam::DVec3;
use std::array::from_fn;

/// What exact arithmetic finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Free,
    Touches,
    Unresolved,
}

/// Decides about the whole step. `axis` is the one along which shadows are taken.
pub(super) fn decide(kind: Kind, start: &[DVec3; 4], end: &[DVec3; 4], axis: usize) -> Verdict {
    let (lowest, digits) = grid(start, end);
    // With coordinates of n digits, differences have n + 1, areas and their sums 2n + 6, three times a volume 3n + 8.
    // All halvings add 128 and 192 digits to them, which is more than a close look does; a sign is one more.
    match digits {
        0..=60 => Whole::<1>::new(kind, start, end, lowest).decide::<2, 3, 4, 6>(axis),
        61..=120 => Whole::<2>::new(kind, start, end, lowest).decide::<4, 6, 6, 9>(axis),
        121..=350 => Whole::<6>::new(kind, start, end, lowest).decide::<12, 18, 14, 20>(axis),
        _ => Verdict::Unresolved,
    }
}

/// The differences of `relative.rs`, on a grid.
struct Whole<const N: usize> {
    kind: Kind,
    start: [[Wide<N>; 3]; 3],
    end: [[Wide<N>; 3]; 3],
}

impl<const N: usize> Whole<N> {
    #[inline(always)]
    fn new(kind: Kind, start: &[DVec3; 4], end: &[DVec3; 4], lowest: i32) -> Self {
        let seen = |points: &[DVec3; 4]| {
            let [p, q, r, s]: [[Wide<N>; 3]; 4] = from_fn(|i| from_fn(|axis| on_grid(points[i][axis], lowest)));
            let from = |a: &[Wide<N>; 3], b: &[Wide<N>; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
            match kind {
                Kind::VertexFace => [from(&q, &p), from(&r, &p), from(&s, &p)],
                Kind::EdgeEdge => [from(&p, &r), from(&q, &r), from(&s, &r)],
            }
        };
        Self { kind, start: seen(start), end: seen(end) }
    }

    /// Limbs of areas, of volumes, and of both over parts of the step.
    fn decide<const A: usize, const V: usize, const B: usize, const W: usize>(&self, axis: usize) -> Verdict {
        let ([first, mixed, second], volume) = self.volume::<A, V>();
        let volume_signs = signs(&volume);
        if volume_signs[0] != 0 && volume_signs.iter().all(|&sign| sign == volume_signs[0]) {
            return Verdict::Free;
        }
        let last_pair = [first[axis].doubled(), mixed[axis], second[axis].doubled()];
        let sides = sides(self.kind, [self.area(axis, 0, 1), last_pair, self.area(axis, 0, 2)]);
        let side_signs = from_fn(|place| signs(&sides[place]));
        if let Some(verdict) = by_signs(&volume_signs, &side_signs) {
            return verdict;
        }
        let rounded_sides = from_fn(|place| Wide::rounded(&sides[place]));
        let look = |from: f64, to: f64, signs: &[Option<i32>; 4]| {
            let exact = Part { volume: &volume, sides: &sides };
            exact.look_between::<B, W>(from, to, signs)
        };
        let found = rounded::decide(Wide::rounded(&volume), &rounded_sides, look);
        found.unwrap_or_else(|| {
            let volume = from_fn(|i| volume[i].extended::<W>());
            let sides = from_fn(|place| from_fn(|i| sides[place][i].extended::<B>()));
            Part { volume: &volume, sides: &sides }.halve(0, &mut 0)
        })
    }

    /// Three times the coefficients of the volume, after the cross products of the last two that they are made of.
    #[inline(always)]
    fn volume<const A: usize, const V: usize>(&self) -> ([[Wide<A>; 3]; 3], [Wide<V>; 4]) {
        let ([a, b, c], [d, e, f]) = (&self.start, &self.end);
        let sum = |p: &[Wide<N>; 3], q: &[Wide<N>; 3]| [p[0] + q[0], p[1] + q[1], p[2] + q[2]];
        let (first, second) = (cross(b, c), cross(e, f));
        // In the middle of the step all points are halves of sums, and the volume there, times 8, is the sum of all
        // coefficients, the inner ones three times: one product instead of two.
        let middle: [Wide<A>; 3] = cross(&sum(b, e), &sum(c, f));
        let mixed = from_fn(|k| middle[k] - first[k] - second[k]);
        let (start, end) = (dot::<N, A, V>(a, &first), dot::<N, A, V>(d, &second));
        let early = dot::<N, A, V>(d, &first) + dot::<N, A, V>(a, &mixed);
        let late = dot::<N, A, V>(&sum(a, d), &middle) - start - end - early;
        let volume = [start.tripled(), early, late, end.tripled()];
        ([first, mixed, second], volume)
    }

    /// Twice the coefficients of the area of a pair in the shadow along an axis.
    #[inline(always)]
    fn area<const A: usize>(&self, axis: usize, i: usize, j: usize) -> [Wide<A>; 3] {
        let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
        let area = |a: &[Wide<N>; 3], b: &[Wide<N>; 3]| a[x].times::<N, A>(&b[y]) - a[y].times::<N, A>(&b[x]);
        let (start, end) = (&self.start, &self.end);
        [
            area(&start[i], &start[j]).doubled(),
            area(&start[i], &end[j]) + area(&end[i], &start[j]),
            area(&end[i], &end[j]).doubled(),
        ]
    }
}

#[inline(always)]
fn cross<const N: usize, const A: usize>(a: &[Wide<N>; 3], b: &[Wide<N>; 3]) -> [Wide<A>; 3] {
    let minor = |i: usize, j: usize| a[i].times::<N, A>(&b[j]) - a[j].times::<N, A>(&b[i]);
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

#[inline(always)]
fn dot<const N: usize, const A: usize, const V: usize>(a: &[Wide<N>; 3], b: &[Wide<A>; 3]) -> Wide<V> {
    a[0].times::<A, V>(&b[0]) + a[1].times::<A, V>(&b[1]) + a[2].times::<A, V>(&b[2])
}

/// The areas next to the sides of the triangle or the parallelogram, all around, from those of the pairs 01, 12 and 02.
#[inline(always)]
fn sides<const A: usize>(kind: Kind, [a, b, c]: [[Wide<A>; 3]; 3]) -> [[Wide<A>; 3]; 4] {
    match kind {
        Kind::VertexFace => [a, b, from_fn(|i| -c[i]), [Wide::ZERO; 3]],
        Kind::EdgeEdge => [a, from_fn(|i| -b[i]), from_fn(|i| c[i] - a[i] - b[i]), c],
    }
}

/// What the signs of the coefficients over a part of the step tell, if they do.
#[inline(always)]
fn by_signs(volume: &[i32; 4], sides: &[[i32; 3]; 4]) -> Option<Verdict> {
    let is_flat = *volume == [0; 4];
    if !is_flat && volume[0] != 0 && volume.iter().all(|&sign| sign == volume[0]) {
        return Some(Verdict::Free);
    }
    let (above, below) = (sides.contains(&[1; 3]), sides.contains(&[-1; 3]));
    if above && below {
        return Some(Verdict::Free);
    }
    let is_inside_at = |end: usize| agree(sides.iter().map(|side| side[end]));
    if volume[0] == 0 && is_inside_at(0) || volume[3] == 0 && is_inside_at(2) {
        return Some(Verdict::Touches);
    }
    // A side that keeps strictly to its sign keeps the shadow from being flat.
    if volume[0] * volume[3] < 0 && (above || below) && agree(sides.iter().flatten().copied()) {
        return Some(Verdict::Touches);
    }
    // Roots at the ends are no contacts: without them, the others are those of a quadratic.
    let is_apart_at = |end: usize| sides.iter().any(|side| side[end] > 0) && sides.iter().any(|side| side[end] < 0);
    let inner = match (volume[0], volume[3]) {
        (0, 0) if is_apart_at(0) && is_apart_at(2) => &volume[1..3],
        (0, _) if is_apart_at(0) => &volume[1..],
        (_, 0) if is_apart_at(2) => &volume[..3],
        _ => return None,
    };
    (inner[0] != 0 && inner.iter().all(|&sign| sign == inner[0])).then_some(Verdict::Free)
}

/// Whether not two of the signs are opposite, and not all are zero.
#[inline(always)]
fn agree(signs: impl Iterator<Item = i32>) -> bool {
    let (mut has_positive, mut has_negative) = (false, false);
    for sign in signs {
        has_positive |= sign > 0;
        has_negative |= sign < 0;
    }
    has_positive != has_negative
}

/// A part of the step, as coefficients in Bernstein's basis.
#[derive(Clone, Copy)]
struct Part<'p, const A: usize, const V: usize> {
    volume: &'p [Wide<V>; 4],
    sides: &'p [[Wide<A>; 3]; 4],
}

impl<const A: usize, const V: usize> Part<'_, A, V> {
    /// Decides about the part between two times, by rounded coefficients. The signs of some sides are known.
    #[inline(never)]
    fn look_between<const B: usize, const W: usize>(&self, from: f64, to: f64, signs: &[Option<i32>; 4]) -> Verdict {
        // The times that enclose the two, in units of 2⁻⁵⁰.
        let unit = 1.0 / TIME as f64;
        let (from, to) = ((from / unit).floor().max(0.0) as u64, (to / unit).ceil().min(TIME as f64) as u64);
        let volume = Wide::rounded(&cubic_between::<W>(&from_fn(|i| self.volume[i].extended()), from, to));
        let sides = from_fn(|place| match signs[place] {
            Some(sign) => [f64::from(sign); 3],
            None => Wide::rounded(&quadratic_between::<B>(&from_fn(|i| self.sides[place][i].extended()), from, to)),
        });
        rounded::decide(volume, &sides, |_, _, _| Verdict::Unresolved).unwrap_or(Verdict::Unresolved)
    }

    /// Decides by halving the part: with no root, or areas of opposite signs, it is free; with a change of sign and
    /// areas of one sign, it holds a contact.
    fn halve(&self, depth: u32, parts: &mut u32) -> Verdict {
        const DEEPEST: u32 = 64;
        const MOST_PARTS: u32 = 500;
        *parts += 1;
        let sides = from_fn(|place| signs(&self.sides[place]));
        let volume = signs(self.volume);
        if let Some(verdict) = by_signs(&volume, &sides) {
            return verdict;
        }
        if depth >= DEEPEST || *parts >= MOST_PARTS {
            return Verdict::Unresolved;
        }
        // By de Casteljau's means without their divisions: all coefficients grow by 8 and 4 alike.
        let is_flat = volume == [0; 4];
        let [first, second] = if is_flat { [*self.volume; 2] } else { halves_of_cubic(self.volume) };
        let sides = self.sides.map(|[a, b, c]| {
            let (ab, bc) = (a + b, b + c);
            [a.doubled().doubled(), ab.doubled(), ab + bc]
        });
        let before = Part { volume: &first, sides: &sides }.halve(depth + 1, parts);
        if before == Verdict::Touches {
            return before;
        }
        let sides = self.sides.map(|[a, b, c]| {
            let (ab, bc) = (a + b, b + c);
            [ab + bc, bc.doubled(), c.doubled().doubled()]
        });
        match (Part { volume: &second, sides: &sides }).halve(depth + 1, parts) {
            Verdict::Free => before,
            after @ (Verdict::Touches | Verdict::Unresolved) => after,
        }
    }
}

#[inline(always)]
fn halves_of_cubic<const N: usize>([a, b, c, d]: &[Wide<N>; 4]) -> [[Wide<N>; 4]; 2] {
    let (ab, bc, cd) = (*a + *b, *b + *c, *c + *d);
    let (abc, bcd) = (ab + bc, bc + cd);
    let middle = abc + bcd;
    [
        [a.doubled().doubled().doubled(), ab.doubled().doubled(), abc.doubled(), middle],
        [middle, bcd.doubled(), cd.doubled().doubled(), d.doubled().doubled().doubled()],
    ]
}

/// Arrays of long numbers are passed by reference: to copy them costs more than to compute with them.
#[inline(always)]
fn signs<const N: usize, const COUNT: usize>(numbers: &[Wide<N>; COUNT]) -> [i32; COUNT] {
    from_fn(|i| numbers[i].signum())
}

/// Units of time in a part, for a closer look.
const TIME: u64 = 1 << 50;

/// [`TIME`] times the mean of two coefficients at a time.
#[inline(always)]
fn mean<const N: usize>(a: &Wide<N>, b: &Wide<N>, time: u64) -> Wide<N> {
    a.scaled(TIME - time) + b.scaled(time)
}

/// A cubic between two times. Its coefficients are the polar forms at them: 3 · 51 digits longer.
#[inline(always)]
fn cubic_between<const N: usize>([a, b, c, d]: &[Wide<N>; 4], from: u64, to: u64) -> [Wide<N>; 4] {
    let three = |time: u64| [mean(a, b, time), mean(b, c, time), mean(c, d, time)];
    let two = |[p, q, r]: &[Wide<N>; 3], time: u64| [mean(p, q, time), mean(q, r, time)];
    let one = |[p, q]: &[Wide<N>; 2], time: u64| mean(p, q, time);
    let (at_from, at_to) = (three(from), three(to));
    let [first, mixed, last] = [two(&at_from, from), two(&at_from, to), two(&at_to, to)];
    [one(&first, from), one(&first, to), one(&mixed, to), one(&last, to)]
}

/// A quadratic between two times: 2 · 51 digits longer.
#[inline(always)]
fn quadratic_between<const N: usize>([a, b, c]: &[Wide<N>; 3], from: u64, to: u64) -> [Wide<N>; 3] {
    let two = |time: u64| [mean(a, b, time), mean(b, c, time)];
    let ([p, q], [r, s]) = (two(from), two(to));
    [mean(&p, &q, from), mean(&p, &q, to), mean(&r, &s, to)]
}

/// The exponent of the lowest binary digit of all, and how many digits from there hold every coordinate.
#[inline(always)]
fn grid(start: &[DVec3; 4], end: &[DVec3; 4]) -> (i32, u32) {
    let (mut lowest, mut highest) = (i32::MAX, i32::MIN);
    for point in start.iter().chain(end) {
        for coordinate in point.to_array() {
            let (mantissa, exponent) = parts(coordinate);
            // No branches: which coordinates are zero cannot be foreseen.
            let least = exponent + mantissa.trailing_zeros() as i32;
            let greatest = exponent + 64 - mantissa.leading_zeros() as i32;
            lowest = lowest.min(if mantissa == 0 { i32::MAX } else { least });
            highest = highest.max(if mantissa == 0 { i32::MIN } else { greatest });
        }
    }
    if lowest > highest { (0, 0) } else { (lowest, (highest - lowest) as u32) }
}

/// A finite number as `mantissa` · 2^`exponent`, without its sign.
#[inline(always)]
fn parts(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) }
}

/// A coordinate in units of the grid that it is on.
#[inline(always)]
fn on_grid<const N: usize>(value: f64, lowest: i32) -> Wide<N> {
    let (mantissa, exponent) = parts(value);
    // Zero is on any grid; all others have zeros where they are shifted down.
    let shift = if mantissa == 0 { 0 } else { exponent - lowest };
    let size = (mantissa >> (-shift).clamp(0, 63)) as i64;
    Wide::shifted(if value < 0.0 { -size } else { size }, shift.max(0) as u32)
}
