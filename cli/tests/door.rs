//! The viewer's door from outside, byte by byte: where it listens, what it does with handshakes and frames that no browser
//! sends, how soon the first frame comes, and how the browser is opened.

// Of which only some is used here.
#[allow(dead_code)]
mod viewer;

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use viewer::{PATIENCE, Server, file};

#[test]
fn nothing_listens_beyond_this_machine() {
    let server = Server::start("bounce");
    let reaches = |address: Ipv4Addr| {
        let address = SocketAddr::from((address, server.port));
        TcpStream::connect_timeout(&address, Duration::from_secs(5)).is_ok()
    };
    assert!(reaches(Ipv4Addr::LOCALHOST));
    // Which address others see is what a packet to them would carry; none is sent.
    let outside = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    });
    if let Ok(SocketAddr::V4(address)) = outside
        && !address.ip().is_loopback()
        && !address.ip().is_unspecified()
    {
        assert!(!reaches(*address.ip()), "it answers at {address}");
    }
    // The system's own list: one socket listens at this port, at 127.0.0.1.
    if let Ok(table) = std::fs::read_to_string("/proc/net/tcp") {
        let port = format!(":{:04X}", server.port);
        let six = std::fs::read_to_string("/proc/net/tcp6").unwrap_or_default();
        let listening: Vec<&str> = table
            .lines()
            .chain(six.lines())
            .map(|line| line.split_whitespace().collect::<Vec<_>>())
            .filter(|fields| fields.len() > 3 && fields[1].ends_with(&port) && fields[3] == "0A")
            .map(|fields| fields[1])
            .collect();
        assert_eq!(listening, [format!("0100007F{port}")]);
        assert!(!reaches(Ipv4Addr::new(127, 0, 0, 2)), "another address of the loopback interface");
    }
}

/// The head of a sound handshake.
fn handshake(server: &Server) -> String {
    let (port, token) = (server.port, &server.token);
    format!(
        "GET /live?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n\
         Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(1))).expect("a timeout");
    stream
}

/// A connection that has shaken hands.
fn socket(server: &Server) -> TcpStream {
    let mut stream = connect(server);
    stream.write_all(handshake(server).as_bytes()).expect("it reads");
    let mut answer = Vec::new();
    let mut letter = [0];
    while !answer.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut letter).expect("it answers");
        answer.push(letter[0]);
    }
    assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
    stream
}

/// Reads until the other side ends it; what it said. Whoever never ends it fails the test.
fn rest_of(stream: &mut TcpStream, what: &str) -> Vec<u8> {
    let start = Instant::now();
    let (mut said, mut block) = (Vec::new(), [0; 4096]);
    loop {
        assert!(start.elapsed() < PATIENCE, "{what}: it is still open");
        match stream.read(&mut block) {
            Ok(0) => return said,
            Ok(count) => said.extend_from_slice(&block[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // A reset is an end, too.
            Err(_) => return said,
        }
    }
}

/// A frame of the protocol: its first byte, whether it is masked, the length that it says, and what it holds.
fn frame(first: u8, is_masked: bool, length: u64, held: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    let mask = if is_masked { 0x80 } else { 0 };
    match length {
        0..126 => bytes.push(mask | length as u8),
        126..0x1_0000 => {
            bytes.push(mask | 126);
            bytes.extend((length as u16).to_be_bytes());
        }
        _ => {
            bytes.push(mask | 127);
            bytes.extend(length.to_be_bytes());
        }
    }
    if is_masked {
        // A mask of zeros leaves what is held as it is.
        bytes.extend([0; 4]);
    }
    bytes.extend_from_slice(held);
    bytes
}

fn sound(first: u8, held: &[u8]) -> Vec<u8> {
    frame(first, true, held.len() as u64, held)
}

const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;
const PAUSE: &[u8] = b"{\"do\": \"pause\"}";

/// It still serves: a page comes in, and goes to a frame.
fn assert_it_serves(server: &mut Server) {
    assert!(!server.has_ended());
    let mut page = server.open();
    page.pause();
    page.seek(7);
}

#[test]
fn frames_that_no_browser_sends_end_their_connection_and_nothing_else() {
    let mut server = Server::start("bounce");
    let mut cases: Vec<(String, Vec<u8>)> = Vec::new();
    for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] {
        cases.push((format!("opcode {opcode}"), sound(0x80 | opcode, PAUSE)));
    }
    for reserved in 1..8 {
        cases.push((format!("reserved bits {reserved}"), sound(TEXT | reserved << 4, PAUSE)));
    }
    for length in [65_537, 1 << 20, u64::from(u32::MAX), 1 << 40, (1 << 63) - 1, u64::MAX] {
        cases.push((format!("{length} bytes"), frame(TEXT, true, length, PAUSE)));
        cases.push((format!("{length} bytes in a ping"), frame(PING, true, length, PAUSE)));
    }
    cases.push(("not masked".into(), frame(TEXT, false, PAUSE.len() as u64, PAUSE)));
    cases.push(("a ping that is too long".into(), sound(PING, &[0; 126])));
    cases.push(("a ping in pieces".into(), sound(0x09, b"a")));
    cases.push(("a piece of nothing".into(), sound(0x80, PAUSE)));
    cases.push(("text amid text".into(), [sound(0x01, b"{"), sound(TEXT, PAUSE)].concat()));
    cases.push(("binary amid text".into(), [sound(0x01, b"{"), sound(BINARY, PAUSE)].concat()));
    // 80 pieces of 1,000 bytes are longer than any message may be.
    let pieces = [sound(0x01, &[b' '; 1000]), sound(0x00, &[b' '; 1000]).repeat(80)].concat();
    cases.push(("pieces without end".into(), pieces));
    cases.push(("no UTF-8".into(), sound(TEXT, b"\xff\xfe\xc3(")));
    cases.push(("half a letter in a close".into(), sound(CLOSE, b"\x03\xe8\xc3")));
    cases.push(("half a code in a close".into(), sound(CLOSE, b"\x03")));
    cases.push(("a code that is none".into(), sound(CLOSE, &5u16.to_be_bytes())));
    cases.push(("a close".into(), sound(CLOSE, &1000u16.to_be_bytes())));
    for (what, bytes) in &cases {
        let mut stream = socket(&server);
        // It may close before all is written.
        drop(stream.write_all(bytes));
        rest_of(&mut stream, what);
    }
    // More than there may be connections: each has given its place back.
    assert!(cases.len() > 32, "{}", cases.len());
    assert_it_serves(&mut server);
}

/// What begins and does not go on waits, and holds up nobody; when its page is gone, its place is free again.
#[test]
fn halves_of_frames_hold_up_nobody() {
    let mut server = Server::start("bounce");
    let whole = [sound(0x01, b"{\"do\": "), sound(PING, b"hello"), sound(0x80, b"\"pause\"}")].concat();
    for length in 0..whole.len() {
        let waiting: Vec<TcpStream> = (0..3)
            .map(|_| {
                let mut stream = socket(&server);
                stream.write_all(&whole[..length]).expect("it reads");
                stream
            })
            .collect();
        if length % 10 == 0 {
            assert_it_serves(&mut server);
        }
        for mut stream in waiting {
            drop(stream.shutdown(Shutdown::Write));
            rest_of(&mut stream, "half a frame");
        }
    }
    // The whole is understood: pieces make one message, with a ping between them.
    let mut page = server.open();
    let mut stream = socket(&server);
    page.say(&serde_json::json!({"do": "play"}));
    while page.wait_for("state")["playing"] != true {}
    stream.write_all(&whole).expect("it reads");
    while page.wait_for("state")["playing"] != false {}
}

#[test]
fn random_bytes_do_no_harm() {
    let mut server = Server::start("bounce");
    let mut random = fastrand::Rng::with_seed(12);
    for case in 0..300 {
        let mut stream = socket(&server);
        let mut bytes: Vec<u8> = (0..random.usize(1..200)).map(|_| random.u8(..)).collect();
        // Often a sound beginning, so that more than its first byte is read.
        if case % 3 == 0 {
            bytes = sound(if case % 2 == 0 { TEXT } else { BINARY }, &bytes);
        } else if case % 3 == 1 {
            bytes[0] = *random.choice(&[TEXT, BINARY, CLOSE, PING, 0x01, 0x00, 0x8a]).expect("one of them");
            bytes.insert(1, 0x80 | random.u8(..));
        }
        drop(stream.write_all(&bytes));
        drop(stream.shutdown(Shutdown::Write));
        rest_of(&mut stream, &format!("{case}: {bytes:02x?}"));
    }
    assert_it_serves(&mut server);
}

#[test]
fn handshakes_that_are_cut_short_or_too_long_are_refused() {
    let mut server = Server::start("bounce");
    let head = handshake(&server);
    for length in (0..head.len()).step_by(3) {
        let mut stream = connect(&server);
        stream.write_all(&head.as_bytes()[..length]).expect("it reads");
        drop(stream.shutdown(Shutdown::Write));
        let said = rest_of(&mut stream, &head[..length]);
        assert!(said.starts_with(b"HTTP/1.1 400"), "{length}: {}", String::from_utf8_lossy(&said));
    }
    let end = head.len() - 2;
    let with = |more: &str| format!("{}{more}\r\n", &head[..end]);
    for (what, text) in [
        ("a header of 40,000 letters", with(&format!("X: {}\r\n", "a".repeat(40_000)))),
        ("10,000 headers", with(&"X: y\r\n".repeat(10_000))),
        ("100 headers", with(&"X: y\r\n".repeat(100))),
        ("no name", with(": y\r\n")),
        ("a control character", with("X: \u{1}\r\n")),
        ("an address of 20,000 letters", head.replacen("/live", &format!("/{}", "a".repeat(20_000)), 1)),
        ("another version of HTTP", head.replacen("HTTP/1.1", "HTTP/9.9", 1)),
    ] {
        let mut stream = connect(&server);
        // It may close before all is written, and its answer is lost then.
        drop(stream.write_all(text.as_bytes()));
        let said = rest_of(&mut stream, what);
        let said = String::from_utf8_lossy(&said);
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{what}: {said}");
    }
    // A letter now and then is not waited for either: each would be in time for itself.
    let mut slow = connect(&server);
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(500));
        if slow.write_all(b"G").is_err() {
            break;
        }
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert_it_serves(&mut server);
}

/// From the start of the program to the first frame that a page has received, as it would be after the page itself is
/// there; how long a browser takes to draw it is measured by the page's own tests. Programs of the tests are slower than
/// those of releases, and files may have to be read from disk.
#[test]
fn the_first_frame_comes_within_two_seconds() {
    let seconds = |scene: &str| {
        let start = Instant::now();
        let server = Server::start(scene);
        server.open().frame();
        start.elapsed().as_secs_f64()
    };
    for scene in ["pyramid", "shower", "terrain"] {
        // A machine that is busy with something else gets another chance.
        let fastest = (0..5).map(|_| seconds(scene)).find(|taken| *taken < 2.0);
        println!("{scene}: the first frame is there after {fastest:?} s");
        assert!(fastest.is_some(), "{scene}");
    }
}

/// A folder with a program that opens addresses: it writes down which.
#[cfg(target_os = "linux")]
fn opener() -> (PathBuf, PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("opener");
    std::fs::create_dir_all(&folder).expect("the folder for tests is writable");
    let (opened, program) = (folder.join("opened"), folder.join("xdg-open"));
    drop(std::fs::remove_file(&opened));
    std::fs::write(&program, format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}'\n", opened.display())).expect("a file");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it can be made a program");
    (folder, opened)
}

#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_opened_at_the_address_if_that_is_wanted_and_can_be_done() {
    let (folder, opened) = opener();
    let page = file("opened.html", b"<title>page</title>");
    let start = |arguments: &[&str], path: &str| {
        Command::new(env!("CARGO_BIN_EXE_carom"))
            .args(["view", "bounce", "--page"])
            .arg(&page)
            .args(arguments)
            .env("PATH", path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts")
    };
    let path = format!("{}:/usr/bin:/bin", folder.display());
    for arguments in [&[][..], &["--open"]] {
        let mut child = start(arguments, &path);
        let mut address = String::new();
        let out = child.stdout.take().expect("it has an output");
        BufReader::new(out).read_line(&mut address).expect("it tells its address");
        let begun = Instant::now();
        let patience = Duration::from_secs(if arguments.is_empty() { 1 } else { 60 });
        while begun.elapsed() < patience && !std::fs::read_to_string(&opened).is_ok_and(|text| text.ends_with('\n')) {
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(child.kill());
        drop(child.wait());
        let found = std::fs::read_to_string(&opened).ok();
        assert_eq!(found, (!arguments.is_empty()).then_some(address), "{arguments:?}");
    }
    // Where there is none, it says so and serves all the same.
    let mut child = start(&["--open"], "/no such folder");
    let mut lines = BufReader::new(child.stderr.take().expect("it has an output")).lines();
    let said: String = lines.by_ref().map_while(Result::ok).take(2).collect();
    let is_running = child.try_wait().expect("it can be asked").is_none();
    drop(child.kill());
    drop(child.wait());
    assert!(is_running && said.contains("no browser could be opened"), "{said}");
}
