//! Decompositions of solids of known form: all of the solid is enclosed, no hull reaches farther out than allowed, and
//! there are about as few hulls as there can be. Oracle: brute force over all triangles in f64.

mod decomposition_solids;
mod meshes;
mod random;

use carom::decomposition::{Outcome, Settings, decompose};
use carom::glam::Vec3;
use carom::shape::{Shape, TriangleMesh};
use decomposition_solids::{assert_sound, cubes, farthest_left_out, heap, moved, torus};
use fastrand::Rng;
use meshes::{FOLDER, read_obj};
use random::rotation;
use std::path::Path;

#[test]
fn a_torus_takes_at_most_twelve_hulls() {
    let (mesh, settings) = (torus(72, 35), Settings::default());
    let parts = decompose(&mesh, &settings).unwrap();
    assert_sound("torus", &mesh, &settings, &parts, 3000);
    assert_eq!(parts.outcome, Outcome::Reached);
    assert!(parts.hulls.len() <= 12, "{} hulls", parts.hulls.len());
}

#[test]
fn solids_of_cubes_take_as_many_hulls_as_a_person_would() {
    let settings = Settings::default();
    type IsFilled = fn(i32, i32, i32) -> bool;
    let solids: [(&str, [i32; 3], usize, IsFilled); 8] = [
        ("box", [3, 2, 1], 1, |_, _, _| true),
        ("two boxes", [5, 2, 2], 2, |x, _, _| x != 2),
        ("L", [4, 4, 2], 2, |x, y, _| x < 1 || y < 1),
        ("stairs", [5, 5, 4], 5, |x, y, _| y <= x),
        ("frame", [8, 8, 1], 4, |x, y, _| x == 0 || x == 7 || y == 0 || y == 7),
        ("cup", [6, 6, 6], 6, |x, y, z| [0, 5].contains(&x) || [0, 5].contains(&y) || z == 0),
        ("shell", [6, 6, 6], 8, |x, y, z| [x, y, z].iter().any(|i| [0, 5].contains(i))),
        ("nested", [7, 7, 7], 9, |x, y, z| [x, y, z].iter().any(|i| [0, 6].contains(i)) || (x, y, z) == (3, 3, 3)),
    ];
    for (name, extent, most, is_filled) in solids {
        let mesh = cubes(extent, is_filled);
        let parts = decompose(&mesh, &settings).unwrap();
        assert_sound(name, &mesh, &settings, &parts, 3000);
        assert_eq!(parts.outcome, Outcome::Reached, "{name}");
        assert!(parts.hulls.len() <= most, "{name}: {} hulls", parts.hulls.len());
    }
}

#[test]
fn random_heaps_of_turned_cubes_are_enclosed() {
    let mut random = Rng::with_seed(11);
    for case in 0..24 {
        let count = random.usize(2..25);
        let turn = if case % 2 == 0 { glam::Quat::IDENTITY } else { rotation(&mut random) };
        let mesh = moved(&heap(&mut random, count), |vertex| turn * vertex);
        let settings = Settings { concavity: [0.02, 0.05, 0.2][case % 3], ..Settings::default() };
        let parts = decompose(&mesh, &settings).unwrap();
        assert_sound(&format!("heap {case} of {count}"), &mesh, &settings, &parts, 2000);
        assert_eq!(parts.outcome, Outcome::Reached, "heap {case}");
        assert!(parts.hulls.len() <= 2 * count, "heap {case}: {} hulls", parts.hulls.len());
    }
}

/// Wavy surfaces: no face is flat, no axis is preferred, pockets are round.
#[test]
fn wavy_balls_are_enclosed() {
    for (seed, concavity) in [(1u32, 0.05), (2, 0.1), (3, 0.03)] {
        let ball = moved(&torus(40, 24), |vertex| {
            let wave = 1.0 + 0.2 * (4.0 * vertex.x + seed as f32).sin() * (3.0 * vertex.y).cos();
            vertex * Vec3::new(wave, 1.0, wave)
        });
        let settings = Settings { concavity, ..Settings::default() };
        let parts = decompose(&ball, &settings).unwrap();
        assert_sound(&format!("wavy {seed}"), &ball, &settings, &parts, 2000);
        assert_eq!(parts.outcome, Outcome::Reached);
    }
}

#[test]
fn closed_meshes_made_by_others_are_enclosed() {
    for name in ["stairs.obj", "test_map01.obj", "building.obj", "voxel_mesh_01.obj"] {
        let Ok(text) = std::fs::read_to_string(Path::new(FOLDER).join(name)) else {
            println!("skipped: {name} is not there");
            continue;
        };
        let (vertices, triangles) = read_obj(&text);
        let mesh = TriangleMesh::repaired(&vertices, &triangles).unwrap().0;
        if !mesh.is_closed() {
            println!("{name} is open");
            continue;
        }
        let settings = Settings::default();
        let parts = decompose(&mesh, &settings).unwrap();
        assert_sound(name, &mesh, &settings, &parts, 3000);
        assert_eq!(parts.outcome, Outcome::Reached);
    }
}

#[test]
fn budgets_are_kept_and_the_solid_stays_enclosed() {
    let mesh = torus(36, 18);
    for max_hulls in [1, 3, 5] {
        let settings = Settings { max_hulls, ..Settings::default() };
        let parts = decompose(&mesh, &settings).unwrap();
        assert_sound(&format!("at most {max_hulls} hulls"), &mesh, &settings, &parts, 2000);
        assert_eq!(parts.outcome, Outcome::HullBudget);
        // In one hull the farthest point is in the middle of the flat top, a height of 0.4 over the hole.
        let farthest = (1.16f64.sqrt() - 0.4) / 1.4;
        assert!(max_hulls > 1 || (parts.concavity() - farthest).abs() < 0.02, "{}", parts.concavity());
    }
    for max_vertices in [4, 8, 24, 64] {
        let settings = Settings { max_vertices, concavity: 0.2, ..Settings::default() };
        let parts = decompose(&mesh, &settings).unwrap();
        assert_sound(&format!("at most {max_vertices} vertices"), &mesh, &settings, &parts, 2000);
        assert!(max_vertices < 24 || parts.outcome == Outcome::Reached, "{max_vertices}: {:?}", parts.outcome);
    }
}

/// The test of enclosure itself: a hull left out is noticed.
#[test]
fn a_missing_hull_is_noticed() {
    let mesh = cubes([4, 4, 2], |x, y, _| x < 1 || y < 1);
    let parts = decompose(&mesh, &Settings::default()).unwrap();
    for left_out in 0..parts.hulls.len() {
        let mut hulls = parts.hulls.clone();
        hulls.remove(left_out);
        assert!(farthest_left_out(&mesh, &hulls, &mut Rng::with_seed(1), 500) > 0.1);
    }
    assert!(matches!(parts.into_compound().unwrap(), Shape::Compound(compound) if compound.parts().len() == 2));
}
