//! A snapshot says how many bytes it holds: what the allocator gave for it.

#![allow(unsafe_code, reason = "an allocator that counts")]

use carom::prelude::*;
use carom::shape::{Part, SupportMap};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

type Outcome = Result<(), Box<dyn std::error::Error>>;

thread_local! {
    /// What this thread has been given and has not returned.
    static HELD: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

fn count(bytes: isize) {
    // Not while the thread is ending.
    let _ = HELD.try_with(|held| held.set(held.get() + bytes));
}

// SAFETY: all is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps the contract of this same function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What a snapshot says of its size, which must be what the allocator gave for it.
fn size_of_snapshot(world: &World) -> Result<usize, Box<dyn std::error::Error>> {
    let before = HELD.get();
    let snapshot = world.snapshot();
    let held = usize::try_from(HELD.get() - before)?;
    assert_eq!(snapshot.size(), size_of_val(&snapshot) + held);
    Ok(snapshot.size())
}

#[test]
fn the_size_is_what_the_allocator_gave() -> Outcome {
    let mut world = World::builder().threads(1).build()?;
    // Near the ground two parts meet, so pairs keep several manifolds and caches.
    let slab =
        |x: f32| Part { pose: LocalPose::at([x, 0.0, 0.0]), shape: Shape::cuboid(4.0, 0.5, 8.0).expect("sound") };
    world.add(Body::fixed().shape(Shape::compound(vec![slab(-4.0), slab(4.0)])?))?;
    let post = world.add(Body::fixed().at([0.0, 1.0, 5.0]).shape(Shape::sphere(0.5)?))?;
    for index in 0..200 {
        let place = [f64::from(index % 10) - 4.5, 1.2 + f64::from(index / 50), f64::from(index / 10 % 5)];
        let shape = if index % 2 == 0 { Shape::cuboid(0.4, 0.4, 0.4)? } else { Shape::sphere(0.45)? };
        world.add(Body::dynamic().at(place).shape(shape))?;
    }
    // Lists of all kinds have something in them: of the last step's events, and of what waits for the next one.
    for step in 0..40 {
        world.step(1.0 / 60.0)?;
        if step == 20 {
            world.remove(post)?;
        }
    }
    let ids: Vec<BodyId> = world.bodies().map(|body| body.id()).collect();
    for id in &ids[20..30] {
        world.body_mut(*id)?.set_constant_force([0.0, 1.0, 0.0])?;
        world.body_mut(*id)?.set_pose(Pose::at([0.0, 9.0, 0.0]))?;
    }
    world.remove(ids[50])?;
    let size = size_of_snapshot(&world)?;
    println!("{size} bytes for {} bodies, {} each", world.len(), size / world.len());
    assert!(world.last_step().contacts > 300, "{} contacts prove little", world.last_step().contacts);
    Ok(())
}

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
fn contacts_that_could_not_be_computed_are_counted() -> Outcome {
    let is_broken = Arc::new(AtomicBool::new(false));
    let mut world = World::builder().threads(1).build()?;
    world.add(Body::fixed().at([0.0, -1.0, 0.0]).shape(Shape::cuboid(5.0, 1.0, 5.0)?))?;
    let ball = Shape::custom(Brittle(Arc::clone(&is_broken)));
    let ball = world.add(Body::dynamic().at([0.3, 0.49, 0.2]).shape(ball))?;
    for _ in 0..10 {
        world.step(1.0 / 60.0)?;
    }
    is_broken.store(true, Ordering::Relaxed);
    // Moved, so that what was found last does not do any more.
    world.body_mut(ball)?.set_pose(Pose::at([0.9, 0.4, -0.4]))?;
    world.step(1.0 / 60.0)?;
    assert_eq!(world.last_step().contact_faults.len(), 1);
    size_of_snapshot(&world)?;
    Ok(())
}
