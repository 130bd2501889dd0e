//! Boxes and hulls against separating axes in f64, all of them written out here; flat, huge and tiny ones among them.

mod contact_shapes;
mod random;

use carom::prelude::*;
use carom::shape::ConvexHull;
use contact_shapes::{collide, deepest, size};
use glam::DQuat;
use random::{between, direction, rotation, rotation_often_aligned, vector};

/// The corners, face normals and edge directions of a polytope, in f64.
struct Polytope {
    corners: Vec<DVec3>,
    normals: Vec<DVec3>,
    edges: Vec<DVec3>,
}

impl Polytope {
    fn cuboid(half: Vec3, turn: DQuat, position: DVec3) -> Self {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| turn * axis);
        let corner = |index: usize| {
            let signs = [0, 1, 2].map(|bit| if index >> bit & 1 == 1 { 1.0 } else { -1.0 });
            position + (0..3).map(|k| axes[k] * signs[k] * f64::from(half[k])).sum::<DVec3>()
        };
        Self { corners: (0..8).map(corner).collect(), normals: axes.to_vec(), edges: axes.to_vec() }
    }

    fn hull(hull: &ConvexHull, turn: DQuat, position: DVec3) -> Self {
        let corners: Vec<DVec3> = hull.vertices().iter().map(|vertex| turn * vertex.as_dvec3() + position).collect();
        let edges = hull.edges().iter().map(|edge| {
            let [from, to] = edge.vertices.map(|vertex| corners[vertex as usize]);
            to - from
        });
        let normals = hull.planes().iter().map(|plane| turn * plane.normal.as_dvec3()).collect();
        let edges = edges.collect();
        Self { corners, normals, edges }
    }

    fn extent(&self, axis: DVec3) -> (f64, f64) {
        let along = self.corners.iter().map(|corner| corner.dot(axis));
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
    }

    /// The least depth over all face normals and crossings of edges: negative if they are apart.
    fn least_depth(&self, other: &Self) -> f64 {
        let crossings = self.edges.iter().flat_map(|a| other.edges.iter().map(|b| a.cross(*b)));
        let axes = self.normals.iter().chain(&other.normals).copied().chain(crossings);
        let depth = |axis: DVec3| {
            let ((low_a, high_a), (low_b, high_b)) = (self.extent(axis), other.extent(axis));
            (high_a - low_b).min(high_b - low_a)
        };
        axes.filter(|axis| axis.length() > 1e-9).map(|axis| depth(axis.normalize())).fold(f64::INFINITY, f64::min)
    }
}

fn check(name: &str, a: (&Shape, &Polytope), b: (&Shape, &Polytope), b_in_a: &LocalPose, worst: &mut f64) -> bool {
    let depth = a.1.least_depth(b.1);
    let small = f64::from(size(a.0).min(size(b.0)));
    let tolerance = 1e-4 * small + 2e-6 * f64::from(size(a.0) + size(b.0));
    match collide(a.0, b.0, b_in_a, 0.0) {
        Some(manifold) => {
            let found = f64::from(deepest(&manifold).depth);
            *worst = worst.max((found - depth).abs() / small);
            assert!((found - depth).abs() <= tolerance, "{name}: {found} deep, by all axes {depth}; {b_in_a:?}");
            let normal = manifold.normal.as_dvec3().normalize();
            let along = a.1.extent(normal).1 - b.1.extent(normal).0;
            assert!((along - depth).abs() <= tolerance, "{name}: {along} along {normal}, by all axes {depth}");
            true
        }
        None => {
            assert!(depth <= tolerance, "{name}: apart, by all axes {depth} deep; {b_in_a:?}");
            false
        }
    }
}

#[test]
fn boxes_have_the_depth_of_fifteen_axes() {
    let mut random = fastrand::Rng::with_seed(41);
    let (mut touching, mut worst) = (0, 0.0);
    for case in 0..60_000 {
        // Cubes, slabs of 2000:1, needles, and sizes that differ by up to 1e4.
        let mut half = || {
            let scale = 10f32.powf(between(&mut random, -2.0, 2.0));
            let mut side = || match random.u32(0..6) {
                0 => scale / 2000.0,
                _ => scale * between(&mut random, 0.2, 1.0),
            };
            Vec3::new(side(), side(), side())
        };
        let (half_a, half_b) = (half(), half());
        let shape = |half: Vec3| Shape::cuboid(half.x, half.y, half.z).expect("positive");
        let (a, b) = (shape(half_a), shape(half_b));
        let turn = rotation_often_aligned(&mut random);
        let reach = half_a + half_b.max_element();
        let b_in_a = LocalPose::new(vector(&mut random, 1.1) * reach, turn);
        let polytope_a = Polytope::cuboid(half_a, DQuat::IDENTITY, DVec3::ZERO);
        let polytope_b = Polytope::cuboid(half_b, turn.as_dquat().normalize(), b_in_a.position.as_dvec3());
        let name = format!("case {case}, {half_a} {half_b}");
        touching += usize::from(check(&name, (&a, &polytope_a), (&b, &polytope_b), &b_in_a, &mut worst));
    }
    println!("{touching} of 60000 touching; worst error {worst:.1e} of the smaller");
    assert!(touching > 15_000);
}

#[test]
fn hulls_have_the_depth_of_all_axes() {
    let mut random = fastrand::Rng::with_seed(42);
    let (mut touching, mut worst) = (0, 0.0);
    for case in 0..1_500 {
        let mut hull = || {
            // Round ones, flat ones and needles; from time to time a box as a hull.
            let stretch = match random.u32(0..4) {
                0 => Vec3::new(1.0, 0.02, 1.0),
                1 => Vec3::new(1.0, 0.05, 0.05),
                _ => Vec3::ONE,
            };
            let points: Vec<Vec3> = match random.u32(0..4) {
                0 => (0..8).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) - 0.5).collect(),
                1 => (0..8).map(|_| direction(&mut random).as_vec3()).collect(),
                _ => (0..24).map(|_| direction(&mut random).as_vec3()).collect(),
            };
            let scale = 10f32.powf(between(&mut random, -0.7, 0.7));
            let points: Vec<Vec3> = points.into_iter().map(|point| point * stretch * scale).collect();
            ConvexHull::new(&points).expect("points that span a volume")
        };
        let (hull_a, hull_b) = (hull(), hull());
        let (a, b) = (Shape::from(hull_a.clone()), Shape::from(hull_b.clone()));
        let turn = rotation_often_aligned(&mut random);
        let b_in_a = LocalPose::new(vector(&mut random, 0.6) * (size(&a) + size(&b)), turn);
        let polytope_a = Polytope::hull(&hull_a, DQuat::IDENTITY, DVec3::ZERO);
        let polytope_b = Polytope::hull(&hull_b, turn.as_dquat().normalize(), b_in_a.position.as_dvec3());
        let name = format!("case {case}");
        touching += usize::from(check(&name, (&a, &polytope_a), (&b, &polytope_b), &b_in_a, &mut worst));
    }
    println!("{touching} of 1500 touching; worst error {worst:.1e} of the smaller");
    assert!(touching > 300);
}

#[test]
fn a_cube_on_a_slab_of_five_hundred_metres_is_as_deep_as_it_is() -> Result<(), Box<dyn std::error::Error>> {
    let mut random = fastrand::Rng::with_seed(43);
    let half = Vec3::new(250.0, 0.5, 250.0);
    for case in 0..300 {
        let origin = [DVec3::ZERO, DVec3::new(1e6, -1e6, 3e5)][case % 2];
        let slab_turn = rotation(&mut random);
        let up = slab_turn.as_dquat().normalize() * DVec3::Y;
        let across = vector(&mut random, 240.0) * Vec3::new(1.0, 0.0, 1.0);
        let depth = 0.001 + 0.2 * random.f64();
        // The cube stands on the slab on a face, turned about the normal.
        let turn = slab_turn * Quat::from_rotation_y(random.f32() * 6.0);
        let center = origin + slab_turn.as_dquat().normalize() * across.as_dvec3() + up * (1.0 - depth);
        let mut world = World::builder().gravity([0.0; 3]).build()?;
        let slab = Body::fixed().at(origin).rotated(slab_turn).shape(Shape::cuboid(half.x, half.y, half.z)?);
        let cube = Body::dynamic().at(center).rotated(turn).shape(Shape::cuboid(0.5, 0.5, 0.5)?);
        let (first, second) = if case % 3 == 0 { (cube, slab) } else { (slab, cube) };
        world.add(first)?;
        world.add(second)?;
        world.step(1e-3)?;
        let manifolds: Vec<_> = world.manifolds().collect();
        assert_eq!(manifolds.len(), 1, "case {case}");
        let contacts = manifolds[0].contacts();
        assert_eq!(contacts.len(), 4, "case {case}");
        // Two f32 rotations and, far away, a position in steps of 1e-10 are what the bodies are known by.
        for contact in contacts {
            let error = (f64::from(contact.depth) - depth).abs();
            assert!(error < 1e-4, "case {case}: {} for {depth}", contact.depth);
        }
        let tilt = manifolds[0].normal.as_dvec3().cross(up).length();
        assert!(tilt < 1e-5, "case {case}: {tilt}");
    }
    Ok(())
}
