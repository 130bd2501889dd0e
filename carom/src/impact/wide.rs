//! Whole numbers of a fixed number of binary digits, for exact decisions: two's complement, least limb first.
//!
//! Only what the decisions need. Who uses a width proves that nothing is longer.

/// A whole number of 64 · N digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Wide<N> {
    pub(super) const ZERO: Self = Self([0; N]);

    #[inline(always)]
    pub(super) fn from_i128(value: i128) -> Self {
        let mut limbs = [(value >> 127) as u64; N];
        (limbs[0], limbs[1]) = (value as u64, (value >> 64) as u64);
        Self(limbs)
    }

    /// `value` · 2^`shift`.
    pub(super) fn shifted(value: i64, shift: u32) -> Self {
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

    /// The product of two numbers of which one is short.
    #[inline(always)]
    pub(super) fn product(short: i64, long: i128) -> Self {
        let low = i128::from(short) * i128::from(long as u64 >> 1);
        let low = (low << 1) + i128::from(short) * i128::from(long as u64 & 1);
        let high = i128::from(short) * (long >> 64);
        Self::from_i128(low) + Self::from_i128(high).moved_up()
    }

    #[inline(always)]
    fn moved_up(self) -> Self {
        let mut limbs = [0; N];
        limbs[1..].copy_from_slice(&self.0[..N - 1]);
        Self(limbs)
    }

    #[inline(always)]
    pub(super) fn doubled(self) -> Self {
        self + self
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
}

impl<const N: usize> std::ops::Add for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let mut limbs = [0; N];
        let mut carry = false;
        for (place, limb) in limbs.iter_mut().enumerate() {
            let (sum, first) = self.0[place].overflowing_add(other.0[place]);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*limb, carry) = (sum, first | second);
        }
        Self(limbs)
    }
}

impl<const N: usize> std::ops::Neg for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl<const N: usize> std::ops::Sub for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let mut limbs = [0; N];
        let mut borrow = false;
        for (place, limb) in limbs.iter_mut().enumerate() {
            let (rest, first) = self.0[place].overflowing_sub(other.0[place]);
            let (rest, second) = rest.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (rest, first | second);
        }
        Self(limbs)
    }
}

impl<const N: usize> std::ops::Mul for Wide<N> {
    type Output = Self;

    /// Modulo 2^(64 · N), in which two's complement needs no care for signs.
    fn mul(self, other: Self) -> Self {
        let mut limbs = [0u64; N];
        for (place, &factor) in self.0.iter().enumerate() {
            let mut carry = 0u64;
            for (limb, &digit) in limbs[place..].iter_mut().zip(&other.0) {
                let sum = u128::from(factor) * u128::from(digit) + u128::from(*limb) + u128::from(carry);
                (*limb, carry) = (sum as u64, (sum >> 64) as u64);
            }
        }
        Self(limbs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_register_are_as_those_of_many() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let (a, b) = (rng.i64(..) >> rng.u32(0..64), rng.i64(..) >> rng.u32(0..64));
            let [wide_a, wide_b] = [a, b].map(|x| Wide::<4>::from_i128(i128::from(x)));
            let (x, y) = (i128::from(a), i128::from(b));
            assert_eq!(wide_a + wide_b, Wide::from_i128(x + y));
            assert_eq!(wide_a - wide_b, Wide::from_i128(x - y));
            assert_eq!(wide_a * wide_b, Wide::from_i128(x * y));
            assert_eq!(Wide::<4>::product(a, y), Wide::from_i128(x * y));
            assert_eq!((wide_a * wide_b).signum(), (x * y).signum() as i32);
            let (shift, long) = (rng.u32(0..64), rng.i128(..));
            assert_eq!(Wide::<4>::shifted(a, shift), Wide::from_i128(x << shift));
            assert_eq!(Wide::<4>::product(a, long), wide_a * Wide::from_i128(long));
            assert_eq!(Wide::<4>::shifted(a, shift + 64), Wide::<4>::shifted(a, shift).moved_up());
        }
    }
}
