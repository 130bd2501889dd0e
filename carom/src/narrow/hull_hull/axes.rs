//! The axis of least depth of two hulls that overlap.
//!
//! The least depth of two polytopes is along a face normal of one of them or the cross product of two edges whose arcs
//! cross on the Gauss map, where a face is a point, its outward normal, and an edge the arc between those of its faces.
//! Few of these axes are measured. Along a normal n of a feature through p the gap to the other hull is at most n·(v - p)
//! for each of its points v, and n·(c - p) - r for a ball of radius r around c inside it. So what cannot beat the best
//! axis for the ball, and then for the few vertices that were found as supports of other axes, is left out; of the faces
//! that remain, the one with the highest bound is measured first.
//! Ends when no bound is above the best gap; gives up if more than 512 edges of a hull are left.
//! Cost: the heights of one point above all faces of both, eight at a time, and then what is left: some 5 supports and 10
//! edges of each. Source: Gregorius, The Separating Axis Test between Convex Polyhedra, GDC 2013. The bounds are added.

use super::super::clip::{self, Relation};
use super::super::patch;
use super::{FACE_PREFERENCE, FaceGap, Finding, HullPair, Meeting, Side};
use crate::distance::placement::Placement;
use crate::shape::ConvexHull;
use crate::shape::hull::lanes::{self, Greatest, LANES, PlaneBlock, VertexBlock};
use crate::trace::{AxisKind, AxisStep, StopReason, Tracer};
use fearless_simd::{Select, Simd, SimdBase, SimdMask, f32x8, u32x8};
use glam::{DVec3, Mat3, Vec3};

/// The most blocks of faces that are sorted by their bounds at a time.
const LIST_BLOCKS: usize = 8;
/// The most vertices of the other hull that bound the gaps.
const MOST_KNOWN: usize = 6;
/// The most blocks of edges of a hull that may be left to cross with the other's, in a small frame and in a large one.
const FEW_BLOCKS: usize = 4;
const MANY_BLOCKS: usize = 64;

/// There are more edges than a stack frame holds.
struct NoRoom;

/// How two hulls overlap; none if an axis parts them or nearly, or if too many edges are left.
#[inline(always)]
pub(super) fn least_depth<S: Simd>(
    simd: S,
    pair: &HullPair<'_>,
    first: FaceGap,
    b_in_a: &Placement,
    tracer: &mut impl Tracer,
) -> Option<Finding> {
    let (above_a, above_b) = (pair.above_a(), pair.above_b());
    let tie = |gap: f32| FACE_PREFERENCE as f32 * (pair.small + 10.0 * gap.abs());
    let mut known_b = Known::of(first.point);
    let of_a = best_face(simd, &above_a, first, &mut known_b, tracer);
    if of_a.gap > 0.0 {
        return None;
    }
    let (face, _) = lanes::highest(simd, pair.b.plane_blocks(), above_b.center);
    let first_of_b = above_b.measure(simd, face);
    tracer.axis(|| above_b.record(&first_of_b));
    let mut known_a = Known::of(first_of_b.point);
    // The first hull keeps its face unless the other's is better by more than rounding.
    let least = of_a.gap + tie(of_a.gap);
    let start = FaceGap { gap: first_of_b.gap.max(least), ..first_of_b };
    let of_b = best_face(simd, &above_b, start, &mut known_a, tracer);
    let is_of_b = of_b.gap > least;
    let (gap, face) = if is_of_b { (of_b.gap, of_b.face) } else { (of_a.gap, of_a.face) };
    if gap > 0.0 {
        return None;
    }

    let sides = [(&above_a, &known_b), (&above_b, &known_a)];
    let least = gap + tie(gap);
    // Nearly always there is room for what is left in a small frame.
    let crossing = match best_crossing::<S, FEW_BLOCKS>(simd, pair, sides, (b_in_a, least), tracer) {
        Ok(crossing) => crossing,
        // A function of its own, so that its frame is there only when it is needed.
        Err(NoRoom) => simd
            .vectorize(
                #[inline(always)]
                || best_crossing::<S, MANY_BLOCKS>(simd, pair, sides, (b_in_a, least), tracer),
            )
            .ok()?,
    };
    tracer.stop(StopReason::BoundsMet);
    let found = match crossing {
        Some(crossing) => relate_edges(simd, pair, crossing, b_in_a)?,
        None if is_of_b => relate_face_of_b(pair, face, b_in_a),
        None => relate_face_of_a(pair, face, of_a.vertex, b_in_a),
    };
    match found {
        Finding::Touching(relation, _) if relation.separation > 0.0 => None,
        Finding::Touching(..) | Finding::Apart(_) | Finding::Unknown => Some(found),
    }
}

/// Vertices of the other hull, in the frame of the one whose axes they bound.
struct Known {
    points: [Vec3; MOST_KNOWN],
    count: usize,
}

impl Known {
    fn of(point: Vec3) -> Self {
        Self { points: [point; MOST_KNOWN], count: 1 }
    }

    /// The newest take the place of older ones.
    fn push(&mut self, point: Vec3) {
        self.points[self.count % MOST_KNOWN] = point;
        self.count += 1;
    }

    fn points(&self) -> &[Vec3] {
        &self.points[..self.count.min(MOST_KNOWN)]
    }
}

/// Faces that may beat the best.
struct List {
    planes: [PlaneBlock; LIST_BLOCKS],
    bounds: [[f32; LANES]; LIST_BLOCKS],
    faces: [[u32; LANES]; LIST_BLOCKS],
    count: usize,
}

/// The face with the greatest gap to the other hull, at least that of `start`.
fn best_face<S: Simd>(
    simd: S,
    side: &Side<'_>,
    start: FaceGap,
    known: &mut Known,
    tracer: &mut impl Tracer,
) -> FaceGap {
    simd.vectorize(
        #[inline(always)]
        || best_listed_face(simd, side, start, known, tracer),
    )
}

#[inline(always)]
fn best_listed_face<S: Simd>(
    simd: S,
    side: &Side<'_>,
    start: FaceGap,
    known: &mut Known,
    tracer: &mut impl Tracer,
) -> FaceGap {
    let inner = side.other.inner_ball().radius;
    let mut best = start;
    let mut list = List {
        planes: [[[0.0; LANES]; 4]; LIST_BLOCKS],
        bounds: [[f32::NEG_INFINITY; LANES]; LIST_BLOCKS],
        faces: [[0; LANES]; LIST_BLOCKS],
        count: 0,
    };
    let blocks = side.owner.plane_blocks();
    for (number, block) in blocks.iter().enumerate() {
        let under_ball = lanes::heights(simd, block, side.center) - inner;
        let bounds = under_ball.min(lanes::heights(simd, block, start.point));
        let mut hits = bounds.simd_gt(best.gap).to_bitmask();
        while hits != 0 {
            let lane = hits.trailing_zeros() as usize % LANES;
            hits &= hits - 1;
            let (place, column) = (list.count / LANES, list.count % LANES);
            if column == 0 {
                list.bounds[place] = [f32::NEG_INFINITY; LANES];
            }
            for row in 0..4 {
                list.planes[place][row][column] = block[row][lane];
            }
            list.bounds[place][column] = bounds.as_slice()[lane];
            list.faces[place][column] = (number * LANES + lane) as u32;
            list.count += 1;
        }
        // When there may be no room for another block, and at the end.
        if list.count > (LIST_BLOCKS - 1) * LANES || number + 1 == blocks.len() {
            list.measure(simd, side, &mut best, known, tracer);
            list.count = 0;
        }
    }
    best
}

impl List {
    /// Measures the faces whose bounds are above the best gap, the highest first, each of which lowers the bounds.
    #[inline(always)]
    fn measure<S: Simd>(
        &mut self,
        simd: S,
        side: &Side<'_>,
        best: &mut FaceGap,
        known: &mut Known,
        tracer: &mut impl Tracer,
    ) {
        let blocks = self.count.div_ceil(LANES);
        for _ in 0..self.count {
            let mut greatest = Greatest::new(simd);
            for (number, bounds) in self.bounds[..blocks].iter().enumerate() {
                greatest.take_in(f32x8::load_array_ref(simd, bounds), u32x8::splat(simd, number as u32));
            }
            let (index, bound) = greatest.index();
            if bound <= best.gap {
                return;
            }
            let (place, column) = (index as usize / LANES, index as usize % LANES);
            let measured = side.measure(simd, self.faces[place][column]);
            tracer.axis(|| side.record(&measured));
            if measured.gap > best.gap {
                *best = measured;
            }
            known.push(measured.point);
            for (planes, bounds) in self.planes[..blocks].iter().zip(&mut self.bounds) {
                let lower = f32x8::load_array_ref(simd, bounds).min(lanes::heights(simd, planes, measured.point));
                lower.store_slice(bounds);
            }
            self.bounds[place][column] = f32::NEG_INFINITY;
        }
    }
}

/// Edges that may be one of a crossing that beats the best face: the normals of their faces and the way along them, in
/// the frame of the first hull.
struct Arcs<const BLOCKS: usize> {
    left: [VertexBlock; BLOCKS],
    right: [VertexBlock; BLOCKS],
    along: [VertexBlock; BLOCKS],
    edges: [[u32; LANES]; BLOCKS],
    count: usize,
}

/// Eight edges to be judged, by the planes of their faces.
struct Batch {
    left: PlaneBlock,
    right: PlaneBlock,
    /// One over the cosines of half the angles between them.
    stretch: [f32; LANES],
    edges: [u32; LANES],
    count: usize,
}

impl<const BLOCKS: usize> Arcs<BLOCKS> {
    fn new() -> Self {
        let zero = [[[0.0; LANES]; 3]; BLOCKS];
        Self { left: zero, right: zero, along: zero, edges: [[0; LANES]; BLOCKS], count: 0 }
    }

    /// Takes in the edges of the side's owner that may have a gap above `least`, turned by `turn`.
    #[inline(always)]
    fn collect<S: Simd>(
        &mut self,
        simd: S,
        side: &Side<'_>,
        (least, doubt): (f32, f32),
        known: &Known,
        turn: &Mat3,
    ) -> Result<(), NoRoom> {
        let (hull, center) = (side.owner, side.center);
        let inner = side.other.inner_ball().radius - doubt;
        let lowest = least + inner;
        // The height above an edge is at most that above one of its faces, stretched.
        let lowest = if lowest > 0.0 { lowest * hull.least_cosine() } else { lowest };
        let mut batch = Batch {
            left: [[0.0; LANES]; 4],
            right: [[0.0; LANES]; 4],
            stretch: [1.0; LANES],
            edges: [0; LANES],
            count: 0,
        };
        let bounds = (least, inner, doubt);
        for (number, block) in hull.plane_blocks().iter().enumerate() {
            let mut hits = lanes::heights(simd, block, center).simd_gt(lowest).to_bitmask();
            while hits != 0 {
                let face = (number * LANES) as u32 + hits.trailing_zeros();
                hits &= hits - 1;
                for &edge in hull.face_edges(face) {
                    let Some(ends) = hull.edges().get(edge as usize) else { continue };
                    let [left, right] = ends.faces.map(|face| hull.planes()[face as usize]);
                    // An edge between two such faces is taken from its first.
                    let is_second = ends.faces[0] != face;
                    if is_second && left.normal.dot(center) - left.offset > lowest {
                        continue;
                    }
                    for axis in 0..3 {
                        batch.left[axis][batch.count] = left.normal[axis];
                        batch.right[axis][batch.count] = right.normal[axis];
                    }
                    (batch.left[3][batch.count], batch.right[3][batch.count]) = (left.offset, right.offset);
                    batch.stretch[batch.count] = 1.0 / hull.arc_cosines()[edge as usize].max(1e-3);
                    batch.edges[batch.count] = edge;
                    batch.count += 1;
                    if batch.count == LANES {
                        self.judge(simd, side, &batch, bounds, known, turn)?;
                        batch.count = 0;
                    }
                }
            }
        }
        self.judge(simd, side, &batch, bounds, known, turn)
    }

    /// Takes in those of a batch whose bounds are above the best gap.
    fn judge<S: Simd>(
        &mut self,
        simd: S,
        side: &Side<'_>,
        batch: &Batch,
        (least, inner, doubt): (f32, f32, f32),
        known: &Known,
        turn: &Mat3,
    ) -> Result<(), NoRoom> {
        let mut alive = simd.vectorize(
            #[inline(always)]
            || batch.which_may_beat(simd, (side.center, least + inner), (known, least - doubt)),
        );
        let hull = side.owner;
        while alive != 0 {
            let lane = alive.trailing_zeros() as usize % LANES;
            alive &= alive - 1;
            let (place, column) = (self.count / LANES, self.count % LANES);
            if place >= BLOCKS {
                return Err(NoRoom);
            }
            let [from, to] = hull.edges()[batch.edges[lane] as usize].vertices;
            let along = *turn * (hull.vertices()[to as usize] - hull.vertices()[from as usize]);
            let normal = |planes: &PlaneBlock| *turn * Vec3::new(planes[0][lane], planes[1][lane], planes[2][lane]);
            let (left, right) = (normal(&batch.left), normal(&batch.right));
            for axis in 0..3 {
                self.left[place][axis][column] = left[axis];
                self.right[place][axis][column] = right[axis];
                self.along[place][axis][column] = along[axis];
            }
            self.edges[place][column] = batch.edges[lane];
            self.count += 1;
        }
        Ok(())
    }

    /// The edge at a place, and its vectors: left, right and along.
    fn at(&self, index: usize) -> (u32, [Vec3; 3]) {
        let (place, column) = (index / LANES, index % LANES);
        let vector = |blocks: &[VertexBlock; BLOCKS]| Vec3::from_array([0, 1, 2].map(|i| blocks[place][i][column]));
        (self.edges[place][column], [vector(&self.left), vector(&self.right), vector(&self.along)])
    }
}

impl Batch {
    /// Which of the edges may beat the best, by a ball around a point and by the known vertices.
    #[inline(always)]
    fn which_may_beat<S: Simd>(&self, simd: S, ball: (Vec3, f32), (known, least): (&Known, f32)) -> u64 {
        let mut alive = self.may_beat(simd, ball.0, ball.1);
        for &point in known.points() {
            alive &= self.may_beat(simd, point, least);
        }
        alive & ((1 << self.count) - 1)
    }

    /// Which of the edges a point is higher above than `least`, along a normal on their arcs.
    ///
    /// Such a normal is a mean of those at its ends, made longer to unit length by at most one over the cosine; so is the
    /// height of a point above the edge along it.
    #[inline(always)]
    fn may_beat<S: Simd>(&self, simd: S, point: Vec3, least: f32) -> u64 {
        let higher = lanes::heights(simd, &self.left, point).max(lanes::heights(simd, &self.right, point));
        let stretched = higher * f32x8::load_array_ref(simd, &self.stretch);
        higher.simd_gt(0.0).select(stretched, higher).simd_gt(least).to_bitmask()
    }
}

/// Two edges, the unit normal of both and the gap along it.
struct Crossing {
    edges: [u32; 2],
    normal: DVec3,
    gap: f64,
}

/// The crossing of edges with the greatest gap above `least`.
#[inline(always)]
fn best_crossing<S: Simd, const BLOCKS: usize>(
    simd: S,
    pair: &HullPair<'_>,
    [(above_a, known_b), (above_b, known_a)]: [(&Side<'_>, &Known); 2],
    (b_in_a, least): (&Placement, f32),
    tracer: &mut impl Tracer,
) -> Result<Option<Crossing>, NoRoom> {
    let (mut arcs_a, mut arcs_b) = (Arcs::<BLOCKS>::new(), Arcs::<BLOCKS>::new());
    let bounds = (least - pair.doubt(), pair.doubt());
    arcs_a.collect(simd, above_a, bounds, known_b, &Mat3::IDENTITY)?;
    arcs_b.collect(simd, above_b, bounds, known_a, &pair.turn)?;
    let mut best: Option<Crossing> = None;
    let mut most = f64::from(least);
    for index in 0..arcs_a.count {
        let (edge_a, [left, right, along]) = arcs_a.at(index);
        let from_a = pair.vertex_of_a(pair.a.edges()[edge_a as usize].vertices[0]);
        for place in 0..arcs_b.count.div_ceil(LANES) {
            let mut hits = crossing_arcs(simd, [left, right, along], &arcs_b, place);
            while hits != 0 {
                let at_b = place * LANES + hits.trailing_zeros() as usize;
                hits &= hits - 1;
                if at_b >= arcs_b.count {
                    break;
                }
                let (edge_b, [_, _, along_b]) = arcs_b.at(at_b);
                let from_b = pair.vertex_of_b(pair.b.edges()[edge_b as usize].vertices[0]);
                // In f32 first, with room for its rounding: most crossings are far from the best.
                let cross = along.cross(along_b);
                let cross = if cross.dot(left + right) < 0.0 { -cross } else { cross };
                let rounding = pair.doubt() * along.length() * along_b.length();
                if cross.dot(from_b - from_a) + rounding < most as f32 * cross.length() {
                    continue;
                }
                let Some((normal, gap)) = gap_of_edges(pair, [edge_a, edge_b], left + right, b_in_a) else { continue };
                tracer.axis(|| AxisStep { axis: normal, gap, kind: AxisKind::Edges([edge_a, edge_b]) });
                if gap > most {
                    most = gap;
                    best = Some(Crossing { edges: [edge_a, edge_b], normal, gap });
                }
            }
        }
    }
    Ok(best)
}

/// Which of eight edges of the second hull have arcs, seen from behind, that cross the arc of an edge of the first.
///
/// With faces left and right of each edge, an arc crosses the great circle of another where the normals at its ends are
/// on either side of that circle, whose axis is the edge.
#[inline(always)]
fn crossing_arcs<S: Simd, const BLOCKS: usize>(
    simd: S,
    [left, right, along]: [Vec3; 3],
    arcs: &Arcs<BLOCKS>,
    place: usize,
) -> u64 {
    let (left_b, right_b) =
        (lanes::products(simd, &arcs.left[place], along), lanes::products(simd, &arcs.right[place], along));
    let (left_a, right_a) =
        (lanes::products(simd, &arcs.along[place], left), lanes::products(simd, &arcs.along[place], right));
    let zero = f32x8::splat(simd, 0.0);
    let is_crossing =
        (left_b * right_b).simd_lt(zero) & (left_a * right_a).simd_lt(zero) & (left_b * right_a).simd_lt(zero);
    is_crossing.to_bitmask()
}

/// The normal of two edges, on the outer side of the first, and how far they are apart along it; none if they are
/// parallel.
fn gap_of_edges(pair: &HullPair<'_>, edges: [u32; 2], outward: Vec3, b_in_a: &Placement) -> Option<(DVec3, f64)> {
    let [ends_a, ends_b] = ends(pair, edges, b_in_a);
    let normal = (ends_a[1] - ends_a[0]).cross(ends_b[1] - ends_b[0]).try_normalize()?;
    let normal = if normal.dot(outward.as_dvec3()) < 0.0 { -normal } else { normal };
    Some((normal, normal.dot(ends_b[0] - ends_a[0])))
}

/// The ends of an edge of each hull, in the frame of the first.
fn ends(pair: &HullPair<'_>, edges: [u32; 2], b_in_a: &Placement) -> [[DVec3; 2]; 2] {
    let of = |hull: &ConvexHull, edge: u32| {
        hull.edges()[edge as usize].vertices.map(|vertex| hull.vertices()[vertex as usize].as_dvec3())
    };
    [of(pair.a, edges[0]), of(pair.b, edges[1]).map(|end| b_in_a.point_to_outer(end))]
}

/// The relation along the normal of two edges; none if something sticks out beyond them.
#[inline(always)]
fn relate_edges<S: Simd>(simd: S, pair: &HullPair<'_>, crossing: Crossing, b_in_a: &Placement) -> Option<Finding> {
    let Crossing { edges, normal, gap } = crossing;
    let [vertex_a, vertex_b] = pair.supports(simd, normal.as_vec3());
    let farthest_a = pair.vertex_of_a(vertex_a).as_dvec3();
    let farthest_b = b_in_a.point_to_outer(pair.b.vertices()[vertex_b as usize].as_dvec3());
    if normal.dot(farthest_b - farthest_a) < gap - f64::from(pair.doubt()) {
        return None;
    }
    let mut edge_b = patch::of_hull_edge(pair.b, edges[1]);
    edge_b.place(b_in_a);
    let (on_a, on_b, _) = clip::crossing(&patch::of_hull_edge(pair.a, edges[0]), &edge_b);
    Some(Finding::Touching(Relation { normal, separation: gap, on_a, on_b }, Meeting::Edges(edges)))
}

fn relate_face_of_a(pair: &HullPair<'_>, face: u32, near: u32, b_in_a: &Placement) -> Finding {
    let (normal, offset) = patch::hull_face_plane(pair.a, face);
    let vertex_of_b = pair.b.support_vertex_wide(b_in_a.direction_to_inner(-normal), near);
    let on_b = b_in_a.point_to_outer(pair.b.vertices()[vertex_of_b as usize].as_dvec3());
    let separation = normal.dot(on_b) - offset;
    let relation = Relation { normal, separation, on_a: on_b - separation * normal, on_b };
    Finding::Touching(relation, Meeting::FaceOfA { face, vertex_of_b })
}

fn relate_face_of_b(pair: &HullPair<'_>, face: u32, b_in_a: &Placement) -> Finding {
    let (normal_in_b, offset) = patch::hull_face_plane(pair.b, face);
    let normal = -b_in_a.direction_to_outer(normal_in_b);
    let vertex_of_a = pair.a.support_vertex_wide(normal, u32::MAX);
    let on_a = pair.vertex_of_a(vertex_of_a).as_dvec3();
    let separation = normal_in_b.dot(b_in_a.point_to_inner(on_a)) - offset;
    let relation = Relation { normal, separation, on_a, on_b: on_a + separation * normal };
    Finding::Touching(relation, Meeting::FaceOfB { face, vertex_of_a })
}
