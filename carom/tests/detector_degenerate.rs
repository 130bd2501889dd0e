//! What a detector does about nothing, nonsense and what is gone.

use carom::detector::{Detector, DetectorError, Filter, Object, all_pairs};
use carom::glam::{DVec3, Quat, Vec3};
use carom::pose::Pose;
use carom::query::{QueryError, Ray, Sweep};
use carom::shape::{Shape, SupportMap};
use std::sync::atomic::{AtomicBool, Ordering};

fn ball(x: f64) -> Object {
    Object::new(Shape::sphere(0.5).unwrap(), Pose::at([x, 0.0, 0.0]))
}

#[test]
fn an_empty_set_answers() {
    let mut detector = Detector::default();
    let all = Filter::default();
    assert!(detector.is_empty());
    assert_eq!(detector.closest_pair(all_pairs).unwrap(), None);
    assert_eq!(detector.first_overlap(all_pairs).unwrap(), None);
    detector.closer_than(f64::INFINITY, all_pairs, |pair| panic!("{pair:?}")).unwrap();
    let point = Shape::point();
    assert_eq!(detector.nearest_to(&point, &Pose::IDENTITY, f64::INFINITY, &all).unwrap(), None);
    assert_eq!(detector.ray_cast(&Ray::new(DVec3::ZERO, Vec3::X), &all).unwrap(), None);
    assert_eq!(detector.cast(&point, &Pose::IDENTITY, &Sweep::by(DVec3::X), &all).unwrap(), None);
    assert_eq!(detector.project_point(DVec3::ZERO, f64::INFINITY, &all).unwrap(), None);
    let alone = detector.insert(ball(0.0)).unwrap();
    assert_eq!(detector.closest_pair(all_pairs).unwrap(), None);
    assert_eq!(detector.closest_to(alone, all_pairs).unwrap(), None);
}

#[test]
fn bad_input_changes_nothing() {
    let mut detector = Detector::default();
    let id = detector.insert(ball(1.0)).unwrap();
    let nan = Pose::at([f64::NAN, 0.0, 0.0]);
    assert!(matches!(detector.set_pose(id, nan), Err(DetectorError::Pose { .. })));
    let turned = Pose::new(DVec3::ZERO, Quat::from_xyzw(2.0, 0.0, 0.0, 0.0));
    assert!(matches!(detector.set_pose(id, turned), Err(DetectorError::Pose { .. })));
    assert!(matches!(detector.set_pose(id, Pose::at([1e31, 0.0, 0.0])), Err(DetectorError::TooFar { .. })));
    let object = Object::new(Shape::sphere(1.0).unwrap(), nan);
    assert!(matches!(detector.insert(object), Err(DetectorError::Pose { .. })));
    let nonsense = Shape::custom(Sometimes(AtomicBool::new(true)));
    assert!(matches!(detector.set_shape(id, nonsense.clone()), Err(DetectorError::Bounds { .. })));
    assert!(matches!(detector.insert(Object::new(nonsense, Pose::IDENTITY)), Err(DetectorError::Bounds { .. })));
    assert_eq!((detector.len(), detector.get(id).unwrap()), (1, &ball(1.0)));

    let all = Filter::default();
    let point = Shape::point();
    for bound in [f64::NAN, -1.0] {
        assert!(matches!(detector.closer_than(bound, all_pairs, |_| {}), Err(DetectorError::Bound(_))));
        assert!(matches!(detector.distances_of(id, bound, all_pairs, |_| {}), Err(DetectorError::Bound(_))));
        let nearest = detector.nearest_to(&point, &Pose::IDENTITY, bound, &all);
        assert!(matches!(nearest, Err(DetectorError::Bound(_))));
        assert!(matches!(detector.contacts(bound as f32, all_pairs, |_, _, _| {}), Err(DetectorError::Bound(_))));
        assert!(matches!(detector.project_point(DVec3::ZERO, bound, &all), Err(DetectorError::Bound(_))));
    }
    assert!(matches!(detector.contacts(f32::INFINITY, all_pairs, |_, _, _| {}), Err(DetectorError::Bound(_))));
    let ray = Ray::new(DVec3::ZERO, Vec3::NAN);
    assert!(matches!(detector.ray_cast(&ray, &all), Err(DetectorError::Question(QueryError::Vector { .. }))));
    assert!(matches!(detector.ray_hits(&ray, &all), Err(DetectorError::Question(_))));
    assert!(matches!(detector.project_point(DVec3::NAN, 1.0, &all), Err(DetectorError::Question(_))));
    let sweep = Sweep::by(DVec3::NAN);
    assert!(matches!(detector.cast(&point, &Pose::IDENTITY, &sweep, &all), Err(DetectorError::Question(_))));
    assert!(matches!(detector.overlaps_with(&point, &nan, &all, |_| {}), Err(DetectorError::Pose { .. })));
}

#[test]
fn ids_of_the_removed_stay_unknown() {
    let mut detector = Detector::default();
    let old = detector.insert(ball(0.0)).unwrap();
    let other = detector.insert(ball(5.0)).unwrap();
    detector.ignore_pair(old, other).unwrap();
    assert_eq!(detector.closest_pair(all_pairs).unwrap(), None);
    assert_eq!(detector.remove(old).unwrap(), ball(0.0));
    // It takes the slot of the old one, but neither its id nor what was ignored.
    let new = detector.insert(ball(2.0)).unwrap();
    assert_ne!(old, new);
    assert!(detector.closest_pair(all_pairs).unwrap().is_some_and(|pair| (pair.distance.value() - 2.0).abs() < 1e-12));
    let error = detector.set_pose(old, Pose::IDENTITY).unwrap_err();
    assert_eq!(error.to_string(), format!("there is no {old}"));
    assert_eq!(detector.ignore_pair(other, old), Err(DetectorError::Unknown { id: old }));
    assert!(detector.closest_to(old, all_pairs).is_err() && detector.remove(old).is_err());
    detector.ignore_pair(new, other).unwrap();
    assert_eq!(detector.closest_pair(all_pairs).unwrap(), None);
    detector.regard_pair(other, new).unwrap();
    assert!(detector.closest_pair(all_pairs).unwrap().is_some());
}

/// A support map that can be switched to answering NaN.
#[derive(Debug)]
struct Sometimes(AtomicBool);

impl SupportMap for Sometimes {
    fn support(&self, direction: Vec3) -> Vec3 {
        if self.0.load(Ordering::Relaxed) { Vec3::NAN } else { direction.normalize_or_zero() * 0.5 }
    }
}

#[test]
fn one_bad_pair_hides_no_other() {
    let mut detector = Detector::default();
    let custom = std::sync::Arc::new(Sometimes(AtomicBool::new(false)));
    let first = detector.insert(Object::new(Shape::Custom(custom.clone()), Pose::IDENTITY)).unwrap();
    let balls = [0.6, 1.2, 1.8].map(|x| detector.insert(ball(x)).unwrap());
    custom.0.store(true, Ordering::Relaxed);
    let mut found = Vec::new();
    let error = detector.overlaps(all_pairs, |a, b| found.push((a, b))).unwrap_err();
    assert!(matches!(error, DetectorError::Pair { a, error: QueryError::Support { .. }, .. } if a == first), "{error}");
    assert_eq!(found, [(balls[0], balls[1]), (balls[1], balls[2])]);
    let mut count = 0;
    assert!(detector.closer_than(f64::INFINITY, all_pairs, |_| count += 1).is_err());
    assert_eq!(count, 3);
    assert!(detector.closest_pair(all_pairs).is_err());
    let hit = detector.first_overlap(all_pairs).unwrap();
    assert_eq!(hit, Some((balls[0], balls[1])));
}

#[test]
fn coincident_and_flat_and_huge_objects() {
    let mut detector = Detector::default();
    let all = Filter::default();
    let point = Shape::point();
    let ids = [0, 1, 2].map(|_| detector.insert(Object::new(point.clone(), Pose::at([1e6, 1e6, 1e6]))).unwrap());
    let mut found = Vec::new();
    detector.overlaps(all_pairs, |a, b| found.push((a, b))).unwrap();
    assert_eq!(found, [(ids[0], ids[1]), (ids[0], ids[2]), (ids[1], ids[2])]);
    let slab = Shape::cuboid(1e6, 1e-3, 1e6).unwrap();
    let slab = detector.insert(Object::new(slab, Pose::at([1e6, 1e6 - 1.0, 1e6]))).unwrap();
    let closest = detector.closest_to(slab, all_pairs).unwrap().unwrap();
    assert!((closest.distance.value() - (1.0 - f64::from(1e-3f32))).abs() < 1e-9, "{closest:?}");
    let floor = Shape::half_space(Vec3::Y).unwrap();
    let floor = detector.insert(Object::new(floor, Pose::at([0.0, 1e6 - 1.5, 0.0]))).unwrap();
    assert!(detector.closest_to(floor, all_pairs).unwrap().is_some_and(|near| near.id == slab));
    // A ray that passes 1e6 from the origin by less than f32 can tell.
    let ray = Ray::new([1e6 + 0.001, 1e6 + 5.0, 1e6 + 0.001], [0.0, -1.0, 0.0]);
    let hit = detector.ray_cast(&ray, &all).unwrap().unwrap();
    assert!(hit.id == slab && (hit.hit.distance - (6.0 - f64::from(1e-3f32))).abs() < 1e-9, "{hit:?}");
    let motion = Sweep::by(DVec3::ZERO);
    let still = detector.cast(&Shape::sphere(0.1).unwrap(), &Pose::at([1e6, 1e6, 1e6]), &motion, &all).unwrap();
    assert!(still.is_some_and(|still| still.cast.time() == Some(0.0)));
}
