use hotloops::correlation::*;

use super::{alike, noise};
use crate::harness::room::Room;
use crate::harness::sizes::{Sizes, Values};

fn psi(i: isize) -> i16 {
    ((noise(i) % 32769) as i32 - 16384) as i16
}

/// Words that carry into their upper halves soon.
fn before(i: isize) -> i64 {
    i as i64 * (1 << 40) + (1 << 32) - 2
}

fn coordinate(i: isize) -> f32 {
    (noise(i) % 1000) as f32 * 0.3
}

pub fn offsets() -> Vec<Sizes<offsets::Function>> {
    const WIDTH: u32 = 20;
    let call = |kernel: offsets::Function, v: &Values| {
        let (n, m) = (v.size("n"), v.size("m"));
        let position = |shift| move |i| (noise(i + shift) % WIDTH) as i32;
        let (x, others) = (Room::of(n, position(0))?, Room::of(m, position(7))?);
        let (a, b) = (Room::of(2 * n, psi)?, Room::of(2 * m, |i| psi(i + 3))?);
        let words = Room::new(std::iter::once(-(WIDTH as isize)..WIDTH as isize), before)?;
        // SAFETY: points of these numbers, and words for every difference.
        unsafe { kernel(x.ptr(), a.ptr(), n, others.ptr(), b.ptr(), m, words.ptr()) };
        Some(words.contents())
    };
    vec![Sizes::new(&[("n", 3), ("m", 5)], call)]
}

/// Points: x, y and psi of `n`, then of `m`, and a shift.
struct Points {
    rooms: [Room<f32>; 4],
    psi: [Room<i16>; 2],
    shift: Room<f32>,
}

fn points(n: usize, m: usize) -> Option<Points> {
    let numbers = |n, shift| Room::of(n, move |i| coordinate(i + shift));
    Some(Points {
        rooms: [numbers(n, 0)?, numbers(n, 7)?, numbers(m, 13)?, numbers(m, 19)?],
        psi: [Room::of(2 * n, psi)?, Room::of(2 * m, |i| psi(i + 3))?],
        shift: Room::copy(&[0.5, -0.25])?,
    })
}

type Arrays = ([*const f32; 4], [*const i16; 2], *const f32);

impl Points {
    fn arrays(&self) -> Arrays {
        (
            self.rooms.each_ref().map(|room| room.ptr().cast_const()),
            self.psi.each_ref().map(|room| room.ptr().cast_const()),
            self.shift.ptr(),
        )
    }
}

fn scattered<F: 'static>(call: fn(F, Arrays, [usize; 3], *mut i64)) -> Vec<Sizes<F>> {
    let call = move |kernel: F, v: &Values| {
        let [n, m, bins] = ["n", "m", "bins"].map(|name| v.size(name));
        let (points, words) = (points(n, m)?, Room::of(4 * (bins + 1), before)?);
        call(kernel, points.arrays(), [n, m, bins], words.ptr());
        Some(words.contents())
    };
    // Distances of up to 400 bins.
    vec![Sizes::new(&[("n", 3), ("m", 5), ("bins", 6)], call).bound("bins", 1 << 24)]
}
alike! {
    scatter::Function: scatter =
        // SAFETY: points of these numbers, and the words of all bins; here and below.
        scattered(|f, ([x, y, ox, oy], [a, b], s), [n, m, bins], words| unsafe {
            f(x, y, a, n, ox, oy, b, m, s, 1.0, 0.0, bins, words)
        })
}
alike! {
    scatter_below::Function: scatter_below =
        // SAFETY: as above.
        scattered(|f, ([x, y, ox, oy], [a, b], s), [n, m, bins], words| unsafe {
            f(x, y, a, n, ox, oy, b, m, s, 1e5, 1.0, 0.0, bins, words)
        })
}

fn by_edges<F: 'static>(call: fn(F, Arrays, [usize; 3], *const f32, *mut i64)) -> Sizes<F> {
    let call = move |kernel: F, v: &Values| {
        let [n, m, k] = ["n", "m", "k"].map(|name| v.size(name));
        let edges = Room::of(k, |i| (i * i % 60_000) as f32)?;
        let (points, words) = (points(n, m)?, Room::of(k, before)?);
        call(kernel, points.arrays(), [n, m, k], edges.ptr(), words.ptr());
        Some(words.contents())
    };
    Sizes::new(&[("n", 3), ("m", 5), ("k", 3)], call)
}
alike! {
    edges::Function: edges =
        // SAFETY: points of these numbers, edges and words; here and below.
        vec![by_edges(|f, ([x, y, ox, oy], [a, b], s), [n, m, k], edges, words| unsafe {
            f(x, y, a, n, ox, oy, b, m, s, edges, k, words)
        })]
}

pub fn counts() -> Vec<Sizes<counts::Function>> {
    // SAFETY: as above.
    let sizes = by_edges::<counts::Function>(|f, ([x, y, ox, oy], _, s), [n, m, k], edges, words| unsafe {
        f(x, y, n, ox, oy, m, s, edges, k, words)
    });
    // Less than 2^32 pairs.
    vec![sizes.bound("n", ((1 << 32) - 1) / 5).bound("m", ((1 << 32) - 1) / 3)]
}

fn levels(multiple: u32) -> Vec<Sizes<ntt_forward::Function>> {
    let call = move |kernel: ntt_forward::Function, v: &Values| {
        let [nodes, quarter, p] = ["nodes", "quarter", "p"].map(|name| v.size(name));
        let prime = p as u32;
        let x = Room::of(64 * nodes * quarter, |i| noise(i) % (multiple * prime))?;
        let root = |i: isize| noise(i / 2 + 3) % prime;
        let roots = Room::of(4 * nodes, |i| match i % 2 {
            0 => root(i),
            _ => ((u64::from(root(i)) << 32) / p as u64) as u32,
        })?;
        // SAFETY: rows and roots of the nodes.
        unsafe { kernel(x.ptr(), nodes, quarter, roots.ptr(), prime) };
        Some(x.contents())
    };
    vec![Sizes::new(&[("nodes", 2), ("quarter", 3), ("p", 7)], call).bound("p", (1 << 28) - 1)]
}
alike! { ntt_forward::Function: ntt_forward = levels(4) }
alike! { ntt_inverse::Function: ntt_inverse = levels(2) }

/// -1 / p modulo 2^32, by Newton's method.
fn inverse(p: u32) -> u32 {
    (0..5).fold(p, |x, _| x.wrapping_mul(2u32.wrapping_sub(p.wrapping_mul(x)))).wrapping_neg()
}

pub fn ntt_combine() -> Vec<Sizes<ntt_combine::Function>> {
    let call = |kernel: ntt_combine::Function, v: &Values| {
        let [n, inputs, outputs] = ["n", "inputs", "outputs"].map(|name| v.size(name));
        let p = v.int("p") as u32;
        let from = Room::of(16 * n * inputs, |i| noise(i) % (2 * p))?;
        let (to, factors) = (Room::of(16 * n * outputs, |_| 7u32)?, Room::of(n * inputs * outputs, |i| noise(i) % p)?);
        // SAFETY: rows and factors of these numbers.
        unsafe { kernel(from.ptr(), to.ptr(), n, inputs, outputs, factors.ptr(), p, inverse(p)) };
        Some(to.contents())
    };
    let base = [("n", 2), ("inputs", 3), ("outputs", 2), ("p", 7), ("inverse", inverse(7).into())];
    vec![Sizes::new(&base, call).bound("inputs", 15).bound("p", (1 << 28) - 1)]
}

pub fn ntt_multiply() -> Vec<Sizes<ntt_multiply::Function>> {
    let call = |kernel: ntt_multiply::Function, v: &Values| {
        let (n, fields, p) = (v.size("n"), v.size("fields"), v.int("p") as u32);
        let stride = v.size("stride").max(16 * n);
        let a = Room::rows(fields, stride as isize, 16 * n, |i| noise(i) % (4 * p))?;
        let last = 16 * (n as isize - 1);
        let of_b = (0..fields as isize).map(|field| field * stride as isize);
        let b = Room::new(of_b.map(|at| at - last..at + 16), |i| noise(i + 5) % (4 * p))?;
        // SAFETY: rows of the fields, those of B before their last.
        unsafe { kernel(a.ptr(), b.ptr(), n, fields, stride, p, inverse(p)) };
        Some(a.contents())
    };
    let base = [("n", 2), ("fields", 2), ("stride", 48), ("p", 7), ("inverse", inverse(7).into())];
    vec![Sizes::new(&base, call).bound("fields", 2).bound("p", (1 << 28) - 1)]
}
