//! Residues modulo two primes, and the integers that they stand for.

/// A prime below 2^28.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Prime {
    pub p: u32,
    /// `p` times this is -1 modulo 2^32.
    pub inverse: u32,
    /// A generator of the multiplicative group.
    generator: u32,
}

/// `p` - 1 of each is a multiple of 2^15 times 9, 5 and 7, so that there are roots of unity for all lengths
/// of transforms.
pub(super) const PRIMES: [Prime; 2] = [Prime::new(268_369_921), Prime::new(227_082_241)];

/// The primes that divide `p` - 1, for both.
const FACTORS: [u32; 6] = [2, 3, 5, 7, 11, 13];

impl Prime {
    const fn new(p: u32) -> Prime {
        // Each step doubles the number of correct bits, beginning with 3.
        let (mut inverse, mut step) = (p, 0);
        while step < 4 {
            inverse = inverse.wrapping_mul(2u32.wrapping_sub(p.wrapping_mul(inverse)));
            step += 1;
        }
        let mut prime = Prime { p, inverse: inverse.wrapping_neg(), generator: 2 };
        while !prime.generates() {
            prime.generator += 1;
        }
        prime
    }

    const fn generates(self) -> bool {
        let mut k = 0;
        while k < FACTORS.len() {
            if (self.p - 1).is_multiple_of(FACTORS[k]) && self.power(self.generator, (self.p - 1) / FACTORS[k]) == 1 {
                return false;
            }
            k += 1;
        }
        true
    }

    pub const fn times(self, a: u32, b: u32) -> u32 {
        (a as u64 * b as u64 % self.p as u64) as u32
    }

    pub const fn power(self, base: u32, exponent: u32) -> u32 {
        let (mut result, mut square, mut rest) = (1, base, exponent);
        while rest > 0 {
            if rest % 2 == 1 {
                result = self.times(result, square);
            }
            square = self.times(square, square);
            rest /= 2;
        }
        result
    }

    pub const fn remainder(self, x: u64) -> u32 {
        (x % self.p as u64) as u32
    }

    pub fn sum(self, a: u32, b: u32) -> u32 {
        if a + b < self.p { a + b } else { a + b - self.p }
    }

    /// The residue of a number above -`p`.
    pub fn signed(self, x: i32) -> u32 {
        if x < 0 { (x + self.p as i32) as u32 } else { x as u32 }
    }

    pub const fn inverse_of(self, x: u32) -> u32 {
        self.power(x, self.p - 2)
    }

    /// A primitive root of unity; its order `n` divides `p` - 1.
    pub fn root(self, n: usize) -> u32 {
        self.power(self.generator, (self.p - 1) / n as u32)
    }

    /// floor(2^32 `x` / `p`), for the products of kernels.
    pub fn ratio(self, x: u32) -> u32 {
        ((u64::from(x) << 32) / u64::from(self.p)) as u32
    }

    /// The product of both primes.
    pub const fn product() -> u64 {
        PRIMES[0].p as u64 * PRIMES[1].p as u64
    }
}

/// The integer of least magnitude with given residues modulo both primes.
pub(super) fn signed(first: u32, second: u32) -> i64 {
    const INVERSE: u32 = PRIMES[1].inverse_of(PRIMES[0].p % PRIMES[1].p);
    const PRODUCT: i64 = Prime::product() as i64;
    const P: u64 = PRIMES[1].p as u64;
    // The first residue is less than twice the second prime.
    let rest = (u64::from(second) + 2 * P - u64::from(first)) * u64::from(INVERSE) % P;
    let x = (u64::from(first) + u64::from(PRIMES[0].p) * rest) as i64;
    if x > PRODUCT / 2 { x - PRODUCT } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_prime_and_have_roots() {
        for prime in PRIMES {
            assert!(prime.p < 1 << 28 && (2..1 << 14).all(|d| prime.p % d != 0), "all divisors up to the square root");
            assert_eq!(prime.p.wrapping_mul(prime.inverse), u32::MAX);
            let rest = FACTORS.iter().fold(prime.p - 1, |mut rest, factor| {
                while rest % factor == 0 {
                    rest /= factor;
                }
                rest
            });
            assert_eq!(rest, 1, "these factors are all");
            for n in [4, 5, 6, 7, 8, 9, 10, 12, 14, 15].map(|m| m << 12) {
                let root = prime.root(n);
                assert_eq!(prime.power(root, n as u32), 1);
                let orders = FACTORS.iter().filter(|&&factor| (n as u32).is_multiple_of(factor));
                assert!(orders.into_iter().all(|factor| prime.power(root, n as u32 / factor) != 1), "primitive");
            }
        }
    }

    #[test]
    fn residues_stand_for_the_integer() {
        let half = Prime::product() as i64 / 2;
        for x in [0, 1, -1, 268_369_921, -227_082_241, half, -half, 1 << 50, -(1 << 53) + 12345] {
            let residue = |prime: Prime| x.rem_euclid(prime.p.into()) as u32;
            assert_eq!(signed(residue(PRIMES[0]), residue(PRIMES[1])), x);
        }
    }
}
