//! A scene that is played: its world, what was done to it, and the way back.
//!
//! Steps are deterministic, so a moment is known by the scene and the inputs up to it. Every few frames a keyframe is
//! kept. To go back, the last one before is restored and the steps from there are taken again with the same inputs: they
//! give the same bits. An input in the past begins another future; the old one is forgotten, unless it is that of a
//! recording, which a restart brings back.

mod before;
mod input;
mod keyframes;

pub(crate) use before::Before;
pub(crate) use input::{Input, Logged, SolverName};

use crate::recording::KeptFrame;
use crate::scene::{Scene, embedded};
use carom::glam::DVec3;
use carom::world::World;
use input::Held;
use keyframes::{Keyframe, Keyframes};

/// A scene at a moment.
#[derive(Debug)]
pub(crate) struct Session {
    scene: Scene,
    world: World,
    before: Before,
    frame: u32,
    /// The newest frame that is known of this future.
    last: u32,
    /// What was done, in order; those before `next` are done already: all up to this frame.
    log: Vec<Logged>,
    next: usize,
    held: Option<Held>,
    keyframes: Keyframes,
    /// Grows whenever there are other bodies than before.
    generation: u32,
    described: usize,
    recording: Option<Recorded>,
    /// Whether what happens is what was recorded: nobody has interfered.
    is_recorded: bool,
    /// Where a keyframe of the recording was first found to be another one than what happens.
    unlike: Option<Unlike>,
}

/// A keyframe of a recording that is not what happens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unlike {
    pub(crate) frame: u32,
    pub(crate) body: usize,
    pub(crate) stage: &'static str,
}

/// What a recording holds of a scene.
#[derive(Debug)]
struct Recorded {
    log: Vec<Logged>,
    last: u32,
    /// By frame, if they are known.
    hashes: Vec<u64>,
    /// As far as they are known.
    keyframes: Vec<KeptFrame>,
}

impl Session {
    /// A scene at its start.
    pub(crate) fn new(scene: Scene, world: World) -> Self {
        let described = world.len();
        let mut session = Self {
            scene,
            world,
            before: Before::default(),
            frame: 0,
            last: 0,
            log: Vec::new(),
            next: 0,
            held: None,
            keyframes: Keyframes::default(),
            generation: 0,
            described,
            recording: None,
            is_recorded: false,
            unlike: None,
        };
        session.keep();
        session
    }

    /// The same with what was done to it, and the hash that each frame had, if that is known.
    pub(crate) fn recorded(scene: Scene, world: World, log: Vec<Logged>, (last, hashes): (u32, Vec<u64>)) -> Self {
        let recording = Some(Recorded { log, last, hashes, keyframes: Vec::new() });
        let mut session = Self { recording, ..Self::new(scene, world) };
        session.restart();
        session
    }

    /// The same with what was kept of some frames; that of the start is compared at once, others when they are come to.
    pub(crate) fn with_keyframes(mut self, keyframes: Vec<KeptFrame>) -> Self {
        if let Some(recording) = &mut self.recording {
            recording.keyframes = keyframes;
        }
        // Without what was done in it.
        if let Some(start) = self.keyframes.before(0) {
            self.world.restore(&start.snapshot);
            self.before.forget();
            self.compare_with_keyframe();
            self.return_to_keyframe(0);
        }
        self
    }

    /// The first keyframe of the recording, as far as it was run, that is not what happens.
    pub(crate) fn unlike(&self) -> Option<Unlike> {
        self.unlike
    }

    pub(crate) fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What it is called: the scene's name, and that it is a recording of it, or a file that has the name of a scene which
    /// the program brings along.
    pub(crate) fn title(&self) -> String {
        let of = match &self.recording {
            Some(_) => " (recording)",
            None if self.is_from_outside() && embedded::names().contains(&self.scene.name.as_str()) => " (file)",
            None => "",
        };
        format!("{}{of}", self.scene.name)
    }

    /// Whether it is a recording or a file, which cannot be had again by its name.
    pub(crate) fn is_from_outside(&self) -> bool {
        self.recording.is_some() || !embedded::names().contains(&self.scene.source().name)
    }

    /// Whether it plays what was recorded.
    pub(crate) fn is_recorded(&self) -> bool {
        self.is_recorded
    }

    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    /// To look at it in another way: nothing that changes a step is done through this.
    pub(crate) fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// How it stood when the last step began.
    pub(crate) fn before(&self) -> &Before {
        &self.before
    }

    /// How many steps have been taken.
    pub(crate) fn frame(&self) -> u32 {
        self.frame
    }

    /// The first and the last frame that one can go to without leaving what has happened.
    pub(crate) fn kept(&self) -> [u32; 2] {
        [0, self.last]
    }

    /// Which set of bodies there is.
    pub(crate) fn generation(&self) -> u32 {
        self.generation
    }

    /// What was done up to now.
    pub(crate) fn log(&self) -> &[Logged] {
        &self.log
    }

    /// Whether it plays what was recorded and has come to its end.
    pub(crate) fn is_at_end_of_recording(&self) -> bool {
        self.is_recorded && self.frame >= self.last
    }

    /// The hash that this frame of a recording had; none where something was done in the frame, which the hash is without.
    pub(crate) fn recorded_hash(&self) -> Option<u64> {
        let is_untouched = !self.log.iter().any(|logged| logged.frame == self.frame);
        let recording = self.recording.as_ref().filter(|_| self.is_recorded && is_untouched)?;
        recording.hashes.get(self.frame as usize).copied()
    }

    /// What a body is called.
    pub(crate) fn name(&self, body: usize) -> Option<String> {
        match self.scene.bodies.get(body) {
            Some(written) => written.name.clone(),
            None => Some(format!("shot {}", body - self.scene.bodies.len() + 1)),
        }
    }

    /// Where coordinates are best counted from: near what moves.
    pub(crate) fn origin(&self) -> DVec3 {
        origin_of(&self.world)
    }

    /// Does something now; what was known of the future is forgotten. The error says why not, and nothing has changed.
    pub(crate) fn act(&mut self, input: Input) -> Result<(), String> {
        input.act(&mut self.world, &mut self.held)?;
        self.log.truncate(self.next);
        // Of many drags in one frame only the last counts.
        let is_drag = |input: &Input| matches!(input, Input::Drag { .. });
        let replaces = |last: &Logged| last.frame == self.frame && is_drag(&last.input) && is_drag(&input);
        if self.log.last().is_some_and(replaces) {
            self.log.pop();
        }
        self.log.push(Logged { frame: self.frame, input });
        self.next = self.log.len();
        self.keyframes.forget_after(self.frame);
        self.last = self.frame;
        self.is_recorded = false;
        self.count_bodies();
        Ok(())
    }

    /// Takes a step and does what was logged for the frame that it leads to. The error says why it was refused.
    pub(crate) fn step(&mut self) -> Result<(), String> {
        self.step_without_inputs()?;
        self.act_as_logged();
        Ok(())
    }

    /// Takes a step; what was logged for the frame that it leads to is left to [`Session::act_as_logged`].
    pub(crate) fn step_without_inputs(&mut self) -> Result<(), String> {
        if let Some(held) = &self.held {
            held.pull(&mut self.world);
        }
        self.before.note(&self.world);
        let step = self.world.step(self.scene.dt);
        step.map_err(|error| format!("{}: step {}: {error}", self.scene.name, self.frame))?;
        self.frame += 1;
        self.last = self.last.max(self.frame);
        if self.keyframes.is_due(self.frame) {
            self.keep();
        }
        self.compare_with_keyframe();
        Ok(())
    }

    /// Goes to the last keyframe before `target` if that is nearer to it than the present; steps have to be taken from
    /// there: one at least, as it is the step that tells of pairs, contacts and times, and of how it began.
    pub(crate) fn approach(&mut self, target: u32) {
        let before = target.saturating_sub(1);
        if target < self.frame || self.keyframes.before(before).is_some_and(|keyframe| keyframe.frame > self.frame) {
            self.return_to_keyframe(before);
        }
    }

    /// Goes to the start. What was done is undone; what was recorded is there again.
    pub(crate) fn restart(&mut self) {
        if !self.is_recorded {
            self.keyframes.forget_after(0);
            (self.log, self.last) = match &self.recording {
                Some(recording) => (recording.log.clone(), recording.last),
                None => (Vec::new(), 0),
            };
            self.is_recorded = self.recording.is_some();
        }
        self.return_to_keyframe(0);
    }

    /// Restores the last keyframe up to `target`.
    fn return_to_keyframe(&mut self, target: u32) {
        let Some(keyframe) = self.keyframes.before(target) else { return };
        self.world.restore(&keyframe.snapshot);
        self.before.forget();
        self.frame = keyframe.frame;
        self.next = keyframe.next;
        self.held = keyframe.held;
        self.act_as_logged();
    }

    /// Does what was logged for this frame.
    pub(crate) fn act_as_logged(&mut self) {
        while let Some(logged) = self.log.get(self.next).filter(|logged| logged.frame <= self.frame) {
            // It was allowed before, in the same state; in a recording of other bodies it may not be, and the hashes tell.
            drop(logged.input.act(&mut self.world, &mut self.held));
            self.next += 1;
        }
        self.count_bodies();
    }

    fn keep(&mut self) {
        let Self { frame, next, held, .. } = *self;
        self.keyframes.keep(Keyframe { frame, next, held, snapshot: self.world.snapshot() });
    }

    /// A recording that was rewritten may have sound hashes and other keyframes.
    fn compare_with_keyframe(&mut self) {
        let recording = self.recording.as_ref().filter(|_| self.is_recorded && self.unlike.is_none());
        let mut kept = recording.iter().flat_map(|recording| &recording.keyframes);
        let kept = kept.find(|kept| kept.frame == self.frame);
        if let Some((body, stage)) = kept.and_then(|kept| kept.difference(&self.world)) {
            self.unlike = Some(Unlike { frame: self.frame, body, stage });
        }
    }

    fn count_bodies(&mut self) {
        if self.world.len() != self.described {
            self.described = self.world.len();
            self.generation += 1;
        }
    }
}

/// Nearer than this to the world's origin f32 has digits enough to draw with, in m.
const NEAR: f64 = 1000.0;

fn origin_of(world: &World) -> DVec3 {
    let moving = |body: &carom::body::BodyRef<'_>| body.kind() != carom::body::BodyKind::Fixed;
    let (sum, count) = world
        .bodies()
        .filter(moving)
        .map(|body| body.position())
        .fold((DVec3::ZERO, 0.0), |(sum, count), position| (sum + position, count + 1.0));
    let middle = (sum / f64::max(count, 1.0)).round();
    if middle.is_finite() && middle.abs().max_element() > NEAR { middle } else { DVec3::ZERO }
}

#[cfg(test)]
mod tests;
