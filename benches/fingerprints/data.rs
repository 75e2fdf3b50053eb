//! Generated rows.

pub struct Rng(pub u64);

impl Rng {
    /// SplitMix64.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn real(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.word()) * bound as u128) >> 64) as usize
    }
}

/// How rows are made.
pub struct Kind {
    pub name: &'static str,
    pub bits: usize,
    /// Mean number of ones, and its standard deviation.
    pub ones: [f64; 2],
    /// The chance of the bit of rank k falls like (k + 1)^-power.
    pub power: f64,
    /// Rows made from a prototype, and the share of ones that differ from it.
    pub members: usize,
    pub mutated: f64,
    /// The share of the given number of rows.
    pub share: f64,
}

pub const KINDS: [Kind; 5] = [
    Kind { name: "morgan", bits: 2048, ones: [48.0, 12.0], power: 0.9, members: 30, mutated: 0.3, share: 1.0 },
    Kind { name: "maccs", bits: 166, ones: [45.0, 12.0], power: 0.5, members: 30, mutated: 0.2, share: 1.0 },
    Kind { name: "path", bits: 2048, ones: [690.0, 200.0], power: 0.25, members: 30, mutated: 0.15, share: 0.2 },
    Kind { name: "clustered", bits: 1024, ones: [512.0, 16.0], power: 0.0, members: 50, mutated: 0.1, share: 0.3 },
    Kind { name: "uniform", bits: 1024, ones: [512.0, 16.0], power: 0.0, members: 1, mutated: 1.0, share: 0.3 },
];

/// `n` rows of a kind, each in whole bytes.
pub fn rows(kind: &Kind, n: usize) -> Vec<u8> {
    let mut rng = Rng(kind.bits as u64);
    let stride = kind.bits.div_ceil(8);
    let mut sums: Vec<f64> = Vec::new();
    for k in 0..kind.bits {
        sums.push(sums.last().unwrap_or(&0.0) + ((k + 1) as f64).powf(-kind.power));
    }
    // A table of 2^16 equal chances, so that a bit is drawn by one look.
    let table: Vec<usize> = (0..1 << 16)
        .map(|i| sums.partition_point(|&sum| sum < (f64::from(i) + 0.5) / 65536.0 * sums[kind.bits - 1]))
        .map(|rank| rank * 7919 % kind.bits)
        .collect();
    let mut bytes = vec![0u8; n * stride];
    let mut prototype = vec![0u8; stride];
    for i in 0..n {
        let row = &mut bytes[i * stride..][..stride];
        let fresh = i % kind.members == 0;
        if !fresh {
            row.copy_from_slice(&prototype);
        }
        let normal: f64 = (0..12).map(|_| rng.real()).sum::<f64>() - 6.0;
        let size = (kind.ones[0] + kind.ones[1] * normal).clamp(1.0, 0.9 * kind.bits as f64);
        let mut count: u32 = row.iter().map(|byte| byte.count_ones()).sum();
        // A mutation takes ones away, then others are drawn.
        if !fresh {
            let target = f64::from(count);
            let gone = (rng.real() * 2.0 * kind.mutated * target) as u32;
            let mut left = gone;
            while left > 0 && count > 0 {
                let bit = rng.below(kind.bits);
                if row[bit / 8] >> (bit % 8) & 1 == 1 {
                    row[bit / 8] ^= 1 << (bit % 8);
                    (left, count) = (left - 1, count - 1);
                }
            }
        }
        let size =
            if fresh { size as u32 } else { count + (rng.real() * 2.0 * kind.mutated * f64::from(count)) as u32 };
        let size = size.min((kind.bits * 9 / 10) as u32);
        while count < size {
            let word = rng.word();
            for shift in [0, 16, 32, 48] {
                let bit = table[(word >> shift) as usize & 0xffff];
                if count < size && row[bit / 8] >> (bit % 8) & 1 == 0 {
                    row[bit / 8] |= 1 << (bit % 8);
                    count += 1;
                }
            }
        }
        if fresh {
            prototype.copy_from_slice(row);
        }
    }
    // Rows of a cluster are not neighbours.
    for i in (1..n).rev() {
        let j = rng.below(i + 1);
        if i != j {
            let (first, second) = bytes.split_at_mut(i * stride);
            first[j * stride..][..stride].swap_with_slice(&mut second[..stride]);
        }
    }
    bytes
}
