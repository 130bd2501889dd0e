//! Draws a world as an SVG: solids in the order in which they hide each other, shaded by one light, with soft shadows on
//! the ground and on fixed boxes.

mod camera;
mod colour;
mod order;
mod outline;
mod solid;
mod svg;

use camera::Camera;
use carom::body::BodyKind;
use carom::glam::DVec3;
use carom::shape::Shape;
use carom::world::World;
use colour::Colour;
use solid::Solid;

/// Towards the light: high, and from the viewer's left.
const TO_LIGHT: DVec3 = DVec3::new(-0.38, 0.86, 0.34);

/// How many times farther from the middle than usual something must be to be left out of the frame.
const ASTRAY: f64 = 5.0;

/// A plane that fills the background: the surface of a half-space.
#[derive(Debug, Clone, Copy)]
struct Ground {
    point: DVec3,
    normal: DVec3,
}

/// The world as it is now; `paths` are where its bodies have been, in the order of the bodies, or nothing. It is seen from
/// where `to_eye` points, if that is said.
pub(crate) fn picture(world: &World, paths: &[Vec<DVec3>], to_eye: Option<DVec3>, title: &str) -> String {
    picture_coloured(world, paths, to_eye, title, |body| body)
}

/// The same with the colours of other bodies: `like` says whose a body has.
pub(crate) fn picture_coloured(
    world: &World,
    paths: &[Vec<DVec3>],
    to_eye: Option<DVec3>,
    title: &str,
    like: impl Fn(usize) -> usize,
) -> String {
    let mut solids = Vec::new();
    let mut grounds = Vec::new();
    let mut strokes = Vec::new();
    for (index, body) in world.bodies().enumerate() {
        let colour = match body.kind() {
            BodyKind::Fixed => Colour::FIXED,
            BodyKind::Kinematic | BodyKind::Dynamic => Colour::of_body(like(index)),
        };
        for collider in body.shapes() {
            let pose = body.pose().compose(&collider.pose_in_body);
            if let Shape::HalfSpace(half_space) = &collider.shape {
                let normal = (pose.rotation * half_space.normal()).as_dvec3();
                grounds.push(Ground { point: pose.position, normal });
            } else {
                solids.extend(Solid::of_shape(&collider.shape, &pose, colour, body.kind()));
            }
        }
        strokes.extend(paths.get(index).into_iter().flat_map(|path| Solid::strokes(path, colour)));
    }
    let mut points = framed(&solids);
    points.extend(strokes.iter().flat_map(Solid::outline));
    let camera = Camera::around(&points, to_eye);
    solids.extend(strokes);
    order::back_to_front(&mut solids, &camera);
    svg::Picture { camera: &camera, solids: &solids, grounds: &grounds, title }.text()
}

/// What must be in the picture: what moves, but not what has gone far astray, and fixed solids that are not much larger.
fn framed(solids: &[Solid]) -> Vec<DVec3> {
    let moving: Vec<&Solid> = solids.iter().filter(|solid| !solid.fixed).collect();
    let middles: Vec<DVec3> = moving.iter().map(|solid| solid.middle()).collect();
    let middle = DVec3::from_array([0, 1, 2].map(|axis| median(middles.iter().map(|middle| middle[axis]))));
    let usual = median(middles.iter().map(|found| found.distance(middle)));
    let near = moving.iter().zip(&middles).filter(|(_, found)| found.distance(middle) <= ASTRAY * usual);
    let mut points: Vec<DVec3> = near.flat_map(|(solid, _)| solid.outline()).collect();
    let reach = extent(&points);
    for solid in solids.iter().filter(|solid| solid.fixed) {
        let outline: Vec<DVec3> = solid.outline().collect();
        if points.is_empty() || extent(&outline) < 3.0 * reach {
            points.extend(outline);
        }
    }
    points
}

/// The middle one of some numbers; 0 of none.
fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

fn extent(points: &[DVec3]) -> f64 {
    let least = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let greatest = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    if points.is_empty() { 0.0 } else { (greatest - least).length() }
}
