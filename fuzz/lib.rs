//! What the fuzz targets share: one input, every instruction set that this CPU has, one answer.

use std::fmt::Debug;

use hotloops::isa::{self, Isa};

/// Asserts that `call` gives the same under every cap; its result.
pub fn alike<R: PartialEq + Debug>(mut call: impl FnMut() -> R) -> R {
    let mut under = |isa: Isa| {
        isa::set(isa).unwrap();
        call()
    };
    let expected = under(Isa::scalar);
    for &isa in Isa::ALL.iter().filter(|&&isa| isa::detected(isa)) {
        assert_eq!(under(isa), expected, "{}", isa.word());
    }
    expected
}
