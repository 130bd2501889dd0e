//! The face of one box clipped to that of another, in the axes of the one that it is clipped to.
//!
//! There the reference is a rectangle and the incident face a parallelogram, c ± e₁ ± e₂. What they have in common has its
//! corners where a corner of the parallelogram is in the rectangle, a corner of the rectangle in the parallelogram, or a
//! side crosses a side: each is asked by itself, so that nothing is cut and copied, and sides that are parallel share their
//! divisions. The same points as the general [`clip`](super::super::clip) finds, with the same names; a corner that is on
//! the border up to rounding counts as inside, and what crosses right there is not asked again.
//! Cost: 4 corners, 16 crossings, 4 corners. Source: the cases are those of Liang, Barsky 1984, doi 10.1145/357332.357333.

use crate::distance::placement::Placement;
use crate::narrow::Feature;
use crate::narrow::clip::{Clipped, Owner, Touch};
use crate::narrow::manifold::Candidate;
use crate::narrow::patch::{cuboid_edge, cuboid_vertex};
use glam::DVec3;

/// What is beyond a side by less than this share of the boxes' size is on it.
const ON_SIDE: f64 = 1e-10;
/// The most points that are taken in. Eight are, but for ties.
const MOST: usize = 16;

/// A face of a box, seen from the frame of the reference.
pub(super) struct Face {
    pub(super) half: DVec3,
    pub(super) axis: usize,
    pub(super) is_positive: bool,
}

impl Face {
    /// The two axes along the face, in order.
    fn along(&self) -> (usize, usize) {
        ([1, 2, 0][self.axis], [2, 0, 1][self.axis])
    }

    fn side(&self) -> u32 {
        u32::from(self.is_positive)
    }

    fn sign(&self) -> f64 {
        if self.is_positive { 1.0 } else { -1.0 }
    }

    fn size(&self) -> f64 {
        let (u, v) = self.along();
        2.0 * self.half[u].hypot(self.half[v])
    }
}

/// Candidates as they are found, in the frame of the reference.
struct Found {
    candidates: [Candidate; MOST],
    count: usize,
}

/// The manifold of two faces that look at each other; `incident_in_reference` is where the box of `incident` is, and
/// `b_in_a` brings what belongs to a reference of the second box into the frame of the first.
#[inline(always)]
pub(super) fn clipped(
    touch: &Touch<'_>,
    owner: Owner,
    [reference, incident]: [Face; 2],
    incident_in_reference: &Placement,
    b_in_a: &Placement,
) -> Clipped {
    let (u, v) = reference.along();
    let (p, s) = incident.along();
    let (reach_u, reach_v, top) = (reference.half[u], reference.half[v], reference.half[reference.axis]);
    let turn = &incident_in_reference.rotation;
    let center =
        incident_in_reference.position + turn.col(incident.axis) * (incident.sign() * incident.half[incident.axis]);
    let (first, second) = (turn.col(p) * incident.half[p], turn.col(s) * incident.half[s]);
    // Of each: along u, along v, and how far it is below the reference.
    let up = reference.sign();
    let flat = |vector: DVec3| [vector[u], vector[v], -up * vector[reference.axis]];
    let ([x, y, z], e, f) = (flat(center), flat(first), flat(second));
    let below = top + z;
    let slack = ON_SIDE * (reach_u + reach_v + incident.half[p] + incident.half[s]);

    let radius = touch.radii[0] + touch.radii[1];
    let incident_radius = if owner == Owner::A { touch.radii[1] } else { touch.radii[0] };
    let mut found = Found { candidates: [Candidate::default(); MOST], count: 0 };
    let mut push = |at: [f64; 3], of_reference, of_incident| {
        let depth = at[2] + radius;
        if depth < -touch.margin || found.count == MOST {
            return;
        }
        // The incident surface is `incident_radius` before the point; half the depth lies beyond it.
        let mut place = DVec3::ZERO;
        (place[u], place[v]) = (at[0], at[1]);
        place[reference.axis] = up * (top - at[2] + 0.5 * depth - incident_radius);
        let features = if owner == Owner::A { [of_reference, of_incident] } else { [of_incident, of_reference] };
        found.candidates[found.count] = Candidate { place, depth, features };
        found.count += 1;
    };

    // Corner by corner of the incident face, as they are numbered: bit 0 for the end along p, bit 1 along s.
    let corners: [[f64; 3]; 4] = std::array::from_fn(|corner| {
        let (a, b) = (if corner & 1 == 1 { 1.0 } else { -1.0 }, if corner & 2 == 2 { 1.0 } else { -1.0 });
        [x + a * e[0] + b * f[0], y + a * e[1] + b * f[1], below + a * e[2] + b * f[2]]
    });
    let beyond = |at: f64, reach: f64| i32::from(at > reach + slack) - i32::from(at < -reach - slack);
    let codes: [[i32; 2]; 4] =
        std::array::from_fn(|corner| [beyond(corners[corner][0], reach_u), beyond(corners[corner][1], reach_v)]);
    let of_reference = Feature::face(2 * reference.axis as u32 + reference.side());
    let of_incident = Feature::face(2 * incident.axis as u32 + incident.side());
    for (corner, at) in (0u32..).zip(corners) {
        if codes[corner as usize] == [0; 2] {
            push(at, of_reference, cuboid_vertex(incident.axis, incident.side(), corner & 1, corner >> 1));
        }
    }
    if codes == [[0; 2]; 4] {
        return finish(touch, owner, &mut found, [&reference, &incident], b_in_a);
    }

    // Side by side of the incident face: from its lower to its upper corner.
    let (along_p, along_s) = ([0, 1], [0, 2]);
    for (way, [lower, upper], step, across) in [(e, along_p, 2, p), (f, along_s, 1, s)] {
        let inverse = [1.0 / way[0], 1.0 / way[1]];
        for index in 0..2 {
            let (from, to) = (lower + index * step, upper + index * step);
            let edge = if across == p {
                cuboid_edge(p, index as u32, incident.side())
            } else {
                cuboid_edge(s, incident.side(), index as u32)
            };
            for (axis, reach, other_reach) in [(0, reach_u, reach_v), (1, reach_v, reach_u)] {
                let (code_from, code_to) = (codes[from][axis], codes[to][axis]);
                if code_from == code_to {
                    continue;
                }
                for sign in [-1, 1] {
                    if (code_from == sign) == (code_to == sign) {
                        continue;
                    }
                    // Of sides as good as parallel the crossing is at an end, wherever rounding puts it.
                    let share = ((f64::from(sign) * reach - corners[from][axis]) * inverse[axis]).clamp(0.0, 2.0);
                    let mut at = [0, 1, 2].map(|k| corners[from][k] + share * way[k]);
                    if at[1 - axis].abs() > other_reach + slack {
                        continue;
                    }
                    at[axis] = f64::from(sign) * reach;
                    let side = u32::from(sign > 0);
                    let cut = if axis == 0 {
                        cuboid_edge(v, reference.side(), side)
                    } else {
                        cuboid_edge(u, side, reference.side())
                    };
                    push(at, cut, edge);
                }
            }
        }
    }

    // Corners of the reference that are inside the incident face.
    let part = 1.0 / (e[0] * f[1] - e[1] * f[0]);
    for corner in 0u32..4 {
        let at = [if corner & 1 == 1 { reach_u } else { -reach_u }, if corner & 2 == 2 { reach_v } else { -reach_v }];
        let (dx, dy) = (at[0] - x, at[1] - y);
        let (a, b) = ((dx * f[1] - dy * f[0]) * part, (e[0] * dy - e[1] * dx) * part);
        if a.abs().max(b.abs()) < 1.0 - ON_SIDE {
            let depth = below + a * e[2] + b * f[2];
            push(
                [at[0], at[1], depth],
                cuboid_vertex(reference.axis, reference.side(), corner & 1, corner >> 1),
                of_incident,
            );
        }
    }
    finish(touch, owner, &mut found, [&reference, &incident], b_in_a)
}

#[inline(always)]
fn finish(
    touch: &Touch<'_>,
    owner: Owner,
    found: &mut Found,
    [reference, incident]: [&Face; 2],
    b_in_a: &Placement,
) -> Clipped {
    let candidates = &mut found.candidates[..found.count];
    if owner == Owner::B {
        candidates.iter_mut().for_each(|candidate| candidate.place = b_in_a.point_to_outer(candidate.place));
    }
    touch.reduced(owner, candidates, || reference.size().min(incident.size()))
}
