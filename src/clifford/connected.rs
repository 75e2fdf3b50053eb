//! Products of multivectors whose weights connect all input channels with all output channels.

use alloc::vec::Vec;

use super::combine::{bytes, transpose};
use super::layout::{Direction, batch_lengths, block_rows, gradient_workspace};
use super::products::paths;
use super::signature::{MAX_GENERATORS, Signature};
use crate::frame::error::{Error, at_least, exactly};
use crate::frame::memory::{filled, push};
use crate::matmul::{Element, MatMut, MatRef, Options, PackedB, gemm_in, gemm_packed};

/// Grades, at most.
const GRADES: usize = MAX_GENERATORS + 1;

/// A weighted product in which each output channel has weights for each input channel and path:
/// z\[b, o\] is the sum over input channels i and [`paths`](super::paths) t of w\[o, i, t\] times the
/// part of the product x\[b, i\] y\[b, i\] that belongs to path t.
///
/// | array | shape, row-major |
/// |---|---|
/// | x, y | (batch, inputs, blades) |
/// | z | (batch, outputs, blades) |
/// | weights | (outputs, inputs, [`paths`](super::paths)) |
///
/// The products of blades of a path are added in ascending order of the blades of x, each operation
/// rounded. A number of z is one chain of fused multiply-adds, over the paths to its grade in their
/// order, for each over the input channels. It has the same bits on every CPU, for every
/// batch. Threads may share the weights and split the batch.
///
/// ```
/// use hotloops::clifford::{ConnectedProduct, Signature};
///
/// // Two channels of complex numbers: z = x0 y0 + 2 x1 y1. A path for each pair of grades.
/// let product = ConnectedProduct::new(Signature::new(&[-1])?, 2, 1)?;
/// let mut memory = vec![0.0f32; product.packed_len()?];
/// let weights = product.pack(&[1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0], &mut memory)?;
/// let mut workspace = vec![0.0; weights.workspace_len(1)?];
/// let (x, y, mut z) = ([0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 3.0, 4.0], [0.0; 2]);
/// weights.forward(1, &x, &y, &mut z, &mut workspace)?;
/// assert_eq!(z, [-11.0, 20.0]); // i i + 2 (1 + 2i)(3 + 4i)
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConnectedProduct {
    signature: Signature,
    inputs: usize,
    outputs: usize,
    /// The places of the paths to each grade among all paths.
    paths: [Vec<usize>; GRADES],
    /// The terms of all sums: for each blade of z and each path to its grade.
    terms: Vec<Term>,
    /// For each of these sums, the end of its terms.
    ends: Vec<usize>,
}

/// The product of blade p of x and blade q of y.
#[derive(Clone, Copy, Debug)]
struct Term {
    p: u8,
    q: u8,
    is_negative: bool,
}

/// Weights of a [`ConnectedProduct`], packed in the caller's memory.
#[derive(Clone, Debug)]
pub struct ConnectedWeights<'a, T> {
    product: &'a ConnectedProduct,
    direction: Direction,
    /// One for each grade of z.
    grades: Vec<PackedB<'a, T>>,
}

impl ConnectedProduct {
    /// A product of `inputs` pairs of channels, for `outputs` channels.
    ///
    /// # Errors
    /// [`Error::Channels`] if a number of channels is 0, [`Error::TooLarge`] if the weights exceed
    /// the address space, [`Error::NoMemory`].
    pub fn new(signature: Signature, inputs: usize, outputs: usize) -> Result<Self, Error> {
        for (argument, channels) in [("inputs", inputs), ("outputs", outputs)] {
            if channels == 0 {
                return Err(Error::Channels { argument });
            }
        }
        let (mut places, mut terms, mut ends) = ([const { Vec::new() }; GRADES], Vec::new(), Vec::new());
        for (place, [_, result, _]) in paths(signature).enumerate() {
            push(&mut places[result], place)?;
        }
        for j in 0..signature.blades() {
            for [first, _, second] in paths(signature).filter(|path| path[1] == signature.grade(j)) {
                for (p, q, sign) in signature.factors(j) {
                    if [signature.grade(p), signature.grade(q)] == [first, second] {
                        push(&mut terms, Term { p: p as u8, q: q as u8, is_negative: sign < 0 })?;
                    }
                }
                push(&mut ends, terms.len())?;
            }
        }
        let product = ConnectedProduct { signature, inputs, outputs, paths: places, terms, ends };
        product.packed_len()?;
        Ok(product)
    }

    /// The signature of the algebra.
    #[must_use]
    pub fn signature(&self) -> Signature {
        self.signature
    }

    /// The number of paths.
    fn count(&self) -> usize {
        self.paths.iter().map(Vec::len).sum()
    }

    /// The number of paths to the grade of a blade.
    fn count_to(&self, blade: usize) -> usize {
        self.paths[self.signature.grade(blade)].len()
    }

    /// Elements of the memory that [`ConnectedProduct::pack`] and [`ConnectedProduct::pack_backward`]
    /// fill.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if that exceeds the address space.
    pub fn packed_len(&self) -> Result<usize, Error> {
        let all = self.inputs.checked_mul(self.outputs).and_then(|pairs| pairs.checked_mul(self.count()));
        all.filter(|&all| all <= isize::MAX as usize / 8).ok_or(Error::TooLarge { argument: "weights" })
    }

    /// Packs weights for [`ConnectedWeights::forward`].
    ///
    /// # Errors
    /// [`Error::Length`] if `weights` has the wrong length or `memory` is shorter than
    /// [`ConnectedProduct::packed_len`], [`Error::NoMemory`].
    pub fn pack<'a, T: Element>(
        &'a self,
        weights: &[T],
        memory: &'a mut [T],
    ) -> Result<ConnectedWeights<'a, T>, Error> {
        self.pack_for(Direction::Forward, weights, memory)
    }

    /// Packs weights for [`ConnectedWeights::backward`].
    ///
    /// # Errors
    /// As for [`ConnectedProduct::pack`].
    pub fn pack_backward<'a, T: Element>(
        &'a self,
        weights: &[T],
        memory: &'a mut [T],
    ) -> Result<ConnectedWeights<'a, T>, Error> {
        self.pack_for(Direction::Backward, weights, memory)
    }

    fn pack_for<'a, T: Element>(
        &'a self,
        direction: Direction,
        weights: &[T],
        memory: &'a mut [T],
    ) -> Result<ConnectedWeights<'a, T>, Error> {
        let (inputs, columns, count) = (self.inputs, self.outputs, self.count());
        exactly("weights", inputs * columns * count, weights.len())?;
        at_least("memory", self.packed_len()?, memory.len())?;
        let (mut grades, mut rest) = (Vec::new(), memory);
        for paths in &self.paths[..=self.signature.squares().len()] {
            let rows = paths.len() * inputs;
            let mut matrix = filled(rows * columns, T::ZERO)?;
            for (row, to) in matrix.chunks_exact_mut(columns).enumerate() {
                let (path, i) = (paths[row / inputs], row % inputs);
                to.iter_mut().enumerate().for_each(|(o, w)| *w = weights[(o * inputs + i) * count + path]);
            }
            let (part, after) = rest.split_at_mut(rows * columns);
            rest = after;
            let b = MatRef::row_major(&matrix, rows, columns, columns)?;
            let b = if direction == Direction::Forward { b } else { b.transposed() };
            push(&mut grades, PackedB::new(b, part, &Options::default())?)?;
        }
        Ok(ConnectedWeights { product: self, direction, grades })
    }

    /// Elements of the weights.
    pub(super) fn weights_len(&self) -> usize {
        self.inputs * self.outputs * self.count()
    }

    /// Elements of x, as many as of y, and of z for a batch.
    pub(super) fn lengths(&self, batch: usize) -> Result<[usize; 2], Error> {
        batch_lengths(batch, self.signature.blades(), [self.inputs, self.outputs])
    }

    /// Batch rows of a block: its multivectors and the sums of a blade stay in the level 2 cache.
    fn block_rows(&self, batch: usize) -> usize {
        block_rows(batch, self.signature.blades() + self.max_count(), self.inputs.saturating_mul(4))
    }

    /// The number of paths to a grade, at most.
    fn max_count(&self) -> usize {
        self.paths.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Elements of a block of `rows` rows: x, y and their gradients if `factors` is 4; z; and the sums of a
    /// blade.
    fn block_len(&self, rows: usize, factors: usize) -> usize {
        let blades = self.signature.blades();
        rows * (self.inputs * (factors * blades + self.max_count()) + self.outputs * blades)
    }

    /// The number of sums before those of a blade.
    fn first_sum(&self, blade: usize) -> usize {
        (0..blade).map(|j| self.count_to(j)).sum()
    }

    /// The terms of sum number `sum`.
    fn terms(&self, sum: usize) -> &[Term] {
        let begin = if sum == 0 { 0 } else { self.ends[sum - 1] };
        &self.terms[begin..self.ends[sum]]
    }

    /// The sums of all paths to blade `j`: rows of (path, input). `x` and `y` are blade by blade.
    fn sums<T: Element>(&self, j: usize, [x, y]: [&[T]; 2], sums: &mut [T]) {
        let (inputs, count, first) = (self.inputs, self.count_to(j), self.first_sum(j));
        let lanes = x.len() / self.signature.blades();
        for (row, sums) in sums.chunks_exact_mut(count * inputs).enumerate() {
            for (path, sums) in sums.chunks_exact_mut(inputs).enumerate() {
                // -0 + a = a for every a.
                sums.fill(-T::ZERO);
                for term in self.terms(first + path) {
                    let x = &x[usize::from(term.p) * lanes + row * inputs..][..inputs];
                    let y = &y[usize::from(term.q) * lanes + row * inputs..][..inputs];
                    for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
                        *sum = *sum + if term.is_negative { -(x * y) } else { x * y };
                    }
                }
            }
        }
    }

    /// Adds the gradients with respect to x and y, given those with respect to the sums of blade `j`.
    fn add_gradients<T: Element>(&self, j: usize, sums: &[T], [x, y]: [&[T]; 2], [gx, gy]: [&mut [T]; 2]) {
        let (inputs, count, first) = (self.inputs, self.count_to(j), self.first_sum(j));
        let lanes = x.len() / self.signature.blades();
        for (row, sums) in sums.chunks_exact(count * inputs).enumerate() {
            for (path, sums) in sums.chunks_exact(inputs).enumerate() {
                for term in self.terms(first + path) {
                    let [p, q] = [term.p, term.q].map(|blade| usize::from(blade) * lanes + row * inputs);
                    let (x, gx) = (&x[p..][..inputs], &mut gx[p..][..inputs]);
                    let (y, gy) = (&y[q..][..inputs], &mut gy[q..][..inputs]);
                    for (i, &sum) in sums.iter().enumerate() {
                        let sum = if term.is_negative { -sum } else { sum };
                        gx[i] = gx[i] + sum * y[i];
                        gy[i] = gy[i] + sum * x[i];
                    }
                }
            }
        }
    }

    /// Elements of the workspace that [`ConnectedProduct::backward_weights`] needs for a batch.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if a matrix exceeds the address space.
    pub fn backward_weights_len<T: Element>(&self, batch: usize) -> Result<usize, Error> {
        self.lengths(batch)?;
        let (rows, mut most) = (self.block_rows(batch), 0);
        for rows in [rows, batch.checked_rem(rows).unwrap_or(0)] {
            for paths in &self.paths {
                most = most.max(gradient_workspace::<T>([paths.len() * self.inputs, self.outputs, rows])?);
            }
        }
        Ok(if batch == 0 { 0 } else { self.packed_len()? + self.block_len(rows, 2) + most })
    }

    /// Adds to `gw` the gradient with respect to the weights, given the factors and the gradient with
    /// respect to the product.
    ///
    /// Chains go over blocks of the batch, in these over the blades of a grade, for each over the rows.
    ///
    /// # Errors
    /// [`Error::Length`] if an array has the wrong length or `workspace` is shorter than
    /// [`ConnectedProduct::backward_weights_len`].
    pub fn backward_weights<T: Element>(
        &self,
        batch: usize,
        (x, y): (&[T], &[T]),
        gz: &[T],
        gw: &mut [T],
        workspace: &mut [T],
    ) -> Result<(), Error> {
        let [x_length, z_length] = self.lengths(batch)?;
        let (blades, inputs, outputs, count) = (self.signature.blades(), self.inputs, self.outputs, self.count());
        exactly("x", x_length, x.len())?;
        exactly("y", x_length, y.len())?;
        exactly("gz", z_length, gz.len())?;
        exactly("gw", inputs * outputs * count, gw.len())?;
        at_least("workspace", self.backward_weights_len::<T>(batch)?, workspace.len())?;
        if batch == 0 {
            return Ok(());
        }
        let rows = self.block_rows(batch);
        let (products, rest) = workspace.split_at_mut(inputs * outputs * count);
        products.fill(T::ZERO);
        let [some, results] = [inputs, outputs].map(|channels| rows * channels * blades);
        for ((x, y), gz) in x.chunks(some).zip(y.chunks(some)).zip(gz.chunks(results)) {
            let rows = x.len() / (inputs * blades);
            let (xs, rest) = rest.split_at_mut(x.len());
            let (ys, rest) = rest.split_at_mut(y.len());
            let (gzs, rest) = rest.split_at_mut(gz.len());
            transpose(rows * inputs, blades, x, xs);
            transpose(rows * inputs, blades, y, ys);
            transpose(rows * outputs, blades, gz, gzs);
            for j in 0..blades {
                let columns = self.count_to(j) * inputs;
                let (sums, rest) = rest.split_at_mut(rows * columns);
                self.sums(j, [xs, ys], sums);
                let before: usize = self.paths[..self.signature.grade(j)].iter().map(Vec::len).sum();
                let left = MatRef::row_major(sums, rows, columns, columns)?.transposed();
                let right = MatRef::row_major(&gzs[j * rows * outputs..], rows, outputs, outputs)?;
                let product = &mut products[before * inputs * outputs..];
                let product = MatMut::row_major(product, columns, outputs, outputs)?;
                gemm_in(T::ONE, left, right, T::ONE, product, &Options::default(), Some(bytes(rest)))?;
            }
        }
        for (at, &path) in self.paths.iter().flatten().enumerate() {
            for (pair, gw) in gw.iter_mut().skip(path).step_by(count).enumerate() {
                *gw = *gw + products[(at * inputs + pair % inputs) * outputs + pair / inputs];
            }
        }
        Ok(())
    }
}

impl<T: Element> ConnectedWeights<'_, T> {
    /// Elements of the workspace that [`ConnectedWeights::forward`] or [`ConnectedWeights::backward`] needs
    /// for a batch.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if a matrix exceeds the address space.
    pub fn workspace_len(&self, batch: usize) -> Result<usize, Error> {
        self.product.lengths(batch)?;
        let (rows, mut most) = (self.product.block_rows(batch), 0);
        for rows in [rows, batch.checked_rem(rows).unwrap_or(0)] {
            for packed in &self.grades {
                let bytes = packed.workspace_bytes(rows, packed.rows(), packed.columns(), &Options::default());
                most = most.max(bytes.div_ceil(size_of::<T>()));
            }
        }
        let factors = if self.direction == Direction::Forward { 2 } else { 4 };
        Ok(if batch == 0 { 0 } else { self.product.block_len(rows, factors) + most })
    }

    fn check(
        &self,
        direction: Direction,
        batch: usize,
        [(x_name, x), (y_name, y)]: [(&'static str, usize); 2],
        (z_name, z): (&'static str, usize),
    ) -> Result<(), Error> {
        if direction != self.direction {
            return Err(Error::Option { argument: "weights", value: self.direction as i32 });
        }
        let [x_length, z_length] = self.product.lengths(batch)?;
        exactly(x_name, x_length, x)?;
        exactly(y_name, x_length, y)?;
        exactly(z_name, z_length, z)
    }

    /// z = the product of `batch` rows of `x` and `y`.
    ///
    /// # Errors
    /// [`Error::Length`] if `x`, `y` or `z` has not `batch` rows, or `workspace` is shorter than
    /// [`ConnectedWeights::workspace_len`]; [`Error::Option`] if the weights were packed by
    /// [`ConnectedProduct::pack_backward`].
    pub fn forward(&self, batch: usize, x: &[T], y: &[T], z: &mut [T], workspace: &mut [T]) -> Result<(), Error> {
        self.check(Direction::Forward, batch, [("x", x.len()), ("y", y.len())], ("z", z.len()))?;
        at_least("workspace", self.workspace_len(batch)?, workspace.len())?;
        let ConnectedProduct { signature, inputs, outputs, .. } = *self.product;
        let (blades, rows) = (signature.blades(), self.product.block_rows(batch).max(1));
        let [some, results] = [inputs, outputs].map(|channels| rows * channels * blades);
        for ((x, y), z) in x.chunks(some).zip(y.chunks(some)).zip(z.chunks_mut(results)) {
            let rows = x.len() / (inputs * blades);
            let (xs, rest) = workspace.split_at_mut(x.len());
            let (ys, rest) = rest.split_at_mut(y.len());
            let (zs, rest) = rest.split_at_mut(z.len());
            transpose(rows * inputs, blades, x, xs);
            transpose(rows * inputs, blades, y, ys);
            for j in 0..blades {
                let packed = &self.grades[signature.grade(j)];
                let (sums, rest) = rest.split_at_mut(rows * packed.rows());
                self.product.sums(j, [xs, ys], sums);
                let a = MatRef::row_major(sums, rows, packed.rows(), packed.rows())?;
                let c = MatMut::row_major(&mut zs[j * rows * outputs..], rows, outputs, outputs)?;
                gemm_packed(T::ONE, a, packed, T::ZERO, c, &Options::default(), Some(bytes(rest)))?;
            }
            transpose(blades, rows * outputs, zs, z);
        }
        Ok(())
    }

    /// The gradients with respect to x and y, given the factors and the gradient with respect to z.
    ///
    /// # Errors
    /// As for [`ConnectedWeights::forward`], with weights of [`ConnectedProduct::pack_backward`].
    pub fn backward(
        &self,
        batch: usize,
        (x, y): (&[T], &[T]),
        gz: &[T],
        (gx, gy): (&mut [T], &mut [T]),
        workspace: &mut [T],
    ) -> Result<(), Error> {
        self.check(Direction::Backward, batch, [("x", x.len()), ("y", y.len())], ("gz", gz.len()))?;
        exactly("gx", x.len(), gx.len())?;
        exactly("gy", y.len(), gy.len())?;
        at_least("workspace", self.workspace_len(batch)?, workspace.len())?;
        let ConnectedProduct { signature, inputs, outputs, .. } = *self.product;
        let (blades, rows) = (signature.blades(), self.product.block_rows(batch).max(1));
        let [some, results] = [inputs, outputs].map(|channels| rows * channels * blades);
        let (data, gradients) = (x.chunks(some).zip(y.chunks(some)), gx.chunks_mut(some).zip(gy.chunks_mut(some)));
        for (((x, y), (gx, gy)), gz) in data.zip(gradients).zip(gz.chunks(results)) {
            let rows = x.len() / (inputs * blades);
            let (xs, rest) = workspace.split_at_mut(x.len());
            let (ys, rest) = rest.split_at_mut(y.len());
            let (gxs, rest) = rest.split_at_mut(x.len());
            let (gys, rest) = rest.split_at_mut(y.len());
            let (gzs, rest) = rest.split_at_mut(gz.len());
            transpose(rows * inputs, blades, x, xs);
            transpose(rows * inputs, blades, y, ys);
            transpose(rows * outputs, blades, gz, gzs);
            gxs.fill(T::ZERO);
            gys.fill(T::ZERO);
            for j in 0..blades {
                let packed = &self.grades[signature.grade(j)];
                let (sums, rest) = rest.split_at_mut(rows * packed.columns());
                let a = MatRef::row_major(&gzs[j * rows * outputs..], rows, outputs, outputs)?;
                let c = MatMut::row_major(sums, rows, packed.columns(), packed.columns())?;
                gemm_packed(T::ONE, a, packed, T::ZERO, c, &Options::default(), Some(bytes(rest)))?;
                self.product.add_gradients(j, sums, [xs, ys], [gxs, gys]);
            }
            transpose(blades, rows * inputs, gxs, gx);
            transpose(blades, rows * inputs, gys, gy);
        }
        Ok(())
    }
}
