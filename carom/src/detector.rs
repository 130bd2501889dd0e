//! A set of objects to ask: which overlap, touch, are near each other, or are in the way of a ray or a moving shape (Q1).
//!
//! A [`Detector`] is a world without dynamics, for robots and CAD: objects come, are put at other poses and go, and every
//! question is answered for how they are at that moment, no step needed. A tree over their boxes sifts what can matter;
//! what is left is answered by [`crate::query`], with its proven bounds. Closed meshes are solids, open ones and height fields
//! surfaces, as there.
//!
//! Answers come through a callback: pairs in the order of their slots, objects near a shape the nearer ones mostly first,
//! and always the same for the same history of calls. Nothing is allocated once the lists have their size. If one pair cannot be answered (a user's support map answers NaN), the others are answered all the same,
//! and the error that the question ends with names the pair.

mod contact;
mod filter;
mod memory;
mod pairs;
mod path;
mod rays;
mod set;
mod shapes;

pub use contact::{TouchPoint, WorldManifold};
pub use filter::{Admits, Filter, all_pairs};
pub use pairs::PairDistance;
pub use path::{Clearance, Key, PathError, PathHit, PathOptions, PathOutcome, PathReport};
pub use rays::{ObjectHit, ObjectProjection};
pub use set::Member;
pub use shapes::{ObjectCast, ObjectDistance};
pub(crate) use shapes::{cast_order, limit_after, swept_box};

use crate::bounds::BoundsError;
use crate::broad::{BroadPhaseError, Pair};
use crate::narrow::ContactBuffer;
use crate::narrow::ContactError;
use crate::pose::{Pose, PoseError};
use crate::query::QueryError;
use crate::shape::{Shape, ShapeKind};
use glam::DVec3;

/// Names an object for as long as it is in its detector. Ids of removed objects are not mistaken for those of later
/// ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId {
    slot: u32,
    generation: u32,
}

impl std::fmt::Display for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "object {}.{}", self.slot, self.generation)
    }
}

/// A shape at a pose, as it is given to [`Detector::insert`].
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an object is found only once it is inserted"]
pub struct Object {
    shape: Shape,
    pose: Pose,
    filter: Filter,
    user_data: u64,
}

impl Object {
    /// A shape at a pose, in all groups.
    pub fn new(shape: Shape, pose: Pose) -> Self {
        Self { shape, pose, filter: Filter::default(), user_data: 0 }
    }

    /// It is in these groups and looks at those.
    pub fn with_filter(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// It carries this number, for the caller.
    pub fn with_user_data(self, user_data: u64) -> Self {
        Self { user_data, ..self }
    }

    /// What it is.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Where it is.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The groups that it is in and looks at.
    pub fn filter(&self) -> Filter {
        self.filter
    }

    /// The caller's number.
    pub fn user_data(&self) -> u64 {
        self.user_data
    }
}

/// Why something was refused, or a question not answered in full.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DetectorError {
    /// There is no such object, or no more.
    #[error("there is no {id}")]
    Unknown {
        /// The object.
        id: ObjectId,
    },
    /// The pose is not finite or its rotation not of unit length.
    #[error("the pose: {error}")]
    Pose {
        /// What is wrong with it.
        error: PoseError,
    },
    /// The position is beyond what boxes can hold.
    #[error("the position {position} is too far from the origin")]
    TooFar {
        /// The position.
        position: DVec3,
    },
    /// The shape has no box: a user's support map answers with what is not a number.
    #[error("the {shape}: {error}")]
    Bounds {
        /// The shape.
        shape: ShapeKind,
        /// What is wrong with it.
        error: BoundsError,
    },
    /// The tree refused a box.
    #[error("broad phase: {error}")]
    BroadPhase {
        /// Why.
        #[from]
        error: BroadPhaseError,
    },
    /// A bound or margin is NaN, negative or, where it must be finite, infinite.
    #[error("the bound is {0}; it must be a number that is not negative")]
    Bound(f64),
    /// The question itself is not sound.
    #[error(transparent)]
    Question(QueryError),
    /// A pair could not be answered; all others were.
    #[error("{a} and {b}: {error}")]
    Pair {
        /// The first object.
        a: ObjectId,
        /// The second object.
        b: ObjectId,
        /// Why.
        error: QueryError,
    },
    /// The contacts of a pair could not be computed; all others were.
    #[error("{a} and {b}: {error}")]
    PairContacts {
        /// The first object.
        a: ObjectId,
        /// The second object.
        b: ObjectId,
        /// Why.
        error: ContactError,
    },
    /// An object could not be answered for; all others were.
    #[error("{id}: {error}")]
    Object {
        /// The object.
        id: ObjectId,
        /// Why.
        error: QueryError,
    },
    /// The contacts with an object could not be computed; all others were.
    #[error("{id}: {error}")]
    ObjectContacts {
        /// The object.
        id: ObjectId,
        /// Why.
        error: ContactError,
    },
}

/// Objects that can be asked about.
///
/// ```
/// use carom::detector::{Detector, Object, all_pairs};
/// use carom::prelude::*;
///
/// let mut arm = Detector::default();
/// let links = [0.0, 1.0, 2.0].map(|x| Object::new(Shape::capsule(0.3, 0.1).unwrap(), Pose::at([x, 0.0, 0.0])));
/// let [base, elbow, hand] = links.map(|link| arm.insert(link).unwrap());
/// arm.ignore_pair(base, elbow)?;
/// arm.ignore_pair(elbow, hand)?;
/// let closest = arm.closest_pair(all_pairs)?.ok_or("two links are compared")?;
/// assert_eq!((closest.a, closest.b), (base, hand));
/// assert!((closest.distance.value() - 1.8).abs() < 1e-6);
///
/// arm.set_pose(hand, Pose::at([0.1, 0.0, 0.0]))?;
/// let mut overlapping = Vec::new();
/// arm.overlaps(all_pairs, |a, b| overlapping.push((a, b)))?;
/// assert_eq!(overlapping, [(base, hand)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Detector {
    set: set::Set,
    memory: memory::Memory,
    /// The pair that was closest the last time.
    closest: Option<Pair>,
    candidates: Vec<Pair>,
    partners: Vec<u32>,
    contact_buffer: ContactBuffer,
}

impl Detector {
    /// Takes in an object; on an error nothing has changed.
    pub fn insert(&mut self, object: Object) -> Result<ObjectId, DetectorError> {
        self.set.insert(object)
    }

    /// Takes an object out and gives it back; it is no longer ignored by any other.
    pub fn remove(&mut self, id: ObjectId) -> Result<Object, DetectorError> {
        self.set.remove(id)
    }

    /// Puts an object elsewhere; on an error nothing has changed.
    pub fn set_pose(&mut self, id: ObjectId, pose: Pose) -> Result<(), DetectorError> {
        self.set.set_pose(id, pose)
    }

    /// Gives an object another shape; the old one comes back. On an error nothing has changed.
    pub fn set_shape(&mut self, id: ObjectId, shape: Shape) -> Result<Shape, DetectorError> {
        self.set.set_shape(id, shape)
    }

    /// Puts an object into other groups.
    pub fn set_filter(&mut self, id: ObjectId, filter: Filter) -> Result<(), DetectorError> {
        self.set.set_filter(id, filter)
    }

    /// Gives an object another number of the caller's.
    pub fn set_user_data(&mut self, id: ObjectId, user_data: u64) -> Result<(), DetectorError> {
        self.set.set_user_data(id, user_data)
    }

    /// These two are never compared with each other: neighbouring links of a robot, which always touch.
    pub fn ignore_pair(&mut self, a: ObjectId, b: ObjectId) -> Result<(), DetectorError> {
        self.set.set_ignored(a, b, true)
    }

    /// These two are compared again.
    pub fn regard_pair(&mut self, a: ObjectId, b: ObjectId) -> Result<(), DetectorError> {
        self.set.set_ignored(a, b, false)
    }

    /// An object.
    pub fn get(&self, id: ObjectId) -> Result<&Object, DetectorError> {
        self.set.get(id)
    }

    /// All objects, in the order of their slots.
    pub fn objects(&self) -> impl Iterator<Item = Member<'_>> {
        self.set.members()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Brings the tree into order, as questions about pairs do by themselves: worth while after many objects have come or
    /// moved, before many questions about rays, points and shapes. It changes no answer.
    pub fn settle(&mut self) {
        self.set.settle();
    }

    /// Forgets what is known of pairs from earlier questions, which only makes the next ones slower.
    pub fn forget(&mut self) {
        self.memory.forget();
        self.closest = None;
    }
}

/// The first of the errors that a question met with; the question goes on.
#[derive(Debug, Default)]
struct FirstError(Option<DetectorError>);

impl FirstError {
    fn keep(&mut self, error: impl FnOnce() -> DetectorError) {
        if self.0.is_none() {
            self.0 = Some(error());
        }
    }

    fn end<T>(self, answer: T) -> Result<T, DetectorError> {
        self.0.map_or(Ok(answer), Err)
    }
}

/// A bound that is no less than zero.
fn checked_bound(bound: f64) -> Result<f64, DetectorError> {
    if bound >= 0.0 { Ok(bound) } else { Err(DetectorError::Bound(bound)) }
}
