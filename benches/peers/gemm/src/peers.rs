//! The products of all libraries behind one interface.

use std::ffi::c_int;

use faer::{Accum, Par};

use crate::cells::Cell;
use crate::clock::{Job, job};
use crate::foreign::{self, Blas, Xsmm};
use crate::operands::{Operands, Scalar};
use crate::ours;

/// A library: its name and its call for the operands, if it supports them.
pub struct Peer<T> {
    pub name: String,
    prepare: Box<dyn Fn(Operands<T>) -> Option<Job<'static>>>,
}

impl<T: Scalar> Peer<T> {
    fn new(name: &str, prepare: impl Fn(Operands<T>) -> Option<Job<'static>> + 'static) -> Self {
        Peer { name: name.into(), prepare: Box::new(prepare) }
    }

    /// The call, after one trial run. `None` if the result was wrong.
    pub fn job(&self, operands: &Operands<T>) -> Option<Job<'static>> {
        let job = (self.prepare)(*operands)?;
        operands.spoil();
        job(1);
        let right = operands.right();
        if !right {
            eprintln!("{} is wrong for {} {}", self.name, T::NAME, operands.cell);
        }
        right.then_some(job)
    }
}

/// The number of hotloops' entries at the start of [`all`].
pub const OURS: usize = 2;

/// hotloops, then the others.
pub fn all<T: Scalar>(blas: &[Blas], xsmm: Option<&Xsmm>) -> Vec<Peer<T>> {
    let mut peers = vec![Peer::new("hotloops", ours::by_call), Peer::new("its plan", ours::by_plan)];
    peers.extend(blas.iter().filter_map(|library| by_blas(library)));
    peers.extend(xsmm.and_then(by_xsmm));
    peers.push(Peer::new("gemm", |o| by_gemm(o, gemm::Parallelism::None)));
    peers.push(Peer::new("matrixmultiply", by_matrixmultiply));
    peers.push(Peer::new("faer", |o| by_faer(o, Par::Seq)));
    peers.push(Peer::new("nano-gemm", by_nano_gemm));
    peers
}

/// The libraries that split a product among threads, hotloops first. gemm and faer use the caller's
/// pool.
pub fn threaded<T: Scalar>(blas: &[&Blas], threads: usize) -> Vec<Peer<T>> {
    let mut peers = vec![Peer::new("hotloops", ours::by_halves)];
    peers.extend(blas.iter().filter_map(|library| by_blas(library)));
    peers.push(Peer::new("gemm", move |o| by_gemm(o, gemm::Parallelism::Rayon(threads))));
    peers.push(Peer::new("faer", move |o| by_faer(o, Par::rayon(threads))));
    peers
}

/// Symmetric products: hotloops by `syrk` and by `gemm`, then the others by `syrk`.
pub fn symmetric<T: Scalar>(blas: &[Blas]) -> Vec<Peer<T>> {
    let mut peers = vec![Peer::new("hotloops", ours::by_syrk), Peer::new("its gemm", ours::by_plan)];
    peers.extend(blas.iter().filter_map(|library| {
        let syrk: foreign::Syrk<T> = library.find(&format!("{}syrk", T::LETTER))?;
        Some(Peer::new(&library.name, move |o| Some(by_blas_syrk(syrk, o))))
    }));
    peers
}

fn by_blas_syrk<T: Scalar>(syrk: foreign::Syrk<T>, o: Operands<T>) -> Job<'static> {
    let [n, k] = [o.cell.n, o.cell.k].map(|size| size as c_int);
    let [a_stride, c_stride] = [o.cell.a(), o.cell.c()].map(|(_, _, s)| s as c_int);
    let (transposed, one, zero) = (foreign::transpose(o.cell.a_transposed), T::from(1.0), T::default());
    // SAFETY: the operands of the cell.
    job(move || unsafe {
        syrk(foreign::ROW_MAJOR, foreign::UPPER, transposed, n, k, one, o.a, a_stride, zero, o.c, c_stride)
    })
}

fn by_blas<T: Scalar>(library: &Blas) -> Option<Peer<T>> {
    let gemm: foreign::Gemm<T> = library.find(&format!("{}gemm", T::LETTER))?;
    Some(Peer::new(&library.name, move |o| {
        let [m, n, k] = [o.cell.m, o.cell.n, o.cell.k].map(|size| size as c_int);
        let [a_stride, b_stride, c_stride] = [o.cell.a(), o.cell.b(), o.cell.c()].map(|(_, _, s)| s as c_int);
        let [a_transposed, b_transposed] = [o.cell.a_transposed, o.cell.b_transposed].map(foreign::transpose);
        let (one, zero) = (T::from(1.0), T::default());
        // SAFETY: the operands of the cell.
        Some(job(move || unsafe {
            gemm(
                foreign::ROW_MAJOR,
                a_transposed,
                b_transposed,
                m,
                n,
                k,
                one,
                o.a,
                a_stride,
                o.b,
                b_stride,
                zero,
                o.c,
                c_stride,
            )
        }))
    }))
}

/// The transposed product, because libxsmm is column-major.
fn by_xsmm<T: Scalar>(library: &Xsmm) -> Option<Peer<T>> {
    const TRANSPOSED_A: c_int = 1;
    const TRANSPOSED_B: c_int = 2;
    const NO_PREFETCH: c_int = 0;
    const MAX_SIZE: usize = 1 << 23;
    let dispatch = library.dispatch::<T>(T::LETTER)?;
    Some(Peer::new("libxsmm", move |o| {
        if o.cell.m * o.cell.n * o.cell.k > MAX_SIZE {
            return None;
        }
        let [m, n, k] = [o.cell.m, o.cell.n, o.cell.k].map(|size| size as c_int);
        let [a_stride, b_stride, c_stride] = [o.cell.a(), o.cell.b(), o.cell.c()].map(|(_, _, s)| s as c_int);
        let flags = TRANSPOSED_A * c_int::from(o.cell.b_transposed) + TRANSPOSED_B * c_int::from(o.cell.a_transposed);
        let (one, zero) = (T::from(1.0), T::default());
        // SAFETY: as its header has it.
        let kernel = unsafe { dispatch(n, m, k, &b_stride, &a_stride, &c_stride, &one, &zero, &flags, &NO_PREFETCH) }?;
        // SAFETY: the operands of the cell.
        Some(job(move || unsafe { kernel(o.b, o.a, o.c) }))
    }))
}

fn by_gemm<T: Scalar>(o: Operands<T>, parallelism: gemm::Parallelism) -> Option<Job<'static>> {
    let Cell { m, n, k, .. } = o.cell;
    let ((a_row, a_column), (b_row, b_column), c_row) = (o.a_strides(), o.b_strides(), o.c_stride());
    let (one, zero) = (T::from(1.0), T::default());
    // SAFETY: the operands of the cell.
    Some(job(move || unsafe {
        gemm::gemm(
            m,
            n,
            k,
            o.c,
            1,
            c_row,
            false,
            o.a,
            a_column,
            a_row,
            o.b,
            b_column,
            b_row,
            zero,
            one,
            false,
            false,
            false,
            parallelism,
        )
    }))
}

fn by_matrixmultiply<T: Scalar>(o: Operands<T>) -> Option<Job<'static>> {
    let Cell { m, n, k, .. } = o.cell;
    let ((a_row, a_column), (b_row, b_column), c_row) = (o.a_strides(), o.b_strides(), o.c_stride());
    let (one, zero) = (T::from(1.0), T::default());
    // SAFETY: the operands of the cell.
    Some(job(move || unsafe {
        (T::MATRIXMULTIPLY)(m, k, n, one, o.a, a_row, a_column, o.b, b_row, b_column, zero, o.c, c_row, 1)
    }))
}

fn by_faer<T: Scalar>(o: Operands<T>, par: Par) -> Option<Job<'static>> {
    let Cell { m, n, k, .. } = o.cell;
    let ((a_row, a_column), (b_row, b_column), c_row) = (o.a_strides(), o.b_strides(), o.c_stride());
    let one = T::from(1.0);
    Some(job(move || {
        // SAFETY: the operands of the cell.
        let (a, b, c) = unsafe {
            (
                faer::MatRef::from_raw_parts(o.a, m, k, a_row, a_column),
                faer::MatRef::from_raw_parts(o.b, k, n, b_row, b_column),
                faer::MatMut::from_raw_parts_mut(o.c, m, n, c_row, 1),
            )
        };
        faer::linalg::matmul::matmul(c, Accum::Replace, a, b, one, par);
    }))
}

/// The transposed product, because nano-gemm prefers columns. Its plan is created beforehand.
fn by_nano_gemm<T: Scalar>(o: Operands<T>) -> Option<Job<'static>> {
    const MAX_SIZE: usize = 512;
    let Cell { m, n, k, b_transposed, .. } = o.cell;
    if m.min(n).min(k) > MAX_SIZE {
        return None;
    }
    let ((a_row, a_column), (b_row, b_column), c_row) = (o.a_strides(), o.b_strides(), o.c_stride());
    let plan = if b_transposed { (T::PLAN)(n, m, k) } else { (T::PLAN_COLUMN_MAJOR)(n, m, k) };
    let (one, zero) = (T::from(1.0), T::default());
    // SAFETY: the operands of the cell.
    Some(job(move || unsafe {
        plan.execute_unchecked(
            n, m, k, o.c, 1, c_row, o.b, b_column, b_row, o.a, a_column, a_row, zero, one, false, false,
        )
    }))
}
