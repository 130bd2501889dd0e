//! B12: a set of pairs. Few proxies: a triangular bit matrix, one bit for each possible pair, no hashing. Many: an
//! open-addressing table of the two ids in one word, linear probing, at most half full.

use super::Pair;

/// Up to this many ids the matrix is used: 256 KiB of bits, which a second-level cache holds. By `cargo xtask bench broad
/// --only pairs` it takes 3.5 ns an operation there for the table's 7.1 with three pairs an id, and 4.8 for 3.7 with few,
/// where emptying it is most of the work. From 3,072 on that takes more than twice as long as the table.
const MATRIX_IDS: u32 = 2048;

/// A matrix of this many ids takes 256 MiB. No set is given a larger one.
const MOST_MATRIX_IDS: u32 = 1 << 16;

const FREE: u64 = u64::MAX;

/// A set of pairs of ids.
#[derive(Debug, Clone)]
pub struct PairSet {
    storage: Storage,
    count: usize,
    /// From this id on it is a table.
    matrix_ids: u32,
}

#[derive(Debug, Clone)]
enum Storage {
    /// Bit `b·(b−1)/2 + a` for each pair a < b.
    Matrix(Vec<u64>),
    /// Keys or [`FREE`]; its length is a power of two.
    Table(Vec<u64>),
}

impl Default for PairSet {
    fn default() -> Self {
        Self::with_matrix_below(MATRIX_IDS)
    }
}

fn key(pair: Pair) -> u64 {
    u64::from(pair.a) << 32 | u64::from(pair.b)
}

/// Fibonacci hashing: the upper bits of the product are well mixed.
fn home(key: u64, mask: usize) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask
}

fn bit(pair: Pair) -> (usize, u64) {
    let (a, b) = (pair.a as usize, pair.b as usize);
    let bit = b * b.saturating_sub(1) / 2 + a;
    (bit / 64, 1 << (bit % 64))
}

impl PairSet {
    /// An empty set that is a matrix while all ids are below `ids`, and a table from then on: 0 for a table at once. The
    /// default is what is fastest; at most 65,536 are taken as given.
    pub fn with_matrix_below(ids: u32) -> Self {
        Self { storage: Storage::Matrix(Vec::new()), count: 0, matrix_ids: ids.min(MOST_MATRIX_IDS) }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether the pair is there.
    pub fn contains(&self, pair: Pair) -> bool {
        match &self.storage {
            Storage::Matrix(bits) => {
                let (word, bit) = bit(pair);
                bits.get(word).is_some_and(|bits| bits & bit != 0)
            }
            Storage::Table(keys) => find(keys, key(pair)).is_ok(),
        }
    }

    /// Takes in a pair; says whether it is new.
    pub fn insert(&mut self, pair: Pair) -> bool {
        if pair.b >= self.matrix_ids {
            self.change_to_table();
        }
        self.make_room();
        let is_new = match &mut self.storage {
            Storage::Matrix(bits) => {
                let (word, bit) = bit(pair);
                if word >= bits.len() {
                    bits.resize((word + 1).next_power_of_two(), 0);
                }
                let is_new = bits[word] & bit == 0;
                bits[word] |= bit;
                is_new
            }
            Storage::Table(keys) => match find(keys, key(pair)) {
                Ok(_) => false,
                Err(place) => {
                    keys[place] = key(pair);
                    true
                }
            },
        };
        self.count += usize::from(is_new);
        is_new
    }

    /// Takes out a pair; says whether it was there.
    pub fn remove(&mut self, pair: Pair) -> bool {
        let was_there = match &mut self.storage {
            Storage::Matrix(bits) => {
                let (word, bit) = bit(pair);
                let was_there = bits.get(word).is_some_and(|bits| bits & bit != 0);
                if was_there {
                    bits[word] &= !bit;
                }
                was_there
            }
            Storage::Table(keys) => match find(keys, key(pair)) {
                Ok(place) => {
                    close_gap(keys, place);
                    true
                }
                Err(_) => false,
            },
        };
        self.count -= usize::from(was_there);
        was_there
    }

    /// Takes out all pairs; keeps the memory.
    pub fn clear(&mut self) {
        match &mut self.storage {
            Storage::Matrix(bits) => bits.fill(0),
            Storage::Table(keys) => keys.fill(FREE),
        }
        self.count = 0;
    }

    /// How many bytes it holds.
    pub fn memory(&self) -> usize {
        8 * match &self.storage {
            Storage::Matrix(bits) => bits.capacity(),
            Storage::Table(keys) => keys.capacity(),
        }
    }

    fn change_to_table(&mut self) {
        let Storage::Matrix(bits) = &self.storage else { return };
        let mut keys = vec![FREE; (4 * self.count).next_power_of_two().max(64)];
        // Row b begins at bit b·(b−1)/2.
        let (mut row, mut row_start) = (0usize, 0usize);
        for (word, &bits) in bits.iter().enumerate() {
            let mut rest = bits;
            while rest != 0 {
                let bit = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                while bit >= row_start + row {
                    row_start += row;
                    row += 1;
                }
                let pair = Pair { a: (bit - row_start) as u32, b: row as u32 };
                if let Err(place) = find(&keys, key(pair)) {
                    keys[place] = key(pair);
                }
            }
        }
        self.storage = Storage::Table(keys);
    }

    /// Keeps the table at most half full.
    fn make_room(&mut self) {
        let Storage::Table(keys) = &mut self.storage else { return };
        if 2 * (self.count + 1) <= keys.len() {
            return;
        }
        let mut larger = vec![FREE; (4 * (self.count + 1)).next_power_of_two().max(64)];
        for &key in keys.iter().filter(|&&key| key != FREE) {
            if let Err(place) = find(&larger, key) {
                larger[place] = key;
            }
        }
        *keys = larger;
    }
}

/// Where a key is, or where it would go.
fn find(keys: &[u64], key: u64) -> Result<usize, usize> {
    let mask = keys.len() - 1;
    let mut place = home(key, mask);
    loop {
        match keys[place] {
            found if found == key => return Ok(place),
            FREE => return Err(place),
            _ => place = (place + 1) & mask,
        }
    }
}

/// Takes out the key at `gap` and moves later ones of its run forward, so that no search is cut short.
fn close_gap(keys: &mut [u64], mut gap: usize) {
    let mask = keys.len() - 1;
    let mut place = gap;
    loop {
        place = (place + 1) & mask;
        let key = keys[place];
        if key == FREE {
            break;
        }
        // The key may move if the gap is not before its home: if it is at least as far from home as from the gap.
        if place.wrapping_sub(home(key, mask)) & mask >= place.wrapping_sub(gap) & mask {
            keys[gap] = key;
            gap = place;
        }
    }
    keys[gap] = FREE;
}

/// The pairs now and at the last look, and what has changed between; the lists and both sets keep their memory.
#[derive(Debug, Clone, Default)]
pub(super) struct PairHistory {
    /// The pairs at the last look, as a list and as a set.
    seen: Vec<Pair>,
    seen_set: PairSet,
    current_set: PairSet,
    began: Vec<Pair>,
    ended: Vec<Pair>,
}

impl PairHistory {
    /// Compares the pairs now with those at the last look.
    pub(super) fn look(&mut self, current: &[Pair]) -> super::Changes<'_> {
        self.began.clear();
        self.ended.clear();
        self.current_set.clear();
        for &pair in current {
            self.current_set.insert(pair);
            if !self.seen_set.contains(pair) {
                self.began.push(pair);
            }
        }
        self.ended.extend(self.seen.iter().filter(|&&pair| !self.current_set.contains(pair)));
        std::mem::swap(&mut self.seen_set, &mut self.current_set);
        self.seen.clear();
        self.seen.extend_from_slice(current);
        super::Changes { began: &self.began, ended: &self.ended }
    }

    /// How many bytes it holds.
    pub(super) fn memory(&self) -> usize {
        let lists = self.seen.capacity() + self.began.capacity() + self.ended.capacity();
        lists * size_of::<Pair>() + self.seen_set.memory() + self.current_set.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn matrix_and_table_agree_with_a_plain_set() {
        let sets = [3, 50, 2040, 2100, 100_000].map(|ids| (ids, PairSet::default()));
        let forced = [(50, 0), (3000, 3000), (3000, 100), (100_000, 5000)];
        let forced = forced.map(|(ids, below)| (ids, PairSet::with_matrix_below(below)));
        for (ids, mut set) in sets.into_iter().chain(forced) {
            let mut random = fastrand::Rng::with_seed(ids);
            let mut plain = BTreeSet::new();
            for round in 0..20_000 {
                let a = random.u32(0..ids as u32);
                let b = random.u32(0..ids as u32);
                if a == b {
                    continue;
                }
                let pair = Pair::new(a, b);
                match random.u32(0..5) {
                    0..3 => assert_eq!(set.insert(pair), plain.insert(pair)),
                    3 => {
                        let pair = *plain.iter().next().unwrap_or(&pair);
                        assert_eq!(set.remove(pair), plain.remove(&pair));
                    }
                    _ => assert_eq!(set.contains(pair), plain.contains(&pair)),
                }
                assert_eq!(set.len(), plain.len());
                if round == 15_000 {
                    set.clear();
                    plain.clear();
                }
            }
            for &pair in &plain {
                assert!(set.contains(pair));
                assert!(set.remove(pair));
            }
            assert!(set.is_empty());
        }
    }
}
