//! Kernels on wide registers: the only place where the width of the machine matters.
//!
//! Each kernel is one generic function, compiled for every level that the machine may have and chosen at run time, with
//! no flags. It has no reciprocal estimates, no fused operations and no reordered sums, so that every level, and the
//! scalar twin in the tests, give the same bits.

use fearless_simd::{Level, dispatch, f32x8, f64x4, prelude::*};
use glam::{DVec3, Vec3};
use std::sync::atomic::{AtomicU8, Ordering};

/// How wide a kernel may be at most. Every width gives the same bits; a limit is there to prove it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// What every x86-64 machine has.
    Sse2,
    /// Four lanes and more instructions for them.
    Sse42,
    /// Eight lanes.
    Avx2,
    /// The widest of the machine; so unless said.
    Widest,
}

impl Width {
    /// All of them, the narrowest first. On machines that are no x86-64 all mean the same.
    pub const ALL: [Self; 4] = [Self::Sse2, Self::Sse42, Self::Avx2, Self::Widest];
}

/// Limits the width of kernels from now on, everywhere in the process; worlds and structures that exist keep theirs.
/// Where the machine is narrower than the limit, nothing changes.
///
/// ```
/// use carom::prelude::*;
/// use carom::{Width, limit_width};
///
/// let mut hashes = Vec::new();
/// for width in Width::ALL {
///     limit_width(width);
///     let mut world = World::default();
///     world.add(Body::fixed().shape(Shape::cuboid(5.0, 0.5, 5.0)?))?;
///     world.add(Body::dynamic().at([0.0, 0.9, 0.0]).shape(Shape::cuboid(0.3, 0.4, 0.5)?))?;
///     world.step(1.0 / 60.0)?;
///     hashes.push(world.hash());
/// }
/// assert!(hashes.iter().all(|hash| *hash == hashes[0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn limit_width(width: Width) {
    LIMIT.store(width as u8, Ordering::Relaxed);
}

static LIMIT: AtomicU8 = AtomicU8::new(Width::Widest as u8);

/// The level that kernels run at.
#[inline]
pub(crate) fn level() -> Level {
    let best = Level::new();
    let limit = LIMIT.load(Ordering::Relaxed);
    if limit == Width::Widest as u8 { best } else { limited(best, limit) }
}

/// The level for long kernels of eight lanes. They gain no width beyond AVX2, and comparing and choosing takes longer there:
/// the solver's passes by a tenth.
#[inline]
pub(crate) fn level_for_eight() -> Level {
    let level = level();
    #[cfg(target_arch = "x86_64")]
    let level = level.as_avx2().map_or(level, Level::Avx2);
    level
}

#[cfg(target_arch = "x86_64")]
fn limited(best: Level, limit: u8) -> Level {
    let narrow = if limit == Width::Sse2 as u8 {
        best.as_sse2().map(Level::Sse2)
    } else if limit == Width::Sse42 as u8 {
        best.as_sse4_2().map(Level::Sse4_2)
    } else {
        best.as_avx2().map(Level::Avx2)
    };
    narrow.unwrap_or(best)
}

#[cfg(not(target_arch = "x86_64"))]
fn limited(best: Level, _: u8) -> Level {
    best
}

/// How many points are located at a time.
pub(crate) const BLOCK: usize = 64;

/// A cube map of directions around `centre`, in coordinates made round by the lower triangular matrix `rows`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CubeMap {
    pub(crate) centre: Vec3,
    /// `[xx, yx, yy, zx, zy, zz]`.
    pub(crate) rows: [f32; 6],
    /// Cells along a side of a face of the cube.
    pub(crate) side: u32,
}

/// Where a block of points is in a cube map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Located {
    /// The cells: face, row and column, in compressed order.
    pub(crate) cells: [u32; BLOCK],
    /// The distances from the centre in the maximum norm.
    pub(crate) distances: [f32; BLOCK],
    /// The squares of the Euclidean distances.
    pub(crate) squares: [f32; BLOCK],
}

impl CubeMap {
    /// The coordinates of a point in which the map is made.
    #[inline(always)]
    pub(crate) fn local(&self, point: Vec3) -> Vec3 {
        let [xx, yx, yy, zx, zy, zz] = self.rows;
        let d = point - self.centre;
        Vec3::new(xx * d.x, yx * d.x + yy * d.y, zx * d.x + zy * d.y + zz * d.z)
    }

    /// Locates up to [`BLOCK`] points; the rest of `located` is left as if for the centre.
    pub(crate) fn locate(&self, level: Level, points: &[Vec3], located: &mut Located) {
        dispatch!(level, simd => locate(simd, self, points, located));
    }
}

impl Default for Located {
    fn default() -> Self {
        Self { cells: [0; BLOCK], distances: [0.0; BLOCK], squares: [0.0; BLOCK] }
    }
}

#[inline(always)]
fn locate<S: Simd>(_: S, map: &CubeMap, points: &[Vec3], located: &mut Located) {
    locate_twin(map, points, located);
}

/// The kernel is written so that the compiler makes it wide: no branches, arrays of one length.
#[inline(always)]
fn locate_twin(map: &CubeMap, points: &[Vec3], located: &mut Located) {
    let mut x = [0.0f32; BLOCK];
    let mut y = [0.0f32; BLOCK];
    let mut z = [0.0f32; BLOCK];
    for (i, &point) in points.iter().take(BLOCK).enumerate() {
        (x[i], y[i], z[i]) = (point.x, point.y, point.z);
    }
    let half = 0.5 * map.side as f32;
    let last = (map.side - 1) as i32;
    let [xx, yx, yy, zx, zy, zz] = map.rows;
    for i in 0..BLOCK {
        let (dx, dy, dz) = (x[i] - map.centre.x, y[i] - map.centre.y, z[i] - map.centre.z);
        let (x, y, z) = (xx * dx, yx * dx + yy * dy, zx * dx + zy * dy + zz * dz);
        let (size_x, size_y, size_z) = (x.abs(), y.abs(), z.abs());
        let size_xy = if size_x > size_y { size_x } else { size_y };
        let distance = if size_xy > size_z { size_xy } else { size_z };
        let x_is_major = size_x == distance;
        let y_is_major = size_y == distance;
        let major = if x_is_major {
            x
        } else if y_is_major {
            y
        } else {
            z
        };
        let u = if x_is_major { y } else { x };
        let v = if x_is_major | y_is_major { z } else { y };
        let pair = if x_is_major {
            0
        } else if y_is_major {
            2
        } else {
            4
        };
        let face = pair + i32::from(major < 0.0);
        // At the centre itself this is NaN, which converts to zero.
        let per_distance = half / distance;
        let column = ((u * per_distance + half) as i32).clamp(0, last);
        let row = ((v * per_distance + half) as i32).clamp(0, last);
        located.cells[i] = ((face * map.side as i32 + row) * map.side as i32 + column) as u32;
        located.distances[i] = distance;
        located.squares[i] = x * x + y * y + z * z;
    }
}

/// Coordinates to be scanned must be filled up to a multiple of this.
pub(crate) const SCAN_LANES: usize = 16;
/// The most points that can be scanned at a time.
pub(crate) const SCAN_MOST: usize = 256;
const SCAN_WORDS: usize = SCAN_MOST / 64;

/// Which of at most [`SCAN_MOST`] points have a product with `direction` that is at most `doubt` below the greatest, as bits. `coordinates` are
/// all x, then all y, then all z.
pub(crate) fn near_greatest(level: Level, coordinates: &[f32], direction: Vec3, doubt: f32) -> [u64; SCAN_WORDS] {
    dispatch!(level, simd => near_greatest_wide(simd, coordinates, direction, doubt))
}

#[inline(always)]
fn near_greatest_wide<S: Simd>(simd: S, coordinates: &[f32], direction: Vec3, doubt: f32) -> [u64; SCAN_WORDS] {
    let (xs, rest) = coordinates.split_at(coordinates.len() / 3);
    let (ys, zs) = rest.split_at(xs.len());
    let mut greatest = S::f32s::splat(simd, f32::NEG_INFINITY);
    let mut start = 0;
    while start < xs.len() {
        greatest = greatest.max(products(simd, [xs, ys, zs], start, direction));
        start += S::f32s::LEN;
    }
    let least = S::f32s::splat(simd, greatest.reduce_max() - doubt);
    let mut bits = [0; SCAN_WORDS];
    start = 0;
    while start < xs.len() {
        let is_near = products(simd, [xs, ys, zs], start, direction).simd_ge(least);
        bits[start / 64] |= is_near.to_bitmask() << (start % 64);
        start += S::f32s::LEN;
    }
    bits
}

/// Which of the points has the greatest product with `direction`, up to the rounding of f32; the first of equals. To be
/// called where the level is known already.
#[inline(always)]
pub(crate) fn greatest<S: Simd>(simd: S, coordinates: &[f32], direction: Vec3) -> u32 {
    /// So many registers of products are kept.
    const FEW: usize = 4;
    /// Numbers of lanes; exact in f32 for as many points as can be scanned.
    const LANES: [f32; SCAN_LANES] = [0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15.];
    let (xs, rest) = coordinates.split_at(coordinates.len() / 3);
    let (ys, zs) = rest.split_at(xs.len());
    let mut greatest = S::f32s::splat(simd, f32::NEG_INFINITY);
    if xs.len() <= FEW * S::f32s::LEN {
        // Few enough to be kept: the greatest first, then where it is.
        let mut kept = [greatest; FEW];
        let mut count = 0;
        while count * S::f32s::LEN < xs.len() {
            kept[count] = products(simd, [xs, ys, zs], count * S::f32s::LEN, direction);
            greatest = greatest.max(kept[count]);
            count += 1;
        }
        let greatest = S::f32s::splat(simd, greatest.reduce_max());
        let mut bits = 0u64;
        for (place, products) in kept[..count].iter().enumerate() {
            bits |= products.simd_eq(greatest).to_bitmask() << (place * S::f32s::LEN);
        }
        return bits.trailing_zeros();
    }
    let mut places = S::f32s::splat(simd, 0.0);
    let mut here = S::f32s::from_slice(simd, &LANES[..S::f32s::LEN]);
    let mut start = 0;
    while start < xs.len() {
        let products = products(simd, [xs, ys, zs], start, direction);
        // No branches: where the greatest is found cannot be foreseen.
        let is_greater = products.simd_gt(greatest);
        greatest = is_greater.select(products, greatest);
        places = is_greater.select(here, places);
        here += S::f32s::LEN as f32;
        start += S::f32s::LEN;
    }
    let is_greatest = greatest.simd_eq(S::f32s::splat(simd, greatest.reduce_max()));
    is_greatest.select(places, S::f32s::splat(simd, SCAN_MOST as f32)).reduce_min() as u32
}

/// The greatest product of a point with `direction`, in f64. To be called where the level is known already.
#[inline(always)]
pub(crate) fn greatest_product<S: Simd>(simd: S, coordinates: &[f32], direction: DVec3) -> f64 {
    let (xs, rest) = coordinates.split_at(coordinates.len() / 3);
    let (ys, zs) = rest.split_at(xs.len());
    let mut greatest = f64x4::splat(simd, f64::NEG_INFINITY);
    let mut start = 0;
    while start < xs.len() {
        let end = start + 8;
        let (x, u) = simd.widen_f32x8(f32x8::from_slice(simd, &xs[start..end]));
        let (y, v) = simd.widen_f32x8(f32x8::from_slice(simd, &ys[start..end]));
        let (z, w) = simd.widen_f32x8(f32x8::from_slice(simd, &zs[start..end]));
        greatest = greatest.max(x * direction.x + y * direction.y + z * direction.z);
        greatest = greatest.max(u * direction.x + v * direction.y + w * direction.z);
        start = end;
    }
    greatest.reduce_max()
}

/// Closures are compiled without the level's instructions, so this is a function that is always inlined.
#[inline(always)]
fn products<S: Simd>(simd: S, [xs, ys, zs]: [&[f32]; 3], start: usize, direction: Vec3) -> S::f32s {
    let end = start + S::f32s::LEN;
    S::f32s::from_slice(simd, &xs[start..end]) * direction.x
        + S::f32s::from_slice(simd, &ys[start..end]) * direction.y
        + S::f32s::from_slice(simd, &zs[start..end]) * direction.z
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every level that this machine has.
    fn levels() -> Vec<Level> {
        let best = Level::new();
        #[cfg(target_arch = "x86_64")]
        let others =
            [best.as_sse2().map(Level::Sse2), best.as_sse4_2().map(Level::Sse4_2), best.as_avx2().map(Level::Avx2)];
        #[cfg(not(target_arch = "x86_64"))]
        let others = [None];
        others.into_iter().flatten().chain([best]).collect()
    }

    fn random_point(rng: &mut fastrand::Rng) -> Vec3 {
        let scale = 10f32.powi(rng.i32(-3..3));
        Vec3::new(rng.f32() - 0.5, rng.f32() - 0.5, rng.f32() - 0.5) * scale
    }

    #[test]
    fn points_are_located_alike_at_every_level() {
        let mut rng = fastrand::Rng::with_seed(1);
        for round in 0..200 {
            let centre = random_point(&mut rng);
            let rows = std::array::from_fn(|_| rng.f32() * 3.0 - 1.5);
            let map = CubeMap { centre, rows, side: rng.u32(1..40) };
            let mut points: Vec<Vec3> = (0..rng.usize(1..=BLOCK)).map(|_| random_point(&mut rng)).collect();
            points[0] = centre;
            let mut expected = Located::default();
            locate_twin(&map, &points, &mut expected);
            for level in levels() {
                let mut found = Located::default();
                map.locate(level, &points, &mut found);
                assert_eq!(found.cells, expected.cells, "{level:?}, round {round}");
                assert_eq!(found.distances.map(f32::to_bits), expected.distances.map(f32::to_bits), "{level:?}");
                assert_eq!(found.squares.map(f32::to_bits), expected.squares.map(f32::to_bits), "{level:?}");
            }
            assert!(expected.cells.iter().all(|&cell| cell < 6 * map.side * map.side));
            let local = map.local(points[points.len() - 1]);
            assert_eq!(expected.distances[points.len() - 1], local.abs().max_element(), "round {round}");
        }
    }

    #[test]
    fn scans_are_alike_at_every_level() {
        let twin = |coordinates: &[f32], direction: Vec3, doubt: f32| {
            let count = coordinates.len() / 3;
            let [x, y, z] = [0, 1, 2].map(|axis| &coordinates[axis * count..]);
            let product = |i: usize| x[i] * direction.x + y[i] * direction.y + z[i] * direction.z;
            let least = (0..count).map(product).fold(f32::NEG_INFINITY, f32::max) - doubt;
            let mut bits = [0; SCAN_WORDS];
            for i in (0..count).filter(|&i| product(i) >= least) {
                bits[i / 64] |= 1 << (i % 64);
            }
            bits
        };
        let mut rng = fastrand::Rng::with_seed(3);
        for round in 0..2000 {
            let count = SCAN_LANES * rng.usize(1..=SCAN_MOST / SCAN_LANES);
            let coordinates: Vec<f32> = (0..3 * count).map(|_| rng.f32() - 0.5).collect();
            let direction = random_point(&mut rng);
            let doubt = rng.f32() * 0.1 * direction.length();
            let expected = twin(&coordinates, direction, doubt);
            for level in levels() {
                assert_eq!(near_greatest(level, &coordinates, direction, doubt), expected, "{level:?}, round {round}");
                let along = direction.as_dvec3();
                let product = |i: usize| {
                    let at = |axis: usize| f64::from(coordinates[axis * count + i]);
                    at(0) * along.x + at(1) * along.y + at(2) * along.z
                };
                let most = (0..count).map(product).fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(dispatch!(level, simd => greatest_product(simd, &coordinates, along)), most, "{level:?}");
                let only_greatest = twin(&coordinates, direction, 0.0);
                let word = only_greatest.iter().position(|word| *word != 0).unwrap();
                let first = 64 * word as u32 + only_greatest[word].trailing_zeros();
                let found = dispatch!(level, simd => greatest(simd, &coordinates, direction));
                assert_eq!(found, first, "{level:?}, round {round}");
            }
        }
    }
}
