//! `carom bench SCENE`: how long the stages of a scene's steps take.

use crate::scene::Scene;
use crate::{Failure, print, report, simulate, threads};
use carom::world::StageTimes;
use serde::Serialize;
use std::time::Duration;

/// What was measured.
#[derive(Debug, Serialize)]
struct Measured {
    scene: String,
    bodies: usize,
    steps: u32,
    dt: f32,
    threads: usize,
    repeats: u32,
    stages: Stages,
    /// How much faster than the clock it runs.
    real_time_factor: f64,
    pairs: report::Spread,
    contacts: report::Spread,
    /// 16 hexadecimal digits of the state after the last step, the same in all repeats.
    hash: String,
}

/// Of each stage and of the whole step.
#[derive(Debug, Serialize)]
struct Stages {
    broad: Times,
    narrow: Times,
    response: Times,
    impact: Times,
    step: Times,
}

/// Seconds a step.
#[derive(Debug, Clone, Copy, Serialize)]
struct Times {
    mean: f64,
    median: f64,
    p95: f64,
    worst: f64,
}

/// Runs a scene some times over; of each step the fastest time counts, as what slows a step down is mostly something else.
pub(crate) fn measure(scene: &Scene, repeats: u32, json: bool) -> Result<(), Failure> {
    let mut fastest: Vec<StageTimes> = Vec::new();
    let (mut pairs, mut contacts) = (report::Spread::default(), report::Spread::default());
    let mut hash = None;
    let bar = simulate::progress(&scene.name, scene.steps.saturating_mul(repeats));
    for repeat in 0..repeats {
        let mut world = scene.world()?;
        for index in 0..scene.steps as usize {
            let step = world.step(scene.dt).map_err(|error| Failure::Finding(format!("step {index}: {error}")))?;
            match fastest.get_mut(index) {
                Some(known) if total(known) <= total(&step.times) => {}
                Some(known) => *known = step.times,
                None => fastest.push(step.times),
            }
            if repeat == 0 {
                pairs.add(step.pairs);
                contacts.add(step.contacts);
            }
            bar.inc(1);
        }
        if *hash.get_or_insert(world.hash()) != world.hash() {
            return Err(Failure::Finding(format!("{}: run {repeat} ended in another state than run 0", scene.name)));
        }
    }
    bar.finish_and_clear();
    let of = |part: fn(&StageTimes) -> Duration| Times::of(fastest.iter().map(part));
    let stages = Stages {
        broad: of(|times| times.broad),
        narrow: of(|times| times.narrow),
        response: of(|times| times.response),
        impact: of(|times| times.impact),
        step: of(total),
    };
    let measured = Measured {
        scene: scene.name.clone(),
        bodies: scene.bodies.len(),
        steps: scene.steps,
        dt: scene.dt,
        threads: rayon::current_num_threads(),
        repeats,
        real_time_factor: f64::from(scene.dt) / stages.step.mean.max(f64::MIN_POSITIVE),
        stages,
        pairs,
        contacts,
        hash: format!("{:016x}", hash.unwrap_or_default()),
    };
    print(&if json { report::pretty(&measured) } else { measured.table() })
}

fn total(times: &StageTimes) -> Duration {
    times.broad + times.narrow + times.response + times.impact
}

impl Times {
    fn of(times: impl Iterator<Item = Duration>) -> Self {
        let mut seconds: Vec<f64> = times.map(|time| time.as_secs_f64()).collect();
        seconds.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let index = (share * seconds.len().saturating_sub(1) as f64).round() as usize;
            seconds.get(index).copied().unwrap_or(0.0)
        };
        let mean = seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
        Self { mean, median: at(0.5), p95: at(0.95), worst: at(1.0) }
    }
}

impl Measured {
    fn table(&self) -> String {
        let mut text = format!(
            "{}: {} bodies, {} steps of {:.3} ms on {}, {}, {:.1} × real time\n\n",
            self.scene,
            self.bodies,
            self.steps,
            f64::from(self.dt) * 1e3,
            threads::counted(self.threads),
            if self.repeats == 1 { "one run".to_string() } else { format!("fastest of {} runs", self.repeats) },
            self.real_time_factor
        );
        text += &format!("{:<10}{:>12}{:>12}{:>12}{:>12}\n", "stage, µs", "median", "mean", "p95", "worst");
        let Stages { broad, narrow, response, impact, step } = &self.stages;
        let rows = [("broad", broad), ("narrow", narrow), ("response", response), ("impact", impact), ("step", step)];
        for (name, times) in rows {
            let [median, mean, p95, worst] = [times.median, times.mean, times.p95, times.worst].map(|time| time * 1e6);
            text += &format!("{name:<10}{median:>12.1}{mean:>12.1}{p95:>12.1}{worst:>12.1}\n");
        }
        text += &format!("\npairs per step {:.1}, contacts per step {:.1}\n", self.pairs.mean, self.contacts.mean);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_sorted_out() {
        let times = Times::of((1..=101).rev().map(Duration::from_millis));
        assert_eq!((times.median, times.p95, times.worst), (0.051, 0.096, 0.101));
        assert!((times.mean - 0.051).abs() < 1e-12);
        assert_eq!(Times::of(std::iter::empty()).worst, 0.0);
    }
}
