//! The viewer's page: type check, build, and its tests in a headless browser against the program itself.
//!
//! Needs Node with npm, and Chromium. Where Chromium is missing on a Debian machine on which we are root, it is
//! installed; otherwise the step fails and says what to install.

use crate::repository;
use crate::steps::Steps;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// `cargo xtask web`.
pub(crate) fn run() -> ExitCode {
    let mut steps = Steps::default();
    add_to(&mut steps);
    steps.finish()
}

/// Adds the page's steps. A step that lacks its tools fails; those after it would only repeat that.
pub(crate) fn add_to(steps: &mut Steps) {
    let root = repository::root();
    let mut missing = Vec::new();
    let mut browser = None;
    steps.check("tools of the page", || {
        browser = find_browser().or_else(install_browser);
        missing = missing_tools(browser.as_deref());
        missing.clone()
    });
    let Some(browser) = browser.filter(|_| missing.is_empty()) else { return };

    let npm = |arguments: &[&str]| {
        let mut command = Command::new("npm");
        command.current_dir(root.join("web")).args(arguments);
        command
    };
    steps.command("packages of the page", &mut npm(&["ci", "--no-audit", "--no-fund"]));
    steps.command("types of the page", &mut npm(&["run", "--silent", "check"]));
    steps.command("build of the page", &mut npm(&["run", "--silent", "build"]));
    // The profile of the tests, so that nothing is built twice.
    let mut build = Command::new(repository::cargo());
    build.current_dir(&root).args(["build", "--package", "carom-cli", "--all-features", "--profile", "checked"]);
    steps.command("program for the page", &mut build);
    let target = repository::target();
    steps.tests(
        "the page in a browser",
        npm(&["test", "--silent"])
            .env("CAROM_CHROMIUM", browser)
            .env("CAROM_PROGRAM", target.join("checked").join(format!("carom{}", env::consts::EXE_SUFFIX)))
            .env("CAROM_SCREENSHOTS", target.join("screenshots")),
    );
}

/// What is to be installed before the page can be built and tried.
fn missing_tools(browser: Option<&Path>) -> Vec<String> {
    let tools = [("node", "Node 20 or newer"), ("npm", "npm")];
    let mut missing: Vec<String> = tools
        .iter()
        .filter(|(program, _)| on_path(program).is_none())
        .map(|(program, name)| {
            format!("`{program}` is not on the PATH; install {name}, on Debian: apt-get install npm")
        })
        .collect();
    if browser.is_none() {
        missing.push(
            "no Chromium; on Debian: apt-get install chromium, or set CAROM_CHROMIUM to the browser's program".into(),
        );
    }
    missing
}

fn find_browser() -> Option<PathBuf> {
    match env::var_os("CAROM_CHROMIUM") {
        Some(set) => Some(PathBuf::from(set)).filter(|path| path.is_file()),
        None => BROWSERS.iter().find_map(|name| on_path(name)),
    }
}

/// Installs Chromium where that takes one command and no questions.
fn install_browser() -> Option<PathBuf> {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.starts_with(b"0\n"));
    if env::var_os("CAROM_CHROMIUM").is_some() || !is_root || on_path("apt-get").is_none() {
        return None;
    }
    println!("no Chromium: installing it by apt-get");
    let apt_get = |arguments: &[&str]| {
        let status = Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").status();
        status.is_ok_and(|status| status.success())
    };
    let install = ["install", "-y", "-qq", "--no-install-recommends", "chromium"];
    // The lists of packages may be missing or old.
    let installed = apt_get(&install) || (apt_get(&["update", "-qq"]) && apt_get(&install));
    installed.then(find_browser).flatten()
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let names = [program.to_owned(), format!("{program}.exe"), format!("{program}.cmd")];
    env::split_paths(&path).flat_map(|folder| names.clone().map(|name| folder.join(name))).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_browser_is_named_with_its_cure() {
        let missing = missing_tools(None);
        let browser = missing.last().expect("no browser was given");
        assert!(browser.contains("apt-get install chromium") && browser.contains("CAROM_CHROMIUM"), "{browser}");
    }

    #[test]
    fn a_browser_that_is_there_is_not_missing() {
        assert!(missing_tools(Some(Path::new("chromium"))).iter().all(|line| !line.contains("Chromium")));
    }
}
