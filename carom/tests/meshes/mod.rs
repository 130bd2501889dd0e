//! Triangle meshes: boxes, and files made by others.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use carom::shape::TriangleMesh;
use glam::Vec3;
use std::path::Path;

/// Where meshes made by others are, if they are there.
pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/meshes");

/// The meshes made by others.
pub const NAMES: [&str; 6] =
    ["building.obj", "stairs.obj", "test_map01.obj", "voxel_mesh_01.obj", "fcl/env.obj", "fcl/rob.obj"];

/// One of them; says so if it is not there.
pub fn read(name: &str) -> Option<TriangleMesh> {
    let path = Path::new(FOLDER).join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return None;
    };
    let (vertices, triangles) = read_obj(&text);
    Some(TriangleMesh::repaired(&vertices, &triangles).expect("a sound mesh").0)
}

/// A box, its triangles counter-clockwise from outside.
pub fn box_mesh(half: Vec3, at: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner =
        |bits: u32| at + half * Vec3::from([0, 1, 2].map(|axis| if bits >> axis & 1 == 1 { 1.0 } else { -1.0 }));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

/// The vertices of an OBJ file and its faces as fans of triangles; nothing else of the format.
pub fn read_obj(text: &str) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let numbers: Vec<f32> = words.take(3).map(|word| word.parse().unwrap()).collect();
                vertices.push(Vec3::from_slice(&numbers));
            }
            Some("f") => {
                let index = |word: &str| word.split('/').next().unwrap().parse::<u32>().unwrap() - 1;
                let corners: Vec<u32> = words.map(index).collect();
                triangles.extend(corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]));
            }
            _ => {}
        }
    }
    (vertices, triangles)
}
