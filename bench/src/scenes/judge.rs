//! What the engines came to, measured alike for all of them, and whether ours came to the same.

use super::ours;
use carom::body::BodyKind;
use carom::glam::DVec3;
use carom::query::Ray;
use carom::world::World;
use carom_bench_scenes::{Body, Kind, Outcome, Scene, Settles, Shape, State};
use std::fmt;

/// How much nearer to the ground ours may be than the nearest body of any peer, in sizes of a body.
const NEARER: f64 = 0.05;
/// How much deeper a contact may be than in most of the peers.
const DEEPER: f64 = 0.05;
/// How much further than in any peer the body may have gone that should stand and went furthest.
const FURTHER: f64 = 0.05;
/// What should stand has fallen over if one of its bodies went farther than so many times half of its extent, whatever peers do.
const FALLEN_OVER: f64 = 1.0;
/// How much higher or lower than in any peer a body that should stand may be.
const SAME_HEIGHT: f64 = 0.05;
/// How much more than peers from each other the heights that tenths of the bodies are below may differ from any peer's, as a
/// share of the heap's height.
const SAME_SPREAD: f64 = 0.02;
/// By what factor the kinetic energy may differ.
const KINETIC: f64 = 1.2;
/// Slower than this, on average, bodies stand, in m/s.
const STANDING: f64 = 0.05;

/// The end of a run in a few numbers.
#[derive(Debug, Clone)]
pub struct Measures {
    /// Of all dynamic bodies, in the order of the scene.
    heights: Vec<f64>,
    /// How far above the ground below it that body's middle is which is nearest to it. On terrain the lowest body tells nothing:
    /// which one comes to lie in a trough, and on which side, is chance.
    nearest: f64,
    /// How far the body that went furthest is from where it was at the start.
    furthest: f64,
    /// In J for each body.
    kinetic: f64,
    /// Kinetic and potential, from y = 0, in J for each body.
    energy: f64,
    /// The greatest depth of contact.
    deepest: f64,
    /// Bodies with nothing fixed or driven below their middles, or around them.
    fallen: usize,
    /// Bodies farther from the middle of what is driven, if something is, than any of it reaches: they were inside at the start.
    escaped: usize,
    /// Bullets that went on as if nothing had been in their way.
    passed: usize,
    /// Bodies whose state is no number.
    broken: usize,
}

impl fmt::Display for Measures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nearest, furthest, kinetic, energy, deepest, .. } = self;
        write!(
            formatter,
            "lowest {:.3} m, {nearest:.3} m above ground, mean {:.3} m, furthest {furthest:.3} m, kinetic {kinetic:.4} of {energy:.2} J a body, deepest \
             {:.1} mm",
            self.lowest(),
            self.mean_height(),
            1e3 * deepest
        )?;
        let counts =
            [(self.fallen, "FALLEN"), (self.escaped, "ESCAPED"), (self.passed, "PASSED"), (self.broken, "BROKEN")];
        for (count, what) in counts {
            if count > 0 {
                write!(formatter, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

impl Measures {
    /// What tells whether two engines did the same work.
    pub fn brief(&self) -> String {
        let Self { kinetic, deepest, .. } = self;
        format!("{:.2} m high, {kinetic:.1} J a body, {:.0} mm deep", self.mean_height(), 1e3 * deepest)
    }

    /// The end of a run over `time`. Depth, energy and ground are computed by carom for every engine: they are looked at in
    /// the same way.
    pub fn of(scene: &Scene, outcome: &Outcome, time: f32) -> Result<Self, String> {
        let dynamic = || scene.bodies.iter().filter(|body| body.kind == Kind::Dynamic);
        let count = dynamic().count();
        if outcome.states.len() != count {
            return Err(format!("{} states of {count} bodies", outcome.states.len()));
        }
        let is_sound =
            |state: &&State| state.position.is_finite() && state.rotation.is_finite() && state.velocity.is_finite();
        let heights = outcome.states.iter().map(|state| f64::from(state.position.y)).collect();
        let broken = count - outcome.states.iter().filter(is_sound).count();
        if broken > 0 {
            let [nearest, furthest, kinetic, energy, deepest] = [f64::NAN; 5];
            let (fallen, escaped, passed) = (0, 0, 0);
            return Ok(Self { heights, nearest, furthest, kinetic, energy, deepest, fallen, escaped, passed, broken });
        }
        let ways = dynamic().zip(&outcome.states).map(|(body, state)| body.position.distance(state.position));
        let mut states = outcome.states.iter();
        let all: Vec<_> = scene
            .bodies
            .iter()
            .map(|body| match body.kind {
                Kind::Dynamic => states.next().copied().unwrap_or_else(|| ours::start(body)),
                Kind::Fixed | Kind::Kinematic => ours::driven(body, time),
            })
            .collect();
        let (mut world, _) = ours::build(scene, &all)?;
        let energy = world.energy();
        let middles = world.bodies().filter(|body| body.kind() == BodyKind::Dynamic).map(|body| body.center_of_mass());
        let grounded = middles.map(|middle| above_ground(&world, middle)).collect::<Result<Vec<_>, _>>()?;
        let fallen = grounded.iter().filter(|height| height.is_none()).count();
        let nearest = grounded.into_iter().flatten().fold(f64::INFINITY, f64::min);
        // So short that nothing moves.
        let deepest = world.step(1e-6).map_err(|error| error.to_string())?.deepest;
        let driven = || scene.bodies.iter().filter(|body| body.kind == Kind::Kinematic);
        let has_escaped = |state: &&State| {
            let is_outside = |body: &Body| body.position.distance(state.position) > reach_of(scene, body);
            driven().next().is_some() && driven().all(is_outside)
        };
        let escaped = outcome.states.iter().filter(has_escaped).count();
        let bullets = dynamic().zip(&outcome.states).filter(|(body, _)| body.is_bullet);
        Ok(Self {
            heights,
            nearest,
            furthest: f64::from(ways.fold(0.0, f32::max)),
            kinetic: energy.kinetic / count as f64,
            energy: energy.total() / count as f64,
            deepest: f64::from(deepest),
            fallen,
            escaped,
            passed: bullets.filter(|(body, state)| has_passed(body, state)).count(),
            broken,
        })
    }

    fn lowest(&self) -> f64 {
        self.heights.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn mean_height(&self) -> f64 {
        self.heights.iter().sum::<f64>() / self.heights.len() as f64
    }

    /// The heights that a tenth, two tenths, … of the bodies are below.
    fn deciles(&self) -> [f64; 9] {
        let mut sorted = self.heights.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        [1, 2, 3, 4, 5, 6, 7, 8, 9].map(|tenths| sorted[tenths * (sorted.len() - 1) / 10])
    }
}

/// How far below a point something is that cannot fall, if it is there and the point not inside of it.
fn above_ground(world: &World, point: DVec3) -> Result<Option<f64>, String> {
    let bears = |shape: carom::body::ShapeRef<'_>| shape.body.kind() != BodyKind::Dynamic;
    let hit = world.ray_cast(&Ray::new(point, [0.0, -1.0, 0.0]), &bears).map_err(|error| error.to_string())?;
    Ok(hit.filter(|found| !found.hit.starts_inside).map(|found| found.hit.distance))
}

/// How much energy ours may have had at any time, in J for each body: what it had at the start; where something is driven,
/// that of bodies carried to its highest point at the speed of its fastest one, if that is more.
pub fn allowed_energy(scene: &Scene, start: f64) -> Result<f64, String> {
    let driven = scene.bodies.iter().filter(|body| body.kind == Kind::Kinematic);
    let reached = driven.map(|body| {
        let reach = reach_of(scene, body);
        let speed = body.velocity.length() + reach * body.angular_velocity.length();
        (f64::from(body.position.y + reach), f64::from(speed))
    });
    let Some((height, speed)) = reached.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1))) else { return Ok(start) };
    let states: Vec<State> = scene.bodies.iter().map(ours::start).collect();
    let (world, _) = ours::build(scene, &states)?;
    let masses = || world.bodies().filter_map(|body| body.mass()).map(f64::from);
    let carried = f64::from(scene.gravity.length()) * height + 0.5 * speed * speed;
    Ok(start.max(carried * masses().sum::<f64>() / masses().count() as f64))
}

/// In what ours came to something else than the peers did, who differ from each other, too. `finer` are peers with shorter
/// steps, if they were asked: what is spread as in one of them, or in between, is spread as it should be, and what is as fast is
/// as fast as it should be.
pub fn deviations(scene: &Scene, ours: &Measures, peers: &[Measures], finer: &[Measures]) -> Vec<String> {
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
    if ours.fallen > 0 {
        found.push(format!("{} bodies have nothing below them", ours.fallen));
    }
    // What has come apart or fallen through something is no measure.
    let peers: Vec<&Measures> = peers.iter().filter(|peer| peer.broken == 0 && peer.fallen == 0).collect();
    let chance = ours.heights.len() / 500;
    if ours.escaped > peers.iter().map(|peer| peer.escaped).max().unwrap_or(0) + chance {
        found.push(format!("{} bodies have escaped", ours.escaped));
    }
    let size = smallest(scene);
    if scene.settles == Settles::Stands && ours.furthest > FALLEN_OVER * size {
        found.push(format!("a body that should stand went {:.3} m", ours.furthest));
    }
    if peers.is_empty() {
        return found;
    }
    let range = |of: &dyn Fn(&Measures) -> f64| range_of(peers.iter().map(|peer| of(peer)));
    let (lowest, _) = range(&Measures::lowest);
    let (nearest, _) = range(&|peer| peer.nearest);
    if ours.nearest < nearest - NEARER * size {
        found.push(format!("a body is only {:.3} m above the ground", ours.nearest));
    }
    if ours.deepest > middle_of(peers.iter().map(|peer| peer.deepest)) + DEEPER * size {
        found.push(format!("a contact is {:.1} mm deep", 1e3 * ours.deepest));
    }
    let same = SAME_HEIGHT * size;
    if scene.settles == Settles::Stands || do_agree(&peers, same) {
        if let Some((body, height)) = stray(scene, ours, &peers, same) {
            found.push(format!("body {body} is {height:.3} m high"));
        }
        let (_, furthest) = range(&|peer| peer.furthest);
        if ours.furthest > furthest + FURTHER * size {
            found.push(format!("a body went {:.3} m", ours.furthest));
        }
    }
    // Which body comes to lie where in a heap is chance; how the heights are spread is not.
    let slack = SAME_SPREAD * (range(&|peer| peer.deciles()[8]).1 - lowest + size);
    for (tenth, &height) in ours.deciles().iter().enumerate().filter(|_| scene.settles != Settles::Stands) {
        let (low, high) = range(&|peer| peer.deciles()[tenth]);
        let (finer_low, finer_high) = range_of(finer.iter().map(|peer| peer.deciles()[tenth]));
        let is_as_finer = height > low.min(finer_low) - slack && height < high.max(finer_high) + slack;
        // As far as engines differ among themselves, ours may from them.
        let slack = slack + (high - low);
        if !is_as_finer && (height < low - slack || height > high + slack) {
            found.push(format!("{}0 % of the bodies are below {height:.3} m", tenth + 1));
        }
    }
    // Like heights: what peers with shorter steps come to is no fault.
    let (least, most) = range_of(peers.iter().copied().chain(finer).map(|peer| peer.kinetic));
    // Whether it should be a heap by then or not: where all peers still move, ours should.
    if least > rest(scene) && ours.kinetic < least / KINETIC {
        found.push(format!("the kinetic energy is only {:.4} J a body", ours.kinetic));
    }
    if ours.kinetic > KINETIC * most + rest(scene) {
        found.push(format!("the kinetic energy is {:.4} J a body", ours.kinetic));
    }
    found
}

/// The body that is the most astray, if by more than `slack`, and its height. It should be as high as in one of the peers or in
/// between; one that stands, as high as it was put, too: where peers sink in more, that is their fault.
fn stray(scene: &Scene, ours: &Measures, peers: &[&Measures], slack: f64) -> Option<(usize, f64)> {
    let starts = scene.bodies.iter().filter(|body| body.kind == Kind::Dynamic).map(|body| f64::from(body.position.y));
    let stands = scene.settles == Settles::Stands;
    let off = |(body, (&height, start)): (usize, (&f64, f64))| {
        let (low, high) = range_of(peers.iter().map(|peer| peer.heights[body]).chain(stands.then_some(start)));
        (body, height, (low - height).max(height - high))
    };
    let worst = ours.heights.iter().zip(starts).enumerate().map(off).max_by(|a, b| a.2.total_cmp(&b.2));
    worst.filter(|(_, _, off)| *off > slack).map(|(body, height, _)| (body, height))
}

/// Whether nearly every body has come to the same height in all peers: then this is no chance, and ours should, too.
fn do_agree(peers: &[&Measures], slack: f64) -> bool {
    let count = peers.first().map_or(0, |peer| peer.heights.len());
    let is_same = |body: &usize| {
        let (low, high) = range_of(peers.iter().map(|peer| peer.heights[*body]));
        high - low <= slack
    };
    (0..count).filter(is_same).count() as f64 >= 0.99 * count as f64
}

fn range_of(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// The middle one, or the lower one of the two in the middle.
fn middle_of(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[(sorted.len() - 1) / 2]
}

/// The kinetic energy that a body may have and still be said to stand, in J.
pub fn rest(scene: &Scene) -> f64 {
    0.5 * least_mass(scene) * STANDING * STANDING
}

/// Whether a bullet is farther from its start than from there to anything in its way, and as fast as at the start.
fn has_passed(body: &Body, state: &State) -> bool {
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

/// How far a body goes from its position.
fn reach_of(scene: &Scene, body: &Body) -> f32 {
    body.shapes.iter().map(|&shape| reach(&scene.shapes[shape])).fold(0.0, f32::max)
}

/// How far a shape goes from the origin of its frame.
fn reach(shape: &Shape) -> f32 {
    match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Capsule { half_height, radius } => half_height + radius,
        Shape::Cuboid { half } => half.length(),
        Shape::Hull { points } | Shape::Mesh { vertices: points, .. } => {
            points.iter().map(|point| point.length()).fold(0.0, f32::max)
        }
    }
}

/// Of the lightest body, as if it filled a cube.
fn least_mass(scene: &Scene) -> f64 {
    let density = scene.bodies.iter().filter(|body| body.kind == Kind::Dynamic).map(|body| body.density);
    let density = f64::from(density.fold(f32::INFINITY, f32::min));
    density * (2.0 * smallest(scene)).powi(3)
}

#[cfg(test)]
mod tests {
    use super::{Measures, deviations};
    use carom_bench_scenes::{Kind, Outcome, Scene, State, by_name};

    /// As if nothing had moved but what is driven.
    fn still(scene: &Scene) -> Outcome {
        let dynamic = scene.bodies.iter().filter(|body| body.kind == Kind::Dynamic);
        Outcome { milliseconds: 1.0, states: dynamic.map(super::ours::start).collect() }
    }

    fn judged(scene: &Scene, change: impl Fn(&mut Vec<State>), peers: &[Outcome]) -> Vec<String> {
        let measure = |outcome: &Outcome| Measures::of(scene, outcome, 0.0).expect("as many states as bodies");
        let mut ours = still(scene);
        change(&mut ours.states);
        deviations(scene, &measure(&ours), &peers.iter().map(measure).collect::<Vec<_>>(), &[])
    }

    #[test]
    fn what_stands_is_fine_and_what_does_not_is_told() {
        let scene = by_name("pyramid").expect("it is there");
        let peers = [still(&scene), still(&scene)];
        assert_eq!(judged(&scene, |_| (), &peers), Vec::<String>::new());
        let told = |change: fn(&mut Vec<State>)| !judged(&scene, change, &peers).is_empty();
        assert!(told(|states| states[5].position.y = -3.0), "one below the floor");
        assert!(told(|states| states[5].position.y -= 0.1), "one that has sunk in");
        assert!(told(|states| states[700].position.x += 0.3), "one that has slid");
        assert!(told(|states| states[3].velocity.x = f32::NAN), "one that is no number");
        assert!(told(|states| states.iter_mut().for_each(|state| state.velocity.y = 0.3)), "a pyramid that moves");
    }

    /// Whatever one peer does: ours must stand.
    #[test]
    fn a_peer_that_falls_over_or_apart_is_no_excuse() {
        let scene = by_name("pyramid").expect("it is there");
        let mut toppled = still(&scene);
        toppled.states[700].position += 3.0;
        let mut broken = still(&scene);
        broken.states[3].position.x = f32::NAN;
        let peers = [still(&scene), toppled, broken];
        assert_eq!(judged(&scene, |_| (), &peers), Vec::<String>::new());
        assert!(!judged(&scene, |states| states[700].position += 3.0, &peers).is_empty());
    }

    #[test]
    fn who_leaves_the_drum_is_missed() {
        let scene = by_name("washer").expect("it is there");
        let peers = [still(&scene), still(&scene)];
        let leak = |states: &mut Vec<State>| states.iter_mut().take(40).for_each(|state| state.position.y = 0.2);
        assert_eq!(judged(&scene, |_| (), &peers), Vec::<String>::new());
        let found = judged(&scene, leak, &peers);
        assert!(found.iter().any(|fault| fault.contains("escaped")), "{found:?}");
    }
}
