//! Coefficients of rotations, as in netlib 3.12.

use core::cmp::Ordering;

use super::super::number::{Complex, Number, Real};

/// Limits of the type.
struct Limits<R> {
    /// Smallest and largest scale: powers of two.
    safe: [R; 2],
    root_of_min: R,
}

fn limits<R: Real>() -> Limits<R> {
    let (low, high) = if size_of::<R>() == 4 { (-126, 127) } else { (-1022, 1023) };
    let power = |e: i32| R::from_f64(f64::from_bits(((1023 + e) as u64) << 52));
    Limits { safe: [power(low), power(high)], root_of_min: power(low / 2) }
}

impl<R: Real> Limits<R> {
    /// The largest magnitude, within the limits.
    fn scale(&self, magnitudes: &[R]) -> R {
        let [min, max] = self.safe;
        let scale = magnitudes.iter().fold(min, |scale, &x| larger(scale, x));
        if scale > max { max } else { scale }
    }
}

/// The second one only if it is larger: not if it is NaN.
fn larger<R: Real>(a: R, b: R) -> R {
    if b > a { b } else { a }
}

/// # Safety
/// The pointers are readable and writable.
pub(super) unsafe fn rotg<R: Real>(a: *mut R, b: *mut R, c: *mut R, s: *mut R) {
    let (zero, one) = (R::zero(), R::one());
    // SAFETY: the caller's contract.
    let (x, y) = unsafe { (*a, *b) };
    let (x_size, y_size) = (x.magnitude(), y.magnitude());
    let [r, z, cos, sin] = if y_size == zero {
        [x, zero, one, zero]
    } else if x_size == zero {
        [y, one, zero, one]
    } else {
        let scale = limits().scale(&[x_size, y_size]);
        let x_is_larger = x_size > y_size;
        let sign = if (if x_is_larger { x } else { y }) < zero { -one } else { one };
        let (u, v) = (x.quotient(scale), y.quotient(scale));
        let r = sign * (scale * (u * u + v * v).root());
        let (cos, sin) = (x.quotient(r), y.quotient(r));
        let z = if x_is_larger {
            sin
        } else if cos != zero {
            one.quotient(cos)
        } else {
            one
        };
        [r, z, cos, sin]
    };
    // SAFETY: the caller's contract.
    unsafe { (*a, *b, *c, *s) = (r, z, cos, sin) }
}

fn over<R: Real>(z: Complex<R>, by: R) -> Complex<R> {
    Complex { re: z.re.quotient(by), im: z.im.quotient(by) }
}

fn times<R: Real>(z: Complex<R>, by: R) -> Complex<R> {
    Complex { re: z.re * by, im: z.im * by }
}

/// |z|^2.
fn square<R: Real>(z: Complex<R>) -> R {
    z.re * z.re + z.im * z.im
}

/// Norm of the larger part.
fn largest<R: Real>(z: Complex<R>) -> R {
    larger(z.re.magnitude(), z.im.magnitude())
}

/// # Safety
/// The pointers are readable and, but for `b`, writable.
pub(super) unsafe fn rotg_complex<R: Real>(a: *mut Complex<R>, b: *const Complex<R>, c: *mut R, s: *mut Complex<R>) {
    let zero = Complex::zero();
    // SAFETY: the caller's contract.
    let (f, g) = unsafe { (*a, *b) };
    let (cos, sin, r) = if g == zero {
        (R::one(), zero, f)
    } else if f == zero {
        let (sin, r) = only_second(g);
        (R::zero(), sin, Complex::from_real(r))
    } else {
        general(f, g)
    };
    // SAFETY: the caller's contract.
    unsafe { (*a, *c, *s) = (r, cos, sin) }
}

/// The sine and r for f = 0.
fn only_second<R: Real>(g: Complex<R>) -> (Complex<R>, R) {
    let limits = limits::<R>();
    let two = R::one() + R::one();
    if g.re == R::zero() || g.im == R::zero() {
        let r = if g.re == R::zero() { g.im.magnitude() } else { g.re.magnitude() };
        return (over(g.conj(), r), r);
    }
    let size = largest(g);
    if size > limits.root_of_min && size < limits.safe[1].quotient(two).root() {
        let r = square(g).root();
        return (over(g.conj(), r), r);
    }
    let scale = limits.scale(&[size]);
    let g = over(g, scale);
    let d = square(g).root();
    (over(g.conj(), d), d * scale)
}

/// The cosine, the sine and r for f and g other than 0.
fn general<R: Real>(f: Complex<R>, g: Complex<R>) -> (R, Complex<R>, Complex<R>) {
    let limits = limits::<R>();
    let two = R::one() + R::one();
    let (f_size, g_size) = (largest(f), largest(g));
    let max = limits.safe[1].quotient(two + two).root();
    let is_safe = |size: R| size > limits.root_of_min && size < max;
    if is_safe(f_size) && is_safe(g_size) {
        let f2 = square(f);
        return rotation(f, g, f2, f2 + square(g), max * two);
    }
    let scale = limits.scale(&[f_size, g_size]);
    let g = over(g, scale);
    let (f, own) = if f_size.quotient(scale) < limits.root_of_min {
        let own = limits.scale(&[f_size]);
        (over(f, own), own.quotient(scale))
    } else {
        (over(f, scale), R::one())
    };
    let f2 = square(f);
    let h2 = f2 * (own * own) + square(g);
    let (cos, sin, r) = rotation(f, g, f2, h2, max * two);
    (cos * own, sin, times(r, scale))
}

/// The same for scaled numbers; `h2` is |f|^2 + |g|^2, with f at the scale of g.
fn rotation<R: Real>(f: Complex<R>, g: Complex<R>, f2: R, h2: R, max: R) -> (R, Complex<R>, Complex<R>) {
    let Limits { safe: [min, _], root_of_min } = limits::<R>();
    if f2 >= h2 * min {
        let cos = f2.quotient(h2).root();
        let r = over(f, cos);
        let factor = if f2 > root_of_min && h2 < max { over(f, (f2 * h2).root()) } else { over(r, h2) };
        (cos, g.conj() * factor, r)
    } else {
        let d = (f2 * h2).root();
        let cos = f2.quotient(d);
        let r = if cos >= min { over(f, cos) } else { times(f, h2.quotient(d)) };
        (cos, g.conj() * over(f, d), r)
    }
}

/// The elements of H and its flag: -1 if all are stored, 0 if h11 and h22 are 1, 1 if h12 is 1 and
/// h21 is -1.
struct Modified<R> {
    flag: R,
    h11: R,
    h21: R,
    h12: R,
    h22: R,
}

impl<R: Real> Modified<R> {
    fn zero() -> Self {
        let zero = R::zero();
        Modified { flag: -R::one(), h11: zero, h21: zero, h12: zero, h22: zero }
    }

    /// Stores the elements that the flag implies.
    fn complete(&mut self) {
        let one = R::one();
        if self.flag == R::zero() {
            (self.h11, self.h22) = (one, one);
        } else if self.flag == one {
            (self.h21, self.h12) = (-one, one);
        }
        self.flag = -one;
    }
}

/// Scales `d` by powers of 2^24 until its magnitude is within the limits, and with it the
/// numbers that `with` names by powers of 2^12 in the other direction. Infinity stays as it is.
fn rescale<R: Real>(d: &mut R, mut with: impl FnMut(&dyn Fn(R) -> R)) {
    let gamma = R::from_f64(4096.0);
    let square = gamma * gamma;
    // The decimal constants of netlib.
    let (low, high) = match size_of::<R>() {
        4 => (R::from_f64(5.96046e-8), R::from_f64(1.67772e7)),
        _ => (R::from_f64(5.9604645e-8), R::from_f64(16777216.0)),
    };
    while *d != R::zero() && d.magnitude() < R::INFINITY {
        if d.magnitude() <= low {
            *d = *d * square;
            with(&|x| x.quotient(gamma));
        } else if d.magnitude() >= high {
            *d = d.quotient(square);
            with(&|x| x * gamma);
        } else {
            break;
        }
    }
}

/// # Safety
/// `d1`, `d2` and `x1` are readable and writable; `p` points to five writable numbers.
pub(super) unsafe fn rotmg<R: Real>(d1: *mut R, d2: *mut R, x1: *mut R, y1: R, p: *mut R) {
    let (zero, one) = (R::zero(), R::one());
    // SAFETY: the caller's contract.
    let (mut a, mut b, mut x) = unsafe { (*d1, *d2, *x1) };
    let p2 = b * y1;
    let is_negative = a < zero;
    if !is_negative && p2 == zero {
        // SAFETY: the caller's contract.
        return unsafe { *p = -one - one };
    }
    let mut h = Modified::zero();
    let (p1, q2) = (a * x, p2 * y1);
    let q1 = p1 * x;
    let is_degenerate = if is_negative {
        true
    } else if q1.magnitude() > q2.magnitude() {
        (h.flag, h.h21, h.h12) = (zero, (-y1).quotient(x), p2.quotient(p1));
        let u = one - h.h12 * h.h21;
        (a, b, x) = (a.quotient(u), b.quotient(u), x * u);
        u.partial_cmp(&zero).is_none_or(Ordering::is_le)
    } else {
        (h.flag, h.h11, h.h22) = (one, p1.quotient(p2), x.quotient(y1));
        let u = one + h.h11 * h.h22;
        (a, b, x) = (b.quotient(u), a.quotient(u), y1 * u);
        q2 < zero
    };
    if is_degenerate {
        (h, a, b, x) = (Modified::zero(), zero, zero, zero);
    }
    rescale(&mut a, |by| {
        h.complete();
        (x, h.h11, h.h12) = (by(x), by(h.h11), by(h.h12));
    });
    rescale(&mut b, |by| {
        h.complete();
        (h.h21, h.h22) = (by(h.h21), by(h.h22));
    });
    // SAFETY: the caller's contract. Elements that the flag implies are not written.
    unsafe {
        (*d1, *d2, *x1, *p) = (a, b, x, h.flag);
        if h.flag != zero {
            (*p.add(1), *p.add(4)) = (h.h11, h.h22);
        }
        if h.flag != one {
            (*p.add(2), *p.add(3)) = (h.h21, h.h12);
        }
    }
}
