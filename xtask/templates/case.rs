
/// Any bits, at all lengths, at both ends of guarded memory. Floats are stored as their bits.
pub fn NAME(reference: hotloops::FAMILY::NAME::Function, subject: hotloops::FAMILY::NAME::Function) {
    use crate::harness::{guard, lengths};
    for n in lengths::all() {
        let x: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(0x9e37_79b1)).collect();
        let mut expected = vec![0u32; n];
        // SAFETY: `n` floats on both sides.
        unsafe { reference(x.as_ptr().cast(), expected.as_mut_ptr().cast(), n) };
        let sides = [guard::Side::Start, guard::Side::End].into_iter().skip(n % 2);
        for side in sides.step_by(if n < 1100 { 1 } else { 2 }) {
            let input = guard::Guarded::new(&x, side, n % 64);
            let mut output = guard::Guarded::new(&vec![0u32; n], side, n * 7 % 64);
            // SAFETY: `n` floats on both sides.
            unsafe { subject(input.as_ptr().cast(), output.as_mut_ptr().cast(), n) };
            assert!(output.to_vec() == expected, "{n} floats, {side:?}");
        }
    }
}
