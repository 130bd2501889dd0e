//! What the stages have left behind, to look at, and strategies that are changed while a world runs: for the viewer, for
//! lectures and for bug reports (V1). Nothing here changes a step, but for [`World::set_solver`].

use super::builder::{WorldError, check_solver};
use super::{ShapeId, World};
use crate::body::{BodyError, BodyId};
use crate::bounds::Aabb;
use crate::broad::{Cost, Drawn, Pair, Structure};
use crate::island;
use crate::narrow::Manifold;
use crate::response::Solver;

/// A pair of colliders whose boxes overlapped in the last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Met {
    /// Their slots.
    pub pair: Pair,
    /// Whether they touched.
    pub is_touching: bool,
    /// Whether one of them is a sensor.
    pub is_sensor: bool,
}

impl World {
    /// The boxes as the broad phase has them, with their margins, by slot.
    pub fn boxes(&self) -> impl Iterator<Item = (u32, Aabb)> {
        (0..self.bodies.slot_count()).filter_map(|slot| Some((slot, self.broad.bounds(slot)?)))
    }

    /// Shows the structure of the broad phase: calls `sink` with each part of it.
    pub fn draw_broad_phase(&self, sink: &mut dyn FnMut(Drawn)) {
        self.broad.draw(sink);
    }

    /// What the broad phase costs.
    pub fn broad_phase_cost(&self) -> Cost {
        self.broad.cost()
    }

    /// How pairs are found.
    pub fn structure(&self) -> Structure {
        self.structure
    }

    /// Finds pairs in another way from now on; the steps stay the same bit for bit.
    ///
    /// ```
    /// use carom::broad::Structure;
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// world.add(Body::fixed().shape(Shape::cuboid(5.0, 0.5, 5.0)?))?;
    /// world.add(Body::dynamic().at([0.0, 1.2, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    /// let before = world.snapshot();
    /// (0..30).try_for_each(|_| world.step(1.0 / 60.0).map(drop))?;
    /// let hash = world.hash();
    /// world.restore(&before);
    /// world.set_structure(Structure::UniformGrid);
    /// (0..30).try_for_each(|_| world.step(1.0 / 60.0).map(drop))?;
    /// assert_eq!(world.hash(), hash);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_structure(&mut self, structure: Structure) {
        let mut broad = structure.build();
        for (slot, bounds) in self.boxes() {
            let inserted = broad.insert(slot, bounds);
            debug_assert_eq!(inserted, Ok(()), "the boxes were in a broad phase before");
        }
        (self.broad, self.structure) = (broad, structure);
        self.meetings.ask_anew();
    }

    /// How contacts are solved.
    pub fn solver(&self) -> Solver {
        self.solver
    }

    /// Solves contacts in another way from the next step on.
    ///
    /// ```
    /// use carom::prelude::*;
    /// use carom::response::Solver;
    ///
    /// let mut world = World::default();
    /// world.set_solver(Solver::ProjectedGaussSeidel { iterations: 20, warm: true })?;
    /// let refused = world.set_solver(Solver::SoftStep { substeps: 0 });
    /// assert_eq!(refused.unwrap_err().to_string(), "the solver's substeps are 0; they must be 1 to 10000");
    /// assert_eq!(world.solver(), Solver::ProjectedGaussSeidel { iterations: 20, warm: true });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`WorldError::Substeps`] or [`WorldError::Iterations`]: its count is 0, or more than
    /// [`MOST_SUBSTEPS`](super::MOST_SUBSTEPS) or [`MOST_ITERATIONS`](super::MOST_ITERATIONS). The world is as it was.
    pub fn set_solver(&mut self, solver: Solver) -> Result<(), WorldError> {
        check_solver(solver)?;
        self.solver = solver;
        // Solvers differ in the margins that they ask for.
        self.boxes_for = None;
        Ok(())
    }

    /// The pairs of [`World::pairs`], and whether they touched.
    pub fn met(&self) -> impl ExactSizeIterator<Item = Met> {
        let met = |head: &crate::narrow::Head| Met {
            pair: head.pair,
            is_touching: head.is_touching,
            is_sensor: head.is_sensor,
        };
        self.meetings.heads().iter().map(met)
    }

    /// Which island each body is in, as [`World::bodies`] counts: a set of movable bodies that contacts connect, asleep or
    /// awake, named by its first body. None for what nothing moves.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
    /// for [x, y] in [[0.0, 0.5], [0.0, 1.5], [9.0, 0.5]] {
    ///     world.add(Body::dynamic().at([x, y, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?))?;
    /// }
    /// world.step(1.0 / 60.0)?;
    /// assert_eq!(world.islands(), [None, Some(1), Some(1), Some(3)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn islands(&self) -> Vec<Option<u32>> {
        let mut parents: Vec<u32> = (0..self.bodies.len() as u32).collect();
        let moves = |body: u32| self.bodies.motions().get(body as usize).is_some_and(crate::body::Motion::is_movable);
        for (head, meeting) in self.meetings.heads().iter().zip(self.meetings.meetings()) {
            let connects = !head.is_sensor && meeting.manifolds().iter().any(|manifold| !manifold.is_inner);
            let [a, b] = head.bodies;
            if connects && moves(a) && moves(b) {
                island::unite(&mut parents, a, b);
            }
        }
        (0..self.bodies.len() as u32).map(|body| moves(body).then(|| island::root_of(&mut parents, body))).collect()
    }

    /// The contacts of a body: each patch where it touched another in the last step or was about to, with the other body's id.
    /// The patch's normal points from the first to the second body of its pair. Cost: a look at all pairs.
    ///
    /// ```
    /// use carom::prelude::*;
    ///
    /// let mut world = World::default();
    /// let floor = world.add(Body::fixed().shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
    /// let below = world.add(Body::dynamic().at([0.0, 0.5, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?).mass(1.0))?;
    /// let above = world.add(Body::dynamic().at([0.0, 1.5, 0.0]).shape(Shape::cuboid(0.5, 0.5, 0.5)?).mass(1.0))?;
    /// for _ in 0..20 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// let load = |other: BodyId| -> Result<f32, BodyError> {
    ///     let of_other = world.contacts_of(below)?.filter(|(id, _)| *id == other);
    ///     Ok(of_other.flat_map(|(_, manifold)| manifold.contacts()).map(|contact| 60.0 * contact.impulse).sum())
    /// };
    /// assert!((load(floor)? - 2.0 * 9.81).abs() < 0.2);
    /// assert!((load(above)? - 9.81).abs() < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contacts_of(&self, id: BodyId) -> Result<impl Iterator<Item = (BodyId, &Manifold)>, BodyError> {
        let dense = self.bodies.resolve(id)? as u32;
        let of_body = self.meetings.manifolds_of(dense);
        Ok(of_body.map(move |(other, manifold)| (self.bodies.natures[other as usize].id, manifold)))
    }

    /// The shapes that were in a sensor in the last step, which is named by its slot; none if the shape in it is no sensor. Sensors
    /// look where bodies are as a step begins, as contacts do: what comes in during a step is told with the next. What goes
    /// farther in a step than a sensor is thick may pass it unseen; `query::cast`, or shorter steps, see it. Cost: a look at all
    /// pairs.
    ///
    /// ```
    /// use carom::body::BodyShape;
    /// use carom::prelude::*;
    ///
    /// let mut world = World::builder().gravity([0.0; 3]).build()?;
    /// let gate = world.add(Body::fixed().part(BodyShape::new(Shape::cuboid(1.0, 1.0, 1.0)?).sensor()))?;
    /// let inside = world.add(Body::dynamic().at([0.5, 0.0, 0.0]).shape(Shape::sphere(0.1)?))?;
    /// world.add(Body::dynamic().at([5.0, 0.0, 0.0]).shape(Shape::sphere(0.1)?))?;
    /// world.step(1.0 / 60.0)?;
    /// let sensor = world.body(gate)?.slots()[0];
    /// let found: Vec<BodyId> = world.in_sensor(sensor).map(|shape| shape.body).collect();
    /// assert_eq!(found, [inside]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_sensor(&self, slot: u32) -> impl Iterator<Item = ShapeId> {
        let is_sensor = self.collider(slot).is_some_and(|collider| collider.is_sensor);
        let touching = self.meetings.heads().iter().filter(move |head| is_sensor && head.is_sensor && head.is_touching);
        let others = touching.filter_map(move |head| match head.pair {
            Pair { a, b } if a == slot => Some(b),
            Pair { a, b } if b == slot => Some(a),
            Pair { .. } => None,
        });
        others.filter_map(move |slot| {
            let collider = self.bodies.collider(slot)?;
            Some(ShapeId { slot, body: self.bodies.natures[collider.body as usize].id })
        })
    }

    /// The colour of each patch of contact that pushed in the last step: those of one colour were solved side by side.
    /// None for solvers that go contact by contact.
    pub fn colours(&self) -> impl Iterator<Item = (Pair, u32)> {
        let is_coloured = matches!(self.solver, Solver::SoftStep { .. });
        let colours = is_coloured.then(|| self.outcome.colours()).into_iter().flatten();
        colours.filter_map(|(meeting, colour)| Some((self.meetings.heads().get(meeting as usize)?.pair, colour)))
    }
}
