//! `hotloops.isa`.

use hotloops::isa::{self, Fact, Isa};
use pyo3::prelude::*;

use crate::arguments::{name, word};
use crate::arrays::wrong;

/// The instruction set that calls run: one of the words of `usable()`.
///
/// >>> from hotloops import isa
/// >>> isa.active() in isa.usable()
/// True
#[pyfunction]
fn active() -> &'static str {
    isa::active().word()
}

/// Caps the instruction set of every kernel, from the next call on; overrides HOTLOOPS_ISA. "auto"
/// removes the cap.
///
/// Results do not depend on it.
///
/// Raises: ValueError if `word` is unknown or this CPU does not support it, TypeError if it is no string.
///
/// >>> from hotloops import isa
/// >>> before = isa.active()
/// >>> isa.set("scalar"); isa.active()
/// 'scalar'
/// >>> isa.set("auto"); isa.active() == before
/// True
#[pyfunction]
fn set(#[pyo3(from_py_with = word::<name::Word>)] word: String) -> PyResult<()> {
    if word == "auto" {
        isa::reset();
        return Ok(());
    }
    Isa::from_word(word.as_bytes()).and_then(isa::set).map_err(|error| {
        let valid: Vec<_> = Isa::ALL.iter().filter(|&&isa| isa::detected(isa)).map(|isa| isa.word()).collect();
        wrong("word", format_args!("{word:?}: {error}; valid here: {}", valid.join(" ")))
    })
}

/// The instruction sets that kernels may run now, the best last.
#[pyfunction]
fn usable() -> Vec<&'static str> {
    Isa::ALL.iter().filter(|&&isa| isa::usable(isa)).map(|isa| isa.word()).collect()
}

/// The facts of this CPU. Calls skip the variants that name one of them, because another variant is faster here.
///
/// >>> from hotloops import isa
/// >>> {"narrow_256", "narrow_512", "gfni"}.issuperset(isa.facts())
/// True
#[pyfunction]
fn facts() -> Vec<&'static str> {
    Fact::ALL.iter().filter(|&&fact| isa::holds(fact)).map(|fact| fact.word()).collect()
}

type Variant = (String, &'static str, &'static str, bool, Option<&'static str>, bool);

/// Every variant of every kernel: tuples (kernel, isa, form, usable, unless, chosen), best first.
///
/// `unless` is the fact that the variant names, or None; where the fact is one of `facts()`, calls skip the variant.
/// `chosen` marks the variant that a call would run: the first usable one that is not skipped.
///
/// >>> from hotloops import isa
/// >>> {form for _, _, form, _, _, _ in isa.variants()} <= {"assembly", "intrinsics", "reference"}
/// True
#[pyfunction]
fn variants() -> Vec<Variant> {
    let rows = hotloops::kernels().flat_map(|kernel| {
        let (family, name) = kernel.name();
        kernel.variants.iter().enumerate().map(move |(at, row)| {
            let chosen = at == kernel.chosen();
            let unless = row.unless.map(Fact::word);
            (format!("{family}/{name}"), row.isa.word(), row.form.word(), isa::usable(row.isa), unless, chosen)
        })
    });
    rows.collect()
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = crate::submodule(parent, "isa")?;
    module.add_function(wrap_pyfunction!(active, &module)?)?;
    module.add_function(wrap_pyfunction!(set, &module)?)?;
    module.add_function(wrap_pyfunction!(usable, &module)?)?;
    module.add_function(wrap_pyfunction!(facts, &module)?)?;
    module.add_function(wrap_pyfunction!(variants, &module)?)?;
    Ok(())
}
