use hotloops::ising::THRESHOLDS;
use hotloops::ising::sweep_i8::Function as ExactSweep;

use crate::harness::guard::{Guarded, Side};
use crate::harness::once;
use crate::harness::rng::Rng;

type Tabulate = fn(f64, f64) -> [u16; THRESHOLDS];

/// The arguments of an exact sweep, except the buffers that it writes.
struct ExactCase {
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

impl ExactCase {
    fn new(
        tabulate: Tabulate,
        seed: usize,
        sites: usize,
        degrees: impl Fn(&mut Rng) -> usize,
        exponents: (f64, f64),
    ) -> Self {
        let mut rng = Rng(seed as u64);
        let mut links = Vec::new();
        // Fields of 40 and 41 quanta have the smallest and the largest k of a compact table.
        let bound = [127, 40, 41, 42][rng.index(4)];
        for _ in 0..sites {
            // The magnitudes sum to at most `bound`.
            let degree = degrees(&mut rng);
            let most = bound / (degree + 1) as i32;
            let mut value = || rng.index(2 * most as usize + 1) as i32 - most;
            let couplings: Vec<i32> = (0..degree).map(|_| value()).collect();
            let sum = value() + couplings.iter().sum::<i32>();
            links.push((sum >> 1) as u32 & 0xff | (degree as u32) << 8 | (sum as u32 & 1) << 16);
            // Sites may be coupled to themselves, and a coupling may occur twice.
            links.extend(couplings.iter().map(|&coupling| (rng.index(sites) as u32) << 8 | coupling as u32 & 0xff));
        }
        let mut words = |count| (0..count).map(|_| rng.word()).collect();
        let (below, above, spins) = (words(sites), words(sites), words(sites));
        let mut thresholds = tabulate(exponents.0, exponents.1);
        // The bound may be left out.
        let given = if rng.index(4) == 0 { 0 } else { bound as u16 % 127 };
        (thresholds[428], thresholds[860]) = (given, given);
        let random = (0..32 * sites).map(|_| rng.random()).collect();
        let live = [u64::MAX, u64::MAX >> rng.index(64), 1][rng.index(3)];
        let name = format!("seed {seed}, {sites} sites, exponents {exponents:?}, live {live:#x}");
        let (step, side, slack) = (sites, Side::End, 0);
        ExactCase { sites, links, below, above, spins, thresholds, random, live, step, side, slack, name }
    }

    fn buffer<T: Copy>(&self, values: &[T], nth: usize) -> Guarded<T> {
        Guarded::new(values, self.side, if self.slack == 0 { 0 } else { (self.slack * (nth + 1) + nth / 3) % 64 })
    }

    /// The threshold of a spin in the initial configuration.
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

    /// Sweeps the group. Returns the spins, the flips and the sites where the kernel stopped; at
    /// those sites all lanes are flipped.
    fn walk(&self, sweep: ExactSweep) -> (Vec<u64>, u64, Vec<usize>) {
        let (mut spins, mut bytes) = (self.buffer(&self.spins, 0), self.buffer(&vec![0x3cu8; 64 * self.sites], 1));
        let thresholds = self.buffer(&self.thresholds, 2);
        let mut flips = self.buffer(&[u64::MAX], 3);
        let (mut done, mut link, mut stops) = (0, 0, Vec::new());
        while done < self.sites {
            let count = self.step.min(self.sites - done);
            let degree = |header: usize| (self.links[header] >> 8 & 0xff) as usize;
            let end = (0..count).fold(link, |header, _| header + 1 + degree(header));
            // Only the sites of this call are accessible.
            let links = self.buffer(&self.links[link..end], 4);
            let [below, above] = [&self.below, &self.above].map(|words| self.buffer(&words[done..done + count], 5));
            let random = self.buffer(&self.random[32 * done..32 * (done + count)], 6);
            // SAFETY: all rows that the arguments refer to exist.
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

/// Without sites no memory is accessed.
fn check_no_sites(subject: ExactSweep) {
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
}

pub fn check(tabulate: Tabulate, reference: ExactSweep, subject: ExactSweep) {
    let mut stopped = 0;
    let mut check = |case: ExactCase| {
        let (expected, found) = (once(|| case.walk(reference)), case.walk(subject));
        let what = if expected.0 != found.0 { "spins" } else { "flips or stops" };
        assert!(*expected == found, "{what}: {}, {:?} {}", case.name, case.side, case.slack);
        stopped += expected.2.len();
    };
    check_no_sites(subject);

    // Every count, with varied degrees and temperatures.
    let exponents = |i: usize| (0.4f64.powi((i % 11) as i32 - 1), [0.0, 0.3, -0.8, 2.5, 11.0][i % 5]);
    for sites in 1..70 {
        check(ExactCase::new(tabulate, sites, sites, |rng| rng.index(9), exponents(sites)));
        let degree = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 25, 126, 127][sites % 13];
        check(ExactCase::new(tabulate, 1000 + sites, sites, |_| degree, exponents(sites + 3)));
    }
    for (seed, step) in [(2000, 1), (2001, 7), (2002, 32), (2003, 200)] {
        check(ExactCase { step, ..ExactCase::new(tabulate, seed, 200, |rng| rng.index(7), (0.05, 0.7)) });
    }
    let many = ExactCase::new(tabulate, 2004, 65_541, |rng| rng.index(3), (0.05, 0.7));
    check(ExactCase { step: 65_537, live: 1, ..many });
    let extremes = [0.0, 1e-300, 1e-6, 1e-3, 0.02, 0.2, 1.0, 30.0, 1e9, 1e300];
    for (i, space) in extremes.into_iter().enumerate() {
        for (j, tau) in extremes.into_iter().flat_map(|tau| [tau, -tau]).enumerate() {
            check(ExactCase::new(tabulate, 3000 + 20 * i + j, 6, |rng| rng.index(7), (space, tau)));
        }
    }

    // Every misalignment of every buffer, with a guard page on either side.
    for side in [Side::Start, Side::End] {
        for slack in 0..64 {
            let case = ExactCase::new(tabulate, 4000 + slack, 1 + slack % 9, |rng| rng.index(8), (0.1, 0.5));
            check(ExactCase { side, slack, step: 4, ..case });
        }
    }

    // Random numbers at the thresholds and next to them, which decide whether a site stops.
    for (seed, exponents) in [(0.03, 0.2), (0.2, -0.6), (0.001, 0.01), (0.0, 0.0), (3.0, 9.0)].into_iter().enumerate() {
        for round in 0..40 {
            let mut case = ExactCase::new(tabulate, 5000 + 100 * seed + round, 24, |rng| 1 + rng.index(7), exponents);
            let mut rng = Rng(round as u64);
            let mut header = 0;
            for site in 0..24 {
                let degree = (case.links[header] >> 8 & 0xff) as usize;
                // Link to the last site only: its spins do not change before they are read.
                case.links[header + 1..=header + degree].iter_mut().for_each(|link| *link = *link & 0xff | 23 << 8);
                for lane in 0..64 {
                    let number = case.threshold(site, header, lane).wrapping_add_signed(rng.index(11) as i16 - 5);
                    // Only a few lanes stop, so that some sites are updated.
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
