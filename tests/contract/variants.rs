//! Every variant that this CPU can execute returns the reference's bits, follows the ABI and stays
//! inside its buffers.

macro_rules! variant_tests {
    ($($family:ident { $($kernel:ident),+ })+) => {$(
        mod $family {
            $(
                #[test]
                fn $kernel() {
                    crate::harness::check(
                        &hotloops::$family::$kernel::KERNEL,
                        crate::harness::cases::$family::$kernel,
                    );
                }
            )+
        }
    )+};
}
hotloops::for_each_kernel!(variant_tests);

/// Each integer argument alone beyond 8, 16 and 32 bits.
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
mod sizes {
    macro_rules! size_tests {
        ($($family:ident { $($kernel:ident),+ })+) => {$(
            mod $family {
                $(
                    #[test]
                    fn $kernel() {
                        crate::harness::sizes::check(
                            &hotloops::$family::$kernel::KERNEL,
                            crate::harness::cases::sizes::$family::$kernel(),
                        );
                    }
                )+
            }
        )+};
    }
    hotloops::for_each_kernel!(size_tests);
}
