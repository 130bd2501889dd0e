//! Two convex polytopes: how they meet, found in f32 and measured in f64 (M1, N2).
//!
//! If the face that looks most at the other hull leaves a gap, or nearly, the closest points are searched for
//! (`descent`); if it does not, or they overlap, the axis of least depth among face normals and crossings of edges
//! (`axes`). Both search in f32, eight vertices, faces or edges at a time, which may choose an axis that is worse than the
//! best by the rounding of f32 and no more. What they choose is then measured in f64: the gap along the axis, and by the
//! supports along it that nothing sticks out. Where that fails, and for hulls whose numbers are too large or too small
//! for f32, the answer is that nothing is known, and the general search is asked.
//! Cost: some 10 supports for hulls that are near, and some 10 more for hulls that are deep in each other.

mod axes;
mod descent;
mod edges;
mod faces;

use super::clip::{self, Relation};
use super::convex::Expected;
use super::patch;
use crate::distance::convex::{Convex, SupportFault};
use crate::distance::placement::Placement;
use crate::distance::settling::opposite_points;
use crate::shape::ConvexHull;
use crate::shape::hull::lanes;
use crate::trace::{AxisKind, AxisStep, StopReason, Tracer};
use fearless_simd::{Simd, dispatch};
use glam::{DVec3, Mat3, Vec3};

/// What products of f32 may be off by, as a share of the size of their numbers.
const DOUBT: f32 = 2e-6;
/// Hulls that are less deep in each other than this share of the smaller, along the first face, are as likely apart.
const SHALLOW: f32 = 0.12;
/// An edge axis must be shallower than the best face by this share of the size, and ten times this share of the depth as far
/// as that is no deeper than a fifth of the size. The depth is at most six times so much too large.
const FACE_PREFERENCE: f64 = 1e-5;
/// How far the points of an axis may be from being opposite each other, as a share of the smaller hull.
const ASIDE: f64 = 1e-4;
/// Sizes of numbers whose fourth powers f32 can tell.
const SIZES: std::ops::Range<f32> = 1e-5..1e6;
/// Numbers may be so many times larger than the smaller hull.
const MOST_RATIO: f32 = 200.0;

/// What is known of two hulls.
#[derive(Debug, Clone, Copy)]
pub(super) enum Finding {
    /// Farther apart than the limit along this axis, of any length.
    Apart(DVec3),
    /// The relation of the cores, and what meets.
    Touching(Relation, Meeting),
    /// Not decided here.
    Unknown,
}

/// Which features of two hulls meet.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meeting {
    /// The normal is that of a face; the vertex of the other hull is the farthest against it.
    FaceOfA {
        face: u32,
        vertex_of_b: u32,
    },
    FaceOfB {
        face: u32,
        vertex_of_a: u32,
    },
    /// The normal is that of two edges.
    Edges([u32; 2]),
    /// These vertices are among the farthest along the normal.
    Vertices([u32; 2]),
}

/// How two hulls meet whose cores are no farther apart than `limit`.
pub(super) fn meet(
    (a, b): (&ConvexHull, &ConvexHull),
    b_in_a: &Placement,
    (limit, expected): (f64, Expected),
    tracer: &mut impl Tracer,
) -> Finding {
    let between = b_in_a.point_to_outer(b.inner_ball().center.as_dvec3()) - a.inner_ball().center.as_dvec3();
    let (outer_a, outer_b) = (a.outer_from_center(), b.outer_from_center());
    let reach = f64::from(outer_a) + f64::from(outer_b) + limit;
    if between.length_squared() > reach * reach {
        return Finding::Apart(between);
    }
    let scale = a.outer_radius() + b.outer_radius() + b_in_a.position.abs().element_sum();
    let small = outer_a.min(outer_b);
    let pair = HullPair {
        a,
        b,
        turn: b_in_a.rotation.as_mat3(),
        position: b_in_a.position.as_vec3(),
        scale: scale as f32,
        small,
    };
    if !SIZES.contains(&pair.scale) || pair.scale > MOST_RATIO * small {
        return Finding::Unknown;
    }
    dispatch!(crate::simd::level(), simd => pair.meet(simd, b_in_a, (limit, expected), tracer))
}

/// Two hulls in f32, in the frame of the first.
struct HullPair<'a> {
    a: &'a ConvexHull,
    b: &'a ConvexHull,
    /// From the axes of the second to those of the first.
    turn: Mat3,
    position: Vec3,
    /// How large the numbers are.
    scale: f32,
    /// The radius of a ball around the smaller hull.
    small: f32,
}

impl HullPair<'_> {
    fn doubt(&self) -> f32 {
        DOUBT * self.scale
    }

    fn vertex_of_a(&self, vertex: u32) -> Vec3 {
        self.a.vertices()[vertex as usize]
    }

    fn vertex_of_b(&self, vertex: u32) -> Vec3 {
        self.turn * self.b.vertices()[vertex as usize] + self.position
    }

    /// The farthest vertex of the first hull along a direction, and of the second against it.
    #[inline(always)]
    fn supports<S: Simd>(&self, simd: S, direction: Vec3) -> [u32; 2] {
        let direction_in_b = self.turn.transpose() * direction;
        [
            lanes::farthest(simd, self.a.vertex_blocks(), direction),
            lanes::farthest(simd, self.b.vertex_blocks(), -direction_in_b),
        ]
    }

    /// The second hull seen from the first.
    fn above_a(&self) -> Side<'_> {
        let center = self.turn * self.b.inner_ball().center + self.position;
        Side { owner: self.a, other: self.b, turn: self.turn, position: self.position, center, is_of_a: true }
    }

    /// The first hull seen from the second.
    fn above_b(&self) -> Side<'_> {
        let turn = self.turn.transpose();
        let position = -(turn * self.position);
        let center = turn * self.a.inner_ball().center + position;
        Side { owner: self.b, other: self.a, turn, position, center, is_of_a: false }
    }

    #[inline(always)]
    fn meet<S: Simd>(
        &self,
        simd: S,
        b_in_a: &Placement,
        (limit, expected): (f64, Expected),
        tracer: &mut impl Tracer,
    ) -> Finding {
        let above_a = self.above_a();
        let (face, _) = lanes::highest(simd, self.a.plane_blocks(), above_a.center);
        let first = above_a.measure(simd, face);
        tracer.axis(|| above_a.record(&first));
        if f64::from(first.gap) > limit + f64::from(self.doubt()) {
            tracer.stop(StopReason::BeyondLimit);
            return Finding::Apart(self.a.planes()[face as usize].normal.as_dvec3());
        }
        let is_shallow = first.gap > -SHALLOW * self.small && expected == Expected::Anything;
        if is_shallow {
            match descent::closest(simd, self, first, (b_in_a, limit), tracer) {
                Finding::Unknown => {}
                found => return found,
            }
        }
        match axes::least_depth(simd, self, first, b_in_a, tracer) {
            Some(found) => found,
            None if is_shallow => Finding::Unknown,
            None => descent::closest(simd, self, first, (b_in_a, limit), tracer),
        }
    }
}

/// The other hull, seen from the one whose faces are looked at.
struct Side<'a> {
    owner: &'a ConvexHull,
    other: &'a ConvexHull,
    turn: Mat3,
    position: Vec3,
    /// The middle of the other hull.
    center: Vec3,
    /// The faces are those of the first hull.
    is_of_a: bool,
}

/// The gap between a face and the nearest vertex of the other hull, in the frame of the face.
#[derive(Debug, Clone, Copy)]
struct FaceGap {
    face: u32,
    vertex: u32,
    point: Vec3,
    gap: f32,
}

impl Side<'_> {
    #[inline(always)]
    fn measure<S: Simd>(&self, simd: S, face: u32) -> FaceGap {
        let plane = self.owner.planes()[face as usize];
        let against = -(self.turn.transpose() * plane.normal);
        let vertex = lanes::farthest(simd, self.other.vertex_blocks(), against);
        let point = self.turn * self.other.vertices()[vertex as usize] + self.position;
        FaceGap { face, vertex, point, gap: plane.normal.dot(point) - plane.offset }
    }

    /// What a tracer is told of a face.
    fn record(&self, measured: &FaceGap) -> AxisStep {
        let normal = self.owner.planes()[measured.face as usize].normal;
        let (axis, kind) = if self.is_of_a {
            (normal, AxisKind::FaceOfA(measured.face))
        } else {
            (-(self.turn.transpose() * normal), AxisKind::FaceOfB(measured.face))
        };
        AxisStep { axis: axis.as_dvec3(), gap: f64::from(measured.gap), kind }
    }
}

/// The manifold of two hulls that meet. Where the points that came with the axis are not opposite each other, because f32
/// has chosen a neighbour of the edges or of the face that meet, the opposite ones are searched for along the axis; none if
/// there are none.
pub(super) fn manifold(
    [a, b]: [&Convex<'_>; 2],
    hulls: (&ConvexHull, &ConvexHull),
    b_in_a: &Placement,
    touch: &clip::Touch<'_>,
    meeting: Meeting,
    tracer: &mut impl Tracer,
) -> Result<Option<clip::Clipped>, SupportFault> {
    let Relation { separation, on_a, on_b, .. } = *touch.relation;
    let aside = (on_b - on_a - separation * touch.normal).length_squared();
    let small = hulls.0.outer_from_center().min(hulls.1.outer_from_center());
    if aside <= (ASIDE * f64::from(small)).powi(2) {
        let clipped = clipped(hulls, b_in_a, touch, meeting, tracer);
        if clipped.kept_deepest {
            return Ok(Some(clipped));
        }
    }
    let [radius_a, radius_b] = touch.radii;
    let opposite = opposite_points(a, b, b_in_a, touch.normal, separation + radius_a + radius_b)?;
    Ok(opposite.map(|pair| {
        let (on_a, on_b) = (pair.on_a + radius_a * touch.normal, pair.on_b - radius_b * touch.normal);
        let relation = Relation { on_a, on_b, ..*touch.relation };
        clipped(hulls, b_in_a, &clip::Touch { relation: &relation, ..*touch }, meeting, tracer)
    }))
}

/// The manifold's patches are found from what meets, not searched for again.
fn clipped(
    (a, b): (&ConvexHull, &ConvexHull),
    b_in_a: &Placement,
    touch: &clip::Touch<'_>,
    meeting: Meeting,
    tracer: &mut impl Tracer,
) -> clip::Clipped {
    let normal = touch.normal;
    let against_in_b = -b_in_a.direction_to_inner(normal);
    let [vertex_a, vertex_b] = match meeting {
        Meeting::FaceOfA { face, vertex_of_b } => [a.face_corners(face as usize)[0], vertex_of_b],
        Meeting::FaceOfB { face, vertex_of_a } => [vertex_of_a, b.face_corners(face as usize)[0]],
        Meeting::Edges([edge_a, edge_b]) => {
            [a.edges()[edge_a as usize].vertices[0], b.edges()[edge_b as usize].vertices[0]]
        }
        Meeting::Vertices(vertices) => vertices,
    };
    let face_a = match meeting {
        Meeting::FaceOfA { face, .. } => face,
        Meeting::Edges([edge, _]) => patch::hull_face_beside(a, edge, normal),
        Meeting::FaceOfB { .. } | Meeting::Vertices(_) => patch::hull_face_at(a, vertex_a, normal),
    };
    let face_b = match meeting {
        Meeting::FaceOfB { face, .. } => face,
        Meeting::Edges([_, edge]) => patch::hull_face_beside(b, edge, against_in_b),
        Meeting::FaceOfA { .. } | Meeting::Vertices(_) => patch::hull_face_at(b, vertex_b, against_in_b),
    };
    let [normal_a, normal_b] =
        [(a, face_a), (b, face_b)].map(|(hull, face)| hull.planes()[face as usize].normal.as_dvec3());
    if clip::is_flat(normal_a, normal) || clip::is_flat(normal_b, against_in_b) {
        let mut patch_b = patch::of_hull_face(b, face_b);
        patch_b.place(b_in_a);
        if let Some(clipped) = touch.of_faces(&patch::of_hull_face(a, face_a), &patch_b, tracer) {
            return clipped;
        }
    }
    let edge_of_a = || patch::hull_edge_at(a, vertex_a, normal);
    let edge_of_b = || patch::hull_edge_at(b, vertex_b, against_in_b);
    let (edge_a, edge_b) = match meeting {
        Meeting::Edges([edge_a, edge_b]) => (Some(edge_a), Some(edge_b)),
        Meeting::FaceOfA { .. } | Meeting::FaceOfB { .. } | Meeting::Vertices(_) => (edge_of_a(), edge_of_b()),
    };
    match (edge_a, edge_b) {
        (Some(edge_a), Some(edge_b)) => {
            let mut edge_b = patch::of_hull_edge(b, edge_b);
            edge_b.place(b_in_a);
            let faces = || {
                let mut face_b = patch::of_hull_face(b, face_b);
                face_b.place(b_in_a);
                Some([patch::of_hull_face(a, face_a), face_b])
            };
            touch.of_edges([&patch::of_hull_edge(a, edge_a), &edge_b], faces, clip::Owner::A, tracer)
        }
        (Some(_) | None, Some(_) | None) => touch.only_witness(Default::default()),
    }
}
