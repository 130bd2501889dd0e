//! The program `carom`: runs, lists, draws and measures scenes.

mod arguments;
mod bench;
mod draw;
mod export;
mod microscope;
mod page;
mod path;
mod recording;
mod replay;
mod report;
mod scene;
mod session;
mod simulate;
mod stages;
mod surface;
mod threads;
mod view;

use arguments::{Arguments, Command};
use clap::CommandFactory;
use recording::Recorder;
use scene::{Scene, embedded};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// What went wrong, by exit status.
enum Failure {
    /// 1: the simulation found something that must not be.
    Finding(String),
    /// 2: options that do not go together.
    Usage(String),
    /// 3: a file that cannot be read, understood or written.
    Input(Box<scene::SceneError>),
}

impl From<scene::SceneError> for Failure {
    fn from(error: scene::SceneError) -> Self {
        Self::Input(Box::new(error))
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::read();
    match start_threads(arguments.command.as_ref()).and_then(|()| obey(arguments.command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Finding(finding)) => {
            eprintln!("carom: {finding}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(wrong)) => {
            eprintln!("error: {wrong}\n\nFor more information, try '--help'.");
            ExitCode::from(2)
        }
        Err(Failure::Input(error)) => {
            let plain =
                !std::io::stderr().is_terminal() || std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
            eprint!("{}", error.rendered(if plain { scene::Look::Plain } else { scene::Look::Coloured }));
            ExitCode::from(3)
        }
    }
}

/// Makes the threads that a command's steps are taken by, before anything asks for them.
fn start_threads(command: Option<&Command>) -> Result<(), Failure> {
    match command {
        Some(
            Command::Run { threads, .. }
            | Command::Replay { threads, .. }
            | Command::Microscope { threads, .. }
            | Command::Draw { threads, .. }
            | Command::Export { threads, .. }
            | Command::Path { threads, .. }
            | Command::Bench { area: None, threads, .. }
            | Command::Bench { area: Some(bench::Area::Broad(bench::BroadArguments { threads, .. })), .. },
        ) => threads.start(),
        Some(Command::View { threads, .. }) => threads.start(),
        None
        | Some(Command::Scenes { .. } | Command::Completions { .. } | Command::Man { .. } | Command::Schema { .. }) => {
            Ok(())
        }
    }
}

fn obey(command: Option<Command>) -> Result<(), Failure> {
    match command {
        None => run(embedded::DEFAULT, None, None, None, Form::Overview),
        Some(Command::Run { scene, steps, dt, record, json, .. }) => {
            run(&scene, steps, dt, record.as_deref(), if json { Form::Json } else { Form::Table })
        }
        Some(Command::Replay { recording, json, .. }) => replay::replay(&recording, json),
        Some(Command::Microscope { scene, a, b, steps, rust_test, json, .. }) => {
            let form = match (rust_test, json) {
                (true, _) => Look::RustTest,
                (false, true) => Look::Json,
                (false, false) => Look::Table,
            };
            look(&scene, [a, b], steps, form)
        }
        Some(Command::Scenes { json }) => scenes(if json { Form::Json } else { Form::Table }),
        Some(Command::Draw { scene, steps, dt, trails, output, json, .. }) => {
            let trails = if trails { Trails::Drawn } else { Trails::Absent };
            let scene = scene::find(&scene).map(|scene| scene.with(steps, dt)).map_err(Failure::from);
            scene.and_then(|scene| draw(&scene, trails, &output, json))
        }
        Some(Command::Bench { area: Some(bench::Area::Broad(arguments)), .. }) => bench::broad(&arguments),
        Some(Command::Bench { area: None, scene: None, json: true, .. }) => print(bench::AREAS_JSON),
        Some(Command::Bench { area: None, scene: None, .. }) => print(&format!("{}{SCENES_TO_BENCH}", bench::AREAS)),
        Some(Command::Bench { area: None, scene: Some(scene), steps, repeats, json, .. }) => {
            bench_scene(&scene, steps, repeats, json)
        }
        Some(Command::Export { recording, html, glb, json, page, .. }) => {
            let target = match (&html, &glb) {
                (Some(path), _) => Ok(export::Target::Html(path)),
                (None, Some(path)) => Ok(export::Target::Glb(path)),
                (None, None) => Err(Failure::Usage("one of --html and --glb says what to write".to_string())),
            };
            target.and_then(|target| export::export(&recording, &target, page.as_deref(), json))
        }
        Some(Command::Completions { shell }) => completions(shell),
        Some(Command::Man { folder }) => manual(folder.as_deref()),
        Some(Command::View { scene, port, open, json, page, .. }) => {
            let viewing = view::Viewing { scene: &scene, port, opens: open, json, page: page.as_deref() };
            view::view(&viewing)
        }
        Some(Command::Path { scene, path, json, draw, .. }) => {
            path::check(&scene, &path, &path::Output { json, picture: draw.as_deref() })
        }
        Some(Command::Schema { of }) => print(match of {
            arguments::Described::Scene => scene::SCHEMA,
            arguments::Described::Path => path::SCHEMA,
        }),
    }
}

/// How a result is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// For a program.
    Json,
    /// For a person.
    Table,
    /// For a person who has just met the program.
    Overview,
}

/// Whether the paths of the bodies are in the picture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trails {
    Drawn,
    Absent,
}

fn run(name: &str, steps: Option<u32>, dt: Option<f32>, record: Option<&Path>, form: Form) -> Result<(), Failure> {
    let scene = scene::find(name)?.with(steps, dt);
    let mut world = scene.world()?;
    let mut recorder = match record {
        Some(path) => Some(Recorder::create(path, &scene, &world).map_err(|error| unwritable(path, &error))?),
        None => None,
    };
    let mut failed = None;
    let report = simulate::run(&scene, &mut world, |world| {
        if let (Some(recorder), None) = (&mut recorder, &failed) {
            failed = recorder.step(world).err();
        }
    })
    .map_err(Failure::Finding)?;
    if let (Some(recorder), Some(path)) = (recorder, record) {
        let written = failed.map_or_else(|| recorder.finish(&[]).map(drop), Err);
        written.map_err(|error| unwritable(path, &error))?;
    }
    print(&match form {
        Form::Json => report.json(),
        Form::Table => report.table(),
        Form::Overview => report.table() + report::NEXT,
    })?;
    report.finding().map_or(Ok(()), |finding| Err(Failure::Finding(finding)))
}

/// What `carom bench` can do beside its areas.
const SCENES_TO_BENCH: &str = "
Or name a scene: `carom bench shower` prints how long the stages of its steps take.
";

fn bench_scene(name: &str, steps: Option<u32>, repeats: u32, json: bool) -> Result<(), Failure> {
    stages::measure(&scene::find(name)?.with(steps, None), repeats, json)
}

fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "carom", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// The manual as man pages: that of the program on standard output, or all of them in a folder.
fn manual(folder: Option<&Path>) -> Result<(), Failure> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        let rendered = clap_mangen::Man::new(Arguments::command()).render(&mut page);
        rendered.map_err(|error| unwritable(Path::new("the manual"), &error))?;
        return print(&String::from_utf8_lossy(&page));
    };
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Arguments::command(), folder));
    written.map_err(|error| unwritable(folder, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    scene::SceneError::file(path, "cannot be written", error).into()
}

/// How a look through the microscope is printed.
#[derive(Clone, Copy)]
enum Look {
    Json,
    Table,
    RustTest,
}

fn look(name: &str, slots: [u32; 2], steps: u32, form: Look) -> Result<(), Failure> {
    let mut session = view::open(name)?;
    let bar = simulate::progress(name, steps);
    for _ in 0..steps {
        session.step().map_err(Failure::Finding)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let refused = |why: String| {
        let help = "`carom run SCENE --json` lists the bodies; slots count their shapes from 0, body by body";
        Failure::from(scene::SceneError::refused(why, help.to_string()))
    };
    let seen = microscope::look(&session, slots).map_err(refused)?;
    print(&match form {
        Look::Json => report::pretty(&microscope::Message { slots, seen }),
        Look::Table => seen.table(),
        Look::RustTest => seen.rust_test.ok_or_else(|| refused("one of the shapes cannot be written down".into()))?,
    })
}

fn scenes(form: Form) -> Result<(), Failure> {
    let scenes = scene::listed()?;
    print(&if form == Form::Json { report::scenes_json(&scenes) } else { report::scenes_table(&scenes) })
}

fn draw(scene: &Scene, trails: Trails, output: &Path, json: bool) -> Result<(), Failure> {
    let mut world = scene.world()?;
    let mut paths = vec![Vec::new(); if trails == Trails::Drawn { world.len() } else { 0 }];
    let report = simulate::run(scene, &mut world, |world| {
        for (path, body) in paths.iter_mut().zip(world.bodies()) {
            path.push(body.center_of_mass());
        }
    })
    .map_err(Failure::Finding)?;
    let to_eye = scene.camera.map(|camera| camera.from - camera.to);
    let drawing = simulate::spinner("drawing");
    let picture = draw::picture(&world, &paths, to_eye, &scene.name);
    drawing.finish_and_clear();
    std::fs::write(output, picture).map_err(|error| scene::SceneError::file(output, "cannot be written", &error))?;
    print(&if json {
        report.json()
    } else {
        let Scene { name, steps, .. } = scene;
        let seconds = report.simulated_seconds;
        format!("{}: {} bodies of {name} after {steps} steps, {seconds:.2} s\n", output.display(), world.len())
    })?;
    report.finding().map_or(Ok(()), |finding| Err(Failure::Finding(finding)))
}

/// Writes to standard output; a reader that has seen enough is no failure.
fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(scene::SceneError::file(Path::new("standard output"), "cannot be written", &error).into())
        }
        _ => Ok(()),
    }
}
