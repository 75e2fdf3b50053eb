//! Products in blocks of k, of columns and of rows, packed if that pays.

use core::mem::MaybeUninit;
use core::ptr::null_mut;

use super::call::{Call, Prepacked, aligned};
use crate::matmul::blocking::{Blocking, parts, row_of, tile};
use crate::matmul::element::Element;
use crate::matmul::pack::{self, Source};
use crate::matmul::plan::path::Path;
use crate::matmul::plan::{ALIGN, Plan, RowsOfA};
use crate::matmul::view::Strides;

/// Bytes of the buffer of [`on_stack`]: a panel of rows, and a sliver.
const STACK: usize = 48 << 10;

/// [`run`] with blocks that fit the stack.
///
/// # Safety
/// As for `dispatch`.
pub(super) unsafe fn on_stack<T: Element>(plan: &Plan<T>, call: Call<T>) {
    let mut buffer = MaybeUninit::<[u8; STACK + ALIGN]>::uninit();
    let (mr, nr) = tile(plan.isa, size_of::<T>());
    let (mc, kc) = (STACK / 2 / (row_of(128, size_of::<T>()) * size_of::<T>()) / mr * mr, 128);
    let packs = plan.path == Path::TransposedB;
    // If slivers are packed, one at a time.
    let nc = if packs || plan.swapped && call.alpha != T::ONE { nr } else { plan.shape[1] };
    let blocking = Blocking { mr, nr, mc, nc, kc, group: 1 }.fitted(plan.shape);
    let plan = Plan { blocking, rows: RowsOfA::Copied, packs, ..*plan };
    // SAFETY: the caller's contract; the panel and the sliver fit half of the buffer each.
    unsafe { run(&plan, plan.shape, call, aligned(buffer.as_mut_ptr().cast())) }
}

/// Minimum number of steps of k for which the rows of a tile meet all slivers of a group before the
/// next rows do. Then they stay in L1, and a tile is far from the stores of the one before: loads
/// wait for stores whose addresses have the same low 12 bits, as those of the rows below often have.
/// In shallow blocks, the calls would take longer.
pub(in crate::matmul) const DEEP: usize = 160;

/// # Safety
/// As for `dispatch`; `buffer` has room for the blocks and is aligned.
pub(super) unsafe fn run<T: Element>(plan: &Plan<T>, [m, n, k]: [usize; 3], call: Call<T>, buffer: *mut u8) {
    let Call { alpha, a, b, beta, c, c_row, prepacked, ends } = call;
    let Blocking { mr, nr, mc, nc, kc, group } = plan.blocking;
    let (scales_a, scales_b) = (alpha != T::ONE && !plan.swapped, alpha != T::ONE && plan.swapped);
    let rows = match plan.rows {
        RowsOfA::InPlace if scales_a && plan.a.row == 1 => RowsOfA::Panels,
        RowsOfA::InPlace if scales_a => RowsOfA::Copied,
        rows => rows,
    };
    let packs = prepacked.is_none() && (plan.packs || scales_b);
    let (rows_bytes, _) = plan.buffers(m, rows != RowsOfA::InPlace, packs);
    let (rows_at, slivers_at) = (buffer.cast::<T>(), buffer.wrapping_add(rows_bytes).cast::<T>());
    let ahead = packs && plan.packs_ahead;
    let kept = ahead || m > mc;
    let slivers =
        Slivers { b, strides: plan.b, prepacked, alpha, scales: scales_b, packs, ahead, kept, at: slivers_at };
    let step = if !plan.once && packs || prepacked.is_some() { nr } else { nc };
    // SAFETY: every block is within the matrices, and the buffers have room for it.
    unsafe {
        if beta != T::ZERO && beta != T::ONE {
            pack::scale(m, n, c, Strides { row: c_row, column: 1 }, beta);
        }
        for (j, columns) in parts(n, nc, nr) {
            for (p, depth) in parts(k, kc, 1) {
                let accumulate = u32::from(p > 0 || beta != T::ZERO);
                if ahead {
                    slivers.pack([p, j], [depth, columns], nr);
                }
                for (i, height) in parts(m, mc, mr) {
                    let from = Source { at: a.wrapping_offset(plan.a.offset(i, p)), strides: plan.a };
                    let (a, a_row, a_column) = rows_of_a(rows, from, [height, depth], mr, rows_at, alpha, scales_a);
                    // Without memory for more than one sliver, each is done before the next.
                    let (group, together) =
                        match step == nr && !plan.once && depth >= DEEP && (kept || prepacked.is_some()) {
                            true => (group * nr, mr),
                            false => (step, if rows == RowsOfA::Panels { mr } else { height }),
                        };
                    for g in (j..j + columns).step_by(group) {
                        let mut r = 0;
                        while r < height {
                            let some = if height - r < 2 * together { height - r } else { together };
                            let (a, c) =
                                (a.wrapping_offset(r as isize * a_row), c.wrapping_offset((i + r) as isize * c_row));
                            let (a_row, a_column) =
                                if rows == RowsOfA::Panels { (1, some as isize) } else { (a_row, a_column) };
                            for s in (g..(j + columns).min(g + group)).step_by(step) {
                                let width = step.min(j + columns - s);
                                let (b, b_row, packed) = slivers.sliver([p, j, s], [depth, width], i + r == 0);
                                let c = c.wrapping_add(s);
                                let strides = Strides { row: c_row, column: 1 };
                                if let (Some(ends), 0) = (ends, p) {
                                    ends.begin([i + r, s], [some, width], c, strides);
                                }
                                (plan.block)(
                                    some, width, depth, a, a_row, a_column, b, b_row, packed, c, c_row, accumulate,
                                );
                                if let (Some(ends), true) = (ends, p + depth == k) {
                                    ends.end([some, width], c, strides);
                                }
                            }
                            r += some;
                        }
                    }
                }
            }
        }
    }
}

/// Slivers of B: in place, packed before the call, or packed by it.
struct Slivers<T> {
    b: *const T,
    strides: Strides,
    prepacked: Option<Prepacked<T>>,
    alpha: T,
    /// Whether packed elements are multiplied by `alpha`.
    scales: bool,
    packs: bool,
    /// Whether all slivers of a block are packed before the first is used.
    ahead: bool,
    /// Whether all packed slivers of a block are kept, rather than one.
    kept: bool,
    /// Packed slivers.
    at: *mut T,
}

impl<T: Element> Slivers<T> {
    /// Packs all slivers of the block of B from row `p` and column `j` on.
    ///
    /// # Safety
    /// As for [`run`].
    #[inline(always)]
    unsafe fn pack(&self, [p, j]: [usize; 2], [depth, columns]: [usize; 2], nr: usize) {
        let from = Source { at: self.b.wrapping_offset(self.strides.offset(p, j)), strides: self.strides };
        // SAFETY: the caller's contract.
        unsafe {
            pack::slivers(from, [depth, columns], [nr, nr], self.at);
            if self.scales {
                scale_packed(self.at, depth * columns, self.alpha);
            }
        }
    }

    /// The sliver from column `s` on of the block at row `p` and column `j`, the stride of its rows, and where the
    /// kernel packs it. `first` is set for the first rows of A that meet it.
    ///
    /// # Safety
    /// As for [`run`].
    #[inline(always)]
    unsafe fn sliver(
        &self,
        [p, j, s]: [usize; 3],
        [depth, width]: [usize; 2],
        first: bool,
    ) -> (*const T, isize, *mut T) {
        if let Some(Prepacked { at, n, first }) = self.prepacked {
            return (at.wrapping_add(p * n + (first + s) * depth), width as isize, null_mut());
        }
        let from = Source { at: self.b.wrapping_offset(self.strides.offset(p, s)), strides: self.strides };
        if !self.packs {
            return (from.at, self.strides.row, null_mut());
        }
        let packed = self.at.wrapping_add(if self.kept { (s - j) * depth } else { 0 });
        if first && !self.ahead {
            if !self.scales && (self.strides.column == 1 || width == 1) {
                return (from.at, self.strides.row, packed);
            }
            // SAFETY: the caller's contract.
            unsafe { pack::gather_scaled(from, [depth, width], (packed, width), self.alpha, self.scales) };
        }
        (packed.cast_const(), width as isize, null_mut())
    }
}

/// Puts the rows of a block of A where the kernel reads them. Returns their address and their strides.
///
/// # Safety
/// As for [`run`].
#[inline(always)]
unsafe fn rows_of_a<T: Element>(
    rows: RowsOfA,
    from: Source<T>,
    [height, depth]: [usize; 2],
    mr: usize,
    rows_at: *mut T,
    alpha: T,
    scales_a: bool,
) -> (*const T, isize, isize) {
    // SAFETY: the caller's contract; the block is within the matrix, and the buffer has room for it.
    unsafe {
        match rows {
            RowsOfA::InPlace => (from.at, from.strides.row, from.strides.column),
            RowsOfA::Copied => {
                let row = row_of(depth, size_of::<T>());
                pack::gather_scaled(from, [height, depth], (rows_at, row), alpha, scales_a);
                (rows_at.cast_const(), row as isize, 1)
            }
            RowsOfA::Panels => {
                let columns = Source { at: from.at, strides: from.strides.transposed() };
                pack::slivers(columns, [depth, height], [mr, 2 * mr - 1], rows_at);
                if scales_a {
                    scale_packed(rows_at, depth * height, alpha);
                }
                (rows_at.cast_const(), depth as isize, 1)
            }
        }
    }
}

/// Multiplies packed elements by `alpha`.
///
/// # Safety
/// `n` elements can be read and written.
#[inline]
pub(in crate::matmul) unsafe fn scale_packed<T: Element>(at: *mut T, n: usize, alpha: T) {
    // SAFETY: the caller's contract.
    unsafe { (T::VECTORS.scal)(alpha, at, n) }
}
