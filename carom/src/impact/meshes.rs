//! When two meshes first touch whose vertices move linearly, each on its own: cloth, soft bodies, anything that
//! deforms.
//!
//! Surfaces that start apart touch first where a vertex meets a face or an edge an edge. Each feature of the one mesh
//! looks in a tree over the boxes of the other's, which hold whole ways, for those it may meet, asks `pack.rs` about four
//! of them at a time, and `walk.rs` about what is left, with the best time so far as the end. The result does not depend
//! on the order: of equal times, the first pair in the order of features is taken, and what a query returns does not
//! depend on its end, if it is before it.
//! Cost: n log n for the trees, then some hundred nanoseconds for each pair of boxes that meet; on all cores.

use super::moving_tree::{MovingTree, SweptBox};
use super::pack::{self, Query};
use super::{ImpactError, Kind, Outcome, Status, Terms, features};
use fearless_simd::Level;
use glam::DVec3;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// A mesh with its vertices at the start and at the end of a step.
#[derive(Debug, Clone)]
pub struct MovingMesh {
    start: Vec<DVec3>,
    end: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Each once, the smaller index first, sorted.
    edges: Vec<[u32; 2]>,
}

/// Why a moving mesh was refused.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MovingMeshError {
    /// A vertex is NaN or infinite.
    #[error("vertex {index} is {value}, which is not finite")]
    NotFinite {
        /// Which vertex.
        index: usize,
        /// Its coordinates.
        value: DVec3,
    },
    /// There are not as many vertices at the end as at the start.
    #[error("there are {start} vertices at the start and {end} at the end")]
    Lengths {
        /// At the start.
        start: usize,
        /// At the end.
        end: usize,
    },
    /// A triangle has a corner that is not there.
    #[error("triangle {triangle} has the corner {corner}, but there are {count} vertices")]
    Corner {
        /// Which triangle.
        triangle: usize,
        /// Which vertex it names.
        corner: u32,
        /// How many there are.
        count: usize,
    },
}

/// The first touch of two meshes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshTouch {
    /// Proven: before this time they do not touch.
    pub time: f64,
    /// What is known of it.
    pub status: Status,
    /// Where.
    pub place: Place,
}

/// Which features of two meshes touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A vertex of the first and a triangle of the second.
    VertexFace {
        /// The vertex.
        vertex: u32,
        /// The triangle.
        face: u32,
    },
    /// A triangle of the first and a vertex of the second.
    FaceVertex {
        /// The triangle.
        face: u32,
        /// The vertex.
        vertex: u32,
    },
    /// An edge of each.
    EdgeEdge {
        /// The ends of the edge of the first.
        a: [u32; 2],
        /// The ends of the edge of the second.
        b: [u32; 2],
    },
}

impl MovingMesh {
    /// A mesh of triangles; vertices that none has are left out of contacts.
    pub fn new(start: Vec<DVec3>, end: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MovingMeshError> {
        if start.len() != end.len() {
            return Err(MovingMeshError::Lengths { start: start.len(), end: end.len() });
        }
        for vertices in [&start, &end] {
            if let Some((index, &value)) = vertices.iter().enumerate().find(|(_, vertex)| !vertex.is_finite()) {
                return Err(MovingMeshError::NotFinite { index, value });
            }
        }
        let mut edges = Vec::with_capacity(3 * triangles.len());
        for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
            for corner in [a, b, c] {
                if corner as usize >= start.len() {
                    return Err(MovingMeshError::Corner { triangle, corner, count: start.len() });
                }
            }
            edges.extend([[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]));
        }
        edges.sort_unstable();
        edges.dedup();
        Ok(Self { start, end, triangles, edges })
    }

    /// The vertices that triangles have, each once.
    fn used(&self) -> Vec<u32> {
        let mut used: Vec<u32> = self.triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    fn swept(&self, corners: &[u32]) -> SweptBox {
        SweptBox::around(corners.iter().flat_map(|&corner| [self.start[corner as usize], self.end[corner as usize]]))
    }

    /// The query of some corners with those of another mesh.
    fn query(&self, corners: &[u32], other: &Self, others: &[u32]) -> Query {
        let point = |place: usize, at: fn(&Self) -> &[DVec3]| match corners.get(place) {
            Some(&corner) => at(self)[corner as usize],
            None => at(other)[others[place - corners.len()] as usize],
        };
        let start = std::array::from_fn(|place| point(place, |mesh| &mesh.start));
        let end = std::array::from_fn(|place| point(place, |mesh| &mesh.end));
        [start, end]
    }
}

/// When two meshes first touch. Meshes that intersect already at the start may do so where no features meet: see the
/// crate's `query::overlap` for those.
///
/// ```
/// use carom::glam::DVec3;
/// use carom::impact::{MovingMesh, Place, Terms, meshes};
///
/// let triangle = |height: f64| [[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]].map(|[x, z]| DVec3::new(x, height, z)).to_vec();
/// let floor = MovingMesh::new(triangle(0.0), triangle(0.0), vec![[0, 1, 2]])?;
/// let needle = |height: f64| [[1.0, 0.0], [1.0, 5.0], [1.5, 5.0]].map(|[x, y]| DVec3::new(x, height + y, 1.0));
/// let falling = MovingMesh::new(needle(1.0).to_vec(), needle(-1.0).to_vec(), vec![[0, 1, 2]])?;
/// let touch = meshes(&floor, &falling, &Terms::default())?;
/// assert!(touch.is_some_and(|touch| touch.time <= 0.5 && touch.time > 0.4999));
/// assert_eq!(touch.map(|touch| touch.place), Some(Place::FaceVertex { face: 0, vertex: 0 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn meshes(a: &MovingMesh, b: &MovingMesh, terms: &Terms) -> Result<Option<MeshTouch>, ImpactError> {
    terms.checked()?;
    let best = AtomicU64::new(terms.until.to_bits());
    let room = terms.separation + terms.tolerance;
    let search = Search { a, b, terms, best: &best, room, level: crate::simd::level() };
    let mut first = search.edges()?;
    for found in [search.vertices_and_faces(false)?, search.vertices_and_faces(true)?] {
        first = earlier(first, found);
    }
    Ok(first)
}

struct Search<'s> {
    a: &'s MovingMesh,
    b: &'s MovingMesh,
    terms: &'s Terms,
    best: &'s AtomicU64,
    room: f64,
    level: Level,
}

type Found = Result<Option<MeshTouch>, ImpactError>;

impl Search<'_> {
    fn edges(&self) -> Found {
        let tree = MovingTree::new(self.b.edges.iter().map(|edge| self.b.swept(edge)).collect());
        let each = |edge: &[u32; 2]| {
            self.nearest(&tree, &self.a.swept(edge), Kind::EdgeEdge, |other| {
                let b = self.b.edges[other];
                (self.a.query(edge, self.b, &b), Place::EdgeEdge { a: *edge, b })
            })
        };
        self.a.edges.par_iter().map(each).try_reduce(|| None, |p, q| Ok(earlier(p, q)))
    }

    fn vertices_and_faces(&self, is_mirrored: bool) -> Found {
        let (one, other) = if is_mirrored { (self.b, self.a) } else { (self.a, self.b) };
        let tree = MovingTree::new(other.triangles.iter().map(|corners| other.swept(corners)).collect());
        let each = |vertex: &u32| {
            self.nearest(&tree, &one.swept(&[*vertex]), Kind::VertexFace, |face| {
                let query = one.query(&[*vertex], other, &other.triangles[face]);
                let (vertex, face) = (*vertex, face as u32);
                let place =
                    if is_mirrored { Place::FaceVertex { face, vertex } } else { Place::VertexFace { vertex, face } };
                (query, place)
            })
        };
        one.used().par_iter().map(each).try_reduce(|| None, |p, q| Ok(earlier(p, q)))
    }

    /// The first touch of one feature with those of a tree, if it is no later than the best so far.
    fn nearest(
        &self,
        tree: &MovingTree,
        swept: &SweptBox,
        kind: Kind,
        query: impl Fn(usize) -> (Query, Place),
    ) -> Found {
        let mut first = None;
        let mut waiting = [0; pack::LANES];
        let mut count = 0;
        tree.visit(&swept.grown(self.room), &mut |item| {
            waiting[count] = item;
            count += 1;
            if count == waiting.len() {
                count = 0;
                first = earlier(first, self.first_of(kind, waiting.map(&query))?);
            }
            Ok(())
        })?;
        if count > 0 {
            // The last one takes the lanes that are left over; asked again it finds the same.
            let last = waiting[count - 1];
            waiting[count..].fill(last);
            first = earlier(first, self.first_of(kind, waiting.map(&query))?);
        }
        Ok(first)
    }

    /// The first touch of a pack of queries.
    fn first_of(&self, kind: Kind, queries: [(Query, Place); pack::LANES]) -> Found {
        let [a, b, c, d] = &queries;
        let free =
            if self.terms.separation == 0.0 { pack::are_free(self.level, kind, &[&a.0, &b.0, &c.0, &d.0]) } else { 0 };
        let mut first = None;
        for (lane, ([start, end], place)) in queries.iter().enumerate() {
            if free >> lane & 1 == 1 {
                continue;
            }
            // Equal times are looked at as well: the order of features decides between them.
            let until = f64::from_bits(self.best.load(Ordering::Relaxed)).next_up().min(1.0);
            if let Outcome::Hit { time, status } = features(kind, start, end, &Terms { until, ..*self.terms })?
                && time <= self.terms.until
            {
                // Times are not negative, so that their bits are in order.
                self.best.fetch_min(time.to_bits(), Ordering::Relaxed);
                first = earlier(first, Some(MeshTouch { time, status, place: *place }));
            }
        }
        Ok(first)
    }
}

/// The earlier touch, or of two at one time the first in the order of features.
fn earlier(p: Option<MeshTouch>, q: Option<MeshTouch>) -> Option<MeshTouch> {
    match (p, q) {
        (Some(p), Some(q)) => Some(if (q.time, q.place) < (p.time, p.place) { q } else { p }),
        (p, q) => p.or(q),
    }
}
