use super::{Work, work};

/// The forms of Cl(2, 0): rows of 64 channels of 4 blades.
macro_rules! cases {
    ($($case:ident $type:ident)+) => {$(
        pub fn $case(function: hotloops::clifford::$case::Function) -> Work {
            const ROWS: usize = 12;
            const N: usize = 64;
            let (x, mut y) = (vec![1.5 as $type; ROWS * 4 * N], vec![0.0 as $type; ROWS * 4 * N]);
            let (terms, ends) = ([0, 2, 4, 6, 4, 7, 0, 3], [2, 4, 6, 8]);
            // SAFETY: rows of 4 vectors, and of 4 sums.
            work("number", ROWS * 4 * N, move || unsafe {
                function(ROWS, N, x.as_ptr(), 4 * N, y.as_mut_ptr(), 4 * N, terms.as_ptr(), ends.as_ptr(), 4, 0)
            })
        }
    )+};
}
cases! { signed_sums_f32 f32 signed_sums_f64 f64 }
