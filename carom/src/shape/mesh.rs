//! A surface of triangles.

pub(crate) mod topology;

use super::error::{degeneracy, finite_vertices};
use super::{ConvexHull, ShapeError, ShapeKind};
use crate::bounds::Aabb;
use crate::mesh_tree::{MeshTree, PARALLEL};
use glam::Vec3;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::OnceLock;
use topology::Topology;

/// Triangles over a list of vertices; concave and open surfaces are welcome. A triangle's outside sees its corners
/// run counter-clockwise.
#[derive(Debug, Clone)]
pub struct TriangleMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    tree: OnceLock<MeshTree>,
    topology: OnceLock<Topology>,
    ridges: OnceLock<Vec<u8>>,
    hull: OnceLock<Option<Box<ConvexHull>>>,
}

/// What [`TriangleMesh::repaired`] had to change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MeshRepair {
    /// How many vertices were merged into an earlier one at the same place.
    pub merged_vertices: usize,
    /// The triangles that were left out because they have no area, by their index in the input.
    pub dropped_triangles: Vec<usize>,
}

impl TriangleMesh {
    /// A mesh of at least one triangle. Every index must exist, every vertex be finite, every triangle have an area:
    /// the error names the first that is not so. [`TriangleMesh::repaired`] is lenient instead.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        let shape = ShapeKind::Mesh;
        check_indices(&vertices, &triangles)?;
        let fault = |(triangle, corners): (usize, &[u32; 3])| {
            let reason = degeneracy(corners.map(|corner| vertices[corner as usize]))?;
            Some(ShapeError::DegenerateTriangle { shape, triangle, reason })
        };
        let first = if triangles.len() >= PARALLEL {
            triangles.par_iter().with_min_len(PARALLEL / 4).enumerate().find_map_first(fault)
        } else {
            triangles.iter().enumerate().find_map(fault)
        };
        first.map_or_else(|| Ok(Self::sound(vertices, triangles)), Err)
    }

    /// A mesh from what modelling programs write: vertices at the same place are merged, triangles without area are
    /// left out, and the second value says which. What is not finite or out of range is still an error.
    ///
    /// ```
    /// use carom::prelude::*;
    /// use carom::shape::TriangleMesh;
    ///
    /// let vertices = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X];
    /// let (mesh, repair) = TriangleMesh::repaired(&vertices, &[[0, 3, 2], [1, 3, 2]])?;
    /// assert_eq!(mesh.triangles(), [[0, 1, 2]]);
    /// assert_eq!((repair.merged_vertices, repair.dropped_triangles), (1, vec![1]));
    /// # Ok::<(), ShapeError>(())
    /// ```
    pub fn repaired(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<(Self, MeshRepair), ShapeError> {
        check_indices(vertices, triangles)?;
        let mut kept = Vec::with_capacity(vertices.len());
        let mut first_at: HashMap<[u32; 3], u32> = HashMap::with_capacity(vertices.len());
        let renumbered: Vec<u32> = vertices
            .iter()
            .map(|vertex| {
                // Adding zero turns -0 into +0, so that both are one place.
                *first_at.entry((*vertex + Vec3::ZERO).to_array().map(f32::to_bits)).or_insert_with(|| {
                    kept.push(*vertex);
                    kept.len() as u32 - 1
                })
            })
            .collect();
        let mut repair = MeshRepair { merged_vertices: vertices.len() - kept.len(), ..MeshRepair::default() };
        let mut sound = Vec::with_capacity(triangles.len());
        for (index, corners) in triangles.iter().enumerate() {
            let corners = corners.map(|corner| renumbered[corner as usize]);
            match degeneracy(corners.map(|corner| kept[corner as usize])) {
                Some(_) => repair.dropped_triangles.push(index),
                None => sound.push(corners),
            }
        }
        if sound.is_empty() {
            return Err(ShapeError::Empty { shape: ShapeKind::Mesh, what: "triangles with an area" });
        }
        Ok((Self::sound(kept, sound), repair))
    }

    fn sound(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        let (tree, topology) = (OnceLock::new(), OnceLock::new());
        Self { vertices, triangles, tree, topology, ridges: OnceLock::new(), hull: OnceLock::new() }
    }

    /// The vertices.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The triangles, as indices of their corners.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of triangle `index`.
    ///
    /// # Panics
    ///
    /// If `index` is not one of [`TriangleMesh::triangles`].
    pub fn corners(&self, index: usize) -> [Vec3; 3] {
        self.triangles[index].map(|corner| self.vertices[corner as usize])
    }

    /// The tree over the triangles that queries walk. It is built when it is first asked for, here or by a query.
    pub fn tree(&self) -> &MeshTree {
        self.tree.get_or_init(|| MeshTree::new(&self.vertices, &self.triangles))
    }

    /// Calls `visit` with the index and the corners of each triangle whose box overlaps `bounds`, and of a few whose
    /// box comes near it: the tree's boxes are rounded outward by at most a 255th of a group of eight.
    ///
    /// ```
    /// use carom::bounds::Aabb;
    /// use carom::prelude::*;
    /// use carom::shape::TriangleMesh;
    ///
    /// let wings = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y, -Vec3::X], vec![[0, 1, 2], [0, 2, 3]])?;
    /// let mut found = Vec::new();
    /// let bounds = Aabb::new(Vec3::new(0.2, 0.2, -1.0), Vec3::ONE);
    /// wings.visit_overlapping(&bounds, |triangle, corners| found.push((triangle, corners[1])));
    /// assert_eq!(found, [(0, Vec3::X)]);
    /// # Ok::<(), ShapeError>(())
    /// ```
    pub fn visit_overlapping(&self, bounds: &Aabb, mut visit: impl FnMut(u32, [Vec3; 3])) {
        self.tree().visit_slots(bounds, |slot| visit(slot.triangle, slot.corners(&self.vertices)));
    }

    /// Whether the surface has no border: every edge, by the places of its ends, is run through as often in one
    /// direction as in the other, so that it is told at every point off the surface how often the surface goes around
    /// it. Found out when it is first asked for.
    pub fn is_closed(&self) -> bool {
        self.topology().is_closed
    }

    /// A vertex of each connected piece of the surface.
    pub(crate) fn pieces(&self) -> &[u32] {
        &self.topology().pieces
    }

    /// Which edges of each triangle can be touched; see [`topology::ridges`].
    pub(crate) fn ridges(&self) -> &[u8] {
        self.ridges.get_or_init(|| topology::ridges(&self.vertices, &self.triangles))
    }

    /// The hull of the vertices, computed when it is first asked for; none if they span no volume.
    pub(crate) fn hull(&self) -> Option<&ConvexHull> {
        self.hull.get_or_init(|| ConvexHull::new(&self.vertices).ok().map(Box::new)).as_deref()
    }

    /// Whether the surface is closed and each of its pieces looks outward.
    pub(crate) fn is_solid(&self) -> bool {
        self.topology().is_closed && self.topology().is_outward
    }

    fn topology(&self) -> &Topology {
        self.topology.get_or_init(|| Topology::new(&self.vertices, &self.triangles))
    }
}

/// Equal vertices and triangles; what was computed from them does not count.
impl PartialEq for TriangleMesh {
    fn eq(&self, other: &Self) -> bool {
        self.vertices == other.vertices && self.triangles == other.triangles
    }
}

fn check_indices(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), ShapeError> {
    let shape = ShapeKind::Mesh;
    if vertices.is_empty() {
        return Err(ShapeError::Empty { shape, what: "vertices" });
    }
    if triangles.is_empty() {
        return Err(ShapeError::Empty { shape, what: "triangles" });
    }
    for (what, count) in [("vertices", vertices.len()), ("triangles", triangles.len())] {
        if count > u32::MAX as usize {
            return Err(ShapeError::TooMany { shape, what, count, limit: u32::MAX as usize });
        }
    }
    finite_vertices(shape, vertices)?;
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(corner) = corners.iter().position(|&index| index as usize >= vertices.len()) {
            let index = corners[corner];
            return Err(ShapeError::IndexOutOfRange { shape, triangle, corner, index, vertices: vertices.len() });
        }
    }
    Ok(())
}
