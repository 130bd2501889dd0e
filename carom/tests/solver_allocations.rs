//! The strategies beside the default allocate nothing either, once all that they keep has grown.

#![allow(unsafe_code, reason = "an allocator that counts")]

mod counting_allocator;

use carom::prelude::*;
use carom::response::{Projection, Solver};
use counting_allocator::Counting;
use std::cell::Cell;

type Outcome = Result<(), Box<dyn std::error::Error>>;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count_one() {
    // Not while the thread is ending.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

#[global_allocator]
static COUNTING: Counting = Counting(count_one);

/// Boxes and balls that fall into a heap, again and again, until a round allocates nothing.
#[test]
fn no_strategy_allocates_in_a_warm_step() -> Outcome {
    for solver in [
        Solver::ProjectedGaussSeidel { iterations: 8, warm: true },
        Solver::ProjectedGaussSeidel { iterations: 8, warm: false },
        Solver::WorstFirst { iterations: 4, projection: Projection::Linear },
        Solver::WorstFirst { iterations: 4, projection: Projection::Nonlinear },
    ] {
        let mut world = World::builder().threads(1).solver(solver).build()?;
        world.add(Body::fixed().at([0.0, -1.0, 0.0]).shape(Shape::cuboid(40.0, 1.0, 40.0)?))?;
        let mut start = Vec::new();
        for index in 0..75 {
            let place = [f64::from(index % 5) * 1.1, 0.6 + 1.1 * f64::from(index / 25), f64::from(index / 5 % 5) * 1.1];
            let shape = if index % 2 == 0 { Shape::cuboid(0.4, 0.4, 0.4)? } else { Shape::sphere(0.5)? };
            start.push((world.add(Body::dynamic().at(place).shape(shape))?, place));
        }
        let mut most_contacts = 0;
        let is_quiet = (0..16).any(|_| {
            for &(id, place) in &start {
                let mut body = world.body_mut(id).expect("it is there");
                body.set_pose(Pose::at(place)).expect("a sound pose");
                body.set_velocity([0.0; 3]).expect("a sound velocity");
                body.set_angular_velocity([0.0; 3]).expect("a sound velocity");
            }
            let before = COUNT.get();
            for _ in 0..90 {
                most_contacts = most_contacts.max(world.step(1.0 / 60.0).expect("a sound step").contacts);
            }
            COUNT.get() == before
        });
        assert!(most_contacts > 100, "{most_contacts} contacts prove nothing");
        assert!(is_quiet, "{solver:?} goes on to allocate");
    }
    Ok(())
}
