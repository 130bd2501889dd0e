//! What the iterations of the algorithms do, told step by step: for the viewer, for lectures and for bug reports (V1).
//!
//! An algorithm takes a [`Tracer`] as a type parameter and hands it closures that make the records. With `()` in its
//! place, as everywhere but in the functions named `_traced`, no record is made and nothing is left of it in the code.
//! Points and directions are in the frame of the first shape.

use glam::DVec3;

/// Listens to the iterations. Each method is given what makes the record, so that it costs nothing to ignore it.
pub trait Tracer {
    /// Whether anybody listens: then nothing is answered by a shortcut that has no steps to tell.
    const LISTENS: bool = true;

    /// An iteration of the distance search (GJK).
    fn gjk(&mut self, _record: impl FnOnce() -> GjkStep) {}

    /// An iteration of the depth search (EPA).
    fn epa(&mut self, _record: impl FnOnce() -> EpaStep) {}

    /// An axis along which the search for a separating axis (SAT) has measured two polytopes.
    fn axis(&mut self, _record: impl FnOnce() -> AxisStep) {}

    /// A patch of one part, clipped to the face or the line of the other. Of several, the last is what the contact is of.
    fn clip(&mut self, _record: impl FnOnce() -> ClipStep) {}

    /// Why the search that was told last has ended.
    fn stop(&mut self, _reason: StopReason) {}
}

/// Listens to nothing.
impl Tracer for () {
    const LISTENS: bool = false;
}

/// A point of the difference A - B of two shapes' cores, and the points that it is the difference of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DifferencePoint {
    /// The point of the first core.
    pub on_a: DVec3,
    /// The point of the second core.
    pub on_b: DVec3,
    /// The first minus the second.
    pub difference: DVec3,
}

/// One iteration of the distance search: what is known when the next support is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct GjkStep {
    /// One to four points whose hull holds the nearest point so far.
    pub simplex: Vec<DifferencePoint>,
    /// The point of that hull which is nearest to the origin.
    pub nearest: DVec3,
    /// The unit direction along which the support of A - B was asked: towards the origin.
    pub direction: DVec3,
    /// The support that was found.
    pub support: DVec3,
    /// Proven: the cores are at least this far apart. Negative infinity or below zero as long as nothing separates.
    pub lower: f64,
    /// Proven: the cores are at most this far apart.
    pub upper: f64,
}

/// One iteration of the depth search: the face nearest to the origin and what lies beyond it.
#[derive(Debug, Clone, PartialEq)]
pub struct EpaStep {
    /// The corners of the face of the growing polytope that is nearest to the origin.
    pub face: [DVec3; 3],
    /// Its outward unit normal: the direction along which the support of A - B was asked.
    pub normal: DVec3,
    /// The support that was found; it becomes a corner unless the search ends.
    pub support: DVec3,
    /// Proven: the cores are at least this deep in each other.
    pub lower: f64,
    /// Proven: the cores are at most this deep in each other.
    pub upper: f64,
    /// How many faces the polytope has.
    pub faces: usize,
}

/// One axis of the search for a separating axis, and the gap that it leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisStep {
    /// The unit axis, from the first shape to the second.
    pub axis: DVec3,
    /// How far the cores are apart along it; negative if they reach into each other.
    pub gap: f64,
    /// Where the axis comes from.
    pub kind: AxisKind,
}

/// What makes an axis one to be tested. Faces and edges are numbered as [`crate::narrow::Feature`] does; of boxes, whose
/// axes stand for two faces or four edges each, the axes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisKind {
    /// The normal of a face of the first shape.
    FaceOfA(u32),
    /// The normal of a face of the second shape.
    FaceOfB(u32),
    /// The cross product of an edge of the first and one of the second.
    Edges([u32; 2]),
}

/// How the contact patch of one part was clipped to that of the other.
#[derive(Debug, Clone, PartialEq)]
pub struct ClipStep {
    /// Whether the reference is of the second shape; otherwise it is of the first.
    pub is_reference_of_b: bool,
    /// The corners of the face, or the ends of the line, to whose sides the other was clipped; none of a half-space.
    pub reference: Vec<DVec3>,
    /// The corners of what was clipped.
    pub incident: Vec<DVec3>,
    /// The corners of what was left of it.
    pub clipped: Vec<DVec3>,
    /// Of those the ones that are deep enough, half way between the surfaces: what the contact's points are chosen from.
    pub candidates: Vec<ClipPoint>,
}

/// A corner of a clipped patch that may become a point of contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClipPoint {
    /// Half way between the two surfaces.
    pub point: DVec3,
    /// How far the surfaces are inside each other here; negative if they are apart.
    pub depth: f64,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The bounds met; of axes: no other can leave a wider gap.
    BoundsMet,
    /// It is proven that the shapes are farther apart than what was asked for.
    BeyondLimit,
    /// A tetrahedron of points of A - B holds the origin: the cores overlap.
    Enclosed,
    /// The cores come closer than what matters: than the roundings of the shapes, or than rounding errors.
    Near,
    /// The difference A - B has no volume: its thin direction is the normal.
    Flat,
    /// Rounding left nothing to gain.
    Rounding,
    /// The limit of iterations was reached.
    IterationLimit,
}

/// Keeps everything that it is told.
///
/// ```
/// use carom::prelude::*;
/// use carom::trace::{StopReason, Trace};
///
/// let (ball, cube) = (Shape::sphere(0.5)?, Shape::cone(1.0, 1.0)?);
/// let mut trace = Trace::default();
/// let apart = carom::gjk::distance_traced(&ball, &Pose::IDENTITY, &cube, &Pose::at([3.0, 0.3, 0.0]), &mut trace)?;
/// assert!(apart.value() > 1.0);
/// assert_eq!(trace.reasons, [StopReason::BoundsMet]);
/// // The bounds close in on the distance of the cores, here a point and the cone.
/// assert!(trace.gjk.windows(2).all(|steps| steps[0].lower <= steps[1].lower && steps[0].upper >= steps[1].upper));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// The iterations of the distance search.
    pub gjk: Vec<GjkStep>,
    /// The iterations of the depth search.
    pub epa: Vec<EpaStep>,
    /// The axes of the search for a separating axis.
    pub axes: Vec<AxisStep>,
    /// The patches that were clipped, the last for good.
    pub clips: Vec<ClipStep>,
    /// Why each search ended, in their order.
    pub reasons: Vec<StopReason>,
}

impl Tracer for Trace {
    fn gjk(&mut self, record: impl FnOnce() -> GjkStep) {
        self.gjk.push(record());
    }

    fn epa(&mut self, record: impl FnOnce() -> EpaStep) {
        self.epa.push(record());
    }

    fn axis(&mut self, record: impl FnOnce() -> AxisStep) {
        self.axes.push(record());
    }

    fn clip(&mut self, record: impl FnOnce() -> ClipStep) {
        self.clips.push(record());
    }

    fn stop(&mut self, reason: StopReason) {
        self.reasons.push(reason);
    }
}
