//! Two boxes: the separating axis of least depth among 15, then the faces clipped or the edges joined.
//!
//! Two convex polytopes are apart exactly if they are apart along a face normal of one of them or a cross product of
//! two edges; of two boxes these are 3 + 3 + 9. If none parts them, the axis of least depth is the way out. A face
//! axis gives up to four points: the face that looks most against it, clipped to the reference face. An edge axis
//! gives the closest points of the two edges. An edge must be clearly shallower than a face to be chosen, so that
//! boxes on each other keep their face from frame to frame. Always 15 axes at most, no iteration.
//! Source: Gottschalk, Lin, Manocha 1996, doi 10.1145/237170.237244 (axes); Sutherland, Hodgman 1974 (clipping).

use super::{LocalContact, LocalManifold, MAX_POINTS};
use crate::pose::LocalPose;
use crate::shape::Cuboid;
use glam::{Mat3, Vec2, Vec3};

/// An edge axis must be shallower than the best face by this share of the boxes' size.
const FACE_PREFERENCE: f32 = 1e-4;
/// Cross products shorter than this are of edges so nearly parallel that the faces decide.
const PARALLEL: f32 = 1e-4;

/// The contact of two sharp boxes.
pub(super) fn contact(a: &Cuboid, b: &Cuboid, b_in_a: &LocalPose) -> Option<LocalManifold> {
    let (half_a, half_b) = (a.half_extents(), b.half_extents());
    let axes_b = b_in_a.rotation_matrix();
    let offset = b_in_a.position;
    let offset_in_b = axes_b.transpose() * offset;
    let reach_of_b = |axis: Vec3| (axes_b.transpose() * axis).abs().dot(half_b);

    let mut face = Face { of_a: true, axis: 0, depth: f32::INFINITY };
    for axis in 0..3 {
        let depth = half_a[axis] + reach_of_b(Vec3::AXES[axis]) - offset[axis].abs();
        face = face.shallower(Face { of_a: true, axis, depth })?;
    }
    for axis in 0..3 {
        let depth = half_b[axis] + axes_b.col(axis).abs().dot(half_a) - offset_in_b[axis].abs();
        face = face.shallower(Face { of_a: false, axis, depth })?;
    }

    let mut edge: Option<(f32, Vec3, [usize; 2])> = None;
    for i in 0..3 {
        for j in 0..3 {
            let cross = Vec3::AXES[i].cross(axes_b.col(j));
            let length = cross.length();
            if length < PARALLEL {
                continue;
            }
            let normal = if cross.dot(offset) < 0.0 { -cross / length } else { cross / length };
            let depth = normal.abs().dot(half_a) + reach_of_b(normal) - normal.dot(offset);
            if depth < 0.0 {
                return None;
            }
            if edge.is_none_or(|(least, ..)| depth < least) {
                edge = Some((depth, normal, [i, j]));
            }
        }
    }

    let size = half_a.max_element().min(half_b.max_element());
    match edge {
        Some((depth, normal, axes)) if depth + FACE_PREFERENCE * size < face.depth => {
            Some(edge_contact(half_a, half_b, b_in_a, &axes_b, (depth, normal, axes)))
        }
        Some(_) | None if face.of_a => face_contact(half_a, half_b, b_in_a, face.axis),
        Some(_) | None => {
            let a_in_b = b_in_a.inverse();
            Some(face_contact(half_b, half_a, &a_in_b, face.axis)?.flipped(&a_in_b))
        }
    }
}

#[derive(Clone, Copy)]
struct Face {
    of_a: bool,
    axis: usize,
    depth: f32,
}

impl Face {
    /// The shallower of two, the earlier when equal; none when the new one shows that the boxes are apart.
    fn shallower(self, other: Self) -> Option<Self> {
        if other.depth < 0.0 {
            None
        } else {
            // The margin keeps the first of two faces that differ by rounding only.
            Some(if other.depth < self.depth * 0.9999 { other } else { self })
        }
    }
}

/// The contact where an edge of each box meets.
fn edge_contact(
    half_a: Vec3,
    half_b: Vec3,
    b_in_a: &LocalPose,
    axes_b: &Mat3,
    (depth, normal, [i, j]): (f32, Vec3, [usize; 2]),
) -> LocalManifold {
    // The middles of the two edges that reach farthest towards each other.
    let toward = |half: Vec3, direction: Vec3, along: usize| {
        let mut middle = half.copysign(direction);
        middle[along] = 0.0;
        middle
    };
    let middle_a = toward(half_a, normal, i);
    let normal_in_b = axes_b.transpose() * normal;
    let middle_b = b_in_a.point_to_outer(toward(half_b, -normal_in_b, j));
    let (along_a, along_b) = (Vec3::AXES[i], axes_b.col(j));
    // Closest points of two lines that are not parallel, held to the edges' ends.
    let between = middle_b - middle_a;
    let cosine = along_a.dot(along_b);
    // Not 1 - cosine², which is 0 for angles that are far from it.
    let sine_squared = along_a.cross(along_b).length_squared();
    let (toward_a, toward_b) = (between.dot(along_a), between.dot(along_b));
    let at_a = ((toward_a - cosine * toward_b) / sine_squared).clamp(-half_a[i], half_a[i]);
    let at_b = ((cosine * toward_a - toward_b) / sine_squared).clamp(-half_b[j], half_b[j]);
    let point = 0.5 * (middle_a + along_a * at_a + middle_b + along_b * at_b);
    let signs = |direction: Vec3| (0..3).fold(0, |bits, k| bits | u32::from(direction[k] < 0.0) << k);
    let feature = 1 << 31 | (i as u32) << 8 | (j as u32) << 6 | signs(normal) << 3 | signs(normal_in_b);
    LocalManifold::of_one(normal, LocalContact { point, depth, feature })
}

/// A corner of the polygon being clipped: in the plane of the reference face, with its depth below it.
#[derive(Clone, Copy, Default)]
struct Corner {
    place: Vec2,
    depth: f32,
    feature: u32,
}

/// A quadrilateral clipped by four sides has at most eight corners.
#[derive(Default)]
struct Polygon {
    corners: [Corner; 8],
    count: usize,
}

impl Polygon {
    fn push(&mut self, corner: Corner) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count += 1;
        }
    }

    fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    /// What of it has `sign * place[axis] <= limit`. New corners are named after the side and the edge that it cuts.
    fn clipped(&self, axis: usize, sign: f32, limit: f32) -> Self {
        let mut kept = Self::default();
        let side = (axis as u32) << 1 | u32::from(sign < 0.0);
        for (index, corner) in self.corners().iter().enumerate() {
            let next = self.corners()[(index + 1) % self.count];
            let (here, there) = (sign * corner.place[axis] - limit, sign * next.place[axis] - limit);
            if here <= 0.0 {
                kept.push(*corner);
            }
            if (here <= 0.0) != (there <= 0.0) {
                let share = here / (here - there);
                let mut place = corner.place.lerp(next.place, share);
                place[axis] = sign * limit;
                let depth = corner.depth + share * (next.depth - corner.depth);
                let feature = 1 << 8 | side << 4 | (corner.feature & 15);
                kept.push(Corner { place, depth, feature });
            }
        }
        kept
    }
}

/// The contact of a face of the first box with the face of the second that looks most against it.
fn face_contact(half_a: Vec3, half_b: Vec3, b_in_a: &LocalPose, axis: usize) -> Option<LocalManifold> {
    let sign = if b_in_a.position[axis] < 0.0 { -1.0 } else { 1.0 };
    let normal = Vec3::AXES[axis] * sign;
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);

    let against = b_in_a.direction_to_inner(-normal);
    let largest = against.abs();
    let incident = if largest.x >= largest.y && largest.x >= largest.z {
        0
    } else if largest.y >= largest.z {
        1
    } else {
        2
    };
    let (s, t) = ((incident + 1) % 3, (incident + 2) % 3);
    let mut polygon = Polygon::default();
    for (index, (along_s, along_t)) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().enumerate() {
        let mut corner = Vec3::ZERO;
        corner[incident] = half_b[incident].copysign(against[incident]);
        corner[s] = half_b[s] * along_s;
        corner[t] = half_b[t] * along_t;
        let corner = b_in_a.point_to_outer(corner);
        polygon.push(Corner {
            place: Vec2::new(corner[u], corner[v]),
            depth: half_a[axis] - sign * corner[axis],
            feature: (incident as u32) << 2 | index as u32,
        });
    }
    let polygon = polygon.clipped(0, 1.0, half_a[u]).clipped(0, -1.0, half_a[u]);
    let polygon = polygon.clipped(1, 1.0, half_a[v]).clipped(1, -1.0, half_a[v]);

    let mut manifold = LocalManifold::empty(normal);
    for corner in reduced(&polygon).into_iter().flatten() {
        let mut point = normal * (half_a[axis] - 0.5 * corner.depth);
        point[u] = corner.place.x;
        point[v] = corner.place.y;
        let feature = (axis as u32) << 16 | u32::from(sign < 0.0) << 18 | corner.feature;
        manifold.push(LocalContact { point, depth: corner.depth, feature });
    }
    (!manifold.contacts().is_empty()).then_some(manifold)
}

/// At most four of the corners below the face: the deepest, the farthest from it, and the farthest on either side of
/// the line between them, so that the area they span stays large.
fn reduced(polygon: &Polygon) -> [Option<Corner>; MAX_POINTS] {
    let below = || polygon.corners().iter().copied().filter(|corner| corner.depth >= 0.0);
    let mut chosen = [None; MAX_POINTS];
    if below().count() <= MAX_POINTS {
        chosen.iter_mut().zip(below()).for_each(|(place, corner)| *place = Some(corner));
        return chosen;
    }
    let farthest = |score: &dyn Fn(&Corner) -> f32| below().max_by(|a, b| score(a).total_cmp(&score(b)));
    let Some(deepest) = farthest(&|corner| corner.depth) else { return chosen };
    let Some(opposite) = farthest(&|corner| corner.place.distance_squared(deepest.place)) else { return chosen };
    let line = opposite.place - deepest.place;
    let beside = |corner: &Corner| line.perp_dot(corner.place - deepest.place);
    let left = farthest(&beside).filter(|corner| beside(corner) > 0.0);
    let right = farthest(&|corner| -beside(corner)).filter(|corner| beside(corner) < 0.0);
    chosen = [Some(deepest), Some(opposite), left, right];
    chosen
}
