//! The 16-bit sweep, generic over the rows of all instruction sets.

use super::factors::{FIRST, TAU};
use super::scalar::Arguments;
use super::{HEAT_SLACK, SLACK, WideLink};
use crate::ising::shape::WIDE_LANES;

/// A row of 32 words in vectors. Arithmetic wraps; masks are 0 or -1.
///
/// # Safety
/// The CPU has the instruction set; pointers are valid for a row.
pub(super) trait Row: Copy {
    /// The 64 factors of the digits.
    type Digits;

    /// Reads the first 64 factors.
    unsafe fn digits(factors: *const u16) -> Self::Digits;
    /// The product of the factors of the four digits of each word.
    unsafe fn product(self, digits: &Self::Digits) -> Self;
    unsafe fn load(from: *const i16) -> Self;
    unsafe fn store(self, to: *mut i16);
    /// The two halves of `pair`, alternating.
    unsafe fn splat(pair: u32) -> Self;
    unsafe fn and(self, b: Self) -> Self;
    /// `!self & b`
    unsafe fn and_not(self, b: Self) -> Self;
    unsafe fn or(self, b: Self) -> Self;
    unsafe fn xor(self, b: Self) -> Self;
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
    /// The difference of unsigned integers, or 0 if it is negative.
    unsafe fn excess(self, b: Self) -> Self;
    /// The upper half of the product of unsigned integers.
    unsafe fn times(self, b: Self) -> Self;
    unsafe fn equals(self, b: Self) -> Self;
    /// Whether `self` is greater than `b`, both as signed integers.
    unsafe fn exceeds(self, b: Self) -> Self;
    /// One bit of each lane of a mask.
    unsafe fn bits(self) -> u32;
}

/// Defines a row of vectors of `core::arch` and implements [`Row`] for it, given its functions and a
/// block for each of the other methods.
macro_rules! row {
    ($name:ident([$vector:ty; $count:literal]);
     digits($factors:ident) -> $digits:ty $read:block
     product($row:ident, $table:ident) $product:block
     load($from:ident) $load:block
     store($value:ident, $to:ident) $store:block
     splat($pair:ident) $splat:block
     bits($mask:ident) $bits:block
     $($method:ident $function:ident)+) => {
        #[derive(Clone, Copy)]
        struct $name([$vector; $count]);

        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl $crate::ising::wide::lanes::Row for $name {
            type Digits = $digits;

            #[inline(always)]
            unsafe fn digits($factors: *const u16) -> Self::Digits {
                $read
            }
            #[inline(always)]
            unsafe fn product(self, $table: &Self::Digits) -> Self {
                let $name($row) = self;
                $product
            }
            #[inline(always)]
            unsafe fn load(from: *const i16) -> Self {
                let mut row = [core::mem::zeroed(); $count];
                for (n, vector) in row.iter_mut().enumerate() {
                    let $from = from.add(n * 32 / $count);
                    *vector = $load;
                }
                $name(row)
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut i16) {
                for n in 0..$count {
                    let ($value, $to) = (self.0[n], to.add(n * 32 / $count));
                    $store
                }
            }
            #[inline(always)]
            unsafe fn splat($pair: u32) -> Self {
                $name([$splat; $count])
            }
            #[inline(always)]
            unsafe fn bits(self) -> u32 {
                let $name($mask) = self;
                $bits
            }
            $(
                #[inline(always)]
                unsafe fn $method(mut self, b: Self) -> Self {
                    for n in 0..$count {
                        self.0[n] = $function(self.0[n], b.0[n]);
                    }
                    self
                }
            )+
        }
    };
}
pub(super) use row;

#[inline(always)]
unsafe fn word<R: Row>(word: u16) -> R {
    // SAFETY: the CPU has the instruction set, here and below.
    unsafe { R::splat(u32::from(word) << 16 | u32::from(word)) }
}

/// A value for each `c`, as the first one and the increments where `c >= 1` and where `c = 2`.
#[derive(Clone, Copy)]
struct Steps<R>([R; 3]);

impl<R: Row> Steps<R> {
    /// # Safety
    /// `values` points to 3 values.
    #[inline(always)]
    unsafe fn load(values: *const u16) -> Self {
        // SAFETY: the caller's values.
        unsafe {
            let [a, b, c] = values.cast::<[u16; 3]>().read_unaligned();
            Steps([word(a), word(b.wrapping_sub(a)), word(c.wrapping_sub(b))])
        }
    }

    /// The values, given the masks of `c >= 1` and `c = 2`.
    #[inline(always)]
    unsafe fn at(self, any: R, both: R) -> R {
        let Steps([zero, one, two]) = self;
        // SAFETY: as above.
        unsafe { zero.add(any.and(one)).add(both.and(two)) }
    }
}

/// # Safety
/// As for [`super::sweep_i16()`].
#[inline(always)]
pub(super) unsafe fn sweep<R: Row, const HEAT: bool>(arguments: Arguments) -> usize {
    let Arguments { spins, first, count, below, above, mut links, factors, random, live, flips, doubt } = arguments;
    // SAFETY: the sites from `first` on of the caller's arrays, their links and the factors.
    unsafe {
        doubt.write_unaligned(0);
        if count == 0 {
            return 0;
        }
        let digits = R::digits(factors);
        let (firsts, taus) = (Steps::<R>::load(factors.add(FIRST)), Steps::<R>::load(factors.add(TAU)));
        let zero = R::splat(0);
        let (mut flipped, mut visited) = (0, count);
        for i in 0..count {
            let WideLink { word: degree, pair } = links.read_unaligned();
            let mut sum = R::splat(pair);
            links = links.add(1);
            for _ in 0..degree {
                let WideLink { word: offset, pair } = links.read_unaligned();
                sum = sum.sub(R::load(spins.byte_add(offset as usize)).and(R::splat(pair)));
                links = links.add(1);
            }

            let row = spins.add(WIDE_LANES * (first + i));
            let spin = R::load(row);
            let mut m = sum.xor(spin).sub(spin);
            let below = R::load(below.add(WIDE_LANES * i)).xor(spin);
            let above = R::load(above.add(WIDE_LANES * i)).xor(spin);
            let (mut any, mut both) = (below.or(above), below.and(above));
            let mut random = R::load(random.cast::<i16>().add(WIDE_LANES * i));
            let mut start = firsts.at(any, both);
            let before = start.exceeds(m);
            if HEAT {
                m = m.xor(before).sub(before);
                let swapped = below.xor(above).and_not(before);
                (any, both) = (any.xor(swapped), both.xor(swapped));
                start = firsts.at(any, both);
                random = random.xor(before);
            }
            let mut product = m.sub(start).product(&digits).times(taus.at(any, both));
            match HEAT {
                true => product = product.times(random.xor(word(u16::MAX))),
                false => product = product.or(before),
            }
            let exceeds_not = product.excess(random).equals(zero);
            let is_near = random.excess(word(if HEAT { HEAT_SLACK } else { SLACK })).excess(product).equals(zero);
            let mut stays = exceeds_not;
            if HEAT {
                stays = stays.xor(before.and(stays.xor(is_near)));
            }
            spin.equals(stays).store(row);
            flipped += u64::from((!stays.bits() & live).count_ones());
            let open = exceeds_not.and(is_near).bits() & live;
            if open != 0 {
                doubt.write_unaligned(open);
                visited = i + 1;
                break;
            }
        }
        flips.write_unaligned(flips.read_unaligned().wrapping_add(flipped));
        visited
    }
}
