//! The lines that approximate the polynomial on its domains.

/// The whole circle in units of 2^-64.
pub(super) const TURN: f64 = 18_446_744_073_709_551_616.0;

/// The upper word, rounded.
fn upper(c: u128) -> u64 {
    (c.wrapping_add(1 << 63) >> 64) as u64
}

/// The lines of the domains of a stretch: height b and slope a, modulo 1, as polynomials in the
/// domain's index.
pub(super) struct Lines {
    height: [u64; 3],
    slope: [u64; 2],
    /// The cubic coefficient of the height and the quadratic one of the slope, in units of 2^-96.
    cube: i64,
    square: i64,
}

impl Lines {
    pub(super) fn new([c0, c1, c2, c3]: &[u128; 4], n: u64) -> Self {
        let n = u128::from(n);
        let by = |c: &u128, x: u128| c.wrapping_mul(x);
        let slope = [c1.wrapping_add(by(c2, n)), by(c2, 2 * n).wrapping_add(by(c3, 3 * n * n))];
        Lines {
            height: [*c0, by(c1, n), by(c2, n * n)].map(upper),
            slope: slope.map(upper),
            cube: (by(c3, n * n * n) as i128 >> 32) as i64,
            square: (by(c3, 3 * n * n) as i128 >> 32) as i64,
        }
    }

    /// The second difference of heights.
    pub(super) fn bent(&self, i: u64) -> u64 {
        let cube = ((self.cube * (3 * i + 3) as i64) >> 31) as u64;
        self.height[2].wrapping_mul(2).wrapping_add(cube)
    }

    pub(super) fn height(&self, i: u64) -> u64 {
        let [b0, b1, b2] = self.height;
        let cube = ((self.cube * i as i64) >> 32) as u64;
        b0.wrapping_add(i.wrapping_mul(b1.wrapping_add(i.wrapping_mul(b2.wrapping_add(cube)))))
    }

    /// The slope of a domain, and its increase to the next domain.
    pub(super) fn slope(&self, i: u64) -> [u64; 2] {
        let square = |by: u64| ((self.square * by as i64) >> 32) as u64;
        let slope = self.slope[0].wrapping_add(i.wrapping_mul(self.slope[1].wrapping_add(square(i))));
        [slope, self.slope[1].wrapping_add(square(2 * i + 1))]
    }
}
