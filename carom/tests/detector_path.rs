//! Paths through scenes against samples of them: what is proven free stays free however finely it is sampled, hits are
//! where sampling finds them, and no sample is nearer than the least clearance that is proven.

mod distance_shapes;
mod meshes;
mod random;

use carom::detector::{Detector, Filter, Key, Object, ObjectId, PathError, PathOptions, PathOutcome, PathReport};
use carom::glam::{DVec3, Quat};
use carom::impact::rigid::Sweep;
use carom::pose::Pose;
use carom::query;
use carom::shape::{Shape, TriangleMesh};
use distance_shapes::convex;
use fastrand::Rng;
use meshes::{FOLDER, read_obj};
use random::{cube, direction, rotation};

/// Where the linked objects are at a share of the way from a key to the next, by their places beside the first.
fn placed(scene: &Detector, linked: &[ObjectId], keys: &[Key], key: usize, share: f64) -> Vec<Pose> {
    let sweep = Sweep::between(keys[key].pose, keys[key + 1].pose, DVec3::ZERO);
    let base = *scene.get(linked[0]).unwrap().pose();
    let first = sweep.pose_at(share);
    linked.iter().map(|id| first.compose(&Pose::b_in_a(&base, scene.get(*id).unwrap().pose()))).collect()
}

/// The least distance of the linked objects from the others there.
fn sampled(scene: &Detector, linked: &[ObjectId], poses: &[Pose]) -> f64 {
    let mut least = f64::INFINITY;
    for (id, pose) in linked.iter().zip(poses) {
        for other in scene.objects().filter(|other| !linked.contains(&other.id)) {
            let (shape, object) = (scene.get(*id).unwrap().shape(), other.object);
            least = least.min(query::distance(shape, pose, object.shape(), object.pose()).unwrap().upper());
        }
    }
    least
}

/// Samples a path up to the hit, or to its end, and judges what was found.
fn judge(scene: &Detector, linked: &[ObjectId], keys: &[Key], report: &PathReport, samples: usize, rounding: f64) {
    let end = match report.outcome {
        PathOutcome::Free => f64::INFINITY,
        PathOutcome::Hit(hit) => hit.time,
        PathOutcome::Unproven(hit) => panic!("unproven {hit:?}"),
    };
    let lower = report.clearance.map_or(f64::INFINITY, |clearance| clearance.lower);
    let mut least = f64::INFINITY;
    for key in 0..keys.len() - 1 {
        for sample in 0..=samples {
            let share = sample as f64 / samples as f64;
            let time = keys[key].time + share * (keys[key + 1].time - keys[key].time);
            if time < end {
                least = least.min(sampled(scene, linked, &placed(scene, linked, keys, key, share)));
                assert!(least > 0.0 && least >= lower - rounding, "{least} at {time}: {report:?}");
            }
        }
    }
    match report.outcome {
        PathOutcome::Free => {
            let Some(clearance) = report.clearance else { return };
            // To within the precision, and what the tolerance takes from it.
            assert!(0.989 * clearance.distance <= least + 2.0 * rounding, "{least} is less than {clearance:?}");
            assert!(clearance.lower >= 0.989 * clearance.distance - 2.0 * rounding, "{clearance:?}");
            let between = clearance.on_mover.distance(clearance.on_obstacle);
            assert!((between - clearance.distance).abs() <= rounding, "{clearance:?}");
        }
        PathOutcome::Hit(hit) => {
            let key = keys.iter().rposition(|key| key.time <= hit.time).unwrap().min(keys.len() - 2);
            let share = (hit.time - keys[key].time) / (keys[key + 1].time - keys[key].time);
            let there = sampled(scene, linked, &placed(scene, linked, keys, key, share));
            assert!(there <= 2e-5 + rounding * 10.0, "{there} at the hit {hit:?}");
        }
        PathOutcome::Unproven(_) => {}
    }
}

fn random_scene(random: &mut Rng, count: usize) -> Detector {
    let mut scene = Detector::default();
    for _ in 0..count {
        let pose = Pose::new(cube(random) * 6.0, rotation(random));
        scene.insert(Object::new(convex(random, 3.0), pose)).unwrap();
    }
    scene
}

fn random_keys(random: &mut Rng, count: usize) -> Vec<Key> {
    let mut time = 0.0;
    (0..count)
        .map(|_| {
            time += 0.1 + random.f64();
            Key { time, pose: Pose::new(cube(random) * 5.0, rotation(random)) }
        })
        .collect()
}

#[test]
fn random_paths_are_as_sampling_finds_them() {
    let mut random = Rng::with_seed(1);
    let (mut free, mut hits) = (0, 0);
    for _ in 0..250 {
        let count = random.usize(1..12);
        let mut scene = random_scene(&mut random, count);
        let links = random.usize(1..4);
        let linked: Vec<ObjectId> = (0..links)
            .map(|_| {
                let pose = Pose::new(DVec3::splat(40.0) + direction(&mut random) * 0.8, rotation(&mut random));
                scene.insert(Object::new(convex(&mut random, 3.0), pose)).unwrap()
            })
            .collect();
        let keys = random_keys(&mut random, 3);
        let report = scene.check_path(&linked, &keys, &PathOptions::default()).unwrap();
        judge(&scene, &linked, &keys, &report, 60, 2.5e-5);
        match report.outcome {
            PathOutcome::Free => free += 1,
            _ => hits += 1,
        }
    }
    assert!(free > 50 && hits > 50, "{free} {hits}");
}

#[test]
fn threads_change_nothing() {
    let mut random = Rng::with_seed(2);
    let mut scene = random_scene(&mut random, 40);
    let rod = scene.insert(Object::new(Shape::cuboid(0.6, 0.1, 0.1).unwrap(), Pose::IDENTITY)).unwrap();
    let paths: Vec<Vec<Key>> = (0..60).map(|_| random_keys(&mut random, 4)).collect();
    let ask = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| scene.check_paths(&[rod], &paths, &PathOptions::default()))
    };
    let alone: Vec<_> = paths.iter().map(|keys| scene.check_path(&[rod], keys, &PathOptions::default())).collect();
    for threads in [1, 2, 5] {
        assert_eq!(ask(threads), alone);
    }
    assert!(alone.iter().any(|report| report.as_ref().unwrap().outcome == PathOutcome::Free));
    assert!(alone.iter().any(|report| report.as_ref().unwrap().outcome != PathOutcome::Free));
}

#[test]
fn filters_and_ignored_pairs_are_honoured() {
    let mut scene = Detector::default();
    let ball = |x: f64| Object::new(Shape::sphere(0.5).unwrap(), Pose::at([x, 0.0, 0.0]));
    let mover = scene.insert(ball(-5.0)).unwrap();
    let hand = scene.insert(ball(-6.0)).unwrap();
    let wall = scene.insert(ball(2.0)).unwrap();
    let keys = [0.0, 1.0].map(|time| Key { time, pose: Pose::at([10.0 * time - 5.0, 0.0, 0.0]) });
    let ask = |scene: &Detector| scene.check_path(&[mover, hand], &keys, &PathOptions::default()).unwrap();
    let PathOutcome::Hit(hit) = ask(&scene).outcome else { panic!() };
    assert!((hit.time - 0.6).abs() < 1e-5 && hit.time <= 0.6 && hit.mover == mover && hit.obstacle == wall, "{hit:?}");
    scene.ignore_pair(mover, wall).unwrap();
    let PathOutcome::Hit(hit) = ask(&scene).outcome else { panic!() };
    assert!((hit.time - 0.7).abs() < 1e-5 && hit.mover == hand, "{hit:?}");
    scene.set_filter(wall, Filter { groups: 2, mask: 2 }).unwrap();
    scene.set_filter(hand, Filter { groups: 1, mask: 1 }).unwrap();
    let report = ask(&scene);
    assert_eq!((report.outcome, report.clearance), (PathOutcome::Free, None));
}

/// A gate that is wider than the bar only when the bar is turned: the least clearance is half of what is left.
#[test]
fn the_least_clearance_is_that_of_the_gate() {
    let mut scene = Detector::default();
    for side in [-1.0, 1.0] {
        scene.insert(Object::new(Shape::cuboid(0.1, 5.0, 1.0).unwrap(), Pose::at([0.0, 0.0, side * 1.25]))).unwrap();
    }
    let bar = scene.insert(Object::new(Shape::cuboid(1.0, 0.1, 0.1).unwrap(), Pose::at([-9.0, 0.0, 0.0]))).unwrap();
    let keys = [0.0, 2.0].map(|time| Key { time, pose: Pose::at([5.0 * time - 5.0, 0.0, 0.0]) });
    let report = scene.check_path(&[bar], &keys, &PathOptions::default()).unwrap();
    let clearance = report.clearance.unwrap();
    assert!(report.outcome == PathOutcome::Free && (clearance.distance - 0.15).abs() < 1e-6, "{report:?}");
    assert!(clearance.lower > 0.148 && clearance.lower <= 0.15 && clearance.time > 0.7 && clearance.time < 1.3);
    // Within more than that it is a hit.
    let wide = PathOptions { within: 0.2, ..PathOptions::default() };
    assert!(matches!(scene.check_path(&[bar], &keys, &wide).unwrap().outcome, PathOutcome::Hit(_)));
    // Turning on the way it strikes, though it is free at both keys.
    let across = Pose::new(DVec3::new(5.0, 0.0, 0.0), Quat::from_rotation_y(3.0));
    let turning = [keys[0], Key { time: 2.0, pose: across }];
    assert!(matches!(
        scene.check_path(&[bar], &turning, &PathOptions::default()).unwrap().outcome,
        PathOutcome::Hit(_)
    ));
}

#[test]
fn unsound_paths_are_refused() {
    let mut scene = Detector::default();
    let ball = scene.insert(Object::new(Shape::sphere(0.5).unwrap(), Pose::IDENTITY)).unwrap();
    let key = |time: f64, x: f64| Key { time, pose: Pose::at([x, 0.0, 0.0]) };
    let ask = |linked: &[ObjectId], keys: &[Key]| scene.check_path(linked, keys, &PathOptions::default());
    assert_eq!(ask(&[], &[key(0.0, 0.0)]), Err(PathError::NoMovers));
    assert_eq!(ask(&[ball], &[]), Err(PathError::NoKeys));
    assert!(matches!(ask(&[ball], &[key(0.0, 0.0), key(0.0, 1.0)]), Err(PathError::Time { index: 1, .. })));
    assert!(matches!(ask(&[ball], &[key(f64::NAN, 0.0)]), Err(PathError::Time { index: 0, .. })));
    assert!(matches!(ask(&[ball], &[key(0.0, f64::NAN)]), Err(PathError::Key { index: 0, .. })));
    let bad = PathOptions { tolerance: f64::NAN, ..PathOptions::default() };
    assert!(matches!(scene.check_path(&[ball], &[key(0.0, 0.0)], &bad), Err(PathError::Option { .. })));
    assert_eq!(ask(&[ball], &[key(0.0, 0.0)]).unwrap().outcome, PathOutcome::Free);
    let mut other = Detector::default();
    let gone = other.insert(Object::new(Shape::sphere(0.5).unwrap(), Pose::IDENTITY)).unwrap();
    let _ = other.remove(gone).unwrap();
    assert!(matches!(other.check_path(&[gone], &[key(0.0, 0.0)], &PathOptions::default()), Err(PathError::Object(_))));
}

fn read(name: &str) -> Option<Shape> {
    let text = std::fs::read_to_string(format!("{FOLDER}/{name}")).ok()?;
    let (vertices, triangles) = read_obj(&text);
    Some(Shape::from(TriangleMesh::new(vertices, triangles).unwrap()))
}

/// The rigid body of FCL's tests through its environment: what is proven free stays so under a hundred times finer
/// sampling than ten poses, and hits are there.
#[test]
fn a_robot_through_its_environment() {
    let (Some(environment), Some(robot)) = (read("fcl/env.obj"), read("fcl/rob.obj")) else { return };
    let mut scene = Detector::default();
    scene.insert(Object::new(environment, Pose::IDENTITY)).unwrap();
    let robot = scene.insert(Object::new(robot, Pose::at([0.0, 0.0, 1e5]))).unwrap();
    let mut random = Rng::with_seed(3);
    let options = PathOptions { tolerance: 1e-2, ..PathOptions::default() };
    let (mut free, mut hits, mut tries) = (0, 0, 0);
    let start = std::time::Instant::now();
    let (mut asking, mut slowest) = (0.0f64, 0.0f64);
    while (free < 12 || hits < 12) && tries < 400 {
        tries += 1;
        let from = Pose::new(cube(&mut random) * DVec3::new(3000.0, 3000.0, 900.0), rotation(&mut random));
        let way = direction(&mut random) * 400.0 * random.f64();
        let turned = Quat::from_axis_angle(direction(&mut random).as_vec3().normalize(), 0.8 * random.f32());
        let to = Pose::new(from.position + way, (turned * from.rotation).normalize());
        let keys = [Key { time: 0.0, pose: from }, Key { time: 1.0, pose: to }];
        if sampled(&scene, &[robot], &[from]) == 0.0 {
            continue;
        }
        let began = start.elapsed().as_secs_f64();
        let report = scene.check_path(&[robot], &keys, &options).unwrap();
        let took = start.elapsed().as_secs_f64() - began;
        (asking, slowest) = (asking + took, slowest.max(took));
        let samples = match report.outcome {
            PathOutcome::Free => {
                free += 1;
                1000
            }
            _ => {
                hits += 1;
                100
            }
        };
        // f32 rotations move the robot's far ends by less than this.
        judge(&scene, &[robot], &keys, &report, samples, 2.5e-2);
    }
    println!("{free} free and {hits} hits in {tries} tries; {asking:.3} s to ask, the slowest {slowest:.3} s");
    assert!(free >= 5 && hits >= 5, "{free} {hits}");
}
