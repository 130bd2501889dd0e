//! Runs a scene's steps and keeps what a report needs.

use crate::report::{BodyState, Energy, Fault, Momentum, Report, Span, Spread, Stages};
use crate::scene::Scene;
use carom::world::World;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Takes the scene's steps; `after_step` sees the world after each. The error says which step was refused and why.
pub(crate) fn run(scene: &Scene, world: &mut World, mut after_step: impl FnMut(&World)) -> Result<Report, String> {
    let energy_at_start = Energy::of(world);
    let momentum_at_start = Momentum::of(world);
    let (mut pairs, mut contacts) = (Spread::default(), Spread::default());
    let mut deepest: f32 = 0.0;
    let mut stages = Stages::default();
    let mut faults = Vec::new();
    let bar = progress(&scene.name, scene.steps);
    let start = Instant::now();
    for index in 0..scene.steps {
        let step = world.step(scene.dt).map_err(|error| format!("{}: step {index}: {error}", scene.name))?;
        pairs.add(step.pairs);
        contacts.add(step.contacts);
        deepest = deepest.max(step.deepest);
        stages.add(&step.times);
        let broken = step.faults.clone();
        faults.extend(broken.iter().filter_map(|fault| {
            // Bodies are never removed here, so they still count as in the scene.
            let body = world.bodies().position(|body| body.id() == fault.body)?;
            Some(Fault {
                body,
                name: scene.title(body),
                step: index,
                stage: fault.stage.to_string(),
                cause: fault.cause.to_string(),
            })
        }));
        after_step(world);
        bar.inc(1);
    }
    let wall_seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    Ok(Report {
        scene: scene.name.clone(),
        steps: scene.steps,
        dt: scene.dt,
        simulated_seconds: world.time(),
        wall_seconds,
        bodies: world.bodies().map(|body| body.kind()).collect(),
        pairs,
        contacts,
        deepest,
        energy: Span { start: energy_at_start, end: Energy::of(world) },
        momentum: Span { start: momentum_at_start, end: Momentum::of(world) },
        stages,
        hash: format!("{:016x}", world.hash()),
        faults,
        end: world
            .bodies()
            .zip(&scene.bodies)
            .map(|(body, written)| BodyState::of(body, written.name.clone()))
            .collect(),
    })
}

/// A bar on standard error; nothing where that is no terminal.
pub(crate) fn progress(name: &str, steps: u32) -> ProgressBar {
    let bar = ProgressBar::new(u64::from(steps)).with_message(name.to_string());
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} steps {eta}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A sign on standard error that something goes on whose end is not known, with the time that it has taken.
pub(crate) fn spinner(what: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner().with_message(what.to_string());
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
    let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    // What is over sooner than this draws nothing.
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Does what may take a while, with a spinner.
pub(crate) fn waiting<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let spinner = spinner(what);
    let done = work();
    spinner.finish_and_clear();
    done
}
