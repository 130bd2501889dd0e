//! How the program is built with and without Node: the build never fails for want of the page, and says what is missing.

// The build script itself, with its `main` unused.
#[allow(dead_code)]
#[path = "../build.rs"]
mod build;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// An empty folder to build in.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("build-{name}"));
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("the folder for tests is writable");
    folder
}

#[test]
fn without_npm_there_is_no_page_and_a_reason() {
    let why = build::page(&folder("without"), None, Path::new("no-such-npm")).expect_err("there is no npm");
    assert_eq!(why, "npm is not installed (it comes with Node.js)");
}

#[test]
fn a_page_that_is_ready_needs_no_npm() {
    let folder = folder("ready");
    let page = folder.join("page.html");
    fs::write(&page, "<title>ready</title>").expect("it can be written");
    let taken = build::page(&folder, Some(&page), Path::new("no-such-npm"));
    assert_eq!(taken, Ok(b"<title>ready</title>".to_vec()));
    assert!(build::page(&folder, Some(&folder.join("none.html")), Path::new("no-such-npm")).is_err());
}

/// The whole script, as Cargo runs it, on a machine that has neither Node nor npm: it ends well, leaves an empty page for the
/// program to be built with, and says why.
#[test]
fn the_program_is_built_where_there_is_no_node() {
    let folder = folder("script");
    let script = folder.join("script");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled = Command::new(compiler)
        .args(["--edition", "2024", "--crate-name", "script", "-o"])
        .arg(&script)
        .arg(here.join("build.rs"))
        .output()
        .expect("the compiler starts");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&script)
        .env_clear()
        .env("PATH", folder.join("nothing"))
        .env("OUT_DIR", &folder)
        .env("CARGO_MANIFEST_DIR", here)
        .output()
        .expect("the script starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("cargo:rustc-env=CAROM_PAGE_MISSING=npm is not installed"), "{said}");
    assert!(said.contains("cargo:warning=the viewer's page is left out") && !said.contains("cargo:error"), "{said}");
    assert_eq!(fs::read(folder.join("page.html")).expect("it was written"), b"");
}

/// An npm that writes down what it is asked, and does as the script says.
#[cfg(unix)]
fn npm(folder: &Path, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let npm = folder.join("npm");
    let text = format!("#!/bin/sh\necho \"$@\" >> '{}'\n{script}\n", folder.join("asked").display());
    fs::write(&npm, text).expect("it can be written");
    fs::set_permissions(&npm, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
    npm
}

#[cfg(unix)]
#[test]
fn an_npm_that_fails_is_quoted() {
    let folder = folder("fails");
    let npm = npm(&folder, "echo 'no network' >&2; exit 1");
    let why = build::page(&folder, None, &npm).expect_err("npm fails");
    assert!(why.contains("npm ci") && why.contains("no network"), "{why}");
}

#[cfg(unix)]
#[test]
fn npm_installs_what_the_page_is_made_of_once_and_nothing_for_tests() {
    let folder = folder("works");
    let npm = npm(&folder, "mkdir -p node_modules dist && echo '<title>built</title>' > dist/index.html");
    for _ in 0..2 {
        let page = build::page(&folder, None, &npm).expect("npm works");
        assert_eq!(String::from_utf8_lossy(&page), "<title>built</title>\n");
    }
    let asked = fs::read_to_string(folder.join("asked")).expect("npm was asked");
    let asked: Vec<&str> = asked.lines().map(|line| line.split(" --no-audit").next().unwrap_or(line)).collect();
    assert_eq!(asked, ["ci --omit=dev", "run build --silent", "run build --silent"]);
    let packages = fs::read_to_string(folder.join("web/package.json")).expect("it was copied");
    let packages: serde_json::Value = serde_json::from_str(&packages).expect("it is JSON");
    let names: Vec<&String> = packages["dependencies"].as_object().expect("dependencies").keys().collect();
    assert_eq!(names, ["esbuild", "three", "uplot"]);
}

/// The real page by the real npm, where there is one and the packages are there: `cargo xtask web` puts them there.
#[cfg(unix)]
#[test]
fn the_page_adds_less_than_a_minute() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    let has_npm = Command::new("npm").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_npm || !web.join("node_modules/esbuild").exists() {
        println!("not tried: npm or the page's packages are missing");
        return;
    }
    // A copy, so that nothing is downloaded and nothing of the working copy is touched.
    let folder = folder("real");
    let packages = folder.join("web/node_modules");
    fs::create_dir_all(&packages).expect("the folder for tests is writable");
    for name in ["esbuild", "@esbuild", "three", "uplot"] {
        let copied = Command::new("cp").arg("-r").arg(web.join("node_modules").join(name)).arg(&packages).status();
        assert!(copied.is_ok_and(|status| status.success()), "{name}");
    }
    fs::copy(web.join("package-lock.json"), packages.join(".installed")).expect("it can be copied");
    let start = Instant::now();
    let page = build::page(&folder, None, Path::new("npm")).expect("the page is built");
    let taken = start.elapsed();
    println!("the page took {taken:.1?}");
    assert!(taken < Duration::from_secs(60), "{taken:?}");
    // Its share of what an export may weigh.
    assert!(page.len() < 1_000_000, "{}", page.len());
    assert!(page.len() > 100_000 && String::from_utf8_lossy(&page).contains("<title>carom"), "{}", page.len());
}
