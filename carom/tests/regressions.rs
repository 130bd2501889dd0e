//! Faults that were found once, named by their symptom.

use carom::narrow::Manifold;
use carom::narrow::contact;
use carom::prelude::*;
use carom::query::{self, Cast, Sweep};
use carom::response::{FaultCause, FaultStage};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const DT: f32 = 1.0 / 60.0;

fn floor() -> Result<Body, ShapeError> {
    Ok(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))
}

#[test]
fn one_overflowing_contact_set_aside_the_floor_and_all_that_stood_on_it() -> Outcome {
    let mut world = World::default();
    let floor = world.add(floor()?)?;
    let resting = world.add(Body::dynamic().at([5.0, 0.499, 0.0]).shape(Shape::sphere(0.5)?))?;
    let bullet =
        world.add(Body::dynamic().at([0.0, 0.9, 0.0]).velocity([0.0, -1e36, 0.0]).shape(Shape::sphere(1.0)?))?;
    let faults = world.step(DT)?.faults.clone();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!((faults[0].body, faults[0].stage), (bullet, FaultStage::Contacts));
    assert_eq!(faults[0].cause, FaultCause::Velocity);
    // It stays where it was, without velocity.
    let bullet = world.body(bullet)?;
    assert_eq!((bullet.position(), bullet.velocity()), (DVec3::new(0.0, 0.9, 0.0), Vec3::ZERO));
    assert!(bullet.is_set_aside() && !world.body(floor)?.is_set_aside() && !world.body(resting)?.is_set_aside());
    for _ in 0..60 {
        assert!(world.step(DT)?.faults.is_empty());
    }
    assert!((world.body(resting)?.position().y - 0.5).abs() < 0.01);
    Ok(())
}

#[test]
fn nearly_parallel_edges_gave_a_contact_at_nan() -> Outcome {
    let cube = Shape::cuboid(1.0, 1.0, 1.0)?;
    for angle in [1.2e-4f32, 1.6e-4, 2.4e-4, 1e-3, 0.01] {
        for offset in [0.0, 3e-6, -3e-6] {
            let turn = Quat::from_axis_angle(Vec3::new(1.0, 1.0, 0.0).normalize(), angle);
            let b_in_a = LocalPose::new(Vec3::new(1.99999, 1.99999 + offset, 0.0), turn);
            if let Some(manifold) = contact(&cube, &cube, &b_in_a, 0.0)? {
                for contact in manifold.contacts() {
                    let point = contact.point;
                    assert!(point.is_finite() && point.abs().max_element() < 1.001, "{angle} {offset}: {manifold:?}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_ball_rolled_away_by_itself_far_from_the_origin_of_its_floor() -> Outcome {
    for distance in [0.0, 1e3, 1e5, 1e7] {
        for floor in [Shape::half_space([0.0, 1.0, 0.0])?, Shape::cuboid(2e7, 1.0, 2e7)?] {
            let top = if floor.kind() == ShapeKind::Cuboid { 1.0 } else { 0.0 };
            let mut world = World::builder().sleeping(false).build()?;
            world.add(Body::fixed().rotated(Quat::from_rotation_y(0.5)).shape(floor))?;
            let start = DVec3::new(distance, top + 0.499, 0.0);
            let ball = world.add(Body::dynamic().at(start).shape(Shape::sphere(0.5)?))?;
            for _ in 0..600 {
                world.step(DT)?;
            }
            let moved = world.body(ball)?.position() - start;
            assert!(moved.x.hypot(moved.z) < 1e-3, "{distance} m away it moved by {moved}");
        }
    }
    Ok(())
}

#[test]
fn friction_beyond_the_root_of_the_greatest_number_acted_without_a_load() -> Outcome {
    let mut world = World::builder().gravity([0.0; 3]).build()?;
    world.add(floor()?.friction(2e19))?;
    let body = Body::dynamic().at([0.0, 0.4999, 0.0]).velocity([5.0, 1.0, 0.0]).shape(Shape::sphere(0.5)?);
    let ball = world.add(body.friction(2e19))?;
    world.step(DT)?;
    assert_eq!(world.body(ball)?.velocity(), Vec3::new(5.0, 1.0, 0.0));
    assert_eq!(world.body(ball)?.angular_velocity(), Vec3::ZERO);
    Ok(())
}

#[test]
fn a_heavy_ball_hopped_for_ever() -> Outcome {
    let mut world = World::default();
    world.add(floor()?)?;
    let body = Body::dynamic().at([0.0, 0.6, 0.0]).shape(Shape::sphere(0.5)?).restitution(0.8);
    let ball = world.add(body.gravity_scale(10.0))?;
    for _ in 0..1200 {
        world.step(DT)?;
    }
    for _ in 0..60 {
        world.step(DT)?;
        assert!(world.body(ball)?.velocity().length() < 1e-3, "{}", world.body(ball)?.velocity());
    }
    Ok(())
}

#[test]
fn a_bead_sank_into_the_floor_by_more_than_its_size() -> Outcome {
    let mut world = World::default();
    world.add(floor()?)?;
    let bead = world.add(Body::dynamic().at([0.0, 0.02, 0.0]).shape(Shape::sphere(0.002)?))?;
    for _ in 0..600 {
        world.step(1.0 / 240.0)?;
    }
    let height = world.body(bead)?.position().y;
    assert!((height - 0.002).abs() < 1e-4, "{height}");
    Ok(())
}

#[test]
fn spheres_of_astronomic_size_were_missed() -> Outcome {
    let ball = Shape::sphere(0.5)?;
    for radius in [1e10f32, 1e18, 1e20, 1e30] {
        let planet = Shape::sphere(radius)?;
        let manifold = contact(&planet, &ball, &LocalPose::at([0.0, radius, 0.0]), 0.0)?.expect("they overlap");
        // As exact as f64 is at that size.
        let rounding = 1e-3 + 1e-15 * radius;
        assert!((manifold.contacts()[0].depth - 0.5).abs() < rounding && manifold.normal == Vec3::Y, "{radius}");
        let cube = Shape::cuboid(radius, radius, radius)?;
        assert!(contact(&ball, &cube, &LocalPose::at([0.0, -radius, 0.0]), 0.0)?.is_some(), "{radius}");
    }
    Ok(())
}

#[test]
fn a_body_beyond_the_range_of_f32_broke_the_others() -> Outcome {
    let mut world = World::default();
    world.add(floor()?)?;
    world.add(Body::dynamic().at([0.0, 0.499, 0.0]).shape(Shape::sphere(0.5)?))?;
    world.add(Body::dynamic().at([1e39, 0.9, 0.0]).shape(Shape::sphere(1.0)?))?;
    world.add(Body::dynamic().at([-1e300, 0.9, 0.0]).shape(Shape::cuboid(1.0, 1.0, 1.0)?))?;
    for _ in 0..10 {
        let faults = world.step(DT)?.faults.clone();
        assert!(faults.is_empty(), "{faults:?}");
    }
    Ok(())
}

#[test]
fn masses_without_a_finite_inverse_were_let_in() -> Outcome {
    let mut world = World::default();
    let ball = Body::dynamic().shape(Shape::sphere(0.5)?);
    assert!(matches!(world.add(ball.clone().mass(1e-40)), Err(BodyError::TooLight | BodyError::TotalMass { .. })));
    let properties = MassProperties::of_shape(&Shape::sphere(0.5)?, 1000.0)?;
    let tiny = MassProperties { inertia: properties.inertia * 1e-41, ..properties };
    assert!(world.add(ball.clone().mass_properties(tiny)).is_err());
    let floor = Body::dynamic().shape(Shape::half_space([0.0, 1.0, 0.0])?).mass_properties(properties);
    assert_eq!(world.add(floor), Err(BodyError::Unbounded { index: 0 }));
    assert!(world.is_empty());
    Ok(())
}

#[test]
fn enormous_spins_were_called_faults() -> Outcome {
    let mut world = World::default();
    for body in [Body::dynamic(), Body::kinematic()] {
        world.add(body.shape(Shape::sphere(0.5)?).angular_velocity([3e19, 0.0, 1e18]))?;
    }
    assert!(world.step(DT)?.faults.is_empty());
    Ok(())
}

#[test]
fn removing_a_body_in_contact_leaves_the_others_in_theirs() -> Outcome {
    let mut world = World::default();
    world.add(floor()?)?;
    let ids: Vec<BodyId> = (0..4)
        .map(|level| {
            let body = Body::dynamic().at([0.0, 0.5 + f64::from(level), 0.0]);
            Ok(world.add(body.shape(Shape::cuboid(0.5, 0.5, 0.5)?))?)
        })
        .collect::<Result<_, Box<dyn std::error::Error>>>()?;
    for _ in 0..60 {
        world.step(DT)?;
    }
    world.remove(ids[1])?;
    // The floor, and what stood on top of the one that is gone: named as the bodies are numbered now.
    let of_pair = |manifold: &Manifold| [manifold.pair.a.body, manifold.pair.b.body];
    let mut pairs: Vec<_> = world.manifolds().map(of_pair).collect();
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    pairs.sort_unstable();
    assert_eq!(pairs, [[0, 1], [2, 3]]);
    for _ in 0..240 {
        world.step(DT)?;
    }
    for (id, height) in [(ids[0], 0.5), (ids[2], 1.5), (ids[3], 2.5)] {
        assert!((world.body(id)?.position().y - height).abs() < 0.05, "{}", world.body(id)?.position());
    }
    for pair in world.pairs() {
        assert!(world.collider(pair.a).is_some() && world.collider(pair.b).is_some());
    }
    Ok(())
}

#[test]
fn an_upright_capsule_was_pushed_out_of_the_ground_as_if_it_lay_below() -> Outcome {
    // A floor of triangles and a capsule whose axis passes from above one into the next on its way down.
    let side = 9u32;
    let place = |index: u32| Vec3::new((index % side) as f32 - 4.0, 0.0, (index / side) as f32 - 4.0) * 0.4;
    let cells = (0..side * (side - 1)).filter(|index| index % side < side - 1);
    let triangles = cells.flat_map(|a| [[a, a + side, a + side + 1], [a, a + side + 1, a + 1]]).collect();
    let floor = Shape::mesh((0..side * side).map(place).collect(), triangles)?;
    let capsule = Shape::capsule(0.18, 0.15)?;
    let mut random = fastrand::Rng::with_seed(5);
    for case in 0..500 {
        let turn = Quat::from_rotation_y(7.0 * random.f32()) * Quat::from_rotation_z(0.5 * random.f32());
        let depth = 0.02 * random.f32();
        let height = 0.18 * (turn * Vec3::Y).y + 0.15 - depth;
        let place = DVec3::new(random.f64() - 0.5, f64::from(height), random.f64() - 0.5);
        let mut world = World::builder().gravity([0.0; 3]).build()?;
        world.add(Body::fixed().shape(floor.clone()))?;
        world.add(Body::dynamic().at(place).rotated(turn).shape(capsule.clone()))?;
        let found = world.step(1e-6)?.deepest;
        assert!((found - depth).abs() < 1e-4, "case {case}: {found} m deep instead of {depth} m");
    }
    Ok(())
}

#[test]
fn what_came_down_right_above_a_ridge_that_is_nearly_flat_fell_into_it() -> Outcome {
    let capsule = Shape::capsule(0.75, 0.5)?;
    // Their lowest points are on their axes; how far they reach below their middles.
    let solids = [
        (Shape::sphere(0.5)?, 0.5),
        (capsule, 1.25),
        (Shape::cone(0.5, 0.3)?, 0.5),
        (Shape::ellipsoid(0.3, 0.8, 0.3)?, 0.8),
        (
            Shape::hull(&[
                Vec3::NEG_Y,
                Vec3::new(0.4, 0.6, 0.4),
                Vec3::new(-0.5, 0.6, 0.1),
                Vec3::new(0.1, 0.6, -0.5),
            ])?,
            1.0,
        ),
    ];
    let mut random = fastrand::Rng::with_seed(9);
    for (solid, reach) in &solids {
        for case in 0..300 {
            // Two slopes of up to half a degree down from a ridge along z, turned anyhow.
            let [left, right] = [(); 2].map(|()| 0.009 * random.f32());
            let turn = Quat::from_rotation_y(6.3 * random.f32())
                * Quat::from_rotation_x(6.3 * random.f32())
                * Quat::from_rotation_z(6.3 * random.f32());
            let corners = [[0.0, 0.0, -3.0], [0.0, 0.0, 3.0], [-3.0, -3.0 * left, 0.0], [3.0, -3.0 * right, 0.0]];
            let corners = corners.map(|corner| turn * Vec3::from_array(corner)).to_vec();
            let roof = Shape::mesh(corners, vec![[0, 2, 1], [0, 1, 3]])?;
            let depth = 0.2 * random.f32();
            let along = random.f32() - 0.5;
            // A cone stands on its tip.
            let upside_down = if matches!(solid, Shape::Cone(_)) { std::f32::consts::PI } else { 0.0 };
            let own = Quat::from_rotation_y(6.3 * random.f32()) * Quat::from_rotation_x(upside_down);
            let mut world = World::builder().gravity([0.0; 3]).build()?;
            world.add(Body::fixed().shape(roof))?;
            let place = turn * Vec3::new(0.0, reach - depth, along);
            world.add(Body::dynamic().at(place.as_dvec3()).rotated(turn * own).shape(solid.clone()))?;
            let found = world.step(1e-6)?.deepest;
            let case = format!("{:?}, case {case}", solid.kind());
            assert!((found - depth).abs() < 2e-3, "{case}: {found} m deep instead of {depth} m");
            let up = turn * Vec3::Y;
            let out = world.manifolds().map(|manifold| {
                if manifold.pair.a.body == 0 { manifold.normal.dot(up) } else { -manifold.normal.dot(up) }
            });
            assert!(out.fold(1.0, f32::min) > 0.99, "{case}: pushed aside or down");
        }
    }
    Ok(())
}

#[test]
fn what_lay_on_a_summit_was_pulled_in_by_a_slope_two_ridges_away() -> Outcome {
    // Hills of 3 m, and a hull that comes down on them anyhow, to 5 mm farther than where it touches.
    let side = 13u32;
    let hill = |x: u32, z: u32| 5.0 * (0.5 * (x as f32 + 11.0)).sin() * (0.5 * (z as f32 + 5.0)).cos();
    let place = |index: u32| {
        let (x, z) = (index % side, index / side);
        Vec3::new(3.0 * (x as f32 - 6.0), hill(x, z), 3.0 * (z as f32 - 6.0))
    };
    let cells = (0..side * (side - 1)).filter(|index| index % side < side - 1);
    let triangles = cells.flat_map(|a| [[a, a + side, a + 1], [a + 1, a + side, a + side + 1]]).collect();
    let hills = Shape::mesh((0..side * side).map(place).collect(), triangles)?;
    let hull = Shape::hull(&[Vec3::Y, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z])?;
    let mut random = fastrand::Rng::with_seed(4);
    let mut landed = 0;
    for case in 0..8000 {
        let turn = Quat::from_rotation_y(6.3 * random.f32()) * Quat::from_rotation_x(0.8 * (random.f32() - 0.5));
        // Half of them near a summit.
        let (middle, reach) = if case % 2 == 0 { (DVec3::new(-3.9, 8.0, 4.7), 3.0) } else { (DVec3::Y * 8.0, 20.0) };
        let start = middle + reach * DVec3::new(random.f64() - 0.5, 0.0, random.f64() - 0.5);
        let at = Pose::new(start, turn);
        let fall = Sweep::by([0.0, -20.0, 0.0]);
        let Cast::Hit(hit) = query::cast(&hull, &at, &hills, &Pose::IDENTITY, &fall)? else { continue };
        landed += 1;
        let mut world = World::builder().gravity([0.0; 3]).build()?;
        world.add(Body::fixed().shape(hills.clone()))?;
        let place = start - DVec3::Y * (20.0 * hit.time + 0.005);
        world.add(Body::dynamic().at(place).rotated(turn).shape(hull.clone()))?;
        let found = world.step(1e-6)?.deepest;
        assert!((1e-4..0.006).contains(&found), "case {case}, at {place}: {found} m deep");
        for manifold in world.manifolds() {
            let normal = if manifold.pair.a.body == 0 { manifold.normal } else { -manifold.normal };
            assert!(normal.y > -0.01, "case {case}: pushed along {normal}");
        }
    }
    assert!(landed > 7800, "{landed}");
    Ok(())
}
