//! The one error type of the library. Its status codes are the `hl_status` of the C API.

use core::ffi::CStr;
use core::fmt;

use crate::isa::Isa;

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
            /// The C status: a fixed negative number for each variant; 0 stands for success.
            pub const fn status(self) -> i32 {
                match self { $(Error::$variant { .. } => $status),+ }
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

/// The sentence of a C status.
pub(crate) fn status_text(status: i32) -> &'static CStr {
    let known = STATUSES.iter().find(|(_, value, _)| *value == status);
    match (status, known) {
        (0, _) => c"success",
        (_, Some((_, _, text))) => text,
        _ => c"unknown status",
    }
}
