//! Products in blocks of k, of columns and of rows, packed if that pays.

use core::mem::MaybeUninit;

use super::call::{Call, Prepacked, aligned};
use crate::isa::Isa;
use crate::matmul::blocking::{Blocking, SPLAT, parts, row_of, tile};
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
    let (rows, mc, kc) = match plan.isa {
        Isa::sse2 => (RowsOfA::Splatted, mr, 256),
        _ => (RowsOfA::Copied, STACK / 2 / (row_of(128, size_of::<T>()) * size_of::<T>()) / mr * mr, 128),
    };
    let packs = plan.path == Path::TransposedB;
    // If slivers are packed, one at a time.
    let nc = if packs || plan.swapped && call.alpha != T::ONE { nr } else { plan.shape[1] };
    let plan = Plan { blocking: Blocking { mr, nr, mc, nc, kc }.fitted(plan.shape), rows, packs, ..*plan };
    // SAFETY: the caller's contract; the panel and the sliver fit half of the buffer each.
    unsafe { run(&plan, plan.shape, call, aligned(buffer.as_mut_ptr().cast())) }
}

/// # Safety
/// As for `dispatch`; `buffer` has room for the blocks and is aligned.
pub(super) unsafe fn run<T: Element>(plan: &Plan<T>, [m, n, k]: [usize; 3], call: Call<T>, buffer: *mut u8) {
    let Call { alpha, a, b, beta, c, c_row, prepacked } = call;
    let Blocking { mr, nr, mc, nc, kc } = plan.blocking;
    let (scales_a, scales_b) = (alpha != T::ONE && !plan.swapped, alpha != T::ONE && plan.swapped);
    let rows = if scales_a && plan.rows == RowsOfA::InPlace { RowsOfA::Copied } else { plan.rows };
    let packs = prepacked.is_none() && (plan.packs || scales_b);
    let (rows_bytes, _) = plan.buffers(m, rows != RowsOfA::InPlace, packs);
    let (rows_at, slivers_at) = (buffer.cast::<T>(), buffer.wrapping_add(rows_bytes).cast::<T>());
    let from_b = Source { at: b, strides: plan.b };
    let ahead = packs && plan.packs_ahead;
    let kept = ahead || m > mc;
    // SAFETY: every block is within the matrices, and the buffers have room for it.
    unsafe {
        if beta != T::ZERO && beta != T::ONE {
            pack::scale(m, n, c, Strides { row: c_row, column: 1 }, beta);
        }
        for (j, columns) in parts(n, nc, nr) {
            for (p, depth) in parts(k, kc, 1) {
                let accumulate = u32::from(p > 0 || beta != T::ZERO);
                if ahead {
                    let from = Source { at: b.wrapping_offset(plan.b.offset(p, j)), strides: plan.b };
                    pack::slivers(from, [depth, columns], nr, slivers_at);
                    if scales_b {
                        let all = core::slice::from_raw_parts_mut(slivers_at, depth * columns);
                        all.iter_mut().for_each(|x| *x = alpha * *x);
                    }
                }
                for (i, height) in parts(m, mc, mr) {
                    let from_a = Source { at: a.wrapping_offset(plan.a.offset(i, p)), strides: plan.a };
                    let (a, a_row, a_column) = match rows {
                        RowsOfA::InPlace => (from_a.at, plan.a.row, plan.a.column),
                        RowsOfA::Copied => {
                            let row = row_of(depth, size_of::<T>());
                            pack::gather_scaled(from_a, [height, depth], (rows_at, row), alpha, scales_a);
                            (rows_at.cast_const(), row as isize, 1)
                        }
                        RowsOfA::Splatted => {
                            let copies = SPLAT / size_of::<T>();
                            pack::splat(
                                from_a,
                                [height, depth],
                                rows_at,
                                copies,
                                if scales_a { alpha } else { T::ONE },
                            );
                            (rows_at.cast_const(), copies as isize, (copies * height) as isize)
                        }
                    };
                    let whole = !packs && prepacked.is_none();
                    let step = if whole { columns } else { nr };
                    for s in (j..j + columns).step_by(step) {
                        let width = step.min(j + columns - s);
                        let c = c.wrapping_offset(i as isize * c_row).wrapping_add(s);
                        let mut packed = core::ptr::null_mut();
                        let (b, b_row) = match prepacked {
                            Some(Prepacked { at, n, first }) => {
                                (at.wrapping_add(p * n + (first + s) * depth), width as isize)
                            }
                            None => {
                                let sliver = slivers_at.wrapping_add(if kept { (s - j) * depth } else { 0 });
                                let from = Source { at: from_b.at.wrapping_offset(plan.b.offset(p, s)), ..from_b };
                                if !packs {
                                    (from.at, plan.b.row)
                                } else if ahead || i > 0 {
                                    (sliver.cast_const(), width as isize)
                                } else if scales_b || (plan.b.column != 1 && width > 1) {
                                    pack::gather_scaled(from, [depth, width], (sliver, width), alpha, scales_b);
                                    (sliver.cast_const(), width as isize)
                                } else {
                                    packed = sliver;
                                    (from.at, plan.b.row)
                                }
                            }
                        };
                        (plan.block)(height, width, depth, a, a_row, a_column, b, b_row, packed, c, c_row, accumulate);
                    }
                }
            }
        }
    }
}
