//! A viewer's server and a plain client for it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Error, HandshakeError, Message, WebSocket};

/// Nothing takes longer than this, even where everybody else is busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A file of the tests alone.
pub(crate) fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).expect("the folder for tests is writable");
    path
}

/// `carom view`, ended when it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Server {
    pub(crate) fn start(scene: &str) -> Self {
        let page = file("page.html", b"<!doctype html><title>page</title><!--recording--><script></script>");
        let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
            .args(["view", scene, "--json", "--page"])
            .arg(page)
            .env_remove("RAYON_NUM_THREADS")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("it has an output")).lines();
        let mut text = String::new();
        while !text.ends_with('}') {
            text += &lines.next().expect("it tells its address").expect("in UTF-8");
        }
        let told: Value = serde_json::from_str(&text).expect("its address is JSON");
        let port = told["port"].as_u64().and_then(|port| u16::try_from(port).ok()).expect("a port");
        let token = told["token"].as_str().expect("a token").to_string();
        assert_eq!(told["address"], format!("http://127.0.0.1:{port}/?token={token}"));
        Self { child, port, token }
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("it can be asked").is_some()
    }

    /// The answer to a plain request, with headers.
    pub(crate) fn request(&self, head: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        // It may close as soon as it has seen enough.
        drop(stream.read_to_end(&mut answer));
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// A handshake with a token and an origin; the status if it is refused.
    pub(crate) fn connect(&self, token: &str, origin: Option<&str>) -> Result<Page, u16> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let address = format!("ws://127.0.0.1:{}/live?token={token}", self.port);
        let mut request = address.into_client_request().expect("an address");
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", origin.parse().expect("a header"));
        }
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Page { socket }),
            Err(HandshakeError::Failure(Error::Http(response))) => Err(response.status().as_u16()),
            Err(HandshakeError::Failure(error)) if is_interrupted(&error) => self.connect(token, origin),
            Err(other) => panic!("{other}"),
        }
    }

    pub(crate) fn open(&self) -> Page {
        self.connect(&self.token, Some(&format!("http://127.0.0.1:{}", self.port))).expect("it lets its page in")
    }
}

/// Waiting with a timeout is not taken up again after a pause of the process.
fn is_interrupted(error: &Error) -> bool {
    matches!(error, Error::Io(error) if error.kind() == ErrorKind::Interrupted)
}

/// What a page sees and says.
pub(crate) struct Page {
    socket: WebSocket<TcpStream>,
}

/// A message of the server.
#[derive(Debug)]
pub(crate) enum Heard {
    Text(Value),
    Frame(Frame),
    Closed,
}

/// A frame, decoded by the protocol.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) generation: u32,
    pub(crate) frame: u32,
    pub(crate) hash: u64,
    pub(crate) origin: [f64; 3],
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) statistics: Vec<f32>,
    pub(crate) sections: Vec<(String, usize)>,
}

impl Frame {
    fn decode(bytes: &[u8]) -> Self {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let float = |at: usize| f32::from_bits(word(at));
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        assert_eq!(word(0), 0x3246_5243);
        let count = word(12) as usize;
        let mut at = 124;
        let positions = (0..count).map(|body| [0, 4, 8].map(|axis| float(at + 12 * body + axis))).collect();
        at += 12 * count;
        for body in 0..count {
            let part = |place: usize| i16::from_le_bytes([bytes[place], bytes[place + 1]]);
            let length: f32 = (0..4).map(|index| (f32::from(part(at + 8 * body + 2 * index)) / 32767.0).powi(2)).sum();
            assert!((length - 1.0).abs() < 1e-3, "a rotation of length {length}");
        }
        at += 8 * count;
        assert!(bytes[at..at + count].iter().all(|bits| *bits < 8));
        at += count.next_multiple_of(4);
        let mut sections = Vec::new();
        while at < bytes.len() {
            let length = word(at + 4) as usize;
            assert_eq!(length % 4, 0);
            sections.push((String::from_utf8_lossy(&bytes[at..at + 4]).into_owned(), length));
            at += 8 + length;
        }
        assert_eq!(at, bytes.len());
        Self {
            generation: word(4),
            frame: word(8),
            hash: long(24),
            origin: [32, 40, 48].map(|at| f64::from_bits(long(at))),
            positions,
            statistics: (0..17).map(|index| float(56 + 4 * index)).collect(),
            sections,
        }
    }
}

impl Page {
    pub(crate) fn say(&mut self, message: &Value) {
        self.say_text(&message.to_string());
    }

    pub(crate) fn say_text(&mut self, text: &str) {
        self.send(Message::text(text));
    }

    pub(crate) fn send(&mut self, message: Message) {
        self.socket.send(message).expect("the server listens");
    }

    pub(crate) fn hear(&mut self) -> Heard {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    return Heard::Text(serde_json::from_str(text.as_str()).expect("messages are JSON"));
                }
                Ok(Message::Binary(bytes)) => return Heard::Frame(Frame::decode(&bytes)),
                Err(error) if is_interrupted(&error) => {}
                Ok(Message::Close(_)) | Err(_) => return Heard::Closed,
                Ok(_) => {}
            }
        }
    }

    /// The next message of a kind; others are passed over.
    pub(crate) fn wait_for(&mut self, tell: &str) -> Value {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < PATIENCE, "no `{tell}`");
            match self.hear() {
                Heard::Text(text) if text["tell"] == tell => return text,
                Heard::Text(_) | Heard::Frame(_) => {}
                Heard::Closed => panic!("closed before `{tell}`"),
            }
        }
    }

    /// Puts a mark between what came before and what comes after: a speed that nobody would notice. What state the server
    /// has told of before it, and at it.
    pub(crate) fn tell_apart(&mut self, mark: u32) -> Vec<Value> {
        let speed = 1.0 + f64::from(mark) * 1e-6;
        self.say(&json!({"do": "speed", "factor": speed}));
        let mut states = Vec::new();
        loop {
            let state = self.wait_for("state");
            let is_last = state["speed"] == speed;
            states.push(state);
            if is_last {
                return states;
            }
        }
    }

    /// The next frame.
    pub(crate) fn frame(&mut self) -> Frame {
        loop {
            match self.hear() {
                Heard::Frame(frame) => return frame,
                Heard::Text(_) => {}
                Heard::Closed => panic!("closed before a frame"),
            }
        }
    }

    /// Waits until the server says that it has come to a frame, and returns what it says.
    pub(crate) fn settle(&mut self, frame: u32) -> Value {
        loop {
            let state = self.wait_for("state");
            if state["frame"] == frame && state["playing"] == false {
                return state;
            }
        }
    }

    /// Pauses and returns the frame.
    pub(crate) fn pause(&mut self) -> u32 {
        self.say(&json!({"do": "pause"}));
        loop {
            let state = self.wait_for("state");
            if state["playing"] == false {
                return state["frame"].as_u64().and_then(|frame| u32::try_from(frame).ok()).expect("a frame");
            }
        }
    }

    /// Goes to a frame; the hash that the server says it has there.
    pub(crate) fn seek(&mut self, frame: u32) -> String {
        self.say(&json!({"do": "seek", "frame": frame}));
        self.settle(frame)["hash"].as_str().expect("a hash").to_string()
    }
}
