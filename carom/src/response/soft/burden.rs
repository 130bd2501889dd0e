//! Light bodies that bear far heavier ones.
//!
//! What must be borne comes to the ground in steps as small as the lightest body on the way, since a contact pushes no
//! more in one pass than the mass that it sees, and gives way as a spring of that mass. Two things help, only where a body
//! that another touches, or that leans on it by way of ever heavier ones, is over 32 times as heavy as the other. Patches of
//! bodies that are between a heavy one and something else relax more often. And bodies that were squeezed between a heavy one
//! and the ground in the last step, by way of others or not, are as inert as a share of what they bear: what is clamped does not
//! show its own inertia. Forces on them stay what they are, so that the ground bears what it should; what does not touch the
//! ground keeps its mass, and momentum.
//! Cost: nothing where no body is far heavier than another; else some passes over what leans on something lighter and, where that is far lighter,
//! over all patches, up to the layers that bear. The order of the patches means nothing. Source: ours; after shock propagation,
//! which takes what is below for immovable (Guendelman et al. 2003, doi 10.1145/882262.882358).

use super::Soft;
use super::colour::Placed;
use super::pack::{Pack, UNEVEN, WIDTH};

/// A body that is so many times as heavy as another is far heavier.
const FAR_HEAVIER: f32 = 32.0;
/// A burden is followed through so many layers of bodies at least.
const MOST_ROUNDS: u32 = 16;
/// What is squeezed is at least as inert as what it bears over this. Contacts give way by about 0.2 mm times this, so more is
/// softer; with less a heavy slab on rollers is slower to start.
const INERT_SHARE: f32 = 16.0;

/// How a body stands to those that are far heavier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Burden {
    kind: Kind,
    /// One over its mass, and over that of the heaviest that leans on it; its own where none does.
    own: f32,
    leaning: f32,
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
    fn of(own: f32) -> Self {
        Self { kind: Kind::None, own, leaning: own, heavy: f32::INFINITY, is_grounded: false }
    }
}

impl Soft {
    /// Finds the packs that bear a heavy body by way of a light one; says whether there are any. These relax more often, and
    /// without friction in the push, which would drive out sideways what is squeezed so.
    pub(super) fn find_burdened(&mut self, first_movable: u32) -> bool {
        let [least, most] = self.extremes;
        // Not so if there is no such body: `least` is no number then.
        let is_any_far_heavier = most > FAR_HEAVIER * least;
        if !is_any_far_heavier || !self.is_uneven || !self.find_leaning(first_movable) {
            return false;
        }
        let Self { colouring, burdens, .. } = self;
        for Placed { patch, .. } in colouring.placed() {
            if let Some(light) = far_lighter(burdens, patch.rows) {
                burdens[light as usize].kind = Kind::Touched;
            }
        }
        // From body to body; by way of heavy ones only if these bear a burden themselves.
        let mut has_grown = true;
        for _ in 0..MOST_ROUNDS {
            if !std::mem::take(&mut has_grown) {
                break;
            }
            for Placed { patch, .. } in colouring.placed() {
                let bears = patch.rows.map(|row| row >= first_movable && burdens[row as usize].kind != Kind::None);
                let is_way = match far_lighter(burdens, patch.rows) {
                    Some(light) => bears[usize::from(patch.rows[0] == light)],
                    None => bears != [false; 2],
                };
                if !is_way {
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

    /// Finds the heaviest that leans on each body, straight or by way of others, each of them heavier than the one before; says
    /// whether one of them is far heavier.
    fn find_leaning(&mut self, first_movable: u32) -> bool {
        let Self { packs, masses, burdens, leaning, .. } = self;
        burdens.clear();
        burdens.extend(masses.iter().map(|mass| Burden::of(mass.greatest_inverse())));
        leaning.clear();
        for pack in packs.iter().filter(|pack| pack.is_uneven) {
            for [a, b] in (0..WIDTH).map(|lane| pack.bodies.map(|rows| rows[lane])) {
                let [of_a, of_b] = [a, b].map(|row| burdens[row as usize].own);
                if a.min(b) >= first_movable && of_a.max(of_b) > UNEVEN * of_a.min(of_b) {
                    leaning.push(if of_a > of_b { [a, b] } else { [b, a] });
                }
            }
        }
        let mut has_grown = true;
        while std::mem::take(&mut has_grown) {
            for [light, heavy] in &*leaning {
                let found = burdens[*heavy as usize].leaning;
                let known = &mut burdens[*light as usize].leaning;
                has_grown |= found < *known;
                *known = known.min(found);
            }
        }
        leaning.iter().any(|rows| far_lighter(burdens, *rows).is_some())
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
        for Placed { patch, .. } in squeezed() {
            let [a, b] = patch.rows.map(|row| row as usize);
            if let Some(light) = far_lighter(burdens, patch.rows) {
                let leaning = burdens[a].leaning.min(burdens[b].leaning);
                let known = &mut burdens[light as usize].heavy;
                *known = known.min(leaning);
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
            for Placed { patch, .. } in squeezed() {
                let [a, b] = patch.rows.map(|row| row as usize);
                let is_between = |row: usize| burdens[row].kind == Kind::Between;
                if a.min(b) < first_movable as usize || !is_between(a) || !is_between(b) {
                    continue;
                }
                // What is light does not bear less for being light.
                let is_level = far_lighter(burdens, patch.rows).is_none();
                let heavy = burdens[a].heavy.min(burdens[b].heavy);
                let is_grounded = burdens[a].is_grounded || burdens[b].is_grounded;
                for row in [a, b] {
                    let known = &mut burdens[row];
                    has_grown |= is_level && known.heavy != heavy || known.is_grounded != is_grounded;
                    known.is_grounded = is_grounded;
                    if is_level {
                        known.heavy = heavy;
                    }
                }
            }
        }
        let mut has_some = false;
        for ((burden, mass), state) in burdens.iter().zip(masses).zip(states).skip(first_movable as usize) {
            let share = INERT_SHARE * burden.heavy / burden.own;
            if burden.kind == Kind::Between && burden.is_grounded && share < 1.0 {
                has_some = true;
                let of_mass = mass.inverse_mass.iter_mut().chain(&mut mass.inverse_inertia);
                of_mass.chain(&mut state.drive).for_each(|value| *value *= share);
            }
        }
        has_some
    }
}

/// Which of two bodies is far lighter than what leans on it by way of the other.
fn far_lighter(burdens: &[Burden], rows: [u32; 2]) -> Option<u32> {
    let [a, b] = rows.map(|row| &burdens[row as usize]);
    let is_light = |light: &Burden, heavy: &Burden| {
        heavy.own > 0.0 && light.own > UNEVEN * heavy.own && light.own > FAR_HEAVIER * heavy.leaning
    };
    if is_light(a, b) { Some(rows[0]) } else { is_light(b, a).then_some(rows[1]) }
}

/// Whether a patch pushed at the end of the last step.
fn pushes(packs: &[Pack], lane: u32) -> bool {
    let pack = &packs[lane as usize / WIDTH];
    pack.point[..pack.points as usize].iter().any(|point| point.impulse[lane as usize % WIDTH] > 0.0)
}
