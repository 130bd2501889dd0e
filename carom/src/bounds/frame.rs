//! Which way a cloud is turned: axes and frames for volumes that have an orientation.
//!
//! Candidates are the principal axes (eigenvectors of the covariance), the frames of the parts and the coordinate
//! axes. From each of them the frame is improved by looking along one of its axes at a time and turning the other two
//! along the rectangle of least area there; the volume falls with every turn that is kept. Stops when no axis gives
//! 10⁻⁴ any more, or after 8 rounds. A box in any position is found exactly; in general the result is a local least,
//! never worse than the axis-aligned box. O(n log n) a turn.
//! Source: the principal axes after Gottschalk, Lin and Manocha, 1996, doi:10.1145/237170.237244; the turning after
//! Barequet and Har-Peled, 2001, doi:10.1006/jagm.2000.1127, who project along many more directions.

use super::cloud::Cloud;
use super::eigen::symmetric_eigen;
use super::smallest_rectangle::smallest_rectangle_side;
use glam::{DMat3, DQuat, DVec2, DVec3, Quat};

/// The rotation, as f32 keeps it, whose box around the cloud is smallest among those tried.
pub(super) fn best_rotation(cloud: &Cloud) -> Quat {
    let samples = cloud.samples();
    let starts = cloud.frames.iter().copied().chain([DQuat::from_mat3(&principal_frame(&samples))]);
    let mut best = (Quat::IDENTITY, box_score(cloud, Quat::IDENTITY));
    for start in starts {
        let improved = improved(cloud, &samples, start.as_quat());
        if improved.1 < best.1 {
            best = improved;
        }
    }
    best.0
}

/// Unit vectors that a long cloud may run along, or a round one be round about.
pub(super) fn likely_axes(cloud: &Cloud) -> Vec<DVec3> {
    let samples = cloud.samples();
    let mut axes: Vec<DVec3> = Vec::with_capacity(10 + 3 * cloud.frames.len());
    let mut add = |frame: DMat3| axes.extend([frame.x_axis, frame.y_axis, frame.z_axis]);
    cloud.frames.iter().for_each(|frame| add(DMat3::from_quat(*frame)));
    add(principal_frame(&samples));
    add(axes_of(best_rotation(cloud)));
    let farthest_from = |from: DVec3| {
        let farther = |a: DVec3, b: DVec3| if b.distance_squared(from) > a.distance_squared(from) { b } else { a };
        samples.iter().copied().fold(from, farther)
    };
    let one_end = farthest_from(DVec3::ZERO);
    axes.extend((farthest_from(one_end) - one_end).try_normalize());
    axes
}

/// The axes of an f32 rotation as the columns of an f64 matrix, orthonormal to f64 precision: what a volume with this
/// rotation means by its axes.
pub(super) fn axes_of(rotation: Quat) -> DMat3 {
    DMat3::from_quat(rotation.as_dquat().normalize())
}

/// The principal axes of points.
pub(super) fn principal_frame(points: &[DVec3]) -> DMat3 {
    let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let covariance = points.iter().fold(DMat3::ZERO, |sum, point| {
        let offset = *point - mean;
        sum + DMat3::from_cols(offset * offset.x, offset * offset.y, offset * offset.z)
    });
    symmetric_eigen(covariance).1
}

/// The volume of the box with this rotation; where that is zero the lesser extents still count.
fn box_score(cloud: &Cloud, rotation: Quat) -> f64 {
    let axes = axes_of(rotation);
    let extents = DMat3::to_cols_array_2d(&axes).map(|axis| cloud.extent_along(axis.into()));
    let thickness = 1e-9 * cloud.reach();
    extents.iter().map(|(least, greatest)| greatest - least + thickness).product()
}

fn improved(cloud: &Cloud, samples: &[DVec3], start: Quat) -> (Quat, f64) {
    let mut best = (start, box_score(cloud, start));
    let mut flat = Vec::with_capacity(samples.len());
    for _round in 0..8 {
        let before = best.1;
        for axis in 0..3 {
            let frame = axes_of(best.0);
            let [along, u, v] = [0, 1, 2].map(|step| frame.col((axis + step) % 3));
            flat.clear();
            flat.extend(samples.iter().map(|point| DVec2::new(u.dot(*point), v.dot(*point))));
            let side = smallest_rectangle_side(&mut flat);
            let turned = u * side.x + v * side.y;
            let rotation =
                DQuat::from_mat3(&DMat3::from_cols(along, turned, along.cross(turned))).normalize().as_quat();
            let score = box_score(cloud, rotation);
            if score < best.1 {
                best = (rotation, score);
            }
        }
        if best.1 >= before * (1.0 - 1e-4) {
            break;
        }
    }
    best
}
