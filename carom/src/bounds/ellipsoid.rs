//! Ellipsoids: the tightest smooth volume, one formula for any direction.
//!
//! The fit finds the ellipsoid of least volume around points of the cloud (Khachiyan's algorithm, `smallest_ellipsoid`)
//! and then scales it until it encloses all of the cloud, round parts included. So that the rounding of the f32
//! rotation does not scale a thin one up, no radius is less than 4·10⁻⁶ of the greatest, a single point excepted.
//! Exact for a ball and an ellipsoid; overlap by a search for a separating plane.

use super::cloud::{Ball, Cloud};
use super::frame::axes_of;
use super::rounding::{ROUNDING, motion_slack, nearest, padded};
use super::separation::{Separation, separate};
use super::smallest_ellipsoid::{EllipsoidGuess, smallest_ellipsoid};
use super::stretched::Stretched;
use super::{BoundingVolume, BoundsError};
use crate::mass::principal;
use crate::pose::LocalPose;
use crate::shape::Shape;
use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use std::f64::consts::PI;

/// An ellipsoid in any orientation; radii may be zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingEllipsoid {
    center: Vec3,
    rotation: Quat,
    radii: Vec3,
}

impl BoundingEllipsoid {
    /// How the ellipsoid is turned.
    pub fn rotation(&self) -> Quat {
        self.rotation
    }

    /// The radius along each of the ellipsoid's own axes.
    pub fn radii(&self) -> Vec3 {
        self.radii
    }

    fn fitted(cloud: &Cloud) -> Self {
        let guess = match (cloud.balls.as_slice(), cloud.curved.as_slice()) {
            ([Ball { center, radius }], []) => {
                let radii = DVec3::splat(radius + cloud.margin);
                EllipsoidGuess { center: *center, axes: DMat3::IDENTITY, radii }
            }
            ([], [only]) => {
                let (squares, axes) = principal::axes(only.axes * only.axes.transpose());
                EllipsoidGuess { center: only.center, axes, radii: squares.max(DVec3::ZERO).map(f64::sqrt) }
            }
            _ => smallest_ellipsoid(&cloud.with_margin_in_balls().samples()),
        };
        if guess.radii.max_element() <= 0.0 && cloud.reach() > 0.0 {
            // A guess without size cannot be scaled; a ball always can.
            let center = nearest(cloud.origin + cloud.box_center());
            return Self::scaled(cloud, center, Quat::IDENTITY, DVec3::splat(cloud.reach()), 0.0);
        }
        let rotation = DQuat::from_mat3(&guess.axes).normalize().as_quat();
        Self::scaled(cloud, nearest(cloud.origin + guess.center), rotation, guess.radii, 0.0)
    }

    /// The ellipsoid with this centre and rotation and about these radii, scaled to enclose a cloud grown by `slack`.
    fn scaled(cloud: &Cloud, center: Vec3, rotation: Quat, radii: DVec3, slack: f64) -> Self {
        let axes = axes_of(rotation);
        let middle = center.as_dvec3() - cloud.origin;
        // An f32 rotation is off by 10⁻⁷. A radius 32 times what that shifts the cloud along its axis costs the others
        // no more than 1/2048.
        let noise = 32.0 * (f64::from(f32::EPSILON) * radii.max_element() + slack);
        let radii = radii.map(|radius| (radius * radius + noise * noise).sqrt());
        let to_unit = DMat3::from_diagonal(radii.map(|radius| if radius > 0.0 { 1.0 / radius } else { 0.0 }));
        let to_unit = to_unit * axes.transpose();
        let balls = cloud.balls.iter().map(|ball| {
            let radius = ball.radius + cloud.margin + slack;
            if radius > 0.0 {
                let part = Stretched { center: ball.center, axes: DMat3::from_diagonal(DVec3::splat(radius)) };
                part.mapped(to_unit, middle).farthest_from(DVec3::ZERO).distance
            } else {
                (to_unit * (ball.center - middle)).length()
            }
        });
        // The slack moves a point by no more than its part of each radius; a convex function is greatest at a corner.
        let shift = radii.map(|radius| if radius > 0.0 { slack / radius } else { 0.0 });
        let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(y, z)| shift * DVec3::new(1.0, y, z));
        let corners = if slack > 0.0 { &corners[..] } else { &corners[..1] };
        let curved = cloud.curved.iter().flat_map(|part| {
            let unit = part.mapped(to_unit, middle);
            // A centre other than the ellipsoid's own breaks the symmetry of opposite corners.
            corners.iter().flat_map(|corner| [*corner, -*corner]).map(move |corner| unit.farthest_from(corner).distance)
        });
        let scale = balls.chain(curved).fold(0.0, f64::max);
        Self { center, rotation, radii: Vec3::from_array((radii * scale).to_array().map(padded)) }
    }

    /// The ellipsoid seen from `origin`.
    fn stretched_from(&self, origin: Vec3) -> Stretched {
        let axes = axes_of(self.rotation) * DMat3::from_diagonal(self.radii.as_dvec3());
        Stretched { center: self.center.as_dvec3() - origin.as_dvec3(), axes }
    }
}

impl BoundingVolume for BoundingEllipsoid {
    fn around_points(points: &[Vec3]) -> Result<Self, BoundsError> {
        Cloud::of_points(points).map(|cloud| Self::fitted(&cloud))
    }

    fn around_shape(shape: &Shape) -> Result<Self, BoundsError> {
        Cloud::of_shape(shape).map(|cloud| Self::fitted(&cloud))
    }

    fn center(&self) -> Vec3 {
        self.center
    }

    fn merged(&self, other: &Self) -> Self {
        let both = [self, other].map(|ellipsoid| ellipsoid.stretched_from(self.center));
        Self::fitted(&Cloud::of(self.center, vec![], both.to_vec(), &[]))
    }

    fn overlaps(&self, other: &Self) -> bool {
        let [a, b] = [self, other].map(|ellipsoid| ellipsoid.stretched_from(self.center));
        let found = separate(|along| a.support(along), |along| b.support(along), a.center - b.center, 0.0);
        matches!(found, Separation::Within(_))
    }

    fn contains(&self, point: Vec3) -> bool {
        let offset = point.as_dvec3() - self.center.as_dvec3();
        let local = axes_of(self.rotation).transpose() * offset;
        let radii = self.radii.as_dvec3() + ROUNDING * offset.length();
        let part = |along: f64, radius: f64| if along == 0.0 { 0.0 } else { (along / radius) * (along / radius) };
        part(local.x, radii.x) + part(local.y, radii.y) + part(local.z, radii.z) <= 1.0 + ROUNDING
    }

    fn moved(&self, pose: &LocalPose) -> Self {
        let turn = pose.rotation.as_dquat().normalize();
        let before = self.center.as_dvec3();
        let after = turn * before + pose.position.as_dvec3();
        let center = nearest(after);
        let radii = self.radii.as_dvec3();
        let size = radii.max_element();
        let slack = motion_slack(before.length() + size, after.length() + size);
        let rotation = (turn * self.rotation.as_dquat().normalize()).normalize().as_quat();
        let axes = DMat3::from_quat(turn) * self.stretched_from(self.center).axes;
        let moved = Stretched { center: after - center.as_dvec3(), axes };
        Self::scaled(&Cloud::of(center, vec![], vec![moved], &[]), center, rotation, radii, slack)
    }

    fn volume(&self) -> f32 {
        (4.0 / 3.0 * PI * self.radii.as_dvec3().element_product()) as f32
    }

    /// By Carlson's symmetric elliptic integral: 4π·R_G(a²b², b²c², c²a²).
    fn surface_area(&self) -> f32 {
        let squares = self.radii.as_dvec3() * self.radii.as_dvec3();
        let products = [squares.x * squares.y, squares.y * squares.z, squares.z * squares.x];
        (4.0 * PI * carlson_g(products)) as f32
    }
}

/// Carlson's integral R_G by duplication of R_F and R_D, which halves the spread of the arguments four times over in
/// each round. Source: Carlson, 1979, doi:10.1007/BF01396491.
fn carlson_g(mut arguments: [f64; 3]) -> f64 {
    arguments.sort_by(f64::total_cmp);
    let [least, middle, greatest] = arguments;
    // Two of the three vanish if a radius does: the flat ellipse that is left counts on both sides.
    if middle <= 0.0 {
        return 0.5 * greatest.sqrt();
    }
    // The middle one in the last place keeps the terms of the sum below from cancelling.
    let (x, y, z) = (least / greatest, 1.0, middle / greatest);
    let (mut a, mut b, mut c) = (x, y, z);
    let (mut sum, mut factor) = (0.0, 1.0);
    for _ in 0..40 {
        let lambda = (a * b).sqrt() + (b * c).sqrt() + (c * a).sqrt();
        sum += factor / (c.sqrt() * (c + lambda));
        factor *= 0.25;
        (a, b, c) = (0.25 * (a + lambda), 0.25 * (b + lambda), 0.25 * (c + lambda));
    }
    // After so many rounds the three are equal to f64 precision, where both integrals are powers.
    let f = 1.0 / a.sqrt();
    let d = 3.0 * sum + factor / (a * a.sqrt());
    0.5 * greatest.sqrt() * (z * f - (x - z) * (y - z) * d / 3.0 + (x * y / z).sqrt())
}
