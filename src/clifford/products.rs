//! Products of multivectors, one by one.

use super::common;
use super::multiply::{Element, terms};
use super::signature::{MAX_BLADES, MAX_GENERATORS, Signature};
use crate::frame::error::{Error, exactly};
use crate::math::float::Float;

/// Checks that arrays hold the same whole number of multivectors.
fn check<T>(signature: &Signature, x: &[T], y: &[T], z: &[T]) -> Result<(), Error> {
    let whole = x.len() / signature.blades() * signature.blades();
    exactly("x", whole, x.len())?;
    exactly("y", x.len(), y.len())?;
    exactly("z", x.len(), z.len())
}

/// Products of multivectors: z = x y, for as many as `x` holds.
///
/// Coefficient j of z is the sum of its terms +-x\[p\] y\[q\] in ascending order of p, each product
/// and each sum rounded: the same bits on every CPU.
///
/// ```
/// use hotloops::clifford::{Signature, geometric_product};
/// let quaternions = Signature::new(&[-1, -1])?; // 1, i, j, k
/// let mut z = [0.0f32; 4];
/// geometric_product(quaternions, &[0.0, 1.0, 0.0, 0.0], &[0.0, 0.0, 1.0, 0.0], &mut z)?;
/// assert_eq!(z, [0.0, 0.0, 0.0, 1.0]); // i j = k
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if `x` is not a whole number of multivectors or an array has another length.
pub fn geometric_product<T: Element>(signature: Signature, x: &[T], y: &[T], z: &mut [T]) -> Result<(), Error> {
    check(&signature, x, y, z)?;
    multiply(&signature, x, y, z);
    Ok(())
}

/// z = x y, for arrays of the same number of multivectors.
fn multiply<T: Element>(signature: &Signature, x: &[T], y: &[T], z: &mut [T]) {
    let blades = signature.blades();
    if let Some(algebra) = common::number(signature) {
        // SAFETY: as many multivectors of each.
        return unsafe { (T::COMMON.product)(algebra, x.as_ptr(), y.as_ptr(), x.len() / blades, z.as_mut_ptr()) };
    }
    if blades >= 4 {
        // SAFETY: as many multivectors of each, and the terms of the algebra.
        return unsafe {
            T::MULTIPLY(terms(signature).as_ptr(), blades, x.as_ptr(), y.as_ptr(), x.len() / blades, z.as_mut_ptr())
        };
    }
    if blades == 1 {
        return z.iter_mut().zip(x.iter().zip(y)).for_each(|(z, (&x, &y))| *z = x * y);
    }
    let square = signature.product(1, 1).1;
    for ((x, y), z) in x.chunks_exact(2).zip(y.chunks_exact(2)).zip(z.chunks_exact_mut(2)) {
        let (first, second) = (x[0] * y[0], signed(square, x[1] * y[1]));
        z[0] = if square == 0 { first } else { first + second };
        z[1] = x[0] * y[1] + x[1] * y[0];
    }
}

fn signed<T: Float>(sign: i8, value: T) -> T {
    if sign < 0 { -value } else { value }
}

/// Multivectors that [`sandwich`] multiplies at a time.
const TOGETHER: usize = 64;

/// z = r x ~r, where ~r is the reverse of r: rotates x for the even r with r ~r = 1. `r` and `x` hold
/// as many multivectors.
///
/// The two products are those of [`geometric_product`], r x first. For the squares (1, 1), (1, 1, 1) and
/// (0, 1, 1, 1), terms with odd coefficients of r are left out where all of these are 0 or -0: that saves
/// half of the time, may change the sign of a result that is 0, and gives fewer NaN for infinite x.
///
/// # Errors
/// As for [`geometric_product`].
pub fn sandwich<T: Element>(signature: Signature, r: &[T], x: &[T], z: &mut [T]) -> Result<(), Error> {
    let blades = signature.blades();
    exactly("r", r.len() / blades * blades, r.len())?;
    exactly("x", r.len(), x.len())?;
    exactly("z", r.len(), z.len())?;
    if let Some(algebra) = common::number(&signature) {
        // SAFETY: as many multivectors of each.
        unsafe { (T::COMMON.sandwich)(algebra, r.as_ptr(), x.as_ptr(), x.len() / blades, z.as_mut_ptr()) };
        return Ok(());
    }
    let (mut reverse, mut rotated) = ([T::ZERO; TOGETHER * MAX_BLADES], [T::ZERO; TOGETHER * MAX_BLADES]);
    let some = TOGETHER * blades;
    for ((r, x), z) in r.chunks(some).zip(x.chunks(some)).zip(z.chunks_mut(some)) {
        let (reverse, rotated) = (&mut reverse[..r.len()], &mut rotated[..r.len()]);
        for (to, r) in reverse.chunks_exact_mut(blades).zip(r.chunks_exact(blades)) {
            for (p, (to, &r)) in to.iter_mut().zip(r).enumerate() {
                *to = signed(signature.reverse(p), r);
            }
        }
        multiply(&signature, r, x, rotated);
        multiply(&signature, rotated, reverse, z);
    }
    Ok(())
}

/// The paths of a weighted product: the grades (p, j, q) of factors x and y and of the result, in the
/// order first factor, result, second factor, that occur in products of blades. In lexicographic
/// order.
pub fn paths(signature: Signature) -> impl Iterator<Item = [usize; 3]> {
    let squares = signature.squares();
    let (n, nonzero) = (squares.len(), squares.iter().filter(|&&square| square != 0).count());
    let grades = n + 1;
    let all = (0..grades * grades * grades).map(move |i| [i / grades / grades, i / grades % grades, i % grades]);
    all.filter(move |&[first, result, second]| {
        // The generators that both factors have vanish in pairs.
        let both = (first + second).wrapping_sub(result) / 2;
        both <= nonzero
            && both <= first.min(second)
            && first + second == result + 2 * both
            && first + second - both <= n
    })
}

/// Products of multivectors with a weight for each path and channel: the product of the parts of x
/// and y of two grades counts in the part of z of a third grade with the weight of this path.
///
/// | array | shape, row-major |
/// |---|---|
/// | x, y, z | (batch, channels, blades) |
/// | weights | ([`paths`], channels) |
///
/// For each path, the terms are added as in [`geometric_product`]; then the sums times their weights
/// are added in the order of the paths, each operation rounded.
///
/// # Errors
/// [`Error::Length`] if `weights` is not a whole number of channels for each path, `x` not a whole
/// number of rows of the batch, or an array has another length; [`Error::Channels`] if there are no
/// weights.
pub fn weighted_product<T: Element>(
    signature: Signature,
    weights: &[T],
    x: &[T],
    y: &[T],
    z: &mut [T],
) -> Result<(), Error> {
    if weights.is_empty() {
        return Err(Error::Channels { argument: "weights" });
    }
    let (count, blades) = (paths(signature).count(), signature.blades());
    exactly("weights", weights.len().div_ceil(count) * count, weights.len())?;
    let channels = weights.len() / count;
    exactly("x", x.len() / (channels * blades) * (channels * blades), x.len())?;
    check(&signature, x, y, z)?;
    if let Some(algebra) = common::number(&signature) {
        let (weights, x, y, count) = (weights.as_ptr(), x.as_ptr(), y.as_ptr(), x.len() / blades);
        // SAFETY: as many multivectors of each, and a weight for each path and channel.
        unsafe { (T::COMMON.weighted)(algebra, channels, weights, x, y, count, z.as_mut_ptr()) };
        return Ok(());
    }
    const GRADES: usize = MAX_GENERATORS + 1;
    let mut place = [0; GRADES * GRADES * GRADES];
    for (number, [first, result, second]) in paths(signature).enumerate() {
        place[(first * GRADES + result) * GRADES + second] = number;
    }
    let sums =
        WeightedSums::new(signature, |[first, result, second]| place[(first * GRADES + result) * GRADES + second]);
    let some = LANES * blades;
    let each = x.chunks(some).zip(y.chunks(some)).zip(z.chunks_mut(some));
    for (number, ((x, y), z)) in each.enumerate() {
        let columns: [usize; LANES] = core::array::from_fn(|lane| (number * LANES + lane) % channels);
        let (x, y) = (rows(x, blades), rows(y, blades));
        for j in 0..blades {
            let row = sums.coefficient(j, &x, &y, |path| columns.map(|column| weights[path * channels + column]));
            z[j..].iter_mut().step_by(blades).zip(row).for_each(|(z, value)| *z = value);
        }
    }
    Ok(())
}

/// Multivectors that [`weighted_product`] multiplies at a time.
const LANES: usize = 8;

/// The coefficients of up to [`LANES`] multivectors: a row for each blade.
fn rows<T: Float>(x: &[T], blades: usize) -> [[T; LANES]; MAX_BLADES] {
    let mut rows = [[T::ZERO; LANES]; MAX_BLADES];
    for (lane, x) in x.chunks_exact(blades).enumerate() {
        rows.iter_mut().zip(x).for_each(|(row, &x)| row[lane] = x);
    }
    rows
}

/// The terms of a weighted product, in the order in which they are added.
struct WeightedSums {
    /// p, q and whether the term is negative; the path of a term with which a sum begins.
    terms: [(u8, u8, bool, Option<u8>); MAX_BLADES * MAX_BLADES],
    /// Where the terms of each coefficient end.
    ends: [usize; MAX_BLADES],
}

impl WeightedSums {
    fn new(signature: Signature, path: impl Fn([usize; 3]) -> usize) -> Self {
        let mut sums = WeightedSums { terms: [(0, 0, false, None); _], ends: [0; _] };
        let (grades, mut length) = (signature.squares().len() + 1, 0);
        for j in 0..signature.blades() {
            for (first, second) in (0..grades * grades).map(|i| (i / grades, i % grades)) {
                let of_path =
                    |&(p, q, _): &(usize, usize, i8)| [signature.grade(p), signature.grade(q)] == [first, second];
                for (i, (p, q, sign)) in signature.factors(j).filter(of_path).enumerate() {
                    let path = (i == 0).then(|| path([first, signature.grade(j), second]) as u8);
                    sums.terms[length] = (p as u8, q as u8, sign < 0, path);
                    length += 1;
                }
            }
            sums.ends[j] = length;
        }
        sums
    }

    /// Coefficient j of some products: `weights` gives those of a path.
    fn coefficient<T: Float>(
        &self,
        j: usize,
        x: &[[T; LANES]],
        y: &[[T; LANES]],
        weights: impl Fn(usize) -> [T; LANES],
    ) -> [T; LANES] {
        // -0 + a = a for every a.
        let (mut total, mut sum, mut weight) = ([-T::ZERO; LANES], [-T::ZERO; LANES], None);
        let mut add = |sum: &[T; LANES], weight: &[T; LANES]| {
            for lane in 0..LANES {
                total[lane] = total[lane] + weight[lane] * sum[lane];
            }
        };
        let begin = if j == 0 { 0 } else { self.ends[j - 1] };
        for &(p, q, is_negative, path) in &self.terms[begin..self.ends[j]] {
            if let Some(path) = path {
                if let Some(weight) = weight {
                    add(&sum, &weight);
                }
                (sum, weight) = ([-T::ZERO; LANES], Some(weights(path.into())));
            }
            let (x, y) = (&x[usize::from(p)], &y[usize::from(q)]);
            for lane in 0..LANES {
                let product = x[lane] * y[lane];
                sum[lane] = if is_negative { sum[lane] - product } else { sum[lane] + product };
            }
        }
        if let Some(weight) = weight {
            add(&sum, &weight);
        }
        total
    }
}

/// Squared norms of the parts of each grade: `out` has a number for each multivector and grade, the sum
/// of +-x\[p\]^2 over the blades of the grade, with the signs of ~e_p e_p.
///
/// # Errors
/// [`Error::Length`] if `x` is not a whole number of multivectors or `out` has another length.
pub fn grade_norms<T: Float>(signature: Signature, x: &[T], out: &mut [T]) -> Result<(), Error> {
    let (blades, grades) = (signature.blades(), signature.squares().len() + 1);
    exactly("x", x.len() / blades * blades, x.len())?;
    exactly("out", x.len() / blades * grades, out.len())?;
    for (x, out) in x.chunks_exact(blades).zip(out.chunks_exact_mut(grades)) {
        out.fill(T::ZERO);
        for (p, &x) in x.iter().enumerate() {
            let sign = signature.reverse(p) * signature.product(p, p).1;
            if sign != 0 {
                let sum = &mut out[signature.grade(p)];
                *sum = *sum + signed(sign, x * x);
            }
        }
    }
    Ok(())
}
