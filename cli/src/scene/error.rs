//! What is wrong with a scene, where in its text, and what to do about it.

use super::embedded;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};
use std::ops::Range;
use std::path::Path;

/// A scene that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct SceneError {
    message: String,
    place: Option<Box<Place>>,
    help: Option<String>,
}

#[derive(Debug)]
struct Place {
    text: Text,
    span: Range<usize>,
    label: String,
}

/// How an error is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// With colours.
    Coloured,
    /// Without, for files and pipes.
    Plain,
}

/// A scene's text and its name, to point into.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    name: String,
    text: String,
}

impl SceneError {
    /// A file that could not be read or written.
    pub(crate) fn file(path: &Path, what: &str, error: &std::io::Error) -> Self {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let help = folder.map(|folder| format!("there is no folder {}", folder.display()));
        Self { message: format!("{} {what}: {error}", path.display()), place: None, help }
    }

    /// A name that means no scene.
    pub(crate) fn refused(message: String, help: String) -> Self {
        Self { message, place: None, help: Some(help) }
    }

    /// With another word on what to do about it.
    pub(crate) fn with_help(self, help: &str) -> Self {
        Self { help: Some(help.to_string()), ..self }
    }

    /// No embedded scene and no file has this name.
    pub(crate) fn unknown_scene(name: &str) -> Self {
        let near = near_names(name);
        let help = match near.as_slice() {
            [] => format!("the scenes are {}; a scene file needs its extension", embedded::names().join(", ")),
            near => format!("did you mean {}? `carom scenes` lists all of them", near.join(" or ")),
        };
        Self { message: format!("there is no scene and no file `{name}`"), place: None, help: Some(help) }
    }

    /// The error with its snippet, for standard error.
    pub(crate) fn rendered(&self, look: Look) -> String {
        let theme = match look {
            Look::Coloured => GraphicalTheme::unicode(),
            Look::Plain => GraphicalTheme::unicode_nocolor(),
        };
        let mut text = String::new();
        let handler = GraphicalReportHandler::new_themed(theme).with_width(100).with_context_lines(2);
        if handler.render_report(&mut text, self).is_err() {
            // Without its snippet the message is still worth having.
            text = format!("carom: {}\n", self.message);
        }
        text
    }
}

impl Diagnostic for SceneError {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|place| &place.text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.place.as_ref()?;
        let label = LabeledSpan::at(place.span.clone(), &place.label);
        Some(Box::new(std::iter::once(label)))
    }
}

impl Text {
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where files that the text names are looked for: beside it.
    pub(super) fn folder(&self) -> &Path {
        Path::new(&self.name).parent().unwrap_or(Path::new(""))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// An error at a place in the text; only the first line of a longer place is marked.
    pub(crate) fn error(&self, span: Range<usize>, message: String, label: &str) -> SceneError {
        let start = floor(&self.text, span.start);
        let end = floor(&self.text, span.end).max(start);
        let end = self.text[start..end].find('\n').map_or(end, |line| start + line);
        let end = floor(&self.text, end.min(start + LONGEST)).max(start);
        let help = "`carom schema` prints what a scene file may hold".to_string();
        let label = near_field(&message).unwrap_or_else(|| label.to_string());
        let place = Place { text: self.clone(), span: start..end, label };
        SceneError { message, place: Some(Box::new(place)), help: Some(help) }
    }

    /// An error at the first mention of a field in `within`, or at its beginning if it is not mentioned.
    pub(crate) fn error_at_field(&self, field: &str, within: Range<usize>, message: String) -> SceneError {
        let text = &self.text[within.clone()];
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
        // A key stands before `:` in JSON and before `=` in TOML, or ends the header of a table; names do not.
        let is_key = |after: &str| {
            let after = after.strip_prefix('"').unwrap_or(after).trim_start();
            after.starts_with([':', '=', ']', '.'])
        };
        let mention = text
            .match_indices(field)
            .find(|(at, _)| !text[..*at].ends_with(is_letter) && is_key(&text[at + field.len()..]));
        match mention {
            Some((at, _)) => {
                let start = within.start + at;
                self.error(start..start + field.len(), message, "this field")
            }
            None => self.error(within, message, "here"),
        }
    }
}

/// The longest line that is shown whole.
const LONGEST: usize = 240;

/// The lines around a place. Where they are long, as in a file that a program wrote on one line, only what stands right
/// and left of the place: nobody reads more, and the renderer cannot count beyond 65,535 columns.
impl SourceCode for Text {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let whole = self.text.read_span(span, lines_before, lines_after)?;
        let is_short = whole.data().split(|byte| *byte == b'\n').all(|line| line.len() <= LONGEST);
        let (span, line, column) = if is_short {
            (*whole.span(), whole.line(), whole.column())
        } else {
            let (start, end) = (span.offset(), span.offset() + span.len());
            let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
            let line_end = self.text[end..].find('\n').map_or(self.text.len(), |at| end + at);
            let from = floor(&self.text, start.saturating_sub(LONGEST / 4).max(line_start));
            let to = floor(&self.text, (start + LONGEST / 4).max(end.min(start + LONGEST)).min(line_end));
            let line = self.text[..start].matches('\n').count();
            // Without lines around it, the place itself is asked for: the heading is to name its own column.
            let from = if lines_before == 0 { start } else { from };
            (SourceSpan::from(from..to.max(end)), line, from - line_start)
        };
        let data = &self.text.as_bytes()[span.offset()..span.offset() + span.len()];
        let count = data.iter().filter(|byte| **byte == b'\n').count() + 1;
        Ok(Box::new(MietteSpanContents::new_named(self.name.clone(), data, span, line, column, count)))
    }
}

/// The beginning of the letter at `offset`, or the end of the text.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// What was probably meant by a name that a reader does not know, if it says which it knows.
fn near_field(message: &str) -> Option<String> {
    let (_, said) = message.split_once("unknown field `").or_else(|| message.split_once("unknown variant `"))?;
    let (wrong, known) = said.split_once('`')?;
    let known = known.split('`').skip(1).step_by(2);
    let near = known.map(|known| (strsim::jaro_winkler(wrong, known), known)).max_by(|a, b| a.0.total_cmp(&b.0));
    near.filter(|(similarity, _)| *similarity > 0.8).map(|(_, known)| format!("did you mean `{known}`?"))
}

/// The embedded scenes whose names are close to `name`, nearest first.
fn near_names(name: &str) -> Vec<&'static str> {
    let mut near: Vec<(f64, &str)> = embedded::names()
        .into_iter()
        .map(|known| (strsim::jaro_winkler(&name.to_lowercase(), known), known))
        .filter(|(similarity, _)| *similarity > 0.7)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().map(|(_, name)| name).take(3).collect()
}
