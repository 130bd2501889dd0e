//! Which objects take part in a question.

use super::Member;

/// Groups that something is in, and groups that it looks at. By default it is in all and looks at all.
///
/// Two things meet if each looks at a group that the other is in.
///
/// ```
/// use carom::detector::Filter;
///
/// let robot = Filter { groups: 0b01, mask: 0b10 };
/// let wall = Filter { groups: 0b10, mask: 0b11 };
/// assert!(robot.meets(wall) && wall.meets(robot));
/// assert!(!robot.meets(robot));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Filter {
    /// One bit for each group that it is in.
    pub groups: u32,
    /// One bit for each group that it looks at.
    pub mask: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Self { groups: u32::MAX, mask: u32::MAX }
    }
}

impl Filter {
    /// Whether each looks at a group of the other.
    pub fn meets(self, other: Self) -> bool {
        self.groups & other.mask != 0 && other.groups & self.mask != 0
    }
}

/// Says which objects of a set a question is about: a [`Filter`], a closure, or both as a tuple.
pub trait Admits {
    /// Whether it is about this object.
    fn admits(&self, member: Member<'_>) -> bool;
}

impl<F: Fn(Member<'_>) -> bool> Admits for F {
    fn admits(&self, member: Member<'_>) -> bool {
        self(member)
    }
}

impl Admits for Filter {
    fn admits(&self, member: Member<'_>) -> bool {
        self.meets(member.object.filter())
    }
}

impl<F: Fn(Member<'_>) -> bool> Admits for (Filter, F) {
    fn admits(&self, member: Member<'_>) -> bool {
        self.0.admits(member) && self.1(member)
    }
}

/// The filter of pairs that lets all of them pass; those of groups and ignored pairs still hold.
pub fn all_pairs(_: Member<'_>, _: Member<'_>) -> bool {
    true
}
