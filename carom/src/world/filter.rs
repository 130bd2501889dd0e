//! The user's word on which pairs meet.

use crate::body::{Bodies, ShapeRef};
use crate::broad::Pair;

type Answer = dyn Fn(ShapeRef<'_>, ShapeRef<'_>) -> bool + Send + Sync;

/// A function of the user's, or none.
#[derive(Default)]
pub(crate) struct PairFilter(Option<Box<Answer>>);

impl PairFilter {
    pub(crate) fn new(answer: impl Fn(ShapeRef<'_>, ShapeRef<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(answer)))
    }

    /// Whether two colliders may meet.
    pub(crate) fn allows(&self, pair: Pair, bodies: &Bodies) -> bool {
        let Some(answer) = &self.0 else { return true };
        match (ShapeRef::new(bodies, pair.a), ShapeRef::new(bodies, pair.b)) {
            (Some(a), Some(b)) => answer(a, b),
            (None, _) | (_, None) => false,
        }
    }
}

impl std::fmt::Debug for PairFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "PairFilter(some)" } else { "PairFilter(none)" })
    }
}
