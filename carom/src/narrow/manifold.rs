//! The points at which two convex parts touch, and how they are reduced to four.

use super::Feature;
use crate::pose::LocalPose;
use glam::{DVec3, Vec3};

/// The most points that one manifold has.
pub const MAX_POINTS: usize = 4;

/// One point of contact between two parts, in the frame of the first.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LocalContact {
    /// Half way between the two surfaces.
    pub point: Vec3,
    /// How far the surfaces are inside each other along the normal; negative if they are apart, by at most the margin.
    pub depth: f32,
    /// Which feature of the first and of the second part makes the point: the same while the contact is the same.
    pub features: [Feature; 2],
}

/// How two convex parts touch, in the frame of the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalManifold {
    /// The direction in which the second part must move to get free; of unit length.
    pub normal: Vec3,
    contacts: [LocalContact; MAX_POINTS],
    count: usize,
}

impl LocalManifold {
    /// A manifold of one point.
    #[inline]
    pub(crate) fn of_one(normal: Vec3, contact: LocalContact) -> Self {
        let none = LocalContact::default();
        Self { normal, contacts: [contact, none, none, none], count: 1 }
    }

    /// A manifold without points yet.
    pub(crate) fn empty(normal: Vec3) -> Self {
        Self { normal, contacts: [LocalContact::default(); MAX_POINTS], count: 0 }
    }

    /// One point more, while there is room.
    pub(crate) fn push(&mut self, contact: LocalContact) {
        if let Some(place) = self.contacts.get_mut(self.count) {
            *place = contact;
            self.count += 1;
        }
    }

    /// The points, in the order of their features.
    pub fn contacts(&self) -> &[LocalContact] {
        &self.contacts[..self.count]
    }

    /// The same contact in the frame of the second part, which then counts as the first.
    pub(crate) fn flipped(mut self, b_in_a: &LocalPose) -> Self {
        self.normal = -b_in_a.direction_to_inner(self.normal);
        for contact in &mut self.contacts[..self.count] {
            contact.point = b_in_a.point_to_inner(contact.point);
            contact.features.reverse();
        }
        self.sort();
        self
    }

    /// Takes in a point, in place of the shallowest if there is no room.
    pub(super) fn take_in(&mut self, contact: LocalContact) {
        if self.count < MAX_POINTS {
            self.push(contact);
        } else if let Some(shallowest) = self.contacts.iter_mut().min_by(|a, b| a.depth.total_cmp(&b.depth)) {
            *shallowest = contact;
        }
        self.sort();
    }

    /// Gives points of these features others.
    pub(super) fn rename(&mut self, features: [Feature; 2], others: [Feature; 2]) {
        let contacts = self.contacts[..self.count].iter_mut();
        contacts.filter(|contact| contact.features == features).for_each(|contact| contact.features = others);
        self.sort();
    }

    /// Brings the points into the order of their features.
    pub(super) fn sort(&mut self) {
        self.contacts[..self.count].sort_unstable_by_key(|contact| contact.features);
    }

    /// The greatest depth.
    pub(super) fn deepest(&self) -> f32 {
        self.contacts().iter().map(|contact| contact.depth).fold(f32::NEG_INFINITY, f32::max)
    }
}

/// A point that may become one of a manifold.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Candidate {
    /// Half way between the two surfaces.
    pub(super) place: DVec3,
    pub(super) depth: f64,
    pub(super) features: [Feature; 2],
}

/// Differences in depth and place below this share of the patch's size are left to the order of the features, so that
/// rounding does not choose other points in each frame.
const TIE: f64 = 1e-3;

/// At most four of the candidates, in the order of their features: the deepest, the farthest from it, and the two that
/// add most area on either side of the line between them, so that depth and area are kept. `normal` is of unit length.
pub(super) fn reduced(candidates: &mut [Candidate], normal: DVec3) -> LocalManifold {
    let mut manifold = LocalManifold::empty(normal.as_vec3());
    let mut push = |candidate: &Candidate| {
        let Candidate { place, depth, features } = *candidate;
        manifold.push(LocalContact { point: place.as_vec3(), depth: depth as f32, features });
    };
    if candidates.len() <= MAX_POINTS {
        candidates.iter().for_each(&mut push);
        manifold.sort();
        return manifold;
    }
    candidates.sort_unstable_by_key(|candidate| candidate.features);
    let base = candidates[0].place;
    let size = candidates.iter().map(|candidate| candidate.place.distance_squared(base)).fold(0.0, f64::max).sqrt();
    let tie = TIE * size;
    let deepest = &candidates[first_greatest(candidates, 0.01 * tie, |candidate| candidate.depth)];
    let away = |candidate: &Candidate| candidate.place.distance(deepest.place);
    let opposite = &candidates[first_greatest(candidates, tie, away)];
    let across = normal.cross(opposite.place - deepest.place).normalize_or_zero();
    let beside = |candidate: &Candidate| across.dot(candidate.place - deepest.place);
    let left = &candidates[first_greatest(candidates, tie, beside)];
    let right = &candidates[first_greatest(candidates, tie, |candidate| -beside(candidate))];
    push(deepest);
    push(opposite);
    if beside(left) > tie {
        push(left);
    }
    if beside(right) < -tie {
        push(right);
    }
    manifold.sort();
    manifold
}

/// The first candidate whose score no other beats by more than `tie`.
fn first_greatest(candidates: &[Candidate], tie: f64, score: impl Fn(&Candidate) -> f64) -> usize {
    let greatest = candidates.iter().map(&score).fold(f64::NEG_INFINITY, f64::max);
    candidates.iter().position(|candidate| score(candidate) >= greatest - tie).unwrap_or(0)
}
