//! The results of consumer.c for the kernels of hotloops_kernels.h, computed by the crate.

use hotloops::ising::{self, Link};
use hotloops::{hardround, reduce};

use crate::digest::{digest, generator};
use crate::results::numbers;

pub fn kernel_results() -> Vec<String> {
    let words: Vec<u32> = (0..2048u32).map(|n| n.wrapping_mul(2_654_435_761)).collect();
    let memory: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let longs: Vec<u64> = memory.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap())).collect();
    let mut lines = vec![misses_result(&longs), intersections_result(&longs), binned_result(), exhaust_result()];
    lines.extend(sweep_results());
    lines.extend(exact_kernel_results());
    lines.extend(wide_kernel_results());
    lines
}

/// The states of two groups after 8 planes of 1024 bits.
fn misses_result(words: &[u64]) -> String {
    let line = |group: usize, bit: Option<u32>| {
        (0..8).map(move |word| {
            let planes: [u64; 8] = std::array::from_fn(|plane| words[16 * plane + 8 * group + word]);
            let count = |row: u32| planes.iter().map(|plane| plane >> row & 1).sum::<u64>();
            bit.map_or(0, |bit| (0..64).fold(0, |word, row| word | (count(row) >> bit & 1) << row))
        })
    };
    let lines = |group| [Some(0), Some(1), Some(2), None, Some(3)].into_iter().flat_map(move |bit| line(group, bit));
    digest("misses", (0..2).flat_map(lines).map(u64::to_ne_bytes))
}

/// 64 packed rows of 16 words against the first two rows of the same memory.
fn intersections_result(words: &[u64]) -> String {
    let common = (0..128usize).map(|at| {
        let (row, group, lane) = (at / 64, at % 64 / 8, at % 8);
        (0..16).map(|word| (words[16 * row + word] & words[(16 * group + word) * 8 + lane]).count_ones()).sum::<u32>()
    });
    digest("intersections", common.map(u32::to_ne_bytes))
}

fn binned_result() -> String {
    let (floats, doubles) = numbers();
    let mut sums = [0; 3];
    // SAFETY: the elements of two arrays, three sums.
    let fits = unsafe {
        reduce::binned_f64(doubles.as_ptr(), 1001, -34, sums.as_mut_ptr())
            & reduce::binned_f32(floats.as_ptr(), 1001, -34, sums.as_mut_ptr())
            & reduce::products_f64(doubles.as_ptr(), doubles.as_ptr(), 1001, -34, sums.as_mut_ptr())
            & reduce::products_f32(floats.as_ptr(), floats.as_ptr(), 1001, -34, sums.as_mut_ptr())
    };
    assert_eq!(fits, 1);
    digest("binned", sums.map(i64::to_ne_bytes))
}

fn exhaust_result() -> String {
    let d = [1u64, 2, 3, 4].map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    format!("hardround_first {}", hardround::exhaust_first(&d, 100_000, 1 << 50).unwrap())
}

fn sweep_results() -> [String; 4] {
    let links = [(1, 0.25), (64, 0.5), (1, 0.0), (0, 0.5)].map(|(word, value)| Link { word, value });
    let sign = |period: usize| std::array::from_fn::<f32, 32, _>(|i| if i % period == 0 { -1.0 } else { 1.0 });
    let mut random = [0; 32];
    generator(16).fill_u32(&mut random);
    let sweep = |name, kernel: ising::sweep_fast_f32::Function| {
        let (mut spins, below, above, mut flips) = (sign(3), sign(5), sign(7), [0; 16]);
        // SAFETY: two rows everywhere, and links for two sites that stay inside them.
        unsafe {
            let (below, above, links) = (below.as_ptr(), above.as_ptr(), links.as_ptr());
            kernel(spins.as_mut_ptr(), 0, 2, below, above, links, 0.5, 0.25, random.as_ptr(), flips.as_mut_ptr());
        }
        digest(name, spins.map(f32::to_ne_bytes))
    };
    [
        sweep("sweep_fast_f32", ising::sweep_fast_f32),
        sweep("sweep_poly_f32", ising::sweep_poly_f32),
        sweep("sweep_heat_fast_f32", ising::sweep_heat_fast_f32),
        sweep("sweep_heat_poly_f32", ising::sweep_heat_poly_f32),
    ]
}

fn exact_kernel_results() -> [String; 6] {
    let results = |names: [&str; 2], kernel: ising::sweep_i8::Function, thresholds: [u16; ising::THRESHOLDS]| {
        let links = [1 | 1 << 8 | 1 << 16, 2 | 1 << 8, 1 | 1 << 8, 2];
        let (below, above) = ([0x0123456789abcdef, 0], [0xff, !0]);
        let (mut spins, mut flips) = ([0x5555555555555555, 0xffff0000], 0);
        let (mut random, mut bytes) = ([0; 64], [0; 128]);
        generator(16).fill_u32(&mut random);
        // SAFETY: two sites everywhere, and links that stay inside them.
        let sites = unsafe {
            kernel(
                spins.as_mut_ptr(),
                bytes.as_mut_ptr(),
                2,
                0,
                2,
                below.as_ptr(),
                above.as_ptr(),
                links.as_ptr(),
                thresholds.as_ptr(),
                random.as_ptr(),
                !0,
                &mut flips,
            )
        };
        assert_eq!(sites, 2);
        [
            digest(names[0], thresholds.map(u16::to_ne_bytes)),
            digest(names[1], spins.map(u64::to_ne_bytes)),
            digest("flips", [flips.to_ne_bytes()]),
        ]
    };
    let [a, b, c] = results(["thresholds", "sweep_i8"], ising::sweep_i8, ising::thresholds(0.5, 0.25));
    let heat = ising::heat_thresholds(0.5, 0.25);
    let [d, e, f] = results(["heat_thresholds", "sweep_heat_i8"], ising::sweep_heat_i8, heat);
    [a, b, c, d, e, f]
}

fn wide_kernel_results() -> [String; 6] {
    let results = |names: [&str; 2], kernel: ising::sweep_i16::Function, factors: [u16; ising::FACTORS]| {
        let link = |word, value: u32| ising::WideLink { word, pair: value << 16 | value };
        let links = [link(1, 3), link(64, 4), link(1, 2), link(0, 4)];
        let rows = |pattern: u32| (0..32).map(move |lane| -((pattern >> lane & 1) as i16));
        let both = |a, b| rows(a).chain(rows(b)).collect::<Vec<_>>();
        let (below, above) = (both(0x0123_4567, 0), both(0xff, !0));
        let (mut spins, mut flips, mut doubt) = (both(0x5555_5555, 0xffff_0000), 0, 7);
        let mut random = [0; 32];
        generator(16).fill_u32(&mut random);
        // SAFETY: two sites everywhere, and links that stay inside them.
        let sites = unsafe {
            kernel(
                spins.as_mut_ptr(),
                0,
                2,
                below.as_ptr(),
                above.as_ptr(),
                links.as_ptr(),
                factors.as_ptr(),
                random.as_ptr(),
                !0,
                &mut flips,
                &mut doubt,
            )
        };
        assert_eq!((sites, doubt), (2, 0));
        [
            digest(names[0], factors.map(u16::to_ne_bytes)),
            digest(names[1], spins.into_iter().map(i16::to_ne_bytes)),
            digest("flips", [flips.to_ne_bytes()]),
        ]
    };
    let [a, b, c] = results(["factors", "sweep_i16"], ising::sweep_i16, ising::factors(0.5, 0.25));
    let heat = ising::heat_factors(0.5, 0.25);
    let [d, e, f] = results(["heat_factors", "sweep_heat_i16"], ising::sweep_heat_i16, heat);
    [a, b, c, d, e, f]
}
