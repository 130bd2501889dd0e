//! Points that cannot be vertices of the hull, found without building it.
//!
//! Seen from a centre, directions fall into the cells of a cube map. The farthest point of each coarse cell is chosen,
//! and their hull is an inner bound of the whole. Its gauge `g(x) = max n·x / d` over its planes is convex, so over a
//! cell, which is flat on the cube, it is nowhere greater than at the cell's corners: a table of those tells for any
//! point, by one look-up, whether it is inside. What passes is a few per cent of a solid cloud.
//!
//! Rounding in f32 is covered by a margin: the inner bound must hold a ball of radius 0.05 around the centre (else
//! nothing is culled), and a point must be inside by 1e-4 of its distance, so by 5e-6, while coordinates are off by
//! 4e-7 at most. O(n), two passes. The idea of an inner bound from extreme points is Akl and Toussaint's, 1978,
//! 10.1016/0020-0190(78)90003-3; the gauge over a cube map is ours.

use super::quickhull::{Triangulation, triangulate};
use glam::{DVec3, Vec3};

/// Fewer points than this are not worth the look.
const FEWEST: usize = 1500;
const INNER_RADIUS: f64 = 0.05;
const MARGIN: f64 = 1e-4;

/// The points that may be vertices of the hull, in order; all of them if none can be told to be inside.
pub(super) fn possible_vertices(points: &[Vec3]) -> Option<Vec<Vec3>> {
    if points.len() < FEWEST {
        return None;
    }
    let frame = Frame::around(points)?;
    let coarse = ((points.len() as f32 / 300.0).sqrt() as usize).clamp(3, 8);
    let chosen = frame.farthest_per_cell(points, coarse);
    let inner = triangulate(&chosen).ok()?;
    let limits = limits(&inner, 2 * coarse)?;
    let is_outside = |point: &&Vec3| {
        let (cell, distance) = cell_of(frame.local(**point), 2 * coarse);
        distance > limits[cell]
    };
    Some(points.iter().filter(is_outside).copied().collect())
}

/// Coordinates around a point inside the cloud, scaled so that none is above 1.
struct Frame {
    centre: Vec3,
    scale: Vec3,
}

impl Frame {
    /// None if a size is so small or large that f32 may overflow or underflow on the way.
    fn around(points: &[Vec3]) -> Option<Self> {
        let (mut lowest, mut highest) = (Vec3::MAX, Vec3::MIN);
        for &point in points {
            lowest = lowest.min(point);
            highest = highest.max(point);
        }
        // The mean of some points is inside the hull of all.
        let sample = points.iter().step_by(points.len().div_ceil(1024));
        let centre = (sample.clone().map(|point| point.as_dvec3()).sum::<DVec3>() / sample.len() as f64).as_vec3();
        let extent = highest.as_dvec3() - lowest.as_dvec3();
        let is_moderate = extent.cmpgt(DVec3::splat(1e-30)).all() && extent.cmplt(DVec3::splat(1e30)).all();
        is_moderate.then(|| Self { centre, scale: extent.recip().as_vec3() })
    }

    fn local(&self, point: Vec3) -> Vec3 {
        (point - self.centre) * self.scale
    }

    /// The farthest point in each of the 6·side² cells that has one.
    fn farthest_per_cell(&self, points: &[Vec3], side: usize) -> Vec<DVec3> {
        let mut farthest = vec![(0.0, Vec3::ZERO); 6 * side * side];
        for &point in points.iter().step_by((points.len() / 30_000).max(1)) {
            let local = self.local(point);
            let (cell, _) = cell_of(local, side);
            let distance = local.length_squared();
            if distance > farthest[cell].0 {
                farthest[cell] = (distance, local);
            }
        }
        farthest.iter().filter(|(distance, _)| *distance > 0.0).map(|(_, local)| local.as_dvec3()).collect()
    }
}

/// The cell of a cube map with `side`² cells to a face that `local` is in, and its distance in the maximum norm.
#[inline(always)]
fn cell_of(local: Vec3, side: usize) -> (usize, f32) {
    let size = local.abs();
    let distance = size.max_element();
    let (face, major, u, v) = if size.x == distance {
        (0, local.x, local.y, local.z)
    } else if size.y == distance {
        (2, local.y, local.x, local.z)
    } else {
        (4, local.z, local.x, local.y)
    };
    let face = if major < 0.0 { face + 1 } else { face };
    // A conversion to an integer takes NaN, at the centre itself, to zero.
    let half = 0.5 * side as f32;
    let per_distance = half / distance;
    let column = ((u * per_distance + half) as usize).min(side - 1);
    let row = ((v * per_distance + half) as usize).min(side - 1);
    ((face * side + row) * side + column, distance)
}

/// For each cell the distance, in the maximum norm, up to which all of it is inside the hull; none if the hull does not
/// hold a large enough ball around the centre.
fn limits(inner: &Triangulation, side: usize) -> Option<Vec<f32>> {
    let nearest = inner.planes.iter().map(|plane| plane.offset).fold(f64::INFINITY, f64::min);
    if nearest < INNER_RADIUS {
        return None;
    }
    let gauges: Vec<Vec3> = inner.planes.iter().map(|plane| (plane.normal / plane.offset).as_vec3()).collect();
    let corners_per_side = side + 1;
    let coordinates: Vec<f32> = (0..=side).map(|i| 2.0 * i as f32 / side as f32 - 1.0).collect();
    let mut limits = Vec::with_capacity(6 * side * side);
    let mut at_corners = vec![0.0f32; corners_per_side * corners_per_side];
    for face in 0..6 {
        at_corners.fill(0.0);
        let sign = if face % 2 == 0 { 1.0 } else { -1.0 };
        for gauge in &gauges {
            let (major, along_u, along_v) = match face / 2 {
                0 => (gauge.x, gauge.y, gauge.z),
                1 => (gauge.y, gauge.x, gauge.z),
                _ => (gauge.z, gauge.x, gauge.y),
            };
            // A plane on the far side is nowhere the greatest.
            if sign * major + along_u.abs() + along_v.abs() <= 0.0 {
                continue;
            }
            for (at_corners, &v) in at_corners.chunks_exact_mut(corners_per_side).zip(&coordinates) {
                let at_row = sign * major + along_v * v;
                for (greatest, &u) in at_corners.iter_mut().zip(&coordinates) {
                    let value = at_row + along_u * u;
                    *greatest = if value > *greatest { value } else { *greatest };
                }
            }
        }
        for row in 0..side {
            for column in 0..side {
                let corner = |row: usize, column: usize| at_corners[row * corners_per_side + column];
                let low = corner(row, column).max(corner(row, column + 1));
                let high = corner(row + 1, column).max(corner(row + 1, column + 1));
                limits.push(((1.0 - MARGIN) / f64::from(low.max(high))) as f32);
            }
        }
    }
    Some(limits)
}
