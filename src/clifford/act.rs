//! Activations: multivectors times functions of themselves.

use super::gate::scalar::Parameters;
use super::gate::{self, CUBIC, FACTOR, GRADES, gate_f32};
use super::logistic::logistic;
use super::signature::{MAX_BLADES, Signature};
use crate::frame::error::{Error, exactly};
use crate::math::float::Float;

/// An activation: every blade of a multivector x times a gate, a function of x. S is the logistic
/// function, 1 / (1 + exp(-a)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gate<'a, T> {
    /// The gate S(a), a = bias + the sum of weights times blades. The weights have shape (channels,
    /// blades), the bias (channels).
    Linear {
        /// For each channel and blade.
        weights: &'a [T],
        /// For each channel.
        bias: &'a [T],
    },
    /// The gate S(a), where a is the sum of all blades.
    Sum,
    /// The gate S(a), where a is the mean of all blades.
    Mean,
    /// The gate GELU(x\[0\]) of the scalar, by its approximation u (1 + tanh(sqrt(2/pi) (u + 0.044715
    /// u^3))) / 2.
    Gelu,
    /// A gate for each grade, S(weight * n + bias), where n is the scalar for grade 0 and
    /// [`grade_norms`](super::grade_norms) for the others. The weights and the bias have shape (channels,
    /// grades).
    Silu {
        /// For each channel and grade.
        weights: &'a [T],
        /// For each channel and grade.
        bias: &'a [T],
    },
}

/// GELU and its derivative.
fn gelu(u: f64) -> [f64; 2] {
    let s = logistic(FACTOR * (u + CUBIC * u * u * u));
    let slope = FACTOR * (1.0 + 3.0 * CUBIC * u * u);
    // An infinite u has a gate of u or 0, and a slope of 1 or 0.
    let bend = if s == 0.0 || s == 1.0 { 0.0 } else { u * s * (1.0 - s) * slope };
    [if s == 0.0 { 0.0 } else { u * s }, s + bend]
}

impl<T: Float> Gate<'_, T> {
    /// The number of channels, which must divide that of the multivectors.
    fn channels(&self, signature: &Signature) -> Result<usize, Error> {
        let (weights, bias, each, each_bias) = match *self {
            Gate::Linear { weights, bias } => (weights, bias, signature.blades(), 1),
            Gate::Silu { weights, bias } => {
                let grades = signature.squares().len() + 1;
                (weights, bias, grades, grades)
            }
            Gate::Sum | Gate::Mean | Gate::Gelu => return Ok(1),
        };
        let channels = weights.len() / each;
        if channels == 0 {
            return Err(Error::Channels { argument: "weights" });
        }
        exactly("weights", channels * each, weights.len())?;
        exactly("bias", channels * each_bias, bias.len())?;
        Ok(channels)
    }

    fn check(&self, signature: &Signature, x: &[T], others: [(&'static str, usize); 2]) -> Result<usize, Error> {
        let channels = self.channels(signature)?;
        let row = channels * signature.blades();
        exactly("x", x.len() / row * row, x.len())?;
        others.into_iter().try_for_each(|(name, length)| exactly(name, x.len(), length))?;
        Ok(channels)
    }

    /// z = x times its gate, for as many multivectors as `x` holds. With parameters, x has shape (batch,
    /// channels, blades).
    ///
    /// Arguments of gates are sums in the order of the blades, each operation rounded; S has an error of
    /// at most 3 ulps. The same bits on every CPU.
    ///
    /// ```
    /// use hotloops::clifford::{Gate, Signature};
    /// let mut z = [0.0f32; 4];
    /// Gate::Sum.apply(Signature::new(&[1, 1])?, &[1.0, 2.0, -4.0, 1.0], &mut z)?;
    /// assert_eq!(z, [0.5, 1.0, -2.0, 0.5]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if an array has the wrong length, [`Error::Channels`] if there are no weights.
    pub fn apply(&self, signature: Signature, x: &[T], z: &mut [T]) -> Result<(), Error> {
        let channels = self.check(&signature, x, [("z", z.len()); 2])?;
        let (blades, z) = (signature.blades(), z.as_mut_ptr());
        let (kind, weights, bias) = match *self {
            Gate::Linear { weights, bias } => (gate::LINEAR, weights, bias),
            Gate::Sum => (gate::SUM, &[][..], &[][..]),
            Gate::Mean => (gate::MEAN, &[][..], &[][..]),
            Gate::Gelu => (gate::GELU, &[][..], &[][..]),
            Gate::Silu { weights, bias } => (gate::SILU, weights, bias),
        };
        let mut signs = [T::ZERO; MAX_BLADES];
        signs.iter_mut().take(blades).enumerate().for_each(|(p, sign)| *sign = T::from_f64(norm_sign(&signature, p)));
        let (weights, bias, signs) = (weights.as_ptr(), bias.as_ptr(), signs.as_ptr());
        let (count, x) = (x.len() / blades, x.as_ptr());
        // SAFETY: arrays of `count` multivectors, parameters of the channels, and signs of the blades; `z` is
        // borrowed exclusively. `T` is `f32`, the only type of 4 bytes, where it is cast.
        unsafe {
            if size_of::<T>() == 4 && blades >= 4 {
                let (weights, bias, signs) = (weights.cast(), bias.cast(), signs.cast());
                gate_f32(kind, blades, channels, weights, bias, signs, x.cast(), count, z.cast());
            } else {
                gate::scalar::apply(&Parameters { kind, channels, weights, bias, signs }, blades, x, count, z);
            }
        }
        Ok(())
    }

    /// The gradient with respect to x, given the gradient with respect to z. Adds the gradients with
    /// respect to the weights and the bias to `gw` and `gbias`, which are empty for the gates without
    /// parameters.
    ///
    /// # Errors
    /// As for [`Gate::apply`].
    pub fn backward(
        &self,
        signature: Signature,
        (x, gz): (&[T], &[T]),
        gx: &mut [T],
        (gw, gbias): (&mut [T], &mut [T]),
    ) -> Result<(), Error> {
        let channels = self.check(&signature, x, [("gz", gz.len()), ("gx", gx.len())])?;
        let (weights, bias) = match *self {
            Gate::Linear { weights, bias } | Gate::Silu { weights, bias } => (weights, bias),
            Gate::Sum | Gate::Mean | Gate::Gelu => (&[][..], &[][..]),
        };
        exactly("gw", weights.len(), gw.len())?;
        exactly("gbias", bias.len(), gbias.len())?;
        let (blades, grades) = (signature.blades(), signature.squares().len() + 1);
        let add = |to: &mut T, term: f64| *to = *to + T::from_f64(term);
        let each = x.chunks_exact(blades).zip(gz.chunks_exact(blades)).zip(gx.chunks_exact_mut(blades)).enumerate();
        for (at, ((x, gz), gx)) in each {
            let (channel, x, gz) = (at % channels, wide(x), wide(gz));
            let gates = self.gates(&signature, channel, &x[..blades]);
            // The gradients with respect to the arguments of the gates; all grades may share one.
            let mut arguments = [0.0; GRADES];
            for p in 0..blades {
                let of = if matches!(self, Gate::Silu { .. }) { signature.grade(p) } else { 0 };
                arguments[of] += gz[p] * x[p];
            }
            arguments.iter_mut().zip(gates.slope).for_each(|(argument, slope)| *argument *= slope);
            for (p, gx) in gx.iter_mut().enumerate() {
                let grade = signature.grade(p);
                let through = match *self {
                    Gate::Linear { weights, .. } => arguments[0] * weights[channel * blades + p].to_f64(),
                    Gate::Sum => arguments[0],
                    Gate::Mean => arguments[0] / blades as f64,
                    Gate::Gelu => {
                        if p == 0 {
                            arguments[0]
                        } else {
                            0.0
                        }
                    }
                    Gate::Silu { weights, .. } => {
                        let slope = if p == 0 { 1.0 } else { 2.0 * norm_sign(&signature, p) * x[p] };
                        arguments[grade] * weights[channel * grades + grade].to_f64() * slope
                    }
                };
                *gx = T::from_f64(gz[p] * gates.value[grade] + through);
            }
            match self {
                Gate::Linear { .. } => {
                    add(&mut gbias[channel], arguments[0]);
                    let gw = gw[channel * blades..][..blades].iter_mut();
                    gw.zip(x).for_each(|(gw, x)| add(gw, arguments[0] * x));
                }
                Gate::Silu { .. } => {
                    for grade in 0..grades {
                        add(&mut gbias[channel * grades + grade], arguments[grade]);
                        add(&mut gw[channel * grades + grade], arguments[grade] * gates.norms[grade]);
                    }
                }
                Gate::Sum | Gate::Mean | Gate::Gelu => {}
            }
        }
        Ok(())
    }

    fn gates(&self, signature: &Signature, channel: usize, x: &[f64]) -> Gates {
        let mut gates = Gates { value: [0.0; GRADES], slope: [0.0; GRADES], norms: [0.0; GRADES] };
        let grades = signature.squares().len() + 1;
        let argument = match *self {
            Gate::Linear { weights, bias } => {
                let terms = weights[channel * x.len()..].iter().zip(x);
                terms.fold(bias[channel].to_f64(), |sum, (weight, x)| sum + weight.to_f64() * x)
            }
            Gate::Sum => x.iter().fold(0.0, |sum, x| sum + x),
            Gate::Mean => x.iter().fold(0.0, |sum, x| sum + x) / x.len() as f64,
            Gate::Gelu => {
                let [value, slope] = gelu(x[0]);
                (gates.value, gates.slope) = ([value; GRADES], [slope; GRADES]);
                return gates;
            }
            Gate::Silu { weights, bias } => {
                gates.norms[0] = x[0];
                for (p, x) in x.iter().enumerate().skip(1) {
                    gates.norms[signature.grade(p)] += norm_sign(signature, p) * (x * x);
                }
                for grade in 0..grades {
                    let at = channel * grades + grade;
                    let s = logistic(weights[at].to_f64() * gates.norms[grade] + bias[at].to_f64());
                    (gates.value[grade], gates.slope[grade]) = (s, s * (1.0 - s));
                }
                return gates;
            }
        };
        let s = logistic(argument);
        (gates.value, gates.slope) = ([s; GRADES], [s * (1.0 - s); GRADES]);
        gates
    }
}

/// The gates of the grades of a multivector, their derivatives by their arguments, and the norms.
struct Gates {
    value: [f64; GRADES],
    slope: [f64; GRADES],
    norms: [f64; GRADES],
}

/// The sign by which the square of blade `p` counts in the norm of its grade, or 0.
fn norm_sign(signature: &Signature, p: usize) -> f64 {
    f64::from(signature.reverse(p) * signature.product(p, p).1)
}

fn wide<T: Float>(x: &[T]) -> [f64; MAX_BLADES] {
    let mut values = [0.0; MAX_BLADES];
    values.iter_mut().zip(x).for_each(|(value, x)| *value = x.to_f64());
    values
}
