//! The contacts of one body and what is in a sensor, against a look at all; and what bodies tell of themselves.

mod law_worlds;

use carom::body::BodyShape;
use carom::narrow::Manifold;
use carom::prelude::*;
use carom::response::Solver;
use carom::world::ShapeId;
use law_worlds::{DT, Outcome, SOLVERS, add_floor};
use std::collections::BTreeSet;

/// Balls and boxes that fall through two sensors onto a floor.
fn heap(solver: Solver) -> Result<World, Box<dyn std::error::Error>> {
    let mut world = World::builder().solver(solver).build()?;
    add_floor(&mut world, 0.5, 0.2)?;
    for height in [1.0, 3.0] {
        let eye = BodyShape::new(Shape::cuboid(0.7, 0.3, 5.0)?).sensor();
        world.add(Body::fixed().at([0.0, height, 0.0]).part(eye))?;
    }
    let mut random = fastrand::Rng::with_seed(14);
    for index in 0..60 {
        let place = DVec3::new(2.0 * random.f64() - 1.0, 0.5 + 5.0 * random.f64(), 2.0 * random.f64() - 1.0);
        let shape = if index % 2 == 0 { Shape::sphere(0.25)? } else { Shape::cuboid(0.25, 0.2, 0.3)? };
        world.add(Body::dynamic().at(place).shape(shape))?;
    }
    Ok(world)
}

#[test]
fn the_contacts_of_each_body_are_those_of_all() -> Outcome {
    for solver in SOLVERS {
        let mut world = heap(solver)?;
        let mut seen = 0;
        for step in 0..150 {
            world.step(DT)?;
            if step % 15 == 7 {
                let gone = world.bodies().nth(10).ok_or("there are more")?.id();
                world.remove(gone)?;
                assert!(matches!(world.contacts_of(gone).map(|_| ()), Err(BodyError::Unknown { .. })));
            }
            let ids: Vec<BodyId> = world.bodies().map(|body| body.id()).collect();
            for (index, &id) in (0u32..).zip(&ids) {
                let expected = world.manifolds().filter_map(|manifold| match manifold.pair {
                    pair if pair.a.body == index => Some((ids[pair.b.body as usize], manifold)),
                    pair if pair.b.body == index => Some((ids[pair.a.body as usize], manifold)),
                    _ => None,
                });
                let expected: Vec<(BodyId, &Manifold)> = expected.collect();
                let found: Vec<(BodyId, &Manifold)> = world.contacts_of(id)?.collect();
                assert_eq!(found, expected, "{solver:?}, step {step}");
                seen += found.len();
            }
        }
        assert!(seen > 1000, "{solver:?}: {seen} prove little");
    }
    Ok(())
}

/// Who has entered and not left, as events tell it.
#[test]
fn in_a_sensor_is_who_has_entered_and_not_left() -> Outcome {
    for solver in SOLVERS {
        let mut world = heap(solver)?;
        let sensors: Vec<u32> =
            world.shapes().filter(|shape| shape.collider.is_sensor).map(|shape| shape.slot).collect();
        let mut inside: [BTreeSet<ShapeId>; 2] = Default::default();
        let (mut seen, mut emptied) = (0, 0);
        for step in 0..200 {
            world.step(DT)?;
            for event in world.events().entered() {
                let place = sensors.iter().position(|slot| *slot == event.sensor.slot).ok_or("a sensor")?;
                assert!(inside[place].insert(event.other), "{solver:?}, step {step}");
            }
            for event in world.events().left() {
                let place = sensors.iter().position(|slot| *slot == event.sensor.slot).ok_or("a sensor")?;
                assert!(inside[place].remove(&event.other), "{solver:?}, step {step}");
                emptied += 1;
            }
            for (slot, inside) in sensors.iter().zip(&inside) {
                let found: Vec<ShapeId> = world.in_sensor(*slot).collect();
                assert_eq!(found.len(), inside.len(), "{solver:?}, step {step}");
                assert_eq!(&found.into_iter().collect::<BTreeSet<_>>(), inside, "{solver:?}, step {step}");
                seen += inside.len();
            }
        }
        assert!(seen > 500 && emptied > 10, "{solver:?}: {seen} and {emptied} prove little");
        // What is no sensor has nobody in it, and neither has what is not there.
        for slot in world.shapes().filter(|shape| !shape.collider.is_sensor).map(|shape| shape.slot).chain([u32::MAX]) {
            assert_eq!(world.in_sensor(slot).count(), 0);
        }
    }
    Ok(())
}

#[test]
fn a_body_tells_what_it_was_given() -> Outcome {
    let mut world = World::default();
    let plain = world.add(Body::dynamic().shape(Shape::sphere(0.5)?).mass(2.0))?;
    let body = Body::dynamic().at([5.0, 0.0, 0.0]).shape(Shape::sphere(0.5)?).max_speed(3.0).max_angular_speed(0.0);
    let limited = world.add(body.may_sleep(false))?;
    let view = world.body(plain)?;
    assert_eq!((view.max_speed(), view.max_angular_speed(), view.may_sleep()), (None, None, true));
    let view = world.body(limited)?;
    assert_eq!((view.max_speed(), view.max_angular_speed(), view.may_sleep()), (Some(3.0), Some(0.0), false));
    let mut body = world.body_mut(limited)?;
    body.set_max_speed(None)?;
    body.set_max_angular_speed(Some(7.0))?;
    body.set_may_sleep(true);
    let view = world.body(limited)?;
    assert_eq!((view.max_speed(), view.max_angular_speed(), view.may_sleep()), (None, Some(7.0), true));
    // 2/5·m·r², in the frame of the body however that is turned.
    let properties = world.body(plain)?.mass_properties().ok_or("dynamic")?;
    assert_eq!((properties.mass, properties.center_of_mass), (2.0, Vec3::ZERO));
    assert!((properties.inertia.y_axis.y - 0.2).abs() < 1e-6, "{}", properties.inertia);
    Ok(())
}

/// Numbers of shapes are given and set, and go with the snapshot; steps do not see them.
#[test]
fn shapes_carry_numbers_of_the_callers() -> Outcome {
    let mut world = World::default();
    let part =
        |number: u64| -> Result<BodyShape, ShapeError> { Ok(BodyShape::new(Shape::sphere(0.5)?).user_data(number)) };
    let id = world.add(Body::dynamic().part(part(3)?).part(part(u64::MAX)?))?;
    let numbers = |world: &World| -> Result<Vec<u64>, BodyError> {
        Ok(world.body(id)?.shapes().map(|shape| shape.user_data).collect())
    };
    assert_eq!(numbers(&world)?, [3, u64::MAX]);
    let hash = world.hash();
    world.body_mut(id)?.set_shape_user_data(0, 9)?;
    assert_eq!(numbers(&world)?, [9, u64::MAX]);
    assert_eq!(world.hash(), hash);
    assert_eq!(world.body_mut(id)?.set_shape_user_data(2, 1), Err(BodyError::NoShape { id, index: 2 }));
    let mut other = World::default();
    other.restore(&world.snapshot());
    assert_eq!(numbers(&other)?, [9, u64::MAX]);
    Ok(())
}
