//! `carom view`: the engine runs here, a page in the browser draws it.

mod ahead;
mod bounds;
mod compare;
mod converge;
mod describe;
mod engine;
mod frame;
mod inspect;
mod mailbox;
mod message;
mod overlay;
mod processor;
mod record;
mod server;
mod structure;
mod wires;

pub(crate) use bounds::{BoundedCollider, Fitted, Question, Volume};
pub(crate) use describe::{drawable, each_part, key_of, scene_message, shape_index};
pub(crate) use frame::{STATISTICS, state_bits, statistics};
pub(crate) use inspect::feature_name;
pub(crate) use overlay::{feature_word, place_of};

use crate::recording::Recording;
use crate::scene::{self, SceneError};
use crate::session::Session;
use crate::{Failure, page, print, report};
use engine::Engine;
use serde::Serialize;
use server::Door;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

/// How to view a scene.
pub(crate) struct Viewing<'a> {
    pub(crate) scene: &'a str,
    pub(crate) port: u16,
    pub(crate) opens: bool,
    pub(crate) json: bool,
    /// Another page than the one that is built in.
    pub(crate) page: Option<&'a Path>,
}

#[derive(Serialize)]
struct Address {
    address: String,
    port: u16,
    token: String,
}

/// So many things may wait to be heard by the engine; who says more has to wait.
const WAITING: usize = 256;

/// Serves a scene until the program is ended.
pub(crate) fn view(viewing: &Viewing<'_>) -> Result<(), Failure> {
    let page = page::load(viewing.page)?;
    let session = open(viewing.scene)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, viewing.port)).map_err(|error| {
        let what = format!("port {} of 127.0.0.1 cannot be used: {error}", viewing.port);
        SceneError::refused(what, "another --port, or none for any that is free".to_string())
    })?;
    let port = listener.local_addr().map_or(viewing.port, |address| address.port());
    let token = token()?;
    let address = format!("http://127.0.0.1:{port}/?token={token}");
    let told = Address { address: address.clone(), port, token: token.clone() };
    print(&if viewing.json { report::pretty(&told) } else { format!("{address}\n") })?;
    if !viewing.json {
        eprintln!("carom: {} is there to see until you press Ctrl+C", session.scene().name);
    }
    if viewing.opens
        && let Err(error) = open_in_browser(&address)
    {
        eprintln!("carom: no browser could be opened ({error}); open the address above");
    }
    let (sender, receiver) = sync_channel(WAITING);
    let engine = Engine::new(session, sender.clone());
    let door = Arc::new(Door { port, token, page });
    std::thread::spawn(move || server::serve(&listener, &door, &sender));
    engine.run(&receiver);
    Ok(())
}

/// A scene or a recording.
pub(crate) fn open(name: &str) -> Result<Session, Failure> {
    if Recording::is_one(Path::new(name)) {
        return Ok(Recording::read(Path::new(name))?.session()?);
    }
    let scene = scene::find(name)?;
    let world = scene.world()?;
    Ok(Session::new(scene, world))
}

/// 128 bits that nobody can guess, in hexadecimal digits.
fn token() -> Result<String, SceneError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        let what = format!("the system gives no random numbers: {error}");
        SceneError::refused(what, "without them the address cannot be kept secret".to_string())
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn open_in_browser(address: &str) -> std::io::Result<()> {
    use std::process::{Command, Stdio};
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        Command::new("xdg-open")
    };
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(drop)
}
