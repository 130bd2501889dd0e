//! One scene in one other engine, timed: `carom-bench-peer <scene> <threads> <steps> <pieces>` prints an outcome for
//! `carom-bench scenes` to read; each step is made in so many pieces. `cargo xtask bench scenes` builds it once for each engine and way of building it.

#[cfg(feature = "box3d")]
mod box3d;
#[cfg(feature = "rapier")]
mod rapier;

use carom_bench_scenes::{DT, Outcome, Scene, State, by_name};
use std::process::ExitCode;
use std::time::Instant;

#[cfg(feature = "box3d")]
use box3d::World;
#[cfg(all(feature = "rapier", not(feature = "box3d")))]
use rapier::World;

/// What an engine offers.
trait Engine: Sized {
    /// Does all of a run where the engine's threads are, if they are not its own.
    fn among_threads<T: Send>(_threads: usize, run: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
        run()
    }

    fn new(scene: &Scene, threads: usize) -> Result<Self, String>;
    fn step(&mut self, dt: f32);
    /// Of all dynamic bodies, in the order of the scene.
    fn states(&self) -> Vec<State>;
}

fn main() -> ExitCode {
    match run() {
        Ok(outcome) => {
            print!("{}", outcome.to_text());
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<Outcome, String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scene, threads, steps, pieces] = &arguments[..] else {
        return Err("usage: carom-bench-peer <scene> <threads> <steps> <pieces>".to_owned());
    };
    let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text}: {error}"));
    let (threads, steps, pieces) = (number(threads)?, number(steps)?, number(pieces)?.max(1));
    let scene = by_name(scene).ok_or_else(|| format!("there is no scene {scene}"))?;
    World::among_threads(threads, || timed(&scene, threads, steps, pieces))
}

fn timed(scene: &Scene, threads: usize, steps: usize, pieces: usize) -> Result<Outcome, String> {
    let mut world = World::new(scene, threads)?;
    let mut step = || (0..pieces).for_each(|_| world.step(DT / pieces as f32));
    // The first step builds what later ones keep.
    step();
    let start = Instant::now();
    for _ in 0..steps {
        step();
    }
    let milliseconds = start.elapsed().as_secs_f64() * 1e3 / steps.max(1) as f64;
    Ok(Outcome { milliseconds, states: world.states() })
}
