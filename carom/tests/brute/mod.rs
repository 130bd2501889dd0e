//! Triangles one by one, in f64 and from first principles: where a ray meets them, how far a point or a polytope is from
//! them, how deep a polytope is in them. Nothing is shared with the library but the corners.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use crate::exhaustive::{Part, Polytope, least_distance, parts_of_simplex};
use carom::glam::{DMat3, DVec3, Vec3};
use carom::pose::Pose;

pub type Triangle = [DVec3; 3];

/// Triangles at their places in the world.
pub fn placed(triangles: impl IntoIterator<Item = [Vec3; 3]>, pose: &Pose) -> Vec<Triangle> {
    let turn = DMat3::from_quat(pose.rotation.as_dquat().normalize());
    triangles.into_iter().map(|corners| corners.map(|corner| turn * corner.as_dvec3() + pose.position)).collect()
}

/// Between what distances from its origin a ray first meets triangles: it is no nearer than the first, and where it goes
/// clearly through one, no farther than the second. A ray that passes an edge within `doubt` may be told to meet or not.
#[derive(Debug, Clone, Copy)]
pub struct FirstMeeting {
    pub earliest: f64,
    pub latest: f64,
}

/// Every triangle by Möller and Trumbore (1997, doi 10.1080/10867651.1997.10487468): the ray in the frame of two edges.
/// The direction is of unit length.
pub fn first_meeting(triangles: &[Triangle], origin: DVec3, direction: DVec3, doubt: f64) -> FirstMeeting {
    let mut found = FirstMeeting { earliest: f64::INFINITY, latest: f64::INFINITY };
    for &[a, b, c] in triangles {
        let (ab, ac, to_a) = (b - a, c - a, origin - a);
        let across = direction.cross(ac);
        let determinant = ab.dot(across);
        let area = ab.cross(ac).length();
        let (longest, thin) = (ab.length().max(ac.length()).max((c - b).length()), doubt / area);
        // Along the plane of the triangle: it may be met anywhere that it is passed.
        if determinant.abs() <= 1e-9 * area {
            let reach = [a, b, c].map(|corner| direction.dot(corner - origin));
            let end = reach[0].max(reach[1]).max(reach[2]).max(0.0);
            let ray = Part::new([DVec3::ZERO, direction * end]);
            let face = parts_of_simplex(&[a, b, c].map(|corner| corner - origin));
            if least_distance(&[ray], &face) <= doubt + 1e-9 * longest {
                found.earliest = found.earliest.min(reach[0].min(reach[1]).min(reach[2]).max(0.0));
            }
            continue;
        }
        let u = to_a.dot(across) / determinant;
        let normal = to_a.cross(ab);
        let v = direction.dot(normal) / determinant;
        let distance = ac.dot(normal) / determinant;
        // What a shift of the ray by the doubt does to the shares.
        let slack = longest * thin * area / determinant.abs();
        let inside = u.min(v).min(1.0 - u - v);
        let shift = doubt * area / determinant.abs();
        if inside >= -slack && distance >= -shift {
            found.earliest = found.earliest.min((distance - shift).max(0.0));
            if inside >= slack && distance >= shift {
                found.latest = found.latest.min(distance + shift);
            }
        }
    }
    found
}

/// The distance of a point from the nearest triangle.
pub fn distance_of_point(triangles: &[Triangle], point: DVec3) -> f64 {
    let part = [Part::new([point])];
    let apart = |triangle: &Triangle, best: f64| {
        if beside(point, point, triangle) > best { best } else { least_distance(&part, &parts_of_simplex(triangle)) }
    };
    triangles.iter().fold(f64::INFINITY, |best, triangle| best.min(apart(triangle, best)))
}

/// How far the box around a triangle is from a box: what is farther than something else need not be looked at.
fn beside(least: DVec3, greatest: DVec3, [a, b, c]: &Triangle) -> f64 {
    (a.min(*b).min(*c) - greatest).max(least - a.max(*b).max(*c)).max(DVec3::ZERO).length()
}

/// A convex body of few corners at its place.
#[derive(Debug, Clone)]
pub struct Body {
    polytope: Polytope,
    least: DVec3,
    greatest: DVec3,
}

impl Body {
    /// Of corners in its own frame, no farther than `size` from the origin.
    pub fn new(corners: &[Vec3], size: f64, pose: &Pose) -> Self {
        // The tolerance of the polytope is for bodies of about unit size.
        let unit = Polytope::new(corners.iter().map(|corner| corner.as_dvec3() / size).collect());
        let turn = DMat3::from_quat(pose.rotation.as_dquat().normalize());
        let polytope = unit.moved(|point| turn * (point * size) + pose.position);
        let least = polytope.points.iter().copied().reduce(DVec3::min).unwrap_or_default();
        let greatest = polytope.points.iter().copied().reduce(DVec3::max).unwrap_or_default();
        Self { polytope, least, greatest }
    }

    /// The distance from the nearest triangle; next to 0 if one is met. What is nearest by its box is looked at first.
    pub fn distance(&self, triangles: &[Triangle]) -> f64 {
        let beside = |triangle: &Triangle| beside(self.least, self.greatest, triangle);
        let mut order: Vec<(f64, &Triangle)> = triangles.iter().map(|triangle| (beside(triangle), triangle)).collect();
        order.sort_by(|one, other| one.0.total_cmp(&other.0));
        let met = 1e-14 * self.greatest.distance(self.least);
        let mut best = f64::INFINITY;
        for (beside, triangle) in order {
            if beside >= best || best <= met {
                break;
            }
            best = best.min(self.polytope.distance(&Polytope::new(triangle.to_vec())));
        }
        best
    }

    /// How deep it is in the triangles that it meets, each by itself. The first is the greatest depth along the best of all
    /// axes that a face of the difference can have, of those triangles that `middle` is before: what touches the whole
    /// surface is no less deep. The second is the greatest along the normals of all triangles, to either side: it is no
    /// deeper. None if it meets none.
    pub fn depths(&self, triangles: &[Triangle], middle: DVec3) -> Option<[f64; 2]> {
        let near = triangles.iter().filter(|triangle| beside(self.least, self.greatest, triangle) <= 0.0);
        let of_one = |triangle: &Triangle| {
            let [least, along] = self.depths_in(triangle);
            let [a, b, c] = *triangle;
            let is_before = (b - a).cross(c - a).dot(middle - a) >= 0.0;
            (least > 0.0).then_some([if is_before { least } else { 0.0 }, along])
        };
        near.filter_map(of_one)
            .reduce(|[least, along], [other, other_along]| [least.max(other), along.max(other_along)])
    }

    /// The least depth of all axes, negative for a gap, and the greater one along the triangle's normal.
    fn depths_in(&self, &[a, b, c]: &Triangle) -> [f64; 2] {
        let span = |axis: DVec3, points: &[DVec3]| {
            points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), point| {
                (low.min(axis.dot(*point)), high.max(axis.dot(*point)))
            })
        };
        let ways = |axis: DVec3| {
            let axis = axis.try_normalize()?;
            let (own, other) = (span(axis, &self.polytope.points), span(axis, &[a, b, c]));
            Some([other.1 - own.0, own.1 - other.0])
        };
        let across = ways((b - a).cross(c - a)).unwrap_or([f64::INFINITY; 2]);
        let mut least = across[0].min(across[1]);
        let mut try_axis = |axis: DVec3| {
            if let Some([up, down]) = ways(axis) {
                least = least.min(up).min(down);
            }
        };
        self.polytope.normals().for_each(&mut try_axis);
        for side in [b - a, c - b, a - c] {
            self.polytope.edges().for_each(|edge| try_axis(side.cross(edge)));
        }
        [least, across[0].max(across[1])]
    }
}

/// How often a closed surface winds around a point: the solid angles of its triangles over a full one (van Oosterom and
/// Strackee 1983, doi 10.1109/TBME.1983.325207). Next to 1 inside, next to 0 outside.
pub fn winding(triangles: &[Triangle], point: DVec3) -> f64 {
    let angle = |triangle: &Triangle| {
        let [a, b, c] = triangle.map(|corner| corner - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let volume = a.dot(b.cross(c));
        2.0 * volume.atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}
