//! The kernels of the number-theoretic transform for vectors of any length; all instruction sets
//! share them.

use super::ROW;

/// Vectors of residues modulo a prime below 2^28.
///
/// # Safety
/// The CPU has the instruction set, and the caller is compiled for it; methods are inlined there.
/// Pointers are readable or writable for a vector, at any alignment.
pub(super) trait Residues: Copy {
    const LANES: usize;
    /// Products of 64 bits, in two vectors.
    type Wide: Copy;

    unsafe fn splat(x: u32) -> Self;
    unsafe fn load(from: *const u32) -> Self;
    unsafe fn store(self, to: *mut u32);
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
    /// Subtracts `b` where it is not larger. All lanes are below 2^31, and `b` is positive.
    unsafe fn less(self, b: Self) -> Self;
    /// `self` times `root[0]`, minus `p` times the upper half of `self` times `root[1]`.
    unsafe fn times(self, root: [Self; 2], p: Self) -> Self;
    unsafe fn zero() -> Self::Wide;
    unsafe fn plus_product(sum: Self::Wide, a: Self, b: Self) -> Self::Wide;
    /// As `plus_product`, if all lanes of `b` are the same.
    unsafe fn plus_multiple(sum: Self::Wide, a: Self, b: Self) -> Self::Wide;
    /// The upper halves of the numbers plus `p` times (the lower half times `inverse`).
    unsafe fn reduced(wide: Self::Wide, p: Self, inverse: Self) -> Self;
}

/// Reads a root and its quotient.
///
/// # Safety
/// There are two numbers.
#[inline(always)]
unsafe fn root<V: Residues>(from: *const u32) -> [V; 2] {
    // SAFETY: the caller's contract.
    unsafe { [V::splat(from.read_unaligned()), V::splat(from.add(1).read_unaligned())] }
}

/// The kernel `ntt_forward`.
///
/// # Safety
/// Same as for [`ntt_forward`](super::ntt_forward()).
#[inline(always)]
pub(super) unsafe fn forward<V: Residues>(x: *mut u32, nodes: usize, quarter: usize, roots: *const u32, p: u32) {
    let part = quarter * ROW;
    // SAFETY: all accesses are within `nodes` times 4 parts and 2 `nodes` roots; the caller's contract.
    unsafe {
        let (p, twice) = (V::splat(p), V::splat(2 * p));
        for node in 0..nodes {
            let outer = root::<V>(roots.add(2 * node));
            let (even, odd) = (root::<V>(roots.add(4 * node)), root::<V>(roots.add(4 * node + 2)));
            let x = x.add(4 * part * node);
            for at in (0..part).step_by(V::LANES) {
                let x = [x.add(at), x.add(part + at), x.add(2 * part + at), x.add(3 * part + at)];
                let (a, b) = (V::load(x[0]).less(twice), V::load(x[1]).less(twice));
                let (c, d) = (V::load(x[2]).times(outer, p), V::load(x[3]).times(outer, p));
                let (ac, bd) = (a.add(c).less(twice), b.add(d).times(even, p));
                let (a, b) = (a.sub(c).add(twice).less(twice), b.sub(d).add(twice).times(odd, p));
                ac.add(bd).store(x[0]);
                ac.sub(bd).add(twice).store(x[1]);
                a.add(b).store(x[2]);
                a.sub(b).add(twice).store(x[3]);
            }
        }
    }
}

/// The kernel `ntt_inverse`.
///
/// # Safety
/// Same as for [`ntt_inverse`](super::ntt_inverse()).
#[inline(always)]
pub(super) unsafe fn inverse<V: Residues>(x: *mut u32, nodes: usize, quarter: usize, roots: *const u32, p: u32) {
    let part = quarter * ROW;
    // SAFETY: all accesses are within `nodes` times 4 parts and 2 `nodes` roots; the caller's contract.
    unsafe {
        let (p, twice) = (V::splat(p), V::splat(2 * p));
        for node in 0..nodes {
            let outer = root::<V>(roots.add(2 * node));
            let (even, odd) = (root::<V>(roots.add(4 * node)), root::<V>(roots.add(4 * node + 2)));
            let x = x.add(4 * part * node);
            for at in (0..part).step_by(V::LANES) {
                let x = [x.add(at), x.add(part + at), x.add(2 * part + at), x.add(3 * part + at)];
                let (a, b, c, d) = (V::load(x[0]), V::load(x[1]), V::load(x[2]), V::load(x[3]));
                let (ab, a) = (a.add(b).less(twice), a.sub(b).add(twice).times(even, p));
                let (cd, c) = (c.add(d).less(twice), c.sub(d).add(twice).times(odd, p));
                ab.add(cd).less(twice).store(x[0]);
                a.add(c).less(twice).store(x[1]);
                ab.sub(cd).add(twice).times(outer, p).store(x[2]);
                a.sub(c).add(twice).times(outer, p).store(x[3]);
            }
        }
    }
}

/// The kernel `ntt_combine`.
///
/// # Safety
/// Same as for [`ntt_combine`](super::ntt_combine()).
#[inline(always)]
pub(super) unsafe fn combine<V: Residues>(
    from: *const u32,
    to: *mut u32,
    [n, inputs, outputs]: [usize; 3],
    factors: *const u32,
    [p, inverse]: [u32; 2],
) {
    // SAFETY: i < n, s < inputs, r < outputs; a row has a whole number of vectors; the caller's contract.
    unsafe {
        let (p, twice, inverse) = (V::splat(p), V::splat(2 * p), V::splat(inverse));
        let mut factors = factors;
        for i in 0..n {
            for r in 0..outputs {
                for lane in (0..ROW).step_by(V::LANES) {
                    let mut sum = V::zero();
                    for s in 0..inputs {
                        let x = V::load(from.add((s * n + i) * ROW + lane));
                        sum = V::plus_multiple(sum, x, V::splat(factors.add(s).read_unaligned()));
                    }
                    V::reduced(sum, p, inverse).less(twice).store(to.add((r * n + i) * ROW + lane));
                }
                factors = factors.add(inputs);
            }
        }
    }
}

/// The kernel `ntt_multiply`.
///
/// # Safety
/// Same as for [`ntt_multiply`](super::ntt_multiply()).
#[inline(always)]
pub(super) unsafe fn multiply<V: Residues>(
    a: *mut u32,
    b: *const u32,
    n: usize,
    [fields, stride]: [usize; 2],
    [p, inverse]: [u32; 2],
) {
    // SAFETY: i < n, f < fields; a row has a whole number of vectors; the caller's contract.
    unsafe {
        let (p, twice, inverse) = (V::splat(p), V::splat(2 * p), V::splat(inverse));
        for i in 0..n {
            let (a, b) = (a.add(i * ROW), b.wrapping_sub(i * ROW));
            for lane in (0..ROW).step_by(V::LANES) {
                let mut sum = V::zero();
                for f in 0..fields {
                    let (a, b) = (V::load(a.add(f * stride + lane)), V::load(b.wrapping_add(f * stride + lane)));
                    sum = V::plus_product(sum, a, b);
                }
                V::reduced(sum, p, inverse).less(twice).store(a.add(lane));
            }
        }
    }
}

/// Exports the kernels of an instruction set, for its [`Residues`].
macro_rules! export_transforms {
    ($residues:ty, $isa:ident) => {
        crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn ntt_forward(
                x: *mut u32,
                nodes: usize,
                quarter: usize,
                roots: *const u32,
                p: u32,
            ) {
                // SAFETY: the caller's contract.
                unsafe { crate::correlation::ntt::forward::<$residues>(x, nodes, quarter, roots, p) }
            }

            pub(super) unsafe extern "C" fn ntt_inverse(
                x: *mut u32,
                nodes: usize,
                quarter: usize,
                roots: *const u32,
                p: u32,
            ) {
                // SAFETY: the caller's contract.
                unsafe { crate::correlation::ntt::inverse::<$residues>(x, nodes, quarter, roots, p) }
            }

            #[allow(clippy::too_many_arguments)]
            pub(super) unsafe extern "C" fn ntt_combine(
                from: *const u32,
                to: *mut u32,
                n: usize,
                inputs: usize,
                outputs: usize,
                factors: *const u32,
                p: u32,
                inverse: u32,
            ) {
                let (sizes, modulus) = ([n, inputs, outputs], [p, inverse]);
                // SAFETY: the caller's contract.
                unsafe { crate::correlation::ntt::combine::<$residues>(from, to, sizes, factors, modulus) }
            }

            pub(super) unsafe extern "C" fn ntt_multiply(
                a: *mut u32,
                b: *const u32,
                n: usize,
                fields: usize,
                stride: usize,
                p: u32,
                inverse: u32,
            ) {
                let modulus = [p, inverse];
                // SAFETY: the caller's contract.
                unsafe { crate::correlation::ntt::multiply::<$residues>(a, b, n, [fields, stride], modulus) }
            }
        }
    };
}
pub(super) use export_transforms;

/// Implements [`Residues`] from intrinsics, which are listed in the order of their use.
#[cfg(sse2)]
macro_rules! implement_residues {
    ($integers:ident $lanes:literal $set1:ident $load:ident $store:ident $add:ident $sub:ident $mul_even:ident
        $add_words:ident
     |$less_a:ident, $less_b:ident| $less:expr, |$x:ident| $odd_down:expr, |$even:ident, $odd:ident| $upper:expr,
     |$low_a:ident, $low_b:ident| $low:expr) => {
        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl crate::correlation::ntt::Residues for $integers {
            const LANES: usize = $lanes;
            /// The products of even, and of odd lanes.
            type Wide = [$integers; 2];

            #[inline(always)]
            unsafe fn splat(x: u32) -> Self {
                $set1(x as i32)
            }
            #[inline(always)]
            unsafe fn load(from: *const u32) -> Self {
                $load(from.cast())
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u32) {
                $store(to.cast(), self)
            }
            #[inline(always)]
            unsafe fn add(self, b: Self) -> Self {
                $add(self, b)
            }
            #[inline(always)]
            unsafe fn sub(self, b: Self) -> Self {
                $sub(self, b)
            }
            #[inline(always)]
            unsafe fn less(self, $less_b: Self) -> Self {
                let $less_a = self;
                $less
            }
            #[inline(always)]
            unsafe fn times(self, root: [Self; 2], p: Self) -> Self {
                let ($x, $low_a, $low_b) = (self, self, root[0]);
                let product = $low;
                let ($even, $odd) = ($mul_even(self, root[1]), $mul_even($odd_down, root[1]));
                let ($low_a, $low_b) = ($upper, p);
                $sub(product, $low)
            }
            #[inline(always)]
            unsafe fn zero() -> [$integers; 2] {
                [$set1(0); 2]
            }
            #[inline(always)]
            unsafe fn plus_product(sum: [$integers; 2], a: Self, b: Self) -> [$integers; 2] {
                let $x = a;
                let odd = $odd_down;
                let $x = b;
                [$add_words(sum[0], $mul_even(a, b)), $add_words(sum[1], $mul_even(odd, $odd_down))]
            }
            #[inline(always)]
            unsafe fn plus_multiple(sum: [$integers; 2], a: Self, b: Self) -> [$integers; 2] {
                let $x = a;
                [$add_words(sum[0], $mul_even(a, b)), $add_words(sum[1], $mul_even($odd_down, b))]
            }
            #[inline(always)]
            unsafe fn reduced(wide: [$integers; 2], p: Self, inverse: Self) -> Self {
                let [even, odd] = wide;
                let $even = $add_words(even, $mul_even($mul_even(even, inverse), p));
                let $odd = $add_words(odd, $mul_even($mul_even(odd, inverse), p));
                $upper
            }
        }
    };
}
#[cfg(sse2)]
pub(super) use implement_residues;
