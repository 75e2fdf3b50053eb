//! Computes products, each by the path of its plan.

mod blocked;
mod call;
mod columns;
mod direct;
mod dots;
mod ends;
mod outer;
mod scattered;

pub(super) use blocked::{DEEP, scale_packed};
pub(super) use call::Prepacked;
pub(super) use direct::{at_once, at_once_in_any_order, near, tiny, tiny_at_once};
pub(super) use ends::Ends;

use self::call::{Call, aligned};
use super::element::Element;
use super::pack;
use super::plan::Plan;
use super::plan::path::Path;
use crate::frame::error::{Error, at_least};

/// Maximum size in bytes of a C that gets its bias before, and its activation after, the whole
/// product: it stays in L1 meanwhile.
const SMALL_C: usize = 16 << 10;

/// `accumulate` of the kernels for a product that scales no operand.
#[inline(always)]
pub(super) fn unscaled<T: Element>(alpha: T, beta: T) -> Option<u32> {
    match () {
        () if alpha != T::ONE => None,
        () if beta == T::ZERO => Some(0),
        () if beta == T::ONE => Some(1),
        () => None,
    }
}

impl<T: Element> Plan<T> {
    /// `C = alpha A B + beta C`. Each slice starts with the element of its matrix that has the
    /// lowest address. If `beta` is 0, C is not read. If `alpha` is 0, A and B are not read.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice or the workspace is too short; nothing is written then.
    #[inline]
    pub fn run(&self, alpha: T, a: &[T], b: &[T], beta: T, c: &mut [T], workspace: &mut [u8]) -> Result<(), Error> {
        let [(a_length, _), (b_length, _), (c_length, _)] = self.extents;
        let fit = a.len() >= a_length && b.len() >= b_length && c.len() >= c_length;
        if let Some(accumulate) = self.one_call(alpha, beta)
            && fit
        {
            // SAFETY: the slices hold the matrices, and C is borrowed exclusively.
            unsafe { direct::tiny(self, a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), accumulate) }
            return Ok(());
        }
        self.run_any(alpha, a, b, beta, c, workspace)
    }

    /// [`Plan::run`] of any product.
    #[inline(never)]
    fn run_any(&self, alpha: T, a: &[T], b: &[T], beta: T, c: &mut [T], workspace: &mut [u8]) -> Result<(), Error> {
        let [(a_length, a_first), (b_length, b_first), (c_length, c_first)] = self.extents;
        if a.len() < a_length || b.len() < b_length || c.len() < c_length || workspace.len() < self.workspace {
            return Err(self.short([a.len(), b.len(), c.len(), workspace.len()]));
        }
        // SAFETY: the slices hold the matrices, and C is borrowed exclusively.
        unsafe {
            let (a, b) = (a.as_ptr().add(a_first), b.as_ptr().add(b_first));
            self.execute(alpha, a, b, beta, c.as_mut_ptr().add(c_first), workspace.as_mut_ptr());
        }
        Ok(())
    }

    /// `count` products, with the same result as a [`Plan::run`] for each: those of the matrices
    /// that begin at multiples of `a_step`, `b_step` and `c_step` elements in the slices. A step of 0
    /// takes the same A or B for all.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice or the workspace is too short, [`Error::Stride`] if a C may
    /// overlap the next one, [`Error::TooLarge`] if the last matrix is out of the address space.
    /// Nothing is written then.
    #[allow(clippy::too_many_arguments)]
    pub fn run_batch(
        &self,
        count: usize,
        alpha: T,
        (a, a_step): (&[T], usize),
        (b, b_step): (&[T], usize),
        beta: T,
        (c, c_step): (&mut [T], usize),
        workspace: &mut [u8],
    ) -> Result<(), Error> {
        let steps = [a_step, b_step, c_step];
        let [a_length, b_length, c_length] = self.batch_lengths(count, steps)?;
        at_least("a", a_length, a.len())?;
        at_least("b", b_length, b.len())?;
        at_least("c", c_length, c.len())?;
        if count > 0 {
            at_least("workspace", self.workspace, workspace.len())?;
            let [(_, a_first), (_, b_first), (_, c_first)] = self.extents;
            // SAFETY: the slices hold all matrices, and each C is apart from the others.
            unsafe {
                let (a, b) = (a.as_ptr().add(a_first), b.as_ptr().add(b_first));
                let c = c.as_mut_ptr().add(c_first);
                self.execute_batch(count, steps, alpha, [a, b], beta, c, workspace.as_mut_ptr());
            }
        }
        Ok(())
    }

    /// The elements from the first to the last one of `count` matrices A, B and C.
    pub(super) fn batch_lengths(&self, count: usize, steps: [usize; 3]) -> Result<[usize; 3], Error> {
        let Some(last) = count.checked_sub(1) else { return Ok([0; 3]) };
        let ([.., (c_length, _)], [.., c_step]) = (self.extents, steps);
        if last > 0 && c_step < c_length {
            return Err(Error::Stride { argument: "c_step", min: c_length, found: c_step });
        }
        let length = |matrix: usize, argument| {
            let all = last.checked_mul(steps[matrix]).and_then(|first| first.checked_add(self.extents[matrix].0));
            all.filter(|&all| all <= isize::MAX as usize / size_of::<T>()).ok_or(Error::TooLarge { argument })
        };
        Ok([length(0, "a")?, length(1, "b")?, length(2, "c")?])
    }

    /// # Safety
    /// The contract of `execute` for the matrices that begin at multiples of the steps of A, B and
    /// C, `count` of each.
    #[allow(clippy::too_many_arguments)]
    pub(super) unsafe fn execute_batch(
        &self,
        count: usize,
        [a_step, b_step, c_step]: [usize; 3],
        alpha: T,
        [a, b]: [*const T; 2],
        beta: T,
        c: *mut T,
        workspace: *mut u8,
    ) {
        for i in 0..count {
            let (a, b) = (a.wrapping_add(i * a_step), b.wrapping_add(i * b_step));
            // SAFETY: the caller's contract.
            unsafe { self.execute(alpha, a, b, beta, c.wrapping_add(i * c_step), workspace) }
        }
    }

    /// `accumulate` of the call of `tiny` that is the whole product with the caller's pointers.
    #[inline(always)]
    pub(super) fn one_call(&self, alpha: T, beta: T) -> Option<u32> {
        if self.is_one_call { unscaled(alpha, beta) } else { None }
    }

    #[cold]
    fn short(&self, found: [usize; 4]) -> Error {
        let [a, b, c] = self.extents.map(|extent| extent.0);
        let expected = [("a", a), ("b", b), ("c", c), ("workspace", self.workspace)];
        let short = expected.into_iter().zip(found).find(|((_, expected), found)| found < expected);
        short.map_or(Error::NoMemory, |((argument, expected), found)| Error::Length { argument, expected, found })
    }

    /// # Safety
    /// The pointers point to matrices of the plan's shape and strides. C overlaps neither A nor B.
    /// `workspace` points to as many bytes as the plan requires.
    #[inline(always)]
    pub(super) unsafe fn execute(&self, alpha: T, a: *const T, b: *const T, beta: T, c: *mut T, workspace: *mut u8) {
        let (a, b) = if self.swapped { (b, a) } else { (a, b) };
        // SAFETY: the caller's contract.
        unsafe {
            match (self.path, unscaled(alpha, beta)) {
                (Path::Tiny, Some(accumulate)) => direct::tiny(self, a, b, c, accumulate),
                (Path::Direct, Some(accumulate)) => direct::in_place(self, a, b, c, accumulate),
                _ => {
                    let call = Call { alpha, a, b, beta, c, c_row: self.c.row, prepacked: None, ends: None };
                    self.dispatch(call, workspace);
                }
            }
        }
    }

    /// # Safety
    /// The contract of `execute`; A and B are already swapped if the plan says so.
    #[inline(never)]
    unsafe fn dispatch(&self, mut call: Call<T>, workspace: *mut u8) {
        let [m, n, k] = self.shape;
        if m == 0 || n == 0 {
            return;
        }
        // SAFETY: the caller's contract, throughout.
        unsafe {
            if call.alpha == T::ZERO || k == 0 {
                return pack::scale(m, n, call.c, self.c, call.beta);
            }
            match self.path {
                Path::Outer => {
                    self.scale_c(&mut call);
                    outer::run(self, call);
                }
                Path::Tiny | Path::Direct | Path::TransposedB | Path::Columns if call.alpha == T::ONE => {
                    self.scale_c(&mut call);
                    let accumulate = u32::from(call.beta != T::ZERO);
                    match self.path {
                        Path::Tiny => direct::tiny(self, call.a, call.b, call.c, accumulate),
                        Path::Direct => direct::in_place(self, call.a, call.b, call.c, accumulate),
                        Path::TransposedB => direct::with_b_transposed(self, call),
                        _ => columns::run(self, call),
                    }
                }
                Path::Tiny | Path::Direct | Path::TransposedB | Path::Columns | Path::Small => {
                    blocked::on_stack(self, call);
                }
                Path::Blocked => blocked::run(self, self.shape, call, aligned(workspace)),
                Path::Scattered => scattered::run(self, call, aligned(workspace)),
                Path::Dots => dots::run(self, call),
            }
        }
    }

    /// Scales C, so that beta is 0 or 1.
    ///
    /// # Safety
    /// As for `dispatch`.
    unsafe fn scale_c(&self, call: &mut Call<T>) {
        let [m, n, _] = self.shape;
        if call.beta != T::ZERO && call.beta != T::ONE {
            // SAFETY: the caller's contract.
            unsafe { pack::scale(m, n, call.c, self.c, call.beta) }
            call.beta = T::ONE;
        }
    }

    /// `C = alpha A B + beta C` with a packed B.
    ///
    /// # Safety
    /// As for `execute`; the plan was made by [`Plan::prepacked`].
    pub(super) unsafe fn execute_packed(
        &self,
        alpha: T,
        a: *const T,
        b: Prepacked<T>,
        beta: T,
        c: *mut T,
        workspace: *mut u8,
    ) {
        let call = Call { alpha, a, b: b.at, beta, c, c_row: self.c.row, prepacked: Some(b), ends: None };
        // SAFETY: the caller's contract.
        unsafe { self.dispatch(call, workspace) }
    }

    /// # Safety
    /// The contract of `execute`, or of `execute_packed` for a packed B; the bias has one number for
    /// each row, or column, of C.
    #[allow(clippy::too_many_arguments)]
    pub(super) unsafe fn execute_with_ends(
        &self,
        alpha: T,
        a: *const T,
        b: *const T,
        prepacked: Option<Prepacked<T>>,
        ends: Ends<T>,
        c: *mut T,
        workspace: *mut u8,
    ) {
        if self.shape[0] == 0 || self.shape[1] == 0 {
            return;
        }
        let (a, b) = if self.swapped { (b, a) } else { (a, b) };
        let ends = Ends { per_row: ends.per_row != self.swapped, ..ends };
        let beta = if ends.bias.is_null() { T::ZERO } else { T::ONE };
        let call = Call { alpha, a, b, beta, c, c_row: self.c.row, prepacked, ends: Some(ends) };
        let [m, n, k] = self.shape;
        let is_small = m.saturating_mul(n) <= SMALL_C / size_of::<T>();
        // SAFETY: the caller's contract, throughout.
        unsafe {
            match self.path {
                _ if is_small || alpha == T::ZERO || k == 0 => (),
                Path::Blocked => return blocked::run(self, self.shape, call, aligned(workspace)),
                Path::Tiny | Path::Small | Path::Direct | Path::TransposedB | Path::Columns => {
                    return blocked::on_stack(self, call);
                }
                Path::Outer | Path::Scattered | Path::Dots => (),
            }
            ends.begin([0, 0], [m, n], c, self.c);
            if alpha == T::ZERO || k == 0 {
                pack::scale(m, n, c, self.c, beta);
            } else {
                self.dispatch(Call { ends: None, ..call }, workspace);
            }
            ends.end([m, n], c, self.c);
        }
    }
}
