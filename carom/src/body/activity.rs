//! Which bodies the stages of a step look at.
//!
//! What a body takes part in changes seldom: when it falls asleep or wakes, when it is left out, when a kinematic one begins
//! to move or stops, when a surface begins to run or stops. It is looked at then and kept, with a list of the bodies that
//! are not at rest; so sleepers and what stands fixed cost nothing in a step, however many there are. Pairs follow when
//! something has changed.

use super::{Bodies, BodyKind};
use glam::Vec3;

/// What a body takes part in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Activity {
    /// Contacts move it, unless it sleeps.
    pub(crate) moves: bool,
    /// It is awake, or moves by itself.
    acts: bool,
    is_left_out: bool,
    pub(crate) is_kinematic: bool,
    /// A surface of it moves along itself, and what lies on it does not rest.
    pub(crate) conveys: bool,
}

impl Activity {
    pub(crate) fn sleeps(self) -> bool {
        self.moves && !self.acts
    }

    pub(crate) fn is_left_out(self) -> bool {
        self.is_left_out
    }

    /// Whether contacts connect it with others, be it asleep or awake.
    fn connects(self) -> bool {
        self.moves && !self.is_left_out
    }

    /// Whether steps may move it: it is neither fixed nor asleep.
    pub(crate) fn is_followed(self) -> bool {
        self.acts || self.is_kinematic
    }

    /// Whether a pair of two such bodies is looked at: contacts may move one of them, one is awake, and neither is left out.
    /// Sensors are also told of what only the user moves.
    pub(crate) fn is_live(self, other: Self, is_sensor: bool) -> bool {
        let is_put = is_sensor && (self.is_kinematic || other.is_kinematic);
        let is_open = is_put || ((self.moves || other.moves) && (self.acts || other.acts));
        is_open && !(self.is_left_out || other.is_left_out)
    }
}

/// How activities have changed since the pairs were last sorted by them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stir {
    #[default]
    Nothing,
    /// Some take part no longer.
    Rests,
    /// Some do that did not.
    Stirs,
}

impl Bodies {
    /// What a body takes part in.
    #[inline]
    pub(crate) fn activity(&self, dense: u32) -> Activity {
        self.activities[dense as usize]
    }

    /// The bodies that steps may move, in order, as of the last [`Bodies::list_awake`].
    pub(crate) fn awake(&self) -> &[u32] {
        &self.awake
    }

    /// Which list that is: each has a number of its own.
    pub(crate) fn awake_list(&self) -> u32 {
        self.awake_list
    }

    /// Brings the list of bodies that are neither fixed nor asleep up to date.
    pub(crate) fn list_awake(&mut self) {
        if std::mem::take(&mut self.awake_is_behind) {
            self.awake_list = self.awake_list.wrapping_add(1);
            let Self { activities, awake, .. } = self;
            awake.clear();
            awake.extend(
                (0u32..).zip(activities).filter(|(_, activity)| activity.is_followed()).map(|(dense, _)| dense),
            );
        }
    }

    /// How activities have changed since the last call.
    pub(crate) fn take_stir(&mut self) -> Stir {
        std::mem::take(&mut self.stir)
    }

    /// Whether contacts have come to connect a body, or do no longer, since the last call.
    pub(crate) fn take_connects_otherwise(&mut self) -> bool {
        std::mem::take(&mut self.connects_otherwise)
    }

    /// Leaves a body out that went non-finite. Its touches end with the next step.
    pub(crate) fn set_aside(&mut self, dense: usize) {
        let nature = &mut self.natures[dense];
        nature.set_aside = true;
        self.refiltered.push(nature.id);
        self.review(dense);
    }

    /// Lets a body take part again that was set aside; with the next step it is asked anew whom it meets.
    pub(super) fn take_back(&mut self, dense: usize) {
        let nature = &mut self.natures[dense];
        if std::mem::take(&mut nature.set_aside) {
            self.refiltered.push(nature.id);
            self.review(dense);
        }
    }

    /// Looks anew at what a body takes part in, after something of it has changed.
    pub(super) fn review(&mut self, dense: usize) {
        let activity = self.activity_of(dense);
        let before = std::mem::replace(&mut self.activities[dense], activity);
        if before != activity {
            self.connects_otherwise |= before.connects() != activity.connects();
            let may_stir = activity.is_followed() && !activity.is_left_out;
            self.stir = if may_stir || self.stir == Stir::Stirs { Stir::Stirs } else { Stir::Rests };
            self.awake_is_behind = true;
        }
    }

    pub(super) fn activity_of(&self, dense: usize) -> Activity {
        let nature = &self.natures[dense];
        let moves = self.motions[dense].is_movable();
        let acts = if moves { !self.rests[dense].is_asleep() } else { self.moves_by_itself(dense) };
        let is_kinematic = nature.kind == BodyKind::Kinematic;
        Activity { moves, acts, is_left_out: nature.is_left_out(), is_kinematic, conveys: nature.conveys }
    }

    /// Whether a body that contacts do not move is moving.
    pub(crate) fn moves_by_itself(&self, dense: usize) -> bool {
        let motion = &self.motions[dense];
        self.natures[dense].kind == BodyKind::Kinematic
            && (motion.velocity != Vec3::ZERO || motion.angular_velocity != Vec3::ZERO)
    }
}
