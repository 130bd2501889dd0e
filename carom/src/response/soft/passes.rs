//! The passes of the soft step over rows and packs, in their order, by all workers.

use super::kernel::{self, Substep};
use super::pack::Pack;
use super::share::Part;
use super::state::Rows;
use super::{Setting, Soft};
use crate::threads::{self, Parted, Shared};
use fearless_simd::{Level, dispatch, prelude::*};
use std::ops::Range;

/// Depth is taken out no faster than this, in m/s.
const MOST_PUSH: f32 = 3.0;
/// How often rebounds go over all patches: a body that is hit by several finds its way between them.
const REBOUNDS: u32 = 8;
/// How many more times contacts relax in a substep where a light body is between a heavy one and something else.
const MORE_RELAXES: u32 = 3;

/// A stage: something that is done with all rows, or with all packs of a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Forces act on rows.
    Begin { is_first: bool },
    /// Velocities move rows, those of kinematic bodies too: what they meet is as near as they have come.
    Advance,
    /// What packs do.
    Solve { pass: Pass, group: u32 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    WarmStart,
    Push,
    /// Ahead of the others, those that bear a heavy body by way of a light one.
    RelaxBurdened,
    Relax,
    Rebound,
}

impl Soft {
    /// Lists what is done in all substeps, in order.
    pub(super) fn plan_stages(&mut self, setting: &Setting, is_burdened: bool) {
        let more_relaxes = if is_burdened { MORE_RELAXES } else { 0 };
        let Self { colouring, packs, sharing, stages, bounces, .. } = self;
        stages.clear();
        let bears = |group: u32| sharing.any_of(group as usize, |pack| packs[pack as usize].is_burdened);
        let solve = |stages: &mut Vec<Kind>, pass: Pass| {
            let groups = 0..colouring.groups().len() as u32;
            let wanted = groups.filter(|group| pass != Pass::RelaxBurdened || bears(*group));
            stages.extend(wanted.map(|group| Kind::Solve { pass, group }));
        };
        let mut burdened = 0..0;
        for substep in 0..setting.substeps {
            stages.push(Kind::Begin { is_first: substep == 0 });
            if substep == 0 {
                solve(stages, Pass::WarmStart);
            }
            solve(stages, Pass::Push);
            stages.push(Kind::Advance);
            for round in 0..more_relaxes {
                if substep == 0 && round == 0 {
                    let first = stages.len();
                    solve(stages, Pass::RelaxBurdened);
                    burdened = first..stages.len();
                } else {
                    stages.extend_from_within(burdened.clone());
                }
            }
            solve(stages, Pass::Relax);
        }
        if *bounces {
            (0..REBOUNDS).for_each(|_| solve(stages, Pass::Rebound));
        }
    }

    /// All substeps.
    pub(super) fn go_through(&mut self, setting: &Setting, first_movable: u32) {
        let Self { states, packs, stages, sharing, .. } = self;
        let dt = setting.dt / setting.substeps as f32;
        let (parts, board) = sharing.parts();
        let passes = Passes {
            level: setting.level,
            stages,
            parts,
            packs: Shared::new(packs),
            rows: Rows::new(states, first_movable),
            first_movable,
            substep: Substep { rate: 1.0 / dt, most_push: MOST_PUSH },
            dt,
        };
        threads::run_parts(passes.parts.len(), stages.len(), board, &passes);
    }
}

/// The passes over rows and packs, for all workers.
struct Passes<'a> {
    level: Level,
    stages: &'a [Kind],
    parts: &'a [Part],
    packs: Shared<'a, Pack>,
    rows: Rows<'a>,
    first_movable: u32,
    substep: Substep,
    dt: f32,
}

impl Parted for Passes<'_> {
    fn has_border(&self, part: usize, stage: usize) -> bool {
        let part = &self.parts[part];
        match self.stages[stage] {
            Kind::Begin { .. } | Kind::Advance => !part.border_rows.is_empty(),
            Kind::Solve { group, .. } => !part.packs(group as usize)[0].is_empty(),
        }
    }

    fn border(&self, part: usize, stage: usize) {
        let part = &self.parts[part];
        match self.stages[stage] {
            Kind::Solve { pass, group } => self.solve(pass, part.packs(group as usize)[0]),
            kind => part.border_rows.iter().for_each(|row| self.follow(kind, *row..row + 1)),
        }
    }

    fn inside(&self, part: usize, stage: usize) {
        let part = &self.parts[part];
        match self.stages[stage] {
            Kind::Solve { pass, group } => self.solve(pass, part.packs(group as usize)[1]),
            kind => part.inside_rows.iter().for_each(|rows| self.follow(kind, rows.clone())),
        }
    }
}

impl Passes<'_> {
    fn solve(&self, pass: Pass, packs: &[u32]) {
        dispatch!(self.level, simd => solve_packs(simd, pass, packs, self.packs, self.rows, &self.substep));
    }

    /// What is done with rows.
    fn follow(&self, kind: Kind, rows: Range<u32>) {
        for row in rows {
            // SAFETY: a row inside is this part's alone, and one on a border is touched in the order of the stages.
            #[allow(unsafe_code)]
            let state = unsafe { self.rows.row_mut(row as usize) };
            match kind {
                Kind::Begin { is_first } if row >= self.first_movable => state.begin(is_first),
                Kind::Advance => state.advance(self.dt),
                Kind::Begin { .. } | Kind::Solve { .. } => {}
            }
        }
    }
}

/// Packs of one colour.
#[inline(always)]
fn solve_packs<S: Simd>(simd: S, pass: Pass, own: &[u32], packs: Shared<'_, Pack>, rows: Rows<'_>, substep: &Substep) {
    for (place, &index) in own.iter().enumerate() {
        // Another worker may have had these bodies last, and what is in its cache takes long to come; packs come by
        // themselves, most of them one behind the other.
        if let Some(&next) = own.get(place + 1) {
            // SAFETY: all packs of a part are one worker's.
            #[allow(unsafe_code)]
            rows.fetch(&unsafe { packs.get(next as usize) }.bodies);
        }
        // SAFETY: each pack is in the list of one part, once. Packs of a colour have no movable row in common; rows that
        // packs of other parts touch are on borders, which parts come to in the order of the stages.
        #[allow(unsafe_code)]
        let pack = unsafe { packs.get_mut(index as usize) };
        match pass {
            Pass::WarmStart => kernel::warm_start(simd, pack, rows),
            Pass::Push => kernel::push(simd, pack, rows, substep),
            Pass::RelaxBurdened if pack.is_burdened => kernel::relax(simd, pack, rows, substep, false),
            Pass::RelaxBurdened => {}
            Pass::Relax => kernel::relax(simd, pack, rows, substep, true),
            Pass::Rebound => kernel::rebound(simd, pack, rows),
        }
    }
}
