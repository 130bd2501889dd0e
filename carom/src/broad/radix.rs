//! Least-digit-first radix sort of keys with a 32-bit payload: linear, stable, no comparisons.

/// Sorts `items` by the upper `bits` of their 30-bit key, which stands in bits 32 to 61; the payload is below. The
/// order of items with equal upper bits stays. `spare` is scratch of any content.
pub(super) fn sort_by_key(items: &mut Vec<u64>, spare: &mut Vec<u64>, bits: u32) {
    const KEY_END: u32 = 62;
    spare.clear();
    spare.resize(items.len(), 0);
    let passes = bits.div_ceil(11);
    let digit_bits = bits.div_ceil(passes);
    let mut shift = KEY_END - digit_bits * passes;
    for _ in 0..passes {
        let mask = (1usize << digit_bits) - 1;
        let mut starts = [0u32; 1 << 11];
        let digit = |item: u64| (item >> shift) as usize & mask & ((1 << 11) - 1);
        for &item in items.iter() {
            starts[digit(item)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts[..=mask] {
            let count = *start;
            *start = sum;
            sum += count;
        }
        for &item in items.iter() {
            let place = &mut starts[digit(item)];
            if let Some(slot) = spare.get_mut(*place as usize) {
                *slot = item;
            }
            *place += 1;
        }
        std::mem::swap(items, spare);
        shift += digit_bits;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_comparison_sort() {
        let mut random = fastrand::Rng::with_seed(5);
        for count in [0, 1, 2, 7, 100, 5000] {
            for bits in [10, 20, 22, 30] {
                let mut items: Vec<u64> =
                    (0..count).map(|index| u64::from(random.u32(0..1 << 30)) << 32 | index).collect();
                let mut expected = items.clone();
                expected.sort_by_key(|item| item >> (62 - bits));
                sort_by_key(&mut items, &mut Vec::new(), bits);
                assert_eq!(items, expected, "{count} items by {bits} bits");
            }
        }
    }
}
