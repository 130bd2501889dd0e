//! Least-digit-first radix sort of keys with a 32-bit payload: linear, stable, no comparisons.

/// The most bits that a pass sorts by.
const DIGIT_BITS: u32 = 9;

/// Sorts `items` by the `bits` above their lower 32, which are the payload; `spare` is scratch of any content. Items
/// with equal keys keep their order.
pub(crate) fn sort_by_key(items: &mut Vec<u64>, spare: &mut Vec<u64>, bits: u32) {
    spare.resize(items.len(), 0);
    let passes = bits.div_ceil(DIGIT_BITS);
    let digit_bits = bits.div_ceil(passes);
    let buckets = 1 << digit_bits;
    for pass in 0..passes {
        let shift = 32 + pass * digit_bits;
        let digit = |item: u64| (item >> shift) as usize & (buckets - 1) & ((1 << DIGIT_BITS) - 1);
        let mut starts = [0u32; 1 << DIGIT_BITS];
        for &item in items.iter() {
            starts[digit(item)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts[..buckets] {
            sum += std::mem::replace(start, sum);
        }
        for &item in items.iter() {
            let place = &mut starts[digit(item)];
            if let Some(slot) = spare.get_mut(*place as usize) {
                *slot = item;
            }
            *place += 1;
        }
        std::mem::swap(items, spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_comparison_sort() {
        let mut random = fastrand::Rng::with_seed(5);
        for count in [0, 1, 2, 7, 100, 5000] {
            for bits in [6, 9, 12, 18, 24, 30] {
                let mut items: Vec<u64> =
                    (0..count).map(|index| u64::from(random.u32(0..1 << bits)) << 32 | index).collect();
                let mut expected = items.clone();
                expected.sort_by_key(|item| item >> 32);
                sort_by_key(&mut items, &mut Vec::new(), bits);
                assert_eq!(items, expected, "{count} items by {bits} bits");
            }
        }
    }
}
