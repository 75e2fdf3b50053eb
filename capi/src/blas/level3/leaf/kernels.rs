//! The kernels of each instruction set.

/// The kernels of one instruction set: functions with its features, and the vectors of a strip.
macro_rules! kernels {
    ($features:literal, $count:literal, $($real:ident $vector:ident $solve:ident $multiply:ident
        $solve_complex:ident $combine:ident $step:ident),+) => {$(
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $solve(system: &System<$real>) {
            // SAFETY: the caller's contract.
            unsafe { system.run::<$vector, $count>() }
        }

        #[target_feature(enable = $features)]
        pub(super) unsafe fn $multiply(product: &Product<$real>) {
            // SAFETY: the caller's contract.
            unsafe { product.run::<$vector, $count>() }
        }

        #[target_feature(enable = $features)]
        pub(super) unsafe fn $solve_complex(system: &ComplexSystem<$real>) {
            // SAFETY: the caller's contract.
            unsafe { system.run::<$vector, $count>() }
        }

        #[target_feature(enable = $features)]
        pub(super) unsafe fn $combine(line: &Line<$real>) {
            // SAFETY: the caller's contract.
            unsafe { line.run::<$vector>() }
        }

        #[target_feature(enable = $features)]
        pub(super) unsafe fn $step(step: &Step<$real>) {
            // SAFETY: the caller's contract.
            unsafe { step.run::<$vector>() }
        }
    )+};
}
pub(super) use kernels;
