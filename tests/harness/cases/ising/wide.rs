use hotloops::ising::sweep_i16::Function as WideSweep;
use hotloops::ising::{FACTORS, WideLink};

use crate::harness::guard::{Guarded, Side};
use crate::harness::once;
use crate::harness::rng::Rng;

type Tabulate = fn(f64, f64) -> [u16; FACTORS];

const LANES: usize = 32;

/// The arguments of a sweep, except the buffers that it writes.
struct WideCase {
    sites: usize,
    /// A link stream for all sites.
    links: Vec<WideLink>,
    below: Vec<i16>,
    above: Vec<i16>,
    spins: Vec<i16>,
    factors: [u16; FACTORS],
    random: Vec<u32>,
    live: u32,
    /// Sites for each call.
    step: usize,
    side: Side,
    slack: usize,
    name: String,
}

impl WideCase {
    fn new(
        factors: [u16; FACTORS],
        seed: usize,
        sites: usize,
        degrees: impl Fn(&mut Rng) -> usize,
        limit: usize,
    ) -> Self {
        let mut rng = Rng(seed as u64);
        let both = |value: i32| value as u32 & 0xffff | (value as u32) << 16;
        let mut links = Vec::new();
        for _ in 0..sites {
            // The magnitudes sum to at most `limit`.
            let degree = degrees(&mut rng);
            let most = limit / (degree + 1);
            let mut value = || rng.index(2 * most + 1) as i32 - most as i32;
            let couplings: Vec<i32> = (0..degree).map(|_| value()).collect();
            let sum = value() + couplings.iter().sum::<i32>();
            links.push(WideLink { word: degree as u32, pair: both(sum) });
            // Sites may be coupled to themselves, and a coupling may occur twice.
            links.extend(
                couplings.iter().map(|&value| WideLink { word: 64 * rng.index(sites) as u32, pair: both(2 * value) }),
            );
        }
        let mut rows = |count| (0..LANES * count).map(|_| -((rng.word() & 1) as i16)).collect();
        let (below, above, spins) = (rows(sites), rows(sites), rows(sites));
        let random = (0..16 * sites).map(|_| rng.random()).collect();
        let live = [u32::MAX, u32::MAX >> rng.index(32), 1][rng.index(3)];
        let name = format!("seed {seed}, {sites} sites, limit {limit}, live {live:#x}");
        let (step, side, slack) = (sites, Side::End, 0);
        WideCase { sites, links, below, above, spins, factors, random, live, step, side, slack, name }
    }

    fn buffer<T: Copy>(&self, values: &[T], nth: usize) -> Guarded<T> {
        Guarded::new(values, self.side, if self.slack == 0 { 0 } else { (self.slack * (nth + 1) + nth / 3) % 64 })
    }

    /// Sweeps the group. Returns the spins, the flips, and the sites and lanes in doubt, which are
    /// flipped.
    fn walk(&self, sweep: WideSweep) -> (Vec<i16>, u64, Vec<(usize, u32)>) {
        let mut spins = self.buffer(&self.spins, 0);
        let factors = self.buffer(&self.factors, 1);
        let (mut flips, mut doubt) = (self.buffer(&[u64::MAX], 2), self.buffer(&[u32::MAX], 3));
        let (mut done, mut link, mut stops) = (0, 0, Vec::new());
        while done < self.sites {
            let count = self.step.min(self.sites - done);
            let next = |header: usize, _| header + 1 + self.links[header].word as usize;
            // Only the sites of this call are accessible.
            let links = self.buffer(&self.links[link..(0..count).fold(link, next)], 4);
            let rows = LANES * done..LANES * (done + count);
            let [below, above] = [&self.below, &self.above].map(|words| self.buffer(&words[rows.clone()], 5));
            let random = self.buffer(&self.random[16 * done..16 * (done + count)], 6);
            // SAFETY: all rows that the arguments refer to exist.
            let visited = unsafe {
                sweep(
                    spins.as_mut_ptr(),
                    done,
                    count,
                    below.as_ptr(),
                    above.as_ptr(),
                    links.as_ptr(),
                    factors.as_ptr(),
                    random.as_ptr(),
                    self.live,
                    flips.as_mut_ptr(),
                    doubt.as_mut_ptr(),
                )
            };
            let open = doubt.to_vec()[0];
            assert!((1..=count).contains(&visited) && (visited == count || open != 0) && open & !self.live == 0);
            done += visited;
            link = (0..visited).fold(link, next);
            if open != 0 {
                stops.push((done - 1, open));
                let mut words = spins.to_vec();
                let row = &mut words[LANES * (done - 1)..];
                (0..LANES).filter(|lane| open >> lane & 1 == 1).for_each(|lane| row[lane] = !row[lane]);
                spins.set(&words);
            }
        }
        (spins.to_vec(), flips.to_vec()[0], stops)
    }
}

/// Without sites only `doubt` is written.
fn check_no_sites(subject: WideSweep) {
    let (nothing, mut doubt) = (std::ptr::dangling_mut::<u64>(), 7);
    // SAFETY: a group without sites.
    let visited = unsafe {
        subject(
            nothing.cast(),
            0,
            0,
            nothing.cast(),
            nothing.cast(),
            nothing.cast(),
            nothing.cast(),
            nothing.cast(),
            1,
            nothing,
            &mut doubt,
        )
    };
    assert_eq!((visited, doubt), (0, 0));
}

pub fn check(tabulate: Tabulate, reference: WideSweep, subject: WideSweep) {
    let mut stopped = 0;
    let mut check = |case: WideCase| {
        let (expected, found) = (once(|| case.walk(reference)), case.walk(subject));
        let what = if expected.0 != found.0 { "spins" } else { "flips or stops" };
        assert!(*expected == found, "{what}: {}, {:?} {}", case.name, case.side, case.slack);
        stopped += expected.2.len();
    };
    check_no_sites(subject);

    // Every count, with varied degrees, magnitudes and temperatures.
    let limits = [127, 1000, 8191, 32_766];
    let factors = |i: usize, limit: usize| {
        tabulate(30.0 * 0.4f64.powi((i % 7) as i32) / limit as f64, [0.0, 0.3, -0.8, 2.5, 11.0][i % 5])
    };
    for sites in 1..70 {
        let limit = limits[sites % 4];
        check(WideCase::new(factors(sites, limit), sites, sites, |rng| rng.index(9), limit));
        let degree = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 25, 126, 127][sites % 13];
        check(WideCase::new(factors(sites + 3, limit), 1000 + sites, sites, |_| degree, limit));
    }
    for (seed, step) in [(2000, 1), (2001, 7), (2002, 32), (2003, 200)] {
        check(WideCase { step, ..WideCase::new(tabulate(0.005, 0.7), seed, 200, |rng| rng.index(7), 1270) });
    }
    let extremes = [0.0, 1e-300, 1e-6, 1e-4, 0.003, 0.2, 1.0, 30.0, 1e9, 1e300];
    for (i, space) in extremes.into_iter().enumerate() {
        for (j, tau) in extremes.into_iter().flat_map(|tau| [tau, -tau]).enumerate() {
            check(WideCase::new(tabulate(space, tau), 3000 + 20 * i + j, 6, |rng| rng.index(7), limits[j % 4]));
        }
    }

    // Every misalignment of every buffer, with a guard page on either side.
    for side in [Side::Start, Side::End] {
        for slack in 0..64 {
            let case = WideCase::new(tabulate(0.003, 0.5), 4000 + slack, 1 + slack % 9, |rng| rng.index(8), 5000);
            check(WideCase { side, slack, step: 4, ..case });
        }
    }

    // Arbitrary factors and fields: all sums and differences wrap alike.
    for seed in 5000..5200 {
        let mut rng = Rng(seed as u64);
        let factors = std::array::from_fn(|_| rng.word() as u16 | [0, 0xff00, u16::MAX][rng.index(3)]);
        let mut case = WideCase::new(factors, seed, 12, |rng| rng.index(6), 32_766);
        case.links.iter_mut().for_each(|link| link.pair = (rng.word() as u16 as u32) * 0x1_0001);
        check(case);
    }

    // Random numbers at the products, which decide whether a lane is in doubt.
    for seed in 6000..6200 {
        let mut rng = Rng(seed as u64);
        let mut case = WideCase::new(tabulate(0.0, 0.4), seed, 12, |rng| rng.index(6), 32_766);
        let odds = u32::from(case.factors[68 + rng.index(3)]);
        let tau = [odds, (odds << 16) / (odds + (1 << 16))][rng.index(2)] as u16;
        for number in &mut case.random {
            let mut half = || u32::from(tau.wrapping_add(rng.index(40) as u16).wrapping_sub(25));
            *number = match half() {
                low if low % 3 == 0 => *number,
                low => low | half() << 16,
            };
        }
        check(case);
    }
    assert!(stopped > 1000, "{stopped} stops");
}
