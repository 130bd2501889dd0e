//! How deep a triangle is in another or in a box, in closed form.
//!
//! The difference of two polytopes is one whose faces are of three sorts: the faces of either, and what an edge of each
//! spans. Along any direction the two overlap by at least the depth, and along the normal of the nearest face by just that;
//! so the least overlap along the normals of all faces that there can be is the depth, exactly. Two triangles in one plane
//! have no depth: the normal of that plane parts them.
//! Always ends. Cost: at most 13 axes. Source: Gottschalk, Lin, Manocha 1996, doi 10.1145/237170.237244; for the depth,
//! faces of sums as in Ericson (Real-Time Collision Detection, 2005, 5.2.9).

use super::convex::Core;
use super::placement::Placement;
use glam::DVec3;

/// Square of the sine of the angle below which two edges span no face.
const PARALLEL: f64 = 1e-20;
/// By which share of it another axis must be shallower than one before, so that faces stay where edges are no better.
const BETTER: f64 = 1e-12;

/// A polytope of few faces, in the frame of the first of the two.
#[derive(Debug, Clone, Copy)]
enum Few {
    Cuboid { half: DVec3, placement: Placement },
    Face([DVec3; 3]),
}

/// The unit normal from `a` to `b` along which they are least deep in each other, and how deep; none unless one is a triangle
/// and the other a triangle or a box.
pub(super) fn depth(a: &Core<'_>, b: &Core<'_>, b_in_a: &Placement) -> Option<(DVec3, f64)> {
    let (a, b) = match (a, b) {
        (Core::Cuboid(_) | Core::Triangle(_), Core::Triangle(_)) | (Core::Triangle(_), Core::Cuboid(_)) => {
            (Few::of(a, &Placement::IDENTITY)?, Few::of(b, b_in_a)?)
        }
        (_, _) => return None,
    };
    let (own_a, edges_a) = a.axes();
    let (own_b, edges_b) = b.axes();
    let crossed = edges_a.into_iter().flat_map(|edge_a| {
        edges_b.into_iter().map(move |edge_b| {
            let cross = edge_a.cross(edge_b);
            let is_face = cross.length_squared() > PARALLEL * edge_a.length_squared() * edge_b.length_squared();
            if is_face { cross.normalize_or_zero() } else { DVec3::ZERO }
        })
    });
    let mut best: Option<(DVec3, f64)> = None;
    for axis in own_a.into_iter().chain(own_b).chain(crossed).filter(|axis| *axis != DVec3::ZERO) {
        let ([low_a, high_a], [low_b, high_b]) = (a.extent(axis), b.extent(axis));
        for (normal, depth) in [(axis, high_a - low_b), (-axis, high_b - low_a)] {
            if best.is_none_or(|(_, least)| depth < least - BETTER * least.abs()) {
                best = Some((normal, depth));
            }
        }
    }
    best
}

impl Few {
    fn of(core: &Core<'_>, placement: &Placement) -> Option<Self> {
        match *core {
            Core::Cuboid(half) => Some(Self::Cuboid { half, placement: *placement }),
            Core::Triangle(corners) => Some(Self::Face(corners.map(|corner| placement.point_to_outer(corner)))),
            Core::Point
            | Core::Segment(_)
            | Core::Cylinder { .. }
            | Core::Cone { .. }
            | Core::Ellipsoid(_)
            | Core::Hull(_)
            | Core::Custom(_) => None,
        }
    }

    /// The normals of its faces, zero where there is none, and its edges.
    fn axes(&self) -> ([DVec3; 3], [DVec3; 3]) {
        match self {
            Self::Cuboid { placement, .. } => {
                let turn = placement.rotation;
                ([turn.x_axis, turn.y_axis, turn.z_axis], [turn.x_axis, turn.y_axis, turn.z_axis])
            }
            Self::Face([a, b, c]) => {
                let normal = (*b - *a).cross(*c - *a).normalize_or_zero();
                ([normal, DVec3::ZERO, DVec3::ZERO], [*b - *a, *c - *b, *a - *c])
            }
        }
    }

    /// Its extent along an axis.
    fn extent(&self, axis: DVec3) -> [f64; 2] {
        match self {
            Self::Cuboid { half, placement } => {
                let (middle, reach) =
                    (axis.dot(placement.position), half.dot(placement.direction_to_inner(axis).abs()));
                [middle - reach, middle + reach]
            }
            Self::Face(corners) => {
                let [a, b, c] = corners.map(|corner| corner.dot(axis));
                [a.min(b).min(c), a.max(b).max(c)]
            }
        }
    }
}
