//! Paths: whether objects that are rigidly linked can go along keyed poses, and how much room there is (T7).
//!
//! Between two keys the linked objects move and turn evenly, and every pair with an object on the way is asked for its
//! first contact by [`crate::impact::rigid`]: what is found free is proven free between the keys, not only at samples.
//! The least clearance is found the same way: the path is followed until something is nearer than the least so far, less
//! the precision; from there the distance of that pair is followed down to its least, and the search goes on from where
//! it was, with the new least. So what is left in the end is proven for all of the path.
//! Cost: a walk through the tree for each pair of keys, and the times of impact of what is near; the clearance a few times
//! as much.

use super::{Detector, DetectorError, Member, ObjectId};
use crate::bounds::{Aabb, Motion};
use crate::distance::placement::Placement;
use crate::impact::rigid::{self, Impact, Outcome, RigidError, Sweep};
use crate::pose::{LocalPose, Pose};
use crate::query::{self, PairCache};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// So many directions are tried for a pair of convex pieces.
const ITERATIONS: u32 = 2000;
/// So often the least clearance may be improved.
const IMPROVEMENTS: usize = 500;

/// Where the first of the linked objects is at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Keys come in the order of time.
    pub time: f64,
    /// The pose of the first object; the others keep their places beside it.
    pub pose: Pose,
}

/// What is asked of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathOptions {
    /// How near counts as a hit; 0 for contact.
    pub within: f64,
    /// How much farther than that a hit may be: what comes as near is not told from it. Less than 2e-6 of the size of
    /// the objects is not reached.
    pub tolerance: f64,
    /// By which share of it the least clearance may be less than what is found.
    pub precision: f64,
    /// The point that moves along lines between the keys, in the frame of the first object.
    pub center: DVec3,
}

impl Default for PathOptions {
    fn default() -> Self {
        Self { within: 0.0, tolerance: 1e-5, precision: 0.01, center: DVec3::ZERO }
    }
}

/// What was found of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathReport {
    /// Whether it is free.
    pub outcome: PathOutcome,
    /// Where the linked objects come nearest to another, up to the end or the hit; none if there is no other.
    pub clearance: Option<Clearance>,
}

/// Whether a path is free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PathOutcome {
    /// Proven: nothing comes as near as asked, at the keys and between them.
    Free,
    /// Something does.
    Hit(PathHit),
    /// Free up to this time; for what comes then the search came to an end.
    Unproven(PathHit),
}

/// Where and when a path first comes near an object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathHit {
    /// On the path: proven free before.
    pub time: f64,
    /// Which of the linked objects.
    pub mover: ObjectId,
    /// Which object it meets.
    pub obstacle: ObjectId,
    /// How far they are apart then.
    pub distance: f64,
    /// The nearest point of the linked object, in the world.
    pub on_mover: DVec3,
    /// The nearest point of the other, in the world.
    pub on_obstacle: DVec3,
    /// The unit normal from the linked object to the other; zero if they overlap at the first key.
    pub normal: Vec3,
}

/// The least room on a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clearance {
    /// When.
    pub time: f64,
    /// How far the two are apart then.
    pub distance: f64,
    /// Proven: nowhere on the path, or before the hit, is anything nearer than this.
    pub lower: f64,
    /// Which of the linked objects.
    pub mover: ObjectId,
    /// Which object it is nearest to.
    pub obstacle: ObjectId,
    /// The nearest point of the linked object, in the world.
    pub on_mover: DVec3,
    /// The nearest point of the other, in the world.
    pub on_obstacle: DVec3,
}

/// Why a path was refused, or could not be answered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// No objects are to move.
    #[error("a path is for at least one object")]
    NoMovers,
    /// There is no key.
    #[error("a path has at least one key")]
    NoKeys,
    /// The times of the keys are not in order, or not finite.
    #[error("key {index} is at time {time}, which is not after the one before it")]
    Time {
        /// Which key.
        index: usize,
        /// Its time.
        time: f64,
    },
    /// The pose of a key.
    #[error("key {index}: {error}")]
    Key {
        /// Which key.
        index: usize,
        /// What is wrong with it.
        error: DetectorError,
    },
    /// An option is negative, NaN or infinite.
    #[error("the {what} is {value}; it must be finite and not negative")]
    Option {
        /// Which.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// An object is not in the detector.
    #[error(transparent)]
    Object(DetectorError),
    /// A pair could not be answered.
    #[error("{mover} and {obstacle} from key {key} on: {error}")]
    Pair {
        /// The linked object.
        mover: ObjectId,
        /// The other.
        obstacle: ObjectId,
        /// The key before.
        key: usize,
        /// Why.
        error: RigidError,
    },
}

impl Detector {
    /// Whether objects that are rigidly linked, as they stand now, can go along keyed poses of the first of them without
    /// coming near any other object, and where they come nearest. Filters and ignored pairs are honoured; the linked
    /// objects are not compared with each other. Closed meshes are solids: what begins wholly inside one hits it at the first key.
    ///
    /// ```
    /// use carom::detector::{Detector, Key, Object, PathOptions, PathOutcome};
    /// use carom::prelude::*;
    ///
    /// let mut shop = Detector::default();
    /// let rod = shop.insert(Object::new(Shape::cuboid(2.0, 0.1, 0.1)?, Pose::IDENTITY))?;
    /// let post = shop.insert(Object::new(Shape::cylinder(1.0, 0.1)?, Pose::at([0.0, 0.0, 1.5])))?;
    /// let turned = |angle: f32| Pose::new(DVec3::ZERO, Quat::from_rotation_y(angle));
    /// let path = [Key { time: 0.0, pose: turned(0.0) }, Key { time: 2.0, pose: turned(3.0) }];
    /// let report = shop.check_path(&[rod], &path, &PathOptions::default())?;
    /// let PathOutcome::Hit(hit) = report.outcome else { panic!() };
    /// assert!(hit.obstacle == post && hit.time < 1.0);
    ///
    /// let short = [path[0], Key { time: 1.0, pose: turned(1.0) }];
    /// let report = shop.check_path(&[rod], &short, &PathOptions::default())?;
    /// assert!(report.outcome == PathOutcome::Free && report.clearance.is_some_and(|least| least.lower > 0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_path(
        &self,
        linked: &[ObjectId],
        keys: &[Key],
        options: &PathOptions,
    ) -> Result<PathReport, PathError> {
        Search::new(self, linked, keys, options)?.report()
    }

    /// [`Detector::check_path`] of several paths at once, in their order, with the same answers on any number of threads.
    pub fn check_paths(
        &self,
        linked: &[ObjectId],
        paths: &[Vec<Key>],
        options: &PathOptions,
    ) -> Vec<Result<PathReport, PathError>> {
        paths.par_iter().map(|keys| self.check_path(linked, keys, options)).collect()
    }
}

/// An object that moves, and its place in the frame of the first.
struct Mover<'d> {
    member: Member<'d>,
    link: LocalPose,
    /// The point that moves along lines, in its own frame.
    center: DVec3,
}

/// An encounter with its place on the path.
#[derive(Clone, Copy)]
struct Met {
    /// The key before, and the share of the way to the next.
    key: usize,
    share: f64,
    mover: usize,
    hit: PathHit,
    is_proven: bool,
}

struct Search<'d> {
    detector: &'d Detector,
    movers: Vec<Mover<'d>>,
    keys: &'d [Key],
    options: &'d PathOptions,
}

impl<'d> Search<'d> {
    fn new(
        detector: &'d Detector,
        linked: &[ObjectId],
        keys: &'d [Key],
        options: &'d PathOptions,
    ) -> Result<Self, PathError> {
        let values = [
            ("distance that counts as a hit", options.within),
            ("tolerance", options.tolerance),
            ("precision", options.precision),
            ("centre", options.center.abs().max_element()),
        ];
        for (what, value) in values {
            if !(0.0..1e30).contains(&value) || options.center.is_nan() {
                return Err(PathError::Option { what, value });
            }
        }
        if keys.is_empty() {
            return Err(PathError::NoKeys);
        }
        for (index, key) in keys.iter().enumerate() {
            let is_after = index == 0 || keys[index - 1].time < key.time;
            if !(key.time.is_finite() && is_after) {
                return Err(PathError::Time { index, time: key.time });
            }
            super::set::checked(key.pose).map_err(|error| PathError::Key { index, error })?;
        }
        let [first, ..] = linked else { return Err(PathError::NoMovers) };
        let base = *detector.get(*first).map_err(PathError::Object)?.pose();
        let mut movers = Vec::with_capacity(linked.len());
        for &id in linked {
            let object = detector.get(id).map_err(PathError::Object)?;
            let link = if id == *first { LocalPose::IDENTITY } else { Pose::b_in_a(&base, object.pose()) };
            let center = Placement::of_part(&link).point_to_inner(options.center);
            movers.push(Mover { member: Member { id, object }, link, center });
        }
        Ok(Self { detector, movers, keys, options })
    }

    fn report(&self) -> Result<PathReport, PathError> {
        if let Some(met) = self.first_within(self.options.within, 0, 0.0)? {
            let clearance = Some(Clearance::of(&met.hit, self.options.within.min(met.hit.distance)));
            let outcome = if met.is_proven { PathOutcome::Hit(met.hit) } else { PathOutcome::Unproven(met.hit) };
            return Ok(PathReport { outcome, clearance });
        }
        Ok(PathReport { outcome: PathOutcome::Free, clearance: self.least_clearance()? })
    }

    /// The path is known to be free.
    fn least_clearance(&self) -> Result<Option<Clearance>, PathError> {
        let Some(mut least) = self.nearest_at_start()? else { return Ok(None) };
        let (mut key, mut share) = (0, 0.0);
        for _ in 0..IMPROVEMENTS {
            let lower = (1.0 - self.options.precision) * least.distance - 4.0 * self.options.tolerance;
            let lower = lower.max(self.options.within);
            let Some(met) = self.first_within(lower, key, share)? else {
                return Ok(Some(Clearance::of(&least, lower)));
            };
            if met.hit.distance < least.distance {
                least = met.hit;
            }
            if let Some(lowest) = self.descend(&met)?
                && lowest.distance < least.distance
            {
                least = lowest;
            }
            if least.distance <= self.options.within + 8.0 * self.options.tolerance
                || (met.key, met.share) <= (key, share)
            {
                break;
            }
            (key, share) = (met.key, met.share);
        }
        // Whatever is left is known to be free.
        Ok(Some(Clearance::of(&least, self.options.within)))
    }

    /// Which object is nearest at the first key.
    fn nearest_at_start(&self) -> Result<Option<PathHit>, PathError> {
        let mut best: Option<PathHit> = None;
        for (index, mover) in self.movers.iter().enumerate() {
            let pose = mover.pose(&self.keys[0].pose);
            let bounds = Aabb::around_shape_at(mover.member.object.shape(), &pose);
            self.obstacles(mover, &bounds, f64::INFINITY, |obstacle| {
                let limit = best.map_or(f64::INFINITY, |best| best.distance);
                if let Some(found) = self.measure(index, obstacle, 0, 0.0, limit)?
                    && found.distance < limit
                {
                    best = Some(found);
                }
                Ok(best.map_or(f64::INFINITY, |best| best.distance))
            })?;
        }
        Ok(best)
    }

    /// The two at a place of the path, if they are nearer than `limit`.
    fn measure(
        &self,
        mover: usize,
        obstacle: Member<'_>,
        key: usize,
        share: f64,
        limit: f64,
    ) -> Result<Option<PathHit>, PathError> {
        let mover = &self.movers[mover];
        let pose = self.sweep(mover, key).pose_at(share);
        let (shape, other) = (mover.member.object.shape(), obstacle.object);
        let found = query::distance_below(shape, &pose, other.shape(), other.pose(), limit, &mut PairCache::default());
        let found = found.map_err(|error| self.fault(mover, obstacle, key, error.into()))?;
        Ok(found.map(|found| {
            let (distance, on_mover, on_obstacle, normal) = match found {
                query::Distance::Apart(gap) | query::Distance::Undecided(gap) => {
                    (gap.distance, gap.on_a, gap.on_b, gap.normal)
                }
                query::Distance::Overlapping { common, .. } => (0.0, common, common, Vec3::ZERO),
            };
            let time = self.time(key, share);
            let (mover, obstacle) = (mover.member.id, obstacle.id);
            PathHit { time, mover, obstacle, distance, on_mover, on_obstacle, normal }
        }))
    }

    /// From an encounter on, to where the distance of the two is least before it grows again, or the next key.
    fn descend(&self, met: &Met) -> Result<Option<PathHit>, PathError> {
        let Some(obstacle) = self.detector.set.member(met.hit.obstacle.slot) else { return Ok(None) };
        let mut best = met.hit;
        let mut at = |share: f64| -> Result<f64, PathError> {
            let found = self.measure(met.mover, obstacle, met.key, share, f64::INFINITY)?;
            let distance = found.map_or(f64::INFINITY, |found| found.distance);
            if let Some(found) = found.filter(|found| found.distance < best.distance) {
                best = found;
            }
            Ok(distance)
        };
        // Longer and longer steps while it goes down, then the golden section of the last two.
        let (mut step, mut before, mut here) = (0.01, met.share, met.share);
        let mut lowest = met.hit.distance;
        let mut after = loop {
            let next = (here + step).min(1.0);
            let distance = at(next)?;
            if distance >= lowest || next >= 1.0 {
                break next;
            }
            (before, here, lowest, step) = (here, next, distance, 1.6 * step);
        };
        const GOLDEN: f64 = 0.618_033_988_749_894_8;
        let mut inner = [after - GOLDEN * (after - before), before + GOLDEN * (after - before)];
        let mut values = [at(inner[0])?, at(inner[1])?];
        for _ in 0..24 {
            if values[0] < values[1] {
                (after, inner[1], values[1]) = (inner[1], inner[0], values[0]);
                inner[0] = after - GOLDEN * (after - before);
                values[0] = at(inner[0])?;
            } else {
                (before, inner[0], values[0]) = (inner[0], inner[1], values[1]);
                inner[1] = before + GOLDEN * (after - before);
                values[1] = at(inner[1])?;
            }
        }
        Ok(Some(best))
    }

    /// The first encounter within a distance from a place of the path on.
    fn first_within(&self, within: f64, key: usize, share: f64) -> Result<Option<Met>, PathError> {
        for next in key..self.keys.len().saturating_sub(1).max(1) {
            let from = if next == key { share } else { 0.0 };
            if let Some(met) = self.first_between(within, next, from)? {
                return Ok(Some(met));
            }
        }
        Ok(None)
    }

    /// The first encounter from a share of the way to the next key on.
    fn first_between(&self, within: f64, key: usize, from: f64) -> Result<Option<Met>, PathError> {
        let mut best: Option<Met> = None;
        for (index, mover) in self.movers.iter().enumerate() {
            let whole = self.sweep(mover, key);
            let sweep = if from > 0.0 { whole.after(from) } else { whole };
            let shape = mover.member.object.shape();
            let motion = Motion { start: whole.pose_at(from), end: whole.pose_at(1.0), pivot: whole.center.as_vec3() };
            let bounds = motion.aabb(shape);
            // What rotations and the pivot lose in f32 is less.
            let size = f64::from((bounds.max - bounds.min).length());
            let margin = within + self.options.tolerance + 1e-5 * size;
            self.obstacles(mover, &bounds, margin, |obstacle| {
                let most_time = best.map_or(1.0, |best| best.share) - from;
                let options = rigid::Options {
                    most_time,
                    gap: within,
                    tolerance: self.options.tolerance,
                    iterations: ITERATIONS,
                };
                let (other, still) = (obstacle.object.shape(), Sweep::at(*obstacle.object.pose()));
                let found = rigid::time_of_impact(shape, &sweep, other, &still, &options);
                let found = found.map_err(|error| self.fault(mover, obstacle, key, error))?;
                let is_proven = !matches!(found, Outcome::Early(_));
                // What begins wholly inside a closed mesh meets no surface there; later on it cannot come in without.
                let inside = if key == 0 && from == 0.0 {
                    let found = query::nested(shape, &sweep.start, other, &still.start);
                    found.map_err(|error| self.fault(mover, obstacle, key, error.into()))?
                } else {
                    None
                };
                let inside =
                    inside.map(|on_a| Impact { time: 0.0, distance: 0.0, on_a, on_b: on_a, normal: Vec3::ZERO });
                let is_proven = is_proven || inside.is_some();
                if let Some(impact) = inside.as_ref().or(found.impact()) {
                    let share = from + impact.time;
                    let is_before =
                        |best: Met| share < best.share || share == best.share && impact.distance < best.hit.distance;
                    if best.is_none_or(is_before) {
                        let hit = PathHit {
                            time: self.time(key, share),
                            mover: mover.member.id,
                            obstacle: obstacle.id,
                            distance: impact.distance,
                            on_mover: impact.on_a,
                            on_obstacle: impact.on_b,
                            normal: impact.normal,
                        };
                        best = Some(Met { key, share, mover: index, hit, is_proven });
                    }
                }
                Ok(margin)
            })?;
        }
        Ok(best)
    }

    /// Calls `visit` with each object that a mover is compared with and whose box is within a distance of a box.
    fn obstacles(
        &self,
        mover: &Mover<'_>,
        bounds: &Aabb,
        limit: f64,
        mut visit: impl FnMut(Member<'_>) -> Result<f64, PathError>,
    ) -> Result<(), PathError> {
        let set = &self.detector.set;
        let (mut limit, mut fault) = (limit, None);
        set.tree().visit_near(bounds.min.as_dvec3(), bounds.max.as_dvec3(), limit, &mut |slot, _| {
            let Some(other) = set.member(slot) else { return limit };
            let is_linked = self.movers.iter().any(|mover| mover.member.id == other.id);
            if is_linked || !set.meet(mover.member, other) {
                return limit;
            }
            match visit(other) {
                Ok(next) => limit = next.min(limit),
                Err(error) => (limit, fault) = (-1.0, Some(error)),
            }
            limit
        });
        fault.map_or(Ok(()), Err)
    }

    /// How a mover goes from a key to the next, in a unit of time.
    fn sweep(&self, mover: &Mover<'_>, key: usize) -> Sweep {
        let from = self.keys[key].pose;
        let to = self.keys.get(key + 1).map_or(from, |next| next.pose);
        let base = Sweep::between(from, to, self.options.center);
        Sweep { start: mover.pose(&from), center: mover.center, ..base }
    }

    fn time(&self, key: usize, share: f64) -> f64 {
        let from = self.keys[key].time;
        let to = self.keys.get(key + 1).map_or(from, |next| next.time);
        from + share * (to - from)
    }

    fn fault(&self, mover: &Mover<'_>, obstacle: Member<'_>, key: usize, error: RigidError) -> PathError {
        PathError::Pair { mover: mover.member.id, obstacle: obstacle.id, key, error }
    }
}

impl Mover<'_> {
    /// Where it is when the first is at a pose.
    fn pose(&self, base: &Pose) -> Pose {
        if self.link == LocalPose::IDENTITY { *base } else { base.compose(&self.link) }
    }
}

impl Clearance {
    fn of(hit: &PathHit, lower: f64) -> Self {
        let PathHit { time, mover, obstacle, distance, on_mover, on_obstacle, .. } = *hit;
        Self { time, distance, lower, mover, obstacle, on_mover, on_obstacle }
    }
}
