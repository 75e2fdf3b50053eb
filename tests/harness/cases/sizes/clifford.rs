use std::ops::Range;

use hotloops::clifford::gate_f32::Function as Gate;
use hotloops::clifford::{Element, Multiply, Signature, transform_lists};

use super::super::clifford::{Blades, COMMON, Common, Forms, SQUARES, Weighted};
use super::{alike, float};
use crate::harness::room::Room;
use crate::harness::sizes::{Sizes, Values};

/// Any terms, four coefficients at a time.
fn terms(blades: usize) -> Vec<u16> {
    let mut terms = vec![4];
    for group in (0..blades).step_by(4) {
        terms.push(2);
        for p in [group, blades - 1 - group] {
            terms.push(8 * p as u16);
            terms.extend((0..4).map(|j| 8 * ((3 * p + 5 * j) % (2 * blades)) as u16));
        }
        terms.extend((group..group + 4).map(|j| 8 * j as u16));
    }
    terms
}

fn multiply<T: Element>() -> Vec<Sizes<Multiply<T>>> {
    let call = |kernel: Multiply<T>, v: &Values| {
        let (blades, count) = (v.size("blades"), v.size("count"));
        let [x, y] = [0, 7].map(|shift| Room::of(count * blades, move |i| float::<T>(i + shift)));
        let (x, y, z) = (x?, y?, Room::of(count * blades, |_| T::ONE)?);
        let terms = Room::copy(&terms(blades))?;
        // SAFETY: `count` multivectors, and terms within them.
        unsafe { kernel(terms.ptr(), blades, x.ptr(), y.ptr(), count, z.ptr()) };
        Some(z.contents())
    };
    vec![Sizes::new(&[("blades", 4), ("count", 3)], call).bound("blades", 16)]
}
alike! { Multiply<f32>: multiply_f32 = multiply() }
alike! { Multiply<f64>: multiply_f64 = multiply() }

fn common<T: Element>() -> Vec<Sizes<Common<T>>> {
    let call = |kernel: Common<T>, v: &Values| {
        let (algebra, count) = (v.size("algebra"), v.size("count"));
        let n = COMMON[algebra][0] * count;
        let (x, y, z) = (Room::of(n, float::<T>)?, Room::of(n, |i| float::<T>(i + 7))?, Room::of(n, |_| T::ONE)?);
        // SAFETY: `count` multivectors each.
        unsafe { kernel(algebra, x.ptr(), y.ptr(), count, z.ptr()) };
        Some(z.contents())
    };
    (0..3).map(|algebra| Sizes::new(&[("algebra", algebra), ("count", 3)], call).bound("algebra", 2)).collect()
}
alike! { Common<f32>: common_product_f32 common_sandwich_f32 = common() }
alike! { Common<f64>: common_product_f64 common_sandwich_f64 = common() }

fn weighted<T: Element>() -> Vec<Sizes<Weighted<T>>> {
    let call = |kernel: Weighted<T>, v: &Values| {
        let [algebra, channels, count] = ["algebra", "channels", "count"].map(|name| v.size(name));
        let [blades, paths] = COMMON[algebra];
        let weights = Room::of(paths * channels, |i| float::<T>(i + 11))?;
        let n = blades * count;
        let (x, y, z) = (Room::of(n, float::<T>)?, Room::of(n, |i| float::<T>(i + 7))?, Room::of(n, |_| T::ONE)?);
        // SAFETY: `count` multivectors each, and the weights of the channels.
        unsafe { kernel(algebra, channels, weights.ptr(), x.ptr(), y.ptr(), count, z.ptr()) };
        Some(z.contents())
    };
    // More multivectors than channels, or nothing would depend on the channels.
    let sizes = |algebra| Sizes::new(&[("algebra", algebra), ("channels", 2), ("count", 5)], call).bound("algebra", 2);
    (0..3).map(sizes).collect()
}
alike! { Weighted<f32>: common_weighted_f32 = weighted() }
alike! { Weighted<f64>: common_weighted_f64 = weighted() }

pub fn gate_f32() -> Vec<Sizes<Gate>> {
    let call = |kernel: Gate, v: &Values| {
        let [kind, blades, channels, count] = ["kind", "blades", "channels", "count"].map(|name| v.size(name));
        let parameters = if kind.is_multiple_of(4) { blades * channels } else { 0 };
        let weights = Room::of(parameters, |i| float::<f32>(i + 3) * 0.01)?;
        let bias = Room::of(parameters, |i| float::<f32>(i + 5) * 0.01)?;
        let signs = Room::of(blades, |i| if i % 3 == 0 { 1.0f32 } else { -1.0 })?;
        let (x, z) = (Room::of(count * blades, |i| float::<f32>(i) * 0.1)?, Room::of(count * blades, |_| 1.0f32)?);
        let (weights, bias, signs) = (weights.ptr(), bias.ptr(), signs.ptr());
        // SAFETY: `count` multivectors, and the parameters of any gate.
        unsafe { kernel(kind, blades, channels, weights, bias, signs, x.ptr(), count, z.ptr()) };
        Some(z.contents())
    };
    let of_kind = |kind: i64, blades| {
        let base = [("kind", kind), ("blades", blades), ("channels", 2), ("count", 5)];
        let sizes = Sizes::new(&base, call).bound("kind", 4).bound("blades", 16);
        // The other kinds have no parameters.
        if kind % 4 == 0 { sizes } else { sizes.unseen("channels") }
    };
    (0..5).flat_map(|kind| [4, 8, 16].map(|blades| of_kind(kind, blades))).collect()
}

/// The lists of an algebra of `SQUARES`, or `sums` sums of `numbers` numbers, one of which is kept.
fn lists(algebra: usize, is_forms: bool, numbers: usize, sums: usize) -> (Vec<u32>, Vec<u32>, usize) {
    if algebra > 0 {
        let (number, [forms, blades]) =
            transform_lists(Signature::new(SQUARES[algebra - 1]).unwrap()).unwrap().unwrap();
        assert_eq!(number, algebra);
        return if is_forms { forms } else { blades };
    }
    let term = |sum: usize| [2 * (sum % numbers + usize::from(sum > 0)), 2 * ((3 * sum + 1) % numbers + 1) - 1];
    let terms = (0..=sums).flat_map(|sum| if sum == 0 { [2, 5] } else { term(sum) }).map(|term| term as u32).collect();
    (terms, (1..=sums as u32 + 1).map(|sum| 2 * sum).collect(), 1)
}

fn blades_of(algebra: usize) -> usize {
    if algebra == 0 { 4 } else { 1 << SQUARES[algebra - 1].len() }
}

/// Planes of first numbers that sums need.
fn planes_of(terms: &[u32], kept: usize) -> usize {
    terms.iter().map(|term| (*term as usize / 2 + 1).saturating_sub(kept)).max().unwrap_or(0)
}

/// Pieces of a length in two dimensions, each a number and a distance.
fn pieces([a, by]: [usize; 2], [b, per]: [usize; 2], length: usize) -> impl Iterator<Item = Range<isize>> {
    let starts = (0..a).flat_map(move |i| (0..b).map(move |j| i * by + j * per));
    starts.map(move |at| at as isize..(at + length) as isize)
}

fn bounded<F: 'static>(sizes: Sizes<F>, algebra: usize, blades: usize, kept: usize) -> Sizes<F> {
    sizes.bound("algebra", algebra as i64).bound("blades", blades as i64).bound("kept", kept as i64)
}

fn forms<T: Element>() -> Vec<Sizes<Forms<T>>> {
    let call = |kernel: Forms<T>, v: &Values| {
        let [algebra, m, n, blades, kept, sums] =
            ["algebra", "m", "n", "blades", "kept", "sums"].map(|name| v.size(name));
        let [outer, inner, y_outer, y_plane] = ["x_outer", "x_inner", "y_outer", "y_plane"].map(|name| v.size(name));
        // The places of the sums do not overlap.
        let y_outer = y_outer.max(n);
        let apart = y_plane >= n && y_outer >= sums * y_plane;
        let y_plane = if apart { y_plane } else { y_plane.max(m * y_outer) };
        let x = Room::new(pieces([m, outer], [n, inner], blades), float::<T>)?;
        let y = Room::new(pieces([m, y_outer], [sums, y_plane], n), |_| T::ONE)?;
        let (terms, ends, _) = lists(algebra, true, blades, sums);
        let (terms, ends) = (Room::copy(&terms)?, Room::copy(&ends)?);
        let (from, to, terms, ends) = (x.ptr(), y.ptr(), terms.ptr(), ends.ptr());
        // SAFETY: multivectors, planes and lists of these sizes.
        unsafe { kernel(algebra, m, n, blades, from, outer, inner, to, y_outer, y_plane, terms, ends, kept, sums) };
        Some(y.contents())
    };
    let of = |algebra: usize| {
        let blades = blades_of(algebra);
        let (_, ends, kept) = lists(algebra, true, blades, 3);
        let sums = ends.len() - kept;
        let base = [
            ("algebra", algebra),
            ("m", 2),
            ("n", 5),
            ("blades", blades),
            ("x_outer", 5 * blades),
            ("x_inner", blades),
        ];
        let base = base.into_iter().chain([("y_outer", 7), ("y_plane", 15), ("kept", kept), ("sums", sums)]);
        let base: Vec<_> = base.map(|(name, value)| (name, value as i64)).collect();
        let sizes = bounded(Sizes::new(&base, call), algebra, blades, kept);
        if algebra > 0 { sizes.bound("sums", sums as i64) } else { sizes }
    };
    [0, 1, 3, 5, 6].map(of).into()
}
alike! { Forms<f32>: forms_f32 = forms() }
alike! { Forms<f64>: forms_f64 = forms() }

fn blades<T: Element>() -> Vec<Sizes<Blades<T>>> {
    let call = |kernel: Blades<T>, v: &Values| {
        let [algebra, m, n, blades, inner, kept] =
            ["algebra", "m", "n", "blades", "inner", "kept"].map(|name| v.size(name));
        let [outer, plane, y_outer, y_inner] = ["x_outer", "x_plane", "y_outer", "y_inner"].map(|name| v.size(name));
        let y_outer = if y_inner < m * y_outer { y_outer.max(n * y_inner) } else { y_outer };
        let (terms, ends, _) = lists(algebra, false, 3, blades);
        let planes = planes_of(&terms, kept);
        let (terms, ends) = (Room::copy(&terms)?, Room::copy(&ends)?);
        let x = Room::new(pieces([m, outer], [planes, plane], n), float::<T>)?;
        let y = Room::new(pieces([m, y_outer], [n, y_inner], blades), |_| T::ONE)?;
        let start = Room::of(blades * m.max(n), |i| float::<T>(i + 9))?;
        let (from, start, to, terms, ends) = (x.ptr(), start.ptr(), y.ptr(), terms.ptr(), ends.ptr());
        // SAFETY: planes, multivectors and lists of these sizes.
        unsafe {
            let inner = inner as u32;
            kernel(algebra, m, n, blades, from, outer, plane, start, inner, to, y_outer, y_inner, terms, ends, kept)
        };
        Some(y.contents())
    };
    let of = |algebra: usize| {
        let blades = blades_of(algebra);
        let (_, _, kept) = lists(algebra, false, 3, blades);
        let base = [("algebra", algebra), ("m", 2), ("n", 5), ("blades", blades), ("x_outer", 7), ("x_plane", 15)];
        let y = [("inner", 0), ("y_outer", 5 * blades + 3), ("y_inner", blades), ("kept", kept)];
        let base: Vec<_> = base.into_iter().chain(y).map(|(name, value)| (name, value as i64)).collect();
        bounded(Sizes::new(&base, call), algebra, blades, kept)
    };
    [0, 1, 3, 5, 6].map(of).into()
}
alike! { Blades<f32>: blades_f32 = blades() }
alike! { Blades<f64>: blades_f64 = blades() }
