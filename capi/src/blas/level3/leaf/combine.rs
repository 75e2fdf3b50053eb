//! Elements of complex products from their chains.

use super::super::super::number::{Complex, Number, Real};
use super::super::super::simd::{Lanes, Task};

/// `c = alpha s + beta c` for a line of C. The sums are two lines of real numbers: of real and imaginary parts of the
/// left operand, each by real and imaginary parts of the right one.
pub(in super::super::super) struct Line<R> {
    pub x: *const R,
    pub y: *const R,
    /// Whether the operands are the conjugates of those that were multiplied.
    pub conjugated: [bool; 2],
    pub alpha: Complex<R>,
    pub beta: Complex<R>,
    pub c: *mut Complex<R>,
    /// The distance of elements of C.
    pub step: isize,
    pub n: usize,
}

/// Bytes of the longest vector.
const BYTES: usize = 64;

impl<R: Real> Line<R> {
    /// The signs of the products of imaginary parts, and of the first and of the second line's other sums. A sign
    /// changes no bit of a magnitude.
    #[inline(always)]
    fn signs(&self) -> [R; 3] {
        let ([a, b], one) = (self.conjugated, R::one());
        let minus = if a == b { -one } else { one };
        [minus, if b { -one } else { one }, if a { -one } else { one }]
    }

    /// # Safety
    /// C is writable, and readable unless beta is 0; the sums are readable.
    pub(super) unsafe fn run_each(&self) {
        let ([minus, first, second], (zero, one)) = (self.signs(), (Complex::zero(), Complex::one()));
        for j in 0..self.n {
            let c = self.c.wrapping_offset(j as isize * self.step);
            // SAFETY: the caller's contract.
            unsafe {
                let at = |line: *const R, part: usize| *line.add(2 * j + part);
                let s = Complex {
                    re: at(self.x, 0) + minus * at(self.y, 1),
                    im: first * at(self.x, 1) + second * at(self.y, 0),
                };
                let s = if self.alpha == one { s } else { self.alpha * s };
                *c = match () {
                    () if self.beta == zero => s,
                    () if self.beta == one => s + *c,
                    () => s + self.beta * *c,
                };
            }
        }
    }
}

/// [`run_each`](Line::run_each) in vectors, for a step of 1.
impl<R: Real> Task<R> for Line<R> {
    #[inline(always)]
    unsafe fn run<V: Lanes<R>>(&self) {
        let ([minus, first, second], (zero, one)) = (self.signs(), (R::zero(), R::one()));
        let has_alpha = self.alpha.re != one || self.alpha.im != zero;
        let has_beta = self.beta.re != one || self.beta.im != zero;
        let adds = self.beta.re != zero || self.beta.im != zero;
        let (length, c) = (2 * self.n, self.c.cast::<R>());
        // SAFETY: the caller's contract, throughout.
        unsafe {
            let signs = [pairs::<R, V>(one, first), pairs::<R, V>(minus, second)];
            let alpha = [V::splat(self.alpha.re), pairs::<R, V>(-self.alpha.im, self.alpha.im)];
            let beta = [V::splat(self.beta.re), pairs::<R, V>(-self.beta.im, self.beta.im)];
            let factors = Factors { signs, alpha, beta, has_alpha, has_beta, adds };
            let mut j = 0;
            while j + V::LANES <= length {
                let to = c.add(j);
                factors.combined(self.x.add(j), self.y.add(j), to).store(to);
                j += V::LANES;
            }
            if j < length {
                // The last numbers by copies.
                let (mut copies, rest) = ([[zero; BYTES / 4]; 3], length - j);
                copies[0].as_mut_ptr().copy_from_nonoverlapping(self.x.add(j), rest);
                copies[1].as_mut_ptr().copy_from_nonoverlapping(self.y.add(j), rest);
                if adds {
                    copies[2].as_mut_ptr().copy_from_nonoverlapping(c.add(j), rest);
                }
                let combined = factors.combined(copies[0].as_ptr(), copies[1].as_ptr(), copies[2].as_ptr());
                combined.store(copies[2].as_mut_ptr());
                c.add(j).copy_from_nonoverlapping(copies[2].as_ptr(), rest);
            }
        }
    }
}

/// The factors of a line: signs of both sums, alpha and beta. The second vector of alpha and of beta multiplies the
/// number with its parts exchanged.
struct Factors<V> {
    signs: [V; 2],
    alpha: [V; 2],
    beta: [V; 2],
    has_alpha: bool,
    has_beta: bool,
    adds: bool,
}

impl<V: Copy> Factors<V> {
    /// # Safety
    /// The CPU has the instructions of `V`; vectors are readable.
    #[inline(always)]
    unsafe fn combined<R: Real>(&self, x: *const R, y: *const R, old: *const R) -> V
    where
        V: Lanes<R>,
    {
        let [signs, alpha, beta] = [self.signs, self.alpha, self.beta];
        // SAFETY: the caller's contract.
        unsafe {
            let mut s = V::load(x).times(signs[0]).plus(V::load(y).swapped().times(signs[1]));
            if self.has_alpha {
                s = s.times(alpha[0]).plus(s.swapped().times(alpha[1]));
            }
            if self.adds {
                let mut old = V::load(old);
                if self.has_beta {
                    old = old.times(beta[0]).plus(old.swapped().times(beta[1]));
                }
                s = s.plus(old);
            }
            s
        }
    }
}

/// A vector of these two numbers in turn.
///
/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn pairs<R: Real, V: Lanes<R>>(even: R, odd: R) -> V {
    let mut numbers = [even; BYTES / 4];
    let mut i = 1;
    while i < numbers.len() {
        numbers[i] = odd;
        i += 2;
    }
    // SAFETY: the caller's contract.
    unsafe { V::load(numbers.as_ptr()) }
}
