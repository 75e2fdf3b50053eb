//! Tests of domains of arguments for hard-to-round cases, as [`hotloops::hardround`] defines them.
//!
//! | function | result of |
//! |---|---|
//! | [`Tester::exists`] | [`hotloops::hardround::exists`] |
//! | [`Tester::domains`] | the same for the domains of a cubic, whose lines the device computes |
//! | [`RowTester::rows`] | [`hotloops::hardround::rows()`] |
//!
//! # Source
//! Avenel, Fortin, Gouicem, Zaidi, "Solving the Table Maker's Dilemma on Current SIMD Architectures" (SCPE 17, 2016),
//! sections 4 and 5: both tests on GPUs, by OpenCL.

use hotloops::Error as Fault;
use hotloops::hardround::{Cell, MAX_ARGUMENTS, MAX_DOMAINS, Test};

use crate::append::List;
use crate::error::Error;
use crate::pace::Pace;
use crate::queue::{Buffer, Kernel, Queue, arguments};

pub(crate) const SOURCE: &str = include_str!("../kernels/hardround.cl");

/// Items of a group.
const GROUP: usize = 64;
/// Domains of a launch: of the first one, at most.
const FIRST: usize = 1 << 14;
const MOST: usize = 1 << 24;
/// Rows are of f32: they need a device with the CPU's.
const EXACT_F32: &str = "f32 as CPUs have it (rounding to nearest, subnormal numbers, exact division)";

/// Tests domains by one of the two algorithms.
pub struct Tester {
    queue: Queue,
    lines: Kernel,
    domains: Kernel,
    pace: Pace,
    passed: List,
}

impl Tester {
    /// The queue of its device.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Compiles the kernels.
    ///
    /// # Errors
    /// Fails if the driver does.
    pub fn new(queue: Queue, test: Test) -> Result<Self, Error> {
        let program = queue.program(SOURCE, if test == Test::Lefevre { "-DLEFEVRE" } else { "" })?;
        let (lines, domains) = (queue.kernel(&program, "lines")?, queue.kernel(&program, "domains")?);
        let passed = List::new(&queue, 1, 1 << 16)?;
        Ok(Tester { queue, lines, domains, pace: Pace::new(FIRST, MOST), passed })
    }

    /// Bit i mod 8 of `bits[i / 8]` is 0 if no x < `n` has b - a x mod 1 < w, with `a[i]`, `b[i]` and `w` in units of
    /// 2^-64: the bits of the library's test.
    ///
    /// # Errors
    /// Fails with the errors of [`hotloops::hardround::exists`], and if the device does.
    pub fn exists(&mut self, a: &[u64], b: &[u64], n: u64, w: u64, bits: &mut [u8]) -> Result<(), Error> {
        equal("b", a.len(), b.len())?;
        equal("bits", a.len().div_ceil(8), bits.len())?;
        let n = arguments_of(n)?;
        bits.fill(0);
        let Tester { queue, lines, pace, passed, .. } = self;
        pace.run(a.len(), |first, count| {
            let lines_of = |x: &[u64]| queue.upload(&x[first..first + count]);
            let (a, b) = (lines_of(a)?, lines_of(b)?);
            let launch = |room: u32, passed: &Buffer<u32>, found: &Buffer<u32>| {
                let given = arguments![&a, &b, count as u32, n, w, room, passed, found];
                // SAFETY: an item reads its line, if it has one; there is room for as many numbers as it may write.
                unsafe { queue.launch(lines, &[count.div_ceil(GROUP)], &[GROUP], &given) }
            };
            for i in passed.collect(queue, launch)? {
                let i = first + i as usize;
                bits[i / 8] |= 1 << (i % 8);
            }
            Ok(())
        })
    }

    /// Appends to `passed` the indices of the domains that may hold a case, ascending. Domain i < `count` has the `n`
    /// arguments from `first + i n` on; there F(x) = c0 + c1 x + c2 x^2 + c3 x^3 in units of 2^-128, modulo 1, and its
    /// line is a = -(F'(s) + F''(s) n / 2), b = F(s) + `above`, both in units of 2^-64.
    ///
    /// # Errors
    /// As for [`exists`](Self::exists).
    #[expect(clippy::too_many_arguments, reason = "those of a strip and a block, whose types are another crate's")]
    pub fn domains(
        &mut self,
        c: &[u128; 4],
        first: u64,
        n: u64,
        count: u64,
        above: u64,
        w: u64,
        passed: &mut Vec<u64>,
    ) -> Result<(), Error> {
        let n = arguments_of(n)?;
        let words: Vec<u64> = c.iter().flat_map(|c| [*c as u64, (*c >> 64) as u64]).collect();
        let Tester { queue, domains, pace, passed: numbers, .. } = self;
        let c = queue.upload(&words)?;
        pace.run(count as usize, |begin, count| {
            let start = first.wrapping_add(n.wrapping_mul(begin as u64));
            let launch = |room: u32, numbers: &Buffer<u32>, found: &Buffer<u32>| {
                let given = arguments![&c, start, count as u32, n, above, w, room, numbers, found];
                // SAFETY: four coefficients; there is room for as many numbers as the kernel may write.
                unsafe { queue.launch(domains, &[count.div_ceil(GROUP)], &[GROUP], &given) }
            };
            let mut numbers = numbers.collect(queue, launch)?;
            numbers.sort_unstable();
            passed.extend(numbers.into_iter().map(|i| begin as u64 + u64::from(i)));
            Ok(())
        })
    }
}

/// Tests rows of domains.
pub struct RowTester {
    queue: Queue,
    rows: Kernel,
    pace: Pace,
}

impl RowTester {
    /// The queue of its device.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Compiles the kernel.
    ///
    /// # Errors
    /// Fails if the device's f32 differs from the CPU's, and if the driver fails.
    pub fn new(queue: Queue) -> Result<Self, Error> {
        if !queue.device().has_exact_f32 {
            return Err(Error::Lacks { device: queue.device().name.clone(), what: EXACT_F32 });
        }
        let program = queue.program(SOURCE, "-cl-fp32-correctly-rounded-divide-sqrt")?;
        let rows = queue.kernel(&program, "rows")?;
        Ok(RowTester { queue, rows, pace: Pace::new(1 << 10, 1 << 17) })
    }

    /// Which domains of cells may hold a case: bit i mod 64 of `hits[2 c + i / 64]` for domain i of cell c.
    ///
    /// # Errors
    /// Fails unless there are two words a cell, if a cell has more than [`MAX_DOMAINS`] domains, and if the device
    /// fails.
    pub fn rows(&mut self, cells: &[Cell], hits: &mut [u64]) -> Result<(), Error> {
        equal("hits", 2 * cells.len(), hits.len())?;
        if let Some(i) = cells.iter().position(|cell| cell.count > MAX_DOMAINS) {
            let why = format!("cell {i} has {} domains; at most {MAX_DOMAINS} are allowed", cells[i].count);
            return Err(Error::argument("cells", why));
        }
        let RowTester { queue, rows, pace } = self;
        pace.run(cells.len(), |first, count| {
            let words: Vec<u32> = cells[first..first + count].iter().flat_map(words).collect();
            let (cells, words) = (queue.upload(&words)?, queue.buffer::<u32>(4 * count)?);
            // SAFETY: a group reads the 16 words of its cell and writes its four.
            unsafe { queue.launch(rows, &[count], &[MAX_DOMAINS as usize], &arguments![&cells, &words])? };
            let found = queue.download(&words)?;
            for (hit, found) in hits[2 * first..].iter_mut().zip(found.chunks(2)) {
                *hit = u64::from(found[0]) | u64::from(found[1]) << 32;
            }
            Ok(())
        })
    }
}

/// A cell as the kernel has it.
fn words(cell: &Cell) -> [u32; 16] {
    let ([z0, z1, z2], [h0, h1, h2], [y0, y1]) = (cell.z, cell.h, cell.y.map(|y| y as u32));
    let floats = [cell.per, cell.ratio, cell.min_y, cell.row_slope, cell.row_offset, cell.width, cell.slack];
    let [per, ratio, min_y, row_slope, row_offset, width, slack] = floats.map(f32::to_bits);
    let count = cell.count;
    [z0, z1, z2, h0, h1, h2, y0, y1, per, ratio, min_y, row_slope, row_offset, width, slack, count]
}

fn equal(argument: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Fault::Length { argument, expected, found }.into()) }
}

/// The arguments of a domain as the tests take them.
fn arguments_of(n: u64) -> Result<u64, Error> {
    if n <= MAX_ARGUMENTS { Ok(n.max(3)) } else { Err(Fault::Proof { argument: "n" }.into()) }
}

/// Compares both tests with the library's on some domains.
pub(crate) fn self_test(queue: &Queue) -> Result<bool, Error> {
    let mix = |i: u64| (i ^ i >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let [a, b]: [Vec<u64>; 2] = [1, 2].map(|seed| (0..1000).map(|i| mix(mix(i + (seed << 32)))).collect());
    let (n, w) = (1 << 14, 1 << 46);
    for test in [Test::Regular, Test::Lefevre] {
        let (mut found, mut expected) = ([0; 125], [0; 125]);
        Tester::new(Queue::open(queue.device())?, test)?.exists(&a, &b, n, w, &mut found)?;
        hotloops::hardround::exists(&a, &b, n, w, test, &mut expected)?;
        if found != expected {
            return Ok(false);
        }
    }
    Ok(true)
}
