//! Sums and dot products, in bytes read per cycle.

use std::ffi::c_int;
use std::hint::black_box;
use std::time::Duration;

use hotloops::reduce;

use crate::clock::{Cores, Job, cycles, job};
use crate::foreign::{Blas, Dot, Sum};
use crate::memory::Memory;
use crate::operands::Scalar;

/// Bytes read; a dot product's are halved between its operands.
const SIZES: [(usize, &str); 6] = [
    (256, "256 B"),
    (1 << 10, "1 KiB"),
    (16 << 10, "16 KiB"),
    (256 << 10, "256 KiB"),
    (6 << 20, "6 MiB"),
    (256 << 20, "256 MiB"),
];

type Named<'a> = (String, Job<'a>);
type Ours<T> = (&'static str, fn(&[T]) -> T);

fn sums<'a, T: Scalar>(x: &'a [T], blas: &[Blas]) -> Vec<Named<'a>> {
    let mut jobs: Vec<Named> = Vec::new();
    let ours: [Ours<T>; 5] = [
        ("sum", |x| reduce::sum(x)),
        ("asum", |x| reduce::asum(x)),
        ("sum2", reduce::sum2),
        ("kahan", reduce::kahan),
        ("sum_repro", reduce::sum_repro),
    ];
    for (name, sum) in ours {
        jobs.push((name.into(), job(move || sum(black_box(x)))));
    }
    jobs.push(("NumKong moments".into(), job(move || T::reduce_moments(black_box(x), size_of::<T>()))));
    for library in blas {
        for name in ["sum", "asum"] {
            if let Some(sum) = library.find::<Sum<T>>(&format!("{}{name}", T::LETTER)) {
                // SAFETY: the elements of the slice.
                let call = job(move || unsafe { sum(x.len() as c_int, black_box(x.as_ptr()), 1) });
                jobs.push((format!("{} {name}", library.name), call));
            }
        }
    }
    jobs
}

fn dots<'a, T: Scalar>(x: &'a [T], y: &'a [T], blas: &[Blas]) -> Vec<Named<'a>> {
    let mut jobs: Vec<Named> = vec![
        ("dot".into(), job(move || reduce::dot(black_box(x), y))),
        ("dot2".into(), job(move || reduce::dot2(black_box(x), y))),
        ("NumKong dot".into(), job(move || T::dot(black_box(x), y))),
    ];
    for library in blas {
        if let Some(dot) = library.find::<Dot<T>>(&format!("{}dot", T::LETTER)) {
            let n = x.len() as c_int;
            // SAFETY: as many elements in both slices.
            let call = job(move || unsafe { dot(n, black_box(x.as_ptr()), 1, y.as_ptr(), 1) });
            jobs.push((format!("{} dot", library.name), call));
        }
    }
    jobs
}

fn table<T: Scalar>(title: &str, make: impl Fn(&Memory<T>) -> Vec<Named<'_>>, budget: Duration) {
    println!("\n{title}, {}, bytes read per cycle", T::NAME);
    for (bytes, size) in SIZES {
        let count = bytes / size_of::<T>();
        let memory = Memory::new(&[count.div_ceil(2), count.div_ceil(2), count]);
        let (names, jobs): (Vec<_>, Vec<_>) = make(&memory).into_iter().unzip();
        if bytes == SIZES[0].0 {
            println!("{:>8}  {}", "", names.join("  "));
        }
        let (cycles, steady) = cycles(&jobs, budget, Cores::One);
        print!("{size:>8}");
        for (name, cycles) in names.iter().zip(cycles) {
            print!("  {:>width$.1}", bytes as f64 / cycles, width = name.len());
        }
        println!("{}", if steady { "" } else { "  ~" });
    }
}

pub fn run<T: Scalar>(blas: &[Blas], budget: Duration) {
    table::<T>("Sums", |memory| sums(memory.slice(2), blas), budget);
    table::<T>("Dot products", |memory| dots(memory.slice(0), memory.slice(1), blas), budget);
}
