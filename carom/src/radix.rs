//! Least-digit-first radix sort: linear, stable, no comparisons, as many passes as the keys have digits.
//!
//! Several threads share the keys out by their greatest digits: each goes through all items, takes those of its range in
//! their order and sorts them in a part of the list of its own. Being stable it gives one order, whatever the threads.

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

/// Sorts `items` by keys of at most `bits` bits, those of equal keys in the order they had. `spare` is scratch of any
/// content.
pub(crate) fn sort<T: Keyed>(items: &mut Vec<T>, spare: &mut Vec<T>, bits: u32) {
    spare.resize(items.len(), T::default());
    let threads = rayon::current_num_threads();
    let is_sorted_in_spare = if items.len() >= MANY && threads > 1 && bits > 0 {
        !sort_shared(items, spare, bits, threads)
    } else {
        sort_alone(items, spare, bits)
    };
    if is_sorted_in_spare {
        std::mem::swap(items, spare);
    }
}

/// Returns whether the result is in `spare`; otherwise it is in `items`.
fn sort_alone<T: Keyed>(items: &mut [T], spare: &mut [T], bits: u32) -> bool {
    let passes = bits.div_ceil(DIGIT_BITS);
    let digit_bits = bits.div_ceil(passes.max(1));
    let (mut from, mut to) = (items, spare);
    let mut starts = [0; DIGITS];
    for pass in 0..passes {
        let digit = Digit { shift: pass * digit_bits, bits: digit_bits };
        starts[..1 << digit_bits].fill(0);
        digit.count(from, &mut starts);
        let mut sum = 0;
        for start in &mut starts[..1 << digit_bits] {
            sum += std::mem::replace(start, sum);
        }
        for item in from.iter() {
            let place = &mut starts[digit.of(item)];
            if let Some(slot) = to.get_mut(*place as usize) {
                *slot = *item;
            }
            *place += 1;
        }
        std::mem::swap(&mut from, &mut to);
    }
    passes % 2 == 1
}

/// Returns whether the result is in `items`; otherwise it is in `spare`.
fn sort_shared<T: Keyed>(items: &mut [T], spare: &mut [T], bits: u32, threads: usize) -> bool {
    let digit_bits = bits.min(DIGIT_BITS);
    let top = Digit { shift: bits - digit_bits, bits: digit_bits };
    let counts = items
        .par_chunks(1 << 15)
        .map(|items| {
            let mut counts = [0; DIGITS];
            top.count(items, &mut counts);
            counts
        })
        .reduce(|| [0; DIGITS], |a, b| std::array::from_fn(|digit| a[digit] + b[digit]));
    // Ranges of digits with about as many items each.
    let mut shares = Vec::with_capacity(threads + 1);
    let share = items.len().div_ceil(threads);
    let (mut first_digit, mut taken) = (0, 0);
    for (digit, &count) in counts.iter().enumerate() {
        taken += count as usize;
        if taken >= share || digit + 1 == DIGITS {
            shares.push((first_digit..digit + 1, taken));
            (first_digit, taken) = (digit + 1, 0);
        }
    }
    let mut rest = &mut *spare;
    let mut places = Vec::with_capacity(shares.len());
    for (digits, count) in &shares {
        let (place, after) = std::mem::take(&mut rest).split_at_mut(*count);
        places.push((digits.clone(), place));
        rest = after;
    }
    places.par_iter_mut().for_each(|(digits, place)| {
        // Whose an item is cannot be foreseen: each is written, and stays if the next is written behind it.
        let mut count = 0;
        for item in items.iter() {
            if let Some(place) = place.get_mut(count) {
                *place = *item;
            }
            count += usize::from(digits.contains(&top.of(item)));
        }
    });
    let mut rest = items;
    let mut pairs = Vec::with_capacity(places.len());
    for (_, place) in places {
        let (other, after) = std::mem::take(&mut rest).split_at_mut(place.len());
        pairs.push((place, other));
        rest = after;
    }
    let ends_in_items = pairs.par_iter_mut().map(|(place, other)| sort_alone(place, other, bits));
    // All take as many passes, so all end in the same list.
    ends_in_items.reduce(|| false, |a, b| a || b)
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

    /// Adds to each count how many items have its digit.
    #[inline(always)]
    fn count<T: Keyed>(self, items: &[T], counts: &mut [u32; DIGITS]) {
        items.iter().for_each(|item| counts[self.of(item)] += 1);
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
