//! Reads scenes from JSON, and places what its reader says in the text.
//!
//! The reader knows only how far it has read, so bodies and shapes are taken as raw slices of the text first, and each is
//! then read on its own: what is wrong with it is in that slice.

use super::error::{SceneError, Text};
use super::file::{BodyFile, SceneFile, checked};
use super::shape_file::{Reader, ShapeFile};
use super::{Listed, Scene, SceneBody, body_title};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::ops::Range;

pub(super) fn read(text: &Text, reader: &mut Reader) -> Result<Scene, SceneError> {
    let whole = text.as_str();
    let scene: SceneFile<&RawValue> =
        serde_json::from_str(whole).map_err(|error| json_error(text, 0..whole.len(), "", &error))?;
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    for (index, raw) in scene.bodies.iter().enumerate() {
        bodies.push(read_body(text, index, span_in(whole, raw), reader)?);
    }
    checked(scene, bodies, text)
}

/// What a list says of the scene in a text.
pub(super) fn listed(text: &Text) -> Result<Listed, SceneError> {
    let whole = text.as_str();
    let scene: SceneFile<IgnoredAny> =
        serde_json::from_str(whole).map_err(|error| json_error(text, 0..whole.len(), "", &error))?;
    Ok(scene.listed(text))
}

fn read_body(text: &Text, index: usize, span: Range<usize>, reader: &mut Reader) -> Result<SceneBody, SceneError> {
    let whole = text.as_str();
    let written: BodyFile<&RawValue> = serde_json::from_str(&whole[span.clone()])
        .map_err(|error| json_error(text, span.clone(), &body_title(index, None), &error))?;
    let title = body_title(index, written.name.as_deref());
    let shape = |raw: &RawValue| {
        let file: ShapeFile =
            serde_json::from_str(raw.get()).map_err(|error| json_error(text, span_in(whole, raw), &title, &error))?;
        file.shape(reader).map_err(|said| text.error(span_in(whole, raw), format!("{title}: {said}"), "this shape"))
    };
    written.described(span, shape)
}

/// Where a raw value stands in the text that it was read from.
fn span_in(whole: &str, raw: &RawValue) -> Range<usize> {
    let start = raw.get().as_ptr() as usize - whole.as_ptr() as usize;
    start..start + raw.get().len()
}

/// What JSON's reader says of the slice `span`, placed in the whole text.
pub(crate) fn json_error(text: &Text, span: Range<usize>, title: &str, error: &serde_json::Error) -> SceneError {
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    let said = error.to_string();
    let said = said.strip_suffix(&suffix).unwrap_or(&said);
    let message = if title.is_empty() { said.to_string() } else { format!("{title}: {said}") };
    let slice = &text.as_str()[span.clone()];
    if error.line() == 0 {
        // The value was well formed, and refused as a whole.
        return text.error(span, message, "this value");
    }
    let line_start: usize = slice.split_inclusive('\n').take(error.line() - 1).map(str::len).sum();
    let offset = (line_start + error.column().saturating_sub(1)).min(slice.len());
    let (label, token) = match opening(slice, offset) {
        // A sound list or object that was refused when it had been read.
        Some(start) if error.is_data() => ("this value", start..offset + 1),
        _ if error.is_eof() => ("the text ends here", token_at(slice, offset)),
        _ => ("here", token_at(slice, offset)),
    };
    text.error(span.start + token.start..span.start + token.end, message, label)
}

/// Where the list or object begins that ends at `offset`; none if the letter there closes nothing.
fn opening(text: &str, offset: usize) -> Option<usize> {
    let mut open = Vec::new();
    let mut letters = text.bytes().enumerate();
    while let Some((at, letter)) = letters.next() {
        match letter {
            b'"' => {
                // To the end of the string; a backslash takes the next letter with it.
                while let Some((_, letter)) = letters.next().filter(|(_, letter)| *letter != b'"') {
                    if letter == b'\\' {
                        letters.next();
                    }
                }
            }
            b'{' | b'[' => open.push(at),
            b'}' | b']' if at == offset => return open.pop(),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
    }
    None
}

/// The string, number or word that has the letter at `offset`, or that letter alone: JSON's reader stops at the end or
/// the beginning of what it could not use.
fn token_at(text: &str, offset: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
    match bytes.get(offset) {
        Some(b'"') => bytes[..offset].iter().rposition(|&byte| byte == b'"').unwrap_or(offset)..offset + 1,
        Some(byte) if is_word(byte) => {
            let start = bytes[..offset].iter().rposition(|byte| !is_word(byte)).map_or(0, |before| before + 1);
            let end =
                bytes[offset..].iter().position(|byte| !is_word(byte)).map_or(bytes.len(), |length| offset + length);
            start..end
        }
        Some(_) => offset..offset + 1,
        // The text ended too early: point to its last letter.
        None => text.trim_end().len().saturating_sub(1)..text.trim_end().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_by_one_of_their_letters() {
        let text = r#"{"radius": -1.5, "x": [true]}"#;
        let token = |offset| &text[token_at(text, offset)];
        assert_eq!(token(8), "\"radius\"");
        assert_eq!(token(14), "-1.5");
        assert_eq!(token(11), "-1.5");
        assert_eq!(token(26), "true");
        assert_eq!(token(28), "}");
        assert_eq!(token(400), "}");
        assert_eq!(token_at("", 0), 0..0);
    }

    #[test]
    fn the_beginning_of_what_is_closed_is_found() {
        let text = r#"{"a }\"": [1, {}], "b": 2}"#;
        assert_eq!(opening(text, text.len() - 1), Some(0));
        assert_eq!(opening(text, text.find("}]").unwrap_or(0)), text.find("{}"));
        assert_eq!(opening(text, text.find("]").unwrap_or(0)), text.find("[1"));
        assert_eq!(opening(text, 4), None, "in a string");
        assert_eq!(opening("}", 0), None);
        assert_eq!(opening("{\"", 9), None);
    }
}
