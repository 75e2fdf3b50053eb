//! The intrinsics of the family, written once for the vectors of all instruction sets.
//!
//! Everything here is inlined into the kernels that [`export_products!`] defines for an instruction
//! set from the shapes of its tiles.

// Loops over indices with constant bounds are unrolled early enough for sums to stay in registers.
#![allow(clippy::needless_range_loop)]

pub(super) use super::blocking::{SPLIT, next_rows};
use super::layout::Layout;
use crate::math::float::Float;
use crate::math::vector::Fused;

/// The arguments of a block.
#[derive(Clone, Copy)]
pub(super) struct BlockArguments<T> {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) a: *const T,
    pub(super) a_row: isize,
    pub(super) a_column: isize,
    pub(super) b: *const T,
    pub(super) b_row: isize,
    pub(super) c: *mut T,
    pub(super) c_row: isize,
    pub(super) accumulate: u32,
}

impl<T: Float> BlockArguments<T> {
    /// The product of a tiny kernel.
    ///
    /// # Safety
    /// The contract of the tiny kernels.
    #[inline(always)]
    pub(super) unsafe fn tiny(layout: *const Layout, a: *const T, b: *const T, c: *mut T, accumulate: u32) -> Self {
        // SAFETY: the caller's contract.
        let Layout { m, n, k, a_row, a_column, b_row, c_row } = unsafe { layout.read() };
        let [a_row, a_column, b_row, c_row] =
            [a_row, a_column, b_row, c_row].map(|stride| stride / size_of::<T>() as isize);
        BlockArguments { m, n, k, a, a_row, a_column, b, b_row, c, c_row, accumulate }
    }

    /// Copies B to `packed`, unless that is null, and replaces B by the copy.
    ///
    /// # Safety
    /// The contract of the block kernels.
    #[inline(always)]
    pub(super) unsafe fn pack<V: Fused<Element = T>>(&mut self, packed: *mut T) {
        if packed.is_null() {
            return;
        }
        let &mut BlockArguments { n, k, .. } = self;
        let rest = n % V::LANES;
        for p in 0..k {
            // SAFETY: p < k, and vectors end at n.
            unsafe {
                let (from, to) = (self.b.offset(p as isize * self.b_row), packed.add(p * n));
                for j in (0..n - rest).step_by(V::LANES) {
                    V::load(from.add(j)).store(to.add(j));
                }
                if rest > 0 {
                    V::load_first(from.add(n - rest), rest).store_first(to.add(n - rest), rest);
                }
            }
        }
        (self.b, self.b_row) = (packed, n as isize);
    }

    /// Computes `R` rows of C from `i` and `C` vectors of columns from `j`. If `PARTIAL`, the last
    /// vector ends at the last column.
    ///
    /// # Safety
    /// The contract of the block kernels; rows and columns lie in C.
    #[inline(always)]
    pub(super) unsafe fn tile<V: Fused<Element = T>, const R: usize, const C: usize, const PARTIAL: bool>(
        &self,
        i: usize,
        j: usize,
    ) {
        let rest = self.n.wrapping_sub(j + (C - 1) * V::LANES);
        // SAFETY: the caller's contract; `rest` elements are left of a partial vector.
        unsafe {
            let mut b = self.b.add(j);
            let mut rows = [self.a.offset(i as isize * self.a_row); R];
            for r in 1..R {
                rows[r] = rows[r - 1].wrapping_offset(self.a_row);
                if r % 4 == 0 {
                    rows[r] = opaque(rows[r]);
                }
            }
            let c = self.c.offset(i as isize * self.c_row).add(j);
            let mut sums = [[V::splat(T::ZERO); C]; R];
            if self.accumulate != 0 {
                for (r, sums) in sums.iter_mut().enumerate() {
                    *sums = load::<V, C, PARTIAL>(c.offset(r as isize * self.c_row), rest);
                }
            }
            for _ in 0..self.k {
                let y = load::<V, C, PARTIAL>(b, rest);
                for r in 0..R {
                    let x = V::splat(rows[r].read_unaligned());
                    for v in 0..C {
                        sums[r][v] = x.fma(y[v], sums[r][v]);
                    }
                    rows[r] = rows[r].wrapping_offset(self.a_column);
                }
                b = b.wrapping_offset(self.b_row);
            }
            for r in 0..R {
                let c = c.offset(r as isize * self.c_row);
                for v in 0..C {
                    let (sum, to) = (sums[r][v], c.add(v * V::LANES));
                    if PARTIAL && v + 1 == C { sum.store_first(to, rest) } else { sum.store(to) }
                }
            }
        }
    }
}

/// Row i of C becomes `a[i] b`, or that added to it, a row at a time.
///
/// # Safety
/// The contract of the kernel.
#[inline(always)]
pub(super) unsafe fn outer<V: Fused, const ACCUMULATE: bool>(
    [m, n]: [usize; 2],
    (a, a_row): (*const V::Element, isize),
    b: *const V::Element,
    (c, c_row): (*mut V::Element, isize),
) {
    for i in 0..m as isize {
        // SAFETY: row i of A and of C; vectors end at n.
        unsafe {
            let (x, c) = (V::splat(a.wrapping_offset(i * a_row).read_unaligned()), c.wrapping_offset(i * c_row));
            let sum = |j: usize| {
                let before = if ACCUMULATE { V::load(c.add(j)) } else { V::splat(V::Element::ZERO) };
                x.fma(V::load(b.add(j)), before)
            };
            // Before the elements that it shares with the last whole vector are stored.
            let last = sum(n - V::LANES);
            let mut j = 0;
            while j + 4 * V::LANES <= n {
                let sums = [sum(j), sum(j + V::LANES), sum(j + 2 * V::LANES), sum(j + 3 * V::LANES)];
                for (v, sum) in sums.into_iter().enumerate() {
                    sum.store(c.add(j + v * V::LANES));
                }
                j += 4 * V::LANES;
            }
            while j + V::LANES <= n {
                sum(j).store(c.add(j));
                j += V::LANES;
            }
            last.store(c.add(n - V::LANES));
        }
    }
}

/// Returns the same pointer, but hides its origin from the compiler. The compiler then derives no
/// other addresses of a tile from it, which would cost a long chain or a register for each row, and
/// does not reuse earlier loads.
#[inline(always)]
#[cfg_attr(miri, allow(unused_mut))]
pub(super) fn opaque<T>(mut pointer: *const T) -> *const T {
    #[cfg(not(miri))]
    #[allow(clippy::pointers_in_nomem_asm_block)] // the pointer is not dereferenced
    // SAFETY: the text is a comment: no instruction runs.
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg) pointer, options(nomem, nostack, preserves_flags))
    }
    pointer
}

/// Loads `C` vectors. If `PARTIAL`, the last one has `rest` elements.
///
/// # Safety
/// The elements are readable.
#[inline(always)]
unsafe fn load<V: Fused, const C: usize, const PARTIAL: bool>(from: *const V::Element, rest: usize) -> [V; C] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut vectors = [V::splat(V::Element::ZERO); C];
        for (v, vector) in vectors.iter_mut().enumerate() {
            let from = from.add(v * V::LANES);
            *vector = if PARTIAL && v + 1 == C { V::load_first(from, rest) } else { V::load(from) };
        }
        vectors
    }
}

/// Defines the kernels of one type for an instruction set: the block kernel, the kernel for outer
/// products and, optionally, the kernels for tiny products, for dot products, for few columns, for a
/// vector and for transposition.
///
/// Tiles of C are given as `[vectors: rows ..]`: the widest tiles first, tiles of one vector last,
/// and the rows in descending order down to 1. `(most: vectors: rows ..)` before them are tiles for up
/// to `most` rows, which need more vectors for as many chains. Strips for few columns are given as `(c: w j g h)`:
/// at most c columns, w lanes per element of A, j vectors of columns, and g vectors of rows, h at a
/// time.
macro_rules! export_products {
    ($isa:ident $type:ident $vector:ident [$($tiny:ident)?], $outer:ident, [$($together:literal $dots:ident)?],
        $block:ident $(($most:literal: $($few_rows:tt)+))* [$($wide:tt)+] [$($single:tt)+]
     $(, $unit:literal $rows:ident $(, $columns:ident $few:tt, $transpose:ident)?)?) => {
        crate::frame::isa::$isa! {
            #[allow(clippy::too_many_arguments)]
            pub(in crate::matmul) unsafe extern "C" fn $block(
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
                const LANES: usize = <$vector as $crate::math::vector::Vector>::LANES;
                let mut product = BlockArguments { m, n, k, a, a_row, a_column, b, b_row, c, c_row, accumulate };
                // SAFETY: the contract of the kernel; all tiles lie in C.
                unsafe {
                    product.pack::<$vector>(packed);
                    let mut j = 0;
                    $(if m <= $most {
                        $crate::matmul::tiles::export_products! { @panels $vector product j [$($few_rows)+] }
                    })*
                    $crate::matmul::tiles::export_products! { @panels $vector product j [$($wide)+] }
                    $crate::matmul::tiles::export_products! { @panels $vector product j [$($single)+] }
                }
            }

            $(pub(in crate::matmul) unsafe extern "C" fn $tiny(
                layout: *const $crate::matmul::Layout,
                a: *const $type,
                b: *const $type,
                c: *mut $type,
                accumulate: u32,
            ) {
                const LANES: usize = <$vector as $crate::math::vector::Vector>::LANES;
                // SAFETY: the contract of the kernel; all tiles lie in C.
                unsafe {
                    let product = BlockArguments::tiny(layout, a, b, c, accumulate);
                    let mut j = 0;
                    $crate::matmul::tiles::export_products! { @panels $vector product j [1: 8 4 2 1] greedy }
                }
            })?
        }

        crate::frame::isa::$isa! {
            #[allow(clippy::too_many_arguments)]
            pub(in crate::matmul) unsafe extern "C" fn $outer(
                m: usize,
                n: usize,
                a: *const $type,
                a_row: isize,
                b: *const $type,
                c: *mut $type,
                c_row: isize,
                accumulate: u32,
            ) {
                // SAFETY: the contract of the kernel.
                unsafe {
                    match accumulate {
                        0 => outer::<$vector, false>([m, n], (a, a_row), b, (c, c_row)),
                        _ => outer::<$vector, true>([m, n], (a, a_row), b, (c, c_row)),
                    }
                }
            }

            $(pub(in crate::matmul) unsafe extern "C" fn $dots(
                m: usize,
                k: usize,
                a: *const $type,
                a_row: isize,
                x: *const $type,
                y: *mut $type,
            ) {
                const VECTORS: usize = $crate::matmul::blocking::LINE / size_of::<$vector>();
                // SAFETY: the contract of the kernel.
                unsafe {
                    match m {
                        ..$together => $crate::matmul::dots::dots::<$vector, VECTORS, 4>([m, k], (a, a_row), x, y),
                        _ => $crate::matmul::dots::dots::<$vector, VECTORS, $together>([m, k], (a, a_row), x, y),
                    }
                }
            })?
        }

        $(
        crate::frame::isa::$isa! {
            pub(in crate::matmul) unsafe extern "C" fn $rows(
                m: usize,
                k: usize,
                a: *const $type,
                a_row: isize,
                x: *const $type,
                c: *mut $type,
            ) {
                if m < <$vector as $crate::math::vector::Vector>::LANES {
                    // The dispatcher, because a build may leave out the block kernel of this file.
                    // SAFETY: the same contract.
                    return unsafe {
                        $crate::matmul::$block(m, 1, k, a, a_row, 1, x, 1, core::ptr::null_mut(), c, 1, 1)
                    };
                }
                let (a_column, b_row, c_row) = (1, 1, 1);
                let product =
                    BlockArguments { m, n: 1, k, a, a_row, a_column, b: x, b_row, c, c_row, accumulate: 1 };
                // SAFETY: the contract of the kernel.
                unsafe { product.strips::<$vector, 1, $unit, 1, 4, 1>(0, 1) }
            }
        }

        $(
        crate::frame::isa::$isa! {
            #[allow(clippy::too_many_arguments)]
            pub(in crate::matmul) unsafe extern "C" fn $columns(
                m: usize,
                n: usize,
                k: usize,
                a: *const $type,
                a_row: isize,
                b: *const $type,
                b_row: isize,
                c: *mut $type,
                c_row: isize,
                accumulate: u32,
            ) {
                const LANES: usize = <$vector as $crate::math::vector::Vector>::LANES;
                if m < LANES || k < $unit {
                    let packed = core::ptr::null_mut();
                    // The dispatcher, because a build may leave out the block kernel of this file.
                    // SAFETY: the same contract.
                    return unsafe {
                        $crate::matmul::$block(m, n, k, a, a_row, 1, b, b_row, packed, c, c_row, accumulate)
                    };
                }
                let product = BlockArguments { m, n, k, a, a_row, a_column: 1, b, b_row, c, c_row, accumulate };
                let mut j = 0;
                while j < n {
                    let mut width = n - j;
                    // SAFETY: the contract of the kernel; strips lie in C.
                    unsafe { $crate::matmul::tiles::export_products! { @strips $vector $unit product j width $few } }
                    j += width;
                }
            }

            pub(in crate::matmul) unsafe extern "C" fn $transpose(
                m: usize,
                n: usize,
                a: *const $type,
                a_row: isize,
                b: *mut $type,
                b_row: isize,
            ) {
                // SAFETY: the contract of the kernel.
                unsafe { transpose::<$vector, $unit>([m, n], (a, a_row), (b, b_row)) }
            }
        }
        )?
        )?
    };
    (@panels $vector:ident $product:ident $j:ident [$vectors:literal: $($rows:literal)+] $($greedy:ident)?) => {
        while $product.n - $j >= $vectors * LANES {
            $crate::matmul::tiles::export_products! {
                @tiles $vector $product $j false [$vectors: $($rows)+] $($greedy)?
            }
            $j += $vectors * LANES;
        }
        if $product.n - $j > ($vectors - 1) * LANES {
            $crate::matmul::tiles::export_products! {
                @tiles $vector $product $j true [$vectors: $($rows)+] $($greedy)?
            }
            #[allow(unused_assignments)] // by the last panels
            {
                $j = $product.n;
            }
        }
    };
    (@tiles $vector:ident $product:ident $j:ident $partial:literal [$vectors:literal: $($rows:literal)+]) => {
        const HEIGHTS: &[usize] = &[$($rows),+];
        const NEXT: [u8; SPLIT] = next_rows([$($rows),+]);
        let mut i = 0;
        while i < $product.m {
            let left = $product.m - i;
            let rows = if left < SPLIT { NEXT[left].into() } else { HEIGHTS[0] };
            $(if rows == $rows {
                $product.tile::<$vector, $rows, $vectors, $partial>(i, $j);
            })+
            i += rows;
        }
    };
    (@tiles $vector:ident $product:ident $j:ident $partial:literal [$vectors:literal: $($rows:literal)+] greedy) => {
        let mut i = 0;
        $(while $product.m - i >= $rows {
            $product.tile::<$vector, $rows, $vectors, $partial>(i, $j);
            i += $rows;
        })+
    };
    (@strips $vector:ident $unit:literal $product:ident $j:ident $width:ident [$($few:tt)+]) => {
        $crate::matmul::tiles::export_products! { @strips $vector $unit $product $j $width $($few)+ }
    };
    (@strips $vector:ident $unit:literal $product:ident $j:ident $width:ident
        ($max:literal: $repeat:literal $across:literal $down:literal $along:literal)) => {
        $width = $width.min($max);
        $product.strips::<$vector, $repeat, $unit, $across, $down, $along>($j, $width);
    };
    (@strips $vector:ident $unit:literal $product:ident $j:ident $width:ident
     ($max:literal: $repeat:literal $across:literal $down:literal $along:literal) $($rest:tt)+) => {
        if $width <= $max {
            $product.strips::<$vector, $repeat, $unit, $across, $down, $along>($j, $width);
        } else {
            $crate::matmul::tiles::export_products! { @strips $vector $unit $product $j $width $($rest)+ }
        }
    };
}
pub(super) use export_products;
