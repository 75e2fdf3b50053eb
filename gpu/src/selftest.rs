//! The self-test of a device: some drivers compile kernels to other results.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use crate::bitslice;
use crate::device::Device;
use crate::error::Error;
use crate::fingerprints;
use crate::hardround;
use crate::ising;
use crate::queue::Queue;

/// Compares a kernel's results on a device with the library's.
type Test = fn(&Queue) -> Result<bool, Error>;

const TESTS: &[(&str, Test)] = &[
    ("bitslice", bitslice::self_test),
    ("fingerprints", fingerprints::self_test),
    ("hardround", hardround::self_test),
    ("ising", ising::self_test),
    ("lattice", ising::lattice::self_test),
    ("paper", ising::paper::self_test),
];

/// Opens a device, and runs the self-test unless this device, driver and version of the kernels have passed it before.
///
/// # Errors
/// Fails if the device cannot be opened, and if a kernel has other bits than the CPU.
pub fn open(device: &Device) -> Result<Queue, Error> {
    let queue = Queue::open(device)?;
    let passed = record(device);
    let text = format!("passed: {} (driver {})\n", device.name, device.driver);
    if passed.as_ref().is_some_and(|path| fs::read(path).is_ok_and(|found| found == text.as_bytes())) {
        return Ok(queue);
    }
    check(&queue)?;
    // Without the record, the next process tests again.
    if let Some(path) = passed
        && let Some(folder) = path.parent()
    {
        let _ = fs::create_dir_all(folder).and_then(|()| fs::write(&path, &text));
    }
    Ok(queue)
}

/// Runs the self-test.
///
/// # Errors
/// Fails if a kernel cannot run or has other bits than the CPU. A kernel that the device lacks the means for passes.
pub fn check(queue: &Queue) -> Result<(), Error> {
    for (kernel, test) in TESTS.iter().copied() {
        match test(queue) {
            Ok(true) | Err(Error::Lacks { .. } | Error::TooLarge { .. }) => {}
            Ok(false) => {
                let device = queue.device();
                return Err(Error::SelfTest { device: device.name.clone(), driver: device.driver.clone(), kernel });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The file that says that the device has passed. None without a cache directory.
fn record(device: &Device) -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))?;
    let mut hasher = DefaultHasher::new();
    (&device.platform, &device.name, &device.driver, SOURCES).hash(&mut hasher);
    Some(cache.join("hotloops").join("devices").join(format!("{:016x}", hasher.finish())))
}

/// All kernels: a changed one is tested again.
const SOURCES: &[&str] =
    &[bitslice::SOURCE, hardround::SOURCE, ising::SOURCE, ising::lattice::SOURCE, ising::paper::SOURCE];
