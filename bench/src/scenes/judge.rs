//! What the engines came to, measured alike for all of them, and whether ours came to the same.

use super::ours;
use carom_bench_scenes::{Kind, Outcome, Scene, Settles, Shape};
use std::fmt;

/// The end of a run in a few numbers.
#[derive(Debug, Clone, Copy)]
pub struct Measures {
    /// The height of the lowest body.
    lowest: f64,
    mean_height: f64,
    /// How far the body that went furthest is from where it was at the start.
    furthest: f64,
    /// In J for each body.
    kinetic: f64,
    /// The greatest depth of contact.
    deepest: f64,
    /// Bullets that went on as if nothing had been in their way.
    passed: usize,
    /// Bodies whose state is no number.
    broken: usize,
}

impl fmt::Display for Measures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lowest, mean_height, furthest, kinetic, deepest, passed, broken } = self;
        write!(
            formatter,
            "lowest {lowest:.3} m, mean {mean_height:.3} m, furthest {furthest:.3} m, kinetic {kinetic:.4} J a body, \
             deepest {:.1} mm",
            1e3 * deepest
        )?;
        if *passed > 0 {
            write!(formatter, ", {passed} PASSED")?;
        }
        if *broken > 0 { write!(formatter, ", {broken} BROKEN") } else { Ok(()) }
    }
}

impl Measures {
    /// What tells whether two engines did the same work.
    pub fn brief(&self) -> String {
        let Self { mean_height, kinetic, deepest, .. } = self;
        format!("{mean_height:.2} m high, {kinetic:.1} J a body, {:.0} mm deep", 1e3 * deepest)
    }

    /// The depth and the energy are computed by carom for every engine: they are looked at in the same way.
    pub fn of(scene: &Scene, outcome: &Outcome) -> Result<Self, String> {
        let dynamic = || scene.bodies.iter().filter(|body| body.kind == Kind::Dynamic);
        let count = dynamic().count();
        if outcome.states.len() != count {
            return Err(format!("{} states of {count} bodies", outcome.states.len()));
        }
        let is_sound = |state: &&carom_bench_scenes::State| {
            state.position.is_finite() && state.rotation.is_finite() && state.velocity.is_finite()
        };
        let broken = count - outcome.states.iter().filter(is_sound).count();
        if broken > 0 {
            let none = f64::NAN;
            return Ok(Self {
                lowest: none,
                mean_height: none,
                furthest: none,
                kinetic: none,
                deepest: none,
                passed: 0,
                broken,
            });
        }
        let heights = || outcome.states.iter().map(|state| f64::from(state.position.y));
        let ways = dynamic().zip(&outcome.states).map(|(body, state)| body.position.distance(state.position));
        let mut states = outcome.states.iter();
        let all: Vec<_> = scene
            .bodies
            .iter()
            .map(|body| match body.kind {
                Kind::Dynamic => states.next().copied().unwrap_or_else(|| ours::start(body)),
                Kind::Fixed | Kind::Kinematic => ours::start(body),
            })
            .collect();
        let (mut world, _) = ours::build(scene, &all)?;
        let kinetic = world.energy().kinetic / count as f64;
        // So short that nothing moves.
        let deepest = world.step(1e-6).map_err(|error| error.to_string())?.deepest;
        Ok(Self {
            lowest: heights().fold(f64::INFINITY, f64::min),
            mean_height: heights().sum::<f64>() / count as f64,
            furthest: f64::from(ways.fold(0.0, f32::max)),
            kinetic,
            deepest: f64::from(deepest),
            passed: dynamic()
                .zip(&outcome.states)
                .filter(|(body, state)| body.is_bullet && has_passed(body, state))
                .count(),
            broken,
        })
    }
}

/// In what ours came to something else than the peers did, who differ from each other, too.
pub fn deviations(scene: &Scene, ours: &Measures, peers: &[Measures]) -> Vec<String> {
    let mut found = Vec::new();
    if ours.broken > 0 {
        found.push(format!("{} bodies are broken", ours.broken));
        return found;
    }
    if scene.is_swept {
        if ours.passed > 0 {
            found.push(format!("{} bullets have passed", ours.passed));
        }
        return found;
    }
    let least = |of: fn(&Measures) -> f64| peers.iter().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: fn(&Measures) -> f64| peers.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
    if peers.is_empty() {
        return found;
    }
    let size = smallest(scene);
    if ours.lowest < least(|peer| peer.lowest) - 0.25 * size {
        found.push(format!("a body is as low as {:.3} m", ours.lowest));
    }
    let (low, high) = (least(|peer| peer.mean_height), most(|peer| peer.mean_height));
    let slack = 0.02 * (high - least(|peer| peer.lowest)) + 0.02 * size + (high - low);
    if ours.mean_height < low - slack || ours.mean_height > high + slack {
        found.push(format!("the mean height is {:.3} m", ours.mean_height));
    }
    if ours.deepest > 1.5 * most(|peer| peer.deepest) + 0.02 * size {
        found.push(format!("a contact is {:.1} mm deep", 1e3 * ours.deepest));
    }
    match scene.settles {
        Settles::Stands => {
            if ours.furthest > 1.5 * most(|peer| peer.furthest) + 0.05 * size {
                found.push(format!("a body went {:.3} m", ours.furthest));
            }
        }
        Settles::Heap => {}
        Settles::Moves => {
            if ours.kinetic < 0.7 * least(|peer| peer.kinetic) {
                found.push(format!("the kinetic energy is only {:.4} J a body", ours.kinetic));
            }
        }
    }
    // A hundredth of the energy of a fall by the size of a body is rest.
    let rest = 0.01 * mass_times_gravity(scene) * size;
    if ours.kinetic > 1.5 * most(|peer| peer.kinetic) + rest {
        found.push(format!("the kinetic energy is {:.4} J a body", ours.kinetic));
    }
    found
}

/// Whether a bullet is farther from its start than from there to anything in its way, and as fast as at the start.
fn has_passed(body: &carom_bench_scenes::Body, state: &carom_bench_scenes::State) -> bool {
    body.position.distance(state.position) > 100.0 && state.velocity.length() > 0.5 * body.velocity.length()
}

/// Half the least extent among the dynamic bodies, roughly.
fn smallest(scene: &Scene) -> f64 {
    let dynamic = scene.bodies.iter().filter(|body| body.kind == Kind::Dynamic);
    let sizes = dynamic.flat_map(|body| &body.shapes).map(|&shape| half_extent(&scene.shapes[shape]));
    f64::from(sizes.fold(f32::INFINITY, f32::min))
}

fn half_extent(shape: &Shape) -> f32 {
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
        Shape::Cuboid { half } => half.min_element(),
        Shape::Hull { points } => points.iter().map(|point| point.length()).fold(0.0, f32::max),
        Shape::Mesh { .. } => f32::INFINITY,
    }
}

/// Of the lightest body, as if it filled a cube.
fn mass_times_gravity(scene: &Scene) -> f64 {
    let density = scene.bodies.iter().filter(|body| body.kind == Kind::Dynamic).map(|body| body.density);
    let density = f64::from(density.fold(f32::INFINITY, f32::min));
    density * (2.0 * smallest(scene)).powi(3) * f64::from(scene.gravity.length())
}
