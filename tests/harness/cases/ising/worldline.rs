//! Worldlines: random lines on random graphs, breaks and random numbers, with decisions in doubt and ties.

use hotloops::ising::worldline_breaks::Function as Breaks;
use hotloops::ising::worldline_overlaps::Function as Overlaps;
use hotloops::ising::worldline_sweep_f64::Function as RealSweep;
use hotloops::ising::worldline_sweep_i32::Function as Sweep;
use hotloops::ising::{Worldline, WorldlineRun};

use crate::harness::guard::{Guarded, Side};
use crate::harness::once;
use crate::harness::rng::Rng;

const FAR: i32 = 0x7f7f_ffff;
const PAD: usize = 16;
const END: u32 = (1 << 31) - 1;

/// Where the buffers of a case lie.
#[derive(Clone, Copy, Debug)]
struct Place {
    side: Side,
    slack: usize,
}

impl Place {
    const END: Place = Place { side: Side::End, slack: 0 };

    fn buffer<T: Copy>(self, values: &[T], nth: usize) -> Guarded<T> {
        Guarded::new(values, self.side, if self.slack == 0 { 0 } else { (self.slack * (nth + 1) + nth / 3) % 64 })
    }
}

/// Lines and their kinks.
#[derive(Clone)]
struct Lines {
    slices: u32,
    lines: Vec<Worldline>,
    kinks: Vec<i32>,
    stride: usize,
}

/// Distinct numbers below `bound`, ascending.
fn positions(rng: &mut Rng, count: usize, bound: u32) -> Vec<i32> {
    let mut all: Vec<i32> = (0..count).map(|_| rng.below(u64::from(bound)) as i32).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Lines {
    /// Lines of up to `most` kinks.
    fn new(rng: &mut Rng, slices: u32, count: usize, most: usize, stride: usize) -> Self {
        let mut kinks = vec![0x55; count * stride];
        let lines = (0..count)
            .map(|row| {
                let wanted = rng.index(most + 1);
                let mut own = positions(rng, wanted, slices);
                own.truncate(own.len() / 2 * 2);
                let words = &mut kinks[row * stride..];
                words[..own.len()].copy_from_slice(&own);
                words[own.len()..own.len() + PAD].fill(FAR);
                let inside: i32 = own.chunks(2).map(|pair| pair[1] - pair[0]).sum();
                let spin = if rng.word() & 1 == 0 { 1 } else { -1 };
                let even = own.iter().step_by(2).fold(0u32, |sum, &kink| sum.wrapping_add(kink as u32));
                Worldline { count: own.len() as u32, spin, magnetisation: spin * (slices as i32 - 2 * inside), even }
            })
            .collect();
        Lines { slices, lines, kinks, stride }
    }
}

/// A call of a sweep, with couplings and fields in quanta.
struct Case {
    lines: Lines,
    room: usize,
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    fields: Vec<i32>,
    couplings: Vec<i32>,
    first: usize,
    count: usize,
    base: u32,
    scale: f64,
    breaks: Vec<u32>,
    random: Vec<u32>,
    place: Place,
}

/// What a call may change: its result, the counters of the run, lines and kinks.
type Outcome = (u32, [u64; 6], Vec<Worldline>, Vec<i32>);

impl Case {
    /// Lines of up to `most` kinks and about as many breaks. The last one is a neighbour only.
    fn new(seed: u64, slices: u32, most: usize) -> Self {
        let mut rng = Rng(seed);
        let count = 2 + rng.index(6);
        let room = (3 * most + 16).min(2 * slices as usize);
        let stride = room + PAD + rng.index(3);
        let lines = Lines::new(&mut rng, slices, count, most.min(room / 2), stride);
        let (mut starts, mut neighbours, mut couplings) = (vec![0], Vec::new(), Vec::new());
        // The magnitudes at a line add up to less than 2^31 slices.
        let largest = ((1u64 << 31) / u64::from(slices) / 12).clamp(1, 1000);
        for row in 0..count {
            for other in 0..count {
                if other != row && rng.index(3) != 0 && (slices as usize) < 1 << 27 {
                    neighbours.push(other as u32);
                    couplings.push(rng.below(2 * largest + 1) as i32 - largest as i32);
                }
            }
            starts.push(neighbours.len() as u32);
        }
        let fields = (0..count).map(|_| rng.below(2 * largest + 1) as i32 - largest as i32).collect();
        let first = rng.index(count - 1);
        let visited = count - 1 - first;
        // All positions are below 2^31.
        let base = if slices < 1 << 27 { rng.index(3) as u32 * slices } else { 0 };
        let span = u64::from(slices) * visited as u64;
        let wanted = visited * rng.index(most + 2);
        let mut breaks: Vec<u32> =
            positions(&mut rng, wanted, span as u32).into_iter().map(|at| at as u32 + base).collect();
        breaks.push(base + span as u32 + rng.index(9) as u32);
        breaks.extend([END; PAD]);
        // Local fields of up to some units of the temperature, seldom of none.
        let scale = match rng.index(8) {
            0 => -0.0,
            1 => 1e9,
            2 => 1e-12,
            _ => rng.real(4.0) / f64::from(slices) / largest as f64 * -(1.0 + most as f64),
        };
        let random = (0..visited * (room + 1) + PAD).map(|_| extreme(&mut rng)).collect();
        Case {
            lines,
            room,
            starts,
            neighbours,
            fields,
            couplings,
            first,
            count: visited,
            base,
            scale,
            breaks,
            random,
            place: Place::END,
        }
    }

    fn run<T: Copy>(
        &self,
        call: &dyn Fn(*mut WorldlineRun, *const T, *const T) -> u32,
        value: fn(i32) -> T,
    ) -> Outcome {
        let place = self.place;
        let (mut lines, mut kinks) = (place.buffer(&self.lines.lines, 0), place.buffer(&self.lines.kinks, 1));
        let (starts, neighbours) = (place.buffer(&self.starts, 2), place.buffer(&self.neighbours, 3));
        let values = |values: &[i32]| values.iter().map(|&quanta| value(quanta)).collect::<Vec<_>>();
        let (fields, couplings) = (place.buffer(&values(&self.fields), 4), place.buffer(&values(&self.couplings), 5));
        let (breaks, random) = (place.buffer(&self.breaks, 6), place.buffer(&self.random, 7));
        let mut boundaries = place.buffer(&vec![0i32; self.room + 2 * PAD], 8);
        let mut sums = place.buffer(&vec![0f64; self.room + 2 * PAD], 9);
        let mut run = place.buffer(
            &[WorldlineRun {
                lines: lines.as_mut_ptr(),
                kinks: kinks.as_mut_ptr(),
                stride: self.lines.stride,
                room: self.room,
                starts: starts.as_ptr(),
                neighbours: neighbours.as_ptr(),
                first: self.first,
                count: self.count,
                base: self.base,
                slices: self.lines.slices,
                scale: self.scale,
                breaks: breaks.as_ptr(),
                break_count: self.breaks.len() - PAD,
                break_at: 0,
                random: random.as_ptr(),
                random_count: self.random.len() - PAD,
                random_at: 0,
                ties: 0x0123_4567_89ab_cdef,
                decided: 5,
                boundaries: boundaries.as_mut_ptr(),
                sums: sums.as_mut_ptr(),
            }],
            10,
        );
        let stop = call(run.as_mut_ptr(), fields.as_ptr(), couplings.as_ptr());
        let WorldlineRun { first, count, base, break_at, random_at, decided, .. } = run.to_vec()[0];
        let counters = [first as u64, count as u64, u64::from(base), break_at as u64, random_at as u64, decided];
        (stop, counters, lines.to_vec(), kinks.to_vec())
    }

    fn compare(&self, name: &str, expected: &Outcome, found: &Outcome) {
        let Case { lines, count, scale, place, .. } = self;
        let name = format!("{name}: {} slices, {count} lines, scale {scale:e}, {place:?}", lines.slices);
        assert_eq!((expected.0, expected.1), (found.0, found.1), "{name}");
        assert_eq!(expected.2, found.2, "{name}");
        assert!(expected.3 == found.3, "{name}: kinks differ");
    }
}

/// Random numbers with frequent extremes, and some at one half.
fn extreme(rng: &mut Rng) -> u32 {
    match rng.index(16) {
        0 => rng.index(70_000) as u32,
        1 => !(rng.index(70_000) as u32),
        2 => 0x7fff_fff0 + rng.index(32) as u32,
        _ => rng.word() as u32,
    }
}

/// Calls `check` with cases of all shapes.
fn cases(mut check: impl FnMut(&str, &Case)) {
    for (nth, &(slices, most)) in [
        (2, 2),
        (3, 3),
        (9, 6),
        (64, 8),
        (64, 40),
        (1000, 12),
        (1000, 20),
        (5000, 60),
        (20_000, 150),
        (1 << 20, 10),
        (1 << 20, 33),
        (1 << 28, 20),
    ]
    .iter()
    .enumerate()
    {
        for seed in 0..12 {
            check("random", &Case::new(100 * nth as u64 + seed, slices, most));
        }
    }
    for side in [Side::Start, Side::End] {
        for slack in 0..64 {
            let case = Case::new(5000 + slack as u64, 500, 3 + slack % 30);
            check("alignment", &Case { place: Place { side, slack }, ..case });
        }
    }
    for seed in 0..10 {
        let mut case = Case::new(6000 + seed, 300, 12);
        case.random.truncate((case.random.len() - PAD) / 6 + PAD);
        check("random numbers end", &case);
        let mut case = Case::new(6100 + seed, 300, 12);
        let half = (case.breaks.len() - PAD) / 2;
        case.breaks.drain(half..case.breaks.len() - PAD);
        check("breaks end", &case);
        let mut case = Case::new(6200 + seed, 300, 12);
        case.breaks.drain(..case.breaks.len() - PAD);
        check("no breaks", &case);
        let mut case = Case::new(6300 + seed, 300, 30);
        case.room = 20;
        case.lines.lines.iter().for_each(|line| assert!(line.count as usize + PAD <= case.lines.stride));
        check("no room", &case);
    }
    for seed in 0..40 {
        check("near", &near(seed));
    }
}

/// Lines without kinks and breaks, and random numbers near the probability: the field of each is its sum.
fn near(seed: u64) -> Case {
    let mut case = Case::new(7000 + seed, 50, 2);
    let mut rng = Rng(seed);
    let count = 200;
    let line = Worldline { count: 0, spin: 1, magnetisation: 50, even: 0 };
    case.lines.lines = vec![line; count + 1];
    case.lines.stride = case.room + PAD;
    case.lines.kinks = vec![FAR; (count + 1) * case.lines.stride];
    case.starts = vec![0; count + 2];
    case.fields = (0..count as i32 + 1).map(|_| rng.below(2001) as i32 - 1000).collect();
    (case.first, case.count, case.base) = (0, count, 0);
    case.breaks = [vec![50 * count as u32 + 1], vec![END; PAD]].concat();
    let reach = [0.1, 1.0, 10.0, 23.0, 60.0][seed as usize % 5];
    case.scale = -reach / 50_000.0;
    case.random = (0..count + PAD)
        .map(|k| {
            let exponent = f64::from(case.fields[k % count]) * 50.0 * case.scale;
            let threshold = (2f64.powi(32) / (1.0 + exponent.exp())) as u32;
            let distance = match rng.index(3) {
                0 => rng.index(5) as i64 - 2,
                1 => rng.index(2001) as i64 - 1000,
                _ => (f64::from(threshold) * (rng.real(1e-4) - 5e-5)) as i64,
            };
            (i64::from(threshold) + distance).clamp(0, u32::MAX.into()) as u32
        })
        .collect();
    case
}

pub fn sweep(reference: Sweep, subject: Sweep) {
    cases(|name, case| {
        // SAFETY: the buffers of the case.
        let run = |function: Sweep| case.run(&|run, f, c| unsafe { function(run, f, c) }, |quanta| quanta);
        case.compare(name, &once(|| run(reference)), &run(subject));
    });
}

pub fn real_sweep(reference: RealSweep, subject: RealSweep) {
    cases(|name, case| {
        // SAFETY: the buffers of the case.
        let run =
            |function: RealSweep| case.run(&|run, f, c| unsafe { function(run, f, c) }, |q| f64::from(q) * 0.9987);
        case.compare(name, &once(|| run(reference)), &run(subject));
    });
}

pub fn breaks(reference: Breaks, subject: Breaks) {
    let check = |n: usize, scale: f64, start: u32, place: Place| {
        let mut rng = Rng(n as u64);
        let random: Vec<u32> = (0..2 * n)
            .map(|_| match rng.index(12) {
                0 => 0,
                1 => u32::MAX,
                2 => 0x7fff_ffff >> rng.index(8),
                _ => rng.word() as u32,
            })
            .collect();
        let run = |function: Breaks| {
            let (random, mut breaks) = (place.buffer(&random, 0), place.buffer(&vec![0u32; n], 1));
            // SAFETY: two words for each break.
            unsafe { function(random.as_ptr(), n, scale, start, breaks.as_mut_ptr()) };
            breaks.to_vec()
        };
        assert_eq!(*once(|| run(reference)), run(subject), "{n} breaks, {scale:e}, from {start}, {place:?}");
    };
    for n in (0..70).chain([255, 256, 257, 1000]) {
        for scale in [-0.0, -1e-3, -1.0, -7.5, -1e4, -1e9, -1e300, f64::NEG_INFINITY] {
            check(n, scale, [0, 1, 77, END - 1, END][n % 5], Place::END);
        }
    }
    for side in [Side::Start, Side::End] {
        (0..64).for_each(|slack| check(33, -20.0, 3, Place { side, slack }));
    }
}

pub fn overlaps(reference: Overlaps, subject: Overlaps) {
    let check = |seed: u64, slices: u32, most: usize, place: Place| {
        let mut rng = Rng(seed);
        let count = 1 + rng.index(9);
        let stride = most + PAD + rng.index(3);
        let lines = Lines::new(&mut rng, slices, count, most, stride);
        let row = rng.index(count);
        let others: Vec<u32> = (0..rng.index(20)).map(|_| rng.index(count) as u32).collect();
        let run = |function: Overlaps| {
            let (of_lines, kinks) = (place.buffer(&lines.lines, 0), place.buffer(&lines.kinks, 1));
            let (to_read, mut overlaps) = (place.buffer(&others, 2), place.buffer(&vec![0i32; others.len()], 3));
            let (n, stride) = (others.len(), lines.stride);
            // SAFETY: all lines exist.
            unsafe {
                function(of_lines.as_ptr(), kinks.as_ptr(), stride, row, to_read.as_ptr(), n, overlaps.as_mut_ptr());
            }
            overlaps.to_vec()
        };
        assert_eq!(*once(|| run(reference)), run(subject), "{slices} slices, {most} kinks, {place:?}");
    };
    let shapes = [(2, 2), (9, 6), (64, 40), (1000, 15), (1000, 33), (30_000, 300), (1 << 20, 20), (1 << 30, 12)];
    for (nth, &(slices, most)) in shapes.iter().enumerate() {
        (0..20).for_each(|seed| check(100 * nth as u64 + seed, slices, most, Place::END));
    }
    for side in [Side::Start, Side::End] {
        (0..64).for_each(|slack| check(3000 + slack as u64, 700, 2 + slack % 40, Place { side, slack }));
    }
}
