//! Every variant that this CPU can execute returns the reference's bits, follows the ABI and stays
//! inside its buffers.

mod harness;

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
