//! Faults that the oracles of the `proof_…` tests have found, each as small as it could be made.

mod proof_support;
mod random;

use carom::glam::{DVec3, Quat, Vec3};
use carom::narrow::{LocalManifold, contact};
use carom::pose::{LocalPose, Pose};
use carom::query::{self, Distance};
use carom::shape::Shape;
use proof_support::directions::{Outcome, prove_depth};
use proof_support::judge::{self, DEPTH_BAR, DISTANCE_BAR};
use proof_support::minimum_norm;
use proof_support::pair::Pair;
use proof_support::solids::{Kind, Solid};

fn at(place: [f64; 3], turn: [f32; 4]) -> Pose {
    Pose::new(place.into(), Quat::from_array(turn))
}

/// The order, with the pose of the second seen from the place of the first.
fn of_kinds(a: (Kind, u64, f32), turn_a: [f32; 4], b: (Kind, u64, f32), b_in_world: Pose) -> [(Solid, Pose); 2] {
    let solid = |(kind, seed, scale)| Solid::random(kind, seed, scale);
    [(solid(a), at([0.0; 3], turn_a)), (solid(b), b_in_world)]
}

/// The sliver of a tetrahedron that holds the origin has weights that are mostly rounding, so the point made of them is
/// in the first shape only: off by up to 3 % of the smaller one's size.
#[test]
fn common_points_are_in_both() {
    let found = [
        of_kinds(
            (Kind::Hull32, 37, 1.0),
            [2.7873024e-1, -7.5106704e-1, 1.767804e-1, 5.71801e-1],
            (Kind::Hull32, 21, 1e-4),
            at(
                [-5.445310579184862e-1, -5.886236850174175e-2, 6.721972850437157e-1],
                [-1.22041345e-1, -2.8451907e-2, 4.1907296e-1, 8.992632e-1],
            ),
        ),
        of_kinds(
            (Kind::Hull32, 17, 1.0),
            [-2.087003e-1, -5.103813e-1, -1.291255e-1, 8.241855e-1],
            (Kind::Ellipsoid, 23, 1e-4),
            at(
                [7.261164324281683e-1, 1.775764452976828e-1, 6.244932644804854e-1],
                [-4.369387e-1, 2.948181e-1, -3.3557674e-1, 7.807402e-1],
            ),
        ),
        of_kinds(
            (Kind::Cuboid, 34, 1.0),
            [5.044795e-1, -8.4540814e-1, 3.0384103e-2, 1.7280735e-1],
            (Kind::Cuboid, 22, 1e-4),
            at(
                [-3.739633137287506e-1, -2.453517812559033e-1, 1.190622585460677e0],
                [-4.7860342e-1, 6.2207085e-1, 4.9375343e-1, 3.7439844e-1],
            ),
        ),
    ];
    for [(a, pose_a), (b, pose_b)] in &found {
        let pair = Pair::new(a, *pose_a, b, *pose_b);
        let answer = query::distance(&a.shape, pose_a, &b.shape, pose_b).unwrap();
        let error = judge::distance(&pair, &answer, DVec3::X).unwrap();
        assert!(error <= DISTANCE_BAR, "off by {error:e} of the size: {answer:?}\n{}", pair.recipe());
    }
}

/// Apart by 4.5e-12 and 4.8e-11, but said to overlap with an upper bound of zero: the same slivers.
#[test]
fn pairs_that_are_apart_by_little_have_true_bounds() {
    let found = [
        of_kinds(
            (Kind::Hull256, 30, 1.0),
            [0.0, 0.0, 0.0, 1.0],
            (Kind::Cone, 41, 1.0),
            at(
                [0.967628286452964, 0.17648775409907103, 0.49632175941951573],
                [2.5895423e-1, -5.0171787e-1, 7.915728e-1, 2.3374033e-1],
            ),
        ),
        of_kinds(
            (Kind::Hull256, 39, 0.1),
            [6.3490945e-1, 4.4673637e-1, -4.0982944e-1, 4.7891182e-1],
            (Kind::Cone, 4, 1.0),
            at(
                [0.3688078646082431, -0.2360811495454982, -0.5903523842571303],
                [-4.274973e-1, 7.6770824e-1, 3.9575112e-1, -2.6692912e-1],
            ),
        ),
    ];
    for [(a, pose_a), (b, pose_b)] in &found {
        let pair = Pair::new(a, *pose_a, b, *pose_b);
        let truth = minimum_norm::distance(&pair, 1e-15);
        let answer = query::distance(&a.shape, pose_a, &b.shape, pose_b).unwrap();
        assert!(answer.upper() >= truth.lower - 1e-14, "{answer:?}, in truth {truth:?}\n{}", pair.recipe());
        let deep = query::penetration(&a.shape, pose_a, &b.shape, pose_b).unwrap();
        assert!(deep.lower <= -truth.lower + 1e-14, "{deep:?}, in truth {truth:?}\n{}", pair.recipe());
        assert!(deep.lower <= deep.depth && deep.depth <= deep.upper, "{deep:?}");
    }
}

/// A tiny cylinder beside the edge of a box, upright: the search ends by rounding with a distance that is off by 1.6e-5 of
/// the cylinder's size. Its bounds hold the truth.
#[test]
fn a_tiny_cylinder_beside_an_edge_has_its_distance() {
    let (a, b) = (Solid::random(Kind::Cuboid, 2, 1.0), Solid::random(Kind::Cylinder, 22, 1e-4));
    let pose_b = at(
        [-7.348081849340578e-1, -3.900555723177349e-1, -2.649538253622018e-1],
        [0.0, 0.0, -std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::FRAC_1_SQRT_2],
    );
    let pair = Pair::new(&a, Pose::IDENTITY, &b, pose_b);
    let found = query::distance(&a.shape, &pair.pose_a, &b.shape, &pair.pose_b).unwrap();
    judge::distance(&pair, &found, DVec3::NEG_X).unwrap();
}

/// A small box sunk into the top of a large one, away from its middle.
#[test]
fn deepest_points_are_opposite_each_other() {
    let (large, small) = (Shape::cuboid(1.0, 1.0, 1.0).unwrap(), Shape::cuboid(0.1, 0.1, 0.1).unwrap());
    for turn in [Quat::IDENTITY, Quat::from_rotation_y(0.3)] {
        let pose_b = Pose::new(DVec3::new(0.7, 1.09, 0.3), turn);
        let found = query::penetration(&large, &Pose::IDENTITY, &small, &pose_b).unwrap();
        assert!((found.depth - 0.01).abs() < 1e-7 && found.normal == Vec3::Y, "{found:?}");
        let astray = (found.on_a - found.on_b - DVec3::Y * found.depth).length();
        assert!(astray < 1e-6, "apart by {astray} sideways: {found:?}");
    }
}

/// Upright solids sunk by 0.1 or 0.0001 into the top of a cube: the ellipsoid over its middle has a corner of the cube
/// for its deepest point, the cylinder one that is 0.35 aside.
#[test]
fn deepest_points_of_a_solid_on_a_cube_are_opposite_each_other() {
    let cube = Shape::cuboid(1.0, 1.0, 1.0).unwrap();
    let solids = [Shape::ellipsoid(0.5, 0.7, 0.9), Shape::cylinder(0.7, 0.5), Shape::cone(0.7, 0.5)];
    for solid in solids.map(Result::unwrap) {
        for place in [[0.0, 1.6, 0.0], [0.3, 1.6, 0.2], [0.9, 1.6999, 0.9]] {
            let found = query::penetration(&cube, &Pose::IDENTITY, &solid, &Pose::at(place)).unwrap();
            assert!((found.depth - (1.7 - place[1])).abs() < 1e-6, "{found:?}");
            assert!(found.normal.distance(Vec3::Y) < 1e-6, "{found:?}");
            let astray = (found.on_a - found.on_b - DVec3::Y * found.depth).length();
            assert!(astray < 1e-3, "apart by {astray} sideways: {solid:?} at {place:?}: {found:?}");
        }
    }
}

/// Very unlike solids: the deepest point of the large one is anywhere on its face, far from the small one.
#[test]
fn deepest_points_of_unlike_solids_are_opposite_each_other() {
    let found = [
        of_kinds(
            (Kind::Cuboid, 21, 1.0),
            [0.0, 0.0, 0.0, 1.0],
            (Kind::Cuboid, 45, 1e-4),
            at(
                [-7.18358747067751e-1, -5.96588098388845e-1, 9.937003813978256e-1],
                [-7.065506e-1, -2.8040227e-2, 2.8040227e-2, 7.065506e-1],
            ),
        ),
        of_kinds(
            (Kind::Cylinder, 0, 1.0),
            [-3.4710053e-1, -1.597522e-1, -9.159031e-1, 1.2297137e-1],
            (Kind::Cylinder, 23, 1e-4),
            at(
                [4.3508909275689445e-1, 6.138479054137761e-1, -6.943192990785505e-1],
                [-1.9258906e-1, 6.444878e-1, 5.9600215e-2, 7.375587e-1],
            ),
        ),
        of_kinds(
            (Kind::Hull32, 47, 1e-4),
            [6.0311735e-1, -1.825979e-1, -6.205741e-1, -4.666853e-1],
            (Kind::Hull32, 9, 1.0),
            at(
                [9.995588567107916e-3, -3.457006171811372e-2, -2.8407860198058188e-2],
                [-5.2516025e-1, -4.00851e-1, -6.7266625e-1, 3.332345e-1],
            ),
        ),
        of_kinds(
            (Kind::Capsule, 10, 1.0),
            [6.837594e-1, -8.2029976e-2, 2.4928926e-1, -6.80881e-1],
            (Kind::Cone, 23, 1e-4),
            at(
                [9.887669228182334e-1, 2.085249033954542e-1, -5.454962095917968e-1],
                [1.02112554e-1, 2.9299822e-1, 6.1156374e-1, 7.278152e-1],
            ),
        ),
    ];
    for [(a, pose_a), (b, pose_b)] in &found {
        let pair = Pair::new(a, *pose_a, b, *pose_b);
        let answer = query::penetration(&a.shape, pose_a, &b.shape, pose_b).unwrap();
        let astray = judge::deepest_points(&pair, &answer);
        assert!(astray < 1e-3, "off by {astray:e} of the size: {answer:?}\n{}", pair.recipe());
    }
}

/// A cube turned by 1e-7 beside another, along a strip of one thousandth: they are apart by 1e-7, though along the normal
/// of the first they are not. A contact at the far corner of the second, two units away from the first, is none.
#[test]
fn contact_points_are_where_the_boxes_touch() {
    let cube = Shape::cuboid(1.0, 1.0, 1.0).unwrap();
    for (place, margin) in [([2.0, 1.999, 0.5], 0.0), ([2.0, 2.0, 0.5], 0.0), ([2.0, 1.999, 0.5], 1e-6)] {
        let pose = LocalPose::new(place.into(), Quat::from_xyzw(0.0, 0.0, 5e-8, 1.0));
        let manifold = contact(&cube, &cube, &pose, margin).unwrap();
        assert!(manifold.is_some() || margin == 0.0, "apart by 1e-7 only");
        for found in manifold.iter().flat_map(LocalManifold::contacts) {
            let in_b = pose.point_to_inner(found.point);
            let out = found.point.abs().max_element().max(in_b.abs().max_element()) - 1.0;
            assert!(out < 1e-3, "off by {out}: {manifold:?}");
        }
    }
}

/// A small box beside a large one, both upright, 0.0026 apart with a margin of 0.004.
#[test]
fn contact_points_of_unlike_boxes_are_where_they_touch() {
    let (small, large) = (Solid::random(Kind::Cuboid, 40, 1e-2), Solid::random(Kind::Cuboid, 46, 1.0));
    let pose = LocalPose::new(
        Vec3::new(0.802_062_9, 0.884_253_26, -0.614_215_6),
        Quat::from_xyzw(0.0, -7.0710677e-1, 0.0, 7.0710677e-1),
    );
    let manifold = contact(&small.shape, &large.shape, &pose, 4.126036e-3).unwrap().expect("nearer than the margin");
    for found in manifold.contacts() {
        let out = small.outside(found.point.as_dvec3());
        assert!(out < 5e-3, "off by {out}: {manifold:?}");
    }
}

/// A prism and a tetrahedron with an edge of each parallel to f32: the normal of the contact is that of two edges which
/// span no face of the difference. Along it they are 1.006 deep in each other, and 0.023 is what the contact says.
#[test]
fn contacts_of_hulls_with_parallel_edges_have_a_normal_that_frees() {
    let prism = [
        [0.23409349, 0.42418844, 0.0],
        [0.23409349, -0.42418844, 0.0],
        [-1.0232552e-8, 0.42418844, 0.3391395],
        [-1.0232552e-8, -0.42418844, 0.3391395],
        [-0.23409349, 0.42418844, -2.9648517e-8],
        [-0.23409349, -0.42418844, -2.9648517e-8],
        [2.791537e-9, 0.42418844, -0.3391395],
        [2.791537e-9, -0.42418844, -0.3391395],
    ];
    let tetrahedron = [
        [0.64141667, 0.11598743, 0.75837433],
        [0.39417094, -0.9095819, -0.13149142],
        [-0.057312112, 0.46810246, 0.8818137],
        [-0.3181649, -0.44780192, 0.8356103],
    ];
    let solid = |points: &[[f32; 3]]| {
        let points: Vec<Vec3> = points.iter().map(|point| Vec3::from_array(*point)).collect();
        Solid::of(Shape::hull(&points).unwrap(), String::new())
    };
    let (a, b) = (solid(&prism), solid(&tetrahedron));
    let pose = LocalPose::new(
        Vec3::new(-0.81470495, -1.0964749, 0.080475226),
        Quat::from_xyzw(0.53015035, 0.49490112, 0.5606921, -0.39954704),
    );
    let manifold = contact(&a.shape, &b.shape, &pose, 0.0).unwrap().expect("they overlap by 0.0246");
    let deepest = manifold.contacts().iter().map(|found| f64::from(found.depth)).fold(f64::NEG_INFINITY, f64::max);
    let pair = Pair::new(&a, Pose::IDENTITY, &b, Pose::new(pose.position.as_dvec3(), pose.rotation));
    let freed = -pair.gap(manifold.normal.as_dvec3().normalize());
    assert!((freed - deepest).abs() < 1e-5, "{freed} frees, {deepest} is said: {manifold:?}");
    assert!((deepest - 0.024584608).abs() < 1e-5, "{manifold:?}");
}

/// A ball against a segment that is far away, and against one so short that the square of its length is zero.
#[test]
fn contacts_of_a_ball_and_a_capsule_are_numbers() {
    let ball = Shape::sphere(1.0).unwrap();
    let segment = Shape::segment([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]).unwrap();
    let far = contact(&ball, &segment, &LocalPose::at([0.0, 1e30, 0.0]), 0.0).unwrap();
    assert!(far.is_none(), "{far:?}");
    let short = Shape::segment([0.0; 3], [1e-20, 0.0, 0.0]).unwrap();
    let near = contact(&short, &Shape::point(), &LocalPose::at([1.0, 0.0, 0.0]), 0.0).unwrap();
    assert!(near.is_none(), "{near:?}");
}

/// What a pair that is apart by nothing answers is one of the three, and never a panic.
#[test]
fn touching_solids_have_a_status() {
    let cube = Shape::cuboid(1.0, 1.0, 1.0).unwrap();
    let found = query::distance(&cube, &Pose::IDENTITY, &cube, &Pose::at([2.0, 2.0, 2.0])).unwrap();
    assert!(
        matches!(found, Distance::Overlapping { .. } | Distance::Undecided(_)) || found.value() < 1e-15,
        "{found:?}"
    );
}

/// A capsule of 1e-4 that touches one of size 1 by a ten-thousandth of its own size, less than f32 tells of the place of the
/// large one: no contact was found.
#[test]
fn a_tiny_capsule_that_touches_a_large_one_has_a_contact() {
    let (a, b) = (Solid::random(Kind::Capsule, 44, 1e-4), Solid::random(Kind::Capsule, 28, 1.0));
    let position = Vec3::new(-5.539_399e-1, -5.700_402_7e-2, 1.166_233_4);
    let pose = LocalPose::new(position, Quat::from_xyzw(8.128204e-1, -3.1297743e-1, -3.757719e-1, 3.1648642e-1));
    let manifold = contact(&a.shape, &b.shape, &pose, 0.0).unwrap().expect("they overlap by 1.2e-8");
    let [point] = manifold.contacts() else { panic!("{manifold:?}") };
    assert!((point.depth - 1.1674977e-8).abs() < 1e-11, "{manifold:?}");
}

/// Solids of 1e-4 next to the axis of a cone, which every direction around it frees with nearly as much: the depth search
/// ended at its limit, with a third of their size too much.
#[test]
fn small_solids_on_the_axis_of_a_cone_are_as_deep_as_they_are() {
    let upright = [0.0, 0.0, 0.0, 1.0];
    let turn = [3.0367628e-1, -1.5127385e-1, -1.9222552e-1, 9.2083997e-1];
    let found = [
        (Kind::Cone, at([2.5924830424628453e-6, 1.6758926212787628e-1, 9.285657142754644e-6], turn)),
        (Kind::Ellipsoid, at([2.8330457553238375e-6, 1.675841361284256e-1, 9.266093002224807e-6], turn)),
        (Kind::Ellipsoid, at([0.0, 0.167, 0.0], turn)),
        (Kind::Cuboid, at([1e-7, 0.165, -3e-7], turn)),
    ];
    for (kind, pose) in found {
        let [(a, pose_a), (b, pose_b)] = of_kinds((Kind::Cone, 36, 1.0), upright, (kind, 47, 1e-4), pose);
        let pair = Pair::new(&a, pose_a, &b, pose_b);
        let answer = query::penetration(&a.shape, &pose_a, &b.shape, &pose_b).unwrap();
        let target = answer.depth - DEPTH_BAR * pair.size();
        let outcome = prove_depth(&pair, target, 2_000_000);
        assert!(!matches!(outcome, Outcome::Refuted(..)), "{outcome:?}: {answer:?}\n{}", pair.recipe());
    }
}

/// A cone of 1e-4 that lies along the side of a large one: the line on the large one was beside it by a tenth of its size.
#[test]
fn contact_points_of_a_small_cone_on_a_large_one_are_on_both() {
    let (a, b) = (Solid::random(Kind::Cone, 22, 1e-4), Solid::random(Kind::Cone, 0, 1.0));
    let pose = LocalPose::new(
        Vec3::new(-6.391_14e-2, 8.448_223e-1, -3.845_137_4e-2),
        Quat::from_xyzw(3.4961173e-1, 7.437585e-1, -3.916071e-2, 5.683849e-1),
    );
    let pair = Pair::new(&a, Pose::IDENTITY, &b, Pose::new(pose.position.as_dvec3(), pose.rotation));
    let manifold = contact(&a.shape, &b.shape, &pose, 0.0).unwrap().expect("they overlap by 3e-9");
    assert_eq!(manifold.contacts().len(), 2, "{manifold:?}");
    for found in manifold.contacts() {
        let [out_a, out_b] = pair.outside(found.point.as_dvec3());
        assert!(out_a.max(out_b) < 2e-3 * pair.size(), "off by {out_a:e} and {out_b:e}: {manifold:?}");
    }
}
