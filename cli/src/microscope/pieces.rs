//! The convex pieces of two shapes that matter most to each other.

use carom::bounds::Aabb;
use carom::pose::{LocalPose, Pose};
use carom::query::{self, Distance};
use carom::shape::Shape;
use carom::world::World;

/// A convex shape, or a part of one that is not.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) shape: Shape,
    pub(super) name: String,
    /// Which body it is on, as [`World::bodies`] counts.
    pub(super) body: u32,
    pub(super) in_body: LocalPose,
    pub(super) pose: Pose,
}

/// So many pieces of each shape are looked at, and so many pairs of them measured.
const MOST_PIECES: usize = 64;
const MOST_PAIRS: usize = 256;

/// Of the pieces in two slots, the two that are deepest in each other or nearest.
pub(super) fn nearest(world: &World, slots: [u32; 2]) -> Result<[Piece; 2], String> {
    let [a, b] = slots.map(|slot| pieces(world, slot));
    let (mut a, mut b) = (a?, b?);
    if let ([one], [other]) = (&a[..], &b[..]) {
        return Ok([one.clone(), other.clone()]);
    }
    let whole = |pieces: &[Piece]| pieces.iter().map(bounds).reduce(|one, other| union(&one, &other));
    let (Some(around_a), Some(around_b)) = (whole(&a), whole(&b)) else {
        return Err("one of the two has no piece with a volume or an area".to_string());
    };
    closest_first(&mut a, &around_b);
    closest_first(&mut b, &around_a);
    let mut pairs: Vec<(f32, usize, usize)> = Vec::new();
    for (i, one) in a.iter().enumerate() {
        pairs.extend(b.iter().enumerate().map(|(j, other)| (apart(&bounds(one), &bounds(other)), i, j)));
    }
    pairs.sort_by(|one, other| one.0.total_cmp(&other.0));
    let measured = pairs.iter().take(MOST_PAIRS).map(|&(_, i, j)| (signed_distance(&a[i], &b[j]), i, j));
    let best = measured.min_by(|one, other| one.0.total_cmp(&other.0));
    best.map(|(_, i, j)| [a[i].clone(), b[j].clone()]).ok_or_else(|| "there is no pair of pieces".to_string())
}

fn pieces(world: &World, slot: u32) -> Result<Vec<Piece>, String> {
    let known = world.shapes().find(|shape| shape.slot == slot);
    let shape = known.ok_or_else(|| format!("there is no shape in slot {slot}"))?;
    let mut found = Vec::new();
    let (body, pose) = (shape.collider.body, shape.body.pose());
    crate::view::each_part(&shape.collider.shape, &shape.collider.pose_in_body, &mut |part, in_body| {
        let mut push = |shape: Shape, name: String| {
            found.push(Piece { shape, name, body, in_body: *in_body, pose: pose.compose(in_body) });
        };
        let mut triangle = |index: usize, [a, b, c]: [carom::glam::Vec3; 3]| {
            // One without an area is left out.
            if let Ok(shape) = Shape::triangle(a, b, c) {
                push(shape, format!("triangle {index} of a {}", part.kind()));
            }
        };
        match part {
            Shape::Mesh(mesh) => (0..mesh.triangles().len()).for_each(|index| triangle(index, mesh.corners(index))),
            Shape::HeightField(field) => {
                (0..field.triangle_count()).for_each(|index| triangle(index, field.corners(index)));
            }
            Shape::Point(_)
            | Shape::Segment(_)
            | Shape::Triangle(_)
            | Shape::Sphere(_)
            | Shape::Cuboid(_)
            | Shape::Capsule(_)
            | Shape::Cylinder(_)
            | Shape::Cone(_)
            | Shape::Ellipsoid(_)
            | Shape::Hull(_)
            | Shape::HalfSpace(_)
            | Shape::Compound(_)
            | Shape::Custom(_) => push(part.clone(), part.kind().to_string()),
        }
    });
    Ok(found)
}

/// Keeps those whose boxes are nearest to another box.
fn closest_first(pieces: &mut Vec<Piece>, other: &Aabb) {
    if pieces.len() > MOST_PIECES {
        pieces.sort_by(|one, two| apart(&bounds(one), other).total_cmp(&apart(&bounds(two), other)));
        pieces.truncate(MOST_PIECES);
    }
}

fn bounds(piece: &Piece) -> Aabb {
    Aabb::around_shape_at(&piece.shape, &piece.pose)
}

fn union(one: &Aabb, other: &Aabb) -> Aabb {
    Aabb::new(one.min.min(other.min), one.max.max(other.max))
}

fn apart(one: &Aabb, other: &Aabb) -> f32 {
    (one.min - other.max).max(other.min - one.max).max(carom::glam::Vec3::ZERO).length()
}

fn signed_distance(a: &Piece, b: &Piece) -> f64 {
    match query::distance(&a.shape, &a.pose, &b.shape, &b.pose) {
        Ok(Distance::Apart(gap) | Distance::Undecided(gap)) => gap.distance,
        Ok(Distance::Overlapping { .. }) => {
            query::penetration(&a.shape, &a.pose, &b.shape, &b.pose).map_or(0.0, |deep| -deep.depth)
        }
        Err(_) => f64::INFINITY,
    }
}
