//! The edges of two hulls whose crossing has the widest gap: see `axes` for why, and for the bounds.

use super::faces::Known;
use super::{HullPair, Side};
use crate::distance::placement::Placement;
use crate::shape::ConvexHull;
use crate::shape::hull::lanes::{self, LANES, PlaneBlock, VertexBlock};
use crate::trace::{AxisKind, AxisStep, Tracer};
use fearless_simd::{Select, Simd, SimdBase, SimdMask, f32x8};
use glam::{DVec3, Mat3, Vec3};

/// The most blocks of edges of a hull that may be left to cross with the other's, in a small frame and in a large one.
const FEW_BLOCKS: usize = 4;
const MANY_BLOCKS: usize = 64;

/// There are more edges than a stack frame holds.
struct NoRoom;

/// Two edges, the unit normal of both and the gap along it.
pub(super) struct Crossing {
    pub(super) edges: [u32; 2],
    pub(super) normal: DVec3,
    pub(super) gap: f64,
}

/// The crossing of edges with the greatest gap above `least`; nothing at all if there is no room for the edges that are
/// left.
#[inline(always)]
pub(super) fn best_crossing<S: Simd>(
    simd: S,
    pair: &HullPair<'_>,
    sides: [(&Side<'_>, &Known); 2],
    question: (&Placement, f32),
    tracer: &mut impl Tracer,
) -> Option<Option<Crossing>> {
    // Nearly always there is room for what is left in a small frame.
    match best_of::<S, FEW_BLOCKS>(simd, pair, sides, question, tracer) {
        Ok(crossing) => Some(crossing),
        // A function of its own, so that its frame is there only when it is needed.
        Err(NoRoom) => simd
            .vectorize(
                #[inline(always)]
                || best_of::<S, MANY_BLOCKS>(simd, pair, sides, question, tracer),
            )
            .ok(),
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
                    let cosine = hull.arc_cosines()[edge as usize];
                    // The two faces of a thin hull look opposite ways: then there is no bound.
                    batch.stretch[batch.count] = if cosine > 1e-3 { 1.0 / cosine } else { f32::MAX };
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

/// The same, with room for so many blocks of edges.
#[inline(always)]
fn best_of<S: Simd, const BLOCKS: usize>(
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
