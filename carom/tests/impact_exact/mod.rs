//! An exact oracle for features whose coordinates are small whole numbers: real algebra in 128 digits.
//!
//! Contact is possible at roots of the cubic of coplanarity, or, if that is zero, when a point comes onto a line. A
//! root is known by its polynomial and an interval or as a fraction, and the sign of a quadratic at it is found by the
//! remainder of the one by the other: whether they have a root in common decides what no interval can.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use carom::impact::Kind;

pub type Point = [i128; 3];
/// Coefficients of a polynomial of degree 3 at most, constant first.
type Polynomial = [i128; 4];

/// A root in the step: a fraction if both ends are the same.
#[derive(Clone, Copy, Debug)]
struct Root {
    of: Polynomial,
    /// Fractions with a common positive denominator.
    low: i128,
    high: i128,
    denominator: i128,
}

/// When features of whole coordinates, at most 8 in size, first touch: an interval of time.
pub fn first_contact(kind: Kind, start: &[Point; 4], end: &[Point; 4]) -> Option<[f64; 2]> {
    let line = |a: &Point, b: &Point| [0, 1, 2].map(|i| [a[i], b[i] - a[i]]);
    let points: [Moving; 4] = std::array::from_fn(|i| line(&start[i], &end[i]));
    let [p, q, r, s] = points;
    // The vertex or an end of the second edge is the origin.
    let (outline, volume): (Vec<Moving>, _) = match kind {
        Kind::VertexFace => (vec![from(q, p), from(r, p), from(s, p)], triple(from(q, p), from(r, p), from(s, p))),
        Kind::EdgeEdge => {
            (vec![from(p, r), from(q, r), from(q, s), from(p, s)], triple(from(p, r), from(q, r), from(s, r)))
        }
    };
    let mut times = Vec::new();
    if volume == [0; 4] {
        times.push(Root { of: [0, 1, 0, 0], low: 0, high: 0, denominator: 1 });
        for i in 0..outline.len() {
            let next = outline[(i + 1) % outline.len()];
            for polynomial in cross(outline[i], next).into_iter().chain(outline[i].map(|[a, b]| [a, b, 0])) {
                times.extend(roots([polynomial[0], polynomial[1], polynomial[2], 0]));
            }
        }
    } else {
        times = roots(volume);
    }
    let mut first: Option<[f64; 2]> = None;
    for root in times.into_iter().filter(|root| holds_origin(&outline, root)) {
        let around = root.around();
        if first.is_none_or(|first| around[0] < first[0]) {
            first = Some(around);
        }
    }
    first
}

/// A point's coordinates as linear polynomials.
type Moving = [[i128; 2]; 3];
type Quadratic = [i128; 3];

fn from(a: Moving, b: Moving) -> Moving {
    [0, 1, 2].map(|i| [a[i][0] - b[i][0], a[i][1] - b[i][1]])
}

fn product(a: [i128; 2], b: [i128; 2]) -> Quadratic {
    [a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[1] * b[1]]
}

fn plus(a: Quadratic, b: Quadratic, sign: i128) -> Quadratic {
    [a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2]]
}

fn cross(a: Moving, b: Moving) -> [Quadratic; 3] {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| plus(product(a[i], b[j]), product(a[j], b[i]), -1))
}

fn dot(a: Moving, b: Moving) -> Quadratic {
    plus(plus(product(a[0], b[0]), product(a[1], b[1]), 1), product(a[2], b[2]), 1)
}

fn triple(a: Moving, b: Moving, c: Moving) -> Polynomial {
    let mut sum = [0; 4];
    for (line, area) in a.iter().zip(cross(b, c)) {
        for (i, x) in line.iter().enumerate() {
            for (j, y) in area.iter().enumerate() {
                sum[i + j] += x * y;
            }
        }
    }
    sum
}

/// Whether the convex outline, known to be in a plane with the origin at this time, holds it.
fn holds_origin(outline: &[Moving], root: &Root) -> bool {
    let count = outline.len();
    let pairs: Vec<[Quadratic; 3]> = (0..count).map(|i| cross(outline[i], outline[(i + 1) % count])).collect();
    for axis in 0..3 {
        // The area of the shadow along the axis.
        let area = pairs.iter().fold([0; 3], |sum, pair| plus(sum, pair[axis], 1));
        if root.sign(&area) != 0 {
            let signs: Vec<i32> = pairs.iter().map(|pair| root.sign(&pair[axis])).collect();
            return !(signs.contains(&1) && signs.contains(&-1));
        }
    }
    // All on a line, or parallel edges: the origin is on it and between two of them.
    (0..count).any(|i| {
        (0..count).any(|j| {
            let is_on_line = cross(outline[i], outline[j]).iter().all(|area| root.sign(area) == 0);
            is_on_line && root.sign(&dot(outline[i], outline[j])) <= 0
        })
    })
}

fn at(polynomial: &[i128], numerator: i128, denominator: i128) -> i128 {
    // The value times a power of the positive denominator.
    polynomial
        .iter()
        .rev()
        .fold((0, 1), |(sum, power), coefficient| (sum * numerator + coefficient * power, power * denominator))
        .0
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// The roots from 0 to 1, each once.
fn roots(polynomial: Polynomial) -> Vec<Root> {
    let content = polynomial.iter().fold(0, |content, &coefficient| gcd(content, coefficient));
    if content == 0 {
        return Vec::new();
    }
    let of = polynomial.map(|coefficient| coefficient / content);
    let mut found = Vec::new();
    isolate(of, 0, 0, &mut found);
    if at(&of, 1, 1) == 0 {
        found.push(Root { of, low: 1, high: 1, denominator: 1 });
    }
    found
}

/// The roots in [k, k + 1) / 2^depth.
fn isolate(of: Polynomial, k: i128, depth: u32, found: &mut Vec<Root>) {
    let denominator = 1 << depth;
    let exact = Root { of, low: k, high: k, denominator };
    let here = at(&of, k, denominator);
    if here == 0 {
        found.push(exact);
    }
    // Bernstein's coefficients of the part, times 3 · 8^depth, from the values and slopes at its ends.
    let slope = [of[1], 2 * of[2], 3 * of[3]];
    let (at_low, at_high) = (at(&of, k, denominator), at(&of, k + 1, denominator));
    let part = [
        3 * at_low,
        3 * at_low + at(&slope, k, denominator),
        3 * at_high - at(&slope, k + 1, denominator),
        3 * at_high,
    ];
    let signs: Vec<i128> = part.iter().map(|coefficient| coefficient.signum()).filter(|sign| *sign != 0).collect();
    let changes = signs.windows(2).filter(|pair| pair[0] != pair[1]).count();
    if changes == 0 {
        return;
    }
    if changes == 1 && at_low != 0 && at_high != 0 {
        found.push(Root { of, low: k, high: k + 1, denominator });
        return;
    }
    if depth == 24 {
        // Whole numbers as small as ours have no two roots so near: this is a double or triple one, and a fraction.
        let [d, c, b, a] = of;
        let (numerator, denominator) = match (a, b * b - 3 * a * c) {
            (0, _) => (-c, 2 * b),
            (_, 0) => (-b, 3 * a),
            (_, difference) => (9 * a * d - b * c, 2 * difference),
        };
        let sign = denominator.signum();
        assert!(denominator != 0 && at(&of, sign * numerator, sign * denominator) == 0, "{of:?}");
        found.push(Root { of, low: sign * numerator, high: sign * numerator, denominator: sign * denominator });
        return;
    }
    isolate(of, 2 * k, depth + 1, found);
    isolate(of, 2 * k + 1, depth + 1, found);
}

impl Root {
    fn around(&self) -> [f64; 2] {
        let mut root = *self;
        while root.low != root.high && root.denominator < 1 << 26 {
            root.halve();
        }
        [root.low as f64 / root.denominator as f64, root.high as f64 / root.denominator as f64]
    }

    /// Halves the interval; both ends are no roots.
    fn halve(&mut self) {
        let (low, middle) = (2 * self.low, self.low + self.high);
        let denominator = 2 * self.denominator;
        let (before, here) = (at(&self.of, low, denominator).signum(), at(&self.of, middle, denominator).signum());
        let high = 2 * self.high;
        (self.low, self.high) = match here {
            0 => (middle, middle),
            _ if here == before => (middle, high),
            _ => (low, middle),
        };
        self.denominator = denominator;
    }

    /// The sign of a quadratic here.
    fn sign(&self, quadratic: &Quadratic) -> i32 {
        let content = quadratic.iter().fold(0, |content, &coefficient| gcd(content, coefficient));
        if content == 0 {
            return 0;
        }
        let quadratic = quadratic.map(|coefficient| coefficient / content);
        if self.low == self.high {
            return at(&quadratic, self.low, self.denominator).signum() as i32;
        }
        if self.is_root_of(&quadratic) {
            return 0;
        }
        // No root in common: some interval around ours has none of the quadratic.
        let mut root = *self;
        loop {
            if root.low == root.high {
                return at(&quadratic, root.low, root.denominator).signum() as i32;
            }
            let [c, b, a] = quadratic;
            let (low, high, denominator) = (root.low, root.high, root.denominator);
            let ends = [at(&quadratic, low, denominator), at(&quadratic, high, denominator)];
            // The polar form at both ends.
            let middle = 2 * a * low * high + b * (low + high) * denominator + 2 * c * denominator * denominator;
            let signs = [ends[0].signum(), middle.signum(), ends[1].signum()];
            if signs[0] != 0 && signs.iter().all(|sign| *sign == signs[0]) {
                return signs[0] as i32;
            }
            root.halve();
        }
    }

    fn is_root_of(&self, quadratic: &Quadratic) -> bool {
        let contains = |numerator: i128, denominator: i128| {
            let sign = denominator.signum();
            let (numerator, denominator) = (sign * numerator, sign * denominator);
            self.low * denominator <= numerator * self.denominator
                && numerator * self.denominator <= self.high * denominator
        };
        let [c, b, a] = *quadratic;
        if a == 0 {
            return b != 0 && contains(-c, b) && at(&self.of, b.signum() * -c, b.abs()) == 0;
        }
        // The remainder of a² times our polynomial.
        let [f, e, d, g] = self.of;
        let h = d * a - g * b;
        let (slope, constant) = (a * a * e - g * a * c - h * b, a * a * f - h * c);
        if slope == 0 && constant == 0 {
            // All its roots are ours; it has one here if it changes its sign or has a double one.
            let ends = [at(quadratic, self.low, self.denominator), at(quadratic, self.high, self.denominator)];
            return ends[0].signum() * ends[1].signum() <= 0 || b * b == 4 * a * c && contains(-b, 2 * a);
        }
        let shared = gcd(slope, constant);
        let (slope, constant) = (slope / shared, constant / shared);
        slope != 0 && contains(-constant, slope) && at(quadratic, slope.signum() * -constant, slope.abs()) == 0
    }
}
