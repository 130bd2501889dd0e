//! The published queries with exact answers, from beside the project.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use carom::glam::DVec3;
use carom::impact::Kind;
use std::path::{Path, PathBuf};

/// A query with its exact answer: the bracket of the first time, if they touch.
pub struct Query {
    pub kind: Kind,
    pub start: [DVec3; 4],
    pub end: [DVec3; 4],
    pub first: Option<[f64; 2]>,
}

/// All queries of one scene and kind; `stem` as in the exact answers' file names.
pub struct Scene {
    pub stem: String,
    pub queries: Vec<Query>,
}

fn folder() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")).to_path_buf()
}

/// Every scene whose exact answers are there; none where the data are not.
pub fn scenes() -> Vec<Scene> {
    let mut scenes = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder().join("ccd-exact")) else { return scenes };
    let mut answers: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    answers.sort();
    for path in answers.iter().filter(|path| path.extension().is_some_and(|extension| extension == "toi")) {
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let (name, kind) = match stem.rsplit_once('.').unwrap() {
            (name, "vf") => (name, Kind::VertexFace),
            (name, _) => (name, Kind::EdgeEdge),
        };
        let packed = path.with_extension("ccdq");
        let points = if packed.exists() { from_records(&packed) } else { from_tables(name, kind) };
        let text = std::fs::read_to_string(path).unwrap();
        let firsts: Vec<_> = text.lines().map(first).collect();
        assert_eq!(points.len(), firsts.len(), "{stem}");
        let queries = points
            .into_iter()
            .zip(firsts)
            .map(|(points, first)| {
                let (start, end) = (std::array::from_fn(|i| points[i]), std::array::from_fn(|i| points[4 + i]));
                Query { kind, start, end, first }
            })
            .collect();
        scenes.push(Scene { stem, queries });
    }
    scenes
}

fn first(line: &str) -> Option<[f64; 2]> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    (fields[2] == "1").then(|| [fields[3].parse().unwrap(), fields[4].parse().unwrap()])
}

fn from_records(path: &Path) -> Vec<[DVec3; 8]> {
    let bytes = std::fs::read(path).unwrap();
    let number = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let point = |at: usize| DVec3::new(number(at), number(at + 8), number(at + 16));
    (0..(bytes.len() - 16) / 200).map(|i| std::array::from_fn(|k| point(16 + 200 * i + 24 * k))).collect()
}

fn from_tables(name: &str, kind: Kind) -> Vec<[DVec3; 8]> {
    let folder = folder().join("ccd").join(name).join(match kind {
        Kind::VertexFace => "vertex-face",
        Kind::EdgeEdge => "edge-edge",
    });
    let mut tables: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).collect();
    tables.sort();
    let mut points = Vec::new();
    for table in tables {
        for line in std::fs::read_to_string(table).unwrap().lines() {
            let fields: Vec<&str> = line.split(',').collect();
            points.push(DVec3::from_array(std::array::from_fn(|k| ratio(fields[2 * k], fields[2 * k + 1]))));
        }
    }
    points.chunks_exact(8).map(|rows| rows.try_into().unwrap()).collect()
}

/// Denominators are powers of two and numerators have at most 53 digits, but either may be too long for f64.
fn ratio(numerator: &str, denominator: &str) -> f64 {
    let value = |digits: &str| digits.parse::<f64>().unwrap();
    value(numerator) / value(denominator)
}

/// How far the features are apart at a time, to rounding.
pub fn distance_at(query: &Query, time: f64) -> f64 {
    let [p, q, r, s]: [DVec3; 4] = std::array::from_fn(|i| query.start[i].lerp(query.end[i], time));
    let to_segment = |point: DVec3, a: DVec3, b: DVec3| {
        let along = b - a;
        let share = (along.dot(point - a) / along.length_squared()).clamp(0.0, 1.0);
        point.distance(a + if share.is_nan() { 0.0 } else { share } * along)
    };
    let (mut least, normal) = match query.kind {
        Kind::VertexFace => {
            let sides = [to_segment(p, q, r), to_segment(p, r, s), to_segment(p, s, q)];
            (sides.into_iter().fold(f64::INFINITY, f64::min), (r - q).cross(s - q))
        }
        Kind::EdgeEdge => {
            let ends = [to_segment(p, r, s), to_segment(q, r, s), to_segment(r, p, q), to_segment(s, p, q)];
            (ends.into_iter().fold(f64::INFINITY, f64::min), (q - p).cross(s - r))
        }
    };
    let outline: Vec<DVec3> = match query.kind {
        Kind::VertexFace => vec![q - p, r - p, s - p],
        Kind::EdgeEdge => vec![p - r, q - r, q - s, p - s],
    };
    let sides: Vec<f64> =
        (0..outline.len()).map(|i| normal.dot(outline[i].cross(outline[(i + 1) % outline.len()]))).collect();
    if sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0) {
        let height = normal.normalize_or_zero().dot(outline[0]).abs();
        least = if normal == DVec3::ZERO { least } else { least.min(height) };
    }
    least
}
