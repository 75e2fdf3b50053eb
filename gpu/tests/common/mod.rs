//! The device of the tests.

use hotloops_gpu::{Device, Queue};

/// The first device. Without one, says so and returns nothing: the test passes, and the step `gpu` of .ci/run, which
/// has one, sets HOTLOOPS_TEST_DEVICE to fail instead.
pub fn queue() -> Option<Queue> {
    let wanted = std::env::var_os("HOTLOOPS_TEST_DEVICE").is_some();
    match Device::all() {
        Ok(devices) => Some(Queue::open(&devices[0]).unwrap_or_else(|error| panic!("{error}"))),
        Err(error) if wanted => panic!("{error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}
