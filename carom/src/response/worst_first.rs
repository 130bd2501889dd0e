//! R5: contacts one by one, always the worst.
//!
//! The contact that closes fastest is resolved by its own impulse (see `impulse`), which changes the closing speeds of
//! those that share a body with it; they are measured anew, and the then fastest is next, until none closes. An impact
//! thus passes through a row of bodies, each rebounding from the speed at which it is hit: with e = 1 every single impulse
//! keeps the energy, so all do. What sticks out above the closing speed is worst as well: sliding within the limit of
//! friction, and what a contact at rest pushed too much, which it takes back. The lecture takes back nothing; a box on
//! its four corners then never comes to rest, as each push on one corner lifts another.
//! The worst is the root of a tournament over all contacts. A plain search costs contacts × impulses; a heap would need
//! every old place of a contact found or outdated entries skipped, where a leaf just changes its value.
//! Stops when no violation is above 1e-6 of the largest closing speed at the start, or after so many impulses as there are
//! contacts, times the given number. Cost: impulses × (contacts of a body × log contacts). Source: lecture 004.

use super::gauss_seidel::tolerance;
use super::impulse::{Constraint, ContactImpulse, Rebound};
use crate::body::Motion;

/// Room for the order; kept to spare allocations.
#[derive(Debug, Default)]
pub(super) struct Order {
    pub(super) ranking: Ranking,
    pub(super) neighbours: Neighbours,
}

/// Changes the velocities and the impulses; `residuals` takes the worst violation of each round of as many impulses as
/// there are contacts.
pub(super) fn solve(
    constraints: &[Constraint],
    impulses: &mut [ContactImpulse],
    motions: &mut [Motion],
    iterations: u32,
    (order, residuals): (&mut Order, &mut Vec<f32>),
) {
    let Order { ranking, neighbours } = order;
    let tolerance = tolerance(constraints);
    let rebound = Rebound::EachTime;
    neighbours.find(constraints, motions);
    ranking.clear(constraints.len());
    let rank = |ranking: &mut Ranking, index: usize, impulse: &ContactImpulse, motions: &[Motion]| {
        if constraints[index].acts(rebound) {
            ranking.set(index, constraints[index].violation(motions, impulse, rebound));
        }
    };
    for (index, impulse) in impulses.iter().enumerate() {
        rank(ranking, index, impulse, motions);
    }
    for _ in 0..iterations {
        let mut worst_of_round = 0.0f32;
        for _ in 0..constraints.len() {
            let (worst, violation) = ranking.worst();
            worst_of_round = worst_of_round.max(violation);
            if violation <= tolerance {
                break;
            }
            constraints[worst].resolve(motions, &mut impulses[worst], rebound);
            for body in constraints[worst].bodies {
                for &other in neighbours.of(body) {
                    rank(ranking, other as usize, &impulses[other as usize], motions);
                }
            }
        }
        residuals.push(worst_of_round);
        if ranking.worst().1 <= tolerance {
            break;
        }
    }
}

/// A tournament: the greatest of many numbers is known at once, and changing one costs the height of the tree.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// Node i has the greater of nodes 2i and 2i + 1; the numbers are in the second half.
    nodes: Vec<f32>,
}

impl Ranking {
    /// So many numbers, all 0.
    pub(super) fn clear(&mut self, count: usize) {
        self.nodes.clear();
        self.nodes.resize(2 * count.next_power_of_two(), 0.0);
    }

    /// Negative ones and NaN count as 0.
    pub(super) fn set(&mut self, index: usize, value: f32) {
        let mut node = self.nodes.len() / 2 + index;
        self.nodes[node] = value.max(0.0);
        while node > 1 {
            node /= 2;
            let greater = self.nodes[2 * node].max(self.nodes[2 * node + 1]);
            if self.nodes[node] == greater {
                break;
            }
            self.nodes[node] = greater;
        }
    }

    /// The first of the greatest, and how great it is.
    pub(super) fn worst(&self) -> (usize, f32) {
        let half = self.nodes.len() / 2;
        let mut node = 1;
        while node < half {
            node *= 2;
            if self.nodes[node] < self.nodes[node + 1] {
                node += 1;
            }
        }
        (node - half, self.nodes[node])
    }
}

/// Of each movable body its contacts.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// Where the contacts of each body begin, and where those of the last end.
    starts: Vec<u32>,
    contacts: Vec<u32>,
}

impl Neighbours {
    pub(super) fn find(&mut self, constraints: &[Constraint], motions: &[Motion]) {
        let Self { starts, contacts } = self;
        let ends = || (0u32..).zip(constraints).flat_map(|(index, row)| row.bodies.map(|body| (index, body)));
        let movable = || ends().filter(|&(_, body)| motions[body].is_movable());
        starts.clear();
        starts.resize(motions.len() + 1, 0);
        movable().for_each(|(_, body)| starts[body] += 1);
        let mut total = 0;
        for start in starts.iter_mut() {
            total += *start;
            *start = total;
        }
        contacts.clear();
        contacts.resize(total as usize, 0);
        // From the ends of the lists to their starts; each body's are in falling order.
        movable().for_each(|(index, body)| {
            starts[body] -= 1;
            contacts[starts[body] as usize] = index;
        });
    }

    pub(super) fn of(&self, body: usize) -> &[u32] {
        &self.contacts[self.starts[body] as usize..self.starts[body + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::Ranking;

    #[test]
    fn the_worst_is_the_first_of_the_greatest() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut ranking = Ranking::default();
        for count in 1..40 {
            ranking.clear(count);
            let mut values = vec![0.0f32; count];
            for _ in 0..200 {
                let (index, value) = (random.usize(0..count), random.i32(-3..10) as f32);
                ranking.set(index, value);
                values[index] = value.max(0.0);
                let greatest = values.iter().copied().fold(0.0, f32::max);
                let first = values.iter().position(|&value| value == greatest);
                assert_eq!((Some(ranking.worst().0), ranking.worst().1), (first, greatest));
            }
        }
        ranking.set(0, f32::NAN);
        assert!(ranking.worst().1 >= 0.0);
    }
}
