//! k-DOPs: polytopes between k/2 pairs of parallel planes of fixed directions, for k = 6, 14, 18, 26.
//!
//! The directions are the coordinate axes, for 14 and 26 also the four diagonals of the cube, for 18 and 26 the six
//! diagonals of its faces; none is scaled to unit length, so that each product is a sum. Overlap compares intervals,
//! k numbers at the most: two k-DOPs whose intervals all meet may still be apart. After a rotation the directions are
//! others, so the k-DOP is fitted anew around its own corners: the tightest that follows from it alone. To keep a
//! rotating body's k-DOP tight, move the one of the body's own frame, not the one of the last step.
//! Source: Klosowski et al., 1998, doi:10.1109/2945.675649.

use super::extent::bounded_extent_along;
use super::rounding::{motion_slack, round_down, round_up};
use super::{BoundingVolume, BoundsError, check_points};
use crate::pose::LocalPose;
use crate::shape::Shape;
use crate::shape::hull::doubled_area;
use glam::{DVec3, Quat, Vec3};
use std::convert::Infallible;

/// A polytope of at most `K` faces, where `K` is 6, 14, 18 or 26; other numbers do not compile.
///
/// ```
/// use carom::bounds::{BoundingVolume, Kdop};
/// use carom::prelude::*;
///
/// let ball = Shape::sphere(1.0)?;
/// assert!((Kdop::<6>::around_shape(&ball)?.volume() - 8.0).abs() < 1e-5);
/// assert!(Kdop::<26>::around_shape(&ball)?.volume() < 4.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kdop<const K: usize> {
    /// The negated least product with a direction, then the greatest: all faces look outward alike.
    reaches: [f32; K],
}

/// The directions of the 26-DOP, one of each opposite pair.
pub(super) const AXES: [DVec3; 13] = [
    DVec3::X,
    DVec3::Y,
    DVec3::Z,
    DVec3::new(1.0, 1.0, 1.0),
    DVec3::new(1.0, 1.0, -1.0),
    DVec3::new(1.0, -1.0, 1.0),
    DVec3::new(-1.0, 1.0, 1.0),
    DVec3::new(1.0, 1.0, 0.0),
    DVec3::new(1.0, -1.0, 0.0),
    DVec3::new(1.0, 0.0, 1.0),
    DVec3::new(1.0, 0.0, -1.0),
    DVec3::new(0.0, 1.0, 1.0),
    DVec3::new(0.0, 1.0, -1.0),
];

impl<const K: usize> Kdop<K> {
    /// The least and greatest product of the enclosed points with each of the `K / 2` directions, in the order of
    /// [`Kdop::direction`].
    pub fn intervals(&self) -> impl ExactSizeIterator<Item = (f32, f32)> + '_ {
        self.reaches.as_chunks::<2>().0.iter().map(|&[below, above]| (-below, above))
    }

    /// One of the `K / 2` directions, not of unit length.
    pub fn direction(index: usize) -> Vec3 {
        axis::<K>(index % (K / 2)).as_vec3()
    }

    /// From the interval along each direction, rounded outward.
    fn from_extents<E>(extent: impl Fn(DVec3) -> Result<(f64, f64), E>) -> Result<Self, E> {
        let mut reaches = [0.0; K];
        for (index, reach) in reaches.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let (least, greatest) = extent(axis::<K>(index))?;
            *reach = [-round_down(least), round_up(greatest)];
        }
        Ok(Self { reaches })
    }

    /// Around points and what is within `slack` of them.
    fn around(points: &(impl Iterator<Item = DVec3> + Clone), slack: f64) -> Self {
        let Ok(fitted) = Self::from_extents(|direction| {
            let (least, greatest) =
                points.clone().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), point| {
                    let along = direction.dot(point);
                    (least.min(along), greatest.max(along))
                });
            let slack = slack * direction.length();
            Ok::<_, Infallible>((least - slack, greatest + slack))
        });
        fitted
    }

    /// The outward direction and the reach of each face, seen from `origin`.
    fn half_spaces(&self, origin: DVec3) -> [(DVec3, f64); K] {
        std::array::from_fn(|face| {
            let outward = if face % 2 == 0 { -axis::<K>(face / 2) } else { axis::<K>(face / 2) };
            (outward, f64::from(self.reaches[face]) - outward.dot(origin))
        })
    }

    fn middle(&self) -> DVec3 {
        let middle = |axis: usize| 0.5 * (f64::from(self.reaches[2 * axis + 1]) - f64::from(self.reaches[2 * axis]));
        DVec3::new(middle(0), middle(1), middle(2))
    }

    /// Without rotation every interval moves along.
    fn shifted(&self, shift: DVec3) -> Self {
        let half = DVec3::new(self.half_extent(0), self.half_extent(1), self.half_extent(2)).length();
        let before = self.middle();
        let slack = motion_slack(before.length() + half, (before + shift).length() + half);
        let mut intervals = self.intervals().enumerate().map(|(index, (least, greatest))| {
            let direction = axis::<K>(index);
            let (along, slack) = (direction.dot(shift), slack * direction.length());
            [-round_down(f64::from(least) + along - slack), round_up(f64::from(greatest) + along + slack)]
        });
        let mut reaches = [0.0; K];
        reaches.as_chunks_mut::<2>().0.iter_mut().for_each(|reach| *reach = intervals.next().unwrap_or_default());
        Self { reaches }
    }

    fn half_extent(&self, axis: usize) -> f64 {
        0.5 * (f64::from(self.reaches[2 * axis + 1]) + f64::from(self.reaches[2 * axis]))
    }

    /// The corners, each as often as faces meet there; conservative: their hull encloses the k-DOP up to rounding.
    pub(super) fn corners(&self) -> Vec<DVec3> {
        let origin = self.middle();
        let mut corners = Vec::new();
        self.for_each_face(1e-12, |_, polygon| corners.extend(polygon.iter().map(|corner| origin + *corner)));
        corners
    }

    /// Calls `visit` with the distance from the middle and the corners, seen from the middle, of every face. Each face
    /// is a square on its plane, cut by all other half-spaces, which lie `tolerance` of the size farther out.
    fn for_each_face(&self, tolerance: f64, mut visit: impl FnMut(f64, &[DVec3])) {
        let half_spaces = self.half_spaces(self.middle());
        let size = half_spaces[..6].iter().fold(0.0_f64, |size, (_, reach)| size.max(*reach));
        let (mut polygon, mut cut) = (Vec::with_capacity(K + 4), Vec::with_capacity(K + 4));
        for (face, (outward, reach)) in half_spaces.iter().enumerate() {
            let length = outward.length();
            let normal = *outward / length;
            let distance = reach / length;
            let (u, v) = normal.any_orthonormal_pair();
            let corner = |s: f64, t: f64| normal * distance + (u * s + v * t) * (4.0 * size);
            polygon.clear();
            polygon.extend([corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)]);
            for (other, (outward, reach)) in half_spaces.iter().enumerate() {
                // The opposite face is parallel and, behind this one, cuts nothing.
                let reach = reach + tolerance * size;
                if other / 2 != face / 2 && polygon.iter().any(|corner| outward.dot(*corner) > reach) {
                    clip(&polygon, *outward, reach, &mut cut);
                    std::mem::swap(&mut polygon, &mut cut);
                }
            }
            visit(distance, &polygon);
        }
    }
}

/// The direction of pair `index`: the 18-DOP leaves out the diagonals of the cube.
fn axis<const K: usize>(index: usize) -> DVec3 {
    const { assert!(K == 6 || K == 14 || K == 18 || K == 26, "a k-DOP has 6, 14, 18 or 26 faces") };
    AXES[if K == 18 && index >= 3 { index + 4 } else { index }]
}

/// The part of a convex polygon with `outward · x ≤ reach` (Sutherland and Hodgman, 1974).
fn clip(polygon: &[DVec3], outward: DVec3, reach: f64, cut: &mut Vec<DVec3>) {
    cut.clear();
    let Some(&last) = polygon.last() else { return };
    let (mut from, mut from_height) = (last, outward.dot(last) - reach);
    for &to in polygon {
        let to_height = outward.dot(to) - reach;
        if (from_height <= 0.0) != (to_height <= 0.0) {
            cut.push(from + (to - from) * (from_height / (from_height - to_height)));
        }
        if to_height <= 0.0 {
            cut.push(to);
        }
        (from, from_height) = (to, to_height);
    }
}

fn polygon_area(polygon: &[DVec3]) -> f64 {
    0.5 * doubled_area(polygon.iter().copied()).length()
}

impl<const K: usize> BoundingVolume for Kdop<K> {
    fn around_points(points: &[Vec3]) -> Result<Self, BoundsError> {
        check_points(points)?;
        Ok(Self::around(&points.iter().map(|point| point.as_dvec3()), 0.0))
    }

    fn around_shape(shape: &Shape) -> Result<Self, BoundsError> {
        Self::from_extents(|direction| bounded_extent_along(shape, direction))
    }

    fn center(&self) -> Vec3 {
        self.middle().as_vec3()
    }

    fn merged(&self, other: &Self) -> Self {
        Self { reaches: std::array::from_fn(|face| self.reaches[face].max(other.reaches[face])) }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let pairs = self.reaches.as_chunks::<2>().0.iter().zip(other.reaches.as_chunks::<2>().0);
        pairs.fold(true, |all, (a, b)| all & (-a[0] <= b[1]) & (-b[0] <= a[1]))
    }

    fn contains(&self, point: Vec3) -> bool {
        self.half_spaces(DVec3::ZERO).iter().all(|(outward, reach)| outward.dot(point.as_dvec3()) <= *reach)
    }

    fn moved(&self, pose: &LocalPose) -> Self {
        if pose.rotation == Quat::IDENTITY {
            return self.shifted(pose.position.as_dvec3());
        }
        let turn = pose.rotation.as_dquat().normalize();
        let (mut before, mut after) = (0.0_f64, 0.0_f64);
        let mut corners = self.corners();
        for corner in &mut corners {
            before = before.max(corner.length());
            *corner = turn * *corner + pose.position.as_dvec3();
            after = after.max(corner.length());
        }
        let slack = motion_slack(before, after);
        Self::around(&corners.iter().copied(), slack)
    }

    fn volume(&self) -> f32 {
        let mut volume = 0.0;
        self.for_each_face(0.0, |distance, polygon| volume += distance * polygon_area(polygon) / 3.0);
        volume as f32
    }

    fn surface_area(&self) -> f32 {
        let mut area = 0.0;
        self.for_each_face(0.0, |_, polygon| area += polygon_area(polygon));
        area as f32
    }
}
