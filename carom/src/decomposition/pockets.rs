//! Points that no hull should hold: outside the solid and about as far from it as the threshold, or farther.
//!
//! A convex piece that holds a point farther from the solid than the threshold also holds one just as far, for it holds
//! points of the solid and the distance changes continuously in between. So the surface at the distance of the threshold
//! is what has to be sampled: points spread evenly over the mesh are moved out along its normals by the threshold, and
//! kept unless another part of the solid is nearer. Points at twice, four times … the distance fill deep pockets; they
//! tell where these are deepest and, by the space that they stand for, how much is still to be cut away.
//! A sample proves nothing: what passes is measured with a bound (`measure`), and the point that this finds is added.
//! Cost: a few thousand nearest-point queries.

use super::measure::LIMIT;
use super::solid::Solid;
use crate::shape::ConvexHull;
use crate::shape::hull::FacePlane;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// The spacing of samples relative to the threshold, unless there would be too many.
const SPACING: f64 = 0.6;
const MAX_SAMPLES: f64 = 4000.0;
/// One in so many samples is also moved out by more than the threshold.
const SPARSER: usize = 4;
/// The nearest samples are this much nearer than the threshold, so that cuts keep clear of it.
const NEARER: f64 = 0.93;
/// So many points are tried in a hull that slipped between the samples.
const BETWEEN: usize = 64;
/// A plane through a point leaves it on the border of both sides, which is as bad as inside.
pub(super) const BORDER: f64 = 1e-6;

/// A point that no hull should hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pocket {
    pub(super) point: DVec3,
    /// How far it is from the solid.
    pub(super) depth: f64,
    /// Away from the surface at the nearest sample.
    pub(super) outward: DVec3,
    /// The volume that it stands for.
    pub(super) weight: f64,
}

/// The pockets of a solid within its hull.
pub(super) fn sample(solid: &Solid<'_>, hull: &HullPlanes, threshold: f64) -> Vec<Pocket> {
    let areas: Vec<DVec3> = (0..solid.mesh.triangles().len())
        .map(|triangle| {
            let [a, b, c] = solid.corners(triangle);
            0.5 * (b - a).cross(c - a)
        })
        .collect();
    let total: f64 = areas.iter().map(|area| area.length()).sum();
    let spacing = (SPACING * threshold).max((total / MAX_SAMPLES).sqrt());
    let mut samples = Vec::new();
    let mut owed = 0.5;
    for (triangle, area) in areas.iter().enumerate() {
        owed += area.length() / (spacing * spacing);
        if owed >= 1.0 {
            let outward = area.normalize_or_zero();
            samples.extend((0..owed as u32).map(|index| (on_triangle(solid.corners(triangle), index), outward)));
            owed = owed.fract();
        }
    }
    samples
        .par_iter()
        .with_min_len(256)
        .enumerate()
        .flat_map_iter(|(index, &(point, outward))| {
            let levels = if index % SPARSER == 0 { usize::MAX } else { 1 };
            above(solid, hull, threshold, point, outward).take(levels)
        })
        .map(|pocket| Pocket { weight: pocket.weight * spacing * spacing, ..pocket })
        .collect()
}

/// Pockets in a hull that holds none so far, though it holds `found`, which is beyond the threshold: that one first, then
/// those of some points between the vertices of the hull. Slices thinner than the samples are wide need them.
pub(super) fn around(solid: &Solid<'_>, hull: &ConvexHull, found: DVec3, threshold: f64) -> Vec<Pocket> {
    let pocket = |point: DVec3| {
        let nearest = solid.nearest(point);
        let outward = (point - nearest).normalize_or(DVec3::X);
        Pocket { point, depth: nearest.distance(point), outward, weight: threshold.powi(3) }
    };
    let vertices = hull.vertices();
    // Steps of the golden section through the list: no two triples are alike.
    let vertex = |step: usize| {
        let share = (0.618_033_988_749_894_9 * step as f64).fract();
        solid.scaled(vertices[(share * vertices.len() as f64) as usize % vertices.len()])
    };
    let between = (0..BETWEEN).map(|index| (vertex(3 * index) + vertex(3 * index + 1) + vertex(3 * index + 2)) / 3.0);
    let deep = between.map(pocket).filter(|pocket| pocket.depth > LIMIT * threshold && !solid.contains(pocket.point));
    std::iter::once(pocket(found)).chain(deep).collect()
}

/// Point `index` of a sequence that fills a triangle evenly: Roberts' R2 sequence, folded along the diagonal.
fn on_triangle([a, b, c]: [DVec3; 3], index: u32) -> DVec3 {
    let step = |factor: f64| (0.5 + factor * f64::from(index)).fract();
    let (u, v) = (step(0.754_877_666_246_692_7), step(0.569_840_290_998_053_3));
    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    // The first of the sequence is on the diagonal; drawn to the middle it is the centroid.
    let (u, v) = if index == 0 { (1.0 / 3.0, 1.0 / 3.0) } else { (u, v) };
    a + u * (b - a) + v * (c - a)
}

/// The pockets above a point of the surface, from the nearest on.
fn above<'a>(
    solid: &'a Solid<'_>,
    hull: &'a HullPlanes,
    threshold: f64,
    from: DVec3,
    outward: DVec3,
) -> impl Iterator<Item = Pocket> + 'a {
    let nearest = NEARER * threshold;
    let heights =
        std::iter::successors(Some((nearest, nearest)), |(height, _)| Some((2.0 * height, height * SPARSER as f64)));
    heights
        .take_while(move |(height, _)| *height < 2.0 * solid.reach && hull.contains(from + *height * outward))
        .filter_map(move |(height, weight)| {
            let point = from + height * outward;
            let depth = solid.surface_distance(point);
            let is_deep = depth > 0.97 * nearest && !solid.contains(point);
            is_deep.then_some(Pocket { point, depth, outward, weight })
        })
}

/// The pockets that a hull in the coordinates of the mesh holds.
pub(super) fn held(solid: &Solid<'_>, pockets: &[Pocket], hull: &ConvexHull) -> Vec<u32> {
    let plane = |(face, plane): (usize, &FacePlane)| {
        let corner = hull.vertices()[hull.face_corners(face)[0] as usize];
        (plane.normal, plane.normal.as_dvec3().dot(solid.scaled(corner)) as f32)
    };
    let planes = HullPlanes { planes: hull.planes().iter().enumerate().map(plane).collect() };
    let is_held = |&index: &u32| planes.contains(pockets[index as usize].point);
    (0..pockets.len() as u32).filter(is_held).collect()
}

/// The depth of the deepest of some pockets; zero if none is beyond the threshold.
pub(super) fn deepest(pockets: &[Pocket], held: &[u32], threshold: f64) -> f64 {
    let depths = held.iter().map(|&pocket| pockets[pocket as usize].depth);
    depths.filter(|depth| *depth > LIMIT * threshold).fold(0.0, f64::max)
}

/// The planes of a hull in the coordinates of the search.
pub(super) struct HullPlanes {
    planes: Vec<(Vec3, f32)>,
}

impl HullPlanes {
    /// None if the points span no volume.
    pub(super) fn around(points: &[DVec3]) -> Option<Self> {
        let points: Vec<Vec3> = points.iter().map(|point| point.as_vec3()).collect();
        ConvexHull::triangle_planes(&points).map(|planes| Self { planes })
    }

    /// Whether a point is inside or on the border.
    pub(super) fn contains(&self, point: DVec3) -> bool {
        let point = point.as_vec3();
        self.planes.iter().all(|(normal, offset)| normal.dot(point) <= offset + BORDER as f32)
    }
}
