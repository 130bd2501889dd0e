//! `cargo xtask`: the one door for people and CI.

mod bench;
mod checks;
mod repository;
mod steps;
mod test;
mod web;

use std::process::ExitCode;

const HELP: &str = "\
The one door for people and CI.

Usage: cargo xtask <command>

Commands:
  test [--fast]     Everything that must hold before a change lands: format, clippy with warnings denied, the tests
                    with debug assertions on, the doc tests, the documentation, and the repository's own checks:
                      * every path and test that ARCHITECTURE.md and docs/capabilities.md name exists
                      * the library has nothing that panics or prints outside its tests
                      * a match on a pair of shapes lists every pair, with no catch-all arm
                      * no path of one machine and no unfinished-work marker in a file
                    and what `web` does. All steps run even if one fails. --fast leaves out the integration tests, the
                    doc tests, the documentation and the page.
  web               The viewer's page: install its packages and build it, in a minute at the most, check its types, and
                    try it in a headless Chromium against the program. Pictures of every scene go to `screenshots` in the target folder.
                    CAROM_CHROMIUM names the browser where it is not on the PATH.
  bench <area> [--quick] [--json FILE]
                    Measure one area side by side with other engines, or `all`. Run it without an area for the list.
  help              This text.

Exit status: 0 fine, 1 something failed, 2 wrong usage.
Build output goes to CARGO_TARGET_DIR where that is set.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["test"] => test::run(test::Extent::Full),
        ["test", "--fast"] => test::run(test::Extent::Fast),
        ["web"] => web::run(),
        ["bench", rest @ ..] => bench::run(rest),
        ["help" | "--help" | "-h"] | [_, "--help" | "-h"] => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        other => {
            let what =
                if other.is_empty() { "no command given".into() } else { format!("unknown: {}", other.join(" ")) };
            eprint!("xtask: {what}\n\n{HELP}");
            ExitCode::from(2)
        }
    }
}
