//! Decompositions at the edge: meshes that are no solids, bad settings, thin, tiny, huge and far away solids, and the
//! same hulls on any number of threads.

mod decomposition_solids;
mod meshes;

use carom::decomposition::{DecompositionError, Outcome, Settings, Stage, decompose, decompose_with};
use carom::glam::Vec3;
use carom::shape::TriangleMesh;
use decomposition_solids::{assert_sound, cubes, moved, torus};
use meshes::box_mesh;
use std::ops::ControlFlow;

fn l_shape() -> TriangleMesh {
    cubes([4, 4, 2], |x, y, _| x < 1 || y < 1)
}

#[test]
fn what_has_no_inside_is_refused() {
    let (vertices, mut triangles) = box_mesh(Vec3::ONE, Vec3::ZERO);
    triangles.pop();
    let open = TriangleMesh::new(vertices, triangles).unwrap();
    assert_eq!(decompose(&open, &Settings::default()), Err(DecompositionError::NotClosed));
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let flat = TriangleMesh::new(corners, vec![[0, 1, 2], [0, 2, 1]]).unwrap();
    assert_eq!(decompose(&flat, &Settings::default()), Err(DecompositionError::NoVolume));
}

#[test]
fn settings_out_of_range_are_refused() {
    let mesh = l_shape();
    let plain = Settings::default();
    for concavity in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-9] {
        let settings = Settings { concavity, ..plain.clone() };
        let error = decompose(&mesh, &settings).unwrap_err();
        assert!(matches!(error, DecompositionError::Setting { what: "the concavity", .. }), "{error}");
    }
    for settings in [Settings { max_hulls: 0, ..plain.clone() }, Settings { max_vertices: 3, ..plain }] {
        assert!(matches!(decompose(&mesh, &settings), Err(DecompositionError::Setting { .. })));
    }
}

#[test]
fn it_can_be_watched_and_broken_off_at_every_stage() {
    let mesh = torus(24, 12);
    let mut stages = Vec::new();
    let watched = decompose_with(&mesh, &Settings::default(), |progress| {
        assert!(progress.unfinished <= progress.pieces);
        stages.push(progress.stage);
        ControlFlow::Continue(())
    });
    assert_eq!(watched, decompose(&mesh, &Settings::default()));
    stages.dedup();
    assert_eq!(stages, [Stage::Cutting, Stage::Joining, Stage::Measuring]);
    for stage in stages {
        let stop = |at| if at == stage { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let stopped = decompose_with(&mesh, &Settings::default(), |progress| stop(progress.stage));
        assert_eq!(stopped, Err(DecompositionError::BrokenOff), "{stage:?}");
    }
}

#[test]
fn size_and_place_do_not_matter() {
    let mesh = l_shape();
    let settings = Settings::default();
    for scale in [1e-30f32, 1e-12, 1e-3, 1e3, 1e12, 1e30] {
        let scaled = moved(&mesh, |vertex| vertex * scale);
        let parts = decompose(&scaled, &settings).unwrap();
        assert_eq!((parts.hulls.len(), parts.outcome), (2, Outcome::Reached), "scale {scale}");
        // Beyond that the mass is not a number of f32.
        if (1e-6..1e6).contains(&scale) {
            assert_sound(&format!("scale {scale}"), &scaled, &settings, &parts, 500);
        }
    }
    for away in [1e3f32, 1e5, 3e5] {
        let far = moved(&mesh, |vertex| vertex + away * Vec3::new(1.0, -0.7, 0.3));
        let parts = decompose(&far, &settings).unwrap();
        assert_sound(&format!("{away} away"), &far, &settings, &parts, 500);
        assert_eq!(parts.outcome, Outcome::Reached, "{away} away");
        assert!(parts.hulls.len() <= 3, "{away} away: {}", parts.hulls.len());
    }
}

#[test]
fn thin_and_long_solids_are_enclosed() {
    let settings = Settings::default();
    for stretch in
        [Vec3::new(1.0, 1.0, 1e-3), Vec3::new(1e-3, 1.0, 1.0), Vec3::new(1.0, 1.0, 1e-5), Vec3::new(1.0, 100.0, 1.0)]
    {
        let thin = moved(&l_shape(), |vertex| vertex * stretch);
        let parts = decompose(&thin, &settings).unwrap();
        assert_sound(&format!("stretched by {stretch}"), &thin, &settings, &parts, 1000);
        assert_eq!(parts.outcome, Outcome::Reached, "{stretch}");
        assert!(parts.hulls.len() <= 3, "{stretch}: {} hulls", parts.hulls.len());
    }
    // A bowl with walls a hundredth of its size thick.
    let bowl = moved(&cubes([6, 6, 6], |x, y, z| [0, 5].contains(&x) || [0, 5].contains(&y) || z == 0), |vertex| {
        let thinned = |x: f32| {
            if x <= 1.0 {
                0.06 * x
            } else if x >= 5.0 {
                6.0 - 0.06 * (6.0 - x)
            } else {
                x
            }
        };
        Vec3::new(thinned(vertex.x), thinned(vertex.y), if vertex.z <= 1.0 { 0.06 * vertex.z } else { vertex.z })
    });
    let parts = decompose(&bowl, &settings).unwrap();
    assert_sound("bowl", &bowl, &settings, &parts, 2000);
    assert_eq!(parts.outcome, Outcome::Reached);
    assert!(parts.hulls.len() <= 8, "{} hulls", parts.hulls.len());
}

#[test]
fn a_solid_turned_inside_out_is_the_same_solid() {
    let mesh = l_shape();
    let turned = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let inside_out = TriangleMesh::new(mesh.vertices().to_vec(), turned).unwrap();
    let (one, other) = [&mesh, &inside_out].map(|mesh| decompose(mesh, &Settings::default()).unwrap()).into();
    assert_eq!((one.hulls.len(), other.hulls.len()), (2, 2));
}

#[test]
fn threads_make_no_difference() {
    let mesh = torus(36, 18);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| decompose(&mesh, &Settings::default()).unwrap())
    };
    let one = on(1);
    for threads in [2, 3, 8] {
        assert_eq!(one, on(threads), "{threads} threads");
    }
}
