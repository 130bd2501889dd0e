//! Contacts with meshes and height fields against every triangle one by one: nothing is missed, nothing made up, points
//! lie on both surfaces, balls are exactly as deep as the nearest triangle says.

mod contact_shapes;
mod meshes;
mod random;

use carom::distance::point_to_face;
use carom::narrow::{ContactBuffer, ContactError, PartManifold, contacts};
use carom::prelude::*;
use carom::shape::{HeightField, Part, TriangleMesh};
use contact_shapes::{KINDS, shape};
use fastrand::Rng;
use meshes::{NAMES, box_mesh, read};
use random::{between, rotation, vector};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn hills(random: &mut Rng) -> HeightField {
    let heights = (0..31 * 31).map(|index| {
        let (x, z) = ((index % 31) as f32, (index / 31) as f32);
        (0.4 * x).sin() * (0.3 * z).cos() + between(random, -0.1, 0.1)
    });
    HeightField::new(31, 31, heights.collect(), [0.5, 0.5]).expect("sound heights")
}

/// Surfaces with all of their triangles.
fn surfaces() -> Vec<(String, Shape, Vec<[Vec3; 3]>)> {
    let mut random = Rng::with_seed(4);
    let hills = hills(&mut random);
    let corners = (0..hills.triangle_count()).map(|index| hills.corners(index)).collect();
    let mut all = vec![("hills".to_owned(), Shape::from(hills), corners)];
    let (vertices, triangles) = box_mesh(Vec3::new(3.0, 1.0, 2.0), Vec3::ZERO);
    let crate_mesh = TriangleMesh::new(vertices, triangles).expect("a box");
    let read = NAMES.into_iter().filter_map(|name| read(name).map(|mesh| (name, mesh)));
    for (name, mesh) in std::iter::once(("box", crate_mesh)).chain(read) {
        let corners = (0..mesh.triangles().len()).map(|index| mesh.corners(index)).collect();
        all.push((name.to_owned(), Shape::from(mesh), corners));
    }
    all
}

fn deepest(patches: &[PartManifold]) -> f32 {
    let points = patches.iter().flat_map(|patch| patch.manifold.contacts());
    points.map(|contact| contact.depth).fold(f32::NEG_INFINITY, f32::max)
}

/// The point of all triangles that is nearest.
fn nearest(triangles: &[[Vec3; 3]], point: Vec3) -> (f32, Vec3) {
    let closest = triangles.iter().map(|&corners| {
        let closest = point_to_face(point, corners).expect("finite");
        (closest.distance, closest.on_b)
    });
    closest.fold((f32::INFINITY, Vec3::ZERO), |best, found| if found.0 < best.0 { found } else { best })
}

#[test]
fn a_ball_is_as_deep_as_its_nearest_triangle_says() -> Outcome {
    let mut random = Rng::with_seed(5);
    let mut buffer = ContactBuffer::new();
    for (name, surface, triangles) in surfaces() {
        let (mut touching, mut inside, mut missed) = (0, 0, 0);
        let extent = triangles.iter().flatten().fold(Vec3::ZERO, |most, corner| most.max(corner.abs()));
        for _ in 0..400 {
            let [a, b, c] = triangles[random.usize(0..triangles.len())];
            let (u, v) = (random.f32(), random.f32());
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let radius = extent.max_element() * 10f32.powf(between(&mut random, -3.0, -1.0));
            let place = a + (b - a) * u + (c - a) * v + vector(&mut random, 1.0) * radius;
            let margin = if random.bool() { 0.0 } else { 0.3 * radius };
            let (distance, on_surface) = nearest(&triangles, place);
            let is_inside = match &surface {
                Shape::Mesh(mesh) => carom::query::mesh::contains(mesh, &Pose::IDENTITY, place.as_dvec3())?,
                // Below the field; beside it is outside.
                _ if place.x.abs().max(place.z.abs()) > 7.4 => continue,
                _ => (place - on_surface).y < 0.0,
            };
            contacts(&surface, &Shape::sphere(radius)?, &LocalPose::at(place), margin, &mut buffer)?;
            let slack = 1e-5 * extent.max_element();
            if is_inside {
                inside += 1;
                assert!(!buffer.manifolds().is_empty(), "{name}: a middle inside at {place} is not found");
                assert!(deepest(buffer.manifolds()) > radius - slack, "{name}: {place}");
                continue;
            }
            if distance > radius + margin + slack {
                assert!(buffer.manifolds().is_empty(), "{name}: {distance} {radius} {:?}", buffer.manifolds());
            } else if distance < radius + margin - slack {
                touching += 1;
                if buffer.manifolds().is_empty() {
                    println!("{name}: {place} {radius} {distance} is missed");
                    missed += 1;
                    continue;
                }
                let depth = deepest(buffer.manifolds());
                assert!((depth - (radius - distance)).abs() < slack, "{name}: {depth} for {}", radius - distance);
                let first = &buffer.manifolds()[0].manifold;
                let expected = (place - on_surface) / distance;
                if distance > 0.05 * radius {
                    let off = first.normal.angle_between(expected).to_degrees();
                    // Of two places that are as near either will do.
                    let twin = nearest(&triangles, place - first.normal * distance).0;
                    assert!(off < 1.0 || twin < 0.02 * radius + slack, "{name}: {off} degrees off at {place}");
                }
            }
        }
        println!("{name}: {touching} of 400 touch, {inside} inside, {missed} missed");
        assert_eq!(missed, 0, "{name}");
        assert!(touching > 40, "{name}: {touching}");
    }
    Ok(())
}

#[test]
fn nothing_is_missed_and_points_lie_on_both_surfaces() -> Outcome {
    let mut random = Rng::with_seed(6);
    let mut buffer = ContactBuffer::new();
    for (name, surface, triangles) in surfaces() {
        let extent = triangles.iter().flatten().fold(Vec3::ZERO, |most, corner| most.max(corner.abs())).max_element();
        let (mut touching, mut worst, mut points, mut off_points) = (0, 0.0f32, 0, 0);
        for case in 0..130 {
            let [a, b, c] = triangles[random.usize(0..triangles.len())];
            let size = extent * 10f32.powf(between(&mut random, -2.0, -0.7));
            let kind = if case % 2 == 0 { [4, 10][case / 2 % 2] } else { 3 + random.usize(0..KINDS - 4) };
            let body = shape(&mut random, kind, size);
            let pose = LocalPose::new((a + b + c) / 3.0 + vector(&mut random, 1.2) * size, rotation(&mut random));
            contacts(&surface, &body, &pose, 0.0, &mut buffer)?;
            let placed = Pose::new(pose.position.as_dvec3(), pose.rotation);
            let mut least = f64::INFINITY;
            for &[a, b, c] in &triangles {
                let bounds = a
                    .min(b)
                    .min(c)
                    .max(pose.position - 2.0 * size)
                    .cmple(a.max(b).max(c).min(pose.position + 2.0 * size));
                if bounds.all() {
                    let triangle = Shape::triangle(a, b, c)?;
                    least = least.min(-query::penetration(&triangle, &Pose::IDENTITY, &body, &placed)?.depth);
                }
            }
            let is_solid = match &surface {
                Shape::Mesh(mesh) => mesh.is_closed(),
                _ => true,
            };
            if least > 1e-4 * f64::from(size) {
                // A solid pushes out what is wholly inside, too.
                assert!(is_solid || buffer.manifolds().is_empty(), "{name} {kind}: {least} {:?}", buffer.manifolds());
            } else if least < -0.02 * f64::from(size) {
                touching += 1;
                assert!(!buffer.manifolds().is_empty(), "{name}: kind {kind} of {size} at {pose:?}, {least} deep");
            }
            // What has its middle inside is pushed by a plane, not by the triangles.
            let is_inside = match &surface {
                Shape::Mesh(mesh) => carom::query::mesh::contains(mesh, &Pose::IDENTITY, placed.position)?,
                _ => nearest(&triangles, pose.position).1.y > pose.position.y,
            };
            for patch in buffer.manifolds() {
                let normal = patch.manifold.normal;
                assert!((normal.length() - 1.0).abs() < 1e-5);
                for contact in patch.manifold.contacts() {
                    assert!(contact.point.is_finite() && contact.depth >= 0.0, "{contact:?}");
                    if is_inside || contact.depth > 0.3 * size {
                        continue;
                    }
                    let on_mesh = contact.point + normal * (0.5 * contact.depth);
                    let on_body = contact.point - normal * (0.5 * contact.depth);
                    let room = 3e-3 * size + 0.1 * contact.depth;
                    let off_mesh = nearest(&triangles, on_mesh).0;
                    let off_body = query::project_point(&body, &placed, on_body.as_dvec3())?.distance.abs() as f32;
                    points += 1;
                    if off_mesh.max(off_body) > room {
                        off_points += 1;
                        println!(
                            "{name}: kind {kind} of {size}: {off_mesh} off the mesh, {off_body} off the body, {contact:?}"
                        );
                    } else {
                        worst = worst.max(off_mesh.max(off_body) / size);
                    }
                }
            }
        }
        println!(
            "{name}: {touching} of 130 deep, {off_points} of {points} points off, the others by {worst} of the size"
        );
        assert!(off_points == 0, "{name}: {off_points} of {points} points are off a surface");
        assert!(touching > 20, "{name}: {touching}");
    }
    Ok(())
}

/// A box or a hull lies on one side of a roof, a little inside, and reaches out over the ridge. The other side, behind
/// which its middle may be, must not pull it in; whichever way the triangles face.
#[test]
fn what_reaches_over_a_ridge_is_pushed_off_its_own_side() -> Outcome {
    let mut random = Rng::with_seed(15);
    let mut buffer = ContactBuffer::new();
    let pyramid = Shape::hull(&[Vec3::Y, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z])?;
    let mut behind = 0;
    for case in 0..2_000 {
        let (left, right) = (between(&mut random, 0.1, 0.9), between(&mut random, 0.1, 0.9));
        let foot = |angle: f32, side: f32, z: f32| Vec3::new(side * 6.0 * angle.cos(), -6.0 * angle.sin(), z);
        let ridge = [Vec3::new(0.0, 0.0, -6.0), Vec3::new(0.0, 0.0, 6.0)];
        let vertices = vec![
            ridge[0],
            ridge[1],
            foot(left, -1.0, -6.0),
            foot(left, -1.0, 6.0),
            foot(right, 1.0, -6.0),
            foot(right, 1.0, 6.0),
        ];
        let mut triangles = vec![[0, 2, 1], [2, 3, 1], [0, 1, 4], [4, 1, 5]];
        if case % 2 == 0 {
            triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let roof = Shape::mesh(vertices, triangles)?;
        let (shape, below) = match case % 3 {
            0 => (pyramid.clone(), 0.0),
            _ => (Shape::cuboid(0.6, 0.2, 0.5)?, 0.2),
        };
        let slope = Quat::from_rotation_z(left);
        let (away, depth) = (between(&mut random, 0.02, 0.5), between(&mut random, 1e-3, 0.02));
        let outward = slope * Vec3::Y;
        let along = between(&mut random, -2.0, 2.0);
        let position = slope * Vec3::new(-away, below - depth, along);
        let tilt = Quat::from_rotation_x(between(&mut random, -2e-3, 2e-3));
        let rotation = slope * tilt * Quat::from_rotation_y(between(&mut random, 0.0, 6.0));
        contacts(&roof, &shape, &LocalPose::new(position, rotation), 0.0, &mut buffer)?;
        assert!(!buffer.manifolds().is_empty(), "case {case}: {depth} deep and nothing is found");
        behind += usize::from((Quat::from_rotation_z(-right) * Vec3::Y).dot(position) < 0.0);
        for patch in buffer.manifolds() {
            let normal = patch.manifold.normal;
            assert!(normal.dot(outward) > 0.0, "case {case}: {normal} leads into the roof, whose side is {outward}");
        }
        let found = deepest(buffer.manifolds());
        assert!((depth - 2e-3..depth + 6e-3).contains(&found), "case {case}: {found} deep instead of {depth}");
    }
    assert!(behind > 200, "{behind}");
    Ok(())
}

fn cube_mesh(half: f32) -> Result<Shape, ShapeError> {
    let (vertices, triangles) = box_mesh(Vec3::splat(half), Vec3::ZERO);
    Shape::mesh(vertices, triangles)
}

#[test]
fn closed_meshes_push_apart_by_the_depth_of_the_solids() -> Outcome {
    let (large, small) = (cube_mesh(2.0)?, cube_mesh(0.5)?);
    let mut buffer = ContactBuffer::new();
    for (height, depth) in [(2.45, 0.05), (2.3, 0.2), (2.0, 0.5), (1.4, 1.1)] {
        contacts(&large, &small, &LocalPose::at([0.3, height, -0.2]), 0.0, &mut buffer)?;
        let [patch] = buffer.manifolds() else { return Err(format!("{height}: {:?}", buffer.manifolds()).into()) };
        assert!(patch.manifold.normal.angle_between(Vec3::Y) < 1e-3, "{patch:?}");
        assert!((deepest(buffer.manifolds()) - depth).abs() < 1e-5, "{height}: {patch:?}");
        assert_eq!(patch.manifold.contacts().len(), 4);
        let asked = query::penetration(&large, &Pose::IDENTITY, &small, &Pose::at([0.3, f64::from(height), -0.2]))?;
        assert!((asked.depth - f64::from(depth)).abs() < 1e-5, "{asked:?}");
        // The mirror pair.
        contacts(&small, &large, &LocalPose::at([-0.3, -height, 0.2]), 0.0, &mut buffer)?;
        assert!(buffer.manifolds()[0].manifold.normal.angle_between(-Vec3::Y) < 1e-3);
        assert!((deepest(buffer.manifolds()) - depth).abs() < 1e-5);
    }
    contacts(&large, &small, &LocalPose::at([0.0, 2.55, 0.0]), 0.0, &mut buffer)?;
    assert!(buffer.manifolds().is_empty());
    contacts(&large, &small, &LocalPose::at([0.0, 2.55, 0.0]), 0.1, &mut buffer)?;
    assert!((deepest(buffer.manifolds()) + 0.05).abs() < 1e-5, "{:?}", buffer.manifolds());
    Ok(())
}

#[test]
fn open_meshes_touch_where_their_surfaces_cross() -> Outcome {
    let sheet = Shape::mesh(
        vec![
            Vec3::new(-5.0, 0.0, -5.0),
            Vec3::new(-5.0, 0.0, 5.0),
            Vec3::new(5.0, 0.0, 5.0),
            Vec3::new(5.0, 0.0, -5.0),
        ],
        vec![[0, 1, 2], [0, 2, 3]],
    )?;
    let field = Shape::height_field(11, 11, vec![0.0; 121], [1.0, 1.0])?;
    let cube = cube_mesh(0.5)?;
    let mut buffer = ContactBuffer::new();
    for floor in [&sheet, &field] {
        contacts(floor, &cube, &LocalPose::at([0.3, 0.48, 0.2]), 0.0, &mut buffer)?;
        assert!((deepest(buffer.manifolds()) - 0.02).abs() < 1e-4, "{:?}", buffer.manifolds());
        assert!(buffer.manifolds().iter().all(|patch| patch.manifold.normal.angle_between(Vec3::Y) < 0.02));
        contacts(&cube, floor, &LocalPose::at([-0.3, -0.48, -0.2]), 0.0, &mut buffer)?;
        assert!((deepest(buffer.manifolds()) - 0.02).abs() < 1e-4, "{:?}", buffer.manifolds());
        assert!(buffer.manifolds().iter().all(|patch| patch.manifold.normal.angle_between(-Vec3::Y) < 0.02));
        contacts(floor, &cube, &LocalPose::at([0.3, 0.51, 0.2]), 0.0, &mut buffer)?;
        assert!(buffer.manifolds().is_empty());
    }
    Ok(())
}

#[test]
fn half_spaces_and_compounds_meet_surfaces() -> Outcome {
    let mut buffer = ContactBuffer::new();
    let (plane, cube) = (Shape::half_space(Vec3::Y)?, cube_mesh(0.5)?);
    contacts(&plane, &cube, &LocalPose::at([7.0, 0.4, 0.0]), 0.0, &mut buffer)?;
    let [patch] = buffer.manifolds() else { return Err("one patch".into()) };
    assert_eq!((patch.manifold.normal, patch.manifold.contacts().len()), (Vec3::Y, 4));
    assert!((deepest(buffer.manifolds()) - 0.1).abs() < 1e-6);
    contacts(&cube, &plane, &LocalPose::at([7.0, -0.4, 0.0]), 0.0, &mut buffer)?;
    assert_eq!(buffer.manifolds()[0].manifold.normal, -Vec3::Y);
    let legs = [-1.0f32, 1.0].map(|x| Part { pose: LocalPose::at([x, -0.5, 0.0]), shape: cube.clone() });
    let table = Shape::compound(legs.into_iter().collect())?;
    let floor = Shape::height_field(9, 9, vec![0.0; 81], [1.0, 1.0])?;
    contacts(&floor, &table, &LocalPose::at([0.2, 0.99, 0.1]), 0.0, &mut buffer)?;
    let children: Vec<u32> = buffer.manifolds().iter().map(|patch| patch.parts[1].child).collect();
    assert_eq!(children, [0, 1]);
    assert!((deepest(buffer.manifolds()) - 0.01).abs() < 1e-4);
    contacts(&plane, &table, &LocalPose::at([0.2, 0.99, 0.1]), 0.0, &mut buffer)?;
    assert_eq!(buffer.manifolds().len(), 2);
    Ok(())
}

#[test]
fn unsound_input_is_refused_and_leaves_the_buffer_empty() -> Outcome {
    let mut buffer = ContactBuffer::new();
    let (floor, ball) = (Shape::height_field(9, 9, vec![0.0; 81], [1.0, 1.0])?, Shape::sphere(1.0)?);
    contacts(&floor, &ball, &LocalPose::at([0.0, 0.5, 0.0]), 0.0, &mut buffer)?;
    assert!(!buffer.manifolds().is_empty());
    let nan = LocalPose::at([0.0, f32::NAN, 0.0]);
    assert!(matches!(contacts(&floor, &ball, &nan, 0.0, &mut buffer), Err(ContactError::Pose(_))));
    assert!(buffer.manifolds().is_empty());
    assert!(matches!(
        contacts(&floor, &ball, &LocalPose::IDENTITY, -1.0, &mut buffer),
        Err(ContactError::Margin { .. })
    ));
    let plane = Shape::half_space(Vec3::Y)?;
    assert!(matches!(contacts(&plane, &plane, &LocalPose::IDENTITY, 0.0, &mut buffer), Err(ContactError::NoTest(_))));
    // Huge next to tiny, and far away.
    let wide = Shape::mesh(
        vec![
            Vec3::new(-1e6, 0.0, -1e6),
            Vec3::new(-1e6, 0.0, 1e6),
            Vec3::new(1e6, 0.0, 1e6),
            Vec3::new(1e6, 0.0, -1e6),
        ],
        vec![[0, 1, 2], [0, 2, 3]],
    )?;
    for shape in [Shape::sphere(1e-2)?, Shape::cuboid(1e-2, 1e-2, 1e-2)?] {
        contacts(&wide, &shape, &LocalPose::at([3.0, 9e-3, 5.0]), 0.0, &mut buffer)?;
        assert!((deepest(buffer.manifolds()) - 1e-3).abs() < 1e-7, "{:?}", buffer.manifolds());
        contacts(&wide, &shape, &LocalPose::at([1e6, 2e6, 1e6]), 0.0, &mut buffer)?;
        assert!(buffer.manifolds().is_empty());
    }
    Ok(())
}

#[test]
fn what_falls_on_hills_comes_to_rest_on_them() -> Outcome {
    let mut random = Rng::with_seed(9);
    let bowl = |x: f32, z: f32| 0.05 * (x * x + z * z);
    let heights: Vec<f32> = (0..21 * 21).map(|i| bowl((i % 21) as f32 - 10.0, (i / 21) as f32 - 10.0)).collect();
    let field = HeightField::new(21, 21, heights, [1.0, 1.0])?;
    let triangles: Vec<[u32; 3]> = (0..field.triangle_count() as u32)
        .map(|index| {
            let (cell, cells) = (index / 2, 20);
            let a = cell / cells * 21 + cell % cells;
            if index % 2 == 0 { [a, a + 21, a + 22] } else { [a, a + 22, a + 1] }
        })
        .collect();
    let mesh = Shape::mesh((0..21 * 21).map(|index| field.vertex(index)).collect(), triangles)?;
    for floor in [mesh, Shape::from(field)] {
        let mut world = World::default();
        world.add(Body::fixed().shape(floor))?;
        let mut ids = Vec::new();
        for kind in [3, 4, 5, 6, 7, 10] {
            let body = shape(&mut random, kind, 0.8);
            let at = Vec3::new(between(&mut random, -3.0, 3.0), 4.0 + kind as f32, between(&mut random, -3.0, 3.0));
            let body = Body::dynamic().at(at.as_dvec3()).rotated(rotation(&mut random)).shape(body).friction(1.0);
            ids.push(world.add(body.linear_damping(0.3).angular_damping(1.0))?);
        }
        let cube = Body::dynamic().at([0.5, 2.5, 0.3]).shape(cube_mesh(0.4)?).friction(1.0);
        ids.push(world.add(cube.linear_damping(0.3).angular_damping(1.0))?);
        for _ in 0..500 {
            let step = world.step(1.0 / 60.0)?;
            assert!(step.faults.is_empty());
        }
        for id in ids {
            let body = world.body(id)?;
            let place = body.position();
            assert!(place.y > f64::from(bowl(place.x as f32, place.z as f32)) - 0.05, "{place} is under the floor");
            assert!(place.y < 6.0 && body.velocity().length() < 1.0, "{place} {}", body.velocity());
        }
    }
    Ok(())
}

#[test]
fn a_box_at_rest_on_triangles_keeps_its_names() -> Outcome {
    let side = 9u32;
    let vertices =
        (0..side * side).map(|index| Vec3::new((index % side) as f32 - 4.0, 0.0, (index / side) as f32 - 4.0));
    let cells = (0..(side - 1) * (side - 1)).map(|cell| cell / (side - 1) * side + cell % (side - 1));
    let triangles = cells.flat_map(|a| [[a, a + side, a + side + 1], [a, a + side + 1, a + 1]]).collect();
    let floors = [Shape::mesh(vertices.collect(), triangles)?, Shape::height_field(9, 9, vec![0.0; 81], [1.0, 1.0])?];
    for floor in floors {
        let mut world = World::builder().sleeping(false).build()?;
        world.add(Body::fixed().shape(floor))?;
        world.add(Body::dynamic().at([0.13, 0.797, 0.21]).shape(Shape::cuboid(1.1, 0.8, 0.7)?))?;
        let names = |world: &World| -> Vec<_> {
            let contacts = world.manifolds().flat_map(|manifold| manifold.contacts());
            contacts.map(|contact| contact.features).collect()
        };
        for _ in 0..60 {
            world.step(1.0 / 60.0)?;
        }
        let first = names(&world);
        assert_eq!(first.len(), 4, "{first:?}");
        for frame in 0..1000 {
            world.step(1.0 / 60.0)?;
            assert_eq!(names(&world), first, "frame {frame}");
        }
    }
    Ok(())
}
