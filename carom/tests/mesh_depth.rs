//! `query::penetration` of meshes and height fields with all that they can meet. A mesh over the faces of a hull is the same
//! solid as the hull, so its depth must be the hull's; a torus has a closed form for balls; and moved by what is told, the
//! two must be apart, while no bound may promise more. Of open surfaces, balls on a sheet have a closed form.

mod random;

use carom::glam::DMat3;
use carom::prelude::*;
use carom::query::Penetration;
use carom::shape::Part;
use fastrand::Rng;
use random::{between, direction, rotation, rotation_often_aligned};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The faces of a hull as a closed mesh.
fn skin(hull: &Shape) -> Result<Shape, ShapeError> {
    let Shape::Hull(hull) = hull else { return Ok(hull.clone()) };
    let hull = hull.core();
    let mut triangles = Vec::new();
    for face in 0..hull.planes().len() {
        let corners = hull.face_corners(face);
        triangles.extend((1..corners.len() - 1).map(|second| [corners[0], corners[second], corners[second + 1]]));
    }
    Shape::mesh(hull.vertices().to_vec(), triangles)
}

/// A closed tube of radius `tube` around a circle of radius `ring` in the plane of x and z.
fn torus(along: u32, across: u32, ring: f32, tube: f32) -> Result<Shape, ShapeError> {
    let vertex = |index: u32| {
        let part = |index: u32, count: u32| index as f32 / count as f32 * std::f32::consts::TAU;
        let (u, v) = (part(index / across, along), part(index % across, across));
        let out = ring + tube * v.cos();
        Vec3::new(out * u.cos(), tube * v.sin(), out * u.sin())
    };
    let triangles = (0..along * across).flat_map(|index| {
        let (u, v) = (index / across, index % across);
        let at = |u: u32, v: u32| u % along * across + v % across;
        let [a, b, c, d] = [at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)];
        [[a, c, b], [a, d, c]]
    });
    Shape::mesh((0..along * across).map(vertex).collect(), triangles.collect())
}

fn random_hull(random: &mut Rng, count: usize, size: f32) -> Result<Shape, ShapeError> {
    let points: Vec<Vec3> = (0..count).map(|_| direction(random).as_vec3() * size).collect();
    Shape::hull(&points)
}

fn others(random: &mut Rng) -> Result<Vec<(&'static str, Shape)>, ShapeError> {
    Ok(vec![
        ("ball", Shape::sphere(0.6)?),
        ("box", Shape::cuboid(0.5, 0.7, 0.4)?),
        ("rounded box", Shape::cuboid(0.4, 0.3, 0.5)?.rounded(0.1)?),
        ("capsule", Shape::capsule(0.5, 0.3)?),
        ("hull", random_hull(random, 16, 0.7)?),
        ("cylinder", Shape::cylinder(0.5, 0.5)?),
        ("cone", Shape::cone(0.6, 0.5)?),
        ("ellipsoid", Shape::ellipsoid(0.3, 0.5, 0.7)?),
        ("segment", Shape::segment([-0.5, 0.1, 0.0], [0.6, 0.0, 0.2])?),
        ("triangle", Shape::triangle([-0.5, 0.1, 0.0], [0.6, 0.0, 0.2], [0.0, 0.4, -0.5])?),
    ])
}

fn moved(pose: &Pose, by: DVec3) -> Pose {
    Pose::new(pose.position + by, pose.rotation)
}

/// What every answer must keep: bounds in order, and apart after the way out, a hair longer.
fn sound(mesh: &Shape, other: &Shape, pose: &Pose, found: &Penetration, what: &str) -> Outcome {
    assert!(found.lower <= found.depth + 1e-12 && found.depth <= found.upper + 1e-12, "{what}: {found:?}");
    assert!((found.normal.length() - 1.0).abs() < 1e-5, "{what}: {found:?}");
    if found.depth > 0.0 {
        let way = found.normal.as_dvec3().normalize() * (found.depth + 2e-6);
        let gap = query::penetration(mesh, &Pose::IDENTITY, other, &moved(pose, way))?;
        assert!(gap.depth <= 1e-9, "{what}: still {} deep after {way} of {found:?}", gap.depth);
        let across = found.on_a - found.on_b;
        assert!((across.length() - found.depth).abs() < 1e-5, "{what}: the points are {} apart", across.length());
    }
    Ok(())
}

#[test]
fn the_depth_in_the_skin_of_a_hull_is_that_in_the_hull() -> Outcome {
    let mut random = Rng::with_seed(3);
    let (mut worst, mut cases) = (0.0f64, 0);
    for round in 0..30 {
        let hull = match round % 3 {
            0 => random_hull(&mut random, 12, 1.0)?,
            1 => random_hull(&mut random, 40, 1.0)?,
            _ => {
                let corner = |bits: i32| Vec3::new((bits & 1) as f32, (bits >> 1 & 1) as f32, (bits >> 2) as f32) - 0.5;
                Shape::hull(&(0..8).map(|bits| corner(bits) * 1.4).collect::<Vec<_>>())?
            }
        };
        let mesh = skin(&hull)?;
        for (name, other) in others(&mut random)? {
            let away = direction(&mut random) * f64::from(between(&mut random, 0.0, 1.8));
            let pose = Pose::new(away, rotation_often_aligned(&mut random));
            let expected = query::penetration(&hull, &Pose::IDENTITY, &other, &pose)?;
            let found = query::penetration(&mesh, &Pose::IDENTITY, &other, &pose)?;
            let what = format!("round {round}, {name}");
            sound(&mesh, &other, &pose, &found, &what)?;
            // Never shorter, which no way out can be, nor longer; and bounds hold.
            assert!(found.depth >= expected.lower - 1e-5, "{what}: {} for {}", found.depth, expected.depth);
            assert!(found.lower <= expected.upper + 1e-5, "{what}: {} for {}", found.lower, expected.depth);
            if expected.depth <= 0.0 {
                assert!((found.depth - expected.depth).abs() < 1e-5, "{what}: {} for {}", found.depth, expected.depth);
            }
            let excess = found.depth - expected.depth;
            worst = worst.max(excess);
            assert!(excess <= 1e-5, "{what}: {} for {}", found.depth, expected.depth);
            cases += 1;
            let mirrored = query::penetration(&other, &pose, &mesh, &Pose::IDENTITY)?;
            assert!((mirrored.depth - found.depth).abs() < 1e-6, "{what}: {mirrored:?} for {found:?}");
        }
    }
    println!("{cases} ways out, at most longer by {worst} than the hull's");
    Ok(())
}

/// The same of two skins.
#[test]
fn the_depth_of_two_skins_is_that_of_the_hulls() -> Outcome {
    let mut random = Rng::with_seed(13);
    let mut worst = 0.0f64;
    for round in 0..60 {
        let hulls = [random_hull(&mut random, 12, 1.0)?, random_hull(&mut random, 24, [1.0, 0.3][round % 2])?];
        let [a, b] = [skin(&hulls[0])?, skin(&hulls[1])?];
        let away = direction(&mut random) * f64::from(between(&mut random, 0.0, 1.6));
        let pose = Pose::new(away, rotation_often_aligned(&mut random));
        let expected = query::penetration(&hulls[0], &Pose::IDENTITY, &hulls[1], &pose)?;
        let found = query::penetration(&a, &Pose::IDENTITY, &b, &pose)?;
        assert!(found.lower <= expected.depth + 1e-6, "round {round}: {found:?} for {expected:?}");
        let off = (found.depth - expected.depth).abs();
        worst = worst.max(off);
        assert!(off < 1e-4, "round {round}: {found:?} for {expected:?}");
    }
    println!("off by {worst} at the most");
    Ok(())
}

/// A ball whose middle is at a height over a large sheet is the radius less the height deep, on either side; and every pair
/// of an open surface has an answer that frees.
#[test]
fn open_surfaces_are_freed_on_either_side() -> Outcome {
    let mut random = Rng::with_seed(14);
    let sheet = Shape::mesh(
        vec![
            Vec3::new(-9.0, 0.0, -9.0),
            Vec3::new(-9.0, 0.0, 9.0),
            Vec3::new(9.0, 0.0, 9.0),
            Vec3::new(9.0, 0.0, -9.0),
        ],
        vec![[0, 1, 2], [0, 2, 3]],
    )?;
    let field = Shape::height_field(19, 19, vec![0.0; 361], [1.0, 1.0])?;
    for surface in [&sheet, &field] {
        for _ in 0..60 {
            let (radius, height) = (between(&mut random, 0.2, 1.0), between(&mut random, -1.5, 1.5));
            let place = Vec3::new(between(&mut random, -3.0, 3.0), height, between(&mut random, -3.0, 3.0));
            let pose = Pose::new(place.as_dvec3(), rotation(&mut random));
            let ball = Shape::sphere(radius)?;
            let found = query::penetration(surface, &Pose::IDENTITY, &ball, &pose)?;
            let expected = f64::from(radius) - f64::from(height.abs());
            assert!((found.depth - expected).abs() < 1e-6, "{found:?} for {expected}");
            assert!((found.lower - expected).abs() < 1e-6, "{found:?} for {expected}");
            assert!(found.normal.distance(Vec3::Y * height.signum()) < 1e-3, "{found:?} at {height}");
        }
        // A box lies askew: the least of both sides, by its corners.
        for _ in 0..60 {
            let half = Vec3::new(0.5, 0.7, 0.4);
            let pose = Pose::new(DVec3::Y * f64::from(between(&mut random, -0.6, 0.6)), rotation(&mut random));
            let turn = DMat3::from_quat(pose.rotation.as_dquat().normalize());
            let reach = turn.row(1).abs().dot(half.as_dvec3());
            let expected = reach - pose.position.y.abs();
            let found = query::penetration(surface, &Pose::IDENTITY, &Shape::cuboid(half.x, half.y, half.z)?, &pose)?;
            assert!((found.depth - expected).abs() < 1e-5, "{found:?} for {expected}");
        }
    }
    let hull = random_hull(&mut random, 20, 1.0)?;
    let mut others = others(&mut random)?;
    others.push(("closed mesh", skin(&hull)?));
    others.push(("sheet", Shape::mesh(vec![-Vec3::X, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?));
    let heights = (0..25).map(|_| between(&mut random, -0.3, 0.3)).collect();
    others.push(("rough field", Shape::height_field(5, 5, heights, [0.4, 0.4])?));
    for surface in [&sheet, &field, &others[others.len() - 1].1.clone(), &others[others.len() - 2].1.clone()] {
        for (name, other) in &others {
            for _ in 0..6 {
                let pose = Pose::new(direction(&mut random) * 0.3, rotation(&mut random));
                let found = query::penetration(surface, &Pose::IDENTITY, other, &pose)?;
                let apart = query::distance(surface, &Pose::IDENTITY, other, &pose)?;
                assert!((apart.value() - (-found.depth).max(0.0)).abs() < 1e-6, "{name}: {found:?}, {apart:?}");
                if found.depth > 0.0 {
                    let way = found.normal.as_dvec3().normalize() * (found.depth + 1e-5);
                    let after = query::distance(surface, &Pose::IDENTITY, other, &moved(&pose, way))?;
                    assert!(after.value() > 0.0, "{name}: {after:?} after {found:?}");
                }
                // Two surfaces have one of several ways out, which need not be the shortest.
                let mirrored = query::penetration(other, &pose, surface, &Pose::IDENTITY)?;
                let is_same = (mirrored.depth - found.depth).abs() < 1e-6;
                let are_surfaces = matches!(other, Shape::Mesh(_) | Shape::HeightField(_));
                assert!(is_same || are_surfaces && found.depth > 0.0, "{name}: {mirrored:?} for {found:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn balls_in_a_torus_are_as_deep_as_the_tube_says() -> Outcome {
    let torus = torus(96, 48, 1.0, 0.4)?;
    let mut random = Rng::with_seed(5);
    let mut last: Option<(f64, f64)> = None;
    for case in 0..200 {
        // Around a place of the circle in the middle of the tube.
        let angle = f64::from(between(&mut random, 0.0, 6.25));
        let offset = f64::from(between(&mut random, 0.02, 0.7));
        let lean = f64::from(between(&mut random, -1.2, 1.2));
        let out = DVec3::new(angle.cos(), 0.0, angle.sin());
        let center = out + offset * (lean.cos() * out + lean.sin() * DVec3::Y);
        let radius = between(&mut random, 0.05, 0.4);
        let ball = Shape::sphere(radius)?;
        let pose = Pose::new(center, rotation(&mut random));
        let found = query::penetration(&torus, &Pose::IDENTITY, &ball, &pose)?;
        let expected = 0.4 + f64::from(radius) - offset;
        sound(&torus, &ball, &pose, &found, &format!("case {case}"))?;
        assert!((found.depth - expected).abs() < 4e-3, "case {case}: {} for {expected}", found.depth);
        assert!((found.lower - expected).abs() < 4e-3 && found.lower <= found.depth, "case {case}: {found:?}");
    }
    // Continuous through contact.
    for step in 0..400 {
        let offset = 0.5 + 0.001 * f64::from(step);
        let found =
            query::penetration(&torus, &Pose::IDENTITY, &Shape::sphere(0.3)?, &Pose::at([1.0 + offset, 0.01, 0.02]))?;
        if let Some((before, depth)) = last {
            assert!(((found.depth - depth) + (offset - before)).abs() < 1e-6 + 1e-5, "at {offset}: {}", found.depth);
        }
        last = Some((offset, found.depth));
    }
    Ok(())
}

#[test]
fn half_spaces_and_compounds() -> Outcome {
    let mut random = Rng::with_seed(6);
    let hull = random_hull(&mut random, 20, 1.0)?;
    let mesh = skin(&hull)?;
    let floor = Shape::half_space([0.3, 1.0, -0.2])?;
    let field = Shape::height_field(3, 3, vec![0.0, 0.1, 0.0, 0.2, 0.5, 0.1, 0.0, 0.0, 0.3], [0.5, 0.5])?;
    for _ in 0..200 {
        let pose = Pose::new(direction(&mut random) * 1.5, rotation(&mut random));
        let other = Pose::new(direction(&mut random), rotation(&mut random));
        let expected = query::penetration(&hull, &pose, &floor, &other)?;
        let found = query::penetration(&mesh, &pose, &floor, &other)?;
        assert!((found.depth - expected.depth).abs() < 1e-6, "{found:?} for {expected:?}");
        assert!(found.normal.distance(expected.normal) < 1e-5 && found.on_a.distance(expected.on_a) < 1e-5);
        let mirrored = query::penetration(&floor, &other, &mesh, &pose)?;
        assert!((mirrored.depth - expected.depth).abs() < 1e-6 && mirrored.normal.distance(-expected.normal) < 1e-5);
        let of_field = query::penetration(&field, &pose, &floor, &other)?;
        let apart = query::distance(&field, &pose, &floor, &other)?;
        assert_eq!(of_field.depth > 0.0, apart.value() == 0.0, "{of_field:?}, {apart:?}");
        // Two parts: the deeper counts.
        let parts = vec![
            Part { pose: LocalPose::at([-0.6, 0.0, 0.0]), shape: Shape::sphere(0.4)? },
            Part { pose: LocalPose::at([0.6, 0.0, 0.0]), shape: Shape::sphere(0.4)? },
        ];
        let pair = Shape::compound(parts)?;
        let of_hull = query::penetration(&hull, &pose, &pair, &other)?;
        let of_mesh = query::penetration(&mesh, &pose, &pair, &other)?;
        assert!((of_mesh.depth - of_hull.depth).abs() < 1e-3, "{of_mesh:?} for {of_hull:?}");
    }
    Ok(())
}

#[test]
fn odd_sizes_and_places_are_answered() -> Outcome {
    let mut random = Rng::with_seed(9);
    let corner = |bits: i32| Vec3::new((bits & 1) as f32, (bits >> 1 & 1) as f32, (bits >> 2) as f32) - 0.5;
    let cube = skin(&Shape::hull(&(0..8).map(|bits| corner(bits) * 2.0).collect::<Vec<_>>())?)?;
    // At the middle, on the surface, a point, far away, tiny and huge, and all of it far from the origin.
    for (other, at, depth) in [
        (Shape::sphere(0.5)?, DVec3::ZERO, 1.5),
        (Shape::sphere(0.5)?, DVec3::X, 0.5),
        (Shape::point(), DVec3::new(0.75, 0.0, 0.0), 0.25),
        (Shape::sphere(0.5)?, DVec3::X * 1e6, -1e6 + 1.5),
        (Shape::sphere(1e-4)?, DVec3::new(0.9, 0.0, 0.0), 0.1001),
        (Shape::cuboid(1e4, 1e4, 1e4)?, DVec3::new(1e4, 0.0, 0.0), 1.0),
        (Shape::cuboid(1.0, 1.0, 1.0)?, DVec3::ZERO, 2.0),
    ] {
        for far in [DVec3::ZERO, DVec3::new(1e6, -2e6, 3e6)] {
            let (first, second) = (Pose::new(far, Quat::IDENTITY), Pose::new(far + at, Quat::IDENTITY));
            let found = query::penetration(&cube, &first, &other, &second)?;
            assert!((found.depth - depth).abs() < 1e-5 * depth.abs().max(1.0), "{other:?} at {at}: {found:?}");
        }
        let turned = Pose::new(DVec3::ZERO, rotation(&mut random));
        let place = Pose::new(turned.rotation.as_dquat().normalize() * at, turned.rotation);
        let found = query::penetration(&cube, &turned, &other, &place)?;
        assert!((found.depth - depth).abs() < 1e-5 * depth.abs().max(1.0), "{other:?} at {at}: {found:?}");
    }
    Ok(())
}
