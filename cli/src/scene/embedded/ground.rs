//! Surfaces of triangles: terrain, hills, links of a chain, and solids taken apart into hulls.

use super::parts::{
    Draft, GOLDEN, Item, SILVER, about_x, about_y, about_z, any_solid, any_turn, ball, capsule, cuboid, cylinder,
    floor, height_field, hull, mesh, spread, stone,
};
use carom::decomposition::{Settings, decompose};
use carom::glam::DVec3;
use carom::shape::TriangleMesh;
use serde_json::Value;
use std::f64::consts::{FRAC_PI_2, TAU};

/// The heights of a bumpy bowl.
fn bowl(x: f64, z: f64) -> f64 {
    0.012 * (x * x + z * z) + 0.45 * (0.9 * x).sin() * (0.8 * z).cos() + 0.2 * (2.1 * x + 1.3 * z).sin()
}

/// Stones roll down a terrain of triangles.
pub(super) fn terrain() -> Value {
    let (cells, spacing) = (48, 0.5);
    let at = |index: usize| (index as f64 - 0.5 * cells as f64) * spacing;
    let corner = |row: usize, column: usize| (row * (cells + 1) + column) as u32;
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for row in 0..=cells {
        for column in 0..=cells {
            vertices.push(DVec3::new(at(column), bowl(at(column), at(row)), at(row)));
            if row < cells && column < cells {
                let [a, b, c, d] = [
                    corner(row, column),
                    corner(row, column + 1),
                    corner(row + 1, column),
                    corner(row + 1, column + 1),
                ];
                triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
    }
    let mut bodies = vec![Item::fixed(mesh(&vertices, &triangles)).named("terrain").friction(0.6)];
    for index in 0..200 {
        let (x, z) = (1.1 * (index % 14) as f64 - 7.1, 1.1 * (index / 14) as f64 - 7.7);
        let body = Item::dynamic(stone(index, 0.35, 20)).turned(any_turn(index)).friction(0.5);
        bodies.push(body.at(x, bowl(x, z) + 2.0 + spread(index, GOLDEN), z));
    }
    let shows = "Stones roll down a bumpy bowl of 4,608 triangles; only the triangles below a stone are looked at.";
    Draft::new("terrain", shows, &["S3", "M5", "N4", "N6"])
        .steps(720, 60.0)
        .seen([11.0, 11.0, 18.0], [0.0, 0.0, 0.0])
        .bodies(bodies)
}

/// All kinds of solids roll down hills.
pub(super) fn hills() -> Value {
    let height = |x: f64, z: f64| -0.18 * z + 0.5 * (0.8 * x).cos() + 0.25 * (0.9 * z + 0.4 * x).sin();
    let ground = Item::fixed(height_field(49, 65, 0.4, height)).named("hills").friction(0.5);
    let mut bodies = vec![ground];
    for index in 0..96 {
        let (x, z) = (1.2 * (index % 12) as f64 - 6.6, -11.0 + 0.9 * (index / 12) as f64);
        let body = Item::dynamic(any_solid(index, 0.3)).turned(any_turn(index)).friction(0.5);
        bodies.push(body.at(x, height(x, z) + 1.2, z));
    }
    // They end in a pen.
    for (y, z) in [(-1.8, 12.8), (3.0, -12.8)] {
        bodies.push(Item::fixed(cuboid(9.8, 1.0, 0.2)).named("fence").at(0.0, y, z));
    }
    for x in [-9.7, 9.7] {
        bodies.push(Item::fixed(cuboid(0.2, 1.0, 13.2)).named("fence").at(x, 0.5, 0.0).turned(about_x(0.178)));
    }
    let shows = "Solids of eight kinds roll down the hills of a height field into a pen.";
    Draft::new("hills", shows, &["S3", "M5", "N6", "R2"])
        .steps(720, 60.0)
        .seen([9.0, 15.5, 26.5], [0.0, 0.0, 1.0])
        .bodies(bodies)
}

/// Flat ground out of many pieces, over which things slide.
pub(super) fn seams() -> Value {
    let mut bodies = Vec::new();
    let lanes: [(f64, &str); 3] = [(-2.0, "of triangles"), (0.0, "of boxes"), (2.0, "in one piece")];
    bodies.push(Item::fixed(height_field(81, 7, 0.25, |_, _| 0.0)).named("of triangles").at(0.0, 0.0, lanes[0].0));
    for tile in 0..40 {
        let body = Item::fixed(cuboid(0.25, 0.25, 0.75)).named(lanes[1].1);
        bodies.push(body.at(0.5 * f64::from(tile) - 9.75, -0.25, lanes[1].0));
    }
    bodies.push(Item::fixed(cuboid(10.0, 0.25, 0.75)).named(lanes[2].1).at(0.0, -0.25, lanes[2].0));
    bodies = bodies.into_iter().map(|body| body.friction(0.12)).collect();
    for (z, _) in lanes {
        let slide =
            |shape: Value, x: f64, y: f64| Item::dynamic(shape).at(x, y, z).moving(5.5, 0.0, 0.0).friction(0.12);
        bodies.push(slide(cuboid(0.3, 0.2, 0.3), -9.0, 0.2));
        bodies.push(slide(cylinder(0.2, 0.3), -8.0, 0.2));
        bodies.push(slide(capsule(0.3, 0.2), -7.0, 0.2).turned(about_z(FRAC_PI_2)));
    }
    let shows = "Boxes, drums and logs slide over a floor of triangles and a floor of boxes as far as over one in one \
        piece: they do not catch on inner edges.";
    Draft::new("seams", shows, &["N6", "R2"]).steps(480, 60.0).seen([-2.0, 7.0, 15.0], [0.0, 0.0, 0.0]).bodies(bodies)
}

/// A ring, closed, whose triangles look outward.
fn ring(radius: f64, tube: f64, around: u32, across: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        let (sine, cosine) = (TAU * f64::from(i) / f64::from(around)).sin_cos();
        for j in 0..across {
            let (tube_sine, tube_cosine) = (TAU * f64::from(j) / f64::from(across)).sin_cos();
            let out = radius + tube * tube_cosine;
            vertices.push(DVec3::new(out * cosine, tube * tube_sine, out * sine));
            let corner = |i: u32, j: u32| (i % around) * across + j % across;
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1)];
            triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    (vertices, triangles)
}

/// Rings of triangles that hang in each other.
pub(super) fn chain() -> Value {
    let (vertices, triangles) = ring(0.5, 0.14, 18, 6);
    let link = mesh(&vertices, &triangles);
    let mut bodies = vec![floor(0.6)];
    for strand in 0..2 {
        let x = 3.0 * f64::from(strand) - 1.5;
        for index in 0..5 {
            // Each stands on edge, across the one above it, and hangs in it with a little room.
            let turn = if index % 2 == 0 { about_x(FRAC_PI_2) } else { about_y(FRAC_PI_2) * about_x(FRAC_PI_2) };
            let body = if index == 0 { Item::fixed(link.clone()) } else { Item::dynamic(link.clone()) };
            let body = body.named(format!("link {}", index + 1)).turned(turn).friction(0.4).with("density", 2000);
            let body =
                body.at(x + if index == 0 { 0.0 } else { 0.01 * f64::from(index) }, 6.0 - 0.69 * f64::from(index), 0.0);
            bodies.push(if strand > 0 && index == 4 { body.moving(3.0 * f64::from(strand), 0.0, 0.0) } else { body });
        }
    }
    let shows =
        "Chains whose links are meshes of 216 triangles hang and swing by the contacts of mesh with mesh alone.";
    Draft::new("chain", shows, &["S3", "M5", "N3", "N2"])
        .steps(480, 60.0)
        .seen([3.0, 5.0, 12.0], [0.0, 4.0, 0.0])
        .bodies(bodies)
}

/// Meshes taken apart into convex hulls: what they are made of lies apart, what is held together falls as one.
pub(super) fn decomposed() -> Value {
    let (vertices, triangles) = ring(0.8, 0.3, 10, 6);
    let parts = pieces(&vertices, &triangles);
    let mut bodies = vec![floor(0.6)];
    // The mesh, its hulls pulled apart in the air, and rings as compounds of all hulls around a peg.
    bodies.push(Item::fixed(mesh(&vertices, &triangles)).named("mesh").at(-3.4, 1.2, 0.0).turned(about_x(0.9)));
    for (index, points) in parts.iter().enumerate() {
        let middle = points.iter().sum::<DVec3>() / points.len() as f64;
        let body = Item::dynamic(hull(points.iter().copied())).named(format!("hull {index}"));
        let turned = about_x(0.9) * (0.35 * middle);
        bodies.push(body.at(turned.x, 2.2 + turned.y, turned.z).turned(about_x(0.9)));
    }
    bodies.push(Item::fixed(cylinder(1.6, 0.2)).named("peg").at(3.6, 1.6, 0.0));
    let whole = super::parts::compound(
        parts.iter().map(|points| (DVec3::ZERO, carom::glam::DQuat::IDENTITY, hull(points.iter().copied()))),
    );
    for index in 0..4 {
        let tilt = about_x(0.25 * (spread(index, SILVER) - 0.5));
        let body = Item::dynamic(whole.clone()).named("ring").turned(tilt);
        bodies.push(body.at(3.6 + 0.1 * spread(index, GOLDEN), 3.9 + 0.9 * index as f64, 0.0));
    }
    bodies.push(Item::dynamic(ball(0.25)).at(-3.4, 4.0, 0.0));
    let shows = "A ring as a mesh, the convex hulls that it is taken apart into, and rings of all these hulls that fall \
        over a peg, so the hole is still there.";
    Draft::new("decomposed", shows, &["S3", "S4"])
        .steps(480, 60.0)
        .seen([1.8, 5.7, 17.0], [-0.4, 1.5, 0.0])
        .bodies(bodies)
}

/// The corners of the hulls of a mesh; none if it cannot be taken apart.
fn pieces(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Vec<Vec<DVec3>> {
    let vertices = vertices.iter().map(|vertex| vertex.as_vec3()).collect();
    let settings = Settings { concavity: 0.2, ..Settings::default() };
    let Ok(mesh) = TriangleMesh::new(vertices, triangles.to_vec()) else { return Vec::new() };
    let parts = decompose(&mesh, &settings).map_or_else(|_| Vec::new(), |parts| parts.hulls);
    parts.iter().map(|hull| hull.vertices().iter().map(|corner| corner.as_dvec3()).collect()).collect()
}
