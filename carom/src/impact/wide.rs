//! Whole numbers of a fixed number of binary digits, for exact decisions: two's complement, least limb first.
//!
//! Only what the decisions need. Who uses a width proves that nothing is longer.

/// A whole number of 64 · N digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Wide<N> {
    pub(super) const ZERO: Self = Self([0; N]);

    /// `value` · 2^`shift`.
    #[inline(always)]
    pub(super) fn shifted(value: i64, shift: u32) -> Self {
        if N <= 2 {
            let mut limbs = [0; N];
            let wide = i128::from(value) << shift;
            limbs[0] = wide as u64;
            if let Some(limb) = limbs.get_mut(1) {
                *limb = (wide >> 64) as u64;
            }
            return Self(limbs);
        }
        let (whole, part) = ((shift / 64) as usize, shift % 64);
        let wide = i128::from(value) << part;
        let mut limbs = [0; N];
        for (place, limb) in limbs.iter_mut().enumerate().skip(whole) {
            *limb = match place - whole {
                0 => wide as u64,
                1 => (wide >> 64) as u64,
                _ => (wide >> 127) as u64,
            };
        }
        Self(limbs)
    }

    /// The same number with more limbs.
    #[inline(always)]
    pub(super) fn extended<const M: usize>(&self) -> Wide<M> {
        let mut limbs = [self.sign_mask(); M];
        limbs[..N].copy_from_slice(&self.0);
        Wide(limbs)
    }

    /// The product, for M = N + L limbs.
    #[inline(always)]
    pub(super) fn times<const L: usize, const M: usize>(&self, other: &Wide<L>) -> Wide<M> {
        let mut limbs = [0u64; M];
        for (place, &factor) in self.0.iter().enumerate() {
            let mut carry = 0u64;
            for (limb, &digit) in limbs[place..place + L].iter_mut().zip(&other.0) {
                let sum = u128::from(factor) * u128::from(digit) + u128::from(*limb) + u128::from(carry);
                (*limb, carry) = (sum as u64, (sum >> 64) as u64);
            }
            limbs[place + L] = carry;
        }
        // As unsigned numbers, negative ones are too large by 2^(64 · N). No branches: signs cannot be foreseen.
        let (mask, other_mask) = (self.sign_mask(), other.sign_mask());
        subtract(&mut limbs[N..], &other.0.map(|limb| limb & mask));
        subtract(&mut limbs[L..], &self.0.map(|limb| limb & other_mask));
        Wide(limbs)
    }

    /// The product with a small number.
    #[inline(always)]
    pub(super) fn scaled(&self, factor: u64) -> Self {
        let mut limbs = [0; N];
        let mut carry = 0u64;
        for (limb, &digit) in limbs.iter_mut().zip(&self.0) {
            let sum = u128::from(factor) * u128::from(digit) + u128::from(carry);
            (*limb, carry) = (sum as u64, (sum >> 64) as u64);
        }
        Self(limbs)
    }

    #[inline(always)]
    pub(super) fn doubled(self) -> Self {
        self + self
    }

    #[inline(always)]
    pub(super) fn tripled(self) -> Self {
        self + self + self
    }

    /// All ones if it is negative.
    #[inline(always)]
    fn sign_mask(&self) -> u64 {
        (self.0[N - 1] as i64 >> 63) as u64
    }

    #[inline(always)]
    pub(super) fn is_negative(&self) -> bool {
        self.0[N - 1] >> 63 == 1
    }

    #[inline(always)]
    pub(super) fn is_zero(&self) -> bool {
        self.0.iter().fold(0, |all, limb| all | limb) == 0
    }

    #[inline(always)]
    pub(super) fn signum(&self) -> i32 {
        if self.is_negative() { -1 } else { i32::from(!self.is_zero()) }
    }

    /// Numbers as f64 in a common unit in which the largest is from 1 to 2⁶⁴; each is off by less than 2⁻⁵² of itself
    /// and 2⁻⁶⁰ of the unit.
    #[inline(always)]
    pub(super) fn rounded<const COUNT: usize>(numbers: &[Self; COUNT]) -> [f64; COUNT] {
        let sizes: [Self; COUNT] = std::array::from_fn(|index| {
            let mask = numbers[index].sign_mask();
            Self(numbers[index].0.map(|limb| limb ^ mask)) - Self([mask; N])
        });
        let mut top = N - 1;
        while top > 0 && sizes.iter().all(|size| size.0[top] == 0) {
            top -= 1;
        }
        std::array::from_fn(|index| {
            let limb = |below: usize| if below <= top { sizes[index].0[top - below] as f64 } else { 0.0 };
            let size = limb(0) + (limb(1) + limb(2) * UNIT) * UNIT;
            size.copysign(numbers[index].0[N - 1] as i64 as f64)
        })
    }
}

/// 2⁻⁶⁴.
const UNIT: f64 = 1.0 / 18_446_744_073_709_551_616.0;

/// Takes `other` from `limbs`, both least first, as far as there are any.
#[inline(always)]
fn subtract(limbs: &mut [u64], other: &[u64]) {
    let mut borrow = false;
    for (limb, digit) in limbs.iter_mut().zip(other) {
        (*limb, borrow) = limb.borrowing_sub(*digit, borrow);
    }
}

impl<const N: usize> std::ops::Add for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let mut limbs = [0; N];
        let mut carry = false;
        for (place, limb) in limbs.iter_mut().enumerate() {
            (*limb, carry) = self.0[place].carrying_add(other.0[place], carry);
        }
        Self(limbs)
    }
}

impl<const N: usize> std::ops::Sub for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        subtract(&mut self.0, &other.0);
        self
    }
}

impl<const N: usize> std::ops::Neg for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide<const N: usize>(value: i128) -> Wide<N> {
        let low = Wide::<N>::shifted((value & i128::from(u32::MAX)) as i64, 0);
        let middle = Wide::shifted((value >> 32 & i128::from(u32::MAX)) as i64, 32);
        low + middle + Wide::shifted((value >> 64) as i64, 64)
    }

    #[test]
    fn numbers_of_one_register_are_as_those_of_many() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let (a, b) = (rng.i64(..) >> rng.u32(0..64), rng.i64(..) >> rng.u32(0..64));
            let (x, y) = (i128::from(a), i128::from(b));
            assert_eq!(wide::<4>(x) + wide(y), wide(x + y));
            assert_eq!(wide::<4>(x) - wide(y), wide(x - y));
            assert_eq!(wide::<4>(x).doubled() + wide::<4>(x).tripled(), wide(5 * x));
            assert_eq!(wide::<4>(x).scaled(b as u64 >> 1), wide(x * i128::from(b as u64 >> 1)));
            assert_eq!(wide::<1>(x).times::<1, 2>(&wide(y)), wide(x * y));
            assert_eq!(wide::<3>(x).times::<2, 5>(&wide(y)), wide(x * y));
            assert_eq!(wide::<2>(x).times::<3, 5>(&wide(y)), wide(x * y));
            assert_eq!(wide::<2>(x * y).extended::<7>(), wide(x * y));
            assert_eq!(wide::<2>(x * y).signum(), (x * y).signum() as i32);
            let [p, q] = Wide::rounded(&[wide::<2>(x * y).times::<2, 4>(&wide(y)), wide(y)]);
            if y != 0 {
                let expected = x as f64 * y as f64;
                assert!((p / q - expected).abs() <= 1e-15 * expected.abs(), "{a} {b}");
            }
        }
    }
}
