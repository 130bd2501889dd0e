//! The viewer's page: type check, build, and its tests in a headless browser against the program itself.
//!
//! Needs Node with npm, and Chromium. Where Chromium is missing on a Debian machine on which we are root, it is
//! installed; otherwise the step fails and says what to install.

use crate::repository;
use crate::steps::Steps;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// The page may add no more than this to a build of the program, packages included.
const MOST_TIME: Duration = Duration::from_secs(60);
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// `cargo xtask web`.
pub(crate) fn run() -> ExitCode {
    let mut steps = Steps::default();
    if let Some(tools) = build(&mut steps) {
        try_out(&mut steps, &tools);
    }
    steps.finish()
}

/// What the page's steps need.
pub(crate) struct Tools {
    browser: PathBuf,
}

/// Adds the steps that install the page's packages and build it; tests of the program measure what comes of it. A step that
/// lacks its tools fails; those after it would only repeat that.
pub(crate) fn build(steps: &mut Steps) -> Option<Tools> {
    let mut missing = Vec::new();
    let mut browser = None;
    steps.check("tools of the page", || {
        browser = find_browser().or_else(install_browser);
        missing = missing_tools(browser.as_deref());
        missing.clone()
    });
    let browser = browser.filter(|_| missing.is_empty())?;
    let start = Instant::now();
    steps.command("packages of the page", &mut npm(&["ci", "--no-audit", "--no-fund"]));
    steps.command("build of the page", &mut npm(&["run", "--silent", "build"]));
    let taken = start.elapsed();
    steps.check("time of the page's build", || {
        println!("packages and build took {:.1} s", taken.as_secs_f64());
        overlong(taken).into_iter().collect()
    });
    Some(Tools { browser })
}

/// Adds the steps that check the page and try it in a browser.
pub(crate) fn try_out(steps: &mut Steps, Tools { browser }: &Tools) {
    steps.command("types of the page", &mut npm(&["run", "--silent", "check"]));
    // The profile of the tests, so that nothing is built twice.
    let mut build = Command::new(repository::cargo());
    let root = repository::root();
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

fn npm(arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(repository::root().join("web")).args(arguments);
    command
}

/// What is wrong with the time that packages and build of the page have taken.
fn overlong(taken: Duration) -> Option<String> {
    (taken > MOST_TIME).then(|| {
        let [taken, most] = [taken, MOST_TIME].map(|time| time.as_secs_f64());
        format!("the page's packages and its build took {taken:.1} s; the page may add {most:.0} s to a build")
    })
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
    fn a_build_that_takes_longer_than_a_minute_is_a_finding() {
        assert_eq!(overlong(Duration::from_secs(59)), None);
        let said = overlong(Duration::from_secs(61)).expect("that is longer");
        assert!(said.contains("61.0 s") && said.contains("60 s"), "{said}");
    }

    #[test]
    fn a_browser_that_is_there_is_not_missing() {
        assert!(missing_tools(Some(Path::new("chromium"))).iter().all(|line| !line.contains("Chromium")));
    }
}
