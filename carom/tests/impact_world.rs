//! T6: what is fast does not pass through what it meets, in whatever way steps are taken; without, it does.

use carom::body::BodyId;
use carom::glam::{Quat, Vec3, Vec3Swizzles as _};
use carom::prelude::*;
use carom::response::{Projection, Solver};
use carom::world::Continuous;

const DT: f32 = 1.0 / 60.0;

fn unit(rng: &mut fastrand::Rng) -> Vec3 {
    loop {
        let point = Vec3::from_array(std::array::from_fn(|_| rng.f32() * 2.0 - 1.0));
        if (0.1..1.0).contains(&point.length()) {
            return point.normalize();
        }
    }
}

/// A ball, box, needle or spinning blade that is shot along x, from `distance` before x = 0.
fn bullet(rng: &mut fastrand::Rng, distance: f32, speed: f32, place: Vec3) -> Body {
    let size = 0.01 * 10f32.powf(rng.f32() * 1.5);
    let body = Body::dynamic().restitution(rng.f32()).friction(rng.f32());
    let shape = match rng.u32(0..4) {
        0 => Shape::sphere(size),
        1 => Shape::cuboid(size, size * (0.3 + rng.f32()), size * (0.3 + rng.f32())),
        2 => Shape::capsule(2.0 * size, 0.1 * size),
        _ => Shape::cuboid(4.0 * size, 0.1 * size, 0.5 * size),
    };
    // Blades turn by up to 170° in a step.
    let spin = unit(rng) * rng.f32() * 178.0;
    let turn = Quat::from_scaled_axis(unit(rng) * 3.0);
    body.at((place - Vec3::X * distance).as_dvec3())
        .rotated(turn)
        .velocity(Vec3::X * speed + unit(rng) * (0.05f32).min(2.0 / distance) * speed * rng.f32())
        .angular_velocity(spin)
        .shape(shape.expect("sound"))
}

/// A wall of 4 m across x = 0, of one of several kinds.
fn wall(rng: &mut fastrand::Rng, place: Vec3) -> Body {
    let thin = 0.0005;
    match rng.u32(0..4) {
        0 => Body::fixed().at(place.as_dvec3()).shape(Shape::cuboid(thin, 6.0, 6.0).expect("sound")),
        1 => {
            // A surface of triangles without any thickness.
            let corner = |y: usize, z: usize| Vec3::new(0.0, y as f32 * 3.0 - 6.0, z as f32 * 3.0 - 6.0);
            let vertices: Vec<Vec3> = (0..25).map(|index| corner(index / 5, index % 5)).collect();
            let quads = (0..16u32).map(|quad| quad / 4 * 5 + quad % 4);
            let triangles = quads.flat_map(|first| [[first, first + 5, first + 1], [first + 5, first + 6, first + 1]]);
            Body::fixed().at(place.as_dvec3()).shape(Shape::mesh(vertices, triangles.collect()).expect("sound"))
        }
        2 => {
            // A heavy plate that moves towards the bullet by itself.
            let plate = Body::kinematic().at(place.as_dvec3()).velocity([-rng.f32(), 0.0, 0.0]);
            plate.shape(Shape::cuboid(thin, 6.0, 6.0).expect("sound"))
        }
        _ => {
            let plate = Body::dynamic().at(place.as_dvec3()).density(1e6).gravity_scale(0.0);
            plate.shape(Shape::cuboid(0.002, 6.0, 6.0).expect("sound"))
        }
    }
}

struct Shots {
    world: World,
    /// What must stay before what.
    ordered: Vec<[BodyId; 2]>,
}

/// A hundred lanes far apart: a bullet and a wall each, or two bullets towards each other.
fn shots(seed: u64, continuous: Continuous) -> Shots {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut world = World::builder().gravity([0.0, 0.0, 0.0]).continuous(continuous).build().expect("sound");
    let ordered = (0..100)
        .map(|lane| {
            let place = Vec3::new(0.0, lane as f32 * 200.0, 0.0);
            let speed = 10.0 * 1000f32.powf(rng.f32());
            let distance = speed * DT * (0.3 + 2.0 * rng.f32()) + 0.5;
            let first = world.add(bullet(&mut rng, distance, speed, place)).expect("sound");
            let second = if rng.u32(0..5) == 0 {
                // Balls meet head on, so that they cannot miss.
                world.remove(first).expect("it is there");
                let ball = |side: f32, size: f32| {
                    let at = (place + Vec3::X * side * distance).as_dvec3();
                    let ball = Body::dynamic().at(at).velocity([-side * speed, 0.0, 0.0]);
                    ball.shape(Shape::sphere(size).expect("sound"))
                };
                let first = world.add(ball(-1.0, 0.01 + 0.1 * rng.f32())).expect("sound");
                let second = world.add(ball(1.0, 0.01 + 0.1 * rng.f32())).expect("sound");
                return [first, second];
            } else {
                world.add(wall(&mut rng, place)).expect("sound")
            };
            [first, second]
        })
        .collect();
    Shots { world, ordered }
}

/// How many of the shots have passed through in twelve steps.
fn passed(mut shots: Shots) -> Vec<usize> {
    let mut passed = vec![false; shots.ordered.len()];
    let mut is_beside = passed.clone();
    for _ in 0..12 {
        let step = shots.world.step(DT).expect("sound");
        assert!(step.faults.is_empty());
        for (lane, [first, second]) in shots.ordered.iter().enumerate() {
            let [first, second] = [first, second].map(|id| shots.world.body(*id).expect("it is there").position());
            // What has slid along the wall and over its edge is free to go.
            is_beside[lane] |= (first - second).yz().abs().max_element() > 5.0;
            passed[lane] |= first.x > second.x && !is_beside[lane];
        }
    }
    (0..passed.len()).filter(|lane| passed[*lane]).collect()
}

#[test]
fn none_of_ten_thousand_shots_passes() {
    for seed in 0..100 {
        let passed = passed(shots(seed, Continuous::Default));
        assert!(passed.is_empty(), "seed {seed}: shots {passed:?}");
    }
}

#[test]
fn without_it_most_pass() {
    let all: usize = (0..10).map(|seed| passed(shots(seed, Continuous::Off)).len()).sum();
    assert!(all > 500, "{all} of 1000");
}

#[test]
fn none_passes_in_a_step_cut_at_impacts() {
    for seed in 0..5 {
        let passed = passed(shots(seed, Continuous::Adaptive));
        assert!(passed.is_empty(), "seed {seed}: shots {passed:?}");
    }
}

/// A step in pieces is the same as the pieces.
#[test]
fn substeps_are_steps() {
    let mut pieces = shots(3, Continuous::Off).world;
    let mut whole = shots(3, Continuous::Substeps(4)).world;
    for _ in 0..10 {
        whole.step(DT).expect("sound");
        for _ in 0..4 {
            pieces.step(DT / 4.0).expect("sound");
        }
        assert_eq!(whole.hash(), pieces.hash());
    }
}

/// A force of the user's acts through all pieces of a step.
#[test]
fn forces_last_for_the_whole_step() {
    for continuous in [Continuous::Off, Continuous::Default, Continuous::Adaptive, Continuous::Substeps(5)] {
        let mut world = World::builder().gravity([0.0, 0.0, 0.0]).continuous(continuous).build().expect("sound");
        let ball = Body::dynamic().shape(Shape::sphere(0.5).expect("sound"));
        let ball = world.add(ball).expect("sound");
        let mass = world.body(ball).expect("it is there").mass().expect("it has one");
        for _ in 0..60 {
            world.body_mut(ball).expect("it is there").apply_force([mass, 0.0, 0.0]).expect("finite");
            world.step(DT).expect("sound");
        }
        let speed = world.body(ball).expect("it is there").velocity().x;
        assert!((speed - 1.0).abs() < 1e-4, "{continuous:?}: {speed}");
    }
}

/// What was stopped is told of, and what it struck.
#[test]
fn stops_are_told() {
    let mut world = World::builder().gravity([0.0, 0.0, 0.0]).build().expect("sound");
    let wall = world.add(Body::fixed().shape(Shape::cuboid(0.001, 1.0, 1.0).expect("sound"))).expect("sound");
    let shot = Body::dynamic().at([-2.0, 0.0, 0.0]).velocity([240.0, 0.0, 0.0]);
    let shot = world.add(shot.shape(Shape::sphere(0.01).expect("sound"))).expect("sound");
    let step = world.step(DT).expect("sound");
    assert_eq!(step.stops.len(), 1);
    let stop = step.stops[0];
    assert_eq!((stop.body, stop.other), (shot, wall));
    // It goes 4 m in the step, and is to stop after 1.989.
    assert!((stop.time - 1.989 / 4.0).abs() < 0.001, "{}", stop.time);
    assert!(stop.normal.x > 0.999 && stop.point.x.abs() < 0.01);
    assert!(world.body(shot).expect("it is there").velocity().x > 239.0, "the contact takes the speed, not the stop");
    assert!(world.step(DT).expect("sound").stops.is_empty());
    assert!(world.body(shot).expect("it is there").velocity().x < 1.0);
}

/// A fast box that slides over a floor of many triangles is not held up.
#[test]
fn sliding_is_no_impact() {
    for kind in 0..2 {
        let mut world = World::default();
        let floor = if kind == 0 {
            Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(500.0, 0.5, 5.0).expect("sound"))
        } else {
            let vertices = (0..202).map(|index| {
                Vec3::new((index / 2) as f32 * 10.0 - 500.0, 0.0, if index % 2 == 0 { -5.0 } else { 5.0 })
            });
            let quads = (0..100u32).map(|quad| 2 * quad);
            let triangles = quads.flat_map(|first| [[first, first + 1, first + 2], [first + 1, first + 3, first + 2]]);
            let mesh = Shape::mesh(vertices.collect(), triangles.collect()).expect("sound");
            Body::fixed().shape(mesh)
        };
        world.add(floor.friction(0.0)).expect("sound");
        let slider = Body::dynamic().at([-400.0, 0.1, 0.0]).velocity([100.0, 0.0, 0.0]).friction(0.0);
        let slider = world.add(slider.shape(Shape::cuboid(0.1, 0.1, 0.1).expect("sound"))).expect("sound");
        for _ in 0..240 {
            world.step(DT).expect("sound");
        }
        let body = world.body(slider).expect("it is there");
        assert!((body.position().x - 0.0).abs() < 1.0, "floor {kind}: {}", body.position());
        assert!((body.position().y - 0.1).abs() < 0.01, "floor {kind}: {}", body.position());
    }
}

/// A rod that spins once in a step meets a post.
#[test]
fn a_spinning_rod_meets_a_post() {
    let mut world = World::builder().gravity([0.0, 0.0, 0.0]).build().expect("sound");
    world.add(Body::fixed().at([0.0, 0.0, 0.8]).shape(Shape::cylinder(1.0, 0.02).expect("sound"))).expect("sound");
    let rod = Body::dynamic().angular_velocity([0.0, 150.0, 0.0]).shape(Shape::cuboid(1.0, 0.01, 0.01).expect("sound"));
    let rod = world.add(rod).expect("sound");
    let step = world.step(DT).expect("sound");
    assert_eq!(step.stops.len(), 1, "it turns by 2.5 and is at the post after 1.57");
    let end = world.body(rod).expect("it is there").rotation() * Vec3::X;
    assert!(end.z.abs() > 0.99, "{end}");
}

/// What a wall that nothing stops has left behind, of things big and small, at rest or asleep.
fn left_behind(speed: f64, thickness: f64, sleeps: bool, continuous: Continuous) -> usize {
    let world = World::builder().gravity([0.0, 0.0, 0.0]).sleeping(sleeps).continuous(continuous);
    let mut world = world.build().expect("sound");
    let things: Vec<BodyId> = (0..60)
        .map(|index| {
            let size = [0.01, 0.05, 0.3][index % 3];
            let across = [2.0 * (index % 10) as f64 - 9.0, 2.0 * (index / 10) as f64];
            let at = [0.3 + speed * 0.002 * index as f64, across[0], across[1]];
            let shape = if index % 2 == 0 { Shape::sphere(size) } else { Shape::cuboid(size, size, size) };
            world.add(Body::dynamic().at(at).shape(shape.expect("sound"))).expect("sound")
        })
        .collect();
    let wall = Body::kinematic().at([-0.01 - thickness, 0.0, 0.0]);
    let wall = wall.shape(Shape::cuboid(thickness as f32, 30.0, 30.0).expect("sound"));
    let wall = world.add(wall).expect("sound");
    for _ in 0..90 {
        world.step(DT).expect("sound");
    }
    assert_eq!(things.iter().all(|id| world.body(*id).expect("it is there").is_asleep()), sleeps);
    world.body_mut(wall).expect("it is there").set_velocity([speed as f32, 0.0, 0.0]).expect("finite");
    let mut behind = vec![false; things.len()];
    for _ in 0..60 {
        world.step(DT).expect("sound");
        let [wall, _, _] = world.body(wall).expect("it is there").position().to_array();
        for (thing, behind) in things.iter().zip(&mut behind) {
            *behind |= world.body(*thing).expect("it is there").position().x < wall;
        }
    }
    if continuous == Continuous::Default {
        // It has met them all, and they are as fast as it is at the least.
        let slowest = things.iter().map(|thing| world.body(*thing).expect("it is there").velocity().x);
        let slowest = f64::from(slowest.fold(f32::INFINITY, f32::min));
        assert!(slowest > 0.99 * speed, "one goes at {slowest} m/s, the wall at {speed} m/s, {thickness} m thick");
    }
    behind.iter().filter(|behind| **behind).count()
}

#[test]
fn a_fast_kinematic_wall_takes_along_what_it_meets() {
    for (speed, thickness) in [(10.0, 0.001), (100.0, 0.001), (100.0, 0.5), (1000.0, 0.01), (3.0, 0.0005)] {
        for sleeps in [false, true] {
            let behind = left_behind(speed, thickness, sleeps, Continuous::Default);
            assert_eq!(behind, 0, "at {speed} m/s, {thickness} m thick, asleep: {sleeps}");
        }
    }
    let behind = left_behind(100.0, 0.001, false, Continuous::Off);
    assert!(behind > 20, "without it {behind} of 60");
}

/// A blade that turns by more than a right angle in a step, and nothing stops it, passes through none of the balls around.
#[test]
fn a_fast_kinematic_blade_hits_what_is_around() {
    let ball_at = |angle: f64, distance: f64| [distance * angle.cos(), 0.0, -distance * angle.sin()];
    for turn in [0.3, 1.0, 1.7] {
        for (angle, distance) in [(0.25, 0.8), (0.15, 0.3), (0.1, 0.95)] {
            let mut world = World::builder().gravity([0.0, 0.0, 0.0]).build().expect("sound");
            let spin = [0.0, turn / DT, 0.0];
            let blade = Body::kinematic().angular_velocity(spin).shape(Shape::cuboid(1.0, 0.2, 0.002).expect("sound"));
            let blade = world.add(blade).expect("sound");
            let ball = Body::dynamic().at(ball_at(angle, distance)).shape(Shape::sphere(0.02).expect("sound"));
            let ball = world.add(ball).expect("sound");
            let step = world.step(DT).expect("sound");
            assert_eq!(step.stops.len(), 1, "a turn by {turn}");
            for step in 0..5 {
                let [at, turned] = [ball, blade].map(|id| world.body(id).expect("it is there").pose());
                let in_blade = turned.rotation.conjugate() * at.position.as_vec3();
                // It is before the blade, or has flown beyond its end.
                let is_before = in_blade.z < 0.0 || in_blade.length() > 1.0;
                assert!(is_before, "a turn by {turn}, step {step}: {in_blade} seen from the blade");
                world.step(DT).expect("sound");
            }
            // It is hit no softer than the blade is fast where it is.
            let speed = f64::from(world.body(ball).expect("it is there").velocity().length());
            let of_blade = distance * f64::from(turn / DT);
            assert!(speed > 0.9 * of_blade, "a turn by {turn}: {speed} m/s, the blade {of_blade} m/s at {distance} m");
        }
    }
}

/// The same bodies stop at the same places whatever the number of threads.
#[test]
fn stops_do_not_depend_on_threads() {
    let hashes = [1, 2, 5].map(|threads| {
        let mut rng = fastrand::Rng::with_seed(8);
        let mut world = World::builder().threads(threads).build().expect("sound");
        world
            .add(Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(20.0, 0.5, 20.0).expect("sound")))
            .expect("sound");
        let drum = Body::kinematic().angular_velocity([0.0, 40.0, 0.0]).at([0.0, 1.0, 0.0]);
        world.add(drum.shape(Shape::cuboid(4.0, 0.5, 0.01).expect("sound"))).expect("sound");
        for _ in 0..300 {
            let place = (unit(&mut rng) * 6.0).abs() - Vec3::new(3.0, 0.0, 3.0);
            let body = Body::dynamic().at(place.as_dvec3()).velocity(unit(&mut rng) * 60.0);
            let body = body.angular_velocity(unit(&mut rng) * 30.0);
            let size = 0.03 + 0.1 * rng.f32();
            let shape = if rng.bool() { Shape::sphere(size) } else { Shape::cuboid(size, 0.3 * size, 2.0 * size) };
            world.add(body.shape(shape.expect("sound"))).expect("sound");
        }
        let mut stops = 0;
        for _ in 0..60 {
            stops += world.step(DT).expect("sound").stops.len();
        }
        assert!(stops > 500, "{stops}");
        (world.hash(), stops)
    });
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

const SOLVERS: [Solver; 4] = [
    Solver::SoftStep { substeps: 4 },
    Solver::ProjectedGaussSeidel { iterations: 32, warm: true },
    Solver::WorstFirst { iterations: 32, projection: Projection::Linear },
    Solver::WorstFirst { iterations: 32, projection: Projection::Nonlinear },
];

/// A world with a floor below y = 0 and one body, for a second; returns its greatest and its last energy as shares of that at
/// the start, and how fast and how high it is then.
fn land(solver: Solver, body: Body) -> [f64; 4] {
    let mut world = World::builder().gravity([0.0, -9.81, 0.0]).solver(solver).build().expect("sound");
    let floor = Body::fixed().at([0.0, -1.0, 0.0]).shape(Shape::cuboid(50.0, 1.0, 50.0).expect("sound"));
    world.add(floor.friction(0.8)).expect("sound");
    let id = world.add(body.friction(0.8).restitution(0.0)).expect("sound");
    let start = world.energy().total();
    let mut most: f64 = 0.0;
    for _ in 0..60 {
        world.step(DT).expect("sound");
        most = most.max(world.energy().total() / start);
    }
    let body = world.body(id).expect("it is there");
    [most, world.energy().total() / start, f64::from(body.velocity().length()), body.position().y]
}

#[test]
fn what_falls_fast_does_not_hang_above_the_floor() {
    for solver in SOLVERS {
        for (shape, height) in [
            (Shape::sphere(0.2), 0.2),
            (Shape::cuboid(0.2, 0.1, 0.3), 0.1),
            (Shape::capsule(0.3, 0.1), 0.4),
            (
                Shape::hull(
                    &[[0.2, -0.1, 0.0], [-0.2, -0.1, 0.2], [-0.2, -0.1, -0.2], [0.0, 0.3, 0.0]].map(Vec3::from),
                ),
                0.1,
            ),
        ] {
            for speed in [15.0, 40.0, 120.0] {
                let body = Body::dynamic().at([0.0, 2.0, 0.0]).velocity([0.0, -speed, 0.0]);
                let [most, _, fast, high] = land(solver, body.shape(shape.clone().expect("sound")));
                // In the step in which it is stopped it does not fall as far as it gains speed.
                assert!(most < 1.03, "{solver:?} at {speed} m/s: the energy is {most} of the first");
                assert!(fast < 0.5, "{solver:?} at {speed} m/s: still at {fast} m/s, {high} m high");
                assert!((high - height).abs() < 0.02, "{solver:?} at {speed} m/s: {high} m high instead of {height}");
            }
        }
    }
}

#[test]
fn what_tumbles_over_one_end_comes_down_on_the_other() {
    for solver in SOLVERS {
        for spin in [25.0, 35.0, 50.0] {
            // It nearly lies, the lower end a little in the floor, about which it turns.
            let rotation = Quat::from_rotation_z(1.3);
            let arm = 0.3 * (rotation * Vec3::Y) + Vec3::Y * 0.1;
            let body = Body::dynamic()
                .at(arm.as_dvec3())
                .rotated(rotation)
                .velocity((Vec3::Z * spin).cross(arm))
                .angular_velocity([0.0, 0.0, spin]);
            let [most, last, ..] = land(solver, body.shape(Shape::capsule(0.3, 0.12).expect("sound")));
            assert!(most < 1.05, "{solver:?}, {spin} rad/s: the energy is {most} of the first");
            assert!(last < 0.7, "{solver:?}, {spin} rad/s: the energy is {last} of the first, it has not come down");
        }
    }
}
