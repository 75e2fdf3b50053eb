//! 64-bit integers in vectors: the source's regular test by masked subtraction, and quotients.

use hotloops::isa::Isa;

use crate::ladder::allowed;

/// All bits if it holds.
#[inline(always)]
fn mask(holds: bool) -> u64 {
    u64::from(holds).wrapping_neg()
}

/// Subtracts p from q in the active lanes where q is at least p, and adds `v` to `u` as often.
#[inline(always)]
fn subtract<const L: usize>(q: &mut [u64; L], p: &[u64; L], active: &[u64; L], u: &mut [u64; L], v: &[u64; L]) {
    loop {
        let mut any = 0;
        for i in 0..L {
            let more = mask(q[i] >= p[i]) & active[i];
            q[i] -= p[i] & more;
            u[i] = u[i].wrapping_add(v[i] & more);
            any |= more;
        }
        if any == 0 {
            return;
        }
    }
}

/// Whether lanes may hold an argument, by the regular test; `a` is not 0.
#[inline(always)]
fn regular<const L: usize>(a: &[u64; L], b: &[u64; L], n: u64, w: u64) -> u8 {
    let (mut p, mut q, mut d) = (*a, a.map(u64::wrapping_neg), *b);
    let (mut u, mut v, mut none) = ([1; L], [1; L], [0; L]);
    let mut active = [u64::MAX; L];
    let zero = [0; L];
    loop {
        subtract(&mut q, &p, &active, &mut u, &v);
        subtract(&mut d, &p, &active, &mut none, &zero);
        for i in 0..L {
            active[i] &= mask(q[i] != 0) & mask(u[i].wrapping_add(v[i]) < n);
        }
        subtract(&mut p, &q, &active, &mut v, &u);
        // A d that is at least p is in a gap of the other kind.
        let mut other = active;
        for i in 0..L {
            other[i] &= mask(d[i] >= p[i]);
            d[i] -= p[i] & other[i];
        }
        subtract(&mut d, &q, &other, &mut none, &zero);
        for i in 0..L {
            active[i] &= mask(p[i] != 0) & mask(u[i].wrapping_add(v[i]) < n);
        }
        if active.iter().fold(0, |any, lane| any | lane) == 0 {
            return d.iter().rev().fold(0, |bits, &d| bits << 1 | u8::from(d < w));
        }
    }
}

/// As many domains as a multiple of 8; L is 2, 4 or 8.
#[inline(always)]
fn all<const L: usize>(a: &[u64], b: &[u64], n: u64, w: u64, bits: &mut [u8]) {
    for (byte, (a, b)) in bits.iter_mut().zip(a.chunks_exact(8).zip(b.chunks_exact(8))) {
        *byte = 0;
        for lane in (0..8).step_by(L) {
            let of = |from: &[u64]| std::array::from_fn::<u64, L, _>(|i| from[lane + i]);
            *byte |= regular(&of(a), &of(b), n, w) << lane;
        }
    }
}

/// Quotients by subtraction.
#[inline(always)]
fn subtractions<const L: usize>(x: &[u64], y: &[u64], out: &mut [u64]) {
    for ((x, y), out) in x.chunks_exact(L).zip(y.chunks_exact(L)).zip(out.chunks_exact_mut(L)) {
        let of = |from: &[u64]| std::array::from_fn::<u64, L, _>(|i| from[i]);
        let (mut rest, mut k) = (of(x), [0; L]);
        subtract(&mut rest, &of(y), &[u64::MAX; L], &mut k, &[1; L]);
        out.copy_from_slice(&k);
    }
}

/// The bits of 2^52, to which those of a smaller integer add it.
const MAGIC: u64 = 0x4330_0000_0000_0000;

/// Quotients of integers below 2^52: the nearest f64 to x / y is below the next integer, because x / y is by 1 / y at
/// least.
#[inline(always)]
fn quotient(x: u64, y: u64) -> u64 {
    let magic = f64::from_bits(MAGIC);
    let [x, y] = [x, y].map(|integer| f64::from_bits(integer | MAGIC) - magic);
    let exact = x / y;
    let near = (exact + magic) - magic;
    let floor = if near > exact { near - 1.0 } else { near };
    (floor + magic).to_bits() ^ MAGIC
}

#[inline(always)]
fn quotients(x: &[u64], y: &[u64], out: &mut [u64]) {
    for ((&x, &y), out) in x.iter().zip(y).zip(out) {
        *out = quotient(x, y);
    }
}

/// One after the other, by the division instruction.
pub fn divided(x: &[u64], y: &[u64], out: &mut [u64]) {
    for ((&x, &y), out) in x.iter().zip(y).zip(out) {
        *out = x / y;
    }
}

/// In f64, one after the other.
pub fn floored(x: &[u64], y: &[u64], out: &mut [u64]) {
    for ((x, &y), out) in x.iter().zip(y).zip(out) {
        // SAFETY: a reference. Volatile reads are not joined to vectors.
        *out = quotient(unsafe { std::ptr::read_volatile(x) }, y);
    }
}

/// By subtraction, one after the other.
pub fn subtracted(x: &[u64], y: &[u64], out: &mut [u64]) {
    subtractions::<1>(x, y, out);
}

/// A test of domains of one instruction set, which this CPU has.
#[derive(Clone, Copy)]
pub struct Masked(Domains);

impl Masked {
    /// Writes a bit for each of 8, 16, .. domains, whose `a` are not 0.
    pub fn call(self, a: &[u64], b: &[u64], n: u64, w: u64, bits: &mut [u8]) {
        // SAFETY: `tests` returns those that the CPU has.
        unsafe { (self.0)(a, b, n, w, bits) }
    }
}

/// Quotients in vectors of one instruction set, which this CPU has.
#[derive(Clone, Copy)]
pub struct Quotients(Quotient);

impl Quotients {
    /// The integer quotients of multiples of 8 integers below 2^52; `y` are not 0.
    pub fn call(self, x: &[u64], y: &[u64], out: &mut [u64]) {
        // SAFETY: `vectors` returns those that the CPU has.
        unsafe { (self.0)(x, y, out) }
    }
}

/// The functions for one instruction set.
macro_rules! compiled {
    ($isa:ident, $features:literal, $lanes:literal) => {
        mod $isa {
            #[target_feature(enable = $features)]
            pub fn test(a: &[u64], b: &[u64], n: u64, w: u64, bits: &mut [u8]) {
                super::all::<$lanes>(a, b, n, w, bits);
            }

            #[target_feature(enable = $features)]
            pub fn quotients(x: &[u64], y: &[u64], out: &mut [u64]) {
                super::quotients(x, y, out);
            }

            #[target_feature(enable = $features)]
            pub fn subtractions(x: &[u64], y: &[u64], out: &mut [u64]) {
                super::subtractions::<$lanes>(x, y, out);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
compiled!(sse2, "sse2", 2);
#[cfg(target_arch = "x86_64")]
compiled!(avx2, "avx2,fma", 4);
#[cfg(target_arch = "x86_64")]
compiled!(avx512, "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl", 8);
#[cfg(target_arch = "aarch64")]
compiled!(neon, "neon", 2);

type Domains = unsafe fn(&[u64], &[u64], u64, u64, &mut [u8]);
type Quotient = unsafe fn(&[u64], &[u64], &mut [u64]);

/// The [`allowed`] instruction sets with their test, their quotients in f64, and their quotients by subtraction.
fn functions() -> impl Iterator<Item = (Isa, Masked, [Quotients; 2])> {
    #[cfg(target_arch = "x86_64")]
    let all: [(Isa, Domains, [Quotient; 2]); 3] = [
        (Isa::sse2, sse2::test, [sse2::quotients, sse2::subtractions]),
        (Isa::avx2, avx2::test, [avx2::quotients, avx2::subtractions]),
        (Isa::avx512, avx512::test, [avx512::quotients, avx512::subtractions]),
    ];
    #[cfg(target_arch = "aarch64")]
    let all: [(Isa, Domains, [Quotient; 2]); 1] = [(Isa::neon, neon::test, [neon::quotients, neon::subtractions])];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let all: [(Isa, Domains, [Quotient; 2]); 0] = [];
    let usable = all.into_iter().filter(|(isa, ..)| allowed().contains(isa));
    usable.map(|(isa, test, quotients)| (isa, Masked(test), quotients.map(Quotients)))
}

/// The regular test by masked subtraction, in vectors of each instruction set.
pub fn tests() -> impl Iterator<Item = (Isa, Masked)> {
    functions().map(|(isa, test, _)| (isa, test))
}

/// Quotients in vectors of each instruction set: in f64, and by subtraction.
pub fn vectors() -> impl Iterator<Item = (Isa, [Quotients; 2])> {
    functions().map(|(isa, _, quotients)| (isa, quotients))
}
