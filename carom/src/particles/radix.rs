//! Least-digit-first radix sort of 64-bit keys with an index: linear, stable, as many passes as the keys have digits.

/// A key and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Keyed {
    pub(super) key: u64,
    pub(super) index: u32,
}

const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Sorts `items` by key, those of equal keys in the order they had. No key is above `greatest`. `spare` is scratch of
/// any content.
pub(super) fn sort(items: &mut Vec<Keyed>, spare: &mut Vec<Keyed>, greatest: u64) {
    let bits = u64::BITS - greatest.leading_zeros();
    spare.resize(items.len(), Keyed::default());
    for pass in 0..bits.div_ceil(DIGIT_BITS) {
        let digit = |item: &Keyed| (item.key >> (pass * DIGIT_BITS)) as usize % DIGITS;
        let mut starts = [0u32; DIGITS];
        for item in items.iter() {
            starts[digit(item)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for item in items.iter() {
            let place = &mut starts[digit(item)];
            spare[*place as usize] = *item;
            *place += 1;
        }
        std::mem::swap(items, spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_stable_comparison_sort() {
        let mut random = fastrand::Rng::with_seed(3);
        for count in [0, 1, 2, 100, 5000] {
            for greatest in [0, 1, 2047, 2048, u64::from(u32::MAX), u64::MAX] {
                let mut items: Vec<Keyed> =
                    (0..count).map(|index| Keyed { key: random.u64(..=greatest), index }).collect();
                let mut expected = items.clone();
                expected.sort_by_key(|item| item.key);
                sort(&mut items, &mut Vec::new(), greatest);
                assert_eq!(items, expected, "{count} items up to {greatest}");
            }
        }
    }
}
