//! Points that cannot be vertices of the hull, found without building it.
//!
//! Seen from a centre, directions fall into the cells of a cube map. The farthest point of each coarse cell is chosen,
//! and their hull is an inner bound of the whole. Its gauge `g(x) = max n·x / d` over its planes is convex, so over a
//! cell, which is flat on the cube, it is nowhere greater than at the cell's corners: a table of those tells for any
//! point, by one look-up, whether it is inside. What passes is a few per cent of a solid cloud.
//!
//! The map is made in coordinates in which a sample of the cloud is as wide in all directions, so that thin clouds are
//! culled as well. Rounding in f32 is covered by a margin: points must be inside the inner bound by more than four times
//! what their coordinates may be off. O(n), two passes. The idea of an inner bound from extreme points is Akl and
//! Toussaint's, 1978, 10.1016/0020-0190(78)90003-3; the gauge over a cube map is ours.

use super::quickhull::{Triangulation, triangulate};
use crate::simd::{BLOCK, CubeMap, Located};
use glam::{DVec3, Vec3};

/// Fewer points than this are not worth the look.
const FEWEST: usize = 2000;
/// The farthest points are looked for among about this many.
const SAMPLE: usize = 30_000;
/// The least part of its distance by which a point must be inside, and the greatest before nothing is culled.
const MARGINS: [f64; 2] = [1e-4, 0.1];

/// The points that may be vertices of the hull, in order; none if it cannot be told.
pub(super) fn possible_vertices(points: &[Vec3]) -> Option<Vec<Vec3>> {
    if points.len() < FEWEST {
        return None;
    }
    let side = ((points.len() as f32 / 300.0).sqrt() as u32).clamp(3, 8);
    let round = Round::fit(points)?;
    let coarse = round.cube_map(side);
    let fine = round.cube_map(4 * side);
    let chosen = farthest_per_cell(points, &coarse);
    let largest = chosen.iter().fold(0.0, |largest: f64, point| largest.max(point.abs().max_element()));
    let scaled: Vec<DVec3> = chosen.iter().map(|&point| point / largest).collect();
    let inner = triangulate(&scaled).ok()?;
    let limits = limits(&inner, fine.side as usize, largest, round.error)?;

    let level = crate::simd::level();
    let mut located = Located::default();
    let mut outer = Vec::new();
    for block in points.chunks(BLOCK) {
        fine.locate(level, block, &mut located);
        let places = located.cells.iter().zip(&located.distances);
        let is_outside = places.map(|(&cell, &distance)| distance > limits[cell as usize]);
        outer.extend(block.iter().zip(is_outside).filter(|(_, is_outside)| *is_outside).map(|(&point, _)| point));
    }
    Some(outer)
}

/// Coordinates in which a sample of the cloud has the same variance in all directions.
struct Round {
    centre: Vec3,
    rows: [f32; 6],
    /// By how much the coordinates of a point may be off in f32.
    error: f64,
}

impl Round {
    /// None if the sample is flat, or of a size at which f32 overflows or underflows on the way.
    fn fit(points: &[Vec3]) -> Option<Self> {
        let sample = points.iter().step_by((points.len() / 1024) | 1).map(|point| point.as_dvec3());
        let count = sample.clone().count() as f64;
        // The mean of some points is inside the hull of all.
        let centre = (sample.clone().sum::<DVec3>() / count).as_vec3();
        let mut moments = [0.0; 6];
        for d in sample.map(|point| point - centre.as_dvec3()) {
            let products = [d.x * d.x, d.y * d.x, d.y * d.y, d.z * d.x, d.z * d.y, d.z * d.z];
            moments = std::array::from_fn(|i| moments[i] + products[i] / count);
        }
        let rows = inverse_root(moments)?.map(|entry| entry as f32);
        let farthest = points.iter().fold(Vec3::ZERO, |farthest, &point| farthest.max((point - centre).abs()));
        let is_moderate = |size: f32| (1e-30..1e30).contains(&size);
        if !(farthest.to_array().into_iter().all(is_moderate) && rows.iter().all(|row| row.abs() < 1e30)) {
            return None;
        }
        let [xx, yx, yy, zx, zy, zz] = rows.map(|entry| f64::from(entry.abs()));
        let far = farthest.as_dvec3();
        let reach = (xx * far.x).max(yx * far.x + yy * far.y).max(zx * far.x + zy * far.y + zz * far.z);
        // One rounding of the difference, one of the product, two of the sum: four half epsilon.
        Some(Self { centre, rows, error: 2.0 * f64::from(f32::EPSILON) * reach })
    }

    fn cube_map(&self, side: u32) -> CubeMap {
        CubeMap { centre: self.centre, rows: self.rows, side }
    }
}

/// The inverse of the Cholesky root of a symmetric matrix, both lower triangular; none if it is not positive definite.
fn inverse_root([xx, yx, yy, zx, zy, zz]: [f64; 6]) -> Option<[f64; 6]> {
    let root_xx = xx.sqrt();
    let (root_yx, root_zx) = (yx / root_xx, zx / root_xx);
    let rest_yy = yy - root_yx * root_yx;
    let root_yy = rest_yy.sqrt();
    let root_zy = (zy - root_yx * root_zx) / root_yy;
    let rest_zz = zz - root_zx * root_zx - root_zy * root_zy;
    let root_zz = rest_zz.sqrt();
    if !(xx > 0.0 && rest_yy > 1e-9 * yy && rest_zz > 1e-9 * zz) {
        return None;
    }
    let below_xx = -root_yx / (root_xx * root_yy);
    let corner = (root_yx * root_zy - root_zx * root_yy) / (root_xx * root_yy * root_zz);
    Some([1.0 / root_xx, below_xx, 1.0 / root_yy, corner, -root_zy / (root_yy * root_zz), 1.0 / root_zz])
}

/// The farthest point in each cell that has one, in the coordinates of the map.
fn farthest_per_cell(points: &[Vec3], map: &CubeMap) -> Vec<DVec3> {
    let level = crate::simd::level();
    let mut located = Located::default();
    let mut farthest = vec![(0.0, Vec3::ZERO); 6 * (map.side * map.side) as usize];
    let step = (points.len() / SAMPLE).max(1);
    for block in points.chunks(BLOCK).step_by(step) {
        map.locate(level, block, &mut located);
        for (i, &point) in block.iter().enumerate() {
            let farthest = &mut farthest[located.cells[i] as usize];
            if located.squares[i] > farthest.0 {
                *farthest = (located.squares[i], point);
            }
        }
    }
    farthest.iter().filter(|(square, _)| *square > 0.0).map(|(_, point)| map.local(*point).as_dvec3()).collect()
}

/// For each cell the distance, in the maximum norm, up to which all of it is inside the hull `inner`, which is given in
/// units of `unit`; none if the centre is not far enough inside for the given error.
fn limits(inner: &Triangulation, side: usize, unit: f64, error: f64) -> Option<Vec<f32>> {
    let distances = inner.planes.iter().map(|plane| plane.offset / plane.normal.length());
    let nearest = unit * distances.fold(f64::INFINITY, f64::min);
    let margin = (4.0 * error / nearest).max(MARGINS[0]);
    if !(nearest > 0.0 && margin < MARGINS[1]) {
        return None;
    }
    let gauges: Vec<Vec3> = inner.planes.iter().map(|plane| (plane.normal / (plane.offset * unit)).as_vec3()).collect();
    let coordinates: Vec<f32> = (0..=side).map(|i| 2.0 * i as f32 / side as f32 - 1.0).collect();
    let mut limits = Vec::with_capacity(6 * side * side);
    for face in 0..6 {
        let at_corners = greatest_gauges(&gauges, face, &coordinates);
        for row in 0..side {
            let (low, high) = (&at_corners[row * (side + 1)..], &at_corners[(row + 1) * (side + 1)..]);
            let greatest = |i: usize| low[i].max(low[i + 1]).max(high[i]).max(high[i + 1]);
            limits.extend((0..side).map(|i| ((1.0 - margin) / f64::from(greatest(i))) as f32));
        }
    }
    Some(limits)
}

/// The gauge at each point of a grid over one face of the cube.
fn greatest_gauges(gauges: &[Vec3], face: usize, coordinates: &[f32]) -> Vec<f32> {
    let mut at_corners = vec![0.0; coordinates.len() * coordinates.len()];
    let sign = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
    for gauge in gauges {
        let (major, along_u, along_v) = match face / 2 {
            0 => (sign * gauge.x, gauge.y, gauge.z),
            1 => (sign * gauge.y, gauge.x, gauge.z),
            _ => (sign * gauge.z, gauge.x, gauge.y),
        };
        // A plane on the far side is nowhere the greatest.
        if major + along_u.abs() + along_v.abs() <= 0.0 {
            continue;
        }
        for (row, &v) in at_corners.chunks_exact_mut(coordinates.len()).zip(coordinates) {
            let at_row = major + along_v * v;
            for (greatest, &u) in row.iter_mut().zip(coordinates) {
                let value = at_row + along_u * u;
                *greatest = if value > *greatest { value } else { *greatest };
            }
        }
    }
    at_corners
}
