use hotloops::hamming::counts::Function as Counts;
use hotloops::hamming::distances::Function as Distances;
use hotloops::hamming::intersections::Function as Intersections;
use hotloops::hamming::misses::Function as Misses;
use hotloops::hamming::shared::Function as Shared;
use hotloops::hamming::slices::Function as Slices;
use hotloops::hamming::tanimoto::Function as Similarities;

use crate::harness::guard::{Guarded, Side};
use crate::harness::lengths::WIDE;
use crate::harness::once;
use crate::harness::rng::Rng;

const SIDES: [Side; 2] = [Side::Start, Side::End];

impl Rng {
    fn words(&mut self, n: usize) -> Vec<u64> {
        (0..n).map(|_| self.word()).collect()
    }
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub fn slices(reference: Slices, subject: Slices) {
    let mut rng = Rng(1);
    let mut blocks = vec![vec![0; 1024], vec![!0; 1024], rng.words(1024)];
    // Complementary planes, so that every bit of a pair differs. The byte sums then reach their
    // limit of 255.
    blocks.push((0..1024).map(|word| if word % 2 == 0 { 0 } else { !0 }).collect());
    blocks.push((0..1024).map(|word| if word % 32 < 16 { 0 } else { !0 }).collect());
    blocks.push((0..1024).map(|word| if word / 32 % 3 == 0 { rng.word() } else { !0 }).collect());
    // A few ones or a few zeros, in one tile and plane at a time.
    blocks.extend(
        (0..64).map(|i| (0..1024).map(|word| if word % 64 == i { rng.word() & rng.word() } else { 0 }).collect()),
    );
    blocks.extend((0..32).map(|i| (0..1024).map(|word| if word / 32 == i { !0 } else { 0 }).collect()));
    for (number, block) in blocks.iter().enumerate() {
        let tiles = bytes(block);
        let before: Vec<u32> = (0..1024).map(|i| 0xabcd_0000 + i).collect();
        let expected = once(|| {
            let mut expected = before.clone();
            // SAFETY: a block and 1024 integers.
            unsafe { reference(tiles.as_ptr(), expected.as_mut_ptr()) };
            expected
        });
        for side in SIDES {
            for slack in [0, 4, 28, 32] {
                let input = Guarded::new(&tiles, side, slack + number % 4);
                let mut output = Guarded::new(&before, side, slack);
                // SAFETY: a block and 1024 integers.
                unsafe { subject(input.as_ptr(), output.as_mut_ptr()) };
                assert_eq!(output.to_vec(), *expected, "block {number}, {side:?}, {slack}");
            }
        }
    }
}

pub fn intersections(reference: Intersections, subject: Intersections) {
    let mut rng = Rng(2);
    // Groups, words per row, rows: each takes all small values while the others vary. Then rows of
    // all ones and long rows.
    let mut shapes = Vec::new();
    shapes.extend((0..12).flat_map(|groups| (0..6).map(move |n| (groups, (3 * groups + 5 * n) % 20, n))));
    shapes.extend((0..70).map(|chunks| (1 + chunks % 5, chunks, 1 + chunks % 7)));
    shapes.extend((0..14).map(|n| (3, 16, n)));
    shapes.extend([(1, 511, 2), (5, 1030, 5), (2, 2100, 1)]);
    // Each of them beyond 8 bits and beyond 16 bits.
    shapes.extend((0..320).map(|n| (1 + n % 2, n % 3, n)));
    shapes.extend((0..320).flat_map(|m| [(m, 1 + m % 3, 1), (1, m, 1)]));
    shapes.extend([(WIDE, 1, 1), (1, WIDE, 1), (1, 1, WIDE)]);
    for (groups, chunks, n) in shapes {
        for (tailed, full) in [(false, false), (true, false), (false, true), (true, true)] {
            let all = chunks + usize::from(tailed);
            let mut words = |count| if full { vec![!0; count] } else { rng.words(count) };
            let (packed, tails) = (bytes(&words(8 * groups * all)), words(n));
            let stride = 8 * chunks + [0, 1, 8, 40][(n + chunks) % 4] + if (groups, n) == (3, 7) { WIDE } else { 0 };
            let extent = if n == 0 { 0 } else { (n - 1) * stride + 8 * chunks };
            let rows = bytes(&words(extent.div_ceil(8)))[..extent].to_vec();
            let out_stride = 8 * groups + [0, 1, 3][groups % 3] + if (groups, n) == (3, 8) { WIDE } else { 0 };
            let length = if n == 0 { 0 } else { (n - 1) * out_stride + 8 * groups };
            let before = vec![0xabcd_ef01_u32; length];
            let run = |kernel: Intersections, packed, rows, tails: *const u64, out| {
                let tails = if tailed { tails } else { std::ptr::null() };
                // SAFETY: buffers of the sizes that the kernel wants.
                unsafe { kernel(packed, groups, chunks, rows, stride, tails, n, out, out_stride) }
            };
            let expected = once(|| {
                let mut expected = before.clone();
                run(reference, packed.as_ptr(), rows.as_ptr(), tails.as_ptr(), expected.as_mut_ptr());
                expected
            });
            for side in SIDES {
                let slack = (groups + chunks) % 5;
                let (first, second) = (Guarded::new(&packed, side, slack), Guarded::new(&rows, side, 3 * slack));
                let (third, mut out) = (Guarded::new(&tails, side, 8 * slack), Guarded::new(&before, side, 4 * slack));
                run(subject, first.as_ptr(), second.as_ptr(), third.as_ptr(), out.as_mut_ptr());
                assert_eq!(out.to_vec(), *expected, "{groups} groups, {chunks} words, {n} rows, tails: {tailed}");
            }
        }
    }
}

/// `call(kernel, query, rows, n, bits, stride, out)` for rows of all small lengths.
fn single_rows<F: Copy>(
    reference: F,
    subject: F,
    call: impl Fn(F, *const u8, *const u8, usize, usize, usize, *mut u32),
) {
    let mut rng = Rng(3);
    let lengths = [767, 768, 1023, 1024, 2047, 2048, 2049, 2304, 3967, 3968, 4096, 4100, 9000, 70_001];
    for bits in (0..140usize).chain((140..640).step_by(3)).chain([255, 256, 320, 512, 544, 576]).chain(lengths) {
        let wide = if bits == 9 { &[(257, 0), (300, 1), (WIDE, 0), (3, WIDE)][..] } else { &[] };
        for &(n, gap) in [(0, 0), (1, 0), (2, 5), (5, 1), (8, 0), (17, 3)].iter().chain(wide) {
            let stride = bits.div_ceil(8) + gap;
            let extent = if n == 0 { 0 } else { (n - 1) * stride + bits.div_ceil(8) };
            let random = bytes(&rng.words(extent.div_ceil(8)))[..extent].to_vec();
            // All bits count: of random rows, of ones, and of a query that has all ones or none.
            let query = bytes(&rng.words(bits.div_ceil(64)))[..bits.div_ceil(8)].to_vec();
            let full = vec![if n % 2 == 0 { 0 } else { 0xff }; query.len()];
            for (query, rows) in [(&query, &random), (&full, &vec![0xff; extent])] {
                let expected = once(|| {
                    let mut expected = vec![7; n];
                    call(reference, query.as_ptr(), rows.as_ptr(), n, bits, stride, expected.as_mut_ptr());
                    expected
                });
                for side in SIDES {
                    let (first, input) = (Guarded::new(query, side, bits % 5), Guarded::new(rows, side, bits % 7));
                    let mut output = Guarded::new(&vec![7u32; n], side, 4 * n);
                    call(subject, first.as_ptr(), input.as_ptr(), n, bits, stride, output.as_mut_ptr());
                    assert_eq!(output.to_vec(), *expected, "{n} rows of {bits} bits, {side:?}");
                }
            }
        }
    }
}

pub fn counts(reference: Counts, subject: Counts) {
    single_rows(reference, subject, |kernel, _, rows, n, bits, stride, counts| {
        // SAFETY: n rows and n counts.
        unsafe { kernel(rows, n, bits, stride, counts) }
    });
}

pub fn shared(reference: Shared, subject: Shared) {
    single_rows(reference, subject, |kernel, query, rows, n, bits, stride, out| {
        // SAFETY: a query, n rows and n counts.
        unsafe { kernel(query, rows, n, bits, stride, out) }
    });
}

pub fn differing(reference: Shared, subject: Shared) {
    shared(reference, subject);
}

/// Popcounts of a row, of other rows, and of their intersections.
fn rows_of_counts() -> impl Iterator<Item = (u32, Vec<u32>, Vec<u32>)> {
    let mut rng = Rng(4);
    let largest = [0, 1, 5, 166, 2048, 1 << 24, (1 << 30) - 1];
    let long = (70..1100).chain([4099, WIDE]).map(|n| (n, 2048));
    (0..70usize).flat_map(move |n| largest.map(|most| (n, most))).chain(long).map(move |(n, most)| {
        let mut below = |bound: u32| (rng.word() % (u64::from(bound) + 1)) as u32;
        let ones = if n % 5 == 0 { most } else { below(most) };
        let others: Vec<u32> = (0..n).map(|i| if i % 7 == 3 { 0 } else { below(most) }).collect();
        let common = others.iter().map(|&b| if b % 5 == 0 { b.min(ones) } else { below(b.min(ones)) }).collect();
        (ones, others, common)
    })
}

/// `call(kernel, common, others, n, ones, out)`, in place too.
fn finish<F: Copy>(reference: F, subject: F, call: impl Fn(F, *const u32, *const u32, usize, u32, *mut u32)) {
    let rows = once(|| rows_of_counts().collect::<Vec<_>>());
    for (ones, others, common) in rows.iter() {
        let (n, ones) = (others.len(), *ones);
        let expected = once(|| {
            let mut expected = vec![0; n];
            call(reference, common.as_ptr(), others.as_ptr(), n, ones, expected.as_mut_ptr());
            expected
        });
        for side in SIDES {
            let slack = 4 * (n % 9);
            let (mut first, second) = (Guarded::new(common, side, slack), Guarded::new(others, side, 3 * slack));
            let mut out = Guarded::new(&vec![0; n], side, 2 * slack);
            call(subject, first.as_ptr(), second.as_ptr(), n, ones, out.as_mut_ptr());
            assert_eq!(out.to_vec(), *expected, "ones {ones}, others {others:?}, common {common:?}");
            call(subject, first.as_ptr(), second.as_ptr(), n, ones, first.as_mut_ptr());
            assert_eq!(first.to_vec(), *expected, "in place");
        }
    }
}

pub fn distances(reference: Distances, subject: Distances) {
    // SAFETY: n integers everywhere, here and below.
    finish(reference, subject, |kernel, common, others, n, ones, out| unsafe { kernel(common, others, n, ones, out) });
}

fn similarities(reference: Similarities, subject: Similarities) {
    for empty in [0.0, 1.0, f32::NAN] {
        // SAFETY: n integers everywhere.
        finish(reference, subject, |kernel, common, others, n, ones, out| unsafe {
            kernel(common, others, n, ones, empty, out.cast())
        });
    }
}

pub fn tanimoto(reference: Similarities, subject: Similarities) {
    similarities(reference, subject);
}

pub fn dice(reference: Similarities, subject: Similarities) {
    similarities(reference, subject);
}

pub fn cosine(reference: Similarities, subject: Similarities) {
    similarities(reference, subject);
}

/// Groups, chunks, levels, and the chance that a bit of a plane is 1, in 256ths.
fn miss_shapes() -> Vec<(usize, usize, usize, u64)> {
    let mut shapes = Vec::new();
    shapes
        .extend((0..5).flat_map(|n| (0..4).flat_map(move |chunks| (0..5).map(move |levels| (n, chunks, levels, 128)))));
    shapes.extend((0..10).map(|levels| (3, 2 + levels, levels, [40, 128, 250][levels % 3])));
    shapes.extend([
        (7, 1, 0, 5),
        (7, 1, 0, 251),
        (64, 3, 2, 20),
        (64, 3, 2, 128),
        (64, 40, 5, 128),
        (20, 300, 18, 128),
    ]);
    shapes
}

pub fn misses(reference: Misses, subject: Misses) {
    let mut rng = Rng(5);
    for (number, (n, chunks, levels, chance)) in miss_shapes().into_iter().enumerate() {
        for (invert, fresh) in [(0, true), (!0, true), (0, false), (!0, false), (0x0123_4567_89ab_cdef, false)] {
            let (lines, span) = (4 + levels, n + number % 3);
            // Planes anywhere in a buffer, at odd distances; few of them are repeated.
            let stride = 64 * span + [0, 64, 1][number % 3];
            let count = (8 * chunks).min(40);
            let bit = |rng: &mut Rng| (0..8).fold(0, |byte, i| byte | u8::from(rng.below(256) < chance) << i);
            let planes: Vec<u8> = (0..count * stride).map(|_| bit(&mut rng)).collect();
            let offsets: Vec<u32> = (0..8 * chunks).map(|_| (rng.index(count.max(1)) * stride) as u32).collect();
            let groups: Vec<u16> = (0..n).map(|i| (i + rng.index(span - n + 1)) as u16).collect();
            let mut states = rng.words(8 * lines * n);
            // Groups with few live rows, so that some die.
            for (i, line) in states.chunks_exact_mut(8).enumerate() {
                if i % lines == 3 {
                    line.iter_mut().for_each(|word| *word |= !0 << (i % 61));
                }
            }
            let words = rng.words(lines);
            let run = |kernel: Misses, planes, offsets, groups, words, states| {
                let words = if fresh { words } else { std::ptr::null() };
                // SAFETY: buffers of the sizes that the kernel wants.
                unsafe { kernel(planes, offsets, chunks, invert, groups, n, words, states, levels) }
            };
            let expected = once(|| {
                let (mut groups, mut states) = (groups.clone(), states.clone());
                let (planes, offsets, words) = (planes.as_ptr(), offsets.as_ptr(), words.as_ptr());
                let live = run(reference, planes, offsets, groups.as_mut_ptr(), words, states.as_mut_ptr());
                (live, groups, states)
            });
            for side in SIDES {
                let slack = number % 5;
                let (planes, offsets) = (Guarded::new(&planes, side, slack), Guarded::new(&offsets, side, 4 * slack));
                let (mut list, words) = (Guarded::new(&groups, side, 2 * slack), Guarded::new(&words, side, 8 * slack));
                let mut slots = Guarded::new(&states, side, 8 * slack);
                let (planes, offsets, words) = (planes.as_ptr(), offsets.as_ptr(), words.as_ptr());
                let live = run(subject, planes, offsets, list.as_mut_ptr(), words, slots.as_mut_ptr());
                let name = format!("{n} groups, {chunks} chunks, {levels} levels, {invert:x}, fresh: {fresh}");
                assert_eq!((live, list.to_vec(), slots.to_vec()), *expected, "{name}");
            }
        }
    }
}
