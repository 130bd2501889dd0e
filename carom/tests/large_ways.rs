//! Laws, scenes and worlds once more, with small worlds on the way of large ones: pairs in the order of space, and patches
//! coloured region by region.

#![allow(clippy::duplicate_mod, reason = "each of the files brings along what it shares with others")]

#[path = "impact_world.rs"]
mod impact_world;
#[path = "law_collisions.rs"]
mod law_collisions;
#[path = "law_conservation.rs"]
mod law_conservation;
#[path = "law_friction.rs"]
mod law_friction;
#[path = "law_mass_ratios.rs"]
mod law_mass_ratios;
#[path = "law_off_centre.rs"]
mod law_off_centre;
#[path = "law_rest.rs"]
mod law_rest;
#[path = "law_time_steps.rs"]
mod law_time_steps;
#[path = "mesh_curved_ground.rs"]
mod mesh_curved_ground;
#[path = "mesh_inner_edges.rs"]
mod mesh_inner_edges;
#[path = "physics_first_world.rs"]
mod physics_first_world;
#[path = "regressions.rs"]
mod regressions;
#[path = "scene_stands.rs"]
mod scene_stands;
#[path = "solver_strategies.rs"]
mod solver_strategies;
#[path = "world_events.rs"]
mod world_events;
#[path = "world_faults.rs"]
mod world_faults;
#[path = "world_options.rs"]
mod world_options;
#[path = "world_sleep.rs"]
mod world_sleep;
#[path = "world_snapshot.rs"]
mod world_snapshot;
#[path = "world_waking.rs"]
mod world_waking;

use carom::prelude::*;

/// Tests begin in any order and side by side, so the way is chosen before all of them.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
#[cfg_attr(not(any(target_vendor = "apple", windows)), unsafe(link_section = ".init_array"))]
#[allow(unsafe_code, reason = "what is called before the program begins stores a bool and nothing else")]
static BEFORE_ALL: extern "C" fn() = {
    extern "C" fn order_few() {
        carom::order_few(true);
    }
    order_few
};

/// Balls that came from right to left are looked at from left to right, from the step on after that in which they have met the floor.
#[test]
fn few_pairs_are_in_the_order_of_space() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::default();
    world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
    for index in 0..8 {
        world.add(Body::dynamic().at([-2.0 * f64::from(index), 0.499, 0.0]).shape(Shape::sphere(0.5)?))?;
    }
    (0..2).try_for_each(|_| world.step(1.0 / 60.0).map(|_| ()))?;
    let balls: Vec<u32> = world.manifolds().map(|manifold| manifold.pair.a.body.max(manifold.pair.b.body)).collect();
    assert!(balls.iter().copied().eq((1..=8).rev()), "{balls:?}");
    Ok(())
}
