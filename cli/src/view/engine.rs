//! The thread that owns the session: it takes steps in time with the clock, does what pages ask for, and puts frames into
//! their mailboxes.

use super::bounds::{Question, Volume};
use super::frame::Frame;
use super::mailbox::{Letter, Mailbox};
use super::message::{self, Command, Listed, Tell};
use super::overlay::Overlay;
use super::record::{self, Tape};
use super::{compare, converge, describe, inspect, processor};
use crate::microscope;
use crate::scene::{self, Scene, Source, embedded};
use crate::session::{Input, Session, SolverName, Unlike};
use carom::broad::Structure;
use carom::glam::DVec3;
use carom::response::Fault;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What the engine hears of.
pub(super) enum Event {
    Joined(u64, Arc<Mailbox>),
    Said(u64, Command),
    /// An answer that took another thread some time.
    Answered(u64, String),
    Left(u64),
}

/// Pages draw no faster than this.
const FRAME_TIME: Duration = Duration::from_micros(16_000);
/// A clock that is behind by more than this is set anew: the scene is too slow for real time.
const MOST_LAG: Duration = Duration::from_millis(50);
const STATE_TIME: Duration = Duration::from_secs(1);
/// On the way to a frame that was sought, pages see others no more often than this.
const GLIMPSE_TIME: Duration = Duration::from_millis(500);

pub(super) struct Engine {
    session: Session,
    /// The file or recording that the program was started with, left for another scene and to be come back to.
    opened: Option<Session>,
    /// To list all scenes takes a moment, which nobody waits for before the first page has come.
    listing: Option<JoinHandle<Vec<Listed>>>,
    scenes: Vec<Listed>,
    pages: Vec<Page>,
    /// Where coordinates are counted from.
    origin: DVec3,
    is_playing: bool,
    speed: f64,
    /// Where steps lead while it is not playing.
    target: Option<u32>,
    next_step: Instant,
    last_frame: Instant,
    last_state: Instant,
    /// Added to the session's: scenes that were closed have had theirs.
    generations: u32,
    sent_generation: Option<u32>,
    /// Whether pages have been told that a recording runs otherwise than it was recorded.
    has_warned: bool,
    /// What the steps since the last state took, in ms.
    step_times: Vec<f32>,
    /// What they took of a processor, in ms, where one thread takes them and the system tells.
    step_cpu_times: Vec<f32>,
    answers: SyncSender<Event>,
}

struct Page {
    id: u64,
    mailbox: Arc<Mailbox>,
    overlays: Vec<Overlay>,
    wants_frames: bool,
}

impl Engine {
    pub(super) fn new(session: Session, answers: SyncSender<Event>) -> Self {
        let now = Instant::now();
        Self {
            origin: session.origin(),
            session,
            opened: None,
            listing: Some(std::thread::spawn(listed)),
            scenes: Vec::new(),
            pages: Vec::new(),
            is_playing: true,
            speed: 1.0,
            target: None,
            next_step: now,
            last_frame: now,
            last_state: now,
            generations: 0,
            sent_generation: None,
            has_warned: false,
            step_times: Vec::new(),
            step_cpu_times: Vec::new(),
            answers,
        }
    }

    /// Runs until nobody can say anything any more.
    pub(super) fn run(mut self, events: &Receiver<Event>) {
        loop {
            match events.recv_timeout(self.patience()) {
                Ok(event) => {
                    self.hear(event);
                    // What else is there is heard before the next step.
                    while let Ok(event) = events.try_recv() {
                        self.hear(event);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.go_on();
        }
    }

    /// For how long there is nothing to do.
    fn patience(&self) -> Duration {
        if self.pages.is_empty() {
            return STATE_TIME;
        }
        if self.target.is_some() {
            return Duration::ZERO;
        }
        let now = Instant::now();
        let state = (self.last_state + STATE_TIME).saturating_duration_since(now);
        if self.is_playing { state.min(self.next_step.saturating_duration_since(now)) } else { state }
    }

    /// Takes the steps that are due, as long as a page would not notice.
    fn go_on(&mut self) {
        // Nobody looks: the scene waits for its first visitor.
        if self.pages.is_empty() {
            return;
        }
        let start = Instant::now();
        let mut has_moved = false;
        while start.elapsed() < FRAME_TIME {
            let goes = match self.target {
                Some(target) => self.session.frame() < target,
                None => self.is_playing && self.next_step <= Instant::now(),
            };
            if !goes {
                break;
            }
            if self.is_playing && self.session.is_at_end_of_recording() {
                self.is_playing = false;
                self.tell_state();
                break;
            }
            let begun = processor::time_of_this_thread();
            if let Err(refusal) = self.session.step() {
                (self.is_playing, self.target) = (false, None);
                self.tell_all(&message::error(refusal));
                self.tell_state();
                break;
            }
            has_moved = true;
            // Other threads have clocks of their own.
            let had = processor::time_of_this_thread().zip(begun).map(|(end, begun)| end.saturating_sub(begun));
            self.step_cpu_times
                .extend(had.filter(|_| rayon::current_num_threads() == 1).map(|had| had.as_secs_f32() * 1e3));
            let times = &self.session.world().last_step().times;
            let taken = times.broad + times.narrow + times.response + times.impact;
            self.step_times.push(taken.as_secs_f32() * 1e3);
            self.tell_faults();
            if let Some(warning) = self.warning_of_keyframe().filter(|_| !self.has_warned) {
                self.has_warned = true;
                self.tell_all(&warning);
            }
            if self.target.is_none() {
                self.next_step += Duration::from_secs_f64(f64::from(self.session.scene().dt) / self.speed);
                let now = Instant::now();
                if self.next_step + MOST_LAG < now {
                    self.next_step = now;
                }
            }
        }
        if self.target.is_some_and(|target| self.session.frame() >= target) {
            self.target = None;
            self.show();
        } else if has_moved {
            let is_due = match self.target {
                Some(_) => self.last_frame.elapsed() >= GLIMPSE_TIME,
                None => self.last_frame.elapsed() >= FRAME_TIME || self.next_step > Instant::now(),
            };
            if is_due {
                self.send_frame();
            }
        }
        if self.last_state.elapsed() >= STATE_TIME {
            self.tell_state();
        }
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Joined(id, mailbox) => {
                if self.pages.is_empty() {
                    self.next_step = Instant::now();
                }
                if let Some(listing) = self.listing.take() {
                    self.scenes = listing.join().unwrap_or_default();
                }
                let structures = Structure::ALL.iter().map(|structure| structure.name()).collect();
                let solvers = SolverName::ALL.iter().map(|solver| solver.name()).collect();
                let version = env!("CARGO_PKG_VERSION");
                let listed = |opened: &Session| {
                    let Scene { shows, capabilities, .. } = opened.scene();
                    Listed { name: opened.title(), shows: shows.clone(), capabilities: capabilities.clone() }
                };
                let scenes = self.opened.iter().map(listed).chain(self.scenes.iter().cloned()).collect();
                let threads = rayon::current_num_threads();
                let hello = Tell::Hello { version, scenes, structures, solvers, threads, can_control: true };
                mailbox.put(Letter::Text(hello.text()));
                mailbox.put(Letter::Text(describe::scene_message(
                    &self.session,
                    &self.session.title(),
                    self.generation(),
                )));
                self.sent_generation.get_or_insert(self.generations + self.session.generation());
                self.pages.push(Page { id, mailbox, overlays: Vec::new(), wants_frames: true });
                if let Some(warning) = self.warning_of_keyframe() {
                    self.has_warned = true;
                    self.answer(id, warning);
                }
                self.show();
            }
            Event::Left(id) => self.pages.retain(|page| page.id != id),
            Event::Answered(id, text) => self.answer(id, text),
            Event::Said(id, command) => {
                if let Err(refusal) = self.obey(id, command) {
                    self.answer(id, message::error(refusal));
                }
            }
        }
    }

    /// Does what a page asks for; the error says why not.
    fn obey(&mut self, id: u64, command: Command) -> Result<(), String> {
        match command {
            Command::Play => {
                if self.session.is_at_end_of_recording() {
                    self.session.restart();
                }
                (self.is_playing, self.target, self.next_step) = (true, None, Instant::now());
                self.tell_state();
            }
            Command::Pause => {
                (self.is_playing, self.target) = (false, None);
                self.show();
            }
            Command::Restart => {
                self.session.restart();
                (self.target, self.next_step) = (None, Instant::now());
                self.show();
            }
            Command::Step { count } => self.go_to(self.session.frame().saturating_add(count)),
            Command::Back { count } => self.go_to(self.session.frame().saturating_sub(count)),
            Command::Seek { frame } => self.go_to(frame),
            Command::Scene { name } => self.open(&name)?,
            Command::Grab { body, point } => self.act(Input::Grab { body, point: point.into() })?,
            Command::Drag { to } => self.act(Input::Drag { to: to.into() })?,
            Command::Drop => self.act(Input::Drop)?,
            Command::Shoot { from, velocity } => {
                self.act(Input::Shoot { from: from.into(), velocity: velocity.into() })?;
            }
            Command::Overlays { on } => {
                let named = |name: &String| Overlay::ALL.into_iter().find(|overlay| overlay.name() == name);
                let mut overlays = Vec::new();
                for name in &on {
                    let overlay = named(name).ok_or_else(|| format!("there is no overlay `{name}`"))?;
                    if !overlays.contains(&overlay) {
                        overlays.push(overlay);
                    }
                }
                if let Some(page) = self.pages.iter_mut().find(|page| page.id == id) {
                    page.overlays = overlays;
                }
                self.show();
            }
            Command::Stream { on } => {
                if let Some(page) = self.pages.iter_mut().find(|page| page.id == id) {
                    page.wants_frames = on;
                }
                self.show();
            }
            Command::Inspect { body } => self.answer(id, inspect::message(&self.session, body)?),
            Command::Microscope { slots } => {
                let seen = microscope::look(&self.session, slots)?;
                self.answer(id, message::text(&microscope::Message { slots, seen }));
            }
            Command::Broad { structure } => {
                let known = Structure::ALL.iter().find(|known| known.name() == structure);
                let known = known.ok_or_else(|| format!("there is no broad phase `{structure}`"))?;
                self.session.world_mut().set_structure(*known);
                self.show();
            }
            Command::Solver { name } => {
                let known = SolverName::ALL.into_iter().find(|known| known.name() == name);
                self.act(Input::Solve(known.ok_or_else(|| format!("there is no solver `{name}`"))?))?;
            }
            Command::Compare => {
                let now: Vec<_> = self.session.world().boxes().collect();
                let before = self.session.before().boxes().to_vec();
                let answers = self.answers.clone();
                // Nobody is left to hear it if this fails.
                std::thread::spawn(move || drop(answers.send(Event::Answered(id, compare::message(&before, &now)))));
            }
            Command::Converge => {
                let scene = self.session.scene();
                let empty = scene.settings.builder().build().map_err(|error| error.to_string())?;
                let (snapshot, frame, dt) = (self.session.world().snapshot(), self.session.frame(), scene.dt);
                let answers = self.answers.clone();
                std::thread::spawn(move || {
                    let message = converge::message(empty, &snapshot, frame, dt);
                    drop(answers.send(Event::Answered(id, message)));
                });
            }
            Command::Bounds { volume } => {
                let known = Volume::ALL.into_iter().find(|known| known.name() == volume);
                let volume = known.ok_or_else(|| format!("there is no bounding volume `{volume}`"))?;
                let question = Question::of(&self.session, self.generation());
                let answers = self.answers.clone();
                std::thread::spawn(move || drop(answers.send(Event::Answered(id, question.answer(volume)))));
            }
            Command::Record => {
                let (scene, log, last) = (self.session.scene(), self.session.log().to_vec(), self.session.kept()[1]);
                let Source { name, text, files } = scene.source();
                let (name, text, files) = (name.to_string(), text.to_string(), files.cloned());
                let tape = Tape { name, text, files, dt: scene.dt, log, last };
                let answers = self.answers.clone();
                std::thread::spawn(move || drop(answers.send(Event::Answered(id, record::message(&tape)))));
            }
            Command::Speed { factor } => {
                if !(0.05..=4.0).contains(&factor) {
                    return Err(format!("the speed {factor} is not from 0.05 to 4"));
                }
                self.speed = factor;
                self.next_step = Instant::now();
                self.tell_state();
            }
        }
        Ok(())
    }

    /// Pauses and goes to a frame, at once or in the next rounds.
    fn go_to(&mut self, frame: u32) {
        self.is_playing = false;
        self.session.approach(frame);
        self.target = Some(frame);
        self.go_on();
    }

    fn act(&mut self, input: Input) -> Result<(), String> {
        let was_recorded = self.session.is_recorded();
        self.session.act(input)?;
        if was_recorded {
            let frame = self.session.frame();
            let message =
                format!("From frame {frame} on this is not the recording any more. Restart (R) brings it back.");
            self.tell_all(&Tell::Note { message }.text());
        }
        self.target = None;
        // Drags come many a second; while the scene plays, the next frame shows what they do.
        if !self.is_playing || !matches!(input, Input::Drag { .. }) {
            self.show();
        }
        Ok(())
    }

    fn open(&mut self, name: &str) -> Result<(), String> {
        let mut session = match self.opened.take_if(|opened| opened.title() == name) {
            Some(mut opened) => {
                opened.restart();
                opened
            }
            // A page may ask for what it shows already.
            None if self.session.is_from_outside() && self.session.title() == name => {
                self.session.restart();
                (self.is_playing, self.target, self.next_step) = (true, None, Instant::now());
                self.show();
                return Ok(());
            }
            None if embedded::names().contains(&name) => {
                let scene = scene::find(name).map_err(|error| error.to_string())?;
                let world = scene.world().map_err(|error| error.to_string())?;
                Session::new(scene, world)
            }
            None => return Err(format!("there is no scene `{name}`")),
        };
        self.generations = self.generation() + 1;
        std::mem::swap(&mut self.session, &mut session);
        if session.is_from_outside() {
            self.opened = Some(session);
        }
        self.origin = self.session.origin();
        (self.is_playing, self.target, self.next_step) = (true, None, Instant::now());
        self.show();
        Ok(())
    }

    fn generation(&self) -> u32 {
        self.generations + self.session.generation()
    }

    /// Sends the frame and what state it is in.
    fn show(&mut self) {
        self.send_frame();
        self.tell_state();
    }

    fn send_frame(&mut self) {
        let generation = self.generation();
        if self.sent_generation != Some(generation) {
            self.sent_generation = Some(generation);
            let scene = describe::scene_message(&self.session, &self.session.title(), generation);
            self.tell_all(&scene);
        }
        self.last_frame = Instant::now();
        if !self.pages.iter().any(|page| page.wants_frames) {
            return;
        }
        let mut frame = Frame::of(&self.session, generation, self.origin);
        if !self.has_warned && self.session.recorded_hash().is_some_and(|recorded| recorded != frame.hash()) {
            self.has_warned = true;
            let what = format!("frame {} is not what was recorded; `carom replay` says more", self.session.frame());
            self.tell_all(&message::error(what));
        }
        for page in self.pages.iter().filter(|page| page.wants_frames) {
            page.mailbox.put(Letter::Frame(frame.with(&page.overlays, &self.session, self.origin)));
        }
    }

    fn tell_state(&mut self) {
        let step_ms = summary(&mut self.step_times);
        let step_cpu_ms = summary(&mut self.step_cpu_times);
        self.step_times.clear();
        self.step_cpu_times.clear();
        let world = self.session.world();
        let state = Tell::State {
            playing: self.is_playing,
            frame: self.session.frame(),
            kept: self.session.kept(),
            hash: format!("{:016x}", world.hash()),
            structure: world.structure().name(),
            solver: SolverName::of(world.solver()).map_or("other", SolverName::name),
            speed: self.speed,
            step_ms,
            step_cpu_ms,
            recorded: self.session.is_recorded(),
        };
        let text = state.text();
        self.tell_all(&text);
        self.last_state = Instant::now();
    }

    /// Bodies that went non-finite are told of as errors.
    fn tell_faults(&mut self) {
        for fault in &self.session.world().last_step().faults {
            let body = self.session.world().bodies().position(|body| body.id() == fault.body);
            let name = body.and_then(|body| self.session.name(body)).unwrap_or_default();
            let Fault { body, stage, cause } = fault;
            let what = format!("{body} {name} went non-finite ({stage}: {cause}) and was set aside");
            self.tell_all(&message::error(what));
        }
    }

    /// A recording whose hashes are sound may have been given other keyframes.
    fn warning_of_keyframe(&self) -> Option<String> {
        let Unlike { frame, body, stage } = self.session.unlike()?;
        let name = self.session.name(body).map_or(String::new(), |name| format!(" ({name})"));
        Some(message::error(format!("frame {frame} is not what was recorded: body {body}{name}, stage: {stage}")))
    }

    fn tell_all(&self, text: &str) {
        self.pages.iter().for_each(|page| page.mailbox.put(Letter::Text(text.to_string())));
    }

    fn answer(&self, id: u64, text: String) {
        if let Some(page) = self.pages.iter().find(|page| page.id == id) {
            page.mailbox.put(Letter::Text(text));
        }
    }
}

/// The least, the quartiles and the greatest, then the mean.
fn summary(values: &mut [f32]) -> Option<[f32; 6]> {
    values.sort_by(f32::total_cmp);
    let last = values.len().checked_sub(1)?;
    let quarter = |quarter: usize| values[last * quarter / 4];
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    Some([quarter(0), quarter(1), quarter(2), quarter(3), quarter(4), mean])
}

/// What the embedded scenes say of themselves.
fn listed() -> Vec<Listed> {
    let entry =
        |scene: scene::Listed| Listed { name: scene.name, shows: scene.shows, capabilities: scene.capabilities };
    scene::listed().unwrap_or_default().into_iter().map(entry).collect()
}
