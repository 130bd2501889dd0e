//! What of the pairs snapshots keep.

use super::{Clearance, Head, InnerEdges, Meeting, Meetings, Pair, Places};

/// What of the pairs the next step depends on.
#[derive(Debug, Clone)]
pub(crate) struct MeetingsCopy {
    heads: Vec<Head>,
    clearances: Vec<Clearance>,
    meetings: Vec<Meeting>,
    live: usize,
    changes: u32,
    refused: Vec<Pair>,
    inner_edges: InnerEdges,
}

impl Meetings {
    /// A copy of all that the next step depends on.
    pub(crate) fn copy(&self) -> MeetingsCopy {
        let mut refused: Vec<Pair> = self.refused.iter().copied().collect();
        refused.sort_unstable();
        let (live, changes, inner_edges) = (self.live, self.changes, self.inner_edges);
        let (heads, clearances, meetings) = (self.heads.clone(), self.clearances.clone(), self.meetings.clone());
        MeetingsCopy { heads, clearances, meetings, live, changes, refused, inner_edges }
    }

    /// Goes on from a copy, with a broad phase that is built anew.
    pub(crate) fn restore(&mut self, copy: &MeetingsCopy) {
        self.heads.clone_from(&copy.heads);
        self.clearances.clone_from(&copy.clearances);
        self.meetings.clone_from(&copy.meetings);
        (self.live, self.changes, self.parked) = (copy.live, copy.changes, None);
        if self.inner_edges != copy.inner_edges {
            self.inner_edges = copy.inner_edges;
            self.rooms.clear();
        }
        self.refused = copy.refused.iter().copied().collect();
        self.places = Places::of(self.heads.iter().map(|head| head.pair));
        self.ask_anew();
    }
}

impl MeetingsCopy {
    /// How many bytes it holds.
    pub(crate) fn size(&self) -> usize {
        let meetings: usize = self.meetings.iter().map(Meeting::size).sum();
        size_of_val(&self.heads[..]) + size_of_val(&self.clearances[..]) + size_of_val(&self.refused[..]) + meetings
    }
}
