//! Convex hulls as bounding volumes: the tightest convex one, and the dearest.
//!
//! A [`ConvexHull`] in a frame of its own with a margin around it: rounded shapes keep their radius as margin, and
//! what the hull leaves out as within its accuracy is measured and added. Moving composes poses and shares the hull.
//! Points that span no volume are first thickened to little cubes of 10⁻⁵ of their reach, so every point set has one.
//! Round parts other than a common radius stand for themselves by a polytope less than 1% larger.
//! Overlap by a search for a separating plane; volume and surface by Steiner's formula for the margin.

use super::cloud::Cloud;
use super::frame::axes_of;
use super::rounding::{motion_slack, nearest, padded};
use super::separation::{Separation, separate};
use super::{BoundingVolume, BoundsError};
use crate::pose::LocalPose;
use crate::shape::{ConvexHull, Shape};
use glam::{DVec3, Vec3};
use std::f64::consts::PI;
use std::sync::Arc;

/// All points within a margin of a convex polytope.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundingHull {
    hull: Arc<ConvexHull>,
    pose: LocalPose,
    margin: f32,
}

/// What part of the reach flat points are thickened by.
const THICKNESS: f64 = 1e-5;

impl BoundingHull {
    /// The polytope, in its own frame.
    pub fn hull(&self) -> &ConvexHull {
        &self.hull
    }

    /// Where the polytope is.
    pub fn pose(&self) -> LocalPose {
        self.pose
    }

    /// How far the volume reaches beyond the polytope.
    pub fn margin(&self) -> f32 {
        self.margin
    }

    /// The hull of the points in the coordinates of `cloud`, grown by the margin.
    fn fitted(cloud: &Cloud) -> Result<Self, BoundsError> {
        let points = cloud.corners();
        let rounded: Vec<Vec3> = points.iter().map(|point| nearest(*point)).collect();
        let hull = ConvexHull::new(&rounded).or_else(|_| ConvexHull::new(&thickened(&rounded)));
        let Ok(hull) = hull else { return Err(BoundsError::NoHull { count: points.len() }) };
        let margin = padded(cloud.margin + greatest_distance(&hull, &points));
        Ok(Self { hull: Arc::new(hull), pose: LocalPose::at(nearest(cloud.origin)), margin })
    }

    /// The support map of the polytope, seen from `origin`.
    fn support_from(&self, origin: DVec3) -> impl Fn(DVec3) -> DVec3 {
        let axes = axes_of(self.pose.rotation);
        let center = self.pose.position.as_dvec3() - origin;
        move |direction| center + axes * farthest_vertex(&self.hull, axes.transpose() * direction)
    }

    /// The vertices, seen from `origin`.
    fn vertices_from(&self, origin: Vec3) -> impl Iterator<Item = DVec3> + '_ {
        let axes = axes_of(self.pose.rotation);
        let center = self.pose.position.as_dvec3() - origin.as_dvec3();
        self.hull.vertices().iter().map(move |vertex| center + axes * vertex.as_dvec3())
    }

    /// How far the polytope reaches from the origin of its own frame.
    fn local_reach(&self) -> f64 {
        self.hull.vertices().iter().map(|vertex| vertex.as_dvec3().length()).fold(0.0, f64::max)
    }

    /// Volume, surface and integral of mean curvature of the polytope without its margin.
    fn measures(&self) -> (f64, f64, f64) {
        let vertex = |index: u32| self.hull.vertices()[index as usize].as_dvec3();
        let (mut volume, mut area, mut curvature) = (0.0, 0.0, 0.0);
        let mut normals = Vec::with_capacity(self.hull.face_count());
        for face in 0..self.hull.face_count() {
            let base = self.hull.face_corners(face).first().map_or(DVec3::ZERO, |&corner| vertex(corner));
            let doubled = self.hull.doubled_face_area(face);
            volume += base.dot(doubled) / 6.0;
            area += 0.5 * doubled.length();
            normals.push(doubled.normalize_or_zero());
        }
        for edge in self.hull.edges() {
            let [a, b] = edge.faces.map(|face| normals[face as usize]);
            let angle = libm::atan2(a.cross(b).length(), a.dot(b));
            curvature += 0.5 * angle * vertex(edge.vertices[0]).distance(vertex(edge.vertices[1]));
        }
        (volume, area, curvature)
    }
}

/// Each point as the corners of a cube around it.
fn thickened(points: &[Vec3]) -> Vec<Vec3> {
    let reach = points.iter().map(|point| point.abs().max_element()).fold(0.0, f32::max);
    let half = (THICKNESS * f64::from(reach)).max(1e-30) as f32;
    let signs = [-half, half];
    let cube = signs.iter().flat_map(|&x| signs.iter().flat_map(move |&y| signs.map(|z| Vec3::new(x, y, z))));
    let cube: Vec<Vec3> = cube.collect();
    points.iter().flat_map(|point| cube.iter().map(move |corner| *point + *corner)).collect()
}

fn farthest_vertex(hull: &ConvexHull, direction: DVec3) -> DVec3 {
    let farther = |a: (f64, DVec3), b: (f64, DVec3)| if b.0 > a.0 { b } else { a };
    let heights = hull.vertices().iter().map(|vertex| (vertex.as_dvec3().dot(direction), vertex.as_dvec3()));
    heights.reduce(farther).map_or(DVec3::ZERO, |(_, vertex)| vertex)
}

/// An upper bound of the distance of any of the points from the hull.
fn greatest_distance(hull: &ConvexHull, points: &[DVec3]) -> f64 {
    let planes: Vec<(DVec3, f64)> =
        hull.planes().iter().map(|plane| (plane.normal.as_dvec3(), f64::from(plane.offset))).collect();
    let reach = hull.vertices().iter().map(|vertex| vertex.as_dvec3().length()).fold(0.0, f64::max);
    let mut vertices: Vec<[u32; 3]> =
        hull.vertices().iter().map(|vertex| vertex.to_array().map(f32::to_bits)).collect();
    vertices.sort_unstable();
    let distance = |point: &DVec3| {
        // Planes in f32 are off by 10⁻⁷ of the reach; deeper than 10⁻⁶ is inside for certain.
        let is_inside = planes.iter().all(|(normal, offset)| normal.dot(*point) - offset < -1e-6 * reach);
        let narrow = nearest(*point);
        let is_vertex =
            || narrow.as_dvec3() == *point && vertices.binary_search(&narrow.to_array().map(f32::to_bits)).is_ok();
        if is_inside || is_vertex() {
            return 0.0;
        }
        match separate(|_| *point, |direction| farthest_vertex(hull, direction), *point, f64::INFINITY) {
            Separation::Within(distance) => distance,
            Separation::Apart => reach + point.length(),
        }
    };
    points.iter().map(distance).fold(0.0, f64::max)
}

impl BoundingVolume for BoundingHull {
    fn around_points(points: &[Vec3]) -> Result<Self, BoundsError> {
        Cloud::of_points(points).and_then(|cloud| Self::fitted(&cloud))
    }

    fn around_shape(shape: &Shape) -> Result<Self, BoundsError> {
        Cloud::of_shape(shape).and_then(|cloud| Self::fitted(&cloud))
    }

    fn center(&self) -> Vec3 {
        self.pose.position
    }

    fn merged(&self, other: &Self) -> Self {
        let radius = f64::from(self.margin.max(other.margin));
        let origin = self.pose.position;
        let both = self.vertices_from(origin).chain(other.vertices_from(origin));
        let balls = both.map(|center| super::cloud::Ball { center, radius }).collect();
        Self::fitted(&Cloud::of(origin, balls, vec![], &[])).unwrap_or_else(|_| {
            // No hull of so many points: a margin that reaches over all of the other will do.
            let reach = other.vertices_from(origin).map(DVec3::length).fold(0.0, f64::max);
            Self { margin: padded(radius + reach), ..self.clone() }
        })
    }

    fn overlaps(&self, other: &Self) -> bool {
        let origin = self.pose.position.as_dvec3();
        let gap = f64::from(self.margin) + f64::from(other.margin);
        let start = origin - other.pose.position.as_dvec3();
        let found = separate(self.support_from(origin), other.support_from(origin), start, gap);
        matches!(found, Separation::Within(_))
    }

    fn contains(&self, point: Vec3) -> bool {
        let origin = self.pose.position.as_dvec3();
        let offset = point.as_dvec3() - origin;
        let found = separate(|_| offset, self.support_from(origin), offset, f64::from(self.margin));
        matches!(found, Separation::Within(_))
    }

    fn moved(&self, pose: &LocalPose) -> Self {
        let turn = pose.rotation.as_dquat().normalize();
        let exact = turn * self.pose.rotation.as_dquat().normalize();
        let (before, reach) = (self.pose.position.as_dvec3(), self.local_reach() + f64::from(self.margin));
        let after = turn * before + pose.position.as_dvec3();
        let moved = LocalPose::new(nearest(after), exact.normalize().as_quat());
        let skew = axes_of(moved.rotation) - glam::DMat3::from_quat(exact);
        let skew = skew.to_cols_array().iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        let shift = moved.position.as_dvec3().distance(after) + skew * reach;
        let slack = motion_slack(before.length() + reach, after.length() + reach);
        Self { hull: Arc::clone(&self.hull), pose: moved, margin: padded(f64::from(self.margin) + shift + slack) }
    }

    fn volume(&self) -> f32 {
        let ((volume, area, curvature), margin) = (self.measures(), f64::from(self.margin));
        (volume + margin * (area + margin * (curvature + 4.0 / 3.0 * PI * margin))) as f32
    }

    fn surface_area(&self) -> f32 {
        let ((_, area, curvature), margin) = (self.measures(), f64::from(self.margin));
        (area + margin * (2.0 * curvature + 4.0 * PI * margin)) as f32
    }
}
