//! Sweeps of bits, on random graphs with random codes.

use hotloops::ising::sweep_bits::Function;

use crate::harness::guard::{Guarded, Side};
use crate::harness::once;
use crate::harness::rng::Rng;

/// Words of a row, and of a random plane.
const ROW: usize = 8;
const CODES: usize = 48 * 9;

/// The planes of a case.
#[derive(Clone, Copy)]
enum Planes {
    Random,
    /// Half of the bits are 0 in all planes: with codes of 0 they are never decided.
    HalfZero,
}

struct Case {
    first: usize,
    /// Words of `links` before each block, and all of them.
    starts: Vec<usize>,
    links: Vec<u32>,
    spins: Vec<u64>,
    signs: Vec<u64>,
    codes: Vec<u8>,
    random: Vec<u64>,
    live: Vec<u64>,
    side: Side,
    slack: usize,
    name: String,
}

impl Case {
    fn new(seed: u64, blocks: usize, shape: impl Fn(&mut Rng) -> (usize, usize), planes: Planes) -> Self {
        let mut rng = Rng(seed);
        let (first, signs) = (rng.index(3), 1 + rng.index(5));
        let shapes: Vec<_> = (0..blocks).map(|_| shape(&mut rng)).collect();
        let sites: usize = shapes.iter().map(|shape| shape.0).sum();
        let rows = first + sites + 1 + rng.index(3);
        let (mut links, mut starts, mut row) = (Vec::new(), Vec::new(), first);
        for &(count, degree) in &shapes {
            starts.push(links.len());
            links.push(count as u32 | (degree as u32) << 8);
            for _ in 0..count * degree {
                // Any row outside the block; a coupling may occur twice.
                let other = rng.index(rows - count);
                links.push(if other < row { other } else { other + count } as u32);
                links.push(rng.index(signs) as u32);
            }
            row += count;
        }
        starts.push(links.len());
        let mut words = |rows: usize| (0..rows * ROW).map(|_| rng.word()).collect::<Vec<_>>();
        let (spins, signs, mut random) = (words(rows), words(signs), words(14 * sites + 200));
        if let Planes::HalfZero = planes {
            random.iter_mut().for_each(|word| *word &= 0xffff_0000_00ff_ff00);
        }
        let mut code = |index: usize| match planes {
            Planes::Random => rng.word() as u8 & ((1 << (index / 48).div_ceil(2)) - 1),
            Planes::HalfZero => 0,
        };
        let codes = (0..CODES).map(&mut code).collect();
        let mut live = vec![0; ROW];
        match rng.index(4) {
            0 => live.fill(u64::MAX),
            1 => live[rng.index(ROW)] = 1 << rng.index(64),
            _ => live.iter_mut().for_each(|word| *word = rng.word() | rng.word()),
        }
        let name = format!("seed {seed}, {blocks} blocks, {sites} sites from {first} on");
        Case { first, starts, links, spins, signs, codes, random, live, side: Side::End, slack: 0, name }
    }

    fn buffer<T: Copy>(&self, values: &[T], nth: usize) -> Guarded<T> {
        Guarded::new(values, self.side, if self.slack == 0 { 0 } else { (self.slack * (nth + 1) + nth / 3) % 64 })
    }

    /// One call for the blocks from `begin` to `end`, with `planes` planes: the spins after it, the
    /// visited blocks, the used planes and the flips.
    fn call(&self, sweep: Function, begin: usize, end: usize, planes: usize) -> (Vec<u64>, usize, usize, u64) {
        let links = self.buffer(&self.links[self.starts[begin]..self.starts[end]], 0);
        let (mut spins, signs, codes) =
            (self.buffer(&self.spins, 1), self.buffer(&self.signs, 2), self.buffer(&self.codes, 3));
        let random = self.buffer(&self.random[..ROW * planes], 4);
        let live = self.buffer(&self.live, 5);
        let (mut used, mut flips) = (self.buffer(&[planes], 6), self.buffer(&[u64::MAX - 3], 7));
        let counts = self.starts[..begin].iter().map(|&start| (self.links[start] & 0xff) as usize);
        // SAFETY: all rows that the arguments refer to exist.
        let visited = unsafe {
            sweep(
                spins.as_mut_ptr(),
                self.first + counts.sum::<usize>(),
                end - begin,
                links.as_ptr(),
                signs.as_ptr(),
                codes.as_ptr(),
                random.as_ptr().cast(),
                used.as_mut_ptr(),
                live.as_ptr(),
                flips.as_mut_ptr(),
            )
        };
        (spins.to_vec(), visited, used.to_vec()[0], flips.to_vec()[0])
    }
}

pub fn check(reference: Function, subject: Function) {
    let mut stopped = 0;
    let mut check = |case: &Case, begin: usize, end: usize, planes: usize| {
        let planes = planes.min(case.random.len() / ROW);
        let expected = once(|| case.call(reference, begin, end, planes));
        let found = case.call(subject, begin, end, planes);
        let what = if expected.0 != found.0 { "spins" } else { "blocks, planes or flips" };
        assert!(*expected == found, "{what}: {}, {planes} planes, {:?} {}", case.name, case.side, case.slack);
        stopped += usize::from(expected.1 < end - begin);
        expected.2
    };
    let all = |case: &Case| case.random.len() / ROW;

    // Every degree and number of sites, alone and mixed; the number of planes at which a block just
    // fits, and those around it.
    for (count, degree) in (1..=8).flat_map(|count| (0..=8).map(move |degree| (count, degree))) {
        for planes in [Planes::Random, Planes::HalfZero] {
            let case = Case::new((16 * count + degree) as u64, 2, |_| (count, degree), planes);
            let used = check(&case, 0, 1, all(&case).min(400));
            for fewer in 0..3 {
                check(&case, 0, 1, used.saturating_sub(fewer));
                check(&case, 0, 2, used + fewer);
            }
            check(&case, 1, 2, all(&case));
        }
    }
    let mixed = |rng: &mut Rng| (1 + rng.index(8), rng.index(9));
    for seed in 0..30 {
        let case = Case::new(1000 + seed, seed as usize, mixed, Planes::Random);
        check(&case, 0, seed as usize, all(&case));
        check(&case, seed as usize / 3, seed as usize, all(&case) / 2);
    }
    let many = Case::new(2000, 70, |rng| (8, [4, 6][rng.index(2)]), Planes::Random);
    check(&many, 0, 70, all(&many));
    for planes in 0..200 {
        check(&many, 3, 9, planes);
    }
    // Numbers that differ from their threshold in the last bits only, or not at all.
    let mut late = Case::new(2001, 3, |_| (8, 4), Planes::HalfZero);
    late.random.splice(0..0, vec![0; ROW * 200]);
    for planes in (0..400).step_by(7) {
        check(&late, 0, 3, planes.min(all(&late)));
    }

    // Every misalignment of every buffer, with a guard page on either side.
    for side in [Side::Start, Side::End] {
        for slack in 0..64 {
            let case = Case::new(3000 + slack as u64, 3, mixed, Planes::Random);
            let planes = all(&case);
            check(&Case { side, slack, ..case }, 0, 3, planes);
        }
    }
    assert!(stopped > 300, "{stopped} stops");
}
