//! Devices and their self-test.

mod common;

use hotloops_gpu::{Device, Error, selftest};

#[test]
fn devices_are_numbered_and_pass_the_self_test() -> Result<(), Error> {
    let Some(queue) = common::queue() else { return Ok(()) };
    let devices = Device::all()?;
    for (number, device) in devices.iter().enumerate() {
        assert_eq!(device.number, number);
        assert_eq!(Device::numbered(number)?.name, device.name);
        assert!(device.memory > 0 && device.max_buffer > 0 && device.local_memory > 0 && device.max_group > 0);
    }
    let count = devices.len();
    assert!(matches!(Device::numbered(count), Err(Error::NoSuchDevice { devices, .. }) if devices == count));
    selftest::check(&queue)
}

/// What a user reads if there is nothing to run on.
#[test]
fn errors_name_the_remedy() {
    assert!(Error::NoLibrary.to_string().contains("ocl-icd-libopencl1"));
    assert!(Error::NoDevice.to_string().contains("/etc/OpenCL/vendors"));
    assert!(Error::NoLibrary.is_absence() && Error::NoDevice.is_absence());
    let lost = Error::Call { device: "X".into(), function: "clFinish", code: -36 };
    assert!(lost.to_string().contains("watchdog") && !lost.is_absence());
}
