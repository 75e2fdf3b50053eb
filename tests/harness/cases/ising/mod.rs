mod bits;
mod blocks;
mod dense;
mod exact;
mod lattice;
mod wide;
mod worldline;

use hotloops::ising::dense_bounds::Function as Bounds;
use hotloops::ising::dense_flips::Function as Flips;
use hotloops::ising::dense_flips_i32::Function as WideFlips;
use hotloops::ising::dense_levels::Function as Levels;
use hotloops::ising::dense_update::Function as Update;
use hotloops::ising::dense_update_i32::Function as WideUpdate;
use hotloops::ising::scatter_fast_f32::Function as Scatter;
use hotloops::ising::sweep_bits::Function as BitSweep;
use hotloops::ising::sweep_blocks_f32::Function as FloatBlockSweep;
use hotloops::ising::sweep_blocks_i8::Function as BlockSweep;
use hotloops::ising::sweep_blocks_i64::Function as FixedBlockSweep;
use hotloops::ising::sweep_fast_f32::Function as Gather;
use hotloops::ising::sweep_i8::Function as ExactSweep;
use hotloops::ising::sweep_i16::Function as WideSweep;
use hotloops::ising::sweep_lattice::Function as LatticeSweep;
use hotloops::ising::worldline_breaks::Function as WorldlineBreaks;
use hotloops::ising::worldline_overlaps::Function as WorldlineOverlaps;
use hotloops::ising::worldline_sweep_f64::Function as RealWorldlineSweep;
use hotloops::ising::worldline_sweep_i32::Function as WorldlineSweep;
use hotloops::ising::{LANES, Link, factors, heat_factors, heat_thresholds, thresholds};

use crate::harness::guard::{Guarded, Side};
use crate::harness::once;
use crate::harness::rng::Rng;

const ROW: u32 = 4 * LANES as u32;
const BETAS: [f32; 16] = [
    0.3,
    0.47,
    -0.7,
    0.0,
    -0.0,
    2.5,
    40.0,
    1e-30,
    f32::from_bits(1),
    1e30,
    -1e31,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

pub fn sweep_fast_f32(reference: Gather, subject: Gather) {
    cases(|case| gather(case, reference, subject));
    boundaries(reference, subject);
}

pub fn sweep_poly_f32(reference: Gather, subject: Gather) {
    cases(|case| gather(case, reference, subject));
    boundaries(reference, subject);
}

pub fn sweep_heat_fast_f32(reference: Gather, subject: Gather) {
    cases(|case| gather(case, reference, subject));
    boundaries(reference, subject);
}

pub fn sweep_heat_poly_f32(reference: Gather, subject: Gather) {
    cases(|case| gather(case, reference, subject));
    boundaries(reference, subject);
}

pub fn scatter_fast_f32(reference: Scatter, subject: Scatter) {
    cases(|case| scatter(case, reference, subject));
}

pub fn scatter_poly_f32(reference: Scatter, subject: Scatter) {
    cases(|case| scatter(case, reference, subject));
}

pub fn scatter_heat_fast_f32(reference: Scatter, subject: Scatter) {
    cases(|case| scatter(case, reference, subject));
}

pub fn scatter_heat_poly_f32(reference: Scatter, subject: Scatter) {
    cases(|case| scatter(case, reference, subject));
}

pub fn sweep_i8(reference: ExactSweep, subject: ExactSweep) {
    exact::check(thresholds, reference, subject);
}

pub fn sweep_heat_i8(reference: ExactSweep, subject: ExactSweep) {
    exact::check(heat_thresholds, reference, subject);
}

pub fn sweep_i16(reference: WideSweep, subject: WideSweep) {
    wide::check(factors, reference, subject);
}

pub fn sweep_heat_i16(reference: WideSweep, subject: WideSweep) {
    wide::check(heat_factors, reference, subject);
}

pub fn sweep_blocks_i8(reference: BlockSweep, subject: BlockSweep) {
    blocks::check(reference, subject);
}

pub fn sweep_heat_blocks_i8(reference: BlockSweep, subject: BlockSweep) {
    blocks::check(reference, subject);
}

pub fn sweep_blocks_f32(reference: FloatBlockSweep, subject: FloatBlockSweep) {
    blocks::check_floats(reference, subject);
}

pub fn sweep_heat_blocks_f32(reference: FloatBlockSweep, subject: FloatBlockSweep) {
    blocks::check_floats(reference, subject);
}

pub fn sweep_blocks_i64(reference: FixedBlockSweep, subject: FixedBlockSweep) {
    blocks::check_fixed(reference, subject);
}

pub fn sweep_heat_blocks_i64(reference: FixedBlockSweep, subject: FixedBlockSweep) {
    blocks::check_fixed(reference, subject);
}

pub fn dense_bounds(reference: Bounds, subject: Bounds) {
    dense::bounds(reference, subject);
}

pub fn dense_heat_bounds(reference: Bounds, subject: Bounds) {
    dense::bounds(reference, subject);
}

pub fn dense_flips(reference: Flips, subject: Flips) {
    dense::flips(reference, subject);
}

pub fn dense_update(reference: Update, subject: Update) {
    dense::update(reference, subject);
}

pub fn dense_levels(reference: Levels, subject: Levels) {
    dense::levels(reference, subject);
}

pub fn dense_heat_levels(reference: Levels, subject: Levels) {
    dense::levels(reference, subject);
}

pub fn dense_flips_i32(reference: WideFlips, subject: WideFlips) {
    dense::wide_flips(reference, subject);
}

pub fn dense_update_i32(reference: WideUpdate, subject: WideUpdate) {
    dense::wide_update(reference, subject);
}

pub fn sweep_bits(reference: BitSweep, subject: BitSweep) {
    bits::check(reference, subject);
}

pub fn sweep_heat_bits(reference: BitSweep, subject: BitSweep) {
    bits::check(reference, subject);
}

pub fn sweep_lattice(reference: LatticeSweep, subject: LatticeSweep) {
    lattice::check(reference, subject);
}

pub fn worldline_breaks(reference: WorldlineBreaks, subject: WorldlineBreaks) {
    worldline::breaks(reference, subject);
}

pub fn worldline_sweep_i32(reference: WorldlineSweep, subject: WorldlineSweep) {
    worldline::sweep(reference, subject);
}

pub fn worldline_sweep_f64(reference: RealWorldlineSweep, subject: RealWorldlineSweep) {
    worldline::real_sweep(reference, subject);
}

pub fn worldline_overlaps(reference: WorldlineOverlaps, subject: WorldlineOverlaps) {
    worldline::overlaps(reference, subject);
}

impl Rng {
    fn rows<T>(&mut self, rows: usize, value: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..rows * LANES).map(|_| value(self)).collect()
    }

    fn spin(&mut self) -> f32 {
        if (self.word() as u32) & 1 == 0 { 1.0 } else { -1.0 }
    }

    /// Random numbers with frequent extremes.
    fn random(&mut self) -> u32 {
        match self.index(16) {
            0 => self.index(600) as u32,
            1 => !(self.index(600) as u32),
            _ => self.word() as u32,
        }
    }
}

/// The kinds of values for couplings and fields.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    /// Sums are exact in any order.
    Eighths,
    Sevenths,
    /// All magnitudes, including infinities and NaNs.
    Wild,
}

impl Values {
    fn value(self, rng: &mut Rng) -> f32 {
        match self {
            Values::Eighths => (rng.index(15) as f32 - 7.0) / 8.0,
            Values::Sevenths => (rng.index(15) as f32 - 7.0) / 7.0,
            Values::Wild => f32::from_bits(match rng.index(6) {
                0 => (rng.word() as u32) & 0x8000_0003 | 0x7f7f_fffe, // the largest numbers, infinities, NaNs
                1 => (rng.word() as u32) & 0x8000_0007,               // the smallest numbers
                _ => rng.word() as u32,
            }),
        }
    }
}

/// The arguments of a call, except the buffers that it writes.
struct Case {
    rng: Rng,
    rows: usize,
    first: usize,
    count: usize,
    links: Vec<Link>,
    random: Vec<u32>,
    flips: Vec<u32>,
    beta: (f32, f32),
    side: Side,
    slack: usize,
    name: String,
}

impl Case {
    /// Sites may be coupled to the previously visited site and to themselves. A coupling may occur
    /// twice.
    fn new(seed: usize, count: usize, degrees: impl Fn(&mut Rng) -> usize, values: Values) -> Self {
        let mut rng = Rng(seed as u64);
        let first = rng.index(4);
        let rows = first + count + rng.index(4) + 1;
        let mut links = Vec::new();
        for i in first..first + count {
            let degree = degrees(&mut rng);
            links.push(Link { word: degree as u32, value: values.value(&mut rng) });
            for _ in 0..degree {
                let row = match rng.index(8) {
                    0 => i.saturating_sub(1),
                    _ => rng.index(rows),
                };
                links.push(Link { word: ROW * row as u32, value: values.value(&mut rng) });
            }
        }
        let random = rng.rows(count, Rng::random);
        let flips = rng.rows(1, |rng| [(rng.word() as u32), u32::MAX, 0][rng.index(3)]);
        let name = format!("seed {seed}, {count} sites from {first} on, {values:?}");
        Case { rng, rows, first, count, links, random, flips, beta: (0.47, 0.4), side: Side::End, slack: 0, name }
    }

    fn buffer<T: Copy>(&self, values: &[T], nth: usize) -> Guarded<T> {
        let slack = match self.slack {
            0 => 0,
            slack @ 1..64 => (slack * (nth + 1) + nth / 3) % 64,
            alone => 4 * usize::from(nth == alone - 64),
        };
        Guarded::new(values, self.side, slack)
    }
}

fn cases(check: impl Fn(Case)) {
    // Every count, with varied degrees and values.
    for count in 0..70 {
        for (i, values) in [Values::Eighths, Values::Sevenths, Values::Wild].into_iter().enumerate() {
            check(Case::new(3 * count + i, count, |rng| rng.index(13), values));
            let degree = count % 13;
            check(Case::new(1000 + 3 * count + i, count, |_| degree, values));
        }
    }
    check(Case::new(2000, 7, |rng| 100 + rng.index(300), Values::Eighths));
    check(Case::new(2001, 500, |rng| rng.index(7), Values::Sevenths));
    // More than 2^16 sites, and a first site beyond 2^16.
    check(Case::new(2002, 65_541, |rng| rng.index(3), Values::Sevenths));
    check(Case { first: 65_541, rows: 65_600, ..Case::new(2003, 20, |rng| rng.index(7), Values::Sevenths) });

    // Every misalignment of all buffers, with a guard page on either side, then of each of the
    // seven buffers alone.
    for side in [Side::Start, Side::End] {
        for slack in 0..64 + 7 {
            let case = Case::new(3000 + slack, slack % 9, |rng| rng.index(8), Values::Eighths);
            check(Case { side, slack, ..case });
        }
    }

    // Temperatures of all magnitudes.
    for (i, &space) in BETAS.iter().enumerate() {
        for (j, &tau) in BETAS.iter().enumerate() {
            for values in [Values::Eighths, Values::Wild] {
                let case = Case::new(4000 + 16 * i + j, 6, |rng| rng.index(7), values);
                check(Case { beta: (space, tau), ..case });
            }
        }
    }
}

fn gather(mut case: Case, reference: Gather, subject: Gather) {
    let (below, above) = (case.rng.rows(case.count, Rng::spin), case.rng.rows(case.count, Rng::spin));
    let initial = case.rng.rows(case.rows, Rng::spin);
    let (links, random) = (case.buffer(&case.links, 0), case.buffer(&case.random, 1));
    let (below, above) = (case.buffer(&below, 2), case.buffer(&above, 3));
    let run = |sweep: Gather| {
        let (mut spins, mut flips) = (case.buffer(&initial, 4), case.buffer(&case.flips, 5));
        // SAFETY: all rows that the arguments speak of are there.
        unsafe {
            sweep(
                spins.as_mut_ptr(),
                case.first,
                case.count,
                below.as_ptr(),
                above.as_ptr(),
                links.as_ptr(),
                case.beta.0,
                case.beta.1,
                random.as_ptr(),
                flips.as_mut_ptr(),
            );
        }
        (bits(&spins), flips.to_vec())
    };
    let (expected, found) = (once(|| run(reference)), run(subject));
    assert!(*expected == found, "{}, beta {:?}, {:?} {}", case.name, case.beta, case.side, case.slack);
}

fn scatter(mut case: Case, reference: Scatter, subject: Scatter) {
    let state = |rng: &mut Rng| 4.0 * rng.spin() + rng.spin() + rng.spin();
    let initial = case.rng.rows(case.rows, state);
    let fields = case.rng.rows(case.rows, |rng| Values::Sevenths.value(rng));
    let (below, above) = (case.rng.rows(case.count, state), case.rng.rows(case.count, |_| 0.0));
    let (links, random) = (case.buffer(&case.links, 0), case.buffer(&case.random, 1));
    let run = |sweep: Scatter| {
        let (mut state, mut fields) = (case.buffer(&initial, 4), case.buffer(&fields, 6));
        let (mut below, mut above) = (case.buffer(&below, 2), case.buffer(&above, 3));
        let mut flips = case.buffer(&case.flips, 5);
        // SAFETY: all rows that the arguments speak of are there.
        unsafe {
            sweep(
                state.as_mut_ptr(),
                fields.as_mut_ptr(),
                case.first,
                case.count,
                below.as_mut_ptr(),
                above.as_mut_ptr(),
                links.as_ptr(),
                case.beta.0,
                case.beta.1,
                random.as_ptr(),
                flips.as_mut_ptr(),
            );
        }
        ([&state, &fields, &below, &above].map(bits), flips.to_vec())
    };
    let (expected, found) = (once(|| run(reference)), run(subject));
    assert!(*expected == found, "{}, beta {:?}, {:?} {}", case.name, case.beta, case.side, case.slack);
}

/// NaNs are equal whatever their sign and payload, which the contract leaves open.
fn bits(values: &Guarded<f32>) -> Vec<u32> {
    values.to_vec().iter().map(|value| if value.is_nan() { !0 } else { value.to_bits() }).collect()
}

/// For exponents of all magnitudes, finds the smallest rejected random number with the reference.
/// The subject must decide the numbers around it in the same way.
fn boundaries(reference: Gather, subject: Gather) {
    let mut rng = Rng(5000);
    for i in 0..800 {
        // One free spin: the exponent is proportional to its field. The fields include small and
        // negative ones.
        let number = (rng.word() as u32) as f32;
        let h = match i / 200 {
            0 => number / 2f32.powi(27),
            1 => (i - 200) as f32 * 0.01,
            2 => (number / 2f32.powi(31) - 1.0) / 16.0,
            _ => -number / 2f32.powi(28),
        };
        let links = [Link { word: 0, value: h }];
        let decide = |sweep: Gather, random: [u32; LANES]| {
            let (mut spins, mut flips) = ([1.0; LANES], [0; LANES]);
            let neighbours = [0.0; LANES];
            let (below, above) = (neighbours.as_ptr(), neighbours.as_ptr());
            // SAFETY: one site without links.
            unsafe {
                sweep(
                    spins.as_mut_ptr(),
                    0,
                    1,
                    below,
                    above,
                    links.as_ptr(),
                    0.5,
                    0.0,
                    random.as_ptr(),
                    flips.as_mut_ptr(),
                );
            }
            flips
        };
        // Search the 2^24 possible numbers, sixteen per step.
        let low = *once(|| {
            let (mut low, mut step) = (0, 1 << 20);
            while step > 0 {
                let flips = decide(reference, std::array::from_fn(|k| (low + step * k as u32) << 8));
                let accepted = flips.iter().filter(|&&flip| flip == 1).count() as u32;
                low += step * accepted.saturating_sub(1);
                step /= 16;
            }
            low
        });
        let around = std::array::from_fn(|k| {
            (low + k as u32).saturating_sub(8).min(0xff_ffff) << 8 | (rng.word() as u32) & 0xff
        });
        let expected = once(|| decide(reference, around));
        assert_eq!(*expected, decide(subject, around), "field {h}, numbers around {low}");
        assert!(expected[0] == 1 || low < 8);
    }
}
