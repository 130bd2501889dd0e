//! Every scene loads fast, does nothing that must not be, and gives the same bits on any number of threads and at every
//! width; together they show every capability.

use super::super::{Scene, find};
use super::*;
use carom::body::BodyKind;
use carom::world::{Snapshot, World};
use carom::{Width, limit_width};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

pub(super) fn load(name: &str) -> Scene {
    find(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub(super) fn world(scene: &Scene) -> World {
    // On one thread: the tests share the machine with each other.
    let built = scene.world_by(scene.settings.builder().threads(1));
    built.unwrap_or_else(|error| panic!("{}: {error}", scene.name))
}

/// The ids of docs/capabilities.md: the first column of its tables, where `T5–T7` stands for three.
fn known_ids() -> BTreeSet<String> {
    let number = |id: &str| id.get(1..).and_then(|number| number.parse::<u32>().ok());
    let mut ids = BTreeSet::new();
    for line in include_str!("../../../../docs/capabilities.md").lines() {
        let Some(first) = line.strip_prefix("| ").and_then(|line| line.split(" |").next()) else { continue };
        let (from, to) = first.split_once('–').unwrap_or((first, first));
        if let (Some(from_number), Some(to_number)) = (number(from), number(to)) {
            ids.extend((from_number..=to_number).map(|number| format!("{}{number}", &from[..1])));
        }
    }
    ids
}

#[test]
fn every_scene_is_known_by_the_name_in_its_text_and_says_what_it_shows() {
    let mut sentences = BTreeSet::new();
    for name in names() {
        let scene = load(name);
        assert_eq!(scene.name, name);
        assert!(scene.shows.ends_with('.') && scene.shows.len() < 240, "{name}: {}", scene.shows);
        assert!(!scene.shows.contains("  "), "{name}: {}", scene.shows);
        assert!(sentences.insert(scene.shows.clone()), "{name} shows the same as another");
        assert!(!scene.capabilities.is_empty(), "{name}");
    }
    assert_eq!(names().iter().collect::<BTreeSet<_>>().len(), names().len());
    assert_eq!(names()[0], DEFAULT);
    assert!(names().len() >= 24);
}

#[test]
fn together_they_show_every_capability() {
    let ids = known_ids();
    assert!(ids.len() > 50 && ids.contains("S1") && ids.contains("T6") && ids.contains("V1"), "{ids:?}");
    let mut shown = BTreeSet::new();
    for name in names() {
        for id in load(name).capabilities {
            assert!(ids.contains(&id), "{name} shows {id}, which is not in docs/capabilities.md");
            shown.insert(id);
        }
    }
    let missing: Vec<&String> = ids.difference(&shown).collect();
    assert!(missing.is_empty(), "no scene shows {missing:?}");
}

#[test]
fn every_scene_loads_in_less_than_0_3_s() {
    for name in names() {
        // Other work on the machine is not the scene's fault, so one time out of many is enough.
        let seconds = || {
            let start = Instant::now();
            drop(world(&load(name)));
            start.elapsed().as_secs_f64()
        };
        let fastest = (0..30).map(|_| seconds()).find(|seconds| *seconds < 0.3);
        assert!(fastest.is_some(), "{name} never loads in 0.3 s");
    }
}

/// What a scene may do that others may not.
#[derive(Clone, Copy)]
struct Allowed {
    /// The greatest depth of a contact, in m, that an impact may leave for a step.
    depth: f32,
    /// How low a body may get.
    low: f64,
    /// Whether what moves by itself, or starts inside something, adds energy.
    gains_energy: bool,
}

fn allowed(name: &str) -> Allowed {
    let usual = Allowed { depth: 0.1, low: -0.1, gains_energy: false };
    match name {
        // Blows of more than 10 m/s.
        "boxes" | "shapes" | "stones" | "rain" | "grove" => Allowed { depth: 0.22, ..usual },
        "compounds" | "plane" => Allowed { depth: 0.35, ..usual },
        // A ball of 24 m/s falls on a heap. How deep what it hits is pressed into the rest hangs on how that lies there: of
        // 60 heaps that differ by a hair, every sixth is pressed deeper than 0.35 m for a moment.
        "islands" => Allowed { depth: 0.5, ..usual },
        "tunnelling" => Allowed { depth: 0.5, ..usual },
        // What starts inside another, or turns into it.
        "overlap" => Allowed { depth: 0.4, gains_energy: true, ..usual },
        "gjk" => Allowed { depth: 0.25, ..usual },
        // The overlap with a sensor counts.
        "sensors" => Allowed { depth: 0.5, ..usual },
        // Driven.
        "washer" => Allowed { depth: 0.4, low: -4.5, gains_energy: true },
        "traffic" => Allowed { depth: 0.5, gains_energy: true, ..usual },
        "blades" | "conveyor" | "gears" => Allowed { depth: 0.2, gains_energy: true, ..usual },
        // Ground, rooms and space below 0; and bodies whose frames are not in their middles.
        "terrain" | "decomposed" => Allowed { low: -1.0, ..usual },
        "hills" => Allowed { low: -4.0, ..usual },
        "stairs" => Allowed { low: -29.5, ..usual },
        "gas" => Allowed { low: -5.1, ..usual },
        "clusters" | "particles" => Allowed { low: -20.0, ..usual },
        _ => usual,
    }
}

/// So many steps that the test takes no more than seconds for each scene.
fn affordable(scene: &Scene) -> u32 {
    let dear = scene.bodies.len() as u32;
    scene.steps.min((60_000 / dear.max(1)).max(60))
}

#[test]
fn nothing_happens_in_a_scene_that_must_not_be() {
    let mut found = Vec::new();
    for name in names() {
        let scene = load(name);
        let mut world = world(&scene);
        let Allowed { depth, low, gains_energy } = allowed(name);
        let start = world.energy();
        let (mut deepest, mut most) = (0.0f32, start.total());
        for step in 0..affordable(&scene) {
            let done = world.step(scene.dt).unwrap_or_else(|error| panic!("{name} in step {step}: {error}"));
            assert!(done.faults.is_empty(), "{name} in step {step}: {:?}", done.faults);
            deepest = deepest.max(done.deepest);
            most = most.max(world.energy().total());
        }
        if deepest > depth {
            found.push(format!("{name}: a contact is {deepest} m deep"));
        }
        let lowest = world.bodies().filter(|body| body.kind() == BodyKind::Dynamic).map(|body| body.position().y);
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        if lowest < low {
            found.push(format!("{name}: a body fell to {lowest} m"));
        }
        let scale = start.kinetic.abs() + start.potential.abs() + 1.0;
        if !gains_energy && most - start.total() > 0.01 * scale {
            found.push(format!("{name}: the energy rises from {} to {most} J", start.total()));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// What came of a run: the hash at its end, how many bodies slept at once, and how many woke.
struct Run {
    hash: u64,
    asleep: usize,
    woken: usize,
}

fn run(scene: &Scene, threads: usize, steps: u32) -> Run {
    let built = scene.world_by(scene.settings.builder().threads(threads));
    let mut world = built.unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    let (mut asleep, mut woken, mut last) = (0, 0, 0usize);
    for step in 0..steps {
        if let Err(error) = world.step(scene.dt) {
            panic!("{} in step {step}: {error}", scene.name);
        }
        let now = world.bodies().filter(|body| body.is_asleep()).count();
        woken += last.saturating_sub(now);
        (asleep, last) = (asleep.max(now), now);
    }
    Run { hash: world.hash(), asleep, woken }
}

/// One test at a time says how work is shared out and how wide kernels are: that goes for the whole process.
static SETTING: Mutex<()> = Mutex::new(());

/// So many steps are taken by several threads; and so many with work in the smallest pieces, which is slow where there are
/// fewer cores than threads.
const SHARED: u32 = 40;
const SHARED_FINELY: u32 = 3;

/// A pool of four threads, though the machine may have fewer cores: then they take turns, in ever other orders. Work is
/// shared out in the smallest pieces, or most scenes would be one worker's.
#[test]
fn every_scene_gives_the_same_bits_on_any_number_of_threads_and_at_every_width() {
    let _turn = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut differ: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut slept, mut woke) = (Vec::new(), Vec::new());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap_or_else(|error| panic!("{error}"));
    for name in names() {
        let scene = load(name);
        // Long enough for a few bodies to come to rest and sleep.
        let steps = scene.steps.min((30_000 / scene.bodies.len().max(1) as u32).max(30));
        let expected = run(&scene, 1, steps);
        if expected.asleep > 0 {
            slept.push(name);
        }
        if expected.woken > 0 {
            woke.push(name);
        }
        for (is_fine, steps) in [(false, steps.min(SHARED)), (true, steps.min(SHARED_FINELY))] {
            let expected = run(&scene, 1, steps);
            carom::share_finely(is_fine);
            // More than the most workers, once, and far more than the pool has.
            let many = (is_fine && name == "pyramid").then_some(40);
            for threads in (2..=4).chain(many) {
                if pool.install(|| run(&scene, threads, steps)).hash != expected.hash {
                    differ.entry(name).or_default().push(format!("{threads} threads, {steps} steps"));
                }
            }
            carom::share_finely(false);
        }
        for width in Width::ALL {
            limit_width(width);
            // The shapes, too, are made anew.
            if run(&load(name), 1, steps).hash != expected.hash {
                differ.entry(name).or_default().push(format!("{width:?}"));
            }
        }
        limit_width(Width::Widest);
    }
    println!("bodies slept in {slept:?} and woke in {woke:?}");
    assert!(differ.is_empty(), "{differ:#?}");
    assert!(slept.len() >= 10 && woke.contains(&"islands"), "slept in {slept:?}, woke in {woke:?}");
}

/// What kernels run at, as a structure that is made now tells it.
fn level_in_use() -> String {
    let told = format!("{:?}", carom::broad::DynamicTree::default());
    let level = told.split_once("level: ").map_or("", |(_, rest)| rest);
    level.split(['(', ',', ' ']).next().unwrap_or_default().to_owned()
}

/// Or hashes at every width would be those of one and the same.
#[test]
fn each_width_is_another_where_the_machine_has_it() {
    let _turn = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut levels = BTreeSet::new();
    for width in Width::ALL {
        limit_width(width);
        levels.insert(level_in_use());
    }
    limit_width(Width::Widest);
    println!("kernels have run at {levels:?}");
    assert!(levels.iter().all(|level| !level.is_empty()), "{levels:?}");
    #[cfg(target_arch = "x86_64")]
    {
        let has = [std::is_x86_feature_detected!("sse4.2"), std::is_x86_feature_detected!("avx2")];
        let expected = 1 + has.into_iter().filter(|has| *has).count();
        assert!(levels.len() >= expected, "{levels:?}, but the machine has {expected} at least");
    }
}

/// So many steps lead from a scene's start to what counts as its middle here: bodies have piled up by then, and some sleep.
fn to_the_middle(scene: &Scene) -> u32 {
    (scene.steps / 2).min(150)
}

/// From the middle so many steps are taken, as usual and finely shared.
const ON: u32 = 40;
const ON_FINELY: u32 = 4;

/// The hashes after each of some steps.
fn hashes(scene: &Scene, world: &mut World, steps: u32) -> Vec<u64> {
    let hash_after = |step: u32| match world.step(scene.dt) {
        Ok(_) => world.hash(),
        Err(error) => panic!("{} in step {step}: {error}", scene.name),
    };
    (0..steps).map(hash_after).collect()
}

/// The same from a snapshot, in a new world.
fn hashes_from(scene: &Scene, middle: &Snapshot, threads: usize, steps: u32) -> Vec<u64> {
    let built = scene.settings.builder().threads(threads).build();
    let mut world = built.unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    world.restore(middle);
    hashes(scene, &mut world, steps)
}

/// What has piled up, rolls, sleeps and wakes there is not in the first steps.
#[test]
fn every_scene_goes_on_from_its_middle_with_the_same_bits_on_any_number_of_threads() {
    let _turn = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap_or_else(|error| panic!("{error}"));
    let mut differ: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut sleepers, mut touching) = (0, 0);
    for name in names() {
        let scene = load(name);
        let mut world = world(&scene);
        hashes(&scene, &mut world, to_the_middle(&scene));
        let middle = world.snapshot();
        sleepers += world.bodies().filter(|body| body.is_asleep()).count();
        touching += world.manifolds().filter(|manifold| manifold.is_touching()).count();
        let expected = hashes(&scene, &mut world, ON);
        for (is_fine, steps) in [(false, ON), (true, ON_FINELY)] {
            carom::share_finely(is_fine);
            for threads in 1..=4 {
                let found = pool.install(|| hashes_from(&scene, &middle, threads, steps));
                if let Some(step) = (0..steps as usize).find(|&step| found[step] != expected[step]) {
                    let how = if is_fine { ", finely shared" } else { "" };
                    differ.entry(name).or_default().push(format!("{threads} threads{how}, step {step}"));
                }
            }
            carom::share_finely(false);
        }
        limit_width(Width::Sse2);
        let found = pool.install(|| hashes_from(&scene, &middle, 3, ON));
        limit_width(Width::Widest);
        if let Some(step) = (0..ON as usize).find(|&step| found[step] != expected[step]) {
            differ.entry(name).or_default().push(format!("3 threads at the least width, step {step}"));
        }
    }
    println!("in the middle {sleepers} bodies sleep and {touching} patches touch");
    assert!(differ.is_empty(), "{differ:#?}");
    assert!(sleepers > 100 && touching > 1000, "{sleepers} sleepers and {touching} patches prove nothing");
}

/// So many steps of scenes of at most so many bodies are taken with all work shared in the smallest pieces; of others
/// fewer, since threads that take turns on a core wait for each other at every piece.
const ON_LARGE_WAY: u32 = 30;
const FEW_BODIES: usize = 120;
const ON_LARGE_WAY_OF_MANY: u32 = 3;

/// In the environment of a process that goes the way of large worlds.
const LARGE_WAY: &str = "CAROM_TEST_LARGE_WAY";

/// Pairs in the order of space, patches coloured region by region, and all of it shared by several threads: what only
/// large worlds do. How worlds are solved is a matter of the whole process, so it is done in another one: what other
/// tests compare meanwhile must not change.
#[test]
fn every_scene_gives_the_same_bits_on_any_number_of_threads_on_the_way_of_large_worlds() {
    if std::env::var_os(LARGE_WAY).is_some() {
        same_bits_on_the_way_of_large_worlds();
        return;
    }
    let module = module_path!().split_once("::").map_or("", |(_, module)| module);
    let name = format!("{module}::every_scene_gives_the_same_bits_on_any_number_of_threads_on_the_way_of_large_worlds");
    let program = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
    let run = std::process::Command::new(program).args(["--exact", &name, "--nocapture"]).env(LARGE_WAY, "1").output();
    let run = run.unwrap_or_else(|error| panic!("{error}"));
    let told = String::from_utf8_lossy(&run.stdout);
    println!("{told}{}", String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && told.contains("1 passed"), "the process ended with {}", run.status);
}

fn same_bits_on_the_way_of_large_worlds() {
    carom::order_few(true);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap_or_else(|error| panic!("{error}"));
    let mut differ: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut touching, mut long) = (0, 0);
    for name in names() {
        let scene = load(name);
        let begun = Instant::now();
        let mut world = world(&scene);
        hashes(&scene, &mut world, to_the_middle(&scene));
        touching += world.manifolds().filter(|manifold| manifold.is_touching()).count();
        let is_small = scene.bodies.len() <= FEW_BODIES;
        long += usize::from(is_small);
        let middle = world.snapshot();
        let steps = if is_small { ON_LARGE_WAY } else { ON_LARGE_WAY_OF_MANY };
        let expected = hashes(&scene, &mut world, steps);
        carom::share_finely(true);
        for threads in 2..=4 {
            let found = pool.install(|| hashes_from(&scene, &middle, threads, steps));
            if let Some(step) = (0..steps as usize).find(|&step| found[step] != expected[step]) {
                differ.entry(name).or_default().push(format!("{threads} threads, step {step}"));
            }
        }
        carom::share_finely(false);
        println!("{name}: {} bodies, {:.2} s", scene.bodies.len(), begun.elapsed().as_secs_f64());
    }
    println!(
        "{touching} patches touch in the middle; of {long} scenes {ON_LARGE_WAY} steps were taken, of the others {ON_LARGE_WAY_OF_MANY}"
    );
    assert!(differ.is_empty(), "{differ:#?}");
    assert!(touching > 1000 && long > 15, "{touching} patches and {long} scenes prove nothing");
}
