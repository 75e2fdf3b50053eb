//! The one error type of the library. Its status codes are the `hl_status` of the C API.

use core::ffi::CStr;
use core::fmt;

use crate::isa::Isa;

/// The names that an error can give for its argument: parameters of functions, in alphabetic order.
macro_rules! arguments {
    ($($name:literal)+) => {
        /// A C status carries an index into this table.
        const ARGUMENTS: &[&str] = &[$($name),+];

        /// The same as C strings.
        const ARGUMENTS_C: &str = concat!($($name, "\0"),+);

        /// A sentence, and the sentence with each of the names, each ended by NUL.
        macro_rules! with_each_argument {
            ($text:literal) => { concat!($text, "\0" $(, $text, ": ", $name, "\0")+) };
        }
    };
}

arguments! {
    "a" "acceptance" "attempts" "b" "beta" "bins" "bits" "block" "blocks" "bytes" "c" "cells" "code" "column" "columns"
    "columns of c" "count" "counts" "couplings" "cursor" "degree" "distances" "dst" "edges" "energies" "exchange"
    "fields" "flags" "found" "generator" "graph" "height" "hits" "im" "image" "index" "indices" "info" "ladder"
    "lane_keys" "lane_seeds" "layers" "layout" "length" "letters" "log2_length" "magnetisation" "memory" "model"
    "models" "n" "n_blocks" "n_elems" "n_rows" "name" "neighbours" "order" "other" "others" "out" "out_stride"
    "overlaps" "packed" "pairs" "plan" "planes" "points" "psi" "range" "re" "reach" "reduced" "replica" "repro"
    "result" "rng" "row" "row_begin" "row_count" "row_pointers" "rows" "rows of b" "rows of c" "sites" "size" "space"
    "spins" "src" "stride" "strides" "sum" "sums" "swaps" "tau" "taylor" "temperature" "temperatures" "test" "theta"
    "thresholds" "trips" "update" "values" "within" "word" "workspace" "x" "x_stride" "y" "y_stride"
}

/// Each row: the variant with what it names, the C constant and its value, the sentence.
macro_rules! errors {
    ($($variant:ident $({ $($field:ident: $type:ty),+ })? = $constant:ident $status:literal $text:literal)+) => {
        /// What is wrong with an argument, or why a call could not be carried out. Nothing was written then.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Error {
            $(
                #[doc = concat!($text, ".")]
                $variant $({ $(#[doc = concat!("The `", stringify!($field), "` in question.")] $field: $type),+ })?,
            )+
        }

        /// C constant, value and sentence of each error.
        pub const STATUSES: &[(&str, i32, &CStr)] = &[$(
            (stringify!($constant), $status, match CStr::from_bytes_with_nul(concat!($text, "\0").as_bytes()) {
                Ok(text) => text,
                Err(_) => c"",
            }),
        )+];

        impl Error {
            /// The code of the C status: a fixed negative number for each variant; 0 stands for success.
            pub const fn status(self) -> i32 {
                match self { $(Error::$variant { .. } => $status),+ }
            }

            /// The name of the argument in question, where the variant has one.
            fn argument(self) -> Option<&'static str> {
                match self {
                    $(Error::$variant $({ $($field),+ })? => errors!(@argument $($($field $field)+)?)),+
                }
            }
        }

        /// The sentence of a code, and where its errors name an argument the sentence with each name.
        fn texts(code: i32) -> &'static str {
            match code {
                0 => "success\0",
                $($status => errors!(@texts $text $($($field)+)?),)+
                _ => "unknown status\0",
            }
        }

        impl fmt::Display for Error {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                match self {$(
                    Error::$variant $({ $($field),+ })? => {
                        f.write_str($text)?;
                        errors!(@fields f $($($field)+)?);
                    }
                )+}
                Ok(())
            }
        }
    };
    (@argument argument $name:ident $($other:ident $again:ident)*) => {{
        $(let _ = $again;)*
        Some($name)
    }};
    (@argument $($other:ident $again:ident)*) => {{
        $(let _ = $again;)*
        None
    }};
    (@texts $text:literal argument $($field:ident)*) => { with_each_argument!($text) };
    (@texts $text:literal $($field:ident)*) => { concat!($text, "\0") };
    (@fields $f:ident) => {};
    (@fields $f:ident $first:ident $($field:ident)*) => {
        write!($f, concat!(": ", stringify!($first), " = {:?}"), $first)?;
        $(write!($f, concat!(", ", stringify!($field), " = {:?}"), $field)?;)*
    };
}

errors! {
    Null { argument: &'static str } = HL_ERR_NULL -1 "a required pointer is null"
    Length { argument: &'static str, expected: usize, found: usize } = HL_ERR_LENGTH -2 "an array has the wrong length"
    TooLarge { argument: &'static str } = HL_ERR_TOO_LARGE -3 "a size is larger than the library supports"
    NoMemory = HL_ERR_NO_MEMORY -4 "out of memory"
    IsaUnknown = HL_ERR_ISA_UNKNOWN -5 "no instruction set has this name"
    IsaUnavailable { isa: Isa } = HL_ERR_ISA_UNAVAILABLE -6 "this CPU lacks the instruction set"
    Lanes { lanes: usize } = HL_ERR_LANES -7 "the number of lanes is not one that is allowed here"
    StateTruncated { expected: usize, found: usize } = HL_ERR_STATE_TRUNCATED -8 "the saved state is truncated"
    StateForeign = HL_ERR_STATE_FOREIGN -9 "the saved state was not written by this library, or by another version of it"
    StateCorrupt = HL_ERR_STATE_CORRUPT -10 "the saved state is damaged"
    Layers { layers: usize } = HL_ERR_LAYERS -11 "a layered model needs at least two layers"
    NoSites = HL_ERR_NO_SITES -12 "a layer needs at least one spin"
    SiteRange { site: usize, sites: usize } = HL_ERR_SITE_RANGE -13 "a spin index is outside its layer"
    SelfLoop { site: usize } = HL_ERR_SELF_LOOP -14 "a coupling joins a spin to itself"
    DuplicateEdge { i: usize, j: usize } = HL_ERR_DUPLICATE_EDGE -15 "two couplings join the same pair of spins"
    Asymmetric { i: usize, j: usize } = HL_ERR_ASYMMETRIC -16 "a coupling is not the same in both directions"
    RowPointer { site: usize } = HL_ERR_ROW_POINTER -17 "the row pointers of the graph do not ascend from zero"
    Coupling { i: usize, j: usize, value: f64 } = HL_ERR_COUPLING -18 "a coupling is not finite in single precision"
    TauCoupling { value: f64 } = HL_ERR_TAU_COUPLING -19 "the coupling between layers is not finite in single precision"
    Field { site: usize, value: f64 } = HL_ERR_FIELD -20 "a field is not finite in single precision"
    Spin { layer: usize, site: usize, value: i8 } = HL_ERR_SPIN -21 "a spin is neither +1 nor -1"
    Beta { argument: &'static str, value: f32 } = HL_ERR_BETA -22 "an inverse temperature is not a finite number"
    Kind { value: i32 } = HL_ERR_KIND -23 "no kind of model has this number"
    Option { argument: &'static str, value: i32 } = HL_ERR_OPTION -24 "an option has no choice of this number"
    Quantum { site: usize } = HL_ERR_QUANTUM -25 "a spin's couplings and field are no integers, at most 127 in sum, times one quantum"
    Ladder { temperatures: usize } = HL_ERR_LADDER -26 "a ladder needs at least two temperatures"
    Index { argument: &'static str, index: usize, count: usize } = HL_ERR_INDEX -27 "an index is not less than the number of what it counts"
    Energy { replica: usize, value: f64 } = HL_ERR_ENERGY -28 "an energy is not a finite number"
    ElementSize { bytes: usize } = HL_ERR_ELEMENT_SIZE -29 "elements have 1, 2, 4 or 8 bytes"
    Stride { argument: &'static str, least: usize, found: usize } = HL_ERR_STRIDE -30 "a stride is shorter than a row"
    Overlap { argument: &'static str } = HL_ERR_OVERLAP -31 "two arrays overlap that must not"
    NoBits = HL_ERR_NO_BITS -32 "rows need at least one bit"
    Planes { planes: usize } = HL_ERR_PLANES -33 "the number of planes is not one that is allowed here"
    Packed = HL_ERR_PACKED -34 "the packed rows are not what this library packs"
    Threshold { value: f32 } = HL_ERR_THRESHOLD -35 "a threshold is not between 0 and 1"
    Letter { index: usize, letter: u8 } = HL_ERR_LETTER -36 "a letter is not one of A, C, G, T, U, N"
    LetterCode { index: usize, code: u8 } = HL_ERR_LETTER_CODE -37 "three bits stand for no letter"
    PlaneCode { plane: usize, code: u16 } = HL_ERR_PLANE_CODE -38 "the code of a plane is not one of its class"
    Type { argument: &'static str } = HL_ERR_TYPE -39 "what was prepared is for numbers of another type"
    Orientation { index: usize } = HL_ERR_ORIENTATION -40 "an orientation is not a complex number of magnitude at most 1"
    Bins { index: usize } = HL_ERR_BINS -41 "edges of bins are not finite numbers from 0 on that ascend, two at least"
    Coordinate { argument: &'static str, index: usize } = HL_ERR_COORDINATE -42 "a coordinate is not a finite number, or too far from the others"
    Periodic { argument: &'static str } = HL_ERR_PERIODIC -43 "a period is not a finite number, at least twice the largest distance"
    Frame = HL_ERR_FRAME -44 "two sets of points were not made for each other"
    Neighbours { k: usize, others: usize } = HL_ERR_NEIGHBOURS -45 "the number of neighbours is 0, or more than there are other points"
    Proof { argument: &'static str } = HL_ERR_PROOF -46 "a bound, a length or a degree is outside what the search is proved for"
}

impl core::error::Error for Error {}

/// [`Error::Length`] unless an array is as long as expected.
pub(crate) fn exactly(argument: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(Error::Length { argument, expected, found }) }
}

/// [`Error::Length`] if an array is shorter than expected.
pub(crate) fn at_least(argument: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if found >= expected { Ok(()) } else { Err(Error::Length { argument, expected, found }) }
}

/// Values from the first of `n` rows of `row` values to the end of the last; they begin `stride` values apart.
pub(crate) fn extent(argument: &'static str, n: usize, row: usize, stride: usize) -> Result<usize, Error> {
    if n == 0 || row == 0 {
        return Ok(0);
    }
    if stride < row {
        return Err(Error::Stride { argument, least: row, found: stride });
    }
    (n - 1).checked_mul(stride).and_then(|all| all.checked_add(row)).ok_or(Error::TooLarge { argument })
}

/// Bits of a status that hold the code.
const CODE_BITS: u32 = 8;

/// `hl_status`: 0, or minus the sum of the code and of 2^8 times the place, from 1 on, of the argument's name in [`ARGUMENTS`].
pub(crate) fn c_status(result: Result<(), Error>) -> i32 {
    let Err(error) = result else { return 0 };
    let place = |name| ARGUMENTS.iter().position(|known| *known == name).map_or(0, |at| at as i32 + 1);
    error.status() - (error.argument().map_or(0, place) << CODE_BITS)
}

/// The code of a C status and the place of its argument, 0 for none.
fn parts(status: i32) -> (i32, usize) {
    let parts = status.unsigned_abs();
    let code = (parts & ((1 << CODE_BITS) - 1)) as i32;
    if status < 0 { (-code, (parts >> CODE_BITS) as usize) } else { (status, 0) }
}

/// The code of a C status.
pub(crate) fn status_code(status: i32) -> i32 {
    parts(status).0
}

/// The name of the argument that a C status carries, or the empty string.
pub(crate) fn status_argument(status: i32) -> &'static CStr {
    match parts(status).1 {
        0 => c"",
        place => nth(ARGUMENTS_C, place - 1).unwrap_or_default(),
    }
}

/// The sentence of a C status, with the name of the argument that it carries.
pub(crate) fn status_text(status: i32) -> &'static CStr {
    let (code, place) = parts(status);
    nth(texts(code), place).unwrap_or(c"unknown status")
}

/// String number `n` of those that NUL ends in `texts`.
fn nth(texts: &'static str, n: usize) -> Option<&'static CStr> {
    let text = texts.as_bytes().split_inclusive(|byte| *byte == 0).nth(n)?;
    CStr::from_bytes_with_nul(text).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::{format, fs, string::String, vec::Vec};

    use super::*;

    fn sources(folder: &Path) -> Vec<(bool, String)> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let read = |path: std::path::PathBuf| match path.is_dir() {
            true => sources(&path),
            false => std::vec![(path.ends_with("ffi.rs"), fs::read_to_string(path).unwrap())],
        };
        entries.flat_map(read).collect()
    }

    /// The names in the sources: each string in the C functions of a family, and elsewhere those that an error or a check is given.
    #[test]
    fn every_argument_has_a_place() {
        let mut names = BTreeSet::new();
        for (is_ffi, text) in sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))) {
            let text = text.split("#[cfg(test)]").next().unwrap();
            let code: Vec<_> = text.lines().map(|line| line.split("//").next().unwrap()).collect();
            let code = code.join("\n");
            let pieces: Vec<_> = code.split('"').collect();
            for pair in pieces.windows(2).step_by(2) {
                let gives = ["argument: ", "exactly(", "at_least(", "extent("].iter().any(|end| pair[0].ends_with(end));
                let is_name = pair[1].starts_with(|c: char| c.is_ascii_lowercase());
                if gives || is_ffi && is_name {
                    names.insert(String::from(pair[1]));
                }
            }
        }
        let known: BTreeSet<_> = ARGUMENTS.iter().map(|name| String::from(*name)).collect();
        let missing: Vec<_> = names.difference(&known).collect();
        assert!(missing.is_empty(), "not in ARGUMENTS: {missing:?}");
        assert!(ARGUMENTS.is_sorted() && ARGUMENTS.len() == known.len());
    }

    #[test]
    fn a_status_keeps_its_code_and_its_argument() {
        for (place, &argument) in (1..).zip(ARGUMENTS) {
            let status = c_status(Err(Error::Null { argument }));
            assert_eq!(parts(status), (-1, place));
            assert_eq!(status_argument(status).to_str(), Ok(argument));
            assert_eq!(status_text(status).to_str().unwrap(), format!("a required pointer is null: {argument}"));
        }
        for &(_, code, text) in STATUSES {
            assert_eq!((status_code(code), status_argument(code), status_text(code)), (code, c"", text));
        }
        let unnamed = c_status(Err(Error::Null { argument: "no such name" }));
        assert_eq!((unnamed, status_text(unnamed)), (-1, c"a required pointer is null"));
        assert_eq!((c_status(Ok(())), status_text(0), status_argument(0)), (0, c"success", c""));
        for status in [1, i32::MAX, i32::MIN, -255, -1 - (1000 << CODE_BITS)] {
            assert_eq!((status_text(status), status_argument(status)), (c"unknown status", c""));
        }
    }
}
