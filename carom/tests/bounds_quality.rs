//! How tight the fits are, against brute force, closed forms and one another.

mod bounds_oracle;
mod meshes;
mod random;

use bounds_oracle::{CLOUD_KINDS, Oracle, cloud, reach};
use carom::bounds::{
    Aabb, BoundingCapsule, BoundingCylinder, BoundingEllipsoid, BoundingHull, BoundingSphere, BoundingVolume, Kdop,
    OrientedBox, SphereFit,
};
use carom::prelude::*;
use fastrand::Rng;
use glam::{DMat3, DVec3};
use meshes::{FOLDER, read_obj};
use random::{rotation_often_aligned, vector};

fn radius(points: &[Vec3], fit: SphereFit) -> f64 {
    BoundingSphere::fitted_to_points(points, fit).unwrap().radius().into()
}

#[test]
fn ritter_is_within_a_fifth_of_welzl_and_welzl_is_never_larger() {
    let mut random = Rng::with_seed(101);
    let mut worst = [0.0_f64; CLOUD_KINDS as usize];
    let mut mean = [0.0_f64; CLOUD_KINDS as usize];
    let rounds = 2_000;
    for _ in 0..rounds {
        for kind in 0..CLOUD_KINDS {
            let count = random.usize(1..200);
            let points = cloud(&mut random, kind, count);
            let exact = radius(&points, SphereFit::Welzl);
            let (ritter, boxed) = (radius(&points, SphereFit::Ritter), radius(&points, SphereFit::BoxCenter));
            assert!(exact <= ritter * (1.0 + 1e-6) && exact <= boxed * (1.0 + 1e-6), "{exact} {ritter} {boxed}");
            assert!(boxed <= exact * 3f64.sqrt() * (1.0 + 1e-6));
            let ratio = if exact > 0.0 { ritter / exact } else { 1.0 };
            worst[kind as usize] = worst[kind as usize].max(ratio);
            mean[kind as usize] += ratio / f64::from(rounds);
        }
    }
    println!("Ritter over Welzl, by kind of cloud: worst {worst:.3?}, mean {mean:.3?}");
    assert!(worst.iter().all(|ratio| *ratio <= 1.2), "{worst:?}");
}

/// The smallest ball by trying every ball that up to four points fix, with a linear solver of its own.
fn brute_force_radius(points: &[DVec3]) -> f64 {
    let mut best = f64::INFINITY;
    let n = points.len();
    let mut try_center = |center: DVec3| {
        best = best.min(points.iter().map(|point| point.distance(center)).fold(0.0, f64::max));
    };
    for a in 0..n {
        try_center(points[a]);
        for b in a + 1..n {
            try_center(0.5 * (points[a] + points[b]));
            for c in b + 1..n {
                let normal = (points[b] - points[a]).cross(points[c] - points[a]);
                let rows = [points[b] - points[a], points[c] - points[a], normal];
                try_solve(points[a], rows, true, &mut try_center);
                for d in c + 1..n {
                    let rows = [points[b] - points[a], points[c] - points[a], points[d] - points[a]];
                    try_solve(points[a], rows, false, &mut try_center);
                }
            }
        }
    }
    best
}

/// The point equally far from `base` and from `base + row` for each row; in the plane of the first two if asked for.
fn try_solve(base: DVec3, rows: [DVec3; 3], in_plane: bool, try_center: &mut impl FnMut(DVec3)) {
    let matrix = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
    if matrix.determinant().abs() > 1e-12 {
        let last = if in_plane { 0.0 } else { 0.5 * rows[2].length_squared() };
        let right = DVec3::new(0.5 * rows[0].length_squared(), 0.5 * rows[1].length_squared(), last);
        try_center(base + matrix.inverse() * right);
    }
}

#[test]
fn welzl_finds_the_smallest_ball_of_brute_force() {
    let mut random = Rng::with_seed(102);
    for case in 0..3_000 {
        let count = random.usize(1..=12);
        let points = cloud(&mut random, case % CLOUD_KINDS, count);
        let expected = brute_force_radius(&points.iter().map(|point| point.as_dvec3()).collect::<Vec<_>>());
        let found = radius(&points, SphereFit::Welzl);
        assert!((found - expected).abs() <= 1e-6 * expected + 1e-9, "{found} instead of {expected}: {points:?}");
    }
}

fn mesh_vertices() -> Vec<(String, Vec<Vec3>)> {
    let folders = [FOLDER.to_string(), format!("{FOLDER}/fcl")];
    let mut paths: Vec<_> = folders.iter().flat_map(std::fs::read_dir).flatten().flatten().map(|e| e.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "obj"));
    paths.sort();
    if paths.is_empty() {
        println!("SKIPPED: no meshes under {FOLDER}");
    }
    let named = |path: std::path::PathBuf| {
        let vertices = read_obj(&std::fs::read_to_string(&path).unwrap()).0;
        (path.file_name().unwrap().to_string_lossy().into(), vertices)
    };
    paths.into_iter().map(named).collect()
}

#[test]
fn an_oriented_box_is_never_larger_than_the_axis_aligned_one() {
    let check = |points: &[Vec3]| {
        let (boxed, oriented) = (Aabb::around_points(points).unwrap(), OrientedBox::around_points(points).unwrap());
        // Boxes without a volume are told apart by their area or length, as if they were a little thick.
        let thickness = 1e-9 * reach(points);
        let volume = |half_extents: Vec3| (2.0 * half_extents.as_dvec3() + thickness).element_product();
        let (aligned, turned) = (volume(boxed.half_extents()), volume(oriented.half_extents()));
        assert!(turned <= 1.05 * aligned, "{turned} > {aligned}: {points:?} {oriented:?}");
        if aligned > 0.0 { turned / aligned } else { 1.0 }
    };
    let mut random = Rng::with_seed(103);
    let (mut mean, mut worst) = ([0.0_f64; CLOUD_KINDS as usize], 0.0_f64);
    for _ in 0..300 {
        for kind in 0..CLOUD_KINDS {
            let count = random.usize(1..100);
            let ratio = check(&cloud(&mut random, kind, count));
            (mean[kind as usize], worst) = (mean[kind as usize] + ratio / 300.0, worst.max(ratio));
        }
    }
    println!("oriented over axis-aligned volume, by kind of cloud: mean {mean:.3?}, worst {worst:.6}");
    for (name, points) in mesh_vertices() {
        println!("{name}: {} vertices, {:.4}", points.len(), check(&points));
    }
}

#[test]
fn a_turned_box_is_found_whatever_points_are_on_it() {
    let mut random = Rng::with_seed(104);
    for _ in 0..300 {
        let (turn, half) = (rotation_often_aligned(&mut random), (vector(&mut random, 1.0).abs() + 0.1));
        let corners = (0..8).map(|corner| {
            let sign = |axis: u32| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
            turn * (half * Vec3::new(sign(0), sign(1), sign(2)))
        });
        // More points in one corner pull the principal axes away from the box's own.
        let more: Vec<Vec3> = (0..60).map(|_| turn * (half * (Vec3::splat(0.8) + vector(&mut random, 0.2)))).collect();
        let points: Vec<Vec3> = corners.chain(more).collect();
        let found = OrientedBox::around_points(&points).unwrap();
        assert!(found.volume() <= 8.0 * half.element_product() * 1.0001, "{found:?} {half}");
    }
}

#[test]
fn more_directions_never_make_a_k_dop_larger() {
    let mut random = Rng::with_seed(105);
    let mut sums = [0.0; 4];
    for case in 0..3_000 {
        let count = random.usize(1..60);
        let points = cloud(&mut random, case % CLOUD_KINDS, count);
        let volumes: [f64; 4] = [
            Kdop::<6>::around_points(&points).unwrap().volume().into(),
            Kdop::<14>::around_points(&points).unwrap().volume().into(),
            Kdop::<18>::around_points(&points).unwrap().volume().into(),
            Kdop::<26>::around_points(&points).unwrap().volume().into(),
        ];
        let [six, fourteen, eighteen, twenty_six] = volumes;
        let room = 1e-6 * six + 1e-12;
        assert!(twenty_six <= fourteen + room && twenty_six <= eighteen + room, "{volumes:?}");
        assert!(fourteen <= six + room && eighteen <= six + room, "{volumes:?}");
        assert!((six - f64::from(Aabb::around_points(&points).unwrap().volume())).abs() <= room, "{volumes:?}");
        (0..4).for_each(|k| sums[k] += volumes[k]);
    }
    println!(
        "mean volume of the k-DOP over that of the box: {:?}",
        sums.map(|sum| (sum / sums[0] * 1e3).round() / 1e3)
    );
}

/// The part of random points of a box around the volume that lie in it.
fn sampled_volume<V: Oracle>(volume: &V, random: &mut Rng, half: f64) -> f64 {
    let count = 200_000;
    let draw = |random: &mut Rng| (2.0 * random.f64() - 1.0) * half;
    let inside = (0..count).filter(|_| {
        let offset = DVec3::new(draw(random), draw(random), draw(random));
        volume.outside(volume.center().as_dvec3() + offset) <= 0.0
    });
    (2.0 * half).powi(3) * inside.count() as f64 / f64::from(count)
}

/// The volume by counting points, and the surface as the growth of the enclosing volume per margin for the round.
fn volume_matches_sampling<V: Oracle>() {
    let mut random = Rng::with_seed(106);
    for kind in [0, 1, 6, 8] {
        let points: Vec<Vec3> = cloud(&mut random, kind, 30).iter().map(|point| *point + Vec3::splat(20.0)).collect();
        let volume = V::around_points(&points).unwrap();
        let half = 2.0 * Aabb::around_points(&points).unwrap().half_extents().max_element();
        let (found, sampled) = (f64::from(volume.volume()), sampled_volume(&volume, &mut random, half.into()));
        // Four deviations of the count, or what sticks out of the sampled box.
        let deviation = 4.0 * (sampled * (2.0 * f64::from(half)).powi(3) / 2e5).sqrt();
        assert!((found - sampled).abs() <= deviation + 1e-3 * found, "{} {found} {sampled}", V::NAME);
        // No body of this volume has less surface than the ball.
        let least = 36f64.cbrt() * std::f64::consts::PI.cbrt() * found.powf(2.0 / 3.0);
        assert!(f64::from(volume.surface_area()) >= least * (1.0 - 1e-5), "{}", V::NAME);
    }
}

#[test]
fn volumes_match_the_counting_of_points() {
    for_every_volume!(volume_matches_sampling);
}

fn near(found: f32, expected: f64) {
    assert!((f64::from(found) - expected).abs() <= 3e-5 * expected, "{found} instead of {expected}");
}

#[test]
fn volumes_and_surfaces_match_their_closed_forms() {
    let pi = std::f64::consts::PI;
    let sphere = BoundingSphere::around_shape(&Shape::sphere(2.0).unwrap()).unwrap();
    near(sphere.volume(), 32.0 / 3.0 * pi);
    near(sphere.surface_area(), 16.0 * pi);
    let capsule = BoundingCapsule::around_shape(&Shape::capsule(1.5, 0.5).unwrap()).unwrap();
    near(capsule.volume(), pi * 0.25 * (3.0 + 2.0 / 3.0));
    near(capsule.surface_area(), 2.0 * pi * 0.5 * (3.0 + 1.0));
    let cylinder = BoundingCylinder::around_shape(&Shape::cylinder(1.5, 0.5).unwrap()).unwrap();
    near(cylinder.volume(), pi * 0.25 * 3.0);
    near(cylinder.surface_area(), 2.0 * pi * 0.5 * 3.5);
    let cuboid = Shape::cuboid(1.0, 2.0, 3.0).unwrap();
    let oriented = OrientedBox::around_shape(&cuboid).unwrap();
    near(oriented.volume(), 48.0);
    near(oriented.surface_area(), 88.0);
    let hull = BoundingHull::around_shape(&cuboid).unwrap();
    near(hull.volume(), 48.0);
    near(hull.surface_area(), 88.0);
    // A rounded box: faces, a quarter of a cylinder along each edge, an eighth of a ball at each corner.
    let hull = BoundingHull::around_shape(&cuboid.rounded(0.5).unwrap()).unwrap();
    near(hull.volume(), 48.0 + 88.0 * 0.5 + pi * 0.25 * 12.0 + pi / 6.0);
    near(hull.surface_area(), 88.0 + 2.0 * pi * 0.5 * 12.0 + pi);
    // A prolate and an oblate ellipsoid have elementary formulas.
    let prolate = BoundingEllipsoid::around_shape(&Shape::ellipsoid(1.0, 2.0, 1.0).unwrap()).unwrap();
    let eccentricity = 0.75_f64.sqrt();
    near(prolate.surface_area(), 2.0 * pi * (1.0 + 2.0 / eccentricity * eccentricity.asin()));
    let oblate = BoundingEllipsoid::around_shape(&Shape::ellipsoid(2.0, 1.0, 2.0).unwrap()).unwrap();
    near(oblate.surface_area(), 2.0 * pi * (4.0 + eccentricity.atanh() / eccentricity));
    let needle = BoundingEllipsoid::around_shape(&Shape::ellipsoid(1.0, 1.0, 1e-3).unwrap()).unwrap();
    assert!((needle.surface_area() - 2.0 * pi as f32).abs() < 1e-3, "{needle:?}");
    near(BoundingEllipsoid::around_shape(&Shape::sphere(2.0).unwrap()).unwrap().surface_area(), 16.0 * pi);
    // A cube with its corners or edges cut off: the 14-DOP and 18-DOP of a ball.
    let ball = Shape::sphere(1.0).unwrap();
    near(Kdop::<6>::around_shape(&ball).unwrap().surface_area(), 24.0);
    let third = 3.0 - 3f64.sqrt();
    near(Kdop::<14>::around_shape(&ball).unwrap().volume(), 8.0 - 8.0 * third.powi(3) / 6.0 + corner_overlap(third));
    for (volume, area) in [
        (Kdop::<14>::around_shape(&ball).unwrap().volume(), Kdop::<14>::around_shape(&ball).unwrap().surface_area()),
        (Kdop::<18>::around_shape(&ball).unwrap().volume(), Kdop::<18>::around_shape(&ball).unwrap().surface_area()),
        (Kdop::<26>::around_shape(&ball).unwrap().volume(), Kdop::<26>::around_shape(&ball).unwrap().surface_area()),
    ] {
        // Every face touches the unit ball, so volume is a third of the surface.
        near(volume, f64::from(area) / 3.0);
    }
}

/// What two cuts of adjacent corners of the cube, each reaching `leg` along the edges of length 2, take away twice.
fn corner_overlap(leg: f64) -> f64 {
    let over = (2.0 * leg - 2.0).max(0.0);
    // Along each of the 12 edges the two pyramids share a tetrahedron whose cross-sections are right triangles.
    12.0 * over.powi(3) / 24.0
}
