//! R8: islands of bodies that touch, and their sleep.
//!
//! An island is a set of movable bodies connected by contacts that push; what nothing moves connects nothing. When all
//! bodies of an island have hardly moved for a while, the island falls asleep: its bodies stand still, and no stage looks
//! at them or at the pairs among them. It wakes as a whole, when something that is awake comes near one of its bodies,
//! when the user changes one, or when one that it touched is taken away or has another surface. Its contacts are as they
//! were, so it goes on where it stopped.
//! Sleep should not stop what would go on by itself: what a kinematic body or a running surface carries along
//! does not rest, what nothing pushes rests only if it does not move at all, and the rest must not gather speed.
//! Sets of connected bodies are kept from step to step by union–find (halving of paths, smaller index as root): a contact that
//! begins to push unites two sets; one that ceases to marks its set, since it may have fallen apart. Only a marked set
//! in which a body has been still for long enough is found anew. So what is asleep or awake does not depend on when sets were found.
//! Sets are of nodes, of which each body has one of its own: bodies change their numbers when one is removed, nodes do not. That
//! of a body that is gone stays in its set, which is marked, until there are too many of them.
//! Cost: a few ns for each contact that comes or goes, almost; a look at all bodies that are awake while one of them has been
//! still for long, and at their contacts when such a set was marked or falls asleep; nothing for those that sleep.
//! Source: Tarjan, van Leeuwen 1984, doi 10.1145/62.2160.

use crate::body::{Bodies, Rest};
use crate::narrow::{Link, Manifold, Meetings};
use crate::response::{self, Edge, Origin};

/// Bodies that have been slower than this for as long as that, in m/s and s, may sleep.
pub(crate) const STILL_SPEED: f32 = 0.05;
pub(crate) const STILL_TIME: f32 = 0.5;

/// Sets are found anew when there are so many nodes for each body, and some; in the small worlds of tests sooner.
const NODES_A_BODY: usize = if cfg!(test) { 1 } else { 4 };
const FEW_NODES: usize = if cfg!(test) { 4 } else { 1024 };

/// The islands, and room for those that may fall asleep; kept to spare allocations. Lists are by body if nothing else is said.
#[derive(Debug, Default)]
pub(crate) struct Islands {
    sets: Sets,
    /// Bodies have other numbers now, or contacts connect other ones.
    is_behind: bool,
    /// Of each body that is awake the root of its set.
    roots: Vec<u32>,
    /// Of each root, whether its set is found anew.
    is_dissolved: Vec<bool>,
    /// Of each root, for how long all of its set have been still.
    still_for: Vec<f32>,
    /// Of each body, whether a contact pushed it, and whether one carries it along.
    is_pushed: Vec<bool>,
    is_carried: Vec<bool>,
    /// Of each root, whether one of its set would not rest by itself; and the name of its island.
    is_restless: Vec<bool>,
    names: Vec<u32>,
}

/// Sets of bodies that contacts connect: islands, or several of them as one where contacts were lost.
#[derive(Debug, Default)]
struct Sets {
    /// Of each body its node.
    node_of: Vec<u32>,
    /// Of each node, as the next.
    parents: Vec<u32>,
    /// Of each root, whether a contact of its set was lost since the set was found.
    has_lost: Vec<bool>,
}

impl Sets {
    /// Each body for itself.
    fn reset(&mut self, bodies: usize) {
        self.node_of.clear();
        self.parents.clear();
        self.has_lost.clear();
        self.grow(bodies);
    }

    /// Gives a node to each body that has come.
    fn grow(&mut self, bodies: usize) {
        let (nodes, new) = (self.parents.len(), bodies.saturating_sub(self.node_of.len()));
        self.node_of.extend((nodes..nodes + new).map(|node| node as u32));
        self.parents.extend((nodes..nodes + new).map(|node| node as u32));
        self.has_lost.resize(nodes + new, false);
    }

    /// A body goes, and the last one takes its number.
    fn remove(&mut self, body: usize) {
        if body < self.node_of.len() {
            self.node_of.swap_remove(body);
        }
    }

    fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// The root of the set that a body is in.
    fn root_of(&mut self, body: u32) -> u32 {
        root_of(&mut self.parents, self.node_of[body as usize])
    }

    /// The set of two bodies may have fallen apart.
    fn note_lost(&mut self, bodies: [u32; 2]) {
        let root = self.root_of(bodies[0]);
        self.has_lost[root as usize] = true;
    }

    fn unite(&mut self, bodies: [u32; 2]) {
        let roots = bodies.map(|body| self.root_of(body));
        let has_lost = roots.map(|root| self.has_lost[root as usize]);
        let root = unite(&mut self.parents, roots[0], roots[1]);
        self.has_lost[root as usize] = has_lost[0] | has_lost[1];
    }
}

impl Islands {
    /// Finds all anew: bodies have other numbers now.
    pub(crate) fn forget(&mut self) {
        self.is_behind = true;
    }

    /// A body is about to go, its pairs have ended, and the last body will take its number.
    pub(crate) fn remove(&mut self, body: usize, meetings: &mut Meetings, bodies: &Bodies) {
        let Self { sets, is_behind, .. } = self;
        if *is_behind {
            return;
        }
        // What has come since they were last followed, too.
        sets.grow(bodies.len());
        meetings.take_unlinked(|linked| {
            if are_movable(linked, bodies) {
                sets.note_lost(linked);
            }
        });
        sets.remove(body);
        *is_behind = sets.nodes() > NODES_A_BODY * bodies.len() + FEW_NODES;
    }

    /// The stage after the solver: lets islands that are still fall asleep.
    pub(crate) fn put_to_sleep(&mut self, meetings: &mut Meetings, bodies: &mut Bodies) {
        self.follow(meetings, bodies);
        let is_due = |body: &u32| bodies.rests[*body as usize].still_for >= STILL_TIME;
        if !bodies.awake().iter().any(is_due) {
            return;
        }
        self.part(meetings, bodies);
        if !self.find_still(bodies) {
            return;
        }
        self.look_at_contacts(meetings, bodies);
        self.count_rests(bodies);
        let Self { roots, still_for, is_restless, names, .. } = self;
        for (place, root) in roots.iter().enumerate() {
            let (body, root) = (bodies.awake()[place] as usize, *root as usize);
            if still_for[root] < STILL_TIME || is_restless[root] {
                continue;
            }
            if names[root] == Rest::AWAKE {
                names[root] = bodies.name_island();
            }
            bodies.fall_asleep(body, names[root]);
        }
    }

    /// Those that contacts connect with bodies that the user has put to sleep fall asleep as well; but if one of them may not,
    /// all wake. Cost: a look at all pairs.
    pub(crate) fn lull(&mut self, meetings: &Meetings, bodies: &mut Bodies) {
        // Sets are awake or asleep as a whole, and these are found otherwise.
        self.forget();
        let mut parents: Vec<u32> = (0..bodies.len() as u32).collect();
        let touching = meetings.heads().iter().filter(|head| head.manifolds > 0 && !head.is_sensor);
        for [a, b] in touching.map(|head| head.bodies).filter(|linked| are_movable(*linked, bodies)) {
            unite(&mut parents, a, b);
        }
        let roots: Vec<u32> = (0..bodies.len() as u32).map(|body| root_of(&mut parents, body)).collect();
        let mut names = vec![Rest::AWAKE; bodies.len()];
        let lulled: Vec<usize> = bodies.lulled.iter().filter_map(|id| bodies.resolve(*id).ok()).collect();
        bodies.lulled.clear();
        for root in lulled.iter().map(|body| roots[*body] as usize) {
            if names[root] == Rest::AWAKE {
                names[root] = bodies.name_island();
            }
        }
        for (body, root) in roots.iter().enumerate() {
            if !bodies.rests[body].may_sleep {
                names[*root as usize] = Rest::AWAKE;
            }
        }
        for (body, root) in roots.iter().enumerate() {
            let name = names[*root as usize];
            if name != Rest::AWAKE && bodies.activity(body as u32).moves {
                bodies.lull(body, name);
            }
        }
        for body in lulled.into_iter().filter(|body| names[roots[*body] as usize] == Rest::AWAKE) {
            bodies.wake(body);
        }
        bodies.wake_islands();
    }

    /// Follows what contacts connect.
    fn follow(&mut self, meetings: &mut Meetings, bodies: &mut Bodies) {
        let sets = &mut self.sets;
        if std::mem::take(&mut self.is_behind) | bodies.take_connects_otherwise() {
            sets.reset(bodies.len());
            meetings.find_links(bodies, |linked| {
                if are_movable(linked, bodies) {
                    sets.unite(linked);
                }
            });
            return;
        }
        sets.grow(bodies.len());
        meetings.follow_links(|linked, link| match link {
            _ if !are_movable(linked, bodies) => {}
            Link::New => sets.unite(linked),
            Link::Lost => sets.note_lost(linked),
        });
    }

    /// Finds the islands of those sets anew that have lost contacts and in which something may sleep; and all roots.
    fn part(&mut self, meetings: &Meetings, bodies: &Bodies) {
        let Self { sets, roots, is_dissolved, .. } = self;
        roots.clear();
        roots.extend(bodies.awake().iter().map(|body| sets.root_of(*body)));
        is_dissolved.resize(sets.nodes(), false);
        roots.iter().for_each(|root| is_dissolved[*root as usize] = false);
        let mut any_dissolved = false;
        for (body, root) in bodies.awake().iter().zip(&*roots) {
            if sets.has_lost[*root as usize] && bodies.rests[*body as usize].still_for >= STILL_TIME {
                is_dissolved[*root as usize] = true;
                any_dissolved = true;
            }
        }
        if !any_dissolved {
            return;
        }
        for (body, root) in bodies.awake().iter().zip(&mut *roots) {
            if is_dissolved[*root as usize] {
                sets.has_lost[*root as usize] = false;
                // Those of a set are awake or asleep together.
                let node = sets.node_of[*body as usize];
                sets.parents[node as usize] = node;
            }
        }
        // What was not dissolved is connected already.
        for head in meetings.live_heads().iter().filter(|head| head.pushes() && are_movable(head.bodies, bodies)) {
            sets.unite(head.bodies);
        }
        bodies.awake().iter().zip(roots).for_each(|(body, root)| *root = sets.root_of(*body));
    }

    /// For how long each set has been still: for as long as that of its bodies that was so last. Says whether one of them has
    /// for long enough.
    fn find_still(&mut self, bodies: &Bodies) -> bool {
        let Self { sets, roots, still_for, .. } = self;
        still_for.resize(sets.nodes(), 0.0);
        roots.iter().for_each(|root| still_for[*root as usize] = f32::INFINITY);
        for (body, root) in bodies.awake().iter().zip(&*roots) {
            let (still_for, moves) = (&mut still_for[*root as usize], bodies.activity(*body).moves);
            *still_for = still_for.min(if moves { bodies.rests[*body as usize].still_for } else { 0.0 });
        }
        roots.iter().any(|root| still_for[*root as usize] >= STILL_TIME)
    }

    /// Finds who is pushed and who is carried along, of those that may fall asleep.
    fn look_at_contacts(&mut self, meetings: &Meetings, bodies: &Bodies) {
        let Self { sets, roots, still_for, is_pushed, is_carried, names, .. } = self;
        for list in [&mut *is_pushed, is_carried] {
            list.resize(bodies.len(), false);
            bodies.awake().iter().for_each(|body| list[*body as usize] = false);
        }
        names.resize(sets.nodes(), Rest::AWAKE);
        roots.iter().for_each(|root| names[*root as usize] = Rest::AWAKE);
        let mut look = |edge: Edge| {
            let Origin::Contact { meeting, manifold } = edge.origin;
            let activities = edge.bodies.map(|body| bodies.activity(body));
            // Both are of one set, or one of them is not moved.
            let Some(side) = activities.iter().position(|activity| activity.moves) else { return };
            if still_for[sets.root_of(edge.bodies[side]) as usize] < STILL_TIME {
                return;
            }
            let has_pushed = meetings.has_pushed(meeting);
            // Seldom: what most edges ask of their bodies is in few bytes.
            let is_driven = activities.iter().any(|activity| activity.conveys)
                && drives(&meetings.meetings()[meeting as usize].manifolds()[manifold as usize]);
            for side in (side..2).filter(|side| activities[*side].moves) {
                let (body, other) = (edge.bodies[side] as usize, edge.bodies[1 - side] as usize);
                is_pushed[body] |= has_pushed;
                is_carried[body] |= is_driven || (!activities[1 - side].moves && bodies.moves_by_itself(other));
            }
        };
        (0..response::edge_blocks(meetings)).for_each(|block| response::for_each_edge(meetings, block, &mut look));
    }

    /// Finds which of the sets that have long been still would not rest by themselves: something is carried along in them, or
    /// moves though nothing pushes it.
    fn count_rests(&mut self, bodies: &mut Bodies) {
        let Self { sets, roots, still_for, is_pushed, is_carried, is_restless, .. } = self;
        is_restless.resize(sets.nodes(), false);
        roots.iter().for_each(|root| is_restless[*root as usize] = false);
        for (place, root) in roots.iter().enumerate() {
            let (body, root) = (bodies.awake()[place] as usize, *root as usize);
            if still_for[root] < STILL_TIME {
                continue;
            }
            let rest = &mut bodies.rests[body];
            let rested = match (is_carried[body], is_pushed[body]) {
                (true, _) => 0.0,
                (false, true) => rest.still_for,
                (false, false) => rest.still_for.min(rest.motionless_for),
            };
            is_restless[root] |= rested < STILL_TIME;
            // It is asked again when it has been still for long enough anew, not in every step.
            if rested == 0.0 {
                rest.still_for = 0.0;
            }
        }
    }

    /// The stage before the solver: wakes islands that something awake has come near to; says whether there are any.
    pub(crate) fn wake(meetings: &mut Meetings, bodies: &mut Bodies) -> bool {
        for head in meetings.waking_heads() {
            for body in head.bodies {
                if bodies.rests[body as usize].is_asleep() {
                    bodies.wake(body as usize);
                }
            }
        }
        let wakes = bodies.wake_islands();
        if wakes {
            // Their pairs take part as they are.
            meetings.sort_live(bodies);
        }
        wakes
    }
}

/// Whether surfaces that run along each other push what they touch: friction holds and they are pressed together.
fn drives(manifold: &Manifold) -> bool {
    // Of what runs across the contact rounding may leave a little along it.
    const LEAST_SHARE: f32 = 1e-3;
    let (material, velocity) = (&manifold.material, manifold.material.surface_velocity);
    let along = velocity.reject_from_normalized(manifold.normal);
    let has_friction = material.friction > 0.0 || material.static_friction > 0.0;
    let runs = along.length_squared() > LEAST_SHARE * LEAST_SHARE * velocity.length_squared();
    has_friction && runs && manifold.has_pushed()
}

/// The name of the set that a body is in, by union–find.
pub(crate) fn root_of(parents: &mut [u32], mut body: u32) -> u32 {
    while parents[body as usize] != body {
        let above = parents[parents[body as usize] as usize];
        parents[body as usize] = above;
        body = above;
    }
    body
}

/// Makes one set of two; returns its root.
pub(crate) fn unite(parents: &mut [u32], a: u32, b: u32) -> u32 {
    let (a, b) = (root_of(parents, a), root_of(parents, b));
    // The smaller index, so that the order of the patches means nothing.
    parents[a.max(b) as usize] = a.min(b);
    a.min(b)
}

/// Whether contacts move both of two bodies.
fn are_movable(bodies: [u32; 2], of: &Bodies) -> bool {
    bodies.iter().all(|body| of.activity(*body).moves)
}

#[cfg(test)]
impl Islands {
    /// Of each body the first of its set, and whether that may be several islands.
    pub(crate) fn kept(&self) -> Vec<(u32, bool)> {
        let Sets { node_of, parents, has_lost } = &self.sets;
        let mut parents = parents.clone();
        let roots: Vec<u32> = node_of.iter().map(|node| root_of(&mut parents, *node)).collect();
        let first = |root: &u32| roots.iter().position(|other| other == root).map_or(u32::MAX, |body| body as u32);
        roots.iter().map(|root| (first(root), has_lost[*root as usize])).collect()
    }
}
