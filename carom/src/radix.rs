//! Least-digit-first radix sort: linear, stable, no comparisons, as many passes as the keys have digits.
//!
//! Several threads share the keys out by ranges that a sample says are of about equal numbers: each first parts a run of
//! the items by ranges, then sorts one range from all runs. Being stable it gives one order, whatever the threads.

use rayon::prelude::*;

/// Something with a key to sort by.
pub(crate) trait Keyed: Copy + Default + Send + Sync {
    fn key(&self) -> u64;
}

/// The key in the upper half, a payload in the lower.
impl Keyed for u64 {
    #[inline(always)]
    fn key(&self) -> u64 {
        self >> 32
    }
}

/// The most bits that a pass sorts by.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
/// From so many items on they are shared out.
const MANY: usize = 1 << 15;
/// How many items one thread parts at a time.
const RUN: usize = 1 << 12;
/// How many keys are looked at for each range.
const SAMPLE: usize = 64;
/// The most ranges.
const MOST_RANGES: usize = 16;

/// Sorts `items` by keys of at most `bits` bits, those of equal keys in the order they had. `spare` is scratch of any
/// content.
pub(crate) fn sort<T: Keyed>(items: &mut Vec<T>, spare: &mut Vec<T>, bits: u32) {
    spare.resize(items.len(), T::default());
    let threads = rayon::current_num_threads();
    let is_sorted_in_spare = if items.len() >= MANY && threads > 1 && bits > 0 {
        sort_shared(items, spare, bits, threads)
    } else {
        sort_alone(items, spare, bits)
    };
    if is_sorted_in_spare {
        std::mem::swap(items, spare);
    }
}

/// Returns whether the result is in `spare`; otherwise it is in `items`.
fn sort_alone<T: Keyed>(items: &mut [T], spare: &mut [T], bits: u32) -> bool {
    let digits = Digits::new(bits);
    let mut starts = [0; DIGITS];
    let (mut from, mut to) = (items, spare);
    for pass in 0..digits.passes {
        let digit = digits.get(pass);
        digit.scatter(&[&*from], to, &mut starts);
        std::mem::swap(&mut from, &mut to);
    }
    digits.passes % 2 == 1
}

/// Returns whether the result is in `spare`; otherwise it is in `items`.
fn sort_shared<T: Keyed>(items: &mut [T], spare: &mut [T], bits: u32, threads: usize) -> bool {
    let limits = limits_of_ranges(items, threads.min(MOST_RANGES));
    let runs: Vec<Run<'_, T>> = items
        .par_chunks(RUN)
        .zip(spare.par_chunks_mut(RUN))
        .map(|(items, place)| Run::new(items, place, &limits))
        .collect();
    // The items lie in the runs now: their own list is free to sort them into.
    let mut rest = &mut *items;
    let mut ranges = Vec::with_capacity(limits.len() + 1);
    for range in 0..=limits.len() {
        let parts: Vec<&[T]> = runs.iter().map(|run| run.range(range)).collect();
        let (place, after) = std::mem::take(&mut rest).split_at_mut(parts.iter().map(|part| part.len()).sum());
        ranges.push((parts, place));
        rest = after;
    }
    let digits = Digits::new(bits);
    ranges.par_iter_mut().for_each(|(parts, place)| digits.get(0).scatter(parts, place, &mut [0; DIGITS]));
    let places: Vec<&mut [T]> = ranges.into_iter().map(|(_, place)| place).collect();
    let mut rest = spare;
    let mut pairs = Vec::with_capacity(places.len());
    for place in places {
        let (other, after) = std::mem::take(&mut rest).split_at_mut(place.len());
        pairs.push((place, other));
        rest = after;
    }
    pairs.par_iter_mut().for_each(|(from, to)| {
        for pass in 1..digits.passes {
            digits.get(pass).scatter(&[&**from], to, &mut [0; DIGITS]);
            std::mem::swap(from, to);
        }
    });
    digits.passes.is_multiple_of(2)
}

/// The least key of each range but the first.
fn limits_of_ranges<T: Keyed>(items: &[T], ranges: usize) -> Vec<u64> {
    let stride = (items.len() / (ranges * SAMPLE)).max(1);
    let mut keys: Vec<u64> = items.iter().step_by(stride).map(T::key).collect();
    keys.sort_unstable();
    (1..ranges).map(|range| keys[range * keys.len() / ranges]).collect()
}

/// Items range by range.
struct Run<'a, T> {
    items: &'a [T],
    ends: [u32; MOST_RANGES],
}

impl<'a, T: Keyed> Run<'a, T> {
    /// Writes the items to `place`, those of a range in the order they had.
    fn new(items: &[T], place: &'a mut [T], limits: &[u64]) -> Self {
        // Where the ranges begin; those beyond the last are empty.
        let mut ends = [items.len() as u32; MOST_RANGES];
        ends[0] = 0;
        for (end, &limit) in ends[1..].iter_mut().zip(limits) {
            *end = items.iter().map(|item| u32::from(item.key() < limit)).sum();
        }
        if let [limit] = *limits {
            part_in_two(items, place, limit, ends[1]);
            (ends[0], ends[1]) = (ends[1], items.len() as u32);
            return Self { items: place, ends };
        }
        for item in items {
            let range = limits.iter().map(|&limit| usize::from(item.key() >= limit)).sum::<usize>();
            let end = &mut ends[range % MOST_RANGES];
            if let Some(place) = place.get_mut(*end as usize) {
                *place = *item;
            }
            *end += 1;
        }
        Self { items: place, ends }
    }

    fn range(&self, range: usize) -> &'a [T] {
        let start = range.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start as usize..self.ends[range] as usize]
    }
}

/// Writes the items with keys below the limit to the front of `place`, the others from `middle` on. Both ends stay in
/// registers, which an array of them would not.
fn part_in_two<T: Keyed>(items: &[T], place: &mut [T], limit: u64, middle: u32) {
    let (mut low, mut high) = (0, middle);
    for item in items {
        let is_high = item.key() >= limit;
        if let Some(place) = place.get_mut(if is_high { high } else { low } as usize) {
            *place = *item;
        }
        high += u32::from(is_high);
        low += u32::from(!is_high);
    }
}

/// The digits of keys, from the least on.
#[derive(Clone, Copy)]
struct Digits {
    passes: u32,
    bits: u32,
}

impl Digits {
    fn new(bits: u32) -> Self {
        let passes = bits.div_ceil(DIGIT_BITS);
        Self { passes, bits: bits.div_ceil(passes.max(1)) }
    }

    fn get(self, pass: u32) -> Digit {
        Digit { shift: pass * self.bits, bits: self.bits }
    }
}

/// Some bits of a key.
#[derive(Clone, Copy)]
struct Digit {
    shift: u32,
    bits: u32,
}

impl Digit {
    #[inline(always)]
    fn of<T: Keyed>(self, item: &T) -> usize {
        (item.key() >> self.shift) as usize & ((1 << self.bits) - 1) & (DIGITS - 1)
    }

    /// Writes the items of all lists to `to` in the order of their digits. `starts` is scratch.
    #[inline(always)]
    fn scatter<T: Keyed>(self, lists: &[&[T]], to: &mut [T], starts: &mut [u32; DIGITS]) {
        starts[..1 << self.bits].fill(0);
        for items in lists {
            items.iter().for_each(|item| starts[self.of(item)] += 1);
        }
        let mut sum = 0;
        for start in &mut starts[..1 << self.bits] {
            sum += std::mem::replace(start, sum);
        }
        for items in lists {
            for item in *items {
                let place = &mut starts[self.of(item)];
                if let Some(slot) = to.get_mut(*place as usize) {
                    *slot = *item;
                }
                *place += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_stable_comparison_sort_on_any_number_of_threads() {
        let mut random = fastrand::Rng::with_seed(3);
        for count in [0, 1, 2, 7, 100, 5000, 100_000] {
            for bits in [0, 1, 9, 18, 21, 30, 32] {
                let items: Vec<u64> =
                    (0..count).map(|index| (random.u64(..) & ((1 << bits) - 1)) << 32 | index).collect();
                let mut expected = items.clone();
                expected.sort_by_key(|item| item >> 32);
                for threads in [1, 2, 3] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                    let mut sorted = items.clone();
                    pool.install(|| sort(&mut sorted, &mut Vec::new(), bits));
                    assert_eq!(sorted, expected, "{count} items by {bits} bits on {threads} threads");
                }
            }
        }
    }
}
