//! A detector against brute force: every question is asked of every pair or object one by one, after each of a sequence
//! of insertions, moves and removals.

mod distance_shapes;
mod meshes;
mod random;

use carom::detector::{Detector, Filter, Member, Object, ObjectId, WorldManifold, all_pairs};
use carom::glam::{DVec3, Quat, Vec3};
use carom::pose::{LocalPose, Pose};
use carom::query::{self, Distance, Ray, Sweep};
use carom::shape::{Part, Shape};
use distance_shapes::convex;
use fastrand::Rng;
use meshes::box_mesh;
use random::{cube, direction, rotation};

/// What the detector should hold, in the order of insertion.
type Model = Vec<Known>;
type Known = (ObjectId, Object);

struct Setting {
    place: DVec3,
    spread: f64,
    has_pieces: bool,
}

fn any_shape(random: &mut Rng, has_pieces: bool) -> Shape {
    match random.usize(0..if has_pieces { 10 } else { 6 }) {
        6 => {
            let (vertices, triangles) = box_mesh(cube(random).as_vec3().abs() + 0.1, Vec3::ZERO);
            Shape::mesh(vertices, triangles).unwrap()
        }
        7 => Shape::height_field(5, 4, (0..20).map(|_| random.f32()).collect(), [0.5, 0.4]).unwrap(),
        8 => {
            let mut part = || {
                let pose = LocalPose::new(cube(random).as_vec3(), rotation(random));
                Part { pose, shape: convex(random, 3.0) }
            };
            Shape::compound(vec![part(), part()]).unwrap()
        }
        9 if random.usize(0..4) == 0 => Shape::half_space(direction(random).as_vec3()).unwrap(),
        _ => convex(random, 4.0),
    }
}

fn any_pose(random: &mut Rng, setting: &Setting) -> Pose {
    Pose::new(setting.place + cube(random) * setting.spread, rotation(random))
}

fn any_object(random: &mut Rng, setting: &Setting) -> Object {
    let filter = Filter { groups: 1 << random.u32(0..3), mask: random.u32(1..8) };
    let filter = if random.bool() { Filter::default() } else { filter };
    Object::new(any_shape(random, setting.has_pieces), any_pose(random, setting))
        .with_filter(filter)
        .with_user_data(random.u64(0..7))
}

/// One change of the set, made to both.
fn change(random: &mut Rng, setting: &Setting, detector: &mut Detector, model: &mut Model) {
    match random.usize(0..6) {
        0 | 1 => {
            let object = any_object(random, setting);
            let id = detector.insert(object.clone()).unwrap();
            model.push((
                id,
                Object::new(object.shape().clone(), *detector.get(id).unwrap().pose())
                    .with_filter(object.filter())
                    .with_user_data(object.user_data()),
            ));
        }
        2 if model.len() > 3 => {
            let (id, object) = model.swap_remove(random.usize(0..model.len()));
            assert_eq!(detector.remove(id).unwrap(), object);
            assert!(detector.remove(id).is_err() && detector.get(id).is_err());
        }
        3 if !model.is_empty() => {
            let (id, object) = random.choice(model.iter_mut()).unwrap();
            let shape = any_shape(random, setting.has_pieces);
            assert_eq!(&detector.set_shape(*id, shape.clone()).unwrap(), object.shape());
            *object = detector.get(*id).unwrap().clone();
        }
        _ if !model.is_empty() => {
            for _ in 0..3 {
                let (id, object) = random.choice(model.iter_mut()).unwrap();
                let step = cube(random) * 0.2;
                let pose = if random.bool() {
                    any_pose(random, setting)
                } else {
                    Pose { position: object.pose().position + step, ..*object.pose() }
                };
                detector.set_pose(*id, pose).unwrap();
                *object = detector.get(*id).unwrap().clone();
                assert_eq!(object.pose().position, pose.position);
            }
        }
        _ => {}
    }
    assert_eq!(detector.len(), model.len());
}

/// A filter by closure that is not symmetric in appearance but is in effect.
fn some_pairs(a: Member<'_>, b: Member<'_>) -> bool {
    a.object.user_data() + b.object.user_data() != 6
}

fn ordered(a: ObjectId, b: ObjectId) -> (ObjectId, ObjectId) {
    (a.min(b), a.max(b))
}

/// All pairs of the model that are compared.
fn pairs(model: &Model) -> Vec<(&Known, &Known)> {
    let mut found = Vec::new();
    for (index, a) in model.iter().enumerate() {
        for b in &model[..index] {
            let (a, b) = if a.0 < b.0 { (a, b) } else { (b, a) };
            if a.1.filter().meets(b.1.filter()) && a.1.user_data() + b.1.user_data() != 6 {
                found.push((a, b));
            }
        }
    }
    found
}

fn distance(a: &Object, b: &Object) -> Distance {
    query::distance(a.shape(), a.pose(), b.shape(), b.pose()).unwrap()
}

fn check_pairs(detector: &mut Detector, model: &Model, bound: f64) {
    let pairs = pairs(model);
    let mut found = Vec::new();
    detector.overlaps(some_pairs, |a, b| found.push((a, b))).unwrap();
    let mut expected: Vec<_> = pairs
        .iter()
        .filter(|(a, b)| query::overlap(a.1.shape(), a.1.pose(), b.1.shape(), b.1.pose()).unwrap())
        .map(|(a, b)| ordered(a.0, b.0))
        .collect();
    expected.sort();
    assert_eq!(found, expected, "in the order of slots, each once");
    let first = detector.first_overlap(some_pairs).unwrap();
    assert_eq!(first, expected.first().copied());

    let mut found = Vec::new();
    detector.closer_than(bound, some_pairs, |pair| found.push(pair)).unwrap();
    for (a, b) in &pairs {
        let value = distance(&a.1, &b.1).value();
        let mine = found.iter().find(|pair| (pair.a, pair.b) == ordered(a.0, b.0));
        match mine {
            Some(mine) => assert!((mine.distance.value() - value).abs() < 1e-8, "{mine:?} {value}"),
            None => assert!(value >= bound - 1e-9, "{value} {bound} {a:?} {b:?}"),
        }
        if value > bound + 1e-9 {
            assert!(mine.is_none());
        }
    }
    assert!(found.is_sorted_by_key(|pair| (pair.a, pair.b)));

    let least = pairs.iter().map(|(a, b)| distance(&a.1, &b.1).value()).min_by(f64::total_cmp);
    let closest = detector.closest_pair(some_pairs).unwrap();
    assert_eq!(closest.is_some(), least.is_some());
    if let (Some(closest), Some(least)) = (closest, least) {
        assert!((closest.distance.value() - least).abs() < 1e-8, "{closest:?} {least}");
        let again = detector.closest_pair(some_pairs).unwrap().unwrap();
        assert!((again.distance.value() - least).abs() < 1e-8);
    }
}

fn check_one(detector: &mut Detector, model: &Model, random: &mut Rng, bound: f64) {
    let (id, object) = random.choice(model).unwrap();
    let others: Vec<_> = pairs(model).into_iter().filter(|(a, b)| a.0 == *id || b.0 == *id).collect();
    let mut found = Vec::new();
    detector.distances_of(*id, bound, some_pairs, |other| found.push(other)).unwrap();
    let mut least = f64::INFINITY;
    for (a, b) in others {
        let other = if a.0 == *id { b } else { a };
        let value = distance(object, &other.1).value();
        least = least.min(value);
        let mine = found.iter().find(|found| found.id == other.0);
        assert!(mine.is_some() || value >= bound - 1e-9);
        assert!(mine.is_none_or(|mine| (mine.distance.value() - value).abs() < 1e-8));
    }
    match detector.closest_to(*id, some_pairs).unwrap() {
        Some(closest) => assert!((closest.distance.value() - least).abs() < 1e-8, "{closest:?} {least}"),
        None => assert_eq!(least, f64::INFINITY),
    }
}

fn check_shape(detector: &Detector, model: &Model, random: &mut Rng, setting: &Setting, bound: f64) {
    let (shape, pose) = (convex(random, 4.0), any_pose(random, setting));
    let filter = Filter { groups: 0b101, mask: 0b011 };
    let is_asked = |object: &Object| filter.meets(object.filter()) && object.user_data() != 3;
    let admits = (filter, |member: Member<'_>| member.object.user_data() != 3);
    let asked: Vec<_> = model.iter().filter(|(_, object)| is_asked(object)).collect();

    let mut found = Vec::new();
    detector.overlaps_with(&shape, &pose, &admits, |id| found.push(id)).unwrap();
    found.sort();
    let overlaps = |object: &Object| query::overlap(&shape, &pose, object.shape(), object.pose()).unwrap();
    let mut expected: Vec<_> = asked.iter().filter(|(_, object)| overlaps(object)).map(|(id, _)| *id).collect();
    expected.sort();
    assert_eq!(found, expected);

    let apart = |object: &Object| query::distance(&shape, &pose, object.shape(), object.pose()).unwrap().value();
    let mut found = Vec::new();
    detector.distances_to(&shape, &pose, bound, &admits, |other| found.push(other)).unwrap();
    for (id, object) in &asked {
        let value = apart(object);
        let mine = found.iter().find(|found| found.id == *id);
        assert!(mine.is_some() || value >= bound - 1e-9);
        assert!(mine.is_none_or(|mine| (mine.distance.value() - value).abs() < 1e-8));
    }
    assert!(found.iter().all(|found| asked.iter().any(|(id, _)| *id == found.id)));
    let least = asked.iter().map(|(_, object)| apart(object)).min_by(f64::total_cmp);
    let nearest = detector.nearest_to(&shape, &pose, f64::INFINITY, &admits).unwrap();
    assert_eq!(nearest.is_some(), least.is_some());
    if let (Some(nearest), Some(least)) = (nearest, least) {
        assert!((nearest.distance.value() - least).abs() < 1e-8);
    }
    assert!(
        detector.nearest_to(&shape, &pose, bound, &admits).unwrap().is_none_or(|near| near.distance.lower() < bound)
    );

    let sweep = Sweep::by(cube(random) * setting.spread).within([0.0, 0.1][random.usize(0..2)]);
    let cast = |object: &Object| query::cast(&shape, &pose, object.shape(), object.pose(), &sweep).unwrap();
    let mut found = Vec::new();
    detector.cast_all(&shape, &pose, &sweep, &admits, &mut found).unwrap();
    let expected: Vec<_> =
        asked.iter().filter_map(|(id, object)| cast(object).time().map(|time| (*id, time))).collect();
    assert_eq!(found.len(), expected.len());
    for (id, time) in &expected {
        let mine = found.iter().find(|found| found.id == *id).expect("every object that is met");
        assert_eq!(mine.cast.time(), Some(*time));
    }
    let first = expected.iter().map(|(_, time)| *time).min_by(f64::total_cmp);
    let mine = detector.cast(&shape, &pose, &sweep, &admits).unwrap();
    assert_eq!(mine.and_then(|mine| mine.cast.time()), first);
}

fn check_rays_and_points(detector: &Detector, model: &Model, random: &mut Rng, setting: &Setting) {
    let origin = any_pose(random, setting).position;
    let ray = Ray::new(origin, direction(random).as_vec3());
    let ray = if random.bool() { ray } else { ray.up_to(setting.spread) };
    let all = Filter::default();
    let hit = |object: &Object| query::ray_cast(object.shape(), object.pose(), &ray).unwrap();
    let mut expected: Vec<_> =
        model.iter().filter_map(|(id, object)| hit(object).map(|hit| (hit.distance, *id))).collect();
    expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut found = Vec::new();
    detector.ray_cast_all(&ray, &all, &mut found).unwrap();
    assert_eq!(found.iter().map(|found| (found.hit.distance, found.id)).collect::<Vec<_>>(), expected);
    let first = detector.ray_cast(&ray, &all).unwrap().map(|found| (found.hit.distance, found.id));
    assert_eq!(first, expected.first().copied());
    assert_eq!(detector.ray_hits(&ray, &all).unwrap(), !expected.is_empty());

    let point = origin;
    let signed = |object: &Object| {
        let found = query::project_point(object.shape(), object.pose(), point).unwrap();
        if found.is_inside { -found.distance } else { found.distance }
    };
    let least = model.iter().map(|(_, object)| signed(object)).min_by(f64::total_cmp);
    let found = detector.project_point(point, f64::INFINITY, &all).unwrap();
    let value = found.map(|found| found.projection.distance * if found.projection.is_inside { -1.0 } else { 1.0 });
    assert_eq!(value, least);
}

fn run(seed: u64, steps: usize, setting: &Setting) {
    let mut random = Rng::with_seed(seed);
    let (mut detector, mut model) = (Detector::default(), Model::new());
    for _ in 0..25 {
        let object = any_object(&mut random, setting);
        let id = detector.insert(object).unwrap();
        model.push((id, detector.get(id).unwrap().clone()));
    }
    for step in 0..steps {
        change(&mut random, setting, &mut detector, &mut model);
        let bound = [0.1, 1.0, f64::INFINITY][step % 3] * setting.spread * 0.3;
        match step % 4 {
            0 => check_pairs(&mut detector, &model, bound),
            1 => check_one(&mut detector, &model, &mut random, bound),
            2 => check_shape(&detector, &model, &mut random, setting, bound),
            _ => check_rays_and_points(&detector, &model, &mut random, setting),
        }
    }
}

#[test]
fn convex_objects() {
    for seed in 0..4 {
        run(seed, 250, &Setting { place: DVec3::ZERO, spread: 4.0, has_pieces: false });
    }
}

#[test]
fn all_kinds_of_objects() {
    for seed in 10..14 {
        run(seed, 200, &Setting { place: DVec3::ZERO, spread: 4.0, has_pieces: true });
    }
}

#[test]
fn far_from_the_origin() {
    for seed in 20..22 {
        run(seed, 200, &Setting { place: DVec3::new(1e6, -1e6, 1e6), spread: 4.0, has_pieces: true });
    }
}

#[test]
fn wide_apart() {
    run(30, 300, &Setting { place: DVec3::ZERO, spread: 1e3, has_pieces: true });
}

/// Contacts against the narrow phase of each pair, in either order.
#[test]
fn contacts() {
    let mut random = Rng::with_seed(40);
    let setting = Setting { place: DVec3::new(100.0, -50.0, 20.0), spread: 2.0, has_pieces: false };
    let mut detector = Detector::default();
    let mut model = Model::new();
    let floor = Object::new(Shape::half_space(Vec3::Y).unwrap(), Pose::at(setting.place + DVec3::new(1e5, -1.0, 0.0)));
    for object in std::iter::once(floor).chain((0..30).map(|_| any_object(&mut random, &setting))) {
        let object = object.with_filter(Filter::default());
        model.push((detector.insert(object.clone()).unwrap(), object));
    }
    for margin in [0.0f32, 0.05] {
        let mut found: Vec<(ObjectId, ObjectId, WorldManifold)> = Vec::new();
        detector.contacts(margin, some_pairs, |a, b, manifold| found.push((a, b, *manifold))).unwrap();
        let mut expected = 0;
        for (a, b) in pairs(&model) {
            let apart = query::penetration(a.1.shape(), a.1.pose(), b.1.shape(), b.1.pose()).unwrap();
            let mine = found.iter().find(|found| (found.0, found.1) == ordered(a.0, b.0));
            if apart.depth > -f64::from(margin) + 1e-4 {
                expected += 1;
                let mine = mine.expect("they touch").2;
                let deepest = mine.points().iter().map(|point| point.depth).fold(f32::NEG_INFINITY, f32::max);
                assert!((f64::from(deepest) - apart.depth).abs() < 2e-3, "{deepest} {apart:?} {a:?} {b:?}");
                if apart.depth.abs() > 0.01 {
                    assert!(mine.normal.dot(apart.normal) > 0.9 || (f64::from(deepest) - apart.depth).abs() < 1e-3);
                }
                for point in mine.points() {
                    let near = |object: &Object| {
                        query::distance(object.shape(), object.pose(), &Shape::point(), &Pose::at(point.point)).unwrap()
                    };
                    // Half way between the surfaces.
                    let room = 1e-3 + f64::from(margin) + 0.5 * f64::from(point.depth.abs());
                    assert!(near(&a.1).value() < room && near(&b.1).value() < room, "{point:?} {a:?} {b:?}");
                }
            } else if apart.depth < -f64::from(margin) - 1e-4 {
                assert!(mine.is_none(), "{mine:?} {apart:?}");
            }
        }
        assert!(expected > 30, "{expected}");
        // One object asked about as a shape has the contacts that it has as a member.
        let (id, object) = &model[5];
        let mut one: Vec<(ObjectId, Vec3)> = Vec::new();
        let others = |member: Member<'_>| member.id != *id && member.object.user_data() + object.user_data() != 6;
        let visit = |other: ObjectId, manifold: &WorldManifold| one.push((other, manifold.normal));
        detector.contacts_with(object.shape(), object.pose(), margin, &others, visit).unwrap();
        let members = found.iter().filter(|found| found.0 == *id || found.1 == *id);
        let mut expected: Vec<_> = members
            .map(|found| if found.0 == *id { (found.1, found.2.normal) } else { (found.0, -found.2.normal) })
            .collect();
        one.sort_by_key(|touch| touch.0);
        expected.sort_by_key(|touch| touch.0);
        assert_eq!(one.len(), expected.len());
        for (one, other) in one.iter().zip(&expected) {
            assert!(one.0 == other.0 && one.1.dot(other.1) > 0.99, "{one:?} {other:?}");
        }
    }
}

/// Two detectors with the same history answer alike to the last bit.
#[test]
fn the_same_history_gives_the_same_answers() {
    let setting = Setting { place: DVec3::ZERO, spread: 3.0, has_pieces: true };
    let history = || {
        let mut random = Rng::with_seed(50);
        let (mut detector, mut model) = (Detector::default(), Model::new());
        let mut answers = Vec::new();
        for _ in 0..60 {
            change(&mut random, &setting, &mut detector, &mut model);
            detector.closer_than(0.5, all_pairs, |pair| answers.push(format!("{pair:?}"))).unwrap();
            answers.push(format!("{:?}", detector.closest_pair(all_pairs).unwrap()));
            let ray = Ray::new(DVec3::splat(-9.0), Vec3::ONE);
            answers.push(format!("{:?}", detector.ray_cast(&ray, &Filter::default()).unwrap()));
        }
        answers
    };
    assert_eq!(history(), history());
}

/// A clone forgets nothing: what is warm answers as what is cold does.
#[test]
fn warm_and_cold_agree() {
    let mut random = Rng::with_seed(60);
    let mut detector = Detector::default();
    let ids: Vec<ObjectId> = (0..20)
        .map(|index| {
            let pose = Pose::new(cube(&mut random) * 3.0, rotation(&mut random));
            let (vertices, triangles) = box_mesh(Vec3::new(0.3, 0.2, 0.4), Vec3::ZERO);
            let shape =
                if index % 3 == 0 { Shape::mesh(vertices, triangles).unwrap() } else { convex(&mut random, 3.0) };
            detector.insert(Object::new(shape, pose)).unwrap()
        })
        .collect();
    for _ in 0..100 {
        for id in &ids {
            let pose = *detector.get(*id).unwrap().pose();
            let turned = pose.rotation * Quat::from_axis_angle(direction(&mut random).as_vec3().normalize(), 0.02);
            detector.set_pose(*id, Pose::new(pose.position + cube(&mut random) * 0.02, turned.normalize())).unwrap();
        }
        let mut cold = detector.clone();
        cold.forget();
        let warm = detector.closest_pair(all_pairs).unwrap().unwrap();
        let cold = cold.closest_pair(all_pairs).unwrap().unwrap();
        assert!((warm.distance.value() - cold.distance.value()).abs() < 1e-9, "{warm:?} {cold:?}");
    }
}
