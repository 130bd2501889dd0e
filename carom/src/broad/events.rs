//! Pairs that began and ended between two looks, for structures that learn of them one by one.

use super::{Changes, Pair};

/// What began and ended since the last look.
#[derive(Debug, Clone, Default)]
pub(super) struct Events {
    pub(super) began: Vec<Pair>,
    pub(super) ended: Vec<Pair>,
    /// Something may stand in both lists.
    pub(super) may_cancel: bool,
    /// They were handed out.
    is_seen: bool,
    /// From this length on the lists are cleaned up even if nobody looks.
    limit: usize,
}

impl Events {
    /// Before something is added: drops what was handed out.
    pub(super) fn begin(&mut self) {
        if std::mem::take(&mut self.is_seen) {
            self.began.clear();
            self.ended.clear();
            self.may_cancel = false;
        } else {
            self.may_cancel |= !(self.began.is_empty() && self.ended.is_empty());
            if self.began.len() + self.ended.len() > self.limit {
                self.cancel();
                self.limit = 2 * (self.began.len() + self.ended.len()) + 1024;
            }
        }
    }

    /// Hands them out, once.
    pub(super) fn look(&mut self) -> Changes<'_> {
        if std::mem::replace(&mut self.is_seen, true) {
            self.began.clear();
            self.ended.clear();
        }
        if std::mem::take(&mut self.may_cancel) {
            self.cancel();
        }
        Changes { began: &self.began, ended: &self.ended }
    }

    /// How many bytes it holds.
    pub(super) fn memory(&self) -> usize {
        (self.began.capacity() + self.ended.capacity()) * size_of::<Pair>()
    }

    /// Takes out what stands in both lists, one for one: it came and went, perhaps more than once.
    fn cancel(&mut self) {
        self.began.sort_unstable();
        self.ended.sort_unstable();
        let (mut ended, mut kept_began, mut kept_ended) = (0, 0, 0);
        for index in 0..self.began.len() {
            let pair = self.began[index];
            while ended < self.ended.len() && self.ended[ended] < pair {
                self.ended[kept_ended] = self.ended[ended];
                kept_ended += 1;
                ended += 1;
            }
            if self.ended.get(ended) == Some(&pair) {
                ended += 1;
            } else {
                self.began[kept_began] = pair;
                kept_began += 1;
            }
        }
        self.ended.drain(kept_ended..ended);
        self.began.truncate(kept_began);
    }
}
