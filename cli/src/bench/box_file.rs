//! Plain text files of boxes: six numbers a line, the least corner and the greatest.

use crate::scene::{SceneError, Text};
use carom::bounds::Aabb;
use carom::glam::Vec3;
use std::path::Path;

const HELP: &str = "a line holds one box: min.x min.y min.z max.x max.y max.z";

/// The boxes of a file.
pub(super) fn read(path: &Path) -> Result<Vec<Aabb>, SceneError> {
    let text = std::fs::read_to_string(path).map_err(|error| SceneError::file(path, "cannot be read", &error))?;
    parse(&Text::new(path.display().to_string(), text))
}

fn parse(text: &Text) -> Result<Vec<Aabb>, SceneError> {
    let mut boxes = Vec::new();
    let mut offset = 0;
    for line in text.as_str().split_inclusive('\n') {
        let words = line.trim();
        if !words.is_empty() && !words.starts_with('#') {
            let start = offset + (line.len() - line.trim_start().len());
            let parsed = parse_line(words);
            boxes.push(
                parsed
                    .map_err(|message| text.error(start..start + words.len(), message, "this line").with_help(HELP))?,
            );
        }
        offset += line.len();
    }
    Ok(boxes)
}

fn parse_line(words: &str) -> Result<Aabb, String> {
    let numbers: Vec<f32> = words
        .split_whitespace()
        .map(|word| match word.parse() {
            Ok(number) if f32::is_finite(number) => Ok(number),
            _ => Err(format!("`{word}` is not a finite number")),
        })
        .collect::<Result<_, _>>()?;
    let [a, b, c, d, e, f] = numbers[..] else {
        return Err(format!("a box needs six numbers, and there are {}", numbers.len()));
    };
    let bounds = Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f));
    match (0..3).find(|&axis| bounds.min[axis] > bounds.max[axis]) {
        Some(axis) => Err(format!("the box ends before it begins along {}", ["x", "y", "z"][axis])),
        None => Ok(bounds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<Aabb>, String> {
        parse(&Text::new("boxes.txt", text)).map_err(|error| error.to_string())
    }

    #[test]
    fn boxes_are_read_around_comments_and_empty_lines() {
        let boxes = parsed("# two\n\n-1 -2 -3 1 2 3\r\n  0\t0 0 0 0 1e3  ");
        let wanted = vec![
            Aabb::new(Vec3::new(-1.0, -2.0, -3.0), Vec3::new(1.0, 2.0, 3.0)),
            Aabb::new(Vec3::ZERO, Vec3::new(0.0, 0.0, 1000.0)),
        ];
        assert_eq!(boxes, Ok(wanted));
        assert_eq!(parsed(""), Ok(vec![]));
    }

    #[test]
    fn what_is_no_box_is_refused() {
        for (text, words) in [
            ("0 0 0 1 1", "there are 5"),
            ("0 0 0 1 1 1 1", "there are 7"),
            ("0 0 0 1 NaN 1", "`NaN`"),
            ("0 0 0 1 inf 1", "`inf`"),
            ("0 0 0 1 1e39 1", "`1e39`"),
            ("0 0 0 1 one 1", "`one`"),
            ("0 0 0\n1 1 1", "there are 3"),
            ("0 2 0 1 1 1", "along y"),
        ] {
            let error = parsed(text).expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
