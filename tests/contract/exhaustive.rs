//! Exhaustive proofs for every variant that this CPU can execute: all basis vectors of the kernels
//! that are linear over bits and, with `--ignored`, all floats. The basis vectors of the bit planes
//! are in `harness/cases/bitslice.rs`.

use hotloops::isa;
use hotloops::kernel::{Kernel, Variant};

/// The variants to be compared with the reference.
fn subjects<F: Copy>(kernel: &'static Kernel<F>) -> Vec<&'static Variant<F>> {
    let (_reference, others) = kernel.variants.split_last().unwrap();
    others.iter().filter(|variant| isa::detected(variant.isa)).collect()
}

/// The kernel only moves and shuffles bits. The images of the 65,536 single bits and of zero
/// determine it completely.
#[test]
fn transposition_of_every_bit() {
    for variant in hotloops::bitslice::transpose_u64x32x32::KERNEL.variants.iter().filter(|row| isa::detected(row.isa))
    {
        let (mut src, mut dst, zeros) = ([0u64; 1024], [0u64; 1024], [0u64; 1024]);
        // SAFETY: 1024 words on both sides, here and below.
        unsafe { (variant.function)(src.as_ptr(), dst.as_mut_ptr()) };
        assert!(dst == zeros, "{variant}");
        for (word, bit) in (0..1024).flat_map(|word| (0..64).map(move |bit| (word, bit))) {
            dst.fill(!0);
            src[word] = 1 << bit;
            // SAFETY: 1024 words on both sides.
            unsafe { (variant.function)(src.as_ptr(), dst.as_mut_ptr()) };
            src[word] = 0;
            let image = &mut dst[word % 32 * 32 + word / 32];
            assert_eq!(*image, 1 << bit, "{variant}: bit {bit} of word {word}");
            *image = 0;
            assert!(dst == zeros, "{variant}: bit {bit} of word {word}");
        }
    }
}

type Generator<T> = unsafe extern "C" fn(state: *mut u32, lanes: usize, position: *mut usize, dst: *mut T, n: usize);

const ROWS: usize = 624;

/// Renews all words and draws their numbers, in calls that end inside every part of a loop.
fn whole_turn<T>(generate: Generator<T>, lanes: usize, state: &mut [u32], numbers: &mut [T]) {
    let mut position = 0;
    let mut rest = numbers;
    for n in [1, 67, 16, 3, usize::MAX] {
        let (head, tail) = rest.split_at_mut(n.min(rest.len()));
        // SAFETY: a state of these lanes, a position in it, and room for the numbers.
        unsafe { generate(state.as_mut_ptr(), lanes, &mut position, head.as_mut_ptr(), head.len()) };
        rest = tail;
    }
}

/// The kernel uses shifts, masks and exclusive ors only. The new state and the numbers are
/// therefore linear in the bits of the old state. Floats are a number's upper bits.
fn every_bit_of_the_state<T: Copy + Default + PartialEq>(kernel: &'static Kernel<Generator<T>>, lanes: usize) {
    let words = ROWS * lanes;
    let subjects = subjects(kernel);
    let reference = kernel.variants.last().unwrap().function;
    let blank = || (vec![0u32; words], vec![T::default(); words]);
    let (mut state, mut numbers) = blank();
    let (mut found_state, mut found_numbers) = blank();
    // 32 words long: none.
    for bit in 0..=32 * words {
        let start = |state: &mut [u32]| {
            state.fill(0);
            if let Some(word) = state.get_mut(bit / 32) {
                *word = 1 << (bit % 32);
            }
        };
        start(&mut state);
        whole_turn(reference, lanes, &mut state, &mut numbers);
        for variant in &subjects {
            start(&mut found_state);
            whole_turn(variant.function, lanes, &mut found_state, &mut found_numbers);
            assert!(found_state == state && found_numbers == numbers, "{variant}, {lanes} lanes: bit {bit}");
        }
    }
}

#[test]
fn numbers_of_every_bit() {
    every_bit_of_the_state(&hotloops::random::mt19937_u32::KERNEL, 4);
}

#[test]
fn floats_of_every_bit() {
    every_bit_of_the_state(&hotloops::random::mt19937_f32::KERNEL, 4);
}

#[test]
#[ignore = "two minutes"]
fn numbers_of_every_bit_in_all_lanes() {
    for lanes in [8, 16] {
        every_bit_of_the_state(&hotloops::random::mt19937_u32::KERNEL, lanes);
        every_bit_of_the_state(&hotloops::random::mt19937_f32::KERNEL, lanes);
    }
}

type Unary = unsafe extern "C" fn(x: *const f32, y: *mut f32, n: usize);

/// `reference/exp.rs` checks only the chosen variant. This compares the others with the reference.
fn at_all_floats(kernel: &'static Kernel<Unary>) {
    const BLOCK: usize = 1 << 16;
    let subjects = subjects(kernel);
    let reference = kernel.variants.last().unwrap().function;
    let (mut expected, mut found) = (vec![0f32; BLOCK], vec![0f32; BLOCK]);
    for first in (0..=u32::MAX).step_by(BLOCK) {
        let x: Vec<f32> = (0..BLOCK as u32).map(|i| f32::from_bits(first + i)).collect();
        // SAFETY: BLOCK floats on both sides, here and below.
        unsafe { reference(x.as_ptr(), expected.as_mut_ptr(), BLOCK) };
        for variant in &subjects {
            // SAFETY: BLOCK floats on both sides.
            unsafe { (variant.function)(x.as_ptr(), found.as_mut_ptr(), BLOCK) };
            for ((x, a), b) in x.iter().zip(&expected).zip(&found) {
                assert_eq!(
                    a.to_bits(),
                    b.to_bits(),
                    "{variant}: x = {x} = {:#010x}: {a} expected, {b} found",
                    x.to_bits()
                );
            }
        }
    }
}

#[test]
#[ignore = "a minute"]
fn fast_exp_at_all_floats() {
    at_all_floats(&hotloops::exp::fast_f32::KERNEL);
}

#[test]
#[ignore = "a minute"]
fn accurate_exp_at_all_floats() {
    at_all_floats(&hotloops::exp::accurate_f32::KERNEL);
}

#[test]
#[ignore = "a minute"]
fn polynomial_exp_at_all_floats() {
    at_all_floats(&hotloops::exp::poly_f32::KERNEL);
}

/// Row 1 of pieces whose heights are one less. A row passes only if its root is the correctly rounded
/// one to the last bit.
#[test]
fn rows_at_every_root() {
    const PIECES: u32 = hotloops::hardround::PIECES as u32;
    for variant in subjects(&hotloops::hardround::dual::KERNEL) {
        // From 1 to 4: other powers of two shift the same roots.
        for first in (1_f32.to_bits()..4_f32.to_bits()).step_by(PIECES as usize) {
            let mut bundle = hotloops::hardround::Bundle { rows: 2, ..Default::default() };
            for i in 0..PIECES {
                let x = f32::from_bits(first + i);
                let at = i as usize;
                (bundle.scale[at], bundle.height[at]) = (2_f32.powi(24), x - 1.0);
                // Units of 2^-23 above 2, of 2^-24 below.
                let root = ((x - 1.0 + 1.0).sqrt() * 2_f32.powi(24)) as u32;
                bundle.base[at] = (1_u32 << 31).wrapping_sub(root << 18);
                bundle.limit[at] = 1 << 31;
            }
            let mut hits = [0; hotloops::hardround::MAX_ROWS];
            // SAFETY: a bundle, and words for its rows.
            unsafe { (variant.function)(&bundle, 1, hits.as_mut_ptr()) };
            assert_eq!(hits[1], !0, "{variant}: {first:#x}");
        }
    }
}

/// Whether r = 1/2 - g h, g + g r and h + h r with g = x y, h = y / 2 lead to the rounded root of x,
/// for each y within 2^-14 of 1 / sqrt(x).
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn has_correct_roots(x: f32) -> bool {
    let wanted = x.sqrt();
    let exact = 1.0 / f64::from(x).sqrt();
    let [first, last] = [-1.0, 1.0].map(|sign| ((exact * (1.0 + sign * 2_f64.powi(-14))) as f32).to_bits());
    let mut differences = 0;
    for start in (first - 1..=last + 1).step_by(64) {
        for y in start..start + 64 {
            let y = f32::from_bits(y);
            let (g, h) = (x * y, 0.5 * y);
            let r = (-g).mul_add(h, 0.5);
            let (g, h) = (g.mul_add(r, g), h.mul_add(r, h));
            differences |= (-g).mul_add(g, x).mul_add(h, g).to_bits() ^ wanted.to_bits();
        }
    }
    differences == 0
}

/// AVX-512's rows do not depend on how exactly a CPU approximates inverse roots.
#[cfg(target_arch = "x86_64")]
#[test]
#[ignore = "ten seconds"]
fn correct_roots() {
    if !isa::detected(isa::Isa::avx2) {
        return println!("not run: this CPU has no fused multiply-add");
    }
    for bits in 1_f32.to_bits()..4_f32.to_bits() {
        // SAFETY: the CPU has the features.
        assert!(unsafe { has_correct_roots(f32::from_bits(bits)) }, "{bits:#x}");
    }
}

/// Inverses of denominators may come from approximations.
#[test]
fn arcs_of_every_denominator() {
    use hotloops::hardround::{Arcs, Curve, MAX_ARCS, arcs};
    let c2 = 2_f64.powi(-52);
    let curve = Curve {
        c0: 0.3,
        c2,
        inverse: 0.5 / c2,
        within: 2_f64.powi(-31),
        rise: 0.25 / c2,
        reach: 0.5 / c2,
        slack: 2_f64.powi(-15),
        shift: 0.7,
        rounding: 2_f64.powi(-22),
        ..Curve::default()
    };
    let reference = arcs::KERNEL.variants.last().unwrap().function;
    let run = |function: arcs::Function, first: usize| {
        let mut found = Arcs::default();
        let denominators: [f64; MAX_ARCS + 2] = std::array::from_fn(|i| (first + i) as f64);
        let differences: [f64; MAX_ARCS] = std::array::from_fn(|i| (first + i) as f64 * 2_f64.powi(-33));
        // SAFETY: as many numbers as the kernel requires.
        unsafe { function(&curve, denominators.as_ptr(), differences.as_ptr(), MAX_ARCS, &mut found) };
        [found.scale, found.height]
            .map(|floats| floats.map(f32::to_bits))
            .into_iter()
            .chain([found.base, found.step, found.limit, found.extra, found.first, found.rows])
            .collect::<Vec<_>>()
    };
    for first in (1..1 << 21).step_by(MAX_ARCS) {
        let expected = run(reference, first);
        for variant in subjects(&arcs::KERNEL) {
            assert!(run(variant.function, first) == expected, "{variant}: denominators from {first} on");
        }
    }
}
