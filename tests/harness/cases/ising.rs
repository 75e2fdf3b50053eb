use hotloops::ising::scatter_fast_f32::Function as Scatter;
use hotloops::ising::sweep_fast_f32::Function as Gather;
use hotloops::ising::sweep_i8::Function as Bytewise;
use hotloops::ising::{LANES, Link, THRESHOLDS, heat_thresholds, thresholds};

use crate::harness::guard::{Guarded, Side};
use crate::harness::rng::Rng;

type Tabulate = fn(f64, f64) -> [u16; THRESHOLDS];

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

impl Rng {
    fn rows<T>(&mut self, rows: usize, value: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..rows * LANES).map(|_| value(self)).collect()
    }

    fn spin(&mut self) -> f32 {
        if (self.word() as u32) & 1 == 0 { 1.0 } else { -1.0 }
    }

    /// Numbers at the ends of the range more often than they come.
    fn random(&mut self) -> u32 {
        match self.index(16) {
            0 => self.index(600) as u32,
            1 => !(self.index(600) as u32),
            _ => self.word() as u32,
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
    fn value(self, rng: &mut Rng) -> f32 {
        match self {
            Values::Eighths => (rng.index(15) as f32 - 7.0) / 8.0,
            Values::Sevenths => (rng.index(15) as f32 - 7.0) / 7.0,
            Values::Wild => f32::from_bits(match rng.index(6) {
                0 => (rng.word() as u32) & 0x8000_0003 | 0x7f7f_fffe, // the largest, the infinities, NaNs
                1 => (rng.word() as u32) & 0x8000_0007,               // the least
                _ => rng.word() as u32,
            }),
        }
    }
}

/// The arguments of a call, but for the buffers that it writes.
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
    /// Sites may be coupled to the one visited before them, and to themselves; a coupling may come twice.
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
    // Every count, each with all sorts of degrees and values.
    for count in 0..70 {
        for (i, values) in [Values::Eighths, Values::Sevenths, Values::Wild].into_iter().enumerate() {
            check(Case::new(3 * count + i, count, |rng| rng.index(13), values));
            let degree = count % 13;
            check(Case::new(1000 + 3 * count + i, count, |_| degree, values));
        }
    }
    check(Case::new(2000, 7, |rng| 100 + rng.index(300), Values::Eighths));
    check(Case::new(2001, 500, |rng| rng.index(7), Values::Sevenths));
    // More sites than 16 bits hold, and a first one beyond them.
    check(Case::new(2002, 65_541, |rng| rng.index(3), Values::Sevenths));
    check(Case { first: 65_541, rows: 65_600, ..Case::new(2003, 20, |rng| rng.index(7), Values::Sevenths) });

    // Every misalignment of every buffer, against a guard page on either side; then of each of the seven alone.
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
    let state = |rng: &mut Rng| 4.0 * rng.spin() + rng.spin() + rng.spin();
    let initial = case.rng.rows(case.rows, state);
    let fields = case.rng.rows(case.rows, |rng| Values::Sevenths.value(rng));
    let (below, above) = (case.rng.rows(case.count, state), case.rng.rows(case.count, |_| 0.0));
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
fn boundaries(reference: Gather, subject: Gather) {
    let mut rng = Rng(5000);
    for i in 0..800 {
        // One free spin: the exponent is proportional to its field, of which small ones and negative ones are some.
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
        // Sixteen numbers at a time narrow the 2^24 possible ones down.
        let (mut low, mut step) = (0, 1 << 20);
        while step > 0 {
            let flips = decide(reference, std::array::from_fn(|k| (low + step * k as u32) << 8));
            let accepted = flips.iter().filter(|&&flip| flip == 1).count() as u32;
            low += step * accepted.saturating_sub(1);
            step /= 16;
        }
        let around = std::array::from_fn(|k| {
            (low + k as u32).saturating_sub(8).min(0xff_ffff) << 8 | (rng.word() as u32) & 0xff
        });
        let expected = decide(reference, around);
        assert_eq!(expected, decide(subject, around), "field {h}, numbers around {low}");
        assert!(expected[0] == 1 || low < 8);
    }
}

/// What a call of the exact sweep is given, but for the buffers that it writes.
struct ByteCase {
    sites: usize,
    /// A link stream for all sites.
    links: Vec<u32>,
    below: Vec<u64>,
    above: Vec<u64>,
    spins: Vec<u64>,
    thresholds: [u16; THRESHOLDS],
    random: Vec<u32>,
    live: u64,
    /// Sites for each call.
    step: usize,
    side: Side,
    slack: usize,
    name: String,
}

impl ByteCase {
    fn new(
        tabulate: Tabulate,
        seed: usize,
        sites: usize,
        degrees: impl Fn(&mut Rng) -> usize,
        exponents: (f64, f64),
    ) -> Self {
        let mut rng = Rng(seed as u64);
        let mut links = Vec::new();
        for _ in 0..sites {
            // The magnitudes add up to 127 at most.
            let degree = degrees(&mut rng);
            let most = 127 / (degree + 1) as i32;
            let mut value = || rng.index(2 * most as usize + 1) as i32 - most;
            let couplings: Vec<i32> = (0..degree).map(|_| value()).collect();
            let sum = value() + couplings.iter().sum::<i32>();
            links.push((sum >> 1) as u32 & 0xff | (degree as u32) << 8 | (sum as u32 & 1) << 16);
            // Sites may be coupled to themselves; a coupling may come twice.
            links.extend(couplings.iter().map(|&coupling| (rng.index(sites) as u32) << 8 | coupling as u32 & 0xff));
        }
        let mut words = |count| (0..count).map(|_| rng.word()).collect();
        let (below, above, spins) = (words(sites), words(sites), words(sites));
        let thresholds = tabulate(exponents.0, exponents.1);
        let random = (0..32 * sites).map(|_| rng.random()).collect();
        let live = [u64::MAX, 0xffff, 3, 1, u64::MAX][rng.index(5)];
        let name = format!("seed {seed}, {sites} sites, exponents {exponents:?}, live {live:#x}");
        let (step, side, slack) = (sites, Side::End, 0);
        ByteCase { sites, links, below, above, spins, thresholds, random, live, step, side, slack, name }
    }

    fn buffer<T: Copy>(&self, values: &[T], nth: usize) -> Guarded<T> {
        Guarded::new(values, self.side, if self.slack == 0 { 0 } else { (self.slack * (nth + 1) + nth / 3) % 64 })
    }

    /// The threshold of a spin in the spins of the beginning.
    fn threshold(&self, site: usize, header: usize, lane: usize) -> u16 {
        let down = |word: u64| (word >> lane & 1) as i32;
        let (word, parity) = (self.links[header], self.links[header] >> 16 & 1);
        let neighbours = &self.links[header + 1..][..(word >> 8 & 0xff) as usize];
        let sum: i32 = neighbours.iter().map(|&j| i32::from(j as i8) * down(self.spins[(j >> 8) as usize])).sum();
        let v = i32::from(word as i8) - sum;
        let k = if down(self.spins[site]) == 0 { v } else { -v - parity as i32 };
        let c = down(self.spins[site] ^ self.below[site]) + down(self.spins[site] ^ self.above[site]);
        self.thresholds[432 * parity as usize + 128 * c as usize + (k & 127) as usize]
    }

    /// The spins and the flips after a walk over the group, and where it stopped: such sites are turned in all lanes.
    fn walk(&self, sweep: Bytewise) -> (Vec<u64>, u64, Vec<usize>) {
        let (mut spins, mut bytes) = (self.buffer(&self.spins, 0), self.buffer(&vec![0x3cu8; 64 * self.sites], 1));
        let thresholds = self.buffer(&self.thresholds, 2);
        let mut flips = self.buffer(&[u64::MAX], 3);
        let (mut done, mut link, mut stops) = (0, 0, Vec::new());
        while done < self.sites {
            let count = self.step.min(self.sites - done);
            let degree = |header: usize| (self.links[header] >> 8 & 0xff) as usize;
            let end = (0..count).fold(link, |header, _| header + 1 + degree(header));
            // Nothing beyond the sites of the call can be touched.
            let links = self.buffer(&self.links[link..end], 4);
            let [below, above] = [&self.below, &self.above].map(|words| self.buffer(&words[done..done + count], 5));
            let random = self.buffer(&self.random[32 * done..32 * (done + count)], 6);
            // SAFETY: all rows that the arguments speak of are there.
            let visited = unsafe {
                sweep(
                    spins.as_mut_ptr(),
                    bytes.as_mut_ptr(),
                    self.sites,
                    done,
                    count,
                    below.as_ptr(),
                    above.as_ptr(),
                    links.as_ptr(),
                    thresholds.as_ptr(),
                    random.as_ptr(),
                    self.live,
                    flips.as_mut_ptr(),
                )
            };
            assert!(visited <= count);
            done += visited;
            link = (0..visited).fold(link, |header, _| header + 1 + degree(header));
            if visited < count {
                stops.push(done);
                let mut words = spins.to_vec();
                words[done] = !words[done];
                let mut lines = bytes.to_vec();
                let bits = (0..64).map(|lane| 0u8.wrapping_sub((words[done] >> lane & 1) as u8));
                lines.splice(64 * done..64 * done + 64, bits);
                spins.set(&words);
                bytes.set(&lines);
                link += 1 + degree(link);
                done += 1;
            }
        }
        (spins.to_vec(), flips.to_vec()[0], stops)
    }
}

pub fn sweep_i8(reference: Bytewise, subject: Bytewise) {
    bytewise(thresholds, reference, subject);
}

pub fn sweep_heat_i8(reference: Bytewise, subject: Bytewise) {
    bytewise(heat_thresholds, reference, subject);
}

fn bytewise(tabulate: Tabulate, reference: Bytewise, subject: Bytewise) {
    let mut stopped = 0;
    let mut check = |case: ByteCase| {
        let (expected, found) = (case.walk(reference), case.walk(subject));
        let what = if expected.0 != found.0 { "spins" } else { "flips or stops" };
        assert!(expected == found, "{what}: {}, {:?} {}", case.name, case.side, case.slack);
        stopped += expected.2.len();
    };
    // No site: nothing is touched, and nothing is read.
    let nothing = std::ptr::dangling_mut::<u64>();
    // SAFETY: a group without sites.
    let visited = unsafe {
        subject(
            nothing,
            nothing.cast(),
            0,
            0,
            0,
            nothing,
            nothing,
            nothing.cast(),
            nothing.cast(),
            nothing.cast(),
            1,
            nothing,
        )
    };
    assert_eq!(visited, 0);

    // Every count, with degrees and temperatures of all sorts.
    let exponents = |i: usize| (0.4f64.powi((i % 11) as i32 - 1), [0.0, 0.3, -0.8, 2.5, 11.0][i % 5]);
    for sites in 1..70 {
        check(ByteCase::new(tabulate, sites, sites, |rng| rng.index(9), exponents(sites)));
        let degree = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 25, 126, 127][sites % 13];
        check(ByteCase::new(tabulate, 1000 + sites, sites, |_| degree, exponents(sites + 3)));
    }
    for (seed, step) in [(2000, 1), (2001, 7), (2002, 32), (2003, 200)] {
        check(ByteCase { step, ..ByteCase::new(tabulate, seed, 200, |rng| rng.index(7), (0.05, 0.7)) });
    }
    let many = ByteCase::new(tabulate, 2004, 65_541, |rng| rng.index(3), (0.05, 0.7));
    check(ByteCase { step: 65_537, live: 1, ..many });
    let extremes = [0.0, 1e-300, 1e-6, 1e-3, 0.02, 0.2, 1.0, 30.0, 1e9, 1e300];
    for (i, space) in extremes.into_iter().enumerate() {
        for (j, tau) in extremes.into_iter().flat_map(|tau| [tau, -tau]).enumerate() {
            check(ByteCase::new(tabulate, 3000 + 20 * i + j, 6, |rng| rng.index(7), (space, tau)));
        }
    }

    // Every misalignment of every buffer, against a guard page on either side.
    for side in [Side::Start, Side::End] {
        for slack in 0..64 {
            let case = ByteCase::new(tabulate, 4000 + slack, 1 + slack % 9, |rng| rng.index(8), (0.1, 0.5));
            check(ByteCase { side, slack, step: 4, ..case });
        }
    }

    // Random numbers at the thresholds and beside them, where a site stops or just not.
    for (seed, exponents) in [(0.03, 0.2), (0.2, -0.6), (0.001, 0.01), (0.0, 0.0), (3.0, 9.0)].into_iter().enumerate() {
        for round in 0..40 {
            let mut case = ByteCase::new(tabulate, 5000 + 100 * seed + round, 24, |rng| 1 + rng.index(7), exponents);
            let mut rng = Rng(round as u64);
            let mut header = 0;
            for site in 0..24 {
                let degree = (case.links[header] >> 8 & 0xff) as usize;
                // Spins that do not change before they are looked at: those of the last site.
                case.links[header + 1..=header + degree].iter_mut().for_each(|link| *link = *link & 0xff | 23 << 8);
                for lane in 0..64 {
                    let number = case.threshold(site, header, lane).wrapping_add_signed(rng.index(11) as i16 - 5);
                    // Few lanes, so that sites are also visited.
                    let number = if rng.index(40) == 0 { number } else { number ^ 0x8000 };
                    for (vector, &byte) in number.to_be_bytes().iter().enumerate() {
                        let (word, shift) = (&mut case.random[32 * site + 16 * vector + lane / 4], 8 * (lane % 4));
                        *word = *word & !(0xff << shift) | u32::from(byte) << shift;
                    }
                }
                header += 1 + degree;
            }
            check(case);
        }
    }
    assert!(stopped > 300, "{stopped} stops");
}
