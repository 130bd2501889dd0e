//! Kernels on wide registers: the only place where the width of the machine matters.
//!
//! Each kernel is one generic function, compiled for every level that the machine may have and chosen at run time, with
//! no flags. It has no reciprocal estimates, no fused operations and no reordered sums, so that every level, and the
//! scalar twin in the tests, give the same bits.

use fearless_simd::{Level, Simd, dispatch};
use glam::{DVec3, Vec3};

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

/// How many points are compared with the planes at a time.
const GROUP: usize = 8;

/// A plane that points may be above: their height is `normal · point − offset`, uncertain by `doubt`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DoubtfulPlane {
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    pub(crate) doubt: f64,
}

/// What is known about a point and a set of planes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Above {
    /// The first of the planes above which the point is farthest, less the doubt.
    pub(crate) plane: u32,
    /// How far, less the doubt: above zero the point is above the plane for certain.
    pub(crate) height: f64,
    /// Whether it is too near to one of the planes to tell the side.
    pub(crate) is_doubtful: bool,
}

/// Compares the points named by `indices` with all planes.
pub(crate) fn heights_above(
    level: Level,
    planes: &[DoubtfulPlane],
    points: &[DVec3],
    indices: &[u32],
    result: &mut Vec<Above>,
) {
    dispatch!(level, simd => heights_above_wide(simd, planes, points, indices, result));
}

#[inline(always)]
fn heights_above_wide<S: Simd>(
    _: S,
    planes: &[DoubtfulPlane],
    points: &[DVec3],
    indices: &[u32],
    result: &mut Vec<Above>,
) {
    heights_above_twin(planes, points, indices, result);
}

/// As [`locate_twin`], this is made wide by the compiler: a group of points against one plane after the other.
#[inline(always)]
fn heights_above_twin(planes: &[DoubtfulPlane], points: &[DVec3], indices: &[u32], result: &mut Vec<Above>) {
    result.clear();
    for group in indices.chunks(GROUP) {
        let mut x = [0.0; GROUP];
        let mut y = [0.0; GROUP];
        let mut z = [0.0; GROUP];
        for (i, &index) in group.iter().enumerate() {
            let point = points[index as usize];
            (x[i], y[i], z[i]) = (point.x, point.y, point.z);
        }
        let mut heights = [f64::NEG_INFINITY; GROUP];
        let mut numbers = [0u64; GROUP];
        // The least distance from the doubtful zone: above zero for points that are in none.
        let mut clear = [f64::INFINITY; GROUP];
        for (number, plane) in planes.iter().enumerate() {
            for i in 0..GROUP {
                let height = plane.normal.x * x[i] + plane.normal.y * y[i] + plane.normal.z * z[i] - plane.offset;
                let certain = height - plane.doubt;
                numbers[i] = if certain > heights[i] { number as u64 } else { numbers[i] };
                heights[i] = if certain > heights[i] { certain } else { heights[i] };
                let gap = height.abs() - plane.doubt;
                clear[i] = if gap < clear[i] { gap } else { clear[i] };
            }
        }
        for i in 0..group.len() {
            result.push(Above { plane: numbers[i] as u32, height: heights[i], is_doubtful: clear[i] <= 0.0 });
        }
    }
}
