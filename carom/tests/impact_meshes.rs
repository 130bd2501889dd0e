//! The sweep of deforming meshes against all pairs of features, one by one, and on any number of threads.

use carom::glam::DVec3;
use carom::impact::{MovingMesh, MovingMeshError, Place, Terms, edge_edge, meshes, vertex_face};
use fastrand::Rng;

/// A sheet of 2 · side² triangles with bumps.
fn sheet(rng: &mut Rng, side: u32, height: f64, bump: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let count = side + 1;
    let vertices = (0..count * count)
        .map(|i| DVec3::new(f64::from(i % count), height + bump * rng.f64(), f64::from(i / count)))
        .collect();
    let triangles = (0..side * side)
        .flat_map(|cell| {
            let corner = cell / side * count + cell % side;
            [[corner, corner + count, corner + 1], [corner + 1, corner + count, corner + count + 1]]
        })
        .collect();
    (vertices, triangles)
}

struct Case {
    start: [Vec<DVec3>; 2],
    end: [Vec<DVec3>; 2],
    triangles: [Vec<[u32; 3]>; 2],
}

impl Case {
    fn random(rng: &mut Rng) -> Self {
        let (floor, floor_triangles) = sheet(rng, 5, 0.0, 0.3);
        let (cloth, cloth_triangles) = sheet(rng, 4, 1.0, 0.3);
        let way = DVec3::new(rng.f64() - 0.5, -2.5 * rng.f64(), rng.f64() - 0.5);
        let moved = |points: &[DVec3], way: DVec3, rng: &mut Rng| {
            points.iter().map(|point| *point + way + 0.3 * DVec3::new(rng.f64(), rng.f64(), rng.f64())).collect()
        };
        let end = [moved(&floor, DVec3::ZERO, rng), moved(&cloth, way, rng)];
        Self { start: [floor, cloth], end, triangles: [floor_triangles, cloth_triangles] }
    }

    fn mesh(&self, which: usize) -> MovingMesh {
        MovingMesh::new(self.start[which].clone(), self.end[which].clone(), self.triangles[which].clone()).unwrap()
    }

    /// Every vertex against every face and every edge of a triangle against every other.
    fn brute_force(&self, terms: &Terms) -> Option<f64> {
        let mut first: Option<f64> = None;
        let mut take = |time: Option<f64>| first = first.into_iter().chain(time).reduce(f64::min);
        for (one, other) in [(0, 1), (1, 0)] {
            for vertex in 0..self.start[one].len() {
                for face in &self.triangles[other] {
                    let points = |at: &[Vec<DVec3>; 2]| {
                        let [a, b, c] = face.map(|corner| at[other][corner as usize]);
                        [at[one][vertex], a, b, c]
                    };
                    take(vertex_face(&points(&self.start), &points(&self.end), terms).unwrap().time());
                }
            }
        }
        for face in &self.triangles[0] {
            for other in &self.triangles[1] {
                for i in 0..9 {
                    let (a, b) = ([face[i % 3], face[(i + 1) % 3]], [other[i / 3], other[(i / 3 + 1) % 3]]);
                    let points = |at: &[Vec<DVec3>; 2]| {
                        [at[0][a[0] as usize], at[0][a[1] as usize], at[1][b[0] as usize], at[1][b[1] as usize]]
                    };
                    take(edge_edge(&points(&self.start), &points(&self.end), terms).unwrap().time());
                }
            }
        }
        first
    }
}

#[test]
fn the_first_touch_is_that_of_all_pairs() {
    let mut rng = Rng::with_seed(7);
    let mut hits = 0;
    for round in 0..40 {
        let case = Case::random(&mut rng);
        let terms = Terms { separation: if round % 4 == 0 { 0.01 } else { 0.0 }, ..Terms::default() };
        let found = meshes(&case.mesh(0), &case.mesh(1), &terms).unwrap();
        let expected = case.brute_force(&terms);
        // The order of an edge's ends changes the last digits.
        match (found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) => {
                assert!((found.time - expected).abs() < 1e-6, "{round}: {found:?} {expected}");
            }
            (found, expected) => panic!("round {round}: {found:?} instead of {expected:?}"),
        }
        hits += usize::from(found.is_some());
    }
    assert!(hits > 10 && hits < 40, "{hits}");
}

#[test]
fn threads_do_not_matter() {
    let mut rng = Rng::with_seed(8);
    for _ in 0..10 {
        let case = Case::random(&mut rng);
        let (a, b) = (case.mesh(0), case.mesh(1));
        let on = |threads: usize| {
            let pool = rayon_pool(threads);
            pool.install(|| meshes(&a, &b, &Terms::default()).unwrap())
        };
        let single = on(1);
        for _ in 0..20 {
            assert_eq!(on(4), single);
        }
    }
}

fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn ties_go_to_the_first_features() {
    // Two equal spikes fall on one triangle.
    let floor = |_: f64| vec![DVec3::ZERO, DVec3::new(9.0, 0.0, 0.0), DVec3::new(0.0, 0.0, 9.0)];
    let spikes = |height: f64| {
        let mut vertices = Vec::new();
        for x in [1.0, 2.0] {
            vertices.extend([
                DVec3::new(x, height, 1.0),
                DVec3::new(x, height + 3.0, 1.0),
                DVec3::new(x + 0.5, height + 3.0, 1.5),
            ]);
        }
        vertices
    };
    let a = MovingMesh::new(floor(0.0), floor(0.0), vec![[0, 1, 2]]).unwrap();
    let b = MovingMesh::new(spikes(1.0), spikes(-1.0), vec![[3, 4, 5], [0, 1, 2]]).unwrap();
    let touch = meshes(&a, &b, &Terms::default()).unwrap().unwrap();
    assert_eq!(touch.place, Place::FaceVertex { face: 0, vertex: 0 });
}

#[test]
fn bad_meshes_are_refused() {
    let point = vec![DVec3::ZERO; 3];
    assert!(matches!(MovingMesh::new(point.clone(), vec![], vec![]), Err(MovingMeshError::Lengths { .. })));
    let bad = MovingMesh::new(point.clone(), point.clone(), vec![[0, 1, 3]]);
    assert!(matches!(bad, Err(MovingMeshError::Corner { triangle: 0, corner: 3, count: 3 })));
    let bad = MovingMesh::new(point.clone(), vec![DVec3::NAN; 3], vec![]);
    assert!(matches!(bad, Err(MovingMeshError::NotFinite { index: 0, .. })));
    let empty = MovingMesh::new(vec![], vec![], vec![]).unwrap();
    let dot = MovingMesh::new(point.clone(), point, vec![[0, 1, 2]]).unwrap();
    assert_eq!(meshes(&empty, &dot, &Terms::default()).unwrap(), None);
    assert_eq!(meshes(&dot, &dot, &Terms::default()).unwrap().map(|touch| touch.time), Some(0.0));
    let bad_terms = Terms { tolerance: f64::NAN, ..Terms::default() };
    assert!(meshes(&dot, &dot, &bad_terms).is_err());
}
