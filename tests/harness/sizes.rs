//! Each integer argument of each kernel beyond 8, 16 and 32 bits, while the others are small.
//!
//! The calls follow from the kernel's signature; a case in `cases/sizes/` says how to lay out memory
//! for any values. There are two kinds of calls:
//!
//! - If the memory is small, the variants' results are compared with the reference's. The
//!   reference itself, called with the argument cut to 8, 16 or 32 bits, must fault or give another
//!   result: the case would show a variant that cuts it.
//! - Else the memory is that of small arguments, and the variant is called with one more bit in the
//!   argument. It must fault or give another result than the call without that bit.

use std::any::Any;

use hotloops::kernel::{Form, Kernel, Variant};

use super::{abi, child, variants};

type Call<F> = Box<dyn Fn(F, &Values) -> Option<Vec<u8>>>;

/// How to call a kernel with given integer arguments.
pub struct Sizes<F> {
    base: Vec<(&'static str, i64)>,
    bounds: Vec<(&'static str, i64)>,
    unseen: Vec<&'static str>,
    scratch: Vec<&'static str>,
    call: Call<F>,
}

impl<F> Sizes<F> {
    /// Small values of all integers, those of the signature and any others. `call` returns what the
    /// kernel wrote, or `None` if the memory would be too much.
    pub fn new(base: &[(&'static str, i64)], call: impl Fn(F, &Values) -> Option<Vec<u8>> + 'static) -> Self {
        Sizes { base: base.to_vec(), bounds: Vec::new(), unseen: Vec::new(), scratch: Vec::new(), call: Box::new(call) }
    }

    /// An exception: the contract limits the argument to this value, which is tried.
    pub fn bound(mut self, name: &'static str, most: i64) -> Self {
        self.bounds.push((name, most));
        self
    }

    /// An exception: the reference does not use this argument, which describes scratch memory.
    pub fn scratch(mut self, name: &'static str) -> Self {
        self.scratch.push(name);
        self
    }

    /// An exception: results do not depend on this argument.
    pub fn unseen(mut self, name: &'static str) -> Self {
        self.unseen.push(name);
        self
    }

    fn most(&self, name: &str) -> i64 {
        self.bounds.iter().find(|bound| bound.0 == name).map_or(i64::MAX, |bound| bound.1)
    }
}

/// The integers of a call.
pub struct Values(Vec<(&'static str, i64)>);

impl Values {
    pub fn int(&self, name: &str) -> i64 {
        self.0.iter().find(|value| value.0 == name).unwrap_or_else(|| panic!("no integer {name}")).1
    }

    pub fn size(&self, name: &str) -> usize {
        self.int(name) as usize
    }

    pub fn step(&self, name: &str) -> isize {
        self.int(name) as isize
    }
}

/// An integer of a call: its index in the signature, if it is there, and its width.
struct Integer {
    name: &'static str,
    argument: Option<usize>,
    width: u32,
}

fn integers<F>(kernel: &Kernel<F>, sizes: &Sizes<F>) -> Vec<Integer> {
    let named = |name: &str| sizes.base.iter().find(|value| value.0 == name).map(|value| value.0);
    let mut list = Vec::new();
    for (index, (name, kind)) in abi::arguments(kernel.signature).enumerate() {
        let (is_float, width) = abi::class(kind);
        if !is_float && !kind.starts_with(['*', '&']) {
            let name = named(name).unwrap_or_else(|| panic!("{}: no case for {name}", kernel.symbol));
            list.push(Integer { name, argument: Some(index), width });
        }
    }
    for (name, _) in &sizes.base {
        if list.iter().all(|integer| integer.name != *name) {
            list.push(Integer { name, argument: None, width: 64 });
        }
    }
    list
}

/// Runs all calls of a kernel against every variant that this CPU can execute.
pub fn check<F: Copy + 'static>(kernel: &Kernel<F>, list: impl IntoIterator<Item = Sizes<F>>) {
    super::guard::release();
    list.into_iter().for_each(|sizes| each(kernel, &sizes));
}

fn each<F: Copy + 'static>(kernel: &Kernel<F>, sizes: &Sizes<F>) {
    for integer in integers(kernel, sizes) {
        let (name, most) = (integer.name, sizes.most(integer.name));
        let small = Values(sizes.base.clone()).int(name);
        assert!(small <= most, "{}: {name} exceeds its bound", kernel.symbol);
        let mut bounded = false;
        for bits in [8, 16, 32].into_iter().filter(|&bits| bits < integer.width) {
            let beyond = if small.unsigned_abs() >= 1 << bits { small } else { small + (1 << bits) };
            if beyond <= most {
                one(kernel, sizes, &integer, bits, beyond);
            } else if !bounded {
                bounded = true;
                bound(kernel, sizes, name, most);
            }
        }
    }
}

fn with<F>(sizes: &Sizes<F>, name: &str, to: i64) -> Values {
    let mut values = Values(sizes.base.clone());
    values.0.iter_mut().filter(|value| value.0 == name).for_each(|value| value.1 = to);
    values
}

fn bound<F: Copy + 'static>(kernel: &Kernel<F>, sizes: &Sizes<F>, name: &str, most: i64) {
    let values = with(sizes, name, most);
    if let Some(expected) = (sizes.call)(reference(kernel), &values) {
        compare(kernel, sizes, &values, &expected, &format!("{name} = {most}, its bound"));
    }
}

fn reference<F: Copy>(kernel: &Kernel<F>) -> F {
    kernel.variants.last().expect("a reference row").function
}

/// One argument beyond `bits` bits.
fn one<F: Copy + 'static>(kernel: &Kernel<F>, sizes: &Sizes<F>, integer: &Integer, bits: u32, beyond: i64) {
    let (name, what) = (integer.name, format!("{} = {beyond:#x}", integer.name));
    let values = with(sizes, name, beyond);
    let unseen = sizes.unseen.contains(&name);
    if let Some(expected) = (sizes.call)(reference(kernel), &values) {
        if let (Some(argument), false) = (integer.argument, unseen) {
            let cut = abi::Change { argument, keep: (1 << bits) - 1, set: 0 };
            let scratch = sizes.scratch.contains(&name);
            let functions: Vec<F> = match scratch {
                true => variants(kernel).filter(|row| row.form != Form::Reference).map(|row| row.function).collect(),
                false => vec![reference(kernel)],
            };
            let sees = |function: &F| is_seen(kernel, sizes, *function, cut, &values, &expected);
            let seen = functions.iter().any(sees) || functions.is_empty();
            assert!(seen, "{}: {what} would be cut to {bits} bits unnoticed", kernel.symbol);
        }
        return compare(kernel, sizes, &values, &expected, &what);
    }
    let small = Values(sizes.base.clone());
    let expected = (sizes.call)(reference(kernel), &small).expect("small arguments");
    let argument = integer.argument.unwrap_or_else(|| panic!("{}: too much memory for {what}", kernel.symbol));
    let raised = abi::Change { argument, keep: u64::MAX, set: 1 << bits };
    assert!(!unseen, "{}: too much memory for {what}", kernel.symbol);
    let sees = |variant: &&Variant<F>| is_seen(kernel, sizes, variant.function, raised, &small, &expected);
    if sizes.scratch.contains(&name) {
        // Not every variant uses scratch memory.
        let mut users = variants(kernel).filter(|variant| variant.form != Form::Reference).peekable();
        assert!(users.peek().is_none() || users.any(|variant| sees(&variant)), "{}: {what} is unused", kernel.symbol);
        return;
    }
    if let Some(variant) = variants(kernel).find(|variant| !sees(variant)) {
        panic!("{} {variant}: {what} is cut to {bits} bits", kernel.symbol);
    }
}

fn compare<F: Copy + 'static>(kernel: &Kernel<F>, sizes: &Sizes<F>, values: &Values, expected: &Vec<u8>, what: &str) {
    for variant in variants(kernel).filter(|variant| variant.form != Form::Reference) {
        let by_hand = super::by_hand(kernel, variant);
        abi::checked(variant.function, kernel.signature, by_hand, |subject| {
            let found = (sizes.call)(subject, values).expect("as much memory as before");
            if found != *expected {
                let at = found.iter().zip(expected).position(|(a, b)| a != b);
                panic!("{} {variant}: {what}: byte {at:?} of {} differs", kernel.symbol, expected.len());
            }
        });
    }
}

/// Whether a call with a changed argument ends its process or returns other bytes.
fn is_seen<F: Copy + 'static>(
    kernel: &Kernel<F>,
    sizes: &Sizes<F>,
    function: F,
    change: abi::Change,
    values: &Values,
    expected: &Vec<u8>,
) -> bool {
    let status = abi::changed(function, kernel.signature, change, |changed| {
        child::status(|| {
            if (sizes.call)(changed, values).as_ref() != Some(expected) {
                // SAFETY: ends the child.
                unsafe { libc::_exit(2) }
            }
        })
    });
    // Without a trampoline nothing can be changed.
    let timeout = |status| libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGALRM;
    status.is_none_or(|status| status != 0 && !timeout(status))
}

/// Results of different types, as bytes.
pub fn bytes<T: Copy + Any>(value: T) -> Vec<u8> {
    let at = (&raw const value).cast::<u8>();
    // SAFETY: the bytes of an integer or a float.
    unsafe { std::slice::from_raw_parts(at, size_of::<T>()) }.to_vec()
}
