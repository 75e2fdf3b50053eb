//! SSE2.

use core::arch::x86_64::*;
use core::array;

use crate::frame::isa::sse2;
use crate::math::float::Float;
use crate::math::vector::Vector;

/// A tile of up to 6 rows and one or two vectors of columns, which may be anywhere in B and C.
#[derive(Clone, Copy)]
struct Tile<T> {
    k: usize,
    a: *const T,
    a_row: isize,
    a_column: isize,
    b: [*const T; 2],
    b_row: isize,
    c: [*mut T; 2],
    c_row: isize,
    accumulate: bool,
}

impl<T: Float> Tile<T> {
    sse2! {
        /// # Safety
        /// The elements of a tile of `rows` rows are within the arguments of a kernel. The
        /// functions below require that too.
        unsafe fn rows<V: Vector<Element = T>, const VECTORS: usize, const WHOLE: bool>(self, rows: usize) {
            // SAFETY: the caller's contract.
            unsafe {
                match rows {
                    1 => self.multiply::<V, 1, VECTORS, WHOLE>(),
                    2 => self.multiply::<V, 2, VECTORS, WHOLE>(),
                    3 => self.multiply::<V, 3, VECTORS, WHOLE>(),
                    4 => self.multiply::<V, 4, VECTORS, WHOLE>(),
                    5 => self.multiply::<V, 5, VECTORS, WHOLE>(),
                    _ => self.multiply::<V, 6, VECTORS, WHOLE>(),
                }
            }
        }
    }

    /// If not `WHOLE`, a vector stands for a single column.
    #[inline(always)]
    unsafe fn multiply<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize, const WHOLE: bool>(self) {
        // SAFETY: the caller's contract.
        unsafe {
            let read = |from: *const T| if WHOLE { V::load(from) } else { V::splat(from.read_unaligned()) };
            let mut sums = [[V::splat(T::ZERO); VECTORS]; ROWS];
            if self.accumulate {
                sums = array::from_fn(|i| array::from_fn(|v| read(self.c[v].offset(i as isize * self.c_row))));
            }
            // Rows of A that are contiguous, as in a panel, need no address registers.
            let lanes = V::LANES as isize;
            match self.a_row == lanes {
                true => self.add::<V, ROWS, VECTORS>(&mut sums, lanes, read),
                false => self.add::<V, ROWS, VECTORS>(&mut sums, self.a_row, read),
            }
            for (i, row) in sums.into_iter().enumerate() {
                for (sum, c) in row.into_iter().zip(self.c) {
                    let to = c.offset(i as isize * self.c_row);
                    if WHOLE { sum.store(to) } else { sum.store_first(to, 1) }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn add<V: Vector<Element = T>, const ROWS: usize, const VECTORS: usize>(
        self,
        sums: &mut [[V; VECTORS]; ROWS],
        a_row: isize,
        read: impl Fn(*const T) -> V,
    ) {
        let (mut a, mut b) = (self.a, self.b);
        for _ in 0..self.k {
            let vectors: [V; VECTORS] = array::from_fn(|v| read(b[v]));
            for (i, row) in sums.iter_mut().enumerate() {
                // SAFETY: the caller's contract.
                unsafe {
                    let x = V::load(a.offset(i as isize * a_row));
                    for (sum, y) in row.iter_mut().zip(vectors) {
                        *sum = sum.add(x.mul(y));
                    }
                }
            }
            a = a.wrapping_offset(self.a_column);
            b = b.map(|b| b.wrapping_offset(self.b_row));
        }
    }

    sse2! {
        /// Computes `n` columns. If more than one and less than two vectors of columns are left,
        /// the last two vectors overlap; the tile reads both before it writes either.
        unsafe fn columns<V: Vector<Element = T>>(self, rows: usize, n: usize) {
            let mut j = 0;
            while j < n {
                let left = n - j;
                let at = |second: usize| Tile {
                    b: [0, second].map(|offset| self.b[0].wrapping_add(j + offset)),
                    c: [0, second].map(|offset| self.c[0].wrapping_add(j + offset)),
                    ..self
                };
                // SAFETY: the caller's contract.
                unsafe {
                    if left < V::LANES {
                        at(0).rows::<V, 1, false>(rows);
                        j += 1;
                    } else if left == V::LANES || left > 2 * V::LANES && left < 3 * V::LANES {
                        at(0).rows::<V, 1, true>(rows);
                        j += V::LANES;
                    } else {
                        let taken = left.min(2 * V::LANES);
                        at(taken - V::LANES).rows::<V, 2, true>(rows);
                        j += taken;
                    }
                }
            }
        }
    }

    /// Splits `m` rows into panels of 6. The last 7 to 11 rows are halved.
    #[inline]
    fn panels(mut self, m: usize, mut tile: impl FnMut(Self, usize)) {
        let mut left = m;
        while left > 0 {
            let rows = if left > 6 { left.div_ceil(2).min(6) } else { left };
            tile(self, rows);
            self.a = self.a.wrapping_offset(rows as isize * self.a_row);
            self.c = self.c.map(|c| c.wrapping_offset(rows as isize * self.c_row));
            left -= rows;
        }
    }
}

sse2! {
    /// See [`block_unfused_f32()`](super::block_unfused_f32()).
    ///
    /// # Safety
    /// The contract of that kernel.
    #[inline]
    unsafe fn block<V: Vector>([m, n]: [usize; 2], mut tile: Tile<V::Element>, packed: *mut V::Element) {
        if !packed.is_null() {
            for p in 0..tile.k {
                let row = tile.b[0].wrapping_offset(p as isize * tile.b_row).cast::<u8>();
                // SAFETY: the caller's contract.
                unsafe { row.copy_to_nonoverlapping(packed.add(p * n).cast(), n * size_of::<V::Element>()) }
            }
            tile.b = [packed.cast_const(); 2];
            tile.b_row = n as isize;
        }
        let lanes = V::LANES;
        if m == 0 || m > 2 || n < 2 * lanes {
            // SAFETY: the caller's contract for these rows.
            return tile.panels(m, |tile, rows| unsafe { tile.columns::<V>(rows, n) });
        }
        // One or two rows are too few independent chains. So A and B swap roles: vectors of columns
        // become the rows of the tile, and rows become its vectors.
        let [c, _] = tile.c;
        let exchanged = Tile {
            a: tile.b[0],
            a_row: lanes as isize,
            a_column: tile.b_row,
            b: [tile.a, tile.a.wrapping_offset(tile.a_row)],
            b_row: tile.a_column,
            c: [c, c.wrapping_offset(tile.c_row)],
            c_row: lanes as isize,
            ..tile
        };
        // SAFETY: the caller's contract for these rows, whose number m is 1 or 2.
        let multiply = |tile: Tile<_>, rows| unsafe {
            match m {
                1 => tile.rows::<V, 1, true>(rows),
                _ => tile.rows::<V, 2, true>(rows),
            }
        };
        let rest = n % lanes;
        let whole = n / lanes - usize::from(rest > 0);
        exchanged.panels(whole, multiply);
        if rest > 0 {
            // The last vector overlaps the one before it and starts `rest` columns later.
            let place = whole * lanes;
            let (a, c) = (exchanged.a.wrapping_add(place), exchanged.c.map(|c| c.wrapping_add(place)));
            multiply(Tile { a, a_row: rest as isize, c, c_row: rest as isize, ..exchanged }, 2);
        }
    }

    /// `square` transposes as many rows and columns as a vector has lanes. A strip of rows fills
    /// cache lines of B.
    ///
    /// # Safety
    /// The contract of the kernels.
    #[inline]
    unsafe fn transpose<V: Vector>(
        [m, n]: [usize; 2],
        (a, a_row): (*const V::Element, isize),
        (b, b_row): (*mut V::Element, isize),
        square: impl Fn(*const V::Element, *mut V::Element),
    ) {
        let lanes = V::LANES as isize;
        let from = |i: usize, j: usize| a.wrapping_offset(i as isize * a_row).wrapping_add(j);
        let to = |i: usize, j: usize| b.wrapping_offset(j as isize * b_row).wrapping_add(i);
        let (rows, columns) = (m - m % V::LANES, n - n % V::LANES);
        let strip = 64 / size_of::<V::Element>();
        for first in (0..rows).step_by(strip) {
            let (mut from, mut to) = (from(first, 0), to(first, 0));
            for _ in 0..columns / V::LANES {
                let (mut square_from, mut square_to) = (from, to);
                for _ in 0..(rows - first).min(strip) / V::LANES {
                    square(square_from, square_to);
                    square_from = square_from.wrapping_offset(lanes * a_row);
                    square_to = square_to.wrapping_offset(lanes);
                }
                from = from.wrapping_offset(lanes);
                to = to.wrapping_offset(lanes * b_row);
            }
        }
        for i in 0..m {
            for j in if i < rows { columns } else { 0 }..n {
                // SAFETY: i < m and j < n.
                unsafe { to(i, j).write_unaligned(from(i, j).read_unaligned()) }
            }
        }
    }
}

macro_rules! export_products {
    ($type:ident $vector:ident $block:ident $transpose:ident
        |$a:ident, $a_row:ident, $b:ident, $b_row:ident| $square:block) => {
        sse2! {
            #[allow(clippy::too_many_arguments)]
            pub(super) unsafe extern "C" fn $block(
                m: usize,
                n: usize,
                k: usize,
                a: *const $type,
                a_row: isize,
                a_column: isize,
                b: *const $type,
                b_row: isize,
                packed: *mut $type,
                c: *mut $type,
                c_row: isize,
                accumulate: u32,
            ) {
                let accumulate = accumulate != 0;
                let tile = Tile { k, a, a_row, a_column, b: [b; 2], b_row, c: [c; 2], c_row, accumulate };
                // SAFETY: the caller's contract.
                unsafe { block::<$vector>([m, n], tile, packed) }
            }

            pub(super) unsafe extern "C" fn $transpose(
                m: usize,
                n: usize,
                a: *const $type,
                $a_row: isize,
                b: *mut $type,
                $b_row: isize,
            ) {
                // SAFETY: the contract of the kernel; squares lie within both matrices.
                unsafe {
                    transpose::<$vector>([m, n], (a, $a_row), (b, $b_row), |$a: *const $type, $b: *mut $type| $square);
                }
            }
        }
    };
}
export_products! { f32 __m128 block_unfused_f32 transpose_f32 |a, a_row, b, b_row| {
    let row = |i: isize| _mm_loadu_ps(a.offset(i * a_row));
    let (mut w, mut x, mut y, mut z) = (row(0), row(1), row(2), row(3));
    _MM_TRANSPOSE4_PS(&mut w, &mut x, &mut y, &mut z);
    for (j, column) in [w, x, y, z].into_iter().enumerate() {
        _mm_storeu_ps(b.offset(j as isize * b_row), column);
    }
} }
export_products! { f64 __m128d block_unfused_f64 transpose_f64 |a, a_row, b, b_row| {
    let (x, y) = (_mm_loadu_pd(a), _mm_loadu_pd(a.offset(a_row)));
    _mm_storeu_pd(b, _mm_unpacklo_pd(x, y));
    _mm_storeu_pd(b.offset(b_row), _mm_unpackhi_pd(x, y));
} }
