//! The lattice of a slope: two neighbours in a Farey sequence.

/// The neighbours of a slope in the Farey sequence: their denominators u and v, and the gaps p and
/// q in units of 2^-64, each at most 2^64.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Basis {
    pub u: u64,
    pub v: u64,
    pub p: i128,
    pub q: i128,
    /// The slope.
    pub a: u64,
}

impl Basis {
    /// The neighbours of order `order` around a.
    pub(super) fn around(a: u64, order: u64) -> Self {
        if a == 0 {
            return Basis { u: 1, v: order, p: 0, q: 1 << 64, a };
        }
        let (mut u, mut v, mut p, mut q) = (1, 1, a, a.wrapping_neg());
        while u + v <= order {
            let max_steps = |from: u64, step: u64| (order - from) / step;
            let k = p.checked_div(q).unwrap_or(order).min(max_steps(u, v));
            u += k * v;
            p -= k * q;
            let k = q.checked_div(p).unwrap_or(order).min(max_steps(v, u));
            v += k * u;
            q -= k * p;
        }
        Basis { u, v, p: p.into(), q: q.into(), a }
    }

    /// Whether these are neighbours of that order; false for the default value.
    pub(super) fn is_of(&self, order: u64) -> bool {
        self.v != 0 && self.u.max(self.v) <= order && self.u + self.v > order
    }

    /// Moves on to the slope a, which is near the last one.
    pub(super) fn follow(&mut self, a: u64, order: u64) {
        // Slopes are known modulo 1.
        let change = i128::from(a.wrapping_sub(self.a) as i64);
        self.a = a;
        self.p += change * i128::from(self.u);
        self.q -= change * i128::from(self.v);
        // A cell holds a hundred domains, so one step is usual. Many steps mean that the slope is
        // not near the last one.
        for _ in 0..16 {
            if self.p < 0 {
                break;
            }
            if self.q >= 0 {
                return;
            }
            let k = (order + self.u) / self.v;
            (self.u, self.v) = (self.v, k * self.v - self.u);
            (self.p, self.q) = (-self.q, i128::from(k) * self.q + self.p);
        }
        *self = Basis::around(a, order);
    }
}
