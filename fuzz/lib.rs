//! Shared by the fuzz targets: all instruction sets of this CPU must give the same result.

use std::fmt::Debug;

use hotloops::isa::{self, Isa};

/// Asserts that `call` returns the same value under every cap, and returns it.
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
