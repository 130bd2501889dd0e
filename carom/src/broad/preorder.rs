//! Trees of any arity in one array, each node before all that is below it.
//!
//! A node knows where its subtree ends, so a walk that leaves a subtree out goes on at its end: no stack, no pointers
//! and no limit on the depth. Children come after their parent, so one pass from the back refits every node.

use crate::bounds::BoundingVolume;

/// What two volumes can be put into.
pub(crate) trait Merged: Clone {
    /// A volume around both.
    fn merged_with(&self, other: &Self) -> Self;
}

impl<V: BoundingVolume> Merged for V {
    #[inline(always)]
    fn merged_with(&self, other: &Self) -> Self {
        self.merged(other)
    }
}

/// A node: a leaf over `count` items from `first` on, or, if `count` is 0, what lies around its children.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Node<V> {
    pub(crate) volume: V,
    /// One beyond the last node of the subtree.
    pub(crate) end: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
}

impl<V> Node<V> {
    #[inline(always)]
    pub(crate) fn is_leaf(&self) -> bool {
        self.count > 0
    }

    /// The places of its items.
    #[inline(always)]
    pub(crate) fn items(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// The children of a node, from first to last.
#[inline(always)]
pub(crate) fn children<V>(nodes: &[Node<V>], parent: usize) -> impl Iterator<Item = usize> {
    let end = nodes[parent].end as usize;
    let mut next = parent + 1;
    std::iter::from_fn(move || {
        let child = next;
        (child < end).then(|| {
            next = nodes[child].end as usize;
            child
        })
    })
}

/// Finds the end of each node from the depths; where leaves have their volumes, inner nodes get theirs.
pub(crate) fn close<V: Merged>(nodes: &mut [Node<V>], depths: &[u32]) {
    for index in (0..nodes.len()).rev() {
        let mut end = index + 1;
        while depths.get(end).is_some_and(|&depth| depth > depths[index]) {
            end = nodes[end].end as usize;
        }
        nodes[index].end = end as u32;
        refit_inner(nodes, index);
    }
}

/// Sets the volume of an inner node to what lies around its children's; leaves stay.
#[inline(always)]
pub(crate) fn refit_inner<V: Merged>(nodes: &mut [Node<V>], index: usize) {
    let whole = {
        let mut volumes = children(nodes, index).map(|child| &nodes[child].volume);
        match (volumes.next(), volumes.next()) {
            (Some(first), Some(second)) => {
                Some(volumes.fold(first.merged_with(second), |whole, volume| whole.merged_with(volume)))
            }
            (first, _) => first.cloned(),
        }
    };
    if let Some(whole) = whole {
        nodes[index].volume = whole;
    }
}

/// Calls `visit` with each leaf from node `index` on that no `reaches` on the way to it rejects.
#[inline(always)]
pub(crate) fn walk<V>(
    nodes: &[Node<V>],
    mut index: usize,
    mut reaches: impl FnMut(&V, usize) -> bool,
    mut visit: impl FnMut(&Node<V>),
) {
    while let Some(node) = nodes.get(index) {
        if !reaches(&node.volume, index) {
            index = node.end as usize;
            continue;
        }
        if node.is_leaf() {
            visit(node);
        }
        index += 1;
    }
}

/// Calls `visit` with each node and its depth, in order.
pub(crate) fn with_depths<V>(nodes: &[Node<V>], mut visit: impl FnMut(&Node<V>, usize, u32)) {
    let mut open: Vec<u32> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        while open.last().is_some_and(|&end| end as usize <= index) {
            open.pop();
        }
        visit(node, index, open.len() as u32);
        open.push(node.end);
    }
}
