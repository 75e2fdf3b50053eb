use hotloops::bitslice as kernels;
use hotloops::bitslice::count_positions::Function as CountPositions;
use hotloops::bitslice::pick::Function as Gather;
use hotloops::bitslice::prefetch::Function as Prefetch;
use hotloops::bitslice::stream::Function as Stream;
use hotloops::bitslice::transpose_u64x32x32::Function as Transpose;

use crate::harness::guard::{Guarded, Side};
use crate::harness::lengths::{WIDE, is_slow};
use crate::harness::once;

const CHUNK: usize = hotloops::bitslice::CHUNK;
const SIDES: [Side; 2] = [Side::Start, Side::End];

/// Pseudo-random bytes without short periods.
fn bytes(n: usize, seed: u64) -> Vec<u8> {
    let mut x = seed;
    let mut byte = || {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (x >> 56) as u8
    };
    (0..n).map(|_| byte()).collect()
}

/// The shape of a layout: bytes per element, and planes as rows or as tiles of 64 elements.
#[derive(Clone, Copy)]
struct Shape {
    bytes: usize,
    tiled: bool,
}

impl Shape {
    /// The smallest legal stride.
    fn stride(self, chunks: usize) -> usize {
        if self.tiled { 64 * self.bytes } else { chunks * CHUNK / 8 }
    }

    /// Length of a layout from its first byte to its last, including gaps.
    fn extent(self, chunks: usize, stride: usize) -> usize {
        let count = if self.tiled { chunks * CHUNK / 64 } else { 8 * self.bytes };
        if chunks == 0 { 0 } else { (count - 1) * stride + self.stride(chunks) }
    }

    /// Position of bit j of element e: byte and bit.
    fn place(self, stride: usize, e: usize, j: usize) -> (usize, usize) {
        let byte = if self.tiled { e / 64 * stride + 8 * j + e / 8 % 8 } else { j * stride + e / 8 };
        (byte, e % 8)
    }
}

/// The largest number of chunks.
const MANY: usize = 320;

/// Counts of chunks: all; in slow emulators every small one, and those around multiples of 16.
fn many() -> impl Iterator<Item = usize> {
    (6..=MANY).filter(|chunks| !is_slow() || *chunks <= 80 || (chunks + 1) % 16 < 3)
}

impl Shape {
    fn wide_stride(self) -> usize {
        self.stride(MANY).max(WIDE)
    }

    /// The planes of the first `chunks` chunks, as ranges of bytes.
    fn pieces(self, chunks: usize, stride: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
        let count = if self.tiled { chunks * CHUNK / 64 } else { 8 * self.bytes };
        let width = if self.tiled { 64 * self.bytes } else { chunks * CHUNK / 8 };
        (0..count).map(move |plane| plane * stride..plane * stride + width)
    }
}

/// Slicing and tiling; `call(is_subject, elements, chunks, planes, stride)` runs the subject or the
/// reference.
fn into_planes(shape: Shape, call: impl Fn(bool, *const u8, usize, *mut u8, usize)) {
    let length = |chunks: usize| chunks * CHUNK * shape.bytes;
    // `chunks` chunks of random elements, and `planes` after the reference has sliced them.
    let by_reference = |chunks: usize, seed: u64, mut planes: Vec<u8>, stride: usize| {
        let elements = bytes(length(chunks), seed);
        call(false, elements.as_ptr(), chunks, planes.as_mut_ptr(), stride);
        (elements, planes)
    };
    for chunks in 0..6 {
        for (gap, seed) in [(0, 1), (1, 2), (8, 3), (37, 4), (64, 5)] {
            let stride = shape.stride(chunks) + gap;
            let before = once(|| bytes(shape.extent(chunks, stride), 99));
            let both = once(|| by_reference(chunks, seed, before.to_vec(), stride));
            let (elements, expected) = &*both;
            for side in SIDES {
                for slack in [0, 1, 4, 16, 31, 32, 61] {
                    let input = Guarded::new(elements, side, slack);
                    let mut output = Guarded::new(&before, side, 7 * slack % 64);
                    call(true, input.as_ptr(), chunks, output.as_mut_ptr(), stride);
                    assert!(output.to_vec() == *expected, "{chunks} chunks, stride {stride}, {side:?}, {slack}");
                    assert!(input.to_vec() == *elements);
                }
            }
        }
    }

    // Many counts of chunks. The planes of fewer chunks are prefixes of the longer ones.
    let stride = if shape.tiled { shape.stride(1) } else { shape.wide_stride() };
    let blank = vec![0x5a; shape.extent(MANY, stride)];
    let both = once(|| by_reference(MANY, 7, blank.clone(), stride));
    let (elements, expected) = &*both;
    let mut planes = Guarded::new(&blank, Side::End, 0);
    for chunks in many() {
        call(true, elements.as_ptr(), chunks, planes.as_mut_ptr(), stride);
        for piece in shape.pieces(chunks, stride) {
            let found = &mut planes.as_mut_slice()[piece.clone()];
            assert!(found[..] == expected[piece], "{chunks} chunks");
            found.fill(0x5a);
        }
        assert!(planes.as_slice() == blank, "{chunks} chunks: written beside the planes");
    }
    let stride = shape.wide_stride();
    let mut planes = vec![0x5a; shape.extent(2, stride)];
    let both = once(|| by_reference(2, 7, planes.clone(), stride));
    let (elements, expected) = &*both;
    call(true, elements.as_ptr(), 2, planes.as_mut_ptr(), stride);
    assert!(planes == *expected, "stride {stride}");

    // Every basis vector. The kernel is linear, so these prove it.
    let stride = shape.stride(1);
    let (mut elements, mut planes) = (vec![0; length(1)], vec![0xff; shape.extent(1, stride)]);
    let zeros = vec![0; planes.len()];
    for bit in 0..8 * length(1) {
        elements[bit / 8] = 1 << (bit % 8);
        planes.fill(0xff);
        call(true, elements.as_ptr(), 1, planes.as_mut_ptr(), stride);
        elements[bit / 8] = 0;
        let (byte, at) = shape.place(stride, bit / (8 * shape.bytes), bit % (8 * shape.bytes));
        assert_eq!(planes[byte], 1 << at, "bit {bit}");
        planes[byte] = 0;
        assert!(planes == zeros, "bit {bit}");
    }

    // A few distances of the buffers modulo the page size. `reference/bitslice.rs` tries all of
    // them.
    let both = once(|| by_reference(1, 6, vec![0; planes.len()], stride));
    let (elements, expected) = &*both;
    let mut room = vec![0; length(1) + 4096 + planes.len()];
    room[..length(1)].copy_from_slice(elements);
    for delta in (0..4096).step_by(67) {
        let (source, output) = room.split_at_mut(length(1) + delta);
        call(true, source.as_ptr(), 1, output.as_mut_ptr(), stride);
        assert!(output[..planes.len()] == *expected, "{delta} bytes away");
    }
}

/// The inverse kernels; `call(is_subject, planes, stride, chunks, elements)`.
fn from_planes(shape: Shape, call: impl Fn(bool, *const u8, usize, usize, *mut u8)) {
    let length = |chunks: usize| chunks * CHUNK * shape.bytes;
    // Random planes of `chunks` chunks, and `elements` after the reference has joined them.
    let by_reference = |chunks: usize, seed: u64, stride: usize, mut elements: Vec<u8>| {
        let planes = bytes(shape.extent(chunks, stride), seed);
        call(false, planes.as_ptr(), stride, chunks, elements.as_mut_ptr());
        (planes, elements)
    };
    for chunks in 0..6 {
        for (gap, seed) in [(0, 1), (1, 2), (8, 3), (37, 4), (64, 5)] {
            let stride = shape.stride(chunks) + gap;
            let before = once(|| bytes(length(chunks), 99));
            let both = once(|| by_reference(chunks, seed, stride, before.to_vec()));
            let (planes, expected) = &*both;
            for side in SIDES {
                for slack in [0, 1, 4, 16, 31, 32, 61] {
                    let input = Guarded::new(planes, side, slack);
                    let mut output = Guarded::new(&before, side, 7 * slack % 64);
                    call(true, input.as_ptr(), stride, chunks, output.as_mut_ptr());
                    assert!(output.to_vec() == *expected, "{chunks} chunks, stride {stride}, {side:?}, {slack}");
                    assert!(input.to_vec() == *planes);
                }
            }
        }
    }

    // Many counts of chunks. The elements of fewer chunks are prefixes of the longer ones.
    let stride = if shape.tiled { shape.stride(1) } else { shape.wide_stride() };
    let blank = vec![0x5a; length(MANY)];
    let both = once(|| by_reference(MANY, 7, stride, blank.clone()));
    let (planes, expected) = &*both;
    let mut elements = Guarded::new(&blank, Side::End, 0);
    for chunks in many() {
        call(true, planes.as_ptr(), stride, chunks, elements.as_mut_ptr());
        let (found, beyond) = elements.as_mut_slice().split_at_mut(length(chunks));
        assert!(found == &expected[..length(chunks)], "{chunks} chunks");
        assert!(*beyond == blank[length(chunks)..], "{chunks} chunks: written beside the elements");
        found.fill(0x5a);
    }
    let stride = shape.wide_stride();
    let mut elements = vec![0; length(2)];
    let both = once(|| by_reference(2, 8, stride, elements.clone()));
    let (planes, expected) = &*both;
    call(true, planes.as_ptr(), stride, 2, elements.as_mut_ptr());
    assert!(elements == *expected, "stride {stride}");

    let stride = shape.stride(1);
    let (mut elements, mut planes) = (vec![0xff; length(1)], vec![0; shape.extent(1, stride)]);
    let zeros = vec![0; length(1)];
    for bit in 0..8 * length(1) {
        let (byte, at) = shape.place(stride, bit / (8 * shape.bytes), bit % (8 * shape.bytes));
        planes[byte] = 1 << at;
        elements.fill(0xff);
        call(true, planes.as_ptr(), stride, 1, elements.as_mut_ptr());
        planes[byte] = 0;
        assert_eq!(elements[bit / 8], 1 << (bit % 8), "bit {bit}");
        elements[bit / 8] = 0;
        assert!(elements == zeros, "bit {bit}");
    }

    let both = once(|| by_reference(1, 6, stride, vec![0; length(1)]));
    let (planes, expected) = &*both;
    let mut room = vec![0; planes.len() + 4096 + length(1)];
    room[..planes.len()].copy_from_slice(planes);
    for delta in (0..4096).step_by(67) {
        let (source, output) = room.split_at_mut(planes.len() + delta);
        call(true, source.as_ptr(), stride, 1, output.as_mut_ptr());
        assert!(output[..length(1)] == *expected, "{delta} bytes away");
    }
}

fn sliced<T>(
    shape: Shape,
    reference: unsafe extern "C" fn(*const T, usize, *mut u8, usize),
    subject: unsafe extern "C" fn(*const T, usize, *mut u8, usize),
) {
    into_planes(shape, |is_subject, src, chunks, planes, stride| {
        let kernel = if is_subject { subject } else { reference };
        // SAFETY: the walk above gives buffers of the sizes that the kernels want.
        unsafe { kernel(src.cast(), chunks, planes, stride) }
    });
}

fn joined<T>(
    shape: Shape,
    reference: unsafe extern "C" fn(*const u8, usize, usize, *mut T),
    subject: unsafe extern "C" fn(*const u8, usize, usize, *mut T),
) {
    from_planes(shape, |is_subject, planes, stride, chunks, dst| {
        let kernel = if is_subject { subject } else { reference };
        // SAFETY: as above.
        unsafe { kernel(planes, stride, chunks, dst.cast()) }
    });
}

/// The checks of an element type.
macro_rules! checks_of_slicing {
    ($element:ty, $slice:ident, $unslice:ident, $tile:ident, $untile:ident) => {
        pub fn $slice(reference: kernels::$slice::Function, subject: kernels::$slice::Function) {
            sliced(Shape { bytes: size_of::<$element>(), tiled: false }, reference, subject);
        }

        pub fn $tile(reference: kernels::$tile::Function, subject: kernels::$tile::Function) {
            sliced(Shape { bytes: size_of::<$element>(), tiled: true }, reference, subject);
        }

        pub fn $unslice(reference: kernels::$unslice::Function, subject: kernels::$unslice::Function) {
            joined(Shape { bytes: size_of::<$element>(), tiled: false }, reference, subject);
        }

        pub fn $untile(reference: kernels::$untile::Function, subject: kernels::$untile::Function) {
            joined(Shape { bytes: size_of::<$element>(), tiled: true }, reference, subject);
        }
    };
}

checks_of_slicing! { u8, slice_u8, unslice_u8, tile_u8, untile_u8 }
checks_of_slicing! { u16, slice_u16, unslice_u16, tile_u16, untile_u16 }
checks_of_slicing! { u32, slice_u32, unslice_u32, tile_u32, untile_u32 }
checks_of_slicing! { u64, slice_u64, unslice_u64, tile_u64, untile_u64 }

pub fn cut_tile(reference: kernels::cut_tile::Function, subject: kernels::cut_tile::Function) {
    converted(reference, subject);
}

pub fn join_tile(reference: kernels::join_tile::Function, subject: kernels::join_tile::Function) {
    converted(reference, subject);
}

/// Every bit of a tile or its elements, then random ones.
fn converted(reference: kernels::cut_tile::Function, subject: kernels::cut_tile::Function) {
    for width in [1, 2, 4, 8] {
        let size = 64 * width;
        let run = |function: kernels::cut_tile::Function, src: &[u8], side, slack| {
            let (input, mut output) =
                (Guarded::new(src, side, slack), Guarded::new(&vec![0xa5; size], side, 7 * slack));
            // SAFETY: 64 elements and their tile.
            unsafe { function(input.as_ptr(), width, output.as_mut_ptr()) };
            assert!(input.to_vec() == src);
            output.to_vec()
        };
        let mut src = vec![0; size];
        for bit in 0..8 * size {
            src[bit / 8] = 1 << (bit % 8);
            let expected = once(|| run(reference, &src, Side::Start, 0));
            assert!(*expected == run(subject, &src, Side::Start, 0), "{width} bytes, bit {bit}");
            src[bit / 8] = 0;
        }
        let src = bytes(size, 1);
        let expected = once(|| run(reference, &src, Side::Start, 0));
        for side in SIDES {
            for slack in [0, 1, 4, 16, 31, 32, 61] {
                assert!(*expected == run(subject, &src, side, slack), "{width} bytes, {side:?}, {slack}");
            }
        }
    }
}

pub fn transpose_u64x32x32(reference: Transpose, subject: Transpose) {
    let words = bytes(8192, 1);
    let mut expected = vec![0u8; 8192];
    // SAFETY: 1024 words on both sides, here and below.
    unsafe { reference(words.as_ptr().cast(), expected.as_mut_ptr().cast()) };
    for side in SIDES {
        for slack in 0..64 {
            let input = Guarded::new(&words, side, slack);
            let mut output = Guarded::new(&[0u8; 8192], side, 7 * slack % 64);
            // SAFETY: 1024 words on both sides.
            unsafe { subject(input.as_ptr().cast(), output.as_mut_ptr().cast()) };
            assert!(output.to_vec() == expected, "{side:?}, {slack}");
        }
    }
}

pub fn pick(reference: Gather, subject: Gather) {
    wide_picks(reference, subject);
    // Planes of one block, tiles, blocks of 2048 elements.
    for count in 1..=64usize {
        let elements = 300;
        for (block_bits, stride) in [(63, 38), (63, 41), (6, 8), (11, 256), (3, 1)] {
            if block_bits as u32 >= usize::BITS {
                continue;
            }
            let blocks = if block_bits == 63 { 1 } else { ((elements - 1) >> block_bits) + 1 };
            let used = if block_bits == 63 { 38 } else { (1 << block_bits) / 8 };
            let block_stride = (count - 1) * stride + used + 3 * (block_bits % 2);
            let extent = (blocks - 1) * block_stride + (count - 1) * stride + used;
            let planes = once(|| bytes(extent, count as u64));
            for n in [0, 1, 2, 7, 33] {
                let indices: Vec<usize> = (0..n).map(|i| (i * 77 + count * n + 299) % elements).collect();
                let length = n * count.div_ceil(8).next_power_of_two();
                let expected = once(|| {
                    let (mut expected, from) = (vec![0u8; length], planes.as_ptr());
                    let (list, dst) = (indices.as_ptr(), expected.as_mut_ptr());
                    // SAFETY: the indices are those of elements of the planes.
                    unsafe { reference(from, stride, count, block_bits, block_stride, list, n, dst) };
                    expected
                });
                for side in SIDES {
                    let input = Guarded::new(&planes, side, n);
                    let list = Guarded::new(&indices, side, 8 * n);
                    let mut output = Guarded::new(&vec![0u8; length], side, n);
                    let (from, list, dst) = (input.as_ptr(), list.as_ptr(), output.as_mut_ptr());
                    // SAFETY: as above.
                    unsafe { subject(from, stride, count, block_bits, block_stride, list, n, dst) };
                    assert!(output.to_vec() == *expected, "{count} planes, blocks of 2^{block_bits}, {n} indices");
                }
            }
        }
    }
}

/// Strides and index counts that exceed 16 bits.
fn wide_picks(reference: Gather, subject: Gather) {
    const COUNT: usize = 3;
    let (block_bits, stride) = (16, WIDE);
    let block_stride = COUNT * stride;
    let planes = bytes(2 * block_stride, 9);
    for n in [257, 300, 4099, WIDE] {
        let indices: Vec<usize> = (0..n).map(|i| i * 77_773 % (2 << block_bits)).collect();
        let run = |gather: Gather| {
            let (list, mut output) = (Guarded::new(&indices, Side::End, 0), Guarded::new(&vec![0u8; n], Side::End, 0));
            let (planes, list, dst) = (planes.as_ptr(), list.as_ptr(), output.as_mut_ptr());
            // SAFETY: the indices are those of elements of two blocks, whose planes fit in their stride.
            unsafe { gather(planes, stride, COUNT, block_bits, block_stride, list, n, dst) };
            output.to_vec()
        };
        assert!(*once(|| run(reference)) == run(subject), "{n} indices");
    }
}

pub fn count_positions(reference: CountPositions, subject: CountPositions) {
    let run = |kernel: CountPositions, words: *const u8, n: usize, counts: &mut Guarded<u64>| {
        // SAFETY: n words and 64 counts.
        unsafe { kernel(words.cast(), n, counts.as_mut_ptr()) };
    };
    let start: Vec<u64> = (0..64).map(|j| (j << 58 | j) ^ u64::MAX >> 1).collect();
    for n in (0..70).chain([127, 128, 255, 256, 257, 511, 512, 1000, 2049, 5000, WIDE]) {
        for fill in [None, Some(0xff)] {
            let words = once(|| fill.map_or_else(|| bytes(8 * n, n as u64 + 1), |byte| vec![byte; 8 * n]));
            let expected = once(|| {
                let mut expected = Guarded::new(&start, Side::Start, 0);
                run(reference, words.as_ptr(), n, &mut expected);
                expected.to_vec()
            });
            for side in SIDES {
                for slack in [0, 1, 24, 61] {
                    let input = Guarded::new(&words, side, slack);
                    let mut counts = Guarded::new(&start, side, slack);
                    run(subject, input.as_ptr(), n, &mut counts);
                    assert_eq!(counts.to_vec(), *expected, "{n} words, {side:?}, {slack}");
                }
            }
        }
    }
}

pub fn stream(reference: Stream, subject: Stream) {
    for n in (0..1100).chain([4096, 8192, 8193, WIDE]) {
        let data = once(|| bytes(n, 1));
        for side in SIDES {
            for slack in [0, 1, 15, 16, 33, 63] {
                let input = Guarded::new(&data, side, slack);
                let copied = |function: Stream| {
                    let mut output = Guarded::new(&vec![0u8; n], side, 5 * slack % 64);
                    // SAFETY: n bytes on both sides.
                    unsafe { function(input.as_ptr(), output.as_mut_ptr(), n) };
                    output.to_vec() == *data
                };
                assert!(*once(|| copied(reference)) && copied(subject), "{n} bytes, {side:?}, {slack}");
            }
        }
    }
}

/// Prefetching must not fault beyond a guarded buffer or at an unmapped address.
pub fn prefetch(reference: Prefetch, subject: Prefetch) {
    let data = Guarded::new(&[1u8; 100], Side::End, 0);
    for function in [reference, subject] {
        for n in [0, 1, 64, 65, 100_000] {
            for start in [data.as_ptr(), std::ptr::null(), std::ptr::without_provenance(usize::MAX - 70)] {
                // SAFETY: any pointer is legal.
                unsafe { function(start, n) };
            }
        }
    }
    assert_eq!(data.as_slice(), [1; 100]);
}
