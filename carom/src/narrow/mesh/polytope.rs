//! A box or a hull against a triangle: the axis of least depth, then the faces clipped or the edges joined.
//!
//! The axes are those of two convex polytopes (Gottschalk, Lin, Manocha 1996, doi 10.1145/237170.237244): the triangle's
//! normal, the normals of the polytope's faces, and crossings of edges whose arcs cross on the Gauss map. Edges of the
//! triangle that nothing can touch (see [`inner_edge`](super::inner_edge)) are not crossed at all, and of the other axes
//! only those count whose normal is not an inner edge's; the triangle's own always does. The shallowest of what is left
//! is taken, the triangle's normal where it is as good, so that a box on a floor keeps its faces.
//! Axes are chosen in f32 where there are many; what is told is computed in f64. Always ends. Cost: faces + edges.

use super::Touches;
use super::clip::Corner;
use super::hull_planes::HullPlanes;
use super::inner_edge::is_inner;
use super::surface::{Face, Sides};
use crate::narrow::Feature;
use crate::narrow::patch::{self, Patch};
use crate::shape::ConvexHull;
use crate::shape::hull::lanes;
use fearless_simd::dispatch;
use glam::{DVec3, Vec3};

/// Another axis must be shallower than the triangle's normal by this share of the size, and ten times this share of the
/// depth.
const FACE_PREFERENCE: f64 = 1e-4;
/// Sine of the angle up to which edges count as parallel.
const PARALLEL: f64 = 1e-5;
/// Cosine of the angle up to which an axis is the triangle's normal.
const ACROSS: f64 = 0.99995;

/// A sharp polytope in its own frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum Polytope<'a> {
    Cuboid(DVec3),
    Hull(&'a ConvexHull),
}

/// An axis and the gap along it; the normal leads out of the polytope.
#[derive(Debug, Clone, Copy)]
struct Axis {
    gap: f64,
    normal: DVec3,
}

/// A crossing of an edge of the polytope with edge `edge` of the triangle.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    axis: Axis,
    edge: usize,
    own: Feature,
    /// The polytope's edge: its start, and the way to its end.
    line: [DVec3; 2],
}

/// The contact of a polytope and a triangle. Says whether features were found that stand for how near they are; if not,
/// they are apart at a corner, and the general search is to be asked.
pub(super) fn touch(solid: &Polytope<'_>, face: &Face, faces: &[Face], touches: &mut Touches<'_>) -> bool {
    let Some(out) = touches.facing(face, solid.center()) else {
        touches.note_gap(0.0);
        return true;
    };
    let side = out.dot(face.normal);
    let (vertex, lowest) = solid.support(-out);
    let own_gap = out.dot(lowest) - side * face.offset;
    if own_gap > touches.margin {
        touches.note_gap(own_gap);
        return true;
    }
    let of_face = solid.best_face(face, &mut touches.scratch.planes);
    if of_face.gap > touches.margin {
        touches.note_gap(of_face.gap);
        return true;
    }
    touches.note_gap(0.0);
    // Last of these, for it looks at all triangles.
    if touches.passes_over(face, solid.center(), faces) {
        return true;
    }
    let tie = FACE_PREFERENCE * (touches.size + 10.0 * own_gap.abs());
    let mut best = own_gap + tie;
    let mut crossing: Option<(Crossing, DVec3)> = None;
    for edge in 0..3 {
        if face.is_ridge(edge, side > 0.0)
            && let Some(found) = solid.best_crossing(face, edge, out, best, touches)
        {
            if found.axis.gap > touches.margin {
                return true;
            }
            if found.axis.gap > best
                && is_possible(&found.axis, out, touches)
                && let Some(place) = nearest_on_edge(face, &found)
                && (touches.feels_inner_edges || !is_inner(faces, place, -found.axis.normal, touches.tolerance))
            {
                best = found.axis.gap;
                crossing = Some((found, place));
            }
        }
    }
    if of_face.gap > best && is_possible(&of_face, out, touches) && -of_face.normal.dot(out) < ACROSS {
        let before = touches.count();
        let deepest = into_face(solid, &of_face, face, touches);
        match deepest {
            Some(place) if touches.feels_inner_edges || !is_inner(faces, place, -of_face.normal, touches.tolerance) => {
                return true;
            }
            Some(_) | None => touches.truncate(before),
        }
    }
    if let Some((found, place)) = crossing {
        touches.add(face, -found.axis.normal, place, -found.axis.gap, [face.edge_feature(found.edge), found.own]);
        return true;
    }
    if own_gap < 0.0 && touches.sides != Sides::Above && !meets(solid, face, lowest, touches) {
        return true;
    }
    let before = touches.count();
    let patch = solid.patch_at(vertex, -out);
    over_triangle(&patch, (DVec3::ZERO, 0.0), face, out, touches);
    touches.count() > before || own_gap <= 0.0
}

/// Whether a polytope that reaches through the plane of a triangle meets the triangle itself. If no edge of the triangle
/// enters it, what it cuts out of the plane is all inside or all outside, and one point of that tells; `lowest` is on the
/// other side than the middle.
fn meets(solid: &Polytope<'_>, face: &Face, lowest: DVec3, touches: &mut Touches<'_>) -> bool {
    if (0..3).any(|edge| solid.is_entered(face, edge, touches)) {
        return true;
    }
    let (high, low) = (face.height(solid.center()), face.height(lowest));
    high == low || face.has(solid.center().lerp(lowest, high / (high - low)), touches.tolerance)
}

/// Whether an axis does not lead through the triangle from behind.
fn is_possible(axis: &Axis, out: DVec3, touches: &Touches<'_>) -> bool {
    touches.sides == Sides::Both || -axis.normal.dot(out) > -1e-3
}

/// The point of the triangle's edge that is nearest to the other edge of a crossing; none if the two pass each other
/// beyond their ends.
fn nearest_on_edge(face: &Face, crossing: &Crossing) -> Option<DVec3> {
    let (from, to) = (face.corners[crossing.edge], face.corners[(crossing.edge + 1) % 3]);
    let [point, own] = crossing.line;
    let along = to - from;
    let cross = along.cross(own);
    let square = cross.length_squared();
    let between = point - from;
    let (share, own_share) = (between.cross(own).dot(cross) / square, between.cross(along).dot(cross) / square);
    let is_within = |share: f64| (-1e-3..=1.0 + 1e-3).contains(&share);
    (is_within(share) && is_within(own_share)).then(|| from + along * share.clamp(0.0, 1.0))
}

/// The points of a patch, shifted and rounded by a radius, that are above the triangle on the side of `out`.
pub(super) fn over_triangle(
    patch: &Patch,
    (shift, radius): (DVec3, f64),
    face: &Face,
    out: DVec3,
    touches: &mut Touches<'_>,
) {
    let side = out.dot(face.normal);
    let add = |touches: &mut Touches<'_>, place: DVec3, names: [Feature; 2]| {
        let height = face.height(place);
        touches.add(face, out, place - height * face.normal, radius - side * height, names);
    };
    // Which of the triangle's edges cut the patch; mostly none does, or all of it is beyond one.
    let mut inward = [DVec3::ZERO; 3];
    let mut is_cut = [false; 3];
    for edge in 0..3 {
        let (from, to) = (face.corners[edge], face.corners[(edge + 1) % 3]);
        inward[edge] = face.normal.cross(to - from);
        let start = from - shift;
        let is_beyond = |corner: &patch::Corner| inward[edge].dot(corner.place - start) < 0.0;
        let beyond = patch.corners().iter().filter(|corner| is_beyond(corner)).count();
        if beyond == patch.corners().len() {
            return;
        }
        is_cut[edge] = beyond > 0;
    }
    if is_cut == [false; 3] {
        for corner in patch.corners() {
            add(touches, corner.place + shift, [Feature::face(face.triangle), corner.vertex]);
        }
        return;
    }
    let polygon = &mut touches.scratch.polygon;
    polygon.clear();
    for corner in patch.corners() {
        polygon.push(Corner::new(corner.place + shift, corner.vertex, corner.edge));
    }
    let vertices = face.vertices.map(Feature::vertex);
    for edge in (0..3).filter(|edge| is_cut[*edge]) {
        polygon.clip(face.corners[edge], inward[edge], edge as u32, face.edge_feature(edge), &vertices);
    }
    for index in 0..touches.scratch.polygon.corners().len() {
        let corner = touches.scratch.polygon.corners()[index];
        add(touches, corner.place, corner.names(Feature::face(face.triangle), patch.feature));
    }
}

/// The part of the triangle below a face of the polytope; returns the deepest of its points.
fn into_face(solid: &Polytope<'_>, axis: &Axis, face: &Face, touches: &mut Touches<'_>) -> Option<DVec3> {
    let patch = solid.patch_at(solid.support(axis.normal).0, axis.normal);
    let polygon = &mut touches.scratch.polygon;
    polygon.clear();
    for (corner, place) in face.corners.into_iter().enumerate() {
        polygon.push(Corner::new(place, Feature::vertex(face.vertices[corner]), face.edge_feature(corner)));
    }
    let sides = patch.corners();
    let mut vertices = [Feature::SURFACE; patch::MOST_CORNERS];
    for (name, corner) in vertices.iter_mut().zip(sides) {
        *name = corner.vertex;
    }
    for (index, side) in sides.iter().enumerate() {
        let along = sides[(index + 1) % sides.len()].place - side.place;
        polygon.clip(side.place, patch.normal.cross(along), index as u32, side.edge, &vertices[..sides.len()]);
    }
    let top = axis.normal.dot(sides.first()?.place);
    let mut deepest: Option<(f64, DVec3)> = None;
    for index in 0..touches.scratch.polygon.corners().len() {
        let corner = touches.scratch.polygon.corners()[index];
        let depth = top - axis.normal.dot(corner.place);
        let [own, of_triangle] = corner.names(patch.feature, Feature::face(face.triangle));
        touches.add(face, -axis.normal, corner.place, depth, [of_triangle, own]);
        if deepest.is_none_or(|(most, _)| depth > most) {
            deepest = Some((depth, corner.place));
        }
    }
    // What clipping lost the deepest point of is no contact of these faces.
    let size = touches.size;
    deepest.filter(|(depth, _)| *depth >= -axis.gap - 1e-3 * size).map(|(_, place)| place)
}

impl Polytope<'_> {
    pub(super) fn center(&self) -> DVec3 {
        match self {
            Self::Cuboid(_) => DVec3::ZERO,
            Self::Hull(hull) => hull.inner_ball().center.as_dvec3(),
        }
    }

    /// The farthest vertex and where it is; of a box its number means nothing.
    fn support(&self, direction: DVec3) -> (u32, DVec3) {
        match self {
            Self::Cuboid(half) => (0, half.copysign(direction)),
            // To within rounding of f32.
            Self::Hull(hull) => {
                let (blocks, direction) = (hull.vertex_blocks(), direction.as_vec3());
                let farthest = dispatch!(crate::simd::level(), simd => lanes::farthest(simd, blocks, direction));
                let vertex = if (farthest as usize) < hull.vertices().len() { farthest } else { 0 };
                (vertex, hull.vertices()[vertex as usize].as_dvec3())
            }
        }
    }

    /// The face that looks along `direction`, in which a vertex is the farthest.
    fn patch_at(&self, vertex: u32, direction: DVec3) -> Patch {
        match self {
            Self::Cuboid(half) => {
                let axis = patch::largest_axis(direction.abs());
                patch::of_cuboid_face(*half, axis, direction[axis] >= 0.0)
            }
            Self::Hull(hull) => patch::of_hull_face(hull, patch::hull_face_at(hull, vertex, direction)),
        }
    }

    /// Whether an edge of the triangle comes into it; [`Self::best_face`] has measured the triangle.
    fn is_entered(&self, face: &Face, edge: usize, touches: &mut Touches<'_>) -> bool {
        let half = match self {
            Self::Cuboid(half) => *half,
            Self::Hull(_) => return touches.scratch.planes.enters(edge, touches.tolerance as f32).is_some(),
        };
        let (from, along) = (face.corners[edge], face.corners[(edge + 1) % 3] - face.corners[edge]);
        let (mut first, mut last) = (0.0f64, 1.0f64);
        for axis in 0..3 {
            if along[axis] == 0.0 {
                if from[axis].abs() > half[axis] {
                    return false;
                }
                continue;
            }
            let one = (-half[axis] - from[axis]) / along[axis];
            let other = (half[axis] - from[axis]) / along[axis];
            first = first.max(one.min(other));
            last = last.min(one.max(other));
        }
        first <= last
    }

    /// The face that the triangle is highest above.
    fn best_face(&self, face: &Face, planes: &mut HullPlanes) -> Axis {
        let [a, b, c] = face.corners;
        match self {
            Self::Cuboid(half) => {
                let (low, high) = (a.min(b).min(c), a.max(b).max(c));
                let (above, below) = (low - *half, -*half - high);
                let mut best = Axis { gap: f64::NEG_INFINITY, normal: DVec3::Y };
                for axis in 0..3 {
                    for (gap, normal) in [(above[axis], DVec3::AXES[axis]), (below[axis], -DVec3::AXES[axis])] {
                        if gap > best.gap {
                            best = Axis { gap, normal };
                        }
                    }
                }
                best
            }
            Self::Hull(hull) => {
                let best = planes.measure(hull, face.corners.map(|corner| corner.as_vec3()));
                let plane = hull.planes()[best];
                let normal = plane.normal.as_dvec3().normalize_or(DVec3::Y);
                let low = face.corners.map(|corner| normal.dot(corner)).into_iter().fold(f64::INFINITY, f64::min);
                Axis { gap: low - f64::from(plane.offset), normal }
            }
        }
    }

    /// The best crossing with an edge of the triangle whose gap is above `least`; [`Self::best_face`] has measured it.
    fn best_crossing(
        &self,
        face: &Face,
        edge: usize,
        out: DVec3,
        least: f64,
        touches: &mut Touches<'_>,
    ) -> Option<Crossing> {
        let hull = match self {
            Self::Cuboid(half) => return cuboid_crossing(*half, face, edge, out, least),
            Self::Hull(hull) => hull,
        };
        let far = face.corners.iter().fold(0.0, |far: f64, corner| far.max(corner.abs().max_element()));
        let room = 1e-5 * touches.size + 1e-6 * far;
        let planes = &mut touches.scratch.planes;
        let middle = planes.enters(edge, (touches.margin + room) as f32)?;
        let (from, to) = (face.corners[edge], face.corners[(edge + 1) % 3]);
        let along = to - from;
        let (direction, away, out) = (along.as_vec3(), along.cross(face.normal).as_vec3(), out.as_vec3());
        // A normal on the arc between those of two faces is a mean of them, made longer; so is a depth below both.
        planes.mark_above(edge, middle, (least - room) as f32);
        let edges = planes.marked().flat_map(|marked| hull.face_edges(marked).iter().map(move |&edge| (marked, edge)));
        let mut best: Option<Crossing> = None;
        for (marked, index) in edges {
            let hull_edge = &hull.edges()[index as usize];
            // An edge between two such faces is taken from its first.
            if hull_edge.faces[0] != marked && planes.is_marked(hull_edge.faces[0]) {
                continue;
            }
            let [left, right] = hull_edge.faces.map(|face| hull.planes()[face as usize].normal);
            let (at_left, at_right) = (left.dot(direction), right.dot(direction));
            if at_left * at_right >= 0.0 {
                continue;
            }
            // On the arc, and across the triangle's edge.
            let normal = left * at_right.abs() + right * at_left.abs();
            if normal.dot(away) >= 0.0 || normal.dot(out) > 0.0 {
                continue;
            }
            let [start, end] = hull_edge.vertices.map(|vertex| hull.vertices()[vertex as usize]);
            let least = best.map_or(least, |best| best.axis.gap);
            if let Some(axis) = exact_crossing([start, end], normal, face, edge, least) {
                let line = [start.as_dvec3(), (end - start).as_dvec3()];
                best = Some(Crossing { axis, edge, own: Feature::edge(index), line });
            }
        }
        best
    }
}

/// The axis of two edges, if the gap along it is above `least`.
fn exact_crossing([start, end]: [Vec3; 2], about: Vec3, face: &Face, edge: usize, least: f64) -> Option<Axis> {
    let (from, to) = (face.corners[edge], face.corners[(edge + 1) % 3]);
    let (start, own) = (start.as_dvec3(), (end - start).as_dvec3());
    let along = to - from;
    let cross = along.cross(own);
    let square = cross.length_squared();
    if square <= PARALLEL * PARALLEL * along.length_squared() * own.length_squared() {
        return None;
    }
    let normal = cross / square.sqrt();
    let normal = if normal.dot(about.as_dvec3()) < 0.0 { -normal } else { normal };
    let gap = normal.dot(from - start);
    (gap > least).then_some(Axis { gap, normal })
}

fn cuboid_crossing(half: DVec3, face: &Face, edge: usize, out: DVec3, least: f64) -> Option<Crossing> {
    let (from, to) = (face.corners[edge], face.corners[(edge + 1) % 3]);
    let along = to - from;
    let away = along.cross(face.normal);
    let length_squared = along.length_squared();
    let (half_extents, half) = (half, half.to_array());
    let [lines, aways, outs, froms] = [along, away, out, from].map(|vector| vector.to_array());
    let mut best: Option<Crossing> = None;
    for (axis, u, v) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
        // Across the axis: only two numbers are not zero.
        let cross = (lines[v], -lines[u]);
        let square = cross.0 * cross.0 + cross.1 * cross.1;
        if square <= PARALLEL * PARALLEL * length_squared {
            continue;
        }
        let dot = |normal: (f64, f64), other: &[f64; 3]| normal.0 * other[u] + normal.1 * other[v];
        // Out of the box, so against what leads away from the triangle across its edge.
        let normal = if dot(cross, &aways) > 0.0 { (-cross.0, -cross.1) } else { cross };
        if dot(normal, &outs) > 0.0 {
            continue;
        }
        let reach = dot((normal.0.abs(), normal.1.abs()), &half);
        let scaled = dot(normal, &froms) - reach;
        let least = best.map_or(least, |best| best.axis.gap);
        if scaled * scaled.abs() <= least * least.abs() * square {
            continue;
        }
        let length = square.sqrt();
        let mut across = [0.0; 3];
        (across[u], across[v]) = (normal.0 / length, normal.1 / length);
        let normal = DVec3::from_array(across);
        let patch = patch::of_cuboid_edge(half_extents, axis, normal);
        let [start, end] = [patch.corners()[0].place, patch.corners()[1].place];
        best = Some(Crossing {
            axis: Axis { gap: scaled / length, normal },
            edge,
            own: patch.feature,
            line: [start, end - start],
        });
    }
    best
}
