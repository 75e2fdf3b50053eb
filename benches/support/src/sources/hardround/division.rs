//! Table 5.2: quotients of 64-bit integers.

use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use super::domains::{LENGTH, Sample};
use super::masked;
use crate::ladder::{Compared, Origin, Rung, Scale, Table, measure};

/// Quotients of a call.
const COUNT: usize = 4096;

/// Dividends, divisors and their quotients.
type Quotients = Box<dyn Fn(&[u64], &[u64], &mut [u64])>;

/// Quotients that the regular test computes on domains: dividends and divisors, cut to the 52 bits that f64 holds.
fn operands(sample: &Sample) -> [Vec<u64>; 2] {
    let [mut x, mut y] = [const { Vec::new() }; 2];
    let mut add = |q: u64, p: u64| {
        x.push(q >> 12);
        y.push(p >> 12);
    };
    for &a in &sample.lines.a {
        let (mut p, mut q, mut u, mut v) = (a, a.wrapping_neg(), 1, 1);
        while u + v < LENGTH && p >> 12 > 0 && q >> 12 > 0 {
            if u <= v {
                add(q, p);
                (u, q) = (u + q / p * v, q % p);
            } else {
                add(p, q);
                (v, p) = (v + p / q * u, p % q);
            }
        }
    }
    [x, y].map(|all| all.iter().copied().cycle().take(COUNT).collect())
}

/// Table 5.2: one after the other, and in vectors.
pub fn divisions(sample: &Sample, budget: Duration) -> Table {
    let operands = Rc::new(operands(sample));
    let rung = |name: &str, origin, quotients: Quotients| {
        let (quotients, timed, checked) = (Rc::new(quotients), Rc::clone(&operands), Rc::clone(&operands));
        let verified = Rc::clone(&quotients);
        let mut out = vec![0; COUNT];
        let call = move || {
            let [x, y] = black_box(&*timed);
            quotients(x, y, &mut out);
            black_box(&mut out);
        };
        let verify = move || {
            let [x, y] = &*checked;
            let mut out = vec![0; COUNT];
            verified(x, y, &mut out);
            x.iter().zip(y).zip(&out).all(|((x, y), out)| x / y == *out)
        };
        Rung::new(name, origin, COUNT as f64, call, verify)
    };
    let mut rungs = vec![
        rung("division instruction", Origin::Source, Box::new(masked::divided)),
        rung("subtraction", Origin::Source, Box::new(masked::subtracted)),
        rung("in f64", Origin::Step, Box::new(masked::floored)),
    ];
    for (isa, [_, by]) in masked::vectors() {
        let subtractions = Box::new(move |x: &[u64], y: &[u64], out: &mut [u64]| by.call(x, y, out));
        rungs.push(rung("masked subtraction", Origin::Source, subtractions).under(isa));
    }
    for (isa, [by, _]) in masked::vectors() {
        let in_f64 = Box::new(move |x: &[u64], y: &[u64], out: &mut [u64]| by.call(x, y, out));
        rungs.push(rung("vectors of f64", Origin::Step, in_f64).under(isa));
    }
    let title = "Table 5.2: quotients of 64-bit integers, as the regular test computes them on domains of I_0";
    let unit = (Scale::Nanoseconds, "ns per quotient");
    let mut table = measure("division", title, unit, Compared::Ratio, rungs, budget);
    table.notes.push("Integers have 52 bits, and their conversion from and to f64 is timed.".to_owned());
    table.notes.push(super::COMPILED.to_owned());
    table
}
