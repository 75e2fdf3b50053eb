use hotloops::ising::sweep_blocks_f32::Function as FloatSweep;
use hotloops::ising::sweep_blocks_i8::Function as BlockSweep;
use hotloops::ising::sweep_blocks_i64::Function as FixedSweep;

use crate::harness::guard::{Guarded, Side};
use crate::harness::once;
use crate::harness::rng::Rng;

const BLOCK: usize = 64;

/// The streams of one block.
#[derive(Clone)]
struct Block {
    links: Vec<u32>,
    couplings: Vec<u8>,
    live: u64,
}

/// The arguments of a sweep of blocks, except the buffers that it writes.
struct Case {
    spins: Vec<u8>,
    /// Blocks before the pointer to the spins.
    lead: usize,
    /// The first visited block.
    first: usize,
    blocks: Vec<Block>,
    thresholds: Vec<i8>,
    levels: usize,
    random: Vec<u32>,
    side: Side,
    slack: usize,
    name: String,
}

impl Case {
    /// `links` draws how many diagonals and slots a block has; the magnitudes of a site sum to
    /// less than `16 levels`.
    fn new(seed: usize, count: usize, levels: usize, links: impl Fn(&mut Rng) -> [usize; 2]) -> Self {
        let mut rng = Rng(seed as u64);
        let (lead, first) = (rng.index(2), rng.index(3));
        let all = lead + first + count + rng.index(3) + 1;
        let max = (16 * levels - 1).min(127);
        let blocks = (0..count).map(|_| Block::new(&mut rng, [lead, all], max, &links)).collect();
        let spins = (0..BLOCK * all).map(|_| 0u8.wrapping_sub((rng.word() & 1) as u8)).collect();
        let thresholds = (0..256).map(|_| [rng.word() as i8, 127, -128][rng.index(8).saturating_sub(5)]).collect();
        let random = (0..32 * count).map(|_| rng.word() as u32).collect();
        let name = format!("seed {seed}, {count} blocks from {first} on, {levels} levels");
        Case { spins, lead, first, blocks, thresholds, levels, random, side: Side::End, slack: 0, name }
    }

    fn buffer<T: Copy>(&self, values: &[T], nth: usize) -> Guarded<T> {
        Guarded::new(values, self.side, if self.slack == 0 { 0 } else { (self.slack * (nth + 1) + nth / 3) % 64 })
    }

    /// Visits the blocks; returns the spins, the flips and the blocks where the kernel stopped, at
    /// which all spins are flipped.
    fn walk(&self, sweep: BlockSweep) -> (Vec<u8>, u64, Vec<usize>) {
        let mut spins = self.buffer(&self.spins, 0);
        let thresholds = self.buffer(&self.thresholds, 1);
        let mut flips = self.buffer(&[u64::MAX], 2);
        let (mut done, mut stops) = (0, Vec::new());
        loop {
            let rest = &self.blocks[done..];
            let links: Vec<u32> = rest.iter().flat_map(|block| block.links.clone()).collect();
            let couplings: Vec<u8> = rest.iter().flat_map(|block| block.couplings.clone()).collect();
            let (links, couplings) = (self.buffer(&links, 3), self.buffer(&couplings, 4));
            let random = self.buffer(&self.random[32 * done..], 5);
            // SAFETY: all bytes that the arguments refer to exist.
            let visited = unsafe {
                sweep(
                    spins.as_mut_ptr().add(BLOCK * self.lead),
                    self.first + done,
                    rest.len(),
                    links.as_ptr(),
                    couplings.as_ptr(),
                    thresholds.as_ptr(),
                    self.levels,
                    random.as_ptr(),
                    flips.as_mut_ptr(),
                )
            };
            done += visited;
            if visited == rest.len() {
                return (spins.to_vec(), flips.to_vec()[0], stops);
            }
            stops.push(done);
            let mut bytes = spins.to_vec();
            bytes[BLOCK * (self.lead + self.first + done)..][..BLOCK].iter_mut().for_each(|byte| *byte = !*byte);
            spins.set(&bytes);
            done += 1;
        }
    }
}

impl Block {
    /// The first `lead` of `all` blocks are before the pointer to the spins: only diagonals reach them.
    fn new(rng: &mut Rng, [lead, all]: [usize; 2], most: usize, links: impl Fn(&mut Rng) -> [usize; 2]) -> Self {
        let [diagonals, slots] = links(rng);
        let live = [u64::MAX, u64::MAX, u64::MAX >> rng.index(64), 1][rng.index(4)];
        let mut left = [most as i32; BLOCK];
        let mut first = [0u8; BLOCK];
        // A value that the magnitudes of the lane leave room for, more often small than large.
        let mut value = |rng: &mut Rng, lane: usize| {
            let bound = left[lane] >> rng.index(4);
            let value = rng.index(2 * bound as usize + 1) as i32 - bound;
            left[lane] -= value.abs();
            first[lane] = first[lane].wrapping_add(value as u8);
            value as u8
        };
        let mut words = vec![diagonals as u32, slots as u32, live as u32, (live >> 32) as u32];
        let mut lines = Vec::new();
        for _ in 0..diagonals {
            words.push((rng.index(BLOCK * all - BLOCK + 1) as u32).wrapping_sub((BLOCK * lead) as u32));
            let is_full = rng.index(2) == 0;
            lines.extend((0..BLOCK).map(|lane| match is_full || rng.index(3) == 0 {
                true => value(rng, lane).wrapping_mul(2),
                false => 0,
            }));
        }
        for _ in 0..slots {
            let lanes: Vec<usize> = match rng.index(3) {
                0 => (0..BLOCK).collect(),
                1 => vec![rng.index(BLOCK)],
                _ => (0..BLOCK).filter(|_| rng.index(3) == 0).collect(),
            };
            words.push(lanes.len() as u32);
            let mut line = [0; BLOCK];
            for &lane in &lanes {
                let position = rng.index(BLOCK * (all - lead));
                words.push(if lanes.len() == BLOCK { position } else { BLOCK * position + lane } as u32);
                line[lane] = value(rng, lane).wrapping_mul(2);
            }
            lines.extend(line);
        }
        // What is left is the field.
        for lane in 0..BLOCK {
            let _ = value(rng, lane);
        }
        Block { links: words, couplings: [&first[..], &lines].concat(), live }
    }
}

pub fn check(reference: BlockSweep, subject: BlockSweep) {
    let mut stopped = 0;
    let mut check = |case: Case| {
        let (expected, found) = (once(|| case.walk(reference)), case.walk(subject));
        let what = if expected.0 != found.0 { "spins" } else { "flips or stops" };
        assert!(*expected == found, "{what}: {}, {:?} {}", case.name, case.side, case.slack);
        stopped += expected.2.len();
    };

    // Every number of levels, with varied counts of diagonals and slots.
    for count in 0..48 {
        let levels = 1 + count % 8;
        check(Case::new(count, count, levels, |rng| [rng.index(9), rng.index(4)]));
        check(Case::new(100 + count, count, 1, |rng| [rng.index(7), 0]));
        check(Case::new(200 + count, count, levels, |rng| [0, rng.index(7)]));
    }
    check(Case::new(300, 3, 8, |rng| [500 + rng.index(500), 127]));
    // Entries beyond 2^16 positions.
    check(Case { ..Case::new(301, 1200, 2, |rng| [rng.index(3), rng.index(2)]) });

    // Every misalignment of every buffer, with a guard page on either side.
    for side in [Side::Start, Side::End] {
        for slack in 0..64 {
            let case = Case::new(400 + slack, 1 + slack % 5, 1 + slack % 8, |rng| [rng.index(6), rng.index(3)]);
            check(Case { side, slack, ..case });
        }
    }

    // Few values of upper and lower bytes: ties, and lower bytes that decide.
    for seed in 0..60 {
        let mut case = Case::new(500 + seed, 20, 1 + seed % 8, |rng| [rng.index(6), rng.index(2)]);
        let mut rng = Rng(seed as u64);
        let values = [rng.word() as u8, rng.word() as u8, 127, 128];
        let byte = |rng: &mut Rng| values[rng.index(4)];
        for (m, threshold) in case.thresholds.iter_mut().enumerate() {
            *threshold = if m < 128 { byte(&mut rng) } else { rng.index(16) as u8 } as i8;
        }
        for (at, word) in case.random.iter_mut().enumerate() {
            let mut draw = || if at % 32 < 16 { byte(&mut rng) } else { rng.index(16) as u8 };
            *word = u32::from_le_bytes(std::array::from_fn(|_| draw()));
        }
        check(case);
    }
    assert!(stopped > 100, "{stopped} stops");
}

/// The blocks of a case with other couplings.
pub fn check_floats(reference: FloatSweep, subject: FloatSweep) {
    let check = |case: &Case, seed: usize, beta: f32| {
        let mut rng = Rng(seed as u64);
        let value = |rng: &mut Rng| match rng.index(40) {
            0 => f32::from_bits(rng.word() as u32),
            1 => 0.0,
            _ => (rng.index(2001) as f32 - 1000.0) / 700.0,
        };
        // Lanes that meet no spin are 0 in the case.
        let lines = case.blocks.iter().flat_map(|block| &block.couplings);
        let couplings: Vec<f32> = lines.map(|&line| if line == 0 { 0.0 } else { value(&mut rng) }).collect();
        let links: Vec<u32> = case.blocks.iter().flat_map(|block| block.links.clone()).collect();
        let initial: Vec<f32> = case.spins.iter().map(|&spin| if spin == 0 { 1.0 } else { -1.0 }).collect();
        // Some equal the probability of a flip without a field.
        let word = |rng: &mut Rng| if rng.index(16) == 0 { 0xf000_0100 } else { rng.random() };
        let random: Vec<u32> = (0..BLOCK * case.blocks.len()).map(|_| word(&mut rng)).collect();
        let (links, couplings) = (case.buffer(&links, 3), case.buffer(&couplings, 4));
        let random = case.buffer(&random, 5);
        let run = |sweep: FloatSweep| {
            let (mut spins, mut flips) = (case.buffer(&initial, 0), case.buffer(&[u64::MAX], 2));
            // SAFETY: all values that the arguments refer to exist.
            unsafe {
                sweep(
                    spins.as_mut_ptr().add(BLOCK * case.lead),
                    case.first,
                    case.blocks.len(),
                    links.as_ptr(),
                    couplings.as_ptr(),
                    beta,
                    random.as_ptr(),
                    flips.as_mut_ptr(),
                );
            }
            (spins.to_vec(), flips.to_vec())
        };
        let (expected, found) = (once(|| run(reference)), run(subject));
        assert!(*expected == found, "{}, beta {beta}, {:?} {}", case.name, case.side, case.slack);
    };
    for count in 0..48 {
        let case = Case::new(count, count, 8, |rng| [rng.index(9), rng.index(4)]);
        check(&case, count, [0.3, 1.0, -0.7, 0.0][count % 4]);
        check(&Case::new(100 + count, count, 8, |rng| [rng.index(7), 0]), count, 2.0);
    }
    check(&Case::new(300, 3, 8, |rng| [500 + rng.index(500), 127]), 300, 0.1);
    // Entries beyond 2^16 positions.
    check(&Case::new(301, 1200, 8, |rng| [rng.index(3), rng.index(2)]), 301, 1.0);
    for side in [Side::Start, Side::End] {
        for slack in 0..64 {
            let case = Case::new(400 + slack, 1 + slack % 5, 8, |rng| [rng.index(6), rng.index(3)]);
            check(&Case { side, slack, ..case }, slack, 0.5);
        }
    }
    for (seed, beta) in [1e-30, 1e30, f32::MAX, f32::INFINITY, f32::NAN].into_iter().enumerate() {
        check(&Case::new(500 + seed, 20, 8, |rng| [rng.index(6), rng.index(2)]), seed, beta);
    }
}

/// The blocks of a case with couplings of 64 bits.
pub fn check_fixed(reference: FixedSweep, subject: FixedSweep) {
    let check = |case: &Case, seed: usize, beta: f64| {
        let mut rng = Rng(seed as u64);
        // Of all magnitudes, so that conversions round, cancel and wrap around.
        let value = |rng: &mut Rng| match rng.index(20) {
            0 => [i64::MIN, i64::MAX, 0, -1][rng.index(4)],
            _ => rng.word() as i64 >> rng.index(64),
        };
        let lines = case.blocks.iter().flat_map(|block| &block.couplings);
        let couplings: Vec<i64> = lines.map(|&line| if line == 0 { 0 } else { value(&mut rng) }).collect();
        let unit = |rng: &mut Rng| [1.0, 2f64.powi(-61), 2f64.powi(-30), 2f64.powi(-1021)][rng.index(4)];
        let units: Vec<f64> = (0..BLOCK * case.blocks.len()).map(|_| unit(&mut rng)).collect();
        let initial: Vec<i64> = case.spins.iter().map(|&spin| i64::from(spin as i8)).collect();
        let links: Vec<u32> = case.blocks.iter().flat_map(|block| block.links.clone()).collect();
        // Some equal the probability of a flip without a field.
        let word = |rng: &mut Rng| if rng.index(16) == 0 { 0xf000_0100 } else { rng.random() };
        let random: Vec<u32> = (0..BLOCK * case.blocks.len()).map(|_| word(&mut rng)).collect();
        let (links, couplings) = (case.buffer(&links, 3), case.buffer(&couplings, 4));
        let (units, random) = (case.buffer(&units, 1), case.buffer(&random, 5));
        let run = |sweep: FixedSweep| {
            let (mut spins, mut flips) = (case.buffer(&initial, 0), case.buffer(&[u64::MAX], 2));
            // SAFETY: all values that the arguments refer to exist.
            unsafe {
                sweep(
                    spins.as_mut_ptr().add(BLOCK * case.lead),
                    case.first,
                    case.blocks.len(),
                    links.as_ptr(),
                    couplings.as_ptr(),
                    units.as_ptr(),
                    beta,
                    random.as_ptr(),
                    flips.as_mut_ptr(),
                );
            }
            (spins.to_vec(), flips.to_vec())
        };
        let (expected, found) = (once(|| run(reference)), run(subject));
        assert!(*expected == found, "{}, beta {beta}, {:?} {}", case.name, case.side, case.slack);
    };
    for count in 0..48 {
        let case = Case::new(count, count, 8, |rng| [rng.index(9), rng.index(4)]);
        for beta in [0.3, 1e-9, -1e-18, 0.0] {
            check(&case, count, beta);
        }
    }
    check(&Case::new(300, 3, 8, |rng| [500 + rng.index(500), 127]), 300, 1e-18);
    // Entries beyond 2^16 positions.
    check(&Case::new(301, 1200, 8, |rng| [rng.index(3), rng.index(2)]), 301, 1e-18);
    for side in [Side::Start, Side::End] {
        for slack in 0..64 {
            let case = Case::new(400 + slack, 1 + slack % 5, 8, |rng| [rng.index(6), rng.index(3)]);
            check(&Case { side, slack, ..case }, slack, 1e-18);
        }
    }
    for (seed, beta) in [1e-300, 1e300, f64::MAX, f64::INFINITY, f64::NAN].into_iter().enumerate() {
        check(&Case::new(500 + seed, 20, 8, |rng| [rng.index(6), rng.index(2)]), seed, beta);
    }
}
