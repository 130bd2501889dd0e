//! Builds the viewer's page with npm and hands it to the program. Without npm, or where the build fails, the program is
//! built all the same; what needs the page says what is missing.
//!
//! `CAROM_PAGE=FILE` takes a page that is ready instead, `CAROM_NPM=PROGRAM` another npm. tests/build_page.rs tries this
//! file with an npm that is not there, fails or works.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// What the page is made of; `node_modules` and `dist` are left out.
const SOURCES: [&str; 5] = ["src", "index.html", "package.json", "package-lock.json", "tsconfig.json"];

fn main() {
    println!("cargo:rerun-if-env-changed=CAROM_PAGE");
    println!("cargo:rerun-if-env-changed=CAROM_NPM");
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let ready = env::var_os("CAROM_PAGE").map(PathBuf::from);
    let usual = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let npm = env::var_os("CAROM_NPM").map_or_else(|| PathBuf::from(usual), PathBuf::from);
    let (page, missing) = match page(&out, ready.as_deref(), &npm) {
        Ok(page) => (page, String::new()),
        Err(why) => {
            println!("cargo:warning=the viewer's page is left out: {why}");
            (Vec::new(), why)
        }
    };
    // One line: it becomes a constant.
    println!("cargo:rustc-env=CAROM_PAGE_MISSING={}", missing.replace('\n', " "));
    if let Err(error) = fs::write(out.join("page.html"), page) {
        println!("cargo:error={} cannot be written: {error}", out.join("page.html").display());
    }
}

/// The page, or why there is none.
pub(crate) fn page(out: &Path, ready: Option<&Path>, npm: &Path) -> Result<Vec<u8>, String> {
    if let Some(ready) = ready {
        println!("cargo:rerun-if-changed={}", ready.display());
        return fs::read(ready).map_err(|error| format!("{} cannot be read: {error}", ready.display()));
    }
    let web = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../web");
    let mut watched: Vec<PathBuf> = SOURCES.iter().map(|name| web.join(name)).collect();
    watched.extend(scripts(&web));
    watched.iter().filter(|path| path.exists()).for_each(|path| println!("cargo:rerun-if-changed={}", path.display()));
    if !web.join("package.json").exists() {
        println!("cargo:rerun-if-changed={}", web.join("package.json").display());
        return Err("the folder `web` is not there".to_string());
    }
    let copy = out.join("web");
    for source in watched.iter().filter(|path| path.exists()) {
        let name = source.file_name().unwrap_or_default();
        copy_all(source, &copy.join(name))
            .map_err(|error| format!("{} cannot be copied: {error}", source.display()))?;
    }
    install(npm, &copy)?;
    run(npm, &copy, &["run", "build", "--silent"])?;
    let built = copy.join("dist/index.html");
    fs::read(&built).map_err(|error| format!("npm has built no dist/index.html: {error}"))
}

/// `npm ci`, unless what it would install is installed already: what the page is built of, not what tests and checks need.
fn install(npm: &Path, copy: &Path) -> Result<(), String> {
    let lock = fs::read(copy.join("package-lock.json")).unwrap_or_default();
    let stamp = copy.join("node_modules/.installed");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    // Without a network this must end soon: the program can do without the page.
    let patience = ["--prefer-offline", "--fetch-retries=1", "--fetch-timeout=30000"];
    run(npm, copy, &[&["ci", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"], &patience[..]].concat())?;
    fs::write(&stamp, lock).map_err(|error| format!("{} cannot be written: {error}", stamp.display()))
}

fn run(npm: &Path, folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new(npm).args(arguments).current_dir(folder).output().map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            "npm is not installed (it comes with Node.js)".to_string()
        } else {
            format!("npm cannot be started: {error}")
        }
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(if output.stderr.is_empty() { &output.stdout } else { &output.stderr });
    let last: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = last[last.len().saturating_sub(4)..].join("; ");
    Err(format!("`npm {}` failed: {last}", arguments.join(" ")))
}

/// The scripts that build it.
fn scripts(web: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(web).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut scripts: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|kind| kind == "mjs")).collect();
    scripts.sort();
    scripts
}

/// Copies a file or a folder; of a folder, what is gone from the source is removed from the copy.
fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        if to.exists() {
            fs::remove_dir_all(to)?;
        }
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_all(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).map(drop)
}
