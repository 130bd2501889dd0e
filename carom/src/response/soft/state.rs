//! The bodies as the passes see them: rows of velocities and of movements since the step began.
//!
//! Rows from the front belong to what contacts do not move: row 0 to all that stands still, then one for each kinematic
//! body. Packs read them and never write them; kinematic ones go on with their velocities.

use super::lanes::{Row, Twists};
use super::pack::WIDTH;
use crate::body::Motion;
use crate::threads::Shared;
use fearless_simd::Simd;
use std::mem::offset_of;

/// One body during a step.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct State {
    /// Velocity and angular velocity.
    pub(super) velocity: Row,
    /// The movement of the centre of mass, and the rotation vector.
    pub(super) movement: Row,
    /// What the velocity was before contacts, in this substep.
    pub(super) untouched: Row,
    /// What forces add in a substep.
    pub(super) drive: Row,
    /// What damping leaves of a velocity in a substep.
    pub(super) damping: Row,
}

impl State {
    pub(super) const STILL: Self =
        Self { velocity: [0.0; 8], movement: [0.0; 8], untouched: [0.0; 8], drive: [0.0; 8], damping: [1.0; 8] };

    /// Begins a substep: forces act, and contacts push as they did in the substep before.
    #[inline(always)]
    pub(super) fn begin(&mut self, is_first: bool) {
        for i in 0..8 {
            let push = if is_first { 0.0 } else { self.velocity[i] - self.untouched[i] };
            self.untouched[i] = (self.velocity[i] + self.drive[i]) * self.damping[i];
            self.velocity[i] = self.untouched[i] + push;
        }
    }

    /// The velocity moves the body.
    #[inline(always)]
    pub(super) fn advance(&mut self, dt: f32) {
        for i in 0..8 {
            self.movement[i] += self.velocity[i] * dt;
        }
    }
}

/// How contacts move a body: all zero for what they do not.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Mass {
    /// xx, yy, zz, xy, yz, zx.
    pub(super) inverse_inertia: Row,
    /// Along each axis of the world.
    pub(super) inverse_mass: Row,
}

impl Mass {
    pub(super) const INFINITE: Self = Self { inverse_inertia: [0.0; 8], inverse_mass: [0.0; 8] };

    /// Along the axis along which it moves most easily; 0 if contacts do not move it.
    pub(super) fn greatest_inverse(&self) -> f32 {
        self.inverse_mass.iter().copied().fold(0.0, f32::max)
    }

    pub(super) fn of(motion: &Motion) -> Self {
        let inertia = &motion.inverse_inertia;
        let (x, y, z) = (inertia.x_axis, inertia.y_axis, inertia.z_axis);
        let mass = motion.inverse_mass_along;
        Self {
            inverse_inertia: [x.x, y.y, z.z, x.y, y.z, x.z, 0.0, 0.0],
            inverse_mass: [mass.x, mass.y, mass.z, 0.0, 0.0, 0.0, 0.0, 0.0],
        }
    }
}

/// All bodies of a step, for several workers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    states: Shared<'a, State>,
    /// Where the rows of bodies begin that contacts move.
    first_movable: u32,
}

#[allow(unsafe_code)]
impl<'a> Rows<'a> {
    pub(super) fn new(states: &'a mut [State], first_movable: u32) -> Self {
        Self { states: Shared::new(states), first_movable }
    }

    /// The body in a row, in a stage that gives each row to one part.
    ///
    /// # Safety
    ///
    /// No other worker has the row.
    #[inline(always)]
    pub(super) unsafe fn row_mut(self, row: usize) -> &'a mut State {
        // SAFETY: the caller's.
        unsafe { self.states.get_mut(row) }
    }

    /// Asks for what passes need of the bodies in these rows: the first line of each.
    #[inline(always)]
    pub(super) fn fetch(self, rows: &[[u32; WIDTH]; 2]) {
        for row in rows.as_flattened() {
            self.states.fetch(*row as usize, offset_of!(State, untouched));
        }
    }

    #[inline(always)]
    pub(super) fn velocities<S: Simd>(self, simd: S, rows: &[u32; WIDTH]) -> Twists<S> {
        let [a, b, c, d, e, f, g, h] = self.states_of(rows);
        let low = [&a.velocity, &b.velocity, &c.velocity, &d.velocity];
        Twists::from_rows(simd, low, [&e.velocity, &f.velocity, &g.velocity, &h.velocity])
    }

    #[inline(always)]
    pub(super) fn movements<S: Simd>(self, simd: S, rows: &[u32; WIDTH]) -> Twists<S> {
        let [a, b, c, d, e, f, g, h] = self.states_of(rows);
        let low = [&a.movement, &b.movement, &c.movement, &d.movement];
        Twists::from_rows(simd, low, [&e.movement, &f.movement, &g.movement, &h.movement])
    }

    #[inline(always)]
    fn states_of(self, rows: &[u32; WIDTH]) -> [&'a State; WIDTH] {
        let [a, b, c, d] = [rows[0] as usize, rows[1] as usize, rows[2] as usize, rows[3] as usize];
        let [e, f, g, h] = [rows[4] as usize, rows[5] as usize, rows[6] as usize, rows[7] as usize];
        let states = self.states;
        // SAFETY: a row that packs of several parts touch is on a border, which they come to one colour after the other, and
        // within a colour each movable body is in one patch only: nobody writes to it but the worker that has the patch.
        // So are rows of kinematic bodies, which only go on between colours; row 0 is written by nobody.
        unsafe {
            let (a, b, c, d) = (states.get(a), states.get(b), states.get(c), states.get(d));
            [a, b, c, d, states.get(e), states.get(f), states.get(g), states.get(h)]
        }
    }

    #[inline(always)]
    pub(super) fn set_velocities<S: Simd>(self, simd: S, rows: &[u32; WIDTH], twists: Twists<S>) {
        let values = twists.into_rows(simd);
        for lane in 0..WIDTH {
            if rows[lane] >= self.first_movable {
                // SAFETY: as for reading: nobody else has the body.
                values[lane].store(&mut unsafe { self.states.get_mut(rows[lane] as usize) }.velocity);
            }
        }
    }
}
