//! The vertices and planes of a hull eight at a time, for searches that compare all of them in f32.
//!
//! Each answer is the same at every width of the machine: of equal ones, the one with the lowest number. It is right to
//! within the rounding of three products: who needs more, measures what was found in f64.
//! Cost: a few instructions for eight vertices or faces; 12 bytes a vertex and 16 a face.

use super::{ConvexHull, FacePlane};
use fearless_simd::{Select, Simd, SimdBase, SimdMask, f32x8, u32x8};
use glam::Vec3;

/// How many are compared at a time.
pub(crate) const LANES: usize = 8;

/// The x, y and z of eight vertices.
pub(crate) type VertexBlock = [[f32; LANES]; 3];

/// The x, y and z of the normals of eight planes, and their offsets.
pub(crate) type PlaneBlock = [[f32; LANES]; 4];

/// See [`prepare`].
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct HullLanes {
    vertices: Vec<VertexBlock>,
    planes: Vec<PlaneBlock>,
}

impl ConvexHull {
    /// The vertices, filled up to an even number of blocks with the first.
    pub(crate) fn vertex_blocks(&self) -> &[VertexBlock] {
        &self.lanes.vertices
    }

    /// The planes, filled up to whole blocks with planes that everything is far below of.
    pub(crate) fn plane_blocks(&self) -> &[PlaneBlock] {
        &self.lanes.planes
    }
}

/// Fills in the lanes of a hull that has its vertices and planes.
pub(super) fn prepare(hull: &mut ConvexHull) {
    let first = hull.vertices.first().copied().unwrap_or_default();
    let mut vertices: Vec<VertexBlock> = vec![[[0.0; LANES]; 3]; 2 * hull.vertices.len().div_ceil(2 * LANES)];
    for index in 0..vertices.len() * LANES {
        let vertex = hull.vertices.get(index).copied().unwrap_or(first);
        for (row, number) in vertices[index / LANES].iter_mut().zip(vertex.to_array()) {
            row[index % LANES] = number;
        }
    }
    let nowhere = FacePlane { normal: Vec3::ZERO, offset: f32::MAX };
    let mut planes: Vec<PlaneBlock> = vec![[[0.0; LANES]; 4]; hull.planes.len().div_ceil(LANES)];
    for index in 0..planes.len() * LANES {
        let plane = hull.planes.get(index).copied().unwrap_or(nowhere);
        let numbers = plane.normal.extend(plane.offset).to_array();
        for (row, number) in planes[index / LANES].iter_mut().zip(numbers) {
            row[index % LANES] = number;
        }
    }
    hull.lanes = HullLanes { vertices, planes };
}

/// The products of eight points with a direction.
#[inline(always)]
pub(crate) fn products<S: Simd>(simd: S, points: &VertexBlock, direction: Vec3) -> f32x8<S> {
    f32x8::load_array_ref(simd, &points[0]) * direction.x
        + f32x8::load_array_ref(simd, &points[1]) * direction.y
        + f32x8::load_array_ref(simd, &points[2]) * direction.z
}

/// How high a point is above eight planes.
#[inline(always)]
pub(crate) fn heights<S: Simd>(simd: S, planes: &PlaneBlock, point: Vec3) -> f32x8<S> {
    f32x8::load_array_ref(simd, &planes[0]) * point.x
        + f32x8::load_array_ref(simd, &planes[1]) * point.y
        + f32x8::load_array_ref(simd, &planes[2]) * point.z
        - f32x8::load_array_ref(simd, &planes[3])
}

/// The vertex with the greatest product with a direction.
#[inline(always)]
pub(crate) fn farthest<S: Simd>(simd: S, blocks: &[VertexBlock], direction: Vec3) -> u32 {
    // Two rows at a time, so that one need not wait for the other.
    let mut even = Greatest::new(simd);
    let mut odd = Greatest::new(simd);
    let mut number = 0;
    for pair in blocks.chunks_exact(2) {
        even.take_in(products(simd, &pair[0], direction), u32x8::splat(simd, number));
        odd.take_in(products(simd, &pair[1], direction), u32x8::splat(simd, number + 1));
        number += 2;
    }
    let is_odd = odd.values.simd_gt(even.values);
    // Among equals the lower number: an odd block may be before an even one.
    let is_odd = is_odd | (odd.values.simd_eq(even.values) & odd.blocks.simd_lt(even.blocks));
    let whole =
        Greatest { values: is_odd.select(odd.values, even.values), blocks: is_odd.select(odd.blocks, even.blocks) };
    whole.index().0
}

/// The least and the greatest products with three directions, to within rounding.
#[inline(always)]
pub(crate) fn extents<S: Simd>(simd: S, blocks: &[VertexBlock], directions: [Vec3; 3]) -> [Vec3; 2] {
    let mut least = [f32x8::splat(simd, f32::INFINITY); 3];
    let mut greatest = [f32x8::splat(simd, f32::NEG_INFINITY); 3];
    for block in blocks {
        for axis in 0..3 {
            let along = products(simd, block, directions[axis]);
            least[axis] = least[axis].min(along);
            greatest[axis] = greatest[axis].max(along);
        }
    }
    [
        Vec3::new(least[0].reduce_min(), least[1].reduce_min(), least[2].reduce_min()),
        Vec3::new(greatest[0].reduce_max(), greatest[1].reduce_max(), greatest[2].reduce_max()),
    ]
}

/// The face that a point is highest above, and how high.
#[inline(always)]
pub(crate) fn highest<S: Simd>(simd: S, blocks: &[PlaneBlock], point: Vec3) -> (u32, f32) {
    let mut greatest = Greatest::new(simd);
    for (number, block) in blocks.iter().enumerate() {
        greatest.take_in(heights(simd, block, point), u32x8::splat(simd, number as u32));
    }
    greatest.index()
}

/// The greatest value of each lane so far, and in which block it was.
pub(crate) struct Greatest<S: Simd> {
    values: f32x8<S>,
    blocks: u32x8<S>,
}

impl<S: Simd> Greatest<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S) -> Self {
        Self { values: f32x8::splat(simd, f32::NEG_INFINITY), blocks: u32x8::splat(simd, 0) }
    }

    #[inline(always)]
    pub(crate) fn take_in(&mut self, values: f32x8<S>, block: u32x8<S>) {
        let is_greater = values.simd_gt(self.values);
        self.blocks = is_greater.select(block, self.blocks);
        self.values = is_greater.select(values, self.values);
    }

    /// The number of the greatest value, and that value; 0 if there is none, or if it is not a number.
    #[inline(always)]
    pub(crate) fn index(&self) -> (u32, f32) {
        let most = self.values.reduce_max();
        let mut lanes = self.values.simd_eq(most).to_bitmask();
        let blocks = self.blocks.to_array();
        let mut first = u32::MAX;
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            lanes &= lanes - 1;
            first = first.min(blocks[lane as usize % LANES] * LANES as u32 + lane);
        }
        (if first == u32::MAX { 0 } else { first }, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::{Level, dispatch};

    #[test]
    fn lanes_find_what_a_loop_finds() {
        let mut random = fastrand::Rng::with_seed(9);
        for round in 0..300 {
            let count = random.usize(4..90);
            let mut number = || random.f32() * 2.0 - 1.0;
            // Now and then on a grid, so that many are equal.
            let round_to = |x: f32| if round % 3 == 0 { (2.0 * x).round() } else { x };
            let points: Vec<Vec3> =
                (0..count).map(|_| Vec3::new(round_to(number()), round_to(number()), round_to(number()))).collect();
            let Ok(hull) = ConvexHull::new(&points) else { continue };
            let direction = Vec3::new(round_to(number()), round_to(number()), round_to(number()));
            let greatest = |values: Vec<f32>| {
                let mut best = 0;
                for (index, value) in values.iter().enumerate() {
                    if *value > values[best] {
                        best = index;
                    }
                }
                best as u32
            };
            let product = |v: &Vec3| v.x * direction.x + v.y * direction.y + v.z * direction.z;
            let expected = greatest(hull.vertices().iter().map(product).collect());
            let height = |plane: &FacePlane| product(&plane.normal) - plane.offset;
            let expected_face = greatest(hull.planes().iter().map(height).collect());
            let levels = [Level::new(), Level::baseline()];
            for level in levels {
                let found = dispatch!(level, simd => farthest(simd, hull.vertex_blocks(), direction));
                assert_eq!(found, expected, "{level:?}, round {round}");
                let found = dispatch!(level, simd => highest(simd, hull.plane_blocks(), direction)).0;
                assert_eq!(found, expected_face, "{level:?}, round {round}");
            }
        }
    }

    /// The same bits as one by one, at every width.
    #[test]
    fn lanes_reach_as_far_as_a_loop() {
        let mut random = fastrand::Rng::with_seed(10);
        for round in 0..300 {
            let count = random.usize(4..90);
            let size = 10f32.powi(random.i32(-30..30));
            let mut vector = || Vec3::from_array(std::array::from_fn(|_| random.f32() * 2.0 - 1.0));
            let aside = vector() * [0.0, 1.0, 30.0][round % 3];
            let points: Vec<Vec3> = (0..count).map(|_| (vector() + aside) * size).collect();
            let directions = [vector(), vector(), vector()];
            let Ok(hull) = ConvexHull::new(&points) else { continue };
            let product = |v: &Vec3, d: Vec3| v.x * d.x + v.y * d.y + v.z * d.z;
            let along = directions.map(|direction| hull.vertices().iter().map(move |v| product(v, direction)));
            let least = along.clone().map(|along| along.fold(f32::INFINITY, f32::min));
            let greatest = along.map(|along| along.fold(f32::NEG_INFINITY, f32::max));
            for level in [Level::new(), Level::baseline()] {
                let found = dispatch!(level, simd => extents(simd, hull.vertex_blocks(), directions));
                assert_eq!(found, [least, greatest].map(Vec3::from_array), "{level:?}, round {round}");
            }
        }
    }
}
