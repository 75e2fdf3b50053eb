//! Products of multivectors, one by one.

use super::signature::{MAX_BLADES, MAX_GENERATORS, Signature};
use crate::error::{Error, exactly};
use crate::float::Float;

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
pub fn geometric_product<T: Float>(signature: Signature, x: &[T], y: &[T], z: &mut [T]) -> Result<(), Error> {
    check(&signature, x, y, z)?;
    let blades = signature.blades();
    let each = x.chunks_exact(blades).zip(y.chunks_exact(blades)).zip(z.chunks_exact_mut(blades));
    each.for_each(|((x, y), z)| z.copy_from_slice(&product(&signature, x, y)[..blades]));
    Ok(())
}

fn product<T: Float>(signature: &Signature, x: &[T], y: &[T]) -> [T; MAX_BLADES] {
    let mut z = [T::ZERO; MAX_BLADES];
    for (j, z) in z.iter_mut().enumerate().take(signature.blades()) {
        let mut terms = signature.factors(j).map(|(p, q, sign)| signed(sign, x[p] * y[q]));
        // A blade that is no product keeps +0.
        *z = terms.next().map_or(T::ZERO, |first| terms.fold(first, |sum, term| sum + term));
    }
    z
}

fn signed<T: Float>(sign: i8, value: T) -> T {
    if sign < 0 { -value } else { value }
}

/// z = r x ~r, where ~r is the reverse of r: rotates x for the even r with r ~r = 1. `r` and `x` hold
/// as many multivectors.
///
/// The two products are those of [`geometric_product`], r x first.
///
/// # Errors
/// As for [`geometric_product`].
pub fn sandwich<T: Float>(signature: Signature, r: &[T], x: &[T], z: &mut [T]) -> Result<(), Error> {
    let blades = signature.blades();
    exactly("r", r.len() / blades * blades, r.len())?;
    exactly("x", r.len(), x.len())?;
    exactly("z", r.len(), z.len())?;
    let each = r.chunks_exact(blades).zip(x.chunks_exact(blades)).zip(z.chunks_exact_mut(blades));
    for ((r, x), z) in each {
        let mut reverse = [T::ZERO; MAX_BLADES];
        for (p, (to, &r)) in reverse.iter_mut().zip(r).enumerate() {
            *to = signed(signature.reverse(p), r);
        }
        let rotated = product(&signature, &product(&signature, r, x), &reverse);
        z.copy_from_slice(&rotated[..blades]);
    }
    Ok(())
}

/// The paths of a weighted product: the grades (p, j, q) of factors x and y and of the result, in the
/// order first factor, result, second factor, that occur in products of blades. In lexicographic
/// order.
pub fn paths(signature: Signature) -> impl Iterator<Item = [usize; 3]> {
    let grades = signature.squares().len() + 1;
    let all = (0..grades * grades * grades).map(move |i| [i / grades / grades, i / grades % grades, i % grades]);
    all.filter(move |&[first, result, second]| {
        (0..signature.blades())
            .filter(|&j| signature.grade(j) == result)
            .any(|j| signature.factors(j).any(|(p, q, _)| [signature.grade(p), signature.grade(q)] == [first, second]))
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
pub fn weighted_product<T: Float>(
    signature: Signature,
    weights: &[T],
    x: &[T],
    y: &[T],
    z: &mut [T],
) -> Result<(), Error> {
    const GRADES: usize = MAX_GENERATORS + 1;
    let (mut place, mut count) = ([0; GRADES * GRADES * GRADES], 0);
    for [first, result, second] in paths(signature) {
        place[(first * GRADES + result) * GRADES + second] = count;
        count += 1;
    }
    if weights.is_empty() {
        return Err(Error::Channels { argument: "weights" });
    }
    exactly("weights", weights.len().div_ceil(count) * count, weights.len())?;
    let (blades, channels) = (signature.blades(), weights.len() / count);
    exactly("x", x.len() / (channels * blades) * (channels * blades), x.len())?;
    check(&signature, x, y, z)?;
    let each = x.chunks_exact(blades).zip(y.chunks_exact(blades)).zip(z.chunks_exact_mut(blades)).enumerate();
    for (at, ((x, y), z)) in each {
        for (j, z) in z.iter_mut().enumerate() {
            let mut sums = [None; GRADES * GRADES];
            for (p, q, sign) in signature.factors(j) {
                let sum = &mut sums[signature.grade(p) * GRADES + signature.grade(q)];
                let term = signed(sign, x[p] * y[q]);
                *sum = Some(sum.map_or(term, |sum| sum + term));
            }
            let result = signature.grade(j);
            let terms = sums.iter().enumerate().filter_map(|(grades, &sum)| {
                let [first, second] = [grades / GRADES, grades % GRADES];
                let path = place[(first * GRADES + result) * GRADES + second];
                Some(weights[path * channels + at % channels] * sum?)
            });
            *z = terms.fold(None, |sum, term| Some(sum.map_or(term, |sum: T| sum + term))).unwrap_or(T::ZERO);
        }
    }
    Ok(())
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
