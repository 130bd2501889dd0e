//! One state solved twice by projected Gauss–Seidel: from nothing, and from the impulses of the step before (R6).

use super::message::text;
use carom::response::Solver;
use carom::world::{Snapshot, World};
use serde::Serialize;

/// So often contacts are gone through.
const ROUNDS: u32 = 32;

#[derive(Serialize)]
#[serde(tag = "tell", rename = "convergence")]
struct Message {
    frame: u32,
    /// The largest change of relative velocity in each round, in m/s.
    cold: Vec<f32>,
    warm: Vec<f32>,
}

/// The message about a frame; `world` is an empty one with the settings of the scene.
pub(super) fn message(world: World, snapshot: &Snapshot, frame: u32, dt: f32) -> String {
    let (cold, warm) = curves(world, snapshot, dt).unwrap_or_default();
    text(&Message { frame, cold, warm })
}

/// Whatever solver is in use leaves impulses of its own kind behind, so both begin after a step by Gauss–Seidel.
fn curves(mut world: World, snapshot: &Snapshot, dt: f32) -> Option<(Vec<f32>, Vec<f32>)> {
    let mut solve = |from: &Snapshot, warm: bool| {
        world.restore(from);
        world.set_solver(Solver::ProjectedGaussSeidel { iterations: ROUNDS, warm }).ok()?;
        world.step(dt).ok()?;
        Some((world.convergence().to_vec(), world.snapshot()))
    };
    let (_, start) = solve(snapshot, true)?;
    Some((solve(&start, false)?.0, solve(&start, true)?.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene;

    /// What a heap pushed before is nearly what it pushes now: after few rounds less is left to change. The first round is no
    /// measure, since it is the worst contact that counts, and one that is new has nothing to begin with.
    #[test]
    fn a_warm_start_comes_sooner_to_the_end() {
        for name in ["warm", "cold", "pyramid"] {
            let scene = scene::find(name).expect("the scene is known");
            let mut world = scene.world().expect("the scene is sound");
            for _ in 0..60 {
                world.step(scene.dt).expect("a step");
            }
            let hash = world.hash();
            let (cold, warm) = curves(World::default(), &world.snapshot(), scene.dt).expect("both are solved");
            assert!(cold.len() > 8 && warm.len() > 8, "{name}: {cold:?} and {warm:?}");
            assert!(warm[4] < 0.6 * cold[4], "{name}: {} and {}", warm[4], cold[4]);
            let sum = |curve: &[f32]| curve.iter().sum::<f32>();
            assert!(sum(&warm) < sum(&cold), "{name}");
            assert_eq!(world.hash(), hash);
        }
    }
}
