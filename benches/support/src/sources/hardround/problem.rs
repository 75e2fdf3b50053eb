//! The problems of the source, and their searches: the arguments of exp from 1 on that are near a breakpoint.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use hotloops::hardround::{Algorithm, Block, Scan, Series, Test, exists};
use hotloops_hardround::three_phase::{self, ThreePhase};

use super::exact::{self, TERMS};

/// The arguments 1 + k 2^-`step`, k = 0, 1, ..: those with |F(k) mod 1| < 2^-`within` for F(k) = 2^`scale`
/// exp(1 + k 2^-`step`), whose breakpoints are the integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Problem {
    scale: u32,
    step: u32,
    within: u32,
    /// All cases below 2^`known`, ascending, found by MPFR too.
    cases: &'static [u64],
    known: u32,
}

/// The source's: directed roundings, within 2^-33 ulp.
pub const DIRECTED: Problem =
    Problem { scale: 51, step: 53, within: 33, cases: &super::cases::DIRECTED, known: INTERVAL };

/// All roundings of all doubles, within 2^-32 ulp.
pub const ALL: Problem = Problem { scale: 52, step: 52, within: 31, cases: &super::cases::ALL, known: 36 };

/// Arguments of the interval I_0, log2.
pub const INTERVAL: u32 = 40;

/// Cases of I_0 to I_1023 of [`DIRECTED`].
pub const ALL_INTERVALS: usize = 261_760;

/// Arguments of a series to either side of its origin, log2: the terms that it lacks are below 2^-45.
const REACH: u32 = 37;

/// A search of consecutive arguments.
#[derive(Clone, Copy)]
pub enum Method {
    /// Three phases, by a test of domains.
    Phases(three_phase::Test),
    Farey,
    Dual,
}

/// Three phases by the library's tests.
pub const LEFEVRE: Method = Method::Phases(|a, b, n, w, bits| exists(a, b, n, w, Test::Lefevre, bits));
pub const REGULAR: Method = Method::Phases(|a, b, n, w, bits| exists(a, b, n, w, Test::Regular, bits));

impl Method {
    fn log2_length(self, c2: f64) -> u32 {
        if matches!(self, Method::Dual) { Algorithm::Dual } else { Algorithm::Farey }.log2_length(c2)
    }
}

/// Series around an argument, and what they lack.
pub struct Piece {
    pub series: Series,
    /// The bound with the errors of the polynomials, in units of 2^-64.
    pub within: u64,
    /// Polynomials below this are cases for certain.
    certain: u64,
}

impl Problem {
    /// The bound in units of 2^-64.
    fn bound(&self) -> f64 {
        f64::from(64 - self.within).exp2()
    }

    fn exponents(&self) -> [u32; 2] {
        [self.scale, self.step]
    }

    /// The series around an argument for [`REACH`], in blocks that suit a method.
    pub fn piece(&self, origin: u64, method: Method) -> Piece {
        let taylor = exact::taylor(self.exponents(), origin);
        let (scale, step) = (f64::from(self.scale), f64::from(self.step));
        let value = (1.0 + origin as f64 * (-step).exp2()).exp();
        let terms = TERMS as f64;
        let factorial: f64 = (1..=TERMS).map(|i| i as f64).product();
        let mut lost = 1.01 * value * (scale - terms * (step - f64::from(REACH))).exp2() / factorial;
        let mut log2_length = method.log2_length(0.5 * value * (scale - 2.0 * step).exp2()).min(REACH);
        let mut series = Series::new(&taylor, log2_length).expect("a series of few terms");
        // Cases that the error makes uncertain take longer to decide than shorter blocks do.
        while series.error(1) > f64::from(self.within + 6).exp2().recip() {
            log2_length -= 1;
            series = Series::new(&taylor, log2_length).expect("a series of few terms");
        }
        lost += series.error((1 << (REACH - log2_length)) + 1);
        let lost = lost * 64_f64.exp2() + 1.0;
        Piece { series, within: (self.bound() + lost) as u64 + 1, certain: (self.bound() - lost) as u64 }
    }

    /// Calls `each` with the cases of a range, ascending.
    pub fn search(&self, method: Method, range: Range<u64>, mut each: impl FnMut(u64)) {
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + (2 << REACH));
            let origin = start + (end - start) / 2;
            let piece = self.piece(origin, method);
            let bits = piece.series.log2_length();
            let mut judge = |x: i64, block: &Block| {
                let distance = (block.at((x & ((1 << bits) - 1)) as u64) as i128).unsigned_abs();
                let k = origin.wrapping_add_signed(x);
                if distance < u128::from(piece.certain) << 64 || exact::distance(self.exponents(), k) < self.bound() {
                    each(k);
                }
            };
            let arguments = start.wrapping_sub(origin) as i64..end.wrapping_sub(origin) as i64;
            let scan = |algorithm| Scan::new(piece.within).expect("a small bound").algorithm(algorithm);
            match method {
                Method::Phases(test) => {
                    let mut search = ThreePhase::new(test, piece.within);
                    for j in arguments.start >> bits..=(arguments.end - 1) >> bits {
                        let (block, first) = (piece.series.block(j), j << bits);
                        let used =
                            (arguments.start - first).max(0) as u64..(arguments.end - first).min(1 << bits) as u64;
                        search.block(&block, used, |x| judge(first + x as i64, &block)).expect("memory");
                    }
                }
                Method::Farey | Method::Dual => {
                    let algorithm = if matches!(method, Method::Dual) { Algorithm::Dual } else { Algorithm::Farey };
                    let found = |x| judge(x, &piece.series.block(x >> bits));
                    scan(algorithm).series(&piece.series, arguments, found).expect("memory");
                }
            }
            start = end;
        }
    }

    /// The cases of ascending ranges.
    pub fn cases(&self, method: Method, share: &Share, threads: usize) -> Vec<u64> {
        let (pieces, next) = (share.pieces(threads), AtomicUsize::new(0));
        let work = || {
            let mut cases = Vec::new();
            while let Some(range) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.search(method, range.clone(), |k| cases.push(k));
            }
            cases
        };
        if threads == 1 {
            return work();
        }
        let mut cases: Vec<u64> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("a search that ends")).collect()
        });
        cases.sort_unstable();
        cases
    }

    /// The cases of a share: the known ones, or those of the scalar search by Farey cells, each judged.
    pub fn reference(&self, share: &Share) -> Vec<u64> {
        let is_known = share.ranges().all(|range| range.end <= 1 << self.known);
        if is_known {
            let is_in = |&k: &u64| share.ranges().any(|range| range.contains(&k));
            return self.cases.iter().copied().filter(is_in).collect();
        }
        hotloops::isa::set(hotloops::isa::Isa::scalar).expect("every CPU has it");
        let cases = self.cases(Method::Farey, share, 1);
        cases.into_iter().filter(|&k| exact::distance(self.exponents(), k) < self.bound()).collect()
    }
}

/// A part of an interval of 2^`whole` arguments: 2^`arguments` in each of 2^`places` equal parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    pub whole: u32,
    pub places: u32,
    pub arguments: u32,
}

impl Share {
    /// The first 2^`arguments` of 2^`whole`.
    pub fn first(arguments: u32, whole: u32) -> Self {
        Share { whole, places: 0, arguments }
    }

    /// Of the whole.
    pub fn fraction(self) -> f64 {
        (f64::from(self.places + self.arguments) - f64::from(self.whole)).exp2()
    }

    pub fn is_whole(self) -> bool {
        self.places + self.arguments == self.whole
    }

    /// ` (1/64 of it)` or nothing.
    pub fn words(self) -> String {
        match self.whole - self.places - self.arguments {
            0 => String::new(),
            parts => format!(" (1/{} of it)", 1_u64 << parts),
        }
    }

    fn ranges(self) -> impl Iterator<Item = Range<u64>> {
        let start = move |place| place << (self.whole - self.places);
        (0..1_u64 << self.places).map(move |place| start(place)..start(place) + (1 << self.arguments))
    }

    /// Ranges that threads search at a time: of the length of a series, or shorter ones for as many threads.
    fn pieces(self, threads: usize) -> Vec<Range<u64>> {
        let enough = (8 * threads.next_power_of_two()).ilog2().saturating_sub(self.places);
        let bits = if threads == 1 { self.arguments } else { self.arguments.saturating_sub(enough) }.min(REACH + 1);
        let parts = |range: Range<u64>| range.step_by(1 << bits).map(move |start| start..start + (1 << bits));
        self.ranges().flat_map(parts).collect()
    }
}
