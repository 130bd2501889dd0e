//! Where each pair is kept.
//!
//! A pair has a number of its own while it lasts. A table tells the number of a pair, and a list where the one with a number
//! is: pairs change places far more often than they come and go, and to write to the list costs little.
//! Cost: one look into the table when a pair comes, goes or is asked for.

use crate::broad::{Pair, PairHash};
use crate::threads::Shared;
use std::collections::HashMap;

/// The places of pairs, of which the last is one less than how many there are.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Asked, never walked: its order means nothing.
    number_of: HashMap<Pair, u32, PairHash>,
    /// By number.
    place_of: Vec<u32>,
    /// By place.
    numbers: Vec<u32>,
    /// Numbers that pairs have left.
    free: Vec<u32>,
    /// Those by place while places change; kept to spare allocations.
    before: Vec<u32>,
}

impl Places {
    /// The places of these pairs, in their order.
    pub(super) fn of(pairs: impl ExactSizeIterator<Item = Pair>) -> Self {
        let count = pairs.len() as u32;
        let all = || (0..count).collect();
        Self { number_of: pairs.zip(0..).collect(), place_of: all(), numbers: all(), ..Self::default() }
    }

    /// Where a pair is.
    pub(super) fn find(&self, pair: Pair) -> Option<usize> {
        self.number_of.get(&pair).map(|number| self.place_of[*number as usize] as usize)
    }

    /// A new pair comes to the end.
    pub(super) fn push(&mut self, pair: Pair) {
        let place = self.numbers.len() as u32;
        let number = self.free.pop().unwrap_or_else(|| {
            self.place_of.push(0);
            self.place_of.len() as u32 - 1
        });
        self.place_of[number as usize] = place;
        self.numbers.push(number);
        self.number_of.insert(pair, number);
    }

    /// Two pairs change places.
    pub(super) fn swap(&mut self, one: usize, other: usize) {
        self.numbers.swap(one, other);
        for place in [one, other] {
            self.place_of[self.numbers[place] as usize] = place as u32;
        }
    }

    /// A pair goes, and the last comes to its place.
    pub(super) fn swap_remove(&mut self, pair: Pair, place: usize) {
        self.number_of.remove(&pair);
        self.free.push(self.numbers.swap_remove(place));
        if let Some(number) = self.numbers.get(place) {
            self.place_of[*number as usize] = place as u32;
        }
    }

    /// For all to change places at once.
    pub(super) fn reorder(&mut self) -> Reordering<'_> {
        let Self { place_of, numbers, before, .. } = self;
        std::mem::swap(numbers, before);
        numbers.resize(before.len(), 0);
        Reordering { before, numbers: Shared::new(numbers), place_of: Shared::new(place_of) }
    }
}

/// Who tells where pairs come to be.
pub(super) struct Reordering<'a> {
    before: &'a [u32],
    numbers: Shared<'a, u32>,
    place_of: Shared<'a, u32>,
}

impl Reordering<'_> {
    /// A pair comes from a place to another.
    ///
    /// # Safety
    ///
    /// Each place is left by one pair and taken by one, each told by one worker.
    #[inline]
    #[allow(unsafe_code)]
    pub(super) unsafe fn put(&self, from: usize, to: usize) {
        let number = self.before[from];
        // SAFETY: nobody else has the place, nor the number, as the caller says.
        unsafe {
            *self.numbers.get_mut(to) = number;
            *self.place_of.get_mut(number as usize) = to as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Places;
    use crate::broad::Pair;

    /// What pairs there are in which order, as places tell it, against a plain list.
    #[test]
    fn pairs_are_found_wherever_they_have_come() {
        let mut rng = fastrand::Rng::with_seed(4);
        let (mut places, mut list) = (Places::default(), Vec::new());
        for round in 0..20_000u32 {
            match rng.u32(0..if list.len() > 60 { 4 } else { 3 }) {
                0 | 1 => {
                    let pair = Pair::new(round, round + 1 + rng.u32(0..9));
                    places.push(pair);
                    list.push(pair);
                }
                2 if list.len() > 1 => {
                    let [one, other] = [rng.usize(0..list.len()), rng.usize(0..list.len())];
                    places.swap(one, other);
                    list.swap(one, other);
                }
                _ if !list.is_empty() => {
                    let place = rng.usize(0..list.len());
                    let gone = list.swap_remove(place);
                    places.swap_remove(gone, place);
                    assert_eq!(places.find(gone), None);
                }
                _ => {}
            }
            if round % 500 == 0 {
                let mut order: Vec<usize> = (0..list.len()).collect();
                rng.shuffle(&mut order);
                let moves = places.reorder();
                // SAFETY: the order has each place once.
                #[allow(unsafe_code)]
                order.iter().enumerate().for_each(|(to, from)| unsafe { moves.put(*from, to) });
                list = order.iter().map(|from| list[*from]).collect();
            }
            if round % 50 == 0 {
                let copy = Places::of(list.iter().copied());
                for places in [&places, &copy] {
                    assert!(list.iter().enumerate().all(|(place, pair)| places.find(*pair) == Some(place)));
                }
            }
        }
    }
}
