//! All pairs of colliders whose boxes overlap, with what each keeps from step to step.
//!
//! Pairs that a step looks at are at the front. Those of sleepers, and of what is left out, are parked behind them, and no
//! stage goes there. When activities of bodies have changed, pairs change places: those that rest with the last in front,
//! those that stir with the first behind. The order depends on the history of the world only, and is part of snapshots.

mod collide;
mod copy;
mod links;
pub(super) mod marks;
mod places;
mod tidy;

pub(crate) use copy::MeetingsCopy;
pub(crate) use links::Link;
pub(crate) use marks::Pushed;

use super::stage::{Clearance, Manifold, Meeting, Room};
use super::{ContactError, InnerEdges, mesh};
use crate::body::{Bodies, BodyId, BodyKind, Stir};
use crate::broad::{Changes, Pair, PairHash};
use crate::mid::ConvexPair;
use crate::response::{Edge, Origin};
use crate::shape::Shape;
use crate::threads::Counters;
use crate::world::PairFilter;
use marks::{Found, Marks, WORD};
use places::Places;
use std::collections::HashSet;

/// So many pairs are collided by a worker in one go.
const BLOCK: usize = 64;

/// So many pairs are looked through at a time for those that push, in words.
const LISTED: usize = 4;

/// Room for so many manifolds is made where there may be several.
const RICH: usize = 4;

/// Whether a shape may be touched in several places.
fn is_rich(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_))
}

/// A pair, and what is asked of it in every step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Head {
    pub(crate) pair: Pair,
    /// Whether one of the two moves and neither is left out: else it is parked, and as it was.
    pub(crate) is_live: bool,
    /// Whether it touched after the last step.
    pub(crate) is_touching: bool,
    /// Whether it pushed when islands last followed it.
    is_linked: bool,
    /// Whether it is only told of, and pushes nothing.
    pub(crate) is_sensor: bool,
    /// Its bodies, as they are numbered now.
    pub(crate) bodies: [u32; 2],
    /// How many manifolds it has, how many points these have, and how deep the deepest is.
    pub(crate) manifolds: u32,
    pub(crate) points: u32,
    pub(crate) deepest: f32,
    /// Whether one of the two bodies sleeps.
    touches_sleeper: bool,
    /// Whether one of the two is ground for N6: nothing moves it, or it is a compound.
    pub(crate) has_ground: bool,
    /// Whether one of the two is a surface of triangles.
    pub(crate) has_surface: bool,
    /// Whether one of the manifolds leads into other ground.
    pub(crate) has_inner: bool,
    /// Whether both move and close, but did not touch yet: what N6 asks of bodies as ground.
    pub(crate) is_about_to_strike: bool,
    /// How fast it closed as the step began, in m/s; of pairs that did not touch.
    pub(crate) approach: f32,
}

impl Head {
    fn new(pair: Pair, bodies: [u32; 2], is_sensor: bool) -> Self {
        Self {
            pair,
            is_live: true,
            is_touching: false,
            is_linked: false,
            is_sensor,
            bodies,
            manifolds: 0,
            points: 0,
            deepest: 0.0,
            touches_sleeper: false,
            has_ground: false,
            has_surface: false,
            has_inner: false,
            is_about_to_strike: false,
            approach: 0.0,
        }
    }

    /// Whether a step is to look at it.
    fn is_wanted(&self, bodies: &Bodies) -> bool {
        let [a, b] = self.bodies.map(|body| bodies.activity(body));
        a.is_live(b, self.is_sensor)
    }

    pub(crate) fn pushes(&self) -> bool {
        self.is_live & !self.is_sensor & (self.manifolds > 0)
    }

    /// Whether something awake has come near a body that sleeps.
    pub(crate) fn wakes(&self) -> bool {
        self.touches_sleeper && self.pushes()
    }

    /// Takes note of how fast two close that did not touch.
    pub(crate) fn note_approach(&mut self, manifolds: &[Manifold], bodies: &Bodies) {
        if !self.pushes() || self.is_touching {
            return;
        }
        self.approach = 0.0;
        for manifold in manifolds.iter().filter(|manifold| !manifold.is_inner) {
            let motion = |body: u32| &bodies.motions()[body as usize];
            let (a, b) = (motion(manifold.pair.a.body), motion(manifold.pair.b.body));
            for contact in manifold.contacts() {
                let velocity = a.velocity_at(contact.arm_a) - b.velocity_at(contact.arm_b);
                self.approach = self.approach.max(velocity.dot(manifold.normal));
            }
        }
    }

    /// Takes note of what was found.
    fn note(&mut self, manifolds: &[Manifold]) {
        self.manifolds = manifolds.len() as u32;
        self.points = manifolds.iter().map(|manifold| manifold.contacts().len() as u32).sum();
        self.deepest = manifolds.iter().map(Manifold::deepest).fold(f32::NEG_INFINITY, f32::max);
        self.has_inner = false;
    }
}

/// Two parts whose contacts could not be computed in a step, which took them for apart.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ContactFault {
    /// The first body.
    pub a: BodyId,
    /// The second body.
    pub b: BodyId,
    /// The parts of the two.
    pub pair: ConvexPair,
    /// Why. Shapes come into a world only if they have contacts, so it is a user's support map that has answered NaN.
    pub error: ContactError,
}

/// Pairs that met and have not ended since, in an order that depends on the history of the world only.
#[derive(Debug, Default)]
pub(crate) struct Meetings {
    heads: Vec<Head>,
    /// Of each pair without manifolds how far the two were apart when they were last asked.
    clearances: Vec<Clearance>,
    meetings: Vec<Meeting>,
    /// So many are live; the others are parked behind them.
    live: usize,
    /// What the parked ones have, while none comes or goes; and what the live ones had after the last step.
    parked: Option<Totals>,
    total: Totals,
    /// What the last step has found of the live ones; and whether that stage is going on, so that they follow pairs that change
    /// their places.
    marks: Vec<Marks>,
    is_colliding: bool,
    /// Whether a pair has ended in this step that had been collided in it, and had manifolds.
    has_lost: bool,
    places: Places,
    /// Those with room for several manifolds that pairs have left.
    spare: Vec<Meeting>,
    rooms: Vec<Room>,
    /// Pairs that could not be collided in this step, in their order.
    faults: Vec<ContactFault>,
    counters: Counters,
    /// Whether a pair that was collided in this step wakes a sleeper.
    has_waking: bool,
    /// Whether pairs that cannot have come together are asked as well: for tests, which compare.
    pub(crate) asks_all: bool,
    inner_edges: InnerEdges,
    seams: mesh::SeamScratch,
    /// Pairs that the user's filter refused.
    refused: HashSet<Pair, PairHash>,
    /// Whether the broad phase was built anew, so that its changes are all pairs that there are.
    is_behind: bool,
    /// How many pairs have come and gone since they were last put in order.
    changes: u32,
    tidying: tidy::Room,
    /// The bodies of pairs that pushed and have ended since islands last followed.
    unlinked: Vec<[u32; 2]>,
    /// What began and ended, in order; kept to spare allocations.
    began: Vec<Pair>,
    ended: Vec<Pair>,
    /// Who is asked anew whom it meets; as well.
    asked: Vec<BodyId>,
}

/// What pairs have all together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Totals {
    pub(crate) manifolds: usize,
    pub(crate) points: usize,
    /// The greatest depth, or 0.
    pub(crate) deepest: f32,
}

impl Totals {
    fn of(head: &Head) -> Self {
        Self { manifolds: head.manifolds as usize, points: head.points as usize, deepest: head.deepest }
    }

    fn with(self, other: Self) -> Self {
        Self {
            manifolds: self.manifolds + other.manifolds,
            points: self.points + other.points,
            deepest: self.deepest.max(other.deepest),
        }
    }
}

impl Meetings {
    pub(crate) fn new(inner_edges: InnerEdges) -> Self {
        Self { inner_edges, ..Self::default() }
    }

    /// Follows the broad phase, in the order of the pairs: how it finds them means nothing. `ended` is called with each pair
    /// that is no more.
    pub(crate) fn follow(
        &mut self,
        changes: Changes<'_>,
        bodies: &Bodies,
        filter: &PairFilter,
        mut ended: impl FnMut(&Head),
    ) {
        let (mut began, mut gone) = (std::mem::take(&mut self.began), std::mem::take(&mut self.ended));
        began.clear();
        began.extend_from_slice(changes.began);
        began.sort_unstable();
        gone.clear();
        if std::mem::take(&mut self.is_behind) {
            let known = self.heads.iter().map(|head| head.pair).chain(self.refused.iter().copied());
            gone.extend(known.filter(|pair| began.binary_search(pair).is_err()));
        } else {
            gone.extend_from_slice(changes.ended);
        }
        gone.sort_unstable();
        gone.iter().for_each(|pair| self.end(*pair, &mut ended));
        // Those that are asked anew whom they meet begin with that: then the order is the same whether the broad phase has told
        // of their pairs before, or tells of all since it was built anew.
        let mut asked = std::mem::take(&mut self.asked);
        asked.clone_from(&bodies.refiltered);
        asked.sort_unstable();
        let is_asked = |slot: u32| {
            let id = bodies.collider(slot).map(|collider| bodies.natures[collider.body as usize].id);
            id.is_some_and(|id| asked.binary_search(&id).is_ok())
        };
        for pair in began.iter().filter(|pair| asked.is_empty() || !(is_asked(pair.a) || is_asked(pair.b))) {
            self.begin(*pair, bodies, filter);
        }
        (self.began, self.ended, self.asked) = (began, gone, asked);
    }

    /// Asks anew whether a collider meets those whose boxes overlap its own, given in order.
    pub(crate) fn refilter(
        &mut self,
        slot: u32,
        overlapping: &[u32],
        bodies: &Bodies,
        filter: &PairFilter,
        mut ended: impl FnMut(&Head),
    ) {
        for pair in overlapping.iter().filter(|other| **other != slot).map(|other| Pair::new(slot, *other)) {
            self.refused.remove(&pair);
            if self.places.find(pair).is_some() {
                if !self.meet(pair, bodies, filter) {
                    self.end(pair, &mut ended);
                    self.refuse(pair, bodies);
                }
            } else {
                self.begin(pair, bodies, filter);
            }
        }
    }

    /// Whether two colliders meet at all.
    fn meet(&self, pair: Pair, bodies: &Bodies, filter: &PairFilter) -> bool {
        may_meet(pair, bodies) && filter.allows(pair, bodies)
    }

    /// Remembers that the user's filter has refused a pair.
    fn refuse(&mut self, pair: Pair, bodies: &Bodies) {
        if may_meet(pair, bodies) {
            self.refused.insert(pair);
        }
    }

    fn begin(&mut self, pair: Pair, bodies: &Bodies, filter: &PairFilter) {
        if self.places.find(pair).is_some() || self.refused.contains(&pair) {
            return;
        }
        if !self.meet(pair, bodies, filter) {
            return self.refuse(pair, bodies);
        }
        let (Some(a), Some(b)) = (bodies.collider(pair.a), bodies.collider(pair.b)) else { return };
        let mut head = Head::new(pair, [a.body, b.body], a.is_sensor || b.is_sensor);
        head.is_live = head.is_wanted(bodies);
        let place = self.heads.len();
        self.places.push(pair);
        self.heads.push(head);
        self.clearances.push(Clearance::UNKNOWN);
        let is_rich = is_rich(&a.shape) || is_rich(&b.shape);
        self.meetings.push(if is_rich {
            self.spare.pop().unwrap_or_else(|| Meeting::with_room(RICH))
        } else {
            Meeting::new()
        });
        if head.is_live {
            self.swap(place, self.live);
            self.live += 1;
            self.changes = self.changes.saturating_add(1);
        }
    }

    /// Lets two pairs change places.
    fn swap(&mut self, one: usize, other: usize) {
        if one != other {
            let were_known = [one, other].map(|place| self.forget(place));
            self.heads.swap(one, other);
            self.clearances.swap(one, other);
            self.meetings.swap(one, other);
            self.places.swap(one, other);
            for (place, was_known) in [other, one].into_iter().zip(were_known) {
                self.note(place, was_known);
            }
        }
    }

    /// Takes away the marks of a pair that goes from its place, while pairs are collided; says whether it was, already.
    fn forget(&mut self, place: usize) -> bool {
        let marks = self.marks.get_mut(place / WORD).filter(|_| self.is_colliding);
        marks.is_some_and(|marks| marks.forget(place, &self.heads[place]))
    }

    /// The marks of a pair that has come to a place, if it was collided already.
    fn note(&mut self, place: usize, was_known: bool) {
        if let Some(marks) = self.marks.get(place / WORD).filter(|_| was_known) {
            let (head, mut found) = (&self.heads[place], Found::default());
            found.note_before(place, head);
            found.note(place, head);
            marks.put(found);
        }
    }

    /// The same of one that is not live any more: nothing of it counts in this step.
    fn lose(&mut self, place: usize) {
        self.has_lost |= self.forget(place) && self.heads[place].manifolds > 0;
    }

    /// Parks the pairs that steps need not look at any more, and takes back those that they must: after activities have
    /// changed. Cost: of those that are live; of all if something stirs.
    pub(crate) fn sort_live(&mut self, bodies: &mut Bodies) {
        let stir = bodies.take_stir();
        if stir == Stir::Nothing {
            return;
        }
        let (mut place, before) = (0, self.live);
        while place < self.live {
            if self.heads[place].is_wanted(bodies) {
                place += 1;
            } else {
                self.lose(place);
                self.heads[place].is_live = false;
                self.live -= 1;
                self.changes = self.changes.saturating_add(1);
                self.swap(place, self.live);
                self.parked = None;
            }
        }
        for place in if stir == Stir::Stirs { before..self.heads.len() } else { 0..0 } {
            if self.heads[place].is_wanted(bodies) {
                self.heads[place].is_live = true;
                self.swap(place, self.live);
                self.live += 1;
                self.changes = self.changes.saturating_add(1);
                self.parked = None;
            }
        }
    }

    fn end(&mut self, pair: Pair, ended: &mut impl FnMut(&Head)) {
        let Some(mut place) = self.places.find(pair) else {
            self.refused.remove(&pair);
            return;
        };
        if place < self.live {
            self.live -= 1;
            self.changes = self.changes.saturating_add(1);
            self.lose(place);
            // If none is parked, the last live one comes here by itself.
            if self.live + 1 < self.heads.len() {
                self.swap(place, self.live);
                place = self.live;
            }
        } else {
            self.parked = None;
        }
        let last = self.heads.len() - 1;
        let was_known = last != place && self.forget(last);
        let head = self.heads.swap_remove(place);
        self.clearances.swap_remove(place);
        self.places.swap_remove(pair, place);
        self.note(place, was_known);
        let mut meeting = self.meetings.swap_remove(place);
        if head.is_linked {
            self.unlinked.push(head.bodies);
        }
        ended(&head);
        if meeting.is_rich() {
            meeting.clear();
            self.spare.push(meeting);
        }
    }

    /// Pairs have changed their places since they were collided: takes note of all once more, and of how fast those close
    /// that did not touch. Pairs that were collided have it already.
    pub(crate) fn note_again(&mut self, bodies: &Bodies) {
        let Self { heads, meetings, live, marks, total, .. } = self;
        marks.clear();
        marks.resize_with(live.div_ceil(WORD), Marks::default);
        *total = Totals::default();
        for (place, (head, meeting)) in heads[..*live].iter_mut().zip(meetings).enumerate() {
            head.note_approach(meeting.manifolds(), bodies);
            let mut found = Found::default();
            found.note_before(place, head);
            found.note(place, head);
            marks[place / WORD].put(found);
            *total = total.with(Totals::of(head));
        }
    }

    /// After the solver: which pairs touch; `changed` is called with those that did not before, or do no longer.
    pub(crate) fn note_touching(&mut self, mut changed: impl FnMut(&Head, &[Manifold])) {
        let Self { heads, meetings, marks, .. } = self;
        for (first, marks) in (0..).step_by(WORD).zip(marks) {
            let [mut touching, touched, inner] = marks.touches();
            for place in marks::places(first, inner) {
                let touches = |manifold: &Manifold| manifold.is_touching() && !manifold.is_inner;
                let is_touching = meetings[place].manifolds().iter().any(touches);
                let bit = 1 << (place % WORD);
                touching = if is_touching { touching | bit } else { touching & !bit };
            }
            for place in marks::places(first, touching ^ touched) {
                let head = &mut heads[place];
                head.is_touching = touching >> (place % WORD) & 1 != 0;
                changed(head, meetings[place].manifolds());
            }
        }
    }

    /// The broad phase is built anew: what it tells next are all pairs that there are.
    pub(crate) fn ask_anew(&mut self) {
        self.is_behind = true;
    }

    /// The body of a pair's colliders has another number now, `from` before.
    pub(crate) fn renumber(&mut self, pair: Pair, from: u32, to: u32) {
        let Some(place) = self.places.find(pair) else { return };
        let (head, meeting) = (&mut self.heads[place], &mut self.meetings[place]);
        let Some(side) = head.bodies.iter().position(|body| *body == from) else { return };
        head.bodies[side] = to;
        for manifold in meeting.manifolds_mut() {
            let ConvexPair { a, b } = &mut manifold.pair;
            [a, b][side].body = to;
        }
    }

    /// How many pairs have come and gone since they were last put in order, which decides when they are again.
    pub(crate) fn changes(&self) -> u32 {
        self.changes
    }

    /// How inner edges are felt.
    pub(crate) fn inner_edges(&self) -> InnerEdges {
        self.inner_edges
    }

    /// How many pairs there are.
    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    /// The pairs.
    pub(crate) fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// The pairs that steps look at.
    pub(crate) fn live_heads(&self) -> &[Head] {
        &self.heads[..self.live]
    }

    /// Whether a point of a pair pushed in the step.
    pub(crate) fn has_pushed(&self, place: u32) -> bool {
        self.marks.get(place as usize / WORD).is_some_and(|marks| marks.has_pushed(place as usize))
    }

    /// The pairs of something awake that has come near a body that sleeps.
    pub(crate) fn waking_heads(&self) -> impl Iterator<Item = &Head> {
        let heads = if self.has_waking { self.live_heads() } else { &[] };
        heads.iter().filter(|head| head.wakes())
    }

    /// A pair.
    pub(crate) fn head_of(&self, pair: Pair) -> Option<&Head> {
        self.places.find(pair).map(|place| &self.heads[place])
    }

    /// What all pairs have together, after [`Meetings::note_touching`].
    pub(crate) fn totals(&mut self) -> Totals {
        let parked = &self.heads[self.live..];
        self.parked
            .get_or_insert_with(|| parked.iter().map(Totals::of).fold(Totals::default(), Totals::with))
            .with(self.total)
    }

    pub(crate) fn meetings(&self) -> &[Meeting] {
        &self.meetings
    }

    /// What pairs keep, to write the solver's answers to, and who tells which have pushed: a copy for each
    /// worker.
    pub(crate) fn parts_mut(&mut self) -> (&mut [Meeting], Pushed<'_>) {
        let Self { meetings, marks, .. } = self;
        (meetings, Pushed::new(marks))
    }

    /// All manifolds, in the order of the pairs.
    pub(crate) fn manifolds(&self) -> impl Iterator<Item = &Manifold> {
        self.meetings.iter().flat_map(|meeting| meeting.manifolds()).filter(|manifold| !manifold.is_inner)
    }

    /// The manifolds of a body, with the number of the other.
    pub(crate) fn manifolds_of(&self, body: u32) -> impl Iterator<Item = (u32, &Manifold)> {
        let of_body = self.heads.iter().zip(&self.meetings).filter_map(move |(head, meeting)| {
            let side = head.bodies.iter().position(|other| *other == body)?;
            Some((head.bodies[1 - side], meeting))
        });
        of_body
            .flat_map(|(other, meeting)| meeting.manifolds().iter().map(move |manifold| (other, manifold)))
            .filter(|(_, manifold)| !manifold.is_inner)
    }

    /// The manifolds that push.
    pub(crate) fn pushing(&self) -> impl Iterator<Item = &Manifold> {
        let live = self.live_heads().iter().zip(&self.meetings).filter(|(head, _)| head.pushes());
        live.flat_map(|(_, meeting)| meeting.manifolds()).filter(|manifold| !manifold.is_inner)
    }

    /// Into how many blocks the constraints are divided.
    pub(crate) fn edge_blocks(&self) -> u32 {
        self.marks.len().div_ceil(LISTED) as u32
    }

    /// How many manifolds the pairs of a block have that push.
    pub(crate) fn most_edges(&self, block: u32) -> u32 {
        self.marks.iter().skip(block as usize * LISTED).take(LISTED).map(Marks::manifolds).sum()
    }

    /// Calls `visit` with each manifold of a block of pairs that pushes, as a constraint. Of pairs with a single one only the
    /// head is looked at: it is small, and they are most.
    pub(crate) fn for_each_edge(&self, block: u32, mut visit: impl FnMut(Edge)) {
        let words = self.marks.iter().enumerate().skip(block as usize * LISTED).take(LISTED);
        let pushing = words.flat_map(|(index, marks)| marks::places(index * WORD, marks.pushing()));
        for meeting in pushing {
            let (head, meeting) = (&self.heads[meeting], meeting as u32);
            let edge = |manifold, is_point| {
                let origin = Origin::Contact { meeting, manifold };
                Edge { bodies: head.bodies, origin, is_point }
            };
            if head.manifolds == 1 && !head.has_inner {
                visit(edge(0, head.points == 1));
                continue;
            }
            for (index, manifold) in (0u32..).zip(self.meetings[meeting as usize].manifolds()) {
                if !manifold.is_inner {
                    visit(edge(index, manifold.contacts().len() == 1));
                }
            }
        }
    }

    /// Calls `write` with each of these, to write what it did.
    pub(crate) fn for_each_pushing(&mut self, mut write: impl FnMut(&mut Manifold)) {
        let mut pushed = Pushed::new(&self.marks);
        for (place, (head, meeting)) in (0..).zip(self.heads[..self.live].iter().zip(&mut self.meetings)) {
            if !head.pushes() {
                continue;
            }
            for manifold in meeting.manifolds_mut().iter_mut().filter(|manifold| !manifold.is_inner) {
                write(manifold);
                pushed.tell(place, manifold.has_pushed());
            }
        }
    }

    /// The pairs that could not be collided in the last step.
    pub(crate) fn faults(&self) -> &[ContactFault] {
        &self.faults
    }
}

/// Whether two colliders meet, as far as the user's filter is not asked. A sensor sees what can move, or whatever there is if
/// it can move itself.
pub(crate) fn may_meet(pair: Pair, bodies: &Bodies) -> bool {
    let (Some(a), Some(b)) = (bodies.collider(pair.a), bodies.collider(pair.b)) else { return false };
    let [one, other] = [a, b].map(|collider| &bodies.natures[collider.body as usize]);
    let kinds = [one.kind, other.kind];
    let is_of_interest = match (a.is_sensor, b.is_sensor) {
        (false, false) => kinds.contains(&BodyKind::Dynamic),
        (true, false) | (false, true) => kinds != [BodyKind::Fixed; 2],
        (true, true) => false,
    };
    let takes_part = !one.is_left_out() && !other.is_left_out();
    a.body != b.body && is_of_interest && takes_part && a.filter.meets(b.filter)
}
