//! Meshes made by others: which of them are closed, and whether a closed one weighs what its winding number says.
//! `-- --nocapture` prints one line for each mesh.

mod meshes;

use carom::glam::DVec3;
use carom::mass::{EdgeFault, MassError, MassProperties};
use carom::prelude::*;
use carom::shape::TriangleMesh;
use meshes::{FOLDER, read_obj};
use std::path::Path;

fn read(name: &str) -> Option<TriangleMesh> {
    let path = Path::new(FOLDER).join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return None;
    };
    let (vertices, triangles) = read_obj(&text);
    Some(TriangleMesh::repaired(&vertices, &triangles).unwrap().0)
}

/// How often the surface winds around a point: the sum of the triangles' solid angles (van Oosterom and Strackee
/// 1983), 1 inside, 0 outside.
fn winding(mesh: &TriangleMesh, point: DVec3) -> f64 {
    let whole: f64 = (0..mesh.triangles().len())
        .map(|triangle| {
            let [a, b, c] = mesh.corners(triangle).map(|corner| corner.as_dvec3() - point);
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            2.0 * a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
        })
        .sum();
    whole / (4.0 * std::f64::consts::PI)
}

/// Mass and centre from the winding number at random points, within five standard errors.
fn check_closed(name: &str, mesh: &TriangleMesh, properties: &MassProperties) {
    const SAMPLES: usize = 4000;
    let corners = || mesh.vertices().iter().map(|vertex| vertex.as_dvec3());
    let (least, greatest) = (corners().fold(DVec3::INFINITY, DVec3::min), corners().fold(-DVec3::INFINITY, DVec3::max));
    let mut random = fastrand::Rng::with_seed(1);
    let (mut sum, mut squares) = ([0.0; 4], [0.0; 4]);
    for _ in 0..SAMPLES {
        let at = least + (greatest - least) * DVec3::new(random.f64(), random.f64(), random.f64());
        let times = winding(mesh, at).round();
        for (index, value) in [1.0, at.x, at.y, at.z].into_iter().enumerate() {
            sum[index] += times * value;
            squares[index] += times * value * times * value;
        }
    }
    let volume = (greatest - least).element_product();
    let mass = f64::from(properties.mass);
    let center = properties.center_of_mass.as_dvec3();
    for (index, found) in [mass, mass * center.x, mass * center.y, mass * center.z].into_iter().enumerate() {
        let mean = sum[index] / SAMPLES as f64;
        let bound = 5.0 * volume * ((squares[index] / SAMPLES as f64 - mean * mean) / SAMPLES as f64).sqrt();
        assert!((found - volume * mean).abs() <= bound, "{name}: {found}, sampled {} ± {bound}", volume * mean);
    }
}

/// The named edge really is at fault, by looking at every triangle.
fn check_fault(name: &str, mesh: &TriangleMesh, edge: [u32; 2], fault: EdgeFault) {
    let sides = mesh.triangles().iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let (mut forward, mut backward) = (0, 0);
    for [from, to] in sides {
        forward += usize::from([from, to] == edge);
        backward += usize::from([to, from] == edge);
    }
    let expected = match forward + backward {
        1 => EdgeFault::Boundary,
        2 => EdgeFault::Inconsistent,
        triangles => EdgeFault::Branching { triangles },
    };
    assert!(forward != backward, "{name}: edge {edge:?} is sound");
    assert_eq!(fault, expected, "{name}");
}

#[test]
fn meshes_made_by_others() {
    // Of these, two are closed; the others have holes or edges that meet the middle of another triangle's edge.
    let closed = ["stairs.obj", "test_map01.obj"];
    let open = ["building.obj", "voxel_mesh_01.obj", "fcl/env.obj", "fcl/rob.obj"];
    for name in closed.into_iter().chain(open) {
        let Some(mesh) = read(name) else { continue };
        match MassProperties::of_shape(&Shape::from(mesh.clone()), 1.0) {
            Ok(properties) => {
                println!("{name}: closed, volume {}, centre {}", properties.mass, properties.center_of_mass);
                assert!(closed.contains(&name), "{name} is open");
                check_closed(name, &mesh, &properties);
            }
            Err(MassError::NotClosed { vertices, fault }) => {
                println!("{name}: {}", MassError::NotClosed { vertices, fault });
                assert!(open.contains(&name), "{name} is closed");
                check_fault(name, &mesh, vertices, fault);
            }
            Err(other) => panic!("{name}: {other}"),
        }
    }
}
