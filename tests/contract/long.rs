//! More than 2^32 elements, and strides of more than 2^32 bytes: no variant truncates a size to 32
//! bits. The long arrays repeat the same 4 MiB, except for their last elements. They take minutes,
//! so they need `--ignored`.
#![cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::null_mut;
use std::time::Instant;

use hotloops::isa;
use hotloops::kernel::Kernel;

const LENGTH: usize = (1 << 32) + REST;
/// The remainder of a length truncated to 32 bits.
const REST: usize = 4093;
const PERIOD: usize = 1 << 22;
const PAGE: usize = 1 << 16;

/// Reserved address space, partly backed by memory.
struct Space {
    base: *mut u8,
    size: usize,
}

impl Space {
    fn new(size: usize) -> Self {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
        // SAFETY: a fresh mapping.
        let base = unsafe { libc::mmap(null_mut(), size, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(base, libc::MAP_FAILED);
        Space { base: base.cast(), size }
    }

    /// Maps private memory or a file at `start..start + length`.
    fn open(&mut self, start: usize, length: usize, file: Option<libc::c_int>) {
        assert!(start + length <= self.size);
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_FIXED);
        let kind = if file.is_some() { libc::MAP_SHARED } else { libc::MAP_PRIVATE | libc::MAP_ANON };
        // SAFETY: inside this space.
        let at =
            unsafe { libc::mmap(self.base.add(start).cast(), length, access, flags | kind, file.unwrap_or(-1), 0) };
        assert_ne!(at, libc::MAP_FAILED, "{}", std::io::Error::last_os_error());
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        // SAFETY: made by `new`, used no more.
        unsafe { libc::munmap(self.base.cast(), self.size) };
    }
}

/// `LENGTH` elements: repeated periods, then `REST` distinct elements.
struct Long<T> {
    space: Space,
    of: PhantomData<T>,
}

impl<T: Copy> Long<T> {
    fn new(value: impl Fn(usize) -> T) -> Self {
        let size = LENGTH * size_of::<T>();
        let body = size - REST * size_of::<T>();
        let mut space = Space::new(size.next_multiple_of(PAGE));
        // SAFETY: a name; the descriptor is closed when its mappings are there.
        unsafe {
            let file = libc::memfd_create(c"period".as_ptr(), 0);
            assert!(file >= 0 && libc::ftruncate(file, PERIOD as _) == 0);
            for start in (0..body).step_by(PERIOD) {
                space.open(start, PERIOD, Some(file));
            }
            libc::close(file);
        }
        let end = space.size - body;
        space.open(body, end, None);
        let mut long = Long { space, of: PhantomData };
        long.fill(value);
        long
    }

    /// Indices of the distinct elements: one period and the rest.
    fn places() -> impl Iterator<Item = usize> {
        (0..PERIOD / size_of::<T>()).chain(LENGTH - REST..LENGTH)
    }

    fn fill(&mut self, value: impl Fn(usize) -> T) {
        for i in Self::places() {
            // SAFETY: less than LENGTH.
            unsafe { self.ptr().add(i).write(value(i)) }
        }
    }

    fn contents(&self) -> Vec<T> {
        // SAFETY: less than LENGTH.
        Self::places().map(|i| unsafe { self.ptr().add(i).read() }).collect()
    }

    fn ptr(&self) -> *mut T {
        self.space.base.cast()
    }
}

fn noise(i: usize) -> u32 {
    (i as u32 ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b1)
}

fn float(i: usize) -> f32 {
    noise(i) as f32 * 1e-8 - 16.0
}

/// Each variant must give the reference's result for the whole length. A length truncated to 32
/// bits would change that result.
fn every_variant<F: Copy, R: PartialEq + Debug>(kernel: &Kernel<F>, mut call: impl FnMut(F, usize) -> R) {
    let whole = call(kernel.variants.last().unwrap().function, LENGTH);
    every_variant_gives(&whole, kernel, call);
}

/// Like `every_variant`, for elementwise kernels: the slow reference computes only one period and
/// the rest.
fn every_elementwise_variant<F: Copy, R: PartialEq + Debug>(
    kernel: &Kernel<F>,
    period: usize,
    mut call: impl FnMut(F, &[Range<usize>]) -> R,
) {
    let whole = call(kernel.variants.last().unwrap().function, &[0..period, LENGTH - REST..LENGTH]);
    every_variant_gives(&whole, kernel, |f, n| call(f, std::slice::from_ref(&(0..n))));
}

fn every_variant_gives<F: Copy, R: PartialEq + Debug>(
    whole: &R,
    kernel: &Kernel<F>,
    mut call: impl FnMut(F, usize) -> R,
) {
    let (reference, others) = kernel.variants.split_last().unwrap();
    let cut = call(reference.function, LENGTH as u32 as usize);
    assert!(*whole != cut, "{}: a short length is not seen", kernel.symbol);
    for variant in others.iter().filter(|row| isa::detected(row.isa)) {
        let start = Instant::now();
        assert!(call(variant.function, LENGTH) == *whole, "{} {variant}", kernel.symbol);
        println!("{} {variant}: {:.1} s", kernel.symbol, start.elapsed().as_secs_f64());
    }
}

#[test]
#[ignore = "minutes"]
fn exponentials() {
    type Function = unsafe extern "C" fn(*const f32, *mut f32, usize);
    let (x, mut y) = (Long::new(float), Long::new(|_| 0.0f32));
    let mut call = |function: Function, parts: &[Range<usize>]| {
        y.fill(|_| 0.0);
        for part in parts {
            // SAFETY: both are long enough.
            unsafe { function(x.ptr().add(part.start), y.ptr().add(part.start), part.len()) };
        }
        y.contents().iter().map(|y| y.to_bits()).collect::<Vec<_>>()
    };
    every_elementwise_variant(&hotloops::exp::fast_f32::KERNEL, PERIOD / 4, &mut call);
    every_elementwise_variant(&hotloops::exp::accurate_f32::KERNEL, PERIOD / 4, &mut call);
    every_elementwise_variant(&hotloops::exp::poly_f32::KERNEL, PERIOD / 4, &mut call);
}

macro_rules! reductions {
    ($name:ident $type:ident: $($sum:ident)+; $($dot:ident)+) => {
        #[test]
        #[ignore = "minutes"]
        fn $name() {
            let [x, y] = [0, 1].map(|shift| Long::new(|i| $type::from(float(i + shift))));
            $(every_variant(&hotloops::reduce::$sum::KERNEL, |f, n| {
                // SAFETY: it is long enough.
                unsafe { f(x.ptr(), n) }.to_bits()
            });)+
            $(every_variant(&hotloops::reduce::$dot::KERNEL, |f, n| {
                // SAFETY: both are long enough.
                unsafe { f(x.ptr(), y.ptr(), n) }.to_bits()
            });)+
        }
    };
}
reductions!(reductions_f32 f32: sum_f32 asum_f32 sum2_f32 kahan_f32; dot_f32 dot2_f32);
reductions!(reductions_f64 f64: sum_f64 asum_f64 sum2_f64 kahan_f64; dot_f64 dot2_f64);

#[test]
#[ignore = "minutes"]
fn similarities() {
    use hotloops::hamming::{cosine, counts, dice, distances, tanimoto};
    let common = Long::new(|i| noise(i) >> 24);
    let others = Long::new(|i| 256 + (noise(i + 7) >> 20));
    let mut out = Long::new(|_| 0u32);
    every_elementwise_variant(&distances::KERNEL, PERIOD / 4, |f, parts| {
        out.fill(|_| 0);
        for &Range { start, end } in parts {
            let [common, others] = [&common, &others].map(|long| long.ptr().wrapping_add(start));
            // SAFETY: all are long enough, here and below; no number in common is greater than 255.
            unsafe { f(common, others, end - start, 300, out.ptr().add(start)) };
        }
        out.contents()
    });
    let mut quotients = |f: tanimoto::Function, parts: &[Range<usize>]| {
        out.fill(|_| 0);
        for &Range { start, end } in parts {
            let [common, others] = [&common, &others].map(|long| long.ptr().wrapping_add(start));
            // SAFETY: as for distances.
            unsafe { f(common, others, end - start, 300, 1.0, out.ptr().add(start).cast()) };
        }
        out.contents()
    };
    every_elementwise_variant(&tanimoto::KERNEL, PERIOD / 4, &mut quotients);
    every_elementwise_variant(&dice::KERNEL, PERIOD / 4, &mut quotients);
    every_elementwise_variant(&cosine::KERNEL, PERIOD / 4, &mut quotients);
    drop((common, others));
    // One byte per row. A period of counts covers a quarter of a period of rows, so the rows repeat
    // four times per period.
    let rows = Long::new(|i| noise(i % (PERIOD / 4)) as u8);
    every_elementwise_variant(&counts::KERNEL, PERIOD / 4, |f, parts| {
        out.fill(|_| 0);
        for &Range { start, end } in parts {
            // SAFETY: a byte for each row.
            unsafe { f(rows.ptr().add(start), end - start, 7, 1, out.ptr().add(start)) };
        }
        out.contents()
    });
}

#[test]
#[ignore = "minutes"]
fn bit_planes() {
    use hotloops::bitslice::{count_positions, stream};
    let words = Long::new(|i| u64::from(noise(i)) << 32 | u64::from(noise(i + 5)));
    let count = |f: count_positions::Function, start: usize, n| {
        let mut counts = [0u64; 64];
        // SAFETY: long enough, here and below.
        unsafe { f(words.ptr().add(start), n, counts.as_mut_ptr()) };
        counts
    };
    // The reference is slow, so it counts only one period and the rest.
    let reference = count_positions::KERNEL.variants.last().unwrap().function;
    let [period, rest] = [count(reference, 0, PERIOD / 8), count(reference, LENGTH - REST, REST)];
    let whole = std::array::from_fn(|j| period[j] * ((LENGTH - REST) / (PERIOD / 8)) as u64 + rest[j]);
    every_variant_gives(&whole, &count_positions::KERNEL, |f, n| count(f, 0, n));
    let (bytes, mut copy) = (Long::new(|i| noise(i) as u8), Long::new(|_| 0u8));
    every_variant(&stream::KERNEL, |f, n| {
        copy.fill(|_| 0);
        // SAFETY: as many bytes on both sides.
        unsafe { f(bytes.ptr(), copy.ptr(), n) };
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        copy.contents()
    });
}

#[test]
#[ignore = "minutes"]
fn random_numbers() {
    use hotloops::random::{mt19937_f32, mt19937_u32};
    const LANES: usize = 16;
    let mut out = Long::new(|_| 0u32);
    let mut call = |generate: mt19937_u32::Function, n| {
        out.fill(|_| 0);
        let mut state: Vec<u32> = (0..624 * LANES).map(noise).collect();
        let mut position = 5;
        // SAFETY: a state of these lanes, a position in it; long enough.
        unsafe { generate(state.as_mut_ptr(), LANES, &mut position, out.ptr(), n) };
        // The overwritten period depends on the order of the stores. The rest and the state do not.
        (state, position, out.contents().split_off(PERIOD / 4))
    };
    every_variant(&mt19937_u32::KERNEL, &mut call);
    every_variant(&mt19937_f32::KERNEL, |f, n| {
        // SAFETY: of the same ABI; floats are stored as their bits.
        call(unsafe { std::mem::transmute::<mt19937_f32::Function, mt19937_u32::Function>(f) }, n)
    });
}

/// Rows of `width` bytes with a stride of more than 2^32 bytes. The address space between them is
/// inaccessible.
struct Rows {
    space: Space,
    count: usize,
    width: usize,
}

const STRIDE: usize = (1 << 32) + (1 << 20);

impl Rows {
    fn new(count: usize, width: usize) -> Self {
        let mut space = Space::new(count * STRIDE);
        for row in 0..count {
            space.open(row * STRIDE, width.next_multiple_of(PAGE), None);
        }
        Rows { space, count, width }
    }

    fn row(&mut self, row: usize) -> &mut [u8] {
        assert!(row < self.count);
        // SAFETY: opened by `new`.
        unsafe { std::slice::from_raw_parts_mut(self.space.base.add(row * STRIDE), self.width) }
    }

    /// The rows, concatenated.
    fn contents(&mut self) -> Vec<u8> {
        (0..self.count).flat_map(|row| self.row(row).to_vec()).collect()
    }

    fn fill(&mut self, value: impl Fn(usize) -> u8) {
        for row in 0..self.count {
            let start = row * self.width;
            self.row(row).iter_mut().enumerate().for_each(|(i, byte)| *byte = value(start + i));
        }
    }
}

/// Planes or tiles far apart, compared with the reference's contiguous ones.
fn far_planes<T>(
    to: &'static Kernel<unsafe extern "C" fn(*const T, usize, *mut u8, usize)>,
    from: &'static Kernel<unsafe extern "C" fn(*const u8, usize, usize, *mut T)>,
    count: usize,
    width: usize,
) {
    let elements: Vec<u8> = (0..hotloops::bitslice::CHUNK * size_of::<T>()).map(|i| noise(i) as u8).collect();
    let mut near = vec![0; elements.len()];
    assert_eq!(near.len(), count * width);
    // SAFETY: one chunk, and planes for it, here and below.
    unsafe { (to.variants.last().unwrap().function)(elements.as_ptr().cast(), 1, near.as_mut_ptr(), width) };
    let mut far = Rows::new(count, width);
    for variant in to.variants.iter().filter(|row| isa::detected(row.isa)) {
        far.fill(|_| 0xa5);
        // SAFETY: one chunk, and planes for it.
        unsafe { (variant.function)(elements.as_ptr().cast(), 1, far.space.base, STRIDE) };
        assert!(far.contents() == near, "{} {variant}", to.symbol);
    }
    for variant in from.variants.iter().filter(|row| isa::detected(row.isa)) {
        let mut back = vec![0xa5u8; elements.len()];
        // SAFETY: planes of one chunk, and room for it.
        unsafe { (variant.function)(far.space.base, STRIDE, 1, back.as_mut_ptr().cast()) };
        assert!(back == elements, "{} {variant}", from.symbol);
    }
}

#[test]
fn far_strides_of_planes() {
    use hotloops::bitslice::*;
    far_planes(&slice_u8::KERNEL, &unslice_u8::KERNEL, 8, CHUNK / 8);
    far_planes(&slice_u16::KERNEL, &unslice_u16::KERNEL, 16, CHUNK / 8);
    far_planes(&slice_u32::KERNEL, &unslice_u32::KERNEL, 32, CHUNK / 8);
    far_planes(&slice_u64::KERNEL, &unslice_u64::KERNEL, 64, CHUNK / 8);
    far_planes(&tile_u8::KERNEL, &untile_u8::KERNEL, CHUNK / 64, 64);
    far_planes(&tile_u16::KERNEL, &untile_u16::KERNEL, CHUNK / 64, 128);
    far_planes(&tile_u32::KERNEL, &untile_u32::KERNEL, CHUNK / 64, 256);
    far_planes(&tile_u64::KERNEL, &untile_u64::KERNEL, CHUNK / 64, 512);
}

#[test]
fn far_strides_of_bit_rows() {
    let mut rows = Rows::new(5, 100);
    rows.fill(|i| noise(i) as u8);
    let expected: Vec<u32> = (0..5).map(|row| rows.row(row).iter().map(|byte| byte.count_ones()).sum()).collect();
    for variant in hotloops::hamming::counts::KERNEL.variants.iter().filter(|row| isa::detected(row.isa)) {
        let mut counts = [0; 5];
        // SAFETY: five rows of 800 bits.
        unsafe { (variant.function)(rows.space.base, 5, 800, STRIDE, counts.as_mut_ptr()) };
        assert_eq!(counts[..], expected, "{variant}");
    }
}

/// Sums of products of ones: their count in `f64`, saturating in `f32`. With strides of 0 the depth
/// costs no memory.
macro_rules! depths {
    ($name:ident $type:ident $most:expr; $block:ident $columns:ident) => {
        #[test]
        #[ignore = "minutes"]
        fn $name() {
            use hotloops::matmul::*;
            let (a, b): ($type, $type) = (1.0, 1.0);
            every_variant_gives(&$most, &$block::KERNEL, |f, k| {
                let mut c: $type = 0.0;
                // SAFETY: one element each of A, B and C.
                unsafe { f(1, 1, k, &a, 0, 0, &b, 0, null_mut(), &mut c, 1, 1) };
                c
            });
            // This kernel's A has no column stride.
            let a = Long::new(|_| 1.0 as $type);
            every_variant_gives(&$most, &$columns::KERNEL, |f, k| {
                let mut c: $type = 0.0;
                // SAFETY: a row of A, one element each of B and C.
                unsafe { f(1, 1, k, a.ptr(), 0, &b, 0, &mut c, 1, 1) };
                c
            });
        }
    };
}
depths! { depths_f32 f32 (1 << 24) as f32; block_f32 columns_f32 }
depths! { depths_f64 f64 LENGTH as f64; block_f64 columns_f64 }

#[test]
#[ignore = "minutes"]
fn tabulated_differences() {
    // A line that is 0 at one argument.
    let case = (LENGTH - 7) as u64;
    every_variant_gives(&case, &hotloops::hardround::exhaust::KERNEL, |f, n| {
        let d = [case.wrapping_neg(), 1, 0, 0];
        // SAFETY: four integers.
        unsafe { f(d.as_ptr(), n as u64, 1) }
    });
}
