use hotloops::Float;
use hotloops::matmul::Layout;
use hotloops::matmul::block_f32::Function as Block32;
use hotloops::matmul::block_f64::Function as Block64;
use hotloops::matmul::columns_f32::Function as Columns32;
use hotloops::matmul::columns_f64::Function as Columns64;
use hotloops::matmul::dots_f32::Function as Dots32;
use hotloops::matmul::dots_f64::Function as Dots64;
use hotloops::matmul::outer_f32::Function as Outer32;
use hotloops::matmul::outer_f64::Function as Outer64;
use hotloops::matmul::tiny_f32::Function as Tiny32;
use hotloops::matmul::tiny_f64::Function as Tiny64;
use hotloops::matmul::transpose_f32::Function as Transpose32;
use hotloops::matmul::transpose_f64::Function as Transpose64;
use hotloops::matmul::vector_f32::Function as Vector32;
use hotloops::matmul::vector_f64::Function as Vector64;

use crate::harness::guard::{Guarded, Side};
use crate::harness::lengths::WIDE;
use crate::harness::once;
use crate::harness::rng::Rng;

/// The arguments of a block, without the pointers.
#[derive(Clone, Copy, Debug)]
struct Shape {
    m: usize,
    n: usize,
    k: usize,
    a_row: isize,
    a_column: isize,
    b_row: isize,
    c_row: isize,
    packed: bool,
    accumulate: u32,
}

/// A, B, packed, C.
type Pointers<T> = (*const T, *const T, *mut T, *mut T);

/// All NaNs compare equal: the CPU chooses which operand's NaN propagates.
pub fn bits<T: Float>(values: &[T]) -> Vec<u64> {
    values.iter().map(|x| if x.to_f64().is_nan() { u64::MAX } else { x.to_f64().to_bits() }).collect()
}

/// The buffer length of a `rows` by `columns` matrix with these strides, and the index of its first
/// element.
fn buffer(rows: usize, columns: usize, row: isize, column: isize) -> (usize, usize) {
    if rows == 0 || columns == 0 {
        return (0, 0);
    }
    let (down, right) = ((rows - 1) as isize * row, (columns - 1) as isize * column);
    let (least, most) = (down.min(0) + right.min(0), down.max(0) + right.max(0));
    ((most - least) as usize + 1, -least as usize)
}

pub fn numbers<T: Float>(rng: &mut Rng, n: usize, special: bool) -> Vec<T> {
    let values = [0.0, -0.0, f64::INFINITY, f64::NAN, 1e-40, -1e-310, 1e38, -1e308];
    (0..n)
        .map(|_| match special && rng.word().is_multiple_of(40) {
            true => T::from_f64(values[rng.word() as usize % values.len()]),
            false => rng.number(2),
        })
        .collect()
}

/// Elements of one kind: plain; with special values; of few bits, whose sums are often ties; whose products are near
/// the ends of the range; of all magnitudes, with halves that overflow; with products of about half a last place of 1:
/// added to a number near 1, they are nearly ties.
fn numbers_of_kind<T: Float>(rng: &mut Rng, n: usize, kind: u64) -> Vec<T> {
    let (bits, far) = if size_of::<T>() == 4 { (13, 65) } else { (28, 515) };
    let power = |exponent: i32| f64::from(exponent).exp2();
    let one = |rng: &mut Rng| match kind {
        1 => T::from_f64((rng.word() as i64 >> (63 - bits)) as f64 * power(rng.word() as i32 % 3 - 5)),
        2 => T::from_f64(rng.real(2.0) - 1.0) * T::from_f64(power(-far)),
        3 => T::from_f64(rng.real(2.0) - 1.0) * T::from_f64(power(far - 4)),
        4 => T::from_f64((rng.real(2.0) - 1.0) * power((rng.word() % (4 * far as u64)) as i32 - 2 * far)),
        _ => {
            let (places, half) = if size_of::<T>() == 4 { (23, 12) } else { (52, 26) };
            let near = 1.0 + (rng.word() % 5) as f64 * power(-places) - 2.0 * power(-places);
            T::from_f64(near * power(-half - (rng.word() % 2) as i32) * (rng.word() % 4) as f64)
        }
    };
    match kind {
        0 => numbers(rng, n, true),
        1..6 => (0..n).map(|_| one(rng)).collect(),
        _ => numbers(rng, n, false),
    }
}

/// Calls both on guarded memory and compares.
fn compare<T: Float, F: Copy>(
    (reference, subject): (F, F),
    shape: Shape,
    rng: &mut Rng,
    call: &impl Fn(F, Shape, Pointers<T>),
) {
    let Shape { m, n, k, a_row, a_column, b_row, c_row, packed, .. } = shape;
    let kind = rng.word() % 10;
    let (a_length, a_first) = buffer(m, k, a_row, a_column);
    let a = numbers_of_kind::<T>(rng, a_length, kind);
    let (b_length, b_first) = buffer(k, n, b_row, 1);
    let b = numbers_of_kind::<T>(rng, b_length, kind);
    let (c_length, c_first) = buffer(m, n, c_row, 1);
    let mut c = numbers_of_kind::<T>(rng, c_length, kind);
    if kind == 5 {
        c.iter_mut().for_each(|x| *x = T::from_f64(1.0 + x.to_f64()));
    }
    let p = numbers::<T>(rng, if packed { n * k } else { 0 }, false);
    let null = std::ptr::null_mut();
    let [a_at, b_at, c_at] = [a_first, b_first, c_first];
    let expected = once(|| {
        let (mut c, mut p) = (c.clone(), p.clone());
        call(
            reference,
            shape,
            (
                a.as_ptr().wrapping_add(a_at),
                b.as_ptr().wrapping_add(b_at),
                if packed { p.as_mut_ptr() } else { null },
                c.as_mut_ptr().wrapping_add(c_at),
            ),
        );
        [c, p].map(|values| bits(&values))
    });
    let side = if rng.word().is_multiple_of(3) { Side::Start } else { Side::End };
    let slack = rng.word() as usize % 3 * size_of::<T>() + if rng.word().is_multiple_of(8) { 1 } else { 0 };
    let (first, second) = (Guarded::new(&a, side, slack), Guarded::new(&b, side, slack));
    let (mut third, mut fourth) = (Guarded::new(&p, side, slack), Guarded::new(&c, side, slack));
    call(
        subject,
        shape,
        (
            first.as_ptr().wrapping_add(a_at),
            second.as_ptr().wrapping_add(b_at),
            if packed { third.as_mut_ptr() } else { null },
            fourth.as_mut_ptr().wrapping_add(c_at),
        ),
    );
    assert_eq!(bits(&fourth.to_vec()), expected[0], "C of {shape:?}");
    assert_eq!(bits(&third.to_vec()), expected[1], "packed B of {shape:?}");
}

fn blocks<T: Float, F: Copy>(reference: F, subject: F, call: impl Fn(F, Shape, Pointers<T>)) {
    let mut rng = Rng(11);
    let mut shapes = Vec::new();
    // All small sizes of C with varying depths, then long rows, deep sums, many rows.
    shapes.extend((0..16).flat_map(|m| (0..36).map(move |n| (m, n, (7 * m + 5 * n) % 11))));
    shapes.extend((0..80).map(|n| (1 + n % 6, n, 3)));
    shapes.extend((0..40).map(|k| (1 + k % 15, 1 + 7 * k % 50, k)));
    shapes.extend((16..47).map(|m| (m, 1 + 5 * m % 70, 1 + m % 4)));
    shapes.extend([
        (14, 32, 70),
        (13, 33, 67),
        (28, 16, 130),
        (7, 100, 9),
        (50, 17, 31),
        (3, 5, 600),
        (30, 48, 20),
        (1, 700, 5),
    ]);
    // Two vectors of columns, which a first panel packs for those that follow.
    for (bytes, m) in [32, 64, 128].into_iter().flat_map(|bytes| [6, 12, 13, 18].map(|m| (bytes, m))) {
        shapes.extend((0..14).map(|k| (m, bytes / size_of::<T>(), k)));
    }
    for (number, (m, n, k)) in shapes.into_iter().enumerate() {
        let pad = [0, 1, 3, 16][number / 3 % 4];
        let (rows, columns) = (m as isize, k as isize);
        // Row-major, column-major, a panel, reversed, one row repeated.
        let (a_row, a_column) = match number % 7 {
            0 | 1 => (columns + pad, 1),
            2 | 3 => (1, rows + pad),
            4 => (-(columns + pad), 1),
            5 => (2 + pad, 2 * rows + 2 * pad * rows),
            _ => (0, 1),
        };
        let width = n as isize;
        let b_row = [width, width + pad, -(width + pad), 0][number % 4];
        let c_row = [width, width + pad, -(width + 1 + pad)][number % 3];
        for packed in [false, true] {
            let accumulate = if number % 2 == usize::from(packed) { 1 } else { 0 };
            let shape = Shape { m, n, k, a_row, a_column, b_row, c_row, packed, accumulate };
            compare((reference, subject), shape, &mut rng, &call);
        }
    }
}

/// Sizes and strides that exceed 16 bits. For deep sums the references are slow. The kernel's own
/// result in parts is the expected value instead: it has the same bits, and the parts have been
/// compared with the references.
fn wide<T: Float, F: Copy>(reference: F, subject: F, by_rows_of_a: bool, call: &impl Fn(F, Shape, Pointers<T>)) {
    let mut rng = Rng(14);
    let shape = Shape { m: 1, n: 1, k: 1, a_row: 1, a_column: 1, b_row: 1, c_row: 1, packed: false, accumulate: 1 };
    for (size, n, k) in [(300, 1, 2), (WIDE, 1, 1), (WIDE, 2, 1)] {
        let c_row = n as isize;
        let tall = Shape { m: size, n, k, a_row: k as isize, b_row: c_row, c_row, ..shape };
        let flat = Shape { n: size, b_row: size as isize, c_row: size as isize, m: n, k, a_row: k as isize, ..shape };
        for shape in [tall, flat] {
            compare((reference, subject), shape, &mut rng, call);
        }
    }
    // Every stride alone, with two rows each.
    let two = Shape { m: 2, n: 2, k: 2, a_row: 2, b_row: 2, c_row: 2, ..shape };
    let far = WIDE as isize;
    compare((reference, subject), Shape { a_row: far, ..two }, &mut rng, call);
    if !by_rows_of_a {
        compare((reference, subject), Shape { a_column: far, a_row: 1, ..two }, &mut rng, call);
    }
    compare((reference, subject), Shape { b_row: far, ..two }, &mut rng, call);
    compare((reference, subject), Shape { c_row: far, ..two }, &mut rng, call);

    if crate::harness::is_reference() {
        return;
    }
    for (m, n, depths) in [(1, 1, &[257, 300, 4099, WIDE][..]), (13, 35, &[300, 8191]), (6, 16, &[WIDE])] {
        for &depth in depths {
            let (width, row) = (n as isize, depth as isize);
            let a: Vec<T> = (0..m * depth).map(|_| rng.number(0)).collect();
            let (b, c) = (numbers::<T>(&mut rng, depth * n, false), numbers::<T>(&mut rng, m * n, false));
            let deep = |most: usize| {
                let (mut c, null) = (c.clone(), std::ptr::null_mut());
                for first in (0..depth).step_by(most) {
                    let k = most.min(depth - first);
                    let shape = Shape { m, n, k, a_row: row, b_row: width, c_row: width, ..shape };
                    let (a, b) = (a.as_ptr().wrapping_add(first), b.as_ptr().wrapping_add(first * n));
                    call(subject, shape, (a, b, null, c.as_mut_ptr()));
                }
                bits(&c)
            };
            assert!(deep(depth) == deep(250), "{m} x {n}, depth {depth}");
        }
    }
}

fn block<T: Float, F: Copy>(call: impl Fn(F, Shape, Pointers<T>)) -> impl Fn(F, Shape, Pointers<T>) {
    call
}

macro_rules! blocks {
    ($($case:ident $function:ident $type:ident)+) => {$(
        pub fn $case(reference: $function, subject: $function) {
            // SAFETY: buffers of the sizes that the kernel wants.
            let call = block::<$type, $function>(|kernel, s, (a, b, packed, c)| unsafe {
                kernel(s.m, s.n, s.k, a, s.a_row, s.a_column, b, s.b_row, packed, c, s.c_row, s.accumulate)
            });
            wide(reference, subject, false, &call);
            blocks(reference, subject, call);
        }
    )+};
}
blocks! {
    block_f32 Block32 f32
    block_f64 Block64 f64
}

fn columns<T: Float, F: Copy>(reference: F, subject: F, call: impl Fn(F, Shape, Pointers<T>)) {
    let mut rng = Rng(12);
    let mut shapes = Vec::new();
    shapes.extend((0..70).flat_map(|m| (0..4).map(move |n| (m, n, (5 * m + 3 * n) % 19))));
    shapes.extend((0..40).flat_map(|k| (1..10).map(move |n| ((11 * k + n) % 37, n, k))));
    shapes.extend([(130, 2, 40), (67, 3, 130), (65, 1, 300), (40, 12, 20), (33, 20, 9)]);
    // Two vectors of columns, which a first panel packs for those that follow.
    for (bytes, m) in [32, 64, 128].into_iter().flat_map(|bytes| [6, 12, 13, 18].map(|m| (bytes, m))) {
        shapes.extend((0..14).map(|k| (m, bytes / size_of::<T>(), k)));
    }
    for (number, (m, n, k)) in shapes.into_iter().enumerate() {
        let pad = [0, 1, 3, 16][number / 3 % 4];
        let a_row = [k as isize + pad, -(k as isize) - pad, k as isize, 0][number % 4];
        let b_row = [n as isize, n as isize + pad, -(n as isize) - 1][number % 3];
        let c_row = [n as isize + pad, n as isize, -(n as isize) - 2][number % 3];
        let shape = Shape { m, n, k, a_row, a_column: 1, b_row, c_row, packed: false, accumulate: number as u32 % 2 };
        compare((reference, subject), shape, &mut rng, &call);
    }
}

macro_rules! columns {
    ($($case:ident $function:ident $type:ident)+) => {$(
        pub fn $case(reference: $function, subject: $function) {
            // SAFETY: buffers of the sizes that the kernel wants.
            let call = block::<$type, $function>(|kernel, s, (a, b, _, c)| unsafe {
                kernel(s.m, s.n, s.k, a, s.a_row, b, s.b_row, c, s.c_row, s.accumulate)
            });
            wide(reference, subject, true, &call);
            columns(reference, subject, call);
        }
    )+};
}
columns! { columns_f32 Columns32 f32 columns_f64 Columns64 f64 }

fn vectors<T: Float, F: Copy>(reference: F, subject: F, call: impl Fn(F, Shape, Pointers<T>)) {
    let (mut rng, group) = (Rng(14), 32 / size_of::<T>());
    // Rows a way of L1 apart, or nearly so, take another path.
    let strides = |k: usize| [k as isize, -(k as isize), 0, k as isize + 7, 512, 511, -513, 1024, 4096, 3];
    let sizes = (1..5).flat_map(|m| (0..100).map(move |k| (m * group, k + 2 * group)));
    for (number, (m, k)) in sizes.enumerate() {
        let a_row = strides(k)[number % 10];
        let shape = Shape { m, n: 1, k, a_row, a_column: 1, b_row: 1, c_row: 1, packed: false, accumulate: 1 };
        compare((reference, subject), shape, &mut rng, &call);
    }
}

macro_rules! vectors {
    ($($case:ident $function:ident $type:ident)+) => {$(
        pub fn $case(reference: $function, subject: $function) {
            // SAFETY: buffers of the sizes that the kernel wants.
            let call = block::<$type, $function>(|kernel, s, (a, b, _, c)| unsafe {
                kernel(s.m, s.k, a, s.a_row, b, c)
            });
            vectors(reference, subject, call);
        }
    )+};
}
vectors! { vector_f32 Vector32 f32 vector_f64 Vector64 f64 }

macro_rules! dots {
    ($($case:ident $function:ident $type:ident)+) => {$(
        pub fn $case(reference: $function, subject: $function) {
            // SAFETY: buffers of the sizes that the kernel wants.
            let call = block::<$type, $function>(|kernel, s, (a, b, _, c)| unsafe {
                kernel(s.m, s.k, a, s.a_row, b, c)
            });
            let mut rng = Rng(16);
            for number in 0..600 {
                let (m, k) = (4 + number % 17, number / 3);
                let a_row = [k as isize, -(k as isize), 0, k as isize + 7, 3][number % 5];
                let shape = Shape { m, n: 1, k, a_row, a_column: 1, b_row: 1, c_row: 1, packed: false, accumulate: 1 };
                compare((reference, subject), shape, &mut rng, &call);
            }
        }
    )+};
}
dots! { dots_f32 Dots32 f32 dots_f64 Dots64 f64 }

macro_rules! outers {
    ($($case:ident $function:ident $type:ident)+) => {$(
        pub fn $case(reference: $function, subject: $function) {
            // SAFETY: buffers of the sizes that the kernel wants.
            let call = block::<$type, $function>(|kernel, s, (a, b, _, c)| unsafe {
                kernel(s.m, s.n, a, s.a_row, b, c, s.c_row, s.accumulate)
            });
            let mut rng = Rng(15);
            for number in 0..400 {
                let (m, n) = (number % 5, 64 / size_of::<$type>() + 3 * number / 8);
                let a_row = [1, 3, 0, -2][number % 4];
                let c_row = [n as isize, n as isize + 5, -(n as isize)][number % 3];
                let accumulate = number as u32 / 3 % 2;
                let shape = Shape { m, n, k: 1, a_row, a_column: 1, b_row: 0, c_row, packed: false, accumulate };
                compare((reference, subject), shape, &mut rng, &call);
            }
        }
    )+};
}
outers! { outer_f32 Outer32 f32 outer_f64 Outer64 f64 }

macro_rules! tinies {
    ($($case:ident $function:ident $type:ident)+) => {$(
        pub fn $case(reference: $function, subject: $function) {
            const SIZE: isize = size_of::<$type>() as isize;
            // SAFETY: buffers of the sizes that the kernel wants.
            let call = block::<$type, $function>(|kernel, s, (a, b, _, c)| unsafe {
                let [a_row, a_column, b_row, c_row] =
                    [s.a_row, s.a_column, s.b_row, s.c_row].map(|stride| stride * SIZE);
                let layout = Layout { m: s.m, n: s.n, k: s.k, a_row, a_column, b_row, c_row };
                kernel(&layout, a, b, c, s.accumulate)
            });
            let mut rng = Rng(17);
            // Every size with three layouts, and once with an accumulation.
            for number in 0..3 * 512 {
                let [m, n, k] = [number / 64, number / 8, number].map(|number| number % 8 + 1);
                let [rows, width, depth] = [m, n, k].map(|size| size as isize);
                let pad = [0, 1, 5][number / 7 % 3];
                let (a_row, a_column) = match number % 7 {
                    0 | 1 => (depth + pad, 1),
                    2 | 3 => (1, rows + pad),
                    4 => (-(depth + pad), 1),
                    5 => (2, -2 * rows - pad),
                    _ => (0, 1),
                };
                let b_row = [width, width + pad, -(width + pad), 0][number % 4];
                let c_row = [width, width + pad, -(width + 1 + pad)][number % 3];
                let accumulate = number as u32 / 512 % 2;
                let shape = Shape { m, n, k, a_row, a_column, b_row, c_row, packed: false, accumulate };
                compare((reference, subject), shape, &mut rng, &call);
            }
        }
    )+};
}
tinies! { tiny_f32 Tiny32 f32 tiny_f64 Tiny64 f64 }

fn transposes<T: Float, F: Copy>(
    reference: F,
    subject: F,
    call: impl Fn(F, usize, usize, *const T, isize, *mut T, isize),
) {
    let mut rng = Rng(13);
    let sizes = (0..21).flat_map(|m| (0..21).map(move |n| (m, n))).chain([
        (16, 100),
        (100, 16),
        (65, 47),
        (33, 70),
        (WIDE, 3),
        (2, WIDE),
    ]);
    for (number, (m, n)) in sizes.enumerate() {
        let pad = if (m, n) == (20, 20) { WIDE as isize } else { [0, 1, 5][number % 3] };
        let a_row = [n as isize + pad, -(n as isize) - pad][number % 2];
        let b_row = [m as isize, m as isize + pad, -(m as isize) - 1][number / 2 % 3];
        let ((a_length, a_first), (b_length, b_first)) = (buffer(m, n, a_row, 1), buffer(n, m, b_row, 1));
        let (a, b) = (numbers::<T>(&mut rng, a_length, true), numbers::<T>(&mut rng, b_length, false));
        let expected = once(|| {
            let mut expected = b.clone();
            let into = expected.as_mut_ptr().wrapping_add(b_first);
            call(reference, m, n, a.as_ptr().wrapping_add(a_first), a_row, into, b_row);
            bits(&expected)
        });
        for side in [Side::Start, Side::End] {
            let slack = [0, 1, size_of::<T>()][number % 3];
            let (input, mut output) = (Guarded::new(&a, side, slack), Guarded::new(&b, side, slack));
            let into = output.as_mut_ptr().wrapping_add(b_first);
            call(subject, m, n, input.as_ptr().wrapping_add(a_first), a_row, into, b_row);
            assert_eq!(bits(&output.to_vec()), *expected, "{m} x {n}, strides {a_row}, {b_row}");
        }
    }
}

pub fn transpose_f32(reference: Transpose32, subject: Transpose32) {
    // SAFETY: buffers of the sizes that the kernel wants.
    transposes::<f32, _>(reference, subject, |kernel, m, n, a, a_row, b, b_row| unsafe {
        kernel(m, n, a, a_row, b, b_row)
    });
}

pub fn transpose_f64(reference: Transpose64, subject: Transpose64) {
    // SAFETY: as above.
    transposes::<f64, _>(reference, subject, |kernel, m, n, a, a_row, b, b_row| unsafe {
        kernel(m, n, a, a_row, b, b_row)
    });
}
