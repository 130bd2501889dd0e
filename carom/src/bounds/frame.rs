//! Which way a cloud is turned: axes and frames for volumes that have an orientation.
//!
//! Candidates are the principal axes (eigenvectors of the covariance), the frames of the parts, the coordinate axes,
//! and for a thorough search the normals of the 32 largest faces of the convex hull. A frame is improved by looking
//! along one of its axes at a time and turning the other two along the rectangle of least area there; the volume falls
//! with every turn that is kept. Stops when no axis gives 10⁻⁴ any more, or after 8 rounds. A box in any position is
//! found exactly; in general the result is a local least, never worse than the axis-aligned box. O(n log n) a turn.
//! Source: the principal axes after Gottschalk, Lin and Manocha, 1996, doi:10.1145/237170.237244; the turning after
//! Barequet and Har-Peled, 2001, doi:10.1006/jagm.2000.1127, who project along a grid of directions instead.

use super::cloud::{Cloud, Effort};
use super::smallest_rectangle::smallest_rectangle_side;
use crate::mass::principal;
use crate::shape::ConvexHull;
use glam::{DMat3, DQuat, DVec2, DVec3, Quat, Vec3};

/// The most hull faces whose normals are tried.
const FACES: usize = 32;

/// The rotation, as f32 keeps it, whose box around the cloud is smallest among those tried.
pub(super) fn best_rotation(cloud: &Cloud) -> Quat {
    let mut samples = cloud.samples();
    let principal = DQuat::from_mat3(&principal_frame(&samples));
    let starts = cloud.frames.iter().copied().chain([principal]).map(narrowed);
    // The first frame is not turned; listed first, it also wins ties.
    let mut candidates: Vec<(Quat, f64)> = starts.map(|start| (start, box_score(cloud, start))).collect();
    match cloud.effort {
        Effort::Quick => {
            let start = least(&candidates);
            candidates.push(improved(cloud, &samples, start));
        }
        Effort::Thorough => {
            if let Some(hull) = hull_of(&samples) {
                // Whatever touches a box around the cloud is a vertex of the hull.
                samples = hull.vertices().iter().map(|vertex| vertex.as_dvec3()).collect();
                let over_faces = largest_normals(&hull).into_iter().map(|normal| {
                    let (u, v) = normal.any_orthonormal_pair();
                    turned_about(cloud, &samples, [normal, u, v])
                });
                candidates.push((least(&over_faces.collect::<Vec<_>>()), f64::INFINITY));
            }
            for start in 0..candidates.len() {
                candidates.push(improved(cloud, &samples, candidates[start].0));
            }
        }
    }
    least(&candidates)
}

/// The rotation of the least score.
fn least(candidates: &[(Quat, f64)]) -> Quat {
    let lesser = |a: (Quat, f64), b: (Quat, f64)| if b.1 < a.1 { b } else { a };
    candidates.iter().copied().reduce(lesser).map_or(Quat::IDENTITY, |(rotation, _)| rotation)
}

/// The convex hull of the samples in f32: good enough to choose from.
fn hull_of(samples: &[DVec3]) -> Option<ConvexHull> {
    let narrow: Vec<Vec3> = samples.iter().map(|sample| sample.as_vec3()).collect();
    ConvexHull::new(&narrow).ok()
}

/// The unit normals of the largest faces.
fn largest_normals(hull: &ConvexHull) -> Vec<DVec3> {
    let normal_and_area = |face: usize| {
        let normal = hull.doubled_face_area(face);
        (normal.length(), normal)
    };
    let mut normals: Vec<(f64, DVec3)> = (0..hull.face_count()).map(normal_and_area).collect();
    normals.sort_by(|a, b| b.0.total_cmp(&a.0));
    normals.iter().take(FACES).filter_map(|(_, normal)| normal.try_normalize()).collect()
}

/// Unit vectors that a long cloud may run along, or a round one be round about.
pub(super) fn likely_axes(cloud: &Cloud) -> Vec<DVec3> {
    let samples = cloud.samples();
    let mut axes: Vec<DVec3> = Vec::with_capacity(10 + 3 * cloud.frames.len());
    let mut add = |frame: DMat3| axes.extend([frame.x_axis, frame.y_axis, frame.z_axis]);
    add(principal_frame(&samples));
    match cloud.effort {
        Effort::Thorough => {
            cloud.frames.iter().for_each(|frame| add(DMat3::from_quat(*frame)));
            add(axes_of(best_rotation(cloud)));
        }
        // The volumes merged have turned their frames so that y is along their axes.
        Effort::Quick => axes.extend(cloud.frames.iter().skip(1).map(|frame| *frame * DVec3::Y)),
    }
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
    principal::axes(covariance).1
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
    for _round in 0..8 {
        let before = best.1;
        for axis in 0..3 {
            let frame = axes_of(best.0);
            let turned = turned_about(cloud, samples, [0, 1, 2].map(|step| frame.col((axis + step) % 3)));
            if turned.1 < best.1 {
                best = turned;
            }
        }
        if best.1 >= before * (1.0 - 1e-4) {
            break;
        }
    }
    best
}

/// The frame turned about its first axis so that the rectangle around the samples seen along it is least.
fn turned_about(cloud: &Cloud, samples: &[DVec3], [along, u, v]: [DVec3; 3]) -> (Quat, f64) {
    let mut flat = samples.iter().map(|point| DVec2::new(u.dot(*point), v.dot(*point))).collect();
    let side = smallest_rectangle_side(&mut flat);
    let turned = u * side.x + v * side.y;
    let rotation = narrowed(DQuat::from_mat3(&DMat3::from_cols(along, turned, along.cross(turned))));
    (rotation, box_score(cloud, rotation))
}

/// The nearest f32 rotation, without the rounding of f64 that would tilt what lies in a coordinate plane out of it.
fn narrowed(rotation: DQuat) -> Quat {
    let [x, y, z, w] = rotation.to_array().map(|part| if part.abs() < 1e-14 { 0.0 } else { part as f32 });
    Quat::from_xyzw(x, y, z, w).normalize()
}
