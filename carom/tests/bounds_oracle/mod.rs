//! Point clouds, poses and independent answers that the tests of bounding volumes share.
#![allow(dead_code, unreachable_pub, reason = "each test uses its own part")]

use crate::random::{direction, rotation_often_aligned, vector};
use carom::bounds::{
    Aabb, BoundingCapsule, BoundingCylinder, BoundingEllipsoid, BoundingHull, BoundingSphere, BoundingVolume, Kdop,
    OrientedBox,
};
use carom::pose::LocalPose;
use fastrand::Rng;
use glam::{DMat3, DVec3, Quat, Vec3};

/// Calls a generic function for every kind of volume.
#[macro_export]
macro_rules! for_every_volume {
    ($test:ident $(, $argument:expr)*) => {
        $test::<carom::bounds::Aabb>($($argument),*);
        $test::<carom::bounds::BoundingSphere>($($argument),*);
        $test::<carom::bounds::BoundingCapsule>($($argument),*);
        $test::<carom::bounds::OrientedBox>($($argument),*);
        $test::<carom::bounds::Kdop<6>>($($argument),*);
        $test::<carom::bounds::Kdop<14>>($($argument),*);
        $test::<carom::bounds::Kdop<18>>($($argument),*);
        $test::<carom::bounds::Kdop<26>>($($argument),*);
        $test::<carom::bounds::BoundingCylinder>($($argument),*);
        $test::<carom::bounds::BoundingEllipsoid>($($argument),*);
        $test::<carom::bounds::BoundingHull>($($argument),*);
    };
}

/// What a volume is by its public numbers, computed here once more in f64.
pub trait Oracle: BoundingVolume + std::fmt::Debug {
    const NAME: &'static str;
    /// Positive for a point that is outside, about as large as its distance.
    fn outside(&self, point: DVec3) -> f64;
    /// The farthest point along a direction, for the kinds whose overlap test is exact.
    fn farthest(&self, direction: DVec3) -> Option<DVec3>;
}

fn sign(value: f64) -> f64 {
    if value < 0.0 { -1.0 } else { 1.0 }
}

fn matrix(rotation: Quat) -> DMat3 {
    DMat3::from_quat(rotation.as_dquat().normalize())
}

impl Oracle for Aabb {
    const NAME: &'static str = "box";
    fn outside(&self, point: DVec3) -> f64 {
        (self.min.as_dvec3() - point).max(point - self.max.as_dvec3()).max_element()
    }
    fn farthest(&self, direction: DVec3) -> Option<DVec3> {
        let pick = |axis: usize| if direction[axis] < 0.0 { self.min[axis] } else { self.max[axis] };
        Some(DVec3::new(pick(0).into(), pick(1).into(), pick(2).into()))
    }
}

impl Oracle for BoundingSphere {
    const NAME: &'static str = "sphere";
    fn outside(&self, point: DVec3) -> f64 {
        point.distance(self.center().as_dvec3()) - f64::from(self.radius())
    }
    fn farthest(&self, direction: DVec3) -> Option<DVec3> {
        Some(self.center().as_dvec3() + direction.normalize_or_zero() * f64::from(self.radius()))
    }
}

impl Oracle for BoundingCapsule {
    const NAME: &'static str = "capsule";
    fn outside(&self, point: DVec3) -> f64 {
        let [a, b] = self.ends().map(|end| end.as_dvec3());
        // The distance from the line between the ends, from the nearer end beyond them.
        let (from_a, from_b, along) = (point - a, point - b, b - a);
        let distance = if from_a.dot(along) > 0.0 && from_b.dot(along) < 0.0 {
            from_a.cross(along).length() / along.length()
        } else {
            from_a.length().min(from_b.length())
        };
        distance - f64::from(self.radius())
    }
    fn farthest(&self, direction: DVec3) -> Option<DVec3> {
        let [a, b] = self.ends().map(|end| end.as_dvec3());
        let end = if direction.dot(b - a) > 0.0 { b } else { a };
        Some(end + direction.normalize_or_zero() * f64::from(self.radius()))
    }
}

impl Oracle for OrientedBox {
    const NAME: &'static str = "oriented box";
    fn outside(&self, point: DVec3) -> f64 {
        let local = matrix(self.rotation()).inverse() * (point - self.center().as_dvec3());
        (local.abs() - self.half_extents().as_dvec3()).max_element()
    }
    fn farthest(&self, direction: DVec3) -> Option<DVec3> {
        let axes = matrix(self.rotation());
        let local = axes.transpose() * direction;
        let half = self.half_extents().as_dvec3();
        let corner = DVec3::new(half.x * sign(local.x), half.y * sign(local.y), half.z * sign(local.z));
        Some(self.center().as_dvec3() + axes * corner)
    }
}

impl<const K: usize> Oracle for Kdop<K> {
    const NAME: &'static str = match K {
        6 => "6-DOP",
        14 => "14-DOP",
        18 => "18-DOP",
        _ => "26-DOP",
    };
    fn outside(&self, point: DVec3) -> f64 {
        let faces = self.intervals().enumerate().map(|(index, (least, greatest))| {
            let direction = Self::direction(index).as_dvec3();
            let along = direction.x * point.x + direction.y * point.y + direction.z * point.z;
            (f64::from(least) - along).max(along - f64::from(greatest)) / direction.length()
        });
        faces.fold(f64::NEG_INFINITY, f64::max)
    }
    fn farthest(&self, _direction: DVec3) -> Option<DVec3> {
        None
    }
}

impl Oracle for BoundingCylinder {
    const NAME: &'static str = "cylinder";
    fn outside(&self, point: DVec3) -> f64 {
        let axis = self.axis().as_dvec3().normalize();
        let offset = point - self.center().as_dvec3();
        let aside = offset.cross(axis).length() - f64::from(self.radius());
        aside.max(offset.dot(axis).abs() - f64::from(self.half_height()))
    }
    fn farthest(&self, direction: DVec3) -> Option<DVec3> {
        let axis = self.axis().as_dvec3().normalize();
        let rim = axis.cross(direction).cross(axis).normalize_or_zero() * f64::from(self.radius());
        Some(self.center().as_dvec3() + rim + axis * (sign(direction.dot(axis)) * f64::from(self.half_height())))
    }
}

impl Oracle for BoundingEllipsoid {
    const NAME: &'static str = "ellipsoid";
    fn outside(&self, point: DVec3) -> f64 {
        let offset = point - self.center().as_dvec3();
        let local = matrix(self.rotation()).transpose() * offset;
        let radii = self.radii().as_dvec3();
        let part = |axis: usize| if local[axis] == 0.0 { 0.0 } else { local[axis] / radii[axis] };
        let norm = DVec3::new(part(0), part(1), part(2)).length();
        // Along the ray from the centre.
        if norm > 0.0 { offset.length() * (1.0 - 1.0 / norm) } else { 0.0 }
    }
    fn farthest(&self, direction: DVec3) -> Option<DVec3> {
        let axes = matrix(self.rotation());
        let radii = self.radii().as_dvec3();
        let stretched = (axes.transpose() * direction) * radii;
        Some(self.center().as_dvec3() + axes * (radii * stretched.normalize_or_zero()))
    }
}

impl Oracle for BoundingHull {
    const NAME: &'static str = "hull";
    /// The greatest height over a face: no more than the distance.
    fn outside(&self, point: DVec3) -> f64 {
        let local = matrix(self.pose().rotation).transpose() * (point - self.pose().position.as_dvec3());
        let hull = self.hull();
        let vertex = |index: u32| hull.vertices()[index as usize].as_dvec3();
        let height = |face: usize| {
            let corners = hull.face_corners(face);
            let base = vertex(corners[0]);
            let normal: DVec3 =
                corners.windows(2).map(|edge| (vertex(edge[0]) - base).cross(vertex(edge[1]) - base)).sum();
            // Corners are coplanar to f32 accuracy only: no corner is outside.
            let offset = corners.iter().map(|&corner| normal.dot(vertex(corner))).fold(f64::MIN, f64::max);
            (normal.dot(local) - offset) / normal.length()
        };
        (0..hull.face_count()).map(height).fold(f64::MIN, f64::max) - f64::from(self.margin())
    }
    fn farthest(&self, direction: DVec3) -> Option<DVec3> {
        let axes = matrix(self.pose().rotation);
        let local = axes.transpose() * direction;
        let vertices = self.hull().vertices().iter().map(|vertex| vertex.as_dvec3());
        let best = vertices.max_by(|a, b| a.dot(local).total_cmp(&b.dot(local)))?;
        let rim = direction.normalize_or_zero() * f64::from(self.margin());
        Some(self.pose().position.as_dvec3() + axes * best + rim)
    }
}

pub fn pose(random: &mut Rng, size: f32) -> LocalPose {
    LocalPose::new(vector(random, size), rotation_often_aligned(random))
}

pub const CLOUD_KINDS: u32 = 11;

/// A cloud of about unit size around the origin.
pub fn cloud(random: &mut Rng, kind: u32, count: usize) -> Vec<Vec3> {
    let gaussian = |random: &mut Rng| (0..12).map(|_| random.f32()).sum::<f32>() - 6.0;
    let turned = rotation_often_aligned(random);
    let middles: Vec<Vec3> = (0..3).map(|_| vector(random, 1.0)).collect();
    let (flat, thin) = (Vec3::new(1.0, 1.0, 0.0), 10f32.powi(-random.i32(1..6)));
    (0..count.max(1))
        .map(|index| match kind {
            0 => Vec3::new(gaussian(random), gaussian(random), gaussian(random)) * 0.3,
            1 => vector(random, 1.0),
            2 => direction(random).as_vec3(),
            3 => turned * (vector(random, 1.0) * flat),
            4 => turned * (Vec3::X * (2.0 * random.f32() - 1.0)),
            5 => middles[index % 3] + vector(random, 0.1),
            6 => turned * (vector(random, 1.0) * Vec3::new(1.0, 0.4, 0.2)),
            7 => turned * (vector(random, 1.0) * Vec3::new(1.0, thin, thin)),
            8 => turned * (vector(random, 1.0).signum() * Vec3::new(1.0, 0.6, 0.3)),
            9 => vector(random, 1.0).signum() * Vec3::new(1.0, 0.6, 0.3),
            _ => middles[0],
        })
        .collect()
}

pub fn moved_points(points: &[Vec3], pose: &LocalPose) -> Vec<Vec3> {
    points.iter().map(|point| pose.point_to_outer(*point)).collect()
}

/// The greatest coordinate.
pub fn reach(points: &[Vec3]) -> f64 {
    points.iter().map(|point| point.abs().max_element()).fold(0.0, f32::max).into()
}

/// The extent of the points.
pub fn size(points: &[Vec3]) -> f64 {
    let first = points[0].as_dvec3();
    points.iter().map(|point| point.as_dvec3().distance(first)).fold(0.0, f64::max)
}
