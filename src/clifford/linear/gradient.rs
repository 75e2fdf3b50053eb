//! Gradients with respect to weights and bias.

use super::Linear;
use crate::clifford::combine::bytes;
use crate::frame::error::{Error, at_least, exactly};
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};
use crate::matmul::{Element, MatMut, MatRef, Options, Strides, gemm_in, workspace_bytes};

/// Multiply-adds of a product of matrices between two questions to the caller: some 20 ms.
pub const PIECE_OF_PRODUCT: usize = 1 << 30;

/// Multiply-adds of a gradient between two questions to the caller, some milliseconds, and rows at least.
const PIECE: usize = 1 << 28;
const MIN_ROWS: usize = 256;

/// Columns of x in a piece of the product of `rows` rows, `k` and `n` columns: many, since each piece packs the other
/// factor again.
fn columns_of_piece(rows: usize, k: usize, n: usize) -> usize {
    let columns = PIECE_OF_PRODUCT / rows.saturating_mul(n).max(1);
    if columns >= k { k.max(1) } else { (columns / GRAIN * GRAIN).max(GRAIN) }
}

/// Columns of a piece are a multiple of this: whole tiles of any kernel.
const GRAIN: usize = 96;

impl Linear {
    /// Length of the workspace that [`Linear::backward_weights`] needs for a batch; 0 for an empty one.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if a matrix exceeds the address space.
    pub fn backward_weights_len<T: Element>(&self, batch: usize) -> Result<usize, Error> {
        let needed_of = |rows: usize, part: usize, k: usize, n: usize| {
            let rows_of_n = Strides::row_major(n);
            let x = Strides::column_major(k);
            let bytes = workspace_bytes::<T>([part, n, rows], x, rows_of_n, rows_of_n, &Options::default())?;
            Ok::<_, Error>(bytes.div_ceil(size_of::<T>()))
        };
        let needed = |rows: usize, k: usize, n: usize| needed_of(rows, k, k, n);
        if batch == 0 {
            return Ok(0);
        }
        let blades = self.signature.blades();
        if self.passes.is_empty() {
            let [k, n] = [self.inputs, self.outputs].map(|channels| channels * blades);
            let rows = batch.min(self.gradient_rows());
            let mut most = 0;
            for rows in [rows, batch % rows] {
                let part = columns_of_piece(rows, k, n);
                for columns in [part, k % part] {
                    most = most.max(needed_of(rows, columns, k, n)?);
                }
            }
            return Ok(k * n + most);
        }
        let rows = batch.min(self.block_rows);
        let (mut products, mut most) = (0, 0);
        for step in &self.passes {
            let [k, n] = [step.pass.depth() * self.inputs, step.pass.size * self.outputs];
            products += k * n;
            let [whole, last] = [rows, batch % rows].map(|rows| needed(rows * step.pass.size, k, n));
            most = most.max(rows * step.pass.size * (k + n) + whole?.max(last?));
        }
        Ok(products + most)
    }

    /// Adds to `gw` the gradient with respect to the weights, and to `gbias` the one with respect to
    /// the bias, given the input and the gradient with respect to the output.
    ///
    /// Each partial product is an FMA chain over the batch; the terms of one weight are then summed, in
    /// [`Mode::Exact`](super::Mode::Exact) in ascending order of the input's blades.
    ///
    /// # Errors
    /// [`Error::Length`] if an array has the wrong length or `workspace` is shorter than
    /// [`Linear::backward_weights_len`].
    pub fn backward_weights<T: Element>(
        &self,
        batch: usize,
        x: &[T],
        gy: &[T],
        gw: &mut [T],
        gbias: Option<&mut [T]>,
        workspace: &mut [T],
    ) -> Result<(), Error> {
        whole(|pieces| self.weights_gradient((batch, x, gy), (gw, gbias), workspace, pieces))
    }

    /// Like [`Linear::backward_weights`]. Returns false as soon as `go_on`, called before each piece of the batch,
    /// returns false; `gw` and `gbias` are then of no use.
    ///
    /// # Errors
    /// Those of [`Linear::backward_weights`].
    pub fn backward_weights_while<T: Element>(
        &self,
        batch: usize,
        (x, gy): (&[T], &[T]),
        gradients: (&mut [T], Option<&mut [T]>),
        workspace: &mut [T],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<bool, Error> {
        let pieces = &mut Pieces::new(&mut go_on);
        unless_ended(self.weights_gradient((batch, x, gy), gradients, workspace, pieces)).map(|done| done.is_some())
    }

    fn weights_gradient<T: Element>(
        &self,
        (batch, x, gy): (usize, &[T], &[T]),
        (gw, gbias): (&mut [T], Option<&mut [T]>),
        workspace: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let blades = self.signature.blades();
        exactly("x", batch.saturating_mul(self.inputs * blades), x.len())?;
        exactly("gy", batch.saturating_mul(self.outputs * blades), gy.len())?;
        self.check_gradients(gw, gbias.as_deref())?;
        at_least("workspace", self.backward_weights_len::<T>(batch)?, workspace.len())?;
        if batch == 0 {
            return Ok(());
        }
        let (products, rest) = self.begin_gradient(workspace, pieces)?;
        self.add_to_gradient((x, gy), (products, gbias), rest, pieces)?;
        self.end_gradient(products, gw, pieces)
    }

    /// Rows of a batch that are added to the gradient together: whole blocks.
    fn gradient_rows(&self) -> usize {
        let products = (self.inputs * self.outputs).saturating_mul(self.signature.blades().pow(2));
        let rows = (PIECE / products.max(1)).max(MIN_ROWS);
        if self.passes.is_empty() { rows } else { rows.next_multiple_of(self.block_rows.max(1)) }
    }

    pub(in crate::clifford) fn check_gradients<T>(&self, gw: &[T], gbias: Option<&[T]>) -> Result<(), Error> {
        let blades = self.signature.blades();
        exactly("gw", blades * self.inputs * self.outputs, gw.len())?;
        gbias.map_or(Ok(()), |gbias| exactly("gbias", blades * self.outputs, gbias.len()))
    }

    /// Adds the rows of a gradient to the gradient with respect to the bias.
    fn add_bias_gradient<T: Element>(&self, gy: &[T], gbias: &mut [T]) {
        let (blades, outputs) = (self.signature.blades(), self.outputs);
        for row in gy.chunks_exact(outputs * blades) {
            for (o, gy) in row.chunks_exact(blades).enumerate() {
                gy.iter().enumerate().for_each(|(j, &gy)| gbias[j * outputs + o] = gbias[j * outputs + o] + gy);
            }
        }
    }

    /// Products of all passes, set to 0, and the rest of the workspace.
    pub(in crate::clifford) fn begin_gradient<'a, T: Element>(
        &self,
        workspace: &'a mut [T],
        pieces: &mut Pieces,
    ) -> Result<(&'a mut [T], &'a mut [T]), Ended> {
        let blades = self.signature.blades();
        let numbers = match self.passes.is_empty() {
            true => blades * blades,
            false => self.passes.iter().map(|step| step.pass.w.len()).sum(),
        };
        let (products, rest) = workspace.split_at_mut(numbers * self.inputs * self.outputs);
        pieces.each(products.len(), |piece| products[piece].fill(T::ZERO))?;
        Ok((products, rest))
    }

    /// Continues the chains of the products, and those of the bias, with rows of the batch.
    pub(in crate::clifford) fn add_to_gradient<T: Element>(
        &self,
        (x, gy): (&[T], &[T]),
        (products, mut gbias): (&mut [T], Option<&mut [T]>),
        rest: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let (blades, rows) = (self.signature.blades(), self.gradient_rows());
        let [x_rows, y_rows] = [self.inputs, self.outputs].map(|channels| (rows * channels * blades).max(1));
        for (x, gy) in x.chunks(x_rows).zip(gy.chunks(y_rows)) {
            pieces.next()?;
            if let Some(gbias) = &mut gbias {
                self.add_bias_gradient(gy, gbias);
            }
            self.add_piece_to_gradient((x, gy), products, rest, pieces)?;
        }
        Ok(())
    }

    fn add_piece_to_gradient<T: Element>(
        &self,
        (x, gy): (&[T], &[T]),
        products: &mut [T],
        rest: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let (blades, inputs, outputs) = (self.signature.blades(), self.inputs, self.outputs);
        let [x_row, y_row] = [inputs, outputs].map(|channels| channels * blades);
        let (batch, options) = (x.len() / x_row, Options::default());
        if self.passes.is_empty() {
            let part = columns_of_piece(batch, x_row, y_row);
            for first in (0..x_row).step_by(part) {
                pieces.next()?;
                let columns = part.min(x_row - first);
                let a = MatRef::row_major(&x[first..], batch, columns, x_row)?.transposed();
                let b = MatRef::row_major(gy, batch, y_row, y_row)?;
                let c = MatMut::row_major(&mut products[first * y_row..], columns, y_row, y_row)?;
                gemm_in(T::ONE, a, b, T::ONE, c, &options, Some(bytes(rest)))?;
            }
            return Ok(());
        }
        let rows = batch.min(self.block_rows);
        for (x, gy) in x.chunks(rows.max(1) * x_row).zip(gy.chunks(rows.max(1) * y_row)) {
            let mut at = 0;
            for step in &self.passes {
                pieces.next()?;
                let [k, n] = [step.pass.depth() * inputs, step.pass.size * outputs];
                let (points, size) = (x.len() / x_row, step.pass.size);
                let rows = points * size;
                let (left, rest) = rest.split_at_mut(rows * k);
                let (right, rest) = rest.split_at_mut(rows * n);
                step.x.forms([points, inputs, blades], (x, x_row, blades), (left, size * k, inputs));
                step.units.forms([points, outputs, blades], (gy, y_row, blades), (right, size * n, outputs));
                let a = MatRef::row_major(left, rows, k, k)?.transposed();
                let b = MatRef::row_major(right, rows, n, n)?;
                let c = MatMut::row_major(&mut products[at..], k, n, n)?;
                gemm_in(T::ONE, a, b, T::ONE, c, &options, Some(bytes(rest)))?;
                at += k * n;
            }
        }
        Ok(())
    }

    /// Adds the products to the gradient with respect to the weights.
    pub(in crate::clifford) fn end_gradient<T: Element>(
        &self,
        products: &[T],
        gw: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let (blades, inputs, outputs) = (self.signature.blades(), self.inputs, self.outputs);
        if self.passes.is_empty() {
            for p in 0..blades {
                for q in 0..blades {
                    let (j, sign) = self.signature.product(p, q);
                    for o in (0..outputs).filter(|_| sign != 0) {
                        pieces.before(inputs)?;
                        for (i, gw) in gw[(q * outputs + o) * inputs..][..inputs].iter_mut().enumerate() {
                            let term = products[((i * blades + p) * outputs + o) * blades + j];
                            *gw = *gw + T::from_f64(sign.into()) * term;
                        }
                    }
                }
            }
        }
        let mut rest = products;
        for step in &self.passes {
            let (pass, n) = (&step.pass, step.pass.size * outputs);
            let (product, after) = rest.split_at(pass.w.len() * inputs * outputs);
            rest = after;
            let scale = T::from_f64(1.0 / f64::from(1 << pass.halvings));
            for (at, form) in pass.w.iter().enumerate() {
                let (block, column) = (at / pass.size, at % pass.size);
                for (q, &sign) in form.iter().enumerate().filter(|(_, sign)| **sign != 0) {
                    for o in 0..outputs {
                        pieces.before(inputs)?;
                        for (i, gw) in gw[(q * outputs + o) * inputs..][..inputs].iter_mut().enumerate() {
                            let term = product[(block * inputs + i) * n + column * outputs + o];
                            *gw = *gw + T::from_f64(sign.into()) * (scale * term);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
