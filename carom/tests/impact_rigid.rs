//! Rigid time of impact against distances along the way: an advance by the greatest speed that any point can have finds
//! the first contact slowly and surely; no time that is returned may come after it, nor be much before.

mod distance_shapes;
mod meshes;
mod random;

use carom::glam::{DVec3, Quat, Vec3};
use carom::impact::rigid::{Impact, Options, Outcome, Sweep, time_of_impact};
use carom::pose::{LocalPose, Pose};
use carom::query;
use carom::shape::{Compound, HeightField, Part, Shape, TriangleMesh};
use distance_shapes::convex;
use fastrand::Rng;
use meshes::box_mesh;
use random::{between, cube, direction, rotation, vector};

/// How many cases to run: the usual number times `CAROM_CASES`.
fn cases(usual: usize) -> usize {
    let factor: f64 = std::env::var("CAROM_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    ((usual as f64 * factor) as usize).max(1)
}

struct Case {
    a: Shape,
    sweep_a: Sweep,
    b: Shape,
    sweep_b: Sweep,
    options: Options,
}

/// A radius around the centre that holds a shape; none for half-spaces.
fn radius(shape: &Shape, center: DVec3) -> f64 {
    let bounds = carom::bounds::Aabb::around_shape_at(shape, &Pose::IDENTITY);
    let (min, max) = (bounds.min.as_dvec3() - center, bounds.max.as_dvec3() - center);
    min.abs().max(max.abs()).length()
}

impl Case {
    fn distance(&self, time: f64) -> query::Distance {
        query::distance(&self.a, &self.sweep_a.pose_at(time), &self.b, &self.sweep_b.pose_at(time)).unwrap()
    }

    /// How fast the two come nearer, at the most.
    fn speed(&self) -> f64 {
        let of = |shape: &Shape, sweep: &Sweep| sweep.angular_velocity.length() * radius(shape, sweep.center);
        let closing = (self.sweep_a.velocity - self.sweep_b.velocity).length();
        let turning = |shape: &Shape, sweep: &Sweep| {
            let is_half_space = matches!(shape, Shape::HalfSpace(_));
            if is_half_space { 20.0 * sweep.angular_velocity.length() } else { of(shape, sweep) }
        };
        closing + turning(&self.a, &self.sweep_a) + turning(&self.b, &self.sweep_b)
    }

    /// What rotations that are rounded to f32 move.
    fn rounding(&self) -> f64 {
        let of = |shape: &Shape, sweep: &Sweep| {
            if matches!(shape, Shape::HalfSpace(_)) {
                sweep.velocity.length() + 10.0
            } else {
                radius(shape, sweep.center)
            }
        };
        5e-7 * (of(&self.a, &self.sweep_a) + of(&self.b, &self.sweep_b))
            + 1e-15 * (self.sweep_a.start.position.length() + self.sweep_a.velocity.length())
    }

    fn size(&self) -> f64 {
        let of = |shape: &Shape, sweep: &Sweep| {
            if matches!(shape, Shape::HalfSpace(_)) { 0.0 } else { radius(shape, sweep.center) }
        };
        of(&self.a, &self.sweep_a) + of(&self.b, &self.sweep_b)
    }

    fn ask(&self) -> Outcome {
        time_of_impact(&self.a, &self.sweep_a, &self.b, &self.sweep_b, &self.options).unwrap()
    }

    fn told(&self) -> String {
        format!("{:?} {:?}\n{:?} {:?}\n{:?}", self.a.kind(), self.sweep_a, self.b.kind(), self.sweep_b, self.options)
    }

    /// Asserts all that the answer promises, with so many distances.
    fn judge(&self, samples: usize) -> Outcome {
        let found = self.ask();
        let (gap, rounding) = (self.options.gap, self.rounding());
        let coarse = 4e-6 * self.size() + 1e-5 * custom(&self.a) + 1e-5 * custom(&self.b);
        let end = found.time().unwrap_or(self.options.most_time);
        let speed = self.speed().max(1e-9);
        // Until the end they must be farther apart; the steps are safe ones until these are too short to afford.
        let (mut time, least) = (0.0, end / samples as f64);
        while time < end && !matches!(found, Outcome::AtStart(_)) {
            let distance = self.distance(time);
            assert!(distance.upper() > gap - rounding, "{distance:?} at {time}, before {found:?}:\n{}", self.told());
            let safe = (distance.lower() - gap) / speed;
            time += safe.max(least);
        }
        match found {
            Outcome::Free => assert!(self.distance(end).upper() > gap - rounding, "{}", self.told()),
            Outcome::AtStart(impact) => {
                assert!(
                    self.distance(0.0).lower() <= gap + self.options.tolerance + coarse,
                    "{impact:?} {}",
                    self.told()
                );
                assert_eq!(impact.time, 0.0);
            }
            Outcome::Hit(impact) => {
                let distance = self.distance(impact.time);
                let most = gap + self.options.tolerance + coarse + rounding;
                assert!(distance.lower() <= most, "{distance:?} is early: {impact:?} {}", self.told());
                assert!(distance.upper() > gap - rounding, "{distance:?} is late: {impact:?} {}", self.told());
                assert!(impact.time > 0.0 && impact.time <= self.options.most_time);
                self.judge_points(&impact);
            }
            Outcome::Early(impact) => {
                assert!(self.distance(impact.time).upper() > gap - rounding, "{impact:?} {}", self.told());
            }
        }
        found
    }

    fn judge_points(&self, impact: &Impact) {
        let far = 4e-16 * impact.on_a.length();
        let between = impact.on_a.distance(impact.on_b);
        let tolerance = self.rounding() + 1e-9 + 10.0 * far + 1e-5 * (custom(&self.a) + custom(&self.b));
        assert!((between - impact.distance).abs() <= tolerance, "{between} {impact:?} {}", self.told());
        let sides = [(&self.a, &self.sweep_a, impact.on_a), (&self.b, &self.sweep_b, impact.on_b)];
        for (shape, sweep, point) in sides {
            let off = query::distance(shape, &sweep.pose_at(impact.time), &Shape::point(), &Pose::at(point));
            assert!(off.unwrap().lower() <= tolerance, "off the {}: {impact:?} {}", shape.kind(), self.told());
        }
        let along = impact.normal.as_dvec3().dot(impact.on_b - impact.on_a);
        assert!((impact.normal.length() - 1.0).abs() < 1e-5, "{impact:?} {}", self.told());
        assert!(along >= 0.99 * between - tolerance, "{along} of {between}: {impact:?} {}", self.told());
    }
}

fn custom(shape: &Shape) -> f64 {
    if matches!(shape, Shape::Custom(_)) { 1.0 } else { 0.0 }
}

/// A motion that leads near the origin more often than not.
fn sweep(random: &mut Rng, place: DVec3, turn: f64) -> Sweep {
    let start = direction(random) * (0.5 + 4.0 * random.f64());
    let pose = Pose::new(place + start, rotation(random));
    let way = (cube(random) * 0.7 - start) * [0.0, 0.5, 1.0, 2.0][random.usize(0..4)];
    let spin = direction(random) * turn * random.f64();
    let center = if random.bool() { DVec3::ZERO } else { cube(random) * 0.3 };
    Sweep::of(pose, way).turning(spin).about(center)
}

fn options(random: &mut Rng) -> Options {
    let gap = [0.0, 0.0, 1e-3, 0.2][random.usize(0..4)];
    let tolerance = [1e-5, 1e-4, 1e-3][random.usize(0..3)];
    Options { gap, tolerance, ..Options::default() }
}

#[derive(Default, Debug)]
struct Tally {
    free: usize,
    hits: usize,
    at_start: usize,
    early: usize,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Free => self.free += 1,
            Outcome::Hit(_) => self.hits += 1,
            Outcome::AtStart(_) => self.at_start += 1,
            Outcome::Early(_) => self.early += 1,
        }
    }
}

#[test]
fn convex_pairs_are_never_late() {
    let mut random = Rng::with_seed(1);
    let mut tally = Tally::default();
    for index in 0..cases(6000) {
        let ratio = [2.0, 2.0, 30.0][index % 3];
        let place = if index % 5 == 0 { DVec3::new(1e6, -2e6, 3e5) } else { DVec3::ZERO };
        let turn = [0.0, 3.0, 12.0][index % 3];
        let case = Case {
            a: convex(&mut random, ratio),
            sweep_a: sweep(&mut random, place, turn),
            b: convex(&mut random, ratio),
            sweep_b: Sweep { velocity: cube(&mut random), ..sweep(&mut random, place, turn) },
            options: options(&mut random),
        };
        tally.add(&case.judge(60));
    }
    println!("{tally:?}");
    assert!(tally.hits > cases(6000) / 8 && tally.free > cases(6000) / 8, "{tally:?}");
    assert!(tally.early * 1000 <= cases(6000), "{tally:?}");
}

fn hull_32(random: &mut Rng) -> Shape {
    let points: Vec<Vec3> = (0..32).map(|_| direction(random).as_vec3()).collect();
    Shape::hull(&points).unwrap()
}

#[test]
fn hulls_of_32_that_turn_up_to_170_degrees() {
    let mut random = Rng::with_seed(2);
    let mut tally = Tally::default();
    let shapes: Vec<Shape> = (0..8).map(|_| hull_32(&mut random)).collect();
    for index in 0..cases(3000) {
        let case = Case {
            a: shapes[index % 8].clone(),
            sweep_a: Sweep { center: DVec3::ZERO, ..sweep(&mut random, DVec3::ZERO, 2.967) },
            b: shapes[index / 8 % 8].clone(),
            sweep_b: Sweep::at(Pose::new(cube(&mut random), rotation(&mut random)))
                .turning(direction(&mut random) * 2.967 * random.f64()),
            options: Options::default(),
        };
        tally.add(&case.judge(60));
    }
    println!("{tally:?}");
    assert!(tally.hits > cases(3000) / 5 && tally.early == 0, "{tally:?}");
}

fn mesh(random: &mut Rng) -> Shape {
    let half = Vec3::new(between(random, 0.2, 1.0), between(random, 0.2, 1.0), between(random, 0.2, 1.0));
    let (mut vertices, triangles) = box_mesh(half, vector(random, 0.2));
    for vertex in &mut vertices {
        *vertex += vector(random, 0.1);
    }
    Shape::from(TriangleMesh::new(vertices, triangles).unwrap())
}

fn field(random: &mut Rng) -> Shape {
    let heights = (0..36).map(|_| between(random, -0.3, 0.3)).collect();
    Shape::from(HeightField::new(6, 6, heights, [0.5, 0.4]).unwrap())
}

fn compound(random: &mut Rng) -> Shape {
    let part = |random: &mut Rng| Part {
        pose: LocalPose::new(vector(random, 1.0), rotation(random)),
        shape: if random.u8(0..4) == 0 { mesh(random) } else { convex(random, 3.0) },
    };
    Shape::from(Compound::new((0..random.usize(1..5)).map(|_| part(random)).collect()).unwrap())
}

#[test]
fn meshes_fields_and_compounds_are_never_late() {
    let mut random = Rng::with_seed(3);
    let mut tally = Tally::default();
    let kinds: [fn(&mut Rng) -> Shape; 4] = [mesh, field, compound, |random| convex(random, 3.0)];
    for index in 0..cases(1200) {
        let turn = [0.0, 3.0][index % 2];
        let mut case = Case {
            a: kinds[index % 3](&mut random),
            sweep_a: sweep(&mut random, DVec3::ZERO, turn),
            b: kinds[index / 3 % 4](&mut random),
            sweep_b: Sweep { velocity: cube(&mut random), ..sweep(&mut random, DVec3::ZERO, turn) },
            options: options(&mut random),
        };
        if index % 7 < 3 {
            std::mem::swap(&mut case.a, &mut case.b);
        }
        tally.add(&case.judge(25));
    }
    println!("{tally:?}");
    assert!(tally.hits > cases(1200) / 8 && tally.free > cases(1200) / 8, "{tally:?}");
    assert!(tally.early * 100 <= cases(1200), "{tally:?}");
}

#[test]
fn half_spaces_are_never_passed() {
    let mut random = Rng::with_seed(4);
    let mut tally = Tally::default();
    let kinds: [fn(&mut Rng) -> Shape; 4] = [mesh, compound, field, |random| convex(random, 3.0)];
    for index in 0..cases(1000) {
        let turn = [0.0, 3.0, 0.5][index % 3];
        let (normal, turned) = (direction(&mut random).as_vec3(), rotation(&mut random));
        let depth = (2.0 + 5.0 * random.f64()) * (turned * normal).as_dvec3();
        let floor = Sweep::of(Pose::new(-depth, turned), cube(&mut random) * 3.0);
        let floor = floor.turning(direction(&mut random) * turn * random.f64() * f64::from(index as u32 % 2));
        let mut case = Case {
            a: Shape::half_space(normal).unwrap(),
            sweep_a: floor,
            b: kinds[index / 3 % 4](&mut random),
            sweep_b: sweep(&mut random, DVec3::ZERO, turn),
            options: options(&mut random),
        };
        if random.bool() {
            std::mem::swap(&mut case.a, &mut case.b);
            std::mem::swap(&mut case.sweep_a, &mut case.sweep_b);
        }
        tally.add(&case.judge(100));
    }
    println!("{tally:?}");
    assert!(tally.hits > cases(1000) / 8 && tally.free > cases(1000) / 10, "{tally:?}");
}

#[test]
fn exchanged_bodies_meet_at_the_same_time() {
    let mut random = Rng::with_seed(5);
    for _ in 0..cases(1000) {
        let case = Case {
            a: convex(&mut random, 3.0),
            sweep_a: sweep(&mut random, DVec3::ZERO, 3.0),
            b: convex(&mut random, 3.0),
            sweep_b: sweep(&mut random, DVec3::ZERO, 3.0),
            options: Options::default(),
        };
        let other = time_of_impact(&case.b, &case.sweep_b, &case.a, &case.sweep_a, &case.options).unwrap();
        match (case.ask(), other) {
            (Outcome::Hit(one), Outcome::Hit(other)) => {
                // A grazing one is near the aim for long.
                let gap = |impact: &Impact| impact.distance;
                assert!(
                    (one.time - other.time).abs() < 1e-3 || (gap(&one) - gap(&other)).abs() < 2e-5,
                    "{one:?} {other:?} {}",
                    case.told()
                );
            }
            (one, other) => {
                let is_same = std::mem::discriminant(&one) == std::mem::discriminant(&other);
                let grazes = [one, other].iter().any(|outcome| matches!(outcome, Outcome::Hit(_) | Outcome::Early(_)));
                assert!(is_same || grazes, "{one:?} {other:?} {}", case.told());
            }
        }
    }
}

/// A rod that turns about its middle meets a post at an angle that is known.
#[test]
fn a_spinning_rod_meets_a_post() {
    let rod = Shape::cuboid(2.0, 0.05, 0.05).unwrap();
    let post = Shape::cylinder(1.0, 0.1).unwrap();
    let first_angle = std::f64::consts::FRAC_PI_2 - (0.15f64 / 1.5).asin();
    for turns in [0.3, 1.0, 10.0, 100.0] {
        let angle = turns * std::f64::consts::TAU;
        let spin = Sweep::at(Pose::at([3e3, -5e3, 8e3])).turning([0.0, angle, 0.0]);
        let stand = Sweep::at(Pose::at([3e3, -5e3, 8e3 + 1.5]));
        let found = time_of_impact(&rod, &spin, &post, &stand, &Options::default()).unwrap();
        let Outcome::Hit(impact) = found else { panic!("{turns} {found:?}") };
        let late = impact.time * angle - first_angle;
        assert!(late <= 1e-7 && late > -2e-5, "{turns}: {late} {impact:?}");
    }
    // Beside its reach it passes.
    let stand = Sweep::at(Pose::at([0.0, 0.0, 2.11]));
    let spin = Sweep::at(Pose::IDENTITY).turning([0.0, 50.0, 0.0]);
    assert_eq!(time_of_impact(&rod, &spin, &post, &stand, &Options::default()).unwrap(), Outcome::Free);
}

/// A box that falls on the ridge between two triangles, turning.
#[test]
fn a_box_meets_the_edge_of_a_mesh() {
    let ridge = vec![
        Vec3::new(0.0, 0.0, -5.0),
        Vec3::new(0.0, 0.0, 5.0),
        Vec3::new(-5.0, -5.0, 0.0),
        Vec3::new(5.0, -5.0, 0.0),
    ];
    let roof = Shape::from(TriangleMesh::new(ridge, vec![[0, 2, 1], [0, 1, 3]]).unwrap());
    let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
    for spin in [0.0, 1.0, 5.0] {
        let fall = Sweep::of(Pose::at([0.1, 4.0, 0.2]), [0.0, -5.0, 0.0]).turning([0.0, spin, 0.0]);
        let found = time_of_impact(&cube, &fall, &roof, &Sweep::at(Pose::IDENTITY), &Options::default()).unwrap();
        let Outcome::Hit(impact) = found else { panic!("{found:?}") };
        assert!((impact.time - 0.7).abs() < 1e-5 && impact.time <= 0.7, "{impact:?}");
        assert!(impact.normal.y < -0.999 && impact.on_b.x.abs() < 1e-5, "{impact:?}");
    }
}

/// Two gears of eight teeth, one of which does not mesh with the other: they jam at an angle that sampling finds.
#[test]
fn two_gears_jam() {
    let gear = |offset: f32| {
        let hub = Part { pose: LocalPose::IDENTITY, shape: Shape::cylinder(0.2, 0.8).unwrap() };
        let teeth = (0..8).map(|tooth| {
            let turn = Quat::from_rotation_y(std::f32::consts::TAU * (tooth as f32 + offset) / 8.0);
            let shape = Shape::cuboid(0.25, 0.2, 0.1).unwrap();
            Part { pose: LocalPose::new(turn * Vec3::new(0.95, 0.0, 0.0), turn), shape }
        });
        Shape::from(Compound::new(std::iter::once(hub).chain(teeth).collect()).unwrap())
    };
    // A tooth of one stands opposite a gap of the other; they turn against each other at one speed, and mesh for ever.
    let case = |ratio: f64| Case {
        a: gear(0.0),
        sweep_a: Sweep::at(Pose::IDENTITY).turning([0.0, 1.5, 0.0]),
        b: gear(0.5),
        sweep_b: Sweep::at(Pose::at([2.15, 0.0, 0.0])).turning([0.0, -1.5 * ratio, 0.0]),
        options: Options::default(),
    };
    assert!(matches!(case(1.0).judge(2000), Outcome::Free));
    // At half the speed the teeth meet.
    let found = case(0.5).judge(2000);
    assert!(matches!(found, Outcome::Hit(_)), "{found:?}");
    let shared = found.time().unwrap();
    let first = (0..20_000).map(|i| f64::from(i) / 20_000.0).find(|time| case(0.5).distance(*time).upper() < 1e-9);
    assert!(first.is_some_and(|first| shared <= first && first - shared < 1e-3), "{first:?} {shared}");
}

#[test]
fn degenerate_motions_have_answers() {
    let (ball, cube) = (Shape::sphere(0.5).unwrap(), Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    let ask = |a: &Shape, sweep_a: Sweep, b: &Shape, sweep_b: Sweep| {
        time_of_impact(a, &sweep_a, b, &sweep_b, &Options::default()).unwrap()
    };
    let still = |x: f64| Sweep::at(Pose::at([x, 0.0, 0.0]));
    // No motion.
    assert_eq!(ask(&cube, still(0.0), &cube, still(1.1)), Outcome::Free);
    assert!(matches!(ask(&cube, still(0.0), &cube, still(1.0)), Outcome::AtStart(_)));
    assert!(matches!(ask(&cube, still(0.0), &cube, still(0.3)), Outcome::AtStart(_)));
    assert!(matches!(ask(&cube, still(0.0), &cube, still(0.0)), Outcome::AtStart(_)));
    // They move alike.
    let alike = |x: f64| Sweep::of(Pose::at([x, 0.0, 0.0]), [7.0, -3.0, 1.0]);
    assert_eq!(ask(&cube, alike(0.0), &cube, alike(1.1)), Outcome::Free);
    // A ball that spins in place, however fast; a cube whose corner is out of reach.
    assert_eq!(ask(&ball, still(0.0).turning([0.0, 0.0, 1e7]), &cube, still(1.1)), Outcome::Free);
    assert_eq!(ask(&cube, still(0.0).turning([1e6, 2e6, 0.0]), &cube, still(1.8)), Outcome::Free);
    // Fast spins within reach end early or hit, never free.
    for spin in [5.0, 1e3, 1e6] {
        let found = ask(&cube, still(0.0).turning([0.0, 0.0, spin]), &cube, still(1.1));
        assert!(matches!(found, Outcome::Hit(_) | Outcome::Early(_)), "{spin} {found:?}");
        assert!(found.time().unwrap() * spin < 0.2279, "{spin} {found:?}");
    }
    // Sliding beside each other, parallel.
    let slide = Sweep::of(Pose::at([-5.0, 1.001, 0.0]), [10.0, 0.0, 0.0]);
    assert_eq!(ask(&cube, slide, &cube, still(0.0)), Outcome::Free);
    // Points and segments.
    let (point, edge) = (Shape::point(), Shape::segment([0.0, -1.0, 0.0], [0.0, 1.0, 0.0]).unwrap());
    let found = ask(&point, Sweep::of(Pose::at([-1.0, 0.0, 0.0]), [2.0, 0.0, 0.0]), &edge, still(0.0));
    assert!(matches!(found, Outcome::Hit(impact) if impact.time <= 0.5 && impact.time > 0.4999), "{found:?}");
    // From tiny to huge.
    let (grain, hall) = (Shape::sphere(1e-6).unwrap(), Shape::cuboid(1e4, 1e4, 1e4).unwrap());
    let found = ask(&grain, Sweep::of(Pose::at([-2e4, 0.0, 0.0]), [2e4, 0.0, 0.0]), &hall, still(0.0));
    assert!(matches!(found, Outcome::Hit(impact) if impact.time <= 0.5 && impact.time > 0.4999), "{found:?}");
    // No time at all.
    let none = Options { most_time: 0.0, ..Options::default() };
    let apart = time_of_impact(&cube, &slide, &cube, &still(0.0), &none).unwrap();
    assert_eq!(apart, Outcome::Free);
    let within = time_of_impact(&cube, &still(0.5), &cube, &still(0.0), &none).unwrap();
    assert!(matches!(within, Outcome::AtStart(_)));
}

#[test]
fn unsound_questions_are_refused() {
    let ball = Shape::sphere(0.5).unwrap();
    let still = Sweep::at(Pose::IDENTITY);
    let far = Sweep::at(Pose::at([3.0, 0.0, 0.0]));
    let ask = |sweep: Sweep, options: Options| time_of_impact(&ball, &sweep, &ball, &far, &options);
    let usual = Options::default();
    assert!(ask(still, usual).is_ok());
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(ask(still, Options { tolerance: bad, ..usual }).is_err());
        assert!(ask(still, Options { gap: bad, ..usual }).is_err());
        assert!(ask(still, Options { most_time: bad, ..usual }).is_err());
    }
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let vector = DVec3::new(0.0, bad, 0.0);
        assert!(ask(Sweep { velocity: vector, ..still }, usual).is_err());
        assert!(ask(Sweep { angular_velocity: vector, ..still }, usual).is_err());
        assert!(ask(Sweep { center: vector, ..still }, usual).is_err());
        assert!(ask(Sweep { start: Pose::at(vector), ..still }, usual).is_err());
    }
}

#[test]
fn a_sweep_between_poses_starts_and_ends_there() {
    let mut random = Rng::with_seed(6);
    for _ in 0..2000 {
        let pose = |random: &mut Rng| Pose::new(cube(random) * 10.0, rotation(random));
        let (from, to) = (pose(&mut random), pose(&mut random));
        let sweep = Sweep::between(from, to, cube(&mut random));
        assert!(sweep.angular_velocity.length() <= std::f64::consts::PI + 1e-6);
        for (time, pose) in [(0.0, from), (1.0, to)] {
            let found = sweep.pose_at(time);
            assert!(found.position.distance(pose.position) < 1e-6, "{found:?} {pose:?}");
            assert!(found.rotation.dot(pose.rotation).abs() > 1.0 - 1e-6, "{found:?} {pose:?}");
        }
        let later = sweep.after(0.4).pose_at(0.35);
        let at_once = sweep.pose_at(0.75);
        assert!(later.position.distance(at_once.position) < 1e-5);
    }
}
