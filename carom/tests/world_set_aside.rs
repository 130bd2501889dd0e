//! A body that was set aside is as one that is disabled: its touches end, sensors tell that it left, no question finds it,
//! what rested on it falls; and the user can take it back.

mod law_worlds;

use carom::body::BodyShape;
use carom::prelude::*;
use carom::query::Ray;
use carom::response::Solver;
use law_worlds::{DT, Outcome, SOLVERS, add_floor, run, unit_cube};

/// A box of a gram on the floor, another on it, and a sensor that the lower one is in; all has come to rest.
struct Scene {
    world: World,
    floor: BodyId,
    below: BodyId,
    above: BodyId,
    gate: BodyId,
}

impl Scene {
    fn new(solver: Solver) -> Result<Self, Box<dyn std::error::Error>> {
        let mut world = World::builder().solver(solver).build()?;
        add_floor(&mut world, 0.5, 0.0)?;
        let floor = world.bodies().next().ok_or("no floor")?.id();
        let cube = |y: f64| -> Result<Body, ShapeError> {
            Ok(Body::dynamic().at([0.0, y, 0.0]).shape(unit_cube()?).mass(1e-3))
        };
        let (below, above) = (world.add(cube(0.4999)?)?, world.add(cube(1.4997)?)?);
        // Too low for the upper one.
        let eye = BodyShape::new(Shape::cuboid(2.0, 0.2, 0.2)?).sensor();
        let gate = world.add(Body::fixed().at([0.0, 0.3, 0.0]).part(eye))?;
        run(&mut world, 90)?;
        let scene = Self { world, floor, below, above, gate };
        assert_eq!(scene.touches_of(below), 3, "{solver:?}");
        assert!(scene.is_found(), "{solver:?}");
        Ok(scene)
    }

    /// Lets the lower box overflow in a step.
    fn break_below(&mut self) -> Outcome {
        self.world.body_mut(self.below)?.apply_force([0.0, 0.0, f32::MAX])?;
        self.world.step(DT)?;
        assert_eq!(self.world.last_step().faults.len(), 1);
        assert!(self.world.body(self.below)?.is_set_aside());
        Ok(())
    }

    /// How many shapes a body touches, sensors included.
    fn touches_of(&self, id: BodyId) -> usize {
        let of = |slot: u32| self.world.collider(slot).map(|collider| collider.body as usize);
        let index = self.world.bodies().position(|body| body.id() == id);
        self.world.met().filter(|met| met.is_touching && [of(met.pair.a), of(met.pair.b)].contains(&index)).count()
    }

    /// Whether questions find the lower box.
    fn is_found(&self) -> bool {
        let pose = self.world.body(self.below).expect("it is there").pose();
        let picks = |shape: carom::body::ShapeRef<'_>| shape.body.id() == self.below;
        let ray = Ray::new(pose.position + DVec3::Z * 3.0, [0.0, 0.0, -1.0]);
        let mut found = Vec::new();
        let shape = Shape::sphere(0.1).expect("a sphere");
        self.world.overlaps_with(&shape, &pose, &picks, &mut found).expect("an answer");
        let is_hit = self.world.ray_hits(&ray, &picks).expect("an answer");
        let is_near = self.world.project_point(pose.position, 1.0, &picks).expect("an answer").is_some();
        assert_eq!([is_hit, is_near], [!found.is_empty(); 2]);
        is_hit
    }
}

#[test]
fn its_touches_end_and_what_rested_on_it_falls() -> Outcome {
    for solver in SOLVERS {
        let Scene { floor, below, above, gate, .. } = Scene::new(solver)?;
        let mut scene = Scene::new(solver)?;
        scene.break_below()?;
        assert!(!scene.is_found(), "{solver:?}: found though it is set aside");
        // As with what is disabled, the next step tells of the end.
        let mut ended: Vec<_> = scene.world.events().ended().to_vec();
        let mut left: Vec<_> = scene.world.events().left().to_vec();
        scene.world.step(DT)?;
        ended.extend_from_slice(scene.world.events().ended());
        left.extend_from_slice(scene.world.events().left());
        let ended: Vec<_> = ended.iter().map(|event| [event.a.body, event.b.body]).collect();
        assert_eq!(ended, [[floor, below], [below, above]], "{solver:?}");
        let left: Vec<_> = left.iter().map(|event| [event.sensor.body, event.other.body]).collect();
        assert_eq!(left, [[gate, below]], "{solver:?}");
        assert_eq!(scene.touches_of(below), 0, "{solver:?}");
        let index = scene.world.bodies().position(|body| body.id() == below).ok_or("it is there")? as u32;
        let names = |manifold: &&carom::narrow::Manifold| [manifold.pair.a.body, manifold.pair.b.body].contains(&index);
        assert_eq!(scene.world.manifolds().filter(names).count(), 0, "{solver:?}");
        for _ in 0..60 {
            scene.world.step(DT)?;
            let told = scene.world.events();
            assert!(told.began().iter().all(|event| event.a.body != below && event.b.body != below), "{solver:?}");
            assert!(told.persisting().all(|event| event.a.body != below && event.b.body != below), "{solver:?}");
        }
        let height = scene.world.body(above)?.position().y;
        assert!((height - 0.5).abs() < 0.01, "{solver:?}: what lay on it is at {height} m");
    }
    Ok(())
}

#[test]
fn the_user_takes_it_back_by_a_pose_or_by_enabling_it() -> Outcome {
    let ways: [fn(&mut Scene) -> Outcome; 2] = [
        |scene| Ok(scene.world.body_mut(scene.below)?.set_pose(Pose::at([5.0, 1.0, 0.0]))?),
        |scene| {
            scene.world.body_mut(scene.below)?.set_enabled(true);
            Ok(())
        },
    ];
    for solver in SOLVERS {
        for (way, take_back) in ways.iter().enumerate() {
            let mut scene = Scene::new(solver)?;
            // Nothing may fall into it before it is back.
            let above = scene.above;
            scene.world.remove(above)?;
            scene.break_below()?;
            run(&mut scene.world, 30)?;
            // A velocity is kept, but moves nothing until then.
            scene.world.body_mut(scene.below)?.set_velocity([0.0, 0.3, 0.0])?;
            let still = scene.world.body(scene.below)?.pose();
            run(&mut scene.world, 2)?;
            assert_eq!(scene.world.body(scene.below)?.pose(), still, "{solver:?}, way {way}");
            scene.world.body_mut(scene.below)?.set_velocity([0.0; 3])?;
            take_back(&mut scene)?;
            assert!(!scene.world.body(scene.below)?.is_set_aside(), "{solver:?}, way {way}");
            assert!(scene.is_found(), "{solver:?}, way {way}");
            let mut began = Vec::new();
            for _ in 0..60 {
                scene.world.step(DT)?;
                began.extend(scene.world.events().began().iter().map(|event| [event.a.body, event.b.body]));
            }
            assert_eq!(began, [[scene.floor, scene.below]], "{solver:?}, way {way}");
            let body = scene.world.body(scene.below)?;
            assert!((body.position().y - 0.5).abs() < 0.01, "{solver:?}, way {way}: at {}", body.position());
            assert!(scene.is_found(), "{solver:?}, way {way}");
        }
    }
    Ok(())
}

/// That it was set aside is part of the state: a snapshot keeps it, and what is to be told of it.
#[test]
fn a_snapshot_keeps_what_is_to_be_told() -> Outcome {
    for solver in SOLVERS {
        let mut scene = Scene::new(solver)?;
        scene.break_below()?;
        let mut other = World::default();
        other.restore(&scene.world.snapshot());
        assert_eq!(other.hash(), scene.world.hash(), "{solver:?}");
        for _ in 0..10 {
            scene.world.step(DT)?;
            other.step(DT)?;
            assert_eq!(other.events().ended(), scene.world.events().ended(), "{solver:?}");
            assert_eq!(other.hash(), scene.world.hash(), "{solver:?}");
        }
    }
    Ok(())
}
