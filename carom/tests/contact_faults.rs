//! A user's shape that begins to answer NaN: the step says between whom contacts could not be computed, and goes on.

use carom::glam::{DVec3, Vec3};
use carom::narrow::ContactError;
use carom::prelude::*;
use carom::shape::SupportMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A ball that, once it is broken, knows only the directions of its box.
#[derive(Debug)]
struct Brittle(Arc<AtomicBool>);

impl SupportMap for Brittle {
    fn support(&self, direction: Vec3) -> Vec3 {
        let unit = direction.normalize_or(Vec3::X);
        let is_slanted = unit.abs().max_element() < 0.999;
        if is_slanted && self.0.load(Ordering::Relaxed) { Vec3::NAN } else { 0.5 * unit }
    }
}

#[test]
fn a_step_tells_which_contacts_it_could_not_compute() {
    let is_broken = Arc::new(AtomicBool::new(false));
    let mut world = World::default();
    let floor = world.add(Body::fixed().at([0.0, -1.0, 0.0]).shape(Shape::cuboid(5.0, 1.0, 5.0).unwrap())).unwrap();
    let ball = Shape::custom(Brittle(Arc::clone(&is_broken)));
    let body = world.add(Body::dynamic().at([0.3, 0.49, 0.2]).shape(ball)).unwrap();
    for _ in 0..10 {
        let step = world.step(1.0 / 60.0).unwrap();
        assert!(step.contact_faults.is_empty() && step.faults.is_empty() && step.contacts > 0, "{step:?}");
    }
    is_broken.store(true, Ordering::Relaxed);
    // Moved, so that what was found last does not do any more.
    world.body_mut(body).unwrap().set_pose(Pose::at(DVec3::new(0.9, 0.4, -0.4))).unwrap();
    let step = world.step(1.0 / 60.0).unwrap();
    let [fault] = step.contact_faults[..] else { panic!("{step:?}") };
    assert_eq!([fault.a, fault.b], [floor, body]);
    assert!(matches!(fault.error, ContactError::Support { value, .. } if value.is_nan()), "{fault:?}");
    assert_eq!(step.contacts, 0);
    is_broken.store(false, Ordering::Relaxed);
    let step = world.step(1.0 / 60.0).unwrap();
    assert!(step.contact_faults.is_empty() && step.contacts > 0, "{step:?}");
}
