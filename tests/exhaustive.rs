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

/// `reference_exp.rs` checks only the chosen variant. This compares the others with the reference.
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
