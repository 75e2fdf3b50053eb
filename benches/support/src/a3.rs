//! A.3 of the paper: random numbers and decisions in SSE2 vectors, then scalar updates of the
//! neighbours of flipped spins.
//!
//! The layers are interlaced as in the library, 16 lanes per row, so that the spins can be compared
//! with the library's. A row is swept as four vectors. The acceptance is also the library's: the
//! paper's formula with other constants, so that no flip is certain.

use core::arch::x86_64::*;

use hotloops::ising::Beta;

use crate::mersenne::{MATRIX, SHIFT, UPPER, WORDS, seeded};
use crate::rungs::{Rung, SLOPE, fields, offsets, to_f32};
use crate::workload::Problem;

const LANES: usize = 16;

/// One vector.
type Words = [u32; 4];

/// 16 generators, words 4v..4v+4 of a row as vector v.
struct Random {
    state: Box<[[Words; 4]; WORDS]>,
    row: usize,
}

impl Random {
    fn new(seed: u32) -> Self {
        let lanes: [_; LANES] = std::array::from_fn(|lane| seeded(seed.wrapping_add(lane as u32)));
        let row = |i| std::array::from_fn(|v| std::array::from_fn(|k| lanes[4 * v + k][i]));
        Random { state: Box::new(std::array::from_fn(row)), row: WORDS }
    }

    /// The next row, not yet tempered.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn next_row(&mut self) -> &[Words; 4] {
        if self.row == WORDS {
            self.renew();
        }
        self.row += 1;
        &self.state[self.row - 1]
    }

    #[inline(never)]
    #[target_feature(enable = "sse2")]
    fn renew(&mut self) {
        let (upper, lower, matrix) = (set(UPPER), set(!UPPER), set(MATRIX));
        let zero = _mm_setzero_si128();
        let mut twist = |this: usize, next: usize, far: usize| {
            for v in 0..4 {
                let next = load(&self.state[next][v]);
                let merged = _mm_or_si128(_mm_and_si128(load(&self.state[this][v]), upper), _mm_and_si128(next, lower));
                let odd = _mm_sub_epi32(zero, _mm_and_si128(next, set(1)));
                let word = _mm_xor_si128(load(&self.state[far][v]), _mm_srli_epi32::<1>(merged));
                store(&mut self.state[this][v], _mm_xor_si128(word, _mm_and_si128(odd, matrix)));
            }
        };
        (0..WORDS - SHIFT).for_each(|i| twist(i, i + 1, i + SHIFT));
        (WORDS - SHIFT..WORDS - 1).for_each(|i| twist(i, i + 1, i + SHIFT - WORDS));
        twist(WORDS - 1, 0, SHIFT - 1);
        self.row = 0;
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn set(word: u32) -> __m128i {
    _mm_set1_epi32(word as i32)
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(words: &Words) -> __m128i {
    // SAFETY: 16 readable bytes.
    unsafe { _mm_loadu_si128(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn store(words: &mut Words, value: __m128i) {
    // SAFETY: 16 writable bytes.
    unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), value) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn temper(mut word: __m128i) -> __m128i {
    word = _mm_xor_si128(word, _mm_srli_epi32::<11>(word));
    word = _mm_xor_si128(word, _mm_and_si128(_mm_slli_epi32::<7>(word), set(0x9d2c_5680)));
    word = _mm_xor_si128(word, _mm_and_si128(_mm_slli_epi32::<15>(word), set(0xefc6_0000)));
    _mm_xor_si128(word, _mm_srli_epi32::<18>(word))
}

/// Where the layers are. As in the library, each lane has consecutive layers, one in each group, but lanes from `long`
/// on have none in the last group.
#[derive(Clone, Copy)]
struct Layout {
    sites: usize,
    layers: usize,
    groups: usize,
    lanes: usize,
    long: usize,
}

impl Layout {
    /// Lanes of a group that have a layer.
    fn live(self, group: usize) -> usize {
        if group + 1 == self.groups { self.long } else { self.lanes }
    }

    /// The last group of a lane.
    #[inline]
    fn last(self, lane: usize) -> usize {
        self.groups - 1 - usize::from(lane >= self.long)
    }

    /// Group and lane of the layers below and above.
    #[inline]
    fn neighbours(self, group: usize, lane: usize) -> [(usize, usize); 2] {
        let below = match (group, lane) {
            (0, 0) => (self.last(self.lanes - 1), self.lanes - 1),
            (0, _) => (self.last(lane - 1), lane - 1),
            _ => (group - 1, lane),
        };
        let above = if group < self.last(lane) {
            (group + 1, lane)
        } else {
            (0, if lane + 1 == self.lanes { 0 } else { lane + 1 })
        };
        [below, above]
    }

    /// The index of spin i in interlaced arrays.
    fn place(self, i: usize) -> usize {
        let (layer, site) = (i / self.sites, i % self.sites);
        let (group, lane) = match layer.checked_sub(self.long * self.groups) {
            None => (layer % self.groups, layer / self.groups),
            Some(rest) => (rest % (self.groups - 1), self.long + rest / (self.groups - 1)),
        };
        (group * self.sites + site) * LANES + lane
    }
}

/// A model of A.3.
pub struct A3 {
    layout: Layout,
    first: Vec<u32>,
    links: Vec<(u32, f32)>,
    spins: Vec<f32>,
    space: Vec<f32>,
    tau: Vec<f32>,
    random: Random,
}

impl A3 {
    /// `lanes`: layers in a row, as in the library.
    pub fn new(problem: &Problem, lanes: usize, spins: &[i8], seed: u32) -> Self {
        let (sites, layers) = (problem.sites(), problem.layers);
        let groups = layers.div_ceil(lanes);
        let layout = Layout { sites, layers, groups, lanes, long: layers - (groups - 1) * lanes };
        let interlaced = |natural: &[f32]| {
            let mut rows = vec![0.0; groups * sites * LANES];
            natural.iter().enumerate().for_each(|(i, &value)| rows[layout.place(i)] = value);
            rows
        };
        let lists = problem.neighbours();
        let spins = to_f32(spins);
        let (space, tau) = fields(problem, &spins);
        A3 {
            layout,
            first: offsets(&lists),
            links: lists.concat().into_iter().map(|(far, coupling)| (far, 2.0 * coupling)).collect(),
            spins: interlaced(&spins),
            space: interlaced(&space),
            tau: interlaced(&tau),
            random: Random::new(seed),
        }
    }

    #[target_feature(enable = "sse2")]
    fn sweep_sse2(&mut self, beta: Beta, sweeps: usize) -> u64 {
        let &mut A3 { layout, ref first, ref links, ref mut spins, ref mut space, ref mut tau, .. } = self;
        let Layout { sites, groups, lanes, .. } = layout;
        let (by_space, by_tau) = (_mm_set1_ps(beta.space * (-2.0 * SLOPE)), _mm_set1_ps(beta.tau * (-2.0 * SLOPE)));
        let (limit, scale) = (_mm_setzero_ps(), _mm_set1_ps(8_622_124.0));
        // See `sweep_fast_f32`.
        let (unit, sign) = (_mm_set1_epi32(0x3fe9_8000), _mm_set1_ps(-0.0));
        let mut flips = 0;
        for group in (0..sweeps).flat_map(|_| 0..groups) {
            let live = (1 << layout.live(group)) - 1;
            for site in 0..sites {
                let random = self.random.next_row();
                for (vector, words) in random.iter().enumerate().take(lanes.div_ceil(4)) {
                    let at = (group * sites + site) * LANES + 4 * vector;
                    // SAFETY: `at` is the start of a vector inside each array.
                    let (old, v) = unsafe {
                        let old = _mm_loadu_ps(spins.as_ptr().add(at));
                        let space = _mm_mul_ps(by_space, _mm_loadu_ps(space.as_ptr().add(at)));
                        let tau = _mm_mul_ps(by_tau, _mm_loadu_ps(tau.as_ptr().add(at)));
                        (old, _mm_mul_ps(_mm_add_ps(space, tau), old))
                    };
                    let bits = _mm_add_epi32(_mm_cvtps_epi32(_mm_min_ps(v, limit)), unit);
                    let probability = _mm_mul_ps(_mm_castsi128_ps(bits), scale);
                    let uniform = _mm_cvtepi32_ps(_mm_srli_epi32::<8>(temper(load(words))));
                    let accepted = _mm_cmplt_ps(uniform, probability);
                    let new = _mm_xor_ps(old, _mm_and_ps(accepted, sign));
                    let mut flipped = _mm_movemask_ps(accepted) as usize & live >> (4 * vector);
                    flips += u64::from(flipped.count_ones());
                    // SAFETY: as above; links lead to rows of the group, and neighbours are layers of the model.
                    unsafe {
                        _mm_storeu_ps(spins.as_mut_ptr().add(at), new);
                        while flipped != 0 {
                            let lane = 4 * vector + flipped.trailing_zeros() as usize;
                            flipped &= flipped - 1;
                            let new = *spins.get_unchecked(at - 4 * vector + lane);
                            for &(far, twice) in links.get_unchecked(first[site] as usize..first[site + 1] as usize) {
                                let row = group * sites + far as usize;
                                *space.get_unchecked_mut(row * LANES + lane) += new * twice;
                            }
                            for (group, lane) in layout.neighbours(group, lane) {
                                *tau.get_unchecked_mut((group * sites + site) * LANES + lane) += 2.0 * new;
                            }
                        }
                    }
                }
            }
        }
        flips
    }
}

impl Rung for A3 {
    fn sweep(&mut self, beta: Beta, sweeps: usize) -> u64 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { self.sweep_sse2(beta, sweeps) }
    }

    fn spins(&self) -> Vec<i8> {
        let Layout { sites, layers, .. } = self.layout;
        (0..layers * sites).map(|i| self.spins[self.layout.place(i)] as i8).collect()
    }
}
