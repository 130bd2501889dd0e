//! Linear casts of convex shapes against the distance along the way: it is a convex function of time, so a search finds
//! its least value and a bisection the first time at which it is small enough.

mod distance_shapes;
mod random;

use carom::glam::{DVec3, Quat, Vec3};
use carom::pose::{LocalPose, Pose};
use carom::query::{self, Cast, Distance, Impact, QueryError, Sweep};
use carom::shape::{Part, Shape};
use distance_shapes::{Told, convex, golden};
use fastrand::Rng;
use random::{cube, direction, rotation};

/// One question with all that an answer is judged by.
#[derive(Debug)]
struct Case {
    a: Shape,
    pose_a: Pose,
    b: Shape,
    pose_b: Pose,
    sweep: Sweep,
}

impl Case {
    /// A cast whose way leads near the second shape more often than not.
    fn random(random: &mut Rng, ratio: f32, place: DVec3) -> Self {
        let (a, b) = (convex(random, ratio), convex(random, ratio));
        let pose_a = Pose::new(place, rotation(random));
        let pose_b = Pose::new(place + direction(random) * 6.0 * random.f64(), rotation(random));
        let toward = pose_b.position + cube(random) - pose_a.position;
        let motion = toward * [0.3, 1.0, 3.0, -1.0][random.usize(0..4)];
        let within = [0.0, 0.0, 1e-3, 0.5][random.usize(0..4)];
        Self { a, pose_a, b, pose_b, sweep: Sweep::by(motion).within(within) }
    }

    fn cast(&self) -> Cast {
        query::cast(&self.a, &self.pose_a, &self.b, &self.pose_b, &self.sweep).unwrap()
    }

    fn pose_at(&self, time: f64) -> Pose {
        Pose { position: self.pose_a.position + time * self.sweep.motion, ..self.pose_a }
    }

    fn distance(&self, time: f64) -> f64 {
        query::distance(&self.a, &self.pose_at(time), &self.b, &self.pose_b).unwrap().value()
    }

    /// The time of least distance, and the distance.
    fn nearest(&self) -> (f64, f64) {
        let (time, _) = golden(|time| self.distance(time), 0.0, 1.0, 80);
        let ends = [0.0, time, 1.0].map(|time| (time, self.distance(time)));
        ends.into_iter().min_by(|p, q| p.1.total_cmp(&q.1)).unwrap()
    }

    fn tolerance(&self) -> f64 {
        let is_custom = |shape: &Shape| matches!(shape, Shape::Custom(_));
        let coarse = if is_custom(&self.a) || is_custom(&self.b) { 2e-5 } else { 0.0 };
        let far = self.pose_a.position.length() * 1e-15;
        1e-8 + coarse + 1e-12 * self.sweep.motion.length() + far
    }

    /// How much farther than asked a hit may be.
    fn early(&self) -> f64 {
        let is_sharp = self.sweep.within < 0.1;
        self.tolerance() + if is_sharp { 5e-5 } else { 0.0 }
    }

    /// Asserts all that the answer promises.
    fn judge(&self) -> Cast {
        let found = self.cast();
        let within = self.sweep.within;
        let (nearest, least) = self.nearest();
        let tolerance = self.tolerance();
        match found {
            Cast::Miss => assert!(least > within - tolerance, "missed: {least} at {nearest} {self:?}"),
            Cast::Hit(impact) => {
                let distance = self.distance(impact.time);
                assert!(distance >= within - tolerance * 1e-2, "too late: {distance} {impact:?} {self:?}");
                assert!(distance <= within + self.early(), "too early: {distance} {impact:?} {self:?}");
                assert!((0.0..=1.0).contains(&impact.time) && self.distance(0.0) > within);
                self.judge_first(&impact, nearest, least);
                self.judge_points(&impact);
            }
            Cast::AtStart(impact) => {
                assert_eq!(impact.time, 0.0);
                assert!(self.distance(0.0) <= within + tolerance, "not at the start: {impact:?} {self:?}");
                let depth = -query::penetration(&self.a, &self.pose_a, &self.b, &self.pose_b).unwrap().depth;
                assert!((depth - impact.distance).abs() < 1e-6, "{depth} {impact:?} {self:?}");
            }
            Cast::Undecided(impact) => panic!("undecided {impact:?} {self:?}"),
        }
        found
    }

    /// By bisection between the start and the nearest time.
    fn judge_first(&self, impact: &Impact, nearest: f64, least: f64) {
        if least > self.sweep.within {
            // It only grazes: the tolerance decides.
            return;
        }
        let (mut before, mut after) = (0.0, nearest);
        for _ in 0..60 {
            let middle = 0.5 * (before + after);
            if self.distance(middle) > self.sweep.within { before = middle } else { after = middle }
        }
        let early = 1e-12 + self.tolerance() * 1e-2 / self.sweep.motion.length().max(1e-9);
        assert!(impact.time <= after + early, "after {after}: {impact:?} {self:?}");
    }

    fn judge_points(&self, impact: &Impact) {
        let tolerance = 10.0 * self.tolerance() + self.early() + 1e-15 * impact.on_a.length();
        let between = impact.on_a.distance(impact.on_b);
        assert!((between - self.sweep.within).abs() <= tolerance, "{between} {impact:?} {self:?}");
        let pose = self.pose_at(impact.time);
        for (shape, pose, point) in [(&self.a, &pose, impact.on_a), (&self.b, &self.pose_b, impact.on_b)] {
            let off = query::distance(shape, pose, &Shape::point(), &Pose::at(point)).unwrap().value();
            assert!(off <= tolerance, "{off} off the {}: {impact:?} {self:?}", shape.kind());
        }
        assert!((impact.normal.length() - 1.0).abs() < 1e-5, "{impact:?} {self:?}");
    }
}

fn judge_many(seed: u64, count: usize, ratio: f32, place: DVec3) {
    let mut random = Rng::with_seed(seed);
    let mut counts = [0; 3];
    let mut coarse = 0;
    for _ in 0..count {
        let case = Case::random(&mut random, ratio, place);
        let found = case.judge();
        if let Cast::Hit(impact) = found {
            coarse += usize::from(case.distance(impact.time) > case.sweep.within + case.tolerance());
        }
        counts[match found {
            Cast::Miss => 0,
            Cast::Hit(_) => 1,
            Cast::AtStart(_) | Cast::Undecided(_) => 2,
        }] += 1;
    }
    println!("misses, hits, at the start: {counts:?}; hits farther than 1e-8: {coarse}");
    assert!(coarse <= counts[1] / 50, "{coarse} of {} hits are farther than 1e-8", counts[1]);
    assert!(counts.iter().all(|counted| *counted > count / 20), "{counts:?}");
}

#[test]
fn convex_pairs() {
    judge_many(1, 12_000, 5.0, DVec3::ZERO);
}

#[test]
fn large_and_small() {
    judge_many(2, 3_000, 1e3, DVec3::ZERO);
}

#[test]
fn far_from_the_origin() {
    judge_many(3, 3_000, 5.0, DVec3::new(1e6, -1e6, 1e6));
}

#[test]
fn known_supports_only() {
    let mut random = Rng::with_seed(4);
    for _ in 0..1_000 {
        let mut case = Case::random(&mut random, 3.0, DVec3::ZERO);
        case.a = Shape::custom(Told(convex(&mut random, 3.0)));
        case.judge();
    }
}

#[test]
fn mirrored_and_moved() {
    let mut random = Rng::with_seed(5);
    for _ in 0..3_000 {
        let case = Case::random(&mut random, 5.0, DVec3::ZERO);
        let there = case.cast();
        let back = Sweep { motion: -case.sweep.motion, ..case.sweep };
        let back = query::cast(&case.b, &case.pose_b, &case.a, &case.pose_a, &back).unwrap();
        match (there.impact(), back.impact()) {
            (Some(there), Some(back)) => {
                // Near a grazing hit the tolerance of the distance is wide in time.
                let apart = case.distance(there.time) - case.distance(back.time);
                assert!(apart.abs() < case.early(), "{there:?} {back:?} {case:?}");
                assert!(
                    there.normal.dot(back.normal) < -0.9 || case.sweep.within == 0.0,
                    "{there:?} {back:?} {case:?}"
                );
            }
            (None, None) => {}
            (Some(_), None) | (None, Some(_)) => {
                let least = case.nearest().1;
                assert!((least - case.sweep.within).abs() < case.early(), "{there:?} {back:?} {least} {case:?}");
            }
        }
    }
}

/// A ball that passes by another at a known distance: the first times are known in closed form.
#[test]
fn tangent_ways() {
    let mut random = Rng::with_seed(6);
    let shapes = [
        Shape::sphere(1.0).unwrap(),
        Shape::capsule_between([0.0, 0.0, -1.0], [0.0, 0.0, 1.0], 1.0).unwrap(),
        Shape::cylinder(1.0, 1.0).unwrap(),
        Shape::ellipsoid(1.0, 1.0, 1.0).unwrap(),
    ];
    for _ in 0..500 {
        let miss = 10.0f64.powf(-12.0 + 11.5 * random.f64()) * if random.bool() { 1.0 } else { -1.0 };
        for shape in &shapes {
            let turned = if matches!(shape, Shape::Cylinder(_)) {
                Quat::from_rotation_x(std::f32::consts::FRAC_PI_2)
            } else {
                Quat::IDENTITY
            };
            let ball = Shape::sphere(0.5).unwrap();
            let start = Pose::at([-5.0, 1.5 + miss, 0.0]);
            let found =
                query::cast(&ball, &start, shape, &Pose::new(DVec3::ZERO, turned), &Sweep::by([10.0, 0.0, 0.0]));
            match found.unwrap() {
                Cast::Miss => assert!(miss > 0.0, "{shape:?} {miss}"),
                Cast::Hit(impact) => {
                    assert!(miss < 2e-5, "{shape:?} {miss}");
                    let half = (1.5f64.powi(2) - (1.5 + miss).powi(2)).max(0.0).sqrt();
                    // One that only grazes comes near enough anywhere around the middle.
                    let expected = (5.0 - half) / 10.0;
                    let allowed = if miss > 0.0 { 1e-2 } else { 1e-7 };
                    assert!(impact.time <= expected + allowed, "{} {expected} {miss}", impact.time);
                    assert!(impact.time >= expected - 1e-2, "{} {expected} {miss}", impact.time);
                }
                other => panic!("{other:?} {miss}"),
            }
        }
    }
}

#[test]
fn half_spaces() {
    let mut random = Rng::with_seed(7);
    let mut hits = 0;
    for _ in 0..2_000 {
        let mut case = Case::random(&mut random, 5.0, DVec3::ZERO);
        case.b = Shape::half_space(direction(&mut random).as_vec3()).unwrap();
        hits += usize::from(matches!(case.judge(), Cast::Hit(_)));
        std::mem::swap(&mut case.a, &mut case.b);
        case.sweep.motion = -case.sweep.motion;
        case.judge();
    }
    assert!(hits > 200, "{hits}");
    let (up, down) = (Shape::half_space([0.0, 1.0, 0.0]).unwrap(), Shape::half_space([0.0, -1.0, 0.0]).unwrap());
    let above = Pose::at([0.0, 3.0, 0.0]);
    let found = query::cast(&up, &Pose::IDENTITY, &down, &above, &Sweep::by([0.0, 6.0, 0.0])).unwrap();
    assert!((found.time().unwrap() - 0.5).abs() < 1e-9);
    let found = query::cast(&up, &Pose::IDENTITY, &up, &above, &Sweep::by([0.0, 6.0, 0.0])).unwrap();
    assert!(matches!(found, Cast::AtStart(_)));
}

#[test]
fn at_rest_and_in_contact() {
    let (cube, floor) = (Shape::cuboid(0.5, 0.5, 0.5).unwrap(), Shape::cuboid(9.0, 0.5, 9.0).unwrap());
    let on_it = Pose::at([0.0, 1.0, 0.0]);
    for motion in [DVec3::ZERO, DVec3::X, DVec3::Y, -DVec3::Y] {
        let found = query::cast(&cube, &on_it, &floor, &Pose::IDENTITY, &Sweep::by(motion)).unwrap();
        assert!(matches!(found, Cast::AtStart(impact) if impact.distance.abs() < 1e-7), "{motion} {found:?}");
        let sweep = Sweep::by(motion).ignoring_parting();
        let found = query::cast(&cube, &on_it, &floor, &Pose::IDENTITY, &sweep).unwrap();
        let goes_in = motion.y < 0.0;
        assert_eq!(matches!(found, Cast::AtStart(_)), goes_in, "{motion} {found:?}");
        assert_eq!(found == Cast::Miss, !goes_in, "{motion} {found:?}");
        let above = Pose::at([0.0, 1.5, 0.0]);
        let found = query::cast(&cube, &above, &floor, &Pose::IDENTITY, &Sweep::by(motion)).unwrap();
        assert_eq!(found.time().map(|time| (time * 1e6).round()), goes_in.then_some(5e5), "{motion} {found:?}");
    }
    // In the middle of each other.
    let found = query::cast(&cube, &Pose::IDENTITY, &cube, &Pose::IDENTITY, &Sweep::by([1.0, 0.0, 0.0])).unwrap();
    assert!(matches!(found, Cast::AtStart(impact) if (impact.distance + 1.0).abs() < 1e-9), "{found:?}");
    let point = Shape::point();
    let found = query::cast(&point, &Pose::IDENTITY, &point, &Pose::IDENTITY, &Sweep::by(DVec3::ZERO)).unwrap();
    assert!(matches!(found, Cast::AtStart(_)), "{found:?}");
    let found = query::cast(&point, &Pose::IDENTITY, &point, &Pose::at([2.0, 0.0, 0.0]), &Sweep::by([4.0, 0.0, 0.0]));
    assert!((found.unwrap().time().unwrap() - 0.5).abs() < 1e-6);
}

#[test]
fn huge_next_to_tiny_and_long_ways() {
    let (grain, wall) = (Shape::sphere(1e-4).unwrap(), Shape::cuboid(1.0, 1e5, 1e5).unwrap());
    let start = Pose::at([-1e6, 123.0, -456.0]);
    let found = query::cast(&grain, &start, &wall, &Pose::IDENTITY, &Sweep::by([2e6, 0.0, 0.0])).unwrap();
    let expected = (1e6 - 1.0 - f64::from(1e-4f32)) / 2e6;
    let time = found.time().unwrap();
    assert!(time <= expected + 1e-15 && expected - time < 1e-9, "{time} {expected}");
    let tiny = Shape::cuboid(1e-5, 1e-5, 1e-5).unwrap();
    let found = query::cast(&tiny, &Pose::at([-1.0, 0.0, 0.0]), &tiny, &Pose::IDENTITY, &Sweep::by([1e8, 0.0, 0.0]));
    let moved = found.unwrap().time().unwrap() * 1e8;
    assert!((moved - 0.99998).abs() < 3e-5, "{moved}");
}

#[test]
fn compounds_are_their_parts() {
    let mut random = Rng::with_seed(8);
    for _ in 0..300 {
        let mut part = || {
            let pose = LocalPose::new(cube(&mut random).as_vec3() * 2.0, rotation(&mut random));
            Part { pose, shape: convex(&mut random, 3.0) }
        };
        let parts = vec![part(), part(), part()];
        let case = Case::random(&mut random, 3.0, DVec3::ZERO);
        let whole = Shape::compound(parts.clone()).unwrap();
        let found = query::cast(&whole, &case.pose_a, &case.b, &case.pose_b, &case.sweep).unwrap();
        let one_by_one = parts.iter().map(|part| {
            let pose = case.pose_a.compose(&part.pose);
            query::cast(&part.shape, &pose, &case.b, &case.pose_b, &case.sweep).unwrap()
        });
        let first = one_by_one.filter_map(|cast| cast.time()).min_by(f64::total_cmp);
        match (found.time(), first) {
            (Some(found), Some(first)) => assert!((found - first).abs() < 1e-5, "{found} {first} {case:?}"),
            (None, None) => {}
            // The parts' poses are rounded to f32 when they are composed.
            (Some(_), None) | (None, Some(_)) => println!("grazing: {found:?} {first:?}"),
        }
    }
}

#[test]
fn bad_questions_are_refused() {
    let ball = Shape::sphere(1.0).unwrap();
    let ask = |pose: Pose, sweep: Sweep| query::cast(&ball, &pose, &ball, &Pose::at([5.0, 0.0, 0.0]), &sweep);
    let fine = Sweep::by([9.0, 0.0, 0.0]);
    assert!(matches!(ask(Pose::at([f64::NAN, 0.0, 0.0]), fine), Err(QueryError::Pose { .. })));
    assert!(matches!(ask(Pose::IDENTITY, Sweep::by([f64::NAN, 0.0, 0.0])), Err(QueryError::Vector { .. })));
    assert!(matches!(ask(Pose::IDENTITY, Sweep::by([f64::INFINITY, 0.0, 0.0])), Err(QueryError::Vector { .. })));
    assert!(matches!(ask(Pose::IDENTITY, Sweep::by([1e41, 0.0, 0.0])), Err(QueryError::TooFar { .. })));
    assert!(matches!(ask(Pose::IDENTITY, fine.within(-1.0)), Err(QueryError::Within(_))));
    assert!(matches!(ask(Pose::IDENTITY, fine.within(f64::NAN)), Err(QueryError::Within(_))));
    assert!(matches!(ask(Pose::IDENTITY, Sweep::along(DVec3::ZERO, 1.0)), Err(QueryError::Vector { .. })));
    let nonsense = Shape::custom(Nonsense);
    let found = query::cast(&nonsense, &Pose::IDENTITY, &ball, &Pose::at([5.0, 0.0, 0.0]), &fine);
    assert!(matches!(found, Err(QueryError::Support { .. })), "{found:?}");
    assert!(matches!(ask(Pose::IDENTITY, fine).unwrap(), Cast::Hit(_)));
    let apart = query::distance(&ball, &Pose::IDENTITY, &ball, &Pose::at([5.0, 0.0, 0.0])).unwrap();
    assert!(matches!(apart, Distance::Apart(_)));
}

#[derive(Debug)]
struct Nonsense;

impl carom::shape::SupportMap for Nonsense {
    fn support(&self, _: Vec3) -> Vec3 {
        Vec3::NAN
    }
}
