//! Help that fits a terminal of 80 columns. What the manual says after the options is written in lines that do; sentences
//! about commands and options are wrapped here. The man pages wrap by themselves.

use clap::builder::StyledStr;
use clap::{Arg, Command};

/// Descriptions of commands begin at the margin.
const WIDE: usize = 78;
/// Those in the list of commands and those of options have something at their left.
const NARROW: usize = 54;

/// The same command line, its help wrapped.
pub(crate) fn wrapped(command: Command) -> Command {
    let [about, long] = [command.get_about(), command.get_long_about()].map(|text| text.map(ToString::to_string));
    let command = command.mut_args(wrapped_argument).mut_subcommands(wrapped);
    let command = match about {
        Some(about) => command.about(filled(&about, NARROW)),
        None => command,
    };
    match long {
        Some(long) => command.long_about(filled(&long, WIDE)),
        None => command,
    }
}

fn wrapped_argument(argument: Arg) -> Arg {
    let fill = |text: Option<&StyledStr>| text.map(|text| filled(&text.to_string(), NARROW));
    let (help, long) = (fill(argument.get_help()), fill(argument.get_long_help()));
    let argument = match help {
        Some(help) => argument.help(help),
        None => argument,
    };
    match long {
        Some(long) => argument.long_help(long),
        None => argument,
    }
}

/// The paragraphs of a text, in lines of so many letters unless a word is longer.
fn filled(text: &str, width: usize) -> String {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn paragraphs_are_filled() {
        assert_eq!(filled("one two three\n\nfour äöü", 7), "one two\nthree\n\nfour\näöü");
        assert_eq!(filled("indivisible", 3), "indivisible");
        assert_eq!(filled("", 3), "");
    }

    /// All lines of all help that are longer than a terminal of 80 columns shows.
    fn too_long(command: &mut Command, found: &mut Vec<String>) {
        let helps = [command.render_help(), command.render_long_help()].map(|help| help.to_string());
        let lines = helps.iter().flat_map(|help| help.lines()).filter(|line| line.chars().count() > 80);
        found.extend(lines.map(|line| format!("{}: {line}", command.get_name())));
        for command in command.get_subcommands_mut() {
            too_long(command, found);
        }
    }

    #[test]
    fn help_fits_a_terminal_of_80_columns() {
        let mut command = wrapped(crate::arguments::Arguments::command());
        command.build();
        let mut found = Vec::new();
        too_long(&mut command, &mut found);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
