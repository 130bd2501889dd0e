//! The door: one page and one WebSocket on the loopback interface, for those who know the token.
//!
//! A request must name this machine as its host (a foreign name that resolves to it is refused), carry the token, and for
//! the WebSocket come from the page itself. Connections have a thread each, and a second one that writes.

use super::engine::Event;
use super::mailbox::{Letter, Mailbox};
use super::message::{self, Command};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tungstenite::error::{CapacityError, ProtocolError};
use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

/// What is served, and to whom.
pub(super) struct Door {
    pub(super) port: u16,
    pub(super) token: String,
    pub(super) page: Vec<u8>,
}

/// A request's head is no longer than this.
const MOST_HEAD: usize = 16 << 10;
/// Pages say little at a time.
const MOST_MESSAGE: usize = 64 << 10;
const MOST_CONNECTIONS: usize = 32;
/// Who takes longer to ask is not waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Serves until the listener fails.
pub(super) fn serve(listener: &TcpListener, door: &Arc<Door>, events: &SyncSender<Event>) {
    let open = Arc::new(AtomicUsize::new(0));
    for (id, stream) in (0..).zip(listener.incoming()) {
        let Ok(stream) = stream else { continue };
        if open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (door, events, open) = (Arc::clone(door), events.clone(), Arc::clone(&open));
        std::thread::spawn(move || {
            // A connection that fails is over; the others go on.
            drop(greet(stream, id, &door, &events));
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

/// What a request asks for.
struct Request {
    path: String,
    token: Option<String>,
    host: Option<String>,
    origin: Option<String>,
    key: Option<String>,
    /// What came after its head.
    rest: Vec<u8>,
}

/// Reads the request of a new connection and answers it.
fn greet(mut stream: TcpStream, id: u64, door: &Door, events: &SyncSender<Event>) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let request = match read_request(&mut stream)? {
        Ok(request) => request,
        Err((status, why)) => return respond(&mut stream, status, "text/plain", why.as_bytes()),
    };
    match door.judge(&request) {
        Verdict::Page => respond(&mut stream, "200 OK", "text/html", &door.page),
        Verdict::Refused(status, why) => respond(&mut stream, status, "text/plain", why.as_bytes()),
        Verdict::Socket(key) => {
            let accept = derive_accept_key(key.as_bytes());
            write!(
                stream,
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                 Sec-WebSocket-Accept: {accept}\r\n\r\n"
            )?;
            stream.set_read_timeout(None)?;
            stream.set_write_timeout(None)?;
            talk(stream, request.rest, id, events)
        }
    }
}

enum Verdict {
    Page,
    Socket(String),
    Refused(&'static str, &'static str),
}

const FORBIDDEN: &str = "403 Forbidden";

impl Door {
    fn judge(&self, request: &Request) -> Verdict {
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        if !request.host.as_ref().is_some_and(|host| names.contains(host)) {
            return Verdict::Refused(FORBIDDEN, "The host in the request is not this machine.\n");
        }
        match request.path.as_str() {
            "/" | "/live" => {}
            "/favicon.ico" => return Verdict::Refused("204 No Content", ""),
            _ => return Verdict::Refused("404 Not Found", "There is only / and /live.\n"),
        }
        if request.token.as_ref() != Some(&self.token) {
            return Verdict::Refused(FORBIDDEN, "Open the address that `carom view` printed: it ends in a token.\n");
        }
        if request.path == "/" {
            return Verdict::Page;
        }
        // Browsers always say where a page comes from: who does not is no page of this program.
        let is_own = |origin: &String| names.iter().any(|name| *origin == format!("http://{name}"));
        if !request.origin.as_ref().is_some_and(is_own) {
            return Verdict::Refused(FORBIDDEN, "Only the page of this program may connect.\n");
        }
        match &request.key {
            Some(key) => Verdict::Socket(key.clone()),
            None => Verdict::Refused("426 Upgrade Required", "This is a WebSocket.\n"),
        }
    }
}

type Refusal = (&'static str, &'static str);

/// The head of the first request, or what is wrong with it.
fn read_request(stream: &mut TcpStream) -> io::Result<Result<Request, Refusal>> {
    const BAD: Refusal = ("400 Bad Request", "This is no request that makes sense.\n");
    let mut bytes = Vec::new();
    let mut block = [0; 2048];
    let end = Instant::now() + PATIENCE;
    loop {
        // Also who asks letter by letter is not waited for.
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Err(("408 Request Timeout", "The request took too long.\n")));
        }
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut block)?;
        bytes.extend_from_slice(&block[..count]);
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(&bytes) {
            Ok(httparse::Status::Complete(length)) => {
                return Ok(match understood(&parsed, bytes[length..].to_vec()) {
                    Some(request) => Ok(request),
                    None => Err(("405 Method Not Allowed", "Only GET.\n")),
                });
            }
            Ok(httparse::Status::Partial) if count == 0 => return Ok(Err(BAD)),
            Ok(httparse::Status::Partial) if bytes.len() > MOST_HEAD => {
                return Ok(Err(("431 Request Header Fields Too Large", "The request is too long.\n")));
            }
            Ok(httparse::Status::Partial) => {}
            Err(_) => return Ok(Err(BAD)),
        }
    }
}

fn understood(parsed: &httparse::Request<'_, '_>, rest: Vec<u8>) -> Option<Request> {
    if parsed.method != Some("GET") {
        return None;
    }
    let header = |name: &str| {
        let found = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(found.value).ok().map(str::to_string)
    };
    let (path, query) = parsed.path?.split_once('?').unwrap_or((parsed.path?, ""));
    let token = query.split('&').find_map(|part| part.strip_prefix("token=")).map(str::to_string);
    let is_socket = header("upgrade").is_some_and(|value| value.eq_ignore_ascii_case("websocket"));
    let key = header("sec-websocket-key").filter(|_| is_socket);
    Some(Request { path: path.to_string(), token, host: header("host"), origin: header("origin"), key, rest })
}

/// The page runs what it brings along and talks to this program, nothing else.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; \
                      font-src data:; worker-src blob:; connect-src 'self' ws: data: blob:; frame-ancestors 'none'";

fn respond(stream: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: {POLICY}\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body)?;
    stream.flush()?;
    stream.shutdown(Shutdown::Write)
}

/// One end of a stream that two threads write to: each write is whole, so messages do not mix.
struct Half {
    stream: TcpStream,
    writing: Arc<Mutex<()>>,
}

impl Read for Half {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl Write for Half {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.stream.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Passes on what a page says, until it leaves; another thread tells it what is in its mailbox.
fn talk(stream: TcpStream, rest: Vec<u8>, id: u64, events: &SyncSender<Event>) -> io::Result<()> {
    let config = WebSocketConfig::default().max_message_size(Some(MOST_MESSAGE)).max_frame_size(Some(MOST_MESSAGE));
    let writing = Arc::new(Mutex::new(()));
    let other_half = Half { stream: stream.try_clone()?, writing: Arc::clone(&writing) };
    let end = stream.try_clone()?;
    let mut reader = WebSocket::from_partially_read(Half { stream, writing }, rest, Role::Server, Some(config));
    let mailbox = Arc::new(Mailbox::default());
    let letters = Arc::clone(&mailbox);
    let writer = std::thread::spawn(move || {
        let mut socket = WebSocket::from_raw_socket(other_half, Role::Server, Some(config));
        while let Some(letter) = letters.take() {
            let message = match letter {
                Letter::Text(text) => Message::text(text),
                Letter::Frame(bytes) => Message::binary(bytes),
            };
            if socket.send(message).is_err() {
                break;
            }
        }
        letters.close();
        // The page may be gone already.
        drop(socket.close(None).and_then(|()| socket.flush()));
        drop(socket.get_ref().stream.shutdown(Shutdown::Both));
    });
    // Only if the engine is gone, and then the program ends.
    drop(events.send(Event::Joined(id, Arc::clone(&mailbox))));
    loop {
        match reader.read() {
            Ok(Message::Text(text)) => match serde_json::from_str::<Command>(text.as_str()) {
                Ok(command) => drop(events.send(Event::Said(id, command))),
                Err(error) => mailbox.put(Letter::Text(message::error(format!("not understood: {error}")))),
            },
            Ok(Message::Binary(_)) => {
                mailbox.put(Letter::Text(message::error("not understood: a binary message")));
            }
            Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
            Ok(Message::Close(_)) => break,
            Err(error) => {
                if let Some(why) = worth_telling(&error) {
                    mailbox.put(Letter::Text(message::error(why)));
                }
                break;
            }
        }
    }
    drop(events.send(Event::Left(id)));
    mailbox.close();
    // It may be waiting for a page that reads nothing: it is given the time of a request, then the stream ends.
    end.set_write_timeout(Some(PATIENCE))?;
    drop(writer.join());
    Ok(())
}

/// What a page did wrong, if it is still there to hear of it.
fn worth_telling(error: &Error) -> Option<String> {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { size, max_size }) => {
            Some(format!("a message of {size} bytes is longer than {max_size}"))
        }
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) | Error::ConnectionClosed | Error::Io(_) => None,
        other => Some(format!("not understood: {other}")),
    }
}
