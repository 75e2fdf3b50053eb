//! The inverse temperatures of an anneal, computed when sweeps need them: a list might exceed the memory.

use pyo3::prelude::*;

use crate::arrays::{contiguous, elements, of_type, wrong};

/// The inverse temperatures.
enum Betas {
    All(Vec<f32>),
    /// From hot to cold, or powers of ten of these exponents. A single one is `cold`.
    Steps {
        is_geometric: bool,
        hot: f64,
        cold: f64,
        count: u64,
    },
}

/// Inverse temperatures, and the number of sweeps at each.
pub struct Schedule {
    betas: Betas,
    per_beta: u64,
}

impl Schedule {
    /// From an array of inverse temperatures, or ("geometric" or "linear", hot, cold, count).
    pub fn of(betas: &Bound<'_, PyAny>, per_beta: u64) -> PyResult<Self> {
        let Ok((kind, hot, cold, count)) = betas.extract::<(String, f64, f64, u64)>() else {
            let all = contiguous(&of_type::<f32>("betas", betas)?)?;
            return Ok(Schedule { betas: Betas::All(elements(&all).to_vec()), per_beta });
        };
        let is_geometric = match &*kind {
            "geometric" => true,
            "linear" => false,
            _ => return Err(wrong("betas", format_args!("{kind:?} is none of \"geometric\", \"linear\""))),
        };
        Ok(Schedule { betas: Betas::Steps { is_geometric, hot, cold, count }, per_beta })
    }

    fn len(&self) -> u64 {
        match &self.betas {
            Betas::All(betas) => betas.len() as u64,
            Betas::Steps { count, .. } => *count,
        }
    }

    /// The inverse temperature of a number below [`len`](Schedule::len).
    fn beta(&self, index: u64) -> f32 {
        match &self.betas {
            Betas::All(betas) => betas[index as usize],
            &Betas::Steps { hot, .. } if index == 0 && self.len() > 1 => hot as f32,
            &Betas::Steps { cold, count, .. } if index + 1 == count => cold as f32,
            &Betas::Steps { is_geometric, hot, cold, count } => {
                let [from, to] = if is_geometric { [hot.log10(), cold.log10()] } else { [hot, cold] };
                let value = index as f64 * ((to - from) / (count - 1) as f64) + from;
                (if is_geometric { 10f64.powf(value) } else { value }) as f32
            }
        }
    }

    /// The number of sweeps.
    pub fn sweeps(&self) -> usize {
        usize::try_from(self.len()).unwrap_or(usize::MAX).saturating_mul(self.per_beta as usize)
    }

    /// Consecutive inverse temperatures, each with at most `max` sweeps.
    pub fn steps(&self, max: u64) -> impl Iterator<Item = (f32, u64)> {
        let (mut next, mut rest) = (0, None);
        std::iter::from_fn(move || {
            let (beta, mut sweeps) = match rest.take() {
                Some(step) => step,
                None if next == self.len() => return None,
                None => {
                    next += 1;
                    (self.beta(next - 1), self.per_beta)
                }
            };
            while sweeps < max && next < self.len() && self.beta(next) == beta {
                sweeps = sweeps.saturating_add(self.per_beta);
                next += 1;
            }
            rest = (sweeps > max).then(|| (beta, sweeps - max));
            Some((beta, sweeps.min(max)))
        })
    }
}
