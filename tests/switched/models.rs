//! Small layered models with exact means: states one by one, or the transfer matrix of coupled layers.

use std::env;

use hotloops::ising::Beta;

/// The observables: both sums of [`hotloops::ising::Energy`] (or the transverse magnetisation for
/// the second), the sum of all spins, and the sum over the layers of the squared magnetisation.
pub const OBSERVABLES: usize = 4;

/// SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// In [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.uniform() * bound as f64) as usize
    }
}

pub fn seed() -> u64 {
    env::var("HOTLOOPS_SEED").map_or(2027, |word| word.parse().expect("HOTLOOPS_SEED is an integer"))
}

/// A small model and its temperature.
#[derive(Debug)]
pub struct Problem {
    pub layers: usize,
    pub couplings: Vec<(usize, usize, f64)>,
    pub fields: Vec<f64>,
    pub tau_coupling: f64,
    pub beta: Beta,
    /// `tanh(beta gamma / layers)` where the layers are Trotter slices; then the second observable
    /// is the transverse magnetisation.
    pub trotter: Option<f64>,
}

/// The strengths that a model may have.
#[derive(Clone, Copy, PartialEq)]
pub enum Strengths {
    /// Small multiples of one unit.
    Integers,
    /// Multiples of a thousandth of one unit, none of them weak: Metropolis flips a spin in a weak
    /// field nearly always, so that its chain needs longer than a test to forget its start.
    Thousandths,
    /// Real numbers, none of them weak.
    Reals,
    /// Plus or minus one unit, at most eight at a site, in uncoupled layers.
    Signs,
    /// Real numbers in every second model.
    Mixed,
}

/// The temperatures of the models.
#[derive(Clone, Copy, PartialEq)]
pub enum Heat {
    /// Local fields of up to 0.2 to 0.8 in units of the temperature.
    Medium,
    /// Weak coupling: `Problem::bias` holds.
    Weak,
    /// Inverse temperatures of 1e-5.
    Hot,
}

impl Problem {
    pub fn random(rng: &mut Rng, strengths: Strengths, heat: Heat) -> Self {
        let is_sign = strengths == Strengths::Signs;
        let is_classical = rng.below(3) == 0 || is_sign;
        let sites = 2 + rng.below(if is_sign {
            7
        } else if is_classical {
            9
        } else {
            5
        });
        let layers = [2, 2, 3, 4, 5, 6, 8, 12, 16, 20, 32, 48, 64, 100, 128, 192, 320][rng.below(17)];
        let is_real = strengths == Strengths::Mixed && rng.below(2) == 0;
        let unit = [1.0, 0.25, 0.123_456_7, 12.5][rng.below(4)];
        let strength = |rng: &mut Rng| match is_real {
            true => unit * rng.between(-1.0, 1.0),
            false if strengths == Strengths::Thousandths => {
                unit / 1000.0 * (rng.below(1501) as f64 + 500.0) * [1.0, -1.0][rng.below(2)]
            }
            false if strengths == Strengths::Reals => unit * rng.between(0.5, 2.0) * [1.0, -1.0][rng.below(2)],
            false if is_sign => unit * (rng.below(3) as f64 - 1.0),
            false => unit * (rng.below(7) as f64 - 3.0),
        };
        let density = rng.between(0.3, 1.0);
        let mut couplings = Vec::new();
        for (i, j) in (0..sites).flat_map(|i| (i + 1..sites).map(move |j| (i, j))) {
            if rng.uniform() < density {
                couplings.push((i, j, strength(rng)));
            }
        }
        // No field, fields everywhere, or fields here and there.
        let share = [0.0, 1.0, 0.5][rng.below(3)];
        let mut fields: Vec<f64> =
            (0..sites).map(|_| if rng.uniform() < share { strength(rng) } else { 0.0 }).collect();
        // Half of the models have a free site, some have two.
        for _ in 0..[0, 0, 1, 2][rng.below(4)] {
            let free = rng.below(sites);
            couplings.retain(|&(i, j, _)| i != free && j != free);
            fields[free] = 0.0;
        }
        let mut problem = Problem {
            layers,
            couplings,
            fields,
            tau_coupling: 1.0,
            beta: Beta { space: 0.0, tau: 0.0 },
            trotter: None,
        };
        let largest = (0..sites).map(|site| problem.reach(site)).fold(0.0, f64::max);
        let scale = if largest > 0.0 { largest.recip() } else { 1.0 };
        let (space, tau) = match heat {
            Heat::Medium => (rng.between(0.2, 0.8) * scale, rng.between(0.05, 0.4)),
            Heat::Weak => (rng.between(0.1, 0.3) * scale, rng.between(0.02, 0.1)),
            Heat::Hot => (1e-5, 1e-5),
        };
        problem.beta = Beta { space: space as f32, tau: if is_classical { 0.0 } else { tau as f32 } };
        match (is_classical, rng.below(2) == 0) {
            (false, true) => problem.trotter = Some((-2.0 * f64::from(problem.beta.tau)).exp()),
            _ => problem.tau_coupling = [1.0, -0.5, 0.75, -1.0][rng.below(4)],
        }
        problem
    }

    pub fn sites(&self) -> usize {
        self.fields.len()
    }

    /// The largest local field of a site.
    pub fn reach(&self, site: usize) -> f64 {
        let bonds = self.couplings.iter().filter(|&&(i, j, _)| i == site || j == site);
        self.fields[site].abs() + bonds.map(|(.., value)| value.abs()).sum::<f64>()
    }

    /// `Es`, the magnetisation and its square, of one layer.
    fn layer_sums(&self, spins: &[i8]) -> [f64; 3] {
        let bonds = self.couplings.iter().map(|&(i, j, value)| value * f64::from(spins[i] * spins[j]));
        let fields = self.fields.iter().zip(spins).map(|(field, &spin)| field * f64::from(spin));
        let total = f64::from(spins.iter().map(|&spin| i32::from(spin)).sum::<i32>());
        [bonds.sum::<f64>() + fields.sum::<f64>(), total, total * total]
    }

    /// The second observable, from the sum over all bonds between layers of the products of spins.
    fn second(&self, aligned: f64) -> f64 {
        let bonds = (self.layers * self.sites()) as f64;
        match self.trotter {
            Some(tanh) => ((bonds + aligned) / 2.0 * tanh + (bonds - aligned) / 2.0 / tanh) / self.layers as f64,
            None => self.tau_coupling * aligned,
        }
    }

    /// The observables of a configuration of all layers, and the sum of the products of spins between layers.
    pub fn observe(&self, spins: &[i8]) -> ([f64; OBSERVABLES], f64) {
        let sites = self.sites();
        let mut sums = [0.0; 3];
        for layer in spins.chunks(sites) {
            sums.iter_mut().zip(self.layer_sums(layer)).for_each(|(sum, value)| *sum += value);
        }
        let above = spins[sites..].iter().chain(&spins[..sites]);
        let aligned = f64::from(spins.iter().zip(above).map(|(&a, &b)| i32::from(a * b)).sum::<i32>());
        ([sums[0], self.second(aligned), sums[1], sums[2]], aligned)
    }

    /// The exact means of the observables.
    pub fn exact(&self) -> [f64; OBSERVABLES] {
        let states = 1usize << self.sites();
        let sums: Vec<[f64; 3]> =
            (0..states).map(|state| self.layer_sums(&configuration(state, self.sites()))).collect();
        let space = f64::from(self.beta.space);
        let tau = f64::from(self.beta.tau) * self.tau_coupling;
        let mean_of = |weights: &[f64]| {
            let norm: f64 = weights.iter().sum();
            [0, 1, 2].map(|k| weights.iter().zip(&sums).map(|(w, sum)| w * sum[k]).sum::<f64>() / norm)
        };
        let layers = self.layers as f64;
        let aligned = |a: usize, b: usize| self.sites() as f64 - 2.0 * f64::from((a ^ b).count_ones());
        if tau == 0.0 {
            let weights: Vec<f64> = sums.iter().map(|sum| (space * sum[0]).exp()).collect();
            let norm: f64 = weights.iter().sum();
            let means = mean_of(&weights);
            // Spins of different layers are independent.
            let squares = (0..self.sites()).map(|site| {
                let spin = |state: usize| 1.0 - 2.0 * (state >> site & 1) as f64;
                (weights.iter().enumerate().map(|(state, w)| w * spin(state)).sum::<f64>() / norm).powi(2)
            });
            return [
                layers * means[0],
                self.second(layers * squares.sum::<f64>()),
                layers * means[1],
                layers * means[2],
            ];
        }
        let entry = |a: usize, b: usize| (space * (sums[a][0] + sums[b][0]) / 2.0 + tau * aligned(a, b)).exp();
        let transfer = Matrix::new(states, entry);
        let rest = transfer.power(self.layers - 1);
        // Both are symmetric: row `a` of their product has the diagonal element of state `a`.
        let mut bonds = 0.0;
        let mut diagonal = vec![0.0; states];
        for (a, weight) in diagonal.iter_mut().enumerate() {
            for b in 0..states {
                let product = transfer.0[a * states + b] * rest.0[a * states + b];
                *weight += product;
                bonds += product * aligned(a, b);
            }
        }
        let means = mean_of(&diagonal);
        let bonds = layers * bonds / diagonal.iter().sum::<f64>();
        [layers * means[0], self.second(bonds), layers * means[1], layers * means[2]]
    }

    /// A bound on the error of the means under `F32Fast`, to first order.
    ///
    /// The ratio of a move's probability to that of the reverse move has an error of at most 3.1 %,
    /// so the log-odds of a spin, given all others, have an error of at most 0.031. Its
    /// distribution has an error of at most a quarter of that in total variation. Where each site's
    /// influences `sum tanh |beta J|` add up to `c < 1`, Dobrushin's comparison multiplies this by
    /// `1 / (1 - c)`; the mean of an observable then has an error of at most that times the sum
    /// over all spins of the largest change of the observable when one spin flips.
    pub fn bias(&self) -> [f64; OBSERVABLES] {
        let (space, tau) = (f64::from(self.beta.space), f64::from(self.beta.tau) * self.tau_coupling);
        let influence = |site: usize| {
            let bonds = self.couplings.iter().filter(|&&(i, j, _)| i == site || j == site);
            bonds.map(|(.., value)| (space * value.abs()).tanh()).sum::<f64>() + 2.0 * tau.abs().tanh()
        };
        let c = (0..self.sites()).map(influence).fold(0.0, f64::max);
        assert!(c < 0.6, "the bound needs weak coupling: {c}");
        let wrong = 0.031 / 4.0 / (1.0 - c);
        let (sites, layers) = (self.sites() as f64, self.layers as f64);
        let space = 2.0 * layers * (0..self.sites()).map(|site| self.reach(site)).sum::<f64>();
        let second = (self.second(4.0 * sites * layers) - self.second(0.0)).abs();
        [space, second, 2.0 * sites * layers, 4.0 * sites * sites * layers].map(|change| wrong * change)
    }
}

pub fn configuration(state: usize, spins: usize) -> Vec<i8> {
    (0..spins).map(|i| 1 - 2 * (state >> i & 1) as i8).collect()
}

/// A square matrix by rows, times any number.
#[derive(Clone)]
struct Matrix(Vec<f64>);

impl Matrix {
    fn new(size: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        Matrix((0..size * size).map(|index| entry(index / size, index % size)).collect())
    }

    fn times(&self, other: &Matrix) -> Matrix {
        let size = self.0.len().isqrt();
        let mut product = vec![0.0; size * size];
        for (row, out) in self.0.chunks(size).zip(product.chunks_mut(size)) {
            for (x, other) in row.iter().zip(other.0.chunks(size)) {
                out.iter_mut().zip(other).for_each(|(sum, y)| *sum += x * y);
            }
        }
        let largest = product.iter().copied().fold(0.0, f64::max);
        Matrix(product.into_iter().map(|entry| entry / largest).collect())
    }

    /// `exponent` is at least 1.
    fn power(&self, exponent: usize) -> Matrix {
        let digits = (0..exponent.ilog2()).rev();
        digits.fold(self.clone(), |power, digit| {
            let square = power.times(&power);
            if exponent >> digit & 1 == 1 { square.times(self) } else { square }
        })
    }
}
