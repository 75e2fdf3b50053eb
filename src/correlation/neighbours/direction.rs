//! Directions raised to a power, one by one and for a leaf of points at once.

/// (z / |z|)^`fold`; 0 if z is 0.
pub(super) fn direction([x, y]: [f64; 2], fold: u32) -> [f64; 2] {
    let [re, im] = directions(&[[x], [y]], fold);
    [re[0], im[0]]
}

/// [`direction`] in each lane.
#[inline]
pub(super) fn directions<const N: usize>(z: &[[f64; N]; 2], fold: u32) -> [[f64; N]; 2] {
    let (mut longest, mut unit, mut square) = ([0.0; N], [[0.0; N]; 2], [0.0; N]);
    for lane in 0..N {
        let [x, y] = [z[0][lane].abs(), z[1][lane].abs()];
        longest[lane] = if x < y { y } else { x };
    }
    if longest == [0.0; N] {
        return [[0.0; N]; 2];
    }
    for lane in 0..N {
        let [x, y] = [z[0][lane].abs(), z[1][lane].abs()];
        let scale = if longest[lane] == 0.0 { 1.0 } else { longest[lane] };
        // The longer part divided by itself is 1.
        let ratio = (if x < y { x } else { y }) / scale;
        unit[0][lane] = (if x < y { ratio } else { 1.0 }).copysign(z[0][lane]);
        unit[1][lane] = (if x < y { 1.0 } else { ratio }).copysign(z[1][lane]);
    }
    for lane in 0..N {
        let [x, y] = [unit[0][lane], unit[1][lane]];
        square[lane] = x * x + y * y;
    }
    // z^2 / |z|^2 needs no root.
    let mut twice = [[0.0; N]; 2];
    for lane in 0..N {
        let [x, y] = [unit[0][lane], unit[1][lane]];
        twice[0][lane] = (x - y) * (x + y) / square[lane];
        twice[1][lane] = 2.0 * x * y / square[lane];
    }
    let mut rest = fold / 2;
    let mut power = if fold % 2 == 1 {
        square.iter_mut().for_each(|square| *square = root(*square));
        for lane in 0..N {
            unit[0][lane] /= square[lane];
            unit[1][lane] /= square[lane];
        }
        unit
    } else if rest == 0 {
        [[1.0; N], [0.0; N]]
    } else {
        // The first factor.
        for _ in 0..rest.trailing_zeros() {
            twice = times(&twice, &twice);
        }
        rest >>= rest.trailing_zeros();
        rest -= 1;
        twice
    };
    while rest > 0 {
        if rest % 2 == 1 {
            power = times(&power, &twice);
        }
        rest /= 2;
        if rest > 0 {
            twice = times(&twice, &twice);
        }
    }
    for part in &mut power {
        for lane in 0..N {
            part[lane] = if longest[lane] == 0.0 { 0.0 } else { part[lane] };
        }
    }
    power
}

/// Products of complex numbers.
#[inline(always)]
fn times<const N: usize>(a: &[[f64; N]; 2], b: &[[f64; N]; 2]) -> [[f64; N]; 2] {
    let mut products = [[0.0; N]; 2];
    for lane in 0..N {
        products[0][lane] = a[0][lane] * b[0][lane] - a[1][lane] * b[1][lane];
        products[1][lane] = a[0][lane] * b[1][lane] + a[1][lane] * b[0][lane];
    }
    products
}

/// The square root of a number from 1 to 2, correctly rounded.
fn root(p: f64) -> f64 {
    // Approximately, by Newton's method.
    let inverse = inverse_root(p);
    // The root is S 2^-52 and the square is P 2^-52. The error is r = 2^52 P - S^2, which is small.
    const ONE: f64 = (1u64 << 52) as f64;
    let mut root = (p * inverse * ONE) as i64;
    let mut error = (((p * ONE) as i64) << 52).wrapping_sub(root.wrapping_mul(root));
    // Correctly rounded if (S - 1/2)^2 < 2^52 P < (S + 1/2)^2.
    while error > root {
        error -= 2 * root + 1;
        root += 1;
    }
    while error <= -root {
        error += 2 * root - 1;
        root -= 1;
    }
    root as f64 / ONE
}

/// 1 / sqrt(`x`) to about 2^-50, for positive normal numbers.
#[inline]
pub(super) fn inverse_root(x: f64) -> f64 {
    let mut root = f64::from_bits(0x5fe6_eb50_c7b5_37a9 - (x.to_bits() >> 1));
    for _ in 0..4 {
        root *= 1.5 - 0.5 * x * root * root;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::libm::sqrt_f64;

    #[test]
    fn roots_are_correctly_rounded() {
        let mut bits = 1u64;
        for i in 0..200_000u64 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let one = 1f64.to_bits();
            for p in [one + (bits >> 12), one + i, 2f64.to_bits() - i, 1.5f64.to_bits() + i].map(f64::from_bits) {
                assert_eq!(root(p), sqrt_f64(p), "{p}");
            }
        }
    }
}
