use hotloops::ising::scatter_fast_f32::Function as Scatter;
use hotloops::ising::sweep_fast_f32::Function as Gather;
use hotloops::ising::{LANES, Link};

use crate::harness::guard::{Guarded, Side};

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
    thresholds(reference, subject);
}

pub fn sweep_poly_f32(reference: Gather, subject: Gather) {
    cases(|case| gather(case, reference, subject));
    thresholds(reference, subject);
}

pub fn scatter_fast_f32(reference: Scatter, subject: Scatter) {
    cases(|case| scatter(case, reference, subject));
}

pub fn scatter_poly_f32(reference: Scatter, subject: Scatter) {
    cases(|case| scatter(case, reference, subject));
}

struct Dice(u64);

impl Dice {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn below(&mut self, bound: usize) -> usize {
        self.word() as usize % bound
    }

    fn rows<T>(&mut self, rows: usize, value: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..rows * LANES).map(|_| value(self)).collect()
    }

    fn spin(&mut self) -> f32 {
        if self.word() & 1 == 0 { 1.0 } else { -1.0 }
    }

    /// Numbers at the ends of the range more often than they come.
    fn random(&mut self) -> u32 {
        match self.below(16) {
            0 => self.below(600) as u32,
            1 => !(self.below(600) as u32),
            _ => self.word(),
        }
    }
}

/// What couplings and fields are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    /// Sums are exact in any order.
    Eighths,
    Sevenths,
    /// All magnitudes, infinities and NaNs among them.
    Wild,
}

impl Values {
    fn value(self, dice: &mut Dice) -> f32 {
        match self {
            Values::Eighths => (dice.below(15) as f32 - 7.0) / 8.0,
            Values::Sevenths => (dice.below(15) as f32 - 7.0) / 7.0,
            Values::Wild => f32::from_bits(match dice.below(6) {
                0 => dice.word() & 0x8000_0003 | 0x7f7f_fffe, // the largest, the infinities, NaNs
                1 => dice.word() & 0x8000_0007,               // the least
                _ => dice.word(),
            }),
        }
    }
}

/// The arguments of a call, but for the buffers that it writes.
struct Case {
    dice: Dice,
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
    /// Sites may be coupled to the one visited before them, and to themselves; a coupling may come twice.
    fn new(seed: usize, count: usize, degrees: impl Fn(&mut Dice) -> usize, values: Values) -> Self {
        let mut dice = Dice(seed as u64);
        let first = dice.below(4);
        let rows = first + count + dice.below(4) + 1;
        let mut links = Vec::new();
        for i in first..first + count {
            let degree = degrees(&mut dice);
            links.push(Link { word: degree as u32, value: values.value(&mut dice) });
            for _ in 0..degree {
                let row = match dice.below(8) {
                    0 => i.saturating_sub(1),
                    _ => dice.below(rows),
                };
                links.push(Link { word: ROW * row as u32, value: values.value(&mut dice) });
            }
        }
        let random = dice.rows(count, Dice::random);
        let flips = dice.rows(1, |dice| [dice.word(), u32::MAX, 0][dice.below(3)]);
        let name = format!("seed {seed}, {count} sites from {first} on, {values:?}");
        Case { dice, rows, first, count, links, random, flips, beta: (0.47, 0.4), side: Side::End, slack: 0, name }
    }

    fn buffer<T: Copy>(&self, values: &[T], nth: usize) -> Guarded<T> {
        Guarded::new(values, self.side, if self.slack == 0 { 0 } else { (self.slack * (nth + 1) + nth / 3) % 64 })
    }
}

fn cases(check: impl Fn(Case)) {
    // Every count, each with all sorts of degrees and values.
    for count in 0..70 {
        for (i, values) in [Values::Eighths, Values::Sevenths, Values::Wild].into_iter().enumerate() {
            check(Case::new(3 * count + i, count, |dice| dice.below(13), values));
            let degree = count % 13;
            check(Case::new(1000 + 3 * count + i, count, |_| degree, values));
        }
    }
    check(Case::new(2000, 7, |dice| 100 + dice.below(300), Values::Eighths));
    check(Case::new(2001, 500, |dice| dice.below(7), Values::Sevenths));

    // Every misalignment of every buffer, against a guard page on either side.
    for side in [Side::Start, Side::End] {
        for slack in 0..64 {
            let case = Case::new(3000 + slack, slack % 9, |dice| dice.below(8), Values::Eighths);
            check(Case { side, slack, ..case });
        }
    }

    // Temperatures of all magnitudes.
    for (i, &space) in BETAS.iter().enumerate() {
        for (j, &tau) in BETAS.iter().enumerate() {
            for values in [Values::Eighths, Values::Wild] {
                let case = Case::new(4000 + 16 * i + j, 6, |dice| dice.below(7), values);
                check(Case { beta: (space, tau), ..case });
            }
        }
    }
}

fn gather(mut case: Case, reference: Gather, subject: Gather) {
    let (below, above) = (case.dice.rows(case.count, Dice::spin), case.dice.rows(case.count, Dice::spin));
    let initial = case.dice.rows(case.rows, Dice::spin);
    let (links, random) = (case.buffer(&case.links, 0), case.buffer(&case.random, 1));
    let (below, above) = (case.buffer(&below, 2), case.buffer(&above, 3));
    let [expected, found] = [reference, subject].map(|sweep| {
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
    });
    assert!(expected == found, "{}, beta {:?}, {:?} {}", case.name, case.beta, case.side, case.slack);
}

fn scatter(mut case: Case, reference: Scatter, subject: Scatter) {
    let state = |dice: &mut Dice| 4.0 * dice.spin() + dice.spin() + dice.spin();
    let initial = case.dice.rows(case.rows, state);
    let fields = case.dice.rows(case.rows, |dice| Values::Sevenths.value(dice));
    let (below, above) = (case.dice.rows(case.count, state), case.dice.rows(case.count, |_| 0.0));
    let (links, random) = (case.buffer(&case.links, 0), case.buffer(&case.random, 1));
    let [expected, found] = [reference, subject].map(|sweep| {
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
    });
    assert!(expected == found, "{}, beta {:?}, {:?} {}", case.name, case.beta, case.side, case.slack);
}

/// NaNs are equal whatever their sign and payload, which the contract leaves open.
fn bits(values: &Guarded<f32>) -> Vec<u32> {
    values.to_vec().iter().map(|value| if value.is_nan() { !0 } else { value.to_bits() }).collect()
}

/// The least random number that is not accepted, for exponents of all magnitudes, found with the reference; the numbers
/// around it must be decided alike.
fn thresholds(reference: Gather, subject: Gather) {
    let mut dice = Dice(5000);
    for i in 0..400 {
        // One free spin: the exponent is proportional to its field.
        let h = if i < 200 { dice.word() as f32 / 2f32.powi(27) } else { (i - 200) as f32 * 0.01 };
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
        // Sixteen numbers at a time narrow the 2^24 possible ones down.
        let (mut low, mut step) = (0, 1 << 20);
        while step > 0 {
            let flips = decide(reference, std::array::from_fn(|k| (low + step * k as u32) << 8));
            let accepted = flips.iter().filter(|&&flip| flip == 1).count() as u32;
            low += step * accepted.saturating_sub(1);
            step /= 16;
        }
        let around =
            std::array::from_fn(|k| (low + k as u32).saturating_sub(8).min(0xff_ffff) << 8 | dice.word() & 0xff);
        let expected = decide(reference, around);
        assert_eq!(expected, decide(subject, around), "field {h}, numbers around {low}");
        assert!(expected[0] == 1 || low < 8);
    }
}
