//! The passes of a signature, at compile time.

use super::super::signature::{MAX_BLADES, Signature};
use super::Form;
use super::matrices::{Scalars, ZERO};
use super::parts::{Entry, Parts};
use super::scheme::Scheme;

/// Maximum over all signatures: passes, forms of their factors, and elements of their products.
const MAX_PASSES: usize = 32;
const MAX_FORMS: usize = 81;
const MAX_UNITS: usize = 32;

/// All passes of a signature, known at compile time.
pub(in super::super) struct Network {
    /// Rows of each product.
    pub(super) size: usize,
    pub(super) passes: usize,
    /// The passes without the last generator of square 0. Each has the beginnings of the rows of the first factor that
    /// the pass with this generator has, which is as many passes behind it.
    pub(super) beginnings: usize,
    pub(super) halvings: [u32; MAX_PASSES],
    /// The forms of the first and of the second factors of all passes, and the end of those of each.
    pub(super) ends: [usize; MAX_PASSES],
    pub x: [Form; MAX_FORMS],
    pub(super) w: [Form; MAX_FORMS],
    pub forms: usize,
    /// The products of all passes.
    pub units: [Form; MAX_UNITS],
    pub products: usize,
    /// The parts of [`Passes`], and `x` and `units` as forms of them.
    pub parts: [Form; MAX_BLADES],
    pub n_parts: usize,
    pub x_parts: [Form; MAX_FORMS],
    pub unit_parts: [Form; MAX_UNITS],
}

impl Network {
    /// The passes of a signature, if there is a matrix algebra for it.
    pub const fn new(signature: &Signature) -> Option<Self> {
        let Some(parts) = Parts::new(signature) else { return None };
        let (scheme, size) = (parts.representation.scalars.scheme(), parts.representation.size);
        let none = [0; MAX_BLADES];
        let (x, w, units) = ([none; MAX_FORMS], [none; MAX_FORMS], [none; MAX_UNITS]);
        let (halvings, ends) = ([0; MAX_PASSES], [0; MAX_PASSES]);
        let (x_parts, unit_parts, parts_of_blades) = (x, units, [none; MAX_BLADES]);
        let mut all = Network {
            size,
            passes: 0,
            beginnings: 0,
            halvings,
            ends,
            x,
            w,
            forms: 0,
            units,
            products: 0,
            parts: parts_of_blades,
            n_parts: 0,
            x_parts,
            unit_parts,
        };
        if parts.representation.gain() > 1 && !matches!(parts.representation.scalars, Scalars::Real) {
            all.add_parts(&parts);
        }
        let (schemes, components) = (scheme.x.len(), parts.representation.components);
        let mut number = 0;
        while number < (components * schemes) << parts.n_zeros {
            let (t, component, subset) =
                (number % schemes, number / schemes % components, number / schemes / components);
            all.add(&parts, &scheme, t, component, subset);
            number += 1;
        }
        all.beginnings = if parts.n_zeros == 0 { 0 } else { all.passes / 2 };
        Some(all)
    }

    /// The first form of the passes that are no beginnings.
    pub const fn own(&self) -> usize {
        if self.beginnings == 0 { 0 } else { self.ends[self.beginnings - 1] }
    }

    /// Sets the parts.
    const fn add_parts(&mut self, parts: &Parts) {
        let scalars = parts.representation.scalars.scheme().y.len();
        let entries = self.size * self.size;
        self.n_parts = parts.signature.blades();
        let mut number = 0;
        while number < self.n_parts {
            let (mut scalar, at, component) =
                (ZERO, number / scalars % entries, number / scalars / entries % parts.representation.components);
            scalar[number % scalars] = 1;
            let entry = Entry { component, row: at / self.size, column: at % self.size, parts: scalar };
            let subset = number / scalars / entries / parts.representation.components;
            self.parts[number] = parts.form(entry, subset, false);
            number += 1;
        }
    }

    /// The form of an entry, as in [`Parts::form`], of the parts.
    const fn of_parts(&self, parts: &Parts, entry: Entry, subset: usize) -> Form {
        let (mut form, mut i) = ([0; MAX_BLADES], 0);
        let scalars = parts.representation.scalars.scheme().y.len();
        let matrix = subset * parts.representation.components + entry.component;
        while i < scalars && self.n_parts != 0 {
            form[((matrix * self.size + entry.row) * self.size + entry.column) * scalars + i] = entry.parts[i];
            i += 1;
        }
        form
    }

    /// Appends a pass.
    const fn add(&mut self, parts: &Parts, scheme: &Scheme, t: usize, component: usize, subset: usize) {
        let (size, mut end, mut row) = (self.size, self.forms, 0);
        // Rows of the first factor: the zero generators on the left, for each the columns.
        while row < size {
            let mut left = 0;
            while left <= subset {
                let mut column = 0;
                while left & !subset == 0 && column < size {
                    let entry = Entry { component, row, column, parts: scheme.x[t] };
                    self.x[end] = parts.form(entry, left, false);
                    self.x_parts[end] = self.of_parts(parts, entry, left);
                    (end, column) = (end + 1, column + 1);
                }
                left += 1;
            }
            row += 1;
        }
        let (mut end, mut left) = (self.forms, 0);
        while left <= subset {
            let mut at = 0;
            while left & !subset == 0 && at < size * size {
                let entry = Entry { component, row: at / size, column: at % size, parts: scheme.w[t] };
                self.w[end] = parts.second(entry, subset, left);
                (end, at) = (end + 1, at + 1);
            }
            left += 1;
        }
        self.forms = end;
        let mut at = 0;
        while at < size * size {
            let (mut scalar, mut part) = (ZERO, 0);
            while part < scheme.y.len() {
                scalar[part] = scheme.y[part][t];
                part += 1;
            }
            let entry = Entry { component, row: at / size, column: at % size, parts: scalar };
            self.units[self.products] = parts.form(entry, subset, false);
            self.unit_parts[self.products] = self.of_parts(parts, entry, subset);
            self.products += 1;
            at += 1;
        }
        (self.ends[self.passes], self.halvings[self.passes]) =
            (end, parts.representation.gain().ilog2() + scheme.halved[t] as u32);
        self.passes += 1;
    }
}
