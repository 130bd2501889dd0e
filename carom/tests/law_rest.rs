//! What rests stays, what overlaps parts without a jump, and what comes near stops at the surface.

mod law_worlds;
mod random;

use carom::prelude::*;
use law_worlds::{DT, GRAVITY, Outcome, SLOP, run, weightless, with_floor, with_gravity};
use random::between;

/// Counted from the first step. Contacts with the ground are springs of 80 Hz that give way by a fifth, so that whatever its
/// weight a box sags by 0.2·g / (2π·80)², 8 µm: less than 1e-4 of its size from 8 cm on.
#[test]
fn a_box_on_the_floor_stays_for_ten_thousand_steps() -> Outcome {
    let sag = 0.2 * f64::from(GRAVITY) / (80.0 * std::f64::consts::TAU).powi(2);
    for half in [0.05f32, 0.5, 5.0] {
        let mut world = with_floor(0.5, 0.0)?;
        let body = Body::dynamic().at([0.0, f64::from(half), 0.0]).shape(Shape::cuboid(half, half, half)?);
        let id = world.add(body)?;
        let start = world.body(id)?.pose();
        let sagged = start.position - DVec3::Y * sag;
        let (mut from_start, mut from_sag, mut most_turn) = (0.0f64, 0.0f64, 0.0f32);
        for step in 1..=10_000 {
            world.step(DT)?;
            let pose = world.body(id)?.pose();
            from_start = from_start.max(pose.position.distance(start.position));
            if step > 20 {
                from_sag = from_sag.max(pose.position.distance(sagged));
            }
            most_turn = most_turn.max(turn_between(start.rotation, pose.rotation));
        }
        let size = 2.0 * f64::from(half);
        println!(
            "half {half}: {:.2e} of its size from the start, {:.2e} from where it sags to after 20 steps, turned by \
             {most_turn:.2e}",
            from_start / size,
            from_sag / size
        );
        assert!(from_start < 1e-4 * size, "half {half}: moved by {from_start} m");
        assert!(from_sag < 1e-5 * size, "half {half}: {from_sag} m from where it should be");
        assert!(most_turn < 1e-4, "half {half}: turned by {most_turn}");
    }
    Ok(())
}

/// Floors whose surfaces are at y = 0, of all kinds.
fn floors() -> Result<Vec<(&'static str, Body)>, ShapeError> {
    let (side, spacing) = (24u32, 2.3f32);
    let at = |index: u32| (index as f32 - 0.5 * (side - 1) as f32) * spacing;
    let vertices = (0..side * side).map(|index| Vec3::new(at(index % side), 0.0, at(index / side))).collect();
    let mut triangles = Vec::new();
    for corner in (0..side * side - side).filter(|index| index % side != side - 1) {
        triangles.push([corner, corner + side, corner + 1]);
        triangles.push([corner + 1, corner + side, corner + side + 1]);
    }
    let field = Shape::height_field(side as usize, side as usize, vec![0.0; (side * side) as usize], [spacing; 2])?;
    Ok(vec![
        ("half-space", Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?)),
        ("box", Body::fixed().at([0.0, -1.0, 0.0]).shape(Shape::cuboid(30.0, 1.0, 30.0)?)),
        ("mesh", Body::fixed().shape(Shape::mesh(vertices, triangles)?)),
        ("height field", Body::fixed().shape(field)),
    ])
}

/// The same for boxes of any form, turned anyhow, in any place of any floor: across the edges of triangles, and with
/// friction that hardly holds or holds well. In one world, but so far apart that they know nothing of each other.
#[test]
fn boxes_anywhere_on_any_floor_stay_for_ten_thousand_steps() -> Outcome {
    let mut faults = Vec::new();
    for (name, floor) in floors()? {
        let mut random = fastrand::Rng::with_seed(6);
        let mut world = with_gravity();
        world.add(floor.friction(1.0))?;
        let mut boxes = Vec::new();
        for index in 0..16 {
            let half = Vec3::from_array(std::array::from_fn(|_| between(&mut random, 0.1, 1.2)));
            let cell = DVec3::new(f64::from(index % 4) - 1.5, 0.0, f64::from(index / 4) - 1.5) * 9.0;
            let aside = DVec3::new(random.f64() - 0.5, 0.0, random.f64() - 0.5) * 4.0;
            let start = cell + aside + DVec3::Y * f64::from(half.y);
            let turn = Quat::from_rotation_y(between(&mut random, 0.0, std::f32::consts::TAU));
            // With the floor's 1 that is 0.2 to 0.9.
            let friction = [0.04f32, 0.25, 0.5, 0.81][index as usize % 4];
            let body = Body::dynamic().at(start).rotated(turn).shape(Shape::cuboid(half.x, half.y, half.z)?);
            let id = world.add(body.friction(friction).density(between(&mut random, 50.0, 8000.0)))?;
            boxes.push((id, half, world.body(id)?.pose(), 0.0f64, 0.0f32));
        }
        for _ in 0..10_000 {
            world.step(DT)?;
            for (id, _, start, moved, turned) in &mut boxes {
                let pose = world.body(*id)?.pose();
                *moved = moved.max(pose.position.distance(start.position));
                *turned = turned.max(turn_between(start.rotation, pose.rotation));
            }
        }
        let (mut most_moved, mut most_turned) = (0.0f64, 0.0f32);
        for (index, (_, half, _, moved, turned)) in boxes.into_iter().enumerate() {
            let moved = moved / f64::from(2.0 * half.min_element());
            (most_moved, most_turned) = (most_moved.max(moved), most_turned.max(turned));
            if moved > 1e-4 || turned > 1e-4 {
                faults.push(format!(
                    "{name}, box {index} of {half}: moved by {moved:.1e} of its size, turned by {turned:.1e}"
                ));
            }
        }
        println!("{name}: at the most {most_moved:.1e} of a box's least size, turned by {most_turned:.1e}");
    }
    assert!(faults.is_empty(), "{faults:#?}");
    Ok(())
}

/// Exact for small angles, unlike the angle from a cosine.
fn turn_between(a: Quat, b: Quat) -> f32 {
    let turn = a.conjugate() * b;
    2.0 * Vec3::new(turn.x, turn.y, turn.z).length()
}

#[test]
fn an_overlap_with_the_floor_resolves_to_the_slop_and_no_further() -> Outcome {
    for depth in [0.02f64, 0.1, 0.3] {
        let mut world = with_floor(0.5, 0.0)?;
        let body = Body::dynamic().at([0.0, 0.5 - depth, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?);
        let id = world.add(body)?;
        let mut highest = f64::NEG_INFINITY;
        for _ in 0..240 {
            world.step(DT)?;
            highest = highest.max(world.body(id)?.position().y - 0.5);
        }
        assert!(highest < 0.01, "{depth} m deep: jumped by {highest} m");
        let rest = 0.5 - world.body(id)?.position().y;
        assert!((-1e-4..1.2 * SLOP).contains(&rest), "{depth} m deep: rests {rest} m deep");
        assert!(world.body(id)?.velocity().length() < 1e-3, "{depth} m deep: {}", world.body(id)?.velocity());
    }
    Ok(())
}

#[test]
fn two_overlapping_bodies_part_without_flying_off() -> Outcome {
    for depth in [0.02f64, 0.1, 0.3] {
        let mut world = weightless();
        let cube = Body::dynamic().shape(Shape::cuboid(0.5, 0.5, 0.5)?).mass(1.0);
        let a = world.add(cube.clone())?;
        let b = world.add(cube.at([1.0 - depth, 0.0, 0.0]))?;
        run(&mut world, 300)?;
        let gap = world.body(b)?.position().x - world.body(a)?.position().x - 1.0;
        assert!((-1.2 * SLOP..3.0 * depth).contains(&gap), "{depth} m deep: now {gap} m apart");
        // What is left of the push is the less the softer it was; none at all would take springs without end.
        let parting = f64::from(world.body(b)?.velocity().x - world.body(a)?.velocity().x);
        assert!(parting.abs() < depth, "{depth} m deep: still parting at {parting} m/s");
        let middle = 0.5 * (world.body(a)?.position() + world.body(b)?.position());
        assert!((middle.x - 0.5 * (1.0 - depth)).abs() < 1e-4, "{depth} m deep: the middle went to {middle}");
    }
    Ok(())
}

#[test]
fn what_comes_near_stops_at_the_surface() -> Outcome {
    for gap in [0.002f64, 0.01, 0.019, 0.1] {
        for speed in [0.2f32, 1.0, 5.0] {
            let mut world = weightless();
            law_worlds::add_floor(&mut world, 0.0, 0.0)?;
            let body = Body::dynamic().at([0.0, 0.5 + gap, 0.0]).velocity([0.0, -speed, 0.0]);
            let id = world.add(body.shape(Shape::sphere(0.5)?))?;
            let mut lowest = f64::INFINITY;
            for _ in 0..120 {
                world.step(DT)?;
                lowest = lowest.min(world.body(id)?.position().y - 0.5);
            }
            let (rest, velocity) = (world.body(id)?.position().y - 0.5, world.body(id)?.velocity());
            let case = format!("{gap} m away at {speed} m/s");
            assert!(lowest > -1.2 * SLOP - 1e-3 * f64::from(speed), "{case}: went {lowest} m deep");
            assert!(rest.abs() < 1.2 * SLOP, "{case}: stopped {rest} m from the surface");
            assert!(velocity.length() < 2e-3, "{case}: still moves by {velocity}");
        }
    }
    Ok(())
}

#[test]
fn what_passes_at_a_distance_is_not_touched() -> Outcome {
    for gap in [0.05f64, 0.2] {
        let mut world = weightless();
        law_worlds::add_floor(&mut world, 1.0, 0.0)?;
        let velocity = Vec3::new(3.0, 0.0, 1.0);
        let body = Body::dynamic().at([0.0, 0.5 + gap, 0.0]).velocity(velocity).shape(Shape::cuboid(0.5, 0.5, 0.5)?);
        let id = world.add(body)?;
        run(&mut world, 120)?;
        assert_eq!(world.body(id)?.velocity(), velocity, "{gap} m above the floor");
        assert_eq!(world.body(id)?.angular_velocity(), Vec3::ZERO, "{gap} m above the floor");
    }
    Ok(())
}

/// While a step lasts, the point at which a ball touches is another at every moment, and always below its centre; that of a
/// box goes round with it.
#[test]
fn what_rolls_fast_keeps_its_height() -> Outcome {
    let (radius, speed) = (0.5f32, 12.0f32);
    let shapes = [("ball", Shape::sphere(radius)?), ("lying capsule", Shape::capsule(0.5, radius)?)];
    for (name, shape) in shapes {
        let mut world = with_floor(0.5, 0.0)?;
        let rotation = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
        let body = Body::dynamic().at([-50.0, f64::from(radius), 0.0]).rotated(rotation).shape(shape);
        let spin = Vec3::NEG_Z * (speed / radius);
        let id = world.add(body.friction(0.5).velocity([speed, 0.0, 0.0]).angular_velocity(spin))?;
        let mut worst = 0.0f64;
        for _ in 0..240 {
            world.step(DT)?;
            worst = worst.max((world.body(id)?.position().y - f64::from(radius)).abs());
        }
        println!("{name}: off by {:.2e} of its radius", worst / f64::from(radius));
        assert!(worst < 2e-4 * f64::from(radius), "{name}: {worst} m off");
    }
    Ok(())
}
