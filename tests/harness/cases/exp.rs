use hotloops::exp::fast_f32::Function;

use crate::harness::guard::{Guarded, Side};
use crate::harness::lengths::{self, Ends};
use crate::harness::once;

pub fn fast_f32(reference: Function, subject: Function) {
    check(reference, subject);
}

pub fn accurate_f32(reference: Function, subject: Function) {
    check(reference, subject);
}

pub fn poly_f32(reference: Function, subject: Function) {
    check(reference, subject);
}

/// All lengths, with an inaccessible page on either side. The elements are unrelated.
fn every_length(reference: Function, subject: Function) {
    const BLANK: u32 = 0x5a5a_5a5a;
    let longest = lengths::all().max().unwrap();
    let x: Vec<u32> = (0..longest as u32).map(|i| spread(i).to_bits()).collect();
    let expected = once(|| {
        let mut expected = vec![0u32; longest];
        // SAFETY: as many results as arguments; floats are stored as their bits.
        unsafe { reference(x.as_ptr().cast(), expected.as_mut_ptr().cast(), longest) };
        expected
    });
    let (input, mut output) = (Ends::new(&x), Ends::new(&vec![BLANK; longest]));
    for n in lengths::all() {
        for side in [Side::Start, Side::End].into_iter().skip(n % 2).step_by(if n < 1100 { 1 } else { 2 }) {
            let first = output.first(side, n);
            let whole = if side == Side::Start { &mut output.start } else { &mut output.end }.as_mut_slice();
            let part = whole[first..].as_mut_ptr();
            // SAFETY: as many results as arguments.
            unsafe { subject(input.part(side, n).cast(), part.cast(), n) };
            let beside = [first.saturating_sub(64)..first, first + n..(first + n + 64).min(longest)];
            assert!(whole[first..first + n] == expected[first..first + n], "{n} values, {side:?}");
            for range in beside {
                assert!(whole[range].iter().all(|&word| word == BLANK), "written beside {n} values, {side:?}");
            }
            whole[first..first + n].fill(BLANK);
        }
    }
}

fn check(reference: Function, subject: Function) {
    every_length(reference, subject);
    let dense: Vec<f32> = (0..1 << 18).map(spread).collect();
    let corners: Vec<u32> = corners().collect();
    let near: Vec<f32> = (0..64)
        .flat_map(|i| corners.iter().map(move |bits| f32::from_bits(bits.wrapping_add(i).wrapping_sub(32))))
        .collect();
    for x in [dense, near] {
        let all = |kernel: Function| {
            let mut y = vec![0.0; x.len()];
            // SAFETY: the output is as long as the input.
            unsafe { kernel(x.as_ptr(), y.as_mut_ptr(), x.len()) };
            y
        };
        same(&x, &once(|| all(reference)), &all(subject));
    }

    for n in (0..68).chain([95, 96, 97, 127, 128, 129, 130]) {
        let x: Vec<f32> = (0..n)
            .map(|i| match i % 3 {
                2 => f32::from_bits(corners[(i * 7 + n) as usize % corners.len()]),
                _ => spread(i * 77 + n),
            })
            .collect();
        let expected = once(|| {
            let mut expected = vec![0.0; x.len()];
            // SAFETY: the output is as long as the input.
            unsafe { reference(x.as_ptr(), expected.as_mut_ptr(), x.len()) };
            expected
        });
        for slack in (n as usize % 4..64).step_by(4) {
            for side in [Side::Start, Side::End] {
                let mut input = Guarded::new(&x, side, slack);
                let mut output = Guarded::new(&vec![0.0; x.len()], side, slack * 7 % 64);
                // SAFETY: guarded buffers of n floats; in place is legal.
                unsafe {
                    subject(input.as_ptr(), output.as_mut_ptr(), x.len());
                    same(&x, &expected, &output.to_vec());
                    same(&x, &x, &input.to_vec());
                    subject(input.as_ptr(), input.as_mut_ptr(), x.len());
                    same(&x, &expected, &input.to_vec());
                }
            }
        }
    }
}

/// Floats with arbitrary bits.
fn spread(i: u32) -> f32 {
    f32::from_bits(i.wrapping_mul(0x9e37_79b1))
}

/// Bit patterns at which a rule changes, with both signs: zero, denormal numbers, infinities, NaNs,
/// the ends of the ranges.
fn corners() -> impl Iterator<Item = u32> {
    let fixed = [0, 1, 0x0080_0000, 0x3f80_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7f80_0001, 0x7fc0_0000, 0x7fff_ffff];
    let bounds = [87.3, 126.0, 127.0, 128.0, 21.834_137, 22.180_71];
    let bounds = bounds.into_iter().flat_map(|b| [b as f32, (b * std::f64::consts::LN_2) as f32]).map(f32::to_bits);
    // Halves, where the nearest integer of x log2 e changes.
    let halves = (0..256).map(|i| ((i as f64 + 0.5) * std::f64::consts::LN_2) as f32).map(f32::to_bits);
    fixed.into_iter().chain(bounds).chain(halves).flat_map(|bits| [bits, bits | 1 << 31])
}

fn same(x: &[f32], expected: &[f32], found: &[f32]) {
    for ((x, a), b) in x.iter().zip(expected).zip(found) {
        assert_eq!(a.to_bits(), b.to_bits(), "x = {x} = {:#010x}: {a} expected, {b} found", x.to_bits());
    }
}
