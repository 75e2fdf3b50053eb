//! The error type of the library. Its status codes are the `hl_status` values of the C API.

use core::ffi::CStr;
use core::fmt;

use crate::frame::level::Isa;

/// Names of arguments that an error can carry: function parameters, sorted.
macro_rules! arguments {
    ($($name:literal)+) => {
        /// A C status carries an index into this table.
        const ARGUMENTS: &[&str] = &[$($name),+];

        /// The same as C strings.
        const ARGUMENTS_C: &str = concat!($($name, "\0"),+);

        /// The sentence, then the sentence followed by each argument name; all NUL-terminated.
        macro_rules! with_each_argument {
            ($text:literal) => { concat!($text, "\0" $(, $text, ": ", $name, "\0")+) };
        }
    };
}

arguments! {
    "a" "acceptance" "activation" "algorithm" "alpha" "at" "attempts" "b" "batch" "beta" "bias" "bias_kind" "bins"
    "bits" "block" "blocks" "bonds" "boundary" "bytes" "c" "c_step" "cells" "channels" "clusters" "code" "colour"
    "column" "columns" "columns of c" "condition" "correlation" "count" "counts" "couplings" "cursor" "degree"
    "dilation" "dimensions" "displacements" "distances" "dst" "edges" "energies" "energy" "exchange" "extents" "factors"
    "fields" "flags" "found" "gamma" "gap" "gate" "gbias" "generator" "graph" "gw" "gx" "gy" "gz" "height" "hits" "im"
    "image" "images" "index" "indices" "info" "inputs" "is_frustrated" "is_swapped" "k" "kernel" "kinks" "ladder" "lags"
    "lane_keys" "lane_seeds" "lattice" "layer" "layers" "layout" "length" "lengths" "letters" "lines" "log2_length"
    "magnetisation" "magnetisations" "maps" "may_trap" "measure" "memory" "mode" "model" "models" "n" "n_blocks"
    "n_elems" "n_rows" "name" "neighbours" "order" "other" "others" "out" "out_stride" "outputs" "overlaps" "packed"
    "pair" "pairs" "part" "plan" "planes" "points" "psi" "queries" "query" "r" "radius" "range" "re" "reach" "reduced"
    "replica" "repro" "result" "reversals" "reversed" "rng" "rounding" "row" "row_begin" "row_count" "row_pointers"
    "rows" "rows of b" "rows of c" "schedule" "sites" "size" "slice" "space" "spin" "spins" "squares" "src" "stride"
    "strides" "sum" "sums" "swaps" "sweeps" "tau" "taus" "taylor" "temperature" "temperatures" "test" "theta"
    "thresholds" "transverse" "triangle" "trips" "update" "values" "weights" "window" "within" "word" "words"
    "workspace" "x" "x_stride" "y" "y_stride" "z"
}

/// One row per error: the variant with its fields, the C constant, its value, the sentence.
macro_rules! errors {
    ($($variant:ident $({ $($field:ident: $type:ty),+ })? = $constant:ident $status:literal $text:literal)+) => {
        /// Why a call was refused. Nothing has been written when a function returns an error.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Error {
            $(
                #[doc = concat!($text, ".")]
                $variant $({ $(#[doc = concat!("The offending `", stringify!($field), "`.")] $field: $type),+ })?,
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
            /// The C status code: a fixed negative number per variant (0 is success).
            pub const fn status(self) -> i32 {
                match self { $(Error::$variant { .. } => $status),+ }
            }

            /// The name of the offending argument, if the variant carries one.
            fn argument(self) -> Option<&'static str> {
                match self {
                    $(Error::$variant $({ $($field),+ })? => errors!(@argument $($($field $field)+)?)),+
                }
            }
        }

        /// The NUL-terminated texts of a code: the bare sentence, then one per argument name if the
        /// code carries arguments.
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
    Length { argument: &'static str, expected: usize, found: usize } = HL_ERR_LENGTH -2 "the array has the wrong length"
    TooLarge { argument: &'static str } = HL_ERR_TOO_LARGE -3 "the size exceeds the supported maximum; reduce it"
    NoMemory = HL_ERR_NO_MEMORY -4 "memory allocation failed"
    IsaUnknown = HL_ERR_ISA_UNKNOWN -5 "unknown instruction set"
    IsaUnavailable { isa: Isa } = HL_ERR_ISA_UNAVAILABLE -6 "this CPU does not support the instruction set"
    Lanes { lanes: usize } = HL_ERR_LANES -7 "unsupported number of lanes; use 4, 8 or 16 (an ising sweep needs 16)"
    StateTruncated { expected: usize, found: usize } = HL_ERR_STATE_TRUNCATED -8
        "the saved state is truncated; pass all of its bytes"
    StateForeign = HL_ERR_STATE_FOREIGN -9
        "the saved state has an unknown format or version; save it again with this version"
    StateCorrupt = HL_ERR_STATE_CORRUPT -10 "the saved state is corrupt: its checksum does not match; use another copy"
    Layers { layers: usize } = HL_ERR_LAYERS -11 "a layered model needs at least two layers"
    NoSites = HL_ERR_NO_SITES -12 "a model needs at least one site per layer"
    SiteRange { site: usize, sites: usize } = HL_ERR_SITE_RANGE -13
        "the site index must be less than the number of sites"
    SelfLoop { site: usize } = HL_ERR_SELF_LOOP -14
        "a coupling joins a site to itself; leave it out, it only shifts the energy"
    DuplicateEdge { i: usize, j: usize } = HL_ERR_DUPLICATE_EDGE -15
        "two couplings join the same pair of sites; add their values up first"
    Asymmetric { i: usize, j: usize } = HL_ERR_ASYMMETRIC -16
        "a coupling differs between (i, j) and (j, i); store the same value at both"
    RowPointer { site: usize } = HL_ERR_ROW_POINTER -17 "the row pointers must start at 0 and must not decrease"
    Coupling { i: usize, j: usize, value: f64 } = HL_ERR_COUPLING -18
        "the coupling must be finite after rounding to f32"
    TauCoupling { value: f64 } = HL_ERR_TAU_COUPLING -19
        "the coupling between layers must be finite after rounding to f32"
    Field { site: usize, value: f64 } = HL_ERR_FIELD -20 "the field must be finite after rounding to f32"
    Spin { layer: usize, site: usize, value: i8 } = HL_ERR_SPIN -21 "a spin must be +1 or -1"
    Beta { argument: &'static str, value: f32 } = HL_ERR_BETA -22 "the inverse temperature must be finite"
    Kind { value: i32 } = HL_ERR_KIND -23
        "unknown kind of model; use F32Fast, F32Poly, I8Exact, Auto, Single, I16Exact, Bits, Dense or Fixed (0 to 8)"
    Option { argument: &'static str, value: i32 } = HL_ERR_OPTION -24
        "invalid value for this option; use one of its named constants"
    Quantum { site: usize } = HL_ERR_QUANTUM -25
        "site values are not multiples of one quantum, or exceed 127 (8 for Bits) in sum; use an f32 kind"
    Ladder { temperatures: usize } = HL_ERR_LADDER -26 "a temperature ladder needs at least two rungs"
    Index { argument: &'static str, index: usize, count: usize } = HL_ERR_INDEX -27 "the index is out of range"
    Energy { replica: usize, value: f64 } = HL_ERR_ENERGY -28 "the energy must be finite"
    ElementSize { bytes: usize } = HL_ERR_ELEMENT_SIZE -29 "unsupported element size; use 1, 2, 4 or 8 bytes"
    Stride { argument: &'static str, min: usize, found: usize } = HL_ERR_STRIDE -30
        "the stride is too small: rows or elements would overlap"
    Overlap { argument: &'static str } = HL_ERR_OVERLAP -31 "the output overlaps another array; use separate memory"
    NoBits = HL_ERR_NO_BITS -32 "rows need at least one bit"
    Planes { planes: usize } = HL_ERR_PLANES -33
        "unsupported number of planes; use 1 to 64 and the smallest type that holds them"
    Packed = HL_ERR_PACKED -34 "the packed data does not belong to this function and these dimensions; pack again"
    Threshold { value: f32 } = HL_ERR_THRESHOLD -35
        "the threshold must be between 0 and 1, or at least 0 for a distance"
    Letter { index: usize, letter: u8 } = HL_ERR_LETTER -36 "invalid letter; use A, C, G, T, U or N"
    LetterCode { index: usize, code: u8 } = HL_ERR_LETTER_CODE -37
        "invalid letter code: these three bits encode no letter"
    PlaneCode { plane: usize, code: u16 } = HL_ERR_PLANE_CODE -38
        "invalid plane code for this class; use the codes that the classification wrote"
    Type { argument: &'static str } = HL_ERR_TYPE -39
        "the prepared object has the other element type; use f32 or f64 throughout"
    Orientation { index: usize } = HL_ERR_ORIENTATION -40
        "the orientation must be a complex number of magnitude at most 1"
    Bins { index: usize } = HL_ERR_BINS -41 "use at least two bin edges, finite, nonnegative and strictly increasing"
    Coordinate { argument: &'static str, index: usize } = HL_ERR_COORDINATE -42
        "the coordinate must be finite and within the supported range"
    Periodic { argument: &'static str } = HL_ERR_PERIODIC -43
        "the period must be finite and at least twice the largest distance"
    Frame = HL_ERR_FRAME -44 "the point sets use different grids; create one from the other (others)"
    Neighbours { k: usize, others: usize } = HL_ERR_NEIGHBOURS -45
        "the number of neighbours must be at least 1 and less than the number of points"
    Proof { argument: &'static str } = HL_ERR_PROOF -46
        "the argument is outside the range for which the search is proved complete"
    Extent { argument: &'static str, index: usize, extent: usize } = HL_ERR_EXTENT -47
        "the extent is too small; a grid needs at least 1, a torus 3"
    Weight { argument: &'static str, value: f64 } = HL_ERR_WEIGHT -48
        "a weight must be finite and not negative"
    Signature { generator: usize } = HL_ERR_SIGNATURE -49
        "a signature has at most 4 generators, with squares of +1, -1 or 0"
    Channels { argument: &'static str } = HL_ERR_CHANNELS -50 "a layer needs at least one channel"
    Unequal { site: usize } = HL_ERR_UNEQUAL -51
        "magnitudes at the site differ too much for the sums of any kind; \
         scale penalties down or name a kind, which rounds"
    Even { argument: &'static str, value: usize } = HL_ERR_EVEN -52 "the number must be even and at least 2"
    Range { argument: &'static str, value: f64 } = HL_ERR_RANGE -53
        "the value must be from 0 to 3.4e38; pass one in this range"
}

impl core::error::Error for Error {}

/// [`Error::Length`] unless `found == expected`.
pub(crate) fn exactly(argument: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(Error::Length { argument, expected, found }) }
}

/// [`Error::Length`] if `found < expected`.
pub(crate) fn at_least(argument: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if found >= expected { Ok(()) } else { Err(Error::Length { argument, expected, found }) }
}

/// Number of values spanned by `n` rows of `row` values each, `stride` values apart.
pub(crate) fn extent(argument: &'static str, n: usize, row: usize, stride: usize) -> Result<usize, Error> {
    if n == 0 || row == 0 {
        return Ok(0);
    }
    if stride < row {
        return Err(Error::Stride { argument, min: row, found: stride });
    }
    (n - 1).checked_mul(stride).and_then(|all| all.checked_add(row)).ok_or(Error::TooLarge { argument })
}

/// Bits of a status that hold the code.
const CODE_BITS: u32 = 8;

/// Packs a result into an `hl_status`: 0, or -(code + 2^8 place), where `place` is the 1-based
/// index of the argument's name in [`ARGUMENTS`], or 0.
pub(crate) fn c_status(result: Result<(), Error>) -> i32 {
    let Err(error) = result else { return 0 };
    let place = |name| ARGUMENTS.iter().position(|known| *known == name).map_or(0, |at| at as i32 + 1);
    error.status() - (error.argument().map_or(0, place) << CODE_BITS)
}

/// Splits a C status into its code and the place of its argument (0 if none).
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

/// The `n`th NUL-terminated string in `texts`.
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
            false => {
                let is_ffi = path.iter().any(|part| part == "ffi" || part == "ffi.rs");
                std::vec![(is_ffi, fs::read_to_string(path).unwrap())]
            }
        };
        entries.flat_map(read).collect()
    }

    /// Collects argument names from the sources: every string literal in an ffi.rs or ffi/, and
    /// elsewhere those passed to errors and checks.
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
