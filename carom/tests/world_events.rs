//! What steps tell, against what is plain to see.

mod law_worlds;

use carom::body::BodyShape;
use carom::prelude::*;
use carom::response::Solver;
use carom::world::ContactEvent;
use law_worlds::SOLVERS;
use std::collections::BTreeSet;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const DT: f32 = 1.0 / 60.0;

fn floor(world: &mut World) -> Result<BodyId, Box<dyn std::error::Error>> {
    Ok(world.add(Body::fixed().at([0.0, -0.5, 0.0]).shape(Shape::cuboid(20.0, 0.5, 20.0)?).restitution(1.0))?)
}

#[test]
fn a_bouncing_ball_begins_and_ends_in_turn() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        let floor = floor(&mut world)?;
        let ball =
            world.add(Body::dynamic().at([0.0, 2.0, 0.0]).shape(Shape::sphere(0.5)?).restitution(0.9).mass(2.0))?;
        let (mut touches, mut bounces) = (false, 0);
        for _ in 0..300 {
            let touched = touches;
            world.step(DT)?;
            let events = world.events();
            assert!(events.began().len() + events.ended().len() <= 1);
            for event in events.began() {
                assert!(!touches);
                assert_eq!([event.a.body, event.b.body], [floor, ball]);
                assert_eq!([event.a.slot], world.body(floor)?.slots()[..1]);
                touches = true;
            }
            for hit in events.hits() {
                bounces += 1;
                // What the ball had and what it has now, along the normal: the fall within the step is in neither.
                let after = world.body(ball)?.velocity().y;
                let expected = 2.0 * (hit.approach_speed + after);
                assert!((hit.impulse - expected).abs() < 0.05 * expected + 0.4, "{} and not {expected}", hit.impulse);
                assert!(hit.approach_speed >= 1.0 && hit.normal.y > 0.999);
                assert!(hit.point.y.abs() < 0.07 && hit.point.x.abs() < 1e-3, "{}", hit.point);
            }
            for _ in events.ended() {
                assert!(touches);
                touches = false;
            }
            assert_eq!(events.persisting().count(), usize::from(touched && touches));
        }
        assert!(bounces >= 2, "{bounces}");
    }
    Ok(())
}

#[test]
fn slow_touches_are_no_hits() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().hit_speed(3.0).solver(solver).build()?;
        floor(&mut world)?;
        // It falls by 0.2 m, to 2 m/s.
        world.add(Body::dynamic().at([0.0, 0.7, 0.0]).shape(Shape::sphere(0.5)?))?;
        let (mut began, mut hits) = (0, 0);
        for _ in 0..60 {
            world.step(DT)?;
            began += world.events().began().len();
            hits += world.events().hits().len();
        }
        assert_eq!(hits, 0);
        assert!(began >= 1);
    }
    Ok(())
}

#[test]
fn a_sensor_sees_what_comes_and_goes_and_pushes_nothing() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().gravity([0.0; 3]).solver(solver).build()?;
        let gate = world.add(Body::fixed().part(BodyShape::new(Shape::cuboid(1.0, 5.0, 5.0)?).sensor()))?;
        let ball =
            world.add(Body::dynamic().at([-3.0, 0.0, 0.0]).velocity([6.0, 0.0, 0.0]).shape(Shape::sphere(0.25)?))?;
        let carriage = Body::kinematic().at([3.0, 2.0, 0.0]).velocity([-6.0, 0.0, 0.0]).shape(Shape::sphere(0.25)?);
        let carriage = world.add(carriage)?;
        let (mut entered, mut left) = (Vec::new(), Vec::new());
        for _ in 0..90 {
            // Where the bodies were as the step began, which is what it collides.
            let inside = |id| -> Result<bool, BodyError> { Ok(world.body(id)?.position().x.abs() < 1.25 - 1e-4) };
            let outside = |id| -> Result<bool, BodyError> { Ok(world.body(id)?.position().x.abs() > 1.25 + 1e-4) };
            let before = [inside(ball)?, outside(ball)?, inside(carriage)?, outside(carriage)?];
            world.step(DT)?;
            for event in world.events().entered() {
                assert_eq!(event.sensor.body, gate);
                assert!(if event.other.body == ball { !before[1] } else { !before[3] });
                entered.push(event.other.body);
            }
            for event in world.events().left() {
                assert_eq!(event.sensor.body, gate);
                assert!(if event.other.body == ball { !before[0] } else { !before[2] });
                left.push(event.other.body);
            }
            assert!(world.events().began().is_empty());
        }
        entered.sort_unstable();
        left.sort_unstable();
        assert_eq!(entered, [ball, carriage]);
        assert_eq!(left, [ball, carriage]);
        assert_eq!(world.body(ball)?.velocity(), Vec3::X * 6.0);
    }
    Ok(())
}

#[test]
fn a_kinematic_body_that_is_put_into_a_sensor_is_seen() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        world.add(Body::fixed().part(BodyShape::new(Shape::sphere(1.0)?).sensor()))?;
        let id = world.add(Body::kinematic().at([5.0, 0.0, 0.0]).shape(Shape::sphere(0.2)?))?;
        world.step(DT)?;
        assert!(world.events().entered().is_empty());
        world.body_mut(id)?.set_pose(Pose::IDENTITY)?;
        world.step(DT)?;
        assert_eq!(world.events().entered().len(), 1);
        world.step(DT)?;
        assert!(world.events().entered().is_empty() && world.events().left().is_empty());
        world.remove(id)?;
        world.step(DT)?;
        assert_eq!(world.events().left().len(), 1);
        assert_eq!(world.events().left()[0].other.body, id);
    }
    Ok(())
}

#[test]
fn a_removed_body_ends_its_touches_once_and_a_sleeping_pair_is_silent() -> Outcome {
    for solver in SOLVERS {
        let mut world = World::builder().solver(solver).build()?;
        let floor = floor(&mut world)?;
        let below = world.add(Body::dynamic().at([0.0, 0.5, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
        let above = world.add(Body::dynamic().at([0.0, 1.5, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
        for _ in 0..120 {
            world.step(DT)?;
        }
        assert!(world.body(above)?.is_asleep());
        world.step(DT)?;
        let events = world.events();
        assert!(events.began().is_empty() && events.ended().is_empty());
        assert_eq!(events.persisting().count(), 0);
        world.remove(below)?;
        world.step(DT)?;
        let ended: Vec<[BodyId; 2]> = world.events().ended().iter().map(|event| [event.a.body, event.b.body]).collect();
        assert_eq!(ended, [[floor, below], [below, above]]);
        assert!(world.events().began().is_empty());
        assert!(!world.body(above)?.is_asleep());
        let mut began = Vec::new();
        for _ in 0..60 {
            world.step(DT)?;
            assert!(world.events().ended().iter().all(|event| event.a.body != below && event.b.body != below));
            began.extend(world.events().began().iter().map(|event| [event.a.body, event.b.body]));
        }
        assert!(began.contains(&[floor, above]), "it has fallen onto the floor: {began:?}");
    }
    Ok(())
}

#[test]
fn events_follow_each_other_for_every_pair_and_are_the_same_on_two_threads() -> Outcome {
    for solver in SOLVERS {
        let build = |threads: usize| -> Result<World, Box<dyn std::error::Error>> {
            let mut world = World::builder().threads(threads).solver(solver).build()?;
            floor(&mut world)?;
            let mut random = fastrand::Rng::with_seed(3);
            for _ in 0..150 {
                let place = DVec3::new(random.f64() * 4.0 - 2.0, 1.0 + random.f64() * 8.0, random.f64() * 4.0 - 2.0);
                world.add(Body::dynamic().at(place).shape(Shape::cuboid(0.3, 0.2, 0.25)?).restitution(0.4))?;
            }
            Ok(world)
        };
        let sleepers = |world: &World| -> BTreeSet<BodyId> {
            world.bodies().filter(|body| body.is_asleep()).map(|body| body.id()).collect()
        };
        let (mut one, mut two) = (build(1)?, build(2)?);
        let mut touching: BTreeSet<ContactEvent> = BTreeSet::new();
        let mut persisted = 0;
        for step in 0..200 {
            let slept = sleepers(&one);
            one.step(DT)?;
            two.step(DT)?;
            let (events, others) = (one.events(), two.events());
            assert_eq!(events.began(), others.began(), "step {step}");
            assert_eq!(events.ended(), others.ended(), "step {step}");
            assert_eq!(events.hits(), others.hits(), "step {step}");
            assert!(events.began().is_sorted() && events.ended().is_sorted());
            for event in events.ended() {
                assert!(touching.remove(event), "step {step}: ended without having begun");
            }
            // What falls asleep does so at the end of a step, and took part in it; what slept before and after did not.
            let sleeps = sleepers(&one);
            let took_part = |id: BodyId| -> Result<bool, BodyError> {
                Ok(one.body(id)?.kind() == BodyKind::Dynamic && !(slept.contains(&id) && sleeps.contains(&id)))
            };
            let mut expected = Vec::new();
            for event in &touching {
                if took_part(event.a.body)? || took_part(event.b.body)? {
                    expected.push(*event);
                }
            }
            let mut kept: Vec<ContactEvent> = events.persisting().collect();
            kept.sort_unstable();
            assert_eq!(kept, expected, "step {step}");
            persisted += kept.len();
            for event in events.began() {
                assert!(touching.insert(*event), "step {step}: began twice");
            }
        }
        assert!(touching.len() > 100, "{}", touching.len());
        assert!(persisted > 1000, "{persisted} prove little");
    }
    Ok(())
}

/// What falls on a body head on, that nothing moves or that is free.
struct Impact {
    solver: Solver,
    struck: Body,
    falling: Body,
    /// What of them closes and is stopped.
    mass: f32,
    restitution: f32,
    speed: f32,
}

impl Impact {
    /// By how much what the hit tells is off from m·(1 + e)·v, with the reduced mass where both move.
    fn is_off_by(&self) -> Result<f32, Box<dyn std::error::Error>> {
        let mut world = World::builder().gravity([0.0; 3]).solver(self.solver).build()?;
        world.add(self.struck.clone().restitution(self.restitution))?;
        world.add(self.falling.clone().velocity([0.0, -self.speed, 0.0]).restitution(self.restitution))?;
        let (mut hits, mut gained) = (Vec::new(), 0.0);
        for _ in 0..60 {
            world.step(DT)?;
            if !world.events().hits().is_empty() {
                hits.extend_from_slice(world.events().hits());
                let falling = world.bodies().last().ok_or("it falls")?;
                gained = falling.mass().ok_or("dynamic")? * (falling.velocity().y + self.speed);
            }
        }
        let [hit] = hits[..] else { return Err(format!("{hits:?}").into()) };
        assert!((hit.approach_speed / self.speed - 1.0).abs() < 1e-5, "{:?}: {hit:?}", self.solver);
        // Of several points that rebound one by one some are struck twice: then it is what the body has gained.
        let is_one_by_one = matches!(self.solver, Solver::WorstFirst { .. }) && self.restitution > 0.0;
        let expected = if is_one_by_one { gained } else { self.mass * (1.0 + self.restitution) * self.speed };
        Ok((hit.impulse / expected - 1.0).abs())
    }
}

/// The soft step pushes substep by substep: what strikes in the last one without a rebound is stopped in the next step only,
/// but told at once.
#[test]
fn a_hit_tells_the_impulse_of_the_impact() -> Outcome {
    let mut random = fastrand::Rng::with_seed(5);
    for solver in SOLVERS {
        let mut worst = 0.0f32;
        for case in 0..200 {
            let (restitution, speed) = ([0.0f32, 0.3, 0.7, 1.0][case % 4], 1.5 + 6.0 * random.f32());
            let is_struck_free = case % 3 == 0;
            let struck = if is_struck_free { Body::dynamic().mass(3.0) } else { Body::fixed() };
            let falling = Body::dynamic().at([0.0, 1.2 + random.f64(), 0.0]).mass(2.0).shape(Shape::sphere(0.5)?);
            let mass = if is_struck_free { 2.0 * 3.0 / (2.0 + 3.0) } else { 2.0 };
            let struck = struck.shape(Shape::sphere(0.5)?);
            let off = Impact { solver, struck, falling, mass, restitution, speed }.is_off_by()?;
            assert!(off < 0.01, "{solver:?}, case {case}: off by {off}");
            worst = worst.max(off);
        }
        println!("{solver:?}: off by {worst:.1e}");
    }
    Ok(())
}

/// The same with four points, and with the many of a floor of triangles.
#[test]
fn a_hit_of_several_points_tells_the_impulse_of_all() -> Outcome {
    let mut random = fastrand::Rng::with_seed(6);
    for solver in SOLVERS {
        let mut worst = 0.0f32;
        for case in 0..60 {
            let (restitution, speed) = ([0.0f32, 0.0, 0.4, 0.9][case % 4], 1.5 + 5.0 * random.f32());
            let side = |random: &mut fastrand::Rng| 0.2 + 0.5 * random.f32();
            let half = [side(&mut random), side(&mut random), side(&mut random)];
            let falling = Body::dynamic().mass(2.0).shape(Shape::cuboid(half[0], half[1], half[2])?);
            let falling = falling.at([0.0, 0.7 + f64::from(half[1]) + random.f64(), 0.0]);
            let (struck, mass) = match case % 3 {
                0 => (Body::fixed().shape(Shape::cuboid(3.0, 0.5, 3.0)?), 2.0),
                1 => (Body::dynamic().mass(30.0).shape(Shape::cuboid(3.0, 0.5, 3.0)?), 2.0 * 30.0 / (2.0 + 30.0)),
                _ => {
                    let corners = [[-3.1, -2.9], [2.8, -3.2], [3.3, 2.7], [-2.6, 3.1], [0.06, -0.03]];
                    let corners = corners.map(|[x, z]| Vec3::new(x, 0.5, z)).to_vec();
                    let triangles = vec![[1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4]];
                    (Body::fixed().shape(Shape::mesh(corners, triangles)?), 2.0)
                }
            };
            let off = Impact { solver, struck, falling, mass, restitution, speed }.is_off_by()?;
            assert!(off < 0.01, "{solver:?}, case {case}: off by {off}");
            worst = worst.max(off);
        }
        println!("{solver:?}: off by {worst:.1e}");
    }
    Ok(())
}
