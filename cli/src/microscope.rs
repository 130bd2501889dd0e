//! One pair of shapes under the microscope: every iteration of the searches that answer how they stand to each other (V1).
//!
//! Compounds, meshes and height fields are looked at by those of their convex pieces that are nearest to each other or
//! deepest in each other. Points and poses are in the frame of the first piece, and `place` says where that is in the world.

mod advancement;
mod difference;
mod ending;
mod pieces;
mod rust_test;
mod used;

use crate::session::Session;
use crate::view::{drawable, feature_name, shape_index};
use advancement::Advancement;
use carom::gjk;
use carom::glam::DVec3;
use carom::narrow::{self, LocalManifold};
use carom::pose::{LocalPose, Pose};
use carom::query::Distance;
use carom::trace::{AxisKind, ClipPoint, ClipStep, DifferencePoint, GjkStep, StopReason, Trace};
use difference::Difference;
use ending::Ending;
use pieces::Piece;
use serde::Serialize;
use serde_json::value::RawValue;
use used::Used;

/// What pages are told.
#[derive(Serialize)]
#[serde(tag = "tell", rename = "microscope")]
pub(crate) struct Message {
    pub(crate) slots: [u32; 2],
    #[serde(flatten)]
    pub(crate) seen: Seen,
}

/// All that is seen of a pair.
#[derive(Serialize)]
pub(crate) struct Seen {
    frame: u32,
    names: [String; 2],
    /// Where the frame of the first piece is in the world.
    place: Place,
    poses: [SeenPose; 2],
    /// Their places in the list of the `scene` message; none for a triangle of a mesh.
    shapes: [Option<u32>; 2],
    pieces: [Box<RawValue>; 2],
    difference: Option<Difference>,
    distance: f64,
    answer: String,
    gjk: Vec<SeenGjk>,
    epa: Vec<SeenEpa>,
    axes: Vec<SeenAxis>,
    reasons: Vec<&'static str>,
    manifold: Option<SeenManifold>,
    /// What the last step made of the two; none if it did nothing.
    used: Option<Used>,
    advancement: Option<Advancement>,
    pub(crate) rust_test: Option<String>,
}

#[derive(Serialize)]
struct Place {
    position: [f64; 3],
    rotation: [f32; 4],
}

#[derive(Serialize)]
struct SeenPose {
    position: [f32; 3],
    rotation: [f32; 4],
}

#[derive(Serialize)]
struct SeenGjk {
    simplex: Vec<SeenPoint>,
    nearest: DVec3,
    /// Where the next point was asked for, and what was found there; none once the search has ended.
    direction: Option<DVec3>,
    support: Option<DVec3>,
    lower: f64,
    upper: f64,
}

#[derive(Serialize)]
struct SeenPoint {
    on_a: DVec3,
    on_b: DVec3,
    difference: DVec3,
}

#[derive(Serialize)]
struct SeenEpa {
    face: [DVec3; 3],
    normal: DVec3,
    support: DVec3,
    lower: f64,
    upper: f64,
    faces: usize,
}

#[derive(Serialize)]
struct SeenAxis {
    axis: DVec3,
    gap: f64,
    kind: String,
}

#[derive(Serialize)]
struct SeenManifold {
    normal: [f32; 3],
    points: Vec<SeenContact>,
    /// None where nothing had to be clipped.
    clip: Option<SeenClip>,
}

/// How the patches of the two became the points.
#[derive(Serialize)]
struct SeenClip {
    reference_of: &'static str,
    reference: Vec<DVec3>,
    incident: Vec<DVec3>,
    clipped: Vec<DVec3>,
    candidates: Vec<SeenCandidate>,
}

#[derive(Serialize)]
struct SeenCandidate {
    position: DVec3,
    depth: f64,
}

#[derive(Serialize)]
struct SeenContact {
    position: [f32; 3],
    depth: f32,
    features: [String; 2],
}

/// Contacts are shown of shapes that are nearer than this, in m: about what the world does.
const MARGIN: f32 = 0.02;

/// Looks at the shapes in two slots. The error says why there is nothing to see.
pub(crate) fn look(session: &Session, slots: [u32; 2]) -> Result<Seen, String> {
    if slots[0] == slots[1] {
        return Err("a pair is of two different shapes".to_string());
    }
    let [a, b] = pieces::nearest(session.world(), slots)?;
    let b_in_a = Pose::b_in_a(&a.pose, &b.pose);
    let mut trace = Trace::default();
    let refused = |error: carom::query::QueryError| error.to_string();
    let mut answer = gjk::distance_traced(&a.shape, &a.pose, &b.shape, &b.pose, &mut trace).map_err(refused)?;
    let mut distance = answer.value();
    if let Distance::Overlapping { .. } = answer {
        // The search for the depth begins with the same search for the distance.
        let mut deeper = Trace::default();
        if let Ok(deep) = gjk::penetration_traced(&a.shape, &a.pose, &b.shape, &b.pose, &mut deeper) {
            distance = -deep.depth;
            trace = deeper;
        }
    } else if let Distance::Apart(gap) | Distance::Undecided(gap) = &mut answer {
        distance = gap.distance;
    }
    let witness = |step: &GjkStep| difference::witness(&a.shape, &b.shape, &b_in_a, step);
    let ended = trace.reasons.first().and_then(|reason| ending::of(&trace.gjk, *reason, witness));
    let axes = axes(&a, &b, &b_in_a, distance);
    let mut reasons: Vec<&'static str> = trace.reasons.iter().map(|reason| in_words(*reason)).collect();
    reasons.extend(axes.reasons.iter().map(|reason| in_words(*reason)));
    let mut clipping = Trace::default();
    let manifold = narrow::contact_traced(&a.shape, &b.shape, &b_in_a, MARGIN, &mut clipping).ok().flatten();
    let name = |slot: u32, piece: &Piece| {
        let body = piece.body as usize;
        let owner = session.name(body).unwrap_or_else(|| format!("body {body}"));
        format!("{owner}, slot {slot}: {}", piece.name)
    };
    Ok(Seen {
        frame: session.frame(),
        names: [name(slots[0], &a), name(slots[1], &b)],
        place: Place { position: a.pose.position.to_array(), rotation: a.pose.rotation.to_array() },
        poses: [LocalPose::IDENTITY, b_in_a].map(seen_pose),
        shapes: [&a, &b].map(|piece| shape_index(session, &piece.shape)),
        pieces: [&a, &b].map(|piece| drawable(&piece.shape)),
        difference: Difference::of(&a.shape, &b.shape, &b_in_a),
        distance,
        answer: in_a_sentence(&answer, distance),
        used: used::look(session, slots, [&a, &b]),
        advancement: advancement::advance(session.world(), &a, &b),
        rust_test: rust_test::text(session, slots, [&a, &b], (&answer, manifold.as_ref())),
        gjk: trace.gjk.iter().map(seen_gjk).chain(ended.iter().map(seen_ending)).collect(),
        epa: trace.epa.iter().map(seen_epa).collect(),
        axes: axes.axes.iter().map(|step| SeenAxis { axis: step.axis, gap: step.gap, kind: kind(step.kind) }).collect(),
        reasons,
        manifold: manifold.as_ref().map(|manifold| seen_manifold(manifold, clipping.clips.last())),
    })
}

/// The axes of the search for a separating one, also of shapes that are far apart; those of its searches that are shown
/// already are left out.
fn axes(a: &Piece, b: &Piece, b_in_a: &LocalPose, distance: f64) -> Trace {
    let mut trace = Trace::default();
    let margin = distance.max(0.0) as f32 * 1.01 + 1.0;
    let found = narrow::contact_traced(&a.shape, &b.shape, b_in_a, margin, &mut trace);
    if found.is_err() || trace.axes.is_empty() { Trace::default() } else { trace }
}

fn seen_pose(pose: LocalPose) -> SeenPose {
    SeenPose { position: pose.position.to_array(), rotation: pose.rotation.to_array() }
}

fn seen_gjk(step: &GjkStep) -> SeenGjk {
    SeenGjk {
        simplex: step.simplex.iter().map(seen_point).collect(),
        nearest: step.nearest,
        direction: Some(step.direction),
        support: Some(step.support),
        lower: step.lower,
        upper: step.upper,
    }
}

/// The search has ended: nothing more is asked.
fn seen_ending(ending: &Ending) -> SeenGjk {
    SeenGjk {
        simplex: ending.simplex.iter().map(seen_point).collect(),
        nearest: ending.nearest,
        direction: None,
        support: None,
        lower: ending.lower,
        upper: ending.upper,
    }
}

fn seen_point(point: &DifferencePoint) -> SeenPoint {
    SeenPoint { on_a: point.on_a, on_b: point.on_b, difference: point.difference }
}

fn seen_epa(step: &carom::trace::EpaStep) -> SeenEpa {
    SeenEpa {
        face: step.face,
        normal: step.normal,
        support: step.support,
        lower: step.lower,
        upper: step.upper,
        faces: step.faces,
    }
}

fn seen_manifold(manifold: &LocalManifold, clip: Option<&ClipStep>) -> SeenManifold {
    let contact = |contact: &narrow::LocalContact| SeenContact {
        position: contact.point.to_array(),
        depth: contact.depth,
        features: contact.features.map(feature_name),
    };
    SeenManifold {
        normal: manifold.normal.to_array(),
        points: manifold.contacts().iter().map(contact).collect(),
        clip: clip.map(seen_clip),
    }
}

fn seen_clip(step: &ClipStep) -> SeenClip {
    let candidate = |point: &ClipPoint| SeenCandidate { position: point.point, depth: point.depth };
    SeenClip {
        reference_of: if step.is_reference_of_b { "B" } else { "A" },
        reference: step.reference.clone(),
        incident: step.incident.clone(),
        clipped: step.clipped.clone(),
        candidates: step.candidates.iter().map(candidate).collect(),
    }
}

fn kind(kind: AxisKind) -> String {
    match kind {
        AxisKind::FaceOfA(face) => format!("face {face} of A"),
        AxisKind::FaceOfB(face) => format!("face {face} of B"),
        AxisKind::Edges([a, b]) => format!("edge {a} of A × edge {b} of B"),
    }
}

fn in_words(reason: StopReason) -> &'static str {
    match reason {
        StopReason::BoundsMet => "the bounds met",
        StopReason::BeyondLimit => "farther apart than what was asked for",
        StopReason::Enclosed => "a tetrahedron of A − B holds the origin: they overlap",
        StopReason::Near => "closer than their roundings, or than rounding errors",
        StopReason::Flat => "A − B has no volume: its thin direction is the normal",
        StopReason::Rounding => "rounding left nothing to gain",
        StopReason::IterationLimit => "the limit of iterations was reached",
    }
}

fn in_a_sentence(answer: &Distance, distance: f64) -> String {
    match answer {
        Distance::Apart(gap) => format!("apart by {distance:.6} m, proven within {:.1e}", gap.upper - gap.lower),
        // Not minus nothing.
        Distance::Overlapping { .. } => format!("overlapping by {:.6} m", (-distance).max(0.0)),
        Distance::Undecided(_) => format!("undecided: at most {distance:.6} m apart"),
    }
}

impl Seen {
    /// For a person.
    pub(crate) fn table(&self) -> String {
        let mut text = format!("{}\n{}\n{}\n", self.names[0], self.names[1], self.answer);
        let vector = |vector: &DVec3| format!("[{:.4} {:.4} {:.4}]", vector.x, vector.y, vector.z);
        for (index, step) in self.gjk.iter().enumerate() {
            let points = step.simplex.len();
            if index > 0 && points == 1 && step.support.is_some() {
                text += "from the start again, with every digit:\n";
            }
            let place = if step.support.is_some() { format!("{index:>3}") } else { "end".to_string() };
            text += &format!(
                "GJK {place}  {points} points  nearest {}  lower {:.6}  upper {:.6}\n",
                vector(&step.nearest),
                step.lower,
                step.upper
            );
        }
        for (index, step) in self.epa.iter().enumerate() {
            text += &format!(
                "EPA {index:>3}  {} faces  normal {}  lower {:.6}  upper {:.6}\n",
                step.faces,
                vector(&step.normal),
                step.lower,
                step.upper
            );
        }
        for axis in &self.axes {
            text += &format!("axis {}  gap {:.6}  {}\n", vector(&axis.axis), axis.gap, axis.kind);
        }
        for reason in &self.reasons {
            text += &format!("ended: {reason}\n");
        }
        if let Some(clip) = self.manifold.iter().find_map(|manifold| manifold.clip.as_ref()) {
            let (sides, incident) = (clip.reference.len(), clip.incident.len());
            let (left, deep) = (clip.clipped.len(), clip.candidates.len());
            text += &format!(
                "clipped: {incident} corners against {sides} sides of {} leave {left}, {deep} of them deep enough\n",
                clip.reference_of
            );
        }
        for point in self.manifold.iter().flat_map(|manifold| &manifold.points) {
            text +=
                &format!("contact {:?}  depth {:.6}  {}\n", point.position, point.depth, point.features.join(" on "));
        }
        if let Some(used) = &self.used {
            text += &used.table();
        }
        for step in self.advancement.iter().flat_map(|advancement| &advancement.steps) {
            text += &format!("time {:.6}  distance {:.6}\n", step.time, step.distance);
        }
        if let Some(advancement) = &self.advancement {
            text += &format!("ended: {}\n", advancement.ending);
        }
        text
    }
}

#[cfg(test)]
mod tests;
