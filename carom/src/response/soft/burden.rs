//! Light bodies that bear far heavier ones.
//!
//! What must be borne comes to the ground in steps as small as the lightest body on the way, since a contact pushes no
//! more in one pass than the mass that it sees, and gives way as a spring of that mass. Two things help, only where a body
//! is over 32 times as heavy as another that it touches. Patches of bodies that are between a heavy one and something else
//! relax more often. And bodies that were squeezed between a heavy one and the ground in the last step, by way of others
//! or not, are as inert as a share of what they bear: what is clamped does not show its own inertia. Forces on them stay
//! what they are, so that the ground bears what it should; what does not touch the ground keeps its mass, and momentum.
//! Cost: nothing where nothing is uneven; else some passes over all patches, up to the layers that bear. The order of the
//! patches means nothing. Source: ours; after shock propagation, which takes what is below for immovable (Guendelman et al.
//! 2003, doi 10.1145/882262.882358).

use super::Soft;
use super::colour::Placed;
use super::pack::{Pack, WIDTH};

/// A burden is followed through so many layers of bodies at least.
const MOST_ROUNDS: u32 = 16;
/// What is squeezed is at least as inert as what it bears over this. Contacts give way by about 0.2 mm times this, so more is
/// softer; with less a heavy slab on rollers is slower to start.
const INERT_SHARE: f32 = 16.0;

/// How a body stands to those that are far heavier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Burden {
    kind: Kind,
    /// Of what was squeezed in the last step: one over the mass of the heaviest that it bears, and whether it is borne by
    /// what nothing moves.
    heavy: f32,
    is_grounded: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    None,
    /// One touches it.
    Touched,
    /// One touches it and so does something else, or it bears such a body by way of others.
    Between,
}

impl Burden {
    const NONE: Self = Self { kind: Kind::None, heavy: f32::INFINITY, is_grounded: false };
}

impl Soft {
    /// Finds the packs that bear a heavy body by way of a light one; says whether there are any. These relax more often, and
    /// without friction in the push, which would drive out sideways what is squeezed so.
    pub(super) fn find_burdened(&mut self, first_movable: u32) -> bool {
        let Self { colouring, packs, body_of, burdens, is_uneven, .. } = self;
        if !*is_uneven {
            return false;
        }
        burdens.clear();
        burdens.resize(body_of.len(), Burden::NONE);
        for Placed { patch, lane } in colouring.placed() {
            if let Some(side) = light_side(packs, *lane) {
                burdens[patch.rows[side] as usize].kind = Kind::Touched;
            }
        }
        // From body to body, but not by way of the heavy ones.
        let mut has_grown = true;
        for _ in 0..MOST_ROUNDS {
            if !std::mem::take(&mut has_grown) {
                break;
            }
            for Placed { patch, lane } in colouring.placed() {
                if light_side(packs, *lane).is_some() {
                    continue;
                }
                let bears = patch.rows.map(|row| row >= first_movable && burdens[row as usize].kind != Kind::None);
                if bears == [false; 2] {
                    continue;
                }
                for row in patch.rows.into_iter().filter(|row| *row >= first_movable) {
                    has_grown |= burdens[row as usize].kind != Kind::Between;
                    burdens[row as usize].kind = Kind::Between;
                }
            }
        }
        self.mark_burdened()
    }

    /// Marks them, as they are found.
    pub(super) fn mark_burdened(&mut self) -> bool {
        let Self { colouring, packs, burdens, .. } = self;
        let mut has_some = false;
        for Placed { patch, lane } in colouring.placed() {
            if patch.rows.iter().any(|row| burdens[*row as usize].kind == Kind::Between) {
                let pack = &mut packs[*lane as usize / WIDTH];
                pack.loose[*lane as usize % WIDTH] = 0.0;
                pack.is_burdened = true;
                has_some = true;
            }
        }
        has_some
    }

    /// Makes bodies more inert that are squeezed; says whether there are any. The packs are to be filled anew then.
    pub(super) fn lend_masses(&mut self, first_movable: u32) -> bool {
        let Self { colouring, packs, burdens, masses, states, .. } = self;
        let squeezed = || colouring.placed().filter(|placed| pushes(packs, placed.lane));
        for Placed { patch, lane } in squeezed() {
            let [a, b] = patch.rows.map(|row| row as usize);
            if let Some(side) = light_side(packs, *lane) {
                let (light, heavy) = if side == 0 { (a, b) } else { (b, a) };
                burdens[light].heavy = burdens[light].heavy.min(masses[heavy].greatest_inverse());
            } else if a.min(b) < first_movable as usize {
                burdens[a.max(b)].is_grounded = true;
            }
        }
        // Burdens come down, and the ground comes up.
        let mut has_grown = true;
        for _ in 0..MOST_ROUNDS {
            if !std::mem::take(&mut has_grown) {
                break;
            }
            for Placed { patch, lane } in squeezed() {
                let [a, b] = patch.rows.map(|row| row as usize);
                let is_between = |row: usize| burdens[row].kind == Kind::Between;
                if a.min(b) < first_movable as usize || !is_between(a) || !is_between(b) {
                    continue;
                }
                if light_side(packs, *lane).is_some() {
                    continue;
                }
                let heavy = burdens[a].heavy.min(burdens[b].heavy);
                let is_grounded = burdens[a].is_grounded || burdens[b].is_grounded;
                for row in [a, b] {
                    let known = &mut burdens[row];
                    has_grown |= known.heavy != heavy || known.is_grounded != is_grounded;
                    (known.heavy, known.is_grounded) = (heavy, is_grounded);
                }
            }
        }
        let mut has_some = false;
        for ((burden, mass), state) in burdens.iter().zip(masses).zip(states).skip(first_movable as usize) {
            let share = INERT_SHARE * burden.heavy / mass.greatest_inverse();
            if burden.kind == Kind::Between && burden.is_grounded && share < 1.0 {
                has_some = true;
                let of_mass = mass.inverse_mass.iter_mut().chain(&mut mass.inverse_inertia);
                of_mass.chain(&mut state.drive).for_each(|value| *value *= share);
            }
        }
        has_some
    }
}

fn light_side(packs: &[Pack], lane: u32) -> Option<usize> {
    packs[lane as usize / WIDTH].light_side(lane as usize % WIDTH)
}

/// Whether a patch pushed at the end of the last step.
fn pushes(packs: &[Pack], lane: u32) -> bool {
    let pack = &packs[lane as usize / WIDTH];
    pack.point[..pack.points as usize].iter().any(|point| point.impulse[lane as usize % WIDTH] > 0.0)
}
