//! S3: a concave solid as a union of convex hulls, so that dynamics and queries can treat it as convex parts.
//!
//! [`decompose`] cuts the solid by planes until the hull of each piece stays within a distance of the solid, and joins the
//! hulls that need not have been cut apart. Two things always hold: the hulls together enclose the solid up to f32
//! rounding, and [`Decomposition::bound`] is a proven limit on how far they reach out of it, in holes and cavities too.
//!
//! The stages: `fragment` and `cell` cut the surface and find the extreme points of a piece; `pockets` are points that
//! no hull may hold; `search` picks the next cut; `measure` proves how far a hull reaches out; `merge` joins; `reduce`
//! keeps to the budget of vertices. Sources are named there.

mod cell;
mod fragment;
mod measure;
mod merge;
mod pockets;
mod reduce;
mod reflex;
mod search;
mod solid;

use crate::pose::LocalPose;
use crate::shape::{ConvexHull, Part, Shape, ShapeError, TriangleMesh};
use cell::Cell;
use fragment::Fragment;
use glam::DVec3;
use measure::{Question, measure};
use merge::Merge;
use pockets::{HullPlanes, Pocket};
use reduce::Reduced;
use reflex::ReflexEdge;
use search::Search;
use solid::Solid;
use std::ops::ControlFlow;

/// So many pieces are cut only because their hulls are too large with the vertices that they may have.
const MAX_VERTEX_CUTS: usize = 32;

/// What is asked of a decomposition.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How far a hull may reach out of the solid, as a share of half the longest side of the box around the mesh.
    pub concavity: f64,
    /// How many hulls there may be. Where that is too few for the concavity, hulls are joined beyond it.
    pub max_hulls: usize,
    /// How many vertices a hull may have, at least 4. A hull with fewer vertices is larger, so it may take more hulls.
    pub max_vertices: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { concavity: 0.05, max_hulls: 256, max_vertices: 256 }
    }
}

/// A solid as a union of convex hulls.
#[derive(Debug, Clone, PartialEq)]
pub struct Decomposition {
    /// The hulls, in the frame of the mesh.
    pub hulls: Vec<ConvexHull>,
    /// Whether the concavity that was asked for is reached, and if not, why.
    pub outcome: Outcome,
    found: f64,
    bound: f64,
}

/// How a decomposition ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// No hull reaches farther out of the solid than was asked for.
    Reached,
    /// So few hulls were allowed that some reach farther out.
    HullBudget,
    /// So few vertices were allowed that some hulls reach farther out.
    VertexBudget,
    /// No cut was found that helps, or there were too many pieces.
    WorkLimit,
}

impl Decomposition {
    /// How far a hull reaches out of the solid, as far as was found, as a share of half the longest side of its box.
    pub fn concavity(&self) -> f64 {
        self.found
    }

    /// Proven: no point of a hull is farther from the solid than this share of half the longest side of its box.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// One shape of all hulls.
    pub fn into_compound(self) -> Result<Shape, ShapeError> {
        let part = |hull| Part { pose: LocalPose::IDENTITY, shape: Shape::from(hull) };
        Shape::compound(self.hulls.into_iter().map(part).collect())
    }
}

/// How far a decomposition has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// How many pieces there are.
    pub pieces: usize,
    /// How many of them are still to be cut.
    pub unfinished: usize,
}

/// What a decomposition does at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Pieces are cut.
    Cutting,
    /// Hulls are joined.
    Joining,
    /// The result is measured.
    Measuring,
}

/// Why a mesh could not be decomposed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DecompositionError {
    /// The mesh has a border, or triangles that face against their neighbours, so it is not told what is inside.
    #[error("the mesh is not closed, so it has no inside; close its holes and let all triangles face outward")]
    NotClosed,
    /// The mesh is flat.
    #[error("the mesh encloses no volume")]
    NoVolume,
    /// A setting is out of its range.
    #[error("{what} is {value}; it must be {range}")]
    Setting {
        /// The setting.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// The caller broke it off.
    #[error("the decomposition was broken off")]
    BrokenOff,
    /// A hull could not be made, as on coordinates at the end of f32's range.
    #[error(transparent)]
    Hull(#[from] ShapeError),
}

/// Decomposes a closed mesh into convex hulls. The same mesh and settings give the same hulls, on any number of threads.
///
/// ```
/// use carom::decomposition::{Outcome, Settings, decompose};
/// use carom::prelude::*;
/// use carom::shape::TriangleMesh;
///
/// // A prism over an L.
/// let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
/// let vertices = [0.0, 1.0].iter().flat_map(|&z| outline.map(|[x, y]| Vec3::new(x, y, z))).collect();
/// let mut triangles = Vec::new();
/// for i in 0..6 {
///     let next = (i + 1) % 6;
///     triangles.extend([[i, next, i + 6], [next, next + 6, i + 6]]);
/// }
/// for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
///     triangles.extend([[a, c, b], [a + 6, b + 6, c + 6]]);
/// }
/// let parts = decompose(&TriangleMesh::new(vertices, triangles)?, &Settings::default())?;
/// assert_eq!((parts.hulls.len(), parts.outcome), (2, Outcome::Reached));
/// let body = Body::dynamic().shape(parts.into_compound()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`DecompositionError::NotClosed`] for a mesh with a border: see [`TriangleMesh::is_closed`], and
/// [`TriangleMesh::repaired`] for one that only repeats vertices. [`DecompositionError::NoVolume`],
/// [`DecompositionError::Setting`], and [`DecompositionError::Hull`] near the end of f32's range.
pub fn decompose(mesh: &TriangleMesh, settings: &Settings) -> Result<Decomposition, DecompositionError> {
    decompose_with(mesh, settings, |_| ControlFlow::Continue(()))
}

/// As [`decompose`], telling `progress` how far it is at every piece; that can break it off.
///
/// # Errors
///
/// Those of [`decompose`], and [`DecompositionError::BrokenOff`].
pub fn decompose_with(
    mesh: &TriangleMesh,
    settings: &Settings,
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Decomposition, DecompositionError> {
    settings.check()?;
    let solid = Solid::new(mesh)?;
    let threshold = settings.concavity * solid.size;
    let (pockets, pieces, is_stuck) = Cutting::new(&solid, threshold, settings)?.run(&mut progress)?;
    let mut is_broken_off = false;
    let hulls = pieces.into_iter().map(Some).collect();
    let joined = Merge { solid: &solid, pockets: &pockets, threshold, settings, hulls }.run(|pieces| {
        is_broken_off |= progress(Progress { stage: Stage::Joining, pieces, unfinished: 0 }).is_break();
        !is_broken_off
    });
    if is_broken_off {
        return Err(DecompositionError::BrokenOff);
    }
    finish(&solid, threshold, settings, joined, is_stuck, &mut progress)
}

impl Settings {
    fn check(&self) -> Result<(), DecompositionError> {
        let fault = |what, value, range| Err(DecompositionError::Setting { what, value, range });
        if !(1e-4..=10.0).contains(&self.concavity) {
            return fault("the concavity", self.concavity, "from 0.0001 to 10");
        }
        if self.max_hulls == 0 {
            return fault("the number of hulls", 0.0, "at least 1");
        }
        if self.max_vertices < 4 {
            return fault("the number of vertices", self.max_vertices as f64, "at least 4");
        }
        Ok(())
    }
}

/// A part of the solid within a cell.
struct Piece {
    fragment: Fragment,
    cell: Cell,
    reflex: Vec<u32>,
    hull: Reduced,
    /// The pockets that the hull holds.
    held: Vec<u32>,
    /// The depth of the deepest of them; zero if none is beyond the threshold.
    depth: f64,
}

/// The first stage: pieces whose hulls hold no pocket.
struct Cutting<'a> {
    solid: &'a Solid<'a>,
    threshold: f64,
    settings: &'a Settings,
    pockets: Vec<Pocket>,
    reflex: Vec<ReflexEdge>,
    unfinished: Vec<Piece>,
    finished: Vec<Reduced>,
    /// How many pieces were cut for the sake of their vertices.
    vertex_cuts: usize,
}

impl<'a> Cutting<'a> {
    fn new(solid: &'a Solid<'a>, threshold: f64, settings: &'a Settings) -> Result<Self, DecompositionError> {
        let surface = solid.surface();
        let Some(planes) = HullPlanes::around(&surface.points) else { return Err(DecompositionError::NoVolume) };
        let mut cutting = Self {
            solid,
            threshold,
            settings,
            pockets: pockets::sample(solid, &planes, threshold),
            reflex: reflex::edges(solid),
            unfinished: Vec::new(),
            finished: Vec::new(),
            vertex_cuts: 0,
        };
        let all = (0..cutting.reflex.len() as u32).collect();
        match cutting.piece(surface, Cell::default(), all)? {
            Some(whole) => cutting.sort_in(whole),
            None => return Err(DecompositionError::NoVolume),
        }
        Ok(cutting)
    }

    /// The pockets, the hulls, and whether some of them are beyond the threshold.
    fn run(
        mut self,
        progress: &mut impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(Vec<Pocket>, Vec<Reduced>, bool), DecompositionError> {
        let most = self.settings.max_hulls.saturating_mul(2).saturating_add(64);
        let mut is_stuck = false;
        while let Some(deepest) = (0..self.unfinished.len()).reduce(|a, b| if self.is_deeper(b, a) { b } else { a }) {
            let (pieces, unfinished) = (self.unfinished.len() + self.finished.len(), self.unfinished.len());
            if progress(Progress { stage: Stage::Cutting, pieces, unfinished }).is_break() {
                return Err(DecompositionError::BrokenOff);
            }
            if pieces >= most {
                is_stuck = true;
                self.finished.extend(self.unfinished.drain(..).map(|piece| piece.hull));
                break;
            }
            let piece = self.unfinished.swap_remove(deepest);
            match self.cut(&piece)? {
                Some(sides) => sides.into_iter().for_each(|side| self.sort_in(side)),
                None => {
                    is_stuck = true;
                    self.finished.push(piece.hull);
                }
            }
        }
        Ok((self.pockets, self.finished, is_stuck))
    }

    fn is_deeper(&self, one: usize, other: usize) -> bool {
        self.unfinished[one].depth > self.unfinished[other].depth
    }

    /// Both sides of the best cut that leaves a volume on both.
    fn cut(&mut self, piece: &Piece) -> Result<Option<[Piece; 2]>, DecompositionError> {
        let search = Search {
            pockets: &self.pockets,
            reflex: &self.reflex,
            threshold: self.threshold,
            tolerance: self.solid.tolerance,
        };
        let mut seen = piece.fragment.clone();
        for corner in self.inner_corners(&piece.fragment, &piece.cell) {
            seen.add_loose_point(corner);
        }
        for cut in search.cuts(&seen, piece.held.clone(), piece.reflex.clone()) {
            let [above, below] = piece.fragment.split(&cut, self.solid.tolerance);
            let [cell_above, cell_below] = piece.cell.split(&cut);
            let height = |&edge: &u32| cut.height(self.reflex[edge as usize].middle);
            let tolerance = self.solid.tolerance;
            let reflex_above = piece.reflex.iter().copied().filter(|edge| height(edge) > tolerance).collect();
            let reflex_below = piece.reflex.iter().copied().filter(|edge| height(edge) < -tolerance).collect();
            if let Some(above) = self.piece(above, cell_above, reflex_above)?
                && let Some(below) = self.piece(below, cell_below, reflex_below)?
            {
                return Ok(Some([above, below]));
            }
        }
        Ok(None)
    }

    /// None if it has no volume.
    fn piece(&self, fragment: Fragment, cell: Cell, reflex: Vec<u32>) -> Result<Option<Piece>, DecompositionError> {
        let mut points = fragment.points.clone();
        points.extend(self.inner_corners(&fragment, &cell));
        let hull = match self.solid.hull(&points) {
            Ok(hull) => Reduced::new(hull, self.settings.max_vertices)?,
            Err(ShapeError::FlatHull { .. } | ShapeError::TooFewPoints { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let held = pockets::held(self.solid, &self.pockets, hull.outer());
        let depth = pockets::deepest(&self.pockets, &held, self.threshold);
        Ok(Some(Piece { fragment, cell, reflex, hull, held, depth }))
    }

    /// The corners of the cell inside the solid. Those on its surface are corners of the surface's polygons already, or
    /// the surface only touches the cell there; then it depends on whether the solid is within the cell.
    fn inner_corners(&self, fragment: &Fragment, cell: &Cell) -> Vec<DVec3> {
        let corners = cell.corners(self.solid.reach);
        let count = (corners.len() + fragment.points.len()).max(1) as f64;
        let middle = corners.iter().chain(&fragment.points).sum::<DVec3>() / count;
        let is_inner = |&corner: &DVec3| {
            let off_surface = self.solid.surface_distance(corner);
            let inward = (middle - corner).normalize_or_zero();
            let is_on_surface = off_surface <= self.solid.tolerance;
            self.solid.contains(if is_on_surface { corner + 16.0 * self.solid.tolerance * inward } else { corner })
        };
        corners.iter().copied().filter(is_inner).collect()
    }

    /// Finished is what holds no pocket and is proven not to reach out farther than allowed.
    fn sort_in(&mut self, mut piece: Piece) {
        let witness = if piece.depth > 0.0 { None } else { self.beyond(piece.hull.outer()) };
        if piece.depth == 0.0 && witness.is_none() {
            self.finished.push(piece.hull);
            return;
        }
        if piece.hull.is_reduced() && self.fits(&piece.hull.full) {
            // Smaller pieces lose less, but with few vertices it would go on for ever.
            if self.vertex_cuts == MAX_VERTEX_CUTS {
                self.finished.push(piece.hull);
                return;
            }
            self.vertex_cuts += 1;
        }
        if let Some(point) = witness {
            let first_new = self.pockets.len() as u32;
            self.pockets.extend(pockets::around(self.solid, piece.hull.outer(), point, self.threshold));
            piece.held.extend(first_new..self.pockets.len() as u32);
            piece.depth = self.pockets[first_new as usize].depth;
        }
        self.unfinished.push(piece);
    }

    /// A point of the hull beyond the threshold.
    fn beyond(&self, hull: &ConvexHull) -> Option<DVec3> {
        measure(self.solid, hull, self.threshold, Question::Exceeds).witness
    }

    fn fits(&self, hull: &ConvexHull) -> bool {
        let held = pockets::held(self.solid, &self.pockets, hull);
        pockets::deepest(&self.pockets, &held, self.threshold) == 0.0 && self.beyond(hull).is_none()
    }
}

/// Measures the result.
fn finish(
    solid: &Solid<'_>,
    threshold: f64,
    settings: &Settings,
    hulls: Vec<Reduced>,
    is_stuck: bool,
    progress: &mut impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Decomposition, DecompositionError> {
    let pieces = hulls.len();
    let (mut found, mut bound) = (0.0f64, 0.0f64);
    let mut is_vertex_budget = true;
    for (index, hull) in hulls.iter().enumerate() {
        if progress(Progress { stage: Stage::Measuring, pieces, unfinished: pieces - index }).is_break() {
            return Err(DecompositionError::BrokenOff);
        }
        let measured = measure(solid, hull.outer(), threshold, Question::Farthest);
        found = found.max(measured.found);
        bound = bound.max(measured.bound);
        is_vertex_budget &= measured.bound <= threshold || hull.is_reduced();
    }
    let outcome = if bound <= threshold {
        Outcome::Reached
    } else if pieces >= settings.max_hulls {
        Outcome::HullBudget
    } else if is_vertex_budget && !is_stuck {
        Outcome::VertexBudget
    } else {
        Outcome::WorkLimit
    };
    let hulls = hulls.into_iter().map(Reduced::into_outer).collect();
    Ok(Decomposition { hulls, outcome, found: found / solid.size, bound: bound / solid.size })
}
