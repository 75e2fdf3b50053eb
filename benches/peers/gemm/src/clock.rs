//! Time in cycles of the core, and the peak rate of multiply-adds.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use hotloops_bench_support::clock::interleaved;

/// Calls a function a given number of times.
pub type Job<'a> = Box<dyn Fn(u32) + 'a>;

/// Wraps a call in a loop. The compiler sees both together.
pub fn job<'a, R>(call: impl Fn() -> R + 'a) -> Job<'a> {
    Box::new(move |calls| {
        for _ in 0..calls {
            black_box(call());
        }
    })
}

/// Where a job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    One,
    /// On threads of its own, which may wait for the next call in a loop.
    Several,
}

/// Pause after which threads that waited in a loop sleep.
const REST: Duration = Duration::from_millis(80);

/// Cycles per nanosecond now: pairs of dependent one-cycle operations, the fastest of 40 runs of 0.05 ms.
fn gigahertz() -> f64 {
    const PAIRS: u32 = 100_000;
    let chain = job(|| {
        let (mask, step) = black_box((0x5555_u64, 0x1234_5678_u64));
        (0..PAIRS).fold(mask, |x, _| (x ^ mask).wrapping_add(step))
    });
    f64::from(2 * PAIRS) / (0..40).map(|_| nanoseconds(&chain, 1, Cores::One)).fold(f64::INFINITY, f64::min)
}

/// Nanoseconds per call. On one core, runs of 5 ms or more use CPU time, because other load would
/// disturb every sample. CPU time can be off by microseconds, so short runs use wall time.
fn nanoseconds(job: &Job<'_>, calls: u32, cores: Cores) -> f64 {
    const LONG: f64 = 5e6;
    let (begin_busy, begin) = (busy(), Instant::now());
    job(calls);
    let (taken, taken_busy) = (begin.elapsed().as_nanos() as f64, busy() - begin_busy);
    (if cores == Cores::One && taken_busy > LONG { taken_busy } else { taken }) / f64::from(calls)
}

/// CPU time of all threads of the process, in nanoseconds.
fn busy() -> f64 {
    // SAFETY: the result goes to a structure made for it.
    let time = unsafe {
        let mut time = std::mem::zeroed::<libc::timespec>();
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time);
        time
    };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// The number of calls that takes about 0.2 ms.
fn calls(job: &Job<'_>, cores: Cores) -> u32 {
    const LONG: f64 = 2e5;
    let mut calls = 1;
    loop {
        let taken = nanoseconds(job, calls, cores);
        match taken * f64::from(calls) {
            total if total > LONG / 4.0 => return (LONG / taken).ceil() as u32,
            _ => calls *= 2,
        }
    }
}

/// Minimum cycles of each job over interleaved rounds. Also whether the clock rate was stable
/// within 1 %.
///
/// One untimed call precedes each sample, and the order is the same in all rounds: as much of other
/// jobs runs between two samples of one job as between those of another.
pub fn cycles(jobs: &[Job<'_>], budget: Duration, cores: Cores) -> (Vec<f64>, bool) {
    let calls: Vec<u32> = jobs.iter().map(|job| calls(job, cores)).collect();
    for last in [false, false, false, true] {
        let before = gigahertz();
        let samples = interleaved(jobs.len(), budget, |i| {
            if cores == Cores::Several {
                thread::sleep(REST);
            }
            jobs[i](1);
            nanoseconds(&jobs[i], calls[i], cores)
        });
        let after = gigahertz();
        let steady = (before / after - 1.0).abs() <= 0.01;
        if steady || last {
            let clock = before.max(after);
            return (samples.iter().map(|s| s.least() * clock).collect(), steady);
        }
    }
    unreachable!()
}

/// A loop of fused multiply-adds, independent within a step, and the bytes of results per step.
type Chains = (unsafe fn(u32), usize);

macro_rules! chains {
    ($name:ident, $features:literal, $vector:ty, $count:literal, $set:path, $fma:path) => {
        const $name: super::Chains = {
            #[target_feature(enable = $features)]
            fn run(steps: u32) {
                let half = black_box($set(0.5));
                let mut sums: [$vector; $count] = [half; $count].map(black_box);
                for _ in 0..steps {
                    for sum in &mut sums {
                        *sum = $fma(*sum, half, half);
                    }
                }
                black_box(sums);
            }
            (run, $count * size_of::<$vector>())
        };
    };
}

#[cfg(target_arch = "x86_64")]
mod chains {
    use super::black_box;
    use std::arch::x86_64::*;

    chains!(AVX2, "avx2,fma", __m256, 12, _mm256_set1_ps, _mm256_fmadd_ps);
    chains!(AVX512, "avx512f", __m512, 24, _mm512_set1_ps, _mm512_fmadd_ps);

    pub fn widths() -> Vec<super::Chains> {
        let (avx2, avx512) = (is_x86_feature_detected!("avx2"), is_x86_feature_detected!("avx512f"));
        let fma = avx2 && is_x86_feature_detected!("fma");
        [(fma, AVX2), (avx512, AVX512)].into_iter().filter_map(|(has, chains)| has.then_some(chains)).collect()
    }
}

#[cfg(target_arch = "aarch64")]
mod chains {
    use super::black_box;
    use std::arch::aarch64::*;

    chains!(NEON, "neon", float32x4_t, 24, vdupq_n_f32, vfmaq_f32);

    pub fn widths() -> Vec<super::Chains> {
        vec![NEON]
    }
}

/// Peak bytes of fused multiply-add results per cycle: independent chains in registers, with the
/// widest or second-widest vectors, whichever are faster.
pub fn peak() -> f64 {
    const STEPS: u32 = 20_000;
    let (mut rate, mut clock) = (0.0_f64, 0.0_f64);
    for _ in 0..100 {
        clock = clock.max(gigahertz());
        for (run, bytes) in chains::widths() {
            // SAFETY: the CPU has the features.
            let chains = job(move || unsafe { run(STEPS) });
            let least = (0..20).map(|_| nanoseconds(&chains, 1, Cores::One)).fold(f64::INFINITY, f64::min);
            rate = rate.max(f64::from(STEPS) * bytes as f64 / least);
        }
    }
    assert!(rate > 0.0, "the CPU lacks fused multiply-add");
    rate / clock
}
